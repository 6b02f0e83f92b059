# SPDX-License-Identifier: GPL-2.0
"""Sampled runs beside exact ones, for tools/bench/sampled and tools/bench/services.

Results are kept in a folder. A later call goes on where the last one was: exact results serve
any build of the command (empty the folder after a change of the engine), sampled ones
only the one that made them.
"""
import argparse
import hashlib
import json
import pathlib
import resource
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
COMMAND = TOP / "build/simgpu"


def parser(description, cycles, epoch, sampled, folder):
    """With the options that both have, and their defaults."""
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--policy", default="even")
    made.add_argument("--cycles", default=cycles)
    made.add_argument("--epoch", default=epoch)
    made.add_argument("--sampled", default=sampled, help=f"percent (default {sampled})")
    made.add_argument("--out", type=pathlib.Path, default=TOP / "build/results" / folder,
                      help=f"folder of results (default build/results/{folder})")
    return made


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(arguments, workloads, *more):
    """What a run says as JSON, with the processor time that it took as "seconds"."""
    before = processor_seconds()
    done = subprocess.run([COMMAND, "run", "--offline", "--json",
                           "--policy", arguments.policy, "--cycles", arguments.cycles,
                           "--epoch", arguments.epoch, *more, *workloads],
                          check=True, text=True, stdout=subprocess.PIPE)
    return {**json.loads(done.stdout), "seconds": processor_seconds() - before}


def kept(arguments, build, workloads, read, *more):
    """What @read takes out of such a run, from the folder if it is there."""
    name = "-".join([*workloads, arguments.policy, arguments.cycles, arguments.epoch, *build])
    path = arguments.out / f"{name.replace('/', '_')}.json"

    arguments.out.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        result = read(run(arguments, workloads, *more))
        begun = path.with_suffix(".part")
        begun.write_text(json.dumps(result))
        begun.rename(path)
    return json.loads(path.read_text())


def both(arguments, workloads, read):
    """The same of an exact run and of a sampled one."""
    build = hashlib.sha256(COMMAND.read_bytes()).hexdigest()[:12]

    return (kept(arguments, [], workloads, read),
            kept(arguments, [f"sampled{arguments.sampled}", build], workloads, read,
                 f"--sampled={arguments.sampled}"))


def error(exact, sampled):
    """In percent of the exact figure; None if one of them is not known, or 0."""
    return 100 * (sampled / exact - 1) if exact and sampled else None
