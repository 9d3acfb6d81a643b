/* SPDX-License-Identifier: MIT */
/* setting_values.c - converts the form of a setting and its argument, as listed in setting_table.c, to the fields that
 * densities and methods read.
 *
 * Forms with the same meaning are converted to one of them, so texts with the same meaning have the same canonical
 * text. For example, a strength of 0 becomes none, and k2 becomes laplace:1. */
#include "settings/settings_internal.h"

#include <credence/number.h>

#include <math.h>
#include <string.h>

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

static void apply_normal(crd_settings *settings, crd_i_setting_value value) {
    enum { AUTO, FULL, FULL_SHRUNK, SHARED, SHARED_SHRUNK, DIAGONAL, MIXTURE, MIXTURE_OF };
    static const crd_i_normal_form forms[] = {[AUTO] = CRD_I_NORMAL_AUTO,
                                              [FULL] = CRD_I_NORMAL_FULL,
                                              [FULL_SHRUNK] = CRD_I_NORMAL_FULL,
                                              [SHARED] = CRD_I_NORMAL_SHARED,
                                              [SHARED_SHRUNK] = CRD_I_NORMAL_SHARED,
                                              [DIAGONAL] = CRD_I_NORMAL_DIAGONAL,
                                              [MIXTURE] = CRD_I_NORMAL_MIXTURE,
                                              [MIXTURE_OF] = CRD_I_NORMAL_MIXTURE};
    settings->normal = forms[value.form];
    settings->normal_shrinkage = value.form == FULL_SHRUNK || value.form == SHARED_SHRUNK ? value.argument : NAN;
    settings->normal_curves = value.form == MIXTURE_OF ? (size_t)value.argument : 0;
}

static void apply_estimator(crd_settings *settings, crd_i_setting_value value) {
    enum { COUNTS, EM, EM_STARTS };
    settings->estimator = value.form == COUNTS      ? CRD_I_ESTIMATOR_COUNTS
                          : value.form <= EM_STARTS ? CRD_I_ESTIMATOR_EM
                                                    : CRD_I_ESTIMATOR_GRADIENT;
    settings->estimator_starts = (size_t)value.argument;
}

/* Sets the method. The methods tan and kdb:K are networks whose structure is learned by a search. */
static void apply_method(crd_settings *settings, crd_i_setting_value value) {
    enum { TAN = CRD_I_METHOD_NETWORK + 1, KDB, SEQUENCE };
    bool is_search = value.form == TAN || value.form == KDB;
    settings->method = is_search                ? CRD_I_METHOD_NETWORK
                       : value.form == SEQUENCE ? CRD_I_METHOD_SEQUENCE
                                                : (crd_i_method)value.form;
    settings->method_members = is_search ? 0 : (size_t)value.argument;
    settings->method_search = value.form == TAN ? CRD_I_SEARCH_TAN : is_search ? CRD_I_SEARCH_KDB : CRD_I_SEARCH_NONE;
    settings->method_dependence = is_search ? (size_t)value.argument : 0;
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
    case CRD_I_SETTING_ENDS: settings->counts_ends = value.form == 1; break;
    case CRD_I_SETTING_TRANSITIONS: return apply_transitions(settings, value);
    case CRD_I_SETTING_COMPONENTS: settings->components = (size_t)value.argument; break;
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
    case CRD_I_SETTING_LENGTH:
        settings->length = (crd_i_length_rule)value.form;
        settings->length_given = value.argument;
        break;
    case CRD_I_SETTING_COMPLEMENT_WEIGHTS: settings->complement_plain = value.form == 1; break;
    case CRD_I_SETTING_MIN_DOCUMENTS: return apply_documents(&settings->min_documents, value);
    case CRD_I_SETTING_MAX_DOCUMENTS: return apply_documents(&settings->max_documents, value);
    case CRD_I_SETTING_STOP_WORDS: settings->stop_rule = (crd_i_stop_rule)value.form; break;
    default: settings->vocabulary = (size_t)value.argument; break;
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

crd_i_setting_value crd_i_setting_apply(crd_settings *settings, crd_i_setting_index setting,
                                        crd_i_setting_value value) {
    /* If the forms have the order of an enumeration, a cast is sufficient. */
    switch (setting) {
    case CRD_I_SETTING_SMOOTHING: return apply_smoothing(settings, value);
    case CRD_I_SETTING_PRIOR: return apply_prior(settings, value);
    case CRD_I_SETTING_VARIANCE: settings->sample_variance = value.form == 1; break;
    case CRD_I_SETTING_SHARE_VARIANCE:
        settings->share_classes = value.form == 1 || value.form == 3;
        settings->share_attributes = value.form == 2 || value.form == 3;
        break;
    case CRD_I_SETTING_MIN_DEVIATION: settings->min_deviation = value.argument; break;
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
    case CRD_I_SETTING_NORMAL: apply_normal(settings, value); break;
    case CRD_I_SETTING_EXPONENTS: settings->exponents_fitted = value.form == 1; break;
    case CRD_I_SETTING_CALIBRATION: settings->calibration = (crd_i_calibration_rule)value.form; break;
    case CRD_I_SETTING_ESTIMATOR: apply_estimator(settings, value); break;
    case CRD_I_SETTING_ITERATIONS: settings->iterations = (size_t)value.argument; break;
    case CRD_I_SETTING_TOLERANCE: settings->tolerance = value.argument; break;
    case CRD_I_SETTING_STRUCTURE:
        settings->structure_search = (crd_i_search_choice)value.form;
        settings->structure_dependence = (size_t)value.argument;
        break;
    case CRD_I_SETTING_ALPHA: settings->alpha = value.argument; break;
    case CRD_I_SETTING_TIERS: settings->tier_count = 0; break;
    case CRD_I_SETTING_MOST_PARENTS: settings->most_parents = (size_t)value.argument; break;
    case CRD_I_SETTING_MAX_CONDITIONING:
        settings->max_conditioning = value.form == 1 ? SIZE_MAX : (size_t)value.argument;
        break;
    case CRD_I_SETTING_RESTARTS: settings->restarts = value.form == 0 ? SIZE_MAX : (size_t)value.argument; break;
    case CRD_I_SETTING_STATES:
    case CRD_I_SETTING_ORDER:
    case CRD_I_SETTING_TOPOLOGY:
    case CRD_I_SETTING_ENDS:
    case CRD_I_SETTING_TRANSITIONS:
    case CRD_I_SETTING_COMPONENTS:
    case CRD_I_SETTING_UNSEEN_WORDS: return apply_sequence(settings, setting, value);
    case CRD_I_SETTING_TERM_SMOOTHING:
    case CRD_I_SETTING_TF:
    case CRD_I_SETTING_LENGTH:
    case CRD_I_SETTING_COMPLEMENT_WEIGHTS:
    case CRD_I_SETTING_MIN_DOCUMENTS:
    case CRD_I_SETTING_MAX_DOCUMENTS:
    case CRD_I_SETTING_STOP_WORDS:
    case CRD_I_SETTING_VOCABULARY: return apply_text(settings, setting, value);
    case CRD_I_SETTING_TOKENS:
    case CRD_I_SETTING_LETTER_CASE:
    case CRD_I_SETTING_STEM:
    case CRD_I_SETTING_SPARSE_BIGRAMS:
    case CRD_I_SETTING_HASH: apply_tokens(&settings->token_rules, setting, value); break;
    /* These settings consist only of their lists or texts, so there is nothing to set. */
    case CRD_I_SETTING_FAMILY:
    case CRD_I_SETTING_HIDDEN:
    case CRD_I_SETTING_SCORE:
    case CRD_I_SETTING_TEST:
    case CRD_I_SETTING_REQUIRED:
    case CRD_I_SETTING_FORBIDDEN:
    case CRD_I_SETTING_NGRAMS:
    case CRD_I_SETTING_COUNT: break;
    }
    return value;
}

bool crd_i_edges_parse(crd_settings *settings, crd_text text) {
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
    bool is_all = settings->method == CRD_I_METHOD_JOINT && settings->joint == CRD_I_TOGETHER_NONE;
    return is_all ? CRD_I_TOGETHER_ALL : settings->joint;
}

crd_i_estimator crd_i_settings_estimator(const crd_settings *settings) {
    if (settings->method != CRD_I_METHOD_NETWORK) return CRD_I_ESTIMATOR_COUNTS;
    bool is_counted = settings->estimator == CRD_I_ESTIMATOR_COUNTS;
    return is_counted && settings->hidden_nodes != NULL ? CRD_I_ESTIMATOR_EM : settings->estimator;
}

crd_i_search_choice crd_i_settings_search(const crd_settings *settings, size_t *dependence) {
    bool is_searched = settings->method == CRD_I_METHOD_NETWORK && settings->structure_nodes == NULL;
    bool is_by_method = settings->method_search != CRD_I_SEARCH_NONE;
    *dependence = !is_searched ? 0 : is_by_method ? settings->method_dependence : settings->structure_dependence;
    return !is_searched ? CRD_I_SEARCH_NONE : is_by_method ? settings->method_search : settings->structure_search;
}
