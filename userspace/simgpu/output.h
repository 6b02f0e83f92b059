/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output: one JSON document for programs, tables for people. Ratios are
 * printed from integers in parts per million, so they are exact in JSON.
 */
#ifndef SIMGPU_OUTPUT_H
#define SIMGPU_OUTPUT_H

#include <json-c/json.h>
#include <stdio.h>

#include "command.h"
#include "statistics.h"

static inline double ppm_ratio(u64 value_ppm)
{
	return (double)value_ppm / SIMGPU_PPM;
}

struct table;

#endif /* SIMGPU_OUTPUT_H */
