#!/usr/bin/env -S python3 -B
"""Speed against peers, measured in the same run, as ratios ("make bench").

Each job is done by fatprealloc or fatfsck and by a peer, on equal images,
in turn, several times; the ratio is of the best times. Nothing is asserted.

The peers:
  mcopy        the way without a preallocator: copy files of that length in
  one by one   links a cluster at a time, as a file system driver does that
               writes through: 4 sector writes a cluster (two FAT copies, the
               new end and the link to it), each of them durable
  fsck.fat -n  the other checker, on the same volume
"""
import os
import shutil
import struct
import subprocess
import tempfile
import time

ROUNDS = 3
MIB = 1 << 20
PREALLOC = os.path.abspath("fatprealloc")
FATFSCK = os.path.abspath("fatfsck")


def run(*command, ok=(0,)):
    done = subprocess.run(command, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "MTOOLS_SKIP_CHECK": "1"})
    if done.returncode not in ok:
        raise SystemExit(f"bench: {' '.join(command)}: exit status "
                         f"{done.returncode}\n{done.stderr}")


def make_image(path, size, *options):
    with open(path, "wb") as f:
        f.truncate(size)
    run("mkfs.fat", "-F", "32", *options, path)


def best(prepare, work):
    """The shortest of ROUNDS times of work(), in seconds."""
    times = []
    for _ in range(ROUNDS):
        prepare()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def one_by_one(path, clusters):
    """Links the first free clusters into one chain (512-byte sectors)."""
    fd = os.open(path, os.O_RDWR | os.O_DSYNC)
    boot = os.pread(fd, 512, 0)
    reserved, = struct.unpack_from("<H", boot, 14)
    copies = boot[16]
    fat_sectors, = struct.unpack_from("<I", boot, 36)
    fat = [(reserved + fat_sectors * i) * 512 for i in range(copies)]

    def set_entry(cluster, value):
        sector = cluster * 4 // 512 * 512
        data = bytearray(os.pread(fd, 512, fat[0] + sector))
        struct.pack_into("<I", data, cluster * 4 - sector, value)
        for start in fat:
            os.pwrite(fd, data, start + sector)

    for cluster in range(3, 3 + clusters):
        set_entry(cluster, 0x0FFFFFFF)
        if cluster > 3:
            set_entry(cluster - 1, cluster)
    os.close(fd)


def report(what, ours, peer, theirs):
    print(f"{what}\n"
          f"    {ours * 1000:10.1f} ms  here\n"
          f"    {theirs * 1000:10.1f} ms  {peer}\n"
          f"    ratio {theirs / ours:.1f}")


def bench_small(folder):
    image = os.path.join(folder, "small.img")
    clusters = 4096

    def prepare():
        make_image(image, 64 * MIB, "-s", "1")

    ours = best(prepare, lambda: run(
        PREALLOC, "-q", image, f"{clusters * 512}:/A"))
    theirs = best(prepare, lambda: one_by_one(image, clusters))
    report(f"reserve {clusters} clusters", ours, "one by one", theirs)


def bench_large(folder):
    image = os.path.join(folder, "large.img")
    names = [f"F{i:02}" for i in range(16)]
    for name in names:
        with open(os.path.join(folder, name), "wb") as f:
            f.truncate(16 * MIB)

    def prepare():
        make_image(image, 2048 * MIB, "-s", "1")

    theirs = best(prepare, lambda: run(
        "mcopy", "-i", image, *(os.path.join(folder, n) for n in names),
        "::"))
    ours = best(prepare, lambda: run(
        PREALLOC, "-q", "-l", "16MiB", image, *names))
    report("reserve 16 x 16 MiB in clusters of 512 bytes", ours, "mcopy",
           theirs)
    return image


def bench_fsck(image):
    """image: as fatprealloc left it; fsck.fat exits with 1 about that."""
    ours = best(lambda: None, lambda: run(FATFSCK, "-n", image))
    theirs = best(lambda: None, lambda: run("fsck.fat", "-n", image,
                                            ok=(0, 1)))
    report("verify that volume of 2 GiB", ours, "fsck.fat -n", theirs)


def main():
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    folder = tempfile.mkdtemp(prefix="fatbench.", dir=".")
    try:
        bench_small(folder)
        bench_fsck(bench_large(folder))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
