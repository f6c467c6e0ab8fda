"""The first page: its template with sentences that are computed from the runs' summaries."""

import re

import numpy as np
import pandas as pd

from heed import verdict
from heed.params import Params
from heed.show import ours
from heed.show.notebook import inert
from heed.verdict import claims

ORDERS = {"gradient": "the gradient's order", "random": "a random one", "optimal": "the best one known"}


def strip() -> str:
    """The sentences that we wrote, as models of real corpora read them: strips, as HTML."""
    return ours.html()


class Numbers:
    """The BiLSTM's numbers of profile `paper` as it is, over all texts of a corpus: means over seeds."""

    def __init__(self, runs: pd.DataFrame):
        rows = verdict.marked(verdict.plain(runs))
        rows = rows[(rows["class"] == "overall") & (rows["profile"] == "paper")]
        rows = rows[rows["encoder"] == "bilstm"]
        self.seeds = rows.groupby(["attention", "measure", "corpus", "seed"])["mean"].mean()

    def of(self, measure: str, minus: str = "") -> pd.Series:
        """A number a corpus; minus: less that of another attention on the same seeds. Empty without runs."""
        try:
            found = self.seeds["additive", measure]
            return (found - self.seeds[minus, measure] if minus else found).dropna().groupby("corpus").mean()
        except KeyError:
            return pd.Series(dtype=float)

    def range(self, measure: str) -> str:
        """`0.28 (sst) to 0.39 (babi1)`; of one corpus `0.28 (sst)`, of none nothing."""
        found = self.of(measure).sort_values()
        ends = found.iloc[[0, -1]] if len(found) > 1 else found
        return " to ".join(f"{value:.2f} ({inert(corpus)})" for corpus, value in ends.items())


def found(runs: pd.DataFrame) -> dict[str, str]:
    """Questions of the debate and what the runs answer; one that no run answers is left out."""
    n, said = Numbers(runs), {}
    if loo := n.range("tau_loo"):
        low, gradient = n.of("tau_loo") < 0.5, n.range("tau_gradient")
        said["Does attention rank words as measures of importance do?"] = (
            f"Kendall τ (1: the same order, 0: none) is {loo} with leave-one-out"
            + (f", {gradient} with gradients" if gradient else "")
            + f". With leave-one-out it is below 0.5 on {low.sum()} of {len(low)} corpora."
        )
    if change := n.range("median_change"):
        said["What if attention had fallen on other words?"] = (
            f"Shuffled at random, it moves the prediction by {change} in the median, of at most 1."
        )
    if optimum := n.range("optimum"):
        said["Can quite different attention say the same?"] = (
            f"The most different attention known that moves the prediction by {Params().epsilon:g} at most is"
            f" a JSD of {optimum} away from the model's own. {np.log(2):.2f} would be other words altogether."
        )
    if trained := n.range("trained_jsd"):
        said["Would training ever lead there?"] = (
            f"A model that was trained to attend elsewhere gets to a JSD of {trained}, and its predictions"
            f" move by {n.range('trained_change')}. Other seeds of the same model lie a JSD of"
            f" {n.range('other_jsd')} away."
        )
    if len(gains := n.of("f1", minus="uniform")):
        listed = ", ".join(f"{gain:+.3f} ({inert(corpus)})" for corpus, gain in gains.items())
        said["Is attention needed at all?"] = (
            f"F1 with it, minus F1 of the same seeds with equal weights for all words: {listed}."
        )
    if len(erased := n.of("erased_attention")):
        parts = []
        for corpus, share in erased.items():
            others = {name: n.of(f"erased_{order}").get(corpus) for order, name in ORDERS.items()}
            others = [f"{other:.0%} by {name}" for name, other in others.items() if other is not None]
            parts.append(", ".join([f"{share:.0%} of the words ({inert(corpus)})", *others]))
        said["How much must be erased before the decision changes?"] = (
            f"From the highest weight down {'; '.join(parts)}."
        )
    return said


def write(template: str, runs: pd.DataFrame, contents: dict[str, str]) -> str:
    """The first page's Markdown; contents: lists of pages, by the name that the template has for each."""
    answers = "\n".join(f"**{question}** {answer}\n" for question, answer in found(runs).items())
    models = (
        "Of BiLSTMs with additive attention under profile `paper`: means over texts, then over seeds.\n\n"
    )
    tally = claims.tally(claims.table(runs)).reset_index().to_html(index=False, border=0)
    seeds = runs.drop_duplicates(verdict.RUN)
    texts = {
        "found": models + answers if answers else "No run is here yet: `make batch`.\n",
        "runs": f"The site holds {len(seeds)} runs on {seeds['corpus'].nunique()} corpora.",
        "claims": f"```{{raw}} html\n{tally}\n```",
    } | contents
    return re.sub(r"%(\w+)%", lambda name: texts[name[1]], template)
