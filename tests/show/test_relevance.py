"""Chapter 08's sentences and tables: of a finished run, of carried rows, of none."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from heed.experiments import relevance as experiment
from heed.measures import relevance as measures
from heed.runs.summaries import of_several
from heed.show import figures, relevance


@pytest.fixture(scope="module")
def rows():
    return relevance.carried()


def overall(run) -> pd.DataFrame:
    return run.table("summary_relevance").query("`class` == 'overall'").set_index("measure")


def test_all_is_said_of_a_run(finished, rows):
    table, course, summary = (
        of_several(finished.table("relevance")),
        finished.table("course"),
        overall(finished),
    )
    real, over = relevance.on_real_text(rows), relevance.run_by_run(rows)
    tops, agree = relevance.tops(finished), relevance.with_bag(finished)
    best = relevance.at_best(finished, table, agree, summary)
    said = [
        *relevance.in_short(finished, table, summary, real, over, agree),
        *relevance.answer(table, real, over),
        relevance.what_follows(finished, table, real, tops),
        relevance.twins(table, real),
        relevance.twins(table, real[:0]),
    ]
    said += [
        relevance.pairs(summary, agree),
        relevance.counted_here(summary),
        *relevance.contrary(finished, table, agree, tops, real, best),
        relevance.counts_words(summary),
        relevance.counted_on_real_text(real),
        relevance.by_checkpoint(over),
        relevance.decides(tops),
        *relevance.of_counting(tops, True),
        relevance.over_seeds(finished, summary, rows),
        relevance.over_seeds(finished, summary, rows[:0]),
        relevance.by_whole_rankings(summary),
        *relevance.first(course, summary),
        relevance.by_size(course, over),
        relevance.unlike_own(real),
        relevance.replicated(real),
    ]
    said += [
        relevance.reached(course, relevance.order_here(summary)),
        relevance.own_relevance(real),
        relevance.of_local_states(real),
        relevance.all_orders(over, real),
        *relevance.by_means(over),
        relevance.in_all(relevance.with_this_run(finished, summary, over)),
        relevance.frequency(summary),
    ]
    local = relevance.Local(finished)
    moved, told = relevance.elsewhere(finished, table)
    assert len(moved) == 2 and moved.shape[1] == 5
    said += [local.against(table), *local.negators(), told]
    assert all(said) and all("nan" not in sentence for sentence in said)
    assert len(relevance.as_table(summary)) == len(experiment.PAIRS)
    assert len(relevance.local_states(finished, summary)) >= 2
    for rows_ in (tops, relevance.attended_to(finished, summary, agree), relevance.counting(summary)):
        assert rows_["mean"].between(rows_["low"], rows_["high"]).all()
        assert rows_["low"].min() >= 0 and rows_["high"].max() <= 1
        figure = figures.hits(rows_, 0.1, "share")
        assert len(figure.axes[0].get_yticks()) == len(rows_)
        plt.close(figure)
    assert len(tops) == 5
    assert len(relevance.dictionary(finished)) == 6
    assert len(relevance.found(summary, local, course, agree)) == 14


def test_nothing_is_said_of_nothing():
    none = pd.DataFrame(columns=["top_uniform", "top_chance"])
    assert relevance.in_short(None, none, none, none, none, none) == [relevance.NOTHING]
    assert relevance.answer(none, none, none) == [relevance.NOTHING]
    assert relevance.what_follows(None, none, none, none) == ""
    assert relevance.of_local_states(pd.DataFrame()) == ""
    assert relevance.counted_on_real_text(pd.DataFrame()) == ""
    assert relevance.whose_model(pd.DataFrame()) == []
    assert relevance.predicted_better([], (0.3, {}, 7)) == ""


def test_one_text(finished):
    """Its agreement is counted, its logit summed."""
    uniform = experiment.models(finished)["uniform"].evidence
    assert uniform.lengths[relevance.shown(uniform)] > 1
    for i in range(3):
        row = finished.evidence[i]
        assert relevance.sums_up(row, finished.corpus.classes).startswith("Over the words of this text")
        assert relevance.three_tops(row, uniform[i]).startswith(("Attention", "Relevance"))
        assert "So A is" in relevance.agreement_by_hand(row, uniform[i])
        assert "chance" not in relevance.agreement_by_hand(row, uniform[i], chance=False)


@pytest.mark.parametrize(
    ("own", "flat", "told"),
    [([3, 1, 0], [3, 1, 0], "Attention, relevance and uniform training (r′) all put “a” first"),
     ([0, 3, 1], [0, 1, 3], "and uniform training (r′) each put another word first: “a”, “b” and “c”"),
     ([0, 3, 1], [3, 1, 0], "Attention and uniform training (r′) both put “a” first, relevance “b”"),
     ([0, 3, 1], [0, 3, 1], "Relevance and uniform training (r′) both put “b” first, attention “a”")],
)  # fmt: skip
def test_which_word_each_ranking_puts_first(monkeypatch, own, flat, told):
    monkeypatch.setattr(measures, "relevance", lambda row: np.array(row.r))
    row = SimpleNamespace(units=["a", "b", "c"], attention=np.array([0.8, 0.1, 0.1]), r=own)
    assert relevance.three_tops(row, SimpleNamespace(r=flat)).endswith(
        f"{told} (A\u00a0=\u00a0{int(np.argmax(flat) == 0)})"
    )


@pytest.mark.parametrize(
    ("n", "total", "told"),
    [(0, 3, "none of 3 runs"), (2, 3, "2 of 3 runs"), (3, 3, "all 3 runs"), (2, 2, "both runs"),
     (1, 1, "the one run"), (0, 1, "no run")],
)  # fmt: skip
def test_counts_of_all_and_of_none_read_right(n, total, told):
    assert relevance.of_all(n, total, "run") == told


def test_two_texts_by_hand():
    by_hand = relevance.TwoTexts()
    assert by_hand.logit("this movie is great") == 0
    assert {*by_hand.pull("this movie is great").values()} == {0}  # at the start nothing draws attention
    assert by_hand.one().count("+0.125") == 2
    assert [*by_hand.both()["word"]] == ["this", "movie", "is", "great", "bad"]
    later = by_hand.a_hundred_times().set_index("word")
    good, bad = (later[f"pull in “{text}”"] for text in by_hand.texts)
    assert later["r after 100 rounds"].idxmax() == "great" == good.idxmax() and bad.idxmax() == "bad"
    assert np.isnan([good["bad"], bad["great"]]).all()


def test_the_flow_is_drawn_as_it_is():
    panels = relevance.flows()
    assert "reaches 1 at s\u00a0=\u00a00.93" in relevance.turns(panels)
    figures.flow(panels)


def test_carried_runs(rows):
    real = relevance.on_real_text(rows)
    assert len(relevance.with_attention(real)) == len(real) == len(relevance.with_uniform(real))
    assert real["seeds"].min() >= 1
    for name in relevance.DRAWN:
        assert (real[f"low_{name}"] <= real[name]).all() and (real[name] <= real[f"high_{name}"]).all()
    gap = real["top_own"] - real["top_uniform"]
    own = relevance.own_relevance(real)
    assert own.startswith(f"In {(gap > 0).sum()} of {len(real)} rows") and f"; in {(gap < 0).sum()} (" in own
    assert f"by up to {100 * gap.max():.0f} points" in own
    assert relevance.unlike_own(real.assign(top_other=1.0)) == ""
    assert relevance.unlike_own(real.assign(top_other=0.0, top_own=1.0)).count("where its own") == len(real)
    assert relevance.own_relevance(real.assign(top_own=1.0)).startswith(f"In all {len(real)} rows (")
    assert "less often than" in relevance.own_relevance(real.assign(top_own=0.0))
    assert "The theory wouldn't" in relevance.of_local_states(real)
    assert relevance.of_local_states(real.assign(top_own=1.0)) == ""
    assert relevance.own_of_local(real.assign(top_uniform=0.0)) is None
    assert (real["each_top_own"].map(len) == real["seeds"]).all()
    assert np.allclose(real["each_top_own"].map(np.mean), real["top_own"])
    plt.close(figures.on_real_text(real))
    sure = relevance.sure(real)
    assert sure == (real["low_top_uniform"] > real["top_chance"]).sum()
    assert relevance.above_chance(real).startswith(f"In {sure} of {len(real)} rows")
    assert relevance.above_chance(real.assign(low_top_uniform=0.0)).startswith(f"In none of {len(real)} rows")
    assert len(relevance.whose_model(real)) == 3


def test_typical_shares_are_medians(rows):
    real = relevance.on_real_text(rows)
    middle = sorted(real["top_uniform"])[(len(real) - 1) // 2 : len(real) // 2 + 1]
    assert f"(median: {sum(middle) / len(middle):.0%} of the texts" in relevance.above_chance(real)


def test_two_kinds_of_word_vectors(rows):
    table, apart = relevance.first_vectors(rows)
    corpus, _, least, most = apart
    assert corpus in {*table["corpus"]} and 0 <= least < most <= 1
    pairs = [*zip(table["A, word2vec"], table["A, random"], strict=True)]
    more = relevance.of_all(
        sum(random > word2vec for word2vec, random in pairs), len(table), "corpus", "corpora"
    )
    assert f"from word2vec's in {more}" in relevance.by_vectors(table)
    beyond = sum(random - word2vec > most - least for word2vec, random in pairs)
    said = relevance.of_vectors(table, apart)
    assert f"({corpus}, " in said and f": {least:.0%} to {most:.0%})" in said
    assert said.startswith(f"In {beyond} of {len(table)} corpora A from random vectors is larger by more")
    assert ("So the choice of vectors matters" in said) == (beyond > len(table) / 2)
    assert "matters" not in relevance.of_vectors(table, (corpus, "random vectors", 0.0, 1.0))
    assert "matters" not in relevance.of_vectors(table, None)
    for name in figures.relevance.VECTORS:
        assert (table[f"low {name}"] <= table[name]).all() and (table[name] <= table[f"high {name}"]).all()
    below = relevance.of_vectors(table.assign(**{"high A, random": 0.0}), apart)
    assert "From random vectors A is below chance on" in below
    figure = figures.vectors(table)
    drawn = {line.get_label(): sorted(line.get_xdata()) for line in figure.axes[0].lines}
    assert drawn["random vectors"] == sorted(table["A, random"])
    plt.close(figure)
    assert relevance.first_vectors(rows.iloc[:0])[0].empty


def test_what_predicts_attention_better_is_named(finished, rows):
    """Beyond the interval of the difference, text by text; nothing where it may be chance."""
    texts = pd.DataFrame({"top_uniform": [0.0] * 40, "top_other": [1.0, 0.0] * 20})
    tops, none = tops_of(0.3, 0.2, 0.4), rows.iloc[:0]
    one = relevance.better(finished, texts, np.zeros(40))
    assert [(name, mean, more) for name, mean, more, *_ in one] == [(relevance.OTHER_SEED, 0.5, 0.5)]
    both = relevance.better(finished, texts, np.full(40, 0.75))
    assert [name for name, *_ in both] == [relevance.OTHER_SEED, relevance.A_BAG]
    best = 0.48, {relevance.OTHER_SEED: 0.5, relevance.A_BAG: 0.75}, 7
    said = relevance.contrary(finished, texts, np.full(40, 0.75), tops, none, best)
    assert said[0].startswith("Another seed's relevance agrees with this attention more often than r′, by 50")
    assert "; a bag of words by 75 points (95 %" in said[0] and "is a deciding word in 90%" in said[1]
    assert "has 48% on 7 test texts; on the same texts another seed's relevance 50%" in said[2]
    assert said[2].endswith("account for its lag.")
    assert "isn't the best guide" in said[3] and len(said) == 4
    only = relevance.contrary(finished, texts, np.zeros(40), tops, none, best)
    assert len(only) == 3 and "may be a matter of when training stops" in only[1]
    in_short = relevance.predicted_better(both, best)
    assert in_short.startswith("There another seed's relevance (50%) and a bag of words (75%) do better;")
    assert in_short.endswith("; uniform training's best step: 48% (against 50% and 75%).")
    assert relevance.predicted_better(one, best).endswith("best step: 48% (against 50%).")
    assert relevance.predicted_better(one, (np.nan, {}, 0)).endswith("(50%) does better.")
    alike = texts.assign(top_other=0.0)
    assert relevance.better(finished, alike, np.zeros(40)) == []
    assert relevance.contrary(finished, alike, np.zeros(40), tops[:0], none, best) == []


@pytest.mark.parametrize(
    ("other", "where", "by"),
    [([0.5, 0.4, 0.1], "both BiLSTM rows and no CNN row",
      "by 20 to 30 points; in both also more often than uniform training at its best"),
     ([0.28, 0.1, 0.1], "1 of 2 BiLSTM rows and no CNN row", "by 8 points"),
     ([0.5, 0.4, 0.4], "both BiLSTM rows and the one CNN row", "in all 3 also"),
     ([0.1, 0.1, 0.1], "none of 3 rows", "")],
)  # fmt: skip
def test_where_another_seed_is_ahead_is_told_by_encoder(other, where, by):
    of = pd.MultiIndex.from_tuples([("bilstm",), ("bilstm",), ("cnn",)], names=["encoder"])
    real = pd.DataFrame({"top_other": other, "top_uniform": 0.2, "top_uniform_highest": 0.3}, index=of)
    assert relevance.by_other(real) == where
    lead = relevance._lead(real)
    assert by in lead and bool(lead) == bool(by) and ("at its best" in lead) == (max(other) > 0.3)


def test_whether_words_were_counted_is_told_by_encoder(finished):
    of = pd.MultiIndex.from_tuples([("cnn",), ("bilstm",), ("average",), ("bilstm",)], names=["encoder"])
    real = pd.DataFrame({"top_proxy": [0.4, 0.2, 0.9, 0.4]}, index=of)
    summary = overall(finished)
    said = relevance.by_counting(finished, summary, real, True)
    assert (
        "the bag in 30% (BiLSTM), 90% (Average, nearly one) and 40% (CNN) of real texts; on planted" in said
    )
    alone = relevance.by_counting(finished, summary, real[:0], False)
    assert "It agrees with a bag of words in " in alone and "real" not in alone
    told = relevance.counted_on_real_text(real)
    assert "30% (BiLSTM, by row 20% to 40%), 90% (Average) and 40% (CNN)" in told and "hardly be" in told
    assert "hardly be" not in relevance.counted_on_real_text(real[:2])


@pytest.mark.parametrize(
    ("orders", "told"),
    [(["intervals overlap", "attention", "same checkpoint"],
      "Open in planted and 2 of 3 real runs (too few seeds: 1; tie: 1); attention first in 1"),
     (["intervals overlap", "one other seed only"],
      "Open in planted and both real runs (too few seeds: 2)")],
)  # fmt: skip
def test_what_is_undecided_is_told_with_its_reasons(orders, told):
    over = pd.DataFrame({"which is first": orders} | {end: 1.0 for end in relevance._ENDS})
    over["low_half_attention_agrees"] = 0.0
    left = sum(order in relevance.WHY for order in orders)
    assert relevance._undecided(over, left, "planted and ") == told
    alike = relevance._undecided(over.assign(low_half_attention_agrees=1.0), left, "")
    assert alike.endswith(" (interval of no width)") == ("attention" in orders)


def test_agreement_by_whole_rankings_is_told_with_its_intervals():
    names = [f"tau_{name}" for name in ("gate", "dropped", "proxy")]
    ends = {"mean": [0.04, 0.15, 0.18], "low": [-0.1, 0.1, 0.1], "high": [0.2, 0.2, 0.3]}
    said = relevance.by_whole_rankings(pd.DataFrame(ends, index=names))
    assert "gate gradient 0.04 (−0.10 to 0.20) and signed leave-one-out 0.15 (0.10 to 0.20)" in said


@pytest.mark.parametrize(
    ("agrees", "told"),
    [(0.5, "Another seed's relevance points to the final attention earlier (step 10) than its attention does "
      "(step 20)"), (0.1, "hardly ever points")],
)  # fmt: skip
def test_the_course_is_told_by_its_halfway_steps(agrees, told):
    seed = {"model": "seed 1", "step": [0, 10, 20], "attention_agrees": [0, 0, 0.4]}
    course = pd.DataFrame(seed | {"chance": 0.08, "spread": 0.0, "away": 0.0, "accuracy": 0.5,
                                  "relevance_agrees": [0, agrees, agrees]})  # fmt: skip
    course = pd.concat([course, course.assign(model="base", step=course["step"] + 5)])
    assert told in relevance.reached(course, "relevance")
    unsure = relevance.reached(course, "intervals overlap")
    assert told in unsure and ("; one seed can't decide which is first" in unsure) == (agrees == 0.5)
    assert "decide" not in relevance.reached(course, "relevance")
    halves = relevance.halves(course)
    assert {name: [*of.items()] for name, of in halves.items()} == {
        "relevance_agrees": [("seed 1", 10)],
        "attention_agrees": [("seed 1", 20)],
    }
    flat = pd.concat([course, course[course["model"] == "seed 1"].assign(model="uniform")])
    half = relevance.flat_half(flat)
    figure = figures.course(flat, halves, half)
    rings = [
        sorted(
            (*r.get_xdata(), *r.get_ydata())
            for r in ax.lines
            if r.get_markersize() == 11 and len(r.get_xdata())
        )
        for ax in figure.axes
    ]
    assert rings == [[(10, agrees), (20, 0.4)], [(10, agrees)] if agrees == 0.5 else []]
    plt.close(figure)
    said = relevance.flat_first(flat)
    assert ("halfway at step 10: as the theory expects, before" in said) == (agrees == 0.5)
    assert bool(said) == (agrees == 0.5) == (", r′ at step 10" in relevance.reached(flat, "relevance"))
    assert relevance.flat_half(course) is None


def test_of_many_seeds_the_mean_is_drawn(finished):
    course = finished.table("course")
    other = course[~course["model"].isin(("base", "uniform"))].iloc[:0]
    one = course[course["model"] == course["model"].iloc[-1]]
    base = course[course["model"].isin(("base", "uniform"))]
    for n in (2, 5):
        of = pd.concat([base, other, *(one.assign(model=f"seed {k}") for k in range(n))])
        figure = figures.course(of, relevance.halves(of), relevance.flat_half(of))
        labels = [line.get_label() for line in figure.axes[0].lines]
        assert ("other seeds' attention, mean" in labels) == (n == 5)
        assert ("other seeds' attention" in labels) == (n == 2)
        plt.close(figure)


@pytest.mark.parametrize(("spread", "away"), [(400.0, 100.0), (100.0, 400.0)])
def test_halfway_by_size_is_told(finished, rows, spread, away):
    over = relevance.run_by_run(rows).assign(half_spread=spread, half_away=away)
    sooner = relevance.of_all(len(over) if away < spread else 0, len(over), "run")
    course = finished.table("course")
    assert f"attention is earlier by size in {sooner}." in relevance.by_size(course, over)
    assert "real text" not in relevance.by_size(course, over.iloc[:0])
    assert "real text" not in relevance.by_size(course, over.assign(half_away=np.nan))


@pytest.mark.parametrize(
    ("relevant", "attended", "other", "order"),
    [((50, 25, 75), (200, 150, 250), 0.5, "relevance"), ((200, 150, 250), (50, 25, 75), 0.5, "attention"),
     ((50, 0, 100), (75, 25, 125), 0.5, "intervals overlap"),
     ((50, 0, 100), (50, 0, 100), 0.5, "same checkpoint"),
     ((50, 25, 75), (200, 150, 250), 0.1, "relevance near chance"),
     ((50, np.nan, np.nan), (75, np.nan, np.nan), 0.5, "one other seed only")],
)  # fmt: skip
def test_which_is_first(relevant, attended, other, order):
    names = [*relevance.HALVES, "top_other", "top_chance"]
    one, low, high = (
        pd.Series([relevant[k], attended[k], other, 0.08], index=names, dtype=float) for k in range(3)
    )
    assert relevance._order(one, low, high) == order
    over = pd.DataFrame([{"which is first": order} | relevance._ends(one, low, high)])
    assert "of 1 real run " in relevance.counts(over) and "no width" not in relevance.counts(over)
    told = relevance.all_orders(over, over)
    assert ("leaves it undecided: " in told and told.endswith(" in 1.")) == (order in relevance.WHY)
    assert told.endswith("none leaves it undecided.") == (order not in relevance.WHY)


@pytest.mark.parametrize(
    ("steps", "told"),
    [([25], "at step 25"), ([25, 25], "at step 25 in each"), ([75, 25], "at steps 25 and 75"),
     ([25, 50, 75, 100], "at step 62 on average (95 % interval over these seeds 30 to 95)")],
)  # fmt: skip
def test_steps_of_few_seeds_are_named(steps, told):
    over = pd.Series({"mean": 62, "low": 30, "high": 95})
    assert relevance._steps(pd.Series(steps), over) == told


def test_beside_the_authors(finished, rows):
    real = relevance.on_real_text(rows)
    found = relevance.beside_the_authors(finished, overall(finished), real)
    assert len(found) == 2 and all("authors" in table for table in found.values())
    assert relevance.beside_the_authors(finished, overall(finished), real.iloc[:0]) == {}


def tops_of(uniform: float, low: float, high: float) -> pd.DataFrame:
    rows = [(relevance.RANDOM, 0.3, 0.3, 0.3), ("attention", 0.6, 0.5, 0.7),
            ("r (own relevance)", 0.5, 0.4, 0.6),
            (relevance.UNIFORM, uniform, low, high), (relevance.BAG, 0.9, 0.8, 0.95)]  # fmt: skip
    return pd.DataFrame(rows, columns=relevance.HITS)


@pytest.mark.parametrize(
    ("low", "high", "told", "misses"),
    [(0.1, 0.2, "less often than", True), (0.2, 0.4, "no more often than", True),
     (0.4, 0.5, "more often than", True), (0.7, 0.85, "more often than", False)],
)  # fmt: skip
def test_deciding_words_are_held_against_a_random_word(low, high, told, misses):
    tops = tops_of((low + high) / 2, low, high)
    said = relevance.of_counting(tops, True)
    assert f" decides {told} a random word." in said[0]
    assert ("isn't a count of words" in " ".join(said)) == misses and len(said) == 1 + 2 * misses
    assert relevance.not_counted(tops) == misses
    assert "a deciding word in" in relevance.decides(tops)


def test_attention_and_the_bag_of_words_by_hand(finished):
    """The same from its definition: fewer than ⌈5 %⌉ of the words have more than attention's first."""
    counted = measures.relevances(experiment.bag(finished).evidence)
    found = []
    for row in finished.evidence:
        if len(row.attention) > 1:
            ranks = counted[row.id]
            larger = sum(r > ranks[row.attention.argmax()] for r in ranks)
            found.append(larger < -(-len(ranks) // 20))
    agree = relevance.with_bag(finished)
    assert len(agree) == len(found) and agree.mean() == pytest.approx(np.mean(found), abs=2 / len(found))


def test_the_halfway_steps_are_drawn_as_they_are(finished, rows):
    over = relevance.run_by_run(rows)
    halves = relevance.with_this_run(finished, overall(finished), over)
    assert len(halves) == 1 + len(over) and halves["run"][0].startswith("this run: ")
    told = relevance.in_all(halves)
    undecided = (~halves["which is first"].isin(relevance.ORDERS[:2])).sum()
    assert f"undecided in {undecided} of {len(halves)} runs" in told
    for shown in (halves, halves[:1]):
        figure = figures.halfway(shown)
        drawn = [x for line in figure.axes[0].lines for x in line.get_xdata()]
        assert sorted(drawn) == sorted(shown[[*relevance.HALVES]].to_numpy(float).ravel())
        plt.close(figure)
    assert len(relevance.with_this_run(finished, overall(finished), over.iloc[:0])) == 1


def test_what_is_decided_by_seeds_that_are_all_alike_is_said_to_be(rows):
    over = relevance.run_by_run(rows)
    decided = over["which is first"].isin(relevance.ORDERS[:2])
    alike = over.assign(
        **{f"{end}{half}": over[half] for half in relevance.HALVES for end in ("low_", "high_")}
    )
    assert decided.any() and "an interval of no width" in relevance.by_means(alike)[-1]
    assert "(an interval of no width)" in relevance.counts(alike)
    apart = over.assign(low_half_attention_agrees=0.0, high_half_attention_agrees=9.0)
    assert len(relevance.by_means(apart)) == 1 and len(relevance.by_means(over[~decided])) == 1
    assert not relevance.without_width(apart) and not relevance.without_width(over[~decided])
    assert "no width" not in relevance.counts(apart)


def test_whether_relevance_moved_with_attention(finished):
    """All texts with its own, half with the base model's, beside seeds that differ less, or as much."""
    own, half = np.ones(40), np.repeat([0.0, 1.0], 20)
    said = relevance.moved_along(own, half, own, own, finished.params)
    assert "in 100% of the texts, with this run's in 50% (+50 points" in said
    assert "The adversary's gap is larger (+50 points" in said and said.endswith(
        "its relevance has moved along."
    )
    as_much = relevance.moved_along(own, half, own, half, finished.params)
    assert "in 100%, with another seed's in 50% (+50 points" in as_much
    assert as_much.endswith("doesn't show that relevance has moved along with attention.")
    assert "−50 points" in relevance.moved_along(half, own, own, own, finished.params)


class Rows(list):
    """Rows as evidence has them: of each its words' relevances."""

    def __init__(self, **values):
        super().__init__(SimpleNamespace(id=name, r=r) for name, r in values.items())
        self.lengths = [len(r) for r in values.values()]


@pytest.mark.parametrize(
    ("values", "alike"), [([5, 6, 7.5], True), ([-7, -5], True), ([1, 9], False), ([-1, 1], False)]
)
def test_no_text_is_shown_whose_words_are_nearly_alike(monkeypatch, values, alike):
    """The shortest of two words or more whose words differ; one whose words don't if there is no other."""
    monkeypatch.setattr(measures, "relevance", lambda row: np.array(row.r))
    rows = Rows(one=[3], a=values, longest=[1, 9, 1, 9, 1], b=[-1, 1, 2, 3])
    assert relevance.shown(rows) == (3 if alike else 1)
    assert relevance.shown(Rows(one=[3], a=values)) == 1
    table = pd.DataFrame({"id": ["a", "b"], "top_uniform": [1.0, 0.0], "length": [2, 4]})
    assert relevance.counterpart(table, "b", rows) == (None if alike else "a")
    assert relevance.counterpart(table, "a", rows) == "b"
    assert relevance.counterpart(table[:1], "a", rows) is None


@pytest.mark.parametrize(
    ("unit", "encoder", "told"),
    [(".", "bilstm", "has read the rest of the text, too"), (".", "cnn", "has read its neighbours"),
     (".", "average", ""), ("good", "bilstm", "")],
)  # fmt: skip
def test_a_mark_that_is_first_is_explained(monkeypatch, unit, encoder, told):
    monkeypatch.setattr(measures, "relevance", lambda row: np.array(row.r))
    row = SimpleNamespace(units=["bad", unit], attention=np.array([0.2, 0.8]), r=[1, 0])
    said = relevance.of_a_mark(row, row, encoder)
    assert told in said and bool(said) == bool(told)


def test_the_second_text_is_named_by_its_agreement():
    table = pd.DataFrame({"id": ["a", "b"], "top_uniform": [1.0, 0.5]})
    assert relevance.which_text(table, "a").endswith("whose A is 1:")
    assert relevance.which_text(table, "b").endswith("whose A is less than 1:")


def test_where_the_deciding_words_arent_known_none_are_counted():
    evidence = SimpleNamespace(truth_is_known=False)
    assert relevance.tops(SimpleNamespace(evidence=evidence, params=None)).empty
