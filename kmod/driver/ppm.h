/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_PPM_H
#define SIMGPU_PPM_H

#include "driver.h"

ssize_t simgpu_emit_ppm(char *buf, u64 value_ppm);
int simgpu_parse_ppm(const char *buf, u64 *value_ppm);

#endif /* SIMGPU_PPM_H */
