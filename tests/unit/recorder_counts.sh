#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Records tests/unit/recorder_counts.c and holds what `simgpu trace info --json` says
# of its kernels against the counts that stand beside them. Prints TAP. Run from the
# top folder after `make recorder build/simgpu build/tests/recorder_counts`.

build=${BUILD:-build}
if ! command -v oclgrind >/dev/null; then
	echo "1..0 # SKIP oclgrind is not installed"
	exit 0
fi

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

if ! "$build/simgpu" trace record -o "$folder/trace" -- "$build/tests/recorder_counts" \
	>"$folder/log" 2>&1; then
	sed 's/^/# /' "$folder/log"
	echo "Bail out! nothing was recorded"
	exit 1
fi
"$build/simgpu" trace info --json "$folder/trace" |
	jq -r '.traces[].kernels[] | [.name, .kinds.load.warp_instructions,
		.kinds.store.warp_instructions, .lines] | join(" ")' >"$folder/got"

"$build/tests/recorder_counts" --expected | awk '
NR == FNR { got[$1] = $2 " loads, " $3 " stores, " $4 " lines"; next }
{
	expected = $2 " loads, " $3 " stores, " $4 " lines"
	failed += got[$1] != expected
	if (got[$1] != expected)
		print "# not " got[$1]
	print (got[$1] == expected ? "" : "not ") "ok " FNR " - " $1 ": " expected
}
END { print FNR >count_file; exit failed > 0 }' count_file="$folder/count" \
	"$folder/got" -
failed=$?

# What Oclgrind stops at is left out, with a word of it, as the program goes on.
"$build/simgpu" trace record -o "$folder/trace" -- "$build/tests/recorder_counts" --stopped \
	>"$folder/log" 2>&1
names=$("$build/simgpu" trace info --json "$folder/trace" |
	jq -r '[.traces[].kernels[].name] | join(" ")')
tests=$(($(cat "$folder/count") + 1))
if [ "$names" = 'good good' ] &&
	grep -q "stopped in 1 launches, the last of kernel 'stopped'" "$folder/log"; then
	echo "ok $tests - a kernel that Oclgrind stops at is left out"
else
	sed 's/^/# /' "$folder/log"
	echo "not ok $tests - a kernel that Oclgrind stops at is left out"
	failed=1
fi
echo "1..$tests"
exit "$failed"
