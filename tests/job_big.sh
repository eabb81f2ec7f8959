#!/bin/bash
# job_big.sh - a 2 TiB volume with nearly 2^28 clusters: memory and signals

. "$(dirname "$0")/lib.sh"
need mkfs.fat
case $FATPREALLOC in *' '*) skip "runs under a wrapper" ;; esac
grep -q __asan_init "$FATPREALLOC" && skip "built with a sanitizer"

# What mkfs.fat -s 16 makes of 2 TiB, without its 2 GiB of written zeros: a
# small volume's boot sectors, with the big one's two counts.
mkfat v.img 1G -F 32 -s 16
head -c 4096 v.img >boot
root_head=$(peek v.img "$(fat_get v.img 'v.fat_off()')" 12)
rm v.img
truncate -s 2T v.img 2>/dev/null || skip "the file system has no 2 TiB files"
cat boot | dd of=v.img conv=notrunc status=none
for boot in 0 3072; do
	poke v.img $((boot + 0x20)) fc ff ff ff		# sectors
	poke v.img $((boot + 0x24)) 10 f8 1f 00		# sectors per FAT
	poke v.img $((boot + 512 + 488)) ff ff ff ff	# free count unknown
done
for k in 0 1; do
	# shellcheck disable=SC2086
	poke v.img $(((32 + k * 0x1ff810) * 512)) $root_head
done

# measured COMMAND...: like run 0; the peak of resident memory in KiB.
measured()
{
	"$PYTHON" -S -E - "$@" >peak <<-'END'
	import os, resource, sys
	pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ,
	    file_actions=[
	    (os.POSIX_SPAWN_OPEN, 1, "out", os.O_WRONLY | os.O_CREAT |
	     os.O_TRUNC, 0o644),
	    (os.POSIX_SPAWN_OPEN, 2, "err", os.O_WRONLY | os.O_CREAT |
	     os.O_TRUNC, 0o644)])
	status = os.waitpid(pid, 0)[1]
	print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
	sys.exit(os.waitstatus_to_exitcode(status))
	END
}

t "geometry"
fat v.img v.bits 32 'v.clusters > (1 << 28) - 300000' True

t "cancelled while it looks for space"
before=$(image_sha v.img)
for signal in INT TERM HUP; do
	# A shell's background jobs start with SIGINT ignored, and what
	# nohup runs with SIGHUP.
	env --default-signal=INT,HUP "$FATPREALLOC" v.img 64K:A.BIN \
		>out 2>err </dev/null &
	pid=$!
	for _ in $(seq 200); do
		[ -n "$(find "/proc/$pid/fd" -lname '*/v.img')" ] && break
		sleep 0.01
	done 2>/dev/null
	kill -$signal $pid 2>/dev/null
	wait $pid
	same "status after SIG$signal" 32 $?
	same "image after SIG$signal" "$before" "$(image_sha v.img)"
done

t "memory"
measured "$FATPREALLOC" --json v.img 4095M:A.BIN 4095M:B.BIN 1K:C.BIN
same "status" 0 $?
at_most "peak resident KiB" 16384 "$(cat peak)"
json 'd["volume"]["clusters"]' "$(fat_get v.img v.clusters)" \
	's["peak_buffer_bytes"] <= 4 << 20' True 's["syncs"] <= 7' True \
	's["fat_sectors_written"]' '2 * s["fat_sectors_changed"]' \
	'8190 <= s["fat_sectors_changed"] <= 8194' True
fat v.img 'v.allocated("A.BIN")' '4095 << 20' 'len(v.runs("A.BIN"))' 1 \
	'v.runs("A.BIN", 1)' 'v.runs("A.BIN")'

t "beyond 32 bits"
prealloc 0 --json --align 1T v.img 64K:FAR.BIN
json 'f["/FAR.BIN"]["extents"][0]["offset"]' '1 << 40'
fat v.img 'v.base + v.clus_off(v.path_chain("FAR.BIN")[0])' '1 << 40' \
	'v.runs("FAR.BIN", 1)' 'v.runs("FAR.BIN")' \
	'v.fsinfo()[0]' "v.clusters - 1 - 2 * 524160 - 1 - 8"

t "a file as long as FAT allows"
prealloc 0 --json v.img 4294967295:D.BIN
json 'f["/D.BIN"]["allocated"]' '1 << 32'
prealloc 0 --json -x --no-zero v.img 4294967295:D.BIN
fat v.img 'v.size("D.BIN")' '(1 << 32) - 1' 'v.nclus("D.BIN")' 524288

finish
