"""Chapter 11's sentences and figures, with their odd cases."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from heed.measures.faithfulness import BEST, METRICS, WORST
from heed.show import figures, ours
from heed.show import rationales as shown


def table(**means: float) -> pd.DataFrame:
    """Rows of `faithfulness`: two texts, each metric one number a ranking."""
    rows = []
    for name, mean in means.items():
        for text in ("a", "b"):
            rows.append({"id": text, "ranking": name, "bounds": "all sets"} | dict.fromkeys(METRICS, mean))
    return pd.DataFrame(rows)


RANKED = {"attention": 0.2, "gradient": 0.5, "random": 0.1, "truth": 0.4, BEST: 0.9, WORST: 0.0}


def real(corpus: str, seed: int, **means: float) -> list[dict]:
    """Rows of a summary: normalised comprehensiveness by ranking."""
    named = {"corpus": corpus, "encoder": "bilstm", "seed": seed, "class": "overall", "n": 50}
    return [
        named | {"measure": f"naopc_comp_{name}", "mean": mean, "low": mean - 0.1, "high": mean + 0.1}
        for name, mean in means.items()
    ]


def test_attentions_place_on_real_text():
    """Means over seeds; a corpus without a random order has no panel; names of corpora are text."""
    rows = [
        *real("sst", 0, attention=0.6, loo=0.5, lime=0.9, random=0.4),
        *real("sst", 1, attention=0.4, loo=0.6, lime=0.9, random=0.2),
        *real("ade", 0, attention=0.6, loo=0.5),
    ]
    panels = shown.on_real_text(pd.DataFrame(rows))
    ((name, panel),) = panels.items()
    assert name == "sst, BiLSTM (50 texts, 2 seeds)"
    assert [*panel.index] == ["LIME", "leave-one-out", "attention", "random"]
    assert panel.loc["attention", ["mean", "low", "high"]].tolist() == pytest.approx([0.5, 0, 1]), (
        "over seeds"
    )
    assert panel.loc["attention", "above"] == pytest.approx(0.2)
    assert panel.loc["attention", ["above low", "above high"]].tolist() == pytest.approx([0.2, 0.2])
    title = "On sst a BiLSTM's attention reaches 0.50, a random order 0.30, the best (LIME) 0.90"
    assert shown.title_of_real_text(panels) == title
    assert shown.label_of_real_text(panels).endswith("95 % intervals over seeds (1 at most)")
    assert shown.real_text_brief(panels) == [
        "On sst, film reviews (BiLSTM, 50 texts, 2 seeds; worst: 0, best: 1) attention reaches 0.50 (random: "
        "0.30, clearly less; LIME: 0.90)."
    ]
    assert shown.real_text_says(panels) == [
        "On sst (BiLSTM) attention's order is clearly better than a random one: 0.20 (0.20 to 0.20) above it."
    ]
    found = shown.means(table(**RANKED))
    nothing = agreements()[:0], marks()[:0], two_tries()[:0]
    given = found, table(**RANKED), *nothing, RUN, panels, pairs()[:0]
    answered = shown.answers(*given, np.nan)
    assert shown.in_short(*given, answered)[2] == shown.real_text_brief(panels)[0]
    assert answered.set_index("judge").loc["model: word by word"].tolist() == [
        "sst, 50 texts, 2 seeds",
        *(pytest.approx(0.5), pytest.approx(0.9), "LIME", 3, pytest.approx(0.3), 1.0),
        "no",  # attention's interval over two seeds is from 0 to 1
        "yes",
    ]
    panels |= shown.on_real_text(pd.DataFrame(real("x <b>", 0, attention=0.6, loo=0.5, lime=0.1, random=0.4)))
    assert shown.title_of_real_text(panels) == (
        "Attention reaches 0.50, a random order 0.30, the best (LIME) 0.90 on sst (BiLSTM); reaches 0.60, a "
        "random order 0.40 on x <b> (BiLSTM)"
    )
    assert "<b>" not in " ".join([*shown.real_text_says(panels), *shown.real_text_brief(panels)])
    assert shown.real_text_says(panels)[1].endswith(
        "attention's order lies 0.20 above a random one (one seed)."
    )
    assert shown.label_of_real_text(panels).endswith("over seeds, of one seed over texts (1 at most)")
    more = pd.DataFrame([one | {"encoder": "cnn"} for one in rows[:8]] + rows)
    (line,) = shown.real_text_brief(shown.on_real_text(more.replace({"mean": {0.9: 0.8}})))
    assert line.startswith(
        "On sst, film reviews (CNN, 50 texts, 2 seeds and BiLSTM, 50 texts, 2 seeds; worst"
    )
    shaky = [*real("sst", 0, attention=0.6, random=0.4), *real("sst", 1, attention=0.5, random=0.5)]
    (said,) = shown.real_text_says(shown.on_real_text(pd.DataFrame(shaky)))
    assert "isn't clearly better than a random one: 0.10 (" in said
    assert shown.on_real_text(pd.DataFrame(rows)[:0]) == {}


def test_a_size_without_its_sign():
    """LIME's size beside attention, over texts and on real text over seeds; nothing where it isn't known."""
    rows = table(attention=0.2, lime_size=0.5)
    stored = pd.DataFrame(
        [*real("sst", 0, attention=0.6, lime_size=0.6), *real("sst", 1, attention=0.5, lime_size=0.6)]
    )
    found = shown.means(rows)
    said = shown.without_signs(found, rows, stored, "x <b>")
    assert said.endswith(
        "LIME's *size*, without the sign, reaches 0.50 on x &#60;b&#62; (attention: 0.20, clearly less) and "
        "0.60 on sst, BiLSTM (attention: 0.55, not clearly less)."
    )
    one = shown.without_signs(found[:0], rows, stored[:2], "x")
    assert one.endswith("reaches 0.60 on sst, BiLSTM (attention: 0.60, one seed).")
    assert shown.without_signs(found[:1], rows, stored[:1], "x") == ""


def test_what_a_model_makes_of_our_marks():
    """Of every sentence that we marked; the numbers are those of its row."""
    for one in ours.kept().values():
        if not one.ours.marks:
            continue
        said, row = shown.our_marks(one), one.row()
        there = row.attention[np.array(one.marked)].sum()
        assert f": {there:.2f} of the attention is there" in said and "nan" not in said
        assert said.startswith(f"We would mark “{' '.join(one.ours.marks)}”")


def test_places_go_by_each_metrics_direction():
    found = shown.means(table(**RANKED))
    assert [*found.index] == ["attention", "gradient", "random", "truth", BEST, WORST]
    placed = shown.ranks(found)
    assert placed.loc["gradient", "comp_delete"] == 1 and placed.loc["random", "suff_delete"] == 1
    assert placed.loc[[BEST, WORST]].isna().all(axis=None)
    assert shown.first_by(found)["comp_delete"] == "gradient"
    assert shown.places_of_truth(found)["comp_delete"] == 2
    said = shown.where_truth_stands(found, "planted")
    assert "the deciding words themselves take place" in said[0]
    assert shown.count_says(found) == (
        "These are 2 rankings; the deciding words, where they get a place, are one more, number 3. The "
        "random order isn't counted."
    )
    assert shown.bounds(table(**RANKED)) == "The model's best and worst order are exact in 2 of 2 texts."


def test_nothing_is_said_of_a_truth_that_is_not_known():
    found = shown.means(table(attention=0.2, gradient=0.5))
    assert shown.places_of_truth(found) == {}
    (said,) = shown.where_truth_stands(found, "<b>")
    assert "nobody knows the deciding words" in said and "<b>" not in said
    assert shown.who_leads(found) == "Gradient or attention comes first by each of 7 metrics"
    panels = shown.by_the_model(found, table(attention=0.2, gradient=0.5))
    assert shown.title_of_model(panels) == (
        "1 of 1 other ranking is clearly better than attention by comprehensiveness, none by sufficiency"
    )
    assert shown.by_the_model(found[:1], table(attention=0.2)) == {}, "nothing to hold attention against"
    assert shown.firsts(found[:0]) == []


def test_the_models_two_measures_are_means_over_texts_the_best_first():
    rows = table(attention=0.2, loo=0.3, lime=0.5, random=0.1, gradient_size=0.9)
    rows.loc[(rows["ranking"] == "lime") & (rows["id"] == "a"), "comp_delete"] = 0.1
    found = shown.means(rows)
    comp, suff = shown.by_the_model(found, rows).values()
    order = ["LIME", "leave-one-out", "attention", "random"]
    assert [*comp.index] == order, "the chapter's rankings alone"
    assert [*suff.index] == order[::-1], "less is better"
    own = [0.1, -0.1, 0.3, 0.3]
    assert comp.loc["LIME"].tolist() == pytest.approx(own), "in the same texts, less attention's"
    assert suff.loc["LIME", "mean"] == pytest.approx(-0.3)
    panels = shown.by_the_model(found, rows)
    assert [*panels] == ["comprehensiveness (more is better)", "sufficiency (less is better)"]
    assert shown.title_of_model(panels) == (
        "1 of 2 other rankings is clearly better than attention by comprehensiveness, none by sufficiency"
    ), "a random order is no ranking"
    assert shown._how_far_it_falls(found, rows) == (
        "without attention's top words its decision's probability falls by 0.20 (random: 0.10, clearly less; "
        "leave-one-out's: 0.30, clearly more)."
    )
    two = table(attention=0.1, random=0.1)
    assert "falls by 0.10 (random: 0.10, not clearly less)." in shown._how_far_it_falls(shown.means(two), two)
    one = table(attention=0.2)
    assert "wasn't held" in shown._how_far_it_falls(shown.means(one), one)
    assert shown.texts_of(rows, "sst") == "95 % intervals over 2 texts of sst"
    assert shown.texts_of(rows[rows["id"] == "a"], "sst") == "of 1 text of sst"
    assert [shown._ordinal(place, 12) for place in (1, 4, 10, 12)] == ["first", "fourth", "number 10", "last"]


def test_a_lead_is_decided_over_texts():
    rows = table(attention=0.2, loo=0.3, lime=0.5, random=0.1)
    wide = pd.concat([rows, rows.assign(id=rows["id"] + "2")], ignore_index=True)
    wide.loc[(wide["ranking"] == "lime") & (wide["id"] == "a"), [*METRICS]] = 0.1
    found = shown.means(wide)
    assert shown.leaders(found) == ["lime", "attention"]
    own = shown.leads(found, wide).set_index("metric")
    assert own.loc["comp_delete", "second"] == "loo" and own.loc["comp_delete", "open"]
    assert own.loc["comp_delete", "lead"] == pytest.approx(0.1)


def test_what_to_use_is_said_of_how_many_texts():
    rows = table(lime=0.5, attention_product=0.496, attention=0.2, loo=0.1)
    rows.loc[rows["ranking"] != "lime", ["suff_delete", "naopc_suff"]] = 0.9
    found = shown.means(rows)
    assert shown.leaders(found) == ["lime"]
    assert shown.firsts(found) == [
        "LIME comes first by each of 7 metrics ([all](#appendix-all-metrics-and-rankings)).",
        "It asks the model about texts without some words, as the metrics do, which favours it.",
    ]
    assert shown.to_use(found, rows, {}, "x <b>") == (
        "**Which to use?** To know what one word did, put others in its place, or remove it, and predict "
        "again. To order all words by "
        "what they did, don't take attention but LIME (it takes random words away): on x &#60;b&#62; (2 "
        "texts, by 7 of 7 metrics) it comes first of the rankings compared, though the measure favours it, "
        "as it takes words away, too."
    )
    real_text = shown.on_real_text(
        pd.DataFrame(real("sst", 0, attention=0.5, kernel_shap=0.8, lime=0.9, loo=0.6, random=0.4))
    )
    assert shown.advice(real_text).endswith(
        "attention but LIME or KernelSHAP (both take random words away): on sst (BiLSTM) they come first of "
        "the rankings compared, though the measure favours them, as it takes words away, too."
    )
    both = shown.to_use(found, rows, real_text, "planted")
    assert both.endswith(
        "but LIME (it takes random words away): on sst (BiLSTM) and planted (2 texts, by 7 of 7 "
        "metrics) it comes first of the rankings compared, though the measures favour it, as they take words "
        "away, too."
    )
    sizes = real("sst", 0, lime_size=0.6, kernel_shap_size=0.64) + real(
        "sst", 0, attention=0.5, kernel_shap=0.8, lime=0.9, loo=0.6, random=0.4
    )
    by_sign = shown.on_real_text(pd.DataFrame(sizes))
    ((name, panel),) = by_sign.items()
    assert {"size of LIME", "size of KernelSHAP"} <= {*panel.index}
    assert "size" not in shown.title_of_real_text(by_sign)
    assert shown.label_of_real_text(by_sign).endswith("(1 at most)\nhollow: without the sign")
    assert "; LIME: 0.90, without its sign 0.60)" in shown.real_text_brief(by_sign)[0]
    assert shown.advice(by_sign).endswith(
        "words away, too; most of their lead on sst comes from telling words for it from words against it."
    )
    assert shown.to_use(found, rows, by_sign, "planted").endswith("words for it from words against it.")
    panel.loc["size of LIME", "mean"] = 0.75
    assert shown.advice(by_sign).endswith("words away, too."), "half of the lead is there without it"
    first = pd.DataFrame(real("sst", 0, attention=0.9, loo=0.6, random=0.4))
    assert shown.advice(shown.on_real_text(first)).endswith("by what they did, no one ranking is best.")
    assert len(shown.firsts(shown.means(table(gradient=0.2, attention=0.1)))) == 1
    three = shown.means(table(gradient=0.2, attention=0.1))
    three.loc["lime"] = three.loc["gradient"]
    three.loc["lime", "comp_delete"] = 0.9
    assert shown.who_leads(three) == "No two rankings share the first places by 7 metrics"


def test_a_lead_by_construction_is_told():
    rows = table(attention=0.2, loo=0.5, truth=0.4)
    found = shown.means(rows)
    own = shown.leads(found, rows).set_index("metric")
    assert own.loc["monotonicity", "first"] == "loo" and own.loc["suff_delete", "first"] == "attention"
    assert own["lead"].to_numpy() == pytest.approx(0.3), "a lead is above 0 where less is better, too"
    assert "monotonicity" not in shown.of_whole_model(found)
    assert shown.elsewhere_leads(found) == [
        "By monotonicity, leave-one-out is first by construction: it is the effect asked for."
    ]
    assert shown.who_leads(found) == "Leave-one-out or attention comes first by 6 of 7 metrics"
    assert shown.to_use(found, rows, {}, "x").endswith("by what they did, no one ranking is best.")
    hair = table(attention=0.5, loo=0.504)
    assert shown.leads(shown.means(hair), hair)["open"].all(), "what is shown as 0.00 is open"


def test_attention_is_held_against_a_random_order():
    rows = table(attention=0.2, random=0.1, loo=0.5)
    found = shown.means(rows)
    page = shown.table_of_attention(found, rows).set_index("metric")
    assert page.loc["comp."].tolist() == ["0.10 (0.10 to 0.10)", "0.30 (0.30 to 0.30)"]
    assert page.loc["suff. (less)"].tolist() == ["−0.10 (−0.10 to −0.10)", "–"]
    assert shown.paired(found, rows) == (
        "Attention is better than a random order by 0.10 (0.10 to 0.10, clearly) by comprehensiveness and "
        "−0.10 (−0.10 to −0.10, not clearly) by sufficiency."
    )
    rows.loc[(rows["ranking"] == "loo") & (rows["id"] == "a"), "comp_delete"] = 0.1
    assert shown.paired(shown.means(rows), rows).endswith(
        " By comprehensiveness leave-one-out is ahead of attention by 0.10 (−0.10 to 0.30, not clearly)."
    )
    alone = table(attention=0.1, loo=0.2)
    assert shown.table_of_attention(shown.means(alone), alone).empty
    assert shown.paired(shown.means(alone), alone) == ""


def agreements(*rows: tuple[str, str, float]) -> pd.DataFrame:
    """`agreement`'s rows, of two texts alike."""
    table = pd.DataFrame(rows, columns=["first", "second", "tau"])
    return pd.concat([table.assign(id=name) for name in "ab"], ignore_index=True)


PAIRS = (
    ("attention", "gradient", 0.2),
    ("attention", "loo", 0.1),
    ("gradient", "loo", 0.8),
    ("attention", "random", 0.3),
    ("attention", "truth", 0.5),
    ("gradient", "truth", 0.1),
    ("loo", "truth", 0.2),
)


def test_rankings_are_held_against_the_truth():
    table = agreements(*PAIRS)
    rows = shown.with_truth(table)
    assert [*rows.index] == ["attention", "leave-one-out", "gradient"] == [*shown.unsigned(rows).index]
    signs = rows.rename(index={"leave-one-out": "LIME", "gradient": "size of LIME"})
    assert [*shown.unsigned(signs).index] == ["attention", "size of LIME"], "a signed one by its size"
    np.testing.assert_allclose(rows["mean"], [0.5, 0.2, 0.1])
    assert rows["texts"].tolist() == [2, 2, 2]
    sized = rows.rename(index={"leave-one-out": "size of LIME"})
    assert shown.nearest(sized) == "gradient and size of LIME come nearest", "not the size of both"
    nearest = "Seed 0: attention comes nearest to the deciding words (τ\u00a0=\u00a00.50)"
    assert shown.title_of_truth(rows, 0) == nearest
    turned = shown.with_truth(table.replace({"tau": {0.5: 0.0}}))
    assert shown.title_of_truth(turned, 0) == (
        "Seed 0: attention doesn't clearly find the deciding words (τ\u00a0=\u00a00.00); leave-one-out and "
        "gradient come nearest"
    )
    assert "(0: chance; at most 0.65, as" in shown.label_of_truth(rows, 0.65)
    assert shown.label_of_truth(rows.assign(texts=1), np.nan) == ("Kendall's τ, of 1 text\n(0: chance)")


RUN = SimpleNamespace(
    corpus="planted", encoder="bilstm", attention="additive", profile="paper", given="", seed=0
)


def stored_pairs(**shares: list[float]) -> pd.DataFrame:
    """Rows of `verdict.mended`: one a seed of RUN's model."""
    seeds = range(len(next(iter(shares.values()))))
    return pd.DataFrame({"seed": seeds} | {f"auroc_{name}": own for name, own in shares.items()}).assign(
        **{name: own for name, own in vars(RUN).items() if name != "seed"}
    )


def pairs() -> pd.DataFrame:
    return shown.over_seeds(RUN, stored_pairs(attention=[0.5, 0.7, 0.6], loo=[0.8, 0.9, 0.86]))


def test_deciding_words_over_seeds():
    """Of this model's stored seeds; nothing where it is the only one, or isn't among them."""
    seeds = pairs()
    assert [*seeds] == ["attention", "leave-one-out"] and len(seeds) == 3
    assert shown.of_pairs(seeds)["mean"].tolist() == pytest.approx([0.8533, 0.6], abs=1e-3)
    assert shown._in_pairs(seeds) == (
        "attention puts the deciding word first in 60% of pairs (chance: 50%, not clearly less; "
        "leave-one-out: 85%, clearly more)"
    )
    assert shown.title_of_pairs(seeds) == (
        "Over 3 seeds attention doesn't clearly find the deciding words (60% of pairs; leave-one-out: 85%)"
    )
    turned = seeds.rename(columns={"attention": "leave-one-out", "leave-one-out": "attention"})
    assert shown._in_pairs(turned).endswith("(chance: 50%, clearly less; leave-one-out: 60%, clearly less)")
    assert shown.title_of_pairs(turned) == "Over 3 seeds attention finds the deciding words (85% of pairs)"
    assert shown._in_pairs(seeds[["attention"]]).endswith("(chance: 50%, not clearly less)")
    rows = shown.with_truth(agreements(*PAIRS))
    assert shown.this_seed(RUN, seeds, rows) == (
        "LIME and KernelSHAP were asked of seed 0 alone, on 2 texts: there "
        "leave-one-out and gradient come nearest ([all](#appendix-all-rankings-and-the-truth))."
    )
    assert shown.asked_seed(RUN, seeds) == (
        "This is seed 0 alone. By the truth (below) attention puts the deciding word first in 50% of its "
        "pairs, its lowest of 3 seeds (mean: 60%)."
    )
    between = SimpleNamespace(**vars(RUN) | {"seed": 2})
    assert "in 60% of its pairs (mean: 60%)" in shown.asked_seed(between, seeds)
    assert shown._end_of(RUN, seeds) == ", attention's lowest by the truth"
    assert shown._end_of(between, seeds) == shown._end_of(RUN, seeds[:0]) == ""
    assert shown.asked_seed(RUN, seeds[:0]) == ""
    assert shown.this_seed(RUN, seeds[:0], rows) == shown.this_seed(RUN, seeds, rows[:0]) == ""
    stored = stored_pairs(attention=[0.5, 0.7])
    for other in ({"seed": 7}, {"corpus": "sst"}, {"attention": "dot"}, {"given": "epochs=2"}):
        assert shown.over_seeds(SimpleNamespace(**vars(RUN) | other), stored).empty
    assert shown.over_seeds(RUN, stored[:1]).empty and shown.over_seeds(RUN, stored[:0]).empty


def test_a_text_with_its_deciding_words(monkeypatch):
    def row(units: list[str], truth: list[bool] | None) -> SimpleNamespace:
        real = np.array([False] + [True] * (len(units) - 1))
        return SimpleNamespace(units=units, real=real, truth=None if truth is None else np.array(truth))

    rows = [
        row(["<s>", "a", "*bad*", "<b>"], [0, 0, 1, 0]),
        row(["<s>", "x"], [0, 0]),
        row(["<s>", "y"], None),
    ]
    run = SimpleNamespace(params=RUN)
    monkeypatch.setattr(shown.rationales, "explained", lambda run: (None, rows))
    said = shown.example(run)
    assert "“a **&#42;bad&#42;** &#60;b&#62;”" in said and said.endswith("a text has 2 words.")
    monkeypatch.setattr(shown.rationales, "explained", lambda run: (None, rows[1:]))
    assert shown.example(run) == ""


def test_the_ceiling_is_that_of_ties(monkeypatch):
    from heed.measures import rankings

    truth = SimpleNamespace(scores=lambda evidence, arrays: {"a": np.array([1.0, 0, 0]), "b": np.zeros(2)})
    monkeypatch.setattr(rankings, "declared", lambda: {"truth": truth})
    for known, most in ((True, np.sqrt(2 / 3)), (False, np.nan)):
        evidence = SimpleNamespace(truth_is_known=known)
        monkeypatch.setattr(shown.rationales, "explained", lambda run, own=evidence: (None, own))
        np.testing.assert_allclose(shown.ceiling(None), most)


def test_nothing_is_said_of_a_truth_that_no_pair_has():
    unknown = agreements(*(row for row in PAIRS if row[1] != "truth"))
    assert shown.with_truth(unknown).empty and shown.with_truth(agreements()).empty


def test_the_answer_is_of_all_judges():
    found = shown.means(table(**RANKED))
    turned = agreements(*PAIRS).replace({"tau": {0.5: 0.15}})
    of, read = SimpleNamespace(**vars(RUN) | {"encoder": "cnn"}), two_tries()
    given = found, table(**RANKED), turned, marks(), read, of, {}
    answered = shown.answers(*given, pairs()[:0], 0.65)
    said = " ".join(shown.in_short(*given, pairs()[:0], answered))
    assert said.startswith(
        "**In 4 of 6 comparisons another ranking is ahead of attention**, clearly in 2; attention clearly "
        "beats chance in 4. **The model** (planted; CNN, 2 texts, seed 0): "
        "without attention's top words its decision's probability falls by 0.20 (random: 0.10, clearly less; "
        "gradient's: 0.50, "
    )
    found_ = "finds the deciding words ([τ](glossary.md#kendall-τ) 0.15, 0.15 to 0.15)."
    assert f"(planted, 2 texts, seed 0): attention {found_}" in said
    people = "Average, 199 texts, one seed): none of 2 rankings finds their marks much better than chance"
    assert f"**People** (movies; {people} (AUPRC 0.32; chance: 0.30)." in said
    assert (
        "top fifth of words (planted, CNN, 2 seeds) reaches an [F1](glossary.md#f1) of 0.75 (random: 0.55; "
        "leave-one-out's: 0.78, not clearly more)." in said
    )
    assert "(&#60;b&#62;, CNN, 2 seeds)" in said and "0.60, clearly less)." in said
    assert "nan" not in said
    assert answered["judge"].tolist() == [
        "model: without top words",
        "model: top words alone",
        "truth: deciding words",
        "people: marked words",
        "learner: top words",
        "learner: top words",
    ]
    assert answered["of"].tolist()[2:] == [
        "planted, 2 texts, seed 0",
        "movies, 199 texts, one seed",
        "planted, 2 seeds",
        "<b>, 2 seeds",
    ]
    assert answered["attention"].tolist() == pytest.approx([0.2, 0.2, 0.15, 0.31, 0.75, 0.75])
    assert answered[shown.AHEAD].tolist() == ["yes", "–", "yes", "no", "no", "–"]
    assert answered[shown.ABOVE_RANDOM].tolist() == ["yes", "no", "yes", "no", "yes", "yes"]
    assert answered["most"].tolist() == [1, 0, 0.65, 1, 1, 1]
    scaled = shown.on_one_scale(answered)
    assert scaled["attention"].tolist()[:2] == pytest.approx([1 / 9, -1]), "where less is better, too"
    assert scaled["best"].tolist()[2] == pytest.approx(0.2 / 0.65) and [*scaled["is_clear"]][:2] == [
        True,
        False,
    ]
    assert scaled["best_says"].tolist()[0] == "gradient 0.50" and scaled["random_says"].tolist()[3] == "0.30"
    assert len(shown.on_one_scale(answered.assign(random=np.nan))) == 0
    figure = figures.judges(scaled, "a label")
    assert "learner: top words (<b>, 2 seeds)" in {text.get_text() for text in figure.axes[0].texts}
    title = "In 4 of 6 comparisons another ranking is ahead of attention, clearly in 2"
    assert shown.another_is_ahead(answered) == title
    assert shown.another_is_ahead(answered[:1]).startswith("In 1 of 1 comparison another")
    assert (
        shown.another_is_ahead(answered[1:2])
        == "In none of 1 comparison another ranking is ahead of attention"
    )
    (first,) = shown.first_of_all(answered[[True, False, True, True, True, False]])
    assert first.startswith("**In all 4 comparisons another ranking is ahead of attention**, clearly in 2")
    assert shown.first_of_all(answered[1:2])[0].startswith("**In none of 1 comparison another")
    hair = answered.assign(best=answered["attention"] + 0.01)
    assert shown.another_is_ahead(hair).endswith(
        "ahead of attention, clearly in 2 (2 of these by little: model and truth)"
    )
    label = shown.label_of_judges(scaled)
    assert "1: the best score\n(top words alone: no fall)\n" in label
    assert "no fall" not in shown.label_of_judges(scaled[2:])
    (first,) = shown.first_of_all(answered[:1].assign(random=np.nan))
    assert "chance" not in first
    assert shown.first_of_all(answered[:0]) == []
    seeds = shown.answers(*given, pairs(), 0.65).set_index("judge").loc["truth: deciding words"]
    assert seeds.tolist()[:3] == ["planted, 3 seeds", pytest.approx(0.6), pytest.approx(0.8533, abs=1e-3)]
    assert seeds.tolist()[3:] == ["leave-one-out", 2, 0.5, 1.0, "yes", "no"]
    assert "(planted, 3 seeds): attention puts" in " ".join(shown.in_short(*given, pairs(), answered))
    assert shown.unasked(marks(), read) == (
        "That is the model's judgement: neither people nor learners were asked about LIME and KernelSHAP."
    )
    assert "no learners were asked" in shown.unasked(marks()[:0], read)
    assert shown.unasked(marks()[:0], read[:0]) == ""
    none = table(**RANKED)[:0]
    given = shown.means(none), none, turned[:0], marks()[:0], read[:0], of, {}, pairs()[:0]
    assert shown.answers(*given, np.nan).empty
    assert shown.in_short(*given, answered[:0]) == [shown.NOTHING]


def test_by_hand_a_row_is_a_metric():
    own = shown.by_hand().set_index("")
    assert own.loc["AUPRC (person)", "what it adds"] == "1.00"
    assert "−0.11" in own.loc["sufficiency (model, less is better)"].to_list()
    assert [*own] == ["attention", "what it adds"]
    assert shown.hand_says() == "Most attention is on “thin”, and “superb” adds most"


def marks() -> pd.DataFrame:
    """Two rankings by people's marks, as a summary has them."""
    return pd.DataFrame(
        {
            "class": "overall",
            "encoder": "average",
            "measure": ["auprc_above_random_attention", "auprc_above_random_loo", "auprc_random"],
            "mean": [0.01, 0.02, 0.3],
            "low": [0.0, 0.01, 0.28],
            "high": [0.02, 0.03, 0.32],
            "n": [199, 199, 199],
            "seed": [0, 0, 0],
        }
    )


def readers() -> pd.DataFrame:
    """Readers of three choices of words, of two seeds."""
    return pd.DataFrame(
        {
            "corpus": "planted",
            "encoder": "cnn",
            "ranking": ["full text", "attention", "random"] * 2,
            "seed": [0, 0, 0, 1, 1, 1],
            "read_f1": [0.8, 0.7, 0.5, 0.9, 0.8, 0.6],
        }
    )


def two_tries() -> pd.DataFrame:
    """Readers of two corpora: attention's choice is the worst of two on the one, the best on the other."""
    read = readers()
    loo = read[read["ranking"] == "attention"].assign(ranking="loo", read_f1=0.78)
    both = pd.concat([read, loo])
    other = both.assign(corpus="<b>").replace({"read_f1": {0.78: 0.6}})
    return pd.concat([both, other])


def test_people():
    rows = marks()
    best = "The best lies 0.020 above a random order (*much* would be 0.05, our choice)."
    attention = "Attention lies 0.010 above it, not clearly."
    assert shown.near_chance(rows) and shown.people_say(rows) == [best, attention]
    assert shown.ends_of_people(rows) == pytest.approx((-0.001, 0.0505))
    assert shown.ends_of_people(rows.replace({"mean": {0.02: 0.06}})) == pytest.approx((-0.014, 0.707))
    assert shown.people_by_model(rows)[""]["mean"].tolist() == [0.02, 0.01]
    two = shown.people_by_model(pd.concat([rows, rows.assign(encoder="cnn")]))
    assert [*two] == ["Average", "CNN"], "of several models each has its name"
    assert shown.note_of_people(rows).endswith(
        "(0.05: much, 0.70: the most),\n95 % intervals over texts\n(Average, 199 texts, one seed)"
    )
    assert shown.people_by_model(rows[:0]) == {} and shown.people_say(rows[:0]) == []
    assert shown.people_by_model(rows[:2]) == {}, "without a random order's"
    assert shown.title_of_people(rows) == ("None of 2 rankings finds people's marks much better than chance")
    flips = rows[:2].assign(measure=["marks_flip", "random_flip"], mean=[0.24, 0.08])
    assert shown.people_say(flips) == [
        "Yet the marked words matter to the Average model: setting their attention to 0 flips 24% of its "
        "decisions, that of as many random words 8%."
    ]
    assert shown.needed_say(rows) == []
    needed = rows[:2].assign(measure=["needed_chance", "marked_needed"], mean=[0.31, 0.04])
    assert shown.people_say(pd.concat([rows, flips, needed]))[-1] == (
        "Both can be true: people marked passages, 31% of the words, and the decision hangs on few. 96% of "
        "the marked words aren't among the fewest that flip it, so a ranking that puts these first finds few "
        "marks."
    )


def test_readers():
    read = two_tries()
    order = ["full text", "leave-one-out", "attention", "random"]
    assert [*shown.readers(read)["planted (CNN), 2 seeds"].index] == order, "the best is first"
    rows = shown.taught(read)
    assert rows["place"].tolist() == [2, 1] and rows["rankings"].tolist() == [2, 2]
    assert rows["alike"].tolist() == [True, False], "by the ranges over seeds"
    assert shown.title_of_readers(rows) == (
        "On planted attention's top words teach more than random ones, about as much as the best other "
        "ranking's, on <b> they teach more than the other ranking's"
    )
    far = rows[1:].assign(place=4, rankings=4)
    assert shown.title_of_readers(far) == (
        "On <b> attention's top words teach more than random ones, less than the other 3 rankings'"
    )
    assert shown.title_of_readers(far.assign(place=2)).endswith("ones, second most of 4 rankings")
    assert shown.title_of_readers(far.assign(seeds=1)).endswith("are of one seed, which decides nothing")
    one = shown.taught(read[read["seed"] == 0].replace({"read_f1": {0.78: 0.71}}))
    assert not one["alike"].any(), "of one seed nobody knows the range"
    assert shown.title_of_readers(rows[:0]) == "" and shown.chosen_say(rows[:0]) == []
    assert shown.chosen_say(rows) == [], "without the deciding words"
    (line,) = shown.learner_brief(one[:1])
    assert "CNN, one seed)" in line and "clearly" not in line and shown.learner_brief(rows[:0]) == []
    average = readers().replace({"cnn": "average"})
    assert shown.readers_say(average.assign(corpus="x")) == shown.readers_say(average[:0]) == []
    assert shown.readers_say(average) == [
        "**planted, Average:** Even whole texts give little: Average reads each word alone, and so can't "
        "know that *not* turns the next word round."
    ]
    truth = read[read["ranking"] == "random"].assign(ranking="truth")
    for f1, more in ((0.6, True), (0.72, False)):  # beside attention's 0.7 and 0.8
        own = shown.taught(pd.concat([read, truth.assign(read_f1=f1)]))
        assert own["more"].tolist() == [more, more], "more in every seed, not on average"
        assert ("*which*" in " ".join(shown.chosen_say(own)).lower()) == more
        assert ("and the deciding words, about" in shown.title_of_readers(own[:1])) == more
    held = {"holds": 0.4, "truth_holds": 0.9}
    assert (
        "though they hold 40% of all that decide, and the others 90%"
        in shown.chosen_say(own.assign(more=True, **held))[0]
    )
    assert "fewer" not in shown.chosen_say(own.assign(more=True))[0], "where nobody knows"
    two = pd.concat([read, read.assign(encoder="bilstm")], ignore_index=True)
    assert {*shown.main_readers(two)["encoder"]} == {"bilstm"}
    assert {*shown.other_readers(two)["encoder"]} == {"cnn"} and shown.other_readers(read[:0]).empty
    alone = read[(read["corpus"] == "planted") | (read["seed"] == 0)]
    assert {*shown.main_readers(alone)["corpus"]} == {"planted"}, "one seed decides nothing"
    assert {*shown.main_readers(alone[alone["seed"] == 0])["corpus"]} == {"planted", "<b>"}


def test_the_figures_are_drawn():
    found = shown.means(table(**RANKED))
    figure = figures.metrics(*shown.by_metric(found), shown.marked())
    assert "0.50" in {text.get_text() for text in figure.axes[0].texts}
    rows = shown.with_truth(agreements(*PAIRS))
    figure = figures.by_ranking({"": rows}, "a label")
    assert figure.axes[0].get_yticklabels()[0].get_weight() == "bold"
    assert [text.get_text() for text in figure.axes[0].texts] == ["0.50", "0.20", "0.10"]
    rows = pd.DataFrame({"mean": [0.1], "low": [0.0], "high": [np.nan]}, index=["LIME"])
    figure = figures.by_ranking({"a": rows, "b": rows}, "a label", limits=(0, 1))
    assert [ax.get_title(loc="right") for ax in figure.axes] == ["a", "b"]
    assert figure.axes[1].get_yticklabels()[0].get_text() == "LIME" and figure.axes[0].get_xlim() == (0, 1)


def test_a_ranking_that_is_another_by_construction_is_left_out():
    rows = [
        ("attention", "gradient", 0.2),
        ("attention", "attention_norm", 1.0),
        ("gradient", "attention_norm", 0.2),
    ]
    table = pd.DataFrame(rows, columns=["first", "second", "tau"])
    assert {*shown.distinct(table)["second"]} == {"gradient"}
