"""Lost chains in an image that is shorter than its volume.

As damage.py; importing this adds to its CASES. What lies beyond the end of
the image holds nothing, so afterwards the volume ends where the image does.
"""

from damage import (A, ALL, B, case, expect_bytes, pattern, put_file,
                    two_files)
from images import EOC, entry, subdirectory

SAVED = "/FSCK0000REC"


def cut_off(i, first):
    del i.data[i.cluster(first):]


def ends_with_the_image(volume):
    total = int.from_bytes(volume.data[19:21], "little") or \
        int.from_bytes(volume.data[32:36], "little")
    if total * 512 != len(volume.data):
        yield f"{total} sectors, {len(volume.data)} bytes"


def last(i):
    """The edge: FAT16 and FAT32 must not become another type by it."""
    return {12: 95, 16: 5000, 32: 65990}[i.kind]


@case(ALL)
def lost_chain_beyond():
    def change(i):
        two_files(i)
        c = last(i) + 2
        i.fat({c: c + 1, c + 1: EOC[i.kind]})
        cut_off(i, last(i) + 1)

    def judge(volume):
        yield from ends_with_the_image(volume)
        yield from expect_bytes(volume, {
            "/A       TXT": pattern("A       TXT", 1300),
            "/B       TXT": pattern("B       TXT", 2048)})
        if SAVED in volume.files():
            yield "what holds nothing was saved"
    return change, judge


@case(ALL)
def lost_chain_over_the_edge():
    """Out of the image and into it again: both pieces are saved."""
    def change(i):
        e = last(i)
        i.fat({40: 41, 41: e + 1, e + 1: e + 2, e + 2: 42, 42: 43,
               43: EOC[i.kind]})
        for n, c in enumerate(range(40, 44)):
            i.put(i.cluster(c), pattern("lost %d" % n, 512))
        cut_off(i, e + 1)

    def judge(volume):
        yield from ends_with_the_image(volume)
        piece = [pattern("lost %d" % n, 512) for n in range(4)]
        yield from expect_bytes(volume, {
            "/FSCK0000REC": piece[0] + piece[1],
            "/FSCK0001REC": piece[2] + piece[3]})
    return change, judge


@case(ALL)
def lost_ring_over_the_edge():
    def change(i):
        e = last(i)
        i.fat({40: e + 1, e + 1: 41, 41: 40})
        i.put(i.cluster(40), pattern("lost 0", 512))
        i.put(i.cluster(41), pattern("lost 1", 512))
        cut_off(i, e + 1)

    def judge(volume):
        yield from ends_with_the_image(volume)
        yield from expect_bytes(volume, {
            SAVED: pattern("lost 1", 512) + pattern("lost 0", 512)})
    return change, judge


@case(ALL)
def lost_directory_over_the_edge():
    """Its second cluster is gone, and so is one file that it leads to."""
    def change(i):
        e = last(i)
        put_file(i, 0, A, [10, 11], 1024)
        subdirectory(i, 40, 40, 0, entry(B, 0x20, 41, 600) +
                     b"".join(entry(b"E%c         " % (65 + n), 0x20, 0, 0)
                              for n in range(13)))
        i.put(i.cluster(41), pattern("B", 600))
        i.fat({40: e + 1, e + 1: EOC[i.kind], 41: 42, 42: EOC[i.kind],
               e + 2: EOC[i.kind]})
        cut_off(i, e + 1)

    def judge(volume):
        yield from ends_with_the_image(volume)
        yield from expect_bytes(volume, {
            "/A       TXT": pattern("A       TXT", 1024),
            "/FSCK0000DIR/B       TXT": pattern("B", 600)})
    return change, judge
