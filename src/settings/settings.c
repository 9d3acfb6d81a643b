/* SPDX-License-Identifier: MIT */
/* settings.c - parses settings from text, and formats them as canonical text, by the table in setting_table.c.
 *
 * Texts with the same meaning have the same canonical text: "m:1.0" is "m:1", and no smoothing has one name however it
 * was written. So settings can be compared, and models that contain them are byte-identical.
 *
 * Contents:
 *   1. Setting values
 *   2. Texts and objects */
#include "settings/settings_internal.h"

#include "base/memory.h"
#include "base/text.h"

#include <credence/number.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Setting values ========
 *
 * Converts the form of a setting and its argument, as listed in setting_table.c, to the fields that densities and
 * methods read.
 *
 * Forms with the same meaning are converted to one of them, so texts with the same meaning have the same canonical
 * text. For example, a strength of 0 becomes none, and k2 becomes laplace:1. */

/* Sets the smoothing of a conditional probability table. For a variable with k values, a value v and q conditions c:
 *
 *   m:M            P(v | c) = (n_vc + M / k) / (n_c + M)           m-estimate (Cestnik 1990)
 *   m:M:marginal   P(v | c) = (n_vc + M P(v)) / (n_c + M)
 *   laplace:L      P(v | c) = (n_vc + L) / (n_c + L k)             k2 is L = 1 (Cooper and Herskovits 1992)
 *   bdeu:S         P(v | c) = (n_vc + S / (k q)) / (n_c + S / q)   (Heckerman, Geiger and Chickering 1995) */
static crd_i_setting_value apply_smoothing(crd_settings *settings, crd_i_setting_value value) {
    enum { NONE, M, MARGINAL, LAPLACE, BDEU, K2 };
    const crd_i_setting_value none = {NONE, 0};
    if (value.form == K2) value = (crd_i_setting_value){LAPLACE, 1};
    if (value.argument == 0) value = none;
    settings->smoothing = value.form == NONE      ? CRD_I_SMOOTHING_NONE
                          : value.form == LAPLACE ? CRD_I_SMOOTHING_LAPLACE
                                                  : CRD_I_SMOOTHING_M;
    settings->smoothing_strength = value.argument;
    settings->smoothing_marginal = value.form == MARGINAL;
    settings->smoothing_bdeu = value.form == BDEU ? value.argument : 0;
    return value;
}

static crd_i_setting_value apply_prior(crd_settings *settings, crd_i_setting_value value) {
    static const crd_i_prior priors[] = {CRD_I_PRIOR_FREQUENCY, CRD_I_PRIOR_LAPLACE, CRD_I_PRIOR_UNIFORM};
    if (priors[value.form] == CRD_I_PRIOR_LAPLACE && value.argument == 0) value.form = 0;
    settings->prior = priors[value.form];
    settings->prior_strength = value.argument;
    return value;
}

static void apply_histogram(crd_settings *settings, crd_i_setting_value value) {
    static const crd_i_histogram_rule rules[] = {
        CRD_I_HISTOGRAM_STURGES,   CRD_I_HISTOGRAM_SCOTT, CRD_I_HISTOGRAM_FREEDMAN,  CRD_I_HISTOGRAM_WIDTH,
        CRD_I_HISTOGRAM_FREQUENCY, CRD_I_HISTOGRAM_EDGES, CRD_I_HISTOGRAM_LIKELIHOOD};
    settings->histogram = rules[value.form];
    settings->histogram_bins = value.argument;
    if (settings->histogram != CRD_I_HISTOGRAM_EDGES) settings->histogram_edge_count = 0;
}

static void apply_covariance(crd_settings *settings, crd_i_setting_value value) {
    enum { AUTO, FULL, FULL_SHRUNK, TIED, TIED_SHRUNK, DIAG };
    static const crd_i_covariance_form forms[] = {
        [AUTO] = CRD_I_COVARIANCE_AUTO, [FULL] = CRD_I_COVARIANCE_FULL,        [FULL_SHRUNK] = CRD_I_COVARIANCE_FULL,
        [TIED] = CRD_I_COVARIANCE_TIED, [TIED_SHRUNK] = CRD_I_COVARIANCE_TIED, [DIAG] = CRD_I_COVARIANCE_DIAG};
    settings->stated_covariance = forms[value.form];
    settings->stated_shrinkage = value.form == FULL_SHRUNK || value.form == TIED_SHRUNK ? value.argument : NAN;
}

/* Sets the method. The methods tan and kdb:K are networks whose structure is learned by a search. The methods lda and
 * qda are naive Bayes with a joint normal density of all numbers. */
static void apply_method(crd_settings *settings, crd_i_setting_value value) {
    enum { LDA = 1, QDA, TAN = 11, KDB };
    static const crd_i_method methods[] = {
        CRD_I_METHOD_NAIVE,    CRD_I_METHOD_NAIVE,   CRD_I_METHOD_NAIVE,   CRD_I_METHOD_JOINT,    CRD_I_METHOD_AODE,
        CRD_I_METHOD_PAIRWISE, CRD_I_METHOD_TREES,   CRD_I_METHOD_BAGGING, CRD_I_METHOD_BOOSTING, CRD_I_METHOD_STACKING,
        CRD_I_METHOD_NETWORK,  CRD_I_METHOD_NETWORK, CRD_I_METHOD_NETWORK, CRD_I_METHOD_SEQUENCE};
    const bool is_search = value.form == TAN || value.form == KDB;
    const size_t argument = (size_t)value.argument;
    settings->method = methods[value.form];
    settings->method_members = is_search ? 0 : argument;
    settings->method_search = value.form == TAN ? CRD_I_SEARCH_TAN : is_search ? CRD_I_SEARCH_KDB : CRD_I_SEARCH_NONE;
    settings->method_dependence = is_search ? argument : 0;
    settings->method_covariance = value.form == LDA   ? CRD_I_COVARIANCE_TIED
                                  : value.form == QDA ? CRD_I_COVARIANCE_FULL
                                                      : CRD_I_COVARIANCE_AUTO;
}

/* Derives the fields that depend on several settings. The methods lda and qda determine the covariances, but accept a
 * shrinkage for them. */
static void settings_derive(crd_settings *settings) {
    const bool is_by_method = settings->method_covariance != CRD_I_COVARIANCE_AUTO;
    const bool fits = !is_by_method || settings->stated_covariance == settings->method_covariance;
    settings->covariance = is_by_method ? settings->method_covariance : settings->stated_covariance;
    settings->covariance_shrinkage = fits ? settings->stated_shrinkage : NAN;
}

static crd_i_setting_value apply_transitions(crd_settings *settings, crd_i_setting_value value) {
    bool has_strength = value.form == CRD_I_TRANSITIONS_M || value.form == CRD_I_TRANSITIONS_LAPLACE;
    if (has_strength && value.argument == 0) value.form = CRD_I_TRANSITIONS_NONE;
    settings->transitions = (crd_i_transition_estimate)value.form;
    settings->transition_strength = value.argument;
    return value;
}

/* Sets the fields of a setting for sequences. */
static crd_i_setting_value apply_sequence(crd_settings *settings, crd_i_setting_index setting,
                                          crd_i_setting_value value) {
    enum { LEFT_TO_RIGHT = 1, LEFT_TO_RIGHT_SKIP };
    switch ((int)setting) {
    case CRD_I_SETTING_STATES: settings->states = (size_t)value.argument; break;
    case CRD_I_SETTING_ORDER: settings->order = (size_t)value.argument; break;
    case CRD_I_SETTING_TOPOLOGY:
        settings->is_left_to_right = value.form >= LEFT_TO_RIGHT;
        settings->most_skipped = value.form == LEFT_TO_RIGHT_SKIP ? (size_t)value.argument : SIZE_MAX;
        break;
    case CRD_I_SETTING_END_PROBABILITIES: settings->has_end_probabilities = value.form == 1; break;
    case CRD_I_SETTING_TRANSITIONS: return apply_transitions(settings, value);
    case CRD_I_SETTING_STATE_MIXTURE: settings->components = (size_t)value.argument; break;
    default:
        settings->unseen_words = (crd_i_unseen_rule)value.form;
        settings->longest_suffix = (size_t)value.argument;
        break;
    }
    return value;
}

/* Sets a number of documents. A fraction of 1 and a count of 1 have the same text, which means the count. A minimum of
 * 0 or 1 documents means at least one. */
static crd_i_setting_value apply_documents(double *destination, crd_i_setting_value value) {
    if (value.argument >= 1) value.argument = floor(value.argument);
    *destination = value.argument;
    return value;
}

/* Sets the fields of a setting for texts. */
static crd_i_setting_value apply_text(crd_settings *settings, crd_i_setting_index setting, crd_i_setting_value value) {
    switch ((int)setting) {
    case CRD_I_SETTING_TERM_SMOOTHING: settings->term_smoothing = value.argument; break;
    case CRD_I_SETTING_TF: settings->tf = (crd_i_tf)value.form; break;
    case CRD_I_SETTING_LENGTH_NORMALIZATION:
        settings->length = (crd_i_length_rule)value.form;
        settings->length_given = value.argument;
        break;
    case CRD_I_SETTING_COMPLEMENT_WEIGHTS: settings->complement_plain = value.form == 1; break;
    case CRD_I_SETTING_MIN_DF: return apply_documents(&settings->min_df, value);
    case CRD_I_SETTING_MAX_DF: return apply_documents(&settings->max_df, value);
    case CRD_I_SETTING_STOP_WORDS: settings->stop_rule = (crd_i_stop_rule)value.form; break;
    default: settings->max_terms = (size_t)value.argument; break;
    }
    return value;
}

/* Sets the fields of a setting for tokenization. */
static void apply_tokens(crd_i_token_rules *rules, crd_i_setting_index setting, crd_i_setting_value value) {
    switch ((int)setting) {
    case CRD_I_SETTING_TOKENS: rules->unit = (crd_i_token_unit)value.form; break;
    case CRD_I_SETTING_LETTER_CASE: rules->fold_case = value.form == 0; break;
    case CRD_I_SETTING_STEM: memset(rules->stemmer, 0, sizeof rules->stemmer); break;
    case CRD_I_SETTING_SPARSE_BIGRAMS: rules->sparse_bigrams = (unsigned)value.argument; break;
    default: rules->hash_bits = (unsigned)value.argument; break;
    }
}

/* Sets the fields of a setting without a list. Returns the value that the canonical text represents. */
static crd_i_setting_value setting_apply(crd_settings *settings, crd_i_setting_index setting,
                                         crd_i_setting_value value) {
    /* If the forms have the order of an enumeration, a cast is sufficient. */
    switch (setting) {
    case CRD_I_SETTING_SMOOTHING: return apply_smoothing(settings, value);
    case CRD_I_SETTING_PRIOR: return apply_prior(settings, value);
    case CRD_I_SETTING_VARIANCE: settings->sample_variance = value.form == 1; break;
    case CRD_I_SETTING_POOL_VARIANCE:
        settings->share_classes = value.form == 1 || value.form == 3;
        settings->share_attributes = value.form == 2 || value.form == 3;
        break;
    case CRD_I_SETTING_MIN_SD: settings->min_sd = value.argument; break;
    case CRD_I_SETTING_HISTOGRAM: apply_histogram(settings, value); break;
    case CRD_I_SETTING_BANDWIDTH:
        settings->bandwidth = (crd_i_bandwidth)value.form;
        settings->bandwidth_given = value.argument;
        break;
    case CRD_I_SETTING_MIXTURE:
        settings->mixture_most = value.form == 0 ? (size_t)value.argument : 0;
        settings->mixture_curves = value.form == 1 ? (size_t)value.argument : 0;
        break;
    case CRD_I_SETTING_STUDENT:
        settings->student = (crd_i_student_rule)value.form;
        settings->student_given = value.argument;
        break;
    case CRD_I_SETTING_METHOD: apply_method(settings, value); break;
    case CRD_I_SETTING_JOINT:
        settings->joint = (crd_i_together)value.form;
        settings->joint_count = 0;
        break;
    case CRD_I_SETTING_COVARIANCE: apply_covariance(settings, value); break;
    case CRD_I_SETTING_JOINT_MIXTURE:
        settings->is_joint_mixture = value.form > 0;
        settings->joint_components = (size_t)value.argument;
        break;
    case CRD_I_SETTING_ATTRIBUTE_WEIGHTS: settings->attribute_weights_fitted = value.form == 1; break;
    case CRD_I_SETTING_CALIBRATION: settings->calibration = (crd_i_calibration_rule)value.form; break;
    case CRD_I_SETTING_ESTIMATOR: settings->estimator = (crd_i_estimator)value.form; break;
    case CRD_I_SETTING_EM_STARTS: settings->em_starts = (size_t)value.argument; break;
    case CRD_I_SETTING_ITERATIONS: settings->iterations = (size_t)value.argument; break;
    case CRD_I_SETTING_TOLERANCE: settings->tolerance = value.argument; break;
    case CRD_I_SETTING_SEARCH:
        settings->structure_search = (crd_i_search_choice)value.form;
        settings->structure_dependence = (size_t)value.argument;
        break;
    case CRD_I_SETTING_ALPHA: settings->alpha = value.argument; break;
    case CRD_I_SETTING_TIERS: settings->tier_count = 0; break;
    case CRD_I_SETTING_MAX_PARENTS: settings->max_parents = (size_t)value.argument; break;
    case CRD_I_SETTING_MAX_CONDITIONING:
        settings->max_conditioning = value.form == 1 ? SIZE_MAX : (size_t)value.argument;
        break;
    case CRD_I_SETTING_RESTARTS: settings->restarts = value.form == 0 ? SIZE_MAX : (size_t)value.argument; break;
    case CRD_I_SETTING_STATES:
    case CRD_I_SETTING_ORDER:
    case CRD_I_SETTING_TOPOLOGY:
    case CRD_I_SETTING_END_PROBABILITIES:
    case CRD_I_SETTING_TRANSITIONS:
    case CRD_I_SETTING_STATE_MIXTURE:
    case CRD_I_SETTING_UNSEEN_WORDS: return apply_sequence(settings, setting, value);
    case CRD_I_SETTING_TERM_SMOOTHING:
    case CRD_I_SETTING_TF:
    case CRD_I_SETTING_LENGTH_NORMALIZATION:
    case CRD_I_SETTING_COMPLEMENT_WEIGHTS:
    case CRD_I_SETTING_MIN_DF:
    case CRD_I_SETTING_MAX_DF:
    case CRD_I_SETTING_STOP_WORDS:
    case CRD_I_SETTING_MAX_TERMS: return apply_text(settings, setting, value);
    case CRD_I_SETTING_TOKENS:
    case CRD_I_SETTING_LETTER_CASE:
    case CRD_I_SETTING_STEM:
    case CRD_I_SETTING_SPARSE_BIGRAMS:
    case CRD_I_SETTING_HASH: apply_tokens(&settings->token_rules, setting, value); break;
    /* These settings consist only of their lists or texts, so there is nothing to set. */
    case CRD_I_SETTING_FAMILY:
    case CRD_I_SETTING_ARCS:
    case CRD_I_SETTING_LATENT_NODES:
    case CRD_I_SETTING_SCORE:
    case CRD_I_SETTING_CI_TEST:
    case CRD_I_SETTING_REQUIRED_ARCS:
    case CRD_I_SETTING_FORBIDDEN_ARCS:
    case CRD_I_SETTING_FORBIDDEN_TRANSITIONS:
    case CRD_I_SETTING_NGRAMS:
    case CRD_I_SETTING_COUNT: break;
    }
    return value;
}

/* Parses ascending numbers separated by colons. false: the text is not such a list. */
static bool edges_parse(crd_settings *settings, crd_text text) {
    size_t count = 0;
    for (size_t begin = 0, end; begin <= text.length; begin = end + 1) {
        for (end = begin; end < text.length && text.bytes[end] != ':';) end++;
        crd_text part = {text.bytes + begin, end - begin};
        double value;
        if (count == CRD_I_MOST_EDGES || crd_number_parse(part, &value) != CRD_NUMBER_FINITE) return false;
        value += 0.0; /* -0 becomes 0 */
        if (count > 0 && !(value > settings->histogram_edges[count - 1])) return false;
        settings->histogram_edges[count++] = value;
    }
    settings->histogram_edge_count = count;
    return count >= 2;
}

crd_i_together crd_i_settings_together(const crd_settings *settings) {
    if (settings->joint != CRD_I_TOGETHER_NONE) return settings->joint;
    if (settings->method_covariance != CRD_I_COVARIANCE_AUTO) return CRD_I_TOGETHER_NUMBERS;
    return settings->method == CRD_I_METHOD_JOINT ? CRD_I_TOGETHER_ALL : CRD_I_TOGETHER_NONE;
}

crd_i_estimator crd_i_settings_estimator(const crd_settings *settings) {
    if (settings->method != CRD_I_METHOD_NETWORK) return CRD_I_ESTIMATOR_COUNTS;
    bool is_counted = settings->estimator == CRD_I_ESTIMATOR_COUNTS;
    return is_counted && settings->latent_nodes != NULL ? CRD_I_ESTIMATOR_EM : settings->estimator;
}

crd_i_search_choice crd_i_settings_search(const crd_settings *settings, size_t *dependence) {
    bool is_searched = settings->method == CRD_I_METHOD_NETWORK && settings->structure_nodes == NULL;
    bool is_by_method = settings->method_search != CRD_I_SEARCH_NONE;
    *dependence = !is_searched ? 0 : is_by_method ? settings->method_dependence : settings->structure_dependence;
    return !is_searched ? CRD_I_SEARCH_NONE : is_by_method ? settings->method_search : settings->structure_search;
}

/* ======== 2. Texts and objects ======== */

static const char *settings_name(size_t setting) {
    return crd_setting_at(setting)->name;
}

/* ---- Lists ---- */

static void destroy_dictionary(crd_context *context, void *block) {
    (void)context;
    crd_i_dictionary_destroy(block);
}

/* A field of crd_settings that points to memory owned by one setting. */
typedef struct owned_field {
    crd_i_setting_index setting;
    size_t offset;
    void (*destroy)(crd_context *context, void *block);
} owned_field;

static const owned_field owned_fields[] = {
    {CRD_I_SETTING_PRIOR, offsetof(crd_settings, prior_classes), destroy_dictionary},
    {CRD_I_SETTING_PRIOR, offsetof(crd_settings, prior_probabilities), crd_free},
    {CRD_I_SETTING_FAMILY, offsetof(crd_settings, family_columns), destroy_dictionary},
    {CRD_I_SETTING_FAMILY, offsetof(crd_settings, family_choices), crd_free},
    {CRD_I_SETTING_JOINT, offsetof(crd_settings, joint_columns), destroy_dictionary},
    {CRD_I_SETTING_JOINT, offsetof(crd_settings, joint_ends), crd_free},
    {CRD_I_SETTING_ARCS, offsetof(crd_settings, structure_nodes), destroy_dictionary},
    {CRD_I_SETTING_ARCS, offsetof(crd_settings, structure_parents), crd_free},
    {CRD_I_SETTING_ARCS, offsetof(crd_settings, structure_ends), crd_free},
    {CRD_I_SETTING_LATENT_NODES, offsetof(crd_settings, latent_nodes), destroy_dictionary},
    {CRD_I_SETTING_LATENT_NODES, offsetof(crd_settings, latent_states), crd_free},
    {CRD_I_SETTING_REQUIRED_ARCS, offsetof(crd_settings, required_arcs.nodes), destroy_dictionary},
    {CRD_I_SETTING_REQUIRED_ARCS, offsetof(crd_settings, required_arcs.parents), crd_free},
    {CRD_I_SETTING_REQUIRED_ARCS, offsetof(crd_settings, required_arcs.ends), crd_free},
    {CRD_I_SETTING_FORBIDDEN_ARCS, offsetof(crd_settings, forbidden_arcs.nodes), destroy_dictionary},
    {CRD_I_SETTING_FORBIDDEN_ARCS, offsetof(crd_settings, forbidden_arcs.parents), crd_free},
    {CRD_I_SETTING_FORBIDDEN_ARCS, offsetof(crd_settings, forbidden_arcs.ends), crd_free},
    {CRD_I_SETTING_FORBIDDEN_TRANSITIONS, offsetof(crd_settings, forbidden_transitions.nodes), destroy_dictionary},
    {CRD_I_SETTING_FORBIDDEN_TRANSITIONS, offsetof(crd_settings, forbidden_transitions.parents), crd_free},
    {CRD_I_SETTING_FORBIDDEN_TRANSITIONS, offsetof(crd_settings, forbidden_transitions.ends), crd_free},
    {CRD_I_SETTING_TIERS, offsetof(crd_settings, tier_columns), destroy_dictionary},
    {CRD_I_SETTING_TIERS, offsetof(crd_settings, tier_ends), crd_free},
    {CRD_I_SETTING_STOP_WORDS, offsetof(crd_settings, stop_words), destroy_dictionary},
};
enum { OWNED_FIELDS = sizeof owned_fields / sizeof *owned_fields };

/* Sets the list fields of a setting to NULL. Fields are accessed as bytes, because they are pointers of several
 * types. */
static void forget_lists(crd_settings *settings, size_t setting) {
    void *const none = NULL;
    for (size_t i = 0; i < OWNED_FIELDS; i++)
        if (owned_fields[i].setting == setting) memcpy((char *)settings + owned_fields[i].offset, &none, sizeof none);
}

static void destroy_lists(const crd_settings *settings, size_t setting) {
    for (size_t i = 0; i < OWNED_FIELDS; i++) {
        void *block;
        if (owned_fields[i].setting != setting) continue;
        memcpy(&block, (const char *)settings + owned_fields[i].offset, sizeof block);
        owned_fields[i].destroy(settings->context, block);
    }
}

/* ---- Parsing ---- */

static crd_status settings_refuse(size_t setting, crd_text text, crd_error *error) {
    /* The meaning of the letters in the syntax. */
    static const char *const letters[CRD_I_SETTING_COUNT] = {
        [CRD_I_SETTING_SMOOTHING] = ", with numbers for M, L and S, such as m:1 or laplace:1",
        [CRD_I_SETTING_PRIOR] = ", with a number for L and probabilities for P, such as laplace:1",
        [CRD_I_SETTING_MIN_SD] = ", a number of at least zero",
        [CRD_I_SETTING_HISTOGRAM] =
            ", with a whole number for N up to 4096, and up to 64 ascending numbers for A:B:..., such as edges:0:1:10",
        [CRD_I_SETTING_BANDWIDTH] = ", with a number above zero for H",
        [CRD_I_SETTING_MIXTURE] = ", with whole numbers from 1 to 16, such as bic:3",
        [CRD_I_SETTING_STUDENT] = ", with a number of at least zero for K",
        [CRD_I_SETTING_METHOD] = ", with a whole number for N from 1 to 1000, such as bagging:25, and for K up to 16",
        [CRD_I_SETTING_COVARIANCE] = ", with a number from 0 to 1 for S",
        [CRD_I_SETTING_JOINT_MIXTURE] = ", with a whole number for K from 1 to 16",
        [CRD_I_SETTING_SEARCH] = ", with a whole number for K from 0 to 16, such as kdb:2",
        [CRD_I_SETTING_SCORE] = ", with a number above zero for S, such as bdeu:10",
        [CRD_I_SETTING_ALPHA] = ", a number from 0 to 1",
        [CRD_I_SETTING_MAX_PARENTS] = ", a whole number",
        [CRD_I_SETTING_MAX_CONDITIONING] = ", a whole number",
        [CRD_I_SETTING_RESTARTS] = ", a whole number",
        [CRD_I_SETTING_EM_STARTS] = ", a whole number from 1 to 1000",
        [CRD_I_SETTING_STATES] = ", a whole number from 1 to 1000",
        [CRD_I_SETTING_ORDER] = ", a whole number from 1 to 3",
        [CRD_I_SETTING_TOPOLOGY] = ", with a whole number for SKIP",
        [CRD_I_SETTING_TRANSITIONS] = ", with numbers for M and L, such as m:1",
        [CRD_I_SETTING_STATE_MIXTURE] = ", a whole number from 1 to 64",
        [CRD_I_SETTING_UNSEEN_WORDS] = ", with a whole number for N from 1 to 20",
        [CRD_I_SETTING_TERM_SMOOTHING] = ", with a number of at least 1e-10 for A",
        [CRD_I_SETTING_LENGTH_NORMALIZATION] = ", with a number above zero for N",
        [CRD_I_SETTING_MIN_DF] = ", a number of at least zero",
        [CRD_I_SETTING_MAX_DF] = ", with a number above zero for N",
        [CRD_I_SETTING_MAX_TERMS] = ", a whole number above zero",
        [CRD_I_SETTING_NGRAMS] = ", whole numbers from 1 to 8 such as 1-2",
        [CRD_I_SETTING_SPARSE_BIGRAMS] = ", a whole number from 0 to 8",
        [CRD_I_SETTING_HASH] = ", with a whole number for BITS from 8 to 30",
        [CRD_I_SETTING_ITERATIONS] = ", a whole number from 1 to 1000000",
        [CRD_I_SETTING_TOLERANCE] = ", a number from 0 to 1"};
    char quoted[CRD_I_QUOTED_ROOM];
    if (setting == CRD_I_SETTING_METHOD && crd_text_equal(text, crd_text_of("auto")))
        crd_i_fail(error, CRD_ERROR_SETTING,
                   "method=auto compares methods on rows, so it is only available in training");
    else
        crd_i_fail(error, CRD_ERROR_SETTING, "%s does not accept '%s'; it accepts %s%s", settings_name(setting),
                   crd_i_quote(text, quoted), crd_setting_at(setting)->syntax,
                   letters[setting] == NULL ? "" : letters[setting]);
    crd_i_error_subject(error, crd_text_of(settings_name(setting)));
    return CRD_ERROR_SETTING;
}

static bool settings_begins_with(crd_text text, const char *prefix) {
    size_t length = strlen(prefix);
    return text.length >= length && memcmp(text.bytes, prefix, length) == 0;
}

/* Finds the argument of a form in the text. false: the text does not have this form. */
static bool find_argument(const crd_setting_form *form, crd_text text, crd_text *argument) {
    *argument = text;
    if (form->type == CRD_SETTING_ARGUMENT_NONE) return crd_text_equal(text, crd_text_of(form->word));
    if (form->word != NULL) {
        size_t length = strlen(form->word);
        if (!settings_begins_with(text, form->word) || text.length == length || text.bytes[length] != ':') return false;
        argument->bytes += length + 1;
        argument->length -= length + 1;
    }
    if (form->suffix != NULL) {
        size_t length = strlen(form->suffix);
        if (argument->length <= length || argument->bytes[argument->length - length - 1] != ':' ||
            memcmp(argument->bytes + argument->length - length, form->suffix, length) != 0)
            return false;
        argument->length -= length + 1;
    }
    return true;
}

/* Parses the argument of a form. false: it is not a number, or is out of bounds. */
static bool settings_parse_number(const crd_setting_form *form, crd_text text, double *out) {
    double value;
    if (crd_number_parse(text, &value) != CRD_NUMBER_FINITE || !(value >= form->least && value <= form->greatest))
        return false;
    *out = value + 0.0; /* -0 becomes 0 */
    return form->type != CRD_SETTING_ARGUMENT_INTEGER || value == (double)(int64_t)value;
}

/* Parses the lists of a setting. Each parser reports its own errors. */
static crd_status settings_parse_list(crd_settings *settings, size_t setting, crd_setting_argument type, crd_text text,
                                      crd_error *error) {
    if (type == CRD_SETTING_ARGUMENT_PRIORS) {
        settings->prior = CRD_I_PRIOR_GIVEN;
        settings->prior_strength = 0;
        return crd_i_prior_parse(settings->context, text, &settings->prior_classes, &settings->prior_probabilities,
                                 error);
    }
    if (type == CRD_SETTING_ARGUMENT_FAMILIES)
        return crd_i_family_parse(settings->context, text, &settings->family_columns, &settings->family_choices,
                                  &settings->family_of_others, error);
    if (type == CRD_SETTING_ARGUMENT_LANGUAGE) return crd_i_stem_parse(settings, text, error);
    if (type == CRD_SETTING_ARGUMENT_LATENT_NODES) return crd_i_latent_nodes_parse(settings, text, error);
    if (type == CRD_SETTING_ARGUMENT_WORDS) return crd_i_stop_words_parse(settings, text, error);
    switch (setting) {
    case CRD_I_SETTING_JOINT: return crd_i_joint_parse(settings, text, error);
    case CRD_I_SETTING_TIERS: return crd_i_tiers_parse(settings, text, error);
    case CRD_I_SETTING_REQUIRED_ARCS: return crd_i_required_arcs_parse(settings, text, error);
    case CRD_I_SETTING_FORBIDDEN_ARCS: return crd_i_forbidden_arcs_parse(settings, text, error);
    case CRD_I_SETTING_FORBIDDEN_TRANSITIONS: return crd_i_forbidden_transitions_parse(settings, text, error);
    default: return crd_i_arcs_parse(settings, text, error);
    }
}

bool crd_i_setting_has_word(crd_i_setting_index setting, crd_text text) {
    const crd_setting *row = crd_setting_at(setting);
    for (size_t i = 0; i < row->form_count; i++) {
        crd_text argument;
        if (row->forms[i].word != NULL && find_argument(&row->forms[i], text, &argument)) return true;
    }
    return false;
}

/* Parses the value of a setting by the first form that matches. A list of priors must contain '='; otherwise the text
 * is probably a misspelled word. */
static crd_status settings_parse(crd_settings *settings, size_t setting, crd_text text, crd_error *error) {
    const crd_setting *row = crd_setting_at(setting);
    for (size_t i = 0; i < row->form_count; i++) {
        const crd_setting_form *form = &row->forms[i];
        crd_i_setting_value value = {i, 0};
        crd_text argument;
        if (!find_argument(form, text, &argument)) continue;
        if (form->type == CRD_SETTING_ARGUMENT_PRIORS &&
            (text.length == 0 || memchr(text.bytes, '=', text.length) == NULL))
            continue;
        /* A search with an invalid argument must not be parsed as a node of that name. */
        if (form->type == CRD_SETTING_ARGUMENT_ARCS && crd_i_setting_has_word((crd_i_setting_index)setting, text))
            continue;
        if (form->type >= CRD_SETTING_ARGUMENT_PRIORS && form->type != CRD_SETTING_ARGUMENT_RANGE) {
            crd_status status = settings_parse_list(settings, setting, form->type, argument, error);
            if (status == CRD_ERROR_SETTING) crd_i_error_subject(error, crd_text_of(row->name));
            settings->values[setting] = value;
            return status;
        }
        if (form->type == CRD_SETTING_ARGUMENT_NUMBERS) {
            if (!edges_parse(settings, argument)) continue;
        } else if (form->type == CRD_SETTING_ARGUMENT_RANGE) {
            if (!crd_i_ngrams_parse(&settings->token_rules, argument)) continue;
        } else if (form->type != CRD_SETTING_ARGUMENT_NONE && !settings_parse_number(form, argument, &value.argument)) {
            continue;
        }
        settings->values[setting] = setting_apply(settings, (crd_i_setting_index)setting, value);
        return CRD_OK;
    }
    return settings_refuse(setting, text, error);
}

/* ---- Canonical texts ---- */

static char *edges_text(const crd_settings *settings) {
    char buffer[16 + CRD_I_MOST_EDGES * (CRD_NUMBER_ROOM + 1)], number[CRD_NUMBER_ROOM];
    size_t used = (size_t)snprintf(buffer, sizeof buffer, "edges");
    for (size_t i = 0; i < settings->histogram_edge_count; i++) {
        crd_number_format(settings->histogram_edges[i], number);
        used += (size_t)snprintf(buffer + used, sizeof buffer - used, ":%s", number);
    }
    return (char *)crd_i_text_copy(settings->context, crd_text_of(buffer)).bytes;
}

static char *canonical_text(const crd_settings *settings, size_t setting) {
    const crd_i_setting_value value = settings->values[setting];
    const crd_setting_form *form = &crd_setting_at(setting)->forms[value.form];
    char number[CRD_NUMBER_ROOM], buffer[CRD_NUMBER_ROOM + 32];
    int used;
    switch (form->type) {
    case CRD_SETTING_ARGUMENT_PRIORS:
        return crd_i_prior_text(settings->context, settings->prior_classes, settings->prior_probabilities);
    case CRD_SETTING_ARGUMENT_FAMILIES: return crd_i_family_text(settings->context, settings);
    case CRD_SETTING_ARGUMENT_COLUMNS:
        return setting == CRD_I_SETTING_TIERS ? crd_i_tiers_text(settings) : crd_i_joint_text(settings);
    case CRD_SETTING_ARGUMENT_ARCS:
        switch (setting) {
        case CRD_I_SETTING_REQUIRED_ARCS: return crd_i_arcs_text(settings->context, &settings->required_arcs);
        case CRD_I_SETTING_FORBIDDEN_ARCS: return crd_i_arcs_text(settings->context, &settings->forbidden_arcs);
        case CRD_I_SETTING_FORBIDDEN_TRANSITIONS:
            return crd_i_arcs_text(settings->context, &settings->forbidden_transitions);
        default: return crd_i_arcs_setting_text(settings);
        }
    case CRD_SETTING_ARGUMENT_LATENT_NODES: return crd_i_latent_nodes_text(settings);
    case CRD_SETTING_ARGUMENT_WORDS: return crd_i_stop_words_text(settings);
    case CRD_SETTING_ARGUMENT_NUMBERS: return edges_text(settings);
    case CRD_SETTING_ARGUMENT_RANGE:
        used = snprintf(buffer, sizeof buffer, "%u", settings->token_rules.least_ngram);
        if (settings->token_rules.most_ngram > settings->token_rules.least_ngram)
            snprintf(buffer + used, sizeof buffer - (size_t)used, "-%u", settings->token_rules.most_ngram);
        break;
    case CRD_SETTING_ARGUMENT_LANGUAGE: snprintf(buffer, sizeof buffer, "%s", settings->token_rules.stemmer); break;
    case CRD_SETTING_ARGUMENT_NONE: snprintf(buffer, sizeof buffer, "%s", form->word); break;
    case CRD_SETTING_ARGUMENT_NUMBER:
    case CRD_SETTING_ARGUMENT_INTEGER:
        crd_number_format(value.argument, number);
        snprintf(buffer, sizeof buffer, "%s%s%s%s%s", form->word == NULL ? "" : form->word,
                 form->word == NULL ? "" : ":", number, form->suffix == NULL ? "" : ":",
                 form->suffix == NULL ? "" : form->suffix);
        break;
    }
    return (char *)crd_i_text_copy(settings->context, crd_text_of(buffer)).bytes;
}

/* ---- Object ---- */

/* Returns the default text of a setting. Thousands of models may be loaded, with nearly all settings at their defaults,
 * so they share the texts of the table. */
static char *default_text(size_t setting) {
    return (char *)(uintptr_t)crd_setting_at(setting)->default_value;
}

static void free_text(crd_settings *settings, size_t setting) {
    if (settings->texts[setting] != default_text(setting)) crd_free(settings->context, settings->texts[setting]);
}

crd_status crd_settings_create(crd_context *context, crd_settings **out, crd_error *error) {
    *out = NULL;
    crd_settings *settings = crd_i_alloc_zeroed(context, 1, sizeof *settings);
    if (settings == NULL) return crd_i_fail_memory(error);
    settings->context = context;
    for (size_t i = 0; i < CRD_I_SETTING_COUNT; i++) {
        settings->texts[i] = default_text(i);
        crd_status status = settings_parse(settings, i, crd_text_of(default_text(i)), error);
        if (status != CRD_OK) {
            crd_settings_destroy(settings);
            return status;
        }
    }
    settings_derive(settings);
    *out = settings;
    return CRD_OK;
}

crd_status crd_i_settings_copy(crd_context *context, const crd_settings *settings, crd_settings **out,
                               crd_error *error) {
    crd_settings *copy;
    crd_status status = crd_settings_create(context, &copy, error);
    for (size_t i = 0; status == CRD_OK && i < CRD_I_SETTING_COUNT; i++)
        if (strcmp(copy->texts[i], settings->texts[i]) != 0)
            status = crd_settings_set(copy, settings_name(i), crd_text_of(settings->texts[i]), error);
    if (status != CRD_OK) {
        crd_settings_destroy(copy);
        copy = NULL;
    }
    *out = copy;
    return status;
}

crd_status crd_settings_clone(const crd_settings *settings, crd_settings **out, crd_error *error) {
    return crd_i_settings_copy(settings->context, settings, out, error);
}

void crd_settings_destroy(crd_settings *settings) {
    if (settings == NULL) return;
    for (size_t i = 0; i < CRD_I_SETTING_COUNT; i++) {
        destroy_lists(settings, i);
        free_text(settings, i);
    }
    crd_free(settings->context, settings);
}

static size_t settings_find(const char *name) {
    size_t setting = 0;
    while (setting < CRD_I_SETTING_COUNT && strcmp(settings_name(setting), name) != 0) setting++;
    return setting;
}

/* Resets a setting to its default, which must be a word. Nothing is allocated, so this does not fail. */
static crd_status settings_reset(crd_settings *settings, size_t setting, crd_error *error) {
    destroy_lists(settings, setting);
    forget_lists(settings, setting);
    free_text(settings, setting);
    settings->texts[setting] = default_text(setting);
    return settings_parse(settings, setting, crd_text_of(default_text(setting)), error);
}

crd_status crd_settings_set(crd_settings *settings, const char *name, crd_text value, crd_error *error) {
    size_t setting = settings_find(name);
    if (setting == CRD_I_SETTING_COUNT) {
        char quoted[CRD_I_QUOTED_ROOM];
        return crd_i_fail(error, CRD_ERROR_SETTING, "unknown setting '%s'", crd_i_quote(crd_text_of(name), quoted));
    }
    /* Canonical texts end in NUL, so none may contain one. */
    if (value.length > 0 && memchr(value.bytes, '\0', value.length) != NULL)
        return settings_refuse(setting, value, error);
    /* Parse into a copy, so nothing changes until nothing can fail any more. */
    crd_settings changed = *settings;
    forget_lists(&changed, setting);
    crd_status status = settings_parse(&changed, setting, value, error);
    char *text = status == CRD_OK ? canonical_text(&changed, setting) : NULL;
    if (status == CRD_OK && text == NULL) status = crd_i_fail_memory(error);
    if (status != CRD_OK) {
        destroy_lists(&changed, setting);
        return status;
    }
    destroy_lists(settings, setting);
    free_text(settings, setting);
    changed.texts[setting] = text;
    settings_derive(&changed);
    *settings = changed;
    if (strcmp(text, default_text(setting)) == 0) return CRD_OK;
    if (setting == CRD_I_SETTING_SEARCH) return settings_reset(settings, CRD_I_SETTING_ARCS, error);
    if (setting == CRD_I_SETTING_ARCS) return settings_reset(settings, CRD_I_SETTING_SEARCH, error);
    return CRD_OK;
}

const char *crd_settings_get(const crd_settings *settings, const char *name) {
    size_t setting = settings_find(name);
    return setting == CRD_I_SETTING_COUNT ? NULL : settings->texts[setting];
}

bool crd_i_settings_equal(const crd_settings *a, const crd_settings *b) {
    for (size_t i = 0; i < CRD_I_SETTING_COUNT; i++)
        if (strcmp(a->texts[i], b->texts[i]) != 0) return false;
    return true;
}

bool crd_i_settings_is_default(const crd_settings *settings, const char *name) {
    size_t setting = settings_find(name);
    return strcmp(settings->texts[setting], crd_setting_at(setting)->default_value) == 0;
}

void crd_i_settings_for_classes(crd_settings *settings, size_t classes) {
    if (settings->smoothing_bdeu == 0) return;
    settings->smoothing_strength = settings->smoothing_bdeu / (double)classes;
    if (settings->smoothing_strength == 0) settings->smoothing = CRD_I_SMOOTHING_NONE;
}
