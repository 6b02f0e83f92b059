// SPDX-License-Identifier: GPL-2.0
/* The parts of the driver that are told of events on devices. */
#include "device.h"
#include "observers.h"

/* The table, which main.c has. */
const struct simgpu_observer *const *simgpu_observers;
