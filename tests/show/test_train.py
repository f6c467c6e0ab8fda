"""Chapter 01's sentences and tables: of every run something true, of none nothing."""

import re
from dataclasses import replace
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from chapters import NOTHING
from heed import verdict
from heed.show import figures, train


@pytest.fixture
def often(monkeypatch):
    """In so few texts five times is often."""
    monkeypatch.setattr(train, "OFTEN", 5)


@pytest.fixture
def peaks(finished):
    return train.peaks_of(finished.evidence)


def test_the_answer_has_this_runs_scores(finished, peaks):
    table = train.beside_the_paper()
    words = train.attended(finished.evidence)
    said = " ".join(train.in_short(finished, finished.evidence, peaks, words, table))
    assert f"gets {finished.info()['scores']['test']['accuracy']:.1%} of " in said
    assert train.gets(peaks.dropna(subset=["mass"]))[1:] in said and not NOTHING.search(said)
    assert train.worst(table) in said and train.beside_theirs(table) in said
    peak = train.peaks_on_real_text()["peak"]
    assert f"is {peak.min():.0%} ({peak.idxmin()}) to {peak.max():.0%} ({peak.idxmax()}) on average" in said
    assert len(said.split()) < 125
    unknown = peaks.assign(mass=np.nan)
    said = " ".join(train.in_short(finished, finished.evidence, unknown, words, table))
    assert f"the highest weight of a text is {peaks['peak'].mean():.2f} on average" in said
    none = train.in_short(finished, finished.evidence, peaks.iloc[:0], words.iloc[:0], table.iloc[:0])
    assert len(none) == 1


def test_peaks_by_hand(finished, peaks):
    i = int(peaks.index[0])
    row = finished.evidence[i]
    assert peaks.loc[i, "peak"] == row.attention.max() and peaks.loc[i, "even"] == 1 / row.real.sum()
    assert peaks.loc[i, "mass"] == pytest.approx(row.attention[row.truth].sum())
    assert 0 <= peaks["entropy"].min() and peaks["entropy"].max() <= 1 + 1e-9


def test_scores_have_an_interval(finished):
    said = train.predicts(finished, finished.evidence)
    right = (finished.evidence.labels == finished.evidence.predicted).mean()
    low, high = map(float, re.search(r"texts: ([\d.]+)% to ([\d.]+)%[)]. Always", said).groups())
    assert said.startswith(f"This model gets {right:.1%} of the ") and low <= 100 * right <= high


def test_well_is_half_of_the_mistakes_of_guessing():
    found = [train.verdict_on(score, 0.6) for score in (0.81, 0.79, 0.6)]
    assert found == ["Yes.", "Only somewhat.", "No."]
    assert train.verdict_on(0.81, 0.6, "Elsewhere it is wrong.") == "Some predict well."


def test_how_uneven_is_told():
    table = pd.DataFrame({"peak": [0.5, 0.4], "even": [0.1, 0.1], "entropy": [0.5, 0.5]})
    assert train.spreads(table).startswith("Attention is uneven") and "would be 0.10." in train.spreads(table)
    assert "nearly even" in train.spreads(table.assign(peak=0.11))


def test_words_are_told_by_what_they_get_where_they_stand(finished, often):
    """Against a count by hand of the first word."""
    words = train.attended(finished.evidence)
    assert (words["texts"] >= train.OFTEN).all() and words["times"].is_monotonic_decreasing
    top, got = words.iloc[0], []
    for row in finished.evidence:
        got += [row.attention[i] * row.real.sum() for i, unit in enumerate(row.units) if unit == top["word"]]
    assert top["texts"] == len(got) and top["times"] == pytest.approx(np.mean(got))
    assert top["low"] < top["times"] < top["high"]
    first = f"Most attention, {np.mean(got):.1f} times an even share on average, is on “{top['word']}”"
    assert train.most_attended(words.assign(decides=np.nan)) == first
    title = "Of the {} most attended words {}, of all {} frequent words {}"
    many = pd.concat([words] * 20, ignore_index=True)
    shown, of = train.SHOWN, len(many)
    none = many.assign(word="a$b$", decides=0.0)
    assert train.most_attended(none) == title.format(shown, "none decides labels", of, "none")
    half = many.assign(decides=np.arange(of) % 2)
    assert train.most_attended(half) == title.format(shown, f"{shown // 2} decide labels", of, of // 2)
    few = half.head(3)
    assert train.most_attended(few) == "Of 3 frequent words 1 decides labels"


@pytest.mark.parametrize("known", [True, False])
def test_each_word_is_a_point(known):
    words = pd.DataFrame(
        {"word": ["a$b$", "b", "c"], "texts": 5, "times": [3.0, 2, 1], "decides": [1.0, 0, 0]}
    ).assign(low=0.5, high=4.0)
    words = words if known else words.assign(decides=np.nan)
    figure = figures.most_attended(words, 3)
    points = [line for line in figure.axes[0].lines if line.get_marker() in ("o", "D")]
    assert sum(len(line.get_xdata()) for line in points) == 3 and len(points) == 1 + known
    plt.close(figure)
    many = pd.concat([words] * 3, ignore_index=True)
    figure = figures.most_attended(many, 2)
    points = [line for line in figure.axes[0].lines if line.get_marker() in ("o", "D")]
    assert sum(len(line.get_xdata()) for line in points) == 5
    assert "the 3 least attended of 9" in [text.get_text() for text in figure.axes[0].texts]
    figure.canvas.draw()
    plt.close(figure)


def test_every_seed_of_f1_is_a_point():
    real = train.f1_of_sst()
    figure = figures.f1(real, train.reported_on_sst())
    points = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert sum(len(line.get_xdata()) for line in points) == len(real)
    assert f"{train.reported_on_sst():.2f}" in train.range_on_sst(real)
    plt.close(figure)


def test_other_vectors_are_told_of_two_corpora():
    _, of_sst, of_20news = train.other_vectors()
    assert "On sst (profile `paper`)" in of_sst and "with random vectors." in of_sst
    assert "On 20news (profile `paper2019`)" in of_20news and "with spaCy's." in of_20news
    assert train.of_seeds(pd.Series([0.801, 0.802])) == "0.80 (2 seeds)"
    assert train.of_seeds(pd.Series([0.7, 0.8])) == "0.75 (0.70 to 0.80 over 2 seeds)"


def test_many_answers_are_told_of_the_most_frequent(finished):
    table = train.confusion(finished.evidence, finished.corpus.classes)
    assert table.drop(columns="").to_numpy().sum() == len(finished.evidence)


def test_the_corpus_in_tables(finished):
    sizes = train.sizes(finished.corpus)
    assert [*sizes["split"]] == ["train", "dev", "test"]
    assert sizes.filter(like="label").sum(axis=1).tolist() == sizes["texts"].tolist()
    ours = ["ours, sst, paper", "ours, sst, paper2019"]
    assert [*train.beside_table1(finished)[""]] == [*ours, "Jain & Wallace, sst"]
    assert train.excluded(finished.corpus) == []
    assert train.split_by(finished) == "; train and test: negative / positive"
    assert f"{finished.params.batch_size} texts a step" in train.settings(finished)
    assert (
        train.reported_score(finished)
        == "Jain & Wallace don't have this corpus, so there is no score of theirs to compare."
    )
    (first, *_) = train.first_texts(finished)
    assert first.startswith("**") and any(word.isupper() for word in first.split())
    sums = dict(re.findall("(negative|positive) (−?[0-9]+)", first.split("(sums: ")[1]))
    highest = max(sums, key=lambda name: int(sums[name].replace("−", "-")))
    assert first.startswith(f"**{highest}**")


def test_the_paper_stands_beside_a_corpus_of_its_own(finished, monkeypatch):
    from heed import verdict

    paper = verdict.table1().query("corpus == 'sst'").assign(corpus="planted")
    monkeypatch.setattr(verdict, "table1", lambda: paper)
    table = train.beside_table1(finished)
    assert [*table[""]] == ["this run, planted", "Jain & Wallace, planted"]
    test = finished.corpus.splits["test"]
    assert table["test"][0] == " / ".join(map(str, np.bincount(test.labels)))
    assert table["test"][1] == "863 / 862"
    assert train.reported_score(finished).startswith("Jain & Wallace report ")


def test_the_epoch_that_is_kept():
    curve = pd.DataFrame({"epoch": [1, 2], "loss": [0.7, 0.1], "score": [0.8, 0.9], "chosen": [False, True]})
    assert (
        train.kept(curve, "F", "dev") == "Epoch 2 of 2 is kept (F 0.90 on the development texts); "
        "the training loss falls from 0.70 to 0.10"
    )


def test_punctuation_is_told(finished, peaks):
    assert (
        train.is_punctuation("...") and not train.is_punctuation("don't") and not train.is_punctuation("汉")
    )
    row = finished.evidence[int(peaks["peak"].idxmax())]
    said = train.most_peaked(row, finished.corpus.classes, {}, "bilstm")
    assert f"probability of {row.prediction.max():.2f}." in said[0]
    assert f"{row.attention.max():.0%} of this text's attention is on" in train.highest_bar(row)
    assert "bold" in train.highest_bar(row) and "bold" not in train.highest_bar(replace(row, truth=None))
    alone = replace(row, units=["x"] * (len(row.units)))
    for top, named in (
        (".", "Most of its attention is on the full stop."),
        ("!", "has no letter and no digit."),
    ):
        own = replace(alone, units=[top] * len(row.units))
        said = train.most_peaked(own, finished.corpus.classes, {}, "bilstm")
        assert named in said[1] and "chapter 10" in said[2]
        assert len(train.most_peaked(own, finished.corpus.classes, {}, "average")) == 2
    assert len(train.most_peaked(alone, finished.corpus.classes, {}, "bilstm")) == 1


def test_the_question_is_answered(finished, often):
    words = train.attended(finished.evidence)
    table = train.beside_the_paper()
    said = " ".join(train.answer(finished, finished.evidence, words, table))
    assert "there is little to explain" in said
    deciding = (words.head(train.SHOWN)["decides"] > 0.5).sum()
    assert f"attends to most, {deciding or 'none'} decide" in said
    idle = words.head(train.SHOWN).query("decides == 0")
    assert ("a word that decides nothing may get much" in said) == (len(idle) > 0)
    told = train.against_truth(words)
    assert (f"gets {idle['times'].max():.1f} times an even share" in told) == (idle["times"] > 1).any()
    assert len(train.answer(finished, finished.evidence, words.iloc[:0], table.iloc[:0])) == 1
    some = words.assign(word=["not", *words["word"][1:]], times=0.0, decides=1.0)
    assert train.against_truth(some) == ""
    both = pd.concat([some, some[:1].assign(word=".", decides=0.0, times=2.0)])[::-1]
    told = train.against_truth(both)
    assert told == "Yet the full stop, which decides nothing, gets 2.0 times an even share."
    assert "and one that decides, almost none." in train.answer(finished, finished.evidence, both, table)[-1]


def test_the_bilstm_beside_the_paper():
    table = train.beside_the_paper()
    row = table[table["corpus"] == "sst"].iloc[0]
    assert row[train.THEIRS] == train.reported_on_sst() and row["seeds"] == 5
    assert row[train.GUESSED] == pytest.approx(2 / 3) and table[train.GUESSED].notna().all()
    shown = train.scores_and_corpora(table)
    assert len(shown) == len(table) and shown["texts"].all()
    assert shown["ours (seeds)"][0] == f"{table['ours'][0]:.2f} ({table['seeds'][0]})"
    assert f"{table['apart'].max():.2f} apart (" in train.apart(table) and not train.apart(table[:0])
    assert train.scores_and_corpora(table.iloc[:0]).empty
    wrong = table.assign(ours=0.4)
    assert "wrong in most cases" in train.worst(wrong) and "sst" not in train.worst(wrong)
    assert f"of {len(table)} stored corpora (" in train.worst(wrong)
    assert train.hardly(table).startswith("The verdict (chapter 12) leaves out babi3-1k, where")
    assert "It keeps world3, where" in train.hardly(table) and not train.hardly(table.iloc[:0])
    kept = table[table["corpus"] != "babi3-1k"]
    assert train.hardly(kept).startswith("On world3 it does better than guessing")
    low = (table[train.THEIRS] - table["ours"]) >= train.APART
    told = f"On {(table[train.THEIRS].notna() & ~low).sum()} of {table[train.THEIRS].notna().sum()} corpora"
    assert train.beside_theirs(table).startswith(told) and "by 0.16 on snli (part)" in train.beside_theirs(
        table
    )
    assert "lower" not in train.beside_theirs(table.assign(ours=1.0)) and not train.beside_theirs(table[:0])
    assert train.beside_theirs(table.assign(ours=0.0)).startswith("On none of")
    assert train.worst(table.assign(ours=0.6)) == train.worst(table.iloc[:0]) == ""


def test_why_scores_differ_is_told():
    """Of the corpora that are here in part, and of those whose scores are apart; of no others."""
    table = train.beside_the_paper()
    apart = table[(table["ours"] - table[train.THEIRS]).abs() >= train.APART]
    part = table[table["corpus"].str.endswith("(part)") & table[train.THEIRS].notna()]
    said = train.differ(table)
    assert len(said) == len({*apart["corpus"], *part["corpus"]})
    for row in apart.to_dict("records"):
        assert any(f"{row['ours']:.2f}, Jain & Wallace {row[train.THEIRS]:.2f}" in line for line in said)
    (snli,) = (line for line in said if "snli" in line)
    assert "31,641 training texts, and Jain & Wallace 549,367" in snli
    alike = table.assign(ours=table[train.THEIRS])
    assert all("alike all the same" in line for line in train.differ(alike))
    assert train.differ(table.iloc[:0]) == []


def test_what_attention_does_on_real_text_is_told_of_carried_rows():
    """Against the rows of one corpus."""
    said = train.on_real_text()
    rows = verdict.plain(verdict.committed()).query(
        "corpus == 'babi1' and profile == 'paper' and encoder == 'bilstm' and attention == 'additive'"
    )
    of = rows[rows["class"] == "overall"].groupby("measure")["mean"].mean()
    share = f"babi1 {of['punctuation']:.0%} of the attention, {of['punctuation_units']:.0%} of the tokens"
    assert share in said[-1] and said[-1].startswith("On the 3 corpora for which this is stored punctuation ")
    assert f"{of['auroc_attention']:.2f} (babi1)" in said[-2] and "by chance it is 0.50." in said[-2]
    assert "On babi2 attention is very peaked, and most answers are right; whether" in said[-2]
    assert "babi3-1k" not in said[-2]


def test_the_need_for_attention_is_told_of_carried_runs(monkeypatch):
    said, found = train.needs_attention(), train.not_not.with_and_without()
    several = found[found["seeds"] >= train.SEVERAL]
    assert "predict well? On real text hardly: chapter 07's" in said
    sure = f"{len(several)} of these have {train.SEVERAL} seeds or more, and on none of them the loss"
    assert f"of F1 on {len(found)} corpora. {sure} is beyond chance." in said
    for told, rows in (("text somewhat: ", found.assign(gain=0.2)), ("", found.iloc[:0])):
        monkeypatch.setattr(train.not_not, "with_and_without", lambda rows=rows: rows)
        assert told in train.needs_attention() and bool(train.needs_attention()) == bool(told)


def test_even_shares_are_of_a_text_of_mean_length():
    lengths = verdict.sizes().query("profile == 'paper'").set_index("corpus")["mean_length"].astype(float)
    found = train.shares_of_even(pd.Series({"sst": 2 / lengths["sst"], "imdb": 3 / lengths["imdb"]}))
    assert found["times"].to_dict() == pytest.approx({"imdb": 3, "sst": 2})


def test_highest_weights_stand_beside_even_shares():
    found = train.peaks_on_real_text()
    assert found["times"].is_monotonic_decreasing and (found["times"] > 1).all()
    assert found["peak"].to_numpy() == pytest.approx(found["times"] * found["even"])
    assert "babi3-1k" not in found.index and train.guessed_on() == ["babi3-1k"]
    assert "only guesses: babi3-1k." in train.what_is_drawn()
    assert {*found.index[found["made"]]} == {"babi1", "babi2", "world3"}
    real, stories = found[~found["made"]], found[found["made"]]
    assert train.most_uneven(found).endswith(" gets 1.6 (snli) to 62 (babi2) times an even share")
    assert " to " not in train.most_uneven(found[:1])
    figure = figures.uneven(found)
    points = [line.get_xdata() for line in figure.axes[0].lines]
    assert len(points) == 3 and points[1] == pytest.approx(real["peak"].to_numpy())
    assert points[2] == pytest.approx(stories["peak"].to_numpy())
    plt.close(figure)


def test_negators_are_told_of_planted_alone(finished):
    evidence, p = finished.evidence, finished.params
    words = pd.DataFrame({"word": ["good", "not", "never"], "times": [2.0, 0.01, 0.01]})
    said = train.of_negators(evidence, words, p)
    assert said.startswith(
        "The negators “not” and “never” turn an opinion word around and get less than 0.05 of"
    )
    texts, right, without = train.hang_on_negators(evidence)
    assert 0 <= right <= texts <= len(evidence)
    assert (f"model gets {right or 'none'} right of the {texts} texts" in said) == (texts > 1)
    assert (f"and {without or 'none'} if no attention is on negators." in said) == (texts > 0)
    assert "get 2.0 and 2.0 times an even share" in train.of_negators(evidence, words.assign(times=2.0), p)
    assert train.of_negators(evidence, words[:2], p).startswith("The negator “not” turns an opinion word")
    assert train.of_negators(evidence, words[:1], p) == ""
    assert train.of_negators(evidence, words, SimpleNamespace(corpus="sst")) == ""
    assert train._carry(10, 9, "bilstm") and not train._carry(10, 8, "bilstm")
    assert not train._carry(10, 9, "average") and not train._carry(0, 0, "bilstm")


def test_texts_that_hang_on_a_negator_by_hand():
    """The second text's label would be the same without it."""
    head = SimpleNamespace(
        probs=lambda attention: np.array([0.9, 0.1]) if attention[0] == 0 else np.array([0.1, 0.9])
    )
    made = [
        SimpleNamespace(units=units, label=0, prediction=np.array([0.1, 0.9]), attention=np.full(3, 1 / 3),
                        probs=head.probs)
        for units in (["not", "good", "."], ["never", "bad", "bad"], ["not", "bad", "."])
    ]  # fmt: skip
    made[2].label = 1
    assert train.hang_on_negators(made[:2]) == (1, 0, 1)
    assert train.hang_on_negators(made[2:]) == (1, 1, 0)
    assert train.hang_on_negators([SimpleNamespace(**{**vars(made[0]), "units": ["the", "bad", "."]})]) == (
        0,
        0,
        0,
    )


def test_the_most_frequent_mistake_by_hand():
    made = SimpleNamespace(labels=np.array([0, 0, 1, 1]), predicted=np.array([1, 1, 0, 1]))
    said = train.mistakes(made, ["no", "<b>"])
    assert said.startswith("Of 3 mistakes the most frequent, 2 times, is to take “no” for “")
    assert "<b>" not in said
    for count, who in ((1, "The one mistake takes"), (2, "Both mistakes take"), (3, "All 3 mistakes take")):
        own = SimpleNamespace(labels=np.zeros(count, int), predicted=np.ones(count, int))
        assert train.mistakes(own, ["no", "yes"]) == f"{who} “no” for “yes”."
    none = SimpleNamespace(labels=made.labels, predicted=made.labels)
    assert train.mistakes(none, ["no", "yes"]) == "No mistake."


def test_attention_on_what_people_marked(monkeypatch):
    rows = pd.DataFrame(
        {"corpus": "movies", "encoder": "average", "attention": "additive", "class": "overall",
         "profile": "paper", "measure": ["marked_share", "marked_mass_attention"], "mean": [0.30, 0.32]}
    )  # fmt: skip
    monkeypatch.setattr(verdict, "plain", lambda _: rows)
    for mass, how in ((0.32, "hardly more"), (0.6, "more"), (0.2, "no more")):
        rows.loc[1, "mean"] = mass
        (said,) = train.on_marked()
        assert f"are 30% of a text and get {mass:.0%} of the attention: {how} than their share." in said
        assert "(`movies`, chapter 11; Average)" in said
    monkeypatch.setattr(verdict, "plain", lambda _: rows.iloc[:0])
    assert train.on_marked() == []


def test_texts_are_introduced_as_they_are_written(finished):
    said = train.how_to_read(finished.corpus)
    assert said.endswith("in capitals.") and "question" not in said
    split = SimpleNamespace(truth=None, queries=[["where"]])
    asked = train.how_to_read(SimpleNamespace(splits={"train": split}))
    assert "capitals" not in asked and asked.endswith("about a text follows it.")
    assert "most frequent" in train.directions(["a"] * 9) and "table" not in train.directions(["a"] * 8)


def test_our_own_sentences_are_told_where_no_text_is_kept():
    said = train.of_our_sentences(["worst"])
    assert said.endswith("most attention, 0.79, is on “worst”.") and "film of the year" in said
