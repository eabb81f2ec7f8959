#!/usr/bin/env -S python3 -B
"""Thousands of lost chains, and roots that have no room for them.

All are saved in one run of -y, the preview tells the same, a second run finds
nothing, and a rollback gives back every byte.
"""

import json
import os
import struct
import sys
import tempfile

from images import entry
from program import run
from reader import Volume
from scale import can_limit, dots, limit, number, root_of, write

EOC = 0x0FFFFFFF


def write16(path, clusters, fat, root, contents):
    """A FAT16 of 512-byte clusters and a root of 512 entries."""
    fat_sectors = (clusters + 2) * 2 // 512 + 1
    start = 1 + 2 * fat_sectors + 32
    boot = bytearray(512)
    boot[0:11] = b"\xEB\x3C\x90TESTBASE"
    struct.pack_into("<HBHBHHBHHHII", boot, 11, 512, 1, 1, 2, 512, 0, 0xF8,
                     fat_sectors, 32, 64, 0, start + clusters)
    boot[510:] = b"\x55\xAA"
    table = bytearray(fat_sectors * 512)
    struct.pack_into("<HH", table, 0, 0xFFF8, 0xFFFF)
    for c, value in fat.items():
        struct.pack_into("<H", table, 2 * c, value & 0xFFFF)
    with open(path, "wb") as f:
        f.truncate((start + clusters) * 512)
        f.write(boot + table + table + root)
        for c, content in contents.items():
            f.seek((start + c - 2) * 512)
            f.write(content)


def many_on_a_fat16(path):
    """9,000 for a root with 200 slots."""
    fat = {c: EOC for c in range(1000, 10000)}
    root = b"".join(entry(number(b"X", n), 0x20, 0, 0) for n in range(312))
    contents = {c: struct.pack("<II", 0x5EED, c) for c in fat}
    write16(path, 20000, fat, root, contents)
    return range(1000, 10000), {"": 199, "/FSCK0199DIR": 8801}


def no_slot_on_a_fat16(path):
    """The directory that is there grows to what it takes."""
    fat = {c: EOC for c in range(1000, 10000, 3)} | {50: EOC}
    root = b"".join(entry(number(b"F", n), 0x20, 0, 0) for n in range(511))
    contents = {c: struct.pack("<II", 0x5EED, c) for c in fat}
    contents[50] = dots(50, 0)
    write16(path, 20000, fat, root + entry(b"SUB        ", 0x10, 50, 0),
            contents)
    return range(1000, 10000, 3), {"/SUB        ": 3000}


def full_root_of_a_fat32(path):
    """65,536 entries, of which one is a directory."""
    entries = [entry(number(b"F", n), 0x20, 0, 0) for n in range(65535)]
    fat, contents = root_of(
        entries + [entry(b"SUB        ", 0x10, 200000, 0)])
    # root_of() gives one cluster more; 2 and 4,095 others are all it may have
    del fat[104095], contents[104095]
    fat[104094] = EOC
    contents[200000] = dots(200000, 0)
    fat |= {200000: EOC} | {c: EOC for c in range(1000, 7000, 2)}
    contents |= {c: struct.pack("<II", 0x5EED, c)
                 for c in range(1000, 7000, 2)}
    write(path, 400000, fat, contents)
    return range(1000, 7000, 2), {"/SUB        ": 3000}


def more_than_a_root_holds(path):
    """Of 90,000 chains the root of a FAT32 takes what it can."""
    fat = {c: EOC for c in range(1000, 91000)}
    contents = {c: struct.pack("<II", 0x5EED, c) for c in fat}
    write(path, 200000, fat, contents)
    return range(1000, 91000), {"": 65535, None: 24465}


def saved_where(volume, clusters):
    """{folder: chains that are saved there}; complaints."""
    found, seen = {}, set()
    for path, c, size, is_dir in volume.walk():
        if is_dir or not size:
            continue
        folder = path.rsplit("/", 1)[0]
        content = volume.content([c])[:8]
        if size != 512 or content != struct.pack("<II", 0x5EED, c):
            raise AssertionError(f"{path} holds {content} of {size} bytes")
        found[folder] = found.get(folder, 0) + 1
        seen.add(c)
    return found, seen == set(clusters)


def report(*args, **more):
    done = run("--json", "--buffer=64K", "--max-findings=100000", *args,
               **more)
    if done.stderr:
        raise AssertionError(done.stderr.decode())
    return json.loads(done.stdout)


def check(tmp, make):
    path, undo = os.path.join(tmp, "image"), os.path.join(tmp, "undo")
    clusters, want = make(path)
    with open(path, "rb") as f:
        before = f.read()
    preview = report("-n", path)
    done = report("-y", "--undo", undo, path)
    if done["exit"] != 1:
        yield f"-y: exit {done['exit']}"
    told = [sorted((f["code"], f.get("other_path", "")) for f in r["findings"]
                   if f[key])
            for r, key in ((preview, "would_repair"), (done, "repaired"))]
    if told[0] != told[1] or len(told[1]) != len(clusters):
        yield f"-n tells of {len(told[0])}, -y of {len(told[1])}"
    if len({other for _, other in told[1]}) != len(clusters):
        yield "the findings do not tell where each was saved"
    with open(path, "rb") as f:
        found, all_there = saved_where(Volume(f.read()), clusters)
    if not all_there:
        yield "not all are there"
    if None in want:
        want[next(iter(k for k in found if k), None)] = want.pop(None)
    if found != want:
        yield f"saved in {found}, not {want}"
    if report("-n", path)["exit"]:
        yield "-n finds errors again"
    back = run("--rollback", undo, path)
    with open(path, "rb") as f:
        if back.returncode or f.read() != before:
            yield "the rollback does not give back the image"
    os.unlink(undo)


def check_memory(tmp):
    """The same with few findings kept, in bounded memory."""
    path = os.path.join(tmp, "image")
    more_than_a_root_holds(path)
    done = run("-y", "-q", "--max-findings=10", "--buffer=64K", path,
               preexec_fn=limit if can_limit() else None)
    if done.returncode != 1:
        yield f"exit {done.returncode} {done.stderr.decode()}"


def main():
    failed = []
    volumes = (many_on_a_fat16, no_slot_on_a_fat16, full_root_of_a_fat32,
               more_than_a_root_holds)
    with tempfile.TemporaryDirectory() as tmp:
        for make in volumes:
            failed += [f"{make.__name__}: {c}" for c in check(tmp, make)]
        failed += [f"memory: {c}" for c in check_memory(tmp)]
    for f in failed:
        print("FAIL", f)
    print(f"fsck rescue: {len(volumes)} volumes, {len(failed)} failed")
    return len(failed) != 0


if __name__ == "__main__":
    sys.exit(main())
