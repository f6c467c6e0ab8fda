"""Each paper's test, and how it reads."""

import numpy as np
import pandas as pd
import pytest

from heed.verdict import carried, mended, paper_tests


def _row(corpus, measure, mean, seed=0, attention="additive", ends=(np.nan, np.nan)):
    run = {"corpus": corpus, "encoder": "bilstm", "attention": attention, "profile": "paper", "given": ""}
    ends = dict(zip(("low", "high"), ends, strict=True))
    return run | ends | {
        "variant": "paper-0", "seed": seed, "class": "overall", "measure": measure, "mean": mean,
        "partial": False, "n": 100,
    }  # fmt: skip


def test_each_papers_test_reads_as_it_says():
    """Above a border, below it, across it with two seeds; a dash without a run."""
    rows = [_row("sst", "found", 0.6), _row("sst", "other_jsd", 0.1), _row("sst", "tau_loo", 0.2)]
    rows += [_row("sst", "f1", 0.8), _row("sst", "f1", 0.8, attention="uniform")]
    rows += [_row("sst", "trained_change", 0.01), _row("sst", "trained_jsd", 0.3)]
    rows += [_row("mine", "tau_loo", 0.4), _row("mine", "tau_loo", 0.6, seed=1)]
    rows += [_row("sst", "excess_attention", 0.05)]
    rows += [
        _row("sst", f"erased_{name}_in_common", mean)
        for name, mean in (("random_mean", 0.6), ("attention", 0.4))
    ]
    rows += [_row("sst", "tau_of_attention_lime_size", 0.3)]
    rows += [_row("sst", "naopc_comp_attention", 0.6), _row("sst", "naopc_comp_random", 0.4)]
    rows += [_row("sst", "top_uniform", 0.5), _row("sst", "top_chance", 0.1)]
    table = paper_tests.tests(paper_tests.readings(pd.DataFrame(rows))).set_index("corpus")
    loo, gradient, integrated, lime, shap, moves, other, furthest, *others = table.loc["sst"]
    pays, beyond, helps, needed, sooner, decides, better, best, truth, follows = others
    assert loo == "no: 0.200 (one seed)" and other.startswith("far: 0.600")
    unasked = {gradient, moves, furthest, truth, integrated, shap}
    assert unasked == {"–"}, "no run has been through those chapters"
    assert needed == "open: 0.00 (one seed)" and beyond.startswith("yes: 0.500")
    assert helps == "–", "no run has been through that chapter"
    assert pays == "–", "no adversary went beyond 0.4"
    assert decides.startswith("yes: 0.0500") and sooner.startswith("yes: 0.200")
    assert follows.startswith("often: 0.400")
    assert lime == "no: 0.300 (one seed)"
    assert better == "yes: 0.200 (one seed)" and best == "no: 0.600 (one seed)"
    assert table.loc["mine"].iloc[0].startswith("open: 0.500 [")
    assert (table.loc["imdb"] == "–").all()


def test_parts_and_models_that_only_guess_stand_apart():
    rows = [_row("agnews", "tau_loo", 0.6) | {"partial": True}]
    rows += [_row("babi3-1k", "tau_loo", 0.6), _row("babi3-1k", "accuracy", 0.1)]
    table = paper_tests.tests(paper_tests.readings(pd.DataFrame(rows))).set_index("corpus")
    assert "agnews" not in table.index and table.loc["agnews (part)"].iloc[0].startswith("yes")
    assert (table.loc["babi3-1k"] == "–").all()


def _read(test, *rows):
    table = paper_tests.tests(paper_tests.readings(pd.DataFrame(rows))).set_index("corpus")
    return table.loc["sst", [name for name in table if test in name]].item()


@pytest.mark.parametrize(
    "change, far, reading",
    [(0.04, 0.5, "no: -0.0600 (one seed)"), (0.3, 0.5, "yes: 0.200 (one seed)"), (0.3, 0.4, "–")],
)
def test_a_trained_adversary_is_held_against_the_seeds(change, far, reading):
    """The paper's own .036 of halved TVD on SST lies below its seeds' .037 to .057: no cost beyond chance."""
    rows = [_row("sst", "trained_change", change), _row("sst", "trained_jsd", far)]
    assert _read("moves more than other seeds", *rows, _row("sst", "other_change", 0.1)) == reading


def test_a_gain_of_one_seed_is_read_by_its_interval_over_texts():
    """Open without one; with several seeds theirs decides, whatever the texts say."""
    flat = [_row("sst", "f1", 0.83), _row("sst", "f1", 0.80, attention="uniform")]
    texts = _row("sst", "f1_base_minus_uniform", 0.03, ends=(0.02, 0.04))
    assert _read("attention is needed", *flat, texts) == "yes: 0.0300 [0.0200, 0.0400] (one seed)"
    test, both = "token-wise", [_row("sst", "f1_mlp_base", 0.83), _row("sst", "f1_mlp_trained", 0.80)]

    def over(low, high, seed=0):
        return _row("sst", "f1_mlp_base_minus_mlp_trained", 0.03, seed, ends=(low, high))

    assert _read(test, *both) == "open: 0.0300 (one seed)"
    assert _read(test, *both, over(-0.01, 0.06)) == "open: 0.0300 [-0.0100, 0.0600] (one seed)"
    assert _read(test, *both, over(0.02, 0.04)) == "yes: 0.0300 [0.0200, 0.0400] (one seed)"
    assert _read(test, *both, over(-0.02, 0.005)).startswith("hardly")
    again = [_row("sst", "f1_mlp_base", 0.84, 1), _row("sst", "f1_mlp_trained", 0.80, 1)]
    two = _read(test, *both, *again, over(0.02, 0.04), over(0.02, 0.05, 1))
    assert two.startswith("open: 0.0350 [") and not two.endswith("seed)")


def test_readings_are_corrected_for_one_another():
    """Over all that are tested; of one seed, and without a run, there is no test."""
    rows = [_row("sst", "tau_loo", mean, seed) for seed, mean in enumerate([0.31, 0.41, 0.37])]
    rows += [_row("sst", "found", mean, seed) for seed, mean in enumerate([0.61, 0.6, 0.605])]
    rows += [_row("ade", "tau_loo", 0.2)]
    found = paper_tests.readings(pd.DataFrame(rows)).dropna(subset="p").set_index("test")
    assert found["corpus"].tolist() == ["sst", "sst"] and found["seeds"].tolist() == [3, 3]
    loo, far = found.index
    assert (found["reading"] == ["no", "far"]).all() and (found["p"] < 0.05).all()
    assert found.loc[far, "holm"] == 2 * found.loc[far, "p"] and found.loc[loo, "holm"] == found.loc[loo, "p"]


def test_every_models_answer_says_for_whom_it_speaks():
    """A row an answer; what is open speaks for nobody, nor does a question of where attention comes from."""
    rows = [_row("sst", "tau_loo", mean, seed) for seed, mean in enumerate([0.31, 0.41, 0.37])]
    rows += [_row("sst", "optimum", 0.6), _row("sst", "top_uniform", 0.5), _row("sst", "top_chance", 0.1)]
    rows += [
        _row("mine", "tau_loo", mean, seed) | {"encoder": "average"} for seed, mean in enumerate([0.4, 0.6])
    ]
    rows += [_row("mine", "median_change", 0.3) | {"encoder": "average", "attention": "dot"}]
    found = paper_tests.answers(pd.DataFrame(rows))
    own = found[found["corpus"].isin(["sst", "mine"])].set_index(["corpus", "model", "question"]).sort_index()
    others = {*found["corpus"]} - {"sst", "mine"}
    assert len(own) == 5 and others == {"planted", "indicator"}, "chapter 14's, which are carried"
    sst = own.loc["sst", "BiLSTM"]
    assert sst["speaks"].tolist() == ["neither", "against", "against"]
    assert sst["reading"].tolist() == ["often", "far", "no"] and sst["seeds"].tolist() == [1, 1, 3]
    assert own.loc["mine", "Average"]["speaks"].tolist() == ["open"]
    assert own.loc["mine", "Average · dot"]["speaks"].tolist() == ["for"]
    assert not paper_tests.answers(carried.empty()).empty and (sst["holm"].dropna() <= 1).all()


def test_transformers_stand_beside_the_others():
    """By attention over their states, and by their own."""
    given = "pretrained=all-MiniLM-L6-v2, ranked_texts=200"
    rows = [_row("sst", "tau_loo", 0.3)]
    rows += [_row("sst", "tau_loo", 0.1) | {"encoder": "transformer", "given": given}]
    rows += [_row("sst", "tau_loo", 0.6, attention="own") | {"encoder": "transformer-cls", "given": given}]
    found = paper_tests.answers(pd.DataFrame(rows)).query("corpus == 'sst'")
    assert found["model"].tolist() == [
        "BiLSTM", "all-MiniLM-L6-v2, frozen", "all-MiniLM-L6-v2, its own"
    ]  # fmt: skip
    assert found["speaks"].tolist() == ["against", "against", "for"]
    own = {"encoder": "transformer-cls", "given": given}
    for far, reading in ((0.65, "far"), (0.35, "open")):
        searched = _row("sst", "other_jsd_mean", far, attention="own") | own
        (answer,) = (
            paper_tests.answers(pd.DataFrame([*rows, searched])).query("mean == @far").to_dict("records")
        )
        assert answer["question"] == "can't be exchanged?" and answer["reading"] == reading, "a search's"


def test_the_truth_is_asked_of_models_that_are_mostly_right():
    """One that answers badly has no reason to look at what decides."""
    rows = [_row("babi1", "auroc_attention", 0.9), _row("babi1", "accuracy", 0.9)]
    rows += [_row("babi2", "auroc_attention", 0.5), _row("babi2", "accuracy", 0.4)]
    found = paper_tests.answers(pd.DataFrame(rows)).query("corpus.str.startswith('babi')")
    assert found[["corpus", "reading", "speaks"]].to_numpy().tolist() == [["babi1", "yes", "for"]]


def test_a_run_of_ones_own_stands_among_the_carried_seeds_of_a_made_corpus():
    """Of its seed what it has counts, what it lacks and the other seeds are chapter 14's."""
    own = pd.DataFrame([_row("planted", "tau_loo", 0.9), _row("planted", "accuracy", 0.97)])
    planted = [
        paper_tests.answers(rows).query("corpus == 'planted' and model == 'BiLSTM'").set_index("question")
        for rows in (carried.empty(), own)
    ]
    alone, both = (found[["seeds", "mean"]] for found in planted)
    question = next(test.question for test in paper_tests.TESTS if test.of == "tau_loo")
    seeds = alone.loc[question, "seeds"]
    first = mended().query("corpus == 'planted' and encoder == 'bilstm' and attention == 'additive'")
    first = first.query("given == '' and seed == 0")["tau_loo"].item()
    assert both.loc[question, "seeds"] == seeds > 1
    assert both.loc[question, "mean"] - alone.loc[question, "mean"] == pytest.approx((0.9 - first) / seeds)
    pd.testing.assert_frame_equal(both.drop(question), alone.drop(question), check_like=True)
