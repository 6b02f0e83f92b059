// SPDX-License-Identifier: GPL-2.0
/*
 * How the recorder ends when it cannot go on: one line on standard error, and no
 * trace. Not here: what can go wrong; whoever finds it says it.
 */
#ifndef SIMGPU_RECORD_GIVE_UP_H
#define SIMGPU_RECORD_GIVE_UP_H

#include <new>

#include <string>

namespace record {

/* With control characters as "\033", as names of files may have them. */
std::string printable(const std::string &text);

/* Say why there will be no trace, and end the program. */
__attribute__((noreturn, format(printf, 1, 2)))
void give_up(const char *format, ...);

/*
 * What Oclgrind and the C library call and what may run out of memory runs in
 * here: neither expects that.
 */
template <typename Callback>
void guarded(Callback callback)
{
	try {
		callback();
	} catch (const std::bad_alloc &) {
		give_up("out of memory");
	}
}

} /* namespace record */

#endif
