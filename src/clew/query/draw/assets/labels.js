/**
 * Names on the map: the most important first, as many as there is room for, none over another
 * or over a circle, below a card or across the edge. A name is painted once and then kept as a picture, since painting text is what costs a frame.
 */
const LABEL_LENGTH_MAX = 32; // characters; the panel has the whole name
const LABEL_WIDTH_MAX = 360; // pixels
const LABEL_ROOM = 11_000; // square pixels of canvas for each label
const SPRITES_MAX = 600;
const SQUARE = 32; // pixels
const TRIED_SHARE = 4; // names that are tried for each that could be drawn
const PERSISTENT = 40; // names, the most important, for which more places are tried
const CIRCLE_MIN = 4; // pixels of radius; names may lie on smaller dots, else the best known had none
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';

const sprites = new Map();
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Shorten a name between whole characters, and isolate its direction from what stands around. */
function labelText(shown) {
  const line = shown.replace(/\s+/gu, " ").trim();
  let text = line;
  if (line.length > LABEL_LENGTH_MAX) {
    const parts = [...graphemes.segment(line.slice(0, 400))].map((part) => part.segment);
    if (parts.length > LABEL_LENGTH_MAX) text = parts.slice(0, LABEL_LENGTH_MAX - 1).join("").trimEnd() + "…";
    text = text.slice(0, 120);
  }
  return `\u2068${text}\u2069`;
}

function labelSize(concept) {
  return concept.radius > 14 ? 15 : concept.radius > 9 ? 13 : 12;
}

function spriteOf(concept, palette, ratio) {
  const key = `${ratio} ${palette.ink} ${concept.index}`;
  const known = sprites.get(key);
  if (known) return known;
  if (sprites.size >= SPRITES_MAX) sprites.clear();
  const sprite = paintLabel(concept.label, palette, ratio);
  sprites.set(key, sprite);
  return sprite;
}

function fontOf(size) {
  return `${size > 13 ? 600 : 500} ${size}px ${FONT}`;
}

/** The size of a label, in pixels of the page; measured once. */
function measured(ctx, concept) {
  if (!concept.label) {
    const size = labelSize(concept);
    const text = labelText(concept.shown);
    ctx.font = fontOf(size);
    const width = Math.min(LABEL_WIDTH_MAX, Math.ceil(ctx.measureText(text).width) + 8);
    concept.label = { text, size, width, height: size + 10 };
  }
  return concept.label;
}

function paintLabel({ text, size, width, height }, palette, ratio) {
  const canvas = document.createElement("canvas");
  const ctx = canvas.getContext("2d");
  canvas.width = Math.ceil(width * ratio);
  canvas.height = Math.ceil(height * ratio);
  ctx.scale(ratio, ratio);
  ctx.font = fontOf(size);
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.lineJoin = "round";
  ctx.lineWidth = 3.5;
  ctx.strokeStyle = palette.ground;
  ctx.globalAlpha = 0.9;
  ctx.strokeText(text, width / 2, height / 2);
  ctx.globalAlpha = 1;
  ctx.fillStyle = palette.ink;
  ctx.fillText(text, width / 2, height / 2);
  return canvas;
}

/** Order in which concepts get a name: by what holds them in the graph. */
function byImportance(concepts) {
  const weight = (concept) =>
    concept.notes + concept.edges.reduce((sum, edge) => sum + edge.strength, 0);
  const weights = new Map(concepts.map((concept) => [concept, weight(concept)]));
  return [...concepts].sort((a, b) => weights.get(b) - weights.get(a) || a.index - b.index);
}

function drawLabels(ctx, scene, seen) {
  const { camera, palette, lit, chosen, ratio } = scene;
  const most = Math.max(12, Math.round((camera.width * camera.height) / LABEL_ROOM));
  const taken = [];
  const circles = circlesOf(seen.filter((concept) => concept.sr >= CIRCLE_MIN && (!lit || lit.has(concept))));
  let [drawn, tried] = [0, 0];
  ctx.globalAlpha = 1;
  const wanted = chosen ? [chosen, ...neighboursOf(chosen)] : scene.ranked;
  for (const concept of wanted) {
    if (drawn >= most || tried >= TRIED_SHARE * most) break;
    if (!concept.seen || (lit && !lit.has(concept))) continue;
    const label = measured(ctx, concept);
    const isFree = (box) =>
      isInSight(box, scene) && !taken.some((other) => overlap(box, other)) && !coversCircle(box, circles, concept);
    tried += 1;
    const box =
      boxesOf(concept, label, PLACES).find(isFree) ??
      (tried <= PERSISTENT ? boxesOf(concept, label, MORE_PLACES).find(isFree) : undefined) ??
      (concept === chosen ? boxesOf(concept, label, PLACES).find((place) => isInSight(place, scene)) : undefined);
    if (!box) continue;
    taken.push(box);
    drawn += 1;
    const sprite = spriteOf(concept, palette, ratio);
    ctx.drawImage(sprite, box.left, box.top, label.width, label.height);
  }
}

/** Whether a label is neither cut by the edge of the canvas nor below a card. */
function isInSight(box, { camera, covered }) {
  const isInside = box.left >= 0 && box.top >= 0 && box.right <= camera.width && box.bottom <= camera.height;
  return isInside && !covered.some((card) => overlap(box, card));
}

function neighboursOf(concept) {
  return concept.edges.map((edge) => otherEnd(edge, concept));
}

// Where a label may stand: below its concept, else above, right or left of it. Each place gives its left
// and top in parts of the label's width and height and of the circle's radius.
const PLACES = [
  [-0.5, 0, 0, 1],
  [-0.5, 0, -1, -1],
  [0, 1, -0.5, 0],
  [-1, -1, -0.5, 0],
];
const MORE_PLACES = [
  ...[0.3, 0.7, 0.12, 0.88].flatMap((share) => [[-share, 0, 0, 1], [-share, 0, -1, -1]]),
  ...[0.7, -0.7].flatMap((aside) => [[0, 0.7, -0.5, aside], [-1, -0.7, -0.5, aside]]),
];

function boxesOf({ sx, sy, sr }, { width, height }, places) {
  return places.map(([widths, across, heights, down]) => {
    const left = Math.round(sx + widths * width + across * sr);
    const top = Math.round(sy + heights * height + down * (sr - 1));
    return { left, top, right: left + width, bottom: top + height };
  });
}

/** The circles on the screen by squares of it, so that few need be looked at for a label. */
function circlesOf(concepts) {
  const squares = new Map();
  for (const concept of concepts) {
    const { sx, sy, sr } = concept;
    const box = { left: sx - sr, right: sx + sr, top: sy - sr, bottom: sy + sr };
    for (const key of squaresOf(box)) {
      if (squares.has(key)) squares.get(key).push(concept);
      else squares.set(key, [concept]);
    }
  }
  return squares;
}

function squaresOf({ left, right, top, bottom }) {
  const found = [];
  for (let x = Math.floor(left / SQUARE); x <= right / SQUARE; x += 1) {
    for (let y = Math.floor(top / SQUARE); y <= bottom / SQUARE; y += 1) found.push(x * 4096 + y);
  }
  return found;
}

/** Whether the text of a label would lie on a circle other than its own. */
function coversCircle(box, squares, own) {
  const text = { left: box.left + 3, right: box.right - 3, top: box.top + 4, bottom: box.bottom - 4 };
  const covers = ({ sx, sy, sr }) => {
    const [x, y] = [between(text.left, sx, text.right), between(text.top, sy, text.bottom)];
    return Math.hypot(sx - x, sy - y) < sr;
  };
  return squaresOf(text).some((key) => squares.get(key)?.some((other) => other !== own && covers(other)));
}

function between(least, value, most) {
  return Math.max(least, Math.min(value, most));
}

function overlap(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
