// SPDX-License-Identifier: GPL-2.0
/*
 * A hundred changes among policies that share, divide and hold, and as many among
 * models and their weights, under the load of four tenants: all that was launched ends,
 * and afterwards "even" does what it does on a device where nothing was ever changed.
 */
#include "calls.h"
#include "harness.h"
#include "modules.h"

#define TENANTS	4
#define CHANGES	100
#define RECORDS	256

/* struct history - who had how many SMs */
struct history {
	uint32_t count;
	struct {
		uint64_t end_cycle;
		uint32_t slot;
		uint32_t sms;
		uint32_t sms_next;
	} rows[RECORDS];
	uint64_t state_hash;
};

FIXTURE(changes)
{
	int fds[TENANTS];
	uint64_t sequences[TENANTS];
	uint32_t handles[TENANTS];
	struct built_trace trace;
	struct history before;
	struct history after;
};

static int open_all(FIXTURE_DATA(changes) *self)
{
	int i, ret = 0;

	for (i = 0; i < TENANTS && !ret; i++) {
		self->fds[i] = open_device();
		ret = self->fds[i] < 0 ? -errno :
		      upload(self->fds[i], &self->trace, &self->handles[i]);
	}
	return ret;
}

static void close_all(FIXTURE_DATA(changes) *self)
{
	int i;

	for (i = 0; i < TENANTS; i++)
		close(self->fds[i]);
}

FIXTURE_SETUP(changes)
{
	ASSERT_EQ(0, load("simgpu_test_params"));
	ASSERT_EQ(0, write_text(SYSFS "policy", "even"));
	ASSERT_EQ(0, write_text(SYSFS "epoch_cycles", "10000"));
	build_compute(&self->trace, 320, 20);
	ASSERT_EQ(0, open_all(self));
}

FIXTURE_TEARDOWN(changes)
{
	write_text(SYSFS "policy", "even");
	write_text(SYSFS "model", "hsm");
	write_text(SYSFS "epoch_cycles", "500000");
	close_all(self);
	EXPECT_EQ(0, unload("simgpu_test_params"));
}

static int read_history(int gang, struct history *history)
{
	uint64_t buffer[8 * SIMGPU_EPOCH_RECORD_MAX / sizeof(uint64_t)];
	struct simgpu_gang_status status;
	ssize_t bytes, at;

	memset(history, 0, sizeof(*history));
	while ((bytes = read(gang, buffer, sizeof(buffer))) > 0) {
		for (at = 0; at < bytes && history->count < RECORDS;) {
			const struct simgpu_epoch_record *record =
				(const void *)((const char *)buffer + at);
			uint32_t row = history->count++;

			history->rows[row].end_cycle = record->end_cycle;
			history->rows[row].slot = record->slot;
			history->rows[row].sms = record->sms;
			history->rows[row].sms_next = record->sms_next;
			at += record->size;
		}
	}
	if (bytes < 0 || gang_status(gang, &status))
		return -errno;
	history->state_hash = status.state_hash;
	return 0;
}

/* A gang of the four under "even"; 0 or a negative errno. */
static int run_even(const int *fds, const uint32_t *handles,
		    struct history *history)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = TENANTS, .seed = 1,
		.epoch_cycles = 10000, .stop_cycle = 100000,
		.flags = SIMGPU_GANG_RELAUNCH, .policy = "even",
	};
	uint64_t sequence;
	int ret, i;

	ret = call(fds[0], SIMGPU_IOC_GANG_CREATE, &create);
	for (i = 0; !ret && i < TENANTS; i++) {
		ret = gang_join(fds[i], create.fd, i);
		ret = ret ?: launch(fds[i], handles[i], 1, &sequence);
	}
	ret = ret ?: read_history(create.fd, history);
	close(create.fd);
	return ret;
}

/* Another launch for each tenant whose last one has ended. */
static int keep_busy(const int *fds, const uint32_t *handles,
		     uint64_t *sequences)
{
	int ret, i;

	for (i = 0; i < TENANTS; i++) {
		ret = sequences[i] ? wait_launch(fds[i], sequences[i], 0) : 0;
		if (ret == -ETIMEDOUT)
			continue;
		ret = ret ?: launch(fds[i], handles[i], 3, &sequences[i]);
		if (ret)
			return ret;
	}
	return 0;
}

/* Device time stands still where nobody has work. */
static int let_pass(FIXTURE_DATA(changes) *self, long long cycles)
{
	long long until = read_number(SYSFS "cycles") + cycles;
	int tries, ret = 0;

	for (tries = 0; !ret && tries < 3000; tries++) {
		if (read_number(SYSFS "cycles") >= until)
			return 0;
		ret = keep_busy(self->fds, self->handles, self->sequences);
		sleep_ms(2);
	}
	return ret ?: -ETIMEDOUT;
}

/* SMs that the tenants have, shared ones among them, and how many are held. */
static void count_shown(long long *sms, long long *shared, long long *held)
{
	unsigned long newest = newest_tenant(), i;
	char path[128];

	*sms = *shared = *held = 0;
	for (i = newest - TENANTS + 1; i <= newest; i++) {
		snprintf(path, sizeof(path), SYSFS "tenants/%lu/sms", i);
		*sms += read_number(path);
		snprintf(path, sizeof(path), SYSFS "tenants/%lu/shared_sms", i);
		*shared += read_number(path);
		snprintf(path, sizeof(path), SYSFS "tenants/%lu/held", i);
		*held += read_number(path);
	}
}

TEST_F_TIMEOUT(changes, a_hundred_under_load, 600)
{
	static const char *const policies[] = {
		"test-share", "hsm-fair", "test-hold", "even", "test-params",
		"hsm-qos", "test-hold", "test-share", "proportional",
	};
	long long sms, shared, held, most_shared = 0, most_held = 0;
	char text[512];
	int i;

	ASSERT_EQ(0, run_even(self->fds, self->handles, &self->before));
	for (i = 0; i < CHANGES; i++) {
		ASSERT_EQ(0, keep_busy(self->fds, self->handles,
				       self->sequences));
		ASSERT_EQ(0, write_text(SYSFS "policy", policies[i % 9]));
		/* The longer ones see an epoch's end. */
		ASSERT_EQ(0, let_pass(self, i % 5 ? 700 : 11000));
		ASSERT_EQ(0, read_text(SYSFS "policy", text, sizeof(text)));
		ASSERT_STREQ(policies[i % 9], text);
		count_shown(&sms, &shared, &held);
		most_shared = shared > most_shared ? shared : most_shared;
		most_held = held > most_held ? held : most_held;
	}
	EXPECT_EQ(TENANTS * 80, most_shared);
	EXPECT_EQ(1, most_held);

	ASSERT_EQ(0, keep_busy(self->fds, self->handles, self->sequences));
	ASSERT_EQ(0, write_text(SYSFS "policy", "even"));
	ASSERT_EQ(0, let_pass(self, 2000));
	count_shown(&sms, &shared, &held);
	EXPECT_EQ(80, sms);
	EXPECT_EQ(0, shared);
	EXPECT_EQ(0, held);
	for (i = 0; i < TENANTS; i++)
		EXPECT_EQ(0, wait_launch(self->fds[i], self->sequences[i],
					 5 * PATIENCE_NS));
	ASSERT_EQ(0, read_text(SYSFS "last_refusal", text, sizeof(text)));
	EXPECT_STREQ("none", text);

	/* A gang takes nobody's seat. */
	close_all(self);
	ASSERT_EQ(0, open_all(self));
	ASSERT_EQ(0, run_even(self->fds, self->handles, &self->after));
	EXPECT_LE(4 * 10, self->before.count);
	EXPECT_EQ(self->before.count, self->after.count);
	EXPECT_EQ(0, memcmp(self->before.rows, self->after.rows,
			    sizeof(self->before.rows)));
	EXPECT_EQ(self->before.state_hash, self->after.state_hash);
}

/* As include/simgpu/model.h and the model themis have it. */
struct weights {
	uint32_t magic;
	uint32_t version;
	uint32_t length;
	uint32_t checksum;
	char model[32];
	char config[32];
	int64_t origin[12];
	int64_t deviation[12];
	int32_t weights[312];
};

/* A net of weights that are all the same. */
static void build_weights(struct weights *net, int32_t weight)
{
	const size_t header = offsetof(struct weights, origin);
	int i;

	*net = (struct weights) {
		.magic = 0x43474953, .version = 1, .length = sizeof(*net),
		.model = "themis", .config = "hbm80",
	};
	for (i = 0; i < 12; i++)
		net->deviation[i] = 1LL << 32;
	for (i = 0; i < 312; i++)
		net->weights[i] = weight;
	net->checksum = trace_crc32((const unsigned char *)net + header,
				    sizeof(*net) - header);
}

/* To the device, and back from it. */
static int put_weights(const struct weights *net, struct weights *found)
{
	int fd = open(SYSFS "model_constants", O_RDWR | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (pwrite(fd, net, sizeof(*net), 0) != sizeof(*net))
		ret = -errno;
	else if (pread(fd, found, sizeof(*found), 0) != sizeof(*found))
		ret = -EIO;
	close(fd);
	return ret;
}

TEST_F_TIMEOUT(changes, models_and_weights_under_load, 600)
{
	static const char *const models[] = {
		"themis", "hsm", "themis-capped", "dase", "dase-capped",
	};
	static const char *const policies[] = {
		"themis-fair", "even", "themis-qos", "dase-fair",
	};
	struct weights net, found;
	char text[512];
	int i;

	ASSERT_EQ(0, run_even(self->fds, self->handles, &self->before));
	for (i = 0; i < CHANGES; i++) {
		ASSERT_EQ(0, keep_busy(self->fds, self->handles,
				       self->sequences));
		ASSERT_EQ(0, write_text(SYSFS "model", models[i % 5]));
		ASSERT_EQ(0, write_text(SYSFS "policy", policies[i % 4]));
		if (!strncmp(models[i % 5], "themis", 6)) {
			build_weights(&net, i << 16);
			ASSERT_EQ(0, put_weights(&net, &found));
			ASSERT_EQ(0, memcmp(&net, &found, sizeof(net)));
		}
		/* The longer ones see an epoch's end. */
		ASSERT_EQ(0, let_pass(self, i % 3 ? 700 : 11000));
		ASSERT_EQ(0, read_text(SYSFS "model", text, sizeof(text)));
		ASSERT_STREQ(models[i % 5], text);
	}
	ASSERT_EQ(0, write_text(SYSFS "model", "hsm"));
	ASSERT_EQ(0, write_text(SYSFS "policy", "even"));
	for (i = 0; i < TENANTS; i++)
		EXPECT_EQ(0, wait_launch(self->fds[i], self->sequences[i],
					 5 * PATIENCE_NS));
	ASSERT_EQ(0, read_text(SYSFS "last_refusal", text, sizeof(text)));
	EXPECT_STREQ("none", text);

	close_all(self);
	ASSERT_EQ(0, open_all(self));
	ASSERT_EQ(0, run_even(self->fds, self->handles, &self->after));
	EXPECT_EQ(0, memcmp(self->before.rows, self->after.rows,
			    sizeof(self->before.rows)));
	EXPECT_EQ(self->before.state_hash, self->after.state_hash);
}

TEST_HARNESS_MAIN
