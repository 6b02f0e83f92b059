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
for way in exit-3 abort no-kernel out-of-bounds many launches; do
	record "$way" "$way"
done
SIMGPU_RECORD_PLAIN=1 record plain
SIMGPU_RECORD_SAMPLE=5 record sampled many
SIMGPU_RECORD_SAMPLE=5 SIMGPU_RECORD_ONLY_SAMPLED=1 record only-sampled many
for n in 2 3 7 100; do
	SIMGPU_RECORD_SAMPLE=$n record "sampled-$n"
done
SIMGPU_RECORD_SAMPLE=100 record few-sampled many
SIMGPU_RECORD_SAMPLE=0x5 record bad-sample
OCLGRIND_BUILD_OPTIONS=-cl-std=CL2.0 record uneven uneven

# Killed in the middle of a kernel.
SIMGPU_RECORD_OUTPUT="$folder/killed.trace" \
	oclgrind --plugins "$PWD/$build/librecorder.so" \
	"$build/tests/recorder_kernels" wait >/dev/null 2>"$folder/killed.err" &
sleep 2
kill -KILL "$!"
wait "$!" 2>/dev/null
echo $? >"$folder/killed.status"

# A million work-groups, of which 65536 are run.
OCLGRIND_GLOBAL_MEM_SIZE=1073741824 SIMGPU_RECORD_ONLY_SAMPLED=1 \
	record million million

# The programs in two forms, which must say the same.
while read -r program size; do
	for plain in 0 1; do
		SIMGPU_RECORD_PLAIN=$plain \
		SIMGPU_RECORD_OUTPUT="$folder/$program-$plain.trace" \
			oclgrind --plugins "$PWD/$build/librecorder.so" \
			"$build/programs/$program" "$size" >/dev/null 2>&1
	done
done <<END
stream 65536
walsh 16
nbody 1024
END
SIMGPU_RECORD_MAX_BYTES=8192 record limit
SIMGPU_RECORD_MAX_BYTES=much record bad-limit
SIMGPU_RECORD_PROGRESS=1 record progress

# The table in the documentation is the recorder's.
tools/record/weights-table >"$folder/weights"
grep -vxFf docs/recorder-internals.md "$folder/weights" >"$folder/weights.missing" ||
	[ $? = 1 ] || cp "$folder/weights" "$folder/weights.missing"

# The format's page has the names in the header: constants, structs' fields.
awk '
$1 == "#define" && $2 ~ /^SIMGPU_TRACE_/ && $2 !~ /_(MAX|MAGIC|VERSION|BYTES)$/ { print $2 }
/^\tSIMGPU_TRACE_/ && !/SECTIONS/ { sub(/[, ].*/, "", $1); print $1 }
/^\t(__[us]|struct|char)/ && /;/ { sub(/[[;].*/, "", $NF); print $NF }
' include/uapi/linux/simgpu_trace.h | sort -u | while read -r name; do
	grep -qw -- "$name" docs/trace-format.md || echo "$name"
done >"$folder/names.missing"

"$build/tests/test_recorder" "$folder"
