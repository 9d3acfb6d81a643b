/* SPDX-License-Identifier: MIT */
/* score_cache.c - see score_cache.h. Open addressing; families lie one behind the other in one array. */
#include "structure/score_cache.h"

#include "base/memory.h"

#include <string.h>

enum { MOST_FAMILIES = 1 << 20, MOST_WORDS = 1 << 24 };

typedef struct family {
    double score;
    uint64_t hash;
    size_t start;   /* in the words: node, then parents */
    uint32_t count; /* of parents */
} family;

struct crd_i_score_cache {
    crd_context *context;
    family *families;
    size_t count, capacity;
    uint32_t *words;
    size_t word_count, word_capacity;
    uint32_t *places; /* 1 + a family, or 0 */
    size_t place_count;
};

crd_i_score_cache *crd_i_score_cache_create(crd_context *context) {
    crd_i_score_cache *cache = crd_i_alloc_zeroed(context, 1, sizeof *cache);
    if (cache != NULL) cache->context = context;
    return cache;
}

void crd_i_score_cache_destroy(crd_i_score_cache *cache) {
    if (cache == NULL) return;
    crd_free(cache->context, cache->families);
    crd_free(cache->context, cache->words);
    crd_free(cache->context, cache->places);
    crd_free(cache->context, cache);
}

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_of(size_t node, const uint32_t *parents, size_t count) {
    uint64_t hash = mix(0x243f6a8885a308d3u, node + 1);
    for (size_t i = 0; i < count; i++) hash = mix(hash, (uint64_t)parents[i] + 1);
    return mix(hash, count);
}

static size_t place_of(const crd_i_score_cache *cache, uint64_t hash, size_t node, const uint32_t *parents,
                       size_t count) {
    const size_t mask = cache->place_count - 1;
    size_t at = (size_t)hash & mask;
    for (; cache->places[at] != 0; at = (at + 1) & mask) {
        const family *found = &cache->families[cache->places[at] - 1];
        const uint32_t *words = cache->words + found->start;
        if (found->hash == hash && found->count == count && words[0] == node &&
            (count == 0 || memcmp(words + 1, parents, count * sizeof *parents) == 0))
            break;
    }
    return at;
}

bool crd_i_score_cache_find(const crd_i_score_cache *cache, size_t node, const uint32_t *parents, size_t count,
                            double *score) {
    if (cache->count == 0) return false;
    const uint32_t found = cache->places[place_of(cache, hash_of(node, parents, count), node, parents, count)];
    if (found != 0) *score = cache->families[found - 1].score;
    return found != 0;
}

static bool grow(crd_i_score_cache *cache) {
    if (2 * (cache->count + 1) <= cache->place_count) return true;
    const size_t size = cache->place_count == 0 ? 1024 : 2 * cache->place_count;
    uint32_t *places = crd_i_alloc_zeroed(cache->context, size, sizeof *places);
    if (places == NULL) return false;
    for (size_t i = 0; i < cache->count; i++) {
        size_t at = (size_t)cache->families[i].hash & (size - 1);
        while (places[at] != 0) at = (at + 1) & (size - 1);
        places[at] = (uint32_t)(i + 1);
    }
    crd_free(cache->context, cache->places);
    cache->places = places;
    cache->place_count = size;
    return true;
}

bool crd_i_score_cache_put(crd_i_score_cache *cache, size_t node, const uint32_t *parents, size_t count, double score) {
    if (cache->count >= MOST_FAMILIES || cache->word_count + count >= MOST_WORDS) return true;
    if (!grow(cache) ||
        !crd_i_reserve(cache->context, &cache->families, &cache->capacity, cache->count + 1, sizeof *cache->families) ||
        !crd_i_reserve(cache->context, &cache->words, &cache->word_capacity, cache->word_count + count + 1,
                       sizeof *cache->words))
        return false;
    const uint64_t hash = hash_of(node, parents, count);
    cache->places[place_of(cache, hash, node, parents, count)] = (uint32_t)(cache->count + 1);
    cache->families[cache->count++] = (family){score, hash, cache->word_count, (uint32_t)count};
    cache->words[cache->word_count++] = (uint32_t)node;
    if (count > 0) memcpy(cache->words + cache->word_count, parents, count * sizeof *parents);
    cache->word_count += count;
    return true;
}
