// The token strip: attention as bars that a reader moves, and what the model would have said.
// These modules have no dependency; heed.show.strip joins them to one, for JupyterLab (anywidget) and for pages.
import { Adversaries, Work } from "./work.js";
import { among, generator, inverted, shuffled, sum, top } from "./arithmetic.js";
import { Bars, ZOOMS } from "./bars.js";
import { Couple } from "./couple.js";
import { Files, STRUCTURE } from "./files.js";
import { fault, floats, read } from "./given.js";
import { Game } from "./game.js";
import { Hands, KEYS } from "./hands.js";
import { decode } from "./links.js";
import { Overview } from "./overview.js";
import { h, keepKeys, write } from "./page.js";
import { Panel } from "./panel.js";
import { State } from "./state.js";
import { weightsOf } from "./weights.js";
import { number, quoted, signed, visible, within } from "./words.js";

const EPSILONS = [0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
const CALM = 150; // milliseconds without a change, after which it is read out
const OFTEN = 100; // milliseconds between two messages of a drag to the kernel
let built = 0; // for ids that are unique on a page

export class Strip {
  constructor(model, root, m) {
    Object.assign(this, { model, root, m, keysId: `hs${++built}-keys`, closed: false, frame: 0, timer: 0, sent: 0 });
    this.nameOf = (c) => within(m.classes[c] ?? `class ${c}`);
    const given = floats(model.get("attention")), wrong = fault(given, m.T);
    this.state = new State(m, wrong ? m.original.slice() : given, model.get("epsilon"));
    this.problem = h("p.problem", { role: "alert", hidden: true });
    this.status = h("p.status", { role: "status", "aria-live": "polite" });
    this.detail = h("p.detail");
    this.why = h("p.why");
    this.bars = new Bars(this);
    this.panel = new Panel(this);
    this.overview = new Overview(this);
    this.work = new Work(this);
    this.adversaries = new Adversaries(this);
    this.game = new Game(this);
    this.hands = new Hands(this);
    this.files = new Files(this);
    this.couple = new Couple(this);
    this.freeKeys = keepKeys(root);
    root.append(...this.above(), ...this.tools(), ...this.below());
    root.addEventListener("keydown", (event) => this.undoKey(event));
    this.tolerate(this.state.epsilon, false);
    this.bars.accessible();
    this.paint();
    this.wrong(wrong || model.get("problem") || "");
    this.followLink();
  }

  // ---- what it consists of

  button(text, hint, onclick) {
    return h("button", { type: "button", title: hint, onclick }, text);
  }

  above() {
    const { m } = this, asked = m.question && h("p.given", {}, `${m.queryName}: `, h("bdi", {}, visible(m.question)));
    const wrong = ["; the model predicts ", h("bdi", {}, this.nameOf(m.predicted)), ", which is wrong"];
    const hasLabel = m.label !== null && m.label !== undefined && m.label >= 0;
    const label = hasLabel && h("p.given", {}, "Label: ", h("bdi", {}, this.nameOf(m.label)), ...(m.label === m.predicted ? [] : wrong));
    const marks = m.marked?.some(Boolean) && h("p.given", {}, "A thick line under a word: a person marked it as the reason.");
    const reader = m.reader && h("p.reader", {}, visible(m.reader));
    const moves = m.moves && h("p.given", {}, visible(m.moves));
    return [reader, asked, label, marks, moves, this.problem, this.panel.node, this.couple.node].filter(Boolean);
  }

  tools() {
    const { m, state } = this, bar = (title, ...all) => h("div.tools", { role: "group", "aria-label": title }, ...all);
    const draw = generator(m.T + 1), free = (t) => !state.pins[t], real = (t) => free(t) && (!m.real || m.real[t]);
    const set = (text, hint, to, hand = false) => this.button(text, hint, () => {
      const next = to();
      if (next) this.put(next, `${text}.`, { hand });
    });
    const original = () => ((state.byHand = true), m.original.slice());
    const weights = [
      set("Original", "the model's own attention", original, true),
      set("Uniform", "the same weight on every token that isn't pinned", () => among(state.a, free, (w) => w.fill(sum(w) / w.length))),
      set("Permute", "the weights in another order; markers and pinned tokens keep theirs", () => among(state.a, real, (w) => shuffled(w, draw))),
      set("Invert", "the largest weight where the smallest was, and so on", () => among(state.a, real, inverted)),
      set("Erase top", "nothing on the token that has the most; the others share it", () => {
        const t = [...state.a.keys()].filter(free).reduce((x, y) => (x >= 0 && state.a[x] >= state.a[y] ? x : y), -1);
        return t < 0 ? this.refuse() : state.moved(t, 0) ?? this.refuse(t);
      }),
    ];
    this.steps = [...new Set([...EPSILONS, state.epsilon])].sort((x, y) => x - y);
    this.slide = h("input", { type: "range", min: 0, max: this.steps.length - 1, step: 1, value: 0, "aria-label": "ε, how far the prediction may move", oninput: () => this.tolerate(this.steps[this.slide.value]) });
    this.epsilonShown = h("output.epsilon");
    const zoom = h("select", { "aria-label": "how many times a weight is enlarged", onchange: () => this.bars.setZoom(Number(zoom.value)) }, ...ZOOMS.map((by) => h("option", { value: by, selected: by === this.bars.zoom }, `× ${by}`)));
    this.undo = this.button("Undo", "Ctrl+Z", () => this.travel(-1));
    this.redo = this.button("Redo", "Ctrl+Shift+Z", () => this.travel(1));
    const keep = this.button("Keep a copy", "keep this state beside the one you change", () => {
      this.panel.keep(state.a);
      this.say("A copy is kept; its weights are the thin bars.");
    });
    const { adversaries, files, game, work } = this;
    return [
      bar("set all weights", ...weights, h("label.slide", { title: "small weights, enlarged; a bar that would be too high is cut" }, "Bars ", zoom)),
      bar("adversaries", ...adversaries.buttons, h("label.slide", {}, "ε ", this.slide, this.epsilonShown), work.node),
      bar("history and save", this.undo, this.redo, keep, game.toggle, h("span", {}, "Save"), ...files.buttons, files.address),
    ];
  }

  below() {
    const help = h("details.help", {}, h("summary", {}, "How to"), h("p", { id: this.keysId }, KEYS),
      h("p", {}, "A bar is as high as the root of its weight; the line across it is the model's own weight. Below a word is its part of the change of the logit: up for more, down for less. Striped bars are markers; a wavy line is below words that the model doesn't know."));
    return [this.game.node, this.overview.node, h("div.frame", {}, this.bars.node, this.hands.box, this.hands.bubble), this.detail, this.why, this.status, help];
  }

  // ---- what is seen

  schedule() {
    this.frame ||= requestAnimationFrame(() => this.closed || this.paint());
  }

  paint() {
    this.frame = 0;
    const { bars, hands, m, state } = this, { now } = state, t = bars.hover >= 0 ? bars.hover : bars.focus;
    this.panel.paint(now);
    bars.paint(now);
    this.overview.paint();
    this.couple.paint(now);
    this.game.paint();
    write(this.detail, `${bars.describe(t)}, part ${signed(now.parts[t], 3)}`);
    write(this.why, this.reasons(now));
    this.undo.disabled = !state.canUndo;
    this.redo.disabled = !state.canRedo;
    // In a drag the numbers are seen as they change, and read out when it ends.
    this.status.setAttribute("aria-live", hands.drag?.moved ? "off" : "polite");
    if (!hands.drag?.moved) return;
    bars.accessible(hands.drag.t);
    hands.tell(hands.drag.t);
    this.say(`${quoted(m.tokens[hands.drag.t])} ${number(state.a[hands.drag.t])}. ${this.summary()}`);
  }

  summary() {
    const { p, tvd, jsd } = this.state.now, c = top(p);
    return `${this.nameOf(c)} ${number(p[c])}, TVD ${number(tvd)}, JSD ${number(jsd)}.`;
  }

  reasons(now) {
    const { bars, m } = this, predicted = this.nameOf(m.predicted), leading = bars.strongest(now.parts, 6);
    if (!leading.length) return `Nothing has moved. The model predicts ${predicted}.`;
    const named = leading.slice(0, 5).map((t) => `${quoted(m.tokens[t])} ${signed(now.parts[t])}`);
    const how = m.act === "identity" ? "" : " Each part is the gradient, integrated along the straight line from the model's own attention.";
    return `The logit of ${predicted} changed by ${signed(now.logit)}: ${named.join(", ")}${leading.length > 5 ? ", …" : "."}${how}`;
  }

  say(text) {
    write(this.status, text);
  }

  wrong(text) {
    write(this.problem, text);
    this.problem.hidden = !text;
  }

  refuse(t) {
    const said = "Nothing can move: all other tokens are pinned. Unpin one with P or its circle.";
    this.wrong(said);
    if (t !== undefined) this.hands.tell(t, said);
    return null;
  }

  // ---- what changes

  // New weights: drawn, remembered, told to the kernel and read out. `by` says what made them, null that all has
  // been said; own: the kernel doesn't know of them; hand: a hand made them; echo: strips beside may follow.
  put(next, by, { own = true, hand = false, echo = true } = {}) {
    this.state.a = next;
    this.state.byHand &&= hand;
    this.work.stop();
    this.hands.hush();
    this.settle(by, { own, echo });
  }

  settle(by, { own = true, echo = true } = {}) {
    this.wrong("");
    this.state.remember();
    if (own) this.tell(true, echo);
    this.game.count();
    this.after(by);
  }

  after(by) {
    this.schedule();
    clearTimeout(this.timer);
    if (by === null) return;
    this.timer = setTimeout(() => {
      if (this.closed) return;
      this.bars.accessible();
      this.say(`${by ? `${by} ` : ""}${this.summary()}`);
    }, CALM);
  }

  // The kernel, and strips beside, hear of the weights; of those of a drag now and then.
  tell(settled, echo = true) {
    if (echo) this.couple.changed(settled);
    if (!settled && performance.now() - this.sent < OFTEN) return;
    this.sent = performance.now();
    this.model.set("attention", new DataView(this.state.a.slice().buffer));
    this.model.save_changes();
  }

  travel(by) {
    if (!this.state.travel(by)) return;
    this.work.stop();
    this.hands.hush();
    this.wrong("");
    this.tell(true);
    this.after(by < 0 ? "Undone." : "Done again.");
  }

  undoKey(event) {
    if (event.target === this.files.address || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    event.preventDefault();
    event.stopPropagation();
    this.travel(event.shiftKey ? 1 : -1);
  }

  tolerate(epsilon, own = true) {
    this.state.epsilon = epsilon;
    write(this.epsilonShown, String(epsilon));
    this.slide.value = this.steps.indexOf(epsilon);
    this.slide.setAttribute("aria-valuetext", String(epsilon));
    if (own) {
      this.model.set("epsilon", epsilon);
      this.model.save_changes();
    }
    if (this.game.on) this.game.begin();
    this.schedule();
  }

  // ---- the kernel's side, and the link's

  take() {
    const { m, state, hands } = this, next = floats(this.model.get("attention")), text = fault(next, m.T);
    if (text) return this.wrong(text);
    if (hands.drag || next.every((w, t) => w === state.a[t])) return;
    this.put(next, "Set from code.", { own: false });
  }

  follow() {
    const epsilon = this.model.get("epsilon");
    if (epsilon === this.state.epsilon) return;
    if (!this.steps.includes(epsilon)) {
      this.steps = [...this.steps, epsilon].sort((x, y) => x - y);
      this.slide.setAttribute("max", this.steps.length - 1);
    }
    this.tolerate(epsilon, false);
  }

  followLink() {
    try {
      const linked = decode(location.hash, this.m.name, this.m.T);
      if (linked) this.put(linked, "As in the link.");
    } catch (error) {
      this.wrong(error.message);
    }
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.hands.hush();
    this.bars.watch.disconnect();
    this.couple.close();
    this.freeKeys();
  }
}

// A strip of what a model holds, in an element; or one sentence, where that can't be shown, or while weights are
// on their way, after which `again` is called.
function build(model, el, again) {
  const root = h("section.root", { dir: "ltr" });
  el.replaceChildren(root);
  const say = (text) => {
    root.replaceChildren(h("p.problem", { role: "alert" }, text));
    return { close() {}, take() {}, follow() {}, wrong() {} };
  };
  let m;
  try {
    const weights = weightsOf(model);
    if (weights instanceof Promise) {
      const failed = () => say("The weights of this strip's model didn't come. Run the cell again.");
      weights.then(again, failed);
      root.append(h("p", { role: "status" }, "The model's weights are on their way …"));
      return { close() {}, take() {}, follow() {}, wrong() {} };
    }
    m = read((name) => model.get(name), weights);
  } catch (problem) {
    return say(problem.message);
  }
  return new Strip(model, root, m);
}

export function render({ model, el }) {
  let waiting = false, ended = false;
  const again = () => {
    if (waiting || ended) return;
    waiting = true; // several traits change together: build once
    queueMicrotask(() => {
      waiting = false;
      strip.close();
      strip = build(model, el, again);
    });
  };
  let strip = build(model, el, again);
  const on = {
    "change:attention": () => waiting || strip.take(),
    "change:epsilon": () => waiting || strip.follow(),
    "change:problem": () => waiting || strip.wrong(model.get("problem")),
  };
  for (const name of [...STRUCTURE, "group"]) on[`change:${name}`] = again;
  for (const [event, act] of Object.entries(on)) model.on(event, act);
  return () => {
    ended = true;
    for (const [event, act] of Object.entries(on)) model.off(event, act);
    strip.close();
  };
}

// What a page without Jupyter holds instead of a widget's model.
class Still {
  constructor(values) {
    this.values = values;
  }
  get = (name) => this.values[name];
  set = (name, value) => (this.values[name] = value);
  on() {}
  off() {}
  save_changes() {}
}

// Bring every strip of a page to life, once.
export function mount(root) {
  for (const el of root.querySelectorAll(".heed-strip:not([data-alive])")) {
    el.setAttribute("data-alive", "");
    const model = new Still(JSON.parse(el.nextElementSibling.textContent));
    el.strip = model;
    render({ model, el });
  }
}
export default { render };
