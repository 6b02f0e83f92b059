# SPDX-License-Identifier: GPL-2.0
# The targets of simgpu: `make help` lists them.

SHELL		:= /bin/bash
.SHELLFLAGS	:= -e -o pipefail -c
.DEFAULT_GOAL	:= all
.DELETE_ON_ERROR:
MAKEFLAGS	+= --no-builtin-rules

CC		?= gcc
CFLAGS		?= -O2 -g
WARNINGS	:= -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes \
		   -Wno-unused-parameter
ALL_CFLAGS	= -std=gnu11 $(CFLAGS) $(WARNINGS) -fPIC -MMD -MP \
		  -Iinclude -idirafter include/uapi $(EXTRA_CFLAGS)
SANITIZE	:= -fsanitize=address,undefined -fno-sanitize-recover=all \
		   -fno-omit-frame-pointer
# One cache for what is fetched and built once; .ci/run and users may move it.
export SIMGPU_CACHE ?= build/cache

# The kernel to build for: the running one's headers, else the newest there are.
RUNNING_KDIR	:= $(wildcard /lib/modules/$(shell uname -r)/build)
NEWEST_KDIR	:= $(lastword $(shell ls -d /lib/modules/*/build 2>/dev/null | sort -V))
KDIR		?= $(or $(RUNNING_KDIR),$(NEWEST_KDIR))

.PHONY: all modules userspace tests help demo check check-long bench clean

all: userspace tests

help:
	@echo 'make                 build/simgpu, build/libsimgpu.{a,so} and the tests'
	@echo 'make modules         simgpu.ko (KDIR=... names the kernel headers)'
	@echo 'make demo            the main job, in a small virtual machine'
	@echo 'make check           all tests'
	@echo 'make check-long      all tests and the long ones'
	@echo 'make bench           speed of the simulated GPU, natively'
	@echo 'make clean           removes build/ but for its cache'

# --- the portable rooms -----------------------------------------------------------

ROOM_SOURCES	:= $(wildcard kmod/sim/*.c kmod/policy/*.c kmod/core/*.c)
ROOM_OBJECTS	:= $(ROOM_SOURCES:%.c=build/obj/%.o)
ROOM_SANITIZED	:= $(ROOM_SOURCES:%.c=build/sanitized/%.o)

build/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

build/sanitized/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(SANITIZE) -c -o $@ $<

# --- the module -------------------------------------------------------------------

modules:
	@if [ -z "$(KDIR)" ]; then \
		echo 'modules: no kernel headers; run tools/install-packages vm' >&2; \
		exit 1; fi
	tools/build-module "$(KDIR)"

clean:
	find build -mindepth 1 -maxdepth 1 ! -name cache -exec rm -rf {} +
