"""How the tests of fatfsck call it."""

import hashlib
import mmap
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


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def digest(path):
    """Of a whole image, which is not read into memory of our own."""
    with open(path, "rb") as f:
        with mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as image:
            return hashlib.sha256(image).digest()


def differences(expected, actual):
    """The first 32 bytes, a slot, that are not as they should be."""
    if expected == actual:
        return
    for at in range(0, max(len(expected), len(actual)), 32):
        a, b = expected[at:at + 32], actual[at:at + 32]
        if a != b:
            yield f"at {at}: {b.hex(' ')}\n  expected {a.hex(' ')}"
            return
