"""Chapter 07: the adversary's objective, guided attention, the models that a run is held against."""

import contextlib
import json
import multiprocessing
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.stats import kendalltau
from sklearn.metrics import f1_score

import made_up
from heed import verdict
from heed.errors import HeedError
from heed.evidence import collect
from heed.experiments import not_not
from heed.experiments.not_not import support
from heed.measures import exact, registry
from heed.measures.divergence import jsd, tvd
from heed.measures.leave_one_out import leave_one_out
from heed.models import trained_adversary, training
from heed.models.attended import forward
from heed.params import Params
from heed.runs import products
from heed.runs.run import Run
from heed.show import figures
from small_run import SMALL
from twins import plain


@contextlib.contextmanager
def refused(*parts):
    """HeedError is raised, in a sentence or two of one paragraph, and every part is in it."""
    with pytest.raises(HeedError) as caught:
        yield
    said = str(caught.value)
    assert "\n" not in said and len(said) < 1000 and said.endswith("."), said
    assert all(part in said for part in parts), said


# The objective


def test_the_chapter_scales_lambda_with_the_convention(small, tmp_path):
    true, halved = small(tmp_path), small(tmp_path, tvd_halved=True)
    assert [r.params.kl_weight for r in not_not.adversaries(true).values()] == [0.01, 0.1]
    assert [r.params.kl_weight for r in not_not.adversaries(halved).values()] == [0.005, 0.05]
    assert [*not_not.adversaries(true)] == [*not_not.adversaries(halved)]


# Training


def test_labels_are_not_seen(small, tmp_path, monkeypatch):
    """An adversary trained on a corpus whose labels are turned round afterwards is the same."""
    one = small(tmp_path / "one")
    two = small(tmp_path / "two")
    base, other = not_not.adversaries(one)[0.1], not_not.adversaries(two)[0.1]
    two.ensure("decisions_train"), two.ensure("decisions_dev"), two.evidence
    train = two.corpus.splits["train"]
    object.__setattr__(train, "labels", 1 - train.labels)
    assert base.ensure("weights").read_bytes() == other.ensure("weights").read_bytes()


def test_an_adversary_starts_afresh(small, tmp_path):
    run = small(tmp_path)
    other = not_not.adversaries(run)[0.1]
    blank = np.zeros((len(run.corpus.vocabulary), run.params.embedding_dim))
    mine, its = (r.build(blank).decoder.weight for r in (run, other))
    assert not torch.equal(mine, its)
    assert torch.equal(its, not_not.adversaries(run)[0.01].build(blank).decoder.weight)


def test_a_stronger_lambda_looks_further_away(small, tmp_path):
    run = small(tmp_path, lambdas=[1e-6, 1.0], adversary_epochs=8)
    means = run.table("adversaries").groupby("kl_weight")["trained_jsd"].mean()
    assert means[1.0] > means[1e-6]


def test_selection_on_test_and_train(small, tmp_path):
    """The score that chooses is minus the mean objective on the split that `adversary_select_on` names."""
    run = small(tmp_path)
    for split in ("dev", "test", "train"):
        other = run.like(base=run, kl_weight=0.1, adversary_select_on=split)
        curve = other.table("curve")
        chosen = curve[curve["chosen"]].iloc[0]
        assert chosen["score"] == curve["score"].max()
        own = run.decisions(split)
        loss = trained_adversary.objective(*own, 0.1)
        found = training.mean_loss(other.model(), run.data(split), loss, 1000)
        assert -found == pytest.approx(chosen["score"], abs=1e-6)


def test_what_chooses_on_test_does_so_in_everything(small, tmp_path, monkeypatch):
    """Theirs: `select_on: test` chooses the adversaries' epochs and the best of them there, too."""
    run = small(tmp_path, select_on="test")
    other = not_not.adversaries(run)[0.1]
    curve = other.table("curve")
    objective = trained_adversary.objective(*run.decisions("test"), 0.1)
    found = training.mean_loss(other.model(), run.data("test"), objective, 1000)
    assert -found == pytest.approx(curve.loc[curve["chosen"], "score"].item(), abs=1e-6)
    run.ensure("adversaries")
    asked, own = [], Run.decisions
    monkeypatch.setattr(Run, "decisions", lambda r, split: asked.append(split) or own(r, split))
    not_not.best(run)
    assert {*asked} == {"test"}


# Guided attention


def test_each_guided_model_has_the_attention_it_is_called_by(finished):
    models_ = not_not.guides(finished)
    assert models_["adversary"] is not finished and models_["mlp_trained"].params.base == ""
    for name in ("base", "adversary"):
        for one, two in zip(models_[name].evidence, models_[f"mlp_{name}"].evidence, strict=True):
            np.testing.assert_allclose(one.attention, two.attention, rtol=1e-12, atol=1e-15)
    uniform = models_["mlp_uniform"].evidence
    assert all(np.allclose(row.attention, 1 / len(row.attention)) for row in uniform)


def test_guided_attention_is_the_bases_own(finished):
    """On every split, to the last digits of a logarithm; the model learns none of it."""
    guided = not_not.guides(finished)["mlp_base"]
    for split in ("train", "dev", "test"):
        given_, own = finished.decisions(split)[0], guided.decisions(split)[0]
        assert own.keys() == given_.keys()
        for name, weights in given_.items():
            np.testing.assert_allclose(own[name], weights, rtol=1e-12, atol=1e-15)
    assert not [n for n, _ in guided.model().named_parameters() if n.startswith("attention")]


def test_guided_attention_has_no_gradient(finished):
    guided = not_not.guides(finished)["mlp_base"]
    model, batch = guided.model(), guided.data("test").batch([0, 1, 2])
    output = forward(model, batch)
    assert not output.attention.requires_grad and output.logits.requires_grad


def test_leave_one_out_of_a_guided_model_is_refused(finished):
    """Its attention on a shortened text is nobody's."""
    with refused("attention is given for whole texts", "`base`"):
        not_not.guides(finished)["mlp_base"].ensure("loo")


# The tables


def test_the_same_seed_is_no_distance(finished):
    own = finished.decisions("test")
    found = not_not.distances(own, own)
    assert (found[["change", "jsd"]] == 0).all(axis=None)


def test_the_seeds_by_hand(finished, small):
    table = finished.table("seeds")
    results = finished.folder.parents[3]
    for name, other in {
        "seed 1": small(results, seed=1),
        "uniform": small(results, attention="uniform"),
    }.items():
        rows = table[table["model"] == name].set_index("id")
        for one, two in zip(finished.evidence, other.evidence, strict=True):
            assert rows.loc[one.id, "other_jsd"] == jsd(one.attention, two.attention)
            assert rows.loc[one.id, "other_change"] == tvd(one.prediction, two.prediction)
    both = table[table["model"] != "uniform"]
    median = not_not.median_of_seeds(table).set_index("id")
    name = finished.evidence.ids[3]
    assert median.loc[name, "other_jsd"] == np.median(both[both["id"] == name]["other_jsd"])
    assert median.loc[name, "other_change"] == both[both["id"] == name]["other_change"].mean()
    assert len(median) == len(finished.evidence)
    assert figures.peak_bin(median["max_attention"]).notna().all()


def test_the_violins_are_of_the_same_texts(finished):
    """The search's table may come in any order, and a best known isn't called an optimum."""
    table, found = finished.table("seeds"), finished.table("adversarial")
    shuffled = found.sample(frac=1, random_state=3)
    seeds, search, optimum = not_not.panels(table, shuffled).values()
    assert seeds.equals(not_not.median_of_seeds(table))
    for panel, column in ((search, "found"), (optimum, "optimum")):
        assert [*panel["id"]] == [*seeds["id"]]
        by_id = dict(zip(found["id"], found[column], strict=True))
        assert [*panel["other_jsd"]] == [by_id[name] for name in seeds["id"]]
        assert [*panel["max_attention"]] == [*seeds["max_attention"]]
    assert [*not_not.panels(table, found)][1:] == ["Jain & Wallace's search", "exact optimum"]
    unsure = found.assign(proved=[False, *found["proved"][1:]])
    assert [*not_not.panels(table, unsure)][-1] == "best known"


def test_the_points_by_hand(finished):
    """Figure 5: each point from the decisions of its model, loop by loop."""
    points, own = finished.table("points").set_index("name"), finished.evidence
    others = {f"lambda={w:g}": r for w, r in not_not.adversaries(finished).items()} | not_not.seeds(finished)
    for name, other in others.items():
        far = [jsd(a.attention, b.attention) for a, b in zip(own, other.evidence, strict=True)]
        moved = [tvd(a.prediction, b.prediction) for a, b in zip(own, other.evidence, strict=True)]
        assert points.loc[name, ["jsd", "change"]].tolist() == pytest.approx([np.mean(far), np.mean(moved)])
        score = f1_score(other.evidence.labels, other.evidence.predicted)
        assert points.loc[name, "f1"] == pytest.approx(score)
    searched = finished.arrays("adversary")
    far = [jsd(searched[row.id], row.attention) for row in own]
    moved = [tvd(row.probs(searched[row.id]), row.prediction) for row in own]
    feasible = finished.table("adversarial")["found"]
    assert points.loc["search", "change"] == pytest.approx(np.mean(moved))
    assert points.loc["search", "jsd"] == pytest.approx(feasible.mean())
    assert [*feasible[feasible > 0]] == pytest.approx(
        [f for f, kept in zip(far, feasible > 0, strict=True) if kept]
    )
    allowed = {float(name.split()[1]): at for name, at in points["jsd"].items() if name.startswith("optimum")}
    assert 0.01 in allowed
    twin = np.mean([exact.optimum(row, 0.01).jsd for row in own])
    assert allowed[0.01] == pytest.approx(twin, abs=1e-6)


def test_the_runs_own_seed_is_left_out(small, tmp_path):
    assert [*not_not.seeds(small(tmp_path, seed=2))] == ["uniform", "seed 1"]


def test_no_adversarys_attention_beats_the_exact_optimum(finished):
    """On the base's states: at the TVD to which its attention moves the base, none lies further away.

    At its own TVD it may: a trained adversary has states of its own.
    """
    table = finished.table("adversaries")
    for weight, other in not_not.adversaries(finished).items():
        rows = table[table["kl_weight"] == weight].set_index("id")
        for row in finished.evidence:
            attention = other.decisions("test")[0][row.id]
            change = float(tvd(row.probs(attention), row.prediction))
            assert rows.loc[row.id, "transplanted"] == change
            assert jsd(attention, row.attention) <= exact.optimum(row, change).jsd + 1e-9
            allowed = exact.optimum(row, min(rows.loc[row.id, "trained_change"], 1 - 1e-9)).jsd
            assert rows.loc[row.id, "room"] == allowed


def test_the_best_adversary(finished, monkeypatch):
    """The lowest TVD of those beyond 0.4; if none is, the furthest. Dev decides."""
    asked = []

    class Other:
        def __init__(self, jsd_, change):
            self.far, self.change = jsd_, change

        def decisions(self, split):
            asked.append(split)
            return self

    own = finished.decisions("dev")
    monkeypatch.setattr(
        not_not,
        "distances",
        lambda own, other: pd.DataFrame({"change": [other.change], "jsd": [other.far]}),
    )

    def best(**found):
        others = {float(i): Other(*pair) for i, pair in enumerate(found.values(), 1)}
        monkeypatch.setattr(not_not, "adversaries", lambda run: others)
        return not_not.best(finished)

    assert best(a=(0.39, 0.0), b=(0.41, 0.2), c=(0.6, 0.1)) == 3
    assert best(a=(0.1, 0.0), b=(0.4, 0.2), c=(0.2, 0.1)) == 2
    assert {*asked} == {"dev"} and own


def test_differences_of_scores_are_paired(finished):
    """Each difference is that of its two scores, and lies in its interval; the summary has it."""
    f1 = finished.table("guides").set_index("model")
    for name, less in not_not.GAINS:
        gain = f1.loc[f"{name}_minus_{less}"]
        assert gain["f1"] == pytest.approx(f1.loc[name, "f1"] - f1.loc[less, "f1"])
        assert gain["low"] <= gain["f1"] <= gain["high"]
    rows = finished.table("summary_not_not").set_index("measure")
    curve, probable = finished.table("curve"), finished.evidence.predictions.max(axis=1)
    assert rows.loc["epoch", "mean"] == curve.loc[curve["chosen"], "epoch"].item()
    assert rows.loc["sure", "mean"] == sum(p > 0.99 for p in probable) / len(probable)
    gain = f1.loc["mlp_base_minus_mlp_trained"].tolist()
    assert rows.loc["f1_mlp_base_minus_mlp_trained", ["mean", "low", "high"]].tolist() == gain


def test_an_adversary_is_not_watched(finished):
    with refused("a trained adversary learns no labels", "Watch its base"):
        not_not.adversaries(finished)[0.1].ensure("watched")


def test_deception_by_hand(finished):
    """τ of attention with y - y_{-t} of the predicted class and with its own logit, alone."""
    table = finished.table("deception").set_index("id")
    other = not_not.adversaries(finished)[not_not.best(finished)]
    for who, run in {"base": finished, "adversary": other}.items():
        logits = run.arrays("loo")
        for row, c in zip(run.evidence, run.evidence.predicted, strict=True):
            p = 1 / (1 + np.exp(-logits[row.id][:, 0]))
            dropped = row.prediction[c] - (p if c else 1 - p)
            alone = row.probs(np.eye(len(row.attention)))[:, c]
            for column, score in ((f"{who}_loo", dropped), (f"{who}_relevance", alone)):
                expected = kendalltau(row.attention, score).statistic
                assert table.loc[row.id, column] == pytest.approx(expected, abs=2e-2, nan_ok=True)


def test_deception_of_three_classes_by_hand(small, tmp_path):
    """Relevance is the predicted class's logit less the mean of all, not the logit alone."""
    run, plain = small(tmp_path, classes=3, planted_words=4, attend_markers=False), 0
    table, logits = run.table("deception").set_index("id"), run.arrays("loo")
    for row, c in zip(run.evidence, run.evidence.predicted, strict=True):
        left = np.exp(logits[row.id])
        alone = np.log(row.probs(np.eye(len(row.attention))))  # a text's logits but for a constant
        twins = row.prediction[c] - (left / left.sum(1, keepdims=True))[:, c], alone[:, c] - alone.mean(1)
        for column, score in zip(("base_loo", "base_relevance"), twins, strict=True):
            expected = kendalltau(row.attention, score).statistic
            assert table.loc[row.id, column] == pytest.approx(expected, abs=2e-2, nan_ok=True)
        plain += abs(kendalltau(row.attention, row.values[:, c]).statistic - expected) > 0.05
    assert plain, "the mean of all makes a difference"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "given_", [{"classes": 3, "planted_words": 4}, {"encoder": "bilstm"}, {"attend_markers": True}]
)
def test_other_tasks_and_models(small, tmp_path, given_):
    run = small(tmp_path, **given_)
    summary = run.table("summary_not_not")
    assert {"other_jsd", "trained_jsd", *registry.columns_of("deception")} <= {*summary["measure"]}
    assert (run.table("adversaries")[["trained_jsd", "room"]] <= np.log(2) + 1e-9).all(axis=None)


def test_the_halved_and_the_reversed_make_other_adversaries(small, tmp_path):
    run = small(tmp_path)
    runs = [
        run,
        small(tmp_path, tvd_halved=True),
        small(tmp_path, kl_reversed=True),
        small(tmp_path, patience=3),
    ]
    assert len({r.params.path for r in runs}) == 1, "what only an adversary depends on renames no other run"
    assert len({not_not.adversaries(r)[0.1].params.path for r in runs}) == 4


# Runs


@pytest.fixture
def trained(monkeypatch) -> Counter:
    """How often each kind of run was trained: by its λ, or by its base."""
    counter, own = Counter(), products.of_kind(Params)["weights"]

    def make(run):
        counter[run.params.kl_weight or bool(run.params.base)] += 1
        return own.maker(run)

    monkeypatch.setitem(products.PRODUCTS, (Params, "weights"), replace(own, maker=make))
    return counter


def test_a_grid_is_resumed_by_lambda(small, tmp_path, trained, monkeypatch):
    """One λ failed: the others are kept, and only what is missing is trained."""
    whole, broken = products.of_kind(Params)["weights"], 0.2

    def fails(run):
        if run.params.kl_weight == broken:
            raise HeedError("Out of patience.")
        return whole.maker(run)

    run = small(tmp_path, lambdas=[0.1, 0.2, 0.3])
    with monkeypatch.context() as patched:
        patched.setitem(products.PRODUCTS, (Params, "weights"), replace(whole, maker=fails))
        with refused("Out of patience."):
            run.table("adversaries")
    assert trained == {False: 1, 0.1: 1}
    small(tmp_path, lambdas=[0.1, 0.2, 0.3]).table("adversaries")
    assert trained == {False: 1, 0.1: 1, 0.2: 1, 0.3: 1}
    table = small(tmp_path, lambdas=[0.05, 0.2]).table("adversaries")
    assert trained == {False: 1, 0.1: 1, 0.2: 1, 0.3: 1, 0.05: 1}
    assert sorted(table["kl_weight"].unique()) == [0.05, 0.2]


def test_everything_again_trains_nothing(finished, trained):
    for product in ("seeds", "adversaries", "guides", "deception", "summary_not_not"):
        small_again = Run(finished.params, finished.folder.parents[3])
        small_again.ensure(product)
    assert not trained


def test_a_like_run_of_the_same_folder_is_the_run(finished):
    assert finished.like() is finished and finished.like(seed=0) is finished
    assert finished.like(seed=1) is not finished


def test_a_run_by_its_base_alone_is_the_same(finished):
    """A reader can open an adversary by its parameters, without the chapter."""
    results, other = finished.folder.parents[3], not_not.adversaries(finished)[0.1]
    set_ = SMALL | {"base": finished.params.path, "kl_weight": 0.1}
    again = Run.of(results, corpus="planted", encoder="average", set=set_)
    assert again.folder == other.folder and again.holds("weights")
    assert again.base.params == finished.params


def _hold_against(results, seed, others):
    set_ = SMALL | {"other_seeds": others, "lambdas": [0.1]}
    Run.of(results, encoder="average", seed=seed, set=set_).ensure("seeds")


@pytest.mark.thorough
def test_two_runs_that_need_one_another_do_not_wait_for_ever(tmp_path):
    context = multiprocessing.get_context("spawn")
    both = [context.Process(target=_hold_against, args=(tmp_path, s, [1 - s, 5])) for s in (0, 1)]
    for process in both:
        process.start()
    for process in both:
        process.join(300)
    stuck = [process for process in both if process.is_alive()]
    for process in stuck:
        process.kill()
    assert not stuck and all(process.exitcode == 0 for process in both)


# Bad input


@pytest.mark.parametrize(
    "name, value, part",
    [
        ("lambdas", [], "at least 1 item"),
        ("lambdas", [0.1, 0.0], "greater than 0"),
        ("lambdas", [-1.0], "greater than 0"),
        ("lambdas", [0.1, 0.1], "may stand there once"),
        ("lambdas", [0.1, 0.10000001], "numbers to six digits"),
        ("lambdas", [1e308], "less than 1000000"),
        ("lambdas", [float("nan")], ""),
        ("lambdas", 0.1, "valid tuple"),
        ("other_seeds", [], "at least 1 item"),
        ("other_seeds", [3, 3], "may stand there once"),
        ("other_seeds", [-1], "greater than or equal to 0"),
        ("other_seeds", [2**64], "less than 9223372036854775808"),
        ("seed", 2**63, "less than 9223372036854775808"),
        ("kl_weight", 0, "greater than 0"),
        ("base", "../../etc/passwd", "match pattern"),
        ("base", "a/b/c", "match pattern"),
        ("patience", 0, "greater than or equal to 1"),
        ("guided_dim", 0, "greater than or equal to 1"),
    ],
)
def test_values_that_cannot_be(name, value, part, tmp_path):
    with refused(f"parameter {name}", part):
        Run.of(tmp_path, set={name: value})


def test_only_its_own_seed(small, tmp_path):
    with refused("other_seeds = (0,)", "Give another"):
        small(tmp_path, other_seeds=[0]).ensure("seeds")
    assert not [p for p in tmp_path.rglob("*.parquet")]


def test_a_model_of_sentences_is_refused_before_anything_is_trained(small, tmp_path):
    run = small(tmp_path, encoder="han")
    for product in ("seeds", "points", "summary_not_not", "course"):
        with refused("a HAN attends to sentences", "Give another encoder"):
            run.ensure(product)
    assert not [p for p in tmp_path.rglob("*.parquet")]


def test_a_missing_base(small, tmp_path):
    with refused("base = 'planted/average-additive/paper-00000000/seed0'", "holds no such run"):
        small(tmp_path, base="planted/average-additive/paper-00000000/seed0").ensure("weights")
    with refused("base = ''", "holds no such run"):
        small(tmp_path, kl_weight=0.1).ensure("weights")


def test_a_damaged_base(finished, copied, small):
    (copied.folder / "run.json").write_text("{")
    with refused("run.json is damaged"):
        small(copied.folder.parents[3], base=copied.params.path).ensure("weights")


def test_a_base_of_another_vocabulary(finished, small):
    other = small(finished.folder.parents[3], base=finished.params.path, min_df=30)
    with refused("has another vocabulary than this run of corpus planted"):
        other.ensure("weights")


def test_a_base_that_read_fewer_texts(finished, small):
    """The same words, but texts of which the base has no attention."""
    other = small(finished.folder.parents[3], base=finished.params.path, made_test=40)
    with refused("frozen attention: text test-", "of the same corpus"):
        other.ensure("evidence")


def test_a_base_that_underflows(small, tmp_path, monkeypatch):
    """Weights of 0 on all words but one: adversaries and guides are trained, and all numbers are numbers."""
    run = small(tmp_path)
    whole = run.decisions

    def peaked(split):
        attention, predictions = whole(split)
        return {n: np.eye(len(a))[a.argmax()] for n, a in attention.items()}, predictions

    monkeypatch.setattr(run, "decisions", peaked)
    table = run.table("adversaries")
    assert np.isfinite(table[["trained_jsd", "trained_change", "transplanted"]]).all(axis=None)
    guided = run.like(base=run, seed=3)
    assert {*np.concatenate([*guided.decisions("test")[0].values()])} == {0.0, 1.0}


def test_a_run_says_what_it_learns_from(finished):
    other = not_not.adversaries(finished)[0.1]
    said = json.loads((other.folder / "run.json").read_text())["parameters"]
    assert said["base"] == finished.params.path and said["kl_weight"] == 0.1


def test_rows_are_called_by_what_they_depend_on(small, tmp_path):
    """Only chapter 07's by the λ grid; and the uniform run, without which it can't be judged, has rows."""
    run = small(tmp_path)
    named = {
        name: run.table(name)["given"].unique().tolist() for name in ("summary_scores", "summary_not_not")
    }
    (scores,), (own,) = named.values()
    assert "lambdas=[0.01, 0.1]" in own and "epochs=" in scores
    assert scores == run.params.given_to(()) and not {"lambdas", "other_seeds"} & {
        *re.findall(r"\w+(?==)", scores)
    }
    rows = verdict.finished(tmp_path)
    uniform = rows[(rows["attention"] == "uniform") & (rows["seed"] == run.params.seed)]
    assert {"f1", "accuracy"} <= {*uniform["measure"]} and {*uniform["attention"]} == {"uniform"}


BUDGET = 40


def test_support_of_an_answer_counts_allowed_ones_only():
    """Signed leave-one-out of the predicted answer, whose column isn't its number where some are left out."""
    case = made_up.reader("average", "additive")
    found, logits = collect(case.model, case.data, BUDGET), leave_one_out(case.model, case.data, BUDGET)
    for i, (row, dropped, relevance) in enumerate(support(found, logits)):
        assert relevance is None
        for t in range(len(row.units) if len(row.units) > 1 else 0):
            without = plain(case, i, codes=np.delete(case.data.codes[i], t + 1))["probs"]
            assert dropped[t] == pytest.approx(row.prediction[row.shown] - without[row.shown], abs=1e-10)
