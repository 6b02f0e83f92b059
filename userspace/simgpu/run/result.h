/* SPDX-License-Identifier: GPL-2.0 */
/* The result of a run, as it comes together. */
#ifndef SIMGPU_RESULT_H
#define SIMGPU_RESULT_H

#include "run.h"

/*
 * A tenant's NP as it was predicted; false if it was not. A tenant that starved has 0,
 * whatever the model made of the SMs that it was promised.
 */
bool result_np(const struct result_tenant *tenant, u64 *np_ppm);

/* Whether a tenant has an error: both figures are known, and the actual NP is not 0. */
bool result_error(const struct result_tenant *tenant);

/* Which NP a target is compared with, "actual" or "predicted"; NULL: there is none. */
const char *result_target_np(const struct result *result,
			     const struct result_tenant *tenant, u64 *np_ppm);

/* SMs that a tenant held, the mean over the whole run in millionths. */
u64 result_mean_sms(const struct result *result, size_t tenant);
bool result_is_offline(const struct result *result);

struct result_tenant *result_add_tenant(struct result *result, u32 slot,
					const struct session_tenant_options *options,
					const struct trace *trace);
void result_add_epoch(struct result *result,
		      const struct simgpu_epoch_record *record);
void result_add_kernel(struct result *result,
		       const struct offline_kernel *kernel);

/* Computes what follows from epochs, predictions and the last refusal, when a run has ended. */
void result_summarize(struct result *result);
void result_free(struct result *result);

#endif /* SIMGPU_RESULT_H */
