/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device: its session (device.c), the worker that steps it (worker.c), its
 * settings (change.c), and what is told and published of it (observe.c). Who
 * calls it and why is the business of tenant.c and gang.c: these files know
 * nothing of them, but tell the observers what happens.
 */
#ifndef SIMGPU_DEVICE_H
#define SIMGPU_DEVICE_H

#include <linux/atomic.h>
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "driver.h"

#define SIMGPU_DEVICES_MAX	64
/* Of one processor: the worker is one thread. */
#define SIMGPU_CPU_PERCENT_MAX	100
/* A thousand times as fast as the real thing. */
#define SIMGPU_PACE_MAX_PPM	(1000ULL * SIMGPU_PPM)
#define SIMGPU_NO_SLOT		U32_MAX
/* Settings of a device, its sessions' and its own: each is a bit of a change. */
#define SIMGPU_SETTINGS_MAX	32

/**
 * struct simgpu_published - what sysfs reads of a device
 * @cycle: device time
 * @epochs: finished
 * @settings: by the index of simgpu_setting()
 * @state: &enum session_state
 * @np_doubts: of the NPs that @metrics are made of, SIMGPU_DOUBT_*
 * @metrics_valid: whether @metrics are of a finished epoch with predictions
 * @metrics: of the last finished epoch
 * @refusal: why a word was not followed last
 * @sms: of the configuration, as what follows
 * @schedulers_per_sm: likewise
 * @core_mhz: likewise
 * @memory_mhz: likewise
 * @channels: likewise
 * @config: name
 * @policy: name
 * @model: name
 */
struct simgpu_published {
	u64 cycle;
	u64 epochs;
	u64 settings[SIMGPU_SETTINGS_MAX];
	enum session_state state;
	u32 np_doubts;
	bool metrics_valid;
	struct metrics metrics;
	struct session_refusal refusal;
	u32 sms;
	u32 schedulers_per_sm;
	u32 core_mhz;
	u32 memory_mhz;
	u32 channels;
	char config[SIMGPU_NAME_MAX];
	char policy[SIMGPU_NAME_MAX];
	char model[SIMGPU_NAME_MAX];
};

/**
 * struct simgpu_knobs - the knobs of a policy or model in force, as they are
 *	published: apart from its module, which may go
 * @count: how many
 * @at: each of them
 * @at.name: of the knob
 * @at.unit: SIMGPU_UNIT_*
 * @at.value: in that unit
 */
struct simgpu_knobs {
	u32 count;
	struct {
		char name[SIMGPU_NAME_MAX];
		u32 unit;
		u64 value;
	} at[SIMGPU_PARAMS_MAX];
};

/* Those of the model, those of the policy: by &enum session_knobs. */
#define SIMGPU_KNOBS	2

/**
 * struct simgpu_epoch - the last finished epoch, as netlink tells it
 * @valid: whether one has finished since the cold start
 * @epoch: the epoch
 * @tenants: number of each row's tenant
 */
struct simgpu_epoch {
	bool valid;
	struct session_epoch epoch;
	u64 tenants[SESSION_SLOTS_MAX];
};

/**
 * struct simgpu_knob_change - a knob that is to change
 * @whose: the model's or the policy's, the new one's if that changes, too
 * @name: of the knob
 * @value: in its unit
 */
struct simgpu_knob_change {
	enum session_knobs whose;
	const char *name;
	u64 value;
};

/**
 * struct simgpu_device_change - settings to change, all or none
 * @policy: name of the new one; NULL: as it is
 * @model: likewise
 * @given: bits of the settings that change
 * @settings: their values, by the index of simgpu_setting()
 * @knobs: knobs, which change in this order
 * @knob_count: how many
 * @constants: of the model, the new one if that changes, too; NULL: as they are
 * @constants_bytes: of these
 */
struct simgpu_device_change {
	const char *policy;
	const char *model;
	u32 given;
	u64 settings[SIMGPU_SETTINGS_MAX];
	const struct simgpu_knob_change *knobs;
	u32 knob_count;
	const void *constants;
	u32 constants_bytes;
};

/**
 * struct simgpu_ending - how a gang's session ended
 * @over: whether it has; else nothing below is set
 * @cycle: device time there
 * @state_hash: of the device there
 * @journal_events: in the journal there; what the members' closing their files
 *	adds later is no part of the experiment
 * @journal_lost: likewise
 */
struct simgpu_ending {
	bool over;
	u64 cycle;
	u64 state_hash;
	u32 journal_events;
	u64 journal_lost;
};

/**
 * struct simgpu_observer - what a part of the driver wants to be told
 * @add: a device is about to be usable; no lock is held
 * @remove: it is no longer; likewise
 * @session_end: its session is about to be taken away: for another one, or for
 *	good
 * @gone: it is off: calls get -ENODEV; no lock is held
 * @state: the session has reached a state, which is published afterwards
 * @stepped: the worker has let device time pass, which took @took_ns
 * @publish_epoch: an epoch has ended and is being published; with the publish
 *	lock
 * @epoch: it has been published
 * @publish_counters: the tenants' counters are to be published
 * @launch_done: a launch of the tenant in @slot has ended, 0, or was dropped,
 *	-ECANCELED; @sequence is the session's number for it
 * @kernel_start: a kernel of a launch has started
 * @kernel_finish: it has run to its end
 * @repartition: SMs were assigned anew
 * @preempt: the SM @sm goes from slot @from to slot @to; its thread blocks leave it
 *	as @how, SIMGPU_LEAVE_*, says
 * @knobs: other knobs than before are published
 * @deciders: policy or model may be others than before, by a call that was not made
 *	through a knob's file; no lock is held
 * @policy: another policy is asked now; @failed: for the one before it did
 * @settings: settings of the device have changed; the device's lock may be held
 * @launched: a tenant has queued a trace; @sequence is its own number for it
 * @leave: the tenant in @slot is about to leave the session
 * @tenant_settings: settings of a tenant have changed; no lock is held
 *
 * All but those that say otherwise are called with the device's lock held, in
 * the order of the observers' table. A NULL member is not called.
 */
struct simgpu_observer {
	void (*add)(struct simgpu_device *device);
	void (*remove)(struct simgpu_device *device);
	void (*session_end)(struct simgpu_device *device);
	void (*gone)(struct simgpu_device *device);
	void (*state)(struct simgpu_device *device, enum session_state state);
	void (*stepped)(struct simgpu_device *device, u64 took_ns);

	void (*publish_epoch)(struct simgpu_device *device,
			      const struct session_epoch *epoch);
	void (*epoch)(struct simgpu_device *device,
		      const struct session_epoch *epoch);
	void (*publish_counters)(struct simgpu_device *device);

	void (*launch_done)(struct simgpu_device *device, u32 slot, u32 queue,
			    u64 sequence, int status);
	void (*kernel_start)(struct simgpu_device *device, u32 slot, u32 queue,
			     u64 sequence, u32 kernel);
	void (*kernel_finish)(struct simgpu_device *device, u32 slot, u32 queue,
			      u64 sequence, u32 kernel);
	void (*repartition)(struct simgpu_device *device);
	void (*preempt)(struct simgpu_device *device, u32 sm, u32 from, u32 to,
			u32 how);
	void (*policy)(struct simgpu_device *device, const char *name,
		       bool failed);
	void (*settings)(struct simgpu_device *device);
	void (*knobs)(struct simgpu_device *device);
	void (*deciders)(struct simgpu_device *device);

	void (*launched)(struct simgpu_tenant *tenant, u32 queue, u64 sequence,
			 u64 repeats);
	void (*leave)(struct simgpu_device *device, u32 slot);
	void (*tenant_settings)(struct simgpu_tenant *tenant);
};

/* Kinds of calls that are held up by themselves (turn.c). */
enum simgpu_call_kind {
	SIMGPU_CALL_LIGHT,	/* answers, or changes a few words */
	SIMGPU_CALL_HEAVY,	/* makes a tenant, a trace or a gang */
	SIMGPU_CALL_KINDS
};

/**
 * struct simgpu_calls - calls of a kind on a device
 * @count: since the last quantum's end
 * @limit: of these, those that are not held up; as many who wait, but at least one,
 *	go on at a quantum's end
 * @wait: where those beyond the limit wait for the next one
 */
struct simgpu_calls {
	atomic_t count;
	unsigned int limit;
	wait_queue_head_t wait;
};

/**
 * struct simgpu_share - from when on the worker's share of a processor is counted
 * @percent: that it may have at most; 0 where that does not matter
 * @now_ns: host time there
 * @used_ns: processor time that the worker had used there
 */
struct simgpu_share {
	u32 percent;
	u64 now_ns;
	u64 used_ns;
};

/**
 * struct simgpu_limits - what an administrator leaves to everybody
 * @weight: highest weight that a tenant takes without CAP_SYS_NICE
 * @target_ppm: highest target of a QoS tenant likewise; 0: no QoS
 * @gangs: whether a gang needs no CAP_SYS_NICE
 * @gang_wait_seconds: how long a gang may hold the device without starting
 * @device_mib: what tenants and gangs may make the kernel hold for the device
 * @journal_events: that a session's journal grows to
 *
 * Settings, which are read without a lock.
 */
struct simgpu_limits {
	u32 weight;
	u64 target_ppm;
	bool gangs;
	u32 gang_wait_seconds;
	u32 device_mib;
	u32 journal_events;
};

/* What they are at first. */
#define SIMGPU_GANG_WAIT_SECONDS	300
#define SIMGPU_JOURNAL_EVENTS		65536
#define SIMGPU_GANG_WAIT_SECONDS_MAX	86400
#define SIMGPU_DEVICE_MIB		2048

/* Cgroups for which something is set. */
#define SIMGPU_CGROUPS_MAX	32

/**
 * struct simgpu_cgroup_rule - what is set for a cgroup and all below it
 * @id: of the cgroup
 * @weight: of its tenants together; 0: each has its own
 * @slots: that they may take, up to SIMGPU_TENANTS_MAX: as many as there are
 */
struct simgpu_cgroup_rule {
	u64 id;
	u32 weight;
	u32 slots;
};

/**
 * struct simgpu_cgroup_rules - rules for cgroups
 * @count: how many
 * @at: the rules, one for each cgroup
 */
struct simgpu_cgroup_rules {
	u32 count;
	struct simgpu_cgroup_rule at[SIMGPU_CGROUPS_MAX];
};

/**
 * struct simgpu_energy - of a session's GPU, beside what its tenants have published
 * @table: of energies; NULL: none is known
 * @core_mhz: its core clock
 * @left_pj: what tenants have taken that have left their slots
 * @left_instructions: thread instructions that these have issued
 */
struct simgpu_energy {
	const struct energy_table *table;
	u32 core_mhz;
	u64 left_pj;
	u64 left_instructions;
};

/**
 * struct simgpu_decisions - what a policy or a model has cost the host since it is asked
 * @calls: of it
 * @ns: that all of them took
 * @longest_ns: the longest
 */
struct simgpu_decisions {
	u64 calls;
	u64 ns;
	u64 longest_ns;
};

/**
 * struct simgpu_refusals - policies whose place even has taken in a session
 * @count: how often
 * @policy: the last one's name
 */
struct simgpu_refusals {
	u64 count;
	char policy[SIMGPU_NAME_BYTES];
};

/**
 * struct simgpu_device - a simulated GPU
 * @dev: /sys/class/simgpu/simgpuN; its references keep this struct
 * @cdev: /dev/simgpuN
 * @index: N
 * @tenants_dir: the directory of the tenants in sysfs
 * @tenants: those whose file is open, by number; has its own lock
 * @open_lock: held while a tenant is added, so that none is once @gone is set;
 *	no other lock is taken inside it
 * @pace_ppm: how fast device time runs beside the host's: seconds of the device
 *	in a million of the host's; 0: as it can. Results do not depend on it.
 *	Written under @lock, read without
 * @pace_cycle: device time at which the present pace began; the worker's own
 * @pace_ns: host time there; likewise
 * @debugfs: its directory there
 * @worker: steps the session; a reference, for the task outlives its thread
 * @worker_wait: where the worker sleeps until @runnable
 * @runnable: some tenant has work; written under @lock, read without
 * @thread_count: threads that simulate it, the worker included; written under
 *	@lock, read without
 * @gone: it is being removed: files that are open get -ENODEV; set for good
 * @slice_cycles: that the worker steps between two looks at the clock; the worker's
 *	own
 * @empty_cycles: likewise, while no tenant has work
 * @empty: no tenant had work at the last quantum's end; the worker's own
 * @cpu_percent: of one processor, that the worker uses at most; 1 to 100
 * @stepping: the worker wants a processor: it has the lock, waits for it, or hands
 *	it over; written by the worker
 * @quanta: that have ended; likewise
 * @ran_ns: host time that they took; likewise
 * @longest_ns: the longest of them; likewise
 * @calls: while @stepping, by &enum simgpu_call_kind
 * @had: since when it is counted what those who call have left it; the worker's own
 * @turns_asked: callers that had to wait for @lock
 * @turns_had: of these, those that wait no longer
 * @turn_wait: where the worker waits for them
 * @lend_lock: protects @lent and @own_nice; a leaf
 * @lent: the worker has been lent a priority
 * @own_nice: which it gets back
 * @bytes_held: what tenants and gangs make the kernel hold. The session's own
 *	memory is not in it: a device always has exactly one session
 * @last_tenant_id: given to a tenant
 * @limits: of those without privilege
 * @journal_spare: chunk for the journal that a caller has brought; NULL: it was used.
 *	Written under @lock, read without
 * @sessions: that there were on the device, the present one included
 * @gang_lock: held while the session of a gang is made and put on the device; outside
 *	@lock
 * @renew_lock: held while a session from @defaults is made to take a gang's place,
 *	and while settings are changed: else who changes them without a pause
 *	would make every new session obsolete; outside @lock
 * @lock: serializes the session and everything up to @publish_lock. The worker
 *	holds it for a quantum at a time. Not held: while user memory is
 *	touched, or an entry of sysfs or debugfs is removed
 * @threads: beside the worker; NULL: none. Who takes them off the device under
 *	@lock ends them without it
 * @session: the experiment; NULL once the device is going away
 * @start: its options at the cold start, without constants; holds their policy
 *	and model
 * @start_constants: checksum of the constants there; 0: none
 * @policy: that the session asks now, which is held
 * @model: likewise
 * @slow: the policy is to be replaced, for it took too long
 * @decisions: of the policy
 * @predictions: of the model
 * @refusals: of the session
 * @refusal: why a word was not followed last in this session, the policy's or the
 *	model's or that of a write
 * @session_refusal: the session's own last one that was seen
 * @private_runs: its tenants get private GPUs; written under @lock, read without
 * @defaults: options of sessions without a gang; config never changes; holds
 *	their policy and model, and owns their constants. Written under both
 *	@renew_lock and @lock, but when the session that is to fall back is the
 *	device's own: then nobody makes another one
 * @slots: who has which slot of the session; written under @publish_lock, too
 * @line: tenants that wait for one, in the order in which they came
 * @gang: whose session it is, until the gang's file is closed; NULL for none.
 *	It has ended once @ending says so
 * @ending: of a gang's session
 * @left: the session was a gang's that has gone: it is there to be looked at, and
 *	what is shown of settings is the device's own again
 * @publish_lock: protects @published, and of each tenant what its header says.
 *	A leaf: nothing is taken inside it
 * @published: what sysfs reads
 * @knobs: likewise, by &enum session_knobs
 * @cgroups: rules for them; publish lock, and written under both
 * @energy: what the session's GPU has taken; publish lock
 * @measured: users of the tenants that the published metrics are about, one
 *	for each tenant
 * @measured_count: how many
 * @last_epoch: what netlink reads
 * @knobs_shown: sysfs has the directories of the knobs
 * @knobs_work: brings them up to date
 * @knob_files: what is in them; only @knobs_work touches them
 * @constants_lock: held while a part of constants is written; outside @lock
 * @graves: traces that nobody refers to any more, to be freed without a lock
 * @graves_work: frees them
 * @constants: room for what has been written, or NULL; under that lock
 * @constants_bytes: that have been written; likewise
 * @counters_ns: host time at which the tenants' counters were published last;
 *	the worker's own
 *
 * Lock order: @constants_lock, @renew_lock, @lock, @publish_lock. Who gets @lock when is decided
 * in turn.c.
 */
struct simgpu_device {
	struct device dev;
	struct cdev cdev;
	unsigned int index;
	struct kobject *tenants_dir;
	struct xarray tenants;
	struct mutex open_lock;	/* tenants or removal */
	u64 pace_ppm;
	u64 pace_cycle;
	u64 pace_ns;
	struct dentry *debugfs;
	struct task_struct *worker;
	wait_queue_head_t worker_wait;
	bool runnable;
	unsigned int thread_count;
	bool gone;
	u64 slice_cycles;
	u64 empty_cycles;
	bool empty;
	u32 cpu_percent;
	bool stepping;
	u64 quanta;
	u64 ran_ns;
	u64 longest_ns;
	struct simgpu_calls calls[SIMGPU_CALL_KINDS];
	struct simgpu_share had;
	atomic64_t turns_asked;
	atomic64_t turns_had;
	wait_queue_head_t turn_wait;
	spinlock_t lend_lock;	/* the worker's priority */
	bool lent;
	int own_nice;
	atomic64_t bytes_held;
	atomic64_t last_tenant_id;
	struct simgpu_limits limits;
	struct journal_chunk *journal_spare;
	u64 sessions;

	struct mutex gang_lock; /* one gang's session is made at a time */
	struct mutex renew_lock; /* settings, while a session is made from them */
	struct mutex lock;	/* serializes what follows, up to ... */
	struct simgpu_threads *threads;
	struct session *session;
	struct session_options start;
	u32 start_constants;
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
	bool slow;
	struct simgpu_decisions decisions;
	struct simgpu_decisions predictions;
	struct simgpu_refusals refusals;
	struct session_refusal refusal;
	struct session_refusal session_refusal;
	bool private_runs;
	struct session_options defaults;
	struct simgpu_tenant *slots[SESSION_SLOTS_MAX];
	struct list_head line;
	struct simgpu_gang *gang;
	struct simgpu_ending ending;
	bool left;

	spinlock_t publish_lock; /* ... this, which protects what sysfs reads */
	struct simgpu_published published;
	struct simgpu_knobs knobs[SIMGPU_KNOBS];
	struct simgpu_cgroup_rules cgroups;
	struct simgpu_energy energy;
	kuid_t measured[SESSION_SLOTS_MAX];
	u32 measured_count;
	struct simgpu_epoch *last_epoch;

	bool knobs_shown;
	struct work_struct knobs_work;
	struct simgpu_knob_files *knob_files[SIMGPU_KNOBS];
	struct llist_head graves;
	struct work_struct graves_work;
	struct mutex constants_lock; /* constants come in parts */
	void *constants;
	u32 constants_bytes;
	u64 counters_ns;
};

int simgpu_devices_init(unsigned int count, const char *config,
			const struct file_operations *fops,
			const struct attribute_group **groups,
			const struct simgpu_observer *const *observers);
void simgpu_devices_exit(void);

struct simgpu_device *simgpu_device_plug(const struct gpu_config *config);
void simgpu_device_unplug(struct simgpu_device *device);

struct session *
simgpu_device_replace_session(struct simgpu_device *device,
			      struct session *session,
			      const struct session_options *options);
int simgpu_device_renew(struct simgpu_device *device);

struct simgpu_device *simgpu_device_find(u32 index);

/* Whether a gang that has not ended holds the device. */
static inline bool simgpu_device_has_gang(const struct simgpu_device *device)
{
	return device->gang && !device->ending.over;
}

/* Whether the session is that of a gang that has ended, to be looked at. */
static inline bool simgpu_device_is_stale(const struct simgpu_device *device)
{
	return device->start.gang_size && !simgpu_device_has_gang(device);
}

/* Options that are shown: of the session, or of the next one if it is left. */
static inline const struct session_options *
simgpu_device_shown(const struct simgpu_device *device)
{
	return device->left ? &device->defaults : &device->start;
}

static inline struct simgpu_device *simgpu_device_of(struct device *dev)
{
	return container_of(dev, struct simgpu_device, dev);
}

#endif /* SIMGPU_DEVICE_H */
