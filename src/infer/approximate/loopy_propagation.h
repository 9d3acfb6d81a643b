/* SPDX-License-Identifier: MIT */
/* loopy_propagation.h - loopy belief propagation between the tables of a reduced network (factors) and their
 * variables.
 *
 * The message from a factor f to its variable x is m(x) = sum over the other variables of f times their messages to
 * f. The message from a variable to a factor is the product of the messages from all its other factors (Pearl 1988).
 * Without loops, two passes suffice and the beliefs are the posteriors. With loops, messages are passed until they
 * no longer change, which may never happen. The beliefs are then usually only close to the posteriors (Murphy, Weiss
 * and Jordan 1999). Messages that keep changing are damped. The log probability of the evidence is the Bethe
 * approximation (Yedidia, Freeman and Weiss 2005).
 *
 * Factors are updated in breadth-first order and then in reverse, so one round is enough for a forest. Messages to
 * variables are stored as logarithms: thousands of them add up without underflow. */
#ifndef CRD_INFER_APPROXIMATE_LOOPY_PROPAGATION_H
#define CRD_INFER_APPROXIMATE_LOOPY_PROPAGATION_H

#include "infer/approximate/reduced_network.h"

typedef struct crd_i_messages {
    const crd_i_reduced *reduced;
    uint32_t *order;     /* factors in update order: breadth first */
    size_t *starts;      /* by edge: start of its message, which has one number per state of its variable */
    double *to_variable; /* logarithms; the largest is 0 */
    double *to_factor;   /* probabilities that add up to 1 */
    double *beliefs;     /* by variable state: probabilities that add up to 1 */
    double log_evidence; /* NaN if the messages did not converge */
    bool is_converged;
} crd_i_messages;

/* Runs at most `rounds` rounds of message passing. Returns CRD_OK even if the messages did not converge. */
CRD_MUST_USE crd_status crd_i_messages_create(const crd_i_reduced *reduced, size_t rounds, crd_i_messages **out,
                                              crd_error *error);
void crd_i_messages_destroy(crd_i_messages *messages);

#endif
