"""Chapter 12's sentences: of every table something true, of none nothing."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heed import paths, verdict
from heed.experiments import transformers
from heed.show import style
from heed.show import verdict as says
from heed.verdict import carried, claims, paper_tests
from verdict_rows import rows

READINGS = {"for": "yes", "against": "no", "open": "open"}


def answer(
    corpus="sst", of="tau_loo", speaks="against", mean=0.3, model=says.MODEL, seeds=3, where="carried"
):
    named = {"corpus": corpus, "model": model, "where": where, "question": says.QUESTIONS[of]}
    chance = {"p": 0.02, "holm": 0.2} if seeds > 1 else {"p": np.nan, "holm": np.nan}
    return named | {"reading": READINGS[speaks], "speaks": speaks, "mean": mean, "seeds": seeds} | chance


def answers(*given: dict) -> pd.DataFrame:
    columns = ["corpus", "model", "where", "question", "reading", "speaks", "mean", "seeds", "p", "holm"]
    return pd.DataFrame([*given], columns=columns)


def test_in_short_by_hand():
    table = answers(
        answer(), answer("imdb", mean=0.31), answer("babi1", speaks="open", mean=0.2),
        answer(of="optimum", mean=0.6) | {"reading": "far", "holm": 0.01},
        answer(of="erased_random_mean_in_common", speaks="for"), answer(of="excess_attention"),
        answer("babi1", of="truth", mean=0.7), answer(of="f1", mean=0.01, speaks="open"),
        answer(model="CNN", mean=0.9, speaks="for"),  # not of the BiLSTM
    )  # fmt: skip
    assert says.in_short(table) == [
        "Not by itself: attention hints at what a model uses, not at why it decided.",
        "A BiLSTM's attention ranks words unlike leave-one-out: τ 0.20 to 0.31, "
        "clearly below 0.5 on 2 of 3 corpora (none by Holm).",
        "Very different attention gives the same prediction on the one corpus (sst) (JSD 0.60; clearly on 1, "
        "1 by Holm).",
        "Erasing by attention flips decisions clearly sooner than chance on 1 of 1 corpus (saving 30% of "
        "the words), but later than the best on 1 of 1 (losing 30%); none by Holm.",
        "Attention clearly doesn't find the deciding words on 1 of 1 corpus (AUROC 0.70). "
        "Undecided: whether attention adds over 0.01 to equal weights' F1 (1 corpus; 0.010).",
    ]
    assert len(" ".join(says.in_short(table)).split()) <= 140
    average = answers(answer(model="Average", mean=0.9, speaks="for"))
    local = pd.concat([table, average], ignore_index=True)
    alone = " Average's is clearly above on 1 of 1 (0.90; none by Holm)."
    assert says.in_short(local)[1] == says.in_short(table)[1] + alone
    against = table[table["speaks"] != "for"]
    assert says.in_short(against)[0] == "Not by itself: no decided answer speaks for attention."
    for_it = table[table["speaks"] != "against"]
    assert says.in_short(for_it)[0] == "Of the matrix's questions 2 speak for attention and 0 against it."
    moves = pd.concat([table, answers(answer(of="median_change", speaks="for", mean=0.2))], ignore_index=True)
    shuffled = "Typical shuffles clearly move it on 1 (none by Holm)."
    assert says.in_short(moves)[2].endswith(f" {shuffled}")
    assert says.finding(table) == (
        "By several seeds: very different attention clearly gives the same prediction in the one row; "
        "attention clearly ranks words like leave-one-out in 1 of 4; erasing by it clearly flips decisions "
        "sooner than chance in the one"
    )
    assert says.of_seeds(table) == "*Several seeds* are 3 here; none of the 9 answers has one seed."
    model = answers(
        answer(model="all-MiniLM-L6-v2, frozen", mean=0.14, where="transformer", seeds=1),
        answer(model="all-MiniLM-L6-v2, its own", mean=0.22, where="transformer"),
    )
    for rows_, said in (
        (model, " MiniLM's (a transformer, fine-tuned; sst) is 0.22."),
        (model[:1], " MiniLM's (a transformer, frozen; sst) is 0.14, by a single seed."),
    ):
        assert says.in_short(pd.concat([table, rows_], ignore_index=True))[1].endswith(said)
    assert says.conclusion(table) == [
        "Not by itself. Of 6 things said against it 3 hold wherever several seeds decide and 3 are "
        "undecided; of 3 said for it 1 holds wherever several seeds decide and 2 are undecided.",
        "Chance may have decided some answers: of 7 that several seeds decide (here and in the annex), 1 "
        "stays decided after Holm's correction for their number (*by Holm*).",
        "So attention says something, but not on its own why a prediction was made. Show it beside measures "
        "that ask the model, and examine the model: [chapter 15](15_your_model.ipynb) does.",
    ]
    of_claims = pd.DataFrame({"holds": ["yes", "open"], "p": [0.01, 0.5], "claim": "it"})
    assert says.conclusion(table, of_claims)[1].endswith("(*by Holm*); of the claims' 1, 1.")
    assert says.conclusion(for_it) == [
        "Of 3 said for it 1 holds wherever several seeds decide and 2 are undecided.",
        "That is no proof for another model: chapter 15 examines yours.",
    ]


def test_one_seed_decides_nothing():
    alone = answers(answer(seeds=1), answer("imdb", of="optimum", mean=0.6, seeds=1) | {"reading": "far"})
    assert says.conclusion(alone) == [says.NOTHING]
    assert says.finding(alone) == "No main question is answered by several seeds yet"
    both = answers(answer(), answer(of="erased_random_mean_in_common", speaks="for", seeds=1))
    assert (
        "against it 1 holds wherever" in says.conclusion(both)[0] and "for it" not in says.conclusion(both)[0]
    )
    assert "sooner than chance on none of 1 corpus." in says.in_short(both)[-1]


def test_what_the_papers_said_by_hand():
    table = answers(
        answer() | {"holm": 0.01}, answer("imdb"), answer("ade", speaks="for"), answer("snli", speaks="open"),
        answer("agnews", seeds=1), answer(of="f1", speaks="open"), answer(model="CNN"),
    )  # fmt: skip
    found = says.papers(table).set_index("said of attention")
    assert found.loc["it ranks words unlike leave-one-out"].tolist() == [
        says.JAIN, "against", "2 (1)", "1 (0)", 1
    ]  # fmt: skip
    assert found.loc["on some tasks equal weights do as well"].tolist() == [
        says.WIEGREFFE, "against", "0", "0", 1
    ]  # fmt: skip
    assert (found[["holds on", "doesn't on"]].drop(index="it ranks words unlike leave-one-out") == "0").all(
        axis=None
    )
    assert {*says.SAID} <= {*says.QUESTIONS}


def test_what_chance_may_have_decided_by_hand():
    table = answers(
        answer() | {"holm": 0.01}, answer("imdb"), answer("ade", speaks="open"), answer("babi1", seeds=1)
    )
    said = says.luck_of_answers(table)
    assert "of 2 that several seeds decide" in said and "1 stays decided" in said
    assert says.luck_of_answers(table[-1:]) == "", "a single seed decides nothing"


def test_nothing_is_said_of_no_run():
    none, no_runs = answers(), carried.empty()
    assert says.in_short(none) == says.conclusion(none) == [says.NOTHING] and says.chosen(none).empty
    assert says.finding(none) == "No main question is answered by several seeds yet"
    assert says.of_seeds(none) == ""
    held = claims.table(no_runs)
    assert says.luck(held) == "" and says.bars(claims.tally(held)).empty
    assert says.claims_finding(claims.tally(held)) == "No run tests a claim yet"
    compared = says.whole(verdict.by_corpus(no_runs))
    assert says.apart(compared) == "No run stands beside a published number yet"
    assert says.fits(compared, verdict.all_beside(no_runs)) == says.not_claimed(none, held) == ""
    assert says.general_vectors(verdict.before_and_after(no_runs)) == ""
    assert "make copying" in says.copying(no_runs)[0]
    freedom = transformers.carried()
    assert "make batch" in says.of_transformers(no_runs, freedom.iloc[:0])[0]
    lies = says.lies_and_repairs(verdict.mended().iloc[:0], verdict.liars().iloc[:0])
    assert "make batch" in lies[0]
    assert says.lengths(verdict.word_lengths().iloc[:0])[1] == ""
    assert says.found(0, 0, held)["found"].sum() == 0


@given(
    st.lists(st.tuples(st.sampled_from([*says.QUESTIONS]), st.sampled_from([*READINGS]), st.floats(-1, 1)))
)
@settings(max_examples=30)
def test_no_undefined_number_is_said(parts):
    table = answers(*[answer(f"c{i}", of, speaks, mean) for i, (of, speaks, mean) in enumerate(parts)])
    for sentence in (*says.in_short(table), says.finding(table), *says.conclusion(table)):
        assert sentence and "nan" not in sentence


def test_the_matrix_has_the_bilstm_everywhere_and_all_models_once():
    table = answers(
        answer(), answer(of="f1"), answer("imdb"), answer(model="CNN"), answer("imdb", model="CNN"),
        answer("ade", model="MiniLM", where="transformer"), answer("own", model="CNN", where="this folder"),
    )  # fmt: skip
    kept = says.chosen(table).drop_duplicates(["corpus", "model"])[["corpus", "model"]].to_numpy().tolist()
    assert kept == [
        ["sst", "BiLSTM"], ["imdb", "BiLSTM"], ["ade", "MiniLM"], ["own", "CNN"], ["sst", "CNN"]
    ]  # fmt: skip
    figure = says.matrix(table)
    (ax,) = figure.axes
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        "ranks words\nlike leave-\none-out?\n(τ > 0.5)",
        "needed at\nall?\n(F1 gained\n> 0.01)",
    ]
    weights = [label.get_weight() for label in ax.get_yticklabels()]
    assert weights == ["normal"] * 3 + ["bold", "normal"], "a run of this folder is bold"
    assert len([text for text in ax.texts if text.get_text() == "no"]) == 6
    plt.close(figure)
    figure = says.matrix(answers(answer() | {"holm": 0.01}, answer("imdb"), answer("ade", seeds=1)))
    bold = [text.get_weight() for text in figure.axes[0].texts if text.get_text() == "no"]
    assert sorted(bold) == ["bold", "normal", "normal"], "what stays decided after Holm's correction"
    plt.close(figure)


@pytest.mark.parametrize(
    "name", ["<img src=x onerror=alert(1)>", "$x_1$", "a" * 60, "![x](http://y.z)", "语料"]
)
def test_a_corpus_may_be_called_anything(name):
    table = answers(
        answer(name), answer(name, of="optimum") | {"reading": "far"}, answer(name, seeds=1, of="f1")
    )
    drawing = style.drawing(says.matrix(table), says.finding(table))
    assert "<img" not in drawing
    runs = rows(name, tau_loo=[0.3, 0.4], f1=[0.8, 0.9]).assign(where="this folder", training="", machine="")
    shuffled = answers(answer(name, of="median_change"))
    said = [*says.copying(runs), *says.in_short(table), says.not_claimed(shuffled, claims.table(runs))]
    assert "<img" not in " ".join(said) and "](" not in " ".join(said)
    plt.close("all")


def test_every_question_has_a_key():
    table = says.key()
    assert table["question"].tolist() == says.ORDER and table["how it is read"].str.len().min() > 10


def test_the_carried_numbers_say_something():
    """Of the project's own: no sentence without a number, no undefined one."""
    of_lengths, finding = says.lengths(verdict.word_lengths())
    said = [finding, *says.of_lengths(of_lengths), *says.copying(verdict.committed())]
    said += says.of_transformers(verdict.committed(), transformers.carried())
    said += says.lies_and_repairs(verdict.mended(), verdict.liars())
    for sentence in said:
        assert any(c.isdigit() for c in sentence) and "nan" not in sentence
    assert "never on the symbol that they write" in " ".join(said)


def test_claims_are_sorted_by_what_holds():
    names = claims.tally(claims.table(carried.empty())).index
    tallied = pd.DataFrame(0, index=names, columns=claims.ANSWERS)
    tallied.loc[names[0], "no"] = 3
    tallied.loc[names[1], ["yes", "one seed"]] = 2, 4
    tallied.loc[names[2], ["yes", "no"]] = 1
    tallied.loc[names[3], "open"] = 1
    bars = says.bars(tallied)
    assert bars["speaks"].tolist() == ["for", "", "", ""], "whom a claim speaks for comes first"
    assert bars.index.tolist() == [names[0], names[1], names[2], names[3]]
    assert bars["open"].tolist() == [0, 4, 0, 1]
    tallied.loc["τ with the gradient is modest for the BiLSTM (below 0.5)", "yes"] = 2
    assert says.bars(tallied)["topic"].tolist()[0] == "Against attention, if they hold"
    assert says.claims_finding(tallied) == (
        "Jain & Wallace's 5 claims, as we read them: of 1 against attention 1 holds wherever several seeds "
        "decide; of 4 others 1 holds wherever several seeds decide, 1 only on some corpora, 1 nowhere and 1 "
        "is undecided"
    )
    assert sum(map(len, says.kinds(tallied).values())) == len(tallied)


def test_general_vectors_may_help_or_not():
    cell = {"corpus": "sst", "statistic": "mean", "reported": 0.4, "mean_before": 0.2, "mean_after": 0.35}
    cell |= {"cell_before": "outside", "cell_after": "within"}
    assert "come nearer (sst): off by 0.05 in the median instead of 0.20, and 1 of 1" in says.general_vectors(
        pd.DataFrame([cell])
    )
    assert "no nearer" in says.general_vectors(pd.DataFrame([cell | {"mean_after": 0.7}]))


def test_published_numbers_within_by_hand():
    """Of three seeds alike a fourth lies within with probability a half, of two a third with one in three."""
    cells = pd.DataFrame(
        [("within", 3, False), ("outside", 3, False), ("outside", 2, False), ("one seed", 1, False),
         ("gap", np.nan, False), ("within", 5, True)],
        columns=["cell", "seeds", "partial"],
    ).assign(source="paper")  # fmt: skip
    assert says.within(cells) == (
        "Of 5 published numbers of whole corpora (means, standard deviations, shares of significant texts) 4 "
        "can be compared with runs of ours, 3 of them with several seeds; 1 of these lies within the seeds' "
        "range. If each published number were one more seed of ours, about 1 would."
    )
    assert "would" not in says.within(cells[cells["cell"] == "gap"])
    means = pd.DataFrame({"reported": [0.3, 0.5, 0.5], "ours": [0.3, 0.4, 0.4], "seeds": [3, 3, 1]})
    means = means.assign(low=means["ours"] - 0.02, high=means["ours"] + 0.02)
    assert (
        says.apart(means)
        == "Half of 3 published means lie within 0.10 of ours, 1 of 2 in the range of our seeds"
    )
    assert says.fits(means, cells) == (
        "If each published number were one more seed of ours, about 1 of these 2 means would lie there. Of "
        "all 3 published numbers that we can hold against several seeds (also standard deviations and shares "
        "of significant texts) 1 lies there, and about 1 would."
    )


def test_how_many_runs():
    nothing = verdict.Gathered(carried.empty(), 1, 5, 0)
    assert says.gathered(nothing) == ["1 finished run lies in this folder, and counts here, too."]
    (only,) = says.gathered(verdict.Gathered(carried.empty(), 0, 5, 2))
    assert "Left out are 2 rows" in only
    assert np.isfinite(says.found(1, 5, claims.table(carried.empty()))["found"]).all()


def test_the_readme_says_what_the_rows_say():
    """If rows change, its answer is written anew: these sentences."""
    rows = verdict.committed().assign(where=verdict.CARRIED)
    text = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    for sentence in says.in_short(paper_tests.answers(rows)):
        assert f"* {sentence}\n" in text, sentence


def test_the_readme_leads_to_what_is_there():
    text = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    for name in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert (paths.ROOT / name).exists(), name
    for chapter in paths.NOTEBOOKS.glob("[0-9][0-9]*.ipynb"):
        assert f"](notebooks/{chapter.name})" in text
