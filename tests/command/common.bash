# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What the tests of commands share; sourced. Needs $folder, where the last
# command's output is kept in out and err.
# shellcheck disable=SC2154

number=0
failures=0

# verdict NAME STATUS [DETAIL-FILE...]
verdict() {
	number=$((number + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $number - $1"
		return
	fi
	echo "not ok $number - $1"
	shift 2
	sed 's/^/# /' "$@" 2>/dev/null | head -n 20
	failures=$((failures + 1))
}

# expect NAME STATUS PATTERN COMMAND...: the status, and the pattern on stderr
expect() {
	local name=$1 want=$2 pattern=$3 got=0
	shift 3
	"$@" >"$folder/out" 2>"$folder/err" </dev/null || got=$?
	[ "$got" -eq "$want" ] && grep -qE -- "$pattern" "$folder/err"
	verdict "$name (status $got, want $want)" $? "$folder/err" "$folder/out"
}

# succeed NAME PATTERN COMMAND...: status 0, and the pattern on stdout
succeed() {
	local name=$1 pattern=$2
	shift 2
	"$@" >"$folder/out" 2>"$folder/err" </dev/null &&
		grep -qE -- "$pattern" "$folder/out"
	verdict "$name" $? "$folder/err" "$folder/out"
}

# works NAME COMMAND...: status 0
works() {
	local name=$1
	shift
	"$@" >"$folder/out" 2>"$folder/err" </dev/null
	verdict "$name" $? "$folder/err" "$folder/out"
}
