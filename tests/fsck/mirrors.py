#!/usr/bin/env -S python3 -B
"""Random damage in both FAT copies, no entry in both: what is whole under one
of them, and crosses nobody there, is whole after -y.

A sound FAT12 of files and directories; single entries become free, bad, an
end, a link into some other chain, or to anywhere. The directories hold their
dot entries in one cluster, so that they are found whatever happens. Told
apart, and counted, are files of which the other copy says something else that
is as sound: nobody can know which is right.
"""

import os
import random
import sys
import tempfile

from images import BAD, EOC, build, entry, subdirectory
from damage import pattern
from program import run
from reader import Volume

SEEDS = int(os.environ.get("FSCK_SEEDS", "300"))
FILES, DIRECTORIES = 10, 2
DIRECTORY_AT = (2, 3)


def sound(rng):
    """(image, {path: bytes}, clusters that files have)"""
    free = list(range(4, 98))
    if rng.random() < 0.6:
        rng.shuffle(free)
    want, all_used = {}, []
    slots = [b"" for _ in range(DIRECTORIES + 1)]
    links = {c: EOC[12] for c in DIRECTORY_AT}
    data = {}
    for n in range(FILES):
        chain = [free.pop() for _ in range(rng.randint(1, 8))]
        where = rng.randrange(DIRECTORIES + 1)
        reserved = rng.randint(0, 1) if rng.random() < 0.2 else 0
        size = 512 * (len(chain) - reserved) - rng.randint(0, 511)
        name = b"F%02d     TXT" % n
        slots[where] += entry(name, 0x20, chain[0], max(size, 0))
        full = pattern(name.decode(), 512 * len(chain))
        for k, c in enumerate(chain):
            data[c] = full[512 * k:512 * k + 512]
        links |= dict(zip(chain, chain[1:] + [EOC[12]]))
        path = f"/D{where}         " if where else ""
        want[f"{path}/{name.decode()}"] = full[:max(size, 0)]
        all_used += chain

    def change(i):
        root = b"".join(entry(b"D%d         " % (n + 1), 0x10, c, 0)
                        for n, c in enumerate(DIRECTORY_AT))
        i.put(i.root, root + slots[0])
        for n, c in enumerate(DIRECTORY_AT):
            subdirectory(i, c, c, 0, slots[n + 1])
        for c, raw in data.items():
            i.put(i.cluster(c), raw)
        i.fat(links)
    return change, want, all_used


def damage(i, rng, used):
    """{copy: entries}; no entry is in both."""
    count = rng.randint(2, 10)
    for c in rng.sample(used, min(count, len(used))):
        value = rng.choice((0, BAD[12], EOC[12], rng.choice(used),
                            rng.choice(used), rng.randint(0, 0xFFF)))
        i.fat({c: value}, [rng.randrange(2)])


def must_hold(data, want):
    """Paths that are whole and cross nobody under a copy; and those of them
    that are something else, as sound, under the other, or have a cluster that
    another sound file has there."""
    held, doubtful = set(), set()
    views = [Volume(data, copy) for copy in (0, 1)]
    intact = [v.intact() for v in views]
    chains = [{p: c for p, (_, _, c) in v.files().items()} for v in views]
    for mine, other in ((0, 1), (1, 0)):
        taken = {c: p for p in intact[other] for c in chains[other][p]}
        for path, contents in intact[mine].items():
            if path not in want:
                continue
            (held if contents == want[path] else doubtful).add(path)
            if any(taken.get(c, path) != path for c in chains[mine][path]):
                doubtful.add(path)
    return held - doubtful, held & doubtful


def check(path, seed, totals):
    rng = random.Random(seed)
    change, want, used = sound(rng)

    def spoil(i):
        change(i)
        damage(i, rng, used)

    image = build(12, spoil)
    held, doubtful = must_hold(image, want)
    with open(path, "wb") as f:
        f.write(image)
    done = run("-y", path)
    if done.returncode not in (0, 1):
        yield f"-y: exit {done.returncode}: {done.stdout.decode()}"
    again = run("-n", path)
    if again.returncode:
        yield f"again: {again.stdout.decode()}"
    with open(path, "rb") as f:
        now = Volume(f.read()).intact()
    totals["files"] += len(held)
    totals["doubtful"] += len(doubtful)
    totals["doubtful lost"] += sum(now.get(p) != want[p] for p in doubtful)
    yield from (f"{p!r} is not whole" for p in sorted(held)
                if now.get(p) != want[p])


def main():
    failed = 0
    totals = {"files": 0, "doubtful": 0, "doubtful lost": 0}
    seeds = [int(s) for s in sys.argv[1:]] or range(SEEDS)
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "image")
        for seed in seeds:
            for c in check(path, seed, totals):
                print(f"FAIL seed {seed}: {c}")
                failed += 1
    print(f"fsck mirrors: {len(seeds)} volumes, {totals['files']} files, "
          f"{failed} failed; of {totals['doubtful']} that each copy has "
          f"otherwise {totals['doubtful lost']} are not whole")
    if not sys.argv[1:] and totals["files"] < 5 * SEEDS:
        print("FAIL: too few files to tell anything")
        failed += 1
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
