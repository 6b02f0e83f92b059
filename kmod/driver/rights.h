/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rights of users: decided in this one place, for ioctls, sysfs and
 * netlink alike. docs/driver.md has them as a table.
 *
 * The caller is the sender of a netlink message, @request, and also the opener of
 * the socket: a program may be tricked into writing to another user's socket. If
 * @request is NULL, the caller is the calling process.
 */
#ifndef SIMGPU_RIGHTS_H
#define SIMGPU_RIGHTS_H

#include <linux/types.h>
#include <linux/uidgid.h>

#include "driver.h"

/*
 * A figure over all tenants reveals one of them to a reader who knows the others. All users
 * may read it if it is over tenants of this many users other than the reader, or of none.
 */
#define SIMGPU_FOREIGN_USERS_MIN	3

struct sk_buff;
struct simgpu_device;

/**
 * struct simgpu_reader - who reads figures of all tenants together
 * @request: the reader's message; NULL: it is the calling process
 * @group: it is a group of netlink, where anybody may listen; @request is not looked at
 */
struct simgpu_reader {
	const struct sk_buff *request;
	bool group;
};

bool simgpu_may_administer(const struct sk_buff *request);
bool simgpu_may_claim(const struct sk_buff *request);
bool simgpu_may_change(const struct sk_buff *request, kuid_t user);
bool simgpu_may_read(const struct sk_buff *request, kuid_t user);
bool simgpu_may_read_all(const struct simgpu_reader *reader);
bool simgpu_may_read_aggregates(const struct simgpu_reader *reader,
				struct simgpu_device *device);
int simgpu_check_claim(const struct sk_buff *request,
		       const struct simgpu_device *device,
		       const struct session_tenant_options *now,
		       const struct session_tenant_options *wanted);
int simgpu_check_masks(const struct sk_buff *request,
		       const struct session_masks *now,
		       const struct session_masks *wanted);
extern bool simgpu_counters_public;

#endif /* SIMGPU_RIGHTS_H */
