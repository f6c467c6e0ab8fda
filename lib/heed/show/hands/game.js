// How far can you change the story, by hand, and keep the prediction?
import { h, write } from "./page.js";
import { number } from "./words.js";

export class Game {
  constructor(strip) {
    this.strip = strip;
    this.on = null; // {best, optimum}: the reader's, and the most there is, null while it is computed
    this.toggle = strip.button("Game", "how far can you change the story?", () => this.turn());
    this.toggle.setAttribute("aria-pressed", "false");
    this.meter = h("meter", { min: 0, max: 1, "aria-label": "score" });
    this.score = h("b");
    this.rules = h("p");
    this.node = h("div.game", { hidden: true }, this.rules, h("p", {}, this.meter, " ", this.score));
  }

  turn() {
    if (this.on) {
      this.on = null;
      this.strip.work.stop();
    } else this.begin();
    this.toggle.setAttribute("aria-pressed", String(!!this.on));
    this.strip.schedule();
  }

  async begin() {
    const mine = (this.on = { best: 0, optimum: null }), { strip } = this;
    this.count();
    const result = await strip.adversaries.optimum();
    if (this.on !== mine || result === undefined) return;
    mine.optimum = result?.attention ? result.jsd : 0;
    strip.say(`The game is on: the ${strip.adversaries.bestName} is ${number(mine.optimum)} nats.`);
    strip.schedule();
  }

  // Weights that hands alone made of the model's own count, where the prediction stays.
  count() {
    const { state } = this.strip;
    if (this.on && state.byHand && state.isWithin) this.on.best = Math.max(this.on.best, state.now.jsd);
  }

  paint() {
    const { on } = this, { state, adversaries } = this.strip;
    this.node.hidden = !on;
    if (!on) return;
    write(this.rules, `Change the story as far as you can and keep the prediction within ε = ${state.epsilon}. What your hands move of the model's own attention counts; what a button or a link sets doesn't: press Original to begin anew.`);
    const share = on.optimum ? Math.min(on.best / on.optimum, 1) : 0;
    this.meter.value = share;
    const of = on.optimum === null ? "; the optimum is being computed" : ` of ${number(on.optimum)} (${adversaries.bestName}): ${Math.round(100 * share)} %`;
    write(this.score, `Best so far ${number(on.best)} nats${of}`);
  }
}
