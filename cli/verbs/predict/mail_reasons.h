/* SPDX-License-Identifier: MIT */
/* mail_reasons.h - what of a message decided for its class, most telling first. */
#ifndef CREDENCE_CLI_MAIL_REASONS_H
#define CREDENCE_CLI_MAIL_REASONS_H

#include "core/invocation.h"

#include <credence/mail_filter.h>

/* As many as a header is to have. */
enum { MOST_MAIL_REASONS = 5 };

/* The weight of evidence of what the message has, for the most probable class, `top`, against the next: the logarithm of the ratio of
 * likelihoods. `values` are those of the classifier's attributes. Returns how many there are. */
size_t mail_reasons_find(const crd_classifier *classifier, const crd_value *values, const double *probabilities,
                         size_t top, crd_mail_reason reasons[MOST_MAIL_REASONS]);

#endif
