// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that are older or newer than the module: their structs, arrays and
 * records stand here as they had or may have them, word by word, and not as
 * linux/simgpu.h has them today. Nor does this program expect the counters that
 * it was built with: it passes on a later module, too.
 */
#include <sys/mman.h>

#include "calls.h"
#include "harness.h"

/* Counters of the first version, and of one to come. */
#define OLD_COUNTERS	34
#define NEW_COUNTERS	100
#define UNTOUCHED	0x5555555555555555ULL

/* Words of structs to come, more than have come since: the last one is unknown. */
#define LATER	48

/* SIMGPU_IOC_REPORT and SIMGPU_IOC_GANG_REPORT, first version. */
struct old_report {
	uint32_t size;
	uint32_t slot;
	uint32_t count;
	uint32_t stride;
	uint64_t array __attribute__((aligned(8)));
	uint64_t figures[8];
	uint32_t class;
	uint32_t sms;
	uint32_t flags;
	uint32_t reserved;
};

struct new_report {
	struct old_report first;
	uint64_t latencies[12];
	uint64_t queues[17];
	uint64_t goals[8];
	uint64_t shares[7];
	uint64_t masks[5];
	uint64_t more_sms[18];
	uint64_t later[LATER];
};

/* SIMGPU_IOC_GANG_CREATE, first version, and one to come. */
struct old_gang_create {
	uint32_t size;
	uint32_t members;
	uint64_t seed __attribute__((aligned(8)));
	uint64_t epoch_cycles;
	uint64_t stop_cycle;
	uint32_t flags;
	uint32_t kernel_end;
	char names[3][32];
	int32_t fd;
	uint32_t reserved;
};

struct new_gang_create {
	struct old_gang_create first;
	uint32_t preemption;
	uint32_t reserved2;
	uint32_t params_count;
	uint32_t params_stride;
	uint64_t params_array;
	uint64_t later[LATER];
};

/* What read() of a gang's file begins a record with, first version. */
struct old_record {
	uint32_t size;
	uint32_t counter_offset;
	uint32_t counter_count;
	uint32_t flags;
	uint64_t epoch __attribute__((aligned(8)));
	uint64_t cycles[2];
	uint32_t slot;
	uint32_t sms[2];
	uint32_t class;
	uint64_t figures[5];
};

/* The live page, first version. */
struct old_live {
	uint32_t sequence;
	uint32_t flags;
	uint64_t cycle __attribute__((aligned(8)));
	uint64_t epochs;
	uint32_t slot;
	uint32_t sms;
	uint32_t class;
	uint32_t reserved;
	uint32_t counter_offset;
	uint32_t counter_count;
	uint64_t figures[5];
};

_Static_assert(sizeof(struct old_report) == 104, "as it was");
_Static_assert(sizeof(struct old_gang_create) == 144, "as it was");
_Static_assert(sizeof(struct old_record) == 96, "as it was");
_Static_assert(sizeof(struct old_live) == 88, "as it was");

FIXTURE(layout)
{
	int fd;
	int gang;
	int asked;
	unsigned int has;
	uint64_t words[NEW_COUNTERS] __attribute__((aligned(8)));
	struct full_report truth;
};

FIXTURE_VARIANT(layout)
{
	unsigned long request;
	bool of_gang;
};

FIXTURE_VARIANT_ADD(layout, tenant)
{
	.request = SIMGPU_IOC_REPORT,
};

FIXTURE_VARIANT_ADD(layout, gang)
{
	.request = SIMGPU_IOC_GANG_REPORT,
	.of_gang = true,
};

/* A gang of one tenant, which has run a while and has come to its end. */
static int run_gang(int fd, int *gang)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .seed = 1,
		.epoch_cycles = 10000, .stop_cycle = 40000,
		.flags = SIMGPU_GANG_RELAUNCH,
	};
	struct built_trace trace;
	uint64_t sequence;
	uint32_t handle;
	int ret;

	build_everything(&trace);
	ret = call(fd, SIMGPU_IOC_GANG_CREATE, &create);
	*gang = create.fd;
	ret = ret ?: gang_join(fd, *gang, 0);
	ret = ret ?: upload(fd, &trace, &handle);
	ret = ret ?: launch(fd, handle, 1, &sequence);
	return ret ?: wait_launch(fd, sequence, PATIENCE_NS);
}

FIXTURE_SETUP(layout)
{
	struct simgpu_gang_report number = { .size = sizeof(number) };
	unsigned int i;

	self->gang = -1;
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, run_gang(self->fd, &self->gang));
	ASSERT_EQ(0, gang_report(self->gang, 0, &self->truth));
	ASSERT_EQ(0, call(self->gang, SIMGPU_IOC_GANG_REPORT, &number));
	self->has = number.counters.count;
	ASSERT_LT(0, COUNT(self->truth, THREAD_INSTRUCTIONS));
	ASSERT_LT(0, COUNT(self->truth, SM_CYCLES));
	self->asked = variant->of_gang ? self->gang : self->fd;
	for (i = 0; i < NEW_COUNTERS; i++)
		self->words[i] = UNTOUCHED;
}

FIXTURE_TEARDOWN(layout)
{
	if (self->gang >= 0)
		close(self->gang);
	close(self->fd);
}

/* A call with room for so many words at so many bytes' distance. */
#define ASK(_cmd, _words, _count, _stride) ({				\
	struct old_report *_at = (void *)(_cmd);			\
									\
	_at->count = (_count);						\
	_at->stride = (_stride);					\
	_at->array = (uintptr_t)(_words);				\
	call(self->asked, variant->request, _at);			\
})

static void expect_figures(struct __test_metadata *_metadata,
			   FIXTURE_DATA(layout) *self,
			   const struct old_report *report)
{
	const struct full_report *truth = &self->truth;

	EXPECT_EQ(self->has, report->count);
	EXPECT_EQ(truth->figures.thread_instructions, report->figures[0]);
	EXPECT_EQ(truth->figures.cycles, report->figures[1]);
	EXPECT_EQ(truth->figures.np_ppm, report->figures[7]);
	EXPECT_EQ(truth->figures.class, report->class);
	EXPECT_EQ(truth->figures.flags, report->flags);
	EXPECT_EQ(0, report->reserved);
}

/* The kernel's words, then zeros; behind @room nothing was written. */
static void expect_words(struct __test_metadata *_metadata,
			 FIXTURE_DATA(layout) *self, unsigned int room)
{
	unsigned int i;

	for (i = 0; i < NEW_COUNTERS; i++) {
		uint64_t expected = i < SIMGPU_COUNTER_COUNT ?
				    self->truth.counters[i] : 0;

		/* A later kernel's, which this program cannot know. */
		if (i >= SIMGPU_COUNTER_COUNT && i < self->has && i < room)
			continue;
		EXPECT_EQ(i < room ? expected : UNTOUCHED, self->words[i]) {
			TH_LOG("word %u", i);
		}
	}
}

TEST_F(layout, old_report)
{
	struct old_report report = { .size = sizeof(report) };

	ASSERT_EQ(0, ASK(&report, self->words, OLD_COUNTERS, 8));
	EXPECT_EQ(sizeof(report), report.size);
	expect_figures(_metadata, self, &report);
	expect_words(_metadata, self, OLD_COUNTERS);
}

TEST_F(layout, fewer_counters)
{
	struct old_report report = { .size = sizeof(report) };

	ASSERT_EQ(0, ASK(&report, self->words, 1, 8));
	expect_figures(_metadata, self, &report);
	expect_words(_metadata, self, 1);
}

TEST_F(layout, new_report)
{
	struct new_report report = { .first.size = sizeof(report) };
	unsigned int i;

	ASSERT_EQ(0, ASK(&report, self->words, NEW_COUNTERS, 8));
	EXPECT_EQ(sizeof(report), report.first.size);
	expect_figures(_metadata, self, &report.first);
	expect_words(_metadata, self, NEW_COUNTERS);
	for (i = 0; i < LATER; i++)
		EXPECT_EQ(0, report.later[i]);
	report.later[LATER - 1] = 1ULL << 63;
	EXPECT_EQ(-E2BIG, ASK(&report, self->words, NEW_COUNTERS, 8));
}

TEST_F(layout, short_report)
{
	struct old_report report = { .size = sizeof(report) - 1 };

	EXPECT_EQ(-EINVAL, ASK(&report, self->words, OLD_COUNTERS, 8));
	report.size = offsetof(struct old_report, figures);
	EXPECT_EQ(-EINVAL, ASK(&report, self->words, OLD_COUNTERS, 8));
	expect_words(_metadata, self, 0);
}

/* Who asks for no words learns how many there are. */
TEST_F(layout, number_of_counters)
{
	struct old_report report = { .size = sizeof(report) };

	ASSERT_EQ(0, ASK(&report, NULL, 0, 0));
	EXPECT_LE(OLD_COUNTERS, report.count);
	EXPECT_LE(SIMGPU_COUNTER_COUNT, report.count);
	ASSERT_EQ(0, ASK(&report, NULL, 7, 3));
	EXPECT_EQ(self->has, report.count);
	ASSERT_EQ(0, ASK(&report, self->words, 0, 3));
	EXPECT_EQ(self->has, report.count);
	expect_words(_metadata, self, 0);
}

TEST_F(layout, words_apart)
{
	struct old_report report = { .size = sizeof(report) };
	unsigned int i;

	ASSERT_EQ(0, ASK(&report, self->words, 33, 24));
	for (i = 0; i < 99; i++) {
		uint64_t expected = i % 3 ? UNTOUCHED :
				    self->truth.counters[i / 3];

		EXPECT_EQ(expected, self->words[i]) {
			TH_LOG("word %u", i);
		}
	}
}

TEST_F(layout, bad_arrays)
{
	struct old_report report = { .size = sizeof(report) };
	unsigned char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)pages);
	ASSERT_EQ(0, mprotect(pages + 4096, 4096, PROT_READ));
	EXPECT_EQ(-EINVAL, ASK(&report, self->words, 4, 0));
	EXPECT_EQ(-EINVAL, ASK(&report, self->words, 4, 4));
	EXPECT_EQ(-EINVAL, ASK(&report, self->words, 4, 12));
	EXPECT_EQ(-EINVAL, ASK(&report, self->words, 4, 4104));
	EXPECT_EQ(-EINVAL, ASK(&report, self->words, 4, UINT32_MAX - 7));
	EXPECT_EQ(-EINVAL, ASK(&report, (char *)self->words + 4, 4, 8));
	EXPECT_EQ(-E2BIG, ASK(&report, self->words, 1025, 8));
	EXPECT_EQ(-E2BIG, ASK(&report, self->words, UINT32_MAX, 8));
	EXPECT_EQ(-EFAULT, ASK(&report, (void *)8, 4, 8));
	EXPECT_EQ(-EFAULT, ASK(&report, (void *)-4096L, 4, 8));
	EXPECT_EQ(-EFAULT, ASK(&report, pages + 4096, 4, 8));
	EXPECT_EQ(-EFAULT, ASK(&report, pages + 4096 - 8, 2, 8));
	EXPECT_EQ(-EFAULT, ASK(&report, pages, 2, 4096));
	EXPECT_EQ(0, ASK(&report, pages + 4096 - 8, 1, 8));
	EXPECT_EQ(0, ASK(&report, pages, 1, 4096));
	expect_words(_metadata, self, 0);
	munmap(pages, 8192);
}

/* A reader that knows few counters steps by the size that a record tells. */
TEST_F(layout, old_records)
{
	uint64_t buffer[SIMGPU_EPOCH_RECORD_MAX / sizeof(uint64_t)];
	uint64_t instructions = 0;
	unsigned int records = 0;
	ssize_t bytes, at;

	while ((bytes = read(self->gang, buffer, sizeof(buffer))) > 0) {
		for (at = 0; at < bytes; records++) {
			const char *start = (const char *)buffer + at;
			const struct old_record *record = (const void *)start;
			const uint64_t *counters =
				(const void *)(start + record->counter_offset);

			ASSERT_LE(sizeof(*record), record->counter_offset);
			ASSERT_LE(OLD_COUNTERS, record->counter_count);
			ASSERT_LE(record->counter_offset +
				  8 * record->counter_count, record->size);
			EXPECT_EQ(0, record->slot);
			EXPECT_LT(record->cycles[0], record->cycles[1]);
			instructions += counters[0];
			at += record->size;
		}
		EXPECT_EQ(bytes, at);
	}
	EXPECT_EQ(0, bytes);
	EXPECT_LE(4, records);
	EXPECT_EQ(COUNT(self->truth, THREAD_INSTRUCTIONS), instructions);
}

TEST_F(layout, old_live_page)
{
	const struct old_live *live = mmap(NULL, getpagesize(), PROT_READ,
					   MAP_SHARED, self->fd, 0);
	const uint64_t *counters;

	ASSERT_NE(MAP_FAILED, (void *)live);
	EXPECT_EQ(SIMGPU_LIVE_SEATED, live->flags);
	EXPECT_EQ(40000, live->cycle);
	EXPECT_EQ(self->truth.figures.class, live->class);
	ASSERT_LE(OLD_COUNTERS, live->counter_count);
	counters = (const void *)((const char *)live + live->counter_offset);
	EXPECT_EQ(0, memcmp(counters, self->truth.counters, OLD_COUNTERS * 8));
	munmap((void *)live, getpagesize());
}

#define FAIR	SYSFS "policy_params/fair_threshold"

FIXTURE(create)
{
	int fd;
	struct new_gang_create cmd;
	struct simgpu_param_value params[3];
};

FIXTURE_SETUP(create)
{
	ASSERT_EQ(0, write_text(SYSFS "policy", "hsm-fair"));
	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	self->cmd.first = (struct old_gang_create) { .members = 1, .seed = 1 };
	self->cmd.first.size = sizeof(self->cmd);
	self->cmd.params_stride = sizeof(self->params[0]);
	self->cmd.params_array = (uintptr_t)self->params;
	strcpy(self->params[0].name, "fair_threshold");
	self->params[0].value = 123456;
	strcpy(self->params[1].name, "c1");
	self->params[1].value = 1000000;
	strcpy(self->params[2].name, "fair_threshold");
}

FIXTURE_TEARDOWN(create)
{
	close(self->fd);
	EXPECT_EQ(0, write_text(SYSFS "policy", "even"));
}

#define CREATE() call(self->fd, SIMGPU_IOC_GANG_CREATE, &self->cmd)

TEST_F(create, old_struct)
{
	struct old_gang_create cmd = self->cmd.first;

	cmd.size = sizeof(cmd);
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_GANG_CREATE, &cmd));
	EXPECT_EQ(0, close(cmd.fd));
	cmd.size--;
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_GANG_CREATE, &cmd));
}

TEST_F(create, new_struct)
{
	self->cmd.params_array = 0;
	ASSERT_EQ(0, CREATE());
	EXPECT_EQ(0, close(self->cmd.first.fd));
	self->cmd.later[LATER - 1] = 1;
	EXPECT_EQ(-E2BIG, CREATE());
}

/* The parameters of the gang, not of the device. */
TEST_F(create, params)
{
	char before[64], text[64];

	ASSERT_EQ(0, read_text(FAIR, before, sizeof(before)));
	self->cmd.params_count = 2;
	ASSERT_EQ(0, CREATE());
	ASSERT_EQ(0, read_text(FAIR, text, sizeof(text)));
	EXPECT_STREQ("0.123456", text);
	ASSERT_EQ(0, read_text(SYSFS "model_params/c1", text, sizeof(text)));
	EXPECT_STREQ("1.000000", text);
	/* Another parameter is changed: these stay. */
	ASSERT_EQ(0, read_text(SYSFS "model_params/c2", text, sizeof(text)));
	ASSERT_EQ(0, write_text(SYSFS "model_params/c2", text));
	ASSERT_EQ(0, read_text(FAIR, text, sizeof(text)));
	EXPECT_STREQ("0.123456", text);
	EXPECT_EQ(0, close(self->cmd.first.fd));

	self->cmd.params_count = 0;
	self->cmd.params_array = 0;
	ASSERT_EQ(0, CREATE());
	ASSERT_EQ(0, read_text(FAIR, text, sizeof(text)));
	EXPECT_STREQ(before, text);
	EXPECT_EQ(0, close(self->cmd.first.fd));
}

TEST_F(create, the_last_param_of_a_name)
{
	char text[64];

	self->cmd.params_count = 3;
	ASSERT_EQ(0, CREATE());
	ASSERT_EQ(0, read_text(FAIR, text, sizeof(text)));
	EXPECT_STREQ("0.000000", text);
	EXPECT_EQ(0, close(self->cmd.first.fd));
}

/* An element of a caller to come is longer. */
TEST_F(create, new_params)
{
	struct {
		struct simgpu_param_value first;
		uint64_t later;
	} longer[2] = { { .first = self->params[0] },
			{ .first = self->params[1] } };
	char text[64];

	self->cmd.params_count = 2;
	self->cmd.params_stride = sizeof(longer[0]);
	self->cmd.params_array = (uintptr_t)longer;
	ASSERT_EQ(0, CREATE());
	ASSERT_EQ(0, read_text(SYSFS "model_params/c1", text, sizeof(text)));
	EXPECT_STREQ("1.000000", text);
	EXPECT_EQ(0, close(self->cmd.first.fd));
	longer[1].later = 1;
	EXPECT_EQ(-E2BIG, CREATE());
}

TEST_F(create, bad_params)
{
	struct new_gang_create good = self->cmd;

	EXPECT_EQ(-EINVAL, CREATE());
	good.params_count = 2;
	self->cmd = good;
	self->cmd.params_stride = 32;
	EXPECT_EQ(-EINVAL, CREATE());
	self->cmd.params_stride = 44;
	EXPECT_EQ(-EINVAL, CREATE());
	self->cmd.params_stride = UINT32_MAX;
	EXPECT_EQ(-E2BIG, CREATE());
	self->cmd = good;
	self->cmd.params_count = 65;
	EXPECT_EQ(-E2BIG, CREATE());
	self->cmd = good;
	self->cmd.params_array = 0;
	EXPECT_EQ(-EFAULT, CREATE());
	self->cmd = good;
	self->params[1].value = 1000001;
	EXPECT_EQ(-EINVAL, CREATE());
	strcpy(self->params[0].name, "no-such");
	EXPECT_EQ(-EINVAL, CREATE());
	memset(self->params[0].name, 'x', sizeof(self->params[0].name));
	EXPECT_EQ(-EINVAL, CREATE());
}

TEST_HARNESS_MAIN
