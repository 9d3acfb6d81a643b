/* SPDX-License-Identifier: MIT */
/* term_table.c - see term_table.h.
 *
 * Counts are cells of a condition and times of a term: the first cell of a term is found through the term, as most terms
 * have no other, the others by open addressing. The cells of a term are linked from its first. Documents of cells are exact
 * sums, of a limb each as long as weights are whole numbers. */
#include "stats/term_table.h"

#include "base/error.h"
#include "base/hash_key.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define NO_CELL UINT32_MAX

enum { LEAST_SLOTS = 64 };

typedef struct term_state {
    uint32_t stamp; /* the last document that had it */
    uint32_t times; /* in that document */
    uint32_t cell;  /* its first */
} term_state;

typedef struct term_cell {
    uint32_t code, condition, times;
    uint32_t next; /* of the same term */
} term_cell;

struct crd_i_term_table {
    crd_context *context;
    crd_i_dictionary *terms;
    term_state *states; /* of each term */
    size_t states_capacity;
    uint32_t document; /* the number of the current one, from 1 */
    uint64_t length;   /* terms in it */
    uint32_t *met;     /* terms of the current document, each once */
    size_t met_count, met_capacity;
    term_cell *cells;
    size_t cell_count, cells_capacity;
    crd_i_sums documents; /* of each cell */
    uint32_t *slots;      /* of cells that are no term's first: number + 1, or 0 */
    size_t slot_count, slots_taken;
    uint64_t key;
};

crd_i_term_table *crd_i_term_table_create(crd_context *context) {
    crd_i_term_table *table = crd_i_alloc_zeroed(context, 1, sizeof *table);
    if (table == NULL) return NULL;
    table->context = context;
    table->key = crd_i_hash_key(context, table);
    crd_i_sums_init(&table->documents, context);
    table->terms = crd_i_dictionary_create(context);
    if (table->terms == NULL) {
        crd_i_term_table_destroy(table);
        return NULL;
    }
    return table;
}

void crd_i_term_table_destroy(crd_i_term_table *table) {
    if (table == NULL) return;
    crd_i_dictionary_destroy(table->terms);
    crd_free(table->context, table->states);
    crd_free(table->context, table->met);
    crd_free(table->context, table->cells);
    crd_i_sums_clear(&table->documents);
    crd_free(table->context, table->slots);
    crd_free(table->context, table);
}

size_t crd_i_term_table_terms(const crd_i_term_table *table) {
    return crd_i_dictionary_size(table->terms);
}

size_t crd_i_term_table_counts(const crd_i_term_table *table) {
    return table->cell_count;
}

/* ---- Documents ---- */

void crd_i_term_table_begin(crd_i_term_table *table) {
    if (table->document == UINT32_MAX) {
        for (size_t i = 0; i < crd_i_term_table_terms(table); i++) table->states[i].stamp = 0;
        table->document = 0;
    }
    table->document++;
    table->length = 0;
    table->met_count = 0;
}

bool crd_i_term_table_count(crd_i_term_table *table, crd_text term, uint64_t times) {
    size_t known = crd_i_dictionary_size(table->terms);
    if (known >= table->states_capacity &&
        !crd_i_reserve(table->context, &table->states, &table->states_capacity, known + 1, sizeof *table->states))
        return false;
    int32_t code = crd_i_dictionary_add(table->terms, term);
    if (code < 0) return false;
    term_state *state = &table->states[code];
    if ((size_t)code == known) {
        state->stamp = 0;
        state->cell = NO_CELL;
    }
    table->length += times;
    if (state->stamp == table->document) {
        state->times += (uint32_t)times;
        return true;
    }
    if (table->met_count == table->met_capacity &&
        !crd_i_reserve(table->context, &table->met, &table->met_capacity, table->met_count + 1, sizeof *table->met))
        return false;
    state->stamp = table->document;
    state->times = (uint32_t)times;
    table->met[table->met_count++] = (uint32_t)code;
    return true;
}

/* ---- Cells ---- */

static size_t slot_of(const crd_i_term_table *table, uint32_t code, uint32_t condition, uint32_t times) {
    uint64_t hash = crd_i_hash_scatter(((uint64_t)code << 32 | condition) * table->key + times);
    return (size_t)(crd_i_hash_scatter(hash ^ table->key) & (table->slot_count - 1));
}

static void take_slot(crd_i_term_table *table, uint32_t cell) {
    const term_cell *of = &table->cells[cell];
    size_t slot = slot_of(table, of->code, of->condition, of->times);
    while (table->slots[slot] != 0) slot = (slot + 1) & (table->slot_count - 1);
    table->slots[slot] = cell + 1;
}

/* At most half of them are taken. */
static bool grow_slots(crd_i_term_table *table) {
    if (table->slots_taken < table->slot_count / 2) return true;
    size_t count = table->slot_count == 0 ? LEAST_SLOTS : 2 * table->slot_count;
    uint32_t *slots = crd_i_alloc_zeroed(table->context, count, sizeof *slots);
    if (slots == NULL) return false;
    crd_free(table->context, table->slots);
    table->slots = slots;
    table->slot_count = count;
    for (size_t i = 0; i < table->cell_count; i++)
        if (table->states[table->cells[i].code].cell != i) take_slot(table, (uint32_t)i);
    return true;
}

static bool add_cell(crd_i_term_table *table, uint32_t code, uint32_t condition, uint32_t times, uint32_t *out) {
    term_state *state = &table->states[code];
    size_t count = table->cell_count;
    if (count >= NO_CELL - 1 || !crd_i_sums_extend(&table->documents, count + 1) ||
        !crd_i_reserve(table->context, &table->cells, &table->cells_capacity, count + 1, sizeof *table->cells) ||
        (state->cell != NO_CELL && !grow_slots(table)))
        return false;
    term_cell *cell = &table->cells[count];
    cell->code = code;
    cell->condition = condition;
    cell->times = times;
    cell->next = NO_CELL;
    *out = (uint32_t)count;
    table->cell_count++;
    if (state->cell == NO_CELL) {
        state->cell = *out;
        return true;
    }
    cell->next = table->cells[state->cell].next;
    table->cells[state->cell].next = *out;
    take_slot(table, *out);
    table->slots_taken++;
    return true;
}

static bool find_cell(crd_i_term_table *table, uint32_t code, uint32_t condition, uint32_t times, uint32_t *out) {
    uint32_t first = table->states[code].cell;
    if (first != NO_CELL && table->cells[first].condition == condition && table->cells[first].times == times) {
        *out = first;
        return true;
    }
    for (size_t slot = table->slot_count == 0 ? 0 : slot_of(table, code, condition, times);
         table->slot_count > 0 && table->slots[slot] != 0; slot = (slot + 1) & (table->slot_count - 1)) {
        const term_cell *cell = &table->cells[table->slots[slot] - 1];
        *out = table->slots[slot] - 1;
        if (cell->code == code && cell->condition == condition && cell->times == times) return true;
    }
    return add_cell(table, code, condition, times, out);
}

static bool add_documents(crd_i_term_table *table, uint32_t code, uint32_t condition, uint32_t times, double weight) {
    uint32_t cell;
    if (!find_cell(table, code, condition, times, &cell)) return false;
    return weight == 1 ? crd_i_sums_count(&table->documents, cell, 1) : crd_i_sums_add(&table->documents, cell, weight);
}

/* The term that has the lengths of documents. */
static bool add_length(crd_i_term_table *table, uint32_t condition, double weight) {
    uint64_t length = table->length;
    size_t met = table->met_count;
    const crd_text none = {"", 0};
    if (!crd_i_term_table_count(table, none, 0)) return false;
    table->met_count = met;
    int32_t code = crd_i_dictionary_find(table->terms, none);
    return add_documents(table, (uint32_t)code, condition, (uint32_t)length, weight);
}

crd_status crd_i_term_table_end(crd_i_term_table *table, uint32_t condition, double weight, crd_error *error) {
    if (table->length > UINT32_MAX)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "a document has more than 2^32 - 1 terms");
    if (!add_length(table, condition, weight)) return crd_i_fail_memory(error);
    for (size_t i = 0; i < table->met_count; i++)
        if (!add_documents(table, table->met[i], condition, table->states[table->met[i]].times, weight))
            return crd_i_fail_memory(error);
    return CRD_OK;
}

/* ---- All terms, in order ---- */

static uint64_t first_bytes(crd_text text) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < 8; i++) bytes = bytes << 8 | (i < text.length ? (unsigned char)text.bytes[i] : 0);
    return bytes;
}

static int compare_terms(const void *left, const void *right) {
    const crd_i_sorted_term *a = left, *b = right;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return crd_i_text_compare(a->text, b->text);
}

crd_i_sorted_term *crd_i_term_table_sort(const crd_i_term_table *table) {
    size_t count = crd_i_term_table_terms(table);
    crd_i_sorted_term *terms = crd_i_alloc(table->context, count, sizeof *terms);
    if (terms == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        terms[i].text = crd_i_dictionary_text(table->terms, i);
        terms[i].first = first_bytes(terms[i].text);
        terms[i].code = (uint32_t)i;
    }
    if (count > 1) qsort(terms, count, sizeof *terms, compare_terms);
    return terms;
}

bool crd_i_term_table_read(const crd_i_term_table *table, uint32_t code, const size_t *map, int sign,
                           crd_i_term_entries *entries) {
    bool done = true;
    for (uint32_t i = table->states[code].cell; done && i != NO_CELL; i = table->cells[i].next) {
        const term_cell *cell = &table->cells[i];
        if (map[cell->condition] != SIZE_MAX)
            done = crd_i_term_entries_add_sum(entries, (uint32_t)map[cell->condition], cell->times, &table->documents,
                                              i, sign);
    }
    return done;
}
