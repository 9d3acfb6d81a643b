/* SPDX-License-Identifier: MIT */
/* mail_reasons.h - the words of a message with the largest weights of evidence for its class. */
#ifndef CREDENCE_CLI_MAIL_REASONS_H
#define CREDENCE_CLI_MAIL_REASONS_H

#include "core/string_buffer.h"

/* Maximum number of words in the header field. */
enum { MOST_MAIL_REASONS = 5 };

typedef struct mail_reasons {
    crd_mail_reason items[MOST_MAIL_REASONS];
    size_t count;
    crd_text_words **words; /* for each attribute, the owner of the texts in `items`; NULL if the attribute has none */
    size_t words_count;
} mail_reasons;

/* Computes the weight of evidence of each word w for the most probable class, `top`, against the next one:
 * log P(w | top) - log P(w | next). `values` are the values of the classifier's attributes. Methods without a term
 * per
 * word have no reasons. Free `out` with mail_reasons_free. */
void mail_reasons_find(const crd_classifier *classifier, const crd_value *values, const double *probabilities,
                       size_t top, mail_reasons *out);
void mail_reasons_free(mail_reasons *reasons);

#endif
