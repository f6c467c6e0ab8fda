// The most different attention within ε: exactly, as far as is known, and as the paper searches.
import { LIMIT, clamp, context, generator, jsd, lifted, link, normal, ofContext, probs, pulled, readout, sum, tvd, xlogy } from "./arithmetic.js";

const TOLERANCE = 1e-13; // of a probability, as in exact.py

// What a token adds to the JSD when its weight q becomes x, beyond what it adds at 0.
const gain = (x, q) => 0.5 * (xlogy(x, 2 * x) + xlogy(q, q) - xlogy(x + q, x + q));
const onTwo = (T, best) => {
  const a = new Float64Array(T);
  a[best.i] += best.weight;
  a[best.j] += 1 - best.weight;
  return a;
};

// Whether a head is one logit, linear in attention: then the optimum is exact.
export const isOneLogit = (m) => m.act === "identity" && m.link === "sigmoid" && !m.weight;

// The most different attention within epsilon. Generators yield their progress in [0, 1] and return
// {jsd, attention, exact, cut}, or null. One logit: every vertex of the simplex cut by the slab (exact.py).
export function* best(m, epsilon) {
  return isOneLogit(m) ? yield* vertices(m, epsilon) : yield* pairs(m, epsilon);
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

// How much is tried of other heads: pairs of so many tokens, on a grid of so many weights, with so many bisections; and
// starts of the paper's search. A tail's predictions are dear, so of one it is what BUDGET allows; `most` bounds it.
const BUDGET = 3e9, EACH = 200000; // multiplications: of a search, some seconds; and between two signs of life
const STEPS_OF_SEARCH = 500, WHOLE = { tokens: 64, grid: 32, turns: 50, starts: 5, most: Infinity, isWhole: true };
export function effort(m) {
  const most = Math.floor(BUDGET / m.cost), starts = clamp(Math.floor(most / (2 * STEPS_OF_SEARCH)), 1, WHOLE.starts);
  if (!m.tail || most > 1e5) return WHOLE;
  const grid = 8, pairs = most / (2 * (grid + 1)); // half of it for bisections, and tokens alone
  return { tokens: clamp(Math.floor(Math.sqrt(2 * pairs)), 2, WHOLE.tokens), grid, turns: 12, starts, most, isWhole: false };
}

// Every token alone, and pairs of the least attended ones on a grid of weights, with the ends of feasible stretches by
// bisection. The JSD is convex along a pair: a stretch has no more than its ends, so stretches are tried from the most
// on, and where that is no more than what was found nothing better is left. `cut` says if some were left untried.
function* pairs(m, epsilon) {
  const { T, D, values, original: a } = m, e = epsilon + TOLERANCE, y = m.prediction, c = new Float64Array(D);
  const order = [...a.keys()].sort((i, j) => a[i] - a[j] || i - j), how = effort(m);
  const tokens = order.slice(0, how.tokens), n = tokens.length, { grid, most } = how, pause = Math.max(Math.floor(EACH / m.cost), 1);
  let found = { jsd: -Infinity }, tried = 0;
  const good = (i, j, w) => {
    for (let d = 0; d < D; d++) c[d] = w * values[i * D + d] + (1 - w) * values[j * D + d];
    tried++;
    return tvd(ofContext(m, c), y) <= e;
  };
  const take = (value, i, j, weight) => {
    if (value > found.jsd) found = { jsd: value, i, j, weight };
  };
  for (const t of order) {
    if (tried >= most) break;
    if (good(t, t, 1)) {
      take(0.5 * LIMIT + gain(1, a[t]), t, t, 1);
      break; // the others have more of the model's own attention
    }
    if (tried % pause === 0) yield 0;
  }
  const which = [], reach = [], levels = new Float64Array(grid + 1);
  for (let x = 0; x < n; x++) {
    for (let k = x + 1; k < n; k++) {
      for (let g = 0; g <= grid; g++) levels[g] = 0.5 * LIMIT + gain(g / grid, a[tokens[x]]) + gain(1 - g / grid, a[tokens[k]]);
      for (let g = 0; g < grid; g++) {
        const upper = Math.max(levels[g], levels[g + 1]);
        if (upper > found.jsd) which.push((x * n + k) * grid + g), reach.push(upper);
      }
    }
    yield 0;
  }
  const stretches = [...which.keys()].sort((p, q) => reach[q] - reach[p]), known = new Map();
  let cut = tried >= most;
  for (let at = 0, paused = tried; at < stretches.length && reach[stretches[at]] > found.jsd; at++) {
    if ((cut = tried >= most)) break;
    const code = which[stretches[at]], g = code % grid, pair = (code - g) / grid, i = tokens[Math.floor(pair / n)], j = tokens[pair % n];
    const level = (w) => 0.5 * LIMIT + gain(w, a[i]) + gain(1 - w, a[j]);
    const isGood = (k) => {
      const key = pair * (grid + 1) + k;
      if (!known.has(key)) known.set(key, good(i, j, k / grid));
      return known.get(key);
    };
    const [high, low] = level(g / grid) >= level((g + 1) / grid) ? [g, g + 1] : [g + 1, g];
    if (isGood(high)) take(level(high / grid), i, j, high / grid);
    else if (isGood(low)) {
      take(level(low / grid), i, j, low / grid);
      for (let b = 0, inside = low / grid, outside = high / grid; b < how.turns && level(outside) > found.jsd; b++) {
        const middle = (inside + outside) / 2;
        if (good(i, j, middle)) take(level((inside = middle)), i, j, middle);
        else outside = middle;
        if (tried % pause === 0) yield Math.min(Math.max(at / stretches.length, tried / most), 1);
      }
    }
    if (tried - paused < pause) continue;
    paused = tried;
    yield Math.min(Math.max(at / stretches.length, tried / most), 1);
  }
  return found.i === undefined ? (cut ? { cut, attention: null } : null) : { jsd: clamp(found.jsd, 0, LIMIT), attention: onTwo(T, found), exact: false, cut };
}

// The paper's search (adversary.py): Adam with AMSGrad on sum JSD + pairs - penalty · sum max(0, TVD - ε), over
// k attentions. `logits` (k arrays of T) is where it starts. Returns the best one within ε, or null.
export function* search(m, epsilon, logits, { steps = STEPS_OF_SEARCH, rate = 0.01, penalty = 100 } = {}) {
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
      const a = all[i], g = up[i], z = lifted(m, context(m, a));
      const p = link(m, readout(m, z));
      if (tvd(p, y) > epsilon) {
        const slope = p.map((x, c) => -penalty * 0.5 * Math.sign(x - y[c])), mean = p.reduce((s, x, c) => s + x * slope[c], 0);
        const dz = m.link === "sigmoid" ? [(slope[1] - slope[0]) * p[0] * p[1]] : p.map((x, c) => x * (slope[c] - mean));
        const dc = pulled(m, z, dz);
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
export const start = (T, seed, k = WHOLE.starts, spread = 3) => {
  const draw = generator(seed);
  return Array.from({ length: k }, () => Float64Array.from({ length: T }, () => spread * normal(draw)));
};
