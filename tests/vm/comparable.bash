# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash

# comparable FILE: what a device's document has to have in common with the offline one.
# What may differ stands at its end; of SMs that still drain a device does not tell.
comparable() {
	sed -E 's/,"wall_seconds".*//; s/,"sms_draining":[^,}]*//g' "$1"
}
