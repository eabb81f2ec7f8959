"""A reader of FAT volumes for the tests, from literal rules.

Independent of the project's code. It reads what is sound: a file is intact if
its chain ends properly, has clusters for its size, shares none with anybody and
lies in the image.
"""

import struct

EOC = {12: 0xFF8, 16: 0xFFF8, 32: 0x0FFFFFF8}
TOP = {12: 0xFF7, 16: 0xFFF7, 32: 0x0FFFFFF7}


class Volume:
    def __init__(self, data, copy=0):
        self.data = data
        (self.sector, self.per, self.reserved, self.copies, roots, total16,
         _, fat16) = struct.unpack_from("<HBHBHHBH", data, 11)
        self.ok = bool(self.sector and self.per)
        if not self.ok:
            return
        fat = fat16 or struct.unpack_from("<I", data, 36)[0]
        total = total16 or struct.unpack_from("<I", data, 32)[0]
        self.root_at = (self.reserved + self.copies * fat) * self.sector
        self.root_bytes = roots * 32
        self.start = self.root_at + (-(-roots * 32 // self.sector) *
                                     self.sector)
        self.cluster = self.sector * self.per
        count = (total * self.sector - self.start) // self.cluster
        self.kind = 32 if not fat16 else 12 if count < 4085 else 16
        self.last = count + 1
        self.fat_at = [(self.reserved + n * fat) * self.sector
                       for n in range(self.copies)]
        if self.kind == 32 and struct.unpack_from("<H", data, 40)[0] & 0x80:
            copy = min(data[40] & 15, self.copies - 1)
        self.copy = copy
        self.root = (struct.unpack_from("<I", data, 44)[0]
                     if self.kind == 32 else 0)

    def entry(self, c, copy=None):
        base = self.fat_at[self.copy if copy is None else copy]
        if self.kind == 32:
            return struct.unpack_from("<I", self.data,
                                      base + 4 * c)[0] & 0x0FFFFFFF
        if self.kind == 16:
            return struct.unpack_from("<H", self.data, base + 2 * c)[0]
        v = struct.unpack_from("<H", self.data, base + c + c // 2)[0]
        return v >> 4 if c % 2 else v & 0xFFF

    def chain(self, c):
        """Clusters, and whether it ends properly."""
        found, seen = [], set()
        while 2 <= c <= self.last and c not in seen:
            value = self.entry(c)
            if value == 0 or value == TOP[self.kind]:
                return found, False
            found.append(c)
            seen.add(c)
            if value >= EOC[self.kind] or (self.kind == 12 and value == 0xFF0):
                return found, True
            c = value
        return found, False

    def content(self, clusters):
        starts = [self.start + (c - 2) * self.cluster for c in clusters]
        return b"".join(self.data[at:at + self.cluster] for at in starts)

    def slots(self, c):
        if not c:
            raw = self.data[self.root_at:self.root_at + self.root_bytes]
            if self.kind == 32:
                raw = self.content(self.chain(self.root)[0])
        else:
            raw = self.content(self.chain(c)[0])
        for at in range(0, len(raw) - 31, 32):
            if not raw[at]:
                return
            yield raw[at:at + 32]

    def first(self, slot):
        high = struct.unpack_from("<H", slot, 20)[0] if self.kind == 32 else 0
        return high << 16 | struct.unpack_from("<H", slot, 26)[0]

    def walk(self):
        """(path, first cluster, size, is a directory) of each entry."""
        waiting, seen = [("", 0)], {0, self.root}
        while waiting:
            path, at = waiting.pop()
            for slot in self.slots(at):
                if slot[0] in (0xE5, 0x2E) or slot[11] & 8:
                    continue
                name = path + "/" + slot[:11].decode("latin-1")
                c, is_dir = self.first(slot), bool(slot[11] & 16)
                yield name, c, struct.unpack_from("<I", slot, 28)[0], is_dir
                if is_dir and c not in seen and 2 <= c <= self.last:
                    seen.add(c)
                    waiting.append((name, c))

    def files(self):
        """{path: (size, bytes or None, clusters)}; None = not sound."""
        found = {}
        for path, c, size, is_dir in self.walk():
            if is_dir:
                continue
            clusters, sound = self.chain(c) if c else ([], True)
            need = -(-size // self.cluster)
            data = self.content(clusters[:need])[:size]
            if not sound or len(clusters) < need or len(data) < size:
                data = None
            found[path] = (size, data, clusters)
        return found

    def owners(self):
        count = {}
        for _, c, _, _ in self.walk():
            for x in self.chain(c)[0] if c else []:
                count[x] = count.get(x, 0) + 1
        for x in self.chain(self.root)[0] if self.kind == 32 else []:
            count[x] = count.get(x, 0) + 1
        return count

    def intact(self):
        """{path: bytes} of the files that nothing is wrong with."""
        if not self.ok:
            return {}
        try:
            owners = self.owners()
            return {path: data
                    for path, (_, data, clusters) in self.files().items()
                    if data is not None and
                    all(owners[c] == 1 for c in clusters)}
        except struct.error:
            return {}
