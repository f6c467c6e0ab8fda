// Elements, and which keys are the notebook's.

// An element: h("button", {type: "button", onclick}, "text", child). Strings become text nodes, nothing else.
export function h(name, attributes = {}, ...children) {
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
export const write = (node, text) => node.textContent === text || (node.textContent = text);

// JupyterLab's shortcuts listen at the document before anything else does, so `m` pressed on a token would turn its
// cell into text. They let be an element that has this attribute itself. Keys with Ctrl, Alt or Meta, and Shift+Enter,
// are JupyterLab's. The area: the strip, or the explorer that it stands in. Returns what ends it.
export function keepKeys(root) {
  const listen = (event) => {
    const area = root.closest(".heed-hands") ?? root;
    if (!area.contains(event.target)) return;
    const theirs = event.ctrlKey || event.altKey || event.metaKey || (event.shiftKey && event.key === "Enter");
    event.target.toggleAttribute("data-lm-suppress-shortcuts", !theirs);
  };
  window.addEventListener("keydown", listen, true);
  return () => window.removeEventListener("keydown", listen, true);
}
