"""Chapter 09b's sentences and tables: of a small translator and of what is carried."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from heed.experiments.translation import Translations
from heed.show import figures, translation
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
    table = translation.agreed(learning, meant)
    real, heads = translation.carried(), translation.of_heads()
    words = translation.words_watched(run)
    said = [*translation.in_short(real, meant, words), translation.finding(table, run)]
    end = translation.at_the_end(real)
    said += [translation.scope(end), translation.equally_good(end), translation.more_heads(heads)]
    said += [translation.both_languages(end, meant, words)]
    said += [translation.learnt(run), translation.at_end_marks(run)]
    said += [translation.ahead(meant, words)]
    said += [*translation.answer(real, meant, words)]
    assert all("nan" not in sentence for sentence in said) and 0 < chance < 1
    assert meant is None, "of word pieces nobody says what they mean"
    assert [*table["ranking"]] == [what for *_, what in translation.HELD[1:]]
    finds = {"step": [0, 25], "attention": [0.1, 0.9], "relevance": [0.2, 0.8]}
    known = {name: pd.DataFrame(finds) for name in ("base", "other seed", "uniform")}
    known["uniform"]["linear"] = known["other seed"]["linear"] = 0.5
    table_of_known = translation.agreed(learning, known)
    assert [*table_of_known["ranking"]] == [what for *_, what in translation.HELD]
    assert np.isnan(table_of_known["A at the end"][0])
    assert [*table_of_known["on the meant word"]] == [0.9, 0.9, 0.8, 0.8, 0.8, 0.5]
    ax = figures.on_meant(known, words).axes[0]
    assert [line.get_ydata()[-1] for line in ax.lines] == [0.9, 0.8, 0.9, 0.8]
    assert ax.get_ylabel() == f"share of {words} words"
    plt.close("all")
    assert len(translation.dictionary(run)) <= 10 and len(translation.found(run, chance)) == 3


def test_end_marks_are_left_out(run):
    """A over words and end marks is A over words and A over end marks, each by its number."""
    table = translation.agreed(run.table("learning"), translation.told(run))
    words, sentences = translation.words_watched(run), len(run.watched)
    agree = round(translation.without_end_marks(run) * words)
    both = table.set_index("ranking").loc["attention, another seed", "A at the end"] * (words + sentences)
    assert agree <= round(both) <= agree + sentences
    assert translation.of_words(1.0, 3) == "all 3 words" and translation.of_words(0.5, 4) == "2 of 4 words"
    assert translation.of_words(0.0, 3) == "none of 3 words"
    ends_agree = round(both) - agree
    assert translation.finding(table, run).endswith(f" and {ends_agree or 'none'} of {sentences} end marks")
    ends = {"base": pd.DataFrame({"attention": [0.2, 1.0]}), "uniform": pd.DataFrame({"relevance": [0.5]})}
    ends["other seed"] = ends["base"]
    said = translation.in_short(translation.carried(), ends, 8)
    assert "all 8 words" in said[0] and "4 of 8 words" in said[1] and "look for 75% of the pieces" in said[2]
    assert "of over 20 pieces also" in said[2] and "depends in part on the seed" in said[3]
    assert "attention ends for 35% (chance: 7%)" in said[4]
    said = translation.answer(translation.carried(), ends, 8)
    assert "for all 8 words, with either of two seeds" in said[0] and "knows 4 of 8 words" in said[0]
    assert "75%" in said[1] and said[1].endswith("depends in part on the seed.")
    said = translation.intervals(ends, 8, 2)
    assert (
        said.startswith("As if the words of 2 sentences were drawn") and translation.between(1.0, 8) in said
    )
    assert translation.between(0.5, 8) in said and translation.intervals(None, 8, 2) == ""
    ends["other seed"] = pd.DataFrame({"attention": [0.5]})
    assert "with another seed for 4 of 8 words" in translation.answer(translation.carried(), ends, 8)[0]
    assert translation.on_meant(ends, 8) == "Attention ends on the word that is meant for all 8 words"


def test_nothing_is_said_of_what_is_not_there(run):
    """No made words, no carried run, no heads."""
    real = translation.carried()
    empty = real.iloc[:, :0]
    assert translation.at_the_end(empty) is None
    assert translation.at_the_end(real.drop(index="end_attention other seed")) is None
    assert translation.in_short(empty, None, 1) == []
    assert translation.answer(empty, None, 1) == []
    table = translation.agreed(run.table("learning"), None)
    assert "on the meant word" not in table and len(table) == len(translation.HELD) - 1
    assert translation.ahead(None, 1) == "" and translation.numbers_drawn("none") is None


def test_carried_numbers_are_shown():
    real = translation.carried()
    table = translation.beside(real)
    assert [*table] == ["", "theirs", "ours"] and len(table) == 9 and not table.isna().any().any()
    end = translation.at_the_end(real)
    said = translation.on_real_sentences(end)
    assert said == "Two seeds agree where to look for 75% of the pieces"
    assert "of 93 sentences, while one pair of models trains" in translation.scope(end)
    said = translation.equally_good(end)
    assert "both seeds predict 65% of the" in said and "Yet for 25% of all pieces" in said
    said = translation.equally_good({**end, "end_accuracy other seed": 0.5})
    assert "two seeds predict 65% and 50%" in said and "And for 25% of all pieces" in said
    meant = {"uniform": pd.DataFrame({"relevance": [0.5]}), "base": pd.DataFrame({"attention": [1.0]})}
    said = translation.both_languages(end, meant, 8)
    assert "for 50% of the words. Here we can only ask whether it points where" in said
    assert "It does for 35%, less often than another seed's attention." in said
    assert "own relevance does for no more than 51%." in said
    assert translation.both_languages(end, None, 8).startswith("Here we can only ask")
    higher = end.copy()
    higher[["end_relevance uniform", "end_relevance base"]] = 0.9
    said = translation.both_languages(higher, None, 8)
    assert said.endswith("no less often than another seed's attention.")
    figure = figures.agreeing(translation.numbers_drawn("paper"))
    labels = [line.get_label() for line in figure.axes[0].lines]
    assert labels[0] == "attention, another seed: 75%" and labels[-1] == "a random ranking: 7%"
    ax, _ = figures.draw_translated(translation.numbers_drawn("paper")).axes
    drawn = next(line for line in ax.lines if line.get_label() == "relevance, the same model")
    assert f"{max(drawn.get_ydata()):.3f}" in table["ours"].tolist()
    plt.close("all")
    heads = translation.of_heads()
    assert [*heads["what"]] == [*translation.KINDS_OF_HEADS]
    assert translation.sorts_of_heads().startswith("Of 40 ")
    apart = heads.assign(low=[0.1, 0.1, 0.9, 0.1], high=[0.2, 0.2, 1.0, 0.2])
    assert translation.one_lucky_head(apart).endswith("so it does.")
    assert "one lucky head may be enough" in translation.one_lucky_head(apart)
    said = translation.one_lucky_head(heads)
    assert "84% (71% to 92%) do, of eight heads drawn at random 100% (93% to 100%)." in said
    assert "one lucky head isn't shown to be enough" in said and said.endswith("that isn't shown, either.")
    assert translation.more_heads(heads) == (
        "72% learn with eight bad heads, 84% with a good one, 100% with random heads"
    )
    assert "(50 models)" in translation.drawn(heads)["what"].iloc[-1]


@pytest.mark.parametrize(
    ("base", "other", "says"),
    [
        ((0.5, 0.75), (0.25, 0.5), "in both"),
        ((0.5, 0.75), (0.5, 0.51), "in one"),  # of so many words 0.01 more is no lead
        ((1, 0), (1, 1), "neither"),
    ],
)
def test_relevance_is_ahead_in_two_models_in_one_or_in_neither(base, other, says):
    """Each pair: the shares of attention and relevance at the first look."""
    looks = {
        name: pd.DataFrame({"step": [0, 25], "attention": [0, a], "relevance": [0, r]})
        for name, (a, r) in (("base", base), ("other seed", other))
    }
    said = translation.ahead(looks, 200)
    assert (
        says in said and f"{200 * base[1]:.0f} of 200 words, and attention for {200 * base[0]:.0f};" in said
    )
    assert said.startswith("After the beginning we first look at step 25. There")
    assert translation.ahead({name: own[:1] for name, own in looks.items()}, 8) == ""


def test_company_is_counted():
    """Of 8 words relevance misses two, and attention none, or one."""
    given = {"base": pd.DataFrame({"attention": [1.0]}), "uniform": pd.DataFrame({"relevance": [0.5, 0.75]})}
    said = translation.company(given, 8)
    assert "is meant for 2 of the 8 words, learnt attention never does." in said
    assert said.endswith("most of the dictionary.")
    given["base"] = pd.DataFrame({"attention": [0.875]})
    assert "attention misses it for 1." in translation.company(given, 8)
    assert translation.company(None, 8) == ""
    assert translation.between(1.0, 117) == "97% to 100%"


def test_half_of_the_weight_is_moved():
    strip = TokenStrip(rows()["binary"], classes=["a", "b"])
    before = np.array(strip.attention)
    strip.attention = translation.half_moved(strip)[0]
    moved = np.array(strip.attention)
    assert np.abs(moved - before).sum() == pytest.approx(before.max())
    said = translation.of_half_away(strip)
    assert said.startswith("Half of the weight of “word") and "nan" not in said
    assert "the 2 likeliest of 43 entries" in translation.classes_of(strip, SimpleNamespace(learnt=range(43)))
    assert translation.classes_of(strip, SimpleNamespace(learnt=range(2))) == ""


def test_a_translation_is_quoted():
    assert translation.translated("ein <b>", "a <b>", "").count("&#60;b") == 2
    assert translation.translated("ein", "a", "a").endswith("which is right.")
    assert "which is wrong: it means" in translation.translated("ein", "the", "a")
