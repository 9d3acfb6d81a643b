/* SPDX-License-Identifier: MIT */
/* term_selection.c - feature selection for text columns: see term_density.h.
 *
 * Contents:
 *   1. Feature selection
 *   2. Term weights */
#include "density/univariate/term_density.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Feature selection ======== */

/* Automatic stop words occur in at least this fraction of the texts, and have less than this fraction of H(T) as mutual
 * information. */
static const double stop_fraction = 0.1, stop_information = 0.01;

double crd_i_term_tf(crd_i_tf tf, uint32_t times) {
    if (times == 1) return 1;
    switch (tf) {
    case CRD_I_TF_LOG: return 1 + crd_log((double)times);
    case CRD_I_TF_BINARY: return 1;
    case CRD_I_TF_COUNT: break;
    }
    return times;
}

size_t crd_i_term_classes(const crd_i_term_counts *counts, crd_i_tf tf, crd_i_term_class *out) {
    size_t count = 0;
    for (size_t i = 0; i < counts->count; i++) {
        const crd_i_term_count *entry = &counts->entries[i];
        if (count == 0 || out[count - 1].condition != entry->condition)
            out[count++] = (crd_i_term_class){entry->condition, 0, 0};
        out[count - 1].documents += entry->documents;
        out[count - 1].weight += entry->documents * crd_i_term_tf(tf, entry->times);
    }
    return count;
}

/* ---- Creation ---- */

/* Adds the terms that a stop word would have in a text. */
static crd_status add_stop_word(crd_i_term_selection *selection, crd_i_tokenizer *tokenizer, crd_text word,
                                crd_error *error) {
    const crd_i_term *terms;
    size_t count;
    crd_status status = crd_i_tokenizer_begin(tokenizer, word, error);
    do {
        if (status == CRD_OK) status = crd_i_tokenizer_next(tokenizer, &terms, &count, error);
        if (status != CRD_OK) return status;
        for (size_t i = 0; i < count; i++) {
            const crd_text term = {terms[i].bytes, terms[i].length};
            if (crd_i_dictionary_add(selection->stop_terms, term) < 0) return crd_i_fail_memory(error);
        }
    } while (count > 0);
    return CRD_OK;
}

static crd_status add_stop_words(crd_i_term_selection *selection, const crd_i_token_rules *rules,
                                 const crd_settings *settings, crd_error *error) {
    crd_i_tokenizer *tokenizer = NULL;
    size_t count = crd_i_dictionary_size(settings->stop_words);
    selection->stop_terms = crd_i_dictionary_create(selection->context);
    if (selection->stop_terms == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_tokenizer_create(selection->context, rules, &tokenizer, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = add_stop_word(selection, tokenizer, crd_i_dictionary_text(settings->stop_words, i), error);
    crd_i_tokenizer_destroy(tokenizer);
    return status;
}

crd_status crd_i_term_selection_open(crd_context *context, const crd_i_term_store *store,
                                     const crd_i_token_rules *rules, const crd_settings *settings,
                                     crd_i_term_selection *out, crd_error *error) {
    *out = (crd_i_term_selection){.context = context,
                                  .conditions = crd_i_term_store_conditions(store),
                                  .is_auto = settings->stop_rule == CRD_I_STOP_AUTO,
                                  .vocabulary = settings->max_terms,
                                  .last = {.context = context}};
    out->documents = crd_i_alloc(context, out->conditions, sizeof *out->documents);
    if (out->documents == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < out->conditions; k++) out->total += out->documents[k] = crd_i_term_store_documents(store, k);
    double least = settings->min_df, most = settings->max_df;
    out->least = least < 1 ? least * out->total : least;
    out->most = most == 0 ? INFINITY : most < 1 ? most * out->total : most;
    return settings->stop_words == NULL ? CRD_OK : add_stop_words(out, rules, settings, error);
}

void crd_i_term_selection_clear(crd_i_term_selection *selection) {
    crd_free(selection->context, selection->documents);
    crd_i_dictionary_destroy(selection->stop_terms);
    crd_i_buffer_clear(&selection->last);
    selection->documents = NULL;
    selection->stop_terms = NULL;
}

bool crd_i_term_selection_is_active(const crd_i_term_selection *selection) {
    return selection->least > 1 || selection->most < selection->total || selection->is_auto ||
           selection->stop_terms != NULL || selection->vocabulary > 0;
}

/* ---- Single terms ---- */

/* Returns p log(p / q); 0 if p = 0. */
static double term_selection_divergence(double p, double q) {
    return p > 0 ? p * crd_log(p / q) : 0;
}

/* Returns I(T; C) of a term in nats, rounded to a multiple of 2^-40. So terms with the same information get the same
 * number in spite of rounding errors. */
static double term_selection_information(const crd_i_term_selection *selection, const crd_i_term_class *classes,
                                         size_t count) {
    double total = selection->total, present = 0, others = 1, sum = 0;
    for (size_t i = 0; i < count; i++) present += classes[i].documents;
    if (!(present > 0 && present < total)) return 0;
    double p = present / total, q = (total - present) / total;
    for (size_t i = 0; i < count; i++) {
        double of_class = selection->documents[classes[i].condition] / total, factor = classes[i].documents / total;
        others -= of_class;
        sum += term_selection_divergence(factor, p * of_class) +
               term_selection_divergence(of_class - factor, q * of_class);
    }
    /* For classes that never have the term, P(t = 0, c) = P(c). */
    if (others > 0) sum -= others * crd_log(q);
    return sum > 0 ? floor(sum * 0x1p40 + 0.5) * 0x1p-40 : 0;
}

/* Returns the entropy of a binary variable with probability p, in nats. */
static double term_selection_entropy(double p) {
    return p > 0 && p < 1 ? -p * crd_log(p) - (1 - p) * crd_log(1 - p) : 0;
}

/* Returns whether a term passes all rules except the threshold of the vocabulary. */
static bool term_selection_passes(const crd_i_term_selection *selection, crd_text term, const crd_i_term_class *classes,
                                  size_t count) {
    double present = 0;
    for (size_t i = 0; i < count; i++) present += classes[i].documents;
    if (!(present > 0) || present < selection->least || present > selection->most) return false;
    if (selection->stop_terms != NULL && crd_i_dictionary_find(selection->stop_terms, term) >= 0) return false;
    if (!selection->is_auto || present < stop_fraction * selection->total) return true;
    double of_all = term_selection_entropy(present / selection->total);
    return term_selection_information(selection, classes, count) >= stop_information * of_all && of_all > 0;
}

bool crd_i_term_selection_has(const crd_i_term_selection *selection, crd_text term, const crd_i_term_class *classes,
                              size_t count) {
    if (!term_selection_passes(selection, term, classes, count)) return false;
    if (!selection->has_threshold) return true;
    double own = term_selection_information(selection, classes, count);
    if (own != selection->threshold) return own > selection->threshold;
    const crd_text last = {(const char *)selection->last.bytes, selection->last.length};
    return crd_i_text_compare(term, last) <= 0;
}

/* ---- All terms ---- */

void crd_i_term_pass_begin(crd_i_term_pass *pass, const crd_i_term_store *store, const crd_i_term_selection *selection,
                           crd_i_tf tf) {
    *pass =
        (crd_i_term_pass){.selection = selection, .tf = tf, .counts = {.context = selection->context}, .capacity = 0};
    crd_i_term_cursor_begin(store, &pass->cursor);
}

crd_status crd_i_term_pass_next(crd_i_term_pass *pass, bool *more, crd_error *error) {
    crd_context *context = pass->selection->context;
    for (;;) {
        if (pass->looked_at++ % 4096 == 0 && crd_i_context_cancelled(context)) return crd_i_fail_cancelled(error);
        crd_status status = crd_i_term_cursor_next(&pass->cursor, &pass->term, &pass->counts, more, error);
        if (status != CRD_OK || !*more) return status;
        if (!crd_i_reserve(context, &pass->classes, &pass->capacity, pass->counts.count, sizeof *pass->classes))
            return crd_i_fail_memory(error);
        pass->class_count = crd_i_term_classes(&pass->counts, pass->tf, pass->classes);
        if (crd_i_term_selection_has(pass->selection, pass->term, pass->classes, pass->class_count)) return CRD_OK;
    }
}

void crd_i_term_pass_end(crd_i_term_pass *pass) {
    crd_i_term_cursor_end(&pass->cursor);
    crd_i_term_counts_clear(&pass->counts);
    crd_free(pass->selection->context, pass->classes);
}

static int term_selection_by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Collects the mutual information of each term that passes the other rules. */
static crd_status term_selection_collect(const crd_i_term_selection *selection, const crd_i_term_store *store,
                                         double **out, size_t *count, crd_error *error) {
    crd_i_term_pass pass;
    size_t capacity = 0;
    bool more = true;
    crd_status status = CRD_OK;
    crd_i_term_pass_begin(&pass, store, selection, CRD_I_TF_COUNT);
    while (status == CRD_OK && more) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        if (!crd_i_reserve(selection->context, out, &capacity, *count + 1, sizeof **out))
            status = crd_i_fail_memory(error);
        else (*out)[(*count)++] = term_selection_information(selection, pass.classes, pass.class_count);
    }
    crd_i_term_pass_end(&pass);
    return status;
}

/* Stores term number `number` (from 1, in byte order) of the terms exactly at the threshold in selection->last. */
static crd_status term_selection_find_last(crd_i_term_selection *selection, const crd_i_term_store *store,
                                           double threshold, size_t number, crd_error *error) {
    crd_i_term_pass pass;
    bool more = true;
    crd_status status = CRD_OK;
    crd_i_term_pass_begin(&pass, store, selection, CRD_I_TF_COUNT);
    while (status == CRD_OK && more && number > 0) {
        status = crd_i_term_pass_next(&pass, &more, error);
        if (status != CRD_OK || !more) break;
        if (term_selection_information(selection, pass.classes, pass.class_count) != threshold || --number > 0)
            continue;
        if (!crd_i_buffer_append(&selection->last, pass.term.bytes, pass.term.length))
            status = crd_i_fail_memory(error);
    }
    crd_i_term_pass_end(&pass);
    return status;
}

crd_status crd_i_term_selection_fit(crd_i_term_selection *selection, const crd_i_term_store *store, crd_error *error) {
    double *each = NULL;
    size_t count = 0, above = 0, most = selection->vocabulary;
    if (most == 0) return CRD_OK;
    crd_status status = term_selection_collect(selection, store, &each, &count, error);
    if (status == CRD_OK && count > most) {
        qsort(each, count, sizeof *each, term_selection_by_size);
        double threshold = each[most - 1];
        while (each[above] > threshold) above++;
        status = term_selection_find_last(selection, store, threshold, most - above, error);
        selection->threshold = threshold;
        selection->has_threshold = status == CRD_OK;
    }
    crd_free(selection->context, each);
    return status;
}

/* ======== 2. Term weights ======== */

void crd_i_term_weights_destroy(crd_i_term_weights *weights) {
    if (weights == NULL) return;
    crd_i_dictionary_destroy(weights->terms);
    crd_free(weights->context, weights->rarities);
    crd_free(weights->context, weights->values);
    crd_free(weights->context, weights);
}
