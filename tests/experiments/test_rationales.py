"""Chapter 11: what a run is asked for follows from the rankings that are declared."""

import numpy as np
import pytest

from heed.experiments import rationales as chapter
from heed.measures import faithfulness, leave_one_out, rankings
from heed.measures.faithfulness import truth_first
from heed.measures.kendall import kendall
from refusals import refused


def test_its_texts_are_evenly_spaced(finished):
    data, evidence = chapter.explained(finished)
    assert data.ids == evidence.ids == finished.data("test").ids[::10]


def test_its_rankings_are_the_registrys(finished):
    """All that explain, on the chapter's texts alone; a signed one by its sizes, too."""
    _, evidence = chapter.explained(finished)
    ranked = chapter.ranked(finished, evidence)
    declared = rankings.explaining(True)
    sizes = {name + "_size" for name, own in declared.items() if own.signed}
    assert ranked.keys() == declared.keys() | sizes and len(sizes) == 4
    for name, own in ranked.items():
        assert [*own] == evidence.ids
        assert {row.id: int(row.real.sum()) for row in evidence} == {i: len(s) for i, s in own.items()}
        if name in sizes:
            np.testing.assert_array_equal(own[data_id := evidence.ids[0]], abs(ranked[name[:-5]][data_id]))
    loo = leave_one_out.change(finished.evidence, finished.arrays("loo"))
    np.testing.assert_array_equal(ranked["loo"][evidence.ids[1]], loo[evidence.ids[1]])
    assert len({chapter.label_of(name) for name in (*ranked, "optimal", "worst")}) == len(ranked) + 2


def test_a_text_of_which_no_word_decides_has_no_truth(small, tmp_path):
    """indicator's negatives."""
    run = small(tmp_path, corpus="indicator", explained_texts=10)
    _, evidence = chapter.explained(run)
    with_truth = [row.id for row in evidence if row.truth[row.real].any()]
    found = rankings.declared()["truth"].scores(evidence)
    assert len(found) == len(evidence)
    assert 0 < len(with_truth) < len(evidence)
    assert [*chapter.ranked(run, evidence)["truth"]] == with_truth


def test_leave_one_out_has_a_sign_beside_the_others(finished, small, tmp_path):
    """Of two classes as large as without it; what isn't known of the truth isn't said."""
    found = chapter.in_the_same_texts(finished)
    assert {*found["ranking"]} == {*chapter.COMPARED} and len(found) == 3 * len(chapter.COMPARED)
    wide = found.pivot(index="id", columns="ranking", values="fall")
    table = finished.table("faithfulness").pivot(index="id", columns="ranking", values="comp_delete")
    for name in chapter.COMPARED:
        if name != chapter.LOO_SIGNED:
            np.testing.assert_array_equal(wide[name], table[name][wide.index])
    data, evidence = chapter.explained(finished)
    logits = {i: finished.arrays("loo")[i] for i in evidence.ids}
    falls, loo = faithfulness.fall_by_word(evidence, logits), leave_one_out.change(evidence, logits)
    row, (i, score) = next(iter(evidence)), next(iter(falls.items()))
    np.testing.assert_allclose(abs(score), loo[i], atol=1e-9)
    assert chapter.label_of(chapter.LOO_SIGNED) == "leave-one-out with sign"
    decides = row.truth[row.real] > 0
    own = score[decides][:, None] - score[~decides][None]
    pairs = found.set_index(["id", "ranking"])["pairs"]
    assert pairs[i, chapter.LOO_SIGNED] == pytest.approx(((own > 0) + (own == 0) / 2).mean())
    text = faithfulness.Text.of(finished.model(), data, 0, row, 1000)
    fall, _ = faithfulness.by_shares(text.delete, faithfulness.order_of(score)[None])
    assert wide.loc[i, chapter.LOO_SIGNED] == pytest.approx(fall.item())
    run = small(tmp_path, corpus="indicator", explained_texts=10)
    run.ensure("summary_rationales")
    own = chapter.in_the_same_texts(run)
    known = own.groupby("id")["pairs"].count()
    assert {*known} == {0, len(chapter.COMPARED)}, "a text of which no word decides"


def test_its_tables_have_a_row_each(finished):
    table, pairs = finished.table("faithfulness"), finished.table("agreement")
    ranked = chapter.ranked(finished, chapter.explained(finished)[1])
    assert {*table["ranking"]} == {*ranked, "optimal", "worst"}
    assert len(table) == 3 * (len(ranked) + 2) and len(pairs) == 3 * len(ranked) * (len(ranked) - 1) / 2
    one = pairs.iloc[0]
    expected = kendall(ranked[one["first"]][one["id"]], ranked[one["second"]][one["id"]])[0]
    assert one["tau"] == expected
    assert {*truth_first(table)["metric"]} >= {"comp_delete", "naopc_comp"}


def test_its_summary_is_the_means(finished):
    table = finished.table("faithfulness")
    summary = finished.table("summary_rationales").set_index("measure")
    assert (summary["class"] == "overall").all() and summary.index.is_unique
    mean = table.query("ranking == 'lime'")["comp_delete"].mean()
    assert summary.loc["comp_delete_lime", "mean"] == pytest.approx(mean)
    pairs = finished.table("agreement").query("first == 'gradient' and second == 'truth'")
    assert summary.loc["tau_of_gradient_truth", "mean"] == pytest.approx(pairs["tau"].mean())
    assert {"comp_delete_optimal", "naopc_comp_random", "overlap_of_attention_loo"} <= {*summary.index}


def test_what_each_ranking_took(finished):
    found = chapter.seconds(finished).set_index("ranking")["seconds"]
    made = finished.info()["products"]
    assert found["lime"] == made["lime"]["seconds"] / 3
    assert found["gradient"] == made["gradient"]["seconds"] / 30
    assert np.isnan(found["attention"])


def test_questions_go_through(small, tmp_path):
    """A world's: the answer's probability, and the supporting facts as truth."""
    run = small(tmp_path, corpus="world1", made_train=60, made_dev=20, made_test=6, explained_texts=2)
    table = run.table("faithfulness")
    assert {"truth", "lime", "attention_game"} <= {*table["ranking"]} and len(table.id.unique()) == 2
    assert table["comp_delete"].notna().all()
    run.ensure("summary_rationales")


def test_models_of_sentences_are_refused(small, tmp_path):
    run = small(tmp_path, encoder="han", sentences=3, made_length=30)
    for product in ("faithfulness", "lime"):
        with refused("attends to sentences"):
            run.ensure(product)
