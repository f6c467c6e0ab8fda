"""One text as two models read it."""

from dataclasses import replace

import numpy as np
import pytest

import heed
from heed.measures.divergence import jsd, tvd
from heed.show.beside import Beside
from refusals import refused
from shown import rows


def test_two_rows_are_two_strips_that_know_of_one_another():
    first, second = rows(1)["binary"], rows(2)["binary"]
    both = Beside(first, second, names=("before", "after"), classes=["no", "yes"])
    assert [strip.reader for strip in both.strips] == ["before", "after"]
    assert both.strips[0].group == both.strips[1].group and repr(both) == "Beside('before', 'after')"
    assert both.apart["tvd"] == pytest.approx(tvd(first.prediction, second.prediction))
    assert both.apart["jsd"] == pytest.approx(jsd(first.attention, second.attention))
    both.give(1)
    np.testing.assert_array_equal(both.strips[0].attention, second.attention)
    assert both.apart["jsd"] == 0
    page = both._repr_mimebundle_()["text/html"]
    assert page.count('data-heed="state">{"') == 2 and page.count("mount(document);\n</script>") == 1


def test_a_sentence_of_two_runs(small, tmp_path):
    first, second = (small(tmp_path, seed=seed, epochs=1) for seed in (0, 1))
    reads = [heed.read("the good film", run) for run in (first, second)]
    both = heed.Beside(*reads)
    assert [strip.reader for strip in both.strips] == [first.params.path, second.params.path]
    assert 0 <= both.apart["jsd"] <= np.log(2) and 0 <= both.apart["tvd"] <= 1
    with refused("two models need two different names"):
        Beside(reads[0], reads[0])


def test_what_cannot_be_beside_is_a_sentence():
    row = rows()["binary"]
    with refused("Beside takes what `read` returned, or rows of evidence, not a str"):
        Beside(row, "text")
    with refused("two models need two different names"):
        Beside(row, row, names=("a",))
    other = Beside(row, replace(row, units=[*row.units[:-1], "other"]))
    assert other.apart["jsd"] is None
    with refused("cut the text into different words"):
        other.give()
    assert Beside(row, rows()["many classes"]).apart["tvd"] is None
