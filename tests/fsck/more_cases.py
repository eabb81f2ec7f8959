#!/usr/bin/env -S python3 -B
"""Problems that the other tests have no volume for, most of them of the boot
sector: found, repaired where there is a repair, and otherwise left alone.

Each case is a volume of images.py with a problem and what fatfsck -n says
about it; then -y must make of it the volume as it must be, byte by byte; then
-n must find no more than what has no repair.
"""

import json
import os
import sys
import tempfile

import images
from images import ALL, EOC, entry, subdirectory
from program import differences, run

CASES = []


def case(kinds, findings, stays=None, options=()):
    """Registers a function that yields once it has made the problem, and
    then makes of the image what the repair must make of it.

    findings: (code, path). stays: why they are still there after -y.
    options: of the first two runs.
    """
    def register(change):
        for kind in kinds:
            CASES.append((f"{change.__name__}-{kind}", kind, change,
                          sorted(findings), stays, options))
        return change
    return register


def both(i, offset, data):
    """Into the boot sector and its backup."""
    i.put(offset, data)
    i.put(3072 + offset, data)


# --- boot sector ---

@case((32,), [("boot-invalid", "")])
def boot_sector_of_zeros(i):
    whole = bytes(i.data[:512])
    i.put(i.root, entry(b"A       TXT", 0x20, 10, 600))
    i.fat({10: 11, 11: EOC[32]})
    i.free(65997)
    i.put(0, bytes(512))
    yield
    i.put(0, whole)


@case((12, 16), [("total-sectors", "")], "the 16-bit total is what counts")
def both_totals(i):
    i.put(32, b"\x09\x00\x00\x00")
    yield


@case((32,), [("fat32-few", "")], "it is what it is, and Windows reads it")
def fat32_of_984_clusters(i):
    both(i, 32, b"\x00\x08\x00\x00")
    i.put(i.root, entry(b"A       TXT", 0x20, 10, 600))
    i.fat({10: 11, 11: EOC[32]})
    i.free(981)
    yield


@case((16,), [("fat16-many", ""), ("type-threshold", "")],
      "only a new FAT would help")
def fat16_of_65525_clusters(i):
    # FATs of 257 sectors at 512 and 132096, the root at 263680
    i.put(512, bytes(4))
    i.put(10752, bytes(4))
    i.data.extend(bytes(66041 * 512 - len(i.data)))
    i.put(19, b"\x00\x00\xF8\x01\x01")
    i.put(32, b"\xF9\x01\x01\x00")
    for at in (512, 132096):
        i.put(at, b"\xF8\xFF\xFF\xFF")
        i.put(at + 20, b"\xFF\xFF")
    i.put(263680, entry(b"A       TXT", 0x20, 10, 500))
    yield


@case((16,), [("type-threshold", "")], "only a new FAT would help")
def fat16_of_4085_clusters(i):
    i.put(19, b"\x1F\x10")
    yield


@case((16,), [("type-threshold", "")], "only a new FAT would help")
def fat16_of_4086_clusters(i):
    i.put(19, b"\x20\x10")
    yield


@case((16,), [("type-threshold", ""), ("type-doubt", ""), ("fat1", ""),
              ("fat1", ""), ("lost-chain", ""), ("lost-chain", "")],
      "nobody knows what it is")
def fat12_of_4085_clusters_by_others(i):
    """Twelve-bit entries: FAT[1] is none of sixteen bits."""
    i.put(19, b"\x1F\x10")
    for at in i.fats:
        i.put(at, b"\xF8\xFF\xFF\x03\x40\x00\xFF\x0F")
    yield


@case((16,), [])
def fat16_of_4087_clusters(i):
    i.put(19, b"\x21\x10")
    yield


@case((12, 16), [("root-entries", "")], "the data can't be moved")
def root_of_17_entries(i):
    i.put(17, b"\x11")
    # Rounded up: the data begin a sector later.
    i.put(i.root, entry(b"D          ", 0x10, 10, 0))
    subdirectory(i, 11, 10, 0)
    i.fat({10: EOC[i.kind]})
    yield


@case((32,), [("fs-version", "")])
def version_1(i):
    both(i, 42, b"\x01")
    yield
    both(i, 42, b"\x00")


@case((32,), [("boot-misfit", "")])
def root_cluster_that_only_the_backup_has(i):
    i.put(44, b"\xFF\xFF\xFF\x0F")
    yield
    i.put(44, b"\x02\x00\x00\x00")


@case((32,), [("active-copy", ""), ("backup-differs", "")])
def third_copy_of_two_is_active(i):
    both(i, 40, b"\x82")
    yield
    both(i, 40, b"\x00")


@case((32,), [("backup-place", "")], "it is only told")
def backup_in_the_fat(i):
    both(i, 50, b"\x20\x00")
    yield


@case((32,), [("fsinfo-used", "")], "Linux leaves it so")
def hint_at_the_root(i):
    i.put(512 + 492, b"\x02\x00\x00\x00")
    yield


@case((32,), [("fsinfo-place", "")], "no sector is known to be free for it")
def fsinfo_in_the_fat(i):
    both(i, 48, b"\x20\x00")
    yield


@case((32,), [("fsinfo-place", "")], "no sector is known to be free for it")
def fsinfo_in_the_backup(i):
    both(i, 48, b"\x06\x00")
    yield


# --- chains ---

@case((12, 16), [("lost-no-room", "")], "the root can't grow")
def lost_chain_and_a_full_root(i):
    for n in range(16):
        i.put(i.root + 32 * n, entry(b"F%02d        " % n, 0x20, 0, 0))
    i.fat({40: 41, 41: EOC[i.kind]})
    yield


@case((12, 16), [("lost-chain", "")], options=["--lost=free"])
def lost_chain_and_a_full_root_that_is_freed(i):
    next(lost_chain_and_a_full_root(i))
    yield
    i.fat({40: 0, 41: 0})


@case((12, 16), [("lost-beyond", ""), ("truncated", "")])
def lost_chain_beyond_the_image(i):
    """The last two clusters; the volume ends in front of them then."""
    c, total = {12: (96, b"\x62\x00"), 16: (5000, b"\xB0\x13")}[i.kind]
    i.fat({c: c + 1, c + 1: EOC[i.kind]})
    del i.data[i.cluster(c):]
    yield
    i.fat({c: 0, c + 1: 0})
    i.put(19, total)


@case(ALL, [("dirty", ""), ("link-bad", "/A.TXT")])
def dirty_and_more_than_one_round(i):
    state = 65 if i.kind == 32 else 37
    i.put(state, b"\x01")
    i.put(i.root, entry(b"A       TXT", 0x20, 10, 1000))
    i.fat({10: 11, 11: images.BAD[i.kind]})
    if i.kind == 32:
        i.free(65997)
    yield
    i.put(state, b"\x00")
    i.put(i.root, entry(b"A       TXT", 0x20, 10, 512))
    i.fat({10: EOC[i.kind]})


# --- copies of the FAT ---

def two_files(i, copies):
    i.put(i.root, entry(b"A       TXT", 0x20, 10, 1300) +
          entry(b"B       TXT", 0x20, 20, 600))
    i.fat({10: 11, 11: 12, 12: EOC[i.kind], 20: 21, 21: EOC[i.kind]}, copies)
    if i.kind == 32:
        i.free(65999 - 5)


@case(ALL, [("mirror-differs", "")])
def first_copy_has_its_head_only(i):
    two_files(i, [1])
    yield
    two_files(i, [0])


@case((32,), [])
def mirroring_off_and_a_stale_first_copy(i):
    both(i, 40, b"\x81")
    two_files(i, [1])
    yield


# --- directories ---

@case(ALL, [("dir-loop", "/D/D/D")])
def directory_leads_far_up(i):
    levels(i, 4)
    i.put(i.cluster(13) + 64, entry(b"D          ", 0x10, 10, 0))
    yield
    i.put(i.cluster(13) + 64, b"\xE5")


def levels(i, n):
    """Directories in each other, the first one in the root."""
    i.put(i.root, entry(b"D          ", 0x10, 10, 0))
    for c in range(10, 10 + n):
        below = c + 1 if c + 1 < 10 + n else 0
        subdirectory(i, c, c, c - 1 if c > 10 else 0,
                     entry(b"D          ", 0x10 if below else 0x20, below, 0))
    i.fat({c: EOC[i.kind] for c in range(10, 10 + n)})
    if i.kind == 32:
        i.free(65999 - n)


@case((32,), [])
def directories_5000_deep(i):
    levels(i, 5000)
    yield


@case((32,), [("chain-short", "/D/D/D")])
def damage_5000_deep(i):
    levels(i, 5000)
    last = i.cluster(10 + 4999) + 64
    i.put(last, entry(b"FILE       ", 0x20, 6000, 700))
    i.fat({6000: EOC[32]})
    i.free(65999 - 5001)
    yield
    i.put(last, entry(b"FILE       ", 0x20, 6000, 512))


@case((32,), [("dir-deep", "/D/D/D"), ("lost-unknown", "")],
      "no system can name what is in there")
def directories_65536_deep(i):
    levels(i, 65536)
    yield


def report(path, *args):
    done = run(*args, "--json", path)
    if done.stderr:
        raise AssertionError(done.stderr.decode())
    return json.loads(done.stdout)


def names(findings):
    """Codes and the first three names of paths, of what is there now."""
    return sorted((f["code"], "/".join(f.get("path", "").split("/")[:4]))
                  for f in findings if not f.get("follows"))


def check(path, kind, change, expected, stays, options):
    """The complaints about one case."""
    image = images.BASES[kind]()
    steps = change(image)
    next(steps)
    before = bytes(image.data)
    next(steps, None)
    after = bytes(image.data)
    with open(path, "wb") as f:
        f.write(before)
    first = report(path, "-n", *options)
    if names(first["findings"]) != expected:
        yield f"found {names(first['findings'])}\n  expected {expected}"
    errors = any(f["severity"] == "error" for f in first["findings"])
    if first["exit"] != (4 if errors else 0):
        yield f"-n: exit {first['exit']}"
    done = report(path, "-y", *options)
    would = [f["message"] for f in first["findings"] if f["would_repair"]]
    did = [f["message"] for f in done["findings"] if f["repaired"]]
    if sorted(would) != sorted(did):
        yield f"-n said {would}\n  -y did {did}"
    want = (before != after) | (4 if errors and stays else 0)
    if done["exit"] != want:
        yield f"-y: exit {done['exit']}, not {want}"
    with open(path, "rb") as f:
        yield from differences(after, f.read())
    second = report(path, "-n", *options)
    left = expected if stays else []
    if names(second["findings"]) != left:
        yield f"again: {names(second['findings'])}\n  expected {left}"
    if second["exit"] != (4 if errors and stays else 0):
        yield f"again: exit {second['exit']}"


@case(ALL, [("name-case", "/\u00c4.TXT")],
      "the volume does not say which code page its names are in")
def same_short_name_by_the_code_page(i):
    i.put(i.root, entry(b"\x84       TXT", 0x20, 0, 0) +
          entry(b"\x8E       TXT", 0x20, 0, 0) +
          entry(b"\x8F       TXT", 0x20, 0, 0))
    yield


@case(ALL, [], None, ("--codepage=866",))
def other_short_name_by_the_code_page(i):
    """The same bytes, in Russian."""
    i.put(i.root, entry(b"\x84       TXT", 0x20, 0, 0) +
          entry(b"\x8E       TXT", 0x20, 0, 0))
    yield


def check_many_lost(path):
    """12,000 lost chains, more than FSCKnnnn has names: each is a file."""
    image = images.BASES[32]()
    image.fat({c: EOC[32] for c in range(30000, 54000, 2)})
    image.free(65999 - 12000)
    with open(path, "wb") as f:
        f.write(image.data)
    done, again = report(path, "-y"), report(path, "-n")
    if (done["exit"], again["exit"]) != (1, 0):
        yield f"exit {done['exit']}, then {again['exit']}"
    left = {f["code"] for f in again["findings"]}
    if again["summary"]["files"] != 12000 or left - {"fsinfo-used"}:
        yield f"{again['summary']} {left}"


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "image")
        for c in check_many_lost(path):
            print(f"FAIL many lost chains: {c}")
            failed += 1
        for name, *rest in CASES:
            complaints = list(check(path, *rest))
            for c in complaints:
                print(f"FAIL {name}: {c}")
            failed += bool(complaints)
    print(f"fsck more cases: {len(CASES)} cases, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
