// SPDX-License-Identifier: GPL-2.0
/* The tracepoints' code; trace_events.h declares them. */
#include "device.h"
#include "tenant.h"

/* After all others, some of which declare tracepoints of their own. */
#define CREATE_TRACE_POINTS
#include "trace_events.h"
