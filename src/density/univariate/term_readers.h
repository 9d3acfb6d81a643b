/* SPDX-License-Identifier: MIT */
/* term_readers.h - readers of documents under a density of texts: each has a tokenizer, the terms that it has met, and their
 * values, and is taken by one thread at a time.
 *
 * What a reader has met changes no answer. It forgets all of it when that becomes large. */
#ifndef CRD_DENSITY_UNIVARIATE_TERM_READERS_H
#define CRD_DENSITY_UNIVARIATE_TERM_READERS_H

#include "density/univariate/term_math.h"

/* A term that was met. */
typedef struct crd_i_met_term {
    bool is_known, counts;
    uint32_t times; /* in the document at hand */
    uint32_t value_count;
    size_t first_value;
    double constant;
} crd_i_met_term;

typedef struct crd_i_term_reader {
    struct crd_i_term_reader *next; /* that is free, too */
    crd_context *context;
    const crd_i_term_density *density;
    crd_i_tokenizer *tokenizer;
    crd_i_dictionary *terms;
    crd_i_met_term *met; /* by the terms' codes */
    size_t met_count, met_capacity;
    crd_i_term_value *values;
    size_t value_count, value_capacity;
    int32_t *result; /* the terms of the document at hand, in the order of their first occurrence */
    size_t found_count, found_capacity;
    size_t last_count; /* terms of the document before */
    uint64_t *repeats;
    size_t repeat_count, repeat_capacity;
    crd_i_term_counts counts;
    crd_i_term_class *classes;
    size_t class_capacity;
} crd_i_term_reader;

/* The values of a term that was met; NULL: it has none. */
static inline const crd_i_term_value *crd_i_term_reader_values(const crd_i_term_reader *reader,
                                                               const crd_i_met_term *met) {
    return met->value_count == 0 ? NULL : reader->values + met->first_value;
}

/* NULL: out of memory. */
crd_i_term_readers *crd_i_term_readers_create(crd_context *context);
void crd_i_term_readers_destroy(crd_i_term_readers *readers);
/* A reader for this thread alone, until it is given back. */
CRD_MUST_USE crd_status crd_i_term_reader_take(const crd_i_term_density *density, crd_i_term_reader **out,
                                               crd_error *error);
void crd_i_term_reader_give_back(crd_i_term_reader *reader);

/* Reads a document: its terms are `found`, each with its `times`, until crd_i_term_reader_end. */
CRD_MUST_USE crd_status crd_i_term_reader_begin(crd_i_term_reader *reader, crd_text text, bool is_bag,
                                                crd_error *error);
void crd_i_term_reader_end(crd_i_term_reader *reader);
/* The code of one term, met before or not; its times are as they were. */
CRD_MUST_USE crd_status crd_i_term_reader_meet(crd_i_term_reader *reader, crd_text term, int32_t *code,
                                               crd_error *error);

#endif
