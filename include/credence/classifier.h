/* SPDX-License-Identifier: MIT */
/* credence/classifier.h - a model under settings, derived once, immutable: posteriors and their reasons.
 *
 * Threads may share a classifier. It keeps no reference to its model. A call for one row allocates nothing, unless the
 * settings go beyond naive Bayes. */
#ifndef CREDENCE_CLASSIFIER_H
#define CREDENCE_CLASSIFIER_H

#include <credence/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_classifier crd_classifier;

/* settings NULL: the model's own. CRD_ERROR_EMPTY: the model has learned no rows. CRD_ERROR_SETTING: a setting does
 * not fit the model, as a prior of other classes, a family that cannot have given a column's cells, or whatever
 * reads tallies that were not kept; the error's subject is the setting or the tally, "tally" for those of single
 * columns. CRD_ERROR_NOT_CONVERGED: what was to be fitted did not settle. CRD_ERROR_LIMIT: a joint density of so
 * many columns or values would be too large. */
CRD_API CRD_MUST_USE crd_status crd_classifier_create(const crd_model *model, const crd_settings *settings,
                                                      crd_classifier **out, crd_error *error);
CRD_API void crd_classifier_destroy(crd_classifier *classifier);

CRD_API const crd_settings *crd_classifier_settings(const crd_classifier *classifier);
CRD_API size_t crd_classifier_class_count(const crd_classifier *classifier);
CRD_API crd_text crd_classifier_class(const crd_classifier *classifier, size_t class_index);
CRD_API size_t crd_classifier_attribute_count(const crd_classifier *classifier);
CRD_API crd_text crd_classifier_attribute(const crd_classifier *classifier, size_t attribute);
CRD_API crd_kind crd_classifier_kind(const crd_classifier *classifier, size_t attribute);

/* ---- Families: what the density of an attribute is like under each class ---- */

/* One row of the table of families. */
typedef struct crd_family {
    size_t size;
    const char *name;    /* "gaussian" */
    const char *summary; /* one line */
    crd_kind kind;       /* of the attributes that it is for */
    int is_discrete;     /* probabilities of whole numbers; else, for numbers, densities */
} crd_family;

#define CRD_FAMILY_INIT                                                                                                \
    { sizeof(crd_family), NULL, NULL, CRD_KIND_NONE, 0 }

CRD_API size_t crd_family_count(void);
/* Row `index` of the table. Returns 0 where there is none. */
CRD_API int crd_family_at(size_t index, crd_family *out);

/* The attribute's: under the setting auto the one that was selected. Returns 0, and a name of NULL, for an attribute
 * without a kind. */
CRD_API int crd_classifier_family(const crd_classifier *classifier, size_t attribute, crd_family *out);

/* How a family did where auto chose one of them for an attribute: docs/families.md has the rule. */
typedef struct crd_candidate {
    size_t size;
    const char *family;
    int is_chosen;
    const char *left_out; /* why it was not considered, as long as the classifier lives; NULL: it was */
    double score,
        standard_error; /* the mean score of the rows held out, -log 2 where it has no information; its error */
} crd_candidate;

#define CRD_CANDIDATE_INIT                                                                                             \
    { sizeof(crd_candidate), NULL, 0, NULL, 0, 0 }

/* Row `index` of the comparison, in the order of the table of families. Returns 0 where there is no such row, as for an
 * attribute whose family was not selected by auto. */
CRD_API int crd_classifier_candidate(const crd_classifier *classifier, size_t attribute, size_t index,
                                     crd_candidate *out);

/* A number that a density is given by. The name lives as long as the library. */
typedef struct crd_term_parameter {
    const char *name;
    double value;
} crd_term_parameter;
enum { CRD_TERM_PARAMETERS = 4 };

/* The density of a number attribute under one class: mean and standard deviation, the point below which it has
 * probability p, and its parameters, of which it writes at most CRD_TERM_PARAMETERS. CRD_ERROR_EMPTY where the
 * attribute has no density, CRD_ERROR_COLUMN where it is no number. */
CRD_API CRD_MUST_USE crd_status crd_classifier_moments(const crd_classifier *classifier, size_t attribute,
                                                       size_t class_index, double *mean, double *deviation,
                                                       crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_classifier_quantile(const crd_classifier *classifier, size_t attribute,
                                                        size_t class_index, double p, double *x, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_classifier_parameters(const crd_classifier *classifier, size_t attribute,
                                                          size_t class_index, crd_term_parameter *out, size_t *count,
                                                          crd_error *error);

/* One part of a density that is a sum of parts: a bin of a histogram, or a component of a mixture. */
typedef struct crd_density_component {
    size_t size;
    double weight;   /* the probability of the part */
    double from, to; /* bins only: the interval; NaN for components of a mixture */
    double mean, sd; /* components of a mixture only; NaN for bins */
} crd_density_component;

#define CRD_DENSITY_COMPONENT_INIT                                                                                     \
    { sizeof(crd_density_component), 0, 0, 0, 0, 0 }

/* Writes part `index` of the density of a numeric attribute under one class. Returns 0 past the last part, and for densities of other
 * families, which have no parts. */
CRD_API int crd_classifier_component(const crd_classifier *classifier, size_t attribute, size_t class_index,
                                     size_t index, crd_density_component *component);

/* Two classes tie when their log posteriors differ by no more than this: the rounding that sums of
 * many terms can differ by. */
#define CRD_TIE_MARGIN 1e-12

typedef struct crd_answer {
    int32_t decision; /* the class of the greatest posterior, the first of those tied; -1: all classes at zero */
    uint32_t tied;    /* how many classes tie with the greatest, itself included; 0 where decision is -1 */
    uint32_t unseen;  /* cells with a category never seen in training, or a number that no class can have: left out */
    double log_evidence; /* log p(x), x the cells that counted; -INFINITY where decision is -1 */
} crd_answer;

/* One row: `values` in the attributes' order; a category's value is in .text, a number's in .number (a number may also
 * be given as text). log_posterior has room for every class; all are -INFINITY where decision is -1. */
CRD_API CRD_MUST_USE crd_status crd_classifier_posterior(const crd_classifier *classifier, const crd_value *values,
                                                         double *log_posterior, crd_answer *answer, crd_error *error);
/* The same, and the probability of each class: not crd_exp of a log posterior that has been rounded, but each class's
 * part of the sum over all, so that they add up to 1 as well as doubles can. All are 0 where decision is -1. */
CRD_API CRD_MUST_USE crd_status crd_classifier_probabilities(const crd_classifier *classifier, const crd_value *values,
                                                             double *log_posterior, double *probabilities,
                                                             crd_answer *answer, crd_error *error);

/* Many rows: results live in an object that the caller keeps and reuses, one for each thread. */
typedef struct crd_posteriors crd_posteriors;
CRD_API CRD_MUST_USE crd_status crd_posteriors_create(crd_context *context, crd_posteriors **out, crd_error *error);
CRD_API void crd_posteriors_destroy(crd_posteriors *posteriors);

/* Columns meet by name; extra ones are ignored, absent ones are missing. Equal to the bit to row-by-row calls. */
CRD_API CRD_MUST_USE crd_status crd_classifier_classify(const crd_classifier *classifier, const crd_frame *frame,
                                                        crd_posteriors *posteriors, crd_error *error);
/* How many rows a frame may have so that its posteriors take no more than some megabytes, at least 1: what
 * crd_reader_set_frame_rows takes where there may be very many classes. */
CRD_API size_t crd_posteriors_frame_rows(size_t classes);
CRD_API size_t crd_posteriors_rows(const crd_posteriors *posteriors);
CRD_API const double *crd_posteriors_log(const crd_posteriors *posteriors, size_t row);
/* As crd_classifier_probabilities gives them. */
CRD_API const double *crd_posteriors_probabilities(const crd_posteriors *posteriors, size_t row);
/* Before calibration, as crd_classifier_uncalibrated gives them; NULL where the classifier has none. */
CRD_API const double *crd_posteriors_uncalibrated_log(const crd_posteriors *posteriors, size_t row);
CRD_API const double *crd_posteriors_uncalibrated(const crd_posteriors *posteriors, size_t row);
CRD_API const crd_answer *crd_posteriors_answer(const crd_posteriors *posteriors, size_t row);

/* All rows of a frame, or of a reader, on several threads: where the answers go, row by row in their order. Arrays that
 * are NULL are not asked for; of a frame, what nothing asks for is not computed. */
typedef struct crd_results {
    size_t size;
    size_t rows;            /* that there is room for in each array */
    double *log_posteriors; /* rows x classes; as crd_classifier_posterior gives them */
    double *probabilities;  /* rows x classes; as crd_classifier_probabilities gives them */
    crd_answer *answers;    /* of each row */
    int32_t *decisions;     /* of each row, as in its answer */
    unsigned threads;       /* 0: one for each processor; of a reader, as many as its options have */
} crd_results;

#define CRD_RESULTS_INIT                                                                                               \
    { sizeof(crd_results), 0, NULL, NULL, NULL, NULL, 0 }

/* Columns meet by name; extra ones are ignored, absent ones are missing. Equal to the bit to row-by-row calls, for any
 * number of threads. On failure the content of the arrays is not defined. Frames of Arrow batches are classified where
 * they lie. */
CRD_API CRD_MUST_USE crd_status crd_classifier_classify_frame(const crd_classifier *classifier, const crd_frame *frame,
                                                              const crd_results *results, crd_error *error);
/* The same for all that is left of a reader, whatever its rows come from; crd_model_bind gives its columns the model's
 * kinds before. *rows is how many there were. More than there is room for is CRD_ERROR_LIMIT. */
CRD_API CRD_MUST_USE crd_status crd_classifier_classify_reader(const crd_classifier *classifier, crd_reader *reader,
                                                               const crd_results *results, size_t *rows,
                                                               crd_error *error);
/* The same into a struct array of Arrow, however many rows there are, which the caller releases, as the schema; both
 * before the context is destroyed. `threads` as above. Its columns: prediction, a dictionary of the classes' names,
 * null where all classes are at zero; probability, a double, of the class predicted; P(NAME), a double, for each
 * class; log_evidence, a double; unseen, an int32. On failure both are marked as released. */
CRD_API CRD_MUST_USE crd_status crd_classifier_classify_to_arrow(const crd_classifier *classifier, crd_reader *reader,
                                                                 unsigned threads, struct ArrowSchema *schema,
                                                                 struct ArrowArray *array, crd_error *error);
/* Logs a warning that names the categorical columns whose values, as far as the reader has read them, did not occur in training. Such
 * columns are often spelled differently. `rows` is the number of rows that were read: one row does not cause a warning. Nothing is logged if a
 * group of processes shares the rows. crd_assessment_run calls it, too. Experimental. */
CRD_API void crd_classifier_warn_unseen(const crd_classifier *classifier, const crd_reader *reader, uint64_t rows);

/* Many rows of numbers that lie in memory row by row: what is asked about them, and where the answers go. Arrays that
 * are NULL are not asked for; what nothing asks for is not computed, so decisions alone cost least. */
typedef struct crd_rows_request {
    size_t size;
    const double *values; /* the attributes of each row side by side, in their order; NaN is missing */
    size_t rows;
    size_t stride; /* values from one row to the next; 0: as many as attributes, or 1 if column_stride is given */
    double *log_posteriors; /* rows x classes; as crd_classifier_posterior gives them */
    double *probabilities;  /* rows x classes; as crd_classifier_probabilities gives them */
    crd_answer *answers;    /* of each row */
    int32_t *decisions;     /* of each row, as in its answer */
    unsigned threads;       /* 0: one for each processor */
    size_t
        column_stride;   /* values from one attribute to the next; 0: 1. Column by column: stride 1 and this the rows */
    const float *floats; /* in the place of `values`, which is NULL then: each is taken as the double that it equals */
} crd_rows_request;

#define CRD_ROWS_REQUEST_INIT                                                                                          \
    { sizeof(crd_rows_request), NULL, 0, 0, NULL, NULL, NULL, NULL, 0, 0, NULL }

/* Equal to the bit to row-by-row calls, for any number of threads. A cell that crd_classifier_posterior would refuse
 * is refused, the first of the first such row; the error's line is the number of the row, from 1, and its field that
 * of the attribute. Attributes that are categories can only be missing. On failure the content of the arrays is not
 * defined. */
CRD_API CRD_MUST_USE crd_status crd_classifier_classify_rows(const crd_classifier *classifier,
                                                             const crd_rows_request *question, crd_error *error);

/* e to the power x and the natural logarithm, with the same bits on every machine. */
CRD_API double crd_exp(double x);
CRD_API double crd_log(double x);

/* ---- Reasons: log posterior = log prior + one term an attribute - log evidence ---- */

typedef enum crd_term_form {
    CRD_TERM_RATIO = 1,   /* (count + added) / (total + added_total): see below */
    CRD_TERM_DENSITY = 2, /* the density of a number, or the probability of a whole one, at x: see family */
    CRD_TERM_GIVEN = 3,   /* a prior that the settings state */
    CRD_TERM_MISSING = 4, /* cell missing: left out, log_value 0 */
    CRD_TERM_UNSEEN = 5,  /* category never seen, or number that no class can have: left out, log_value 0 */
    CRD_TERM_SILENT = 6,  /* an attribute without a density (no cells, or no spread): left out, log_value 0 */
    CRD_TERM_JOINT = 7    /* a joint density covers the attribute together with others: log_value 0 */
} crd_term_form;

typedef enum crd_term_smoothing {
    CRD_TERM_PLAIN = 0,      /* count / total */
    CRD_TERM_M_UNIFORM = 1,  /* (count + strength * 1/values) / (total + strength) */
    CRD_TERM_M_MARGINAL = 2, /* (count + strength * share_count/share_total) / (total + strength) */
    CRD_TERM_LAPLACE = 3,    /* (count + strength) / (total + strength * values) */
    CRD_TERM_OVERALL = 4     /* the class never showed the attribute: count / total over all classes */
} crd_term_smoothing;

typedef struct crd_term {
    size_t size;
    crd_term_form form;
    crd_term_smoothing smoothing; /* for RATIO */
    double log_value;             /* what is added to the log posterior's sum */
    double count, total;          /* for RATIO; for GIVEN: what was stated, and the sum of all that was */
    double strength, values;      /* for RATIO: M or L; number of values t */
    double share_count, share_total;
    double x, mean, deviation; /* for DENSITY */
    const char *family;        /* for DENSITY: "gaussian", ... */
    size_t parameter_count;    /* for DENSITY */
    crd_term_parameter parameters[CRD_TERM_PARAMETERS];
    double exponent; /* that the probability or density is raised to; log_value has it */
} crd_term;

#define CRD_TERM_INIT                                                                                                  \
    {                                                                                                                  \
        sizeof(crd_term), CRD_TERM_MISSING, CRD_TERM_PLAIN, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0,                     \
            {{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}}, 1                                                            \
    }

CRD_API CRD_MUST_USE crd_status crd_classifier_prior(const crd_classifier *classifier, size_t class_index,
                                                     crd_term *term, crd_error *error);
/* The very term that the posterior sums. */
CRD_API CRD_MUST_USE crd_status crd_classifier_term(const crd_classifier *classifier, size_t attribute,
                                                    size_t class_index, const crd_value *value, crd_term *term,
                                                    crd_error *error);

/* ---- Joint densities: several attributes together, one term for all of them, added behind the attributes' terms
 * ---- */

/* A Bayesian network is one of all attributes that are its nodes: its term is the log ratio of a class's
 * posterior given all cells to its prior in the network, up to a constant. */

typedef struct crd_joint {
    size_t size;
    const char *name;       /* "normal" */
    const char *summary;    /* one line */
    size_t attribute_count; /* of those that it covers */
    char description[256];  /* what was estimated how, a line; may be empty */
    double rows;            /* that it was estimated from, or their weight; 0: not known */
    double incomplete_rows; /* of these, those that lack a cell of the attributes */
} crd_joint;

#define CRD_JOINT_INIT                                                                                                 \
    { sizeof(crd_joint), NULL, NULL, 0, {0}, 0, 0 }

CRD_API size_t crd_classifier_joint_count(const crd_classifier *classifier);
CRD_API CRD_MUST_USE crd_status crd_classifier_joint(const crd_classifier *classifier, size_t joint, crd_joint *out,
                                                     crd_error *error);
/* The attributes that it covers, in the order of their names' bytes; `out` has room for all. */
CRD_API CRD_MUST_USE crd_status crd_classifier_joint_attributes(const crd_classifier *classifier, size_t joint,
                                                                size_t *out, crd_error *error);
/* The very term of each class that the posterior of this row sums. */
CRD_API CRD_MUST_USE crd_status crd_classifier_joint_terms(const crd_classifier *classifier, size_t joint,
                                                           const crd_value *values, double *log_values,
                                                           crd_error *error);
/* Whether a joint density, pairs or members cover an attribute in the place of its own density. */
CRD_API int crd_classifier_is_joint(const crd_classifier *classifier, size_t attribute);
/* The exponent of an attribute's density: 1 unless the settings have them fitted. */
CRD_API double crd_classifier_attribute_weight(const crd_classifier *classifier, size_t attribute);

/* ---- Pairs: by the method pairs each attribute and each pair of attributes has a term, to a fitted power, added
 * behind the attributes' own ---- */

typedef struct crd_pair {
    size_t size;
    size_t attributes[2]; /* the same twice: of that attribute alone */
    double exponent;      /* that its term is raised to; 0: it is left out */
} crd_pair;

#define CRD_PAIR_INIT                                                                                                  \
    { sizeof(crd_pair), {0, 0}, 0 }

/* 0 for all other methods. Attributes alone come first. */
CRD_API size_t crd_classifier_pair_count(const crd_classifier *classifier);
CRD_API CRD_MUST_USE crd_status crd_classifier_pair(const crd_classifier *classifier, size_t pair, crd_pair *out,
                                                    crd_error *error);
/* The very terms that the posterior of this row sums, exponents included: pairs x classes. */
CRD_API CRD_MUST_USE crd_status crd_classifier_pair_terms(const crd_classifier *classifier, const crd_value *values,
                                                          double *log_values, crd_error *error);

/* ---- Members: the classifiers of an ensemble, whose posteriors are pooled ---- */

typedef struct crd_ensemble_member {
    size_t size;
    const crd_classifier *classifier; /* as long as that whose member it is */
    double weight;
} crd_ensemble_member;

#define CRD_ENSEMBLE_MEMBER_INIT                                                                                       \
    { sizeof(crd_ensemble_member), NULL, 0 }

/* 0: the classifier answers itself. */
CRD_API size_t crd_classifier_member_count(const crd_classifier *classifier);
CRD_API CRD_MUST_USE crd_status crd_classifier_member(const crd_classifier *classifier, size_t member,
                                                      crd_ensemble_member *out, crd_error *error);
/* How answers are pooled: "average", the mean of probabilities by weight; "gibbs", one member drawn for each row by
 * weight; "product", probabilities to the power of the weights, times a factor for each class; "vote", e to the
 * power of the weights of those that decide for a class. NULL: there are no members. */
CRD_API const char *crd_classifier_ensemble_rule(const crd_classifier *classifier);
/* The logarithm of the factor of a class; 0 where the rule has none. */
CRD_API double crd_classifier_ensemble_factor(const crd_classifier *classifier, size_t class_index);
/* The log posteriors of each member for this row: members x classes, the classes of this classifier. All classes of
 * one that finds the row impossible are at -INFINITY: it does not count. */
CRD_API CRD_MUST_USE crd_status crd_classifier_member_posteriors(const crd_classifier *classifier,
                                                                 const crd_value *values, double *log_posteriors,
                                                                 crd_error *error);

/* ---- Calibration: the last step, which puts probabilities in the place of those that were found ---- */

typedef struct crd_calibration {
    size_t size;
    const char
        *rule; /* "isotonic", "scaling" or "known-words"; isotonic calibration is "scaling" if there are too few rows */
    double slope; /* of scaling: what log probabilities are multiplied by */
} crd_calibration;

#define CRD_CALIBRATION_INIT                                                                                           \
    { sizeof(crd_calibration), NULL, 1 }

/* Returns whether there is one. */
CRD_API int crd_classifier_calibration(const crd_classifier *classifier, crd_calibration *out);
/* One point of it: of isotonic calibration point `index` of a class's line, from a probability to the one in its place;
 * of scaling, at index 0, the logarithm of the class's factor in `to`. 0 behind the end. */
CRD_API int crd_classifier_calibration_point(const crd_classifier *classifier, size_t class_index, size_t index,
                                             double *from, double *to);
/* As crd_classifier_probabilities, before calibration. */
CRD_API CRD_MUST_USE crd_status crd_classifier_uncalibrated(const crd_classifier *classifier, const crd_value *values,
                                                            double *log_posterior, double *probabilities,
                                                            crd_answer *answer, crd_error *error);

/* How many parameters were estimated: "class probabilities", "conditional probabilities", "means", "deviations".
 * Those of attributes that a joint density or pairs cover are not among them; where there are members, they are the
 * sum of theirs. Writes at most `room` and returns how many there are. */
typedef struct crd_estimate {
    const char *what;
    uint64_t count;
} crd_estimate;
CRD_API size_t crd_classifier_estimates(const crd_classifier *classifier, crd_estimate *out, size_t room);

/* Every point at which the decision by one number attribute alone (and the priors) changes, in ascending order. Writes
 * at most `room`; *count is how many there are. Known of gaussian alone: of other families it is CRD_ERROR_COLUMN. */
typedef struct crd_cut_point {
    double at;
    uint32_t below, above; /* the classes decided for on either side */
} crd_cut_point;
CRD_API CRD_MUST_USE crd_status crd_classifier_cut_points(const crd_classifier *classifier, size_t attribute,
                                                          crd_cut_point *out, size_t room, size_t *count,
                                                          crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
