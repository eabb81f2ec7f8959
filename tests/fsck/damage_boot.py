"""Boot sectors and roots that are wrong, copies that disagree in many ways.

As damage.py, whose helpers make the files.
"""

import struct

from damage import (A, B, C, both_whole, case, expect_bytes, expect_files,
                    pattern, put_file, two_files)
from dirs import named
from images import BAD, EOC, entry, subdirectory

BOTH = (0, 3072) # boot sector and backup of the FAT32


@case((32,))
def root_cluster_wrong_in_one():
    """The backup knows better."""
    def change(i):
        two_files(i)
        i.put(44, b"\xFF\xFF\xFF\x0F")

    def judge(volume):
        yield from both_whole(volume)
        if volume.root != 2:
            yield f"the root is at {volume.root}"
    return change, judge


@case((32,))
def root_elsewhere_and_its_number_lost():
    """A root with a label at 77; a file holds what looks like a root, too."""
    def change(i):
        i.root = i.cluster(77)
        two_files(i)
        i.put(i.root + 64, entry(b"MY VOLUME  ", 0x08, 0, 0))
        i.put(i.cluster(2), bytes(512))
        i.fat({2: 0, 77: EOC[32], 50: EOC[32]})
        i.put(i.cluster(50), entry(A, 0x20, 10, 1300))
        for at in BOTH:
            i.put(at + 44, bytes(4))
        i.free(66000 - 9)

    def judge(volume):
        if volume.root != 77:
            yield f"the root is at {volume.root}"
        yield from expect_files(volume, {"/A       TXT": (1300, "A       TXT"),
                                         "/B       TXT": (2048, "B       TXT")})
    return change, judge


def root_number(clus):
    """Wrong in both boot sectors; the root, with a long name, is at 2."""
    def change(i):
        e = EOC[32]
        i.put(i.root, entry(b"MY VOLUME  ", 0x08, 0, 0) +
              named("A long name", b"ALONGN~1   ", 0x20, 20, 600) +
              entry(b"D          ", 0x10, 10, 0))
        subdirectory(i, 10, 10, 0, entry(B, 0x20, 30, 300))
        i.fat({10: e, 20: 21, 21: e, 30: e})
        for c in (20, 21, 30):
            i.put(i.cluster(c), pattern(f"cluster {c}", 512))
        for at in BOTH:
            i.put(at + 71, b"MY VOLUME  ")
            i.put(at + 44, struct.pack("<I", clus))
        i.free(65999 - 4)

    def judge(volume):
        if volume.root != 2:
            yield f"the root is at {volume.root}"
        yield from expect_bytes(volume, {
            "/ALONGN~1   ": (pattern("cluster 20", 512) +
                             pattern("cluster 21", 512))[:600],
            "/D          /B       TXT": pattern("cluster 30", 300)})
        if len(volume.files()) != 2:
            yield f"there are {sorted(volume.files())}"
    return change, judge


@case((32,))
def root_number_of_a_free_cluster():
    return root_number(500)


@case((32,))
def root_number_of_a_file():
    return root_number(20)


@case((32,))
def root_number_of_another_directory():
    return root_number(10)


@case((32,))
def root_gone():
    """Its cluster is bad: what it led to comes back as lost."""
    def change(i):
        e = EOC[32]
        subdirectory(i, 40, 40, 0, entry(B, 0x20, 41, 300))
        i.put(i.cluster(41), pattern("B", 512))
        i.put(i.cluster(50), pattern("X", 512))
        i.fat({2: BAD[32], 40: e, 41: e, 50: e})
        i.free(65999 - 3)

    def judge(volume):
        if volume.root == 2:
            yield "the root is where it was"
        yield from expect_files(volume, {
            "/FSCK0000DIR/B       TXT": (300, "B")})
        # After a cut the new root may have been saved, too.
        if not any(data == pattern("X", 512)
                   for _, data, _ in volume.files().values()):
            yield f"X is not there, but {sorted(volume.files())}"
    return change, judge


@case((32,))
def root_gone_and_fat1_wiped():
    """No new root may be made where the second copy has something."""
    def change(i):
        two_files(i)
        for at in BOTH:
            i.put(at + 44, bytes(4))
        i.put(i.fats[0], bytes(i.fats[1] - i.fats[0]))
    return change, both_whole


@case((32,))
def volume_said_to_be_larger():
    """As on a fake stick; the backup knows better."""
    def change(i):
        two_files(i)
        i.put(32, struct.pack("<I", 670640))
    return change, both_whole


@case((32,))
def active_copy_that_is_not_there():
    def change(i):
        two_files(i)
        for at in BOTH:
            i.put(at + 40, b"\x8F\x00")

    def judge(volume):
        yield from both_whole(volume)
        if volume.data[40:42] != bytes(2):
            yield "mirroring is still off"
    return change, judge


@case((32,))
def version_that_nobody_knows():
    def change(i):
        two_files(i)
        for at in BOTH:
            i.put(at + 42, b"\x01\x00")

    def judge(volume):
        yield from both_whole(volume)
        if volume.data[42:44] != bytes(2):
            yield "the version stays"
    return change, judge


@case((12, 16, 32))
def cut_off_behind_the_files():
    """No cluster in use is missing: the volume becomes smaller."""
    def change(i):
        two_files(i)
        del i.data[-3 * 512 - 100:]

    def judge(volume):
        yield from both_whole(volume)
        total = (struct.unpack_from("<H", volume.data, 19)[0] or
                 struct.unpack_from("<I", volume.data, 32)[0])
        if total != len(volume.data) // 512:
            yield f"{total} sectors in {len(volume.data)} bytes"
    return change, judge


@case((12, 16, 32))
def directory_at_a_free_cluster():
    """What it holds is there; only the FAT has forgotten it."""
    def change(i):
        i.put(i.root, entry(b"D          ", 0x10, 40, 0))
        i.put(i.root + 32, entry(b"E          ", 0x10, 40, 0))
        subdirectory(i, 40, 40, 0, entry(A, 0x20, 41, 300))
        i.put(i.cluster(41), pattern("A", 512))
        i.fat({41: EOC[i.kind]})
        if i.kind == 32:
            i.free(65999 - 1)

    def judge(volume):
        yield from expect_files(volume, {
            "/D          /A       TXT": (300, "A")})
    return change, judge


@case((12, 16, 32))
def file_at_a_free_cluster():
    """So is B, but it is empty."""
    def change(i):
        put_file(i, 0, A, [40], 300, {40: 0})
        i.put(i.root + 32, entry(B, 0x20, 41, 0))
        i.put(i.root + 64, entry(C, 0x20, 42, 1000))
        i.put(i.cluster(42), pattern("C", 512))

    def judge(volume):
        yield from expect_files(volume, {"/A       TXT": (300, "A       TXT"),
                                         "/C       TXT": (512, "C")})
        if volume.files()["/B       TXT"][2]:
            yield "B has a cluster"
    return change, judge


def more_copies(i, copies):
    """The FAT12 with more than two; its root and data lie behind them."""
    old = i.data[512:1024]
    i.put(16, bytes([copies]))
    i.fats = [512 * (n + 1) for n in range(copies)]
    for at in i.fats:
        i.put(at, old)
    i.root = 512 * (copies + 1)
    i.put(i.root, bytes(512))
    i.start = i.root + 512


def whole_in_all(volume):
    yield from both_whole(volume)
    for copy in range(1, volume.copies):
        at = volume.fat_at[copy]
        if volume.data[at:at + 512] != volume.data[512:1024]:
            yield f"copy {copy + 1} differs"


@case((12,))
def only_the_third_copy_is_whole():
    def change(i):
        more_copies(i, 3)
        two_files(i, [0, 1, 2])
        i.put(i.fats[0], bytes(512))
        i.put(i.fats[1] + 12, b"\x5A" * 100)
    return change, whole_in_all


@case((12,))
def each_of_four_copies_is_right_for_one():
    """A is right in the second copy only, B in the fourth."""
    def change(i):
        more_copies(i, 4)
        put_file(i, 0, A, [10, 11, 12], 1300, None, [1])
        put_file(i, 1, B, [20, 21, 30, 31], 2048, None, [3])
        i.fat({10: 11, 11: 0, 20: 21, 21: BAD[12]}, [0])
        i.fat({20: EOC[12]}, [2])
    return change, whole_in_all
