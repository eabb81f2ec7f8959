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

# symbol: the objects that may refer to it. undo.o writes its own file, by
# what it takes for that and no more; of the volume it has blk_read().
BLK_FILE, UNDO = "src/dev/blk_file.o", "src/change/undo.o"
ALLOWED = {
    r"blk_(write|zero|sync)": {"src/change/commit.o"},
    r"commit_(write|zero)": {f"src/change/commit_{part}.o"
                             for part in ("bytes", "data", "fat")},
    r"pwrite(64)?": {BLK_FILE, UNDO},
    r"(pwritev2?|fallocate|posix_fallocate)(64)?": {BLK_FILE},
    r"fdatasync|ioctl": {BLK_FILE},
    r"fsync|(ftruncate|truncate)(64)?|unlink(at)?": {UNDO},
    r"(write|writev|creat|mmap|sendfile|splice|copy_file_range)(64)?"
    r"|sync_file_range|rename(at2?)?|syscall": set(),
}


def owners(symbol):
    """The objects that may refer to symbol; None = any."""
    for pattern, objects in ALLOWED.items():
        if re.fullmatch(pattern, symbol):
            return objects
    return None


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
            may = owners(symbol)
            if may is None:
                continue
            if obj in may:
                calls.add(symbol)
            else:
                only = " and ".join(sorted(may)) or "nobody"
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
