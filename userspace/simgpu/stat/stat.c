// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu stat: a device's figures as sysfs has them at this moment, or its epochs
 * as they end. stat_run.c has those of a command.
 */
#include "../../offline/run.h"
#include "../json.h"
#include "../options.h"
#include "../output.h"
#include "stat.h"
#include "stat_run.h"
#include "../sysfs.h"
#include "../table.h"

static const char about[] =
	"Show a device's figures as they are now, and those of its tenants' "
	"last epoch. With a COMMAND: run it, and show what the tenants got that it "
	"and its descendants were, on all devices or that of --device.\v"
	"NP, fairness, STP and ANTT are predictions of the last finished "
	"epoch. A dash (null in JSON) means that there is no value yet, or "
	"that it is another user's to read.\n"
	"\n"
	"Examples:\n"
	"  simgpu stat\n"
	"  simgpu stat --json | jq '.tenants[] | {name, np, sms}'\n"
	"  watch -n 0.5 simgpu stat\n"
	"  simgpu stat --follow\n"
	"  simgpu stat -- simgpu tenant --trace LBM\n"
	"  simgpu stat --json -o figures.json -- ./experiment.sh\n"
	"\n"
	"A COMMAND's figures are sums and means over its tenants' epochs, which come "
	"by netlink: that needs CAP_NET_ADMIN, unless the module was loaded with "
	"counters_public=1. Only finished epochs count. One ends when a tenant's "
	"work does, unless the policy is asked what to do then: under such a policy "
	"(the quota policies, say) what a tenant does in its last, unfinished epoch "
	"is missing.\n"
	"\n"
	"Exit status: 0; 1 if there is no such device; 2 for wrong usage. With a "
	"COMMAND, its own, or 128 + N if signal N ended it; 126 or 127 if it cannot "
	"be run or found.";

#define AT(member)	offsetof(struct stat_arguments, member)

static const struct command_option options[] = {
	{ "device", 'd', "N", "The device (default 0)",
	  TO_U32(device, 0, SIMGPU_DEVICES_MAX), .given = AT(device_given) },
	{ "json", 'j', NULL, "Print one JSON document", TO_FLAG(json) },
	{ "follow", 'f', "N",
	  "Print each epoch as it ends, of N epochs (default: for ever)",
	  .flags = OPTION_ARG_OPTIONAL },
	{ "output", 'o', "FILE",
	  "With COMMAND: write the figures there (default: standard error)",
	  TO_TEXT(output) },
	{ .name = NULL }
};

static void check_arguments(struct argp_state *state)
{
	const struct stat_arguments *arguments = state->input;

	if (arguments->json && arguments->follow)
		argp_error(state, "--follow has no JSON");
	if (arguments->command && arguments->follow)
		argp_error(state, "--follow goes without a command");
	if (arguments->output && !arguments->command)
		argp_error(state, "--output goes with a command");
}

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct stat_arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		/* This word and all later ones are the command's. */
		arguments->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case 'f':
		arguments->follow = true;
		arguments->epochs = text ? option_number(state, "--follow",
							 text, 1, U64_MAX) :
					   U64_MAX;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct command_line command_line = {
	.options = options,
	.own = parse_argument,
	.check = check_arguments,
	.words = "\n-- COMMAND...",
	.about = about,
};

static const char *const device_files[] = {
	"config", "policy", "memory_policy", "model", "state", "cycles", "epochs", "bytes_held",
	"pace", "cpu_percent", "last_refusal", NULL
};

static const char *const tenant_files[] = {
	"name", "pid", "slot", "service", "weight", "target", "share", "p99_cycles", "goal",
	"memory_min", "memory_low", "memory_max", "waits_for", "class", "np", "cgroup", "queues", NULL
};

/* Files that are read of each tenant, beside a file for each figure. */
static struct json_object *read_tenants(unsigned int device)
{
	const char *files[ARRAY_SIZE(tenant_files) + FIGURES_MAX], **to = files;
	const char *const *from = tenant_files;
	const struct figure *figure;

	while (*from)
		*to++ = *from++;
	each_figure(figure)
		*to++ = figure->name;
	*to = NULL;
	return sysfs_tenants(device, files);
}

static void read_device(struct json_object *object, unsigned int device)
{
	const char *files[DEVICE_FIGURES_MAX + 1], **to = files;
	const struct figure *figure;

	each_device_figure(figure)
		*to++ = figure->name;
	*to = NULL;
	sysfs_device_values(object, device, device_files);
	sysfs_device_values(object, device, files);
}

static void read_settings(struct json_object *object, unsigned int device)
{
	session_for_each_setting(setting)
		if (setting->netlink)
			sysfs_device_values(object, device, (const char *const []) {
				setting->name, NULL });
}

/* Prints parameters: " (c1 0.870000, c2 0.010000)" */
static void print_params(struct json_object *params)
{
	const char *before = " (";

	json_object_object_foreach(params, name, value) {
		printf("%s%s %s", before, name, json_object_get_string(value));
		before = ", ";
	}
	if (json_object_object_length(params))
		putchar(')');
}

/* What goes before an NP, or a figure that is made of NPs, of which some may be wrong. */
static const char *doubt(struct json_object *object)
{
	const char *doubts = sysfs_text(object, "np_doubts");

	return strcmp(doubts, "none") && strcmp(doubts, "-") ? "~" : "";
}

/* What is managed, if any memory is. */
static void print_memory(struct json_object *device)
{
	if (!json_object_object_get(device, "memory_bytes"))
		return;
	printf("memory for managed pages: %s bytes, %s in use, policy %s",
	       sysfs_text(device, "memory_bytes"),
	       sysfs_text(device, "memory_used_bytes"),
	       sysfs_text(device, "memory_policy"));
	print_params(json_object_object_get(device, "memory_params"));
	putchar('\n');
}

/* What has failed, if anything has. */
static void print_failures(struct json_object *device)
{
	if (!json_object_object_get(device, "failures"))
		return;
	printf("failures %s, found after %s cycles on average (at most %s), recovered %s later (%s)\n",
	       sysfs_text(device, "failures"), sysfs_text(device, "detection_mean_cycles"),
	       sysfs_text(device, "detection_max_cycles"),
	       sysfs_text(device, "recovery_mean_cycles"),
	       sysfs_text(device, "recovery_max_cycles"));
}

static void print_device(struct json_object *device)
{
	const char *mark = doubt(device);

	printf("%s: %s, %s\n", sysfs_text(device, "device"),
	       sysfs_text(device, "config"), sysfs_text(device, "state"));
	printf("policy %s", sysfs_text(device, "policy"));
	print_params(json_object_object_get(device, "policy_params"));
	printf(", model %s", sysfs_text(device, "model"));
	print_params(json_object_object_get(device, "model_params"));
	printf(", seed %s\n", sysfs_text(device, "seed"));
	printf("cycle %s, %s epochs of %s, pace %s\n",
	       sysfs_text(device, "cycles"), sysfs_text(device, "epochs"),
	       sysfs_text(device, "epoch_cycles"),
	       sysfs_text(device, "pace"));
	printf("fairness %s%s, STP %s%s, ANTT %s%s\n", mark, sysfs_text(device, "fairness"),
	       mark, sysfs_text(device, "stp"), mark, sysfs_text(device, "antt"));
	if (*mark)
		printf("~ predicted NPs that may be wrong: %s\n",
		       sysfs_text(device, "np_doubts"));
	if (json_object_object_get(device, "energy_joules"))
		printf("energy %s J (static %s J), %s instructions a joule\n",
		       sysfs_text(device, "energy_joules"),
		       sysfs_text(device, "static_joules"),
		       sysfs_text(device, "instructions_per_joule"));
	print_memory(device);
	print_failures(device);
	printf("%s bytes held for tenants\n", sysfs_text(device, "bytes_held"));
	if (json_object_object_get(device, "last_refusal"))
		printf("last refusal: %s\n", sysfs_text(device, "last_refusal"));
}

/* Whether any tenant shares SMs or has a goal. */
static bool has_shares(struct json_object *tenants)
{
	size_t i;

	for (i = 0; i < json_object_array_length(tenants); i++) {
		struct json_object *tenant = json_object_array_get_idx(tenants, i);

		if (json_object_get_int(json_object_object_get(tenant,
							       "shared_sms")) ||
		    json_object_object_get(tenant, "goal_ipc"))
			return true;
	}
	return false;
}

/* Whether any tenant keeps to a part of the device. */
static bool has_masks(struct json_object *tenants)
{
	static const char *const masks[] = {
		"sm_mask", "channel_mask", "llc_way_mask",
	};
	size_t i, mask;

	for (i = 0; i < json_object_array_length(tenants); i++)
		for (mask = 0; mask < ARRAY_SIZE(masks); mask++)
			if (json_object_object_get(
				    json_object_array_get_idx(tenants, i),
				    masks[mask]))
				return true;
	return false;
}

/* Whether any tenant has a file, with something in it. */
static bool any_has(struct json_object *tenants, const char *file)
{
	size_t i;

	for (i = 0; i < json_object_array_length(tenants); i++)
		if (json_object_object_get(json_object_array_get_idx(tenants, i), file))
			return true;
	return false;
}

/* Whether memory of any tenant is managed. */
static bool has_managed(struct json_object *tenants)
{
	return any_has(tenants, "managed_bytes");
}

/* Whether any tenant has waited for SMs. */
static bool has_waited(struct json_object *tenants)
{
	return any_has(tenants, "preempt_mean_us");
}

/* Whether any tenant has come to a copy. */
static bool has_copies(struct json_object *tenants)
{
	return any_has(tenants, "copies");
}

static bool has_tokens(struct json_object *tenants)
{
	return any_has(tenants, "first_tokens") || any_has(tenants, "tokens");
}

/* Whether any tenant has failed, or was hit by a reset. */
static bool has_failures(struct json_object *tenants)
{
	return any_has(tenants, "timeouts") || any_has(tenants, "faults") ||
	       any_has(tenants, "resets") || any_has(tenants, "launches_canceled") ||
	       any_has(tenants, "strikes");
}

/* Whether any tenant has a limit of managed memory. */
static bool has_limits(struct json_object *tenants)
{
	static const char *const limits[] = { "memory_min", "memory_low", "memory_max" };
	size_t i, k;

	for (i = 0; i < json_object_array_length(tenants); i++)
		for (k = 0; k < ARRAY_SIZE(limits); k++)
			if (json_object_get_int64(json_object_object_get(
				    json_object_array_get_idx(tenants, i), limits[k])))
				return true;
	return false;
}

/**
 * struct file_table - a table with a row for each tenant, made of its files
 * @is_shown: whether it has anything to show; NULL: always
 */
static const struct file_table {
	const char *headings;
	bool (*is_shown)(struct json_object *tenants);
	const char *files[16];
} file_tables[] = {
	{ ">TENANT|NAME|>PID|>SLOT|SERVICE|>WEIGHT|>TARGET|CLASS|>SMS|>NP|>IPC|>RBH|>BANDWIDTH|>MPKI|WAITS FOR",
	  NULL,
	  { "id", "name", "pid", "slot", "service", "weight", "target",
	    "class", "sms", "np", "ipc", "rbh", "bandwidth", "llc_mpki",
	    "waits_for" } },
	/* Latencies of launches; dashes before the first has ended. */
	{ ">TENANT|NAME|>LAUNCHES|>WAITING|>P50 us|>P95 us|>P99 us|>MEAN WAIT|>MEAN RUN|>MISSES|>GOODPUT/s",
	  NULL,
	  { "id", "name", "launches", "launches_waiting", "latency_p50_us",
	    "latency_p95_us", "latency_p99_us", "wait_mean_us",
	    "run_mean_us", "deadline_misses", "goodput" } },
	/* Until first tokens, and between tokens. */
	{ ">TENANT|NAME|>FIRST TOKENS|>MEAN us|>P50 us|>P99 us|>TOKENS|>MEAN us|>P50 us|>P99 us|>BATCH",
	  has_tokens,
	  { "id", "name", "first_tokens", "ttft_mean_us", "ttft_p50_us", "ttft_p99_us",
	    "tokens", "tbt_mean_us", "tbt_p50_us", "tbt_p99_us", "batch_mean" } },
	{ ">TENANT|NAME|>COPIES|>WAITING|>RUNNING|>BYTES|>BYTES LEFT|>MEAN WAIT|>P99 us",
	  has_copies,
	  { "id", "name", "copies", "copies_waiting", "copies_running", "copy_bytes",
	    "copy_bytes_left", "copy_wait_mean_us", "copy_wait_p99_us" } },
	/* How long they waited for SMs on which others had thread blocks. */
	{ ">TENANT|NAME|>PREEMPT MEAN us|>PREEMPT P99 us",
	  has_waited,
	  { "id", "name", "preempt_mean_us", "preempt_p99_us" } },
	/* SMs, own and shared, what is left of quotas, and progress towards goals. */
	{ ">TENANT|NAME|OWN SMS|SHARED SMS|>BLOCKS|>QUOTA|>LEFT|>GOAL IPC|>IPC|>MET|>JOULES",
	  has_shares,
	  { "id", "name", "sm_list", "shared_sm_list", "blocks", "quota",
	    "quota_left", "goal_ipc", "ipc", "goal_met", "energy_joules" } },
	{ ">TENANT|NAME|>MANAGED|>RESIDENT|>FAULTS|>BYTES IN|>BYTES OUT",
	  has_managed,
	  { "id", "name", "managed_bytes", "resident_bytes", "page_faults",
	    "paged_in_bytes", "paged_out_bytes" } },
	{ ">TENANT|NAME|>TIMEOUTS|>FAULTS|>KILLS|>RESETS|>REPEATED|>CANCELED|>STRIKES|>BANNED",
	  has_failures,
	  { "id", "name", "timeouts", "faults", "kills", "resets", "launches_repeated",
	    "launches_canceled", "strikes", "banned" } },
	{ ">TENANT|NAME|>MEMORY MIN|>MEMORY LOW|>MEMORY MAX",
	  has_limits,
	  { "id", "name", "memory_min", "memory_low", "memory_max" } },
	{ ">TENANT|NAME|SM MASK|CHANNEL MASK|LLC WAY MASK",
	  has_masks,
	  { "id", "name", "sm_mask", "channel_mask", "llc_way_mask" } },
};

static void print_files(struct json_object *tenants, const struct file_table *of)
{
	struct table *table = table_new(of->headings);
	const char *const *file;
	size_t i;

	for (i = 0; i < json_object_array_length(tenants); i++) {
		struct json_object *tenant = json_object_array_get_idx(tenants, i);

		for (file = of->files; *file; file++)
			table_cell(table, "%s%s", strcmp(*file, "np") ? "" : doubt(tenant),
				   sysfs_text(tenant, *file));
	}
	putchar('\n');
	table_print(table);
}

/* Whether any tenant has more than one queue. */
static bool has_queues(struct json_object *tenants)
{
	size_t i;

	for (i = 0; i < json_object_array_length(tenants); i++) {
		struct json_object *queues = json_object_object_get(
			json_object_array_get_idx(tenants, i), "queues");

		if (queues && json_object_array_length(queues) > 1)
			return true;
	}
	return false;
}

/* Prints the queues of tenants that have several, a line each. */
static void print_queues(struct json_object *tenants)
{
	static const char *const columns[] = {
		"state", "priority", "waiting", "kernel",
	};
	struct table *table = table_new(
		">TENANT|NAME|>QUEUE|STATE|>PRIORITY|>WAITING|>KERNEL");
	size_t i, queue, column;

	for (i = 0; i < json_object_array_length(tenants); i++) {
		struct json_object *tenant = json_object_array_get_idx(tenants, i);
		struct json_object *queues = json_object_object_get(tenant,
								    "queues");
		size_t count = queues ? json_object_array_length(queues) : 0;

		for (queue = 0; count > 1 && queue < count; queue++) {
			table_cell(table, "%s", sysfs_text(tenant, "id"));
			table_cell(table, "%s", sysfs_text(tenant, "name"));
			table_cell(table, "%zu", queue);
			for (column = 0; column < ARRAY_SIZE(columns); column++)
				table_cell(table, "%s", sysfs_text(
					json_object_array_get_idx(queues, queue),
					columns[column]));
		}
	}
	putchar('\n');
	table_print(table);
}

static void print_tenants(struct json_object *tenants)
{
	u32 i;

	if (!json_object_array_length(tenants))
		return;
	for (i = 0; i < ARRAY_SIZE(file_tables); i++)
		if (!file_tables[i].is_shown || file_tables[i].is_shown(tenants))
			print_files(tenants, &file_tables[i]);
	if (has_queues(tenants))
		print_queues(tenants);
}

static double ratio(u64 value_ppm)
{
	return (double)value_ppm / SIMGPU_PPM;
}

/* What the policy tells of itself about a tenant, behind the figures. */
static void print_gauges(const struct simgpu_netlink_epoch *epoch,
			 const struct simgpu_netlink_epoch_tenant *tenant)
{
	char text[SESSION_GAUGE_TEXT_BYTES];
	u32 i;

	for (i = 0; i < epoch->gauge_count; i++) {
		session_gauge_text(epoch->gauges[i].unit, tenant->gauges[i], text);
		printf(", %s %s", epoch->gauges[i].name, text);
	}
}

static void print_epoch(const struct simgpu_netlink_epoch *epoch)
{
	static const char *const classes[] = { "unknown", "compute", "memory" };
	u32 i;

	for (i = 0; i < epoch->tenant_count; i++) {
		const struct simgpu_netlink_epoch_tenant *tenant =
			&epoch->tenants[i];

		printf("epoch %llu to cycle %llu: tenant %llu, %s, NP %s%.3f, SMs %u -> %u, IPC %.1f, RBH %.3f, bandwidth %.3f",
		       (u64)epoch->index, (u64)epoch->end_cycle,
		       (u64)tenant->id,
		       classes[tenant->class <= SIMGPU_CLASSIFIED_MEMORY ?
			       tenant->class : SIMGPU_CLASSIFIED_UNKNOWN],
		       tenant->np_doubts ? "~" : "", ratio(tenant->np_ppm), tenant->sms, tenant->sms_next,
		       ratio(tenant->ipc_ppm), ratio(tenant->rbh_ppm),
		       ratio(tenant->bandwidth_ppm));
		print_gauges(epoch, tenant);
		puts(epoch->flags & SIMGPU_EPOCH_FELL_BACK ?
		     ", even took the policy's place" : "");
	}
	fflush(stdout);
}

/* Epochs take milliseconds while a tenant has work. */
#define QUIET_NS	2000000000ULL
#define NS_PER_MS	1000000ULL

/**
 * struct quiet - what is said of a device that ends no epoch, once
 * @due_ns: when it is said
 * @is_said: it was, since the device's last epoch
 */
struct quiet {
	u64 due_ns;
	bool is_said;
};

static void begin_quiet(struct quiet *quiet)
{
	*quiet = (struct quiet){ .due_ns = offline_wall_ns() + QUIET_NS };
}

/* The next epoch of any device, however long it takes. */
static int next_epoch(struct simgpu_netlink *netlink, u32 device, struct quiet *quiet,
		      struct simgpu_netlink_epoch *epoch)
{
	u64 now_ns = offline_wall_ns();
	int rest_ms = now_ns < quiet->due_ns ?
		      (int)((quiet->due_ns - now_ns) / NS_PER_MS) + 1 : 0;
	int ret = simgpu_netlink_next_epoch(netlink, quiet->is_said ? -1 : rest_ms,
					    epoch);

	if (ret != -ETIMEDOUT)
		return ret;
	quiet->is_said = true;
	warn("simgpu%u has ended no epoch for %llu s; waiting: epochs end while a tenant has work",
	     device, QUIET_NS / NS_PER_MS / 1000);
	return -EINTR;
}

/* Prints epochs of the device until there were enough. */
static int follow_epochs(struct simgpu_netlink *netlink,
			 const struct stat_arguments *arguments)
{
	struct simgpu_netlink_epoch epoch;
	u64 rest = arguments->epochs;
	struct quiet quiet;
	int ret;

	begin_quiet(&quiet);
	while (rest) {
		ret = next_epoch(netlink, arguments->device, &quiet, &epoch);
		if (ret == -EINTR)
			continue;
		if (ret == -ENOBUFS) {
			puts("(epochs were missed)");
			continue;
		}
		if (ret)
			return fail("listening: %s", strerror(-ret));
		if (epoch.device != arguments->device)
			continue;
		begin_quiet(&quiet);
		print_epoch(&epoch);
		rest--;
	}
	return STATUS_OK;
}

static int follow(const struct stat_arguments *arguments)
{
	struct simgpu_netlink *netlink;
	int ret = simgpu_netlink_open(&netlink);

	if (ret)
		return fail("netlink: %s", strerror(-ret));
	ret = simgpu_netlink_listen(netlink);
	ret = ret ? fail("listening to epochs: %s", strerror(-ret)) :
		    follow_epochs(netlink, arguments);
	simgpu_netlink_close(netlink);
	return ret;
}

int stat_command(int argc, char **argv)
{
	struct stat_arguments arguments = { .device = 0 };
	struct json_object *object, *tenants;
	char name[SIMGPU_VALUE_BYTES];
	int ret;

	parse_command_line(&command_line, argc, argv, ARGP_IN_ORDER, &arguments);
	if (arguments.command)
		return stat_run(&arguments);
	ret = simgpu_read_device_value(arguments.device, "config", name,
				       sizeof(name));
	if (ret)
		return fail("simgpu%u: %s", arguments.device,
			    device_error(ret));
	if (arguments.follow)
		return follow(&arguments);
	object = json_object_new_object();
	snprintf(name, sizeof(name), "simgpu%u", arguments.device);
	json_set_string(object, "device", name);
	read_device(object, arguments.device);
	read_settings(object, arguments.device);
	json_set(object, "policy_params",
		 sysfs_params(arguments.device, "policy_params"));
	json_set(object, "model_params",
		 sysfs_params(arguments.device, "model_params"));
	json_set(object, "memory_params",
		 sysfs_params(arguments.device, "memory_params"));
	tenants = read_tenants(arguments.device);
	json_set(object, "tenants", tenants);
	if (arguments.json)
		return json_print(object);
	print_device(object);
	print_tenants(tenants);
	json_object_put(object);
	return STATUS_OK;
}
