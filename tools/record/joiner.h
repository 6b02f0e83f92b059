// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses that LLVM's code makes one by one and a GPU with one instruction: the
 * elements of a vector that were loaded or stored apart, and neighbours that are
 * aligned together. And accesses that LLVM's code makes and a GPU does not: where a
 * program assigns to some of a vector's elements, clang loads the vector and stores it
 * with the others as they were; and LLVM stores a changed vector as it was, and then
 * again what was changed.
 * Not here: where the accesses go when the code runs (launch.h).
 */
#ifndef SIMGPU_RECORD_JOINER_H
#define SIMGPU_RECORD_JOINER_H

#include <cstdint>
#include <vector>

#include "classifier.h"

namespace record {

/*
 * Set @access_bytes and its companions of those among @count instructions from
 * @first on, a piece of a basic block, that are parts of wider accesses, and @left_out
 * of those that are not made or not in whole.
 */
void join_accesses(std::vector<Instruction> &instructions, uint32_t first,
		   uint32_t count);

} /* namespace record */

#endif
