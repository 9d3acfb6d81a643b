/* SPDX-License-Identifier: MIT */
/* folds.c - assigning rows to folds in one pass, so that folds are balanced within every class and overall.
 *
 * The rows of each class are assigned in runs. A run uses each fold once, in a random order (Fisher and Yates 1938).
 * The random stream depends only on seed, class and run number, so a run's order does not depend on earlier runs.
 * Among the folds left in a run, the fold with the fewest rows is next. Otherwise many small classes, whose runs end
 * early, could meet in the same folds by chance. */
#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"

#include <credence/evaluate.h>

/* Maximum number of folds that are compared to find the one with the fewest rows. Bounds the work per row if there
 * are very many folds. */
enum { MOST_COMPARED = 256 };

typedef struct folds_deal {
    uint32_t *order; /* folds in the order of the current run; entries before `dealt` were used */
    uint32_t dealt;
    uint64_t run;
} folds_deal;

struct crd_folds {
    crd_context *context;
    uint32_t count;
    uint64_t seed;
    uint64_t *rows; /* number of rows in each fold so far */
    crd_i_dictionary *classes;
    folds_deal *deals; /* one for each class */
    size_t deal_count, deals_capacity;
};

crd_status crd_folds_create(crd_context *context, uint32_t count, uint64_t seed, crd_folds **out, crd_error *error) {
    *out = NULL;
    if (count == 0 || count == CRD_NO_FOLD)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the number of folds must be at least 1");
    crd_folds *folds = crd_i_alloc_zeroed(context, 1, sizeof *folds);
    if (folds == NULL) return crd_i_fail_memory(error);
    folds->context = context;
    folds->count = count;
    folds->seed = seed;
    folds->classes = crd_i_dictionary_create(context);
    folds->rows = crd_i_alloc_zeroed(context, count, sizeof *folds->rows);
    if (folds->classes == NULL || folds->rows == NULL) {
        crd_folds_destroy(folds);
        return crd_i_fail_memory(error);
    }
    *out = folds;
    return CRD_OK;
}

void crd_folds_destroy(crd_folds *folds) {
    if (folds == NULL) return;
    for (size_t i = 0; i < folds->deal_count; i++) crd_free(folds->context, folds->deals[i].order);
    crd_free(folds->context, folds->deals);
    crd_free(folds->context, folds->rows);
    crd_i_dictionary_destroy(folds->classes);
    crd_free(folds->context, folds);
}

/* Returns a hash of class and run that is the same on every machine and for every order of classes (FNV-1a, 64
 * bits). */
static uint64_t stream_of(crd_text class_name, uint64_t run) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < class_name.length; i++)
        hash = (hash ^ (unsigned char)class_name.bytes[i]) * UINT64_C(0x100000001b3);
    for (int byte = 0; byte < 8; byte++) hash = (hash ^ (run >> (8 * byte) & 0xff)) * UINT64_C(0x100000001b3);
    return hash;
}

/* Draws the order of the folds in the current run. */
static void folds_shuffle(const crd_folds *folds, folds_deal *deal, crd_text class_name) {
    crd_i_random random = crd_i_random_at(folds->seed, stream_of(class_name, deal->run));
    for (uint32_t i = 0; i < folds->count; i++) deal->order[i] = i;
    for (uint32_t left = folds->count; left > 1; left--) {
        uint32_t index = (uint32_t)crd_i_random_below(&random, left), kept = deal->order[index];
        deal->order[index] = deal->order[left - 1];
        deal->order[left - 1] = kept;
    }
}

/* Returns the state of a class, which is created if needed; NULL if memory runs out. A call that ran out of memory
 * can be repeated. */
static folds_deal *find_deal(crd_folds *folds, crd_text class_name) {
    int32_t code = crd_i_dictionary_add(folds->classes, class_name);
    if (code < 0) return NULL;
    while (folds->deal_count <= (size_t)code) {
        if (!crd_i_reserve(folds->context, &folds->deals, &folds->deals_capacity, folds->deal_count + 1,
                           sizeof *folds->deals))
            return NULL;
        folds_deal fresh = {crd_i_alloc(folds->context, folds->count, sizeof *fresh.order), 0, 0};
        if (fresh.order == NULL) return NULL;
        folds_shuffle(folds, &fresh, crd_i_dictionary_text(folds->classes, folds->deal_count));
        folds->deals[folds->deal_count++] = fresh;
    }
    return &folds->deals[code];
}

/* Takes the fold with the fewest rows among the folds left in the run. Ties go to the first one in the order of the
 * run. */
static uint32_t take_emptiest(const crd_folds *folds, folds_deal *deal) {
    uint32_t left = folds->count - deal->dealt, end = deal->dealt + (left < MOST_COMPARED ? left : MOST_COMPARED);
    uint32_t best = deal->dealt;
    for (uint32_t i = best + 1; i < end; i++)
        if (folds->rows[deal->order[i]] < folds->rows[deal->order[best]]) best = i;
    uint32_t taken = deal->order[best];
    deal->order[best] = deal->order[deal->dealt];
    deal->order[deal->dealt++] = taken;
    return taken;
}

crd_status crd_folds_next(crd_folds *folds, crd_text class_name, uint32_t *fold, crd_error *error) {
    *fold = CRD_NO_FOLD;
    folds_deal *deal = find_deal(folds, class_name);
    if (deal == NULL) return crd_i_fail_memory(error);
    if (deal->dealt == folds->count) {
        deal->run++;
        deal->dealt = 0;
        folds_shuffle(folds, deal, class_name);
    }
    *fold = take_emptiest(folds, deal);
    folds->rows[*fold]++;
    return CRD_OK;
}
