"""The world and its solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heed.corpora import loading, world
from heed.errors import HeedError
from heed.params import resolve
from stories import TASKS, sentences, texts

SIZES = {"made_train": 60, "made_dev": 20, "made_test": 20}


# The world


def replayed(words: list[str], question: list[str]) -> str:
    """The answer's plain twin: where the thing is known to be after each sentence, read from the end."""
    where, has, lies, known = {}, {}, {}, []
    about = question[2] if len(question) == 3 else question[3]
    for who, verb, *rest in sentences(words):
        rest = [word for word in rest if word not in ("there", "the", "up", "down", "back")]
        if verb in ("moved", "went", "travelled", "journeyed"):
            where[who] = rest[-1]
        elif verb in ("took", "got", "grabbed", "picked"):
            has[rest[0]] = who
        elif verb in ("left", "dropped", "discarded", "put"):
            has[rest[0]], lies[rest[0]] = None, where.get(who)
        else:
            has[rest[0]] = rest[2]
            where.setdefault(rest[2], where.get(who))
        holder = has.get(about)
        known.append(where.get(about) or (where.get(holder) if holder else lies.get(about)))
    if len(question) < 7:
        return known[-1]
    last = max(i for i, place in enumerate(known) if place == question[-1])
    return next(place for place in reversed(known[:last]) if place not in (None, question[-1]))


@pytest.mark.parametrize("task", TASKS)
@given(seed=st.integers(0, 10**6), length=st.integers(8, 300))
@settings(max_examples=30)
def test_the_solver_is_right_and_the_truth_suffices(task, seed, length):
    """What the simulation knows, the solver reads: from the whole story, and from its truth alone."""
    ((words, answer, truth, question),) = texts(task, 1, made_length=length, data_seed=seed)
    found, supporting = world.solve(words, question)
    assert found == answer == replayed(words, question)
    assert np.array_equal(supporting, truth)
    number = (np.array(words) == ".").cumsum()
    facts = sorted({*number[truth]})
    alone = " . ".join(" ".join(sentences(words)[fact]) for fact in facts).split()
    assert world.solve(alone, question) == (answer, pytest.approx(np.array(alone) != "."))


@pytest.mark.parametrize("task", TASKS)
def test_a_world_is_told_as_babi_is(task):
    stories = texts(task, 200, made_length=100)
    count = {1: 1, 2: 2, 3: 3}[task]
    for words, answer, truth, question in stories:
        assert {*words, *question, answer} <= {*world.WORDS}
        assert words[-1] != "." and words[0] in world.PEOPLE and answer in world.PLACES
        assert len({*(np.array(words) == ".").cumsum()[truth]}) == count
        assert not truth[np.array(words) == "."].any()
        assert len(question) == {1: 3, 2: 4, 3: 7}[task]
        assert len(words) > 55
    assert 90 < np.mean([len(words) for words, *_ in stories]) < 140
    assert {answer for _, answer, *_ in stories} == {*world.PLACES}
    handed = any(verb in words for words, *_ in stories for verb in world.HANDS)
    assert handed == (task > 1)


def test_a_world_shares_no_name_with_babi():
    theirs = "mary john daniel sandra kitchen garden hallway office bedroom bathroom milk apple football"
    assert not {*theirs.split()} & {*world.WORDS}
    assert len(world.WORDS) == len({*world.WORDS}) and list(world.WORDS) == sorted(world.WORDS)


def test_a_story_by_hand():
    """Given away, taken by another, left where the first was before: all three tasks, worked out by hand."""
    words = (
        "ada moved to the attic . ada got the key there . ben went back to the attic . "
        "ada gave the key to ben . ben travelled to the yard . ada journeyed to the porch . "
        "ben put down the key"
    ).split()
    whole = sentences(words)

    def answered(question: str):
        answer, truth = world.solve(words, question.split())
        return answer, sorted({*(np.array(words) == ".").cumsum()[truth].tolist()})

    assert answered("where is ada") == ("porch", [5])
    assert answered("where is the key") == ("yard", [4, 6])
    assert answered("where was the key before the yard") == ("attic", [0, 4, 6])
    with pytest.raises(HeedError, match="the story doesn't say 'where is the lamp'"):
        answered("where is the lamp")
    with pytest.raises(HeedError, match="doesn't say 'where was the key before the attic'"):
        answered("where was the key before the attic")
    story = world.Story(whole)
    for wrong in ("ada", "ada sang the key", "ada gave the key", ""):
        with pytest.raises(HeedError, match="neither a move nor what became of a thing"):
            story.tell(wrong.split())


@pytest.mark.parametrize("task", TASKS)
def test_a_world_is_a_corpus(task):
    corpus = loading.load(resolve({"corpus": f"world{task}"} | SIZES))
    assert corpus.task == "qa" and corpus.classes == world.WORDS == corpus.vocabulary.words[4:]
    for name, split in corpus.splits.items():
        assert len(split) == SIZES[f"made_{name}"] == len(split.queries) == len(split.truth)
        assert split.allowed is None and split.excluded == {}
        for words, question, label, truth in zip(
            split.words, split.queries, split.labels, split.truth, strict=True
        ):
            answer, supporting = world.solve(words, question)
            assert corpus.classes[label] == answer and np.array_equal(supporting, truth)


# The official files


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("name", "sizes"), [("babi1", (8500, 1500)), ("babi2", (8500, 1500)), ("babi3-1k", (850, 150))]
)
def test_the_solver_answers_every_official_question(name, sizes):
    """And finds its supporting facts, which alone suffice: train, dev and test of the three tasks."""
    corpus = loading.load(resolve({"corpus": name}))
    assert tuple(len(split) for split in corpus.splits.values()) == (*sizes, 1000)
    assert len(corpus.vocabulary) == 40 and corpus.classes == corpus.vocabulary.words[4:]
    for split in corpus.splits.values():
        for words, question, label, truth in zip(
            split.words, split.queries, split.labels, split.truth, strict=True
        ):
            answer, supporting = world.solve(words, question)
            assert answer == corpus.classes[label] and np.array_equal(supporting, truth)
            number = (np.array(words) == ".").cumsum()
            alone = [" ".join(sentences(words)[fact]) for fact in sorted({*number[truth]})]
            assert world.solve(" . ".join(alone).split(), question)[0] == answer
