/* SPDX-License-Identifier: MIT */
/* case_bits.c - see case_bits.h. */
#include "structure/case_bits.h"

#include "base/error.h"
#include "base/memory.h"
#include "structure/graph.h"

#include <math.h>

/* Columns with more states have too few rows in each to be counted 64 at a time. */
enum { MOST_STATES = 32 };
/* Where a distinct row stands for more than so many on average, going through distinct rows is faster. */
enum { MOST_REPEATS = 16 };

static bool has_bits(const crd_i_case_column *column) {
    return column->kind == CRD_KIND_CATEGORY && column->codes8 != NULL && column->state_count <= MOST_STATES;
}

/* Whether weights are whole numbers and bits of use. */
static bool is_suitable(const crd_i_case_table *table) {
    if (table->rows == 0 || table->total > MOST_REPEATS * (double)table->rows) return false;
    if (table->total / 8 > (double)CRD_I_MOST_CASE_BITS) return false;
    size_t states = 0;
    for (size_t i = 0; i < table->column_count; i++)
        if (has_bits(&table->columns[i])) states += table->columns[i].state_count;
    if ((double)states * table->total / 8 > (double)CRD_I_MOST_CASE_BITS) return false;
    for (size_t i = 0; table->weights != NULL && i < table->rows; i++)
        if (table->weights[i] != floor(table->weights[i])) return false;
    return true;
}

static void fill(const crd_i_case_table *table, const crd_i_case_column *column, size_t words, uint64_t *bits) {
    size_t at = 0;
    for (size_t row = 0; row < table->rows; row++) {
        size_t end = at + (size_t)crd_i_case_weight(table, row);
        uint8_t code = column->codes8[row];
        if (code != CRD_I_CASE_MISSING8)
            for (size_t i = at; i < end; i++) crd_i_bit_set(bits + code * words, i);
        at = end;
    }
}

crd_status crd_i_case_bits_create(const crd_i_case_table *table, crd_i_case_bits **out, crd_error *error) {
    *out = NULL;
    if (!is_suitable(table)) return CRD_OK;
    crd_i_case_bits *bits = crd_i_alloc_zeroed(table->context, 1, sizeof *bits);
    if (bits == NULL) return crd_i_fail_memory(error);
    bits->context = table->context;
    bits->column_count = table->column_count;
    bits->words = ((size_t)table->total + 63) / 64;
    bits->columns = crd_i_alloc_zeroed(table->context, table->column_count, sizeof *bits->columns);
    if (bits->columns == NULL) goto fail;
    for (size_t i = 0; i < table->column_count; i++) {
        if (!has_bits(&table->columns[i])) continue;
        bits->columns[i] =
            crd_i_alloc_zeroed(table->context, table->columns[i].state_count * bits->words, sizeof **bits->columns);
        if (bits->columns[i] == NULL) goto fail;
        fill(table, &table->columns[i], bits->words, bits->columns[i]);
    }
    *out = bits;
    return CRD_OK;

fail:
    crd_i_case_bits_destroy(bits);
    return crd_i_fail_memory(error);
}

void crd_i_case_bits_destroy(crd_i_case_bits *bits) {
    if (bits == NULL) return;
    for (size_t i = 0; bits->columns != NULL && i < bits->column_count; i++) crd_free(bits->context, bits->columns[i]);
    crd_free(bits->context, bits->columns);
    crd_free(bits->context, bits);
}
