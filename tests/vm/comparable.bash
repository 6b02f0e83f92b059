# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash

# comparable FILE: what a device's document has to have in common with the offline one.
# What may differ stands at its end; of SMs that still drain, and of the error of sampled time,
# a device does not tell.
comparable() {
	sed -E 's/,"wall_seconds".*//; s/,"(sms_draining|leapt_error|launches_leapt|latency_(mean|p99)_(low|high)_us)":[^,}]*//g' "$1"
}
