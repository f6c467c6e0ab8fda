"""The claims of Jain & Wallace (2019), held against the runs that are there."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from heed.measures import stats
from heed.measures.registry import MEASURES
from heed.runs.products import declared
from heed.verdict.annex import TELLING, guessing
from heed.verdict.carried import are_of, chosen, marked, plain

Which = tuple[str, ...]  # a model such as `bilstm` or `bilstm-dot`, a measure and, if not overall, a class


@dataclass(frozen=True)
class Claim:
    """A sentence, the section that makes it, a number of each seed, and between what bounds it holds.

    short: the same in a few words, with `{}` where another claim is on another measure. The number is that of
    `of`, less that of `minus`. corpora: where it is claimed, or everywhere; texts: the
    fewest that the number may be a mean over. speaks: what it says of attention as an explanation if it
    holds, for or against; empty if neither.
    """

    text: str
    short: str
    section: str
    of: Which
    minus: Which = ()
    low: float = -np.inf
    high: float = np.inf
    corpora: tuple[str, ...] = ()
    texts: int = 0
    speaks: str = ""


LONGER = "τ with the gradient: the longer the text, the surer (p falls with length)"
PEAKED = 30  # peaked texts that a share of them must be of
ANSWERS = ["yes", "no", "open", "one seed", "too few"]


def every() -> list[Claim]:
    """The claims, in the paper's order."""
    names = {"tau_gradient": "τ with the gradient", "tau_loo": "τ with leave-one-out"}
    claims = []
    for baseline, name, brief in (
        ("uniform", "uniform attention", "equal weights"),
        ("last", "its last state", "the last state"),
    ):
        claims.append(Claim(f"F1: attention improves the BiLSTM over {name}",
                            f"attention gives a higher F1 than {brief}", "6",
                            ("bilstm", "f1"), (f"bilstm-{baseline}", "f1"), low=0,
                            speaks="for" if baseline == "uniform" else ""))  # fmt: skip
    for encoder, name in (("cnn", "CNN"), ("average", "Average")):
        claims.append(Claim(f"F1: {name} comparable to BiLSTM (within 0.05)",
                            f"{'the ' * (name == 'CNN')}{name}'s F1 is near the BiLSTM's", "3",
                            (encoder, "f1"), ("bilstm", "f1"), low=-0.05, high=0.05))  # fmt: skip
    for measure, name in names.items():
        near, bilstm = {"low": -0.1, "high": 0.1}, ("bilstm", measure)
        claims += [
            Claim(f"{name} is modest for the BiLSTM (below 0.5)", "the BiLSTM's τ with {} is modest", "4.1",
                  bilstm, high=0.5, speaks="against"),
            Claim(f"{name}: Average above BiLSTM", "Average's τ with {} is higher", "4.1",
                  ("average", measure), bilstm, low=0),
            Claim(f"{name}: CNN comparable to BiLSTM (within 0.1)",
                  "the CNN's τ with {} is near the BiLSTM's", "4.1", ("cnn", measure), bilstm, **near),
            Claim(f"{name}: dot product comparable to additive (within 0.1)",
                  "dot product's τ with {} is near additive attention's", "4",
                  ("bilstm-dot", measure), bilstm, **near),
        ]  # fmt: skip
    claims.append(Claim(LONGER, "the longer the text, the more surely τ with {} isn't chance", "4.1",
                        ("bilstm", "rho_length_p"), high=0))  # fmt: skip
    for other, name, size, near in (
        ("loo", "leave-one-out", "above 0.2 (as reported)", {"low": 0.2}),
        ("gradient", "gradient", "0.15 to 0.35 (reported: near 0.25)", {"low": 0.15, "high": 0.35}),
    ):
        of = ("bilstm", f"tau_gradient_loo_minus_attention_{other}")
        claims += [
            Claim(
                f"Gradient and leave-one-out agree more than attention and {name}",
                "gradient and leave-one-out agree more than attention with {}",
                "4.1",
                of,
                low=0,
                speaks="against",
            ),
            Claim(
                f"Gradient and leave-one-out agree more than attention and {name}, by {size}",
                "gradient and leave-one-out agree much more than attention with {}",
                "4.1",
                of,
                **near,
            ),
        ]
    return [
        *claims,
        Claim("Shuffling moves the prediction little (mean of the texts' medians below 0.1)",
              "shuffling moves the prediction little", "4.2.1", ("bilstm", "median_change"), high=0.1,
              speaks="against"),
        Claim("Shuffling: more than half of the peaked texts hardly move (the paper: many)",
              "shuffling hardly moves most peaked texts", "4.2.1",
              ("bilstm", "peaked_still"), low=0.5, texts=PEAKED, speaks="against"),
        Claim("Shuffling: Diabetes' positive class is the exception (it moves more than class 0)",
              "shuffling moves Diabetes' positive class more", "4.2.1",
              ("bilstm", "median_change", "1"), ("bilstm", "median_change", "0"), low=0,
              corpora=("diabetes",)),
        Claim("Adversary: the ε-max JSD it finds is large (above 0.5, of at most 0.69)",
              "the search finds very different attention", "4.2.2", ("bilstm", "found"), low=0.5,
              speaks="against"),
        Claim("Adversary: peaked attention leaves less room, but weakly (ρ in −0.5 to 0)",
              "for peaked attention the search gets a little less far", "4.2.2",
              ("bilstm", "rho_found"), low=-0.5, high=0),
    ]  # fmt: skip


def able(summaries: pd.DataFrame, measures: Collection[str] = ()) -> pd.DataFrame:
    """Runs of a profile as it is, without models that only guess; parts of corpora under another name.

    measures: rows of these, and of what says who guesses, are enough; else all rows.
    """
    if measures:
        summaries = summaries[summaries["measure"].isin([*measures, *TELLING])]
    return marked(without_guessing(plain(summaries)))


def without_guessing(summaries: pd.DataFrame, measures: Collection[str] = ()) -> pd.DataFrame:
    """The rows of models that predict better than the most frequent answer.

    measures: only rows of these, over all texts; else all rows.
    """
    guesses, rows = guessing(summaries)[["corpus", "profile", "attention", "encoder"]], summaries
    if measures:
        rows = rows[(rows["class"] == "overall") & rows["measure"].isin(measures)]
    return chosen(rows, ~are_of(rows, guesses))


def table(summaries: pd.DataFrame) -> pd.DataFrame:
    """Each claim on each corpus and profile: seeds, ours, over, holds, holm, p, beside what names a claim.

    ours: mean over seeds with its 95 % t interval; of one seed its bootstrap interval over texts, if the
    claim is about a number and not a difference. over: seeds or texts. holds: yes if the interval over seeds
    lies between its bounds, no if outside, open if it reaches over one, else `one seed` or `too few` texts.
    p: Student's, that the mean isn't the bound that decides. holm: what is left of `holds` after Holm's
    correction over the corpora and profiles of a claim. A corpus without the runs that a claim needs has no
    row, nor has a model that only guesses.
    """
    rows, called = [], ["model", "measure", "class"]
    needed = {_which(which) for claim in every() for which in (claim.of, claim.minus) if which}
    runs = able(summaries, {measure for _, measure, _ in needed})
    model = runs["encoder"] + runs["attention"].map(lambda name: "" if name == "additive" else f"-{name}")
    runs = runs.assign(model=model, texts=runs["n"] - runs["undefined"])
    runs = runs[pd.MultiIndex.from_frame(runs[called]).isin(needed)]
    for (corpus, profile), own in runs.groupby(["corpus", "profile"]):
        # Of each number the seeds that have it, with its interval over texts, and of how many it is.
        numbers = {
            which: part.groupby("seed")[["mean", "low", "high", "texts"]].mean()
            for which, part in own.dropna(subset="mean").groupby(called)
        }
        for claim in every():
            first, second = _which(claim.of), _which(claim.minus or claim.of)
            if (claim.corpora and corpus not in claim.corpora) or not {first, second} <= {*numbers}:
                continue  # not claimed here, or a model or a chapter that this corpus has no run of
            of = numbers[first]
            found = (of["mean"] - numbers[second]["mean"]).dropna() if claim.minus else of["mean"]
            if len(found):
                texts = of["texts"][found.index].min()
                named = {"claim": claim.text, "section": claim.section, "corpus": corpus, "profile": profile}
                answer = _answer(claim, found, [of["low"], of["high"]], texts)
                rows.append(named | {"seeds": len(found)} | answer)
    columns = ["claim", "section", "corpus", "profile", "seeds", "ours", "over", "holds", "p"]
    found = pd.DataFrame(rows, columns=columns).astype({"p": float})
    found.insert(8, "holm", corrected(found, found["claim"]))
    order = {claim.text: place for place, claim in enumerate(every())}
    return found.sort_values("claim", key=lambda names: names.map(order), kind="stable", ignore_index=True)


def _which(names: Which) -> tuple[str, str, str]:
    """A model, a measure and a class: `overall` where none is named."""
    model, measure, *of = names
    return model, measure, *(of or ["overall"])


def interval(values: pd.Series, of: str, difference: bool) -> tuple[float, float, float]:
    """Mean and Student's interval, cut where no measure, or difference of two, can be."""
    declared()  # so that each measure's range is known
    low, high = MEASURES[of].range if of in MEASURES else (-1 if of.startswith(("rho", "tau")) else 0, 1)
    low, high = (low - high, high - low) if difference or "_minus_" in of else (low, high)
    return stats.t_interval(values.to_numpy(), (low, high))


def _answer(claim: Claim, found: pd.Series, ends: list[pd.Series], texts: float) -> dict[str, str]:
    """The number with its interval, over what it is (`ends`: those over texts), and whether it holds."""
    mean, low, high = interval(found, claim.of[1], bool(claim.minus))
    over = "seeds" if len(found) > 1 else ""
    if len(found) == 1 and not claim.minus:
        of_texts = [end.get(found.index[0], np.nan) for end in ends]
        if np.isfinite(of_texts).all():
            low, high = of_texts
            over = "texts"
    ours = f"{mean:+.2f}"
    if over:
        ours += f" [{low:+.2f}, {high:+.2f}]"
    holds = _holds(claim, low, high, len(found), texts)
    p = np.nan if holds in ("one seed", "too few") else _p(claim, found.to_numpy())
    return {"ours": ours, "over": over, "holds": holds, "p": p}


def _p(claim: Claim, values: np.ndarray) -> float:
    """That the mean isn't the bound that it lies beyond; if it lies between them, that it is neither."""
    mean = values.mean()
    if mean <= claim.low or mean >= claim.high:
        return stats.t_p(values, claim.low if mean <= claim.low else claim.high)
    return max(stats.t_p(values, bound) for bound in (claim.low, claim.high) if np.isfinite(bound))


def corrected(found: pd.DataFrame, family: pd.Series | None = None) -> pd.Series:
    """`holds` where its p stays below .05 after Holm's correction, else open; what is no test stays.

    family: rows that share a value are corrected for one another; or all rows.
    """
    family = pd.Series("", found.index) if family is None else family
    p = found["p"].groupby(family, group_keys=False).transform(lambda own: stats.holm(own.to_numpy()))
    return found["holds"].mask(found["holds"].isin(["yes", "no"]) & ~(p < 0.05), "open")


def _holds(claim: Claim, low: float, high: float, seeds: int, texts: float) -> str:
    """One of ANSWERS, of an interval over so many seeds."""
    if texts < claim.texts:
        return "too few"
    if seeds == 1:  # an interval over texts knows nothing of other seeds
        return "one seed"
    if claim.low < low and high < claim.high:
        return "yes"
    if high <= claim.low or low >= claim.high:
        return "no"
    return "open"


def tally(found: pd.DataFrame) -> pd.DataFrame:
    """On how many corpora and profiles each claim holds or doesn't, or why that is open; all claims."""
    counts = pd.crosstab(found["claim"], found["holds"])
    counts = counts.reindex(index=[c.text for c in every()], columns=ANSWERS, fill_value=0)
    return counts.rename_axis(index="claim", columns=None)
