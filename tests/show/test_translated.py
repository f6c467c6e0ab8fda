"""Your own sentence, translated: the run's own translation, with a row of evidence for each piece."""

import numpy as np
import pytest
import torch

import heed
from heed.corpora.parallel_text import END, START
from heed.experiments.translation import Translations, build
from heed.show.translated import LIKELY, translate
from refusals import refused
from sequences import TRANSLATING
from shown import seen


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = Translations.of(str(tmp_path_factory.mktemp("tr")), corpus="made-de-en", set=TRANSLATING)
    run.ensure("translator")
    return run


def test_a_test_sentence_is_translated_as_the_run_did(run):
    for one in run.table("translations").itertuples():
        assert heed.read(one.source, run).text == one.translation


def test_each_piece_has_the_models_attention_and_its_probability(run):
    """Against one pass of the whole model over what it wrote; of the likeliest pieces, among themselves."""
    found, pieces = translate("der kleine hund sieht den ball", run), run.learnt
    from safetensors.torch import load_file

    model = build(run.params, len(pieces)).eval()
    model.load_state_dict(load_file(run.ensure("translator")))
    source = torch.tensor([pieces.codes("der kleine hund sieht den ball", 100)])
    written = [pieces.processor.piece_to_id(piece) for piece in found.written]
    assert written[-1] == END
    with torch.no_grad():
        log_probs, attention = model(source, torch.tensor([[START, *written[:-1]]]))
    np.testing.assert_allclose(found.attention, attention[0].numpy(), atol=1e-6)
    assert (
        found.attention.shape == (len(found.written), len(found.source)) == (len(found.rows), source.shape[1])
    )
    for k, (row, names, chosen) in enumerate(zip(found.rows, found.candidates, found.chosen, strict=True)):
        probs = log_probs[0, k].exp()
        assert len(names) == min(LIKELY, len(pieces)) and names[chosen].split(" (")[0] == found.written[k]
        codes = [pieces.processor.piece_to_id(name) for name in names]
        np.testing.assert_allclose(row.prediction, probs[codes] / probs[codes].sum(), atol=1e-5)
        np.testing.assert_array_equal(
            row.real, [0 < t < len(found.source) - 1 for t in range(len(found.source))]
        )


def test_a_strip_of_each_piece(run):
    found = heed.read("der hund sieht den ball", run)
    strip = found.strip(1)
    assert strip.tokens == found.source and strip.query_name == "Written so far"
    assert strip.question == found.written[0] and found.strip().question == "(nothing)"
    np.testing.assert_array_equal(strip.attention, found.rows[1].attention)
    for place in (-1, len(found.rows), "first"):
        with refused("strip: expected the place of a written piece, 0 to"):
            found.strip(place)
    table = seen(found._repr_html_())
    assert {*table.tags} <= {*"p b div table thead tbody tr th td bdi sub span".split()}
    assert table.tags.count("tr") == len(found.written) + 1


def test_what_cannot_be_translated(run):
    for text in ("", " \n", None, 3):
        with refused("text: there is no word in it"):
            translate(text, run)
    with refused("the model knows no piece of it"):
        translate("漢字", run)
    with refused("pieces, 250 at most are taken"):
        translate("der hund " * 200, run)
    with refused("a model that translates is asked nothing"):
        heed.read("der hund", run, "who?")
    assert not translate("der 漢 hund", run).known.all()
    assert "<b>" not in translate("<b>der hund</b>", run)._repr_html_().partition("<tbody>")[2].replace(
        "<bdi", ""
    )
