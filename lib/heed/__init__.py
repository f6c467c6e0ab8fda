"""heed: does a model heed what it attends to?

One glossary of axis letters, used in every shape comment:

    B instances of a batch      T tokens of an instance     E embedding size
    H size of a hidden state    D columns of the values     C classes
    K adversaries               P permutations              N all tokens of a set, end to end

Attention a lies in the simplex over the T tokens that may be attended to. Probabilities are
probabilities, logarithms are natural, a JSD is in nats and is at most ln 2 = 0.6931.
"""

__version__ = "0.1.0"
