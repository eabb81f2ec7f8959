#!/bin/bash
# job_place.sh - where the clusters go: runs, alignment, offsets

. "$(dirname "$0")/lib.sh"
need mkfs.fat mcopy mdel

# holes: v.img (floppy), full but for holes of 20, 50 and 30 clusters, in
# this order; OLD.BIN (4 clusters) lies right before the hole of 50.
head -c 10240 /dev/zero >20c
head -c 25600 /dev/zero >50c
head -c 15360 /dev/zero >30c
head -c 1024 /dev/zero >2c
pattern old.bin 2000 1
holes()
{
	mkkind v.img floppy
	mt mcopy v.img 2c ::A
	mt mcopy v.img 20c ::HOLE20
	mt mcopy v.img 2c ::B
	mt mcopy v.img old.bin ::OLD.BIN
	mt mcopy v.img 50c ::HOLE50
	mt mcopy v.img 2c ::C
	mt mcopy v.img 30c ::HOLE30
	mt mcopy v.img 2c ::D
	prealloc 0 v.img max:REST
	hole20=$(fat_get v.img 'v.runs("HOLE20")[0][0]')
	hole50=$(fat_get v.img 'v.runs("HOLE50")[0][0]')
	hole30=$(fat_get v.img 'v.runs("HOLE30")[0][0]')
	mt mdel v.img ::HOLE20 ::HOLE50 ::HOLE30
	fat v.img 'v.free_count()' 100
}

t "best fit"
holes
prealloc 0 --json v.img 15K:NEW.BIN
fat v.img 'v.runs("NEW.BIN")' "[($hole30, 30)]"
prealloc 0 --json v.img 8K:SMALL.BIN
fat v.img 'v.runs("SMALL.BIN")' "[($hole20, 16)]"
sound v.img

t "all requests of a call are placed together"
holes
prealloc 0 --json v.img 10K:A20 25K:A50 15K:A30
fat v.img 'v.runs("A20")' "[($hole20, 20)]" 'v.runs("A50")' \
	"[($hole50, 50)]" 'v.runs("A30")' "[($hole30, 30)]" 'v.free_count()' 0
sound v.img
holes
refuses 1 'largest' v.img v.img 10K:A20 25K:A50 16K:A32

t "behind the file's last cluster first"
holes
prealloc 0 --json v.img 7K:OLD.BIN
json 'f["/OLD.BIN"]["contiguous"]' True 'len(f["/OLD.BIN"]["extents"])' 1
fat v.img 'v.runs("OLD.BIN")' "[($hole50 - 4, 14)]" \
	'v.sha("OLD.BIN")' "'$(sha old.bin)'"
sound v.img

t "elsewhere when there is no room behind"
holes
prealloc 0 --json v.img 15K:D
json 'f["/D"]["contiguous"]' False 'len(f["/D"]["extents"])' 2
fat v.img 'len(v.runs("D"))' 2 'v.nclus("D")' 30
sound v.img

t "no run: refused, with what there is"
holes
refuses 1 'largest' v.img v.img 30K:NEW.BIN
says err '50|25600|25 ?K'

t "--max-extents"
refuses 1 '.' v.img --max-extents 1 v.img 40K:NEW.BIN
prealloc 0 --json --max-extents 2 v.img 40K:NEW.BIN
json 'len(f["/NEW.BIN"]["extents"])' 2 'f["/NEW.BIN"]["contiguous"]' False
fat v.img 'len(v.runs("NEW.BIN"))' 2 'v.nclus("NEW.BIN")' 80
sound v.img
holes
refuses 1 '.' v.img --max-extents 2 v.img 45K:NEW.BIN
prealloc 0 --json --max-extents 3 v.img 45K:NEW.BIN
fat v.img 'len(v.runs("NEW.BIN"))' 3 'v.nclus("NEW.BIN")' 90
sound v.img
holes
prealloc 0 --json --max-extents 8 v.img 50K:NEW.BIN
fat v.img 'v.free_count()' 0
sound v.img
refuses 1 '.' v.img --max-extents 100 v.img 1K:MORE.BIN
refuses 16 '.' v.img --max-extents 0 v.img 1K:MORE.BIN

t "extents are given in bytes of the device"
mkkind v.img fat32
prealloc 0 --json v.img 64K:A.BIN
json 'f["/A.BIN"]["extents"]' \
	"$(fat_get v.img '[{"first_cluster": c, "clusters": n,
	"offset": v.clus_off(c)} for c, n in v.runs("A.BIN")]')"

t "--align"
mkkind v.img fat32
prealloc 0 v.img 3K:FIRST.BIN
prealloc 0 --json --align 4M v.img 1M:A.BIN 1M:B.BIN
json 'f["/A.BIN"]["extents"][0]["offset"] % (4 << 20)' 0 \
	'f["/B.BIN"]["extents"][0]["offset"] % (4 << 20)' 0
fat v.img 'v.clus_off(v.runs("A.BIN")[0][0]) % (4 << 20)' 0
sound v.img
before=$(image_sha v.img)
prealloc 0 --json --align 4M v.img 1M:A.BIN
json 's["syncs"]' 0
same "image" "$before" "$(image_sha v.img)"
refuses 1 '.' v.img --align 1G v.img 1M:C.BIN
refuses 16 '.' v.img --align 0 v.img 1M:C.BIN
refuses 16 '.' v.img --align 1X v.img 1M:C.BIN

t "a volume at an offset: alignment counts from the device"
mkfat disk.img 65M -F 32 -s 1 --offset=63
cp disk.img two.img
cp disk.img three.img
prealloc 0 --json --align 1M disk.img@@63S 1M:A.BIN
json 'd["volume"]["offset"]' 63*512 \
	'f["/A.BIN"]["extents"][0]["offset"] % (1 << 20)' 0 \
	'f["/A.BIN"]["extents"][0]["offset"]' \
	"$(fat_get disk.img@@32256 'v.base +
	v.clus_off(v.runs("A.BIN")[0][0])')"
sound disk.img@@32256
prealloc 0 --align 1M --image-offset 32256 two.img 1M:A.BIN
prealloc 0 --align 1M three.img@@32256 1M:A.BIN
true_that "--image-offset and @@ do the same" cmp disk.img two.img
true_that "@@BYTES and @@S do the same" cmp disk.img three.img
same "what lies before the volume" "$(sha /dev/null)" \
	"$(head -c 32256 disk.img | tr -d '\0' | sha256sum | cut -d ' ' -f 1)"

t "an alignment that no cluster can have"
mkfat disk.img 65M -F 16 -s 8 --offset=63
refuses 1 'align|multiple' disk.img --align 64K disk.img@@63S 1M:A.BIN

t "no volume at the offset"
refuses 8 'not a FAT volume' disk.img disk.img@@1M 1M:A.BIN
refuses 8 '.' disk.img disk.img@@900M 1M:A.BIN

t "the FAT's window does not show"
mkkind v.img fat32
cp v.img w.img
prealloc 0 --max-extents 3 v.img 20M:A.BIN 1K:B.BIN 10M:C.BIN
prealloc 0 --max-extents 3 --buffer 64K w.img 20M:A.BIN 1K:B.BIN 10M:C.BIN
true_that "--buffer 64K gives the same image" cmp v.img w.img
refuses 16 '.' v.img --buffer 1K v.img 1K:D.BIN

finish
