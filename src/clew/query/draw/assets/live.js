/**
 * A live page: its address ends in its version, and `/version` names the newest. When there is a
 * newer one the page goes there, and shows what it showed: places, view, panel, filters and colours.
 */
const ASK_MS = 1500;
const KEPT = "clew map"; // the key in the storage of this tab
const CONTROLS = ["since", "until", "folder", "tag", "weight", "orphans"];

const ownVersion = location.pathname.split("/").pop();

async function follow() {
  try {
    const reply = await fetch("/version", { cache: "no-store" });
    if (!reply.ok) throw new Error(await reply.text());
    const newest = await reply.text();
    tellLive("");
    const searching = part("query").value !== "";
    if (newest !== ownVersion && !searching) return goTo(newest);
  } catch {
    tellLive("No longer live: `clew map --live` or its daemon does not answer.");
  }
  setTimeout(follow, ASK_MS);
}

function tellLive(text) {
  const line = part("live") ?? element("p", { id: "live", class: "quiet", role: "status" });
  if (!line.isConnected) part("counts").after(line);
  if (line.textContent !== text) line.textContent = text;
  line.hidden = text === "";
}

function goTo(version) {
  sessionStorage.setItem(KEPT, JSON.stringify(whatIsShown()));
  location.replace(`/map/${version}`);
}

function whatIsShown() {
  const { shown } = state;
  const panel = !shown ? null : shown.edges ? [shown.name] : shown.source ? [shown.source.name, shown.target.name] : null;
  return {
    places: graph.concepts.map(({ name, x, y }) => [name, x, y]),
    view: camera.touched ? camera.view : null,
    panel,
    community: shown?.members ? shown.label : null,
    filters: CONTROLS.map((id) => (id === "orphans" ? part(id).checked : part(id).value)),
    open: ["filters", "legend"].map((id) => part(id).open),
    theme: document.documentElement.dataset.theme,
    focus: document.activeElement?.id || null,
  };
}

function showAgain(kept) {
  if (kept.theme !== document.documentElement.dataset.theme) part("theme").click();
  if (kept.places.length) placeAgain(new Map(kept.places.map(([name, x, y]) => [name, { x, y }])));
  ["filters", "legend"].forEach((id, at) => (part(id).open = kept.open[at]));
  filterAgain(kept.filters);
  if (kept.view) {
    camera.touched = true;
    camera.jump(kept.view);
  }
  const thing = thingAgain(kept);
  if (thing) show(thing, { takeFocus: false });
  else close();
  if (kept.focus) part(kept.focus)?.focus({ preventScroll: true });
}

/** Concepts stand where they stood; new ones beside their neighbours; little then moves. */
function placeAgain(places) {
  const newcomers = graph.concepts.filter(({ name }) => !places.has(name));
  for (const concept of graph.concepts) Object.assign(concept, { vx: 0, vy: 0 }, places.get(concept.name));
  for (const [index, concept] of newcomers.entries()) {
    const known = neighboursOf(concept).filter(({ name }) => places.has(name));
    if (!known.length) continue;
    concept.x = mean(known, "x") + concept.radius * Math.cos(index * TURN);
    concept.y = mean(known, "y") + concept.radius * Math.sin(index * TURN);
  }
  for (const { members } of graph.communities) {
    const home = { x: mean(members, "x"), y: mean(members, "y") };
    for (const concept of members) if (concept.home) concept.home = home;
  }
  state.simulation.nodes(graph.concepts).alpha(newcomers.length ? 0.1 : ALPHA_END / 2);
  state.settling = true;
  if (calm.matches) settleUnseen();
  redraw();
}

function filterAgain(values) {
  CONTROLS.forEach((id, at) => {
    if (id === "orphans") part(id).checked = values[at];
    else part(id).value = values[at];
    if (part(id).value === "" && values[at] !== "" && part(id).tagName === "SELECT") part(id).selectedIndex = 0;
  });
  part("weight").dispatchEvent(new Event("input"));
}

function thingAgain({ panel, community }) {
  if (community !== null) return graph.communities.find(({ label }) => label === community);
  const [concept, other] = (panel ?? []).map((name) => graph.concepts.find((one) => one.name === name));
  if (!concept || panel.length === 1) return concept;
  return other && concept.edges.find((edge) => otherEnd(edge, concept) === other);
}

const kept = sessionStorage.getItem(KEPT);
sessionStorage.removeItem(KEPT);
if (kept && graph.concepts.length) showAgain(JSON.parse(kept));
follow();
