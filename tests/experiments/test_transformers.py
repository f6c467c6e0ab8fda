"""Chapter 13: the example by hand, freedom by length, τ by head, and its sentences with their odd cases."""

import copy

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.stats import kendalltau

from heed import verdict
from heed.errors import HeedError
from heed.experiments import audit, transformers
from heed.experiments.transformers import ALL, ALONE, HAND, Classifiers
from heed.measures import stats
from heed.measures.divergence import jsd, tvd
from heed.measures.freedom import freedom
from heed.measures.layer import layers
from heed.models.pretrained import pretrained
from heed.own_models import evidence_from_hf
from heed.params import Classifying
from heed.runs.grid import chapters_of, read_grid, runs_of
from heed.runs.products import of_kind
from heed.runs.run import Run
from heed.show import audit as audit_shown
from heed.show import figures
from heed.show import transformers as sentences
from heed.show.audit import measured
from heed.show.colours import SERIES
from heed.show.figures import transformers as drawn
from heed.verdict import merging
from heed.verdict.carried import empty


@pytest.fixture(scope="module")
def source():
    return pretrained(audit.EXAMPLE)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    how = {"most": 8, "permutations": 5, "integrated": 8, "free": 4, "shown": 2}
    return measured(out=str(tmp_path_factory.mktemp("audit")), set=how)


def measured_of(predicted: list[str]) -> audit.Audit:
    """An audit of which nothing is known but what the model decides."""
    texts = pd.DataFrame({"predicted": predicted})
    return audit.Audit(texts, texts, texts, {}, None, None)


def test_by_hand_is_what_one_gets_by_hand():
    layer = transformers.by_hand()
    z = [0.1 + 0.5 * 1 + 0.3 * 0 + 0.2 * 2, -0.8 + 0.2 * -1 + 0.2 * 1 + 0.6 * 3]
    logit = HAND["decoder"][0] * z[0] + HAND["decoder"][1] * z[1]
    for row in layer.rows:
        np.testing.assert_allclose(row.prediction[1], 1 / (1 + np.exp(-logit)), atol=1e-12)
    table = sentences.taken(layer)
    sums = table[table["word"].str.startswith("z, number")]
    np.testing.assert_allclose(sums["taken"], z, atol=1e-12)
    np.testing.assert_allclose(sums["taken then"], z, atol=1e-9)
    words = table[table["head"] != ""]
    np.testing.assert_allclose(words["taken"], words["weight"] * words["value"], atol=1e-12)
    np.testing.assert_allclose(words["taken then"], words["another weight"] * words["value"], atol=1e-12)
    assert [freedom(row).dimension for row in layer.rows] == [1, 1] and freedom(layer.rows).dimension == 2
    np.testing.assert_allclose(words.groupby("head")["another weight"].sum(), 1, atol=1e-9)
    nearer, further = np.array([0.3, 0, 0.7]), np.array([0, 0.6, 0.4])
    own = layer.rows[1].attention
    assert jsd(further, own) > jsd(nearer, own), "a line has two ends"
    np.testing.assert_allclose(words["another weight"][3:], further, atol=1e-9)
    said = sentences.fixed_and_free(layer)
    assert "each head's weights can move in one direction," in said and "equal up to rounding" in said


def test_without_attention_what_the_layer_below_brings_decides(source):
    """The model itself, its last layer's merging map at 0: only the map's bias is left."""
    texts = ["the good chair moved the cook", "a bad table and the poor waiter"]
    found = transformers.without_attention(source, texts)
    model = copy.deepcopy(source.model)
    dense = model.bert.encoder.layer[-1].attention.output.dense
    dense.weight.data.zero_()
    for text, row in zip(texts, found.itertuples(), strict=True):
        given = source.tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            own = source.model(**given).logits.softmax(-1)[0].numpy()
            left = model(**given).logits.softmax(-1)[0].numpy()
        assert row.change == pytest.approx(tvd(left, own), abs=1e-9)
        assert row.flips == (left.argmax() != own.argmax())
    asked = measured_of(["negative", "negative", "positive"])
    kept = pd.DataFrame({"flips": [False, False, True], "change": 0.1})
    said = " ".join(sentences.left_without(kept, asked))
    assert "stays in 2 of 3 texts" in said and "set to 0, which training never had" in said
    assert "no more than a constant answer would keep" in said
    assert "would keep (67%)." in said
    assert said.endswith("Every prediction moves by 0.1 or less: here the last attention adds little.")
    of_one_class = measured_of(["negative"] * 3)
    said = " ".join(sentences.left_without(kept.assign(flips=False), of_one_class))
    assert "would keep (100%)." in said
    asked.notes["classes"] = ["negative", "positive"]
    said = " ".join(sentences.left_without(kept, asked))
    assert "answers negative in 3 of 3 texts." in said, "the one that was positive flips"
    other = kept.assign(flips=[True, False, False])
    said = " ".join(sentences.left_without(other, asked))
    assert "answers positive in 2 of 3 texts." in said
    said = " ".join(sentences.left_without(kept.assign(flips=False, change=0.3), asked))
    assert ", more than a constant" in said and said.endswith("No prediction moves by 0.1 or less.")
    said = " ".join(sentences.left_without(kept.assign(change=[0.1, 0.2, 0.9]), asked))
    assert "It depends on the text: 1 text moves by 0.1 or less" in said
    assert said.endswith("Of the other 2 decisions 1 change without it.")


def test_a_text_of_a_length_is_the_longest_beginning_that_fits(source):
    texts = ["the good chair moved the cook", "a bad table"]
    for units in range(3, 12):
        own = transformers.of_length(source, texts, units)
        assert len(source.tokenizer(own)["input_ids"]) == units
        assert " ".join(texts).startswith(own)
    assert transformers.of_length(source, texts, 12) is None


def test_freedom_by_length_is_the_rank_and_the_corner_of_each_text(source):
    texts = ["the good chair moved the cook near a very bad table and the poor waiter"] * 2
    table = transformers.free_by_length(source, texts, [6, 14], each=1)
    assert table["units"].tolist() == [6, 6, 14, 14] and table["kind"].tolist() == [ALONE, ALL] * 2
    size, heads = source.size // source.heads, source.heads
    chosen = [transformers.of_length(source, texts, units) for units in (6, 14)]
    for k, layer in enumerate(layers(evidence_from_hf(source, chosen))):
        T = len(layer.real)
        own = table[table["text"] == str(k)].set_index("kind")
        assert own.loc[ALL, "dimension"] == max(heads * (T - 1) - heads * size, 0)
        assert own.loc[ALONE, "dimension"] == max(T - 1 - size, 0)
        alone = [freedom(row, 2).jsd[0] for row in layer.rows]
        assert own.loc[ALONE, "jsd"] == pytest.approx(np.mean(alone), abs=1e-12)
        assert own.loc[ALL, "jsd"] == pytest.approx(freedom(layer.rows, 2).jsd.mean(), abs=1e-12)
        assert own["moved"].max() < 1e-9
    with pytest.raises(HeedError, match="have no 40 pieces together"):
        transformers.free_by_length(source, texts, [40], each=1)


def test_tau_by_head_is_scipys(source, found):
    """Each head's weights, added up over words; of planted a piece is a word."""
    texts = transformers.texts_of(found)
    taus = transformers.taus_by_head(source, texts, found.words)
    assert taus["head"].tolist() == [0, 1, 2, 3]
    evidence = evidence_from_hf(source, texts)
    for h in range(4):
        own = []
        for row, (_, words) in zip(
            evidence.of(f"head {h}"), found.words.groupby("id", sort=False), strict=True
        ):
            own.append(kendalltau(row.attention[row.real], words["loo"])[0])
        assert taus["loo"][h] == pytest.approx(np.mean(own), abs=1e-12)


def test_the_chapter_says_what_it_found(source, found):
    own = transformers.free_by_length(source, transformers.texts_of(found), [6, 16], each=1)
    tables = sentences.models(own, source, transformers.carried())
    assert [*tables] == ["the small model", "MiniLM"]
    nothing = verdict.own_attention(empty())
    texts = transformers.texts_of(found)
    without = transformers.without_attention(source, texts)
    control = transformers.replaced(source, found, {})
    assert control.empty
    said = " ".join(sentences.in_short(found, without, nothing, control))
    assert "In this model attention" in said and "With the same prediction its mean over heads" in said
    assert "nan" not in said
    assert "the decision stays in" in said and "constant answer" in said, "no run is carried"
    of = audit_shown.verdict(found)
    assert said.startswith(f"**{of.said}.** The small model {sentences.COMES_TO[of.said].split()[0]}s ")
    assert " of 5 [expectations](" in said and "nobody knows which" not in said, "no words are known"
    assert "nan" not in " ".join([*audit_shown.checks(found)["found"], *audit_shown.remarks(found)])
    assert audit_shown.looks_at(found)["head"].tolist() == [*(f"head {h}" for h in range(1, 5)), "all heads"]
    share = found.texts["on words"].mean()
    assert audit_shown.looks_at(found)["words"].iloc[-1] == f"{share:.0%}" and f"{share:.0%}" in (
        audit_shown.looks_title(found)
    )
    free = sentences.frees(tables)
    assert free["model"].tolist() == ["the small model", "MiniLM, as published (20 Newsgroups)"]
    assert free["by the rule from"].tolist() == ["10 pieces", "34 pieces"]
    taus = sentences.with_all_heads(transformers.taus_by_head(source, texts, found.words), found)
    assert taus["head"].tolist() == [*(f"head {h}" for h in range(1, 5)), "all heads"]
    tau = found.texts["tau attention loo"].mean()
    assert taus["loo"].iloc[-1] == tau
    assert sentences.readings(found)["τ with leave-one-out"].iloc[0] == tau
    assert (taus["loo low"] <= taus["loo"]).all() and (taus["loo texts"] == 8).all()
    assert "over 8 texts" in figures.by_head(taus).axes[0].get_xlabel()
    assert figures.by_head(taus[["head", "loo"]]).axes[0].get_xlabel().startswith("Kendall's τ, mean (1")
    (small, rows), _ = tables.items()
    axes = figures.freedom(rows, small).axes[0]
    assert axes.get_legend_handles_labels()[1] == ["one text", "mean of texts of a length"]
    means = rows[rows["kind"] == ALONE].groupby("units")["jsd"].mean()
    assert axes.lines[1].get_ydata() == pytest.approx(means), "of one head at a time, as the audit's rule"
    assert sentences.freedom_title(tables["MiniLM"], "MiniLM").startswith("MiniLM: the same output leaves")
    fixed = sentences.freedom_title(rows.assign(dimension=0), small)
    assert fixed == "The small model: in texts this short no other attention gives the same output"
    assert len(sentences.heads_title(taus).split()) >= 4
    (fails,) = sentences.answer(found, nothing, sentences.truths(found))
    (row,) = (row for row, holds in enumerate(audit_shown.checks(found)["holds"], 1) if holds == "no")
    assert fails == f"The small model fails row {row}: its picture {audit_shown.IF_NOT[row - 1]}."


def spreads_by_hand(*means: float) -> pd.DataFrame:
    """Carried spreads of how far shuffling moves MiniLM on sst, a row a seed: every quantile is the mean."""
    named = {"corpus": "sst", "model": "all-MiniLM-L6-v2", "n": 50, "measure": "permuted_each"}
    rows = [named | {"seed": seed, "mean": mean} | dict.fromkeys(merging.LEVELS, mean)
            for seed, mean in enumerate(means)]  # fmt: skip
    return pd.DataFrame(rows)


def on_sst() -> pd.DataFrame:
    """What is carried of whole transformers fine-tuned on sst: three seeds."""
    rows = verdict.own_attention(verdict.committed())
    return rows[rows["corpus"] == "sst"]


def test_the_expectations_of_each_model_stand_side_by_side(found):
    own = on_sst()
    table = sentences.expectations(found, own)
    here, theirs = (table[name].tolist() for name in table.columns[1:])
    holds = audit_shown.checks(found)["holds"]
    assert [cell.split(":")[0] for cell in here[:5]] == holds.tolist() and "nan" not in " ".join(
        here + theirs
    )
    assert here[5] == audit_shown.verdict(found).said.lower() and theirs[5] == "not by itself"
    assert (
        theirs[0] == "yes: 82%"
        and theirs[4] == "open: after 93% (random 96%)"
        and theirs[3].startswith("no: JSD 0.5")
    )
    assert theirs[2].startswith("no: ") and theirs[2].endswith("% of texts") == here[2].endswith("% of texts")
    without = own[~own["measure"].isin(["permuted_moved", "other_jsd_mean", "erased_sooner"])]
    cells = sentences.expectations(found, without)["MiniLM on sst"].tolist()
    assert cells[2:] == ["not measured"] * 3 + ["nothing can be said"] and cells[:2] == theirs[:2]
    assert table.columns[-1] == "MiniLM on sst"
    assert (
        sentences.expectations_title(found, own)
        == "Neither model's attention is shown to meet all 5 expectations"
    )
    assert sentences.expectations_title(found, own[:0]).startswith("Not even this model's")
    assert sentences.expectations(found, own[:0]).columns.tolist() == ["expected", "the small model"]
    assert [rule.split("**")[1] for rule in sentences.rules()] == table["expected"].tolist()[:5]
    beside = sentences.expectations(found, own[:0], bilstm=found)["BiLSTM"]
    assert beside.tolist() == here, "its own answers and numbers"
    unasked = copy.deepcopy(found)
    unasked.texts["epsilon jsd"] = unasked.texts["tau attention loo"] = np.nan
    assert "nan" not in " ".join(sentences.expectations(unasked, own)["the small model"])


def test_how_far_is_told_of_what_is_shown(source, found):
    """With the same prediction: of heads that move together their mean, which is shown."""
    own, known = on_sst(), copy.deepcopy(found)
    known.texts["epsilon jsd"], known.texts["together jsd"] = 0.6, 0.55
    away = pd.DataFrame({"own": [0.8, 0.6], "other": [0.1, 0.2], "auroc other": [0.5, 0.46]})
    left, so = sentences.freer(known, away)
    assert left == (
        "Over 2 texts the other attention leaves the deciding words 15% of the weight, while the model's own "
        "gives them 70%. It finds them no better than chance (AUROC 0.48)."
    )
    assert sentences.freer(known, away.assign(**{"auroc other": 0.3}))[0].endswith("is 0.30.")
    assert so == "So the same answer could have come with quite another picture."
    none = away[:0]
    assert sentences.freer(known, none) == [so], "nobody knows the words"
    alone = sentences.far(known, own[:0], "planted")
    assert alone.to_numpy().tolist() == [["the small model on planted", 0, *[pytest.approx(0.55)] * 3]]
    title = sentences.far_title(alone)
    assert title == "With the same prediction attention could be 0.55 away on average (JSD)"
    both = sentences.far(known, own, "planted")
    assert both["who"].tolist() == ["the small model on planted", *["MiniLM on sst"] * 3]
    carried = own[own["measure"] == "other_jsd_mean"]
    assert both["low"].tolist()[1:] == carried["low"].tolist() and both["seed"].tolist()[1:] == [0, 1, 2]
    assert "could be 0.55 away" in sentences.far_title(both), "both round to that"
    bare = sentences.far(known, own.drop(columns=["low", "high"]), "planted")
    assert bare["low"].tolist() == bare["mean"].tolist(), "earlier runs have no intervals"
    for table, seeds in ((alone, False), (both, True)):
        axes = figures.far(table).axes[0]
        told = [text.get_text() for text in axes.texts]
        assert told == ["0.55"] * table["who"].nunique() + ["0.5: far away"]
        assert ("a mark a seed" in axes.get_xlabel()) == seeds
        marks = [x for line in axes.lines if line.get_linestyle() == "None" for x in line.get_xdata()]
        assert marks == pytest.approx(table["mean"].tolist()), "each seed has its mark"
    note = sentences.far_note(known, own)
    assert "moves by 0.01 at most" in note and "MiniLM was searched in 50 texts a seed." in note
    assert "searched in" not in sentences.far_note(known, own[:0])
    few = own.assign(undefined=own["undefined"].mask(own["seed"] == 0, own["n"] - 12))
    assert "searched in 12 to 50 texts a seed" in sentences.far_note(known, few)
    how_far = "its mean over heads can be 0.55 away ([JSD](glossary.md#jsd), mean; at most 0.69)"
    assert sentences._how_far(known).startswith(how_far)
    fourth = sentences.expectations(known, own)["the small model"][3]
    assert fourth == "no: JSD 0.55"
    beside = sentences.far(known, own[:0], "planted", bilstm=known)
    assert beside["who"].tolist() == ["the small model on planted", "a BiLSTM of 2019's kind on planted"]
    known.texts.loc[known.texts.index[0], "together jsd"] = np.nan
    assert "The search is slow: it was made for 7 texts." in sentences.freer(known, none)
    known.texts["together jsd"] = np.nan
    assert sentences.freer(known, none) == [] and sentences.far(known, own[:0], "planted").empty
    known.texts["together jsd"] = 0.3
    assert sentences.freer(known, none) == [], "the picture isn't free"


def test_from_which_length_on_the_same_output_leaves_freedom_is_told(source, found):
    own, known = on_sst(), copy.deepcopy(found)
    small = sentences.models(transformers.carried(), source, transformers.carried())
    known.texts["units"] = [9, *[10] * 7]
    told = sentences.fixed_output(known, own, small)
    assert "in the small model (8 numbers) from 10 pieces on, as 7 of 8 texts have; in MiniLM" in told
    assert told.endswith(
        "in MiniLM (32 numbers) from 34 on; texts of sst have 22 on average, and there the most distant "
        "found is 0.003 away (mean), hardly another."
    )
    both = pd.concat([own, own.assign(corpus="ade")])
    assert sentences.fixed_output(known, both, small).count("in MiniLM (32 numbers)") == 1
    known.texts["units"] = 10
    assert "as all its texts here have" in sentences.fixed_output(known, own[:0], small)
    assert sentences.fixed_output(known, own, {}) == ""


def test_the_same_text_is_drawn_with_other_attention(found):
    """What the search of the audit finds, once more: within ε, with marks, the deciding words underlined."""
    name = found.texts.loc[found.texts["together jsd"].notna(), "id"].iloc[0]
    known = copy.deepcopy(found)
    if name not in [layer.id for layer in found.shown]:
        name = found.shown[0].id
        known.texts["together jsd"] = 0.5
    layer, moved = transformers.moved_away(known, name)
    assert layer.id == name and float(layer.change(moved)) <= 0.01
    away = jsd(moved.mean(0), layer.attention.mean(0))
    title = sentences.elsewhere_title(layer, moved)
    assert (
        title.endswith(f"the attention could be {away:.2f} away (JSD)")
        and f"({layer.change(moved):.3f}" not in title
    )
    decides = [True] + [False] * (int(layer.real.sum()) - 1)
    first, then = (one.mean(0)[layer.real][0] for one in (layer.attention, moved))
    assert sentences.on_deciding(layer, moved, decides) == pytest.approx((first, then))
    assert sentences.on_deciding(layer, moved, decides[1:]) == (), "a word is several pieces"
    assert sentences.elsewhere_title(layer, moved, decides).endswith(
        f"could have {then:.0%} of the attention instead of {first:.0%}"
    )
    told, (own, other) = (
        sentences.of_elsewhere(layer, moved),
        (one.mean(0) for one in (layer.attention, moved)),
    )
    lost, has = (own - other).argmax(), other.argmax()
    assert (
        f"falls from {own[lost]:.2f} to {other[lost]:.2f}, and " in told
        and f"has {other[has]:.2f} (JSD {away:.2f}). With" in told
    )
    assert sentences._unit(layer, 0) == "&#91;CLS&#93;"
    units = [*layer.first.units]
    for place in np.flatnonzero(layer.real):
        several = units.count(units[place]) > 1
        assert sentences._unit(layer, place).endswith(f"* (piece {place})" if several else "*")
    html = sentences.drawn_elsewhere(layer, moved, [True] * int(layer.real.sum()))
    assert html.count("<tr>") == 2 and html.count("[CLS]") == 2
    assert html.count("underline") == 2 * layer.real.sum(), "marks decide nothing"
    assert "underline" not in sentences.drawn_elsewhere(layer, moved)
    known.texts["together jsd"] = np.nan
    assert transformers.moved_away(known, name) is None, "the audit didn't search"


def test_what_other_attention_leaves_the_deciding_words(source, found):
    """Of each text that was searched: by hand of the one that is drawn."""
    known, rule = copy.deepcopy(found), audit_shown._deciding(found)
    name = found.shown[0].id
    known.texts["together jsd"] = np.where(known.texts["id"] == name, 0.5, np.nan)
    (row,) = transformers.elsewhere(source, known, rule).to_dict("records")
    layer, moved = transformers.moved_away(known, name)
    shares = sentences.on_deciding(layer, moved, rule[name])
    assert row["id"] == name and (row["own"], row["other"]) == pytest.approx(shares, abs=1e-6)
    auroc = stats.auroc(np.asarray(rule[name], dtype=bool), layer.attention.mean(0)[layer.real])
    assert row["auroc own"] == pytest.approx(auroc)
    assert transformers.elsewhere(source, known, {}).empty, "nobody knows the words"


def test_the_text_that_is_shown_is_one_whose_other_attention_leaves_the_words(found):
    known, rule = copy.deepcopy(found), audit_shown._deciding(found)
    first, second = (layer.id for layer in known.shown)
    known.texts["together jsd"], known.texts["change own"], known.texts["right"] = 0.5, 0.9, 1.0
    assert sentences.example(known, rule) == second, "chapter 15 shows the first"
    assert sentences.of_example(known, second, rule)[-1].startswith("(It was chosen for the next section")
    known.texts["right"] = 0.0
    assert sentences.example(known, rule) == first == sentences.example(known, {})


def test_who_is_asked_is_said_once(found):
    own = on_sst()
    table = sentences.who_is_asked(found, own, "planted", bilstm=found)
    right = f"{found.texts['right'].mean():.0%}"
    assert table.to_numpy().tolist() == [
        ["the small model (2 layers of 4 heads)", "8 of planted", right, 1],
        ["a BiLSTM of 2019's kind", "8 of planted", right, 1],
        ["MiniLM", "432 of sst", "88%", 3],
    ]
    unknown = copy.deepcopy(found)
    unknown.texts["right"] = np.nan
    (alone,) = sentences.who_is_asked(unknown, own[:0], "mine", "it").to_numpy().tolist()
    assert alone == ["it (2 layers of 4 heads)", "8 of mine", "–", 1]
    without = own[~own["measure"].isin(["permuted_each", "accuracy"])]
    assert sentences.who_is_asked(found, without, "planted").iloc[1].tolist() == ["MiniLM", "sst", "–", 3]


def test_how_often_each_is_right_is_told_of_those_of_which_it_is_known(found):
    own, right = on_sst(), f"{found.texts['right'].mean():.0%}"
    here, carried = sentences.how_right(found, own, bilstm=found)
    assert here == (
        f"Right answers: the small model in {right} and a BiLSTM of 2019&#39;s kind in {right} of 8 texts; "
        "of each there is one seed, which says nothing of others."
    )
    assert carried == "MiniLM is right in 88% (mean of 3 seeds a corpus); its numbers are stored."
    (alone,) = sentences.how_right(found, own[:0])
    assert f": the small model in {right} of 8 texts; of it there is one seed" in alone
    other = own[own["seed"] == 0].assign(corpus="ade", mean=0.95)
    assert (
        "in 88% to 95% (mean of 1 to 3 seeds a corpus)"
        in (sentences.how_right(found, pd.concat([own, other]))[1])
    )
    unknown = copy.deepcopy(found)
    unknown.texts["right"] = np.nan
    assert sentences.how_right(unknown, own[own["measure"] != "accuracy"]) == []


def test_of_one_text_is_told_what_the_model_decides(found):
    known, name = audit_shown._deciding(found), found.shown[0].id
    said = sentences.of_example(found, name, known)
    assert said[0].startswith("The model answers **") and "Which measure is right" not in " ".join(said)
    known_here = audit_shown.found_here(found, name, known)
    title = sentences.example_title(found, name, known)
    for label in ("attention", "leave-one-out"):
        assert f"{known_here[label]:.0%}" in title and label in title
    assert sentences.example_title(found, name, {}).startswith("One text, and what")
    moved = copy.deepcopy(found)
    own = moved.words["id"] == name
    moved.words.loc[own, "loo"] = [0.9, *[0.0] * (own.sum() - 1)]
    word = moved.of_words(name)["word"].iloc[0]
    gap = (
        f"Taking out *{word}* (word 1) moves the prediction by 0.90; with other words in its place it moves "
        "by 0.00 (median). So what counts seems to be the gap, into which all later words move up, not the "
        "word."
    )
    for swapped, so in ((0.0, [gap]), (0.4, []), (np.nan, [])):
        moved.texts["swapped"] = swapped
        assert sentences.of_example(moved, name, {})[1:] == so
    decides = np.arange(own.sum()) == 0
    moved.words.loc[own, "loo"] = [0.9, 0.8, *[0.0] * (own.sum() - 2)]
    second = moved.of_words(name)["word"].iloc[1]
    assert sentences.of_example(moved, name, {name: decides})[1] == (
        f"Leave-one-out also points at *{second}* (word 2), which decides nothing by the rule: taking it out "
        "moves all later words up by one place, and the prediction by 0.80."
    )
    moved.words["loo"] = 0.0
    assert len(sentences.of_example(moved, name, {})) == 1


def test_in_short_tells_whether_attention_finds_the_words_and_what_else_it_could_be(found):
    known = copy.deepcopy(found)
    scores = {"attention": 0.9, "norm": 0.9, "rollout": 0.8, "gradient": 0.85, "loo": 0.6, "integrated": 0.7}
    for name, score in scores.items():
        known.texts[f"auroc {name}"] = score
    control = pd.DataFrame({"auroc": [0.95], "tau": [0.5]})
    known.texts["auroc rollout"] = 0.99
    own = on_sst()
    short = sentences.in_short(known, pd.DataFrame(), own, control)
    assert short[1] == (
        "**The small model's attention finds the words that decide:** it puts one above another word in 90% "
        "of pairs (chance: 50%)."
    )
    assert short[-2].startswith("**On sst it hardly") and short[-1] == sentences.UNKNOWN
    no = audit_shown.checks(known)["holds"][3] == "no"
    assert ("**But it could look elsewhere:** with the same prediction its mean" in " ".join(short)) == no
    away = pd.DataFrame({"own": [0.8], "other": [0.1]})
    left = sentences.reconciled(known, sentences.truths(known), away=away)[-1]
    assert left.endswith(" prediction these words could have 10% of its weight, not 80% (mean).") == no
    assert sentences.of_carried_rows(own) == [
        "*MiniLM: yes or no if all seeds agree; in row 5, 91% of the decisions never flip.*"
    ]
    unasked = ["permuted_moved", "other_jsd_mean"]
    own = own[~own["measure"].isin(unasked)]
    both = own.copy()
    erase_late(both)
    three = pd.concat([own, own.assign(corpus="ade"), both.assign(corpus="20news")])
    assert sentences.of_carried_rows(own[:0]) == []
    assert sentences._carried_by_model(three) == ["MiniLM on 20news, ade and sst"]
    used = sentences.in_use(three)
    assert (
        used["answer"].str.startswith(("Not by itself (", "Nothing can be said (")).all() and len(used) == 3
    )
    assert used["model"].tolist()[0] == "MiniLM, on 20news (3 seeds)" and sentences.in_use(own[:0]).empty
    assert used["none distant"].tolist() == ["–"] * 3, "row 4 isn't carried"
    assert len(sentences.other_models({}, three)) == 3 and sentences.other_models({}, own[:0]).empty
    assert "if all seeds agree; in row 5, " in sentences.of_carried_rows(own)[0]
    known.texts["auroc attention"], known.texts["auroc loo"] = 0.6, 0.6
    (low,) = sentences.reconciled(known, sentences.truths(known))
    assert low.startswith("It ranks the deciding words with")
    known.texts["auroc attention"] = 0.9
    assert sentences.ranked_lower(known) == (8, 8) and sentences.ranked_lower(found) == (0, 0)


def test_what_the_expectations_come_to(found):
    """Who fails a row stands together, the row that most fail first; who fails none is told last."""
    known, sst = copy.deepcopy(found), on_sst()
    known.texts["auroc attention"], known.texts["together jsd"] = 0.9, 0.6
    truths = sentences.truths(known)
    ade = sst.assign(corpus="ade")
    ade.loc[ade["measure"] == "other_jsd_mean", ["mean", "low", "high"]] = 0.2
    news = ade.assign(corpus="20news")
    news.loc[news["measure"] == "permuted_moved", ["mean", "low", "high"]] = 0.9
    failing = {3: "MiniLM on ade and sst", 4: "small model and MiniLM on sst"}
    own = pd.concat([sst, ade, news])
    said = sentences.answer(known, own, truths)
    fails = [one for one in said if " row" in one.partition(":")[0] and not one.startswith("No row")]
    for row, who in failing.items():
        (one,) = (one for one in fails if f" row {row}: " in one)
        assert f"{who} fail row {row}: their picture {audit_shown.IF_NOT[row - 1]}." in one
    assert "That the attention of the small model finds the right words doesn't prevent it." in said
    assert said[-1].startswith("No row fails in MiniLM on 20news, but some are open, which")
    low = truths.assign(AUROC=0.6)
    assert "finds the right" not in " ".join(sentences.answer(known, own, low))
    assert "finds the right" not in " ".join(sentences.answer(known, own, truths[:0])), "nobody knows them"
    ranks = news["measure"].isin(["tau_loo", "tau_gradient_loo", "other_jsd_mean", "erased_sooner"])
    open_rows = news.assign(low=news["low"].mask(ranks, 0.0), high=news["high"].mask(ranks, 1.0))
    open_rows = open_rows[open_rows["measure"] != "permuted_moved"]
    open_rows.loc[open_rows["measure"] == "erased_sooner", "low"] = -1.0
    assert sentences.answer(known, open_rows, truths)[-1] == "Nothing can be said of MiniLM on 20news."
    assert " fails row 4: its picture" in " ".join(sentences.answer(known, sst[:0], truths))
    yes = copy.deepcopy(known)
    yes.texts["on words"], yes.texts["tau attention loo"], yes.texts["change own"] = 0.9, 0.9, 0.9
    yes.texts["erased attention"], yes.texts["erased random"], yes.notes["heads"] = 0.1, 0.9, 1
    yes.texts["epsilon jsd"] = 0.1
    assert audit_shown.verdict(yes).said in (audit_shown.YES, audit_shown.UNREFUTED)
    (none_fails,) = sentences.answer(yes, sst[:0], truths)
    assert "the small model" in none_fails and "fails row" not in none_fails


def test_nothing_is_said_of_what_is_not_there(source):
    """No text is free, one head, no τ at all."""
    fixed = transformers.free_by_length(source, ["the good chair moved the cook"], [4], each=1)
    table = sentences.models(fixed, source, transformers.carried()[:0])["the small model"]
    row = sentences.frees({"it": table}).iloc[0]
    assert row["none up to"] == "4 pieces" and row["some from"] == "–"
    none = pd.DataFrame({"head": ["head 1", "head 2"]})
    assert sentences.which_head(none) == []
    assert sentences.heads_title(none).startswith("How far each head agrees")


TRUTHS = [
    ("rollout", "reads attention", 0.9),
    ("attention", "reads attention", 0.8),
    ("gradient", "asks the model", 0.7),
]


def test_who_finds_the_truth():
    """Better, as well or less well than the best that asks the model: by intervals that don't meet, or do."""
    table = pd.DataFrame(TRUTHS, columns=["measure", "it", "AUROC"]).assign(texts=7)
    table = table.assign(low=table["AUROC"] - 0.1, high=table["AUROC"] + 0.05)
    alike = "Attention finds the deciding words about as well as the gradient"
    assert sentences.truths_title(table) == alike
    worse = pd.DataFrame([("leave-one-out", "asks the model", 0.5, 7, 0.4, 0.6)], columns=table.columns)
    three = pd.concat([table, worse], ignore_index=True)
    assert sentences.truths_title(three) == f"{alike}, and better than leave-one-out"
    for auroc, than in ((0.6, "better than the gradient"), (0.95, "less well than the gradient")):
        own = table.assign(
            AUROC=[0.9, 0.8, auroc], low=[0.85, 0.78, auroc - 0.02], high=[0.95, 0.82, auroc + 0.02]
        )
        assert than in sentences.truths_title(own)
    control = pd.DataFrame({"auroc": [0.95], "tau": [0.5]})
    assert sentences.finds(table, "planted", control, (3, 7))[0] == (
        "Readings of attention reach an AUROC of 0.80 to 0.90, measures that ask the model 0.70; rollout has "
        "the highest."
    )
    told = " ".join(sentences.finds(three, "planted", control, (3, 7)))
    assert "lower than attention does in 3 of 7 texts. With each word replaced" in told
    assert told.endswith("Rollout reads attention, too: it is no second opinion.")
    mixed = table.assign(AUROC=[0.6, 0.5, 0.7]).sort_values("AUROC", ascending=False, ignore_index=True)
    assert sentences.finds(mixed, "planted", control, (0, 7))[1:] == [
        "So here the measures that ask the model are nearer to the truth."
    ]
    assert "mean over 7 texts, 95% interval" in figures.truths(table).axes[0].get_xlabel()
    bilstm = pd.Series([0.4, 0.6])
    labels = [label.get_text() for label in figures.truths(table, bilstm).axes[0].get_yticklabels()]
    assert labels == ["rollout", "attention", "gradient", "attention of\nthe BiLSTM"]
    assert len(figures.truths(table, bilstm[:0]).axes[0].get_yticklabels()) == 3
    assert (
        sentences.of_bilstms(bilstm, []) == "The BiLSTM's does so less (0.50)."
        and sentences.of_bilstms(bilstm[:0], []) == ""
    )
    over = "(0.50; over all test texts 0.50 to 0.70 in 2 seeds)."
    assert sentences.of_bilstms(bilstm, [0.5, 0.7]).endswith(over)
    assert sentences.of_bilstms(bilstm, [0.5]).endswith("(0.50; over all test texts 0.50).")
    yet = "(0.50), although the BiLSTM is right in 99% of these texts."
    assert sentences.of_bilstms(bilstm, [], 0.99).endswith(yet)
    for scores, right in ((bilstm, 0.6), (bilstm + 0.4, 0.99)):
        assert "although" not in sentences.of_bilstms(scores, [], right)
    assert sentences.of_bilstms(bilstm + 0.4, []) == "The BiLSTM's does, too (0.90)."
    own = sentences.beside(table)
    assert own["measure"].tolist() == ["attention", "gradient"] and own.index.tolist() == [0, 1]
    for table in (own, own.iloc[::-1]):
        colours = [label.get_color() for label in figures.truths(table).axes[0].get_yticklabels()]
        of = dict(zip(table["measure"], colours, strict=True))
        assert of == {"attention": SERIES[0], "gradient": SERIES[1]}, "the same look in any order"
    (said,) = sentences.finds(table[:0], "<b>", control[:0], (0, 0))
    assert "nobody knows" in said and "<b>" not in said


def test_which_words_decide_is_the_rules_word(found):
    known, none = copy.deepcopy(found), sentences.truths(found)
    known.texts["right"] = [1.0] * 4 + [0.0] * 4
    (said,) = sentences.which_truth(known, none)
    assert (
        said.startswith("These are the rule's words")
        and "in 50% of the texts, needn't have used these at all" in said
    )
    known.texts["right"] = 1.0
    assert "in 100% of the texts, needn't have used just" in sentences.which_truth(known, none)[0]
    for own, points in ((0.9, True), (0.7, False)):
        known.texts["auroc attention"] = own
        told = sentences.which_truth(known, sentences.truths(known), name="it")
        assert (
            ("So the attention of it does point where the rule does." in told) == points == (len(told) == 2)
        )
    known.texts["right"] = np.nan
    assert sentences.which_truth(known, none) == []


def test_what_hangs_on_the_seed_is_said():
    """Where shuffling moves one seed of a carried model, and another not; of one seed nothing."""
    own = on_sst().assign(corpus="ade")
    each = own["measure"] == "permuted_each"
    for moved, said in (
        ((0.15, 0.08, 0.005), True),
        ((0.15, 0.08, 0.06), False),
        ((0.06, 0.05, 0.04), False),
    ):
        own.loc[each, "mean"] = own.loc[each, "seed"].map(dict(enumerate(moved)))
        assert bool(sentences.by_the_seed(own)) == said, moved
    own.loc[each, "mean"] = own.loc[each, "seed"].map({0: 0.15, 1: 0.08, 2: 0.0})
    assert sentences.by_the_seed(own) == [
        "**On ade the training's seed decides how many:** shuffling moves 16% to 31% of the predictions of 3 "
        "seeds of MiniLM, though each is right in about 88%."
    ]
    assert sentences._carried_in_short(own)[0].startswith(
        "**On ade it depends on the training's seed how much"
    )
    assert sentences.by_the_seed(own[own["measure"] != "permuted_moved"]) == [], "how many isn't carried"
    assert sentences.by_the_seed(own[own["seed"] == 0]) == sentences.by_the_seed(own[:0]) == []


def test_the_answer_for_carried_models():
    """By the rule of the audit, as far as the carried expectations tell."""
    own = on_sst()
    assert sentences._of_rules(own) == ("Not by itself", "(1 of 5 met, 2 not, 2 open)")
    own.loc[own["measure"] == "tau_gradient_loo", ["mean", "low", "high"]] = 0.6
    assert sentences._of_rules(own) == ("Not by itself", "(1 of 5 met, 3 not, 1 open)"), (
        "the gradient meets it"
    )
    near = own.copy()
    near.loc[near["measure"] == "other_jsd_mean", ["mean", "low", "high"]] = 0.4, 0.3, 0.5
    near.loc[near["measure"] == "permuted_moved", ["mean", "low", "high"]] = 0.6, 0.45, 0.7
    assert sentences._of_rules(near)[1] == "(1 of 5 met, 1 not, 3 open)", "0.5 is both rules' border"
    near.loc[near["measure"] == "other_jsd_mean", "high"] = 0.45
    assert sentences._of_rules(near)[1] == "(1 of 5 met, 1 not, 3 open)", "a search finds nothing distant"
    (hardly,) = sentences._carried_in_short(own)
    assert hardly == (
        "**On sst it hardly matters where MiniLM looks:** dealing its weights anew at random clearly moves "
        "21% (sst) of the predictions."
    )
    far = own.assign(corpus="ade")
    far.loc[far["measure"] == "permuted_each", "mean"] = 0.3
    far.loc[far["measure"] == "permuted_moved", ["mean", "low", "high"]] = 0.8
    (both,) = sentences._carried_in_short(pd.concat([own, far]))
    assert both == (
        "**On ade it matters where MiniLM looks and on sst it hardly does:** dealing its weights anew at "
        "random clearly moves 80% (ade) and 21% (sst) of the predictions."
    )
    seeds = own.assign(corpus="20news")
    each = seeds["measure"] == "permuted_each"
    seeds.loc[each, "mean"] = seeds.loc[each, "seed"].map({0: 0.15, 1: 0.08, 2: 0.0})
    assert sentences._carried_in_short(pd.concat([own, far, seeds]))[0].startswith(
        "**On ade it matters where MiniLM looks, on sst it hardly does and on 20news how much it does "
        "depends on the training's seed:** dealing"
    )
    (alone,) = sentences._carried_in_short(far)
    assert alone.startswith("**On ade it matters where MiniLM looks:** dealing")
    far.loc[far["measure"] == "permuted_moved", "low"] = 0.4
    assert sentences._carried_in_short(far)[0].startswith("**Where MiniLM looks:** dealing")
    own = own[~own["measure"].isin(["permuted_moved", "other_jsd_mean"])]
    assert sentences._carried_in_short(own) == [], "it isn't carried"

    def told(**means: float) -> str:
        other = own.copy()
        for name, mean in means.items():
            other.loc[other["measure"] == name, ["mean", "low", "high"]] = mean
        if "late" in means:
            erase_late(other)
        return sentences._of_rules(other)[0]

    for means, answer in (
        ({"on_words": 0.9, "tau_loo": 0.9}, "Not refuted"),
        ({"tau_loo": 0.1, "late": 1}, "Not by itself"),
        ({"tau_loo": 0.9, "late": 1}, "Not by itself"),
        ({"on_words": 0.1, "tau_loo": 0.1}, "Not by itself"),
    ):
        assert told(**means) == answer, means
    few = own[own["measure"].isin(["on_words", "tau_loo"])]
    assert sentences._of_rules(few) == ("Not by itself", "(1 of 5 met, 1 not, 3 not measured)")
    few = few.assign(low=0.4, high=0.6)
    assert sentences._of_rules(few)[0] == "Nothing can be said", "all but the first are open, or not carried"
    assert sentences._carried_in_short(own[:0]) == []
    wide = own.copy()
    wide.loc[wide["measure"] == "tau_loo", ["low", "high"]] = 0.4, 0.6
    assert sentences._of_rules(wide)[1] == "(1 of 5 met, 2 open, 2 not measured)", "it contains the border"


def erase_late(own: pd.DataFrame) -> None:
    """Let every decision flip, in attention's order when all words but one are gone, at random at half."""
    for order, share in (("attention", 0.9), ("random", 0.5)):
        of = own["measure"] == f"erased_share_{order}"
        own.loc[of, ["mean", "std", "undefined"]] = share, 0.0, 0
    own.loc[own["measure"] == "erased_sooner", ["mean", "low", "high"]] = -0.4


def test_the_control_of_leave_one_out_replaces_each_word(source, found):
    """As the audit replaces the word whose removal moves most; of a large model nothing."""
    known = audit_shown._deciding(found)
    control = transformers.replaced(source, found, known)
    assert control["id"].tolist() == found.texts["id"].tolist() and control["auroc"].between(0, 1).all()
    name = control["id"].iloc[0]
    only = transformers.replaced(source, found, {name: known[name]})
    pd.testing.assert_frame_equal(only, control[:1], atol=1e-9)
    own = found.of_words(name)
    (text,) = transformers.pieces(source, [" ".join(own["word"])])
    values = [transformers.swapped(source, [text], [n])[0] for n in range(len(own))]
    top = int(own["loo"].argmax())
    assert values[top] == pytest.approx(found.texts["swapped"].iloc[0], abs=1e-9)
    assert control["tau"].iloc[0] == pytest.approx(kendalltau(own["attention"], values)[0], abs=1e-9)
    assert control["auroc"].iloc[0] == pytest.approx(stats.auroc(known[name], np.array(values)), abs=1e-9)


def test_texts_a_piece_shorter_are_of_the_same_length():
    own = pd.DataFrame({"units": [8, 10, 47, 48, 48, 50], "jsd": [0.0, 0.1, 0.1, 0.2, 0.3, 0.5]})
    means = drawn._means(own)
    np.testing.assert_allclose(means["units"], [8, 10, 143 / 3, 50])
    np.testing.assert_allclose(means["jsd"], [0.0, 0.1, 0.2, 0.5])


def test_the_odd_one_out():
    asked = measured_of(["a"])
    for taus, said in (
        ((0.4, 0.15, 0.14), ["leave-one-out: its τ with the other two is 0.14 and 0.15", "is 0.40"]),
        ((0.1, 0.5, 0.1), ["the gradient: its τ with the other two is 0.10", "is 0.50"]),
        ((0.4, 0.35, 0.1), None),
        ((0.4, np.nan, 0.1), None),
    ):
        for name, tau in zip(("attention gradient", "attention loo", "gradient loo"), taus, strict=True):
            asked.texts[f"tau {name}"] = tau
        told = " ".join(sentences.odd_one_out(asked))
        assert all(part in told for part in said) if said else told == ""


def test_which_head_to_show():
    """A head agrees better than all together only where its interval lies above theirs."""
    taus = pd.DataFrame({"head": ["head 1", "head 2", "all heads"], "gradient": [0.1, 0.3, 0.4]})
    asked, own, end = sentences.which_head(taus)
    assert (
        end.startswith("That a head agrees doesn't show")
        and own == "With the gradient all heads together agree best (τ = 0.40)."
    )
    loo = {"loo": [0.1, 0.5, 0.4], "loo low": [0.0, 0.45, 0.35], "loo high": [0.2, 0.55, 0.44]}
    both = sentences.which_head(taus.assign(**loo))
    assert both[:2] == [asked, own] and both[3] == "Whoever shows one head must say that it was chosen."
    assert both[2] == "With leave-one-out one head agrees best: head 2 (τ = 0.50; all together: 0.40)."
    near = sentences.which_head(taus.assign(**loo | {"loo low": [0.0, 0.42, 0.35]}))
    assert "no head agrees clearly better" in near[2] and len(near) == 4
    assert sentences.which_head(taus.assign(gradient=np.nan)) == []
    against = taus.assign(gradient=[0.05, 0.3, 0.4], loo=[-0.06, 0.2, 0.1])
    ends = {"gradient high": [0.1, 0.4, 0.5], "loo high": [-0.01, 0.3, 0.2]}
    assert sentences.heads_title(against.assign(**ends)).endswith("with none, and slightly against 1 of 2")
    assert sentences.heads_title(taus) == "Heads of one layer differ: τ with the gradient is 0.10 to 0.30"
    odd = taus.assign(gradient=[0.05, 0.3, 0.4], loo=[-0.06, 0.2, 0.1])
    assert (
        sentences.heads_title(odd)
        == "Head 2 agrees weakly with all measures (τ 0.20 to 0.30), head 1 with none"
    )
    some = odd.assign(gradient=[0.05, 0.6, 0.4], loo=[-0.06, 0.0, 0.1])
    assert (
        sentences.heads_title(some) == "Head 2 agrees with some measures (τ 0.00 to 0.60), head 1 with none"
    )


def test_carried_runs_stand_beside_this_one(source, found):
    """Decisions that stay are held against one answer for all; a corpus whose size isn't carried has none."""
    own = on_sst()
    without = transformers.without_attention(source, transformers.texts_of(found))
    table = sentences.side_by_side(found, without, own)
    here = table[table["model"] == "the small model"].set_index("measure")["mean"]
    of = sentences.TABLED
    assert here[of["stays_without"]] == 1 - without["flips"].mean()
    assert here[of["permuted_each"]] == found.texts["change own"].mean()
    assert here[of["one_word_keeps"]] == found.texts["one word keeps"].mean()
    assert here[of["constant"]] == found.texts["predicted"].value_counts(normalize=True).max()
    assert (table["low"] <= table["mean"]).all() and table["model"].nunique() == 2
    told = sentences.tabled(table).set_index("mean over texts")
    assert {*told.index} <= {*of.values()} and told.loc[of["constant"]].iloc[1] == "0.50", (
        "sst's most frequent label"
    )
    other = sentences.side_by_side(found, without, own.assign(corpus="none"))
    assert sentences.tabled(other).set_index("mean over texts").loc[of["constant"]].iloc[1] == "–"
    tau = found.texts["tau attention loo"].mean()
    assert told.loc["τ of attention and leave-one-out", "the small model"] == f"{tau:z.2f}"
    assert told.loc["τ of attention and leave-one-out"].iloc[1] == "0.22 (0.19 to 0.24)"
    stays = 1 - own.loc[own["measure"] == "flips_without", "mean"]
    assert told.columns[-1] == "MiniLM on sst (3 seeds: range)"
    assert told.loc[of["stays_without"]].iloc[1] == (
        f"{stays.mean():.2f} ({stays.min():.2f} to {stays.max():.2f})"
    )


def test_that_it_hardly_matters_where_attention_lies_agrees_with_erasing(found):
    own = on_sst()
    word, so = sentences.whichever_word(own)
    assert word == (
        "**In MiniLM on sst nearly any word will do:** with all attention on one word, whichever, 90% of the "
        "decisions stay (one answer for all texts would keep 50%)."
    )
    assert "already" in so
    some, erasing = sentences.of_words_and_none(own)
    changed = own.loc[own["measure"] == "flips_without", "mean"].mean()
    assert some.startswith("In MiniLM on sst ") and some.endswith(f"{changed:.0%} of the decisions change.")
    each = {}
    for order in ("attention", "random"):
        rows = own[own["measure"] == f"erased_share_{order}"]
        each[order] = (1 - rows["undefined"] / rows["n"]).mean()
    assert erasing.startswith(
        "There erasing words one by one flips few decisions, in whichever order: "
        f"{each['attention']:.0%} in attention's, {each['random']:.0%} in a random one."
    )
    often = own.copy()
    often.loc[often["measure"] == "erased_share_random", "undefined"] = 0
    for other in (often, own[~own["measure"].str.startswith("erased")]):
        assert sentences.of_words_and_none(other) == [some], "a random order flips all; not carried"
    (alone,) = sentences.of_words_and_none(own[own["measure"] != "flips_without"])
    assert alone.startswith("In MiniLM on sst erasing words one by one")
    moves = own.copy()
    moves.loc[moves["measure"] == "permuted_each", "mean"] = 0.3
    for none in (moves, own[:0]):
        assert sentences.whichever_word(none) == [] == sentences.of_words_and_none(none)


def test_how_many_predictions_shuffling_moves_is_drawn_a_bar_a_seed(found):
    """By hand: of eight texts three move, two of them far; of carried models by their quantiles."""
    known, own = copy.deepcopy(found), on_sst()
    known.texts["change own"] = [0.01] * 5 + [0.8] * 2 + [0.3]
    spreads = spreads_by_hand(0.03, 0.6)
    table = sentences.moved(known, own[:0], spreads, "planted", bilstm=known)
    small = [0, pytest.approx(3 / 8), pytest.approx(2 / 8)]
    assert table.to_numpy().tolist() == [
        ["the small model on planted", *small],
        ["a BiLSTM of 2019's kind on planted", *small],
        ["MiniLM on sst", 0, 0, 0],
        ["MiniLM on sst", 1, 1, 1],
    ]
    assert sentences.moved_title(table) == (
        "Shuffling moves 50% of the predictions in MiniLM on sst, 38% in a BiLSTM of 2019's kind on planted"
    )
    alone = sentences.moved(known, own, spreads[:0], "planted")
    assert sentences.moved_title(alone) == (
        "Shuffling moves 38% of the predictions in the small model on planted"
    )
    axes = figures.moved(table).axes[0]
    told = [text.get_text() for text in axes.texts]
    assert told == [
        f"{who}: {share} move"
        for who, share in zip(table["who"].unique(), ("38%", "38%", "50%"), strict=True)
    ]
    assert [len(bars) for bars in axes.containers] == [4] * 3 and "(a bar a seed)" in axes.get_xlabel()
    ends = sum(np.array([bar.get_width() for bar in bars]) for bars in axes.containers)
    np.testing.assert_allclose(ends, 1)
    assert "seed" not in figures.moved(alone).axes[0].get_xlabel()
    stored = verdict.own_spreads(verdict.spreads())
    exact = sentences.moved(known, own, stored[stored["corpus"] == "sst"], "planted").iloc[1:]
    near = sentences.moved(known, own[:0], stored[stored["corpus"] == "sst"], "planted").iloc[1:]
    carried = own[own["measure"] == "permuted_moved"]["mean"].tolist()
    assert exact["moved"].tolist() == carried == pytest.approx(near["moved"].tolist(), abs=0.02)
    known.texts["change own"] = np.nan
    none = sentences.moved(known, own, spreads[:0], "planted")
    assert none.empty and "nan" not in sentences.moved_title(none)
    name = known.shown[0].id
    known.texts["change own"], known.texts["together jsd"] = 0.8, 0.5
    said = sentences.of_example_shuffled(known, name)
    assert said.startswith("**Shuffling moves the text above by 0.80**, although the search found another")
    assert " of 5 shuffles do" in said and said.endswith("but not just this one.")
    split, units = copy.deepcopy(known), known.texts["units"] > 1
    split.texts["change own"] = np.where(split.texts["id"] == name, 0.8, 0.01)
    split.texts["together jsd"] = np.where(split.texts["id"] == name, 0.4, 0.6)
    assert sentences.where_it_hangs(split)[0].endswith(
        " gets less far: 0.40 away (JSD, mean) in the 1 text that shuffling moves by over 0.05, "
        f"0.60 in the other {units.sum() - 1}."
    )
    assert sentences.where_it_hangs(known) == [], "shuffling moves all"
    known.texts["change own"] = 0.01
    assert sentences.of_example_shuffled(known, name) == "Shuffling moves the text above by 0.01."


def test_of_which_class_decisions_stay_with_attention_on_one_word(found):
    known = copy.deepcopy(found)
    known.texts["predicted"] = ["good"] * 3 + ["bad"] * 5
    known.texts["one word keeps"] = [0.9] * 3 + [0.3] * 5
    said = sentences.on_one_word(known)
    assert said.startswith("With all attention on one word, whichever, the small model")
    assert "keeps 52% of its decisions: 90% where it says good, but only 30% where it says bad." in said
    assert said.endswith("mostly gives good; for bad its attention mostly needs certain words.")
    known.texts["one word keeps"] = 0.5
    assert sentences.on_one_word(known) == (
        "With all attention on one word, whichever, the small model keeps 50% of its decisions."
    )


def test_a_decision_that_erasing_never_flips_counts_as_all_words():
    """Carried are the means over those that flip: by hand half do, after 0.2 or 0.6 of the words."""
    row = {"measure": "erased_share_attention", "seed": 0, "mean": 0.4, "n": 100, "undefined": 50}
    (erased,) = verdict.erased_of_all(pd.DataFrame([row]), "attention").to_dict("records")
    assert erased == pytest.approx({"flips": 0.5, "mean": 0.7})
    none = row | {"mean": np.nan, "undefined": 100}
    (erased,) = verdict.erased_of_all(pd.DataFrame([none]), "attention").to_dict("records")
    assert erased == pytest.approx({"flips": 0, "mean": 1}), "none flips"
    assert verdict.erased_of_all(pd.DataFrame([row]), "random").empty


def test_what_two_rules_are_decided_by_of_each_text():
    """By hand: of one word there is nothing to shuffle, and what never flips counts as all words."""
    texts = pd.DataFrame(
        {
            "words": [3, 1, 4],
            "change own": [0.06, 0.9, 0.05],
            "erased attention": [0.2, np.nan, np.nan],
            "erased random": [0.5, 0.7, np.nan],
        }
    )
    found = transformers.by_the_rules(texts)
    np.testing.assert_array_equal(found["is moved"], [1, np.nan, 0])
    np.testing.assert_allclose(found["sooner"], [0.3, -0.3, 0])


def test_a_bilstm_of_the_same_texts_stands_beside_the_transformer(tmp_path, cache):
    run = Classifiers.of(str(tmp_path), encoder="transformer-cls", set={"asked_texts": 6, "permutations": 5})
    found, bilstm = transformers.asked(run), transformers.bilstm_asked(run)
    assert bilstm.texts["id"].tolist() == found.texts["id"].tolist() and bilstm.notes["heads"] == 1
    table = sentences.checks_beside(found, bilstm)
    theirs = audit_shown.checks(bilstm)
    assert table["in a BiLSTM (one seed)"].tolist() == (theirs["holds"] + ": " + theirs["found"]).tolist()
    assert "holds" == sentences.checks_beside(found, None).columns[-1]
    said, alone = sentences.elsewhere(found, bilstm), sentences.elsewhere(found, None)
    moved = (bilstm.texts["change own"] > 0.05).sum()
    assert f"by more than 0.05, in the BiLSTM {moved}" in said[0] and "nan" not in " ".join(said)
    assert "BiLSTM" not in " ".join(alone) and said[1] == audit_shown.made_equal(found)
    assert said[-2] == alone[-1] == f"{audit_shown.erased_until(found.texts)}."
    assert said[-1].lower() == f"the bilstm: {audit_shown.erased_until(bilstm.texts)}.".lower()
    assert sentences.which_texts(run) == ["The texts are 6 of the corpus's 200 for testing, evenly spaced."]
    of, its = audit_shown.verdict(found), audit_shown.verdict(bilstm)
    none = verdict.own_attention(empty())
    told = sentences._may_be_shown(found, none, bilstm, "it")
    assert ("It and a BiLSTM of 2019&#39;s kind each fail at least one of" in told) == (of.said == its.said)
    bilstm.texts["on words"], bilstm.texts["tau attention loo"] = 0.9, 0.9
    bilstm.texts["change own"], bilstm.texts["epsilon jsd"] = 0.9, 0.1
    bilstm.texts["erased attention"], bilstm.texts["erased random"] = 0.1, 0.9
    told = sentences._may_be_shown(found, none, bilstm, "it")
    assert told.startswith("**That depends on the model.**")
    assert ") it fails at least one; " in told and told.endswith("kind meets all.")
    here, sst = audit_shown.verdict(found).said, on_sst()
    both = pd.concat([sst, sst.assign(corpus="ade")])
    told = sentences._may_be_shown(found, both, None, "it")
    assert here == audit_shown.BESIDE
    assert told.startswith(
        f"**{here}.** It and MiniLM on ade and sst each fail at least one of 5 [expectations]"
    )
    both.loc[(both["corpus"] == "ade") & (both["measure"] == "permuted_moved"), ["low", "high"]] = 0.9
    both.loc[(both["corpus"] == "ade") & (both["measure"] == "other_jsd_mean"), ["low", "high"]] = 0.2
    told = sentences._may_be_shown(found, both, None, "it")
    assert told.startswith("**Mostly not by itself.** Of 5 [expectations](") and told.endswith(
        ") it and MiniLM on sst fail at least one; MiniLM on ade fails none, with some left open."
    )
    other = Classifiers.of(str(tmp_path), corpus="indicator", encoder="transformer-cls")
    assert transformers.bilstm_asked(other) is None


def test_committed_freedom_holds_no_text_and_is_by_rank():
    table = transformers.carried()
    assert set(table["kind"]) == {ALONE, ALL} and table["text"].map(str).str.isdigit().all()
    for row in table.itertuples():
        heads = row.heads if row.kind == ALL else 1
        least = heads * (row.units - 1 - row.head_size)
        assert row.dimension >= max(least, 0) - 1e-9
    assert table["moved"].max() < 1e-9 and table["jsd"].between(0, np.log(2)).all()


# Runs

FEW = {"asked_texts": 6, "permutations": 5, "made_test": 12, "made_train": 60, "made_dev": 10, "epochs": 2}


def test_a_run_of_a_whole_transformer_goes_through(tmp_path, cache, monkeypatch):
    """The project's own, from its checkpoint: all that the chapter and the verdict take."""
    run = Classifiers.of(str(tmp_path), encoder="transformer-cls", set=FEW)
    for name in of_kind(Classifying):
        run.ensure(name)
    assert run.info()["products"]["model"]["origin"] == "made"  # of other texts it is another run
    found = transformers.asked(run)
    assert len(found.texts) == 6 and "small transformer trained on planted" in found.notes["name"]
    rows = run.table("summary_transformers").set_index("measure")
    np.testing.assert_allclose(rows["mean"]["tau_loo"], found.texts["tau attention loo"].mean())
    np.testing.assert_allclose(rows["mean"]["permuted_each"], found.texts["change own"].mean())
    assert rows["n"]["accuracy"] == 12 and rows["n"]["tau_loo"] == 6
    texts = found.texts
    assert rows["mean"]["permuted_moved"] == (texts["change own"] > audit.MOVED).mean()
    last = [
        texts[f"erased {order}"].where(texts[f"erased {order}"].notna(), 1.0)
        for order in ("random", "attention")
    ]
    np.testing.assert_allclose(rows["mean"]["erased_sooner"], (last[0] - last[1]).mean())
    np.testing.assert_allclose(rows["mean"]["other_jsd_mean"], texts["together jsd"].mean())
    np.testing.assert_allclose(rows["mean"]["other_jsd_head"], texts["epsilon jsd"].mean())
    monkeypatch.setattr(merging, "SPREADS", tmp_path / "spreads.csv")
    merging.commit_spreads(tmp_path / "nothing")
    assert verdict.spreads().empty and not merging.SPREADS.exists()
    monkeypatch.setattr(merging.registry, "carried", lambda corpus: True)
    for _ in range(2):
        merging.commit_spreads(tmp_path)
    spread = verdict.spreads().set_index("measure").loc["permuted_each"]
    assert spread["n"] == 6 and spread["variant"] == run.params.variant
    for name, level in (("q0", 0), ("q50", 0.5), ("q97.5", 0.975), ("q100", 1)):
        assert spread[name] == pytest.approx(np.quantile(texts["change own"], level), rel=1e-3, abs=1e-9)
    assert len(verdict.spreads()) == 2 and verdict.own_spreads(verdict.spreads()).empty, "it was drawn anew"
    table = run.table("predictions")
    assert rows["mean"]["accuracy"] == ((table["p_1"] > 0.5).astype(int) == table["label"]).mean()
    assert (rows["given"] == run.params.given_to(("asked_texts", "permutations", "epsilon"))).all()
    audited = audit.model_of(str(run.folder))
    assert audited.checksum == run.source.checksum


def test_the_projects_small_transformer_is_the_usual_run(tmp_path, cache):
    """If it is meant that it isn't, `python -m heed checkpoint` makes it anew."""
    run = Classifiers.of(str(tmp_path), encoder="transformer-cls")
    for name in run.checkpoint:
        run.ensure(name)
        assert run.info()["products"][name]["origin"] == "committed checkpoint"
    assert run.source.checksum == pretrained(audit.EXAMPLE).checksum


def test_the_same_parameters_train_the_same_transformer(tmp_path, cache):
    small = {"made_train": 20, "made_dev": 6, "epochs": 2, "heads": 2, "longest": 40}
    one, other = (
        Classifiers.of(str(tmp_path / name), encoder="transformer-cls", seed=3, set=small) for name in "ab"
    )
    for name in one.checkpoint:
        assert one.ensure(name).read_bytes() == other.ensure(name).read_bytes()
    assert one.source.longest == 40 and one.source.heads == 2


def test_a_grid_gives_each_encoder_its_attention_and_its_chapters():
    given = {"corpora": ["planted"], "encoders": ["average", "transformer-cls"], "seeds": [0]}
    runs = runs_of(read_grid(given | {"attentions": ["additive", "uniform", "own"]}))
    assert [run.model_name for run in runs] == ["average-additive", "average-uniform", "transformer-cls-own"]
    assert chapters_of(runs[0], ["01", "13"]) == ["01"] and chapters_of(runs[2], ["01", "13"]) == ["13"]


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        (Run, {"encoder": "transformer-cls"}, "isn't of chapter 01 to 08"),
        (Classifiers, {"encoder": "bilstm"}, "isn't of chapter 13"),
        (Classifiers, {"encoder": "transformer-cls", "attention": "additive"}, "attention 'additive'"),
        (Classifiers, {"encoder": "transformer-cls", "corpus": "copy-iid"}, "unknown encoder"),
    ],
)
def test_what_is_of_another_kind_is_refused(kind, given, said, tmp_path):
    with pytest.raises(HeedError, match=said):
        kind.of(str(tmp_path), **given)


def test_questions_are_refused(tmp_path, cache):
    with pytest.raises(HeedError, match="classifies texts alone, and here they are asked something"):
        Classifiers.of(str(tmp_path), encoder="transformer-cls", corpus="world1").ensure("model")
