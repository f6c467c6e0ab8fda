"""Chapter 11, rationales: which rankings of words are faithful, and to whom?"""

import numpy as np
import pandas as pd

from heed.corpora.batches import Encoded
from heed.evidence import Evidence
from heed.measures import agreement as agreeing
from heed.measures import faithfulness as measured
from heed.measures import marks, parts, rankings, stats
from heed.measures.divergence import significant_digits
from heed.measures.rankings import Ranking
from heed.params import EXPLAINING, LEAVING, ORDERING, RANKING, RESAMPLING
from heed.runs.products import product
from heed.runs.summaries import summarised

SIZE = "_size"  # how the sizes of a signed ranking's numbers are called: they rank, too
UNSIGNED = " without sign"  # with this to its label
LOO_SIGNED = (
    "loo_signed"  # leave-one-out with its sign: how far p falls without the word, below 0 if it rises
)
COMPARED = (  # in the same texts
    "lime",
    "kernel_shap",
    LOO_SIGNED,
    f"lime{SIZE}",
    f"kernel_shap{SIZE}",
    "loo",
    "attention",
    "random",
)
SUMMARISED = (
    "comp_delete",
    "suff_delete",
    "naopc_comp",
    "naopc_suff",
    "held_comp",
    "soft_comp",
    "soft_suff",
    "monotonicity",
)
HELD_AGAINST = ("attention", "truth")  # the rankings whose agreement with each other one is summarised


def explained(run) -> tuple[Encoded, Evidence]:
    """The test texts of chapter 11, evenly spaced, as codes and as evidence."""
    data = run.data("test").thinned(run.params.explained_texts)
    return data, run.evidence.only(data.ids)


def _needed(run) -> dict[str, Ranking]:
    return rankings.explaining(run.evidence.truth_is_known)


def ranked(run, evidence: Evidence) -> dict[str, dict[str, np.ndarray]]:
    """Each ranking's numbers of the words of these texts: by name, then by id.

    A signed ranking is there twice, by its numbers and, with SIZE to its name, by their sizes, as gradients
    and leave-one-out are. The truth leaves out a text of which no word decides, or all.
    """
    found = {}
    for name, own in _needed(run).items():
        arrays = run.arrays(name) if own.needs_model else None
        scores = own.scores(evidence, arrays)
        if own.of_truth:
            scores = {i: score for i, score in scores.items() if 0 < score.sum() < len(score)}
        found[name] = {i: scores[i] for i in evidence.ids if i in scores}
        if own.signed:
            found[name + SIZE] = {i: np.abs(score) for i, score in found[name].items()}
    return found


def label_of(name: str) -> str:
    """What a ranking of these tables is called in figures and sentences."""
    bounds = {measured.BEST: "the model's best order", measured.WORST: "the model's worst order"}
    if name in bounds:
        return bounds[name]
    if name == LOO_SIGNED:
        return f"{label_of('loo')} with sign"
    own = rankings.declared()[name.removesuffix(SIZE)]
    return f"{own.label}{UNSIGNED}" if name.endswith(SIZE) else own.label


@product("faithfulness.parquet", settings=(*EXPLAINING, *ORDERING, *RANKING, *LEAVING))
def faithfulness(run) -> pd.DataFrame:
    """Every metric of every ranking, a row a text and ranking."""
    parts.check(run.model())
    data, evidence = explained(run)
    return measured.faithfulness(run.model(), data, evidence, ranked(run, evidence), run.params)


@product("agreement.parquet", settings=(*EXPLAINING, *RANKING, *LEAVING))
def agreement(run) -> pd.DataFrame:
    """How far each two rankings agree, a row a text and pair."""
    parts.check(run.model())
    _, evidence = explained(run)
    return agreeing.agreement(evidence, ranked(run, evidence))


def in_the_same_texts(run) -> pd.DataFrame:
    """What the model and the truth say of COMPARED on the chapter's texts, a row a text and ranking.

    Columns: id, ranking; fall: comprehensiveness, as in `faithfulness`; pairs: the share of pairs that have
    the deciding word first, ties by half (NaN where nobody knows which words decide).
    """
    data, evidence = explained(run)
    given, scores = run.arrays("loo"), ranked(run, evidence)
    scores[LOO_SIGNED] = measured.fall_by_word(evidence.only([i for i in evidence.ids if i in given]), given)
    known = run.table("faithfulness").set_index(["ranking", "id"])["comp_delete"]
    model, rows = run.model(), []
    for i, row in enumerate(evidence):
        decides = scores["truth"][row.id] > 0 if row.id in scores.get("truth", {}) else None
        for name in COMPARED:
            if row.id not in scores[name] or not row.real.any():
                continue
            score = significant_digits(scores[name][row.id])
            if name == LOO_SIGNED:
                text = measured.Text.of(model, data, i, row, run.params.tokens_per_batch)
                fall = measured.by_shares(text.delete, measured.order_of(score)[None])[0].item()
            else:
                fall = known[name, row.id]
            rows.append([row.id, name, fall, np.nan if decides is None else stats.auroc(decides, score)])
    return pd.DataFrame(rows, columns=["id", "ranking", "fall", "pairs"])


def seconds(run) -> pd.DataFrame:
    """What each ranking took: seconds a text, as run.json has them, and what it needs; a row a ranking.

    NaN for what evidence alone gives, and for what isn't made yet.
    """
    made, rows = run.info()["products"], []
    tests = len(run.evidence)
    few = len(range(0, tests, max(-(-tests // run.params.explained_texts), 1)))
    for name, own in _needed(run).items():
        taken = made[name]["seconds"] / (few if own.thinned else tests) if name in made else np.nan
        rows.append({"ranking": name, "label": own.label, "seconds": taken, "cost": own.cost})
    return pd.DataFrame(rows)


@product(
    "summary-rationales.parquet",
    settings=(*EXPLAINING, *ORDERING, *RANKING, *LEAVING, *RESAMPLING),
    proof="comp_delete_attention",
)
def summary_rationales(run) -> pd.DataFrame:
    """Each metric's mean by ranking, and how far the rankings agree with attention and with the truth."""
    p, table, pairs = run.params, run.table("faithfulness"), run.table("agreement")
    wide = table.pivot(index="id", columns="ranking", values=[*SUMMARISED])
    wide.columns = [f"{metric}_{name}" for metric, name in wide.columns]
    close = pairs[pairs["first"].isin(HELD_AGAINST) | pairs["second"].isin(HELD_AGAINST)]
    close = close.assign(pair=close["first"] + "_" + close["second"])
    close = close.pivot(index="id", columns="pair", values=["tau", "overlap"])
    close.columns = [f"{what}_of_{pair}" for what, pair in close.columns]
    rows = []
    for own in (wide, close):
        found = stats.summarise(own, [*own], p.resamples, p.seed, p.significance, by_class=False)
        rows += found.to_dict("records")
    return summarised(run, "summary_rationales", {"faithfulness": (table, ())}, rows)


# By hand: a model that adds up what each word is worth to it, in logits; what a person marked; the words from
# which the label was made; attention.
HAND = {
    "words": ["a", "thin", "plot", ",", "but", "superb", "acting"],
    "worth": [0.0, -1.5, -0.2, 0.0, 0.3, 2.5, 0.6],
    "marked": [False, False, False, False, False, True, True],
    "decides": [False, True, False, False, False, True, False],
    "attention": [0.03, 0.31, 0.12, 0.02, 0.06, 0.26, 0.20],
}


def _p_by_hand(kept: np.ndarray) -> np.ndarray:
    """The example's probability of these sets of its words, flags (M, n)."""
    return 1 / (1 + np.exp(-(kept @ np.array(HAND["worth"]))))


def scores_by_hand() -> dict[str, np.ndarray]:
    """What three rankings give each of the example's words; of a model that adds up LIME finds its worths."""
    n = len(HAND["words"])
    alone = _p_by_hand(np.ones((1, n))) - _p_by_hand(~np.eye(n, dtype=bool))
    return {
        "attention": np.array(HAND["attention"]),
        "leave-one-out": np.abs(alone),
        "LIME": np.array(HAND["worth"]),
    }


def by_hand() -> pd.DataFrame:
    """The rankings of the example, their two top words, and what each judge says of them."""
    marked, decides = np.array(HAND["marked"]), np.array(HAND["decides"])
    whole, rows = _p_by_hand(np.ones(len(marked))), []
    for name, score in scores_by_hand().items():
        top = marks.top(score, 2)
        pairs = score[decides][:, None] > score[~decides][None]
        rows.append(
            {
                "ranking": name,
                "its two top words": " and ".join(HAND["words"][t] for t in measured.order_of(score)[:2]),
                "p without them falls by": whole - _p_by_hand(~top),
                "p of them alone falls by": whole - _p_by_hand(top),
                "pairs": pairs.mean(),
                "AUPRC": marks.against(marks.runs_of(marked), score)["auprc"],
            }
        )
    return pd.DataFrame(rows)
