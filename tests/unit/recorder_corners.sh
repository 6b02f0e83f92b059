#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Records tests/unit/recorder_corners.c, mode by mode, and looks at the kernels of the
# traces. Prints TAP. Run from the top folder after `make recorder build/simgpu
# build/tests/recorder_corners`.

build=${BUILD:-build}
if ! command -v oclgrind >/dev/null; then
	echo "1..0 # SKIP oclgrind is not installed"
	exit 0
fi

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
number=0
failed=0

# verdict WHAT: of what is in $folder/got and should be $2
verdict() {
	number=$((number + 1))
	if [ "$(cat "$folder/got")" = "$2" ]; then
		echo "ok $number - $1"
	else
		sed 's/^/# /' "$folder/got" "$folder/log"
		echo "not ok $number - $1"
		failed=1
	fi
}

# check WHAT MODE EXPECTED: kernels as NAME LOADS CONSTANTS STORES, in warp instructions
check() {
	rm -f "$folder/trace"
	timeout 60 "$build/simgpu" trace record -o "$folder/trace" -- \
		"$build/tests/recorder_corners" "$2" >"$folder/log" 2>&1
	"$build/simgpu" trace info --json "$folder/trace" 2>>"$folder/log" |
		jq -r '.traces[].kernels[] | "\(.name) \(.kinds.load.warp_instructions // 0) \(
			.kinds.constant.warp_instructions // 0) \(
			.kinds.store.warp_instructions // 0)"' >"$folder/got"
	verdict "$1" "$3"
}

# check_all WHAT SCRIPT EXPECTED: the status, and the traces of several programs with
# their kernels
check_all() {
	rm -rf "$folder/traces"
	mkdir "$folder/traces"
	timeout 60 "$build/simgpu" trace record --name all -o "$folder/traces/t.sgtr" -- \
		sh -c "corners=$build/tests/recorder_corners; $2" >"$folder/log" 2>&1
	echo "status $?" >"$folder/got"
	for trace in "$folder"/traces/*; do
		[ ! -e "$trace" ] ||
			"$build/simgpu" trace info --json "$trace" 2>>"$folder/log" |
			jq -r --arg file "${trace##*/}" '.traces[] |
				"\($file) \(.name) \(.kernels | length)"' >>"$folder/got"
	done
	verdict "$1" "$3"
}

check "a pixel is one access, read with a sampler, without, or written" images 'sampled 2 0 2
plain 2 0 2
written 2 0 2'
check "sums that saturate or overflow, and bits in reverse" intrinsics 'all 3 0 10'
check "a launch of no work-items is none" nothing 'one 0 0 2'
check "objects that are released after main()" late 'one 0 0 2'
check "two threads, of which one waits for the other" threads "$(yes 'one 0 0 2' | head -n 60)"
check "a program that is built as OpenCL C 3.0" newest 'one 0 0 2'
check_all "programs one after another" "\$corners nothing; true; \$corners images" 'status 0
t-2.sgtr all-2 3
t.sgtr all 1'
check_all "a program that a program starts in the background" "\$corners late & true" 'status 0
t.sgtr all 1'
check_all "a child that goes on with its parent's objects" "\$corners forks" 'status 0
t-2.sgtr all-2 2
t.sgtr all 2'
check_all "one of several is killed" "\$corners killed; \$corners late" 'status 0
t.sgtr all-2 1'
grep -q 'recorder_corners launched kernels, but failed, was killed' "$folder/log" ||
	echo "its loss is not told" >>"$folder/got"
verdict "and that is told" 'status 0
t.sgtr all-2 1'
check "a program that loads OpenCL itself" loaded 'one 0 0 2'
check "a program that does not compile" unbuilt 'one 0 0 2'
grep -o "not built: error: use of undeclared identifier 'b'" "$folder/log" >"$folder/got"
verdict "and why not" "not built: error: use of undeclared identifier 'b'"

# The command is ended while a child of its program runs: nothing goes on, or is left.
rm -rf "$folder/traces"
mkdir "$folder/traces"
"$build/simgpu" trace record -o "$folder/traces/t.sgtr" -- \
	sh -c "$build/tests/recorder_kernels wait; true" >"$folder/log" 2>&1 &
recording=$!
sleep 2
kill -TERM "$recording"
wait "$recording"
{
	ls "$folder/traces"
	pgrep -f "^$build/tests/recorder_kernels wait" || echo "nothing goes on"
} >"$folder/got"
verdict "a recording that is ended leaves nothing" "nothing goes on"

# Two warps each: 32 words in 4 sectors, each word in a sector of its own, two lanes for
# each of 16 words, and all for one. On the device an atomic's request goes to a slice.
"$build/simgpu" trace record -o "$folder/trace" -- "$build/tests/recorder_corners" \
	atomics >"$folder/log" 2>&1
{
	"$build/simgpu" trace info --json "$folder/trace" |
		jq -r '.traces[] | (.kernels[] | "\(.name) \(.lines) \(.line_bytes)"),
			"all \(.lines)"'
	"$build/simgpu" run --offline --cycles 0 --json "$folder/trace" 2>>"$folder/log" |
		jq -r '"device \(.tenants[].counters.llc_accesses)"'
} >"$folder/got"
verdict "lines of atomics are the requests that the device makes" 'own 8 256
apart 64 2048
pairs 8 256
hot 64 2048
all 144
device 144'
echo "1..$number"
exit "$failed"
