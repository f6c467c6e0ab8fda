"""Chapter 08's sentences and tables: of a finished run, of carried rows, of none."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from heed.experiments import relevance as experiment
from heed.measures import relevance as measures
from heed.measures import stats
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
    wide = relevance.first_vectors(rows)[0]
    said = [
        *relevance.in_short(finished, table, summary, real, over, agree, wide),
        *relevance.in_short(finished, table, summary, real[:0], over[:0], agree, wide),
        relevance.answer(table, real, over, wide),
        relevance.answer(table, real[:0], over[:0], wide),
        relevance.which_models(finished, real),
        relevance.which_models(finished, real[:0]),
        relevance.beside_chapter_02(real),
        relevance.what_it_knows(real, wide),
        relevance.own_by_encoder(real),
        relevance.under_real(real, wide),
        relevance.twins(table, real),
        relevance.twins(table, real[:0]),
        relevance.pairs("planted", relevance.better(finished, table, agree)),
        relevance.other_guide(real),
        relevance.by_checkpoint(over),
        relevance.decides(tops),
        relevance.what_was_counted(real),
        relevance.by_bag(real),
        relevance.over_seeds(finished, summary, rows),
        relevance.over_seeds(finished, summary, rows[:0]),
        *relevance.first(course, summary),
        relevance.unlike_own(real),
        relevance.replicated(real),
        relevance.reached("planted", course, summary),
        relevance.above_chance(real),
        relevance.vectors_matter(real, wide),
        relevance.beside_rivals(real, wide),
        relevance.under_leads(rows, real, over),
        relevance.which_first(real, over),
        relevance.in_each_step(real, over),
        relevance.not_asked(real),
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
    short = relevance.in_short(finished, table, summary, real, over, agree, wide)
    assert len(" ".join(short).split()) <= 150 and len(short) == 4
    assert all(line.startswith("**") for line in short)
    assert short[0] == (
        "**Partly.** Even a model that was never allowed to attend can tell, by the words that it finds "
        "relevant, where another will look: better than chance for 11 of 13 models on real text, but in only "
        "1 of 13 models in more than half of the texts."
    )
    assert short[1] == (
        "**Where the theory should hold best, it holds worst:** the encoder that reads each word alone comes "
        "last on 4 of 5 corpora, but does better if it starts from random word vectors."
    )
    assert short[2] == (
        "**Relevance partly agrees with counting words:** a bag of words, which knows neither order nor "
        "context, picks a relevant word in 18% to over 99% of the texts, depending on the model."
    )
    assert short[3] == (
        "**Whether relevance was there first stays open:** no run decides it, because too few models were "
        "watched."
    )
    assert not over["which is first"].isin(relevance.ORDERS[:2]).any(), "nor does the appendix say so of any"
    single = over.assign(**{"which is first": ["attention", *over["which is first"][1:]]})
    assert relevance.order_in_short(real, single) == (
        "**Whether relevance was there first mostly stays open:** only 1 of 11 runs decides it."
    )
    assert relevance.order_in_short(real, over[:0]) == relevance.order_in_short(real[:0], over) == ""
    decided = over.assign(**{"which is first": "relevance"})
    assert relevance.in_short(finished, table, summary, real, decided, agree, wide)[3].startswith(
        "**Which comes first in training is mostly decided.** On average relevance is first in 3 of 7 "
        "models, attention in 4; all 11 runs decide it."
    )
    one = real[:1].assign(top_uniform=0.1, low_top_uniform=0.0)
    assert relevance.in_short(finished, table, summary, one, over[:0], agree, wide[:0])[0] == (
        "**Not clearly.** A model that was never allowed to attend can't clearly tell better than chance "
        "where another will look."
    )
    elsewhere = real.assign(top_uniform=[1 - 0.3 * (key[2] != "average") for key in real.index])
    assert "on 3 of 5 corpora, but" in relevance.own_case(elsewhere, wide), "whose Average is of `wide`"
    assert relevance.own_case(elsewhere, wide[:0]) == relevance.own_case(real[:0], wide) == ""
    assert len(relevance.in_short(finished, table, summary, elsewhere, over, agree, wide[:0])) == 3
    assert relevance.own_case(real, wide[:0]).endswith("comes last on both corpora.")
    some = wide.assign(**{"A, random": [0.0] * 2 + [1.0] * 3})
    assert relevance.own_case(real, some).endswith("starts from random word vectors on 3 of 5 corpora.")
    assert "random" not in relevance.own_case(real, wide.assign(**{"A, random": 0.0}))
    assert relevance.how_often(real) == ("Partly", "but in no model in more than half of the texts")
    two = real.assign(top_uniform=[0.6] * 2 + [0.2] * 8)
    assert relevance.how_often(two)[1] == "but in only 2 of 10 models in more than half of the texts"
    assert relevance.how_often(real.assign(top_uniform=0.6)) == (
        "Mostly",
        "and in all 10 models in more than half of the texts",
    )
    assert relevance.how_often(real.assign(low_top_uniform=0.0)) == ("Not clearly", "")
    assert relevance.answer(table, real, over, wide[:0]) == (
        "**Partly.** What a uniformly trained model finds relevant foretells attention better than chance, "
        "but in no model in more than half of the texts. Whether it was there *already*, before attention "
        "moved, these runs can't decide."
    )
    assert "most runs decide (section 4)." in relevance.answer(table, real, decided, wide)
    unsure = relevance.answer(table, real.assign(low_top_uniform=0.0), over, wide[:0])
    assert unsure.startswith(
        "**Not clearly.** What a uniformly trained model finds relevant hardly foretells attention. Whether"
    )
    assert relevance.answer(table, pd.DataFrame(), over[:0], wide) in ("Sometimes.", "Not here.")
    whose = relevance.which_models(finished, real)
    assert whose.startswith("We look at 10 models trained on real text, of 1 to 3 seeds each. The corpora")
    assert "film reviews (imdb, sst)" in whose and "agnews" in whose and "others" not in whose
    assert relevance.which_models(finished, real[:0]).startswith("This page's own run is")


def test_nothing_is_said_of_nothing():
    none = pd.DataFrame(columns=["top_uniform", "top_chance"])
    assert relevance.in_short(None, none, none, none, none, none, none) == [relevance.NOTHING]
    assert relevance.answer(none, none, none, none) == relevance.NOTHING
    assert relevance.own_of_local(pd.DataFrame()) == ""
    assert relevance.replicated(pd.DataFrame()) == ""
    nothing = pd.DataFrame()
    assert relevance.which_first(nothing, none) == relevance.advice(nothing) == ""
    assert relevance.under_leads(none, nothing, none) == relevance.in_each_step(nothing, nothing) == ""
    assert relevance.beside_the_notebook(nothing) == relevance.own_by_encoder(nothing) == ""
    assert relevance.not_asked(nothing) == relevance.beside_rivals(nothing, nothing) == ""
    assert relevance.what_was_counted(none[:0]) == relevance.other_guide(pd.DataFrame()) == ""
    assert relevance.beside_chapter_02(pd.DataFrame()) == ""
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
    """In the first round attention stays, and what one text adds to a shared word the other takes away."""
    found = relevance.two_texts()
    rounds = found.set_index(["round", "word"])
    assert (rounds.loc[0, "relevance"] == 0).all() and (rounds.loc[0, "attention"] == 0.25).all()
    assert rounds.loc[(1, "great"), "relevance"] == 0.125 and (rounds.loc[1, "attention"] == 0.25).all()
    push = 0.25 / (1 + np.exp(0.125 / 4))  # of the logit that the first round has made
    assert rounds.loc[(2, "great"), "relevance"] == pytest.approx(0.125 + push)
    apart = push * (0.125 - 0.125 / 4) + push * 0.125 / 4  # to great's score; from each shared word's, halved
    odds = np.log(rounds.loc[(2, "great"), "attention"] / rounds.loc[(2, "this"), "attention"])
    assert odds == pytest.approx(apart - push * 0.125 / 4 + 2 * push * 0.125 / 4)
    assert (rounds.drop("great", level="word")["relevance"] == 0).all()
    great = rounds.xs("great", level="word")
    assert (great["relevance"].diff().dropna() > 0).all() and (great["attention"].diff()[2:] > 0).all()
    assert np.allclose(rounds.groupby("round")["attention"].sum(), 1)
    moves = relevance.first_moves(found)
    assert moves == {"relevance": 1, "attention": 2} == relevance.first_moves(relevance.two_texts(100))
    assert relevance.by_hand(found) == (
        "“great” gains relevance from round 1 on, attention only from round 2 on"
    )
    for last in (relevance.ROUNDS, relevance.LONGER):
        longer = relevance.two_texts(last).set_index(["round", "word"]).xs("great", level="word")
        for name, n in relevance.half_rounds(last).items():
            middle = (longer[name].iloc[0] + longer[name].max()) / 2
            assert longer.loc[n - 1, name] < middle <= longer.loc[n, name]
    figure = figures.two_texts(found, moves)
    assert [len(ax.lines) for ax in figure.axes] == [3, 3]
    assert {"great", "this, movie, is", "first moves in round 2"} == {
        text.get_text() for text in figure.axes[1].texts
    }
    assert [[*ax.lines[-1].get_xydata()[0]] for ax in figure.axes] == [
        [n, great.loc[n, name]] for name, n in moves.items()
    ], "the rings"
    plt.close(figure)


def test_half_a_rise_hangs_on_where_one_stops(monkeypatch):
    """So the two texts' lead is told by their first moves; halfway is said to be unsure where it turns."""
    found = relevance.two_texts()
    assert relevance.half_rounds(20) == {"relevance": 10, "attention": 12}
    assert relevance.half_rounds(100) == {"relevance": 18, "attention": 13}
    told = relevance.lead_by_hand(found)
    assert told.startswith(
        "**Halfway is no sure measure,** because it depends on when one stops. In the two texts above "
        "relevance leads by 1 round. Yet if one stops after 20 rounds, relevance is halfway first (round 10, "
        "attention 12), and if one stops after 100 rounds, attention is halfway first (round 13, relevance "
        "18), because relevance goes on growing. A share"
    )
    assert told.endswith("Besides, even where the theory holds, the lead may be too small to be seen.")
    values = found["attention"].where(found["round"] > 3, 0.25)
    assert "leads by 3 rounds. Yet" in relevance.lead_by_hand(found.assign(attention=values))
    bad = found.assign(attention=found["attention"].where(found["round"] != 2, 0.2))
    assert "leads by 1 round (counted as here, by top words, by 2)." in relevance.lead_by_hand(bad)
    monkeypatch.setattr(relevance, "LONGER", 20)
    still = relevance.lead_by_hand(found)
    assert "alfway" not in still and still.endswith(
        "So even where the theory holds, the lead may be too small to be seen."
    ), "nothing turns"


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
    assert said.endswith("still no sign, it is \u22120.55.") and "Because the word's weight is in" in said
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
    wide = relevance.first_vectors(rows)[0]
    found = "attention goes to a relevant word more often than by chance, in"
    assert relevance.above_chance(real) == f"In 9 of 10 models {found} none in over half the texts"
    nowhere = real.assign(low_top_uniform=0.0)
    assert relevance.above_chance(nowhere) == f"In none of 10 models {found} none in over half the texts"
    everywhere = real.assign(low_top_uniform=1.0, top_uniform=1.0)
    assert relevance.above_chance(everywhere) == f"In all 10 models {found} 10 in over half the texts"
    assert [*relevance.trained_beside(real, wide)["kind"]] == [
        f"{name}, Average" for name in ("20news", "ade", "agnews (part)")
    ]
    for of in ((real[:0], wide), (real, wide[:0]), (real, wide[wide["corpus"] == "imdb"])):
        assert relevance.trained_beside(*of).empty and len(relevance.with_local(*of)) == len(of[0])
    least, rest = relevance.local_last(real, wide)
    assert [*least.index] == ["ade", "agnews (part)", "imdb", "sst"] and [*rest.index] == ["20news"]
    assert [len(of) for of in relevance.local_last(real[:0], wide)] == [0, 0]
    assert [len(of) for of in relevance.local_last(real[:1], wide[:0])] == [0, 0]
    assert relevance.sure(real) == (real["low_top_uniform"] > real["top_chance"]).sum() == 9
    assert relevance.unlike_own(real.assign(top_other=1.0)) == ""
    assert relevance.unlike_own(real.assign(top_other=0.0, top_own=1.0)).count("where its own") == len(real)
    assert "(in 4 of these 5 its interval over texts lies above that of *r′*)." in relevance.other_guide(real)
    assert relevance.other_guide(real.assign(top_other=0.0)).endswith("in none of 10 models.")
    assert relevance.what_it_knows(real, wide) == (
        "So a model that never attended does know something of where another will look.\n\n**The surprise "
        "is Average.** It is the theory's own case, so we expected most of it. Yet on 4 of 5 corpora "
        "its share is the lowest, and on sst and ade it isn't clearly above chance."
    )
    assert relevance.what_it_knows(nowhere, wide).startswith(
        "So a model that never attended doesn't clearly know where another will look.\n\n"
    )
    above = real.assign(low_top_uniform=1.0), wide.assign(**{"low A, word2vec": 1.0})
    assert relevance.what_it_knows(*above).endswith("its share is the lowest.")
    alone = real[real.index.get_level_values("encoder") == "average"]
    rivals = real.assign(top_uniform=[float(key[2] == "average") for key in real.index])
    for of in (alone, rivals, real[:1]):
        assert "surprise" not in relevance.what_it_knows(of, wide[:0])
    own = relevance.own_by_encoder(real)
    assert own.startswith("The attending model itself finds its top word relevant in Average in 6% (no more ")
    assert "often than by chance), in CNN in 15% to 22% and in BiLSTM in 32% to 69% of the texts. In" in own
    assert own.endswith(" On imdb and sst alone, which all of them read, the order is the same.")
    assert relevance.own_by_encoder(real[:1]).startswith("The attending model itself finds its top word")
    guess = "In Average and CNN it does so less often than a *uniformly* trained model ([a guess why]"
    assert guess in own and relevance.own_below(real.assign(top_own=1.0)) == ""
    assert relevance.own_below(real.assign(top_other=1.0)).endswith("trained model."), "no guess, no pointer"
    assert "by chance" not in relevance.own_by_encoder(real.assign(top_own=1.0))
    drawn = relevance.with_local(real, wide)
    assert len(drawn) == 13 and relevance.with_local(real, wide[:0]) is real
    assert [*drawn["top_own"].isna()] == [False] * 10 + [True] * 3
    assert relevance.same_order(real.xs("sst", level="corpus", drop_level=False)) == ""
    caption = relevance.under_real(real, wide)
    assert "(part): only" in caption and (
        "(snell): [the authors' model](glossary.md#profile), which comes close to their notebook's number "
        "([appendix]" in caption
    )
    assert "Hollow: Average, trained for this comparison alone." in caption
    far = relevance.under_real(real.assign(top_uniform_highest=0.9), wide)
    assert "which doesn't come close to their notebook's number" in far
    assert "[the authors' model](glossary.md#profile).*" in relevance.under_real(
        real.assign(top_uniform_highest=np.nan), wide
    )
    plain = relevance.under_real(real.xs("sst", level="corpus", drop_level=False), wide[:0])
    assert "snell" not in plain and "(part)" not in plain and "Hollow" not in plain
    assert relevance.own_of_local(real.assign(top_uniform=0.0)) == ""
    local = relevance.beside_chapter_02(real)
    assert "mean τ, over whole texts, is 0.66 with leave-one-out and 0.10 with relevance.)" in local
    assert relevance.beside_chapter_02(real.assign(tau_loo=real["tau_own"])) == ""
    assert relevance.beside_chapter_02(real.assign(top_own=1.0)) == ""
    for shown in (drawn, real[:1]):
        figure = figures.on_real_text(shown)
        [ax] = figure.axes
        dots = [line for line in ax.lines if line.get_marker() == "o"]
        assert sorted(line.get_xdata()[0] for line in dots) == sorted(shown["top_uniform"])
        hollow = [line.get_xdata()[0] for line in dots if line.get_markerfacecolor() == "#ffffff"]
        assert sorted(hollow) == sorted(shown.loc[shown["top_own"].isna(), "top_uniform"])
        ends = [segment[:, 0] for segment in ax.collections[0].get_segments()]
        assert sorted(e[0] for e in ends) == sorted(shown["low_top_uniform"])
        assert sorted(e[1] for e in ends) == sorted(shown["high_top_uniform"])
        [marks] = [line for line in ax.lines if line.get_marker() == "|"]
        assert sorted(marks.get_xdata()) == sorted(shown["top_chance"])
        names = [*ax.get_yticklabels()]
        own = {line.get_color() for line in dots if names[dots.index(line)].get_text().startswith("Average")}
        others = {line.get_color() for line in dots} - own
        assert len(own) <= 1 and len(others) <= 1, "Average has a colour of its own"
        assert {"chance", "half the texts"} <= {text.get_text() for text in ax.texts}
        plt.close(figure)
    figure = figures.on_real_text(drawn)
    labels = {text.get_text(): text.get_position()[1] for text in figure.axes[0].get_yticklabels()}
    corpora = ["20news", "agnews (part)", "imdb", "sst", "ade"]
    assert sorted(corpora, key=labels.get) == corpora, "where Average has most comes first"
    assert labels["imdb"] < labels["BiLSTM (snell)"] < labels["sst"] < labels["BiLSTM, 3 seeds"]
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
    assert relevance.by_vectors(table) == (
        f"From random vectors Average attends to relevant words more often on {more}"
    )
    real = relevance.on_real_text(rows)
    assert relevance.vectors_matter(real, table).startswith(
        f"So the vectors matter: from random ones Average does better on {more}, and on 20news its share "
        "goes beyond half of the texts. Whether it would then come first, as the theory has it, can't"
    )
    assert relevance.beside_rivals(real, table) == (
        "Held against the best other encoder (BiLSTM), which keeps word2vec's vectors, Average comes first "
        "on 3 of 5 corpora from random vectors (20news, agnews (part) and sst), on 1 from word2vec's. Only "
        "the authors' own model (imdb, snell) starts from random vectors, too: it has 50%, Average there 46%."
    )
    without = real.drop(index=relevance.THEIRS)
    assert relevance.beside_rivals(without, table).endswith("on 1 from word2vec's.")
    best = relevance.rivals(real, table)
    assert best.loc["imdb", "share"] == real.loc[("imdb", "paper", "bilstm", "additive"), "top_uniform"]
    assert {*best["encoder"]} == {"bilstm"} and relevance.rivals(real[:0], table).empty
    for share, said, matter in (
        (0.0, "first on none of 5 corpora from random vectors, on", "So it is hardly the vectors: from"),
        (1.0, "first on all 5 corpora from random vectors, on", "So the vectors matter: from"),
    ):
        of = table.assign(**{"A, random": share})
        assert said in relevance.beside_rivals(real, of)
        assert relevance.vectors_matter(real, of).startswith(matter)
        assert ("beyond half" in relevance.vectors_matter(real, of)) == (share > 0.5)
    alone = real[real.index.get_level_values("encoder") == "average"]
    assert "Whether" not in relevance.vectors_matter(pd.DataFrame(), table), "no other encoder"
    assert relevance.vectors_matter(alone, table).endswith("its share goes beyond half of the texts.")
    assert relevance.beside_rivals(alone, table) == relevance.beside_rivals(real, table[:0]) == ""
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
    assert drawn["from random vectors"] == sorted(table["A, random"])
    assert drawn["from word2vec's vectors"] == sorted(table["A, word2vec"])
    assert drawn["chance"] == sorted(table["A, chance"])
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
        (0.2, "So even at its best it stays behind, whenever its training stops."),
        (0.48, "no difference from another seed's relevance, so *r′* may be the worse guide only because of"),
    ):
        summary.loc["top_uniform_highest", "mean"] = highest
        said = relevance.early_enough(finished, texts, agree, summary)
        best = f"In this run (planted) uniform training's A is {highest:.0%} at its best checkpoint, on "
        assert said.startswith(f"{best}{len(ids)} test texts; on the same texts that of another seed's")
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
    summary = overall(finished)
    summary.loc["top_proxy", "mean"] = 0.6
    first = "picks a relevant word in"
    assert relevance.by_counting(real).endswith(f"{first} 20% to 90% of the texts, depending on the model.")
    assert relevance.by_counting(real[:1]).endswith(f"{first} 60% of the texts.")
    none = pd.DataFrame({"top_uniform": [0.1], "top_chance": [0.05], "top_other": [0.0]})
    alone = relevance.of_one_run(finished, none, summary, np.zeros(1))
    assert alone[-1].endswith(
        "uniform training agrees in 60% of the texts with a bag of words, which sees each word alone."
    )
    told = relevance.what_was_counted(real)
    assert told == (
        "*Lines: as in section 1.*\n\nSo relevance agrees with counting in part; how much depends on the "
        "corpus and the model. Average stands apart, because under even attention it nearly is a bag itself. "
        "All this fits the theory, but doesn't show that relevance was *learnt* by counting."
    )
    for some in (real[:2], real[2:3]):
        assert "apart" not in relevance.what_was_counted(some)
    real["kind"] = [*"abcd"]
    found = "bag of words finds a relevant word in"
    real.index = pd.MultiIndex.from_tuples(
        [(name, *of) for name, of in zip("abcd", real.index, strict=True)], names=["corpus", "encoder"]
    )
    assert relevance.by_bag(real) == f"Except in Average, a {found} 20% to 60% of the texts"
    assert relevance.by_bag(real[:1]) == f"A {found} 60% of the texts"


def test_what_the_bag_finds_is_drawn_as_it_is(rows):
    real = relevance.on_real_text(rows)
    figure = figures.counted(real)
    [ax] = figure.axes
    lines = {line.get_label(): line for line in ax.lines}
    for encoder, label in (("average", "Average"), ("bilstm", "BiLSTM"), ("cnn", "CNN")):
        assert sorted(lines[label].get_xdata()) == sorted(real["top_proxy"].xs(encoder, level="encoder"))
        assert (lines[label].get_color() != lines["CNN"].get_color()) == (encoder == "average")
    assert sorted(lines["chance"].get_xdata()) == sorted(real["top_chance"])
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names[0] == "imdb (snell)" and names[-1] == "20news" and len(names) == 6, "most comes first"
    at = dict(zip(*reversed(lines["BiLSTM"].get_data()), strict=True))
    assert at[names.index("20news")] == real.loc[("20news", "paper", "bilstm", "additive"), "top_proxy"]
    ends = [segment[:, 0] for line in ax.collections for segment in line.get_segments()]
    assert sorted(e[0] for e in ends) == sorted(real["low_top_proxy"])
    assert sorted(e[1] for e in ends) == sorted(real["high_top_proxy"])
    plt.close(figure)
    for some in (real[:1], real[real.index.get_level_values("encoder") == "average"]):
        figure = figures.counted(some)
        assert len(figure.axes[0].get_yticks()) == some.index.get_level_values("corpus").nunique()
        plt.close(figure)


@pytest.mark.parametrize(
    ("orders", "told"),
    [(["intervals overlap", "attention", "same checkpoint"],
      "2 of 3 real runs leave it undecided: both get halfway at the same checkpoint in 1 and"),
     (["intervals overlap", "one other seed only"], "Both real runs leave it undecided: the two"),
     (["seeds alike"], "The one real run leaves it undecided: the other seeds are all alike in 1."),
     (["attention"], "")],
)  # fmt: skip
def test_what_is_undecided_is_told_with_its_reasons(orders, told):
    said = relevance.why_undecided(pd.DataFrame({"which is first": orders}))
    assert said.startswith(told) and bool(said) == bool(told)


def line_ends(ax) -> list[float]:
    """Where the dots of a figure of leads are."""
    return [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]


def test_the_interval_of_paired_seeds_lies_between_the_bounds():
    """Whatever the seeds: its half width is at least the two half widths' difference, at most their sum."""
    generator = np.random.default_rng(0)
    r, a = relevance.HALVES
    for n in (2, 3, 5):
        steps = dict(zip((r, a), generator.normal(500, [[20], [5]], (2, n)), strict=True))
        over = {"kind": ["x"]}
        for name, of in steps.items():
            over[name], over[f"low_{name}"], over[f"high_{name}"] = ([x] for x in stats.t_interval(of))
        real = pd.DataFrame(
            over | {"top_other": 0.5, "top_chance": 0.1, "others": n, "steps": 9, "which is first": ""}
        )
        [bounds] = relevance.leads(real, real).to_dict("records")
        mean, _, high = stats.t_interval(steps[a] - steps[r])
        assert bounds["lead"] == pytest.approx(mean)
        assert bounds["narrow"] <= high - mean + 1e-9 and high - mean <= bounds["wide"] + 1e-9


def test_which_is_first_on_real_text_is_told_by_the_mean_steps():
    """Of models whose relevance gets beyond chance."""
    r, a = relevance.HALVES
    real = pd.DataFrame({r: [50, 60, 90, 1], a: [70, 50, 100, 2], "top_other": [0.5, 0.5, 0.5, 0.1],
                         "top_chance": 0.08, "top_uniform": 0.05, "low_top_uniform": 0.04, "top_own": 0.1,
                         "kind": [*"abcd"]})  # fmt: skip
    width = {f"{end}{half}": real[half] + by for half in (r, a) for end, by in (("low_", -5), ("high_", 5))}
    real = real.assign(**width)
    over = real.assign(**{"which is first": "intervals overlap", "others": 3, "steps": 1500})
    assert relevance.by_means(real) == (3, 2, 1) and relevance.by_means(real[:0]) == (0, 0, 0)
    title = "Relevance is halfway first in 2 of 3 models, attention in 1"
    sure = over.assign(**{"which is first": ["relevance", *over["which is first"][1:]]})
    assert relevance.first_by_model(real, sure) == relevance.first_by_model(real, over[:0]) == title
    found = relevance.leads(real, sure)
    assert [*found["lead"]] == [20, -10, 10] and relevance.decided(found) == 1
    assert relevance.told_by_learners(found) == "The learners decide it in 1 of 3 runs."
    steps = over[a] + 12.0  # the attention's half width is 12, the relevance's 5: 7 to 17 together
    open_ = over[1:].assign(**{f"high_{a}": steps})
    assert relevance.first_by_model(real, open_) == "Which is halfway first stays open in both runs"
    never = relevance.leads(real, open_.assign(**{f"high_{a}": steps + 10}))
    assert [*never["narrow"]] == [17, 17] and [*never["wide"]] == [27, 27]
    assert relevance.told_by_learners(never) == (
        "But the learners decide it in none of 2 runs, for they are too few."
    )
    assert relevance.told_by_learners(found[:0]) == "" and relevance.leads(real[:0], over).empty
    of = {"corpus": "imdb", "encoder": "bilstm", "attention": "additive", "seed": 0}
    rows = pd.DataFrame(
        {"measure": [r, r, a], "profile": ["snell", "paper", "paper"], "n": [10, 12, 99], **of}
    )
    real.index = pd.MultiIndex.from_tuples([(name, "paper", "bilstm", "additive") for name in "abcd"])
    said = relevance.under_leads(rows, real, over)
    assert (
        "*A dot is a run (one seed of a model), its lead a mean over 1 to 3 learners, watched on "
        "10 to 12 test texts for as many steps as stand below the model. The thick and the thin line are"
        in said
    )
    assert said.endswith(
        "1 of 4 models is left out, for there the learners hardly ever find the top words relevant "
        "([appendix](#appendix-halfway-run-by-run)).*"
    )
    assert "The thick" not in relevance.under_leads(rows, real, over[:0])
    assert "left out" not in relevance.under_leads(rows, real[:3], over)
    assert relevance.which_first(real, over) == (
        "On average relevance is first in 2 of 3 models, attention in 1. But the learners decide it in none "
        "of 3 runs, for they are too few. So the order stays open, and halfway itself is no sure measure, "
        "because it depends on when one stops watching ([appendix](#appendix-halfway-run-by-run))."
    )
    decided = over.assign(**{"which is first": "relevance"})
    assert relevance.which_first(real, decided).endswith("The learners decide it in all 3 runs.")
    assert relevance.texts_watched(rows[1:]) == "12 test texts"
    assert relevance.seeds_watched(rows[1:].assign(corpus="imdb (part)", seed=50)) == "2 learners"
    assert relevance.seeds_watched(rows[1:].assign(corpus="sst")) == "5 learners", "of eight"
    rest = relevance.not_asked(real)
    assert rest.startswith(
        "**Left out.** In one model (d) the finished model's top word is relevant to a learner in 10% of the "
        "texts, less than 5 points above chance. So there the question can't be asked."
    )
    assert "*uniformly*" not in rest
    assert [*relevance.halfway_by_model(real)["kind"]] == ["a", "b", "c"]
    ax = figures.leads(found).axes[0]
    dots = [*line_ends(ax)]
    assert [text.get_text() for text in ax.get_yticklabels()] == [f"{x}\n1,500 steps" for x in "acb"], (
        "relevance leads most on top"
    )
    assert dots == [20, 10, -10]
    ends = [tuple(line.get_segments()[0][:, 0]) for line in ax.collections]
    assert ends == [(10, 30), (20, 20), (0, 20), (10, 10), (-20, 0), (-10, -10)], "widest, narrowest"
    plt.close("all")
    more = pd.concat([real, real[3:]])
    assert "In 2 models (d; d) the finished model's top word" in relevance.not_asked(more)
    assert " 2 of 5 models are left out" in relevance.under_leads(rows, more, over)
    assert relevance.which_first(real[3:], over) == relevance.not_asked(real[:3]) == ""
    assert relevance.under_leads(rows, real[3:], over) == ""


def test_models_without_a_wide_interval_cannot_tell_which_is_first():
    """One other seed has no interval, and seeds all alike one of no width: hollow, and not counted."""
    r, a = relevance.HALVES
    real = pd.DataFrame({r: [75.0, 150, 50], a: [50.0, 200, 70], "top_other": 0.5, "top_chance": 0.08,
                         "kind": [*"abc"]})  # fmt: skip
    for half in (r, a):
        real[f"low_{half}"], real[f"high_{half}"] = real[half] - [0, np.nan, 20], real[half] + [0, np.nan, 20]
    first = {"which is first": ["seeds alike", "one other seed only", "intervals overlap"]}
    over = real.assign(**first, others=[3, 1, 5], steps=[288, 4104, 288])
    leads = relevance.leads(real, over)
    assert [*leads["mute"]] == ["in every seed", "one learner", ""] and relevance.decided(leads) == 0
    flat = {f"{end}_{half}": 60.0 for half in (r, a) for end in ("low", "high")}
    same = over.assign(**flat, **{r: 60.0, a: 60.0})
    one = over.assign(**{f"low_{r}": over[r], f"high_{r}": over[r], f"low_{a}": 10.0, f"high_{a}": 90.0})
    for rest in (same, one):
        assert [*relevance.mute(rest)] == ["no width"] * 3, "which is first in each seed isn't known"
    alike = "In one run (a) attention is first with all 3 learners"
    few = f"{alike}, but so few don't tell how others would go."
    assert relevance.told_by_learners(leads) == (
        f"But the learners decide it in none of 3 runs, for they are too few. {few}"
    )
    last = leads.assign(**{"which is first": [*first["which is first"][:2], "relevance"]})
    assert relevance.told_by_learners(last) == f"The learners decide it in 1 of 3 runs. {few}"
    assert relevance.in_each_step(real, over).startswith(
        f"{alike}: at step 50, relevance at 75. Nobody looked between these"
    )
    assert relevance.in_every_seed(leads[1:]) == "" and relevance.told_by_learners(leads[1:2]) == (
        "But the learners decide it in no run, for they are too few."
    )
    far = relevance.in_every_seed(leads.assign(**{r: 150.0}), steps=True)
    assert far.endswith("at step 50, relevance at 150."), "others looked between these steps"
    assert "In one run (a) relevance is first" in relevance.in_every_seed(leads.assign(**{r: 25.0}))
    assert relevance.first_by_model(real, over) == "Which is halfway first stays open in all 3 runs"
    assert relevance.first_by_model(real[:2], over[:2]) == "Which is halfway first stays open in both runs"
    real.index = pd.MultiIndex.from_tuples(
        [(name, "paper", "bilstm", "additive") for name in ("imdb", "sst", "ade")], names=relevance.BY
    )
    near = real.assign(top_other=0.1, top_uniform=[0.2, 0.2, 0.15], top_own=[0.1, 0.4, 0.1])
    rest = relevance.not_asked(near.assign(low_top_uniform=[0.1, 0.1, 0.05]))
    every = relevance.not_asked(near.assign(low_top_uniform=0.1))
    assert "And yet it is relevant to a *uniformly* trained model in 15% to 20%." in every
    assert "And yet in 2 of them it is relevant to a *uniformly* trained model in 20%." in rest
    assert "model itself it is relevant in 40% in b: what" in rest
    assert "drift among the 5% most relevant and displace the attended one. Under even attention" in rest
    leads_there = near.assign(low_top_uniform=0.1, top_own=0.1)
    assert "It would explain, too, why some models find their own" in relevance.not_asked(leads_there)
    ax = figures.leads(leads).axes[0]
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels == ["c\n288 steps", "b\n4,104 steps", "a\n288 steps"]
    told = [text.get_text() for text in ax.texts]
    assert told == ["", "one learner", "all 3 learners", "attention first", "relevance first"]
    assert [text.get_ha() for text in ax.texts[1:3]] == ["left", "right"], "each on its dot's outer side"
    ax.figure.canvas.draw()
    frame = ax.get_window_extent()
    for text in ax.texts:
        box = text.get_window_extent()
        assert frame.x0 <= box.x0 and box.x1 <= frame.x1, "no note leaves the figure"
    hollow = [line.get_xdata()[0] for line in ax.lines if line.get_markerfacecolor() == "#ffffff"]
    assert hollow == [50, -25] and line_ends(ax) == [20, 50, -25]
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


def test_one_rise_is_drawn_with_its_halfway_steps(finished, rows):
    """Of the first other seed; none is drawn that hardly gets beyond chance, or where there is no other."""
    course = finished.table("course")
    one = relevance.one_rise(course)
    assert one["model"].nunique() == 1 and one["model"].iloc[0] not in ("base", "uniform")
    halves = relevance.halves(one)
    steps = [int(half.iloc[0]) for half in halves.values()]
    assert relevance.rise_told(finished, one) == (
        f"On planted a learner's relevance is halfway at step {steps[0]}, its attention at step {steps[1]}"
    )
    figure = figures.rise(one, halves)
    [ax] = figure.axes
    rings = [line.get_xdata()[0] for line in ax.lines if line.get_markersize() == 11]
    shares = [[*line.get_ydata()] for line in ax.lines if line.get_markersize() == 3.5]
    assert rings == steps and shares == [[*one["relevance_agrees"]], [*one["attention_agrees"]]]
    plt.close(figure)
    assert "the finished model is this page's own run, the" in relevance.under_rise(finished, course)
    swapped = {"relevance_agrees": "attention_agrees", "attention_agrees": "relevance_agrees"}
    told = {relevance.of_the_example(of, pd.DataFrame()) for of in (one, one.rename(columns=swapped))}
    assert steps[0] != steps[1] and told == {
        "In this example relevance is first, as the theory says.",
        "In this example attention is first, against the theory.",
    }
    alike = one.assign(attention_agrees=one["relevance_agrees"])
    assert relevance.of_the_example(alike, relevance.on_real_text(rows)) == (
        "In this example both are halfway at the same step. Is it so on real text?"
    )
    single = pd.concat([one, course[course["model"] == "base"]])
    assert "run, the learner the one other seed, watched on" in relevance.under_rise(finished, single)
    assert relevance.one_rise(course.assign(relevance_agrees=course["chance"])).empty
    assert relevance.one_rise(course[course["model"].isin(("base", "uniform"))]).empty


@pytest.mark.parametrize(
    ("corpus", "profile", "steps"),
    [("20news", "paper", 288), ("imdb", "snell", 2052), ("agnews (part)", "paper", 6000)],
)
def test_how_long_real_runs_were_watched(corpus, profile, steps):
    """By hand: 8 epochs of 1,145 texts, 4 of 16,404, 8 of 23,977, by 32."""
    assert relevance.steps_watched(corpus, profile, "bilstm", "additive", 0) == steps


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
        names = [text.get_text() for text in figure.axes[0].get_yticklabels()]
        assert [" ".join(name.split()).replace(",", "").replace(" (1 other)", "") for name in names] == [
            name.replace(",", "") for name in shown["run"]
        ] and all(name.count("\n") == 1 for name in names)
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
