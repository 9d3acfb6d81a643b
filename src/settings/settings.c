/* settings.c - the table of settings: each with its syntax, its default, how it is parsed and its canonical text.
 *
 * Two texts that mean the same have the same canonical text, so that settings can be compared, and models that
 * keep them be equal to the byte: "m:1.0" is "m:1", and no smoothing has one name however it was spelled. */
#include "settings/settings_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <credence/number.h>

#include <stdio.h>
#include <string.h>

/* An enumeration of its own, so that a switch that leaves one out does not go unnoticed. */
typedef enum setting_index {
    SMOOTHING,
    PRIOR,
    VARIANCE,
    SHARE_VARIANCE,
    MIN_DEVIATION,
    FAMILY,
    HISTOGRAM,
    BANDWIDTH,
    MIXTURE,
    STUDENT,
    METHOD,
    JOINT,
    NORMAL,
    EXPONENTS,
    CALIBRATION,
    STRUCTURE
} setting_index;

static const crd_setting table[CRD_I_SETTING_COUNT] = {
    {"smoothing", "none|m:M|m:M:marginal|laplace:L|bdeu:S|k2", "m:1",
     "imaginary rows that keep a probability from being zero: M spread over the values (evenly, or by their overall "
     "shares), L for each value, or S spread over a whole table; k2 is laplace:1; M rows also draw what is estimated "
     "of a number towards what its whole column has"},
    {"prior", "frequency|laplace:L|uniform|CLASS=P,...", "frequency",
     "the probability of each class before anything is known of a row; P is 0.9, 9/10 or 90%"},
    {"variance", "mle|sample", "mle", "divide squared deviations by n (mle) or by n - 1 (sample)"},
    {"share-variance", "none|classes|attributes|all", "none",
     "estimate one variance for all classes, for all number attributes, or for both together"},
    {"min-deviation", "S", "0", "no standard deviation is taken to be less than this"},
    {"family", "FAMILY|COL=FAMILY,...", "gaussian",
     "what the density of numbers is like: one family for all columns, or column by column, the rest by *=FAMILY; auto "
     "takes for each column the one that tells the classes of rows held out best"},
    {"histogram", "sturges|scott|freedman|width:N|frequency:N|edges:A:B:...|likelihood", "sturges",
     "where the bins of the family histogram end: of one width by rule, N of equal width or frequency, at given "
     "numbers, "
     "or as many of about equal frequency as make the rows most likely"},
    {"bandwidth", "weka|scott|silverman|H", "weka",
     "how wide the bell about each row is in the family kernel: by rule, or a number"},
    {"mixture", "bic:MOST|K", "bic:3",
     "how many bell curves the family mixture has: K, or as many as have the least BIC, up to MOST"},
    {"student", "smoothing|likelihood|K", "smoothing",
     "how many imaginary rows of its whole column the family student adds to a class: M of smoothing m:M, as many as "
     "make "
     "the rows of all classes most likely, or K"},
    {"method", "naive|joint|a1de|pairs|bagging:N|boosting:N|committee|network", "naive",
     "how attributes make a posterior: each on its own, all together, each in turn as what the others depend on, every "
     "pair to a fitted power, by N models of the rows under other weights, by a committee of several methods, or by a "
     "Bayesian network of categories"},
    {"joint", "none|all|numbers|categories|COL,COL,...[;COL,COL,...]", "none",
     "columns that depend on each other, taken together in blocks: all of a kind, or those that are named"},
    {"normal", "auto|full|full:S|shared|shared:S|diagonal|mixture|mixture:K", "auto",
     "what numbers taken together are like: normal with a covariance for each class, one for all, or none, shrunk by S "
     "or by likelihood, or a mixture of K normals"},
    {"exponents", "none|fitted", "none",
     "an exponent on each attribute's density, fitted so that the classes of rows held out become most likely"},
    {"calibration", "none|isotonic|scaling", "none",
     "probabilities corrected by how often they came true for rows that were held out"},
    {"structure", "none|A->B,C->B,D,...", "none",
     "the arrows of a network, each from a column to one that depends on it, and columns without arrows; none: from "
     "the target to every category"},
};

const crd_setting *crd_setting_table(size_t *count) {
    if (count != NULL) *count = CRD_I_SETTING_COUNT;
    return table;
}

/* ---- Parsing: each sets its fields of `to`, and takes no account of what they held ---- */

static bool is(crd_text text, const char *word) {
    return crd_text_equal(text, crd_text_of(word));
}

/* Takes `prefix` off the front of *text. */
static bool skip(crd_text *text, const char *prefix) {
    size_t length = strlen(prefix);
    if (text->length < length || memcmp(text->bytes, prefix, length) != 0) return false;
    text->bytes += length;
    text->length -= length;
    return true;
}

static bool parse_strength(crd_text text, double *out) {
    double value;
    if (crd_number_parse(text, &value) != CRD_NUMBER_FINITE || !(value >= 0 && value <= CRD_I_MOST_STRENGTH))
        return false;
    *out = value + 0.0; /* -0 becomes 0 */
    return true;
}

static crd_status refuse(size_t setting, crd_text text, crd_error *error) {
    /* What the letters of the syntax stand for. */
    static const char *const letters[CRD_I_SETTING_COUNT] = {
        [SMOOTHING] = ", with numbers for M, L and S, such as m:1",
        [PRIOR] = ", with a number for L and probabilities for P, such as laplace:1",
        [MIN_DEVIATION] = ", a number that is not below zero",
        [HISTOGRAM] =
            ", with a whole number for N up to 4096, and up to 64 ascending numbers for A:B:..., such as edges:0:1:10",
        [BANDWIDTH] = ", with a number above zero for H",
        [MIXTURE] = ", with whole numbers from 1 to 16, such as bic:3",
        [STUDENT] = ", with a number for K that is not below zero",
        [METHOD] = ", with a whole number for N from 1 to 1000, such as bagging:25",
        [NORMAL] = ", with a number from 0 to 1 for S, and a whole number for K from 1 to 16"};
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SETTING, "%s does not take '%s'; it takes %s%s", table[setting].name,
               crd_i_quote(text, quoted), table[setting].syntax, letters[setting] == NULL ? "" : letters[setting]);
    crd_i_error_subject(error, crd_text_of(table[setting].name));
    return CRD_ERROR_SETTING;
}

static crd_status parse_smoothing(crd_settings *to, crd_text text, crd_error *error) {
    crd_text rest = text;
    to->smoothing = CRD_I_SMOOTHING_NONE;
    to->smoothing_strength = 0;
    to->smoothing_marginal = false;
    to->smoothing_bdeu = 0;
    if (is(text, "none")) return CRD_OK;
    if (is(text, "k2")) text = rest = crd_text_of("laplace:1");
    if (skip(&rest, "m:")) {
        static const char marginal[] = ":marginal";
        size_t suffix = sizeof marginal - 1;
        if (rest.length > suffix && memcmp(rest.bytes + rest.length - suffix, marginal, suffix) == 0) {
            to->smoothing_marginal = true;
            rest.length -= suffix;
        }
        to->smoothing = CRD_I_SMOOTHING_M;
    } else if (skip(&rest, "laplace:")) {
        to->smoothing = CRD_I_SMOOTHING_LAPLACE;
    } else if (skip(&rest, "bdeu:")) {
        to->smoothing = CRD_I_SMOOTHING_M;
        if (!parse_strength(rest, &to->smoothing_bdeu)) return refuse(SMOOTHING, text, error);
    } else {
        return refuse(SMOOTHING, text, error);
    }
    if (!parse_strength(rest, &to->smoothing_strength)) return refuse(SMOOTHING, text, error);
    if (to->smoothing_strength == 0) {
        to->smoothing = CRD_I_SMOOTHING_NONE;
        to->smoothing_marginal = false;
    }
    return CRD_OK;
}

static crd_status parse_prior(crd_settings *to, crd_text text, crd_error *error) {
    crd_text rest = text;
    crd_i_dictionary *classes = NULL;
    double *probabilities = NULL;
    crd_i_prior prior = CRD_I_PRIOR_FREQUENCY;
    double strength = 0;
    if (text.length > 0 && memchr(text.bytes, '=', text.length) != NULL) {
        crd_status status = crd_i_prior_parse(to->context, text, &classes, &probabilities, error);
        if (status == CRD_ERROR_SETTING) crd_i_error_subject(error, crd_text_of(table[PRIOR].name));
        if (status != CRD_OK) return status;
        prior = CRD_I_PRIOR_GIVEN;
    } else if (is(text, "uniform")) {
        prior = CRD_I_PRIOR_UNIFORM;
    } else if (skip(&rest, "laplace:")) {
        if (!parse_strength(rest, &strength)) return refuse(PRIOR, text, error);
        if (strength > 0) prior = CRD_I_PRIOR_LAPLACE;
    } else if (!is(text, "frequency")) {
        return refuse(PRIOR, text, error);
    }
    to->prior = prior;
    to->prior_strength = strength;
    to->prior_classes = classes;
    to->prior_probabilities = probabilities;
    return CRD_OK;
}

static crd_status parse_variance(crd_settings *to, crd_text text, crd_error *error) {
    if (!is(text, "mle") && !is(text, "sample")) return refuse(VARIANCE, text, error);
    to->sample_variance = is(text, "sample");
    return CRD_OK;
}

static crd_status parse_share(crd_settings *to, crd_text text, crd_error *error) {
    if (!is(text, "none") && !is(text, "classes") && !is(text, "attributes") && !is(text, "all"))
        return refuse(SHARE_VARIANCE, text, error);
    to->share_classes = is(text, "classes") || is(text, "all");
    to->share_attributes = is(text, "attributes") || is(text, "all");
    return CRD_OK;
}

static crd_status parse_min_deviation(crd_settings *to, crd_text text, crd_error *error) {
    double value;
    if (crd_number_parse(text, &value) != CRD_NUMBER_FINITE || !(value >= 0)) return refuse(MIN_DEVIATION, text, error);
    to->min_deviation = value + 0.0;
    return CRD_OK;
}

static crd_status parse_family(crd_settings *to, crd_text text, crd_error *error) {
    crd_status status =
        crd_i_family_parse(to->context, text, &to->family_columns, &to->family_choices, &to->family_of_others, error);
    if (status == CRD_ERROR_SETTING) crd_i_error_subject(error, crd_text_of(table[FAMILY].name));
    return status;
}

static crd_status parse_histogram(crd_settings *to, crd_text text, crd_error *error) {
    return crd_i_histogram_parse(to, text) ? CRD_OK : refuse(HISTOGRAM, text, error);
}

static crd_status parse_bandwidth(crd_settings *to, crd_text text, crd_error *error) {
    return crd_i_bandwidth_parse(to, text) ? CRD_OK : refuse(BANDWIDTH, text, error);
}

static crd_status parse_mixture(crd_settings *to, crd_text text, crd_error *error) {
    return crd_i_mixture_parse(to, text) ? CRD_OK : refuse(MIXTURE, text, error);
}

static crd_status parse_student(crd_settings *to, crd_text text, crd_error *error) {
    return crd_i_student_parse(to, text) ? CRD_OK : refuse(STUDENT, text, error);
}

static crd_status parse_method(crd_settings *to, crd_text text, crd_error *error) {
    return crd_i_method_parse(to, text) ? CRD_OK : refuse(METHOD, text, error);
}

static crd_status parse_joint(crd_settings *to, crd_text text, crd_error *error) {
    crd_status status = crd_i_joint_parse(to, text, error);
    if (status == CRD_ERROR_SETTING) crd_i_error_subject(error, crd_text_of(table[JOINT].name));
    return status;
}

static crd_status parse_normal(crd_settings *to, crd_text text, crd_error *error) {
    return crd_i_normal_parse(to, text) ? CRD_OK : refuse(NORMAL, text, error);
}

static crd_status parse_exponents(crd_settings *to, crd_text text, crd_error *error) {
    return crd_i_attribute_weights_parse(to, text) ? CRD_OK : refuse(EXPONENTS, text, error);
}

static crd_status parse_calibration(crd_settings *to, crd_text text, crd_error *error) {
    return crd_i_calibration_parse(to, text) ? CRD_OK : refuse(CALIBRATION, text, error);
}

static crd_status parse_structure(crd_settings *to, crd_text text, crd_error *error) {
    crd_status status = crd_i_structure_parse(to, text, error);
    if (status == CRD_ERROR_SETTING) crd_i_error_subject(error, crd_text_of(table[STRUCTURE].name));
    return status;
}

static crd_status (*const parsers[CRD_I_SETTING_COUNT])(crd_settings *, crd_text, crd_error *) = {
    parse_smoothing, parse_prior,     parse_variance,    parse_share,    parse_min_deviation, parse_family,
    parse_histogram, parse_bandwidth, parse_mixture,     parse_student,  parse_method,        parse_joint,
    parse_normal,    parse_exponents, parse_calibration, parse_structure};

/* ---- Canonical texts ---- */

/* What fits into a short room; only given priors and families do not. */
static void short_text(const crd_settings *of, setting_index setting, char *room, size_t size) {
    char number[CRD_NUMBER_ROOM];
    const char *word = "none";
    switch (setting) {
    case SMOOTHING:
        if (of->smoothing == CRD_I_SMOOTHING_NONE) break;
        crd_number_format(of->smoothing_bdeu > 0 ? of->smoothing_bdeu : of->smoothing_strength, number);
        if (of->smoothing_bdeu > 0) snprintf(room, size, "bdeu:%s", number);
        else if (of->smoothing == CRD_I_SMOOTHING_LAPLACE) snprintf(room, size, "laplace:%s", number);
        else snprintf(room, size, "m:%s%s", number, of->smoothing_marginal ? ":marginal" : "");
        return;
    case PRIOR:
        crd_number_format(of->prior_strength, number);
        if (of->prior == CRD_I_PRIOR_LAPLACE) snprintf(room, size, "laplace:%s", number);
        else snprintf(room, size, "%s", of->prior == CRD_I_PRIOR_UNIFORM ? "uniform" : "frequency");
        return;
    case VARIANCE: word = of->sample_variance ? "sample" : "mle"; break;
    case SHARE_VARIANCE:
        if (of->share_classes) word = of->share_attributes ? "all" : "classes";
        else if (of->share_attributes) word = "attributes";
        break;
    case MIN_DEVIATION:
        crd_number_format(of->min_deviation, number);
        word = number;
        break;
    case FAMILY:
    case HISTOGRAM:
    case BANDWIDTH:
    case MIXTURE:
    case STUDENT:
    case METHOD:
    case JOINT:
    case NORMAL:
    case EXPONENTS:
    case CALIBRATION:
    case STRUCTURE: break; /* have texts of their own */
    }
    snprintf(room, size, "%s", word);
}

static char *canonical_text(const crd_settings *of, size_t setting) {
    if (setting == PRIOR && of->prior == CRD_I_PRIOR_GIVEN)
        return crd_i_prior_text(of->context, of->prior_classes, of->prior_probabilities);
    if (setting == FAMILY) return crd_i_family_text(of->context, of);
    if (setting == HISTOGRAM) return crd_i_histogram_text(of);
    if (setting == BANDWIDTH) return crd_i_bandwidth_text(of);
    if (setting == MIXTURE) return crd_i_mixture_text(of);
    if (setting == STUDENT) return crd_i_student_text(of);
    if (setting == METHOD) return crd_i_method_text(of);
    if (setting == JOINT) return crd_i_joint_text(of);
    if (setting == NORMAL) return crd_i_normal_text(of);
    if (setting == EXPONENTS) return crd_i_attribute_weights_text(of);
    if (setting == CALIBRATION) return crd_i_calibration_text(of);
    if (setting == STRUCTURE) return crd_i_structure_text(of);
    char room[CRD_NUMBER_ROOM + 32];
    short_text(of, (setting_index)setting, room, sizeof room);
    return (char *)crd_i_text_copy(of->context, crd_text_of(room)).bytes;
}

/* ---- The object ---- */

/* What settings have beside their fields. */
static void clear_lists(crd_settings *settings) {
    crd_i_dictionary_destroy(settings->prior_classes);
    crd_free(settings->context, settings->prior_probabilities);
    crd_i_dictionary_destroy(settings->family_columns);
    crd_free(settings->context, settings->family_choices);
    crd_i_dictionary_destroy(settings->joint_columns);
    crd_free(settings->context, settings->joint_ends);
    crd_i_structure_clear(settings);
}

crd_status crd_settings_create(crd_context *context, crd_settings **out, crd_error *error) {
    *out = NULL;
    crd_settings *settings = crd_i_alloc_zeroed(context, 1, sizeof *settings);
    if (settings == NULL) return crd_i_fail_memory(error);
    settings->context = context;
    for (size_t i = 0; i < CRD_I_SETTING_COUNT; i++) {
        crd_status status = crd_settings_set(settings, table[i].name, crd_text_of(table[i].default_value), error);
        if (status != CRD_OK) {
            crd_settings_destroy(settings);
            return status;
        }
    }
    *out = settings;
    return CRD_OK;
}

crd_status crd_i_settings_copy(crd_context *context, const crd_settings *settings, crd_settings **out,
                               crd_error *error) {
    crd_settings *copy;
    crd_status status = crd_settings_create(context, &copy, error);
    for (size_t i = 0; status == CRD_OK && i < CRD_I_SETTING_COUNT; i++)
        status = crd_settings_set(copy, table[i].name, crd_text_of(settings->texts[i]), error);
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
    clear_lists(settings);
    for (size_t i = 0; i < CRD_I_SETTING_COUNT; i++) crd_free(settings->context, settings->texts[i]);
    crd_free(settings->context, settings);
}

static size_t find(const char *name) {
    size_t setting = 0;
    while (setting < CRD_I_SETTING_COUNT && strcmp(table[setting].name, name) != 0) setting++;
    return setting;
}

crd_status crd_settings_set(crd_settings *settings, const char *name, crd_text value, crd_error *error) {
    size_t setting = find(name);
    if (setting == CRD_I_SETTING_COUNT) {
        char quoted[CRD_I_QUOTED_ROOM];
        return crd_i_fail(error, CRD_ERROR_SETTING, "there is no setting '%s'", crd_i_quote(crd_text_of(name), quoted));
    }
    /* Canonical texts end in NUL, so none can have one inside. */
    if (value.length > 0 && memchr(value.bytes, '\0', value.length) != NULL) return refuse(setting, value, error);
    /* Parsed into a copy, so that nothing has changed until nothing can fail any more. */
    crd_settings changed = *settings;
    changed.prior_classes = changed.family_columns = changed.joint_columns = NULL;
    changed.joint_ends = NULL;
    changed.prior_probabilities = NULL;
    changed.family_choices = NULL;
    changed.structure_nodes = NULL;
    changed.structure_parents = NULL;
    changed.structure_ends = NULL;
    crd_status status = parsers[setting](&changed, value, error);
    if (status != CRD_OK) return status;
    char *text = canonical_text(&changed, setting);
    if (text == NULL) {
        clear_lists(&changed);
        return crd_i_fail_memory(error);
    }
    crd_settings replaced = {.context = settings->context};
    if (setting == PRIOR) {
        replaced.prior_classes = settings->prior_classes;
        replaced.prior_probabilities = settings->prior_probabilities;
    } else {
        changed.prior_classes = settings->prior_classes;
        changed.prior_probabilities = settings->prior_probabilities;
    }
    if (setting == FAMILY) {
        replaced.family_columns = settings->family_columns;
        replaced.family_choices = settings->family_choices;
    } else {
        changed.family_columns = settings->family_columns;
        changed.family_choices = settings->family_choices;
    }
    if (setting == JOINT) {
        replaced.joint_columns = settings->joint_columns;
        replaced.joint_ends = settings->joint_ends;
    } else {
        changed.joint_columns = settings->joint_columns;
        changed.joint_ends = settings->joint_ends;
    }
    if (setting == STRUCTURE) {
        replaced.structure_nodes = settings->structure_nodes;
        replaced.structure_parents = settings->structure_parents;
        replaced.structure_ends = settings->structure_ends;
    } else {
        changed.structure_nodes = settings->structure_nodes;
        changed.structure_parents = settings->structure_parents;
        changed.structure_ends = settings->structure_ends;
    }
    clear_lists(&replaced);
    crd_free(settings->context, settings->texts[setting]);
    changed.texts[setting] = text;
    *settings = changed;
    return CRD_OK;
}

const char *crd_settings_get(const crd_settings *settings, const char *name) {
    size_t setting = find(name);
    return setting == CRD_I_SETTING_COUNT ? NULL : settings->texts[setting];
}

bool crd_i_settings_equal(const crd_settings *a, const crd_settings *b) {
    for (size_t i = 0; i < CRD_I_SETTING_COUNT; i++)
        if (strcmp(a->texts[i], b->texts[i]) != 0) return false;
    return true;
}

bool crd_i_settings_is_default(const crd_settings *settings, const char *name) {
    size_t setting = find(name);
    return strcmp(settings->texts[setting], table[setting].default_value) == 0;
}

void crd_i_settings_for_classes(crd_settings *settings, size_t classes) {
    if (settings->smoothing_bdeu == 0) return;
    settings->smoothing_strength = settings->smoothing_bdeu / (double)classes;
    if (settings->smoothing_strength == 0) settings->smoothing = CRD_I_SMOOTHING_NONE;
}
