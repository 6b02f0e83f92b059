// SPDX-License-Identifier: GPL-2.0
/*
 * Many at once: a thousand tenants on one device, of which SIMGPU_TENANTS_MAX
 * have work at a time while the others wait, all of them with managed memory, and as many
 * devices as there may be, each with tenants.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "made_device.h"
#include "harness.h"

#define TENANTS		1000
#define DEVICES		64
#define TENANTS_EACH	4

/* struct user - an open file with an uploaded trace */
struct user {
	int fd;
	uint32_t handle;
	uint64_t sequence;
};

FIXTURE(many)
{
	struct built_trace trace;
	struct user users[TENANTS];
	long long held;
};

FIXTURE_SETUP(many)
{
	const struct rlimit files = { .rlim_cur = 2048, .rlim_max = 2048 };

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	build_everything(&self->trace);
	self->held = read_number(SYSFS "bytes_held");
}

FIXTURE_TEARDOWN(many)
{
	EXPECT_EQ(self->held, read_bytes_held(self->held));
}

static int begin_with(struct user *user, const char *device, int flags,
		      const struct built_trace *trace)
{
	user->fd = open(device, O_RDWR | O_CLOEXEC | flags);
	if (user->fd < 0)
		return -errno;
	return upload(user->fd, trace, &user->handle);
}

static int begin(struct user *user, const char *device,
		 const struct built_trace *trace)
{
	return begin_with(user, device, 0, trace);
}

static unsigned int count_tenants(void)
{
	DIR *directory = opendir(SYSFS "tenants");
	const struct dirent *entry;
	unsigned int count = 0;

	if (!directory)
		return 0;
	while ((entry = readdir(directory)))
		count += entry->d_name[0] != '.';
	closedir(directory);
	return count;
}

/* Users, each of which has a slot, and a launch of so many repeats. */
static void fill(struct __test_metadata *_metadata, struct user *users,
		 unsigned int count, uint64_t repeats,
		 const struct built_trace *trace)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		ASSERT_EQ(0, begin_with(&users[i], DEVICE, O_NONBLOCK, trace));
		ASSERT_EQ(0, launch(users[i].fd, users[i].handle, repeats,
				    &users[i].sequence));
	}
}

static void close_all(struct user *users, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		close(users[i].fd);
}

/* Who launches in turn, each as often as the others, whether it has a slot or not. */
TEST_F_TIMEOUT(many, tenants, 300)
{
	unsigned int i;

	for (i = 0; i < TENANTS; i++)
		ASSERT_EQ(0, begin(&self->users[i], DEVICE, &self->trace));
	EXPECT_EQ(TENANTS, count_tenants());
	for (i = 0; i < TENANTS; i++)
		ASSERT_EQ(0, launch(self->users[i].fd, self->users[i].handle, 1,
				    &self->users[i].sequence));
	for (i = 0; i < TENANTS; i++)
		EXPECT_EQ(0, wait_launch(self->users[i].fd,
					 self->users[i].sequence, PATIENCE_NS));
	close_all(self->users, TENANTS);
	EXPECT_EQ(0, count_tenants());
}

static void ignore_signal(int number)
{
}

/* What the tenant that was made last waits for. */
static int last_waits_for(char text[64])
{
	char path[128];

	snprintf(path, sizeof(path), SYSFS "tenants/%lu/waits_for",
		 newest_tenant());
	return read_text(path, text, 64);
}

/* Waits until a launch that is about to wait for a slot is seen to do so. */
static bool comes_to_wait(void)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	unsigned int tries;
	char text[64];

	for (tries = 0; tries < 1000; tries++) {
		if (!last_waits_for(text) && !strcmp(text, "slot"))
			return true;
		nanosleep(&moment, NULL);
	}
	return false;
}

/* A process in which one more user launches; its exit status is the call's error. */
static pid_t launch_in_child(struct user *users, const struct user *user)
{
	const struct sigaction act = { .sa_handler = ignore_signal };
	uint64_t sequence;
	pid_t child = fork();
	int ret;

	if (child)
		return child;
	sigaction(SIGUSR1, &act, NULL);
	/* A file stays open as long as one process has it. */
	close_all(users, SIMGPU_TENANTS_MAX);
	ret = launch(user->fd, user->handle, 1, &sequence);
	if (!ret && sequence != 1)
		ret = -EPROTO;
	_exit(-ret ?: -wait_launch(user->fd, 1, PATIENCE_NS));
}

static int child_status(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* While all slots have work that does not end. */
TEST_F_TIMEOUT(many, waiting_for_a_slot, 120)
{
	struct user *users = self->users, *last = &users[SIMGPU_TENANTS_MAX];
	struct full_report report;
	uint64_t sequence;
	pid_t child;

	fill(_metadata, users, SIMGPU_TENANTS_MAX, FOR_EVER, &self->trace);
	ASSERT_EQ(0, begin_with(last, DEVICE, O_NONBLOCK, &self->trace));
	EXPECT_EQ(-EBUSY, launch(last->fd, last->handle, 1, &sequence));
	close(last->fd);
	/* A signal ends the wait. */
	ASSERT_EQ(0, begin(last, DEVICE, &self->trace));
	child = launch_in_child(users, last);
	EXPECT_TRUE(comes_to_wait());
	kill(child, SIGUSR1);
	EXPECT_EQ(EINTR, child_status(child));
	EXPECT_EQ(-ENODATA, tenant_report(last->fd, &report));
	/* So does a slot. */
	child = launch_in_child(users, last);
	EXPECT_TRUE(comes_to_wait());
	close(users[5].fd);
	EXPECT_EQ(0, child_status(child));
	EXPECT_EQ(0, tenant_report(last->fd, &report));
	users[5] = *last;
	close_all(users, SIMGPU_TENANTS_MAX);
}

/* Who is idle gives its slot up, and keeps what it was told. */
TEST_F_TIMEOUT(many, an_idle_slot, 120)
{
	struct user *users = self->users, *last = &users[SIMGPU_TENANTS_MAX];
	struct full_report before, after;
	char text[64];

	fill(_metadata, users, SIMGPU_TENANTS_MAX, 1, &self->trace);
	EXPECT_EQ(0, wait_launch(users[0].fd, 1, PATIENCE_NS));
	EXPECT_EQ(0, tenant_report(users[0].fd, &before));
	EXPECT_NE(0, COUNT(before, THREAD_INSTRUCTIONS));
	ASSERT_EQ(0, begin(last, DEVICE, &self->trace));
	EXPECT_EQ(0, launch(last->fd, last->handle, 1, &last->sequence));
	EXPECT_EQ(0, wait_launch(last->fd, 1, PATIENCE_NS));
	EXPECT_EQ(0, last_waits_for(text));
	EXPECT_STREQ("nothing", text);
	EXPECT_EQ(0, tenant_report(users[0].fd, &after));
	EXPECT_EQ(COUNT(before, THREAD_INSTRUCTIONS),
		  COUNT(after, THREAD_INSTRUCTIONS));
	/* It comes back, with a number that goes on. */
	EXPECT_EQ(0, launch(users[0].fd, users[0].handle, 1,
			    &users[0].sequence));
	EXPECT_EQ(2, users[0].sequence);
	EXPECT_EQ(0, wait_launch(users[0].fd, 2, PATIENCE_NS));
	EXPECT_EQ(0, wait_launch(users[0].fd, 1, 0));
	close_all(users, SIMGPU_TENANTS_MAX + 1);
}

/* Launches as fast as it can, never without one under way, until it is killed. */
static void never_stop(const struct built_trace *trace)
{
	uint64_t sequence = 0;
	struct user user;

	if (begin(&user, DEVICE, trace))
		_exit(1);
	for (;;) {
		int ret = launch(user.fd, user.handle, 1, &sequence);

		if (ret == -EAGAIN && sequence > 8)
			ret = wait_launch(user.fd, sequence - 8, PATIENCE_NS);
		if (ret)
			_exit(2);
	}
}

/* Those who never stop have turns of ten epochs while others wait. */
TEST_F_TIMEOUT(many, turns, 240)
{
	pid_t children[SIMGPU_TENANTS_MAX];
	struct user *last = self->users;
	unsigned int i;
	pid_t child;

	ASSERT_EQ(0, write_text(SYSFS "epoch_cycles", "10000"));
	for (i = 0; i < SIMGPU_TENANTS_MAX; i++) {
		children[i] = fork();
		if (!children[i])
			never_stop(&self->trace);
	}
	ASSERT_EQ(0, begin(last, DEVICE, &self->trace));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, launch(last->fd, last->handle, 1,
				    &last->sequence));
		EXPECT_EQ(0, wait_launch(last->fd, last->sequence,
					 PATIENCE_NS));
	}
	close(last->fd);
	for (i = 0; i < SIMGPU_TENANTS_MAX; i++) {
		kill(children[i], SIGKILL);
		child = waitpid(children[i], NULL, 0);
		EXPECT_EQ(children[i], child);
	}
	write_text(SYSFS "epoch_cycles", "500000");
}

/* A device by configfs; @device is set to its path. */
static int plug(unsigned int number, char device[80])
{
	char path[128], name[64];
	int ret;

	snprintf(path, sizeof(path), CONFIGFS "many%u", number);
	if (mkdir(path, 0755))
		return -errno;
	snprintf(path, sizeof(path), CONFIGFS "many%u/config", number);
	ret = write_text(path, "base = hbm80\nname = small\nsms = 4\n");
	snprintf(path, sizeof(path), CONFIGFS "many%u/live", number);
	ret = ret ?: write_text(path, "1");
	snprintf(path, sizeof(path), CONFIGFS "many%u/device", number);
	ret = ret ?: read_text(path, name, sizeof(name));
	snprintf(device, 80, "/dev/%s", name);
	return ret;
}

TEST_F_TIMEOUT(many, devices, 300)
{
	const unsigned int count = DEVICES * TENANTS_EACH;
	char devices[DEVICES][80] = { DEVICE }, path[128];
	unsigned int i;

	/* The module made the first. */
	for (i = 1; i < DEVICES; i++)
		ASSERT_EQ(0, plug(i, devices[i]));
	for (i = 0; i < count; i++) {
		struct user *user = &self->users[i];

		ASSERT_EQ(0, begin(user, devices[i % DEVICES], &self->trace));
		ASSERT_EQ(0, launch(user->fd, user->handle, 2,
				    &user->sequence));
	}
	for (i = 0; i < count; i++) {
		EXPECT_EQ(0, wait_launch(self->users[i].fd,
					 self->users[i].sequence, PATIENCE_NS));
		close(self->users[i].fd);
	}
	for (i = 1; i < DEVICES; i++) {
		snprintf(path, sizeof(path), CONFIGFS "many%u", i);
		EXPECT_EQ(0, rmdir(path));
	}
}

/* A page and a chunk of managed memory */
#define PAGE		65536ULL
#define CHUNK		(2ULL << 20)
/* Pages that each tenant is to have brought */
#define PAGES_EACH	3

/*
 * A device with much less time for faults and copies than cards take, so that an emulated guest
 * gets through many.
 */
static const char paging_config[] =
	"base = hbm80\nname = paging\nsms = 64\nmanaged_mb = %u\nlink_setup_ns = 0\n"
	"link_in_mb_per_s = 1000000\nfault_batch_ns = 1000\nfault_block_ns = 50\n"
	"fault_page_ns = 0\nevict_ns = 50\ncopy_engines = %u\n";

/* Of pages that have come all are there that were not taken away. */
static bool has_all_pages(const struct full_report *report)
{
	return report->figures.resident_bytes ==
	       (COUNT(*report, PAGES_IN) - COUNT(*report, PAGES_EVICTED)) * PAGE;
}

/* Waits until a tenant has had so many pages; whether none was lost then. */
static bool has_paged(int fd, uint64_t pages)
{
	double until = seconds_now() + PATIENCE_NS / 1e9;
	struct full_report report;

	while (seconds_now() < until) {
		if (!tenant_report(fd, &report) && COUNT(report, PAGES_IN) >= pages)
			return has_all_pages(&report);
		sleep_ms(20);
	}
	return false;
}

/* SIMGPU_TENANTS_MAX tenants with 7.75 GiB each share the managed memory of a device. */
static void page_together(struct __test_metadata *_metadata, struct user *users,
			  const struct built_trace *trace, unsigned int managed_mib,
			  unsigned int engines)
{
	struct made_device device;
	struct full_report report;
	unsigned int i, half = SIMGPU_TENANTS_MAX / 2;
	char config[sizeof(paging_config) + 16];

	snprintf(config, sizeof(config), paging_config, managed_mib, engines);
	ASSERT_EQ(0, make_device(&device, "paging", config));
	for (i = 0; i < SIMGPU_TENANTS_MAX; i++) {
		struct simgpu_launch cmd = {
			.size = sizeof(cmd), .repeats = FOR_EVER,
			.flags = SIMGPU_LAUNCH_MANAGED,
		};

		users[i].fd = open_made(&device);
		ASSERT_LE(0, users[i].fd);
		ASSERT_EQ(0, upload(users[i].fd, trace, &cmd.handle));
		ASSERT_EQ(0, call(users[i].fd, SIMGPU_IOC_LAUNCH, &cmd));
	}
	for (i = 0; i < SIMGPU_TENANTS_MAX; i++)
		EXPECT_TRUE(has_paged(users[i].fd, PAGES_EACH));
	EXPECT_LE(SIMGPU_TENANTS_MAX * CHUNK / 2,
		  read_number(made_path(&device, "memory_used_bytes")));
	EXPECT_GE((long long)managed_mib << 20,
		  read_number(made_path(&device, "memory_used_bytes")));
	/* Half of them leave in the middle of migrations, and the others go on. */
	close_all(users, half);
	for (i = half; i < SIMGPU_TENANTS_MAX; i++) {
		ASSERT_EQ(0, tenant_report(users[i].fd, &report));
		EXPECT_TRUE(has_paged(users[i].fd, COUNT(report, PAGES_IN) + 1));
	}
	close_all(users + half, half);
	EXPECT_EQ(0, read_number(made_path(&device, "memory_used_bytes")));
	EXPECT_EQ(0, remove_device(&device));
}

/*
 * With room for what they touch first, where copies take the link alone, which is quicker to
 * simulate; and in the debug kernel with fewer chunks than tenants, too.
 */
TEST_F_TIMEOUT(many, with_managed_memory, 300)
{
	build_strides(&self->trace, 31, 16, CHUNK);
	page_together(_metadata, self->users, &self->trace, 40960, 0);
	if (patience() > 1)
		page_together(_metadata, self->users, &self->trace, 64, 1);
}

TEST_HARNESS_MAIN
