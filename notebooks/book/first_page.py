"""The first page: its template with sentences and figures that are computed from the runs' summaries."""

import re

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from heed import paths, verdict
from heed.show import figures, heatmaps, ours
from heed.show import verdict as says
from heed.show.committed import FIGURES
from heed.show.export_html import image
from heed.show.style import drawing, forms, titled
from heed.verdict import paper_tests

EMBLEM = FIGURES / "emblem.svg"


def strip() -> str:
    """The sentences that we wrote, as models of film reviews and made stories read them: strips, as HTML.

    The emblem's comes first, and is open.
    """
    return ours.html([heatmaps.EMBLEM, *(name for name in ours.kept() if name != heatmaps.EMBLEM)])


def emblem() -> str:
    """One text, two heatmaps, one prediction, as HTML."""
    svg = EMBLEM.read_text(encoding="utf-8")
    told = re.search(r'aria-label="([^"]*)"', svg)
    return image({"image/svg+xml": svg, "text/plain": told[1] if told else ""})


def shown(figure: Figure, finding: str, narrow: Figure | None = None) -> str:
    """A figure under its finding, as HTML; narrow: the same for a phone, if the figure doesn't fit one."""
    svg = drawing(titled(figure, finding), finding)
    plt.close(figure)
    return image(forms(svg, finding, narrow))


def found(runs: pd.DataFrame) -> dict[str, str]:
    """The answer in sentences, the matrix of its tests, and the papers' statements; without runs, what to do.

    runs: as `browse.gather` gives them.
    """
    rows = runs.assign(where=runs["where"].map({"here": verdict.HERE, "carried": verdict.CARRIED}))
    answers = paper_tests.answers(rows)
    own, said = says.main(answers), says.papers(answers)
    caution = says.of_the_gradient(rows)
    figures.theme()
    return {
        "verdict": "\n".join(f"* {sentence}" for sentence in says.in_short(answers)),
        "seeds": says.of_seeds(own),
        "borders": says.of_borders(own),
        "caution": f"*A caution:* {caution}" if caution else "",
        "who": says.who_was_right(answers),
        "left": says.left_by_chance(answers),
        "advice": says.advice(),
        "matrix": shown(says.matrix(own, True), says.finding(own), says.matrix(own)) if len(own) else "",
        "claims": shown(figures.claims(said, "corpora"), says.papers_finding(answers)) if len(said) else "",
    }


def chapters() -> str:
    """README's table of the chapters, with links as the site has them, in Markdown."""
    readme = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    table = re.search(r"^## The chapters\n\n(\|.*?)\n\n", readme, re.MULTILINE | re.DOTALL)
    return table[1].replace("(notebooks/", "(")


def write(template: str, runs: pd.DataFrame, contents: dict[str, str]) -> str:
    """The first page's Markdown; contents: the lines of each list of pages, by its name."""
    seeds = runs.drop_duplicates(verdict.RUN)
    texts = {
        "emblem": emblem(),
        "table": chapters(),
        "runs": f"{len(seeds)} runs on {seeds['corpus'].nunique()} corpora and tasks",
        **found(runs),
        **contents,
    }
    return re.sub(r"%(\w+)%", lambda name: texts[name[1]], template)
