# SPDX-License-Identifier: GPL-2.0
"""simgpu: converts traces, runs them offline, and reads the counters."""
import json
import os
import re
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))
CONFIG = os.path.join(ROOT, "docs/validation/{}.conf")
POLICIES = "build/validation"
SHARE = POLICIES + "/share.so"


converted = {}


def config(gpu, quarter):
    return CONFIG.format(f"{gpu}-quarter" if quarter else gpu)


def request_bytes(path):
    """A cache with sectors asks DRAM for each of them: the configuration says so."""
    with open(path, encoding="ascii") as file:
        sectors = re.search(r"^llc_sectors *= *(\d+)", file.read(), re.M)
    return 128 // int(sectors[1]) if sectors else 128


def prepare():
    """The policy that lets two kernels share SMs."""
    subprocess.run(
        ["tools/build-policy", "--no-module", "--out", POLICIES]
        + ["docs/examples/policies/share.c"],
        cwd=ROOT,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def convert(command, trace, kernels):
    """One file a kernel, for each is a tenant; how long that took. Once a trace."""
    if trace in converted:
        return converted[trace]
    start = time.monotonic()
    files = []
    for number in range(1, kernels + 1):
        files.append(os.path.join(trace, f"kernel-{number}.sgtr"))
        subprocess.run(
            [command, "trace", "convert", "-o", files[-1]]
            + [os.path.join(trace, f"kernel-{number}.traceg")],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    converted[trace] = files, round(time.monotonic() - start, 3)
    return converted[trace]


def run(command, gpu, trace, quarter, sms=0, kernels=1):
    """Figures of a run; sms 0: all of them."""
    files, seconds = convert(command, trace, kernels)
    options = ["run", "--offline", "--json", "--cycles", "0"]
    path = config(gpu, quarter)
    options += ["--config", path]
    if sms:
        options += ["--sms", str(sms)]
    if kernels > 1:
        options += ["--policy", os.path.join(ROOT, SHARE)]
        # So many that nobody waits for a quota.
        options += ["--set", "quota=1000000000"]
    start = time.monotonic()
    done = subprocess.run(
        [command] + options + files, check=True, capture_output=True, text=True
    )
    host = time.monotonic() - start
    return {
        **figures(json.loads(done.stdout), request_bytes(path)),
        "host_s": round(host, 3),
        "convert_s": seconds,
    }


def figures(result, request):
    tenants = result["tenants"]

    def total(name):
        return sum(tenant["counters"][name] for tenant in tenants)

    def of_each(value):
        """What only pairs have: a figure of each kernel."""
        if len(tenants) == 1:
            return ""
        return "/".join(str(value(tenant, tenant["counters"])) for tenant in tenants)

    def latency(_, counters):
        return round(counters["load_cycles"] / max(counters["load_requests"], 1))

    return {
        "cycles": result["cycles"],
        "kernel_cycles": of_each(lambda tenant, _: tenant["cycles"]),
        "load_latency": of_each(latency),
        "read_misses": of_each(lambda _, counters: counters["dram_fills"]),
        "insn": total("thread_instructions"),
        # Accel-Sim's L1 counts stores as accesses, and those that go on as misses.
        "l1_acc": total("l1_accesses") + total("l1_stores"),
        "l1_miss": total("l1_misses") + total("l1_stores"),
        "llc_acc": total("llc_accesses"),
        "llc_miss": total("llc_misses"),
        "rd_kib": total("dram_fills") * request // 1024,
        "wr_kib": total("dram_writebacks") * request // 1024,
        "act": total("row_activates"),
        "util": round(sum(tenant["bandwidth"] for tenant in tenants), 4),
    }
