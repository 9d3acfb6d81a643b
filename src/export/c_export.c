/* SPDX-License-Identifier: MIT */
/* c_export.c - exports a model as one C99 file that needs only the C library. It contains the parameters and the
 * functions that use them. If CREDENCE_MAIN is defined, it also contains a program that reads CSV.
 *
 * Contents:
 *   1. Templates
 *   2. Classifiers
 *   3. The exported file */
#include "base/error.h"
#include "base/memory.h"
#include "base/parameter_list.h"
#include "base/text.h"
#include "classify/joint_scorer.h"
#include "export/c_runtime.h"
#include "export/export_internal.h"
#include "model/model_parts.h"

#include <credence/model.h>
#include <credence/number.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The C file that is being written. Classifiers are numbered in the order in which they are written, so the members of
 * an ensemble precede the classifier that pools them. */
typedef struct c_file {
    crd_i_export_writer *writer;
    const crd_classifier *top; /* the exported classifier, whose attributes are the cells of a row */
    size_t next;               /* number of the next classifier to write */
} c_file;

/* The C code of a family or a joint density. */
typedef struct c_template {
    const char *name;
    const char *covers; /* condition under which a number x counts; NULL: always */
    const char *term;   /* family: the term to add for class k; joint density: the call that adds its terms to `sums` */
    unsigned functions; /* bits of the functions of c_runtime.h that the code calls */
} c_template;

/* ======== 1. Templates ========
 *
 * In a template, "@name" is the array of the parameter called `name`. An array is written only if a template refers to
 * it. */

#define BIT(function) (1u << (function))
#define NORMAL_CALL "@mean[k], @mean_rest[k], @sd[k], @log_peak[k], @slope[k])"
#define SCALED "scaled(x, @half_center, @factor)"
#define COUNT(name) "(long)(sizeof " name " / sizeof *" name ")"

static const c_template families[] = {
    {"categorical", NULL, "@log_probability[code * classes + k]", 0},
    {"gaussian", NULL, "normal(x, " NORMAL_CALL, BIT(CRD_I_C_NORMAL)},
    {"lognormal", "x > 0", "normal(log(x), " NORMAL_CALL " - log(x)", BIT(CRD_I_C_NORMAL)},
    {"student", NULL, "student(x, @degrees[k], @location[k], @scale[k], @log_peak[k])", BIT(CRD_I_C_STUDENT)},
    {"exponential", "x >= 0", "(log(@rate[k]) - @rate[k] * x)", 0},
    {"bernoulli", "x == 0 || x == 1", "log(x == 1 ? @p[k] : 1 - @p[k])", 0},
    {"poisson", "x >= 0 && x == floor(x)", "poisson(x, @mean[k])", BIT(CRD_I_C_POISSON)},
    {"uniform", "x >= @overall_from && x <= @overall_to",
     "uniform(x, @from[k], @to[k], @share[k], @overall_from, @overall_to)", BIT(CRD_I_C_UNIFORM)},
    {"histogram", NULL,
     "histogram(" SCALED ", " COUNT("@edge") " - 1, @edge, @probability + k * (" COUNT(
         "@edge") " - 1), @log_density + k * (" COUNT("@edge") " - 1), @share_beyond, @log_unit)",
     BIT(CRD_I_C_HISTOGRAM) | BIT(CRD_I_C_SCALED)},
    {"kernel", NULL,
     "(kernel(" SCALED ", " COUNT("@cell") ", @cell, @weight + k * " COUNT("@cell") ", @bandwidth[k]) - @log_total[k])",
     BIT(CRD_I_C_KERNEL) | BIT(CRD_I_C_SCALED)},
    {"mixture", NULL, "(mixture(" SCALED ", @components, k, @log_peak, @mean, @sd) - @log_unit)",
     BIT(CRD_I_C_MIXTURE) | BIT(CRD_I_C_SCALED)},
};

/* Joint densities. `work` is the work space that the exported code allocates for the call, and `at` has one element per
 * column. */
static const c_template joints[] = {
    {"normal", NULL,
     "joint_normal(cells, " COUNT("@place") ", @place, @binary_exponent, @center, @mean, @covariance, " COUNT(
         "@covariance") " / (" COUNT("@place") " * " COUNT("@place") "), @degrees, @exponent, classes, work, sums)",
     BIT(CRD_I_C_JOINT_NORMAL)},
    {"normal-mixture", NULL,
     "joint_mixture(cells, " COUNT(
         "@place") ", @place, @binary_exponent, @second_binary_exponent, @center, @components, "
                   "@log_share, @mean, @covariance, @degrees, @exponent, classes, work, sums)",
     BIT(CRD_I_C_JOINT_MIXTURE)},
    {"table", NULL,
     "joint_table(cells, columns, @values, @combination, @rows, " COUNT(
         "@rows") " / classes, @class_rows, @strength, "
                  "@mass, @is_laplace != 0, @share, @borrowed, @naive, classes, work, sums)",
     BIT(CRD_I_C_JOINT_TABLE)},
    {"aode", NULL,
     "aode(cells, columns, @items, @is_number, @weight, @log_weight, @cut, @rows, @log_single, @log_pair, @implies, "
     "@implications, classes, at, work, sums)",
     BIT(CRD_I_C_AODE)},
    {"pairs", NULL,
     "pairs(cells, columns, @items, @is_number, @cut, @rows, @log_single, @log_pair, @pair_weight, classes, at, sums)",
     BIT(CRD_I_C_PAIRS)},
    {"trees", NULL,
     "trees(cells, columns, @values, @bin, @root, " COUNT(
         "@root") ", @column, @test, @left_share, @right, @members, @words, @value, @scale, @log_share, classes, at, "
                  "work, sums)",
     BIT(CRD_I_C_TREES)},
};

static const c_template *find_template(const c_template *list, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0) return &list[i];
    return NULL;
}

/* Return the template of a family or of a joint density, or NULL if C cannot express it. */
static const c_template *c_family(const char *name) {
    return find_template(families, sizeof families / sizeof *families, name);
}

static const c_template *c_joint(const char *name) {
    return find_template(joints, sizeof joints / sizeof *joints, name);
}

/* ---- Texts and numbers ---- */

/* Writes a text as a string literal. All bytes except plain ASCII become octal escapes. */
static void c_write_text(crd_i_export_writer *writer, crd_text text) {
    crd_i_export_text(writer, "\"");
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        bool is_plain = byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\' && byte != '?';
        if (is_plain) crd_i_export_bytes(writer, &text.bytes[i], 1);
        else crd_i_export_format(writer, "\\%03o", byte);
    }
    crd_i_export_text(writer, "\"");
}

/* Writes a text as part of a comment. Bytes that could end or change the comment become '_'. */
static void c_write_comment(crd_i_export_writer *writer, crd_text text) {
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        bool is_plain = byte >= 0x20 && byte != 0x7F && byte != '*' && byte != '\\' && byte != '?';
        crd_i_export_bytes(writer, is_plain ? &text.bytes[i] : "_", 1);
    }
}

/* Writes the definition static const char *const NAME[] = {...}; */
static void c_write_texts(crd_i_export_writer *writer, const char *name, const crd_i_dictionary *texts) {
    size_t count = crd_i_dictionary_size(texts);
    crd_i_export_format(writer, "static const char *const %s[] = {", name);
    for (size_t i = 0; i < count; i++) {
        crd_i_export_text(writer, i == 0 ? "\n    " : ",\n    ");
        c_write_text(writer, crd_i_dictionary_text(texts, i));
    }
    crd_i_export_text(writer, count == 0 ? "NULL};\n" : "};\n");
}

/* Writes a number with a decimal point or an exponent. Otherwise C would read -0 as an integer and lose its sign. */
static void c_templates_write_number(crd_i_export_writer *writer, double number) {
    char buffer[CRD_NUMBER_ROOM];
    if (!isfinite(number)) {
        crd_i_export_number(writer, number, "INFINITY");
        return;
    }
    crd_number_format(number, buffer);
    crd_i_export_text(writer, buffer);
    if (strpbrk(buffer, ".e") == NULL) crd_i_export_text(writer, ".0");
}

/* Writes the definition static const double PREFIXNAME[] = {...}; or, without dimensions, PREFIXNAME = ...; */
static void c_write_array(crd_i_export_writer *writer, const char *prefix, const crd_i_parameter_array *array) {
    enum { ON_A_LINE = 5 };
    size_t count = array->rows * array->columns;
    crd_i_export_format(writer, "static const double %s%s%s = ", prefix, array->name,
                        array->dimensions == 0 ? "" : "[]");
    if (array->dimensions == 0) {
        c_templates_write_number(writer, array->numbers[0]);
        crd_i_export_text(writer, ";\n");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        crd_i_export_text(writer, i == 0 ? "{" : i % ON_A_LINE == 0 ? ",\n    " : ", ");
        c_templates_write_number(writer, array->numbers[i]);
    }
    crd_i_export_text(writer, count == 0 ? "{0};\n" : "};\n");
}

/* Returns whether a template refers to the parameter array called `name`. */
static bool c_templates_is_named(const char *text, const char *name) {
    size_t length = strlen(name);
    for (; text != NULL && (text = strchr(text, '@')) != NULL; text++)
        if (strncmp(text + 1, name, length) == 0 && !isalnum((unsigned char)text[1 + length]) &&
            text[1 + length] != '_')
            return true;
    return false;
}

/* Writes the arrays of `list` that a template refers to. */
static void c_write_arrays(crd_i_export_writer *writer, const char *prefix, const c_template *template,
                           const crd_i_parameter_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (c_templates_is_named(template->covers, list->arrays[i].name) ||
            c_templates_is_named(template->term, list->arrays[i].name))
            c_write_array(writer, prefix, &list->arrays[i]);
}

/* Writes a template, with each "@" replaced by `prefix`. */
static void c_write_template(crd_i_export_writer *writer, const char *prefix, const char *text) {
    for (const char *cursor; (cursor = strchr(text, '@')) != NULL; text = cursor + 1) {
        crd_i_export_bytes(writer, text, (size_t)(cursor - text));
        crd_i_export_text(writer, prefix);
    }
    crd_i_export_text(writer, text);
}

/* ======== 2. Classifiers ========
 *
 * A classifier is exported as static arrays of its parameters, and a function that computes log posteriors of a row. */

/* MOST_COLUMNS: most columns of a joint normal density, because the exported code factors its covariance on the
 * stack. MOST_NUMBERS: most numbers of trees, because compilers need much memory for large arrays. */
enum { MOST_COLUMNS = 200, MOST_NUMBERS = 1 << 22, PREFIX_ROOM = 64 };

/* ---- Blocks ---- */

/* A joint density, a model of pairs, or trees: a call of one function in the exported file. */
typedef struct c_block {
    const char *name;         /* of its template */
    const crd_i_joint *joint; /* NULL: trees */
    size_t *attributes;       /* of each column: its attribute in the classifier */
    size_t column_count;
    size_t work; /* size of its work space, in doubles; write_block_arrays sets it */
} c_block;

static size_t c_block_count(const crd_i_scorer *scorer) {
    const crd_i_scorer_type *type = scorer->type;
    return type->joints != NULL ? type->joints->count(scorer) : type->pairs != NULL;
}

/* Describes block j of a scorer. Clear the block in any case. */
static crd_status c_block_describe(const crd_classifier *classifier, const crd_i_scorer *scorer, size_t j,
                                   c_block *block, crd_error *error) {
    const crd_i_scorer_type *type = scorer->type;
    *block = (c_block){.name = "trees"};
    block->attributes = crd_i_alloc(classifier->context, classifier->attribute_count, sizeof *block->attributes);
    if (block->attributes == NULL) return crd_i_fail_memory(error);
    if (type->joints != NULL && type->joints->tree_parameters != NULL) {
        crd_joint joint = CRD_JOINT_INIT;
        type->joints->describe(scorer, classifier, j, &joint);
        block->column_count = joint.attribute_count;
        return type->joints->attributes(scorer, classifier, j, block->attributes, error);
    }
    const crd_i_joint_block *density =
        type->joints != NULL ? type->joints->block(scorer, j) : type->pairs->block(scorer);
    block->joint = density->joint;
    block->name = type->joints != NULL ? density->joint->type->name : "pairs";
    block->column_count = density->joint->column_count;
    for (size_t i = 0; i < block->column_count; i++) block->attributes[i] = density->attributes[i];
    return CRD_OK;
}

static void c_block_clear(const crd_classifier *classifier, c_block *block) {
    crd_free(classifier->context, block->attributes);
}

static bool c_block_list_parameters(const c_block *block, const crd_i_scorer *scorer, crd_i_parameter_list *list) {
    if (block->joint == NULL) return scorer->type->joints->tree_parameters(scorer, list);
    return block->joint->type->list_parameters(block->joint, list);
}

/* ---- Checks ---- */

/* Checks that C can express the classifier. Sets the bits in *functions of all functions of c_runtime.h that the
 * exported code calls directly. CRD_ERROR_SETTING: C cannot express it. */
static CRD_MUST_USE crd_status c_check(const crd_classifier *classifier, unsigned *functions, crd_error *error);

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
    return attribute->type == CRD_TYPE_CATEGORICAL && attribute->values != NULL;
}

/* Checks a block and adds the functions that it needs to *functions. */
static crd_status check_block(const crd_classifier *classifier, const crd_i_scorer *scorer, const c_block *block,
                              unsigned *functions, crd_error *error) {
    const c_template *template = c_joint(block->name);
    if (template == NULL) return crd_i_export_refuse(error, "C", "this joint density", "joint");
    if (strncmp(block->name, "normal", strlen("normal")) == 0 && block->column_count > MOST_COLUMNS)
        return crd_i_export_refuse(error, "C", "a joint normal density with more than 200 columns", "joint");
    *functions |= template->functions;
    for (size_t i = 0; i < block->column_count; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[block->attributes[i]];
        if (is_block_category(attribute))
            *functions |= BIT(is_sorted(attribute->values) ? CRD_I_C_FIND_SORTED : CRD_I_C_FIND);
    }
    return crd_i_export_check_trees(scorer, "C", MOST_NUMBERS, error);
}

/* Checks the class names and all attributes, and adds the functions that they need to *functions. */
static crd_status check_attributes(const crd_classifier *classifier, unsigned *functions, crd_error *error) {
    crd_status status = c_classifier_check_texts(classifier->classes, error);
    for (size_t i = 0; i < classifier->attribute_count && status == CRD_OK; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        status = c_classifier_check_text(attribute->name, error);
        if (status == CRD_OK) status = c_classifier_check_texts(attribute->values, error);
        if (status != CRD_OK || !crd_i_attribute_counts(attribute)) continue;
        if (c_family(attribute->family->name) == NULL) return crd_i_export_refuse(error, "C", "this family", "family");
        *functions |= c_family(attribute->family->name)->functions;
        if (attribute->type == CRD_TYPE_CATEGORICAL)
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
        status = c_check(member.classifier, functions, error);
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

static crd_status c_check(const crd_classifier *classifier, unsigned *functions, crd_error *error) {
    const crd_i_scorer *scorer = crd_i_scorer_uncorrected(classifier->scorer);
    const crd_i_scorer_type *type = scorer->type;
    *functions |= BIT(CRD_I_C_CONCLUDE);
    if (type->joints != NULL && type->joints->network != NULL)
        return crd_i_export_refuse(error, "C", "a network, where missing values are summed out", "method");
    crd_status status = check_attributes(classifier, functions, error);
    for (size_t i = 0; i < c_block_count(scorer) && status == CRD_OK; i++) {
        c_block block;
        status = c_block_describe(classifier, scorer, i, &block, error);
        if (status == CRD_OK) status = check_block(classifier, scorer, &block, functions, error);
        c_block_clear(classifier, &block);
    }
    if (status == CRD_OK && type->members != NULL) status = check_members(scorer, functions, error);
    if (status == CRD_OK && scorer != classifier->scorer) status = check_calibration(classifier, functions, error);
    return status;
}

/* ---- Parameters ---- */

static void c_classifier_write_values(crd_i_export_writer *writer, const char *prefix, const crd_i_dictionary *values) {
    char name[PREFIX_ROOM + 8];
    snprintf(name, sizeof name, "%svalues", prefix);
    c_write_texts(writer, name, values);
}

/* Writes the values and parameters of attribute i in classifier `number` as static arrays. */
static crd_status write_attribute_arrays(c_file *file, const crd_classifier *classifier, size_t i, size_t number,
                                         crd_error *error) {
    const crd_i_attribute *attribute = &classifier->attributes[i];
    crd_i_parameter_list list = {.context = classifier->context};
    char prefix[PREFIX_ROOM];
    snprintf(prefix, sizeof prefix, "m%zu_a%zu_", number, i);
    bool done = attribute->family->list_parameters(attribute->density, &list);
    if (done) {
        crd_i_export_text(file->writer, "\n/* ");
        c_write_comment(file->writer, attribute->name);
        crd_i_export_format(file->writer, ": %s */\n", attribute->family->name);
        if (attribute->type == CRD_TYPE_CATEGORICAL) c_classifier_write_values(file->writer, prefix, attribute->values);
        c_write_arrays(file->writer, prefix, c_family(attribute->family->name), &list);
    }
    crd_i_parameter_list_clear(&list);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Adds the arguments of the exported function that are not parameters of the block itself. */
static bool add_to_block(const crd_i_scorer *scorer, const char *name, crd_i_parameter_list *list) {
    if (strcmp(name, "aode") == 0)
        return crd_i_parameter_list_number(list, "implications",
                                           (double)crd_i_parameter_list_find(list, "implies")->rows);
    if (strcmp(name, "trees") == 0)
        return crd_i_parameter_list_number(list, "words", (double)crd_i_parameter_list_find(list, "members")->columns);
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
static size_t work_room(const c_block *block, size_t classes, const crd_i_parameter_list *list) {
    size_t columns = block->column_count;
    if (strcmp(block->name, "table") == 0 || strcmp(block->name, "trees") == 0) return classes;
    if (strcmp(block->name, "aode") == 0) return columns * classes;
    if (strcmp(block->name, "pairs") == 0) return 0;
    size_t components = 0;
    if (strcmp(block->name, "normal-mixture") == 0) components = crd_i_parameter_list_find(list, "log_share")->rows;
    return columns * (columns + 3) + components;
}

/* Defines the optional arrays of a joint table as NULL if it has none: `share` (overall relative frequencies of values)
 * and `naive` (relative frequencies in each class). */
static void write_absent(c_file *file, const char *prefix, const crd_i_parameter_list *list) {
    if (crd_i_parameter_list_find(list, "is_marginal")->numbers[0] == 0)
        crd_i_export_format(file->writer, "static const double *const %sshare = NULL;\n", prefix);
    if (crd_i_parameter_list_find(list, "borrowed")->numbers[0] == 0)
        crd_i_export_format(file->writer, "static const double *const %snaive = NULL;\n", prefix);
}

/* Writes the values and parameters of block j in classifier `number`, and sets block->work. */
static crd_status write_block_arrays(c_file *file, const crd_classifier *classifier, const crd_i_scorer *scorer,
                                     c_block *block, size_t number, size_t j, crd_error *error) {
    crd_i_parameter_list list = {.context = classifier->context};
    char prefix[PREFIX_ROOM];
    bool done = c_block_list_parameters(block, scorer, &list) && add_to_block(scorer, block->name, &list);
    if (done) {
        crd_i_export_format(file->writer, "\n/* joint density: %s */\n", block->name);
        for (size_t i = 0; i < block->column_count; i++) {
            const crd_i_attribute *attribute = &classifier->attributes[block->attributes[i]];
            snprintf(prefix, sizeof prefix, "m%zu_j%zu_%zu_", number, j, i);
            if (is_block_category(attribute)) c_classifier_write_values(file->writer, prefix, attribute->values);
        }
        snprintf(prefix, sizeof prefix, "m%zu_j%zu_", number, j);
        c_write_arrays(file->writer, prefix, c_joint(block->name), &list);
        if (strcmp(block->name, "table") == 0) write_absent(file, prefix, &list);
        block->work = work_room(block, classifier->class_count, &list);
    }
    crd_i_parameter_list_clear(&list);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* ---- Scoring function ---- */

/* Writes the function `static void score_N(const credence_value *row, double *sums)`, which sets `sums` to normalized
 * log posteriors. Sets *number to N. */
static CRD_MUST_USE crd_status c_write_classifier(c_file *file, const crd_classifier *classifier, size_t *number,
                                                  crd_error *error);

/* Returns the index of the attribute called `name` in the exported row. The attribute must exist. */
static size_t find_top(const c_file *file, crd_text name) {
    size_t i = 0;
    while (!crd_text_equal(file->top->attributes[i].name, name)) i++;
    return i;
}

static const char *find_function(const crd_i_dictionary *values) {
    return is_sorted(values) ? "find_sorted" : "find";
}

/* Writes the statement that adds the log density of attribute i to the sum of every class. */
static void write_attribute_term(c_file *file, const crd_classifier *classifier, size_t i, size_t number) {
    const crd_i_attribute *attribute = &classifier->attributes[i];
    const c_template *template = c_family(attribute->family->name);
    double weight = crd_i_scorer_weight(classifier->scorer, i);
    size_t index = find_top(file, attribute->name);
    char prefix[PREFIX_ROOM];
    snprintf(prefix, sizeof prefix, "m%zu_a%zu_", number, i);
    if (attribute->type == CRD_TYPE_CATEGORICAL) {
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
            c_write_template(file->writer, prefix, template->covers);
            crd_i_export_text(file->writer, ")");
        }
        crd_i_export_text(file->writer, ";\n        for (k = 0; counts && k < classes; k++) sums[k] += ");
    }
    if (weight != 1) {
        crd_i_export_number(file->writer, weight, "INFINITY");
        crd_i_export_text(file->writer, " * ");
    }
    c_write_template(file->writer, prefix, template->term);
    crd_i_export_text(file->writer, ";\n    }\n");
}

/* Writes the statements that collect the cells of block j and call its function. */
static void write_block_call(c_file *file, const crd_classifier *classifier, const c_block *block, size_t number,
                             size_t j) {
    size_t columns = block->column_count;
    char prefix[PREFIX_ROOM];
    bool is_normal = strncmp(block->name, "normal", strlen("normal")) == 0;
    bool has_items = !is_normal && strcmp(block->name, "table") != 0;
    crd_i_export_format(file->writer, "    {\n        double cells[%zu];\n", columns == 0 ? 1 : columns);
    if (!is_normal) crd_i_export_format(file->writer, "        const long columns = %zu;\n", columns);
    if (block->work > 0) crd_i_export_format(file->writer, "        double work[%zu];\n", block->work);
    if (has_items) crd_i_export_format(file->writer, "        long at[%zu];\n", columns == 0 ? 1 : columns);
    for (size_t i = 0; i < columns; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[block->attributes[i]];
        size_t index = find_top(file, attribute->name);
        snprintf(prefix, sizeof prefix, "m%zu_j%zu_%zu_", number, j, i);
        if (is_block_category(attribute)) {
            crd_i_export_format(
                file->writer,
                "        cells[%zu] = row[%zu].text == NULL ? -1 : (double)%s(%svalues, %zu, row[%zu].text);\n"
                "        if (cells[%zu] < 0) cells[%zu] = NAN;\n",
                i, index, find_function(attribute->values), prefix, crd_i_dictionary_size(attribute->values), index, i,
                i);
        } else if (attribute->type == CRD_TYPE_NUMERIC) {
            crd_i_export_format(file->writer,
                                "        cells[%zu] = isfinite(row[%zu].number) ? row[%zu].number : NAN;\n", i, index,
                                index);
        } else {
            crd_i_export_format(file->writer, "        cells[%zu] = NAN;\n", i);
        }
    }
    snprintf(prefix, sizeof prefix, "m%zu_j%zu_", number, j);
    crd_i_export_text(file->writer, "        ");
    c_write_template(file->writer, prefix, c_joint(block->name)->term);
    crd_i_export_text(file->writer, ";\n    }\n");
}

static void open_function(c_file *file, const crd_classifier *classifier, size_t number) {
    crd_i_export_format(file->writer,
                        "\nstatic void score_%zu(const credence_value *row, double *sums) {\n"
                        "    const long classes = %zu;\n    long k;\n    (void)row;\n",
                        number, classifier->class_count);
}

/* Writes the arrays and the function of a classifier: log priors plus one term per attribute and joint density. */
static crd_status write_densities(c_file *file, const crd_classifier *classifier, const crd_i_scorer *scorer,
                                  size_t number, crd_error *error) {
    size_t count = c_block_count(scorer);
    crd_i_parameter_array priors = {"log_priors", 1, classifier->class_count, 1, classifier->log_priors};
    char prefix[PREFIX_ROOM];
    crd_status status = CRD_OK;
    c_block *blocks = crd_i_alloc_zeroed(classifier->context, count, sizeof *blocks);
    if (blocks == NULL) return crd_i_fail_memory(error);
    snprintf(prefix, sizeof prefix, "m%zu_", number);
    crd_i_export_text(file->writer, "\n");
    c_write_array(file->writer, prefix, &priors);
    for (size_t i = 0; i < classifier->attribute_count && status == CRD_OK; i++)
        if (crd_i_attribute_counts(&classifier->attributes[i]) && crd_i_scorer_weight(scorer, i) != 0)
            status = write_attribute_arrays(file, classifier, i, number, error);
    for (size_t j = 0; j < count && status == CRD_OK; j++) {
        status = c_block_describe(classifier, scorer, j, &blocks[j], error);
        if (status == CRD_OK) status = write_block_arrays(file, classifier, scorer, &blocks[j], number, j, error);
    }
    if (status == CRD_OK) {
        open_function(file, classifier, number);
        crd_i_export_format(file->writer, "    for (k = 0; k < classes; k++) sums[k] = %slog_priors[k];\n", prefix);
        for (size_t i = 0; i < classifier->attribute_count; i++)
            if (crd_i_attribute_counts(&classifier->attributes[i]) && crd_i_scorer_weight(scorer, i) != 0)
                write_attribute_term(file, classifier, i, number);
        for (size_t j = 0; j < count; j++) write_block_call(file, classifier, &blocks[j], number, j);
        /* If there is only one class, its probability is 1 even if its density is 0. */
        if (classifier->class_count == 1)
            crd_i_export_text(file->writer, "    if (sums[0] == -INFINITY) sums[0] = 0;\n");
    }
    for (size_t j = 0; j < count; j++) c_block_clear(classifier, &blocks[j]);
    crd_free(classifier->context, blocks);
    return status;
}

/* Writes the functions of all ensemble members and then the function that pools them. Classes of a member are matched
 * by name with classes of the ensemble. Sets *number to the number of the ensemble's classifier. */
static crd_status c_classifier_write_members(c_file *file, const crd_classifier *classifier, const crd_i_scorer *scorer,
                                             size_t *number, crd_error *error) {
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
        status = c_write_classifier(file, member.classifier, &numbers[i], error);
    }
    if (status == CRD_OK) {
        crd_i_c_function pool = c_classifier_pooling(members->rule(scorer));
        char prefix[PREFIX_ROOM];
        *number = file->next++;
        snprintf(prefix, sizeof prefix, "m%zu_", *number);
        for (size_t k = 0; k < classes; k++) factors[k] = members->log_factor(scorer, k);
        crd_i_export_text(file->writer, "\n");
        c_write_array(file->writer, prefix, &list.arrays[0]);
        if (pool == CRD_I_C_PRODUCT) c_write_array(file->writer, prefix, &list.arrays[1]);
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
static crd_status write_correction(c_file *file, const crd_classifier *classifier, size_t number, crd_error *error) {
    const crd_i_scorer_correction *correction = classifier->scorer->type->correction;
    crd_i_parameter_list list = {.context = classifier->context};
    bool done = correction->list_parameters(classifier->scorer, &list), has_prior = false, is_isotonic = false;
    char prefix[PREFIX_ROOM];
    snprintf(prefix, sizeof prefix, "m%zu_c_", number);
    crd_i_export_text(file->writer, "    if (conclude(sums, NULL, classes) < 0) return;\n    {\n");
    for (size_t i = 0; done && i < list.count; i++) {
        crd_i_export_text(file->writer, "        ");
        c_write_array(file->writer, prefix, &list.arrays[i]);
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

static crd_status c_write_classifier(c_file *file, const crd_classifier *classifier, size_t *number, crd_error *error) {
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

/* ======== 3. The exported file ======== */

/* Declarations of the exported file. */
static const char interface[] =
    "/* A value of a row: .number is NAN if missing, .text is NULL if missing. "
    "Categories\n"
    " * that never occurred in training are ignored, and so are numbers that no class can have. */\n"
    "typedef struct credence_value {\n"
    "    double number;\n"
    "    const char *text;\n"
    "} credence_value;\n"
    "\n"
    "/* Computes the posterior of each class and its logarithm (NULL: not needed), given CREDENCE_ATTRIBUTES values. "
    "Returns\n"
    " * the most probable class, the first one if there are ties; -1: all are impossible, and all posteriors 0. */\n"
    "long credence_posteriors(const credence_value *row, double *posteriors, double *log_posteriors);\n"
    "\n";

/* Definition of credence_posteriors. The format argument is the number of the classifier. */
static const char answer[] =
    "\n"
    "long credence_posteriors(const credence_value *row, double *posteriors, double *log_posteriors) {\n"
    "    double sums[CREDENCE_CLASSES];\n"
    "    long k, decision;\n"
    "    score_%zu(row, sums);\n"
    "    decision = conclude(sums, posteriors, CREDENCE_CLASSES);\n"
    "    for (k = 0; log_posteriors != NULL && k < CREDENCE_CLASSES; k++) log_posteriors[k] = sums[k];\n"
    "    return decision;\n"
    "}\n";

/* The program, in several literals because C99 limits a literal to 4095 characters. */
static const char *const program[] = {
    "\n"
    "/* ---- A program: rows of CSV with a header from a file or standard input, posteriors to standard output ---- "
    "*/\n"
    "#ifdef CREDENCE_MAIN\n"
    "#include <ctype.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "\n"
    "typedef struct csv_row {\n"
    "    char *bytes;\n"
    "    size_t *starts;\n"
    "    size_t length, room, fields, field_room;\n"
    "} csv_row;\n"
    "\n"
    "static void *grow(void *block, size_t *room, size_t needed, size_t size) {\n"
    "    if (needed <= *room) return block;\n"
    "    *room = needed * 2;\n"
    "    block = realloc(block, *room * size);\n"
    "    if (block == NULL) {\n"
    "        fputs(\"out of memory\\n\", stderr);\n"
    "        exit(1);\n"
    "    }\n"
    "    return block;\n"
    "}\n"
    "\n"
    "static void put_byte(csv_row *row, char byte) {\n"
    "    row->bytes = grow(row->bytes, &row->room, row->length + 1, 1);\n"
    "    row->bytes[row->length++] = byte;\n"
    "}\n"
    "\n"
    "static void begin_field(csv_row *row) {\n"
    "    row->starts = grow(row->starts, &row->field_room, row->fields + 1, sizeof *row->starts);\n"
    "    row->starts[row->fields++] = row->length;\n"
    "}\n"
    "\n",
    "/* Reads a row. Fields with commas, quotes (doubled) or line ends must be in quotes. Returns 0 after the last. "
    "*/\n"
    "static FILE *credence_input;\n"
    "\n"
    "static int read_row(csv_row *row) {\n"
    "    int byte = getc(credence_input), is_quoted = 0;\n"
    "    row->length = row->fields = 0;\n"
    "    while (byte == '\\n' || byte == '\\r') byte = getc(credence_input);\n"
    "    if (byte == EOF) return 0;\n"
    "    begin_field(row);\n"
    "    for (; byte != EOF && (is_quoted || byte != '\\n'); byte = getc(credence_input)) {\n"
    "        if (byte == '\"' && is_quoted) {\n"
    "            byte = getc(credence_input);\n"
    "            if (byte == '\"') {\n"
    "                put_byte(row, '\"');\n"
    "                continue;\n"
    "            }\n"
    "            is_quoted = 0;\n"
    "            if (byte == '\\n' || byte == EOF) break;\n"
    "        }\n"
    "        if (byte == '\"' && !is_quoted && row->length == row->starts[row->fields - 1]) is_quoted = 1;\n"
    "        else if (byte == ',' && !is_quoted) {\n"
    "            put_byte(row, '\\0');\n"
    "            begin_field(row);\n"
    "        } else if (is_quoted || byte != '\\r') put_byte(row, (char)byte);\n"
    "    }\n"
    "    put_byte(row, '\\0');\n"
    "    return 1;\n"
    "}\n"
    "\n"
    "/* Compares texts and ignores case. */\n"
    "static int is_same(const char *a, const char *b) {\n"
    "    for (; *a != '\\0' && tolower((unsigned char)*a) == tolower((unsigned char)*b); a++) b++;\n"
    "    return *a == '\\0' && *b == '\\0';\n"
    "}\n"
    "\n"
    "/* Returns whether a text means a missing value. None does, but none is a category. */\n"
    "static int means_missing(const char *text) {\n"
    "    long i;\n"
    "    int is_none = is_same(text, \"None\") && strcmp(text, \"None\") != 0;\n"
    "    for (i = 0; credence_missing[i] != NULL; i++)\n"
    "        if (is_none ? strcmp(text, credence_missing[i]) == 0 : is_same(text, credence_missing[i])) return 1;\n"
    "    return text[0] == '\\0';\n"
    "}\n"
    "\n"
    "static void print_text(const char *text) {\n"
    "    if (strpbrk(text, \",\\\"\\r\\n\") == NULL) {\n"
    "        fputs(text, stdout);\n"
    "        return;\n"
    "    }\n"
    "    putchar('\"');\n"
    "    for (; *text != '\\0'; text++) {\n"
    "        if (*text == '\"') putchar('\"');\n"
    "        putchar(*text);\n"
    "    }\n"
    "    putchar('\"');\n"
    "}\n"
    "\n"
    "/* Prints P(name). */\n"
    "static void print_heading(const char *name) {\n"
    "    size_t length = strlen(name);\n"
    "    char *heading = malloc(length + 4);\n"
    "    if (heading == NULL) exit(1);\n"
    "    memcpy(heading, \"P(\", 2);\n"
    "    memcpy(heading + 2, name, length);\n"
    "    memcpy(heading + 2 + length, \")\", 2);\n"
    "    print_text(heading);\n"
    "    free(heading);\n"
    "}\n"
    "\n",
    "/* Reads the given file, or standard input. */\n"
    "int main(int count, char **words) {\n"
    "    static credence_value row[CREDENCE_ATTRIBUTES + 1];\n"
    "    static long columns[CREDENCE_ATTRIBUTES + 1];\n"
    "    double posteriors[CREDENCE_CLASSES];\n"
    "    csv_row cells = {NULL, NULL, 0, 0, 0, 0};\n"
    "    long i, k;\n"
    "    size_t field;\n"
    "    credence_input = stdin;\n"
    "    if (count > 2) {\n"
    "        fprintf(stderr, \"usage: %s [FILE]\\n\", words[0]);\n"
    "        return 2;\n"
    "    }\n"
    "    if (count == 2 && strcmp(words[1], \"-\") != 0) credence_input = fopen(words[1], \"rb\");\n"
    "    if (credence_input == NULL) {\n"
    "        perror(words[1]);\n"
    "        return 1;\n"
    "    }\n"
    "    if (!read_row(&cells)) return 0;\n"
    "    if (cells.length > 3 && memcmp(cells.bytes, \"\\xEF\\xBB\\xBF\", 3) == 0) cells.starts[0] = 3;\n"
    "    for (i = 0; i < CREDENCE_ATTRIBUTES; i++)\n"
    "        for (columns[i] = -1, field = 0; field < cells.fields; field++)\n"
    "            if (strcmp(cells.bytes + cells.starts[field], credence_attributes[i]) == 0) columns[i] = "
    "(long)field;\n"
    "    fputs(\"prediction\", stdout);\n"
    "    for (k = 0; k < CREDENCE_CLASSES; k++) {\n"
    "        putchar(',');\n"
    "        print_heading(credence_classes[k]);\n"
    "    }\n"
    "    putchar('\\n');\n"
    "    while (read_row(&cells)) {\n"
    "        for (i = 0; i < CREDENCE_ATTRIBUTES; i++) {\n"
    "            int is_there = columns[i] >= 0 && (size_t)columns[i] < cells.fields;\n"
    "            const char *text = is_there ? cells.bytes + cells.starts[columns[i]] : \"\";\n"
    "            char *end = NULL;\n"
    "            row[i].text = means_missing(text) ? NULL : text;\n"
    "            row[i].number = row[i].text == NULL ? NAN : strtod(text, &end);\n"
    "            if (end != NULL && (end == text || *end != '\\0')) row[i].number = NAN;\n"
    "        }\n"
    "        k = credence_posteriors(row, posteriors, NULL);\n"
    "        if (k >= 0) print_text(credence_classes[k]);\n"
    "        for (k = 0; k < CREDENCE_CLASSES; k++) printf(\",%.17g\", posteriors[k]);\n"
    "        putchar('\\n');\n"
    "    }\n"
    "    free(cells.bytes);\n"
    "    free(cells.starts);\n"
    "    return 0;\n"
    "}\n"
    "#endif\n"};

/* Writes the first comment of the file, which lists the cells of a row, and its declarations. */
static void write_head(const crd_i_exported *exported, crd_i_export_writer *writer) {
    const crd_classifier *classifier = exported->classifier;
    crd_i_export_format(writer, "/* Written by credence %s: the class '", crd_version());
    c_write_comment(writer, exported->summary->target);
    crd_i_export_text(writer, "'.\n *\n * The values of a row:\n");
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        crd_i_export_format(writer, " *   [%zu].%s  ", i,
                            classifier->attributes[i].type == CRD_TYPE_CATEGORICAL ? "text  " : "number");
        c_write_comment(writer, classifier->attributes[i].name);
        crd_i_export_text(writer, "\n");
    }
    crd_i_export_text(writer,
                      " *\n * cc -std=c99 -O2 -DCREDENCE_MAIN THIS_FILE -lm makes a program that reads a CSV file, "
                      "or standard input. */\n"
                      "#include <math.h>\n#include <stddef.h>\n#include <string.h>\n\n");
    crd_i_export_format(writer, "enum { CREDENCE_CLASSES = %zu, CREDENCE_ATTRIBUTES = %zu };\n\n",
                        classifier->class_count, classifier->attribute_count);
    crd_i_export_text(writer, interface);
}

/* Writes the names of classes and attributes and, for the program, the texts that mean a missing value. */
static void c_export_write_names(const crd_i_exported *exported, crd_i_export_writer *writer) {
    const crd_classifier *classifier = exported->classifier;
    crd_i_export_text(writer, "extern const char *const credence_classes[], *const credence_attributes[];\n");
    crd_i_export_text(writer, "const char *const credence_classes[] = {");
    for (size_t k = 0; k < classifier->class_count; k++) {
        c_write_text(writer, crd_i_dictionary_text(classifier->classes, k));
        crd_i_export_text(writer, ",\n    ");
    }
    crd_i_export_text(writer, "NULL};\nconst char *const credence_attributes[] = {");
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        c_write_text(writer, classifier->attributes[i].name);
        crd_i_export_text(writer, ",\n    ");
    }
    crd_i_export_text(writer, "NULL};\n\n#ifdef CREDENCE_MAIN\nstatic const char *const credence_missing[] = {");
    for (size_t i = 0; i < crd_i_summary_missing_count(exported->summary); i++) {
        c_write_text(writer, crd_i_summary_missing(exported->summary, i));
        crd_i_export_text(writer, ", ");
    }
    crd_i_export_text(writer, "NULL};\n#endif\n");
}

/* Writes the text of all functions whose bits are set, and of the functions that these use. A function only uses
 * functions before it, so one pass in descending order finds all of them. */
static void write_functions(crd_i_export_writer *writer, unsigned functions) {
    for (unsigned i = CRD_I_C_FUNCTIONS; i-- > 0;)
        if ((functions >> i & 1) != 0) functions |= crd_i_c_uses[i];
    for (unsigned i = 0; i < CRD_I_C_FUNCTIONS; i++) {
        if ((functions >> i & 1) == 0) continue;
        crd_i_export_text(writer, "\n");
        crd_i_export_text(writer, crd_i_c_texts[i]);
    }
}

crd_status crd_i_export_c(const crd_i_exported *exported, crd_i_export_writer *writer, crd_error *error) {
    c_file file = {.writer = writer, .top = exported->classifier};
    unsigned functions = 0;
    size_t number = 0;
    crd_status status = c_check(exported->classifier, &functions, error);
    if (status != CRD_OK) return status;
    write_head(exported, writer);
    c_export_write_names(exported, writer);
    write_functions(writer, functions);
    status = c_write_classifier(&file, exported->classifier, &number, error);
    if (status != CRD_OK) return status;
    crd_i_export_format(writer, answer, number);
    for (size_t i = 0; i < sizeof program / sizeof *program; i++) crd_i_export_text(writer, program[i]);
    return CRD_OK;
}
