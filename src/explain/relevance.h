/* SPDX-License-Identifier: MIT */
/* relevance.h - a quick measure of how informative an attribute is about the class on its own. It chooses the
 * attributes to examine when there are too many to examine all of them. */
#ifndef CRD_EXPLAIN_RELEVANCE_H
#define CRD_EXPLAIN_RELEVANCE_H

#include <credence/model.h>

/* Returns the approximate mutual information of an attribute and the class, in nats, at least 0. Categorical: the
 * mutual information of the counts, minus its mean under independence. Numeric: -1/2 log(1 - e^2), where e^2 is the
 * share of the variance that lies between the classes; INFINITY if all of it does. Text attributes have 0. */
double crd_i_relevance(const crd_summary *summary, size_t attribute);

#endif
