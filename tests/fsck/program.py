"""How the tests of fatfsck call it."""

import os
import shlex
import subprocess

FATFSCK = shlex.split(os.environ.get("FATFSCK", "./fatfsck"))


def run(*args, **more):
    """Output and exit status; a crash or a hang fails the test."""
    done = subprocess.run([*FATFSCK, *args], capture_output=True,
                          check=False,
                          **({"stdin": subprocess.DEVNULL,
                             "timeout": 300} | more))
    if done.returncode not in (0, 1, 4, 5, 8, 12, 16, 32):
        raise AssertionError(f"fatfsck {args}: status {done.returncode}\n"
                             f"{done.stderr.decode(errors='replace')}")
    return done
