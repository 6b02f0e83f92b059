// SPDX-License-Identifier: GPL-2.0
/*
 * Traces that are not what they should be: the module refuses each with the
 * right errno and says which field is wrong, or runs it without harm.
 */
#include "calls.h"
#include "harness.h"

FIXTURE(trace)
{
	int fd;
	long long held;
	struct built_trace trace;
	struct simgpu_trace_refusal refusal;
};

FIXTURE_SETUP(trace)
{
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	self->held = read_number(SYSFS "bytes_held");
	build_everything(&self->trace);
	memset(&self->refusal, 0, sizeof(self->refusal));
}

/* Nothing of a refused trace is kept. */
FIXTURE_TEARDOWN(trace)
{
	EXPECT_EQ(self->held, read_number(SYSFS "bytes_held"));
	close(self->fd);
}

/* Uploads the first @_size bytes, and expects a refusal that names a field. */
#define EXPECT_REFUSED(_errno, _size) do {				\
	memset(&self->refusal, 0, sizeof(self->refusal));		\
	EXPECT_EQ(_errno, upload_bytes(self->fd, self->trace.bytes, _size, \
				       NULL, &self->refusal));		\
	EXPECT_NE('\0', self->refusal.field[0]);			\
	EXPECT_NE('\0', self->refusal.reason[0]);			\
} while (0)

#define EXPECT_FIELD(_field)						\
	EXPECT_STREQ(_field, self->refusal.field)

TEST_F(trace, good_ones_are_taken)
{
	struct built_trace others[2];
	uint32_t handles[3];
	int i;

	ASSERT_EQ(0, upload_bytes(self->fd, self->trace.bytes,
				  self->trace.size, &handles[0],
				  &self->refusal)) {
		TH_LOG("%s %s", self->refusal.field, self->refusal.reason);
	}
	build_compute(&others[0], 1, 1);
	build_stream(&others[1], 100, 50);
	ASSERT_EQ(0, upload(self->fd, &others[0], &handles[1]));
	ASSERT_EQ(0, upload(self->fd, &others[1], &handles[2]));
	EXPECT_LT(self->held, read_number(SYSFS "bytes_held"));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, launch(self->fd, handles[i], 1, NULL));
	}
	EXPECT_EQ(0, wait_launch(self->fd, 3, PATIENCE_NS));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, trace_remove(self->fd, handles[i]));
	}
}

/* Who has waited for the launch finds nothing held once the trace is removed. */
TEST_F(trace, free_once_waited_for)
{
	struct built_trace small;
	uint32_t handle;
	int i;

	build_compute(&small, 1, 1);
	for (i = 1; i <= 300; i++) {
		ASSERT_EQ(0, upload(self->fd, &small, &handle));
		ASSERT_EQ(0, launch(self->fd, handle, 1, NULL));
		ASSERT_EQ(0, wait_launch(self->fd, i, PATIENCE_NS));
		ASSERT_EQ(0, trace_remove(self->fd, handle));
		ASSERT_EQ(self->held, read_number(SYSFS "bytes_held"));
	}
}

/* The copy is the device's: what the caller does to its own is nothing. */
TEST_F(trace, copied_at_upload)
{
	uint32_t handle;

	ASSERT_EQ(0, upload(self->fd, &self->trace, &handle));
	memset(&self->trace, 0xff, sizeof(self->trace));
	EXPECT_EQ(0, launch(self->fd, handle, 1, NULL));
	EXPECT_EQ(0, wait_launch(self->fd, 1, PATIENCE_NS));
	EXPECT_EQ(0, trace_remove(self->fd, handle));
}

TEST_F(trace, truncated)
{
	size_t size;

	for (size = 1; size < self->trace.size; size++)
		EXPECT_REFUSED(-EINVAL, size);
	EXPECT_REFUSED(-EINVAL, 0);
}

TEST_F(trace, followed_by_more)
{
	EXPECT_REFUSED(-EINVAL, self->trace.size + 8);
	EXPECT_FIELD("total_bytes");
}

TEST_F(trace, bad_pointers)
{
	EXPECT_EQ(-EFAULT, upload_bytes(self->fd, NULL, 4096, NULL, NULL));
	EXPECT_EQ(-EFAULT, upload_bytes(self->fd, (void *)-4096L, 4096, NULL,
					NULL));
	/* The trace is bad, and so is the place to say so. */
	EXPECT_EQ(-EFAULT, upload_bytes(self->fd, self->trace.bytes, 100, NULL,
					(void *)-4096L));
	EXPECT_EQ(-EINVAL, upload_bytes(self->fd, self->trace.bytes, 100, NULL,
					NULL));
}

TEST_F(trace, oversized)
{
	EXPECT_REFUSED(-E2BIG, SIMGPU_TRACE_BYTES_MAX + 1);
	EXPECT_REFUSED(-E2BIG, SIZE_MAX);
}

/* Some fields, with the checksum made good: the errno and the name. */
TEST_F(trace, fields)
{
	struct simgpu_trace_header *header = trace_header(&self->trace);
	struct simgpu_trace_kernel *kernels =
		trace_find(&self->trace, SIMGPU_TRACE_KERNELS);
	struct simgpu_trace_op *ops =
		trace_find(&self->trace, SIMGPU_TRACE_OPS);
	struct simgpu_trace_allocation *allocation =
		trace_find(&self->trace, SIMGPU_TRACE_ALLOCATIONS);
	const struct built_trace good = self->trace;

#define EXPECT_FIELD_REFUSED(_errno, _place, _value, _name) do {	\
	_place = (_value);						\
	trace_seal(&self->trace);					\
	EXPECT_REFUSED(_errno, self->trace.size);			\
	EXPECT_FIELD(_name);						\
	self->trace = good;						\
} while (0)

	EXPECT_FIELD_REFUSED(-EINVAL, header->magic, 0, "magic");
	EXPECT_FIELD_REFUSED(-EINVAL, header->version,
			     SIMGPU_TRACE_VERSION + 1, "version");
	EXPECT_FIELD_REFUSED(-EINVAL, header->header_bytes, 8, "header_bytes");
	EXPECT_FIELD_REFUSED(-EINVAL, header->reserved, 1, "reserved");
	EXPECT_FIELD_REFUSED(-E2BIG, header->footprint_bytes,
			     SIMGPU_TRACE_SPACE_BYTES + 1, "footprint_bytes");
	EXPECT_FIELD_REFUSED(-EINVAL, kernels[1].grid[0], 0,
			     "kernels[1].grid");
	EXPECT_FIELD_REFUSED(-EINVAL, kernels[0].registers_per_thread, 256,
			     "kernels[0].registers_per_thread");
	EXPECT_FIELD_REFUSED(-EINVAL, ops[3].active_lanes, 33,
			     "ops[3].active_lanes");
	EXPECT_FIELD_REFUSED(-EINVAL, ops[1].pattern, 3, "ops[1].pattern");
	EXPECT_FIELD_REFUSED(-EINVAL, allocation->base, 1, "allocations[0].base");
	EXPECT_FIELD_REFUSED(-EINVAL, allocation->bytes, (1 << 20) + 1,
			     "allocations[0].bytes");
	EXPECT_FIELD_REFUSED(-EINVAL, allocation->kind, 3, "allocations[0].kind");
	EXPECT_FIELD_REFUSED(-EINVAL, allocation->flags, 1, "allocations[0].flags");
	EXPECT_FIELD_REFUSED(-EINVAL, allocation->last_command, 0,
			     "allocations[0].last_command");
	EXPECT_FIELD_REFUSED(-EINVAL, header->sections[SIMGPU_TRACE_COMMANDS],
			     header->sections[SIMGPU_TRACE_ALLOCATIONS],
			     "sections[14].offset");
	/* The allocation is taken for two commands, of which the first has its name's letters. */
	header->sections[SIMGPU_TRACE_COMMANDS] =
		header->sections[SIMGPU_TRACE_ALLOCATIONS];
	header->sections[SIMGPU_TRACE_COMMANDS].count = 2;
	EXPECT_FIELD_REFUSED(-EINVAL, header->sections[SIMGPU_TRACE_ALLOCATIONS].count, 0,
			     "commands[0].queue");
#undef EXPECT_FIELD_REFUSED
	/* Without the checksum made good, that is what is wrong. */
	kernels[0].name[0] ^= 1;
	EXPECT_REFUSED(-EINVAL, self->trace.size);
	EXPECT_FIELD("checksum");
}

/* Any single flipped bit is found, by the checksum if by nothing else. */
TEST_F_TIMEOUT(trace, flipped_bits, 120)
{
	size_t bits = self->trace.size * 8;
	size_t bit;

	/* A step without a common factor with the size of any field. */
	for (bit = 0; bit < bits; bit += 13) {
		self->trace.bytes[bit / 8] ^= 1 << bit % 8;
		EXPECT_EQ(-EINVAL, upload(self->fd, &self->trace, NULL)) {
			TH_LOG("bit %zu", bit);
		}
		self->trace.bytes[bit / 8] ^= 1 << bit % 8;
	}
}

/* Twice what the whole trace takes. Some that differ in one bit take hours. */
#define BRIEF_CYCLES	10000

/* Until its end, or until the device has run so many cycles, however long that takes. */
static int wait_briefly(int fd)
{
	long long start = read_number(SYSFS "cycles");
	double until = seconds_now() + PATIENCE_NS / 1e9;
	int ret;

	do {
		ret = wait_launch(fd, 1, 1000000);
		if (ret == -ETIMEDOUT &&
		    read_number(SYSFS "cycles") >= start + BRIEF_CYCLES)
			return 0;
	} while (ret == -ETIMEDOUT && seconds_now() < until);
	return ret;
}

/* Gives what was accepted a moment on the device, and takes it away. */
static int run_briefly(const struct built_trace *trace)
{
	int fd = open_device();
	uint32_t handle;
	int ret;

	if (fd < 0)
		return -errno;
	ret = upload(fd, trace, &handle);
	ret = ret ?: launch(fd, handle, 1, NULL);
	ret = ret ?: wait_briefly(fd);
	close(fd);
	return ret;
}

/* The same with the checksum made good: refused, or run without harm. */
TEST_F_TIMEOUT(trace, flipped_bits_resealed, 300)
{
	size_t bits = self->trace.size * 8;
	unsigned int refused = 0, ran = 0;
	size_t bit;
	int ret;

	for (bit = 0; bit < bits; bit += 13) {
		struct built_trace bad = self->trace;

		bad.bytes[bit / 8] ^= 1 << bit % 8;
		trace_seal(&bad);
		ret = run_briefly(&bad);
		if (ret == -EINVAL || ret == -E2BIG) {
			refused++;
			continue;
		}
		ran++;
		EXPECT_EQ(0, ret) {
			TH_LOG("bit %zu: %d", bit, ret);
		}
	}
	TH_LOG("%u refused, %u ran", refused, ran);
	EXPECT_LT(100, refused);
	EXPECT_LT(10, ran);
	/* The device is as good as ever. */
	EXPECT_EQ(0, run_briefly(&self->trace));
}

TEST_HARNESS_MAIN
