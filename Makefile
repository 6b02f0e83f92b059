# SPDX-License-Identifier: GPL-2.0
# The targets of simgpu: `make help` lists them.

SHELL		:= /bin/bash
.SHELLFLAGS	:= -e -o pipefail -c
.DEFAULT_GOAL	:= all
MAKEFLAGS	+= --no-builtin-rules

VERSION		:= 0.1.0

CC		?= gcc
CFLAGS		?= -O2 -g
WARNINGS	:= -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes \
		   -Wno-unused-parameter
ALL_CFLAGS	= -std=gnu11 $(CPPFLAGS) $(CFLAGS) $(WARNINGS) -MD -MP \
		  -Iinclude -idirafter include/uapi $(EXTRA_CFLAGS)
SANITIZE	:= -fsanitize=address,undefined -fno-sanitize-recover=all \
		   -fno-omit-frame-pointer
# libnl's headers are in a folder of their own.
NL_CFLAGS	:= -isystem /usr/include/libnl3
NL_LIBS		:= -lnl-genl-3 -lnl-3
# One cache for what is fetched and built once; .ci/run and users may move it.
export SIMGPU_CACHE ?= build/cache

# The kernel to build for: the running one's headers, else the newest there are.
RUNNING_KDIR	:= $(wildcard /lib/modules/$(shell uname -r)/build)
NEWEST_KDIR	:= $(lastword $(shell ls -d /lib/modules/*/build 2>/dev/null | sort -V))
KDIR		?= $(or $(RUNNING_KDIR),$(NEWEST_KDIR))

.PHONY: all modules userspace policies tests help demo check check-long bench results clean
# What a failed or interrupted command leaves must not look finished.
.DELETE_ON_ERROR:

all: userspace policies tests

help:
	@echo 'make                 build/simgpu, build/libsimgpu.{a,so} and the tests'
	@echo 'make modules         simgpu.ko (KDIR=... names the kernel headers)'
	@echo 'make docs            the documentation as HTML: build/docs/index.html'
	@echo 'make man             the manual pages: build/man'
	@echo 'make demo            the main job, in a small virtual machine'
	@echo 'make check           all tests'
	@echo 'make check-long      all tests and the long ones'
	@echo 'make bench           speed of the simulated GPU, natively, and of the module'
	@echo 'make results         the evaluation of HSM, repeated: build/results/report.md (hours)'
	@echo 'make install         command, recorder and library (DESTDIR, prefix); install-dkms'
	@echo 'make deb             Debian packages: build/deb'
	@echo 'make clean           removes build/ but for its cache'

# --- the portable rooms -----------------------------------------------------------

ROOM_SOURCES	:= $(wildcard kmod/sim/*.c kmod/policy/*.c kmod/policy/*/*.c \
			      kmod/session/*.c)
ROOM_OBJECTS	:= $(ROOM_SOURCES:%.c=build/obj/%.o)
ROOM_SANITIZED	:= $(ROOM_SOURCES:%.c=build/sanitized/%.o)

build/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

build/sanitized/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(SANITIZE) -c -o $@ $<

# --- userspace ----------------------------------------------------------------------

LIB_SOURCES	:= $(wildcard userspace/lib/*.c)
OFFLINE_SOURCES	:= $(wildcard userspace/offline/*.c userspace/workloads/*.c \
			      userspace/accelsim/*.c)
IMPORT_SOURCES	:= $(wildcard userspace/import/*.c)
# What tools/build-libbpf has built, else the system's, if that is new enough.
LIBBPF		:= $(wildcard $(SIMGPU_CACHE)/libbpf/libbpf.a)
ifneq ($(LIBBPF),)
BPF_CFLAGS	:= -isystem $(dir $(LIBBPF))
BPF_LIBS	:= $(LIBBPF) -lelf
else ifeq ($(shell pkg-config --atleast-version=1.5 libbpf 2>/dev/null && echo yes),yes)
BPF_CFLAGS	:= $(shell pkg-config --cflags libbpf)
BPF_LIBS	:= $(shell pkg-config --libs libbpf)
endif
COMMAND_SOURCES	:= $(filter-out userspace/simgpu/policy/bpf_object$(if $(BPF_LIBS),_none,).c, \
		     $(wildcard userspace/simgpu/*.c userspace/simgpu/*/*.c))
LIB_OBJECTS	:= $(LIB_SOURCES:%.c=build/obj/%.o)
OFFLINE_OBJECTS	:= $(OFFLINE_SOURCES:%.c=build/obj/%.o) $(ROOM_OBJECTS)
IMPORT_OBJECTS	:= $(IMPORT_SOURCES:%.c=build/obj/%.o)
COMMAND_OBJECTS	:= $(COMMAND_SOURCES:%.c=build/obj/%.o)

include tools/record/Makefile.inc

userspace: build/simgpu build/libsimgpu.a build/libsimgpu.so

$(LIB_OBJECTS): ALL_CFLAGS += -fPIC $(NL_CFLAGS)

build/obj/userspace/simgpu/policy/bpf_object.o: ALL_CFLAGS += $(BPF_CFLAGS)

build/obj/userspace/simgpu/made_by.o: ALL_CFLAGS += -DSIMGPU_VERSION='"$(VERSION)"'

build/libsimgpu.a: $(LIB_OBJECTS)
	$(AR) rcs $@ $^

# The number changes when a program that was built before would no longer work;
# what is exported stands in the map.
LIB_SONAME	:= libsimgpu.so.1
LIB_REALNAME	:= $(LIB_SONAME).0.0
LIB_MAP		:= userspace/lib/libsimgpu.map

build/libsimgpu.so: $(LIB_OBJECTS) $(LIB_MAP)
	$(CC) $(LDFLAGS) -shared -Wl,-soname,$(LIB_SONAME) \
		-Wl,--version-script,$(LIB_MAP) -o $@ $(LIB_OBJECTS) $(NL_LIBS)

build/offline.a: $(OFFLINE_OBJECTS)
	rm -f $@
	$(AR) rcs $@ $^

build/simgpu: $(COMMAND_OBJECTS) $(IMPORT_OBJECTS) build/offline.a build/libsimgpu.a
	$(CC) $(LDFLAGS) -o $@ $^ $(BPF_LIBS) -ljson-c -lsqlite3 -lz -llzma -lzstd -lncursesw -ltinfo \
		-lstdc++ -lpthread -lm $(NL_LIBS)

# --- policies that are BPF programs ---------------------------------------------------

# Those that come with simgpu; left out where libbpf was not built, or clang has no BPF.
SHIPPED_SOURCES	:= $(wildcard docs/examples/bpf/*.c)
SHIPPED		:= $(if $(LIBBPF),$(if $(shell clang -print-targets 2>/dev/null | grep -w bpf), \
		     $(patsubst docs/examples/bpf/%.c,build/policies/%.bpf.o,$(SHIPPED_SOURCES))))

policies: $(SHIPPED)

build/policies/%.bpf.o: docs/examples/bpf/%.c $(wildcard include/simgpu/*.h)
	tools/build-policy --bpf $< >/dev/null

# --- manual pages -------------------------------------------------------------------

.PHONY: man
man: build/man/man1/simgpu.1

build/man/man1/simgpu.1: build/simgpu tools/make-man docs/man/see-also.h2m
	tools/make-man build/simgpu build/man/man1

.PHONY: deb
deb:
	tools/install-packages package build record
	tools/make-deb

# --- documentation ------------------------------------------------------------------

.PHONY: docs
docs: build/simgpu
	tools/install-packages docs
	tools/make-docs build/simgpu $(VERSION)

# --- tests --------------------------------------------------------------------------

UNIT_TESTS	:= $(addprefix build/tests/test_,fixed trace trace_refusals trace_bounds trace_limits trace_allocations trace_commands commands batching copies copy_policy trace_profiles trace_timing models policy qos curves \
		     session session_life session_masks session_hash pager managed managed_parts prefetch advice memory_policies memory_limits memory_params pager_turn prepare handover ranges goldens mps systems slicing flep arrivals \
		     journal journal_text replay failures rows apply deciders answers blocks parts probes energy power \
		     decide remarks decide_limits decide_refusals decide_fuzz offline dram refresh engine hash \
		     counters requests sectors config atd mirror properties widths preempt switch_cost \
		     sharing grids positions masks queues slices turns hints quota registers at_once lines occupancy channel lives wraps threads constant dependence builder accelsim accelsim_lists tracez import llm \
		     workloads memory themis gpm allocation plan optimal phases fgqos mixed workers sight service goals settings doubts large sampling sampling_trips services latencies)
# Of the command, what needs nothing of it.
COMMAND_TESTS	:= build/tests/test_statistics build/tests/test_sweep_error
UNIT_SUPPORT	:= build/sanitized/tests/unit/traces.o \
		   build/sanitized/tests/unit/trace_sample.o \
		   build/sanitized/tests/unit/kinds.o \
		   build/sanitized/tests/unit/dram_checker.o \
		   $(OFFLINE_SOURCES:%.c=build/sanitized/%.o) $(ROOM_SANITIZED)
KSELFTESTS	:= $(patsubst tests/kselftest/%.c,build/kselftest/%, \
		     $(wildcard tests/kselftest/*.c))
KSELFTEST_DIR	:= $(SIMGPU_CACHE)/kernel-source

# Proposals of all sorts and orders of events, and snapshots, as many as SIMGPU_FUZZ says.
.PHONY: long-decide long-integer
long-decide: build/tests/test_decide_fuzz
long-integer: build/tests/test_integer
long-decide long-integer:
	$<

ALL_UNIT_TESTS	:= $(UNIT_TESTS) $(COMMAND_TESTS) build/tests/test_integer
tests: $(ALL_UNIT_TESTS)

# One stream of TAP of all of them.
.PHONY: check-unit
check-unit: tests
	@CMOCKA_MESSAGE_OUTPUT=TAP tests/tap-join $(ALL_UNIT_TESTS)

# What simulates much time, or hashes much memory, takes three times as long under the
# sanitizers; so it has them in check-long alone.
HEAVY_TESTS	:= build/tests/test_services build/tests/test_sampling \
		   build/tests/test_sampling_trips \
		   build/tests/test_session_hash
LIGHT_TESTS	:= $(filter-out $(HEAVY_TESTS),$(UNIT_TESTS))

# The rooms, the offline library and the test, all under the sanitizers.
define LINK_SANITIZED
@mkdir -p $(@D)
$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -lcmocka $(UNIT_LIBS) -lz -llzma -lzstd -lm
endef

$(LIGHT_TESTS): build/tests/%: build/sanitized/tests/unit/%.o $(UNIT_SUPPORT)
	$(LINK_SANITIZED)

build/tests/sanitized/%: build/sanitized/tests/unit/%.o $(UNIT_SUPPORT)
	$(LINK_SANITIZED)

$(HEAVY_TESTS): build/tests/%: build/obj/tests/unit/%.o \
		$(UNIT_SUPPORT:build/sanitized/%=build/obj/%)
	@mkdir -p $(@D)
	$(CC) -o $@ $^ -lcmocka -lz -llzma -lzstd -lm

.PHONY: long-sanitized
long-sanitized: $(HEAVY_TESTS:build/tests/%=build/tests/sanitized/%)
	@CMOCKA_MESSAGE_OUTPUT=TAP tests/tap-join $^

# Many runs, in files of their own.
build/tests/test_goldens: $(patsubst %,build/sanitized/tests/unit/golden_%.o, \
			    run traces lives policy scenarios)

# The readers of profiles are of the command.
build/tests/test_import: $(IMPORT_SOURCES:%.c=build/sanitized/%.o)
build/tests/test_import: UNIT_LIBS := -ljson-c -lsqlite3

# It has a say in what port_alloc() gives.
build/tests/test_memory: LDFLAGS += -Wl,--wrap=calloc,--wrap=free

# It counts the calls.
build/tests/test_arrivals: LDFLAGS += -Wl,--wrap=arrivals_next

build/tests/test_statistics: build/sanitized/userspace/simgpu/statistics.o
build/tests/test_sweep_error: build/sanitized/userspace/simgpu/sweep/sweep_error.o
$(COMMAND_TESTS): build/tests/%: build/sanitized/tests/unit/%.o
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) -o $@ $^ -lcmocka -lm

# What wraps is no error in C; clang's integer sanitizer makes it one.
POLICY_SOURCES	:= $(wildcard kmod/policy/*.c kmod/policy/*/*.c)
build/tests/test_integer: tests/unit/test_integer.c tests/unit/snapshots.h \
			  tests/unit/integer-ignored $(POLICY_SOURCES) \
			  $(wildcard include/simgpu/*.h)
	@mkdir -p $(@D)
	clang $(ALL_CFLAGS) -fsanitize=integer,undefined \
		-fno-sanitize=implicit-conversion,unsigned-shift-base \
		-fno-sanitize-recover=all \
		-fsanitize-ignorelist=tests/unit/integer-ignored \
		-o $@ $< $(POLICY_SOURCES) -lcmocka -lz

# The hardware, the threads and their test, under ThreadSanitizer.
TSAN		:= -fsanitize=thread -fno-omit-frame-pointer
TSAN_OBJECTS	:= $(patsubst %.c,build/tsan/%.o,$(wildcard kmod/sim/*.c) \
		     userspace/offline/threads.c userspace/workloads/builder.c \
		     tests/unit/traces.c tests/unit/test_threads.c)

build/tsan/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(TSAN) -c -o $@ $<

build/tests/test_threads_tsan: $(TSAN_OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(TSAN) -o $@ $^ -lcmocka -lz

.PHONY: check-tsan
check-tsan: build/tests/test_threads_tsan
	$<

build/tests/make_traces: build/obj/tests/unit/make_traces.o \
			 build/obj/userspace/workloads/builder.o
	@mkdir -p $(@D)
	$(CC) -o $@ $^ -lz

build/tests/make_kinds: build/obj/tests/unit/make_kinds.o \
			build/obj/tests/unit/kinds.o \
			build/obj/userspace/workloads/builder.o
	@mkdir -p $(@D)
	$(CC) -o $@ $^ -lz

# The same tests as 32-bit programs, where the compiler can make them; static,
# so that a guest needs no libraries of another kind.
KSELFTESTS_32	:= $(addprefix build/kselftest/,ioctl-32 completion-32 layout-32)
HAS_M32		= $(shell echo 'int main(void) { return 0; }' | \
		    $(CC) -m32 -static -x c -o /dev/null - 2>/dev/null && echo yes)

.PHONY: kselftests kselftest-headers
kselftests: $(KSELFTESTS) $(if $(HAS_M32),$(KSELFTESTS_32))

build/kselftest/%-32: tests/kselftest/%.c $(wildcard tests/kselftest/*.h include/uapi/linux/*.h) | kselftest-headers
	@mkdir -p $(@D)
	$(CC) -m32 -static -std=gnu11 -O2 -g -Wall \
		-Wno-pointer-to-int-cast -Wno-int-to-pointer-cast \
		-I$(KSELFTEST_DIR)/tools/testing/selftests \
		-idirafter include/uapi -o $@ $<

kselftest-headers:
	@tools/kselftest-headers $(KSELFTEST_DIR)

build/kselftest/%: tests/kselftest/%.c $(wildcard tests/kselftest/*.h include/uapi/linux/*.h) build/libsimgpu.a | kselftest-headers
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g -Wall -I$(KSELFTEST_DIR)/tools/testing/selftests \
		$(NL_CFLAGS) -idirafter include/uapi -o $@ $< build/libsimgpu.a -lz $(NL_LIBS)

# Attackers, with the same harness.
ATTACKS		:= $(patsubst tests/attack/%.c,build/attack/%, \
		     $(wildcard tests/attack/*.c))

.PHONY: attacks
attacks: $(ATTACKS)

build/attack/%: tests/attack/%.c tools/bench/latency.c $(wildcard tests/attack/*.h tests/kselftest/*.h include/uapi/linux/*.h) build/libsimgpu.a | kselftest-headers
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g -Wall -I$(KSELFTEST_DIR)/tools/testing/selftests \
		$(NL_CFLAGS) -idirafter include/uapi -o $@ $< build/libsimgpu.a -lz $(NL_LIBS)

build/fuzz_driver: tests/fuzz/driver.c $(wildcard tests/kselftest/*.h include/uapi/linux/*.h)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g -Wall $(NL_CFLAGS) -idirafter include/uapi \
		-o $@ $< $(NL_LIBS)

build/bench_costs: tools/bench/costs.c build/libsimgpu.a $(wildcard tests/kselftest/*.h include/uapi/linux/*.h)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g -Wall $(NL_CFLAGS) -idirafter include/uapi \
		-o $@ $< build/libsimgpu.a $(NL_LIBS)

build/bench_latency: tools/bench/latency.c tests/attack/user.h build/libsimgpu.a $(wildcard tests/kselftest/*.h include/uapi/linux/*.h)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g -Wall $(NL_CFLAGS) -idirafter include/uapi \
		-o $@ $< build/libsimgpu.a $(NL_LIBS)

build/epochs: docs/examples/epochs.c include/uapi/linux/simgpu_netlink.h
	@mkdir -p $(@D)
	$(CC) -O2 -g -Wall $(NL_CFLAGS) -idirafter include/uapi -o $@ $< $(NL_LIBS)

build/kills build/life: build/%: tests/vm/%.c $(wildcard tests/kselftest/*.h include/uapi/linux/*.h)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -g -Wall -idirafter include/uapi -o $@ $<

check:
	tools/install-packages build vm record check observe
	tests/run

check-long:
	tools/install-packages build vm record check observe fuzz debug package
	tests/run --long

demo:
	tools/install-packages build vm record
	tools/demo/run

# Kept on one core where that is possible.
ONE_CORE	= $(shell taskset -c 0 true 2>/dev/null && echo taskset -c 0)

bench:
	tools/install-packages build
	$(MAKE) --no-print-directory CFLAGS='-O2 -g' build/simgpu
	$(ONE_CORE) build/simgpu bench
	@echo
	build/simgpu bench --threads
	@echo
	tools/bench/engines
	@echo
	tools/bench/dram
	@echo
	tools/bench/sweep
	@echo
	tools/bench/sampled --every 21
	@echo
	tools/bench/kernel
	@echo
	tools/bench/bpf

results:
	tools/results/run

# --- the module -------------------------------------------------------------------

modules:
	@if [ -z "$(KDIR)" ]; then \
		echo 'modules: no kernel headers; run tools/install-packages vm' >&2; \
		exit 1; fi
	tools/build-module "$(KDIR)"

# --- installing -------------------------------------------------------------------

# Packagers set these and DESTDIR.
prefix		?= /usr/local
bindir		?= $(prefix)/bin
libdir		?= $(prefix)/lib
includedir	?= $(prefix)/include
datadir		?= $(prefix)/share
mandir		?= $(datadir)/man
plugindir	?= $(prefix)/lib/simgpu
INSTALL		?= install
INSTALL_DATA	= $(INSTALL) -m 644

.PHONY: install install-command install-policies install-recorder install-lib install-dkms
install: install-command install-policies install-recorder install-lib

install-command: build/simgpu man
	$(INSTALL) -d $(addprefix $(DESTDIR),$(bindir) $(mandir)/man1 $(mandir)/man4 \
		$(datadir)/bash-completion/completions \
		$(datadir)/zsh/vendor-completions)
	$(INSTALL) -m 755 build/simgpu $(DESTDIR)$(bindir)/
	$(INSTALL_DATA) build/man/man1/*.1 $(DESTDIR)$(mandir)/man1/
	$(INSTALL_DATA) docs/man/simgpu.4 $(DESTDIR)$(mandir)/man4/
	$(INSTALL_DATA) tools/completion/simgpu \
		$(DESTDIR)$(datadir)/bash-completion/completions/simgpu
	sed 's|@PREFIX@|$(prefix)|' tools/completion/_simgpu \
		>$(DESTDIR)$(datadir)/zsh/vendor-completions/_simgpu
	chmod 644 $(DESTDIR)$(datadir)/zsh/vendor-completions/_simgpu

# Where simgpu policy load finds them by name.
install-policies: policies
	$(if $(SHIPPED),$(INSTALL) -d $(DESTDIR)$(plugindir)/policies)
	$(if $(SHIPPED),$(INSTALL_DATA) $(SHIPPED) $(DESTDIR)$(plugindir)/policies/)

# Left out where Oclgrind, which the recorder is a plug-in of, is not there.
HAS_OCLGRIND	= $(wildcard /usr/include/oclgrind/Plugin.h)
install-recorder: $(if $(HAS_OCLGRIND),recorder)
	$(if $(HAS_OCLGRIND),$(INSTALL) -d $(DESTDIR)$(plugindir))
	$(if $(HAS_OCLGRIND),$(INSTALL_DATA) $(RECORDER) $(RECORDER_DEVICE) \
		$(DESTDIR)$(plugindir)/)

install-lib: build/libsimgpu.a build/libsimgpu.so
	$(INSTALL) -d $(addprefix $(DESTDIR),$(libdir)/pkgconfig \
		$(includedir)/simgpu/linux $(includedir)/simgpu/simgpu)
	$(INSTALL_DATA) build/libsimgpu.a $(DESTDIR)$(libdir)/
	$(INSTALL_DATA) build/libsimgpu.so $(DESTDIR)$(libdir)/$(LIB_REALNAME)
	ln -sf $(LIB_REALNAME) $(DESTDIR)$(libdir)/$(LIB_SONAME)
	ln -sf $(LIB_SONAME) $(DESTDIR)$(libdir)/libsimgpu.so
	$(INSTALL_DATA) userspace/lib/simgpu.h $(DESTDIR)$(includedir)/simgpu/
	$(INSTALL_DATA) include/uapi/linux/*.h $(DESTDIR)$(includedir)/simgpu/linux/
	$(INSTALL_DATA) include/simgpu/*.h $(DESTDIR)$(includedir)/simgpu/simgpu/
	sed 's|@VERSION@|$(VERSION)|; s|@PREFIX@|$(prefix)|; s|@LIBDIR@|$(libdir)|; s|@INCLUDEDIR@|$(includedir)|' \
		userspace/lib/libsimgpu.pc.in >$(DESTDIR)$(libdir)/pkgconfig/libsimgpu.pc
	chmod 644 $(DESTDIR)$(libdir)/pkgconfig/libsimgpu.pc

# The module's sources, which DKMS builds for each kernel.
DKMS_FOLDER	= $(DESTDIR)/usr/src/simgpu-$(VERSION)
# And who may open its devices.
udevdir		?= /lib/udev
UDEV_FOLDER	= $(DESTDIR)$(udevdir)/rules.d
install-dkms:
	$(INSTALL) -d $(DKMS_FOLDER)
	cp -r --no-preserve=mode,ownership Kbuild kmod include $(DKMS_FOLDER)/
	$(INSTALL) -d $(UDEV_FOLDER)
	$(INSTALL_DATA) tools/udev/60-simgpu.rules $(UDEV_FOLDER)/
	sed 's|#MODULE_VERSION#|$(VERSION)|' tools/debian/simgpu-dkms.dkms >$(DKMS_FOLDER)/dkms.conf

clean:
	[ ! -d build ] || find build -mindepth 1 -maxdepth 1 ! -name cache -exec rm -rf {} +

-include $(shell find build/obj build/sanitized build/tsan -name '*.d' 2>/dev/null)
