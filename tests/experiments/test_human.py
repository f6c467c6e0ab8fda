"""Chapter 11, people's marks: a small corpus in ERASER's form, from its archive to the summary."""

import re

import numpy as np
import pandas as pd
import pytest

from heed.corpora.rationales import Marks
from heed.errors import HeedError
from heed.experiments import human as chapter
from heed.experiments import lies
from heed.experiments.train import whose_words
from heed.measures import erasure, marks, rankings
from heed.measures.registry import columns_of
from heed.models.lying import marked
from heed.runs.run import Run
from heed.show.explorer import Explorer
from marked_reviews import mirror_of, reviews
from refusals import refused
from small_run import SMALL

SIZES = {"train": 40, "val": 12, "test": 12}


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """A small run on such reviews."""
    folder = tmp_path_factory.mktemp("reviews")
    mirror = mirror_of(reviews(folder / "movies.tar.gz", SIZES), folder / "mirror")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEED_MIRROR", str(mirror))
        patch.setenv("HEED_CACHE", str(folder / "cache"))
        set_ = SMALL | {"vectors": "random", "min_df": 1, "learning_rate": 0.05, "epochs": 4}
        yield Run.of(folder / "results", corpus="movies", encoder="average", set=set_)


def test_the_marks_are_the_files_as_words(read):
    """heed cuts can't-miss into more words than ERASER: all of them are marked."""
    table, split = read.table("rationales").set_index("id"), read.corpus.splits["test"]
    assert table.index.tolist() == split.ids == read.evidence.ids
    assert (table[["empty", "cut", "beyond"]] == 0).all(axis=None)
    for name, words in zip(split.ids[:-3], split.words, strict=False):
        marked = [word for word, is_marked in zip(words, table.loc[name, "marked"], strict=True) if is_marked]
        said = "".join(marked).replace("can't-miss", "fine")
        assert re.fullmatch("(dull|weak|worst|fine|great){3}", said), said
    assert not any(table["marked"].iloc[-1]) and all(table["marked"].iloc[-2])


def test_every_ranking_of_chapter_02_is_there_by_itself(read):
    """And random words. What a text's row says is `marks.against` of the run's own arrays."""
    table = read.table("human")
    assert {*table["ranking"]} == {*rankings.compared(), "random"}
    loo = rankings.declared()["loo"].scores(read.evidence, read.arrays("loo"))
    own = table[table["ranking"] == "loo"].set_index("id")
    spans = chapter.marks(read)
    for name in read.evidence.ids:
        expected = pd.Series(marks.against(spans[name].spans, loo[name]), dtype=float)
        np.testing.assert_allclose(own.loc[name, expected.index].astype(float), expected, atol=1e-12)
    of_none_and_all = own.iloc[-2:]
    assert of_none_and_all["auprc"].isna().all() and of_none_and_all["marked_share"].tolist() == [1, 0]


def test_a_liar_hides_what_people_marked(read):
    """Where nobody knows the deciding words; a text without marks, or with nothing else, has no row."""
    assert whose_words(read) == "marks"
    liar = lies.liars(read)[1.0]
    assert (liar.params.impermissible, liar.params.base) == ("marks", "")
    hidden, spans = lies.hidden(read), chapter.marks(read)
    for row in read.evidence:
        np.testing.assert_array_equal(hidden[row.id], spans[row.id].tokens(len(row.units)))
    table = read.table("lies")
    assert {*table["id"]} == {name for name, words in hidden.items() if words.any() and not words.all()}
    mass = table.groupby("lie_weight")["lie_mass"].mean()
    assert mass[1.0] < mass[0.0], "it looks away"
    with refused("impermissible: no text has a marked word"):
        marked(read.data("test"), {name: Marks(np.empty((0, 2), int)) for name in read.evidence.ids})


def test_what_the_model_needs_is_of_chapter_06(read):
    """The smallest flipping set is as large as that chapter's table says."""
    table, erased = read.table("needed").set_index("id"), read.table("erasure").set_index("id")
    known = table["needed_share"].dropna()
    assert len(known)
    pd.testing.assert_series_equal(known, erased.loc[known.index, "erased_optimal"], check_names=False)
    for row in read.evidence:
        if row.id in known:
            both = erasure.smallest_set(row) & chapter.marks(read)[row.id].tokens(len(row.units))
            assert table.loc[row.id, "marked_needed"] * table.loc[row.id, "marked"] == pytest.approx(
                both.sum()
            )


def test_the_summary_counts_what_is_undefined(read):
    """Two texts of twelve tell nothing apart; IOU F1 is of the means."""
    table = read.table("summary_human")
    overall = table[table["class"] == "overall"].set_index("measure")
    assert overall.index.is_unique
    drawn = read.table("human").query("ranking == 'random'")
    for name in (*rankings.compared(), "random"):
        own = read.table("human").query("ranking == @name")
        assert overall.loc[f"auprc_{name}", "mean"] == pytest.approx(own["auprc"].mean())
        assert overall.loc[[f"auprc_{name}", f"iou_f1_{name}"], "undefined"].tolist() == [2, 2]
        if name != "random":
            apart = own.set_index("id")["auprc"] - drawn.set_index("id")["auprc"]
            assert overall.loc[f"auprc_above_random_{name}", "mean"] == pytest.approx(apart.mean())
        p, r = own["iou_precision"].mean(), own["iou_recall"].mean()
        assert overall.loc[f"iou_f1_{name}", "mean"] == pytest.approx(2 * p * r / (p + r) if p + r else 0)
    assert overall.loc["marked_share", "undefined"] == 0
    assert {*columns_of("needed")} <= {*overall.index} and overall.loc["marks_cut", "mean"] == 0
    assert {"0", "1"} & {*table["class"]}, "by predicted class, too"


def test_a_corpus_without_marks_says_so(finished):
    for name in ("rationales", "human", "needed", "summary_human"):
        with pytest.raises(HeedError, match="corpus planted: people marked nothing in it. Take movies."):
            finished.ensure(name)


def test_a_model_of_sentences_is_refused(read):
    han = read.changed(encoder="han")
    with pytest.raises(HeedError, match="people marked words, and this model attends to sentences"):
        han.ensure("needed")


def test_a_persons_marks_stand_on_the_explorers_strip(read):
    """Under the words of the text that is shown; under none where nobody marked any."""
    explorer = Explorer(read)
    for name in read.evidence.ids:
        explorer.show(name)
        words = np.array(explorer.strip.marked)[explorer.row.real]
        np.testing.assert_array_equal(words, chapter.marks(read)[name].tokens(len(words)))
    assert not any(words)
