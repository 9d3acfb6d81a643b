/* SPDX-License-Identifier: MIT */
/* score_cache.h - a cache of scores by family, a node and the set of its parents. Any number of threads can use it
 * at the same time. */
#ifndef CRD_STRUCTURE_SCORE_CACHE_H
#define CRD_STRUCTURE_SCORE_CACHE_H

#include "base/context.h"

typedef struct crd_i_score_cache crd_i_score_cache;

/* Creates an empty cache. Returns NULL if memory runs out. */
crd_i_score_cache *crd_i_score_cache_create(crd_context *context);
void crd_i_score_cache_destroy(crd_i_score_cache *cache); /* NULL is allowed */
/* Looks up the score of a family, parents in ascending order. Returns whether it is in the cache. */
bool crd_i_score_cache_find(crd_i_score_cache *cache, size_t node, const uint32_t *parents, size_t count,
                            double *score);
/* Stores the score of a family. A full cache keeps what it has. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_score_cache_put(crd_i_score_cache *cache, size_t node, const uint32_t *parents, size_t count,
                                        double score);

/* Returns the number of families in the cache, which does not depend on the order of the threads. Call it only while
 * no thread stores scores. */
uint64_t crd_i_score_cache_count(const crd_i_score_cache *cache);

#endif
