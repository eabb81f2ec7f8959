#!/usr/bin/env -S python3 -B
"""Shared clusters: nobody loses a byte where there is room, and it ends.

Random volumes whose files run into each other anywhere: each file reads
after the repair what it read before. Then the options that mean no copy, and
large hostile volumes in bounded memory: thousands of files for one chain, and
no free space but single clusters.
"""

import json
import os
import random
import struct
import sys
import tempfile

import damage
import images
from images import BAD, EOC, entry
from program import run
from reader import Volume
from scale import can_limit, limit, number, root_of, write

VOLUMES = 60


def read(path):
    with open(path, "rb") as f:
        return f.read()


def store(path, data):
    with open(path, "wb") as f:
        f.write(data)


def random_volume(rng, loops):
    """Up to 16 files on a FAT16; their chains join."""
    i = images.BASES[16]()
    places = rng.sample(range(2, 400), 200)
    taken, entries = [], []
    for n in range(rng.randint(2, 16)):
        own = [places.pop() for _ in range(rng.randint(0, 8))]
        if taken and (not own or rng.random() < 0.8):
            last = rng.choice(taken)
        elif own and loops and rng.random() < 0.2:
            last = rng.choice(own)
        elif own and rng.random() < 0.1:
            last = rng.choice([1, 5002, BAD[16]])
        else:
            last = EOC[16]
        way = own + [last]
        i.fat(dict(zip(way, way[1:])))
        for c in own:
            i.put(i.cluster(c), rng.randbytes(512))
        taken += own
        size = rng.randint(1, 512 * 20) if way[0] != EOC[16] else 0
        entries.append(entry(b"F%02d     TXT" % n, 0x20,
                             way[0] if size else 0, size))
    rng.shuffle(entries)
    i.put(i.root, b"".join(entries))
    return bytes(i.data)


def readable(volume):
    """What can be read of each file: up to its size, or to a damage."""
    found = {}
    for path, c, size, _ in volume.walk():
        need = -(-size // 512)
        data = volume.content(volume.chain(c)[0][:need] if c else [])
        found[path] = data[:size]
    return found


def check_random(path, undo, seed):
    loops = seed % 5 == 0
    data = random_volume(random.Random(seed), loops)
    store(path, data)
    before = readable(Volume(data))
    if os.path.exists(undo):
        os.unlink(undo)
    preview = json.loads(run("-n", "--json", path).stdout)
    done = run("-y", "--json", "--undo", undo, path)
    report = json.loads(done.stdout)
    if done.returncode not in (0, 1):
        yield f"-y: exit {done.returncode}"
    told = [[f["code"] for f in r["findings"] if f[key]]
            for r, key in ((preview, "would_repair"), (report, "repaired"))]
    if sorted(told[0]) != sorted(told[1]):
        yield f"-n: {told[0]}, -y: {told[1]}"
    after = Volume(read(path))
    now = readable(after)
    # A loop is cut where it closes, whoever else came to it.
    for name, was in () if loops else before.items():
        if now.get(name) != was:
            yield f"{name!r} had {len(was)} bytes and has " \
                  f"{len(now.get(name, b''))}, or others"
    if any(n > 1 for n in after.owners().values()):
        yield "clusters have two owners"
    if run("-n", path).returncode:
        yield "-n finds errors again"
    if os.path.exists(undo):
        back = run("--rollback", undo, path)
        if back.returncode or read(path) != data:
            yield "rollback does not give back the image"


def check_options(path):
    change = next(c for n, _, c, _ in damage.CASES if n == "shared_tail-16")
    for options, size, moved, status in (
            (["-y"], 1400, 1024, 1), (["-y", "--lost=save"], 1400, 1024, 1),
            (["-y", "--lost=free"], 512, 0, 1),
            (["-y", "--lost=keep"], 512, 0, 1), (["-p"], 1400, 0, 4),
            (["-p", "--lost=save"], 1400, 0, 4), (["-n"], 1400, 0, 4)):
        store(path, images.build(16, change))
        done = run("--json", *options, path)
        stats = json.loads(done.stdout)["stats"]
        got = Volume(read(path)).files()["/B       TXT"][0]
        if (got, stats["data_bytes_moved"], done.returncode) != \
                (size, moved, status):
            yield f"{options}: {got} bytes, {stats['data_bytes_moved']} " \
                  f"moved, exit {done.returncode}"


def one_chain_for_all():
    """Each of 20,000 files begins with the same cluster and needs all."""
    fat, contents = root_of([entry(number(b"F", n), 0x20, 1000, 512 * 5000)
                             for n in range(20000)])
    fat |= {c: c + 1 for c in range(1000, 5999)} | {5999: 0x0FFFFFFF}
    return 130000, fat, contents, (130000 - len(fat)) // 5000 + 1


def each_begins_later():
    """Each file begins one cluster later in one chain, and fits there."""
    count = 18000
    fat, contents = root_of([
        entry(number(b"F", n), 0x20, 1000 + n, 512 * (count - n))
        for n in range(count)])
    fat |= {c: c + 1 for c in range(1000, 999 + count)}
    fat |= {999 + count: 0x0FFFFFFF}
    return 130000, fat, contents, 2


def single_clusters():
    """A copy would be in more pieces than are allowed."""
    fat, contents = root_of([entry(b"A          ", 0x20, 1000, 512 * 10000),
                             entry(b"B          ", 0x20, 1000, 512 * 10000)]
                            + 14 * [b"\xE5" + bytes(31)])
    fat |= {c: 0x0FFFFFF7 for c in range(3, 130002, 2)}
    fat |= {c: 0x0FFFFFF7 for c in range(3, 1000)}
    fat |= {c: c + 1 for c in range(1000, 10999)} | {10999: 0x0FFFFFFF}
    return 130000, fat, contents, 1


def check_large(path, make):
    clusters, fat, contents, least = make()
    write(path, clusters, fat, contents)
    options = ["--json", "--max-findings=100", "--buffer=64K", path]
    more = {"preexec_fn": limit if can_limit() else None}
    done = run("-y", *options, **more)
    if done.returncode != 1:
        yield f"-y: exit {done.returncode} {done.stderr.decode()}"
    again = run("-n", *options, **more)
    if again.returncode:
        yield f"-n after it: {again.stdout.decode()[:500]}"
    sizes = [struct.unpack_from("<I", c, at + 28)[0]
             for c in contents.values() for at in range(0, len(c), 32)]
    full = 0
    for path_, size, data in whole(path):
        if data:
            full += size in sizes and size >= 512 * 5000
    if full < least or (least == 1 and full > 1):
        yield f"{full} files are whole, not {least}"


def whole(path):
    """(name, size, has clusters for it) of the files in the root."""
    volume = Volume(read(path))
    for name, c, size, _ in volume.walk():
        need = -(-size // 512)
        yield name, size, bool(size) and len(volume.chain(c)[0]) >= need


def main():
    failed = []
    with tempfile.TemporaryDirectory() as tmp:
        path, undo = os.path.join(tmp, "image"), os.path.join(tmp, "undo")
        for seed in range(VOLUMES):
            failed += [f"volume {seed}: {c}"
                       for c in check_random(path, undo, seed)]
        failed += check_options(path)
        for make in (one_chain_for_all, each_begins_later, single_clusters):
            failed += [f"{make.__name__}: {c}"
                       for c in check_large(path, make)]
    for f in failed:
        print("FAIL", f)
    print(f"fsck shared: {VOLUMES} volumes and 3 large ones, "
          f"{len(failed)} failed")
    return len(failed) != 0


if __name__ == "__main__":
    sys.exit(main())
