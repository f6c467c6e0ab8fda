// Long work, in slices so that the page stays alive; the adversaries, which are such work.
import { best, effort, isOneLogit, search, start } from "./adversaries.js";
import { jsd, probs, tvd } from "./arithmetic.js";
import { h } from "./page.js";
import { floats } from "./given.js";
import { number } from "./words.js";

const SLICE = 12; // milliseconds
const STARTED = ["", "one random start", "two random starts", "three random starts", "four random starts", "five random starts"];

export class Work {
  constructor(strip) {
    this.strip = strip;
    this.job = 0;
    this.progress = h("progress", { max: 1, "aria-label": "progress" });
    this.node = h("span.working", { hidden: true }, this.progress, strip.button("Stop", "leave it as it is", () => this.stop()));
  }

  // What a generator returns in the end; undefined if it was stopped.
  async of(title, steps) {
    const mine = ++this.job;
    this.node.hidden = false;
    this.progress.value = 0;
    this.strip.say(`${title} …`);
    for (;;) {
      const until = performance.now() + SLICE;
      let step;
      do step = steps.next();
      while (!step.done && performance.now() < until);
      if (step.done) {
        if (mine === this.job) this.node.hidden = true;
        return step.value;
      }
      this.progress.value = step.value;
      await new Promise((on) => setTimeout(on));
      if (this.strip.closed || mine !== this.job) return undefined;
    }
  }

  stop() {
    this.job++;
    this.node.hidden = true;
  }
}

export class Adversaries {
  constructor(strip) {
    const { m, model } = strip;
    this.strip = strip;
    this.found = floats(model.get("found")); // by the run's search, at that ε
    this.foundAt = model.get("found_epsilon");
    this.searched = this.found ? [this.found] : []; // all that searches have found
    const oneLogit = isOneLogit(m), { tokens, grid, starts, isWhole } = (this.effort = effort(m));
    this.bestName = oneLogit ? "exact optimum" : "best known";
    const few = isWhole ? "" : `: one token, or two of the ${tokens} with the least attention in ${grid} steps, as this model's predictions take long`;
    const which = oneLogit ? "the most different attention there is within ε" : `the most different attention known within ε${few}`;
    this.buttons = [
      strip.button("Paper's adversary", `the search of Jain & Wallace (2019): Adam from ${STARTED[starts]}${starts < 5 ? " instead of five, as this model's predictions take long" : ""}`, () => this.search()),
      strip.button(oneLogit ? "Exact adversary" : "Best adversary", which, () => this.best()),
    ];
  }

  // The best attention within ε: {jsd, attention, exact}, null if there is none, undefined if stopped. Where it
  // isn't exact, what a search has found counts, too.
  async optimum() {
    const { m, state, work } = this.strip;
    const result = await work.of(`Looking for the ${this.bestName}`, best(m, state.epsilon));
    if (result === undefined || result?.exact) return result;
    const known = this.searched.filter((a) => this.isWithin(a)).map((a) => ({ jsd: jsd(a, m.original), attention: a.slice(), exact: false }));
    const most = [result, ...known].reduce((most, one) => (one?.attention && (!most || one.jsd > most.jsd) ? one : most), null);
    return most ?? result; // null, or that what was tried was cut short
  }

  isWithin(a) {
    const { m, state } = this.strip;
    return tvd(probs(m, a), m.prediction) <= state.epsilon + 1e-12;
  }

  async best() {
    const result = await this.optimum();
    const few = this.effort.isWhole ? "" : ` of the few that were tried (two of ${this.effort.tokens} tokens)`;
    this.show(result, result?.exact ? "The exact optimum" : `The best known${few}`);
  }

  async search() {
    const { m, state, work } = this.strip;
    if (!this.found || state.epsilon !== this.foundAt) {
      const result = await work.of("Searching as the paper does", search(m, state.epsilon, start(m.T, 1, this.effort.starts)));
      if (result) this.searched.push(result.attention.slice());
      return this.show(result, "What the search found");
    }
    work.stop();
    this.show(this.isWithin(this.found) ? { jsd: jsd(this.found, m.original), attention: this.found.slice() } : null, "What the run's search found");
  }

  show(result, what) {
    const { strip } = this;
    if (result === undefined || strip.closed) return;
    if (!result?.attention) return strip.wrong(`Nothing was found whose prediction is within ε = ${strip.state.epsilon}. Take a larger ε${this.effort.isWhole ? "" : ", or the other adversary: this model's predictions take long, so few are tried"}.`);
    strip.put(result.attention, null);
    strip.bars.accessible();
    strip.overview.show(strip.overview.changed(1)[0]);
    strip.say(`${what} at ε = ${strip.state.epsilon}: JSD ${number(result.jsd)} nats.`);
  }
}
