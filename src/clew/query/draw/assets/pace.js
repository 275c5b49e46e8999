/**
 * How much of the graph is drawn while things move: as many of the strongest edges as this machine
 * can draw in time. What stands still is always drawn whole.
 */
const FRAME_SLOW_MS = 25;
const FRAME_FAST_MS = 19;
const SHARE_MIN = 0.12;
const EDGES_ALWAYS = 600; // that any machine draws in time

class Pace {
  constructor() {
    this.share = 1;
    this.frameMs = FRAME_FAST_MS;
    this.last = null; // when the frame before this one began, if things moved then
  }

  /** Take note of a frame that begins `now`. */
  begin(now) {
    if (this.last === null) return;
    this.frameMs += 0.25 * (Math.min(100, now - this.last) - this.frameMs);
    if (this.frameMs > FRAME_SLOW_MS) this.share = Math.max(SHARE_MIN, this.share * 0.93);
    if (this.frameMs < FRAME_FAST_MS) this.share = Math.min(1, this.share * 1.03);
  }

  end(now, moving) {
    this.last = moving ? now : null;
  }

  /** Whether frames come too late even so: then other work had better wait for the next. */
  isBehind() {
    return this.frameMs > FRAME_SLOW_MS;
  }

  /** How many of `count` edges to draw. */
  edges(count, moving) {
    return moving ? Math.max(EDGES_ALWAYS, Math.ceil(count * this.share)) : count;
  }
}
