/* SPDX-License-Identifier: MIT */
/* hmm_export.c - exports a hidden Markov model as JSON text. Credence reads such a file wherever it accepts a model:
 * docs/hmm-file.md.
 *
 * Contents:
 *   1. Checks
 *   2. Numbers of a state or component
 *   3. Columns
 *   4. Multivariate normal densities
 *   5. States and transitions */
#include "export/export_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/joint_scorer.h"

#include <credence/hmm.h>

#include <math.h>

typedef struct hmm_writer {
    const crd_hmm *hmm;
    const crd_classifier *classifier; /* classifier of the emissions */
    size_t states, components;
    crd_json_writer json;
    crd_i_parameter_list list; /* parameters of the current density */
    double *row, *ends;        /* one element per state */
} hmm_writer;

/* Families with one or two parameters, and the keys of these parameters in the file. The order is the order of the
 * family's own parameter list. */
static const struct {
    const crd_i_family *family;
    const char *first, *second;
} stated[] = {
    {&crd_i_family_gaussian, "mean", "sd"},         {&crd_i_family_lognormal, "mean", "sd"},
    {&crd_i_family_poisson, "rate", NULL},          {&crd_i_family_exponential, "rate", NULL},
    {&crd_i_family_bernoulli, "probability", NULL}, {&crd_i_family_uniform, "minimum", "maximum"},
};
enum { STATED_COUNT = sizeof stated / sizeof *stated };

/* Returns the index of a family in `stated`, or STATED_COUNT. */
static size_t hmm_export_family(const crd_i_family *family) {
    size_t i = 0;
    while (i < STATED_COUNT && stated[i].family != family) i++;
    return i;
}

/* ======== 1. Checks ======== */

/* Reports that the file cannot express `description` of a column. `setting` is the hint. */
static crd_status hmm_export_refuse(crd_error *error, crd_text column, const char *description, const char *setting) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SETTING, "the text of a hidden Markov model cannot express %s of column '%s'",
               description, crd_i_quote(column, quoted));
    crd_i_error_hint(error, "%s", setting);
    crd_i_error_subject(error, column);
    return CRD_ERROR_SETTING;
}

/* Rejects a smoothed uniform density, which also gives probability to the range of the whole column. */
static crd_status check_uniform(hmm_writer *w, const crd_i_attribute *attribute, crd_error *error) {
    crd_status status = CRD_OK;
    if (!attribute->family->list_parameters(attribute->density, &w->list)) return crd_i_fail_memory(error);
    const crd_i_parameter_array *shares = crd_i_parameter_list_find(&w->list, "share");
    for (size_t k = 0; status == CRD_OK && k < shares->rows; k++)
        if (shares->numbers[k] != 1)
            status = hmm_export_refuse(error, attribute->name, "the smoothed range", "smoothing=none");
    crd_i_parameter_list_clear(&w->list);
    return status;
}

/* Checks that the file can express the density of attribute i. */
static crd_status hmm_export_check_attribute(hmm_writer *w, size_t i, crd_error *error) {
    const crd_i_attribute *attribute = &w->classifier->attributes[i];
    if (!crd_i_attribute_counts(attribute)) return CRD_OK;
    if (crd_i_scorer_weight(w->classifier->scorer, i) != 1)
        return hmm_export_refuse(error, attribute->name, "the weight", "attribute-weights=none");
    if (attribute->family == &crd_i_family_uniform) return check_uniform(w, attribute, error);
    if (attribute->family == &crd_i_family_categorical || hmm_export_family(attribute->family) < STATED_COUNT)
        return CRD_OK;
    return hmm_export_refuse(error, attribute->name, "the family", "family=gaussian");
}

static size_t hmm_export_block_count(const hmm_writer *w) {
    const crd_i_scorer *scorer = w->classifier->scorer;
    return scorer->type->joints == NULL ? 0 : scorer->type->joints->count(scorer);
}

static const crd_i_joint_block *hmm_export_block(const hmm_writer *w, size_t i) {
    return w->classifier->scorer->type->joints->block(w->classifier->scorer, i);
}

/* Checks that joint density i is a multivariate normal distribution, without Student tails and with exponent 1. */
static crd_status hmm_export_check_block(hmm_writer *w, size_t i, crd_error *error) {
    const crd_i_joint_block *block = hmm_export_block(w, i);
    const crd_text first = w->classifier->attributes[block->attributes[0]].name;
    if (block->joint->type != &crd_i_joint_normal)
        return hmm_export_refuse(error, first, "the joint density", "joint=none, or covariance=full for numbers");
    if (!block->joint->type->list_parameters(block->joint, &w->list)) return crd_i_fail_memory(error);
    const bool is_plain = isinf(crd_i_parameter_list_find(&w->list, "degrees")->numbers[0]) &&
                          crd_i_parameter_list_find(&w->list, "exponent")->numbers[0] == 1;
    crd_i_parameter_list_clear(&w->list);
    return is_plain ? CRD_OK : hmm_export_refuse(error, first, "the tails of the joint density", "covariance=full");
}

/* Checks that every state has a density, that the file can express all densities, and that all columns are read as
 * plain numbers or categories. */
static crd_status hmm_export_check(hmm_writer *w, const crd_model *model, crd_error *error) {
    crd_status status = crd_i_export_check_formats(model, error);
    for (size_t i = 0; status == CRD_OK && i < w->classifier->attribute_count; i++)
        status = hmm_export_check_attribute(w, i, error);
    for (size_t i = 0; status == CRD_OK && i < hmm_export_block_count(w); i++)
        status = hmm_export_check_block(w, i, error);
    for (size_t k = 0; status == CRD_OK && k < w->states; k++) {
        size_t found = 0;
        for (size_t c = 0; c < w->components; c++) found += crd_hmm_emission_class(w->hmm, k, c, NULL) != SIZE_MAX;
        char quoted[CRD_I_QUOTED_ROOM];
        if (found > 0) continue;
        status =
            crd_i_fail(error, CRD_ERROR_SETTING, "the state '%s' has no observations, so it has no density to export",
                       crd_i_quote(crd_hmm_state(w->hmm, k), quoted));
    }
    return status;
}

/* ======== 2. Numbers of a state or component ======== */

/* Opens a list that is written on one line. */
static void hmm_export_open_list(hmm_writer *w, const char *key) {
    crd_json_writer_key(&w->json, crd_text_of(key));
    crd_json_writer_begin_short(&w->json, '[');
}

/* Returns the emission class whose parameters are written for a component. A component without weight gets the
 * parameters of the state's first component that has weight. */
static size_t hmm_export_class(const hmm_writer *w, size_t state, size_t component) {
    size_t class = crd_hmm_emission_class(w->hmm, state, component, NULL);
    for (size_t c = 0; class == SIZE_MAX && c < w->components; c++)
        class = crd_hmm_emission_class(w->hmm, state, c, NULL);
    return class;
}

/* Writes one parameter of an emission class. */
typedef void class_writing(hmm_writer *w, size_t class, const void *object);

/* Writes a parameter for all states and, if there are mixture components, for all components of each state. A list of
 * numbers is written on one line; in a list of lists, each state has a line. */
static void hmm_export_write_classes(hmm_writer *w, const char *key, bool is_list, class_writing *write,
                                     const void *object) {
    const bool is_flat = !is_list && w->components == 1;
    if (is_flat) hmm_export_open_list(w, key);
    else crd_json_writer_member_begin(&w->json, key, '[');
    for (size_t k = 0; k < w->states; k++) {
        if (w->components > 1) crd_json_writer_begin_short(&w->json, '[');
        for (size_t c = 0; c < w->components; c++) write(w, hmm_export_class(w, k, c), object);
        if (w->components > 1) crd_json_writer_end_short(&w->json, ']');
    }
    if (is_flat) crd_json_writer_end_short(&w->json, ']');
    else crd_json_writer_end(&w->json, ']');
}

/* ======== 3. Columns ======== */

/* A parameter of a density: `which` is its index. */
typedef struct parameter_choice {
    const crd_i_attribute *attribute;
    size_t which;
} parameter_choice;

static void write_parameter(hmm_writer *w, size_t class, const void *object) {
    const parameter_choice *choice = object;
    crd_term_parameter parameter[CRD_TERM_PARAMETERS] = {{NULL, 0}};
    (void)choice->attribute->family->parameters(choice->attribute->density, class, parameter);
    crd_json_writer_number(&w->json, parameter[choice->which].value);
}

/* Returns P(value | class). Without smoothing, it is the ratio of counts, which avoids the rounding error of the
 * logarithm. */
static double hmm_export_probability(const crd_i_attribute *attribute, int32_t value, size_t class) {
    const crd_i_cells cell = {.rows = 1, .codes = &value};
    crd_term term = CRD_TERM_INIT;
    attribute->family->term(attribute->density, &cell, class, &term);
    const bool is_plain = term.form == CRD_TERM_RATIO && term.smoothing == CRD_TERM_PLAIN && term.total > 0;
    return is_plain ? term.count / term.total : crd_exp(term.log_value);
}

static void hmm_export_write_table(hmm_writer *w, size_t class, const void *object) {
    const crd_i_attribute *attribute = object;
    crd_json_writer_begin_short(&w->json, '[');
    for (size_t v = 0; v < crd_i_dictionary_size(attribute->values); v++)
        crd_json_writer_number(&w->json, hmm_export_probability(attribute, (int32_t)v, class));
    crd_json_writer_end_short(&w->json, ']');
}

static void write_category(hmm_writer *w, const crd_i_attribute *attribute) {
    hmm_export_open_list(w, "values");
    for (size_t v = 0; v < crd_i_dictionary_size(attribute->values); v++)
        crd_json_writer_text(&w->json, crd_i_dictionary_text(attribute->values, v));
    crd_json_writer_end_short(&w->json, ']');
    hmm_export_write_classes(w, "probability", true, hmm_export_write_table, attribute);
}

/* Writes one observed column with its family and parameters. */
static void hmm_export_write_attribute(hmm_writer *w, const crd_i_attribute *attribute) {
    const size_t family = hmm_export_family(attribute->family);
    crd_json_writer_begin(&w->json, '{');
    crd_json_writer_member_text(&w->json, "name", attribute->name);
    crd_json_writer_member_text(&w->json, "family", crd_text_of(attribute->family->name));
    if (family == STATED_COUNT) {
        write_category(w, attribute);
    } else {
        const parameter_choice first = {attribute, 0}, second = {attribute, 1};
        hmm_export_write_classes(w, stated[family].first, false, write_parameter, &first);
        if (stated[family].second != NULL)
            hmm_export_write_classes(w, stated[family].second, false, write_parameter, &second);
    }
    crd_json_writer_end(&w->json, '}');
}

/* ======== 4. Multivariate normal densities ========
 *
 * Their columns are centered and divided by powers of two: x = center + 2^exponent z. The file contains the mean and
 * the covariance of x. */

static void write_mean(hmm_writer *w, size_t class, const void *object) {
    const double *exponents = crd_i_parameter_list_find(&w->list, "binary_exponent")->numbers;
    const double *centers = crd_i_parameter_list_find(&w->list, "center")->numbers;
    const crd_i_parameter_array *means = crd_i_parameter_list_find(&w->list, "mean");
    (void)object;
    crd_json_writer_begin_short(&w->json, '[');
    for (size_t i = 0; i < means->columns; i++)
        crd_json_writer_number(&w->json,
                               centers[i] + ldexp(means->numbers[class * means->columns + i], (int)exponents[i]));
    crd_json_writer_end_short(&w->json, ']');
}

static void write_covariance(hmm_writer *w, size_t class, const void *object) {
    const double *exponents = crd_i_parameter_list_find(&w->list, "binary_exponent")->numbers;
    const crd_i_parameter_array *covariances = crd_i_parameter_list_find(&w->list, "covariance");
    const size_t size = covariances->columns;
    const double *matrix = covariances->numbers + (covariances->rows == size ? 0 : class * size * size);
    (void)object;
    crd_json_writer_begin_short(&w->json, '[');
    for (size_t i = 0; i < size; i++) {
        crd_json_writer_begin_short(&w->json, '[');
        for (size_t j = 0; j < size; j++)
            crd_json_writer_number(&w->json, ldexp(matrix[i * size + j], (int)exponents[i] + (int)exponents[j]));
        crd_json_writer_end_short(&w->json, ']');
    }
    crd_json_writer_end_short(&w->json, ']');
}

/* Writes the mean of a joint density in which only one column is not constant. The file expresses such a density as the
 * family gaussian. */
static void write_single_mean(hmm_writer *w, size_t class, const void *object) {
    const double exponent = crd_i_parameter_list_find(&w->list, "binary_exponent")->numbers[0];
    const double center = crd_i_parameter_list_find(&w->list, "center")->numbers[0];
    (void)object;
    crd_json_writer_number(&w->json,
                           center + ldexp(crd_i_parameter_list_find(&w->list, "mean")->numbers[class], (int)exponent));
}

/* Writes the standard deviation of such a density. */
static void write_single_deviation(hmm_writer *w, size_t class, const void *object) {
    const double exponent = crd_i_parameter_list_find(&w->list, "binary_exponent")->numbers[0];
    const crd_i_parameter_array *variances = crd_i_parameter_list_find(&w->list, "covariance");
    (void)object;
    crd_json_writer_number(&w->json, ldexp(sqrt(variances->numbers[variances->rows == 1 ? 0 : class]), (int)exponent));
}

/* Writes a multivariate normal density. Constant columns are not part of it, so it may have one column or none, and
 * then the file contains a univariate density or nothing. */
static crd_status hmm_export_write_block(hmm_writer *w, const crd_i_joint_block *block, crd_error *error) {
    if (!block->joint->type->list_parameters(block->joint, &w->list)) return crd_i_fail_memory(error);
    const crd_i_parameter_array *places = crd_i_parameter_list_find(&w->list, "place");
    if (places->rows > 0) crd_json_writer_begin(&w->json, '{');
    if (places->rows == 1) {
        crd_json_writer_member_text(&w->json, "name",
                                    w->classifier->attributes[block->attributes[(size_t)places->numbers[0]]].name);
        crd_json_writer_member_text(&w->json, "family", crd_text_of("gaussian"));
        hmm_export_write_classes(w, "mean", false, write_single_mean, NULL);
        hmm_export_write_classes(w, "sd", false, write_single_deviation, NULL);
    }
    if (places->rows > 1) {
        hmm_export_open_list(w, "names");
        for (size_t i = 0; i < places->rows; i++)
            crd_json_writer_text(&w->json,
                                 w->classifier->attributes[block->attributes[(size_t)places->numbers[i]]].name);
        crd_json_writer_end_short(&w->json, ']');
        crd_json_writer_member_text(&w->json, "family", crd_text_of("normal"));
        hmm_export_write_classes(w, "mean", true, write_mean, NULL);
        hmm_export_write_classes(w, "covariance", true, write_covariance, NULL);
    }
    if (places->rows > 0) crd_json_writer_end(&w->json, '}');
    crd_i_parameter_list_clear(&w->list);
    return CRD_OK;
}

static crd_status write_observations(hmm_writer *w, crd_error *error) {
    crd_status status = CRD_OK;
    crd_json_writer_member_begin(&w->json, "observations", '[');
    for (size_t i = 0; i < w->classifier->attribute_count; i++)
        if (crd_i_attribute_counts(&w->classifier->attributes[i]))
            hmm_export_write_attribute(w, &w->classifier->attributes[i]);
    for (size_t i = 0; status == CRD_OK && i < hmm_export_block_count(w); i++)
        status = hmm_export_write_block(w, hmm_export_block(w, i), error);
    crd_json_writer_end(&w->json, ']');
    return status;
}

/* ======== 5. States and transitions ======== */

/* Writes w->row, one probability per state, on one line. */
static void hmm_export_write_row(hmm_writer *w) {
    crd_json_writer_begin_short(&w->json, '[');
    for (size_t k = 0; k < w->states; k++) crd_json_writer_number(&w->json, w->row[k]);
    crd_json_writer_end_short(&w->json, ']');
}

/* Writes the transition probabilities that follow a context of `length` states. */
static crd_status write_context(hmm_writer *w, const size_t *context, size_t length, crd_error *error) {
    double end = 0;
    crd_status status = crd_hmm_next(w->hmm, context, length, w->row, &end, error);
    if (status != CRD_OK) return status;
    crd_json_writer_begin(&w->json, '{');
    hmm_export_open_list(w, "after");
    for (size_t i = 0; i < length; i++) crd_json_writer_text(&w->json, crd_hmm_state(w->hmm, context[i]));
    crd_json_writer_end_short(&w->json, ']');
    crd_json_writer_key(&w->json, crd_text_of("to"));
    hmm_export_write_row(w);
    if (crd_hmm_facts_of(w->hmm)->has_end) crd_json_writer_member_number(&w->json, "end", end);
    crd_json_writer_end(&w->json, '}');
    return CRD_OK;
}

/* Writes all contexts of `length` states in lexicographic order. */
static crd_status write_contexts(hmm_writer *w, size_t length, crd_error *error) {
    size_t context[CRD_I_MOST_ORDER] = {0}, changed = 0;
    crd_status status;
    do {
        status = write_context(w, context, length, error);
        changed = length;
        while (changed > 0 && ++context[changed - 1] == w->states) context[--changed] = 0;
    } while (status == CRD_OK && changed > 0);
    return status;
}

/* Writes the transition matrix of a chain of order 1, and stores the end probabilities in w->ends. */
static crd_status write_matrix(hmm_writer *w, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t k = 0; status == CRD_OK && k < w->states; k++) {
        status = crd_hmm_next(w->hmm, &k, 1, w->row, &w->ends[k], error);
        if (status == CRD_OK) hmm_export_write_row(w);
    }
    return status;
}

/* Writes the transitions: a matrix for order 1; for higher orders, all contexts of lengths 1 to `order`, because the
 * first steps of a sequence have shorter contexts. */
static crd_status write_transitions(hmm_writer *w, crd_error *error) {
    const size_t order = crd_hmm_facts_of(w->hmm)->order;
    crd_json_writer_member_begin(&w->json, "transitions", '[');
    crd_status status = order == 1 ? write_matrix(w, error) : CRD_OK;
    for (size_t length = 1; status == CRD_OK && order > 1 && length <= order; length++)
        status = write_contexts(w, length, error);
    crd_json_writer_end(&w->json, ']');
    if (status != CRD_OK || order > 1 || !crd_hmm_facts_of(w->hmm)->has_end) return status;
    hmm_export_open_list(w, "end");
    for (size_t k = 0; k < w->states; k++) crd_json_writer_number(&w->json, w->ends[k]);
    crd_json_writer_end_short(&w->json, ']');
    return CRD_OK;
}

/* Writes the states, the start probabilities, the transitions and the weights of the mixture components. */
static crd_status write_states(hmm_writer *w, crd_error *error) {
    if (crd_hmm_facts_of(w->hmm)->order > 1)
        crd_json_writer_member_number(&w->json, "order", (double)crd_hmm_facts_of(w->hmm)->order);
    hmm_export_open_list(w, "states");
    for (size_t k = 0; k < w->states; k++) crd_json_writer_text(&w->json, crd_hmm_state(w->hmm, k));
    crd_json_writer_end_short(&w->json, ']');
    crd_status status = crd_hmm_next(w->hmm, NULL, 0, w->row, NULL, error);
    if (status != CRD_OK) return status;
    crd_json_writer_key(&w->json, crd_text_of("start"));
    hmm_export_write_row(w);
    status = write_transitions(w, error);
    if (status != CRD_OK || w->components == 1) return status;
    crd_json_writer_member_begin(&w->json, "components", '[');
    for (size_t k = 0; k < w->states; k++) {
        crd_json_writer_begin_short(&w->json, '[');
        for (size_t c = 0; c < w->components; c++) {
            double weight = 0;
            const bool has_weight = crd_hmm_emission_class(w->hmm, k, c, &weight) != SIZE_MAX;
            crd_json_writer_number(&w->json, has_weight ? weight : 0);
        }
        crd_json_writer_end_short(&w->json, ']');
    }
    crd_json_writer_end(&w->json, ']');
    return CRD_OK;
}

/* Writes how sequences are read from a table: the columns of the target, sequence and time, and the step. */
static crd_status write_source(hmm_writer *w, const crd_model *model, crd_error *error) {
    crd_sequence_options source = CRD_SEQUENCE_OPTIONS_INIT;
    crd_status status = crd_model_sequence_options(model, &source, error);
    if (status != CRD_OK) return status;
    const crd_text target = crd_model_target(model);
    if (target.bytes != NULL && !crd_hmm_facts_of(w->hmm)->is_hidden)
        crd_json_writer_member_text(&w->json, "target", target);
    if (source.sequence.bytes != NULL) crd_json_writer_member_text(&w->json, "sequence", source.sequence);
    if (source.time.bytes != NULL) crd_json_writer_member_text(&w->json, "time", source.time);
    if (source.time_format.bytes != NULL) crd_json_writer_member_text(&w->json, "time_format", source.time_format);
    if (source.step > 0) crd_json_writer_member_number(&w->json, "step", source.step);
    if (source.blank_lines) crd_json_writer_member_flag(&w->json, "blank_lines", true);
    if (crd_model_has_header(model) != !source.blank_lines)
        crd_json_writer_member_flag(&w->json, "header", crd_model_has_header(model) != 0);
    return CRD_OK;
}

static crd_status hmm_export_write_all(hmm_writer *w, const crd_model *model, crd_error *error) {
    crd_json_writer_begin(&w->json, '{');
    crd_json_writer_member_number(&w->json, "credence_hmm", 1);
    crd_status status = write_states(w, error);
    if (status == CRD_OK) status = write_source(w, model, error);
    if (status == CRD_OK) status = write_observations(w, error);
    crd_json_writer_end(&w->json, '}');
    crd_json_writer_break_line(&w->json);
    return status;
}

crd_status crd_i_export_hmm(const crd_i_exported *exported, crd_i_export_writer *writer, crd_error *error) {
    hmm_writer w = {.hmm = exported->hmm,
                    .classifier = crd_hmm_facts_of(exported->hmm)->emissions,
                    .states = crd_hmm_state_count(exported->hmm),
                    .components = crd_hmm_facts_of(exported->hmm)->components,
                    .json = {.write = crd_i_export_json_bytes, .user = writer},
                    .list = {.context = exported->model->context}};
    crd_status status = hmm_export_check(&w, exported->model, error);
    if (status != CRD_OK) return status;
    w.row = crd_i_alloc(exported->model->context, w.states, sizeof *w.row);
    w.ends = crd_i_alloc(exported->model->context, w.states, sizeof *w.ends);
    status =
        w.row == NULL || w.ends == NULL ? crd_i_fail_memory(error) : hmm_export_write_all(&w, exported->model, error);
    crd_free(exported->model->context, w.row);
    crd_free(exported->model->context, w.ends);
    return status;
}
