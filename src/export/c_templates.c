/* SPDX-License-Identifier: MIT */
/* c_templates.c - see c_templates.h. */
#include "export/c_templates.h"

#include "export/c_runtime.h"

#include <credence/number.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BIT(function) (1u << (function))
#define NORMAL_CALL "@mean[k], @mean_rest[k], @deviation[k], @log_peak[k], @slope[k])"
#define SCALED "scaled(x, @half_centre, @factor)"
#define COUNT(name) "(long)(sizeof " name " / sizeof *" name ")"

static const crd_i_c_template families[] = {
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
    {"mixture", NULL, "(mixture(" SCALED ", @components, k, @log_peak, @mean, @deviation) - @log_unit)",
     BIT(CRD_I_C_MIXTURE) | BIT(CRD_I_C_SCALED)},
};

/* Joint densities. `work` is the work space that c_classifier.c allocates for the call, and `at` has one element per
 * column. */
static const crd_i_c_template joints[] = {
    {"normal", NULL,
     "joint_normal(cells, " COUNT("@place") ", @place, @binary_exponent, @centre, @mean, @covariance, " COUNT(
         "@covariance") " / (" COUNT("@place") " * " COUNT("@place") "), @degrees, @exponent, classes, work, sums)",
     BIT(CRD_I_C_JOINT_NORMAL)},
    {"normal-mixture", NULL,
     "joint_mixture(cells, " COUNT(
         "@place") ", @place, @binary_exponent, @second_binary_exponent, @centre, @components, "
                   "@log_share, @mean, @covariance, @degrees, @exponent, classes, work, sums)",
     BIT(CRD_I_C_JOINT_MIXTURE)},
    {"table", NULL,
     "joint_table(cells, columns, @values, @combination, @rows, " COUNT(
         "@rows") " / classes, @class_rows, @strength, "
                  "@mass, @is_laplace != 0, @share, @borrowed, @naive, classes, work, sums)",
     BIT(CRD_I_C_JOINT_TABLE)},
    {"a1de", NULL,
     "aode(cells, columns, @items, @is_number, @weight, @log_weight, @cut, @rows, @log_single, @log_pair, @implies, "
     "@implications, classes, at, work, sums)",
     BIT(CRD_I_C_AODE)},
    {"pairs", NULL,
     "pairs(cells, columns, @items, @is_number, @cut, @rows, @log_single, @log_pair, @pair_weight, classes, at, sums)",
     BIT(CRD_I_C_PAIRS)},
};

static const crd_i_c_template *find_template(const crd_i_c_template *list, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0) return &list[i];
    return NULL;
}

const crd_i_c_template *crd_i_c_family(const char *name) {
    return find_template(families, sizeof families / sizeof *families, name);
}

const crd_i_c_template *crd_i_c_joint(const char *name) {
    return find_template(joints, sizeof joints / sizeof *joints, name);
}

/* ---- Texts and numbers ---- */

void crd_i_c_write_text(crd_i_export_writer *writer, crd_text text) {
    crd_i_export_text(writer, "\"");
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        bool is_plain = byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\' && byte != '?';
        if (is_plain) crd_i_export_bytes(writer, &text.bytes[i], 1);
        else crd_i_export_format(writer, "\\%03o", byte);
    }
    crd_i_export_text(writer, "\"");
}

void crd_i_c_write_comment(crd_i_export_writer *writer, crd_text text) {
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        bool is_plain = byte >= 0x20 && byte != 0x7F && byte != '*' && byte != '\\' && byte != '?';
        crd_i_export_bytes(writer, is_plain ? &text.bytes[i] : "_", 1);
    }
}

void crd_i_c_write_texts(crd_i_export_writer *writer, const char *name, const crd_i_dictionary *texts) {
    size_t count = crd_i_dictionary_size(texts);
    crd_i_export_format(writer, "static const char *const %s[] = {", name);
    for (size_t i = 0; i < count; i++) {
        crd_i_export_text(writer, i == 0 ? "\n    " : ",\n    ");
        crd_i_c_write_text(writer, crd_i_dictionary_text(texts, i));
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

void crd_i_c_write_array(crd_i_export_writer *writer, const char *prefix, const crd_i_parameter_array *array) {
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

void crd_i_c_write_arrays(crd_i_export_writer *writer, const char *prefix, const crd_i_c_template *template,
                          const crd_i_parameter_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (c_templates_is_named(template->covers, list->arrays[i].name) ||
            c_templates_is_named(template->term, list->arrays[i].name))
            crd_i_c_write_array(writer, prefix, &list->arrays[i]);
}

void crd_i_c_write_template(crd_i_export_writer *writer, const char *prefix, const char *text) {
    for (const char *cursor; (cursor = strchr(text, '@')) != NULL; text = cursor + 1) {
        crd_i_export_bytes(writer, text, (size_t)(cursor - text));
        crd_i_export_text(writer, prefix);
    }
    crd_i_export_text(writer, text);
}
