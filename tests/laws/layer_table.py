#!/usr/bin/env -S python3 -B
"""Every source file is in README.md's layer table, and nothing else is."""
import re

from law import LAYERS, layer_of, run


def table_rows(text):
    """(folder, [file names]) of each row; `a.[ch]` is a.c and a.h."""
    for folder, cell in re.findall(
            r"^\| `(src/[a-z]*/?)` \|[^|]*\|([^|]*)\|$", text, re.M):
        names = []
        for name in re.findall(r"`([^`]+)`", cell):
            if name.endswith(".[ch]"):
                names += [name[:-4] + "c", name[:-4] + "h"]
            else:
                names.append(name)
        yield folder, names


def check(tree):
    rows = list(table_rows(tree.text("README.md")))
    listed = [folder + name for folder, names in rows for name in names]
    real = tree.sources()
    bad = [f"{path} is not in README.md's layer table"
           for path in real if path not in listed]
    bad += [f"README.md's layer table lists {path}, which does not exist"
            for path in listed if path not in real]
    bad += [f"README.md's layer table lists {path} twice"
            for path in sorted(set(listed)) if listed.count(path) > 1]
    order = [layer_of(folder + "x") for folder, _ in rows]
    if order != LAYERS + [None]:
        bad.append(f"README.md's layer table has the layers {order}, "
                   f"not {LAYERS} and src/ last")
    return bad


if __name__ == "__main__":
    run(check)
