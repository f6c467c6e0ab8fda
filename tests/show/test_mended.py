"""Chapter 14's sentences, tables and figure, with their odd cases."""

from dataclasses import replace
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from heed import verdict
from heed.experiments import lies
from heed.experiments.repairs import TESTS
from heed.measures.registry import columns_of
from heed.show import figures, mended
from heed.verdict import merging, paper_tests

LIES = columns_of(lies.table_of_lies.__name__.removeprefix("table_of_"))


def row(encoder="bilstm", attention="additive", given="", **numbers) -> dict:
    return {
        "corpus": "planted", "encoder": encoder, "attention": attention, "given": given, "seed": 0,
        "accuracy": 0.9, "f1": 0.9, **dict.fromkeys(TESTS, 0.3), "optimum": 0.6, **numbers,
    }  # fmt: skip


def test_models_are_called_by_what_was_done_to_them():
    rows = [
        row(),
        row(given="impermissible=truth, lie_weight=0.1"),
        row(given="conicity_weight=0.5"),
        row("orthogonal"),
        row(attention="sparsemax", given="hidden=16, tying=1.0"),
    ]
    table = mended.named(pd.DataFrame(rows))
    assert [*table["model"]] == [
        "as it is",
        "diversity",
        "orthogonal",
        "tied states, sparsemax",
        "lies, λ = 0.1",
    ]
    assert {*table["family"]} == {"BiLSTM"} and mended.named(
        table[:0].drop(columns=["model", "family"])
    ).empty


def of(*rows: dict) -> pd.DataFrame:
    return mended.named(pd.DataFrame(rows))


def test_repairs_are_held_against_the_model_as_it_is():
    rows = of(row(), row(given="tying=1.0", tau_loo=0.6, auroc_attention=0.8, excess_attention=0.06))
    assert mended.repairs_say(rows) == [
        "Of 1 repair (one seed of each) 1 finds the deciding words (AUROC above 0.75): tied states (0.80, "
        "at 0.90); unrepaired: 0.30, at an accuracy of 0.90.",
        "The most tests that a repair passes is 4 of 6 (tied states; unrepaired: 1, shuffled).",
    ]
    said = mended.repairs_say(of(row(), row(given="erasure_weight=1.0", median_change=0.0)))
    assert said[0].startswith(
        "No repair surely finds the deciding words (AUROC above 0.75). The nearest is erasure"
    )
    assert said[1] == "No repair passes any of the 6 tests (unrepaired: 1, shuffled)."
    assert said[2].startswith("Our own repair passes none of the 6 tests.")
    assert "by 0.00, unrepaired 0.30" in said[2] and "seems to have learnt to rest on words" in said[2]
    for numbers, yet in (
        ({"auroc_attention": 0.89}, "ranks the deciding words first (AUROC 0.89)."),
        ({"tau_loo": 0.6}, "ranks words as leave-one-out does."),
    ):
        ours = row(given="erasure_weight=1.0", median_change=0.0, **numbers)
        text = " ".join(mended.repairs_say(of(row(), ours)))
        assert yet in text and "to rest on words" not in text
    known = mended.repairs_say(of(row(auroc_attention=0.9), row(given="tying=1.0")))
    assert known[0].endswith("already (AUROC 0.90, at an accuracy of 0.90); no repair finds more.")
    two = [row(), row(given="tying=1.0", accuracy=0.8), row(attention="sparsemax", accuracy=0.5)]
    costs = "Accuracy is lower by 0.05 or more with sparsemax (0.50) and tied states (0.80)."
    assert costs in mended.repairs_say(of(*two)), "not only the best repairs' costs"
    assert mended.repairs_say(rows[:1]) == ["No repair is there to be compared."]
    own, read = mended.table(rows)
    assert (
        read.loc["tied states", "leave-\none-out\nτ > 0.5"] == "yes"
        and read.loc["unrepaired"].iloc[1] == "no"
    )
    ax = figures.tests(own, read).axes[0]
    assert [text.get_text() for text in ax.texts][-2:] == ["1", "4"], "how many tests each passes"
    assert mended.title(rows) == (
        "BiLSTM on planted, one seed of each: no model surely passes gradient or firm"
    )


def test_a_test_is_passed_if_the_whole_interval_over_seeds_does():
    """Else it is open; a number on the border is as in chapter 12, and of one seed its number decides."""
    seeds = of(row(tau_loo=0.6, optimum=0.2), row(tau_loo=0.4, optimum=0.2, seed=1)).iloc[0]
    test = mended.PASSES["tau_loo"]
    assert (
        test.reads(seeds, "tau_loo") == "open" and mended.PASSES["optimum"].reads(seeds, "optimum") == "yes"
    )
    one = of(row(tau_loo=0.5, tau_gradient=0.49, optimum=0.5, excess_attention=np.nan)).iloc[0]
    read = {name: test.reads(one, name) for name, test in mended.PASSES.items()}
    assert read == {
        "tau_loo": "no", "tau_gradient": "no", "median_change": "yes", "optimum": "yes",
        "excess_attention": "", "auroc_attention": "no",
    }  # fmt: skip
    assert mended.passed(one) == ["shuffled", "firm"]


def test_repairs_stand_in_the_order_of_what_they_find():
    lies = row(given="impermissible=truth, lie_weight=1.0", auroc_attention=0.99)
    low, high = row(given="tying=1.0", auroc_attention=0.4), row("orthogonal", auroc_attention=0.6)
    table, _ = mended.table(of(lies, low, high, row()))
    assert [*table.index] == ["unrepaired", "orthogonal", "tied states", "lies, λ = 1"]


def test_where_no_truth_is_known_repairs_stand_in_the_order_of_leave_one_out():
    blind = {"auroc_attention": np.nan}
    low, high = row(given="tying=1.0", tau_loo=0.1, **blind), row("orthogonal", tau_loo=0.6, **blind)
    rows = of(low, high, row(**blind))
    assert [*mended.table(rows)[0].index] == ["unrepaired", "orthogonal", "tied states"]
    assert mended.repairs_say(rows)[0].startswith("Nearest to leave-one-out comes orthogonal (τ 0.60, ")
    rows = of(low, row(**blind))
    assert mended.repairs_say(rows)[0] == "No repair brings attention much nearer to leave-one-out."


def test_a_repair_among_the_seeds_is_no_finder():
    """What other seeds reach unrepaired is said; of one seed nothing is."""
    rows = of(row(), row(given="tying=1.0", auroc_attention=0.5), row("orthogonal", auroc_attention=0.2))
    for seeds, inside in (([0.3, 0.7], ["tied states"]), ([0.3], []), ([], []), ([0.1, 0.7], [2])):
        assert len(mended.within(rows[1:], seeds)) == (2 if inside == [2] else len(inside))
        said = " ".join(mended.repairs_say(rows, seeds))
        assert ("Within the range of" in said) == bool(inside)
    said = mended.repairs_say(rows, [0.3, 0.7])
    assert (
        "Within the range of 2 unrepaired seeds (0.30 to 0.70) lies tied states: another seed, unrepaired, "
        "may do as well." in said
    )


def test_unrepaired_seeds():
    rows = [row(auroc_attention=0.5), row(given="tying=1.0"), row("average", seed=7), row(seed=1)]
    found = mended.unrepaired(pd.DataFrame(rows))
    assert [*zip(found["family"], found["seed"], strict=True)] == [
        ("BiLSTM", 0),
        ("Average", 7),
        ("BiLSTM", 1),
    ]
    assert mended.seeds_auroc(found, of(row())) == [0.5, 0.3]
    none = mended.unrepaired(pd.DataFrame(rows)[:0])
    assert none.empty and mended.seeds_auroc(none, of(row())[:0]) == []


def test_the_figure_of_who_finds_has_a_row_a_model():
    """The best first, with its accuracy and its seeds; no liars, and none of which nobody knows."""
    models = [
        row(accuracy=0.8),
        row(given="tying=1.0", auroc_attention=0.9),
        row(given="tying=1.0", auroc_attention=0.8, seed=1),
        row("orthogonal", auroc_attention=np.nan),
        row(given="impermissible=truth, lie_weight=1.0", auroc_attention=0.99),
    ]
    (ax,) = figures.finders(of(*models), mended.each(pd.DataFrame(models))).axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["tied states", "unrepaired"]
    numbers = ["0.85", "0.90", "0.30", "0.80"]  # AUROC and accuracy, row by row
    assert [text.get_text() for text in ax.texts] == [*numbers, "AUROC", "accuracy"]
    assert "bold" not in ax.get_xlabel(), "no accuracy is lost"
    assert "\n0.5: chance; all right of 0.75: found (blue)\nmeans over 2 seeds (dots)" in ax.get_xlabel()
    dots = [line for line in ax.lines if line.get_markersize() == 2.5]
    assert [[*line.get_xdata()] for line in dots] == [[0.9, 0.8], [0.3]]
    dear = [row(), row(given="tying=1.0", auroc_attention=0.5, accuracy=0.7)]
    (ax,) = figures.finders(of(*dear), mended.each(pd.DataFrame(dear))).axes
    assert [text.get_text() for text in ax.texts if text.get_weight() == "bold"] == ["0.70"]
    assert ax.get_xlabel().endswith("\naccuracy bold: 0.05 or more is lost")
    (ax,) = figures.finders(of(dear[1]), mended.each(pd.DataFrame(dear))).axes
    assert "bold" not in ax.get_xlabel(), "without an unrepaired model nothing is lost"
    plt.close("all")


def gives(*models: dict) -> list[str]:
    return mended.what_repairs_give(of(*models), mended.each(pd.DataFrame(models)))


def test_the_title_of_who_finds_is_of_an_encoder_that_needs_it():
    """And it says whether the deciding words are found in every seed."""
    found = [
        row(),
        row(given="tying=1.0", auroc_attention=0.8),
        row("orthogonal"),
        row(attention="sparsemax"),
    ]
    assert mended.who_finds(of(*found)) == "BiLSTM on planted: tied states finds the deciding words"
    more = [one | {"seed": 1} for one in found] + [row("orthogonal", seed=2, auroc_attention=2.0)]
    assert mended.who_finds(of(*found, *more)).endswith(": tied states finds the deciding words")
    assert gives(*found, *more) == [
        "With tied states every seed finds the words better than every unrepaired one.",
        "Whether 1 of the other 2 finds them stays open.",
        "No accuracy is lost with tied states.",
    ]
    better = [row(seed=seed, auroc_attention=found) for seed, found in enumerate((0.3, 0.85))]
    tied = [row(given="tying=1.0", seed=seed, auroc_attention=0.8, accuracy=0.5) for seed in (0, 1)]
    assert gives(*better, *tied) == ["Accuracy is lost with tied states (0.50; unrepaired 0.90)."]
    less = [row(attention=name, accuracy=own) for name, own in (("entmax15", 0.8), ("sparsemax", 0.7))]
    assert gives(row(), row("orthogonal", auroc_attention=0.9), *less)[1:] == [
        "Of the others, sparsemax (0.70) and entmax15 (0.80) lose 0.05 of it or more."
    ]
    one = gives(row(), tied[0], less[0], row(attention="sparsemax", accuracy=0.88))
    assert one[1:] == ["Of the others, entmax15 (0.80) loses 0.05 of it or more."], "not what loses less"
    free = row("orthogonal", auroc_attention=0.9)
    assert gives(row(), tied[0], free) == [
        "Accuracy is lost with tied states (0.50; unrepaired 0.90), not with orthogonal."
    ]
    wide = [
        row(attention="sparsemax", seed=seed, auroc_attention=found) for seed, found in enumerate((0.3, 0.9))
    ]
    assert gives(*better, *tied, *wide)[0] == (
        "Whether the other one finds them stays open, as it does for the unrepaired model."
    )
    both = [*wide, *(one | {"attention": "entmax15"} for one in wide)]
    assert gives(*better, *tied, *both)[0].startswith("Whether the other 2 find them stays open, as it ")
    assert gives(row(), row(given="tying=1.0")) == []
    assert gives(row()) == ["No repair is there to be compared."]
    assert mended.who_finds(of(*found[:1])) == "What finds the deciding words, and how accurate it is"
    assert mended.who_finds(of(found[0], found[2])).endswith("no repair surely finds the deciding words")
    good = row("average", auroc_attention=0.9)
    assert {*mended.in_need(of(*found, good))["family"]} == {"BiLSTM"}
    assert {*mended.in_need(of(good))["family"]} == {"Average"} and mended.in_need(of(good)[:0]).empty


def test_nothing_is_said_of_a_truth_that_nobody_knows():
    unknown = {"auroc_attention": np.nan}
    rows = mended.named(pd.DataFrame([row(**unknown), row(given="tying=1.0", tau_loo=0.6, **unknown)]))
    assert not any("deciding" in said or "nan" in said for said in mended.repairs_say(rows))
    assert mended.corner(mended.in_the_corner(rows)) == ["No model is there to be shown."]


HONEST = dict.fromkeys(LIES, 0.4) | {"λ": 0.0, "accuracy": 0.9, "seed": 0}


def told(**liar: float) -> pd.DataFrame:
    return mended.over_seeds(pd.DataFrame([HONEST, HONEST | {"λ": 1.0, "lie_mass": 0.001} | liar]))


def liars(*kinds: tuple[str, str, pd.DataFrame]) -> list[tuple[str, str, pd.DataFrame]]:
    """What `every_liar` gives: by default of a BiLSTM on planted that takes the second way."""
    return [*kinds] or [("planted", "BiLSTM", told(lie_held=0.0))]


@pytest.mark.parametrize(
    ("liar", "way", "says", "short"),
    [
        ({"lie_held": 0.001}, "the second way", "has gone into their neighbours'", "It still uses"),
        ({"lie_held": 0.4, "lie_value": 9.0}, "the first way", "with values of up to 9.0", "It still uses"),
        (
            {"lie_removed": 0.3, "lie_held": 0.3, "lie_value": 0.9},
            "the first way",
            "up to 0.9",
            "It still uses",
        ),
        (
            {"lie_removed": 0.3, "lie_held": 0.3, "lie_value": 0.4},
            "the first way",
            "The lie has a price: the words count less",
            "It still uses",
        ),
        (
            {"lie_removed": 0.4, "lie_held": 0.4, "lie_value": 0.3},
            "the first way",
            "up to 0.3",
            "It still uses",
        ),
        (
            {"lie_removed": 0.15, "lie_held": 0.01},
            "the words count less",
            "the words count less (0.15 instead of 0.40)",
            "But it uses them less",
        ),
        (
            {"lie_removed": 0.01, "lie_held": 0.01},
            "the words aren't used",
            "no longer uses the words",
            "But it stops using",
        ),
    ],
)
def test_where_a_lie_travels(liar, way, says, short):
    ((which, found),) = mended.ways_taken(told(**liar))
    assert which == f"λ = 1, {way}" and says in found
    said = mended.can_lie(told(**liar), "CNN", "the words that decide", "sst")
    ends = " leaves them 0.1% of its attention (ordinary: 40%)."
    assert said[-2].endswith(f" look away from the words that decide{ends}")
    moved = liar.get("lie_removed", 0.4)
    far = f"by {moved:.2f} (ordinary: {'the same' if moved == 0.4 else '0.40'})."
    assert short in said[-1] and said[-1].endswith(f": removed, they move its prediction {far}")
    assert (said[0] == "Yes.") == (short == "It still uses")
    less = mended.can_lie(told(**liar, accuracy=0.8), "CNN", "the words that decide", "sst")[-1]
    assert less.endswith(f"{far[:-1]}, and accuracy falls from 0.90 to 0.80.")
    drawn = mended.of_ways(liars(("sst", "CNN", told(**liar))))
    grown = way == "the first way" and round(liar.get("lie_value", 0.4)) > 0
    from_to = f"from 0 to {liar.get('lie_value', 0):.0f} (the CNN on sst)."
    largest = f"In the first way the hidden words' largest value grows {from_to}"
    assert mended.ways_say(drawn) == ([largest] if grown else [])
    figures.ways(drawn)
    plt.close("all")


def test_liars_are_counted_by_their_way():
    kinds = liars(
        ("planted", "BiLSTM", told(lie_held=0.0)),
        ("sst", "BiLSTM", told(lie_held=0.0)),
        ("sst", "Average", told(lie_value=40.0)),
        ("planted", "Average", told(lie_removed=0.0, lie_held=0.0, accuracy=0.5)),
    )
    rows = mended.of_ways(kinds)
    assert (
        mended.title_of_ways(rows)
        == "Of 4 liars 3 hide what they use: 2 through other words and 1 by large values"
    )
    hiding = mended.drawn_ways(rows)
    assert mended.title_of_ways(hiding).startswith("3 liars hide what they use: 2 through other words and 1 ")
    assert mended.title_of_ways(hiding[:1]) == "1 liar hides what it uses: 1 through other words"
    real = "Of 2 on real texts 2 hide what they use."
    assert mended.who_hides(rows) == ["Of 2 such models on made texts 1 hides what it uses.", real]
    some = mended.who_hides(mended.of_ways([*kinds, *liars(("sst", "CNN", told(lie_mass=0.35)))]))
    assert some[1] == "Of 3 on real texts 2 hide what they use."
    made = mended.of_ways([kinds[0], kinds[3]])
    assert mended.who_hides(made) == ["Of 2 such models on made texts 1 hides what it uses."]
    assert mended.who_hides(made[:1]) == []
    assert mended.ways_say(rows) == [
        "In the first way the hidden words' largest value grows from 0 to 40 (the Average model on sst)."
    ]
    assert mended.where_it_works(rows) == [
        "Of 2 liars on made texts 1 hides what it uses.",
        "Of 2 on real texts (the BiLSTM on sst and the Average model on sst) 2 hide what they use.",
        "The Average model on planted stopped working rather than lied: it does no better than a guess.",
        "No lie costs 0.05 of accuracy or more.",
    ]
    part = mended.of_ways(liars(("sst", "CNN", told(lie_mass=0.35)), kinds[0]))
    assert mended.who_hides(part) == [
        "Of 1 such model on made texts 1 hides what it uses.",
        "Of 1 on real texts none hides what it uses.",
    ]
    hardly = part[part["way"] == "open"]
    assert mended.title_of_ways(hardly) == "None of 1 liar hides words that it uses"
    assert mended.where_it_works(hardly) == [
        "Of 1 liar on real texts (the CNN on sst) none hides what it uses."
    ]
    assert mended.heading(hardly) == "not hidden: 87% of the honest attention left"
    assert mended.ways_say(hardly) == mended.ways_say(hardly[:0]) == mended.where_it_works(hardly[:0]) == []
    figure = figures.ways(rows)
    assert [text.get_text() for text in figure.texts] == [
        mended.GROUPS["second"],
        mended.GROUPS["first"],
        "stopped working: accuracy of a guess",
    ]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels[2] == "0.1: below, the words aren't used", "what the dotted line is"
    assert len(figures.ways(hiding).legends[0].get_texts()) == 2, "all use them: no line"
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == [*rows["name"]] and [*rows["way"]] == ["second", "second", "first", "neither"]
    plt.close("all")


def test_where_a_lie_works_it_may_cost_accuracy():
    dear = [("planted", name, told(lie_held=0.0, accuracy=0.5)) for name in ("CNN", "BiGRU")]
    free = ("planted", "BiLSTM", told(lie_held=0.0))

    def price(*kinds: tuple[str, str, pd.DataFrame]) -> str:
        return mended.where_it_works(mended.of_ways([*kinds]))[-1]

    assert price(free) == "No lie costs 0.05 of accuracy or more."
    assert price(*dear) == "The lie costs 0.05 of accuracy or more wherever it works."
    assert price(free, dear[0]) == (
        "Where the lie works it costs less than 0.05 of accuracy, except for the CNN on planted."
    )


def test_the_table_of_liars_has_what_each_does():
    """A row a liar; those with too little to hide only if there are no others."""
    idle = told(lie_mass=0.2)
    idle["lie_removed"] = 0.09
    kinds = liars(
        ("sst", "BiLSTM", idle),
        ("planted", "BiLSTM", told(lie_held=0.0)),
        ("planted", "Average", told(lie_removed=0.0, accuracy=0.5)),
        ("planted", "CNN", told(lie_removed=0.0)),
        ("sst", "CNN", told(lie_mass=0.3)),
        ("sst", "Average", told(lie_mass=0.3, lie_removed=0.09)),
        ("imdb", "CNN", told(lie_removed=0.15)),
        ("indicator", "Average", told(lie_mass=0.0, lie_value=9.0)),
    )
    ways = mended.of_ways(kinds)
    table = mended.liars_table(ways).set_index("liar")
    assert table["what it does"].to_dict() == {
        "BiLSTM on planted": "lies, through other words",
        "Average on indicator": "lies, by large values",
        "CNN on imdb": "hides the words, but uses them less",
        "Average on planted": "stopped working",
        "CNN on planted": "hides the words, but uses them no more",
        "CNN on sst": "doesn't hide the words",
        "Average on sst": "neither hides nor clearly uses the words",
    }
    assert [*table.loc["Average on indicator"]][:3] == ["40% → <0.1%", "0.40 → 0.40", "0.90 → 0.90"]
    alone = mended.liars_table(ways[ways["way"] == "little"])
    assert alone["what it does"].tolist() == ["had too little to hide"]


def test_what_liars_of_real_texts_do_that_hide_nothing_is_counted():
    """In the order of the rule: of words that do little nobody asks whether they are hidden."""
    part, idle = told(lie_mass=0.35), told(lie_mass=0.35)
    idle["lie_removed"] = 0.09
    little = ("sst", "BiLSTM", idle)
    one, two = ("sst", "Average", part), ("imdb", "Average", part)
    ways = [mended.of_ways(liars(*own)) for own in ((one, little), (one, two), (two, ("sst", "CNN", part)))]
    assert [*ways[0]["way"]] == ["open", "little"]
    of_two = "Of 2 such models on real texts "
    none = f"{of_two}none hides what it uses."
    assert [mended.who_hides(rows) for rows in ways] == [
        [f"{of_two}1 had too little to hide, the other hides none."],
        [none],
        [none],
    ]
    lies_, half = told(lie_held=0.0), told(lie_removed=0.15, lie_held=0.15)
    for others, does in (
        ([lies_], ", the other hides what it uses."),
        ([lies_, half], "; of the other 2 1 hides what it uses."),
        ([half, half], "; of the other 2 none hides what it uses."),
    ):
        real = [("imdb", name, own) for name, own in zip(("CNN", "BiGRU"), others, strict=False)]
        assert mended.who_hides(mended.of_ways(liars(little, *real)))[0].endswith(f"to hide{does}")
    most = mended.of_ways(liars(one, little, ("imdb", "BiLSTM", idle)))
    assert mended.who_hides(most)[0].endswith(
        " on real texts 2 had too little to hide, the other hides none."
    )
    in_full = mended.where_it_works(most)[0]
    assert in_full.endswith(" 2 had too little to hide, the other doesn't hide the words.")
    lie = liars(("planted", "BiLSTM", told(lie_held=0.0)))
    assert mended.who_hides(mended.of_ways([*lie, *liars(little)])) == [
        "Of 1 such model on made texts 1 hides what it uses.",
        "Of 1 on real texts 1 had too little to hide.",
    ]
    assert mended.who_hides(most[1:]) == [f"{of_two}2 had too little to hide."]
    little_, *rest = mended.where_it_works(most)[1:]
    assert rest == [] and little_ == (
        "Too little means that removing the words moves even the honest model by less than 0.1, so there is "
        "nothing to lie about ([appendix](#appendix-more-on-lies)). The table leaves these out."
    )
    assert mended.where_it_works(most[1:])[1].endswith("more-on-lies))."), "with none else the table has all"
    assert len(mended.where_it_works(most[:1])) == 1, "nothing of none with too little"
    assert len(mended.drawn_ways(most)) == 3, "none hides: all are drawn"
    others = told(lie_removed=0.15), told(lie_removed=0.0)
    rows = mended.of_ways(
        liars(*(("sst", name, own) for name, own in zip(("CNN", "BiGRU"), others, strict=True)))
    )
    assert mended.who_hides(rows) == [none]


def test_what_the_honest_model_did_already_and_what_is_little_is_said():
    own = told(lie_held=0.0)
    assert mended.ways_say(mended.of_ways(liars(("sst", "CNN", own)))) == []
    own.loc[own["λ"] == 0, ["lie_held", "lie_held low", "lie_held high"]] = 0.01
    assert mended.ways_say(mended.of_ways(liars(("sst", "CNN", own)))) == [
        "The honest CNN on sst already works so: the words have 40% of its attention, but erasing these "
        "weights moves its prediction by only 0.01."
    ]
    own["lie_removed"] = 0.09
    little = mended.of_ways(liars(("sst", "CNN", own)))
    assert [*little["way"]] == ["little"]
    assert mended.title_of_ways(little) == "None of 1 liar hides words that it uses"


def test_which_models_the_chapter_is_about():
    kinds = liars(("sst", "BiLSTM", told()), ("planted", "MiniLM", told()))
    said = mended.which_models(of(row(), row("average", seed=1)), kinds, "planted (BiLSTM, seed 0)")
    fewer = mended.which_models(of(row(), row(seed=1), row("average")), kinds[:0], "x")
    assert ", 2 seeds of each, but of some only 1 (the Average model on planted). Their" in fewer
    assert said == (
        "**Which models?** BiLSTM (reads a text forwards and backwards), MiniLM (a small transformer, "
        "frozen, with trained attention on top) and Average (reads each word alone), 1 seed of each. Their "
        "texts: *planted* (made); sentences of film reviews (sst). The example, planted (BiLSTM, seed 0), is "
        "computed on this page; the others are stored. Numbers are means over seeds."
    )


def test_whether_top_words_alone_give_the_prediction():
    """The repair that keeps most beside random words; nothing of models that nobody asked."""

    def alone(attention: float, drawn: float, **other) -> dict:
        return row(suff_delete_attention=attention, suff_delete_random=drawn, **other)

    diverse, tied = {"given": "conicity_weight=0.5"}, {"given": "tying=1.0"}
    rows = of(alone(0.2, 0.3), alone(0.1, 0.35, **diverse), alone(0.05, 0.2, **tied))
    assert mended.alone_say(rows) == (
        "BiLSTM on planted: when attention's top words alone stay, the decision's probability falls by 0.20 "
        "(random words: 0.30) unrepaired. Diversity is furthest below random words: 0.10 (random words: "
        "0.35)."
    )
    rows = of(alone(0.1, 0.4), alone(0.1, 0.3, **diverse), alone(np.nan, np.nan, **tied))
    assert mended.alone_say(rows).endswith(
        "No repair is further below random words; diversity comes nearest: 0.10 (random words: 0.30)."
    )
    assert mended.alone_say(of(alone(np.nan, np.nan), alone(0.1, 0.3, **diverse))) == ""
    assert mended.alone_say(of(alone(0.1, 0.3))) == ""
    table = mended.without_lines(rows.drop(columns="f1").assign(f1=np.nan))
    assert [*table["model"]] == ["unrepaired", "diversity", "tied states"] and "F1" not in table
    assert table["fall, random words alone"].iloc[0] == 0.4


def test_liars_that_sufficiency_finds_out():
    """Of those that hide what they use, that of the largest λ; nothing where nobody asked."""
    of_all = liars(("planted", "BiLSTM", told(lie_held=0.0)), ("planted", "Average", told(lie_value=40.0)))

    def lie(attention: float, drawn: float, weight: float, encoder="bilstm") -> dict:
        given = f"impermissible=truth, lie_weight={weight}"
        return row(encoder, given=given, suff_delete_attention=attention, suff_delete_random=drawn)

    honest = row(suff_delete_attention=0.1, suff_delete_random=0.4)
    rows = of(honest, lie(0.1, 0.4, 0.1), lie(0.42, 0.43, 1.0), lie(0.1, 0.4, 1.0, "average"))
    assert mended.found_out(rows, of_all) == (
        "A liar can stand out by [sufficiency](#appendix-repairs-test-by-test): when its attention's top "
        "words alone stay, the decision's probability falls by as much as with random words (the BiLSTM on "
        "planted). Not so the Average model on planted. Of 1 honest model, repaired or not, none does so "
        "(means over seeds, within 0.02)."
    )
    away = row(suff_delete_attention=0.3, suff_delete_random=0.3)
    assert mended.found_out(of(away, lie(0.42, 0.43, 1.0)), of_all).endswith(
        " (the BiLSTM on planted). But of 1 honest model, repaired or not, 1 does so, too."
    )
    tied = away | {"given": "tying=1.0"}
    assert mended.found_out(
        of(honest, away | {"encoder": "cnn"}, tied, lie(0.42, 0.43, 1.0)), of_all
    ).endswith(" But of 3 honest models, repaired or not, 2 do so, too.")
    assert mended.found_out(of(lie(0.42, 0.43, 1.0)), of_all).endswith(" (the BiLSTM on planted).")
    assert mended.found_out(of(row(), lie(0.1, 0.4, 1.0)), of_all).endswith(
        " no liar stands out (the BiLSTM on planted)."
    )
    assert mended.found_out(of(row(), lie(np.nan, np.nan, 1.0)), of_all) == ""
    assert mended.found_out(rows, liars(("planted", "BiLSTM", told(lie_mass=0.35)))) == ""


def test_the_borders_are_chapter_12s():
    theirs = {test.of: test.border for test in paper_tests.TESTS}
    of_them = [name for name in mended.PASSES if name in theirs]
    assert len(of_them) == 5 and mended.PASSES["auroc_attention"].bound == theirs["truth"]
    assert all(mended.PASSES[name].bound == theirs[name] for name in of_them)


def test_words_that_nobody_used_are_not_given_up():
    unused = told(lie_removed=0.0, lie_held=0.0).assign(lie_removed=0.01)
    ((_, found),) = mended.ways_taken(unused)
    assert found.endswith("the honest model doesn't use them either.")
    assert mended.hidden_but_used(unused, "CNN", "sst").endswith(
        " on sst to look away doesn't use what it hides"
    )
    assert "nor does an ordinary model" in mended.can_lie(unused, "CNN", "them", "sst")[1]
    said = mended.answer(liars(("planted", "CNN", unused)), "CNN", of(row())[:0])
    assert said == ["**To lie?** The CNN uses no word that it could hide."]


def test_liars_that_go_one_way_share_a_paragraph():
    both = pd.concat([told(lie_held=0.0), told(lie_held=0.0).assign(λ=[0.0, 2.0])[1:]], ignore_index=True)
    ((which, found),) = mended.ways_taken(both)
    assert which == "λ = 1 and λ = 2, the second way" and "only their weights by 0.00 and 0.00." in found


def test_a_liar_that_passes_as_many_tests_is_named():
    lies = "impermissible=truth, lie_weight=1.0"
    said = mended.repairs_say(of(row(), row(given="tying=1.0"), row(given=lies)))
    assert said[-1].endswith("A liar passes 1: the count doesn't tell whether a model lies.")
    worse = [row(), row(given="tying=1.0"), row(given=lies, median_change=0.0)]
    assert "A liar" not in " ".join(mended.repairs_say(of(*worse)))


def test_other_words_are_the_control():
    """Said where they were removed, too."""
    both = told(lie_held=0.0).assign(lie_others=[0.1, 0.2])
    assert "by 0.40 (as many other words: 0.20), and" in mended.ways_taken(both)[0][1]
    assert mended.shown(both)["change without as many others"].tolist() == [0.1, 0.2]
    assert mended.shown(both)["attention on hidden words"].tolist() == ["40%", "0.1%"]
    assert "change without as many others" not in mended.shown(told())


def to_lie(*kinds: tuple[str, str, pd.DataFrame]) -> str:
    """What the answer says first, of no model that was mended."""
    return mended.answer(liars(*kinds), "BiLSTM", of(row())[:0])[0]


def test_the_answer_names_the_liars_that_hide():
    less = ("planted", "Average", told(lie_removed=0.1, lie_held=0.1))
    caught = "Removing words one by one finds the hidden ones in none of 1 liar."
    both = "**To lie?** Yes: 1 of 2 liars on made texts looks away from words that it still uses."
    assert to_lie(*liars(), less) == f"{both} {caught}"
    one = "**To lie?** Yes: 1 of 1 liar on made texts looks away from words that it still uses."
    part = ("sst", "Average", told(lie_mass=0.1))
    assert to_lie(*liars(), part) == f"{one} On real texts none does. {caught}"
    idle = ("sst", "CNN", told(lie_mass=0.1).assign(lie_removed=0.05))
    assert to_lie(*liars(), part, idle) == (
        f"{one} Of real texts this page can't say, because there most had too little to hide. {caught}"
    )
    assert to_lie(*liars()).startswith(one)
    real = ("sst", "BiLSTM", told(lie_held=0.0))
    assert to_lie(*liars(), real) == (
        "**To lie?** Yes: 1 of 1 liar on made texts and 1 of 1 liar on real texts look away from words "
        f"that they still use. {caught}"
    )
    assert (
        to_lie(real) == "**To lie?** Yes: 1 of 1 liar on real texts looks away from words that it still uses."
    )


def test_a_liar_that_only_guesses_stopped_working():
    """By the interval over seeds of its accuracy; not if the honest model may only guess, too."""

    def says(*accuracies: float, honest=0.9) -> list[str]:
        rows = [
            [HONEST | {"seed": seed, "accuracy": honest}, HONEST | {"seed": seed, "accuracy": own, "λ": 1.0}]
            for seed, own in enumerate(accuracies)
        ]
        own = pd.DataFrame([one for both in rows for one in both])
        own.loc[own["λ"] == 1, ["lie_mass", "lie_removed"]] = 0.0
        return mended.where_it_works(mended.of_ways([("planted", "CNN", mended.over_seeds(own))]))[1:]

    assert says(0.55, 0.45) == [
        "The CNN on planted stopped working rather than lied: it does no better than a guess."
    ]
    assert says(0.55, 0.551) == says(0.55, 0.45, honest=0.5) == []


def test_what_a_single_other_liar_does_is_said():
    def does(**found):
        return mended._does(pd.Series({"way": "open", "lie_removed, liar": 0.5} | found))

    assert does() == "doesn't hide the words"
    assert does(**{"lie_removed, liar": 0.08}) == "neither hides nor clearly uses the words"
    assert does(way="first") == "hides what it uses" and "as before" in does(way="half")


def test_of_how_many_liars_leave_one_out_finds_the_words():
    """By its whole interval over seeds; what is open is named, with the honest model's number."""
    found, none = told(lie_auroc_loo=0.8), of(row())[:0]

    def caught(*kinds: tuple[str, str, pd.DataFrame]) -> str:
        (said,) = mended._caught(mended.fooled(mended.of_ways([*kinds])), none)
        return said

    alone = caught(("planted", "BiLSTM", found))
    assert alone == "Removing words one by one finds the hidden ones in 1 of 1 liar, in part by construction."
    assert mended._caught(mended.fooled(mended.of_ways(liars(("sst", "BiLSTM", found)))), none) == []
    known = mended.in_the_corner(of(row(), row("average", tau_loo=0.6)))
    rows = mended.fooled(mended.of_ways(liars(("planted", "BiLSTM", found))))
    assert mended._caught(rows, known)[1:] == [
        "That proves no lie: in 1 of 2 honest models attention agrees with it too little, too."
    ]
    assert mended._caught(rows, known, brief=True)[1:] == ["That proves no lie."]
    missed = mended.fooled(mended.of_ways(liars(("planted", "BiLSTM", told(lie_auroc_loo=0.6)))))
    assert len(mended._caught(missed, known)) == 1, "it finds none"
    assert mended._caught(rows, known[known["agrees"] == "yes"])[1:] == []
    seeds = [
        HONEST | {"seed": seed, "λ": λ, "lie_auroc_loo": loo, "lie_mass": 0.4 if λ == 0 else 0.0}
        for seed, (honest, lie) in enumerate([(0.9, 0.7), (0.92, 0.74)])
        for λ, loo in ((0.0, honest), (1.0, lie))
    ]
    near = ("planted", "MiniLM", mended.over_seeds(pd.DataFrame(seeds)))
    kinds = liars(("planted", "BiLSTM", found), near)
    assert caught(*kinds).endswith(" in 1 of 2 liars, in part by construction.")
    rows = mended.fooled(mended.of_ways(kinds))
    assert mended._nearly(rows.iloc[1]) == ("MiniLM on planted stays open (AUROC 0.72, honest 0.91)")
    title = "Leave-one-out finds the hidden words of 1 of 2 liars (1 open), attention of none"
    assert mended.fooled_title(rows) == title
    rows.loc[rows["model"] == "MiniLM", "lie_auroc_loo low, honest"] = 0.7
    rows["lie_auroc_loo, honest"] = 0.75
    rows["lie_auroc_attention high, liar"] = 0.8
    as_before, both = mended.who_is_fooled(rows, of(row())[:0])
    assert as_before.startswith(
        "Leave-one-out asks the whole model, so it ranks them about as high as before."
    )
    assert both == "MiniLM on planted stays open, as does its honest model (AUROC 0.72 and 0.75)."


def a_run(encoder="bilstm", seed=0, corpus="planted", variant="paper-b9e7f301") -> SimpleNamespace:
    named = {"corpus": corpus, "encoder": encoder, "attention": "additive", "variant": variant, "seed": seed}
    named["pretrained"] = "all-MiniLM-L6-v2" if encoder == "transformer" else ""
    return SimpleNamespace(params=SimpleNamespace(**named))


def test_liars_of_other_corpora_and_seeds_are_told_from_what_is_carried():
    """The run's own first, with its stored seeds; a run of another variant stands alone."""
    carried = verdict.liars()
    own = carried.query("corpus == 'planted' and encoder == 'bilstm' and seed == 0")
    found = mended.every_liar(a_run(), own.drop(columns="seed"))
    (corpus, model, rows), *others = found
    assert (corpus, model) == ("planted", "BiLSTM") and rows["seeds"].tolist() == [3] * len(rows)
    names = [(corpus, model) for corpus, model, _ in others]
    assert (
        ("sst", "BiLSTM") in names and ("planted", "Average") in names and ("planted", "BiLSTM") not in names
    )
    assert [model for _, model in names] == sorted([model for _, model in names], key=lambda m: m != "BiLSTM")
    assert rows["lie_removed low"].iloc[0] <= rows["lie_removed"].iloc[0] <= rows["lie_removed high"].iloc[0]
    small = mended.every_liar(a_run("transformer"), own.drop(columns="seed"))
    assert small[0][:2] == ("planted", "MiniLM") and ("planted", "BiLSTM") in [kind[:2] for kind in small[1:]]
    alone = mended.every_liar(a_run(variant="site-1"), own.drop(columns="seed"))[0][2]
    assert set(alone["seeds"]) == {1}
    assert mended.captioned(model, rows, "sst") == "The BiLSTM and its liars on sst, means over 3 seeds"
    assert mended.captioned("Average", alone) == "The Average model and its liars, one seed"


def test_by_hand_a_small_weight_and_a_great_value_say_the_same():
    table = mended.thin_lie()
    assert table["logit"].nunique() == 1 and table["penalty R (λ = 1)"].iloc[1] < 0.02


def test_the_figures_are_drawn_of_what_is_committed():
    rows = mended.named(merging.mended())
    assert {"as it is", "diversity", "lies, λ = 1"} <= {*rows["model"]}
    for _, rows_of_family in mended.by_family(rows):
        figures.tests(*mended.table(rows_of_family))
    assert len(mended.tests()) == len(mended.PASSES)


def test_other_corpora_are_told_by_their_own_tests():
    """Where nobody knows the deciding words five tests are left; what isn't mended isn't told."""
    tested = verdict.mended()
    kept, first = (mended.named(table) for table in (tested, tested[tested["seed"] == 0]))
    rows, alone = (
        table[(table["corpus"] == "sst") & (table["family"] == "BiLSTM")] for table in (kept, first)
    )
    assert "auroc_attention" not in mended.asked(rows) and len(mended.asked(rows)) == 5
    (said,) = mended.elsewhere(rows)
    assert (
        said.startswith("On sst (BiLSTM, 3 seeds of each) no repair passes more than ") and " of 5 " in said
    )
    best = rows.loc[rows["tau_loo"].idxmax()]
    assert f"comes {best['model']} (τ {best['tau_loo']:.2f}" in said
    assert mended.elsewhere(alone)[0].startswith("On sst (BiLSTM, one seed of each) no repair passes more ")
    assert mended.title(rows).startswith(
        "BiLSTM on sst, 3 seeds of each: no model surely passes "
    ) and "truth" not in mended.title(rows)
    assert mended.elsewhere(rows[rows["model"] == "as it is"]) == []


def test_a_lie_ranks_the_words_last_and_leave_one_out_is_not_fooled():
    def fooled(*kinds):
        return mended.fooled(mended.of_ways(liars(*kinds)))

    own = told(lie_auroc_attention=0.1, lie_auroc_loo=0.6)
    rows = fooled(("planted", "CNN", own), ("sst", "CNN", own))
    assert rows["name"].tolist() == ["CNN on planted"], "sst's words are leave-one-out's"
    found = [rows[f"{by}, {kind}"].item() for by in mended.FOUND_BY for kind in ("honest", "liar")]
    assert found == [0.4, 0.1, 0.4, 0.6]
    none = of(row())[:0]
    misled, as_before = mended.who_is_fooled(rows, none)
    assert misled == (
        "A liar's attention misleads: in the mean it ranks the hidden words lower than the honest model's "
        "does in the one liar. They rank surely below chance in 1 (the CNN on planted). Attention "
        "surely finds them in none."
    )
    assert "ranks them about as high as before. Part of that is built in, because a liar counts" in as_before
    known = mended.in_the_corner(of(row(), row("average", tau_loo=0.6)))
    assert mended.who_is_fooled(rows, known)[-1] == (
        "So leave-one-out finds the words, but not the lie. That attention agrees too little with it is no "
        "proof: in 1 of 2 honest models, repaired or not, their rank correlation τ surely isn't above 0.5, "
        "either (test 1 below). And τ also counts the order of words that don't matter."
    )
    assert len(mended.who_is_fooled(rows, known[known["agrees"] == "yes"])) == 2
    assert (
        mended.fooled_title(rows)
        == "Leave-one-out finds the hidden words of none of 1 liar, attention of none"
    )
    drawn = figures.fooled(rows).axes
    assert [
        line.get_xdata().item() for ax in drawn for line in ax.lines if line.get_marker() != "None"
    ] == found
    same = fooled(("planted", "CNN", told(lie_auroc_loo=0.1)))
    assert mended.who_is_fooled(same, none)[0].startswith("Here neither attention nor leave-one-out")
    some = pd.concat([rows, fooled(("planted", "CNN", told(lie_auroc_loo=0.8, lie_auroc_attention=0.1)))])
    assert mended.fooled_title(some).startswith("Leave-one-out finds the hidden words of 1 of 2 liars")
    nobody = fooled(("planted", "CNN", told(lie_mass=0.4)))
    assert nobody.empty
    assert mended.who_is_fooled(nobody, none) == ["No liar here hides deciding words that it uses."]


def test_that_a_liars_attention_finds_the_words_is_counted_by_whole_intervals():
    """Open kinds don't count as found."""
    kinds = [("planted", name, told(lie_auroc_attention=0.8)) for name in ("CNN", "BiLSTM", "MiniLM")]
    rows = mended.fooled(mended.of_ways(liars(*kinds))).assign(seeds=3)
    rows["lie_auroc_attention, honest"] = 0.95
    rows["lie_auroc_attention low, liar"] = [0.7, 0.78, 0.79]
    every, *_ = mended.who_is_fooled(rows, of(row())[:0])
    assert every.endswith(
        " than the honest model's does in all 3 liars. They rank surely below chance in none and surely "
        "above it in 3 (the CNN on planted, the BiLSTM on planted and MiniLM on planted: AUROC 0.80, 0.80 "
        "and 0.80). Attention surely finds them in 2."
    )
    rows["lie_auroc_attention low, liar"], rows["lie_auroc_attention high, liar"] = [0.1] * 3, [0.4, 0.5, 0.9]
    every, *_ = mended.who_is_fooled(rows, of(row())[:0])
    assert every.endswith(
        " surely below chance in 1 (the CNN on planted). Attention surely finds them in none."
    )


def test_short_intervals_have_ends_to_be_seen():
    """Of a single seed there is no interval, so no ends."""
    rows = mended.fooled(mended.of_ways(liars(("planted", "CNN", told(lie_auroc_attention=0.1)))))
    assert not ends_of(figures.fooled(rows).axes[0])
    rows["lie_auroc_attention low, liar"], rows["lie_auroc_attention high, liar"] = 0.08, 0.12
    assert ends_of(figures.fooled(rows).axes[0]) == [0.08, 0.12]
    plt.close("all")


def ends_of(ax) -> list[float]:
    """Where the upright ends of intervals stand."""
    segments = [path for lines in ax.collections for path in lines.get_segments()]
    return [x0 for (x0, y0), (x1, y1) in segments if x0 == x1 and y0 != y1]


def test_as_many_other_words_are_the_control_of_use():
    """Said of the largest λ; nothing where no other words were removed."""
    rows = told().assign(lie_others=[0.1, 0.2])
    others = "As many other words, removed instead, move the liar of this page's own run by "
    assert mended.control(rows) == [f"{others}only 0.20 (its honest model by 0.10)."]
    more = told().assign(lie_others=[0.1, 0.6])
    assert mended.control(more) == [f"{others}0.60 (its honest model by 0.10)."]
    assert mended.control(told()) == mended.control(told().assign(lie_others=[0.1, np.nan])) == []


def test_how_far_a_prediction_can_move_is_said_of_made_texts():
    """Of those that are there; of real texts nothing is."""

    def rule(*corpora: str) -> str:
        return mended.rule(mended.of_ways([(corpus, "CNN", told()) for corpus in corpora]))

    most = "A sure model that loses everything with the words moves by about "
    assert "at least half as far" in rule("sst") and rule("sst").endswith("These borders are our choice.")
    assert f"{most}0.5 on planted, where it then says the same" in rule("planted", "sst")
    assert rule("planted", "sst").endswith("about half of them.")
    assert f"{most}1 on indicator, where only" in rule("indicator")
    assert "; by about 1 on indicator" in rule("planted", "indicator")


def marks(ax) -> dict[str, int]:
    """How many marks of the figure are filled how."""
    filled = [line.get_fillstyle() for line in ax.lines if len(line.get_xdata()) == 1]
    return {how: filled.count(how) for how in dict.fromkeys(filled)}


def test_much_attention_that_does_not_find_the_words(monkeypatch):
    """One of two hidden words has most of it; nothing is said of words that are found, or get little."""
    bad = np.array([True, True, False, False, False])

    def said(*weights: float) -> list[str]:
        one = SimpleNamespace(id="a", attention=np.array(weights), real=np.ones(5, bool))
        monkeypatch.setattr(lies, "hidden", lambda _: {"a": bad, "b": ~bad & False})
        none = SimpleNamespace(**vars(one) | {"id": "b"})
        return mended.much_but_not_first(SimpleNamespace(evidence=[one, none]))

    assert said(0.7, 0.0, 0.1, 0.1, 0.1) == [
        "How can words get much attention and still not be found? Their share adds them up, AUROC asks of "
        "each. In this page's own run the honest model gives the hidden words (40% of a text) 70% of its "
        "attention. But one of them alone has 70%, and 50% of them get less than the median other word "
        "(AUROC 0.50)."
    ]
    assert said(0.4, 0.3, 0.1, 0.1, 0.1) == said(0.1, 0.1, 0.3, 0.3, 0.2) == []
    bad = ~bad & False
    assert said(0.2, 0.2, 0.2, 0.2, 0.2) == [], "no word is hidden"


def test_the_corner_is_empty_until_a_model_is_in_it():
    near = {"tau_loo": 0.6, "auroc_attention": 0.8}
    lies = row(given="impermissible=truth, lie_weight=1.0", tau_loo=0.6, auroc_attention=0.1)
    rows = mended.in_the_corner(of(row(), row(given="tying=1.0", **near), lies))
    assert mended.corner(rows) == [
        "Of 2 models surely 1 passes test 1, none passes test 2 and 1 passes test 3.",
        "Tied states, with which the BiLSTM on planted finds the deciding words, still fails test 2.",
        "And to rank words as leave-one-out does is no proof of truth: a liar (BiLSTM on planted) passes "
        "test 1, but fails test 3.",
    ]
    assert mended.corner_title(rows) == "None of 2 models surely passes all three tests"
    assert mended.every_title(rows) == "Of 3 models on planted surely 2 pass test 1, none test 2 and 1 test 3"
    every = figures.every_model(rows).axes
    assert len(every) == 3 and [text.get_text() for text in every[0].get_yticklabels()] == [
        "BiLSTM, unrepaired",
        "BiLSTM, tied states",
        "BiLSTM, lies, λ = 1",
    ]
    (ax,) = figures.corner(mended.conditions(rows)).axes
    assert [text.get_text() for text in ax.get_yticklabels()] == ["unrepaired", "tied states"]
    (above,) = ax.child_axes
    assert [text.get_text() for text in above.get_xticklabels()] == ["BiLSTM"] and not ax.patches
    assert [text.get_text() for text in ax.get_xticklabels()] == [
        "1 as removal",
        "2 no exchange",
        "3 finds words",
    ]
    assert ax.get_title(loc="left") == "on planted"
    assert marks(ax) == {"full": 2, "none": 4}, "no liars"
    useless = mended.in_the_corner(of(row(), lies | {"accuracy": 0.5}))
    assert "no proof of truth" not in " ".join(mended.corner(useless)), "it no longer uses the words"
    wide = [
        row("average", corpus="indicator", **near, optimum=far, seed=k) for k, far in enumerate((0.3, 0.6))
    ]
    more = ", with one seed; over 2 seeds [chapter 14](14_lies_and_repairs.ipynb) leaves row 4 open"
    assert mended.of_more_seeds(mended.in_the_corner(of(*wide))) == f"{more}, which makes it *not refuted*"
    for none in (of(wide[0]), of(row())):
        assert mended.of_more_seeds(mended.in_the_corner(none)) == "", "one seed; another model"
    wide = [row(**near, optimum=optimum, seed=seed) for seed, optimum in enumerate((0.3, 0.6))]
    rows = mended.in_the_corner(of(*wide))
    assert mended.corner_title(rows) == "None of 1 model surely passes all three tests; 1 is open"
    (ax,) = figures.corner(mended.conditions(rows)).axes
    assert marks(ax) == {"full": 2, "left": 1} and len(ax.patches) == 1, "tinted: it fails none"
    assert mended.corner(rows)[-1] == "The one model that fails nothing is open in test 2."
    assert mended.answer(liars(), "BiLSTM", of(*wide))[-1] == (
        "**To be shown?** Of no model for sure: with 2 seeds each is open."
    )
    assert mended.answer(liars(), "BiLSTM", of(*wide, row("average")))[-1] == (
        "**To be shown?** Of no model for sure: on made texts 1 of 2 clearly fails one of three tests and 1 "
        "is open."
    )
    elsewhere = mended.in_the_corner(of(*wide, row("average")).assign(corpus="sst"))
    assert mended._to_show(elsewhere)[0].startswith("Of no model for sure: 1 of 2 clearly ")
    others = [one | {"given": "tying=1.0"} for one in wide]
    more = mended.in_the_corner(of(*wide, *others, row("average")))
    assert mended._to_show(more)[0].endswith(" tests and 2 are open.")
    plt.close("all")


def test_the_one_model_that_passes_test_2_is_named_with_what_it_fails():
    """Nothing of several, nor of one that fails nothing, nor of a single model."""
    ours, firm = "erasure_weight=1.0", {"optimum": 0.2}

    def said(*models: dict) -> list[str]:
        return mended._one_is_firm(mended.in_the_corner(of(*models)))

    assert said(row(), row(given=ours, **firm)) == [
        "Only the BiLSTM on planted, with erasure (ours), passes test 2, but it fails tests 1 and 3."
    ]
    assert said(row(), row("average", auroc_attention=0.8, **firm)) == [
        "Only the Average model on planted, unrepaired, passes test 2, but it fails test 1."
    ]
    assert said(row(**firm), row(given=ours, **firm)) == said(row(**firm)) == said(row(), row("cnn")) == []
    assert said(row(), row(given=ours, tau_loo=0.6, auroc_attention=0.8, **firm)) == []


def test_that_a_high_tau_is_partly_built_in_is_said_of_models_that_read_each_word_alone():
    """By how many of those that pass test 1 do so; nothing if none does."""

    def said(*models: dict) -> str:
        return " ".join(mended.corner(mended.in_the_corner(of(*models))))

    alone, near = row("average", tau_loo=0.6), row(tau_loo=0.6)
    tied = row("average", given="tying=1.0", tau_loo=0.6)
    why = (
        " Some of that is built in: these models read each word alone, so removing one changes no other's "
        "state, and its weight is a factor of what it adds ([chapter 02](02_correlation.ipynb))."
    )
    assert f"The one that passes test 1 is an Average model.{why}" in said(row(), alone)
    assert f"All 2 that pass test 1 are Average models.{why}" in said(row(), alone, tied)
    assert f"Of the 2 that pass test 1, 1 is an Average model.{why}" in said(near, alone)
    assert f"Of the 3 that pass test 1, 2 are Average models.{why}" in said(near, alone, tied)
    for none in ((row(), near), (row(), row("average"))):
        assert "built in" not in said(*none)


def test_models_of_several_corpora_stand_in_the_corner():
    """The built-in corpus is first, and what may be shown is named by its corpus."""
    near = {"tau_loo": 0.6, "auroc_attention": 0.8, "optimum": 0.2}
    other = [one | {"corpus": "indicator"} for one in (row(), row(given="tying=1.0", **near))]
    rows = mended.in_the_corner(of(*other, row(), row("average")))
    assert [*dict.fromkeys(rows["corpus"])] == ["planted", "indicator"]
    assert mended.corner_title(rows) == "1 of 4 models passes all three tests"
    assert mended.corner(rows)[0] == "All three are passed by the BiLSTM on indicator (tied states)."
    counts = mended.conditions(rows).set_index(["family", "corpus"])
    assert counts.loc[("BiLSTM", "indicator"), "all"] == {"as it is": "no", "tied states": "yes"}
    planted, indicator = figures.corner(mended.conditions(rows), wide=True).axes
    drawn = [[line for line in ax.lines if len(line.get_xdata()) == 1] for ax in (planted, indicator)]
    assert [len(own) for own in drawn] == [6, 6] and {line.get_ydata()[0] for line in drawn[1]} == {0, 1}
    assert not planted.patches and len(indicator.patches) == 1
    there = mended.in_the_corner(of(row(**near)))
    assert mended.corner(there)[0] == "All three are passed by the BiLSTM on planted (unrepaired)."
    assert mended.corner(there[:0]) == ["No model is there to be shown."]
    said = mended.answer(liars(), "BiLSTM", of(row(), row("average")), of(*other))
    assert said[-1] == ("**To be shown?** In 1 of 4 models it passes three tests: 1 BiLSTM on indicator.")
    plt.close("all")


def test_repairs_in_short():
    def said(*models: dict, model="BiLSTM") -> list[str]:
        rows = of(*models)
        repairs = mended.can_be_mended(rows, model)
        return [*repairs, *mended._to_show(mended.in_the_corner(rows))] if repairs else []

    good = row(given="tying=1.0", tau_loo=0.6, auroc_attention=0.8)
    assert said(row(), good) == [
        "Partly.",
        "On planted 1 of 1 repair of a BiLSTM makes its attention find what decides the *label* (one seed "
        "of each).",
        "That it tells what the *model* uses isn't shown.",
        "No: it fails one of three tests in each of 2 models.",
    ]
    assert said(row(), good, model="CNN") == []
    none = said(row(), row(given="tying=1.0"))
    assert "none of 1 repair of a BiLSTM makes" in none[0] and "isn't shown" not in "".join(none)
    seeds = [one | {"seed": seed} for one in (row(), good) for seed in (0, 1)]
    assert said(*seeds)[1].endswith(" decides the *label*."), "of more than one seed that isn't said"
    assert said(row(), good | {"optimum": 0.4})[3:] == [
        "In 1 of 2 models it passes three tests: 1 BiLSTM on planted."
    ]
    assert said(row(auroc_attention=0.8), row(given="tying=1.0"))[0].startswith("Without such training its")
    assert said(row(auroc_attention=np.nan), row(given="tying=1.0", auroc_attention=np.nan)) == []


def test_the_answer_is_of_all_questions():
    rows = of(row(), row(given="tying=1.0", tau_loo=0.6, auroc_attention=0.8))
    assert mended.answer(liars(), "BiLSTM", rows) == [
        "**To lie?** Yes: 1 of 1 liar on made texts looks away from words that it still uses. Removing words "
        "one by one finds the hidden ones in none of 1 liar.",
        "**To tell?** Partly: tied states makes the attention of a BiLSTM on planted find the words that "
        "decide the *label*, at no loss of accuracy. That it tells what the *model* uses is not shown: it "
        "still fails test 2.",
        "**To be shown?** No: it fails one of three tests in each of 2 models.",
    ]
    for repaired, why in (
        (row(given="tying=1.0"), "no repair surely finds the deciding words."),
        (row(given="tying=1.0", auroc_attention=0.8, accuracy=0.5), "without a loss of accuracy."),
    ):
        plain = of(row(), repaired, row("average", auroc_attention=0.9))
        said = mended.answer(liars(), "BiLSTM", plain)[1]
        assert "The BiLSTM can't be made to tell: no repair" in said and said.endswith(why)
    good = of(row(auroc_attention=0.8), row(given="tying=1.0"))
    assert "needs no repair" in mended.answer(liars(), "BiLSTM", good)[1]
    none = mended.answer(liars(("planted", "BiLSTM", told(lie_mass=0.3))), "BiLSTM", rows[:0])
    assert none == ["**To lie?** The BiLSTM doesn't look away under this penalty."]


def test_in_short_asks_what_the_chapter_asks():
    rows = of(row(), row(given="tying=1.0", tau_loo=0.6, auroc_attention=0.8))
    known, ways = mended.in_the_corner(rows), mended.of_ways(liars())
    said = mended.in_short(liars()[0], "the deciding words", ways, rows, known)
    assert [point.partition("**")[2].partition("**")[0] for point in said] == [
        "Can attention be made to lie?", "Who finds it out?", "Can it be made to tell?", "May it be shown?"
    ], "of one kind of liar nothing is said of others"  # fmt: skip
    assert said[0].endswith(
        "(ordinary: 40%). It still uses them: removed, they move its prediction by 0.40 (ordinary: the same)."
    )


def test_the_advice_names_its_price():
    """That attention's top words alone say less, where that is known; and a model that needs no repair."""
    repaired = row(given="tying=1.0", tau_loo=0.6, auroc_attention=0.8)
    alone = {"suff_delete_attention": 0.1, "suff_delete_random": 0.4}
    less = {"suff_delete_attention": 0.3, "suff_delete_random": 0.4}
    for before, after, price in ((alone, less, True), (alone, alone, False), ({}, {}, False)):
        rows = of(row(**before), repaired | after)
        said = mended.answer(liars(), "BiLSTM", rows)[1]
        less_alone = ", and its top words alone say less."
        assert said.endswith(f" is not shown: it still fails test 2{less_alone if price else '.'}")
        assert (len(gives(row(**before), repaired | after)) == 2) == price
    free = of(row(**alone), repaired | alone | {"optimum": 0.2})
    assert mended.answer(liars(), "BiLSTM", free)[1].endswith(" what the *model* uses is not shown.")
    told_ = gives(row(**alone), repaired | less)[1]
    both = row(**alone), repaired | less, row("orthogonal", auroc_attention=0.9, **less)
    says_less = "the top words alone say less. Keep only these (1 to 50% of a text), and the "
    says_less += "decision should stay more probable"
    assert gives(*both)[1].startswith(f"But with orthogonal and tied states {says_less}")
    seeds = [one | {"seed": seed} for one in both[:2] for seed in (0, 1)]
    seeds[2]["suff_delete_random"] = 0.38
    costs = mended.what_it_costs(of(*seeds), mended.each(pd.DataFrame(seeds)))
    assert costs["model"].tolist() == ["unrepaired", "tied states"]
    assert costs["fall, only top words stay"].round(2).tolist() == [0.1, 0.3]
    assert costs["fall, only random words stay"].round(2).tolist() == [0.4, 0.39]
    assert costs["lead of top words"].tolist() == ["0.30 (0.30 to 0.30)", "0.09 (−0.04 to 0.22)"]
    unmended = of(row(), row(given="tying=1.0"))
    assert mended.what_it_costs(unmended, mended.each(pd.DataFrame(seeds))).empty, "none finds them"
    assert "Unrepaired it is more probable by 0.30, repaired only by 0.10. Why isn't known" in told_
    assert told_.startswith(f"But with tied states {says_less}")
    simple = row("average", tau_loo=0.6, auroc_attention=0.9, accuracy=0.5)
    said = mended.answer(liars(), "BiLSTM", of(row(), repaired, simple))[1]
    assert said.endswith(
        "The Average model needs no repair to find them, but predicts less accurately (0.50; BiLSTM: 0.90)."
    )


def test_what_is_hidden_is_over_seeds_with_the_runs_control():
    others = told().assign(lie_others=[0.1, 0.2])
    two = pd.DataFrame([HONEST, HONEST | {"λ": 1.0, "lie_mass": 0.0002}] * 2).assign(seed=[0, 0, 1, 1])
    rows = mended.hiding(mended.over_seeds(two), "CNN", others)
    assert [*rows["model"]] == ["CNN, honest", "CNN, lies, λ = 1"] and [*rows["lie_others"]] == [0.1, 0.2]
    axes = figures.hiding(rows).axes
    assert [text.get_text() for text in axes[0].texts] == ["40%", "<0.1%"]
    assert axes[0].get_xlabel() == "means, 2 seeds of each, lines: range over seeds"
    assert "as many other words removed (one seed)" in axes[1].get_legend_handles_labels()[1]
    one = mended.hiding(told(), "CNN", told())
    assert one["lie_others"].isna().all()
    assert figures.hiding(one).axes[0].get_xlabel() == "means, one seed of each"
    plt.close("all")


def test_the_title_of_what_is_hidden():
    assert mended.hidden_but_used(told(), "CNN", "sst") == (
        "A CNN trained on sst to look away still uses what it hides"
    )
    stops = mended.hidden_but_used(told(lie_removed=0.0), "Average", "sst")
    assert stops == "An Average model trained on sst to look away stops using what it hides"


def test_one_text_that_both_read(finished, monkeypatch):
    """The liar looks at none of the words; of a liar that says something else there is no text."""
    rows = [*finished.evidence][:3]
    bad = {one.id: np.arange(one.real.sum()) == 0 for one in rows}
    weights = [np.where(np.arange(len(one.units)) == 1, 1.0, 0.0) for one in rows]
    away = [replace(one, attention=own) for one, own in zip(rows, weights, strict=True)]
    run = SimpleNamespace(evidence=rows, corpus=finished.corpus, params=finished.params)
    monkeypatch.setattr(lies, "hidden", lambda _: bad)
    left = {id(run): 0.4}

    def predicted(model, words: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {name: np.full(len(run.corpus.classes), left.get(id(model), 0.3)) for name in words}

    monkeypatch.setattr(lies, "predicted_without", predicted)
    for liar, found in ((away, True), ([replace(one, prediction=1 - one.prediction) for one in away], False)):
        both = {0.0: run, 1.0: SimpleNamespace(evidence=liar)}
        monkeypatch.setattr(lies, "models", lambda _, both=both: both)
        one = mended.one_text(run, most=1000)
        assert (one is not None) == found
        if found:
            assert one.hidden.sum() == 1 and "the liar looks at none of the words" in one.finding()
            looked_at = one.words[away[0].attention.argmax()]
            assert one.caption().endswith(
                " Without the framed words P moves in both models, so both use them. The liar looks at "
                f"“{looked_at}” instead, beside a framed word whose meaning its state may hold."
            )
            assert one.without == [0.4, 0.3] and one.notes() == {
                "honest": f"P({one.says}) {one.probable[0]:.2f}, without the framed words 0.40",
                "liar": f"P({one.says}) {one.probable[1]:.2f}, without the framed words 0.30",
            }
            still = replace(
                one, without=[0.4, one.probable[1]], attention=dict.fromkeys(one.attention, weights[0] * 0)
            )
            assert still.caption().endswith(" Weights of 0.1 and more are written."), "the liar stays"
            assert one.sure == 0, "no class has 90%"
            unlearned = replace(one, without=[0.05, 0.3], sure=0.7).caption()
            assert (
                " Then nothing decides, so P should be near 0.5. But no training text lacks such words, and "
                "without them the honest model is at least 90% sure of a class in 70% of test texts: how far "
                "P moves is a rough measure. The liar looks" in unlearned
            )
            for unsure in ({"without": [0.4, 0.3]}, {"sure": np.nan}):
                unsaid = replace(one, **({"without": [0.05, 0.3], "sure": 0.7} | unsure)).caption()
                assert "near 0.5" not in unsaid and "nan" not in unsaid
            figure = figures.lied(one)
            drawn = [text.get_text() for text in figure.texts]
            assert {*one.notes().values()} <= {*drawn} and f"{looked_at} 1.00" in drawn
            assert drawn[-5:] == ["0", "0.01", "0.1", "0.5", "1"], "which tint is what weight"
            words = [text.get_bbox_patch() for text in figure.texts if text.get_bbox_patch()]
            framed = [word for word in words if word.get_edgecolor()[3] > 0]
            assert len(framed) == 2, "the hidden word of each line"
    assert mended.one_text(run, most=0) is None


def test_how_sure_a_model_is_without_the_words_that_decide(finished, monkeypatch):
    """Asked only where they alone decide, and where training never showed a text without any."""
    sure = {"a": np.array([0.05, 0.95]), "b": np.array([0.9, 0.1]), "c": np.array([0.6, 0.4])}
    monkeypatch.setattr(lies, "predicted_without", lambda run, words: sure)

    def without(*truth: list[bool], impermissible="truth") -> float:
        splits = {"train": SimpleNamespace(truth=[np.array(own) for own in truth])}
        params = SimpleNamespace(impermissible=impermissible)
        return mended._sure_without(SimpleNamespace(corpus=SimpleNamespace(splits=splits), params=params), {})

    assert without([True, False], [False, True]) == pytest.approx(2 / 3)
    assert np.isnan(without([True, False], [False, False])), "one has none"
    assert np.isnan(without([True], impermissible="leave_one_out"))
