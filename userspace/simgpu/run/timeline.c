// SPDX-License-Identifier: GPL-2.0
/* Writing trace events; see timeline.h. */
#include <unistd.h>
#include <zlib.h>

#include "../demangle.h"
#include "../json.h"
#include "../output.h"
#include "timeline.h"

/* The groups of tracks, which the format calls processes. */
enum group {
	GROUP_TENANTS = 1,
	GROUP_SMS,
	GROUP_TIME,
	GROUP_POLICY,
};

/**
 * struct timeline - a file that is being written
 * @mhz: core cycles in a microsecond, which is the format's unit of time
 * @events: number of events so far
 * @failed: whether a write has failed
 * @leapt: whether there was a leap, so that its track has a name
 * @noted: whether there was a note, for the same reason
 * @names: names of the tenants, by slot
 * @queues: by slot, queues whose tracks have a name, a bit each
 * @epoch_start: start of the present epoch
 * @owner: owner of each SM at the last look
 * @since: cycle since which that owner has had the SM
 * @cycle: cycle of the last look
 */
struct timeline {
	char *path;
	gzFile file;
	u32 sms;
	u32 mhz;
	u64 events;
	bool failed;
	bool leapt;
	bool noted;
	char names[SESSION_SLOTS_MAX][SIMGPU_NAME_MAX];
	u8 queues[SESSION_SLOTS_MAX];
	u64 epoch_start;
	u32 owner[SIMGPU_SMS_MAX];
	u64 since[SIMGPU_SMS_MAX];
	u64 cycle;
};

/* --- events --- */

static struct json_object *microseconds(const struct timeline *timeline,
					u64 cycles)
{
	char text[48];

	snprintf(text, sizeof(text), "%llu.%06llu", cycles / timeline->mhz,
		 cycles % timeline->mhz * 1000000 / timeline->mhz);
	return json_object_new_double_s(strtod(text, NULL), text);
}

static void write_event(struct timeline *timeline, struct json_object *event)
{
	const char *text =
		json_object_to_json_string_ext(event, JSON_C_TO_STRING_PLAIN);

	if (gzputs(timeline->file, timeline->events++ ? ",\n" : "\n") < 0 ||
	    gzputs(timeline->file, text) < 0)
		timeline->failed = true;
	json_object_put(event);
}

/* @phase: the format's letter for the kind of event */
static struct json_object *new_event(const struct timeline *timeline,
				     const char *phase, const char *name,
				     enum group group, u32 track, u64 cycle)
{
	struct json_object *event = json_object_new_object();

	json_set_string(event, "ph", phase);
	json_set_string(event, "name", name);
	json_set(event, "pid", json_u64(group));
	json_set(event, "tid", json_u64(track));
	json_set(event, "ts", microseconds(timeline, cycle));
	return event;
}

static void name_track(struct timeline *timeline, const char *what,
		       enum group group, u32 track, const char *name)
{
	struct json_object *event = new_event(timeline, "M", what, group, track, 0);
	struct json_object *args = json_object_new_object();

	json_set_string(args, "name", name);
	json_set(event, "args", args);
	write_event(timeline, event);
}

static void write_span(struct timeline *timeline, struct json_object *event,
		       u64 cycles, struct json_object *args)
{
	json_set(event, "dur", microseconds(timeline, cycles));
	json_set(event, "args", args);
	write_event(timeline, event);
}

static void write_counter(struct timeline *timeline, u32 slot, const char *what,
			  u64 cycle, struct json_object *value)
{
	char name[SIMGPU_NAME_MAX + 32];
	struct json_object *event, *args = json_object_new_object();

	snprintf(name, sizeof(name), "%s of %s", what, timeline->names[slot]);
	event = new_event(timeline, "C", name, GROUP_TENANTS, 0, cycle);
	json_set(args, what, value);
	json_set(event, "args", args);
	write_event(timeline, event);
}

/* --- life --- */

struct timeline *timeline_open(const char *path)
{
	const char *end = strrchr(path, '.');
	struct timeline *timeline = calloc(1, sizeof(*timeline));

	if (!timeline) {
		fail("out of memory");
		return NULL;
	}
	/* "T": written as it is, not compressed. */
	timeline->file = gzopen(path, end && !strcmp(end, ".gz") ? "wb" : "wbT");
	timeline->path = strdup(path);
	if (!timeline->file || !timeline->path) {
		fail("%s: %s", path, strerror(errno));
		timeline_close(timeline, false);
		return NULL;
	}
	return timeline;
}

void timeline_begin(struct timeline *timeline, const struct gpu_config *config)
{
	char name[16];
	u32 sm;

	timeline->sms = config->sms;
	timeline->mhz = config->core_mhz;
	if (gzputs(timeline->file,
		   "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[") < 0)
		timeline->failed = true;
	name_track(timeline, "process_name", GROUP_TENANTS, 0, "tenants");
	name_track(timeline, "process_name", GROUP_SMS, 0, "SMs");
	for (sm = 0; sm < timeline->sms; sm++) {
		timeline->owner[sm] = GPU_NO_TENANT;
		snprintf(name, sizeof(name), "SM %u", sm);
		name_track(timeline, "thread_name", GROUP_SMS, sm + 1, name);
	}
}

/* Writes the event of an SM whose owner has had it until now. */
static void end_owner(struct timeline *timeline, u32 sm)
{
	u32 owner = timeline->owner[sm];
	const char *name = owner == GPU_SHARED ? "shared" : "";
	u64 cycles = timeline->cycle - timeline->since[sm];

	if (owner < SESSION_SLOTS_MAX)
		name = timeline->names[owner];
	if (*name && cycles)
		write_span(timeline,
			   new_event(timeline, "X", name, GROUP_SMS, sm + 1,
				     timeline->since[sm]),
			   cycles, json_object_new_object());
	timeline->since[sm] = timeline->cycle;
}

int timeline_close(struct timeline *timeline, bool good)
{
	int ret = STATUS_OK;
	u32 sm;

	if (!timeline)
		return STATUS_OK;
	for (sm = 0; timeline->file && sm < timeline->sms; sm++)
		end_owner(timeline, sm);
	if (timeline->file && gzputs(timeline->file, "\n]}\n") < 0)
		timeline->failed = true;
	if (timeline->file && gzclose(timeline->file) != Z_OK)
		timeline->failed = true;
	if (timeline->failed)
		ret = fail("%s: it could not be written: %s", timeline->path,
			   strerror(errno));
	if (timeline->file && (timeline->failed || !good))
		remove_output(timeline->path);
	free(timeline->path);
	free(timeline);
	return ret;
}

/* --- what happens --- */

void timeline_tenant(struct timeline *timeline, u32 slot, const char *name)
{
	snprintf(timeline->names[slot], sizeof(timeline->names[slot]), "%u:%s",
		 slot, name);
	timeline->queues[slot] = 0;
}

static u32 queue_track(struct timeline *timeline, u32 slot, u32 queue)
{
	u32 track = 1 + slot * SESSION_QUEUES_MAX + queue;
	char name[SIMGPU_NAME_MAX + 16];

	if (timeline->queues[slot] >> queue & 1)
		return track;
	timeline->queues[slot] |= 1U << queue;
	snprintf(name, sizeof(name), queue ? "%s, queue %u" : "%s",
		 timeline->names[slot], queue);
	name_track(timeline, "thread_name", GROUP_TENANTS, track, name);
	return track;
}

void timeline_kernel(struct timeline *timeline,
		     const struct offline_kernel *kernel)
{
	u32 track = queue_track(timeline, kernel->slot, kernel->queue);
	struct json_object *args = json_object_new_object();

	char *name = demangle_short(kernel->kernel->name);

	json_set_string(args, "name", kernel->kernel->name);
	json_set(args, "launch", json_u64(kernel->sequence));
	json_set(args, "number", json_u64(kernel->number));
	json_set(args, "blocks", json_u64(kernel->kernel->blocks));
	json_set(args, "ended", json_object_new_boolean(kernel->ended));
	write_span(timeline,
		   new_event(timeline, "X", name, GROUP_TENANTS, track,
			     kernel->start),
		   kernel->end - kernel->start, args);
	free(name);
}

static void write_gauges(struct timeline *timeline, const struct session_epoch *epoch,
			 const struct session_epoch_tenant *row, u64 start)
{
	char text[SESSION_GAUGE_TEXT_BYTES];
	u32 i;

	for (i = 0; i < epoch->gauge_count; i++) {
		session_gauge_text(epoch->gauges[i].unit, row->gauges[i], text);
		write_counter(timeline, row->slot, epoch->gauges[i].name, start,
			      json_object_new_double_s(strtod(text, NULL), text));
	}
}

void timeline_epoch(struct timeline *timeline,
		    const struct session_epoch *epoch)
{
	u64 start = timeline->epoch_start;
	struct simgpu_epoch_record record;
	u32 i;

	for (i = 0; i < epoch->tenant_count; i++) {
		row_epoch(epoch, &epoch->tenants[i], &record);
		write_counter(timeline, record.slot, "SMs", start,
			      json_u64(record.sms));
		write_counter(timeline, record.slot, "bandwidth", start,
			      json_ppm(record.bandwidth_ppm));
		if (record.class != SIMGPU_CLASSIFIED_UNKNOWN)
			write_counter(timeline, record.slot, "NP", start,
				      json_ppm(record.np_ppm));
		write_gauges(timeline, epoch, &epoch->tenants[i], start);
		timeline->epoch_start = record.end_cycle;
	}
}

void timeline_preempt(struct timeline *timeline, u64 cycle, u32 sm, u32 from,
		      u32 to, u32 how)
{
	static const char *const ways[] = {
		[SIMGPU_LEAVE_DRAIN] = "drain",
		[SIMGPU_LEAVE_SWITCH] = "context switch",
		[SIMGPU_LEAVE_RESET] = "reset",
	};
	struct json_object *event, *args = json_object_new_object();

	event = new_event(timeline, "i", ways[how],
			  GROUP_SMS, sm + 1, cycle);
	json_set_string(event, "s", "t");
	if (from < SESSION_SLOTS_MAX)
		json_set_string(args, "from", timeline->names[from]);
	if (to < SESSION_SLOTS_MAX)
		json_set_string(args, "to", timeline->names[to]);
	json_set(event, "args", args);
	write_event(timeline, event);
}

void timeline_leap(struct timeline *timeline, u64 from, u64 until)
{
	if (!timeline->leapt) {
		name_track(timeline, "process_name", GROUP_TIME, 0, "sampled time");
		name_track(timeline, "thread_name", GROUP_TIME, 1, "leaps");
		timeline->leapt = true;
	}
	write_span(timeline, new_event(timeline, "X", "leap", GROUP_TIME, 1, from),
		   until - from, json_object_new_object());
}

void timeline_note(struct timeline *timeline, const struct session_note *note)
{
	char text[SESSION_NOTE_TEXT_BYTES];
	struct json_object *event;

	if (!timeline->noted) {
		name_track(timeline, "process_name", GROUP_POLICY, 0, "policy");
		name_track(timeline, "thread_name", GROUP_POLICY, 1, "notes");
		timeline->noted = true;
	}
	session_note_text(note, text);
	event = new_event(timeline, "i", text, GROUP_POLICY, 1, note->cycle);
	json_set_string(event, "s", "t");
	write_event(timeline, event);
}

void timeline_look(struct timeline *timeline, u64 cycle, const struct gpu *gpu)
{
	struct gpu_sm_status status;
	u32 sm;

	timeline->cycle = cycle;
	for (sm = 0; sm < timeline->sms; sm++) {
		gpu_sm_status(gpu, sm, &status);
		if (status.owner == timeline->owner[sm])
			continue;
		end_owner(timeline, sm);
		timeline->owner[sm] = status.owner;
	}
}
