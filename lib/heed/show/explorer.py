"""The explorer of chapter 10: choose a corpus, a finished run and a text, and move its weights."""

import html
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import ipywidgets as widgets
import numpy as np
import pandas as pd

from heed import paths
from heed.errors import HeedError
from heed.evidence import Row
from heed.experiments import human
from heed.models.encoders import encoder_called
from heed.params import Params, resolve
from heed.registry import corpora
from heed.runs.run import Run
from heed.show.read import Read, read
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


def committed_runs(results: Path) -> list[Run]:
    """The runs of the project's checkpoints, of those that their names tell: they are ready in a second."""
    found = []
    for path in sorted((paths.DATA / "checkpoints").glob("*/*/*/seed*")):
        corpus, model, variant, seed = path.relative_to(paths.DATA / "checkpoints").parts
        encoder, attention = model.split("-")
        named = {"corpus": corpus, "encoder": encoder, "attention": attention, "seed": int(seed[4:])}
        run = Run(resolve(named | {"profile": variant.split("-")[0]}), results)
        if run.committed == path:
            found.append(run)
    return found


class Explorer(widgets.VBox):
    """Controls around a strip. It starts with `run`; all finished runs of its results folder can be chosen.

    `strip` is the TokenStrip, `row` the text shown, `other` the strip of a model beside it or None. `choose`,
    `show` and `read` do from code what the controls do. A sentence of one's own is read anew by each run that
    is chosen; `note` says what the model makes of it and what an edit moved. What is missing is said in
    `message`, above the strip, and what was shown stays: also a run that can no longer be read, whose corpus
    is gone, say, while the others can be chosen.
    """

    def __init__(self, run: Run):
        if not isinstance(run, Run):
            raise HeedError(f"Explorer takes a run, such as Run.of(), not a {type(run).__name__}.")
        self.results = run.folder.parents[3]
        self.runs = {_title(run): run}
        for other in (*finished_runs(self.results), *committed_runs(self.results)):
            self.runs.setdefault(_title(other), other)
        names = list(dict.fromkeys(one.params.corpus for one in self.runs.values()))
        style = {"style": {"description_width": "initial"}}
        self.corpus = widgets.Dropdown(options=names, description="corpus", **style)
        self.choice = widgets.Dropdown(description="run", layout={"width": "26em"}, **style)
        self.sort = widgets.Dropdown(options=list(SORTS), description="sort by", **style)
        self.word = widgets.Text(description="with the word", continuous_update=False, **style)
        self.text = widgets.Dropdown(
            description="text", layout={"width": "46em", "max_width": "98%"}, **style
        )
        own = {"continuous_update": False, "layout": {"width": "46em", "max_width": "98%"}}
        hint = "a sentence of your own, then Enter"
        self.yours = widgets.Text(description="or yours", placeholder=hint, **own, **style)
        self.query = widgets.Text(**own, **style)
        self.second = widgets.Dropdown(description="beside it", layout={"width": "30em"}, **style)
        self.message, self.note = widgets.HTML(), widgets.HTML()
        self._quiet = False  # whether it is this that sets the controls, and not a reader
        self.corpus.observe(lambda _: self._listed(), "value")
        self.choice.observe(lambda change: self._chosen(self.choose, change["new"]), "value")
        for control in (self.sort, self.word):
            control.observe(lambda _: self._tried(self._sorted), "value")
        self.text.observe(lambda change: self._chosen(self.show, change["new"]), "value")
        for control in (self.yours, self.query):
            control.observe(lambda _: self._tried(self._typed), "value")
        self.second.observe(lambda _: self._tried(self._both), "value")
        self.strip = self.row = self.evidence = self.last = self._left = self.other = None
        top = widgets.HBox([self.corpus, self.choice, self.second], layout={"flex_flow": "row wrap"})
        middle = widgets.HBox([self.sort, self.word], layout={"flex_flow": "row wrap"})
        super().__init__([top, middle, self.text, self.yours, self.query, self.message, self.note])
        self.add_class("heed-hands")  # keys pressed in it stay in it, see hands/page.js
        self._listed()

    def __repr__(self) -> str:
        return f"Explorer({self.choice.value!r}, {self.row and self.row.id!r})"

    def _repr_mimebundle_(self, **given):
        bundle = super()._repr_mimebundle_(**given)
        if self.strip is None:
            return bundle
        # A page without a kernel shows the strips, which live there; the controls would be dead.
        strips = [self.strip, *([self.other] if self.other in self.children else [])]
        return {**bundle, "text/html": "\n".join([*(s.still() for s in strips), self.strip.alive()])}

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Controls that are set within do nothing by themselves."""
        before, self._quiet = self._quiet, True
        try:
            yield
        finally:
            self._quiet = before

    def _chosen(self, act, name: str | None) -> None:
        """Do what a list's choice asks for; None is set on the way to another one."""
        if name is not None:
            self._tried(act, name)

    def _tried(self, act, *given) -> None:
        """Do it, or say why not."""
        if self._quiet:
            return
        self.message.value = self.note.value = ""
        try:
            act(*given)
        except HeedError as error:
            self.message.value = f'<b role="alert">{html.escape(visible(str(error)))}</b>'

    def _listed(self) -> None:
        """The corpus's runs; the first is chosen."""
        titles = [title for title, run in self.runs.items() if run.params.corpus == self.corpus.value]
        self.choice.value = None  # or the list would choose for itself, twice
        self.choice.options = titles
        self.choice.value = titles[0]

    def choose(self, title: str) -> None:
        """Take up a run by its title. Raises HeedError if there is none, or if it is damaged.

        And if it can't be listed by the word and the order that are set: those then go, and all is listed.
        """
        if title not in self.runs:
            raise HeedError(f"there is no run {title!r} here. Choose one of: {'; '.join(self.runs)}.")
        run = self.runs[title]
        if run.params.corpus not in corpora():
            raise HeedError(
                f"corpus {run.params.corpus} is gone: data/registry.yaml and params/ have it no more. "
                "Restore its YAML, or choose another run."
            )
        evidence, classes = run.evidence, run.corpus.classes
        if len(evidence) == 0:
            raise HeedError(f"the run {title} has no test texts. Choose another run.")
        adversaries = _adversaries(run)
        asked, mine = run.asked(evidence.ids[0]), (self.yours.value, self.query.value)
        as_before = (
            self.evidence is not None and self.query.description == asked.get("query_name", "").lower()
        )
        # All has been read: what is damaged leaves the run that is shown.
        self.run, self.evidence, self.classes = run, evidence, classes
        self._adversarial, self._found = adversaries
        self._offer(title)
        self.query.layout.display = "flex" if asked else "none"
        self.query.description = asked.get("query_name", "").lower()
        try:
            self._sorted()
        except HeedError as error:
            self.word.value, self.sort.value = "", next(iter(SORTS))
            raise HeedError(f"{error} All its texts are listed.") from error
        if mine[0].strip():  # a sentence of one's own is read by this run, too
            with self._quietly():
                self.yours.value = mine[0]
                self.query.value = mine[1] if as_before else self.query.value
            self._tried(self._typed)

    def _typed(self) -> None:
        """Read what stands in the fields; a question alone is asked of the text that is shown."""
        self._refuse_unless_shown()
        text, question = self.yours.value, self.query.value if self.run.questions else None
        if text.strip():
            self.read(text, question)
        elif question is not None and self.row is not None and question != self.strip.question:
            self.read(" ".join(np.array(self.row.units, object)[self.row.real]), question)
        elif self.text.value is None and self._left in self.evidence.ids:  # the sentence was taken out
            self.show(self._left)

    def _refuse_unless_shown(self) -> None:
        if self.evidence is None:
            raise HeedError("no run is shown yet. Choose one that can be read.")

    def read(self, text: str, question: str | None = None) -> Read:
        """Show a text of one's own as the chosen run reads it; `note` says what moved since the last one.

        Raises HeedError, and leaves the strip as it is, if that run can't read it.
        """
        self._refuse_unless_shown()
        if not (self.run.kept("weights") or self.run.committed.is_dir()):
            raise HeedError(
                "this run's weights are gone, so it reads nothing new. Run chapter 01 on it, or choose "
                "another."
            )
        found = read(text, self.run, question)
        self._left = self.text.value or self._left
        with self._quietly():
            self.yours.value, self.query.value, self.text.value = text, question or "", None
        said = [f"{found.said()}.", found.doubts()]
        if self.last and self.last.run == found.run:
            said.append(found.against(self.last))
        self.last = found
        self.message.value = ""
        self._display(found.row, found.beside(), own=True)
        text_of = html.escape(visible(" ".join(filter(None, said))))
        self.note.value = f'<span role="status">{text_of}</span>'
        return found

    def _sorted(self) -> None:
        """The texts that hold the word, in the order asked for; the first is shown."""
        self._refuse_unless_shown()
        word = self.word.value.strip().casefold()
        units, ids = self.evidence.table["units"].to_pylist(), self.evidence.ids
        kept = [i for i, text in enumerate(units) if not word or word in map(str.casefold, text)]
        if not kept:
            raise HeedError(f"no text of this run holds the word “{word}”.")
        shown, order = self._scores()
        if order is not None:
            kept.sort(key=lambda i: -order[i])
        options = []
        for i in kept:
            number = "" if shown is None else f" ({shown[i]:.3f})"
            options.append((visible(f"{ids[i]}{number}: {' '.join(units[i])}"[:90]), ids[i]))
        self.text.value = None
        self.text.options = options
        self.text.value = ids[kept[0]]
        if self.sort.value == "wrong predictions first" and not (order[kept] >= 0).any():
            self.note.value = (
                '<span role="status">No prediction is wrong here; the surest comes first.</span>'
            )

    def _look_for_adversaries(self) -> None:
        """Read them if they weren't there: chapter 04 may have been run since."""
        if self._adversarial is None:
            self._adversarial, self._found = _adversaries(self.run)

    def _scores(self) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Of each text the number shown before it, and the one by which the highest comes first; or None."""
        column = SORTS[self.sort.value]
        self._look_for_adversaries()
        if column and (self._adversarial is None or column not in self._adversarial):
            raise HeedError("this run has no table of adversaries yet: run chapter 04 on it.")
        if column:
            if not set(self.evidence.ids) <= set(self._adversarial.index):
                raise HeedError(
                    "this run's table of adversaries lacks some texts: run chapter 04 on it anew."
                )
            scores = self._adversarial[column].loc[self.evidence.ids].to_numpy()
            return scores, scores
        if self.sort.value == "highest attention":
            scores = np.array([max(a) for a in self.evidence.table["attention"].to_pylist()])
            return scores, scores
        if self.sort.value == "wrong predictions first":
            sure = self.evidence.predictions.max(1)
            is_wrong = self.evidence.predicted != self.evidence.labels
            return sure, np.where(is_wrong, sure, sure - 2)  # below all that are wrong
        return None, None

    def show(self, name: str) -> None:
        """Show a text by its id. Raises HeedError if this run has no such text."""
        self._refuse_unless_shown()
        if name not in self.evidence.ids:
            raise HeedError(f"this run has no text {name!r}; its first is {self.evidence.ids[0]!r}.")
        self._look_for_adversaries()
        beside = {
            "classes": self.classes,
            "epsilon": self.run.params.epsilon,
            "found": self._found.get(name),
            "marked": self._marked(name),
            **self.run.asked(name),
        }
        self.message.value = self.note.value = ""
        self._display(self.evidence[self.evidence.ids.index(name)], beside, own=False)
        with self._quietly():
            self.yours.value, self.query.value = "", beside.get("question", "")
            if name in [value for _, value in self.text.options]:
                self.text.value = name

    def _marked(self, name: str) -> np.ndarray | None:
        """Which tokens of a text a person marked (T,); None of a corpus in which nobody did."""
        p = self.run.params
        if not corpora().get(p.corpus, {}).get("marked") or encoder_called(p.encoder).unit != "token":
            return None
        row = self.evidence[self.evidence.ids.index(name)]
        marked = np.zeros(len(row.units), dtype=bool)
        marked[row.real] = human.marks(self.run)[name].tokens(int(row.real.sum()))
        return marked

    def _display(self, row: Row, beside: dict, own: bool) -> None:
        """Put a row on the strip, and what the model beside makes of the same text on another.

        own: whether the text is the reader's own, and not one of the corpus.
        """
        beside = beside | {"group": "explorer" if self.second.value else ""}
        beside["reader"] = self.choice.value if self.second.value else ""
        if self.strip is None:
            self.strip = TokenStrip(row, **beside)
            self.children = [*self.children, self.strip]
        else:
            self.strip.show(row, **beside)
        self.row, self._shown = row, (beside, own)
        self._tried(self._show_other)

    def _offer(self, title: str) -> None:
        """The other runs of the corpus, to be shown beside this one; the one that is shown stays."""
        others = [
            name
            for name, run in self.runs.items()
            if run.params.corpus == self.run.params.corpus and name != title
        ]
        before = self.second.value
        with self._quietly():
            self.second.options = [("no other model", None), *((name, name) for name in others)]
            self.second.value = before if before in others else None

    def _both(self) -> None:
        """Another model was chosen to be beside, or none."""
        self._refuse_unless_shown()
        if self.strip is not None:
            self._display(self.row, *self._shown)

    def _show_other(self) -> None:
        """The text that is shown, as the model beside reads it, below; or nothing."""
        shown = [child for child in self.children if child is not self.other]
        if self.second.value is None:
            self.children = shown
            return
        run, name, (given, own) = self.runs[self.second.value], self.row.id, self._shown
        if not own and name in run.evidence.ids:
            row, beside = run.evidence[run.evidence.ids.index(name)], run.asked(name)
            beside |= {"classes": run.corpus.classes, "epsilon": run.params.epsilon}
        else:
            words = " ".join(np.array(self.row.units, object)[self.row.real])
            found = read(self.yours.value or words, run, given.get("question"))
            row, beside = found.row, found.beside()
        beside |= {"reader": self.second.value, "group": "explorer"}
        if self.other is None:
            self.other = TokenStrip(row, **beside)
        else:
            self.other.show(row, **beside)
        self.children = [*shown, self.other]


def _adversaries(run: Run) -> tuple[pd.DataFrame | None, dict[str, np.ndarray]]:
    """Chapter 04's table by text, and the attention (T,) that the search found for each, where they are."""
    table = run.table("adversarial").set_index("id") if run.holds("adversarial") else None
    return table, run.arrays("adversary") if run.holds("adversary") else {}


def _title(run: Run) -> str:
    return f"{run.params.corpus} {run.params.model_name}, {run.params.variant}, seed {run.params.seed}"
