"""A process that dies with its parent: `exec python batch/mortal.py $PPID COMMAND ...` in a shell.

A killed batch can't end its jobs, and they would compute on for nobody. So the system is asked to.
"""

import ctypes
import os
import signal
import sys

_LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """Have the system kill this process when its parent dies; end at once if that has happened already.

    It holds for what replaces this process by exec, too, but not for its children. Linux only.
    """
    _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


if __name__ == "__main__":
    die_with_parent(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])
