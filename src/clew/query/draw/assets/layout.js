/**
 * Where concepts stand. Communities begin as discs, side by side, the best-known concept in the
 * middle of each, so the first frame can be read; forces then settle the rest. No chance is in
 * it: the same page settles in the same places.
 */
const TURN = Math.PI * (3 - Math.sqrt(5)); // the angle at which a sunflower sets its seeds
const ALPHA_END = 0.012;
const NAME_ROOM = 26; // around the best-known concept of a community, so that it can have a name
const NAMED_MIN = 6; // concepts of a community that gets such room
const FIRST_LOOK_MS = 120; // time given to settling before anything is shown

/** Give every concept a place, and return the simulation that will improve it. */
function layOut(graph) {
  const groups = groupsOf(graph);
  const ties = placeGroups(groups, graph.edges);
  if (graph.communities.length) colourGroups(groups, ties);
  for (const group of groups) fillDisc(group);
  placeLoose(graph, groups);
  return simulate(graph, groups);
}

/** A disc for each community; where there are none, one for all concepts. */
function groupsOf(graph) {
  const sets = graph.communities.length ? graph.communities : [graph.alone];
  return sets
    .filter(({ members }) => members.length)
    .map((community) => ({ community, members: community.members, radius: discRadius(community.members) }));
}

function discRadius(members) {
  const area = members.reduce((sum, concept) => sum + (concept.radius + 7) ** 2, 0);
  return Math.sqrt(area * 1.5) + 10;
}

/** Stand discs beside those they share edges with; return how much each two share. */
function placeGroups(groups, edges) {
  const groupOf = new Map();
  groups.forEach((group, index) => {
    group.index = index;
    group.x = Math.sqrt(index) * 90 * Math.cos(index * TURN);
    group.y = Math.sqrt(index) * 90 * Math.sin(index * TURN);
    for (const concept of group.members) groupOf.set(concept, group);
  });
  const ties = new Map();
  for (const { source, target, strength } of edges) {
    const [a, b] = [groupOf.get(source), groupOf.get(target)];
    if (!a || !b || a === b) continue;
    const [low, high] = a.index < b.index ? [a, b] : [b, a];
    const key = low.index * groups.length + high.index;
    const tie = ties.get(key) ?? { source: low, target: high, weight: 0 };
    tie.weight += strength;
    ties.set(key, tie);
  }
  const most = Math.max(1e-9, ...[...ties.values()].map((tie) => tie.weight));
  const pull = d3
    .forceLink([...ties.values()])
    .distance((tie) => tie.source.radius + tie.target.radius + 30)
    .strength((tie) => (0.4 * tie.weight) / most);
  d3.forceSimulation(groups)
    .force("ties", pull)
    .force("apart", d3.forceCollide((group) => group.radius + 16).iterations(3))
    .force("x", d3.forceX(0).strength(0.05))
    .force("y", d3.forceY(0).strength(0.08))
    .stop()
    .tick(200);
  return [...ties.values()];
}

function fillDisc({ members, x, y, radius }) {
  members.forEach((concept, index) => {
    const far = radius * Math.sqrt((index + 0.5) / members.length);
    concept.x = x + far * Math.cos(index * TURN);
    concept.y = y + far * Math.sin(index * TURN);
    concept.home = { x, y };
  });
}

/** Concepts of no community begin amid their neighbours, or around everything. */
function placeLoose(graph, groups) {
  const edge = Math.max(60, ...groups.map((group) => Math.hypot(group.x, group.y) + group.radius));
  for (const [index, concept] of graph.alone.members.entries()) {
    if (concept.home) continue;
    const placed = concept.edges.map((e) => otherEnd(e, concept)).filter((c) => c.home);
    const far = placed.length ? 12 + (index % 7) * 4 : edge + 30 + (index % 5) * 12;
    concept.x = mean(placed, "x") + far * Math.cos(index * TURN);
    concept.y = mean(placed, "y") + far * Math.sin(index * TURN);
  }
}

function mean(concepts, axis) {
  return concepts.reduce((sum, concept) => sum + concept[axis], 0) / (concepts.length || 1);
}

function simulate(graph, groups) {
  const together = (edge) => edge.source.community === edge.target.community;
  const links = d3
    .forceLink(graph.edges)
    .distance((e) => e.source.radius + e.target.radius + (together(e) ? 26 : 70))
    .strength((e) => {
      const share = 1 / Math.min(e.source.edges.length, e.target.edges.length);
      return share * (together(e) ? 0.4 + 0.4 * e.strength : 0.04);
    });
  const known = new Set(groups.filter(({ members }) => members.length >= NAMED_MIN).map(({ members }) => members[0]));
  const home = groups.length > 1 ? 0.11 : 0.04;
  const towards = (axis) => (concept) => concept.home?.[axis] ?? 0;
  const pull = (concept) => (concept.home ? home : 0.03);
  return d3
    .forceSimulation(graph.concepts)
    .force("links", links)
    .force("apart", d3.forceManyBody().strength((c) => -26 - 5 * c.radius).distanceMax(220).theta(1))
    .force("touch", d3.forceCollide((concept) => concept.radius + (known.has(concept) ? NAME_ROOM : 3)).strength(0.6))
    .force("x", d3.forceX(towards("x")).strength(pull))
    .force("y", d3.forceY(towards("y")).strength(pull))
    .alpha(groups.length > 1 ? 0.5 : 1)
    .alphaMin(ALPHA_END)
    .alphaDecay(0.028)
    .stop();
}

/** Settle for at most `budgetMs`, but by one step at least; return whether all is settled. */
function settle(simulation, budgetMs) {
  const end = performance.now() + budgetMs;
  do {
    if (simulation.alpha() < simulation.alphaMin()) return true;
    simulation.tick();
  } while (performance.now() < end);
  return simulation.alpha() < simulation.alphaMin();
}
