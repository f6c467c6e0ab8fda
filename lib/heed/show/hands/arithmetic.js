// What the library computes, computed here: its twin, held to it by tests.
// Letters as in the library: T tokens, D columns of the values, C classes.
import { legendre } from "./tail.js";

export const LIMIT = Math.LN2; // of a Jensen-Shannon divergence, in nats
export const xlogy = (x, y) => (x > 0 ? x * Math.log(y) : 0);
export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
export const sum = (a) => a.reduce((x, y) => x + y, 0);

// Total variation distance of two predictions (C), in [0, 1].
export const tvd = (p, q) => Math.min(0.5 * p.reduce((s, x, c) => s + Math.abs(x - q[c]), 0), 1);

// Jensen-Shannon divergence of two attentions (T) in nats; 0 ln 0 = 0 exactly.
export function jsd(p, q) {
  let s = 0;
  for (let t = 0; t < p.length; t++) {
    const m = (p[t] + q[t]) / 2;
    s += xlogy(p[t], p[t] / m) + xlogy(q[t], q[t] / m);
  }
  return clamp(s / 2, 0, LIMIT);
}

const ACTS = { identity: (z) => z, tanh: Math.tanh, relu: (z) => Math.max(z, 0) };
const SLOPES = { identity: () => 1, tanh: (z) => 1 - Math.tanh(z) ** 2, relu: (z) => (z > 0 ? 1 : 0) };

// sum_t a_t V_t, shape (D).
export function context(m, a) {
  const c = new Float64Array(m.D);
  for (let t = 0, k = 0; t < m.T; t++) {
    const w = a[t];
    if (w === 0) k += m.D;
    else for (let d = 0; d < m.D; d++) c[d] += w * m.values[k++];
  }
  return c;
}

// What the head decodes of a context (D); a tail's states are wider than the values of one of its heads.
export const lifted = (m, c) => (m.tail ? m.tail.lifted(c, m.shift) : c.map((v, d) => v + m.shift[d]));

function raw(m, z) {
  if (m.tail) return [...m.tail.logits(z)];
  const h = z.map(ACTS[m.act]);
  return m.weight ? m.weight.map((row, c) => row.reduce((s, w, d) => s + w * h[d], m.bias[c])) : [...h];
}

export function readout(m, z) {
  const out = raw(m, z);
  return m.allowed ? out.map((x, c) => (m.allowed[c] ? x : -Infinity)) : out;
}

// The gradient (D) with respect to the context of what has the gradient g (C) with respect to raw logits.
export function pulled(m, z, g) {
  if (m.tail) return m.tail.lowered(m.tail.back(m.tail.forth(z), Float64Array.from(g)));
  return z.map((v, d) => SLOPES[m.act](v) * (m.weight ? m.weight.reduce((s, row, c) => s + row[d] * g[c], 0) : g[d]));
}

export function link(m, x) {
  if (m.link === "sigmoid") return [1 / (1 + Math.exp(x[0])), 1 / (1 + Math.exp(-x[0]))];
  const top = Math.max(...x), e = x.map((v) => Math.exp(v - top)), total = sum(e);
  return e.map((v) => v / total);
}

// The prediction (C) of a context (D).
export const ofContext = (m, c) => link(m, readout(m, lifted(m, c)));
export const probs = (m, a) => ofContext(m, context(m, a));
const logitOf = (m, x, c) => (m.link === "sigmoid" ? (c ? 1 : -1) * x[0] : x[c]);
export const top = (p) => (p.length === 2 ? +(p[1] >= 0.5) : p.indexOf(Math.max(...p)));

// Each token's part (T) of the change of the predicted class's logit, and the change itself.
// Linear: (a_t - â_t) r_t. Else the integral of the gradient along the straight line from â to a: on it each
// act(z_d) sees a z_d that is linear, so the integral is the slope of a chord, and the parts sum to the change.
// Of a tail: by POINTS of the line; in a drag by its middle, ROUGH. z, x: the state and the logits of a, where they are known.
const POINTS = legendre(8), ROUGH = legendre(1);
export function parts(m, a, isRough = false, z = lifted(m, context(m, a)), x = readout(m, z)) {
  const change = logitOf(m, x, m.predicted) - logitOf(m, m.ownLogits, m.predicted);
  const found = m.tail ? ofTail(m, a, z, change, isRough ? ROUGH : POINTS) : ofHead(m, a, z);
  return { parts: found, change };
}

// (a_t - â_t) times v_t's product with a slope (D).
function shares(m, a, slopes) {
  const found = new Float64Array(m.T);
  for (let t = 0, k = 0; t < m.T; t++) {
    let s = 0;
    for (let d = 0; d < m.D; d++) s += slopes[d] * m.values[k++];
    found[t] = (a[t] - m.original[t]) * s;
  }
  return found;
}

function ofHead(m, a, z1) {
  const z0 = m.ownState, act = ACTS[m.act];
  const one = m.link === "sigmoid", row = m.weight && m.weight[one ? 0 : m.predicted];
  const sign = one && !m.predicted ? -1 : 1, slopes = new Float64Array(m.D);
  for (let d = 0; d < m.D; d++) {
    const w = sign * (row ? row[d] : +(d === (one ? 0 : m.predicted)));
    const step = z1[d] - z0[d];
    slopes[d] = w * (Math.abs(step) < 1e-6 ? SLOPES[m.act]((z0[d] + z1[d]) / 2) : (act(z1[d]) - act(z0[d])) / step);
  }
  return shares(m, a, slopes);
}

// What the points leave of the change, by the kinks of a ReLU or in a drag, is shared out by the parts' sizes.
function ofTail(m, a, z1, change, points) {
  const found = shares(m, a, m.tail.along(m.ownState, z1, m.predicted, points));
  const size = found.reduce((s, x) => s + Math.abs(x), 0), left = change - sum(found);
  return size > 0 ? found.map((x) => x + (left * Math.abs(x)) / size) : found;
}

// Attention with `weight` on t: pinned tokens keep theirs, the others their proportions (equally, if they have
// nothing). As much as pins leave, at most. Null if all others are pinned, so that nothing can move.
export function move(a, t, weight, pins = []) {
  const held = a.reduce((s, w, i) => s + (i !== t && pins[i] ? w : 0), 0);
  const free = a.reduce((n, _, i) => n + (i !== t && !pins[i]), 0);
  if (!free) return a.length === 1 ? new Float64Array([1]) : null;
  const now = clamp(weight, 0, Math.max(1 - held, 0)), rest = Math.max(1 - held - now, 0);
  const theirs = a.reduce((s, w, i) => s + (i !== t && !pins[i] ? w : 0), 0);
  return a.map((w, i) => (i === t ? now : pins[i] ? w : theirs > 0 ? (w / theirs) * rest : rest / free));
}

// The weights of the tokens that may change, set by `to`: (their weights) => new ones of the same sum.
export const among = (a, may, to) => {
  const where = [...a.keys()].filter(may), weights = to(where.map((i) => a[i])), b = a.slice();
  where.forEach((i, n) => (b[i] = weights[n]));
  return b;
};
// The order of the weights reversed: the largest where the smallest was.
export const inverted = (w) => {
  const order = [...w.keys()].sort((i, j) => w[i] - w[j] || i - j), b = w.slice();
  order.forEach((i, k) => (b[i] = w[order[w.length - 1 - k]]));
  return b;
};

// A seeded generator of numbers in [0, 1) (mulberry32), and of normal ones.
export const generator = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let x = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
  return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
};
export const normal = (draw) => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
export const shuffled = (w, draw) => {
  for (let i = w.length - 1; i > 0; i--) {
    const j = Math.floor(draw() * (i + 1));
    [w[i], w[j]] = [w[j], w[i]];
  }
  return w;
};
