"""The site's pages about the library: data cards, models' cards, schemas, and the project's own texts.

A card is written from what data/registry.yaml and data/results say, so that nothing is said twice.
"""

import csv
import json
import re
from pathlib import Path
from urllib.parse import urlsplit

import pandas as pd

from heed import paths
from heed.experiments import checkpoints
from heed.params import resolve
from heed.registry import corpora
from heed.runs import schemas
from heed.show.notebook import inert
from heed.verdict.annex import COUNTS

HERE = Path(__file__).parent
# Pages that are written by hand, by their names in the site.
BY_HAND = {
    "batch": HERE / "batch.md",
    "yours": HERE / "yours.md",
    "api": HERE / "api.md",
    "clusters": HERE / "clusters.md",
    "contributing": paths.ROOT / "CONTRIBUTING.md",
    "changelog": paths.ROOT / "CHANGELOG.md",
}
AS_PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "data/checkpoints/README.md": "checkpoints.md",
}
SPLITS = ("train", "dev", "test")
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)")


def titles() -> dict[str, str]:
    """The library's pages, by name, with what the contents call them; in reading order."""
    return {
        "batch": "Run the batch",
        "yours": "Your own texts, models and hands",
        "api": "Name by name",
        "schemas": "Files and their forms",
        "corpora": "Data cards",
        "checkpoints": "Models' cards",
        "clusters": "On a cluster",
        "contributing": "Changing heed",
        "changelog": "What changed",
    }


def write(source: Path) -> None:
    """Write all of them into the folder that Sphinx reads; schemas into its `_extra`, which is copied."""
    made = {"schemas": schemas_page(), "corpora": corpora_page(), "checkpoints": checkpoints_page()}
    for name, path in BY_HAND.items():
        made[name] = path.read_text(encoding="utf-8")
    for name in titles():
        (source / f"{name}.md").write_text(within(made[name], source), encoding="utf-8")
    kept = source / "_extra" / "schemas"
    kept.mkdir(parents=True)
    for path in sorted(schemas.FOLDER.glob("*.json")):
        (kept / path.name).write_bytes(path.read_bytes())


def within(text: str, source: Path) -> str:
    """A text of the repository as a page of the site: links to chapters go to their pages.

    A file that is no page is named, not linked: the site goes where the repository doesn't.
    """

    def kept(found: re.Match) -> str:
        said, target, place = found.groups()
        page = AS_PAGES.get(target, Path(target).name)
        if (source / page).exists() or Path(page).stem in titles():
            return f"[{said}]({page}{place or ''})"
        return said if said.strip("`") == target else f"{said} (`{target}`)"

    return LINK.sub(kept, text)


# Data cards


def corpora_page() -> str:
    """A card a corpus: what it holds, its terms, its sizes, what is wrong with it."""
    counts = pd.read_csv(COUNTS)
    registered = {name: own for name, own in corpora().items() if own.get("reader") != "own"}
    cards = [card(name, own, counts[counts["corpus"] == name]) for name, own in registered.items()]
    return (
        "# Data cards\n\nheed passes no corpus on: it downloads each from its official address, or says whom "
        "to ask. A card says what a corpus holds, on what terms, how large it is, and what is "
        "known to be wrong with it. All of it stands in `data/registry.yaml`, the sizes in "
        "`data/results/corpora.csv`.\n\n" + "\n".join(cards)
    )


def card(name: str, entry: dict, counts: pd.DataFrame) -> str:
    """One corpus's card, of its entry in the registry and its rows of counts."""
    lines = {
        "Holds": entry["holds"],
        "Language": entry["language"],
        "Classes": ", ".join(entry.get("classes", ())),
        "Terms": entry["terms"],
        "Source": entry["cite"],
        "Texts": _sizes(entry, counts),
        "Where its counts differ from the papers'": entry.get("differs", ""),
    }
    said = "".join(f"* **{what}**: {inert(text)}.\n" for what, text in lines.items() if text)
    said += f"* **To be had**: {_to_be_had(entry)}.\n"
    faults = "".join(f"    * {inert(fault)}\n" for fault in entry["wrong"])
    return f"## {inert(entry['title'])}\n\n`{name}`\n\n{said}* **What is wrong with it**:\n{faults}"


def _to_be_had(entry: dict) -> str:
    """Where its texts come from, as Markdown."""
    if "licensed" in entry:
        return f"asked for at {_link(entry['licensed']['ask'])}, for the folder that HEED_LICENSED names"
    files = entry.get("files", {"": entry["file"]} if "file" in entry else {})
    if not files:
        return "made when it is asked for"
    return f"downloaded from {_link(files[next(iter(files))]['url'])}"


def _link(url: str) -> str:
    """A link that shows the host alone, as addresses are long; to a host that only speaks http, no link."""
    host = urlsplit(url).hostname
    return f"[{host}]({url})" if url.startswith("https:") else f"`{host}`"


def _sizes(entry: dict, counts: pd.DataFrame) -> str:
    """Texts by split and class under profile paper, or the first profile that was counted."""
    if "made" in entry:
        p = resolve({"corpus": entry["made"]})
        made = ", ".join(f"{split} {getattr(p, f'made_{split}'):,}" for split in SPLITS)
        return f"{made}, of some {p.made_length} words; parameters say how many and how long"
    if counts.empty:
        return "not counted" if "files" in entry or "file" in entry or "licensed" in entry else ""
    own = counts[counts["profile"] == "paper"] if "paper" in set(counts["profile"]) else counts
    row = own.iloc[0]
    parts = []
    for split in SPLITS:
        by_class = [int(row[c]) for c in sorted(row.index) if re.fullmatch(rf"{split}_\d", c) and row[c] > 0]
        if by_class:
            classes = " / ".join(f"{n:,}" for n in by_class)
            parts.append(f"{split} {classes}")
    part = " (of a part of the training file)" if row["partial"] else ""
    return (
        f"{', '.join(parts)}{part}, of {row['mean_length']:.0f} words in the mean, as profile "
        f"{row['profile']} reads them; {int(row['vocabulary']):,} words in the vocabulary"
    )


# Models' cards


def checkpoints_page() -> str:
    """The models' card, with the table of scores that lies beside it."""
    text = (checkpoints.FOLDER / "README.md").read_text(encoding="utf-8")
    with open(checkpoints.SCORES, encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    table = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    table += [f"| {' | '.join(inert(cell) for cell in row)} |" for row in rows]
    return text + "\n## Scores\n\n" + "\n".join(table) + "\n"


# Schemas


def schemas_page() -> str:
    """What the JSON Schemas are, and a list of them."""
    rows = []
    for path in sorted(schemas.FOLDER.glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        count = len(schema.get("properties", {}))
        link = f'<a href="schemas/{path.name}">{path.name}</a>'
        rows.append(f"<tr><td>{link}</td><td>{inert(schema['title'])}</td><td>{count}</td></tr>")
    text = (HERE / "schemas.md").read_text(encoding="utf-8")
    head = "<tr><th>schema</th><th>is of</th><th>fields</th></tr>"
    return text.replace("%schemas%", f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>")
