"""Chapter 09b's sentences and tables: of a small translator and of what is carried."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from heed.evidence import Row
from heed.experiments.translation import Translations
from heed.models.head import Head
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
    leads = translation.leads(run)
    said = [*translation.in_short(real, meant, words, leads), translation.finding(table, run)]
    end = translation.at_the_end(real)
    said += [translation.scope(end), translation.equally_good(end), translation.more_heads(heads)]
    said += [translation.both_languages(end, meant, words)]
    said += [translation.learnt(run), translation.at_end_marks(run)]
    said += [translation.on_the_way(translation.numbers_drawn("paper")), translation.ahead(leads)]
    said += [translation.company(meant, translation.words_of_even(run), learning)]
    said += [*translation.answer(real, meant, words, leads)]
    assert all("nan" not in sentence for sentence in said) and 0 < chance < 1
    assert meant is leads is None, "of word pieces nobody says what they mean"
    assert [*table["ranking"]] == [what for *_, what in translation.HELD[1:]]
    finds = {"step": [0, 25], "attention": [0.1, 0.9], "relevance": [0.2, 0.8]}
    known = {name: pd.DataFrame(finds) for name in ("base", "other seed", "uniform")}
    known["uniform"]["linear"] = known["other seed"]["linear"] = 0.5
    table_of_known = translation.agreed(learning, known)
    assert [*table_of_known["ranking"]] == [what for *_, what in translation.HELD]
    assert np.isnan(table_of_known["A at the end"][0])
    assert [*table_of_known["on the meant word"]] == [0.9, 0.9, 0.8, 0.8, 0.8, 0.5]
    panels = figures.on_meant(known, words, 0.15).axes
    assert [ax.get_title("left") for ax in panels] == [
        "the first model",
        "another seed",
        "attention held even",
    ]
    for ax, ends in zip(panels, ([0.9, 0.8, 0.15], [0.9, 0.8, 0.15], [0.8, 0.15]), strict=True):
        assert [line.get_ydata()[-1] for line in ax.lines] == ends
    assert panels[1].get_ylabel() == f"share of {words} words"
    key = [text.get_text() for text in panels[0].get_legend().get_texts()]
    assert key == ["attention", "relevance", "relevance, attention held even", "a random source place: 15%"]
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
    leads = seeds((5, 1, 9), (0, -4, 4))
    said = translation.in_short(translation.carried(), ends, 8, leads)
    assert "all 8 words" in said[0] and "4 of 8 words" in said[1]
    assert "look for 75% of the word pieces" in said[3]
    assert said[2] == translation.authors_order(leads)
    assert "(in long sentences: among its top two or three)" in said[3]
    assert said[3].endswith("depends partly on the seed.")
    assert "attention for 35% (chance: 7%)" in said[4]
    said = translation.answer(translation.carried(), ends, 8, leads)
    assert "for all 8 words, with either of two seeds" in said[0]
    assert said[0].endswith("relevance is highest on it for 4 of 8 words.")
    assert said[1] == "In one seed only was relevance clearly ahead of attention early on."
    assert "75%" in said[2] and said[2].endswith("depends in part on the seed.")
    said = translation.intervals(ends, 8, 2)
    assert (
        said.startswith("As if the words of 2 sentences were drawn") and translation.between(1.0, 8) in said
    )
    assert translation.between(0.5, 8) in said and translation.intervals(None, 8, 2) == ""
    ends["other seed"] = pd.DataFrame({"attention": [0.5]})
    said = translation.answer(translation.carried(), ends, 8, None)
    assert "with another seed for 4 of 8 words" in said[0] and len(said) == 2
    assert translation.on_meant(ends, 8) == "Attention ends on the word that is meant for all 8 words"


def test_nothing_is_said_of_what_is_not_there(run):
    """No made words, no carried run, no heads."""
    real = translation.carried()
    empty = real.iloc[:, :0]
    assert translation.at_the_end(empty) is None
    assert translation.at_the_end(real.drop(index="end_attention other seed")) is None
    assert translation.in_short(empty, None, 1, None) == []
    assert translation.answer(empty, None, 1, None) == []
    table = translation.agreed(run.table("learning"), None)
    assert "on the meant word" not in table and len(table) == len(translation.HELD) - 1
    assert translation.ahead(None) == "" and translation.numbers_drawn("none") is None


def test_carried_numbers_are_shown():
    real = translation.carried()
    table = translation.beside(real)
    assert [*table] == ["", "theirs", "ours"] and len(table) == 9 and not table.isna().any().any()
    end = translation.at_the_end(real)
    said = translation.on_real_sentences(end)
    assert said == "Two seeds agree where to look for 75% of the pieces"
    assert "On 93 sentences, while one pair of models trains" in translation.scope(end)
    assert f"if {translation.AGREEING}. Long is over 20 pieces" in translation.scope(end)
    said = translation.equally_good(end)
    assert "each seed predicts 65% of the" in said and "Yet for 25% of all pieces" in said
    said = translation.equally_good({**end, "end_accuracy other seed": 0.5})
    assert "two seeds predict 65% and 50%" in said and "And for 25% of all pieces" in said
    meant = {"uniform": pd.DataFrame({"relevance": [0.5]}), "base": pd.DataFrame({"attention": [1.0]})}
    said = translation.both_languages(end, meant, 8)
    assert "for 50% of the words. Here we can only ask whether it points where" in said
    assert "It does for 35%, less often than another seed's attention." in said
    assert said.endswith("The reasons aren't tested.")
    assert translation.both_languages(end, None, 8).startswith("Here we can only ask")
    higher = end.copy()
    higher["end_relevance uniform"] = 0.9
    said = translation.both_languages(higher, None, 8)
    assert said.endswith("no less often than another seed's attention.")
    drawn = translation.numbers_drawn("paper")
    said = translation.on_the_way(drawn)
    assert "From step 100 on another seed's attention agrees more often than the first" in said
    assert "at the end that relevance agrees for only 51%," in said
    steps, seed, own = (
        ("agreement", *line)
        for line in (("other seed", "step"), ("other seed", "attention"), ("base", "relevance"))
    )
    assert "From step 0 on" in translation.on_the_way(drawn | {seed: drawn[own] + 0.1})
    assert translation.on_the_way(drawn | {seed: drawn[own] - 0.1}) == "", "relevance is ahead at the end"
    figure = figures.agreeing(translation.numbers_drawn("paper"))
    assert figure.axes[0].get_ylabel().replace("\n", " ") == (
        "share pointing where the first model's finished attention does"
    )
    labels = [line.get_label() for line in figure.axes[0].lines]
    assert labels[0] == "attention, another seed: 75%" and labels[-1] == "a random ranking: 7%"
    ax, _ = figures.draw_translated(translation.numbers_drawn("paper")).axes
    drawn = next(line for line in ax.lines if line.get_label() == "relevance, the first model")
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


def seeds(*differences: tuple[float, float, float]) -> pd.DataFrame:
    """Of two seeds what `leads` finds: each difference with its interval; attention is on 50 of 200 words."""
    rows = []
    for more, low, high in differences:
        row = {"step": 25, "sentences": 20, "words": 200, "relevance": 50 + more, "attention": 50}
        row |= {"until": 50 if more > 0 else 0, "peak": 0.4, "even": 0.1}
        rows.append(row | {"more": more, "low": low, "high": high})
    return pd.DataFrame(rows, index=["base", "other seed"])


@pytest.mark.parametrize(
    ("base", "other", "says", "counts", "brief"),
    [
        (
            (9, 1, 17),
            (20, 4, 36),
            "in both of two seeds",
            "(70 to 50 words; 59 to 50)",
            "In both seeds relevance",
        ),
        (
            (20, -4, 44),
            (9, 1, 17),
            "in one seed (59 to 50 words)",
            "not in the other (70 to 50)",
            "In one seed only was",
        ),
        ((0, 0, 0), (-3, -9, 3), "in neither seed", "(50 to 50 words; 47 to 50)", "In neither seed was"),
    ],
)
def test_relevance_is_ahead_in_two_models_in_one_or_in_neither(base, other, says, counts, brief):
    """By the interval of the difference: a larger difference that may be none is no lead."""
    leads = seeds(base, other)
    said = translation.authors_order(leads)
    assert said.startswith("At step 25 relevance is clearly ahead of attention in ")
    assert says in said and counts in said
    assert translation.came_first(leads).startswith(brief)


def test_whether_attention_is_still_even_is_told():
    leads = seeds((9, 1, 17), (20, 4, 36))
    assert not translation.still_even(leads) and translation.still_even(leads.assign(peak=0.15))
    assert not translation.still_even(leads.assign(peak=[0.15, 0.4])), "in both seeds"
    assert translation.authors_order(leads).endswith("order, though attention isn't even any more then.")
    assert translation.authors_order(leads.assign(peak=0.1)).endswith("This fits the authors' order.")
    said = translation.ahead(leads)
    assert "Is attention still even at step 25? No: a word's top place has 40% of its attention in" in said
    assert said.endswith(
        "(evenly: 10%). It is the place of the word that is meant for 50 and 50 of the 200 words."
    )
    assert "Nearly: a word's top place has 15%" in translation.ahead(leads.assign(peak=0.15))


def test_the_differences_of_both_seeds_are_told():
    said = translation.ahead(seeds((24, 13.2, 34.8), (-2, -10.4, 6.4)))
    assert "for 24 more words than attention in the first model, and for 2 fewer in the other seed" in said
    assert "over 20 sentences: 13 to 35 and −10 to 6). Is attention" in said, "it isn't ahead in both"
    said = translation.ahead(seeds((24, 13.2, 34.8), (2, -10.4, 6.4)))
    assert "and −10 to 6). It is ahead in both seeds at each look up to step 50. Is attention" in said


@pytest.fixture(scope="module")
def of_words(tmp_path_factory):
    """A small run whose pieces are words, so that the word that is meant is known."""
    few = TRANSLATING | {"cut": "word", "epochs": 1}
    one = Translations.of(str(tmp_path_factory.mktemp("runs")), {"corpus": "made-de-en"} | few)
    one.ensure("learning")
    return one


def test_leads_are_counted_by_sentence(of_words):
    leads, meant = translation.leads(of_words), translation.told(of_words)
    words, sentences = translation.words_watched(of_words), len(of_words.watched)
    for name, lead in leads.iterrows():
        look = meant[name].sort_values("step").iloc[1]
        assert lead["step"] == look["step"] > 0
        assert (lead["words"], lead["sentences"]) == (words, sentences)
        for kind in ("relevance", "attention"):
            assert lead[kind] == pytest.approx(look[kind] * words)
        assert lead["more"] == pytest.approx(lead["relevance"] - lead["attention"])
        assert lead["low"] <= lead["more"] <= lead["high"]
        assert lead["even"] <= lead["peak"] <= 1
        finds = meant[name].sort_values("step")[1:]
        ahead = finds["relevance"] > finds["attention"]
        assert lead["until"] == (finds["step"][ahead.cummin()].max() if ahead.iloc[0] else 0)
    seen = SimpleNamespace(params=of_words.params, learnt=of_words.learnt, watched=of_words.watched)
    first = {name: one.table("looks").query("step == 0") for name, one in of_words.beside.items()}
    seen.beside = {name: SimpleNamespace(table=lambda _, t=table: t) for name, table in first.items()}
    assert translation.leads(seen) is None, "there is no look after the first"
    seen.watched = of_words.watched[:1]
    assert translation.leads(seen) is None, "of one sentence there is no interval"


def test_words_of_the_even_model(of_words):
    """As often on the word that is meant as the curve says; a word is right there or it isn't."""
    found, meant = translation.words_of_even(of_words), translation.told(of_words)
    assert len(found) == translation.words_watched(of_words) and found["right"].dtype == bool
    end = meant["uniform"].sort_values("step")["relevance"].iloc[-1]
    assert found["relevance"].mean() == pytest.approx(end)
    places = [len(set(source.tolist())) for source, _ in of_words.watched]
    assert 0 < translation.meant_by_chance(of_words) < 1 < min(places)
    assert "nan" not in translation.company(meant, found, of_words.table("learning"))


def test_company_is_counted():
    """Of 8 words relevance misses two, and attention none, or one."""
    given = {"base": pd.DataFrame({"attention": [1.0]})}
    even = pd.DataFrame({"relevance": [False] * 2 + [True] * 6, "right": [True, False] * 2 + [True] * 4})
    learning = {"model": ["base", "base", "uniform", "uniform"], "step": [0, 9] * 2}
    learning = pd.DataFrame(learning | {"accuracy": [0.1, 0.9, 0.2, 0.7]})
    said = translation.company(given, even, learning)
    assert "this model predicts 70% of the next words and end marks (the usual model: 90%)." in said
    assert "is meant for 2 of the 8 words, learnt attention never does." in said
    assert "likeliest for 6 of 8 words, among them 1 of those that relevance misses. For these" in said
    assert said.endswith("learnt most of its words without choosing where to look.")
    assert "among them none of" in translation.company(given, even.assign(right=False), learning)
    assert "without choosing" not in translation.company(given, even.assign(right=False), learning)
    said = translation.company(given, even.assign(relevance=True), learning)
    assert "for none of the 8 words, learnt attention doesn't, either." in said and "misses. For" not in said
    given["base"] = pd.DataFrame({"attention": [0.875]})
    assert "attention misses it for 1." in translation.company(given, even, learning)
    assert translation.company(None, None, learning) == ""
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


def test_what_moved_weight_decides():
    """Of three words, all weight on the first: half on the second writes another word, on the third not."""
    values = np.array([[2.0, 0, 0], [0, 5, 0], [1, 0, 0]])
    start = np.array([1.0, 0, 0])

    def said(values):
        row = Row.of(["x", "y", "z"], start, values, Head("identity", "softmax"))
        return translation.of_half_away(TokenStrip(row, classes=["a", "b", "c"]))

    assert "to “y”, where that hurts most: P(a) goes from 0.79 to 0.17, and “b” is likeliest." in said(values)
    assert said(values).endswith("can decide what is written. Why it depends on where it goes isn't tested.")
    assert said(values[[0, 1, 1]]).endswith("So the weight decides what is written.")
    assert "likeliest" not in said(values[[0, 2, 2]]) and "decide" not in said(values[[0, 2, 2]])


def test_a_translation_is_quoted():
    assert translation.translated("ein <b>", "a <b>", "").count("&#60;b") == 2
    assert translation.translated("ein", "a", "a").endswith("which is right.")
    assert "which is wrong: it means" in translation.translated("ein", "the", "a")
