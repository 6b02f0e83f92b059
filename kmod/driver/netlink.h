/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_NETLINK_H
#define SIMGPU_NETLINK_H

#include "driver.h"

extern const struct simgpu_observer simgpu_netlink_observer;
int simgpu_netlink_init(void);
void simgpu_netlink_exit(void);

#endif /* SIMGPU_NETLINK_H */
