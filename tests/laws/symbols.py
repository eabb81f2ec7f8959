#!/usr/bin/env -S python3 -B
"""No two sources of the library define the same external name, so a program
may take any of them together."""
import os
import subprocess

from law import layer_of, run


def definitions(path):
    out = subprocess.run(["nm", "-g", "--defined-only", path], check=True,
                         capture_output=True, text=True).stdout
    return [line.split()[-1] for line in out.splitlines()]


def check(tree):
    owner = {}
    bad = []
    for source in tree.sources():
        if not source.endswith(".c") or layer_of(source) is None:
            continue
        obj = source[:-1] + "o"
        for symbol in definitions(os.path.join(tree.build, obj)):
            other = owner.setdefault(symbol, obj)
            # The sanitizers put the same helpers into each object.
            if other != obj and not symbol.startswith("__"):
                bad.append(f"{symbol} is defined by {other} and {obj}")
    return bad if owner else ["no symbol found: is this the build?"]


if __name__ == "__main__":
    run(check)
