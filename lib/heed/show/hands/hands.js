// A reader's hands on the bars: mouse, finger, pen and keyboard; the box for a number, and what is said beside a token.
import { clamp, top } from "./arithmetic.js";
import { h, write } from "./page.js";
import { number, quoted, visible } from "./words.js";

const STILL = 4; // pixels that a pointer may move within a click
const TOLD = 2500; // milliseconds that a word beside a token stays
const STEPS = { ArrowUp: 0.01, ArrowDown: -0.01, PageUp: 0.1, PageDown: -0.1 };
export const KEYS = "Drag a bar, or click it and type a number; the circle below it pins the token. ← → to another token, Home and End to the first and last, ↑ ↓ by 0.01, Page Up and Page Down by 0.1, Enter or a digit to type a number, P to pin, Delete for 0. Pinned tokens keep their weight; the others share the rest in their proportions.";

// The token that an event is of, or -1.
const index = (target) => target?.closest?.(".hs-tok")?.hs ?? -1;

export class Hands {
  constructor(strip) {
    this.strip = strip;
    this.drag = null; // {t, y, base, moved}: where it began
    this.box = h("input.box", { type: "text", inputmode: "decimal", autocomplete: "off", hidden: true });
    this.bubble = h("p.bubble", { "aria-hidden": "true", hidden: true }); // the status says it to those who can't see it
    this.pointers(strip.bars.node);
    this.keys(strip.bars.node);
  }

  change(t, weight, by) {
    const next = this.strip.state.moved(t, weight);
    if (!next) return this.strip.refuse(t);
    this.strip.put(next, by, { hand: true });
    this.tell(t);
  }

  pin(t) {
    const { state, strip } = { state: this.strip.state, strip: this.strip };
    state.pins = state.pins.slice();
    state.pins[t] = 1 - state.pins[t];
    state.remember();
    strip.wrong("");
    this.hush();
    strip.after(null); // what was still to be said of the weights would be said over this
    strip.bars.accessible();
    strip.say(`${quoted(strip.m.tokens[t])} ${state.pins[t] ? "is pinned" : "is free"}.`);
  }

  // ---- what is said beside a token: the prediction stays in sight of the hand that changes it

  tell(t, text = null) {
    const { bars, m, state } = this.strip, now = state.now, c = top(now.p), { bubble } = this;
    write(bubble, text ?? `${number(state.a[t])} · ${this.strip.nameOf(c)} ${number(now.p[c])}, was ${number(m.prediction[c])} · TVD ${number(now.tvd)} ${state.isWithin ? "✓" : "✗"} · JSD ${number(now.jsd)}`);
    bubble.classList.toggle("hs-refused", text !== null);
    bubble.hidden = false;
    const { node } = bars.tokens[t], half = bubble.offsetWidth / 2, wide = bars.node.clientWidth;
    const middle = node.offsetLeft - bars.node.scrollLeft + node.offsetWidth / 2;
    bubble.style.left = `${clamp(middle, Math.min(half, wide / 2), Math.max(wide - half, wide / 2)) - half}px`;
    bubble.style.top = `${Math.max(node.offsetTop - bars.node.scrollTop, 0) - bubble.offsetHeight - 2}px`;
    clearTimeout(this.hiding);
    if (!this.drag) this.hiding = setTimeout(() => this.hush(), TOLD);
  }

  hush() {
    clearTimeout(this.hiding);
    this.bubble.hidden = true;
  }

  // ---- mouse, finger and pen

  pointers(node) {
    node.addEventListener("pointerdown", (event) => this.press(event));
    node.addEventListener("pointermove", (event) => (this.drag ? this.pull(event) : this.over(index(event.target))));
    node.addEventListener("pointerleave", () => this.over(-1));
    node.addEventListener("pointerup", () => this.release());
    node.addEventListener("pointercancel", () => this.cancel());
    node.addEventListener("click", (event) => this.click(event));
    node.addEventListener("focusin", (event) => {
      const t = index(event.target), { bars } = this.strip;
      if (t >= 0 && t !== bars.focus) bars.look(t, false);
    });
  }

  over(t) {
    const { bars } = this.strip;
    if (t === bars.hover) return;
    bars.hover = t;
    this.strip.schedule();
  }

  press(event) {
    const t = index(event.target), { bars, state } = this.strip;
    this.pressed = { x: event.clientX, y: event.clientY, pin: event.target.closest(".hs-pin") };
    if (t < 0 || event.button) return;
    bars.look(t);
    const mayScroll = event.pointerType !== "mouse" && !event.target.closest(".hs-col"); // a finger on a word
    if (mayScroll || this.pressed.pin) return;
    event.preventDefault();
    this.drag = { t, y: event.clientY, base: state.a, moved: false };
    bars.node.setPointerCapture(event.pointerId);
  }

  pull(event) {
    const { drag, strip } = this, { bars, state } = strip, up = drag.y - event.clientY;
    if (!drag.moved && Math.abs(up) < STILL) return;
    if (!drag.moved) strip.work.stop();
    drag.moved = state.isDragged = true;
    const next = state.moved(drag.t, bars.weight(bars.height(drag.base[drag.t]) + up / bars.columnHeight()), drag.base);
    if (!next) return strip.refuse(drag.t);
    state.a = next;
    strip.tell(false);
    strip.schedule();
  }

  release() {
    const was = this.drag, { strip } = this;
    this.drag = null;
    strip.state.isDragged = false;
    if (!was?.moved) return;
    strip.settle(`${quoted(strip.m.tokens[was.t])} ${number(strip.state.a[was.t])}.`);
    this.tell(was.t);
  }

  // The browser took the pointer away, to scroll: all is as it was.
  cancel() {
    const was = this.drag, { strip } = this;
    this.drag = null;
    strip.state.isDragged = false;
    if (was?.moved) {
      strip.state.a = was.base;
      strip.tell(true);
      strip.bars.accessible();
    }
    this.hush();
    strip.schedule();
  }

  // A click that was no drag pins, or opens the number box.
  click(event) {
    const target = document.elementFromPoint(event.clientX, event.clientY), t = index(target), { pressed } = this;
    if (t < 0 || !pressed || Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) >= STILL) return;
    if (pressed.pin) this.pin(t);
    else this.ask(t);
  }

  // ---- the number box

  ask(t, begun = null) {
    const { bars, m, state } = this.strip, { node } = bars.tokens[t], { box } = this;
    this.hush();
    box.hidden = false;
    box.value = String(+state.a[t].toFixed(4));
    box.hs = t;
    box.setAttribute("aria-label", `weight of ${visible(m.tokens[t])}, 0 to 1`);
    box.style.left = `${Math.max(node.offsetLeft - bars.node.scrollLeft + node.offsetWidth / 2 - 32, 0)}px`;
    box.style.top = `${node.offsetTop - bars.node.scrollTop}px`;
    box.focus();
    if (begun === null) box.select();
    else box.value = begun; // what was typed opened the box
  }

  answer(take) {
    const { box, strip } = this;
    if (box.hidden) return;
    const t = box.hs, text = box.value.trim().replace(",", "."), weight = Number(text);
    box.hidden = true;
    if (!take || text === String(+strip.state.a[t].toFixed(4))) return;
    if (text === "" || !(weight >= 0 && weight <= 1)) {
      const said = `A weight is a number from 0 to 1, not ${quoted(box.value)}.`;
      strip.wrong(said);
      return this.tell(t, said);
    }
    this.change(t, weight, `${quoted(strip.m.tokens[t])} ${number(weight)}.`);
  }

  // ---- the keyboard

  keys(node) {
    const { box, strip } = this;
    box.addEventListener("blur", () => this.answer(true));
    box.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();
      this.answer(event.key === "Enter");
      strip.bars.tokens[strip.bars.focus].node.focus();
    });
    node.addEventListener("keydown", (event) => {
      const t = index(event.target);
      if (t < 0 || event.altKey || event.ctrlKey || event.metaKey || !this.key(t, event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  // What a key does on a token; false if it does nothing there.
  key(t, key) {
    const { bars, m, state } = this.strip, right = m.direction === "rtl" ? -1 : 1; // where the next word stands
    const to = { ArrowLeft: t - right, ArrowRight: t + right, Home: 0, End: m.T - 1 }[key], word = quoted(m.tokens[t]);
    if (to !== undefined) bars.look(clamp(to, 0, m.T - 1));
    else if (STEPS[key]) this.change(t, clamp(state.a[t] + STEPS[key], 0, 1), `${word}.`);
    else if (key === "Enter") this.ask(t);
    else if (/^[0-9.,]$/.test(key)) this.ask(t, key);
    else if (key === "Delete" || key === "Backspace") this.change(t, 0, `${word} 0.`);
    else if (key === "p" || key === "P") this.pin(t);
    else if (key === "Escape") this.hush();
    else return false;
    return true;
  }
}
