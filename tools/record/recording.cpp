// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the environment and writes the file: see recording.h.
 */
#include "recording.h"

#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

#include "give_up.h"

namespace record {

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && !strcmp(value, "1");
}

/* A number from a variable, or @otherwise if it is not set. */
static uint64_t number(const char *variable, uint64_t most, uint64_t otherwise)
{
	const char *text = getenv(variable);
	char *end;

	if (!text || !*text)
		return otherwise;
	errno = 0;

	uint64_t value = strtoull(text, &end, 10);

	if (errno || *end || value > most)
		give_up("%s=%s is not a number up to %" PRIu64, variable, text,
			most);
	return value;
}

constexpr uint64_t SECOND_NS = 1000000000;

Progress::Progress()
{
	const char *wanted = getenv("SIMGPU_RECORD_PROGRESS");

	if (wanted && !strcmp(wanted, "1"))
		form = REWRITTEN;
	else if (wanted && !strcmp(wanted, "2"))
		form = LINES;
	/* Whoever reads lines wants to hear of long recordings only. */
	if (form == LINES)
		next_ns = now() + 10 * SECOND_NS;
}

void Progress::show(const std::string &kernel, size_t number, uint64_t done,
		    uint64_t blocks, uint32_t sample_n)
{
	bool ends = done == blocks && form == REWRITTEN;

	if (form == NONE || (!ends && now() < next_ns))
		return;
	next_ns = now() + (form == LINES ? 10 * SECOND_NS : SECOND_NS / 4);
	fprintf(stderr, "%ssimgpu-record: kernel %zu, %s: %" PRIu64 " of %" PRIu64
		" thread blocks", form == LINES ? "" : "\r", number, kernel.c_str(),
		done, blocks);
	if (sample_n > 1)
		fprintf(stderr, ", one of %u recorded", sample_n);
	if (ends || form == LINES)
		fputc('\n', stderr);
}

void Progress::summary(const std::string &path, const TraceWriter &trace, size_t bytes)
{
	if (form != REWRITTEN)
		return;
	fprintf(stderr, "simgpu-record: %s: %zu kernels, %zu warps, %" PRIu64
		" warp instructions, %zu lines, %zu bytes\n", printable(path).c_str(),
		trace.kernel_count(), trace.warp_count(),
		trace.warp_instruction_count(), trace.line_count(), bytes);
}

uint64_t Progress::now() const
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * SECOND_NS + time.tv_nsec;
}

Recording &Recording::get()
{
	/* Kept until the process ends: the handler below needs it. */
	static Recording *recording = new Recording;

	return *recording;
}

/* In a child that its program forked: what came before is the parent's. */
void Recording::begin_anew()
{
	trace = TraceWriter(is_set("SIMGPU_RECORD_PLAIN"));
	executed = Executed(WEIGHTS);
	kernels_left_out = 0;
	kernels_stopped = 0;
	owner = getpid();
	claimed = false;
}

/* How many programs one recording can have. */
constexpr unsigned int PROGRAMS_MAX = 9999;

/*
 * Takes the first number that no other program of this recording has, and leaves
 * its name there for who looks why a trace is missing.
 */
void Recording::claim()
{
	unsigned int number = 0;
	int fd;

	claimed = true;
	do {
		if (++number > PROGRAMS_MAX)
			give_up("a recording has at most %u programs that launch kernels",
				PROGRAMS_MAX);
		path = output + "." + std::to_string(number);
		fd = open((path + ".program").c_str(),
			  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	} while (fd < 0 && errno == EEXIST);
	if (fd < 0)
		give_up("%s.program: %s", path.c_str(), strerror(errno));
	if (dprintf(fd, "%s", program_invocation_short_name) < 0)
		give_up("%s.program: %s", path.c_str(), strerror(errno));
	close(fd);
	if (number > 1 && getenv("SIMGPU_RECORD_NAME")) {
		std::string suffix = "-" + std::to_string(number);

		name = name.substr(0, SIMGPU_TRACE_NAME_BYTES - 1 - suffix.size()) +
		       suffix;
	}
}

bool Recording::takes_kernel()
{
	if (getpid() != owner)
		begin_anew();
	if (each && !claimed)
		claim();
	if (trace.kernel_count() < SIMGPU_TRACE_KERNELS_MAX)
		return true;
	kernels_left_out++;
	return false;
}

void Recording::kernel_stopped(const std::string &kernel)
{
	kernels_stopped++;
	last_stopped = kernel;
	space.take_accesses_outside();
	trace.drop_kernel();
}

void Recording::check_size(const std::string &kernel, uint64_t done,
			   uint64_t blocks) const
{
	if (trace.bytes() + space.allocations().size() * sizeof(simgpu_trace_allocation) >
	    max_bytes)
		give_up("the trace is over the limit of %" PRIu64
			" bytes in kernel '%s' after %" PRIu64 " of %" PRIu64
			" thread blocks; give the program a smaller problem, or "
			"raise the limit (at most %llu)", max_bytes,
			kernel.c_str(), done, blocks, SIMGPU_TRACE_BYTES_MAX);
}

static std::string output_path()
{
	const char *output = getenv("SIMGPU_RECORD_OUTPUT");

	if (!output || !*output)
		give_up("SIMGPU_RECORD_OUTPUT does not say where the trace goes");
	return output;
}

Recording::Recording()
	: trace(is_set("SIMGPU_RECORD_PLAIN")), output(output_path()), path(output)
{
	const char *given_name = getenv("SIMGPU_RECORD_NAME");

	name = given_name && *given_name ? given_name
					 : program_invocation_short_name;
	max_bytes = number("SIMGPU_RECORD_MAX_BYTES", SIMGPU_TRACE_BYTES_MAX,
			   SIMGPU_TRACE_BYTES_MAX);
	sample_n = number("SIMGPU_RECORD_SAMPLE", UINT32_MAX, 0);
	only_sampled = is_set("SIMGPU_RECORD_ONLY_SAMPLED");
	each = is_set("SIMGPU_RECORD_EACH");
	owner = getpid();
	/* Not a destructor: only this tells us the exit status. */
	on_exit([](int status, void *) {
		guarded([status] { get().exited(status); });
	}, nullptr);
}

void Recording::exited(int status)
{
	/* Others of its programs may have launched some. */
	if (status || getpid() != owner || (each && !claimed))
		return;
	if (kernels_stopped)
		fprintf(stderr, "simgpu-record: warning: Oclgrind stopped in %" PRIu64
			" launches, the last of kernel '%s'; they are not in the trace\n",
			kernels_stopped, last_stopped.c_str());
	if (!trace.kernel_count())
		give_up(kernels_stopped ?
			"no kernel ran to its end, so there is nothing to write" :
			"the program launched no kernel, so there is nothing to write");
	if (trace.is_in_kernel())
		give_up("the program ended in the middle of a kernel");

	if (kernels_left_out)
		fprintf(stderr, "simgpu-record: warning: the program launches more than "
			"%d kernels; the last %" PRIu64 " are not in the trace\n",
			SIMGPU_TRACE_KERNELS_MAX, kernels_left_out);

	if (space.left_out())
		fprintf(stderr, "simgpu-record: warning: the program uses more than %u "
			"buffers; the last %" PRIu64 " are not among the trace's "
			"allocations\n", SIMGPU_TRACE_ALLOCATIONS_MAX, space.left_out());

	std::vector<uint8_t> image = trace.file(name, space.footprint(), executed,
						space.allocations());

	write_file(image);
	progress.summary(path, trace, image.size());
}

void Recording::write_file(const std::vector<uint8_t> &image) const
{
	std::string partial = path + ".partial";
	FILE *file = fopen(partial.c_str(), "wb");

	if (!file)
		give_up("%s: %s", partial.c_str(), strerror(errno));

	int error = 0;

	/* A limit on the size of files shall be an error, not the end. */
	signal(SIGXFSZ, SIG_IGN);
	if (fwrite(image.data(), 1, image.size(), file) != image.size())
		error = errno;
	if (fclose(file) && !error)
		error = errno;
	if (!error && rename(partial.c_str(), path.c_str()))
		error = errno;
	if (error) {
		unlink(partial.c_str());
		give_up("%s: %s", path.c_str(), strerror(error));
	}
}

} /* namespace record */
