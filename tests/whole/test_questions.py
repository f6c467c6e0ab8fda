"""A run on the built-in world, from the corpus to the verdict."""

import pytest

from chapters import empty_claims, read
from heed.errors import HeedError
from heed.runs.products import files
from heed.show.explorer import Explorer
from small_run import SMALL, products

# What a classifier alone has: models that lie about words.
CLASSIFIERS_ONLY = ("lies", "summary_lies")


@pytest.fixture(scope="module")
def answered(small, tmp_path_factory):
    """A small run on the built-in world."""
    run = small(tmp_path_factory.mktemp("answered"), corpus="world1", encoder="bilstm")
    for name in products().keys() - {"exact_curve", *CLASSIFIERS_ONLY}:
        run.ensure(name)
    return run


@pytest.mark.thorough
def test_a_run_goes_through_to_its_summaries(answered):
    """Every product but the exact curve, which needs one linear logit; no class stands apart."""
    assert answered.corpus.task == "qa" and set(answered.info()["scores"]["test"]) == {"accuracy"}
    for name in (
        "summary",
        "summary_scores",
        "summary_permutation",
        "summary_adversarial",
        "summary_heatmap",
    ):
        assert set(answered.table(name)["class"]) == {"overall"}
    measured = {m for name in ("summary", "summary_scores") for m in answered.table(name)["measure"]}
    assert {"accuracy", "tau_gradient", "auroc_attention", "auroc_gradient", "auroc_loo"} <= measured
    proved = answered.table("summary_adversarial").set_index("measure").loc["proved", "mean"]
    assert proved == pytest.approx(answered.table("adversarial")["proved"].mean())
    with pytest.raises(HeedError, match="one linear logit"):
        answered.ensure("exact_curve")
    assert not (answered.folder / files()["exact_curve"]).exists()


def test_a_run_knows_its_questions(answered):
    split = answered.corpus.splits["test"]
    name = split.ids[3]
    assert answered.asked(name) == {"question": " ".join(split.queries[3]), "query_name": "Question"}
    shown = Explorer(answered)
    shown.show(name)
    assert shown.strip.question == " ".join(split.queries[3])


def test_a_classification_asks_nothing(finished):
    assert finished.questions == {} and finished.asked(finished.evidence.ids[0]) == {}


def test_the_same_run_gives_the_same_bytes(answered, small, tmp_path):
    again = small(tmp_path, corpus="world1", encoder="bilstm")
    for name in ("evidence", "loo", "adversarial"):
        assert again.ensure(name).read_bytes() == answered.ensure(name).read_bytes()


@pytest.mark.thorough
def test_chapters_on_the_world(tmp_path):
    """Every chapter that a question goes through, small, from the corpus to the verdict."""
    given = SMALL | {"made_train": 80, "made_dev": 30, "made_test": 30, "texts_shown": 1}
    for name in ("01", "02", "03", "04", "05", "06", "10"):
        seen = read(name, corpus="world1", results=str(tmp_path), set=given)
        assert not empty_claims(seen), name
        if name in ("05", "10"):
            assert any("Question: " in shown for shown in seen.tables)
    assert not empty_claims(read("12", results=str(tmp_path)))
    assert any("world1" in table for table in read("12b", results=str(tmp_path)).tables)
