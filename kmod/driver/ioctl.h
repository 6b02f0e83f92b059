/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_IOCTL_H
#define SIMGPU_IOCTL_H

#include "driver.h"

long simgpu_ioctl_dispatch(struct file *file, struct simgpu_device *device,
			   unsigned int cmd, unsigned long arg,
			   const struct simgpu_ioctl_op *ops,
			   unsigned int base, unsigned int count);
int simgpu_ucmd_respond(struct simgpu_ucmd *ucmd);

#endif /* SIMGPU_IOCTL_H */
