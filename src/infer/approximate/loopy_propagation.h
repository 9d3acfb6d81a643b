/* SPDX-License-Identifier: MIT */
/* loopy_propagation.h - belief propagation between the tables of what is left of a network and their variables, in spite of loops.
 *
 * A factor tells each of its variables m(x) = the sum over its other variables of its table times what they tell it; a
 * variable tells a factor the product of what all others tell it (Pearl 1988). Without loops two passes are enough and
 * beliefs are the posteriors; with loops messages go round until they do not change any more, which they may never do,
 * and beliefs are only near the posteriors, mostly (Murphy, Weiss and Jordan 1999). Messages that go on changing are
 * damped. The logarithm of the probability of the evidence is Bethe's approximation (Yedidia, Freeman, Weiss 2005).
 *
 * Factors take their turns in the order in which a search through the graph comes by them, and back, so that a forest
 * is done in one round. Messages to variables are kept as logarithms: thousands of them add up without underflow. */
#ifndef CRD_INFER_APPROXIMATE_LOOPY_PROPAGATION_H
#define CRD_INFER_APPROXIMATE_LOOPY_PROPAGATION_H

#include "infer/approximate/reduced_network.h"

typedef struct crd_i_messages {
    const crd_i_reduced *reduced;
    uint32_t *order;     /* factors as they take their turns: breadth first */
    size_t *starts;      /* by edge: where its numbers begin, one for each state of its variable */
    double *to_variable; /* logarithms, the greatest 0 */
    double *to_factor;   /* plain, adding up to 1 */
    double *beliefs;     /* by state of a variable: plain, adding up to 1 */
    double log_evidence; /* NaN where messages did not converge */
    bool is_converged;
} crd_i_messages;

/* `rounds`: when to give up. CRD_OK also where they did not converge. */
CRD_MUST_USE crd_status crd_i_messages_create(const crd_i_reduced *reduced, size_t rounds, crd_i_messages **out,
                                              crd_error *error);
void crd_i_messages_destroy(crd_i_messages *messages);

#endif
