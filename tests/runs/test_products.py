"""The registry of products: what is declared once, and what is refused."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from heed.errors import HeedError
from heed.params import Classifying, Copying, Params, Translating
from heed.runs import products
from heed.runs.products import Made, as_table, product

# What runs that were made before are called: their folders are read as they are.
BEFORE = {
    "weights": "weights.safetensors",
    "curve": "curve.parquet",
    "evidence": "evidence-test.arrow",
    "gradient": "gradient.parquet",
    "loo": "loo.parquet",
    "correlation": "correlation.parquet",
    "truth": "truth.parquet",
    "summary_scores": "summary-scores.parquet",
    "summary": "summary.parquet",
    "conicity": "conicity.parquet",
    "permutation": "permutation.parquet",
    "summary_permutation": "summary-permutation.parquet",
    "adversarial": "adversarial.parquet",
    "adversary": "adversary.parquet",
    "exact_curve": "exact_curve.parquet",
    "summary_adversarial": "summary-adversarial.parquet",
    "heatmap": "heatmap.parquet",
    "summary_heatmap": "summary-heatmap.parquet",
    "erasure": "erasure.parquet",
    "summary_erasure": "summary-erasure.parquet",
    "decisions_train": "decisions-train.parquet",
    "decisions_dev": "decisions-dev.parquet",
    "seeds": "seeds.parquet",
    "adversaries": "adversaries.parquet",
    "points": "points.parquet",
    "guides": "guides.parquet",
    "deception": "deception.parquet",
    "summary_not_not": "summary-not-not.parquet",
    "watched": "watched.parquet",
    "gate": "gate.parquet",
    "relevance": "relevance.parquet",
    "course": "course.parquet",
    "summary_relevance": "summary-relevance.parquet",
    "copied": "copied.parquet",
    "shown": "shown.parquet",
    "summary_copied": "summary-copied.parquet",
    "heads": "heads.parquet",
    "summary_heads": "summary-heads.parquet",
    "translator": "translator.safetensors",
    "pieces": "pieces.model",
    "looks": "looks.parquet",
    "translations": "translations.parquet",
    "learning": "learning.parquet",
    "summary_translated": "summary-translated.parquet",
}


@pytest.fixture
def registry(monkeypatch) -> dict:
    """The registry as it is, to be added to."""
    products.declared()
    monkeypatch.setattr(products, "PRODUCTS", dict(products.PRODUCTS))
    return products.PRODUCTS


def refused(*files: str, **known) -> str:
    """The sentence with which a declaration is refused."""
    with pytest.raises(HeedError) as error:
        product(*files, **known)(lambda run: None)
    assert "\n" not in str(error.value) and str(error.value).endswith(".")
    return str(error.value)


def test_files_are_called_as_they_were():
    assert BEFORE.items() <= products.every_file().items()


@pytest.mark.parametrize("kind", [Params, Copying, Translating])
def test_every_setting_is_a_parameter(kind):
    for own in products.of_kind(kind).values():
        assert {*own.settings} <= {*kind.model_fields}, own.name
        assert own.chapter in products.CHAPTERS
        assert {*own.beside} <= {*products.of_kind(kind)}


def test_every_chapter_of_the_batch_has_its_proof():
    """What is known of a chapter is what its summary names, and no other measure."""
    proofs = {chapter: products.summary_of(chapter) for chapter in products.CHAPTERS}
    assert proofs.pop("13") is None
    proofs["13"] = products.summary_of("13", Classifying)
    assert proofs.pop("09") is None
    assert all(own.chapter == chapter and own.proof for chapter, own in proofs.items())
    assert proofs["02"].proof == "tau_gradient"


def test_what_is_made_together_has_one_lock():
    own = products.of_kind(Params)
    assert own["weights"].lock == own["curve"].lock == own["watched"].lock
    assert own["adversarial"].lock == own["adversary"].lock != own["gradient"].lock == "gradient"


# What is refused


def test_a_name_that_is_declared_twice(registry):
    assert refused("other.parquet", name="gradient") == (
        "product gradient is declared twice: choose another name for the second."
    )
    assert refused("other.parquet", name="copied", kind=Params).startswith("product copied is declared twice")


def test_a_file_that_is_taken(registry):
    assert refused("gradient.parquet", name="mine") == (
        "product mine: the file gradient.parquet is taken by product gradient. Choose another."
    )


def test_a_chapter_that_is_proved_twice(registry):
    def maker(run):
        return None

    maker.__module__ = "heed.experiments.correlation"
    with pytest.raises(HeedError, match="chapter 02 is proved by product summary. Keep one proof."):
        product("mine.parquet", name="mine", proof="tau_loo")(maker)


@pytest.mark.parametrize("given", [{}, {"gradient": as_table(pd.DataFrame())}])
def test_a_maker_that_returns_another_product(registry, given):
    product("mine.parquet", name="mine")(lambda run: Made(given))
    said = f"returned {', '.join(given) or 'nothing'}, expected mine. Correct it."
    with pytest.raises(HeedError, match=re.escape(said)):
        registry[Params, "mine"].made(SimpleNamespace())


def test_a_maker_may_return_a_table_or_arrays(registry, tmp_path):
    product("table.parquet", name="a_table")(lambda run: pd.DataFrame({"x": [1]}))
    made = registry[Params, "a_table"].made(None)
    made.files["a_table"](tmp_path / "a")
    assert pd.read_parquet(tmp_path / "a")["x"].tolist() == [1]
