"""Chapter 15's sentences and strips: each odd case, no number that is none, words that do no harm."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from chapters import empty_claims, read
from heed.experiments import audit as audits
from heed.experiments.audit import EXAMPLE, IMPORTANCE, How, audit
from heed.show import audit as shown
from heed.show import figures
from heed.show.mended import PASSES
from refusals import refused
from shown import HOSTILE, seen
from small_transformers import build

LITTLE = {"permutations": 3, "integrated": 5, "free": 2, "shown": 2}


def table(folder, **columns):
    pd.DataFrame(columns).to_csv(folder / "mine.csv", index=False)
    return str(folder / "mine.csv")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "texts",
    [
        {"text": ["the good cook moved ."]},
        {"text": ["good"]},
        {"text": ["good", "bad"], "label": ["", ""]},
        {"text": ["good ."] * 3 + ["the lovely painter moved the good cook ."], "label": ["negative"] * 4},
        {"text": ["zzz " * 200, "."]},
    ],
    ids=["one text", "one word", "words alone", "one class", "nothing known, and cut"],
)
def test_odd_texts_go_through_the_chapter(texts, tmp_path):
    found = read(
        "15", model=str(EXAMPLE), texts=table(tmp_path, **texts), out=str(tmp_path / "out"), set=LITTLE
    )
    assert not empty_claims(found) and found.figures == 5 and not found.warned


def test_nothing_but_sentences_is_asked(tmp_path):
    none = LITTLE | {"integrated": 0, "free": 0, "shown": 0}
    texts = table(tmp_path, text=["the good cook moved ."] * 2)
    found = read("15", model=str(EXAMPLE), texts=texts, out=str(tmp_path / "out"), set=none)
    assert not empty_claims(found) and found.figures == 4
    assert any("It wasn't asked here" in said for said in found.said)


def test_a_run_of_heeds_own_goes_through_the_chapter(finished, tmp_path):
    words = finished.corpus.splits["test"].words
    texts = table(tmp_path, text=[" ".join(own) for own in words[:4]])
    found = read("15", model=str(finished.folder), texts=texts, out=str(tmp_path / "out"), set=LITTLE)
    assert not empty_claims(found) and found.figures == 5
    assert any("with one head" in said for said in found.said)
    assert any('class="heed-strip"' in one for one in found.tables), "its strips live"


def test_a_model_of_three_classes(tmp_path):
    folder = build("electra", tmp_path / "m")
    texts = table(
        tmp_path, text=["The film is unaffable!", "fine " * 40, "good , bad"], label=["so so", "2", ""]
    )
    found = read("15", model=str(folder), texts=texts, out=str(tmp_path / "out"), set=LITTLE)
    assert not empty_claims(found)
    assert any("bad, so so and good" in said and "longer than the 20 pieces" in said for said in found.said)


def test_hostile_words_do_no_harm(tmp_path):
    names = {0: "<b>x</b>", 1: "$y$", 2: "[z](w)"}
    labels = {"num_labels": 3, "id2label": names, "label2id": {name: c for c, name in names.items()}}
    folder = build("bert", tmp_path / "<i>m", **labels)
    words = [word for word in HOSTILE if "\0" not in word]
    texts = table(
        tmp_path, id=[f"<u>{k}" for k in range(len(words))], text=[f"good {word} film" for word in words]
    )
    found = audit(folder, texts, tmp_path / "out", How(**LITTLE | {"shown": 20}))
    tags = {*seen(shown.strips(found)).tags}
    table_tags = {"table", "thead", "tbody", "tr", "th", "td", "caption", "colgroup", "col"}
    of_strips = {"p", "i", "style", "script"}
    assert tags <= table_tags | of_strips | {"details", "summary", "bdi", "b", "br", "div", "sub", "span"}
    of_text = shown.of_example(found, found.shown[0].id)
    agrees = (*shown.agrees(found), *shown.removals(found), *of_text)
    for said in (*shown.in_short(found), *shown.read_what(found), shown.looks(found), *agrees):
        assert {*seen(said).tags} <= {"span"} and "$y$" not in said and "[z]" not in said


def test_where_leave_one_out_says_little(tmp_path):
    """No removal moves the first text; the second moves at a gap alone, the third at the loss of a word."""
    texts = table(tmp_path, text=["the good cook moved .", "the bad cook moved .", "the cook was not bad ."])
    found = audit(EXAMPLE, texts, tmp_path / "out", How(**LITTLE))
    ids = found.texts["id"].tolist()
    most = dict(zip(ids, ([0.01, 0.0], [0.0, 0.9], [0.8, 0.0]), strict=True))
    found.words = pd.DataFrame(
        [{"id": name, "word": word, "attention": 0.5, "loo": loo}
         for name, values in most.items() for word, loo in zip(("good", "bad"), values, strict=True)]
    )  # fmt: skip
    found.texts["swapped"] = [0.3, 0.02, 0.7]
    (said,) = shown.removals(found)
    assert "In 1 of 3 texts taking out no word moves" in said
    assert "Of the 2 texts that move by more, 1 move by 0.05 or less if another word fills the gap" in said
    tau = found.texts["tau attention loo"].iloc[2]
    assert "In the other 1 text the word itself matters;" in said
    so = "there attention's τ with leave-one-out is {:z.2f} (one text): the gap isn't all of it."
    assert said.endswith(so.format(tau)) == (tau < 0.5) and f"{tau:z.2f} (one text)" in said
    own = found.texts["swapped"]
    found.texts["swapped"] = np.nan
    assert "fills the gap" not in shown.removals(found)[0], "of heed's own models nothing is replaced"
    found.texts["swapped"] = own
    assert "more than 0.01" in shown.of_example(found, ids[0])[1]
    gap, loss = (shown.of_example(found, name)[1] for name in ids[1:])
    assert gap.startswith(
        "Taking out *bad* moves the prediction by 0.90; with another word in its place it moves by 0.02"
    )
    assert "the gap seems to count" in gap and "the word itself counts" in loss
    heat = shown.heat(found, ids[1])
    assert ">leave-one-out (sum 0.90)</th>" in heat and '<sub style="margin-left:2px">1.00</sub>' in heat
    assert heat.count("<table") == 1 and heat.index("<bdi>good</bdi>") < heat.index("<bdi>bad</bdi>")


def test_advice_follows_how_far_the_measures_agree(tmp_path):
    found = audit(
        EXAMPLE, table(tmp_path, text=["the good cook moved ."] * 2), tmp_path / "out", How(**LITTLE)
    )
    names = ["tau gradient loo", "tau gradient integrated", "tau loo integrated"]
    for taus, said in (
        ([0.1, 0.2, 0.3], "don't agree with one another (τ = 0.10 to 0.30), so where they differ"),
        ([0.1, 0.8, 0.3], "gradient and integrated gradients agree best (τ = 0.80)"),
        ([np.nan] * 3, "No measure is known to be right."),
    ):
        found.texts[names] = taus
        do, because = shown.advice(found)
        assert said in because and "say where they differ" in do


def test_the_answer_counts_the_expectations_that_were_tested(tmp_path, monkeypatch):
    found = audit(EXAMPLE, table(tmp_path, text=["the good cook moved ."]), tmp_path / "out", How(**LITTLE))
    for holds, said, met in (
        (["yes"] * 5, "**Yes, as a hint", "meets 5 of 5 expectations.**"),
        (["yes"] * 3 + ["open", "yes"], "**Not refuted:", "meets 4 of 5 expectations (1 open).**"),
        (["yes"] * 4 + ["open"], "**Not refuted:", "meets 4 of 5 expectations (1 open).**"),
        (["yes"] * 3 + ["no", "yes"], "**Not by itself:", "meets 4 of 5 expectations (1 not).**"),
        (["yes", "no", "open", "no", "yes"], "**Not by itself:", "2 of 5 expectations (2 not, 1 open).**"),
        (["no", "yes"] + ["open"] * 3, "**Not by itself:", "1 of 5 expectations (1 not, 3 open)"),
        (["yes", "no", "open", "no", "no"], "**Not by itself:", "1 of 5 expectations (3 not, 1 open)"),
        (["yes"] + ["no"] * 4, "**No: the attention of", "(4 not): it lies on words, and no more"),
        (["yes"] + ["open"] * 4, "Nothing can be said", "too few"),
        (["no"] * 5, "**No: the attention of", "meets none of 5 expectations (5 not).**"),
        (["open"] * 5, "Nothing can be said", "too few"),
    ):
        monkeypatch.setattr(shown, "checks", lambda a, holds=holds: pd.DataFrame({"holds": holds}))
        assert said in shown.answer(found) and met in shown.answer(found)


def test_whether_other_attention_is_near_is_chapter_14s_question(tmp_path):
    """Its rule; where a search has found what there is, its row says that it is a search's."""
    assert PASSES["optimum"].bound == shown.NEAR and PASSES["optimum"].way == "less"
    found = audit(
        EXAMPLE, table(tmp_path, text=["the good cook moved ."] * 2), tmp_path / "out", How(**LITTLE)
    )
    for kind, heads, far, holds, said in (
        ("transformer", 4, [0.6, 0.52], "no", "JSD 0.56"),
        ("transformer", 4, [0.6, 0.4], "open", "JSD 0.50"),
        ("transformer", 4, [0.3, 0.2], "open", "or more"),
        ("transformer", 1, [0.3, 0.2], "open", "or more"),
        ("heed", 1, [0.6, 0.52], "no", "JSD 0.56"),
        ("heed", 1, [0.6, 0.4], "open", "JSD 0.50"),
        ("heed", 1, [0.3, 0.2], "yes", "JSD 0.25"),
        ("heed", 1, [np.nan, np.nan], "open", "not asked"),
    ):
        column, other = ("together jsd", "epsilon jsd") if heads > 1 else ("epsilon jsd", "together jsd")
        found.notes["kind"], found.notes["heads"] = kind, heads
        found.texts[column], found.texts[other] = far, 0.69
        row = shown.checks(found).iloc[3]
        assert row["holds"] == holds and said in row["found"], (kind, far)
        told = " ".join(shown.remarks(found))
        assert ("A search can miss" in told) == (kind == "transformer")
        short = " ".join(shown.in_short(found))
        free = "quite another attention would give the same prediction (± 0.01)"
        assert (free in short) == (holds != "yes") and (f"whether {free}" in short) == (holds == "open")
        assert ("only attention near by would give" in short) == (holds == "yes")
        moved, how = shown.how_it_moves(found), shown.how_searched(found)
        assert ("So it could be quite another." in moved) == (holds == "no")
        assert ("isn't known" in moved) == (holds == "open" and kind == "transformer")
        assert moved == "" if np.isnan(far).all() else moved.startswith("Over 2 texts the picture gets ")
        assert ("It moves all heads as far" in how) == ("their mean" in how) == (heads > 1)
        assert ("as far as it can" in how) == (kind == "heed") and "at most 0.01" in how
    found.texts["units"] = 1
    assert shown.alternatives(found).empty, "a text of one unit has no other attention"


def test_an_expectation_whose_interval_contains_its_border_is_open(tmp_path):
    """Of shares of texts Wilson's, of means the bootstrap's, in the digits that are shown."""
    found = audit(
        EXAMPLE, table(tmp_path, text=["the good cook moved ."] * 2), tmp_path / "out", How(**LITTLE)
    )
    one = found.texts[:1]
    for moves, n, holds, interval in (
        (33, 67, "open", "49%; 38% to 61%"),
        (5400, 10000, "yes", "54%; 53% to 55%"),
        (20, 67, "no", "30%; 20% to 42%"),
    ):
        found.texts = pd.concat([one] * n, ignore_index=True)
        found.texts["change own"] = [0.5] * moves + [0.0] * (n - moves)
        row = shown.checks(found).iloc[2]
        assert row["holds"] == holds and interval in row["found"]
        short = " ".join(shown.in_short(found))
        told = f"whether shuffling it moves most predictions (here {moves} of {n} by more than 0.05)"
        assert (told in short) == (holds == "open")
    found.texts = pd.concat([one] * 20, ignore_index=True)
    wide, erased = [0.2, 0.8] * 10, {"erased random": 0.5}
    erased["erased attention"] = wide
    found.texts = found.texts.assign(**{"on words": wide, "tau attention loo": wide} | erased)
    assert shown.checks(found)["holds"][[0, 1, 4]].tolist() == ["open"] * 3
    for value, holds in ((0.4, ["no", "no", "yes"]), (0.6, ["yes", "yes", "no"])):
        found.texts[["on words", "tau attention loo", "erased attention"]] = value
        assert shown.checks(found)["holds"][[0, 1, 4]].tolist() == holds
    assert shown.beyond(0.496, 0.6, 0.5) == "open" and shown.beyond(0.506, 0.6, 0.5) == "yes"
    means = shown.consequences(found)
    assert means.columns[-1] == "if not, the picture …" and [name[0] for name in means["it …"]] == [*"12345"]
    assert shown.held(found, 1) == "**Row 1 is met.**" and shown.held(found, 5) == "**Row 5 isn't met.**"
    of = shown.verdict(found)
    assert shown.expectations_title(found).startswith(f"{of.met} of 5 expectations are met, {of.others[0]}")


def test_what_the_strips_show_is_what_the_table_says(tmp_path):
    """Mean, interval and answer of each; a mark lies where its rule is met just if it is a yes."""
    texts = table(tmp_path, text=["the good cook moved .", "the bad cook slept .", "a dull film ."] * 2)
    found = audit(EXAMPLE, texts, tmp_path / "out", How(**LITTLE))
    found.texts["together jsd"] = [0.6, 0.55, np.nan, np.nan, np.nan, np.nan]
    found.texts["erased attention"], found.texts["erased random"] = [0.2, 0.3, 0.2, 0.1, 0.2, np.nan], 0.5
    ranges, checks = shown.ranges(found), shown.checks(found)
    own = found.texts
    sooner = (own["erased random"] - own["erased attention"].fillna(1)).mean() * 100
    moved = (own["change own"] > audits.MOVED).mean()
    expected = [own["on words"].mean(), own["tau attention loo"].mean(), moved, 0.575, sooner]
    assert np.allclose(ranges["value"], expected)
    assert (ranges["low"] <= ranges["value"] + 1e-12).all() and (
        ranges["value"] <= ranges["high"] + 1e-12
    ).all()
    assert f"{ranges['low'][1]:.2f} to {ranges['high'][1]:.2f}" in checks["found"][1]
    assert ranges["told"][4] == f"after {100 * own['erased attention'].fillna(1).mean():.0f}%, random 50%"
    ax = figures.expectations(ranges, checks["holds"]).axes[0]
    met = [bar for bar in ax.patches if bar.get_width() < 1]
    marks = [line for line in ax.lines if line.get_marker() not in ("None", None)]
    assert len(met) == len(marks) == 5
    for zone, mark, holds in zip(met, marks, checks["holds"], strict=True):
        is_inside = zone.get_x() <= mark.get_xdata()[0] <= zone.get_x() + zone.get_width()
        assert holds == "open" or is_inside == (holds == "yes")
    found.texts[[f"erased {order}" for order in audits.ORDERS]] = np.nan
    assert shown.ranges(found)["told"][4] == "none flips"
    nothing = ranges.assign(value=np.nan, low=np.nan, high=np.nan, told="")
    ax = figures.expectations(nothing, ["open"] * 5).axes[0]
    assert not ax.lines and "nan" not in " ".join(text.get_text() for text in ax.texts)


def test_the_fourth_and_fifth_row_say_of_how_many_texts_and_after_how_many_words(tmp_path):
    texts = table(tmp_path, text=["the good cook moved ."] * 3)
    found = audit(EXAMPLE, texts, tmp_path / "out", How(**LITTLE))
    found.texts["together jsd"] = [0.6, 0.6, np.nan]
    row = shown.consequences(found).iloc[3]
    assert row["found"].endswith("or more (2 texts, as the search is slow)"), "of one nothing was searched"
    assert row.iloc[-1] == "could be quite another with the same prediction"
    told = "Over 2 texts the picture gets 0.60 (0.60 to 0.60) away on average, or further."
    assert told in shown.how_it_moves(found)
    assert shown.so_the_picture(found).endswith("could be quite another with the same prediction (row 4).")
    assert shown.so_the_picture(found) in shown.picture(found)[0]
    found.texts["together jsd"] = np.nan
    assert "row 4" not in shown.so_the_picture(found) and "far" not in shown.titles(found)
    for own, random, means in (
        ([0.1, 0.2, np.nan], 0.5, (43, 50)),
        ([0.1, 0.2, 0.3], [0.5, 0.5, np.nan], (20, 67)),
        ([np.nan] * 3, 0.5, (100, 50)),
    ):
        found.texts["erased attention"], found.texts["erased random"] = own, random
        told = shown.consequences(found).iloc[4]["found"]
        assert told.startswith("after {}% of the words, at random {}% (".format(*means)), (
            "never is all of them"
        )
        assert told.endswith("points fewer; never counts as 100%)")


def test_the_answer_is_one_whatever_is_open():
    for holds, said, counts in (
        (["yes", "no", "open"], "Not by itself", "1 of 3 expectations met, 1 not, 1 open"),
        (["yes", "yes", "open"], "Not refuted", "2 of 3 expectations met, 1 open"),
        (["open", "yes", "yes"], "Not refuted", "2 of 3 expectations met, 1 open"),
        (["open", "no", "no"], "No", "none of 3 expectations met, 2 not, 1 open"),
        (["no", "open", "open"], "", "none of 3 expectations met, 1 not, 2 open"),
    ):
        found = shown.of_checks(pd.Series(holds))
        assert (found.said, found.counts) == (said, counts)


def test_a_split_of_the_texts_is_told(tmp_path):
    found = audit(
        EXAMPLE, table(tmp_path, text=["the good cook moved ."] * 4), tmp_path / "out", How(**LITTLE)
    )
    for moved, title in (
        ([0.01, 0.02, 0.9, 0.95], "moves 50% of the texts by more than 0.05"),
        ([0.0, 0.01, 0.04, 0.2], "by more than 0.05"),
        (
            [0.0, 0.01, 0.03, 1.0] * 5 + [1.0] * 4,
            "half of the texts by 0.03 or less, a quarter by 1.00 or more",
        ),
    ):
        texts = pd.concat([found.texts[:1]] * len(moved), ignore_index=True)
        found.texts = texts.assign(**{"change own": moved})
        assert title in shown.titles(found)["moves"]
        found.texts = texts[:4]


def test_it_is_told_if_one_class_moves(tmp_path):
    found = audit(
        EXAMPLE, table(tmp_path, text=["the good cook moved ."] * 2), tmp_path / "out", How(**LITTLE)
    )
    one = found.texts[:1]
    for a, b, n, told in ((0.9, 0.0, 12, True), (0.9, 0.8, 12, False), (0.9, 0.0, 9, False)):
        rows = [
            one.assign(**{"predicted": name, "change own": moved}) for name, moved in (("<i>", a), ("b", b))
        ]
        found.texts = pd.concat([row for row in rows for _ in range(n)], ignore_index=True)
        found.texts["flips uniform"] = found.texts["predicted"] == "<i>"
        flipped = f", {n} of them predicted &#60;i&#62;" if n >= 10 else ""
        assert shown._mostly_of(found.texts) == flipped
        said = shown.which_move(found)
        assert bool(said) == told
        assert (
            not told
            or "12 of the 12 predicted &#60;i&#62;" in said[0]
            and "0 of the 12 predicted b" in said[0]
        )
    found.texts = found.texts[found.texts["predicted"] == "b"]
    assert shown.which_move(found) == []


def test_groups_of_texts_are_told_instead_of_a_mean_that_none_has(tmp_path):
    found = audit(
        EXAMPLE, table(tmp_path, text=["the good cook moved ."] * 5), tmp_path / "out", How(**LITTLE)
    )
    whole = np.log(2)
    found.texts["epsilon jsd"] = [whole, 0.99 * whole, 0.75 * whole, whole, 0.75 * whole]
    groups = shown.steps(found)
    assert groups["heads"].tolist() == [4, 3] and groups["texts"].tolist() == [3, 2]
    (said,) = shown.in_steps(found)
    assert "in 3 of 5 texts every head and in 2 texts 3 of the 4 heads can move entirely" in said
    alone = shown.one_head_alone(found)
    assert alone[0].startswith("If the prediction may move by 0.01, one head can be 0.62 away")
    assert alone[1] == said and alone[0] in shown.freely(found)
    found.texts["epsilon jsd"] = [0.1, 0.22, 0.43, 0.6, 0.63]
    assert shown.steps(found).empty and shown.in_steps(found) == []
    found.notes["heads"] = 1
    assert shown.steps(found).empty and shown.one_head_alone(found) == []


def test_how_far_the_picture_can_be_is_told_by_class_where_these_lie_apart(tmp_path):
    found = audit(
        EXAMPLE, table(tmp_path, text=["the good cook moved ."] * 4), tmp_path / "out", How(**LITTLE)
    )
    one, other = found.classes
    found.texts["predicted"], found.texts["together jsd"] = [one, one, other, other], [0.2, 0.4, 0.6, np.nan]
    each = shown.far_by_class(found)
    assert {kind: own.tolist() for kind, own in each.items()} == {
        f"predicted {one}": [0.2, 0.4],
        f"predicted {other}": [0.6],
    }
    title = shown.titles(found)["far"]
    assert title.startswith(
        "With the same prediction the picture can be 0.40 away (of 0.69): 0.30 if predicted"
    )
    assert len(figures.alternatives(each).axes[0].texts) == 3
    found.texts = pd.concat([found.texts] * 3, ignore_index=True)
    found.texts["together jsd"] = [0.66, 0.68, 0.45, 0.58] * 3
    assert shown.how_it_moves(found).endswith(f"quite another (if predicted {other}, that is open).")
    found.texts["together jsd"] = [0.66, 0.68, 0.56, 0.58] * 3
    assert shown.how_it_moves(found).endswith("it could be quite another."), "of both"
    found.texts["together jsd"] = 0.4
    assert shown.titles(found)["far"].endswith("(of 0.69)"), "alike"
    found.texts["predicted"] = one
    assert [*shown.far_by_class(found)] == ["all texts"]
    found.texts["together jsd"] = np.nan
    assert shown.far_by_class(found) == {}


def test_where_any_one_phrase_would_do_it_is_said(tmp_path):
    texts = table(tmp_path, text=["the never fine cook moved the dull chair .", "the fine cook moved ."])
    found = audit(EXAMPLE, texts, tmp_path / "out", How(**LITTLE))
    both, one = found.texts["id"]
    assert shown.any_one_does(found, both, {}) == [] == shown.none_needed(found, {}), (
        "nothing is known of them"
    )
    known = {both: np.array([0, 1, 1, 0, 0, 0, 1, 0, 0], bool), one: np.array([0, 1, 0, 0, 0], bool)}
    (said,) = shown.any_one_does(found, both, known)
    assert "*never fine* and *dull* both speak for negative" in said
    (finds,) = shown._finds_here(found, both, known)
    own = shown.found_here(found, both, known)
    assert finds.startswith("Which measure is right?") and [*own.values()] == sorted(own.values())[::-1]
    assert all(f"{label} {score:.2f}" in finds.lower() for label, score in own.items())
    assert "find the deciding words alike (AUROC 0.89 to 0.94)" in shown.example_title(found, both, known)
    loo = found.words["loo"]
    found.words["loo"] = np.where(found.words["id"] == both, -loo, loo)
    assert "leave-one-out worst (0.11)" in shown.example_title(found, both, known)
    found.words["loo"] = loo
    assert shown.found_here(found, both, {}) == {}
    assert shown.example_title(found, both, {}) == "One text, and what each measure says of its words"
    assert shown.any_one_does(found, one, known) == []
    assert shown.none_needed(found, known) == [], "without its negator the first is a tie"
    swapped = {"never": "the", "fine": "dull"}
    found.words["word"] = found.words["word"].where(
        found.words["id"] != both, found.words["word"].replace(swapped)
    )
    (said,) = shown.none_needed(found, known)
    assert "no single word is needed in 1 of 2 texts" in said
    heat = shown.heat(found, both, ("attention",), known[both])
    assert heat.count("underline") == 3 and "gradient" not in heat


def test_a_text_stands_there_once_for_each_measure(tmp_path):
    words = ["the", "good", "cook", "moved", "the", "chair", "near", "the", "bad", "table", "."]
    found = audit(EXAMPLE, table(tmp_path, text=[" ".join(words)]), tmp_path / "out", How(**LITTLE))
    heat = shown.heat(found, found.texts["id"].iloc[0])
    assert heat.count("<tr>") == 4 and heat.count("<bdi>chair</bdi>") == 4 and "underline" not in heat
    found.words = found.words.assign(loo=0.0, attention=[0.9, *[0.01] * 10])
    own, _, loo = (
        re.findall(rf"<tr><th [^>]*>{name}.*?</tr>", shown.heat(found, found.texts["id"].iloc[0]))[0]
        for name in ("attention<", "gradient<", "leave-one-out ")
    )
    assert own.count("<sub") == 1 and "0.90</sub>" in own and "<sub" not in loo


def test_what_equal_weights_and_the_gradient_would_get_is_said(tmp_path):
    """Beside attention: the first rule is met by weights that say nothing, the second not by the gradient."""
    found = audit(
        EXAMPLE, table(tmp_path, text=["the good cook moved ."] * 12), tmp_path / "out", How(**LITTLE)
    )
    assert "57% or more on words" in shown.remarks(found)[0], "4 words of 7: a dot and two marks are none"
    found.texts["units"] = 10
    assert not any("The first" in said for said in shown.remarks(found))
    found.texts["tau loo integrated"] = np.nan
    for attention, gradient, title in (
        (0.15, 0.14, "as little as the gradient does (τ = 0.15 and 0.14)"),
        (0.7, 0.68, "as well as the gradient does"),
        (0.3, -0.1, "better than the gradient does (τ = 0.30 and −0.10)"),
        (0.1, 0.4, "less than the gradient does"),
        (0.1, np.nan, "Attention and leave-one-out: τ = 0.10"),
    ):
        found.texts["tau attention loo"], found.texts["tau gradient loo"] = attention, gradient
        assert title in shown._beside_gradient(found)
        said = " ".join(shown.in_short(found))
        doubted = attention < 0.5 and gradient < 0.5
        assert ("right (removal orders them otherwise, but no gradient agrees" in said) == doubted
        holds = "yes" if attention > 0.5 else "open" if doubted else "no"
        assert shown.checks(found)["holds"][1] == holds, "of a judge that none agrees with nothing follows"
        told = f"as here (gradient {gradient:z.2f}): it may be leave-one-out that is wrong."
        assert (told in " ".join(shown.remarks(found))) == doubted
    found.texts["tau attention loo"], found.texts["tau loo integrated"] = 0.1, 0.6
    assert shown.checks(found)["holds"][1] == "no", "integrated gradients rank words as leave-one-out does"
    names = ["tau gradient integrated", "tau loo integrated", "tau attention integrated"]
    found.texts[["tau gradient loo", *names]] = [0.1, 0.3, 0.2, 0.25]
    for attention, more in ((0.4, True), (0.32, False)):
        found.texts["tau attention gradient"] = attention
        title = shown.titles(found)["agreement"]
        said = "Attention agrees best with the gradient (τ = 0.40), least with leave-one-out (0.10)"
        assert (title == said) == more
        assert shown.agrees(found)[0].startswith("Between two of the other measures") == (not more)
    control = pd.DataFrame({"tau": [0.45]})
    best = "Attention agrees best with replacing words (τ = 0.45), least with leave-one-out (0.10)"
    assert shown.titles(found, control)["agreement"] == best
    found.texts["tau rollout gradient"] = 0.99
    assert "rollout and the gradient agree best (τ = 0.99)" in shown.agrees(found)[-1]
    said = " ".join(shown.remarks(found))
    assert "The distance is that of their mean" in said
    found.notes["heads"] = 1
    assert "their mean" not in " ".join(shown.remarks(found))
    of = shown.verdict(found)
    assert shown.picture(found)[0].startswith(f"**{of.said}** (meets {of.met or 'none'} of 5 expectations, ")
    assert shown.picture(found)[-1].endswith("that of the last layer."), "of one head"


def test_words_that_share_the_first_place_are_told():
    own = pd.DataFrame({"word": ["the", "bad", "the", "cook", "a"], "loo": [0.5, 0.1, 0.5, 0.0, 0.0]})
    assert shown._first_of(own, "loo") == "*the* (word 1) and *the* (word 3) alike"
    assert shown._first_of(own.assign(loo=0.0), "loo") == "5 words alike"
    assert shown._first_of(own.assign(loo=[0, 1, 0, 0, 0]), "loo") == "*bad*"


def test_leave_one_outs_control_is_told():
    control = pd.DataFrame({"id": ["a", "b"], "auroc": [0.9, 0.9], "tau": [0.42, 0.48], "tau loo": 0.2})
    better, so = shown.of_control(control, 0.7)
    told = "the AUROC is 0.90 (0.90 to 0.90), and attention's τ with that is 0.45 (0.42 to 0.48), still below"
    assert told in better
    assert so.startswith("So a part of leave-one-out's faults is probably the gap")
    assert "below" not in shown.of_control(control.assign(tau=0.6), 0.7)[0]
    assert "attention falls short, too: τ = 0.45 (0.42 to 0.48)" in shown._held_to_replacing(control["tau"])
    assert "attention meets the rule: τ = 0.60 (one text)" in shown._held_to_replacing(pd.Series([0.6]))
    assert "the rule is open: τ = 0.50 (0.40 to 0.60)" in shown._held_to_replacing(pd.Series([0.4, 0.6]))
    assert shown.of_control(control, 0.85) == [better] and shown.of_control(control[:0], 0.7) == []


def test_what_judges_the_second_row_is_told(tmp_path):
    """The gap only where it counts; that no two measures agree only if so."""
    texts = table(tmp_path, text=["the good cook moved .", "the bad cook moved ."])
    found, none = audit(EXAMPLE, texts, tmp_path / "out", How(**LITTLE)), pd.DataFrame()
    found.words["loo"] = np.where(found.words["word"] == "bad", 0.9, 0.06)
    taus = [name for name in found.texts if name.startswith("tau attention ") or name.endswith("integrated")]
    for swapped, tau, gap, low in (
        (0.02, 0.4, True, True),
        (0.06, 0.4, False, True),
        (0.02, 0.6, True, False),
    ):
        found.texts["swapped"], found.texts[taus], found.texts["tau gradient loo"] = swapped, tau, 0.1
        said = shown.judged(found, none)
        assert "leave-one-out, as in Jain & Wallace (2019)" in said and shown.held(found, 2) in said
        told = "2 texts that a removal moves by more than 0.05, 2 hardly move if other words fill the gap."
        assert (told in said) == gap
        assert said.startswith("On average no two of these orders reach τ = 0.5. So by τ none") == low
        assert ("No gradient meets it, either, so the judge itself may be wrong" in said) == low
        assert ("isn't the truth." in said) == (not low)
        assert shown._agree_at_all(found, pd.DataFrame({"tau": [0.6]}))[0].startswith("On average some of")
        assert "the words that decide" not in said, "nobody knows which words decide"
        assert shown.checks(found)["holds"][1] == ("open" if low else "yes")
    found.texts["swapped"] = np.nan
    assert "the gap" not in shown.judged(found, none), "of heed's own models nothing is replaced"
    found.texts["swapped"] = [0.02, 0.9]
    assert ", 1 hardly moves if other words fill the gap." in shown.judged(found, none)
    found.texts = found.texts.drop(columns=[*taus, "tau gradient loo"]).assign(**{"tau attention loo": 0.3})
    assert shown._agree_at_all(found, none) == [], "one pair alone was asked"
    assert shown.judged(found, none).startswith("**Row 2 ")
    for loo, how in ((0.5, "least well"), (0.6, "less well"), (0.85, "")):
        means = {"attention": 0.9, IMPORTANCE["gradient"]: 0.55, IMPORTANCE["loo"]: loo}
        assert shown._removal_finds(means) == how
    assert shown._removal_finds({}) == ""


def test_whose_decisions_never_flip_is_told(tmp_path):
    texts = table(tmp_path, text=["the good cook moved ."] * 24)
    found = audit(EXAMPLE, texts, tmp_path / "out", How(**LITTLE))
    found.texts["predicted"] = ["negative", "positive"] * 12
    found.texts["erased attention"], found.texts["flips uniform"] = [0.1, np.nan] * 12, False
    (said,) = shown.never_flip(found)
    assert said.endswith(
        " 12 of the 12 predicted positive never flip, but only 0 of the 12 predicted negative."
    ), "with equal weights, too, neither class has more texts"
    found.texts["flips uniform"] = [True, False] * 12
    assert shown.never_flip(found)[0].endswith(
        "predicted negative: positive is what this model mostly says without such words."
    )
    found.texts["erased attention"] = 0.1
    assert shown.never_flip(found) == []
    found.texts[[f"erased {order}" for order in audits.ORDERS]] = np.nan
    assert shown.when_they_flip(found) == "", "nothing flips any"
    found.texts["erased attention"], found.texts["erased random"] = [0.1, np.nan] * 12, 0.6
    assert shown.when_they_flip(found) == (
        "In attention's order 12 of 24 decisions flip, on average after 10% of the words; in a random one "
        "24 of 24 decisions flip, on average after 60% of the words. The upright lines are means of all, "
        "where one that never flips counts as 100%."
    )
    found.texts["erased random"] = np.nan
    assert "; in a random one none of 24 decisions flips. The" in shown.when_they_flip(found)
    assert "the last word and the marks keep some weight, and " in shown.how_erased(found)
    found.notes["marks"] = []
    said = shown.how_erased(found)
    assert "the last word keeps some weight" in said and said.endswith("once a text.")


def test_what_equal_weights_do_is_told(tmp_path):
    texts = table(tmp_path, text=["the good cook moved ."] * 24)
    found = audit(EXAMPLE, texts, tmp_path / "out", How(**LITTLE))
    found.texts["predicted"] = ["negative", "positive"] * 12
    found.texts["change uniform"], found.texts["flips uniform"] = [0.9, 0.0] * 12, [True, False] * 12
    found.texts["change own"] = [0.9, 0.0] * 12
    said = shown.made_equal(found)
    flips = "and flip 12 decisions, 12 of them predicted negative."
    assert said.startswith(
        f"Equal weights move 12 of 24 predictions by more than 0.05 {flips} So where no word"
    )
    assert "mostly says positive (24 of 24 texts). It is mostly for negative that its attention" in said
    assert said.endswith("has to pick words.")
    picks = shown.where_it_picks(found)
    assert picks.startswith(
        "Made equal, the weights flip 12 of 24 decisions, 12 of them predicted negative. So"
    )
    assert picks.endswith("has to pick words.")
    found.texts["change uniform"], found.texts["flips uniform"] = 0.0, False
    assert shown.where_it_picks(found) == "Made equal, the weights flip none of 24 decisions."
    assert shown.made_equal(found) == "Equal weights move none of 24 predictions by more than 0.05."


def test_measures_that_find_no_more_are_not_told_to(tmp_path, monkeypatch):
    """Where nobody knows which words decide that is said; of none that was asked nothing."""
    found = audit(EXAMPLE, table(tmp_path, text=["the good cook moved ."] * 2), tmp_path / "o", How(**LITTLE))
    found.texts[["tau attention gradient", "tau attention integrated"]] = 0.2, np.nan
    own = {"attention": 0.9, IMPORTANCE["gradient"]: 0.8, IMPORTANCE["loo"]: 0.95}
    asks = "It asks the whole model with every word in its place"
    no_better = ", though it finds the deciding words no better than attention does."
    for more, said in (({}, no_better), ({IMPORTANCE["gradient"]: 0.92}, ".")):
        scores = {name: pd.Series([one]) for name, one in (own | more).items()}
        monkeypatch.setattr(shown, "_scores", lambda a, scores=scores: scores)
        assert shown._why_these(found) == [f"{asks}{said}"]
    monkeypatch.setattr(shown, "_scores", lambda a: {})
    found.texts["tau attention integrated"] = 0.2
    (said,) = shown._why_these(found)
    assert said.startswith("They ask the whole model with") and "nobody knows which measure names" in said
    found.texts[["tau attention gradient", "tau attention integrated"]] = np.nan
    assert shown._why_these(found) == [] and shown._measures(found) == "several measures"


def test_how_well_attention_finds_the_deciding_words():
    for own, others, said in (
        (0.91, (0.92, 0.71), "about as well as any measure shown"),
        (0.95, (0.80, 0.71), "better than any measure shown"),
        (0.80, (0.92, 0.71), "less well than the best measure shown"),
        (0.60, (0.92, 0.71), "worse than any measure shown"),
    ):
        means = {"attention": own} | dict(zip(("gradient", "leave-one-out"), others, strict=True))
        assert shown._how_well(means) == said


def test_what_is_decided_of_a_text(tmp_path):
    found = audit(EXAMPLE, table(tmp_path, text=["good ."] * 2), tmp_path / "out", How(**LITTLE))
    name, answer = found.texts["id"].iloc[0], found.texts["predicted"].iloc[0]
    assert shown.decided(found, name).endswith(").")
    found.texts["label"] = answer
    assert shown.decided(found, name).endswith("which is right.")
    found.texts["label"] = "<i>"
    assert shown.decided(found, name).endswith("which is wrong: the label is &#60;i&#62;.")


def test_the_figure_of_shuffles_has_a_line_for_each_class_that_differs(tmp_path):
    found = audit(
        EXAMPLE, table(tmp_path, text=["the good cook moved ."] * 20), tmp_path / "out", How(**LITTLE)
    )
    found.texts["predicted"] = ["negative", "positive"] * 10
    found.texts["change own"] = [0.9, 0.0] * 10
    assert shown.apart(found) == {"negative": 0, "positive": 1}
    labels = figures.moves(found.texts, False, shown.apart(found)).axes[0].get_legend_handles_labels()[1]
    classes = ["predicted negative (10 texts)", "predicted positive (10 texts)"]
    assert labels == [*classes, "all (20 texts)"]
    assert (
        "moves 50% of the predictions by more than 0.05: 100% of the negative, 0% of the positive"
        in shown.titles(found)["moves"]
    )
    found.texts["change own"] = 0.9
    assert shown.apart(found) == {}
    labels = figures.moves(found.texts, False, {}).axes[0].get_legend_handles_labels()[1]
    assert labels[1] == "all heads shuffled (20 texts)" and len(labels) == 3
    plt.close("all")


def test_an_order_that_flips_more_but_later_is_told(tmp_path):
    found, nan = audit(EXAMPLE, table(tmp_path, text=["good ."] * 4), tmp_path / "out", How(**LITTLE)), np.nan
    orders = {name: [0.1, 0.1, 0.1, nan] for name in ("attention", "norm", "product", "random")}
    for name, values in (orders | {"slope": [0.9, 0.9, 0.9, 0.9]}).items():
        found.texts[f"erased {name}"] = values
    said = " ".join(shown.erases(found))
    assert "more decisions flip in the end (100%, in attention's 75%), but later" in said
    found.texts["erased slope"] = [0.1, 0.1, 0.1, nan]
    assert "but later" not in " ".join(shown.erases(found))


def erased(own: list[float], random: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"erased attention": own, "erased random": random})


def test_how_many_decisions_flip_and_after_how_many_words(tmp_path):
    """The title has how many flip early, the figure who never does, and the rule's mean; by hand."""
    found = audit(EXAMPLE, table(tmp_path, text=["good ."] * 2), tmp_path / "out", How(**LITTLE))
    found.texts = found.texts.assign(**erased([0.2, np.nan], [0.6, 0.8]))
    assert shown.titles(found)["erased"] == (
        "With 20% of the words erased, 50% of the decisions have flipped in attention's order, 0% in a "
        "random one"
    )
    assert shown.erased_until(found.texts) == (
        "In attention's order 50% of decisions never flip, the others after 20% of the words (mean); in a "
        "random one all decisions flip, after 70% of the words (mean)"
    )
    figure = figures.erased(found.texts)
    labels = [label.get_text() for label in figure.axes[0].texts]
    assert labels == ["mean 60%", "mean 70%"], "never counts as all"
    upright = [line.get_xdata()[0] for line in figure.axes[0].lines if len({*line.get_xdata()}) == 1]
    assert upright == pytest.approx([0.6, 0.7])
    plt.close(figure)
    found.texts = found.texts.assign(**erased([0.2, np.nan], [np.nan] * 2))
    assert shown.titles(found)["erased"].endswith("(mean); in a random one no decision flips")
    figure = figures.erased(found.texts)
    assert len(figure.axes[0].texts) == 1
    plt.close(figure)
    found.texts = found.texts.assign(**erased([np.nan] * 2, [np.nan] * 2))
    assert shown.titles(found)["erased"] == "Erasing words flips no decision"


@pytest.mark.thorough
def test_of_heeds_example_the_deciding_words_are_known(tmp_path):
    found = shown.measured(out=str(tmp_path), set=LITTLE | {"most": 6})
    among = found.texts.filter(["tau gradient loo", "tau gradient integrated", "tau loo integrated"])
    disagree = among.mean().max() < shown.ALIKE
    assert "nobody knows which" not in " ".join(shown.advice(found))
    known, control = shown._finds(found), shown.control(found)
    scores = dict(shown.how_each_finds(found, control).to_numpy().tolist())
    for name, label in (IMPORTANCE | {"attention": "attention"}).items():
        assert scores[label].startswith(f"{known[f'auroc {name}'].mean():.2f} (")
    assert scores["replacing words"].startswith(f"{control['auroc'].mean():.2f} (")
    assert "Over 6 texts attention finds the deciding words " in shown.finds_title(found, control)
    said, attention = shown.in_short(found)[-1], known["auroc attention"].mean()
    assert "it finds the words that decide the label" in said and f"in {attention:.0%} of pairs)" in said
    removal = known["auroc loo"].mean() < attention - shown.CLEARLY
    judged = shown.judged(found, control)
    assert ("at finding the words that decide (AUROC" in judged) == removal
    assert "Replacing words finds the deciding words" in judged
    assert "Replacing" not in shown.judged(found, control[:0])
    assert "words like *very* and *not* before them" in shown.underlined(found)
    assert "up to 8 other words" in shown.of_replacing(control) and shown.of_replacing(control[:0]) == ""
    so, why, told = shown.picture(found)
    assert so.endswith(shown.advice(found)[0]) and why == shown.advice(found)[1]
    assert told.endswith("that of the last layer, mean over 4 heads.")
    found.notes["file"] = "mine.csv"
    assert shown.how_each_finds(found, control[:0]).empty and shown._finds_shortly(found) == []
    assert shown.underlined(found) == "", "nobody knows which words decide"
    assert "nobody knows which" in " ".join(shown.advice(found))
    assert ("none can be trusted alone" in " ".join(shown.advice(found))) == disagree
    moved = (found.texts.loc[found.texts["words"] > 1, "change own"] > shown.MOVED).sum()
    assert f"{moved or 'none'} of 6" in " ".join(shown.in_short(found))


def test_weights_that_are_all_equal_put_no_word_first(tmp_path):
    """That they meet the second rule isn't open: they can't."""
    texts = table(tmp_path, text=["the good cook moved .", "not good ."])
    found = audit(EXAMPLE, texts, tmp_path / "out", How(**LITTLE))
    for weights, holds, said in ((0.2, "no", "all weights are equal"), (None, "open", "has no order")):
        found.texts["tau attention loo"] = np.nan
        found.words["attention"] = np.linspace(0.1, 0.9, len(found.words)) if weights is None else weights
        row = shown.checks(found).iloc[1]
        assert row["holds"] == holds and said in row["found"]
        assert shown.agrees(found) == [shown.FLAT if weights else shown.NO_ORDER]
    found.texts["words"] = 1
    assert shown.checks(found)["found"].iloc[1] == "no text has two words"


def test_the_text_that_is_open_is_one_to_move(tmp_path):
    """Of those that shuffling moves the one whose head spreads its weight most."""
    texts = ["the good cook moved .", "the cook was not bad but the garden was dull .", "good ."]
    found = audit(EXAMPLE, table(tmp_path, text=texts), tmp_path / "out", How(**LITTLE | {"shown": 3}))
    names = [layer.id for layer in found.shown]
    for moved in names:
        found.texts["change own"] = np.where(found.texts["id"] == moved, 0.5, 0.0)
        assert shown._opened(found) == names.index(moved)
        assert shown.strips(found).count("<details open") == 1
    found.texts["change own"] = 0.5
    peaks = [layer.rows[shown.strongest(layer)].attention.max() for layer in found.shown]
    assert shown._opened(found) == int(np.argmin(peaks))


@pytest.mark.thorough
def test_a_yes_and_a_no_are_found_where_they_must_be(tmp_path, cache):
    found = shown.measured(out=str(tmp_path), set=LITTLE)
    each = shown.scale(found)
    rows = shown.scale_table(each).set_index("model")["answer"]
    assert rows.iloc[0] == "Yes (5 of 5 met)" and rows.iloc[-1] == "No (1 of 5 met, 4 not)" and len(rows) == 4
    table = shown.scale_table(each)
    known = shown.scale_says(each, table)
    assert "must get a *yes*, and does. One with" in known and "must get a *no*, and does." in known
    between = rows.str.startswith("Not by itself").sum()
    gets = "gets" if between == 1 else "get"
    assert known.endswith(f"{between} {gets} *not by itself*.")
    assert shown.scale_says(each, table[:0]).endswith("must get a *no*, and does."), "no table, nothing of it"
    assert "does, as one. One with" in shown.scale_says(each, table, ", as one")
    each[audits.ONE_WORD], each[audits.EQUAL] = each[audits.EQUAL], each[audits.ONE_WORD]
    known = shown.scale_says(each, table)
    assert "*yes*, and does not. One" in known and "*no*, and does not." in known
    found.notes["file"] = "mine.csv"
    assert shown.scale(found) == {} and shown.scale_says({}, table[:0]) == ""


def test_a_setting_that_is_none(tmp_path):
    with refused("unknown setting of the audit 'mots'. Did you mean 'most'?"):
        shown.measured(str(EXAMPLE), "", str(tmp_path), set="{mots: 3}")


def test_where_an_audit_goes():
    assert shown.folder_of("org/model-name", "my/texts.csv").parts[-3:] == (
        "results",
        "audit",
        "model-name-texts",
    )
    assert shown.folder_of("", "").parts[-2:] == ("results", "audit")


@pytest.mark.parametrize("corners", [0, 1])
def test_of_a_large_model_few_corners_are_looked_for(corners, tmp_path, monkeypatch):
    monkeypatch.setattr(audits, "LARGE", 1)
    texts = table(tmp_path, text=["the lovely painter moved the good cook behind the garden ."] * 3)
    given = {"model": str(EXAMPLE), "texts": texts, "out": str(tmp_path / "out")}
    found = read("15", **given, set=LITTLE | {"corners": corners})
    assert not empty_claims(found)
    wanted = "How far it can be wasn't asked here" if corners == 0 else "was asked of 1 text of them"
    assert any(wanted in said for said in found.said)


@pytest.mark.thorough
def test_the_page_is_one_file_that_needs_no_network(tmp_path):
    texts = table(tmp_path, text=["the lovely painter moved the good cook .", "the garden was not bad"])
    page = shown.report(str(EXAMPLE), texts, tmp_path / "out", 1, LITTLE)
    source = page.read_text(encoding="utf-8")
    assert "the attention of heed's example" in source
    assert ".ipynb" not in source, "it leads nowhere else"
    assert "<script src" not in source and "audit.begin" not in source, "no code, nothing from elsewhere"
    assert {"texts.csv", "audit.ipynb", "figures"} <= {path.name for path in page.parent.iterdir()}


def test_attention_stands_beside_each_measure_and_those_beside_one_another(tmp_path):
    """A row a pair that was asked; replacing words where it was; the rule at its row alone."""
    found = audit(
        EXAMPLE, table(tmp_path, text=["the good cook moved ."] * 2), tmp_path / "out", How(**LITTLE)
    )
    for control, first in ((None, "attention and\ngradient"), ([0.4], "attention and\nreplacing words")):
        replaced = None if control is None else pd.DataFrame({"tau": control})
        axes = figures.agreement(found.texts, replaced).axes[0]
        names = [label.get_text() for label in axes.get_yticklabels()]
        assert names[0] == first and "gradient and\nleave-one-out" in names
    among = pd.DataFrame({"tau": [0.4], "tau gradient": [0.3], "tau loo": [0.2]})
    axes = figures.agreement(found.texts, among).axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert {"gradient and\nreplacing words", "leave-one-out and\nreplacing words"} <= {*names}
    taus = [float(text.get_text().replace("−", "-")) for text in axes.texts if text.get_text()[-3:-2] == "."]
    mine = sum(name.startswith("attention") for name in names)
    assert len(taus) == len(names) and all(own == sorted(own)[::-1] for own in (taus[:mine], taus[mine:]))
    beside = shown._among(found, among)
    assert beside["the gradient and replacing words"] == 0.3 and len(beside) == len(shown._among(found)) + 2
    found.texts["tau attention gradient"] = np.nan
    names = [label.get_text() for label in figures.agreement(found.texts).axes[0].get_yticklabels()]
    assert "attention and\ngradient" not in names and "attention and\nleave-one-out" in names
    plt.close("all")


def test_the_picture_that_would_do_as_well_is_one_of_the_shown_texts(tmp_path):
    """The first beyond the border, else the first, with what decides where it's known; of one head none."""
    texts = table(tmp_path, text=["the good cook moved .", "the cook was not bad ."])
    found = audit(EXAMPLE, texts, tmp_path / "out", How(**LITTLE | {"shown": 2}))
    first, second = (layer.id for layer in found.shown)
    found.texts["together jsd"] = np.where(found.texts["id"] == second, 0.5, np.nan)
    layer, moved, decides = shown.other_picture(found)
    assert layer.id == second and float(layer.change(moved)) <= 0.01 and len(decides) == 0
    assert shown.which_picture(found, second) == "", "no other was searched"
    found.texts["together jsd"] = np.where(found.texts["id"] == second, 0.6, 0.4)
    assert shown.other_picture(found)[0].id == second, "the first beyond the rule's border"
    assert shown.which_picture(found, second) == (
        f"*This is {second}, of the texts to look at the first whose picture can move beyond row 4's 0.5.*"
    )
    found.texts["together jsd"], found.texts["right"] = (
        0.6,
        [float(name == second) for name in found.texts["id"]],
    )
    assert shown.other_picture(found)[0].id == second, "the first is wrong"
    assert " the first that the model gets right and whose picture " in shown.which_picture(found, second)
    found.texts["right"] = 0.0
    assert shown.other_picture(found)[0].id == first, "all are wrong"
    found.texts["together jsd"] = 0.4
    assert shown.other_picture(found)[0].id == first and shown.which_picture(found, first) == ""
    found.texts["together jsd"] = np.nan
    assert shown.other_picture(found) == ()
    found.texts["together jsd"], found.notes["heads"] = 0.5, 1
    assert shown.other_picture(found) == ()
