"""Chapter 09's sentences and tables: of every table something true, of none nothing."""

from itertools import permutations, product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from heed.experiments import copying as experiment
from heed.experiments.copying import TASKS, Trained
from heed.params import resolve
from heed.show import copying, figures

SHARE = st.floats(0, 1)


@pytest.fixture(scope="module")
def trained():
    given_ = {"corpus": "copy-permutations", "profile": "small", "length": 4, "hidden": 8, "steps": 4}
    return Trained.of(resolve(given_ | {"every": 2}), 20)


def ends(rows: list[tuple], setting: str = "trained longer") -> pd.DataFrame:
    """Copied, attended; a row a seed of permutations, with all that `carried` has."""
    table = pd.DataFrame(rows, columns=["copied", "attended"])
    same = {
        "setting": setting,
        "what": copying.PERMUTATIONS,
        "profile": "long",
        "n": 50,
        "seed": range(len(table)),
    }
    return table.assign(**same, least=table["copied"], pointed=table["attended"], relevant=table["attended"],
                        attended_early=0.0, attended_late=table["attended"])  # fmt: skip


def test_what_was_trained_longer_by_hand():
    """50 sequences of 40 symbols and an end mark are 2,050 steps; one wrong of them is 99.95 %."""
    on = ends([(1 - 1 / 2050, 0.0), (1.0, 0.0)])
    copies, looks = copying.trained_longer(on)
    assert copies == "Trained 3 times as long, the other 2 copy 100.0% or more of the symbols."
    assert looks.startswith("But in none of the 2,050 writing steps")
    assert "copies all of the symbols" in copying.trained_longer(ends([(1.0, 0.0)]))[0]
    assert "in at most 41 of the 2,050" in copying.trained_longer(ends([(1.0, 0.02)]))[1]
    assert "1 of the other 2 copies" in copying.trained_longer(ends([(1.0, 0.0), (0.5, 0.0)]))[0]
    assert "none of the other 2 learns it" in copying.trained_longer(ends([(0.5, 0.0)] * 2))[0]
    first = ends([(0.5, 0.0), (0.75, 0.0), (1.0, 1.0)], "full size")
    said = copying.again(first, on)
    assert said.startswith(
        "After 200 steps the 2 full-size models that hadn't learnt had 50% to 75% of the symbols"
    )
    assert said.endswith("They were trained again from the start, with the same seeds, for 600 steps.")
    said = copying.again(first[:1], on[:1])
    assert "the one full-size model that hadn't learnt had 50% of the" in said and "It was trained" in said
    assert copying.again(first[2:], on[:1]).startswith(
        "The one full-size model that hadn't learnt was trained"
    )


def test_where_both_kinds_look():
    first, on = ends([(1.0, 0.999), (0.7, 0.0), (0.7, 0.0)], "full size"), ends([(1.0, 0.0), (1.0, 0.0)])
    assert copying.both_ways(first, on) == (
        "All 3 copy in the end: 1 looks at the symbol being written, 2 look away"
    )
    said = copying.where_all_look(first, on)
    assert "The one that learnt in the usual time puts" in said and "99.9% or more of the writing" in said
    assert "The other 2 end at none of them: they begin near chance (2%)" in said
    assert said.endswith("So they were only slower.")
    assert "2 look at" in copying.both_ways(ends([(1.0, 1.0)] * 2 + [(0.7, 0.0)], "full size"), on[:1])
    assert copying.where_all_look(first, on[:1]).endswith("turn away. So it was only slower.")
    said = copying.where_all_look(first, ends([(1.0, 0.2), (0.5, 0.0)]))
    assert said.endswith("The other one does in at most 20.0%.")
    for others in ([(1.0, 0.9), (1.0, 0.0)], [(1.0, 0.0), (0.5, 0.0)]):
        assert copying.both_ways(first, ends(others)) == copying.in_the_end(ends(others))
    numbers = copying.drawn("paper"), copying.drawn("long")
    ax, beside = figures.both_ways(*numbers, "copy-permutations", 0.95).axes
    assert [line.get_label() for line in ax.lines if line.get_label().split()[0] in ("9", "11")] == [
        "9 models: learn in the usual time",
        "11 models: trained longer",
    ]
    assert len(beside.lines) == 9 + 11 + 1 and copying.drawn("none") is None


@pytest.mark.parametrize(
    ("copied", "title", "answer"),
    [
        (
            [1.0, 1.0],
            "all 2 models that hadn't learnt in time learn to copy",
            "All 2 that hadn't at full size learn it",
        ),
        ([1.0, 0.5], "1 of the 2 models that hadn't learnt in time learns to copy", "1 of the 2 that hadn't"),
        (
            [0.5, 0.5],
            "none of the 2 models that hadn't learnt in time learns to copy",
            "None of the 2 that hadn't",
        ),
        (
            [1.0],
            "the one model that hadn't learnt in time learns to copy",
            "The one that hadn't at full size learns it",
        ),
        (
            [0.5],
            "the one model that hadn't learnt in time doesn't learn to copy",
            "The one that hadn't at full size doesn't learn it, either, when",
        ),
    ],
)
def test_how_many_learn_in_the_end(copied, title, answer):
    on = ends([(share, 0.0) for share in copied])
    assert answer in copying.also_longer(on)
    assert title in copying.in_the_end(on)
    assert bool(copying.turned(on)) == (max(copied) > 0.95)
    assert ("looking away" in copying.also_longer(on)) == (max(copied) > 0.95)


@given(st.lists(st.tuples(SHARE, SHARE), max_size=4), st.lists(st.tuples(SHARE, SHARE), max_size=4))
def test_no_undefined_number_is_said(first, on):
    known = pd.concat([ends(first, "full size"), ends(on)])
    found = copying.shares(known[known["setting"] == "full size"]) if first else pd.DataFrame(
        columns=["setting", "what", "seeds", "success", "low", "high"]
    )  # fmt: skip
    said = copying.answer(known, found) + [
        copying.apart(known),
        copying.borders(known),
        copying.how_often(found),
        copying.of_other_tasks(found),
        *copying.as_reported(found),
    ]
    if on:
        longer = copying.of(known, "trained longer")
        said += [*copying.trained_longer(longer), copying.in_the_end(longer), copying.turned(longer)]
        usual = copying.of(known, "full size")
        said += [copying.again(usual, longer), copying.both_ways(usual, longer)]
        said += [copying.where_all_look(usual, longer)]
    assert all("nan" not in sentence for sentence in said)


def test_the_carried_runs_are_those_of_the_readme(trained):
    known = copying.carried()
    said = copying.in_short(known, trained)
    assert said[0].startswith(
        "Yes, with or without attending to the symbol itself. Of 20 models of the authors' size, trained"
    )
    assert "shuffled symbols, 9 learn it" in said[0]
    assert "by attending to each symbol" in said[0] and said[-1] == copying.MEANS
    assert len(copying.of(known, "full size")) == 20 and len(copying.of(known, "trained longer")) == 11
    readme = (copying.paths.ROOT / "README.md").read_text(encoding="utf-8")
    copies, looks = copying.trained_longer(copying.of(known, "trained longer"))
    assert "99.9% or more" in copies and "in none of the 2,050 writing steps" in looks
    assert copying.apart(known).startswith("After 200 steps 9 of 20 models copy 99.9% or more, the others")
    assert "99.5% of the steps" in copying.turned(copying.of(known, "trained longer"))
    assert "copy 99.9 %" in readme and "2,050 steps" in readme


def test_company_by_hand():
    ordered = copying.company(permutations(range(3))).drop(columns="output").to_numpy()
    free = copying.company(product(range(3), repeat=3)).drop(columns="output").to_numpy()
    assert (ordered == 6).all() and free[0, 0] / free[0, 1] == (2 * 3 - 1) / (3 - 1)


def test_lifts_are_what_is_counted():
    table = copying.lifts(resolve({"corpus": "copy-permutations", "profile": "small"}))
    assert np.allclose(table.iloc[:, 1], table.iloc[:, 2], rtol=0.05) and [*table["task"]] == [
        *TASKS.values()
    ]


def test_few_seeds_of_this_run_are_left_out():
    known, own = ends([(1.0, 1.0)] * 2, "small"), ends([(1.0, 1.0)], "")
    assert [*copying.parts(own, known)["setting"].unique()] == ["small"]
    many = pd.concat([own.assign(seed=k) for k in range(3)])
    assert [*copying.parts(many, known)["setting"].unique()] == ["this run", "small"]
    assert copying.parts(own, known.iloc[:0]).empty and not copying.controls(known.iloc[:0])


def test_where_attention_is_by_hand(trained):
    shown = pd.DataFrame(
        {"attention": [np.array([0.2, 0.8]), np.array([0.5, 0.5])], "relevance": [[0.0, -1.0], [0.0, -1.0]]}
    )
    assert copying.attention_on_it(shown) == pytest.approx(0.35)
    right = [0.97, 0.96]
    assert copying.maps(shown, shown, right).startswith("Both copy, with 35% or 35% of attention on")
    said = copying.maps(shown, trained.shown, [0.9, 0.5]) + copying.relevances(shown, trained.shown)
    assert "nan" not in said and said.startswith("Attention on the symbol being written: 35% in one")
    looks = [[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.9, 0.1]], [[0.5, 0.5], [0.5, 0.5]]
    said = [copying.does(pd.DataFrame({"attention": [np.array(row) for row in one]}), 0.97) for one in looks]
    assert said == ["attends to it, 97% right", "looks away, 97% right", "does neither, 97% right"]
    figures.maps({"one": trained.shown, "another": trained.shown}, "relevance")


def test_other_weights_are_the_models_own(trained):
    found = trained.under_other_weights()
    last = trained.looks.iloc[-1]
    assert found["its own"] == pytest.approx(last["copied"])
    assert found["all on the right symbol"] == pytest.approx(last["pointed"])
    assert "leaves" in copying.corrected(found)
    told = {"its own": 0.97, "all on the right symbol": 0.01, "that of another sequence": 0.96}
    assert "leaves hardly any symbol right. Another sequence's map" in copying.corrected(told)
    assert "20 sequences" in copying.title_of_weights(trained)
    assert "Another" not in copying.corrected(told | {"that of another sequence": 0.5})
    assert len(copying.other_weights(found)) == 5 and "nan" not in copying.excludes(trained)
    assert [*trained.shown] == ["codes", "attention", "relevance"]
    assert np.allclose(np.stack(trained.shown["attention"].to_list()).sum(1), 1)


def test_parts_are_the_model_step_by_step(trained):
    """The plain twin: a sequence and a step at a time. Its decoder has a state before it begins, or zeros."""
    model, counts = trained.model, {}
    for source, given_ in zip(trained.source, trained.given, strict=True):
        states, start = model.encode(source[None])
        for begins, scale in ((experiment.REMEMBERS, 1), (experiment.FORGETS, 0)):
            h, c = (part * scale for part in start)
            for step, code in enumerate(source.tolist()):
                d, (h, c) = model.decoder(model.embed(given_[step].reshape(1, 1)), (h, c))
                weights = (states[0] @ model.score(d[0, 0])).softmax(0)
                contexts = {experiment.OWN: [model.project(weights @ states[0])]}
                contexts[experiment.NOTHING] = [torch.zeros(trained.params.hidden, dtype=states.dtype)]
                contexts[experiment.WRONG] = [
                    model.project(state) for place, state in enumerate(states[0]) if place != step
                ]
                for way, each in contexts.items():
                    said = [model.mixed(d[0, 0], context).argmax().item() for context in each]
                    counts.setdefault((way, begins), []).append(np.mean([one == code for one in said]))
    found = trained.by_parts()
    for (way, begins), right in counts.items():
        assert found.loc[way, begins] == pytest.approx(np.mean(right))
    assert found.loc[experiment.OWN, experiment.REMEMBERS] == pytest.approx(trained.looks.iloc[-1]["copied"])


class Parts:
    """A stand-in for a model that was trained: its parts alone."""

    params = resolve({"corpus": "copy-permutations", "profile": "small"})

    def __init__(self, both, alone, wrong, looking, neither):
        rows = [experiment.OWN, experiment.NOTHING, experiment.WRONG]
        columns = {experiment.REMEMBERS: [both, alone, wrong], experiment.FORGETS: [looking, neither, 0.1]}
        self.table = pd.DataFrame(columns, index=rows)

    def by_parts(self):
        return self.table


def test_which_account_the_parts_support():
    both = Parts(0.97, 0.75, 0.6, 0.5, 0.3)
    said = " ".join(copying.of_parts(both))
    assert "Memory alone gets 75% right, attention alone 50%, neither 30% (guessing" in said
    assert "both carry the copy, and memory carries more" in said
    assert "leaves 60% right, no more than memory alone" in copying.of_one_wrong(both)
    assert "80% right, more than memory alone (75%)" in copying.of_one_wrong(Parts(0.97, 0.75, 0.8, 0.3, 0.3))
    assert "attention carries more" in copying.of_parts(Parts(0.97, 0.4, 0.4, 0.5, 0.3))[1]
    assert len(copying.of_parts(Parts(0.97, 0.75, 0.8, 0.3, 0.3))) == 1, "neither account is supported"
    assert "cut off it still gets 75% of the symbols right (guessing: 32%)." in copying.from_memory(both)
    assert copying.from_memory(Parts(0.97, 0.3, 0.6, 0.5, 0.3)).startswith("With attention cut off")
    assert len(copying.parts_table(both)) == 2


def test_late_steps_and_looking_away_by_hand():
    back = pd.DataFrame({"attention": list(np.tile([0.6, 0.3, 0.1, 0.0], (4, 1)))})
    on_it = pd.DataFrame({"attention": list(np.eye(4))})
    assert "rules out little more" in copying.of_late_steps(SimpleNamespace(shown=back))
    assert copying.of_late_steps(SimpleNamespace(shown=on_it)) == ""
    small = ends([(1.0, 1.0), (0.7, 0.0), (0.7, 0.2)], "small").assign(profile="small")
    said = copying.look_away(small)
    assert "2 of 3 small models haven't learnt; in 1 of them" in said and "chance (8%)" in said
    assert "1 of 2 small models hasn't learnt; in 1 of them" in copying.look_away(small[:2])
    assert copying.look_away(small[:1]) == copying.look_away(small.iloc[:0]) == ""


def test_what_even_attention_leaves_unexplained():
    even = f"{copying.PERMUTATIONS}, uniform attention"
    hard = ends([(1.0, 1.0), (0.7, 0.0)], "small")
    easy = ends([(1.0, 1.0)] * 2, "small").assign(what=copying.IID)
    found = [ends([(0.4, share)], "small").assign(what=even) for share in (0.7, 0.2)]
    said = copying.unexplained(pd.concat([hard, easy, found[0]]))
    assert (
        len(said) == 1
        and "do 1 of 2 models (small) not learn" in said[0]
        and "all 2 learn to copy i.i.d." in said[0]
    )
    for parts in ([hard, easy, found[1]], [hard, easy], [easy, found[0]], [hard, found[0]], [hard.iloc[:0]]):
        assert not copying.unexplained(pd.concat(parts))
    known = found[0].assign(attended=0.1)
    said = copying.besides_counting(pd.concat([hard, known]))
    assert "in 70% of the steps (small; 1 model; by chance 10%). So models find more" in said
    assert "So models" not in copying.besides_counting(pd.concat([hard, found[1]]))
    assert copying.besides_counting(hard) == ""


def test_whether_permutations_alone_are_hard():
    table = pd.DataFrame({"what": [copying.PERMUTATIONS, copying.IID], "success": [0.5, 1.0]})
    assert "only where counting" in copying.of_other_tasks(table)
    assert copying.of_other_tasks(table.assign(success=1.0)).endswith("learn, too.")
    assert copying.of_other_tasks(table.assign(success=0.5)).endswith("learn, either.")
    assert copying.of_other_tasks(table[:1]) == ""


def test_which_is_first():
    when = pd.DataFrame({"relevance": [20, 40, np.nan], "attention": [40, 40, 20]})
    when = when.assign(task=["a", "b", "c"], seed=0)
    said = copying.which_first(when)
    assert (
        said.startswith("Of 2 small models trained here that came to attend (a and b; seed 0), 1 has")
        and "in 1 both come" in said
    )
    assert copying.which_first(when.iloc[2:]).startswith("No model here")


def test_under_even_attention():
    higher, lower = pd.Series([0.7, 0.8]), pd.Series([0.3, 0.4])
    assert "75% of the steps against 35%, 2 seeds" in copying.under_even_attention(higher, lower)
    assert "as the authors argue" in copying.under_even_attention(higher, lower)
    assert "against the authors' argument" in copying.under_even_attention(higher, higher)


def test_what_the_excluder_is_said_to_do(trained):
    p = resolve({"corpus": "copy-permutations", "profile": "small"})
    full = resolve({"corpus": "copy-permutations"})
    assert copying.sizes(p).endswith("copy 12, in 160 steps.") and copying.sizes(full).endswith(
        "(glossary.md#carried)."
    )
    assert f"instead of {p.steps}. So it" in copying.larger_steps(trained, p)
    assert "32% right with 12 symbols" in copying.blind(12) and "13% right with 40" in copying.blind(12)
    assert copying.best_guess(2) == pytest.approx((1 / 2 + 1 + 1) / 3), "two symbols and the end mark"
    assert "chosen out of 18, at full size 40 out of 60" in copying.title_of_lifts(p)
    assert "of 20 new sequences" in copying.excludes(trained)
    assert [*copying.over_steps(trained.looks)] == [
        "step",
        *(v for k, v in copying.COLUMNS.items() if k != "relevant"),
    ]


def test_the_ways_down():
    """One starts above the standstill and ends on the symbol, the other is its longer mirror."""
    times, ways = copying.two_ways(6)
    (up, p, short), (down, q, long) = ways.values()
    assert up[-1] > 0 > down[-1] and p[-1] > 0.9 > 1 / 6 > q[-1] and short[-1] > long[-1] > 1 / 6
    assert short[0] == pytest.approx(experiment.right_symbol(0.1, 1 / 6, 6)) == pytest.approx(1 / 6)
    assert "P(right symbol)" in copying.longer(times, ways) and "100%" in copying.starts(6, 10)
    figures.two_ways(times, ways)
