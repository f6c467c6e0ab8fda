"use strict";
// The site's one script: sortable tables everywhere, and the page that browses all runs. What a run says is
// only ever set as text. Numbers come as script files that call heed(kind, ...), as file:// has no fetch.
(() => {
const make = (ns) => (tag, given = {}, ...inside) => {
  const node = ns ? document.createElementNS(ns, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...inside.flat().filter((x) => x !== null && x !== undefined));
  return node;
};
const el = make(), svg = make("http://www.w3.org/2000/svg");

// Tables

const NUMBER = /^[+\-−]?\d+(\.\d+)?(e[+-]?\d+)?(?=$|[\s%])/;
const number = (x) => (typeof x === "number" ? x : NUMBER.test(x) ? parseFloat(String(x).replace("−", "-")) : NaN);
const empty = (x) => x === null || x === undefined || x === "" || x === "–";
const SHORT = 12; // rows of a table that may become a list
const collator = new Intl.Collator("en", {numeric: true});

/** Compare two cells: numbers by value, texts by the alphabet. */
function compare(a, b) {
  const [x, y] = [number(a), number(b)];
  return Number.isNaN(x) || Number.isNaN(y) ? collator.compare(a, b) : x - y;
}

/** Make a table's heads buttons that sort `rows` (arrays of cells) and draw them; what is empty stays last. */
function sortable(table, rows, draw, sorted, chosen = () => {}) {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const sort = (k, down) => {
    heads.forEach((th, i) => (i === k ? th.setAttribute("aria-sort", down ? "descending" : "ascending") : th.removeAttribute("aria-sort")));
    const full = rows.filter((r) => !empty(r[k])).sort((a, b) => (down ? -1 : 1) * compare(a[k], b[k]));
    draw([...full, ...rows.filter((r) => empty(r[k]))]);
  };
  heads.forEach((th, k) => {
    if (!th.textContent.trim()) return;
    th.scope = "col";
    th.replaceChildren(el("button", {type: "button", class: "heed-sort", click: () => {
      const down = th.getAttribute("aria-sort") === "ascending";
      sort(k, down);
      chosen(k, down);
    }}, ...th.childNodes));
  });
  if (sorted && heads[sorted[0]]) sort(...sorted);
  else draw(rows);
}

/** A short table that is too wide for its box becomes a list: each cell in a line, after its column's head. */
function stacking(table, box, body) {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells].map((th) => th.textContent.trim());
  for (const tr of body.rows) [...tr.cells].forEach((cell, k) => cell.setAttribute("data-head", k ? heads[k] || "" : ""));
  let width;
  new ResizeObserver(() => {
    if (box.clientWidth === width) return;
    width = box.clientWidth;
    table.classList.remove("heed-stacked");
    table.classList.toggle("heed-stacked", box.scrollWidth > width + 1);
  }).observe(box);
}

/** Tables that the chapters show: sortable; where they are too wide a list, or scrolled within themselves. */
function chapterTables() {
  for (const table of document.querySelectorAll("table.dataframe")) {
    const name = table.previousElementSibling?.textContent || "Table";
    const box = el("div", {class: "heed-wide", tabindex: 0, role: "region", "aria-label": name});
    table.replaceWith(box);
    box.append(table);
    const body = table.tBodies[0];
    if (!body || !table.tHead) continue;
    if (body.rows.length <= SHORT) stacking(table, box, body);
    if (body.rows.length < 2) continue;
    const rows = [...body.rows].map((tr) => Object.assign([...tr.cells].map((td) => td.textContent.trim()), {tr}));
    sortable(table, rows, (all) => body.append(...all.map((r) => r.tr)));
  }
}

/** What may scroll within itself, at some width of the page, is reached by keyboard, too. */
function scrolled() {
  for (const one of document.querySelectorAll('math[display="block"], .heed-drawn')) one.setAttribute("tabindex", "0");
}

/** A chapter's appendices are folded: their headings open them, and so do a link into them, and print. */
function appendices() {
  const folded = [...document.querySelectorAll('article section[id^="appendix-"]')].map((section) => {
    const heading = section.querySelector("h2");
    const rest = [...section.childNodes].filter((node) => node !== heading);
    const fold = el("details", {class: "heed-appendix"}, el("summary", {}, heading), ...rest);
    section.append(fold);
    return fold;
  });
  const open = () => {
    const target = document.getElementById(location.hash.slice(1));
    const fold = folded.find((one) => target && one.parentNode.contains(target));
    if (!fold) return;
    fold.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  addEventListener("beforeprint", () => folded.forEach((fold) => (fold.open = true)));
  open();
}

/** The strips' colours follow the reader's choice of light or dark, not the system's. */
function theme() {
  const root = document.documentElement;
  const set = () => (root.dataset.jpThemeLight = String(root.dataset.theme !== "dark"));
  new MutationObserver(set).observe(root, {attributeFilter: ["data-theme"]});
  set();
}

/** Search shows where it found a word. Its pages' texts come as a script, in place of what it would fetch. */
function snippets() {
  if (!document.getElementById("search-results")) return;
  const texts = new Promise((done) => document.head.append(
    el("script", {src: "_static/texts.js", load: () => done(window.heedTexts), error: () => done({})})));
  window.fetch = async (address) => {
    const name = decodeURIComponent(new URL(address, location.href).pathname.split("/").pop()), found = await texts;
    const page = el("div", {role: "main"}, Object.hasOwn(found, name) ? found[name] : "");
    return new Response(page.outerHTML);
  };
}

// Browse

const AXES = {corpus: "Corpus", encoder: "Encoder", attention: "Attention", profile: "Profile", given: "Changed",
  seed: "Seed", where: "From"};
const NAMES = {given: {"": "none"}, where: {here: "this results folder", carried: "carried by the project"}};
const VIEWS = {plots: "Plots", figures: "Figures", runs: "Runs", tables: "Verdict tables"};
const COLUMNS = ["accuracy", "f1", "tau_gradient", "tau_loo", "median_change", "found", "optimum"];
const got = {measure: {}, run: {}}, loading = {};
let index, runs, state, root, view, dialog, status, observer;

const shown = (x, digits = 3) => (empty(x) ? "–" : typeof x === "number" && !Number.isInteger(x) ? x.toFixed(digits) : String(x));
const label = (axis, value) => NAMES[axis]?.[value] ?? (axis === "encoder" ? encoder(value) : value);
const known = (name) => Object.hasOwn(index.encoders, name);
const encoder = (name) => (known(name) ? index.encoders[name].label : name);
const look = (name) => (known(name) ? index.encoders[name] : index.other); // {label, shape, colour, onDark}

function load(path, kind, name) {
  return (loading[path] ??= new Promise((done) => {
    const script = el("script", {src: `browse/${path}`, load: () => done(got[kind][name]), error: () => done(undefined)});
    document.head.append(script);
  }));
}
const numbers = (m) => load(`measures/${index.measures.indexOf(m)}.js`, "measure", m.name);

/** What the address says, and what it is to say. */
function read() {
  const given = new URLSearchParams(location.hash.slice(1)), one = (name) => given.get(name) || "";
  state = {view: VIEWS[one("view")] ? one("view") : "plots", measure: one("measure"), class: one("class") || "overall",
    chapter: one("chapter"), sort: one("sort"), open: one("run") ? ["run", one("run")] : one("figure") ? ["figure", one("figure")] : null};
  for (const axis in AXES) state[axis] = new Set(given.getAll(axis));
  const known = index.measures.map((m) => m.name);
  if (!known.includes(state.measure) && !state.measure.startsWith("all:")) state.measure = index.questions[0]?.[1] || known[0];
}
function address(open = state.open) {
  const to = new URLSearchParams({view: state.view});
  for (const axis in AXES) for (const value of state[axis]) to.append(axis, value);
  for (const name of ["measure", "class", "chapter", "sort"]) if (state[name]) to.set(name, state[name]);
  if (open) to.set(...open);
  return `#${to}`;
}
const keep = () => history.replaceState(null, "", address());
const passes = (of) => Object.keys(AXES).every((axis) => !state[axis].size || of[axis] === undefined || [of[axis]].flat().some((v) => state[axis].has(String(v))));
const passing = () => runs.filter(passes);
const title = (run) => `${run.corpus}, ${encoder(run.encoder)} ${run.attention}, ${run.profile}${run.given && ` (${run.given})`}, seed ${run.seed}`;

function save(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], {type}));
  el("a", {href: url, download: name.replace(/[^\w.-]+/g, "-")}).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
// A cell that a spreadsheet would compute is given as text.
const cell = (x) => {
  const text = empty(x) ? "" : typeof x === "string" && /^[=+\-@\t\r]/.test(x) && Number.isNaN(number(x)) ? `'${x}` : String(x);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csv = (columns, rows) => [columns, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
const button = (text, click, more = {}) => el("button", {type: "button", click, ...more}, text);

/** A table from data: sortable, saved as CSV, its rows drawn a hundred at a time. */
function grid(name, caption, columns, rows, {draw = shown, first} = {}) {
  const body = el("tbody"), more = el("p", {class: "heed-more"});
  const table = el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, columns.map((c) => el("th", {}, c)))), body);
  let all, done;
  const add = (to) => {
    body.append(...all.slice(done, to).map((row) => el("tr", {}, row.slice(0, columns.length).map((x, k) =>
      el("td", {class: typeof x === "number" || NUMBER.test(x) ? "number" : String(x).length > 30 ? "long" : null}, k === 0 && first ? first(row) : columns[k] === "reported" ? draw(x, 2) : draw(x))))));
    done = Math.min(to, all.length);
    more.replaceChildren(...(done < all.length ? [button(`Show ${all.length - done} more`, () => add(all.length))] : []));
  };
  const place = state.sort.split("."), sorted = place[0] === name ? [columns.indexOf(place[1]), place[2] === "down"] : null;
  sortable(table, rows, (sortedRows) => { all = sortedRows; done = 0; body.replaceChildren(); add(100); }, sorted,
    (k, down) => { state.sort = `${name}.${columns[k]}.${down ? "down" : "up"}`; keep(); });
  const tools = el("p", {class: "heed-tools"}, button("CSV", () => save(`${name}.csv`, csv(columns, all.map((r) => r.slice(0, columns.length))), "text/csv"),
    {"aria-label": `${caption}: CSV`}));
  return el("div", {class: "heed-table"}, el("div", {class: "heed-wide", tabindex: 0, role: "region", "aria-label": caption}, table), more, tools);
}

/** Numbers between two ends that a reader likes to see. */
function ticks(low, high) {
  const raw = (high - low) / 5 || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((s) => s * power >= raw), found = [];
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + step * 1e-9; x += step) found.push(Math.abs(x) < step * 1e-9 ? 0 : x);
  return [found, Math.max(0, -Math.floor(Math.log10(step) + 1e-9))];
}
const mark = (shape, x, y, more, size = 1) => svg("path", {d: shape, transform: `translate(${x},${y}) scale(${size})`, ...more});
const DIAMOND = "M0,-6L5,0L0,6L-5,0z";

/** A small multiple: a row a model, a point a seed, its interval over texts, the published values. */
function plot(m, group, points, reported, [low, high]) {
  const lines = [...new Set(points.map(([run]) => `${run.encoder} ${run.attention}`))].sort((a, b) => collator.compare(a, b));
  const [W, left, right, row] = [360, 128, 14, 20], H = lines.length * row + 46, span = high - low || 1;
  const x = (v) => left + ((v - low) / span) * (W - left - right), y = (name) => lines.indexOf(name) * row + row / 2 + 4;
  const [steps, digits] = ticks(low, high), bottom = lines.length * row + 8;
  const drawing = svg("svg", {viewBox: `0 0 ${W} ${H}`, role: "group", "aria-label": `${m.label}: ${group}`, "font-size": 11,
    "font-family": "system-ui, sans-serif", fill: "currentColor"});
  for (const v of steps) {
    drawing.append(svg("line", {x1: x(v), x2: x(v), y1: 4, y2: bottom, stroke: "currentColor", "stroke-opacity": v === 0 ? 0.6 : 0.15}),
      svg("text", {x: x(v), y: bottom + 13, "text-anchor": "middle"}, v.toFixed(digits)));
  }
  drawing.append(svg("text", {x: (left + W - right) / 2, y: bottom + 28, "text-anchor": "middle"}, m.label.slice(0, 60)));
  for (const name of lines) {
    const [of, attention] = name.split(" ");
    const text = `${encoder(of)} ${attention}`;
    drawing.append(svg("text", {x: left - 8, y: y(name) + 4, "text-anchor": "end"}, text.length > 20 ? `${text.slice(0, 19)}…` : text));
  }
  const links = points.map(([run, , , , mean, , , from, to], k) => {
    const name = `${run.encoder} ${run.attention}`, {shape, colour, onDark} = look(run.encoder), own = {class: "heed-mark", style: `--on-dark: ${onDark}`};
    const interval = empty(from) ? "" : ` [${shown(from)}, ${shown(to)}]`, says = `${title(run)}: ${shown(mean)}${interval}`;
    return svg("a", {href: address(["run", run.id]), tabindex: k ? -1 : 0, "aria-label": says},
      svg("title", {}, says),
      empty(from) ? null : svg("path", {d: `M${x(from)},${y(name)}H${x(to)}M${x(from)},${y(name) - 4}v8M${x(to)},${y(name) - 4}v8`, stroke: colour,
        "stroke-width": 1.5, "stroke-opacity": 0.7, fill: "none", ...own}),
      mark(shape, x(mean), y(name), {fill: colour, "fill-opacity": 0.75, stroke: "none", ...own}, 0.7));
  });
  drawing.append(...links);
  for (const [source, , cls, of, , value] of reported) {
    const says = `published (${source}), ${cls === "overall" ? "all texts" : `class ${cls}`}: ${value}`;
    if (lines.includes(`${of} additive`)) drawing.append(svg("g", {role: "img", "aria-label": says}, svg("title", {}, says),
      mark(DIAMOND, x(value), y(`${of} additive`), {fill: "none", stroke: "currentColor", "stroke-width": 1.5})));
  }
  drawing.addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key], k = links.indexOf(event.target);
    if (!step || k < 0) return;
    event.preventDefault();
    links[k].setAttribute("tabindex", -1);
    const next = links[(k + step + links.length) % links.length];
    next.setAttribute("tabindex", 0);
    next.focus();
  });
  return drawing;
}

async function plots(into) {
  const all = state.measure.startsWith("all:") ? index.measures.filter((m) => m.chapter === state.measure.slice(4)) : index.measures.filter((m) => m.name === state.measure);
  const classes = new Set(["overall"]);
  const choices = el("select", {id: "measure", change: () => { state.measure = choices.value; keep(); draw(); }});
  const asked = index.questions.find(([, name]) => name === state.measure);
  choices.append(el("optgroup", {label: "Questions"}, index.questions.map(([question, name]) => el("option", {value: name}, question))));
  for (const chapter of [...new Set(index.measures.map((m) => m.chapter))].sort()) {
    const own = index.measures.filter((m) => m.chapter === chapter);
    choices.append(el("optgroup", {label: `All numbers of chapter ${chapter}`}, own.filter((m) => !index.questions.some(([, name]) => name === m.name)).map((m) => el("option", {value: m.name}, m.label)),
      own.length > 1 ? el("option", {value: `all:${chapter}`}, `all of chapter ${chapter}`) : null));
  }
  choices.value = state.measure;
  const which = el("select", {id: "class", change: () => { state.class = which.value; keep(); draw(); }});
  into.append(el("p", {class: "heed-choice"}, el("label", {for: "measure"}, "Question "), choices, " ", el("label", {for: "class"}, "Texts "), which));
  if (asked) into.append(el("p", {class: "heed-says"}, asked[2], " ", el("a", {href: `${asked[3]}.html`}, `Chapter ${asked[3].slice(0, 2)}`), " has the answer."));
  const key = el("p", {class: "heed-key"});
  for (const {label, shape, colour, onDark} of [...Object.values(index.encoders), index.other])
    key.append(el("span", {}, svg("svg", {viewBox: "-7 -7 14 14", width: 14, height: 14, "aria-hidden": "true"}, mark(shape, 0, 0, {fill: colour, class: "heed-mark", style: `--on-dark: ${onDark}`})), ` ${label}`));
  key.append(el("span", {}, "— 95 % interval over texts"), el("span", {}, "◇ published, each class"));
  into.append(key);
  const panels = el("div", {class: "heed-panels"});
  into.append(panels);
  for (const m of all) {
    const rows = (await numbers(m)) || [];
    if (!into.isConnected) return;
    rows.forEach((r) => classes.add(r[1]));
    const points = rows.filter((r) => r[1] === state.class && !empty(r[4])).map((r) => [runs[r[0]], ...r.slice(1)]).filter(([run]) => passes(run));
    const groups = Map.groupBy ? Map.groupBy(points, ([r]) => r.panel) : points.reduce((to, p) => to.set(p[0].panel, [...(to.get(p[0].panel) || []), p]), new Map());
    const beside = (corpus) => index.published.filter((p) => p[1] === corpus && p[4] === m.name);
    const ends = points.flatMap((p) => [p[4], p[7], p[8]]).concat(...[...new Set(points.map(([r]) => r.corpus))].map((c) => beside(c).map((p) => p[5]))).filter((v) => !empty(v));
    const range = ends.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]), pad = (range[1] - range[0]) * 0.04 || 0.05;
    if (all.length > 1 && points.length) panels.append(el("h2", {class: "heed-measure"}, m.label));
    for (const [name, own] of groups) {
      const {corpus, profile, given} = own[0][0], text = `${corpus}, profile ${profile}${given && `, ${given}`}`;
      const models = new Set(own.map(([r]) => `${r.encoder} ${r.attention}`)).size, reported = beside(corpus);
      const box = el("div", {class: "heed-plot", style: `aspect-ratio: 360 / ${models * 20 + 46}`});
      const file = `${m.name}-${state.class}-${corpus}-${profile}`;
      const columns = ["run", "corpus", "encoder", "attention", "profile", "given", "seed", "class", ...index.numbers];
      const data = [...own.map(([r, cls, ...more]) => [r.id, r.corpus, r.encoder, r.attention, r.profile, r.given, r.seed, cls, ...more]),
        ...reported.map(([source, c, cls, of, , value]) => [`published: ${source}`, c, of, "additive", "", "", "", cls, "", "", value])];
      panels.append(el("figure", {}, el("figcaption", {}, el("strong", {}, corpus), ` ${profile}${given && `, ${given}`}`), box,
        el("p", {class: "heed-tools"}, button("SVG", () => { save(`${file}.svg`, drawn(later(box)), "image/svg+xml"); }, {"aria-label": `${text}: SVG`}),
          button("CSV", () => save(`${file}.csv`, csv(columns, data), "text/csv"), {"aria-label": `${text}: CSV`}))));
      box.draw = () => { box.append(plot(m, text, own, reported, [range[0] - pad, range[1] + pad])); };
      observer.observe(box);
    }
  }
  if (!panels.children.length) panels.append(el("p", {}, "No run that passes the filters has this number for these texts."));
  which.replaceChildren(...[...classes].sort().reverse().map((c) => el("option", {value: c}, c === "overall" ? "all" : `predicted class ${c}`)));
  if (!classes.has(state.class)) which.append(el("option", {value: state.class}, state.class));
  which.value = state.class;
}
/** Draw a plot that wasn't in view yet. */
function later(box) {
  if (box.draw) { observer.unobserve(box); box.draw(); delete box.draw; }
  return box.firstChild;
}
function drawn(drawing) {
  const copy = drawing.cloneNode(true);
  const colours = getComputedStyle(document.documentElement), of = (name) => colours.getPropertyValue(`--heed-${name}`).trim();
  for (const one of copy.querySelectorAll(".heed-mark")) ["class", "style"].forEach((name) => one.removeAttribute(name));
  copy.setAttribute("style", `color:${of("ink")};background:${of("paper")}`);
  for (const a of copy.querySelectorAll("a")) a.replaceWith(...a.childNodes);
  return new XMLSerializer().serializeToString(copy);
}

const picture = (f) => `${f.chapter} ${f.title}: ${Object.entries(f.of).filter(([, v]) => v !== "").map(([k, v]) => (k === "seed" ? `seed ${v}` : [v].flat().map((x) => label(k, x)).join(", "))).join(", ")}`;
const listed = () => index.figures.filter((f) => passes(f.of) && (!state.chapter || f.chapter === state.chapter));
function image(f) {
  return el("figure", {}, el("a", {href: address(["figure", f.id])}, el("img", {src: `browse/figures/${f.file}.svg`, alt: picture(f), loading: "lazy"})),
    el("figcaption", {}, picture(f)), files(f));
}
const files = (f) => el("p", {class: "heed-tools"}, el("a", {href: `browse/figures/${f.file}.svg`, "aria-label": `${picture(f)}: SVG`}, "SVG"), " ",
  el("a", {href: f.run ? `browse/runs/${f.run}.csv` : `browse/figures/${f.file}.csv`, "aria-label": `${picture(f)}: CSV`}, "CSV"));

function figures(into) {
  const chapters = [...new Set(index.figures.map((f) => f.chapter))].sort();
  const which = el("select", {id: "chapter", change: () => { state.chapter = which.value; keep(); draw(); }},
    el("option", {value: ""}, "all"), chapters.map((c) => el("option", {value: c}, c)));
  which.value = state.chapter;
  const all = listed(), box = el("div", {class: "heed-figures"}), end = el("p", {class: "heed-more"});
  into.append(el("p", {class: "heed-choice"}, el("label", {for: "chapter"}, "Chapter "), which, ` Figures: ${all.length}`),
    el("p", {class: "heed-key"}, "Of predicted classes, 0 is drawn in purple and solid, 1 in orange and dashed, 2 in green and dotted."), box, end);
  let done = 0;
  end.draw = () => {
    box.append(...all.slice(done, (done += 24)).map(image));
    observer.unobserve(end);
    if (done < all.length) observer.observe(end); // seen anew: it answers again if the end is still in view
  };
  end.draw();
}

async function table(into) {
  const chosen = COLUMNS.map((name) => index.measures.find((m) => m.name === name)).filter(Boolean), found = new Map(runs.map((r) => [r, []]));
  for (const m of chosen) for (const r of (await numbers(m)) || []) if (r[1] === "overall") found.get(runs[r[0]])[chosen.indexOf(m)] = r[4];
  if (!into.isConnected) return;
  const rows = passing().map((r) => Object.assign([r.corpus, encoder(r.encoder), r.attention, r.profile, r.given, r.seed, r.n,
    ...chosen.map((m, k) => found.get(r)[k]), r.library, r.where === "here" ? "here" : "carried"], {run: r}));
  const columns = ["corpus", "encoder", "attention", "profile", "changed", "seed", "texts", ...chosen.map((m) => m.name), "library", "from"];
  into.append(grid("runs", "Runs: means over all texts", columns, rows, {first: (row) => el("a", {href: address(["run", row.run.id]), "aria-label": title(row.run)}, row[0])}));
}

function tables(into) {
  for (const t of index.tables) {
    const of = (row) => Object.fromEntries(t.columns.map((c, k) => [c, row[k]]));
    const rows = t.rows.filter((row) => passes({...of(row), seed: undefined, where: undefined}));
    if (t.rows.length) into.append(grid(t.name, `${t.caption} (${rows.length})`, t.columns, rows));
  }
}

async function opened() {
  const [kind, id] = state.open || [], list = kind === "run" ? passing() : listed();
  const item = (kind === "run" ? runs : index.figures).find((x) => x.id === id);
  if (!kind) return dialog.open && dialog.close();
  const at = list.indexOf(item), go = (step) => { state.open = [kind, list[(at + step + list.length) % list.length].id]; keep(); opened(); };
  const steps = at < 0 || list.length < 2 ? [] : [button("← Previous", () => go(-1)), button("Next →", () => go(1))];
  const inside = el("div", {class: "heed-inside"}), was = dialog.contains(document.activeElement) ? document.activeElement.textContent : null;
  dialog.replaceChildren(el("p", {class: "heed-tools"}, steps, button("Close", () => dialog.close())), inside);
  dialog.go = steps.length ? go : null;
  if (!dialog.open) dialog.showModal();
  else if (was !== null) (steps.find((b) => b.textContent === was) || dialog).focus();
  dialog.setAttribute("aria-label", item ? (kind === "run" ? title(item) : picture(item)) : "Nothing found");
  dialog.scrollTop = 0;
  if (!item) inside.append(el("p", {role: "alert"}, `This site has no ${kind} “${id}”.`));
  else if (kind === "figure") {
    const run = runs.find((r) => r.id === item.run);
    inside.append(el("h2", {}, picture(item)), el("img", {src: `browse/figures/${item.file}.svg`, alt: picture(item)}), files(item),
      ...(run ? [el("p", {}, el("a", {href: address(["run", run.id])}, title(run)))] : []));
  } else {
    const from = item.where === "here" ? "of this results folder" : "carried by the project";
    const version = item.stale ? `made by another version of the library (${item.library}; this site's is ${index.library})` : `made by this version of the library (${item.library})`;
    inside.append(el("h2", {}, title(item)), el("p", {}, `A run ${from}, variant ${item.variant}, ${version}${item.partial ? "; it read only a part of the corpus" : ""}. `,
      el("a", {href: `browse/runs/${item.id}.csv`}, "CSV of its numbers")));
    const rows = await load(`runs/${item.id}.js`, "run", item.id);
    if (!rows) inside.append(el("p", {role: "alert"}, "Its numbers could not be read: build the site again."));
    else {
      const beside = ([m, cls]) => (item.attention === "additive" ? index.published.filter((p) => p[1] === item.corpus && p[3] === item.encoder && p[4] === m && p[2] === cls) : []).map((p) => `${p[5]} (${p[0]})`).join(", ");
      const order = new Map(index.measures.map((m, k) => [m.name, k])), [n, undefinedOf, ...values] = index.numbers;
      const lines = [...rows].sort((a, b) => order.get(a[0]) - order.get(b[0]) || compare(b[1], a[1]));
      inside.append(grid(item.id, "Its numbers, beside the published ones", ["measure", "class", values[0], "published", ...values.slice(1), n, undefinedOf],
        lines.map((r) => [index.measures[order.get(r[0])].label, r[1], r[4], beside(r), ...r.slice(5), r[2], r[3]])));
    }
    inside.append(el("div", {class: "heed-figures"}, index.figures.filter((f) => f.run === item.id || (!f.run && item.given === "" && ["corpus", "attention", "profile"].every((k) => [f.of[k]].flat().includes(item[k])))).map(image)));
  }
}

function filters() {
  const box = el("details", {class: "heed-filters", open: matchMedia("(min-width: 700px)").matches}, el("summary", {}, "Filters"));
  for (const axis in AXES) {
    const values = [...new Set(runs.map((r) => String(r[axis])))].sort(collator.compare);
    for (const value of state[axis]) if (!values.includes(value)) values.push(value);
    if (values.length < 2) continue;
    box.append(el("fieldset", {}, el("legend", {}, AXES[axis]), values.map((value) => el("label", {}, el("input", {type: "checkbox", name: axis, value,
      checked: state[axis].has(value), change: (event) => { state[axis][event.target.checked ? "add" : "delete"](value); keep(); draw(); }}), el("span", {}, label(axis, value))))));
  }
  box.append(button("Clear filters", () => { for (const axis in AXES) state[axis] = new Set(); keep(); whole(); }));
  return box;
}

function draw() {
  status.textContent = `${passing().length} of ${runs.length} runs.`;
  const into = el("div");
  observer.disconnect();
  view.replaceChildren(into);
  view.setAttribute("aria-labelledby", `tab-${state.view}`);
  ({plots, figures, runs: table, tables})[state.view](into);
}

/** The whole page, from the address. */
function whole() {
  const tabs = Object.entries(VIEWS).map(([name, text]) => button(text, () => { state.view = name; keep(); whole(); document.getElementById(`tab-${name}`).focus(); },
    {id: `tab-${name}`, role: "tab", "aria-selected": String(name === state.view), "aria-controls": "view", tabindex: name === state.view ? 0 : -1}));
  const bar = el("div", {class: "heed-tabs", role: "tablist", "aria-label": "What to see", keydown: (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (step) tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length].click();
  }}, tabs);
  const wrong = index.problems.length ? [el("details", {class: "heed-problems"}, el("summary", {}, `Not shown, and why: ${index.problems.length}`),
    el("ul", {}, index.problems.map(([path, what]) => el("li", {}, el("code", {}, path), `: ${what}`))))] : [];
  const old = runs.filter((r) => r.stale).length;
  const versions = old ? [el("p", {class: "heed-key"}, `${old} of the runs were made by other versions of the library than this site's; their numbers stand as they were.`)] : [];
  status = el("p", {role: "status"});
  view = el("div", {id: "view", role: "tabpanel", tabindex: -1});
  root.replaceChildren(bar, filters(), ...wrong, status, view, ...versions, dialog);
  draw();
  opened();
}

function browse() {
  root = document.getElementById("browse");
  if (!root) return;
  const early = window.heed?.early || [];
  window.heed = (kind, name, data) => (kind === "index" ? (index = name) : (got[kind][name] = data));
  early.forEach((given) => window.heed(...given));
  if (!index) return root.replaceChildren(el("p", {role: "alert"}, "The runs could not be read: build the site again."));
  runs = index.runs.map((row) => Object.fromEntries(index.columns.map((c, k) => [c, row[k]])));
  const places = [...new Set(runs.map((r) => r.profile))].sort((a, b) => (b === "paper") - (a === "paper") || collator.compare(a, b));
  runs.forEach((r) => (r.panel = JSON.stringify([places.indexOf(r.profile), r.given, r.corpus])));
  observer = new IntersectionObserver((seen) => seen.filter((s) => s.isIntersecting).forEach(({target}) => (target.classList.contains("heed-plot") ? later(target) : target.draw())), {rootMargin: "300px"});
  dialog = el("dialog", {class: "heed-dialog", tabindex: -1, close: () => { if (state.open) { state.open = null; keep(); } }, click: (event) => event.target === dialog && dialog.close(),
    keydown: (event) => { const step = {ArrowRight: 1, ArrowLeft: -1}[event.key]; if (step && dialog.go && !event.target.closest("select, [role=region], svg")) dialog.go(step); }});
  addEventListener("hashchange", () => {
    const before = address(null);
    read();
    if (address(null) === before) opened();
    else whole();
  });
  addEventListener("beforeprint", () => document.querySelectorAll(".heed-plot").forEach(later));
  read();
  whole();
}

theme();
snippets();
chapterTables();
scrolled();
appendices();
browse();
})();
