/* SPDX-License-Identifier: MIT */
/* mail_reasons.h - the words of a message that decided for its class, most telling first. */
#ifndef CREDENCE_CLI_MAIL_REASONS_H
#define CREDENCE_CLI_MAIL_REASONS_H

#include "core/string_buffer.h"

/* As many as a header is to have. */
enum { MOST_MAIL_REASONS = 5 };

typedef struct mail_reasons {
    crd_mail_reason items[MOST_MAIL_REASONS];
    size_t count;
    crd_text_words **words; /* of each attribute, which items are texts of; NULL where it has none */
    size_t words_count;
} mail_reasons;

/* The weight of evidence of each word, for the most probable class, `top`, against the next: the logarithm of the ratio of
 * their likelihoods. `values` are those of the classifier's attributes. What has no words of that kind, as methods that look at all of a
 * message together, has no reasons. */
void mail_reasons_find(const crd_classifier *classifier, const crd_value *values, const double *probabilities,
                       size_t top, mail_reasons *out);
void mail_reasons_free(mail_reasons *reasons);

#endif
