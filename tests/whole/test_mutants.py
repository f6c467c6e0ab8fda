"""A broken kernel turns committed outputs, or the tests, red."""

import pytest

import forked
import run_notebooks

pytestmark = pytest.mark.thorough
# A kernel broken in a way that a plausible edit could: (what, file, from, to, who should notice).
MUTANTS = [
    (
        "the attention mask is dropped",
        "models/attended.py",
        "model.scores(states, batch).masked_fill(~mask, -torch.inf)",
        "model.scores(states, batch)",
        "02_correlation.ipynb",
    ),
    (
        "gradient is let through the attention",
        "models/attended.py",
        "weights = weights.detach() if detach else weights",
        "weights = weights",
        "measures/test_gradients.py::test_gradient_is_the_finite_difference",
    ),
    (
        "the TVD is halved",
        "measures/divergence.py",
        "0.5 * np.abs(",
        "0.25 * np.abs(",
        "measures/test_divergence.py::test_binary_tvd_is_the_difference_of_the_positive_probability",
    ),
    (
        "the JSD is in bits",
        "measures/divergence.py",
        "found = 0.5 * (rel",
        "found = 0.5 / np.log(2) * (rel",
        "measures/test_divergence.py::test_jsd_and_tvd_by_hand",
    ),
    (
        "leave-one-out of the wrong token: the LSTM still knows the one that is gone",
        "measures/leave_one_out_lstm.py",
        "before = cuts - self.reader.step",
        "before = cuts",
        "measures/test_leave_one_out.py::test_a_word_is_deleted",
    ),
    (
        "backward states stay reversed",
        "models/encoders.py",
        "behind, _ = self.backwards(_reversed(x, lengths))\n",
        "behind, _ = self.backwards(_reversed(x, lengths))\n        behind = _reversed(behind, lengths)\n",
        "models/test_encoders.py::test_bilstm_is_torch_packed",
    ),
    (
        "the gradient keeps its sign",
        "measures/gradients.py",
        'slope.abs() if wrt == "token" else slope',
        "slope",
        "measures/test_gradients.py::test_gradient_is_the_finite_difference",
    ),
    (
        "the sigmoid's columns are swapped",
        "models/decoder.py",
        "[F.logsigmoid(-logits), F.logsigmoid(logits)]",
        "[F.logsigmoid(logits), F.logsigmoid(-logits)]",
        "models/test_head.py::test_head_is_what_numpy_says",
    ),
    (
        "a negator doesn't negate",
        "corpora/planted.py",
        "strength = -strength",
        "strength = strength",
        "corpora/test_planted.py::test_planted_labels_follow_from_the_words",
    ),
    (
        "the heatmap shows the draw that moves least",
        "experiments/heatmaps.py",
        "[(count - 1) // 2]",
        "[0]",
        "experiments/test_heatmaps.py::test_each_kind_of_attention_is_what_it_is_called",
    ),
    (
        "a full stop is no punctuation",
        "experiments/heatmaps.py",
        "any(c.isalnum() for c in unit)",
        "any(not c.isspace() for c in unit)",
        "experiments/test_heatmaps.py::test_the_table_is_what_its_parts_say",
    ),
    (
        "ε is doubled",
        "measures/exact.py",
        "check_epsilon(epsilon) + TOL",
        "2 * check_epsilon(epsilon) + TOL",
        "measures/test_exact.py::test_optimum_is_the_brute_force_one",
    ),
    (
        "the penalty has the printed sign",
        "measures/search.py",
        "return far + pairs - how.penalty",
        "return far + pairs + how.penalty",
        "measures/test_search.py::test_objective_is_the_papers",
    ),
    (
        "attention isn't permuted",
        "measures/permutation.py",
        "generator(seed, name).permuted(np.tile(attention, (count, 1)), axis=1)",
        "np.tile(attention, (count, 1))",
        "03_permutation.ipynb",
    ),
    (
        "the test split is the training split",
        "experiments/train.py",
        'collect(model, run.data("test")',
        'collect(model, run.data("train")',
        "experiments/test_train.py::test_the_evidence_is_of_the_test_split",
    ),
    (
        "what erasing leaves isn't renormalised",
        "measures/erasure.py",
        "left[..., :-1] / np.where(mass > 0, mass, 1)",
        "left[..., :-1]",
        "measures/test_erasure.py::test_each_unit_erased_is_a_forward_pass_without_it",
    ),
    (
        "the gradient by attention loses its sign",
        "measures/erasure.py",
        "return row.values @ (p[d] * slope).numpy()",
        "return np.abs(row.values @ (p[d] * slope).numpy())",
        "measures/test_erasure.py::test_slopes_are_the_models_own_derivative",
    ),
    (
        "the optimal order forgets how much attention a unit has",
        "measures/erasure.py",
        "np.lexsort((a, -(a * lead)))",
        "np.lexsort((a, -lead))",
        "measures/test_erasure.py::test_the_optimal_order_is_what_brute_force_finds",
    ),
    (
        "the other unit may be the top one",
        "measures/erasure.py",
        "other += other >= top",
        "other += 0",
        "measures/test_erasure.py::test_the_table_says_what_the_plain_algorithm_does",
    ),
    (
        "the adversary is drawn to the base's attention",
        "models/trained_adversary.py",
        "(change - weight * away)",
        "(change + weight * away)",
        "models/test_trained_adversary.py::test_the_objective_by_hand",
    ),
    (
        "given attention goes through a second softmax",
        "models/guided.py",
        "frozen(self.given)(self, batch).log()",
        "frozen(self.given)(self, batch)",
        "experiments/test_not_not.py::test_each_guided_model_has_the_attention_it_is_called_by",
    ),
    (
        "relevance isn't turned to the predicted class",
        "experiments/not_not.py",
        "(1 if c == 1 else -1)",
        "1",
        "experiments/test_not_not.py::test_deception_by_hand",
    ),
    (
        "attention doesn't read the question",
        "models/attentions.py",
        "inner if self.query is None else inner + self.query(query)[:, None]",
        "inner",
        "models/test_reader.py::test_the_reader_is_the_papers",
    ),
    (
        "the answer doesn't depend on the question",
        "models/reader.py",
        "return self.of_query(self.read_query(batch.query))",
        "return self.of_query.bias.expand(len(batch.ids), -1)",
        "models/test_reader.py::test_the_reader_is_the_papers",
    ),
    (
        "the mean of a question counts its padding",
        "models/encoders.py",
        "(states * real).sum(1) / real.sum(1).clamp(min=1)",
        "states.mean(1)",
        "models/test_reader.py::test_the_reader_is_the_papers",
    ),
    (
        "one word alone is no candidate",
        "measures/exact.py",
        "np.concatenate([tokens[k], np.arange(len(a))])",
        "np.concatenate([tokens[k], tokens[:1]])",
        "measures/test_exact.py::test_a_long_text_tries_every_word_alone",
    ),
    (
        "streamed rows stand in the order of their lengths",
        "evidence.py",
        "rows.pop(i) for i in window.tolist()",
        "rows.pop(i) for i in list(rows)",
        "models/test_reader.py::test_the_reader_is_the_papers",
    ),
    (
        "relevance isn't turned to the gold label",
        "measures/relevance.py",
        "(1 if row.label == 1 else -1)",
        "1",
        "measures/test_relevance.py::test_relevance_is_what_the_model_says_of_one_unit",
    ),
    (
        "the match is looked up the wrong way round",
        "measures/relevance.py",
        "np.flatnonzero(u == u.max())",
        "np.flatnonzero(v == v.max())",
        "measures/test_relevance.py::test_agreement_is_the_definition",
    ),
    (
        "a match may not be equal",
        "measures/relevance.py",
        "(v > v[top]).sum()",
        "(v >= v[top]).sum()",
        "measures/test_relevance.py::test_agreement_is_the_definition",
    ),
    (
        "the influence of a word forgets its sign",
        "measures/relevance.py",
        "row.prediction[row.label] - left[:, column]",
        "abs(row.prediction[row.label] - left[:, column])",
        "measures/test_relevance.py::test_dropped_is_the_gold_labels_probability",
    ),
    (
        "the flow's attention runs away from relevance",
        "measures/relevance.py",
        "[-p, p, (state[1] - state[0])",
        "[-p, p, (state[0] - state[1])",
        "measures/test_relevance.py::test_closed_form_is_the_flow",
    ),
    (
        "ξ is of the last step that agrees",
        "experiments/relevance.py",
        'next(iter(steps.loc[steps["attention_agrees"] > given, "accuracy"]), np.nan)',
        'next(iter(steps.loc[steps["attention_agrees"] > given, "accuracy"][::-1]), np.nan)',
        "experiments/test_relevance.py::test_xi_is_the_accuracy_at_the_first_step_that_agrees_more",
    ),
    (
        "uniform training starts where the run does",
        "experiments/relevance.py",
        'attention="uniform", erasure_weight=0, seed=unused(run)[0]',
        'attention="uniform", erasure_weight=0, seed=run.params.seed',
        "experiments/test_relevance.py::test_the_table_is_the_definitions",
    ),
    (
        "the threshold of ξ is over all texts",
        "experiments/relevance.py",
        'seen = of_texts[of_texts["id"].isin(run.table("watched")["id"])]',
        "seen = of_texts",
        "experiments/test_relevance.py::test_the_summary_has_every_measure",
    ),
    (
        "uniform translation starts where the run does",
        "experiments/translation.py",
        'attention="uniform", seed=seed + 2',
        'attention="uniform", seed=seed',
        "experiments/test_translation.py::test_each_has_a_seed_of_its_own",
    ),
    (
        "a head counts as often as it is tried",
        "experiments/heads.py",
        "stats.t_interval(each,",
        "stats.t_interval(learnt,",
        "experiments/test_heads.py::test_a_head_that_is_tried_often_counts_once",
    ),
    (
        "permutations are drawn with repetition",
        "experiments/copying.py",
        'if p.corpus == "copy-iid":\n        codes',
        'if p.corpus != "copy-chosen":\n        codes',
        "experiments/test_copying.py::test_sequences_are_what_they_are_called",
    ),
    (
        "the decoder is told what it is to write",
        "experiments/copying.py",
        "np.pad(codes, ((0, 0), (1, 0))",
        "np.pad(codes, ((0, 0), (0, 1))",
        "experiments/test_copying.py::test_sequences_are_what_they_are_called",
    ),
    (
        "attention is a softmax over the steps",
        "models/seq2seq.py",
        "-torch.inf)).softmax(2)",
        "-torch.inf)).softmax(1)",
        "models/test_seq2seq.py::test_the_model_is_the_plain_one",
    ),
    (
        "relevance is of the symbol told, not of the one to be written",
        "models/seq2seq.py",
        "source if target is None else target, strict",
        "given if target is None else target, strict",
        "models/test_seq2seq.py::test_the_model_is_the_plain_one",
    ),
    (
        "one after is one before",
        "experiments/copying.py",
        "late, 1, 2).mean()",
        "-late, 1, 2).mean()",
        "experiments/test_copying.py::test_hits_are_counted_by_hand",
    ),
    (
        "of several largest weights each counts as one",
        "experiments/copying.py",
        "np.diagonal(top / top.sum(2, keepdims=True)",
        "np.diagonal(top",
        "experiments/test_copying.py::test_hits_are_counted_by_hand",
    ),
    (
        "without context there is one",
        "models/seq2seq.py",
        '(self.how != "none")',
        '(self.how != "nothing")',
        "models/test_seq2seq.py::test_the_model_is_the_plain_one",
    ),
    (
        "padding is attended to",
        "models/seq2seq.py",
        "scores.masked_fill(~real[:, None], -torch.inf)",
        "scores",
        "models/test_seq2seq.py::test_padding_changes_nothing",
    ),
    (
        "the search forgets which beginning a piece goes on from",
        "experiments/translation.py",
        "part[:, going_on]",
        "part[:, [0 for _ in going_on]]",
        "experiments/test_translation.py::test_a_search_is_the_plain_one",
    ),
    (
        "a training that goes on draws other dropout",
        "experiments/translation.py",
        'torch.set_rng_state(state["random"])',
        "pass",
        "experiments/test_translation.py::test_an_interrupted_training_goes_on",
    ),
    (
        "what several heads bring is summed",
        "models/seq2seq.py",
        "self.mixed(decoded, brought / self.heads)",
        "self.mixed(decoded, brought)",
        "models/test_seq2seq.py::test_the_model_is_the_plain_one",
    ),
    (
        "what is meant is looked for where weights are least",
        "experiments/translation.py",
        "np.argmax(getattr(one, kind)[k])",
        "np.argmin(getattr(one, kind)[k])",
        "experiments/test_translation.py::test_a_made_language_can_be_learnt",
    ),
    (
        "a token counts once in a bag, however often it stands in the text",
        "models/attended.py",
        "scores + batch.counts.to(scores).log()",
        "scores",
        "models/test_training.py::test_training_on_bags_is_training",
    ),
    (
        "an empty line is taken",
        "corpora/parallel_text.py",
        "if not line.strip():",
        "if False:",
        "corpora/test_parallel_text.py::test_files_that_do_not_fit",
    ),
    (
        "a difference of two models' F1 draws other texts for each",
        "measures/stats.py",
        "f1_of(predicted, rows) - f1_of(less, rows)",
        "f1_of(predicted, rows) - f1_of(less, rows[::2])",
        "measures/test_stats.py::test_f1_is_sklearns",
    ),
    (
        "relevance of three classes forgets the mean of all",
        "experiments/not_not.py",
        "values[:, c] - values.mean(1)",
        "values[:, c]",
        "experiments/test_not_not.py::test_deception_of_three_classes_by_hand",
    ),
    (
        "chapter 01's rows are called by the grid of chapter 07",
        "params.py",
        "COMPUTING | {*RIVALS, *LYING} - {*read}",
        "COMPUTING",
        "experiments/test_not_not.py::test_rows_are_called_by_what_they_depend_on",
    ),
    (
        "every text has the same draws",
        "measures/search.py",
        "default_rng([seed, *name.encode()])",
        "default_rng([seed])",
        "measures/test_search.py::test_a_search_starts_from_draws_of_the_texts_own",
    ),
    (
        "every text is permuted in the same way",
        "measures/search.py",
        "default_rng([seed, *name.encode()])",
        "default_rng([seed])",
        "measures/test_permutation.py::test_texts_of_one_length_are_permuted_apart",
    ),
    (
        "a mean stands for the median",
        "measures/permutation.py",
        "np.median(changes(row, count, seed))",
        "np.mean(changes(row, count, seed))",
        "measures/test_permutation.py::test_the_median_by_hand_is_not_the_mean",
    ),
    (
        "conicity is taken over padding",
        "measures/conicity.py",
        "of_states(states, counted(model, batch))",
        "of_states(states, torch.ones(states.shape[:2]))",
        "measures/test_conicity.py::test_conicity_is_that_of_a_text_alone",
    ),
    (
        "an orthogonal state leaves out the part along the last state alone",
        "models/encoders.py",
        "before = before + h",
        "before = h",
        "models/test_encoders.py::test_an_orthogonal_bilstm_is_the_plain_loop",
    ),
    (
        "leave-one-out of sparse attention is put together as a softmax's",
        "measures/leave_one_out.py",
        " or way_of_weighing(attention) is not None:",
        ":",
        "measures/test_leave_one_out.py::test_a_word_is_deleted",
    ),
    (
        "a lie is about what is permitted",
        "models/lying.py",
        "own.masked_fill(~permitted[asked]",
        "own.masked_fill(permitted[asked]",
        "models/test_lying.py::test_the_loss_by_hand",
    ),
    (
        "a quoted field may go on after its closing quote",
        "corpora/user_corpus.py",
        "delimiter=delimiter, strict=True)",
        "delimiter=delimiter)",
        "corpora/test_user_corpus.py::test_rows_are_never_lost",
    ),
    (
        "texts are looked for in dev instead of train",
        "corpora/checks.py",
        'seen = {*_whole(corpus.splits["train"])}',
        'seen = {*_whole(corpus.splits["dev"])}',
        "corpora/test_checks.py::test_counts_are_plain_counts",
    ),
    (
        "the best order is sought from 0 on, though all changes may be below",
        "measures/orders.py",
        "nothing = np.inf if choose is np.minimum else -np.inf",
        "nothing = 0.0",
        "measures/test_orders.py::test_bounds_are_those_of_all_orders",
    ),
    (
        "the soft metrics' chances are swapped",
        "measures/faithfulness.py",
        "say(torch.from_numpy(draws >= q)), say(torch.from_numpy(draws < q))",
        "say(torch.from_numpy(draws < q)), say(torch.from_numpy(draws >= q))",
        "measures/test_faithfulness.py::test_soft_metrics_as_they_are_written",
    ),
    (
        "what is taken out becomes padding",
        "measures/parts.py",
        "np.where(own, codes, UNKNOWN)",
        "np.where(own, codes, 0)",
        "measures/test_parts.py::test_a_part_is_what_the_model_says_of_it_alone",
    ),
    (
        "a dollar begins mathematics in a legend",
        "show/words.py",
        'return text.replace("$", r"\\$")',
        "return text",
        "show/test_words.py::test_a_dollar_is_a_dollar_in_a_figure",
    ),
]


# Whether a test fails is asked, and not how: nothing is made smaller, and no difference is drawn.
ASKED = ["-x", "-p", "no:nbval", "--assert=plain", "--hypothesis-profile", "mutants"]


@pytest.fixture(scope="session")
def warmed():
    """A process that has imported what heed needs: a mutant's tests begin at once."""
    with forked.Warmed() as server:
        yield server


@pytest.mark.parametrize(("what", "file", "old", "new", "notebook"), MUTANTS, ids=[m[0] for m in MUTANTS])
def test_a_broken_kernel_is_noticed(tmp_path, request, what, file, old, new, notebook):
    copy = run_notebooks.copy(tmp_path)
    path = copy / "lib" / "heed" / file
    source = path.read_text()
    assert source.count(old) == 1, f"{file} has changed: write the mutant anew"
    path.write_text(source.replace(old, new))
    if ".py" in notebook:
        found = request.getfixturevalue("warmed").pytest(copy, *ASKED, f"tests/{notebook}")
    else:
        found = run_notebooks.nbval(copy, notebook, "-x")
    assert found.returncode == 1, f"{what}: nobody notices\n{found.stdout[-2000:]}"
