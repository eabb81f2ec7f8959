#!/usr/bin/env -S python3 -B
"""-p leaves no volume worse: what was intact is intact still, nothing is wrong
that was not wrong before, and a second -p writes nothing.

First literal volumes: lost directories, some of which claim what a file has.
Then those of fuzz.py.

    preen.py [FIRST [COUNT]]   other seeds, or more
"""

import collections
import os
import struct
import sys
import tempfile

import damage
import fuzz
import images
from images import EOC, entry, subdirectory
from reader import Volume

FIRST, COUNT = 7000, 100
OPTIONS = (["--lost=save"], [], ["--lost=free"], ["--reservations=release"],
           ["--use-fat=2"])

# What -p does may bring these about: it marks the volume, and does not clear
# that while errors are left.
FOLLOWS = {"dirty"}

A, C = b"A       TXT", b"C       TXT"


def lost_dirs(i, kind_of_claim):
    """A is intact. Directory 30 is lost, and 31 in it."""
    e = EOC[i.kind]
    damage.put_file(i, 0, A, [10, 11], 1000)
    subdirectory(i, 30, 30, 0, entry(b"E          ", 0x10, 31, 0))
    subdirectory(i, 31, 31, 30, entry(C, 0x20, 42, 300))
    i.put(i.cluster(42), damage.pattern("C", 512))
    i.fat({30: e, 31: e, 42: e})
    used = 5
    if kind_of_claim == "file":
        i.put(i.cluster(31) + 96, entry(b"OLD     TXT", 0x20, 10, 700))
    elif kind_of_claim == "middle":
        i.put(i.cluster(30) + 96, entry(b"OLD     TXT", 0x20, 11, 500))
    elif kind_of_claim == "chain":
        i.fat({42: 11})
    elif kind_of_claim == "directory":
        i.put(i.cluster(30) + 96, entry(b"OLD        ", 0x10, 50, 0))
        i.put(i.cluster(50), entry(b"OLD     TXT", 0x20, 10, 700))
        i.fat({50: e})
        used += 1
    if i.kind == 32:
        i.free(65999 - used)


def check_literal(path, kind, claim):
    data = images.build(kind, lambda i: lost_dirs(i, claim))
    with open(path, "wb") as f:
        f.write(data)
    done = fuzz.report("-p", "--lost=save", path)
    after = Volume(fuzz.read(path))
    if after.intact().get("/A       TXT") != damage.pattern(A.decode(), 1000):
        yield "A was intact and is not any more"
    saved = "/FSCK0000DIR/E          /C       TXT" in after.files()
    if saved != (claim is None):
        yield f"{'saved' if saved else 'not saved'}: {sorted(after.files())}"
    if done["exit"] != (1 if saved else 4):
        yield f"-p exits with {done['exit']}"
    # What -p left, -y can do.
    if fuzz.report("-y", path)["exit"] & 4:
        yield "-y leaves something"
    text = damage.pattern("C", 300)
    if text not in [x for _, x, _ in Volume(fuzz.read(path)).files().values()]:
        yield "-y has lost C"


def intact(data):
    """{path: bytes} of what is intact whichever copy is believed."""
    try:
        first, second = (Volume(data, n).intact() for n in (0, 1))
    except (struct.error, IndexError, ZeroDivisionError):
        return None
    return {p: text for p, text in first.items() if second.get(p) == text}


def errors(report):
    return collections.Counter(f["code"] for f in report["findings"]
                               if f["severity"] == "error")


def check_random(path, data, options, skipped):
    with open(path, "wb") as f:
        f.write(data)
    before = fuzz.report("-n", *options, path)
    done = fuzz.report("-p", *options, path)
    after = fuzz.read(path)
    if done["exit"] & ~5:
        skipped["refused"] += 1
        if after != data:
            yield f"exits with {done['exit']} and has written"
        return
    fuzz.report("-p", *options, path)
    if fuzz.read(path) != after:
        yield "a second -p writes"
    more = errors(fuzz.report("-n", *options, path)) - errors(before)
    if set(more) - FOLLOWS:
        yield f"it was not wrong before: {dict(more)}"
    was, now = intact(data), intact(after)
    if was is None or now is None:
        skipped["no volume to the reader"] += 1
        return
    for name, text in was.items():
        if text and text not in now.values():
            yield f"{name!r} was intact and is not any more"


def main():
    first = int(sys.argv[1]) if sys.argv[1:] else FIRST
    count = int(sys.argv[2]) if sys.argv[2:] else COUNT
    failed, skipped = [], collections.Counter()
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "image")
        for kind in (12, 16, 32):
            for claim in (None, "file", "middle", "chain", "directory"):
                failed += [f"{claim}-{kind}: {c}"
                           for c in check_literal(path, kind, claim)]
        for seed in range(first, first + count):
            options = OPTIONS[seed % len(OPTIONS)]
            failed += [f"seed {seed} {options}: {c}"
                       for c in check_random(path, fuzz.spoilt(seed), options,
                                             skipped)]
    for f in failed:
        print("FAIL", f)
    print(f"fsck preen: 15 literal volumes and {count} random ones, "
          f"{len(failed)} failed; skipped in part: {dict(skipped)}")
    return len(failed) != 0


if __name__ == "__main__":
    sys.exit(main())
