"""The explorer of chapter 10: choose a corpus, a finished run and a text, and move its weights."""

import html
import json
from pathlib import Path

import ipywidgets as widgets
import numpy as np

from heed.errors import HeedError
from heed.params import Params
from heed.runs.run import Run
from heed.show.strip import TokenStrip
from heed.show.words import visible

# How texts are sorted: what the reader reads, and the table and column it needs (evidence needs none).
SORTS = {
    "as in the corpus": None,
    "highest attention": None,
    "JSD, exact or best known": "optimum",
    "JSD that the search found": "found",
    "wrong predictions first": None,
}


def finished_runs(results: Path) -> list[Run]:
    """Every run of a results folder that has evidence; what another version of heed wrote is left out."""
    found = []
    for file in sorted(results.glob("*/*/*/seed*/run.json")):
        try:
            run = Run(Params(**json.loads(file.read_text(encoding="utf-8"))["parameters"]), results)
            if run.folder == file.parent and "evidence" in run.info()["products"]:
                found.append(run)
        except (OSError, ValueError, KeyError, TypeError, HeedError):
            continue
    return found


class Explorer(widgets.VBox):
    """Controls around a strip. It starts with `run`; all finished runs of its results folder can be chosen.

    `strip` is the TokenStrip, `row` the text shown; `choose` and `show` do from code what the controls do.
    What is missing is said in `message`, above the strip, and what was shown stays.
    """

    def __init__(self, run: Run):
        self.results = run.folder.parents[3]
        others = [r for r in finished_runs(self.results) if r.folder != run.folder]
        self.runs = {_title(r): r for r in [run, *others]}
        corpora = list(dict.fromkeys(r.params.corpus for r in self.runs.values()))
        style = {"style": {"description_width": "initial"}}
        self.corpus = widgets.Dropdown(options=corpora, description="corpus", **style)
        self.choice = widgets.Dropdown(description="run", layout={"width": "26em"}, **style)
        self.sort = widgets.Dropdown(options=list(SORTS), description="sort by", **style)
        self.word = widgets.Text(description="with the word", continuous_update=False, **style)
        self.text = widgets.Dropdown(
            description="text", layout={"width": "46em", "max_width": "98%"}, **style
        )
        self.message = widgets.HTML()
        self.corpus.observe(lambda _: self._listed(), "value")
        self.choice.observe(lambda change: change["new"] and self._tried(self.choose, change["new"]), "value")
        for control in (self.sort, self.word):
            control.observe(lambda _: self._tried(self._sorted), "value")
        self.text.observe(
            lambda change: change["new"] is not None and self._tried(self.show, change["new"]), "value"
        )
        self.strip = self.row = None
        top = widgets.HBox([self.corpus, self.choice], layout={"flex_flow": "row wrap"})
        middle = widgets.HBox([self.sort, self.word], layout={"flex_flow": "row wrap"})
        super().__init__([top, middle, self.text, self.message])
        self._listed()

    def __repr__(self) -> str:
        return f"Explorer({self.choice.value!r}, {self.row and self.row.id!r})"

    def _repr_mimebundle_(self, **given):
        # A page without a kernel shows the strip, which lives there; the controls would be dead.
        return super()._repr_mimebundle_(**given) | (
            {"text/html": self.strip.to_html()} if self.strip else {}
        )

    def _tried(self, act, *given) -> None:
        self.message.value = ""
        try:
            act(*given)
        except HeedError as error:
            self.message.value = f'<b role="alert">{html.escape(visible(str(error)))}</b>'

    def _listed(self) -> None:
        """The corpus's runs; the first is chosen."""
        titles = [t for t, r in self.runs.items() if r.params.corpus == self.corpus.value]
        self.choice.value = None  # or the list would choose for itself, twice
        self.choice.options, self.choice.value = titles, titles[0]

    def choose(self, title: str) -> None:
        """Take up a run by its title. Raises HeedError if there is none, or if it is damaged.

        And if it can't be listed by the word and the order that are set: those then go, and all is listed.
        """
        if title not in self.runs:
            raise HeedError(f"there is no run {title!r} here. Choose one of: {'; '.join(self.runs)}.")
        run = self.runs[title]
        evidence, classes = run.evidence, run.corpus.classes
        table = None
        if run.holds("adversarial"):
            table = run.table("adversarial").set_index("id")
        found = run.arrays("adversary") if run.holds("adversary") else {}
        self.run, self.evidence, self.classes = run, evidence, classes
        self._table, self._found = table, found
        try:
            self._sorted()
        except HeedError as error:
            self.word.value, self.sort.value = "", next(iter(SORTS))
            raise HeedError(f"{error} All its texts are listed.") from error

    def _sorted(self) -> None:
        """The texts that hold the word, in the order asked for; the first is shown."""
        word, rows = self.word.value.strip().casefold(), self.evidence.table
        units, ids = rows["units"].to_pylist(), self.evidence.ids
        kept = [i for i, text in enumerate(units) if not word or word in (u.casefold() for u in text)]
        if not kept:
            raise HeedError(f"no text of this run holds the word “{word}”.")
        column, scores = SORTS[self.sort.value], None
        if column and self._table is None:
            raise HeedError("this run has no table of adversaries yet: run chapter 04 on it.")
        if column:
            scores = self._table[column].loc[ids].to_numpy()
        elif self.sort.value == "highest attention":
            scores = np.array([max(a) for a in rows["attention"].to_pylist()])
        elif self.sort.value == "wrong predictions first":
            sure = self.evidence.predictions.max(1)
            scores = np.where(self.evidence.predicted != self.evidence.labels, sure, sure - 2)
        if scores is not None:
            kept.sort(key=lambda i: -scores[i])
        self.text.value = None
        self.text.options = [(_line(ids[i], units[i], scores, i), ids[i]) for i in kept]
        self.text.value = ids[kept[0]]

    def show(self, name: str) -> None:
        """Show a text by its id. Raises HeedError if this run has no such text."""
        if name not in self.evidence.ids:
            raise HeedError(f"this run has no text {name!r}; its first is {self.evidence.ids[0]!r}.")
        self.row = row = self.evidence[self.evidence.ids.index(name)]
        given = {"classes": self.classes, "epsilon": self.run.params.epsilon, "found": self._found.get(name)}
        given |= self.run.asked(name)
        if self.strip is None:
            self.strip = TokenStrip(row, **given)
            self.children = [*self.children, self.strip]
        else:
            self.strip.show(row, **given)
        if self.text.value != name and name in [value for _, value in self.text.options]:
            self.text.value = name


def _title(run: Run) -> str:
    return f"{run.params.corpus} {run.params.model_name}, {run.params.variant}, seed {run.params.seed}"


def _line(name: str, units: list[str], scores, i: int) -> str:
    number = "" if scores is None else f" ({scores[i] + 2 * (scores[i] < 0):.3f})"
    return visible(f"{name}{number}: {' '.join(units)}"[:90])
