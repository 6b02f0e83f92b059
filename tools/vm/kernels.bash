# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The kernels that tools/vm/run can boot: where they are, which packages bring
# them, and the form in which they start fastest.  A new kind of kernel is a
# line in supported_kernels and a case in find_kernel.  Sourced by run, with
# whose variables it deals:
# shellcheck disable=SC2034,SC2154

# Set by find_kernel: the release, the image, what QEMU is given, against what
# modules are built, whether it has modules of its own to carry in, and the
# kind of machine that it runs on.
kernel_release=
kernel_image=
kernel_boot_image=
kernel_headers=
kernel_has_modules=yes
kernel_machine=pc

# What serves a shared folder to sshfs in the guest.
readonly sftp_server=/usr/lib/openssh/sftp-server

# Set by find_busybox: its path, and its commands between spaces.
busybox=
applets=

supported_kernels() {
	echo 6.1 6.12 debug
}

is_supported_kernel() {
	[[ " $(supported_kernels) " == *" $1 "* ]]
}

# The Debian package of $1 (image or headers) for the kernel $2.
kernel_package() {
	case $2 in
	6.1) echo "linux-$1-cloud-amd64" ;;
	*) echo "linux-$1-$2-cloud-amd64" ;;
	esac
}

missing_package() {
	fail "$1: not found.  'tools/install-packages vm' installs it (package $2)"
}

check_machine() {
	[[ $(uname -m) == x86_64 ]] || fail "guests are x86-64, and this machine is $(uname -m)"
	command -v qemu-system-x86_64 >/dev/null ||
		missing_package qemu-system-x86_64 qemu-system-x86
	command -v cpio >/dev/null || missing_package cpio cpio
	command -v modprobe >/dev/null || PATH=$PATH:/usr/sbin:/sbin
	command -v modprobe >/dev/null || missing_package modprobe kmod
	[[ -z $shared ]] || find_sshfs
	find_busybox
}

# What shares a folder with a guest: sshfs there, the sftp server here.
find_sshfs() {
	command -v sshfs >/dev/null || missing_package sshfs sshfs
	[[ -x $sftp_server ]] || missing_package "$sftp_server" openssh-sftp-server
}

# Only a static busybox works in a guest that has no C library.
find_busybox() {
	busybox=$(command -v busybox) || missing_package busybox busybox-static
	if ldd "$busybox" >/dev/null 2>&1; then
		missing_package "a static busybox" busybox-static
	fi
	applets=" $("$busybox" --list | tr '\n' ' ') "
}

find_kernel() {
	local images

	case $1 in
	6.1 | 6.12)
		mapfile -t images < <(compgen -G "/boot/vmlinuz-$1.*-cloud-amd64" | sort -V)
		[[ ${#images[@]} -gt 0 ]] ||
			missing_package "Debian's cloud kernel $1" "$(kernel_package image "$1")"
		kernel_image=${images[-1]}
		kernel_release=${kernel_image#/boot/vmlinuz-}
		kernel_headers=/lib/modules/$kernel_release/build
		;;
	debug)
		find_debug_kernel "$(dirname "$cache")/debug-kernel"
		return
		;;
	esac
	[[ -r $kernel_image ]] || fail "$kernel_image cannot be read by this user"
	find_boot_image
}

# Built from source once; everything that a guest needs is built in. It is small,
# so it boots as it is.
find_debug_kernel() {
	"$vm_directory/build-debug-kernel" "$1" ||
		fail "there is no debug kernel.  'tools/install-packages debug' installs what builds it"
	kernel_image=$1/bzImage
	kernel_boot_image=$kernel_image
	kernel_release=$(<"$1/release")
	kernel_headers=$1/build
	kernel_has_modules=no
	# Without MSI it gets no interrupt of a PCI device on the older machine.
	kernel_machine=q35
}

# An unpacked kernel starts 0.3 to 0.9 s sooner under emulation, where the
# guest would unpack itself slowly.  QEMU starts it by the PVH entry.
find_boot_image() {
	local unpacked

	unpacked=$cache/vmlinux-$kernel_release-$(stat -c %Y-%s "$kernel_image")
	if [[ -f $unpacked ]] || unpack_kernel "$unpacked" 2>/dev/null; then
		kernel_boot_image=$unpacked
	else
		kernel_boot_image=$kernel_image
	fi
}

image_number() {
	od -An "-tu$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

# The payload's place is in the image's header (Documentation/arch/x86/boot.rst);
# its last four bytes are the size of what it unpacks to.
unpack_kernel() {
	local setup_sectors offset length size scratch

	setup_sectors=$(image_number "$kernel_image" 497 1)
	offset=$(((setup_sectors + 1) * 512 + $(image_number "$kernel_image" 584 4)))
	length=$(image_number "$kernel_image" 588 4)
	size=$(image_number "$kernel_image" $((offset + length - 4)) 4)
	scratch=$(mktemp "$cache/vmlinux.XXXXXX")
	tail -c "+$((offset + 1))" "$kernel_image" | head -c "$((length - 4))" >"$work/payload" || true
	unpack_payload >"$scratch" || true
	rm -f "$work/payload"
	if [[ $(stat -c %s "$scratch") -ne $size ]]; then
		rm -f "$scratch"
		return 1
	fi
	rm -f "$cache/vmlinux-$kernel_release"-*
	chmod 644 "$scratch"
	mv "$scratch" "$1"
}

unpack_payload() {
	case $(od -An -tx1 -N 4 "$work/payload" | tr -d ' ') in
	02214c18) lz4 -dc "$work/payload" ;;
	28b52ffd) zstd -dcq "$work/payload" ;;
	fd377a58) xz -dc "$work/payload" ;;
	1f8b*) gzip -dc "$work/payload" ;;
	*) return 1 ;;
	esac
}
