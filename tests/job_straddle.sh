#!/bin/bash
# job_straddle.sh - FAT12 links that lie in two sectors: see straddle.h

. "$(dirname "$0")/lib.sh"
need mkfs.fat mcopy mdel

# Files of so many clusters; on a new floppy the first one ends with the
# cluster before the last of a sector's entries: 341 is odd, 682 even.
for n in 1 10 340 681; do
	pattern "c$n" $((n * 512)) "$n"
done

# link IMAGE CLUSTER VALUE...: what the FAT says of this cluster and the next
# ones, in both copies.
link()
{
	"$PYTHON" - "$@" <<-'END'
	import sys
	c = int(sys.argv[2])
	with open(sys.argv[1], "r+b") as f:
	    for v in (int(x, 0) for x in sys.argv[3:]):
	        for fat in (512, 10 * 512):
	            f.seek(fat + c * 3 // 2)
	            b = int.from_bytes(f.read(2), "little")
	            b = b & 0xF | v << 4 if c & 1 else b & 0xF000 | v
	            f.seek(fat + c * 3 // 2)
	            f.write(b.to_bytes(2, "little"))
	        c += 1
	END
}

# little: two copies, and besides the tail's sectors each but once
little()
{
	json 's["syncs"] <= 7' True \
		's["fat_sectors_written"] <= 2 * (s["fat_sectors_changed"] + 2)' \
		True
}

t "odd: directly behind, if the run is long enough"
mkkind v.img floppy
mt mcopy v.img c340 ::A
prealloc 0 --json --stats v.img $((350 * 512)):A
little
fat v.img 'v.runs("A")' '[(2, 350)]' 'v.sha("A")' "'$(sha c340)'"
sound v.img
fatfsck 0 -n v.img

t "odd: where the last digit is 8 or more, if it is not"
mkkind v.img floppy
mt mcopy v.img c340 ::A
prealloc 0 --json --stats v.img $((343 * 512)):A
little
fat v.img 'v.runs("A")' '[(2, 340), (0x158, 3)]' 'v.sha("A")' "'$(sha c340)'"
sound v.img

t "even: up to a cluster that ends with FF"
mkkind v.img floppy
mt mcopy v.img c681 ::A
prealloc 0 --json --stats -x v.img $((711 * 512)):A
little
fat v.img 'v.runs("A")' '[(2, 681), (0x2E2, 30)]'
sound v.img
fatfsck 0 -n v.img

t "no such place: refused"
mkkind v.img floppy
for n in 681 1 10; do
	mt mcopy v.img c$n ::A$n
done
prealloc 0 v.img max:REST
mt mdel v.img ::A10
fat v.img 'v.free_count()' 10
refuses 1 'A681.*two sectors' v.img v.img $((683 * 512)):A681
refuses 1 'A681.*two sectors' v.img --max-extents 9 v.img max:A681
refuses 1 'no room' v.img v.img $((700 * 512)):A681
prealloc 0 v.img $((9 * 512)):NEW.BIN $((2 * 512)):A1
sound v.img

t "release: by an end mark that has a way"
mkkind v.img floppy
mt mcopy v.img c340 ::A
link v.img 341 342 343 344 0xFFF
prealloc 0 --json --stats --release v.img A
little
fat v.img 'v.runs("A")' '[(2, 340)]' 'v.entry(341)' 0xFF8 \
	'v.sha("A")' "'$(sha c340)'"
sound v.img
fatfsck 0 -n v.img

t "release: no way"
mkkind v.img floppy
mt mcopy v.img c340 ::A
link v.img 341 342 343 0xFFF
refuses 1 'A:.*341.*two sectors' v.img --release v.img A
prealloc 0 v.img $((1 * 512)):B
sound v.img

finish
