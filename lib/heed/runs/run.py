"""Runs: one folder a corpus, model, variant and seed; `ensure` is how a chapter gets what it needs.

results/CORPUS/MODEL/VARIANT/seedN/ holds the weights (safetensors), evidence (Arrow), tables (Parquet),
executed notebooks and run.json: parameters, versions, hash of the library, device, seconds, peak
memory, scores, and the SHA-256 of every file. One writer a product; a file appears whole or not at all.
"""

import json
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import cache, cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from filelock import SoftFileLease
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file
from threadpoolctl import threadpool_limits
from torch import nn

from heed import paths
from heed.corpora import user_corpus
from heed.corpora.batches import Encoded
from heed.corpora.loading import ASKED, Corpus, load
from heed.corpora.loading import partial as partial_of
from heed.corpora.reading import Reading
from heed.corpora.tokens import sentences
from heed.errors import HeedError, choose, why
from heed.evidence import Evidence
from heed.measures import registry
from heed.models.build import build
from heed.models.guided import Guided
from heed.models.pooled import WordPieces, pieces_of
from heed.params import (
    COMPUTING,
    MEASURING,
    Classifying,
    Named,
    Params,
    encoders_of,
    is_sequences,
    kind_of,
    resolve,
)
from heed.registry import corpora, reader_version
from heed.runs.grid import mapping_given
from heed.runs.products import Made, Product, of_kind
from heed.runs.record import SCHEMA, checked

LIBRARIES = ("torch", "numpy", "scipy", "pandas", "spacy", "gensim", "scikit-learn")


@cache
def library_versions() -> dict[str, str]:
    """Of Python, and of the libraries on which numbers hang, by name."""
    return {"python": platform.python_version()} | {name: version(name) for name in LIBRARIES}


@contextmanager
def on_threads(count: int) -> Iterator[None]:
    """Give torch, and the BLAS of numpy and scipy, so many threads within, however the process was started.

    On another number of threads they add in another order, and the last bits are others.
    """
    before = torch.get_num_threads()
    with threadpool_limits(count, user_api="blas"):
        torch.set_num_threads(count)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def peak_memory_mib() -> int | None:
    """The most memory that this process has had; None where the system doesn't tell (Windows)."""
    try:
        import resource
    except ImportError:
        return None
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


class Clock:
    """`elsewhere`: the seconds that aren't those of a product, but of others that it needed first."""

    elsewhere = 0.0

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Count what is made or waited for within."""
        begun, before = time.perf_counter(), self.elsewhere
        try:
            yield
        finally:
            self.elsewhere = before + time.perf_counter() - begun


class Run:
    """One run of the grid: corpus, model, parameters and seed. `Run.of` makes it of their names.

    Nothing is computed before it is asked for, and nothing twice: products lie in `folder`, and `run.json`
    there has the checksum of each. params: all its parameters. results: the folder of all runs.
    """

    # What parameters it has and what it can be asked for; chapters 09 and 13 have their own.
    kind: type[Named] = Params
    # The products that a checkpoint of the project holds.
    checkpoint: tuple[str, ...] = ("weights", "curve")

    def __init__(self, params: Params, results: Path, clock: "Clock | None" = None):
        self.params, self.folder, self.clock = params, results / params.path, clock or Clock()
        self._pieces: tuple[Sequence[str], WordPieces] | None = None

    @classmethod
    def of(cls, results: str = "results", set: dict[str, Any] | str | None = None, **given) -> "Run":
        """The run that a notebook's parameters name; `set` is a mapping of any other parameter, or its YAML.

        Raises HeedError on an unknown parameter, corpus or model, and on a folder of other parameters.
        Sets torch and BLAS to one thread (parameter `threads`), for what a chapter computes itself: the same
        command then gives the same bits, and work is spread over processes.
        """
        more = mapping_given(set)
        twice = sorted(given.keys() & more.keys())
        if twice:
            raise HeedError(f"parameter {twice[0]} is given twice, by itself and in `set`; keep one.")
        params = resolve({**given, **more})
        if type(params) is not cls.kind:
            raise _of_another_kind(params, cls.kind)
        if params.device == "cuda" and not torch.cuda.is_available():
            raise HeedError(
                "device cuda: torch sees no GPU here. Use device cpu, or a build with TORCH=cuda."
            )
        torch.set_num_threads(params.threads)
        threadpool_limits(params.threads, user_api="blas")
        paths.library_hash()  # now, of the code that is loaded: a file may be edited while a run goes on
        run = cls(params, paths.results_folder(results))
        run.info()
        return run

    @property
    def products(self) -> dict[str, Product]:
        """What it can be asked for, by name."""
        return of_kind(self.kind)

    @cached_property
    def corpus(self) -> Corpus:
        """The corpus as this run reads it: where it reads rationales, the words that its base chose."""
        if not self.params.rationale:
            return load(self.params)
        table, splits = self.table("cut").set_index(["split", "id"])["words"], {}
        for name, split in self.base.corpus.splits.items():
            splits[name] = split.only([table[name, text] for text in split.ids])
        return replace(self.base.corpus, splits=splits)

    def data(self, split: str) -> Encoded:
        """A split as codes."""
        corpus = self.corpus
        data = Encoded.of(corpus.splits[split], corpus.vocabulary, len(corpus.classes))
        if self.params.encoder == "han":
            data = replace(data, sentences=list(sentences(data.words)))
        if self.params.reads_pieces:
            first = self.first(corpus.vocabulary.words)
            data = data.cut_to([first.read(codes) for codes in data.codes])
        return data

    def first(self, words: Sequence[str]) -> np.ndarray | WordPieces:
        """What a model of these words is built of before it has weights: blank vectors, or their pieces."""
        if not self.params.reads_pieces:
            return np.zeros((len(words), self.params.embedding_dim))
        if self._pieces is None or self._pieces[0] != words:
            self._pieces = words, pieces_of(words, self.params.pretrained)
        return self._pieces[1]

    @cached_property
    def questions(self) -> dict[str, str]:
        """The question or hypothesis of each test text, by id; none where the task has none."""
        split = self.corpus.splits["test"]
        return {name: " ".join(words) for name, words in zip(split.ids, split.queries or (), strict=False)}

    def asked(self, name: str) -> dict[str, str]:
        """What a test text is asked, as `question`, and its `query_name`; none where the task has none."""
        if not self.questions:
            return {}
        return {"question": self.questions[name], "query_name": ASKED[self.corpus.task]}

    @cached_property
    def vocabulary_hash(self) -> str:
        """What the weights are tied to: the words of the embedding's rows, in order."""
        return self.corpus.vocabulary.hash

    def model(self) -> nn.Module:
        """The trained model in float64, for evaluation."""
        path = self.ensure("weights")
        tensors, vocabulary = _weights(path)
        if vocabulary != self.vocabulary_hash:
            raise self._other_words(path)
        model = self.build(self.first(self.corpus.vocabulary.words))
        return self._trained(model, tensors, path)

    @cached_property
    def reader(self) -> tuple[nn.Module, Reading]:
        """The trained model, and how it reads any text. Once both were made, the corpus needn't be there.

        Raises HeedError if either can't be had, or if the model has another run's attention, text by text.
        """
        path = self.kept("weights") or self.ensure("weights")
        tensors, vocabulary = _weights(path)
        reading = _reading(self.kept("reading"))
        if reading is None or reading.vocabulary.hash != vocabulary:  # of a corpus that was edited since, say
            reading = _reading(self.ensure("reading"))
        if reading.vocabulary.hash != vocabulary:
            raise self._other_words(path)
        model = build(self.params, self.first(reading.words), len(reading.classes), reading.task)
        if isinstance(model, Guided):
            raise HeedError(
                f"{self.params.path}: its attention is another run's, given text by text, so it can't read "
                "one that is new. Choose a run that learnt its attention."
            )
        return self._trained(model, tensors, path), reading

    def kept(self, product: str) -> Path | None:
        """A product's file, if it is as run.json recorded it, whatever became of the corpus since."""
        record, path = self.info()["products"].get(product), self.folder / self.products[product].file
        if record is None or not path.exists() or paths.sha256(path) != record["sha256"]:
            return None
        return path

    def _other_words(self, path: Path) -> HeedError:
        return HeedError(
            f"{path} was trained with another vocabulary than corpus {self.params.corpus} gives now. "
            "Delete the run's folder to train anew, or restore the corpus that it was trained on."
        )

    def _trained(self, model: nn.Module, tensors: dict[str, torch.Tensor], path: Path) -> nn.Module:
        """The model with these weights, for evaluation."""
        try:
            model.load_state_dict(tensors)
        except RuntimeError as error:
            raise _damaged(path, "weights of another model") from error
        return model.double().eval().to(self.params.device)

    def build(self, embeddings: np.ndarray | WordPieces) -> nn.Module:
        """The run's model before training; one that takes its base's attention is given it."""
        model = build(self.params, embeddings, len(self.corpus.classes), self.corpus.task)
        if isinstance(model, Guided):
            for split in self.corpus.splits:
                model.given |= self.base.decisions(split)[0]
        return model

    def changed(self, **changes) -> "Run":
        """The run that differs in these parameters alone."""
        params = self.kind(**self.params.model_dump() | changes)
        return type(self)(params, self.folder.parents[3], self.clock)

    def like(self, base: "Run | None" = None, **changes) -> "Run":
        """The run that differs in these parameters of model or training alone; base: what it learns from."""
        honest = {"kl_weight": None, "lie_weight": None, "rationale": None}
        other = self.changed(**honest | changes | {"base": base.params.path if base else ""})
        if other.folder == self.folder:
            return self  # two of one folder would wait for each other's lock
        if not (self.params.rationale or other.params.rationale):
            other.corpus = self.corpus
        if base:
            other.base = base
        return other

    @cached_property
    def base(self) -> "Run":
        """The run that parameter `base` names. Raises HeedError if it isn't there or reads other words."""
        path = self.folder.parents[3] / self.params.base / "run.json"
        if not self.params.base or not path.is_file():
            raise HeedError(
                f"base = {self.params.base!r}: {path.parents[4]} holds no such run. Give the path of a run "
                "that is there, such as planted/bilstm-additive/paper-0123abcd/seed0."
            )
        try:
            given = json.loads(path.read_text(encoding="utf-8"))["parameters"]
            base = Run(Params(**given), path.parents[4], self.clock)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise _damaged(path, error) from error
        is_its = base.params.corpus == self.params.corpus  # a rationale's words are then those of its base
        if not is_its or not self.params.rationale and base.vocabulary_hash != self.vocabulary_hash:
            raise HeedError(
                f"base = {self.params.base!r} has another vocabulary than this run of corpus "
                f"{self.params.corpus}. Give both the same corpus and parameters of the text."
            )
        return base

    def decisions(self, split: str) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Attention and prediction of each text of a split, by id."""
        if split == "test":
            ids, predictions = self.evidence.ids, self.evidence.predictions
            attention = [row.attention for row in self.evidence]
        else:
            table = self.table(f"decisions_{split}")
            ids, attention, predictions = (table[name] for name in ("id", "attention", "prediction"))
        return dict(zip(ids, attention, strict=True)), dict(zip(ids, predictions, strict=True))

    @cached_property
    def evidence(self) -> Evidence:
        """Evidence of the trained model on the test split."""
        return Evidence.open(self.ensure("evidence"))

    def table(self, product: str) -> pd.DataFrame:
        """A product's table; made first if it isn't there."""
        path = self.ensure(product)
        try:
            table = pd.read_parquet(path)
        except Exception as error:  # on a damaged schema pandas raises KeyError, TypeError and more
            raise _damaged(path, error) from error
        return registry.validate(product, table) if product in registry.TABLES else table

    def arrays(self, product: str) -> dict[str, np.ndarray]:
        """A product with one array an instance: `gradient` (T,), or the logits of `loo` (T, C)."""
        table = self.table(product)
        return {name: np.stack(list(cell)) for name, cell in zip(table["id"], table["values"], strict=True)}

    def ensure(self, product: str, fresh: bool = False) -> Path:
        """The path of a product; it is made, with all that it needs, if the run doesn't have it.

        fresh: train, even where the project has a committed checkpoint of this very run.
        """
        wanted = self.products[choose("product", product, self.products)]
        path = self.folder / wanted.file
        if self.holds(product):
            return path
        # Of other runs before this product's lock is taken: two that wait for each other would wait for ever.
        if wanted.before:
            wanted.before(self)
        with self.clock.apart(), self._locked(wanted.lock) as held, on_threads(self.params.threads):
            if not self.holds(product):  # another process may have made it while this one waited
                if product in self.checkpoint and not fresh and self.committed.is_dir():
                    self._record(lambda run: run._from_checkpoint(), held, origin="committed checkpoint")
                else:
                    self._record(wanted.made, held)
        return path

    @property
    def committed(self) -> Path:
        """Where the project's checkpoint of this very run lies, if it has one."""
        return paths.DATA / "checkpoints" / self.params.path

    def _from_checkpoint(self) -> Made:
        """What that checkpoint holds, instead of training."""
        files = {name: self.committed / Path(self.products[name].file).name for name in self.checkpoint}
        return Made({name: partial(shutil.copyfile, file) for name, file in files.items()})

    def info(self) -> dict[str, Any]:
        """run.json, or what it starts from. Raises HeedError if the folder is of other parameters."""
        start = {"schema": SCHEMA, "parameters": self.params.model_dump(mode="json")}
        start |= {"products": {}, "scores": {}}
        path = self.folder / "run.json"
        if not path.exists():
            return start
        try:
            found = checked(json.loads(path.read_text(encoding="utf-8")), path)
            other = {k: v for k, v in found["parameters"].items() if start["parameters"].get(k) != v}
        except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
            raise _damaged(path, error) from error
        for name in other.keys() - COMPUTING - MEASURING:
            raise HeedError(
                f"{self.folder} holds a run of other parameters ({name} = {other[name]!r} there). Give "
                "another results folder, or delete this one."
            )
        return found

    def _locked(self, what: str) -> AbstractContextManager[SoftFileLease]:
        """Be the only one that makes this product, or writes run.json."""
        instead = "Make it writable or give another results folder."
        return paths.locked(self.folder / ".locks" / f"{what}.lease", str(self.folder), instead)

    def holds(self, product: str) -> bool:
        """Whether the run has the product, made with these parameters. Raises HeedError if it is damaged."""
        record = self.info()["products"].get(product)
        path = self.folder / self.products[product].file
        if record is None or not path.exists():
            return False
        if self._defaults(product) | record.get("settings", {}) != self._settings(product):
            return False
        if paths.sha256(path) != record["sha256"]:
            raise HeedError(
                f"{path} isn't the file that run.json recorded: it is truncated or was changed. "
                "Delete it; the next command makes it anew."
            )
        return True

    def parts(self, product: str) -> Path:
        """A folder for what is finished of a long product: of these weights, settings and this library."""
        what = [paths.sha256(self.ensure("weights")), paths.library_hash(), self._settings(product)]
        what.append(self.params.tokens_per_batch)
        return self.folder / ".parts" / f"{product}-{paths.text_hash(json.dumps(what))[:16]}"

    def _settings(self, product: str) -> dict[str, Any]:
        """The values of what a product depends on, beyond the run itself."""
        return self.params.subset(*self.products[product].settings) | self._read

    def _defaults(self, product: str) -> dict[str, Any]:
        """The defaults of those values: what stood before heed learnt a parameter."""
        return self.kind().subset(*self.products[product].settings)

    @cached_property
    def _read(self) -> dict[str, str]:
        """Checksums of one's own corpora that the run reads, `part` for those that a mirror has a part of.

        Also the version of a reader that was corrected. When a file was edited, or the whole corpus is there,
        or a reader is another, all is made anew.
        """
        read = {self.params.corpus, *getattr(self.params, "vectors_from", ())}
        mine = {name: e for name, e in corpora().items() if name in read and e.get("reader") == "own"}
        found = {name: user_corpus.source(name, entry)[1] for name, entry in mine.items()}
        found |= {name: f"reader {reader_version(name)}" for name in read if reader_version(name) > 1}
        return found | {name: "part" for name in read if partial_of(name)}

    def _record(self, maker: Callable[["Run"], Made], held: SoftFileLease, origin: str = "made") -> None:
        """Make products and write their files, then run.json with their checksums.

        Raises HeedError, with nothing written, if another process has taken over the claim that is held.
        """
        start, before = time.perf_counter(), self.clock.elsewhere
        made, records = maker(self), {}
        for product, write in made.files.items():
            path = self.folder / self.products[product].file
            with paths.writing(path) as aside:
                write(aside)
                paths.still_held(held)
            seconds = time.perf_counter() - start - (self.clock.elsewhere - before)
            records[product] = {
                "sha256": paths.sha256(path),
                "bytes": path.stat().st_size,
                "origin": origin,
                "settings": self._settings(product),
                "library": paths.library_hash(),
                "versions": library_versions(),
                "device": self.params.device,
                "machine": paths.machine(),
                "seconds": round(seconds, 3),
                "peak_memory_mib": peak_memory_mib(),
            }
        with self._locked("record"), paths.writing(self.folder / "run.json") as aside:
            info = self.info()  # read under the lock: another process may have recorded its product
            info["products"] |= records
            info["scores"] |= made.scores
            aside.write_text(json.dumps(info, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _of_another_kind(params: Named, kind: type[Named]) -> HeedError:
    """Why these parameters are of no run of that kind."""
    if Classifying in (type(params), kind) and isinstance(params, Params) and issubclass(kind, Params):
        chapters = "01 to 08" if kind is Params else "13"
        return HeedError(
            f"encoder {params.encoder} isn't of chapter {chapters}: {', '.join(encoders_of(Classifying))} is "
            "a transformer that decides by its own attention, and chapter 13's alone. Here it must be one of "
            f"{', '.join(encoders_of(kind))}."
        )
    fit = [name for name in corpora() if kind_of(name) is kind]
    what = "is not of texts: run chapter 09" if is_sequences(params.corpus) else "is of texts"
    return HeedError(f"corpus {params.corpus} {what}. Here it must be one of {', '.join(fit)}.")


def _weights(path: Path) -> tuple[dict[str, torch.Tensor], str]:
    """The tensors of a file of weights, and the hash of the vocabulary that they belong to."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
        return load_file(path), metadata.get("vocabulary", "")
    except (SafetensorError, OSError) as error:
        raise _damaged(path, error) from error


def _reading(path: Path | None) -> Reading | None:
    """What a file says of how texts are read; None of no file."""
    if path is None:
        return None
    try:
        return Reading.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise HeedError(
            f"{path} is damaged, or another version of heed wrote it. Delete it; the next command makes it "
            "anew."
        ) from error


def _damaged(path: Path, reason: object) -> HeedError:
    return HeedError(f"{path} is damaged ({why(reason)}). Delete it; the next command makes it anew.")
