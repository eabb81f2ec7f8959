#!/usr/bin/env -S python3 -B
"""Includes only go down the layers."""
import os
import re

from law import APART, LAYERS, layer_of, run


def violation(path, name):
    """What is wrong with path including "name", or None."""
    if name == "config.h":
        return None
    theirs = layer_of("src/" + name)
    ours = layer_of(path)
    if ours is None:
        return None
    if theirs not in LAYERS:
        return f'{path}: "{name}" is not folder/file of a layer'
    if LAYERS.index(theirs) > LAYERS.index(ours):
        return f'{path}: "{name}" is in a layer above {ours}/'
    if {ours, theirs} == APART:
        return f'{path}: {ours}/ and {theirs}/ do not include each other'
    return None


def check(tree):
    bad = []
    seen = 0
    for path in tree.sources():
        if layer_of(path) not in LAYERS + [None]:
            bad.append(f"{path}: not in a layer")
            continue
        for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"',
                               tree.text(path), re.M):
            seen += 1
            if name != "config.h" and not os.path.exists(
                    os.path.join(tree.src, "src", name)):
                bad.append(f'{path}: there is no src/{name}')
            elif violation(path, name):
                bad.append(violation(path, name))
    return bad if seen else ["no include found: is this the tree?"]


if __name__ == "__main__":
    run(check)
