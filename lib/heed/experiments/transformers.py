"""Chapter 13, transformers: runs of whole ones, which decide by [CLS]'s attention, and what is asked of it.

How free the last layer's attention is by length, what is left without it, τ head by head, and all that the
audit asks.
"""

import json
import shutil
import tempfile
from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn

from heed import paths
from heed.errors import HeedError
from heed.evidence import Evidence, Row
from heed.experiments.audit import (
    EXAMPLE,
    IMPORTANCE,
    LARGE,
    MOVED,
    ORDERS,
    READINGS,
    TOGETHER,
    Audit,
    How,
    Own,
    Transformer,
    ask,
    together,
    write_shown,
)
from heed.measures import stats
from heed.measures.divergence import significant_digits
from heed.measures.freedom import freedom
from heed.measures.kendall import kendall
from heed.measures.layer import KINDS, Layer, by_word, layers
from heed.measures.pieces import swapped
from heed.models import fine_tuning
from heed.models.head import Head
from heed.models.pieces import pieces
from heed.models.pretrained import Pretrained, pretrained
from heed.own_models import evidence_from_hf
from heed.params import ASKING, RESAMPLING, Classifying, resolve
from heed.progress import progress
from heed.runs.products import Made, as_table, product
from heed.runs.run import Run
from heed.runs.summaries import of_all, rows_of

FREEDOM = paths.DATA / "results" / "freedom.csv"
LENGTHS = (4, 6, 8, 10, 12, 16, 24, 32, 48)
INTERVALS = 1000  # resamples of texts
ALONE, ALL = "one head", "all heads"
# By hand: two heads of one number each look at three words. Head 0 writes z's first number, head 1 its
# second. x: what is there without them, by the residual connection.
HAND = {
    "words": ["not", "bad", "film"],
    "x": [0.1, -0.8],
    "values": [[[1.0, 0.0], [0.0, 0.0], [2.0, 0.0]], [[0.0, -1.0], [0.0, 1.0], [0.0, 3.0]]],
    "attention": [[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]],
    "decoder": [1.0, 1.0],
}


def by_hand() -> Layer:
    """Two heads of three words, with numbers that can be followed: logit = decoder · z, one sigmoid."""
    out = nn.Linear(2, 1, bias=False, dtype=torch.float64)
    out.weight.data[:] = torch.tensor([HAND["decoder"]])
    values, attention = np.array(HAND["values"]), np.array(HAND["attention"])
    fetched = np.einsum("ht,htd->hd", attention, values)
    rows = []
    for h in range(2):
        rest = np.array(HAND["x"]) + fetched.sum(0) - fetched[h]
        head = Head("identity", "sigmoid", out)
        rows.append(Row.of(HAND["words"], attention[h], values[h], head, shift=rest, id="by hand"))
    return Layer(rows)


def of_length(source: Pretrained, texts: Sequence[str], units: int) -> str | None:
    """The beginning of these texts, joined, that the model reads as so many pieces and marks, or just fewer.

    None if all of them together are shorter.
    """
    words = " ".join(texts).split()
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        read = source.tokenizer(" ".join(words[:middle]))["input_ids"]
        low, high = (middle, high) if len(read) <= units else (low, middle - 1)
    whole = len(source.tokenizer(" ".join(words))["input_ids"])
    return " ".join(words[:low]) if low and whole >= units else None


def free_by_length(
    source: Pretrained, texts: Sequence[str], lengths: Sequence[int] = LENGTHS, each: int = 3, starts: int = 2
) -> pd.DataFrame:
    """How free the last layer's attention is on texts of these lengths, `each` of every length.

    A row a text and kind, ALONE (the mean over the heads, each with the others as they are) or ALL: units,
    dimension, jsd (mean over heads), moved (of the prediction, TVD). Long texts are several joined, from
    another one on each time; lengths that they haven't got together, or that the model doesn't read, are left
    out. Raises HeedError if none is left.
    """
    chosen, count = [], max(len(texts) // each, 1)
    for units in lengths:
        own = [[*texts[k * count :], *texts[: k * count]] for k in range(each)]
        made = [of_length(source, one, units) for one in own] if units <= source.longest else [None]
        chosen += [text for text in made if text is not None]
    if not chosen:
        raise HeedError(f"freedom: these texts have no {min(lengths)} pieces together. Give more texts.")
    rows = []
    for layer in progress(list(layers(evidence_from_hf(source, chosen))), "freedom, texts"):
        for kind in (ALONE, ALL):
            found = _free(layer, kind, starts)
            rows.append({"text": layer.id, "kind": kind, "units": len(layer.real)} | found)
    return pd.DataFrame(rows)


def _free(layer: Layer, kind: str, starts: int) -> dict:
    """What is free in one text: dimension, jsd and moved."""
    groups = [layer.rows] if kind == ALL else [[row] for row in layer.rows]
    dimension, far, moved = [], [], []
    for h, rows in enumerate(groups):
        found = freedom(rows, starts)
        attention = found.attention
        if kind == ALONE:
            attention = layer.attention.copy()
            attention[h] = found.attention[0]
        dimension.append(found.dimension)
        far.append(found.jsd.mean())
        moved.append(float(layer.change(attention)))
    return {"dimension": np.mean(dimension), "jsd": np.mean(far), "moved": max(moved)}


def carried() -> pd.DataFrame:
    """The committed numbers of `free_by_length` on real texts, with columns model, heads and head_size."""
    return pd.read_csv(FREEDOM)


def without_attention(source: Pretrained, texts: Sequence[str]) -> pd.DataFrame:
    """What is left if the last attention gives nothing, all its weights 0: a row a text, change and flips.

    z is then what the first position brings along from the layer below, by the residual connection.
    """
    rows = []
    for layer in layers(evidence_from_hf(source, texts)):
        nothing = np.zeros(layer.attention.shape)
        rows.append({"change": float(layer.change(nothing)), "flips": bool(layer.flips(nothing))})
    return pd.DataFrame(rows)


def taus_by_head(source: Pretrained, texts: Sequence[str], words: pd.DataFrame) -> pd.DataFrame:
    """Mean τ of each head's attention, by word, with each measure of importance that the audit has.

    words: an audit's, of the same texts in the same order. A row a head: of each measure the mean, `NAME low`
    and `NAME high`, its 95 % interval over texts, and `NAME texts`, how many have a τ.
    """
    read = pieces(source, texts)
    of_text = dict(list(words.groupby("id", sort=False)))
    taus = []
    for layer, own, measured in zip(
        layers(evidence_from_hf(source, texts)), read, of_text.values(), strict=True
    ):
        for h, weights in enumerate(by_word(layer.attention, own.word)):
            row = {"head": h}
            for name in IMPORTANCE:
                values = measured[name].to_numpy(dtype=float)
                if len(weights) > 1 and np.isfinite(values).all():
                    row[name] = kendall(weights, values)[0]
            taus.append(row)
    rows = []
    for h, own in pd.DataFrame(taus).groupby("head"):
        row = {"head": h}
        for name in (name for name in IMPORTANCE if name in own):
            values = own[name].dropna().to_numpy()
            low, high = stats.interval(values, INTERVALS, 0)
            mean = values.mean() if len(values) else np.nan
            row |= {name: mean, f"{name} low": low, f"{name} high": high, f"{name} texts": len(values)}
        rows.append(row)
    return pd.DataFrame(rows)


def texts_of(found: Audit) -> list[str]:
    """The texts of an audit, as their words stand there."""
    return [" ".join(own["word"]) for _, own in found.words.groupby("id", sort=False)]


# Runs


class Classifiers(Run):
    """A run of a whole transformer: fine-tuned, or drawn and trained, on a corpus's texts."""

    kind = Classifying
    params: Classifying
    checkpoint = ("model", "config", "tokenizer", "tokenizer_config", "tuning")

    @property
    def committed(self) -> Path:
        """Where the project's own small transformer lies, if it is this very run."""
        usual = resolve({"corpus": "planted", "encoder": self.params.encoder})
        return EXAMPLE if usual.path == self.params.path else super().committed

    @cached_property
    def source(self) -> Pretrained:
        """The trained classifier, in float64."""
        return pretrained(self.ensure("model").parent)

    def written(self, split: str, count: int | None = None) -> tuple[list[str], list[str], list[int]]:
        """Ids, texts, their words joined by spaces, and labels of a split; of `count` at most, evenly spaced.

        Raises HeedError for a corpus that asks something of its texts.
        """
        if self.corpus.task != "classification":
            raise HeedError(
                f"corpus {self.params.corpus}: encoder {self.params.encoder} classifies texts alone, and "
                "here they are asked something. Use another encoder, or another corpus."
            )
        own = self.corpus.splits[split]
        every = max(-(-len(own) // count), 1) if count else 1
        texts = [" ".join(words) for words in own.words]
        return own.ids[::every], texts[::every], own.labels.tolist()[::every]


@product(
    "classifier/model.safetensors",
    "classifier/config.json",
    "classifier/tokenizer.json",
    "classifier/tokenizer_config.json",
    "tuning.parquet",
    kind=Classifying,
)
def classifier(run: Classifiers) -> Made:
    """Train; the weights are those of the epoch that is best on dev, `tuning` has a row an epoch."""
    p, classes = run.params, run.corpus.classes
    (_, *train), (_, *dev) = run.written("train"), run.written("dev")
    if p.pretrained:
        model, tokenizer = fine_tuning.begun(p.pretrained, classes, p.seed)
        tokenizer.model_max_length = min(p.longest, tokenizer.model_max_length)
    else:
        width = p.heads * p.head_size
        sizes = fine_tuning.Sizes(width, p.layers, p.heads, 2 * width, p.longest)
        model, tokenizer = fine_tuning.drawn([*train[0], *dev[0]], classes, sizes, p.seed)
    how = fine_tuning.Tuning(p.epochs, p.batch_size, p.learning_rate, p.weight_decay, p.longest, p.seed)
    tuning = fine_tuning.fine_tune(model, tokenizer, train, dev, how)
    aside = tempfile.mkdtemp(prefix="heed-")
    try:
        folder = fine_tuning.save(model, tokenizer, Path(aside, "classifier"))
        content = {path.stem: path.read_bytes() for path in folder.iterdir()}
    finally:
        shutil.rmtree(aside)
    files = {name: partial(_written, content[name]) for name in Classifiers.checkpoint[:-1]}
    return Made(files | {"tuning": as_table(tuning)})


def _written(content: bytes, to: Path) -> None:
    to.write_bytes(content)


@product("predictions.parquet", kind=Classifying)
def predictions(run: Classifiers) -> Made:
    """The classifier's probabilities on the whole test split, a row a text."""
    source, (ids, texts, labels) = run.source, run.written("test")
    found = fine_tuning.predict(source.model, source.tokenizer, texts, source.longest)
    table = pd.DataFrame(found, columns=[f"p_{c}" for c in range(found.shape[1])])
    table.insert(0, "id", ids)
    table.insert(1, "label", labels)
    accuracy = float((found.argmax(1) == np.array(labels)).mean())
    return Made({"predictions": as_table(table)}, {"test": {"accuracy": accuracy}})


@product(
    "asked_texts.parquet",
    "asked_words.parquet",
    "asked_heads.parquet",
    "asked_shown.arrow",
    "asked.json",
    kind=Classifying,
    settings=ASKING,
)
def made_audit(run: Classifiers) -> Made:
    """All that the audit asks, of the corpus's test texts; other attention of a small model's texts all."""
    p, subject = run.params, Transformer(run.source)
    free = How.free if subject.is_large else p.asked_texts
    how = How(most=p.asked_texts, permutations=p.permutations, free=free, epsilon=p.epsilon, seed=p.seed)
    found = ask(subject, *run.written("test", p.asked_texts), run.folder, how, p.threads)
    found.texts = found.texts.merge(truth(found, deciding(run)), how="left", on="id", validate="1:1")
    notes = json.dumps(found.notes | {"name": p.called}, indent=1) + "\n"
    tables = {"asked_texts": found.texts, "asked_words": found.words, "asked_heads": found.heads}
    files = {name: as_table(table) for name, table in tables.items()}
    files["asked_shown"] = partial(write_shown, found)
    return Made(files | {"asked": partial(_written, notes.encode())})


def deciding(run: Classifiers) -> dict[str, np.ndarray]:
    """Which words of each test text decide its label, by id; nothing where nobody knows."""
    own = run.corpus.splits["test"]
    return {} if own.truth is None else dict(zip(own.ids, own.truth, strict=True))


def truth(found: Audit, of: dict[str, np.ndarray]) -> pd.DataFrame:
    """How well each reading and each measure finds the deciding words: a row a text, AUROC.

    of: which words decide, by id. NaN where none or all do, or the model reads other words than the corpus.
    """
    names, rows = [name for name in (*READINGS, *IMPORTANCE) if name in found.words], []
    for name, words in found.words.groupby("id", sort=False):
        known = np.asarray(of.get(name, ()), dtype=bool)
        if len(known) == len(words) and 0 < known.sum() < len(known):
            asked_of = [one for one in names if words[one].notna().all()]
            scores = {one: stats.auroc(known, significant_digits(words[one].to_numpy())) for one in asked_of}
            rows.append({"id": name} | {f"auroc {one}": score for one, score in scores.items()})
    return pd.DataFrame(rows, columns=None if rows else ["id"]).astype({"id": str})


def replaced(source: Pretrained, found: Audit, of: dict[str, np.ndarray]) -> pd.DataFrame:
    """Leave-one-out's control: each word is replaced by others of its text, so that no later word moves.

    of: which words decide, by id. A row a text of which that is known: AUROC for those words, τ with
    attention, and `tau NAME` with each measure of importance. Empty of a large model, where it takes long.
    """
    columns = ["id", "auroc", "tau", *(f"tau {name}" for name in IMPORTANCE)]
    if _is_large(source):
        return pd.DataFrame(columns=columns)
    rows, every = [], found.words.groupby("id", sort=False)
    texts = {name: own for name, own in every if len(of.get(name, ())) == len(own)}
    read = pieces(source, [" ".join(own["word"]) for own in texts.values()])
    each = [(text, n) for text in read for n in range(len(text.words))]
    moved = swapped(source, [text for text, _ in each], [n for _, n in each]) if each else np.zeros(0)
    ends = np.cumsum([len(text.words) for text in read])[:-1]
    for (name, own), values in zip(texts.items(), np.split(moved, ends) if each else [], strict=True):
        known = np.asarray(of[name], dtype=bool)
        if len(values) == len(known) and 0 < known.sum() < len(known) and np.isfinite(values).all():
            row = {"id": name, "auroc": stats.auroc(known, significant_digits(values))}
            row["tau"] = kendall(own["attention"].to_numpy(), values)[0]
            for kind in (kind for kind in IMPORTANCE if kind in own and own[kind].notna().all()):
                row[f"tau {kind}"] = kendall(own[kind].to_numpy(dtype=float), values)[0]
            rows.append(row)
    return pd.DataFrame(rows, columns=columns)


def _is_large(source: Pretrained) -> bool:
    """Whether asking a model anew of all texts takes long."""
    return sum(weight.numel() for weight in source.model.parameters()) >= LARGE


def bilstm_asked(run: Classifiers) -> Audit | None:
    """What the audit finds of chapter 02's BiLSTM on this run's texts; None without its checkpoint."""
    p = run.params
    other = Run.of(str(run.folder.parents[3]), corpus=p.corpus, profile=p.profile, seed=p.seed)
    if not other.committed.is_dir():
        return None
    less = {"integrated": 0, "shown": 0}
    how = How(p.asked_texts, p.permutations, free=p.asked_texts, epsilon=p.epsilon, seed=p.seed, **less)
    return ask(Own(other), *run.written("test", p.asked_texts), run.folder, how, p.threads)


def asked(run: Classifiers) -> Audit:
    """What was found of a run's classifier."""
    notes = json.loads(run.ensure("asked").read_text(encoding="utf-8"))
    tables = [run.table(f"asked_{name}") for name in ("texts", "words", "heads")]
    return Audit(*tables, notes, Evidence.open(run.ensure("asked_shown")), run.folder)


def moved_away(found: Audit, name: str) -> tuple[Layer, np.ndarray] | None:
    """A text that is shown, and what the audit's search finds once more: other attention, (heads, T).

    None where the audit didn't search.
    """
    layer = next(one for one in found.shown if one.id == name)
    searched = found.texts.set_index("id").get("together jsd", pd.Series(dtype=float)).get(name, np.nan)
    return None if np.isnan(searched) else (layer, together(layer, found.notes["how"]["epsilon"], TOGETHER))


def elsewhere(source: Pretrained, found: Audit, of: dict[str, np.ndarray]) -> pd.DataFrame:
    """What `moved_away` leaves the deciding words, of each text in which they are known and it was searched.

    of: which words decide, by id. A row a text: `own` and `other`, the share of attention that these words
    have, and `auroc own` and `auroc other`. Texts whose words aren't one piece each are left out. Empty of a
    large model, where it takes long.
    """
    columns = ["id", "own", "other", "auroc own", "auroc other"]
    searched = found.texts.get("together jsd", pd.Series(np.nan, found.texts.index)).notna()
    texts = dict(zip(found.texts["id"], texts_of(found), strict=True))
    names = [name for name in found.texts.loc[searched, "id"] if np.any(of.get(name, False))]
    if _is_large(source) or not names:
        return pd.DataFrame(columns=columns)
    rows, epsilon = [], found.notes["how"]["epsilon"]
    read = layers(evidence_from_hf(source, [texts[name] for name in names]))
    for name, layer in zip(names, read, strict=True):
        known = np.asarray(of[name], dtype=bool)
        if len(known) != layer.real.sum() or known.all():
            continue
        moved = together(layer, epsilon, TOGETHER)
        each = [attention.mean(0)[layer.real] for attention in (layer.attention, moved)]
        shares, scores = [own[known].sum() for own in each], [stats.auroc(known, own) for own in each]
        rows.append(dict(zip(columns, [name, *shares, *scores], strict=True)))
    return pd.DataFrame(rows, columns=columns)


@product("free_by_length.parquet", name="freedom", kind=Classifying, settings=ASKING)
def table_of_freedom(run: Classifiers) -> pd.DataFrame:
    """`free_by_length` on the texts that are asked."""
    return free_by_length(run.source, run.written("test", run.params.asked_texts)[1])


@product("without_attention.parquet", name="without", kind=Classifying, settings=ASKING)
def table_without(run: Classifiers) -> pd.DataFrame:
    """`without_attention` on the texts that are asked."""
    return without_attention(run.source, run.written("test", run.params.asked_texts)[1])


@product("by_head.parquet", name="by_head", kind=Classifying, settings=ASKING)
def table_by_head(run: Classifiers) -> pd.DataFrame:
    """`taus_by_head` on the texts that are asked."""
    found = asked(run)
    return taus_by_head(run.source, texts_of(found), found.words)


# Columns of the audit's texts, and what their means are called in the summary.
SUMMARISED = {
    **{f"tau {name} {other}": f"tau_{name}_{other}" for name in READINGS for other in IMPORTANCE},
    # As chapter 02 calls them; attention is the mean over heads.
    "tau attention gradient": "tau_gradient",
    "tau attention loo": "tau_loo",
    "tau attention integrated": "tau_integrated",
    "tau gradient loo": "tau_gradient_loo",
    **{f"auroc {name}": f"auroc_{name}" for name in (*READINGS, *IMPORTANCE)},
    "change alone": "permuted_one_head",
    "change same": "permuted_same",
    "change own": "permuted_each",
    "is moved": "permuted_moved",
    "change uniform": "moved_uniform",
    "flips uniform": "flips_uniform",
    "one word keeps": "one_word_keeps",
    **{f"erased {name}": f"erased_share_{name}" for name in ORDERS},
    "sooner": "erased_sooner",
    "epsilon jsd": "other_jsd_head",
    "together jsd": "other_jsd_mean",
    "free dimension": "free_dimension",
    "free jsd": "free_jsd",
    "units": "pieces",
    "peak": "max_attention",
    **{f"on {kind}": f"on_{kind.replace(' ', '_')}" for kind in KINDS},
}


def by_the_rules(texts: pd.DataFrame) -> dict[str, pd.Series]:
    """What two of the audit's rules are decided by, of each text.

    is moved: whether shuffling moves the prediction by more than MOVED; NaN of a single word. sooner: by
    which share of the words attention's order flips before a random one; one that never flips counts as
    all.
    """
    moved = (texts["change own"] > MOVED).astype(float).where(texts["words"] > 1)
    own, random = (texts[f"erased {order}"].fillna(1) for order in ("attention", "random"))
    return {"is moved": moved, "sooner": random - own}


@product(
    "summary-transformers.parquet", kind=Classifying, settings=(*ASKING, *RESAMPLING), proof="permuted_each"
)
def summary_transformers(run: Classifiers) -> pd.DataFrame:
    """What the audit and the chapter found, in means over texts."""
    p, found = run.params, asked(run)
    run.ensure("predictions")
    table = found.texts.assign(**by_the_rules(found.texts)).rename(columns=SUMMARISED)
    without = run.table("without")
    table["moved_without"], table["flips_without"] = without["change"], without["flips"]
    columns = [name for name in (*dict.fromkeys(SUMMARISED.values()), "moved_without", "flips_without")]
    numbers = table[[name for name in columns if name in table]].astype(float)
    rows = stats.summarise(numbers, numbers.columns, p.resamples, p.seed, p.significance, by_class=False)
    scores = run.info()["scores"]["test"]
    whole = [of_all(len(run.corpus.splits["test"])) | {"measure": "accuracy", "mean": scores["accuracy"]}]
    rows = rows_of(run, pd.concat([pd.DataFrame(whole), rows], ignore_index=True), "asked_texts")
    rows["given"] = p.given_to((*ASKING, *RESAMPLING))
    return rows
