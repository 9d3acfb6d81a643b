/* SPDX-License-Identifier: MIT */
/* mail_reasons.c - see mail_reasons.h. */
#include "verbs/predict/mail_reasons.h"

#include <math.h>

/* The most probable class but one. */
static size_t next_class(const double *probabilities, size_t count, size_t but) {
    size_t best = but == 0 ? 1 : 0;
    for (size_t i = 0; i < count; i++)
        if (i != but && probabilities[i] > probabilities[best]) best = i;
    return best;
}

/* Puts a reason where it belongs by the size of its weight; the least of those that are there falls off the end. */
static void insert(crd_mail_reason *reasons, size_t *count, crd_mail_reason reason) {
    if (isnan(reason.weight) || reason.weight == 0) return;
    if (*count < MOST_MAIL_REASONS) (*count)++;
    else if (fabs(reason.weight) <= fabs(reasons[*count - 1].weight)) return;
    size_t at = *count - 1;
    for (; at > 0 && fabs(reason.weight) > fabs(reasons[at - 1].weight); at--) reasons[at] = reasons[at - 1];
    reasons[at] = reason;
}

size_t mail_reasons_find(const crd_classifier *classifier, const crd_value *values, const double *probabilities,
                         size_t top, crd_mail_reason reasons[MOST_MAIL_REASONS]) {
    const size_t classes = crd_classifier_class_count(classifier);
    size_t count = 0;
    if (classes < 2) return 0;
    const size_t next = next_class(probabilities, classes, top);
    for (size_t i = 0; i < crd_classifier_attribute_count(classifier); i++) {
        crd_term here = CRD_TERM_INIT, there = CRD_TERM_INIT;
        crd_error error;
        if (values[i].kind == CRD_KIND_NONE || crd_classifier_is_joint(classifier, i)) continue;
        if (crd_classifier_term(classifier, i, top, &values[i], &here, &error) != CRD_OK ||
            crd_classifier_term(classifier, i, next, &values[i], &there, &error) != CRD_OK)
            continue;
        const crd_mail_reason reason = {
            crd_classifier_attribute(classifier, i), {NULL, 0}, here.log_value - there.log_value};
        insert(reasons, &count, reason);
    }
    return count;
}
