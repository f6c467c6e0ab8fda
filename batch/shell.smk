"""How a job of either batch is started."""

import json
import os
import shlex
import subprocess
import sys

# One process, one thread; the allocator keeps big blocks instead of returning them at each step.
THREADS = (
    "OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MALLOC_MMAP_THRESHOLD_=1073741824 "
    "MALLOC_TRIM_THRESHOLD_=4294967296 MALLOC_TOP_PAD_=268435456"
)
# Of a clone in a folder with spaces, or with the braces that snakemake fills in, too.
PYTHON = shlex.quote(sys.executable).replace("{", "{{").replace("}", "}}")
# A kernel on a loopback port says so at each start, and that it is ended; a reader needn't know.
QUIETLY = "2> >(grep -v -e 'Kernel is running over TCP' -e 'KeyboardInterrupt caught in kernel' >&2)"
# It takes the shell's place, so that its parent is snakemake: it dies when that is killed.
EXECUTE = (
    f"{THREADS} exec {PYTHON} batch/execute.py $PPID "
    + "{params.chapter} {output[0]:q} {params.given} "
    + QUIETLY
)
# All chapters of a run, on a cluster: a job ends when the cluster says so, whoever its parent was.
THROUGH = f"{THREADS} exec {PYTHON} batch/through.py " + "{output[0]:q} {params.what}"
# On this machine: it dies with the batch.
THROUGH_HERE = f"{THREADS} exec {PYTHON} batch/mortal.py $PPID {PYTHON} batch/through.py " + (
    "{output[0]:q} {params.what} " + QUIETLY
)
# A job that is no chapter.
ALONE = f"{THREADS} exec {PYTHON} batch/mortal.py $PPID {PYTHON} "


def execute_now(chapter: str, target, given: dict) -> bool:
    """Execute a chapter outside of the graph; whether it went well."""
    line = [sys.executable, "batch/execute.py", str(os.getpid()), chapter, str(target), json.dumps(given)]
    return subprocess.run(["bash", "-c", f'{THREADS} exec "$@" {QUIETLY}', "bash", *line]).returncode == 0
