"""All runs in tables: what is carried, what the papers report, contrasts, claims, tests."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "annex": ["COUNTS", "PAIRED", "f1_of", "guessing", "sizes", "table1_beside", "without_context"],
        "carried": [
            "BEST",
            "COLUMNS",
            "HEADINGS",
            "NUMBERS",
            "RUN",
            "SUMMARY",
            "committed",
            "finished",
            "general",
            "known",
            "left_out",
            "marked",
            "of_earlier_texts",
            "plain",
            "stale",
        ],
        "claims": ["without_guessing"],
        "contrasts": [
            "CELL",
            "all_beside",
            "asked",
            "before_and_after",
            "beside",
            "by_corpus",
            "contrast",
            "counted",
            "gaps",
            "means",
            "once",
            "table2",
            "within",
        ],
        "gathering": ["CARRIED", "HERE", "Gathered", "gather"],
        "merging": ["commit", "liars", "mended", "readers_of_rationales", "spreads", "word_lengths"],
        "papers": ["published", "reported_points", "snell", "table1", "wiegreffe_pinter"],
        "transformers": ["erased_of_all", "own_attention", "own_spreads", "over_states"],
    },
)
