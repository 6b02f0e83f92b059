# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of BPF policies need of the machine; sets headers, those of the 6.12
# kernel.

skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

find_headers() {
	find /lib/modules -maxdepth 1 -name '6.12.*' | sort -V | while read -r folder; do
		if [ -e "$folder/build" ]; then
			echo "$folder/build"
		fi
	done | tail -n 1
}

check_tools() {
	local why status=0

	headers=$(find_headers)
	clang -print-targets 2>/dev/null | grep -qw bpf ||
		skip 'there is no clang that compiles BPF programs (package clang)'
	type -P pahole >/dev/null ||
		skip 'there is no pahole, which gives modules their BTF (package pahole)'
	[ -e "$headers/vmlinux" ] ||
		skip 'the headers of a 6.12 kernel with its BTF are not there (package linux-headers-6.12-cloud-amd64)'
	why=$(tools/build-libbpf 2>&1 >/dev/null) || status=$?
	[ "$status" -ne 3 ] || skip "${why#*: }"
	# What is installed and does not build is a failure.
	if [ "$status" -ne 0 ]; then
		printf '%s\n' "$why"
		exit 1
	fi
}
