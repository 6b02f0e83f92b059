// SPDX-License-Identifier: GPL-2.0
/*
 * Policies that are BPF programs: the struct_ops type simgpu_policy_ops, and kfuncs
 * that give a program the snapshot, its state and its proposal. A memory policy is of the same
 * type, with other members: to load, name, swap and end it is the same. An attached program is
 * found by its name like a plug-in (plugins.c). It may go, or another program may replace
 * it, while devices use it: they go on with even, or with the new one
 * (change.c).
 *
 * This needs a kernel that lets modules register such types, and the module's BTF, which
 * pahole makes if the kernel's headers have a vmlinux.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/slab.h>

#include "bpf.h"
#include "change.h"
#include "device.h"
#include "plugins.h"

/* Set once the type is registered: then programs can be attached. */
static bool simgpu_bpf_known;

/**
 * simgpu_bpf_is_there() - whether policies can be BPF programs
 *
 * Return: what was found out when the module was loaded.
 */
bool simgpu_bpf_is_there(void)
{
	return READ_ONCE(simgpu_bpf_known);
}

#if defined(register_bpf_struct_ops) && defined(CONFIG_BPF_JIT) && \
	defined(CONFIG_BPF_SYSCALL) && defined(CONFIG_DEBUG_INFO_BTF_MODULES)

#include <linux/bpf_verifier.h>
#include <linux/btf_ids.h>

static DEFINE_MUTEX(simgpu_bpf_lock);
static LIST_HEAD(simgpu_bpf_policies);

/* --- kfuncs: buffers whose sizes the verifier knows from the calls --- */

static const struct simgpu_bpf_call *
simgpu_bpf_call_of(const struct simgpu_policy_call *call)
{
	return container_of(call, struct simgpu_bpf_call, call);
}

__bpf_kfunc_start_defs();

/**
 * simgpu_call_snapshot() - the snapshot of a call; of a memory policy's: faults, or a chunk
 * @call: the program's argument
 * @rdonly_buf_size: bytes of it that the program reads
 *
 * Return: the snapshot, or NULL if it is smaller than that.
 */
__bpf_kfunc const u8 *
simgpu_call_snapshot(const struct simgpu_policy_call *call,
		     const u32 rdonly_buf_size)
{
	const struct simgpu_bpf_call *whole = simgpu_bpf_call_of(call);

	return rdonly_buf_size <= whole->asked_bytes ? whole->asked : NULL;
}

/**
 * simgpu_call_state() - the policy's state
 * @call: the program's argument
 * @rdwr_buf_size: bytes of it that the program uses
 *
 * Return: the state, or NULL if the policy's state_bytes are fewer than that.
 */
__bpf_kfunc u8 *simgpu_call_state(const struct simgpu_policy_call *call,
				  const u32 rdwr_buf_size)
{
	const struct simgpu_bpf_call *whole = simgpu_bpf_call_of(call);

	return rdwr_buf_size <= whole->state_bytes ? whole->state : NULL;
}

/**
 * simgpu_call_proposal() - the proposal of a call, which has the present state; of a memory
 *	policy's: the placement, which is zero
 * @call: the program's argument
 * @rdwr_buf_size: bytes of it that the program uses
 *
 * Return: the proposal, or NULL if it is smaller than that.
 */
__bpf_kfunc u8 *simgpu_call_proposal(const struct simgpu_policy_call *call,
				     const u32 rdwr_buf_size)
{
	const struct simgpu_bpf_call *whole = simgpu_bpf_call_of(call);

	return rdwr_buf_size <= whole->answer_bytes ? whole->answer : NULL;
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(simgpu_bpf_kfuncs)
BTF_ID_FLAGS(func, simgpu_call_snapshot, KF_TRUSTED_ARGS | KF_RET_NULL)
BTF_ID_FLAGS(func, simgpu_call_state, KF_TRUSTED_ARGS | KF_RET_NULL)
BTF_ID_FLAGS(func, simgpu_call_proposal, KF_TRUSTED_ARGS | KF_RET_NULL)
BTF_KFUNCS_END(simgpu_bpf_kfuncs)

static const struct btf_kfunc_id_set simgpu_bpf_kfunc_set = {
	.owner = THIS_MODULE,
	.set = &simgpu_bpf_kfuncs,
};

/* --- what a program may do, and say of itself --- */

/* Helpers for maps only: a policy has no clock, and no random numbers but the session's. */
static const struct bpf_func_proto *
simgpu_bpf_helper(enum bpf_func_id id, const struct bpf_prog *prog)
{
	switch (id) {
	case BPF_FUNC_map_lookup_elem:
	case BPF_FUNC_map_update_elem:
	case BPF_FUNC_map_delete_elem:
		return bpf_base_func_proto(id, prog);
	default:
		return NULL;
	}
}

static bool simgpu_bpf_reads(int off, int size, enum bpf_access_type type,
			     const struct bpf_prog *prog,
			     struct bpf_insn_access_aux *info)
{
	return bpf_tracing_btf_ctx_access(off, size, type, prog, info);
}

static const struct bpf_verifier_ops simgpu_bpf_verifier = {
	.get_func_proto = simgpu_bpf_helper,
	.is_valid_access = simgpu_bpf_reads,
};

static int simgpu_bpf_check_member(const struct btf_type *type,
				   const struct btf_member *member,
				   const struct bpf_prog *prog)
{
	return prog->sleepable ? -EINVAL : 0;
}

/* Whether the contents of a map can change: constants are in maps, too. */
static bool simgpu_bpf_map_lives(const struct bpf_map *map)
{
	return !(map->map_flags & BPF_F_RDONLY_PROG) || !READ_ONCE(map->frozen);
}

/*
 * Add the program's own maps, which include those of its variables; a map of two programs
 * counts twice. The state hash does
 * not take them, a replay does not find them, and other programs may change them: the
 * journal says so.
 */
static int simgpu_bpf_count_maps(int fd, u32 *maps)
{
	struct bpf_prog *prog;
	u32 i;

	if (!fd)
		return 0;
	prog = bpf_prog_get_type_dev(fd, BPF_PROG_TYPE_STRUCT_OPS, false);
	if (IS_ERR(prog))
		return PTR_ERR(prog);
	for (i = 0; i < prog->aux->used_map_cnt; i++)
		*maps += simgpu_bpf_map_lives(prog->aux->used_maps[i]);
	bpf_prog_put(prog);
	return 0;
}

/* Returns 1 for members that are copied here; the kernel sets those for functions. */
static int simgpu_bpf_init_member(const struct btf_type *type,
				  const struct btf_member *member, void *to_ops,
				  const void *from_ops)
{
	const u32 data = offsetofend(struct simgpu_policy_ops, rank);
	u32 offset = __btf_member_bit_offset(type, member) / 8;
	struct simgpu_policy_ops *ops = to_ops;
	u32 maps = ops->maps;

	/* The kdata has the program's members first, then all data. */
	if (offset < data)
		return simgpu_bpf_count_maps(*(const unsigned long *)(from_ops + offset),
					     &ops->maps);
	memcpy(to_ops + data, from_ops + data,
	       sizeof(struct simgpu_policy_ops) - data);
	ops->maps = maps;
	return 1;
}

static bool simgpu_bpf_text_ends(const char *text, size_t bytes)
{
	return strnlen(text, bytes) < bytes;
}

/* The name of a parameter becomes the name of a file. */
static bool simgpu_bpf_param_name_valid(const char *name)
{
	return simgpu_bpf_text_ends(name, SIMGPU_NAME_BYTES) &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

static bool simgpu_bpf_param_valid(const struct simgpu_policy_ops *ops, u32 index)
{
	const struct simgpu_policy_param *param = &ops->params[index];
	u32 i;

	for (i = 0; i < index; i++)
		if (!strcmp(ops->params[i].name, param->name))
			return false;
	return simgpu_bpf_param_name_valid(param->name) &&
	       simgpu_bpf_text_ends(param->help, SIMGPU_HELP_BYTES) &&
	       param->unit <= SIMGPU_UNIT_CYCLES &&
	       param->least <= param->initial && param->initial <= param->most;
}

/* Makes a table of gauges, with its end, of those of a program; returns how many. */
static u32 simgpu_bpf_gauges_of(const struct simgpu_policy_ops *ops,
				struct simgpu_gauge gauges[SIMGPU_GAUGES_MAX + 1])
{
	u32 i;

	memset(gauges, 0, (SIMGPU_GAUGES_MAX + 1) * sizeof(*gauges));
	for (i = 0; i < SIMGPU_GAUGES_MAX && ops->gauges[i].name[0]; i++)
		gauges[i] = (struct simgpu_gauge) {
			.name = ops->gauges[i].name,
			.unit = (u32)ops->gauges[i].unit,
			.help = ops->gauges[i].help,
		};
	return i;
}

static bool simgpu_bpf_is_memory(const struct simgpu_policy_ops *ops)
{
	return ops->place;
}

static bool simgpu_bpf_params_valid(const struct simgpu_policy_ops *ops)
{
	u32 i;

	for (i = 0; i < SIMGPU_PARAMS_MAX && ops->params[i].name[0]; i++)
		if (!simgpu_bpf_param_valid(ops, i))
			return false;
	return true;
}

static bool simgpu_bpf_gauges_valid(const struct simgpu_policy_ops *ops)
{
	struct simgpu_gauge gauges[SIMGPU_GAUGES_MAX + 1];
	u32 count = simgpu_bpf_gauges_of(ops, gauges), i;

	for (i = 0; i < count; i++)
		if (!simgpu_bpf_text_ends(ops->gauges[i].name, SIMGPU_NAME_BYTES) ||
		    !simgpu_bpf_text_ends(ops->gauges[i].help, SIMGPU_HELP_BYTES) ||
		    ops->gauges[i].unit > SIMGPU_UNIT_CYCLES)
			return false;
	return session_gauges_are_good(gauges);
}

static bool simgpu_bpf_memory_valid(const struct simgpu_policy_ops *ops)
{
	return !ops->decide && ops->rank && !ops->gauges[0].name[0] &&
	       !(ops->events & ~SIMGPU_MEMORY_EVENTS) &&
	       !ops->needs && !ops->model[0] && simgpu_bpf_params_valid(ops) &&
	       ops->state_bytes <= SIMGPU_STATE_BYTES_MAX &&
	       simgpu_plugin_name_valid(ops->name);
}

static int simgpu_bpf_validate(void *kdata)
{
	const struct simgpu_policy_ops *ops = kdata;

	if (ops->snapshot_version != SIMGPU_SNAPSHOT_VERSION)
		return -EPROTO;
	if (simgpu_bpf_is_memory(ops))
		return simgpu_bpf_memory_valid(ops) ? 0 : -EINVAL;
	if (!ops->decide || ops->rank || ops->lapse_us ||
	    (ops->events & ~SIMGPU_ON_KNOWN) ||
	    (ops->needs & ~SIMGPU_NEEDS_KNOWN) ||
	    ops->state_bytes > SIMGPU_STATE_BYTES_MAX ||
	    !simgpu_plugin_name_valid(ops->name) ||
	    !simgpu_bpf_text_ends(ops->model, sizeof(ops->model)))
		return -EINVAL;
	return simgpu_bpf_params_valid(ops) && simgpu_bpf_gauges_valid(ops) ? 0 : -EINVAL;
}

/* --- attaching, replacing, detaching --- */

/* Never called: simgpu_bpf_decide() calls the program of the policy. */
static int simgpu_bpf_unasked(const struct simgpu_snapshot *snapshot,
			      void *state, struct simgpu_proposal *proposal)
{
	return -ENOENT;
}

static int simgpu_bpf_unplaced(const struct simgpu_place *place, void *state,
			       struct simgpu_placement *placement)
{
	return -ENOENT;
}

static u64 simgpu_bpf_unranked(u32 event, const struct simgpu_chunk *chunk, void *state)
{
	return 0;
}

static u32 simgpu_bpf_source(const struct simgpu_policy_ops *said)
{
	return said->maps ? SIMGPU_SOURCE_BPF_MAPS : SIMGPU_SOURCE_BPF;
}

static void simgpu_bpf_describe_params(struct simgpu_bpf_policy *bpf)
{
	const struct simgpu_policy_ops *said = &bpf->said;
	u32 i;

	for (i = 0; i < SIMGPU_PARAMS_MAX && said->params[i].name[0]; i++)
		bpf->params[i] = (struct simgpu_param) {
			.name = said->params[i].name,
			.unit = (u32)said->params[i].unit,
			.least = said->params[i].least,
			.most = said->params[i].most,
			.initial = said->params[i].initial,
			.help = said->params[i].help,
		};
}

static void simgpu_bpf_describe_memory(struct simgpu_bpf_policy *bpf)
{
	const struct simgpu_policy_ops *said = &bpf->said;

	bpf->kind = SIMGPU_PLUGIN_MEMORY_POLICY;
	bpf->memory = (struct simgpu_memory_policy) {
		.events = said->events,
		.lapse_us = said->lapse_us,
		.state_bytes = said->state_bytes,
		.source = simgpu_bpf_source(said),
		.checksum = said->checksum,
		.place = simgpu_bpf_unplaced,
		.rank = simgpu_bpf_unranked,
		.params = bpf->params,
	};
	strscpy(bpf->memory.name, said->name, SIMGPU_NAME_BYTES);
	simgpu_bpf_describe_params(bpf);
}

static void simgpu_bpf_describe(struct simgpu_bpf_policy *bpf)
{
	const struct simgpu_policy_ops *said = &bpf->said;

	bpf->kind = SIMGPU_PLUGIN_POLICY;
	bpf->policy = (struct simgpu_policy) {
		.events = said->events,
		.needs = said->needs,
		.state_bytes = said->state_bytes,
		.source = simgpu_bpf_source(said),
		.checksum = said->checksum,
		.params = bpf->params,
		.gauges = bpf->gauges,
		.decide = simgpu_bpf_unasked,
	};
	strscpy(bpf->policy.name, said->name, SIMGPU_NAME_BYTES);
	strscpy(bpf->policy.model, said->model, SIMGPU_NAME_BYTES);
	simgpu_bpf_describe_params(bpf);
	simgpu_bpf_gauges_of(said, bpf->gauges);
}

static struct simgpu_bpf_policy *simgpu_bpf_make(const void *kdata)
{
	struct simgpu_bpf_policy *bpf = kzalloc(sizeof(*bpf), GFP_KERNEL);

	if (!bpf)
		return NULL;
	bpf->kdata = kdata;
	bpf->program = kdata;
	bpf->said = *bpf->program;
	init_rwsem(&bpf->lock);
	if (simgpu_bpf_is_memory(&bpf->said))
		simgpu_bpf_describe_memory(bpf);
	else
		simgpu_bpf_describe(bpf);
	return bpf;
}

/* Policy and memory policy are at the same place. */
static void simgpu_bpf_release(const void *is)
{
	kfree(container_of((const struct simgpu_policy *)is, struct simgpu_bpf_policy,
			   policy));
}

static void simgpu_bpf_list(struct simgpu_bpf_policy *bpf)
{
	mutex_lock(&simgpu_bpf_lock);
	list_add_tail(&bpf->list, &simgpu_bpf_policies);
	mutex_unlock(&simgpu_bpf_lock);
}

/* The policy of an attached program, with a reference. */
static struct simgpu_bpf_policy *simgpu_bpf_find(const void *kdata)
{
	struct simgpu_bpf_policy *bpf, *found = NULL;

	mutex_lock(&simgpu_bpf_lock);
	list_for_each_entry(bpf, &simgpu_bpf_policies, list)
		if (bpf->kdata == kdata)
			found = bpf;
	if (found)
		simgpu_plugin_hold(&found->policy);
	mutex_unlock(&simgpu_bpf_lock);
	return found;
}

/* The policy is already unlisted: move all devices off it, then block further calls. */
static void simgpu_bpf_end(struct simgpu_bpf_policy *old,
			   const struct simgpu_bpf_policy *new)
{
	/* Policy and memory policy are at the same place. */
	simgpu_devices_succeed(old->kind, &old->policy, new ? &new->policy : NULL);
	down_write(&old->lock);
	old->program = NULL;
	up_write(&old->lock);
	mutex_lock(&simgpu_bpf_lock);
	list_del(&old->list);
	mutex_unlock(&simgpu_bpf_lock);
}

static int simgpu_bpf_reg(void *kdata, struct bpf_link *link)
{
	struct simgpu_bpf_policy *bpf = simgpu_bpf_make(kdata);
	int ret;

	if (!bpf)
		return -ENOMEM;
	simgpu_bpf_list(bpf);
	ret = simgpu_bpf_policy_add(&bpf->policy, bpf->kind, simgpu_bpf_release);
	if (ret) {
		mutex_lock(&simgpu_bpf_lock);
		list_del(&bpf->list);
		mutex_unlock(&simgpu_bpf_lock);
		kfree(bpf);
	}
	return ret;
}

/* The kernel does not let a module refuse this. */
static void simgpu_bpf_unreg(void *kdata, struct bpf_link *link)
{
	struct simgpu_bpf_policy *bpf = simgpu_bpf_find(kdata);

	if (!bpf)
		return;
	simgpu_bpf_policy_replace(&bpf->policy, NULL);
	simgpu_bpf_end(bpf, NULL);
	simgpu_plugin_put(&bpf->policy);
}

static int simgpu_bpf_swap(struct simgpu_bpf_policy *old, const void *kdata)
{
	struct simgpu_bpf_policy *new = simgpu_bpf_make(kdata);
	int ret;

	if (!new)
		return -ENOMEM;
	simgpu_bpf_list(new);
	ret = simgpu_bpf_policy_replace(&old->policy, &new->policy);
	if (!ret) {
		simgpu_bpf_end(old, new);
		return 0;
	}
	mutex_lock(&simgpu_bpf_lock);
	list_del(&new->list);
	mutex_unlock(&simgpu_bpf_lock);
	kfree(new);
	return ret;
}

static int simgpu_bpf_update(void *kdata, void *old_kdata, struct bpf_link *link)
{
	const struct simgpu_policy_ops *ops = kdata;
	struct simgpu_bpf_policy *old = simgpu_bpf_find(old_kdata);
	int ret = -EINVAL;

	if (!old)
		return -ENOENT;
	if (!strcmp(old->said.name, ops->name) &&
	    simgpu_bpf_is_memory(&old->said) == simgpu_bpf_is_memory(ops))
		ret = simgpu_bpf_swap(old, kdata);
	simgpu_plugin_put(&old->policy);
	return ret;
}

/* Without the module's BTF the kernel registers the type and never calls this. */
static int simgpu_bpf_type_init(struct btf *btf)
{
	WRITE_ONCE(simgpu_bpf_known, true);
	return 0;
}

static int simgpu_bpf_stub(struct simgpu_policy_call *call)
{
	return -ENOENT;
}

static u64 simgpu_bpf_rank_stub(struct simgpu_policy_call *call, u32 event)
{
	return 0;
}

static struct simgpu_policy_ops simgpu_bpf_stubs = {
	.decide = simgpu_bpf_stub,
	.place = simgpu_bpf_stub,
	.rank = simgpu_bpf_rank_stub,
};

static struct bpf_struct_ops simgpu_bpf_type = {
	.verifier_ops = &simgpu_bpf_verifier,
	.init = simgpu_bpf_type_init,
	.check_member = simgpu_bpf_check_member,
	.init_member = simgpu_bpf_init_member,
	.validate = simgpu_bpf_validate,
	.reg = simgpu_bpf_reg,
	.unreg = simgpu_bpf_unreg,
	.update = simgpu_bpf_update,
	.cfi_stubs = &simgpu_bpf_stubs,
	.name = "simgpu_policy_ops",
	.owner = THIS_MODULE,
};

/* The kernel removes these registrations when the module is unloaded. */
static void simgpu_bpf_register(void)
{
	int ret;

	if (!THIS_MODULE->btf_data_size)
		return;
	ret = register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS,
					&simgpu_bpf_kfunc_set);
	ret = ret ?: register_bpf_struct_ops(&simgpu_bpf_type,
					     simgpu_policy_ops);
	if (ret)
		pr_warn("simgpu: the type of BPF policies is refused: %d\n",
			ret);
}

#else /* the kernel does not let modules register such types */

static void simgpu_bpf_register(void)
{
}

#endif

/**
 * simgpu_bpf_init() - let BPF programs be policies, where that is possible
 *
 * This has to be the last step of loading the module, since it cannot be undone.
 */
void simgpu_bpf_init(void)
{
	simgpu_bpf_register();
	if (!simgpu_bpf_is_there())
		pr_info("simgpu: no BPF policies: the kernel is older than 6.12, or the module has no BTF\n");
}
