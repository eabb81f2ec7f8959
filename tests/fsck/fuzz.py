#!/usr/bin/env -S python3 -B
"""Volumes with random damage, the same ones in each run.

-n ends, changes nothing, and says what -y does; after -y a second -n would
repair nothing, and exits 0 unless what is left is of a kind that has no
repair; files that were intact are so still, by the same name; the undo file
gives back every byte.

    fuzz.py [FIRST [COUNT]]   other seeds, or more
"""

import collections
import json
import os
import random
import re
import struct
import sys
import tempfile

import damage
import images
from images import BAD, EOC, entry, subdirectory
from program import FATFSCK, run
from reader import Volume

FIRST, COUNT = 1, 200

# Findings that may be left: nothing can be done about them, or not here.
STAY = {
    "root-cluster", "fat-short", "fat16-many", "fs-version", "active-copy",
    "truncated", "not-checked", "beyond-image", "lost-no-room", "dir-deep",
    "fat32-few", "type-threshold", "root-entries", "fsinfo-place",
}


class Small32(images.Image):
    """FAT32 with 1,000 clusters, as images.base32() otherwise."""

    def __init__(self):
        super().__init__((48 + 1000) * 512, 32)
        self.put(0, images.base32().data[:48 * 512])
        self.fats, self.root, self.start = [16384, 20480], 24576, 24576
        self.put(16384, bytes(24576 - 16384))
        for at in (0, 3072):
            self.put(at + 32, struct.pack("<II", 1048, 8))
        for at in self.fats:
            self.put(at, bytes.fromhex("F8FFFF0F FFFFFF0F F8FFFF0F"))
        self.free(999)


BASES = {12: images.base12, 16: images.base16, 32: Small32}


def long_slots(text, name):
    total = 0
    for b in name:
        total = ((total << 7 | total >> 1) + b) & 0xFF
    units = (text.encode("utf-16-le") + b"\0\0").ljust(26, b"\xFF")
    return (b"\x41" + units[:10] + bytes([0x0F, 0, total]) + units[10:22] +
            b"\0\0" + units[22:])


def populate(i):
    """A tree with something of each kind."""
    e = EOC[i.kind]
    damage.put_file(i, 0, b"A       TXT", [10, 11, 15, 16], 1900)
    damage.put_file(i, 1, b"B       TXT", [12, 13], 1024)
    damage.put_file(i, 2, b"RESERVEDTXT", [20, 21, 22, 23], 700)
    i.put(i.root + 96, entry(b"EMPTY      ", 0x20, 0, 0) +
          b"\xE5" + entry(b"GONE    TXT", 0x20, 40, 9)[1:] +
          long_slots("A long name", b"ALONGN~1   ") +
          entry(b"ALONGN~1   ", 0x20, 24, 512) +
          entry(b"D          ", 0x10, 30, 0) +
          entry(b"F          ", 0x10, 34, 0))
    subdirectory(i, 30, 30, 0, entry(b"E          ", 0x10, 31, 0) +
                 entry(b"C       TXT", 0x20, 50, 2000) +
                 12 * entry(b"\xE5EMOVED    ", 0x20, 0, 0))
    i.put(i.cluster(33), entry(b"Z       TXT", 0x20, 60, 512))
    subdirectory(i, 31, 31, 30, entry(b"G       TXT", 0x20, 61, 1))
    subdirectory(i, 34, 34, 0)
    i.fat({24: e, 30: 33, 33: e, 31: e, 34: e, 50: 52, 52: 51, 51: 53, 53: e,
           60: e, 61: e, 62: BAD[i.kind]})
    for c in (24, 50, 51, 52, 53, 60, 61):
        i.put(i.cluster(c), damage.pattern(str(c), 512))
    if i.kind == 32:
        i.free(999 - 22)


DIRECTORIES = (30, 31, 33, 34)
CLUSTERS = [*range(10, 17), *range(20, 25), 30, 31, 33, 34, *range(50, 54),
            60, 61, 40, 41, 42]


def some_value(rng, i):
    return rng.choice([
        0, 1, EOC[i.kind], BAD[i.kind], EOC[i.kind] - 8, EOC[i.kind] - 15,
        rng.choice(CLUSTERS), rng.choice(CLUSTERS), rng.choice(CLUSTERS),
        rng.randrange(2, 99), rng.randrange(0, EOC[i.kind] + 1)])


def spoil_fat(rng, i):
    copies = rng.choice([(0, 1), (0, 1), (0,), (1,)])
    for _ in range(rng.choice([1, 1, 2, 5])):
        i.fat({rng.choice(CLUSTERS): some_value(rng, i)}, copies)


def spoil_fat_bytes(rng, i):
    for at in rng.choice([i.fats, i.fats[:1], i.fats[1:]]):
        for _ in range(rng.choice([1, 3, 20])):
            i.data[at + rng.randrange(150)] = rng.randrange(256)


def wipe_fat(rng, i):
    at = rng.choice(i.fats)
    n = rng.choice([16, 64, 512])
    i.put(at, rng.choice([bytes(n), n * b"\xFF", rng.randbytes(n)]))


def some_slot(rng, i):
    at = rng.choice([i.root] + [i.cluster(c) for c in DIRECTORIES])
    return at + 32 * rng.randrange(16)


def spoil_entry(rng, i):
    at = some_slot(rng, i)
    for _ in range(rng.choice([1, 1, 2, 8])):
        i.data[at + rng.randrange(32)] = rng.choice(
            [0, 0x20, 0xE5, 0x0F, 0x10, 0xFF, rng.randrange(256)])


def spoil_start(rng, i):
    at = some_slot(rng, i)
    i.put(at + 26, struct.pack("<H", some_value(rng, i) & 0xFFFF))


def copy_entry(rng, i):
    source = some_slot(rng, i)
    i.put(some_slot(rng, i), bytes(i.data[source:source + 32]))


def spoil_boot(rng, i):
    at = rng.choice([0, 0, 3072] if i.kind == 32 else [0])
    for _ in range(rng.choice([1, 1, 3])):
        i.data[at + rng.randrange(90)] = rng.choice(
            [0, 1, 2, 0xFF, rng.randrange(256)])


def spoil_fsinfo(rng, i):
    if i.kind == 32:
        i.data[rng.choice([512, 3584]) +
               rng.choice([0, 484, 488, 489, 492, 493, 510])] ^= \
            1 << rng.randrange(8)


def crowd(rng, i):
    """No free slot in the root, and few free clusters or none."""
    for n in range(9, 16):
        i.put(i.root + 32 * n, entry(b"X%d         " % (n - 9), 0x20, 0, 0))
    last = {12: 97, 16: 5001, 32: 1001}[i.kind]
    rest = [*range(70, last + 1 - rng.choice([0, 0, 1, 7]))]
    i.fat(dict(zip(rest, rest[1:] + [EOC[i.kind]])))
    i.put(i.root + 32 * 15, entry(b"BIG        ", 0x20, 70, 512 * len(rest)))


SPOILERS = (spoil_fat, spoil_fat, spoil_fat, spoil_fat_bytes, wipe_fat,
            spoil_entry, spoil_entry, spoil_entry, spoil_start, copy_entry,
            spoil_fsinfo)


def spoilt(seed):
    """What the seed makes: bytes."""
    rng = random.Random(seed)
    image = BASES[rng.choice([12, 12, 16, 32, 32])]()
    populate(image)
    if rng.random() < 0.2:
        crowd(rng, image)
    for _ in range(rng.choice([1, 2, 3, 6, 12, 30])):
        rng.choice(SPOILERS)(rng, image)
    if seed % 10 == 0:
        spoil_boot(rng, image)
    return bytes(image.data)


OPTIONS = ([], [], [], ["--lost=free"], ["--reservations=release"],
           ["--use-fat=2"], ["--lost=keep"], ["--max-findings=3"])


def report(*args):
    done = run("--json", *args, timeout=20)
    if not done.stdout:
        return {"exit": done.returncode, "findings": []}
    return json.loads(done.stdout)


def outline(findings, key):
    return sorted((f["code"], f.get("path") or "",
                   tuple(f.get("clusters") or ()))
                  for f in findings if f[key])


def read(path):
    with open(path, "rb") as f:
        return f.read()


LEGAL = re.compile(r"[A-Z0-9~_]+ *")


def is_named(path, shared):
    """Does it keep its path? A name that is none does not, nor one below a
    directory that two entries lead to."""
    parts = path[1:].split("/")
    return all(LEGAL.fullmatch(p[:8]) and re.fullmatch(r"[A-Z0-9~_]* *", p[8:])
               for p in parts) and \
        not any("/" + "/".join(parts[:n]) in shared
                for n in range(1, len(parts)))


def shared_directories(volume):
    """Their paths: two entries lead to a cluster of them."""
    owners = volume.owners()
    return [path for path, c, _, is_dir in volume.walk()
            if is_dir and any(owners[x] > 1 for x in volume.chain(c)[0])]


def lost_contents(before, after, seen):
    """Files that were sound whichever copy is believed, and are gone, or have
    another path; seen counts what is not held to that."""
    if before[:90] != after[:90]:
        seen["another boot sector"] += 1  # by the old one all is misread
        return
    try:
        volumes = [Volume(before, n) for n in (0, 1)]
        first, second = (v.intact() for v in volumes)
        shared = {path for v in volumes for path in shared_directories(v)}
        now = {path: text for path, (_, text, _) in
               Volume(after).files().items()}
    except (struct.error, IndexError, ZeroDivisionError):
        seen["no volume that the reader can read"] += 1
        return
    texts = set(now.values())
    for path, text in first.items():
        if second.get(path) != text or now.get(path) == text:
            continue
        if is_named(path, shared) or text not in texts:
            yield path
        else:
            seen["whole by another path"] += 1


def check(tmp, data, options, seen):
    """Complaints; seen counts what is not judged."""
    path, undo = os.path.join(tmp, "image"), os.path.join(tmp, "undo")
    with open(path, "wb") as f:
        f.write(data)
    if os.path.exists(undo):
        os.unlink(undo)
    preview = report("-n", *options, path)
    few = "--max-findings=3" in options
    if preview.get("summary", {}).get("findings_not_listed", 0) > 1000 * few:
        yield "findings are not listed"
    if read(path) != data:
        yield "-n changed the image"
    done = report("-y", "--undo", undo, *options, path)
    after = read(path)
    would = outline(preview["findings"], "would_repair")
    did = outline(done["findings"], "repaired")
    if would != did and not few:
        yield f"-n said {would}\n  -y did {did}"
    if done["exit"] & ~5:
        if after != data:
            yield f"-y exits with {done['exit']} and has written"
        seen["refused"] += 1
        return
    again = report("-n", *options, path)
    if outline(again["findings"], "would_repair"):
        yield f"again: {outline(again['findings'], 'would_repair')}"
    left = {f["code"] for f in again["findings"]
            if f["severity"] != "info"}
    allowed = set(STAY)
    if "--lost=keep" in options:
        allowed |= {"lost-chain", "lost-ring"}
    if not again["summary"]["clusters_free"]:
        allowed |= {"dot-entries"}  # there is no room for what is in the way
    seen.update(left & allowed)
    left -= allowed
    if again["exit"] != done["exit"] & 4:
        yield f"-y exits with {done['exit']}, then -n with {again['exit']}"
    if left - {"dirty", "error-mark"} or left and not again["exit"]:
        yield f"left are {sorted(left)}"
    for name in lost_contents(data, after, seen):
        yield f"{name!r} was intact and is not any more"
    if os.path.exists(undo):
        back = run("--rollback", undo, path)
        if back.returncode or read(path) != data:
            yield f"rollback: {back.returncode} {back.stderr.decode()}"
    elif after != data:
        yield "changed without a trace in the undo file"


def main():
    first = int(sys.argv[1]) if sys.argv[1:] else FIRST
    count = int(sys.argv[2]) if sys.argv[2:] else COUNT
    failed, seen = 0, collections.Counter()
    with tempfile.TemporaryDirectory() as tmp:
        for seed in range(first, first + count):
            try:
                complaints = list(check(tmp, spoilt(seed),
                                        OPTIONS[seed % len(OPTIONS)], seen))
            except Exception as e:  # a crash, a hang, bad JSON
                complaints = [f"{type(e).__name__}: {e}"]
            for c in complaints:
                print(f"FAIL seed {seed}: {c}")
            failed += bool(complaints)
    print(f"fsck fuzz: {count} volumes, {failed} failed; left as they are: "
          f"{dict(seen)}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
