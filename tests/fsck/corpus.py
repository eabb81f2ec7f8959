#!/usr/bin/env -S python3 -B
"""Volumes that other systems made: no false alarm, no crash, no hang.

corpus.tsv lists the images in which fatfsck -n finds more than infos: exit
status, code*count (of what follows from repairs, too), and why that is
right. All others must give status 0 and no error or warning. With --write it prints such a table, without the reasons.
The images are not part of the project; without them this test is skipped.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile

from program import run

SRC = os.environ.get("srcdir", ".")
CORPUS = os.environ.get("FATPREALLOC_CORPUS",
                        os.path.join(SRC, "..", "shared", "corpus"))
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "corpus.tsv")
CLEAN = "0\t-"


def summary(done):
    if done.returncode not in (0, 4):
        return f"{done.returncode}\t-"
    report = json.loads(done.stdout)
    counts = collections.Counter(f["code"] for f in report["findings"]
                                 if f["severity"] != "info")
    listed = " ".join(f"{code}*{n}" for code, n in sorted(counts.items()))
    return f"{done.returncode}\t{listed or '-'}"


def expected():
    table = {}
    with open(TABLE, encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                name, status, found, why = line.rstrip("\n").split("\t")
                assert why, f"{name}: no reason given"
                table[name] = f"{status}\t{found}"
    return table


def main():
    archive = os.path.join(CORPUS, "images.tar.xz")
    if not os.path.exists(archive):
        print(f"SKIP: there are no images at {CORPUS}")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        subprocess.run(["tar", "-xJf", os.path.abspath(archive), "-C", tmp],
                       check=True)
        names = sorted(os.listdir(tmp))
        found = {n: summary(run("-n", "--json", os.path.join(tmp, n)))
                 for n in names}
    if sys.argv[1:] == ["--write"]:
        for name in names:
            if found[name] != CLEAN:
                print(f"{name}\t{found[name]}\t")
        return 0
    table = expected()
    for name in sorted(set(names) | set(table)):
        if found.get(name) != table.get(name, CLEAN):
            print(f"FAIL {name}: {found.get(name)!r}, "
                  f"not {table.get(name, CLEAN)!r}")
            failed += 1
    print(f"fsck corpus: {len(names)} images, {failed} failed")
    return failed != 0 or not names


if __name__ == "__main__":
    sys.exit(main())
