// SPDX-License-Identifier: GPL-2.0
/* simgpu: the table of the subcommands. */
#include <unistd.h>

#include "dispatch.h"
#include "json.h"
#include "output.h"

static const struct command commands[] = {
	{ "run", "run an experiment, on a device or offline", run_command },
	{ "sweep", "run suites of mixes under several policies", sweep_command },
	{ "plot", "draw a run: SMs, NP and bandwidth over time", plot_command },
	{ "train", "learn a GPU's constants of a model", train_command },
	{ "workloads", "list the built-in workloads", workloads_command },
	{ "calibrate", "hold the built-in workloads beside HSM's figures",
	  calibrate_command },
	{ "profile", "measure how kernels do on each number of SMs",
	  profile_command },
	{ "plan", "divide kernels among phases by their profiles", plan_command },
	{ "trace", "look at trace files, check and record them", trace_command },
	{ "list", "list devices and their tenants", list_command },
	{ "stat", "show a device's figures, or a command's", stat_command },
	{ "top", "watch devices and tenants live", top_command },
	{ "policy", "list policies, or set a device's", policy_command },
	{ "model", "list models, or show one", model_command },
	{ "config", "list configurations, or show one", config_command },
	{ "dram", "run one memory channel alone", dram_command },
	{ "bench", "measure how fast the engine is", bench_command },
	{ "tenant", "run one trace as a tenant of a device", tenant_command },
	{ 0 }
};

/* Output that could not be written is a failure, also for --help, where argp exits. */
static void check_output(void)
{
	if (flush_output())
		_exit(STATUS_FAILED);
}

int main(int argc, char **argv)
{
	argp_err_exit_status = STATUS_USAGE;
	atexit(check_output);
	/*
	 * If the last line of an option's text ends at the right margin, glibc
	 * looks at the letter behind the text, and may begin one more line. With this
	 * margin no text does: the tests of the manual pages check them all.
	 */
	setenv("ARGP_HELP_FMT", "rmargin=76", 0);
	return dispatch(commands, "A simulated GPU with processes as tenants.",
			argc, argv);
}
