/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of `simgpu top`. A feed (top_live.c, top_replay.c) fills
 * the state, and top_draw.c draws it. screen.c has the terminal. top.c handles keys and
 * runs the loop.
 */
#ifndef SIMGPU_TOP_H
#define SIMGPU_TOP_H

#include "../command.h"

/* Number of epochs whose NP is kept. */
#define TOP_HISTORY	64
#define TOP_NP_UNKNOWN	U64_MAX
/* Most files that a feed may wait for. */
#define TOP_FDS_MAX	2
#define TOP_NAMES_MAX	32

/* Room for a tenant's gauges in a line */
#define TOP_GAUGES_BYTES	256

/* How much is shown of a cgroup's path: its end. */
#define TOP_CGROUP_BYTES	25

/**
 * struct top_tenant - a tenant, and its last epoch
 * @id: its number on the device
 * @cgroup: the end of its cgroup's path; empty: not known
 * @colour: index among the tenants that the device has had
 * @weight: 0 if it is not known
 * @known: whether figures have come; then @class and later members are valid
 * @np_ppm: predicted NP, or TOP_NP_UNKNOWN
 * @unfolded: whether its queues are shown below it
 * @report: its launches, queues, goal, quotas and energy; unknown figures are 0
 * @gauges: what the policy tells of itself about it, as text; empty: nothing
 * @sm_list: SMs that it alone has; empty: none, or not known
 * @shared_sm_list: SMs that it shares with other tenants
 * @history: values of @np_ppm, a ring
 * @np_doubted: the model says that it may be wrong
 * @history_count: how many were written to it
 */
struct top_tenant {
	u64 id;
	u32 colour;
	char name[SIMGPU_NAME_MAX];
	u32 pid;
	char cgroup[TOP_CGROUP_BYTES];
	bool qos;
	u32 weight;
	u64 target_ppm;
	u32 sms;
	bool known;
	u32 class;
	u64 np_ppm;
	bool np_doubted;
	u64 ipc_ppm;
	u64 rbh_ppm;
	u64 bandwidth_ppm;
	bool unfolded;
	struct simgpu_tenant_report report;
	char gauges[TOP_GAUGES_BYTES];
	char sm_list[ROW_SM_LIST_BYTES];
	char shared_sm_list[ROW_SM_LIST_BYTES];
	u64 history[TOP_HISTORY];
	u64 history_count;
};

/**
 * struct top_device - a device and its tenants, in order of their numbers
 * @sms: SMs of the whole device
 * @metrics: metrics of the last epoch, valid if @predicted is set
 * @missed: epochs whose messages were lost
 * @failures: failures that were found in its session
 * @energy_joules: of the device with all tenants so far; 0: not known
 * @instructions_per_joule: of all tenants so far; 0: not known
 */
struct top_device {
	unsigned int number;
	char config[SIMGPU_NAME_MAX];
	char policy[SIMGPU_NAME_MAX];
	char model[SIMGPU_NAME_MAX];
	char state[SIMGPU_NAME_MAX];
	u32 sms;
	bool epoch_known;
	u64 epoch;
	u64 cycle;
	bool predicted;
	u64 fairness_ppm;
	u64 stp_ppm;
	u64 antt_ppm;
	u64 missed;
	u64 failures;
	double energy_joules;
	double instructions_per_joule;
	struct top_tenant *tenants;
	u32 tenant_count;
	u32 colours;
};

/* The columns of tenants. */
enum top_view {
	TOP_PROGRESS,
	TOP_LAUNCHES,
	TOP_SHARING,
	TOP_MEMORY,
	TOP_TOKENS,
	TOP_VIEWS
};

enum top_mode {
	TOP_WATCH,
	TOP_HELP,
	TOP_CHOOSE,	/* one of @names */
	TOP_ENTER,	/* a number, into @entry */
};

/* Moves in a recorded run; all but the first also pause it. */
enum top_move {
	TOP_PAUSE,	/* pause, or go on */
	TOP_BACK,
	TOP_AHEAD,
	TOP_LAST,
	TOP_EPOCH,	/* to the epoch of this number */
	TOP_CYCLE,	/* to the epoch in which this cycle lies */
};

/**
 * struct top_state - all that is on the screen
 * @device: index of the device that is shown
 * @view: &enum top_view
 * @tenant: number of the tenant that keys change
 * @first: index of the first tenant on the screen
 * @names: names to choose from, @chosen is the index of one
 * @title: title of what is chosen or entered
 * @message: result of a key
 * @epochs: epochs of the recorded run that is shown; 0: these are devices
 */
struct top_state {
	struct top_device *devices;
	u32 device_count;
	u32 device;
	u32 view;
	u64 tenant;
	u32 first;
	enum top_mode mode;
	char names[TOP_NAMES_MAX][SIMGPU_NAME_MAX];
	u32 name_count;
	u32 chosen;
	const char *title;
	char entry[16];
	char message[160];
	u64 epochs;
};

/**
 * struct top_feed - the source of a state's figures
 * @fds: descriptors to wait for, @fd_count of them
 * @interval_ms: time after which update() is called at the latest
 * @update: brings the state up to date; an exit status
 * @policies: fills @state.names; 0 or a negative errno
 * @set_policy: changes the policy; 0 or a negative errno. NULL, like the next two, if
 *	the feed is no device
 * @go: shows another epoch; NULL: the feed is no recorded run
 * @close: frees everything
 */
struct top_feed {
	int fds[TOP_FDS_MAX];
	u32 fd_count;
	int interval_ms;
	void *context;
	int (*update)(struct top_feed *feed, struct top_state *state);
	int (*policies)(struct top_feed *feed, struct top_state *state);
	int (*set_policy)(struct top_feed *feed, struct top_device *device,
			  const char *policy);
	int (*set_weight)(struct top_feed *feed, struct top_device *device,
			  u64 tenant, u32 weight);
	int (*set_target)(struct top_feed *feed, struct top_device *device,
			  u64 tenant, u64 target_ppm);
	void (*go)(struct top_feed *feed, struct top_state *state,
		   enum top_move to, u64 value);
	void (*close)(struct top_feed *feed);
};

/* --- views but for the first (top_views.c) --- */

/**
 * struct top_columns - columns of a view, behind those that name the tenant
 * @headings: headings, as wide as the columns
 * @draw: draws a tenant's columns; those of variable width have @room together
 * @help: what the columns mean, a line each, with NULL at the end
 */
struct top_columns {
	const char *headings;
	void (*draw)(const struct top_tenant *tenant, int room);
	const char *const *help;
};

#endif /* SIMGPU_TOP_H */
