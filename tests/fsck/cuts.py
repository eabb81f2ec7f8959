#!/usr/bin/env -S python3 -B
"""A repair that is cut off at any write: no worse, and it can be undone.

From each state a rollback gives back the exact image, and a second repair
gets to a sound volume in which the files that were intact are so still.
"""

import os
import subprocess
import sys
import tempfile

import damage
import damage_boot  # noqa: F401, adds to damage.CASES
import damage_review  # noqa: F401, adds to damage.CASES
import images
from program import run
from reader import Volume

CUT = os.environ.get("FSCK_CUT", "tests/fsck/cut")
# FAT32 images are large: a few of them are enough.
FAT32 = ("fat1_wiped", "full_root_grows", "root_gone",
         "root_cluster_wrong_in_one",
         "dead_entries_in_the_next_cluster_of_the_root")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def check_state(tmp, data, intact, expected, state):
    image, undo = os.path.join(tmp, "image"), os.path.join(tmp, "undo")
    done = run("--rollback", undo, image)
    if done.returncode:
        yield f"rollback: {done.stderr.decode()}"
    elif read(image) != data:
        yield "rollback does not give back the image"
    write(image, state)
    done = run("-y", image)
    if done.returncode not in (0, 1):
        yield f"-y: {done.returncode} {done.stdout.decode()}"
    if run("-n", image).returncode:
        yield "-n after it still finds errors"
    after = Volume(read(image))
    yield from damage.lost_files(intact, after)
    yield from expected(after)


def check(tmp, data, expected):
    image, undo = os.path.join(tmp, "image"), os.path.join(tmp, "undo")
    intact = Volume(data).intact()
    for number in range(1, 1000):
        for torn in (0, 1, 2):
            write(image, data)
            if os.path.exists(undo):
                os.unlink(undo)
            done = subprocess.run([CUT, image, undo, str(number), str(torn)],
                                  check=False)
            if done.returncode == 3:
                if number < 2:
                    yield "no write was seen"
                return
            if done.returncode:
                yield f"cut ends with {done.returncode}"
                return
            state = read(image)
            for c in check_state(tmp, data, intact, expected, state):
                yield f"write {number}, {('nothing', 'half', 'all')[torn]}" \
                      f" of it: {c}"


def main():
    if not os.path.exists(CUT):
        print(f"SKIP: {CUT} is not built")
        return 77
    failed = total = 0
    with tempfile.TemporaryDirectory() as tmp:
        for name, kind, change, expected in damage.CASES:
            short = name.rsplit("-", 1)[0]
            if kind == 32 and short not in FAT32:
                continue
            if sys.argv[1:] and short not in sys.argv[1:]:
                continue
            total += 1
            complaints = list(check(tmp, images.build(kind, change),
                                    expected))
            for c in complaints:
                print(f"FAIL {name}: {c}")
            failed += bool(complaints)
    print(f"fsck cuts: {total} cases, {failed} failed")
    return failed != 0 or not total


if __name__ == "__main__":
    sys.exit(main())
