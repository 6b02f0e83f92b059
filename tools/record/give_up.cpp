// SPDX-License-Identifier: GPL-2.0
/*
 * Ends the program with a message: see give_up.h.
 */
#include "give_up.h"

#include <cstdarg>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace record {

constexpr int EXIT_GAVE_UP = 125;

std::string printable(const std::string &text)
{
	std::string shown;
	char escaped[8];

	for (unsigned char byte : text) {
		snprintf(escaped, sizeof(escaped),
			 byte < ' ' || byte == 0x7f ? "\\%03o" : "%c", byte);
		shown += escaped;
	}
	return shown;
}

void give_up(const char *format, ...)
{
	char message[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	fflush(stdout);
	fprintf(stderr, "simgpu-record: %s\n", printable(message).c_str());
	fflush(stderr);
	_exit(EXIT_GAVE_UP);
}

} /* namespace record */
