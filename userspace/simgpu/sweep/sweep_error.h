/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the error of a predicted NP is made of: signed parts in logarithms, which add
 * up to the whole.
 */
#ifndef SIMGPU_SWEEP_ERROR_H
#define SIMGPU_SWEEP_ERROR_H

#include <stdbool.h>

/**
 * struct error_facts - a tenant's run, beside its private one
 * @predicted: NP over all epochs; above 0
 * @actual: NP; above 0
 * @right_class: the prediction over those epochs in which the class was that of the
 *	private run; 0: there are none
 * @by_line: the model is one that draws HSM's line (Eq. 5), and the tenant is
 *	memory-bound alone
 * @line_alone: what the line says at the RBH of the private run
 * @line_shared: and at that of the shared run
 * @utilization_alone: which it reached alone
 */
struct error_facts {
	double predicted;
	double actual;
	double right_class;
	bool by_line;
	double line_alone;
	double line_shared;
	double utilization_alone;
};

/**
 * struct error_parts - natural logarithms
 * @whole: log(predicted / actual), the sum of the others
 * @class: by epochs whose class is not that of the private run; all of it, if
 *	no epoch has that class
 * @line: by the distance of the line from the private utilization, at the
 *	private RBH
 * @drift: by what company does to the RBH, along the line
 * @rest: what is left with the private utilization in the line's place (Eq. 5),
 *	or of the share of SMs (Eq. 4)
 */
struct error_parts {
	double whole;
	double class;
	double line;
	double drift;
	double rest;
};

struct error_parts error_split(const struct error_facts *facts);

#endif /* SIMGPU_SWEEP_ERROR_H */
