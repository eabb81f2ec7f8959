#!/bin/bash
# job_seed.sh - the seed job and what it may cost
#
# 16 x 16 MiB on a 2 GiB FAT32 volume with 512-byte clusters: 524,288
# clusters, so 4,096 FAT sectors per copy. Linux 6.1 writes 2,097,152 sectors,
# each synchronously.

. "$(dirname "$0")/lib.sh"
need mkfs.fat

mkfat seed.img 2G -F 32 -s 1
cp --sparse=always seed.img empty.img
before=$(blocks seed.img)
requests=$(printf '16M:REC%02d.BIN ' $(seq 0 15))

t "seed job"
# shellcheck disable=SC2086
prealloc 0 --json seed.img $requests
json 's["clusters_allocated"]' 524288 \
	's["fat_copies"]' 2 \
	'4096 <= s["fat_sectors_changed"] <= 4098' True \
	's["fat_sectors_written"]' 's["fat_sectors_changed"] * 2' \
	's["fat_writes"] <= 8' True \
	's["syncs"] <= 7' True \
	's["data_bytes_zeroed"]' 0 \
	's["data_bytes_moved"]' 0 \
	's["peak_buffer_bytes"] <= 4 << 20' True \
	'd["verified"]' True \
	'd["volume"]["free_before"] - d["volume"]["free_after"]' 524288 \
	'[(x["reserved"], x["size"], x["contiguous"], len(x["extents"]))
	  for x in d["files"]]' '[(16 << 20, 0, True, 1)] * 16' \
	'all(x["created"] and x["changed"] for x in d["files"])' True
seed_syncs=$(json_get 's["syncs"]')
seed_peak=$(json_get 's["peak_buffer_bytes"]')
fat seed.img 'len(v.ls())' 16 \
	'sorted(v.nclus("REC%02d.BIN" % i) for i in range(16))' '[32768] * 16' \
	'all(len(v.runs("REC%02d.BIN" % i)) == 1 for i in range(16))' True
sound seed.img
at_most "blocks that a sparse image grew by" $((2 * 4100 * 512 + 65536)) \
	$(($(blocks seed.img) - before))

t "fatfsck has nothing to say"
fatfsck 0 -n seed.img

t "the second run writes nothing"
done_sha=$(image_sha seed.img)
# shellcheck disable=SC2086
prealloc 0 --json seed.img $requests
json 's["syncs"]' 0 's["fat_sectors_written"]' 0 's["fat_writes"]' 0 \
	's["dir_sectors_written"]' 0 's["fsinfo_sectors_written"]' 0 \
	's["boot_sectors_written"]' 0 's["clusters_allocated"]' 0 \
	'any(x["changed"] or x["created"] for x in d["files"])' False
same "image" "$done_sha" "$(image_sha seed.img)"

t "a small buffer gives the same image"
cp --sparse=always empty.img small.img
# shellcheck disable=SC2086
prealloc 0 --json --buffer 64K small.img $requests
json 's["peak_buffer_bytes"] <= 65536 * 4' True
same "image" "$done_sha" "$(image_sha small.img)"
rm -f small.img

t "equal images stay equal"
cp --sparse=always empty.img again.img
# shellcheck disable=SC2086
prealloc 0 -q again.img $requests
same "image" "$done_sha" "$(image_sha again.img)"
rm -f again.img seed.img

t "one file"
cp --sparse=always empty.img one.img
prealloc 0 --json one.img 1M:ONE.BIN
json 's["syncs"]' "$seed_syncs"
same "memory of the seed job" "$(json_get 's["peak_buffer_bytes"]')" \
	"$seed_peak"

# Both directories grow, which takes a barrier more.
t "one file and 1,000 files: the same syncs, the same memory"
prealloc 0 --json one.img "1M:$(printf 'x%.0s' $(seq 251)).bin"
json 's["syncs"] <= 7' True
fat one.img 'v.nclus("/")' 2
one_syncs=$(json_get 's["syncs"]')
one_peak=$(json_get 's["peak_buffer_bytes"]')
cp --sparse=always empty.img many.img
for i in $(seq 1000); do
	echo "100K F$i.BIN"
done >manifest
prealloc 0 --json -f manifest many.img
json 's["syncs"]' "$one_syncs" 'len(d["files"])' 1000 \
	's["peak_buffer_bytes"]' "$one_peak" \
	's["fat_sectors_written"] <= 2 * (s["fat_sectors_changed"] + 1)' True \
	's["fat_sectors_changed"] <= 1600' True
fat many.img 'len(v.ls())' 1000 'v.nclus("F1000.BIN")' 200
sound many.img
fatfsck 0 -n many.img

t "extending keeps a sparse image sparse"
before=$(blocks one.img)
prealloc 0 --json -x one.img 512M:ZERO.BIN
json 's["data_bytes_zeroed"]' '512 << 20' 's["syncs"] <= 7' True
fat one.img 'v.size("ZERO.BIN")' '512 << 20' \
	'v.is_zero("ZERO.BIN", 0, 1 << 20)' True
at_most "blocks grown" $((2 * (8192 + 2) * 512 + 65536)) \
	$(($(blocks one.img) - before))

finish
