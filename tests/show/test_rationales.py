"""Chapter 11's sentences and figures, with their odd cases."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch

from heed.measures import surrogates
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
        *real("sst", 0, attention=0.6, loo=0.5, lime=0.9, lime_size=0.6, random=0.4),
        *real("sst", 1, attention=0.4, loo=0.6, lime=0.7, lime_size=0.5, random=0.2),
        *real("ade", 0, attention=0.6, loo=0.5),
    ]
    panels = shown.on_real_text(pd.DataFrame(rows))
    ((name, panel),) = panels.items()
    assert name == "sst, BiLSTM (50 texts, 2 seeds)"
    assert [*panel.index] == ["LIME", "LIME without sign", "leave-one-out", "attention", "random"]
    assert panel.loc["attention", ["mean", "low", "high"]].tolist() == pytest.approx([0.5, 0, 1]), (
        "over seeds"
    )
    assert panel.loc["attention", "above low"] == pytest.approx(0.2), "both seeds differ by as much"
    assert panel.loc["LIME", "ahead low"] == pytest.approx(0.3)
    assert shown.title_of_real_text(panels) == "First comes LIME on sst, BiLSTM"
    found = shown.means(table(**RANKED))
    assert shown.model_brief(found, table(**RANKED), panels) == [
        "**LIME moves the model more than attention:** on sst it scores 0.80, attention 0.50, a random order "
        "0.30 (worst order: 0, best: 1). LIME leads mostly by knowing which words speak against the "
        "decision."
    ]
    nothing = agreements()[:0], marks()[:0], two_tries()[:0]
    given = found, table(**RANKED), *nothing, RUN, panels, pairs()[:0]
    answered = shown.answers(*given, np.nan, 0.9)
    assert shown.in_short(*given, same()[:0], answered)[1:] == shown.model_brief(
        found, table(**RANKED), panels
    )
    assert answered.set_index("judge").loc[shown.BY_WORD].tolist() == [
        "sst, 50 texts, 2 seeds",
        *(pytest.approx(0.5), pytest.approx(0.8), "LIME", pytest.approx(0.55), pytest.approx(0.3), 1.0),
        *("yes", "no", "yes"),  # within the same seeds LIME is ahead by 0.3 in both
    ]
    panels |= shown.on_real_text(pd.DataFrame(real("x <b>", 0, attention=0.6, loo=0.5, lime=0.1, random=0.4)))
    (line,) = shown.model_brief(found, table(**RANKED), panels)
    assert line.startswith("**LIME moves the model not everywhere more than attention:**")
    assert line.endswith(
        "on sst and x &#60;b&#62; it scores 0.10 to 0.80, attention 0.50 to 0.60, a random order 0.30 to "
        "0.40 (worst order: 0, best: 1)."
    )
    assert shown.on_real_text(pd.DataFrame(rows)[:0]) == {}


def test_the_picture_of_the_models_judgement():
    """The run's own texts and real text; what LIME's sign is worth is told of each."""
    rows = table(attention=0.2, lime=0.6, lime_size=0.5, loo=0.4, gradient=0.9, random=0.1)
    found, several = shown.means(rows), []
    for encoder, lime in (("bilstm", 0.9), ("cnn", 0.8)):
        for seed, random in ((0, 0.3), (1, 0.4)):
            of = real("sst", seed, attention=0.5, lime=lime, lime_size=0.54, random=random)
            several += [one | {"encoder": encoder} for one in of]
    texts = shown.on_real_text(pd.DataFrame(several))
    picture = shown.in_the_picture(texts)
    assert [*picture] == ["sst, BiLSTM: worst 0, best 1", "sst, CNN: worst 0, best 1"]
    own = picture["sst, BiLSTM: worst 0, best 1"]
    assert [*own.index] == ["LIME", "LIME without sign", "attention", "random"]
    assert shown.kept_without_sign(picture) == pytest.approx(
        dict(zip(picture, (0.1, 0.04 / 0.3), strict=True))
    )
    title = "LIME moves the model more than attention, mostly by its sign"
    assert shown.title_of_picture(picture) == title
    lasts = picture["sst, CNN: worst 0, best 1"].rename(index={"LIME without sign": "KernelSHAP"})
    unknown = picture | {"sst, CNN: worst 0, best 1": lasts}
    assert shown.title_of_picture(unknown).endswith("than attention, on sst mostly by its sign")
    said = shown.sign_says(picture)
    assert said.startswith(
        "**On sst most of LIME's lead over attention is its sign.** Without the sign 10% of it on sst "
        "(BiLSTM) and 13% of it on sst (CNN) is left. So what attention lacks beside LIME seems to be less"
    ), "not perhaps: it is the same in both seeds"
    alone = shown.sign_says({"sst, BiLSTM: worst 0, best 1": own})
    assert "Without the sign 10% of it is left. So" in alone, "of one model it isn't said which"
    unsure = picture["sst, CNN: worst 0, best 1"].copy()
    unsure.loc["LIME without sign", "ahead low"] = -0.1
    said = shown.sign_says(picture | {"sst, CNN: worst 0, best 1": unsure})
    assert "and 13% of it on sst (CNN: perhaps nothing) is left" in said
    half = {name: own.rename(index={"LIME": "x"}) for name, own in picture.items()}
    half["sst, CNN: worst 0, best 1"] = unsure.assign(mean=[0.9, 0.7, 0.5, 0.3])
    assert shown.sign_says(half) == (
        "**How much of LIME's lead is its sign?** Without the sign 50% of it on sst (CNN: perhaps nothing) "
        "is left."
    )
    below = {"a, b: c": own.assign(mean=[0.6, 0.1, 0.2, 0.1])}
    assert shown.kept_without_sign(below) == {"a, b: c": 0}, "not less than nothing"
    assert shown.kept_without_sign({"a, b: c": own.assign(mean=0.6)}) == {}, "of no lead nothing is left"
    label = shown.label_of_picture(texts)
    assert label == "means, 95 % intervals over seeds\n(Student's t); 50 texts, 2 seeds"
    ade = shown.on_real_text(pd.DataFrame(real("ade", 0, attention=0.7, lime=0.6, random=0.3)))
    assert shown.label_of_picture(texts | ade).endswith(
        "(Student's t),\nof one seed over texts; sst: 50 texts, 2 seeds; ade: 50 texts, 1 seed"
    )
    assert shown.model_says(found, rows, "<b>") == [
        "On &#60;b&#62; LIME surely moves the model more than attention, and attention surely moves it more "
        "than a random order.",
    ]
    assert shown.model_says(found[:0], rows[:0], "x") == []
    ahead = table(attention=0.3, lime=0.3)
    assert shown.model_says(shown.means(ahead), ahead, "x") == [
        "On x LIME doesn't surely move the model more than attention."
    ]
    alike = table(attention=0.3, random=0.3)
    assert shown.model_says(shown.means(alike), alike, "x") == [
        "On x attention doesn't surely move the model more than a random order."
    ]
    assert shown.model_says(shown.means(table(attention=0.3)), table(attention=0.3), "x") == []
    behind = shown.in_the_picture(texts | ade)
    assert shown.title_of_picture(behind) == "LIME moves the model more than attention in 2 of 3 comparisons"
    without = {name: own.rename(index={"LIME": "KernelSHAP"}) for name, own in picture.items()}
    assert shown.title_of_picture(without) == "Attention comes first in none of 2 comparisons"
    assert shown.sign_says(without) == "" and shown.in_the_picture({}) == {}


def same(**means: tuple[float, float]) -> pd.DataFrame:
    """`in_the_same_texts`'s rows: of each ranking its fall of p and its pairs, in two texts alike."""
    given = dict(lime=(0.7, 0.7), loo_signed=(0.72, 0.75), lime_size=(0.5, 0.9), loo=(0.6, 0.85))
    given |= dict(kernel_shap=(0.71, 0.68), kernel_shap_size=(0.55, 0.8))
    given |= dict(attention=(0.3, 0.5), random=(0.2, 0.45)) | means
    rows = [[text, name, *own] for text in "ab" for name, own in given.items()]
    return pd.DataFrame(rows, columns=["id", "ranking", "fall", "pairs"])


def test_the_same_texts_before_two_judges():
    """What a sign is worth to the model and to the truth; nothing of a truth that isn't known."""
    rows = same()
    panels = shown.two_judges(rows)
    assert [*panels] == ["model:\nfall of p", "truth: deciding\nword first"]
    model = panels["model:\nfall of p"]
    assert model["group"].tolist() == ["with sign"] * 3 + ["without sign"] * 4 + [""]
    assert model["label"].tolist() == ["LIME", "KernelSHAP", "leave-one-out"] * 2 + ["attention", "random"]
    assert model["mean"].tolist() == pytest.approx([0.7, 0.71, 0.72, 0.5, 0.55, 0.6, 0.3, 0.2])
    differ = "With its sign a ranking moves the model more, without it finds the deciding words better"
    assert shown.title_of_two_judges(rows) == differ
    assert shown.same_brief(rows, RUN) == [
        "**It depends on whom you ask.** No ranking here is best for both the model and the truth: the model "
        "wants words against its decision last, but these decide the label, too (2 texts of planted, one "
        "seed)."
    ]
    (said,) = shown.same_says(rows, RUN, pairs()[:0])
    assert said == (
        "**The two judges want opposite things.** LIME, KernelSHAP and leave-one-out surely move the model "
        "more with their sign, and surely find the deciding words better without. As in our example, "
        "words against the decision decide the label, too, as *thin* did, and a sign puts them last."
    )
    weakest = shown.same_says(rows, RUN, pairs())[-1]
    assert weakest == "(Of 3 seeds it is this one in which attention finds them least well: see below.)"
    best = same(attention=(0.9, 0.95))
    assert shown.same_brief(best, RUN) == [f"**{differ}** (2 texts of planted, one seed)."], (
        "attention is right"
    )
    alike = same(lime_size=(0.5, 0.7), kernel_shap_size=(0.5, 0.68), loo=(0.6, 0.75))
    assert shown.title_of_two_judges(alike) == "With its sign a ranking moves the model more"
    assert shown.same_brief(alike, RUN)[0].startswith("**With its sign a ranking moves the model more** (2")
    assert shown.same_says(alike, RUN, pairs()[:0]) == []
    both = same(lime_size=(0.5, 0.6), kernel_shap_size=(0.5, 0.6), loo=(0.6, 0.6))
    assert shown.title_of_two_judges(both).endswith(
        "moves the model more and finds the deciding words better"
    )
    only = same(lime_size=(0.7, 0.9), kernel_shap_size=(0.71, 0.9), loo=(0.72, 0.9))
    assert shown.title_of_two_judges(only) == "Without its sign a ranking finds the deciding words better"
    (why,) = shown.same_says(only, RUN, pairs()[:0])
    assert why.startswith("Words against the decision decide the label, too"), "the truth alone wants no sign"
    neither = same(lime_size=(0.7, 0.7), kernel_shap_size=(0.71, 0.68), loo=(0.72, 0.75))
    assert shown.title_of_two_judges(neither).startswith("No judge surely prefers")
    unknown = rows.assign(pairs=np.nan)
    assert [*shown.two_judges(unknown)] == ["model:\nfall of p"]
    assert shown.title_of_two_judges(unknown) == "With its sign a ranking moves the model more"
    assert shown.same_brief(unknown, RUN) == shown.same_brief(rows[:0], RUN) == []
    assert shown.same_says(unknown, RUN, pairs()[:0]) == []
    assert shown.two_judges(rows[:0]) == {} and shown.same_says(rows[:0], RUN, pairs()) == []
    figure = figures.two_judges(panels)
    first, second = figure.axes
    assert [label.get_text() for label in first.get_yticklabels()][:4] == [
        "with sign",
        "LIME",
        "KernelSHAP",
        "leave-one-out",
    ]
    assert [text.get_text() for text in second.texts][:3] == ["70%", "68%", "75%"]
    assert [text.get_text() for text in first.texts][-2:] == ["0.30", "0.20"]
    assert len(figures.two_judges(shown.two_judges(unknown)).axes) == 1


def test_leave_one_out_with_its_sign_beside_lime():
    """Whether it does as well, and where it wasn't tried; of no text no row."""
    sst = shown.on_real_text(pd.DataFrame(real("sst", 0, attention=0.5, lime=0.9, random=0.4)))
    assert shown._to_save_time(same(), sst) == [
        [
            "leave-one-out with its sign",
            "p falls by 0.72 (LIME: 0.70)",
            "not surely behind; not tried on sst",
        ]
    ]
    ((_, falls, sure),) = shown._to_save_time(same(loo_signed=(0.6, 0.7)), {})
    assert falls == "p falls by 0.60 (LIME: 0.70)" and sure == "surely behind LIME; one seed"
    assert shown._to_save_time(same()[:0], sst) == []


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
        "1 of 1 other ranking is surely better than attention by comprehensiveness, none by sufficiency"
    )
    assert shown.by_the_model(found[:1], table(attention=0.2)) == {}, "nothing to hold attention against"


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
        "1 of 2 other rankings is surely better than attention by comprehensiveness, none by sufficiency"
    ), "a random order is no ranking"
    assert shown.alone_says(found, rows, "<b>") == (
        "On &#60;b&#62; (2 texts) no other ranking is better than attention by *sufficiency*."
    )
    better = table(attention=0.2, loo=0.1, lime=0.3)
    leads = (
        "On x (2 texts) leave-one-out leads by *sufficiency*: with its top words alone p falls by 0.10, with "
        "attention's by 0.20 (less is better)."
    )
    said = shown.alone_says(shown.means(better), better, "x")
    assert said == f"{leads} The lead is sure."
    better.loc[better["ranking"] == "loo", "suff_delete"] = [-0.2, 0.4]
    said = shown.alone_says(shown.means(better), better, "x")
    assert said == f"{leads} But 2 texts can't make the lead sure."
    assert shown.alone_says(found[:1], table(attention=0.2), "x") == "", "nothing to hold attention against"
    assert shown.model_brief(found, rows, {}) == [
        "**Leave-one-out moves the model more than attention:** without its top words p falls by 0.30, "
        "without attention's by 0.20 (0.10 without random ones)."
    ]
    two = table(attention=0.1, loo=0.1)
    assert shown.model_brief(shown.means(two), two, {}) == [
        "**No ranking moves the model more than attention:** without its top words p falls by 0.10."
    ]
    assert shown.model_brief(shown.means(table(loo=0.1)), table(loo=0.1), {}) == []
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


def use(rows: pd.DataFrame, real_text: dict, **other) -> dict[str, list[str]]:
    """`to_use`'s cells by the question; other: what isn't as in `given`."""
    given = dict(agreement=agreements()[:0], people=marks()[:0], p=RUN, seeds=pairs()[:0], same=same()[:0])
    found = shown.to_use(shown.means(rows), rows, real=real_text, **given | other)
    assert [*found] == ["your question", "use", "evidence", "sure?"]
    assert not found.map(lambda cell: "nan" in cell or not cell).any(axis=None)
    return {question: cells for question, *cells in found.itertuples(index=False)}


ORDER, QUICK = "What did all words do?", "The same, in less time?"
DECIDE, MARK = "Which words decide the label?", "Which words would people mark?"


def test_what_to_use_to_order_words():
    """What comes first everywhere, and where it is surely ahead."""
    rows = table(lime=0.5, attention_product=0.496, attention=0.2, loo=0.1)
    rows.loc[rows["ranking"] != "lime", ["suff_delete", "naopc_suff"]] = 0.9
    assert shown.leaders(shown.means(rows)) == ["lime"]
    own = use(rows, {}, p=SimpleNamespace(**vars(RUN) | {"corpus": "<b>"}))
    assert [*own] == ["What did one word do?", ORDER], "nobody knows of other judges"
    assert own[ORDER] == ["LIME", "first on <b>", "ahead of attention"]
    open_ = rows.copy()
    open_.loc[(open_["ranking"] == "lime") & (open_["id"] == "a"), "suff_delete"] = 1.2
    assert use(open_, {})[ORDER][2] == "ahead of attention; not surely with top words alone"
    summaries = real("sst", 0, attention=0.5, kernel_shap=0.8, lime=0.9, loo=0.6, random=0.4)
    real_text = shown.on_real_text(pd.DataFrame(summaries))
    assert shown.advice(real_text).endswith(
        "take LIME or KernelSHAP rather than attention: on sst (BiLSTM) they come first of the rankings "
        "compared. But the comparison removes words, as they do themselves."
    )
    both = use(rows, real_text, same=same())
    assert both[ORDER][:2] == ["LIME", "first on sst and planted"]
    assert both[ORDER][2] == "ahead of attention on planted", "sst is of one seed"
    assert both[QUICK] == shown._to_save_time(same(), real_text)[0]
    again = [one | {"seed": 1} for one in summaries]
    sure = use(rows, shown.on_real_text(pd.DataFrame(summaries + again)))
    assert sure[ORDER][2] == "ahead of attention"
    sizes = real("sst", 0, lime_size=0.6, kernel_shap_size=0.64) + summaries
    by_sign = shown.on_real_text(pd.DataFrame(sizes))
    ((name, panel),) = by_sign.items()
    assert {"LIME without sign", "KernelSHAP without sign"} <= {*panel.index}
    assert shown.advice(by_sign).endswith(
        "removes words, as they do themselves, and most of their lead on sst comes from knowing which words "
        "speak against the prediction."
    )
    nobody = use(table(attention=0.2, loo=0.2), by_sign)[ORDER]
    assert nobody == [
        "LIME or KernelSHAP",
        "first on sst",
        "not surely ahead of attention",
    ]
    panel.loc["LIME without sign", "mean"] = 0.75
    assert shown.advice(by_sign).endswith("as they do themselves."), "half of the lead is there without it"
    first = pd.DataFrame(real("sst", 0, attention=0.9, loo=0.6, random=0.4))
    assert shown.advice(shown.on_real_text(first)).endswith("by what they did, no one ranking is best.")
    none = use(rows, shown.on_real_text(first), same=same())
    assert none[ORDER] == ["no one ranking is best", "–", "–"] and QUICK not in none
    three = shown.means(table(gradient=0.2, attention=0.1))
    three.loc["lime"] = three.loc["gradient"]
    three.loc["lime", "comp_delete"] = 0.9
    assert shown.who_leads(three) == "No two rankings share the first places by 7 metrics"


def test_what_to_use_for_the_truth_and_for_people():
    """Over seeds where there are some; of people's marks whether any ranking finds them."""
    rows, turned = table(lime=0.5, attention=0.2), agreements(*PAIRS).replace({"tau": {0.5: 0.0}})
    assert use(rows, {}, agreement=turned, seeds=pairs())[DECIDE] == [
        "leave-one-out without its sign",
        "first in 85% of pairs (attention: 60%)",
        "ahead of attention",
    ]
    near = pairs().assign(**{"leave-one-out": [0.9, 0.6, 0.7]})
    assert use(rows, {}, seeds=near)[DECIDE][2] == "not surely ahead of attention"
    below = use(rows, {}, seeds=pairs().assign(**{"leave-one-out": 0.5}))[DECIDE]
    assert below[:2] == ["attention", "first in 60% of pairs (leave-one-out: 50%)"]
    assert use(rows, {}, agreement=turned)[DECIDE] == [
        "leave-one-out without its sign or gradient",
        "nearest, with τ 0.20 and 0.10 (attention: 0.00)",
        "one seed",
    ]
    own = use(rows, {}, agreement=agreements(*PAIRS))[DECIDE]
    assert own == ["attention", "nearest, with τ 0.50", "one seed"]
    assert use(rows, {}, people=marks())[MARK] == [
        "none of those asked",
        "AUPRC 0.32 (chance: 0.30)",
        "199 texts, one seed",
    ]
    far = marks().replace(
        {"mean": {0.02: 0.1}, "measure": {"auprc_above_random_loo": "auprc_above_random_lime"}}
    )
    assert use(rows, {}, people=far)[MARK][0] == "LIME"


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
    assert use(rows, {}, same=same())[ORDER][0] == "no one ranking is best"
    hair = table(attention=0.5, loo=0.504)
    assert shown.leads(shown.means(hair), hair)["open"].all(), "what is shown as 0.00 is open"


def test_attention_is_held_against_a_random_order():
    rows = table(attention=0.2, random=0.1, loo=0.5)
    found = shown.means(rows)
    page = shown.table_of_attention(found, rows).set_index("metric")
    assert page.loc["comp."].tolist() == ["0.10 (0.10 to 0.10)", "0.30 (0.30 to 0.30)"]
    assert page.loc["suff. (less)"].tolist() == ["−0.10 (−0.10 to −0.10)", "–"]
    alone = table(attention=0.1, loo=0.2)
    assert shown.table_of_attention(shown.means(alone), alone).empty


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
    signs = rows.rename(index={"leave-one-out": "LIME", "gradient": "LIME without sign"})
    assert [*shown.unsigned(signs).index] == ["attention", "LIME without sign"], "a signed one by its size"
    np.testing.assert_allclose(rows["mean"], [0.5, 0.2, 0.1])
    assert rows["texts"].tolist() == [2, 2, 2]
    sized = rows.rename(index={"leave-one-out": "LIME without sign"})
    assert shown.nearest(sized) == ["gradient", "LIME without sign"], "not both without"
    nearest = "Seed 0: attention comes nearest to the deciding words (τ\u00a0=\u00a00.50)"
    assert shown.title_of_truth(rows, 0) == nearest
    turned = shown.with_truth(table.replace({"tau": {0.5: 0.0}}))
    assert shown.title_of_truth(turned, 0) == (
        "Seed 0: attention doesn't surely find the deciding words (τ\u00a0=\u00a00.00)"
    )
    assert "(0: chance; at most 0.65, as" in shown.label_of_truth(rows, 0.65)
    assert shown.label_of_truth(rows.assign(texts=1), np.nan) == ("Kendall's τ, of 1 text\n(0: chance)")


RUN = SimpleNamespace(
    corpus="planted",
    encoder="bilstm",
    attention="additive",
    profile="paper",
    given="",
    seed=0,
    surrogate_samples=500,
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
    own = shown.of_pairs(seeds)
    assert own["mean"].tolist() == pytest.approx([0.8533, 0.6], abs=1e-3)
    assert own.loc["attention", "each"] == [0.5, 0.7, 0.6]
    assert shown.title_of_pairs(seeds) == "Leave-one-out finds the deciding words, attention perhaps"
    turned = seeds.rename(columns={"attention": "leave-one-out", "leave-one-out": "attention"})
    assert shown.title_of_pairs(turned) == "Attention finds the deciding words"
    assert shown.title_of_pairs(seeds[["attention"]]) == "Attention doesn't surely find the deciding words"
    assert shown.truth_says(seeds) == [
        "Leave-one-out is surely better than chance at this.",
        "Attention is not surely better: its seeds lie too far apart.",
    ], "one seed isn't above it, and leave-one-out's lead is sure"
    also = shown.truth_says(seeds.assign(gradient=[0.65, 0.66, 0.67]))[0]
    assert also == "Leave-one-out and gradient are surely better than chance at this."
    assert shown.truth_says(turned) == ["Attention is surely better than chance."], "the other one isn't"
    brief = shown.truth_brief(seeds, pd.DataFrame(), RUN)
    assert brief == [
        "**Leave-one-out finds the deciding words, attention perhaps:** on planted leave-one-out puts them "
        "first in 85% of pairs, attention in 60% (chance: 50%; 3 seeds)."
    ]
    (alone,) = shown.truth_brief(seeds[["attention"]], pd.DataFrame(), RUN)
    assert alone.endswith("on planted attention puts them first in 60% of pairs (chance: 50%; 3 seeds).")
    assert shown.truth_brief(seeds[:0], pd.DataFrame(), RUN) == []
    near = seeds.assign(**{"attention": [0.51, 0.7, 0.6], "leave-one-out": [0.95, 0.71, 0.7]})
    reaches, leads = shown.truth_says(near)
    assert reaches.endswith("too far apart, though all lie above chance.")
    assert leads == "Leave-one-out leads it in each seed, but 3 seeds are too few to make that sure."
    assert shown.truth_says(seeds[:0]) == []
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
    assert "“a **&#42;bad&#42;** &#60;b&#62;”" in said
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
    answered = shown.answers(*given, pairs()[:0], 0.65, 0.95)
    said = " ".join(shown.in_short(*given, pairs()[:0], same(), answered))
    (brief,) = shown.same_brief(same(), of)
    assert said.startswith(
        f"{brief} **Attention surely beats a random order in 4 of 6 comparisons, and comes first in 2**; "
        "in 2 another ranking is surely ahead. "
        "**Gradient moves the model more than attention:** without its top words p falls by 0.50, "
        "without attention's by 0.20 (0.10 without random ones). "
        "**Attention finds the deciding words:** its [τ](glossary.md#kendall-τ) "
        "with them is 0.15. **No ranking asked finds much of what people mark** (movies). "
    )
    assert "(planted, [F1](glossary.md#f1): 0.75 against 0.55)." in said
    assert "(&#60;b&#62;, [F1]" in said
    assert "nan" not in said
    assert answered["judge"].tolist() == [
        "model: without top words",
        "model: top words alone (less is better)",
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
    assert answered[shown.HEARD_AHEAD].tolist() == ["–", "–", "yes", "no", "no", "–"]
    assert answered[shown.HEARD].tolist()[2:] == pytest.approx([0.2, 0.32, 0.78, 0.6])
    assert answered[shown.ABOVE_RANDOM].tolist() == ["yes", "no", "yes", "no", "yes", "yes"]
    assert answered["most"].tolist() == pytest.approx([0.95, -0.05, 0.65, 1, 1, 1])
    scaled = shown.on_one_scale(answered)
    assert scaled["attention"].tolist()[:2] == pytest.approx([2 / 17, -2 / 3]), "where less is better, too"
    assert scaled["best"].tolist()[2] == pytest.approx(0.2 / 0.65)
    assert scaled["best_sure"].tolist()[:2] == [True, False]
    assert scaled["heard_sure"].tolist()[2] and np.isnan(scaled["heard"].tolist()[0])
    assert scaled["best_says"].tolist()[0] == "gradient 0.50" and scaled["random_says"].tolist()[3] == "0.30"
    assert len(shown.on_one_scale(answered.assign(random=np.nan))) == 0
    signed_ = shown.on_one_scale(answered.assign(first="LIME"))
    assert signed_["best_says"].tolist()[0] == "LIME (sign) 0.50"
    assert scaled["most_says"].tolist()[:3] == ["0.95", "−0.05", "0.65"]
    assert scaled["attention_sure"].tolist() == [True, False, True, False, True, True]
    figure = figures.judges(scaled)
    written = [text.get_text() for text in figure.axes[0].texts]
    assert "learner: top words" in written and "<b>, 2 seeds" in written
    assert written.count("attention 0.75") == 2, "once where it is the best"
    assert not any("nan" in text for text in written)
    assert len(figure.axes[0].get_legend_handles_labels()[1]) == 2, "names stand beside their marks"
    beats = "Leave-one-out, which was asked each time, surely beats attention in"
    assert shown.ahead_says(answered[2:3]) == [f"{beats} 1 of 1 comparison."]
    unheard = answered[:2].assign(judge="x")
    assert shown.ahead_says(unheard) == ["Another ranking surely beats attention in 1 of 2 comparisons."]
    assert shown.ahead_says(answered[1:2]) == [
        "Another ranking surely beats attention in none of 1 comparison."
    ]
    assert shown.ahead_says(answered) == ["Leave-one-out surely beats attention in 1 of 4 comparisons."], (
        "in one it is behind, in two it wasn't asked"
    )
    assert shown.ahead_says(answered[2:5]) == [
        f"{beats} 1 of 3 comparisons; in the other 2 it is ahead, but not surely."
    ]
    two = answered[2:4].assign(**{shown.HEARD_AHEAD: ["yes", "one seed"]})
    assert shown.ahead_says(two) == [f"{beats} 1 of 2 comparisons; in the other it is ahead, but not surely."]
    assert shown.ahead_says(answered[3:5]) == [f"{beats} none of 2 comparisons."]
    assert shown.ahead_says(answered[:0]) == []
    title = "Attention surely beats a random order in 4 of 6 comparisons, and comes first in 2"
    assert shown.title_of_judges(answered) == title
    assert shown.title_of_judges(answered[3:4]) == (
        "Attention surely beats a random order in none of 1 comparison, and comes first in none"
    )
    assert shown.attention_brief(answered[3:4]) == [f"**{shown.title_of_judges(answered[3:4])}**."]
    assert shown.attention_brief(answered.assign(random=np.nan)) == shown.attention_brief(answered[:0]) == []
    seeds = shown.answers(*given, pairs(), 0.65, 0.95).set_index("judge").loc["truth: deciding words"]
    assert seeds.tolist()[:3] == ["planted, 3 seeds", pytest.approx(0.6), pytest.approx(0.8533, abs=1e-3)]
    assert seeds.tolist()[3:] == [
        "leave-one-out",
        pytest.approx(0.8533, abs=1e-3),
        0.5,
        1.0,
        *"yes yes no".split(),
    ]
    (brief,) = shown.truth_brief(pairs(), turned, of)
    assert brief in shown.in_short(*given, pairs(), same(), answered)
    rows = shown.with_truth(agreements(*PAIRS))
    assert shown.unasked(marks(), read, rows, "x <b>") == ("LIME and KernelSHAP were run only for the model.")
    drawn = rows.rename(index={"leave-one-out": "LIME", "gradient": "KernelSHAP"})
    said = shown.unasked(marks()[:0], read, drawn, "x <b>")
    assert (
        said
        == "LIME and KernelSHAP were run only for the model and, on 2 texts of x &#60;b&#62;, for the truth."
    )
    assert shown.unasked(marks()[:0], read[:0], rows, "x") == ""
    assert shown.unasked(marks(), read.replace({"loo": "lime"}), rows, "x") == "", "learners heard LIME"
    none = table(**RANKED)[:0]
    given = shown.means(none), none, turned[:0], marks()[:0], read[:0], of, {}, pairs()[:0]
    answered = shown.answers(*given, np.nan, np.nan)
    assert answered.empty
    assert shown.in_short(*given, same()[:0], answered) == [shown.NOTHING]


def test_one_text_before_the_judges():
    """LIME pleases the model and the person, the other two the truth; LIME and KernelSHAP find the worths."""
    own = shown.by_hand().set_index("judge")
    assert [*own] == ["attention", "leave-one-out", "LIME"]
    tops = shown.rationales.by_hand()["its two top words"].tolist()
    assert tops == ["thin and superb", "superb and thin", "superb and acting"], "as the page says"
    assert own.loc["model: fall of p without the top two"].tolist() == ["0.18", "0.18", "0.65"]
    assert own.loc["model: fall of p with them alone (less is better)", "LIME"] == "−0.11 (it rises)"
    assert own.loc["truth: pairs with the deciding word first"].tolist() == ["1.00", "1.00", "0.50"]
    assert own.loc["person: AUPRC"].tolist() == ["0.42", "0.79", "1.00"]
    assert shown.hand_says() == "“thin” is first for attention and last for LIME"
    worth = torch.tensor(shown.rationales.HAND["worth"])
    for explain, apart in ((surrogates.lime, 0.06), (surrogates.kernel_shap, 1e-4)):
        found = explain(lambda kept: kept.float() @ worth, len(worth), 500, 0)
        np.testing.assert_allclose(found, worth, atol=apart)
    figure = figures.views(*shown.hand())
    written = {text.get_text() for text in figure.axes[0].texts}
    assert {"thin", "0.31", "0.54", "−1.5"} <= written


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
    assert shown.near_chance(rows) and shown.people_say(rows) == []
    assert shown.ends_of_people(rows) == pytest.approx((-0.0015, 0.033)), "as far as the intervals"
    assert shown.people_by_model(rows)[""]["mean"].tolist() == [0.02, 0.01]
    two = shown.people_by_model(pd.concat([rows, rows.assign(encoder="cnn")]))
    assert [*two] == ["Average", "CNN"], "of several models each has its name"
    assert shown.note_of_people(rows).endswith(
        "(at most 0.70: all marked words first)\n95 % intervals over texts\n(Average, 199 texts, one seed)"
    )
    assert shown.people_by_model(rows[:0]) == {} and shown.people_say(rows[:0]) == []
    assert shown.people_by_model(rows[:2]) == {}, "without a random order's"
    little = "No ranking asked finds much of what people mark"
    assert shown.title_of_people(rows) == little
    assert shown.found_of_marks(rows) == f"{little}: at best 0.02 above chance, of a possible 0.70"
    far = rows.replace({"mean": {0.02: 0.06}})
    assert shown.title_of_people(far) == "Attention finds people's marks worst of 2 rankings"
    turned = far.assign(encoder="cnn").replace({"mean": {0.01: 0.07}})
    assert shown.title_of_people(turned) == "Attention finds people's marks best of 2 rankings"
    mixed = pd.concat([far, turned])
    assert shown.title_of_people(mixed) == "By model attention finds people's marks better or worse"
    flips = rows[:2].assign(measure=["marks_flip", "random_flip"], mean=[0.24, 0.08])
    assert shown.people_say(flips) == [
        "The marked words do matter to the Average model: without their attention 24% of its decisions "
        "flip, without that of as many random words 8%."
    ]
    assert shown.needed_say(rows) == []
    needed = rows.assign(measure=["needed_chance", "marked_needed", "needed_share"], mean=[0.31, 0.04, 0.03])
    assert shown.people_say(pd.concat([rows, flips, needed]))[-1] == (
        "Why, then, does no ranking find them? Perhaps because people marked whole passages (31% of the "
        "words), while the model needs few: to flip its decision it is enough, on average, that 3% of "
        "the words lose their attention."
    )


def test_readers():
    read = two_tries()
    order = ["full text", "leave-one-out", "attention", "random"]
    assert [*shown.readers(read)["planted (CNN), 2 seeds"].index] == order, "the best is first"
    rows = shown.taught(read)
    assert rows["place"].tolist() == [2, 1] and rows["rankings"].tolist() == [2, 2]
    assert rows["alike"].tolist() == [True, False], "by the ranges over seeds"
    assert (
        shown.title_of_readers(rows)
        == "On planted and <b> attention's top fifth teaches more than random words"
    )
    mixed = pd.concat([rows[:1].assign(more=True), rows[1:]])
    assert shown.title_of_readers(mixed) == (
        "On planted attention's top fifth teaches more than a fifth filled with deciding words, on <b> it "
        "teaches more than random words"
    )
    assert "teaches not surely more than random words" in shown.title_of_readers(rows.assign(above=False))
    assert shown.title_of_readers(rows.assign(seeds=1)).endswith("is of one seed, which decides nothing")
    one = shown.taught(read[read["seed"] == 0].replace({"read_f1": {0.78: 0.71}}))
    assert not one["alike"].any(), "of one seed nobody knows the range"
    assert shown.title_of_readers(rows[:0]) == "" and shown.chosen_say(rows[:0]) == []
    assert shown.chosen_say(rows[:1]) == [
        "On planted attention's words and leave-one-out's teach about alike."
    ], "without the deciding words"
    assert shown.chosen_say(rows[1:]) == [], "attention's are apart from the other's"
    (line,) = shown.learner_brief(one[:1].assign(above=False))
    assert line.startswith(
        "**A new model learns not surely more from attention's top fifth of words than from a random fifth**"
    )
    (line,) = shown.learner_brief(rows[:1].assign(random=np.nan))
    assert line.endswith("[F1](glossary.md#f1): 0.75)."), "nobody was given random words"
    assert shown.learner_brief(rows[:0]) == []
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
        assert ("gives the label away" in " ".join(shown.chosen_say(own))) == more
        assert ("filled with deciding words" in shown.title_of_readers(own[:1])) == more
    held = {"holds": 0.4, "truth_holds": 0.9}
    said = shown.chosen_say(own.assign(more=True, **held))[-1]
    assert "deciding words, though it holds only 40% of these and the other 90%. Perhaps" in said
    assert "Perhaps the cut lost a *not*, which turns a text round. Or the choice itself gives" in said
    elsewhere = shown.chosen_say(own[own["of"].str.startswith("<b>")].assign(more=True))[-1]
    assert "Perhaps the choice itself gives" in elsewhere
    assert "though" not in shown.chosen_say(own.assign(more=True))[-1], "where nobody knows"
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


def test_whose_rankings_the_judges_hear(finished):
    rows = table(attention=0.2)
    said = shown.which_models(finished, rows, pairs(), 200)
    samples = finished.params.surrogate_samples
    assert said.startswith(f"*Whose rankings?* LIME and KernelSHAP read a text {samples} times and more. So")
    assert "So all rankings meet only on 2 texts of" in said
    assert "Attention and leave-one-out also ranked all 200 test texts there, with 3 seeds: the" in said
    alone = shown.which_models(finished, rows, pairs()[:0], 200)
    assert "whose model is trained while this page runs. Other numbers are" in alone
