#!/bin/bash
# job_modes.sh - keep-size, extend, no-zero, max, release, idempotence

. "$(dirname "$0")/lib.sh"
need mkfs.fat mcopy mdel

# soiled KIND: v.img with OLD.BIN (5000 bytes) and EMPTY.BIN, every free
# byte of the data area and OLD.BIN's slack being 0xEE.
pattern old.bin 5000 1
: >empty.bin
soiled()
{
	mkkind v.img "$1" old.bin empty.bin
	"$PYTHON" - "$tests" <<-'END'
	import sys
	sys.path.insert(0, sys.argv[1])
	from fatread import Volume
	v = Volume("v.img")
	f = open("v.img", "r+b")
	free = [c for c, e in enumerate(v.entries()) if c > 1 and e == 0]
	for c in free[:4000]:
	    f.seek(v.clus_off(c))
	    f.write(b"\xee" * v.clus_bytes)
	used = v.nclus("OLD.BIN") * v.clus_bytes - 5000
	f.seek(v.clus_off(v.path_chain("OLD.BIN")[-1]) + v.clus_bytes - used)
	f.write(b"\xee" * used)
	END
}

for kind in floppy fat16 fat32; do
	t "$kind: keep-size"
	soiled $kind
	raw=$(fat_get v.img 'v.find("OLD.BIN").raw')
	prealloc 0 --json v.img 64K:OLD.BIN 32K:EMPTY.BIN 16K:NEW.BIN
	json 's["data_bytes_zeroed"]' 0 'f["/OLD.BIN"]["size"]' 5000 \
		'f["/OLD.BIN"]["allocated"]' 65536 \
		'f["/OLD.BIN"]["reserved"]' \
		"65536 - -(-5000 // $(fat_get v.img v.clus_bytes)) *
		$(fat_get v.img v.clus_bytes)" \
		'f["/EMPTY.BIN"]["reserved"]' 32768 \
		'f["/EMPTY.BIN"]["created"]' False \
		'f["/NEW.BIN"]["created"]' True
	fat v.img 'v.size("OLD.BIN")' 5000 'v.allocated("OLD.BIN")' 65536 \
		'v.sha("OLD.BIN")' "'$(sha old.bin)'" \
		'v.find("OLD.BIN").raw' "$raw" \
		'v.size("EMPTY.BIN")' 0 'v.allocated("EMPTY.BIN")' 32768 \
		'v.data("NEW.BIN", 0, 16384)' 'b"\xee" * 16384' \
		'v.data("OLD.BIN", 5000, 65536)' 'b"\xee" * (65536 - 5000)'
	sound v.img

	t "$kind: the same request, and a smaller one, change nothing"
	before=$(image_sha v.img)
	prealloc 0 --json v.img 64K:OLD.BIN 4K:EMPTY.BIN 16K:NEW.BIN
	json 's["syncs"]' 0 's["clusters_allocated"]' 0 \
		'any(x["changed"] for x in d["files"])' False \
		'f["/EMPTY.BIN"]["allocated"]' 32768
	same "image" "$before" "$(image_sha v.img)"

	t "$kind: a larger one grows it"
	prealloc 0 --json v.img 80K:OLD.BIN
	json 'f["/OLD.BIN"]["changed"]' True
	fat v.img 'v.allocated("OLD.BIN")' 81920 'v.size("OLD.BIN")' 5000
	sound v.img

	t "$kind: extend into a reservation"
	prealloc 0 --json -x v.img 80K:OLD.BIN
	json 's["clusters_allocated"]' 0 'f["/OLD.BIN"]["size"]' 81920 \
		'f["/OLD.BIN"]["reserved"]' 0 's["fat_sectors_written"]' 0 \
		's["data_bytes_zeroed"]' 81920-5000
	fat v.img 'v.size("OLD.BIN")' 81920 \
		'v.sha("OLD.BIN", 0, 5000)' "'$(sha old.bin)'" \
		'v.is_zero("OLD.BIN", 5000)' True
	sound v.img
	before=$(image_sha v.img)
	prealloc 0 --json -x v.img 3K:OLD.BIN
	json 's["syncs"]' 0
	prealloc 0 --json -x v.img 80K:OLD.BIN
	json 's["syncs"]' 0
	same "image" "$before" "$(image_sha v.img)"

	t "$kind: release"
	prealloc 0 --json --release v.img NEW.BIN EMPTY.BIN OLD.BIN
	json 'f["/NEW.BIN"]["changed"]' True 'f["/OLD.BIN"]["changed"]' False \
		'f["/EMPTY.BIN"]["allocated"]' 0 's["syncs"] <= 7' True
	fat v.img 'v.find("NEW.BIN").first' 0 'v.find("EMPTY.BIN").first' 0 \
		'v.allocated("OLD.BIN")' 81920 'v.has("NEW.BIN")' True
	sound v.img
	before=$(image_sha v.img)
	prealloc 0 --json --release v.img NEW.BIN EMPTY.BIN OLD.BIN
	json 's["syncs"]' 0 'any(x["changed"] for x in d["files"])' False
	same "image" "$before" "$(image_sha v.img)"

	t "$kind: extend zeroes new space and the old tail"
	soiled $kind
	prealloc 0 --json -x v.img 50001:OLD.BIN 30K:EMPTY.BIN 20K:NEW.BIN
	fat v.img 'v.size("OLD.BIN")' 50001 'v.size("EMPTY.BIN")' 30720 \
		'v.size("NEW.BIN")' 20480 \
		'v.sha("OLD.BIN", 0, 5000)' "'$(sha old.bin)'" \
		'v.is_zero("OLD.BIN", 5000)' True \
		'v.is_zero("EMPTY.BIN")' True 'v.is_zero("NEW.BIN")' True \
		'v.nclus("OLD.BIN") == -(-50001 // v.clus_bytes)' True
	sound v.img

	t "$kind: --no-zero leaves what was there"
	soiled $kind
	prealloc 0 --json -x --no-zero v.img 50001:OLD.BIN 20K:NEW.BIN
	json 's["data_bytes_zeroed"]' 0
	fat v.img 'v.size("OLD.BIN")' 50001 \
		'v.sha("OLD.BIN", 0, 5000)' "'$(sha old.bin)'" \
		'set(v.data("OLD.BIN", 5000))' '{0xee}' \
		'set(v.data("NEW.BIN"))' '{0xee}'
	sound v.img
done

t "release cuts only what is beyond the size"
mkkind v.img fat32 old.bin
fats=$(fat_get v.img 'v.fat_sha(0), v.fat_sha(1)')
raw=$(fat_get v.img 'v.find("OLD.BIN").raw')
prealloc 0 v.img 300K:OLD.BIN
fat v.img 'v.nclus("OLD.BIN")' 600
prealloc 0 --json --release v.img OLD.BIN
json 'f["/OLD.BIN"]["allocated"]' 5120 'f["/OLD.BIN"]["reserved"]' 0
fat v.img 'v.fat_sha(0), v.fat_sha(1)' "$fats" \
	'v.find("OLD.BIN").raw' "$raw" 'v.sha("OLD.BIN")' "'$(sha old.bin)'"
sound v.img
refuses 1 '.' v.img --release v.img MISSING.BIN

t "max takes the largest free run"
mkkind v.img floppy
head -c 200K /dev/zero >200k
head -c 10K /dev/zero >10k
mt mcopy v.img 200k ::A
mt mcopy v.img 10k ::B
mt mcopy v.img 200k ::C
mt mcopy v.img 10k ::D
mt mcopy v.img 200k ::E
mt mcopy v.img 200k ::F
mt mdel v.img ::A ::C ::E
largest=$(fat_get v.img 'max(len(s) for s in "".join("." if e == 0 else " "
	for e in v.entries()[2:]).split())')
prealloc 0 --json v.img max:REST.BIN
json 'f["/REST.BIN"]["contiguous"]' True \
	'f["/REST.BIN"]["allocated"]' "$largest * 512"
fat v.img 'v.nclus("REST.BIN")' "$largest" 'len(v.runs("REST.BIN"))' 1
sound v.img
prealloc 0 --json -l max v.img REST2.BIN
fat v.img 'v.nclus("REST2.BIN")' 400 'v.nclus("REST.BIN")' "$largest"
sound v.img

t "extend with max"
mkkind v.img floppy
prealloc 0 -x v.img max:ALL.BIN
fat v.img 'v.free_count()' 0 'v.size("ALL.BIN")' 'v.clusters * 512' \
	'v.is_zero("ALL.BIN")' True
sound v.img

t "units"
mkkind v.img fat32
prealloc 0 --json v.img 1KiB:A 1KB:B 1K:C 1MB:D 1MiB:E 1000:F 1:G
json '[x["allocated"] for x in d["files"]]' \
	'[1024, 1024, 1024, 1000448, 1048576, 1024, 512]'
prealloc 0 -x v.img 1KB:B 1MB:D 1:G
fat v.img 'v.size("B"), v.size("D"), v.size("G")' '(1000, 1000000, 1)'
sound v.img

t "-l for several paths"
mkkind v.img fat32
prealloc 0 --json -l 64K v.img A.BIN "two words.bin"
json '[x["allocated"] for x in d["files"]]' '[65536, 65536]'

t "--force works on a dirty volume and leaves the mark"
mkkind v.img fat32
poke v.img 0x41 01
prealloc 0 --force v.img 64K:A.BIN
fat v.img 'v.nclus("A.BIN")' 128 'v.dirty()' True
mkkind v.img fat16
for k in 0 1; do
	poke v.img $(($(fat_get v.img "v.fat_off($k)") + 2)) ff 7f
done
prealloc 0 --force v.img 64K:A.BIN
fat v.img 'v.nclus("A.BIN")' 32 'v.dirty()' True

finish
