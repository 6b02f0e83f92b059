/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_DEVICE_ENERGY_H
#define SIMGPU_DEVICE_ENERGY_H

#include "device.h"
#include "rights.h"

extern const struct attribute_group simgpu_figures_group;
bool simgpu_device_report(struct simgpu_device *device,
			  const struct simgpu_reader *reader,
			  struct device_report *out);
void simgpu_figures_init(void);

#endif /* SIMGPU_DEVICE_ENERGY_H */
