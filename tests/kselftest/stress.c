// SPDX-License-Identifier: GPL-2.0
/*
 * Many processes at once that open, upload, launch, wait, make gangs, read and
 * write every file, and are killed at any moment. Whatever happens, the device
 * works afterwards and holds nothing.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "calls.h"
#include "harness.h"

#define TENANTS		6
#define SECONDS		8

static uint32_t draw(uint32_t *state, uint32_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state % below;
}

static void build_any(struct built_trace *trace, uint32_t *state)
{
	switch (draw(state, 3)) {
	case 0:
		build_compute(trace, 1 + draw(state, 100),
			      1 + draw(state, 50));
		break;
	case 1:
		build_stream(trace, 1 + draw(state, 100),
			     1 + draw(state, 50));
		break;
	default:
		build_everything(trace);
	}
}

/* One random call on a tenant's file; errors are what a stranger may get. */
static void act(int fd, int *gang, uint32_t *state)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1 + draw(state, 2),
		.seed = 1, .epoch_cycles = 10000,
		.stop_cycle = draw(state, 2) ? 30000 : 0,
	};
	struct full_report report;
	struct simgpu_gang_status status;
	struct built_trace trace;

	switch (draw(state, 10)) {
	case 0:
		build_any(&trace, state);
		upload(fd, &trace, NULL);
		break;
	case 1:
		trace_remove(fd, 1 + draw(state, 8));
		break;
	case 2:
		launch(fd, 1 + draw(state, 4), UINT64_MAX, NULL);
		break;
	case 3:
	case 4:
		launch(fd, 1 + draw(state, 4), 1 + draw(state, 3), NULL);
		break;
	case 5:
		wait_launch(fd, 1 + draw(state, 20), draw(state, 20000000));
		break;
	case 6:
		tenant_report(fd, &report);
		break;
	case 7:
		set_tenant(fd, "x", draw(state, 2), 1 + draw(state, 9),
			   draw(state, 2) * 500000);
		break;
	case 8:
		if (*gang >= 0)
			close(*gang);
		*gang = call(fd, SIMGPU_IOC_GANG_CREATE, &create) ? -1 :
			create.fd;
		break;
	default:
		if (*gang >= 0) {
			gang_join(fd, *gang, draw(state, 2));
			gang_status(*gang, &status);
			gang_report(*gang, 0, &report);
		}
	}
}

/* A tenant's life; it ends by being killed. */
static void live_as_tenant(uint32_t seed)
{
	uint32_t state = seed * 2654435761U | 1;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int fd = open_device(), gang = -1;
		uint32_t acts = 1 + draw(&state, 40);

		while (acts--)
			act(fd, &gang, &state);
		if (gang >= 0)
			close(gang);
		close(fd);
	}
}

static void read_directory(const char *directory)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;
	char path[512], text[4096];

	if (!entries)
		return;
	while ((entry = readdir(entries))) {
		if (entry->d_type != DT_REG)
			continue;
		snprintf(path, sizeof(path), "%s%s", directory, entry->d_name);
		read_text(path, text, sizeof(text));
	}
	closedir(entries);
}

/* Reads every file, and turns every parameter. */
static void live_as_watcher(void)
{
	char path[128];
	unsigned int round;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (round = 0;; round++) {
		read_directory(SYSFS);
		read_directory(SYSFS "policy_params/");
		read_directory(SYSFS "model_params/");
		read_directory(DEBUGFS);
		snprintf(path, sizeof(path), SYSFS "tenants/%lu/",
			 newest_tenant());
		read_directory(path);
		strcat(path, "weight");
		write_text(path, "2");
		write_text(SYSFS "policy", round % 2 ? "even" : "hsm-fair");
		write_text(SYSFS "policy_params/fair_threshold",
			   round % 3 ? "0.8" : "2");
		write_text(SYSFS "model_constants", "too short");
		write_text(SYSFS "epoch_cycles", round % 3 ? "10000" : "25000");
		write_text(SYSFS "model_params/c1", round % 5 ? "0.5" : "0.4");
	}
}

static pid_t start(unsigned int place, uint32_t seed)
{
	pid_t child = fork();

	if (child)
		return child;
	if (place < TENANTS)
		live_as_tenant(seed);
	live_as_watcher();
	_exit(0);
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

FIXTURE(stress)
{
	char policy[64], epoch_cycles[64], c1[64];
	long long held;
};

FIXTURE_SETUP(stress)
{
	self->held = read_number(SYSFS "bytes_held");
	ASSERT_EQ(0, read_text(SYSFS "policy", self->policy, 64));
	ASSERT_EQ(0, read_text(SYSFS "epoch_cycles", self->epoch_cycles, 64));
	ASSERT_EQ(0, read_text(SYSFS "model_params/c1", self->c1, 64));
}

FIXTURE_TEARDOWN(stress)
{
	EXPECT_EQ(0, write_text(SYSFS "policy", self->policy));
	EXPECT_EQ(0, write_text(SYSFS "epoch_cycles", self->epoch_cycles));
	EXPECT_EQ(0, write_text(SYSFS "model_params/c1", self->c1));
}

TEST_F_TIMEOUT(stress, everything_at_once, 120)
{
	pid_t children[TENANTS + 2];
	struct built_trace trace;
	unsigned int i, kills;
	uint32_t handle;
	time_t deadline = time(NULL) + SECONDS;
	int fd;

	for (i = 0; i < TENANTS + 2; i++) {
		children[i] = start(i, i + 1);
		ASSERT_LT(0, children[i]);
	}
	for (kills = 0; time(NULL) < deadline; kills++) {
		i = kills % TENANTS;
		sleep_ms(30);
		end(children[i]);
		children[i] = start(i, kills + 100);
		ASSERT_LT(0, children[i]);
	}
	for (i = 0; i < TENANTS + 2; i++)
		end(children[i]);
	TH_LOG("%u processes killed", kills);
	EXPECT_EQ(self->held, read_bytes_held(self->held));
	EXPECT_EQ(0, newest_tenant());

	fd = open_device();
	ASSERT_LE(0, fd);
	build_everything(&trace);
	ASSERT_EQ(0, upload(fd, &trace, &handle));
	EXPECT_EQ(0, launch(fd, handle, 3, NULL));
	EXPECT_EQ(0, wait_launch(fd, 1, PATIENCE_NS));
	close(fd);
}

TEST_HARNESS_MAIN
