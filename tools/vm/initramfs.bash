# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Packs the guest's file system: a base (busybox, init, the kernel's own
# modules) that is cached, and the files of this run.  Each file is carried in
# at the path where the host has it, so that a command line means the same on
# both sides.  Sourced by run, whose variables these are:
# shellcheck disable=SC2154

base_archive=

# Kernel modules that the guest loads before anything else: the ports that it
# talks through, and configfs for simgpu.
readonly guest_modules=(virtio_pci virtio_console configfs)

# The archives are uncompressed: the guest would unpack slowly.
pack() {
	cpio --quiet -o -0 -H newc -L -R +0:+0 --reproducible
}

# ---- the base ----

base_key() {
	{
		stat -c '%n %Y %s' "$busybox" "$kernel_image"
		cat "$vm_directory/init" "$vm_directory/initramfs.bash"
	} | sha256sum | cut -c 1-16
}

make_base_archive() {
	local name scratch

	name=$cache/base-$kernel_release
	base_archive=$name-$(base_key)
	if [[ -f $base_archive ]]; then
		return
	fi
	fill_base "$work/base"
	scratch=$(mktemp "$cache/base.XXXXXX")
	(cd "$work/base" && find . -mindepth 1 -print0 |
		cpio --quiet -o -0 -H newc -R +0:+0 >"$scratch")
	rm -rf "$work/base" "$name"-*
	chmod 644 "$scratch"
	mv "$scratch" "$base_archive"
}

fill_base() {
	local root=$1 applet

	(cd / && umask 022 && mkdir -p "$root"/{bin,dev,etc,out,proc,root,run,sbin,sys,tmp,usr/bin,usr/sbin,usr/local/bin,vm})
	chmod 1777 "$root/tmp"
	cp "$busybox" "$root/bin/busybox"
	while read -r applet; do
		[[ $applet == bin/busybox ]] || ln -sf /bin/busybox "$root/$applet"
	done < <("$busybox" --list-full | grep -E '^(usr/)?s?bin/')
	install -m 755 "$vm_directory/init" "$root/init"
	printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/tmp:/bin/sh\n' >"$root/etc/passwd"
	printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"
	printf '127.0.0.1 localhost simgpu-guest\n' >"$root/etc/hosts"
	if [[ $kernel_has_modules == yes ]]; then
		add_modules "$root/vm/modules" "${guest_modules[@]}"
	fi
}

# Puts the modules $2... and what they depend on into the folder $1, unpacked,
# in the order of loading, which the file "order" there tells.
add_modules() {
	local folder=$1 verb path name
	shift

	mkdir -p "$folder"
	touch "$folder/order"
	while read -r verb path _; do
		if [[ $verb != insmod ]]; then
			continue
		fi
		name=${path##*/}
		name=${name%%.ko*}.ko
		if grep -qxF "$name" "$folder/order"; then
			continue
		fi
		unpack_module "$path" >"$folder/$name"
		echo "$name" >>"$folder/order"
	done < <(modprobe -S "$kernel_release" --show-depends -a "$@")
}

unpack_module() {
	case $1 in
	*.xz) xz -dc "$1" ;;
	*.zst) zstd -dcq "$1" ;;
	*.gz) gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac
}

# ---- this run ----

# Absolute paths of the files to carry in.
carried=()

carry() {
	carried+=("$(realpath -s -- "$1")")
}

# The guest has these of its own.
is_of_the_guest() {
	case $(realpath -s -- "$1") in
	/dev/* | /proc/* | /sys/* | /out/* | /vm/*) return 0 ;;
	*) return 1 ;;
	esac
}

# FILE, FILE:key=value,... or --option=FILE
carry_argument() {
	local name

	for name in "$1" "${1%%:*}" "${1#*=}"; do
		if [[ -n $name && -f $name ]] && ! is_of_the_guest "$name"; then
			carry "$name"
			return
		fi
	done
}

# The command's first word may be a file, a tool or test in build/, one of
# busybox's, or a program of the host, in this order.
find_command() {
	local word=$1 found=

	if [[ $word == */* || -x $top/build/$word ]]; then
		return
	fi
	if [[ -d $top/build ]]; then
		found=$(find "$top/build" -path "$top/build/cache" -prune -o \
			-type f -name "$word" -perm -u+x -print -quit)
	fi
	if [[ -z $found ]] && ! is_applet "$word"; then
		found=$(type -P -- "$word") || found=
	fi
	if [[ -n $found ]]; then
		command[0]=$found
	fi
}

is_applet() {
	[[ $applets == *" $1 "* ]]
}

# Libraries in build/ follow the programs that need them.
carry_tools() {
	local tool

	while IFS= read -r -d '' tool; do
		carry "$tool"
	done < <(find -L "$top/build" -maxdepth 1 -type f -perm -u+x ! -name '*.so*' -print0 2>/dev/null)
}

# BPF programs that simgpu policy load finds by name.
carry_policies() {
	local path

	for path in "$top"/build/policies/*.bpf.o; do
		[[ ! -f $path ]] || carry "$path"
	done
}

carry_copies() {
	local path file

	for path in ${copies[@]+"${copies[@]}"}; do
		while IFS= read -r -d '' file; do
			carry "$file"
		done < <(find -L "$path" \( -type f -o -type d \) -print0)
	done
}

# A script needs its interpreter; sh, and whatever else busybox knows, is there.
carry_interpreter() {
	local line interpreter argument

	IFS= LC_ALL=C read -r line <"$1" 2>/dev/null || return 0
	read -r interpreter argument _ <<<"${line#\#!}"
	if [[ $interpreter == */env ]]; then
		interpreter=$(type -P -- "$argument") || return 0
	fi
	if ! is_applet "${interpreter##*/}" && [[ -f $interpreter ]]; then
		carry "$interpreter"
	fi
}

# Adds interpreters, then the shared libraries of all dynamic programs.
carry_dependencies() {
	local path start programs=()

	for path in ${carried[@]+"${carried[@]}"}; do
		start=
		[[ -d $path ]] || IFS= LC_ALL=C read -r -N 2 start <"$path" 2>/dev/null || true
		[[ $start != '#!' ]] || carry_interpreter "$path"
	done
	for path in ${carried[@]+"${carried[@]}"}; do
		start=
		[[ -d $path ]] || IFS= LC_ALL=C read -r -N 4 start <"$path" 2>/dev/null || true
		[[ $start != $'\x7fELF' || $path == *.ko || $path == *.o ]] || programs+=("$path")
	done
	if [[ ${#programs[@]} -gt 0 ]]; then
		carry_libraries "${programs[@]}"
	fi
}

# What is missing here will be missed there by the loader, which tells so.
carry_libraries() {
	local name arrow path

	while read -r name arrow path _; do
		if [[ $arrow == '=>' && $path == /* ]]; then
			carry "$path"
			[[ $name != libc.so.6 ]] || carry_unwinder "$path"
		elif [[ $name == /* && $arrow == '('* ]]; then
			carry "$name"
		fi
	done < <(LD_LIBRARY_PATH=$top/build ldd "$@" 2>/dev/null)
}

# The C library loads it by itself when a thread is cancelled.
carry_unwinder() {
	local library=${1%/*}/libgcc_s.so.1

	if [[ -f $library ]]; then
		carry "$library"
	fi
}

quote() {
	printf "'%s'" "${1//\'/\'\\\'\'}"
}

write_settings() {
	local word module_path=${module:+$(realpath -s -- "$module")}

	{
		printf 'timeout_seconds=%s\n' "$timeout_seconds"
		printf 'module=%s\n' "$(quote "$module_path")"
		printf 'module_parameters=%s\n' "$(quote "$module_parameters")"
		printf 'send_out=%s\n' "${out_directory:+yes}"
		printf 'shared=%s\n' "$(quote "$shared")"
		[[ $terminal == no ]] || printf 'terminal=%s\n' "$(quote "$(stty size)")"
	} >"$1/settings"
	{
		printf 'cd %s || exit 125\nexec' "$(quote "$start_folder")"
		for word in "${command[@]}"; do
			printf ' %s' "$(quote "$word")"
		done
		printf '\n'
	} >"$1/command"
	{
		printf 'export TERM=%s\n' "$(quote "$(terminal_name)")"
		printf 'export HOME=/root SIMGPU_VM=1 SIMGPU_MODULE=%s\n' "$(quote "$module_path")"
		printf 'export PATH=%s/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n' "$(quote "$top/build:")"
		printf 'export LD_LIBRARY_PATH=%s\n' "$(quote "$top/build")"
	} >"$1/environment"
}

terminal_name() {
	if [[ $terminal == yes ]]; then echo "${TERM:-linux}"; else echo linux; fi
}

# What the host knows of its terminal, and of the one that tmux is.
carry_terminfo() {
	local name folder

	for name in "$(terminal_name)" tmux-256color screen screen-256color; do
		for folder in /etc/terminfo /lib/terminfo /usr/share/terminfo; do
			[[ ! -f $folder/${name::1}/$name ]] || carry "$folder/${name::1}/$name"
		done
	done
}

# Names relative to /, each after the folders that it is in, once.
list_with_folders() {
	local path name word words
	local -A seen=()

	for path in "$start_folder" ${carried[@]+"${carried[@]}"}; do
		IFS=/ read -r -d '' -a words < <(printf '%s' "${path#/}") || true
		name=
		for word in ${words[@]+"${words[@]}"}; do
			name=${name:+$name/}$word
			if [[ -n $name && -z ${seen[$name]:-} ]]; then
				seen[$name]=1
				printf '%s\0' "$name"
			fi
		done
	done
}

make_initramfs() {
	local word

	find_command "${command[0]}"
	for word in "${command[@]}"; do
		carry_argument "$word"
	done
	carry_tools
	carry_policies
	carry_copies
	[[ $terminal == no ]] || carry_terminfo
	[[ -z $shared ]] || carry "$(type -P sshfs)"
	carry_dependencies
	if [[ -n $module ]]; then
		carry "$module"
		carry_extra_modules "${module%/*}/extra"
	fi

	mkdir -p "$work/run/vm"
	write_settings "$work/run/vm"
	if [[ -n $module ]]; then
		carry_module_dependencies "$work/run/vm/modules-of-module"
	fi
	[[ -z $shared ]] || add_modules "$work/run/vm/modules-of-share" virtio_net fuse
	cat "$base_archive" >"$work/initramfs"
	(cd "$work/run" && find . -mindepth 1 -print0 | pack) >>"$work/initramfs"
	(cd / && list_with_folders | pack) >>"$work/initramfs"
}

# Modules that tests load by themselves.
carry_extra_modules() {
	local extra

	for extra in "$1"/*.ko; do
		[[ ! -f $extra ]] || carry "$extra"
	done
}

carry_module_dependencies() {
	local names

	IFS=, read -r -a names < <(modinfo -F depends "$module") || true
	if [[ ${#names[@]} -gt 0 ]]; then
		add_modules "$1" "${names[@]}"
	fi
}
