#!/usr/bin/env -S python3 -B
"""Only change/commit.c writes (law 1): who refers to what can write.

The objects tell, so no macro or wrapper hides a call. An implementation of
struct blk may forward through the operations of another one; that is seen in
the source, since a call through a pointer leaves no symbol.
"""
import os
import re
import subprocess

from law import layer_of, run

# symbol: the objects that may refer to it; undo.o writes its own file
ALLOWED = {
    r"blk_(write|zero|sync)": {"src/change/commit.o"},
    r"(pwrite|pwritev2?|fallocate|ftruncate|posix_fallocate)(64)?":
        {"src/dev/blk_file.o", "src/change/undo.o"},
    r"fsync|fdatasync|sync_file_range|copy_file_range":
        {"src/dev/blk_file.o", "src/change/undo.o"},
}


def owners(symbol):
    for pattern, objects in ALLOWED.items():
        if re.fullmatch(pattern, symbol):
            return objects
    return set()


def needs(path):
    """The symbols that an object takes from elsewhere."""
    out = subprocess.run(["nm", "-u", path], check=True, capture_output=True,
                         text=True).stdout
    return [line.split()[-1].split("@")[0] for line in out.splitlines()]


def check_objects(tree):
    bad = []
    calls = set()
    for source in tree.sources():
        if not source.endswith(".c"):
            continue
        obj = source[:-1] + "o"
        for symbol in needs(os.path.join(tree.build, obj)):
            if obj in owners(symbol):
                calls.add(symbol)
            elif owners(symbol):
                only = " and ".join(sorted(owners(symbol)))
                bad.append(f"{obj} refers to {symbol}, only {only} may")
    for symbol in sorted({"blk_write", "blk_zero", "blk_sync"} - calls):
        bad.append(f"no object refers to {symbol}: is this the build?")
    return bad


def check_source(tree):
    bad = []
    for path in tree.sources():
        if layer_of(path) == "dev":
            continue
        if re.search(r"(->|\.)\s*(write|zero|sync)\s*\(", tree.text(path)):
            bad.append(f"{path}: calls an operation of struct blk itself")
    return bad


def check(tree):
    return check_objects(tree) + check_source(tree)


if __name__ == "__main__":
    run(check)
