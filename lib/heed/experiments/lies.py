"""Chapter 14, lies: models that learn the labels and to look away from the words that they use.

Source: Pruthi et al. (2020). Each is a run of its own, held against the run that it is like. The words that
they must not be seen to use: those that decide, where they are known, or those of highest leave-one-out.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd
import pandera.pandas as pa

from heed.corpora.batches import Encoded
from heed.errors import HeedError
from heed.evidence import Row, collect
from heed.experiments.repairs import TESTS
from heed.experiments.train import whose_words, words_to_hide
from heed.measures import leave_one_out
from heed.measures.divergence import significant_digits, tvd
from heed.measures.registry import Measure, columns_of, register, validate
from heed.measures.search import generator
from heed.measures.stats import auroc
from heed.models import training
from heed.models.lying import marked
from heed.params import ERASING, LEAVING, LYING, RESAMPLING
from heed.runs.products import product
from heed.runs.summaries import summarised

TEXTS = 500  # of training, evenly spaced, by which words of highest leave-one-out are told
_OF = "Pruthi et al. (2020), section 5", "lies"
_HOW = "heed: where what is used travels", "lies"
_SHARE, _SIZE = (0.0, 1.0), (0.0, np.inf)
_MORE, _WIDE = "higher is more change", "higher is more spread"
_FINDS = "higher finds more of the truth"
register(
    "lies",
    {
        "id": pa.Column(str),
        "predicted": pa.Column(int),
        "lie_weight": pa.Column(float, pa.Check.ge(0)),
        "words": pa.Column(int, pa.Check.ge(1)),
    },
    Measure("lie_mass", "attention on impermissible words", (0, 1 + 1e-9), "higher is more weight", *_OF),
    Measure("lie_loo", "their share of leave-one-out", _SHARE, _MORE, *_HOW),
    Measure("lie_removed", "TVD when they are removed, the rest read anew", _SHARE, _MORE, *_HOW),
    Measure("lie_held", "TVD when their weights are erased, states held", _SHARE, _MORE, *_HOW),
    Measure("lie_value", "largest value of an impermissible word", _SIZE, _WIDE, *_HOW),
    Measure("lie_value_rest", "largest value of another word", _SIZE, _WIDE, *_HOW),
    Measure("lie_auroc_attention", "AUROC of attention for impermissible words", _SHARE, _FINDS, *_HOW),
    Measure("lie_auroc_loo", "AUROC of leave-one-out for impermissible words", _SHARE, _FINDS, *_HOW),
)


@product("telling.parquet", name="telling", settings=LEAVING)
def table_of_telling(run) -> pd.DataFrame:
    """The words that are a text's highest leave-one-out: word, and of how many training texts."""
    p, model = run.params, run.model()
    data = run.data("train").thinned(TEXTS)
    logits = leave_one_out.leave_one_out(model, data, p.tokens_per_batch, p.loo_how, p.loo_tolerance)
    changes = leave_one_out.change(collect(model, data, p.tokens_per_batch), logits)
    words = (own[int(changes[name].argmax())] for name, own in zip(data.ids, data.words, strict=True) if own)
    found = sorted(Counter(words).items(), key=lambda item: (-item[1], item[0]))
    return pd.DataFrame(found, columns=["word", "texts"])


def liars(run) -> dict[float, object]:
    """The lying models by λ, with the run's own start. Raises HeedError for a run that lies itself."""
    p = run.params
    if p.lie_weight or p.kl_weight:
        raise HeedError(f"{p.path} looks away itself, and liars are held against an honest run. Give that.")
    words = whose_words(run)
    base = run if words == "leave_one_out" else None
    return {w: run.like(base=base, lie_weight=w, impermissible=words) for w in sorted(p.lie_weights)}


def hidden(run) -> dict[str, np.ndarray]:
    """The impermissible words of each test text, (n,) by id."""
    liar = next(iter(liars(run).values()))
    return marked(run.data("test"), words_to_hide(liar))


def without(data: Encoded, words: dict[str, np.ndarray]) -> Encoded:
    """The texts without these words of theirs; left out are those of which nothing is left, or that `words`
    doesn't have."""
    kept = [i for i, name in enumerate(data.ids) if name in words and not words[name].all()]
    codes = [np.delete(data.codes[i], 1 + np.flatnonzero(words[data.ids[i]])) for i in kept]
    left = [list(np.array(data.words[i], object)[~words[data.ids[i]]]) for i in kept]
    ids = [data.ids[i] for i in kept]
    return replace(data, ids=ids, words=left, codes=codes, labels=data.labels[kept], truth=None)


def predicted_without(model, words: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What a run's model predicts of test texts `without` these words, (C,) by id; words: (n,) by id."""
    shortened = without(model.data("test"), words)
    probs = training.predict(model.model(), shortened, model.params.tokens_per_batch)
    return dict(zip(shortened.ids, probs, strict=True))


def looked(model, words: dict[str, np.ndarray]) -> pd.DataFrame:
    """What a run's model does with impermissible words, a row a text that has any, and others: see `lies`.

    Of texts whose leave-one-out is made (`ranked_texts`). words: each test text's, (n,) by id. Where what is
    used travels: `held` is what their own weights carry, `removed` all that they do. A word of small weight
    can carry much by a large value; else it is read from the states of its neighbours. A value is a number of
    one logit, of several their largest difference.
    """
    evidence = model.evidence
    changes = leave_one_out.change(evidence, model.arrays("loo"))
    removed = predicted_without(model, words)
    rows = []
    for predicted, row in zip(evidence.predicted, evidence, strict=True):
        bad = words[row.id]
        if row.id in changes and bad.any() and not bad.all():
            found = {"id": row.id, "predicted": int(predicted), "words": int(bad.sum())}
            rows.append(found | _looked(row, bad, changes[row.id], removed[row.id]))
    return pd.DataFrame(rows)


def _looked(row: Row, bad: np.ndarray, change: np.ndarray, removed: np.ndarray) -> dict[str, float]:
    """The measures of one text: bad and change (n,), of its real words; removed (C,), the prediction then."""
    attention, values = row.attention[row.real], row.values[row.real]
    size = np.abs(values[:, 0]) if values.shape[1] == 1 else np.ptp(values, axis=1)
    left = row.attention.copy()
    left[np.flatnonzero(row.real)[bad]] = 0
    held = tvd(row.probs(left / left.sum()), row.prediction) if left.sum() > 0 else np.nan
    return {
        "lie_mass": float(attention[bad].sum()),
        "lie_loo": float(change[bad].sum() / change.sum()) if change.sum() > 0 else np.nan,
        "lie_removed": float(tvd(removed, row.prediction)),
        "lie_held": float(held),
        "lie_value": float(size[bad].max()),
        "lie_value_rest": float(size[~bad].max()),
        "lie_auroc_attention": auroc(bad, significant_digits(attention)),
        "lie_auroc_loo": auroc(bad, significant_digits(change)),
    }


def others_removed(run, draws: int = 5) -> list[float]:
    """How far removing as many other words as are hidden moves each of `models`: TVD, mean over texts, draws.

    The control of `lie_removed`, on the same texts: other words are drawn at random, all of them where fewer
    are there.
    """
    words = hidden(run)
    mixed = {name: bad for name, bad in words.items() if bad.any() and not bad.all()}
    moved = {weight: [] for weight in models(run)}
    for draw in range(draws):
        drawn = {name: _as_many_others(bad, f"{name} {draw}", run.params.seed) for name, bad in mixed.items()}
        removed = words | drawn
        for weight, model in models(run).items():
            whole = {row.id: row.prediction for row in model.evidence}
            moved[weight] += [
                float(tvd(own, whole[name]))
                for name, own in predicted_without(model, removed).items()
                if name in mixed
            ]
    return [float(np.mean(own)) if own else np.nan for own in moved.values()]


def _as_many_others(bad: np.ndarray, name: str, seed: int) -> np.ndarray:
    """As many of the words that aren't bad, drawn at random (n,)."""
    others = np.flatnonzero(~bad)
    drawn = generator(seed, f"others {name}").permutation(others)[: bad.sum()]
    return np.isin(np.arange(len(bad)), drawn)


def models(run) -> dict[float, object]:
    """The honest run, as λ = 0, and its liars."""
    return {0.0: run} | liars(run)


def _models_first(run) -> None:
    for model in models(run).values():
        model.ensure("tested")


@product("lies.parquet", name="lies", settings=(*LYING, *LEAVING), before=_models_first)
def table_of_lies(run) -> pd.DataFrame:
    """`looked` of the run and its liars, a row a text and λ; the run's own is 0."""
    words, parts = hidden(run), []
    for weight, model in models(run).items():
        parts.append(looked(model, words).assign(lie_weight=weight))
    return validate("lies", pd.concat(parts, ignore_index=True))


@product(
    "summary-lies.parquet",
    settings=(*LYING, *LEAVING, *ERASING, *RESAMPLING, "permutations", "epsilon"),
    before=lambda run: run.ensure("lies"),
    proof="lie_mass",
)
def summary_lies(run) -> pd.DataFrame:
    """Of the run and its liars: accuracy, F1, what they do with the words, and what the debate's tests say.

    Measures are called by the model's λ: `tau_loo lie=0.1`; the run's own by 0, as other chapters have theirs
    without it. What `lies` has is this chapter's alone, and the run's own called as it is.
    """
    rows, tables = [], {}
    table = run.table("lies")
    for weight, model in models(run).items():
        called = f" lie={weight:g}"
        for name in ("accuracy", "f1"):
            value = model.info()["scores"]["test"].get(name, np.nan)
            rows.append({"measure": f"{name}{called}", "mean": value})
        of_words = table[table["lie_weight"] == weight]
        if weight:
            tables[f"lies{called}"] = _called(of_words, columns_of("lies"), called)
        else:
            tables["lies"] = of_words, columns_of("lies")
        tables[f"tested{called}"] = _called(model.table("tested"), TESTS, called)
    return summarised(run, "summary_lies", tables, rows)


def _called(table: pd.DataFrame, columns: Iterable[str], called: str) -> tuple[pd.DataFrame, list[str]]:
    """A table whose columns, of those that say anything, have another end; and their names."""
    named = {name: f"{name}{called}" for name in columns if table[name].notna().any()}
    return table.rename(columns=named), [*named.values()]


def beside(run) -> pd.DataFrame:
    """The run and its liars, a row each: λ, accuracy, what they do with the words; means over texts."""
    table = run.table("lies")
    rows = []
    for weight, model in models(run).items():
        own = table[table["lie_weight"] == weight]
        accuracy = model.info()["scores"]["test"]["accuracy"]
        rows.append({"λ": weight, "accuracy": accuracy} | own[[*columns_of("lies")]].mean().to_dict())
    return pd.DataFrame(rows)


def of_summaries(summaries: pd.DataFrame) -> pd.DataFrame:
    """What summaries say of honest runs and their liars: a row a run and λ, 0 of the honest one.

    Columns: what names the run, λ, accuracy, f1, what `lies` has and the tests; NaN of what isn't there.
    """
    named = ["corpus", "profile", "encoder", "attention", "given", "seed"]
    rows = summaries[summaries["class"] == "overall"]
    split = rows["measure"].str.extract(r"^(?P<measure>.*?)(?: lie=(?P<weight>.*))?$")
    plain = split["measure"].isin(columns_of("lies")) & split["weight"].isna()
    rows = rows.assign(measure=split["measure"], λ=split["weight"].mask(plain, "0").astype(float))
    rows = rows.dropna(subset="λ")
    table = rows.set_index([*named, "λ", "measure"])["mean"].unstack("measure")
    return table.reindex(columns=["accuracy", "f1", *columns_of("lies"), *TESTS]).reset_index()
