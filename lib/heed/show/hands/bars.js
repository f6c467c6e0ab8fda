// The tokens: each with a bar as high as the root of its weight, a pin, and its part of the logit's change.
import { h, write } from "./page.js";
import { number, quoted, visible } from "./words.js";

const NUMBERED = 0.05; // a weight that is written above its bar; less, the more the bars are zoomed
const LONG = 80; // tokens from which a text has shorter lanes and an overview, and small weights are enlarged
export const ZOOMS = [1, 4, 16, 64]; // times that weights may be enlarged
const ABOVE = 15; // pixels that the number above a bar takes
const SEEN = 0.005; // a part that is worth a word

// Scroll what scrolls around a node.
function scroll(node, by) {
  while (node.parentElement && !(node.scrollHeight > node.clientHeight && /auto|scroll/.test(getComputedStyle(node).overflowY))) node = node.parentElement;
  node.scrollTop += by;
}

export class Bars {
  constructor(strip) {
    const { m } = strip;
    this.strip = strip;
    this.isLong = m.T > LONG;
    const most = m.original.reduce((x, w) => Math.max(x, w), 0);
    this.zoom = this.isLong ? ZOOMS.findLast((by) => by * most <= 1) : 1;
    this.node = h(`div.strip.flat${this.isLong ? ".long" : ""}`, { dir: m.direction, role: "group", "aria-label": `Attention on ${m.T} tokens`, "aria-describedby": strip.keysId });
    this.tokens = m.tokens.map((word, t) => this.token(word, t));
    this.node.append(...this.tokens.map((token) => token.node));
    this.focus = 0; // the one that Tab goes to
    this.hover = -1;
    this.forget();
    this.ownLines();
    this.watch = new ResizeObserver(() => ((this.tops = null), strip.schedule()));
    this.watch.observe(this.node);
    this.node.addEventListener("scroll", () => strip.schedule(), { passive: true });
  }

  // What is drawn of a token is the background of its parts: nothing is laid out anew in a drag.
  token(word, t) {
    const { m } = this.strip, marker = m.real && !m.real[t], unknown = m.known && !m.known[t], marked = m.marked?.[t];
    const column = h("span.col"), lane = h("span.lane"), pin = h("span.pin", { title: "keep this weight (P)" });
    const node = h(`div.tok${marker ? ".marker" : ""}${unknown ? ".unknown" : ""}${marked ? ".marked" : ""}`,
      { role: "slider", tabindex: t ? -1 : 0, "aria-orientation": "vertical", "aria-valuemin": 0, "aria-valuemax": 1, title: [unknown && "not in the model's vocabulary", marked && "marked by a person"].filter(Boolean).join(", ") || null },
      column, pin, h("bdi.word", {}, visible(word) || " "), lane);
    node.hs = t;
    return { node, column, lane, num: null };
  }

  // How high a weight stands, as a share of a column; above 1 it is cut.
  height(weight) {
    return Math.sqrt(weight * this.zoom);
  }

  // The weight of a height: the other way round.
  weight(height) {
    return Math.min(Math.max(height, 0) ** 2 / this.zoom, 1);
  }

  setZoom(zoom) {
    this.zoom = zoom;
    this.forget();
    this.ownLines();
    this.ghosts();
  }

  // What was drawn counts no more: the next painting sets everything.
  forget() {
    const { T } = this.strip.m;
    this.drawn = { bar: new Int16Array(T).fill(-1), part: new Int16Array(T), num: new Int32Array(T).fill(-1), pin: new Uint8Array(T) };
  }

  ownLines() {
    this.tokens.forEach(({ column }, t) => column.style.setProperty("--own", Math.min(this.height(this.strip.m.original[t]), 1).toFixed(4)));
  }

  // Thin bars of the copy that is kept.
  ghosts() {
    const { copy } = this.strip.state;
    this.tokens.forEach(({ column }, t) => column.style.setProperty("--copy", copy ? Math.min(this.height(copy[t]), 1).toFixed(4) : 0));
    this.strip.schedule();
  }

  // Room below the words for their parts, from the first move on. Where that moves a row under a hand it waits until
  // the hand lets go, and the word that has the focus stays where it is seen.
  unfold(parts) {
    const { node, strip } = this, rows = this.tokens.at(-1).node.offsetTop > this.tokens[0].node.offsetTop;
    const isHeld = strip.hands.drag || strip.couple.other?.hands.drag;
    if (!parts.some((part) => part) || (rows && isHeld)) return;
    const word = this.tokens[this.focus].node, at = word.getBoundingClientRect().top;
    node.classList.remove("hs-flat");
    this.tops = null;
    if (!rows || !word.matches(":focus")) return;
    scroll(node, word.getBoundingClientRect().top - at);
    if (!strip.hands.bubble.hidden) strip.hands.tell(this.focus);
  }

  paint(now) {
    if (this.node.classList.contains("hs-flat")) this.unfold(now.parts);
    const { m, state } = this.strip, { a } = state, { drawn } = this, [from, to] = this.inView();
    const largest = now.parts.reduce((x, v) => Math.max(x, Math.abs(v)), 1e-9);
    const scale = 2 ** Math.ceil(Math.log2(largest)); // a power of two, so that few bars change in a drag
    const high = this.columnHeight(), digits = this.zoom >= 16 ? 4 : this.zoom > 1 ? 3 : 2;
    for (let t = from; t < to; t++) {
      const { column, lane, node } = this.tokens[t], height = this.height(a[t]), bar = Math.round(Math.min(height, 1) * 320);
      const part = Math.round((now.parts[t] / scale) * 160);
      if (bar !== drawn.bar[t]) {
        column.style.setProperty("--now", (drawn.bar[t] = bar) / 320);
        column.classList.toggle("hs-cut", height > 1.001);
      }
      if (part !== drawn.part[t]) {
        lane.style.setProperty("--part", Math.abs(part) / 160);
        if (part > 0 !== drawn.part[t] > 0) lane.classList.toggle("hs-more", part > 0);
        drawn.part[t] = part;
      }
      const written = a[t] * this.zoom >= NUMBERED ? Math.round(a[t] * 10 ** digits) : 0;
      if (written || drawn.num[t] > 0) {
        const num = (this.tokens[t].num ??= column.appendChild(h("span.num", { "aria-hidden": "true" })));
        if (written !== drawn.num[t]) write(num, written ? (written / 10 ** digits).toFixed(digits) : "");
        // A number must not lie on the line of the model's own weight.
        const own = Math.min(this.height(m.original[t]), 1) * high, up = Math.min(height, 1) * high;
        num.style.transform = `translateY(${-(own >= up - 1 && own < up + ABOVE ? own + 1 : up)}px)`;
      }
      drawn.num[t] = written;
      if (state.pins[t] !== drawn.pin[t]) node.classList.toggle("hs-pinned", !!(drawn.pin[t] = state.pins[t]));
    }
  }

  columnHeight() {
    return (this.high ??= this.tokens[0].column.offsetHeight - 1); // without its line
  }

  // The tokens that can be seen, so that a frame costs the same at any length; the others follow when scrolled to.
  inView() {
    const { node, strip } = this;
    if (!this.tops) {
      this.high = null;
      this.scrolls = node.scrollHeight > node.clientHeight + 1;
      this.tops = this.scrolls ? Float64Array.from(this.tokens, (token) => token.node.offsetTop) : [];
    }
    if (!this.scrolls) return [0, strip.m.T];
    const from = this.tops.findIndex((y) => y > node.scrollTop - 450), to = this.tops.findIndex((y) => y > node.scrollTop + node.clientHeight + 100);
    return [Math.max(from, 0), to < 0 ? strip.m.T : to];
  }

  // Scroll to a token and give it the focus.
  look(t, take = true) {
    this.tokens[this.focus].node.tabIndex = -1;
    this.tokens[t].node.tabIndex = 0;
    this.focus = t;
    if (take) this.tokens[t].node.focus();
    this.strip.schedule();
  }

  // What a screen reader says of a token, or of all.
  accessible(t) {
    if (t === undefined) return this.tokens.forEach((_, each) => this.accessible(each));
    const { m, state } = this.strip, { node } = this.tokens[t], marker = m.real && !m.real[t], unknown = m.known && !m.known[t];
    const marked = m.marked?.[t] ? ", marked by a person" : "";
    node.setAttribute("aria-label", `${visible(m.tokens[t])}, token ${t + 1} of ${m.T}${marker ? ", marker" : ""}${unknown ? ", unknown to the model" : ""}${marked}`);
    node.setAttribute("aria-valuenow", state.a[t].toFixed(4));
    node.setAttribute("aria-valuetext", `${number(state.a[t])}${state.pins[t] ? ", pinned" : ""}, the model's own ${number(m.original[t])}`);
  }

  // The tokens of the n largest parts, the largest first.
  strongest(x, n) {
    return [...x.keys()].filter((t) => Math.abs(x[t]) >= SEEN).sort((i, j) => Math.abs(x[j]) - Math.abs(x[i]) || i - j).slice(0, n);
  }

  describe(t) {
    const { m, state } = this.strip;
    return `${quoted(m.tokens[t])}: weight ${number(state.a[t], 4)} (the model's own ${number(m.original[t], 4)})${state.pins[t] ? ", pinned" : ""}${m.known && !m.known[t] ? ", unknown to the model" : ""}${m.marked?.[t] ? ", marked by a person" : ""}`;
  }
}
