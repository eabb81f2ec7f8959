"""Damage where the obvious repair would take something that was whole.

As damage.py; importing this adds to its CASES.
"""

from damage import (A, ALL, B, C, both_whole, case, expect_files, pattern,
                    put_file, two_files)
from images import BAD, EOC, entry, subdirectory

D = b"D          "
E = b"E          "


def empty_files(first, last):
    """Entries that need no cluster, to fill a directory."""
    return b"".join(entry(b"F%02d     TXT" % n, 0x20, 0, 0)
                    for n in range(first, last + 1))


def put_data(i, name, cluster, clusters=1):
    data = pattern(name, 512 * clusters)
    i.put(i.cluster(cluster), data)


def set_free(i, used):
    if i.kind == 32:
        i.free(65999 - used)


def c_in_d(volume):
    yield from expect_files(volume, {"/D          /C       TXT": (300, "C")})


@case(ALL)
def directory_that_grew_in_copy_2_only():
    """Under both copies its chain ends properly; what is in it tells."""
    def change(i):
        e = EOC[i.kind]
        i.put(i.root, entry(D, 0x10, 40, 0))
        subdirectory(i, 40, 40, 0, empty_files(2, 15))
        i.put(i.cluster(41), entry(C, 0x20, 42, 300))
        put_data(i, "C", 42)
        i.fat({40: e, 42: e})
        i.fat({40: 41, 41: e}, [1])
        set_free(i, 3)
    return change, c_in_d


@case((32,))
def root_that_grew_in_copy_2_only():
    def change(i):
        e = EOC[i.kind]
        i.put(i.root, empty_files(0, 15))
        i.put(i.cluster(41), entry(C, 0x20, 42, 300))
        put_data(i, "C", 42)
        i.fat({42: e})
        i.fat({2: 41, 41: e}, [1])
        set_free(i, 2)

    def judge(volume):
        yield from expect_files(volume, {"/C       TXT": (300, "C")})
    return change, judge


@case(ALL)
def directory_that_runs_on_in_copy_2():
    """Into a cluster of another one, and into what was a file's."""
    def change(i):
        e = EOC[i.kind]
        i.put(i.root, entry(D, 0x10, 40, 0))
        i.put(i.root + 32, entry(E, 0x10, 41, 0))
        i.put(i.root + 64, entry(b"G          ", 0x10, 50, 0))
        subdirectory(i, 40, 40, 0, empty_files(2, 15))
        subdirectory(i, 41, 41, 0, entry(C, 0x20, 42, 300))
        subdirectory(i, 50, 50, 0, empty_files(2, 15))
        put_data(i, "C", 42)
        put_data(i, "old", 51)
        i.fat({40: e, 41: e, 42: e, 50: e})
        i.fat({40: 41, 50: 51, 51: e}, [1])
        set_free(i, 4)

    def judge(volume):
        yield from expect_files(volume, {"/E          /C       TXT":
                                         (300, "C")})
        if volume.chain(40)[0] != [40] or volume.chain(50)[0] != [50]:
            yield "a directory got what is none of its own"
    return change, judge


@case(ALL)
def bad_mark_in_copy_2_only():
    """To believe it costs a cluster, not to believe it data."""
    def change(i):
        put_file(i, 0, A, [10], 100)
        i.fat({60: BAD[i.kind]}, [1])
        set_free(i, 1)

    def judge(volume):
        if volume.entry(60) != BAD[volume.kind]:
            yield "the bad cluster is not marked any more"
        yield from expect_files(volume, {"/A       TXT":
                                         (100, "A       TXT")})
    return change, judge


@case(ALL)
def broken_in_both_copies():
    """Copy 1 has nothing of A, copy 2 all of it but the end mark."""
    def change(i):
        put_file(i, 0, A, [10, 11, 12], 1300,
                 {10: 11, 11: 12, 12: EOC[i.kind] - 14}, [1])
        put_file(i, 1, B, [20, 21, 22], 1300,
                 {20: 21, 21: EOC[i.kind]}, [1])
        i.fat({20: EOC[i.kind]}, [0])
        set_free(i, 5)

    def judge(volume):
        yield from expect_files(volume, {
            "/A       TXT": (1300, "A       TXT"),
            "/B       TXT": (1024, "B       TXT")})
    return change, judge


@case(ALL)
def entry_in_the_place_of_dotdot():
    """It moves to the second cluster, and must not get lost on the way."""
    def change(i):
        e = EOC[i.kind]
        i.put(i.root, entry(D, 0x10, 40, 0))
        i.put(i.cluster(40), entry(b".          ", 0x10, 40, 0) +
              entry(C, 0x20, 42, 300) + empty_files(2, 15))
        put_data(i, "C", 42)
        i.fat({40: 50, 50: e, 42: e})
        set_free(i, 3)
    return change, c_in_d


@case(ALL)
def dead_entry_in_the_sector_behind_the_end():
    """The one that moves takes the last slot of a sector."""
    def change(i):
        e = EOC[i.kind]
        put_file(i, 0, A, [10], 100)
        i.put(i.root + 32, entry(D, 0x10, 40, 0))
        i.put(i.cluster(40), entry(b".          ", 0x10, 40, 0) +
              entry(C, 0x20, 42, 300) + empty_files(2, 14))
        i.put(i.cluster(41), entry(B, 0x20, 10, 100))
        put_data(i, "C", 42)
        i.fat({40: 41, 41: e, 42: e})
        set_free(i, 4)

    def judge(volume):
        yield from c_in_d(volume)
        if "/D          /B       TXT" in volume.files():
            yield "B is alive"
    return change, judge


@case((32,))
def dead_entries_in_the_next_cluster_of_the_root():
    """Lost chains get the last slot before them, and the first of theirs."""
    def change(i):
        e = EOC[i.kind]
        put_file(i, 0, A, [10], 100)
        i.put(i.root + 32, empty_files(1, 14))
        i.put(i.cluster(3), entry(B, 0x20, 10, 100) * 2)
        put_data(i, "X", 40)
        put_data(i, "Y", 50)
        i.fat({2: 3, 3: e, 40: e, 50: e})
        set_free(i, 4)

    def judge(volume):
        if "/B       TXT" in volume.files():
            yield "B is alive"
        found = [data for _, data, _ in volume.files().values()]
        if pattern("X", 512) not in found or pattern("Y", 512) not in found:
            yield "X or Y is not there"
    return change, judge


@case(ALL)
def lost_directory_with_an_old_entry():
    """What it says of B's clusters was true once; they are A's now."""
    def change(i):
        e = EOC[i.kind]
        i.put(i.root, entry(b"\xE5OLD       ", 0x10, 50, 0))
        i.put(i.root + 32, entry(D, 0x10, 30, 0))
        subdirectory(i, 30, 30, 0, entry(A, 0x20, 40, 1000))
        put_data(i, "A", 40, 2)
        subdirectory(i, 50, 50, 0, entry(B, 0x20, 40, 1000) +
                     entry(C, 0x20, 42, 300))
        put_data(i, "C", 42)
        i.fat({30: e, 40: 41, 41: e, 42: e, 50: e})
        set_free(i, 5)

    def judge(volume):
        yield from expect_files(volume, {"/D          /A       TXT":
                                         (1000, "A")})
        if not any(size in (300, 512) and data[:300] == pattern("C", 300)
                   for size, data, _ in volume.files().values()):
            yield "C did not come back"
    return change, judge


@case(ALL)
def file_at_a_directory():
    """A fits into one cluster, which begins with the dot entries of D."""
    def change(i):
        e = EOC[i.kind]
        i.put(i.root, entry(A, 0x20, 40, 100) + entry(D, 0x10, 40, 0))
        subdirectory(i, 40, 40, 0, entry(C, 0x20, 42, 300))
        put_data(i, "C", 42)
        i.fat({40: e, 42: e})
        set_free(i, 2)
    return change, c_in_d


@case(ALL)
def two_entries_for_one_directory():
    """Its ".." tells whose it is."""
    def change(i):
        e = EOC[i.kind]
        i.put(i.root, entry(D, 0x10, 30, 0))
        i.put(i.root + 32, entry(E, 0x10, 50, 0))
        subdirectory(i, 30, 30, 0, entry(b"X          ", 0x10, 60, 0))
        subdirectory(i, 50, 50, 0, entry(b"Y          ", 0x10, 60, 0))
        subdirectory(i, 60, 60, 50, entry(C, 0x20, 42, 300))
        put_data(i, "C", 42)
        i.fat({30: e, 50: e, 60: e, 42: e})
        set_free(i, 4)

    def judge(volume):
        yield from expect_files(volume, {
            "/E          /Y          /C       TXT": (300, "C")})
    return change, judge


def runs_into_directory(i, first, where):
    """The chain that begins at first goes on where E begins."""
    i.put(where, entry(E, 0x10, 31, 0))
    subdirectory(i, 31, 31, 30 if first == 30 else 0,
                 entry(C, 0x20, 42, 300) + empty_files(3, 15))
    put_data(i, "C", 42)
    i.fat({first: 31, 31: EOC[i.kind], 42: EOC[i.kind]})


@case(ALL)
def directory_runs_into_its_own_child():
    """E's files are E's, though D's chain came there first."""
    def change(i):
        i.put(i.root, entry(D, 0x10, 30, 0))
        subdirectory(i, 30, 30, 0, empty_files(2, 14))
        runs_into_directory(i, 30, i.cluster(30) + 32 * 15)
        set_free(i, 3)

    def judge(volume):
        yield from expect_files(volume, {
            "/D          /E          /C       TXT": (300, "C")})
        if volume.chain(30)[0] != [30] or len(volume.files()) != 27:
            yield f"not as it was: {sorted(volume.files())}"
    return change, judge


@case(ALL)
def directory_runs_into_another():
    """Its first cluster is full, so it could go on there."""
    def change(i):
        i.put(i.root, entry(D, 0x10, 30, 0))
        subdirectory(i, 30, 30, 0, empty_files(2, 15))
        runs_into_directory(i, 30, i.root + 32)
        subdirectory(i, 31, 31, 0)
        set_free(i, 3)

    def judge(volume):
        yield from expect_files(volume, {
            "/E          /C       TXT": (300, "C")})
        if volume.chain(30)[0] != [30] or len(volume.files()) != 28:
            yield f"not as it was: {sorted(volume.files())}"
    return change, judge


@case((32,))
def root_runs_into_a_directory():
    def change(i):
        i.put(i.root, empty_files(1, 15))
        runs_into_directory(i, 2, i.root + 32 * 15)
        set_free(i, 2)

    def judge(volume):
        yield from expect_files(volume, {
            "/E          /C       TXT": (300, "C")})
        if volume.chain(2)[0] != [2] or len(volume.files()) != 29:
            yield f"not as it was: {sorted(volume.files())}"
    return change, judge


@case((32,))
def boot_sector_wiped_on_a_dirty_volume():
    """The mark of the backup does not count, the one in FAT[1] does."""
    def change(i):
        put_file(i, 0, A, [10], 100)
        i.put(3072 + 65, b"\x01")
        i.fat({1: 0x07FFFFFF})
        i.put(0, bytes(512))
        set_free(i, 1)

    def judge(volume):
        if volume.data[65] & 1 or not volume.entry(1) & 0x08000000:
            yield "the volume is still marked dirty"
    return change, judge


def boot_differs(at, value):
    """Every field could be right; the FAT knows better."""
    def change(i):
        two_files(i)
        put_file(i, 2, C, [65000, 65001], 700)
        i.put(at, value)
        set_free(i, 9)

    def judge(volume):
        yield from both_whole(volume)
        yield from expect_files(volume, {"/C       TXT":
                                         (700, "C       TXT")})
        if volume.data[:64] != volume.data[3072:3072 + 64]:
            yield "the backup was not what was believed"
    return change, judge


@case((32,))
def boot_with_larger_clusters():
    return boot_differs(13, b"\x02")


@case((32,))
def boot_with_more_reserved_sectors():
    return boot_differs(14, b"\x28")


@case((32,))
def boot_with_fewer_sectors():
    """By so few that FAT and clusters still go together."""
    return boot_differs(32, b"\x00\x00\x01\x00")


@case(ALL)
def directory_that_lost_its_first_sector():
    """Clusters of 1 KiB; what is left of it is no file's contents, as nothing
    in the entry says that it is one."""
    def change(i):
        i.put(i.root, entry(D, 0x10, 40, 0))
        rubbish = bytes((37 * n + 0x85) & 0xFF for n in range(512))
        i.put(i.cluster(40), rubbish)
        i.put(i.cluster(41), entry(C, 0x20, 42, 300))
        put_data(i, "C", 42)
        i.fat({40: 41, 41: EOC[i.kind], 42: EOC[i.kind]})
        set_free(i, 3)
    return change, c_in_d


@case(ALL)
def copy_while_a_directory_returns():
    """E is in D, which is at a free cluster and gets it back; before that no
    walk sees that E's free cluster is no room for a copy."""
    def change(i):
        used = [*range(2 + (i.kind == 32), 10), *range(12, 20),
                *range(21, 30), *range(32, 40)]
        i.put(i.root, entry(D, 0x10, 30, 0))
        put_file(i, 1, A, [10, 11], 1000)
        put_file(i, 2, B, [20], 1000, {20: 11})
        i.put(i.root + 96, entry(b"FULL       ", 0x20, used[0],
                                 512 * len(used)))
        i.fat(dict(zip(used, used[1:] + [EOC[i.kind]])))
        subdirectory(i, 30, 30, 0, entry(E, 0x10, 31, 0))
        subdirectory(i, 31, 31, 30, entry(C, 0x20, 42, 300))
        put_data(i, "C", 42)
        i.fat({42: EOC[i.kind]})
        set_free(i, 4 + len(used))

    def judge(volume):
        yield from expect_files(volume, {
            "/D          /E          /C       TXT": (300, "C"),
            "/A       TXT": (1000, "A       TXT")})
        if volume.files()["/B       TXT"][0] != 1000:
            yield "B is shorter"
    return change, judge


@case((16, 32))
def marks_in_copy_2_only():
    """FAT[1] of the first copy is rubbish, so that one counts."""
    def change(i):
        two_files(i)
        i.fat({1: 0}, [0])
        i.fat({1: EOC[i.kind] & ~{16: 0xC000, 32: 0x0C000000}[i.kind]}, [1])

    def judge(volume):
        yield from both_whole(volume)
        for copy in (0, 1):
            if volume.entry(1, copy) < EOC[volume.kind]:
                yield f"FAT[1] of copy {copy + 1} is {volume.entry(1, copy):X}"
    return change, judge


@case((12, 16))
def lost_chains_and_a_directory_without_dots():
    """Its slots, which are free, are not for what is saved, as the root is
    full and can't grow."""
    def change(i):
        for n in range(15):
            i.put(i.root + 32 * n, entry(b"F%02d     TXT" % n, 0x20, 0, 0))
        i.put(i.root + 32 * 15, entry(b"FSCK0000DIR", 0x10, 40, 0))
        i.put(i.cluster(40), 2 * b"\xE5".ljust(32, b"\0"))
        i.fat({40: EOC[i.kind], 50: EOC[i.kind], 51: EOC[i.kind]})
        put_data(i, "X", 50, 2)

    def judge(volume):
        paths = sorted(p for p in volume.files() if "REC" in p)
        if len(paths) != 2 or any(volume.files()[p][0] != 512 for p in paths):
            yield f"there are {paths}"
        raw = volume.content([40])
        if raw[:11] != b".          " or raw[32:43] != b"..         ":
            yield f"it begins with {raw[:64].hex()}"
    return change, judge
