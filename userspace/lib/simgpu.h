/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * libsimgpu: a simgpu device from C. A thin layer over the ioctls of
 * linux/simgpu.h, the files of /sys/class/simgpu and the netlink family; it
 * keeps no state but a netlink connection's. So every function may be called
 * from any thread; a connection may be used by one thread at a time.
 *
 * Functions return 0 or more on success and a negative errno on failure;
 * linux/simgpu.h says beside each ioctl what an errno means. A struct that begins
 * with @size goes to the kernel as it is: its caller sets @size to its sizeof and
 * all members that it does not use to zero. So a program, the library and the kernel
 * may each be older or newer than the others. File descriptors are closed with
 * close().
 */
#ifndef LIBSIMGPU_SIMGPU_H
#define LIBSIMGPU_SIMGPU_H

#include <stddef.h>
#include <stdint.h>
#include <linux/simgpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most devices that simgpu_list_devices() can find. */
#define SIMGPU_DEVICES_MAX	64
/* Bytes that hold any value of a sysfs file, with its NUL. */
#define SIMGPU_VALUE_BYTES	4096
/* Most counters of a netlink message that the library stores. */
#define SIMGPU_NETLINK_COUNTERS	128

/* A &struct simgpu_counter_array for an array of uint64_t. */
#define SIMGPU_COUNTERS_INTO(_words) (struct simgpu_counter_array) {	\
	.count = sizeof(_words) / sizeof((_words)[0]),			\
	.stride = sizeof((_words)[0]),					\
	.array = (uintptr_t)(_words),					\
}

/**
 * simgpu_open() - become a tenant of a device
 * @device: N of /dev/simgpuN
 *
 * Return: a file descriptor (close-on-exec), or a negative errno.
 */
int simgpu_open(unsigned int device);

/**
 * simgpu_get_device_info() - properties of the device, and its time
 * @fd: from simgpu_open()
 * @info: with its @size; filled in
 *
 * Return: 0 or a negative errno.
 */
int simgpu_get_device_info(int fd, struct simgpu_device_info *info);

/**
 * simgpu_configure_tenant() - set name, weight, service and target
 * @fd: from simgpu_open()
 * @name: for people: printable ASCII, 1 to SIMGPU_NAME_MAX - 1 characters
 * @weight: 1 to 1000
 * @target_ppm: NP that a QoS tenant is to reach; 0: a best-effort tenant
 *
 * Return: 0 or a negative errno.
 */
int simgpu_configure_tenant(int fd, const char *name, uint32_t weight,
			    uint64_t target_ppm);

/**
 * simgpu_configure() - set all settings of a tenant
 * @fd: from simgpu_open()
 * @config: filled in, except for its size
 *
 * Return: 0 or a negative errno.
 */
int simgpu_configure(int fd, const struct simgpu_tenant_config *config);

/**
 * simgpu_upload_trace() - upload a trace
 * @fd: from simgpu_open()
 * @trace: the trace file's bytes
 * @bytes: number of bytes
 * @refusal: NULL, or filled in if the trace is refused (-EINVAL, -E2BIG);
 *	its @field is empty after any other failure
 *
 * Return: the trace's handle, 1 and up, or a negative errno.
 */
int simgpu_upload_trace(int fd, const void *trace, size_t bytes,
			struct simgpu_trace_refusal *refusal);

/**
 * simgpu_remove_trace() - remove a trace; launches of it run to their end
 * @fd: from simgpu_open()
 * @handle: from simgpu_upload_trace()
 *
 * Return: 0 or a negative errno.
 */
int simgpu_remove_trace(int fd, int handle);

/**
 * simgpu_launch_trace() - queue a run of a trace
 * @fd: from simgpu_open()
 * @handle: from simgpu_upload_trace()
 * @repeats: how often it runs, 1 and up
 * @not_before_cycle: device cycle before which the launch does not start; 0: at once
 * @sequence: set to the launch's number, for simgpu_wait_launch()
 *
 * Return: 0 or a negative errno.
 */
int simgpu_launch_trace(int fd, int handle, uint64_t repeats,
			uint64_t not_before_cycle, uint64_t *sequence);

/**
 * simgpu_launch_with() - queue a run of a trace, with all options of a launch
 * @fd: from simgpu_open()
 * @launch: filled in, except for @size, which is set; @sequence is set to the launch's
 *	number
 *
 * Return: 0 or a negative errno.
 */
int simgpu_launch_with(int fd, struct simgpu_launch *launch);

/**
 * simgpu_launch_copy() - queue a copy that is no part of a trace
 * @fd: from simgpu_open()
 * @copy: filled in, except for @size, which is set; @sequence is set to the copy's number,
 *	for simgpu_wait_launch() and the wait_for of launches and copies
 *
 * Return: 0 or a negative errno; -EOPNOTSUPP if memory of the tenant is managed.
 */
int simgpu_launch_copy(int fd, struct simgpu_copy *copy);

/**
 * simgpu_set_queue() - set the priority of one of a tenant's queues
 * @fd: from simgpu_open()
 * @queue: below SIMGPU_TENANT_QUEUES_MAX
 * @priority: -SIMGPU_PRIORITY_MAX to SIMGPU_PRIORITY_MAX, the highest
 *
 * Return: 0 or a negative errno; -EPERM for a priority above 0 without CAP_SYS_NICE.
 */
int simgpu_set_queue(int fd, unsigned int queue, int priority);

/**
 * simgpu_give_hint() - say when a tenant's next launch is expected
 * @fd: from simgpu_open()
 * @expected_cycle: device cycle; 0: it says nothing any more
 * @laxity_cycles: cycles by which that launch may begin later than it comes; 0: unknown
 *
 * Policies may preempt others ahead; nothing is promised.
 *
 * Return: 0 or a negative errno; -ENXIO before the first launch; -ERANGE for what is more
 * than 100,000,000 cycles ahead.
 */
int simgpu_give_hint(int fd, uint64_t expected_cycle, uint64_t laxity_cycles);

/**
 * simgpu_set_masks() - keep a tenant to parts of the device
 * @fd: from simgpu_open()
 * @masks: filled in, except for @size, which is set
 *
 * Return: 0 or a negative errno; -EPERM for bits that its masks did not have so far,
 * without CAP_SYS_NICE.
 */
int simgpu_set_masks(int fd, struct simgpu_masks *masks);

/**
 * simgpu_prefetch() - bring pages of managed memory before they are accessed
 * @fd: from simgpu_open(), after a launch with SIMGPU_LAUNCH_MANAGED
 * @offset: first byte of the range, as traces address it
 * @bytes: its length, 1 and up; all pages with these bytes come
 *
 * It does not wait for them.
 *
 * Return: 0 or a negative errno; -ENXIO if none of the tenant's memory is managed; -ENOSPC if
 * SIMGPU_PREFETCHES_MAX ranges wait.
 */
int simgpu_prefetch(int fd, uint64_t offset, uint64_t bytes);

/**
 * simgpu_advise() - say where some managed memory is to be, or that it is of no use any more
 * @fd: from simgpu_open(), after a launch with SIMGPU_LAUNCH_MANAGED
 * @advice: &enum simgpu_mem_advice
 * @offset: first byte of the range, as traces address it
 * @bytes: its length, 1 and up; the advice is kept by the block of 2 MiB
 *
 * Return: 0 or a negative errno; -ENXIO if none of the tenant's memory is managed; -EPERM for
 * SIMGPU_MEM_ON_DEVICE without CAP_SYS_NICE.
 */
int simgpu_advise(int fd, enum simgpu_mem_advice advice, uint64_t offset, uint64_t bytes);

/**
 * simgpu_start_arrivals() - let requests come by themselves
 * @fd: from simgpu_open(), without launches that have not ended
 * @arrivals: filled in, except for @size, which is set; @sequence is set to the last
 *	request's number, for simgpu_wait_launch()
 *
 * Return: 0 or a negative errno.
 */
int simgpu_start_arrivals(int fd, struct simgpu_arrivals *arrivals);

/**
 * simgpu_wait_launch() - wait until a launch has ended
 * @fd: from simgpu_open()
 * @sequence: from simgpu_launch_trace()
 * @timeout_ns: how long; 0: do not wait; negative: for ever
 *
 * Return: 0 once the launch has ended or the gang's stop cycle was reached; -ETIMEDOUT;
 * -ECANCELED if the launch was dropped; -EINTR after a signal.
 */
int simgpu_wait_launch(int fd, uint64_t sequence, int64_t timeout_ns);

/**
 * simgpu_get_report() - the tenant's own figures
 * @fd: from simgpu_open()
 * @report: with its @size and @counters; the rest is filled in
 *
 * Return: 0 or a negative errno.
 */
int simgpu_get_report(int fd, struct simgpu_report *report);

/**
 * simgpu_create_gang() - reset an idle device for a repeatable experiment
 * @fd: from simgpu_open(); it does not become a member
 * @options: with its @size, members, seed, epoch_cycles, stop_cycle, flags,
 *	kernel_end, config, policy, model, preemption and params; @fd is set
 *
 * Closing the last copy of the gang's descriptor ends its members' work: a
 * process that was forked off closes its copy once it has joined.
 *
 * Return: the gang's file descriptor (close-on-exec), or a negative errno.
 */
int simgpu_create_gang(int fd, struct simgpu_gang_create *options);

/**
 * simgpu_join_gang() - become a member of a gang
 * @fd: from simgpu_open()
 * @gang: from simgpu_create_gang(), on the same device
 * @slot: 0 to members - 1
 *
 * Return: 0 or a negative errno.
 */
int simgpu_join_gang(int fd, int gang, uint32_t slot);

/**
 * simgpu_get_gang_status() - state, device time and state hash
 * @gang: from simgpu_create_gang()
 * @status: with its @size; filled in
 *
 * Return: 0 or a negative errno.
 */
int simgpu_get_gang_status(int gang, struct simgpu_gang_status *status);

/**
 * simgpu_get_gang_report() - a member's figures
 * @gang: from simgpu_create_gang()
 * @report: with its @size, @slot and @counters; the rest is filled in
 *
 * Return: 0 or a negative errno.
 */
int simgpu_get_gang_report(int gang, struct simgpu_gang_report *report);

/**
 * simgpu_get_gang_refusal() - the last refusal of the gang's session
 * @gang: from simgpu_create_gang()
 * @refusal: with its @size; filled in
 *
 * Return: 0; -ENODATA if nothing has been refused; another negative errno.
 */
int simgpu_get_gang_refusal(int gang, struct simgpu_gang_refusal *refusal);

/**
 * simgpu_read_epochs() - read epoch records that have not been read yet
 * @gang: from simgpu_create_gang()
 * @records: filled in with records, for simgpu_next_record(); aligned to 8 bytes
 * @bytes: room in @records; SIMGPU_EPOCH_RECORD_MAX is enough for any record
 *
 * Blocks until there is a record, unless the descriptor is O_NONBLOCK.
 *
 * Return: bytes of records; 0 once the gang has ended and all were read; a
 * negative errno.
 */
int simgpu_read_epochs(int gang, void *records, size_t bytes);

/**
 * simgpu_next_record() - step through the records that simgpu_read_epochs() has read
 * @records: as given to simgpu_read_epochs()
 * @bytes: what simgpu_read_epochs() returned
 * @last: the record before; NULL for the first one
 *
 * Return: the next record, or NULL.
 */
static inline const struct simgpu_epoch_record *
simgpu_next_record(const void *records, size_t bytes,
		   const struct simgpu_epoch_record *last)
{
	const char *end = (const char *)records + bytes;
	const char *next = last ? (const char *)last + last->size :
				  (const char *)records;

	return next < end ? (const struct simgpu_epoch_record *)next : NULL;
}

/**
 * simgpu_record_counter() - a counter of an epoch record
 * @record: the record
 * @counter: which one
 *
 * Return: the counter; 0 if the kernel does not have it.
 */
static inline uint64_t
simgpu_record_counter(const struct simgpu_epoch_record *record,
		      enum simgpu_counter counter)
{
	const char *first = (const char *)record + record->counter_offset;

	if ((uint32_t)counter >= record->counter_count)
		return 0;
	return ((const uint64_t *)(const void *)first)[counter];
}

/**
 * simgpu_list_devices() - the devices of this machine
 * @devices: filled in with their numbers, ascending
 * @count: room in @devices
 *
 * Return: how many there are, which may be more than @count; 0 without the
 * module; a negative errno.
 */
int simgpu_list_devices(unsigned int *devices, size_t count);

/**
 * simgpu_read_device_value() - read /sys/class/simgpu/simgpuN/NAME
 * @device: N
 * @name: the file, such as "policy"
 * @value: set to its contents without the newline
 * @bytes: room in @value
 *
 * Return: 0 or a negative errno.
 */
int simgpu_read_device_value(unsigned int device, const char *name,
			     char *value, size_t bytes);

/**
 * simgpu_write_device_value() - write /sys/class/simgpu/simgpuN/NAME
 * @device: N
 * @name: the file
 * @value: what to write
 *
 * Return: 0 or a negative errno.
 */
int simgpu_write_device_value(unsigned int device, const char *name,
			      const char *value);

/**
 * simgpu_list_params() - the parameters of a device's policy, model or memory policy in force
 * @device: N of simgpuN
 * @folder: "policy_params", "model_params" or "memory_params"; simgpu_read_device_value() and
 *	simgpu_write_device_value() take that, a slash and a name as @name
 * @names: filled in with their names, in order
 * @count: room in @names
 *
 * Return: how many there are, which may be more than @count, or a negative
 * errno.
 */
int simgpu_list_params(unsigned int device, const char *folder,
		       char (*names)[SIMGPU_NAME_MAX], size_t count);

/**
 * simgpu_list_tenants() - the tenants of a device
 * @device: N of simgpuN
 * @ids: filled in with their numbers, ascending
 * @count: room in @ids
 *
 * Return: how many there are, which may be more than @count, or a negative
 * errno.
 */
int simgpu_list_tenants(unsigned int device, uint64_t *ids, size_t count);

/**
 * simgpu_read_tenant_value() - read /sys/class/simgpu/simgpuN/tenants/ID/NAME
 * @device: N
 * @id: from simgpu_list_tenants()
 * @name: the file, such as "np"
 * @value: set to its contents without the newline
 * @bytes: room in @value
 *
 * Return: 0; -ENODATA where there is no value yet; -ENOENT or -ENODEV once the
 * tenant has gone; another negative errno.
 */
int simgpu_read_tenant_value(unsigned int device, uint64_t id,
			     const char *name, char *value, size_t bytes);

/**
 * simgpu_write_tenant_value() - write a file of a tenant
 * @device: N
 * @id: from simgpu_list_tenants()
 * @name: "weight" or "target"
 * @value: what to write
 *
 * Return: 0 or a negative errno.
 */
int simgpu_write_tenant_value(unsigned int device, uint64_t id,
			      const char *name, const char *value);

/* A connection to the module's generic netlink family. */
struct simgpu_netlink;

/**
 * struct simgpu_netlink_gauge - a figure that a policy tells of itself
 * @name: its name
 * @unit: &enum simgpu_unit of linux/simgpu_netlink.h
 * @reserved: zero
 */
struct simgpu_netlink_gauge {
	char name[SIMGPU_NAME_MAX];
	uint32_t unit;
	uint32_t reserved;
};

/**
 * struct simgpu_netlink_epoch_tenant - a tenant in a finished epoch
 * @id: its number, as in sysfs
 * @slot: slot of the device
 * @sms: SM count that it held
 * @sms_next: SM count that it was given for the next epoch
 * @class: &enum simgpu_class
 * @np_ppm: predicted NP; 0 while the class is unknown
 * @ipc_ppm: thread instructions a cycle
 * @rbh_ppm: row buffer hit rate
 * @bandwidth_ppm: part of the device's peak bandwidth
 * @llc_mpki_ppm: LLC misses per 1000 thread instructions
 * @np_doubts: SIMGPU_DOUBT_*: why @np_ppm may be wrong
 * @reserved: zero
 * @counters: differences over the epoch, by &enum simgpu_counter; 0 where the
 *	kernel or the library does not have a counter
 * @gauges: values of the gauges that the epoch names, each in its unit
 */
struct simgpu_netlink_epoch_tenant {
	uint64_t id;
	uint32_t slot;
	uint32_t sms;
	uint32_t sms_next;
	uint32_t class;
	uint64_t np_ppm;
	uint64_t ipc_ppm;
	uint64_t rbh_ppm;
	uint64_t bandwidth_ppm;
	uint64_t llc_mpki_ppm;
	uint32_t np_doubts;
	uint32_t reserved;
	uint64_t counters[SIMGPU_NETLINK_COUNTERS];
	int64_t gauges[SIMGPU_EPOCH_GAUGES];
};

/**
 * struct simgpu_netlink_epoch - a finished epoch
 * @device: N of simgpuN
 * @flags: &enum simgpu_epoch_flags of linux/simgpu_netlink.h
 * @index: number of the epoch, from 0; a gap shows how many messages were missed
 * @start_cycle: device cycle at its start
 * @end_cycle: device cycle at its end
 * @fairness_ppm: over the predicted NPs; 0 without a prediction
 * @stp_ppm: over the predicted NPs; 0 without a prediction
 * @antt_ppm: over the predicted NPs; 0 without a prediction
 * @tenant_count: entries of @tenants
 * @gauge_count: gauges of the policy
 * @gauges: their names
 * @tenants: tenants with work, in order of slots
 */
struct simgpu_netlink_epoch {
	uint32_t device;
	uint32_t flags;
	uint64_t index;
	uint64_t start_cycle;
	uint64_t end_cycle;
	uint64_t fairness_ppm;
	uint64_t stp_ppm;
	uint64_t antt_ppm;
	uint32_t tenant_count;
	uint32_t gauge_count;
	struct simgpu_netlink_gauge gauges[SIMGPU_EPOCH_GAUGES];
	struct simgpu_netlink_epoch_tenant tenants[SIMGPU_TENANTS_MAX];
};

/**
 * simgpu_netlink_open() - connect to the family
 * @netlink: set to the connection, which simgpu_netlink_close() ends
 *
 * Return: 0; -ENOENT without the module; -EPROTONOSUPPORT without netlink.
 */
int simgpu_netlink_open(struct simgpu_netlink **netlink);

/**
 * simgpu_netlink_close() - end a connection
 * @netlink: the connection
 */
void simgpu_netlink_close(struct simgpu_netlink *netlink);

/**
 * simgpu_netlink_fd() - a descriptor to poll() for messages
 * @netlink: the connection
 *
 * Return: its descriptor.
 */
int simgpu_netlink_fd(const struct simgpu_netlink *netlink);

/**
 * simgpu_netlink_set_policy() - change policy and model together
 * @netlink: a connection that does not listen
 * @device: N of simgpuN
 * @policy: name; NULL: no change
 * @model: name; NULL: no change
 *
 * Return: 0; with nothing changed -EPERM, -ENODEV, -EINVAL for an unknown name.
 */
int simgpu_netlink_set_policy(struct simgpu_netlink *netlink,
			      unsigned int device, const char *policy,
			      const char *model);

/**
 * simgpu_netlink_set_tenant() - change a tenant's weight and target together
 * @netlink: a connection that does not listen
 * @device: N of simgpuN
 * @id: the tenant's number, as in sysfs
 * @weight: 1 to 1000; NULL: no change
 * @target_ppm: NP that a QoS tenant is to reach; NULL: no change
 *
 * Return: 0; with nothing changed -EPERM, -ENODEV, -ENOENT, -EINVAL.
 */
int simgpu_netlink_set_tenant(struct simgpu_netlink *netlink,
			      unsigned int device, uint64_t id,
			      const uint32_t *weight,
			      const uint64_t *target_ppm);

/**
 * simgpu_netlink_listen() - listen to the ends of epochs of all devices from now on
 * @netlink: the connection; from then on it only listens
 *
 * Return: 0; -EPERM without CAP_NET_ADMIN, unless the counters are public.
 */
int simgpu_netlink_listen(struct simgpu_netlink *netlink);

/**
 * simgpu_netlink_next_epoch() - wait for the end of an epoch
 * @netlink: a connection that listens
 * @timeout_ms: how long; 0: do not wait; negative: for ever
 * @epoch: filled in
 *
 * Return: 0; -ETIMEDOUT; -ENOBUFS if messages were missed, call again; -EINTR;
 * -EIO.
 */
int simgpu_netlink_next_epoch(struct simgpu_netlink *netlink, int timeout_ms,
			      struct simgpu_netlink_epoch *epoch);

/**
 * struct simgpu_netlink_change - a setting has changed, in whatever way
 * @device: N of simgpuN
 * @of_tenant: whether it is a tenant's setting; else the device's
 * @pid: process of that tenant, as numbered in the initial PID namespace
 * @tenant: its number, as in sysfs
 */
struct simgpu_netlink_change {
	uint32_t device;
	int of_tenant;
	int32_t pid;
	uint64_t tenant;
};

/**
 * simgpu_netlink_listen_changes() - listen to changes of settings of devices and tenants.
 *	A tenant that sets its name counts as a change
 * @netlink: the connection; from then on it only listens
 *
 * Return: 0; -ENOENT without the module.
 */
int simgpu_netlink_listen_changes(struct simgpu_netlink *netlink);

/**
 * simgpu_netlink_next_change() - wait for a change
 * @netlink: a connection that listens to changes
 * @timeout_ms: how long; 0: do not wait; negative: for ever
 * @change: filled in
 *
 * Return: see simgpu_netlink_next_epoch().
 */
int simgpu_netlink_next_change(struct simgpu_netlink *netlink, int timeout_ms,
			       struct simgpu_netlink_change *change);

#ifdef __cplusplus
}
#endif

#endif /* LIBSIMGPU_SIMGPU_H */
