# SPDX-License-Identifier: GPL-2.0
"""Accel-Sim: checks and builds a clone, runs traces, reads what it prints.

It builds without CUDA, a GPU or a driver: of CUDA only the headers are used, and
nvcc is asked for nothing but its version.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
OVERRIDES = os.path.join(HERE, "../../tests/validation/accelsim-{}.overrides")
# The commits whose results are stored.
PINNED = {
    ".": ("Accel-Sim", "73f9fac68a1a717750da54d2d867c7524b47b4c3"),
    "gpu-simulator/gpgpu-sim": (
        "GPGPU-Sim",
        "667834cfe5214523edd7769aeab77f91b7137686",
    ),
}
CUDA_PACKAGE = "nvidia-cuda-dev"
NVCC = '#!/bin/sh\necho "Cuda compilation tools, release 11.8, V11.8.89"\n'
# CUDA 12 took this struct out of its headers; GPGPU-Sim names it.
TEXTURE_REFERENCE = """
struct textureReference {
	int normalized;
	enum cudaTextureFilterMode filterMode;
	enum cudaTextureAddressMode addressMode[3];
	struct cudaChannelFormatDesc channelDesc;
	int sRGB;
	unsigned int maxAnisotropy;
	enum cudaTextureFilterMode mipmapFilterMode;
	float mipmapLevelBias;
	float minMipmapLevelClamp;
	float maxMipmapLevelClamp;
	int disableTrilinearOptimization;
	int reserved[14];
};
"""

# What Accel-Sim counts for us beside its own figures: the loads that leave an L1 and how
# long they take, by the stream of their kernel. Nothing else looks at the counts.
COUNT_LOADS = r"""
#include <map>
static std::map<unsigned long long, unsigned long long> loads_of, load_cycles_of;
static void count_load(mem_fetch *mf, unsigned latency) {
  if (mf->get_is_write()) return;
  loads_of[mf->get_streamID()]++;
  load_cycles_of[mf->get_streamID()] += latency;
}
static void print_loads() {
  for (auto &loads : loads_of)
    printf("loads of stream %llu = %llu in %llu cycles\n", loads.first,
           loads.second, load_cycles_of[loads.first]);
}
"""


def fail(message):
    sys.exit(f"tools/validate: {message}")


def check_commits(clone):
    """Says so where a clone is of another commit. True: both are the pinned ones."""
    pinned = True
    for folder, (name, wanted) in PINNED.items():
        path = os.path.join(clone, folder)
        if not os.path.exists(os.path.join(path, ".git")):
            fail(f"{path} is no clone of {name}; see docs/validation.md")
        found = subprocess.run(
            ["git", "-C", path, "rev-parse", "HEAD"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        if found != wanted:
            pinned = False
            print(
                f"tools/validate: {name} is at {found[:12]}; "
                f"stored results are of {wanted[:12]}",
                file=sys.stderr,
            )
    return pinned


def program(clone):
    return os.path.join(clone, "gpu-simulator/bin/release/accel-sim.out")


def fetch_headers(cuda):
    """CUDA's headers out of Debian's package, of which nothing is installed."""
    with tempfile.TemporaryDirectory() as folder:
        # apt gives up root's rights for what it downloads.
        os.chmod(folder, 0o777)
        got = subprocess.run(["apt-get", "download", CUDA_PACKAGE], cwd=folder)
        if got.returncode:
            fail(
                f"apt-get cannot download {CUDA_PACKAGE}: switch on Debian's components "
                "contrib and non-free, or name a folder of CUDA 11 with --cuda"
            )
        package = glob.glob(os.path.join(folder, "*.deb"))[0]
        # The libraries beside them have gigabytes.
        unpack = 'dpkg-deb --fsys-tarfile "$0" | tar -x --wildcards "./usr/include/*"'
        subprocess.run(["sh", "-c", unpack, package], cwd=folder, check=True)
        os.makedirs(cuda, exist_ok=True)
        shutil.copytree(f"{folder}/usr/include", f"{cuda}/include")


def release_of(cuda):
    """The release of CUDA whose headers are there, such as 13."""
    path = os.path.join(cuda, "include/cuda_runtime_api.h")
    if not os.path.exists(path):
        return 0
    with open(path, encoding="utf-8") as file:
        found = re.search(r"#define CUDART_VERSION\s+(\d+)", file.read())
    return int(found[1]) // 1000 if found else 0


def copy_newer_headers(cuda, copy):
    """A copy of the headers of CUDA 12 or later, in which GPGPU-Sim finds what it names."""
    if os.path.exists(copy):
        shutil.rmtree(copy)
    shutil.copytree(os.path.join(cuda, "include"), os.path.join(copy, "include"))
    path = os.path.join(copy, "include/texture_types.h")
    edit(path, (r"(?s)(.*\n)(#endif)", lambda found: found[1] + TEXTURE_REFERENCE + found[2]))


def prepare_cuda(cuda):
    if not os.path.exists(os.path.join(cuda, "include/vector_types.h")):
        fetch_headers(cuda)
    nvcc = os.path.join(cuda, "bin/nvcc")
    if not os.path.exists(nvcc):
        os.makedirs(os.path.dirname(nvcc), exist_ok=True)
        with open(nvcc, "w", encoding="ascii") as file:
            file.write(NVCC)
        os.chmod(nvcc, 0o755)


def edit(path, *changes):
    with open(path, encoding="utf-8") as file:
        before = file.read()
    after = before
    for old, new in changes:
        after = re.sub(old, new, after)
    if after != before:
        with open(path, "w", encoding="utf-8") as file:
            file.write(after)


def trim_makefiles(simulator):
    """Leaves out what is slow and not needed; no result depends on it."""
    for path in glob.glob(f"{simulator}/**/Makefile", recursive=True):
        edit(path, (r"-g3", ""))
    for path in glob.glob(f"{simulator}/gpgpu-sim/src/accelwattch/**", recursive=True):
        if path.endswith((".mk", "Makefile")):
            edit(path, (r"-g3", ""), (r"-O3", "-O1"))
    edit(
        f"{simulator}/gpgpu-sim/Makefile",
        (r"TARGETS \+= cuobjdump_to_ptxplus/cuobjdump_to_ptxplus", ""),
    )


def count_loads(simulator):
    path = f"{simulator}/gpgpu-sim/src/gpgpu-sim/mem_latency_stat.cc"
    with open(path, encoding="utf-8") as file:
        if "count_load" in file.read():
            return
    edit(
        path,
        (
            r'#include "../../libcuda/gpgpu_context.h"\n',
            lambda found: found[0] + COUNT_LOADS,
        ),
        (
            r" *unsigned mf_latency = memlatstat_done\(mf\);\n",
            r"\g<0>    count_load(mf, mf_latency);\n",
        ),
        (r' *printf\("maxmflatency = ', r"    print_loads();\n\g<0>"),
    )


def build(clone, cuda):
    print(
        "tools/validate: building Accel-Sim; tools/install-packages validate installs "
        "what it needs",
        file=sys.stderr,
    )
    simulator = os.path.join(clone, "gpu-simulator")
    if release_of(cuda) > 11:
        newer, cuda = cuda, os.path.join(clone, "cuda")
        copy_newer_headers(newer, cuda)
        # The field went out of cudaDeviceProp with CUDA 13; no result depends on it.
        edit(
            f"{simulator}/gpgpu-sim/libcuda/cuda_runtime_api.cc",
            (r"\n *prop->clockRate = [^\n]*", ""),
        )
    prepare_cuda(cuda)
    # Otherwise the set-up clones it.
    os.makedirs(f"{simulator}/extern/pybind11", exist_ok=True)
    trim_makefiles(simulator)
    count_loads(simulator)
    log = os.path.join(clone, "build.log")
    with open(log, "w", encoding="utf-8") as file:
        done = subprocess.run(
            ["bash", "-c", "source setup_environment.sh && make -j2"],
            cwd=simulator,
            env={**os.environ, "CUDA_INSTALL_PATH": os.path.abspath(cuda)},
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    if done.returncode or not os.path.exists(program(clone)):
        fail(f"Accel-Sim cannot be built; see {log}")


def prepare(clone, cuda):
    """A clone that can run. True: it is of the pinned commits."""
    pinned = check_commits(clone)
    if not os.path.exists(program(clone)):
        build(clone, cuda or os.path.join(clone, "cuda"))
    return pinned


def command(clone, gpu, trace, quarter, sms, kernels):
    simulator = os.path.join(clone, "gpu-simulator")
    base = "configs/tested-cfgs/SM7_QV100"
    options = [
        program(clone),
        "-trace",
        os.path.join(trace, "kernelslist.g"),
        "-config",
        f"{simulator}/gpgpu-sim/{base}/gpgpusim.config",
        "-config",
        f"{simulator}/{base}/trace.config",
        "-config",
        os.path.abspath(OVERRIDES.format(gpu)),
    ]
    all_sms = 20 if quarter else 80
    options += ["-gpgpu_n_clusters", str(sms or all_sms)]
    options += ["-gpgpu_n_mem", "8" if quarter else "32"]
    if kernels > 1:
        options += ["-gpgpu_concurrent_kernel_sm", "1"]
    return options


def run(clone, gpu, trace, quarter, sms=0, kernels=1):
    """Figures of a run; sms 0: all of them. It writes files, so it gets a folder."""
    simulator = os.path.join(clone, "gpu-simulator")
    library = glob.glob(f"{simulator}/gpgpu-sim/lib/gcc-*/cuda-*/release")[0]
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": library,
        "GPGPUSIM_ROOT": f"{simulator}/gpgpu-sim",
    }
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            command(clone, gpu, os.path.abspath(trace), quarter, sms, kernels),
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    seconds = time.monotonic() - start
    if "exit detected" not in done.stdout:
        fail(f"Accel-Sim failed on {trace}:\n{done.stdout[-2000:]}")
    return {**figures(done.stdout, kernels), "host_s": round(seconds, 2)}


def last(text, name):
    found = re.findall(rf"\b{name}\s*=\s*(\d+)", text)
    return int(found[-1]) if found else 0


def kernel_cycles(text, kernels):
    """When each of several kernels ended, in the order of their streams."""
    ends = {}
    for stream, cycle in re.findall(
        r"kernel_stream_id = (\d+)\n.*?gpu_tot_sim_cycle = (\d+)", text, re.S
    ):
        ends[int(stream)] = cycle
    return "/".join(ends[stream] for stream in range(kernels))


def kernel_loads(text, kernels):
    """How long a load takes that leaves an L1, in the mean, of each of several kernels."""
    latencies = ["0"] * kernels
    for stream, loads, cycles in re.findall(
        r"loads of stream (\d+) = (\d+) in (\d+) cycles", text
    ):
        if int(stream) < kernels:
            latencies[int(stream)] = str(round(int(cycles) / int(loads)))
    return "/".join(latencies)


def kernel_misses(text, kernels):
    """Loads of each kernel that missed in the last-level cache: each kernel's figures
    are printed when it has ended."""
    misses = ["0"] * kernels
    for part in text.split("kernel_stream_id = ")[1:]:
        stream = int(re.match(r"\d+", part)[0])
        counts = dict(
            re.findall(
                r"L2_cache_stats_breakdown\[GLOBAL_ACC_R\]\[(\w+)\] = (\d+)", part
            )
        )
        found = int(counts.get("MISS", 0)) + int(counts.get("SECTOR_MISS", 0))
        misses[stream] = str(found)
    return "/".join(misses)


def figures(text, kernels):
    """What it printed after the last kernel, about the whole run."""
    end = text[text.rindex("gpu_tot_sim_cycle") :]

    def of_channels(name):
        return sum(int(value) for value in re.findall(rf"\b{name}=(\d+)", end))

    width, burst = re.search(r"busW=(\d+) BL=(\d+)", end).groups()
    access_bytes = int(width) * int(burst)
    # n_rd_L2_A: fetched for a store that writes a part of a line.
    reads = of_channels("n_rd") + of_channels("n_rd_L2_A")
    writes = of_channels("n_write") + of_channels("n_wr_bk")
    busy = [float(value) for value in re.findall(r"bw_util=([\d.]+)", end)]
    return {
        "cycles": last(text, "gpu_tot_sim_cycle"),
        "kernel_cycles": kernel_cycles(text, kernels) if kernels > 1 else "",
        "load_latency": kernel_loads(text, kernels) if kernels > 1 else "",
        "read_misses": kernel_misses(text, kernels) if kernels > 1 else "",
        "insn": last(text, "gpu_tot_sim_insn"),
        "l1_acc": last(text, "L1D_total_cache_accesses"),
        "l1_miss": last(text, "L1D_total_cache_misses"),
        "llc_acc": last(text, "L2_total_cache_accesses"),
        "llc_miss": last(text, "L2_total_cache_misses"),
        "rd_kib": reads * access_bytes // 1024,
        "wr_kib": writes * access_bytes // 1024,
        "act": of_channels("n_act"),
        "util": round(sum(busy) / len(busy), 4),
    }
