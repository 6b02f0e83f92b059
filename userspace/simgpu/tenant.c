// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu tenant: one tenant outside a gang, for demonstrations and by hand. It
 * leaves the device when its work is done or it is killed.
 */
#include <unistd.h>

#include "../offline/run.h"
#include "fits.h"
#include "options.h"
#include "workload.h"

enum {
	OPTION_SERVICE = 256,
	OPTION_TARGET,
	OPTION_SHARE,
	OPTION_P99,
	OPTION_GOAL,
	OPTION_IPC,
	OPTION_KERNEL_TIME,
	OPTION_RATE,
	OPTION_ARRIVALS,
	OPTION_REQUESTS,
	OPTION_LAUNCHES,
	OPTION_DEADLINE,
	OPTION_HINT,
	OPTION_BATCHING,
	OPTION_ADVISE,
};

static const char about[] =
	"Be a tenant of a device: upload a trace, run it, and leave when it is "
	"done. Tenants that run like this share the device as they come and "
	"go, which is not repeatable to the bit; simgpu run is.\v"
	"Examples:\n"
	"  simgpu tenant --trace stream.sgtr --repeats 100 &\n"
	"  simgpu tenant --trace nbody.sgtr --service qos --target 0.8 &\n"
	"  simgpu tenant --trace frame.sgtr --service qos --kernel-time 16.6ms &\n"
	"  simgpu tenant --trace SGEMM --arrivals poisson:20 --deadline 200000 &\n"
	"  simgpu stat\n"
	"\n"
	"Exit status: 0; 1 if it failed; 2 for wrong usage.";

/** struct arguments - the parsed command line */
struct arguments {
	unsigned int device;
	const char *trace;
	const char *name;
	u32 weight;
	bool qos;
	u64 target_ppm;
	u64 share_ppm;
	u64 p99_cycles;
	u32 goal_kind;
	u64 goal;
	u64 repeats;
	struct arrivals_words arrivals;
	u64 seed;
	bool managed;
	bool prefetch;
	u32 advice;
	struct session_memory_limits memory;
};

#define AT(member)	offsetof(struct arguments, member)

static const struct command_option options[] = {
	{ "trace", 't', "FILE", "What it runs; required", TO_TEXT(trace) },
	{ "device", 'd', "N", "The device (default 0)",
	  TO_U32(device, 0, SIMGPU_DEVICES_MAX) },
	{ "name", 'n', "NAME", "Its name (default: the trace's)", .kind = OPTION_OWN },
	{ "weight", 'w', "N", "1 to 1000 (default 1)", TO_U32(weight, 1, 1000) },
	{ "service", OPTION_SERVICE, "KIND",
	  "What it is promised: best_effort (nothing, the default) or qos",
	  .kind = OPTION_OWN },
	{ "target", OPTION_TARGET, "NP", "With --service qos: the NP",
	  .kind = OPTION_OWN },
	{ "share", OPTION_SHARE, "PART",
	  "The part of the SMs that it asks for, where the policy goes by that",
	  .kind = OPTION_OWN },
	{ "p99", OPTION_P99, "CYCLES",
	  "The cycles that 99 of 100 launches are to stay within, where the policy goes by that",
	  TO_U64(p99_cycles, 1, SESSION_P99_MAX) },
	{ "ipc", OPTION_IPC, "N",
	  "With --service qos: a goal of N thread instructions a cycle",
	  .kind = OPTION_OWN },
	{ "kernel-time", OPTION_KERNEL_TIME, "TIME",
	  "With --service qos: a goal of TIME for each kernel, in s, ms, us or ns, such as 16.6ms",
	  .kind = OPTION_OWN },
	{ "rate", OPTION_RATE, "N", "With --service qos: a goal of N kernels a second",
	  .kind = OPTION_OWN },
	{ "goal", OPTION_GOAL, "PART", NULL, .flags = OPTION_HIDDEN },
	{ "repeats", 'r', "N", "How often the trace runs (default 1)",
	  TO_U64(repeats, 1, U64_MAX) },
	{ "arrivals", OPTION_ARRIVALS, "HOW",
	  "Have requests of it come by themselves. HOW is poisson:RATE in a million cycles of the device, every:CYCLES, or a file with a cycle a line",
	  .kind = OPTION_OWN },
	{ "requests", OPTION_REQUESTS, "N",
	  "With --arrivals: how many come (default: as many as can)",
	  .kind = OPTION_OWN },
	{ "launches", OPTION_LAUNCHES, "N",
	  "With --arrivals: how often the trace runs for each (default 1)",
	  .kind = OPTION_OWN },
	{ "deadline", OPTION_DEADLINE, "CYCLES",
	  "With --arrivals: from a request's arrival to its deadline",
	  .kind = OPTION_OWN },
	{ "hint", OPTION_HINT, "CYCLES",
	  "With --arrivals: so long before it comes each request is announced to the policy",
	  .kind = OPTION_OWN },
	{ "batching", OPTION_BATCHING, "N",
	  "With --arrivals: so many run at once at most, of a trace made by simgpu trace llm --batching",
	  .kind = OPTION_OWN },
	{ "seed", 0, "N",
	  "With --arrivals poisson:RATE: of the random numbers (default 1)",
	  TO_U64(seed, 0, U64_MAX) },
	{ "managed", 0, NULL,
	  "Its memory is managed: pages come to the device when they are accessed",
	  TO_FLAG(managed) },
	{ "prefetch", 0, NULL,
	  "With managed memory: all of its pages are asked for as soon as it is launched",
	  TO_FLAG(prefetch) },
	{ "advise", OPTION_ADVISE, "WHERE",
	  "With managed memory: where all of it is to stay, host or device; the latter needs CAP_SYS_NICE",
	  .kind = OPTION_OWN },
	{ "memory-min", 0, "SIZE",
	  "With managed memory: device memory that others leave to it, such as 512M",
	  TO_MIB(memory.min) },
	{ "memory-low", 0, "SIZE",
	  "The same, while another tenant has more than its own --memory-low", TO_MIB(memory.low) },
	{ "memory-max", 0, "SIZE", "With managed memory: device memory that it has at most",
	  TO_MIB(memory.max) },
	{ .name = NULL }
};

static void check_arguments(struct argp_state *state)
{
	const struct arguments *arguments = state->input;

	if (!arguments->trace)
		argp_error(state, "--trace is required");
	if (arguments->qos && !arguments->target_ppm && !arguments->goal_kind)
		argp_error(state, "--service qos needs --target, --ipc, --kernel-time or --rate");
	if (!arguments->qos && arguments->goal_kind)
		argp_error(state, "a goal needs --service qos");
	if (!arguments->qos && arguments->target_ppm)
		argp_error(state, "--target needs --service qos");
	if (arguments->arrivals.given && arguments->repeats)
		argp_error(state, "--repeats goes without --arrivals, which has --launches and --requests");
	if (arguments->arrivals.given && arguments->managed)
		argp_error(state, "--managed goes without --arrivals");
	if (arguments->arrivals.given && arguments->prefetch)
		argp_error(state, "--prefetch goes without --arrivals");
	if (arguments->arrivals.given && arguments->advice)
		argp_error(state, "--advise goes without --arrivals");
	if (arguments->memory.max && arguments->memory.min > arguments->memory.max)
		argp_error(state, "--memory-min is above --memory-max");
	if (arrivals_words_check(&arguments->arrivals))
		exit(STATUS_USAGE);
}

/* Parse an option about arrivals, by the name that its key has in workloads. */
static void parse_arrivals_key(struct arguments *arguments, const char *key,
			       const char *text)
{
	bool known;

	if (arrivals_key(&arguments->arrivals, key, text, &known))
		exit(STATUS_USAGE);
}

static void set_goal(struct argp_state *state, struct arguments *arguments,
		     u32 kind, u64 value)
{
	if (arguments->goal_kind)
		argp_error(state, "a tenant has one goal: --ipc, --kernel-time or --rate");
	if (!value)
		argp_error(state, "a goal is above 0");
	arguments->goal_kind = kind;
	arguments->goal = value;
}

static void set_decimal_goal(struct argp_state *state,
			     struct arguments *arguments, u32 kind,
			     const char *option, const char *text)
{
	u64 value;

	if (!parse_ppm(text, &value))
		argp_error(state, "%s takes a number of up to six decimals, not \"%s\"",
			   option, text);
	set_goal(state, arguments, kind, value);
}

/* Parse a time such as "16.6ms", in nanoseconds. */
static void set_time_goal(struct argp_state *state, struct arguments *arguments,
			  const char *text)
{
	static const struct {
		const char *unit;
		u64 ns;
	} units[] = {
		{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 },
		{ "ns", 1 },
	};
	size_t digits = strspn(text, "0123456789."), i;
	char number[32];
	u64 value;

	snprintf(number, sizeof(number), "%.*s", (int)digits, text);
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (digits < sizeof(number) &&
		    !strcmp(text + digits, units[i].unit) &&
		    parse_ppm(number, &value)) {
			set_goal(state, arguments, SIMGPU_GOAL_KERNEL_TIME,
				 fixed_mul_div(value, units[i].ns, SIMGPU_PPM));
			return;
		}
	argp_error(state, "--kernel-time takes a time such as 16.6ms, not \"%s\"",
		   text);
}

static const char *const services[] = { "best_effort", "qos" };

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'n':
		if (!*text || strlen(text) >= SIMGPU_NAME_MAX)
			argp_error(state, "--name takes 1 to %d characters",
				   SIMGPU_NAME_MAX - 1);
		arguments->name = text;
		return 0;
	case OPTION_SERVICE:
		arguments->qos = option_word(state, "--service", services,
					     ARRAY_SIZE(services), text);
		return 0;
	case OPTION_TARGET:
		if (!parse_ppm(text, &arguments->target_ppm) ||
		    !arguments->target_ppm || arguments->target_ppm > SIMGPU_PPM)
			argp_error(state, "--target takes an NP above 0 up to 1");
		return 0;
	case OPTION_SHARE:
		if (!parse_ppm(text, &arguments->share_ppm) ||
		    !arguments->share_ppm || arguments->share_ppm > SIMGPU_PPM)
			argp_error(state, "--share takes a part of the SMs above 0 up to 1");
		return 0;
	case OPTION_IPC:
		set_decimal_goal(state, arguments, SIMGPU_GOAL_IPC, "--ipc",
				 text);
		return 0;
	case OPTION_RATE:
		set_decimal_goal(state, arguments, SIMGPU_GOAL_RATE, "--rate",
				 text);
		return 0;
	case OPTION_KERNEL_TIME:
		set_time_goal(state, arguments, text);
		return 0;
	case OPTION_GOAL:
		argp_error(state, "a part of the speed alone is known offline only: ask simgpu run --offline for the IPC of the trace alone, and give the part of that as --ipc");
		return 0;
	case OPTION_ARRIVALS:
		parse_arrivals_key(arguments, "arrivals", text);
		return 0;
	case OPTION_REQUESTS:
		parse_arrivals_key(arguments, "requests", text);
		return 0;
	case OPTION_LAUNCHES:
		parse_arrivals_key(arguments, "launches", text);
		return 0;
	case OPTION_DEADLINE:
		parse_arrivals_key(arguments, "deadline", text);
		return 0;
	case OPTION_ADVISE:
		if (workload_advice(text, &arguments->advice))
			argp_error(state, "--advise is host or device, not \"%s\"", text);
		return 0;
	case OPTION_HINT:
		parse_arrivals_key(arguments, "hint", text);
		return 0;
	case OPTION_BATCHING:
		parse_arrivals_key(arguments, "batching", text);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct command_line command_line = {
	.options = options,
	.own = parse_argument,
	.check = check_arguments,
	.about = about,
};

static int upload(int fd, const struct workload *workload, int *handle)
{
	struct simgpu_trace_refusal refusal;

	*handle = simgpu_upload_trace(fd, workload->bytes, workload->count,
				      &refusal);
	if (*handle >= 0)
		return STATUS_OK;
	if (!*refusal.field)
		return fail("%s cannot be uploaded: %s", workload->path,
			    strerror(-*handle));
	explain_refusal(workload->path, refusal.offset, refusal.field,
			refusal.reason);
	return STATUS_FAILED;
}

/* Make one launch, or start all requests; @sequence is set to the last one's number. */
static int launch(int fd, int handle, const struct arguments *arguments,
		  uint64_t *sequence)
{
	struct arrivals_plan plan = arguments->arrivals.plan;
	struct simgpu_launch one = {
		.handle = (__u32)handle,
		.repeats = arguments->repeats ? arguments->repeats : 1,
		.flags = arguments->managed ? SIMGPU_LAUNCH_MANAGED : 0,
	};
	struct simgpu_arrivals request;
	int ret;

	if (!arguments->arrivals.given) {
		ret = simgpu_launch_with(fd, &one);
		*sequence = one.sequence;
		return ret;
	}
	if (!plan.launches)
		plan.launches = 1;
	if (plan.list)
		plan.requests = arguments->arrivals.list_count;
	else if (!plan.requests)
		plan.requests = ARRIVALS_REQUESTS_MAX;
	if (plan.kind == ARRIVALS_POISSON)
		plan.seed = arguments->seed;
	request = arrivals_request(&plan, handle);
	ret = simgpu_start_arrivals(fd, &request);
	*sequence = request.sequence;
	return ret;
}

static int explain_launch(const struct workload *workload,
			  const struct gpu_config *config, int error)
{
	char words[FITS_WORDS];

	if (error == -EBUSY)
		return fail("all slots are taken, or an experiment holds the device");
	if (workload_lacks(workload, config, words))
		return fail("%s: %s", workload->path, words);
	return fail("the trace cannot be launched: %s", offline_error(error));
}

/* Say where all of its managed memory is to be. The device has checked the trace. */
static int place_memory(int fd, const struct arguments *arguments,
			const struct workload *workload)
{
	const struct simgpu_trace_header *header = workload->bytes;
	u64 bytes = max_t(u64, header->footprint_bytes, 1);
	int ret;

	ret = arguments->advice ? simgpu_advise(fd, arguments->advice, 0, bytes) : 0;
	if (ret)
		return fail("its advice is not taken: %s", strerror(-ret));
	ret = arguments->prefetch ? simgpu_prefetch(fd, 0, bytes) : 0;
	return ret ? fail("its pages cannot be asked for: %s", strerror(-ret)) : STATUS_OK;
}

static int launch_and_wait(int fd, int handle,
			   const struct arguments *arguments,
			   const struct workload *workload,
			   const struct gpu_config *config)
{
	uint64_t sequence = 0;
	int ret = launch(fd, handle, arguments, &sequence);

	if (ret)
		return explain_launch(workload, config, ret);
	ret = place_memory(fd, arguments, workload);
	if (ret)
		return ret;
	do {
		ret = simgpu_wait_launch(fd, sequence, -1);
	} while (ret == -EINTR);
	return ret ? fail("waiting failed: %s", strerror(-ret)) : STATUS_OK;
}

static int print_report(int fd)
{
	struct simgpu_report answer = { .size = sizeof(answer) };
	const struct simgpu_tenant_report *report = &answer.report;
	int ret = simgpu_get_report(fd, &answer);

	if (ret)
		return fail("reading the figures: %s", strerror(-ret));
	printf("%llu thread instructions in %llu cycles, IPC %.1f, RBH %.3f, bandwidth %.3f, MPKI %.2f\n",
	       report->thread_instructions, report->cycles,
	       (double)report->ipc_ppm / SIMGPU_PPM,
	       (double)report->rbh_ppm / SIMGPU_PPM,
	       (double)report->bandwidth_ppm / SIMGPU_PPM,
	       (double)report->llc_mpki_ppm / SIMGPU_PPM);
	if (report->np_run_ppm)
		printf("predicted NP of the first run: %.3f\n",
		       (double)report->np_run_ppm / SIMGPU_PPM);
	if (report->launches > 1)
		printf("%llu launches took %.1f us (half of them), %.1f (95 of 100), %.1f (99 of 100); waited %.1f, ran %.1f in the mean; %llu missed their deadline\n",
		       report->launches, (double)report->latency_p50_ns / 1e3,
		       (double)report->latency_p95_ns / 1e3,
		       (double)report->latency_p99_ns / 1e3,
		       (double)report->wait_mean_ns / 1e3,
		       (double)report->run_mean_ns / 1e3,
		       report->deadline_misses);
	if (report->first_tokens)
		printf("%llu first tokens came after %.1f us (half of them), %.1f (99 of 100); %llu further ones after %.1f and %.1f\n",
		       report->first_tokens, (double)report->ttft_p50_ns / 1e3,
		       (double)report->ttft_p99_ns / 1e3, report->tokens,
		       (double)report->tbt_p50_ns / 1e3, (double)report->tbt_p99_ns / 1e3);
	if (report->batch_mean_ppm)
		printf("%.2f requests had a token in the mean decode\n",
		       (double)report->batch_mean_ppm / SIMGPU_PPM);
	return STATUS_OK;
}

/* @known: the device's GPU, or NULL */
static int run_tenant(const struct arguments *arguments,
		      const struct workload *workload,
		      const struct gpu_config *known)
{
	const char *name = arguments->name ? arguments->name : workload->name;
	struct simgpu_tenant_config config = {
		.service = arguments->qos ? SIMGPU_SERVICE_QOS :
					    SIMGPU_SERVICE_BEST_EFFORT,
		.weight = arguments->weight,
		.target_ppm = arguments->target_ppm,
		.share_ppm = (__u32)arguments->share_ppm,
		.p99_cycles = arguments->p99_cycles,
		.goal_kind = arguments->goal_kind,
		.goal = arguments->goal,
		.memory_min = arguments->memory.min,
		.memory_low = arguments->memory.low,
		.memory_max = arguments->memory.max,
	};
	int fd = simgpu_open(arguments->device), handle = 0, ret;

	if (fd < 0)
		return fail("/dev/simgpu%u: %s", arguments->device,
			    device_error(fd));
	strcpy(config.name, name);
	ret = simgpu_configure(fd, &config);
	ret = ret ? fail(ret == -EINVAL && config.goal_kind ?
			 "name, weight, target, goal or limits were refused: %s; a goal is at most what all SMs can issue" :
			 "name, weight, target, goal or limits were refused: %s",
			 strerror(-ret)) : upload(fd, workload, &handle);
	if (!ret)
		ret = launch_and_wait(fd, handle, arguments, workload, known);
	if (!ret)
		ret = print_report(fd);
	close(fd);
	return ret;
}

int tenant_command(int argc, char **argv)
{
	struct arguments arguments = { .weight = 1, .seed = 1 };
	const struct gpu_config *known = NULL;
	char config[SIMGPU_NAME_MAX];
	struct workload workload;
	int ret;

	parse_command_line(&command_line, argc, argv, 0, &arguments);
	if (!simgpu_read_device_value(arguments.device, "config", config, sizeof(config)))
		known = gpu_config_find(config);
	ret = workload_open(arguments.trace, known, &workload);
	if (!ret && (arguments.prefetch || arguments.advice) && !arguments.managed &&
	    !workload.paged)
		ret = fail_usage("%s needs --managed, or a trace with managed memory",
				 arguments.prefetch ? "--prefetch" : "--advise");
	if (!ret)
		ret = run_tenant(&arguments, &workload, known);
	workload_free(&workload);
	arrivals_free(&arguments.arrivals);
	return ret;
}
