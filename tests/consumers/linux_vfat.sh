#!/bin/bash
# linux_vfat.sh - the real Linux vfat driver on what fatprealloc made
#
# Extended files are overwritten in place; reserved space is invisible until
# an append, and what Linux does with the append is asserted as documented,
# so that a kernel that does better is noticed.

. "$(dirname "$0")/../lib.sh"
. "$tests/consumers/uml.sh"
need mkfs.fat mcopy
uml_need

pattern old.bin 5000 1
pattern grown.bin 5000 2
pattern new.bin 65536 3
pattern more.bin 1536 4

for kind in floppy fat16 fat32 sec4096; do
	t "$kind: read and overwrite"
	mkkind v.img $kind old.bin grown.bin
	prealloc 0 -x v.img 64K:EXT.BIN 40K:GROWN.BIN
	prealloc 0 -p v.img 48K:OLD.BIN 32K:RES.BIN \
		"32K:dir one/Übung, long name.bin"
	fats=$(fat_get v.img '[v.fat_sha(k) for k in v.copies]')
	old_runs=$(fat_get v.img 'v.runs("OLD.BIN")')
	ext_runs=$(fat_get v.img 'v.runs("EXT.BIN")')
	uml_run v.img <<-END
		sha256sum OLD.BIN
		head -c 5000 GROWN.BIN | sha256sum
		tail -c +5001 GROWN.BIN | tr -d '\\0' | wc -c
		tr -d '\\0' <EXT.BIN | wc -c
		stat -c '%n %s' OLD.BIN GROWN.BIN EXT.BIN RES.BIN
		stat -c '%n %s' "dir one/Übung, long name.bin"
		stat -f -c 'free %f of %S' .
		dd if=$T/new.bin of=EXT.BIN conv=notrunc,fsync bs=4096 2>&1
	END
	same "job in the kernel" 0 $?
	same "messages" "" "$(cat dmesg)"
	{
		echo "$(sha old.bin)  OLD.BIN"
		echo "$(sha grown.bin)  -"
		echo 0
		echo 0
		echo "OLD.BIN 5000"
		echo "GROWN.BIN 40960"
		echo "EXT.BIN 65536"
		echo "RES.BIN 0"
		echo "dir one/Übung, long name.bin 0"
		fat_get v.img '"free %d of %d" % (v.free_count(),
			v.clus_bytes)' | tr -d "'"
	} >want
	same "what the kernel reads" "$(cat want)" \
		"$(grep -v -e records -e copied job.out)"
	same "FAT bytes" "$fats" \
		"$(fat_get v.img '[v.fat_sha(k) for k in v.copies]')"
	fat v.img 'v.sha("EXT.BIN")' "'$(sha new.bin)'" \
		'v.sha("OLD.BIN")' "'$(sha old.bin)'" \
		'v.runs("EXT.BIN")' "$ext_runs" \
		'v.runs("OLD.BIN")' "$old_runs" \
		'v.nclus("OLD.BIN") * v.clus_bytes >= 48 * 1024' True \
		'v.allocated("dir one/Übung, long name.bin")' 32768
	sound v.img
done

t "append to a reservation, as documented for Linux"
mkkind v.img fat32 old.bin
prealloc 0 v.img 48K:OLD.BIN
fat v.img 'v.nclus("OLD.BIN")' 96
chain=$(fat_get v.img 'v.path_chain("OLD.BIN")')
uml_run v.img <<-END
	cat $T/more.bin >>OLD.BIN
	sync
	touch NEW.BIN 2>/dev/null || echo "read-only now"
	grep -o ' /mnt/vol vfat r[ow]' /proc/mounts
END
same "job in the kernel" 0 $?
same "output" "$(echo "read-only now"; echo " /mnt/vol vfat ro")" \
	"$(cat job.out)"
says dmesg 'FAT-fs .*clusters badly computed'
says dmesg 'set read-only'
fat v.img 'v.size("OLD.BIN")' 6536 \
	'v.path_chain("OLD.BIN")[:96]' "$chain" \
	'v.nclus("OLD.BIN") > 96' True \
	'v.sha("OLD.BIN", 0, 5000)' "'$(sha old.bin)'" \
	'v.sha("OLD.BIN", 5000, 6536)' "'$(sha more.bin)'"

finish
