"""What a reader's hands do to attention: the arithmetic, and the widgets around it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import made_up
from heed.evidence import collect
from heed.perturb import STEP, Perturb, moved, what_if


@pytest.fixture
def hands():
    case = made_up.classifier("bilstm", "additive")
    return Perturb(collect(case.model, case.data, 64), ("bad <b>", "good"))


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 30), st.floats(0, 1))
def test_moved_attention_is_attention_and_keeps_proportions(seed, length, weight):
    rng = np.random.default_rng(seed)
    a = rng.dirichlet(np.ones(length))
    t = int(rng.integers(length))
    b = moved(a, t, weight)
    assert b[t] == weight and b.sum() == pytest.approx(1) and (b >= 0).all()
    others = np.arange(length) != t
    np.testing.assert_allclose(b[others] * (1 - a[t]), a[others] * (1 - weight), atol=1e-12)


def test_moving_from_one_hot_shares_equally_and_one_token_stays():
    np.testing.assert_allclose(moved(np.array([0.0, 1.0, 0.0]), 1, 0.4), [0.3, 0.4, 0.3])
    assert moved(np.ones(1), 0, 0.2) == [1.0]
    with pytest.raises(ValueError, match="1.5"):
        moved(np.ones(2) / 2, 0, 1.5)


def test_sliders_buttons_and_code_say_the_same(hands):
    length = len(hands.row.units)
    hands.press("uniform")
    assert [slider.value for slider in hands.sliders.values()] == pytest.approx(
        [1 / length] * length, abs=STEP / 2
    )
    hands.sliders[0].value = 0.9  # as a drag does
    np.testing.assert_allclose(hands.attention, moved(np.full(length, 1 / length), 0, 0.9))
    assert f"{what_if(hands.row, hands.attention)['tvd']:.3f}" in hands.readout.value
    hands.press("permute")
    np.testing.assert_allclose(np.sort(hands.attention), np.sort(hands.row.attention))
    hands.press("original")
    assert np.array_equal(hands.attention, hands.row.attention)
    with pytest.raises(ValueError, match="sum to 1"):
        hands.attention = np.full(length, 1.0)


def test_what_a_browser_rounds_is_no_move(hands):
    """A slider's view sends its value back on the step's grid; the attention must stay as it was."""
    before = hands.attention
    for slider in hands.sliders.values():
        slider.value = round(slider.value / STEP) * STEP
    assert np.array_equal(hands.attention, before)


def test_another_instance_and_hostile_names(hands):
    hands.choice.value = 3
    assert hands.row.id == hands.evidence.ids[3]
    assert list(hands.sliders) == list(range(len(hands.row.units)))
    assert "bad &lt;b&gt;" in hands.readout.value and "<b>" not in hands.readout.value
