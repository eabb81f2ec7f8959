#!/bin/bash
# mtools_fsck.sh - mtools and fsck.fat as outsiders on what fatprealloc made

. "$(dirname "$0")/../lib.sh"
need mkfs.fat fsck.fat mcopy mdir mshowfat

pattern old.bin 5000 1

# fsck_lines IMAGE: what fsck.fat -n finds, without greeting and summary.
fsck_lines()
{
	fsck.fat -n "$1" 2>&1 | grep -v -e '^fsck\.fat ' -e ' clusters$' \
		-e '^Leaving filesystem unchanged' -e '^$'
}

for kind in $KINDS; do
	# fsck.fat knows no inactive FAT copy, and no more than two.
	case $kind in
	nomirror | fats4) fsck=no ;;
	*) fsck=yes ;;
	esac
	t "$kind: extended files"
	mkkind v.img "$kind" old.bin
	prealloc 0 -x -p v.img 40K:OLD.BIN 64K:EXT.BIN \
		"32K:dir one/Long name, Übung.bin"
	run 0 mt mcopy v.img ::OLD.BIN ::EXT.BIN \
		"::dir one/Long name, Übung.bin" .
	cp old.bin want.bin
	truncate -s 40K want.bin
	true_that "mtools reads OLD.BIN" cmp want.bin OLD.BIN
	true_that "mtools reads EXT.BIN" cmp -n 65536 EXT.BIN /dev/zero
	same "size of EXT.BIN" 65536 "$(stat -c %s EXT.BIN)"
	same "size of the long name" 32768 \
		"$(stat -c %s "Long name, Übung.bin")"
	rm -f OLD.BIN EXT.BIN "Long name, Übung.bin"
	if [ $fsck = yes ]; then
		same "fsck.fat" "" "$(fsck_lines v.img)"
		run 0 fsck.fat -n v.img
	fi

	t "$kind: reservations"
	mkkind v.img "$kind" old.bin
	prealloc 0 v.img 40K:OLD.BIN 64K:RES.BIN
	run 0 mt mcopy v.img ::OLD.BIN ::RES.BIN .
	true_that "mtools reads OLD.BIN" cmp old.bin OLD.BIN
	same "size of RES.BIN" 0 "$(stat -c %s RES.BIN)"
	rm -f OLD.BIN RES.BIN
	run 0 mt mdir v.img -b ::
	same "mdir" "$(printf '%s\n' ::/OLD.BIN ::/RES.BIN)" "$(cat out)"
	for f in OLD.BIN RES.BIN; do
		run 0 mt mshowfat v.img ::$f
		first=$(fat_get v.img "v.runs('$f')[0][0]")
		last=$(fat_get v.img "sum(v.runs('$f')[0]) - 1")
		says out "<$first-$last>"
	done
	[ $fsck = yes ] || continue
	# After the length lines fsck.fat counts as if it had cut the chains.
	spare=$(fat_get v.img 'sum(v.nclus(p) - -(-v.size(p) // v.clus_bytes)
		for p in ("OLD.BIN", "RES.BIN"))')
	fsck_lines v.img >lines
	says lines 'File size is 5000 bytes, cluster chain length is > '
	says lines 'File size is 0 bytes, cluster chain length is > 0'
	same "other lines of fsck.fat" "" "$(grep -v \
		-e '^/OLD.BIN$' -e '^/RES.BIN$' -e '^  File size is ' \
		-e '^  Truncating file to ' -e '^Free cluster summary wrong' \
		-e '^  Auto-correcting' lines)"
	summary=$(grep '^Free cluster summary' lines | tr -cs '0-9' ' ')
	if [ -n "$summary" ]; then
		read -r says really <<<"$summary"
		same "free clusters that fsck.fat adds" "$spare" \
			$((really - says))
	fi
done

finish
