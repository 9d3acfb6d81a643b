/* SPDX-License-Identifier: MIT */
/* credence/evaluate.h - how good answers are: scores of predictions, and ways to get predictions for rows that the
 * model has not learned.
 *
 *   a test file        classifier  --log posteriors, truth-->  evaluation  -->  scores
 *   cross-validation   each row is answered by the model of all rows but those of its fold
 *   leave one out      each row is answered by the model of all rows but itself
 *
 * A model is its tally, so a fold or a row is taken out of the whole by subtracting: nothing is trained again, and the
 * answers are those that training on the other rows would give, to the bit. (Where a class goes with its only row, and
 * the others then come in another order, leaving one out differs by the rounding of sums in that order.) */
#ifndef CREDENCE_EVALUATE_H
#define CREDENCE_EVALUATE_H

#include <credence/classifier.h>
#include <credence/latent.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Evaluation: adds up how far log posteriors are from the truth, whatever model they come from ---- */

typedef struct crd_evaluation crd_evaluation;

/* The fold of a row that is in none: it is neither learned nor answered by cross-validation. */
#define CRD_NO_FOLD UINT32_MAX

/* The classes that can be predicted, in the order in which log posteriors list them: at least one, all different. */
CRD_API CRD_MUST_USE crd_status crd_evaluation_create(crd_context *context, const crd_text *classes, size_t class_count,
                                                      crd_evaluation **out, crd_error *error);
CRD_API void crd_evaluation_destroy(crd_evaluation *evaluation);

/* What one row adds. */
typedef struct crd_row_score {
    size_t size;
    int32_t decision;         /* as in crd_answer: the first of the classes tied with the greatest; -1: all at zero */
    uint32_t tied;            /* how many tie */
    double probability;       /* of the decision; NaN where there is none */
    double credit;            /* 1 / tied where the true class is among those tied, else 0 */
    double truth_probability; /* P(true class); 0 if the model cannot predict that class */
    double loss;              /* -log P(true class); INFINITY if it has probability 0 */
} crd_row_score;

#define CRD_ROW_SCORE_INIT                                                                                             \
    { sizeof(crd_row_score), -1, 0, 0, 0, 0, 0 }

/* One row. log_posterior has the natural logarithm of a probability for each class, -INFINITY for zero; all of them
 * -INFINITY means that there is no answer. The truth may be a class that cannot be predicted: then the row is wrong and
 * its true class at zero. NaN and numbers above zero (beyond rounding) are refused. credit may be NULL.
 * Memory grows by 8 bytes a row and class, since areas under curves need every probability, and by 48 a row. */
CRD_API CRD_MUST_USE crd_status crd_evaluation_add(crd_evaluation *evaluation, const double *log_posterior,
                                                   crd_text truth, crd_row_score *credit, crd_error *error);

/* The same for a row that stands for `weight` rows, from 0 to 2^63 (else CRD_ERROR_WEIGHT): scores are those of the row
 * added so many times, which need not be a whole number. One of weight 0 is judged, but adds nothing. */
CRD_API CRD_MUST_USE crd_status crd_evaluation_add_weighted(crd_evaluation *evaluation, const double *log_posterior,
                                                            crd_text truth, double weight, crd_row_score *credit,
                                                            crd_error *error);
/* The same for probabilities as a classifier gives them beside its log posteriors, which to the last bit are not
 * crd_exp of these: scores are then those of the very numbers that it returns. */
CRD_API CRD_MUST_USE crd_status crd_evaluation_add_probabilities(crd_evaluation *evaluation,
                                                                 const double *log_posterior,
                                                                 const double *probabilities, crd_text truth,
                                                                 double weight, crd_row_score *credit,
                                                                 crd_error *error);

/* The same where the decision is not the greatest posterior's, but one of a whole sequence, as of its most probable path:
 * the class that is named; -1: none. */
CRD_API CRD_MUST_USE crd_status crd_evaluation_add_decided(crd_evaluation *evaluation, const double *log_posterior,
                                                           const double *probabilities, int32_t decision,
                                                           crd_text truth, double weight, crd_row_score *credit,
                                                           crd_error *error);

/* The fold of the rows that are added from here on, for crd_fold_scores; CRD_NO_FOLD, as at first: none. */
CRD_API void crd_evaluation_set_fold(crd_evaluation *evaluation, uint32_t fold);

/* The rows of another evaluation behind one's own, as if they had been added one by one: scores of parts that are merged are those
 * of all rows, to the bit. Classes go by their names; those of the other are all among one's own, else CRD_ERROR_ARGUMENT. */
CRD_API CRD_MUST_USE crd_status crd_evaluation_merge(crd_evaluation *evaluation, const crd_evaluation *other,
                                                     crd_error *error);
/* An evaluation as bytes, for another process to merge; freed with crd_free. They are read by the version of the library that wrote
 * them, on any machine. Decoding: CRD_ERROR_DAMAGED or CRD_ERROR_TOO_NEW. */
CRD_API CRD_MUST_USE crd_status crd_evaluation_encode(const crd_evaluation *evaluation, unsigned char **bytes,
                                                      size_t *length, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_evaluation_decode(crd_context *context, const unsigned char *bytes, size_t length,
                                                      crd_evaluation **out, crd_error *error);

/* Top-k accuracy: the share of rows whose true class is among the k most probable, k > 0. Classes that tie at the k-th
 * place share what places are left, so that k = 1 is the accuracy; a class at zero is in no place. NaN without rows. */
CRD_API CRD_MUST_USE crd_status crd_evaluation_top_accuracy(const crd_evaluation *evaluation, size_t k, double *out,
                                                            crd_error *error);

/* ---- Scores: what an evaluation amounts to so far; immutable. A function of the multiset of rows, not their order
 * ---- */

typedef struct crd_scores crd_scores;

CRD_API CRD_MUST_USE crd_status crd_scores_create(const crd_evaluation *evaluation, crd_scores **out, crd_error *error);
CRD_API void crd_scores_destroy(crd_scores *scores);

/* What has no value (no rows; nothing to rank) is NaN. */
typedef struct crd_totals {
    size_t size;
    uint64_t rows;
    uint64_t undecided;   /* rows without an answer: every class at zero */
    uint64_t zero_rows;   /* rows whose true class was at zero */
    double accuracy;      /* the mean credit: accuracy with ties shared */
    double baseline;      /* the share of the most frequent true class: the accuracy of always naming it */
    double log_loss;      /* the mean of -log P(true class); INFINITY where zero_rows > 0 */
    double brier;         /* the mean of the sum over classes of (P(class) - [it is true])^2: 0 to 2 */
    double auc;           /* the mean of the classes' areas under the ROC curve, over those that have one */
    uint64_t auc_classes; /* how many have */
    double ece;    /* expected calibration error: over the bins, mean |accuracy - mean probability| weighed by rows */
    double weight; /* of all rows, by which each counts in the means; without weights, how many they are */
    /* Of decisions: the first of classes that tie is the one named, and a row without an answer is wrong. */
    double balanced_accuracy; /* the mean recall of the classes that have rows */
    double macro_f1;          /* the mean F1 of the classes that have rows or were named */
    double weighted_f1;       /* the same, each by its rows */
    double mcc;               /* Matthews's correlation of decisions and truths, of several classes as Gorodkin's R_K
                               * (2004): -1 to 1; 0 where all rows are of one class, or named alike */
    double kappa;             /* Cohen's: accuracy beyond that of chance; NaN where chance is always right */
    double baseline_log_loss; /* of the shares of the true classes: the entropy of the class prior */
    int is_unranked;          /* rows x classes are more than 2^25 with more than 256 classes: rows are not ranked by
                               * each class, and there are no areas (auc NaN) and no curves */
} crd_totals;

#define CRD_TOTALS_INIT                                                                                                \
    { sizeof(crd_totals), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

CRD_API void crd_scores_totals(const crd_scores *scores, crd_totals *out);

/* The scores that summarise all rows. Of log loss, Brier score and ECE less is better. */
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

/* The name of its field: "log_loss". */
CRD_API const char *crd_measure_name(crd_measure measure);
CRD_API double crd_totals_measure(const crd_totals *totals, crd_measure measure);

/* The interval of a relative frequency, of n rows, that has the frequency behind it with 95 % confidence (Wilson, 1927): for
 * accuracy, of all rows or of a bin of calibration. NaN without rows. */
CRD_API void crd_frequency_interval(double frequency, double n, double *low, double *high);
/* The 95 % interval of a measure, the rows being independent draws: of accuracy after Wilson, of log loss and Brier score by
 * the standard error of their mean, of the AUC of two classes after Hanley and McNeil (1982). 0: there is none. */
CRD_API int crd_scores_interval(const crd_scores *scores, crd_measure measure, double *low, double *high);

/* The classes that can be predicted, then those only rows had, each in order: by number when all are numbers, else by
 * code point. */
CRD_API size_t crd_scores_class_count(const crd_scores *scores);
CRD_API crd_text crd_scores_class_name(const crd_scores *scores, size_t class_index);

/* Experimental. Sets *out to one sentence, without a full stop, if rows have labels that cannot be predicted: it names these,
 * and the classes that differ from them only in spelling (crd_summary_similar_class). Else sets it to NULL. Freed with
 * crd_free. */
CRD_API CRD_MUST_USE crd_status crd_scores_label_warning(crd_context *context, const crd_scores *scores, char **out,
                                                         crd_error *error);

typedef struct crd_class_scores {
    size_t size;
    int can_be_predicted;
    uint64_t support;   /* rows of the class */
    uint64_t predicted; /* rows that it was named for */
    uint64_t correct;   /* both */
    uint64_t zero_rows; /* rows of the class in which it was at zero */
    double precision;   /* correct / predicted */
    double recall;      /* correct / support */
    double f1;          /* 2 correct / (predicted + support) */
    double auc; /* the chance that a row of the class gets a greater probability for it than another row, ties half; NaN
                 * where there are no such pairs, or the class was at zero in every row of its own */
    double support_weight; /* the weights of the rows of the class, and so on: what the scores above are made of */
    double predicted_weight, correct_weight;
} crd_class_scores;

#define CRD_CLASS_SCORES_INIT                                                                                          \
    { sizeof(crd_class_scores), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

CRD_API void crd_scores_class(const crd_scores *scores, size_t class_index, crd_class_scores *out);

/* Rows of class `truth` for which class `named` was named, the first where several tied. Rows without an answer are in
 * no column. */
CRD_API uint64_t crd_scores_confusion(const crd_scores *scores, size_t truth, size_t named);
/* Their weight: without weights, how many they are. */
CRD_API double crd_scores_confusion_weight(const crd_scores *scores, size_t truth, size_t named);

/* The pairs of different classes, true and named, that rows had, the most frequent first, of equals in the order of
 * classes: up to `most` of them. Returns how many there are in all. */
typedef struct crd_confusion {
    size_t truth, named;
    double weight; /* of the rows */
} crd_confusion;
CRD_API size_t crd_scores_confusions(const crd_scores *scores, crd_confusion *out, size_t most);

/* Calibration: rows with an answer, by the probability of the class named, in bins of equal width. Bin i holds
 * probabilities from i / 10 up to below (i + 1) / 10; the last one 1 as well. */
enum { CRD_CALIBRATION_BINS = 10 };
typedef struct crd_calibration_bin {
    uint64_t rows;
    double probability; /* the mean; NaN without rows */
    double accuracy;    /* the mean credit: accuracy with ties shared */
    double weight;      /* of the rows */
} crd_calibration_bin;
CRD_API crd_calibration_bin crd_scores_calibration(const crd_scores *scores, size_t bin);

/* ---- Threshold curve: a class against the rest, decided for where its probability reaches a threshold ---- */

typedef struct crd_curve crd_curve;

/* Of one of the classes that can be predicted. CRD_ERROR_EMPTY: all rows are of it, or none. */
CRD_API CRD_MUST_USE crd_status crd_curve_create(const crd_evaluation *evaluation, size_t class_index, crd_curve **out,
                                                 crd_error *error);
CRD_API void crd_curve_destroy(crd_curve *curve);

/* The area under the ROC curve; and average precision, the mean of precision over the steps of recall, which does not
 * interpolate. */
CRD_API double crd_curve_auc(const crd_curve *curve);
CRD_API double crd_curve_average_precision(const crd_curve *curve);

/* A point for each distinct probability, which rows that tie share, from the greatest down; the first is above all of
 * them, where nothing is decided for the class, the last has all rows. Counts are weights, where rows have them. */
typedef struct crd_curve_point {
    size_t size;
    double threshold; /* the class is decided for where its probability is at least this; INFINITY: nowhere */
    double true_positives, false_positives, false_negatives, true_negatives;
    double precision;           /* TP / (TP + FP); NaN where nothing is decided for the class */
    double recall;              /* TP / (TP + FN): sensitivity, the true positive rate */
    double false_positive_rate; /* FP / (FP + TN): 1 - specificity */
    double f1;                  /* 2 TP / (2 TP + FP + FN) */
} crd_curve_point;

#define CRD_CURVE_POINT_INIT                                                                                           \
    { sizeof(crd_curve_point), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

CRD_API size_t crd_curve_size(const crd_curve *curve);
CRD_API void crd_curve_point_at(const crd_curve *curve, size_t index, crd_curve_point *out);

/* What each outcome costs; the mean over all rows at a point. */
typedef struct crd_curve_costs {
    size_t size;
    double true_positive, false_positive, false_negative, true_negative;
} crd_curve_costs;

#define CRD_CURVE_COSTS_INIT                                                                                           \
    { sizeof(crd_curve_costs), 0, 1, 1, 0 }

CRD_API double crd_curve_cost(const crd_curve *curve, size_t index, const crd_curve_costs *costs);

typedef enum crd_curve_goal {
    CRD_CURVE_F1 = 0,       /* the greatest F1 */
    CRD_CURVE_COST = 1,     /* the least mean cost */
    CRD_CURVE_RECALL = 2,   /* the greatest precision where recall is at least `wanted` */
    CRD_CURVE_PRECISION = 3 /* the greatest recall where precision is at least `wanted` */
} crd_curve_goal;

/* The best point; of equals the one of the greatest threshold. 0 where no point has what is wanted, else 1. costs are
 * for CRD_CURVE_COST, else NULL. A threshold that was chosen on rows does better on these than on others. */
CRD_API int crd_curve_best(const crd_curve *curve, crd_curve_goal goal, double wanted, const crd_curve_costs *costs,
                           size_t *index);
/* At most `most` of the points, the first and the last among them where most > 1, at equal steps along the ROC curve;
 * all of them where they are no more. Returns how many; indices has room for so many. */
CRD_API size_t crd_curve_thin(const crd_curve *curve, size_t most, size_t *indices);

/* ---- Fold scores: the scores of each fold's rows, and how they spread ---- */

typedef struct crd_fold_scores crd_fold_scores;

/* Of the folds that rows were added in (crd_evaluation_set_fold); there may be none. */
CRD_API CRD_MUST_USE crd_status crd_fold_scores_create(const crd_evaluation *evaluation, crd_fold_scores **out,
                                                       crd_error *error);
CRD_API void crd_fold_scores_destroy(crd_fold_scores *scores);
/* Folds that have rows, in order: their number as it was set, and their totals. */
CRD_API size_t crd_fold_scores_count(const crd_fold_scores *scores);
CRD_API uint32_t crd_fold_scores_fold(const crd_fold_scores *scores, size_t index);
CRD_API void crd_fold_scores_totals(const crd_fold_scores *scores, size_t index, crd_totals *out);

typedef struct crd_spread {
    uint64_t folds;   /* in which the measure has a value */
    double mean;      /* over them, each counting once; NaN where there are none */
    double deviation; /* their standard deviation, with n - 1; NaN of fewer than two */
} crd_spread;
CRD_API crd_spread crd_fold_scores_spread(const crd_fold_scores *scores, crd_measure measure);

/* ---- Folds: which part of the rows each row is in, at random but balanced ---- */

typedef struct crd_folds crd_folds;

/* The rows of each class, in their order, are split into runs of `folds` rows (stratified), and each run assigns one
 * row to every fold: first to those that have the fewest rows of all classes so far, of equals in an order drawn by
 * (seed, class, number of the run). So the folds differ by at most one row in every class; in all by at most one,
 * too, where the rows of a class are together and the folds are at most 256, and seldom by more than two else. A
 * row's fold depends on nothing but the seed and the classes of the rows up to it. */
CRD_API CRD_MUST_USE crd_status crd_folds_create(crd_context *context, uint32_t folds, uint64_t seed, crd_folds **out,
                                                 crd_error *error);
CRD_API void crd_folds_destroy(crd_folds *folds);
/* The fold, from 0, of the next row, whose class this is. */
CRD_API CRD_MUST_USE crd_status crd_folds_next(crd_folds *folds, crd_text class_name, uint32_t *fold, crd_error *error);

/* ---- Cross-validation ---- */

typedef struct crd_cross_validation crd_cross_validation;

/* settings may be NULL (defaults). */
CRD_API CRD_MUST_USE crd_status crd_cross_validation_create(crd_context *context, crd_text target,
                                                            const crd_settings *settings, crd_cross_validation **out,
                                                            crd_error *error);
CRD_API void crd_cross_validation_destroy(crd_cross_validation *validation);

/* Before the first row: keeps these tallies too, named as for crd_model_keep, for settings that come later. */
CRD_API CRD_MUST_USE crd_status crd_cross_validation_keep(crd_cross_validation *validation, crd_text tallies,
                                                          crd_error *error);
/* Before the first row, of frames that no reader made: the column of weights. A reader's frames name theirs. */
CRD_API CRD_MUST_USE crd_status crd_cross_validation_set_weight(crd_cross_validation *validation, crd_text weight,
                                                                crd_error *error);
/* Answers by so many threads from now on, 0 being one for each processor; without this by one. No answer depends on
 * it. */
CRD_API void crd_cross_validation_threads(crd_cross_validation *validation, unsigned threads);

/* First pass: learns each row of the frame into the tally of its fold. Rows whose target is missing are left out.
 * After a failure only `forget` and destroying make sense. */
CRD_API CRD_MUST_USE crd_status crd_cross_validation_learn(crd_cross_validation *validation, const crd_frame *frame,
                                                           const uint32_t *folds, crd_error *error);
/* Begins again, as a reader does that gives CRD_RESTART. */
CRD_API void crd_cross_validation_forget(crd_cross_validation *validation);

/* Ends learning: a later call to learn fails. Classes of all rows, in order. */
CRD_API CRD_MUST_USE crd_status crd_cross_validation_finish(crd_cross_validation *validation, crd_error *error);
CRD_API size_t crd_cross_validation_fold_count(const crd_cross_validation *validation);
CRD_API size_t crd_cross_validation_class_count(const crd_cross_validation *validation);
CRD_API crd_text crd_cross_validation_class(const crd_cross_validation *validation, size_t class_index);
/* The model of all rows but those of a fold: the bytes that training on them would give, where cells are taken for
 * numbers or categories as all rows show them to be. The caller destroys it. */
CRD_API CRD_MUST_USE crd_status crd_cross_validation_model(const crd_cross_validation *validation, uint32_t fold,
                                                           crd_model **out, crd_error *error);

/* The model of a fold's rows alone, as long as they are not forgotten; NULL where it has none. */
CRD_API const crd_model *crd_cross_validation_part(const crd_cross_validation *validation, uint32_t fold);

/* Second pass: answers each row by the model without its fold. Posteriors list the classes of all rows; one that the
 * other folds do not have is at zero. Rows in no fold have no answer. */
CRD_API CRD_MUST_USE crd_status crd_cross_validation_classify(crd_cross_validation *validation, const crd_frame *frame,
                                                              const uint32_t *folds, crd_posteriors *posteriors,
                                                              crd_error *error);

/* Answers by other settings from now on, NULL being the defaults: what a new cross-validation with these gives, but
 * nothing is learned again. What they read must be kept, but for pairs: a stacked ensemble does without them. The
 * models without each fold are made once for all settings. */
CRD_API CRD_MUST_USE crd_status crd_cross_validation_use(crd_cross_validation *validation, const crd_settings *settings,
                                                         crd_error *error);
/* Before the first row: models of folds learn from rows without a label, too, as crd_unlabelled_train does, of which all are
 * in the training part of every fold; rows that are tested are in none, with or without their labels. options may be
 * NULL. */
CRD_API CRD_MUST_USE crd_status crd_cross_validation_use_unlabelled(crd_cross_validation *validation,
                                                                    const crd_unlabelled_options *options,
                                                                    crd_error *error);
/* The classifier that answers a fold's rows, until other settings are used; NULL where none was needed yet. */
CRD_API const crd_classifier *crd_cross_validation_classifier(const crd_cross_validation *validation, uint32_t fold);

/* ---- Two labellings of the same rows ----
 *
 * Classes that nobody named, as those of a clustering, are compared with a known labelling by what two rows have in common:
 * scores do not depend on the names of classes, nor on how many there are. */

typedef struct crd_labelling crd_labelling;

CRD_API CRD_MUST_USE crd_status crd_labelling_create(crd_context *context, crd_labelling **out, crd_error *error);
CRD_API void crd_labelling_destroy(crd_labelling *labelling);
/* Counts a row, of weight >= 0: the class that it was assigned to, and its known label. */
CRD_API CRD_MUST_USE crd_status crd_labelling_add(crd_labelling *labelling, crd_text assigned, crd_text known,
                                                  double weight, crd_error *error);

/* Adds the rows of another labelling, as if they had been added one by one. */
CRD_API CRD_MUST_USE crd_status crd_labelling_merge(crd_labelling *labelling, const crd_labelling *other,
                                                    crd_error *error);
/* As bytes, for another process to merge: see crd_evaluation_encode. */
CRD_API CRD_MUST_USE crd_status crd_labelling_encode(const crd_labelling *labelling, unsigned char **bytes,
                                                     size_t *length, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_labelling_decode(crd_context *context, const unsigned char *bytes, size_t length,
                                                     crd_labelling **out, crd_error *error);

typedef struct crd_labelling_scores {
    size_t size;
    double rows; /* the sum of weights */
    double
        adjusted_rand; /* adjusted Rand index (Hubert and Arabie 1985): 1 where the labellings are the same up to names,
                           * about 0 where they are independent. Weights count as copies of rows */
    double mutual_information;            /* in nats */
    double normalized_mutual_information; /* over the mean of the two entropies; 1 where both are 0 */
    double homogeneity;  /* mutual information over the known labels' entropy: each class has rows of one label */
    double completeness; /* over the classes' entropy: each label has rows of one class */
} crd_labelling_scores;

#define CRD_LABELLING_SCORES_INIT                                                                                      \
    { sizeof(crd_labelling_scores), 0, 0, 0, 0, 0, 0 }

/* CRD_ERROR_EMPTY: there is no row of weight above 0. */
CRD_API CRD_MUST_USE crd_status crd_labelling_score(const crd_labelling *labelling, crd_labelling_scores *out,
                                                    crd_error *error);
/* Classes and labels as they were met, and how many rows have both. Texts live until rows are added. */
CRD_API size_t crd_labelling_assigned_count(const crd_labelling *labelling);
CRD_API size_t crd_labelling_known_count(const crd_labelling *labelling);
CRD_API crd_text crd_labelling_assigned(const crd_labelling *labelling, size_t index);
CRD_API crd_text crd_labelling_known(const crd_labelling *labelling, size_t index);
CRD_API double crd_labelling_rows(const crd_labelling *labelling, size_t assigned, size_t known);

/* ---- Spans: neighbouring items of a sequence that belong together ----
 *
 * A span is right where one of the same type begins and ends at the same items in both labellings. */

typedef struct crd_spans crd_spans;

typedef enum crd_span_scheme {
    CRD_SPANS_AUTO = 0, /* tags where all labels are such, else runs */
    CRD_SPANS_RUNS = 1, /* maximal runs of equal labels */
    CRD_SPANS_TAGS =
        2 /* labels such as B-TYPE, I-TYPE and O: IOB, BIOES and BILOU, as the CoNLL evaluation reads them */
} crd_span_scheme;

CRD_API CRD_MUST_USE crd_status crd_spans_create(crd_context *context, crd_span_scheme scheme, crd_spans **out,
                                                 crd_error *error);
CRD_API void crd_spans_destroy(crd_spans *spans);
/* The next item: its true label and the one that was named, whose bytes are NULL where there is none. An item without a
 * true label counts for nothing, and spans do not cross it. */
CRD_API CRD_MUST_USE crd_status crd_spans_add(crd_spans *spans, crd_text truth, crd_text named, crd_error *error);
CRD_API void crd_spans_end_sequence(crd_spans *spans);
/* The spans of other sequences, all of which have ended, by the same scheme, behind one's own. Where memory runs out, types without
 * spans may be listed. */
CRD_API CRD_MUST_USE crd_status crd_spans_merge(crd_spans *spans, const crd_spans *other, crd_error *error);

/* The scheme of the labels so far. */
CRD_API crd_span_scheme crd_spans_scheme(const crd_spans *spans);

/* Of sequences that have ended. Shares of nothing are NaN. */
typedef struct crd_span_scores {
    size_t size;
    crd_text type; /* lives until items are added; empty for all types */
    uint64_t truths, named, correct;
    double precision; /* correct / named */
    double recall;    /* correct / truths */
    double f1;        /* their harmonic mean */
} crd_span_scores;

#define CRD_SPAN_SCORES_INIT                                                                                           \
    { sizeof(crd_span_scores), {0, 0}, 0, 0, 0, 0, 0, 0 }

CRD_API void crd_spans_totals(const crd_spans *spans, crd_span_scores *out);
/* Types as they were met. */
CRD_API size_t crd_spans_type_count(const crd_spans *spans);
CRD_API void crd_spans_type(const crd_spans *spans, size_t type, crd_span_scores *out);

/* ---- Row source: rows that are read in several passes ---- */

typedef struct crd_row_source crd_row_source;

/* The rows of a reader whose target is set and of which none was read. Where its inputs can be read again they are, for
 * each pass; else the first pass keeps the rows in memory. The reader must outlive the source. */
CRD_API CRD_MUST_USE crd_status crd_row_source_create(crd_reader *reader, crd_row_source **out, crd_error *error);
/* The same of a reader that need not have a target, for what takes all columns alike: crd_structure_learn, and
 * crd_row_source_train under settings that need none (crd_model_train). */
CRD_API CRD_MUST_USE crd_status crd_row_source_create_unlabelled(crd_reader *reader, crd_row_source **out,
                                                                 crd_error *error);
/* Frames of the caller, which must outlive it, unchanged. weight: the column of weights; bytes NULL: none. */
CRD_API CRD_MUST_USE crd_status crd_row_source_of_frames(crd_context *context, const crd_frame *const *frames,
                                                         size_t count, crd_text target, crd_text weight,
                                                         crd_row_source **out, crd_error *error);
CRD_API void crd_row_source_destroy(crd_row_source *source);

/* The next frame, NULL at the end of the pass. As crd_reader_next, but CRD_RESTART comes in the first pass only: rows
 * that are others in a later one are CRD_ERROR_SCHEMA_DIFFERS. */
CRD_API CRD_MUST_USE crd_status crd_row_source_next(crd_row_source *source, const crd_frame **frame, crd_error *error);
/* Begins another pass, when the one before has come to its end. */
CRD_API CRD_MUST_USE crd_status crd_row_source_rewind(crd_row_source *source, crd_error *error);
/* Frames have at most so many rows from the next pass on; 0: as many as come. See crd_posteriors_frame_rows. */
CRD_API void crd_row_source_set_frame_rows(crd_row_source *source, size_t most);

/* Names of columns, which live as long as the source. The weight's bytes are NULL where there is none. */
CRD_API crd_text crd_row_source_target(const crd_row_source *source);
CRD_API crd_text crd_row_source_weight(const crd_row_source *source);
/* The model of all rows, as crd_model_train makes it of the reader, with further tallies as crd_model_train_keeping does
 * (without bytes: none). A pass: the one before has come to its end, or none has begun. facts may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_row_source_train(crd_row_source *source, const crd_settings *settings,
                                                     crd_text tallies, crd_model **out, crd_read_facts *facts,
                                                     crd_error *error);
/* Whether later passes read the reader's inputs again, so that it can be processed by threads after a rewind. */
CRD_API int crd_row_source_reads_again(const crd_row_source *source);

/* ---- Split: the fold of each row of a source ---- */

typedef struct crd_split_options {
    size_t size;
    uint32_t folds;    /* so many, drawn as crd_folds does; from 2 to a million */
    uint32_t held_out; /* > 0: a test set is held out. It has the rows of so many of the folds, in fold 1; all others
                        * are learned, in fold 0 */
    uint64_t seed;
    size_t column;         /* of the reader, which keeps texts and ignores it: its cells name the folds; SIZE_MAX: none.
                            * Then the rows are added in the first pass */
    const uint32_t *given; /* borrowed: the folds of all rows in their order; NULL: none */
    size_t given_count;
} crd_split_options;

#define CRD_SPLIT_OPTIONS_INIT                                                                                         \
    { sizeof(crd_split_options), 10, 0, 1, SIZE_MAX, 0, 0 }

typedef struct crd_split crd_split;

/* options may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_split_create(crd_context *context, const crd_split_options *options,
                                                 crd_split **out, crd_error *error);
CRD_API void crd_split_destroy(crd_split *split);
/* From the first row on, as a reader gives CRD_RESTART. */
CRD_API CRD_MUST_USE crd_status crd_split_restart(crd_split *split, crd_error *error);
/* Adds the source's latest frame. Rows without a class, or of weight 0, are in no fold. A row whose cell in the column
 * of folds is missing is CRD_ERROR_EMPTY, with its line. */
CRD_API CRD_MUST_USE crd_status crd_split_add(crd_split *split, const crd_row_source *source, const crd_frame *frame,
                                              crd_error *error);
/* When all rows were added: CRD_ERROR_EMPTY where there is one fold only, or nothing to learn from or to test. */
CRD_API CRD_MUST_USE crd_status crd_split_finish(crd_split *split, crd_error *error);

/* The folds of all rows in their order, for crd_cross_validation_learn and for crd_cross_validation_classify: they
 * differ in a holdout, whose training rows are not tested. They live until rows are added. */
CRD_API size_t crd_split_rows(const crd_split *split);
CRD_API const uint32_t *crd_split_learned(const crd_split *split);
CRD_API const uint32_t *crd_split_tested(const crd_split *split);
CRD_API size_t crd_split_fold_count(const crd_split *split);
/* The name that a column gives to a fold; bytes NULL where folds are not named by one. */
CRD_API crd_text crd_split_fold_name(const crd_split *split, uint32_t fold);
/* How many folds have no row. */
CRD_API CRD_MUST_USE crd_status crd_split_count_empty(const crd_split *split, size_t *empty, crd_error *error);

/* A whole pass of a source: assigns its rows to folds, unless the split has them of a pass before, learns them, and
 * finishes both. */
CRD_API CRD_MUST_USE crd_status crd_cross_validation_learn_all(crd_cross_validation *validation, crd_row_source *source,
                                                               crd_split *split, crd_error *error);

/* ---- Leave one out ---- */

typedef struct crd_leave_one_out crd_leave_one_out;

/* The model, which has no weight, must outlive it, unchanged. settings NULL: the model's own. One thread at a time. */
CRD_API CRD_MUST_USE crd_status crd_leave_one_out_create(const crd_model *model, const crd_settings *settings,
                                                         crd_leave_one_out **out, crd_error *error);
CRD_API void crd_leave_one_out_destroy(crd_leave_one_out *leaving);
/* The model under the settings with no row left out: its classes are those that posteriors list. */
CRD_API const crd_classifier *crd_leave_one_out_classifier(const crd_leave_one_out *leaving);

/* Answers each row, one that the model has learned, by the model without it. A class that had this row only is at zero,
 * a category or number that only this row had counts for nothing. Rows whose target is missing have no answer. A row
 * that shows not to have been learned is CRD_ERROR_NOT_LEARNED. */
CRD_API CRD_MUST_USE crd_status crd_leave_one_out_classify(crd_leave_one_out *leaving, const crd_frame *frame,
                                                           crd_posteriors *posteriors, crd_error *error);

/* ---- Permutation importance: what each column is worth to the answers (Breiman 2001) ----
 *
 * A column's cells are permuted among rows that the model has not learned, so that the column has its distribution but
 * nothing to do with the rows any more: the mean increase of log loss, and the mean drop of accuracy, is what answers
 * lose without it. Of columns that stand for each other each is worth little, since the other is still there. */

typedef struct crd_importance crd_importance;

typedef struct crd_importance_options {
    size_t size;
    uint32_t repeats; /* permutations of each column, from 1 to 1000 */
    unsigned threads; /* 0: one for each processor. No result depends on it */
    uint64_t seed;
    /* Of more rows a random sample is kept. 0: up to 20,000, and of wide tables fewer, so that rows times the square of
     * columns times classes times repeats does not pass 1e9, but no fewer than 200. */
    size_t most_rows;
} crd_importance_options;

#define CRD_IMPORTANCE_OPTIONS_INIT                                                                                    \
    { sizeof(crd_importance_options), 5, 0, 1, 0 }

/* options may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_importance_create(crd_context *context, const crd_importance_options *options,
                                                      crd_importance **out, crd_error *error);
CRD_API void crd_importance_destroy(crd_importance *importance);
/* Adds one row of a frame, of weight > 0, with the classifier that answers it, which must live until the run is over;
 * all classifiers have the same attributes. */
CRD_API CRD_MUST_USE crd_status crd_importance_add(crd_importance *importance, const crd_classifier *classifier,
                                                   const crd_frame *frame, size_t row, crd_text truth, double weight,
                                                   crd_error *error);
/* From the first row on, as a reader gives CRD_RESTART. */
CRD_API void crd_importance_restart(crd_importance *importance);
/* Permutes and answers. CRD_ERROR_EMPTY: there are fewer than two rows. Of an assessment by several processes all make this call, each answers the rows that
 * it has judged, and all have the results. */
CRD_API CRD_MUST_USE crd_status crd_importance_run(crd_importance *importance, crd_error *error);
/* After a run that was cancelled: the columns that were done are the results. */
CRD_API CRD_MUST_USE crd_status crd_importance_conclude(crd_importance *importance, crd_error *error);

/* Rows that were kept, of those that were added; and those kept whose true class was at zero before anything was
 * permuted: they are in no log loss. */
CRD_API uint64_t crd_importance_rows(const crd_importance *importance);
CRD_API uint64_t crd_importance_rows_added(const crd_importance *importance);
CRD_API uint64_t crd_importance_zero_rows(const crd_importance *importance);

/* Means over rows by weight, and their standard errors: the standard deviation over the rows, of which each has its
 * mean over the repeats, over the square root of their number. */
typedef struct crd_column_importance {
    size_t size;
    crd_text column;       /* lives as long as the importance */
    double log_loss;       /* its increase; INFINITY where a permuted cell brings a true class to zero */
    double log_loss_error; /* NaN where that is infinite */
    double accuracy;       /* its drop */
    double accuracy_error;
} crd_column_importance;

#define CRD_COLUMN_IMPORTANCE_INIT                                                                                     \
    { sizeof(crd_column_importance), {0, 0}, 0, 0, 0, 0 }

/* Columns that are permuted. */
CRD_API size_t crd_importance_columns(const crd_importance *importance);
/* After the run: the columns that are done, the greatest increase of log loss first. */
CRD_API size_t crd_importance_count(const crd_importance *importance);
CRD_API void crd_importance_at(const crd_importance *importance, size_t index, crd_column_importance *out);

/* ---- Whether rows are those learned ---- */

/* *same is whether both models have counted the same: the same classes, values, and sums in every column. Columns
 * must fit by name and kind, else they are not the same. */
CRD_API CRD_MUST_USE crd_status crd_model_same_tally(const crd_model *model, const crd_model *other, int *same,
                                                     crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
