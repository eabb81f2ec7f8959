#!/bin/bash
# job_report.sh - what is printed: JSON, lists, dry runs, manifests

. "$(dirname "$0")/lib.sh"
need mkfs.fat mcopy

pattern old.bin 5000 1
mkkind v.img fat32 old.bin

t "--dry-run plans the same and writes nothing"
before=$(image_sha v.img)
prealloc 0 --dry-run --json -p v.img 1M:OLD.BIN 64K:sub/NEW.BIN
json 's["syncs"]' 0 's["fat_sectors_written"]' 0 's["fat_writes"]' 0 \
	's["dir_sectors_written"]' 0 's["fsinfo_sectors_written"]' 0 \
	's["boot_sectors_written"]' 0
same "image" "$before" "$(image_sha v.img)"
planned=$(json_get '[x["extents"] for x in d["files"]]')
prealloc 0 --dry-run -p v.img 1M:OLD.BIN 64K:sub/NEW.BIN
says out 'NEW\.BIN'
same "image" "$before" "$(image_sha v.img)"
refuses 1 '.' v.img --dry-run v.img 3G:BIG.BIN

t "JSON of a reservation"
free=$(fat_get v.img 'v.free_count()')
prealloc 0 --json -p v.img 1M:OLD.BIN 64K:sub/NEW.BIN
json 'set(d)' '{"schema", "volume", "files", "stats", "verified",
	"warnings"}' \
	'd["schema"]' 1 'd["verified"]' True \
	'd["volume"]' "{'type': 'FAT32', 'offset': 0, 'cluster_size': 512,
	'clusters': $(fat_get v.img v.clusters), 'free_before': $free,
	'free_after': $(fat_get v.img 'v.free_count()'), 'fat_copies': 2}" \
	'set(d["files"][0])' '{"path", "size", "allocated", "reserved",
	"created", "changed", "contiguous", "extents"}' \
	'set(d["files"][0]["extents"][0])' \
	'{"first_cluster", "clusters", "offset"}' \
	'[x["extents"] for x in d["files"]]' "$planned" \
	'f["/OLD.BIN"]["size"]' 5000 'f["/OLD.BIN"]["allocated"]' 1048576 \
	'f["/OLD.BIN"]["reserved"]' 1048576-5120 \
	'f["/OLD.BIN"]["created"]' False 'f["/OLD.BIN"]["changed"]' True \
	'f["/sub/NEW.BIN"]["created"]' True \
	'set(s)' '{"fat_sectors_changed", "fat_copies", "fat_sectors_written",
	"fat_writes", "dir_sectors_written", "fsinfo_sectors_written",
	"boot_sectors_written", "data_bytes_zeroed", "data_bytes_moved",
	"bytes_read", "syncs", "peak_buffer_bytes", "clusters_allocated"}' \
	'all(type(x) is int for x in s.values())' True \
	'[set(w) for w in d["warnings"]]' '[{"code", "message"}]' \
	'd["warnings"][0]["code"]' '"linux-append"' \
	's["clusters_allocated"]' 'd["volume"]["free_before"] -
	d["volume"]["free_after"]'
same "stderr" "" "$(cat err)"

t "--no-verify"
prealloc 0 --json --no-verify v.img 64K:UNREAD.BIN
json 'd["verified"]' False

t "the note about consumers"
prealloc 0 v.img 8K:N1.BIN
says err 'linux'
prealloc 0 -q v.img 8K:N2.BIN
same "quiet" "" "$(cat out err)"
prealloc 0 -x v.img 8K:N3.BIN
says_not err 'linux'
prealloc 0 --json -x v.img 8K:N4.BIN
json 'd["warnings"]' '[]'

t "--stats for people"
prealloc 0 --stats v.img 8K:N5.BIN
cat err >>out
says out 'sync'
says out 'fat'

t "--list"
before=$(image_sha v.img)
prealloc 0 --list v.img OLD.BIN sub/new.bin
says out 'OLD\.BIN'
says out '5000|4\.9'
prealloc 0 --list --json v.img OLD.BIN sub/NEW.BIN
json 'len(d["files"])' 2 \
	'f["/OLD.BIN"]["size"]' 5000 'f["/OLD.BIN"]["allocated"]' 1048576 \
	'f["/OLD.BIN"]["reserved"]' 1048576-5120 \
	'f["/OLD.BIN"]["contiguous"]' True \
	'[x["extents"] for x in d["files"]]' "$planned" \
	'set(d["files"][0]) >= {"path", "size", "allocated", "reserved",
	"contiguous", "extents"}' True
prealloc 0 --list --json v.img
json 'set(f) >= {"/OLD.BIN", "/sub/NEW.BIN", "/N5.BIN"}' True
prealloc 1 --list v.img MISSING.BIN
same "image" "$before" "$(image_sha v.img)"

t "--list of fragments"
mkkind w.img fat16
for i in 1 2 3; do
	prealloc 0 -q w.img $((i * 8))K:A.BIN
	prealloc 0 -q w.img $((i * 8))K:B.BIN
done
prealloc 0 --list --json w.img A.BIN
json 'len(f["/A.BIN"]["extents"])' 3 'f["/A.BIN"]["contiguous"]' False \
	'[(e["first_cluster"], e["clusters"]) for e in
	f["/A.BIN"]["extents"]]' "$(fat_get w.img 'v.runs("A.BIN")')"

t "hostile names do not reach the terminal"
mkkind w.img fat32
: >empty
mt mcopy w.img empty "::evil_name with a long one.txt"
at=$(fat_get w.img 'v.clus_off(2)')
slot=$(fat_get w.img 'v.find("evil_name with a long one.txt").slots')
poke w.img $((at + 32 * (slot - 2) + 9)) 1b	# the underscore
fat w.img 'v.ls()' '["evil\x1bname with a long one.txt"]'
prealloc 0 --list w.img
says out 'name with a long one'
same "escape characters" 0 "$(tr -cd '\033' <out | wc -c)"
prealloc 0 --list --json w.img
json '"/evil\x1bname with a long one.txt" in f' True
same "escape characters in JSON" 0 "$(tr -cd '\033' <out | wc -c)"

t "manifest"
mkkind w.img fat32
printf '%s\n' '# made by hand' '' '64K A.BIN' '  32K   two words.bin' \
	'16K /C.BIN' >manifest
prealloc 0 --json -f manifest w.img
json '[x["allocated"] for x in d["files"]]' '[65536, 32768, 16384]'
fat w.img 'v.ls()' '["A.BIN", "two words.bin", "C.BIN"]'
mkkind w.img fat32
# shellcheck disable=SC2086
$FATPREALLOC --json -f - w.img <manifest >out 2>err
same "status with -f -" 0 $?
fat w.img 'v.nclus("C.BIN")' 32
printf '64K A.BIN\r\n8K D.BIN\r\n' >manifest
prealloc 0 -f manifest w.img
fat w.img 'v.has("D.BIN")' True
for bad in '1X B.BIN' '0 B.BIN' '-1 B.BIN' '64K' 'B.BIN' '64K a:b' \
	'99999999999999999999 B.BIN'; do
	t "manifest line '$bad'"
	printf '%s\n' '64K A.BIN' '# two' "$bad" '64K Z.BIN' >manifest
	refuses 16 '(:|line )3' w.img -f manifest w.img
done
t "manifest that is not there"
refuses 8 'no-such-manifest' w.img -f no-such-manifest w.img

t "help and version"
prealloc 0 --help
says out 'usage'
says out '--max-extents'
same "stderr" "" "$(cat err)"
prealloc 0 -h
says out 'usage'
prealloc 0 -V
says out 'fatprealloc.* [0-9]+\.[0-9]'
prealloc 0 --version

t "a full stdout is an error"
# shellcheck disable=SC2086
$FATPREALLOC --list v.img >/dev/full 2>err
same "status" 8 $?
says err '.'

t "a report that can't be written"
mkkind v.img fat16
if [ -w /dev/full ]; then
	$FATPREALLOC -q --stats v.img 64K:A.BIN >/dev/full 2>err
	same "status" 4 $?
	says err 'is in order'
	sound v.img
fi

finish
