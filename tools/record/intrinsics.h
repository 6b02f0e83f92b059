// SPDX-License-Identifier: GPL-2.0
/*
 * Intrinsics that LLVM makes of common OpenCL code, such as rotations, and that
 * Oclgrind 21.10 does not know: it would refuse the kernel.
 * Not here: what they cost (weights.h).
 */
#ifndef SIMGPU_RECORD_INTRINSICS_H
#define SIMGPU_RECORD_INTRINSICS_H

namespace record {

/* Make them known to Oclgrind. */
void teach_intrinsics();

} /* namespace record */

#endif
