/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of a predicted NP's error: signed logarithms, whose sum is the logarithm of
 * the whole error.
 */
#ifndef SIMGPU_SWEEP_ERROR_H
#define SIMGPU_SWEEP_ERROR_H

#include <stdbool.h>

/**
 * struct error_facts - figures of a tenant's run and of its private one
 * @predicted: NP over all epochs; above 0
 * @actual: NP; above 0
 * @right_class: the prediction over those epochs in which the class was that of the
 *	private run; 0: there are none
 * @by_line: whether the model uses HSM's line (Eq. 5), and the tenant is
 *	memory-bound alone
 * @line_alone: value of the line at the RBH of the private run
 * @line_shared: value of the line at the RBH of the shared run
 * @utilization_alone: utilization that the private run reached
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
 * struct error_parts - parts of an error, natural logarithms
 * @whole: log(predicted / actual), the sum of the others
 * @class: from epochs whose class is not that of the private run; the whole, if
 *	no epoch has that class
 * @line: from the distance of the line from the private utilization, at the
 *	private RBH
 * @drift: from the change of the RBH in company, along the line
 * @rest: error that remains with the private utilization in the line's place (Eq. 5),
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
