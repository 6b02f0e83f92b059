// SPDX-License-Identifier: GPL-2.0
/* Ioctls of any file of the driver: sizes are checked, then a table's row is executed. */
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "device.h"
#include "ioctl.h"
#include "turn.h"

/**
 * simgpu_ioctl_dispatch() - check an ioctl's number and sizes, and execute it
 * @file: file on which it was called
 * @device: device of the file
 * @cmd: its number
 * @arg: user pointer to its argument struct
 * @ops: table of the file's ioctls
 * @base: number of the table's first row
 * @count: number of rows
 *
 *
 * Return: what the row's execute() returns; -ENOTTY, -EFAULT, -EINVAL, -E2BIG, -EINTR.
 */
long simgpu_ioctl_dispatch(struct file *file, struct simgpu_device *device,
			   unsigned int cmd, unsigned long arg,
			   const struct simgpu_ioctl_op *ops,
			   unsigned int base, unsigned int count)
{
	u64 buffer[SIMGPU_UCMD_BYTES_MAX / sizeof(u64)] = {};
	struct simgpu_ucmd ucmd = {
		.file = file,
		.ubuffer = (void __user *)arg,
		.cmd = buffer,
	};
	const struct simgpu_ioctl_op *op;
	unsigned int nr = _IOC_NR(cmd);
	int ret;

	if (cmd != _IO(SIMGPU_IOC_TYPE, nr) || nr < base || nr - base >= count)
		return -ENOTTY;
	op = &ops[array_index_nospec(nr - base, count)];
	if (!op->execute)
		return -ENOTTY;

	if (get_user(ucmd.user_size, (u32 __user *)ucmd.ubuffer))
		return -EFAULT;
	if (ucmd.user_size < op->min_size)
		return -EINVAL;
	if (ucmd.user_size > PAGE_SIZE)
		return -E2BIG;
	ucmd.size = op->size;
	ret = copy_struct_from_user(ucmd.cmd, op->size, ucmd.ubuffer,
				    ucmd.user_size);
	if (ret)
		return ret;
	/* The caller may have changed the size since it was read. */
	*(u32 *)ucmd.cmd = ucmd.user_size;
	ret = simgpu_device_admit(device, op->heavy ? SIMGPU_CALL_HEAVY :
						      SIMGPU_CALL_LIGHT);
	return ret ?: op->execute(&ucmd);
}

/**
 * simgpu_ucmd_respond() - copy the kernel's argument struct back to the caller
 * @ucmd: the call
 *
 * A call whose effect cannot be undone responds once before the effect, so that a
 * pointer which cannot be written is refused before anything has happened.
 *
 * Return: 0 or -EFAULT.
 */
int simgpu_ucmd_respond(struct simgpu_ucmd *ucmd)
{
	if (copy_to_user(ucmd->ubuffer, ucmd->cmd,
			 min(ucmd->user_size, ucmd->size)))
		return -EFAULT;
	return 0;
}
