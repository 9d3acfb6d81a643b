/* SPDX-License-Identifier: MIT */
/* term_table.c - a hash table of terms and their counts, for the terms of new documents. See term_store.h.
 *
 * The record of a term occupies one cache line. It contains the text, packed into two words if it is short
 * (dictionary.h), the stamp, and the first few counts. A count is the number of documents of a condition that contain
 * the term a given number of times; most terms need no more than these. Further counts are cells in a hash table with
 * open addressing; the cells of a term are linked. Documents with weights other than 1 are counted in exact sums, one
 * per cell.
 *
 * Terms are counted many at a time in three passes. Each pass prefetches what the next pass reads: first the hash
 * table slots, then the records. The cells at the end of a document are updated in the same way.
 *
 * Contents:
 *   1. Terms
 *   2. Documents
 *   3. Counts
 *   4. Sorted terms */
#include "stats/term_store.h"

#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

#define NO_CELL UINT32_MAX
#define LONG_TEXT (UINT64_C(0xff) << 56)

enum { LEAST_SLOTS = 1024, FIRST_COUNTS = 4, BLOCK_BITS = 10, BLOCK = 1 << BLOCK_BITS, LINE = 64 };

typedef struct term_record {
    crd_i_packed packed; /* for a long text: its hash, and LONG_TEXT with its length */
    uint32_t offset;     /* offset of its bytes in `bytes` */
    uint32_t stamp;      /* number of the last document that contained it */
    uint32_t times;      /* number of occurrences in that document */
    uint32_t cell;       /* its first cell; NO_CELL: none */
    uint32_t keys[FIRST_COUNTS];
    uint32_t
        counts[FIRST_COUNTS]; /* for each key (term_table_key), the number of documents of weight 1; 0 after the last */
} term_record;

/* A slot of the hash table of terms, or of cells. */
typedef struct table_slot {
    uint32_t tag;   /* some bits of the hash */
    uint32_t place; /* 1 + the index of the term or cell; 0: empty */
} table_slot;

typedef struct term_cell {
    uint32_t code, condition, times;
    uint32_t next;  /* next cell of the same term */
    uint32_t whole; /* number of documents of weight 1 */
} term_cell;

/* A block of records, aligned to cache lines. */
typedef struct record_block {
    void *memory;
    term_record *records;
} record_block;

struct crd_i_term_table {
    crd_context *context;
    uint64_t keys[3]; /* hash keys, odd */
    crd_i_buffer bytes;
    record_block *blocks;
    size_t block_count, blocks_capacity;
    size_t term_count;
    table_slot *term_slots;
    size_t term_slot_count;
    uint32_t empty;    /* index of the empty term; UINT32_MAX: it does not exist yet */
    uint32_t document; /* number of the current document, from 1 */
    uint64_t length;   /* number of terms in the current document */
    uint32_t *met;     /* the distinct terms of the current document */
    size_t met_count, met_capacity;
    term_cell *cells;
    size_t cell_count, cells_capacity;
    crd_i_sums documents; /* one entry per cell: documents of weights other than 1 */
    size_t summed;        /* number of allocated entries of `documents` */
    table_slot *slots;    /* hash table of cells */
    size_t slot_count;
};

crd_i_term_table *crd_i_term_table_create(crd_context *context) {
    crd_i_term_table *table = crd_i_alloc_zeroed(context, 1, sizeof *table);
    if (table == NULL) return NULL;
    table->context = table->bytes.context = context;
    for (size_t i = 0; i < 3; i++) table->keys[i] = crd_i_hash_key(context, table);
    table->empty = UINT32_MAX;
    crd_i_sums_init(&table->documents, context);
    return table;
}

void crd_i_term_table_destroy(crd_i_term_table *table) {
    if (table == NULL) return;
    for (size_t i = 0; i < table->block_count; i++) crd_free(table->context, table->blocks[i].memory);
    crd_free(table->context, table->blocks);
    crd_free(table->context, table->term_slots);
    crd_i_buffer_clear(&table->bytes);
    crd_free(table->context, table->met);
    crd_free(table->context, table->cells);
    crd_i_sums_clear(&table->documents);
    crd_free(table->context, table->slots);
    crd_free(table->context, table);
}

size_t crd_i_term_table_terms(const crd_i_term_table *table) {
    return table->term_count;
}

size_t crd_i_term_table_counts(const crd_i_term_table *table) {
    return table->cell_count;
}

/* ======== 1. Terms ======== */

static inline term_record *record_of(const crd_i_term_table *table, size_t code) {
    return &table->blocks[code >> BLOCK_BITS].records[code & (BLOCK - 1)];
}

static crd_text term_table_text(const crd_i_term_table *table, const term_record *record) {
    uint64_t length = record->packed.high >= LONG_TEXT ? record->packed.high ^ LONG_TEXT : record->packed.high >> 56;
    /* If the empty term is the only one, there are no bytes to point to. */
    return (crd_text){length == 0 ? "" : (const char *)table->bytes.bytes + record->offset, (size_t)length};
}

static crd_i_packed pack_long(const crd_i_term_table *table, crd_text text) {
    uint64_t hash = table->keys[0];
    size_t index = 0;
    for (; index + 8 <= text.length; index += 8)
        hash = crd_i_hash_scatter(hash ^ crd_i_word_64(text.bytes + index)) * table->keys[1];
    char remainder[8] = {0};
    memcpy(remainder, text.bytes + index, text.length - index);
    hash = crd_i_hash_scatter(hash ^ crd_i_word_64(remainder)) * table->keys[1];
    return (crd_i_packed){hash, LONG_TEXT | text.length};
}

static crd_i_packed term_table_pack(const crd_i_term_table *table, crd_text text) {
    char buffer[CRD_I_PACKED_LENGTH + CRD_I_PACKED_PADDING + 1] = {0};
    if (text.length > CRD_I_PACKED_LENGTH) return pack_long(table, text);
    memcpy(buffer, text.bytes, text.length);
    return crd_i_pack_padded(buffer, text.length);
}

/* Returns the hash of a packed text. It is keyed like the hash of dictionaries, so an attacker cannot cause
 * collisions. */
static inline uint64_t term_table_hash(const crd_i_term_table *table, crd_i_packed packed) {
    uint64_t hash = packed.low * table->keys[0] + packed.high * table->keys[1];
    return (hash ^ hash >> 32) * table->keys[2];
}

static inline uint32_t tag_of(uint64_t hash) {
    return (uint32_t)(hash >> 16);
}

static inline size_t term_slot_of(const crd_i_term_table *table, uint64_t hash) {
    return (size_t)(crd_i_hash_scatter(hash) & (table->term_slot_count - 1));
}

static bool term_table_is_text(const crd_i_term_table *table, const term_record *record, crd_i_packed packed,
                               crd_text text) {
    if (record->packed.low != packed.low || record->packed.high != packed.high) return false;
    return packed.high < LONG_TEXT || memcmp(table->bytes.bytes + record->offset, text.bytes, text.length) == 0;
}

/* Enlarges the hash table of terms so that at most half of its slots are occupied. */
static bool grow_terms(crd_i_term_table *table) {
    if (table->term_count < table->term_slot_count / 2) return true;
    size_t count = table->term_slot_count == 0 ? LEAST_SLOTS : 2 * table->term_slot_count;
    table_slot *slots = crd_i_alloc_zeroed(table->context, count, sizeof *slots);
    if (slots == NULL) return false;
    crd_free(table->context, table->term_slots);
    table->term_slots = slots;
    table->term_slot_count = count;
    for (size_t i = 0; i < table->term_count; i++) {
        uint64_t hash = term_table_hash(table, record_of(table, i)->packed);
        size_t slot = term_slot_of(table, hash);
        while (slots[slot].place != 0) slot = (slot + 1) & (count - 1);
        slots[slot] = (table_slot){tag_of(hash), (uint32_t)i + 1};
    }
    return true;
}

static bool term_table_add_block(crd_i_term_table *table) {
    if (!crd_i_reserve(table->context, &table->blocks, &table->blocks_capacity, table->block_count + 1,
                       sizeof *table->blocks))
        return false;
    record_block *block = &table->blocks[table->block_count];
    block->memory = crd_i_alloc(table->context, BLOCK + 1, sizeof(term_record));
    if (block->memory == NULL) return false;
    size_t past = (uintptr_t)block->memory % LINE;
    block->records = (term_record *)(void *)((char *)block->memory + (past == 0 ? 0 : LINE - past));
    table->block_count++;
    return true;
}

/* Adds a term that the table does not contain. false: out of memory, or too many terms. */
static bool term_table_add(crd_i_term_table *table, crd_i_packed packed, uint64_t hash, crd_text text, uint32_t *code) {
    size_t count = table->term_count;
    if (count >= INT32_MAX || !grow_terms(table) ||
        (count == table->block_count << BLOCK_BITS && !term_table_add_block(table)))
        return false;
    size_t offset = table->bytes.length;
    if (offset > UINT32_MAX || !crd_i_buffer_append(&table->bytes, text.bytes, text.length)) return false;
    *record_of(table, count) = (term_record){.packed = packed, .offset = (uint32_t)offset, .cell = NO_CELL};
    size_t slot = term_slot_of(table, hash);
    while (table->term_slots[slot].place != 0) slot = (slot + 1) & (table->term_slot_count - 1);
    table->term_slots[slot] = (table_slot){tag_of(hash), (uint32_t)count + 1};
    *code = (uint32_t)count;
    table->term_count++;
    return true;
}

/* Finds the index of a term, and adds the term if it is new. */
static bool term_table_find(crd_i_term_table *table, crd_i_packed packed, uint64_t hash, crd_text text,
                            uint32_t *code) {
    for (size_t slot = table->term_slot_count == 0 ? 0 : term_slot_of(table, hash);
         table->term_slot_count > 0 && table->term_slots[slot].place != 0;
         slot = (slot + 1) & (table->term_slot_count - 1)) {
        *code = table->term_slots[slot].place - 1;
        if (table->term_slots[slot].tag == tag_of(hash) &&
            term_table_is_text(table, record_of(table, *code), packed, text))
            return true;
    }
    return term_table_add(table, packed, hash, text, code);
}

/* ======== 2. Documents ======== */

void crd_i_term_table_begin(crd_i_term_table *table) {
    if (table->document == UINT32_MAX) {
        for (size_t i = 0; i < table->term_count; i++) record_of(table, i)->stamp = 0;
        table->document = 0;
    }
    table->document++;
    table->length = 0;
    table->met_count = 0;
}

/* Counts a term of the current document. The caller has reserved memory with reserve_met. */
static inline void term_table_meet(crd_i_term_table *table, uint32_t code, uint64_t times) {
    term_record *record = record_of(table, code);
    table->length += times;
    bool is_new = record->stamp != table->document;
    record->times = (is_new ? 0 : record->times) + (uint32_t)times;
    record->stamp = table->document;
    table->met[table->met_count] = code;
    table->met_count += is_new;
}

static bool reserve_met(crd_i_term_table *table, size_t more) {
    return table->met_count + more <= table->met_capacity ||
           crd_i_reserve(table->context, &table->met, &table->met_capacity, table->met_count + more,
                         sizeof *table->met);
}

bool crd_i_term_table_count(crd_i_term_table *table, crd_text term, uint64_t times) {
    uint32_t code;
    crd_i_packed packed = term_table_pack(table, term);
    if (!term_table_find(table, packed, term_table_hash(table, packed), term, &code) || !reserve_met(table, 1))
        return false;
    term_table_meet(table, code, times);
    return true;
}

bool crd_i_term_table_count_terms(crd_i_term_table *table, const crd_i_term *terms, size_t count) {
    crd_i_packed packed[CRD_I_MOST_TERMS];
    uint64_t hashes[CRD_I_MOST_TERMS];
    uint32_t codes[CRD_I_MOST_TERMS];
    if (!reserve_met(table, count) || !grow_terms(table)) return false;
    for (size_t i = 0; i < count; i++) {
        packed[i] = terms[i].length <= CRD_I_PACKED_LENGTH
                        ? crd_i_pack_padded(terms[i].bytes, terms[i].length)
                        : pack_long(table, (crd_text){terms[i].bytes, terms[i].length});
        hashes[i] = term_table_hash(table, packed[i]);
        __builtin_prefetch(&table->term_slots[term_slot_of(table, hashes[i])]);
    }
    /* Guess the term by its tag; the text is compared below. */
    for (size_t i = 0; i < count; i++) {
        size_t slot = term_slot_of(table, hashes[i]);
        while (table->term_slots[slot].place != 0 && table->term_slots[slot].tag != tag_of(hashes[i]))
            slot = (slot + 1) & (table->term_slot_count - 1);
        codes[i] = table->term_slots[slot].place;
        if (codes[i] != 0) __builtin_prefetch(record_of(table, codes[i] - 1), 1);
    }
    for (size_t i = 0; i < count; i++) {
        const crd_text text = {terms[i].bytes, terms[i].length};
        uint32_t code = codes[i] - 1;
        if ((codes[i] == 0 || !term_table_is_text(table, record_of(table, code), packed[i], text)) &&
            !term_table_find(table, packed[i], hashes[i], text, &code))
            return false;
        term_table_meet(table, code, 1);
    }
    return true;
}

/* ======== 3. Counts ======== */

/* Returns the key of a record's count. UINT32_MAX: the count must be stored in a cell. */
static inline uint32_t term_table_key(uint32_t condition, uint32_t times) {
    return condition < UINT16_MAX && times <= UINT16_MAX ? condition << 16 | times : UINT32_MAX;
}

/* Counts one document of weight 1 in the record. false: the record has neither the key nor a free place for it. */
static inline bool count_first(term_record *record, uint32_t key) {
    for (size_t i = 0; i < FIRST_COUNTS && key != UINT32_MAX; i++) {
        if (record->counts[i] == 0) record->keys[i] = key;
        if (record->keys[i] != key) continue;
        if (record->counts[i] == UINT32_MAX) return false;
        record->counts[i]++;
        return true;
    }
    return false;
}

static inline uint64_t cell_hash(const crd_i_term_table *table, uint32_t code, uint32_t condition, uint32_t times) {
    uint64_t hash = crd_i_hash_scatter(((uint64_t)code << 32 | condition) * table->keys[0] + times);
    return crd_i_hash_scatter(hash ^ table->keys[1]);
}

static inline size_t cell_slot_of(const crd_i_term_table *table, uint64_t hash) {
    return (size_t)(hash & (table->slot_count - 1));
}

static void term_table_take_slot(crd_i_term_table *table, uint64_t hash, uint32_t cell) {
    size_t slot = cell_slot_of(table, hash);
    while (table->slots[slot].place != 0) slot = (slot + 1) & (table->slot_count - 1);
    table->slots[slot] = (table_slot){(uint32_t)(hash >> 32), cell + 1};
}

/* Enlarges the hash table of cells so that at most half of its slots are occupied. */
static bool term_table_grow_slots(crd_i_term_table *table) {
    if (table->cell_count < table->slot_count / 2) return true;
    size_t count = table->slot_count == 0 ? LEAST_SLOTS : 2 * table->slot_count;
    table_slot *slots = crd_i_alloc_zeroed(table->context, count, sizeof *slots);
    if (slots == NULL) return false;
    crd_free(table->context, table->slots);
    table->slots = slots;
    table->slot_count = count;
    for (size_t i = 0; i < table->cell_count; i++) {
        const term_cell *cell = &table->cells[i];
        term_table_take_slot(table, cell_hash(table, cell->code, cell->condition, cell->times), (uint32_t)i);
    }
    return true;
}

static bool term_table_add_cell(crd_i_term_table *table, uint32_t code, uint32_t condition, uint32_t times,
                                uint64_t hash, uint32_t *out) {
    term_record *record = record_of(table, code);
    size_t count = table->cell_count;
    if (count >= NO_CELL - 1 || !term_table_grow_slots(table) ||
        !crd_i_reserve(table->context, &table->cells, &table->cells_capacity, count + 1, sizeof *table->cells))
        return false;
    *out = (uint32_t)count;
    table->cells[count] = (term_cell){code, condition, times, record->cell, 0};
    record->cell = *out;
    term_table_take_slot(table, hash, *out);
    table->cell_count++;
    return true;
}

static bool is_cell(const term_cell *cell, uint32_t code, uint32_t condition, uint32_t times) {
    return cell->code == code && cell->condition == condition && cell->times == times;
}

/* Returns 1 + the first cell with the same tag, starting at the slot of the hash; 0: none. */
static inline uint32_t guess_cell(const crd_i_term_table *table, uint64_t hash) {
    size_t slot = cell_slot_of(table, hash);
    while (table->slots[slot].place != 0 && table->slots[slot].tag != (uint32_t)(hash >> 32))
        slot = (slot + 1) & (table->slot_count - 1);
    return table->slots[slot].place;
}

/* Finds the cell of a count, and adds it with value zero if it is new. */
static bool find_cell(crd_i_term_table *table, uint32_t code, uint32_t condition, uint32_t times, uint64_t hash,
                      uint32_t *out) {
    for (size_t slot = table->slot_count == 0 ? 0 : cell_slot_of(table, hash);
         table->slot_count > 0 && table->slots[slot].place != 0; slot = (slot + 1) & (table->slot_count - 1)) {
        *out = table->slots[slot].place - 1;
        if (table->slots[slot].tag == (uint32_t)(hash >> 32) && is_cell(&table->cells[*out], code, condition, times))
            return true;
    }
    return term_table_add_cell(table, code, condition, times, hash, out);
}

static bool add_to_cell(crd_i_term_table *table, uint32_t cell, double weight) {
    if (weight == 1 && table->cells[cell].whole < UINT32_MAX) {
        table->cells[cell].whole++;
        return true;
    }
    if (table->summed <= cell) {
        if (!crd_i_sums_extend(&table->documents, table->cell_count)) return false;
        table->summed = table->cell_count;
    }
    return crd_i_sums_add(&table->documents, cell, weight);
}

static bool add_documents(crd_i_term_table *table, uint32_t code, uint32_t condition, uint32_t times, double weight) {
    uint32_t cell;
    if (weight == 1 && count_first(record_of(table, code), term_table_key(condition, times))) return true;
    return find_cell(table, code, condition, times, cell_hash(table, code, condition, times), &cell) &&
           add_to_cell(table, cell, weight);
}

/* A count that does not fit in the record of its term. */
typedef struct pending_count {
    uint64_t hash;
    uint32_t code, times;
    uint32_t guess;
} pending_count;

/* Counts one document of weight 1 for each of up to CRD_I_MOST_TERMS terms. */
static bool add_singly(crd_i_term_table *table, const uint32_t *codes, size_t count, uint32_t condition) {
    pending_count pending[CRD_I_MOST_TERMS];
    size_t left = 0;
    if (!term_table_grow_slots(table)) return false;
    for (size_t i = 0; i < count; i++) {
        term_record *record = record_of(table, codes[i]);
        if (count_first(record, term_table_key(condition, record->times))) continue;
        pending_count *next = &pending[left++];
        next->code = codes[i];
        next->times = record->times;
        next->hash = cell_hash(table, codes[i], condition, record->times);
        __builtin_prefetch(&table->slots[cell_slot_of(table, next->hash)]);
    }
    for (size_t i = 0; i < left; i++) {
        pending[i].guess = guess_cell(table, pending[i].hash);
        if (pending[i].guess != 0) __builtin_prefetch(&table->cells[pending[i].guess - 1], 1);
    }
    for (size_t i = 0; i < left; i++) {
        const pending_count *source_count = &pending[i];
        uint32_t cell = source_count->guess - 1;
        bool is_known = source_count->guess != 0 &&
                        is_cell(&table->cells[cell], source_count->code, condition, source_count->times);
        if (!is_known &&
            !find_cell(table, source_count->code, condition, source_count->times, source_count->hash, &cell))
            return false;
        if (!add_to_cell(table, cell, 1)) return false;
    }
    return true;
}

/* Counts the length of a document, under the empty term. */
static bool add_length(crd_i_term_table *table, uint32_t condition, double weight) {
    const crd_text none = {"", 0};
    const crd_i_packed packed = term_table_pack(table, none);
    if (table->empty == UINT32_MAX &&
        !term_table_find(table, packed, term_table_hash(table, packed), none, &table->empty))
        return false;
    return add_documents(table, table->empty, condition, (uint32_t)table->length, weight);
}

crd_status crd_i_term_table_end(crd_i_term_table *table, uint32_t condition, double weight, crd_error *error) {
    if (table->length > UINT32_MAX)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "a document has more than 2^32 - 1 terms");
    if (!add_length(table, condition, weight)) return crd_i_fail_memory(error);
    bool done = true;
    for (size_t i = 0; done && weight == 1 && i < table->met_count; i += CRD_I_MOST_TERMS) {
        size_t left = table->met_count - i;
        done = add_singly(table, table->met + i, left < CRD_I_MOST_TERMS ? left : CRD_I_MOST_TERMS, condition);
    }
    for (size_t i = 0; done && weight != 1 && i < table->met_count; i++)
        done = add_documents(table, table->met[i], condition, record_of(table, table->met[i])->times, weight);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* ======== 4. Sorted terms ======== */

crd_text crd_i_term_table_text(const crd_i_term_table *table, uint32_t code) {
    return term_table_text(table, record_of(table, code));
}

static crd_text text_of_code(const void *table, uint32_t code) {
    return crd_i_term_table_text(table, code);
}

crd_i_term_key *crd_i_term_table_sort(const crd_i_term_table *table) {
    size_t count = crd_i_term_table_terms(table);
    crd_i_term_key *keys = crd_i_alloc(table->context, count, sizeof *keys);
    for (size_t i = 0; keys != NULL && i < count; i++) keys[i].code = (uint32_t)i;
    if (keys != NULL && crd_i_term_sort(table->context, keys, count, text_of_code, table)) return keys;
    crd_free(table->context, keys);
    return NULL;
}

bool crd_i_term_table_read(const crd_i_term_table *table, uint32_t code, const size_t *map, int sign,
                           crd_i_term_entries *entries) {
    const term_record *record = record_of(table, code);
    bool done = true;
    for (size_t i = 0; done && i < FIRST_COUNTS && record->counts[i] > 0; i++) {
        size_t condition = map[record->keys[i] >> 16];
        if (condition != SIZE_MAX)
            done = crd_i_term_entries_add(entries, (uint32_t)condition, record->keys[i] & UINT16_MAX,
                                          sign * (int64_t)record->counts[i]);
    }
    for (uint32_t i = record->cell; done && i != NO_CELL; i = table->cells[i].next) {
        const term_cell *cell = &table->cells[i];
        size_t condition = map[cell->condition];
        if (condition == SIZE_MAX) continue;
        if (cell->whole > 0)
            done = crd_i_term_entries_add(entries, (uint32_t)condition, cell->times, sign * (int64_t)cell->whole);
        if (done && i < table->summed)
            done = crd_i_term_entries_add_sum(entries, (uint32_t)condition, cell->times, &table->documents, i, sign);
    }
    return done;
}
