#!/usr/bin/env -S python3 -B
"""Each bit of the boot sector's numbers wrong, one after the other.

By a wrong one every repair would be wrong. So -y either writes nothing, or
afterwards each file is as it was and a second run finds nothing. On a FAT32
the bit is wrong in the boot sector alone, and in the backup as well. Without --full
two bits of each byte.
"""

import os
import struct
import sys
import tempfile

from damage import lost_files, pattern
from dirs import named
from images import EOC, Image, base12, base16, entry, subdirectory
from program import run, write
from reader import Volume


def small32():
    """1,048 sectors, clusters 2 to 1001; FATs at 16384 and 20480."""
    i = Image(1048 * 512, 32)
    i.fats, i.root, i.start = [16384, 20480], 24576, 24576
    for at in (0, 3072):
        i.put(at, b"\xEB\x58\x90TESTBASE")
        i.put(at + 11, bytes.fromhex("0002 01 2000 02 0000 0000 F8 0000"))
        i.put(at + 24, bytes.fromhex("2000 4000 00000000 18040000"))
        i.put(at + 36, bytes.fromhex("08000000 0000 0000 02000000 0100 0600"))
        i.put(at + 64, bytes.fromhex("80 00 29 78563412"))
        i.put(at + 71, b"LABEL      FAT32   ")
        i.put(at + 510, b"\x55\xAA")
    for at in (512, 3584):
        i.put(at, b"RRaA")
        i.put(at + 484, b"rrAa\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF")
        i.put(at + 508, b"\x00\x00\x55\xAA")
    i.fat({0: 0x0FFFFFF8, 1: EOC[32], 2: EOC[32]})
    return i


BASES = {12: base12, 16: base16, 32: small32}
FAR = {12: 90, 16: 4900, 32: 900}
LAST = {12: 36, 16: 36, 32: 52} # behind the numbers
BACKUP = 3072
FULL = "--full" in sys.argv[1:]
BITS = range(8)


def populate(i, directories):
    """Files in the root, one of them at its end, and in two directories."""
    e, far = EOC[i.kind], FAR[i.kind]
    slots = entry(b"LABEL      ", 0x08, 0, 0)
    slots += named("A long name", b"ALONGN~1   ", 0x20, 20, 1300)
    slots += entry(b"FAR     TXT", 0x20, far, 1024)
    i.fat({20: 21, 21: 22, 22: e, far: far + 1, far + 1: e})
    if directories:
        slots += entry(b"D          ", 0x10, 10, 0)
        slots += entry(b"E          ", 0x10, 15, 0)
        subdirectory(i, 10, 10, 0, entry(b"B       TXT", 0x20, 30, 700))
        subdirectory(i, 15, 15, 0, entry(b"C       TXT", 0x20, 40, 300))
        i.fat({10: e, 15: e, 30: 31, 31: e, 40: e})
    i.put(i.root, slots)
    for c in (20, 21, 22, 30, 31, 40, far, far + 1):
        i.put(i.cluster(c), pattern(f"cluster {c}", 512))
    i.put(54 if i.kind != 32 else 82, b"FAT%d   " % i.kind)
    if i.kind != 32:
        i.put(43, b"LABEL      ")


def complaints(path, data, files):
    done = run("-y", write(path, data))
    if done.returncode not in (0, 1, 4, 5, 8):
        yield f"exit {done.returncode} {done.stderr.decode()}"
    with open(path, "rb") as f:
        after = f.read()
    if after == data:
        return
    yield from lost_files(files, Volume(after))
    again = run("-n", path)
    if again.returncode:
        yield f"exit {done.returncode}, then {again.returncode}"


def check(path, kind, directories, backup):
    image = BASES[kind]()
    populate(image, directories)
    whole = bytes(image.data)
    files = {p: data for p, (_, data, _) in Volume(whole).files().items()}
    assert len(files) == 2 + 2 * directories
    if run("-n", write(path, whole)).returncode:
        yield "the volume is not sound to begin with"
    for at in range(11, LAST[kind]):
        for bit in BITS if FULL else (at % 8, (at + 3) % 8):
            data = bytearray(whole)
            data[at] ^= 1 << bit
            if backup:
                data[BACKUP + at] ^= 1 << bit
            for c in complaints(path, bytes(data), files):
                yield f"byte {at} bit {bit}: {c}"


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "image")
        for kind, backup in ((12, False), (16, False), (32, False),
                             (32, True)):
            for directories in (False, True):
                for c in check(path, kind, directories, backup):
                    print(f"FAIL FAT{kind}, directories {directories}, "
                          f"backup {backup}: {c}")
                    failed += 1
    print(f"fsck bootflips: {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
