/**
 * The part of the map that is seen: a point of the map in the middle of the canvas, and a scale.
 *
 * @typedef {{x: number, y: number, k: number}} View
 */
const SCALE_MIN = 0.02;
const SCALE_MAX = 8;
const GLIDE_MS = 420;

const calm = matchMedia("(prefers-reduced-motion: reduce)");

class Camera {
  /** @param {HTMLCanvasElement} canvas @param {() => void} moved */
  constructor(canvas, moved) {
    this.canvas = canvas;
    this.moved = moved;
    this.view = { x: 0, y: 0, k: 1 };
    this.glide = null;
    this.touched = false; // whether the reader has moved it: then it no longer fits itself
  }

  get width() {
    return this.canvas.clientWidth;
  }

  get height() {
    return this.canvas.clientHeight;
  }

  toMap(left, top) {
    const { x, y, k } = this.view;
    return { x: x + (left - this.width / 2) / k, y: y + (top - this.height / 2) / k };
  }

  /** Show the view now, and stop gliding. */
  jump(view) {
    this.glide = null;
    this.view = { ...view, k: Math.min(SCALE_MAX, Math.max(SCALE_MIN, view.k)) };
    this.moved();
  }

  glideTo(view) {
    if (calm.matches) return this.jump(view);
    this.glide = { from: this.view, to: view, since: performance.now() };
    this.moved();
  }

  /** Take one step of a glide; return whether there is more of it. */
  step(now) {
    if (!this.glide) return false;
    const { from, to, since } = this.glide;
    const share = Math.min(1, Math.max(0, (now - since) / GLIDE_MS));
    const eased = 1 - (1 - share) ** 3;
    const between = (a, b) => a + (b - a) * eased;
    this.view = {
      x: between(from.x, to.x),
      y: between(from.y, to.y),
      k: from.k * (to.k / from.k) ** eased,
    };
    if (share === 1) this.glide = null;
    return share < 1;
  }

  pan(left, top) {
    const { x, y, k } = this.view;
    this.touched = true;
    this.jump({ x: x - left / k, y: y - top / k, k });
  }

  /** Zoom by a factor; the point of the map at (left, top) stays where it is. */
  zoom(factor, left, top, show = this.jump) {
    const fixed = this.toMap(left, top);
    const k = Math.min(SCALE_MAX, Math.max(SCALE_MIN, this.view.k * factor));
    this.touched = true;
    show.call(this, {
      x: fixed.x - (left - this.width / 2) / k,
      y: fixed.y - (top - this.height / 2) / k,
      k,
    });
  }

  /** Return the view that shows the concepts whole in the free part of the canvas. */
  viewOf(concepts, free, scaleMax) {
    const box = boundsOf(concepts);
    const k = Math.min(scaleMax, free.width / box.width, free.height / box.height);
    return this.centred(box.x, box.y, Math.max(SCALE_MIN, k), free);
  }

  /** Return the view with a point of the map in the middle of the free part. */
  centred(x, y, k, free) {
    return {
      x: x - (free.left + free.width / 2 - this.width / 2) / k,
      y: y - (free.top + free.height / 2 - this.height / 2) / k,
      k,
    };
  }
}

function boundsOf(concepts) {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y, radius } of concepts) {
    left = Math.min(left, x - radius);
    right = Math.max(right, x + radius);
    top = Math.min(top, y - radius);
    bottom = Math.max(bottom, y + radius);
  }
  const [width, height] = [right - left, bottom - top];
  return { x: left + width / 2, y: top + height / 2, width, height };
}

/** Pan and zoom by mouse, wheel, touch and pinch; a press that does not move is a click. */
function followPointers(canvas, camera, { clicked, hovered }) {
  const held = new Map();
  let travel = 0;
  const spot = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, spot(event));
    if (held.size === 1) travel = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = spot(event);
    const before = held.get(event.pointerId);
    if (!before) return hovered(now);
    travel += Math.hypot(now.x - before.x, now.y - before.y);
    if (travel < 4) return;
    canvas.classList.add("held");
    const others = [...held].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    if (others.length) pinch(camera, others[0], before, now);
    else camera.pan(now.x - before.x, now.y - before.y);
    held.set(event.pointerId, now);
  });
  const released = (event) => {
    if (!held.delete(event.pointerId)) return;
    if (held.size === 0) canvas.classList.remove("held");
    if (event.type === "pointerup" && travel < 4) clicked(spot(event));
  };
  canvas.addEventListener("pointerup", released);
  canvas.addEventListener("pointercancel", released);
  canvas.addEventListener("pointerleave", () => hovered(null));
  canvas.addEventListener("wheel", (event) => wheel(event, camera, spot(event)), { passive: false });
}

function pinch(camera, other, before, now) {
  const apart = (place) => Math.hypot(place.x - other.x, place.y - other.y) || 1;
  camera.zoom(apart(now) / apart(before), other.x, other.y);
}

function wheel(event, camera, { x, y }) {
  event.preventDefault();
  const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
  const step = Math.max(-200, Math.min(200, event.deltaY * unit * (event.ctrlKey ? 6 : 1)));
  camera.zoom(2 ** (-step / 240), x, y);
}
