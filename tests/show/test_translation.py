"""Chapter 09b's sentences and tables: of a small translator and of what is carried."""

import pytest

from heed.experiments.translation import Translations
from heed.show import translation
from sequences import TRANSLATING


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    given = {"corpus": "made-de-en"} | TRANSLATING
    one = Translations.of(str(tmp_path_factory.mktemp("runs")), given)
    one.ensure("summary_translated")
    return one


def test_all_is_said_of_a_small_run(run):
    learning, meant, chance = run.table("learning"), translation.told(run), translation.by_chance(run)
    table = translation.agreed(learning, meant, chance)
    real, heads = translation.carried(), translation.of_heads()
    said = [*translation.in_short(real, meant, heads), translation.finding(table), translation.learnt(run)]
    said += [translation.which_first(table, learning), *translation.answer(real, meant)]
    assert all("nan" not in sentence for sentence in said) and 0 < chance < 1
    assert [*translation.shown(table)["what"]] == [what for *_, what in translation.HELD]
    assert (
        len(translation.dictionary(run)) <= 10
        and len(translation.found(run, table, chance)) == len(table) + 3
    )


def test_nothing_is_said_of_what_is_not_there(run):
    """No made words, no carried run, no heads."""
    empty = translation.carried().iloc[:, :0]
    assert translation.in_short(empty, None, translation.of_heads().iloc[:0]) == []
    assert translation.answer(empty, None) == []
    table = translation.agreed(run.table("learning"), None, 2.0)  # beyond it nothing gets
    assert "neither is first" in translation.which_first(table, run.table("learning"))
    assert "on the word that is meant" not in translation.shown(table)
    assert {*translation.shown(table)["step at half of the way"]} == {"–"}


def test_carried_numbers_are_shown():
    real = translation.carried()
    table = translation.beside(real)
    assert "recorded" in table and len(table) == 8 and not table.isna().any().any()
    heads = translation.of_heads()
    assert [*heads["what"]] == translation.KINDS_OF_HEADS and translation.sorts_of_heads().startswith(
        "Of 40 "
    )
    apart = heads.assign(low=[0.1, 0.1, 0.9, 0.1], high=[0.2, 0.2, 1.0, 0.2])
    assert "the intervals don't overlap" in translation.one_lucky_head(apart)


def test_a_translation_is_quoted():
    assert translation.translated("ein <b>", "a <b>", "").count("&#60;b") == 2
    assert translation.translated("ein", "a", "a").endswith("what it means.")
    assert "not what it means" in translation.translated("ein", "the", "a")
