/* SPDX-License-Identifier: MIT */
/* shared_ids.c - finds ids that begin in several processes. See sequences.h.
 *
 * Every process sorts its ids, and the lists are merged along a tree, so equal ids become neighbors. If an id is in
 * both lists, its earlier position is kept, so that it is also compared with the ids of further processes.
 *
 * Contents:
 *   1. Ids of several processes
 *   2. Id hash table */
#include "sequence/data/sequences.h"

#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "processes/group.h"

#include <stdlib.h>
#include <string.h>

/* ======== 1. Ids of several processes ======== */

/* Header of an id in the byte list. The text of the id follows. */
typedef struct id_head {
    uint64_t where, length;
} id_head;

bool crd_i_shared_ids_add(crd_i_buffer *ids, crd_text id, uint64_t where) {
    const id_head head = {where, id.length};
    return crd_i_buffer_append(ids, &head, sizeof head) && crd_i_buffer_append(ids, id.bytes, id.length);
}

/* An id in the byte list. */
typedef struct listed_id {
    id_head head;
    const unsigned char *text;
} listed_id;

/* Decodes an id. Returns a pointer to the next id. */
static const unsigned char *shared_ids_look(const unsigned char *cursor, listed_id *out) {
    memcpy(&out->head, cursor, sizeof out->head);
    out->text = cursor + sizeof out->head;
    return out->text + out->head.length;
}

static int compare_texts(const listed_id *a, const listed_id *b) {
    return crd_i_text_compare((crd_text){(const char *)a->text, (size_t)a->head.length},
                              (crd_text){(const char *)b->text, (size_t)b->head.length});
}

static int shared_ids_by_text(const void *a, const void *b) {
    return compare_texts(a, b);
}

/* Sorts the ids of this process by text. They are distinct, because the reader has checked that. */
static crd_status shared_ids_sort(crd_context *context, crd_i_buffer *ids, crd_error *error) {
    size_t count = 0;
    listed_id id;
    crd_i_buffer sorted = {.context = context};
    if (ids->length == 0) return CRD_OK;
    const unsigned char *cursor = ids->bytes, *end = cursor + ids->length;
    for (; cursor != end; count++) cursor = shared_ids_look(cursor, &id);
    listed_id *list = crd_i_alloc(context, count, sizeof *list);
    bool has_room = list != NULL;
    cursor = ids->bytes;
    for (size_t i = 0; has_room && i < count; i++) cursor = shared_ids_look(cursor, &list[i]);
    if (has_room) qsort(list, count, sizeof *list, shared_ids_by_text);
    for (size_t i = 0; has_room && i < count; i++)
        has_room = crd_i_buffer_append(&sorted, &list[i].head, sizeof list[i].head) &&
                   crd_i_buffer_append(&sorted, list[i].text, (size_t)list[i].head.length);
    crd_free(context, list);
    if (!has_room) {
        crd_i_buffer_clear(&sorted);
        return crd_i_fail_memory(error);
    }
    crd_i_buffer_clear(ids);
    *ids = sorted;
    return CRD_OK;
}

/* ---- Processes ---- */

/* Object of the reduction. Process 0 does not send its list. */
typedef struct ids_of_parts {
    crd_i_buffer *ids;
    crd_i_returned_id *id;
    bool is_first;
} ids_of_parts;

static bool note_return(crd_i_returned_id *returned, uint64_t begins, uint64_t returns, const unsigned char *id,
                        uint64_t length) {
    if (returns >= returned->returns) return true;
    returned->begins = begins;
    returned->returns = returns;
    returned->id.length = 0;
    return crd_i_buffer_append(&returned->id, id, (size_t)length);
}

/* Encodes the result so far, an id with two positions, followed by the list. */
static crd_status shared_ids_encode(void *object, crd_i_encoder *encoder, crd_error *error) {
    const ids_of_parts *parts = object;
    const crd_i_returned_id *returned = parts->id;
    (void)error;
    crd_i_encode_u64(encoder, returned->begins);
    crd_i_encode_u64(encoder, returned->returns);
    crd_i_encode_u64(encoder, returned->id.length);
    crd_i_encode_bytes(encoder, returned->id.bytes, returned->id.length);
    if (!parts->is_first) crd_i_encode_bytes(encoder, parts->ids->bytes, parts->ids->length);
    return CRD_OK;
}

static crd_status read_found(crd_i_returned_id *returned, crd_i_cursor *cursor, crd_error *error) {
    const uint64_t begins = crd_i_decode_u64(cursor), returns = crd_i_decode_u64(cursor);
    const crd_i_cursor id = crd_i_decode_part(cursor, crd_i_decode_u64(cursor));
    if (id.failed) return crd_i_fail_received(error);
    return note_return(returned, begins, returns, id.at, crd_i_cursor_left(&id)) ? CRD_OK : crd_i_fail_memory(error);
}

/* Returns whether the bytes are a valid list of ids. */
static bool are_ids(crd_i_cursor cursor) {
    while (crd_i_cursor_left(&cursor) > 0) {
        id_head head;
        crd_i_decode_bytes(&cursor, &head, sizeof head);
        (void)crd_i_decode_part(&cursor, head.length);
    }
    return !cursor.failed;
}

/* Merges two sorted lists of ids into `merged`, and notes ids that are in both. Returns false if out of memory. */
static bool shared_ids_merge(ids_of_parts *parts, const unsigned char *other, const unsigned char *other_end,
                             crd_i_buffer *merged) {
    const unsigned char *cursor = parts->ids->bytes, *end = cursor == NULL ? NULL : cursor + parts->ids->length;
    bool has_room = true;
    while (has_room && (cursor != end || other != other_end)) {
        listed_id a, b;
        const unsigned char *next = cursor == end ? cursor : shared_ids_look(cursor, &a),
                            *other_next = other == other_end ? other : shared_ids_look(other, &b);
        const int order = cursor == end ? 1 : other == other_end ? -1 : compare_texts(&a, &b);
        listed_id id = order <= 0 ? a : b;
        if (order == 0) {
            const uint64_t first = a.head.where < b.head.where ? a.head.where : b.head.where;
            has_room = note_return(parts->id, first, a.head.where ^ b.head.where ^ first, a.text, a.head.length);
            id.head.where = first;
        }
        has_room = has_room && crd_i_buffer_append(merged, &id.head, sizeof id.head) &&
                   crd_i_buffer_append(merged, id.text, (size_t)id.head.length);
        if (order <= 0) cursor = next;
        if (order >= 0) other = other_next;
    }
    return has_room;
}

static crd_status shared_ids_combine(void *object, unsigned rank, crd_i_cursor *cursor, crd_error *error) {
    ids_of_parts *parts = object;
    crd_i_buffer merged = {.context = parts->ids->context};
    (void)rank;
    crd_status status = read_found(parts->id, cursor, error);
    const crd_i_cursor list = crd_i_decode_rest(cursor);
    if (status == CRD_OK && !are_ids(list)) status = crd_i_fail_received(error);
    if (status != CRD_OK) return status;
    if (!shared_ids_merge(parts, list.at, list.end, &merged)) {
        crd_i_buffer_clear(&merged);
        return crd_i_fail_memory(error);
    }
    crd_i_buffer_clear(parts->ids);
    *parts->ids = merged;
    return CRD_OK;
}

crd_status crd_i_shared_ids_compare(crd_context *context, crd_i_buffer *ids, uint64_t ended, crd_i_returned_id *out,
                                    crd_error *error) {
    static const crd_i_merging comparison = {shared_ids_encode, shared_ids_combine};
    crd_i_group *group = context->group;
    ids_of_parts parts = {ids, out, crd_i_group_rank(group) == 0};
    crd_i_buffer bytes = {.context = context};
    *out = (crd_i_returned_id){UINT64_MAX, ended, {.context = context}};
    crd_status status = shared_ids_sort(context, ids, error);
    status = status == CRD_OK ? crd_i_group_reduce(group, &comparison, &parts, &bytes, error)
                              : crd_i_group_fail(group, status, error);
    crd_i_cursor result = crd_i_cursor_of(&bytes);
    if (status == CRD_OK) status = read_found(out, &result, error);
    crd_i_buffer_clear(&bytes);
    crd_i_buffer_clear(ids);
    return status;
}

/* ======== 2. Id hash table ========
 *
 * The table uses open addressing and is at most three quarters full. */

enum { FIRST_CAPACITY = 64 };

void crd_i_id_table_clear(crd_i_id_table *table) {
    crd_free(table->context, table->entries);
    *table = (crd_i_id_table){.context = table->context};
}

/* Computes two chained hashes over the 8-byte words of the text, each with its own key. The last word includes the
 * length. */
static void hash_id(const crd_i_id_table *table, crd_text id, uint64_t hash[2]) {
    hash[0] = table->keys[0];
    hash[1] = table->keys[1];
    for (size_t index = 0; index <= id.length; index += 8) {
        uint64_t word = 0;
        size_t left = id.length - index;
        if (left > 0) memcpy(&word, id.bytes + index, left < 8 ? left : 8);
        if (left < 8) word ^= (uint64_t)(left + 1) << 56;
        hash[0] = crd_i_hash_scatter(hash[0] ^ word) + table->keys[1];
        hash[1] = crd_i_hash_scatter(hash[1] + word * table->keys[0]);
    }
    if (hash[0] == 0 && hash[1] == 0) hash[1] = 1;
}

static crd_i_id_entry *find_entry(crd_i_id_entry *entries, size_t capacity, const uint64_t hash[2]) {
    for (size_t i = (size_t)hash[0] & (capacity - 1);; i = (i + 1) & (capacity - 1)) {
        crd_i_id_entry *entry = &entries[i];
        bool is_free = entry->hash[0] == 0 && entry->hash[1] == 0;
        if (is_free || (entry->hash[0] == hash[0] && entry->hash[1] == hash[1])) return entry;
    }
}

static bool id_table_grow(crd_i_id_table *table) {
    if (table->count < table->capacity / 4 * 3) return true;
    size_t capacity = table->capacity == 0 ? FIRST_CAPACITY : table->capacity * 2;
    crd_i_id_entry *entries = crd_i_alloc_zeroed(table->context, capacity, sizeof *entries);
    if (entries == NULL) return false;
    if (table->capacity == 0)
        for (size_t i = 0; i < 2; i++) table->keys[i] = crd_i_hash_key(table->context, entries + i);
    for (size_t i = 0; i < table->capacity; i++) {
        const crd_i_id_entry *entry = &table->entries[i];
        if (entry->hash[0] != 0 || entry->hash[1] != 0) *find_entry(entries, capacity, entry->hash) = *entry;
    }
    crd_free(table->context, table->entries);
    table->entries = entries;
    table->capacity = capacity;
    return true;
}

uint64_t *crd_i_id_table_find(crd_i_id_table *table, crd_text id, uint64_t number, bool *is_new) {
    uint64_t hash[2];
    if (!id_table_grow(table)) return NULL;
    hash_id(table, id, hash);
    crd_i_id_entry *entry = find_entry(table->entries, table->capacity, hash);
    *is_new = entry->hash[0] == 0 && entry->hash[1] == 0;
    if (*is_new) {
        *entry = (crd_i_id_entry){{hash[0], hash[1]}, number};
        table->count++;
    }
    return &entry->number;
}
