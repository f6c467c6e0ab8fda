// What a strip is given, checked.
import { context, lifted, link, readout, sum, top } from "./arithmetic.js";
import { Tail } from "./tail.js";

const LARGEST = 1e100; // of a number, as in arrays.py

// One clear sentence if these can't be the weights of T tokens, else "".
export function fault(a, T) {
  if (a.length !== T) return `attention: ${a.length} weights for ${T} tokens; give one weight a token.`;
  const bad = a.findIndex((w) => !(w >= 0 && w <= LARGEST));
  if (bad >= 0 && Math.abs(a[bad]) === Infinity) return `attention: weight ${bad} is infinite; weights are numbers from 0 to 1.`;
  if (bad >= 0 && Number.isNaN(a[bad])) return `attention: weight ${bad} is not a number; weights are numbers from 0 to 1.`;
  if (bad >= 0 && a[bad] < 0) return `attention: weight ${bad} is ${a[bad]}; a weight can't be below 0.`;
  if (bad >= 0) return `attention: weight ${bad} is ${a[bad]}; weights are numbers from 0 to 1.`;
  const total = sum(a);
  return Math.abs(total - 1) > 1e-6 ? `attention: the weights sum to ${+total.toPrecision(9)}, they must sum to 1.` : "";
}

// Float64Array of what a widget (bytes) or a page (numbers) holds; null stays null.
export function floats(x) {
  if (x === null || x === undefined) return null;
  if (ArrayBuffer.isView(x) && !(x instanceof Float64Array)) x = x.buffer.slice(x.byteOffset, x.byteOffset + x.byteLength);
  return x instanceof ArrayBuffer ? new Float64Array(x) : Float64Array.from(x);
}

// What is computed with, from the traits of heed.strip.TokenStrip; weights: a tail's. Throws an Error with one sentence.
export function read(get, weights = null) {
  const head = get("head"), m = { tokens: get("tokens"), classes: get("classes"), original: floats(get("original")) };
  Object.assign(m, { act: head.act, link: head.link, weight: head.weight, bias: head.bias, allowed: get("allowed") });
  Object.assign(m, { values: floats(get("values")), shift: floats(get("shift")), T: m.tokens.length, moves: head.moves });
  m.tail = head.steps ? new Tail(head, weights) : null;
  m.cost = m.tail ? m.tail.cost : m.shift.length * (1 + m.classes.length); // of a prediction, in multiplications
  m.D = m.tail ? head.lift.columns : m.shift.length;
  Object.assign(m, { question: get("question"), queryName: get("query_name") || "Question", label: get("label"), real: get("real"), known: get("known"), marked: get("marked"), name: get("name") || "strip", reader: get("reader") || "", direction: get("direction") || "ltr" });
  if (m.T === 0) throw Error("This strip has no tokens.");
  if (m.values.length !== m.T * m.D) throw Error(`values: ${m.values.length} numbers for ${m.T} tokens of ${m.D} columns.`);
  const wrong = fault(m.original, m.T);
  if (wrong) throw Error(wrong);
  m.ownState = lifted(m, context(m, m.original));
  m.ownLogits = readout(m, m.ownState);
  m.prediction = link(m, m.ownLogits);
  m.predicted = top(m.prediction);
  return m;
}
