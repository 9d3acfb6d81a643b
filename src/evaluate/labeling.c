/* SPDX-License-Identifier: MIT */
/* labeling.c - comparison of two labelings of the same rows. See credence/evaluate.h.
 *
 * Let n_ij be the weight of the rows with class i and label j, a_i and b_j its sums over j and i, n the total
 * weight, and C(x) = x (x - 1) / 2 the number of pairs. The adjusted Rand index (Hubert and Arabie 1985), the mutual
 * information and the normalized mutual information are
 *
 *   ARI  = (sum C(n_ij) - E) / ((sum C(a_i) + sum C(b_j)) / 2 - E),   E = sum C(a_i) sum C(b_j) / C(n)
 *   I    = sum n_ij / n log(n n_ij / (a_i b_j)),   NMI = 2 I / (H(a) + H(b))
 *
 * Homogeneity is I / H(b) and completeness is I / H(a) (Rosenberg and Hirschberg 2007). Weights are summed exactly,
 * so parts can be merged and n_ij does not depend on the order of rows. */
#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "evaluate/evaluation.h"
#include "math/functions/elementary.h"
#include "stats/exact_sums_file.h"

#include <credence/evaluate.h>

#include <math.h>
#include <string.h>

struct crd_labeling {
    crd_context *context;
    crd_i_dictionary *assigned, *known;
    crd_i_dictionary *pairs; /* pairs of codes, as bytes */
    crd_i_sums weights;      /* weight of each pair; there may be unused entries, which are 0 */
};

/* The codes of a pair, which are stored as a text. */
typedef struct labeling_pair {
    int32_t assigned, known;
} labeling_pair;

crd_status crd_labeling_create(crd_context *context, crd_labeling **out, crd_error *error) {
    *out = NULL;
    crd_labeling *labeling = crd_i_alloc_zeroed(context, 1, sizeof *labeling);
    if (labeling == NULL) return crd_i_fail_memory(error);
    labeling->context = context;
    crd_i_sums_init(&labeling->weights, context);
    labeling->assigned = crd_i_dictionary_create(context);
    labeling->known = crd_i_dictionary_create(context);
    labeling->pairs = crd_i_dictionary_create(context);
    if (labeling->assigned == NULL || labeling->known == NULL || labeling->pairs == NULL) {
        crd_labeling_destroy(labeling);
        return crd_i_fail_memory(error);
    }
    *out = labeling;
    return CRD_OK;
}

void crd_labeling_destroy(crd_labeling *labeling) {
    if (labeling == NULL) return;
    crd_i_dictionary_destroy(labeling->assigned);
    crd_i_dictionary_destroy(labeling->known);
    crd_i_dictionary_destroy(labeling->pairs);
    crd_i_sums_clear(&labeling->weights);
    crd_free(labeling->context, labeling);
}

/* Returns the index of a pair, which is added if it is new; negative if memory runs out. */
static int32_t labeling_add_pair(crd_labeling *labeling, crd_text assigned, crd_text known) {
    if (!crd_i_sums_extend(&labeling->weights, crd_i_dictionary_size(labeling->pairs) + 1)) return -1;
    const labeling_pair codes = {crd_i_dictionary_add(labeling->assigned, assigned),
                                 crd_i_dictionary_add(labeling->known, known)};
    const crd_text key = {(const char *)&codes, sizeof codes};
    return codes.assigned < 0 || codes.known < 0 ? -1 : crd_i_dictionary_add(labeling->pairs, key);
}

crd_status crd_labeling_add(crd_labeling *labeling, crd_text assigned, crd_text known, double weight,
                            crd_error *error) {
    if (!(weight >= 0) || isinf(weight))
        return crd_i_fail(error, CRD_ERROR_WEIGHT, "a row's weight is missing, infinite or below zero");
    const int32_t index = labeling_add_pair(labeling, assigned, known);
    return index >= 0 && crd_i_sums_add(&labeling->weights, (size_t)index, weight) ? CRD_OK : crd_i_fail_memory(error);
}

static double labeling_count(const crd_labeling *labeling, size_t index) {
    return crd_i_sums_value(&labeling->weights, index);
}

static labeling_pair pair_at(const crd_labeling *labeling, size_t i) {
    labeling_pair codes;
    memcpy(&codes, crd_i_dictionary_text(labeling->pairs, i).bytes, sizeof codes);
    return codes;
}

/* ---- Parts ---- */

crd_status crd_i_labeling_merge(crd_labeling *labeling, const crd_labeling *other, crd_error *error) {
    bool done = true;
    for (size_t i = 0; done && i < crd_i_dictionary_size(other->pairs); i++) {
        const labeling_pair pair = pair_at(other, i);
        const int32_t index = labeling_add_pair(labeling, crd_labeling_assigned(other, (size_t)pair.assigned),
                                                crd_labeling_known(other, (size_t)pair.known));
        done = index >= 0 && crd_i_sums_combine(&labeling->weights, (size_t)index, &other->weights, i, 1);
    }
    return done ? CRD_OK : crd_i_fail_memory(error);
}

static const char tag_of_labels[] = {'L', 'A', 'B', 'L'};

crd_status crd_i_labeling_encode(const crd_labeling *labeling, unsigned char **bytes, size_t *length,
                                 crd_error *error) {
    const size_t count = crd_i_dictionary_size(labeling->pairs);
    crd_i_encoder encoder;
    crd_i_evaluation_bytes_begin(&encoder, labeling->context, tag_of_labels);
    crd_i_encode_names(&encoder, labeling->assigned);
    crd_i_encode_names(&encoder, labeling->known);
    crd_i_encode_u64(&encoder, count);
    for (size_t i = 0; i < count; i++) {
        const labeling_pair pair = pair_at(labeling, i);
        crd_i_encode_u32(&encoder, (uint32_t)pair.assigned);
        crd_i_encode_u32(&encoder, (uint32_t)pair.known);
    }
    const crd_i_window window = crd_i_window_begin(&encoder, &labeling->weights);
    for (size_t i = 0; i < count; i++) crd_i_window_cell(&encoder, window, &labeling->weights, i);
    return crd_i_evaluation_bytes_end(&encoder, bytes, length, error);
}

/* Reads the pairs, which must be distinct, and then their weights. */
static crd_status labeling_read_pairs(crd_labeling *labeling, const crd_i_dictionary *assigned,
                                      const crd_i_dictionary *known, crd_i_cursor *cursor, crd_error *error) {
    const uint64_t count = crd_i_decode_u64(cursor);
    if (!crd_i_cursor_holds(cursor, count, 2 * sizeof(uint32_t))) return crd_i_evaluation_bytes_damaged(error);
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t first = crd_i_decode_u32(cursor), second = crd_i_decode_u32(cursor);
        if (first >= crd_i_dictionary_size(assigned) || second >= crd_i_dictionary_size(known))
            return crd_i_evaluation_bytes_damaged(error);
        const int32_t index =
            labeling_add_pair(labeling, crd_i_dictionary_text(assigned, first), crd_i_dictionary_text(known, second));
        if (index < 0) return crd_i_fail_memory(error);
        if ((uint64_t)index != i) return crd_i_evaluation_bytes_damaged(error);
    }
    crd_i_sums_clear(&labeling->weights);
    crd_i_sums_init(&labeling->weights, labeling->context);
    crd_status status = crd_i_window_read(cursor, &labeling->weights, count, error);
    for (uint64_t i = 0; status == CRD_OK && i < count; i++)
        if (crd_i_sums_sign(&labeling->weights, (size_t)i) < 0 || labeling_count(labeling, (size_t)i) > CRD_I_MOST_ROWS)
            status = crd_i_evaluation_bytes_damaged(error); /* larger weights could make sums infinite */
    return status;
}

crd_status crd_i_labeling_decode(crd_context *context, const unsigned char *bytes, size_t length, crd_labeling **out,
                                 crd_error *error) {
    crd_i_dictionary *assigned = NULL, *known = NULL;
    crd_i_cursor cursor;
    *out = NULL;
    crd_status status = crd_i_evaluation_bytes_open(bytes, length, tag_of_labels, &cursor, error);
    if (status == CRD_OK) status = crd_labeling_create(context, out, error);
    if (status == CRD_OK) status = crd_i_decode_names(context, &cursor, &assigned, error);
    if (status == CRD_OK) status = crd_i_decode_names(context, &cursor, &known, error);
    if (status == CRD_OK) status = labeling_read_pairs(*out, assigned, known, &cursor, error);
    status = crd_i_evaluation_bytes_close(&cursor, status, error);
    crd_i_dictionary_destroy(assigned);
    crd_i_dictionary_destroy(known);
    if (status != CRD_OK) {
        crd_labeling_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* ---- Scores ---- */

/* Returns C(n), the number of pairs. */
static double labeling_pairs(double n) {
    return n * (n - 1) / 2;
}

/* Returns the entropy of a distribution that is given as counts. */
static double labeling_entropy(const double *counts, size_t count, double total) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (counts[i] > 0) sum -= counts[i] / total * crd_log(counts[i] / total);
    return sum;
}

static double sum_pairs(const double *counts, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += labeling_pairs(counts[i]);
    return sum;
}

/* Computes all scores. `classes` and `labels` are arrays of zeros, which receive the sums a_i and b_j. */
static void fill_scores(const crd_labeling *labeling, double *classes, double *labels, crd_labeling_scores *scores) {
    const size_t class_count = crd_labeling_assigned_count(labeling);
    const size_t label_count = crd_labeling_known_count(labeling);
    const size_t pairs = crd_i_dictionary_size(labeling->pairs);
    double information = 0, same = 0;
    for (size_t i = 0; i < pairs; i++) {
        const labeling_pair pair = pair_at(labeling, i);
        const double both = labeling_count(labeling, i);
        classes[pair.assigned] += both;
        labels[pair.known] += both;
        scores->rows += both;
        same += labeling_pairs(both);
    }
    for (size_t i = 0; i < pairs; i++) {
        const labeling_pair pair = pair_at(labeling, i);
        const double both = labeling_count(labeling, i);
        if (both > 0)
            information +=
                both / scores->rows * crd_log(both / classes[pair.assigned] * (scores->rows / labels[pair.known]));
    }
    const double of_classes = labeling_entropy(classes, class_count, scores->rows);
    const double of_labels = labeling_entropy(labels, label_count, scores->rows);
    scores->mutual_information = fmax(information, 0);
    scores->homogeneity = of_labels > 0 ? scores->mutual_information / of_labels : 1;
    scores->completeness = of_classes > 0 ? scores->mutual_information / of_classes : 1;
    scores->normalized_mutual_information =
        of_classes + of_labels > 0 ? 2 * scores->mutual_information / (of_classes + of_labels) : 1;
    const double a = sum_pairs(classes, class_count), b = sum_pairs(labels, label_count),
                 all = labeling_pairs(scores->rows);
    const double expected = all > 0 ? a * b / all : 0, most = (a + b) / 2;
    /* The denominator is 0 if both labelings have only one class, or both have one class per row: they are equal. */
    scores->adjusted_rand = most != expected ? (same - expected) / (most - expected) : 1;
}

crd_status crd_labeling_score(const crd_labeling *labeling, crd_labeling_scores *out, crd_error *error) {
    crd_labeling_scores scores = CRD_LABELING_SCORES_INIT;
    double *classes = crd_i_alloc_zeroed(labeling->context, crd_labeling_assigned_count(labeling), sizeof *classes);
    double *labels = crd_i_alloc_zeroed(labeling->context, crd_labeling_known_count(labeling), sizeof *labels);
    crd_status status = classes == NULL || labels == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) fill_scores(labeling, classes, labels, &scores);
    if (status == CRD_OK && !(scores.rows > 0))
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "there are no rows with a class and a label to compare");
    if (status == CRD_OK) crd_i_copy_out(&scores, sizeof scores, out);
    crd_free(labeling->context, classes);
    crd_free(labeling->context, labels);
    return status;
}

size_t crd_labeling_assigned_count(const crd_labeling *labeling) {
    return crd_i_dictionary_size(labeling->assigned);
}

size_t crd_labeling_known_count(const crd_labeling *labeling) {
    return crd_i_dictionary_size(labeling->known);
}

crd_text crd_labeling_assigned(const crd_labeling *labeling, size_t index) {
    return crd_i_dictionary_text(labeling->assigned, index);
}

crd_text crd_labeling_known(const crd_labeling *labeling, size_t index) {
    return crd_i_dictionary_text(labeling->known, index);
}

double crd_labeling_rows(const crd_labeling *labeling, size_t assigned, size_t known) {
    const labeling_pair codes = {(int32_t)assigned, (int32_t)known};
    const crd_text key = {(const char *)&codes, sizeof codes};
    const int32_t index = crd_i_dictionary_find(labeling->pairs, key);
    return index < 0 ? 0 : labeling_count(labeling, (size_t)index);
}
