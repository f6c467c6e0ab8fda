// The token strip: attention as bars that a reader moves, and what the model would have said.
// One plain module, with no dependency: heed.strip gives it to JupyterLab (anywidget) and to static pages.
// Letters as in the library: T tokens, D columns of the values, C classes. Text enters the page as text only.

// ---------------------------------------------------------------- arithmetic, the twin of the library's

const LIMIT = Math.LN2;
const TOLERANCE = 1e-13; // of a probability, as in exact.py
const LARGEST = 1e100; // of a number, as in arrays.py
const xlogy = (x, y) => (x > 0 ? x * Math.log(y) : 0);
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const sum = (a) => a.reduce((x, y) => x + y, 0);

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

function readout(m, z) {
  const h = z.map(ACTS[m.act]);
  const out = m.weight ? m.weight.map((row, c) => row.reduce((s, w, d) => s + w * h[d], m.bias[c])) : [...h];
  return m.allowed ? out.map((x, c) => (m.allowed[c] ? x : -Infinity)) : out;
}

function link(m, x) {
  if (m.link === "sigmoid") return [1 / (1 + Math.exp(x[0])), 1 / (1 + Math.exp(-x[0]))];
  const top = Math.max(...x), e = x.map((v) => Math.exp(v - top)), total = sum(e);
  return e.map((v) => v / total);
}

// The prediction (C) of a context (D).
export const ofContext = (m, c) => link(m, readout(m, c.map((v, d) => v + m.shift[d])));
export const probs = (m, a) => ofContext(m, context(m, a));
const logit = (m, z, c) => (m.link === "sigmoid" ? (c ? 1 : -1) * readout(m, z)[0] : readout(m, z)[c]);
const top = (p) => (p.length === 2 ? +(p[1] >= 0.5) : p.indexOf(Math.max(...p)));

// Each token's part (T) of the change of the predicted class's logit, and the change itself.
// Linear: (a_t - â_t) r_t. Else the integral of the gradient along the straight line from â to a: on it each
// act(z_d) sees a z_d that is linear, so the integral is the slope of a chord, and the parts sum to the change.
export function parts(m, a, c = context(m, a)) {
  const z0 = m.own.map((v, d) => v + m.shift[d]), z1 = c.map((v, d) => v + m.shift[d]), act = ACTS[m.act];
  const one = m.link === "sigmoid", row = m.weight && m.weight[one ? 0 : m.predicted];
  const sign = one && !m.predicted ? -1 : 1, found = new Float64Array(m.T), slopes = new Float64Array(m.D);
  for (let d = 0; d < m.D; d++) {
    const w = sign * (row ? row[d] : +(d === (one ? 0 : m.predicted)));
    const step = z1[d] - z0[d];
    slopes[d] = w * (Math.abs(step) < 1e-6 ? SLOPES[m.act]((z0[d] + z1[d]) / 2) : (act(z1[d]) - act(z0[d])) / step);
  }
  for (let t = 0, k = 0; t < m.T; t++) {
    let s = 0;
    for (let d = 0; d < m.D; d++) s += slopes[d] * m.values[k++];
    found[t] = (a[t] - m.original[t]) * s;
  }
  return { parts: found, change: logit(m, z1, m.predicted) - logit(m, z0, m.predicted) };
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
const among = (a, may, to) => {
  const where = [...a.keys()].filter(may), weights = to(where.map((i) => a[i])), b = a.slice();
  where.forEach((i, n) => (b[i] = weights[n]));
  return b;
};
// The order of the weights reversed: the largest where the smallest was.
const inverted = (w) => {
  const order = [...w.keys()].sort((i, j) => w[i] - w[j] || i - j), b = w.slice();
  order.forEach((i, k) => (b[i] = w[order[w.length - 1 - k]]));
  return b;
};

// A seeded generator of numbers in [0, 1) (mulberry32), and of normal ones.
const generator = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let x = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
  return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
};
const normal = (draw) => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
const shuffled = (w, draw) => {
  for (let i = w.length - 1; i > 0; i--) {
    const j = Math.floor(draw() * (i + 1));
    [w[i], w[j]] = [w[j], w[i]];
  }
  return w;
};

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

// ---------------------------------------------------------------- what it is given

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

// What is computed with, from the traits of heed.strip.TokenStrip. Throws an Error with one sentence.
export function read(get) {
  const head = get("head"), m = { tokens: get("tokens"), classes: get("classes"), original: floats(get("original")) };
  Object.assign(m, { act: head.act, link: head.link, weight: head.weight, bias: head.bias, allowed: get("allowed") });
  Object.assign(m, { values: floats(get("values")), shift: floats(get("shift")), T: m.tokens.length, D: floats(get("shift")).length });
  Object.assign(m, { question: get("question"), queryName: get("query_name") || "Question", label: get("label"), real: get("real"), name: get("name") || "strip", direction: get("direction") || "ltr" });
  if (m.T === 0) throw Error("This strip has no tokens.");
  if (m.values.length !== m.T * m.D) throw Error(`values: ${m.values.length} numbers for ${m.T} tokens of ${m.D} columns.`);
  const wrong = fault(m.original, m.T);
  if (wrong) throw Error(wrong);
  m.own = context(m, m.original);
  m.prediction = ofContext(m, m.own);
  m.predicted = top(m.prediction);
  return m;
}

// Every control, format, private or blank character by its code, such as <200b>, as words.visible does. A joiner
// stays where it is part of the writing: between letters without case or marks, U+200D within an emoji, too. A
// combining mark that begins the word gets a dotted circle to stand on.
const BLANK = /[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/, HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/u, MARK = /^\p{M}/u;
const LETTER = /^[\p{Lo}\p{Mn}\p{Mc}]$/u, SYMBOL = /^[\p{So}\p{Sk}]$/u;
const isHidden = (c) => HIDDEN.test(c) || BLANK.test(c);
function joins(before, c, after) {
  if (BLANK.test(before) || BLANK.test(after)) return false;
  if (/[\u200c\u200d]/.test(c) && LETTER.test(before) && LETTER.test(after)) return true;
  return c === "\u200d" && (SYMBOL.test(before) || before === "\ufe0f") && SYMBOL.test(after);
}
export function visible(word) {
  if (!isHidden(word) && !MARK.test(word)) return word;
  const all = Array.from(word), code = (c) => `<${c.codePointAt(0).toString(16).padStart(4, "0")}>`;
  const shown = all.map((c, i) => (isHidden(c) && !joins(all[i - 1] ?? "", c, all[i + 1] ?? "") ? code(c) : c));
  return (MARK.test(shown[0]) ? "\u25cc" : "") + shown.join("");
}
// The same within a sentence: a word from right to left must not take the numbers beside it along.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const within = (word) => (RIGHT_TO_LEFT.test(word) ? `\u2068${visible(word)}\u2069` : visible(word));

// A perturbation as a link's fragment: name and float32 weights.
export function encode(name, a) {
  const bytes = new Uint8Array(Float32Array.from(a).buffer), text = Array.from(bytes, (b) => String.fromCharCode(b)).join("");
  return `strip=${encodeURIComponent(name)}:${btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
}
// The weights, null if the fragment is of another strip. Throws an Error with one sentence.
export function decode(fragment, name, T) {
  const match = /^#?strip=([^:]*):(.*)$/.exec(fragment);
  if (!match || match[1] !== encodeURIComponent(name)) return null;
  let a;
  try {
    const text = atob(match[2].replace(/-/g, "+").replace(/_/g, "/"));
    a = Float64Array.from(new Float32Array(Uint8Array.from(text, (c) => c.charCodeAt(0)).buffer));
  } catch {
    throw Error("The link's weights can't be read: it was cut or changed. The text is shown as it was.");
  }
  const total = sum(a);
  const wrong = Math.abs(total - 1) < 1e-3 ? fault(a.map((w) => w / total), T) : fault(a, T);
  if (wrong) throw Error(`The link doesn't fit this text (${wrong}) The text is shown as it was.`);
  return a.map((w) => w / total);
}

// ---------------------------------------------------------------- what is shown

const HEIGHT = 64; // of a weight of 1, in pixels; a bar is as high as the root of its weight
const LANE = 9; // of the largest part, up or down
const EPSILONS = [0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
const STRUCTURE = ["tokens", "original", "values", "shift", "head", "allowed", "classes", "label", "question", "query_name", "real", "name", "found", "direction"];
let views = 0; // for ids that are unique on a page

const number = (x, digits = 3) => (Math.abs(x) < 0.5 * 10 ** -digits ? 0 : x).toFixed(digits).replace("-", "−");
const signed = (x, digits = 2) => (Number(x.toFixed(digits)) > 0 ? "+" : "") + number(x, digits);
const quoted = (word) => `“${within(word)}”`;

// An element: h("button", {type: "button", onclick}, "text", child). Strings become text nodes, nothing else.
function h(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split("."), node = document.createElement(tag);
  if (classes.length) node.className = classes.map((c) => `hs-${c}`).join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((c) => c !== null));
  return node;
}
const write = (node, text) => node.textContent === text || (node.textContent = text);

// JupyterLab's shortcuts listen at the document before anything else does, so `m` pressed on a token would turn its
// cell into text. They let be an element that has this attribute itself. Keys with Ctrl, Alt or Meta, and Shift+Enter,
// are JupyterLab's. The area: the strip, or the explorer that it stands in. Returns what ends it.
function keepKeys(root) {
  const listen = (event) => {
    const area = root.closest(".heed-hands") ?? root;
    if (!area.contains(event.target)) return;
    const theirs = event.ctrlKey || event.altKey || event.metaKey || (event.shiftKey && event.key === "Enter");
    event.target.toggleAttribute("data-lm-suppress-shortcuts", !theirs);
  };
  window.addEventListener("keydown", listen, true);
  return () => window.removeEventListener("keydown", listen, true);
}

function build(model, el) {
  const root = h("section.root", { dir: "ltr" }), id = `hs${++views}`;
  el.replaceChildren(root);
  let m;
  try {
    m = read((name) => model.get(name));
  } catch (problem) {
    root.append(h("p.problem", { role: "alert" }, problem.message));
    return { close() {}, take() {}, tell() {}, follow() {} };
  }
  const { T, original } = m, called = (c) => m.classes[c] ?? `class ${c}`, name = (c) => within(called(c)), kept = model.get("found");
  const found = kept && floats(kept), foundAt = model.get("found_epsilon");
  let a = floats(model.get("attention")), copy = null, pins = new Uint8Array(T), at = 0, focus = 0, drag = null;
  let frame = 0, job = 0, game = null, closed = false, draw = generator(T + 1), optimum = null, hover = -1, tops = null;
  let epsilon = model.get("epsilon"), past = [], byHand = true, scale = 0, shown = null, timer = 0, sent = 0;
  const steps = [...new Set([...EPSILONS, epsilon])].sort((x, y) => x - y), freeKeys = keepKeys(root);

  // ---- the page's parts
  const problem = h("p.problem", { role: "alert", hidden: true });
  const status = h("p.status", { role: "status", "aria-live": "polite" });
  const progress = h("progress", { max: 1, "aria-label": "progress" }), stop = h("button", { type: "button", onclick: () => halt() }, "Stop");
  const working = h("span.working", { hidden: true }, progress, stop);
  const rows = Array.from({ length: Math.min(m.prediction.length, 6) }, () => {
    const fill = h("i.fill"), tick = h("i.mark"), label = h("bdi"), value = h("b"), was = h("span.was");
    return { fill, tick, label, value, was, node: h("div.class", {}, label, h("span.gauge", {}, fill, tick), value, was) };
  });
  const gauge = (title, hint) => {
    const fill = h("i.fill"), mark = h("i.mark"), value = h("b"), note = h("span.was");
    return { fill, mark, value, note, node: h("div.class", { title: hint }, h("span", {}, title), h("span.gauge", {}, fill, mark), value, note) };
  };
  const moved = gauge("TVD", "how far the prediction moved: total variation distance, 0 to 1; the mark is ε");
  const told = gauge("JSD", "how far the attention moved: Jensen-Shannon divergence in nats, 0 to 0.693");
  const table = h("tbody"), states = h("div.states", { hidden: true });
  const why = h("p.why"), detail = h("p.detail");
  const strip = h("div.strip", { dir: m.direction, role: "group", "aria-label": `Attention on ${T} tokens`, "aria-describedby": `${id}-keys` });
  const box = h("input.box", { type: "text", inputmode: "decimal", autocomplete: "off", hidden: true });

  const button = (text, hint, onclick) => h("button", { type: "button", title: hint, onclick }, text);
  const free = (t) => !pins[t], real = (t) => !pins[t] && (!m.real || m.real[t]);
  const set = (text, hint, to) =>
    button(text, hint, () => {
      const next = to();
      if (next) put(next, `${text}.`, true, text === "Original");
    });
  const buttons = [
    set("Original", "the model's own attention", () => ((byHand = true), original.slice())),
    set("Uniform", "the same weight on every token that isn't pinned", () => among(a, free, (w) => w.fill(sum(w) / w.length))),
    set("Permute", "the weights in another order; markers and pinned tokens keep theirs", () => among(a, real, (w) => shuffled(w, draw))),
    set("Invert", "the largest weight where the smallest was, and so on", () => among(a, real, inverted)),
    set("Erase top", "nothing on the token that has the most; the others share it", () => {
      const t = [...a.keys()].filter(free).reduce((x, y) => (x >= 0 && a[x] >= a[y] ? x : y), -1);
      return t < 0 ? refuse() : move(a, t, 0, pins) ?? refuse();
    }),
  ];
  const oneLogit = m.act === "identity" && m.link === "sigmoid" && !m.weight;
  const bestName = oneLogit ? "exact optimum" : "best known";
  const adversaries = [
    button("Paper's adversary", "the search of Jain & Wallace (2019): Adam from five random starts", () => adversary(false)),
    button(oneLogit ? "Exact adversary" : "Best adversary", oneLogit ? "the most different attention there is within ε" : "the most different attention known within ε", () => adversary(true)),
  ];
  const slide = h("input", { type: "range", min: 0, max: steps.length - 1, step: 1, value: steps.indexOf(epsilon), "aria-label": "ε, how far the prediction may move", oninput: () => tolerate(steps[slide.value]) });
  const epsilonShown = h("output.epsilon");
  const undo = button("Undo", "Ctrl+Z", () => travel(-1)), redo = button("Redo", "Ctrl+Shift+Z", () => travel(1));
  const keep = button("Keep a copy", "keep this state beside the one you change", () => {
    copy = a.slice();
    say("A copy is kept; its weights are the thin bars.");
    ghosts();
    schedule();
  });
  const play = h("button", { type: "button", "aria-pressed": "false", title: "how far can you change the story?", onclick: () => toggleGame() }, "Game");
  const score = h("div.game", { hidden: true });
  const save = (kind, make) => button(kind, `save what you see as ${kind}`, () => download(kind.toLowerCase(), make()));
  const address = h("input.address", { type: "text", readonly: true, hidden: true, "aria-label": "link to this state", onfocus: () => address.select() });
  const keys = "Drag a bar, or click it and type a number. ← → to another token, Home and End to the first and last, ↑ ↓ by 0.01, Page Up and Page Down by 0.1, Enter or a digit to type a number, P to pin, Delete for 0. Pinned tokens keep their weight; the others share the rest in their proportions.";
  const help = h("details.help", {}, h("summary", {}, "How to"), h("p", { id: `${id}-keys` }, keys),
    h("p", {}, "A bar is as high as the root of its weight; the line across it is the model's own weight. Below a word is its part of the change of the logit: up for more, down for less. Striped bars are markers."));
  const label = m.label === null || m.label === undefined || m.label < 0 ? null : h("p.given", {}, "Label: ", h("bdi", {}, name(m.label)), ...(m.label === m.predicted ? [] : ["; the model predicts ", h("bdi", {}, name(m.predicted)), ", which is wrong"]));
  const panel = h("div.panel", {}, h("div.half", {}, ...rows.map((r) => r.node), h("p.others")), h("div.half", {}, moved.node, told.node, states));
  const bar = (title, ...all) => h("div.tools", { role: "group", "aria-label": title }, ...all);
  const copied = h("div.compare", {}, h("table", {}, h("thead", {}, h("tr", {}, ...["state", `P(${name(m.predicted)})`, "TVD", "JSD"].map((x) => h("th", { scope: "col" }, x)))), table),
    button("Swap", "the copy becomes the state that you change, and the other way round", () => { const other = a; const next = copy; copy = other; put(next.slice(), "Swapped."); ghosts(); }),
    button("Drop the copy", "only one state", () => { copy = null; ghosts(); schedule(); }));
  states.append(copied);
  root.append(
    ...[m.question ? h("p.given", {}, `${m.queryName}: `, h("bdi", {}, visible(m.question))) : null, label].filter(Boolean),
    problem, panel,
    bar("set all weights", ...buttons), bar("adversaries", ...adversaries, h("label.slide", {}, "ε ", slide, epsilonShown), working),
    bar("history and save", undo, redo, keep, play, h("span", {}, "Save"), save("HTML", page), save("SVG", drawing), save("CSV", rowsOf), button("Link", "a link that carries these weights", share), address),
    score, h("div.frame", {}, strip, box), detail, why, status, help,
  );

  // ---- tokens
  const nodes = m.tokens.map((word, t) => {
    const column = h("span.col"), lane = h("span.lane"); // what is drawn is their background: no layout in a drag
    column.style.setProperty("--own", `${(Math.sqrt(original[t]) * HEIGHT).toFixed(1)}px`);
    const text = h("bdi.word", {}, visible(word) || " ");
    const node = h(m.real && !m.real[t] ? "div.tok.marker" : "div.tok", { role: "slider", tabindex: t ? -1 : 0, "aria-orientation": "vertical", "aria-valuemin": 0, "aria-valuemax": 1 }, column, text, lane);
    node.hs = t;
    return { node, column, lane, num: null };
  });
  strip.append(...nodes.map((n) => n.node));
  const describe = (t) => `${quoted(m.tokens[t])}: weight ${number(a[t], 4)} (the model's own ${number(original[t], 4)})${pins[t] ? ", pinned" : ""}`;

  function paint() {
    frame = 0;
    const c = context(m, a), p = ofContext(m, c), change = tvd(p, m.prediction), far = jsd(a, original), moves = parts(m, a, c);
    const order = shownFirst(p);
    rows.forEach((r, k) => {
      const c = order[k];
      write(r.label, name(c));
      r.label.title = name(c);
      write(r.value, number(p[c]));
      write(r.was, `was ${number(m.prediction[c])}${p.length > 2 && c === m.label ? ", label" : ""}`);
      r.fill.style.width = `${100 * p[c]}%`;
      r.tick.style.left = `${100 * m.prediction[c]}%`;
      r.node.classList.toggle("hs-top", c === top(p));
    });
    write(root.querySelector(".hs-others"), p.length > rows.length ? `and ${p.length - rows.length} other classes` : "");
    write(moved.value, number(change));
    write(moved.note, change <= epsilon + 1e-9 ? "✓ within ε" : "✗ beyond ε");
    moved.fill.style.width = `${100 * change}%`;
    moved.mark.style.left = `${100 * epsilon}%`;
    write(told.value, number(far));
    write(told.note, "of 0.693 nats");
    told.fill.style.width = `${(100 * far) / LIMIT}%`;
    told.mark.style.left = "100%";
    const largest = moves.parts.reduce((x, v) => Math.max(x, Math.abs(v)), 1e-9), before = scale;
    scale = 2 ** Math.ceil(Math.log2(largest)); // a power of two, so that few bars change in a drag
    shown ??= { bar: new Int16Array(T).fill(-1), part: new Int16Array(T), num: new Int16Array(T).fill(-1) };
    const [from, to] = inView();
    for (let t = from; t < to; t++) {
      const n = nodes[t], high = Math.round(Math.sqrt(a[t]) * HEIGHT * 2), part = Math.round((moves.parts[t] / scale) * LANE);
      if (high !== shown.bar[t]) n.column.style.setProperty("--now", `${(shown.bar[t] = high) / 2}px`);
      if (part !== shown.part[t]) {
        n.lane.style.setProperty("--part", `${Math.abs(part)}px`);
        if (part > 0 !== shown.part[t] > 0) n.lane.classList.toggle("hs-more", part > 0);
        shown.part[t] = part;
      }
      const digits = a[t] >= 0.05 ? Math.round(a[t] * 100) : 0;
      if (digits || shown.num[t] > 0) {
        n.num ??= n.column.appendChild(h("span.num", { "aria-hidden": "true" }));
        if (digits !== shown.num[t]) write(n.num, digits ? (digits / 100).toFixed(2) : "");
        const own = Math.sqrt(original[t]) * HEIGHT; // a number must not lie on the line of the model's own weight
        n.num.style.transform = `translateY(${-(own >= high / 2 - 1 && own < high / 2 + 15 ? own + 1 : high / 2)}px)`;
      }
      shown.num[t] = digits;
    }
    if (drag) accessible(drag.t);
    write(detail, describe(hover >= 0 ? hover : focus) + `, part ${signed(moves.parts[hover >= 0 ? hover : focus], 3)}`);
    const leading = strongest(moves.parts, 5).map((t) => `${quoted(m.tokens[t])} ${signed(moves.parts[t])}`);
    const how = m.act === "identity" ? "" : " Each part is the gradient, integrated along the straight line from the model's own attention.";
    write(why, leading.length ? `The logit of ${name(m.predicted)} changed by ${signed(moves.change)}: ${leading.join(", ")}${leading.length < count(moves.parts) ? ", …" : "."}${how}` : `Nothing has moved. The model predicts ${name(m.predicted)}.`);
    undo.disabled = at === 0;
    redo.disabled = at === past.length - 1;
    if (copy) compare(p, change, far);
    states.hidden = !copy;
    paintGame();
  }
  // Two classes stand in their order. Of more the model's own prediction comes first, then what it gave to each;
  // where there is no room for all, the label and what is predicted now come before the others.
  function shownFirst(p) {
    const order = [...p.keys()], now = top(p), all = p.length <= rows.length;
    if (p.length === 2) return order;
    const rank = (c) => {
      if (c === m.predicted) return 4;
      if (all) return m.prediction[c];
      return c === m.label ? 3 : c === now ? 2 : Math.max(p[c], m.prediction[c]);
    };
    return order.sort((i, j) => rank(j) - rank(i) || i - j);
  }
  const schedule = () => (frame ||= requestAnimationFrame(() => !closed && paint()));
  const count = (x) => x.reduce((n, v) => n + (Math.abs(v) >= 0.005), 0);
  function strongest(x, n) {
    const best = [];
    for (let t = 0; t < T; t++) {
      if (Math.abs(x[t]) < 0.005) continue;
      const k = best.findIndex((b) => Math.abs(x[b]) < Math.abs(x[t]));
      if (k >= 0 || best.length < n) best.splice(k < 0 ? best.length : k, 0, t);
      if (best.length > n) best.pop();
    }
    return best;
  }
  // The tokens that can be seen, so that a frame costs the same at any length; the others follow when scrolled to.
  function inView() {
    tops ??= strip.scrollHeight > strip.clientHeight + 1 ? Float64Array.from(nodes, (n) => n.node.offsetTop) : [];
    if (!tops.length) return [0, T];
    const from = tops.findIndex((y) => y > strip.scrollTop - 200), to = tops.findIndex((y) => y > strip.scrollTop + strip.clientHeight + 100);
    return [Math.max(from, 0), to < 0 ? T : to];
  }
  const watch = new ResizeObserver(() => ((tops = null), schedule()));
  watch.observe(strip);
  strip.addEventListener("scroll", () => schedule(), { passive: true });
  function accessible(t) {
    const node = nodes[t].node;
    node.setAttribute("aria-label", `${visible(m.tokens[t])}, token ${t + 1} of ${T}${m.real && !m.real[t] ? ", marker" : ""}`);
    node.setAttribute("aria-valuenow", a[t].toFixed(4));
    node.setAttribute("aria-valuetext", `${number(a[t])}${pins[t] ? ", pinned" : ""}, the model's own ${number(original[t])}`);
  }
  function compare(p, change, far) {
    const q = probs(m, copy), c = m.predicted;
    const lines = [["the model's own", m.prediction[c], null, null], ["now", p[c], change, far], ["copy", q[c], tvd(q, m.prediction), jsd(copy, original)], ["now against copy", null, tvd(p, q), jsd(a, copy)]];
    table.replaceChildren(...lines.map(([title, ...cells]) => h("tr", {}, h("th", { scope: "row" }, title), ...cells.map((x) => h("td", {}, x === null ? "–" : number(x))))));
  }
  function ghosts() {
    nodes.forEach((n, t) => n.column.style.setProperty("--copy", copy ? `${Math.sqrt(copy[t]) * HEIGHT}px` : "0px"));
    schedule();
  }

  // ---- changes
  function pin(t, on) {
    pins[t] = on;
    nodes[t].node.classList.toggle("hs-pinned", !!on);
  }
  const say = (text) => write(status, text);
  const wrong = (text) => {
    write(problem, text);
    problem.hidden = !text;
  };
  const refuse = () => (wrong("Nothing can move: all other tokens are pinned. Unpin one with P."), null);
  // A new state: it is drawn, remembered, told to the kernel and read out. `by` says what made it.
  function put(next, by, own = true, hand = false) {
    a = next;
    byHand &&= hand;
    halt();
    settle(by, own);
  }
  function settle(by, own = true) {
    wrong("");
    remember();
    if (own) tell(true);
    if (game) marks();
    after(by);
  }
  // A state in the history: weights, pins, and whether hands alone made it of the model's own attention.
  function remember() {
    const now = past[at];
    if (!now || now.a.some((w, t) => w !== a[t]) || now.pins.some((w, t) => w !== pins[t])) past = [...past.slice(Math.max(past.length - 199, 0), at + 1), { a: a.slice(), pins: pins.slice(), byHand }];
    at = past.length - 1;
  }
  function after(by) {
    schedule();
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (closed) return;
      nodes.forEach((_, t) => accessible(t));
      const p = probs(m, a);
      say(`${by === "adversary" ? "" : by ? `${by} ` : ""}${name(top(p))} ${number(p[top(p)])}, TVD ${number(tvd(p, m.prediction))}, JSD ${number(jsd(a, original))}.`);
    }, 150);
  }
  function tell(now) {
    if (!now && performance.now() - sent < 100) return; // a drag tells the kernel ten times a second
    sent = performance.now();
    model.set("attention", new DataView(a.slice().buffer));
    model.save_changes();
  }
  function travel(by) {
    if (!past[at + by]) return;
    at += by;
    a = past[at].a.slice();
    byHand = past[at].byHand;
    pins.forEach((_, t) => pin(t, past[at].pins[t]));
    halt();
    wrong("");
    tell(true);
    after(by < 0 ? "Undone." : "Done again.");
  }
  function tolerate(value, own = true) {
    epsilon = value;
    write(epsilonShown, String(epsilon));
    slide.value = steps.indexOf(epsilon);
    slide.setAttribute("aria-valuetext", String(epsilon));
    if (own) {
      model.set("epsilon", epsilon);
      model.save_changes();
    }
    if (game) startGame();
    schedule();
  }

  // ---- long work, in slices so that the page stays alive
  async function work(title, steps) {
    const mine = ++job;
    working.hidden = false;
    progress.value = 0;
    say(`${title} …`);
    for (;;) {
      const until = performance.now() + 12;
      let step;
      do step = steps.next();
      while (!step.done && performance.now() < until);
      if (step.done) {
        if (mine === job) working.hidden = true;
        return step.value;
      }
      progress.value = step.value;
      await new Promise((on) => setTimeout(on));
      if (closed || mine !== job) return undefined;
    }
  }
  const halt = () => {
    job++;
    working.hidden = true;
  };
  async function adversary(exactly) {
    let result;
    if (!exactly && found && epsilon === foundAt) {
      const change = tvd(probs(m, found), m.prediction);
      result = change <= epsilon + 1e-12 ? { jsd: jsd(found, original), attention: found.slice(), run: true } : null;
    } else if (exactly) result = await work(`Looking for the ${bestName}`, best(m, epsilon));
    else result = await work("Searching as the paper does", search(m, epsilon, start(T, 1)));
    if (result === undefined || closed) return;
    if (!result) return wrong(`Nothing was found whose prediction is within ε = ${epsilon}. Take a larger ε.`);
    a = result.attention;
    byHand = false;
    settle("adversary");
    clearTimeout(timer);
    nodes.forEach((_, t) => accessible(t));
    say(`${exactly ? (result.exact ? "The exact optimum" : "The best known") : result.run ? "What the run's search found" : "What the search found"} at ε = ${epsilon}: JSD ${number(result.jsd)} nats.`);
  }

  // ---- the game
  async function startGame() {
    game = { best: 0, optimum: null };
    marks();
    const mine = game, result = await work(`Looking for the ${bestName}`, best(m, epsilon));
    if (game !== mine || result === undefined) return;
    game.optimum = result ? result.jsd : 0;
    say(`The game is on: the ${bestName} is ${number(game.optimum)} nats.`);
    schedule();
  }
  function toggleGame() {
    if (game) {
      game = null;
      halt();
    } else startGame();
    play.setAttribute("aria-pressed", String(!!game));
    schedule();
  }
  function marks() {
    if (game && byHand && tvd(probs(m, a), m.prediction) <= epsilon + 1e-12) game.best = Math.max(game.best, jsd(a, original));
  }
  const meter = h("meter", { min: 0, max: 1, "aria-label": "score" }), scored = h("b"), rules = h("p");
  score.append(rules, h("p", {}, meter, " ", scored));
  function paintGame() {
    score.hidden = !game;
    if (!game) return;
    write(rules, `Change the story as far as you can and keep the prediction within ε = ${epsilon}. What your hands move of the model's own attention counts; what a button or a link sets doesn't: press Original to begin anew.`);
    const share = game.optimum ? Math.min(game.best / game.optimum, 1) : 0;
    meter.value = share;
    write(scored, `Best so far ${number(game.best)} nats` + (game.optimum === null ? "; the optimum is being computed" : ` of ${number(game.optimum)} (${bestName}): ${Math.round(100 * share)} %`));
  }

  // ---- hands
  const index = (target) => target.closest?.(".hs-tok")?.hs ?? -1;
  function look(t, take = true) {
    nodes[focus].node.tabIndex = -1;
    nodes[t].node.tabIndex = 0;
    focus = t;
    if (take) nodes[t].node.focus({ preventScroll: false });
    schedule();
  }
  function change(t, weight, by) {
    const next = move(a, t, weight, pins);
    if (!next) return refuse();
    put(next, by, true, true);
  }
  strip.addEventListener("pointerdown", (event) => {
    const t = index(event.target);
    if (t < 0 || event.button) return;
    look(t);
    if (event.pointerType !== "mouse" && !event.target.closest(".hs-col")) return; // a finger on a word scrolls
    event.preventDefault();
    drag = { t, y: event.clientY, base: a.slice(), moved: false };
    strip.setPointerCapture(event.pointerId);
  });
  strip.addEventListener("pointermove", (event) => {
    if (!drag) {
      const t = index(event.target);
      if (t !== hover) (hover = t), schedule();
      return;
    }
    const up = drag.y - event.clientY;
    if (!drag.moved && Math.abs(up) < 4) return;
    if (!drag.moved) halt();
    drag.moved = true;
    const next = move(drag.base, drag.t, clamp(Math.sqrt(drag.base[drag.t]) + up / HEIGHT, 0, 1) ** 2, pins);
    if (!next) return refuse();
    a = next;
    tell(false);
    schedule();
  });
  strip.addEventListener("pointerleave", () => ((hover = -1), schedule()));
  strip.addEventListener("pointerup", () => {
    const was = drag;
    drag = null;
    if (was?.moved) settle(`${quoted(m.tokens[was.t])} ${number(a[was.t])}.`);
  });
  strip.addEventListener("pointercancel", () => {
    const was = drag;
    drag = null;
    if (was?.moved) {
      a = was.base;
      tell(true);
      nodes.forEach((_, t) => accessible(t));
    }
    schedule();
  });
  let pressed = null; // a click that was no drag opens the number box
  strip.addEventListener("pointerdown", (event) => (pressed = { x: event.clientX, y: event.clientY }), true);
  strip.addEventListener("click", (event) => {
    const t = document.elementFromPoint(event.clientX, event.clientY);
    if (pressed && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < 4 && t && index(t) >= 0) ask(index(t));
  });
  strip.addEventListener("focusin", (event) => {
    const t = index(event.target);
    if (t >= 0 && t !== focus) look(t, false);
  });
  function ask(t, begun = null) {
    const node = nodes[t].node;
    box.hidden = false;
    box.value = String(+a[t].toFixed(4));
    box.hs = t;
    box.setAttribute("aria-label", `weight of ${visible(m.tokens[t])}, 0 to 1`);
    box.style.left = `${Math.max(node.offsetLeft - strip.scrollLeft + node.offsetWidth / 2 - 32, 0)}px`;
    box.style.top = `${node.offsetTop - strip.scrollTop}px`;
    box.focus();
    if (begun === null) box.select();
    else box.value = begun; // what was typed opened the box
  }
  function answer(take) {
    if (box.hidden) return;
    const t = box.hs, text = box.value.trim().replace(",", "."), weight = Number(text);
    box.hidden = true;
    if (!take || text === String(+a[t].toFixed(4))) return;
    if (text === "" || !(weight >= 0 && weight <= 1)) return wrong(`A weight is a number from 0 to 1, not ${quoted(box.value)}.`);
    change(t, weight, `${quoted(m.tokens[t])} ${number(weight)}.`);
  }
  box.addEventListener("blur", () => answer(true));
  box.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    answer(event.key === "Enter");
    nodes[focus].node.focus();
  });
  strip.addEventListener("keydown", (event) => {
    const t = index(event.target), by = { ArrowUp: 0.01, ArrowDown: -0.01, PageUp: 0.1, PageDown: -0.1 }[event.key];
    if (t < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const right = m.direction === "rtl" ? -1 : 1; // where the next word stands
    const to = { ArrowLeft: t - right, ArrowRight: t + right, Home: 0, End: T - 1 }[event.key];
    if (to !== undefined) look(clamp(to, 0, T - 1));
    else if (by) change(t, clamp(a[t] + by, 0, 1), `${quoted(m.tokens[t])}.`);
    else if (event.key === "Enter") ask(t);
    else if (/^[0-9.,]$/.test(event.key)) ask(t, event.key);
    else if (event.key === "Delete" || event.key === "Backspace") change(t, 0, `${quoted(m.tokens[t])} 0.`);
    else if (event.key === "p" || event.key === "P") {
      pin(t, 1 - pins[t]);
      remember();
      wrong("");
      schedule();
      accessible(t);
      say(`${quoted(m.tokens[t])} ${pins[t] ? "is pinned" : "is free"}.`);
    } else return;
    event.preventDefault();
    event.stopPropagation(); // JupyterLab's own keys must not see it
  });
  root.addEventListener("keydown", (event) => {
    if (event.target === address || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    event.preventDefault();
    event.stopPropagation();
    travel(event.shiftKey ? 1 : -1);
  });

  // ---- files and links
  function download(kind, text) {
    const types = { html: "text/html", svg: "image/svg+xml", csv: "text/csv" };
    const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: `${types[kind]};charset=utf-8` })), download: `strip-${m.name.replace(/[^\p{L}\p{N}_-]/gu, "-")}.${kind}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say(`Saved ${link.download}.`);
  }
  // A field that a spreadsheet could take for a formula gets an apostrophe.
  const field = (text) => `"${visible(text).replace(/^([=+@-].)/su, "'$1").replace(/"/g, '""')}"`;
  function rowsOf() {
    const moves = parts(m, a).parts, real = (t) => +(!m.real || m.real[t]);
    const lines = m.tokens.map((w, t) => [t, field(w), real(t), original[t], a[t], ...(copy ? [copy[t]] : []), moves[t]].join(","));
    return [`position,token,real,original,attention,${copy ? "copy," : ""}part_of_logit_change`, ...lines, ""].join("\r\n");
  }
  function drawing() {
    const space = "http://www.w3.org/2000/svg", width = strip.scrollWidth, svg = document.createElementNS(space, "svg");
    const add = (kind, attributes, text) => {
      const node = svg.appendChild(document.createElementNS(space, kind));
      for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
      if (text !== undefined) node.textContent = text;
    };
    const high = strip.scrollHeight + 24, colours = getComputedStyle(root);
    const saved = (name) => colours.getPropertyValue(`--saved-${name}`).trim(); // light, on a dark page too
    svg.setAttribute("viewBox", `0 0 ${width} ${high}`);
    svg.setAttribute("width", width);
    svg.setAttribute("height", high);
    svg.setAttribute("font-family", "sans-serif");
    add("rect", { width, height: high, fill: saved("paper") });
    const p = probs(m, a), c = top(p);
    add("text", { x: 4, y: 15, "font-size": 12 }, `P(${name(c)}) = ${number(p[c])}, TVD ${number(tvd(p, m.prediction))}, JSD ${number(jsd(a, original))}`);
    nodes.forEach(({ node, column }, t) => {
      const x = node.offsetLeft + column.offsetLeft, base = 24 + node.offsetTop + column.offsetTop + column.offsetHeight;
      const bar = Math.sqrt(a[t]) * HEIGHT, own = Math.sqrt(original[t]) * HEIGHT, middle = node.offsetLeft + node.offsetWidth / 2;
      add("rect", { x: x + 4, y: base - bar, width: 18, height: bar, fill: saved(m.real && !m.real[t] ? "edge" : "bar") });
      add("rect", { x: x + 1, y: base - own - 1, width: 24, height: 2, fill: saved("mark") });
      if (a[t] >= 0.05) add("text", { x: middle, y: base - bar - 4, "text-anchor": "middle", "font-size": 11 }, a[t].toFixed(2));
      add("text", { x: middle, y: base + 15, "text-anchor": "middle", "font-size": 14 }, visible(m.tokens[t]));
    });
    return new XMLSerializer().serializeToString(svg);
  }
  function page() {
    const values = { attention: [...a], epsilon };
    for (const key of STRUCTURE) values[key] = model.get(key);
    for (const key of ["original", "values", "shift", "found"]) values[key] = values[key] && [...floats(values[key])];
    values.found_epsilon = foundAt;
    const escape = (x) => visible(String(x)).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
    const p = probs(m, a), cells = m.tokens.map((w, t) => `<tr><td><bdi>${escape(w)}</bdi></td><td>${number(original[t], 4)}</td><td>${number(a[t], 4)}</td></tr>`);
    const title = `Attention on ${escape(m.name)}: ${escape(called(top(p)))} ${number(p[top(p)])}`;
    const plain = `<table><caption>${title}</caption><thead><tr><th>token</th><th>original</th><th>attention</th></tr></thead><tbody>${cells.join("")}</tbody></table>`;
    const { script, style } = sources(model), state = JSON.stringify(values).replace(/</g, "\\u003c");
    return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${title}</title></head><body><main>
<div class="heed-strip">${plain}</div><script type="application/json" data-heed="state">${state}</${"script"}>
<style data-heed="style">${style}</style><script type="module" data-heed="strip">${script}</${"script"}></main></body></html>\n`;
  }
  async function share() {
    const url = `${location.href.split("#")[0]}#${encode(m.name, a)}`;
    address.value = url;
    address.hidden = false;
    try {
      await navigator.clipboard.writeText(url);
      say("The link is in the clipboard.");
    } catch {
      address.focus();
      say("Copy the link from the field.");
    }
  }

  // ---- the model's side
  function take() {
    const next = floats(model.get("attention")), text = fault(next, T);
    if (text) return wrong(text);
    if (drag || next.every((w, t) => w === a[t])) return;
    put(next, "Set from code.", false);
  }
  function follow() {
    const value = model.get("epsilon");
    if (value === epsilon) return;
    if (!steps.includes(value)) steps.push(value), steps.sort((x, y) => x - y), slide.setAttribute("max", steps.length - 1);
    tolerate(value, false);
  }
  const first = fault(a, T);
  if (first) a = original.slice();
  remember();
  tolerate(epsilon, false);
  nodes.forEach((_, t) => accessible(t));
  paint();
  wrong(first || model.get("problem") || "");
  try {
    const linked = decode(location.hash, m.name, T);
    if (linked) put(linked, "As in the link.");
  } catch (error) {
    wrong(error.message);
  }
  return { take, follow, tell: () => wrong(model.get("problem")), close: () => ((closed = true), clearTimeout(timer), watch.disconnect(), freeKeys()) };
}

export function render({ model, el }) {
  let view = build(model, el), waiting = false;
  const again = () => {
    if (waiting) return;
    waiting = true; // several traits change together: build once
    queueMicrotask(() => {
      waiting = false;
      view.close();
      view = build(model, el);
    });
  };
  const on = { "change:attention": () => waiting || view.take(), "change:epsilon": () => waiting || view.follow(), "change:problem": () => waiting || view.tell() };
  for (const name of STRUCTURE) on[`change:${name}`] = again;
  for (const [event, act] of Object.entries(on)) model.on(event, act);
  return () => {
    for (const [event, act] of Object.entries(on)) model.off(event, act);
    view.close();
  };
}

// ---------------------------------------------------------------- pages without Jupyter

// What a static page holds instead of a widget's model.
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
// The module's own text and style, to be saved with a page: from the widget, or from the page it runs in.
function sources(model) {
  if (model.get("_esm")) return { script: `${model.get("_esm")}\nmount(document);\n`, style: model.get("_css") };
  const [script, style] = ["strip", "style"].map((x) => document.querySelector(`[data-heed="${x}"]`).textContent);
  return { script, style };
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
