/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_UPLOAD_H
#define SIMGPU_UPLOAD_H

#include "tenant.h"

extern const struct simgpu_observer simgpu_upload_observer;
int simgpu_uploads_init(void);
void simgpu_uploads_exit(void);
int simgpu_trace_upload(struct simgpu_ucmd *ucmd);
int simgpu_trace_remove(struct simgpu_ucmd *ucmd);
struct simgpu_trace *simgpu_trace_get(struct simgpu_tenant *tenant, u32 handle);
struct simgpu_trace *simgpu_trace_of_copy(struct simgpu_tenant *tenant,
					  const struct trace_copy *copy);
void simgpu_trace_put(struct simgpu_trace *trace);
void simgpu_trace_put_later(struct simgpu_trace *trace);
bool simgpu_trace_is_ready(const struct simgpu_device *device,
			   const struct simgpu_trace *trace);
int simgpu_trace_prepare(struct simgpu_device *device, struct simgpu_trace *trace);
void simgpu_traces_drop(struct simgpu_tenant *tenant);

#endif /* SIMGPU_UPLOAD_H */
