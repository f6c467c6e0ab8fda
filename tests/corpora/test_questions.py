"""Question answering and inference: the world and its solver, the readers, and what can be wrong."""

import hashlib
import io
import json
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from heed.corpora import loading, questions
from heed.models.build import ASKED
from heed.params import resolve
from heed.runs.grid import absent
from refusals import NOISE, assert_nothing_half_written, noisy, refused, told
from stories import TASKS, sentences, texts

# bAbI's files


def packed(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    block = io.BytesIO()
    with tarfile.open(fileobj=block, mode=mode) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return block.getvalue()


def told_as_babi(stories) -> bytes:
    """Stories of one question each in the official form."""
    lines = []
    for words, answer, truth, question in stories:
        number = (np.array(words) == ".").cumsum()
        told = [" ".join(sentence).capitalize() + "." for sentence in sentences(words)]
        facts = " ".join(str(fact + 1) for fact in sorted({*number[truth]}, reverse=True))
        asked = " ".join(question).capitalize() + "? "
        lines += [f"{i} {line}" for i, line in enumerate([*told, f"{asked}\t{answer}\t{facts}"], 1)]
    return ("\n".join(lines) + "\n").encode()


BABI = {
    f"tasks_1-20_v1-2/{folder}/qa{task}_supporting-facts_{half}.txt": told_as_babi(
        texts(task, 60 if half == "train" else 20, half)
    )
    for task in TASKS
    for folder in ("en", "en-10k")
    for half in ("train", "test")
}


ONE = "tasks_1-20_v1-2/en-10k/qa1_supporting-facts_{}.txt"


@pytest.fixture
def mirror(tmp_path, cache, monkeypatch):
    """A function that puts a file into a mirror of the test's own; at the end nothing is half-written."""
    folder = tmp_path / "mirror"
    monkeypatch.setenv("HEED_MIRROR", str(folder))

    def store(name: str, block: bytes) -> Path:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(block)
        row = (name, str(len(block)), hashlib.sha256(block).hexdigest())
        (folder / "MANIFEST.tsv").write_text("\t".join(row) + "\n")
        return folder / name

    yield store
    assert_nothing_half_written(tmp_path)


def babi(store, files: dict[str, bytes], name: str = "babi1", **other) -> loading.Corpus:
    store("babi/tasks_1-20_v1-2.tar.gz", packed(files))
    return loading.load(resolve({"corpus": name} | other))


@pytest.mark.parametrize("task", TASKS)
def test_the_world_told_as_babi_is_read_as_it_was(mirror, task):
    """Words, questions, answers and truth come back; dev is 15 % of train."""
    corpus = babi(mirror, BABI, f"babi{task}")
    assert {s: len(split) for s, split in corpus.splits.items()} == {"train": 51, "dev": 9, "test": 20}
    assert corpus.task == "qa" and corpus.classes == tuple(sorted(corpus.classes))
    assert corpus.classes == corpus.vocabulary.words[4:]
    said = {w for t in TASKS for words, _, _, query in texts(t, 60) for w in [*words, *query]}
    assert {*corpus.classes} == said, "of the three tasks together"
    split = corpus.splits["test"]
    for i, (words, answer, truth, question) in enumerate(texts(task, 20, "test")):
        assert split.words[i] == words and split.queries[i] == question
        assert corpus.classes[split.labels[i]] == answer and np.array_equal(split.truth[i], truth)


def test_a_story_with_several_questions(mirror):
    """Each has the story up to it; a question is no sentence, and facts are numbered by lines."""
    story = (
        "1 Ada moved to the attic.\n2 Where is Ada? \tattic\t1\n3 Ben went to the yard.\n"
        "4 Ada went to the yard.\n"
        "5 Where is Ada?\tyard\t4\n1 Ben moved to the attic.\n2 Where is Ben? \tattic\t1\n"
    )
    corpus = babi(mirror, BABI | {ONE.format("test"): story.encode()})
    split = corpus.splits["test"]
    assert split.ids == ["test-0", "test-1", "test-2"]
    assert [" ".join(words) for words in split.words] == [
        "ada moved to the attic",
        "ada moved to the attic . ben went to the yard . ada went to the yard",
        "ben moved to the attic",
    ]
    assert split.truth[1].nonzero()[0].tolist() == list(range(12, 17))


LINE = "1 Ada moved to the attic.\n"


@pytest.mark.parametrize(
    ("story", "message"),
    [
        (LINE + "2 Where is Ada? \tyard\t1\n", "line 2: the answer 'yard' isn't a word of the passage"),
        ("1 Where is Ada? \tattic\t1\n", "line 1: the question has no sentence before it"),
        (LINE + "2 Where is Ada? \tattic\t3\n", "line 2: supporting fact 3 is no sentence of the story"),
        (LINE + "2 Where is Ada? \tattic\t2\n", "line 2: supporting fact 2 is no sentence of the story"),
        (LINE + "2 Where is Ada? \tattic\t\n", "line 2: the question has no supporting fact"),
        (LINE + "2 Where is Ada? \tattic\n", "line 2: neither NUMBER SENTENCE. nor NUMBER QUESTION"),
        (LINE + "2 Where is Ada? \tattic\tone\n", "line 2: neither NUMBER SENTENCE. nor NUMBER QUESTION"),
        (LINE + "2 Where is Ada\tattic\t1\n", "line 2: no question that ends with a question mark"),
        (LINE + "2 ?\tattic\t1\n", "line 2: no question that ends with a question mark"),
        (LINE + "3 Ben moved to the yard.\n", "line 2: sentence 3 of a story comes where 2 should"),
        ("2 Ben moved to the yard.\n", "line 1: sentence 2 of a story comes where 1 should"),
        ("1 Ada ran\n", "line 1: not one sentence that ends with a stop"),
        ("1 Ada ran. Ben ran.\n", "line 1: not one sentence that ends with a stop"),
        ("1 .\n", "line 1: not one sentence that ends with a stop"),
        ("Ada moved to the attic.\n", "line 1: neither NUMBER SENTENCE"),
        ("\n", "line 1: neither NUMBER SENTENCE"),
        ("1 Ada\x85moved.\n2 Where is Ada?\tcave\t1\n", "isn't a word of the passage"),
    ],
)
@pytest.mark.parametrize("half", ["train", "test"])
def test_a_story_that_cannot_be(mirror, half, story, message):
    with refused("corpus babi1", f"qa1_supporting-facts_{half}.txt", message):
        babi(mirror, BABI | {ONE.format(half): story.encode() + BABI[ONE.format(half)]})


def test_an_answer_that_training_does_not_know(mirror):
    story = b"1 Ada moved to the cave.\n2 Where is Ada?\tcave\t1\n"
    with refused("corpus babi1, split test: the answer 'cave' of text test-20 is outside the 39 answers"):
        babi(mirror, BABI | {ONE.format("test"): BABI[ONE.format("test")] + story})


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b"<html>Not found</html>",
        packed(BABI)[: len(packed(BABI)) // 2],
        packed({}),
        packed(BABI | {ONE.format("train"): b"1 Ada went to the caf\xe9.\n"}),
        packed(BABI | {ONE.format("test"): b""}),
        packed(BABI | {ONE.format("train"): LINE.encode()}),
        packed({name: text for name, text in BABI.items() if name != ONE.format("test")}),
    ],
    ids=["empty", "page", "truncated", "nothing in it", "encoding", "no lines", "no questions", "no test"],
)
def test_a_file_that_is_not_babi(mirror, block):
    path = mirror("babi/tasks_1-20_v1-2.tar.gz", block)
    with refused("corpus babi1", str(path)):
        loading.load(resolve({"corpus": "babi1"}))


def test_task_3_without_its_10000_questions(mirror):
    """The reader is told what else there is; a grid goes on without it."""
    files = {name: text for name, text in BABI.items() if "en-10k/qa3" not in name}
    with refused("corpus babi3", "no tasks_1-20_v1-2/en-10k/qa3_*_train.txt", "take corpus babi3-1k"):
        babi(mirror, files, "babi3")
    assert len(babi(mirror, files, "babi3-1k").splits["train"]) == 51
    assert len(babi(mirror, files, "babi2").classes) == 39, "the three tasks' words all the same"
    runs = [resolve({"corpus": name}) for name in ("babi3", "babi3-1k", "planted")]
    assert list(absent(runs)) == ["babi3"]
    babi(mirror, BABI, "babi3")
    assert not absent(runs)


def test_stories_without_end(mirror, monkeypatch):
    """A passage is told anew for each question: a small file could fill the memory."""
    monkeypatch.setattr(questions, "UNPACKED", 10_000)
    story = "".join(
        f"{2 * i + 1} Ada moved to the attic.\n{2 * i + 2} Where is Ada?\tattic\t1\n" for i in range(99)
    )
    with refused("its passages have over 10000 characters together"):
        babi(mirror, BABI | {ONE.format("train"): story.encode()})


@given(noise=NOISE)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("kind", ["packed", "plain"])
def test_babi_with_noise(tmp_path, kind, noise):
    block = noisy(packed(BABI), noise) if kind == "packed" else None
    plain = BABI | {ONE.format("train"): noisy(BABI[ONE.format("train")], noise)}
    (tmp_path / "a").write_bytes(block or packed(plain))
    told(lambda: list(loading._readable("c", tmp_path / "a", questions.read_babi, 1, "en-10k")))


# SNLI


def pair(label: str = "neutral", premise: str = "A man runs.", hypothesis: str = "He moves.", **other) -> str:
    return json.dumps({"gold_label": label, "sentence1": premise, "sentence2": hypothesis} | other)


PAIRS = [pair(label, pairID="1") for label in questions.SNLI] * 3


def snli(files: dict[str, list[str]] | None = None) -> bytes:
    block = io.BytesIO()
    with zipfile.ZipFile(block, "w", zipfile.ZIP_DEFLATED) as archive:
        for split in loading.SPLITS:
            lines = (files or {}).get(split, PAIRS)
            if lines is not None:
                archive.writestr(f"snli_1.0/snli_1.0_{split}.jsonl", "\n".join(lines) + "\n")
    return block.getvalue()


def loaded(store, block: bytes, **other) -> loading.Corpus:
    store("snli/snli_1.0.zip", block)
    return loading.load(resolve({"corpus": "snli", "min_df": 1, "vectors": "random"} | other))


def test_snli(mirror):
    """Pairs without a gold label or without a sentence are left out, and counted by reason."""
    lines = [pair("-"), *PAIRS, pair("-"), pair("entailment", "A 2nd man.", " "), pair("contradiction")]
    corpus = loaded(mirror, snli({"dev": lines}))
    assert corpus.task == "nli" and corpus.classes == ("neutral", "contradiction", "entailment")
    dev = corpus.splits["dev"]
    assert dev.excluded == {"no gold label": 2, "an empty sentence": 1}
    assert dev.labels.tolist() == [0, 1, 2] * 3 + [1] and dev.ids[-1] == "dev-13"
    assert dev.words[0] == ["a", "man", "runs", "."] and dev.queries[0] == ["he", "moves", "."]
    assert dev.truth is dev.allowed is None and corpus.splits["test"].excluded == {}
    assert {"he", "moves", "man"} <= {*corpus.vocabulary.words}, "of premises and hypotheses"
    assert loading.partial("snli")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([*PAIRS, "{"], "snli_1.0_train.jsonl, line 10: no object with gold_label"),
        ([*PAIRS, ""], "line 10: no object with gold_label"),
        ([*PAIRS, "[1]"], "line 10: no object with gold_label"),
        ([*PAIRS, "[" * 100_000], "line 10: no object with gold_label"),
        ([*PAIRS, '{"gold_label": "neutral", "sentence1": "x"}'], "no object with gold_label, sentence1"),
        ([*PAIRS, pair("perhaps")], "line 10: not two sentences labelled neutral, contradiction, entailment"),
        ([*PAIRS, pair(premise=None)], "line 10: not two sentences labelled"),
        ([*PAIRS, pair(["-"])], "line 10: not two sentences labelled"),
        ([*PAIRS, pair(premise="half \ud800 a character")], "line 10: not two sentences labelled"),
        ([*PAIRS, pair(hypothesis="x" * 1_000_001)], "query train-10 of split train has 1000001 characters"),
        ([pair("-")] * 4, "holds no train texts"),
        (PAIRS[:2], "no text of class 2 (entailment) among 2"),
        (None, "snli_1.0_train.jsonl"),
    ],
)
def test_snli_that_is_wrong(mirror, lines, message):
    with refused("corpus snli", message):
        loaded(mirror, snli({"train": lines}))


@pytest.mark.parametrize("block", [b"", b"<html>", snli()[:-30], snli()[:200]])
def test_a_file_that_is_not_snli(mirror, block):
    with refused("corpus snli"):
        loaded(mirror, block)


def test_snli_in_another_encoding(mirror):
    block = io.BytesIO()
    with zipfile.ZipFile(block, "w") as archive:
        archive.writestr(
            "snli_1.0/snli_1.0_train.jsonl", pair(premise="caf").replace("caf", "caf\xe9").encode("latin-1")
        )
    with refused("corpus snli", "utf-8"):
        loaded(mirror, block.getvalue())


@given(noise=NOISE)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_snli_with_noise(tmp_path, noise):
    (tmp_path / "a").write_bytes(noisy(snli(), noise))
    told(lambda: list(loading._readable("c", tmp_path / "a", questions.read_snli)))


# CNN's two forms


def story(answer: str = "@entity2", passage: str | None = None) -> tuple[str, str, str]:
    """Question, answer, passage."""
    text = "( @entity1 ) -- @entity2 said on 3 june that @entity10 's film is good ."
    return "@placeholder spoke of 2 films", answer, text if passage is None else passage


STORIES = {
    "train": [story(), story("@entity10")] * 4 + [story("@entity5")],
    "dev": [story("@entity1")] * 2,
    "test": [story(), story(passage="@entity2 and @entity77 met"), story(passage="nobody met")],
}


def blocks(folder: Path, stories: dict = STORIES) -> dict[str, Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for split, of in stories.items():
        (folder / f"{split}.txt").write_text("\n\n".join("\n".join(one) for one in of) + "\n\n\n")
    return {split: folder / f"{split}.txt" for split in stories}


def question_files(folder: Path, stories: dict = STORIES) -> dict[str, Path]:
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for split, of in stories.items():
        for i, (question, answer, passage) in enumerate(of):
            official = {"train": "training", "dev": "validation"}.get(split, split)
            parts = ("http://address.example", passage, question, answer, "@entity1:Somebody\n@entity2:X")
            files[f"cnn/questions/{official}/{i:040x}.question"] = "\n\n".join(parts).encode()
    (folder / "cnn.tgz").write_bytes(packed(files))
    return {"archive": folder / "cnn.tgz"}


@pytest.fixture
def licensed(tmp_path, cache, monkeypatch):
    monkeypatch.setenv("HEED_LICENSED", str(tmp_path / "licensed"))
    yield tmp_path / "licensed" / "cnn"
    assert_nothing_half_written(tmp_path)


def cnn(**other) -> loading.Corpus:
    return loading.load(resolve({"corpus": "cnn", "vectors": "random"} | other))


@pytest.mark.parametrize("form", [blocks, question_files])
def test_cnn(licensed, form):
    """Answers are the entities of the passage; entities stay in the vocabulary, however rare."""
    form(licensed)
    corpus = cnn(min_df=3)
    assert corpus.task == "qa"
    assert corpus.classes == ("@entity1", "@entity2", "@entity10", "@entity77")
    assert {*corpus.classes} < {*corpus.vocabulary.words} and "met" not in corpus.vocabulary.words
    assert {s: len(split) for s, split in corpus.splits.items()} == {"train": 8, "dev": 2, "test": 2}
    assert corpus.splits["train"].excluded == {"its answer is no @entity of the passage": 1}
    test = corpus.splits["test"]
    assert test.excluded == {"its answer is no @entity of the passage": 1}
    assert [allowed.tolist() for allowed in test.allowed] == [[0, 1, 2], [1, 3]]
    assert test.labels.tolist() == [1, 1] and test.queries[0] == [
        "@placeholder",
        "spoke",
        "of",
        "qqq",
        "films",
    ]
    assert "@entity10" in test.words[0] and "3" not in test.words[0] and test.truth is None
    for split in corpus.splits.values():
        assert all(label in allowed for label, allowed in zip(split.labels, split.allowed, strict=True))


@pytest.mark.thorough
@pytest.mark.parametrize("form", [blocks, question_files])
@pytest.mark.parametrize("encoder", ASKED)
def test_cnn_goes_through_a_model(licensed, small, tmp_path, form, encoder):
    """Training, evidence, measures and the search; a prediction is among the entities of its passage."""
    form(licensed, {"train": STORIES["train"] * 3, "dev": STORIES["dev"], "test": STORIES["test"] * 2})
    run = small(tmp_path / "results", corpus="cnn", encoder=encoder, vectors="random", min_df=1)
    rows = run.evidence
    assert len(rows) == 4 and run.corpus.classes[rows[0].label] == "@entity2"
    for row in rows:
        entities = [run.corpus.classes[c] for c in np.flatnonzero(row.allowed)]
        assert {*entities} == {word for word in row.units if word.startswith("@entity")}
        assert row.prediction[~row.allowed].max() == 0 and row.prediction.sum() == pytest.approx(1)
    for name in ("summary", "summary_scores", "summary_permutation", "summary_adversarial"):
        assert np.isfinite(run.table(name).query("n > undefined")["mean"]).all()


def test_cnn_is_missing(licensed):
    with refused(
        "cnn: heed can't pass this corpus on. Put cnn/cnn.tgz or cnn/train.txt", "ask for it at http"
    ):
        cnn()
    blocks(licensed)
    (licensed / "dev.txt").unlink()
    with refused("Put cnn/cnn.tgz or cnn/dev.txt"):
        cnn()


@pytest.mark.parametrize("form", [blocks, question_files])
def test_cnn_without_entities(licensed, form):
    form(licensed, STORIES | {"dev": [story("nobody", "nobody came")] * 3})
    with refused("corpus cnn", "split dev holds no question whose answer is an @entity of its passage"):
        cnn()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "split dev holds no question"),
        (b"question\n@entity1\n\n", "dev.txt, line 3: a block isn't question, answer, passage"),
        (b"q\n@entity1\nthe @entity1\nmore\n", "dev.txt, line 5: a block isn't question, answer, passage"),
        (b"q\n@entity1\nthe @entity1 caf\xe9\n", "utf-8"),
    ],
)
def test_blocks_that_are_wrong(licensed, content, message):
    blocks(licensed)["dev"].write_bytes(content)
    with refused("corpus cnn", message):
        cnn()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"http://a\n\n\n\nquestion\n\n@entity1\n\n@entity1:A", "not address, passage, question, answer"),
        (b"http://a\n\nthe @entity1\n\nquestion", "not address, passage, question, answer, entities"),
        (b"http://a\n\n@entity1 caf\xe9\n\nq\n\n@entity1\n\n@entity1:A", "utf-8"),
    ],
)
def test_question_files_that_are_wrong(licensed, content, message):
    question_files(licensed)
    (licensed / "cnn.tgz").write_bytes(packed({"cnn/questions/training/0a.question": content}))
    with refused("corpus cnn", message):
        cnn()


def test_an_archive_of_questions_that_is_cut_off(licensed):
    path = question_files(licensed)["archive"]
    path.write_bytes(path.read_bytes()[:-100])
    with refused("corpus cnn", str(path)):
        cnn()


def test_other_members_are_no_questions(licensed):
    """Links, and paths that leave the folder, are not read."""
    question_files(licensed)
    with tarfile.open(licensed / "cnn.tgz") as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive}
    outside = {"../cnn/questions/test/0b.question": b"x", "cnn/stories/0c.story": b"x"}
    (licensed / "cnn.tgz").write_bytes(packed(files | outside))
    assert len(cnn().splits["test"]) == 2


# How a corpus is prepared


def test_profiles_of_babi():
    paper, site = (resolve({"corpus": "babi1", "profile": name}) for name in ("paper", "site"))
    assert (paper.embedding_dim, paper.hidden, paper.cnn_filters) == (50, 30, 8)
    assert (site.hidden, site.cnn_filters, site.attention_weight_decay) == (32, 8, 1e-5)
    assert paper.epsilon == 0.05 and not site.class_weight and not site.drop_extremes


def test_blocks_of_texts_are_one_corpus(mirror, monkeypatch):
    """A corpus is cut into tokens some texts at a time; what comes out is the same."""
    whole = loaded(mirror, snli())
    monkeypatch.setattr(loading, "BLOCK", 4)
    for file in Path(loading.paths.cache_folder() / "tokens").glob("*"):
        file.unlink()
    again = loaded(mirror, snli())
    for name in loading.SPLITS:
        one, other = whole.splits[name], again.splits[name]
        assert one.words == other.words and one.queries == other.queries and one.ids == other.ids
        assert np.array_equal(one.labels, other.labels)


# The official files


@pytest.mark.mirror
def test_snli_of_the_mirror():
    """Dev and test are whole and have the published counts; train is a part."""
    corpus = loading.load(resolve({"corpus": "snli"}))
    assert np.bincount(corpus.splits["test"].labels).tolist() == [3219, 3237, 3368]
    assert len(corpus.splits["dev"]) == 9842
