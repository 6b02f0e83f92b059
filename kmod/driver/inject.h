/* SPDX-License-Identifier: GPL-2.0 */
/* The file "inject" of a device in debugfs. */
#ifndef SIMGPU_INJECT_H
#define SIMGPU_INJECT_H

#include <linux/fs.h>

extern const struct file_operations simgpu_inject_fops;

#endif /* SIMGPU_INJECT_H */
