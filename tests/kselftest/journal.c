// SPDX-License-Identifier: GPL-2.0
/* A journal that grows, on a device of its own: how far, and that it can be read meanwhile. */
#include <fcntl.h>
#include <stdio.h>

#include "made_device.h"
#include "harness.h"

/* More than a journal begins with, and some of its chunks. */
#define EVENTS		3000
/* Events that the settings have beyond the device's limit. */
#define SHARE		16

FIXTURE(journal)
{
	struct made_device device;
	char debugfs[128];
};

FIXTURE_SETUP(journal)
{
	ASSERT_EQ(0, make_device(&self->device, "journal", "base = gtx480\n"));
	snprintf(self->debugfs, sizeof(self->debugfs),
		 "/sys/kernel/debug/simgpu/%s/journal", self->device.name);
}

FIXTURE_TEARDOWN(journal)
{
	EXPECT_EQ(0, remove_device(&self->device));
}

static int write_file(FIXTURE_DATA(journal) *self, const char *name,
		      unsigned int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	return write_text(made_path(&self->device, name), text);
}

/* Events that are lines of an open journal, in their order; those lost are counted. */
static unsigned int count_events(FILE *file, unsigned int first, unsigned int *lost)
{
	char line[4096];
	unsigned int events = 0, value;

	*lost = 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "0 epoch_cycles epoch_cycles=%u", &value) == 1)
			events += value == first + events;
		else
			sscanf(line, "0 lost events=%u", lost);
	}
	return events;
}

static void change_epochs(struct __test_metadata *_metadata,
			  FIXTURE_DATA(journal) *self, unsigned int from,
			  unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		ASSERT_EQ(0, write_file(self, "epoch_cycles", from + i));
}

/* Nothing is lost; who opened the file earlier reads what there was then. */
TEST_F(journal, grows)
{
	unsigned int lost;
	FILE *early, *late;

	change_epochs(_metadata, self, 20000, EVENTS / 2);
	early = fopen(self->debugfs, "r");
	ASSERT_NE(NULL, early);
	change_epochs(_metadata, self, 20000 + EVENTS / 2, EVENTS / 2);
	late = fopen(self->debugfs, "r");
	ASSERT_NE(NULL, late);
	EXPECT_EQ(EVENTS / 2, count_events(early, 20000, &lost));
	EXPECT_EQ(0, lost);
	EXPECT_EQ(EVENTS, count_events(late, 20000, &lost));
	EXPECT_EQ(0, lost);
	fclose(early);
	fclose(late);
}

/* Up to the administrator's limit; what comes then is counted. */
TEST_F(journal, stops_at_the_limit)
{
	unsigned int lost, events;
	FILE *file;

	ASSERT_EQ(0, write_file(self, "journal_events", 1));
	change_epochs(_metadata, self, 20000, EVENTS);
	file = fopen(self->debugfs, "r");
	ASSERT_NE(NULL, file);
	events = count_events(file, 20000, &lost);
	EXPECT_EQ(EVENTS, events + lost);
	/* What there is room for at first, and the share of the settings. */
	EXPECT_GT(events, SHARE);
	EXPECT_LT(events, 200);
	fclose(file);
	/* With a higher one it goes on. */
	ASSERT_EQ(0, write_file(self, "journal_events", 65536));
	ASSERT_EQ(0, write_file(self, "epoch_cycles", 20000 + events));
	file = fopen(self->debugfs, "r");
	ASSERT_NE(NULL, file);
	EXPECT_EQ(events + 1, count_events(file, 20000, &lost));
	EXPECT_EQ(EVENTS - events, lost);
	fclose(file);
	EXPECT_EQ(-EINVAL, write_file(self, "journal_events", 0));
}

TEST_HARNESS_MAIN
