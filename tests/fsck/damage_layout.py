"""A boot sector by which FAT and root are somewhere else.

As damage.py; importing this adds to its CASES. Going by what such a boot
sector says would write copies of the FAT over the files.
"""

from damage import ALL, both_whole, case, pattern, two_files

BACKUP = 3072


def spoilt(at, value, backup=False):
    """A byte or two of the boot sector; after it all must be as it was."""
    wanted = {}

    def change(i):
        two_files(i)
        wanted[i.kind] = bytes(i.data[at:at + len(value)])
        # Nor is this: it is free, and what is in it is nobody's.
        i.put(i.cluster(40), pattern("free", 512))
        i.put(at, value)
        if backup:
            i.put(BACKUP + at, value)

    def judge(volume):
        if volume.data[at:at + len(value)] != wanted[volume.kind]:
            yield f"at {at} stands {volume.data[at:at + len(value)].hex()}"
            return
        yield from both_whole(volume)
        if volume.content([40]) != pattern("free", 512):
            yield "a free cluster was written to"
    return change, judge


@case(ALL)
def layout_of_nine_copies():
    return spoilt(16, b"\x09")


@case(ALL)
def layout_of_one_copy():
    return spoilt(16, b"\x01")


@case((32,))
def layout_of_nine_copies_in_both():
    return spoilt(16, b"\x09", True)


@case((32,))
def layout_of_one_copy_in_both():
    return spoilt(16, b"\x01", True)


@case((12, 16))
def layout_of_longer_copies():
    return spoilt(22, b"\x19\x00")


@case((16,))
def layout_of_shorter_copies():
    return spoilt(22, b"\x05\x00")


@case((32,))
def layout_of_copies_of_512_sectors():
    return spoilt(36, b"\x00\x02")


@case((32,))
def layout_of_larger_sectors():
    return spoilt(11, b"\x00\x04")
