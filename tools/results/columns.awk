# SPDX-License-Identifier: GPL-2.0
# Names for the columns of a CSV file with a header: $at["np_actual"].
BEGIN { FS = ","; OFS = " " }
FNR == 1 {
	for (i = 1; i <= NF; i++)
		at[$i] = i
	next
}
function distance(a, b) { return a > b ? a - b : b - a }
