/* SPDX-License-Identifier: MIT */
/* labelling.c - comparison of two labelings of the same rows. See credence/evaluate.h.
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

struct crd_labelling {
    crd_context *context;
    crd_i_dictionary *assigned, *known;
    crd_i_dictionary *pairs; /* pairs of codes, as bytes */
    crd_i_sums weights;      /* weight of each pair; there may be unused entries, which are 0 */
};

/* The codes of a pair, which are stored as a text. */
typedef struct labelling_pair {
    int32_t assigned, known;
} labelling_pair;

crd_status crd_labelling_create(crd_context *context, crd_labelling **out, crd_error *error) {
    *out = NULL;
    crd_labelling *labelling = crd_i_alloc_zeroed(context, 1, sizeof *labelling);
    if (labelling == NULL) return crd_i_fail_memory(error);
    labelling->context = context;
    crd_i_sums_init(&labelling->weights, context);
    labelling->assigned = crd_i_dictionary_create(context);
    labelling->known = crd_i_dictionary_create(context);
    labelling->pairs = crd_i_dictionary_create(context);
    if (labelling->assigned == NULL || labelling->known == NULL || labelling->pairs == NULL) {
        crd_labelling_destroy(labelling);
        return crd_i_fail_memory(error);
    }
    *out = labelling;
    return CRD_OK;
}

void crd_labelling_destroy(crd_labelling *labelling) {
    if (labelling == NULL) return;
    crd_i_dictionary_destroy(labelling->assigned);
    crd_i_dictionary_destroy(labelling->known);
    crd_i_dictionary_destroy(labelling->pairs);
    crd_i_sums_clear(&labelling->weights);
    crd_free(labelling->context, labelling);
}

/* Returns the index of a pair, which is added if it is new; negative if memory runs out. */
static int32_t labelling_add_pair(crd_labelling *labelling, crd_text assigned, crd_text known) {
    if (!crd_i_sums_extend(&labelling->weights, crd_i_dictionary_size(labelling->pairs) + 1)) return -1;
    const labelling_pair codes = {crd_i_dictionary_add(labelling->assigned, assigned),
                                  crd_i_dictionary_add(labelling->known, known)};
    const crd_text key = {(const char *)&codes, sizeof codes};
    return codes.assigned < 0 || codes.known < 0 ? -1 : crd_i_dictionary_add(labelling->pairs, key);
}

crd_status crd_labelling_add(crd_labelling *labelling, crd_text assigned, crd_text known, double weight,
                             crd_error *error) {
    if (!(weight >= 0) || isinf(weight))
        return crd_i_fail(error, CRD_ERROR_WEIGHT, "a row's weight is missing, infinite or below zero");
    const int32_t index = labelling_add_pair(labelling, assigned, known);
    return index >= 0 && crd_i_sums_add(&labelling->weights, (size_t)index, weight) ? CRD_OK : crd_i_fail_memory(error);
}

static double labelling_count(const crd_labelling *labelling, size_t index) {
    return crd_i_sums_value(&labelling->weights, index);
}

static labelling_pair pair_at(const crd_labelling *labelling, size_t i) {
    labelling_pair codes;
    memcpy(&codes, crd_i_dictionary_text(labelling->pairs, i).bytes, sizeof codes);
    return codes;
}

/* ---- Parts ---- */

crd_status crd_labelling_merge(crd_labelling *labelling, const crd_labelling *other, crd_error *error) {
    bool done = true;
    for (size_t i = 0; done && i < crd_i_dictionary_size(other->pairs); i++) {
        const labelling_pair pair = pair_at(other, i);
        const int32_t index = labelling_add_pair(labelling, crd_labelling_assigned(other, (size_t)pair.assigned),
                                                 crd_labelling_known(other, (size_t)pair.known));
        done = index >= 0 && crd_i_sums_combine(&labelling->weights, (size_t)index, &other->weights, i, 1);
    }
    return done ? CRD_OK : crd_i_fail_memory(error);
}

static const char tag_of_labels[] = {'L', 'A', 'B', 'L'};

crd_status crd_labelling_encode(const crd_labelling *labelling, unsigned char **bytes, size_t *length,
                                crd_error *error) {
    const size_t count = crd_i_dictionary_size(labelling->pairs);
    crd_i_encoder encoder;
    crd_i_evaluation_bytes_begin(&encoder, labelling->context, tag_of_labels);
    crd_i_encode_names(&encoder, labelling->assigned);
    crd_i_encode_names(&encoder, labelling->known);
    crd_i_encode_u64(&encoder, count);
    for (size_t i = 0; i < count; i++) {
        const labelling_pair pair = pair_at(labelling, i);
        crd_i_encode_u32(&encoder, (uint32_t)pair.assigned);
        crd_i_encode_u32(&encoder, (uint32_t)pair.known);
    }
    const crd_i_window window = crd_i_window_begin(&encoder, &labelling->weights);
    for (size_t i = 0; i < count; i++) crd_i_window_cell(&encoder, window, &labelling->weights, i);
    return crd_i_evaluation_bytes_end(&encoder, bytes, length, error);
}

/* Reads the pairs, which must be distinct, and then their weights. */
static crd_status labelling_read_pairs(crd_labelling *labelling, const crd_i_dictionary *assigned,
                                       const crd_i_dictionary *known, crd_i_cursor *cursor, crd_error *error) {
    const uint64_t count = crd_i_decode_u64(cursor);
    if (!crd_i_cursor_holds(cursor, count, 2 * sizeof(uint32_t))) return crd_i_evaluation_bytes_damaged(error);
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t first = crd_i_decode_u32(cursor), second = crd_i_decode_u32(cursor);
        if (first >= crd_i_dictionary_size(assigned) || second >= crd_i_dictionary_size(known))
            return crd_i_evaluation_bytes_damaged(error);
        const int32_t index =
            labelling_add_pair(labelling, crd_i_dictionary_text(assigned, first), crd_i_dictionary_text(known, second));
        if (index < 0) return crd_i_fail_memory(error);
        if ((uint64_t)index != i) return crd_i_evaluation_bytes_damaged(error);
    }
    crd_i_sums_clear(&labelling->weights);
    crd_i_sums_init(&labelling->weights, labelling->context);
    crd_status status = crd_i_window_read(cursor, &labelling->weights, count, error);
    for (uint64_t i = 0; status == CRD_OK && i < count; i++)
        if (crd_i_sums_sign(&labelling->weights, (size_t)i) < 0 ||
            labelling_count(labelling, (size_t)i) > CRD_I_MOST_ROWS)
            status = crd_i_evaluation_bytes_damaged(error); /* larger weights could make sums infinite */
    return status;
}

crd_status crd_labelling_decode(crd_context *context, const unsigned char *bytes, size_t length, crd_labelling **out,
                                crd_error *error) {
    crd_i_dictionary *assigned = NULL, *known = NULL;
    crd_i_cursor cursor;
    *out = NULL;
    crd_status status = crd_i_evaluation_bytes_open(bytes, length, tag_of_labels, &cursor, error);
    if (status == CRD_OK) status = crd_labelling_create(context, out, error);
    if (status == CRD_OK) status = crd_i_decode_names(context, &cursor, &assigned, error);
    if (status == CRD_OK) status = crd_i_decode_names(context, &cursor, &known, error);
    if (status == CRD_OK) status = labelling_read_pairs(*out, assigned, known, &cursor, error);
    status = crd_i_evaluation_bytes_close(&cursor, status, error);
    crd_i_dictionary_destroy(assigned);
    crd_i_dictionary_destroy(known);
    if (status != CRD_OK) {
        crd_labelling_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* ---- Scores ---- */

/* Returns C(n), the number of pairs. */
static double labelling_pairs(double n) {
    return n * (n - 1) / 2;
}

/* Returns the entropy of a distribution that is given as counts. */
static double labelling_entropy(const double *counts, size_t count, double total) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (counts[i] > 0) sum -= counts[i] / total * crd_log(counts[i] / total);
    return sum;
}

static double sum_pairs(const double *counts, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += labelling_pairs(counts[i]);
    return sum;
}

/* Computes all scores. `classes` and `labels` are arrays of zeros, which receive the sums a_i and b_j. */
static void fill_scores(const crd_labelling *labelling, double *classes, double *labels, crd_labelling_scores *scores) {
    const size_t class_count = crd_labelling_assigned_count(labelling);
    const size_t label_count = crd_labelling_known_count(labelling);
    const size_t pairs = crd_i_dictionary_size(labelling->pairs);
    double information = 0, same = 0;
    for (size_t i = 0; i < pairs; i++) {
        const labelling_pair pair = pair_at(labelling, i);
        const double both = labelling_count(labelling, i);
        classes[pair.assigned] += both;
        labels[pair.known] += both;
        scores->rows += both;
        same += labelling_pairs(both);
    }
    for (size_t i = 0; i < pairs; i++) {
        const labelling_pair pair = pair_at(labelling, i);
        const double both = labelling_count(labelling, i);
        if (both > 0)
            information +=
                both / scores->rows * crd_log(both / classes[pair.assigned] * (scores->rows / labels[pair.known]));
    }
    const double of_classes = labelling_entropy(classes, class_count, scores->rows);
    const double of_labels = labelling_entropy(labels, label_count, scores->rows);
    scores->mutual_information = fmax(information, 0);
    scores->homogeneity = of_labels > 0 ? scores->mutual_information / of_labels : 1;
    scores->completeness = of_classes > 0 ? scores->mutual_information / of_classes : 1;
    scores->normalized_mutual_information =
        of_classes + of_labels > 0 ? 2 * scores->mutual_information / (of_classes + of_labels) : 1;
    const double a = sum_pairs(classes, class_count), b = sum_pairs(labels, label_count),
                 all = labelling_pairs(scores->rows);
    const double expected = all > 0 ? a * b / all : 0, most = (a + b) / 2;
    /* The denominator is 0 if both labelings have only one class, or both have one class per row: they are equal. */
    scores->adjusted_rand = most != expected ? (same - expected) / (most - expected) : 1;
}

crd_status crd_labelling_score(const crd_labelling *labelling, crd_labelling_scores *out, crd_error *error) {
    crd_labelling_scores scores = CRD_LABELLING_SCORES_INIT;
    double *classes = crd_i_alloc_zeroed(labelling->context, crd_labelling_assigned_count(labelling), sizeof *classes);
    double *labels = crd_i_alloc_zeroed(labelling->context, crd_labelling_known_count(labelling), sizeof *labels);
    crd_status status = classes == NULL || labels == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) fill_scores(labelling, classes, labels, &scores);
    if (status == CRD_OK && !(scores.rows > 0))
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "there are no rows with a class and a label to compare");
    if (status == CRD_OK) crd_i_copy_out(&scores, sizeof scores, out);
    crd_free(labelling->context, classes);
    crd_free(labelling->context, labels);
    return status;
}

size_t crd_labelling_assigned_count(const crd_labelling *labelling) {
    return crd_i_dictionary_size(labelling->assigned);
}

size_t crd_labelling_known_count(const crd_labelling *labelling) {
    return crd_i_dictionary_size(labelling->known);
}

crd_text crd_labelling_assigned(const crd_labelling *labelling, size_t index) {
    return crd_i_dictionary_text(labelling->assigned, index);
}

crd_text crd_labelling_known(const crd_labelling *labelling, size_t index) {
    return crd_i_dictionary_text(labelling->known, index);
}

double crd_labelling_rows(const crd_labelling *labelling, size_t assigned, size_t known) {
    const labelling_pair codes = {(int32_t)assigned, (int32_t)known};
    const crd_text key = {(const char *)&codes, sizeof codes};
    const int32_t index = crd_i_dictionary_find(labelling->pairs, key);
    return index < 0 ? 0 : labelling_count(labelling, (size_t)index);
}
