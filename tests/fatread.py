#!/usr/bin/env python3
"""Reads a FAT volume, for tests: an opinion that shares no code with the tools.

Everything is taken from the on-disk bytes at literal offsets. The reader
trusts nothing that matters to a test and raises Bad where a chain is unsound.

    fatread.py [-o OFFSET] IMAGE EXPR...   prints repr of each EXPR; v = volume
    fatread.py [-o OFFSET] IMAGE --check   prints what is inconsistent; exit 1
"""

import hashlib
import os
import struct
import sys
from collections import namedtuple

Ent = namedtuple("Ent", "name short long attr ntres size first raw where slots")
ATTR_LABEL, ATTR_DIR, ATTR_LFN = 0x08, 0x10, 0x0F


class Bad(Exception):
    pass


class Volume:
    def __init__(self, path, offset=0):
        self.fd = os.open(path, os.O_RDONLY)
        self.base = offset
        self.cached = {}
        b = self.pread(0, 512)
        self.sec, = struct.unpack_from("<H", b, 11)
        self.spc, self.rsvd, self.nfats = struct.unpack_from("<BHB", b, 13)
        self.rootents, tot16 = struct.unpack_from("<HH", b, 17)
        fatsz16, = struct.unpack_from("<H", b, 22)
        tot32, fatsz32, ext, _, root, fsi, bak = \
            struct.unpack_from("<IIHHIHH", b, 32)
        self.fatsz = fatsz16 or fatsz32
        self.total = tot16 or tot32
        self.clus_bytes = self.sec * self.spc
        root_secs = (self.rootents * 32 + self.sec - 1) // self.sec
        first_data = self.rsvd + self.nfats * self.fatsz + root_secs
        self.clusters = (self.total - first_data) // self.spc
        self.data_off = first_data * self.sec
        self.root_off = (first_data - root_secs) * self.sec
        if fatsz16 == 0:
            self.bits = 32
        else:
            self.bits = 12 if self.clusters < 4085 else 16
        self.end_min = {12: 0xFF8, 16: 0xFFF8, 32: 0x0FFFFFF8}[self.bits]
        self.bad = self.end_min - 1
        self.root_clus = root if self.bits == 32 else 0
        self.fsinfo_sec = fsi if self.bits == 32 else 0
        self.backup_sec = bak if self.bits == 32 else 0
        self.mirrored = not (self.bits == 32 and ext & 0x80)
        self.copies = (list(range(self.nfats)) if self.mirrored
                       else [ext & 0x0F])

    def pread(self, offset, length):
        b = os.pread(self.fd, length, self.base + offset)
        if len(b) != length:
            raise Bad("image ends at %d" % (offset + len(b)))
        return b

    # the allocation table

    def fat_off(self, copy=0):
        return (self.rsvd + copy * self.fatsz) * self.sec

    def fat_bytes(self, copy=0):
        """All bytes that hold entries 0 to clusters + 1."""
        return self.pread(self.fat_off(copy),
                          ((self.clusters + 2) * self.bits + 7) // 8)

    def fat_sha(self, copy=0):
        return hashlib.sha256(self.fat_bytes(copy)).hexdigest()

    def bytes_at(self, offset, length):
        """A few bytes through a cache of 64 KiB blocks."""
        out = b""
        while length:
            block, skip = divmod(self.base + offset, 65536)
            if block not in self.cached:
                if len(self.cached) > 64:
                    self.cached.clear()
                self.cached[block] = os.pread(self.fd, 65536, block * 65536)
            part = self.cached[block][skip:skip + length]
            if not part:
                raise Bad("image ends in the FAT")
            out += part
            offset += len(part)
            length -= len(part)
        return out

    def raw(self, clus, copy=None):
        """Entry as it is, with FAT32's upper four bits."""
        at = self.fat_off(self.copies[0] if copy is None else copy)
        if self.bits == 32:
            return int.from_bytes(self.bytes_at(at + clus * 4, 4), "little")
        if self.bits == 16:
            return int.from_bytes(self.bytes_at(at + clus * 2, 2), "little")
        two = int.from_bytes(self.bytes_at(at + clus * 3 // 2, 2), "little")
        return two >> 4 if clus & 1 else two & 0xFFF

    def entry(self, clus, copy=None):
        return self.raw(clus, copy) & 0x0FFFFFFF

    def entries(self, copy=None):
        """All entries of a copy as one list; for volumes of test size."""
        b = self.fat_bytes(self.copies[0] if copy is None else copy)
        n = self.clusters + 2
        if self.bits == 32:
            return [e & 0x0FFFFFFF for e in struct.unpack("<%dI" % n, b)]
        if self.bits == 16:
            return list(struct.unpack("<%dH" % n, b))
        b += b"\0"
        return [(int.from_bytes(b[i * 3 // 2:i * 3 // 2 + 2], "little")
                 >> (4 if i & 1 else 0)) & 0xFFF for i in range(n)]

    def free_count(self, copy=None):
        return self.entries(copy)[2:].count(0)

    def is_clus(self, n):
        return 2 <= n <= self.clusters + 1

    def chain(self, first, copy=None):
        """Clusters of a chain; Bad for a loop, a hole or a wild link."""
        out, at, seen = [], first, set()
        while at < self.end_min:
            if not self.is_clus(at) or at in seen:
                raise Bad("chain of %d goes to %#x after %d clusters"
                          % (first, at, len(out)))
            seen.add(at)
            out.append(at)
            at = self.entry(at, copy)
        return out

    # names and directories

    def dir_bytes(self, first):
        if first == 0 and self.bits != 32:
            n = self.rootents * 32
            return self.pread(self.root_off, n), [(self.root_off, n)]
        chain = self.chain(first or self.root_clus)
        at = [(self.clus_off(c), self.clus_bytes) for c in chain]
        return b"".join(self.pread(o, n) for o, n in at), at

    def entries_of(self, first):
        """Entries that name something; the volume label included."""
        data, at = self.dir_bytes(first)
        size = at[0][1] if at else 0
        out, lfn, slots = [], [], 1
        for i in range(0, len(data), 32):
            r = data[i:i + 32]
            if r[0] == 0:
                break
            if r[0] == 0xE5:
                lfn = []
                continue
            if r[11] & 0x3F == ATTR_LFN:
                lfn.append(r)
                continue
            where = at[i // size][0] + i % size
            out.append(self.make_ent(r, lfn, where))
            lfn = []
        return out

    def make_ent(self, r, lfn, where):
        base = r[:8]
        if base[0] == 0x05:
            base = b"\xe5" + base[1:]
        base = base.decode("cp437").rstrip(" ")
        ext = r[8:11].decode("cp437").rstrip(" ")
        short = base + ("." + ext if ext else "")
        low = (base.lower() if r[12] & 0x08 else base) + \
            ("." + (ext.lower() if r[12] & 0x10 else ext) if ext else "")
        long = self.long_name(r, lfn) if lfn else None
        first = struct.unpack_from("<H", r, 26)[0]
        if self.bits == 32:
            first |= struct.unpack_from("<H", r, 20)[0] << 16
        return Ent(long or low, short, long, r[11], r[12],
                   struct.unpack_from("<I", r, 28)[0], first, r, where,
                   1 + len(lfn))

    @staticmethod
    def long_name(r, lfn):
        """Joined name; Bad when order, checksum or padding are wrong."""
        sum_ = 0
        for c in r[:11]:
            sum_ = (((sum_ & 1) << 7) | (sum_ >> 1)) + c & 0xFF
        text = b""
        for i, s in enumerate(lfn):
            want = len(lfn) - i | (0x40 if i == 0 else 0)
            if s[0] != want or s[13] != sum_ or s[12] or s[26] or s[27]:
                raise Bad("long name entry %d of %r is wrong" % (i, r[:11]))
            text = s[1:11] + s[14:26] + s[28:32] + text
        units = struct.unpack("<%dH" % (len(text) // 2), text)
        if 0 in units:
            n = units.index(0)
            if any(u != 0xFFFF for u in units[n + 1:]):
                raise Bad("long name of %r is badly padded" % (r[:11],))
            units = units[:n]
        if not 0 <= len(lfn) * 13 - len(units) < 13:
            raise Bad("long name of %r has idle entries" % (r[:11],))
        return struct.pack("<%dH" % len(units), *units).decode("utf-16-le")

    def ls(self, path="/"):
        """Names in a directory, without label and dot entries."""
        return [e.name for e in self.list(path)]

    def list(self, path="/"):
        e = self.find(path)
        return [x for x in self.entries_of(e.first)
                if not x.attr & ATTR_LABEL and x.short not in (".", "..")]

    def find(self, path):
        e = Ent("/", "/", None, ATTR_DIR, 0, 0, self.root_clus, b"", 0, 0)
        for part in path.split("/"):
            if not part:
                continue
            if not e.attr & ATTR_DIR:
                raise Bad("%s: not a directory" % e.name)
            for x in self.entries_of(e.first):
                if not x.attr & ATTR_LABEL and \
                   part.upper() in (x.short.upper(), x.name.upper()):
                    e = x
                    break
            else:
                raise Bad("%s: no such file" % path)
        return e

    def has(self, path):
        try:
            self.find(path)
            return True
        except Bad:
            return False

    def dots(self, path):
        """(. , ..) as start clusters; both must be the first two slots."""
        data, _ = self.dir_bytes(self.find(path).first)
        out = []
        for i, name in ((0, b".          "), (32, b"..         ")):
            r = data[i:i + 32]
            if r[:11] != name or not r[11] & ATTR_DIR or any(r[28:32]):
                raise Bad("%s: bad dot entry %r" % (path, r))
            first, = struct.unpack_from("<H", r, 26)
            if self.bits == 32:
                first |= struct.unpack_from("<H", r, 20)[0] << 16
            out.append(first)
        return tuple(out)

    # files

    def clus_off(self, clus):
        return self.data_off + (clus - 2) * self.clus_bytes

    def size(self, path):
        return self.find(path).size

    def path_chain(self, path, copy=None):
        e = self.find(path)
        return self.chain(e.first, copy) if e.first else []

    def nclus(self, path):
        return len(self.path_chain(path))

    def allocated(self, path):
        return self.nclus(path) * self.clus_bytes

    def runs(self, path, copy=None):
        """[(first cluster, clusters), ...] from one FAT copy."""
        out = []
        for c in self.path_chain(path, copy):
            if out and out[-1][0] + out[-1][1] == c:
                out[-1] = (out[-1][0], out[-1][1] + 1)
            else:
                out.append((c, 1))
        return out

    def same_in_all(self, path):
        """The chain is the same in every copy in use."""
        return all(self.runs(path, k) == self.runs(path)
                   for k in self.copies)

    def pieces(self, path, start, end):
        """Bytes start to end of the allocation, beyond the size too."""
        at = 0
        for first, n in self.runs(path):
            n *= self.clus_bytes
            lo, hi = max(start, at), min(end, at + n)
            while lo < hi:
                step = min(hi - lo, 1 << 20)
                yield self.pread(self.clus_off(first) + lo - at, step)
                lo += step
            at += n
        if end > at:
            raise Bad("%s: only %d bytes are allocated" % (path, at))

    def data(self, path, start=0, end=None):
        return b"".join(self.pieces(path, start,
                                    self.size(path) if end is None else end))

    def sha(self, path, start=0, end=None):
        h = hashlib.sha256()
        for p in self.pieces(path, start,
                             self.size(path) if end is None else end):
            h.update(p)
        return h.hexdigest()

    def is_zero(self, path, start=0, end=None):
        return all(not any(p) for p in
                   self.pieces(path, start,
                               self.size(path) if end is None else end))

    def stamp(self, path):
        """(created, accessed, modified) as date and time words."""
        r = self.find(path).raw
        ctime, cdate, adate = struct.unpack_from("<HHH", r, 14)
        mtime, mdate = struct.unpack_from("<HH", r, 22)
        return (cdate, ctime), (adate,), (mdate, mtime)

    # the rest

    def fsinfo(self, backup=False):
        """(free count, next free) or None where there is no FSInfo."""
        sec = self.fsinfo_sec + (self.backup_sec if backup else 0)
        if not self.fsinfo_sec or (backup and not self.backup_sec):
            return None
        b = self.pread(sec * self.sec, 512)
        if (b[:4], b[484:488]) != (b"RRaA", b"rrAa"):
            return None
        return struct.unpack_from("<II", b, 488)

    def dirty(self):
        """The state byte's dirty bit, or FAT[1]'s clean bit being 0."""
        state = self.pread(0x41 if self.bits == 32 else 0x25, 1)[0] & 1
        clean = {12: 0, 16: 0x8000, 32: 0x08000000}[self.bits]
        return bool(state or (self.entry(1) & clean) != clean)

    def walk(self, path=""):
        """Every file and directory below path, with its path."""
        for e in self.list(path or "/"):
            p = path + "/" + e.name
            yield p, e
            if e.attr & ATTR_DIR:
                if self.dots(p)[0] != e.first:
                    raise Bad("%s: '.' is wrong" % p)
                parent = self.find(path or "/").first
                if self.dots(p)[1] != (parent if path else 0):
                    raise Bad("%s: '..' is wrong" % p)
                yield from self.walk(p)

    def check(self):
        """What is inconsistent, as sentences; none for a sound volume."""
        out = []
        fats = [self.entries(k) for k in self.copies]
        for k, f in zip(self.copies, fats):
            if f != fats[0]:
                out.append("copy %d differs" % k)
        if self.dirty():
            out.append("marked dirty")
        owner = {}

        def own(path, first):
            chain = self.chain(first)
            for c in chain:
                if c in owner:
                    out.append("%s and %s share cluster %d"
                               % (owner[c], path, c))
                owner[c] = path
            return len(chain)

        try:
            if self.bits == 32:
                own("/", self.root_clus)
            for p, e in self.walk():
                n = own(p, e.first) if e.first else 0
                if e.size > n * self.clus_bytes:
                    out.append("%s: %d bytes, %d clusters" % (p, e.size, n))
            self.check_names("/", out)
        except Bad as why:
            out.append(str(why))
        lost = [c for c in range(2, self.clusters + 2)
                if fats[0][c] not in (0, self.bad) and c not in owner]
        if lost:
            out.append("%d lost clusters, first %d" % (len(lost), lost[0]))
        free, info = fats[0][2:].count(0), self.fsinfo()
        if info and info[0] != free:
            out.append("FSInfo says %d free, there are %d" % (info[0], free))
        return out

    def check_names(self, path, out):
        seen = set()
        for e in self.list(path):
            for n in {e.short.upper(), e.name.upper()}:
                if n in seen:
                    out.append("%s: %s is there twice" % (path, n))
                seen.add(n)
            if e.attr & ATTR_DIR:
                self.check_names(path.rstrip("/") + "/" + e.name, out)


def main(argv):
    offset = 0
    if argv[0] == "-o":
        offset = int(argv[1])
        argv = argv[2:]
    try:
        return answer(Volume(argv[0], offset), argv[1:])
    except (Bad, OSError) as why:
        sys.exit("fatread.py: %s: %s" % (argv[0], why))


def answer(v, asked):
    if asked == ["--check"]:
        found = v.check()
        print("\n".join(found), end="\n" if found else "")
        return 1 if found else 0
    for expr in asked:
        print(repr(eval("(%s\n)" % expr, {"v": v})))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
