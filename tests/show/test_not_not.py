"""Chapter 07's sentences and tables: of every table something true, of none nothing."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heed.experiments import not_not as models
from heed.show import figures, not_not

SHARE = st.floats(0, 0.69)


def against(rows: list[tuple]) -> pd.DataFrame:
    """Models held against a base of SST: seed, kind, λ or name, whether it is the best, JSD, TVD."""
    columns = ["base", "kind", "name", "best", "jsd", "change"]
    return pd.DataFrame(rows, columns=columns).assign(corpus="sst", f1=0.8, f1_base=0.9)


FOUR = against(
    [
        (0, "adversary", 0.001, False, 0.05, 0.04),
        (0, "adversary", 0.01, True, 0.6, 0.1),
        (0, "seed", "seed 1", False, 0.1, 0.24),
        (0, "seed", "seed 2", False, 0.2, 0.26),
    ]
)
PUSHED = FOUR.assign(base=1, jsd=[0.3, 0.6, 0.1, 0.2])  # of whose adversaries none merely imitates


def test_a_base_by_hand():
    (own,) = not_not.by_base(FOUR).to_dict("records")
    assert np.isnan(own.pop("jsd_uniform"))
    assert own == {
        **{"corpus": "sst", "base": 0, "jsd": 0.6, "change": 0.1, "f1": 0.8, "f1_base": 0.9},
        **{"jsd_seed": pytest.approx(0.15), "change_seed": pytest.approx(0.25), "imitation": 0.04},
        **{"seed_low": pytest.approx(0.25 - 0.1271, abs=1e-4), "seed_high": pytest.approx(0.3771, abs=1e-4)},
    }, "Student's t of one degree of freedom is 12.71, the standard error 0.01"
    assert not_not.by_base(FOUR[:3])[["seed_low", "seed_high"]].isna().all(axis=None), "one seed"
    assert not_not.by_base(FOUR[:0]).empty
    assert np.isnan(not_not.by_base(PUSHED)["imitation"].item())
    assert not_not.with_imitation(FOUR)["imitation"].tolist() == [0.04] * 4
    flat = pd.concat([FOUR, against([(0, "uniform", "uniform", False, 0.3, 0.1)])])
    assert not_not.by_base(flat)["jsd_uniform"].item() == 0.3


def test_chance_in_short_tells_of_real_text():
    flat = pd.concat([FOUR, against([(0, "uniform", "uniform", False, 0.3, 0.1)])])
    real, far = not_not.by_base(flat), "other [seeds](glossary.md#seed) attend on average"
    said = not_not.chance_in_short(real)
    assert said == f"O{far[1:]} 50% as far away as equal weights, nearer than by chance."
    said = not_not.chance_in_short(real.assign(jsd_uniform=0.1))
    assert said == f"O{far[1:]} 150% as far away as equal weights."
    assert not_not.chance_in_short(real[:0]) == not_not.chance_in_short(not_not.by_base(FOUR)) == ""


def test_the_price_is_what_comes_on_top_of_imitation():
    both = pd.concat([FOUR, PUSHED])
    costs = "In these trainings attending elsewhere costs 0.06 TVD more than imitation alone"
    assert not_not.costs(FOUR) == f"{costs} (1 base model)"
    assert not_not.costs(both) == f"{costs} (1 of 2 base models)"
    assert not_not.costs(PUSHED) == "The best adversaries attend 0.60 nats away"
    assert not_not.price(not_not.by_base(PUSHED)) == ""


def test_the_adversary_before_a_fall_is_badly_trained_on_every_base():
    fallen = pd.concat([FOUR, PUSHED.assign(change=[0.3, 0.1, 0.2, 0.2])])
    assert not_not.badly_trained_of(fallen) == {("sst", 1): [0.001]}
    assert not_not.badly_on_real_text(fallen).endswith("at least that of SST base 1 with λ = 0.001.")
    assert "none is badly trained" in not_not.badly_on_real_text(FOUR)
    assert not_not.badly_on_real_text(FOUR.iloc[:0]) == ""


def clear_on(*clear: bool) -> pd.Series:
    """Whether the best adversary of each base predicts clearly nearer than the average seed."""
    return pd.Series(clear, dtype=bool)


def test_whether_adversaries_attend_elsewhere_is_told_in_short(monkeypatch):
    there = pd.DataFrame({"jsd": [0.5, 0.3], "ever": True})
    monkeypatch.setattr(not_not, "at_the_papers_lambda", lambda: there)
    every = not_not.by_base(pd.concat([FOUR, PUSHED]))
    away = "has an adversary 0.60 nats away ([JSD](glossary.md#jsd))"
    nearer = "It predicts nearer to its base than the average seed"
    more = "more ([TVD](glossary.md#tvd)) than by mere imitation (1 base)."
    reward = "with more reward than the paper's."
    said = not_not.elsewhere_in_short(every, clear_on(True, False))
    cost = f"But probabilities move by 0.06 {more}"
    assert said == f"Yes: each of 2 bases {away}, 1 {reward} {nearer} (clearly on 1). {cost}"
    monkeypatch.setattr(not_not, "at_the_papers_lambda", lambda: there.assign(jsd=0.3))
    none = not_not.elsewhere_in_short(every, clear_on(False, False))
    assert none.endswith(f"{away}, 2 {reward} {nearer} (clearly on none). {cost}")
    monkeypatch.setattr(not_not, "at_the_papers_lambda", lambda: there[:0])
    unknown = not_not.elsewhere_in_short(every.assign(imitation=np.nan), clear_on(True, True))
    assert unknown == f"Yes: each of 2 bases {away}. {nearer} (clearly on 2)."
    unlike = not_not.by_base(FOUR.assign(change=[0.04, 0.3, 0.24, 0.26]))
    said = not_not.elsewhere_in_short(unlike, clear_on(False))
    assert said == f"Yes: the one base {away}. But probabilities move by 0.26 {more}"
    near = not_not.by_base(FOUR.assign(jsd=[0.05, 0.3, 0.1, 0.2]))
    assert not_not.elsewhere_in_short(near, clear_on(True)) == "On none of 1 base."


def test_who_is_right_is_said_by_the_low_bar_and_by_the_fair_one():
    every = not_not.by_base(pd.concat([FOUR, PUSHED]))
    near = not_not.by_base(FOUR.assign(jsd=[0.05, 0.3, 0.1, 0.2]))
    one, all_, none = clear_on(True, False), clear_on(True, True), clear_on(False, False)
    assert not_not.the_only_one(near, clear_on(True)).startswith("**Perhaps the only one.**")
    right = "Jain & Wallace are right that it isn't the only one"
    has = "All 2 base models have an adversary more than 0.4 nats away."
    settle = "these seeds can't settle whether it predicts nearer to its base than the average seed."
    low = f"**By the low bar {right}, clearly on 1 of 2 bases.** {has} On 1 of them {settle}"
    judged = "By the fair bar {} of the {} that can be judged {} elsewhere for free: that moves the"
    fair = f"{judged.format('none', 1, 'looks')} probability by 0.06 more."
    assert not_not.the_only_one(every, one) == f"{low} {fair}"
    assert not_not.the_only_one(every.assign(imitation=np.nan), one) == low
    sure = not_not.the_only_one(every, all_)
    assert sure == f"**By the low bar {right}, clearly on all 2 bases.** {has} {fair}"
    unsure = not_not.the_only_one(every, none)
    assert unsure.startswith(
        f"**By the low bar {right}, clearly on none of 2 bases.** {has} On 2 of them {settle}"
    )
    free = not_not.the_only_one(every.assign(imitation=[0.1, np.nan]), one)
    assert free == f"{low} {judged.format(1, 1, 'looks')} probability by 0.00 more."
    both = not_not.the_only_one(every.assign(imitation=[0.1, 0.1]), one)
    assert judged.format(2, 2, "look") in both
    one_has = "Of 1 base model, 1 has an adversary more than 0.4 nats away."
    single = not_not.the_only_one(not_not.by_base(FOUR), clear_on(False))
    assert f"clearly on none of 1 base.** {one_has} But {settle}" in single
    further = pd.concat([FOUR, PUSHED.assign(jsd=[0.3, 0.3, 0.1, 0.2])])
    of_far = not_not.the_only_one(not_not.by_base(further), clear_on(True, False))
    assert "clearly on 1 of 1 base.** Of 2 base models, 1 has" in of_far, (
        "only of those that attend elsewhere"
    )
    unlike = not_not.by_base(FOUR.assign(change=[0.04, 0.3, 0.24, 0.26]))
    fair = f"{judged.format('none', 1, 'looks')} probability by 0.26 more."
    assert not_not.the_only_one(unlike, clear_on(False)) == f"**{right}.** {one_has} {fair}"
    assert not_not.so_far(FOUR) == "As far as 1 base model can tell:" and not_not.so_far(FOUR[:0]) == ""
    many = pd.concat([FOUR.assign(base=base) for base in range(not_not.ENOUGH)])
    assert not_not.so_far(many) == ""


def test_the_best_adversary_stands_beside_other_seeds(monkeypatch):
    rows = [(base, "trained_change", 0.1, 0.08, high) for base, high in ((0, 0.12), (1, 0.3))]
    rows = pd.DataFrame(rows, columns=["seed", "measure", "mean", "low", "high"])
    monkeypatch.setattr(not_not, "carried", lambda corpus: rows)
    monkeypatch.setattr(not_not.verdict, "plain", lambda rows: rows)
    both = pd.concat([FOUR, PUSHED])
    title = "Adversaries attend elsewhere"
    seeds = "and predict nearer than the average seed (clearly on {})"
    further = ", but further off than imitation"
    assert not_not.looked_elsewhere(both) == f"{title} {seeds.format('1 of 2 bases')}{further}"
    assert not_not.looked_elsewhere(PUSHED) == f"{title} {seeds.format('none of 1 base')}"
    free = not_not.looked_elsewhere(FOUR.assign(change=[0.1, 0.1, 0.2, 0.2]))
    assert free == f"{title} {seeds.format('1 of 1 base')}"
    unlike = FOUR.assign(change=[0.04, 0.3, 0.24, 0.26])
    assert not_not.looked_elsewhere(unlike) == title
    near = not_not.looked_elsewhere(FOUR.assign(jsd=[0.05, 0.3, 0.1, 0.2]))
    assert near == "The best adversary (ringed) attends 0.30 nats away"
    one, two, other = (not_not.best_beside_seeds(of) for of in (FOUR, both, pd.concat([unlike, PUSHED])))
    assert two["seed_low"].tolist() == [pytest.approx(0.1229, abs=1e-4)] * 2
    assert two["high"].tolist() == [0.12, 0.3]
    assert not_not.clearly_nearer(two).tolist() == [True, False]
    assert not not_not.clearly_nearer(two.assign(seed_low=np.nan)).any(), "of one seed nothing is clear"
    nearer = "the adversary predicts nearer to it than the average seed"
    lie = (
        "The best adversaries attend 0.60 nats away. Their probabilities lie this far from the base's (in "
        "brackets: those of other seeds on average): 0.100 (0.250) on SST base 0"
    )
    sure = "clearly on SST base 0 (the 95% intervals don't meet)"
    assert not_not.beside_seeds(one) == f"{lie}. On the one base {nearer}: {sure}."
    pairs, open_ = f"{lie} and 0.100 (0.250) on SST base 1", "on SST base 1 these seeds can't settle it"
    assert not_not.beside_seeds(two) == f"{pairs}. On each of the 2 bases {nearer}: {sure}; {open_}."
    for low in (0.1, np.nan):
        said = not_not.beside_seeds(one.assign(seed_low=low))
        wide = f"{nearer}, but these seeds can't settle whether that is chance."
        assert said == f"{lie}. On the one base {wide}"
    more = "the adversary is further away than the average seed."
    assert not_not.beside_seeds(other).endswith(f"On 1 of 2 bases {more}")
    assert not_not.beside_seeds(not_not.best_beside_seeds(FOUR[:0])) == ""
    assert "A dot is an adversary, a cross another seed" in not_not.how_to_read(both)
    assert "Diamond: the reward of the paper." in not_not.how_to_read(both.assign(name="1"))
    papers = both.assign(name=str(not_not.papers_lambda("sst")))
    assert "of the paper (on SST also the least, so the same dot)." in not_not.how_to_read(papers)
    unknown = "this is unknown: even the least rewarded adversary already attends 0.30 nats away."
    costs = "By the fair bar attending elsewhere costs something: imitation alone moves probabilities by"
    fair = f"{costs} 0.04, looking elsewhere by 0.06 more."
    assert not_not.beside_imitation(FOUR) == fair
    assert not_not.beside_imitation(both) == f"{fair} Of SST base 1 {unknown}"
    three = not_not.beside_imitation(pd.concat([both, PUSHED.assign(base=2)]))
    assert three.endswith(f"Of SST base 1 and SST base 2 {unknown}")
    free = not_not.beside_imitation(FOUR.assign(change=[0.1, 0.1, 0.2, 0.2]))
    assert free.startswith("By the fair bar: imitation alone moves probabilities by 0.10, looking elsewhere")
    assert not_not.beside_imitation(FOUR[:0]) == ""
    assert not_not.scores_of_best(both) == "The adversaries classify with F1 0.80, their bases with 0.90."
    well = not_not.scores_of_best(both.assign(f1=0.89))
    assert well == "The adversaries classify nearly as well as their bases: F1 0.89 against 0.90."
    assert not_not.scores_of_best(FOUR[:0]) == not_not.scores_of_best(both.assign(f1=np.nan)) == ""
    assert "Dashed" in not_not.about_costs(both)


@pytest.mark.parametrize(
    ("best", "seeds", "says"),
    [
        (0.6, 0.1, "**On film reviews attention isn't arbitrary:** other seeds come nearer to it than equal"),
        (0.6, 0.5, "Not the only one: "),
        (0.3, 0.1, "It may be"),
    ],
)
def test_the_titles_question_is_answered(best, seeds, says):
    found = not_not.by_base(FOUR.assign(jsd=[0.05, best, seeds, seeds]))
    assert not_not.in_a_word(found.assign(jsd_uniform=0.3)).startswith(says)
    assert not not_not.agree(found), "where equal weights aren't known nothing is nearer than they are"


def test_the_price_is_told_of_adversaries_that_hardly_look_elsewhere():
    alone = "Of the best adversary's TVD, imitation alone costs 0.04 of 0.10 on SST (base 0). The rest"
    assert not_not.price_on_real_text(FOUR).startswith(alone)
    said = not_not.price_on_real_text(pd.concat([FOUR, PUSHED]))
    assert said.startswith(alone)
    assert "with the least λ the adversary already attends 0.30 nats away" in said
    assert "On SST base 1 can't be used for this" in said


def test_other_seeds_stand_beside_equal_weights(monkeypatch):
    rows = [("SST", 0, "seed", 0.1), ("SST", 0, "seed", 0.2)]
    table = pd.DataFrame(rows, columns=["corpus", "base", "kind", "jsd"])
    assert not_not.seeds_beside(table) == not_not.seeds_beside(table[:0]) == ""
    flat = pd.concat([table, table[:1].assign(kind="uniform", jsd=0.4)])
    mean = "Other seeds of a film-review model lie on average 38% (SST, base 0) as far away as equal weights"
    assert not_not.seeds_beside(flat) == f"{mean}; the furthest single one, 50%."
    both = not_not.seeds_beside(pd.concat([flat, flat.assign(base=1, jsd=[0.1, 0.1, 0.4])]))
    assert "average 25% (SST, base 1) to 38% (SST, base 0) as far away" in both
    nearer = "Other seeds are nearer to the base than equal weights"
    assert not_not.beyond_on_real_text(flat) == nearer
    near = flat.assign(jsd=flat["jsd"].where(flat["kind"] != "uniform", 0.19))
    assert not_not.beyond_on_real_text(near) == (
        "On film reviews other seeds attend 0.15 nats from the base on average, equal weights 0.19"
    )
    run = SimpleNamespace(params=SimpleNamespace(corpus="planted"))
    for counts, but in (
        ((1, 3), "; on planted 1 of 3 isn't"),
        ((2, 2), "; on planted 2 of 2 aren't"),
        ((0, 2), ""),
    ):
        monkeypatch.setattr(not_not, "no_nearer", lambda run, counts=counts: counts)
        assert not_not.beyond_on_real_text(flat, run) == f"{nearer}{but}"
    told = not_not.about_chance(flat.assign(texts=10.0), flat.assign(texts=2000, corpus="x*y"))
    assert "10 (SST) and 2,000 (x" in told and "x*y" not in told


def test_other_seeds_are_told_again(monkeypatch, finished):
    monkeypatch.setattr(not_not, "no_nearer", lambda run: (1, 2))
    monkeypatch.setattr(not_not, "furthest", lambda run: 0.33)
    monkeypatch.setattr(not_not, "shuffled", lambda run: 0.41)
    even = against([(0, "uniform", "uniform", False, 0.3, 0.1)])
    arbitrary = (
        "**Wiegreffe & Pinter are right that it isn't arbitrary,** on film reviews: other seeds attend 0.15 "
        "nats away on average, equal weights 0.30."
    )
    flat = pd.concat([FOUR, even])
    as_far = "On planted {} no nearer than equal weights"
    yet = f"{as_far.format('1 of 2 is')}, yet nearer than by chance."
    assert not_not.over_again(finished, flat) == f"{arbitrary} {yet}"
    far = not_not.over_again(finished, pd.concat([FOUR, even.assign(jsd=0.1)]))
    hangs = "**It hangs on the seed.** On film reviews other seeds attend 0.15 nats away on average"
    assert far == f"{hangs}, equal weights 0.10."
    monkeypatch.setattr(not_not, "no_nearer", lambda run: (2, 2))
    monkeypatch.setattr(not_not, "shuffled", lambda run: 0.33)
    assert not_not.over_again(finished, flat) == f"{arbitrary} {as_far.format('2 of 2 are')}."
    monkeypatch.setattr(not_not, "no_nearer", lambda run: (0, 2))
    assert not_not.over_again(finished, flat) == arbitrary
    assert not_not.over_again(finished, FOUR) == f"{hangs}."


def test_a_base_that_was_trained_longer_is_said_to_be(monkeypatch):
    each = pd.DataFrame({0: [2], 1: [4], 2: [2]}, index=["epoch"])
    monkeypatch.setattr(not_not, "bases", lambda corpus: each)
    own = not_not.least_pushed(PUSHED)
    longer = "perhaps because the base itself was trained longer (4 epochs, the others at most 2)"
    assert not_not.trained_longer("sst", own) == f", {longer}"
    assert not_not.trained_longer("sst", not_not.least_pushed(FOUR)) == ""
    assert not_not.trained_longer("sst", not_not.least_pushed(pd.concat([FOUR, PUSHED]))) == ""
    each = each[[1]]
    assert not_not.trained_longer("sst", own) == ""


def test_nothing_is_said_of_no_model():
    none = FOUR.iloc[:0]
    assert not_not.looked_elsewhere(none) == not_not.price_on_real_text(none) == ""
    assert not_not.how_to_read(none) == not_not.costs(none) == not_not.about_costs(none) == ""
    assert not_not.beside_equal(not_not.guides_beside()[:0]) == ""
    assert not_not.serves_as_well(not_not.guides_beside()[:0]) == ""
    assert not_not.about_unlike(pd.DataFrame()) == ""
    assert not_not.reported_seeds(none.assign(experiment="", model="")) == ""
    gains, guided = not_not.gains_by_attention()[:0], not_not.guides_beside()[:0]
    assert not_not.key_argument(guided) == not_not.guide_in_short(guided) == ""
    assert not_not.worse_guide(gains) == "" and not_not.guide(gains) == []
    assert not_not.elsewhere_in_short(not_not.by_base(none), clear_on()) == ""
    assert not_not.easy_rival(guided) == "" and not_not.over_equal_in_short(guided) == []
    assert not_not.better_account(guided) == [] and not_not.least_is_the_papers(none) == []


@given(st.lists(st.tuples(SHARE, SHARE), min_size=2, max_size=5))
def test_no_undefined_number_is_said_of_models(pairs):
    rows = [(0, "adversary", 0.1 + i, i == 0, *pair) for i, pair in enumerate(pairs[:-1])]
    table = against([*rows, (0, "seed", "seed 1", False, *pairs[-1])])
    told = (not_not.looked_elsewhere, not_not.costs, not_not.price_on_real_text, not_not.about_costs)
    for said in (say(table) for say in told):
        assert said and "nan" not in said


def test_the_carried_rows_are_told():
    """What the project carries of SST and IMDB has all that the chapter's tables ask for."""
    real = not_not.elsewhere()
    assert {*real["corpus"]} == {*not_not.CORPORA} and real.groupby(["corpus", "base"])["best"].sum().eq(
        1
    ).all()
    assert all(len(not_not.table4(name)) == 4 for name in not_not.CORPORA)
    assert {*not_not.CORPORA.values()} < {*not_not.table4_f1()} and len(not_not.table4_f1()) == 8
    assert {*not_not.chance_on_real_text()["corpus"]} == {*not_not.CORPORA.values()}
    assert "neither tells much on IMDB" in not_not.tells_less("it")
    assert "tells even less than the base's on SST" in not_not.deception_answered()
    said = not_not.deception_answered()
    assert "By relevance they hardly differ on average. None of these adversaries' mean τ is below 0" in said
    assert "(One with the KL turned round is, by a mean τ of −0.02: [appendix]" in said
    assert not_not.uses()
    assert not_not.deception_answered()
    assert (
        len(not_not.deception_on_real_text()) == 4 and len(not_not.of_bases()) and not_not.of_two_epochs()[1]
    )
    assert len(not_not.of_objectives()) >= 2 and not_not.turned_round() and not_not.reach("sst")
    stored = not_not.chance_on_real_text()
    told = not_not.found_again(), not_not.replicated(), not_not.how_to_read(real)
    for said in (not_not.beyond_on_real_text(stored), not_not.seeds_beside(stored), *told):
        assert said and "nan" not in said
    tables = [not_not.table4(name) for name in not_not.CORPORA]
    for table in (
        *tables,
        not_not.table4_f1(),
        not_not.gains_on_real_text(not_not.gains_by_attention()),
        not_not.unlike_reported(),
        not_not.deception_on_real_text(),
    ):
        assert not table.map(lambda cell: "nan" in str(cell)).any(axis=None)


def test_what_is_not_carried_is_left_out():
    assert not_not.bases("movies").empty and not_not.reach("movies") == []
    assert not_not.table4("movies").empty


def points_of(ax) -> int:
    """How many points the lines of a panel have."""
    return sum(len(line.get_xdata()) for line in ax.lines)


def test_figures_of_real_text():
    real, told = not_not.elsewhere(), pd.DataFrame({"jsd": [0.1], "change": [0.1]})
    reported = dict.fromkeys(not_not.CORPORA, told)
    figure = figures.elsewhere(not_not.with_imitation(real), not_not.CORPORA, reported)
    assert [ax.get_title(loc="left") for ax in figure.axes] == [*(f"SST, base {k}" for k in range(3)), "IMDB"]
    assert len(not_not.by_base(real)) == 4
    own = [own for name in not_not.CORPORA for _, own in real[real["corpus"] == name].groupby("base")]
    for ax, of_base in zip(figure.axes, own, strict=True):
        known = (not_not.by_base(of_base)["imitation"] > 0).item()
        drawn = points_of(ax) - 1 - 1 - 2 - 2 * known - 1  # reported, base, seeds' mean, imitation, diamond
        assert drawn == (of_base["kind"] != "uniform").sum() + 1  # the best has a ring
        assert (ax.texts[0].get_text() == "imitation unknown") != known and len(ax.texts) == 1
    marks = ["other seeds", "their mean", "adversaries", "imitation", "base", "elsewhere"]
    figure = figures.elsewhere(not_not.with_imitation(real), not_not.CORPORA)
    first, *more = ([text.get_text() for text in ax.texts] for ax in figure.axes)
    assert [text for text in first if text[0] != "+"] == marks
    unknown, *costs = (text for (text,) in more)
    assert unknown == "imitation unknown" and all(text[0] == "+" for text in costs) and len(costs) == 2
    figure = figures.elsewhere(real, not_not.CORPORA)
    marks.remove("imitation")
    assert [text.get_text() for text in figure.axes[0].texts] == marks
    for ax in figure.axes:
        (shaded,) = ax.patches
        assert (shaded.get_x(), shaded.get_x() + shaded.get_width()) == pytest.approx((0.4, np.log(2)))
    stored = not_not.chance_on_real_text()
    ax = figures.by_chance(stored).axes[0]
    assert points_of(ax) == len(stored) and len(ax.get_yticks()) == 4
    assert (stored["kind"] == "uniform").sum() == 4
    gained = not_not.with_and_without()
    ax = figures.with_and_without(gained).axes[0]
    dots = sum(len(line.get_xdata()) for line in ax.lines if line.get_marker() == "o")
    assert dots == gained["seeds"].sum()
    beside = not_not.guides_beside()
    (ax,) = figures.guides(beside).axes
    ends = [path.vertices[:, 0] for lines in ax.collections for path in lines.get_paths()]
    drawn = sorted(tuple(of) for of in ends if not np.isnan(of).any())
    assert drawn == sorted(zip(beside["low"], beside["high"], strict=True)), "none beside equal weights"
    for y, (_, own) in enumerate(beside.groupby(["corpus", "base"], sort=False)):
        rows = [
            line for line in ax.lines if len(line.get_xdata()) == 1 and abs(line.get_ydata()[0] - y) < 0.3
        ]
        marks = [line.get_xdata()[0] for line in rows]
        assert sorted(marks) == sorted([*own["gain"], own["over_equal"].iloc[0]])
    assert len(ax.get_legend_handles_labels()[1]) == 3 and len(ax.get_yticks()) == 4
    plt.close("all")


def test_gains_beyond_chance_are_of_several_seeds():
    gained = pd.DataFrame({"label": ["A", "B", "C"], "gain": [0.01, 0.1, 0.2], "low": [0.002, -0.1, np.nan]})
    gained["high"] = [0.02, 0.3, np.nan]
    title = "Learnt attention gains 0.010 to 0.200 F1"
    chance = "beyond chance on 1 of the 2 corpora with several seeds"
    assert not_not.gains_by_training(gained) == f"{title}, {chance}"
    assert not_not.gains_by_training(gained[2:]).endswith("gains 0.200 F1 over equal weights")
    gains = "Learnt attention gains [F1](glossary.md#f1) [beyond chance](glossary.md#interval) on"
    some, none = not_not.needed_in_short(gained), not_not.needed_in_short(gained[1:])
    assert some == f"It depends: l{gains[1:]} 1 of 2 real corpora with several seeds."
    assert none == f"{gains} none of 1 real corpus with several seeds."
    one = not_not.needed_in_short(gained[2:])
    gains = "Learnt attention gains 0.200 [F1](glossary.md#f1) on 1 real corpus"
    assert one == f"One can't tell. {gains}, from one seed each."
    assert not_not.needed_on_real_text(gained) == "The gain's interval over seeds lies above 0 on A."
    none = (
        "So these models don't show that a task needs attention. Nor do so few seeds rule it out: on B the "
        "interval reaches +0.30. If a task can be done without attention, where attention points needn't say "
        "anything about the task."
    )
    assert not_not.needed_on_real_text(gained[1:]) == not_not.needed_on_real_text(gained[1:2]) == none
    assert not_not.needed_on_real_text(gained[2:]) == "C has one seed, which says nothing of another."


def test_how_the_figure_of_gains_is_read():
    gained = pd.DataFrame({"label": ["A", "B (part)"], "reported_trained": [0.9, np.nan]})
    gained["reported_uniform"] = 0.8
    part, slides = "(part): only a part of the corpus was read.", "Reported: read off Wiegreffe & Pinter's"
    assert not_not.about_gains(gained) == f"*{part} {slides} slides (none for B (part)).*"
    assert not_not.about_gains(gained[:1]) == f"*{slides} slides.*"
    assert not_not.about_gains(gained[1:]) == f"*{part}*"
    assert not_not.about_gains(gained[:1].assign(reported_uniform=np.nan)) == ""


def test_which_models_are_spoken_of(finished):
    real, gained = not_not.elsewhere(), not_not.with_and_without()
    said = not_not.which_bases(finished, real, gained)
    assert "SST (3 bases, each beside 7 or 8 other seeds) and IMDB (1 base, beside 3 other seeds); A" in said
    assert "A adds AG News (news), 20 Newsgroups (messages) and ADE (medical sentences). A model" in said
    assert "*planted*" in said and "A adds" not in not_not.which_bases(finished, real, gained[:0])
    assert not_not.which_bases(finished, FOUR[:0], gained).startswith("A model of the [made corpus]")
    two = not_not.which_bases(finished, pd.concat([FOUR, PUSHED]), gained[:0])
    assert "SST (2 bases, each beside 2 other seeds). A model" in two


@pytest.mark.parametrize("seeds", [[0.3, 0.1], [0.1, 0.1], [0.3, 0.2], [0.3], [0.1], []])
def test_this_runs_seeds_that_go_as_far_as_equal_weights(finished, monkeypatch, seeds):
    rows = [("seed", jsd) for jsd in seeds] + [("uniform", 0.2)]
    points = pd.DataFrame(rows, columns=["kind", "jsd"])
    monkeypatch.setattr(type(finished), "table", lambda run, name: points)
    assert not_not.no_nearer(finished) == (sum(jsd >= 0.2 for jsd in seeds), len(seeds))
    monkeypatch.setattr(type(finished), "table", lambda run, name: points[:-1])
    assert not_not.no_nearer(finished) == (0, 0)


@pytest.mark.parametrize(
    ("others", "says"),
    [
        ([0.1], "The retrained model is seed 1."),
        (
            [0.1, 0.3],
            "The retrained model is seed 1, over all texts the nearer of 2 to the base.",
        ),
        (
            [0.1, 0.05],
            "The retrained model is seed 1, over all texts the further of 2 from the base.",
        ),
        (
            [0.1, 0.2, 0.3],
            "The retrained model is seed 1, over all texts the nearest of 3 to the base.",
        ),
        ([0.1, 0.05, 0.3], "The retrained model is seed 1."),
        (
            [0.5, 0.3],
            "The retrained model is seed 1, over all texts the further of 2 from the base. On planted "
            "training again moves attention far; on film reviews it moves less (section B).",
        ),
        (
            [0.6],
            "The retrained model is seed 1. On planted training again moves attention far; on film reviews "
            "it moves less (section B).",
        ),
        ([], ""),
    ],
)
def test_the_retrained_model_that_is_shown_is_named(finished, monkeypatch, others, says):
    names = ["uniform", *(f"seed {i}" for i in range(1, len(others) + 1))]
    seeds = pd.DataFrame({"model": names, "other_jsd": [0.5, *others]})
    points = pd.DataFrame({"kind": ["uniform"], "jsd": [0.5]})
    monkeypatch.setattr(type(finished), "table", lambda run, name: {"seeds": seeds, "points": points}[name])
    name, alike, unlike = "seed 1" if others else "", weighted([0.9, 0.1]), weighted([0.1, 0.9])
    real = pd.DataFrame({"jsd_seed": [0.1], "jsd_uniform": [0.3]})
    assert not_not.which_seed(finished, name, alike, unlike if others else None, real) == says
    hidden = " On this text it happens to attend much as the base does." if "film reviews" in says else ""
    assert not_not.which_seed(finished, name, alike, alike if others else None, real) == f"{says}{hidden}"
    plain = says.replace("; on film reviews it moves less", "")
    for unknown in (real[:0], real.assign(jsd_seed=0.4)):
        assert not_not.which_seed(finished, name, alike, unlike if others else None, unknown) == plain


def weighted(weights: list[float]):
    """A row with such attention."""
    return SimpleNamespace(attention=np.array(weights))


def test_this_run_is_drawn_beside_the_bases_of_real_text(finished):
    here = not_not.chance_here(finished)
    points = finished.table("points")
    assert (here["kind"] == "seed").sum() == (points["kind"] == "seed").sum()
    assert {*here["kind"]} == {"seed", "uniform"}
    assert not_not.furthest(finished) == here.loc[here["kind"] == "seed", "jsd"].max()
    even = not_not.uniform_of(finished)
    assert not_not.shuffled(finished) >= even - 0.01, "equal weights are the mean of all orders"
    assert {*here["corpus"]} == {"planted"} and (here["texts"] > 0).all()
    ax = figures.by_chance(pd.concat([not_not.chance_on_real_text(), here])).axes[0]
    kinds = ["other seeds", "equal weights"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == kinds
    assert ax.get_yticklabels()[-1].get_text().startswith("planted, base ")
    plt.close("all")


def test_shuffled_weights_by_hand():
    """Of two words the orders are as they are or the other way round; of equal weights all are alike."""
    weights = {"a": np.array([0.9, 0.1]), "b": np.array([0.5, 0.5]), "c": np.array([1.0, 0.0])}
    rows = [SimpleNamespace(id=name, attention=of) for name, of in weights.items()]

    def far(*names: str) -> float:
        table = pd.DataFrame({"id": [*names] * 2})  # of two seeds
        params = SimpleNamespace(permutations=2000, seed=0)
        return not_not.shuffled(SimpleNamespace(evidence=rows, params=params, table=lambda name: table))

    assert far("b") == 0 and far("c") == pytest.approx(np.log(2) / 2, abs=0.03)
    assert far(*weights) == pytest.approx(np.mean([far(name) for name in weights]))


def test_a_seed_no_nearer_than_equal_weights_stands_beside_shuffled_ones(monkeypatch):
    points = pd.DataFrame({"kind": ["seed", "seed", "uniform"], "jsd": [0.1, 0.3, 0.2]})
    run = SimpleNamespace(params=SimpleNamespace(corpus="planted"), table=lambda name: points)
    no = "On planted the furthest seed (0.30) is no nearer to the base than equal weights (0.20)."
    own = "the base's own weights, shuffled, lie {} away."
    for by_chance, says in ((0.4, "Yet it is"), (0.3, "Nor is it"), (0.25, "Nor is it")):
        monkeypatch.setattr(not_not, "shuffled", lambda run, far=by_chance: far)
        chance = f"{says} nearer than chance: {own.format(f'{by_chance:.2f}')}"
        assert not_not.beside_shuffled(run) == f"{no} {chance}"
    for nearer in (points.assign(jsd=[0.1, 0.15, 0.2]), points[:2], points[2:]):
        run.table = lambda name, of=nearer: of
        assert not_not.beside_shuffled(run) == ""


def test_the_adversarys_f1_stands_beside_the_others(finished):
    of_base, of_seeds = not_not.f1_of(finished), not_not.seeds_of(finished.table("points"))["f1"]
    told = f"; its F1 is 0.10 (base {of_base:.2f}, other seeds {of_seeds:.2f})"
    assert not_not.scores_beside(finished, pd.Series({"f1": 0.1})) == told
    assert not_not.scores_beside(finished, pd.Series({"f1": np.nan})) == ""


def test_what_the_adversarys_attention_is_worth(finished):
    rows = [("SST", "mlp_base", 0.9), ("SST", "mlp_adversary", 0.8), ("SST", "mlp_uniform", 0.85)]
    table = pd.DataFrame(rows, columns=["corpus", "model", "f1"])
    f1 = pd.DataFrame({"f1": {"mlp_adversary_minus_mlp_uniform": 0.3}})
    said = not_not.may_help(finished, f1, table)
    assert said.endswith("By mean F1 it does on planted (+0.30), it doesn't on SST (−0.05).")
    assert not_not.may_help(finished, f1, table[:0]).endswith("it does on planted (+0.30).")
    assert not_not.may_help(finished, f1 * np.nan, table[:0]) == ""


def guides_of(low: list[float], less: str) -> pd.DataFrame:
    """What the base's attention gains, on one base of SST for all but the last interval, which is of IMDB."""
    corpora = ["SST"] * (len(low) - 1) + ["IMDB"]
    table = pd.DataFrame({"corpus": corpora, "base": range(len(low)), "less": less, "gain": 0.1, "low": low})
    table["high"] = table["low"] + 0.15
    return table.assign(over_equal=0.1, theirs_over_equal=-0.1, noise=[0.045] * (len(low) - 1) + [np.nan])


def test_bases_whose_attention_guides_better_are_counted(monkeypatch):
    own = guides_of([-0.1, -0.1, 0.1], "mlp_trained")
    both = pd.concat([own, guides_of([0.1, -0.1, 0.1], "mlp_adversary")])
    assert not_not.worth_on_real_text(both) == (
        "The base's attention guides clearly better than the adversary's for 2 of 3 bases; over equal "
        "weights SST base 0, SST base 1 and IMDB base 2 suggest a gain (one training each)"
    )
    alone = own.assign(over_equal=np.nan)
    assert not_not.worth_on_real_text(alone) == (
        "The base's attention guides clearly better than the token-wise model's own for 1 of 3 bases"
    )
    helps = "To a model reading single words the base's attention is better than"
    assert not_not.guide_in_short(both).startswith(f"{helps} the adversary's for 2 of 3 bases. Over equal")
    assert not_not.guide_in_short(alone) == f"{helps} the model's own for 1 of 3 bases."
    assert not_not.helped(own[:2], "mlp_trained") == "none of 2 bases"
    said = not_not.key_argument(both)
    assert said.startswith("Wiegreffe & Pinter report that the base's is the best guide, on SST and IMDB; we")
    assert not_not.key_argument(own) == "", "not without the adversary's"
    monkeypatch.setattr(not_not, "guides_reported", lambda: [])
    assert not_not.key_argument(both) == ""


NONE = "Against equal weights the base's shows no gain on {} (at most 0.01 F1)."
APART = "no more than trainings with equal weights lie apart."


@pytest.mark.parametrize(
    ("over", "says", "short"),
    [
        (
            [0.0, 0.0449, 0.05],
            f"{NONE.format('SST base 0')} On SST base 1 it gains 0.045 F1, {APART} Only IMDB base 2 suggests "
            "a gain: 0.05 F1, from one training.",
            ["Over equal weights only IMDB base 2 suggests a gain (one training)."],
        ),
        (
            [0.03, 0.045, -0.2],
            f"{NONE.format('IMDB base 2')} On SST base 0 and SST base 1 it gains 0.030 to 0.045 F1, {APART}",
            ["Over equal weights none shows a sure gain."],
        ),
        (
            [0.06, 0.02, 0.05],
            f"On SST base 1 the base's gains 0.020 F1 over equal weights, {APART} Only SST base 0 and IMDB "
            "base 2 suggest a gain: 0.05 to 0.06 F1, from one training each.",
            [
                "Over equal weights only SST base 0 and IMDB base 2 suggest a gain (one training each).",
            ],
        ),
        (
            [np.nan, np.nan, 0.05],
            "IMDB base 2 suggests a gain over equal weights: 0.05 F1, from one training.",
            ["Over equal weights IMDB base 2 suggests a gain (one training)."],
        ),
        ([np.nan] * 3, "", []),
    ],
)
def test_the_bases_attention_stands_beside_equal_weights(over, says, short):
    """A gain counts that is larger than trainings with equal weights lie apart, where that is known."""
    guided = pd.concat([guides_of([0.1, -0.1, 0.1], less) for less in ("mlp_adversary", "mlp_trained")])
    guided = guided.assign(over_equal=over * 2)
    assert not_not.beside_equal(guided) == says
    assert not_not.over_equal_in_short(guided) == short
    assert not_not.guide_in_short(guided).endswith(short[0] if short else "bases.")


@pytest.mark.parametrize(
    ("theirs", "low", "says"),
    [
        ([-0.1, -0.1, -0.04], [0.1, -0.1, 0.1], ("each of the 2 bases", "0.04 to 0.10")),
        ([-0.3, 0.01, -0.1], [0.1, 0.1, 0.1], ("2 of the 3 bases", "0.10 to 0.30")),
        ([0.1, 0.1, -0.1], [-0.1, -0.1, 0.1], ("the one base", "0.10")),
        ([0.1] * 3, [0.1] * 3, ()),
        ([-0.1] * 3, [-0.1] * 3, ()),
        ([np.nan] * 3, [0.1] * 3, ()),
    ],
)
def test_an_adversary_is_an_easy_rival(theirs, low, says):
    guided = guides_of(low, "mlp_adversary").assign(theirs_over_equal=theirs)
    said = not_not.easy_rival(pd.concat([guided, guides_of([0.1] * 3, "mlp_trained")]))
    if not says:
        assert said == ""
        return
    where, by = says
    assert said == (
        f"An adversary is an easy rival: it is rewarded for avoiding the base's words. On {where} whose "
        f"attention guides clearly better, the adversary's is worse even than equal weights, by {by} F1."
    )


def test_whether_the_bases_is_the_better_account(finished):
    own = guides_of([0.1, -0.1, -0.1], "mlp_trained").assign(over_equal=[0.0, 0.0, 0.05])
    theirs = guides_of([0.1, -0.1, 0.1], "mlp_adversary").assign(over_equal=[0.0, 0.0, 0.05])
    both = pd.concat([own, theirs])
    lead = "**That the base's is the better account is {}.** As a guide it is better than"
    rival = "the adversary's for 2 of 3 bases. But that one was rewarded for avoiding the base's words."
    over = "Over equal weights only IMDB base 2 suggests a gain (one training)."
    said = f"{lead.format('hardly shown')} {rival} {over}"
    assert not_not.better_account(both) == [said] == not_not.answer(finished, FOUR[:0], both)
    alone = not_not.better_account(own.assign(over_equal=np.nan))
    learnt = "what a token-wise model learns itself for 1 of 3 bases."
    assert alone == [f"{lead.format('hardly shown')} {learnt}"]
    (most,) = not_not.better_account(both.assign(over_equal=[0.1, 0.0, 0.05] * 2))
    assert most.startswith(lead.format("shown only in part"))


def test_the_bases_attention_stands_beside_what_the_model_learns_itself():
    guided = guides_of([0.01, -0.1, -0.3], "mlp_trained").assign(gain=[0.05, -0.001, -0.2])
    said = "Beside the attention that the token-wise model learns itself the base's guides"
    better, worse = "clearly better on SST base 0 (+0.050 F1)", "clearly worse on IMDB base 2 (−0.200 F1)"
    unclear = "not clearly better on SST base 1 (−0.001 F1)"
    assert not_not.beside_own(guided) == f"{said} {better}, {worse}, {unclear}."
    two = not_not.beside_own(guided.assign(low=-0.1, high=0.2)[:2])
    assert two == f"{said} not clearly better on SST base 0 and SST base 1 (−0.001 to +0.050 F1)."
    assert not_not.beside_own(guided[:0]) == not_not.beside_own(guided.assign(less="mlp_adversary")) == ""


def test_an_adversarys_attention_may_serve_as_well():
    guided = guides_of([-0.1, 0.1, -0.1], "mlp_adversary").assign(gain=[0.01, 0.01, 0.02])
    assert not_not.serves_as_well(guided) == "", "worse than equal weights"
    alike = (
        "On SST base 0 the adversary's guides about as well as the base's. That speaks for Jain & Wallace: "
        "two unlike heatmaps serve alike."
    )
    better, of_noise = guided.assign(theirs_over_equal=0.04), {"over_equal": 0.045, "theirs_over_equal": 0.04}
    assert not_not.serves_as_well(better) == alike, (
        "neither where the base's is clearly better nor where it gains more"
    )
    no_surer = f"{alike} But neither surely serves better than equal weights."
    assert not_not.serves_as_well(better.assign(**of_noise)) == no_surer


def test_what_the_intervals_of_guides_leave_out():
    table = pd.DataFrame({"corpus": ["SST", "SST", "IMDB"], "base": [0, 1, 0], "model": "mlp_uniform"})
    said = not_not.guides_counted(table.assign(f1=[0.8, 0.75, 0.9]))
    assert said.endswith("equal weights the 2 of SST, each with its base's seed, lie up to 0.050 F1 apart.")
    assert not_not.guides_counted(table[1:].assign(f1=0.8)).endswith("of texts, not another training.")


def test_the_bases_attention_beside_equal_weights_is_of_the_same_base():
    f1 = not_not.guides_on_real_text().pivot_table("f1", ["corpus", "base"], "model")
    for row in not_not.guides_beside().itertuples():
        own = f1.loc[(row.corpus, row.base)]
        assert row.over_equal == pytest.approx(own["mlp_base"] - own["mlp_uniform"])
        assert row.theirs_over_equal == pytest.approx(own["mlp_adversary"] - own["mlp_uniform"])
        even = f1.loc[row.corpus, "mlp_uniform"]
        assert row.noise == pytest.approx(np.ptp(even)) if len(even) > 1 else np.isnan(row.noise)


def test_what_the_paper_reports_of_guides(monkeypatch):
    """The base's F1 is the highest on both corpora; where one isn't told nothing is."""
    assert not_not.guides_reported() == ["SST", "IMDB"]
    told = pd.DataFrame({"experiment": "guide", "model": ["mlp_base", "mlp_adversary"], "f1": [0.9, 0.8]})
    monkeypatch.setattr(not_not.verdict, "wiegreffe_pinter", lambda corpus: told)
    assert not_not.guides_reported() == []


def test_the_adversary_as_a_guide():
    gains = pd.DataFrame({"corpus": ["SST", "IMDB"], "name": "mlp_base", "less": "mlp_adversary"})
    gains = gains.assign(mean=[0.07, 0.09], above=[2.0, 1.0], bases=[3, 1])
    said = not_not.worse_guide(gains)
    assert "0.07 lower on SST (interval over texts below 0 for 2 of 3 bases) and 0.09 lower on IMDB" in said
    (point,) = not_not.guide(gains)
    assert point.startswith("**As a guide.** With the adversary's")
    said = not_not.worse_guide(gains.assign(mean=[0.07, -0.09], above=np.nan))
    assert said.endswith("0.07 lower on SST and 0.09 higher on IMDB.")


@pytest.mark.parametrize(
    ("far", "says"),
    [
        ([[0.5, 0.6]], "**Is the paper's result found again?** With the paper's λ. "),
        (
            [[0.1, 0.1], [0.6, 0.6]],
            "again?** Not with the paper's λ, with a larger one for all base models.",
        ),
        ([[0.1, 0.1], [0.6, 0.6]], "None gets more than 0.4 nats away. "),
        (
            [[0.1, 0.5], [0.6, 0.6]],
            "Only SST base 1 gets more than 0.4 nats away. Why",
        ),
        ([[0.1, 0.5], [0.2, 0.6]], "not all of the others get there with any λ."),
        ([[0.1, 0.5], [0.2, 0.6]], "again?** Only in part. "),
        ([[0.1, 0.1], [0.2, 0.2]], "again?** Nowhere. "),
    ],
)
def test_whether_the_papers_lambda_does_here_what_it_did_there(monkeypatch, far, says):
    names = ["jsd lambda=0.00105", "jsd lambda=0.01"][: len(far)]
    own = pd.DataFrame(far, index=pd.Index(names, dtype=str))
    monkeypatch.setattr(not_not, "CORPORA", {"sst": "SST"})
    monkeypatch.setattr(not_not, "bases", lambda corpus: own)
    assert says in not_not.replicated()
    beyond = sum(jsd > 0.4 for jsd in far[0])
    ever = sum(max(of) > 0.4 for of in zip(*far, strict=True))
    again = not_not.found_again()
    whose = {0: "none of 2 gets", 1: "only the adversary of SST base 1 gets", 2: "all 2 adversaries get"}[
        beyond
    ]
    more = {(0, 2): "the rest", (1, 2): "the rest", (0, 1): "1 of the other 2"}.get((beyond, ever))
    do = "does" if more and more[0] == "1" else "do"
    none = "" if beyond == 2 else " More reward didn't help."
    helped = f" With 10 times as much {more} {do}." if more else none
    told = "" if beyond == 2 else f"; reported are {not_not.reported_best_jsd(['sst'])}"
    why = "" if beyond == 2 else f" {not_not.WHY}."
    assert again == f"With the paper's reward {whose} more than 0.4 nats away{told}.{helped}{why}"
    monkeypatch.setattr(not_not, "bases", lambda corpus: own[:0])
    assert not_not.replicated() == not_not.found_again() == ""


def test_how_far_the_papers_adversaries_went_is_told():
    assert not_not.reported_best_jsd(["sst", "imdb"]) == "0.51 on SST and 0.41 on IMDB"
    assert not_not.reported_best_jsd(["imdb"]) == "0.41 on IMDB"


@pytest.mark.parametrize(("change", "how"), [([0.25, 0.1, 0.2], "no nearer"), ([0.1, 0.1, 0.3], "nearer")])
def test_this_runs_best_adversary_stands_beside_its_seeds(monkeypatch, change, how):
    points = pd.DataFrame({"kind": ["adversary", "seed", "seed"], "change": change, "jsd": 0.5, "f1": 0.9})
    points["kl_weight"] = [0.1, np.nan, np.nan]
    monkeypatch.setattr(not_not, "best", lambda run: 0.1)
    run = SimpleNamespace(params=SimpleNamespace(corpus="planted"), table=lambda name: points)
    said, seeds = not_not.here_beside_seeds(run), np.mean(change[1:])
    assert f"lie {change[0]:.3f} from the base's, those of other seeds on average {seeds:.3f}:" in said
    assert said.endswith(f": it predicts {how} than the average seed.")
    run.table = lambda name: points[:1]
    assert not_not.here_beside_seeds(run) == "", "no other seed"
    run.table, run.params.corpus = lambda name: points, "sst"
    assert not_not.here_beside_seeds(run) == "", "its base may be one of those"


def test_only_what_nobody_could_look_up_has_a_star():
    told = not_not._told("sst").loc[("best", "adversary")]
    assert [not_not._reported(told, kind)[-1] for kind in ("f1", "jsd", "tvd")] == ["*", "1", "7"]
    assert not_not._reported(not_not._told("sst").loc[("uniform", "base")], "f1") == "0.83"


def test_this_runs_seeds_stand_beside_uniform_attention(finished, monkeypatch):
    def said(seed, uniform):
        points = finished.table("points").copy()
        points.loc[points["kind"] == "seed", "jsd"] = seed
        points.loc[points["kind"] == "uniform", "jsd"] = uniform
        with monkeypatch.context() as patch:
            usual = type(finished).table
            patch.setattr(
                type(finished), "table", lambda run, name: points if name == "points" else usual(run, name)
            )
            return not_not.seeds_here(finished)

    assert "another seed attends 0.10 nats away" in said(0.1, 0.2)
    assert "Uniform attention lies 0.20" in said(0.1, 0.2)
    assert "hardly reproducible" in said(0.4, 0.4)
    assert "ttention" not in said(0.1, np.nan)


def test_seeds_as_far_as_uniform_attention_are_counted(finished, monkeypatch):
    points = pd.DataFrame(
        [
            ("adversary", 0.001, 0.5, 0.1),
            ("adversary", 0.01, 0.68, 0.1),
            ("seed", np.nan, 0.33, 0.1),
            ("seed", np.nan, 0.23, 0.1),
            ("uniform", np.nan, 0.27, 0.1),
        ],
        columns=["kind", "kl_weight", "jsd", "change"],
    ).assign(f1=0.9)
    usual = type(finished).table
    monkeypatch.setattr(
        type(finished), "table", lambda run, name: points if name == "points" else usual(run, name)
    )
    monkeypatch.setattr(not_not, "best", lambda run: 0.001)
    said = not_not.seeds_here(finished)
    assert "another seed attends 0.28 nats away, the best adversary 0.50" in said
    assert "1 of 2 other seeds is at least as far from the base as uniform attention (0.27)." in said


def test_the_price_by_length_of_training():
    """0.09 minus 0.05 after two epochs; as chosen the least λ already attends elsewhere."""
    rows = [
        (1, "0.001", "JSD", 0.04, 0.4),
        (1, "0.005", "JSD", 0.6, 0.7),
        (1, "0.001", "TVD", 0.05, 0.1),
        (1, "0.005", "TVD", 0.09, 0.2),
    ]
    table = pd.DataFrame(rows, columns=["base", "λ", "mean", "two epochs", "as chosen"])
    _, two, chosen = not_not.price_by_length(table)
    assert two == "For base 1, stopped after two epochs, it costs 0.04."
    assert chosen.endswith(
        "at λ = 0.001, the least of this table, its adversary already attends 0.40 nats away."
    )
    assert not_not.price_by_length(table[:0]) == []


@pytest.mark.parametrize(
    ("ends", "says"),
    [
        ((0.1, 0.2), "better"),
        ((-0.2, -0.1), "worse"),
        ((-1, 1), "includes 0"),
        ((np.nan,) * 2, None),
    ],
)
def test_whether_attention_is_needed(ends, says):
    f1 = pd.DataFrame(
        {"f1": 0.5, "low": ends[0], "high": ends[1]}, index=["base", "uniform", "base_minus_uniform"]
    )
    first, *more = not_not.needed(f1, "F1")
    assert "trained attention" in first and "nan" not in first
    assert more == [] if says is None else says in more[0]


def test_a_run_is_told(finished):
    """Every sentence and table of the chapter's own run."""
    points, f1 = finished.table("points"), finished.table("guides").set_index("model")
    table, real = finished.table("seeds"), not_not.elsewhere()
    panels = models.panels(table, finished.table("adversarial"))
    by_attention, guided = not_not.gains_by_attention(), not_not.guides_beside()
    short = not_not.in_short(finished, real, not_not.with_and_without(), guided)
    said = [
        *short,
        *not_not.answer(finished, real, guided),
        *not_not.more_of_the_answer(finished, by_attention),
        not_not.beyond_chance(panels, not_not.median_called(table)),
        not_not.which_case(table, panels),
        not_not.use(f1, not_not.best_point(finished)),
        not_not.opposed(finished),
        not_not.imitation_here(finished),
        not_not.worth(f1),
        not_not.which_adversary(finished),
        not_not.whose(finished),
    ]
    assert all("nan" not in sentence for sentence in said)
    assert sum(len(sentence.split()) for sentence in short) <= 160
    assert not_not.top(points) > points.loc[points["kind"] == "seed", "change"].max()
    ax = figures.how_far(panels).axes[0]
    assert len(ax.get_legend_handles_labels()[1]) == 3
    plt.close("all")
    adversaries = models.adversaries(finished)
    trained = not_not.how_trained(finished, adversaries, "F1")
    assert len(trained) == len(adversaries) and "nan" not in not_not.well_trained(
        trained.set_index("λ")["mean TVD"]
    )
    assert not_not.whole_trainings(trained, 0).startswith(f"{len(trained)} of {len(trained)} training")
    assert "other seed" in [*not_not.median_called(table).values()][0]


def with_points(run, monkeypatch, **least):
    """The run with other numbers of its adversary with the least λ."""
    points = run.table("points").copy()
    own = points[points["kind"] == "adversary"]
    points.loc[own["kl_weight"].idxmin(), [*least]] = [*least.values()]
    usual = type(run).table
    monkeypatch.setattr(
        type(run), "table", lambda run, name: points if name == "points" else usual(run, name)
    )


@pytest.mark.parametrize(("least", "merely"), [(0.05, True), (0.3, False)])
def test_whether_an_adversary_merely_imitates_is_said(finished, monkeypatch, least, merely):
    with_points(finished, monkeypatch, jsd=least, change=0.07)
    assert not_not.imitates(finished) == merely
    assert ("Imitation alone costs 0.07 TVD" in not_not.imitation_here(finished)) == merely


@pytest.mark.parametrize(("change", "badly"), [(0.9, True), (0.0, False)])
def test_adversaries_that_are_badly_trained_are_said_to_be(finished, monkeypatch, change, badly):
    with_points(finished, monkeypatch, change=change)
    assert len(not_not.badly_trained(finished)) == badly
    assert ("adly trained" in not_not.which_adversary(finished)) == badly
    said = " ".join(not_not.more_of_the_answer(finished, not_not.gains_by_attention()))
    assert ("badly trained" in said) == badly
    ax = figures.opposition(finished.table("points")).axes[0]
    line = next(line for line in ax.lines if line.get_label().startswith("trained adversary"))
    assert (line.get_linestyle() == "None") == badly
    plt.close("all")


def test_the_adversarys_attention_is_held_against_the_bases():
    f1 = pd.DataFrame({"f1": {"mlp_trained": 0.5, "mlp_base": 0.8, "mlp_adversary": 0.7}})
    assert "0.80 with the base's attention, 0.70 with the adversary's, 0.50" in not_not.worth(f1)
    assert "undefined" in not_not.worth(f1.replace(0.7, np.nan))


def test_a_gain_without_a_stored_interval_stands_alone():
    pairs = [f"{name}_minus_{less}" for name, less in not_not.DIFFERENCES if less != "mlp_uniform"]
    names = ["mlp_trained", "mlp_base", "mlp_adversary", "mlp_uniform", *pairs]
    f1 = pd.DataFrame({"f1": 0.5, "low": 0.4, "high": 0.6}, index=names)
    table = not_not.differences(f1)
    assert len(table) == len(not_not.DIFFERENCES)
    gained = table["F1 gained (95 %)"].tolist()
    assert "+0.50 (+0.40 to +0.60)" in gained and "+0.00 (interval not stored)" in gained


def test_one_text_is_told(finished):
    own = finished.table("adversaries").query("kl_weight == @models.best(@finished)")
    adversary = models.best_adversary(finished)
    lengths = pd.Series(finished.evidence.lengths, finished.evidence.ids)
    far = not_not.distances_of(finished, [*models.seeds(finished)][1])
    i = finished.evidence.ids.index(not_not.looks_away(own, lengths, far))
    assert lengths.iloc[i] <= not_not.SHORT or lengths[own["id"]].min() > not_not.SHORT
    row, theirs = finished.evidence[i], adversary.evidence[i]
    kinds = not_not.attentions(finished, row, {"base": finished, "adversary": adversary})
    said = not_not.each_says(finished, row, {"base": finished, "adversary": adversary}, kinds)
    assert said["JSD"].tolist()[0] == 0 and said["TVD"].tolist()[0] == 0
    assert {"base", "adversary", "search"} <= {*said["attention"]}
    told = not_not.which_text(finished, row, {"adversary": theirs}, far)
    assert "attend so differently." in told and f"{row.prediction[row.shown]:.2f} " in told
    same = SimpleNamespace(prediction=row.prediction)
    assert " with both. An" in not_not.which_text(finished, row, {"adversary": same}, far)
    both = {"retrained": same, "adversary": same}
    assert " with all 3. An" in not_not.which_text(finished, row, both, far)
    unlike = {"adversary": SimpleNamespace(prediction=np.array([0.1, 0.1]))}
    other = not_not.which_text(finished, row, unlike, far[:0])
    assert "on other texts" not in other
    assert "about as far away on it as on other texts." in not_not.which_text(finished, row, unlike, far * 0)
    assert f"is {row.prediction[row.shown]:.2f} (base), 0.10 (adversary). An" in other
    away = SimpleNamespace(attention=np.eye(len(row.units))[0], prediction=row.prediction)
    corner = SimpleNamespace(attention=np.eye(len(row.units))[1], prediction=row.prediction)
    assert (
        not_not.still_same(away, corner) == "The adversary predicts as the base does, and attends elsewhere"
    )
    assert "attends 0.00 nats away from the base and predicts 0.00 apart" in not_not.still_same(row, row)
    assert "instead of" in not_not.exchanged(row, theirs, finished.corpus.classes)


def test_the_text_that_is_shown_is_one_where_the_retrained_model_is_as_usual():
    own = pd.DataFrame({"id": ["a", "b", "c"], "trained_change": 0.0, "trained_jsd": [0.6, 0.5, 0.4]})
    lengths, far = pd.Series(5, own["id"]), pd.Series([0.1, 0.31, 0.5], own["id"])
    assert not_not.looks_away(own, lengths, far) == "b"
    near = own.assign(trained_change=[0.02, 0.01, 0], trained_jsd=[0.602, 0.6, 0.4])
    assert not_not.looks_away(near, lengths, far[:0]) == "b", "they read alike, and it moves b less"
    assert not_not.looks_away(own, lengths, far[:0]) == "a", "no model was trained again"
    assert not_not.looks_away(own, lengths, far[::2]) == "a", "on no text it is"


def test_a_text_with_a_negated_word_is_explained(finished):
    told = {}
    for phrase in ("never dreadful", "not very good", "very good", "never"):
        row = SimpleNamespace(units=f"the cook {phrase}".split())
        told[phrase] = not_not.negated(finished, row)
    assert told["never dreadful"].endswith("*never dreadful* counts as positive.")
    assert told["not very good"].endswith("*not very good* counts as negative.")
    assert told["very good"] == told["never"] == ""
    row = SimpleNamespace(units="never dreadful and not good".split())
    assert "*not good* counts as negative" in not_not.negated(finished, row, 3)
    assert "*never dreadful*" in not_not.negated(finished, row, 1)


def test_a_word_that_looks_like_a_reason_and_is_none_is_told(finished):
    row = theirs([0.05, 0.9, 0.05], [0.5] * 3)
    row.units = "film never dreadful".split()
    rule = "*never dreadful* counts as positive."
    without = (
        "the weight off *never* and share it among the other words, in proportion to theirs: the prediction "
        "moves by"
    )
    states = "The other words' states say nearly the same."
    no_more = f"That is no more than chapter 04's 0.01: the *weight* on *never* isn't the reason. {states}"
    said = not_not.a_reason(finished, row, row)
    assert f"{rule} So *never* looks like a reason. But take {without} 0.000. {no_more}" in said
    row.units = "film never seen".split()
    weights = "*never* has 90% of the adversary's weight, 90% of the base's."
    said = not_not.a_reason(finished, row, row)
    assert said.startswith(f"Look at the text at the top. {weights} Take {without}")
    moved = theirs([0.05, 0.9, 0.05], [0.48, 0.5, 0.48])
    moved.units = "film never seen".split()
    said = not_not.a_reason(finished, row, moved)
    assert "moves by 0.018. That is more than chapter 04's 0.01, but far too little for the *weight*" in said
    busy = theirs([0.05, 0.9, 0.05], [0.1, 0.9, 0.1])
    busy.units = "film never dreadful".split()
    assert not_not.a_reason(finished, busy, busy).endswith(rule)


def test_the_bases_top_word_is_put_to_the_same_test():
    test = "The same test on the base: without the weight of its top word, *w1* ({}), its prediction moves by"
    alike = "So on this text the test doesn't tell the two heatmaps apart."
    of_no_use = not_not.of_base_too(theirs([0.1, 0.5, 0.4], [0.5] * 3), 0.01)
    assert of_no_use == f" {test.format('50%')} 0.000. {alike}"
    needed = not_not.of_base_too(theirs([0.5, 0.5 + 1e-9], [0.1, 0.9]), 0.01)
    assert needed == f" {test.format('50%')} 0.400."
    assert not_not.of_base_too(theirs([0.0, 1.0], [0.1, 0.9]), 0.01) == "", "all weight is on one word"


def test_why_other_words_say_the_same_is_told_of_what_is_known(finished):
    run = SimpleNamespace(params=SimpleNamespace(corpus="planted", encoder="bilstm"), corpus=finished.corpus)
    row = SimpleNamespace(
        units="a fine cook not very superb and truly lovely but not dull bad fine".split(),
        prediction=np.array([0.1, 0.9]),
    )
    assert not_not.plain_cues(run, row) == ["fine", "lovely"], "those that are negated don't count"
    read, enough = "they have read *not*, too", "*fine* and *lovely* may be enough without it"
    assert not_not.why_the_same(run, row, "not") == f": {read}, and {enough}"
    run.params.encoder = "average"
    assert not_not.why_the_same(run, row, "not") == f": {enough}", "its states read one word each"
    row.prediction = row.prediction[::-1]
    assert not_not.plain_cues(run, row) == ["bad"]
    run.params.corpus = "sst"
    assert not_not.why_the_same(run, row, "not") == ""
    run.params.encoder = "bilstm"
    assert not_not.why_the_same(run, row, "not") == f": {read}"


def theirs(weights: list[float], values: list[float]):
    """A row of an adversary whose probability is the mean of the values."""
    units = [f"w{i}" for i in range(len(weights))]

    def probs(attention):
        y = float(np.dot(attention, values))
        return np.array([1 - y, y])

    weights = np.array(weights)
    return SimpleNamespace(units=units, attention=weights, probs=probs, prediction=probs(weights))


def test_a_word_is_idle_whose_weight_changes_nothing():
    assert not_not.idle(theirs([0.9, 0.1], [0.5, 0.5])) and not not_not.idle(theirs([0.9, 0.1], [0.9, 0.1]))
    assert not not_not.idle(theirs([0.4, 0.6], [0.9, 0.1])) and not not_not.idle(theirs([1.0, 0.0], [1, 1]))


def test_top_words_that_decide_are_named_where_the_truth_is_known():
    base, adversary = theirs([0.8, 0.05, 0.15], [0.5] * 3), theirs([0.1, 0.9, 0], [0.5] * 3)
    base.truth = None
    assert not_not.deciding(base, adversary) == ""
    base.truth = np.array([False, True, False])
    said = "The adversary's top word, *w1*, decides the label; the base's, *w0*, doesn't"
    assert not_not.deciding(base, adversary) == f"{said}."
    base.truth = np.array([False, True, True])
    assert not_not.deciding(base, adversary) == f"{said} (its second, *w2*, does, too)."
    base.truth = np.array([True, True, True])
    assert not_not.deciding(base, adversary) == ""


def test_deception_is_counted_by_hand():
    table = pd.DataFrame({"base_loo": [0.1, -0.1], "adversary_loo": [-0.2, -0.2]})
    table = table.assign(base_relevance=0.3, adversary_relevance=0.2)
    busy = theirs([0.5, 0.5], [0.9, 0.1])
    said = not_not.deceives(table, True, busy)
    assert said[0] == "On average the adversary's heatmap is reversed, by signed leave-one-out."
    assert said[1].startswith("In 100% of the texts the adversary's τ") and "in 50% the base's" in said[1]
    assert "So no more single heatmaps are reversed" in said[1]  # of two texts chance may do that
    assert "So more single" in not_not.deceives(pd.concat([table] * 5), True, busy)[1]
    assert said[2].endswith("direction of the KL that Snell et al.'s slides have.") and len(said) == 3
    said = not_not.deceives(table.assign(adversary_loo=0.06), False, theirs([0.9, 0.1], [0.5, 0.5]))
    assert said[0].endswith("isn't reversed.")
    assert said[1] == "But it is nearly unrelated to signed leave-one-out (mean τ 0.06, in the base 0.00)."
    assert said[-1].startswith("The one above shines on a word")
    assert not_not.deceives(table * np.nan, False, busy) == []
    assert not_not.agreement(table, "loo") == (
        "The base's heatmap is nearly unrelated to signed leave-one-out (mean τ 0.00), the adversary's is "
        "opposed to it (-0.20)"
    )
    alike = "Both heatmaps are weakly related to relevance: mean τ 0.30 in the base, 0.20 in the adversary"
    assert not_not.agreement(table, "relevance") == alike
    assert "without a mean τ" in not_not.agreement(table * np.nan, "loo")


def test_the_means_are_drawn_in_the_histograms_of_deception():
    table = pd.DataFrame({"predicted": [0, 1], "base_loo": [0.1, 0.3], "adversary_loo": [np.nan, np.nan]})
    for ax, marks in zip(figures.deception(table, ["a", "b"], "loo").axes, (1, 0), strict=True):
        means = [line.get_xdata()[0] for line in ax.lines if line.get_linewidth() == 2]
        assert len(means) == marks and means == [pytest.approx(0.2)] * marks
    plt.close("all")


def test_the_search_beside_other_seeds_by_hand():
    """Which of section B's cases it is, by how far the other seeds go of the search's way."""
    seeds = pd.DataFrame({"id": ["a", "b"], "model": "seed 1", "other_jsd": 0.1})
    for search, says in (
        (0.4, "So training on the labels, from 1 other seed, didn't lead as far as the search."),
        (0.15, "not far further."),
        (0.1, "remarkable."),
    ):
        panels = {name: seeds.assign(other_jsd=x) for name, x in (("m", 0.1), ("s", search), ("o", 0.6))}
        said = not_not.which_case(seeds, panels)
        assert said.endswith(says) and ("In 100%" if search > 0.1 else "In 0%") in said
