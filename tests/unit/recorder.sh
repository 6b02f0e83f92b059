#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Records tests/unit/recorder_kernels.c in every way that test_recorder.c asks
# about, and lets it judge what came out. Prints TAP. Run from the top folder
# after `make recorder` and the test programs; `make check` does both.

build=${BUILD:-build}
if ! command -v oclgrind >/dev/null; then
	echo "1..0 # SKIP oclgrind is not installed"
	exit 0
fi

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# record NAME [WAY]: leaves NAME.trace if there is one, .status and .err
record() {
	SIMGPU_RECORD_OUTPUT="$folder/$1.trace" SIMGPU_RECORD_NAME="$1 test" \
		oclgrind --plugins "$PWD/$build/librecorder.so" \
		"$build/tests/recorder_kernels" ${2:+"$2"} \
		>"$folder/$1.out" 2>"$folder/$1.err"
	echo $? >"$folder/$1.status"
}

record kernels
cp "$folder/kernels.trace" "$folder/first.trace"
record kernels
for way in exit-3 abort no-kernel async-copy out-of-bounds; do
	record "$way" "$way"
done
SIMGPU_RECORD_MAX_BYTES=8192 record limit
SIMGPU_RECORD_MAX_BYTES=much record bad-limit
SIMGPU_RECORD_PROGRESS=1 record progress

# The table in the documentation is the recorder's.
tools/record/weights-table >"$folder/weights"
grep -vxFf docs/recorder.md "$folder/weights" >"$folder/weights.missing" ||
	[ $? = 1 ] || cp "$folder/weights" "$folder/weights.missing"

"$build/tests/test_recorder" "$folder"
