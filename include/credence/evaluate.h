/* SPDX-License-Identifier: MIT */
/* credence/evaluate.h - evaluation: scores of predictions, and ways to predict rows that the model was not trained on.
 *
 *   a test file        classifier  --log posteriors, truth-->  evaluation  -->  scores
 *   cross-validation   each row is predicted by the model of all rows outside its fold
 *   leave one out      each row is predicted by the model of all other rows
 *
 * A model consists of sufficient statistics, so a fold or a row is removed from the whole by subtraction. Nothing is
 * trained again, and predictions are bit-identical to those of a model trained on the remaining rows. There is one
 * exception: if leaving out a row removes the only row of its class, classes may come in another order. Then
 * leave-one-out results can differ by the rounding of sums. */
#ifndef CREDENCE_EVALUATE_H
#define CREDENCE_EVALUATE_H

#include <credence/classifier.h>
#include <credence/latent.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Evaluation: compares log posteriors of any model with the true classes ---- */

/* The fold number of a row that is not in any fold. Cross-validation neither learns nor predicts it. */
#define CRD_NO_FOLD UINT32_MAX

/* Creates an evaluation without rows. `classes` are the classes that can be predicted, in the order of log posteriors:
 * at least one, all different. The caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_evaluation_create(crd_context *context, const crd_text *classes, size_t class_count,
                                                      crd_evaluation **out, crd_error *error);
/* Frees an evaluation. NULL is allowed. */
CRD_API void crd_evaluation_destroy(crd_evaluation *evaluation);

/* The scores of one row. */
typedef struct crd_row_score {
    size_t size;
    int32_t decision; /* as in crd_answer: the first of the classes tied for the maximum; -1: all have probability 0 */
    uint32_t tied;    /* the number of tied classes */
    double probability;       /* of the decision; NaN if there is none */
    double credit;            /* 1 / tied if the true class is one of the tied classes, else 0 */
    double truth_probability; /* P(true class); 0 if the model cannot predict that class */
    double loss;              /* -log P(true class); INFINITY if it has probability 0 */
} crd_row_score;

#define CRD_ROW_SCORE_INIT                                                                                             \
    { sizeof(crd_row_score), -1, 0, 0, 0, 0, 0 }

/* Adds one row. `log_posterior` contains the natural logarithm of each class's probability, -INFINITY for 0; if all are
 * -INFINITY, the row has no prediction. `truth` may be a class that cannot be predicted; then the row is wrong and its
 * true class has probability 0. NaN, and numbers above 0 beyond rounding, are rejected. Scores are the same as if the
 * row had been added `weight` times, which is from 0 to 2^63 (else CRD_ERROR_WEIGHT) and need not be an integer. A row
 * of weight 0 is scored, but does not change any total. `credit`, which may be NULL, receives the scores of the row.
 * Memory grows by 48 bytes per row, and by 8 bytes per row and class because areas under curves need every
 * probability. */
CRD_API CRD_MUST_USE crd_status crd_evaluation_add(crd_evaluation *evaluation, const double *log_posterior,
                                                   crd_text truth, double weight, crd_row_score *credit,
                                                   crd_error *error);

/* Appends the rows of `other`, as if they had been added one by one. Merged parts have scores that are bit-identical to
 * the scores of all rows. Classes are matched by name. CRD_ERROR_ARGUMENT: `other` has a class that `evaluation` cannot
 * predict. */
CRD_API CRD_MUST_USE crd_status crd_evaluation_merge(crd_evaluation *evaluation, const crd_evaluation *other,
                                                     crd_error *error);
/* Serializes an evaluation, for example for another process to merge. The caller frees *bytes with crd_free. Only the
 * library version that wrote the bytes can read them, on any machine. */
CRD_API CRD_MUST_USE crd_status crd_evaluation_encode(const crd_evaluation *evaluation, unsigned char **bytes,
                                                      size_t *length, crd_error *error);
/* Reads an evaluation that crd_evaluation_encode wrote. The caller destroys *out. CRD_ERROR_DAMAGED: the bytes are not
 * valid. CRD_ERROR_TOO_NEW: a newer version wrote them. */
CRD_API CRD_MUST_USE crd_status crd_evaluation_decode(crd_context *context, const unsigned char *bytes, size_t length,
                                                      crd_evaluation **out, crd_error *error);

/* Computes the top-k accuracy, k > 0: the share of rows whose true class is among the k most probable classes. Classes
 * that tie at rank k share the remaining ranks, so k = 1 gives the accuracy. A class with probability 0 has no rank.
 * The result is NaN without rows. */
CRD_API CRD_MUST_USE crd_status crd_evaluation_top_accuracy(const crd_evaluation *evaluation, size_t k, double *out,
                                                            crd_error *error);

/* ---- Scores: a summary of an evaluation ----
 *
 * Scores are immutable. They depend on the multiset of rows, but not on their order. */

/* Scores that summarize all rows. For log loss, Brier score and ECE, smaller is better; for the others, larger is
 * better. */
typedef enum crd_measure {
    CRD_MEASURE_ACCURACY = 0,
    CRD_MEASURE_LOG_LOSS = 1,
    CRD_MEASURE_BRIER = 2,
    CRD_MEASURE_AUC = 3,
    CRD_MEASURE_ECE = 4,
    CRD_MEASURE_BALANCED_ACCURACY = 5,
    CRD_MEASURE_MACRO_F1 = 6,
    CRD_MEASURE_WEIGHTED_F1 = 7,
    CRD_MEASURE_MCC = 8,
    CRD_MEASURE_KAPPA = 9
} crd_measure;
#define CRD_MEASURE_COUNT 10

/* Returns the name of the measure's member of crd_totals: "log_loss". */
CRD_API const char *crd_measure_name(crd_measure measure);
/* Returns the value of a measure. */
CRD_API double crd_totals_measure(const crd_totals *totals, crd_measure measure);

/* Computes the 95 % confidence interval of a probability from its relative frequency in n rows (Wilson 1927). Use it
 * for accuracy, over all rows or in a calibration bin. The bounds are NaN without rows.
 *
 * With p the frequency and z = 1.96: (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n). */
CRD_API void crd_frequency_interval(double frequency, double n, double *low, double *high);
/* Computes the 95 % confidence interval of a measure, for rows that are independent draws. Accuracy uses Wilson's
 * interval, log loss and Brier score use the standard error of their mean, and the AUC of two classes uses Hanley and
 * McNeil (1982). Returns 0 if the measure has no interval. */
CRD_API int crd_scores_interval(const crd_scores *scores, crd_measure measure, double *low, double *high);

/* Sets *out to one sentence, without a full stop, if rows have labels that cannot be predicted. It names these labels,
 * and classes that differ from them only in spelling (crd_summary_similar_class). Otherwise sets *out to NULL. The
 * caller frees *out with crd_free. Experimental. */
CRD_API CRD_MUST_USE crd_status crd_scores_label_warning(crd_context *context, const crd_scores *scores, char **out,
                                                         crd_error *error);

/* The scores of one class. */
typedef struct crd_class_scores {
    crd_text name;
    int can_be_predicted;
    uint64_t support;   /* rows whose true class it is */
    uint64_t predicted; /* rows for which it was predicted */
    uint64_t correct;   /* rows for which it is the true and the predicted class */
    uint64_t zero_rows; /* rows of the class for which it had probability 0 */
    double precision;   /* correct / predicted */
    double recall;      /* correct / support */
    double f1;          /* 2 correct / (predicted + support) */
    /* The probability that a row of the class gets a larger probability for it than another row, ties counting half. NaN
     * if there are no such pairs, or if the class had probability 0 in every row of its own. */
    double auc;
    double support_weight; /* the weight of the rows of the class; the scores above are computed from weights */
    double predicted_weight, correct_weight;
} crd_class_scores;

/* The number of calibration bins. Bins have equal width and contain rows by the probability of their predicted class.
 * Bin i contains probabilities p with i / 10 <= p < (i + 1) / 10; the last bin also contains 1. */
enum { CRD_CALIBRATION_BINS = 10 };
/* One bin of a calibration curve (reliability diagram). */
typedef struct crd_calibration_bin {
    uint64_t rows;
    double probability; /* the mean probability of the predicted class; NaN without rows */
    double accuracy;    /* the mean credit: accuracy, with credit shared by ties */
    double weight;      /* of the rows */
} crd_calibration_bin;

/* The scores of an evaluation. Read-only. */
struct crd_scores {
    crd_context *context;
    crd_totals totals;
    /* Those that can be predicted, then those that occur only as true classes. Each group is sorted numerically if all
     * names are numbers, else by code point. */
    size_t class_count;
    crd_class_scores *classes;
    crd_calibration_bin bins[CRD_CALIBRATION_BINS]; /* rows without a prediction are not in any bin */
    struct crd_scores_data *data;                   /* for the library */
};

/* Returns the weight of the rows with true class `truth` and predicted class `predicted`. Without weights it is the
 * number of rows. */
CRD_API double crd_scores_confusion_weight(const crd_scores *scores, size_t truth, size_t predicted);

/* A pair of different classes, true and predicted, that occurs in rows. */
typedef struct crd_confusion {
    size_t truth, named;
    double weight; /* of the rows with this pair */
} crd_confusion;
/* Writes at most `capacity` confused pairs of classes to `out`, most frequent first; equally frequent pairs are in the
 * order of classes. Returns the total number of pairs. */
CRD_API size_t crd_scores_confusions(const crd_scores *scores, crd_confusion *out, size_t capacity);

/* ---- Threshold curve: one class against the rest, predicted if its probability reaches a threshold ---- */

/* The ROC and precision-recall curve of a class. Read-only. */
typedef struct crd_curve {
    crd_context *context;
    struct crd_curve_places *places; /* for the library */
    size_t count;                    /* number of points */
    double auc;                      /* area under the ROC curve */
    /* Average precision: the mean of precision over the steps of recall, without interpolation. */
    double average_precision;
} crd_curve;

/* Computes the curve of one of the classes that can be predicted. The caller destroys *out. CRD_ERROR_EMPTY: all rows,
 * or none, belong to the class. */
CRD_API CRD_MUST_USE crd_status crd_curve_create(const crd_evaluation *evaluation, size_t class_index, crd_curve **out,
                                                 crd_error *error);
/* Frees a curve. NULL is allowed. */
CRD_API void crd_curve_destroy(crd_curve *curve);

/* A point of the curve. There is one point per distinct probability, from the largest down; rows with equal
 * probabilities share a point. The first point is above all probabilities, so no row is predicted as the class. At the
 * last point, every row is. Counts are sums of weights if rows have weights. */
typedef struct crd_curve_point {
    size_t size;
    double threshold; /* the class is predicted if its probability is at least this; INFINITY: never */
    double true_positives, false_positives, false_negatives, true_negatives;
    double precision;           /* TP / (TP + FP); NaN if the class is never predicted */
    double recall;              /* TP / (TP + FN): sensitivity, the true positive rate */
    double false_positive_rate; /* FP / (FP + TN): 1 - specificity */
    double f1;                  /* 2 TP / (2 TP + FP + FN) */
} crd_curve_point;

#define CRD_CURVE_POINT_INIT                                                                                           \
    { sizeof(crd_curve_point), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Writes a point of the curve to *out. */
CRD_API void crd_curve_point_at(const crd_curve *curve, size_t index, crd_curve_point *out);

/* The cost of each of the four outcomes. */
typedef struct crd_curve_costs {
    size_t size;
    double true_positive, false_positive, false_negative, true_negative;
} crd_curve_costs;

#define CRD_CURVE_COSTS_INIT                                                                                           \
    { sizeof(crd_curve_costs), 0, 1, 1, 0 }

/* Returns the mean cost over all rows at a point of the curve. */
CRD_API double crd_curve_cost(const crd_curve *curve, size_t index, const crd_curve_costs *costs);

/* Criteria for choosing a threshold. */
typedef enum crd_curve_goal {
    CRD_CURVE_F1 = 0,       /* the maximum F1 */
    CRD_CURVE_COST = 1,     /* the minimum mean cost */
    CRD_CURVE_RECALL = 2,   /* the maximum precision with at least the required recall */
    CRD_CURVE_PRECISION = 3 /* the maximum recall with at least the required precision */
} crd_curve_goal;

/* Sets *index to the best point by a criterion; if several are equally good, to the point with the largest threshold.
 * `minimum` is the recall or precision that the criterion requires. `costs` is for CRD_CURVE_COST, else NULL. Returns
 * 1, or 0 if no point meets the requirement. A threshold performs better on the rows it was chosen on than on new
 * rows. */
CRD_API int crd_curve_best(const crd_curve *curve, crd_curve_goal goal, double minimum, const crd_curve_costs *costs,
                           size_t *index);
/* Selects at most `limit` points at equal steps along the ROC curve, for example for plotting. If limit > 1, the first
 * and the last point are included. If the curve has no more than `limit` points, all are selected. Writes their indices
 * to `indices`, which must have space for `limit` numbers. Returns the number of selected points. */
CRD_API size_t crd_curve_thin(const crd_curve *curve, size_t limit, size_t *indices);

/* ---- Fold scores: the scores of each fold's rows, and their spread ---- */

/* The spread of a measure over folds. */
typedef struct crd_spread {
    uint64_t folds;   /* in which the measure has a value */
    double mean;      /* over these folds, each with equal weight; NaN if there are none */
    double deviation; /* their standard deviation, with n - 1; NaN for fewer than two folds */
} crd_spread;

/* The scores of each fold that has rows, in ascending order of folds. Read-only. */
typedef struct crd_fold_scores {
    crd_context *context;
    size_t count;
    uint32_t *folds; /* fold numbers */
    crd_totals *totals;
    crd_spread spreads[CRD_MEASURE_COUNT]; /* of each measure */
} crd_fold_scores;

/* Computes the scores of each fold of a cross-validation; there may be none. The caller
 * destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_fold_scores_create(const crd_evaluation *evaluation, crd_fold_scores **out,
                                                       crd_error *error);
/* Frees fold scores. NULL is allowed. */
CRD_API void crd_fold_scores_destroy(crd_fold_scores *scores);

/* ---- Clustering scores: a clustering compared with known labels of the same rows ----
 *
 * Classes without names, such as the result of a clustering, are compared with known labels by counting which rows are
 * together in both. Scores do not depend on the class names or on the number of classes. */

/* The joint counts of assigned classes and known labels. */
typedef struct crd_labeling crd_labeling;

/* Creates a comparison without rows. The caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_labeling_create(crd_context *context, crd_labeling **out, crd_error *error);
/* Frees a comparison of labelings. NULL is allowed. */
CRD_API void crd_labeling_destroy(crd_labeling *labeling);
/* Adds a row: the class it was assigned to, its known label, and its weight >= 0. */
CRD_API CRD_MUST_USE crd_status crd_labeling_add(crd_labeling *labeling, crd_text assigned, crd_text known,
                                                 double weight, crd_error *error);

/* Scores of the agreement of two labelings. With I the mutual information and H an entropy: the normalized mutual
 * information is 2 I / (H(classes) + H(labels)), homogeneity is I / H(labels), and completeness is I / H(classes). */
typedef struct crd_labeling_scores {
    size_t size;
    double rows; /* the sum of weights */
    /* Adjusted Rand index (Hubert and Arabie 1985): 1 if the labelings are equal up to names, about 0 if they are
     * independent. Weights count as copies of rows. */
    double adjusted_rand;
    double mutual_information;            /* in nats */
    double normalized_mutual_information; /* divided by the mean of the two entropies; 1 if both are 0 */
    double homogeneity;  /* divided by the entropy of the known labels; 1 if each class contains one label */
    double completeness; /* divided by the entropy of the classes; 1 if each label is in one class */
} crd_labeling_scores;

#define CRD_LABELING_SCORES_INIT                                                                                       \
    { sizeof(crd_labeling_scores), 0, 0, 0, 0, 0, 0 }

/* Computes the scores of a comparison. CRD_ERROR_EMPTY: no row has a weight above 0. */
CRD_API CRD_MUST_USE crd_status crd_labeling_score(const crd_labeling *labeling, crd_labeling_scores *out,
                                                   crd_error *error);
/* Returns the number of distinct assigned classes. */
CRD_API size_t crd_labeling_assigned_count(const crd_labeling *labeling);
/* Returns the number of distinct known labels. */
CRD_API size_t crd_labeling_known_count(const crd_labeling *labeling);
/* Returns the name of an assigned class, in the order of first occurrence. The text lives until you add rows. */
CRD_API crd_text crd_labeling_assigned(const crd_labeling *labeling, size_t index);
/* Returns a known label, in the order of first occurrence. The text lives until you add rows. */
CRD_API crd_text crd_labeling_known(const crd_labeling *labeling, size_t index);
/* Returns the weight of the rows with an assigned class and a known label. */
CRD_API double crd_labeling_rows(const crd_labeling *labeling, size_t assigned, size_t known);

/* ---- Spans: consecutive items of a sequence that form a unit ----
 *
 * A predicted span is correct if the true labels have a span of the same type with the same first and last item. */

/* Counts of true, predicted and correct spans. */
typedef struct crd_spans crd_spans;

/* How labels encode spans. */
typedef enum crd_span_scheme {
    CRD_SPANS_AUTO = 0, /* TAGS if all labels are tags, else RUNS */
    CRD_SPANS_RUNS = 1, /* maximal runs of equal labels */
    /* Tags such as B-TYPE, I-TYPE and O: IOB, BIOES and BILOU, read as the CoNLL evaluation reads them. */
    CRD_SPANS_TAGS = 2
} crd_span_scheme;

/* Returns the scheme of the labels added so far. */
CRD_API crd_span_scheme crd_spans_scheme(const crd_spans *spans);

/* Span scores of all sequences that have ended. Undefined ratios are NaN. */
typedef struct crd_span_scores {
    size_t size;
    crd_text type;                   /* lives until you add items; empty for all types */
    uint64_t truths, named, correct; /* numbers of true, predicted and correctly predicted spans */
    double precision;                /* correct / named */
    double recall;                   /* correct / truths */
    double f1;                       /* their harmonic mean */
} crd_span_scores;

#define CRD_SPAN_SCORES_INIT                                                                                           \
    { sizeof(crd_span_scores), {0, 0}, 0, 0, 0, 0, 0, 0 }

/* Writes the scores over all types to *out. */
CRD_API void crd_spans_totals(const crd_spans *spans, crd_span_scores *out);
/* Returns the number of span types. */
CRD_API size_t crd_spans_type_count(const crd_spans *spans);
/* Writes the scores of a span type to *out. Types are in the order of first occurrence. */
CRD_API void crd_spans_type(const crd_spans *spans, size_t type, crd_span_scores *out);

/* ---- Row source: rows that are read in several passes ---- */

/* Creates a row source from a reader that need not have a target. Use it for calls that treat all columns equally:
 * crd_structure_learn, and crd_row_source_train under settings that need no target (crd_model_train). The reader must
 * outlive the source. The caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_row_source_create_unlabeled(crd_reader *reader, crd_row_source **out,
                                                                crd_error *error);

/* Begins another pass. The previous pass must have reached its end. */
CRD_API CRD_MUST_USE crd_status crd_row_source_rewind(crd_row_source *source, crd_error *error);
/* Limits frames to `limit` rows from the next pass on; 0: no limit. See crd_posteriors_frame_rows. */
CRD_API void crd_row_source_set_frame_rows(crd_row_source *source, size_t limit);

/* Returns the name of the target column. The text lives as long as the source. */
CRD_API crd_text crd_row_source_target(const crd_row_source *source);
/* Returns the name of the weight column; its bytes are NULL if there is none. The text lives as long as the source. */
CRD_API crd_text crd_row_source_weight(const crd_row_source *source);
/* Trains a model on all rows, as crd_model_train does with the reader. `tallies` names additional sufficient statistics
 * to collect, as for crd_model_train_keeping; bytes NULL: none. The call is one pass: either no pass has begun or the
 * previous one has ended. `facts` may be NULL. The caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_row_source_train(crd_row_source *source, const crd_settings *settings,
                                                     crd_text tallies, crd_model **out, crd_read_facts *facts,
                                                     crd_error *error);

/* ---- Split: the fold of each row of a source ---- */

/* The fold of each row of a source. */
typedef struct crd_split crd_split;

/* Returns the number of rows. */
CRD_API size_t crd_split_rows(const crd_split *split);
/* Returns the fold of each row, in order. The array lives until you add rows. */
CRD_API const uint32_t *crd_split_learned(const crd_split *split);
/* Returns the number of folds. */
CRD_API size_t crd_split_fold_count(const crd_split *split);
/* Returns the name of a fold in the fold column. Its bytes are NULL if no column names the folds. */
CRD_API crd_text crd_split_fold_name(const crd_split *split, uint32_t fold);
/* Sets *empty to the number of folds without rows. */
CRD_API CRD_MUST_USE crd_status crd_split_count_empty(const crd_split *split, size_t *empty, crd_error *error);

/* ---- Permutation importance of columns (Breiman 2001) ----
 *
 * The values of a column are permuted among rows that the model was not trained on. The column keeps its distribution
 * but loses its relation to the rows. The importance is the mean increase of log loss and the mean decrease of
 * accuracy. If columns can replace each other, each has little importance because the other remains. */

/* The permutation importance of columns. */
typedef struct crd_importance crd_importance;

/* Options of permutation importance. */
typedef struct crd_importance_options {
    size_t size;
    uint32_t repeats; /* permutations of each column, from 1 to 1000 */
    unsigned threads; /* 0: one for each CPU core. Results do not depend on it */
    uint64_t seed;
    /* The maximum number of rows; if there are more, a random sample is used. 0: up to 20,000, and fewer for wide tables:
     * rows times columns squared times classes times repeats is at most 1e9, but at least 200 rows are used. */
    size_t most_rows;
} crd_importance_options;

#define CRD_IMPORTANCE_OPTIONS_INIT                                                                                    \
    { sizeof(crd_importance_options), 5, 0, 1, 0 }

/* Permutes each column and predicts the rows. If several processes share an assessment, all must make this call. Each
 * process predicts the rows that it has scored, and all of them get the results. CRD_ERROR_EMPTY: there are fewer than
 * two rows. */
CRD_API CRD_MUST_USE crd_status crd_importance_run(crd_importance *importance, crd_error *error);
/* Computes results after a run that was cancelled, for the columns that were finished. */
CRD_API CRD_MUST_USE crd_status crd_importance_conclude(crd_importance *importance, crd_error *error);

/* Returns the number of sampled rows. */
CRD_API uint64_t crd_importance_rows(const crd_importance *importance);
/* Returns the number of rows that were added, of which the sampled rows are a subset. */
CRD_API uint64_t crd_importance_rows_added(const crd_importance *importance);
/* Returns the number of sampled rows whose true class had probability 0 before any permutation. They are excluded from
 * log losses. */
CRD_API uint64_t crd_importance_zero_rows(const crd_importance *importance);

/* The importance of a column. Values are weighted means over rows. Each row has its mean over the repeats, and the
 * standard error is the standard deviation over rows divided by the square root of their number. */
typedef struct crd_column_importance {
    size_t size;
    crd_text column;       /* lives as long as the importance */
    double log_loss;       /* the increase; INFINITY if a permuted value gives a true class probability 0 */
    double log_loss_error; /* its standard error; NaN if the increase is infinite */
    double accuracy;       /* the decrease */
    double accuracy_error; /* its standard error */
} crd_column_importance;

#define CRD_COLUMN_IMPORTANCE_INIT                                                                                     \
    { sizeof(crd_column_importance), {0, 0}, 0, 0, 0, 0 }

/* Returns the number of columns to permute. */
CRD_API size_t crd_importance_columns(const crd_importance *importance);
/* Returns the number of finished columns, after the run. */
CRD_API size_t crd_importance_count(const crd_importance *importance);
/* Writes the importance of a finished column to *out. Columns are sorted by their increase of log loss, largest
 * first. */
CRD_API void crd_importance_at(const crd_importance *importance, size_t index, crd_column_importance *out);

/* ---- Comparison of model statistics ---- */

/* Sets *same to whether both models contain equal sufficient statistics: the same classes, values, and sums in every
 * column. If columns differ in name or type, the statistics differ. */
CRD_API CRD_MUST_USE crd_status crd_model_same_tally(const crd_model *model, const crd_model *other, int *same,
                                                     crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
