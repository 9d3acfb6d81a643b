/* SPDX-License-Identifier: MIT */
/* evaluation.h - the judged rows of an evaluation, from which scores are computed. */
#ifndef CRD_EVALUATE_EVALUATION_H
#define CRD_EVALUATE_EVALUATION_H

#include "base/byte_codec.h"
#include "base/dictionary.h"
#include "math/exact/exact_sums.h"
#include "processes/group.h"

#include <credence/evaluate.h>
#include <credence/hmm_answers.h>

/* A judged row: everything that scores need, except its probabilities. */
typedef struct crd_i_judged {
    int32_t truth;    /* index of the true class; class_count + i: the i-th class that cannot be predicted */
    int32_t decision; /* index of the predicted class; -1: none */
    double weight;
    double credit;
    double loss;        /* -log P(true class); INFINITY if the probability is 0 */
    double probability; /* probability of the decision; 0 if there is none */
    double squares;     /* Brier score: the sum over classes of (P(class) - [class is true])^2 */
    uint32_t above;     /* number of classes more probable than the true class */
    uint32_t beside; /* number of classes that tie with the true class, including itself; 0 if its probability is 0 */
    uint32_t fold;   /* CRD_NO_FOLD: none */
} crd_i_judged;

struct crd_evaluation {
    crd_context *context;
    crd_i_dictionary *classes; /* classes that can be predicted; the code is the index */
    size_t class_count;
    crd_i_dictionary *others; /* classes that only occur as true classes */

    bool is_weighted; /* at least one weight is not 1 */
    uint32_t fold;    /* fold of the rows that are added next */
    crd_i_judged *rows;
    double *probabilities; /* rows x class_count; used to rank the rows for each class */
    bool is_unranked;      /* there are too many probabilities: only the last row's are stored */
    size_t row_count, rows_capacity, probabilities_capacity;
};

/* Returns the decision for a log posterior and its credit: 1 / (number of tied classes) if the true class is among
 * them, else 0. `truth` is a class index or -1. The probability of the decision is not set. */
crd_row_score crd_i_judge(const double *log_posterior, size_t class_count, int32_t truth);

/* A selection of rows of an evaluation. */
typedef struct crd_i_row_selection {
    const crd_evaluation *evaluation;
    const size_t *rows; /* row numbers; NULL: the first `count` rows */
    size_t count;
} crd_i_row_selection;

/* Returns the number of the i-th selected row. */
static inline size_t crd_i_selected(const crd_i_row_selection *selection, size_t i) {
    return selection->rows == NULL ? i : selection->rows[i];
}

/* A row in the order of its probability of one class. */
typedef struct crd_i_ranked {
    uint64_t key; /* bits of the probability; they sort like the probability, which is not negative */
    uint64_t row; /* twice the row number, plus 1 if the row belongs to the class */
} crd_i_ranked;

/* Sorts the selected rows by their probability of a class, lowest first. The caller frees the result with crd_free.
 * Returns NULL if memory runs out. The evaluation must not be unranked. */
crd_i_ranked *crd_i_evaluation_rank(const crd_i_row_selection *selection, size_t class_index);
/* Computes the area under the ROC curve of a class against all others. It is NaN if all or none of the rows belong
 * to the class, or if the evaluation is unranked. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_evaluation_auc(const crd_i_row_selection *selection, size_t class_index, double *auc);

/* ======== Byte format ========
 *
 * A process evaluates a part of the rows and encodes the result; another process decodes and merges it.
 *
 * Format: tag (4 bytes), u32 version, content, u32 CRC-32C of everything before it. Integers are little-endian. A
 * double is stored as its 64 bits. */

/* Begins encoding: writes the tag and the version. */
void crd_i_evaluation_bytes_begin(crd_i_encoder *encoder, crd_context *context, const char tag[4]);
/* Appends the checksum and returns the bytes, which the caller frees with crd_free. The encoder is empty afterwards,
 * also on failure. */
CRD_MUST_USE crd_status crd_i_evaluation_bytes_end(crd_i_encoder *encoder, unsigned char **bytes, size_t *length,
                                                   crd_error *error);
/* Checks tag, version and checksum, and sets *out to the content. Returns CRD_ERROR_DAMAGED or CRD_ERROR_TOO_NEW. */
CRD_MUST_USE crd_status crd_i_evaluation_bytes_open(const unsigned char *bytes, size_t length, const char tag[4],
                                                    crd_i_cursor *out, crd_error *error);
/* Finishes decoding: returns `status` if it is an error, else CRD_ERROR_DAMAGED if the content was too short or too
 * long. */
CRD_MUST_USE crd_status crd_i_evaluation_bytes_close(const crd_i_cursor *cursor, crd_status status, crd_error *error);
/* Returns CRD_ERROR_DAMAGED with its message. */
crd_status crd_i_evaluation_bytes_damaged(crd_error *error);

void crd_i_encode_double(crd_i_encoder *encoder, double value);
double crd_i_decode_double(crd_i_cursor *cursor);
/* Decodes a byte that must be 0 or 1. The cursor fails for any other byte. */
bool crd_i_decode_flag(crd_i_cursor *cursor);
/* Encodes and decodes a dictionary: its texts in the order of their codes. Decoding returns CRD_ERROR_DAMAGED if a
 * text occurs twice. */
void crd_i_encode_names(crd_i_encoder *encoder, const crd_i_dictionary *names);
CRD_MUST_USE crd_status crd_i_decode_names(crd_context *context, crd_i_cursor *cursor, crd_i_dictionary **out,
                                           crd_error *error);

/* Writes and reads an evaluation as a part of other content. */
void crd_i_evaluation_write(const crd_evaluation *evaluation, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_evaluation_read(crd_context *context, crd_i_cursor *cursor, crd_evaluation **out,
                                              crd_error *error);
/* Adds the types of `other`, without its spans. Merging `other` then needs no memory for types. */
CRD_MUST_USE crd_status crd_i_spans_add_types(crd_spans *spans, const crd_spans *other, crd_error *error);
/* Writes spans. All their sequences must have ended. */
void crd_i_spans_write(const crd_spans *spans, crd_i_encoder *encoder);
/* Reads spans. Sets *scheme to the scheme that they were created with. */
CRD_MUST_USE crd_status crd_i_spans_read(crd_context *context, crd_i_cursor *cursor, crd_spans **out,
                                         crd_span_scheme *scheme, crd_error *error);

/* ======== Score sums ========
 *
 * Scores are computed from sums over rows. The sums are exact, so the order of rows does not matter. */

/* Indices of the exact sums: seven sums, then three for each calibration bin. Every sum is weighted by the rows'
 * weights, except the sums of weights. */
enum {
    CRD_I_SUM_CREDIT,
    CRD_I_SUM_LOSS,
    CRD_I_SUM_BRIER,
    CRD_I_SUM_LOSS_SQUARES,
    CRD_I_SUM_BRIER_SQUARES,
    CRD_I_SUM_WEIGHT,  /* weight of all rows */
    CRD_I_SUM_DECIDED, /* weight of the rows with a decision */
    CRD_I_SUM_BIN_PROBABILITY,
    CRD_I_SUM_BIN_CREDIT = CRD_I_SUM_BIN_PROBABILITY + CRD_CALIBRATION_BINS,
    CRD_I_SUM_BIN_WEIGHT = CRD_I_SUM_BIN_CREDIT + CRD_CALIBRATION_BINS,
    CRD_I_SUM_COUNT = CRD_I_SUM_BIN_WEIGHT + CRD_CALIBRATION_BINS
};

typedef struct crd_i_score_sums {
    crd_context *context;
    crd_i_sums sums;
    uint64_t *zero_rows; /* rows with log loss INFINITY, for each class that can be predicted */
    uint64_t undecided;
    uint64_t bins[CRD_CALIBRATION_BINS];
} crd_i_score_sums;

/* Computes the sums of the selected rows. Returns false if memory runs out. Call crd_i_score_sums_clear in either
 * case. */
CRD_MUST_USE bool crd_i_score_sums_add(crd_i_score_sums *score_sums, const crd_i_row_selection *selection);
void crd_i_score_sums_clear(crd_i_score_sums *score_sums);
/* Returns the quotient of two sums; NaN for 0 / 0. */
double crd_i_score_sums_mean(const crd_i_score_sums *score_sums, size_t sum, size_t weight);

/* ======== Folds of several processes ========
 *
 * Each process of a cross-validation of sequences tests some folds. */

/* Folds to test, each with a model of the sequences of all other folds. */
typedef struct crd_i_fold_tests {
    void *user;
    uint32_t first, end;
    /* Tests a fold and adds its sequences to the common evaluation. Called by all processes together. */
    crd_status (*test)(void *user, uint32_t fold, crd_error *error);
    /* Tests a fold in this process and encodes its evaluation. The caller frees the bytes. */
    crd_status (*test_apart)(void *user, uint32_t fold, unsigned char **bytes, size_t *length, crd_error *error);
    /* Adds encoded bytes to the common evaluation. */
    crd_status (*merge)(void *user, const unsigned char *bytes, size_t length, crd_error *error);
} crd_i_fold_tests;

/* Tests all folds. group: its processes have all sequences, and the folds are divided among them; NULL: there is none.
 * Afterwards every process has the common evaluation, with the folds in ascending order. */
CRD_MUST_USE crd_status crd_i_test_folds(crd_context *context, crd_i_group *group, const crd_i_fold_tests *tests,
                                         crd_error *error);

/* Adds one row with the probabilities that a classifier returns in addition to its log posteriors. The last bits of
 * these probabilities can differ from crd_exp of the logarithms. With this call, scores are computed from exactly the
 * numbers that the classifier returns. Other parameters are the same as for crd_evaluation_add. */
CRD_MUST_USE crd_status crd_i_evaluation_add_probabilities(crd_evaluation *evaluation, const double *log_posterior,
                                                           const double *probabilities, crd_text truth, double weight,
                                                           crd_row_score *credit, crd_error *error);

/* Adds one row whose decision is not necessarily the class with the maximum posterior. For example, it may come from
 * the most probable path of a whole sequence. `decision` is the predicted class; -1: none. Other parameters are the
 * same as for crd_i_evaluation_add_probabilities. */
CRD_MUST_USE crd_status crd_i_evaluation_add_decided(crd_evaluation *evaluation, const double *log_posterior,
                                                     const double *probabilities, int32_t decision, crd_text truth,
                                                     double weight, crd_row_score *credit, crd_error *error);

/* Sets the fold of all rows that are added from now on, for crd_fold_scores. CRD_NO_FOLD, the initial value, means
 * none. */
void crd_i_evaluation_set_fold(crd_evaluation *evaluation, uint32_t fold);

/* Adds the rows of `other`, as if they had been added one by one. */
CRD_MUST_USE crd_status crd_i_labeling_merge(crd_labeling *labeling, const crd_labeling *other, crd_error *error);

/* Serializes a comparison of labelings, for example for another process to merge. The caller frees *bytes with
 * crd_free. Only the library version that wrote the bytes can read them, on any machine. */
CRD_MUST_USE crd_status crd_i_labeling_encode(const crd_labeling *labeling, unsigned char **bytes, size_t *length,
                                              crd_error *error);

/* Reads bytes that crd_i_labeling_encode wrote. The caller destroys *out. CRD_ERROR_DAMAGED: the bytes are not valid.
 * CRD_ERROR_TOO_NEW: a newer version wrote them. */
CRD_MUST_USE crd_status crd_i_labeling_decode(crd_context *context, const unsigned char *bytes, size_t length,
                                              crd_labeling **out, crd_error *error);

/* Creates counts of spans. The caller destroys *out. */
CRD_MUST_USE crd_status crd_i_spans_create(crd_context *context, crd_span_scheme scheme, crd_spans **out,
                                           crd_error *error);

/* Frees counts of spans. NULL is allowed. */
void crd_i_spans_destroy(crd_spans *spans);

/* Adds the next item with its true label and its predicted label. The bytes of a missing label are NULL. An item
 * without a true label is not counted, and spans do not cross it. */
CRD_MUST_USE crd_status crd_i_spans_add(crd_spans *spans, crd_text truth, crd_text predicted, crd_error *error);

/* Ends the current sequence. */
void crd_i_spans_end_sequence(crd_spans *spans);

/* Appends the spans of `other`, which has the same scheme and whose sequences have all ended. If memory runs out, types
 * without spans may be listed. */
CRD_MUST_USE crd_status crd_i_spans_merge(crd_spans *spans, const crd_spans *other, crd_error *error);

#endif
