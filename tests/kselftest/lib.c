// SPDX-License-Identifier: GPL-2.0
/*
 * libsimgpu's netlink calls beside what the kernel says by other ways: the
 * epochs that a listener gets are those that the gang's file holds.
 */
#include <poll.h>

#include "../../userspace/lib/simgpu.h"
#include "calls.h"
#include "harness.h"

FIXTURE(lib)
{
	struct simgpu_netlink *netlink;
	int fd;
	int gang;
	uint64_t sequence;
};

FIXTURE_SETUP(lib)
{
	ASSERT_EQ(0, simgpu_netlink_open(&self->netlink));
	self->fd = simgpu_open(0);
	ASSERT_LE(0, self->fd);
	self->gang = -1;
}

FIXTURE_TEARDOWN(lib)
{
	simgpu_netlink_close(self->netlink);
	if (self->gang >= 0)
		close(self->gang);
	close(self->fd);
}

static int run_gang(FIXTURE_DATA(lib) *self, uint64_t cycles)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1,
		.epoch_cycles = 10000, .stop_cycle = cycles,
		.flags = SIMGPU_GANG_RELAUNCH,
	};
	struct built_trace trace;
	int handle, ret;

	build_everything(&trace);
	self->gang = simgpu_create_gang(self->fd, &create);
	ret = simgpu_join_gang(self->fd, self->gang, 0);
	if (ret)
		return ret;
	handle = simgpu_upload_trace(self->fd, trace.bytes, trace.size, NULL);
	if (handle < 0)
		return handle;
	ret = simgpu_launch_trace(self->fd, handle, 1000000, 0, &self->sequence);
	if (ret)
		return ret;
	return simgpu_wait_launch(self->fd, self->sequence, PATIENCE_NS);
}

static void expect_same(struct __test_metadata *_metadata,
			const struct simgpu_netlink_epoch *epoch,
			const struct simgpu_epoch_record *record)
{
	const struct simgpu_netlink_epoch_tenant *tenant = &epoch->tenants[0];
	unsigned int i;

	EXPECT_EQ(0, epoch->device);
	EXPECT_EQ(record->epoch, epoch->index);
	EXPECT_EQ(record->start_cycle, epoch->start_cycle);
	EXPECT_EQ(record->end_cycle, epoch->end_cycle);
	ASSERT_EQ(1, epoch->tenant_count);
	EXPECT_EQ(record->slot, tenant->slot);
	EXPECT_EQ(record->sms, tenant->sms);
	EXPECT_EQ(record->sms_next, tenant->sms_next);
	EXPECT_EQ(record->class, tenant->class);
	EXPECT_EQ(record->np_ppm, tenant->np_ppm);
	EXPECT_EQ(record->ipc_ppm, tenant->ipc_ppm);
	EXPECT_EQ(record->rbh_ppm, tenant->rbh_ppm);
	EXPECT_EQ(record->bandwidth_ppm, tenant->bandwidth_ppm);
	EXPECT_EQ(record->llc_mpki_ppm, tenant->llc_mpki_ppm);
	for (i = 0; i < SIMGPU_NETLINK_COUNTERS; i++)
		EXPECT_EQ(simgpu_record_counter(record, i),
			  tenant->counters[i]);
	EXPECT_LT(0, tenant->counters[SIMGPU_COUNTER_SM_CYCLES]);
}

TEST_F(lib, epochs_are_those_of_the_gang)
{
	struct simgpu_netlink_epoch epoch;
	uint64_t records[3 * SIMGPU_EPOCH_RECORD_MAX / sizeof(uint64_t)];
	const struct simgpu_epoch_record *record;
	unsigned int epochs = 0;
	int bytes;

	ASSERT_EQ(0, simgpu_netlink_listen(self->netlink));
	EXPECT_EQ(-ETIMEDOUT, simgpu_netlink_next_epoch(self->netlink, 0,
							&epoch));
	ASSERT_EQ(0, run_gang(self, 50000));
	while ((bytes = simgpu_read_epochs(self->gang, records,
					   sizeof(records))) > 0) {
		record = NULL;
		while ((record = simgpu_next_record(records, bytes, record))) {
			ASSERT_EQ(0, simgpu_netlink_next_epoch(self->netlink,
							       10000, &epoch));
			expect_same(_metadata, &epoch, record);
			epochs++;
		}
	}
	EXPECT_EQ(0, bytes);
	EXPECT_LE(5, epochs);
	EXPECT_EQ(-ETIMEDOUT, simgpu_netlink_next_epoch(self->netlink, 0,
							&epoch));
}

TEST_F(lib, sets)
{
	const uint64_t target_ppm = 500000;
	const uint32_t weight = 9, none = 0;
	unsigned long id = newest_tenant();
	char before[64], text[64];

	ASSERT_EQ(0, read_text(SYSFS "policy", before, sizeof(before)));
	EXPECT_EQ(0, simgpu_netlink_set_policy(self->netlink, 0, "hsm-qos",
					       "hsm"));
	EXPECT_EQ(0, read_text(SYSFS "policy", text, sizeof(text)));
	EXPECT_STREQ("hsm-qos", text);
	EXPECT_EQ(-EINVAL, simgpu_netlink_set_policy(self->netlink, 0,
						     "no-such", NULL));
	EXPECT_EQ(-ENODEV, simgpu_netlink_set_policy(self->netlink, 63, "even",
						     NULL));
	EXPECT_EQ(0, simgpu_netlink_set_policy(self->netlink, 0, before, NULL));
	ASSERT_EQ(0, simgpu_configure_tenant(self->fd, "a", 2, 900000));
	EXPECT_EQ(0, simgpu_netlink_set_tenant(self->netlink, 0, id, &weight,
					       &target_ppm));
	EXPECT_EQ(0, simgpu_read_tenant_value(0, id, "weight", text, 64));
	EXPECT_STREQ("9", text);
	EXPECT_EQ(0, simgpu_read_tenant_value(0, id, "target", text, 64));
	EXPECT_STREQ("0.500000", text);
	EXPECT_EQ(-EINVAL, simgpu_netlink_set_tenant(self->netlink, 0, id,
						     &none, NULL));
	EXPECT_EQ(-ENOENT, simgpu_netlink_set_tenant(self->netlink, 0,
						     id + 1000000, &weight,
						     NULL));
}

TEST_HARNESS_MAIN
