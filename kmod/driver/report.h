/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_REPORT_H
#define SIMGPU_REPORT_H

#include "tenant.h"

int simgpu_counters_check(const struct simgpu_counter_array *array);
int simgpu_counters_answer(struct simgpu_counter_array *array,
			   const struct simgpu_counters *counters);
int simgpu_tenant_report(struct simgpu_ucmd *ucmd);

#endif /* SIMGPU_REPORT_H */
