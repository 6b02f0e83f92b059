/* SPDX-License-Identifier: GPL-2.0 */
/* Parameters of models that read HSM's line. */
#ifndef MODEL_HSM_LINE_H
#define MODEL_HSM_LINE_H

#include <simgpu/model.h>

enum {
	HSM_C1,
	HSM_C2,
	/* of hsm-atd and mirror */
	HSM_WAITING,
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

#define HSM_WAITING_PARAM { \
	"waiting", SIMGPU_UNIT_NUMBER, 0, 1, 1, \
	"1: kernels that mostly wait have a law of their own; 0: HSM's Eq. 4 and 5 alone" \
}

extern const struct simgpu_param hsm_params[];
extern const struct simgpu_trained hsm_trained[];

#endif /* MODEL_HSM_LINE_H */
