// A tail's weights, which all strips of one model share: in Jupyter they are a widget, in a page one element's text.

const held = (globalThis[Symbol.for("heed.weights")] ??= new Map()); // by their checksum; every widget has a module of its own

function keep({ checksum, size }, bytes) {
  if (bytes.byteLength !== 4 * size) throw Error("The weights of this strip's model were cut or changed. Make the page anew.");
  const whole = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  held.set(checksum, new Float32Array(whole));
  return held.get(checksum);
}

function decoded(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

// As text, for a page that is saved.
export function encoded(weights) {
  const bytes = new Uint8Array(weights.buffer), pieces = [], each = 3 * 8192; // without padding in between
  for (let i = 0; i < bytes.length; i += each) pieces.push(btoa(String.fromCharCode(...bytes.subarray(i, i + each))));
  return pieces.join("");
}

// Float32Array, a promise of one, or null for a head that needs none. Throws an Error with one sentence.
export function weightsOf(model) {
  const head = model.get("head"), { checksum } = head, widget = model.get("weights");
  if (!checksum) return null;
  if (held.has(checksum)) return held.get(checksum);
  if (widget && !model.widget_manager) throw Error("Widgets can't share weights in this notebook: save the strip as a page, strip.save('strip.html').");
  if (widget) return model.widget_manager.get_model(widget.slice("IPY_MODEL_".length)).then((shared) => keep(head, shared.get("content")));
  const node = [...document.querySelectorAll('script[data-heed="weights"]')].find((one) => one.dataset.of === checksum);
  if (!node) throw Error("The weights of this strip's model are not on this page: of a notebook, run all cells from the first on.");
  return keep(head, decoded(node.textContent));
}
