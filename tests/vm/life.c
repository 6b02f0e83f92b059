// SPDX-License-Identifier: GPL-2.0
/*
 * A device's life with failures, on a small device of its own: processes that launch and wait,
 * while their kernels hang, use bad addresses, lose the memory or their copies stall, while they
 * are killed, and while root swaps policies, writes knobs and changes settings. No launch of
 * theirs may lose a thread block or have one too many; and in the end all slots are free, and
 * what the kernel holds is what it held before. Prints TAP, and how often what was done.
 *
 * usage: life storm SEED FAILURES
 *	  life long SEED SECONDS
 *
 * A storm is one burst until so many failures were found. A long life is mostly idle between
 * bursts, on one device after the other: every second one leaps through its time, where nothing
 * can be made to fail. In its pauses a service has requests that are far apart, so that
 * device time goes on by minutes.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../kselftest/dumps.h"
#include "../kselftest/made_device.h"

#define PROCESSES	SIMGPU_TENANTS_MAX
/* Of a long life, so that a burst is over soon */
#define BURST_PROCESSES	16
/* Whoever comes or goes has the session measure anew before the next leap. */
#define LEAP_PROCESSES	3
#define BURSTS		4
#define LAUNCHES_MAX	4
#define BLOCKS		8
#define TIMEOUT		4000
/* Less than a process that was not let go would hold, more than the kernel's own noise. */
#define NOISE_KB	4096
/* Device time in which each launch of a storm ends: all that can wait take a third of it */
#define PATIENCE_CYCLES	5000000
/* For a launch where device time leaps */
#define LEAP_PATIENCE_NS	3000000000LL
/* The longest that there is */
#define LEAP_EPOCH	"50000000"
/* Core cycles between two requests in a pause, at most */
#define REQUEST_CYCLES	1000000000
/* Failures of a first storm, which is not counted */
#define WARM_UP		100
/* How often a run tells how far it is */
#define PROGRESS_SECONDS	60
#define KMEMLEAK	"/sys/kernel/debug/kmemleak"
#define CORE_HZ		1400e6
#define DEVICE_TEXT	"base = hbm80\nname = tiny\nsms = 4\n"

/* What is done to the device, and what its processes do */
enum deed {
	LAUNCHED, REQUESTED, OPENED, KILLED, INJECTED, POLICY, KNOB, SETTING, LOOKED, BURST,
	IDLED, MADE,
	DEEDS
};

static const char *const deed_names[DEEDS] = {
	"launches", "requests", "files opened", "processes killed", "injections written",
	"policies swapped", "knobs written", "settings changed", "files read", "bursts",
	"pauses", "devices made",
};

/*
 * How launches have ended, by errno; others are a fault of the driver. @leaps: where device time
 * leaps, in which nothing fails, but launches are so long that not all are waited for
 */
static const struct {
	int error;
	const char *name;
	bool leaps, fails;
} endings[] = {
	{ 0, "ok", true, true }, { ETIMEDOUT, "a closed file", .leaps = true },
	{ ETIME, "timed out", .fails = true }, { EFAULT, "bad address", .fails = true },
	{ EIO, "memory or ban", .fails = true }, { ECANCELED, "canceled", .fails = true },
};

#define ENDINGS	(sizeof(endings) / sizeof(endings[0]))

/* struct tally - counts of all processes; @blocks: of launches that were checked */
struct tally {
	unsigned long done[DEEDS];
	unsigned long ended[ENDINGS];
	unsigned long blocks;
	unsigned long wrong;
	bool over;
};

/*
 * struct life - what is the same for all processes. @leaps: device time leaps; @begun: host time
 * of the begin; @told: when it was told last how far the run is
 */
struct life {
	struct tally *tally;
	struct made_device device;
	char debugfs[128];
	uint64_t random;
	bool leaps;
	unsigned long failures;
	double device_seconds;
	double begun, told;
};

static struct built_trace works[3];

/* --- kit -------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *random, uint64_t limit)
{
	uint64_t word = *random += 0x9e3779b97f4a7c15ULL;

	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9ULL;
	word = (word ^ word >> 27) * 0x94d049bb133111ebULL;
	return (word ^ word >> 31) % limit;
}

static void count_many(struct tally *tally, enum deed deed, unsigned long many)
{
	__atomic_fetch_add(&tally->done[deed], many, __ATOMIC_RELAXED);
}

static void count(struct tally *tally, enum deed deed)
{
	count_many(tally, deed, 1);
}

/* Something is not as it has to be. */
static void blame(struct tally *tally, const char *what, long long is, long long expected)
{
	printf("# %s: %lld, not %lld\n", what, is, expected);
	fflush(stdout);
	__atomic_fetch_add(&tally->wrong, 1, __ATOMIC_RELAXED);
}

static int set(struct life *life, const char *file, const char *text)
{
	return write_text(made_path(&life->device, file), text);
}

static long long get(struct life *life, const char *file)
{
	return read_number(made_path(&life->device, file));
}

static int inject(struct life *life, const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), "%sinject", life->debugfs);
	return write_text(path, text);
}

/* A kernel behind a copy to the device */
static void build_copying(struct built_trace *trace)
{
	const struct trace_part part = { .bytes = 4096, .kind = SIMGPU_TRACE_DEVICE };
	const struct simgpu_trace_command commands[] = {
		{ .kind = SIMGPU_TRACE_COMMAND_COPY_IN, .repeat = 1, .amount = 4096 },
		{ .kind = SIMGPU_TRACE_COMMAND_KERNEL, .repeat = 1 },
	};

	build_compute(trace, BLOCKS, 1);
	trace_header(trace)->footprint_bytes = part.bytes;
	trace_section(trace, SIMGPU_TRACE_COMMANDS, commands, sizeof(commands[0]), 2);
	trace_allocate(trace, &part, 1);
}

/* --- a process ------------------------------------------------------------------------------ */

static int set_timeouts(struct life *life, int fd)
{
	struct simgpu_queue cmd = { .size = sizeof(cmd), .timeout_cycles = TIMEOUT };
	int ret = 0;

	for (cmd.queue = 0; cmd.queue < 2 && !ret && !life->leaps; cmd.queue++)
		ret = call(fd, SIMGPU_IOC_QUEUE, &cmd);
	return ret;
}

static int launch_one(struct life *life, int fd, uint32_t handle, uint64_t *random,
		      uint64_t *sequence)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = handle, .queue = draw(random, 2),
		.repeats = life->leaps ? 1 + draw(random, 2000000) : 1,
		.flags = draw(random, 2) ? SIMGPU_LAUNCH_IDEMPOTENT : 0,
	};
	int ret = call(fd, SIMGPU_IOC_LAUNCH, &cmd);

	*sequence = cmd.sequence;
	if (!ret)
		count(life->tally, LAUNCHED);
	return ret;
}

/* Waits on while the device's time goes on, as it does slowly where the host is busy. */
static int wait_patiently(struct life *life, int fd, uint64_t sequence)
{
	long long begun = get(life, "cycles"), seen = begun, now;
	int ret;

	while ((ret = wait_launch(fd, sequence, PATIENCE_NS)) == -ETIMEDOUT) {
		now = get(life, "cycles");
		if (now <= seen || now > begun + PATIENCE_CYCLES)
			break;
		seen = now;
	}
	return ret;
}

/* Waits for a launch. Return: whether it has run to its end. */
static bool ends_well(struct life *life, int fd, uint64_t sequence)
{
	int ret = life->leaps ? wait_launch(fd, sequence, LEAP_PATIENCE_NS) :
				wait_patiently(life, fd, sequence);
	unsigned int i;

	for (i = 0; i < ENDINGS; i++)
		if (ret == -endings[i].error &&
		    (life->leaps ? endings[i].leaps : endings[i].fails)) {
			__atomic_fetch_add(&life->tally->ended[i], 1, __ATOMIC_RELAXED);
			return !ret;
		}
	blame(life->tally, "a launch's end", ret, 0);
	return false;
}

/*
 * All launches of a file have ended, @well of them at their own end. Those that ended otherwise,
 * and those that began again after a reset, may have had some of their blocks.
 */
static void check_blocks(struct life *life, int fd, unsigned long well, unsigned long others)
{
	struct full_report report;
	unsigned long least = well * BLOCKS, finished;
	int ret = tenant_report(fd, &report);

	if (ret) {
		blame(life->tally, "a report", ret, 0);
		return;
	}
	finished = COUNT(report, BLOCKS_FINISHED);
	others += report.figures.launches_repeated;
	if (finished < least || finished > least + others * BLOCKS)
		blame(life->tally, "thread blocks of a file", finished, least);
	__atomic_fetch_add(&life->tally->blocks, finished, __ATOMIC_RELAXED);
}

/* A file, some launches, and their ends */
static void live_once(struct life *life, uint64_t *random)
{
	unsigned int wanted = 1 + draw(random, LAUNCHES_MAX), made = 0, well = 0, i;
	uint64_t sequence[LAUNCHES_MAX];
	int fd = open_made(&life->device), ret;
	uint32_t handle = 0;

	count(life->tally, OPENED);
	ret = fd < 0 ? fd : set_timeouts(life, fd);
	ret = ret ?: upload(fd, &works[draw(random, life->leaps ? 2 : 3)], &handle);
	while (!ret && made < wanted) {
		ret = launch_one(life, fd, handle, random, &sequence[made]);
		made += !ret;
	}
	/* A tenant that was banned by an earlier launch, and whose slot is another's already */
	if (ret && ret != -EIO)
		blame(life->tally, "a file, an upload or a launch", ret, 0);
	for (i = 0; i < made; i++)
		well += ends_well(life, fd, sequence[i]);
	/* Of a leap the counters are in proportion, rounded down. */
	if (made && !life->leaps)
		check_blocks(life, fd, well, made - well);
	close(fd);
}

static pid_t start(struct life *life)
{
	uint64_t random = draw(&life->random, UINT64_MAX);
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!life->tally->over)
		live_once(life, &random);
	_exit(0);
}

/* --- what root does ------------------------------------------------------------------------- */

static void swap_policy(struct life *life)
{
	static const char *const policies[] = {
		"even", "concurrent", "proportional", "hsm-fair", "sequential", "time-slice",
		"reef", "slices", "orion",
	};

	if (!set(life, "policy", policies[draw(&life->random, sizeof(policies) /
							      sizeof(policies[0]))]))
		count(life->tally, POLICY);
}

/* A parameter of the policy in force, which gets the value that it has, or 1. */
static void write_knob(struct life *life)
{
	DIR *directory = opendir(made_path(&life->device, "policy_params"));
	unsigned int left = draw(&life->random, 4);
	const struct dirent *entry;
	char file[96], text[64];

	while (directory && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.' || left--)
			continue;
		snprintf(file, sizeof(file), "policy_params/%.80s", entry->d_name);
		if (draw(&life->random, 2) ||
		    read_text(made_path(&life->device, file), text, sizeof(text)))
			strcpy(text, "1");
		if (!set(life, file, text))
			count(life->tally, KNOB);
		break;
	}
	if (directory)
		closedir(directory);
}

static void change_setting(struct life *life)
{
	const char *const settings[][2] = {
		/* A leap ends with its epoch. */
		{ "epoch_cycles", life->leaps ? "20000000" : "20000" },
		{ "epoch_cycles", life->leaps ? LEAP_EPOCH : "100000" },
		{ "model", "hsm" }, { "model", "dase" }, { "pace", "1" }, { "pace", "0" },
		{ "cpu_percent", "50" }, { "cpu_percent", "100" },
		{ "sampled", "0" }, { "sampled", "5" },
	};
	unsigned int which = draw(&life->random, sizeof(settings) / sizeof(settings[0]));
	int ret = set(life, settings[which][0], settings[which][1]);

	/* Where something can fail, time cannot leap. */
	if (!life->leaps && !strcmp(settings[which][0], "sampled"))
		ret = ret == -EINVAL ? 0 : ret ?: strcmp(settings[which][1], "0") ? -EPROTO : 0;
	if (ret)
		blame(life->tally, settings[which][0], ret, 0);
	count(life->tally, SETTING);
}

static void write_injections(struct life *life)
{
	static const char *const lists[] = {
		"none\nhang:probability=0.3\naddress:probability=0.3\n",
		"none\nhang:probability=0.02,survives=sm-reset\nhang:probability=0.2,survives=kill\n",
		"none\nmemory:probability=0.4\ncopy:probability=0.5\nhang:probability=0.2\n",
		"none\nhang:probability=0.3,cycles=300\naddress:probability=0.3,cycles=500\n",
	};
	int ret;

	if (life->leaps)
		return;
	ret = inject(life, lists[draw(&life->random, sizeof(lists) / sizeof(lists[0]))]);
	if (ret)
		blame(life->tally, "an injection", ret, 0);
	count(life->tally, INJECTED);
}

static void look(struct life *life)
{
	static const char *const files[] = { "failure", "journal", "inject" };
	static const char *const figures[] = { "state", "fairness", "failures", "cycles" };
	static char text[1 << 20];
	char path[160];

	snprintf(path, sizeof(path), "%s%s", life->debugfs, files[draw(&life->random, 3)]);
	read_text(path, text, sizeof(text));
	read_text(made_path(&life->device, figures[draw(&life->random, 4)]), text,
		  sizeof(text));
	count(life->tally, LOOKED);
}

static void do_something(struct life *life, pid_t *pids, unsigned int processes)
{
	static void (*const deeds[])(struct life *life) = {
		swap_policy, write_knob, change_setting, write_injections, look,
	};
	unsigned int which = draw(&life->random, 2 * sizeof(deeds) / sizeof(deeds[0]));

	if (which < sizeof(deeds) / sizeof(deeds[0])) {
		deeds[which](life);
		return;
	}
	which = draw(&life->random, processes);
	kill(pids[which], SIGKILL);
	waitpid(pids[which], NULL, 0);
	count(life->tally, KILLED);
	pids[which] = start(life);
}

static unsigned long failures_now(struct life *life)
{
	long long failures = get(life, "failures");

	return failures < 0 ? 0 : failures;
}

/* So that a run that is cut short has said something. */
static void tell_progress(struct life *life)
{
	double now = seconds_now();

	if (now < life->told + PROGRESS_SECONDS)
		return;
	life->told = now;
	printf("# after %.0f s: %lu launches, %lu failures\n", now - life->begun,
	       life->tally->done[LAUNCHED], life->failures + failures_now(life));
	fflush(stdout);
}

/* @enough: failures, or 0: for @seconds. Whoever is in a call then ends it. */
static void burst(struct life *life, unsigned int processes, unsigned long enough,
		  double seconds)
{
	double until = seconds_now() + seconds;
	pid_t pids[PROCESSES];
	unsigned int i;

	life->tally->over = false;
	count(life->tally, BURST);
	write_injections(life);
	for (i = 0; i < processes; i++)
		pids[i] = start(life);
	while (enough ? failures_now(life) < enough && !life->tally->wrong :
			seconds_now() < until) {
		sleep_ms(20 + draw(&life->random, life->leaps ? 2000 : 100));
		do_something(life, pids, processes);
		tell_progress(life);
	}
	life->tally->over = true;
	for (i = 0; i < processes; i++)
		waitpid(pids[i], NULL, 0);
}

/* --- a device -------------------------------------------------------------------------------- */

/* Memory that the kernel has taken and that its caches cannot give back */
static long long kernel_kb(void)
{
	static const char *const parts[] = { "SUnreclaim:", "VmallocUsed:", "Percpu:" };
	char text[8192];
	long long sum = 0;
	unsigned int i;

	if (read_text("/proc/meminfo", text, sizeof(text)))
		return 0;
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *at = strstr(text, parts[i]);

		sum += at ? strtoll(at + strlen(parts[i]), NULL, 10) : 0;
	}
	return sum;
}

static int begin(struct life *life)
{
	static const char *const settings[][2] = {
		{ "policy", "concurrent" }, { "timeout_cycles", "0" }, { "kill_cycles", "500" },
		{ "reset_sm_cycles", "1000" }, { "reset_device_cycles", "5000" },
		{ "journal_events", "1000000" }, { "sampled", "0" },
	};
	int ret = make_device(&life->device, "life", DEVICE_TEXT);
	unsigned int i;

	for (i = 0; i < sizeof(settings) / sizeof(settings[0]) && !ret; i++)
		ret = set(life, settings[i][0], settings[i][1]);
	snprintf(life->debugfs, sizeof(life->debugfs), "/sys/kernel/debug/simgpu/%s/",
		 life->device.name);
	if (!ret && life->leaps)
		ret = set(life, "epoch_cycles", LEAP_EPOCH) ?: set(life, "sampled", "5");
	if (ret)
		blame(life->tally, "the device", ret, 0);
	count(life->tally, MADE);
	return ret;
}

/* Nothing fails any more: tenants in all slots at once, each with all of its blocks */
static void use_all_slots(struct life *life)
{
	int fd[SIMGPU_TENANTS_MAX], ret, i;
	uint64_t sequence[SIMGPU_TENANTS_MAX];
	uint32_t handle = 0;

	for (i = 0; i < SIMGPU_TENANTS_MAX; i++) {
		fd[i] = open_made(&life->device);
		fcntl(fd[i], F_SETFL, O_NONBLOCK);
		ret = upload(fd[i], &works[0], &handle);
		ret = ret ?: launch(fd[i], handle, 1, &sequence[i]);
		if (ret)
			blame(life->tally, "a launch in an empty slot", ret, 0);
	}
	for (i = 0; i < SIMGPU_TENANTS_MAX; i++) {
		ret = wait_launch(fd[i], sequence[i], PATIENCE_NS);
		if (ret)
			blame(life->tally, "a launch that nothing disturbs", ret, 0);
		check_blocks(life, fd[i], 1, 0);
		close(fd[i]);
	}
}

static void end(struct life *life)
{
	double until;
	int ret;

	life->failures += failures_now(life);
	life->device_seconds += get(life, "cycles") / CORE_HZ;
	/* In this order: where time leaps nothing can be injected, nor forgotten. */
	ret = set(life, "sampled", "0") ?: inject(life, "none") ?: set(life, "pace", "0") ?:
	      set(life, "policy", "concurrent");
	if (ret)
		blame(life->tally, "a quiet device", ret, 0);
	use_all_slots(life);
	until = seconds_now() + 10 * patience();
	while (get(life, "bytes_held") && seconds_now() < until)
		sleep_ms(10);
	if (get(life, "bytes_held"))
		blame(life->tally, "bytes held", get(life, "bytes_held"), 0);
	delete_dumps();
	ret = remove_device(&life->device);
	if (ret)
		blame(life->tally, "to remove the device", ret, 0);
}

/* --- lives -------------------------------------------------------------------------------------- */

static void storm(struct life *life, unsigned long failures)
{
	if (!begin(life)) {
		burst(life, PROCESSES, failures, 0);
		end(life);
	}
}

static void pause_for(struct life *life, double seconds)
{
	struct simgpu_arrivals cmd = {
		.size = sizeof(cmd), .kind = SIMGPU_ARRIVALS_EVERY, .launches = 1,
		.requests = UINT32_MAX,
		.every_cycles = REQUEST_CYCLES - draw(&life->random, REQUEST_CYCLES / 2),
	};
	struct full_report report = { 0 };
	int fd, ret;

	if (!life->leaps) {
		sleep_ms(1000 * seconds);
		return;
	}
	fd = open_made(&life->device);
	/* Some policies divide idle time, too, and a pace of 1 is slower than nothing to do. */
	ret = set(life, "policy", "even") ?: set(life, "pace", "0") ?:
	      set(life, "epoch_cycles", LEAP_EPOCH) ?:
	      upload(fd, &works[draw(&life->random, 2)], &cmd.handle) ?:
	      call(fd, SIMGPU_IOC_ARRIVALS, &cmd);
	sleep_ms(1000 * seconds);
	ret = ret ?: tenant_report(fd, &report);
	if (ret)
		blame(life->tally, "a service", ret, 0);
	/* The first one comes at once, and the time between two of them is no work. */
	if (!report.figures.launches)
		blame(life->tally, "requests in a pause", 0, 1);
	count_many(life->tally, REQUESTED, report.figures.launches);
	close(fd);
}

/* A device, and some bursts with pauses between them that are longer */
static void live_for_a_while(struct life *life, double until)
{
	unsigned int i;

	if (begin(life))
		return;
	for (i = 0; i < BURSTS && seconds_now() < until; i++) {
		double seconds = 3 + draw(&life->random, 5);

		burst(life, life->leaps ? LEAP_PROCESSES : BURST_PROCESSES, 0, seconds);
		pause_for(life, seconds + draw(&life->random, 15));
		count(life->tally, IDLED);
	}
	end(life);
}

static void live_long(struct life *life, double seconds)
{
	double until = seconds_now() + seconds;

	while (seconds_now() < until && !life->tally->wrong) {
		life->leaps = !life->leaps;
		live_for_a_while(life, until);
	}
}

static void tell(const struct life *life)
{
	const struct tally *tally = life->tally;
	unsigned int i;

	for (i = 0; i < DEEDS; i++)
		printf("# %s: %lu\n", deed_names[i], tally->done[i]);
	for (i = 0; i < ENDINGS; i++)
		printf("# launches that ended with %s: %lu\n", endings[i].name,
		       tally->ended[i]);
	printf("# %lu thread blocks were checked; %.6f seconds of device time\n", tally->blocks,
	       life->device_seconds);
}

static bool report(unsigned int number, bool ok, const char *name)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", number, name);
	return ok;
}

int main(int argc, char **argv)
{
	struct life life = { 0 };
	bool is_storm, ok;
	long long before, after;
	uint64_t amount;

	if (argc != 4) {
		fprintf(stderr, "usage: life storm SEED FAILURES | life long SEED SECONDS\n");
		return 2;
	}
	printf("TAP version 13\n1..3\n");
	fflush(stdout);
	is_storm = !strcmp(argv[1], "storm");
	life.begun = seconds_now();
	life.told = life.begun;
	life.random = strtoull(argv[2], NULL, 0);
	amount = strtoull(argv[3], NULL, 0);
	life.tally = mmap(NULL, sizeof(*life.tally), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	build_compute(&works[0], BLOCKS, 1);
	build_stream(&works[1], BLOCKS, 2);
	build_copying(&works[2]);
	/* The kernel's own caches grow with the first processes, and stay. */
	storm(&life, WARM_UP);
	life.failures = 0;
	before = kernel_kb();
	if (is_storm)
		storm(&life, amount);
	else
		live_long(&life, amount);
	after = kernel_kb();
	tell(&life);
	printf("# %lu failures; the kernel held %lld KB before, %lld KB after\n", life.failures,
	       before, after);
	ok = report(1, !life.tally->wrong,
		    "no thread block is lost, no slot, and nothing is held");
	/* KASAN keeps what was freed for a while; there kmemleak looks for what is lost. */
	ok &= report(2, after < before + NOISE_KB || !access(KMEMLEAK, F_OK),
		     "the kernel holds no more than before");
	ok &= report(3, !is_storm || life.failures >= amount, "so many failures were found");
	return !ok;
}
