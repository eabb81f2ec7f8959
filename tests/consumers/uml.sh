# shellcheck shell=bash
# uml.sh - the real Linux vfat driver, for tests: sourced after lib.sh
#
# User-mode-linux is a kernel that runs as an ordinary process; its root is
# the host's file tree, read-only, and its disk is the image. Nothing of the
# host needs privileges, KVM or a loop device.

# uml_need: skips where the kernel or its modules are not installed.
uml_need()
{
	UML=${UML:-linux.uml}
	need "$UML"
	ls /usr/lib/uml/modules/*/kernel/fs/fat/vfat.ko* >/dev/null 2>&1 ||
		skip "/usr/lib/uml/modules has no vfat module"
	command -v insmod >/dev/null || skip "insmod is not installed (kmod)"
}

# uml_run IMAGE [MOUNT-OPTIONS] <SCRIPT: mounts the image with vfat and runs
# the script in its root directory. Leaves behind: job.out (what the script
# printed), dmesg (what the kernel said since just before the mount). The
# result is the script's exit status; 99 when the machine did not come up or
# did not end in time, its console is printed then.
uml_run()
{
	local dir=$T/uml.$RANDOM
	mkdir -p "$dir/run"
	cat >"$dir/job"
	timeout -k 5 "${UML_TIMEOUT:-120}" "$UML" mem=64M \
		uml_dir="$dir/run" ubd0="$1" root=/dev/root \
		rootfstype=hostfs rootflags=/ ro \
		init="$tests/consumers/uml_init.sh" \
		fattest_dir="$dir" fattest_opts="${2:-defaults}" \
		con=null con0=fd:0,fd:1 con1=null \
		</dev/null >"$dir/console" 2>&1
	rm -f job.out dmesg
	if [ ! -s "$dir/status" ]; then
		echo "user-mode-linux did not finish; its console:"
		tail -n 40 "$dir/console" | sed 's/^/  | /'
		: >job.out
		: >dmesg
		return 99
	fi
	cp "$dir/job.out" "$dir/dmesg" .
	return "$(cat "$dir/status")"
}
