/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_CONSTANTS_H
#define SIMGPU_CONSTANTS_H

#include "driver.h"

extern struct bin_attribute simgpu_constants_attr;

#endif /* SIMGPU_CONSTANTS_H */
