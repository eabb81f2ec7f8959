#!/usr/bin/env -S python3 -B
"""Large and hostile volumes: right numbers, in bounded memory.

Each is FAT32 with 512-byte clusters, made from literal bytes. What would be
quadratic does not end within the time limit of a run. The address space of
fatfsck is limited, libraries and all, so a record for each cluster or entry
would not fit.
"""

import json
import os
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time

from images import entry
from program import FATFSCK, run

EOC = 0x0FFFFFFF
ENTRIES = 65000
# The preview of a repair is held in memory, up to a bound.
MEMORY_MAX = 72 << 20


def write(path, clusters, fat, contents):
    """fat: {cluster: value}; contents: {cluster: bytes}. Root: cluster 2."""
    fat_sectors = (clusters + 2) * 4 // 512 + 1
    data = 32 + 2 * fat_sectors
    boot = bytearray(512)
    boot[0:11] = b"\xEB\x58\x90TESTBASE"
    struct.pack_into("<HBHBHHBHHHII", boot, 11, 512, 1, 32, 2, 0, 0, 0xF8, 0,
                     32, 64, 0, data + clusters)
    struct.pack_into("<IHHIHH", boot, 36, fat_sectors, 0, 0, 2, 0, 0)
    boot[510:] = b"\x55\xAA"
    table = bytearray(4 * (max(fat, default=2) + 1))
    struct.pack_into("<III", table, 0, 0x0FFFFFF8, EOC, EOC)
    for c, value in fat.items():
        struct.pack_into("<I", table, 4 * c, value)
    with open(path, "wb") as f:
        f.truncate((data + clusters) * 512)
        f.write(boot)
        for copy in (0, 1):
            f.seek((32 + copy * fat_sectors) * 512)
            f.write(table)
        for c, content in contents.items():
            f.seek((data + c - 2) * 512)
            f.write(content)


def root_of(entries):
    """FAT and contents of a root with these entries, from 100000 on."""
    whole = b"".join(entries)
    chain = [2] + list(range(100000, 100000 + len(whole) // 512))
    fat = dict(zip(chain, chain[1:])) | {chain[-1]: EOC}
    return fat, {c: whole[512 * n:512 * n + 512]
                 for n, c in enumerate(chain)}


def number(prefix, n):
    return b"%s%07d   " % (prefix, n)


def dots(own, parent):
    return (entry(b".          ", 0x10, own, 0) +
            entry(b"..         ", 0x10, parent, 0))


def too_long():
    """Files of one cluster too many."""
    fat, contents = root_of([entry(number(b"F", n), 0x20, 200000 + 2 * n, 9)
                             for n in range(ENTRIES)])
    for c in range(200000, 200000 + 2 * ENTRIES, 2):
        fat |= {c: c + 1, c + 1: EOC}
    return 400000, fat, contents, {"files": ENTRIES, "errors": 0,
                                   "reservations": ENTRIES}


def crossing():
    """Each file runs into the one long chain of the first."""
    fat, contents = root_of(
        [entry(b"A          ", 0x20, 500000, 512 * 400001)] +
        [entry(number(b"F", n), 0x20, 200000 + n, 9)
         for n in range(1, ENTRIES)])
    for n in range(1, ENTRIES):
        fat[200000 + n] = 500000 + n
    for c in range(500000, 900000):
        fat[c] = c + 1
    fat[900000] = EOC
    return 1000000, fat, contents, {"files": ENTRIES, "errors": ENTRIES - 1}


def lost():
    """Lost chains of one cluster."""
    fat = {c: EOC for c in range(1000, 200000, 2)}
    return 400000, fat, {}, {"errors": 99500}


def rings():
    """Clusters that link to themselves."""
    fat = {c: c for c in range(1000, 200000, 2)}
    return 400000, fat, {}, {"errors": 99500}


def merging():
    """Lost chains that run into one."""
    fat = {c: c + 1 for c in range(300000, 399000)} | {399000: EOC}
    fat |= {c: 300000 + c // 2 for c in range(1000, 190000)}
    return 400000, fat, {}, {"errors": 189001}


def deep():
    """More levels than are followed, each with a long path."""
    contents = {2: entry(b"D          ", 0x10, 1000, 0)}
    fat = {}
    for c in range(1000, 71000):
        fat[c] = EOC
        contents[c] = (dots(c, c - 1 if c > 1000 else 0) +
                       entry(b"LONGNAMEXYZ", 0x10, c + 1, 0))
    fat[71000] = EOC
    contents[71000] = dots(71000, 70999)
    return 100000, fat, contents, {"directories": 65536, "errors": 1}


def deep_and_damaged():
    """Each level has entries that lead back to the first."""
    contents = {2: entry(b"D          ", 0x10, 1000, 0)}
    fat = {}
    for c in range(1000, 21000):
        fat[c] = EOC
        contents[c] = (dots(c, c - 1 if c > 1000 else 0) +
                       entry(b"NEXT       ", 0x10, c + 1, 0) +
                       b"".join(entry(b"BACK%c      " % (65 + n), 0x10, c, 0)
                                for n in range(8)))
    fat[21000] = EOC
    contents[21000] = dots(21000, 20999)
    return 100000, fat, contents, {"errors_at_least": 8 * 20000}


def wide():
    """Subdirectories in the root, each with one of its own."""
    fat, contents = root_of([entry(number(b"D", n), 0x10, 200000 + n, 0)
                             for n in range(ENTRIES)])
    for n in range(ENTRIES):
        c, below = 200000 + n, 300000 + n
        fat |= {c: EOC, below: EOC}
        contents[c] = dots(c, 0) + entry(b"BELOW      ", 0x10, below, 0)
        contents[below] = dots(below, c)
    return 400000, fat, contents, {"directories": 2 * ENTRIES, "errors": 0}


def long_slot(ordinal, text, checksum):
    """A slot of a long name; text has at most 13 characters."""
    units = (text.encode("utf-16-le") + b"\0\0" + 26 * b"\xFF")[:26]
    return (bytes([ordinal]) + units[:10] + bytes([0x0F, 0, checksum]) +
            units[10:22] + b"\0\0" + units[22:])


def bad_names():
    """Illegal short names, all different."""
    fat, contents = root_of([entry(number(b"f", n), 0x20, 0, 0)
                             for n in range(ENTRIES)])
    return 200000, fat, contents, {"errors": ENTRIES, "warnings": 0}


def same_name():
    """One short name for all."""
    fat, contents = root_of(ENTRIES * [entry(b"SAME       ", 0x20, 0, 0)])
    return 200000, fat, contents, {"errors": ENTRIES - 1, "warnings": 0}


def same_long_name():
    """One long name for all."""
    def both(n):
        name = number(b"F", n)
        total = 0
        for b in name:
            total = ((total << 7 | total >> 1) + b) & 0xFF
        return long_slot(0x41, "A long name", total) + entry(name, 0x20, 0, 0)
    fat, contents = root_of([both(n) for n in range(ENTRIES // 2)])
    return 200000, fat, contents, {"errors": 0, "warnings": ENTRIES // 2 - 1}


def stray_slots():
    """Slots of long names only."""
    fat, contents = root_of([long_slot(0x41, "gone", n & 0xFF)
                             for n in range(ENTRIES)])
    return 200000, fat, contents, {"errors": 0, "warnings": ENTRIES}


def can_limit():
    """Not a wrapper such as valgrind, nor a sanitizer's build."""
    if len(FATFSCK) > 1:
        return False
    with open(FATFSCK[0], "rb") as f:
        return b"__asan_init" not in f.read()


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))


def repair(path):
    """What is wrong with -y; lost chains are more than a root can hold."""
    options = ["--json", "--max-findings=100", "--buffer=64K", path]
    more = {"preexec_fn": limit if can_limit() else None}
    done = run("-y", "--lost=free", "--reservations=release", *options,
               **more)
    again = run("-n", *options, **more)
    if done.returncode & 8 or again.returncode & 8:
        return f"{done.stderr.decode()} {again.stderr.decode()}"
    found = json.loads(again.stdout)["findings"]
    codes = {f["code"] for f in found if f["severity"] != "info"}
    # What lies too deep can't be repaired.
    if codes - {"dir-deep", "dirty"}:
        return f"after -y there are {codes}"
    return None


def check(path, volume):
    clusters, fat, contents, expected = volume
    write(path, clusters, fat, contents)
    done = run("-n", "--json", "--max-findings=100", "--buffer=64K", path,
               preexec_fn=limit if can_limit() else None)
    if done.returncode not in (0, 4):
        return [f"exit {done.returncode}: {done.stderr.decode()}"]
    report = json.loads(done.stdout)
    left = repair(path)
    os.unlink(path)
    if left:
        return [left]
    summary = report["summary"]
    least = expected.pop("errors_at_least", 0)
    if summary["errors"] < least:
        return [f"{summary['errors']} errors, not {least}"]
    return [f"{key} is {summary[key]}, not {value}"
            for key, value in expected.items() if summary[key] != value]


def check_cancel(path):
    """A signal stops a check of 2^27 clusters; nothing is printed."""
    write(path, 1 << 27, {}, {})
    with subprocess.Popen([*FATFSCK, path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as child:
        caught = 0
        while not caught >> signal.SIGTERM - 1 & 1:
            time.sleep(0.001)
            with open(f"/proc/{child.pid}/status", encoding="utf-8") as f:
                caught = next((int(line.split()[1], 16) for line in f
                               if line.startswith("SigCgt")), 0)
        child.terminate()
        out, _ = child.communicate()
    if child.returncode != 32 or out:
        yield f"exit {child.returncode} after SIGTERM, not 32"


def main():
    failed = []
    volumes = (too_long, crossing, lost, rings, merging, deep,
               deep_and_damaged, wide, bad_names, same_name,
               same_long_name, stray_slots)
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "image")
        for make in volumes:
            failed += [f"{make.__name__}: {c}" for c in check(path, make())]
        failed += check_cancel(path)
    for f in failed:
        print("FAIL", f)
    print(f"fsck scale: {len(volumes)} volumes, {len(failed)} failed")
    return len(failed) != 0


if __name__ == "__main__":
    sys.exit(main())
