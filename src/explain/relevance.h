/* SPDX-License-Identifier: MIT */
/* relevance.h - how much an attribute tells about the class when nothing else is known: a quick measure, by which the
 * attributes are chosen where there are too many to look at all of them. */
#ifndef CRD_EXPLAIN_RELEVANCE_H
#define CRD_EXPLAIN_RELEVANCE_H

#include <credence/model.h>

/* In nats, about: of a category the mutual information of the counts, less what chance makes of it; of a number
 * -1/2 log(1 - e^2), e^2 the share of its variance that lies between the classes. Nothing is below 0. */
double crd_i_relevance(const crd_summary *summary, size_t attribute);

#endif
