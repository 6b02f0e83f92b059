// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation and every copy from and to a process fails once, the first in
 * the first round, the second in the second: of each call alone, and of a
 * tenant's whole life. Needs a kernel with fault injection
 * (CONFIG_FAULT_INJECTION, FAILSLAB, FAIL_PAGE_ALLOC); skipped on others.
 */
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <linux/simgpu_netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>

#include "calls.h"
#include "harness.h"

#define INJECTION	"/sys/kernel/debug/"
#define ITEM		CONFIGFS "nth/"
/* More than any of these paths has. */
#define FAULTS_MAX	20000

static int set_fail_nth(unsigned int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	return write_text("/proc/thread-self/fail-nth", text);
}

/* Whether the fault has not come: what is left to count. */
static bool fault_is_left(void)
{
	return read_number("/proc/thread-self/fail-nth") > 0;
}

/* Faults wherever one is possible, and none of them in the log. */
static void set_up_injection(void)
{
	static const char *const kinds[] = {
		"failslab", "fail_page_alloc", "fail_usercopy",
	};
	char path[64];
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		snprintf(path, sizeof(path), INJECTION "%s/verbose", kinds[i]);
		write_text(path, "0");
	}
	write_text(INJECTION "failslab/ignore-gfp-wait", "N");
	write_text(INJECTION "fail_page_alloc/ignore-gfp-wait", "N");
	write_text(INJECTION "fail_page_alloc/ignore-gfp-highmem", "N");
}

/* What a path may say of a fault; 0 where the kernel has another way out. */
static bool is_of_a_fault(int ret)
{
	return !ret || ret == -ENOMEM || ret == -EFAULT || ret == -ENOBUFS;
}

/* struct scene - what a path needs, made before its faults */
struct scene {
	struct built_trace trace;
	int fd, gang;
	uint32_t handle;
	uint64_t sequence;
	struct nl_sock *sock, *listener;
	struct nl_msg *request;
};

/* --- scenes --- */

static int nothing(struct scene *scene)
{
	return 0;
}

static int opened(struct scene *scene)
{
	scene->fd = open_device();
	return scene->fd < 0 ? -errno : 0;
}

static int uploaded(struct scene *scene)
{
	return opened(scene) ?: upload(scene->fd, &scene->trace,
				       &scene->handle);
}

static int worked(struct scene *scene)
{
	return uploaded(scene) ?:
	       launch(scene->fd, scene->handle, 1, &scene->sequence) ?:
	       wait_launch(scene->fd, scene->sequence, PATIENCE_NS);
}

static int create_gang(struct scene *scene)
{
	struct simgpu_gang_create create = {
		.size = sizeof(create), .members = 1, .seed = 1,
		.epoch_cycles = 10000,
	};
	int ret = call(scene->fd, SIMGPU_IOC_GANG_CREATE, &create);

	if (!ret)
		scene->gang = create.fd;
	return ret;
}

static int gang_made(struct scene *scene)
{
	return uploaded(scene) ?: create_gang(scene);
}

static int join(struct scene *scene)
{
	return gang_join(scene->fd, scene->gang, 0);
}

static int gang_ran(struct scene *scene)
{
	return gang_made(scene) ?: join(scene) ?:
	       launch(scene->fd, scene->handle, 1, &scene->sequence) ?:
	       wait_launch(scene->fd, scene->sequence, PATIENCE_NS);
}

/* The device has the gang's session, which the next launch replaces. */
static int gang_left(struct scene *scene)
{
	int ret = gang_ran(scene);

	if (ret)
		return ret;
	close(scene->gang);
	scene->gang = -1;
	return 0;
}

static int item_made(struct scene *scene)
{
	if (mkdir(ITEM, 0755))
		return -errno;
	return write_text(ITEM "config", "base = hbm80\nname = small\nsms = 4\n");
}

static struct nl_sock *connect_netlink(void)
{
	/* An answer that does not come is an error, not a test that hangs. */
	const struct timeval patience = { .tv_sec = 10 };
	struct nl_sock *sock = nl_socket_alloc();

	if (sock && genl_connect(sock)) {
		nl_socket_free(sock);
		sock = NULL;
	}
	if (sock)
		setsockopt(nl_socket_get_fd(sock), SOL_SOCKET, SO_RCVTIMEO,
			   &patience, sizeof(patience));
	return sock;
}

/* A request of @command, to which attributes may be added. */
static int prepare_request(struct scene *scene, uint8_t command, int flags)
{
	int family;

	scene->sock = connect_netlink();
	if (!scene->sock)
		return -EPROTO;
	family = genl_ctrl_resolve(scene->sock, SIMGPU_FAMILY_NAME);
	scene->request = nlmsg_alloc();
	if (family < 0 || !scene->request)
		return -EPROTO;
	genlmsg_put(scene->request, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0,
		    NLM_F_REQUEST | flags, command, 1);
	return 0;
}

static int device_get_prepared(struct scene *scene)
{
	int ret = prepare_request(scene, SIMGPU_CMD_DEVICE_GET, NLM_F_ACK);

	if (!ret)
		nla_put_u32(scene->request, SIMGPU_A_DEVICE_INDEX, 0);
	return ret;
}

/* Somebody listens, so that the change is also told. */
static int device_set_prepared(struct scene *scene)
{
	int ret = prepare_request(scene, SIMGPU_CMD_DEVICE_SET, NLM_F_ACK);
	int group;

	if (ret)
		return ret;
	nla_put_u32(scene->request, SIMGPU_A_DEVICE_INDEX, 0);
	nla_put_string(scene->request, SIMGPU_A_DEVICE_POLICY, "even");
	scene->listener = connect_netlink();
	if (!scene->listener)
		return -EPROTO;
	group = genl_ctrl_resolve_grp(scene->listener, SIMGPU_FAMILY_NAME,
				      SIMGPU_MCGRP_SETTINGS);
	return nl_socket_add_membership(scene->listener, group) ? -EPROTO : 0;
}

static int tenant_dump_prepared(struct scene *scene)
{
	return worked(scene) ?: prepare_request(scene, SIMGPU_CMD_TENANT_GET,
						NLM_F_DUMP);
}

static int epoch_get_prepared(struct scene *scene)
{
	int ret = gang_ran(scene) ?:
		  prepare_request(scene, SIMGPU_CMD_EPOCH_GET, NLM_F_ACK);

	if (!ret)
		nla_put_u32(scene->request, SIMGPU_A_EPOCH_DEVICE, 0);
	return ret;
}

static void clear(struct scene *scene)
{
	rmdir(ITEM);
	nlmsg_free(scene->request);
	if (scene->listener)
		nl_socket_free(scene->listener);
	if (scene->sock)
		nl_socket_free(scene->sock);
	if (scene->gang >= 0)
		close(scene->gang);
	if (scene->fd >= 0)
		close(scene->fd);
}

/* --- paths --- */

static int ask_device(struct scene *scene)
{
	struct simgpu_device_info info = { .size = sizeof(info) };

	return call(scene->fd, SIMGPU_IOC_DEVICE_INFO, &info);
}

static int configure(struct scene *scene)
{
	return set_tenant(scene->fd, "nth", SIMGPU_SERVICE_QOS, 2, 500000);
}

static int upload_trace(struct scene *scene)
{
	return upload(scene->fd, &scene->trace, &scene->handle);
}

static int upload_refused(struct scene *scene)
{
	struct simgpu_trace_refusal refusal;
	int ret = upload_bytes(scene->fd, scene->trace.bytes,
			       scene->trace.size - 8, NULL, &refusal);

	return ret == -EINVAL ? 0 : ret;
}

static int remove_trace(struct scene *scene)
{
	return trace_remove(scene->fd, scene->handle);
}

static int launch_once(struct scene *scene)
{
	return launch(scene->fd, scene->handle, 1, NULL);
}

static int copy_once(struct scene *scene)
{
	struct simgpu_copy cmd = {
		.size = sizeof(cmd), .kind = SIMGPU_COPY_IN, .bytes = 4096,
	};

	return call(scene->fd, SIMGPU_IOC_COPY, &cmd);
}

static int launch_with_eventfd(struct scene *scene)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = scene->handle, .repeats = 1,
		.flags = SIMGPU_LAUNCH_EVENTFD,
	};
	int event = eventfd(0, EFD_NONBLOCK), ret;

	if (event < 0)
		return -errno;
	cmd.eventfd = event;
	ret = call(scene->fd, SIMGPU_IOC_LAUNCH, &cmd);
	close(event);
	return ret;
}

/* The device has memory for managed pages. */
static int uploaded_to_page(struct scene *scene)
{
	return write_text(SYSFS "managed_mib", "4") ?: uploaded(scene);
}

static int launch_managed(struct scene *scene)
{
	struct simgpu_launch cmd = {
		.size = sizeof(cmd), .handle = scene->handle, .repeats = 1,
		.flags = SIMGPU_LAUNCH_MANAGED,
	};

	return call(scene->fd, SIMGPU_IOC_LAUNCH, &cmd);
}

static int without_managed_memory(struct scene *scene)
{
	return write_text(SYSFS "managed_mib", "0");
}

static int set_managed_memory(struct scene *scene)
{
	return write_text(SYSFS "managed_mib", "8");
}

static int wait_for_it(struct scene *scene)
{
	return wait_launch(scene->fd, scene->sequence, PATIENCE_NS);
}

static int report(struct scene *scene)
{
	struct full_report report;

	return tenant_report(scene->fd, &report);
}

static int ask_status(struct scene *scene)
{
	struct simgpu_gang_status status;

	return gang_status(scene->gang, &status);
}

static int ask_report(struct scene *scene)
{
	struct full_report report;

	return gang_report(scene->gang, 0, &report);
}

static int read_completion(struct scene *scene)
{
	struct simgpu_completion completion;

	return read(scene->fd, &completion, sizeof(completion)) < 0 ? -errno : 0;
}

static int read_epochs(struct scene *scene)
{
	struct full_record records[4];

	return read(scene->gang, records, sizeof(records)) < 0 ? -errno : 0;
}

static int map_page(struct scene *scene)
{
	void *page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, scene->fd,
			  0);

	if (page == MAP_FAILED)
		return -errno;
	munmap(page, getpagesize());
	return 0;
}

static int set_policy(struct scene *scene)
{
	return write_text(SYSFS "policy", "even");
}

static int read_journal(struct scene *scene)
{
	char text[4096];

	return read_text(DEBUGFS "journal", text, sizeof(text));
}

static int make_device(struct scene *scene)
{
	return write_text(ITEM "live", "1");
}

/* Sends the request and reads up to its end. */
static int ask_netlink(struct scene *scene)
{
	union {
		struct nlmsghdr header;
		char bytes[65536];
	} answer;
	ssize_t count;

	if (nl_send_auto(scene->sock, scene->request) < 0)
		return -errno;
	for (;;) {
		count = recv(nl_socket_get_fd(scene->sock), &answer,
			     sizeof(answer), 0);
		if (count < 0)
			return -errno;
		if (answer.header.nlmsg_type == NLMSG_ERROR)
			return ((struct nlmsgerr *)NLMSG_DATA(&answer))->error;
		if (answer.header.nlmsg_type == NLMSG_DONE)
			return 0;
	}
}

/* A gang of one, from opening to closing; the first error ends it. */
static int live(struct scene *scene)
{
	int ret = gang_ran(scene) ?: ask_status(scene);

	if (scene->gang >= 0)
		close(scene->gang);
	scene->gang = -1;
	return ret ?: launch(scene->fd, scene->handle, 1, &scene->sequence) ?:
	       wait_for_it(scene);
}

/* --- the tests --- */

FIXTURE(fail_nth)
{
	struct scene scene;
	long long held;
};

FIXTURE_VARIANT(fail_nth)
{
	int (*prepare)(struct scene *scene);
	int (*run)(struct scene *scene);
};

#define PATH(_name, _prepare, _run)					\
	FIXTURE_VARIANT_ADD(fail_nth, _name) {				\
		.prepare = _prepare, .run = _run,			\
	}

PATH(open, nothing, opened);
PATH(device_info, opened, ask_device);
PATH(tenant_config, opened, configure);
PATH(trace_upload, opened, upload_trace);
PATH(trace_refused, opened, upload_refused);
PATH(trace_remove, uploaded, remove_trace);
PATH(launch, uploaded, launch_once);
PATH(copy, uploaded, copy_once);
PATH(launch_eventfd, uploaded, launch_with_eventfd);
PATH(launch_managed, uploaded_to_page, launch_managed);
PATH(launch_after_a_gang, gang_left, launch_once);
PATH(wait, worked, wait_for_it);
PATH(report, worked, report);
PATH(gang_create, uploaded, create_gang);
PATH(gang_join, gang_made, join);
PATH(gang_status, gang_ran, ask_status);
PATH(gang_report, gang_ran, ask_report);
PATH(read, worked, read_completion);
PATH(gang_read, gang_ran, read_epochs);
PATH(mmap, opened, map_page);
PATH(sysfs, nothing, set_policy);
PATH(sysfs_managed, without_managed_memory, set_managed_memory);
PATH(debugfs, gang_ran, read_journal);
PATH(configfs, item_made, make_device);
PATH(netlink_device_get, device_get_prepared, ask_netlink);
PATH(netlink_device_set, device_set_prepared, ask_netlink);
PATH(netlink_tenant_dump, tenant_dump_prepared, ask_netlink);
PATH(netlink_epoch_get, epoch_get_prepared, ask_netlink);
PATH(whole_life, nothing, live);

FIXTURE_SETUP(fail_nth)
{
	if (access("/proc/thread-self/fail-nth", F_OK))
		SKIP(return, "the kernel has no fault injection");
	set_up_injection();
	build_everything(&self->scene.trace);
	self->held = read_number(SYSFS "bytes_held");
}

FIXTURE_TEARDOWN(fail_nth)
{
	/*
	 * Other programs expect the device as it was loaded. EBUSY while copies of a tenant that
	 * has gone stand still; the last path that sets it leaves none.
	 */
	write_text(SYSFS "managed_mib", "0");
}

/* One round; whether the path ended before its @n-th fault, 0: without any. */
static bool run_round(struct __test_metadata *_metadata,
		      FIXTURE_DATA(fail_nth) *self,
		      const FIXTURE_VARIANT(fail_nth) *variant, unsigned int n,
		      int *ret)
{
	struct scene *scene = &self->scene;
	bool left;

	scene->fd = -1;
	scene->gang = -1;
	scene->sock = NULL;
	scene->listener = NULL;
	scene->request = NULL;
	EXPECT_EQ(0, variant->prepare(scene));
	set_fail_nth(n);
	*ret = variant->run(scene);
	left = fault_is_left();
	set_fail_nth(0);
	clear(scene);
	EXPECT_EQ(self->held, read_bytes_held(self->held)) {
		TH_LOG("fault %u", n);
	}
	return left;
}

/* Each fault of a path in turn; how many were seen. */
static unsigned int run_rounds(struct __test_metadata *_metadata,
			       FIXTURE_DATA(fail_nth) *self,
			       const FIXTURE_VARIANT(fail_nth) *variant)
{
	unsigned int n, refused = 0;
	bool left = false;
	int ret = 0;

	for (n = 1; n < FAULTS_MAX && !left; n++) {
		left = run_round(_metadata, self, variant, n, &ret);
		EXPECT_TRUE(is_of_a_fault(ret)) {
			TH_LOG("fault %u: %d", n, ret);
		}
		refused += ret != 0;
	}
	EXPECT_TRUE(left);
	EXPECT_EQ(0, ret);
	TH_LOG("%u faults, %u seen", n - 2, refused);
	return refused;
}

TEST_F_TIMEOUT(fail_nth, every_fault, 1200)
{
	unsigned int tries, refused = 0;
	int ret;

	/* Once with nothing failing, so that what is kept for good is there. */
	run_round(_metadata, self, variant, 0, &ret);
	ASSERT_EQ(0, ret);
	/*
	 * What else the kernel allocates for this thread differs from round to round, so
	 * that the one place where WAIT can fail may be passed over.
	 */
	for (tries = 0; tries < 5 && !refused; tries++)
		refused = run_rounds(_metadata, self, variant);
	EXPECT_LT(0, refused);
}

TEST_HARNESS_MAIN
