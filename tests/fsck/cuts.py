#!/usr/bin/env -S python3 -B
"""A repair that is cut off, with writes that overtake each other.

Between two barriers any of the writes may have reached the disk, whole or in
part (cut.c). From each such state
 - a rollback gives back the exact image, even if it is cut off itself;
 - a second repair gets to a sound volume;
 - the files that were intact before are so in the state and at the end;
 - the volume is marked dirty, if it can be and anything else has changed.

--full: many more states. Words: only cases with these names.
"""

import itertools
import os
import random
import subprocess
import sys
import tempfile

import damage
import damage_beyond  # noqa: F401, adds to damage.CASES
import damage_boot  # noqa: F401, adds to damage.CASES
import damage_dots  # noqa: F401, adds to damage.CASES
import damage_layout  # noqa: F401, adds to damage.CASES
import damage_mirror  # noqa: F401, adds to damage.CASES
import damage_traps  # noqa: F401, adds to damage.CASES
import dirs
import images
from reader import Volume

CUT = os.environ.get("FSCK_CUT", "tests/fsck/cut")
SECTOR = 512
SHM = "/dev/shm"

# Damage without a repair that leaves nothing: as in repairs.py.
STAYS = ("truncated_file", "truncated_directory", "truncated_fat",
         "full_root_and_no_directory")
# What looks like a file there is none: a program's code, a wrong boot sector
# or first copy.
NO_FILES = ("contents_of_a_program", "boot_with_larger_clusters",
            "crosses_nobody_there_and_leaves_its_own",
            "layout_of_one_copy", "root_number_of_another_directory")
# States of a case, by kind. FAT32 images are large: every fourth case, and
# these.
QUICK = {12: 16, 16: 8, 32: 6}
FULL = {12: 600, 16: 200, 32: 40}
QUICK_FAT32 = 4
ALWAYS = ("fat1_wiped-32", "full_root_grows-32", "root_gone-32",
          "root_cluster_wrong_in_one-32",
          "dead_entries_in_the_next_cluster_of_the_root-32")


class Cut:
    """The program, and what it says."""

    def __init__(self, image, undo):
        # pylint: disable=consider-using-with
        self.run = subprocess.Popen([CUT, image, undo], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE)
        _, self.log = self.answer()

    def answer(self):
        """(faults, log); a log is a list of (at, bytes), None = a barrier."""
        faults = []
        while True:
            line = self.run.stdout.readline().decode()
            if not line:
                raise AssertionError(f"cut ends with {self.run.wait()}")
            word, rest = line.rstrip("\n").split(" ", 1)
            if word == "log":
                break
            faults.append(rest)
        log = []
        for _ in range(int(rest)):
            words = self.run.stdout.readline().split()
            if words == [b"sync"]:
                log.append(None)
            else:
                log.append((int(words[1]),
                            self.run.stdout.read(int(words[2]))))
        return faults, log

    def ask(self, number, state, fail):
        on, torn, sectors = state
        bits = "".join(map(str, on)) or "-"
        pieces = "".join(map(str, sectors)) or "-"
        self.run.stdin.write(
            f"{number} {bits} {torn} {pieces} {fail}\n".encode())
        self.run.stdin.flush()
        return self.answer()

    def close(self):
        self.run.stdin.close()
        self.run.stdout.close()
        if self.run.wait():
            raise AssertionError(f"cut ends with {self.run.returncode}")


def intervals(log):
    """Lists of writes; the last one is empty: the end."""
    found = [[]]
    for op in log:
        if op is None:
            found.append([])
        else:
            found[-1].append(op)
    return found


def pieces_of(op):
    at, data = op
    return (at + len(data) - 1) // SECTOR - at // SECTOR + 1


def all_states(writes, chance, most):
    """States (on, torn, sectors): the telling ones first."""
    n = len(writes)
    none = (-1, ())
    for k in range(n + 1):
        yield (tuple([1] * k + [0] * (n - k)), *none)
    for k in range(n if n > 1 else 0):
        yield (tuple(int(i == k) for i in range(n)), *none)
        yield (tuple(int(i != k) for i in range(n)), *none)
    for k, op in enumerate(writes):
        count = pieces_of(op)
        if count < 2:
            continue
        half = tuple(int(i < count // 2) for i in range(count))
        for rest in ([1] * k + [0] * (n - k), [1] * n):
            rest[k] = 1
            yield (tuple(rest), k, half)
            yield (tuple(rest), k, tuple(1 - b for b in half))
    if n <= 8:
        for on in itertools.product((0, 1), repeat=n):
            yield (on, *none)
    for _ in range(most if n else 0):
        on = [chance.randint(0, 1) for _ in range(n)]
        k = chance.randrange(n)
        on[k] = 1
        yield (tuple(on), k, tuple(chance.randint(0, 1)
                                   for _ in range(pieces_of(writes[k]))))


def some_states(name, log, most):
    """[(number of the interval, its writes, state)], at most `most`."""
    chance = random.Random(name)
    found = []
    for number, writes in enumerate(intervals(log)):
        seen = set()
        for state in all_states(writes, chance, most):
            if state not in seen:
                seen.add(state)
                found.append((number, writes, state))
    if len(found) > most:
        keep = sorted(chance.sample(range(len(found) - 1), most - 1))
        found = [found[i] for i in keep] + found[-1:]
    return found


def put(data, writes, state):
    """Does the writes of a state; yields what to undo them with."""
    on, torn, sectors = state
    old = []
    for i, (at, new) in enumerate(writes):
        if not on[i]:
            continue
        end = at + len(new)
        old.append((at, bytes(data[at:end])))
        if i != torn:
            data[at:end] = new
            continue
        for k, done in enumerate(sectors):
            a = max(at, (at // SECTOR + k) * SECTOR)
            b = min(end, (at // SECTOR + k + 1) * SECTOR)
            if done:
                data[a:b] = new[a - at:b - at]
    return old


def put_all(data, writes):
    return put(data, writes, ([1] * len(writes), -1, ()))


def take_back(data, old):
    for at, was in reversed(old):
        data[at:at + len(was)] = was


class Judge:
    """What has to be so in each state."""

    def __init__(self, before, final, expected, no_files):
        self.before, self.final, self.expected = before, final, expected
        volume = Volume(before)
        self.intact = {} if no_files else volume.intact()
        self.somewhere = {}
        for copy in range(1, volume.copies if self.intact else 0):
            for path, data in Volume(before, copy).intact().items():
                if path not in self.intact:
                    self.somewhere[path] = data
        self.state_at = self.find_state_byte()

    def find_state_byte(self):
        for at, mark in ((65, 66), (37, 38)):
            kind = self.before[mark + 16:mark + 21]
            if self.before[mark] == 0x29 and kind.startswith(b"FAT"):
                return at
        return None

    def files(self, data):
        if not self.intact:
            return
        volume = Volume(data)
        yield from damage.lost_files(self.intact, volume)
        if self.somewhere:
            found = {}
            for copy in range(volume.copies):
                for path, (_, content, _) in Volume(data,
                                                    copy).files().items():
                    found.setdefault(path, []).append(content)
            for path, content in self.somewhere.items():
                if content not in found.get(path, []):
                    yield f"{path!r} was whole in a copy and is in none"

    def mark(self, data):
        at = self.state_at
        if at is None or data[at] & 1 or data in (self.before, self.final):
            return
        # The marks themselves, in FAT[1] of each copy.
        volume, data = Volume(self.before), bytearray(data)
        for fat in volume.fat_at:
            end = fat + volume.kind // 4
            data[fat:end] = self.before[fat:end]
        if data != self.before:
            yield "not marked dirty, and not as before or at the end"

    def state(self, data):
        yield from self.files(data)
        yield from self.mark(data)

    def end(self, data):
        if self.intact:
            yield from damage.lost_files(self.intact, Volume(data))
        if self.expected:
            yield from self.expected(Volume(data))


def describe(number, state):
    on, torn, sectors = state
    text = f"after {number} barriers, of its writes {''.join(map(str, on))}"
    if torn >= 0:
        text += f", of number {torn} the sectors {''.join(map(str, sectors))}"
    return text


def check_states(cut, name, data, judge, most):
    now, current = bytearray(data), 0
    done = intervals(cut.log)
    for count, (number, writes, state) in enumerate(
            some_states(name, cut.log, most)):
        while current < number:
            put_all(now, done[current])
            current += 1
        faults, repair = cut.ask(number, state, count % 4)
        if name.rsplit("-", 1)[0] in STAYS:
            faults = [f for f in faults if f != "repair leaves errors"]
        old = put(now, writes, state)
        faults += judge.state(now)
        more = put_all(now, [op for op in repair if op])
        faults += [f"repaired: {fault}" for fault in judge.end(now)]
        take_back(now, more)
        take_back(now, old)
        for fault in faults:
            yield f"{describe(number, state)}: {fault}"


def check(folder, name, kind, data, expected, budget):
    image, undo = os.path.join(folder, "image"), os.path.join(folder, "undo")
    with open(image, "wb") as f:
        f.write(data)
    cut = Cut(image, undo)
    final = bytearray(data)
    put_all(final, [op for op in cut.log if op])
    short = name.rsplit("-", 1)[0]
    judge = Judge(data, bytes(final), expected, short in NO_FILES)
    yield from check_states(cut, name, data, judge, budget[kind])
    cut.close()


def build(kind, change):
    image = images.BASES[kind]()
    steps = change(image)
    if steps:
        next(steps) # dirs.py makes the problem, and then the repair
    return bytes(image.data)


def cases():
    """(name, kind, change, what must be at the end)."""
    for name, kind, change, _, _, options in images.CASES + dirs.CASES:
        if not options:
            yield name, kind, change, None
    yield from damage.CASES


def main():
    if not os.path.exists(CUT):
        print(f"SKIP: {CUT} is not built")
        return 77
    words = sys.argv[1:]
    budget = FULL if "--full" in words else QUICK
    words = [w for w in words if w != "--full"]
    failed = total = 0
    shm = SHM if os.access(SHM, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=shm) as folder:
        for number, (name, kind, change, expected) in enumerate(cases()):
            if kind == 32 and budget is QUICK and not words and \
                    number % QUICK_FAT32 and name not in ALWAYS:
                continue
            if words and name not in words and \
                    name.rsplit("-", 1)[0] not in words:
                continue
            total += 1
            complaints = list(check(folder, name, kind, build(kind, change),
                                    expected, budget))
            for c in complaints[:5]:
                print(f"FAIL {name}: {c}", flush=True)
            failed += bool(complaints)
    print(f"fsck cuts: {total} cases, {failed} failed")
    return failed != 0 or not total


if __name__ == "__main__":
    sys.exit(main())
