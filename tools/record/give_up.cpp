// SPDX-License-Identifier: GPL-2.0
/*
 * Ends the program with a message: see give_up.h.
 */
#include "give_up.h"

#include <cstdarg>
#include <cstdio>
#include <unistd.h>

namespace record {

constexpr int EXIT_GAVE_UP = 125;

void give_up(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("simgpu-record: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	fflush(stderr);
	_exit(EXIT_GAVE_UP);
}

} /* namespace record */
