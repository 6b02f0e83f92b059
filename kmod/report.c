// SPDX-License-Identifier: GPL-2.0
/* A tenant's figures as the UAPI has them, and the call for them. */
#include "device.h"
#include "tenant.h"

/**
 * simgpu_counters_fill() - the engine's counters as the UAPI has them
 * @out: set to them
 * @counters: the engine's
 */
void simgpu_counters_fill(struct simgpu_tenant_counters *out,
			  const struct simgpu_counters *counters)
{
	/* Fields in the same order and of the same type. */
	memcpy(out, counters, sizeof(*out));
}

/**
 * simgpu_report_fill() - a tenant's report as the UAPI has it
 * @out: set to it
 * @report: the session's, of a slot with a tenant
 */
void simgpu_report_fill(struct simgpu_tenant_report *out,
			const struct session_tenant_report *report)
{
	*out = (struct simgpu_tenant_report) {
		.thread_instructions = report->figures.thread_instructions,
		.cycles = report->figures.cycles,
		.ipc_ppm = report->figures.ipc_ppm,
		.rbh_ppm = report->figures.rbh_ppm,
		.bandwidth_ppm = report->figures.bandwidth_ppm,
		.llc_mpki_ppm = report->figures.llc_mpki_ppm,
		.np_run_ppm = report->np_run_ppm,
		.class = report->class,
		.sms = report->sms,
	};
	if (report->class != SIMGPU_CLASS_UNKNOWN)
		out->np_ppm = report->np_ppm;
	if (report->active)
		out->flags |= SIMGPU_REPORT_ACTIVE;
	if (report->first_run_done)
		out->flags |= SIMGPU_REPORT_FIRST_RUN_DONE;
	simgpu_counters_fill(&out->counters, &report->counters);
}

/* SIMGPU_IOC_REPORT */
int simgpu_tenant_report(struct simgpu_ucmd *ucmd)
{
	struct simgpu_tenant *tenant = ucmd->file->private_data;
	struct simgpu_device *device = tenant->device;
	struct simgpu_report *cmd = ucmd->cmd;
	struct session_tenant_report report;
	int ret;

	ret = simgpu_device_lock(device);
	if (ret)
		return ret;
	if (tenant->slot == SIMGPU_NO_SLOT) {
		simgpu_device_unlock(device);
		return -ENODATA;
	}
	cmd->slot = tenant->slot;
	session_tenant_report(device->session, tenant->slot, &report);
	simgpu_device_unlock(device);
	simgpu_report_fill(&cmd->report, &report);
	return simgpu_ucmd_respond(ucmd);
}
