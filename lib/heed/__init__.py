"""heed: does a model heed what it attends to?

What most people need is here by name; each is imported when it is first used.

    Run            one run of a grid: Run.of(corpus="planted", encoder="bilstm").table("correlation")
    Evidence       what a model's attention decided, a row a text: Evidence.open(path)
    Row            one text of it: attention, values, prediction, row.probs(attention); of your own
                   arrays, lists, tensors or Series: Row.of(tokens, attention, values, head)
    Head           what turns an attended context into a prediction
    TokenStrip     a text whose weights are moved by hand: TokenStrip(tokens, attention, values, head)
    Explorer       the same for the texts of all finished runs, with controls
    read           your own sentence: read("The film is not bad at all.", run)
    Beside         one text as two models read it: Beside(read(text, run), read(text, other))
    evidence_from_hf  evidence of a transformer that classifies, by its name or folder: a row a text and head
    evidence_from  evidence of any torch module that pools by attention
    optimum        the most different attention within ε of a prediction, exactly where that is known
    jsd, tvd       distances between attentions (nats), and between predictions
    kendall        Kendall's τ-b of two rankings, with equal values as ties
    leave_one_out  logits without each token, of a trained model
    gradients      slopes of the prediction at each token
    page           an executed notebook as one HTML file that needs no network
    HeedError      every error that heed raises on purpose: one sentence that says what to do

The rooms, from the ground up, each importing downwards only: corpora, models, evidence, measures, runs,
experiments, verdict, show. README.md, "What is where".

One glossary of axis letters, used in every shape comment:

    B instances of a batch      T tokens of an instance     E embedding size
    H size of a hidden state    D columns of the values     C classes
    K adversaries               P permutations              N all tokens of a set, end to end

Attention a lies in the simplex over the T tokens that may be attended to. Probabilities are
probabilities, logarithms are natural, a JSD is in nats and is at most ln 2 = 0.6931.
"""

import lazy_loader

from heed.version import VERSION as __version__  # noqa: F401

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "errors": ["HeedError"],
        "evidence": ["Evidence", "Row"],
        "measures.divergence": ["jsd", "tvd"],
        "measures.exact": ["optimum"],
        "measures.gradients": ["gradients"],
        "measures.kendall": ["kendall"],
        "measures.leave_one_out": ["leave_one_out"],
        "models.head": ["Head"],
        "own_models": ["evidence_from", "evidence_from_hf"],
        "runs.run": ["Run"],
        "show.beside": ["Beside"],
        "show.explorer": ["Explorer"],
        "show.export_html": ["page"],
        "show.read": ["read"],
        "show.strip": ["TokenStrip"],
    },
)
