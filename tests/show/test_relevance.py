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
    said = [
        *relevance.in_short(finished, table, summary, real, over, agree),
        *relevance.in_short(finished, table, summary, real[:0], over[:0], agree),
        *relevance.answer(table, real, over),
        *relevance.answer(table, real[:0], over[:0]),
        relevance.which_models(finished, real),
        relevance.which_models(finished, real[:0]),
        relevance.beside_chapter_02(real),
        relevance.what_counts(real),
        relevance.under_one(finished, course),
        relevance.twins(table, real),
        relevance.twins(table, real[:0]),
        relevance.pairs("planted", relevance.better(finished, table, agree)),
        relevance.other_guide(real),
        relevance.by_checkpoint(over),
        relevance.decides(tops),
        relevance.what_was_counted(real),
        relevance.over_seeds(finished, summary, rows),
        relevance.over_seeds(finished, summary, rows[:0]),
        *relevance.first(course, summary),
        relevance.unlike_own(real),
        relevance.replicated(real),
        relevance.reached("planted", course, summary),
        relevance.above_chance(real),
        relevance.own_relevance(real),
        relevance.of_local_states(real),
        relevance.which_first(rows, real, over),
        relevance.beside_the_notebook(real),
        relevance.advice(real),
        relevance.first_by_model(real, over),
        relevance.why_undecided(over),
        relevance.in_all(relevance.with_this_run(finished, summary, over)),
    ]
    local = relevance.Local(finished)
    moved, told = relevance.elsewhere(finished, table)
    assert len(moved) == 2 and moved.shape[1] == 5
    said += [local.against(table), *local.negators(), told]
    assert all(said) and all("nan" not in sentence for sentence in said)
    assert len(relevance.as_table(summary)) == len(experiment.PAIRS)
    assert len(relevance.local_states(finished, summary)) >= 2
    for rows_ in (tops, relevance.attended_to(finished, summary, agree)):
        assert rows_["mean"].between(rows_["low"], rows_["high"]).all()
        assert rows_["low"].min() >= 0 and rows_["high"].max() <= 1
        figure = figures.hits(rows_, 0.1, "share", relevance.OWN)
        assert figure.axes[0].get_xlim()[1] > rows_["high"].max()
        assert len(figure.axes[0].get_yticks()) == len(rows_)
        plt.close(figure)
    assert len(tops) == 5
    assert "% of the texts right, this run's model " in relevance.both_predict(finished, finished.evidence)
    short = relevance.in_short(finished, table, summary, real, over, agree)
    assert len(" ".join(short).split()) <= 150 and [line[:4] for line in short] == [
        f"**{k}." for k in (1, 2, 3)
    ]
    assert "by chance (8% at most) in 9 of 10 models (19% to 50% of real texts). Among the" in short[0]
    assert "the top word of a bag of words, which can do little but count, is among" in short[1]
    assert short[2].endswith("It stays open: clear in none of 5 models that could tell.")
    ended = relevance.answer(table, real, over)
    assert ended[0].startswith("Sometimes. Does uniform training's relevance count words")
    assert ended[2].endswith("in 9 of 10 models, in more than half of the texts in none.")
    assert ended[3].startswith("And in Average, the theory's own case") and len(ended) == 4
    assert len(relevance.answer(table, real.assign(top_own=1.0), over)) == 3
    assert relevance.answer(table, real.assign(top_uniform=0.6), over)[2].endswith("of the texts in 10.")
    assert relevance.answer(table, pd.DataFrame(), over[:0]) in (["Sometimes."], ["Not here."])
    whose = relevance.which_models(finished, real)
    assert "10 models trained on real text, from 1 to 3 seeds each: BiLSTM (reads a text both ways)" in whose
    assert "Section 3 and the appendix have this page's own run, too: the [made corpus]" in whose
    assert "film reviews (imdb, sst)" in whose and "agnews" in whose and "others" not in whose
    assert relevance.which_models(finished, real[:0]).startswith("This page's own run is")
    counted = relevance.counted_words(finished, table, summary, real)
    assert [*counted["real text"]] == ["BiLSTM (6 models)", "CNN (2 models)", "Average (2 models)"]
    assert len(counted) == len(relevance.by_encoder(real))
    assert len(relevance.counted_words(finished, table, summary, real[:0])) == 1


def test_nothing_is_said_of_nothing():
    none = pd.DataFrame(columns=["top_uniform", "top_chance"])
    assert relevance.in_short(None, none, none, none, none, none) == [relevance.NOTHING]
    assert relevance.answer(none, none, none) == [relevance.NOTHING]
    assert relevance.own_of_local(pd.DataFrame()) == ""
    assert relevance.of_local_states(pd.DataFrame()) == ""
    assert relevance.replicated(pd.DataFrame()) == ""
    assert relevance.which_first(none, pd.DataFrame(), none) == relevance.advice(pd.DataFrame()) == ""
    assert relevance.beside_the_notebook(pd.DataFrame()) == ""
    assert relevance.what_was_counted(none) == relevance.other_guide(pd.DataFrame()) == ""
    assert relevance.halfway_by_model(pd.DataFrame()).empty
    assert relevance.whose_model(pd.DataFrame()) == []


def test_one_text(finished):
    """Its agreement is counted, its logit summed."""
    uniform = experiment.models(finished)["uniform"].evidence
    assert uniform.lengths[relevance.shown(uniform)] > 1
    for i in range(3):
        row = finished.evidence[i]
        assert relevance.sums_up(row).startswith("Over its words the sum of")
        said = relevance.the_text(finished, row)
        assert said.startswith("An example from the [made corpus]") and "): the gold label of *" in said
        assert relevance.three_tops(row, uniform[i]).startswith(("Attention", "Relevance"))
        assert "So A is" in relevance.agreement_by_hand(row, uniform[i])


@pytest.mark.parametrize(
    ("own", "flat", "told"),
    [([3, 1, 0], [3, 1, 0], "Attention, relevance and uniform training (r′) all put “a” first (▼)"),
     ([0, 3, 1], [0, 1, 3], "and uniform training (r′) each put another word first: “a”, “b” and “c”"),
     ([0, 3, 1], [3, 1, 0], "Attention and uniform training (r′) both put “a” first (▼), relevance “b”"),
     ([0, 3, 1], [0, 3, 1], "Relevance and uniform training (r′) both put “b” first (▼), attention “a”")],
)  # fmt: skip
def test_which_word_each_ranking_puts_first(monkeypatch, own, flat, told):
    monkeypatch.setattr(measures, "relevance", lambda row: np.array(row.r))
    row = SimpleNamespace(units=["a", "b", "c"], attention=np.array([0.8, 0.1, 0.1]), r=own)
    assert relevance.three_tops(row, SimpleNamespace(r=flat)).endswith(told)


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
    by_hand.step("this movie is great")
    assert by_hand.v["great"] == by_hand.v["this"] == 0.125 and by_hand.v["bad"] == 0, "equally far"
    found = by_hand.a_hundred_times()
    assert [*found["word"]] == ["this", "movie", "is", "great", "bad"]
    assert found.equals(relevance.TwoTexts().a_hundred_times()), "it begins anew"
    later = found.set_index("word")
    good, bad = (later[f"pull in “{text}”"] for text in by_hand.texts)
    assert later["v after 100 rounds"].idxmax() == "great" == good.idxmax() and bad.idxmax() == "bad"
    assert np.isnan([good["bad"], bad["great"]]).all()


def test_leave_one_out_may_agree_for_the_weight_in_it(monkeypatch):
    """By hand: z = 0, so the sizes are 5, 2, 3 and 2, and with their weights 0.56, 0.5, 1.29 and 1.33."""
    monkeypatch.setattr(measures, "relevance", lambda row: row.r)
    local = relevance.Local.__new__(relevance.Local)
    local.run = SimpleNamespace(params=SimpleNamespace(corpus="planted"))
    row = {"prediction": [0.5, 0.5], "attention": np.array([0.1, 0.2, 0.3, 0.4])}
    head = SimpleNamespace(one_logit=True)
    local.rows = [SimpleNamespace(**row, head=head, r=np.array([-5, 2, 3, -2]))]
    said = local.weight_or_sign()
    assert "On planted this model's attention has a mean τ of 0.67 with how far" in said
    assert said.endswith("it is \u22120.55.") and "For the weight, not for the sign." in said
    for rows in (
        [],
        [SimpleNamespace(**row | {"prediction": [0.2, 0.3, 0.5]}, head=head, r=local.rows[0].r)],
    ):
        local.rows = rows
        assert local.weight_or_sign() == ""


def test_the_flow_is_drawn_as_it_is():
    panels = relevance.flows()
    assert relevance.turns(panels).endswith("only after s\u00a0=\u00a02.45")
    figures.flow(panels)


def test_carried_runs(rows):
    real = relevance.on_real_text(rows)
    assert len(relevance.with_attention(real)) == len(real) == len(relevance.with_uniform(real))
    assert real["seeds"].min() >= 1
    for name in relevance.DRAWN:
        assert (real[f"low_{name}"] <= real[name]).all() and (real[name] <= real[f"high_{name}"]).all()
    own, all_ = relevance.own_relevance(real), relevance.own_relevance(real.assign(top_own=1.0))
    assert own.startswith("In all 6 BiLSTM models and no Average or CNN model")
    assert "Elsewhere *r′*, of another model, is the better guide" in own and "Elsewhere" not in all_
    assert "no " not in all_ and all_.count("all ") + all_.count("both ") == 3
    said = relevance.above_chance(real)
    word, own_ = (
        "Attention's top word is beyond chance relevant to a uniformly trained model in",
        "to its own model in",
    )
    assert said == f"{word} 9 of 10 models, {own_} 8 (not in Average)"
    nowhere = real.assign(low_top_uniform=0.0, low_top_own=0.0)
    assert relevance.above_chance(nowhere) == f"{word} none of 10 models, {own_} none"
    everywhere = real.assign(low_top_uniform=1.0, low_top_own=1.0)
    assert relevance.above_chance(everywhere) == f"{word} all 10 models, {own_} 10"
    assert relevance.sure(real) == (real["low_top_uniform"] > real["top_chance"]).sum() == 9
    assert relevance.unlike_own(real.assign(top_other=1.0)) == ""
    assert relevance.unlike_own(real.assign(top_other=0.0, top_own=1.0)).count("where its own") == len(real)
    local = relevance.of_local_states(real)
    assert local.startswith("In Average it goes to *r*'s no more often than by chance (imdb and sst; on sst")
    assert "; on" not in relevance.of_local_states(real.assign(high_top_own=1.0))
    assert "(in 4 of these 5 its interval over texts lies above that of *r′*)." in relevance.other_guide(real)
    assert relevance.other_guide(real.assign(top_other=0.0)).endswith("in none of 10 models.")
    followed = relevance.follows(real)
    assert "it is so in 8 of 10 models (15% to 69% of the texts). But" in followed
    assert (
        followed.endswith("no more often than by chance.") and "But in Average, where the theory" in followed
    )
    caption = relevance.under_real(real)
    assert "(snell: [the authors' model]" in caption and "(part): only" in caption
    plain = relevance.under_real(real.xs("sst", level="corpus", drop_level=False))
    assert "snell" not in plain and "(part)" not in plain
    assert "it is so in none of 10 models. But" in relevance.follows(real.assign(low_top_own=0.0))
    assert relevance.of_local_states(real.assign(top_own=1.0)) == ""
    assert relevance.own_of_local(real.assign(top_uniform=0.0)) == ""
    assert "(Over whole texts attention's mean τ is 0.66 with leave-one-out and 0.10 with relevance" in local
    assert "contradict" not in relevance.of_local_states(real.assign(tau_loo=real["tau_own"]))
    texts = "These counts are by 95% intervals over *texts*, not over seeds"
    assert relevance.what_counts(real) == f"{texts}, of which 5 of 10 models have one."
    assert relevance.what_counts(real.assign(seeds=3)) == f"{texts}."
    assert relevance.what_counts(real[:1].assign(seeds=1)).endswith("of which the one model has one.")
    for drawn in (real, real[:1]):
        figure = figures.on_real_text(drawn)
        lines = {line.get_label(): [*line.get_xdata()] for line in figure.axes[0].lines}
        for name, (label, _) in figures.relevance.REAL.items():
            assert sorted(lines[label]) == sorted(drawn[name])
        assert sorted(lines["chance"]) == sorted(drawn["top_chance"])
        plt.close(figure)
    figure = figures.on_real_text(real)
    ax = figure.axes[0]
    heads = {
        text.get_text(): text.xy[1] for text in ax.texts if text.get_text() in ("BiLSTM", "CNN", "Average")
    }
    under = pd.cut(ax.get_yticks(), [*heads.values(), np.inf], labels=[*heads])
    assert [*under] == ["BiLSTM"] * 6 + ["CNN"] * 2 + ["Average"] * 2, "encoders stand together"
    assert {"imdb (snell)", "sst, 3 seeds"} < {text.get_text() for text in ax.get_yticklabels()}
    plt.close(figure)
    assert len(relevance.whose_model(real)) == 3


def test_the_share_of_real_texts_is_told_from_end_to_end(rows):
    real = relevance.on_real_text(rows)
    least, most = real["top_uniform"].min(), real["top_uniform"].max()
    assert relevance.ends_of(real["top_uniform"]) == f"{least:.0%} to {most:.0%}"
    assert relevance.ends_of(real["top_uniform"][:1]) == f"{real['top_uniform'].iloc[0]:.0%}"


def test_two_kinds_of_word_vectors(rows):
    table, apart = relevance.first_vectors(rows)
    corpus, _, least, most = apart
    assert corpus in {*table["corpus"]} and 0 <= least < most <= 1
    pairs = [*zip(table["A, word2vec"], table["A, random"], strict=True)]
    more = relevance.of_all(
        sum(random > word2vec for word2vec, random in pairs), len(table), "corpus", "corpora"
    )
    assert relevance.by_vectors(table).endswith(f"more often in {more}")
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
    tops = tops_of(0.3, 0.2, 0.4)
    one = relevance.better(finished, texts, np.zeros(40))
    both = relevance.better(finished, texts, np.full(40, 0.75))
    assert one == [relevance.OTHER_SEED] and both == [*one, relevance.A_BAG]
    said = relevance.contrary(finished, texts, np.full(40, 0.75))
    assert said.startswith("Another seed's relevance and a bag of words agree with this attention more")
    only = relevance.contrary(finished, texts, np.zeros(40))
    assert only.startswith("Another seed's relevance agrees with")
    alike = texts.assign(top_other=0.0)
    assert relevance.contrary(finished, alike, np.zeros(40)) == ""
    assert relevance.why_the_bag(both, tops) and not relevance.why_the_bag(one, tops)
    assert not relevance.why_the_bag(both, tops[:0])
    assert relevance.pairs("x", both).endswith("a bag of words are better guides than uniform training")
    assert relevance.pairs("x", one).endswith("relevance is a better guide than uniform training")
    assert relevance.pairs("x", []).startswith("On x, neither another seed's relevance nor a bag")


def test_uniform_training_is_asked_early_too(finished):
    """On the texts watched in training, at its best checkpoint."""
    ids = finished.table("watched")["id"].unique()
    texts = pd.DataFrame({"id": ids, "top_uniform": 0.0, "top_other": 0.5})
    agree, summary = np.full(len(ids), 0.75), overall(finished).copy()
    for highest, so in (
        (0.2, "doesn't account for its lag."),
        (0.48, "between it and another seed's relevance:"),
    ):
        summary.loc["top_uniform_highest", "mean"] = highest
        said = relevance.early_enough(finished, texts, agree, summary)
        best = f"In this run (planted) uniform training's A is {highest:.0%} at its best checkpoint, on "
        assert said.startswith(f"{best}{len(ids)} test texts; on the same texts another seed's relevance 50%")
        assert so in said
    assert relevance.early_enough(finished, texts.assign(top_other=0.0), agree * 0, summary) == ""
    assert relevance.early_enough(finished, texts.assign(id="another"), agree, summary) == ""


@pytest.mark.parametrize(
    ("other", "where"),
    [([0.5, 0.4, 0.1], "both BiLSTM models and no CNN model"),
     ([0.28, 0.1, 0.1], "1 of 2 BiLSTM models and no CNN model"),
     ([0.5, 0.4, 0.4], "both BiLSTM models and the one CNN model"),
     ([0.1, 0.1, 0.1], "none of 3 models")],
)  # fmt: skip
def test_where_another_seed_is_ahead_is_told_by_encoder(other, where):
    of = pd.MultiIndex.from_tuples([("bilstm",), ("bilstm",), ("cnn",)], names=["encoder"])
    real = pd.DataFrame({"top_other": other, "top_uniform": 0.2}, index=of)
    assert relevance.ahead(real, "top_other") == where


def test_whether_words_were_counted_is_told_by_encoder(finished):
    of = pd.MultiIndex.from_tuples([("cnn",), ("bilstm",), ("average",), ("bilstm",)], names=["encoder"])
    real = pd.DataFrame({"top_proxy": [0.6, 0.2, 0.9, 0.4], "top_chance": 0.06}, index=of)
    summary, texts = overall(finished), of_several(finished.table("relevance"))
    summary.loc["top_proxy", "mean"] = 0.1
    said = relevance.by_counting(finished, summary, real, True)
    assert said.endswith("in 20% to 60% of real texts (BiLSTM, CNN).")
    summary.loc["top_proxy", "mean"] = 0.6
    assert relevance.by_counting(finished, summary, real[:1], True).endswith(
        "is among its first 5% in 60% of real texts (CNN)."
    )
    assert relevance.by_counting(finished, summary, real[2:3], True).endswith("90% of real texts (Average).")
    alone = relevance.by_counting(finished, summary, real[:0], False)
    assert alone.endswith(
        "uniform training agrees in 60% of the texts with a bag of words, which sees each word alone."
    )
    told = relevance.counted_words(finished, texts, summary, real)[relevance.SHARES]
    assert [*told] == ["30% (20% to 40%)", "60%", "90%"]
    assert [*relevance.counted_words(finished, texts, summary, real[:0])[relevance.SHARES]] == ["60%"]
    assert "nearly is a bag of words itself" in relevance.what_was_counted(real)
    assert "would agree wasn't measured" in relevance.what_was_counted(real)
    assert "itself" not in relevance.what_was_counted(real[:2])


@pytest.mark.parametrize(
    ("orders", "told"),
    [(["intervals overlap", "attention", "same checkpoint"],
      "2 of 3 real runs leave it undecided: both get halfway at the same checkpoint in 1 and"),
     (["intervals overlap", "one other seed only"], "Both real runs leave it undecided: the two"),
     (["seeds alike"], "The one real run leaves it undecided: an interval of no width decides nothing in 1."),
     (["attention"], "")],
)  # fmt: skip
def test_what_is_undecided_is_told_with_its_reasons(orders, told):
    said = relevance.why_undecided(pd.DataFrame({"which is first": orders}))
    assert said.startswith(told) and bool(said) == bool(told)


def test_which_is_first_on_real_text_is_told_by_the_mean_steps():
    """Of models whose relevance gets beyond chance."""
    r, a = relevance.HALVES
    real = pd.DataFrame({r: [50, 60, 90, 1], a: [70, 50, 100, 2], "top_other": [0.5, 0.5, 0.5, 0.1],
                         "top_chance": 0.08, "kind": [*"abcd"]})  # fmt: skip
    width = {f"{end}{half}": real[half] + by for half in (r, a) for end, by in (("low_", -5), ("high_", 5))}
    real = real.assign(**width)
    over = pd.DataFrame({"which is first": ["intervals overlap"] * 3})
    assert relevance.by_means(real) == (3, 2, 1) and relevance.by_means(real[:0]) == (0, 0, 0)
    title = "On average relevance is halfway first in 2 of 3 models, attention in 1"
    open_ = "Relevance or attention first? Clear in none of 3 models that could tell"
    assert relevance.first_by_model(real, over) == open_
    clear = pd.DataFrame({"which is first": ["intervals overlap", "attention"]})
    assert relevance.first_by_model(real, clear) == relevance.first_by_model(real, over[:0]) == title
    of = {"corpus": "imdb", "encoder": "bilstm", "attention": "additive", "seed": 0}
    rows = pd.DataFrame(
        {"measure": [r, r, a], "profile": ["snell", "paper", "paper"], "n": [10, 12, 99], **of}
    )
    said = relevance.which_first(rows, real, over)
    assert "means over 1 to 3 other seeds (B), watched over their whole training on 10 to 12 test" in said
    assert "Clear: an upright line lies between the two level lines" in said
    assert relevance.texts_watched(rows[1:]) == "12 test texts"
    assert relevance.seeds_watched(rows[1:].assign(corpus="imdb (part)", seed=50)) == "2 other seeds"
    assert relevance.seeds_watched(rows[1:].assign(corpus="sst")) == "5 other seeds", "of eight"
    assert (
        "In the other model (d) it can't be asked: A's target" in said and "neither is clearly first" in said
    )
    of = relevance.halfway_by_model(real)
    assert [*of["kind"]] == ["a", "b", "c"] and {*of["mute"]} == {""} and "hollow" not in said
    ax = figures.halfway_by_model(of, [10, 75]).axes[0]
    assert [line.get_xdata()[0] for line in ax.lines if line.get_zorder() == 0] == [10, 75], (
        "what is looked at"
    )
    steps = {line.get_label(): [*line.get_xdata()] for line in ax.lines if line.get_label()[0] != "_"}
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "c", "b"], (
        "relevance leads most on top"
    )
    assert steps == {"relevance": [50, 90, 60], "attention": [70, 100, 50]}
    assert not any(text.get_text() for text in ax.texts)
    plt.close("all")
    more = relevance.which_first(rows, pd.concat([real, real[3:]]), over)
    assert "In the other 2 models (d; d) it can't be asked" in more
    clear = pd.DataFrame({"which is first": ["relevance", "relevance", "attention"]})
    assert "relevance is clearly first in 2 of 3 runs, attention in 1" in relevance.which_first(
        rows, real, clear
    )
    assert relevance.which_first(rows, real[3:], over) == relevance.not_asked(real[:3]) == ""


def test_models_without_a_wide_interval_cannot_tell_which_is_first():
    """One other seed has no interval, and seeds all alike one of no width: hollow, and not counted."""
    r, a = relevance.HALVES
    real = pd.DataFrame({r: [75.0, 150, 50], a: [50.0, 200, 70], "top_other": 0.5, "top_chance": 0.08,
                         "kind": [*"abc"]})  # fmt: skip
    for half in (r, a):
        real[f"low_{half}"], real[f"high_{half}"] = real[half] - [0, np.nan, 20], real[half] + [0, np.nan, 20]
    over = pd.DataFrame({"which is first": ["seeds alike", "one other seed only", "intervals overlap"]})
    found = relevance.halfway_by_model(real)
    assert [*found["mute"]] == ["seeds alike", "one other seed", ""]
    assert relevance.clear_in_none(real) == "clear in no model that could tell"
    assert relevance.first_by_model(real, over).endswith("first? Clear in no model that could tell")
    assert relevance.clear_in_none(real[:2]) == "no model could tell"
    assert relevance.muted(real).startswith("Where marks are hollow it can't be told: there is one B, or")
    assert "one B" not in relevance.muted(real[:1]) and relevance.muted(real[2:]) == ""
    ax = figures.halfway_by_model(found).axes[0]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["c", "b", "a"]
    assert [text.get_text() for text in ax.texts] == ["", "one other seed", "seeds alike"]
    hollow = [[*line.get_xdata()] for line in ax.lines if line.get_markerfacecolor() == "#ffffff"]
    assert hollow == [[150, 75], [200, 50]]
    plt.close("all")


@pytest.mark.parametrize(
    ("agrees", "told"),
    [(0.5, "On x relevance is halfway first in the one other seed, but the order stays open"),
     (0.1, "hardly ever points")],
)  # fmt: skip
def test_the_course_is_told_by_its_halfway_steps(agrees, told, monkeypatch):
    monkeypatch.setattr(relevance, "order_here", lambda summary: "intervals overlap")
    seed = {"model": "seed 1", "step": [0, 10, 20], "attention_agrees": [0, 0, 0.4]}
    course = pd.DataFrame(seed | {"chance": 0.08, "spread": 0.0, "away": 0.0, "accuracy": 0.5,
                                  "relevance_agrees": [0, agrees, agrees]})  # fmt: skip
    course = pd.concat([course, course.assign(model="base", step=course["step"] + 5)])
    assert told in relevance.reached("x", course, None)
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
    assert bool(said) == (agrees == 0.5)
    assert relevance.flat_half(course) is None


@pytest.mark.parametrize(
    ("agrees", "attends", "told"),
    [([0.1, 0.5, 0.5], [0.1, 0.1, 0.4], "its relevance is halfway at step 10, attention at step 20"),
     ([0.1, 0.1, 0.5], [0.1, 0.4, 0.4], "its attention is halfway at step 10, relevance at step 20"),
     ([0.1, 0.5, 0.5], [0.1, 0.4, 0.4], "its relevance and attention are halfway at step 10"),
     ([0, 0.1, 0.1], [0.1, 0.1, 0.4], "its relevance hardly ever finds A's target")],
)  # fmt: skip
def test_one_model_in_training_is_shown_with_its_halves(finished, agrees, attends, told):
    seed = {"model": "seed 5", "step": [0, 10, 20], "attention_agrees": attends, "relevance_agrees": agrees}
    course = pd.DataFrame(seed | {"chance": 0.08})
    later = course.assign(model="seed 7", attention_agrees=0.0)
    own, half = relevance.one_in_training(pd.concat([course.assign(model="base"), course, later]))
    assert own.equals(course) and [*half] == ["relevance_agrees", "attention_agrees"]
    assert relevance.one_halfway(finished, own, half) == f"One model B on planted: {told}"
    ax = figures.one_in_training(own, half).axes[0]
    rings = [*sorted(line.get_xdata()[0] for line in ax.lines if line.get_markersize() == 11)]
    assert rings == sorted(half.values())
    lines = [[*line.get_ydata()] for line in ax.lines if len(line.get_xdata()) == 3]
    assert lines == [agrees, attends]
    assert {"B's relevance", "B's attention", "chance"} < {text.get_text() for text in ax.texts}
    plt.close("all")
    assert "B the first of 2 other seeds" in relevance.under_one(finished, pd.concat([course, later]))
    assert "B another seed" in relevance.under_one(finished, course)
    none, nothing = relevance.one_in_training(course.assign(model="base"))
    assert none.empty and not nothing


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
        numbers = [text.get_text() for text in figure.axes[0].texts]
        assert sorted(numbers) == (["1", "1", "2", "2"] if n == 2 else [])
        plt.close(figure)


@pytest.mark.parametrize(
    ("relevant", "attended", "other", "order"),
    [((50, 25, 75), (200, 150, 250), 0.5, "relevance"), ((200, 150, 250), (50, 25, 75), 0.5, "attention"),
     ((50, 0, 100), (75, 25, 125), 0.5, "intervals overlap"),
     ((50, 0, 100), (50, 0, 100), 0.5, "same checkpoint"),
     ((50, 25, 75), (200, 150, 250), 0.1, "relevance near chance"),
     ((50, 50, 50), (200, 150, 250), 0.5, "seeds alike"),
     ((50, 50, 50), (50, 50, 50), 0.5, "same checkpoint"),
     ((50, np.nan, np.nan), (75, np.nan, np.nan), 0.5, "one other seed only")],
)  # fmt: skip
def test_which_is_first(relevant, attended, other, order):
    names = [*relevance.HALVES, "top_other", "top_chance"]
    one, low, high = (
        pd.Series([relevant[k], attended[k], other, 0.08], index=names, dtype=float) for k in range(3)
    )
    assert relevance._order(one, low, high) == order
    assert relevance.order_here(pd.DataFrame({"mean": one, "low": low, "high": high})) == order


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
    assert relevance.beside_random(tops.set_index("label")) == told
    far = "not only" if told == "more often than" else "hardly"
    said = relevance.no_count(tops, True)
    assert (f"r′ is {far} a count of words. A state" in said) == misses == relevance.not_counted(tops)
    assert bool(said) == misses and "state" not in relevance.no_count(tops, False)
    assert f"deciding words {told} chance, the bag in 90%" in relevance.decides(tops)


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
    assert told.endswith(f"undecided in {relevance.of_all(undecided, len(halves), 'run')}")
    decided = relevance.in_all(
        halves.assign(**{"which is first": ["relevance", *halves["which is first"][1:]]})
    )
    assert decided.endswith(f"{len(halves) - 1} of {len(halves)} runs, first is relevance in 1")
    for shown in (halves, halves[:1]):
        figure = figures.halfway(shown)
        drawn = [x for line in figure.axes[0].lines for x in line.get_xdata()]
        assert sorted(drawn) == sorted(shown[[*relevance.HALVES]].to_numpy(float).ravel())
        plt.close(figure)
    assert len(relevance.with_this_run(finished, overall(finished), over.iloc[:0])) == 1


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


def test_where_the_deciding_words_arent_known_none_are_counted():
    evidence = SimpleNamespace(truth_is_known=False)
    assert relevance.tops(SimpleNamespace(evidence=evidence, params=None)).empty
