// SPDX-License-Identifier: GPL-2.0
/*
 * Goals of tenants: set by ioctl, sysfs and netlink, seen in all of them, refused where
 * they make no sense; and what is told of a tenant with a goal that shares SMs: who
 * has which, quotas, and energy.
 */
#include "harness.h"
#include "netlink_calls.h"

#define IPC(value)	((value) * 1000000ULL)

FIXTURE(goals)
{
	int fd;
	unsigned long id;
	uint64_t peak;
	struct nl_sock *sock;
	int family;
	struct answer answer;
	char policy[64];
};

FIXTURE_SETUP(goals)
{
	struct simgpu_device_info info = { .size = sizeof(info) };

	self->fd = open_device();
	ASSERT_LE(0, self->fd);
	self->id = newest_tenant();
	ASSERT_EQ(0, call(self->fd, SIMGPU_IOC_DEVICE_INFO, &info));
	self->peak = info.sms * info.schedulers_per_sm * 32;
	self->sock = connect_family(&self->family);
	ASSERT_NE(NULL, self->sock);
	ASSERT_EQ(0, read_text(SYSFS "policy", self->policy, 64));
}

FIXTURE_TEARDOWN(goals)
{
	answer_free(&self->answer);
	nl_socket_free(self->sock);
	if (self->fd >= 0)
		close(self->fd);
	EXPECT_EQ(0, write_text(SYSFS "policy", self->policy));
}

/* --- three ways to say it -------------------------------------------------------- */

static int by_ioctl(int fd, uint32_t service, uint32_t kind, uint64_t goal)
{
	struct simgpu_tenant_config cmd = {
		.size = sizeof(cmd), .service = service, .weight = 1,
		.name = "goal", .goal_kind = kind, .goal = goal,
	};

	return call(fd, SIMGPU_IOC_TENANT_CONFIG, &cmd);
}

static int qos(int fd, uint32_t kind, uint64_t goal)
{
	return by_ioctl(fd, SIMGPU_SERVICE_QOS, kind, goal);
}

static const char *path_of(unsigned long id, const char *file)
{
	static char path[128];

	snprintf(path, sizeof(path), SYSFS "tenants/%lu/%s", id, file);
	return path;
}

static int by_sysfs(unsigned long id, const char *goal)
{
	return write_text(path_of(id, "goal"), goal);
}

/* NULL: that attribute is left out. */
static int by_netlink(struct nl_sock *sock, int family, unsigned long id,
		      const uint32_t *kind, const uint64_t *goal)
{
	struct nl_msg *message = request(family, SIMGPU_CMD_TENANT_SET,
					 NLM_F_ACK);
	struct answer answer = { .count = 0 };
	int ret;

	nla_put_u32(message, SIMGPU_A_TENANT_DEVICE, 0);
	nla_put_u64(message, SIMGPU_A_TENANT_ID, id);
	if (kind)
		nla_put_u32(message, SIMGPU_A_TENANT_GOAL_KIND, *kind);
	if (goal)
		nla_put_u64(message, SIMGPU_A_TENANT_GOAL, *goal);
	ret = transact(sock, message, &answer);
	answer_free(&answer);
	return ret;
}

#define EXPECT_GOAL(_text) do {						\
	char _read[128];						\
									\
	EXPECT_EQ(0, read_text(path_of(self->id, "goal"), _read,	\
			       sizeof(_read)));				\
	EXPECT_STREQ(_text, _read);					\
} while (0)

TEST_F(goals, by_ioctl)
{
	struct simgpu_tenant_config cmd = {
		.size = sizeof(cmd), .service = SIMGPU_SERVICE_QOS, .weight = 1,
		.name = "goal", .goal_kind = SIMGPU_GOAL_IPC, .goal = IPC(7),
		.reserved = 1,
	};

	EXPECT_GOAL("none");
	EXPECT_EQ(0, qos(self->fd, SIMGPU_GOAL_KERNEL_TIME, 16600000));
	EXPECT_GOAL("kernel_time 16600000");
	EXPECT_EQ(0, qos(self->fd, SIMGPU_GOAL_RATE, 60500000));
	EXPECT_GOAL("rate 60.500000");
	EXPECT_EQ(0, qos(self->fd, SIMGPU_GOAL_IPC, IPC(self->peak)));
	EXPECT_EQ(0, qos(self->fd, SIMGPU_GOAL_IPC, IPC(120)));
	EXPECT_GOAL("ipc 120.000000");

	EXPECT_EQ(-EINVAL, qos(self->fd, SIMGPU_GOAL_IPC, IPC(self->peak) + 1));
	EXPECT_EQ(-EINVAL, qos(self->fd, SIMGPU_GOAL_IPC, 0));
	EXPECT_EQ(-EINVAL, qos(self->fd, SIMGPU_GOAL_KERNEL_TIME, 0));
	EXPECT_EQ(-EINVAL, qos(self->fd, SIMGPU_GOAL_RATE, 0));
	EXPECT_EQ(-EINVAL, qos(self->fd, SIMGPU_GOAL_RATE + 1, IPC(1)));
	EXPECT_EQ(-EINVAL, qos(self->fd, UINT32_MAX, IPC(1)));
	EXPECT_EQ(-EINVAL, qos(self->fd, SIMGPU_GOAL_NONE, 1));
	EXPECT_EQ(-EINVAL, by_ioctl(self->fd, SIMGPU_SERVICE_BEST_EFFORT,
				    SIMGPU_GOAL_IPC, IPC(1)));
	EXPECT_EQ(-EINVAL, call(self->fd, SIMGPU_IOC_TENANT_CONFIG, &cmd));
	EXPECT_GOAL("ipc 120.000000");
	EXPECT_EQ(0, by_ioctl(self->fd, SIMGPU_SERVICE_BEST_EFFORT,
			      SIMGPU_GOAL_NONE, 0));
	EXPECT_GOAL("none");
}

TEST_F(goals, by_sysfs)
{
	static const char *const bad[] = {
		"ipc 0", "ipc", "ipc ", "ipc -1", "ipc 1e3", "ipc 12 rate 60",
		"rate 60 kernel_time 16600000", "ipc 12,rate 60", "rate 0",
		"kernel_time 0", "kernel_time 1.5", "fps 60", "120", "none 0",
		"ipc 99999999999999999999", " ",
	};
	char text[64];
	size_t i;

	/* Without QoS there is none. */
	EXPECT_EQ(-EINVAL, by_sysfs(self->id, "ipc 100"));
	ASSERT_EQ(0, qos(self->fd, SIMGPU_GOAL_IPC, IPC(5)));
	EXPECT_EQ(0, by_sysfs(self->id, "kernel_time 2000"));
	EXPECT_GOAL("kernel_time 2000");
	EXPECT_EQ(0, by_sysfs(self->id, "rate 0.5\n"));
	EXPECT_GOAL("rate 0.500000");
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		EXPECT_EQ(-EINVAL, by_sysfs(self->id, bad[i])) {
			TH_LOG("'%s'", bad[i]);
		}
	}
	snprintf(text, sizeof(text), "ipc %llu.000001",
		 (unsigned long long)self->peak);
	EXPECT_EQ(-EINVAL, by_sysfs(self->id, text));
	/* It would be a QoS tenant that wants nothing. */
	EXPECT_EQ(-EINVAL, by_sysfs(self->id, "none"));
	EXPECT_GOAL("rate 0.500000");
	ASSERT_EQ(0, write_text(path_of(self->id, "target"), "0.5"));
	EXPECT_EQ(0, by_sysfs(self->id, "none"));
	EXPECT_GOAL("none");
}

TEST_F(goals, by_netlink)
{
	const uint32_t ipc = SIMGPU_GOAL_IPC, rate = SIMGPU_GOAL_RATE, other = 4;
	const uint64_t value = IPC(33), none = 0, most = IPC(self->peak) + 1;
	struct nlattr **row = self->answer.rows[0];

	EXPECT_EQ(-EINVAL, by_netlink(self->sock, self->family, self->id, &ipc,
				      &value));
	ASSERT_EQ(0, qos(self->fd, SIMGPU_GOAL_RATE, IPC(5)));
	EXPECT_EQ(0, by_netlink(self->sock, self->family, self->id, &ipc,
				&value));
	EXPECT_GOAL("ipc 33.000000");
	ASSERT_EQ(0, get_tenant(self->sock, self->family, self->id,
				&self->answer));
	EXPECT_EQ(SIMGPU_GOAL_IPC, nla_get_u32(row[SIMGPU_A_TENANT_GOAL_KIND]));
	EXPECT_EQ(value, nla_get_u64(row[SIMGPU_A_TENANT_GOAL]));
	/* It has no slot: nothing has come of it. */
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_GOAL_IPC_PPM]);
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_GOAL_MET]);
	EXPECT_EQ(NULL, row[SIMGPU_A_TENANT_QUOTA_LEFT]);
	EXPECT_EQ(-EINVAL, by_netlink(self->sock, self->family, self->id, &ipc,
				      &most));
	EXPECT_EQ(-EINVAL, by_netlink(self->sock, self->family, self->id, &rate,
				      &none));
	EXPECT_EQ(-EINVAL, by_netlink(self->sock, self->family, self->id, &rate,
				      NULL));
	EXPECT_EQ(-EINVAL, by_netlink(self->sock, self->family, self->id, NULL,
				      &value));
	EXPECT_EQ(-EINVAL, by_netlink(self->sock, self->family, self->id, &other,
				      &value));
	EXPECT_GOAL("ipc 33.000000");
}

/* --- what comes of it -------------------------------------------------------------- */

static int text_of(unsigned long id, const char *file, char *text)
{
	return read_text(path_of(id, file), text, 512);
}

static double number_of(unsigned long id, const char *file)
{
	char text[512];

	return text_of(id, file, text) ? -1 : strtod(text, NULL);
}

static double device_number(const char *file)
{
	char path[128], text[64];

	snprintf(path, sizeof(path), SYSFS "%s", file);
	return read_text(path, text, sizeof(text)) ? -1 : strtod(text, NULL);
}

/* Two tenants share all SMs under quotas, one of them with a goal. */
TEST_F_TIMEOUT(goals, on_shared_sms, 120)
{
	struct nlattr **row = self->answer.rows[0];
	int other = open_device(), tries;
	unsigned long second = newest_tenant();
	struct built_trace trace;
	char text[512];
	uint32_t handle;
	double energy;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, write_text(SYSFS "policy", "quota-rollover"));
	ASSERT_EQ(0, qos(self->fd, SIMGPU_GOAL_IPC, IPC(200)));
	EXPECT_EQ(-ENODATA, text_of(self->id, "goal_ipc", text));
	EXPECT_EQ(-ENODATA, text_of(self->id, "quota_left", text));
	build_compute(&trace, 800, 100);
	ASSERT_EQ(0, upload(self->fd, &trace, &handle));
	ASSERT_EQ(0, launch(self->fd, handle, UINT64_MAX, NULL));
	ASSERT_EQ(0, upload(other, &trace, &handle));
	ASSERT_EQ(0, launch(other, handle, UINT64_MAX, NULL));
	for (tries = 0; tries < 1000 * patience(); tries++) {
		if (number_of(self->id, "goal_met") == 1 &&
		    number_of(self->id, "blocks_per_sm") > 0 &&
		    number_of(second, "quota_used") > 0)
			break;
		sleep_ms(50);
	}
	/* It was met; it is met and missed by turns, as quotas leave hardly more than it. */
	EXPECT_GT(1000 * patience(), tries);
	EXPECT_EQ(200, number_of(self->id, "goal_ipc"));
	EXPECT_LE(0, number_of(self->id, "goal_promised"));
	EXPECT_EQ(-ENODATA, text_of(second, "goal_ipc", text));
	EXPECT_EQ(-ENODATA, text_of(second, "goal_promised", text));

	/* Both are on all SMs, which are nobody's own. */
	EXPECT_EQ(0, text_of(self->id, "shared_sm_list", text));
	EXPECT_STREQ("0-79", text);
	EXPECT_EQ(0, text_of(second, "shared_sm_list", text));
	EXPECT_STREQ("0-79", text);
	EXPECT_EQ(0, text_of(second, "sm_list", text));
	EXPECT_STREQ("", text);
	EXPECT_EQ(80, number_of(self->id, "shared_sms"));
	EXPECT_LE(0, number_of(self->id, "blocks"));
	/* 200 a cycle for an epoch of 10,000, and no more than alpha asks for. */
	EXPECT_LE(2000000, number_of(self->id, "quota"));
	EXPECT_EQ(0, text_of(self->id, "quota_left", text));
	EXPECT_EQ(0, text_of(self->id, "idle_blocks", text));

	/* The device takes what both take, and static power. */
	energy = number_of(self->id, "energy_joules") +
		 number_of(second, "energy_joules");
	EXPECT_LT(0, energy);
	EXPECT_LT(energy, device_number("energy_joules"));
	EXPECT_LT(0, device_number("static_joules"));
	EXPECT_LT(0, device_number("instructions_per_watt"));
	EXPECT_LT(0, device_number("instructions_per_joule"));

	ASSERT_EQ(0, get_tenant(self->sock, self->family, self->id,
				&self->answer));
	ASSERT_NE(NULL, row[SIMGPU_A_TENANT_GOAL_IPC_PPM]);
	EXPECT_EQ(IPC(200), nla_get_u64(row[SIMGPU_A_TENANT_GOAL_IPC_PPM]));
	ASSERT_NE(NULL, row[SIMGPU_A_TENANT_SHARED_SM_LIST]);
	EXPECT_STREQ("0-79",
		     nla_get_string(row[SIMGPU_A_TENANT_SHARED_SM_LIST]));
	EXPECT_NE(NULL, row[SIMGPU_A_TENANT_QUOTA_LEFT]);
	EXPECT_NE(NULL, row[SIMGPU_A_TENANT_QUOTA]);
	ASSERT_NE(NULL, row[SIMGPU_A_TENANT_ENERGY_PJ]);
	EXPECT_LT(0, nla_get_u64(row[SIMGPU_A_TENANT_ENERGY_PJ]));

	/* What who has gone has taken stays the device's. */
	energy = device_number("energy_joules");
	close(other);
	EXPECT_LE(energy, device_number("energy_joules"));
}

TEST_HARNESS_MAIN
