#!/usr/bin/env -S python3 -B
"""Where 32 bits are not enough: on sparse images, checked and repaired.

Long lost chains, files of 4 GiB - 1, directories behind the first 4 GiB of
the device, volumes that begin there, cluster numbers over 2^27.
"""

import json
import os
import struct
import sys
import tempfile

from images import entry
from program import run

EOC = 0x0FFFFFFF
K32 = 32768
FILE_MAX = 131071 * K32  # whole clusters of 32 KiB in 4 GiB - 1


class Volume:
    """FAT32 with one FAT at sector 32; the root is cluster 2."""

    def __init__(self, path, clusters, cluster_bytes, offset=0):
        self.offset, self.cluster_bytes = offset, cluster_bytes
        per = cluster_bytes // 512
        fat_sectors = (clusters + 2) * 4 // 512 + 1
        fat_sectors += -(32 + fat_sectors) % per
        self.start = (32 + fat_sectors) * 512
        total = 32 + fat_sectors + clusters * per
        self.file = os.open(path, os.O_RDWR | os.O_CREAT)
        os.ftruncate(self.file, 0)
        os.ftruncate(self.file, offset + total * 512)
        boot = bytearray(512)
        boot[0:11] = b"\xEB\x58\x90TESTBASE"
        struct.pack_into("<HBHBHHBHHHII", boot, 11, 512, per, 32, 1, 0, 0,
                         0xF8, 0, 32, 64, 0, total)
        struct.pack_into("<IHHIHH", boot, 36, fat_sectors, 0, 0, 2, 0, 0)
        boot[510:] = b"\x55\xAA"
        self.put(0, boot)
        self.fat(0, [0x0FFFFFF8, EOC, EOC])

    def put(self, at, data):
        os.pwrite(self.file, data, self.offset + at)

    def get(self, at, count):
        return os.pread(self.file, count, self.offset + at)

    def at(self, c):
        return self.start + (c - 2) * self.cluster_bytes

    def fat(self, c, values):
        self.put(32 * 512 + 4 * c, struct.pack(f"<{len(values)}I", *values))

    def chain(self, first, count):
        self.fat(first, [*range(first + 1, first + count), EOC])

    def next_of(self, c):
        return struct.unpack("<I", self.get(32 * 512 + 4 * c, 4))[0]

    def entries(self, c=2):
        """{name: (first cluster, size)}"""
        found = {}
        raw = self.get(self.at(c), self.cluster_bytes)
        for at in range(0, len(raw), 32):
            if not raw[at]:
                break
            high, low, size = struct.unpack_from("<H4xHI", raw, at + 20)
            found[raw[at:at + 11]] = high << 16 | low, size
        return found


def findings(*args):
    report = json.loads(run("--json", *args).stdout)
    return sorted(f["code"] for f in report["findings"]
                  if f["severity"] != "info"), report


def expect(what, got, want):
    return [] if got == want else [f"{what}: {got}, not {want}"]


def is_sound(path, *options):
    codes, report = findings("-n", *options, path)
    return expect("afterwards", (codes, report["exit"]), ([], 0))


def long_lost_chain(path):
    """Of 8 GiB and a little: three files."""
    v = Volume(path, 300000, K32)
    v.chain(1000, 131071 + 131071 + 5)
    v.put(v.at(1000), b"first")
    v.put(v.at(1000 + 131071), b"second")
    v.put(v.at(1000 + 262142), b"third")
    codes, _ = findings("-y", path)
    bad = expect("findings", codes, ["lost-chain"])
    bad += expect("entries", v.entries(), {
        b"FSCK0000REC": (1000, FILE_MAX),
        b"FSCK0001REC": (132071, FILE_MAX),
        b"FSCK0002REC": (263142, 5 * K32)})
    for last in (132070, 263141, 263146):
        bad += expect(f"end at {last}", v.next_of(last), EOC)
    return bad + is_sound(path)


def largest_file(path):
    """4 GiB - 1; then a cluster too many, then one too few."""
    v = Volume(path, 200000, K32)
    v.put(v.at(2), entry(b"BIG        ", 0x20, 50000, 0xFFFFFFFF))
    v.chain(50000, 131072)
    bad = is_sound(path)
    v.chain(50000, 131073)
    codes, report = findings("-n", path)
    bad += expect("too long", (codes, report["exit"]), ([], 0))
    bad += expect("reserved", report["reservations"][0]["reserved"], K32)
    _, report = findings("-y", "--reservations=release", path)
    bad += expect("released", v.next_of(50000 + 131071), EOC)
    bad += expect("freed", v.next_of(50000 + 131072), 0)
    v.chain(50000, 131071)
    v.fat(50000 + 131071, [0])
    codes, report = findings("-y", path)
    bad += expect("too short", codes, ["chain-short"])
    bad += expect("size", v.entries()[b"BIG        "], (50000, FILE_MAX))
    return bad + is_sound(path)


def far_directory(path):
    """At 6.5 GiB, and its second cluster at 8 GiB."""
    v = Volume(path, 300000, K32)
    v.put(v.at(2), entry(b"D          ", 0x10, 200000, 0))
    v.fat(200000, [250000])
    v.fat(250000, [EOC])
    v.put(v.at(200000), entry(b".          ", 0x10, 200001, 0) +
          entry(b"..         ", 0x10, 0, 0) +
          1022 * entry(b"\xE5          ", 0x20, 0, 0))
    v.put(v.at(250000), entry(b"bad        ", 0x20, 0, 0) +
          entry(b"GOOD       ", 0x20, 299999, 9) +
          entry(b"E          ", 0x10, 299998, 0))
    v.fat(299998, [EOC, EOC])
    v.put(v.at(299998), entry(b".          ", 0x10, 299998, 0) +
          entry(b"..         ", 0x10, 4, 0))
    codes, _ = findings("-y", path)
    bad = expect("findings", codes,
                 ["dot-cluster", "dotdot-cluster", "name-bad"])
    bad += expect("dot", v.entries(200000)[b".          "], (200000, 0))
    bad += expect("names", sorted(v.entries(250000)),
                  [b"BAD        ", b"E          ", b"GOOD       "])
    bad += expect("dotdot", v.entries(299998)[b"..         "], (200000, 0))
    return bad + is_sound(path)


def far_volume(path):
    """It begins 5 GiB into the file; what is before it stays."""
    v = Volume(path, 70000, 512, 5 << 30)
    v.put(v.at(2), entry(b"A          ", 0x20, 60000, 700) +
          entry(b"B          ", 0x20, 60100, 512))
    v.fat(60000, [60001, 60002])
    v.fat(60100, [EOC])
    v.fat(60200, [EOC])
    os.pwrite(v.file, b"somebody's", (5 << 30) - 512)
    before = v.get(0, 32 * 512 + 4 * 70002), v.get(v.at(2), 512)
    undo = path + ".undo"
    codes, _ = findings("-y", "--undo", undo, "--image-offset=5G", path)
    bad = expect("findings", codes, ["link-free", "lost-chain"])
    bad += expect("cut", v.next_of(60001), EOC)
    bad += expect("saved", v.entries()[b"FSCK0000REC"], (60200, 512))
    bad += is_sound(path + "@@5G")
    bad += expect("rollback", run("--rollback", undo,
                                  path + "@@5G").returncode, 0)
    bad += expect("bytes", (v.get(0, 32 * 512 + 4 * 70002),
                            v.get(v.at(2), 512)), before)
    return bad + expect("neighbour", os.pread(v.file, 10, (5 << 30) - 512),
                        b"somebody's")


def high_clusters(path):
    """Numbers that no 27 bits hold."""
    n = (1 << 27) + 5000
    v = Volume(path, n, 512)
    v.put(v.at(2), entry(b"A          ", 0x20, n - 10, 512 * 3) +
          entry(b"D          ", 0x10, n - 20, 0))
    v.fat(n - 10, [n - 9, n, n - 7])
    v.fat(n - 1, [EOC, EOC, EOC])
    v.fat(n - 20, [EOC])
    v.put(v.at(n - 20), entry(b".          ", 0x10, n - 20, 0) +
          entry(b"..         ", 0x10, n - 21, 0))
    codes, _ = findings("-y", path)
    bad = expect("findings", codes, ["dotdot-cluster"] + 3 * ["lost-chain"])
    got = v.entries()
    bad += expect("file", got[b"A          "], (n - 10, 512 * 3))
    bad += expect("saved", sorted(got.values())[2:],
                  [(n - 8, 512), (n - 1, 512), (n + 1, 512)])
    return bad + is_sound(path)


TESTS = (long_lost_chain, largest_file, far_directory, far_volume,
         high_clusters)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        for test in TESTS:
            path = os.path.join(tmp, "image")
            for c in test(path):
                print(f"FAIL {test.__name__}: {c}")
                failed += 1
            os.unlink(path)
    print(f"fsck sizes: {len(TESTS)} volumes, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
