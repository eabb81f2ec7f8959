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
from images import BASES, EOC, entry, subdirectory
from program import differences, run, write

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


@case((12, 16), [("boot-layout", "")])
def shorter_copies(i):
    return wrong(i, 22, b"\x02\x00" if i.kind == 12 else b"\x05\x00")


@case((12, 16), [("boot-layout", "")])
def larger_sectors(i):
    return wrong(i, 11, b"\x00\x04")


@case((12, 16), [("boot-layout", "")])
def more_reserved_sectors(i):
    return wrong(i, 14, b"\x02\x00")


@case((32,), [("boot-layout", ""), ("backup-differs", "")])
def nine_copies_in_both(i):
    return wrong(i, 16, b"\x09", True)


@case((32,), [("boot-layout", ""), ("backup-differs", "")])
def shorter_copies_in_both(i):
    return wrong(i, 36, b"\x00\x02", True)


@case((32,), [("boot-layout", ""), ("backup-differs", "")])
def longer_copies_in_both(i):
    return wrong(i, 36, b"\x05\x02", True)


@case((32,), [("boot-layout", ""), ("backup-differs", "")])
def more_reserved_sectors_in_both(i):
    return wrong(i, 14, b"\x21\x00", True)


@case((32,), [("boot-layout", ""), ("backup-differs", "")])
def root_entries_in_both(i):
    """As if there were a root of FAT12 or FAT16 in front of the clusters."""
    return wrong(i, 17, b"\x10\x00", True)


def with_directories(i, at, value):
    """Two that begin where their entries say, by the right value only."""
    e = EOC[i.kind]
    whole = bytes(i.data[at:at + len(value)])
    i.put(i.root, entry(b"D          ", 0x10, 10, 0) +
          entry(b"E          ", 0x10, 15, 0))
    subdirectory(i, 10, 10, 0, entry(b"F          ", 0x20, 0, 0))
    subdirectory(i, 15, 15, 0)
    i.fat({10: e, 15: e})
    for base in (0, 3072) if i.kind == 32 else (0,):
        i.put(base + at, value)
    if i.kind == 32:
        i.free(66000 - 3)
    yield
    for base in (0, 3072) if i.kind == 32 else (0,):
        i.put(base + at, whole)


@case((12, 16), [("boot-layout", "")])
def larger_clusters(i):
    return with_directories(i, 13, b"\x02")


@case((12, 16), [("boot-layout", "")])
def more_root_entries(i):
    return with_directories(i, 17, b"\x20\x00")


@case((12, 16), [("boot-layout", "")])
def no_root_entries(i):
    return with_directories(i, 17, b"\x00\x00")


@case((32,), [("boot-layout", ""), ("backup-differs", "")])
def larger_clusters_in_both(i):
    return with_directories(i, 13, b"\x02")


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


FAR = {12: 90, 16: 4900, 32: 65900}
LESS = {12: b"\x54\x00", 16: b"\x00\x12"} # sectors: they end before that


def with_a_file_far_behind(i, at, value):
    two_files(i)
    far = FAR[i.kind]
    i.put(i.root + 64, entry(b"FAR     TXT", 0x20, far, 700))
    i.fat({far: far + 1, far + 1: EOC[i.kind]})
    whole = bytes(i.data[at:at + len(value)])
    for base in (0, 3072) if i.kind == 32 else (0,):
        i.put(base + at, value)
    if i.kind == 32:
        i.free(65999 - 9)
    yield
    for base in (0, 3072) if i.kind == 32 else (0,):
        i.put(base + at, whole)


@case((16,), [("boot-total", "")])
def total_of_a_fat12(i):
    return with_a_file_far_behind(i, 19, b"\xB2\x03")


@case((16,), [("boot-total", "")])
def total_of_half_the_clusters(i):
    return with_a_file_far_behind(i, 19, b"\x00\x0B")


@case((32,), [("boot-total", ""), ("backup-differs", "")])
def total_of_half_the_clusters_in_both(i):
    return with_a_file_far_behind(i, 32, b"\x00\x80\x00\x00")


@case((32,), [("boot-total", ""), ("backup-differs", "")])
def short_total_in_both(i):
    """The field of smaller volumes counts, if it is not 0."""
    return with_a_file_far_behind(i, 19, b"\x00\x80")


@case((12, 16), [("boot-total", "")])
def total_of_some_less(i):
    return with_a_file_far_behind(i, 19, LESS[i.kind])


@case((32,), [("boot-total", ""), ("backup-differs", "")])
def total_of_some_less_in_both(i):
    return with_a_file_far_behind(i, 32, b"\x00\x05\x01\x00")


@case((12,), [("boot-total", "")])
def last_cluster_of_a_file_missing(i):
    """One sector is missing, and a chain in the middle of which it is."""
    e = EOC[i.kind]
    i.fat({20: 97, 97: 21, 21: e})
    i.put(i.root, entry(b"A       TXT", 0x20, 20, 1500))
    i.put(19, b"\x63\x00")
    yield
    i.put(19, b"\x64\x00")


@case((12, 16), [("boot-total", ""), ("mirror-differs", "")])
def total_of_some_less_and_copy_1_cut_there(i):
    """Copy 2 has the file's chain, which waits for the total."""
    far = FAR[i.kind]
    steps = with_a_file_far_behind(i, 19, LESS[i.kind])
    next(steps)
    i.fat({far: 0, far + 1: 0}, [0])
    yield
    next(steps, None)
    i.fat({far: far + 1, far + 1: EOC[i.kind]}, [0])


@case((12,), [("boot-total", "")])
def total_of_a_fat16(i):
    return with_a_file_far_behind(i, 19, b"\x64\x40")


# --- it is the boot sector that is right ---

@case((16,), [("start-range", "/FAR.TXT")])
def rubbish_behind_the_last_entry(i):
    """The FAT may have that; no chain there ends."""
    two_files(i)
    i.put(i.fats[0] + 2 * 5002, b"\xA5\x13" * 118)
    i.put(i.root + 64, entry(b"FAR     TXT", 0x20, 5010, 700))
    yield
    i.put(i.root + 64, entry(b"FAR     TXT", 0x20, 0, 0))


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
    write(path, image.data)
    for mode in ("-n", "-p", "-y"):
        done = run(mode, path)
        if done.returncode != 8 or b"number of FATs is 0" not in done.stderr:
            yield f"{mode}: exit {done.returncode} {done.stderr.decode()}"
    with open(path, "rb") as f:
        if f.read() != image.data:
            yield "the image was changed"


def neither_fat_nor_root(i):
    """The bytes of a file are where they should be."""
    for at in (*i.fats, i.root):
        i.put(at, bytes(range(0x80, 0x100)) * 4)


def a_longer_root(i):
    """It leaves no room for the last file, wherever the others are."""
    value = {12: b"\x10\x01", 16: b"\x00\x10"}[i.kind]
    next(with_a_file_far_behind(i, 17, value))


def a_longer_root_of_a_fat12(i):
    """So long that there are as few clusters as a FAT12 has."""
    next(with_a_file_far_behind(i, 17, b"\x10\x80"))


# Nothing is written where there is no telling how it should be.
DOUBTS = (
    (neither_fat_nor_root, ALL, ("boot-doubt", "")),
    (a_longer_root, (12, 16), ("boot-clusters", "")),
    (a_longer_root_of_a_fat12, (16,), ("type-doubt", "")),
)


def check_part(path):
    """What is behind the volume in the image is not its own."""
    before, behind = b"\xA5" * 4096, b"\x5A" * 65536
    image = BASES[12]()
    next(with_a_file_far_behind(image, 19, LESS[12]))
    done = run("-y", "--image-offset=4096",
               write(path, before + image.data + behind))
    # 4 sectors in front of clusters 2 to 91, which the file ends with.
    image.put(19, b"\x5E\x00")
    with open(path, "rb") as f:
        yield from differences(before + image.data + behind, f.read())
    again = run("-n", "--image-offset=4096", path)
    if (done.returncode, again.returncode) != (1, 0):
        yield f"exit {done.returncode}, then {again.returncode}"

    image = BASES[16]()
    next(with_a_file_far_behind(image, 19, b"\xB2\x03"))
    whole = before + bytes(image.data) + behind
    done = more_cases.report(write(path, whole), "-y",
                             "--image-offset=4096")
    if ("type-doubt", "") not in more_cases.names(done["findings"]):
        yield f"{more_cases.names(done['findings'])}"
    with open(path, "rb") as f:
        yield from differences(whole, f.read())


def check_doubt(path, kind, change, finding):
    image = BASES[kind]()
    change(image)
    write(path, image.data)
    for mode in ("-n", "-p", "-y"):
        done = more_cases.report(path, mode)
        if finding not in more_cases.names(done["findings"]):
            yield f"{mode}: {more_cases.names(done['findings'])}"
        if done["exit"] != 4:
            yield f"{mode}: exit {done['exit']}"
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
        for c in check_part(path):
            print(f"FAIL a part of an image: {c}")
            failed += 1
        for change, kinds, finding in DOUBTS:
            for kind in kinds:
                for c in check_doubt(path, kind, change, finding):
                    print(f"FAIL {change.__name__}-{kind}: {c}")
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
