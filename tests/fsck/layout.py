#!/usr/bin/env -S python3 -B
"""Where the boot sector puts FAT and root: what is found, and when it is
believed. damage_layout.py has what the files are after a repair.

As more_cases.py: found, repaired byte by byte, and gone.
"""

import os
import sys
import tempfile

import more_cases
from damage import two_files
from images import BASES, EOC, entry
from program import run

ALL = (12, 16, 32)
CASES = []


def case(kinds, findings):
    """As more_cases.case(); all of them have a repair."""
    def register(change):
        for kind in kinds:
            CASES.append((f"{change.__name__}-{kind}", kind, change,
                          sorted(findings), None, ()))
        return change
    return register


def wrong(i, at, value, backup=False):
    """The repair puts back what was there."""
    two_files(i)
    whole = bytes(i.data[at:at + len(value)])
    for base in (0, 3072) if backup else (0,):
        i.put(base + at, value)
    yield
    for base in (0, 3072) if backup else (0,):
        i.put(base + at, whole)


@case((12, 16), [("boot-layout", "")])
def nine_copies(i):
    return wrong(i, 16, b"\x09")


@case((12, 16), [("boot-layout", "")])
def one_copy(i):
    return wrong(i, 16, b"\x01")


@case((12, 16), [("boot-layout", "")])
def longer_copies(i):
    return wrong(i, 22, b"\x19\x00")


@case((32,), [("boot-layout", ""), ("backup-differs", "")])
def nine_copies_in_both(i):
    return wrong(i, 16, b"\x09", True)


@case((32,), [("boot-invalid", "")])
def no_copy_and_a_backup(i):
    return wrong(i, 16, b"\x00")


@case((32,), [("boot-misfit", "")])
def nine_copies_and_a_backup(i):
    return wrong(i, 16, b"\x09")


@case((32,), [("boot-misfit", "")])
def one_copy_and_a_backup(i):
    return wrong(i, 16, b"\x01")


@case((32,), [("boot-misfit", "")])
def shorter_copies_and_a_backup(i):
    return wrong(i, 36, b"\x00\x02")


@case((32,), [("boot-misfit", "")])
def larger_sectors_and_a_backup(i):
    return wrong(i, 11, b"\x00\x04")


# --- it is the boot sector that is right ---

@case((32,), [("backup-differs", "")])
def backup_of_one_copy(i):
    two_files(i)
    i.put(3072 + 16, b"\x01")
    yield
    i.put(3072 + 16, b"\x02")


@case((32,), [("mirror-differs", "")])
def backup_of_one_copy_and_copy_2_wiped(i):
    """The root that it has is where copy 2 was: an empty one."""
    two_files(i)
    size = i.fats[1] - i.fats[0]
    whole = bytes(i.data[i.fats[1]:i.fats[1] + size])
    i.put(i.fats[1], bytes(size))
    i.put(3072 + 16, b"\x01")
    yield
    i.put(i.fats[1], whole)
    i.put(3072 + 16, b"\x02")


@case(ALL, [("mirror-differs", "")])
def copy_2_wiped(i):
    """No reason to think that there is one copy only."""
    size = i.fats[1] - i.fats[0]
    i.fat({10: 11, 11: EOC[i.kind]}, [0])
    whole = bytes(i.data[i.fats[0]:i.fats[0] + size])
    i.put(i.fats[1], bytes(size))
    i.put(i.cluster(10), b"contents")
    i.put(i.root, entry(b"A       TXT", 0x20, 10, 600))
    if i.kind == 32:
        i.free(65999 - 2)
    yield
    i.put(i.fats[1], whole)


def check_refusal(path, kind):
    """No FAT at all, and no backup: no volume, and nothing is written."""
    image = BASES[kind]()
    two_files(image)
    for base in (0, 3072) if kind == 32 else (0,):
        image.put(base + 16, b"\x00")
    with open(path, "wb") as f:
        f.write(image.data)
    for mode in ("-n", "-p", "-y"):
        done = run(mode, path)
        if done.returncode != 8 or b"number of FATs is 0" not in done.stderr:
            yield f"{mode}: exit {done.returncode} {done.stderr.decode()}"
    with open(path, "rb") as f:
        if f.read() != image.data:
            yield "the image was changed"


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "image")
        for kind in ALL:
            for c in check_refusal(path, kind):
                print(f"FAIL no FAT at all, {kind}: {c}")
                failed += 1
        for name, *rest in CASES:
            complaints = list(more_cases.check(path, *rest))
            for c in complaints:
                print(f"FAIL {name}: {c}")
            failed += bool(complaints)
    print(f"fsck layout: {len(CASES)} cases, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
