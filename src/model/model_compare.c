/* SPDX-License-Identifier: MIT */
/* model_compare.c - compares two models: whether they are equal, and whether they have counted the same rows.
 *
 * Models are equal if their canonical bytes are equal. If the bytes differ, the first difference is searched for in the
 * summaries, from general to specific. */
#include "model/merge.h"
#include "model/model_create.h"

#include "base/error.h"
#include "base/memory.h"

#include <credence/combine.h>
#include <credence/evaluate.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

crd_status crd_model_same_tally(const crd_model *model, const crd_model *other, int *same, crd_error *error) {
    crd_model *left;
    *same = 0;
    crd_status status = crd_i_model_check_of_rows(model, "be compared with rows", error);
    if (status == CRD_OK) status = crd_i_model_check_of_rows(other, "be compared with rows", error);
    if (status == CRD_OK) status = crd_i_model_clone(model, &left, error);
    if (status != CRD_OK) return status;
    status = crd_i_model_subtract_main(left, other, error);
    if (status == CRD_OK) {
        bool is_empty = true;
        for (size_t i = 0; i < left->schema->count; i++) {
            const crd_i_tally *tally = left->variables[i].tally;
            if (tally != NULL && !crd_i_tally_is_empty(tally)) is_empty = false;
        }
        *same = is_empty;
    } else if (status == CRD_ERROR_NOT_LEARNED || status == CRD_ERROR_SCHEMA_DIFFERS) {
        status = CRD_OK;
    }
    crd_model_destroy(left);
    return status;
}

/* ---- The first difference ---- */

typedef struct compare_sides {
    const crd_model *models[2];
    crd_summary *summaries[2];
    crd_model_difference *difference;
} compare_sides;

/* Stores a difference. Always returns true. */
static bool model_compare_differs(compare_sides *sides, crd_model_aspect aspect, crd_text subject, const char *format,
                                  ...) __attribute__((format(printf, 4, 5)));

static bool model_compare_differs(compare_sides *sides, crd_model_aspect aspect, crd_text subject, const char *format,
                                  ...) {
    crd_model_difference *difference = sides->difference;
    size_t length = subject.length < sizeof difference->subject ? subject.length : sizeof difference->subject - 1;
    va_list arguments;
    difference->aspect = aspect;
    if (length > 0) memcpy(difference->subject, subject.bytes, length);
    difference->subject[length] = '\0';
    va_start(arguments, format);
    vsnprintf(difference->message, sizeof difference->message, format, arguments);
    va_end(arguments);
    return true;
}

static bool model_compare_same_text(crd_text a, crd_text b) {
    return (a.bytes == NULL) == (b.bytes == NULL) && crd_text_equal(a, b);
}

static bool schemas_differ(compare_sides *sides) {
    const crd_summary *a = sides->summaries[0], *b = sides->summaries[1];
    char quoted[2][CRD_I_QUOTED_ROOM];
    if (!model_compare_same_text(crd_summary_target(a), crd_summary_target(b)))
        return model_compare_differs(sides, CRD_MODEL_SCHEMA, crd_summary_target(a), "the targets differ");
    if (!model_compare_same_text(crd_summary_weight(a), crd_summary_weight(b)))
        return model_compare_differs(sides, CRD_MODEL_SCHEMA, crd_summary_weight(a), "the weights differ");
    size_t count = crd_summary_attribute_count(a), others = crd_summary_attribute_count(b);
    for (size_t i = 0; i < count && i < others; i++) {
        crd_text name = crd_summary_attribute(a, i), other = crd_summary_attribute(b, i);
        if (!crd_text_equal(name, other))
            return model_compare_differs(sides, CRD_MODEL_SCHEMA, name, "column '%s' is at the place of column '%s'",
                                         crd_i_quote(name, quoted[0]), crd_i_quote(other, quoted[1]));
        if (crd_summary_kind(a, i) != crd_summary_kind(b, i))
            return model_compare_differs(sides, CRD_MODEL_SCHEMA, name, "column '%s' has another type",
                                         crd_i_quote(name, *quoted));
    }
    if (count == others) return false;
    return model_compare_differs(sides, CRD_MODEL_SCHEMA,
                                 crd_summary_attribute(count > others ? a : b, count > others ? others : count),
                                 "one has %zu attributes, the other %zu", count, others);
}

static bool settings_differ(compare_sides *sides) {
    for (size_t i = 0; i < crd_setting_count(); i++) {
        const char *name = crd_setting_at(i)->name;
        const char *a = crd_settings_get(crd_model_settings(sides->models[0]), name);
        const char *b = crd_settings_get(crd_model_settings(sides->models[1]), name);
        if (strcmp(a, b) != 0)
            return model_compare_differs(sides, CRD_MODEL_SETTINGS, crd_text_of(name),
                                         "%s is %.80s in one model, and %.80s in the other", name, a, b);
    }
    return false;
}

static bool tallies_differ(compare_sides *sides) {
    const crd_summary *a = sides->summaries[0], *b = sides->summaries[1];
    bool is_same = crd_summary_tally_count(a) == crd_summary_tally_count(b) &&
                   crd_summary_joint_tally_count(a) == crd_summary_joint_tally_count(b);
    for (size_t i = 0; is_same && i < crd_summary_tally_count(a); i++)
        is_same = strcmp(crd_summary_tally(a, i), crd_summary_tally(b, i)) == 0;
    for (size_t i = 0; is_same && i < crd_summary_joint_tally_count(a); i++)
        is_same = strcmp(crd_summary_joint_tally(a, i), crd_summary_joint_tally(b, i)) == 0;
    return !is_same &&
           model_compare_differs(sides, CRD_MODEL_TALLIES, crd_text_of(""), "they store different statistics");
}

static bool classes_differ(compare_sides *sides) {
    const crd_summary *a = sides->summaries[0], *b = sides->summaries[1];
    char quoted[CRD_I_QUOTED_ROOM];
    size_t count = crd_summary_class_count(a), others = crd_summary_class_count(b);
    for (size_t i = 0; i < count || i < others; i++) {
        crd_text name = crd_summary_class(i < count ? a : b, i);
        if (i >= count || i >= others || !crd_text_equal(name, crd_summary_class(b, i)))
            return model_compare_differs(sides, CRD_MODEL_CLASS_ROWS, name, "class '%s' is in only one of them",
                                         crd_i_quote(name, quoted));
        if (crd_summary_class_rows(a, i) != crd_summary_class_rows(b, i))
            return model_compare_differs(sides, CRD_MODEL_CLASS_ROWS, name,
                                         "class '%s' has %.17g rows, and %.17g in the other", crd_i_quote(name, quoted),
                                         crd_summary_class_rows(a, i), crd_summary_class_rows(b, i));
    }
    return false;
}

/* Returns whether all numbers are equal; NaN equals NaN. */
static bool same_numbers(const double *a, const double *b, size_t count) {
    bool is_same = true;
    for (size_t i = 0; i < count; i++) is_same = is_same && (a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]));
    return is_same;
}

/* Compares the counts or moments of one column under one class. */
static bool column_differs(compare_sides *sides, size_t column, size_t class_index) {
    const crd_summary *a = sides->summaries[0], *b = sides->summaries[1];
    char quoted[2][CRD_I_QUOTED_ROOM];
    crd_text name = crd_summary_attribute(a, column);
    crd_i_quote(name, quoted[0]);
    crd_i_quote(crd_summary_class(a, class_index), quoted[1]);
    if (crd_summary_present(a, column, class_index) != crd_summary_present(b, column, class_index))
        return model_compare_differs(sides, CRD_MODEL_COUNTS, name,
                                     "column '%s' has %.17g cells in class '%s', and %.17g in the other", quoted[0],
                                     crd_summary_present(a, column, class_index), quoted[1],
                                     crd_summary_present(b, column, class_index));
    if (crd_summary_kind(a, column) == CRD_KIND_NUMBER) {
        crd_moments x = crd_summary_moments(a, column, class_index), y = crd_summary_moments(b, column, class_index);
        const double left[] = {x.sum, x.sum_of_squares, x.variance}, right[] = {y.sum, y.sum_of_squares, y.variance};
        return !same_numbers(left, right, 3) &&
               model_compare_differs(sides, CRD_MODEL_COUNTS, name, "column '%s' has other moments in class '%s'",
                                     quoted[0], quoted[1]);
    }
    if (crd_summary_kind(a, column) == CRD_KIND_TEXT) {
        bool is_same =
            crd_summary_class_terms(a, column, class_index) == crd_summary_class_terms(b, column, class_index) &&
            crd_summary_occurrences(a, column, class_index) == crd_summary_occurrences(b, column, class_index);
        return !is_same &&
               model_compare_differs(sides, CRD_MODEL_COUNTS, name,
                                     "column '%s' has other counts of terms in class '%s'", quoted[0], quoted[1]);
    }
    size_t count = crd_summary_value_count(a, column), others = crd_summary_value_count(b, column);
    for (size_t i = 0; i < count || i < others; i++) {
        crd_text value = crd_summary_value(i < count ? a : b, column, i);
        bool is_same = i < count && i < others && crd_text_equal(value, crd_summary_value(b, column, i)) &&
                       crd_summary_count(a, column, i, class_index) == crd_summary_count(b, column, i, class_index);
        if (!is_same)
            return model_compare_differs(sides, CRD_MODEL_COUNTS, name, "column '%s' has a different count of '%s'",
                                         quoted[0], crd_i_quote(value, quoted[1]));
    }
    return false;
}

static bool counts_differ(compare_sides *sides) {
    for (size_t i = 0; i < crd_summary_attribute_count(sides->summaries[0]); i++)
        for (size_t k = 0; k < crd_summary_class_count(sides->summaries[0]); k++)
            if (column_differs(sides, i, k)) return true;
    return false;
}

/* Compares the manifests: the ids of the parts. */
static bool parts_differ(compare_sides *sides) {
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < 2; i++) {
        crd_i_ids_overlap overlap;
        crd_i_part_ids_overlap(sides->models[1 - i]->parts, sides->models[i]->parts, &overlap);
        if (overlap.first_apart.bytes != NULL)
            return model_compare_differs(sides, CRD_MODEL_PARTS, overlap.first_apart,
                                         "the part '%s' is in only one of them",
                                         crd_i_quote(overlap.first_apart, quoted));
    }
    return false;
}

static crd_status model_compare_find_difference(const crd_model *model, const crd_model *other,
                                                crd_model_difference *difference, crd_error *error) {
    compare_sides sides = {.models = {model, other}, .difference = difference};
    bool have_rows = crd_i_model_check_of_rows(crd_i_model_rows(model), "", NULL) == CRD_OK;
    if (model->kind != other->kind || crd_model_member_count(model) != crd_model_member_count(other)) {
        model_compare_differs(&sides, CRD_MODEL_KIND, crd_text_of(""), "they are models of different kinds");
        return CRD_OK;
    }
    crd_status status = CRD_OK;
    if (have_rows) status = crd_summary_create(model, &sides.summaries[0], error);
    if (have_rows && status == CRD_OK) status = crd_summary_create(other, &sides.summaries[1], error);
    if (status == CRD_OK) {
        bool is_found = have_rows ? schemas_differ(&sides) || settings_differ(&sides) || tallies_differ(&sides) ||
                                        classes_differ(&sides) || counts_differ(&sides) || parts_differ(&sides)
                                  : settings_differ(&sides);
        if (!is_found)
            model_compare_differs(
                &sides, CRD_MODEL_OTHER, crd_text_of(""),
                have_rows ? "they differ in statistics other than counts and moments, or in their fitted parameters"
                          : "their component models or networks differ");
    }
    crd_summary_destroy(sides.summaries[0]);
    crd_summary_destroy(sides.summaries[1]);
    return status;
}

crd_status crd_model_compare(const crd_model *model, const crd_model *other, crd_model_difference *out,
                             crd_error *error) {
    crd_model_difference difference = CRD_MODEL_DIFFERENCE_INIT;
    unsigned char *bytes[2] = {NULL, NULL};
    size_t lengths[2] = {0, 0};
    if (!crd_i_has_size(out)) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the difference is not initialized");
    crd_status status = crd_model_encode(model, &bytes[0], &lengths[0], error);
    if (status == CRD_OK) status = crd_model_encode(other, &bytes[1], &lengths[1], error);
    bool is_same = status == CRD_OK && lengths[0] == lengths[1] && memcmp(bytes[0], bytes[1], lengths[0]) == 0;
    crd_free(model->context, bytes[0]);
    crd_free(other->context, bytes[1]);
    if (status == CRD_OK && !is_same) status = model_compare_find_difference(model, other, &difference, error);
    if (status == CRD_OK) crd_i_copy_out(&difference, sizeof difference, out);
    return status;
}
