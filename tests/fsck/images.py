"""Volumes made from literal bytes, each with what fatfsck must find in it.

Nothing here uses the project's own code. Three sound volumes are the base:

  FAT12   100 sectors, 512-byte clusters 2 to 97
          boot 0, FATs at 512 and 1024, root (16 entries) at 1536, data 2048
  FAT16   5,042 sectors, 512-byte clusters 2 to 5001
          boot 0, FATs at 512 and 10752, root (16) at 20992, data 21504
  FAT32   67,064 sectors, 512-byte clusters 2 to 66001
          boot 0, FSInfo 512, backups at 3072 and 3584, FATs at 16384 and
          280576, data 544768; the root is cluster 2

A case is a function that changes a base volume, with the exit status and the
findings that it must lead to: a list of (code, path, clusters), where path
and clusters may be None.
"""

import ctypes
import struct

CASES = []
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4 # of glibc
LIBC = ctypes.CDLL(None)


def keep_memory():
    """An image takes the memory of the one before it, without page faults."""
    if hasattr(LIBC, "mallopt"):
        LIBC.mallopt(M_MMAP_MAX, 0)
        LIBC.mallopt(M_TRIM_THRESHOLD, 1 << 30)


class Image:
    """Bytes at offsets, and a few places that are computed."""

    def __init__(self, size, kind):
        keep_memory()
        self.data = bytearray(size)
        self.kind = kind
        self.fats, self.root, self.start = {
            12: ([512, 1024], 1536, 2048),
            16: ([512, 10752], 20992, 21504),
            32: ([16384, 280576], 544768, 544768),
        }[kind]

    def put(self, offset, data):
        self.data[offset:offset + len(data)] = data

    def cluster(self, c):
        return self.start + (c - 2) * 512

    def fat(self, entries, copies=(0, 1)):
        """Entries {cluster: value} in the FAT copies."""
        for copy in copies:
            for c, value in entries.items():
                self.fat_entry(self.fats[copy], c, value)

    def fat_entry(self, base, c, value):
        if self.kind == 32:
            self.put(base + 4 * c, struct.pack("<I", value))
        elif self.kind == 16:
            self.put(base + 2 * c, struct.pack("<H", value))
        else:
            at = base + c + c // 2
            old = struct.unpack_from("<H", self.data, at)[0]
            if c % 2:
                new = old & 0x000F | value << 4
            else:
                new = old & 0xF000 | value
            self.put(at, struct.pack("<H", new))

    def free(self, count):
        """FSInfo's free count, in both."""
        self.put(512 + 488, struct.pack("<I", count))
        self.put(3584 + 488, struct.pack("<I", count))


def entry(name, attr, cluster, size):
    """A directory entry; name is the 11 bytes of the disk."""
    assert len(name) == 11
    return (name + bytes([attr, 0]) + bytes(5) +
            struct.pack("<HHHHHI", 0x5821, cluster >> 16, 0x6000, 0x5821,
                        cluster & 0xFFFF, size))


def subdirectory(image, cluster, own, parent, entries=b""):
    image.put(image.cluster(cluster),
              entry(b".          ", 0x10, own, 0) +
              entry(b"..         ", 0x10, parent, 0) + entries)


def base12():
    i = Image(100 * 512, 12)
    i.put(0, b"\xEB\x3C\x90TESTBASE")
    i.put(11, bytes.fromhex("0002 01 0100 02 1000 6400 F8 0100"))
    i.put(24, bytes.fromhex("2000 4000 00000000 00000000 80 00 29"))
    i.put(39, b"\x78\x56\x34\x12NO NAME    FAT12   ")
    i.put(510, b"\x55\xAA")
    i.put(512, b"\xF8\xFF\xFF")
    i.put(1024, b"\xF8\xFF\xFF")
    return i


def base16():
    i = Image(5042 * 512, 16)
    i.put(0, b"\xEB\x3C\x90TESTBASE")
    i.put(11, bytes.fromhex("0002 01 0100 02 1000 B213 F8 1400"))
    i.put(24, bytes.fromhex("2000 4000 00000000 00000000 80 00 29"))
    i.put(39, b"\x78\x56\x34\x12NO NAME    FAT16   ")
    i.put(510, b"\x55\xAA")
    i.put(512, b"\xF8\xFF\xFF\xFF")
    i.put(10752, b"\xF8\xFF\xFF\xFF")
    return i


def base32():
    i = Image(67064 * 512, 32)
    for at in (0, 3072):
        i.put(at, b"\xEB\x58\x90TESTBASE")
        i.put(at + 11, bytes.fromhex("0002 01 2000 02 0000 0000 F8 0000"))
        i.put(at + 24, bytes.fromhex("2000 4000 00000000 F8050100"))
        i.put(at + 36, bytes.fromhex("04020000 0000 0000 02000000 0100 0600"))
        i.put(at + 64, bytes.fromhex("80 00 29 78563412"))
        i.put(at + 71, b"NO NAME    FAT32   ")
        i.put(at + 510, b"\x55\xAA")
    for at in (512, 3584):
        i.put(at, b"RRaA")
        i.put(at + 484, b"rrAa")
        i.put(at + 492, b"\x03\x00\x00\x00")
        i.put(at + 508, b"\x00\x00\x55\xAA")
    i.free(65999)
    for at in (16384, 280576):
        i.put(at, bytes.fromhex("F8FFFF0F FFFFFF0F F8FFFF0F"))
    return i


BASES = {12: base12, 16: base16, 32: base32}
EOC = {12: 0xFFF, 16: 0xFFFF, 32: 0x0FFFFFFF}
BAD = {12: 0xFF7, 16: 0xFFF7, 32: 0x0FFFFFF7}


def case(kinds, status, findings, options=()):
    """Registers a case for each kind of volume."""
    def register(change):
        for kind in kinds:
            CASES.append((f"{change.__name__}-{kind}", kind, change, status,
                          findings, list(options)))
        return change
    return register


ALL = (12, 16, 32)


# --- sound volumes: nothing may be found ---

@case(ALL, 0, [])
def empty(i):
    pass


@case(ALL, 0, [])
def file_and_directory(i):
    e = EOC[i.kind]
    i.put(i.root, entry(b"A       TXT", 0x20, 10, 600) +
          entry(b"D          ", 0x10, 12, 0))
    subdirectory(i, 12, 12, 0, entry(b"B       TXT", 0x20, 13, 512))
    i.fat({10: 11, 11: e, 12: e, 13: e})
    if i.kind == 32:
        i.free(65995)


@case(ALL, 0, [])
def reservations_are_fine(i):
    e = EOC[i.kind]
    i.put(i.root, entry(b"LONGER  BIN", 0x20, 10, 100) +
          entry(b"EMPTY   BIN", 0x20, 20, 0))
    i.fat({10: 11, 11: e, 20: 21, 21: e})
    if i.kind == 32:
        i.free(65995)


@case(ALL, 4, [("reservation", "/EMPTY.BIN", None),
               ("reservation", "/LONGER.BIN", None)],
      ["--reservations=error"])
def reservations_are_damage(i):
    reservations_are_fine(i)


@case((32,), 0, [])
def upper_bits_do_not_count(i):
    i.put(i.root, entry(b"A       TXT", 0x20, 10, 600))
    i.fat({10: 0xA000000B, 11: 0x5FFFFFFF, 12: 0xF0000000}, [0])
    i.fat({10: 0x0000000B, 11: 0x0FFFFFFF}, [1])
    i.free(65997)


@case((12,), 0, [])
def slack_does_not_count(i):
    i.put(512 + 148, b"\x11\x22\x33")
    i.put(1024 + 148, b"\x44\x55\x66")


@case((16, 32), 0, [])
def any_end_mark_will_do(i):
    i.put(i.root, entry(b"A       TXT", 0x20, 10, 600))
    i.fat({10: 11, 11: EOC[i.kind] - 7})
    if i.kind == 32:
        i.free(65997)


@case((32,), 0, [])
def mirroring_off(i):
    for at in (0, 3072):
        i.put(at + 40, b"\x81\x00")
    i.put(i.fats[0], bytes(2048))


@case((12, 16), 0, [])
def boot_code_without_signature(i):
    i.put(37, b"\x01\x02")


@case(ALL, 0, [])
def deleted_and_label_entries(i):
    i.put(i.root, entry(b"\xE5ONE    TXT", 0x20, 90, 5000) +
          entry(b"NO NAME    ", 0x08, 0, 0))


# --- boot sector ---

@case(ALL, 0, [("media-byte", None, None)])
def media_byte(i):
    i.put(21, b"\xF4")
    if i.kind == 32:
        i.put(3072 + 21, b"\xF4")


@case(ALL, 4, [("media-byte", None, None)], ["--strict"])
def media_byte_strict(i):
    media_byte(i)


@case((12, 16), 0, [("boot-signature", None, None),
                    ("boot-jump", None, None)])
def no_marks(i):
    i.put(0, b"\x00\x00\x00")
    i.put(510, b"\x00\x00")


@case((12, 16), 0, [("type-label", None, None)])
def type_label(i):
    i.put(54, b"FAT16   " if i.kind == 12 else b"FAT12   ")


@case((32,), 0, [("backup-invalid", None, None)])
def backup_wiped(i):
    i.put(3072, bytes(512))


@case((32,), 0, [("backup-differs", None, None)])
def backup_of_another_volume(i):
    i.put(3072 + 32, b"\x00")


@case((32,), 0, [("backup-code", None, None)])
def backup_with_other_code(i):
    i.put(3072 + 100, b"\x90")


@case((32,), 0, [])
def backup_marked_dirty(i):
    i.put(3072 + 65, b"\x01")


@case((32,), 0, [("backup-none", None, None)])
def backup_none(i):
    i.put(50, b"\x00\x00")


@case(ALL, 4, [("dirty", None, None)])
def dirty_state_byte(i):
    i.put(65 if i.kind == 32 else 37, b"\x01")


@case((16, 32), 4, [("dirty", None, None)])
def dirty_fat1(i):
    i.fat({1: EOC[i.kind] & ~(0x8000 if i.kind == 16 else 0x08000000)})


@case((16, 32), 0, [("error-mark", None, None)])
def error_mark_fat1(i):
    i.fat({1: EOC[i.kind] & ~(0x4000 if i.kind == 16 else 0x04000000)})


@case((32,), 4, [("root-cluster", None, None), ("backup-differs", None, None)])
def root_cluster_invalid(i):
    for at in (0, 3072):
        i.put(at + 44, b"\x00\x00\x01\x01")


@case((32,), 4, [("start-free", "/", None)])
def root_cluster_free(i):
    i.fat({2: 0})
    i.free(66000)


@case((32,), 0, [("fat-short", None, None)])
def fat_short(i):
    i.put(36, b"\x00\x02\x00\x00")
    i.put(280576, bytes(12))
    i.put(278528, bytes.fromhex("F8FFFF0F FFFFFF0F F8FFFF0F"))


@case(ALL, 4, [("label-differs", None, None)], ["--strict"])
def labels_differ(i):
    at = 71 if i.kind == 32 else 43
    i.put(at, b"FIRST      ")
    if i.kind == 32:
        i.put(3072 + at, b"FIRST      ")
    i.put(i.root, entry(b"SECOND     ", 0x08, 0, 0))


@case(ALL, 0, [("label-no-name", None, None)])
def label_in_root_only(i):
    i.put(i.root, entry(b"SECOND     ", 0x08, 0, 0))


@case(ALL, 4, [("truncated", None, None)])
def truncated_behind_the_data(i):
    del i.data[-512:]


@case(ALL, 4, [("truncated", None, None),
               ("beyond-image", "/A.TXT", (50, 50))])
def truncated_file(i):
    i.put(i.root, entry(b"A       TXT", 0x20, 49, 1024))
    i.fat({49: 50, 50: EOC[i.kind]})
    if i.kind == 32:
        i.free(65997)
    del i.data[i.cluster(50) + 511:]


@case(ALL, 4, [("truncated", None, None), ("lost-unknown", None, None),
               ("beyond-image", "/D", (50, 50))])
def truncated_directory(i):
    e = EOC[i.kind]
    i.put(i.root, entry(b"D          ", 0x10, 49, 0))
    subdirectory(i, 49, 49, 0, b"".join(
        entry(b"E%c         " % (65 + n), 0x20, 0, 0) for n in range(14)))
    i.fat({49: 50, 50: e})
    if i.kind == 32:
        i.free(65997)
    del i.data[i.cluster(50):]


@case(ALL, 4, [("truncated", None, None), ("not-checked", None, None)])
def truncated_fat(i):
    del i.data[1000:]


# --- FAT[0], FAT[1], copies ---

@case(ALL, 0, [("fat0", None, None), ("fat0", None, None)])
def fat0_zero(i):
    i.fat({0: 0})


@case(ALL, 0, [("fat1", None, None), ("fat1", None, None)])
def fat1_zero(i):
    i.fat({1: 0})


@case(ALL, 4, [("mirror-differs", None, (20, 30))])
def mirrors_differ(i):
    i.put(i.root, entry(b"A       TXT", 0x20, 20, 600))
    i.fat({20: 30, 30: EOC[i.kind]}, [0])
    if i.kind == 32:
        i.free(65997)


@case((12,), 0, [("end-mark-old", None, None)])
def old_end_mark(i):
    i.put(i.root, entry(b"A       TXT", 0x20, 10, 600))
    i.fat({10: 11, 11: 0xFF0})


# --- FSInfo ---

@case((32,), 4, [("fsinfo-free", None, None),
                 ("fsinfo-backup-free", None, None)])
def free_count_wrong(i):
    i.free(65998)


@case((32,), 0, [("fsinfo-backup-free", None, None)])
def backup_free_count_wrong(i):
    i.put(3584 + 488, b"\x00\x00\x00\x00")


@case((32,), 0, [])
def free_count_unknown(i):
    i.free(0xFFFFFFFF)


@case((32,), 0, [("fsinfo-invalid", None, None)])
def fsinfo_invalid(i):
    i.put(512, b"rraa")


@case((32,), 0, [("fsinfo-backup", None, None)])
def fsinfo_backup_invalid(i):
    i.put(3584, b"rraa")


@case((32,), 0, [("fsinfo-next", None, None)])
def next_free_out_of_range(i):
    i.put(512 + 492, b"\x00\x00\x00\x10")


@case((32,), 0, [("fsinfo-none", None, None), ("backup-differs", None, None)])
def fsinfo_none(i):
    i.put(48, b"\xFF\xFF")


# --- chains ---

def file_at(i, cluster, size, used, name=b"A       TXT"):
    i.put(i.root, entry(name, 0x20, cluster, size))
    if i.kind == 32:
        i.free(65999 - used)


@case(ALL, 4, [("start-none", "/A.TXT", None)])
def start_none(i):
    file_at(i, 0, 1000, 0)


@case(ALL, 4, [("start-range", "/A.TXT", None)])
def start_one(i):
    file_at(i, 1, 1000, 0)


@case(ALL, 4, [("start-range", "/A.TXT", None)])
def start_behind_the_last(i):
    file_at(i, {12: 98, 16: 5002, 32: 66002}[i.kind], 1000, 0)


@case(ALL, 0, [])
def the_last_cluster_is_one(i):
    c = {12: 97, 16: 5001, 32: 66001}[i.kind]
    file_at(i, c, 512, 1)
    i.fat({c: EOC[i.kind]})


@case(ALL, 4, [("start-free", "/A.TXT", None)])
def start_free(i):
    file_at(i, 10, 1000, 0)


@case(ALL, 4, [("start-bad", "/A.TXT", None)])
def start_bad(i):
    file_at(i, 10, 1000, 1)
    i.fat({10: BAD[i.kind]})


@case(ALL, 4, [("link-range", "/A.TXT", (10, 10))])
def link_one(i):
    file_at(i, 10, 1000, 1)
    i.fat({10: 1})


@case(ALL, 4, [("link-range", "/A.TXT", (10, 10))])
def link_behind_the_last(i):
    file_at(i, 10, 1000, 1)
    i.fat({10: {12: 98, 16: 5002, 32: 66002}[i.kind]})


@case(ALL, 4, [("link-reserved", "/A.TXT", (10, 10))])
def link_reserved(i):
    file_at(i, 10, 512, 1)
    i.fat({10: BAD[i.kind] - 1})


@case(ALL, 4, [("link-free", "/A.TXT", (10, 10))])
def link_free(i):
    file_at(i, 10, 1000, 1)
    i.fat({10: 11})


@case(ALL, 4, [("link-bad", "/A.TXT", (10, 10))])
def link_bad(i):
    file_at(i, 10, 1000, 2)
    i.fat({10: 11, 11: BAD[i.kind]})


@case(ALL, 4, [("chain-loop", "/A.TXT", (12, 12))])
def loop_to_the_start(i):
    file_at(i, 10, 1536, 3)
    i.fat({10: 11, 11: 12, 12: 10})


@case(ALL, 4, [("chain-loop", "/A.TXT", (12, 12))])
def loop_into_the_middle(i):
    file_at(i, 10, 1536, 3)
    i.fat({10: 11, 11: 12, 12: 11})


@case(ALL, 4, [("chain-loop", "/A.TXT", (10, 10))])
def loop_to_itself(i):
    file_at(i, 10, 512, 1)
    i.fat({10: 10})


@case(ALL, 4, [("chain-short", "/A.TXT", None)])
def chain_short(i):
    file_at(i, 10, 1025, 2)
    i.fat({10: 11, 11: EOC[i.kind]})


@case(ALL, 4, [("chain-short", "/A.TXT", None)])
def chain_short_of_4_gib(i):
    file_at(i, 10, 0xFFFFFFFF, 2)
    i.fat({10: 11, 11: EOC[i.kind]})


@case(ALL, 4, [("cross-link", "/B.TXT", (11, 11))])
def cross_link(i):
    file_at(i, 10, 1536, 4)
    i.put(i.root + 32, entry(b"B       TXT", 0x20, 20, 1536))
    i.fat({10: 11, 11: 12, 12: EOC[i.kind], 20: 11})


@case(ALL, 4, [("cross-link", "/B.TXT", (10, 10)),
               ("cross-link", "/C.TXT", (10, 10))])
def cross_link_at_the_start(i):
    file_at(i, 10, 512, 1)
    i.put(i.root + 32, entry(b"B       TXT", 0x20, 10, 512) +
          entry(b"C       TXT", 0x20, 10, 512))
    i.fat({10: EOC[i.kind]})


@case((32,), 4, [("cross-link", "/A.TXT", (2, 2))])
def cross_link_with_the_root(i):
    file_at(i, 10, 1024, 1)
    i.fat({10: 2})


@case(ALL, 4, [("lost-chain", None, (40, 42))])
def lost_chain(i):
    i.fat({40: 41, 41: 42, 42: EOC[i.kind]})
    if i.kind == 32:
        i.free(65996)


@case(ALL, 4, [("lost-ring", None, (40, 42))])
def lost_ring(i):
    i.fat({40: 41, 41: 42, 42: 40})
    if i.kind == 32:
        i.free(65996)


@case(ALL, 4, [("lost-chain", None, (40, 42))])
def lost_chain_into_a_ring(i):
    i.fat({40: 41, 41: 42, 42: 41})
    if i.kind == 32:
        i.free(65996)


@case(ALL, 4, [("lost-chain", None, (40, 41))])
def lost_chain_into_a_file(i):
    file_at(i, 10, 512, 3)
    i.fat({10: EOC[i.kind], 40: 41, 41: 10})


@case(ALL, 4, [("lost-chain", None, (40, 42)),
               ("lost-chain", None, (50, 50))])
def lost_chains_that_merge(i):
    i.fat({40: 41, 41: 42, 42: EOC[i.kind], 50: 42})
    if i.kind == 32:
        i.free(65995)


@case(ALL, 0, [])
def bad_clusters_are_not_lost(i):
    i.fat({40: BAD[i.kind], 41: BAD[i.kind]})
    if i.kind == 32:
        i.free(65997)


# --- directories ---

@case(ALL, 4, [("dir-none", "/D", None)])
def directory_without_a_cluster(i):
    i.put(i.root, entry(b"D          ", 0x10, 0, 0))


@case(ALL, 4, [("start-free", "/D", None)])
def directory_at_a_free_cluster(i):
    i.put(i.root, entry(b"D          ", 0x10, 10, 0))


@case(ALL, 4, [("dir-loop", "/D/E", None)])
def directory_leads_to_an_ancestor(i):
    i.put(i.root, entry(b"D          ", 0x10, 10, 0))
    subdirectory(i, 10, 10, 0, entry(b"E          ", 0x10, 10, 0))
    i.fat({10: EOC[i.kind]})
    if i.kind == 32:
        i.free(65998)


@case((32,), 4, [("dir-loop", "/D", None)])
def directory_leads_to_the_root(i):
    i.put(i.root, entry(b"D          ", 0x10, 2, 0))


@case(ALL, 4, [("cross-link", "/E", (10, 10))])
def directory_twice(i):
    i.put(i.root, entry(b"D          ", 0x10, 10, 0) +
          entry(b"E          ", 0x10, 10, 0))
    subdirectory(i, 10, 10, 0)
    i.fat({10: EOC[i.kind]})
    if i.kind == 32:
        i.free(65998)


@case(ALL, 0, [("dir-size", "/D", None)])
def directory_with_a_size(i):
    i.put(i.root, entry(b"D          ", 0x10, 10, 512))
    subdirectory(i, 10, 10, 0)
    i.fat({10: EOC[i.kind]})
    if i.kind == 32:
        i.free(65998)


@case(ALL, 4, [("dot-entries", "/D", None)])
def directory_without_dots(i):
    i.put(i.root, entry(b"D          ", 0x10, 10, 0))
    i.fat({10: EOC[i.kind]})
    if i.kind == 32:
        i.free(65998)


@case(ALL, 4, [("dot-cluster", "/D", None), ("dotdot-cluster", "/D", None)])
def dots_point_elsewhere(i):
    i.put(i.root, entry(b"D          ", 0x10, 10, 0))
    subdirectory(i, 10, 11, 12)
    i.fat({10: EOC[i.kind]})
    if i.kind == 32:
        i.free(65998)


@case(ALL, 4, [("chain-short", "/D/E/Deep \u00e9 name.txt", None)])
def long_name_in_a_path(i):
    e = EOC[i.kind]
    i.put(i.root, entry(b"D          ", 0x10, 10, 0))
    # checksum of "DEEPE~1 TXT"
    name = b"DEEPE~1 TXT"
    total = 0
    for b in name:
        total = ((total << 7 | total >> 1) + b) & 0xFF
    units = "Deep \u00e9 name.txt".encode("utf-16-le") + b"\0\0"
    units += b"\xFF" * (52 - len(units))
    slots = b""
    for n in (1, 0):
        part = units[26 * n:26 * n + 26]
        slots += (bytes([n + 1 | (0x40 if n else 0)]) + part[:10] +
                  bytes([0x0F, 0, total]) + part[10:22] + b"\0\0" +
                  part[22:])
    subdirectory(i, 10, 10, 0, entry(b"E          ", 0x10, 11, 0))
    subdirectory(i, 11, 11, 10, slots + entry(name, 0x20, 12, 513))
    i.fat({10: e, 11: e, 12: e})
    if i.kind == 32:
        i.free(65996)


@case(ALL, 4, [("start-none", "/D/Z.TXT", None)])
def directory_of_many_clusters(i):
    e = EOC[i.kind]
    i.put(i.root, entry(b"D          ", 0x10, 10, 0))
    subdirectory(i, 10, 10, 0, 14 * entry(b"\xE5          ", 0x20, 0, 0))
    i.put(i.cluster(15), 16 * entry(b"\xE5          ", 0x20, 0, 0))
    i.put(i.cluster(12), entry(b"Z       TXT", 0x20, 0, 1))
    i.fat({10: 15, 15: 12, 12: e})
    if i.kind == 32:
        i.free(65996)


def build(kind, change):
    image = BASES[kind]()
    change(image)
    return bytes(image.data)
