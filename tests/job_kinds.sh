#!/bin/bash
# job_kinds.sh - every kind of FAT volume, one job, the same assertions

. "$(dirname "$0")/lib.sh"
need mkfs.fat mcopy

pattern old.bin 5000 1
pattern tail.bin 5000 2

# high_bits IMAGE: gives FAT32 entry 700 upper bits in every copy; they are
# no part of the value, so cluster 700 stays free.
high_bits()
{
	local k copies
	copies=$(fat_get "$1" v.nfats)
	for k in $(seq 0 $((copies - 1))); do
		poke "$1" $(($(fat_get "$1" "v.fat_off($k)") + 700 * 4 + 3)) a0
	done
}

for kind in $KINDS; do
	t "$kind"
	mkkind v.img "$kind" old.bin tail.bin
	bits=$(fat_get v.img v.bits)
	[ "$bits" = 32 ] && high_bits v.img
	idle=$(fat_get v.img 'v.fat_sha(0)')
	old_raw=$(fat_get v.img 'v.find("OLD.BIN").raw')

	# Enough clusters to cross FAT sectors, and FAT12's odd entries.
	prealloc 0 --json v.img 100K:OLD.BIN 300K:RES.BIN
	json 'd["volume"]["type"]' "'FAT$bits'" \
		'd["volume"]["cluster_size"]' "$(fat_get v.img v.clus_bytes)" \
		'd["volume"]["clusters"]' "$(fat_get v.img v.clusters)" \
		'd["volume"]["free_after"]' \
		"$(fat_get v.img 'v.free_count()')" \
		's["fat_copies"]' "$(fat_get v.img 'len(v.copies)')" \
		's["fat_sectors_written"] <= s["fat_copies"] *
		(s["fat_sectors_changed"] + 1)' True
	fat v.img 'v.same_in_all("OLD.BIN")' True \
		'v.same_in_all("RES.BIN")' True \
		'len(v.runs("RES.BIN"))' 1 \
		'v.size("RES.BIN")' 0 \
		'v.allocated("RES.BIN") - 300 * 1024 < v.clus_bytes' True \
		'v.allocated("OLD.BIN") - 100 * 1024 < v.clus_bytes' True \
		'v.size("OLD.BIN")' 5000 \
		'v.sha("OLD.BIN")' "'$(sha old.bin)'" \
		'v.find("OLD.BIN").raw' "$old_raw" \
		'v.sha("TAIL.BIN")' "'$(sha tail.bin)'"
	sound v.img

	prealloc 0 --json -x v.img 200K:NEW.BIN 100K:OLD.BIN
	fat v.img 'v.size("NEW.BIN")' 204800 'v.size("OLD.BIN")' 102400 \
		'v.is_zero("NEW.BIN")' True \
		'v.is_zero("OLD.BIN", 5000)' True \
		'v.sha("OLD.BIN", 0, 5000)' "'$(sha old.bin)'" \
		'len(v.runs("NEW.BIN"))' 1 'v.same_in_all("NEW.BIN")' True
	sound v.img
	if [ "$bits" = 32 ]; then
		fat v.img '[v.raw(700, k) >> 28 for k in range(v.nfats)]' \
			'[10] * v.nfats'
		[ "$kind" = sec4096fat32 ] ||
			fat v.img 'v.entry(700) != 0' True
		fat v.img 'v.fsinfo(True)[0]' 'v.free_count()'
	fi
	if [ "$kind" = nomirror ]; then
		fat v.img 'v.copies' '[1]' 'v.fat_sha(0)' "$idle"
	fi
	fatfsck 0 -n v.img

	prealloc 0 --json --release v.img RES.BIN OLD.BIN NEW.BIN
	fat v.img 'v.nclus("RES.BIN")' 0 'v.find("RES.BIN").first' 0
	sound v.img
done

t "FAT32 with few clusters is worked on, with a warning"
mkfat v.img 8M -F 32 -s 1
prealloc 0 --json v.img 64K:RES.BIN
json 'd["volume"]["type"]' "'FAT32'" 'len(d["warnings"]) >= 1' True
fat v.img 'v.nclus("RES.BIN")' 128
sound v.img

t "a FAT that is longer than needed"
mkfat v.img 16M -F 16 -s 2
poke v.img 0x13 00 40		# 16384 of 32768 sectors
slack=$(fat_get v.img 'v.fat_off(0) + (v.clusters + 2) * 2')
for k in 0 1; do
	at=$((slack + k * $(fat_get v.img 'v.fatsz * v.sec')))
	poke v.img $at de ad be ef
done
poke v.img $slack 00 11		# copies differ, but only in the slack
prealloc 0 --json v.img 100K:RES.BIN max:REST.BIN
fat v.img 'v.free_count()' 0 \
	'max(v.path_chain("REST.BIN"))' 'v.clusters + 1'
same "slack of copy 1" "00 11 be ef" "$(peek v.img $slack 4)"
same "slack of copy 2" "de ad be ef" "$(peek v.img \
	$((slack + $(fat_get v.img 'v.fatsz * v.sec'))) 4)"
sound v.img

t "the backup boot sector's FSInfo follows, an invalid FSInfo stays"
mkkind v.img fat32
poke v.img 512 00 00 00 00
prealloc 0 --json v.img 64K:RES.BIN
json 'len(d["warnings"]) >= 1' True
same "first bytes of FSInfo" "00 00 00 00" "$(peek v.img 512 4)"
fat v.img 'v.fsinfo()' None 'v.nclus("RES.BIN")' 128

t "bad clusters are not free"
mkkind v.img fat16
for k in 0 1; do
	poke v.img $(($(fat_get v.img "v.fat_off($k)") + 20 * 2)) f7 ff
done
prealloc 0 v.img max:REST.BIN
fat v.img 'v.entry(20)' 0xfff7 'v.runs("REST.BIN")[0][0]' 21
sound v.img

finish
