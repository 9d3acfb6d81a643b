/* SPDX-License-Identifier: MIT */
/* settings_internal.h - the settings as the families read them; each also keeps its canonical text. */
#ifndef CRD_SETTINGS_SETTINGS_INTERNAL_H
#define CRD_SETTINGS_SETTINGS_INTERNAL_H

#include "base/dictionary.h"
#include "base/error.h"
#include "stats/tally.h"
#include "text/tokens.h"

#include <credence/settings.h>

typedef enum crd_i_smoothing { CRD_I_SMOOTHING_NONE, CRD_I_SMOOTHING_M, CRD_I_SMOOTHING_LAPLACE } crd_i_smoothing;

typedef enum crd_i_prior {
    CRD_I_PRIOR_FREQUENCY,
    CRD_I_PRIOR_LAPLACE,
    CRD_I_PRIOR_UNIFORM,
    CRD_I_PRIOR_GIVEN
} crd_i_prior;

/* Of the settings, those that every model file states come first; the others it states where they are not at their
 * default, so that files are the same bytes as before there were these. */
typedef enum crd_i_setting_index {
    CRD_I_SETTING_SMOOTHING,
    CRD_I_SETTING_PRIOR,
    CRD_I_SETTING_VARIANCE,
    CRD_I_SETTING_SHARE_VARIANCE,
    CRD_I_SETTING_MIN_DEVIATION,
    CRD_I_SETTING_FAMILY,
    CRD_I_SETTING_HISTOGRAM,
    CRD_I_SETTING_BANDWIDTH,
    CRD_I_SETTING_MIXTURE,
    CRD_I_SETTING_STUDENT,
    CRD_I_SETTING_METHOD,
    CRD_I_SETTING_JOINT,
    CRD_I_SETTING_NORMAL,
    CRD_I_SETTING_EXPONENTS,
    CRD_I_SETTING_CALIBRATION,
    CRD_I_SETTING_STRUCTURE,
    CRD_I_SETTING_ESTIMATOR,
    CRD_I_SETTING_HIDDEN,
    CRD_I_SETTING_ITERATIONS,
    CRD_I_SETTING_TOLERANCE,
    CRD_I_SETTING_SCORE,
    CRD_I_SETTING_TEST,
    CRD_I_SETTING_ALPHA,
    CRD_I_SETTING_REQUIRED,
    CRD_I_SETTING_FORBIDDEN,
    CRD_I_SETTING_TIERS,
    CRD_I_SETTING_MOST_PARENTS,
    CRD_I_SETTING_MAX_CONDITIONING,
    CRD_I_SETTING_RESTARTS,
    CRD_I_SETTING_STATES,
    CRD_I_SETTING_ORDER,
    CRD_I_SETTING_TOPOLOGY,
    CRD_I_SETTING_ENDS,
    CRD_I_SETTING_TRANSITIONS,
    CRD_I_SETTING_COMPONENTS,
    CRD_I_SETTING_UNSEEN_WORDS,
    CRD_I_SETTING_TERM_SMOOTHING,
    CRD_I_SETTING_TF,
    CRD_I_SETTING_LENGTH,
    CRD_I_SETTING_COMPLEMENT_WEIGHTS,
    CRD_I_SETTING_MIN_DOCUMENTS,
    CRD_I_SETTING_MAX_DOCUMENTS,
    CRD_I_SETTING_STOP_WORDS,
    CRD_I_SETTING_VOCABULARY,
    CRD_I_SETTING_TOKENS,
    CRD_I_SETTING_LETTER_CASE,
    CRD_I_SETTING_STEM,
    CRD_I_SETTING_NGRAMS,
    CRD_I_SETTING_SPARSE_BIGRAMS,
    CRD_I_SETTING_HASH,
    CRD_I_SETTING_COUNT
} crd_i_setting_index;
enum { CRD_I_SETTINGS_ALWAYS_STATED = 5 };

/* Which of its forms a setting has, by its place in the table, and its argument where that is a number, else 0. */
typedef struct crd_i_setting_value {
    size_t form;
    double argument;
} crd_i_setting_value;

/* Where the bins of a histogram end, the bandwidth of a kernel density: see histogram.c and kernel_density.c. */
typedef enum crd_i_histogram_rule {
    CRD_I_HISTOGRAM_LIKELIHOOD,
    CRD_I_HISTOGRAM_WIDTH,
    CRD_I_HISTOGRAM_FREQUENCY,
    CRD_I_HISTOGRAM_EDGES,
    CRD_I_HISTOGRAM_STURGES,
    CRD_I_HISTOGRAM_SCOTT,
    CRD_I_HISTOGRAM_FREEDMAN
} crd_i_histogram_rule;

typedef enum crd_i_bandwidth {
    CRD_I_BANDWIDTH_WEKA,
    CRD_I_BANDWIDTH_SCOTT,
    CRD_I_BANDWIDTH_SILVERMAN,
    CRD_I_BANDWIDTH_GIVEN
} crd_i_bandwidth;

/* Where the pseudo-counts of the family student come from: see student.c. */
typedef enum crd_i_student_rule {
    CRD_I_STUDENT_SMOOTHING,
    CRD_I_STUDENT_LIKELIHOOD,
    CRD_I_STUDENT_GIVEN
} crd_i_student_rule;

/* How the attributes' densities make a posterior, and which of them are taken together. */
typedef enum crd_i_method {
    CRD_I_METHOD_NAIVE,
    CRD_I_METHOD_JOINT,
    CRD_I_METHOD_A1DE,
    CRD_I_METHOD_PAIRS,
    CRD_I_METHOD_BAGGING,
    CRD_I_METHOD_BOOSTING,
    CRD_I_METHOD_COMMITTEE,
    CRD_I_METHOD_NETWORK,
    CRD_I_METHOD_SEQUENCE,
    CRD_I_METHOD_COUNT
} crd_i_method;

typedef enum crd_i_together {
    CRD_I_TOGETHER_NONE,
    CRD_I_TOGETHER_ALL, /* numbers in one block, categories in another */
    CRD_I_TOGETHER_NUMBERS,
    CRD_I_TOGETHER_CATEGORIES,
    CRD_I_TOGETHER_BLOCKS /* of columns that are named */
} crd_i_together;

typedef enum crd_i_normal_form {
    CRD_I_NORMAL_AUTO,
    CRD_I_NORMAL_FULL,
    CRD_I_NORMAL_SHARED,
    CRD_I_NORMAL_DIAGONAL,
    CRD_I_NORMAL_MIXTURE
} crd_i_normal_form;

typedef enum crd_i_calibration_rule {
    CRD_I_CALIBRATION_NONE,
    CRD_I_CALIBRATION_ISOTONIC,
    CRD_I_CALIBRATION_SCALING,
    CRD_I_CALIBRATION_KNOWN_WORDS /* nothing is fitted, and no rows are needed */
} crd_i_calibration_rule;

/* Where the tables of a network come from: see crd_i_settings_estimator. */
typedef enum crd_i_estimator { CRD_I_ESTIMATOR_COUNTS, CRD_I_ESTIMATOR_EM, CRD_I_ESTIMATOR_GRADIENT } crd_i_estimator;

/* How the arcs of a network are found: see structure/structure_search.h. */
typedef enum crd_i_search_choice {
    CRD_I_SEARCH_NONE, /* they are stated */
    CRD_I_SEARCH_HILL_CLIMB,
    CRD_I_SEARCH_TABU,
    CRD_I_SEARCH_PC,
    CRD_I_SEARCH_EXACT,
    CRD_I_SEARCH_CHOW_LIU,
    CRD_I_SEARCH_TAN,
    CRD_I_SEARCH_KDB
} crd_i_search_choice;

/* How probabilities of transitions between states come of counts. */
typedef enum crd_i_transition_estimate {
    CRD_I_TRANSITIONS_AUTO,
    CRD_I_TRANSITIONS_SMOOTHING,
    CRD_I_TRANSITIONS_NONE,
    CRD_I_TRANSITIONS_M,
    CRD_I_TRANSITIONS_LAPLACE,
    CRD_I_TRANSITIONS_INTERPOLATED
} crd_i_transition_estimate;

typedef enum crd_i_unseen_rule { CRD_I_UNSEEN_AUTO, CRD_I_UNSEEN_NONE, CRD_I_UNSEEN_SUFFIX } crd_i_unseen_rule;

/* What an occurrence count becomes, and what a document's terms add up to: see term_density.h. */
typedef enum crd_i_tf { CRD_I_TF_COUNT, CRD_I_TF_LOG, CRD_I_TF_BINARY } crd_i_tf;
typedef enum crd_i_length_rule {
    CRD_I_LENGTH_NONE,
    CRD_I_LENGTH_ROOT,
    CRD_I_LENGTH_UNIT,
    CRD_I_LENGTH_GIVEN
} crd_i_length_rule;
typedef enum crd_i_stop_rule { CRD_I_STOP_NONE, CRD_I_STOP_AUTO, CRD_I_STOP_GIVEN } crd_i_stop_rule;

/* A list of arcs as settings have it. */
typedef struct crd_i_arcs {
    crd_i_dictionary *nodes; /* in the order of their bytes; NULL: nothing is stated */
    uint32_t *parents;       /* node by node, by their numbers, which ascend */
    size_t *ends;            /* of each node, where its last parent ends and the next node's begin */
} crd_i_arcs;

enum { CRD_I_MOST_MEMBERS = 1000, CRD_I_MOST_DEPENDENCE = 16, CRD_I_MOST_HIDDEN_STATES = 1000 };

enum { CRD_I_MOST_ORDER = 3, CRD_I_MOST_COMPONENTS = 64, CRD_I_MOST_SUFFIX = 20 };

enum { CRD_I_MOST_EDGES = 64, CRD_I_MOST_CURVES = 16 };

struct crd_i_family;

struct crd_settings {
    crd_context *context;

    crd_i_smoothing smoothing;
    double smoothing_strength; /* M or L */
    bool smoothing_marginal;   /* M is spread by the values' overall shares */
    /* S of bdeu:S, which tables of networks read; else 0. Densities read it as the m:M that smoothing says then: see
     * crd_i_settings_for_classes. */
    double smoothing_bdeu;

    crd_i_prior prior;
    double prior_strength;           /* L */
    crd_i_dictionary *prior_classes; /* GIVEN: the classes named, in the order of their bytes; else NULL */
    double *prior_probabilities; /* of each, as stated: they sum to about 1, or to less, and one class has the rest */

    bool sample_variance; /* divided by n - 1 rather than n */
    bool share_classes, share_attributes;
    double min_deviation;

    crd_i_dictionary *family_columns;            /* the columns named, in the order of their bytes; NULL: none */
    const struct crd_i_family **family_choices;  /* of each */
    const struct crd_i_family *family_of_others; /* of all other columns of its kind */

    crd_i_histogram_rule histogram;
    double histogram_bins; /* of WIDTH and FREQUENCY */
    size_t histogram_edge_count;
    double histogram_edges[CRD_I_MOST_EDGES];
    crd_i_bandwidth bandwidth;
    double bandwidth_given;
    size_t mixture_curves, mixture_most; /* so many; 0: at most so many, by BIC */
    crd_i_student_rule student;
    double student_given;

    crd_i_method method;
    size_t method_members;             /* of BAGGING and BOOSTING */
    crd_i_search_choice method_search; /* of NETWORK: TAN and KDB are its structure where none is stated */
    size_t method_dependence;          /* of KDB */
    crd_i_together joint; /* ALL where the method is JOINT and nothing else is stated: see crd_i_settings_together */
    crd_i_dictionary *joint_columns; /* BLOCKS: the columns of all blocks, block by block; else NULL */
    size_t *joint_ends;              /* of each block, the number of the column behind its last */
    size_t joint_count;              /* of blocks */
    crd_i_normal_form normal;
    double normal_shrinkage; /* of FULL and SHARED; NaN: by likelihood */
    size_t normal_curves;    /* of MIXTURE; 0: by rows that are held out */
    bool exponents_fitted;
    crd_i_calibration_rule calibration;
    crd_i_dictionary *structure_nodes;    /* in the order of their bytes; NULL: no structure is stated */
    uint32_t *structure_parents;          /* node by node, by their numbers, which ascend */
    size_t *structure_ends;               /* of each node, where its last parent ends and the next node's begin */
    crd_i_search_choice structure_search; /* in the place of arcs */
    size_t structure_dependence;          /* of KDB */
    double alpha;
    crd_i_arcs required, forbidden;
    crd_i_dictionary *tier_columns; /* of all tiers, one after the other; NULL: none are stated */
    size_t *tier_ends;              /* of each tier, the number of the column behind its last */
    size_t tier_count;
    size_t most_parents;     /* 0: as many as there are */
    size_t max_conditioning; /* SIZE_MAX: no bound */
    size_t restarts;         /* SIZE_MAX: as many as the number of nodes makes worth their time */

    crd_i_estimator estimator;
    size_t estimator_starts;        /* 0: as many as the problem needs */
    crd_i_dictionary *hidden_nodes; /* NULL: none */
    size_t *hidden_states;          /* of each; 0: to be chosen */
    size_t iterations;
    double tolerance;

    size_t states; /* 0: to be chosen */
    size_t order;
    bool is_left_to_right;
    size_t most_skipped; /* states, where it is left to right; SIZE_MAX: any number */
    bool counts_ends;
    crd_i_transition_estimate transitions; /* as stated */
    double transition_strength;            /* M or L */
    size_t components;
    crd_i_unseen_rule unseen_words;
    size_t longest_suffix; /* of SUFFIX */

    double term_smoothing; /* pseudo-counts of each term under each class; 0: auto */
    crd_i_tf tf;
    crd_i_length_rule length;
    double length_given;                 /* of GIVEN */
    bool complement_plain;               /* weights of the family complement are not normalised */
    double min_documents, max_documents; /* below 1: a fraction of them; 0: any number */
    crd_i_stop_rule stop_rule;
    crd_i_dictionary *stop_words;  /* GIVEN, as stated; else NULL */
    size_t vocabulary;             /* terms at most; 0: all */
    crd_i_token_rules token_rules; /* how texts become terms */

    crd_i_setting_value values[CRD_I_SETTING_COUNT]; /* in the order of the table */
    char *texts[CRD_I_SETTING_COUNT];                /* canonical, in the order of the table */
};

/* A copy that lives in another context. */
CRD_MUST_USE crd_status crd_i_settings_copy(crd_context *context, const crd_settings *settings, crd_settings **out,
                                            crd_error *error);
/* Whether every canonical text is the same. */
bool crd_i_settings_equal(const crd_settings *a, const crd_settings *b);

/* Parses `CLASS=P,...` into a fresh dictionary and its probabilities, sorted by the classes' bytes. */
/* How far stated probabilities may miss 1 in sum: people write 0.333. */
#define CRD_I_PRIOR_SLACK 1e-6
CRD_MUST_USE crd_status crd_i_prior_parse(crd_context *context, crd_text text, crd_i_dictionary **classes,
                                          double **probabilities, crd_error *error);
/* The canonical text of it; NULL: out of memory. */
char *crd_i_prior_text(crd_context *context, const crd_i_dictionary *classes, const double *probabilities);

/* Parses `FAMILY`, or `COL=FAMILY,...` with *=FAMILY for the rest, into a fresh dictionary (NULL where no column is
 * named) and its families, sorted by the columns' bytes. */
CRD_MUST_USE crd_status crd_i_family_parse(crd_context *context, crd_text text, crd_i_dictionary **columns,
                                           const struct crd_i_family ***choices, const struct crd_i_family **others,
                                           crd_error *error);
char *crd_i_family_text(crd_context *context, const crd_settings *settings);
/* Sets the fields of a setting that has no list; the value as its canonical text has it. */
crd_i_setting_value crd_i_setting_apply(crd_settings *settings, crd_i_setting_index setting, crd_i_setting_value value);
/* Ascending numbers with colons between them; false: they are not. */
CRD_MUST_USE bool crd_i_edges_parse(crd_settings *settings, crd_text text);

/* Beyond it pseudo-counts would leave the range in which ratios of counts can be formed. */
#define CRD_I_MOST_STRENGTH 1e100
/* Below it pseudo-counts of terms would be lost beside counts. */
#define CRD_I_LEAST_TERM_SMOOTHING 1e-10

/* Blocks of columns, and the arcs of a network: each reports what is wrong, fills in its lists, and has its canonical
 * text (NULL: out of memory). On failure lists may be there, for the caller to destroy. */
CRD_MUST_USE crd_status crd_i_joint_parse(crd_settings *settings, crd_text text, crd_error *error);
char *crd_i_joint_text(const crd_settings *settings);
CRD_MUST_USE crd_status crd_i_structure_parse(crd_settings *settings, crd_text text, crd_error *error);
char *crd_i_structure_text(const crd_settings *settings);
CRD_MUST_USE crd_status crd_i_hidden_parse(crd_settings *settings, crd_text text, crd_error *error);
char *crd_i_hidden_text(const crd_settings *settings);
CRD_MUST_USE crd_status crd_i_stop_words_parse(crd_settings *settings, crd_text text, crd_error *error);
char *crd_i_stop_words_text(const crd_settings *settings);
CRD_MUST_USE crd_status crd_i_required_parse(crd_settings *settings, crd_text text, crd_error *error);
CRD_MUST_USE crd_status crd_i_forbidden_parse(crd_settings *settings, crd_text text, crd_error *error);
CRD_MUST_USE crd_status crd_i_tiers_parse(crd_settings *settings, crd_text text, crd_error *error);
char *crd_i_arcs_text(crd_context *context, const crd_i_arcs *arcs);
char *crd_i_tiers_text(const crd_settings *settings);
CRD_MUST_USE crd_status crd_i_stem_parse(crd_settings *settings, crd_text text, crd_error *error);
/* N or N-M; false: it is none. */
CRD_MUST_USE bool crd_i_ngrams_parse(crd_i_token_rules *rules, crd_text text);
/* Whether the text is a form of a setting that begins with a word, rather than one of its lists. */
bool crd_i_setting_has_word(crd_i_setting_index setting, crd_text text);

/* Whether a value, which was refused, has a word that the setting does not know, as a later version might: `quoted` is
 * that word. */
CRD_MUST_USE crd_status crd_i_settings_unknown_word(crd_context *context, const crd_setting *setting, crd_text value,
                                                    char quoted[CRD_I_QUOTED_ROOM], bool *is_unknown, crd_error *error);

/* Whether a setting, which there is, has its default value. */
bool crd_i_settings_is_default(const crd_settings *settings, const char *name);
/* What smoothing bdeu:S means for densities: S rows spread evenly over the table of an attribute's values by so many
 * classes are S / classes rows in each of them, as those of m:M. The text stays; other smoothing is as it was. */
void crd_i_settings_for_classes(crd_settings *settings, size_t classes);
/* The search by which the arcs of a network are found, by the method or the structure, and the k of k-dependence; NONE where
 * they are stated, or the method is another. */
crd_i_search_choice crd_i_settings_search(const crd_settings *settings, size_t *dependence);
/* What is taken together under the method and the stated blocks. */
crd_i_together crd_i_settings_together(const crd_settings *settings);

/* The estimator that a network has: hidden nodes are never counted, so that EM is meant where they are stated. */
crd_i_estimator crd_i_settings_estimator(const crd_settings *settings);
/* Whether a node is stated to be hidden, and how many states it has; 0: that is to be chosen. */
bool crd_i_settings_hidden(const crd_settings *settings, crd_text name, size_t *states);

/* The rules by which texts become terms. */
crd_i_token_rules crd_i_settings_token_rules(const crd_settings *settings);
/* CRD_ERROR_SETTING where texts were counted under `counted` and a question states other rules, naming both: counts of
 * terms are all that remains of a text, so that rules are fixed at training. */
CRD_MUST_USE crd_status crd_i_settings_check_counted(const crd_settings *counted, const crd_settings *stated,
                                                     crd_error *error);

/* The extra tallies that the chosen families read, as a set. */
crd_i_extras crd_i_settings_extras(const crd_settings *settings);

#endif
