// What follows the last attention of a loaded model: its steps, forth for logits and back for gradients.
// A step is of Tail.steps in Python: linear, norm, act or add; it says where its weights begin in one array.
// States of P points lie one after another in a Float64Array: (P, size).

const ROOT_PI = Math.sqrt(Math.PI), ROOT_2 = Math.SQRT2, SCALE = Math.sqrt(2 / Math.PI);

// The error function to 15 digits: erf x = 2/√π exp(-x²) Σ 2ⁿ x²ⁿ⁺¹ / (2n+1)!!, whose terms have one sign.
export function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x, total = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(total); n++) {
    term *= (2 * x * x) / (2 * n + 1);
    total += term;
  }
  return (2 / ROOT_PI) * Math.exp(-x * x) * total;
}

const below = (x) => 0.5 * (1 + erf(x / ROOT_2)); // how much of a normal distribution lies below x
const logistic = (x) => 1 / (1 + Math.exp(-x));
const bent = (x) => Math.tanh(SCALE * (x + 0.044715 * x ** 3));
const CURVES = {
  gelu: [(x) => x * below(x), (x) => below(x) + (x * Math.exp((-x * x) / 2) * SCALE) / 2],
  gelu_new: [(x) => 0.5 * x * (1 + bent(x)), (x) => 0.5 * (1 + bent(x)) + 0.5 * x * (1 - bent(x) ** 2) * SCALE * (1 + 3 * 0.044715 * x * x)],
  relu: [(x) => Math.max(x, 0), (x) => (x > 0 ? 1 : 0)],
  silu: [(x) => x * logistic(x), (x) => logistic(x) * (1 + x * (1 - logistic(x)))],
  tanh: [Math.tanh, (x) => 1 - Math.tanh(x) ** 2],
};

// x (P, columns) through a matrix (rows, columns) that begins at `at`. A weight is read once for four points.
function through(weights, { weight, bias, rows, columns }, x, P) {
  const y = new Float64Array(P * rows), n = columns;
  for (let r = 0; r < rows; r++) {
    const at = weight + r * n, added = bias === null ? 0 : weights[bias + r];
    let p = 0;
    for (; p + 4 <= P; p += 4) {
      let a = added, b = added, c = added, d = added;
      for (let k = 0, i = p * n; k < n; k++, i++) {
        const w = weights[at + k];
        a += w * x[i];
        b += w * x[i + n];
        c += w * x[i + 2 * n];
        d += w * x[i + 3 * n];
      }
      y[p * rows + r] = a;
      y[(p + 1) * rows + r] = b;
      y[(p + 2) * rows + r] = c;
      y[(p + 3) * rows + r] = d;
    }
    for (; p < P; p++) {
      let a = added, b = 0, c = 0, d = 0, k = 0, i = p * n;
      for (; k + 4 <= n; k += 4, i += 4) {
        a += weights[at + k] * x[i];
        b += weights[at + k + 1] * x[i + 1];
        c += weights[at + k + 2] * x[i + 2];
        d += weights[at + k + 3] * x[i + 3];
      }
      for (; k < n; k++, i++) a += weights[at + k] * x[i];
      y[p * rows + r] = a + b + c + d;
    }
  }
  return y;
}

// The other way: gradients (P, rows) to gradients (P, columns). Four rows are read at once.
function against(weights, { weight, rows, columns }, g, P) {
  const up = new Float64Array(P * columns), n = columns;
  let r = 0;
  for (; r + 4 <= rows; r += 4) {
    const at = weight + r * n;
    for (let p = 0; p < P; p++) {
      const from = p * rows + r, a = g[from], b = g[from + 1], c = g[from + 2], d = g[from + 3];
      if (a === 0 && b === 0 && c === 0 && d === 0) continue;
      for (let k = 0, i = p * n, w = at; k < n; k++, i++, w++) up[i] += a * weights[w] + b * weights[w + n] + c * weights[w + 2 * n] + d * weights[w + 3 * n];
    }
  }
  for (; r < rows; r++) {
    for (let p = 0, at = weight + r * n; p < P; p++) {
      for (let k = 0, i = p * n, a = g[p * rows + r]; k < n; k++, i++) up[i] += a * weights[at + k];
    }
  }
  return up;
}

// Layer normalisation of x (P, size), and what its reverse needs: x at mean 0 and variance 1, and 1 / σ (P).
function normalised(weights, { size, weight, bias, epsilon }, x, P) {
  const y = new Float64Array(P * size), flat = new Float64Array(P * size), inverse = new Float64Array(P);
  for (let p = 0; p < P; p++) {
    const from = p * size;
    let mean = 0, variance = 0;
    for (let k = 0; k < size; k++) mean += x[from + k] / size;
    for (let k = 0; k < size; k++) variance += (x[from + k] - mean) ** 2 / size;
    inverse[p] = 1 / Math.sqrt(variance + epsilon);
    for (let k = 0; k < size; k++) {
      flat[from + k] = (x[from + k] - mean) * inverse[p];
      y[from + k] = flat[from + k] * weights[weight + k] + weights[bias + k];
    }
  }
  return { y, flat, inverse };
}

function unnormalised(weights, { size, weight }, { flat, inverse }, g, P) {
  const up = new Float64Array(P * size);
  for (let p = 0; p < P; p++) {
    const from = p * size;
    let mean = 0, along = 0;
    for (let k = 0; k < size; k++) {
      up[from + k] = g[from + k] * weights[weight + k];
      mean += up[from + k] / size;
      along += (up[from + k] * flat[from + k]) / size;
    }
    for (let k = 0; k < size; k++) up[from + k] = (up[from + k] - mean - flat[from + k] * along) * inverse[p];
  }
  return up;
}

export class Tail {
  // told: {lift, steps, classes}, as Python describes it; weights: Float32Array.
  constructor({ lift, steps, classes }, weights) {
    Object.assign(this, { lift, steps, classes, weights });
    // Multiplications that logits cost.
    this.cost = steps.reduce((n, step) => n + (step.do === "linear" ? step.rows * step.columns : 0), 0);
  }

  // z (size) of the head's own context (D), and a gradient the other way.
  lifted(c, shift) {
    return through(this.weights, this.lift, c, 1).map((v, d) => v + shift[d]);
  }

  lowered(g) {
    return against(this.weights, this.lift, g, 1);
  }

  // The states of z (P, size): z itself first, logits (P, C) last; and what norms keep for the way back.
  forth(z, P = 1) {
    const states = [z], kept = [];
    for (const [k, step] of this.steps.entries()) {
      const x = states[k];
      if (step.do === "linear") states.push(through(this.weights, step, x, P));
      else if (step.do === "act") states.push(x.map(CURVES[step.name][0]));
      else if (step.do === "add") states.push(x.map((v, i) => v + states[step.of][i]));
      else states.push((kept[k] = normalised(this.weights, step, x, P)).y);
    }
    return { states, kept, P };
  }

  // The gradient with respect to z (P, size) of what has this gradient with respect to logits (P, C).
  back({ states, kept, P }, g) {
    const also = []; // gradients that come to a state past the step after it
    for (let k = this.steps.length - 1; k >= 0; k--) {
      const step = this.steps[k];
      if (step.do === "linear") g = against(this.weights, step, g, P);
      else if (step.do === "act") g = g.map((v, i) => (v === 0 ? 0 : v * CURVES[step.name][1](states[k][i])));
      else if (step.do === "add") also[step.of] = also[step.of] ? also[step.of].map((v, i) => v + g[i]) : g;
      else g = unnormalised(this.weights, step, kept[k], g, P);
      if (also[k]) g = g.map((v, i) => v + also[k][i]);
    }
    return g;
  }

  logits(z) {
    return this.forth(z).states.at(-1);
  }

  // The gradient (D) of class c's logit, averaged with these weights over points [[s, weight], ...] of the line z0 to z1.
  along(z0, z1, c, points) {
    const { classes } = this, size = z0.length, P = points.length, z = new Float64Array(P * size), g = new Float64Array(P * classes);
    points.forEach(([s, weight], p) => {
      for (let d = 0; d < size; d++) z[p * size + d] = z0[d] + s * (z1[d] - z0[d]);
      g[p * classes + c] = weight;
    });
    const each = this.back(this.forth(z, P), g), all = new Float64Array(size);
    each.forEach((v, i) => (all[i % size] += v));
    return this.lowered(all);
  }
}

// Gauss and Legendre's n points in [0, 1] and their weights: roots of the polynomial, by Newton's method.
export function legendre(n) {
  return Array.from({ length: n }, (_, i) => {
    let x = Math.cos((Math.PI * (i + 0.75)) / (n + 0.5)), slope = 1;
    for (let turn = 0; turn < 20; turn++) {
      let before = 1, now = x;
      for (let k = 2; k <= n; k++) [before, now] = [now, ((2 * k - 1) * x * now - (k - 1) * before) / k];
      slope = (n * (x * now - before)) / (x * x - 1);
      x -= now / slope;
    }
    return [(1 - x) / 2, 1 / ((1 - x * x) * slope * slope)];
  });
}
