// Strips of one group on a page: one text as two models read it. Each says how far it is from the other.
import { jsd, tvd } from "./arithmetic.js";
import { h, write } from "./page.js";
import { number } from "./words.js";

// Every widget has a module of its own; what they share is the page.
const groups = (globalThis[Symbol.for("heed.strips")] ??= new Map());

export class Couple {
  constructor(strip) {
    this.strip = strip;
    this.words = h("p");
    this.alike = strip.button("Move both alike", "from the next move on, both have the weights of the one that is moved", () => this.turn());
    this.alike.setAttribute("aria-pressed", "false");
    this.tools = h("div.tools", { role: "group", "aria-label": "the other model" },
      strip.button("Give it these weights", "the other model gets this one's weights", () => this.give(this.other)),
      strip.button("Take its weights", "this model gets the other one's weights", () => this.other.couple.give(strip)), this.alike);
    this.node = h("div.couple", { hidden: true }, this.words, this.tools);
    const name = strip.model.get("group");
    this.group = null;
    if (!name) return;
    if (!groups.has(name)) groups.set(name, { strips: new Set(), alike: false });
    this.group = groups.get(name);
    this.group.strips.add(strip);
  }

  get other() {
    return [...(this.group?.strips ?? [])].find((strip) => strip !== this.strip && !strip.closed && strip.root.isConnected);
  }

  get sameWords() {
    const own = this.strip.m.tokens, theirs = this.other.m.tokens;
    return own.length === theirs.length && own.every((word, t) => word === theirs[t]);
  }

  turn() {
    this.group.alike = !this.group.alike;
    for (const strip of this.group.strips) strip.schedule();
  }

  give(other) {
    other.put(this.strip.state.a.slice(), "The other model's weights.", { echo: false });
    this.strip.schedule();
  }

  // These weights changed; `settled`: a hand let go of them.
  changed(settled) {
    const { other } = this;
    if (!other) return;
    if (this.group.alike && this.sameWords) {
      if (settled) this.give(other);
      else other.state.a = this.strip.state.a.slice();
    }
    other.schedule();
  }

  paint(now) {
    const { other } = this, { m, state } = this.strip;
    this.node.hidden = !other;
    if (!other) return;
    const theirs = other.state.now, same = this.sameWords, called = other.m.reader || "the other";
    const sameClasses = m.classes.length === other.m.classes.length && m.classes.every((name, c) => name === other.m.classes[c]);
    const apart = [sameClasses ? `predictions TVD ${number(tvd(now.p, theirs.p))}` : "other classes", same ? `attention JSD ${number(jsd(state.a, other.state.a))} nats` : "the text is cut otherwise there, so weights can't be carried over"];
    write(this.words, `Against ${called}, as both stand: ${apart.join(", ")}.`);
    this.tools.hidden = !same;
    this.alike.setAttribute("aria-pressed", String(this.group.alike));
  }

  close() {
    this.group?.strips.delete(this.strip);
  }
}
