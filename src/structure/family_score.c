/* SPDX-License-Identifier: MIT */
/* family_score.c - scores families of nodes. See structure_search.h.
 *
 * A family of categorical nodes with few table entries is counted densely. The base of the table is the node and its
 * other parents; the candidate parent is the additional column. A family with more table entries is counted by the
 * combinations of states that occur in the rows, which are at most as many as the rows.
 *
 * Contents:
 *   1. Fixed-point contributions
 *   2. Score cache
 *   3. Decomposable scores */
#include "structure/structure_search.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"
#include "structure/counted_rows.h"
#include "structure/gaussian_family.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

typedef struct crd_i_score_cache crd_i_score_cache;

static void score_cache_destroy(crd_i_score_cache *cache); /* NULL is allowed */

/* ======== 1. Fixed-point contributions ======== */

/* Largest counts in tables of precomputed values. The table of n log n takes up to 8 MiB, and there is only one.
 * There are many tables of log Gamma, so each takes at most 512 KiB. */
enum { MOST_TABULATED = 1 << 20, MOST_TABULATED_GAMMA = 1 << 16 };

double crd_i_count_terms_scale(double rows, double least_pseudo) {
    double greatest = rows * crd_log(rows + 2) + rows;
    int exponent;
    if (least_pseudo > 0) greatest += rows * (10 + fabs(crd_log(least_pseudo)));
    frexp(greatest, &exponent);
    return ldexp(1, 61 - exponent);
}

/* Returns the term of a count that need not be an integer, as a floating-point number. */
static double count_term_real(double pseudo, double count) {
    if (!(count > 0)) return 0;
    if (pseudo == 0) return count * crd_log(count);
    return crd_i_log_gamma(pseudo + count) - crd_i_log_gamma(pseudo);
}

static int64_t count_terms_fixed(const crd_i_count_terms *terms, double value) {
    return (int64_t)floor(value * terms->scale + 0.5);
}

int64_t crd_i_count_term_far(const crd_i_count_terms *terms, double count) {
    return count_terms_fixed(terms, count_term_real(terms->pseudo, count));
}

bool crd_i_count_terms_init(crd_i_count_terms *terms, crd_context *context, double pseudo, double scale, double rows) {
    *terms = (crd_i_count_terms){.context = context, .pseudo = pseudo, .scale = scale};
    if (!(rows < (pseudo == 0 ? MOST_TABULATED : MOST_TABULATED_GAMMA))) return true;
    terms->size = (size_t)rows + 1;
    terms->values = crd_i_alloc(context, terms->size, sizeof *terms->values);
    if (terms->values == NULL) {
        terms->size = 0;
        return false;
    }
    terms->values[0] = 0;
    /* log Gamma(a + n) - log Gamma(a) is the sum of log(a + i) for i < n. The sum is compensated (Kahan 1965). */
    double sum = 0, remainder = 0;
    for (size_t n = 1; n < terms->size; n++) {
        if (pseudo == 0) {
            terms->values[n] = count_terms_fixed(terms, (double)n * crd_log((double)n));
            continue;
        }
        const double term = crd_log(pseudo + (double)(n - 1)) - remainder, next = sum + term;
        remainder = (next - sum) - term;
        sum = next;
        terms->values[n] = count_terms_fixed(terms, sum);
    }
    return true;
}

void crd_i_count_terms_clear(crd_i_count_terms *terms) {
    if (terms->values != NULL) crd_free(terms->context, terms->values);
    terms->values = NULL;
    terms->size = 0;
}

/* ======== 2. Score cache ========
 *
 * The cache is indexed by family, a node and the set of its parents. Any number of threads can use it at the same
 * time. */

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

/* Creates an empty cache. Returns NULL if memory runs out. */
static crd_i_score_cache *score_cache_create(crd_context *context) {
    crd_i_score_cache *cache = crd_i_alloc_zeroed(context, 1, sizeof *cache);
    if (cache == NULL) return NULL;
    cache->context = context;
    for (; cache->part_count < PARTS; cache->part_count++) {
        cache_part *part = &cache->parts[cache->part_count];
        part->context = context;
        if (pthread_mutex_init(&part->mutex, NULL) == 0) continue;
        score_cache_destroy(cache);
        return NULL;
    }
    return cache;
}

static void score_cache_destroy(crd_i_score_cache *cache) {
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

/* Returns the number of families in the cache, which does not depend on the order of the threads. Call it only while
 * no thread stores scores. */
static uint64_t score_cache_count(const crd_i_score_cache *cache) {
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

/* Looks up the score of a family, parents in ascending order. Returns whether it is in the cache. */
static bool score_cache_find(crd_i_score_cache *cache, size_t node, const uint32_t *parents, size_t count,
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

/* Stores the score of a family. A full cache keeps what it has. Returns false if memory runs out. */
static bool put_cached_score(crd_i_score_cache *cache, size_t node, const uint32_t *parents, size_t count,
                             double score) {
    const uint64_t hash = score_cache_hash(node, parents, count);
    cache_part *part = score_cache_part(cache, hash);
    pthread_mutex_lock(&part->mutex);
    const bool done = score_cache_put(part, hash, node, parents, count, score);
    pthread_mutex_unlock(&part->mutex);
    return done;
}

/* ======== 3. Decomposable scores ======== */

enum { TERM_TABLES = 128 }; /* tables for different pseudo-counts that a thread keeps */

/* Data shared by all threads. */
typedef struct shared_scores {
    crd_context *context;
    const crd_i_case_table *table;
    crd_i_score score;
    crd_i_counted_rows *counted;
    crd_i_gaussians *gaussians;    /* NULL: there are no numeric columns */
    crd_i_count_terms likelihoods; /* terms n log n */
    double scale;                  /* scale of the fixed-point numbers */
    crd_i_score_cache *cache;
} shared_scores;

struct crd_i_family_scores {
    crd_context *context;
    shared_scores *shared;
    bool owns_shared;
    crd_i_counter *counter;
    crd_i_count_terms tables[TERM_TABLES]; /* one per pseudo-count; the oldest is replaced */
    size_t table_count;
    uint32_t *workspace; /* room for two lists of columns */
    uint32_t *marginals;
    size_t marginal_capacity;
    double *weights; /* weights of the parent combinations, followed by the weights of the family combinations; NULL
                      * until needed */
};

/* ---- Scores by name ---- */

typedef struct score_name {
    const char *name;
    crd_i_score_kind kind;
    bool takes_size;
} score_name;

static const score_name NAMES[] = {
    {"loglik", CRD_I_SCORE_LOGLIK, false}, {"bic", CRD_I_SCORE_BIC, false}, {"aic", CRD_I_SCORE_AIC, false},
    {"bdeu", CRD_I_SCORE_BDEU, true},      {"k2", CRD_I_SCORE_K2, false},   {"bge", CRD_I_SCORE_BGE, true},
};

crd_status crd_i_score_parse(crd_text text, crd_i_score *out, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    const char *colon = text.length == 0 ? NULL : memchr(text.bytes, ':', text.length);
    const crd_text name = {text.bytes, colon == NULL ? text.length : (size_t)(colon - text.bytes)};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (!crd_text_equal(name, crd_text_of(NAMES[i].name)) || (colon != NULL && !NAMES[i].takes_size)) continue;
        *out = (crd_i_score){NAMES[i].kind, 1};
        if (colon == NULL) return CRD_OK;
        const crd_text size = {colon + 1, text.length - name.length - 1};
        if (crd_number_parse(size, &out->sample_size) == CRD_NUMBER_FINITE && out->sample_size > 0 &&
            out->sample_size <= 1e12)
            return CRD_OK;
        return crd_i_fail(error, CRD_ERROR_SETTING,
                          "the equivalent sample size of %s must be above 0 and at most 1e12, not '%s'", NAMES[i].name,
                          crd_i_quote(size, shown));
    }
    return crd_i_fail(error, CRD_ERROR_SETTING, "unknown score '%s': expected loglik, bic, aic, bdeu:S, k2 or bge:S",
                      crd_i_quote(text, shown));
}

/* ---- Creating ---- */

static void shared_destroy(shared_scores *shared) {
    if (shared == NULL) return;
    crd_i_counted_rows_destroy(shared->counted);
    crd_i_gaussians_destroy(shared->gaussians);
    score_cache_destroy(shared->cache);
    crd_i_count_terms_clear(&shared->likelihoods);
    crd_free(shared->context, shared);
}

static bool is_bayesian(crd_i_score score) {
    return score.kind == CRD_I_SCORE_BDEU || score.kind == CRD_I_SCORE_K2;
}

static crd_status family_score_check_types(const crd_i_case_table *table, crd_i_score score, crd_error *error) {
    for (size_t i = 0; i < table->column_count; i++) {
        const bool is_number = table->columns[i].type == CRD_TYPE_NUMERIC;
        char shown[CRD_I_QUOTED_ROOM];
        if (is_number ? !is_bayesian(score) : score.kind != CRD_I_SCORE_BGE) continue;
        crd_i_fail(error, CRD_ERROR_SETTING, "%s is a score of %s only, but '%s' is a column of %s",
                   score.kind == CRD_I_SCORE_BGE    ? "bge"
                   : score.kind == CRD_I_SCORE_BDEU ? "bdeu"
                                                    : "k2",
                   is_number ? "categories" : "numbers", crd_i_quote(table->columns[i].name, shown),
                   is_number ? "numbers" : "categories");
        crd_i_error_subject(error, table->columns[i].name);
        return CRD_ERROR_SETTING;
    }
    return CRD_OK;
}

static crd_status shared_create(const crd_i_case_table *table, crd_i_score score, shared_scores **out,
                                crd_error *error) {
    bool has_numbers = false;
    for (size_t i = 0; i < table->column_count; i++)
        has_numbers = has_numbers || table->columns[i].type == CRD_TYPE_NUMERIC;
    *out = crd_i_alloc_zeroed(table->context, 1, sizeof **out);
    if (*out == NULL) return crd_i_fail_memory(error);
    shared_scores *shared = *out;
    shared->context = table->context;
    shared->table = table;
    shared->score = score;
    shared->scale = crd_i_count_terms_scale(table->total, is_bayesian(score) ? 1e-300 : 0);
    shared->cache = score_cache_create(table->context);
    crd_status status = shared->cache == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = crd_i_counted_rows_create(table, &shared->counted, error);
    if (status == CRD_OK && has_numbers) status = crd_i_gaussians_create(table, &shared->gaussians, error);
    if (status == CRD_OK && shared->counted->is_whole &&
        !crd_i_count_terms_init(&shared->likelihoods, table->context, 0, shared->scale, table->total))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) return CRD_OK;
    shared_destroy(shared);
    *out = NULL;
    return status;
}

static crd_status create_over(shared_scores *shared, bool owns_shared, crd_i_family_scores **out, crd_error *error) {
    *out = NULL;
    crd_i_family_scores *scores = crd_i_alloc_zeroed(shared->context, 1, sizeof *scores);
    if (scores == NULL) {
        if (owns_shared) shared_destroy(shared);
        return crd_i_fail_memory(error);
    }
    scores->context = shared->context;
    scores->shared = shared;
    scores->owns_shared = owns_shared;
    scores->workspace = crd_i_alloc(shared->context, 2 * (shared->table->column_count + 1), sizeof *scores->workspace);
    crd_status status = CRD_OK;
    if (scores->workspace == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = crd_i_counter_create(shared->counted, &scores->counter, error);
    if (status == CRD_OK) *out = scores;
    else crd_i_family_scores_destroy(scores);
    return status;
}

crd_status crd_i_family_scores_create(const crd_i_case_table *table, crd_i_score score, crd_i_family_scores **out,
                                      crd_error *error) {
    shared_scores *shared;
    *out = NULL;
    crd_status status = family_score_check_types(table, score, error);
    if (status == CRD_OK) status = crd_i_gaussian_check(table, error);
    if (status == CRD_OK) status = shared_create(table, score, &shared, error);
    if (status == CRD_OK) status = create_over(shared, true, out, error);
    return status;
}

crd_status crd_i_family_scores_share(const crd_i_family_scores *scores, crd_i_family_scores **out, crd_error *error) {
    return create_over(scores->shared, false, out, error);
}

void crd_i_family_scores_destroy(crd_i_family_scores *scores) {
    if (scores == NULL) return;
    for (size_t i = 0; i < TERM_TABLES; i++) crd_i_count_terms_clear(&scores->tables[i]);
    crd_i_counter_destroy(scores->counter);
    crd_free(scores->context, scores->workspace);
    crd_free(scores->context, scores->marginals);
    crd_free(scores->context, scores->weights);
    if (scores->owns_shared) shared_destroy(scores->shared);
    crd_free(scores->context, scores);
}

bool crd_i_family_scores_fit(const crd_i_family_scores *scores, size_t parent, size_t node) {
    const crd_i_case_column *columns = scores->shared->table->columns;
    return columns[node].type == CRD_TYPE_NUMERIC || columns[parent].type == CRD_TYPE_CATEGORICAL;
}

uint64_t crd_i_family_scores_computed(const crd_i_family_scores *scores) {
    return score_cache_count(scores->shared->cache);
}

/* ---- From counts to scores ---- */

/* The shape of a family of a categorical node: r states, q combinations of parent states, and the pseudo-counts of a
 * table entry and of a combination. Pseudo-counts are 0 in likelihood scores. */
typedef struct family_shape {
    size_t node;
    double states, combinations;
    double cell_pseudo, combination_pseudo;
} family_shape;

static size_t family_score_states(const shared_scores *shared, size_t column) {
    return shared->counted->columns[column].states;
}

/* Computes the shape of a family; numeric parents do not count. Pseudo-counts per entry are S / (r q) in BDeu and 1
 * in K2. */
static family_shape shape_of(const shared_scores *shared, size_t node, const uint32_t *parents, size_t count) {
    family_shape shape = {.node = node, .states = (double)family_score_states(shared, node), .combinations = 1};
    for (size_t i = 0; i < count; i++)
        if (shared->table->columns[parents[i]].type == CRD_TYPE_CATEGORICAL)
            shape.combinations *= (double)family_score_states(shared, parents[i]);
    if (shared->score.kind == CRD_I_SCORE_BDEU) {
        shape.combination_pseudo = shared->score.sample_size / shape.combinations;
        shape.cell_pseudo = shape.combination_pseudo / shape.states;
    } else if (shared->score.kind == CRD_I_SCORE_K2) {
        shape.combination_pseudo = shape.states;
        shape.cell_pseudo = 1;
    }
    return shape;
}

/* Returns whether the pseudo-counts are in the range of floating-point numbers. */
static bool shape_is_finite(const family_shape *shape) {
    return shape->combinations < 1e300 && (shape->combination_pseudo == 0 || shape->cell_pseudo > 1e-290);
}

/* Returns the penalty for `parameters` free parameters: the number itself in AIC, log(rows) / 2 for each in BIC,
 * else 0. */
static double family_score_penalty(const shared_scores *shared, double rows, double parameters) {
    if (shared->score.kind == CRD_I_SCORE_AIC) return parameters;
    if (shared->score.kind != CRD_I_SCORE_BIC || !(rows > 1)) return 0;
    return crd_log(rows) / 2 * parameters;
}

/* Computes the score from the sum over complete rows, whose weight is `rows`: subtracts the penalty, and scales the
 * result to all rows. */
static double family_score_finish(const shared_scores *shared, double sum, double rows, double parameters) {
    const double total = shared->table->total;
    if (rows == total) return sum - family_score_penalty(shared, total, parameters);
    return rows > 0 ? total / rows * (sum - family_score_penalty(shared, rows, parameters))
                    : -family_score_penalty(shared, total, parameters);
}

/* Returns the terms for a pseudo-count, from the tables that this thread keeps. NULL: out of memory. */
static const crd_i_count_terms *family_score_find_terms(crd_i_family_scores *scores, double pseudo) {
    if (pseudo == 0) return &scores->shared->likelihoods;
    for (size_t i = 0; i < TERM_TABLES && i < scores->table_count; i++)
        if (scores->tables[i].pseudo == pseudo) return &scores->tables[i];
    crd_i_count_terms *terms = &scores->tables[scores->table_count % TERM_TABLES];
    crd_i_count_terms_clear(terms);
    if (!crd_i_count_terms_init(terms, scores->context, pseudo, scores->shared->scale, scores->shared->table->total)) {
        terms->pseudo = 0;
        return NULL;
    }
    scores->table_count++;
    return terms;
}

typedef struct shape_terms {
    const crd_i_count_terms *cells, *combinations;
} shape_terms;

static bool terms_of(crd_i_family_scores *scores, const family_shape *shape, shape_terms *out) {
    out->cells = family_score_find_terms(scores, shape->cell_pseudo);
    out->combinations = out->cells == NULL ? NULL : family_score_find_terms(scores, shape->combination_pseudo);
    /* The second table may have replaced the first table. Looking up the first again replaces another one. */
    if (out->combinations != NULL && out->cells->pseudo != shape->cell_pseudo)
        out->cells = family_score_find_terms(scores, shape->cell_pseudo);
    return out->cells != NULL && out->combinations != NULL;
}

/* Computes a score from counts[(combination * states + state) * inner + i]. A combination of parent states is a pair
 * of `combination` and i. */
static crd_status score_counts(crd_i_family_scores *scores, const family_shape *shape, const uint32_t *counts,
                               size_t inner, double *score, crd_error *error) {
    const size_t states = (size_t)shape->states, outer = (size_t)(shape->combinations / (double)inner + 0.5);
    shape_terms terms;
    if (!terms_of(scores, shape, &terms)) return crd_i_fail_memory(error);
    int64_t sum = 0;
    uint64_t rows = 0;
    for (size_t combination = 0; combination < outer; combination++) {
        const uint32_t *first = counts + combination * states * inner;
        for (size_t i = 0; i < inner; i++) {
            size_t total = 0;
            for (size_t state = 0; state < states; state++) {
                const size_t count = first[state * inner + i];
                total += count;
                if (count > 0) sum += crd_i_count_term(terms.cells, count);
            }
            if (total > 0) sum -= crd_i_count_term(terms.combinations, total);
            rows += total;
        }
    }
    *score = family_score_finish(scores->shared, (double)sum / scores->shared->scale, (double)rows,
                                 (shape->states - 1) * shape->combinations);
    return CRD_OK;
}

/* ---- Families with many table entries, or with fractional weights ---- */

/* Returns the sum of the terms of the weights, in fixed point if they are whole numbers. */
static double term_sum(const crd_i_count_terms *terms, double pseudo, bool is_whole, const double *weights,
                       size_t count) {
    int64_t sum = 0;
    double real = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_whole) real += count_term_real(pseudo, weights[i]);
        else if (weights[i] > 0) sum += crd_i_count_term(terms, (size_t)weights[i]);
    }
    return is_whole ? (double)sum / terms->scale : real;
}

/* Sums the weights of the rows by combination. Rows in which `node` or `further` is missing do not count. Returns
 * the sum of all weights. */
static double family_score_weigh(const crd_i_case_table *table, const crd_i_row_combinations *combinations, size_t node,
                                 size_t further, double *weights) {
    double rows = 0;
    memset(weights, 0, combinations->count * sizeof *weights);
    for (size_t row = 0; row < table->rows; row++) {
        if (combinations->of_rows[row] == UINT32_MAX ||
            crd_i_case_code(&table->columns[node], row) == CRD_I_CASE_MISSING32 ||
            (further != SIZE_MAX && crd_i_case_code(&table->columns[further], row) == CRD_I_CASE_MISSING32))
            continue;
        weights[combinations->of_rows[row]] += crd_i_case_weight(table, row);
        rows += crd_i_case_weight(table, row);
    }
    return rows;
}

/* Computes the score of a family from the combinations of states that occur. */
static crd_status score_combinations(crd_i_family_scores *scores, const crd_i_node_family *family,
                                     const family_shape *shape, double *score, crd_error *error) {
    const shared_scores *shared = scores->shared;
    const crd_i_case_table *table = shared->table;
    const bool is_whole = shared->counted->is_whole;
    crd_i_row_combinations row = {0};
    if (scores->weights == NULL) scores->weights = crd_i_alloc(scores->context, 2 * (table->rows + 1), sizeof(double));
    shape_terms terms;
    if (scores->weights == NULL || !terms_of(scores, shape, &terms)) return crd_i_fail_memory(error);
    const size_t further = family->has_further ? family->further : SIZE_MAX;
    double *cells = scores->weights + table->rows + 1;
    crd_status status = crd_i_counter_combine(scores->counter, SIZE_MAX, false, &row, error);
    for (size_t i = 0; status == CRD_OK && i < family->parent_count; i++)
        status = crd_i_counter_combine(scores->counter, family->parents[i], true, &row, error);
    if (status != CRD_OK) return status;
    const size_t combinations = row.count;
    const double rows = family_score_weigh(table, &row, family->node, further, scores->weights);
    status = crd_i_counter_combine(scores->counter, family->node, true, &row, error);
    if (status != CRD_OK) return status;
    (void)family_score_weigh(table, &row, family->node, further, cells);
    const double sum = term_sum(terms.cells, shape->cell_pseudo, is_whole, cells, row.count) -
                       term_sum(terms.combinations, shape->combination_pseudo, is_whole, scores->weights, combinations);
    *score = family_score_finish(shared, sum, rows, (shape->states - 1) * shape->combinations);
    return CRD_OK;
}

/* ---- Numeric nodes ---- */

static crd_status score_number(crd_i_family_scores *scores, const crd_i_node_family *family, double *score,
                               crd_error *error) {
    const shared_scores *shared = scores->shared;
    const family_shape shape = shape_of(shared, family->node, family->parents, family->parent_count);
    double sum, rows;
    size_t numbers = 0;
    for (size_t i = 0; i < family->parent_count; i++)
        numbers += shared->table->columns[family->parents[i]].type == CRD_TYPE_NUMERIC;
    crd_status status =
        shared->score.kind == CRD_I_SCORE_BGE
            ? crd_i_gaussian_marginal(shared->gaussians, scores->counter, family, shared->score.sample_size, &sum,
                                      &rows, error)
            : crd_i_gaussian_log_likelihood(shared->gaussians, scores->counter, family, &sum, &rows, error);
    if (status == CRD_OK) *score = family_score_finish(shared, sum, rows, (double)(numbers + 2) * shape.combinations);
    return status;
}

/* ---- Families ---- */

/* Returns whether a table of these columns and one more column with `further` states is counted densely. */
static bool is_dense(const shared_scores *shared, const uint32_t *columns, size_t count, size_t further) {
    const size_t most = crd_i_counter_most_cells(shared->counted);
    size_t product = 1;
    if (!shared->counted->is_whole) return false;
    for (size_t i = 0; i < count; i++) {
        product *= family_score_states(shared, columns[i]);
        if (product > most || product > 65534) return false;
    }
    return further <= most / product;
}

/* Computes the counts of the base table over the rows in which the additional column is not missing. */
static crd_status sum_over_further(crd_i_family_scores *scores, size_t further, size_t cell_count,
                                   const uint32_t **cells, crd_error *error) {
    const size_t states = family_score_states(scores->shared, further);
    const uint32_t *counts;
    crd_status status = crd_i_counter_count(scores->counter, further, &counts, error);
    if (status != CRD_OK) return status;
    if (!crd_i_reserve(scores->context, &scores->marginals, &scores->marginal_capacity, cell_count,
                       sizeof *scores->marginals))
        return crd_i_fail_memory(error);
    for (size_t i = 0; i < cell_count; i++) {
        scores->marginals[i] = 0;
        for (size_t state = 0; state < states; state++) scores->marginals[i] += counts[i * states + state];
    }
    *cells = scores->marginals;
    return CRD_OK;
}

/* Computes the score of a family from its own complete rows, scaled to all rows. */
static crd_status score_alone(crd_i_family_scores *scores, const crd_i_node_family *family, double *score,
                              crd_error *error) {
    const shared_scores *shared = scores->shared;
    const size_t count = family->parent_count;
    if (shared->table->columns[family->node].type == CRD_TYPE_NUMERIC)
        return score_number(scores, family, score, error);
    *score = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (!crd_i_family_scores_fit(scores, family->parents[i], family->node)) return CRD_OK;
    const family_shape shape = shape_of(shared, family->node, family->parents, count);
    if (!shape_is_finite(&shape)) return CRD_OK;
    uint32_t *columns = scores->workspace;
    if (count > 0) memcpy(columns, family->parents, count * sizeof *family->parents);
    columns[count] = (uint32_t)family->node;
    if (!is_dense(shared, columns, count + 1, family->has_further ? family_score_states(shared, family->further) : 1))
        return score_combinations(scores, family, &shape, score, error);
    const uint32_t *cells;
    size_t cell_count;
    crd_status status = crd_i_counter_set_base(scores->counter, columns, count + 1, &cells, &cell_count, error);
    if (status == CRD_OK && family->has_further)
        status = sum_over_further(scores, family->further, cell_count, &cells, error);
    return status == CRD_OK ? score_counts(scores, &shape, cells, 1, score, error) : status;
}

static bool family_score_has_missing(const shared_scores *shared, const uint32_t *parents, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (shared->table->columns[parents[i]].has_missing) return true;
    return false;
}

/* Computes the gain of a parent over the rows that are complete in the family, whose score is `score`. `without`
 * receives the other parents. The gain is infinite if the smaller family has no finite score. */
static crd_status gain_of(crd_i_family_scores *scores, const crd_i_node_family *family, double score, size_t parent,
                          uint32_t *without, double *gain, crd_error *error) {
    const size_t left = family->parent_count - 1;
    const crd_i_node_family smaller = {family->node, without, left, true, family->parents[parent]};
    double other = 0;
    memcpy(without, family->parents, parent * sizeof *without);
    if (left > parent) memcpy(without + parent, family->parents + parent + 1, (left - parent) * sizeof *without);
    crd_status status = score_alone(scores, &smaller, &other, error);
    *gain = score - other;
    return status;
}

/* With more parents than this, only the first parent's gain is used. */
enum { MOST_ORDERS = 8 };

/* Computes the score of a family with parents that have missing values: the minimum over the parents of the score
 * without the parent plus the parent's gain. */
static crd_status score_by_gains(crd_i_family_scores *scores, const crd_i_node_family *family, double *score,
                                 crd_error *error) {
    const shared_scores *shared = scores->shared;
    double least = INFINITY;
    crd_status status = score_alone(scores, family, score, error);
    if (status != CRD_OK || isinf(*score)) return status;
    uint32_t *without = crd_i_alloc(scores->context, family->parent_count, sizeof *without);
    if (without == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < family->parent_count; i++) {
        double gain, others = 0;
        if (i > 0 && !isinf(least) && family->parent_count > MOST_ORDERS) break;
        status = gain_of(scores, family, *score, i, without, &gain, error);
        if (status != CRD_OK || isinf(gain)) continue;
        status = crd_i_family_score(scores, family->node, without, family->parent_count - 1, &others, error);
        if (others + gain < least) least = others + gain;
    }
    crd_free(scores->context, without);
    if (status != CRD_OK) return status;
    if (!isinf(least)) *score = least;
    if (shared->table->columns[family->node].type == CRD_TYPE_NUMERIC) return CRD_OK;
    /* A log-likelihood cannot exceed 0, but a sum of gains over different rows can. */
    const family_shape shape = shape_of(shared, family->node, family->parents, family->parent_count);
    const double most = -family_score_penalty(shared, shared->table->total, (shape.states - 1) * shape.combinations);
    if (*score > most) *score = most;
    return CRD_OK;
}

/* Computes the score of a family that is not in the cache. */
static crd_status score_family(crd_i_family_scores *scores, size_t node, const uint32_t *parents, size_t count,
                               double *score, crd_error *error) {
    const crd_i_node_family family = {node, parents, count, false, 0};
    if (family_score_has_missing(scores->shared, parents, count)) return score_by_gains(scores, &family, score, error);
    return score_alone(scores, &family, score, error);
}

crd_status crd_i_family_score(crd_i_family_scores *scores, size_t node, const uint32_t *parents, size_t parent_count,
                              double *score, crd_error *error) {
    if (score_cache_find(scores->shared->cache, node, parents, parent_count, score)) return CRD_OK;
    crd_status status = score_family(scores, node, parents, parent_count, score, error);
    if (status == CRD_OK && !put_cached_score(scores->shared->cache, node, parents, parent_count, *score))
        status = crd_i_fail_memory(error);
    return status;
}

/* Copies the parents, adding the candidate or removing it if it is a parent. Returns the number of parents in the
 * result. */
static size_t toggled_set(const uint32_t *parents, size_t count, uint32_t candidate, uint32_t *destination) {
    size_t created_count = 0, i = 0;
    while (i < count && parents[i] < candidate) destination[created_count++] = parents[i++];
    if (i < count && parents[i] == candidate) i++;
    else destination[created_count++] = candidate;
    while (i < count) destination[created_count++] = parents[i++];
    return created_count;
}

/* Computes the score with an additional parent. The base must be set. */
static crd_status score_added(crd_i_family_scores *scores, size_t node, const uint32_t *set, size_t count,
                              uint32_t candidate, double *score, crd_error *error) {
    const family_shape shape = shape_of(scores->shared, node, set, count);
    const uint32_t *counts;
    *score = -INFINITY;
    if (!shape_is_finite(&shape)) return CRD_OK;
    crd_status status = crd_i_counter_count(scores->counter, candidate, &counts, error);
    if (status != CRD_OK) return status;
    return score_counts(scores, &shape, counts, family_score_states(scores->shared, candidate), score, error);
}

/* Computes the score without a parent that has no missing values: sums the base table over the parent's states. */
static crd_status score_removed(crd_i_family_scores *scores, size_t node, const uint32_t *parents, size_t count,
                                uint32_t candidate, const uint32_t *set, const uint32_t *cells, double *score,
                                crd_error *error) {
    const shared_scores *shared = scores->shared;
    const size_t states = family_score_states(shared, candidate);
    size_t outer = 1, inner = family_score_states(shared, node);
    for (size_t i = 0; i < count; i++) {
        if (parents[i] < candidate) outer *= family_score_states(shared, parents[i]);
        if (parents[i] > candidate) inner *= family_score_states(shared, parents[i]);
    }
    if (!crd_i_reserve(scores->context, &scores->marginals, &scores->marginal_capacity, outer * inner,
                       sizeof *scores->marginals))
        return crd_i_fail_memory(error);
    memset(scores->marginals, 0, outer * inner * sizeof *scores->marginals);
    for (size_t i = 0; i < outer; i++)
        for (size_t state = 0; state < states; state++)
            for (size_t j = 0; j < inner; j++)
                scores->marginals[i * inner + j] += cells[(i * states + state) * inner + j];
    const family_shape shape = shape_of(shared, node, set, count - 1);
    *score = -INFINITY;
    return shape_is_finite(&shape) ? score_counts(scores, &shape, scores->marginals, 1, score, error) : CRD_OK;
}

/* Sets the base that all candidates share: the node and its parents. Sets *cells to NULL if a column is numeric or
 * the table has too many entries. */
static crd_status set_base(crd_i_family_scores *scores, size_t node, const uint32_t *parents, size_t count,
                           const uint32_t **cells, crd_error *error) {
    const shared_scores *shared = scores->shared;
    uint32_t *columns = scores->workspace;
    size_t cell_count;
    bool is_category = shared->table->columns[node].type == CRD_TYPE_CATEGORICAL;
    for (size_t i = 0; i < count; i++) {
        columns[i] = parents[i];
        is_category = is_category && shared->table->columns[parents[i]].type == CRD_TYPE_CATEGORICAL;
    }
    columns[count] = (uint32_t)node;
    *cells = NULL;
    if (!is_category || !is_dense(shared, columns, count + 1, 1)) return CRD_OK;
    return crd_i_counter_set_base(scores->counter, columns, count + 1, cells, &cell_count, error);
}

/* Computes the score of a toggled family that is not in the cache. *cells is the base table, or NULL if the base has
 * to be set first. */
static crd_status score_toggled(crd_i_family_scores *scores, const crd_i_node_family *family, const uint32_t **cells,
                                uint32_t candidate, const uint32_t *set, size_t size, double *score, crd_error *error) {
    const shared_scores *shared = scores->shared;
    const crd_i_state_rows *states = &shared->counted->columns[candidate];
    if (family_score_has_missing(shared, set, size)) {
        *cells = NULL;
        return score_family(scores, family->node, set, size, score, error);
    }
    if (*cells == NULL) {
        const crd_status status = set_base(scores, family->node, family->parents, family->parent_count, cells, error);
        if (status != CRD_OK) return status;
    }
    if (*cells != NULL && size < family->parent_count && !states->has_missing)
        return score_removed(scores, family->node, family->parents, family->parent_count, candidate, set, *cells, score,
                             error);
    if (*cells != NULL && size > family->parent_count && states->states > 0 &&
        is_dense(shared, scores->workspace, family->parent_count + 1, states->states))
        return score_added(scores, family->node, set, size, candidate, score, error);
    *cells = NULL;
    return score_family(scores, family->node, set, size, score, error);
}

crd_status crd_i_family_scores_toggle(crd_i_family_scores *scores, size_t node, const uint32_t *parents,
                                      size_t parent_count, const uint32_t *candidates, size_t count, double *toggled,
                                      crd_error *error) {
    uint32_t *set = scores->workspace + scores->shared->table->column_count + 1;
    const crd_i_node_family family = {node, parents, parent_count, false, 0};
    const uint32_t *cells = NULL;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        const size_t size = toggled_set(parents, parent_count, candidates[i], set);
        if (crd_i_context_cancelled(scores->context)) return crd_i_fail_cancelled(error);
        if (score_cache_find(scores->shared->cache, node, set, size, &toggled[i])) continue;
        status = score_toggled(scores, &family, &cells, candidates[i], set, size, &toggled[i], error);
        if (status == CRD_OK && !put_cached_score(scores->shared->cache, node, set, size, toggled[i]))
            status = crd_i_fail_memory(error);
    }
    return status;
}

bool crd_i_family_scores_know_toggled(crd_i_family_scores *scores, size_t node, const uint32_t *parents,
                                      size_t parent_count, uint32_t candidate) {
    uint32_t *set = scores->workspace + scores->shared->table->column_count + 1;
    double score;
    const size_t size = toggled_set(parents, parent_count, candidate, set);
    return score_cache_find(scores->shared->cache, node, set, size, &score);
}

bool crd_i_family_scores_put_toggled(crd_i_family_scores *scores, size_t node, const uint32_t *parents,
                                     size_t parent_count, uint32_t candidate, double score) {
    uint32_t *set = scores->workspace + scores->shared->table->column_count + 1;
    const size_t size = toggled_set(parents, parent_count, candidate, set);
    return put_cached_score(scores->shared->cache, node, set, size, score);
}
