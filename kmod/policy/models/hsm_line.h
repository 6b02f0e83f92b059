/* SPDX-License-Identifier: GPL-2.0 */
/* Parameters of models that read HSM's line. */
#ifndef MODEL_HSM_LINE_H
#define MODEL_HSM_LINE_H

#include <simgpu/model.h>

enum {
	HSM_C1,
	HSM_C2,
};

/* First values for GPUs without training: HSM's Figure 3, close to those of hbm80. */
#define HSM_C1_PARAM { \
	"c1", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 500000, \
	"slope of HSM's line: utilization of peak bandwidth per RBH (Eq. 3)" \
}

#define HSM_C2_PARAM { \
	"c2", SIMGPU_UNIT_RATIO, 0, SIMGPU_PPM, 360000, \
	"its value at RBH 0" \
}

extern const struct simgpu_param hsm_params[];
extern const struct simgpu_trained hsm_trained[];

#endif /* MODEL_HSM_LINE_H */
