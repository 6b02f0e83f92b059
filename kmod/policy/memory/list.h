/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The built-in memory policies, a line each, with a file of the same name. A file that
 * includes the list defines MEMORY_POLICY(name) first.
 */
MEMORY_POLICY(uvm)
MEMORY_POLICY(uvm_thrash)
MEMORY_POLICY(demand)
MEMORY_POLICY(all)
MEMORY_POLICY(lfu)
MEMORY_POLICY(fifo)

#undef MEMORY_POLICY
