/** The page at work: what is chosen, what is lit, and one loop that draws only when it must. */
const SETTLE_MS = 6; // of each frame while the layout settles
const REST_MS = 140; // after the last move everything is drawn whole
const PAN_STEP = 60; // pixels an arrow key moves the map
const ZOOM_STEP = 1.4;
const SCALE_OF_FOCUS = 0.6; // at least, when a concept is brought in sight
const SCALE_OF_WHOLE = 1.6; // at most, when all is shown
const RATIO_MAX = 2; // pixels of the canvas to one of the page
const NARROW = matchMedia("(max-width: 760px)");

const part = (id) => document.getElementById(id);
const graph = readGraph();
const canvas = part("map");
const ctx = canvas.getContext("2d", { alpha: false });
const pace = new Pace();
const camera = new Camera(canvas, redraw);

const scene = {
  graph,
  camera,
  palette: PALETTES.light,
  sheaves: [], // of edges, once communities have colours
  ranked: byImportance(graph.concepts),
  ratio: 1,
  chosen: null, // the concept whose edges stand out
  litEdges: [], // the edges that stand out
  lit: null, // the concepts that do not stand back; null is all
  edgesMax: graph.edges.length,
  covered: [], // boxes of the canvas that cards lie on
};
const state = {
  shown: null, // the concept, edge or community in the panel
  hovered: null,
  simulation: null,
  settling: false,
  skipped: false, // whether the frame before this one left the layout alone
  cameFrom: null, // what had the keyboard before the panel
  movedAt: 0,
  asked: false, // whether a frame is on its way
};

function redraw() {
  state.movedAt = performance.now();
  askForFrame();
}

function askForFrame() {
  if (state.asked) return;
  state.asked = true;
  requestAnimationFrame(frame);
}

function frame(now) {
  state.asked = false;
  pace.begin(now);
  const gliding = camera.step(now);
  const settling = state.settling && settleOn();
  const moving = gliding || settling || now - state.movedAt < REST_MS;
  scene.edgesMax = pace.edges(graph.edges.length, moving);
  scene.covered = cards(); // three boxes, which cost nothing while the page's layout is as it was
  drawFrame(ctx, scene);
  pace.end(now, moving);
  if (moving) askForFrame();
}

// What settles the layout: in slices between frames, or unseen where motion is not wanted.

function beginSettling() {
  tellSettled(settle(state.simulation, FIRST_LOOK_MS));
  if (state.settling && calm.matches) settleUnseen();
}

function settleOn() {
  if (calm.matches) return false;
  state.skipped = pace.isBehind() && !state.skipped;
  if (state.skipped) return true;
  tellSettled(settle(state.simulation, SETTLE_MS));
  fitUntouched();
  return state.settling;
}

function settleUnseen() {
  tellSettled(settle(state.simulation, SETTLE_MS));
  if (state.settling) {
    setTimeout(settleUnseen);
  } else {
    fitUntouched();
    redraw();
  }
}

function tellSettled(settled) {
  state.settling = !settled;
  document.documentElement.dataset.layout = settled ? "settled" : "settling";
}

// What is seen.

/** The boxes of the canvas that cards lie on. */
function cards() {
  const shown = ["side", "panel", "tools"].map(part).filter((card) => !card.hidden);
  return shown.map((card) => card.getBoundingClientRect());
}

/** The part of the canvas that nothing covers, less a margin. */
function freePart() {
  const side = part(NARROW.matches ? "what" : "side").getBoundingClientRect();
  const panel = part("panel").hidden ? null : part("panel").getBoundingClientRect();
  const margin = NARROW.matches ? 26 : 44; // for the names below and beside what is outermost
  const left = (NARROW.matches ? 0 : side.right) + margin;
  const top = (NARROW.matches ? side.bottom : 0) + margin;
  const right = (panel && !NARROW.matches ? panel.left : camera.width) - margin;
  const bottom = (panel && NARROW.matches ? panel.top : camera.height) - margin;
  return { left, top, width: Math.max(80, right - left), height: Math.max(80, bottom - top) };
}

function viewOfWhole() {
  const shown = graph.concepts.filter((concept) => !concept.hidden);
  return camera.viewOf(shown.length ? shown : graph.concepts, freePart(), SCALE_OF_WHOLE);
}

function fitUntouched() {
  if (!camera.touched) camera.jump(viewOfWhole());
}

function showWhole() {
  camera.glideTo(viewOfWhole());
}

/** Show a concept and what goes with it most; where these are too far apart, the concept alone. */
function bringInSight(concept) {
  camera.touched = true;
  const free = freePart();
  const nearest = neighboursOf(concept).slice(0, NEIGHBOURS_MAX);
  const around = camera.viewOf([concept, ...nearest], free, SCALE_OF_WHOLE);
  const alone = camera.centred(concept.x, concept.y, SCALE_OF_FOCUS, free);
  camera.glideTo(around.k < SCALE_OF_FOCUS ? alone : around);
}

function zoomBy(factor) {
  const free = freePart();
  const middle = [free.left + free.width / 2, free.top + free.height / 2];
  camera.zoom(factor, ...middle, camera.glideTo);
}

function resize() {
  scene.ratio = Math.min(RATIO_MAX, devicePixelRatio || 1);
  canvas.width = Math.round(camera.width * scene.ratio);
  canvas.height = Math.round(camera.height * scene.ratio);
  fitUntouched();
  redraw();
}

// What is lit.

function light() {
  const concept = state.hovered ?? (state.shown?.edges ? state.shown : null);
  const edge = !concept && state.shown?.source ? state.shown : null;
  scene.chosen = concept;
  scene.litEdges = edge ? [edge] : (concept?.edges ?? []);
  if (concept) scene.lit = new Set([concept, ...neighboursOf(concept)]);
  else if (edge) scene.lit = new Set([edge.source, edge.target]);
  else scene.lit = state.shown ? new Set(state.shown.members) : null;
  redraw();
}

function conceptAt({ x, y }) {
  let [best, least] = [null, Infinity];
  for (const concept of graph.concepts) {
    if (concept.hidden) continue;
    const off = Math.hypot(concept.sx - x, concept.sy - y) - concept.sr;
    if (off < 5 && off < least) [best, least] = [concept, off];
  }
  return best;
}

/** The drawn edge that passes nearest to a place, if one is as good as under it. */
function edgeAt({ x, y }) {
  let [best, least] = [null, 4];
  for (const edge of graph.edges) {
    const { sx, sy } = edge.source;
    const [dx, dy] = [edge.target.sx - sx, edge.target.sy - sy];
    const along = between(0, ((x - sx) * dx + (y - sy) * dy) / (dx * dx + dy * dy || 1), 1);
    const off = Math.hypot(sx + along * dx - x, sy + along * dy - y);
    if (!edge.hidden && off < least) [best, least] = [edge, off];
  }
  return best;
}

function nearestMiddle() {
  const free = freePart();
  const { x, y } = camera.toMap(free.left + free.width / 2, free.top + free.height / 2);
  const far = (concept) => Math.hypot(concept.x - x, concept.y - y);
  const shown = graph.concepts.filter((concept) => !concept.hidden);
  return (shown.length ? shown : graph.concepts).reduce((best, concept) => (far(concept) < far(best) ? concept : best));
}

function hover(place) {
  const concept = place ? conceptAt(place) : null;
  if (concept === state.hovered) return;
  state.hovered = concept;
  canvas.classList.toggle("over", concept !== null);
  light();
}

// What the panel shows.

function show(thing, { takeFocus }) {
  if (!state.cameFrom) state.cameFrom = document.activeElement;
  state.shown = thing;
  state.hovered = null;
  fillPanel();
  if (takeFocus) part("panel").querySelector("h2").focus({ preventScroll: true });
  light();
}

function fillPanel() {
  const panel = part("panel");
  const grouped = graph.communities.length > 0;
  const actions = { palette: scene.palette, vault: graph.vault, choose, open: openCommunity, openEdge, close, grouped };
  const card = state.shown.edges ? conceptCard : state.shown.source ? edgeCard : communityCard;
  panel.replaceChildren(...card(state.shown, actions));
  panel.hidden = false;
  panel.scrollTop = 0;
  document.body.classList.add("opened");
  pressLegend();
}

/** Choose a concept by keyboard, search or list: the panel takes the keyboard. */
function choose(concept) {
  if (concept.hidden) state.clearFilters();
  show(concept, { takeFocus: true });
  bringInSight(concept);
  say(concept);
}

function openEdge(edge) {
  show(edge, { takeFocus: true });
  sayEdge(edge);
}

function openCommunity(community) {
  if (state.shown === community) return close();
  show(community, { takeFocus: false });
  camera.touched = true;
  camera.glideTo(camera.viewOf(community.members, freePart(), SCALE_OF_WHOLE));
  part("said").textContent = `${labelOf(community)}: ${counted(community.members.length, "concept", "concepts")}`;
}

function close() {
  if (!state.shown) return;
  const panel = part("panel");
  const held = panel.contains(document.activeElement);
  state.shown = null;
  panel.hidden = true;
  panel.replaceChildren();
  document.body.classList.remove("opened");
  const back = state.cameFrom?.isConnected && state.cameFrom !== document.body ? state.cameFrom : canvas;
  if (held) back.focus();
  state.cameFrom = null;
  part("said").textContent = "Closed";
  pressLegend();
  light();
}

function say(concept) {
  const around = counted(concept.edges.length, "neighbour", "neighbours");
  const notes = counted(concept.notes, "note", "notes");
  const group = graph.communities.length ? ` ${labelOf(concept.community)}.` : "";
  part("said").textContent = `${concept.shown}: ${notes}, ${around}.${group}`;
}

function sayEdge({ source, target, count }) {
  part("said").textContent = `${source.shown} and ${target.shown}: together in ${counted(count, "note", "notes")}.`;
}

function clicked(place) {
  const concept = conceptAt(place);
  const edge = concept ? null : edgeAt(place);
  if (edge) {
    show(edge, { takeFocus: false });
    return sayEdge(edge);
  }
  if (!concept) return close();
  show(concept, { takeFocus: false });
  say(concept);
  if (NARROW.matches) bringInSight(concept);
}

function pressLegend() {
  for (const { row, community } of state.legend) {
    row.setAttribute("aria-pressed", String(community === state.shown));
  }
}

function followKeys() {
  const keys = {
    "/": () => part("query").focus(),
    "+": () => zoomBy(ZOOM_STEP),
    "=": () => zoomBy(ZOOM_STEP),
    "-": () => zoomBy(1 / ZOOM_STEP),
    0: showWhole,
    Escape: close,
  };
  const onMap = {
    ArrowLeft: () => camera.pan(PAN_STEP, 0),
    ArrowRight: () => camera.pan(-PAN_STEP, 0),
    ArrowUp: () => camera.pan(0, PAN_STEP),
    ArrowDown: () => camera.pan(0, -PAN_STEP),
    Enter: () => choose(nearestMiddle()),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const map = event.target === canvas || event.target === document.body;
    const act = keys[event.key] ?? (map ? onMap[event.key] : undefined);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function repaint(palette) {
  scene.palette = palette;
  state.legend = fillLegend(graph, palette, openCommunity);
  pressLegend();
  if (state.shown) fillPanel();
  redraw();
}

/** How much of what there is the page holds; and of that, how much the filters show. */
function whatIsDrawn(shown) {
  const { totals, concepts, edges, notes } = graph;
  const some = (part, all, one, many) => {
    const whole = counted(all, one, many);
    return part < all ? `${part.toLocaleString("en")} of ${whole}` : whole;
  };
  if (shown) {
    const [a, b] = [some(shown.concepts, concepts.length, "concept", "concepts"), some(shown.edges, edges.length, "connection", "connections")];
    return `Shown: ${a}, ${b}`;
  }
  const parts = [
    some(concepts.length, totals.concepts, "concept", "concepts"),
    some(edges.length, totals.edges, "connection", "connections"),
  ];
  if (notes.length < totals.notes) parts.push(some(notes.length, totals.notes, "note", "notes"));
  return parts.join(", ");
}

function filtered(shown) {
  const isWhole = shown.concepts === graph.concepts.length && shown.edges === graph.edges.length;
  part("left").textContent = part("said").textContent = whatIsDrawn(shown);
  part("clear").hidden = isWhole;
  if (state.shown) fillPanel();
  fitUntouched();
  light();
}

function showEmpty() {
  for (const id of ["map", "search", "legend", "filters", "counts", "closer", "further", "whole"]) part(id).hidden = true;
  part("empty").hidden = false;
}

function begin() {
  document.title = graph.title;
  part("title").textContent = graph.title;
  if (graph.concepts.length) {
    state.simulation = layOut(graph);
    scene.sheaves = sheaves(graph.edges);
  }
  followTheme(part("theme"), repaint);
  if (!graph.concepts.length) return showEmpty();
  const concepts = counted(graph.concepts.length, "concept", "concepts");
  const edges = counted(graph.edges.length, "connection", "connections");
  part("counts").textContent = whatIsDrawn();
  canvas.setAttribute("aria-label", `Map of ${concepts} and ${edges}`);
  if (!graph.communities.length) part("what").textContent = "Concepts";
  part("legend").open = !NARROW.matches;
  part("closer").addEventListener("click", () => zoomBy(ZOOM_STEP));
  part("further").addEventListener("click", () => zoomBy(1 / ZOOM_STEP));
  part("whole").addEventListener("click", showWhole);
  followPointers(canvas, camera, { clicked, hovered: hover });
  state.clearFilters = followFilters(graph, filtered);
  followSearch(scene.ranked, () => scene.palette, { chosen: choose, cleared: close });
  followKeys();
  beginSettling();
  new ResizeObserver(resize).observe(canvas);
  if (graph.focus) show(graph.focus, { takeFocus: false });
}

begin();
