#!/bin/bash
# Clusters beyond a file's end that are somebody else's are neither freed nor
# zeroed: a file that is too long by damage looks like one with a reservation.
. "$(dirname "$0")/lib.sh"
need mkfs.fat mcopy mmd

# volume KIND: A.BIN has 1 cluster, B.BIN 3, and A's tail leads into B.
volume()
{
	pattern a.bin 100 1
	pattern b.bin $((2 * $2 + 100)) 2
	mkkind v.img "$1" a.bin b.bin
}

# link FROM TO: cluster FROM's FAT16 entry, in both copies.
link()
{
	for k in 0 1; do
		poke v.img $(($(fat_get v.img "v.fat_off($k)") + $1 * 2)) \
			"$(printf '%02x' $(($2 & 255)))" \
			"$(printf '%02x' $(($2 >> 8)))"
	done
}

t "a tail that runs into the start of another file"
volume fat16 2048
a=$(fat_get v.img 'v.find("A.BIN").first')
b=$(fat_get v.img 'v.find("B.BIN").first')
link "$a" "$b"
refuses 1 'another file' v.img --release v.img A.BIN
refuses 1 'another file' v.img -x v.img 6K:A.BIN
refuses 1 'another file' v.img -x v.img 64K:A.BIN
refuses 1 'fatfsck' v.img v.img 64K:A.BIN 64K:B.BIN

t "a tail that runs into the middle of another file"
link "$a" $((b + 1))
refuses 1 'another file' v.img --release v.img A.BIN
refuses 1 'another file' v.img -x v.img 4K:A.BIN

t "two entries with one chain, and a chain that joins what stays"
volume fat16 2048
prealloc 0 v.img 16K:A.BIN
a=$(fat_get v.img 'v.find("A.BIN").first')
b=$(fat_get v.img 'v.find("B.BIN").first')
entry=$(fat_get v.img 'v.find("B.BIN").where')
poke v.img $((entry + 26)) "$(printf '%02x' $((a & 255)))" \
	"$(printf '%02x' $((a >> 8)))"
refuses 1 'another file' v.img --release v.img A.BIN
refuses 1 'another file' v.img -x v.img 8K:A.BIN
volume fat16 2048
prealloc 0 v.img 16K:B.BIN
link "$a" "$b"
refuses 1 'another file' v.img --release v.img B.BIN

t "two directories that share a later cluster"
mkkind v.img fat16
mt mmd v.img ::D1 ::D2
d1=$(fat_get v.img 'v.find("D1").first')
d2=$(fat_get v.img 'v.find("D2").first')
for i in $(seq 70); do
	echo "1 D1/LONGNAME-$i.TXT"
done >manifest
prealloc 0 -f manifest v.img
second=$(fat_get v.img 'v.path_chain("D1")[1]')
link "$d2" "$second"
# D2's first cluster is full: 62 files of size 0 behind the dot entries.
at=$(($(fat_get v.img "v.clus_off($d2)") + 64))
for i in $(seq 10 71); do
	printf 'X%07dTXT ' "$i"
	head -c 20 /dev/zero
done | dd of=v.img bs=1 seek="$at" conv=notrunc status=none
refuses 1 'fatfsck' v.img v.img 1:D1/x 1:D2/y

t "the start of a directory"
volume fat16 2048
mt mmd v.img ::D
a=$(fat_get v.img 'v.find("A.BIN").first')
link "$a" "$(fat_get v.img 'v.find("D").first')"
refuses 1 'another file' v.img --release v.img A.BIN

t "a reservation of one's own"
volume fat16 2048
prealloc 0 v.img 64K:A.BIN 64K:EMPTY.BIN
cp v.img w.img
prealloc 0 -x v.img 64K:A.BIN 64K:EMPTY.BIN
fat v.img 'v.find("A.BIN").size' 65536
prealloc 0 --release w.img A.BIN EMPTY.BIN B.BIN
fat w.img 'v.nclus("A.BIN")' 1 'v.find("EMPTY.BIN").first' 0
sound w.img
finish
