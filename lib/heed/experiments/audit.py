"""The audit, chapter 15: a classifier that exists and texts of one's own; what its attention says of them.

Two kinds of models: a transformer that was loaded, whose last layer's heads are measured together, and a
run of heed's own, which has one head. The same table comes of both, a row a text.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from joblib import Parallel, delayed

from heed import paths
from heed.corpora.batches import Encoded
from heed.corpora.loading import load
from heed.corpora.splitting import read_table
from heed.corpora.user_corpus import texts_of
from heed.errors import HeedError
from heed.evidence import SCHEMA, Evidence, collect, named, write
from heed.measures import exact, gradients, leave_one_out, pieces
from heed.measures import layer as layers
from heed.measures.divergence import jsd, significant_digits
from heed.measures.freedom import freedom
from heed.measures.integrated_gradients import integrated_gradients_live
from heed.measures.kendall import kendall
from heed.measures.layer import KINDS, Layer, by_word
from heed.measures.search import generator
from heed.models.pieces import pieces as cut_up
from heed.models.pretrained import Pretrained, pretrained
from heed.own_models import evidence_from_hf
from heed.params import Params, resolve
from heed.progress import progress
from heed.runs.run import Run, on_threads
from heed.version import VERSION

EXAMPLE = paths.DATA / "checkpoints" / "transformer-planted"  # the model that the chapter takes by itself
LARGE = 1_000_000  # weights from which a model is swept in float32
STARTS = 4  # of the search for a far corner of what is free
PAIRED = 12  # units with the least weight whose pairs are tried as a head's whole attention
TOGETHER = 32  # the same where all heads of a small model are moved
MOVED = 0.05  # a change of the prediction (TVD) that one would notice
CHECKED = 5  # texts on which float32 is held against float64
SEVERAL = 8  # texts that are measured in one go; of more than four times as many, by a process a thread

# What is measured of each word: readings of attention, and measures of importance that ask the model.
READINGS = {"attention": "attention", "norm": "attention × value norm", "rollout": "rollout"}
IMPORTANCE = {"gradient": "gradient", "loo": "leave-one-out", "integrated": "integrated gradients"}
# The orders in which words are erased.
ORDERS = {
    "attention": "attention",
    "norm": "attention × value norm",
    "slope": "attention's gradient",
    "product": "gradient × attention",
    "random": "random order",
}


@dataclass(frozen=True)
class How:
    """How much is done. most: texts that are read, drawn by the seed if there are more. permutations: of
    each text and kind. integrated, free, corners: so many texts, the first, have integrated gradients, the
    dimension of what is free, and, where the model is large, a corner of it looked for, and other attention
    within epsilon of the prediction (a small one's all have). shown: strips. epsilon: how far a prediction
    may move and count as kept (TVD)."""

    most: int = 500
    permutations: int = 100
    integrated: int = 100
    free: int = 50
    corners: int = 12
    shown: int = 10
    epsilon: float = 0.01
    seed: int = 0

    def __post_init__(self):
        exact.check_epsilon(self.epsilon)
        least = {"most": 1, "permutations": 1} | dict.fromkeys(
            ("integrated", "free", "corners", "shown", "seed"), 0
        )
        for name, low in least.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise HeedError(f"{name} = {value!r}: expected a whole number from {low} on.")


@dataclass(frozen=True)
class Text:
    """A text as its model reads it. word (T,): of each unit attended to its word, -1 at marks."""

    words: list[str]
    word: np.ndarray
    is_cut: bool = False


@dataclass
class Audit:
    """What was found. texts, words, heads: tables, a row each; notes: what they are of, JSON-ready.

    evidence: the rows of the texts that are shown.
    """

    texts: pd.DataFrame
    words: pd.DataFrame
    heads: pd.DataFrame
    notes: dict
    evidence: Evidence
    folder: Path

    @property
    def classes(self) -> list[str]:
        """The names of the model's classes."""
        return self.notes["classes"]

    @cached_property
    def shown(self) -> list[Layer]:
        """The texts that are shown, each with all heads."""
        return list(layers.layers(self.evidence))

    def of_words(self, name: str) -> pd.DataFrame:
        """What was measured of a text's words, in order."""
        return self.words[self.words["id"] == name]


class Transformer:
    """A classifier that was loaded, as the audit asks it."""

    def __init__(self, source: Pretrained):
        self.source, self.name, self.checksum = source, source.name, source.checksum
        self.classes, self.longest = source.classes, source.longest
        weights = sum(weight.numel() for weight in source.model.parameters())
        self.is_large = weights >= LARGE

    @property
    def told(self) -> dict:
        """What the notes say of it."""
        config = self.source.model.config
        return {
            "kind": "transformer",
            "type": config.model_type,
            "layers": config.num_hidden_layers,
            "heads": self.source.heads,
            "longest": self.longest,
            "float32": self.is_large,
        }

    @cached_property
    def sweeper(self) -> Pretrained:
        """What sweeps are made with: a large one in float32."""
        return pieces.rougher(self.source) if self.is_large else self.source

    def read(self, texts: Sequence[str]) -> tuple[list[Text | None], list[str]]:
        """Each text as it is read; None of one that can't be, and why it can't."""
        self.cut = cut_up(self.source, texts)
        found = [Text(own.words, own.word, own.is_cut) if own.words else None for own in self.cut]
        return found, ["there is no word in it" for own in found if own is None]

    def evidence(self, texts: Sequence[str], path: Path) -> Evidence:
        """The rows of each text's heads."""
        return evidence_from_hf(self.source, texts, path=path)

    def rankings(self, kept: Sequence[int]) -> dict[str, Callable[[int], list[np.ndarray]]]:
        """What each ranking of words is made by, of the first so many of the texts that were kept."""
        own = [self.cut[i] for i in kept]
        return {
            "rollout": lambda n: pieces.rollout(self.sweeper, own[:n]),
            "gradient": lambda n: pieces.gradient(self.sweeper, own[:n]),
            "loo": lambda n: pieces.leave_one_out(self.sweeper, own[:n]),
            "integrated": lambda n: pieces.integrated_gradients(self.sweeper, own[:n]),
        }

    def swapped(self, kept: Sequence[int], loo: list[np.ndarray]) -> np.ndarray:
        """How far the prediction moves when others take the place of the word whose removal moves it most."""
        return pieces.swapped(self.sweeper, [self.cut[i] for i in kept], [int(own.argmax()) for own in loo])

    def agreement(self, kept: Sequence[int], found: dict[str, list[np.ndarray]]) -> float:
        """The lowest τ of leave-one-out and gradient in float32 with float64; NaN of a small model."""
        if not self.is_large:
            return np.nan
        own, lowest = [self.cut[i] for i in kept[:CHECKED]], np.nan
        for name, kernel in (("gradient", pieces.gradient), ("loo", pieces.leave_one_out)):
            for fine, coarse in zip(kernel(self.source, own), found[name], strict=False):
                lowest = np.nanmin([lowest, kendall(fine, coarse)[0], 1.0])
        return float(lowest)


class Own:
    """A model that heed trained, as the audit asks it."""

    is_large = False

    def __init__(self, run: Run):
        self.model, self.reading = run.reader
        self.params: Params = run.params
        if self.reading.task != "classification" or self.reading.sentences:
            raise HeedError(
                f"{run.params.path} attends to sentences, or is asked something. "
                "The audit takes classifiers that attend to the words of a text."
            )
        self.name, self.checksum = run.params.path, paths.sha256(run.folder / "weights.safetensors")
        self.classes = self.reading.classes

    @property
    def told(self) -> dict:
        """What the notes say of it."""
        return {"kind": "heed", "type": self.params.model_name, "layers": 1, "heads": 1, "float32": False}

    def read(self, texts: Sequence[str]) -> tuple[list[Text | None], list[str]]:
        """Each text as it is read; None of one that can't be, and why it can't."""
        found, faults, self.encoded = [], [], []
        for text in progress(texts, "reading, texts"):
            try:
                data = self.reading.encode(text)
            except HeedError as error:
                data = None
                faults.append(str(error).removeprefix("text: ").rstrip("."))
            self.encoded.append(data)
            words = [] if data is None else data.words[0]
            found.append(None if data is None else Text(words, np.arange(len(words))))
        return found, faults

    def data(self, kept: Sequence[int]) -> Encoded:
        """Those texts together, called by their number."""
        own = [self.encoded[i] for i in kept]
        return Encoded(
            [str(k) for k in range(len(own))],
            [data.words[0] for data in own],
            [data.codes[0] for data in own],
            np.full(len(own), -1),
        )

    def evidence(self, texts: Sequence[str], path: Path) -> Evidence:
        """A row a text: the texts were read before."""
        kept = [i for i, data in enumerate(self.encoded) if data is not None]
        return collect(self.model, self.data(kept), self.params.tokens_per_batch, path=path)

    def rankings(self, kept: Sequence[int]) -> dict[str, Callable[[int], list[np.ndarray]]]:
        """What each ranking of words is made by, of the first so many of the texts that were kept."""
        budget = self.params.tokens_per_batch

        def removed(n: int) -> list[np.ndarray]:
            data = self.data(kept[:n])
            logits = leave_one_out.leave_one_out(self.model, data, budget)
            rows = collect(self.model, data, budget)
            return [*leave_one_out.change(rows, logits).values()]

        return {
            "gradient": lambda n: [*gradients.gradients(self.model, self.data(kept[:n]), budget).values()],
            "loo": removed,
            "integrated": lambda n: [
                *integrated_gradients_live(self.model, self.data(kept[:n]), self.params, {}).values()
            ],
        }

    def swapped(self, kept, loo) -> np.ndarray:
        """NaN: it isn't asked of these models."""
        return np.full(len(kept), np.nan)

    def agreement(self, kept, found) -> float:
        """NaN: all is in float64."""
        return np.nan


def model_of(model: str | Path, results: str = "results") -> Transformer | Own:
    """The model of that name: a run of heed's by its path, a folder of `save_pretrained`, or a hub's name.

    A run: in the results folder, or a committed checkpoint of data/checkpoints. Raises HeedError.
    """
    if not isinstance(model, str | Path) or not str(model).strip():
        raise HeedError(
            "audit: no model is given. MODEL is a folder that `save_pretrained` wrote, a name on the "
            "Hugging Face hub, or the path of a run."
        )
    given = Path(model).expanduser()
    for folder in (given, paths.results_folder(results) / given, paths.DATA / "checkpoints" / given):
        if (folder / "run.json").is_file():
            if (folder / "classifier").is_dir():
                return Transformer(pretrained(folder / "classifier"))
            return Own(_run_of(folder))
        if (folder / "weights.safetensors").is_file() and not (folder / "config.json").is_file():
            return Own(_checkpoint(folder, results))
    return Transformer(pretrained(model))


def _run_of(folder: Path) -> Run:
    """The run whose folder this is."""
    try:
        given = json.loads((folder / "run.json").read_text(encoding="utf-8"))["parameters"]
        params = Params(**given)
        is_there = folder.resolve().as_posix().endswith(params.path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HeedError(
            f"{folder / 'run.json'} isn't of a run of texts, or is damaged. Give another run."
        ) from error
    if not is_there:
        raise HeedError(f"{folder} isn't where a run of {params.path} lies. Move it back, or give another.")
    return Run(params, folder.resolve().parents[3])


def _checkpoint(folder: Path, results: str) -> Run:
    """The run of a checkpoint, which has no parameters beside it: the path names them."""
    parts = folder.resolve().parts[-4:]
    try:
        corpus, model, variant, seed = parts
        encoder, attention = model.split("-", 1)
        given = {"encoder": encoder, "attention": attention, "seed": int(seed.removeprefix("seed"))}
        run = Run.of(results, corpus=corpus, profile=variant.rpartition("-")[0], **given)
    except ValueError as error:
        raise HeedError(
            f"{folder} isn't the path of a run, such as planted/bilstm-additive/paper-b9e7f301/seed0."
        ) from error
    if run.params.path != "/".join(parts):
        raise HeedError(
            f"{folder} has parameters of its own, which aren't recorded there. Give the path of a run in a "
            "results folder, which has a run.json."
        )
    return run


# Models of heed's own of which one knows what their attention is worth.
ONE_WORD, BILSTM, EQUAL = "one word decides", "BiLSTM", "equal weights"


def for_scale(folder: Path) -> dict[str, Audit]:
    """What the audit finds of models of which one knows what to expect: ONE_WORD, BILSTM and EQUAL.

    The first, which takes each word by itself, is trained here, in seconds, on `indicator`, and asked of the
    test texts that hold the word which decides. All is kept in the folder.
    """
    run = Run.of(str(folder), corpus="indicator", encoder="average")
    run.ensure("weights")
    own = run.corpus.splits["test"]
    rows = {"id": own.ids, "text": [" ".join(words) for words in own.words], "label": own.labels}
    decided = [bool(np.any(truth)) for truth in own.truth]
    with paths.writing(folder / "indicator.csv") as aside:
        pd.DataFrame(rows)[decided].to_csv(aside, index=False)
    planted = example_texts(folder)
    asked = {ONE_WORD: (run.folder, folder / "indicator.csv")}
    for name, attention in ((BILSTM, "additive"), (EQUAL, "uniform")):
        asked[name] = (resolve({"corpus": "planted", "attention": attention}).path, planted)
    little = How(integrated=0, shown=0)
    return {
        name: audit(model, texts, folder / name.replace(" ", "-"), little)
        for name, (model, texts) in asked.items()
    }


def example_texts(folder: Path) -> Path:
    """Write the test texts of `planted` that chapter 13 asks, evenly spaced, as a table; return its path."""
    count = resolve({"corpus": "planted", "encoder": "transformer-cls"}).asked_texts
    own = load(resolve({"corpus": "planted"})).splits["test"]
    rows = {"id": own.ids, "text": [" ".join(words) for words in own.words], "label": own.labels}
    with paths.writing(folder / "planted.csv") as aside:
        pd.DataFrame(rows)[:: -(-len(own.ids) // count)].to_csv(aside, index=False)
    return folder / "planted.csv"


def texts_from(path: str | Path, classes: Sequence[str]) -> tuple[list[str], list[str], list[int]]:
    """Ids, texts and labels (-1: not known) of a table with a column `text`. Raises HeedError."""
    if not isinstance(path, str | Path) or not str(path).strip():
        raise HeedError(
            "audit: no texts are given. TEXTS is a CSV with a column `text`, and `label` if known."
        )
    path = Path(path).expanduser()
    table = read_table(path)
    if table.empty:
        raise HeedError(f"{path} has no texts: a line of names, and no row. Give one or more.")
    try:
        return texts_of(table, classes)
    except ValueError as error:
        raise HeedError(f"{path}: {str(error).rstrip('.')}. Correct it, or give another file.") from error


@dataclass
class _Clock:
    """Seconds of each part."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def part(self, name: str):
        """Count what is done within."""
        begun = time.perf_counter()
        yield
        self.add({name: time.perf_counter() - begun})

    def add(self, seconds: dict[str, float]) -> None:
        """Count what was done elsewhere."""
        for name, more in seconds.items():
            self.seconds[name] = self.seconds.get(name, 0) + more


def audit(
    model: str | Path,
    texts: str | Path,
    out: str | Path,
    how: How = How(),
    threads: int = 1,
    results: str = "results",
) -> Audit:
    """Measure a model's attention on a table of texts; what is made is kept in the folder `out`.

    If it holds the same audit already, that is read. Raises HeedError, one sentence, for a model or texts
    that can't be taken.
    """
    folder = Path(out).expanduser()
    subject = model_of(model, results)
    ids, written, labels = texts_from(texts, subject.classes)
    key = {
        "model": subject.checksum,
        "texts": paths.sha256(Path(texts).expanduser()),
        "how": asdict(how),
        "heed": paths.library_hash(),
    }
    kept = _kept(folder, key)
    if kept is not None:
        return kept
    with on_threads(threads):
        found = ask(subject, ids, written, labels, folder, how, threads)
    found.notes |= {"key": key, "file": Path(texts).name, "version": VERSION}
    _keep(found)
    return found


def ask(
    subject: Transformer | Own,
    ids: list[str],
    written: list[str],
    labels: list[int],
    folder: Path,
    how: How,
    threads: int,
) -> Audit:
    """All that is measured of a model on these texts (labels: -1, not known); nothing is kept.

    folder: evidence lies there meanwhile. Raises HeedError if the model can read none of the texts.
    """
    clock, begun = _Clock(), time.perf_counter()
    in_file = len(ids)
    if in_file > how.most:
        rng = np.random.default_rng([how.seed, 15])
        drawn = np.sort(rng.choice(in_file, how.most, replace=False))
        ids, written, labels = ([column[i] for i in drawn] for column in (ids, written, labels))
    read, faults = subject.read(written)
    kept = [i for i, own in enumerate(read) if own is not None]
    if not kept:
        raise HeedError(
            f"audit: the model can read none of the {len(ids)} texts: of the first, {faults[0]}. Give others."
        )
    ids, written, labels = ([column[i] for i in kept] for column in (ids, written, labels))
    own = [read[i] for i in kept]
    counts = {"loo": len(own), "gradient": len(own), "rollout": len(own), "integrated": how.integrated}
    rankings = {}
    for name, make in subject.rankings(kept).items():
        with clock.part(name):
            rankings[name] = make(min(counts[name], len(own)))
    with clock.part("loo"):
        swapped = subject.swapped(kept, rankings["loo"])
    with clock.part("float64"):
        agreement = subject.agreement(kept, rankings)
    aside = folder / f".evidence-{os.getpid()}.arrow"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with clock.part("evidence"):
            evidence = subject.evidence(written, aside)
        wanted = _wanted(evidence, own, rankings, how, subject.is_large, clock)
        rows, of_words, of_heads = [], [], []
        measured = _measured(aside, wanted, how, threads, clock)
        for name, text, (row, each, heads) in zip(
            ids, own, progress(measured, "attention, texts", len(own)), strict=True
        ):
            rows.append({"id": name} | row)
            of_heads.append(heads)
            columns = {"id": name, "place": np.arange(len(text.words)), "word": text.words}
            of_words.append(pd.DataFrame(columns | each))
        texts = pd.DataFrame(rows).assign(swapped=swapped)
        texts["predicted"] = [subject.classes[c] for c in texts["decision"]]
        texts["label"] = [None if c < 0 else subject.classes[c] for c in labels]
        texts["right"] = [np.nan if c < 0 else float(c == d) for c, d in zip(labels, texts["decision"],
                                                                            strict=True)]  # fmt: skip
        shown = _chosen(texts, how.shown)
        part = _part(evidence, shown, ids, labels)
        marks = _marks(part)
    finally:
        aside.unlink(missing_ok=True)
    notes = subject.told | {
        "name": subject.name,
        "classes": [*subject.classes],
        "marks": marks,
        "in_file": in_file,
        "left_out": faults,
        "readings": [name for name in READINGS if name in of_words[0]],
        "how": asdict(how),
        "threads": threads,
        "float32_tau": None if np.isnan(agreement) else agreement,
        "seconds": {
            name: round(spent, 2)
            for name, spent in {**clock.seconds, "all": time.perf_counter() - begun}.items()
        },
    }
    return Audit(
        texts.drop(columns="decision"),
        pd.concat(of_words, ignore_index=True),
        _mean_heads(of_heads),
        notes,
        part,
        folder,
    )


@dataclass(frozen=True)
class _Wanted:
    """A text that is to be measured. number: among the evidence's. rankings: of its words. is_free: whether
    it is asked what is free; starts: of the search for a far corner of that, 0: none."""

    number: int
    text: Text
    rankings: dict[str, np.ndarray]
    is_free: bool
    starts: int


def _wanted(
    evidence: Evidence, own: list[Text], rankings: dict, how: How, is_large: bool, clock: _Clock
) -> list[_Wanted]:
    """What each text is asked. Of a large model the first few where something is free have a corner."""
    wanted, corners = [], 0
    for i, text in enumerate(own):
        is_free = i < how.free
        starts = STARTS if is_free else 0
        if is_free and is_large:
            with clock.part("freedom"):
                starts = int(corners < how.corners and freedom(_layer(evidence, i).rows, 0).dimension > 0)
            corners += starts
        of_it = {kind: found[i] for kind, found in rankings.items() if i < len(found)}
        wanted.append(_Wanted(i, text, of_it, is_free, starts))
    return wanted


def _layer(evidence: Evidence, i: int) -> Layer:
    """The heads of the evidence's i-th text."""
    heads = len(evidence.heads)
    return Layer(evidence[i * heads : (i + 1) * heads])


def _measured(
    path: Path, wanted: list[_Wanted], how: How, threads: int, clock: _Clock
) -> Iterator[tuple[dict, dict, np.ndarray]]:
    """Of each text, in order, its row, its words' readings, its heads' shares; of many by several processes.

    Each works on one thread, so that the numbers don't hang on how many there are.
    """
    parts = [wanted[k : k + SEVERAL] for k in range(0, len(wanted), SEVERAL)]
    processes = threads if len(parts) > 4 else 1
    every = Parallel(processes, return_as="generator")(delayed(_part_of)(path, part, how) for part in parts)
    for found, seconds in every:
        clock.add(seconds)
        yield from found


def _part_of(path: Path, wanted: list[_Wanted], how: How) -> tuple[list, dict[str, float]]:
    """What is found of some texts of this evidence, and the seconds that each part took."""
    evidence, clock, found = Evidence.open(path), _Clock(), []
    with on_threads(1):
        for one in wanted:
            layer, text = _layer(evidence, one.number), one.text
            word = text.word if len(text.word) == len(layer.real) else layers.words_of(layer)
            each = {
                "attention": by_word(layer.attention.mean(0), word),
                "norm": by_word(layers.norms(layer), word),
            }
            each |= one.rankings
            row = _of_text(layer, text, word, each, how, clock)
            if one.is_free:
                with clock.part("freedom"):
                    row |= _free(layer, how, one.starts)
            found.append((row, each, _of_heads(layer)))
    return found, clock.seconds


def _of_text(layer: Layer, text: Text, word: np.ndarray, each: dict, how: How, clock: _Clock) -> dict:
    """What is measured of one text."""
    n = len(text.words)
    found = {
        "decision": layer.decision,
        "probability": float(layer.first.prediction[layer.decision]),
        "words": n,
        "units": len(layer.real),
        "cut": text.is_cut,
        "peak": float(each["attention"].max()),
    }
    shares = layers.shares(layer).mean(0)
    found |= {f"on {kind}": float(share) for kind, share in zip(KINDS, shares, strict=True)}
    names = [name for name in (*READINGS, *IMPORTANCE) if name in each]
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            if other in IMPORTANCE:
                found[f"tau {one} {other}"] = kendall(each[one], each[other])[0]
    with clock.part("permutation"):
        moved = layers.permuted(layer, how.permutations, how.seed)
        found["change alone"] = float(np.median(moved["alone"], axis=1).mean())
        found["change same"] = float(np.median(moved["same"]))
        found["change own"] = float(np.median(moved["own"]))
    even, ones = layers.uniform(layer), layers.on_each(layer)
    found["change uniform"] = float(layer.change(even))
    found["flips uniform"] = bool(layer.flips(even))
    found["one word keeps"] = float((~layer.flips(ones)).mean())
    with clock.part("erasure"):
        slope = layers.slopes(layer)
        scores = {
            "attention": each["attention"],
            "norm": each["norm"],
            "slope": by_word(slope.sum(0), word),
            "product": by_word((slope * layer.attention).sum(0), word),
            "random": generator(how.seed, f"erase {layer.id}").random(n),
        }
        orders = [np.argsort(-significant_digits(score), kind="stable") for score in scores.values()]
        counts = layers.until_flip(layer, np.array(orders), word)
        for name, count in zip(scores, counts, strict=True):
            found[f"erased {name}"] = count / n if count else np.nan
    return found


def _free(layer: Layer, how: How, starts: int) -> dict:
    """What is free in one text's attention; starts: of the search for a far corner, 0: none."""
    own = freedom(layer.rows, 0)
    if starts and own.dimension:
        own = freedom(layer.rows, starts, how.seed)
    found = {"free dimension": own.dimension, "free jsd": np.nan, "free change": np.nan}
    if starts or own.dimension == 0:
        found["free jsd"] = float(own.jsd.mean())
        found["free change"] = float(layer.change(own.attention))
    if len(layer.rows) == 1 and layer.first.head.one_logit:
        found["epsilon jsd"] = exact.optimum(layer.first, how.epsilon).jsd
    elif starts:
        brackets = [exact.bracket(row, how.epsilon, PAIRED) for row in layer.rows]
        found["epsilon jsd"] = float(np.mean([one.lower for one in brackets]))
        moved = together(layer, how.epsilon, PAIRED if starts == 1 else TOGETHER)
        found["together jsd"] = float(jsd(moved.mean(0), layer.attention.mean(0)))
    return found


def together(layer: Layer, epsilon: float, most: int) -> np.ndarray:
    """Other attention of all heads, (heads, T), whose mean over heads is far from the model's own mean.

    Each head in turn, those before it being moved already, takes the pair of `exact.bracket` that is
    furthest from the model's mean and moves the prediction by epsilon / heads at most: all together by
    epsilon at most (TVD has a triangle inequality). A search: more distant attention may exist.
    """
    attention, own = layer.attention.copy(), layer.attention.mean(0)
    for h, row in enumerate(layer.rows):
        others = layer.rest + sum(attention[k] @ layer.values[k] for k in range(len(attention)) if k != h)
        here = replace(row, attention=own, shift=others, prediction=layer.probs(attention))
        vertex = exact.bracket(here, epsilon / len(attention), most).vertex
        if vertex is not None:
            attention[h] = vertex.attention(len(own))
    return attention


def _of_heads(layer: Layer) -> np.ndarray:
    """Shares of KINDS and peak of each head, shape (heads, 5)."""
    peak = layer.attention[:, layer.real].max(1, keepdims=True)
    return np.concatenate([layers.shares(layer), peak], axis=1)


def _mean_heads(of_heads: list[np.ndarray]) -> pd.DataFrame:
    """Means over texts, a row a head."""
    table = pd.DataFrame(np.mean(of_heads, axis=0), columns=[*(f"on {kind}" for kind in KINDS), "peak"])
    table.insert(0, "head", np.arange(len(table)))
    return table


def _chosen(texts: pd.DataFrame, count: int) -> list[int]:
    """So many texts, from the one that shuffling moves most to the one that it moves least."""
    order = np.argsort(-texts["change own"].to_numpy(), kind="stable")
    places = np.linspace(0, len(order) - 1, min(count, len(order))).round().astype(int)
    return order[places].tolist()


def _part(evidence: Evidence, chosen: list[int], ids: list[str], labels: list[int]) -> Evidence:
    """The rows of these texts, each called by its id, with its label."""
    heads = [*evidence.heads]
    groups = {str(i): k for k, i in enumerate(chosen)}
    rows = [row for row in range(len(evidence)) if evidence.table["group"][row].as_py() in groups]
    rows.sort(key=lambda row: groups[evidence.table["group"][row].as_py()])
    parts = []
    for k, cells in enumerate(evidence.table.take(rows).to_pylist() if rows else []):
        text = int(cells["group"])
        name, head = ids[text], heads[k % len(heads)]
        cells |= {"group": name, "id": named(name, head) if len(heads) > 1 else name, "label": labels[text]}
        parts.append(cells)
    table = pa.Table.from_pylist(parts, schema=SCHEMA)
    return Evidence(table, evidence.heads if len(heads) > 1 else evidence.head, evidence.unit)


def _marks(evidence: Evidence) -> list[str]:
    """What the marks are called, in order; none where only words are attended to."""
    if not len(evidence):
        return []
    row = evidence[0]
    return list(dict.fromkeys(unit for unit, real in zip(row.units, row.real, strict=True) if not real))


FILES = {"texts": "texts.parquet", "words": "words.parquet", "heads": "heads.parquet"}


def write_shown(found: Audit, to: Path) -> None:
    """Write the evidence of the texts that are shown."""
    several = len(found.evidence.heads) > 1
    heads = found.evidence.heads if several else found.evidence.head
    write(to, found.evidence.table.to_batches(), heads, "token")


def _keep(found: Audit) -> None:
    """Write all; audit.json last, which says that the others are whole. texts.csv is for other programs."""
    (found.folder / "audit.json").unlink(missing_ok=True)
    for name, file in FILES.items():
        with paths.writing(found.folder / file) as aside:
            getattr(found, name).to_parquet(aside, index=False)
    with paths.writing(found.folder / "texts.csv") as aside:
        found.texts.to_csv(aside, index=False)
    with paths.writing(found.folder / "shown.arrow") as aside:
        write_shown(found, aside)
    found.notes["files"] = {
        file: paths.sha256(found.folder / file) for file in (*FILES.values(), "shown.arrow")
    }
    with paths.writing(found.folder / "audit.json") as aside:
        aside.write_text(json.dumps(found.notes, indent=1) + "\n", encoding="utf-8")


def _kept(folder: Path, key: dict) -> Audit | None:
    """What the folder holds, if it is of this very audit and whole."""
    try:
        notes = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
        if notes["key"] != key or any(paths.sha256(folder / f) != s for f, s in notes["files"].items()):
            return None
        tables = {name: pd.read_parquet(folder / file) for name, file in FILES.items()}
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Audit(**tables, notes=notes, evidence=Evidence.open(folder / "shown.arrow"), folder=folder)
