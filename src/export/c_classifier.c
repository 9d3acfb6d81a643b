/* SPDX-License-Identifier: MIT */
/* c_classifier.c - see c_classifier.h.
 *
 * Identifiers in the exported file have a prefix that names their owner:
 *
 *   mN_       classifier N
 *   mN_aI_    attribute I of the classifier
 *   mN_jJ_    joint density J of the classifier
 *   mN_jJ_I_  column I of the joint density
 *   mN_c_     calibration of the classifier */
#include "export/c_classifier.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "classify/joint_block.h"
#include "export/c_runtime.h"
#include "export/c_templates.h"

#include <stdio.h>
#include <string.h>

#define BIT(function) (1u << (function))

/* MOST_COLUMNS: most columns of a joint normal density, because the exported code factors its covariance on the
 * stack. */
enum { MOST_COLUMNS = 200, PREFIX_ROOM = 64 };

/* ---- Checks: can C express the model? ---- */

/* Returns whether the texts are in strictly ascending byte order, so the exported code can use binary search. */
static bool is_sorted(const crd_i_dictionary *texts) {
    for (size_t i = 1; i < crd_i_dictionary_size(texts); i++)
        if (crd_i_text_compare(crd_i_dictionary_text(texts, i - 1), crd_i_dictionary_text(texts, i)) >= 0) return false;
    return true;
}

/* Checks that a text can be a C string literal: at most 4095 bytes, the C99 limit, and no NUL. */
static crd_status c_classifier_check_text(crd_text text, crd_error *error) {
    enum { LONGEST = 4095 };
    if (memchr(text.bytes, '\0', text.length) == NULL && text.length <= LONGEST) return CRD_OK;
    return crd_i_export_refuse(error, "C", "a text with a NUL byte, or with more than 4095 bytes", "category");
}

static crd_status c_classifier_check_texts(const crd_i_dictionary *texts, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; texts != NULL && i < crd_i_dictionary_size(texts) && status == CRD_OK; i++)
        status = c_classifier_check_text(crd_i_dictionary_text(texts, i), error);
    return status;
}

/* Returns whether a column of a joint density contains categories with known values. */
static bool is_block_category(const crd_i_attribute *attribute) {
    return attribute->kind == CRD_KIND_CATEGORY && attribute->values != NULL;
}

/* Checks a joint density and adds the functions that it needs to *functions. */
static crd_status c_classifier_check_block(const crd_classifier *classifier, const crd_i_joint_block *block,
                                           const char *name, unsigned *functions, crd_error *error) {
    const crd_i_c_template *template = crd_i_c_joint(name);
    if (template == NULL) return crd_i_export_refuse(error, "C", "this joint density", "joint");
    if (strncmp(name, "normal", strlen("normal")) == 0 && block->joint->column_count > MOST_COLUMNS)
        return crd_i_export_refuse(error, "C", "a joint normal density with more than 200 columns", "joint");
    *functions |= template->functions;
    for (size_t i = 0; i < block->joint->column_count; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[block->attributes[i]];
        if (is_block_category(attribute))
            *functions |= BIT(is_sorted(attribute->values) ? CRD_I_C_FIND_SORTED : CRD_I_C_FIND);
    }
    return CRD_OK;
}

/* Checks the class names and all attributes, and adds the functions that they need to *functions. */
static crd_status check_attributes(const crd_classifier *classifier, unsigned *functions, crd_error *error) {
    crd_status status = c_classifier_check_texts(classifier->classes, error);
    for (size_t i = 0; i < classifier->attribute_count && status == CRD_OK; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        status = c_classifier_check_text(attribute->name, error);
        if (status == CRD_OK) status = c_classifier_check_texts(attribute->values, error);
        if (status != CRD_OK || !crd_i_attribute_counts(attribute)) continue;
        if (crd_i_c_family(attribute->family->name) == NULL)
            return crd_i_export_refuse(error, "C", "this family", "family");
        *functions |= crd_i_c_family(attribute->family->name)->functions;
        if (attribute->kind == CRD_KIND_CATEGORY)
            *functions |= BIT(is_sorted(attribute->values) ? CRD_I_C_FIND_SORTED : CRD_I_C_FIND);
    }
    return status;
}

/* Returns the function that pools ensemble members by a rule, or CRD_I_C_FUNCTIONS if C cannot express the rule. */
static crd_i_c_function c_classifier_pooling(const char *rule) {
    return strcmp(rule, "average") == 0   ? CRD_I_C_AVERAGE
           : strcmp(rule, "product") == 0 ? CRD_I_C_PRODUCT
           : strcmp(rule, "vote") == 0    ? CRD_I_C_VOTE
                                          : CRD_I_C_FUNCTIONS;
}

static crd_status check_members(const crd_i_scorer *scorer, unsigned *functions, crd_error *error) {
    const crd_i_scorer_members *members = scorer->type->members;
    crd_i_c_function pool = c_classifier_pooling(members->rule(scorer));
    crd_status status = CRD_OK;
    if (pool == CRD_I_C_FUNCTIONS)
        return crd_i_export_refuse(error, "C", "an ensemble that draws a member for each row", "method");
    *functions |= BIT(pool);
    for (size_t i = 0; i < members->count(scorer) && status == CRD_OK; i++) {
        crd_ensemble_member member = CRD_ENSEMBLE_MEMBER_INIT;
        members->describe(scorer, i, &member);
        status = crd_i_c_check(member.classifier, functions, error);
    }
    return status;
}

/* Adds the functions that calibration needs to *functions. */
static crd_status check_calibration(const crd_classifier *classifier, unsigned *functions, crd_error *error) {
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    crd_i_parameter_list list = {.context = classifier->context};
    classifier->scorer->type->correction->describe(classifier->scorer, &calibration);
    *functions |= BIT(strcmp(calibration.rule, "isotonic") == 0 ? CRD_I_C_ISOTONIC : CRD_I_C_SCALING);
    bool done = classifier->scorer->type->correction->list_parameters(classifier->scorer, &list);
    for (size_t i = 0; i < list.count; i++)
        if (strcmp(list.arrays[i].name, "log_prior_ratio") == 0) *functions |= BIT(CRD_I_C_PRIOR_RATIO);
    crd_i_parameter_list_clear(&list);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

crd_status crd_i_c_check(const crd_classifier *classifier, unsigned *functions, crd_error *error) {
    const crd_i_scorer *scorer = crd_i_scorer_uncorrected(classifier->scorer);
    const crd_i_scorer_type *type = scorer->type;
    *functions |= BIT(CRD_I_C_CONCLUDE);
    if (type->joints != NULL && type->joints->network != NULL)
        return crd_i_export_refuse(error, "C", "a network, where missing values are summed out", "method");
    crd_status status = check_attributes(classifier, functions, error);
    for (size_t i = 0; type->joints != NULL && i < type->joints->count(scorer) && status == CRD_OK; i++) {
        const crd_i_joint_block *block = type->joints->block(scorer, i);
        status = c_classifier_check_block(classifier, block, block->joint->type->name, functions, error);
    }
    if (status == CRD_OK && type->pairs != NULL)
        status = c_classifier_check_block(classifier, type->pairs->block(scorer), "pairs", functions, error);
    if (status == CRD_OK && type->members != NULL) status = check_members(scorer, functions, error);
    if (status == CRD_OK && scorer != classifier->scorer) status = check_calibration(classifier, functions, error);
    return status;
}

/* ---- Parameters ---- */

static void c_classifier_write_values(crd_i_export_writer *writer, const char *prefix, const crd_i_dictionary *values) {
    char name[PREFIX_ROOM + 8];
    snprintf(name, sizeof name, "%svalues", prefix);
    crd_i_c_write_texts(writer, name, values);
}

/* Writes the values and parameters of attribute i in classifier `number` as static arrays. */
static crd_status write_attribute_arrays(crd_i_c_file *file, const crd_classifier *classifier, size_t i, size_t number,
                                         crd_error *error) {
    const crd_i_attribute *attribute = &classifier->attributes[i];
    crd_i_parameter_list list = {.context = classifier->context};
    char prefix[PREFIX_ROOM];
    snprintf(prefix, sizeof prefix, "m%zu_a%zu_", number, i);
    bool done = attribute->family->list_parameters(attribute->density, &list);
    if (done) {
        crd_i_export_text(file->writer, "\n/* ");
        crd_i_c_write_comment(file->writer, attribute->name);
        crd_i_export_format(file->writer, ": %s */\n", attribute->family->name);
        if (attribute->kind == CRD_KIND_CATEGORY) c_classifier_write_values(file->writer, prefix, attribute->values);
        crd_i_c_write_arrays(file->writer, prefix, crd_i_c_family(attribute->family->name), &list);
    }
    crd_i_parameter_list_clear(&list);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Adds the arguments of the exported function that are not parameters of the joint density itself. */
static bool add_to_block(const crd_i_scorer *scorer, const char *name, crd_i_parameter_list *list) {
    if (strcmp(name, "a1de") == 0)
        return crd_i_parameter_list_number(list, "implications",
                                           (double)crd_i_parameter_list_find(list, "implies")->rows);
    if (strcmp(name, "pairs") != 0) return true;
    const crd_i_scorer_pairs *pairs = scorer->type->pairs;
    double *weights = crd_i_parameter_list_vector(list, "pair_weight", pairs->count(scorer));
    for (size_t i = 0; weights != NULL && i < pairs->count(scorer); i++) {
        crd_pair pair = CRD_PAIR_INIT;
        pairs->describe(scorer, i, &pair);
        weights[i] = pair.exponent;
    }
    return weights != NULL;
}

/* Returns the size of the work space that the exported function needs, in doubles; 0 if it needs none. */
static size_t work_room(const crd_i_joint_block *block, const char *name, const crd_i_parameter_list *list) {
    size_t columns = block->joint->column_count, classes = block->joint->conditions;
    if (strcmp(name, "table") == 0) return classes;
    if (strcmp(name, "a1de") == 0) return columns * classes;
    if (strcmp(name, "pairs") == 0) return 0;
    size_t components = 0;
    if (strcmp(name, "normal-mixture") == 0) components = crd_i_parameter_list_find(list, "log_share")->rows;
    return columns * (columns + 3) + components;
}

/* A call of a joint density in the exported file. */
typedef struct block_call {
    const crd_i_joint_block *block;
    const char *name;
    size_t capacity; /* size of its work space, in doubles */
} block_call;

/* Defines the optional arrays of a joint table as NULL if it has none: `share` (overall relative frequencies of values)
 * and `naive` (relative frequencies in each class). */
static void write_absent(crd_i_c_file *file, const char *prefix, const crd_i_parameter_list *list) {
    if (crd_i_parameter_list_find(list, "is_marginal")->numbers[0] == 0)
        crd_i_export_format(file->writer, "static const double *const %sshare = NULL;\n", prefix);
    if (crd_i_parameter_list_find(list, "borrowed")->numbers[0] == 0)
        crd_i_export_format(file->writer, "static const double *const %snaive = NULL;\n", prefix);
}

/* Writes the values and parameters of joint density j in classifier `number`, and sets call->capacity. */
static crd_status write_block_arrays(crd_i_c_file *file, const crd_classifier *classifier, const crd_i_scorer *scorer,
                                     block_call *call, size_t number, size_t j, crd_error *error) {
    crd_i_parameter_list list = {.context = classifier->context};
    const crd_i_joint *joint = call->block->joint;
    char prefix[PREFIX_ROOM];
    bool done = joint->type->list_parameters(joint, &list) && add_to_block(scorer, call->name, &list);
    if (done) {
        crd_i_export_format(file->writer, "\n/* joint density: %s */\n", call->name);
        for (size_t i = 0; i < joint->column_count; i++) {
            const crd_i_attribute *attribute = &classifier->attributes[call->block->attributes[i]];
            snprintf(prefix, sizeof prefix, "m%zu_j%zu_%zu_", number, j, i);
            if (is_block_category(attribute)) c_classifier_write_values(file->writer, prefix, attribute->values);
        }
        snprintf(prefix, sizeof prefix, "m%zu_j%zu_", number, j);
        crd_i_c_write_arrays(file->writer, prefix, crd_i_c_joint(call->name), &list);
        if (strcmp(call->name, "table") == 0) write_absent(file, prefix, &list);
        call->capacity = work_room(call->block, call->name, &list);
    }
    crd_i_parameter_list_clear(&list);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* ---- The function ---- */

/* Returns the index of the attribute called `name` in the exported row. The attribute must exist. */
static size_t find_top(const crd_i_c_file *file, crd_text name) {
    size_t i = 0;
    while (!crd_text_equal(file->top->attributes[i].name, name)) i++;
    return i;
}

static const char *find_function(const crd_i_dictionary *values) {
    return is_sorted(values) ? "find_sorted" : "find";
}

/* Writes the statement that adds the log density of attribute i to the sum of every class. */
static void write_attribute_term(crd_i_c_file *file, const crd_classifier *classifier, size_t i, size_t number) {
    const crd_i_attribute *attribute = &classifier->attributes[i];
    const crd_i_c_template *template = crd_i_c_family(attribute->family->name);
    double weight = crd_i_scorer_weight(classifier->scorer, i);
    size_t index = find_top(file, attribute->name);
    char prefix[PREFIX_ROOM];
    snprintf(prefix, sizeof prefix, "m%zu_a%zu_", number, i);
    if (attribute->kind == CRD_KIND_CATEGORY) {
        crd_i_export_format(
            file->writer,
            "    {\n        long code = row[%zu].text == NULL ? -1 : %s(%svalues, %zu, row[%zu].text);\n"
            "        for (k = 0; code >= 0 && k < classes; k++) sums[k] += ",
            index, find_function(attribute->values), prefix, crd_i_dictionary_size(attribute->values), index);
    } else {
        crd_i_export_format(file->writer,
                            "    {\n        double x = row[%zu].number;\n        int counts = isfinite(x)", index);
        if (template->covers != NULL) {
            crd_i_export_text(file->writer, " && (");
            crd_i_c_write_template(file->writer, prefix, template->covers);
            crd_i_export_text(file->writer, ")");
        }
        crd_i_export_text(file->writer, ";\n        for (k = 0; counts && k < classes; k++) sums[k] += ");
    }
    if (weight != 1) {
        crd_i_export_number(file->writer, weight, "INFINITY");
        crd_i_export_text(file->writer, " * ");
    }
    crd_i_c_write_template(file->writer, prefix, template->term);
    crd_i_export_text(file->writer, ";\n    }\n");
}

/* Writes the block that collects the cells of joint density j and calls its function. */
static void write_block_call(crd_i_c_file *file, const crd_classifier *classifier, const block_call *call,
                             size_t number, size_t j) {
    size_t columns = call->block->joint->column_count;
    char prefix[PREFIX_ROOM];
    bool is_normal = strncmp(call->name, "normal", strlen("normal")) == 0;
    bool has_items = strcmp(call->name, "a1de") == 0 || strcmp(call->name, "pairs") == 0;
    crd_i_export_format(file->writer, "    {\n        double cells[%zu];\n", columns == 0 ? 1 : columns);
    if (!is_normal) crd_i_export_format(file->writer, "        const long columns = %zu;\n", columns);
    if (call->capacity > 0) crd_i_export_format(file->writer, "        double work[%zu];\n", call->capacity);
    if (has_items) crd_i_export_format(file->writer, "        long at[%zu];\n", columns == 0 ? 1 : columns);
    for (size_t i = 0; i < columns; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[call->block->attributes[i]];
        size_t index = find_top(file, attribute->name);
        snprintf(prefix, sizeof prefix, "m%zu_j%zu_%zu_", number, j, i);
        if (is_block_category(attribute)) {
            crd_i_export_format(
                file->writer,
                "        cells[%zu] = row[%zu].text == NULL ? -1 : (double)%s(%svalues, %zu, row[%zu].text);\n"
                "        if (cells[%zu] < 0) cells[%zu] = NAN;\n",
                i, index, find_function(attribute->values), prefix, crd_i_dictionary_size(attribute->values), index, i,
                i);
        } else if (attribute->kind == CRD_KIND_NUMBER) {
            crd_i_export_format(file->writer,
                                "        cells[%zu] = isfinite(row[%zu].number) ? row[%zu].number : NAN;\n", i, index,
                                index);
        } else {
            crd_i_export_format(file->writer, "        cells[%zu] = NAN;\n", i);
        }
    }
    snprintf(prefix, sizeof prefix, "m%zu_j%zu_", number, j);
    crd_i_export_text(file->writer, "        ");
    crd_i_c_write_template(file->writer, prefix, crd_i_c_joint(call->name)->term);
    crd_i_export_text(file->writer, ";\n    }\n");
}

static void open_function(crd_i_c_file *file, const crd_classifier *classifier, size_t number) {
    crd_i_export_format(file->writer,
                        "\nstatic void score_%zu(const credence_value *row, double *sums) {\n"
                        "    const long classes = %zu;\n    long k;\n    (void)row;\n",
                        number, classifier->class_count);
}

/* Writes the arrays and the function of a classifier: log priors plus one term per attribute and joint density. */
static crd_status write_densities(crd_i_c_file *file, const crd_classifier *classifier, const crd_i_scorer *scorer,
                                  size_t number, crd_error *error) {
    const crd_i_scorer_type *type = scorer->type;
    size_t blocks = type->pairs != NULL ? 1 : type->joints != NULL ? type->joints->count(scorer) : 0;
    crd_i_parameter_array priors = {"log_priors", 1, classifier->class_count, 1, classifier->log_priors};
    char prefix[PREFIX_ROOM];
    crd_status status = CRD_OK;
    block_call *calls = crd_i_alloc_zeroed(classifier->context, blocks, sizeof *calls);
    if (calls == NULL) return crd_i_fail_memory(error);
    snprintf(prefix, sizeof prefix, "m%zu_", number);
    crd_i_export_text(file->writer, "\n");
    crd_i_c_write_array(file->writer, prefix, &priors);
    for (size_t i = 0; i < classifier->attribute_count && status == CRD_OK; i++)
        if (crd_i_attribute_counts(&classifier->attributes[i]) && crd_i_scorer_weight(scorer, i) != 0)
            status = write_attribute_arrays(file, classifier, i, number, error);
    for (size_t j = 0; j < blocks && status == CRD_OK; j++) {
        calls[j].block = type->pairs != NULL ? type->pairs->block(scorer) : type->joints->block(scorer, j);
        calls[j].name = type->pairs != NULL ? "pairs" : calls[j].block->joint->type->name;
        status = write_block_arrays(file, classifier, scorer, &calls[j], number, j, error);
    }
    if (status == CRD_OK) {
        open_function(file, classifier, number);
        crd_i_export_format(file->writer, "    for (k = 0; k < classes; k++) sums[k] = %slog_priors[k];\n", prefix);
        for (size_t i = 0; i < classifier->attribute_count; i++)
            if (crd_i_attribute_counts(&classifier->attributes[i]) && crd_i_scorer_weight(scorer, i) != 0)
                write_attribute_term(file, classifier, i, number);
        for (size_t j = 0; j < blocks; j++) write_block_call(file, classifier, &calls[j], number, j);
        /* If there is only one class, its probability is 1 even if its density is 0. */
        if (classifier->class_count == 1)
            crd_i_export_text(file->writer, "    if (sums[0] == -INFINITY) sums[0] = 0;\n");
    }
    crd_free(classifier->context, calls);
    return status;
}

/* Writes the functions of all ensemble members and then the function that pools them. Classes of a member are matched
 * by name with classes of the ensemble. Sets *number to the number of the ensemble's classifier. */
static crd_status c_classifier_write_members(crd_i_c_file *file, const crd_classifier *classifier,
                                             const crd_i_scorer *scorer, size_t *number, crd_error *error) {
    const crd_i_scorer_members *members = scorer->type->members;
    size_t count = members->count(scorer), classes = classifier->class_count, most = 1;
    size_t *numbers = crd_i_alloc_zeroed(classifier->context, count, sizeof *numbers);
    crd_i_parameter_list list = {.context = classifier->context};
    double *weights = crd_i_parameter_list_vector(&list, "weights", count);
    double *factors = weights == NULL ? NULL : crd_i_parameter_list_vector(&list, "log_factors", classes);
    crd_status status = numbers == NULL || factors == NULL ? crd_i_fail_memory(error) : CRD_OK;
    crd_ensemble_member member = CRD_ENSEMBLE_MEMBER_INIT;
    for (size_t i = 0; i < count && status == CRD_OK; i++) {
        members->describe(scorer, i, &member);
        weights[i] = member.weight;
        if (member.classifier->class_count > most) most = member.classifier->class_count;
        status = crd_i_c_write_classifier(file, member.classifier, &numbers[i], error);
    }
    if (status == CRD_OK) {
        crd_i_c_function pool = c_classifier_pooling(members->rule(scorer));
        char prefix[PREFIX_ROOM];
        *number = file->next++;
        snprintf(prefix, sizeof prefix, "m%zu_", *number);
        for (size_t k = 0; k < classes; k++) factors[k] = members->log_factor(scorer, k);
        crd_i_export_text(file->writer, "\n");
        crd_i_c_write_array(file->writer, prefix, &list.arrays[0]);
        if (pool == CRD_I_C_PRODUCT) crd_i_c_write_array(file->writer, prefix, &list.arrays[1]);
        open_function(file, classifier, *number);
        crd_i_export_format(file->writer,
                            "    {\n        double logs[%zu], own[%zu];\n"
                            "        for (k = 0; k < %zu; k++) logs[k] = -INFINITY;\n",
                            count == 0 ? 1 : count * classes, most, count * classes);
        for (size_t i = 0; i < count; i++) {
            members->describe(scorer, i, &member);
            crd_i_export_format(file->writer, "        score_%zu(row, own);\n", numbers[i]);
            for (size_t k = 0; k < member.classifier->class_count; k++)
                crd_i_export_format(
                    file->writer, "        logs[%zu] = own[%zu];\n",
                    i * classes + (size_t)crd_i_dictionary_find(classifier->classes,
                                                                crd_i_dictionary_text(member.classifier->classes, k)),
                    k);
        }
        crd_i_export_format(file->writer, "        pool_%s(logs, %sweights, %zu, classes, ",
                            pool == CRD_I_C_AVERAGE   ? "average"
                            : pool == CRD_I_C_PRODUCT ? "product"
                                                      : "votes",
                            prefix, count);
        if (pool == CRD_I_C_PRODUCT) crd_i_export_format(file->writer, "%slog_factors, ", prefix);
        crd_i_export_text(file->writer, "sums);\n    }\n");
    }
    crd_i_parameter_list_clear(&list);
    crd_free(classifier->context, numbers);
    return status;
}

/* Writes the calibration block of a function, after the sums have been computed. The block contains its parameter
 * arrays. If the prior was changed after calibration, the block removes the prior ratio before calibrating and adds it
 * again afterwards. */
static crd_status write_correction(crd_i_c_file *file, const crd_classifier *classifier, size_t number,
                                   crd_error *error) {
    const crd_i_scorer_correction *correction = classifier->scorer->type->correction;
    crd_i_parameter_list list = {.context = classifier->context};
    bool done = correction->list_parameters(classifier->scorer, &list), has_prior = false, is_isotonic = false;
    char prefix[PREFIX_ROOM];
    snprintf(prefix, sizeof prefix, "m%zu_c_", number);
    crd_i_export_text(file->writer, "    if (conclude(sums, NULL, classes) < 0) return;\n    {\n");
    for (size_t i = 0; done && i < list.count; i++) {
        crd_i_export_text(file->writer, "        ");
        crd_i_c_write_array(file->writer, prefix, &list.arrays[i]);
        has_prior = has_prior || strcmp(list.arrays[i].name, "log_prior_ratio") == 0;
        is_isotonic = is_isotonic || strcmp(list.arrays[i].name, "points") == 0;
    }
    if (has_prior)
        crd_i_export_format(file->writer, "        take_out_prior(sums, m%zu_c_log_prior_ratio, classes);\n", number);
    crd_i_export_format(file->writer,
                        is_isotonic ? "        calibrate_isotonic(sums, %spoints, %sfrom, %sto, classes);\n"
                                    : "        calibrate_scaling(sums, %sslope, %soffset, classes);%s\n",
                        prefix, prefix, is_isotonic ? prefix : "");
    if (has_prior)
        crd_i_export_format(file->writer,
                            "        for (k = 0; k < classes; k++) sums[k] += m%zu_c_log_prior_ratio[k];\n", number);
    crd_i_export_text(file->writer, "    }\n");
    crd_i_parameter_list_clear(&list);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

crd_status crd_i_c_write_classifier(crd_i_c_file *file, const crd_classifier *classifier, size_t *number,
                                    crd_error *error) {
    const crd_i_scorer *scorer = crd_i_scorer_uncorrected(classifier->scorer);
    crd_status status;
    if (scorer->type->members != NULL) {
        status = c_classifier_write_members(file, classifier, scorer, number, error);
    } else {
        *number = file->next++;
        status = write_densities(file, classifier, scorer, *number, error);
    }
    if (status == CRD_OK && scorer != classifier->scorer) status = write_correction(file, classifier, *number, error);
    if (status == CRD_OK) crd_i_export_text(file->writer, "    conclude(sums, NULL, classes);\n}\n");
    return status;
}
