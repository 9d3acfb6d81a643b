/* SPDX-License-Identifier: MIT */
/* term_readers.c - see term_readers.h. */
#include "density/univariate/term_readers.h"

#include "base/error.h"
#include "base/memory.h"
#include "text/bag.h"

#include <pthread.h>

/* Terms and values that a reader keeps from one document to the next: some tens of megabytes. */
enum { MOST_MET = 1 << 18, MOST_VALUES = 1 << 21 };

struct crd_i_term_readers {
    crd_context *context;
    pthread_mutex_t mutex;
    crd_i_term_reader *free; /* that no thread has taken */
};

crd_i_term_readers *crd_i_term_readers_create(crd_context *context) {
    crd_i_term_readers *readers = crd_i_alloc_zeroed(context, 1, sizeof *readers);
    if (readers == NULL) return NULL;
    readers->context = context;
    if (pthread_mutex_init(&readers->mutex, NULL) == 0) return readers;
    crd_free(context, readers);
    return NULL;
}

static void destroy_reader(crd_i_term_reader *reader) {
    crd_context *context = reader->context;
    crd_i_tokenizer_destroy(reader->tokenizer);
    crd_i_dictionary_destroy(reader->terms);
    crd_free(context, reader->met);
    crd_free(context, reader->values);
    crd_free(context, reader->result);
    crd_free(context, reader->repeats);
    crd_i_term_counts_clear(&reader->counts);
    crd_free(context, reader->classes);
    crd_free(context, reader);
}

void crd_i_term_readers_destroy(crd_i_term_readers *readers) {
    if (readers == NULL) return;
    while (readers->free != NULL) {
        crd_i_term_reader *reader = readers->free;
        readers->free = reader->next;
        destroy_reader(reader);
    }
    pthread_mutex_destroy(&readers->mutex);
    crd_free(readers->context, readers);
}

static crd_status create_reader(const crd_i_term_density *density, crd_i_term_reader **out, crd_error *error) {
    crd_context *context = density->base.context;
    crd_i_term_reader *reader = crd_i_alloc_zeroed(context, 1, sizeof *reader);
    *out = NULL;
    if (reader == NULL) return crd_i_fail_memory(error);
    reader->context = reader->counts.context = context;
    reader->density = density;
    reader->terms = crd_i_dictionary_create(context);
    crd_status status = reader->terms == NULL
                            ? crd_i_fail_memory(error)
                            : crd_i_tokenizer_create(context, &density->rules, &reader->tokenizer, error);
    if (status != CRD_OK) {
        destroy_reader(reader);
        return status;
    }
    *out = reader;
    return CRD_OK;
}

crd_status crd_i_term_reader_take(const crd_i_term_density *density, crd_i_term_reader **out, crd_error *error) {
    crd_i_term_readers *readers = density->readers;
    pthread_mutex_lock(&readers->mutex);
    crd_i_term_reader *reader = readers->free;
    if (reader != NULL) readers->free = reader->next;
    pthread_mutex_unlock(&readers->mutex);
    *out = reader;
    return reader == NULL ? create_reader(density, out, error) : CRD_OK;
}

void crd_i_term_reader_give_back(crd_i_term_reader *reader) {
    crd_i_term_readers *readers = reader->density->readers;
    pthread_mutex_lock(&readers->mutex);
    reader->next = readers->free;
    readers->free = reader;
    pthread_mutex_unlock(&readers->mutex);
}

/* ---- Terms ---- */

/* The values of a term that was weighted; its constant is how rare it is. */
static crd_status term_readers_take_weights(crd_i_term_reader *reader, crd_text term, crd_i_met_term *met,
                                            crd_error *error) {
    const crd_i_term_weights *weights = reader->density->weights;
    const size_t conditions = reader->density->base.conditions;
    const int32_t index = crd_i_dictionary_find(weights->terms, term);
    met->counts = index >= 0;
    if (!met->counts) return CRD_OK;
    if (!crd_i_reserve(reader->context, &reader->values, &reader->value_capacity, reader->value_count + conditions,
                       sizeof *reader->values))
        return crd_i_fail_memory(error);
    for (size_t k = 0; k < conditions; k++)
        reader->values[reader->value_count++] =
            (crd_i_term_value){(int32_t)k, weights->values[(size_t)index * conditions + k]};
    met->value_count = (uint32_t)conditions;
    met->constant = weights->rarities[index];
    return CRD_OK;
}

/* The counts of a term become its values. */
static crd_status term_readers_weigh(crd_i_term_reader *reader, crd_text term, crd_i_met_term *met, crd_error *error) {
    const crd_i_term_density *density = reader->density;
    crd_i_term_counts *counts = &reader->counts;
    *met = (crd_i_met_term){.first_value = reader->value_count};
    crd_status status = crd_i_term_store_find(density->store, term, counts, &met->is_known, error);
    if (status != CRD_OK || !met->is_known) return status;
    if (density->weights != NULL) return term_readers_take_weights(reader, term, met, error);
    if (!crd_i_reserve(reader->context, &reader->classes, &reader->class_capacity, counts->count,
                       sizeof *reader->classes) ||
        !crd_i_reserve(reader->context, &reader->values, &reader->value_capacity, reader->value_count + counts->count,
                       sizeof *reader->values))
        return crd_i_fail_memory(error);
    size_t count = crd_i_term_classes(counts, density->tf, reader->classes);
    met->counts = crd_i_term_selection_has(&density->selection, term, reader->classes, count);
    if (!met->counts) return CRD_OK;
    density->math->weigh(density, counts, reader->classes, count, reader->values + reader->value_count, &met->constant);
    met->value_count = (uint32_t)count;
    reader->value_count += count;
    return CRD_OK;
}

crd_status crd_i_term_reader_meet(crd_i_term_reader *reader, crd_text term, int32_t *code, crd_error *error) {
    *code = crd_i_dictionary_add(reader->terms, term);
    if (*code < 0) return crd_i_fail_memory(error);
    size_t place = (size_t)*code;
    if (place < reader->met_count) return CRD_OK;
    /* A term whose values could not be had is in the dictionary all the same: it is looked for again. */
    if (!crd_i_reserve(reader->context, &reader->met, &reader->met_capacity, place + 1, sizeof *reader->met))
        return crd_i_fail_memory(error);
    for (size_t i = reader->met_count; i < place; i++) {
        crd_status status = term_readers_weigh(reader, crd_i_dictionary_text(reader->terms, i), &reader->met[i], error);
        if (status != CRD_OK) return status;
        reader->met_count = i + 1;
    }
    crd_status status = term_readers_weigh(reader, term, &reader->met[place], error);
    if (status == CRD_OK) reader->met_count = place + 1;
    return status;
}

/* ---- Documents ---- */

static crd_status add_occurrences(crd_i_term_reader *reader, crd_text term, uint32_t times, crd_error *error) {
    int32_t code;
    crd_status status = crd_i_term_reader_meet(reader, term, &code, error);
    if (status != CRD_OK) return status;
    crd_i_met_term *met = &reader->met[code];
    if (met->times == 0) {
        if (!crd_i_reserve(reader->context, &reader->result, &reader->found_capacity, reader->found_count + 1,
                           sizeof *reader->result))
            return crd_i_fail_memory(error);
        reader->result[reader->found_count++] = code;
    }
    met->times = UINT32_MAX - met->times < times ? UINT32_MAX : met->times + times;
    return CRD_OK;
}

static crd_status term_readers_read_text(crd_i_term_reader *reader, crd_text text, crd_error *error) {
    const crd_i_term *terms;
    size_t count;
    crd_status status = crd_i_tokenizer_begin(reader->tokenizer, text, error);
    do {
        if (status == CRD_OK) status = crd_i_tokenizer_next(reader->tokenizer, &terms, &count, error);
        for (size_t i = 0; status == CRD_OK && i < count; i++) {
            const crd_text term = {terms[i].bytes, terms[i].length};
            status = add_occurrences(reader, term, 1, error);
        }
    } while (status == CRD_OK && count > 0);
    return status;
}

static crd_status term_readers_read_bag(crd_i_term_reader *reader, crd_text bag, crd_error *error) {
    crd_i_bag_cursor cursor;
    crd_text term;
    uint32_t times;
    bool more = true;
    crd_status status = crd_i_bag_begin(bag, &cursor, error);
    while (status == CRD_OK) {
        status = crd_i_bag_next(&cursor, &term, &times, &more, error);
        if (status != CRD_OK || !more) break;
        status = add_occurrences(reader, term, times, error);
    }
    return status;
}

crd_status crd_i_term_reader_begin(crd_i_term_reader *reader, crd_text text, bool is_bag, crd_error *error) {
    /* Whatever their number, those of the last document alone are kept: it may be read again, as an explanation does. */
    bool is_full = reader->met_count > MOST_MET || reader->value_count > MOST_VALUES;
    if (is_full && reader->met_count > reader->last_count) {
        crd_i_dictionary_empty(reader->terms);
        reader->met_count = reader->value_count = 0;
    }
    crd_status status =
        is_bag ? term_readers_read_bag(reader, text, error) : term_readers_read_text(reader, text, error);
    if (status != CRD_OK) crd_i_term_reader_end(reader);
    return status;
}

void crd_i_term_reader_end(crd_i_term_reader *reader) {
    for (size_t i = 0; i < reader->found_count; i++) reader->met[reader->result[i]].times = 0;
    reader->last_count = reader->found_count;
    reader->found_count = 0;
}
