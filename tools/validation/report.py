# SPDX-License-Identifier: GPL-2.0
"""What was compared, as a table, as a picture, and as tables of a page."""
import subprocess

import page_tables
import traces

UNITS = "LLC accesses and DRAM requests are lines on hbm80, sectors of 32 B on qv100"
REQUEST_BYTES = {"hbm80": 128, "qv100": 32}


def ipc(figures):
    return figures["insn"] / figures["cycles"]


def row_hits(gpu, figures):
    """1 - activates / requests; None without requests."""
    requests = (figures["rd_kib"] + figures["wr_kib"]) * 1024 / REQUEST_BYTES[gpu]
    return 1 - figures["act"] / requests if requests else None


def difference(theirs, ours, name="cycles"):
    """Of simgpu, relative to Accel-Sim; None if there is nothing to compare."""
    if theirs[name]:
        return ours[name] / theirs[name] - 1
    return None if not ours[name] else float("inf")


def percent(value):
    return "" if value is None else f"{value * 100:+.1f}%"


def ratio(value):
    return "" if value is None else f"{value:.2f}"


def cells(key, theirs, ours):
    """Of a row: what is printed."""
    gpu, _, name, sms = key
    return [
        gpu,
        name,
        sms,
        theirs["cycles"],
        ours["cycles"],
        percent(difference(theirs, ours)),
        f"{ipc(theirs):.1f}",
        f"{ipc(ours):.1f}",
        theirs["l1_miss"],
        ours["l1_miss"],
        theirs["llc_acc"],
        ours["llc_acc"],
        theirs["rd_kib"],
        ours["rd_kib"],
        theirs["wr_kib"],
        ours["wr_kib"],
        ratio(row_hits(gpu, theirs)),
        ratio(row_hits(gpu, ours)),
        ratio(theirs["util"]),
        ratio(ours["util"]),
        f"{theirs['host_s']:.1f}",
        f"{ours['host_s']:.3f}",
        f"{theirs['host_s'] / ours['host_s']:.0f}",
    ]


WIDTHS = [-6, -16, -4] + [8, 8, 8, 7, 7] + [7] * 4 + [6] * 4 + [5] * 4 + [7, 6, 6]
HEADINGS = [
    ("GPU", 1),
    ("TRACE", 1),
    ("SMS", 1),
    ("CYCLES", 3),
    ("IPC", 2),
    ("L1 MISSES", 2),
    ("LLC", 2),
    ("DRAM RD KiB", 2),
    ("DRAM WR KiB", 2),
    ("RBH", 2),
    ("BUS", 2),
    ("HOST s", 2),
    ("x", 1),
]


def pad(text, width):
    return f"{text:<{-width}}" if width < 0 else f"{text:>{width}}"


def print_heading():
    print("Each pair: Accel-Sim, simgpu. " + UNITS)
    place, line = 0, []
    for heading, columns in HEADINGS:
        width = sum(abs(width) + 1 for width in WIDTHS[place : place + columns]) - 1
        line.append(pad(heading, -width if WIDTHS[place] < 0 else width))
        place += columns
    print(" ".join(line))


def print_row(key, theirs, ours):
    texts = [pad(cell, width) for cell, width in zip(cells(key, theirs, ours), WIDTHS)]
    print(" ".join(texts).rstrip(), flush=True)
    pairs = zip(kernels_of(key, theirs), kernels_of(key, ours))
    for (name, before), (_, after) in pairs:
        print(f"{'':6}   {name:14}     {before:8} {after:8} {percent(after / before - 1):>8}")


def kernels_of(key, figures):
    """(name, cycles) of each kernel, where there are several."""
    if not figures["kernel_cycles"]:
        return []
    cycles = [int(text) for text in figures["kernel_cycles"].split("/")]
    return list(zip(traces.kernels_of(key[2]), cycles))


def mean_difference(rows):
    differences = [abs(difference(theirs, ours)) for _, theirs, ours in rows]
    return sum(differences) / len(differences)


def of_gpu(rows, gpu):
    return [row for row in rows if row[0][0] == gpu]


def gpus(rows):
    return list(dict.fromkeys(row[0][0] for row in rows))


def print_summary(rows):
    for gpu in gpus(rows):
        chosen = of_gpu(rows, gpu)
        worst = max(chosen, key=lambda row: abs(difference(row[1], row[2])))
        print(
            f"{gpu}: {len(chosen)} runs, cycles differ by {mean_difference(chosen):.1%} "
            f"in the mean, by {percent(difference(worst[1], worst[2]))} at most "
            f"({worst[0][2]})"
        )


# --- a page -------------------------------------------------------------------------


def markdown(rows):
    lines = [
        "| trace | SMs | cycles: Accel-Sim | simgpu | | IPC | | LLC accesses | | "
        "DRAM reads, KiB | | RBH | | bus | | times faster |",
        "| --- | --- " + "| ---: " * 14 + "|",
    ]
    for key, theirs, ours in rows:
        gpu, _, name, sms = key
        lines.append(
            f"| {name} | {sms} | {theirs['cycles']:,} | {ours['cycles']:,} "
            f"| {percent(difference(theirs, ours))} | {ipc(theirs):.1f} | {ipc(ours):.1f} "
            f"| {theirs['llc_acc']:,} | {ours['llc_acc']:,} "
            f"| {theirs['rd_kib']:,} | {ours['rd_kib']:,} "
            f"| {ratio(row_hits(gpu, theirs))} | {ratio(row_hits(gpu, ours))} "
            f"| {ratio(theirs['util'])} | {ratio(ours['util'])} "
            f"| {theirs['host_s'] / ours['host_s']:,.0f} |"
        )
        for (kernel, before), (_, after) in zip(
            kernels_of(key, theirs), kernels_of(key, ours)
        ):
            lines.append(
                f"| - {kernel} | | {before:,} | {after:,} | {percent(after / before - 1)} "
                + "| " * 11
                + "|"
            )
    return "\n".join(lines)


def renew_page(path, rows):
    """Puts the tables of these runs into a page; they are named GPU SIZE there."""
    for gpu in gpus(rows):
        chosen = of_gpu(rows, gpu)
        page_tables.renew(
            path,
            f"{gpu} {chosen[0][0][1]}",
            f"{len(chosen)} runs: cycles differ by {mean_difference(chosen):.1%} in the mean.\n\n"
            + markdown(chosen),
        )


# --- a picture ----------------------------------------------------------------------

PLOT = """set terminal svg size 1000,{height} font "sans,11" background "white"
set output "{path}"
set multiplot layout {panels},1
set style fill solid 0.8
set boxwidth 0.7
set xtics rotate by 60 right nomirror noenhanced font ",9"
set ylabel "cycles, of Accel-Sim's"
set yrange [0:*<2.5]
set grid ytics
unset key
"""
PANEL = """set title "{gpu}: simgpu's cycles beside Accel-Sim's; grey: within {band}%"
set xrange [-0.7:{last}]
set object 1 rectangle from graph 0,first {low} to graph 1,first {high} \
fillcolor "gray90" fillstyle solid noborder behind
plot $data{number} using 0:2:xtic(1) with boxes linecolor "#2471a3", \
1 with lines linecolor "black"
"""
BAND = {"hbm80": 10, "qv100": 20}


def draw(path, rows):
    text = PLOT.format(path=path, panels=len(gpus(rows)), height=360 * len(gpus(rows)))
    for number, gpu in enumerate(gpus(rows)):
        chosen = of_gpu(rows, gpu)
        text += f"$data{number} << END\n"
        for key, theirs, ours in chosen:
            name = key[2] if key[3] == "all" else f"{key[2]}, {key[3]} SMs"
            text += f'"{name}" {ours["cycles"] / theirs["cycles"]:.4f}\n'
        text += "END\n"
        band = BAND[gpu]
        text += PANEL.format(
            gpu=gpu,
            band=band,
            low=1 - band / 100,
            high=1 + band / 100,
            last=len(chosen) - 0.3,
            number=number,
        )
    text += "unset multiplot\n"
    subprocess.run(["gnuplot"], input=text, text=True, check=True)
