#!/usr/bin/env -S python3 -B
"""Memory is at most four bits per cluster and a constant, also on volumes
that are damaged all over.

The images are sparse, with damage every 16,384 clusters, so each page of each
bitmap is touched. FSCK_BIG=1: the largest volume that there is instead of one
that takes seconds.
"""

import os
import struct
import subprocess
import sys
import tempfile

from images import entry
from program import FATFSCK
from scale import can_limit

EOC = 0x0FFFFFFF
BIG = bool(os.environ.get("FSCK_BIG"))
CLUSTERS = 0x0FFFFFF5 if BIG else 1 << 26
STEP = 16384
# Beside the bitmaps. A preview holds what it would write, too; a volume of
# 2^28 clusters takes 160 MiB then.
CONSTANT = 8 << 20
PREVIEW = 24 << 20
ROOT = range(100, 2000)


class Sparse:
    """FAT32, 512-byte clusters; the root is clusters 100 to 1999."""

    def __init__(self, path):
        self.fat_sectors = (CLUSTERS + 2) * 4 // 512 + 1
        self.data = 32 + 2 * self.fat_sectors
        self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        os.ftruncate(self.file, (self.data + CLUSTERS) * 512)
        boot = bytearray(512)
        boot[0:11] = b"\xEB\x58\x90TESTBASE"
        struct.pack_into("<HBHBHHBHHHII", boot, 11, 512, 1, 32, 2, 0, 0, 0xF8,
                         0, 32, 64, 0, self.data + CLUSTERS)
        struct.pack_into("<IHHIHH", boot, 36, self.fat_sectors, 0, 0,
                         ROOT[0], 0, 0)
        boot[510:] = b"\x55\xAA"
        os.pwrite(self.file, boot, 0)
        self.fat(0, [0x0FFFFFF8, EOC])
        self.fat(ROOT[0], [*ROOT[1:], EOC])

    def fat(self, c, values, copies=(0, 1)):
        raw = struct.pack(f"<{len(values)}I", *values)
        for copy in copies:
            os.pwrite(self.file, raw,
                      (32 + copy * self.fat_sectors) * 512 + 4 * c)

    def put_dir(self, directory, slot, *what):
        """An entry of the directory whose clusters begin there."""
        os.pwrite(self.file, entry(*what, *[0] * (4 - len(what))),
                  (self.data + directory - 2) * 512 + 32 * slot)

    def root(self, slot, name, c, size):
        assert slot < 16 * len(ROOT)
        self.put_dir(ROOT[0], slot, name, 0x20, c, size)

    def close(self):
        os.close(self.file)


def places():
    """Where to damage something, with a number each."""
    return enumerate(range(STEP, CLUSTERS - STEP, STEP))


def name(prefix, n):
    return b"%s%07d   " % (prefix, n)


def lost(image):
    """Chains that belong to no file."""
    for _, c in places():
        image.fat(c, [c + 1, EOC])


def crossing(image):
    """Two files run into one, which leads to a free cluster."""
    for n, c in places():
        image.fat(c, [c + 1, c + 2])
        image.fat(c + 10, [c + 1])
        if n < 15000:
            image.root(2 * n, name(b"A", n), c, 1024)
            image.root(2 * n + 1, name(b"B", n), c + 10, 1024)


def copies_differ(image):
    """The first copy has nothing of any file."""
    for n, c in places():
        image.fat(c, [c + 1, EOC], [1])
        image.root(n, name(b"A", n), c, 1024)


def copies_cross(image):
    """Two files run into one in the first copy."""
    for n, c in places():
        image.fat(c, [c + 1, EOC])
        image.fat(c + 10, [c + 11, EOC])
        image.fat(c, [c + 11], [0])
        if n < 15000:
            image.root(2 * n, name(b"A", n), c, 1024)
            image.root(2 * n + 1, name(b"B", n), c + 10, 1024)


def too_long(image):
    """Each file has a cluster more than it needs."""
    for n, c in places():
        image.fat(c, [c + 1, c + 2, EOC])
        image.root(n, name(b"A", n), c, 1024)


def long_paths(image):
    """Findings whose paths, two each, are as long as a path can be."""
    depth, first, wide = 500, 3000, 10000
    image.put_dir(ROOT[0], 0, b"D          ", 0x10, first)
    for c in range(first, first + depth):
        parent = c - 1 if c > first else 0
        image.put_dir(c, 0, b".          ", 0x10, c)
        image.put_dir(c, 1, b"..         ", 0x10, parent)
        if c < first + depth - 1:
            image.fat(c, [EOC])
            image.put_dir(c, 2, b"LONGNAMEXYZ", 0x10, c + 1)
    image.fat(c, [*range(c + 1, c + wide // 16 + 1), EOC])
    for n in range(wide):
        image.put_dir(c, 2 + n, name(b"F", n), 0x20, 9000, 9)
    image.fat(9000, [EOC])


VOLUMES = (
    (lost, ["--lost=free"]),
    (lost, ["--lost=save"]),
    (crossing, ["--lost=free"]),
    (crossing, []),
    (copies_differ, []),
    (copies_cross, []),
    (too_long, ["--reservations=release"]),
    (long_paths, []),
)


def measure(*args):
    """Exit status and peak. Output is not kept: the peak of a process is at
    least what its parent has."""
    with subprocess.Popen([*FATFSCK, "-q", *args],
                          stdout=subprocess.DEVNULL) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_maxrss << 10


def check(path, change, options):
    image = Sparse(path)
    change(image)
    image.close()
    for mode, expected in (("-n", 4), ("-y", 1), ("-n", 0)):
        status, peak = measure(mode, *options, path)
        print(f"{change.__name__} {' '.join(options)} {mode}: exit {status}, "
              f"{peak / 2**20:.1f} MiB", flush=True)
        if status != expected:
            yield f"{mode} exits with {status}, not {expected}"
        limit = CLUSTERS // 2 + CONSTANT + (PREVIEW if mode == "-n" else 0)
        if peak > limit and can_limit():
            yield f"{mode} takes {peak} bytes, more than {limit}"
    os.unlink(path)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        for change, options in VOLUMES:
            if sys.argv[1:] and change.__name__ not in sys.argv[1:]:
                continue
            for c in check(os.path.join(tmp, "image"), change, options):
                print(f"FAIL {change.__name__} {' '.join(options)}: {c}")
                failed += 1
    print(f"fsck memory: {len(VOLUMES)} volumes, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
