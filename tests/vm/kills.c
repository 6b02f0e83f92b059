// SPDX-License-Identifier: GPL-2.0
/*
 * kill -9 at random, under load: gangs of processes that copy, work, upload and ask
 * without a pause, of which most are killed while the device runs. The others
 * must finish all of their thread blocks, and what the dead held is given back.
 * Writes the traces and each gang's journal to a folder, for a replay. Prints
 * TAP.
 *
 * usage: kills FOLDER COUNT SEED
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../kselftest/calls.h"

#define MEMBERS		16
/* The last member always lives, and others by chance. */
#define KILLS_A_GANG	12
#define LAUNCHES	6
#define REPEATS		4
/* A gang without a kill: the device is faster than the killer. */
#define GANGS_MAX	1000

/* struct work - a trace and how many thread blocks it has */
struct work {
	const char *name;
	struct built_trace trace;
	uint64_t blocks;
};

static struct work works[3];

static uint64_t draw(uint64_t *random)
{
	uint64_t word = *random += 0x9e3779b97f4a7c15ULL;

	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9ULL;
	word = (word ^ word >> 27) * 0x94d049bb133111ebULL;
	return word ^ word >> 31;
}

static void build_works(void)
{
	works[0].name = "compute";
	works[0].blocks = 160;
	build_compute(&works[0].trace, 160, 60);
	works[1].name = "stream";
	works[1].blocks = 80;
	build_stream(&works[1].trace, 80, 8);
	works[2].name = "everything";
	works[2].blocks = 6;
	build_everything(&works[2].trace);
}

static const struct work *work_of(unsigned int slot)
{
	return &works[slot % 3];
}

static int save(const char *folder, const char *name, const char *end,
		const void *bytes, size_t size)
{
	char path[256];
	FILE *file;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, end);
	file = fopen(path, "w");
	if (!file)
		return -errno;
	if (fwrite(bytes, 1, size, file) != size)
		ret = -EIO;
	return fclose(file) ? -EIO : ret;
}

/* Whatever a tenant may ask for while it works. */
static void be_busy(int fd, const struct work *work)
{
	struct full_report report;
	uint32_t handle;

	tenant_report(fd, &report);
	if (!upload(fd, &work->trace, &handle))
		trace_remove(fd, handle);
}

/* A copy in a queue of its own, beside what the member launches then. */
static int copy(int fd, unsigned int slot)
{
	struct simgpu_copy cmd = {
		.size = sizeof(cmd), .kind = SIMGPU_COPY_IN + slot % 4, .offset = slot * 4096,
		.bytes = 50000 * (slot + 1), .flags = SIMGPU_LAUNCH_MORE, .queue = 1,
	};

	return call(fd, SIMGPU_IOC_COPY, &cmd);
}

/* A member's life; its status is 0 if all of its launches have ended well. */
static int live(int gang, unsigned int slot)
{
	const struct work *work = work_of(slot);
	uint64_t sequence = 0;
	unsigned int i;
	uint32_t handle = 0;
	int fd = open_device(), ret;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	ret = gang_join(fd, gang, slot);
	ret = ret ?: upload(fd, &work->trace, &handle);
	ret = ret ?: copy(fd, slot);
	for (i = 0; i < LAUNCHES && !ret; i++)
		ret = launch(fd, handle, REPEATS, &sequence);
	while (!ret) {
		ret = wait_launch(fd, sequence, 1000000);
		if (!ret)
			return 0;
		if (ret != -ETIMEDOUT)
			break;
		be_busy(fd, work);
		ret = 0;
	}
	fprintf(stderr, "member %u: %s\n", slot, strerror(-ret));
	return 1;
}

static uint32_t state_of(int gang)
{
	struct simgpu_gang_status status;

	return gang_status(gang, &status) ? SIMGPU_GANG_CANCELED : status.state;
}

/* Makes the gang and its processes; the gang's file, or a negative errno. */
static int begin(pid_t *members, uint64_t *random)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = MEMBERS,
		.epoch_cycles = 10000, .seed = draw(random),
		.kernel_end = draw(random) % 2, .preemption = draw(random) % 3,
		.policy = "hsm-fair",
	};
	unsigned int slot;
	int fd = open_device(), ret;

	ret = call(fd, SIMGPU_IOC_GANG_CREATE, &create);
	close(fd);
	if (ret)
		return ret;
	for (slot = 0; slot < MEMBERS; slot++) {
		members[slot] = fork();
		if (!members[slot])
			_exit(live(create.fd, slot));
	}
	while (state_of(create.fd) == SIMGPU_GANG_WAITING)
		sleep_ms(1);
	return create.fd;
}

/* Kills members at random moments while the device runs; how many. */
static unsigned int kill_some(int gang, pid_t *members, unsigned int limit,
			      uint64_t *random)
{
	unsigned int killed = 0, slot;

	while (killed < limit) {
		sleep_ms(draw(random) % 40);
		slot = draw(random) % (MEMBERS - 1);
		if (!members[slot])
			continue;
		if (state_of(gang) != SIMGPU_GANG_RUNNING)
			break;
		kill(members[slot], SIGKILL);
		waitpid(members[slot], NULL, 0);
		members[slot] = 0;
		killed++;
	}
	return killed;
}

/* Whether a member that was spared did all that it had launched. */
static bool finished(int gang, unsigned int slot, pid_t member)
{
	const uint64_t blocks = LAUNCHES * REPEATS * work_of(slot)->blocks;
	struct full_report report;
	int status = -1, ret;

	waitpid(member, &status, 0);
	ret = gang_report(gang, slot, &report);
	if (!status && !ret && COUNT(report, BLOCKS_FINISHED) == blocks)
		return true;
	printf("# member %u: status %d, report %d, %llu of %llu thread blocks\n",
	       slot, status, ret,
	       (unsigned long long)COUNT(report, BLOCKS_FINISHED),
	       (unsigned long long)blocks);
	return false;
}

static int save_journal(const char *folder, unsigned int number)
{
	static char text[1 << 20];
	size_t size;
	char name[32];
	FILE *journal = fopen(DEBUGFS "journal", "r");

	if (!journal)
		return -errno;
	size = fread(text, 1, sizeof(text), journal);
	fclose(journal);
	snprintf(name, sizeof(name), "journal-%u", number);
	return save(folder, name, "", text, size);
}

/* One gang; what went wrong is told, and false. */
static bool run_gang(const char *folder, unsigned int number,
		     unsigned int limit, uint64_t *random, unsigned int *kills)
{
	long long held = read_number(SYSFS "bytes_held");
	pid_t members[MEMBERS];
	unsigned int killed, spared = 0, slot;
	int gang = begin(members, random), ret;
	bool well = true;

	if (gang < 0) {
		printf("# gang %u: %s\n", number, strerror(-gang));
		return false;
	}
	killed = kill_some(gang, members, limit, random);
	for (slot = 0; slot < MEMBERS; slot++) {
		if (!members[slot])
			continue;
		well = finished(gang, slot, members[slot]) && well;
		spared++;
	}
	if (state_of(gang) != SIMGPU_GANG_DONE) {
		printf("# gang %u did not come to its end\n", number);
		well = false;
	}
	ret = save_journal(folder, number);
	if (ret) {
		printf("# journal %u: %s\n", number, strerror(-ret));
		well = false;
	}
	close(gang);
	if (read_bytes_held(held) != held) {
		printf("# gang %u: %lld bytes are held, not %lld\n", number,
		       read_number(SYSFS "bytes_held"), held);
		well = false;
	}
	*kills += killed;
	printf("# gang %u: %u killed, %u spared\n", number, killed, spared);
	fflush(stdout);
	return well;
}

int main(int argc, char **argv)
{
	unsigned int count, kills = 0, gang, i;
	uint64_t random;
	bool well = true;

	if (argc != 4) {
		fprintf(stderr, "usage: kills FOLDER COUNT SEED\n");
		return 2;
	}
	count = strtoul(argv[2], NULL, 0);
	random = strtoull(argv[3], NULL, 0);
	build_works();
	for (i = 0; i < 3; i++)
		if (save(argv[1], works[i].name, ".trace", works[i].trace.bytes,
			 works[i].trace.size))
			well = false;
	for (gang = 0; well && kills < count && gang < GANGS_MAX; gang++)
		well = run_gang(argv[1], gang,
				count - kills < KILLS_A_GANG ? count - kills :
							       KILLS_A_GANG,
				&random, &kills);
	printf("%sok 1 - %u kills: those who were spared finished all thread blocks, and nothing is held\n",
	       well && kills == count ? "" : "not ", kills);
	return !well || kills != count;
}
