/* SPDX-License-Identifier: MIT */
/* score_cache.h - scores by family: a node and the set of its parents. For any threads at the same time. */
#ifndef CRD_STRUCTURE_SCORE_CACHE_H
#define CRD_STRUCTURE_SCORE_CACHE_H

#include "base/context.h"

typedef struct crd_i_score_cache crd_i_score_cache;

/* NULL: out of memory. */
crd_i_score_cache *crd_i_score_cache_create(crd_context *context);
void crd_i_score_cache_destroy(crd_i_score_cache *cache); /* NULL is fine */
/* Parents in ascending order. */
bool crd_i_score_cache_find(crd_i_score_cache *cache, size_t node, const uint32_t *parents, size_t count,
                            double *score);
/* A full cache keeps what it has. false: out of memory. */
CRD_MUST_USE bool crd_i_score_cache_put(crd_i_score_cache *cache, size_t node, const uint32_t *parents, size_t count,
                                        double score);

/* How many families there are: it does not depend on which thread came first. While no thread puts any. */
uint64_t crd_i_score_cache_count(const crd_i_score_cache *cache);

#endif
