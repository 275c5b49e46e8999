/**
 * Which communities share a hue: those far apart on the map that have little to do with each other.
 * There are fewer hues than communities, so the largest choose first.
 */
const NEAR = 40; // units of the map between two discs, at which they count half as much

/** Give each community a slot of the palette. `groups`: their discs; `ties`: weights between them. */
function colourGroups(groups, ties) {
  const most = Math.max(1e-9, ...ties.map((tie) => tie.weight));
  const tied = new Map(ties.map((tie) => [`${tie.source.index} ${tie.target.index}`, tie.weight / most]));
  const clash = (a, b) => {
    const [low, high] = a.index < b.index ? [a, b] : [b, a];
    return nearness(a, b) + (tied.get(`${low.index} ${high.index}`) ?? 0);
  };
  const bySlot = Array.from({ length: HUES }, () => []);
  for (const group of groups) {
    const costs = bySlot.map((others) => others.reduce((sum, other) => sum + clash(group, other), 0));
    const slot = costs.indexOf(Math.min(...costs));
    bySlot[slot].push(group);
    group.community.slot = slot;
  }
}

/** 1 for discs that touch, falling to 0 with the square of what is between them. */
function nearness(a, b) {
  const gap = Math.max(0, Math.hypot(a.x - b.x, a.y - b.y) - a.radius - b.radius);
  return 1 / (1 + (gap / NEAR) ** 2);
}
