#!/usr/bin/env -S python3 -B
"""Volumes with three and four FAT copies: each file is whole in one of them,
and is so in all of them after a repair."""

import os
import shutil
import subprocess
import sys
import tempfile

from damage import expect_files, put_file
from images import BAD, EOC, Image
from program import run
from reader import Volume

A, B, C = b"A       TXT", b"B       TXT", b"C       TXT"
CHAINS = {A: [10, 11, 15], B: [20, 22, 21], C: [30, 31]}
SIZES = {A: 1300, B: 1536, C: 513}
KINDS = {12: 2000, 16: 8000, 32: 40000}  # KiB


class Formatted(Image):
    """What mkfs.fat makes, with 512-byte clusters."""

    def __init__(self, path, kind, copies):
        if os.path.exists(path):
            os.unlink(path)
        subprocess.run(["mkfs.fat", "-C", "-F", str(kind), "-f", str(copies),
                        "-s", "1", "-i", "12345678", path,
                        str(KINDS[kind])], check=True, capture_output=True)
        with open(path, "rb") as f:
            self.data = bytearray(f.read())
        v = Volume(self.data)
        assert v.kind == kind and len(v.fat_at) == copies
        self.kind, self.fats, self.start = kind, v.fat_at, v.start
        self.root = v.root_at if kind != 32 else v.start
        self.all = tuple(range(copies))
        for slot, name in enumerate(CHAINS):
            put_file(self, slot, name, CHAINS[name], SIZES[name], None,
                     self.all)

    def wipe(self, copy):
        size = self.fats[1] - self.fats[0]
        self.put(self.fats[copy], bytes(size))


def wiped(*copies):
    def change(i):
        for copy in copies:
            i.wipe(copy)
    return change


def garbage(copy):
    def change(i):
        i.put(i.fats[copy], bytes(range(7, 207)))
    return change


def one_each(i):
    """Each copy has damage in another file."""
    i.fat({11: 0}, [0])
    i.fat({22: BAD[i.kind]}, [1])
    i.fat({30: 1}, [2])


def whole_in_one(i):
    """A is whole in the second, B in the last, C in the third but one."""
    last = i.all[-1]
    i.fat({11: 0}, [c for c in i.all if c != 1])
    i.fat({20: EOC[i.kind]}, [c for c in i.all if c != last])
    i.fat({30: 10}, [c for c in i.all if c != last - 1])


def lost_in_one(i):
    """One copy has a chain that belongs to nobody."""
    i.fat({50: 51, 51: EOC[i.kind]}, [i.all[-1]])


CASES = (
    ("first_wiped", wiped(0)), ("second_wiped", wiped(1)),
    ("last_wiped", wiped(2)), ("first_two_wiped", wiped(0, 1)),
    ("last_two_wiped", wiped(1, 2)), ("around_the_second", wiped(0, 2)),
    ("garbage_first", garbage(0)), ("garbage_second", garbage(1)),
    ("one_each", one_each), ("whole_in_one", whole_in_one),
    ("lost_in_one", lost_in_one),
)


def check(path, image):
    with open(path, "wb") as f:
        f.write(image.data)
    preview, done = run("-n", path), run("-y", path)
    if (preview.returncode, done.returncode) != (4, 1):
        yield (f"exits {preview.returncode}, {done.returncode}: "
               f"{done.stdout.decode()}")
    again = run("-n", path)
    if again.returncode:
        yield f"again: {again.stdout.decode()}"
    with open(path, "rb") as f:
        volume = Volume(f.read())
    yield from expect_files(volume, {
        "/" + name.decode(): (SIZES[name], name.decode())
        for name in CHAINS})
    if len(volume.files()) != len(CHAINS):
        yield f"there are {sorted(volume.files())}"
    for copy in image.all[1:]:
        differ = [c for c in range(volume.last + 1)
                  if volume.entry(c, 0) != volume.entry(c, copy)]
        if differ:
            yield f"copy {copy + 1} differs at {differ[:9]}"


def main():
    if not shutil.which("mkfs.fat"):
        print("SKIP: no mkfs.fat")
        return 77
    failed = total = 0
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "image")
        for kind in KINDS:
            for copies in (3, 4):
                for name, change in CASES:
                    if kind == 32 and copies == 3 or \
                            sys.argv[1:] and name not in sys.argv[1:]:
                        continue
                    total += 1
                    image = Formatted(path, kind, copies)
                    change(image)
                    for c in check(path, image):
                        print(f"FAIL {name} FAT{kind}, {copies} copies: {c}")
                        failed += 1
    print(f"fsck copies: {total} cases, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
