"""Each paper's test of attention, how each corpus reads by it, and all models' answers in one table."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from heed.experiments.not_not import FAR
from heed.measures import stats
from heed.models.encoders import encoder_called
from heed.params import is_sequences
from heed.registry import corpora, made_corpora
from heed.verdict.claims import able, interval
from heed.verdict.merging import mended
from heed.verdict.transformers import LSTM, erased_of_all, over_states, own_attention


@dataclass(frozen=True)
class Test:
    """A number of each seed, a border, and what is read below and above it.

    text: what is asked, with its number. question: the same for people, or empty if it is no question of the
    matrix. The number is `of`, less `minus`. good: the reading that speaks for attention as an explanation;
    empty if neither does. over_texts: the measure whose interval over texts decides where there is one seed.
    """

    text: str
    question: str
    of: str
    border: float
    below: str
    above: str
    good: str = ""
    minus: str = ""
    over_texts: str = ""


TESTS = (
    Test("J&W: agrees with leave-one-out (τ)", "ranks words like their removal?",
         "tau_loo", 0.5, "no", "yes", good="yes"),
    Test("J&W: agrees with the gradient (τ)", "ranks words like the gradient?",
         "tau_gradient", 0.5, "no", "yes", good="yes"),
    Test("J&W: agrees with integrated gradients (τ)", "",
         "tau_of_attention_integrated_gradients_live", 0.5, "no", "yes", good="yes"),
    Test("J&W: agrees with LIME (τ, its weights' sizes)", "",
         "tau_of_attention_lime_size", 0.5, "no", "yes", good="yes"),
    Test("J&W: agrees with KernelSHAP (τ, its values' sizes)", "",
         "tau_of_attention_kernel_shap_size", 0.5, "no", "yes", good="yes"),
    Test("J&W: shuffled, it moves the prediction (mean of the texts' medians, TVD)",
         "shuffled: does the prediction move?", "median_change", 0.1, "little", "yes", good="yes"),
    Test("J&W: other attention, same prediction, found (ε-max JSD)", "",
         "found", 0.5, "nearer", "far", good="nearer"),
    Test("Ours: other attention, same prediction, the furthest known (ε-max JSD)",
         "can't be exchanged?", "optimum", 0.5, "nearer", "far", good="nearer"),
    Test("W&P: a trained adversary moves more than other seeds in the mean (TVD − seeds', at JSD > 0.4)",
         "trained to look elsewhere: a cost?", "far_change", 0.0, "no", "yes", "yes", "other_change"),
    Test("W&P: the search goes beyond other seeds (JSD, search − seeds)", "",
         "found", 0.1, "hardly", "yes", "hardly", "other_jsd"),
    Test("W&P: attention helps a token-wise model (F1, given − learnt)", "helps a model without context?",
         "f1_mlp_base", 0.01, "hardly", "yes", "yes", "f1_mlp_trained", "f1_mlp_base_minus_mlp_trained"),
    Test("W&P: attention is needed (F1, trained − uniform)", "needed at all?",
         "f1", 0.01, "hardly", "yes", "yes", "flat", "f1_base_minus_uniform"),
    Test("S&S: it finds what decides sooner than chance (share erased in common, random − attention)",
         "erased: flips sooner than chance?", "erased_random_mean_in_common", 0.1, "hardly", "yes", "yes",
         "erased_attention_in_common"),
    Test("S&S: it finds all that decides (share erased, attention − best order; never flips = 1)",
         "erased: flips as soon as possible?", "excess_attention", 0.1, "yes", "no", good="yes"),
    Test("S&S: its order is better than chance (normalised comprehensiveness, attention − random)", "",
         "naopc_comp_attention", 0.1, "hardly", "yes", "yes", "naopc_comp_random"),
    Test("S&S: its order is nearly the model's best (normalised comprehensiveness; 1: the best)", "",
         "naopc_comp_attention", 0.9, "no", "yes", good="yes"),
    Test("Truth: it finds the words that decide (AUROC, of models that are mostly right)",
         "finds the words that decide?", "truth", 0.75, "no", "yes", good="yes"),
    Test("Snell: it goes where uniform training's relevance is (A − chance)",
         "attends where equal weights find relevance?",
         "top_uniform", 0.2, "seldom", "often", minus="top_chance"),
)  # fmt: skip
NONE = "–"  # without a run
# What chapter 13 measures of a whole transformer, by the classifiers' names; and its shares of erased words,
# by the order: over all texts, of which one that never flips counts as 1.
ITS_OWN = {"permuted_each": "median_change", "other_jsd_mean": "optimum"}
AT_LEAST = {"optimum"}  # of these a search's: more may exist, so that little says nothing
ITS_OWN_ERASED = {"random": "erased_random_mean_in_common", "attention": "erased_attention_in_common"}
OWN = ", its own"  # at the end of the name of a whole transformer, by its own attention
TRANSFORMER = "transformer"  # where an answer is from that no classifier of the summaries gives
NEEDED = {"trained_jsd", "trained_change", "auroc_attention", "accuracy"}.union(
    *({test.of, test.minus, test.over_texts} for test in TESTS)
)
READ = ["reading", "seeds", "mean", "low", "high", "p"]


def readings(summaries: pd.DataFrame) -> pd.DataFrame:
    """Each corpus's reading of each test: BiLSTM, additive attention, profile paper; `–` without a run.

    Columns: corpus, test, reading, seeds, mean over them with its 95 % t interval (low, high), p, holm, and
    speaks (for attention as an explanation, against, open, or neither). Of one seed the value alone decides,
    or, of a difference of scores, its interval over texts, without which it stays open. p: Student's over
    seeds, that the mean isn't the border; holm: it after Holm's correction over all that have one.
    """
    rows = _of_texts(able(summaries, NEEDED))
    rows = rows[rows["encoder"] == "bilstm"]
    real = [name for name, entry in corpora().items() if entry.get("reader", "own") != "own"]
    real = [f"{name} (part)" if f"{name} (part)" in set(rows["corpus"]) else name for name in real]
    found = []
    for corpus in dict.fromkeys([*real, *rows["corpus"]]):
        numbers = _numbers(rows[rows["corpus"] == corpus], "additive")
        found += [
            {"corpus": corpus, "test": test.text} | _reading(*numbers, test) | {"good": test.good}
            for test in TESTS
        ]
    table = pd.DataFrame(found)
    speaks = _speaks(table.pop("good"), table["reading"])
    return table.assign(holm=stats.holm(table["p"].to_numpy()), speaks=speaks)


def answers(summaries: pd.DataFrame) -> pd.DataFrame:
    """Every model's answer to every question of the matrix, profile paper: a row an answer that there is.

    Columns: corpus, model (its label), where (of the summaries, if they say it; or TRANSFORMER), question,
    and as in `readings`; speaks: for, against, open, or neither. Beside the classifiers of the summaries
    stand transformers that exist (`verdict.transformers`), and the made corpora's models of chapter 14.
    """
    found = []
    for corpus, model, where, numbers in _models(summaries):
        for test in TESTS:
            if test.question:
                answer = {"corpus": corpus, "model": model, "where": where, "question": test.question}
                read = _reading(*numbers, test)
                if model.endswith(OWN) and test.of in AT_LEAST and read["reading"] == test.below:
                    read["reading"] = "open"
                found.append(answer | read | {"good": test.good})
    columns = ["corpus", "model", "where", "question", *READ, "good"]
    table = pd.DataFrame(found, columns=columns)
    table = table[table["reading"] != NONE].reset_index(drop=True)
    speaks = _speaks(table.pop("good"), table["reading"])
    holm = stats.holm(table["p"].to_numpy(dtype=float)) if len(table) else []
    return table.assign(speaks=speaks, holm=holm)


def _speaks(good: pd.Series, reading: pd.Series) -> np.ndarray:
    """Whether readings speak for attention. good: what each test's reading would be that does, or empty."""
    speaks = np.where(reading == good, "for", "against")
    speaks = np.where(reading == "open", "open", speaks)
    return np.where((good == "") | (reading == NONE), "neither", speaks)


def tests(found: pd.DataFrame) -> pd.DataFrame:
    """`readings` with a row a corpus and a column a test: the reading, the mean and its interval as text."""
    cells = found.assign(text=[_text(row) for row in found.to_dict("records")])
    wide = cells.pivot(index="corpus", columns="test", values="text")
    wide = wide.reindex(index=found["corpus"].unique(), columns=[test.text for test in TESTS])
    return wide.rename_axis(columns=None).reset_index()


def _of_texts(rows: pd.DataFrame) -> pd.DataFrame:
    """What a test needs of rows over all texts, profile paper; none of sequences, which are no texts."""
    rows = rows[(rows["class"] == "overall") & (rows["profile"] == "paper") & rows["measure"].isin(NEEDED)]
    names = rows["corpus"].str.removesuffix(" (part)")
    return rows[~names.isin([name for name in names.unique() if is_sequences(name)])]


def _models(summaries: pd.DataFrame):
    """Corpus, label, where and numbers of each model: classifiers, transformers, made corpora's."""
    rows = _of_texts(able(summaries, NEEDED))
    rows = rows.assign(where=rows["where"] if "where" in rows else "")
    made = _made()
    for (corpus, encoder), own in rows.groupby(["corpus", "encoder"], sort=False):
        for attention in ("additive", "dot"):
            of = own[own["attention"] == attention]
            if len(of):
                label = encoder_called(encoder).label + (" · dot" if attention == "dot" else "")
                more = made.pop((corpus, encoder), None) if attention == "additive" else None
                yield corpus, label, of["where"].iloc[0], _numbers(own, attention, more)
    states, own = over_states(summaries, NEEDED), own_attention(summaries).replace({"measure": ITS_OWN})
    for table, more in ((states[states["model"] != LSTM], ""), (own, OWN)):
        for (corpus, model), own in table.groupby(["corpus", "model"]):
            seeds = own.pivot_table(index="seed", columns="measure", values="mean")
            if more:
                seeds = seeds.assign(
                    **{name: erased_of_all(own, order)["mean"] for order, name in ITS_OWN_ERASED.items()}
                )
            yield corpus, f"{model}{more}", TRANSFORMER, (_with_truth(seeds), _no_ends())
    for (corpus, encoder), seeds in made.items():
        yield corpus, encoder_called(encoder).label, "carried", (_with_truth(seeds), _no_ends())


def _made() -> dict[tuple[str, str], pd.DataFrame]:
    """Chapter 14's models of made corpora as they are, by corpus and encoder: a row a seed."""
    made = mended().query("given == '' and attention == 'additive' and profile == 'paper'")
    made = made[made["corpus"].isin(made_corpora()) & made["encoder"].isin(["bilstm", "average", "cnn"])]
    groups = made.groupby(["corpus", "encoder"], sort=False)
    return {which: own.set_index("seed").select_dtypes("number") for which, own in groups}


def _no_ends() -> pd.DataFrame:
    """No interval over texts of any measure and seed."""
    index = pd.MultiIndex.from_arrays([[], []], names=["measure", "seed"])
    return pd.DataFrame(columns=["low", "high"], index=index, dtype=float)


def _numbers(
    own: pd.DataFrame, attention: str, more: pd.DataFrame | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A model's numbers, a row a seed, and the intervals over texts: own are rows of a corpus and encoder.

    more: the model's numbers from elsewhere, a row a seed: they stand where own has none.
    """
    trained = own[own["attention"] == attention]
    seeds = trained.pivot_table(index="seed", columns="measure", values="mean")
    if more is not None:
        seeds = seeds.combine_first(more)
    flat = own[(own["attention"] == "uniform") & (own["measure"] == "f1")].set_index("seed")["mean"]
    seeds["flat"] = flat.reindex(seeds.index)
    if "trained_jsd" in seeds:
        seeds["far_change"] = seeds["trained_change"].where(seeds["trained_jsd"] > FAR)
    return _with_truth(seeds), trained.set_index(["measure", "seed"])[["low", "high"]]


def _with_truth(seeds: pd.DataFrame) -> pd.DataFrame:
    """With the AUROC of the truth as `truth`, of the seeds that are right in more than half of their texts.

    A model that answers badly has no reason to look at what decides.
    """
    if not {"auroc_attention", "accuracy"} <= {*seeds}:
        return seeds
    return seeds.assign(truth=seeds["auroc_attention"].where(seeds["accuracy"] > 0.5))


def _reading(seeds: pd.DataFrame, ends: pd.DataFrame, test: Test) -> dict:
    there = {test.of, test.minus or test.of} <= {*seeds}  # else no run has been through that chapter
    found = (
        (seeds[test.of] - (seeds[test.minus] if test.minus else 0)).dropna()
        if there
        else pd.Series(dtype=float)
    )
    if found.empty:
        return {"reading": NONE, "seeds": 0, "mean": np.nan, "low": np.nan, "high": np.nan, "p": np.nan}
    mean, low, high = interval(found, test.of, bool(test.minus))
    if len(found) == 1 and test.over_texts:
        low, high = ends.reindex([(test.over_texts, found.index[0])]).iloc[0]
    reading = test.above if low > test.border else test.below if high <= test.border else "open"
    p = stats.t_p(found.to_numpy(), test.border)
    return {"reading": reading, "seeds": len(found), "mean": mean, "low": low, "high": high, "p": p}


def _text(row: dict) -> str:
    if not row["seeds"]:
        return row["reading"]
    spread = f" [{row['low']:#.3g}, {row['high']:#.3g}]" if row["low"] < row["high"] else ""
    return f"{row['reading']}: {row['mean']:#.3g}{spread}{' (one seed)' if row['seeds'] == 1 else ''}"
