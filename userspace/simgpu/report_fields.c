// SPDX-License-Identifier: GPL-2.0
/* Figures of a tenant's report by name; see report_fields.h. */
#include "report_fields.h"

/* The report's units in those of sysfs and JSON. */
#define ONE		1
#define NS_PER_US	1000
#define PPM		1e6
#define PJ_PER_J	1e12

/* What a figure is: a truth is nothing but its flag. */
enum kind {
	IS_WORD,	/* 64 bits */
	IS_SMALL,	/* 32 bits */
	IS_TRUTH,
};

/*
 * struct field - a figure of the report
 * @unit: of the report's, how many make one of @name's
 * @flag: of SIMGPU_REPORT_*, set if it is known; of a truth, if it is true
 */
struct field {
	const char *name;
	size_t offset;
	double unit;
	u32 flag;
	enum kind kind;
};

#define AT(member)	offsetof(struct simgpu_tenant_report, member)

static const struct field fields[] = {
	{ "sms", AT(sms), ONE, 0, IS_SMALL },
	{ "shared_sms", AT(shared_sms), ONE, 0, IS_SMALL },
	{ "launches", AT(launches), ONE, 0, IS_WORD },
	{ "launches_waiting", AT(launches_waiting), ONE, 0, IS_WORD },
	{ "deadline_misses", AT(deadline_misses), ONE, 0, IS_WORD },
	{ "goodput", AT(goodput_ppm), PPM, 0, IS_WORD },
	{ "latency_p50_us", AT(latency_p50_ns), NS_PER_US, 0, IS_WORD },
	{ "latency_p95_us", AT(latency_p95_ns), NS_PER_US, 0, IS_WORD },
	{ "latency_p99_us", AT(latency_p99_ns), NS_PER_US, 0, IS_WORD },
	{ "wait_mean_us", AT(wait_mean_ns), NS_PER_US, 0, IS_WORD },
	{ "run_mean_us", AT(run_mean_ns), NS_PER_US, 0, IS_WORD },
	{ "goal_ipc", AT(goal_ipc_ppm), PPM, 0, IS_WORD },
	{ "goal_met", 0, ONE, SIMGPU_REPORT_GOAL_MET, IS_TRUTH },
	{ "goal_instructions", AT(goal_instructions), ONE, 0, IS_WORD },
	{ "goal_promised", AT(goal_promised), ONE, 0, IS_WORD },
	{ "quota", AT(quota), ONE, 0, IS_WORD },
	{ "quota_left", AT(quota_left), ONE, SIMGPU_REPORT_QUOTA, IS_WORD },
	{ "quota_used", AT(quota_used_ppm), PPM, 0, IS_WORD },
	{ "blocks", AT(blocks), ONE, 0, IS_WORD },
	{ "blocks_per_sm", AT(blocks_per_sm_ppm), PPM, 0, IS_WORD },
	{ "idle_blocks", AT(idle_blocks_ppm), PPM, 0, IS_WORD },
	{ "energy_joules", AT(energy_pj), PJ_PER_J, SIMGPU_REPORT_ENERGY, IS_WORD },
};

const char *report_field_name(u32 index)
{
	return index < ARRAY_SIZE(fields) ? fields[index].name : NULL;
}

void report_field_set(struct simgpu_tenant_report *report, u32 index,
		      double value)
{
	const struct field *field = &fields[index];
	char *at = (char *)report + field->offset;

	if (field->flag && (field->kind != IS_TRUTH || value > 0))
		report->flags |= field->flag;
	if (field->kind == IS_TRUTH)
		return;
	value *= field->unit;
	/* Half a unit, so that decimals come back as they were; one may be below 0. */
	if (field->kind == IS_SMALL)
		*(u32 *)at = (u32)(value + 0.5);
	else
		*(u64 *)at = (u64)(s64)(value < 0 ? value - 0.5 : value + 0.5);
}
