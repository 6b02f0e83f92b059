/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device: its session (device.c), the worker that steps it (worker.c), its
 * settings (change.c), and what is reported and published (observe.c). These files do not
 * know tenant.c and gang.c, which call them; they tell observers what happens.
 */
#ifndef SIMGPU_DEVICE_H
#define SIMGPU_DEVICE_H

#include <linux/atomic.h>
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/ktime.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "driver.h"

#define SIMGPU_DEVICES_MAX	64
/* Of one processor, since the worker is one thread. */
#define SIMGPU_CPU_PERCENT_MAX	100
/* A thousand times as fast as a real device. */
#define SIMGPU_PACE_MAX_PPM	(1000ULL * SIMGPU_PPM)
#define SIMGPU_NO_SLOT		U32_MAX
/* Most settings of a device, its sessions' and its own: each is a bit of a change. */
#define SIMGPU_SETTINGS_MAX	32

/**
 * struct simgpu_published - what sysfs reads of a device
 * @cycle: device time
 * @sampling: how much of it was leapt
 * @failures: what has failed in the session
 * @power: clock and power of its GPU
 * @chunks: chunks of 2 MiB for managed pages; 0: no tenant has had managed memory
 * @chunks_used: those that hold pages
 * @epochs: number of finished epochs
 * @settings: by the index of simgpu_setting()
 * @state: &enum session_state
 * @np_doubts: of the NPs that @metrics are made of, SIMGPU_DOUBT_*
 * @metrics_valid: whether @metrics are of a finished epoch with predictions
 * @metrics: metrics of the last finished epoch
 * @refusal: the last refusal
 * @sms: SMs of the configuration
 * @schedulers_per_sm: as in the configuration
 * @core_mhz: as in the configuration
 * @memory_mhz: as in the configuration
 * @channels: as in the configuration
 * @config: name of the configuration
 * @policy: name of the policy
 * @model: name of the model
 * @memory_policy: name of the memory policy in force
 */
struct simgpu_published {
	u64 cycle;
	struct session_sampling sampling;
	struct session_failure_times failures;
	struct session_power power;
	u32 chunks;
	u32 chunks_used;
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
	char memory_policy[SIMGPU_NAME_MAX];
};

/**
 * struct simgpu_params - the parameters of a policy, model or memory policy in force,
 *	published apart from its module, which may be unloaded
 * @count: number of parameters
 * @at: each of them
 * @at.name: name of the parameter
 * @at.unit: SIMGPU_UNIT_*
 * @at.value: value in that unit
 */
struct simgpu_params {
	u32 count;
	struct {
		char name[SIMGPU_NAME_MAX];
		u32 unit;
		u64 value;
	} at[SIMGPU_PARAMS_MAX];
};

/* Sets of parameters: by &enum session_param_owner. */
#define SIMGPU_PARAMS	SESSION_PARAM_OWNERS

/**
 * struct simgpu_epoch - the last finished epoch, for netlink
 * @valid: whether an epoch has finished since the cold start
 * @epoch: the epoch
 * @tenants: number of each row's tenant
 */
struct simgpu_epoch {
	bool valid;
	struct session_epoch epoch;
	u64 tenants[SESSION_SLOTS_MAX];
};

/**
 * struct simgpu_param_change - a parameter that is to change
 * @whose: the model's or the policy's; if that changes, too, the new one's
 * @name: name of the parameter
 * @value: value in its unit
 */
struct simgpu_param_change {
	enum session_param_owner whose;
	const char *name;
	u64 value;
};

/**
 * struct simgpu_device_change - settings to change, all or none
 * @policy: name of the new policy; NULL: no change
 * @model: name of the new model; NULL: no change
 * @memory_policy: name of the new memory policy; NULL: no change
 * @given: bits of the settings that change
 * @settings: their values, by the index of simgpu_setting()
 * @params: parameters, which change in this order
 * @param_count: number of @params
 * @constants: constants of the model; if that changes, too, of the new one; NULL: no
 *	change
 * @constants_bytes: size of @constants
 */
struct simgpu_device_change {
	const char *policy;
	const char *model;
	const char *memory_policy;
	u32 given;
	u64 settings[SIMGPU_SETTINGS_MAX];
	const struct simgpu_param_change *params;
	u32 param_count;
	const void *constants;
	u32 constants_bytes;
};

/**
 * struct simgpu_ending - how a gang's session ended
 * @over: whether the session has ended; else nothing below is set
 * @cycle: device time at the end
 * @state_hash: state hash of the device at the end
 * @journal_events: events in the journal at the end; events that come when members
 *	close their files are no part of the experiment
 * @journal_lost: events lost by the end
 */
struct simgpu_ending {
	bool over;
	u64 cycle;
	u64 state_hash;
	u32 journal_events;
	u64 journal_lost;
};

/**
 * struct simgpu_observer - functions of a part of the driver that hears of events
 * @add: a device is about to be usable; no lock is held
 * @remove: a device is no longer usable; no lock is held
 * @session_end: the device's session is about to be removed: replaced, or for
 *	good
 * @gone: the device is off: calls get -ENODEV; no lock is held
 * @state: the session has reached a state, which is published afterwards
 * @stepped: the worker has let device time pass, which took @took_ns
 * @publish_epoch: an epoch has ended and is being published; the publish lock is
 *	held
 * @epoch: an epoch has been published
 * @publish_counters: the tenants' counters are to be published
 * @launch_done: a launch of the tenant in @slot has ended, 0, or was dropped,
 *	-ECANCELED; @sequence is the session's number for it
 * @kernel_start: a kernel of a launch has started
 * @kernel_finish: a kernel has run to its end
 * @repartition: SMs were assigned anew
 * @preempt: the SM @sm goes from slot @from to slot @to; @how, SIMGPU_LEAVE_*, says how
 *	its thread blocks leave
 * @params: the set of published parameters has changed
 * @deciders: policy or model may have changed, by a call that was not made
 *	through a parameter's file; no lock is held
 * @faults_taken: the pager has taken a batch of @faults faults in @blocks blocks, from
 *	@cycle on
 * @evicted: it takes away block @block of a slot, from @cycle on
 * @failed: the session has found a failure; nothing has been done about it
 * @acted: something has been done about it
 * @banned: the tenant in @slot is banned
 * @note: the policy has written a note
 * @policy: another policy is asked now; @failed: because the one before it failed
 * @settings: settings of the device have changed; the device's lock may be held
 * @launched: a tenant has queued a trace; @sequence is its own number for it
 * @leave: the tenant in @slot is about to leave the session
 * @tenant_settings: settings of a tenant have changed; no lock is held
 *
 * Unless they say otherwise, these are called with the device's lock held, in
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
	void (*faults_taken)(struct simgpu_device *device, u64 cycle, u32 faults,
			     u32 blocks);
	void (*evicted)(struct simgpu_device *device, u64 cycle, u32 slot,
			u32 block);
	void (*failed)(struct simgpu_device *device,
		       const struct session_failed *failed);
	void (*acted)(struct simgpu_device *device,
		      const struct session_acted *acted);
	void (*banned)(struct simgpu_device *device, u32 slot);
	void (*note)(struct simgpu_device *device, const struct session_note *note);
	void (*policy)(struct simgpu_device *device, const char *name,
		       bool failed);
	void (*settings)(struct simgpu_device *device);
	void (*params)(struct simgpu_device *device);
	void (*deciders)(struct simgpu_device *device);

	void (*launched)(struct simgpu_tenant *tenant, u32 queue, u64 sequence,
			 u64 repeats);
	void (*leave)(struct simgpu_device *device, u32 slot);
	void (*tenant_settings)(struct simgpu_tenant *tenant);
};

/* Kinds of calls, each of which is held up on its own (turn.c). */
enum simgpu_call_kind {
	SIMGPU_CALL_LIGHT,	/* answers, or changes a few words */
	SIMGPU_CALL_HEAVY,	/* makes a tenant, a trace or a gang */
	SIMGPU_CALL_KINDS
};

/* Lines in which calls wait: users are told apart by a hash of so many bits. */
#define SIMGPU_CALL_LINES_BITS	5
#define SIMGPU_CALL_LINES	BIT(SIMGPU_CALL_LINES_BITS)

/**
 * struct simgpu_calls - calls of a kind on a device
 * @count: calls since the last quantum's end
 * @limit: how many of them are not held up; at a quantum's end that many waiting calls,
 *	but at least one, go on
 * @next: the line whose turn it is at the next quantum's end; only the worker uses it
 * @lines: where calls beyond the limit wait for a quantum's end, by their user's hash
 */
struct simgpu_calls {
	atomic_t count;
	unsigned int limit;
	u32 next;
	wait_queue_head_t lines[SIMGPU_CALL_LINES];
};

/**
 * struct simgpu_share - the beginning of a count of the worker's share of a processor
 * @percent: greatest share; 0 where it does not matter
 * @now_ns: host time at the beginning
 * @used_ns: processor time that the worker had used by then
 */
struct simgpu_share {
	u32 percent;
	u64 now_ns;
	u64 used_ns;
};

/**
 * struct simgpu_limits - what an administrator allows users without privilege
 * @weight: highest weight that a tenant takes without CAP_SYS_NICE
 * @target_ppm: highest target of a QoS tenant without CAP_SYS_NICE; 0: no QoS
 * @gangs: whether a gang needs no CAP_SYS_NICE
 * @gang_wait_seconds: how long a gang may hold the device without starting
 * @device_mib: memory that tenants and gangs may make the kernel hold for the device
 * @journal_events: events up to which a session's journal grows
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

/* Their first values. */
#define SIMGPU_GANG_WAIT_SECONDS	300
#define SIMGPU_JOURNAL_EVENTS		65536
#define SIMGPU_GANG_WAIT_SECONDS_MAX	86400
#define SIMGPU_DEVICE_MIB		2048

/* Most cgroups with a rule. */
#define SIMGPU_CGROUPS_MAX	32

/**
 * struct simgpu_cgroup_rule - a rule for a cgroup and all below it
 * @id: number of the cgroup
 * @weight: weight of its tenants together; 0: each has its own
 * @slots: slots that they may take, up to SIMGPU_TENANTS_MAX: all
 * @memory: limits of their managed memory together
 */
struct simgpu_cgroup_rule {
	u64 id;
	u32 weight;
	u32 slots;
	struct session_memory_limits memory;
};

/**
 * struct simgpu_cgroup_rules - rules for cgroups
 * @count: number of rules
 * @at: the rules, one for each cgroup
 */
struct simgpu_cgroup_rules {
	u32 count;
	struct simgpu_cgroup_rule at[SIMGPU_CGROUPS_MAX];
};

/*
 * Cgroups that are remembered because a banned tenant of theirs has closed its file. Beyond that
 * the one that was remembered first is forgotten.
 */
#define SIMGPU_STRUCK_MAX	32

/**
 * struct simgpu_struck - cgroups of which the next tenant begins with a strike
 * @count: how many
 * @id: their numbers, in the order in which they were remembered
 */
struct simgpu_struck {
	u32 count;
	u64 id[SIMGPU_STRUCK_MAX];
};

/**
 * struct simgpu_energy - the energy of a session's GPU, beside what tenants publish
 * @table: table of energies; NULL: the GPU has none
 * @core_mhz: its core clock
 * @left_pj: energy of tenants that have left their slots
 * @left_instructions: thread instructions that these have issued
 */
struct simgpu_energy {
	const struct energy_table *table;
	u32 core_mhz;
	u64 left_pj;
	u64 left_instructions;
};

/**
 * struct simgpu_decisions - host time of a policy, model or memory policy since it is asked
 * @calls: number of calls
 * @ns: host time of all of them
 * @longest_ns: host time of the longest one
 */
struct simgpu_decisions {
	u64 calls;
	u64 ns;
	u64 longest_ns;
};

/**
 * struct simgpu_refusals - policies that even has replaced in a session
 * @count: how many
 * @policy: name of the last one
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
 * @tenants: tenants whose file is open, by number; has its own lock
 * @open_lock: held while a tenant is added, so that none is added once @gone is set;
 *	no other lock is taken inside it
 * @pace_ppm: how fast device time passes: microseconds of the device in a second of the
 *	host; 0: as fast as possible. Results do not depend on it.
 *	Written under @lock, read without
 * @paced_ppm: the pace by which the worker goes; written by the worker
 * @pace_cycle: device time from which it counts; only the worker uses it
 * @pace_session: @sessions at that time; only the worker uses it
 * @pace_ns: host time from which it counts, later by what the device has been idle since;
 *	0: it has not begun to. Only the worker uses it
 * @pace_lost_ns: host time by which the device was behind before, which it does not make
 *	up for; only the worker uses it
 * @pace_behind_ns: the same, with what it is behind by now; written by the worker
 * @debugfs: its directory in debugfs
 * @hwmon: its sensors (hwmon.c); NULL: the kernel has no hwmon, or had no memory for it
 * @failures: the last failures, for people (failures.c); NULL: there was no memory for them
 * @notes: the last notes of the session's policy (notes.c), under @lock; NULL: there was no
 *	memory for them
 * @worker: steps the session; a reference, since the task outlives its thread
 * @worker_wait: where the worker sleeps until @runnable
 * @runnable: some tenant has work; written under @lock, read without
 * @thread_count: threads that simulate it, the worker included; written under
 *	@lock, read without
 * @gone: it is being removed, for good: open files get -ENODEV
 * @quantum_end_ns: host time at which the present quantum ends, as soon as parts of the
 *	simulated GPU have come to the same cycle; only the worker uses it
 * @run_cycles: device cycles that pass in a quantum, by the last one; only the worker uses it
 * @empty: no tenant had work at the last quantum's end; only the worker uses it
 * @cpu_percent: greatest share of one processor that the worker uses; 1 to 100
 * @stepping: the worker wants a processor: it has the lock, waits for it, or hands
 *	it over; written by the worker
 * @quanta: number of quanta that have ended; written by the worker
 * @ran_ns: host time of all quanta; written by the worker
 * @longest_ns: host time of the longest one; written by the worker
 * @calls: calls while @stepping, by &enum simgpu_call_kind
 * @had: the present count of what callers leave the worker; only the worker uses it
 * @turns_asked: callers that had to wait for @lock
 * @turns_had: callers among them that wait no longer
 * @turn_wait: where the worker waits for them
 * @lend_lock: protects @lent and @own_nice; a leaf
 * @lent: the worker has been lent a priority
 * @own_nice: the nice value that it gets back
 * @bytes_held: memory that tenants and gangs make the kernel hold. The session's own
 *	memory does not count: a device always has exactly one session
 * @last_tenant_id: number of the last tenant
 * @limits: limits for users without privilege
 * @journal_spare: chunk for the journal that a caller has allocated; NULL: it was used.
 *	Written under @lock, read without
 * @sessions: that there were on the device, the present one included; written under
 *	@lock, read without
 * @gang_lock: held while the session of a gang is made and put on the device; outside
 *	@lock
 * @renew_lock: held while a session from @defaults is made to take a gang's place,
 *	and while settings are changed: else who changes them without a pause
 *	would make every new session obsolete; outside @lock
 * @lock: serializes the session and everything up to @publish_lock. The worker
 *	holds it for a quantum at a time. Not held while user memory is
 *	touched, or an entry of sysfs or debugfs is removed
 * @threads: threads beside the worker; NULL: none. They are taken off the device under
 *	@lock, and ended without it
 * @session: the session; NULL once the device is going away
 * @start: its options at the cold start, without constants; holds their policies
 *	and model
 * @start_constants: checksum of the constants there; 0: none
 * @policy: policy that the session asks now; held
 * @model: model that the session asks now; held
 * @memory_policy: memory policy that the session asks now; held
 * @slow: the policy took too long, and will be replaced
 * @memory_slow: the same of the memory policy
 * @decisions: host time of the policy
 * @predictions: host time of the model
 * @placements: host time of the memory policy's place()
 * @ranks: of its rank(), unless it is built in
 * @refusals: policies of the session that were replaced
 * @refusal: the last refusal of this session: of the policy, the model or a
 *	write
 * @session_refusal: the last refusal that the session itself has reported
 * @private_runs: its tenants get private GPUs; written under @lock, read without
 * @defaults: options of sessions without a gang; config never changes; holds
 *	their policy and model, and owns their constants. Written under both
 *	@renew_lock and @lock, except when the device's own session falls
 *	back: then no other session is being made
 * @slots: the tenant in each slot of the session; written under @publish_lock, too
 * @line: tenants that wait for a slot, in the order in which they came
 * @gang: gang of the session, until the gang's file is closed; NULL for none.
 *	@ending says whether it has ended
 * @ending: end of a gang's session
 * @left: the session was that of a gang whose file is closed: users may look at it, and
 *	the settings that are shown are the device's own again
 * @struck: cgroups of which the next tenant begins with a strike
 * @publish_lock: protects @published, and of each tenant what its header says.
 *	A leaf: nothing is taken inside it
 * @published: what sysfs reads
 * @gauge_count: gauges of the policy in force at the end of the last epoch; publish lock
 * @gauges: their names and units; publish lock
 * @params: parameters that sysfs reads, by &enum session_param_owner
 * @cgroups: rules for cgroups; publish lock, and written under both
 * @energy: energy of the session's GPU; publish lock
 * @measured: users of the tenants that the published metrics are about, one
 *	for each tenant
 * @measured_count: entries of @measured
 * @last_epoch: what netlink reads
 * @params_shown: sysfs has the directories of the parameters
 * @params_work: brings them up to date
 * @param_files: files in them; only @params_work touches these
 * @constants_lock: held while a part of constants is written; outside @lock
 * @graves: traces without references, which are freed without a lock
 * @graves_work: frees them
 * @constants: room for the parts written so far, or NULL; under @constants_lock
 * @constants_bytes: bytes written so far; under @constants_lock
 * @counters_ns: host time at which the tenants' counters were published last;
 *	only the worker uses it
 * @publishing_ns: host time that this took
 * @behind: tenants' rows have changed since; the worker publishes them after its quantum
 *
 * Lock order: @constants_lock, @renew_lock, @lock, @publish_lock. turn.c decides the order
 * in which callers get @lock.
 */
struct simgpu_device {
	struct device dev;
	struct cdev cdev;
	unsigned int index;
	struct kobject *tenants_dir;
	struct xarray tenants;
	struct mutex open_lock;	/* tenants or removal */
	u64 pace_ppm;
	u64 paced_ppm;
	u64 pace_cycle;
	u64 pace_session;
	u64 pace_ns;
	u64 pace_lost_ns;
	u64 pace_behind_ns;
	struct dentry *debugfs;
	struct device *hwmon;
	struct simgpu_failures *failures;
	struct session_notes *notes;
	struct task_struct *worker;
	wait_queue_head_t worker_wait;
	bool runnable;
	unsigned int thread_count;
	bool gone;
	u64 quantum_end_ns;
	u64 run_cycles;
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
	const struct simgpu_memory_policy *memory_policy;
	bool slow;
	bool memory_slow;
	struct simgpu_decisions decisions;
	struct simgpu_decisions predictions;
	struct simgpu_decisions placements;
	struct simgpu_decisions ranks;
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
	struct simgpu_struck struck;

	spinlock_t publish_lock; /* ... this, which protects what sysfs reads */
	struct simgpu_published published;
	u32 gauge_count;
	struct session_gauge gauges[SIMGPU_GAUGES_MAX];
	struct simgpu_params params[SIMGPU_PARAMS];
	struct simgpu_cgroup_rules cgroups;
	struct simgpu_energy energy;
	kuid_t measured[SESSION_SLOTS_MAX];
	u32 measured_count;
	struct simgpu_epoch *last_epoch;

	bool params_shown;
	struct work_struct params_work;
	struct simgpu_param_files *param_files[SIMGPU_PARAMS];
	struct llist_head graves;
	struct work_struct graves_work;
	struct mutex constants_lock; /* constants come in parts */
	void *constants;
	u32 constants_bytes;
	u64 counters_ns;
	u64 publishing_ns;
	bool behind;
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

/* Whether the session is that of a gang that has ended, which users may look at. */
static inline bool simgpu_device_is_stale(const struct simgpu_device *device)
{
	return device->start.gang_size && !simgpu_device_has_gang(device);
}

/* Options that are shown: of the session, or of the next one if a gang has left it. */
static inline const struct session_options *
simgpu_device_shown(const struct simgpu_device *device)
{
	return device->left ? &device->defaults : &device->start;
}

/* Whether the worker is to let the device go. */
static inline bool simgpu_quantum_is_over(const struct simgpu_device *device)
{
	return device->slow || device->memory_slow || READ_ONCE(device->gone) ||
	       ktime_get_ns() >= device->quantum_end_ns;
}

static inline struct simgpu_device *simgpu_device_of(struct device *dev)
{
	return container_of(dev, struct simgpu_device, dev);
}

#endif /* SIMGPU_DEVICE_H */
