/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of `simgpu top` share. A feed (top_live.c, top_replay.c) fills
 * the state; top_draw.c draws it and knows nothing else; screen.c has the
 * terminal; top.c takes keys and lets them work together.
 */
#ifndef SIMGPU_TOP_H
#define SIMGPU_TOP_H

#include "../command.h"

/* Epochs whose NP is remembered. */
#define TOP_HISTORY	64
#define TOP_NP_UNKNOWN	U64_MAX
/* Files that a feed may wait for. */
#define TOP_FDS_MAX	2
#define TOP_NAMES_MAX	32

/* What is shown of a cgroup's path, and its end. */
#define TOP_CGROUP_BYTES	25

/**
 * struct top_tenant - a tenant, and what its last epoch was
 * @id: its number on the device
 * @cgroup: path of its cgroup, the end of it; empty: not known
 * @colour: its place among the tenants that the device has had
 * @weight: 0 if it is not known
 * @known: whether figures have come; then @class and those below it count
 * @np_ppm: predicted; or TOP_NP_UNKNOWN
 * @np_doubted: the model says that it may be wrong
 * @unfolded: its queues are shown below it
 * @report: its launches, queues, goal, quotas and energy; what is not known is 0
 * @sm_list: SMs that are its alone; empty: none, or not known
 * @shared_sm_list: list of the SMs that it shares with other tenants
 * @history: of @np_ppm, a ring
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
	char sm_list[ROW_SM_LIST_BYTES];
	char shared_sm_list[ROW_SM_LIST_BYTES];
	u64 history[TOP_HISTORY];
	u64 history_count;
};

/**
 * struct top_device - a device and its tenants, in order of their numbers
 * @sms: of the whole device
 * @metrics: of the last epoch; @predicted tells whether they count
 * @missed: epochs whose messages were lost
 * @energy_joules: of the device and all tenants so far; 0: not known
 * @instructions_per_joule: of all tenants so far; likewise
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
	double energy_joules;
	double instructions_per_joule;
	struct top_tenant *tenants;
	u32 tenant_count;
	u32 colours;
};

/* Which columns tenants have. */
enum top_view {
	TOP_PROGRESS,
	TOP_LAUNCHES,
	TOP_SHARING,
	TOP_VIEWS
};

enum top_mode {
	TOP_WATCH,
	TOP_HELP,
	TOP_CHOOSE,	/* one of @names */
	TOP_ENTER,	/* a number, into @entry */
};

/* Which epoch of a recorded run is shown; all but the first also pause it. */
enum top_move {
	TOP_PAUSE,	/* or go on */
	TOP_BACK,
	TOP_AHEAD,
	TOP_LAST,
	TOP_EPOCH,	/* of this number */
	TOP_CYCLE,	/* in which this cycle lies */
};

/**
 * struct top_state - all that is on the screen
 * @device: the one that is shown, an index
 * @view: &enum top_view
 * @tenant: the one that keys change, by its number
 * @first: first tenant on the screen, an index
 * @names: to choose from, @chosen of them
 * @title: of what is chosen or entered
 * @message: what became of a key
 * @epochs: of the recorded run that is shown; 0: these are devices
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
 * struct top_feed - where a state's figures come from
 * @fds: to wait for; @fd_count of them
 * @interval_ms: after which update() is called at the latest
 * @update: bring the state up to date; an exit status
 * @policies: fills @state.names; 0 or a negative errno
 * @set_policy: change something; 0 or a negative errno. NULL, as the next two: it
 *	is no device
 * @go: show another epoch; NULL: it is no recorded run
 * @close: let go of everything
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

/* The devices of this machine; an exit status. */
int top_live_open(struct top_feed *feed);
/* A run that was written down, an epoch each @interval_ms; an exit status. */
int top_replay_open(struct top_feed *feed, const char *path, int interval_ms);

/* Draw the state on the whole screen; also sets @first so that @tenant is seen. */
void top_draw(struct top_state *state);

/* --- views but for the first (top_views.c) --- */

/**
 * struct top_columns - columns of a view, behind those that tell who it is
 * @headings: printed above them, as wide as they are
 * @draw: a tenant's, with @room columns for what is not of one width
 * @help: what they mean, a line each, with NULL at the end
 */
struct top_columns {
	const char *headings;
	void (*draw)(const struct top_tenant *tenant, int room);
	const char *const *help;
};

/* Of TOP_LAUNCHES or TOP_SHARING. */
const struct top_columns *top_columns_of(u32 view);
/* Lines of a tenant on the screen. */
u32 top_lines_of(const struct top_tenant *tenant);
/* The queues of an unfolded tenant, below @line, on @rows lines at most. */
void top_draw_queues(const struct top_tenant *tenant, int line, u32 rows);

/* A tenant's report and lists of SMs as sysfs has them. */
void top_read_report(unsigned int device, struct top_tenant *tenant);

/* --- states --- */

struct top_device *top_find_device(struct top_state *state, unsigned int number);
struct top_device *top_add_device(struct top_state *state, unsigned int number);
void top_remove_device(struct top_state *state, struct top_device *device);
struct top_tenant *top_find_tenant(struct top_device *device, u64 id);
struct top_tenant *top_add_tenant(struct top_device *device, u64 id);
void top_remove_tenant(struct top_device *device, struct top_tenant *tenant);
void top_add_np(struct top_tenant *tenant, u64 np_ppm);
/* The device that is shown; NULL: there is none. */
struct top_device *top_shown(struct top_state *state);
/* Of a clock that nobody sets. */
s64 top_now_ms(void);
void top_free(struct top_state *state);

#endif /* SIMGPU_TOP_H */
