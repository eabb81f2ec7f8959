#!/usr/bin/env -S python3 -B
"""The corpus, repaired by -y: it converges in one run.

Files that were intact are so still. A second run finds nothing that could be
repaired, and exits 0 but for the images in LEFT. Then fsck.fat -n, where it
can read the volume at all, says nothing but what EXPLAINED has. Without the
images this test is skipped.
"""

import json
import mmap
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import damage
from corpus import CORPUS
from program import run
from reader import Volume

# What stays wrong, and why.
LEFT = {
    "bulkext-nps-2010-emails.img": "the first 100 KB of 10 MB",
    "etcher-disk.img": "a partition table, no volume",
    "fluxfox-sector_test_1200k.img":
        "a test pattern where FATs and root should be",
    "jnode-makeboot.img": "the boot sector alone",
    "macos-usbthumb-trunc.img": "the first 16 KB of 4 GB",
    "rufus-arch_trunc-esp.img": "the first 430 KB of 64 MiB",
}

# Lines of fsck.fat's, and why the volume is sound nevertheless.
EXPLAINED = [
    (r"There is no label in boot sector, but", "Windows leaves it so"),
    (r"Auto-(copying|removing) (volume )?label", "the same"),
    (r"Label '.*' stored in boot sector is not valid",
     "blanks, or bytes from 80 on, which are legal"),
    (r"Volume label '.*' stored in root directory (is not valid|and label)",
     "bytes from 80 on, which are legal; or a boot sector without label"),
    (r"FATs differ but appear|Using first FAT", "it compares all 32 bits"),
    (r"Dirty bit is set|Automatically removing dirty",
     "that byte is boot code: there is no extended signature"),
    (r"^/|^ +(File size is|Truncating file)", "a reservation"),
    (r"Free cluster summary uninitialized", "unknown is legal"),
    (r"There is no backup boot sector|no space for creating one",
     "that is legal, too"),
    (r" +(Bad short file name|Auto-renaming it|Renamed to) ?", "legal"),
    (r"Cluster \d+ out of range|Reclaim", "its sums are of 32 bits"),
    (r"fsck\.fat \d|^$|Leaving filesystem|: \d+ files, \d+/\d+ clusters$|"
     r"^Checking", "no complaint"),
]


def unexplained(path):
    """Lines of fsck.fat's that nothing explains."""
    done = subprocess.run(["fsck.fat", "-n", path], capture_output=True,
                          timeout=300, check=False)
    if done.returncode not in (0, 1) or b"clusters" not in done.stdout:
        return []
    text = done.stdout.decode(errors="replace").replace("\0", "")
    return [line for line in text.split("\n")
            if not any(re.search(p, line) for p, _ in EXPLAINED)]


def volume(path):
    """Of an image of any size; None if it is none that reader.py knows."""
    with open(path, "rb") as f:
        data = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        return Volume(data)
    except (ValueError, struct.error, ZeroDivisionError):
        return None


def check(name, path, outsider, intact):
    before = volume(path)
    files = before.intact() if before else {}
    intact.update((name, file) for file in files)
    done = run("-y", "--json", path)
    if files:
        yield from damage.lost_files(files, volume(path))
    if done.returncode not in (0, 1) and name not in LEFT:
        yield f"-y: exit {done.returncode} {done.stderr.decode()}"
    second = run("-n", "--json", path)
    if second.returncode and name not in LEFT:
        yield f"-n after it: exit {second.returncode}"
    if not second.returncode and name in LEFT:
        yield "nothing is left: the table is wrong"
    if second.stdout:
        found = json.loads(second.stdout)["findings"]
        again = [f["code"] for f in found if f["would_repair"]]
        if again:
            yield f"-n after it finds {again}"
    if outsider and name not in LEFT:
        for line in unexplained(path):
            yield f"fsck.fat: {line}"


def main():
    archive = os.path.join(CORPUS, "images.tar.xz")
    if not os.path.exists(archive):
        print(f"SKIP: there are no images at {CORPUS}")
        return 77
    failed, intact = 0, set()
    outsider = shutil.which("fsck.fat")
    with tempfile.TemporaryDirectory() as tmp:
        subprocess.run(["tar", "-xJf", os.path.abspath(archive), "-C", tmp],
                       check=True)
        names = sorted(os.listdir(tmp))
        for name in names:
            complaints = list(check(name, os.path.join(tmp, name), outsider,
                                    intact))
            for c in complaints:
                print(f"FAIL {name}: {c}")
            failed += bool(complaints)
    print(f"fsck corpus repaired: {len(names)} images, {failed} failed, "
          f"{len(intact)} intact files")
    return failed != 0 or not intact


if __name__ == "__main__":
    sys.exit(main())
