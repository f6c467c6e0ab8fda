"""Chapter 02's sentences: of every table something true, of none nothing."""

import re
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapters import NOTHING
from heed import verdict
from heed.experiments import correlation as ranking
from heed.measures import rankings
from heed.runs.run import Run
from heed.show import correlation, figures, sentences, word_lengths
from heed.show.figures.correlation import draw_correlations
from heed.show.notebook import inert
from heed.verdict import claims

TAUS = {"tau_gradient": "gradient", "tau_loo": "leave-one-out", "tau_other": "another"}
NO_SEEDS = pd.DataFrame()


@pytest.fixture
def overall(finished):
    return correlation.overall_of(finished.table("summary"))


@given(undefined=st.lists(st.integers(0, 2), min_size=3, max_size=3))
def test_mean_taus_are_of_the_texts_that_have_one(undefined):
    rows = pd.DataFrame({"n": 2, "undefined": undefined, "mean": 0.5, "significant": 0.25}, index=[*TAUS])
    rows.loc[rows["undefined"] == 2, ["mean", "significant"]] = np.nan
    sentence = correlation.mean_taus(rows, TAUS)
    assert not NOTHING.search(sentence)
    for tau, label in TAUS.items():
        assert (f"0.50 with {correlation.with_article(label)}" in sentence) == (
            rows.loc[tau, "undefined"] < 2
        )


@pytest.mark.parametrize(("values", "said"), [([0.1, 0.3], "“b”"), ([0.2, 0.2], "none, all are equal")])
def test_the_top_word_is_one_that_is_above_another(values, said):
    assert sentences.top_word(["a", "b"], np.array(values)) == said


def test_rankings_of_one_first_word_are_told_together():
    kinds = {"attention": np.array([1, 2]), "gradient": np.array([1, 3]), "leave-one-out": np.array([1, 0])}
    assert correlation.tops(["a", "b"], kinds, {}) == [
        "Ranked first: “b” by attention and gradient; “a” by leave-one-out."
    ]
    asked = {"query_name": "Question", "question": "where *"}
    assert correlation.tops(["a", "b"], kinds, asked)[0] == "Question: *where &#42;*."


def test_tau_is_what_counting_gives():
    """By hand: of six pairs five alike with the gradient, one with leave-one-out."""
    kinds = {"attention": np.array([0.1, 0.2, 0.3, 0.4]), "gradient": np.array([1, 2, 4, 3])}
    kinds["leave-one-out"] = np.array([4, 3, 1, 2])
    title = correlation.first_text(kinds).replace("\u00a0", " ")
    assert title == (
        "One text: attention orders 5 of 6 pairs of words as the gradient does (τ = 0.67) and 1 as "
        "leave-one-out does (τ = −0.67)"
    )
    some = kinds | {"gradient": np.ones(4)}
    assert "orders 1 of 6 pairs of words as leave-one-out does" in correlation.first_text(some)
    alike = kinds | {"attention": np.ones(4)}
    assert "τ" not in correlation.first_text(alike)


def test_one_text_stands_among_the_others():
    """By hand: τ of 0.67 with the gradient is more than 15 of 20 have; −0.67 is less than all have."""
    kinds = {"attention": np.array([0.1, 0.2, 0.3, 0.4]), "gradient": np.array([1, 2, 4, 3])}
    kinds["leave-one-out"] = np.array([4, 3, 1, 2])
    table = pd.DataFrame({"tau_gradient": [0.5] * 15 + [0.9] * 5, "tau_loo": [0.1] * 20})
    assert correlation.one_of_many(kinds, table) == (
        "But one text is one text. Over the 20 texts of this run the mean τ is 0.60 with the gradient (this "
        "text is among the highest 25%) and 0.10 with leave-one-out (this text is among the lowest 5%)."
    )
    assert correlation.one_of_many(kinds, table[1:]) == ""
    assert correlation.one_of_many(kinds | {"attention": np.ones(4)}, table) == ""


def test_who_puts_the_same_word_first():
    """By hand: in texts of two, two and four words 1, 1/2 (a tie) and 0; a text of one is left out."""
    attention = {"a": [0.9, 0.1], "b": [0.6, 0.4], "c": [0.1, 0.2, 0.3, 0.4], "d": [1.0]}
    gradient = {"a": [2.0, 1.0], "b": [1.0, 1.0], "c": [4.0, 3.0, 2.0, 1.0], "d": [1.0]}
    loo = {"a": [1.0, 2.0], "b": [1.0, 2.0], "c": [4.0, 3.0, 2.0, 1.0], "d": [1.0], "e": [1.0, 2.0]}
    ranked = {"attention": attention, "gradient": gradient, "loo": loo}
    ranked = {name: {key: np.array(own) for key, own in of.items()} for name, of in ranked.items()}
    said = correlation.same_first(ranked)
    assert "in 50% (attention and gradient), 0% (attention and leave-one-out) and 50% (gradient" in said
    assert said.endswith("of 3 texts; by chance it is 42%.")
    alone = {name: {"d": of["d"]} for name, of in ranked.items()}
    assert correlation.same_first(alone) == ""


def test_deciding_words_are_drawn_dark():
    figure = figures.bars(["a", "b", "c"], {"attention": np.ones(3)}, marked=np.array([False, True, False]))
    dark = [bar.get_facecolor()[:3] == (0, 0, 0) for bar in figure.axes[0].patches]
    names = figure.axes[0].get_xticklabels()
    assert dark == [False, True, False] == [name.get_weight() == "bold" for name in names]
    plt.close(figure)


def test_the_answer_has_this_runs_numbers_and_real_ones(finished, overall):
    real = correlation.on_real_text()
    said = " ".join(correlation.in_short(finished, overall, real, NO_SEEDS))
    alone = " ".join(correlation.in_short(finished, overall, real.iloc[:0], NO_SEEDS))
    assert f"{sentences.signed(overall.loc['tau_loo', 'mean'])} with leave-one-out" in alone
    for own in real.to_dict("records"):
        assert f"{own['gradient']:.2f} ({own['encoder']})" in said
    assert f"with leave-one-out {sentences.listed([f'{tau:.2f}' for tau in real['loo']])}." in said
    assert "report 0.38 to 0.40 (BiLSTM) and 0.69 (Average) with the gradient." in said
    order = correlation.finders(overall)
    best, worst = (overall.loc[f"auroc_{name}", "mean"] for name in (order[0], order[-1]))
    assert f"{best:.2f}), " in said and f"worst ({worst:.2f}; chance" in said and "over 2 seeds" not in said
    seeds = pd.DataFrame([dict.fromkeys(["auroc_attention", "auroc_gradient", "auroc_loo"], 0.0)])
    said = " ".join(correlation.in_short(finished, overall, real, seeds))
    means = [overall.loc[f"auroc_{name}", "mean"] / 2 for name in correlation.FINDERS]
    best = correlation.best_and_worst(overall, seeds)[0][0]
    assert f" whose deciding words are known, {best} finds them best over 2 seeds (" in said
    assert f"{max(means):.2f}), " in said and f"({min(means):.2f}; chance: 0.50) less well" in said
    assert len(said.split()) <= 165


def test_the_first_and_the_last_answer_agree(finished, overall):
    """Both begin with SST and the same verdict, and both say what follows."""
    real = correlation.on_real_text()
    first = correlation.in_short(finished, overall, real, NO_SEEDS)
    last = correlation.answer(finished, overall, real, 0.2, NO_SEEDS)
    assert first[0].startswith("Only in part.")
    assert last[0] == (
        "Only in part, and it depends on the encoder: on SST most in Average, least in the CNN."
    )
    assert correlation.what_follows(overall, real) in {*first} & {*last}
    one = correlation.answer(finished, overall, real.iloc[:1], 0.2, NO_SEEDS)[0]
    assert one == "Only in part (SST, the BiLSTM)."
    assert "either measure (BiLSTM, CNN): to know" in correlation.what_follows(overall, real)
    assert last[1].split(":")[0] in correlation.in_short(finished, overall, real.iloc[:0], NO_SEEDS)[0]
    high = real.assign(gradient=0.8, loo=0.7)
    assert "doesn't show that either is right" in correlation.what_follows(overall, high)
    assert correlation.in_short(finished, overall, high, NO_SEEDS)[0].startswith("Mostly.")


def test_nothing_is_said_of_texts_without_tau(finished, overall):
    none = overall.assign(mean=np.nan, low=np.nan, high=np.nan, undefined=overall["n"])
    said = correlation.in_short(finished, none, correlation.on_real_text().iloc[:0], NO_SEEDS)
    nothing = correlation.on_real_text().iloc[:0]
    said += correlation.answer(finished, none, nothing, None, NO_SEEDS)
    said.append(correlation.two_means(none))
    said.append(correlation.finds(finished, none, NO_SEEDS))
    said.append(correlation.top_and_rest(none, 0.2, np.nan, NO_SEEDS))
    said.append(correlation.most_alike(none))
    assert not any(re.search(r"\bnan\b", sentence) for sentence in said)
    assert correlation.answer(finished, none, nothing, None, NO_SEEDS) == [correlation.NO_TAU]


def test_who_finds_the_deciding_words(finished, overall):
    order = correlation.by_auroc(overall)
    means = [overall.loc[f"auroc_{name}", "mean"] for name in order]
    assert means == sorted(means, reverse=True) and {*order} == {*rankings.compared()}
    of_three = max(overall.loc[f"auroc_{name}", "mean"] for name in correlation.FINDERS)
    assert f"AUROC {of_three:.2f}" in correlation.finds(finished, overall, NO_SEEDS)
    seeds = pd.DataFrame([{"auroc_attention": 1.0, "auroc_gradient": 0.0, "auroc_loo": 0.5}] * 99)
    said = correlation.finds(finished, overall, seeds)
    assert ": over 100 seeds attention finds" in said and "the gradient worst (0.0" in said
    best = np.mean([overall.loc["auroc_attention", "mean"], *[1.0] * 99])
    assert f"mean AUROC {best:.2f}" in said and f"{best:.2f} (" in correlation.seeds_found(overall, seeds)
    assert correlation.seeds_found(overall, NO_SEEDS).startswith("This is one seed")
    assert "neither is surely worse" not in correlation.seeds_found(
        overall, seeds.assign(auroc_gradient=-9.0)
    )


def test_rankings_that_find_as_much_are_told_so(finished, overall):
    rows = overall.copy()
    rows.loc[[f"auroc_{name}" for name in rankings.compared()], "mean"] = 1.0
    model = f"{finished.params.corpus}, {sentences.LABELS[finished.params.encoder]}"
    assert correlation.finds(finished, rows, NO_SEEDS) == (
        f"{model}: in this seed attention, the gradient and leave-one-out find the deciding words equally "
        "well (mean AUROC 1.00)"
    )
    said = correlation.in_short(finished, rows, correlation.on_real_text(), NO_SEEDS)[-2]
    assert "attention, the gradient and leave-one-out find them equally well in this seed ([AUROC]" in said
    assert said.endswith("1.00; chance: 0.50).")
    assert "best" not in correlation.with_later_measures(rows)


def test_the_last_two_arent_told_apart_where_a_seed_has_them_the_other_way_round(finished, overall):
    """By hand: 0.1 more in this seed, 0.15 less in the other; seed by seed, though the ranges overlap."""
    rows = overall.copy()
    rows.loc[["auroc_attention", "auroc_gradient", "auroc_loo"], "mean"] = [0.5, 0.6, 0.9]
    near = pd.DataFrame([{"auroc_attention": 0.65, "auroc_gradient": 0.6, "auroc_loo": 0.9}])
    said = correlation.finds(finished, rows, near.assign(auroc_attention=0.62))
    assert said.endswith("best (mean AUROC 0.90), the gradient (0.60) and attention (0.56) less well")
    assert correlation.seeds_found(rows, near.assign(auroc_attention=0.62)).endswith(
        "Seed by seed the gradient has 0.04 more than attention (−0.02 to 0.10), so neither is surely worse."
    )
    apart = near.assign(auroc_attention=0.65, auroc_gradient=0.7)
    assert correlation.finds(finished, rows, apart).endswith("(mean AUROC 0.90), attention worst (0.57)")
    assert "surely" not in correlation.seeds_found(rows, apart)


def test_the_whole_order_and_its_top_are_told_apart():
    rows = pd.DataFrame({"mean": [0.53, 0.41]}, index=["auroc_attention", "precision_attention"])
    said = correlation.top_and_rest(rows, 0.26, 0.35, NO_SEEDS)
    assert (
        "are compatible" in said and "even less attention than the others" in said and "in 35% of the" in said
    )
    assert "no more attention than the others" in correlation.top_and_rest(rows, 0.26, 0.48, NO_SEEDS)
    for below in (0.6, np.nan):
        assert "are compatible" not in correlation.top_and_rest(rows, 0.26, below, NO_SEEDS)
    assert "are compatible" not in correlation.top_and_rest(rows, 0.4, 0.35, NO_SEEDS)
    assert "compatible" not in correlation.top_and_rest(rows.assign(mean=[0.9, 0.8]), 0.26, 0.35, NO_SEEDS)
    named = correlation.top_and_rest(rows, 0.26, 0.35, NO_SEEDS, ["not", "a|b"])
    assert named.endswith(f"falls on “not” and “{inert('a|b')}”.")
    seeds = pd.DataFrame({"auroc_attention": [0.6, 0.7]})
    assert "(chance: 0.50), the lowest of the 3 seeds, and" in correlation.top_and_rest(
        rows, 0.26, 0.35, seeds
    )
    assert "lowest" not in correlation.top_and_rest(rows, 0.26, 0.35, seeds - 0.5)


def test_deciding_words_that_attention_misses_by_hand():
    """Two deciding words, one at the top; of the two others one has less than the other deciding word."""

    def text(weights, truth):
        decides = None if truth is None else np.array(truth, bool)
        return SimpleNamespace(attention=np.array(weights), truth=decides, real=np.ones(len(weights), bool))

    missing = text([0.4, 0.3, 0.1, 0.15, 0.05], [1, 0, 1, 0, 0])
    assert correlation.missed([missing]) == 0.5  # of 0.15 and 0.05, the top two left out
    tied = text([0.4, 0.3, 0.1, 0.1], [1, 0, 1, 0])
    assert correlation.missed([tied]) == 0.5
    low = text([0.4, 0.3, 0.1, 0.2], [1, 0, 1, 0])
    assert correlation.missed([missing, low]) == 0.25
    none = [text([0.6, 0.4], [1, 0]), text([0.5, 0.5], None), text([0.5, 0.5], [0, 0])]
    assert np.isnan(correlation.missed(none))


def test_deciding_words_that_get_hardly_any_attention():
    """By hand: of “no”, “yes” and “the” in 20 texts only “no” decides with less than a tenth of a third."""
    row = SimpleNamespace(
        units=["no", "yes", "the"],
        attention=np.array([0.03, 0.96, 0.01]),
        truth=np.array([True, True, False]),
        real=np.ones(3, bool),
    )
    assert correlation.unattended([row] * correlation.FEW) == ["no"]
    assert correlation.unattended([row]) == []
    assert correlation.unattended([SimpleNamespace(truth=None)]) == []


def test_other_seeds_are_those_whose_models_are_here(small, tmp_path):
    """Of the run of the committed outputs there are four; of a small one none."""
    assert ranking.other_seeds_found(small(tmp_path)).empty
    usual = Run.of(tmp_path, corpus="planted")
    assert [other.params.seed for other in ranking.other_seeds(usual)] == [1, 2, 50, 257]


def test_the_formula_of_leave_one_out_is_checked(small, tmp_path):
    """Average's is given to rounding; another leave-one-out raises."""
    run = small(tmp_path, encoder="average")
    loo = ranking.ranked(run)["loo"]
    assert "the formula gives each Δŷ" in correlation.built_in(run, run.evidence, loo)
    with pytest.raises(AssertionError, match="isn't what the formula gives"):
        correlation.built_in(run, run.evidence, {name: values + 0.1 for name, values in loo.items()})
    assert "no word that can be left out" in correlation.built_in(run, run.evidence, {})


def test_a_contextual_model_has_nothing_built_in(finished):
    assert "less agreement is built in" in correlation.built_in(
        finished.changed(encoder="bilstm"), finished.evidence, {}
    )


def test_the_carried_numbers_stand_beside_the_papers():
    wide = correlation.beside_the_paper()
    assert {"BiLSTM", "Average"} <= {*wide["encoder"]}
    least = wide[["J&W: negative", "J&W: positive"]].min(axis=1)
    assert (wide["ours: paper, word2vec"] < least).all()
    assert correlation.below_the_paper(wide).startswith("All our means lie below")
    some = wide.assign(**{"ours: paper, word2vec": [*least[:1] - 0.1, *least[1:] + 0.1]})
    assert "and 1 under `paper` lie below both" in correlation.below_the_paper(some)
    real = correlation.on_real_text()
    assert [*real["encoder"]] == ["BiLSTM", "Average", "CNN"]
    assert len(wide.columns) == 7 and "`paper2019`" in correlation.nearer_with_general_vectors(wide)
    here = wide.assign(**{name: 0.4 for name in wide.columns[2:]} | {"ours: paper, word2vec": 0.3})
    assert correlation.nearer_with_general_vectors(here).startswith(
        "Our means with word2vec are on average 0.00 from the published ones under `paper2019` and 0.10"
    )
    without = wide.assign(**{"ours: paper2019, spaCy's vectors": np.nan})
    assert correlation.nearer_with_general_vectors(without) == ""
    assert "(BiLSTM)" in correlation.histograms()
    none = real.iloc[:0]
    assert correlation.three_pairs(none) == ""
    assert correlation.contrast_by_model(none) == ""


def test_the_papers_contrast_on_real_text():
    """By hand: the difference of τ(gradient, LOO) and each of attention's, with its sign."""
    real = correlation.on_real_text()
    rows = correlation.models(real)
    for own in rows.to_dict("records"):
        assert own["both"] - own["loo"] == pytest.approx(own["more_loo"], abs=0.002), own
        assert own["both"] - own["gradient"] == pytest.approx(own["more_gradient"], abs=0.002), own
        assert len(own["both_seeds"]) == own["seeds"]
    table = correlation.contrasts(rows)
    assert len(table) == len(rows) and table.iloc[0, :3].tolist() == [
        "BiLSTM",
        "paper",
        "word2vec",
    ]
    assert table["minus τ(attention, LOO)"].iloc[0].startswith(f"{rows['more_loo'].iloc[0]:.2f} (")


def with_contrast(rows: pd.DataFrame, *by: float) -> pd.DataFrame:
    """The same rows, each of two seeds, with these two differences."""
    seeds = {f"more_{of}_seeds": [[by_, by_] for by_ in by] for of in ("loo", "gradient")}
    return rows.assign(more_loo=by, more_gradient=by, **seeds)


def test_the_contrast_is_there_in_every_seed_or_not():
    real = correlation.on_real_text()

    def said(*by):
        return correlation.contrast_by_model(with_contrast(real, *by))

    one = "Only the BiLSTM with word2vec (`paper`) shows a contrast as large as the paper's mean. "
    assert said(0.33, 0.1, -0.1) == (
        f"{one}In 1 model it is smaller, but above 0 in every seed; in 1 model it isn't above 0 in every "
        "seed."
    )
    none = "None of these shows a contrast as large as the paper's mean. "
    assert said(-1, -1, -1) == f"{none}In 3 models it isn't above 0 in every seed."
    assert said(0.1, 0.1, 0.22) == (
        f"{none}The CNN with word2vec (`paper`) comes near (within 0.05). In 2 models it is smaller, but "
        "above 0 in every seed."
    )
    assert said(1, 1, 1) == (
        "The BiLSTM with word2vec (`paper`), Average with word2vec (`paper`) and the CNN with word2vec "
        "(`paper`) show a contrast as large as the paper's mean."
    )
    mixed = with_contrast(real, 1, 1, 1).assign(more_loo_seeds=[[2, -0.1]] * 3)
    assert correlation.contrast_by_model(mixed) == said(-1, -1, -1)


def test_the_encoder_that_agrees_least_is_named():
    real = correlation.on_real_text()
    assert correlation.lowest(real) == "Why attention's τ is lowest in the CNN, this chapter doesn't measure."
    assert correlation.lowest(real[:1]) == correlation.lowest(real[:0]) == ""
    assert correlation.lowest(real.assign(loo=[0.1, 0.2, 0.3])) == ""
    assert "lowest in Average," in correlation.lowest(real.assign(loo=0.1, gradient=[0.2, 0.1, 0.3])[1:])


def test_the_title_of_real_text_is_of_all_models():
    rows = correlation.models(correlation.on_real_text())
    said = correlation.three_pairs(rows)
    for label, own in rows.groupby("encoder"):
        taus = [*own["gradient"], *own["loo"]]
        assert f"{min(taus):.2f} to {max(taus):.2f} ({label})" in said
    assert "measure is 0.27 to 0.35 (BiLSTM)" in correlation.three_pairs(rows[:1])


def test_average_has_agreement_built_in_where_it_is_the_highest():
    real = correlation.on_real_text()
    assert "gradient contains attention" in correlation.of_average(real)
    assert correlation.of_average(real.assign(gradient=[0.9, 0.2, 0.1])) == ""


def test_tau_by_corpus_is_the_carried_one(monkeypatch):
    """The mean over seeds of the rows themselves; a model that only guesses has a dash."""
    wide, rows = correlation.by_corpus(), verdict.committed()
    own = rows.query(
        "corpus == 'sst' and encoder == 'bilstm' and attention == 'additive' and profile == 'paper' "
        "and given == '' and `class` == 'overall' and measure == 'tau_loo'"
    )
    assert wide.loc["sst", ("bilstm", "tau_loo")] == pytest.approx(own["mean"].mean())
    assert wide.loc["sst", ("", "seeds")] == len(own) and not {"planted", "world3"} & {*wide.index}
    table = correlation.corpora_beside_the_paper(wide)
    assert [*table["corpus"]] == [*wide.index] and [*table.columns].count("J&W") == 2
    (sst,) = table[table["corpus"] == "sst"].to_numpy().tolist()
    assert sst[3].replace("\u00a0", " ") == "0.38 to 0.40" and table["BiLSTM: gradient"].isna().sum() == 1
    taus = wide["bilstm", "tau_gradient"]
    assert f"{taus.min():.2f} to {taus.max():.2f}." in correlation.on_corpora(wide)
    assert "Over 8 corpora our BiLSTM's" in correlation.on_corpora(wide)
    assert correlation.on_corpora(wide[:1]) == correlation.on_corpora(wide[:0]) == ""
    more = [
        (wide["bilstm", "tau_gradient_loo"] - wide["bilstm", of]).mean() for of in ("tau_loo", "tau_gradient")
    ]
    said = correlation.contrast_over_corpora(wide)
    assert "Over 8 corpora" in said and said.endswith(f"{more[0]:.2f} and {more[1]:.2f}.")
    assert correlation.contrast_over_corpora(wide[:0]) == ""
    assert correlation.contrast_over_corpora(wide.drop(columns=[("bilstm", "tau_loo")])) == ""


def test_both_classes_are_one_outline_on_real_text():
    pooled = correlation.spread_on_real_text()
    assert {group for _, group, _ in pooled} == {"overall"}
    texts = {panel: values.sum() for (panel, _, of), values in pooled.items() if of == "tau_gradient"}
    assert set(texts) == {"bilstm", "average"} and texts["bilstm"] == texts["average"] > 1000
    figure = draw_correlations(pooled, ())
    assert len(figure.axes) == 4
    plt.close(figure)


def test_a_models_tau_is_of_all_its_seeds(finished, overall):
    seeds = pd.DataFrame({"tau_gradient": [0.5, 0.6], "tau_loo": [0.1, 0.2]})
    said = correlation.of_this_run(finished, overall, seeds)
    own = np.array([overall.loc["tau_loo", "mean"], 0.1, 0.2])
    assert f", 3 seeds, {finished.table('correlation')['tau_loo'].notna().sum()} texts) attention" in said
    assert said.endswith(f" and {sentences.with_range(own)} with leave-one-out.")
    assert f", seed {finished.params.seed}, " in correlation.of_this_run(finished, overall, NO_SEEDS)


def test_a_ranking_may_be_right_though_another_disagrees(overall):
    rows = overall.copy()
    rows.loc["tau_gradient_loo", ["mean", "undefined"]] = [0.1, 0]
    rows.loc[["auroc_attention", "auroc_gradient", "auroc_loo"], "mean"] = [0.5, 0.6, 0.9]
    said = correlation.right_without_agreement(rows, NO_SEEDS)
    assert "in this seed gradient and leave-one-out agree little (mean τ 0.10), yet leave-one-out" in said
    seeds = pd.DataFrame([{"tau_gradient_loo": 0.3, "auroc_gradient": 0.6, "auroc_loo": 0.8}])
    said = correlation.right_without_agreement(rows, seeds)
    assert "over 2 seeds" in said and said.endswith(
        "(mean τ 0.20), yet leave-one-out has a mean AUROC of 0.85."
    )
    assert correlation.right_without_agreement(rows, seeds + 0.5) == ""
    rows.loc["auroc_loo", "mean"] = 0.7
    assert correlation.right_without_agreement(rows, NO_SEEDS) == ""
    assert correlation.right_without_agreement(rows.drop("auroc_gradient"), NO_SEEDS) == ""


def test_a_second_protocol_is_told_where_it_matters():
    real, rows = correlation.on_real_text(), word_lengths.usual(word_lengths.carried(made=False))
    said = correlation.under_two_profiles(real, rows)
    assert (
        "(profile `site`, seed 0)" in said and "So in Average the protocol matters, too. In `paper`" in said
    )
    alike = correlation.under_two_profiles(real[real["encoder"] != "Average"], rows)
    assert alike.endswith("under `paper`.")
    assert correlation.under_two_profiles(real.iloc[:0], rows) == ""
    assert correlation.under_two_profiles(real, rows.iloc[:0]) == ""


def test_pairs_that_are_not_drawn_are_named(overall):
    """Of five rankings ten pairs; nine have a τ."""
    names = [*rankings.compared()]
    missing = len(names) * (len(names) - 1) // 2 - len(rankings.pairs())
    said = correlation.not_drawn()
    assert missing == 1 and "Not drawn: integrated gradients (held) with integrated gradients (live)." in said
    assert f"Of the {len(rankings.pairs())} pairs drawn" in correlation.most_alike(overall)


def test_significance_elsewhere_is_counted_as_the_claims_are():
    said = correlation.significant_elsewhere()
    found = claims.table(verdict.committed())
    own = found[found["claim"] == claims.LONGER]
    assert len(own)
    yes, no = ((own["holds"] == name).sum() for name in ("yes", "no"))
    assert said.startswith(f"Yes, usually: in {yes} of {len(own)} combinations") and yes > len(own) / 2
    assert f"it rises in {no or 'none'}; the rest is undecided" in said


@pytest.mark.parametrize(
    ("holds", "said"),
    [
        (["yes"], "Yes: in 1 of 1 combination of"),
        (["yes", "no", "no"], "Not always: in 1 of 3 combinations of"),
        (["no", "no"], "No: in none of 2 combinations of"),
    ],
)
def test_the_answer_on_significance_follows_the_counts(monkeypatch, holds, said):
    monkeypatch.setattr(claims, "table", lambda _: pd.DataFrame({"claim": claims.LONGER, "holds": holds}))
    assert correlation.significant_elsewhere().startswith(said)
    assert "undecided" not in correlation.significant_elsewhere()


def test_the_figure_of_three_pairs_shows_every_seed():
    real = correlation.on_real_text()
    ticks = figures.taus_on_real_text(real, {("BiLSTM", "loo"): [0.3, 0.4]})
    (theirs,) = (line for line in ticks.axes[0].lines if line.get_label() == "Jain & Wallace")
    assert [*theirs.get_xdata()] == [0.3, 0.4]
    assert ticks.axes[0].get_legend().get_texts()[-1].get_text() == "Jain & Wallace"
    plt.close(ticks)
    figure = figures.taus_on_real_text(real)
    drawn = sorted(x for line in figure.axes[0].lines[:-1] for x in line.get_xdata())
    pairs = ("gradient", "loo", "both")
    expected = [x for of in pairs for seeds in real[f"{of}_seeds"] for x in seeds]
    expected += [x for of in pairs for x in real[of]]
    assert drawn == pytest.approx(sorted(expected))
    names = [name.get_text() for name in figure.axes[0].get_yticklabels()]
    assert names == [*real["encoder"]]
    plt.close(figure)
    rows = correlation.models(real)
    rows.loc[0, "seeds"] = 4
    figure = figures.taus_on_real_text(rows)
    headings = [text.get_text() for text in figure.axes[0].texts if text.get_text().startswith("profile")]
    assert headings == [
        "profile paper, word2vec, 4 to 5 seeds",
        "profile paper2019, spaCy's vectors, 4 seeds",
    ]
    plt.close(figure)


def test_some_texts_alone_may_be_ranked():
    ranked = {"attention": dict.fromkeys("abc"), "loo": dict.fromkeys("ab")}
    assert "Leave-one-out: computed for only 2 of the 3 texts" in correlation.ranked_some(ranked, 3)
    assert correlation.ranked_some({"attention": dict.fromkeys("abc")}, 3) == ""


def test_later_rankings_stand_beside_leave_one_out(overall):
    said = correlation.with_later_measures(overall)
    more = [name for name in correlation.by_auroc(overall) if name not in correlation.FINDERS]
    for name in (*more, "loo"):
        auroc, precision = (overall.loc[f"{kind}_{name}", "mean"] for kind in ("auroc", "precision"))
        assert f"{auroc:.2f} and {precision:.2f} for {correlation.called(name)}" in said
    assert len(more) == 2
    first = overall.copy()
    first.loc["auroc_gradient", "mean"] = 2.0
    assert correlation.with_later_measures(first).endswith("the gradient is best of all rankings here.")
    later = [f"auroc_{name}" for name in more]
    assert correlation.with_later_measures(overall.drop(later)) == ""


def test_the_lowest_seed_is_told_to_be_that(overall):
    for mean, lowest in ((1.0, True), (-1.0, False)):
        seeds = pd.DataFrame([dict.fromkeys(["auroc_attention", "auroc_gradient", "auroc_loo"], mean)])
        said = correlation.top_and_rest(overall, 0.2, 0.5, seeds)
        assert ("the lowest of the 2 seeds" in said) == lowest
    assert "lowest" not in correlation.top_and_rest(overall, 0.2, 0.5, NO_SEEDS)


def test_a_triangle_stands_at_each_mean():
    table = pd.DataFrame(
        {"predicted": [0, 0, 1], "tau_gradient": [0.1, 0.3, -0.5], "tau_loo": [0.5, 0.7, 0.1]}
    )
    figure = figures.correlations({"": table}, ("no", "yes"))
    assert [ax.get_title() for ax in figure.axes] == ["attention and gradient", "attention and leave-one-out"]
    for ax, means in zip(figure.axes, ((0.2, -0.5), (0.6, 0.1)), strict=True):
        marks = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "^"]
        assert marks == pytest.approx(means, abs=1 / 30)
        sizes = [line.get_markersize() for line in ax.lines if line.get_marker() == "^"]
        assert sizes == sorted({*sizes}, reverse=True)
    plt.close(figure)
