// SPDX-License-Identifier: GPL-2.0
/*
 * No call waits for long while another tenant computes, and eight processes that do
 * nothing but one call do not keep the device from it. What is measured and how is
 * the benchmark's.
 */
#define LATENCY_IS_TEST	true
#include "../../tools/bench/latency.c"
