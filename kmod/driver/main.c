// SPDX-License-Identifier: GPL-2.0
/*
 * The module: parameters, the file operations of a tenant, the table of its
 * ioctls, and the table of observers. tenant.c, tenant_launch.c, report.c, upload.c and
 * gang.c execute the calls.
 */
#include <linux/module.h>

#include "bpf.h"
#include "configfs.h"
#include "debugfs.h"
#include "device.h"
#include "device_energy.h"
#include "failures.h"
#include "gang.h"
#include "hwmon.h"
#include "ioctl.h"
#include "sysfs_params.h"
#include "masks.h"
#include "netlink.h"
#include "notes.h"
#include "observers.h"
#include "report.h"
#include "sysfs.h"
#include "sysfs_tenant.h"
#include "tenant.h"
#include "tenant_launch.h"
#include "tenant_live.h"
#include "tenant_memory.h"
#include "tenant_outcome.h"
#include "threads.h"
#include "turn.h"
#include "upload.h"
#include "waker.h"

static unsigned int devices = 1;
module_param(devices, uint, 0444);
MODULE_PARM_DESC(devices, "Number of devices, 1 to 64");

static char *config = "hbm80";
module_param(config, charp, 0444);
MODULE_PARM_DESC(config, "Name of the devices' configuration");

#define TENANT_IOCTL_BASE	_IOC_NR(SIMGPU_IOC_DEVICE_INFO)
#define TENANT_OP(_ioctl, _fn, _struct, _last, ...) \
	SIMGPU_IOCTL_OP(TENANT_IOCTL_BASE, _ioctl, _fn, _struct, _last, \
			__VA_ARGS__)

static const struct simgpu_ioctl_op simgpu_tenant_ops[] = {
	TENANT_OP(SIMGPU_IOC_DEVICE_INFO, simgpu_device_info,
		  struct simgpu_device_info, reserved),
	TENANT_OP(SIMGPU_IOC_TENANT_CONFIG, simgpu_tenant_config,
		  struct simgpu_tenant_config, name),
	TENANT_OP(SIMGPU_IOC_TRACE_UPLOAD, simgpu_trace_upload,
		  struct simgpu_trace_upload, refusal, .heavy = true),
	TENANT_OP(SIMGPU_IOC_TRACE_REMOVE, simgpu_trace_remove,
		  struct simgpu_trace_remove, handle),
	TENANT_OP(SIMGPU_IOC_LAUNCH, simgpu_tenant_launch,
		  struct simgpu_launch, sequence),
	TENANT_OP(SIMGPU_IOC_WAIT, simgpu_tenant_wait,
		  struct simgpu_wait, timeout_ns),
	TENANT_OP(SIMGPU_IOC_REPORT, simgpu_tenant_report,
		  struct simgpu_report, report.shared_sms),
	TENANT_OP(SIMGPU_IOC_GANG_CREATE, simgpu_gang_create,
		  struct simgpu_gang_create, reserved, .heavy = true),
	TENANT_OP(SIMGPU_IOC_GANG_JOIN, simgpu_gang_join,
		  struct simgpu_gang_join, reserved),
	TENANT_OP(SIMGPU_IOC_ARRIVALS, simgpu_tenant_arrivals,
		  struct simgpu_arrivals, sequence),
	TENANT_OP(SIMGPU_IOC_QUEUE, simgpu_tenant_queue,
		  struct simgpu_queue, reserved),
	TENANT_OP(SIMGPU_IOC_HINT, simgpu_tenant_hint,
		  struct simgpu_hint, laxity_cycles),
	TENANT_OP(SIMGPU_IOC_MASKS, simgpu_tenant_masks,
		  struct simgpu_masks, llc_ways),
	TENANT_OP(SIMGPU_IOC_MEM_PREFETCH, simgpu_tenant_mem_prefetch,
		  struct simgpu_mem_prefetch, bytes),
	TENANT_OP(SIMGPU_IOC_MEM_ADVISE, simgpu_tenant_mem_advise,
		  struct simgpu_mem_advise, bytes),
	TENANT_OP(SIMGPU_IOC_COPY, simgpu_tenant_copy,
		  struct simgpu_copy, wait_for),
};

static long simgpu_fops_ioctl(struct file *file, unsigned int cmd,
			      unsigned long arg)
{
	const struct simgpu_tenant *tenant = file->private_data;

	return simgpu_ioctl_dispatch(file, tenant->device, cmd, arg,
				     simgpu_tenant_ops,
				     TENANT_IOCTL_BASE,
				     ARRAY_SIZE(simgpu_tenant_ops));
}

static int simgpu_fops_open(struct inode *inode, struct file *file)
{
	struct simgpu_device *device =
		container_of(inode->i_cdev, struct simgpu_device, cdev);
	struct simgpu_tenant *tenant;
	int ret;

	ret = simgpu_device_admit(device, SIMGPU_CALL_HEAVY);
	if (ret)
		return ret;
	tenant = simgpu_tenant_create(device, file->f_cred);
	if (IS_ERR(tenant))
		return PTR_ERR(tenant);
	file->private_data = tenant;
	return nonseekable_open(inode, file);
}

static int simgpu_fops_release(struct inode *inode, struct file *file)
{
	simgpu_tenant_close(file->private_data);
	return 0;
}

static void simgpu_fops_fdinfo(struct seq_file *seq, struct file *file)
{
	simgpu_tenant_fdinfo(file->private_data, seq);
}

static const struct file_operations simgpu_fops = {
	.owner = THIS_MODULE,
	.open = simgpu_fops_open,
	.release = simgpu_fops_release,
	.unlocked_ioctl = simgpu_fops_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.read = simgpu_tenant_read,
	.poll = simgpu_tenant_poll,
	.mmap = simgpu_tenant_mmap,
	.show_fdinfo = simgpu_fops_fdinfo,
};

/* Observers are called in this order: a gang keeps what its tenants leave behind. */
static const struct simgpu_observer *const simgpu_observer_table[] = {
	&simgpu_threads_observer,
	&simgpu_params_observer,
	&simgpu_tenant_observer,
	&simgpu_launch_observer,
	&simgpu_upload_observer,
	&simgpu_gang_observer,
	&simgpu_trace_observer,
	&simgpu_netlink_observer,
	&simgpu_debugfs_observer,
	/* Behind the files that show what it keeps. */
	&simgpu_failures_observer,
	&simgpu_notes_observer,
#if IS_ENABLED(CONFIG_HWMON)
	&simgpu_hwmon_observer,
#endif
	NULL,
};

static int __init simgpu_init(void)
{
	int ret;

	simgpu_figures_init();
	simgpu_tenants_init(simgpu_tenant_sysfs_init());
	simgpu_sysfs_init();
	simgpu_debugfs_init();
	ret = simgpu_waker_start();
	if (ret)
		goto err_debugfs;
	ret = simgpu_uploads_init();
	if (ret)
		goto err_waker;
	ret = simgpu_netlink_init();
	if (ret)
		goto err_uploads;
	ret = simgpu_devices_init(devices, config, &simgpu_fops,
				  simgpu_device_groups, simgpu_observer_table);
	if (ret)
		goto err_netlink;
	ret = simgpu_configfs_init();
	if (ret)
		goto err_devices;
	simgpu_bpf_init();
	return 0;

err_devices:
	simgpu_devices_exit();
err_netlink:
	simgpu_netlink_exit();
err_uploads:
	simgpu_uploads_exit();
err_waker:
	simgpu_waker_stop();
err_debugfs:
	simgpu_debugfs_exit();
	return ret;
}
module_init(simgpu_init);

static void __exit simgpu_exit(void)
{
	simgpu_configfs_exit();
	simgpu_devices_exit();
	simgpu_netlink_exit();
	simgpu_uploads_exit();
	simgpu_waker_stop();
	simgpu_debugfs_exit();
}
module_exit(simgpu_exit);

MODULE_AUTHOR("The simgpu authors");
MODULE_DESCRIPTION("A simulated GPU with processes as tenants");
MODULE_LICENSE("GPL");
