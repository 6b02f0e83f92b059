/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_HWMON_H
#define SIMGPU_HWMON_H

#include "driver.h"

extern const struct simgpu_observer simgpu_hwmon_observer;

#endif /* SIMGPU_HWMON_H */
