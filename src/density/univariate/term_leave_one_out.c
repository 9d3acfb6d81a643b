/* SPDX-License-Identifier: MIT */
/* term_leave_one_out.c - leave-one-out densities of texts.
 *
 * Removing a text changes the counts of its terms, the totals of its class and, if a term is in no other text, the
 * number of terms. Sums that depend on the number of texts of a class are computed beforehand for one text less. After
 * that, sums over the whole vocabulary change only by the terms of the text. So removing a text costs about as much as
 * reading it. */
#include "density/univariate/term_density.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* A term of the removed text, with its counts in the other texts. */
typedef struct left_term {
    size_t first, count; /* its counts */
    bool is_known, counts;
    uint32_t times;
} left_term;

typedef struct left_attribute {
    crd_i_density *density;  /* of all texts */
    crd_i_term_density less; /* of all texts except the removed one; shares the unchanged parts */
    double *sums_of_less;    /* for each condition, as if a text without any terms were removed */
} left_attribute;

typedef struct term_rest {
    crd_i_rest base;
    size_t count;
    left_attribute *attributes;
    left_term *terms; /* of the removed text */
    size_t term_capacity;
    crd_i_term_count *counts;
    size_t count_capacity, used;
    crd_i_term_class *before, *after;
    size_t before_capacity, after_capacity;
    crd_i_term_value *values;
    size_t value_capacity;
    double *logs;
    size_t log_capacity;
} term_rest;

void crd_i_term_rest_destroy(crd_i_rest *base) {
    term_rest *remainder = (term_rest *)base;
    crd_context *context = base->context;
    for (size_t i = 0; remainder->attributes != NULL && i < remainder->count; i++) {
        left_attribute *attribute = &remainder->attributes[i];
        crd_free(context, attribute->less.values);
        crd_i_density_destroy(attribute->density);
    }
    crd_free(context, remainder->terms);
    crd_free(context, remainder->counts);
    crd_free(context, remainder->before);
    crd_free(context, remainder->after);
    crd_free(context, remainder->values);
    crd_free(context, remainder->logs);
    crd_i_arena_destroy(base->arena);
}

/* ---- Creation ---- */

/* Rejects settings under which removing one text may change which other terms are selected, and sums that need all
 * terms. */
static crd_status term_loo_check(const crd_i_term_density *density, const crd_settings *settings, crd_error *error) {
    bool has_fraction = settings->min_df < 1 || (settings->max_df > 0 && settings->max_df < 1);
    const char *name = density->math->take_out == NULL          ? "family"
                       : settings->max_terms > 0                ? "max-terms"
                       : settings->stop_rule == CRD_I_STOP_AUTO ? "stop-words"
                       : !has_fraction                          ? NULL
                       : settings->min_df < 1                   ? "min-df"
                                                                : "max-df";
    if (name == NULL) return CRD_OK;
    bool is_family = strcmp(name, "family") == 0;
    crd_i_fail(error, CRD_ERROR_SETTING, "leave-one-out is not supported if %s is %s, which depends on all texts", name,
               is_family ? density->base.family->name : crd_settings_get(settings, name));
    crd_i_error_hint(error, "use crd_assessment_of_folds, or another %s", name);
    crd_i_error_subject(error, crd_text_of(name));
    return CRD_ERROR_SETTING;
}

static crd_status term_loo_open(term_rest *remainder, left_attribute *attribute, const crd_settings *settings,
                                crd_error *error) {
    const crd_i_term_density *all = (const crd_i_term_density *)attribute->density;
    crd_context *context = remainder->base.context;
    size_t conditions = all->base.conditions;
    crd_status status = term_loo_check(all, settings, error);
    if (status != CRD_OK) return status;
    attribute->less = *all;
    attribute->less.values = NULL;
    crd_i_arena *arena = remainder->base.arena;
    attribute->less.totals = crd_i_arena_alloc(arena, conditions, sizeof(double));
    attribute->less.sums = crd_i_arena_alloc(arena, all->sum_count, sizeof(double));
    attribute->less.selection.documents = crd_i_arena_alloc(arena, conditions, sizeof(double));
    attribute->sums_of_less = crd_i_arena_alloc(arena, all->sum_count, sizeof(double));
    if (crd_i_arena_failed(arena) ||
        !crd_i_reserve(context, &remainder->logs, &remainder->log_capacity, conditions, sizeof *remainder->logs))
        return crd_i_fail_memory(error);
    if (!all->math->sums_texts) return CRD_OK;
    for (size_t k = 0; k < conditions; k++) {
        double texts = all->selection.documents[k];
        attribute->less.selection.documents[k] = texts > 1 ? texts - 1 : 0;
    }
    return all->math->sum(&attribute->less, attribute->sums_of_less, error);
}

crd_status crd_i_term_rest_create(const crd_i_family *family, crd_context *context, const crd_i_tallied *attributes,
                                  size_t count, const crd_settings *settings, crd_i_rest **out, crd_error *error) {
    *out = NULL;
    term_rest *remainder = crd_i_arena_object(context, sizeof *remainder);
    if (remainder == NULL) return crd_i_fail_memory(error);
    remainder->base.family = family;
    remainder->base.context = context;
    remainder->attributes = crd_i_arena_alloc_zeroed(remainder->base.arena, count, sizeof *remainder->attributes);
    crd_status status = crd_i_arena_check(remainder->base.arena, error);
    if (status == CRD_OK) remainder->count = count;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        status = family->derive(context, &attributes[i], settings, NULL, &remainder->attributes[i].density, error);
        if (status == CRD_OK) status = term_loo_open(remainder, &remainder->attributes[i], settings, error);
    }
    if (status == CRD_OK) *out = &remainder->base;
    else crd_i_term_rest_destroy(&remainder->base);
    return status;
}

/* ---- One text ---- */

static crd_status term_loo_not_learned(crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_NOT_LEARNED, "a row was not learned: no text of its class has these terms");
}

/* Subtracts the removed text, in which the term occurs `times` times, from the counts of the term. */
static crd_status term_loo_subtract(crd_i_term_counts *counts, size_t own, uint32_t times, crd_error *error) {
    size_t i = 0;
    while (i < counts->count && ((size_t)counts->entries[i].condition != own || counts->entries[i].times != times)) i++;
    if (i == counts->count || counts->entries[i].documents < 1) return term_loo_not_learned(error);
    counts->entries[i].documents--;
    if (counts->entries[i].documents > 0) return CRD_OK;
    for (counts->count--; i < counts->count; i++) counts->entries[i] = counts->entries[i + 1];
    return CRD_OK;
}

static bool term_loo_make_room(term_rest *remainder, size_t counts) {
    crd_context *context = remainder->base.context;
    return crd_i_reserve(context, &remainder->before, &remainder->before_capacity, counts, sizeof *remainder->before) &&
           crd_i_reserve(context, &remainder->after, &remainder->after_capacity, counts, sizeof *remainder->after) &&
           crd_i_reserve(context, &remainder->values, &remainder->value_capacity, counts, sizeof *remainder->values) &&
           crd_i_reserve(context, &remainder->counts, &remainder->count_capacity, remainder->used + counts,
                         sizeof *remainder->counts);
}

/* Subtracts one term of the text from the totals and sums, and stores its remaining counts. */
static crd_status term_loo_take_out(term_rest *remainder, const crd_i_term_density *all, crd_i_term_density *less,
                                    crd_i_term_counts *counts, crd_text term, uint32_t times, size_t own,
                                    left_term *left, crd_error *error) {
    bool is_found;
    crd_status status = crd_i_term_store_find(all->store, term, counts, &is_found, error);
    if (status == CRD_OK && !is_found) status = term_loo_not_learned(error);
    if (status != CRD_OK) return status;
    if (!term_loo_make_room(remainder, counts->count)) return crd_i_fail_memory(error);
    size_t had = crd_i_term_classes(counts, all->tf, remainder->before), has;
    bool did_count = crd_i_term_selection_has(&all->selection, term, remainder->before, had);
    status = term_loo_subtract(counts, own, times, error);
    if (status != CRD_OK) return status;
    has = crd_i_term_classes(counts, all->tf, remainder->after);
    *left = (left_term){remainder->used, counts->count, counts->count > 0, false, times};
    left->counts = left->is_known && crd_i_term_selection_has(&less->selection, term, remainder->after, has);
    memcpy(remainder->counts + remainder->used, counts->entries, counts->count * sizeof *counts->entries);
    remainder->used += counts->count;
    /* A term that many texts have may become selected when a text is removed. */
    if (!did_count) had = 0;
    if (!left->counts) has = 0;
    for (size_t i = 0; i < had; i++) less->totals[remainder->before[i].condition] -= remainder->before[i].weight;
    for (size_t i = 0; i < has; i++) less->totals[remainder->after[i].condition] += remainder->after[i].weight;
    less->terms += (double)left->counts - (double)did_count;
    const crd_i_term_change change = {remainder->before, had, remainder->after, has, own, did_count, left->counts};
    less->math->take_out(less, &change);
    return CRD_OK;
}

/* Computes the log densities of the text, derived from all other texts. */
static crd_status term_loo_score(term_rest *remainder, const crd_i_term_density *less, size_t terms, uint32_t *unseen) {
    crd_i_document_terms document = {0};
    for (size_t k = 0; k < less->base.conditions; k++) remainder->logs[k] = 0;
    for (size_t i = 0; i < terms; i++) {
        const left_term *term = &remainder->terms[i];
        *unseen += !term->is_known;
        if (!term->counts) continue;
        const crd_i_term_counts counts = {.entries = remainder->counts + term->first, .count = term->count};
        size_t classes = crd_i_term_classes(&counts, less->tf, remainder->after);
        double constant, tf = crd_i_term_tf(less->tf, term->times);
        less->math->weigh(less, &counts, remainder->after, classes, remainder->values, &constant);
        crd_i_term_density_gather(&document, term->times, tf, constant);
        less->math->correct(less, remainder->values, classes, term->times, tf, remainder->logs);
    }
    crd_i_term_density_conclude(less, &document, remainder->logs);
    return CRD_OK;
}

static crd_status term_loo_answer(term_rest *remainder, left_attribute *attribute, crd_i_term_reader *reader,
                                  size_t own, double *sums, uint32_t *unseen, crd_error *error) {
    const crd_i_term_density *all = (const crd_i_term_density *)attribute->density;
    crd_i_term_density *less = &attribute->less;
    size_t conditions = all->base.conditions, terms = reader->found_count;
    memcpy(less->totals, all->totals, conditions * sizeof *less->totals);
    memcpy(less->sums, all->sums, all->sum_count * sizeof *less->sums);
    memcpy(less->selection.documents, all->selection.documents, conditions * sizeof *less->selection.documents);
    if (all->math->sums_texts) less->sums[own] = attribute->sums_of_less[own];
    less->terms = all->terms;
    if (all->selection.documents[own] < 1) return term_loo_not_learned(error);
    less->selection.documents[own]--;
    less->selection.total = all->selection.total - 1;
    remainder->used = 0;
    if (!crd_i_reserve(remainder->base.context, &remainder->terms, &remainder->term_capacity, terms,
                       sizeof *remainder->terms))
        return crd_i_fail_memory(error);
    if (all->math->begin_taking != NULL) all->math->begin_taking(less);
    for (size_t i = 0; i < terms; i++) {
        size_t code = (size_t)reader->result[i];
        crd_status status =
            term_loo_take_out(remainder, all, less, &reader->counts, crd_i_dictionary_text(reader->terms, code),
                              reader->met[code].times, own, &remainder->terms[i], error);
        if (status != CRD_OK) return status;
    }
    if (all->math->end_taking != NULL) all->math->end_taking(less);
    if (less->terms <= 0) return CRD_OK;
    crd_status status = less->math->prepare(less, error);
    if (status == CRD_OK) status = term_loo_score(remainder, less, terms, unseen);
    for (size_t k = 0; status == CRD_OK && k < conditions; k++) sums[k] += remainder->logs[k];
    return status;
}

static bool term_loo_is_present(const crd_i_cells *cells, size_t row) {
    if (cells->validity != NULL && (cells->validity[row >> 3] >> (row & 7) & 1) == 0) return false;
    return cells->texts[row].bytes != NULL;
}

crd_status crd_i_term_rest_add(crd_i_rest *base, size_t attribute, const crd_i_cells *cells, const int32_t *conditions,
                               double *sums, uint32_t *unseen, crd_error *error) {
    term_rest *remainder = (term_rest *)base;
    left_attribute *left = &remainder->attributes[attribute];
    crd_i_term_reader *reader;
    crd_status status = crd_i_term_reader_take((const crd_i_term_density *)left->density, &reader, error);
    if (status != CRD_OK) return status;
    for (size_t row = 0; status == CRD_OK && row < cells->rows; row++) {
        if (!term_loo_is_present(cells, row) || conditions[row] < 0) continue;
        status = crd_i_term_reader_begin(reader, cells->texts[row], cells->are_bags, error);
        if (status == CRD_OK)
            status = term_loo_answer(remainder, left, reader, (size_t)conditions[row],
                                     sums + row * left->density->conditions, &unseen[row], error);
        crd_i_term_reader_end(reader);
    }
    crd_i_term_reader_give_back(reader);
    return status;
}
