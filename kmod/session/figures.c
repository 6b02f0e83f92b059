// SPDX-License-Identifier: GPL-2.0
/* The figures of tenants and devices; see figures.h. */
#include <linux/simgpu_netlink.h>

#include "rows.h"

#include <simgpu/member.h>

#define AT(member)	.offset = offsetof(struct simgpu_tenant_report, member)
#define SMS_AT(member)							\
	AT(member), .more = offsetof(struct simgpu_tenant_report, member##_more)
#define FROM(member)							\
	.source = offsetof(struct session_tenant_report, member),	\
	.source_bytes = sizeof(((struct session_tenant_report *)0)->member)
#define IS(its_unit)		.unit = FIGURE_##its_unit
#define KNOWN(when)		.known = KNOWN_##when
#define TENANT(attribute)	.netlink = SIMGPU_A_TENANT_##attribute
#define LATENCY(attribute)	.netlink = SIMGPU_A_LATENCY_##attribute, \
				.in_latency = true
#define TIME(attribute)		IS(TIME), KNOWN(WITH_LAUNCHES), LATENCY(attribute)
#define BOUND(attribute)	IS(TIME), KNOWN(IF_SET), LATENCY(attribute)
#define FAILURE(member)		AT(member), FROM(failures.member), IS(NUMBER), KNOWN(IF_SET)
#define COPIES(member, of)	AT(member), FROM(copies.of), KNOWN(WITH_COPIES)
#define FLAG(its_flag)		.flag = SIMGPU_REPORT_##its_flag

const struct figure tenant_figures[] = {
	{ "sms", AT(sms), FROM(sms), IS(SMALL), TENANT(SMS) },
	{ "shared_sms", AT(shared_sms), FROM(shared_sms), IS(SMALL), TENANT(SHARED_SMS) },
	{ "held", FROM(held), IS(TRUTH), FLAG(HELD), TENANT(HELD) },
	{ "np_doubts", AT(np_doubts), FROM(np_doubts), IS(DOUBTS), TENANT(NP_DOUBTS) },
	{ "ipc", AT(ipc_ppm), FROM(figures.ipc_ppm), IS(RATIO), KNOWN(WITH_CYCLES),
	  TENANT(IPC_PPM) },
	{ "rbh", AT(rbh_ppm), FROM(figures.rbh_ppm), IS(RATIO), KNOWN(WITH_CYCLES),
	  TENANT(RBH_PPM) },
	{ "bandwidth", AT(bandwidth_ppm), FROM(figures.bandwidth_ppm), IS(RATIO),
	  KNOWN(WITH_CYCLES), TENANT(BANDWIDTH_PPM) },
	{ "llc_mpki", AT(llc_mpki_ppm), FROM(figures.llc_mpki_ppm), IS(RATIO),
	  KNOWN(WITH_CYCLES), TENANT(LLC_MPKI_PPM) },
	{ "goal_ipc", AT(goal_ipc_ppm), FROM(goal.ipc_ppm), IS(RATIO), KNOWN(WITH_GOAL),
	  TENANT(GOAL_IPC_PPM) },
	{ "goal_met", FROM(goal.met), IS(TRUTH), FLAG(GOAL_MET), KNOWN(WITH_GOAL),
	  TENANT(GOAL_MET) },
	{ "goal_instructions", AT(goal_instructions), FROM(goal.instructions), IS(NUMBER),
	  KNOWN(WITH_GOAL), TENANT(GOAL_INSTRUCTIONS) },
	{ "goal_promised", AT(goal_promised), FROM(goal.promised), IS(NUMBER),
	  KNOWN(WITH_GOAL), TENANT(GOAL_PROMISED) },
	{ "sm_list", SMS_AT(own_sms), FROM(shares.own), IS(SMS), TENANT(SM_LIST) },
	{ "shared_sm_list", SMS_AT(sharing_sms), FROM(shares.shared), IS(SMS),
	  TENANT(SHARED_SM_LIST) },
	{ "sm_mask", SMS_AT(mask_sms), FROM(masks.sms), IS(SMS), KNOWN(IF_SET),
	  TENANT(SM_MASK) },
	{ "channel_mask", AT(mask_channels), FROM(masks.channels), IS(BITS), KNOWN(IF_SET),
	  TENANT(CHANNEL_MASK) },
	{ "llc_way_mask", AT(mask_llc_ways), FROM(masks.llc_ways), IS(BITS), KNOWN(IF_SET),
	  TENANT(LLC_WAY_MASK) },
	{ "blocks", AT(blocks), FROM(shares.blocks), IS(NUMBER), TENANT(BLOCKS) },
	{ "quota", AT(quota), FROM(quota.last), IS(NUMBER), KNOWN(IF_SET), TENANT(QUOTA) },
	{ "quota_left", AT(quota_left), FROM(shares.quota_left), IS(SIGNED),
	  KNOWN(WITH_FLAG), FLAG(QUOTA), TENANT(QUOTA_LEFT) },
	{ "quota_used", AT(quota_used_ppm), FROM(quota.used_ppm), IS(RATIO),
	  KNOWN(WITH_QUOTAS), TENANT(QUOTA_USED_PPM) },
	{ "blocks_per_sm", AT(blocks_per_sm_ppm), FROM(quota.blocks_ppm), IS(RATIO),
	  KNOWN(WITH_QUOTAS), TENANT(BLOCKS_PER_SM_PPM) },
	{ "idle_blocks", AT(idle_blocks_ppm), FROM(quota.idle_blocks_ppm), IS(RATIO),
	  KNOWN(WITH_QUOTAS), TENANT(IDLE_BLOCKS_PPM) },
	{ "managed_bytes", AT(managed_bytes), FROM(managed_bytes), IS(NUMBER), KNOWN(IF_SET),
	  TENANT(MANAGED_BYTES) },
	{ "resident_bytes", AT(resident_bytes), FROM(resident_bytes), IS(NUMBER),
	  KNOWN(WITH_MANAGED), TENANT(RESIDENT_BYTES) },
	{ "page_faults", AT(page_faults), FROM(counters.faults), IS(NUMBER),
	  KNOWN(WITH_MANAGED), TENANT(PAGE_FAULTS) },
	{ "paged_in_bytes", AT(paged_in_bytes), FROM(counters.copied_in_bytes), IS(NUMBER),
	  KNOWN(WITH_MANAGED), TENANT(PAGED_IN_BYTES) },
	{ "paged_out_bytes", AT(paged_out_bytes), FROM(counters.copied_out_bytes), IS(NUMBER),
	  KNOWN(WITH_MANAGED), TENANT(PAGED_OUT_BYTES) },
	{ "copies", COPIES(copies, ended), IS(NUMBER), TENANT(COPIES) },
	{ "copies_waiting", COPIES(copies_waiting, waiting), IS(NUMBER), TENANT(COPIES_WAITING) },
	{ "copies_running", COPIES(copies_running, running), IS(NUMBER), TENANT(COPIES_RUNNING) },
	{ "copy_bytes", COPIES(copy_bytes, bytes), IS(NUMBER), TENANT(COPY_BYTES) },
	{ "copy_bytes_left", COPIES(copy_bytes_left, bytes_left), IS(NUMBER),
	  TENANT(COPY_BYTES_LEFT) },
	{ "copy_wait_mean_us", COPIES(copy_wait_mean_ns, waits.mean_ns), IS(TIME),
	  TENANT(COPY_WAIT_MEAN_NS) },
	{ "copy_wait_p99_us", COPIES(copy_wait_p99_ns, waits.p99_ns), IS(TIME),
	  TENANT(COPY_WAIT_P99_NS) },
	{ "timeouts", FAILURE(timeouts), TENANT(TIMEOUTS) },
	{ "faults", FAILURE(faults), TENANT(FAULTS) },
	{ "kills", FAILURE(kills), TENANT(KILLS) },
	{ "resets", FAILURE(resets), TENANT(RESETS) },
	{ "launches_repeated", FAILURE(launches_repeated), TENANT(LAUNCHES_REPEATED) },
	{ "launches_canceled", FAILURE(launches_canceled), TENANT(LAUNCHES_CANCELED) },
	{ "strikes", FAILURE(strikes), TENANT(STRIKES) },
	{ "banned", FROM(failures.banned), IS(TRUTH), KNOWN(IF_SET), FLAG(BANNED),
	  TENANT(BANNED) },
	{ "leapt_error", AT(leapt_error_ppm), FROM(leapt_error_ppm), IS(RATIO),
	  TENANT(LEAPT_ERROR_PPM) },
	{ "energy_joules", AT(energy_pj), FROM(energy_pj), IS(ENERGY), KNOWN(WITH_FLAG),
	  FLAG(ENERGY), TENANT(ENERGY_PJ) },
	{ "launches", AT(launches), FROM(latency.launches), IS(NUMBER), LATENCY(LAUNCHES) },
	{ "launches_waiting", AT(launches_waiting), FROM(waiting), IS(NUMBER),
	  LATENCY(LAUNCHES_WAITING) },
	{ "deadline_misses", AT(deadline_misses), FROM(latency.deadline_misses), IS(NUMBER),
	  LATENCY(DEADLINE_MISSES) },
	{ "goodput", AT(goodput_ppm), FROM(latency.goodput_ppm), IS(RATIO),
	  KNOWN(WITH_LAUNCHES), LATENCY(GOODPUT_PPM) },
	{ "latency_p50_us", AT(latency_p50_ns), FROM(latency.latency_p50_ns),
	  TIME(LATENCY_P50_NS) },
	{ "latency_p95_us", AT(latency_p95_ns), FROM(latency.latency_p95_ns),
	  TIME(LATENCY_P95_NS) },
	{ "latency_p99_us", AT(latency_p99_ns), FROM(latency.latency_p99_ns),
	  TIME(LATENCY_P99_NS) },
	{ "wait_p50_us", AT(wait_p50_ns), FROM(latency.wait_p50_ns), TIME(WAIT_P50_NS) },
	{ "wait_p95_us", AT(wait_p95_ns), FROM(latency.wait_p95_ns), TIME(WAIT_P95_NS) },
	{ "wait_p99_us", AT(wait_p99_ns), FROM(latency.wait_p99_ns), TIME(WAIT_P99_NS) },
	{ "wait_mean_us", AT(wait_mean_ns), FROM(latency.wait_mean_ns), TIME(WAIT_MEAN_NS) },
	{ "run_mean_us", AT(run_mean_ns), FROM(latency.run_mean_ns), TIME(RUN_MEAN_NS) },
	{ "preempt_mean_us", AT(preempt_mean_ns), FROM(preemption.mean_ns), IS(TIME),
	  KNOWN(IF_SET), TENANT(PREEMPT_MEAN_NS) },
	{ "preempt_p99_us", AT(preempt_p99_ns), FROM(preemption.p99_ns), IS(TIME),
	  KNOWN(IF_SET), TENANT(PREEMPT_P99_NS) },
	{ "launches_leapt", AT(launches_leapt), FROM(passed.requests), IS(NUMBER),
	  LATENCY(LAUNCHES_LEAPT) },
	{ "latency_mean_low_us", AT(latency_mean_low_ns), FROM(passed.mean_ns[0]),
	  BOUND(LATENCY_MEAN_LOW_NS) },
	{ "latency_mean_high_us", AT(latency_mean_high_ns), FROM(passed.mean_ns[1]),
	  BOUND(LATENCY_MEAN_HIGH_NS) },
	{ "latency_p99_low_us", AT(latency_p99_low_ns), FROM(passed.p99_ns[0]),
	  BOUND(LATENCY_P99_LOW_NS) },
	{ "latency_p99_high_us", AT(latency_p99_high_ns), FROM(passed.p99_ns[1]),
	  BOUND(LATENCY_P99_HIGH_NS) },
	{ "first_tokens", AT(first_tokens), FROM(first_tokens.count), IS(NUMBER), KNOWN(IF_SET),
	  LATENCY(FIRST_TOKENS) },
	{ "ttft_mean_us", AT(ttft_mean_ns), FROM(first_tokens.mean_ns), BOUND(TTFT_MEAN_NS) },
	{ "ttft_p50_us", AT(ttft_p50_ns), FROM(first_tokens.p50_ns), BOUND(TTFT_P50_NS) },
	{ "ttft_p99_us", AT(ttft_p99_ns), FROM(first_tokens.p99_ns), BOUND(TTFT_P99_NS) },
	{ "tokens", AT(tokens), FROM(tokens.count), IS(NUMBER), KNOWN(IF_SET),
	  LATENCY(TOKENS) },
	{ "tbt_mean_us", AT(tbt_mean_ns), FROM(tokens.mean_ns), BOUND(TBT_MEAN_NS) },
	{ "tbt_p50_us", AT(tbt_p50_ns), FROM(tokens.p50_ns), BOUND(TBT_P50_NS) },
	{ "tbt_p99_us", AT(tbt_p99_ns), FROM(tokens.p99_ns), BOUND(TBT_P99_NS) },
	{ "batch_mean", AT(batch_mean_ppm), FROM(batch_ppm), IS(RATIO), KNOWN(IF_SET),
	  LATENCY(BATCH_MEAN_PPM) },
};

const u32 tenant_figure_count = ARRAY_SIZE(tenant_figures);
static_assert(ARRAY_SIZE(tenant_figures) <= FIGURES_MAX, "room for them");

#define DEVICE(its_name, member, its_unit, its_flag, attribute)		\
	{ .name = its_name, .offset = offsetof(struct device_report, member), \
	  IS(its_unit), KNOWN(WITH_FLAG), .flag = DEVICE_##its_flag,	\
	  .netlink = SIMGPU_A_DEVICE_##attribute }

const struct figure device_figures[] = {
	DEVICE("fairness", metrics.fairness_ppm, RATIO, METRICS, FAIRNESS_PPM),
	DEVICE("stp", metrics.stp_ppm, RATIO, METRICS, STP_PPM),
	DEVICE("antt", metrics.antt_ppm, RATIO, METRICS, ANTT_PPM),
	DEVICE("np_doubts", np_doubts, DOUBTS, METRICS, NP_DOUBTS),
	DEVICE("energy_joules", energy_pj, ENERGY, ENERGY, ENERGY_PJ),
	DEVICE("static_joules", static_pj, ENERGY, ENERGY, STATIC_PJ),
	DEVICE("instructions_per_joule", instructions_per_joule, NUMBER, ENERGY,
	       INSTRUCTIONS_PER_JOULE),
	/* The old name of the same: instructions a second for each watt. */
	DEVICE("instructions_per_watt", instructions_per_joule, NUMBER, ENERGY,
	       INSTRUCTIONS_PER_WATT),
	DEVICE("memory_bytes", memory_bytes, NUMBER, MEMORY, MEMORY_BYTES),
	DEVICE("memory_used_bytes", memory_used_bytes, NUMBER, MEMORY, MEMORY_USED_BYTES),
	DEVICE("failures", failures.found, NUMBER, FAILURES, FAILURES),
	DEVICE("detection_mean_cycles", failures.detection_mean_cycles, NUMBER, FAILURES,
	       DETECTION_MEAN_CYCLES),
	DEVICE("detection_max_cycles", failures.detection_max_cycles, NUMBER, FAILURES,
	       DETECTION_MAX_CYCLES),
	DEVICE("recovery_mean_cycles", failures.recovery_mean_cycles, NUMBER, FAILURES,
	       RECOVERY_MEAN_CYCLES),
	DEVICE("recovery_max_cycles", failures.recovery_max_cycles, NUMBER, FAILURES,
	       RECOVERY_MAX_CYCLES),
	DEVICE("sm_clock_mhz", power.clock_mhz, NUMBER, CLOCK, SM_CLOCK_MHZ),
	DEVICE("clock_changes", power.changes, NUMBER, CLOCK, CLOCK_CHANGES),
	/* Of the last epoch. */
	DEVICE("power_watts", power.epoch_uw, RATIO, POWER, POWER_UW),
};

const u32 device_figure_count = ARRAY_SIZE(device_figures);
static_assert(ARRAY_SIZE(device_figures) <= DEVICE_FIGURES_MAX, "room for them");

#define PJ_PER_J	1000000000000ULL

void device_report_energy(struct device_report *report, u64 static_pj, u64 events_pj,
			  u64 instructions)
{
	report->flags |= DEVICE_ENERGY;
	report->static_pj = static_pj;
	report->energy_pj = fixed_add(static_pj, events_pj);
	if (report->energy_pj)
		report->instructions_per_joule =
			fixed_mul_div(instructions, PJ_PER_J, report->energy_pj);
}

static u32 width_of(const struct figure *figure)
{
	return figure->unit == FIGURE_SMALL || figure->unit == FIGURE_DOUBTS ?
	       sizeof(u32) : sizeof(u64);
}

/* A set of SMs has two places in a report, since it has grown. */
#define SM_BYTES	(SIMGPU_SM_WORDS * sizeof(u64))
#define SM_MORE_BYTES	(SIMGPU_SM_MORE_WORDS * sizeof(u64))
static_assert(SIMGPU_SM_WORDS + SIMGPU_SM_MORE_WORDS == SESSION_SM_WORDS, "all SMs");

static void copy(const struct figure *figure, const void *from, void *to)
{
	const u8 *source = (const u8 *)from + figure->source;

	if (figure->unit == FIGURE_SMS) {
		memcpy((u8 *)to + figure->offset, source, SM_BYTES);
		memcpy((u8 *)to + figure->more, source + SM_BYTES, SM_MORE_BYTES);
		return;
	}
	member_set(to, figure->offset, width_of(figure),
		   member_get(from, figure->source, figure->source_bytes));
}

void figures_report(const struct session_tenant_report *report,
		    struct simgpu_tenant_report *out)
{
	const struct figure *figure;

	each_figure(figure)
		if (figure->unit != FIGURE_TRUTH)
			copy(figure, report, out);
		else if (member_get(report, figure->source, sizeof(bool)))
			out->flags |= figure->flag;
}

u64 figure_value(const struct figure *figure, const void *report)
{
	if (figure->unit == FIGURE_TRUTH)
		return !!(((const struct simgpu_tenant_report *)report)->flags &
			  figure->flag);
	return member_get(report, figure->offset, width_of(figure));
}

void figure_sms(const struct figure *figure, const struct simgpu_tenant_report *report,
		u64 words[SESSION_SM_WORDS])
{
	const u8 *from = (const u8 *)report;

	memcpy(words, from + figure->offset, SM_BYTES);
	memcpy(words + SIMGPU_SM_WORDS, from + figure->more, SM_MORE_BYTES);
}

static bool is_set(const struct figure *figure,
		   const struct simgpu_tenant_report *report)
{
	u64 words[SESSION_SM_WORDS];
	u32 i;

	if (figure->unit != FIGURE_SMS)
		return figure_value(figure, report);
	figure_sms(figure, report, words);
	for (i = 0; i < SESSION_SM_WORDS; i++)
		if (words[i])
			return true;
	return false;
}

bool figure_is_known(const struct figure *figure,
		     const struct simgpu_tenant_report *report)
{
	switch ((enum figure_known)figure->known) {
	case KNOWN_WITH_CYCLES:
		return report->cycles;
	case KNOWN_WITH_LAUNCHES:
		return report->launches;
	case KNOWN_WITH_GOAL:
		return report->goal_ipc_ppm;
	case KNOWN_WITH_QUOTAS:
		return report->quota_used_ppm;
	case KNOWN_WITH_MANAGED:
		return report->managed_bytes;
	case KNOWN_WITH_COPIES:
		return report->copies || report->copies_waiting || report->copies_running;
	case KNOWN_WITH_FLAG:
		return report->flags & figure->flag;
	case KNOWN_IF_SET:
		return is_set(figure, report);
	default:
		return true;
	}
}

size_t doubts_text(u64 doubts, char *text)
{
	size_t length = 0;
	u32 i;

	if (!doubts)
		return (size_t)snprintf(text, ROW_SM_LIST_BYTES, "none");
	for (i = 0; i < SESSION_DOUBTS; i++)
		if (doubts >> i & 1)
			length += (size_t)snprintf(text + length,
						   ROW_SM_LIST_BYTES - length, "%s%s",
						   length ? "," : "",
						   session_doubt_names[i]);
	return length;
}

size_t figure_text(const struct figure *figure, const void *report, char *text)
{
	u64 value = figure_value(figure, report), words[SESSION_SM_WORDS];

	switch ((enum figure_unit)figure->unit) {
	case FIGURE_SMS:
		figure_sms(figure, report, words);
		return row_sm_list(words, text);
	case FIGURE_BITS:
		return row_bit_list(value, text);
	case FIGURE_DOUBTS:
		return doubts_text(value, text);
	case FIGURE_SIGNED:
		return (size_t)snprintf(text, ROW_SM_LIST_BYTES, "%lld", (s64)value);
	case FIGURE_TIME:
		return (size_t)snprintf(text, ROW_SM_LIST_BYTES, "%llu.%03llu",
					value / 1000, value % 1000);
	case FIGURE_ENERGY:
		/* Picojoules become millionths of a joule. */
		value /= SIMGPU_PPM;
		fallthrough;
	case FIGURE_RATIO:
		return (size_t)snprintf(text, ROW_SM_LIST_BYTES, "%llu.%06llu",
					value / SIMGPU_PPM, value % SIMGPU_PPM);
	default:
		return (size_t)snprintf(text, ROW_SM_LIST_BYTES, "%llu", value);
	}
}
