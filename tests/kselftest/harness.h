/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's kselftest_harness.h, whose tests have several times as long in a debug
 * kernel: there every access to memory is checked, under emulation besides.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include "patience.h"

/* The harness calls it to set a test's limit, and with 0 to remove it. */
static inline unsigned int patient_alarm(unsigned int seconds)
{
	return alarm(seconds * patience());
}

#define alarm	patient_alarm
#include "kselftest_harness.h"
#undef alarm

#endif /* HARNESS_H */
