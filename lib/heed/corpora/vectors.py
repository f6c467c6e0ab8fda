"""Word vectors: pretrained by name, from a text file, from word2vec on the training texts, drawn, or zero."""

import gzip
import hashlib
import importlib.util
import json
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from heed import paths, registry
from heed.corpora import loading
from heed.corpora.download import fetch
from heed.corpora.tokens import PAD, SPECIAL, UNKNOWN, Vocabulary
from heed.errors import HeedError, why
from heed.params import Params

_OPENERS = {".gz": gzip.open, ".xz": lzma.open, ".zip": None, ".txt": open, ".vec": open}
_DAMAGED = (zlib.error, lzma.LZMAError, zipfile.BadZipFile)
_PARTS = ["tok2vec", "tagger", "parser", "ner", "senter", "lemmatizer"]  # of spaCy's package, not needed
LINE, UNPACKED = 2**20, 16 * 2**30


def matrix(p: Params, vocabulary: Vocabulary) -> tuple[np.ndarray, np.ndarray]:
    """Initial embeddings, shape (words, E), float64, and which words have a vector, shape (words,).

    Words without one are drawn from N(0, 1) by the run's seed, or zero; padding is zero. All are multiplied
    by `vectors_scale`.
    """
    shape = (len(vocabulary), p.embedding_dim)
    # `random` draws all rows; a file or word2vec leaves some unknown, which unknown_vectors is about.
    are_drawn = p.vectors == "random" or (p.vectors != "zero" and p.unknown_vectors == "random")
    if are_drawn:
        rows = np.random.default_rng([p.seed, 1]).standard_normal(shape)
    else:
        rows = np.zeros(shape)
    found = np.zeros(len(vocabulary), dtype=bool)
    for word, vector in known(p, vocabulary).items():
        code = vocabulary.code[word]
        rows[code] = vector
        found[code] = True
    rows[PAD] = 0
    if p.unit_vectors:
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return rows * p.vectors_scale, found


def known(p: Params, vocabulary: Vocabulary) -> dict[str, np.ndarray]:
    """The vectors that the parameter `vectors` gives for words of the vocabulary."""
    if p.vectors in ("random", "zero"):
        return {}
    if p.vectors == "word2vec":
        words, rows = word2vec(p)
        return {word: rows[i] for i, word in enumerate(words) if word in vocabulary.code}
    if p.vectors in registry.vectors():
        return pretrained(p.vectors, vocabulary, p.embedding_dim)
    return read_vectors(p.vectors, vocabulary.code, p.embedding_dim)


def coverage(found: np.ndarray, vocabulary: Vocabulary, texts: list[list[str]]) -> dict[str, float]:
    """Share of the vocabulary's types and of the texts' tokens that have a vector."""
    have = {word for word, code in vocabulary.code.items() if found[code]}
    tokens = [word in have for words in texts for word in words]
    return {"types": float(found[len(SPECIAL) :].mean()), "tokens": float(np.mean(tokens))}


def lengths(p: Params, vocabulary: Vocabulary, texts: list[list[str]]) -> dict[str, float]:
    """How long the initial vectors are: `norm`, the median over the texts' tokens that have one.

    `without`: the share of tokens that have none (a drawn one counts if all are drawn). There is no norm if
    none has one.
    """
    rows, found = matrix(p, vocabulary)
    if p.vectors == "random":
        found[len(SPECIAL) :] = True
    norms = np.linalg.norm(rows, axis=1)
    codes = np.array([vocabulary.code.get(word, UNKNOWN) for words in texts for word in words])
    have = found[codes]
    measured = {"without": float(1 - have.mean())}
    return {"norm": float(np.median(norms[codes[have]])), **measured} if have.any() else measured


def pretrained(name: str, vocabulary: Vocabulary, width: int) -> dict[str, np.ndarray]:
    """The vectors of data/registry.yaml called so, of the words of the vocabulary that have one.

    spaCy's package counts first, then what HEED_MIRROR has or what is downloaded. Of a file only the needed
    rows are kept in memory and, for the next run, in the cache.
    Raises HeedError if embedding_dim is another, or they can't be had.
    """
    entry = registry.vectors()[name]
    if width != entry["width"]:
        raise HeedError(
            f"vectors: {name} has vectors of {entry['width']} numbers, embedding_dim is {width}. Set "
            f"embedding_dim to {entry['width']}."
        )
    if "package" in entry and importlib.util.find_spec(entry["package"]):
        return _of_package(entry, vocabulary)
    if "url" not in entry and not registry.at_hand(name):
        raise HeedError(f"vectors: {name} isn't on this machine. Get it: {entry['get']}.")
    path, checksum = fetch(name, entry)
    key = paths.text_hash("\0".join((checksum, *vocabulary.words)))
    target = paths.cache_folder() / "vectors" / f"{name}-{key}.safetensors"
    with paths.making(target) as missing:
        if missing:
            rows = read_vectors(str(path.absolute()), vocabulary.code, width)
            _keep(target, [*rows], np.array([*rows.values()]).reshape(-1, width))
    words, kept = _kept(target)
    return dict(zip(words, kept, strict=True))


def fetch_all() -> list[str]:
    """Download all vectors for which a profile asks; a sentence on each, had or not."""
    wanted = set()
    for home in registry.yaml_files(paths.PARAMS).values():
        for own in registry.read_yaml(home).get("profiles", {}).values():
            wanted.add(own.get("vectors"))
    said = []
    for name in registry.vectors():
        if name not in wanted:
            continue
        try:
            path, _ = fetch(name, registry.vectors()[name])
            said.append(f"{name} is here: {path}.")
        except HeedError as error:
            said.append(str(error))
    if not all(registry.at_hand(name) for name in registry.vectors() if name in wanted):
        entry = registry.vectors()["en_core_web_md"]
        if registry.at_hand("en_core_web_md"):
            said.append("Where a profile's own can't be had, spaCy's en_core_web_md stand in.")
        else:
            said.append(f"spaCy's, which could stand in, aren't here either: {entry['get']}.")
    return said


def _of_package(entry: dict, vocabulary: Vocabulary) -> dict[str, np.ndarray]:
    """The vectors of an installed package of spaCy's. Raises HeedError if it is of another version."""
    import spacy  # takes seconds, and is needed once

    name = entry["package"]
    try:
        found = version(name)
        if not found.startswith(f"{entry['version']}."):
            raise HeedError(
                f"vectors: {name} {found} is installed, {entry['version']} is expected: other vectors. Get "
                f"it: {entry['get']}."
            )
        vectors = spacy.load(
            name, exclude=["tok2vec", "tagger", "parser", "ner", "senter", "lemmatizer"]
        ).vocab
    except (PackageNotFoundError, OSError, ValueError) as error:
        raise HeedError(
            f"vectors: {name} can't be loaded ({why(error)}). Get it anew: {entry['get']}."
        ) from error
    own = {word: vectors.get_vector(word) for word in vocabulary.code if vectors.has_vector(word)}
    return {word: vector.astype(np.float64) for word, vector in own.items()}


def word2vec(p: Params) -> tuple[list[str], np.ndarray]:
    """Words and vectors, shape (words, E), trained by gensim on the training texts of `vectors_from`.

    One worker, so that the result is the same each time; made once and kept in the cache.
    """
    if not p.vectors_from:
        raise HeedError(
            "vectors: word2vec needs vectors_from, the corpora whose training texts it learns from."
        )
    for name in p.vectors_from:
        registry.entry_of(name)
    texts = [words for name in p.vectors_from for words in loading.read(name, p)["train"].texts()]
    settings = p.subset("embedding_dim", "word2vec_window", "word2vec_min_count", "data_seed")
    if p.word2vec_epochs != 5:  # vectors made before there was a choice keep their name
        settings["epochs"] = p.word2vec_epochs
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for words in texts:
        digest.update("\0".join(words).encode() + b"\n")
    name = f"{'-'.join(p.vectors_from)}-{digest.hexdigest()[:16]}"
    target = paths.cache_folder() / "word2vec" / f"{name}.safetensors"
    with paths.making(target) as missing:
        if missing:
            _train(p, texts, target)
    return _kept(target)


def _kept(target: Path) -> tuple[list[str], np.ndarray]:
    """Words and vectors of a file of the cache. Raises HeedError if it is damaged."""
    try:
        kept = load_file(target)
        words = kept["words"].tobytes().decode()
        return words.split("\n") if words else [], kept["vectors"]
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        raise HeedError(
            f"vectors: {target} is damaged ({why(error)}). Delete it; it is made anew."
        ) from error


def _keep(target: Path, words: list[str], rows: np.ndarray) -> None:
    """Write words, none of which holds a line break, and their vectors to a file of the cache."""
    with paths.writing(target) as aside:
        save_file({"words": np.frombuffer("\n".join(words).encode(), dtype=np.uint8), "vectors": rows}, aside)


def _train(p: Params, texts: list[list[str]], target: Path) -> None:
    """Train word2vec on these texts and write its words and vectors to a file."""
    from gensim.models import Word2Vec  # takes seconds, and is needed once

    model = Word2Vec(
        vector_size=p.embedding_dim,
        window=p.word2vec_window,
        min_count=p.word2vec_min_count,
        seed=p.data_seed,
        workers=1,
        epochs=p.word2vec_epochs,
    )
    model.build_vocab(texts)
    if not len(model.wv):
        raise HeedError(
            f"vectors: no word occurs {p.word2vec_min_count} times in the training texts of "
            f"{', '.join(p.vectors_from)}. Lower word2vec_min_count."
        )
    model.train(texts, total_examples=model.corpus_count, epochs=model.epochs)
    _keep(target, model.wv.index_to_key, model.wv.vectors)


def read_vectors(name: str, wanted, width: int) -> dict[str, np.ndarray]:
    """The wanted words' vectors of a fastText, GloVe or word2vec text file (.txt .vec .gz .xz .zip).

    A line is a word and `width` numbers; a first line of two numbers (rows, width) is a header. Of a
    word that stands there twice the first counts. Raises HeedError if the file is missing, damaged,
    of another width, or has a line of over 1 MiB or unpacks to over 16 GiB.
    """
    path = paths.ROOT / Path(name).expanduser()
    if path.suffix not in _OPENERS or not path.is_file():
        raise HeedError(
            f"vectors: {name!r} is neither random, zero, word2vec, {', '.join(registry.vectors())} nor a "
            f"file ending in {', '.join(_OPENERS)} (looked for {path}). Correct the parameter or fetch the "
            "file."
        )
    rows: dict[str, np.ndarray] = {}
    try:
        with _open(path) as file:
            for number, line in enumerate(_lines(file, paths.may_unpack(path, UNPACKED)), start=1):
                word, *fields = line.rstrip().split(" ")
                if number == 1 and len(fields) == 1 and _is_header(word, fields[0], width):
                    continue
                if not _is_row(fields, width):
                    raise HeedError(
                        f"vectors: {path}, line {number}, has {len(fields)} numbers; embedding_dim is "
                        f"{width}. Set embedding_dim to the file's width, or give another file."
                    )
                word = " ".join([word, *fields[:-width]])  # GloVe has a few words with spaces
                if word in wanted and word not in rows:
                    vector = np.array(fields[-width:], dtype=np.float64)
                    if not np.isfinite(vector).all():
                        raise ValueError(f"line {number} holds a number that isn't finite")
                    rows[word] = vector
    except (OSError, EOFError, ValueError, RuntimeError, *_DAMAGED) as error:  # RuntimeError: it is encrypted
        raise HeedError(
            f"vectors: {path} is damaged ({why(error)}). Download it again; nothing was taken from it."
        ) from error
    return rows


def _is_header(rows: str, columns: str, width: int) -> bool:
    """Whether a line of two fields counts rows and columns; with vectors of one number it may not."""
    return rows.isdigit() and columns.isdigit() and (width > 1 or columns == "1")


def _is_row(fields: list[str], width: int) -> bool:
    """Whether these can be `width` numbers after what is left of the word; else the width is another one."""
    if len(fields) <= width:
        return len(fields) == width
    try:
        float(fields[-width - 1])
    except ValueError:
        return True  # no number: it belongs to the word
    return False


def _lines(file, most: int) -> Iterator[str]:
    """The lines of a binary file, which hold neither memory nor time for ever."""
    total = 0
    while line := file.readline(LINE + 1):
        total += len(line)
        if len(line) > LINE:
            raise ValueError(f"a line of over {LINE} bytes")
        if total > most:
            raise ValueError(f"over {most} bytes")
        yield line.decode()


def _open(path: Path):
    """The file as bytes, unpacked; of a zip the one text file in it."""
    if path.suffix != ".zip":
        return _OPENERS[path.suffix](path, "rb")
    archive = zipfile.ZipFile(path)
    members = [name for name in archive.namelist() if name.endswith((".txt", ".vec"))]
    if len(members) != 1:
        raise HeedError(f"vectors: {path} must hold one .txt or .vec file, it holds {len(members)}.")
    return archive.open(members[0])
