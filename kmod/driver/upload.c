// SPDX-License-Identifier: GPL-2.0
/*
 * A tenant's traces: upload, removal, and the references that launches hold.
 * sim/trace_check.c validates a trace.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/simgpu_trace.h>

#include "charge.h"
#include "device.h"
#include "ioctl.h"
#include "tenant.h"
#include "turn.h"
#include "upload.h"

static_assert(sizeof_field(struct simgpu_trace_refusal, field) ==
	      sizeof_field(struct trace_error, field));
static_assert(sizeof_field(struct simgpu_trace_refusal, reason) ==
	      sizeof_field(struct trace_error, reason));

/* A workqueue that frees traces without a lock. */
static struct workqueue_struct *simgpu_graves_queue;

static void simgpu_trace_release(struct kref *refs)
{
	struct simgpu_trace *trace = container_of(refs, struct simgpu_trace,
						  refs);

	simgpu_tenant_uncharge(trace->tenant, trace->charged_bytes);
	port_free(trace);
}

/**
 * simgpu_trace_put() - give up a reference
 * @trace: the trace
 */
void simgpu_trace_put(struct simgpu_trace *trace)
{
	kref_put(&trace->refs, simgpu_trace_release);
}

/* The last reference was dropped while the device's lock is held. */
static void simgpu_trace_bury(struct kref *refs)
{
	struct simgpu_trace *trace = container_of(refs, struct simgpu_trace,
						  refs);
	struct simgpu_device *device = trace->tenant->device;

	/* This keeps the device, too, until the trace has been freed. */
	kobject_get(&trace->tenant->kobj);
	llist_add(&trace->grave, &device->graves);
	queue_work(simgpu_graves_queue, &device->graves_work);
}

/**
 * simgpu_trace_put_later() - give up a reference where no large memory may be freed
 * @trace: the trace
 */
void simgpu_trace_put_later(struct simgpu_trace *trace)
{
	kref_put(&trace->refs, simgpu_trace_bury);
}

/* Frees a device's traces without references. */
static void simgpu_graves_clear(struct work_struct *work)
{
	struct simgpu_device *device = container_of(work, struct simgpu_device,
						    graves_work);
	struct simgpu_trace *trace, *next;

	llist_for_each_entry_safe(trace, next, llist_del_all(&device->graves),
				  grave) {
		struct simgpu_tenant *tenant = trace->tenant;

		simgpu_trace_release(&trace->refs);
		kobject_put(&tenant->kobj);
	}
}

/* Charges a trace; traces that are about to be freed are freed first. */
static int simgpu_trace_charge(struct simgpu_tenant *tenant, u64 bytes)
{
	int ret = simgpu_tenant_charge(tenant, bytes);

	if (ret != -ENOSPC)
		return ret;
	flush_work(&tenant->device->graves_work);
	return simgpu_tenant_charge(tenant, bytes);
}

/**
 * simgpu_trace_get() - look up an uploaded trace
 * @tenant: the tenant
 * @handle: its handle
 *
 * Return: the trace with a reference, or NULL.
 */
struct simgpu_trace *simgpu_trace_get(struct simgpu_tenant *tenant, u32 handle)
{
	struct simgpu_trace *trace;

	xa_lock(&tenant->traces);
	trace = xa_load(&tenant->traces, handle);
	if (trace)
		kref_get(&trace->refs);
	xa_unlock(&tenant->traces);
	return trace;
}

/**
 * simgpu_traces_drop() - give up all traces of a tenant that is closing
 * @tenant: the tenant
 */
void simgpu_traces_drop(struct simgpu_tenant *tenant)
{
	struct simgpu_trace *trace;
	unsigned long handle;

	xa_for_each(&tenant->traces, handle, trace) {
		xa_erase(&tenant->traces, handle);
		simgpu_trace_put(trace);
	}
}

/* What a trace's launches on a GPU need; a caller does it, not the worker. */
static void simgpu_trace_compute(const struct simgpu_trace *trace,
				 const struct gpu_config *config)
{
	trace_time(trace->decoded, config->unit);
	trace_find_profiles(trace->decoded, config->name, config->sms);
}

/**
 * simgpu_trace_is_ready() - whether the device's session can run a trace at once
 * @device: the device
 * @trace: a trace of one of its tenants
 *
 * Return: false: simgpu_trace_prepare() has to come first.
 */
bool simgpu_trace_is_ready(const struct simgpu_device *device,
			   const struct simgpu_trace *trace)
{
	const struct gpu_config *config = &device->start.config;

	lockdep_assert_held(&device->lock);
	return !trace->preparing &&
	       trace_is_timed(trace->decoded, config->unit) &&
	       trace_profiles_are_found(trace->decoded, config->name,
					config->sms);
}

/**
 * struct simgpu_claim - a trace that is to be prepared
 * @trace: the trace
 * @config: the GPU for which it is prepared
 */
struct simgpu_claim {
	struct simgpu_trace *trace;
	struct gpu_config config;
};

/* Keep others from launching a trace that has to be prepared; -EALREADY: it is ready. */
static int simgpu_trace_claim(void *arg)
{
	struct simgpu_claim *claim = arg;
	struct simgpu_device *device = claim->trace->tenant->device;

	if (simgpu_trace_is_ready(device, claim->trace))
		return -EALREADY;
	/* It was launched for no session but earlier ones, whose launches have ended. */
	claim->trace->preparing = true;
	claim->config = device->start.config;
	return 0;
}

static int simgpu_trace_prepared(void *arg)
{
	struct simgpu_claim *claim = arg;

	claim->trace->preparing = false;
	return 0;
}

/**
 * simgpu_trace_prepare() - prepare a trace for the GPU of the device's session
 * @device: the device
 * @trace: a trace of one of its tenants
 *
 * It was prepared for another GPU: the session is that of a gang, or a gang's was the one
 * before. It takes long, so the caller does it, without the device's lock. The session may
 * be another one afterwards.
 *
 * Return: 0; -EINTR, -ENODEV.
 */
int simgpu_trace_prepare(struct simgpu_device *device, struct simgpu_trace *trace)
{
	struct simgpu_claim claim = { .trace = trace };
	int ret;

	if (mutex_lock_killable(&trace->prepare_lock))
		return -EINTR;
	ret = simgpu_device_call(device, simgpu_trace_claim, &claim);
	if (!ret) {
		simgpu_trace_compute(trace, &claim.config);
		simgpu_device_call_closing(device, simgpu_trace_prepared, &claim);
	}
	mutex_unlock(&trace->prepare_lock);
	return ret == -EALREADY ? 0 : ret;
}

/* Makes a trace of a checked copy. */
static struct simgpu_trace *simgpu_trace_make(struct simgpu_tenant *tenant,
					      const void *copy,
					      u64 memory_bytes)
{
	u64 bytes = sizeof(struct simgpu_trace) + memory_bytes;
	struct simgpu_trace *trace;
	int ret;

	ret = simgpu_trace_charge(tenant, bytes);
	if (ret)
		return ERR_PTR(ret);
	trace = port_alloc(bytes);
	if (!trace) {
		simgpu_tenant_uncharge(tenant, bytes);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&trace->refs);
	trace->tenant = tenant;
	trace->charged_bytes = bytes;
	mutex_init(&trace->prepare_lock);
	trace->decoded = trace_decode(copy, trace->memory);
	simgpu_trace_compute(trace,
			     &simgpu_device_shown(tenant->device)->config);
	/* If the caller was killed, the trace is not needed. */
	if (!fatal_signal_pending(current))
		return trace;
	simgpu_trace_put(trace);
	return ERR_PTR(-EINTR);
}

static int simgpu_refusal_copy(u64 refusal, const struct trace_error *error)
{
	struct simgpu_trace_refusal out = { .offset = error->offset };

	if (!refusal)
		return 0;
	strscpy(out.field, error->field, sizeof(out.field));
	strscpy(out.reason, error->reason, sizeof(out.reason));
	if (copy_to_user(u64_to_user_ptr(refusal), &out, sizeof(out)))
		return -EFAULT;
	return 0;
}

/* Checks the copy; what that takes counts for the tenant meanwhile. */
static int simgpu_trace_check(struct simgpu_tenant *tenant, const void *copy,
			      u64 bytes, u64 *memory_bytes,
			      struct trace_error *error)
{
	u64 scratch_bytes;
	void *scratch;
	int ret;

	ret = trace_check_start(copy, bytes, &scratch_bytes, error);
	if (ret)
		return ret;
	ret = simgpu_trace_charge(tenant, scratch_bytes);
	if (ret)
		return ret;
	scratch = port_alloc(scratch_bytes);
	ret = scratch ? trace_check_finish(copy, bytes, scratch, memory_bytes,
					   error) : -ENOMEM;
	port_free(scratch);
	simgpu_tenant_uncharge(tenant, scratch_bytes);
	return ret;
}

/* Makes a trace of the copy if that is one, or tells the caller why not. */
static struct simgpu_trace *
simgpu_trace_accept(struct simgpu_tenant *tenant, const void *copy,
		    const struct simgpu_trace_upload *cmd)
{
	struct trace_error error = {};
	u64 memory_bytes;
	int ret;

	ret = simgpu_trace_check(tenant, copy, cmd->bytes, &memory_bytes, &error);
	if (ret && !error.reason[0])
		return ERR_PTR(ret);
	if (ret)
		return ERR_PTR(simgpu_refusal_copy(cmd->refusal, &error) ?:
			       ret);
	return simgpu_trace_make(tenant, copy, memory_bytes);
}

/**
 * simgpu_trace_of_copy() - make the trace of a copy that is none of a program
 * @tenant: is charged for it
 * @copy: the copy; trace_copy_check() accepts it
 *
 * Return: the trace, with a reference and without a handle; or -ENOSPC, -EDQUOT, -ENOBUFS,
 * -ENOMEM, -EINTR.
 */
struct simgpu_trace *simgpu_trace_of_copy(struct simgpu_tenant *tenant,
					  const struct trace_copy *copy)
{
	u64 encoded[TRACE_COPY_BYTES / sizeof(u64)], memory_bytes;
	struct trace_error error = {};
	int ret;

	trace_make_copy(copy, encoded);
	ret = simgpu_trace_check(tenant, encoded, sizeof(encoded), &memory_bytes, &error);
	return ret ? ERR_PTR(ret) : simgpu_trace_make(tenant, encoded, memory_bytes);
}

/* Copies in pieces, so that other processes run in between. */
static int simgpu_trace_take(void *copy, const struct simgpu_trace_upload *cmd)
{
	u64 done, piece;

	for (done = 0; done < cmd->bytes; done += piece) {
		piece = min_t(u64, cmd->bytes - done, PORT_PIECE_BYTES);
		if (copy_from_user(copy + done,
				   u64_to_user_ptr(cmd->data + done), piece))
			return -EFAULT;
		if (port_pause())
			return -EINTR;
	}
	return 0;
}

/* The copy exists, and is charged, while the trace is made of it. */
static struct simgpu_trace *
simgpu_trace_copy(struct simgpu_tenant *tenant,
		  const struct simgpu_trace_upload *cmd)
{
	struct simgpu_trace *trace;
	void *copy;
	int ret;

	ret = simgpu_trace_charge(tenant, cmd->bytes);
	if (ret)
		return ERR_PTR(ret);
	copy = port_alloc(cmd->bytes);
	ret = copy ? simgpu_trace_take(copy, cmd) : -ENOMEM;
	trace = ret ? ERR_PTR(ret) : simgpu_trace_accept(tenant, copy, cmd);
	port_free(copy);
	simgpu_tenant_uncharge(tenant, cmd->bytes);
	return trace;
}

/* Checks everything that can be checked without the trace. */
static int simgpu_upload_check(const struct simgpu_trace_upload *cmd)
{
	struct trace_error error = {};

	if (cmd->data != (unsigned long)cmd->data ||
	    cmd->refusal != (unsigned long)cmd->refusal)
		return -EFAULT;
	if (cmd->bytes && cmd->bytes <= SIMGPU_TRACE_BYTES_MAX)
		return 0;
	strscpy(error.field, "total_bytes", sizeof(error.field));
	strscpy(error.reason, cmd->bytes ? "is beyond the format's limit" :
		"is zero", sizeof(error.reason));
	return simgpu_refusal_copy(cmd->refusal, &error) ?:
	       cmd->bytes ? -E2BIG : -EINVAL;
}

/* SIMGPU_IOC_TRACE_UPLOAD: reserve the handle, do what can fail, publish. */
int simgpu_trace_upload(struct simgpu_ucmd *ucmd)
{
	const struct xa_limit limit = XA_LIMIT(1, SIMGPU_TENANT_TRACES_MAX);
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	struct simgpu_trace_upload *cmd = ucmd->cmd;
	struct simgpu_trace *trace;
	u32 handle;
	int ret;

	ret = simgpu_upload_check(cmd);
	if (ret)
		return ret;
	ret = xa_alloc(&tenant->traces, &handle, NULL, limit, PORT_GFP);
	if (ret)
		return ret == -EBUSY ? -ENOSPC : ret;
	trace = simgpu_trace_copy(tenant, cmd);
	if (IS_ERR(trace)) {
		ret = PTR_ERR(trace);
		goto err_handle;
	}
	cmd->handle = handle;
	ret = simgpu_ucmd_respond(ucmd);
	if (ret)
		goto err_trace;
	/* The handle's place is there: this allocates nothing. */
	xa_store(&tenant->traces, handle, trace, PORT_GFP);
	return 0;

err_trace:
	simgpu_trace_put(trace);
err_handle:
	xa_erase(&tenant->traces, handle);
	return ret;
}

/* SIMGPU_IOC_TRACE_REMOVE */
int simgpu_trace_remove(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	struct simgpu_trace_remove *cmd = ucmd->cmd;
	struct simgpu_trace *trace;

	/* A reserved handle reads as empty; erasing it would free it. */
	xa_lock(&tenant->traces);
	trace = xa_load(&tenant->traces, cmd->handle);
	if (trace)
		__xa_erase(&tenant->traces, cmd->handle);
	xa_unlock(&tenant->traces);
	if (!trace)
		return -ENOENT;
	simgpu_trace_put(trace);
	return 0;
}

/* No file of the device is open yet. */
static void simgpu_graves_begin(struct simgpu_device *device)
{
	init_llist_head(&device->graves);
	INIT_WORK(&device->graves_work, simgpu_graves_clear);
}

/**
 * simgpu_uploads_init() - prepare for the first trace
 *
 * Return: 0 or -ENOMEM.
 */
int __init simgpu_uploads_init(void)
{
	simgpu_graves_queue = alloc_workqueue("simgpu", WQ_UNBOUND, 0);
	return simgpu_graves_queue ? 0 : -ENOMEM;
}

/**
 * simgpu_uploads_exit() - all devices have gone; wait until their last traces are freed
 */
void simgpu_uploads_exit(void)
{
	destroy_workqueue(simgpu_graves_queue);
}

const struct simgpu_observer simgpu_upload_observer = {
	.add = simgpu_graves_begin,
};
