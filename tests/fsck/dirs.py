#!/usr/bin/env -S python3 -B
"""Problems of directories, one by one: found, repaired, and gone.

Each case is a volume of images.py with a problem, what fatfsck -n says about
it, and the volume as it must be after -y, byte by byte. Then -n must find
nothing but infos, and fsck.fat, an outsider, nothing at all.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import images
from images import ALL, EOC, entry, subdirectory
from program import differences, run

CASES = []
PREEN = {"dir-size", "lfn-checksum",
         "lfn-order", "lfn-orphan"}
FSCK_FAT = shutil.which("fsck.fat", path=os.environ.get("PATH", "") +
                        ":/usr/sbin:/sbin")


def case(kinds, findings, outsider=True, options=()):
    """Registers a function that yields once it has made the problem, and
    then makes of the image what the repair must make of it.

    findings: (code, path). outsider: fsck.fat agrees that all is well.
    options: of the first two runs.
    """
    def register(change):
        for kind in kinds:
            CASES.append((f"{change.__name__}-{kind}", kind, change,
                          sorted(findings), outsider, options))
        return change
    return register


def used(i, clusters):
    """FSInfo's count, where there is one."""
    if i.kind == 32:
        i.free(65999 - clusters)


def checksum(name):
    total = 0
    for b in name:
        total = ((total << 7 | total >> 1) + b) & 0xFF
    return total


def slot(ordinal, units, total):
    """A slot of a long name, of exactly 26 bytes of UTF-16."""
    assert len(units) == 26
    return (bytes([ordinal]) + units[:10] + bytes([0x0F, 0, total]) +
            units[10:22] + b"\0\0" + units[22:])


def long_name(text, total):
    """The slots of a long name, in the order of the disk."""
    units = text.encode("utf-16-le")
    if len(units) % 26:
        units += b"\0\0"
    units += b"\xFF" * (-len(units) % 26)
    n = len(units) // 26
    return [slot(o | (0x40 if o == n else 0), units[26 * o - 26:26 * o],
                 total) for o in range(n, 0, -1)]


def named(text, name, *rest):
    return b"".join(long_name(text, checksum(name))) + entry(name, *rest)


def file(name):
    return entry(name, 0x20, 0, 0)


def delete(i, base, *slots):
    for n in slots:
        i.put(base + 32 * n, b"\xE5")


# --- nothing wrong ---

@case(ALL, [])
def names_that_are_legal(i):
    i.put(i.root, file(b"\x05BC     TXT") + file(b"\x80\xFF\xA0     TXT") +
          file(b"A B     T X") + file(b"!#$%&'()-@^") +
          file(b"_`{}~      "))
    yield


@case(ALL, [], outsider=False)
def second_bytes_of_characters(i):
    # Shift JIS: 83 5C and 83 7C; and a trailing lower case, 83 61
    i.put(i.root, file(b"\x83\x5C\x83\x7C\x83\x61     "))
    yield


@case(ALL, [])
def case_bits_and_attributes(i):
    lower, efs, unknown = (bytearray(file(b"FILE%d      " % n))
                           for n in range(3))
    lower[12] = 0x18
    efs[12] = 0x03
    unknown[11] = 0xE0
    i.put(i.root, bytes(lower + efs + unknown))
    yield


@case((12, 16), [])
def extended_attributes(i):
    e = bytearray(file(b"A       TXT"))
    e[20:22] = b"\x34\x12"
    i.put(i.root, bytes(e) + entry(b"D          ", 0x10, 10, 0))
    subdirectory(i, 10, 10, 0)
    i.put(i.root + 32 + 20, b"\xFF\xFF")
    i.fat({10: EOC[i.kind]})
    yield


@case(ALL, [])
def long_names(i):
    i.put(i.root, named("readme.txt", b"README  TXT", 0x20, 0, 0) +
          named("thirteen.text", b"THIRTE~1TEX", 0x20, 0, 0) +
          named("Gr\u00fc\u00dfe \u4e16\u754c \U0001F600.txt",
                b"GRE~1   TXT", 0x20, 0, 0))
    yield


@case(ALL, [("label-no-name", "")],
      outsider=False)
def label_of_high_bytes(i):
    i.put(i.root, entry(b"\x9A\xE1ER       ", 0x08, 0, 0))
    yield


@case(ALL, [("entry-dates", "/")])
def dates_out_of_range(i):
    e = bytearray(file(b"A       TXT"))
    e[24:26] = b"\xA0\x59"  # month 13
    zero = bytearray(file(b"B       TXT"))
    zero[22:26] = bytes(4)
    hour = bytearray(file(b"C       TXT"))
    hour[22:24] = b"\x00\xC0"
    i.put(i.root, bytes(e + zero + hour))
    yield


def of_date(name, date):
    e = bytearray(file(name))
    e[24:26] = date
    return bytes(e)


@case(ALL, [])
def leap_days(i):
    i.put(i.root, of_date(b"A       TXT", b"\x5D\x00") +  # 1980
          of_date(b"B       TXT", b"\x5D\x28") +          # 2000
          of_date(b"C       TXT", b"\x5D\xF8"))           # 2104
    yield


@case((12,), [("entry-dates", "/")])
def leap_day_of_2023(i):
    i.put(i.root, of_date(b"A       TXT", b"\x5D\x56"))
    yield


@case((12,), [("entry-dates", "/")])
def leap_day_of_2100(i):
    i.put(i.root, of_date(b"A       TXT", b"\x5D\xF0"))
    yield


@case(ALL, [("dir-tail", "/")], outsider=False)
def entries_behind_the_end(i):
    i.put(i.root, file(b"A       TXT") + bytes(32) + file(b"B       TXT") +
          entry(b"C       TXT", 0x20, 10, 5000))
    yield


# --- long names ---

@case(ALL, [("lfn-orphan", "/")])
def orphan_before_a_deleted_entry(i):
    i.put(i.root, b"".join(long_name("a long name.txt", 7)) +
          file(b"\xE5LONGN~1TXT") + file(b"B       TXT"))
    yield
    delete(i, i.root, 0, 1)


@case(ALL, [("lfn-orphan", "/")])
def orphan_at_the_end(i):
    i.put(i.root, file(b"B       TXT") + b"".join(long_name("orphan", 7)))
    yield
    delete(i, i.root, 1)


@case(ALL, [("lfn-orphan", "/")])
def orphan_before_a_long_name(i):
    i.put(i.root, b"".join(long_name("orphan", 7)) +
          named("Right.txt", b"RIGHT   TXT", 0x20, 0, 0))
    yield
    delete(i, i.root, 0)


@case(ALL, [("lfn-orphan", "/"), ("label-no-name", "")],
      outsider=False)
def orphan_before_the_label(i):
    i.put(i.root, b"".join(long_name("orphan", checksum(b"LABEL      "))) +
          entry(b"LABEL      ", 0x08, 0, 0))
    yield
    delete(i, i.root, 0)


@case(ALL, [("lfn-order", "/LONGNA~1.TXT")])
def slots_out_of_order(i):
    total = checksum(b"LONGNA~1TXT")
    a, b, c = long_name("a very long name of three slots.txt", total)
    i.put(i.root, a + c + b + file(b"LONGNA~1TXT"))
    yield
    delete(i, i.root, 0, 1, 2)


@case(ALL, [("lfn-order", "/LONGNA~1.TXT")])
def slots_end_early(i):
    total = checksum(b"LONGNA~1TXT")
    i.put(i.root, long_name("a long name.txt", total)[0] +
          file(b"LONGNA~1TXT"))
    yield
    delete(i, i.root, 0)


@case(ALL, [("lfn-order", "/LONGNA~1.TXT")])
def slots_begin_late(i):
    total = checksum(b"LONGNA~1TXT")
    i.put(i.root, long_name("a long name.txt", total)[1] +
          file(b"LONGNA~1TXT"))
    yield
    delete(i, i.root, 0)


@case(ALL, [("lfn-checksum", "/OTHER.TXT")])
def slots_of_another_name(i):
    i.put(i.root, b"".join(long_name("right.txt", checksum(b"RIGHT   TXT"))) +
          file(b"OTHER   TXT"))
    yield
    delete(i, i.root, 0)


@case((32,), [("lfn-order", "/LONGNA~1.TXT"), ("lfn-orphan", "/")])
def more_slots_than_a_name_has(i):
    # 23 slots, of which 14 lie in the second cluster
    total = checksum(b"LONGNA~1TXT")
    units = "thirteen long".encode("utf-16-le")
    whole = (b"".join(slot(o | (0x40 if o == 23 else 0), units, total)
                      for o in range(23, 0, -1)) + file(b"LONGNA~1TXT"))
    i.put(i.root, whole[:512])
    i.put(i.cluster(10), whole[512:])
    i.fat({2: 10, 10: EOC[32]})
    used(i, 1)
    yield
    delete(i, i.root, *range(16))
    delete(i, i.cluster(10), *range(7))


@case(ALL, [("lfn-unicode", "/LONGNA~1.TXT")], outsider=False)
def half_a_surrogate(i):
    total = checksum(b"LONGNA~1TXT")
    i.put(i.root, slot(0x41, b"a\0\x00\xD8b\0\0\0" + 18 * b"\xFF", total) +
          file(b"LONGNA~1TXT"))
    yield


# --- short names ---

@case(ALL, [("name-bad", "/lower.txt"), ("name-bad", "/A+B.C"),
            ("name-bad", "/ X")])
def illegal_names(i):
    i.put(i.root, file(b"lower   txt") + file(b"A+B     C  ") +
          file(b" X         "))
    yield
    i.put(i.root, file(b"LOWER   TXT") + file(b"A_B     C  ") +
          file(b"_X         "))


@case(ALL, [("name-bad", "/a.TXT")])
def illegal_name_that_is_taken(i):
    i.put(i.root, file(b"A~2     TXT") + file(b"A       TXT") +
          file(b"A~1     TXT") + file(b"a       TXT"))
    yield
    i.put(i.root + 96, file(b"A~3     TXT"))


@case(ALL, [("name-bad", "/Long name.text")])
def illegal_name_with_a_long_one(i):
    i.put(i.root, named("Long name.text", b"LONG NA+TEX", 0x20, 0, 0))
    yield
    i.put(i.root, named("Long name.text", b"LONG NA_TEX", 0x20, 0, 0))


@case(ALL, [("name-bad", "/D/")])
def name_of_blanks(i):
    i.put(i.root, entry(b"D          ", 0x10, 10, 0))
    subdirectory(i, 10, 10, 0, file(b"           "))
    i.fat({10: EOC[i.kind]})
    used(i, 1)
    yield
    i.put(i.cluster(10) + 64, file(b"_          "))


@case(ALL, [("name-twice", "/A.TXT"), ("name-twice", "/A.TXT"),
            ("name-twice", "/EIGHTXXX.TXT")])
def same_short_name(i):
    i.put(i.root, file(b"A       TXT") + file(b"EIGHTXXXTXT") +
          file(b"A       TXT") + file(b"EIGHTXXXTXT") + file(b"A       TXT"))
    yield
    i.put(i.root + 64, file(b"A~1     TXT") + file(b"EIGHTX~2TXT") +
          file(b"A~3     TXT"))


@case(ALL, [])
def same_name_as_the_label(i):
    at = 71 if i.kind == 32 else 43
    i.put(at, b"A          ")
    if i.kind == 32:
        i.put(3072 + at, b"A          ")
    i.put(i.root, entry(b"A          ", 0x08, 0, 0) + file(b"A          "))
    yield


@case(ALL, [("name-twice", "/Second.txt")])
def same_short_name_under_long_ones(i):
    i.put(i.root, named("First.txt", b"NAME    TXT", 0x20, 0, 0) +
          named("Second.txt", b"NAME    TXT", 0x20, 0, 0))
    yield
    i.put(i.root + 64, named("Second.txt", b"NAME~1  TXT", 0x20, 0, 0))


@case(ALL, [("name-twice", "/" + 4 * "\u00e2\\" + ".TXT")],
      outsider=False)
def tail_behind_whole_characters(i):
    i.put(i.root, 2 * file(4 * b"\x83\x5C" + b"TXT"))
    yield
    i.put(i.root + 32, file(b"\x83\x5C\x83\x5C\x83\x5C~1TXT"))


@case(ALL, [("name-alias", "/NAME.TXT")])
def short_name_that_is_a_long_one(i):
    i.put(i.root, named("Name.txt", b"OTHER   TXT", 0x20, 0, 0) +
          file(b"NAME    TXT"))
    yield
    i.put(i.root + 64, file(b"NAME~1  TXT"))


@case(ALL, [("long-twice", "/Name.txt")])
def long_name_that_is_a_short_one(i):
    i.put(i.root, file(b"NAME    TXT") +
          named("Name.txt", b"OTHER   TXT", 0x20, 0, 0))
    yield
    delete(i, i.root, 1)


@case(ALL, [("long-twice", "/A LONG NAME \u00c4.TXT")])
def same_long_name(i):
    i.put(i.root, named("a long name \u00e4.txt", b"ALONGN~1TXT", 0x20, 0, 0)
          + named("A LONG NAME \u00c4.TXT", b"ALONGN~2TXT", 0x20, 0, 0))
    yield
    delete(i, i.root, 3, 4)


# --- volume labels ---

@case(ALL, [("label-extra", "/SECOND"), ("label-extra", "/THIRD"),
            ("label-no-name", "")],
      outsider=False)
def more_labels(i):
    i.put(i.root, entry(b"FIRST      ", 0x08, 0, 0) +
          entry(b"SECOND     ", 0x08, 0, 0) + file(b"A       TXT") +
          entry(b"THIRD      ", 0x28, 0, 0))
    yield
    delete(i, i.root, 1, 3)


@case(ALL, [("label-place", "/D/LABEL")])
def label_in_a_directory(i):
    i.put(i.root, entry(b"D          ", 0x10, 10, 0))
    subdirectory(i, 10, 10, 0, entry(b"LABEL      ", 0x08, 0, 0))
    i.fat({10: EOC[i.kind]})
    used(i, 1)
    yield
    delete(i, i.cluster(10), 2)


@case(ALL, [("label-data", "/LABEL"), ("label-no-name", "")],
      outsider=False)
def label_with_data(i):
    i.put(i.root, entry(b"LABEL      ", 0x08, 10, 100))
    yield
    i.put(i.root, entry(b"LABEL      ", 0x08, 0, 0))


@case(ALL, [("label-differs", "")], outsider=False)
def label_of_the_boot_sector(i):
    places = [71, 3072 + 71] if i.kind == 32 else [43]
    for at in places:
        i.put(at, b"FIRST      ")
    i.put(i.root, entry(b"\x05\x80COND     ", 0x08, 0, 0))
    yield
    for at in places:
        i.put(at, b"\xE5\x80COND     ")


# --- "." and ".." ---

def directory(i, entries):
    """/D at cluster 10, with these bytes."""
    i.put(i.root, entry(b"D          ", 0x10, 10, 0))
    i.put(i.cluster(10), entries)
    i.fat({10: EOC[i.kind]})
    used(i, 1)


def dot(cluster, n=1):
    """A dot entry as fatfsck makes it: of 1980-01-01."""
    return (b"." * n).ljust(11) + bytes(
        [0x10, 0, 0, 0, 0, 0x21, 0, 0x21, 0, 0, 0, 0, 0, 0x21, 0,
         cluster, 0, 0, 0, 0, 0])


DOTS = entry(b".          ", 0x10, 10, 0) + entry(b"..         ", 0x10, 0, 0)


@case(ALL, [("dot-cluster", "/D"), ("dotdot-cluster", "/D")])
def dots_point_elsewhere(i):
    directory(i, entry(b".          ", 0x10, 11, 0) +
              entry(b"..         ", 0x10, 12, 0))
    yield
    i.put(i.cluster(10), DOTS)


@case(ALL, [("dot-entries", "/D")])
def no_dots_and_nothing_else(i):
    directory(i, b"")
    yield
    i.put(i.cluster(10), dot(10) + dot(0, 2))


# dir-tail twice: the repair leaves less behind the end mark
@case(ALL, [("dot-entries", "/D"), ("dir-tail", "/D"), ("dir-tail", "/D")],
      outsider=False)
def no_dots_and_stale_entries(i):
    directory(i, bytes(32) + 3 * file(b"STALE      "))
    yield
    i.put(i.cluster(10), dot(10) + dot(0, 2))
    i.put(i.cluster(10) + 64, b"\0")


@case(ALL, [("dot-entries", "/D")])
def deleted_dots(i):
    directory(i, 2 * file(b"\xE5          ") + file(b"A          "))
    yield
    i.put(i.cluster(10), dot(10) + dot(0, 2))


@case(ALL, [("dot-entries", "/D")])
def one_dot_is_missing(i):
    directory(i, entry(b".          ", 0x10, 10, 0) + file(b"A          "))
    yield
    i.put(i.cluster(10) + 32, entry(b"..         ", 0x10, 0, 0) +
          file(b"A          "))


@case(ALL, [("dot-entries", "/D")])
def dots_in_the_wrong_order(i):
    directory(i, DOTS[32:] + DOTS[:32] + file(b"A          "))
    yield
    i.put(i.cluster(10), dot(10) + dot(0, 2))


# dir-tail twice: the repair leaves less behind the end mark
@case(ALL, [("dot-entries", "/D"), ("dir-tail", "/D"), ("dir-tail", "/D")],
      outsider=False)
def entries_move_to_the_end(i):
    directory(i, file(b"A          ") + file(b"B          ") +
              file(b"C          ") + bytes(32) + 3 * file(b"STALE      "))
    yield
    i.put(i.cluster(10), dot(10) + dot(0, 2) + file(b"C          ") +
          file(b"A          ") + file(b"B          "))
    i.put(i.cluster(10) + 160, b"\0")


@case(ALL, [("dot-entries", "/D")])
def long_names_move_to_deleted_slots(i):
    long = named("a long name of a file.txt", b"ALONGN~1TXT", 0x20, 11, 9)
    directory(i, file(b"A          ") + long + 4 * file(b"\xE5          ") +
              file(b"B          "))
    i.fat({11: EOC[i.kind]})
    used(i, 2)
    yield
    i.put(i.cluster(10), dot(10) + dot(0, 2))
    delete(i, i.cluster(10), 2, 3)
    i.put(i.cluster(10) + 128, file(b"A          ") + long)


@case(ALL, [("dot-room", "/D"), ("dot-entries", "/D")])
def full_directories_grow(i):
    files = [file(b"FILE%02d     " % n) for n in range(16)]
    directory(i, b"".join(files))
    new = 3 if i.kind == 32 else 2
    i.put(i.cluster(new), 512 * b"x")
    yield
    i.put(i.cluster(10), dot(10) + dot(0, 2))
    i.put(i.cluster(new), files[0] + files[1] + bytes(448))
    i.fat({10: new, new: EOC[i.kind]})
    used(i, 2)


@case(ALL, [("dot-entries", "/D")])
def directory_moves(i):
    directory(i, entry(b"E          ", 0x10, 11, 0) + DOTS[32:])
    subdirectory(i, 11, 11, 10, entry(b"F          ", 0x20, 12, 9))
    i.fat({11: EOC[i.kind], 12: EOC[i.kind]})
    used(i, 3)
    yield
    i.put(i.cluster(10), entry(b".          ", 0x10, 10, 0) + DOTS[32:] +
          entry(b"E          ", 0x10, 11, 0))


@case(ALL, [("dot-entries", "/D"), ("dot-place", "/D/."),
            ("dot-place", "/D/..")])
def dots_at_the_end(i):
    directory(i, file(b"A          ") + file(b"B          ") +
              DOTS[32:] + DOTS[:32])
    yield
    i.put(i.cluster(10), dot(10) + dot(0, 2) + file(b"A          ") +
          file(b"B          "))


@case(ALL, [("dot-place", "/."), ("dot-place", "/..")])
def dots_in_the_root(i):
    i.put(i.root, DOTS.replace(b"\x0A", b"\0"))
    yield
    delete(i, i.root, 0, 1)


# --- entries of directories ---

@case(ALL, [("dir-data", "/D")])
def contents_of_a_file(i):
    text = b"This is the text of a file, whose entry has one bit too many. "
    directory(i, 16 * text)
    i.put(i.cluster(11), 16 * text)
    i.fat({10: 11, 11: EOC[i.kind]})
    used(i, 2)
    yield
    i.put(i.root, entry(b"D          ", 0x00, 10, 1024))


@case(ALL, [("dir-data", "/D")])
def contents_of_a_program(i):
    directory(i, b"\x7FELF\x02\x01\x01" + bytes(100) + b"\x01\x02")
    yield
    i.put(i.root, entry(b"D          ", 0x00, 10, 512))


@case(ALL, [("dot-entries", "/D"), ("name-bad", "/D/bad name"),
            ("name-bad", "/D/GOOD?.TXT")])
def directory_with_bad_names_only(i):
    directory(i, 2 * file(b"\xE5          ") + file(b"bad name   ") +
              file(b"GOOD?   TXT"))
    yield
    i.put(i.cluster(10), dot(10) + dot(0, 2) + file(b"BAD NAME   ") +
          file(b"GOOD_   TXT"))


@case((16,), [("dir-long", "/D"), ("lost-chain", "")],
      options=["--lost=free"])
def directory_over_2_mib(i):
    directory(i, DOTS)
    i.fat({c: c + 1 for c in range(100, 4299)} | {10: 100, 4299: EOC[16]})
    yield
    i.fat({4194: EOC[16]} | {c: 0 for c in range(4195, 4300)})


@case(ALL, [("dir-size", "/D")])
def directory_with_a_size(i):
    directory(i, DOTS)
    i.put(i.root + 28, b"\x00\x02\x00\x00")
    yield
    i.put(i.root + 28, bytes(4))


@case(ALL, [("dir-none", "/D"), ("dir-none", "/Long name")])
def directory_without_a_cluster(i):
    i.put(i.root, entry(b"D          ", 0x10, 0, 0) +
          named("Long name", b"LONGNA~1   ", 0x10, 0, 0))
    yield
    delete(i, i.root, 0, 1, 2)


@case(ALL, [("dir-loop", "/D/E")])
def directory_leads_to_an_ancestor(i):
    directory(i, DOTS + entry(b"E          ", 0x10, 10, 0))
    yield
    delete(i, i.cluster(10), 2)


@case(ALL, [("start-free", "/Directory")])
def directory_at_a_free_cluster(i):
    i.put(i.root, named("Directory", b"D          ", 0x10, 10, 0))
    yield
    delete(i, i.root, 0, 1)


@case(ALL, [("start-range", "/D")])
def directory_at_no_cluster(i):
    i.put(i.root, entry(b"D          ", 0x10, 1, 0))
    yield
    delete(i, i.root, 0)


def found(done):
    report = json.loads(done.stdout)
    return report["findings"]


def names(findings):
    return sorted((f["code"], f.get("path") or "") for f in findings)


def run_check(path, *args):
    return run(*args, "--json", path)


def outside(path):
    done = subprocess.run([FSCK_FAT, "-n", path], capture_output=True,
                          check=False)
    if done.returncode:
        yield f"fsck.fat: {done.stdout.decode(errors='replace')}"


def check_preen(path, before, after, codes):
    """-p repairs all of it or nothing, and says so."""
    safe = codes <= PREEN
    with open(path, "wb") as f:
        f.write(before)
    done = run_check(path, "-p")
    if safe and done.returncode != (before != after):
        yield f"-p: exit {done.returncode}"
    if not safe and done.returncode not in (0, 4):
        yield f"-p: exit {done.returncode}"
    with open(path, "rb") as f:
        if f.read() != (after if safe else before):
            yield "-p: not the image that it should be"


def check(path, kind, change, expected, outsider, options):
    """The complaints about one case."""
    image = images.BASES[kind]()
    steps = change(image)
    next(steps)
    before = bytes(image.data)
    next(steps, None)
    after = bytes(image.data)
    with open(path, "wb") as f:
        f.write(before)
    done = run_check(path, "-n", *options)
    if names(found(done)) != expected:
        yield f"found {names(found(done))}\n  expected {expected}"
    codes = {f["code"] for f in found(done) if f["severity"] != "info"}
    status = 4 if any(f["severity"] == "error" for f in found(done)) else 0
    if done.returncode != status:
        yield f"-n: exit {done.returncode}, not {status}"
    done = run_check(path, "-y", *options)
    if done.returncode != (before != after):
        yield f"-y: exit {done.returncode} {done.stderr.decode()}"
    with open(path, "rb") as f:
        yield from differences(after, f.read())
    done = run_check(path, "-n")
    left = [f for f in found(done) if f["severity"] != "info"]
    if done.returncode or left:
        yield f"after -y: exit {done.returncode}, {names(left)}"
    if outsider and FSCK_FAT:
        yield from outside(path)
    yield from check_preen(path, before, after, codes)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "image")
        for name, *rest in CASES:
            complaints = list(check(path, *rest))
            for c in complaints:
                print(f"FAIL {name}: {c}")
            failed += bool(complaints)
    print(f"fsck dirs: {len(CASES)} cases, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
