"""More damage, and what a repair must make of it.

As images.py, from literal bytes. A case names the function that holds the
repaired volume (reader.Volume) against what it must be, and yields complaints.
"""

import hashlib

from images import BAD, EOC, entry, subdirectory

CASES = []
ALL = (12, 16, 32)


def case(kinds):
    """Registers a case for each kind of volume; it gives (change, judge)."""
    def register(make):
        change, judge = make()
        for kind in kinds:
            CASES.append((f"{make.__name__}-{kind}", kind, change, judge))
        return make
    return register


def lost_files(before, volume):
    """Files of before that have not the same bytes any more."""
    now = {}
    for path, (_, data, _) in volume.files().items():
        now.setdefault(path.rsplit("/", 1)[0], {})[path] = data
    for path, data in before.items():
        there = now.get(path.rsplit("/", 1)[0], {})
        if there.get(path) != data and data not in there.values():
            yield f"{path!r} was intact and is not any more"


def pattern(name, size):
    seed = hashlib.sha256(name.encode()).digest()
    return (seed * (size // 32 + 1))[:size]


def put_file(i, slot, name, clusters, size, links=None, copies=(0, 1)):
    """A file in the root with a pattern in its clusters; links: the FAT."""
    i.put(i.root + 32 * slot, entry(name, 0x20, clusters[0], size))
    data = pattern(name.decode(), 512 * len(clusters))
    for n, c in enumerate(clusters):
        i.put(i.cluster(c), data[512 * n:512 * n + 512])
    if links is None:
        links = dict(zip(clusters, clusters[1:] + [EOC[i.kind]]))
    i.fat(links, copies)


def expect_files(volume, want):
    """want: {path: (size, name of the pattern)}."""
    files = volume.files()
    for path, (size, name) in want.items():
        if path not in files:
            yield f"{path!r} is not there, but {sorted(files)}"
            continue
        got_size, data, _ = files[path]
        if got_size != size:
            yield f"{path!r} has {got_size} bytes, not {size}"
        elif data != pattern(name, size):
            yield f"{path!r} has other contents"


def expect_bytes(volume, want):
    """want: {path: bytes}; and no cluster has two owners."""
    files = volume.files()
    for path, data in want.items():
        if path not in files:
            yield f"{path!r} is not there, but {sorted(files)}"
            continue
        if files[path][0] != len(data):
            yield f"{path!r} has {files[path][0]} bytes, not {len(data)}"
        elif files[path][1] != data:
            yield f"{path!r} has other contents"
    yield from (f"cluster {c} has {n} owners"
                for c, n in volume.owners().items() if n > 1)
    for copy in range(1, volume.copies):
        if any(volume.entry(c, 0) != volume.entry(c, copy)
               for c in range(2, volume.last + 1)):
            yield f"copy {copy + 1} differs"


A, B, C = b"A       TXT", b"B       TXT", b"C       TXT"


def two_files(i, copies=(0, 1)):
    put_file(i, 0, A, [10, 11, 12], 1300, None, copies)
    put_file(i, 1, B, [20, 21, 30, 31], 2048, None, copies)
    if i.kind == 32:
        i.free(65999 - 7)


def both_whole(volume):
    yield from expect_files(volume, {"/A       TXT": (1300, "A       TXT"),
                                     "/B       TXT": (2048, "B       TXT")})
    for copy in range(1, volume.copies):
        if any(volume.entry(c, 0) != volume.entry(c, copy)
               for c in range(2, volume.last + 1)):
            yield f"copy {copy + 1} differs"


@case(ALL)
def fat1_wiped():
    def change(i):
        two_files(i)
        size = i.fats[1] - i.fats[0]
        i.put(i.fats[0], bytes(size))
    return change, both_whole


@case(ALL)
def fat1_garbage():
    def change(i):
        two_files(i)
        size = min(i.fats[1] - i.fats[0], 512)
        i.put(i.fats[0], b"\x5A" * size)
    return change, both_whole


@case(ALL)
def fat2_never_updated():
    def change(i):
        two_files(i, [0])
    return change, both_whole


@case(ALL)
def each_copy_is_right_for_one():
    def change(i):
        two_files(i)
        i.fat({11: 0}, [0])
        i.fat({21: 0}, [1])
    return change, both_whole


@case(ALL)
def long_file_runs_into_another():
    """A has lost its end mark and runs on into B, which begins there."""
    def change(i):
        put_file(i, 0, A, [10, 11], 1000, {10: 11, 11: 12})
        put_file(i, 1, B, [12, 13, 14], 1500)
        if i.kind == 32:
            i.free(65999 - 5)

    def judge(volume):
        yield from expect_files(volume, {
            "/A       TXT": (1000, "A       TXT"),
            "/B       TXT": (1500, "B       TXT")})
    return change, judge


@case(ALL)
def link_into_the_middle_of_another():
    """A comes first in the walk and leads into B, which fits."""
    def change(i):
        put_file(i, 0, A, [10, 11], 4000, {10: 11, 11: 21})
        put_file(i, 1, B, [20, 21, 22], 1500)
        if i.kind == 32:
            i.free(65999 - 5)

    def judge(volume):
        b = pattern("B       TXT", 1536)
        yield from expect_bytes(volume, {
            "/A       TXT": pattern("A       TXT", 1024) + b[512:],
            "/B       TXT": b[:1500]})
    return change, judge


@case(ALL)
def chain_into_a_bad_cluster():
    def change(i):
        put_file(i, 0, A, [10, 11, 12], 1500, {10: 11, 11: 12,
                                               12: BAD[i.kind]})
        if i.kind == 32:
            i.free(65999 - 3)

    def judge(volume):
        yield from expect_files(volume, {"/A       TXT":
                                         (1024, "A       TXT")})
        if volume.entry(12) != BAD[volume.kind]:
            yield "the bad cluster is not marked any more"
    return change, judge


@case(ALL)
def lost_chains_are_saved():
    def change(i):
        e = EOC[i.kind]
        put_file(i, 0, b"FSCK0000REC", [50], 5)
        for name, clusters in (("X", [40, 41, 45]), ("Y", [60])):
            data = pattern(name, 512 * len(clusters))
            for n, c in enumerate(clusters):
                i.put(i.cluster(c), data[512 * n:512 * n + 512])
        i.fat({40: 41, 41: 45, 45: e, 60: e})
        if i.kind == 32:
            i.free(65999 - 5)

    def judge(volume):
        yield from expect_files(volume, {
            "/FSCK0000REC": (5, "FSCK0000REC"),
            "/FSCK0001REC": (1536, "X"),
            "/FSCK0002REC": (512, "Y")})
    return change, judge


@case(ALL)
def lost_directory_comes_back():
    """D had E and a file; its entry is gone."""
    def change(i):
        e = EOC[i.kind]
        subdirectory(i, 40, 40, 0, entry(b"E          ", 0x10, 41, 0))
        subdirectory(i, 41, 41, 40, entry(C, 0x20, 42, 300))
        i.put(i.cluster(42), pattern("C", 512))
        i.fat({40: e, 41: e, 42: e})
        if i.kind == 32:
            i.free(65999 - 3)

    def judge(volume):
        yield from expect_files(volume, {
            "/FSCK0000DIR/E          /C       TXT": (300, "C")})
        # E is not saved by itself as well, to be taken back.
        at = volume.root_at if volume.kind != 32 else volume.start
        if volume.data[at + 32]:
            yield "a second slot of the root was used"
    return change, judge


@case((12, 16))
def full_root_with_lost_chains():
    """A slot is left, the deleted one."""
    def change(i):
        for n in range(16):
            put_file(i, n, b"F%02d     TXT" % n, [10 + n], 100)
        i.put(i.root + 5 * 32, b"\xE5")
        i.fat({15: 0, 40: EOC[i.kind]})
        i.put(i.cluster(40), pattern("X", 512))

    def judge(volume):
        yield from expect_files(volume, {"/FSCK0000REC": (512, "X")})
    return change, judge


@case((32,))
def full_root_grows():
    def change(i):
        for n in range(16):
            put_file(i, n, b"F%02d     TXT" % n, [10 + n], 100)
        i.fat({40: EOC[i.kind]})
        i.put(i.cluster(40), pattern("X", 512))
        i.free(65999 - 17)

    def judge(volume):
        # After a cut the new part of the root may have been saved, too.
        if not any(data == pattern("X", 512)
                   for _, data, _ in volume.files().values()):
            yield f"X is not there, but {sorted(volume.files())}"
    return change, judge


@case((32,))
def boot_sector_wiped():
    def change(i):
        two_files(i)
        i.put(0, bytes(512))
    return change, both_whole


@case((32,))
def mirroring_off_and_the_active_copy_damaged():
    def change(i):
        two_files(i)
        for at in (0, 3072):
            i.put(at + 40, b"\x81\x00")
        i.put(i.fats[0], b"\x77" * 4096)
        i.fat({12: 0x0FFFFFF1}, [1])

    def judge(volume):
        yield from expect_files(volume, {
            "/A       TXT": (1300, "A       TXT"),
            "/B       TXT": (2048, "B       TXT")})
        if volume.data[volume.fat_at[0]:][:4096] != b"\x77" * 4096:
            yield "the copy that is not active was written to"
    return change, judge


@case(ALL)
def entries_behind_the_end_stay_dead():
    """The slot behind the new entry would bring a dead one to life."""
    def change(i):
        put_file(i, 0, A, [10], 100)
        i.put(i.root + 64, entry(B, 0x20, 10, 100))
        i.fat({40: EOC[i.kind]})
        i.put(i.cluster(40), pattern("X", 512))
        if i.kind == 32:
            i.free(65999 - 2)

    def judge(volume):
        yield from expect_files(volume, {"/FSCK0000REC": (512, "X")})
        if "/B       TXT" in volume.files():
            yield "B is alive"
    return change, judge


@case(ALL)
def dirty_and_what_follows():
    """The size is cut once the chain has been; the mark goes after that."""
    def change(i):
        put_file(i, 0, A, [10, 11], 4000, {10: 11, 11: 12})
        i.put(65 if i.kind == 32 else 37, b"\x01")
        if i.kind == 32:
            i.free(65999 - 2)

    def judge(volume):
        yield from expect_files(volume, {"/A       TXT":
                                         (1024, "A       TXT")})
        if volume.data[65 if volume.kind == 32 else 37]:
            yield "it is marked dirty"
    return change, judge


def three_fat_sectors(i):
    """FAT12 of 693 clusters; entry 341 lies in two sectors."""
    i.data.extend(bytes(700 * 512 - len(i.data)))
    i.put(19, b"\xBC\x02")
    i.put(22, b"\x03\x00")
    i.put(512, bytes(3072))
    i.fats, i.root, i.start = [512, 2048], 3584, 4096
    for at in i.fats:
        i.put(at, b"\xF8\xFF\xFF")


def full_directory_without_dots(first, free):
    """From cluster first to 341; the first free cluster is free."""
    def change(i):
        three_fat_sectors(i)
        e = EOC[12]
        i.put(i.root, entry(b"D          ", 0x10, first, 0))
        used = {c: 600 for c in range(2, free)} | {600: e}
        if free > 2:
            put_file(i, 1, A, [2], 512 * (free - 2))
            links = list(range(2, free))
            used = dict(zip(links, links[1:] + [e]))
        i.fat(used | {first: 341} | {341: e})
        for cluster in {first, 341}:
            for n in range(16):
                i.put(i.cluster(cluster) + 32 * n,
                      entry(b"F%03d%03d    " % (cluster, n), 0x20, 0, 0))

    def judge(volume):
        chain, sound = volume.chain(first)
        slots = [s[:11] for s in volume.slots(first)]
        # After a cut some may be there twice, with other names.
        gone = {b"F%03d%03d    " % (cluster, n) for cluster in {first, 341}
                for n in range(16)} - set(slots)
        if not sound or gone:
            yield f"the directory is {chain}, without {gone}"
        if slots[:2] != [b".          ", b"..         "]:
            yield f"it begins with {slots[:2]}"
    return change, judge


@case((12,))
def full_directory_grows_across_two_sectors():
    return full_directory_without_dots(341, 2)


@case((12,))
def full_directory_grows_across_two_sectors_to_a_high_cluster():
    return full_directory_without_dots(330, 255)


# --- shared clusters: who does not keep them gets a copy ---

def part(name, clusters, *numbers):
    """Of a file that put_file() made, the contents of these clusters."""
    data = pattern(name.decode(), 512 * len(clusters))
    return b"".join(data[512 * clusters.index(c):][:512] for c in numbers)


def path_of(name):
    return "/" + name.decode()


@case(ALL)
def shared_tail():
    """B leads into the middle of A; both are as long as they should be."""
    def change(i):
        put_file(i, 0, A, [10, 11, 12], 1300)
        put_file(i, 1, B, [20], 1400, {20: 11})
        if i.kind == 32:
            i.free(65999 - 4)

    def judge(volume):
        a = pattern("A       TXT", 1536)
        yield from expect_bytes(volume, {
            path_of(A): a[:1300],
            path_of(B): (part(B, [20], 20) + a[512:])[:1400]})
        if volume.chain(10)[0] != [10, 11, 12]:
            yield "A has other clusters"
    return change, judge


@case(ALL)
def shared_from_the_start():
    """Three entries for one chain, one of them needs all of it."""
    def change(i):
        put_file(i, 1, B, [10, 11, 12], 1500)
        i.put(i.root, entry(A, 0x20, 10, 700))
        i.put(i.root + 64, entry(C, 0x20, 10, 1))
        if i.kind == 32:
            i.free(65999 - 3)

    def judge(volume):
        b = pattern("B       TXT", 1500)
        yield from expect_bytes(volume, {
            path_of(A): b[:700], path_of(B): b, path_of(C): b[:1]})
        if volume.chain(10)[0] != [10, 11, 12] or \
                volume.files()[path_of(B)][2] != [10, 11, 12]:
            yield "B has other clusters"
    return change, judge


@case(ALL)
def shared_by_three():
    """B wins 11 of A, C wins 12: B needs the copy of it, and a longer one."""
    def change(i):
        put_file(i, 0, A, [10, 11, 12, 13, 14], 512 * 8)
        put_file(i, 1, B, [20], 512 * 5 - 3, {20: 11})
        put_file(i, 2, C, [30, 31], 512 * 5 - 4, {30: 31, 31: 12})
        if i.kind == 32:
            i.free(65999 - 8)

    def judge(volume):
        a = pattern("A       TXT", 512 * 5)
        yield from expect_bytes(volume, {
            path_of(A): a,
            path_of(B): (part(B, [20], 20) + a[512:])[:512 * 5 - 3],
            path_of(C): (part(C, [30, 31], 30, 31) +
                         a[1024:])[:512 * 5 - 4]})
        if volume.chain(30)[0] != [30, 31, 12, 13, 14]:
            yield "C has other clusters"
    return change, judge


@case(ALL)
def shared_and_lost_to_a_later_one():
    """A has 11 to B's profit and 13 against D, whom B so comes by."""
    def change(i):
        put_file(i, 0, A, [10, 11, 12, 13, 14], 512 * 9)
        put_file(i, 1, B, [20, 21, 22], 512 * 6, {20: 21, 21: 22, 22: 12})
        put_file(i, 2, C, [40], 512 * 2, {40: 14})
        if i.kind == 32:
            i.free(65999 - 9)

    def judge(volume):
        a = pattern("A       TXT", 512 * 5)
        yield from expect_bytes(volume, {
            path_of(A): a,
            path_of(B): part(B, [20, 21, 22], 20, 21, 22) + a[1024:],
            path_of(C): part(C, [40], 40) + a[2048:]})
    return change, judge


def fill(i, but):
    """No cluster is free but these."""
    first, last = {12: (2, 97), 16: (2, 5001), 32: (3, 66001)}[i.kind]
    i.fat({c: BAD[i.kind] for c in range(first, last + 1) if c not in but})


@case(ALL)
def shared_and_no_room():
    """A copy would take two clusters, and one is free."""
    def change(i):
        fill(i, [50])
        put_file(i, 0, A, [10, 11, 12], 1300)
        put_file(i, 1, B, [20], 1400, {20: 11})
        if i.kind == 32:
            i.free(1)

    def judge(volume):
        yield from expect_bytes(volume, {
            path_of(A): pattern("A       TXT", 1300),
            path_of(B): pattern("B       TXT", 512)})
        if volume.entry(50):
            yield "the free cluster is not free any more"
    return change, judge


@case(ALL)
def shared_and_room_in_pieces():
    def change(i):
        # Enough for a second copy: a cut may leave the first one lost.
        free = [50, 52, 54, 55, 58, 60, 62, 63, 66, 68, 70, 72, 74, 76]
        fill(i, free)
        put_file(i, 0, A, [10, 11, 12, 13, 14], 2500)
        put_file(i, 1, B, [20], 2500, {20: 11})
        put_file(i, 2, C, [30], 700, {30: 14})
        if i.kind == 32:
            i.free(len(free))

    def judge(volume):
        a = pattern("A       TXT", 512 * 5)
        yield from expect_bytes(volume, {
            path_of(A): a[:2500],
            path_of(B): (part(B, [20], 20) + a[512:])[:2500],
            path_of(C): (part(C, [30], 30) + a[2048:])[:700]})
    return change, judge


@case(ALL)
def shared_with_a_directory():
    """A leads into D, which keeps its clusters whatever else is wrong."""
    def change(i):
        e = EOC[i.kind]
        i.put(i.root + 32, entry(b"D          ", 0x10, 12, 0))
        subdirectory(i, 12, 12, 0, b"".join(
            entry(b"N%02d        " % n, 0x20, 0, 0) for n in range(14)))
        i.put(i.cluster(13), entry(C, 0x20, 40, 300))
        i.put(i.cluster(40), pattern("C", 512))
        put_file(i, 0, A, [10, 11], 512 * 4 - 9, {10: 11, 11: 12})
        i.put(i.root + 64, entry(B, 0x20, 13, 100))
        i.fat({12: 13, 13: e, 40: e})
        if i.kind == 32:
            i.free(65999 - 5)

    def judge(volume):
        yield from expect_files(volume, {
            "/D          /C       TXT": (300, "C")})
        d = volume.content([12, 13])
        yield from expect_bytes(volume, {
            path_of(A): (pattern("A       TXT", 1024) + d)[:512 * 4 - 9],
            path_of(B): d[512:612]})
    return change, judge


@case(ALL)
def directory_runs_into_a_file():
    """What is there are no entries, so the file keeps it."""
    def change(i):
        i.put(i.root, entry(b"D          ", 0x10, 12, 0))
        subdirectory(i, 12, 12, 0, entry(C, 0x20, 40, 300))
        i.put(i.cluster(40), pattern("C", 512))
        put_file(i, 1, A, [13, 14], 1000)
        i.fat({12: 13, 40: EOC[i.kind]})
        if i.kind == 32:
            i.free(65999 - 4)

    def judge(volume):
        yield from expect_bytes(volume, {
            "/D          /C       TXT": pattern("C", 300),
            path_of(A): pattern("A       TXT", 1000)})
        if volume.chain(12)[0] != [12]:
            yield "D has other clusters"
    return change, judge


@case(ALL)
def shared_and_damaged_behind():
    """The shared part leads to a bad cluster: both end there."""
    def change(i):
        put_file(i, 0, A, [10, 11, 12], 2000,
                 {10: 11, 11: 12, 12: 13, 13: BAD[i.kind]})
        put_file(i, 1, B, [20], 2100, {20: 11})
        if i.kind == 32:
            i.free(65999 - 4)

    def judge(volume):
        a = pattern("A       TXT", 1536)
        yield from expect_bytes(volume, {
            path_of(A): a, path_of(B): part(B, [20], 20) + a[512:]})
    return change, judge


@case(ALL)
def shared_loop():
    """A loops, and B leads into the loop."""
    def change(i):
        put_file(i, 0, A, [10, 11, 12], 1536, {10: 11, 11: 12, 12: 11})
        put_file(i, 1, B, [20], 512 * 9, {20: 11})
        if i.kind == 32:
            i.free(65999 - 4)

    def judge(volume):
        a = pattern("A       TXT", 1536)
        yield from expect_bytes(volume, {
            path_of(A): a, path_of(B): part(B, [20], 20) + a[512:]})
    return change, judge


@case(ALL)
def shared_and_a_link_to_where_the_copy_would_be():
    """C leads to the only free cluster, so it is no room. After a cut job in
    which C's chain has been ended already it is."""
    def change(i):
        fill(i, [50, 51])
        put_file(i, 0, A, [10, 11], 1000)
        put_file(i, 1, B, [20], 1000, {20: 11})
        put_file(i, 2, C, [30], 1000, {30: 50})
        i.put(i.root + 96, entry(b"E       TXT", 0x20, 51, 10))
        if i.kind == 32:
            i.free(2)

    def judge(volume):
        yield from expect_bytes(volume, {
            path_of(A): pattern("A       TXT", 1000),
            path_of(B): pattern("B       TXT", 512) +
            (pattern("A       TXT", 1000)[512:] if volume.entry(50) else b""),
            path_of(C): pattern("C       TXT", 512),
            "/E       TXT": bytes(10)})
    return change, judge


def larger12(i):
    """FAT12 with FATs of 3 sectors: entries 341 and 682 lie in two."""
    i.data = bytearray(1000 * 512)
    i.fats, i.root, i.start = [512, 2048], 3584, 4096
    i.put(0, b"\xEB\x3C\x90TESTBASE")
    i.put(11, bytes.fromhex("0002 01 0100 02 1000 E803 F8 0300"))
    i.put(24, bytes.fromhex("2000 4000 00000000 00000000 80 00 29"))
    i.put(39, b"\x78\x56\x34\x12NO NAME    FAT12   ")
    i.put(510, b"\x55\xAA")
    for at in i.fats:
        i.put(at, b"\xF8\xFF\xFF")


@case((12,))
def shared_behind_a_link_in_two_sectors():
    def change(i):
        larger12(i)
        put_file(i, 0, A, [10, 11, 12], 1300)
        put_file(i, 1, B, [341], 1400, {341: 11})
        put_file(i, 2, C, [682], 900, {682: 12})

    def judge(volume):
        a = pattern("A       TXT", 1536)
        yield from expect_bytes(volume, {
            path_of(A): a[:1300],
            path_of(B): (part(B, [341], 341) + a[512:])[:1400],
            path_of(C): (part(C, [682], 682) + a[1024:])[:900]})
    return change, judge


# --- lost chains and a root without room ---

def lost(i, clusters):
    for c in clusters:
        i.put(i.cluster(c), pattern(f"L{c}", 512))
    i.fat({c: EOC[i.kind] for c in clusters})


def saved(volume, paths, clusters):
    """The files called paths are these lost chains."""
    yield from expect_files(volume, {
        path: (512, f"L{c}") for path, c in zip(paths, clusters)})
    names = [p for p in volume.files() if "FSCK" in p.rsplit("/", 1)[1]]
    if len(names) != len(clusters):
        yield f"there are {sorted(names)}"


def full_root(i, entries):
    """16 files and directories: there is no slot left."""
    names = [entry(b"F%02d     TXT" % n, 0x20, 0, 0)
             for n in range(16 - len(entries))]
    i.put(i.root, b"".join(names + entries))


@case((12, 16))
def full_root_and_a_directory():
    """The first one is full to its end and grows; the second one stays."""
    def change(i):
        e = EOC[i.kind]
        full_root(i, [entry(b"D          ", 0x10, 10, 0),
                      entry(b"E          ", 0x10, 11, 0)])
        subdirectory(i, 10, 10, 0, b"".join(
            entry(b"N%02d        " % n, 0x20, 0, 0) for n in range(14)))
        subdirectory(i, 11, 11, 0)
        i.fat({10: e, 11: e})
        lost(i, [40, 42, 44])

    def judge(volume):
        # After a cut the new part of D may have been saved, too.
        found = {data for path, (_, data, _) in volume.files().items()
                 if path.startswith("/D          /FSCK")}
        if not {pattern(f"L{c}", 512) for c in (40, 42, 44)} <= found:
            yield f"there are {sorted(volume.files())}"
    return change, judge


@case((12, 16))
def full_root_and_a_directory_of_ours():
    """It comes before others, and has a name of ours already."""
    def change(i):
        e = EOC[i.kind]
        full_root(i, [entry(b"D          ", 0x10, 10, 0),
                      entry(b"FSCK0007DIR", 0x10, 11, 0)])
        subdirectory(i, 10, 10, 0)
        subdirectory(i, 11, 11, 0, entry(b"FSCK0000REC", 0x20, 0, 0) +
                     entry(b"\xE5          ", 0x20, 0, 0))
        i.fat({10: e, 11: e})
        lost(i, [40, 42, 44])

    def judge(volume):
        ours = "/FSCK0007DIR/FSCK000%dREC"
        yield from expect_files(volume, {
            ours % n: (512, f"L{c}") for n, c in ((1, 40), (2, 42), (3, 44))})
    return change, judge


@case((12, 16))
def full_root_and_no_directory():
    def change(i):
        full_root(i, [])
        lost(i, [40, 42])

    def judge(volume):
        for c in (40, 42):
            if volume.entry(c) != EOC[volume.kind]:
                yield f"cluster {c} is not what it was"
    return change, judge


@case((12, 16))
def last_slot_becomes_a_directory():
    def change(i):
        full_root(i, [])
        i.put(i.root + 3 * 32, b"\xE5")
        lost(i, [40, 42, 44])

    def judge(volume):
        # After a cut the directory may have been saved as a chain, too.
        found = {data for path, (_, data, _) in volume.files().items()
                 if path.startswith("/FSCK0000DIR/FSCK")}
        if "/F00     TXT" not in volume.files():
            yield "the first entry was overwritten"
        if not {pattern(f"L{c}", 512) for c in (40, 42, 44)} <= found:
            yield f"there are {sorted(volume.files())}"
    return change, judge


@case((12, 16))
def last_slot_and_no_free_cluster():
    """It is for the first; the directory that is there has the others."""
    def change(i):
        fill(i, [])
        full_root(i, [entry(b"D          ", 0x10, 10, 0)])
        i.put(i.root + 3 * 32, b"\xE5")
        subdirectory(i, 10, 10, 0)
        i.fat({10: EOC[i.kind]})
        lost(i, [40, 42, 44])

    def judge(volume):
        yield from saved(volume, [
            "/FSCK0000REC", "/D          /FSCK0000REC",
            "/D          /FSCK0001REC"], [40, 42, 44])
    return change, judge
