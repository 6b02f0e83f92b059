/* SPDX-License-Identifier: GPL-2.0 */
/* What to write instead of what the kernel's verifier of BPF programs refuses. */
#ifndef SIMGPU_VERIFIER_HINT_H
#define SIMGPU_VERIFIER_HINT_H

/**
 * verifier_hint() - what to do about a refusal
 * @reason: the last line of the verifier's log
 *
 * Return: a sentence; NULL: none is known.
 */
const char *verifier_hint(const char *reason);

#endif /* SIMGPU_VERIFIER_HINT_H */
