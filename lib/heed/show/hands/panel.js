// The numbers above the bars: the classes, how far prediction and attention moved, and a copy to compare with.
import { LIMIT, jsd, probs, top, tvd } from "./arithmetic.js";
import { h, write } from "./page.js";
import { number } from "./words.js";

const ROWS = 6; // classes that are shown

export class Panel {
  constructor(strip) {
    const { m } = strip;
    this.strip = strip;
    this.rows = Array.from({ length: Math.min(m.prediction.length, ROWS) }, () => gauge(h("bdi")));
    this.others = h("p.others");
    this.change = gauge(h("span", {}, "TVD"), "how far the prediction moved: total variation distance, 0 to 1; the mark is ε");
    this.far = gauge(h("span", {}, "JSD"), "how far the attention moved: Jensen-Shannon divergence in nats, 0 to 0.693");
    this.far.mark.remove(); // nothing stands there to be compared with
    this.lines = h("tbody");
    const heads = ["state", `P(${strip.nameOf(m.predicted)})`, "TVD", "JSD"].map((x) => h("th", { scope: "col" }, x));
    this.copied = h("div.compare", { hidden: true }, h("table", {}, h("thead", {}, h("tr", {}, ...heads)), this.lines),
      strip.button("Swap", "the copy becomes the state that you change, and the other way round", () => this.swap()),
      strip.button("Drop the copy", "only one state", () => this.keep(null)));
    const left = h("div.half", {}, ...this.rows.map((row) => row.node), this.others);
    this.node = h("div.panel", {}, left, h("div.half", {}, this.change.node, this.far.node, this.copied));
  }

  // Keep these weights beside those that change; null: keep none.
  keep(copy) {
    this.strip.state.copy = copy;
    this.strip.bars.ghosts();
    this.strip.schedule();
  }

  swap() {
    const { state } = this.strip, other = state.copy;
    state.copy = state.a;
    this.strip.put(other, "Swapped.");
    this.strip.bars.ghosts();
  }

  paint(now) {
    const { m, state } = this.strip, { p } = now, order = shownFirst(m, p, this.rows.length), first = top(p);
    this.rows.forEach((row, k) => {
      const c = order[k], name = this.strip.nameOf(c);
      write(row.title, name);
      row.title.title = name;
      write(row.value, number(p[c]));
      write(row.note, `was ${number(m.prediction[c])}${p.length > 2 && c === m.label ? ", label" : ""}`);
      row.fill.style.width = `${100 * p[c]}%`;
      row.mark.style.left = `${100 * m.prediction[c]}%`;
      row.node.classList.toggle("hs-top", c === first);
    });
    write(this.others, p.length > this.rows.length ? `and ${p.length - this.rows.length} other classes` : "");
    write(this.change.value, number(now.tvd));
    write(this.change.note, state.isWithin ? "✓ within ε" : "✗ beyond ε");
    this.change.fill.style.width = `${100 * now.tvd}%`;
    this.change.mark.style.left = `${100 * state.epsilon}%`;
    write(this.far.value, number(now.jsd));
    write(this.far.note, "of 0.693 nats");
    this.far.fill.style.width = `${(100 * now.jsd) / LIMIT}%`;
    this.copied.hidden = !state.copy;
    if (state.copy) this.compare(now);
  }

  compare(now) {
    const { m, state } = this.strip, { a, copy } = state, q = probs(m, copy), c = m.predicted;
    const lines = [
      ["the model's own", m.prediction[c], null, null],
      ["now", now.p[c], now.tvd, now.jsd],
      ["copy", q[c], tvd(q, m.prediction), jsd(copy, m.original)],
      ["now against copy", null, tvd(now.p, q), jsd(a, copy)],
    ];
    const cell = (x) => h("td", {}, x === null ? "–" : number(x));
    this.lines.replaceChildren(...lines.map(([title, ...cells]) => h("tr", {}, h("th", { scope: "row" }, title), ...cells.map(cell))));
  }
}

// A title, a horizontal bar with a mark across it, its number and a note.
function gauge(title, hint) {
  const fill = h("i.fill"), mark = h("i.mark"), value = h("b"), note = h("span.was");
  return { title, fill, mark, value, note, node: h("div.class", { title: hint }, title, h("span.gauge", {}, fill, mark), value, note) };
}

// Two classes stand in their order. Of more the model's own prediction comes first, then what it gave to each;
// where there is no room for all, the label and what is predicted now come before the others.
function shownFirst(m, p, room) {
  const order = [...p.keys()], now = top(p);
  if (p.length === 2) return order;
  const rank = (c) => {
    if (c === m.predicted) return 4;
    if (p.length <= room) return m.prediction[c];
    return c === m.label ? 3 : c === now ? 2 : Math.max(p[c], m.prediction[c]);
  };
  return order.sort((i, j) => rank(j) - rank(i) || i - j);
}
