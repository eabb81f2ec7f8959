#!/bin/sh
# uml_init.sh - process 1 of the user-mode-linux that uml.sh starts
#
# fattest_dir (on the host) holds the job and receives what it printed;
# "status" is written last, so its presence means that all else is there.

PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH LC_ALL=C.UTF-8

mount -t proc proc /proc
mount -t tmpfs tmpfs /mnt
mkdir /mnt/vol /mnt/out
mount -t hostfs -o "$fattest_dir" none /mnt/out

load()
{
	insmod "$(echo "/usr/lib/uml/modules/$(uname -r)/kernel/fs/$1".ko*)"
}

for m in fat/fat fat/vfat nls/nls_cp437 nls/nls_iso8859-1 nls/nls_utf8
do
	load $m
done
dmesg -C

if mount -t vfat -o "utf8,$fattest_opts" /dev/ubda /mnt/vol
then
	cd /mnt/vol || exit
	sh /mnt/out/job >/mnt/out/job.out 2>&1
	status=$?
	cd /
	umount /mnt/vol || status=98
else
	: >/mnt/out/job.out
	status=97
fi
dmesg >/mnt/out/dmesg
echo $status >/mnt/out/status
poweroff -f
