"""An option of the benchmarks: a trained run to measure on."""


def pytest_addoption(parser):
    parser.addoption("--run", help="the folder of a finished BiLSTM run, results/CORPUS/MODEL/VARIANT/seedN")
