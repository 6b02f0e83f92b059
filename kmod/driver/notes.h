/* SPDX-License-Identifier: GPL-2.0 */
/* The last notes of a device's policy. */
#ifndef SIMGPU_NOTES_H
#define SIMGPU_NOTES_H

#include <linux/seq_file.h>

#include "device.h"
#include "observers.h"

extern const struct simgpu_observer simgpu_notes_observer;

int simgpu_notes_print(struct simgpu_device *device, struct seq_file *seq);

#endif /* SIMGPU_NOTES_H */
