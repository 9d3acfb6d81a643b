/* SPDX-License-Identifier: MIT */
/* score_cache.c - see score_cache.h. Open addressing; the families are stored consecutively in one array. The cache
 * has parts, selected by hash, each with its own lock, so threads seldom block each other. */
#include "structure/score_cache.h"

#include "base/memory.h"

#include <pthread.h>
#include <string.h>

enum { PARTS = 16, MOST_FAMILIES = 1 << 16, MOST_WORDS = 1 << 20 };

typedef struct cache_family {
    double score;
    uint64_t hash;
    size_t start;   /* position in the words: the node, then the parents */
    uint32_t count; /* number of parents */
} cache_family;

typedef struct cache_part {
    crd_context *context;
    pthread_mutex_t mutex;
    cache_family *families;
    size_t count, capacity;
    uint32_t *words;
    size_t word_count, word_capacity;
    uint32_t *places; /* hash table of 1 + family number; 0: empty */
    size_t place_count;
} cache_part;

struct crd_i_score_cache {
    crd_context *context;
    size_t part_count; /* number of parts whose lock is initialized */
    cache_part parts[PARTS];
};

crd_i_score_cache *crd_i_score_cache_create(crd_context *context) {
    crd_i_score_cache *cache = crd_i_alloc_zeroed(context, 1, sizeof *cache);
    if (cache == NULL) return NULL;
    cache->context = context;
    for (; cache->part_count < PARTS; cache->part_count++) {
        cache_part *part = &cache->parts[cache->part_count];
        part->context = context;
        if (pthread_mutex_init(&part->mutex, NULL) == 0) continue;
        crd_i_score_cache_destroy(cache);
        return NULL;
    }
    return cache;
}

void crd_i_score_cache_destroy(crd_i_score_cache *cache) {
    if (cache == NULL) return;
    for (size_t i = 0; i < cache->part_count; i++) {
        cache_part *part = &cache->parts[i];
        crd_free(cache->context, part->families);
        crd_free(cache->context, part->words);
        crd_free(cache->context, part->places);
        pthread_mutex_destroy(&part->mutex);
    }
    crd_free(cache->context, cache);
}

uint64_t crd_i_score_cache_count(const crd_i_score_cache *cache) {
    uint64_t count = 0;
    for (size_t i = 0; i < PARTS; i++) count += cache->parts[i].count;
    return count;
}

static cache_part *score_cache_part(crd_i_score_cache *cache, uint64_t hash) {
    return &cache->parts[hash >> 32 & (PARTS - 1)];
}

static uint64_t score_cache_mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t score_cache_hash(size_t node, const uint32_t *parents, size_t count) {
    uint64_t hash = score_cache_mix(0x243f6a8885a308d3u, node + 1);
    for (size_t i = 0; i < count; i++) hash = score_cache_mix(hash, (uint64_t)parents[i] + 1);
    return score_cache_mix(hash, count);
}

/* Returns the slot of a family, or the empty slot where it belongs. */
static size_t score_cache_place(const cache_part *cache, uint64_t hash, size_t node, const uint32_t *parents,
                                size_t count) {
    const size_t mask = cache->place_count - 1;
    size_t index = (size_t)hash & mask;
    for (; cache->places[index] != 0; index = (index + 1) & mask) {
        const cache_family *family = &cache->families[cache->places[index] - 1];
        const uint32_t *words = cache->words + family->start;
        if (family->hash == hash && family->count == count && words[0] == node &&
            (count == 0 || memcmp(words + 1, parents, count * sizeof *parents) == 0))
            break;
    }
    return index;
}

bool crd_i_score_cache_find(crd_i_score_cache *cache, size_t node, const uint32_t *parents, size_t count,
                            double *score) {
    const uint64_t hash = score_cache_hash(node, parents, count);
    cache_part *part = score_cache_part(cache, hash);
    pthread_mutex_lock(&part->mutex);
    const uint32_t found = part->count == 0 ? 0 : part->places[score_cache_place(part, hash, node, parents, count)];
    if (found != 0) *score = part->families[found - 1].score;
    pthread_mutex_unlock(&part->mutex);
    return found != 0;
}

static bool score_cache_grow(cache_part *cache) {
    if (2 * (cache->count + 1) <= cache->place_count) return true;
    const size_t size = cache->place_count == 0 ? 1024 : 2 * cache->place_count;
    uint32_t *places = crd_i_alloc_zeroed(cache->context, size, sizeof *places);
    if (places == NULL) return false;
    for (size_t i = 0; i < cache->count; i++) {
        size_t index = (size_t)cache->families[i].hash & (size - 1);
        while (places[index] != 0) index = (index + 1) & (size - 1);
        places[index] = (uint32_t)(i + 1);
    }
    crd_free(cache->context, cache->places);
    cache->places = places;
    cache->place_count = size;
    return true;
}

static bool score_cache_put(cache_part *part, uint64_t hash, size_t node, const uint32_t *parents, size_t count,
                            double score) {
    if (part->count >= MOST_FAMILIES || part->word_count + count >= MOST_WORDS) return true;
    if (!score_cache_grow(part) ||
        !crd_i_reserve(part->context, &part->families, &part->capacity, part->count + 1, sizeof *part->families) ||
        !crd_i_reserve(part->context, &part->words, &part->word_capacity, part->word_count + count + 1,
                       sizeof *part->words))
        return false;
    const size_t place = score_cache_place(part, hash, node, parents, count);
    if (part->places[place] != 0) return true; /* another thread was first */
    part->places[place] = (uint32_t)(part->count + 1);
    part->families[part->count++] = (cache_family){score, hash, part->word_count, (uint32_t)count};
    part->words[part->word_count++] = (uint32_t)node;
    if (count > 0) memcpy(part->words + part->word_count, parents, count * sizeof *parents);
    part->word_count += count;
    return true;
}

bool crd_i_score_cache_put(crd_i_score_cache *cache, size_t node, const uint32_t *parents, size_t count, double score) {
    const uint64_t hash = score_cache_hash(node, parents, count);
    cache_part *part = score_cache_part(cache, hash);
    pthread_mutex_lock(&part->mutex);
    const bool done = score_cache_put(part, hash, node, parents, count, score);
    pthread_mutex_unlock(&part->mutex);
    return done;
}
