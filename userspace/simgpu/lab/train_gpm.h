/* SPDX-License-Identifier: GPL-2.0 */
/* Training of asm-gpm. */
#ifndef SIMGPU_TRAIN_GPM_H
#define SIMGPU_TRAIN_GPM_H

#include "train_themis.h"

int train_gpm(const struct train_themis *arguments);

#endif /* SIMGPU_TRAIN_GPM_H */
