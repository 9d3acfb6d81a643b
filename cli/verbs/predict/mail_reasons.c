/* SPDX-License-Identifier: MIT */
/* mail_reasons.c - see mail_reasons.h. */
#include "verbs/predict/mail_reasons.h"

#include <math.h>
#include <stdlib.h>

/* Returns the most probable class other than `but`. */
static size_t next_class(const double *probabilities, size_t count, size_t but) {
    size_t best = but == 0 ? 1 : 0;
    for (size_t i = 0; i < count; i++)
        if (i != but && probabilities[i] > probabilities[best]) best = i;
    return best;
}

/* Inserts a reason by the absolute value of its weight. If the list is full, the reason with the smallest weight is
 * dropped. */
static void mail_reasons_insert(mail_reasons *mail, crd_mail_reason reason) {
    if (isnan(reason.weight) || reason.weight == 0) return;
    if (mail->count < MOST_MAIL_REASONS) mail->count++;
    else if (fabs(reason.weight) <= fabs(mail->items[mail->count - 1].weight)) return;
    size_t index = mail->count - 1;
    for (; index > 0 && fabs(reason.weight) > fabs(mail->items[index - 1].weight); index--)
        mail->items[index] = mail->items[index - 1];
    mail->items[index] = reason;
}

void mail_reasons_find(const crd_classifier *classifier, const crd_value *values, const double *probabilities,
                       size_t top, mail_reasons *out) {
    const size_t classes = crd_classifier_class_count(classifier), count = crd_classifier_attribute_count(classifier);
    *out = (mail_reasons){.words = memory_resize(NULL, count, sizeof *out->words), .words_count = count};
    for (size_t i = 0; i < count; i++) out->words[i] = NULL;
    const size_t next = classes < 2 ? top : next_class(probabilities, classes, top);
    for (size_t i = 0; i < count && classes > 1; i++) {
        crd_error error;
        if (values[i].type != CRD_TYPE_TEXT ||
            crd_text_words_create(classifier, i, values[i].text, &out->words[i], &error) != CRD_OK)
            continue;
        for (size_t j = 0; j < out->words[i]->count; j++) {
            const crd_text_word word = out->words[i]->words[j];
            if (!word.counts) continue;
            const crd_mail_reason reason = {word.term, crd_classifier_attribute(classifier, i),
                                            word.values[top] - word.values[next]};
            mail_reasons_insert(out, reason);
        }
    }
}

void mail_reasons_free(mail_reasons *reasons) {
    for (size_t i = 0; i < reasons->words_count; i++) crd_text_words_destroy(reasons->words[i]);
    free(reasons->words);
    reasons->words = NULL;
    reasons->words_count = reasons->count = 0;
}
