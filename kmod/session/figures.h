/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The figures of tenants and devices by name: a table for each, over which all loop that
 * tell them (sysfs, netlink, JSON) or read them again.
 */
#ifndef SESSION_FIGURES_H
#define SESSION_FIGURES_H

#include <linux/simgpu.h>

#include "session.h"

/* What a figure is in the report; where that differs, what it is told as. */
enum figure_unit {
	FIGURE_NUMBER,	/* 64 bits */
	FIGURE_SMALL,	/* 32 bits */
	FIGURE_SIGNED,	/* 64 bits, maybe below 0 */
	FIGURE_RATIO,	/* millionths; a decimal */
	FIGURE_TIME,	/* nanoseconds; microseconds */
	FIGURE_ENERGY,	/* picojoules; joules */
	FIGURE_TRUTH,	/* a flag; 0 or 1 */
	FIGURE_SMS,	/* a set of SMs; a list */
	FIGURE_BITS,	/* a bit each in 64; a list */
	FIGURE_DOUBTS,	/* SIMGPU_DOUBT_*, 32 bits; their names, or "none" */
};

/* When a figure is known. Otherwise it has no file and no attribute, and is null in JSON. */
enum figure_known {
	KNOWN_ALWAYS,
	KNOWN_WITH_CYCLES,	/* once time has passed with the tenant */
	KNOWN_WITH_LAUNCHES,	/* once a launch has ended */
	KNOWN_WITH_GOAL,
	KNOWN_WITH_QUOTAS,	/* once it has used some of its quotas */
	KNOWN_WITH_MANAGED,	/* while memory of it is managed */
	KNOWN_WITH_COPIES,	/* once a queue of it has come to a copy */
	KNOWN_WITH_FLAG,
	KNOWN_IF_SET		/* unless it is 0, or an empty set */
};

/**
 * struct figure - a figure of a tenant or a device
 * @name: name of its file in sysfs, and in JSON
 * @offset: offset in &struct simgpu_tenant_report, or in &struct device_report
 * @more: of a set of SMs: offset of its words behind the first SIMGPU_SM_WORDS
 * @source: of a tenant: offset in &struct session_tenant_report
 * @source_bytes: bytes of that member
 * @unit: &enum figure_unit
 * @known: &enum figure_known
 * @netlink: attribute of a tenant or a device
 * @in_latency: whether the attribute is in the nest of latencies
 * @flag: flag that is the value of a truth, or that tells whether another figure is known:
 *	of a tenant one of SIMGPU_REPORT_*, of a device one of DEVICE_*
 */
struct figure {
	const char *name;
	u16 offset;
	u16 more;
	u16 source;
	u8 source_bytes;
	u8 unit;
	u8 known;
	u8 netlink;
	bool in_latency;
	u32 flag;
};

/* Most figures of a tenant */
#define FIGURES_MAX	80

extern const struct figure tenant_figures[];
extern const u32 tenant_figure_count;

/* Loop over all figures of a tenant. */
#define each_figure(figure)						\
	for ((figure) = tenant_figures;					\
	     (figure) < tenant_figures + tenant_figure_count; (figure)++)

/* Which figures of a device are known */
enum device_known {
	/* Metrics of an epoch; only for readers who may read aggregates. */
	DEVICE_METRICS = 1,
	/* The GPU has a table of energies; only for readers who may read counters. */
	DEVICE_ENERGY = 2,
	/* It has memory for managed pages; for the same readers. */
	DEVICE_MEMORY = 4,
	/* Something has failed in the session; for the same readers. */
	DEVICE_FAILURES = 8,
	/* Clock, and power of a GPU whose energies are known; for the same readers. */
	DEVICE_CLOCK = 16,
	DEVICE_POWER = 32
};

/**
 * struct device_report - the figures of a device
 * @flags: DEVICE_*: which are known
 * @metrics: of the last epoch with predictions
 * @np_doubts: SIMGPU_DOUBT_* of the NPs that @metrics are made of
 * @energy_pj: picojoules that the GPU has taken since its cold start
 * @static_pj: of these, while time has passed, whoever worked
 * @instructions_per_joule: thread instructions of all tenants over @energy_pj
 * @memory_bytes: device memory for managed pages, while a tenant has used it in the session
 * @memory_used_bytes: of these, chunks that hold pages
 * @failures: what has failed, as session_failure_times() tells
 * @power: clock and power, as session_power() tells
 */
struct device_report {
	u32 flags;
	struct metrics metrics;
	u32 np_doubts;
	u64 energy_pj;
	u64 static_pj;
	u64 instructions_per_joule;
	u64 memory_bytes;
	u64 memory_used_bytes;
	struct session_failure_times failures;
	struct session_power power;
};

/* Most figures of a device */
#define DEVICE_FIGURES_MAX	18

extern const struct figure device_figures[];
extern const u32 device_figure_count;

#define each_device_figure(figure)					\
	for ((figure) = device_figures;					\
	     (figure) < device_figures + device_figure_count; (figure)++)

/* "held,memory-waits", or "none"; into ROW_SM_LIST_BYTES. Returns its length. */
size_t doubts_text(u64 doubts, char *text);

static inline bool device_figure_is_known(const struct figure *figure,
					  const struct device_report *report)
{
	return report->flags & figure->flag;
}

/* Sets the energies: @static_pj for the time that passed, @events_pj for all events. */
void device_report_energy(struct device_report *report, u64 static_pj, u64 events_pj,
			  u64 instructions);

/* Copies all figures from the session's report to the UAPI's. */
void figures_report(const struct session_tenant_report *report,
		    struct simgpu_tenant_report *out);
bool figure_is_known(const struct figure *figure,
		     const struct simgpu_tenant_report *report);
/* The words of a set of SMs */
void figure_sms(const struct figure *figure, const struct simgpu_tenant_report *report,
		u64 words[SESSION_SM_WORDS]);
/* The value in the report of a tenant or a device; of a set of SMs the first word */
u64 figure_value(const struct figure *figure, const void *report);

/**
 * figure_text() - write a figure in the form of sysfs and JSON
 * @figure: the figure
 * @report: report of a tenant or a device
 * @text: set to the text, without a newline; ROW_SM_LIST_BYTES long
 *
 * Return: the text's length.
 */
size_t figure_text(const struct figure *figure, const void *report, char *text);

#endif /* SESSION_FIGURES_H */
