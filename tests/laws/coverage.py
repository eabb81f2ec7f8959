#!/usr/bin/env -S python3 -B
"""Each problem of problem.def is what a test of fatfsck expects to be found:
as a tuple that begins with its slug, in a file of tests/fsck."""
import glob
import os
import re

from law import run


def expected(text):
    """The first words of tuples, comments aside."""
    code = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    return set(re.findall(r'\(\s*"([a-z0-9-]+)"\s*,', code))


def check(tree):
    found = set()
    for path in glob.glob(os.path.join(tree.src, "tests/fsck/*.py")):
        found |= expected(tree.text(os.path.relpath(path, tree.src)))
    if not found:
        return ["no test found: is this the tree?"]
    return [f"no test expects to find {slug}"
            for slug, _, _ in tree.problems() if slug not in found]


if __name__ == "__main__":
    run(check)
