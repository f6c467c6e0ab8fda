// The most different attention within ε: exactly, as far as is known, and as the paper searches.
import { LIMIT, SLOPES, clamp, context, generator, jsd, link, normal, ofContext, probs, readout, sum, tvd, xlogy } from "./arithmetic.js";

const TOLERANCE = 1e-13; // of a probability, as in exact.py

// What a token adds to the JSD when its weight q becomes x, beyond what it adds at 0.
const gain = (x, q) => 0.5 * (xlogy(x, 2 * x) + xlogy(q, q) - xlogy(x + q, x + q));
const onTwo = (T, best) => {
  const a = new Float64Array(T);
  a[best.i] += best.weight;
  a[best.j] += 1 - best.weight;
  return a;
};

// The most different attention within epsilon. Generators yield their progress in [0, 1] and return
// {jsd, attention, exact}, or null. One logit: every vertex of the simplex cut by the slab (exact.py).
export function* best(m, epsilon) {
  return m.act === "identity" && m.link === "sigmoid" && !m.weight ? yield* vertices(m, epsilon) : yield* pairs(m, epsilon);
}

function* vertices(m, epsilon) {
  const { T, values: r, original: a } = m, e = epsilon + TOLERANCE;
  const own = context(m, a)[0], x = own + m.shift[0], p = 1 / (1 + Math.exp(-x)), q = 1 / (1 + Math.exp(x));
  const low = e >= p ? -Infinity : Math.log(p - e) - Math.log(q + e) - x + own;
  const high = e >= q ? Infinity : Math.log(p + e) - Math.log(q - e) - x + own;
  let found = { jsd: -Infinity };
  for (let t = 0; t < T; t++) {
    const value = 0.5 * LIMIT + gain(1, a[t]);
    if (low <= r[t] && r[t] <= high && value > found.jsd) found = { jsd: value, i: t, j: t, weight: 1 };
  }
  for (const [b, s] of [low, high].entries()) {
    if (!Number.isFinite(s)) continue;
    const above = [...r.keys()].filter((t) => r[t] > s);
    for (let i = 0; i < T; i++) {
      if (!(r[i] < s)) continue;
      for (const j of above) {
        const w = (r[j] - s) / (r[j] - r[i]), value = 0.5 * LIMIT + gain(w, a[i]) + gain(1 - w, a[j]);
        if (value > found.jsd) found = { jsd: value, i, j, weight: w };
      }
      if (i % 8 === 0) yield (b + i / T) / 2;
    }
  }
  return found.i === undefined ? null : { jsd: clamp(found.jsd, 0, LIMIT), attention: onTwo(T, found), exact: true };
}

// Other heads: every token alone, and pairs of the 64 least attended ones, a grid of weights, ends of feasible stretches by bisection.
function* pairs(m, epsilon) {
  const { T, D, values, original: a } = m, e = epsilon + TOLERANCE, y = m.prediction, c = new Float64Array(D);
  const tokens = [...a.keys()].sort((i, j) => a[i] - a[j] || i - j).slice(0, 64), n = tokens.length;
  let found = { jsd: -Infinity };
  for (let t = 0; t < T; t++) {
    for (let d = 0; d < D; d++) c[d] = values[t * D + d];
    const value = 0.5 * LIMIT + gain(1, a[t]);
    if (value > found.jsd && tvd(ofContext(m, c), y) <= e) found = { jsd: value, i: t, j: t, weight: 1 };
  }
  for (let x = 0; x < n; x++) {
    for (let k = x + 1; k < n; k++) {
      const i = tokens[x], j = tokens[k];
      const good = (w) => {
        for (let d = 0; d < D; d++) c[d] = w * values[i * D + d] + (1 - w) * values[j * D + d];
        return tvd(ofContext(m, c), y) <= e;
      };
      const take = (w) => {
        const value = 0.5 * LIMIT + gain(w, a[i]) + gain(1 - w, a[j]);
        if (value > found.jsd) found = { jsd: value, i, j, weight: w };
      };
      let before = good(0);
      if (before) take(0);
      for (let g = 1; g <= 32; g++) {
        const now = good(g / 32);
        if (now) take(g / 32);
        if (now !== before) {
          let [inside, outside] = now ? [g / 32, (g - 1) / 32] : [(g - 1) / 32, g / 32];
          for (let b = 0; b < 50; b++) {
            const middle = (inside + outside) / 2;
            if (good(middle)) inside = middle;
            else outside = middle;
          }
          take(inside);
        }
        before = now;
      }
    }
    yield (x + 1) / n;
  }
  return found.i === undefined ? null : { jsd: found.jsd, attention: onTwo(T, found), exact: false };
}

// The paper's search (adversary.py): Adam with AMSGrad on sum JSD + pairs - penalty · sum max(0, TVD - ε), over
// k attentions. `logits` (k arrays of T) is where it starts. Returns the best one within ε, or null.
export function* search(m, epsilon, logits, { steps = 500, rate = 0.01, penalty = 100 } = {}) {
  const { T, D, values, original } = m, y = m.prediction, k = logits.length;
  const zeros = () => logits.map(() => new Float64Array(T)), first = zeros(), second = zeros(), highest = zeros();
  const softmax = (l) => {
    const most = l.reduce((x, v) => Math.max(x, v), -Infinity), e = l.map((v) => Math.exp(v - most)), total = sum(e);
    return e.map((v) => v / total);
  };
  for (let step = 1; step <= steps; step++) {
    // d JSD(p, q) / dp = ½ ln(p / m); a weight of 0 stays 0, whatever its gradient.
    const all = logits.map(softmax), logs = all.map((a) => a.map((x) => (x > 0 ? Math.log(x) : 0))), up = zeros();
    for (let i = 0; i < k; i++) {
      for (let t = 0; t < T; t++) up[i][t] += 0.5 * (logs[i][t] - Math.log((all[i][t] + original[t]) / 2 || 1));
      for (let j = 0; j < i; j++) {
        for (let t = 0, each = 0.5 / (k * (k - 1)); t < T; t++) {
          const middle = Math.log((all[i][t] + all[j][t]) / 2 || 1);
          up[i][t] += each * (logs[i][t] - middle);
          up[j][t] += each * (logs[j][t] - middle);
        }
      }
    }
    for (let i = 0; i < k; i++) {
      const a = all[i], g = up[i], z = context(m, a).map((v, d) => v + m.shift[d]);
      const p = link(m, readout(m, z));
      if (tvd(p, y) > epsilon) {
        const slope = p.map((x, c) => -penalty * 0.5 * Math.sign(x - y[c])), mean = p.reduce((s, x, c) => s + x * slope[c], 0);
        const dz = m.link === "sigmoid" ? [(slope[1] - slope[0]) * p[0] * p[1]] : p.map((x, c) => x * (slope[c] - mean));
        const dc = z.map((v, d) => SLOPES[m.act](v) * (m.weight ? m.weight.reduce((s, row, c) => s + row[d] * dz[c], 0) : dz[d]));
        for (let t = 0; t < T; t++) for (let d = 0; d < D; d++) g[t] += dc[d] * values[t * D + d];
      }
      const mean = g.reduce((s, x, t) => s + a[t] * x, 0), decay = [1 - 0.9 ** step, 1 - 0.999 ** step];
      for (let t = 0; t < T; t++) {
        const down = -a[t] * (g[t] - mean); // Adam goes down
        first[i][t] = 0.9 * first[i][t] + 0.1 * down;
        second[i][t] = 0.999 * second[i][t] + 0.001 * down * down;
        highest[i][t] = Math.max(highest[i][t], second[i][t]);
        logits[i][t] -= ((rate / decay[0]) * first[i][t]) / (Math.sqrt(highest[i][t] / decay[1]) + 1e-8);
      }
    }
    yield step / steps;
  }
  const ends = logits.map(softmax).filter((a) => tvd(probs(m, a), y) <= epsilon);
  const scored = ends.map((attention) => ({ jsd: jsd(attention, original), attention, exact: false }));
  return scored.reduce((x, y) => (x && x.jsd >= y.jsd ? x : y), null);
}
export const start = (T, seed, k = 5, spread = 3) => {
  const draw = generator(seed);
  return Array.from({ length: k }, () => Float64Array.from({ length: T }, () => spread * normal(draw)));
};
