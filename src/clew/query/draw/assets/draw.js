/** One frame: edges, then concepts, then labels; what is not lit stands back. */
const WIDTHS = [0.7, 1, 1.8, 3.2]; // pixels, by strength
const OPACITIES = [0.1, 0.17, 0.26, 0.38]; // by freshness
const SPARSE = 3; // edges to a concept; where there are fewer each is drawn stronger, else fainter
const BRIDGE = 0.55; // of the opacity, between communities
const FAINT = 0.13; // of what is not lit
const DOT_MIN = 1.6; // pixels

/** Sort edges by how they are painted, so that a frame has few strokes. */
function sheaves(edges) {
  const found = new Map();
  for (const edge of edges) {
    const inside = edge.source.community === edge.target.community;
    const slot = inside && edge.source.community ? edge.source.community.slot : -1;
    const width = Math.min(3, Math.floor(edge.strength * 4));
    const opacity = Math.min(3, Math.floor(edge.freshness * 4));
    const key = ((slot + 1) * 2 + inside) * 16 + width * 4 + opacity;
    const share = slot < 0 && !inside ? BRIDGE : 1;
    if (!found.has(key)) found.set(key, { slot, width, opacity, share, edges: [] });
    found.get(key).edges.push(edge);
  }
  return [...found.values()].sort((a, b) => a.width - b.width || a.opacity - b.opacity);
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {object} scene  what is to be seen: camera, palette, graph, sheaves, lit, chosen, edgesMax
 */
function drawFrame(ctx, scene) {
  const { camera, palette, lit } = scene;
  const ratio = scene.ratio;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.globalAlpha = 1;
  ctx.fillStyle = palette.ground;
  ctx.fillRect(0, 0, camera.width, camera.height);
  const seen = project(scene);
  drawEdges(ctx, scene, clearness(scene.graph) * (lit ? 0.3 : 1));
  if (lit) drawLitEdges(ctx, scene);
  drawDots(ctx, scene, seen);
  drawLabels(ctx, scene, seen);
}

/** How strongly edges are drawn, so that a dense graph does not turn grey all over. */
function clearness({ concepts, edges }) {
  const density = Math.max(1, edges.length) / concepts.length;
  return Math.min(2, Math.max(0.55, Math.sqrt(SPARSE / density)));
}

/** Put every concept's place on the screen (sx, sy, sr), and return those in sight. */
function project({ camera, graph }) {
  const { x, y, k } = camera.view;
  const [width, height] = [camera.width, camera.height];
  const seen = [];
  for (const concept of graph.concepts) {
    concept.sx = (concept.x - x) * k + width / 2;
    concept.sy = (concept.y - y) * k + height / 2;
    const radius = (concept.sr = Math.max(DOT_MIN, concept.radius * k));
    concept.seen =
      !concept.hidden &&
      concept.sx > -radius && concept.sx < width + radius &&
      concept.sy > -radius && concept.sy < height + radius;
    if (concept.seen) seen.push(concept);
  }
  return seen;
}

function drawEdges(ctx, scene, share) {
  const { palette, camera, edgesMax } = scene;
  const swell = Math.min(2.2, Math.max(0.75, Math.sqrt(camera.view.k)));
  for (const { slot, width, opacity, share: own, edges } of scene.sheaves) {
    ctx.strokeStyle = slot < 0 ? palette.edge : palette.hues[slot];
    ctx.globalAlpha = OPACITIES[opacity] * own * share;
    ctx.lineWidth = WIDTHS[width] * (width > 1 ? swell : 1);
    ctx.beginPath();
    for (const edge of edges) {
      if (edge.rank >= edgesMax) break;
      if (edge.hidden || !mayBeSeen(edge, camera)) continue;
      ctx.moveTo(edge.source.sx, edge.source.sy);
      ctx.lineTo(edge.target.sx, edge.target.sy);
    }
    ctx.stroke();
  }
}

function mayBeSeen({ source, target }, { width, height }) {
  if (source.seen || target.seen) return true;
  return !(
    (source.sx < 0 && target.sx < 0) || (source.sx > width && target.sx > width) ||
    (source.sy < 0 && target.sy < 0) || (source.sy > height && target.sy > height)
  );
}

/** The edges of the concept in focus, or the edge in focus, above all others. */
function drawLitEdges(ctx, { palette, litEdges, camera }) {
  const swell = Math.min(2, Math.max(0.9, Math.sqrt(camera.view.k)));
  for (const edge of litEdges) {
    if (edge.hidden) continue;
    ctx.strokeStyle = hueOf(palette, edge.source.community);
    ctx.globalAlpha = 0.35 + 0.5 * edge.freshness;
    ctx.lineWidth = (0.8 + 3 * edge.strength) * swell;
    ctx.beginPath();
    ctx.moveTo(edge.source.sx, edge.source.sy);
    ctx.lineTo(edge.target.sx, edge.target.sy);
    ctx.stroke();
  }
}

function drawDots(ctx, scene, seen) {
  const { lit, chosen, palette } = scene;
  if (lit) {
    fillDots(ctx, palette, seen.filter((concept) => !lit.has(concept)), FAINT);
    fillDots(ctx, palette, seen.filter((concept) => lit.has(concept)), 1);
  } else {
    fillDots(ctx, palette, seen, 1);
  }
  if (chosen) drawRing(ctx, chosen, palette);
}

function fillDots(ctx, palette, concepts, opacity) {
  const heaps = new Map();
  for (const concept of concepts) {
    const hue = hueOf(palette, concept.community);
    if (!heaps.has(hue)) heaps.set(hue, []);
    heaps.get(hue).push(concept);
  }
  ctx.strokeStyle = palette.ground;
  ctx.lineWidth = 1;
  for (const [hue, heap] of heaps) {
    ctx.fillStyle = hue;
    ctx.globalAlpha = opacity;
    ctx.beginPath();
    for (const { sx, sy, sr } of heap) {
      ctx.moveTo(sx + sr, sy);
      ctx.arc(sx, sy, sr, 0, 2 * Math.PI);
    }
    ctx.fill();
    if (opacity === 1) ctx.stroke();
  }
}

function drawRing(ctx, { sx, sy, sr }, palette) {
  ctx.globalAlpha = 1;
  ctx.strokeStyle = palette.ink;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.arc(sx, sy, sr + 3, 0, 2 * Math.PI);
  ctx.stroke();
}
