/* SPDX-License-Identifier: MIT */
/* sql_families.c - see sql_families.h. */
#include "export/sql_families.h"

#include "base/error.h"
#include "base/parameter_list.h"

#include <credence/number.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

void crd_i_sql_quote(crd_i_export_writer *writer, crd_text text, char quote) {
    for (size_t i = 0; i < text.length; i++) {
        crd_i_export_bytes(writer, &text.bytes[i], 1);
        if (text.bytes[i] == quote) crd_i_export_bytes(writer, &quote, 1);
    }
}

void crd_i_sql_number(crd_i_export_writer *writer, double number) {
    char buffer[CRD_NUMBER_ROOM];
    if (!isfinite(number)) {
        crd_i_export_text(writer, "NULL");
        return;
    }
    crd_number_format(number, buffer);
    crd_i_export_text(writer, number < 0 ? "(" : "");
    crd_i_export_text(writer, buffer);
    crd_i_export_text(writer, strchr(buffer, 'e') == NULL ? "e0" : "");
    crd_i_export_text(writer, number < 0 ? ")" : "");
}

/* The term that is being written. */
typedef struct sql_term {
    crd_i_export_writer *writer;
    const crd_i_attribute *attribute;
    const crd_i_parameter_list *list;
    double weight;
    size_t number, k; /* indexes of the attribute and of the class */
} sql_term;

/* Returns a parameter of the density in the term's class. */
static double sql_families_parameter(const sql_term *sql, const char *name) {
    const crd_i_parameter_array *array = crd_i_parameter_list_find(sql->list, name);
    return array->numbers[array->dimensions == 0 ? 0 : sql->k];
}

/* Writes the column that contains the number, which the first step of the query defines. */
static void write_x(const sql_term *sql) {
    crd_i_export_format(sql->writer, "credence_x_%zu", sql->number);
}

/* Writes a formula, in which x is the column and a name in braces is a parameter of the density. */
static void write_formula(const sql_term *sql, const char *formula) {
    for (; *formula != '\0'; formula++) {
        if (*formula == 'x') {
            write_x(sql);
        } else if (*formula == '{') {
            char name[32];
            size_t length = strcspn(++formula, "}");
            memcpy(name, formula, length);
            name[length] = '\0';
            formula += length;
            crd_i_sql_number(sql->writer, sql_families_parameter(sql, name));
        } else {
            crd_i_export_bytes(sql->writer, formula, 1);
        }
    }
}

static void sql_families_write_weight(const sql_term *sql) {
    if (sql->weight == 1) return;
    crd_i_sql_number(sql->writer, sql->weight);
    crd_i_export_text(sql->writer, " * ");
}

/* Formulas of a numeric term: CASE WHEN counts THEN usual ELSE 0. If `is_far` is given, WHEN is_far THEN far comes
 * first, because databases report an error if a square exceeds the range of a double. */
typedef struct number_formulas {
    const char *counts, *is_far, *far, *usual;
} number_formulas;

/* Writes the term of a numeric attribute from its formulas, multiplied by the attribute weight. */
static void write_number_term(const sql_term *sql, const number_formulas *formulas) {
    crd_i_export_text(sql->writer, "CASE WHEN ");
    if (formulas->is_far != NULL) {
        write_formula(sql, formulas->is_far);
        crd_i_export_text(sql->writer, " THEN ");
        sql_families_write_weight(sql);
        crd_i_export_text(sql->writer, "(");
        write_formula(sql, formulas->far);
        crd_i_export_text(sql->writer, ") WHEN ");
    }
    write_formula(sql, formulas->counts);
    crd_i_export_text(sql->writer, " THEN ");
    sql_families_write_weight(sql);
    crd_i_export_text(sql->writer, "(");
    write_formula(sql, formulas->usual);
    crd_i_export_text(sql->writer, ") ELSE 0e0 END");
}

/* Writes the term of a categorical attribute: the log probability of each value, 0 for unseen values. */
static void write_category_term(const sql_term *sql) {
    const crd_i_parameter_array *logs = crd_i_parameter_list_find(sql->list, "log_probability");
    crd_i_export_text(sql->writer, "CASE CAST(\"");
    crd_i_sql_quote(sql->writer, sql->attribute->name, '"');
    crd_i_export_text(sql->writer, "\" AS VARCHAR)");
    for (size_t v = 0; v < logs->rows; v++) {
        crd_i_export_text(sql->writer, " WHEN '");
        crd_i_sql_quote(sql->writer, crd_i_dictionary_text(sql->attribute->values, v), '\'');
        crd_i_export_text(sql->writer, "' THEN ");
        crd_i_sql_number(sql->writer, sql->weight * logs->numbers[v * logs->columns + sql->k]);
    }
    crd_i_export_text(sql->writer, " ELSE 0e0 END");
}

/* Normal densities multiply by 1 / (sd sqrt 2), the slope, or divide by sd if the slope is out of range. */
#define SQUARE(z) "(" z ") * (" z ")"
#define BY_SLOPE(x) "(" x " - {mean} - {mean_rest}) * {slope}"
#define BY_DIVISION(x) "(" x " * 0.5e0 - {mean} * 0.5e0) / {deviation} * 2e0"
#define STUDENT "(x - {location}) / {scale}"

static const number_formulas normal_by_slope = {"x IS NOT NULL", "ABS(" BY_SLOPE("x") ") > 1e150", "NULL",
                                                "{log_peak} - " SQUARE(BY_SLOPE("x"))};
static const number_formulas normal_by_division = {"x IS NOT NULL", "ABS(" BY_DIVISION("x") ") > 1e150", "NULL",
                                                   "{log_peak} - 0.5e0 * " SQUARE(BY_DIVISION("x"))};
static const number_formulas lognormal_by_slope = {"x > 0e0", NULL, NULL,
                                                   "{log_peak} - " SQUARE(BY_SLOPE("LN(x)")) " - LN(x)"};
static const number_formulas lognormal_by_division = {"x > 0e0", NULL, NULL,
                                                      "{log_peak} - 0.5e0 * " SQUARE(BY_DIVISION("LN(x)")) " - LN(x)"};
static const number_formulas exponential = {"x >= 0e0", NULL, NULL, "LN({rate}) - {rate} * x"};
static const number_formulas student = {
    "x IS NOT NULL", "ABS(" STUDENT ") > 1e150",
    "{log_peak} - ({degrees} + 1e0) / 2e0 * (2e0 * LN(ABS(" STUDENT ")) - LN({degrees}))",
    "{log_peak} - ({degrees} + 1e0) / 2e0 * LN(1e0 + " SQUARE(STUDENT) " / {degrees})"};
/* Poisson without log x!, which is the same for all classes. */
static const number_formulas poisson = {"x >= 0e0 AND x = FLOOR(x)", NULL, NULL, "x * LN({mean}) - {mean}"};
/* Poisson with mean 0. */
static const number_formulas never = {"x >= 0e0 AND x = FLOOR(x)", NULL, NULL, "CASE WHEN x = 0e0 THEN 0e0 END"};

/* Writes a Bernoulli term. The logarithm of a zero probability is NULL. */
static void write_bernoulli_term(const sql_term *sql) {
    double p = sql_families_parameter(sql, "p");
    crd_i_export_text(sql->writer, "CASE ");
    write_x(sql);
    crd_i_export_text(sql->writer, " WHEN 1e0 THEN ");
    crd_i_sql_number(sql->writer, sql->weight * (p > 0 ? crd_log(p) : -INFINITY));
    crd_i_export_text(sql->writer, " WHEN 0e0 THEN ");
    crd_i_sql_number(sql->writer, sql->weight * (p < 1 ? crd_log(1 - p) : -INFINITY));
    crd_i_export_text(sql->writer, " ELSE 0e0 END");
}

/* Returns the density of a uniform distribution; 0 if its range is empty. */
static double sql_families_height(double start, double upper) {
    double half = upper / 2 - start / 2;
    return half > 0 ? 0.5 / half : 0;
}

/* Writes a uniform term: a mixture of the class's own range and the range of the column. */
static void write_uniform_term(const sql_term *sql) {
    double share = sql_families_parameter(sql, "share"),
           own = sql_families_height(sql_families_parameter(sql, "from"), sql_families_parameter(sql, "to"));
    double all =
        sql_families_height(sql_families_parameter(sql, "overall_from"), sql_families_parameter(sql, "overall_to"));
    double inside = share * own + (1 - share) * all, outside = (1 - share) * all;
    crd_i_export_text(sql->writer, "CASE WHEN ");
    write_formula(sql, "x >= {from} AND x <= {to} THEN ");
    crd_i_sql_number(sql->writer, sql->weight * crd_log(inside));
    write_formula(sql, " WHEN x >= {overall_from} AND x <= {overall_to} THEN ");
    crd_i_sql_number(sql->writer, sql->weight * (outside > 0 ? crd_log(outside) : -INFINITY));
    crd_i_export_text(sql->writer, " ELSE 0e0 END");
}

static const number_formulas *formulas_of(const sql_term *sql) {
    const char *name = sql->attribute->family->name;
    if (strcmp(name, "gaussian") == 0)
        return sql_families_parameter(sql, "slope") > 0 ? &normal_by_slope : &normal_by_division;
    if (strcmp(name, "lognormal") == 0)
        return sql_families_parameter(sql, "slope") > 0 ? &lognormal_by_slope : &lognormal_by_division;
    if (strcmp(name, "poisson") == 0) return sql_families_parameter(sql, "mean") > 0 ? &poisson : &never;
    return strcmp(name, "exponential") == 0 ? &exponential : &student;
}

static void write_family(const sql_term *sql) {
    const char *name = sql->attribute->family->name;
    if (strcmp(name, "categorical") == 0) write_category_term(sql);
    else if (strcmp(name, "bernoulli") == 0) write_bernoulli_term(sql);
    else if (strcmp(name, "uniform") == 0) write_uniform_term(sql);
    else write_number_term(sql, formulas_of(sql));
}

crd_status crd_i_sql_check_family(const crd_i_attribute *attribute, crd_error *error) {
    static const char *const expressed[] = {"categorical", "gaussian", "lognormal",   "bernoulli",
                                            "poisson",     "uniform",  "exponential", "student"};
    for (size_t i = 0; i < sizeof expressed / sizeof *expressed; i++)
        if (strcmp(expressed[i], attribute->family->name) == 0) return CRD_OK;
    char what[64];
    snprintf(what, sizeof what, "a density of the family %s", attribute->family->name);
    return crd_i_export_refuse(error, "SQL", what, "family");
}

crd_status crd_i_sql_write_term(crd_i_export_writer *writer, const crd_classifier *classifier, size_t i, size_t k,
                                crd_error *error) {
    const crd_i_attribute *attribute = &classifier->attributes[i];
    crd_i_parameter_list list = {.context = classifier->context};
    const sql_term sql = {writer, attribute, &list, crd_i_scorer_weight(classifier->scorer, i), i, k};
    bool done = attribute->family->list_parameters(attribute->density, &list);
    if (done) write_family(&sql);
    crd_i_parameter_list_clear(&list);
    return done ? CRD_OK : crd_i_fail_memory(error);
}
