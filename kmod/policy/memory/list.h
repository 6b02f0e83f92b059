/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The built-in memory policies, a line each, with a file of the same name. A file that
 * includes the list defines MEMORY_POLICY(name) first. Gangs and netlink name a policy by its
 * place: a new one is added at the end.
 */
MEMORY_POLICY(uvm)
MEMORY_POLICY(demand)
MEMORY_POLICY(all)
MEMORY_POLICY(lfu)
MEMORY_POLICY(fifo)
MEMORY_POLICY(stride)
MEMORY_POLICY(share)
MEMORY_POLICY(prepare)
MEMORY_POLICY(uvm_thrash)

#undef MEMORY_POLICY
