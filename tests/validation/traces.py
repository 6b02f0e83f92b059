#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Writes the reference traces: clean access patterns in the format of Accel-Sim's
tracer (version 5). Each of them isolates one mechanism of a GPU.

usage: traces.py [--scale N] DIRECTORY [NAME...]
       traces.py --list

Each trace is DIRECTORY/NAME/kernelslist.g with its kernels. --scale 4 divides grids
and footprints by 4, for a quarter of the GPU (20 SMs, 8 channels). The same call
writes the same bytes.
"""
import argparse
import os
import random

GLOBAL = 0x7FB000000000
SHARED = 0x7FA000000000
LOCAL = 0x7FA100000000
LINE = 128
LANES = 32
ALL_LANES = 0xFFFFFFFF
# Registers: addresses, an accumulator, operands that nobody writes, loaded values.
ADDRESS, SUM, LEFT, RIGHT, VALUE = 250, 4, 5, 6, 8

HEADER = """-kernel name = {name}
-kernel id = {number}
-grid dim = ({blocks},1,1)
-block dim = ({threads},1,1)
-shmem = {shared_bytes}
-nregs = {registers}
-binary version = {binary}
-cuda stream id = {stream}
-shmem base_addr = 0x{shared:016x}
-local mem base_addr = 0x{local:016x}
-nvbit version = 1.7
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] \
mem_width [adrrescompress?] [mem_addresses] immediate

"""


class Warp:
    """The instructions of one warp, and who it is."""

    def __init__(self, shape, block, index, rng, memory):
        self.memory = memory  # where its kernel's arrays begin
        self.block = block
        self.index = index  # in its thread block
        self.number = block * shape.warps + index  # in the grid
        self.count = shape.blocks * shape.warps  # warps of the grid
        self.scale = shape.scale
        self.rng = rng
        self.lines = []

    def put(self, text, lanes=ALL_LANES):
        self.lines.append(f"{len(self.lines) * 16:04x} {lanes:08x} {text}")

    def arithmetic(self, opcode, dest, sources):
        dests = f"1 R{dest}" if dest else "0"
        registers = "".join(f"R{source} " for source in sources)
        self.put(f"{dests} {opcode} {len(sources)} {registers}0 0 ")

    def load(self, dest, address, stride=4, opcode="LDG.E", base=ADDRESS):
        self.put(f"1 R{dest} {opcode} 1 R{base} 4 1 0x{address:x} {stride} 0 ")

    def store(self, value, address, stride=4, opcode="STG.E"):
        self.put(f"0 {opcode} 2 R{ADDRESS} R{value} 4 1 0x{address:x} {stride} 0 ")

    def load_each(self, dest, addresses, opcode="LDG.E"):
        self.put(f"1 R{dest} {opcode} 1 R{ADDRESS} 4 0 {listed(addresses)} 0 ")

    def store_each(self, value, addresses):
        self.put(f"0 STG.E 2 R{ADDRESS} R{value} 4 0 {listed(addresses)} 0 ")

    def reduce(self, addresses):
        opcode = "RED.E.ADD.F32.FTZ.RN.STRONG.GPU"
        self.put(f"0 {opcode} 2 R{ADDRESS} R{SUM} 4 0 {listed(addresses)} 0 ")

    def atomic(self, dest, addresses, opcode="ATOMG.E.ADD.STRONG.GPU"):
        self.put(f"1 R{dest} {opcode} 2 R{ADDRESS} R{SUM} 4 0 {listed(addresses)} 0 ")

    def barrier(self):
        self.put("0 BAR.SYNC 0 0 0 ")

    def add(self, register):
        self.arithmetic("FADD", SUM, [SUM, register])

    def fma(self, register=SUM):
        self.arithmetic("FFMA", register, [register, LEFT, RIGHT])


def listed(addresses):
    return " ".join(f"0x{address:x}" for address in addresses)


class Shape:
    """What a kernel asks for. Grids are of all 80 SMs, each with 64 warps at most."""

    def __init__(self, scale, blocks=640, warps=8, shared_bytes=0, whole=False, binary=70):
        self.scale = scale
        self.blocks = blocks if whole else blocks // scale
        self.warps = warps
        self.shared_bytes = shared_bytes
        self.binary = binary


TRACES = {}


def trace(**shape):
    """Lists a trace of one kernel; the function's comment says what it is about."""

    def add(body):
        TRACES[body.__name__] = [(body, shape)]
        return body

    return add


# --- DRAM and the last-level cache --------------------------------------------------


def stream(warp, loads, unroll, copies=False, modulus=None):
    """Grid-stride, coalesced: `unroll` independent loads before the first use."""
    for first in range(0, loads, unroll):
        at = [((first + u) * warp.count + warp.number) * LINE for u in range(unroll)]
        if modulus:
            at = [address % modulus for address in at]
        warp.arithmetic("IADD3", ADDRESS, [ADDRESS])
        for u in range(unroll):
            warp.load(10 + u, warp.memory + at[u])
        for u in range(unroll):
            if copies:
                warp.store(10 + u, warp.memory + (1 << 28) + at[u])
            else:
                warp.add(10 + u)
        warp.arithmetic("ISETP.GE.AND", 0, [ADDRESS])
        warp.arithmetic("BRA", 0, [])


@trace()
def read(warp):
    """a stream, 4 loads in flight a warp"""
    stream(warp, 24, 4)


@trace()
def read1(warp):
    """a stream, 1 load in flight a warp"""
    stream(warp, 12, 1)


@trace()
def read8(warp):
    """a stream, 8 loads in flight a warp"""
    stream(warp, 24, 8)


@trace()
def copy(warp):
    """a stream read, another written"""
    stream(warp, 12, 4, copies=True)


@trace()
def llcfit(warp):
    """2 MiB, read over seven times"""
    stream(warp, 24, 4, modulus=(2 << 20) // warp.scale)


@trace()
def rline(warp):
    """a random line a load"""
    for _ in range(0, 12, 4):
        for u in range(4):
            warp.load(10 + u, warp.memory + warp.rng.randrange(1 << 21) * LINE)
        for u in range(4):
            warp.add(10 + u)


@trace(blocks=320)
def gather(warp):
    """a random word a lane"""
    for _ in range(2):
        words = [warp.rng.randrange(1 << 26) for _ in range(LANES)]
        warp.load_each(10, [warp.memory + word * 4 for word in words])
        warp.add(10)


@trace(blocks=320)
def gather8(warp):
    """8 random lines a load, 4 neighbouring words of each"""
    for _ in range(4):
        lines = [warp.rng.randrange(1 << 21) for _ in range(8)]
        warp.load_each(
            10, [warp.memory + lines[lane // 4] * LINE + lane % 4 * 4 for lane in range(LANES)]
        )
        warp.add(10)


@trace()
def half(warp):
    """lanes 8 B apart: half of each line is used"""
    for first in range(0, 12, 4):
        for u in range(4):
            at = ((first + u) * warp.count + warp.number) * 2 * LINE
            warp.load(10 + u, warp.memory + at, stride=8)
        for u in range(4):
            warp.add(10 + u)


@trace()
def write(warp):
    """whole lines that nobody reads"""
    for k in range(12):
        warp.store(VALUE, warp.memory + (k * warp.count + warp.number) * LINE)


@trace()
def write_half(warp):
    """4 of every 8 bytes of lines that nobody reads"""
    for k in range(4):
        warp.store(VALUE, warp.memory + (k * warp.count + warp.number) * 2 * LINE, stride=8)


@trace(blocks=320)
def write_word(warp):
    """4 of every 32 bytes of lines that nobody reads"""
    for k in range(2):
        warp.store(VALUE, warp.memory + (k * warp.count + warp.number) * 8 * LINE, stride=32)


def bursts(warp, loads):
    """So many loads, then as many uses."""
    for first in range(0, 96, loads):
        for u in range(loads):
            warp.load(10 + u, warp.memory + ((first + u) * warp.count + warp.number) * LINE)
        for u in range(loads):
            warp.add(10 + u)


@trace(blocks=80, warps=4)
def burst8(warp):
    """4 warps an SM, 8 loads in flight each"""
    bursts(warp, 8)


@trace(blocks=80, warps=4)
def burst16(warp):
    """4 warps an SM, 16 loads in flight each"""
    bursts(warp, 16)


@trace(blocks=80, warps=4)
def burst32(warp):
    """4 warps an SM, 32 loads in flight each"""
    bursts(warp, 32)


# --- many arrays at once --------------------------------------------------------------

# What CUDA begins a large array at a multiple of.
ALLOCATION = 2 << 20


def many(warp, reads, writes, turns, unit=LINE):
    """Each turn reads a line of some arrays and writes one of others."""
    apart = -(-turns * warp.count * LINE // unit) * unit
    for k in range(turns):
        at = warp.memory + (k * warp.count + warp.number) * LINE
        warp.arithmetic("IADD3", ADDRESS, [ADDRESS])
        for u in range(reads):
            warp.load(10 + u, u * apart + at)
        for u in range(reads):
            warp.add(10 + u)
        for u in range(writes):
            warp.store(SUM, (reads + u) * apart + at)


@trace()
def arrays4_2(warp):
    """4 arrays read and 2 written, one after the other in memory"""
    many(warp, 4, 2, 6)


@trace()
def arrays9_9(warp):
    """9 arrays read and 9 written, as of a lattice Boltzmann method"""
    many(warp, 9, 9, 3)


@trace()
def arrays16(warp):
    """16 arrays read"""
    many(warp, 16, 0, 3)


@trace()
def arrays4_2_apart(warp):
    """as arrays4_2, each at a multiple of 2 MiB"""
    many(warp, 4, 2, 6, ALLOCATION)


@trace()
def arrays9_9_apart(warp):
    """as arrays9_9, each at a multiple of 2 MiB"""
    many(warp, 9, 9, 3, ALLOCATION)


@trace()
def arrays16_apart(warp):
    """as arrays16, each at a multiple of 2 MiB"""
    many(warp, 16, 0, 3, ALLOCATION)


@trace(blocks=1280, warps=16)
def distances(warp):
    """Streamcluster's distances: 48 coordinates of a point, each beside that of a centre"""
    apart = warp.count * LINE
    for k in range(48):
        warp.arithmetic("IADD3", ADDRESS, [ADDRESS])
        warp.load(10, warp.memory + k * apart + warp.number * LINE)
        warp.load(11, warp.memory + k * apart + apart // 2, stride=0)
        warp.arithmetic("FADD", 12, [10, 11])
        warp.arithmetic("FFMA", SUM, [12, 12, SUM])
        for register in (20, 21, 20):
            warp.arithmetic("IADD3", register, [register])
        warp.arithmetic("ISETP.GE.AND", 0, [21])
        warp.arithmetic("BRA", 0, [])


# --- latencies ----------------------------------------------------------------------


def chase(warp, lines, span, times):
    for _ in range(times):
        for line in range(lines):
            warp.load(ADDRESS, warp.memory + line * span)


@trace(blocks=1, warps=1, whole=True)
def lat_l1(warp):
    """one warp chases a pointer in its L1"""
    chase(warp, 16, LINE, 11)


@trace(blocks=2, whole=True)
def lat_llc(warp):
    """one warp chases a pointer through lines that another SM has fetched before"""
    if warp.block == 1:
        for k in range(25):
            warp.load(VALUE + k, warp.memory + (warp.index * 25 + k) * LINE)
    elif warp.index == 0:
        for _ in range(300):
            warp.fma()
        warp.arithmetic("FFMA", ADDRESS, [SUM, LEFT, RIGHT])
        chase(warp, 200, LINE, 1)


@trace(blocks=1, warps=1, whole=True)
def lat_dram(warp):
    """one warp chases a pointer in DRAM"""
    chase(warp, 200, LINE * 131, 1)


# --- L1 -----------------------------------------------------------------------------


@trace()
def l1hit(warp):
    """4 lines a warp (32 KiB an SM), again and again"""
    for _ in range(0, 16, 4):
        for u in range(4):
            warp.load(10 + u, warp.memory + (warp.number * 4 + u) * LINE)
        for u in range(4):
            warp.add(10 + u)


@trace(blocks=80, warps=4)
def l1_few(warp):
    """4 warps an SM, a hit, its use, and again"""
    for _ in range(60):
        warp.load(VALUE, warp.memory + warp.number * LINE)
        warp.add(VALUE)


@trace(blocks=320)
def l1_many(warp):
    """32 warps an SM, independent hits"""
    warp.load(VALUE, warp.memory + warp.number * LINE)
    warp.add(VALUE)
    for k in range(60):
        warp.load(VALUE + k % 12, warp.memory + warp.number * LINE)


@trace(blocks=80)
def l1_merge(warp):
    """8 warps an SM, 20 loads of a line that is on its way"""
    for step in range(2):
        for k in range(20):
            warp.load(VALUE + k, warp.memory + (step * warp.count + warp.number) * LINE)
        for k in range(20):
            warp.add(VALUE + k)


# --- arithmetic ---------------------------------------------------------------------


def chains(warp, opcode, count, instructions, width=1):
    """So many chains of dependent instructions in turn."""
    for k in range(instructions):
        register = VALUE + width * (k % count)
        warp.arithmetic(opcode, register, [register, LEFT, RIGHT])


@trace()
def fma1(warp):
    """64 warps an SM, each FFMA depends on the last"""
    for _ in range(100):
        warp.fma()


@trace()
def fma2(warp):
    """two chains of FFMA"""
    chains(warp, "FFMA", 2, 100)


@trace()
def fma4(warp):
    """four chains of FFMA"""
    chains(warp, "FFMA", 4, 100)


@trace(blocks=320)
def fma1_half(warp):
    """32 warps an SM, each FFMA depends on the last"""
    for _ in range(200):
        warp.fma()


@trace(blocks=80, warps=4)
def fma_few(warp):
    """4 warps an SM, each FFMA depends on the last"""
    for _ in range(400):
        warp.fma()


@trace(blocks=80, warps=12)
def fma_some(warp):
    """12 warps an SM, two chains of FFMA"""
    chains(warp, "FFMA", 2, 300)


@trace()
def mix4(warp):
    """FFMA and IADD3 in turn"""
    for _ in range(25):
        warp.fma(8)
        warp.arithmetic("IADD3", 9, [9, LEFT])
        warp.fma(10)
        warp.arithmetic("IADD3", 11, [11, LEFT])


@trace(blocks=80, warps=4)
def mix_few(warp):
    """4 warps an SM: FFMA and IADD3 in turn, each depends on the last"""
    for _ in range(150):
        warp.fma(VALUE)
        warp.arithmetic("IADD3", VALUE, [VALUE, LEFT])


@trace()
def mufu(warp):
    """special functions, four results in turn"""
    for k in range(40):
        warp.arithmetic("MUFU.RCP", VALUE + k % 4, [LEFT])


@trace(blocks=160)
def mufu1(warp):
    """16 warps an SM, each special function depends on the last"""
    for _ in range(60):
        warp.arithmetic("MUFU.RCP", VALUE, [VALUE])


@trace()
def dfma(warp):
    """double precision, four chains"""
    for k in range(40):
        register = VALUE + 2 * (k % 4)
        warp.arithmetic("DFMA", register, [LEFT, RIGHT, register])


@trace(blocks=160)
def dfma1(warp):
    """16 warps an SM, each DFMA depends on the last"""
    chains(warp, "DFMA", 1, 100)


@trace()
def hmma(warp):
    """tensor cores, four chains"""
    chains(warp, "HMMA.884.F32.F32", 4, 80, width=2)


@trace(blocks=80, warps=4)
def hmma_few(warp):
    """4 warps an SM, each HMMA depends on the last"""
    chains(warp, "HMMA.884.F32.F32", 1, 300)


# --- shared memory and barriers -----------------------------------------------------


def shared_loads(warp, instructions, stride=4):
    for k in range(instructions):
        warp.load(VALUE + k % 4, SHARED + warp.index * LINE, stride, "LDS")


@trace(shared_bytes=8192)
def lds(warp):
    """shared memory without conflicts"""
    shared_loads(warp, 60)


@trace(shared_bytes=8192)
def lds_2way(warp):
    """lanes 8 B apart: two words of a bank"""
    shared_loads(warp, 40, 8)


@trace(blocks=320, shared_bytes=16384)
def lds_8way(warp):
    """lanes 32 B apart: eight words of a bank"""
    shared_loads(warp, 30, 32)


@trace(blocks=80, warps=4, shared_bytes=8192)
def lds_few(warp):
    """4 warps an SM, each waits for its word"""
    for _ in range(100):
        warp.load(VALUE, SHARED + warp.index * LINE, opcode="LDS")
        warp.arithmetic("FFMA", SUM, [SUM, VALUE, RIGHT])


@trace(blocks=320, shared_bytes=8192)
def lds_fma(warp):
    """a word of shared memory for three FFMA that do not need it"""
    for k in range(40):
        warp.load(VALUE + k % 8, SHARED + warp.index * LINE, opcode="LDS")
        for u in range(3):
            warp.arithmetic("FFMA", 20 + (3 * k + u) % 12, [LEFT, RIGHT, 7])


@trace(shared_bytes=8192)
def sts(warp):
    """stores to shared memory without conflicts"""
    for k in range(60):
        warp.store(VALUE + k % 4, SHARED + warp.index * LINE, opcode="STS")


@trace(blocks=320, shared_bytes=16384)
def sts_4way(warp):
    """stores, lanes 16 B apart: four words of a bank"""
    for k in range(40):
        warp.store(VALUE + k % 4, SHARED + warp.index * LINE, 16, "STS")


@trace(blocks=160, shared_bytes=8192)
def atoms(warp):
    """atomics on shared memory, 32 words"""
    words = [SHARED + warp.index * LINE + lane * 4 for lane in range(LANES)]
    for k in range(40):
        warp.atomic(VALUE + k % 4, words, "ATOMS.ADD")


@trace(blocks=320, shared_bytes=8192)
def tile(warp):
    """tiles through shared memory, 16 x 16 style"""
    row, column = warp.block // 16 * 64, warp.block % 16 * 64
    for step in range(3):
        at = step * 8 + warp.index
        warp.load(10, warp.memory + (row + at) * LINE)
        warp.load(11, warp.memory + (1 << 24) + (column + at) * LINE)
        warp.store(10, SHARED + warp.index * LINE, opcode="STS")
        warp.store(11, SHARED + 4096 + warp.index * LINE, opcode="STS")
        warp.barrier()
        for k in range(16):
            warp.load(12, SHARED + k * 64, 0, "LDS")
            warp.load(13, SHARED + 4096 + (k % 8) * LINE, opcode="LDS")
            warp.arithmetic("FFMA", SUM, [SUM, 12, 13])
        warp.barrier()
    warp.store(SUM, warp.memory + (1 << 28) + warp.number * LINE)


@trace(blocks=160, shared_bytes=16384)
def tile_registers(warp):
    """tiles of 2 x 2 results a lane: four FFMA for four words"""
    row, column = warp.block // 16 * 128, warp.block % 16 * 128
    for step in range(3):
        for u in range(2):
            at = step * 16 + warp.index * 2 + u
            warp.load(10 + u, warp.memory + (row + at) * LINE)
            warp.load(12 + u, warp.memory + (1 << 24) + (column + at) * LINE)
        for u in range(4):
            at = SHARED + (u * 8 + warp.index) * LINE
            warp.store(10 + u, at, opcode="STS")
        warp.barrier()
        for k in range(16):
            for u in range(2):
                warp.load(14 + u, SHARED + k * 64 + u * 32, 0, "LDS")
                warp.load(16 + u, SHARED + 8192 + (k % 8) * LINE, opcode="LDS")
            for u in range(4):
                register = 20 + u
                sources = [register, 14 + u % 2, 16 + u // 2]
                warp.arithmetic("FFMA", register, sources)
        warp.barrier()
    for u in range(4):
        at = (u * warp.count + warp.number) * LINE
        warp.store(20 + u, warp.memory + (1 << 28) + at)


@trace()
def barrier(warp):
    """two FFMA, then a barrier of 8 warps"""
    for _ in range(25):
        warp.fma(SUM)
        warp.fma(VALUE)
        warp.barrier()


@trace(blocks=80, warps=32)
def barrier32(warp):
    """one block an SM: an FFMA, then a barrier of 32 warps"""
    for _ in range(60):
        warp.fma()
        warp.barrier()


@trace(blocks=80, shared_bytes=32768, binary=80)
def async_copy(warp):
    """one block an SM copies to shared memory (LDGSTS), and waits for it"""
    for step in range(10):
        for u in range(4):
            at = ((step * 4 + u) * 640 // warp.scale * 8 + warp.number) * LINE
            warp.put(f"0 LDGSTS.E 2 R250 R251 4 1 0x{warp.memory + at:x} 4 0 ")
        warp.put("0 LDGDEPBAR 0 0 0 ")
        warp.put("0 DEPBAR.LE 0 0 0 ")
        warp.barrier()
        for _ in range(8):
            warp.load(VALUE, SHARED + warp.index * LINE, opcode="LDS")
            warp.arithmetic("FFMA", SUM, [SUM, VALUE, RIGHT])
        warp.barrier()


# --- atomics on global memory -------------------------------------------------------


def random_words(warp):
    return [warp.memory + warp.rng.randrange(1 << 14) * 4 for _ in range(LANES)]


def own_line(warp, k):
    at = warp.memory + (k * warp.count + warp.number) * LINE
    return [at + lane * 4 for lane in range(LANES)]


@trace()
def red(warp):
    """reductions on random words of 64 KiB"""
    warp.arithmetic("IADD3", ADDRESS, [ADDRESS])
    warp.reduce(random_words(warp))


@trace(blocks=160)
def atom(warp):
    """atomics that return a value, on random words of 64 KiB"""
    for _ in range(2):
        warp.atomic(VALUE, random_words(warp))
        warp.add(VALUE)


@trace(blocks=80, warps=4)
def red_hot(warp):
    """all lanes of all warps on one word"""
    for _ in range(2):
        warp.reduce([warp.memory] * LANES)


@trace(blocks=320)
def red_line(warp):
    """all warps on the 32 words of one line"""
    for _ in range(2):
        warp.reduce([warp.memory + lane * 4 for lane in range(LANES)])


@trace()
def red_stream(warp):
    """reductions on lines of each warp's own"""
    for k in range(4):
        warp.reduce(own_line(warp, k))


@trace()
def atom_stream(warp):
    """atomics that return a value, on lines of each warp's own"""
    for k in range(4):
        warp.atomic(VALUE + k, own_line(warp, k))


# --- sectors: columns and transposes ---------------------------------------------------


PITCH = 4096  # bytes of a matrix's row
SECTOR = 32


def column_of(warp, column, rows=LANES):
    """The words of a column in the rows of a warp, a lane a row."""
    first = warp.number * rows
    return [warp.memory + (first + lane) * PITCH + column * 4 for lane in range(rows)]


def columns(warp, count, unroll):
    """So many neighbouring columns, one after the other."""
    for first in range(0, count, unroll):
        for u in range(unroll):
            warp.load_each(10 + u, column_of(warp, first + u))
        for u in range(unroll):
            warp.add(10 + u)


@trace(blocks=160)
def column(warp):
    """a lane a row: two columns, far apart"""
    for at in (0, 512):
        warp.load_each(10, column_of(warp, at))
        warp.add(10)


@trace(blocks=160)
def columns8(warp):
    """a lane a row: 8 neighbouring columns, a sector's, each waits for the last"""
    columns(warp, 8, 1)


@trace(blocks=160)
def columns8_4(warp):
    """a lane a row: 8 neighbouring columns, 4 loads in flight"""
    columns(warp, 8, 4)


@trace(blocks=80, warps=4)
def columns32(warp):
    """4 warps an SM, a lane a row: 32 neighbouring columns, a line's"""
    columns(warp, 32, 1)


@trace(blocks=160)
def columns32_many(warp):
    """16 warps an SM, a lane a row: 32 neighbouring columns, which do not fit into the L1"""
    columns(warp, 32, 2)


@trace(blocks=160)
def columns_narrow(warp):
    """a lane a row of 256 B: 16 neighbouring columns"""
    for k in range(16):
        first = warp.number * LANES
        warp.load_each(10, [warp.memory + (first + lane) * 256 + k * 4 for lane in range(LANES)])
        warp.add(10)


def tile_of(warp):
    """Where a block's tile of 32 x 32 words begins, and where in the transposed matrix."""
    across = PITCH // LINE
    row, col = warp.block // across, warp.block % across
    return row * 32 * PITCH + col * LINE, col * 32 * PITCH + row * LINE


OUT = 1 << 28


@trace()
def transpose_store(warp):
    """a matrix transposed: rows read, columns written"""
    at, to = tile_of(warp)
    for u in range(4):
        warp.load(10 + u, warp.memory + at + (warp.index * 4 + u) * PITCH)
    for u in range(4):
        word = warp.memory + OUT + to + (warp.index * 4 + u) * 4
        warp.store_each(10 + u, [word + lane * PITCH for lane in range(LANES)])


@trace()
def transpose_load(warp):
    """a matrix transposed: columns read, rows written"""
    at, to = tile_of(warp)
    for u in range(4):
        word = warp.memory + at + (warp.index * 4 + u) * 4
        warp.load_each(10 + u, [word + lane * PITCH for lane in range(LANES)])
    for u in range(4):
        warp.store(10 + u, warp.memory + OUT + to + (warp.index * 4 + u) * PITCH)


@trace(shared_bytes=4224)
def transpose_tile(warp):
    """a matrix transposed through shared memory"""
    at, to = tile_of(warp)
    for u in range(4):
        warp.load(10 + u, warp.memory + at + (warp.index * 4 + u) * PITCH)
    for u in range(4):
        warp.store(10 + u, SHARED + (warp.index * 4 + u) * 132, opcode="STS")
    warp.barrier()
    for u in range(4):
        warp.load(14 + u, SHARED + (warp.index * 4 + u) * 4, 132, "LDS")
    for u in range(4):
        warp.store(14 + u, warp.memory + OUT + to + (warp.index * 4 + u) * PITCH)


# --- sectors: partial stores ---------------------------------------------------------------


def parts_of_sectors(warp, words, k):
    """As many words of each sector, from its first on, as fit into 32 lanes."""
    sectors = LANES // words
    first = (k * warp.count + warp.number) * sectors * SECTOR
    return [
        warp.memory + first + lane // words * SECTOR + lane % words * 4
        for lane in range(sectors * words)
    ]


def store_parts(warp, words, times):
    lanes = LANES // words * words
    for k in range(times):
        at = listed(parts_of_sectors(warp, words, k))
        mask = (1 << lanes) - 1
        warp.put(f"0 STG.E 2 R{ADDRESS} R{VALUE} 4 0 {at} 0 ", mask)


@trace(blocks=320)
def store4(warp):
    """4 bytes of each sector stored"""
    store_parts(warp, 1, 3)


@trace(blocks=320)
def store8(warp):
    """8 bytes of each sector stored"""
    store_parts(warp, 2, 4)


@trace()
def store16(warp):
    """16 bytes of each sector stored"""
    store_parts(warp, 4, 4)


@trace()
def store20(warp):
    """20 bytes of each sector stored"""
    store_parts(warp, 5, 4)


@trace()
def store_gaps(warp):
    """lines stored by three lanes of four"""
    for k in range(6):
        lanes = [lane for lane in range(LANES) if lane % 4 != 3]
        at = warp.memory + (k * warp.count + warp.number) * LINE
        mask = sum(1 << lane for lane in lanes)
        words = listed([at + lane * 4 for lane in lanes])
        warp.put(f"0 STG.E 2 R{ADDRESS} R{VALUE} 4 0 {words} 0 ", mask)


@trace()
def store_sector(warp):
    """one sector of each line stored as a whole"""
    for k in range(3):
        first = (k * warp.count + warp.number) * 4
        warp.store_each(
            VALUE,
            [warp.memory + (first + lane // 8) * LINE + lane % 8 * 4 for lane in range(LANES)],
        )


# --- sectors: written, then read -------------------------------------------------------------


def pause(warp):
    """So long that what was stored has come to the last-level cache."""
    for _ in range(8):
        warp.arithmetic("MUFU.RCP", SUM, [SUM])
    warp.arithmetic("IADD3", ADDRESS, [SUM, LEFT])


def write_then_read(warp, step, of, times=4):
    """Lines stored, `step` bytes apart a lane, and read after a pause."""
    for k in range(times):
        at = (k * warp.count + warp.number) * LINE * step // 4
        warp.store(VALUE, warp.memory + at, step)
    pause(warp)
    for k in range(times):
        at = (k * warp.count + of) * LINE * step // 4
        warp.load(10 + k, warp.memory + at, step)
    for k in range(times):
        warp.add(10 + k)


def neighbour(warp):
    """The same warp of the next thread block, which another SM has."""
    return (warp.number + 8) % warp.count


@trace()
def wr_same(warp):
    """lines stored, then read by the same warp"""
    write_then_read(warp, 4, warp.number)


@trace()
def wr_other(warp):
    """lines stored, then read by another SM"""
    write_then_read(warp, 4, neighbour(warp))


@trace()
def wr_part(warp):
    """4 of every 8 bytes stored, then read by the same warp"""
    write_then_read(warp, 8, warp.number, 3)


@trace()
def wr_part_other(warp):
    """4 of every 8 bytes stored, then read by another SM"""
    write_then_read(warp, 8, neighbour(warp), 3)


@trace()
def wr_filled(warp):
    """the even words of lines stored, then the odd ones, then read by the same warp"""
    for part in (0, 4):
        for k in range(2):
            at = (k * warp.count + warp.number) * 2 * LINE
            warp.store(VALUE, warp.memory + at + part, 8)
    pause(warp)
    for k in range(4):
        at = (k // 2 * warp.count + warp.number) * 2 * LINE + k % 2 * LINE
        warp.load(10 + k, warp.memory + at)
    for k in range(4):
        warp.add(10 + k)


@trace()
def wr_soon(warp):
    """a line stored and read at once by the same warp, again and again"""
    for k in range(8):
        at = warp.memory + (k * warp.count + warp.number) * LINE
        warp.store(VALUE, at)
        warp.load(10, at)
        warp.add(10)


@trace()
def update(warp):
    """lines read, changed and stored again"""
    for k in range(8):
        at = warp.memory + (k * warp.count + warp.number) * LINE
        warp.load(10, at)
        warp.add(10)
        warp.store(SUM, at)


# --- sectors: stencils ------------------------------------------------------------------------


def stencil(warp, offsets, rows=4, pitch=PITCH, skew=4):
    """A warp's 32 points of some rows, each from its neighbours, 4 bytes off the line."""
    across = pitch // LINE
    for k in range(rows):
        row = warp.number // across * rows + k + 1
        at = row * pitch + warp.number % across * LINE + skew
        for u, offset in enumerate(offsets):
            warp.load(10 + u, warp.memory + (1 << 20) + at + offset)
        for u in range(len(offsets)):
            warp.add(10 + u)
        warp.store(SUM, warp.memory + OUT + at)


@trace()
def stencil5(warp):
    """a stencil of 5 points"""
    stencil(warp, [0, -4, 4, -PITCH, PITCH])


@trace()
def stencil9(warp):
    """a stencil of 9 points"""
    stencil(warp, [y * PITCH + x * 4 for y in (-1, 0, 1) for x in (-1, 0, 1)])


@trace()
def stencil7(warp):
    """a stencil of 7 points in three dimensions"""
    plane = 64 * 1024
    stencil(warp, [0, -4, 4, -1024, 1024, -plane, plane], 2, 1024, 0)


# --- kernels to run beside others ------------------------------------------------------


def storm(warp):
    """40 turns: a random line read, and two written, which wait for no load"""
    for turn in range(40):
        read, *written = (warp.rng.randrange(1 << 21) * LINE for _ in range(3))
        warp.load(10 + turn % 4, warp.memory + read)
        for at in written:
            warp.store(VALUE, warp.memory + at)


def gale(warp):
    """40 turns: a line of a stream read, and two written when it has come"""
    for turn in range(40):
        at = (turn * warp.count + warp.number) * LINE
        warp.load(10, warp.memory + at)
        for stream in (1, 2):
            warp.store(10, warp.memory + (stream << 28) + at)


def flood(warp):
    """a stream, 4 loads in flight a warp"""
    stream(warp, 48, 4)


def hits_llc(warp):
    """128 lines of each channel, read over fifteen times"""
    lines = 4096 // warp.scale
    for turn in range(48):
        for u in range(2):
            line = warp.number * 37 + (turn * 2 + u) * 131
            warp.load(10 + u, warp.memory + line % lines * LINE)
        for u in range(2):
            warp.add(10 + u)


def hits_l1(warp):
    """a line of a warp's own, its use, and again"""
    for _ in range(300):
        warp.load(VALUE, warp.memory + warp.number * LINE)
        warp.add(VALUE)


def chase_llc(warp):
    """a warp an SM chases a pointer through 128 lines that all of them read"""
    for k in range(48):
        warp.load(ADDRESS, warp.memory + (warp.number * 29 + k) % 128 * LINE)


def chase_dram(warp):
    """a warp an SM chases a pointer through random lines"""
    for _ in range(24):
        warp.load(ADDRESS, warp.memory + warp.rng.randrange(1 << 21) * LINE)


def words(warp):
    """a word of shared memory, its use, and again"""
    for _ in range(400):
        warp.load(VALUE, SHARED + warp.index * LINE, opcode="LDS")
        warp.arithmetic("FFMA", SUM, [SUM, VALUE, RIGHT])


def sums(warp):
    """FFMA, each of which depends on the last"""
    for _ in range(1500):
        warp.fma()


# --- two kernels at once ---------------------------------------------------------------

# Of a pair on shared SMs, each takes half of each SM at most.
HALF = {"blocks": 320}
# What a pair runs in another shape than in a trace of its own.
SHARED_SHAPE = {
    storm: {"blocks": 160},
    flood: HALF,
    gale: HALF,
    hits_llc: {"blocks": 160, "warps": 4},
    hits_l1: {"blocks": 160, "warps": 4},
    chase_llc: {"blocks": 80, "warps": 1},
    chase_dram: {"blocks": 80, "warps": 1},
    words: {"blocks": 80, "warps": 4, "shared_bytes": 8192},
    sums: {"blocks": 80, "warps": 4},
}
# A block for each of half of the SMs, whose shared memory leaves no room for a second.
APART = {"blocks": 40, "shared_bytes": 65536}
APART_WARPS = {storm: 24, flood: 32, gale: 24, chase_llc: 1, chase_dram: 1, words: 4, sums: 4}


def shape_of(body):
    if body in SHARED_SHAPE:
        return SHARED_SHAPE[body]
    return TRACES[body.__name__][0][1] | HALF


def pair(first, second):
    """Two kernels on the same SMs."""
    name = f"{first.__name__}+{second.__name__}"
    TRACES[name] = [(body, shape_of(body)) for body in (first, second)]


def pair_apart(first, second):
    """Two kernels, each on half of the SMs."""
    name = f"{first.__name__}:{second.__name__}"
    TRACES[name] = [
        (body, APART | {"warps": APART_WARPS.get(body, 8)}) for body in (first, second)
    ]


def kernels_of(name):
    """The names of a trace's kernels."""
    return name.replace(":", "+").split("+")


pair(read, fma1)
pair(lds, read)
pair(read, llcfit)
for loud in (storm, flood):
    for light in (hits_llc, hits_l1, chase_llc, chase_dram, words, sums):
        pair(loud, light)
        pair_apart(loud, light)
pair(gale, llcfit)
pair(gale, hits_llc)
pair_apart(gale, hits_llc)
pair(storm, flood)
pair_apart(storm, flood)


# --- files --------------------------------------------------------------------------


def write_kernel(path, name, number, shape, body):
    """Each kernel of a trace has its own stream and memory, as a tenant has."""
    memory = GLOBAL + ((number - 1) << 32)
    rng = random.Random(1)
    with open(path, "w", encoding="ascii") as file:
        file.write(
            HEADER.format(
                name=name,
                number=number,
                blocks=shape.blocks,
                threads=shape.warps * LANES,
                shared_bytes=shape.shared_bytes,
                registers=32,
                binary=shape.binary,
                stream=number - 1,
                shared=SHARED,
                local=LOCAL,
            )
        )
        for block in range(shape.blocks):
            file.write(f"\n#BEGIN_TB\n\nthread block = {block},0,0\n\n")
            for index in range(shape.warps):
                warp = Warp(shape, block, index, rng, memory)
                body(warp)
                warp.put("0 EXIT 0 0 0 ")
                file.write(f"warp = {index}\ninsts = {len(warp.lines)}\n")
                file.write("\n".join(warp.lines) + "\n\n")
            file.write("#END_TB\n")


def write_trace(directory, name, scale):
    folder = os.path.join(directory, name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "kernelslist.g"), "w", encoding="ascii") as file:
        for number, _ in enumerate(TRACES[name], 1):
            file.write(f"kernel-{number}.traceg\n")
    for number, (body, shape) in enumerate(TRACES[name], 1):
        path = os.path.join(folder, f"kernel-{number}.traceg")
        write_kernel(path, body.__name__, number, Shape(scale, **shape), body)


def main():
    parser = argparse.ArgumentParser(
        description="Writes the reference traces in the format of Accel-Sim's tracer."
    )
    parser.add_argument("--scale", type=int, default=1, help="divide grids by this")
    parser.add_argument("--list", action="store_true", help="names and what they are")
    parser.add_argument("directory", nargs="?")
    parser.add_argument("names", nargs="*", help="default: all")
    options = parser.parse_args()
    if options.list:
        for name, kernels in TRACES.items():
            print(f"{name:16} {', beside '.join(body.__doc__ for body, _ in kernels)}")
        return
    if not options.directory:
        parser.error("name a directory")
    for name in options.names or TRACES:
        if name not in TRACES:
            parser.error(f"there is no trace {name}; --list names them")
        write_trace(options.directory, name, options.scale)


if __name__ == "__main__":
    main()
