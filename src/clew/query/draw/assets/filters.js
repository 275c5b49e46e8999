/**
 * What of the map is shown: by the time, folder and tag of notes, by the weight of connections, and
 * whether concepts without any are shown. Filters know the notes that the page lists.
 */
const CHOICES_MAX = 200; // folders or tags to choose from, those of most notes

/** Hide what the conditions leave out; return how many concepts and edges are shown. */
function applyFilters(graph, { since, until, folder, tag, edgesMax, orphans }) {
  const within = (path) => folder === "" || path.startsWith(`${folder}/`);
  const asksNotes = Boolean(since || until || folder || tag !== null);
  for (const note of graph.notes) {
    note.hidden =
      (since && note.day < since) || (until && note.day > until) || !within(note.path) ||
      (tag !== null && !note.tags.includes(tag));
  }
  const anyShown = (notes) => !asksNotes || notes.some((note) => !note.hidden);
  for (const concept of graph.concepts) {
    concept.hidden = !anyShown(concept.listed);
    concept.lines = 0;
  }
  for (const edge of graph.edges) {
    const { source, target } = edge;
    edge.hidden = edge.rank >= edgesMax || source.hidden || target.hidden || !anyShown(notesOfEdge(edge));
    if (edge.hidden) continue;
    source.lines += 1;
    target.lines += 1;
  }
  if (!orphans) for (const concept of graph.concepts) concept.hidden ||= concept.lines === 0;
  const shown = (things) => things.reduce((sum, thing) => sum + !thing.hidden, 0);
  return { concepts: shown(graph.concepts), edges: shown(graph.edges) };
}

/** The folders of the notes and those above them, or their tags: the most used, by name. */
function choicesOf(namesOfNotes) {
  const counts = new Map();
  for (const names of namesOfNotes) for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const used = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, CHOICES_MAX);
  return used.map(([name]) => name).sort();
}

function foldersAbove(note) {
  const parts = folderOf(note).split("/");
  return parts[0] === "" ? [] : parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** The controls; `changed` is told what is shown. Return what takes all conditions back. */
function followFilters(graph, changed) {
  const [since, until, folder, tag, weight, orphans] = ["since", "until", "folder", "tag", "weight", "orphans"]
    .map((id) => document.getElementById(id));
  const option = (text) => element("option", { value: text }, [text]);
  folder.append(...choicesOf(graph.notes.map(foldersAbove)).map(option));
  tag.append(...choicesOf(graph.notes.map((note) => note.tags.map((at) => graph.tags[at]))).map(option));
  const all = graph.edges.length;
  const apply = () => {
    const edgesMax = Math.ceil((all * weight.value) / 100);
    const weightText = `strongest ${counted(edgesMax, "connection", "connections")}`;
    weight.setAttribute("aria-valuetext", weightText);
    const conditions = {
      since: since.value,
      until: until.value,
      folder: folder.value,
      tag: tag.value === "" ? null : graph.tags.indexOf(tag.value),
      edgesMax,
      orphans: orphans.checked,
    };
    changed(applyFilters(graph, conditions));
  };
  const controls = [since, until, folder, tag, weight, orphans];
  for (const control of controls) control.addEventListener("input", apply);
  const clear = () => {
    for (const control of [since, until, folder, tag]) control.value = "";
    weight.value = 100;
    orphans.checked = true;
    apply();
  };
  document.getElementById("clear").addEventListener("click", clear);
  return clear;
}
