"""Runs of transformers among the summaries: beside the BiLSTM's, and by their own attention."""

import pandas as pd

from heed import verdict
from heed.show import transformers as shown
from heed.verdict.carried import empty

MINI = "pretrained=all-MiniLM-L6-v2, ranked_texts=200"


def row(encoder: str, measure: str, mean: float, given: str = "", **other) -> dict:
    named = {"corpus": "sst", "encoder": encoder, "attention": "additive", "profile": "paper", "given": given}
    rest = {"variant": "paper-0", "seed": 0, "class": "overall", "n": 9, "partial": False}
    return named | rest | {"measure": measure, "mean": mean} | other


def test_attention_over_states_is_held_against_the_bilstms_on_the_same_corpora():
    rows = [
        row("bilstm", "tau_loo", 0.3),
        row("transformer", "tau_loo", 0.1, MINI),
        row("transformer", "tau_loo", 0.2, f"finetune=True, {MINI}"),
        row("transformer", "tau_loo", 0.9),  # drawn: not one that exists
        row("bilstm", "tau_loo", 0.4, corpus="imdb"),  # of no transformer
    ]
    table = verdict.over_states(pd.DataFrame(rows))
    means = table.set_index("model")["mean"].to_dict()
    assert means == {"BiLSTM": 0.3, "all-MiniLM-L6-v2, frozen": 0.1, "all-MiniLM-L6-v2, fine-tuned": 0.2}
    (said,) = shown.over_states_say(table)
    assert said == (
        "On sst attention's τ with leave-one-out is 0.30 (BiLSTM, 1 seed), 0.20 (MiniLM, fine-tuned, 1 seed) "
        "and 0.10 (MiniLM, frozen, 1 seed); none reaches 0.5."
    )
    (cells,) = shown.over_states(table).to_dict("records")
    assert cells["BiLSTM (1 seed)"] == "0.30" and "corpus" not in cells, "one corpus is said in the title"


def test_attention_over_states_has_its_range_over_seeds():
    rows = [row("bilstm", "tau_loo", mean, seed=seed) for seed, mean in enumerate((0.3, 0.4))]
    rows += [row("transformer", "tau_loo", 0.6, MINI), row("bilstm", "accuracy", 0.9)]
    table = shown.over_states(verdict.over_states(pd.DataFrame(rows)))
    assert table["BiLSTM (2 seeds)"].tolist() == ["0.90 (1 seed only)", "0.35 (0.30 to 0.40)"]
    assert table["MiniLM, frozen (1 seed)"].tolist() == ["–", "0.60"]
    both = verdict.over_states(pd.DataFrame(rows))
    assert shown.over_states_say(both)[0].endswith("0.35 (BiLSTM, 2 seeds); not all reach 0.5.")
    assert shown.over_states_say(both[both["model"] == "BiLSTM"]) == []


def test_a_whole_transformers_rows_are_one_column_a_corpus():
    own = {"attention": "own", "given": MINI}
    rows = [
        row("transformer-cls", "tau_loo", 0.1, **own),
        row("transformer-cls", "tau_loo", 0.3, **own, seed=1),
    ]
    own_rows = verdict.own_attention(
        pd.DataFrame([*rows, row("transformer-cls", "flips_without", 0.05, **own)])
    )
    assert own_rows["model"].unique().tolist() == ["all-MiniLM-L6-v2"]
    assert own_rows.groupby("measure")["mean"].mean().to_dict() == {"flips_without": 0.05, "tau_loo": 0.2}
    assert shown._carried_in_short(own_rows) == [], "where its attention lies isn't carried"
    on_words = row("transformer-cls", "on_words", 0.8, **own)
    every = verdict.own_attention(pd.DataFrame([*rows, on_words]))
    assert shown._of_rules(every) == ("Not by itself", "(1 of 5 met, 1 not, 3 not measured)")
    assert shown._carried_in_short(every) == [], "whether shuffling moves it isn't carried"
    erased = row("transformer-cls", "erased_share_random", 0.5, **own, std=0.2, undefined=7)
    (kept,) = verdict.own_attention(pd.DataFrame([erased])).to_dict("records")
    assert (kept["std"], kept["n"], kept["undefined"]) == (0.2, 9, 7), "seven of nine decisions never flip"


def test_without_such_runs_there_is_nothing():
    assert verdict.over_states(empty()).empty and verdict.own_attention(empty()).empty
