/** The side panel and the legend. Names enter the page as text only, each with its own direction. */
const NEIGHBOURS_MAX = 12;
const MEMBERS_STEP = 60;
const NOTES_SHOWN = 12; // of a concept or an edge
const LONG = 60; // characters, from which on a heading is set smaller

function element(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function nameOf(text, more = "") {
  const inner = element("bdi", {}, [text]);
  return element("span", { class: `name ${more}`.trim() }, [inner]);
}

function swatch(hue) {
  const made = element("span", { class: "swatch", "aria-hidden": "true" });
  made.style.background = hue;
  return made;
}

function button(attributes, children, pressed) {
  const made = element("button", { type: "button", ...attributes }, children);
  made.addEventListener("click", pressed);
  return made;
}

function heading(text) {
  const size = text.length > LONG ? { class: "long" } : {};
  return element("h2", { tabindex: "-1", dir: "auto", ...size }, [text]);
}

function closeButton(close) {
  return button({ class: "close", "aria-label": "Close" }, ["×"], close);
}

/** What the panel says of a concept. */
function conceptCard(concept, { palette, vault, choose, open, openEdge, close, grouped }) {
  const facts = element("div", { class: "facts quiet" }, [
    element("p", {}, [counted(concept.notes, "note", "notes")]),
  ]);
  if (grouped) facts.append(communityLine(concept.community, palette, open));
  const parts = [closeButton(close), heading(concept.shown), facts];
  const address = addressOf(vault, concept.file);
  if (address) parts.push(element("a", { class: "open", href: address }, ["Open in Obsidian"]));
  const nearest = concept.edges.slice(0, NEIGHBOURS_MAX);
  if (nearest.length) {
    const most = nearest[0].strength || 1;
    const rows = nearest.map((edge) =>
      neighbourRow(edge, otherEnd(edge, concept), edge.strength / most, { palette, choose, openEdge }),
    );
    const more = concept.edges.length - nearest.length;
    parts.push(element("h3", {}, ["Goes with"]), element("ul", {}, rows));
    if (more > 0) parts.push(element("p", { class: "quiet" }, [`and ${more} more`]));
  }
  return [...parts, ...noteList(concept.listed, concept.notes, vault)];
}

/** What the panel says of an edge: its two concepts and the notes that both are in. */
function edgeCard(edge, { palette, vault, choose, close }) {
  const ends = [edge.source, edge.target];
  const facts = element("p", { class: "quiet" }, [`Together in ${counted(edge.count, "note", "notes")}`]);
  const rows = ends.map((concept) => memberRow(concept, palette, choose));
  const title = heading(ends.map((concept) => `\u2068${concept.shown}\u2069`).join(" and "));
  return [closeButton(close), title, facts, element("ul", {}, rows), ...noteList(notesOfEdge(edge), edge.count, vault)];
}

/** Links to the notes that the page lists, the newest first; some of `count`. */
function noteList(notes, count, vault) {
  if (!count) return [];
  const shown = notes.filter((note) => !note.hidden).slice(0, NOTES_SHOWN);
  const rows = shown.map((note) => noteRow(note, vault));
  const parts = [element("h3", {}, ["Newest notes"]), element("ul", { class: "notes" }, rows)];
  const more = count - shown.length;
  if (more > 0) parts.push(element("p", { class: "quiet" }, [`${shown.length ? "and " : ""}${counted(more, "other", "others")} not listed`]));
  return parts;
}

function noteRow(note, vault) {
  const address = addressOf(vault, note.path);
  const inside = [nameOf(stemOf(note), "clip"), element("span", { class: "count" }, [note.day])];
  const row = address
    ? element("a", { class: "row", href: address, title: note.path }, inside)
    : element("span", { class: "row", title: note.path }, inside);
  return element("li", {}, [row]);
}

function communityLine(community, palette, open) {
  if (!community) return element("p", {}, [labelOf(null)]);
  const line = button({ class: "row" }, [swatch(hueOf(palette, community)), nameOf(community.label)], () =>
    open(community),
  );
  return element("div", {}, [line]);
}

function neighbourRow(edge, other, share, { palette, choose, openEdge }) {
  const bar = element("span", { class: "bar", "aria-hidden": "true" }, [element("span")]);
  bar.firstChild.style.width = `${Math.max(4, Math.round(100 * share))}%`;
  const parts = [swatch(hueOf(palette, other.community)), nameOf(other.shown, "clip"), bar];
  const label = `${counted(edge.count, "note", "notes")} shared with ${other.shown}`;
  const shared = button({ class: "shared count", "aria-label": label, title: label }, [String(edge.count)], () =>
    openEdge(edge),
  );
  return element("li", { class: "pair" }, [button({ class: "row" }, parts, () => choose(other)), shared]);
}

/** What the panel says of a community: its concepts, a few at a time. */
function communityCard(community, { palette, choose, close }) {
  const list = element("ul");
  const more = button({ class: "open" }, [], () => addMembers());
  const addMembers = () => {
    const from = list.children.length;
    const next = community.members.slice(from, from + MEMBERS_STEP);
    list.append(...next.map((concept) => memberRow(concept, palette, choose)));
    const left = community.members.length - list.children.length;
    more.hidden = left === 0;
    more.textContent = `Show ${Math.min(left, MEMBERS_STEP)} more`;
    if (from) list.children[from].firstChild.focus();
  };
  addMembers();
  const size = element("p", { class: "quiet" }, [counted(community.members.length, "concept", "concepts")]);
  return [closeButton(close), heading(labelOf(community)), size, list, more];
}

function memberRow(concept, palette, choose) {
  const parts = [
    swatch(hueOf(palette, concept.community)),
    nameOf(concept.shown, "clip"),
    element("span", { class: "count" }, [String(concept.notes)]),
  ];
  return element("li", {}, [button({ class: "row" }, parts, () => choose(concept))]);
}

function labelOf(community) {
  return community?.label || "In no community";
}

/** The legend: a button for each community, the largest first; return the buttons. */
function fillLegend(graph, palette, open) {
  const shown = [...graph.communities];
  if (graph.alone.members.length) shown.push(graph.alone);
  const legend = shown.map((community) => {
    const parts = [
      swatch(hueOf(palette, community)),
      nameOf(labelOf(community), "clip"),
      element("span", { class: "count" }, [String(community.members.length)]),
    ];
    const row = button({ class: "row" }, parts, () => open(community));
    return { row, community };
  });
  const items = legend.map(({ row }) => element("li", {}, [row]));
  document.getElementById("communities").replaceChildren(...items);
  return legend;
}
