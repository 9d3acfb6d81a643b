/* SPDX-License-Identifier: MIT */
/* id_table.c - hash table of ids, with open addressing and at most three quarters full. See id_table.h. */
#include "sequence/data/id_table.h"

#include "base/hash_key.h"
#include "base/memory.h"

#include <string.h>

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
