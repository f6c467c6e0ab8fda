// What a reader has set: weights, pinned tokens, ε, a copy beside them; and the way back.
import { context, jsd, lifted, link, move, parts, readout, tvd } from "./arithmetic.js";

const REMEMBERED = 200; // states
const WITHIN = 1e-12; // of ε, what rounding does

export class State {
  constructor(m, attention, epsilon) {
    Object.assign(this, { m, a: attention, pins: new Uint8Array(m.T), epsilon, copy: null });
    this.isDragged = false; // a hand is moving a bar: a tail's parts may be rough
    this.byHand = true; // whether hands alone made these weights of the model's own attention
    this.past = [];
    this.at = 0;
    this.remember();
  }

  // Of these weights (an array that is replaced, never changed): the prediction `p` (C), how far it moved and
  // how far attention did, each token's part (T) of the change of the predicted class's logit, and that change.
  get now() {
    const isRough = !!this.m.tail && this.isDragged;
    if (this.computed?.of !== this.a || (this.computed.isRough && !isRough)) {
      const { m, a } = this, z = lifted(m, context(m, a)), x = readout(m, z), p = link(m, x), moved = parts(m, a, isRough, z, x);
      this.computed = { of: a, isRough, p, tvd: tvd(p, m.prediction), jsd: jsd(a, m.original), parts: moved.parts, logit: moved.change };
    }
    return this.computed;
  }

  get isWithin() {
    return this.now.tvd <= this.epsilon + WITHIN;
  }

  // The weights with `weight` on token t, or null if pins hold all others.
  moved(t, weight, from = this.a) {
    return move(from, t, weight, this.pins);
  }

  // Weights and pins as they are now, unless they are those remembered last; what was undone is forgotten.
  remember() {
    const last = this.past[this.at], { a, pins, byHand } = this;
    const same = last && last.a.every((w, t) => w === a[t]) && last.pins.every((w, t) => w === pins[t]);
    if (!same) this.past = [...this.past.slice(Math.max(this.past.length - REMEMBERED + 1, 0), this.at + 1), { a, pins: pins.slice(), byHand }];
    this.at = this.past.length - 1;
  }

  get canUndo() {
    return this.at > 0;
  }

  get canRedo() {
    return this.at < this.past.length - 1;
  }

  // One state back (-1) or forth (1); false where there is none.
  travel(by) {
    if (!this.past[this.at + by]) return false;
    this.at += by;
    const { a, pins, byHand } = this.past[this.at];
    Object.assign(this, { a, pins: pins.slice(), byHand });
    return true;
  }
}
