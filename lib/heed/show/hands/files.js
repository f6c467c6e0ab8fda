// What a reader takes along: a table, a picture, a page that lives without Jupyter, a link.
import { parts, probs, top } from "./arithmetic.js";
import { floats } from "./given.js";
import { encode } from "./links.js";
import { h } from "./page.js";
import { encoded } from "./weights.js";
import { number, visible } from "./words.js";

const DENSE = 2; // pixels of a saved image for one of the page's
const TYPES = { html: "text/html;charset=utf-8", svg: "image/svg+xml;charset=utf-8", csv: "text/csv;charset=utf-8", png: "image/png" };
// What a page is given beside its weights, from the widget's traits.
export const STRUCTURE = ["tokens", "original", "values", "shift", "head", "allowed", "classes", "label", "question", "query_name", "real", "known", "marked", "name", "reader", "found", "direction"];

export class Files {
  constructor(strip) {
    this.strip = strip;
    this.address = h("input.address", { type: "text", readonly: true, hidden: true, "aria-label": "link to this state", onfocus: () => this.address.select() });
    const save = (kind, make) => strip.button(kind, `save what you see as ${kind}`, async () => this.download(kind.toLowerCase(), await make()));
    this.buttons = [
      save("HTML", () => this.page()), save("SVG", () => this.drawing()), save("PNG", () => this.image()), save("CSV", () => this.rows()),
      strip.button("Link", "a link that carries these weights", () => this.share()),
    ];
  }

  download(kind, content) {
    const href = URL.createObjectURL(new Blob([content], { type: TYPES[kind] }));
    const anchor = h("a", { href, download: `strip-${this.strip.m.name.replace(/[^\p{L}\p{N}_-]/gu, "-")}.${kind}` });
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(href), 10000);
    this.strip.say(`Saved ${anchor.download}.`);
  }

  rows() {
    const { m, state } = this.strip, { a, copy } = state, moves = parts(m, a).parts, real = (t) => +(!m.real || m.real[t]);
    const lines = m.tokens.map((word, t) => [t, field(word), real(t), ...(m.marked?.length ? [+m.marked[t]] : []), m.original[t], a[t], ...(copy ? [copy[t]] : []), moves[t]].join(","));
    return [`position,token,real,${m.marked?.length ? "marked," : ""}original,attention,${copy ? "copy," : ""}part_of_logit_change`, ...lines, ""].join("\r\n");
  }

  // The bars as they stand on the page, as a picture on paper: light, on a dark page too.
  drawing() {
    const { bars, m, root, state, nameOf } = this.strip, { a, copy, now } = state;
    const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg"), colours = getComputedStyle(root);
    const saved = (name) => colours.getPropertyValue(`--saved-${name}`).trim();
    const add = (kind, attributes, text) => {
      const node = svg.appendChild(document.createElementNS(space, kind));
      for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
      if (text !== undefined) node.textContent = text;
    };
    const wide = bars.node.scrollWidth, tall = bars.node.scrollHeight + 24, high = bars.columnHeight();
    for (const [key, value] of Object.entries({ viewBox: `0 0 ${wide} ${tall}`, width: wide, height: tall, "font-family": "sans-serif" })) svg.setAttribute(key, value);
    add("rect", { width: wide, height: tall, fill: saved("paper") });
    const c = top(now.p), largest = now.parts.reduce((x, v) => Math.max(x, Math.abs(v)), 1e-9);
    add("text", { x: 4, y: 15, "font-size": 12 }, `P(${visible(nameOf(c))}) = ${number(now.p[c])}, TVD ${number(now.tvd)}, JSD ${number(now.jsd)}`);
    bars.tokens.forEach(({ node, column, lane }, t) => {
      const x = node.offsetLeft + column.offsetLeft, base = 24 + node.offsetTop + column.offsetTop + column.offsetHeight, middle = node.offsetLeft + node.offsetWidth / 2;
      const height = (weight) => Math.min(bars.height(weight), 1) * high, half = lane.offsetHeight / 2, zero = 24 + node.offsetTop + lane.offsetTop + half;
      add("rect", { x: x + 4, y: base - height(a[t]), width: 18, height: height(a[t]), fill: saved(m.real && !m.real[t] ? "edge" : "bar") });
      add("rect", { x: x + 1, y: base - height(m.original[t]) - 1, width: 24, height: 2, fill: saved("mark") });
      if (copy) add("rect", { x: x + 25, y: base - height(copy[t]), width: 5, height: height(copy[t]), fill: saved("copy-ink") });
      if (a[t] >= 0.05) add("text", { x: middle, y: base - height(a[t]) - 4, "text-anchor": "middle", "font-size": 11 }, a[t].toFixed(2));
      add("text", { x: middle, y: node.offsetTop + 24 + node.querySelector(".hs-word").offsetTop + 15, "text-anchor": "middle", "font-size": 14 }, visible(m.tokens[t]));
      if (m.marked?.[t]) add("rect", { x: node.offsetLeft + 2, y: node.offsetTop + 24 + node.querySelector(".hs-word").offsetTop + 20, width: node.offsetWidth - 4, height: 3, fill: saved("mark") });
      const part = (now.parts[t] / largest) * half;
      if (Math.abs(part) >= 0.5) add("rect", { x: middle - 4, y: part > 0 ? zero - part : zero, width: 8, height: Math.abs(part), fill: saved(part > 0 ? "more" : "less") });
    });
    return new XMLSerializer().serializeToString(svg);
  }

  // The same picture as pixels.
  async image() {
    const picture = new Image(), source = this.drawing();
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
    await picture.decode();
    const canvas = h("canvas", { width: picture.naturalWidth * DENSE, height: picture.naturalHeight * DENSE });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return new Promise((on) => canvas.toBlob(on, TYPES.png));
  }

  page() {
    const { m, model, nameOf, state } = this.strip, values = { attention: [...state.a], epsilon: state.epsilon };
    for (const key of STRUCTURE) values[key] = model.get(key);
    for (const key of ["original", "values", "shift", "found"]) values[key] = values[key] && [...floats(values[key])];
    values.found_epsilon = model.get("found_epsilon");
    const escape = (x) => visible(String(x)).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`), c = top(state.now.p);
    const cells = m.tokens.map((word, t) => `<tr><td><bdi>${escape(word)}</bdi></td><td>${number(m.original[t], 4)}</td><td>${number(state.a[t], 4)}</td></tr>`);
    const title = `Attention on ${escape(m.name)}: ${escape(m.classes[c] ?? nameOf(c))} ${number(state.now.p[c])}`;
    const plain = `<table><caption>${title}</caption><thead><tr><th>token</th><th>original</th><th>attention</th></tr></thead><tbody>${cells.join("")}</tbody></table>`;
    const weights = m.tail ? `<script data-heed="weights" data-of="${model.get("head").checksum}" type="text/plain">${encoded(m.tail.weights)}</${"script"}>\n` : "";
    const { script, style } = sources(model), json = JSON.stringify(values).replace(/</g, "\\u003c");
    return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${title}</title></head><body><main>
<div class="heed-strip">${plain}</div><script type="application/json" data-heed="state">${json}</${"script"}>
${weights}<style data-heed="style">${style}</style><script type="module" data-heed="strip">${script}</${"script"}></main></body></html>\n`;
  }

  async share() {
    const { m, state } = this.strip, url = `${location.href.split("#")[0]}#${encode(m.name, state.a)}`;
    this.address.value = url;
    this.address.hidden = false;
    try {
      await navigator.clipboard.writeText(url);
      this.strip.say("The link is in the clipboard.");
    } catch {
      this.address.focus();
      this.strip.say("Copy the link from the field.");
    }
  }
}

// A field that a spreadsheet could take for a formula gets an apostrophe.
const field = (text) => `"${visible(text).replace(/^([=+@-].)/su, "'$1").replace(/"/g, '""')}"`;

// The module's own text and style, to be saved with a page: from the widget, or from the page it runs in.
function sources(model) {
  if (model.get("_esm")) return { script: `${model.get("_esm")}\nmount(document);\n`, style: model.get("_css") };
  const [script, style] = ["strip", "style"].map((x) => document.querySelector(`[data-heed="${x}"]`).textContent);
  return { script, style };
}
