// SPDX-License-Identifier: GPL-2.0
/*
 * A home for policies in BPF: a struct_ops type, kfuncs that give a program its
 * buffers, and a device by which tests/bpf/loader asks for decisions. The policy of
 * weighted.h is built in beside it, to be compared with. Needs 6.12.
 */
#include <linux/bpf.h>
#include <linux/bpf_verifier.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/vmalloc.h>

#include "../interface.h"
#include "../random_snapshot.h"
#include "../weighted.h"

#define REPEAT_MAX	100000

/**
 * struct bpf_test - everything of the module
 * @call: what a program is given; kfuncs find the rest from it
 * @lock: guards all, and is held over every call of a policy
 * @attached: the BPF policy, or NULL
 * @snapshot: what both homes decide on
 * @answer: what they decided
 */
static struct bpf_test {
	struct simgpu_bpf_call call;
	struct mutex lock;
	const struct simgpu_bpf_policy *attached;
	struct simgpu_snapshot *snapshot;
	struct bpf_test_answer *answer;
} test = {
	.lock = __MUTEX_INITIALIZER(test.lock),
};

/* --- kfuncs: buffers whose sizes the verifier knows from the calls --- */

__bpf_kfunc_start_defs();

/* Read-only; NULL if the program was built with a larger snapshot. */
__bpf_kfunc const u8 *simgpu_bpf_snapshot(const struct simgpu_bpf_call *call,
					  const u32 rdonly_buf_size)
{
	const struct bpf_test *t = container_of(call, struct bpf_test, call);

	return rdonly_buf_size <= sizeof(*t->snapshot) ?
		(const u8 *)t->snapshot : NULL;
}

/* NULL if the program asks for more than its policy has named. */
__bpf_kfunc u8 *simgpu_bpf_state(struct simgpu_bpf_call *call,
				 const u32 rdwr_buf_size)
{
	struct bpf_test *t = container_of(call, struct bpf_test, call);

	return rdwr_buf_size <= t->attached->state_bytes ?
		t->answer->state[BPF_TEST_PROGRAM] : NULL;
}

__bpf_kfunc u8 *simgpu_bpf_proposal(struct simgpu_bpf_call *call,
				    const u32 rdwr_buf_size)
{
	struct bpf_test *t = container_of(call, struct bpf_test, call);

	return rdwr_buf_size <= sizeof(t->answer->proposal[0]) ?
		(u8 *)&t->answer->proposal[BPF_TEST_PROGRAM] : NULL;
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(test_kfuncs)
BTF_ID_FLAGS(func, simgpu_bpf_snapshot, KF_TRUSTED_ARGS | KF_RET_NULL)
BTF_ID_FLAGS(func, simgpu_bpf_state, KF_TRUSTED_ARGS | KF_RET_NULL)
BTF_ID_FLAGS(func, simgpu_bpf_proposal, KF_TRUSTED_ARGS | KF_RET_NULL)
BTF_KFUNCS_END(test_kfuncs)

static const struct btf_kfunc_id_set test_kfunc_set = {
	.owner = THIS_MODULE,
	.set = &test_kfuncs,
};

/* --- the struct_ops type --- */

static bool type_known;

/* Without BTF of its own the kernel registers the type and never calls this. */
static int type_init(struct btf *btf)
{
	type_known = true;
	return 0;
}

/* No helpers: a policy depends on its arguments alone. */
static const struct bpf_func_proto *
type_helper(enum bpf_func_id id, const struct bpf_prog *prog)
{
	return NULL;
}

static bool type_reads(int off, int size, enum bpf_access_type type,
		       const struct bpf_prog *prog,
		       struct bpf_insn_access_aux *info)
{
	return bpf_tracing_btf_ctx_access(off, size, type, prog, info);
}

static const struct bpf_verifier_ops type_verifier = {
	.get_func_proto = type_helper,
	.is_valid_access = type_reads,
};

static int type_check_member(const struct btf_type *type,
			     const struct btf_member *member,
			     const struct bpf_prog *prog)
{
	return prog->sleepable ? -EINVAL : 0;
}

/* Returns 1 for what is taken over here; functions are the kernel's part. */
static int type_init_member(const struct btf_type *type,
			    const struct btf_member *member, void *to_policy,
			    const void *from_policy)
{
	const struct simgpu_bpf_policy *from = from_policy;
	struct simgpu_bpf_policy *to = to_policy;

	switch (__btf_member_bit_offset(type, member) / 8) {
	case offsetof(struct simgpu_bpf_policy, snapshot_version):
		to->snapshot_version = from->snapshot_version;
		return 1;
	case offsetof(struct simgpu_bpf_policy, state_bytes):
		to->state_bytes = from->state_bytes;
		return 1;
	case offsetof(struct simgpu_bpf_policy, name):
		if (strscpy(to->name, from->name, sizeof(to->name)) <= 0)
			return -EINVAL;
		return 1;
	}
	return 0;
}

static int type_validate(void *policy_)
{
	const struct simgpu_bpf_policy *policy = policy_;

	return policy->decide &&
	       policy->snapshot_version == SIMGPU_SNAPSHOT_VERSION &&
	       policy->state_bytes <= SIMGPU_STATE_BYTES_MAX ? 0 : -EINVAL;
}

static int type_reg(void *policy, struct bpf_link *link)
{
	int err = 0;

	mutex_lock(&test.lock);
	if (test.attached)
		err = -EEXIST;
	else
		test.attached = policy;
	mutex_unlock(&test.lock);
	return err;
}

static void type_unreg(void *policy, struct bpf_link *link)
{
	mutex_lock(&test.lock);
	if (test.attached == policy)
		test.attached = NULL;
	mutex_unlock(&test.lock);
}

static int stub_decide(struct simgpu_bpf_call *call)
{
	return -EINVAL;
}

static struct simgpu_bpf_policy type_stubs = {
	.decide = stub_decide,
};

static struct bpf_struct_ops type_ops = {
	.verifier_ops = &type_verifier,
	.init = type_init,
	.check_member = type_check_member,
	.init_member = type_init_member,
	.validate = type_validate,
	.reg = type_reg,
	.unreg = type_unreg,
	.cfi_stubs = &type_stubs,
	.name = "simgpu_bpf_policy",
	.owner = THIS_MODULE,
};

/* --- decisions --- */

static int decide(struct bpf_test *t, u32 home)
{
	struct bpf_test_answer *answer = t->answer;

	if (home == BPF_TEST_PROGRAM)
		return t->attached->decide(&t->call);
	return weighted_decide(t->snapshot, (void *)answer->state[home],
			       &answer->proposal[home]);
}

static void decide_in_both(struct bpf_test *t,
			   const struct bpf_test_order *order)
{
	struct bpf_test_answer *answer = t->answer;
	u32 home, i, count = max(order->repeat, 1U);
	u64 begin;

	if (order->restart)
		memset(answer->state, 0, sizeof(answer->state));
	random_snapshot(order->seed, t->snapshot);
	t->call.number++;
	for (home = 0; home < BPF_TEST_HOMES; home++) {
		fresh_proposal(&answer->proposal[home]);
		begin = ktime_get_ns();
		for (i = 0; i < count; i++)
			answer->result[home] = decide(t, home);
		answer->ns[home] = ktime_get_ns() - begin;
		/* Programs that are freed wait for a task to say so. */
		cond_resched_tasks_rcu_qs();
	}
}

static ssize_t test_write(struct file *file, const char __user *user,
			  size_t bytes, loff_t *offset)
{
	struct bpf_test_order order;
	ssize_t ret = bytes;

	if (bytes != sizeof(order))
		return -EINVAL;
	if (copy_from_user(&order, user, sizeof(order)))
		return -EFAULT;
	if (order.repeat > REPEAT_MAX)
		return -EINVAL;
	mutex_lock(&test.lock);
	if (test.attached)
		decide_in_both(&test, &order);
	else
		ret = -ENODEV;
	mutex_unlock(&test.lock);
	return ret;
}

static ssize_t test_read(struct file *file, char __user *user, size_t bytes,
			 loff_t *offset)
{
	ssize_t ret;

	mutex_lock(&test.lock);
	ret = simple_read_from_buffer(user, bytes, offset, test.answer,
				      sizeof(*test.answer));
	mutex_unlock(&test.lock);
	return ret;
}

static const struct file_operations test_operations = {
	.owner = THIS_MODULE,
	.read = test_read,
	.write = test_write,
	.llseek = default_llseek,
};

static struct miscdevice test_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = BPF_TEST_DEVICE,
	.fops = &test_operations,
};

static void free_buffers(void)
{
	vfree(test.snapshot);
	vfree(test.answer);
}

/* What is registered with BPF goes with the module by itself. */
static int register_with_bpf(void)
{
	int err;

	err = register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS,
					&test_kfunc_set);
	if (err)
		return err;
	err = register_bpf_struct_ops(&type_ops, simgpu_bpf_policy);
	if (err)
		return err;
	if (!type_known) {
		pr_err("simgpu_bpf_test: the module has no BTF (built without pahole?)\n");
		return -EINVAL;
	}
	return 0;
}

static int __init test_init(void)
{
	int err;

	test.snapshot = vzalloc(sizeof(*test.snapshot));
	test.answer = vzalloc(sizeof(*test.answer));
	err = test.snapshot && test.answer ? register_with_bpf() : -ENOMEM;
	if (!err)
		err = misc_register(&test_device);
	if (err)
		free_buffers();
	return err;
}
module_init(test_init);

static void __exit test_exit(void)
{
	misc_deregister(&test_device);
	free_buffers();
}
module_exit(test_exit);

MODULE_DESCRIPTION("Policies in BPF, as a test");
MODULE_LICENSE("GPL");
