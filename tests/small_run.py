"""The settings of a run of a second or so, on `planted`, and the products that it has."""

from heed.runs.products import files

SMALL = {
    "made_train": 60,
    "made_dev": 40,
    "made_test": 30,
    "epochs": 2,
    "embedding_dim": 8,
    "hidden": 4,
    "cnn_filters": 2,
    "average_dim": 8,
    "resamples": 50,
    "search_steps": 20,
    "other_seeds": [1, 2],
    "lambdas": [0.01, 0.1],
    "adversary_epochs": 2,
    "guided_dim": 8,
    "watch_every": 2,
    "watched_texts": 7,
    "explained_texts": 3,
    "surrogate_samples": 20,
    "game_orders": 10,
    "exact_words": 5,
    "beam_width": 1,
    "soft_draws": 1,
    "rationale_by": ["attention"],
    "rationale_seeds": [],
}
# Products of other runs: of corpora in which people marked words, and of models that read rationales.
ELSEWHERE = {"rationales", "human", "needed", "summary_human", "cut"}


def products() -> dict[str, str]:
    """The others, that a run on `planted` has, with their files."""
    return {name: file for name, file in files().items() if name not in ELSEWHERE}
