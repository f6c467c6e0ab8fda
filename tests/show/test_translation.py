"""Chapter 09b's sentences and tables: of a small translator and of what is carried."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from heed.experiments.translation import Translations
from heed.show import translation
from heed.show.strip import TokenStrip
from sequences import TRANSLATING
from shown import rows


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    given = {"corpus": "made-de-en"} | TRANSLATING
    one = Translations.of(str(tmp_path_factory.mktemp("runs")), given)
    one.ensure("summary_translated")
    return one


def test_all_is_said_of_a_small_run(run):
    learning, meant, chance = run.table("learning"), translation.told(run), translation.by_chance(run)
    table = translation.agreed(learning, meant, chance)
    real = translation.carried()
    words = translation.words_watched(run)
    counts = words, len(run.watched)
    said = [*translation.in_short(real, meant, *counts), translation.finding(table, 0.5)]
    said += [translation.learnt(run), translation.two_counts(run, table, meant)]
    said += [translation.which_first(table, learning), *translation.answer(real, meant, *counts)]
    assert all("nan" not in sentence for sentence in said) and 0 < chance < 1
    assert [*translation.shown(table)["ranking"]] == [what for *_, what in translation.HELD]
    assert (
        len(translation.dictionary(run)) <= 10
        and len(translation.found(run, table, chance)) == len(table) + 3
    )


def test_end_marks_are_left_out(run):
    """A over words and end marks is A over words and A over end marks, each by its number."""
    table = translation.agreed(run.table("learning"), translation.told(run), translation.by_chance(run))
    words, sentences = translation.words_watched(run), len(run.watched)
    agree = round(translation.without_end_marks(run) * words)
    both = table.set_index("ranking").loc["attention, another seed", "A at the end"] * (words + sentences)
    assert agree <= round(both) <= agree + sentences
    assert translation.of_words(1.0, 3) == "all 3 words" and translation.of_words(0.5, 4) == "2 of 4 words"
    assert translation.two_counts(run, table, None) == ""
    ends = {"base": pd.DataFrame({"attention": [0.2, 1.0]}), "uniform": pd.DataFrame({"relevance": [0.5]})}
    assert "Without the end marks" in translation.two_counts(run, table, ends)
    assert "(words alone: 50%)" in translation.finding(table, 0.5)
    said = translation.in_short(translation.carried(), ends, 8, 2)
    assert "(2 sentences" in said[0] and "all 8 words" in said[0] and "4 of 8 words" in said[0]


def test_nothing_is_said_of_what_is_not_there(run):
    """No made words, no carried run, no heads."""
    empty = translation.carried().iloc[:, :0]
    assert translation.in_short(empty, None, 1, 1) == []
    assert translation.answer(empty, None, 1, 1) == []
    table = translation.agreed(run.table("learning"), None, 2.0)  # beyond it nothing gets
    assert "neither is first" in translation.which_first(table, run.table("learning"))
    assert "on the meant word" not in translation.shown(table)
    assert {*translation.shown(table)[translation.HALF]} == {"–"}


def test_carried_numbers_are_shown():
    real = translation.carried()
    table = translation.beside(real)
    assert [*table] == ["", "theirs", "ours"] and len(table) == 8 and not table.isna().any().any()
    assert (
        "agrees with another seed's for 76% of the word pieces and end marks at its best step"
        in translation.on_real_sentences(real)
    )
    heads = translation.of_heads()
    assert [*heads["what"]] == [*translation.KINDS_OF_HEADS]
    assert translation.sorts_of_heads().startswith("Of 40 ")
    apart = heads.assign(low=[0.1, 0.1, 0.9, 0.1], high=[0.2, 0.2, 1.0, 0.2])
    assert "The intervals don't overlap" in translation.one_lucky_head(apart)
    assert "overlap, so" in translation.one_lucky_head(heads)
    assert "100% learn (93% to 100%): good heads do help" in translation.one_lucky_head(heads)
    assert "isn't clearly more" in translation.one_lucky_head(apart)
    assert "together in 72%; with a good one among them, in 84%: the intervals overlap" in (
        translation.more_heads(heads)
    )
    assert translation.more_heads(apart).endswith("the intervals don't overlap")
    assert "(50 models)" in translation.drawn(heads)["what"].iloc[-1]


def test_company_is_counted():
    """Of 8 words linear relevance misses two, and attention none, or one."""
    given = {"base": pd.DataFrame({"attention": [1.0]}), "uniform": pd.DataFrame({"linear": [0.5, 0.75]})}
    said = translation.company(given, 8)
    assert "misses it for 2 of the 8 words, attention for none." in said and "relevance is wrong" in said
    given["base"] = pd.DataFrame({"attention": [0.875]})
    assert "attention for 1." in translation.company(given, 8)
    assert "wrong" not in translation.company(given, 8) and translation.company(None, 8) == ""
    assert translation.between(1.0, 117) == "97% to 100%"


def test_half_of_the_weight_is_moved():
    strip = TokenStrip(rows()["binary"], classes=["a", "b"])
    before = np.array(strip.attention)
    strip.attention = translation.half_away(strip)
    moved = np.array(strip.attention)
    assert np.abs(moved - before).sum() == pytest.approx(before.max())
    said = translation.of_half_away(strip)
    assert said.startswith("Here half of the weight has been moved from “word") and "nan" not in said
    assert translation.classes_of(strip, SimpleNamespace(learnt=range(43))).startswith(
        "The strip's classes are the 2 likeliest of the vocabulary's 43 entries"
    )
    assert "are all 2 entries" in translation.classes_of(strip, SimpleNamespace(learnt=range(2)))


def test_a_translation_is_quoted():
    assert translation.translated("ein <b>", "a <b>", "").count("&#60;b") == 2
    assert translation.translated("ein", "a", "a").endswith("which is right.")
    assert "which is wrong: it means" in translation.translated("ein", "the", "a")
