// A long text at a glance: a line of all its weights, where they changed, and which part is in view.
import { h, write } from "./page.js";
import { quoted } from "./words.js";

const HIGH = 48; // pixels
const CHANGED = 0.02; // a change of a weight that gets a mark
const NAMED = 5; // changed tokens that are named

export class Overview {
  constructor(strip) {
    this.strip = strip;
    this.canvas = h("canvas", { role: "img", height: HIGH });
    this.jump = strip.button("Largest change", "scroll to the token whose weight changed most", () => strip.bars.look(this.changed(1)[0]));
    this.words = h("span");
    this.node = h("div.overview", { hidden: true }, this.canvas, h("div.tools", {}, this.jump, this.words));
    const go = (event) => event.buttons && this.scroll(event);
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.scroll(event);
    });
    this.canvas.addEventListener("pointermove", go);
  }

  // The n tokens whose weights changed most, by CHANGED at least.
  changed(n) {
    const { m, state } = this.strip, by = state.a.map((w, t) => Math.abs(w - m.original[t]));
    return [...by.keys()].filter((t) => by[t] >= CHANGED).sort((i, j) => by[j] - by[i] || i - j).slice(0, n);
  }

  scroll(event) {
    const { m } = this.strip, share = event.offsetX / this.canvas.clientWidth;
    this.show(Math.min(Math.max(Math.floor((m.direction === "rtl" ? 1 - share : share) * m.T), 0), m.T - 1));
  }

  // Scroll the bars of a long text to a token.
  show(t) {
    const { bars } = this.strip;
    if (t !== undefined && bars.isLong) bars.node.scrollTop = bars.tokens[t].node.offsetTop - bars.node.clientHeight / 3;
  }

  paint() {
    const { bars, m, state, root } = this.strip;
    this.node.hidden = !bars.scrolls || !bars.isLong;
    if (this.node.hidden) return;
    const wide = this.canvas.clientWidth, dense = window.devicePixelRatio || 1;
    this.canvas.width = wide * dense;
    this.canvas.height = HIGH * dense;
    const pen = this.canvas.getContext("2d"), style = getComputedStyle(root), colour = (name) => style.getPropertyValue(`--${name}`);
    pen.scale(dense, dense);
    if (m.direction === "rtl") pen.setTransform(-dense, 0, 0, dense, wide * dense, 0);
    const x = (t) => (t / m.T) * wide, each = Math.max(wide / m.T, 1), most = [state.a, m.original].reduce((most, a) => a.reduce((x, y) => Math.max(x, y), most), 1e-9);
    const [from, to] = this.seen();
    pen.fillStyle = colour("line");
    pen.fillRect(x(from), 0, Math.max(x(to) - x(from), 2), HIGH);
    const draw = (weights, name) => {
      pen.fillStyle = colour(name);
      weights.forEach((w, t) => {
        const high = Math.sqrt(w / most) * (HIGH - 12);
        if (high >= 0.5) pen.fillRect(x(t), HIGH - high, each, high);
      });
    };
    draw(m.original, "edge");
    draw(state.a, "bar");
    pen.fillStyle = colour("ink");
    const marked = this.changed(m.T);
    for (const t of marked) {
      pen.beginPath();
      pen.moveTo(x(t) + each / 2 - 4, 0);
      pen.lineTo(x(t) + each / 2 + 4, 0);
      pen.lineTo(x(t) + each / 2, 8);
      pen.fill();
    }
    const named = marked.slice(0, NAMED).map((t) => `${quoted(m.tokens[t])} ${state.a[t] > m.original[t] ? "▲" : "▼"}`);
    this.jump.disabled = !marked.length;
    write(this.words, marked.length ? `changed by ${CHANGED} or more: ${named.join(", ")}${marked.length > NAMED ? `, and ${marked.length - NAMED} more` : ""}` : `no weight changed by ${CHANGED}`);
    this.canvas.setAttribute("aria-label", `All ${m.T} weights; ${this.words.textContent}`);
  }

  // From which token to which the bars are in view.
  seen() {
    const { bars, m } = this.strip, { scrollTop, clientHeight } = bars.node;
    const from = bars.tops.findIndex((y, t) => (bars.tops[t + 1] ?? Infinity) > scrollTop && y >= scrollTop - bars.tokens[0].node.offsetHeight + 1);
    const to = bars.tops.findIndex((y) => y > scrollTop + clientHeight);
    return [Math.max(from, 0), to < 0 ? m.T : to];
  }
}
