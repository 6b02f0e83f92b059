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

# check WHAT MODE EXPECTED: kernels as NAME LOADS CONSTANTS STORES, in warp instructions
check() {
	number=$((number + 1))
	rm -f "$folder/trace"
	"$build/simgpu" trace record -o "$folder/trace" -- \
		"$build/tests/recorder_corners" "$2" >"$folder/log" 2>&1
	"$build/simgpu" trace info --json "$folder/trace" 2>>"$folder/log" |
		jq -r '.traces[].kernels[] | "\(.name) \(.kinds.load.warp_instructions // 0) \(
			.kinds.constant.warp_instructions // 0) \(
			.kinds.store.warp_instructions // 0)"' >"$folder/got"
	if [ "$(cat "$folder/got")" = "$3" ]; then
		echo "ok $number - $1"
	else
		sed 's/^/# /' "$folder/got" "$folder/log"
		echo "not ok $number - $1"
		failed=1
	fi
}

check "pixels are loads, with a sampler as without" images 'sampled 8 0 2
plain 8 0 2'
check "sums that saturate or overflow, and bits in reverse" intrinsics 'all 3 0 10'
check "a launch of no work-items is none" nothing 'one 0 0 2'
check "objects that are released after main()" late 'one 0 0 2'
echo "1..$number"
exit "$failed"
