// Weights as a link's fragment.
import { sum } from "./arithmetic.js";
import { fault } from "./given.js";

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
