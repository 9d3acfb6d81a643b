/* posteriors.c - a whole frame at once: column after column into a table of rows by classes.
 *
 * Each row's sum is made of the same additions in the same order as for a single row, so the bits are the same. */
#include "model/posteriors.h"

#include "base/error.h"
#include "base/memory.h"

crd_status crd_posteriors_create(crd_context *context, crd_posteriors **out, crd_error *error) {
    *out = crd_i_alloc_zeroed(context, 1, sizeof **out);
    if (*out == NULL) return crd_i_fail_memory(error);
    (*out)->context = context;
    (*out)->binding.context = context;
    return CRD_OK;
}

void crd_posteriors_destroy(crd_posteriors *posteriors) {
    if (posteriors == NULL) return;
    crd_i_binding_clear(&posteriors->binding);
    crd_free(posteriors->context, posteriors->logs);
    crd_free(posteriors->context, posteriors->answers);
    crd_free(posteriors->context, posteriors);
}

size_t crd_posteriors_rows(const crd_posteriors *posteriors) {
    return posteriors->rows;
}

const double *crd_posteriors_log(const crd_posteriors *posteriors, size_t row) {
    return posteriors->logs + row * posteriors->classes;
}

const crd_answer *crd_posteriors_answer(const crd_posteriors *posteriors, size_t row) {
    return &posteriors->answers[row];
}

static crd_text attribute_name(const void *names, size_t i) {
    return ((const crd_classifier *)names)->attributes[i].name;
}

static bool any_present(const crd_i_column *column, size_t rows) {
    for (size_t row = 0; row < rows; row++)
        if (crd_i_column_present(column, row)) return true;
    return false;
}

crd_status crd_i_attribute_check_kind(const crd_i_attribute *attribute, const crd_i_column *column, size_t rows,
                                      crd_error *error) {
    if (column->kind == attribute->kind || !any_present(column, rows)) return CRD_OK;
    char name[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "column '%s' has %s where the model has %s",
               crd_i_quote(attribute->name, name), column->kind == CRD_KIND_NUMBER ? "numbers" : "categories",
               column->kind == CRD_KIND_NUMBER ? "categories" : "numbers");
    crd_i_error_subject(error, attribute->name);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

static crd_status add_column(const crd_classifier *classifier, const crd_frame *frame, size_t i,
                             crd_posteriors *posteriors, crd_error *error) {
    const crd_i_attribute *attribute = &classifier->attributes[i];
    const crd_i_column *column = crd_i_binding_column(&posteriors->binding, frame, i);
    if (column == NULL || column->kind == CRD_KIND_NONE || attribute->kind == CRD_KIND_NONE) return CRD_OK;
    crd_status status = crd_i_attribute_check_kind(attribute, column, frame->rows, error);
    if (status != CRD_OK || column->kind != attribute->kind) return status;
    crd_i_cells cells = {.rows = frame->rows, .numbers = column->numbers, .validity = column->validity};
    if (attribute->kind == CRD_KIND_CATEGORY) {
        cells.codes = crd_i_binding_translate(&posteriors->binding, frame, i, NULL, attribute->values, NULL);
        if (cells.codes == NULL) return crd_i_fail_memory(error);
        for (size_t row = 0; row < frame->rows; row++)
            posteriors->answers[row].unseen += cells.codes[row] == CRD_I_CODE_UNSEEN;
    }
    if (crd_i_attribute_speaks(attribute))
        attribute->density->family->add(attribute->density, &cells, posteriors->logs);
    return CRD_OK;
}

bool crd_i_posteriors_open(crd_posteriors *posteriors, size_t rows, size_t classes) {
    posteriors->rows = 0;
    posteriors->classes = classes;
    return rows <= SIZE_MAX / classes &&
           crd_i_reserve(posteriors->context, &posteriors->logs, &posteriors->logs_capacity, rows * classes,
                         sizeof *posteriors->logs) &&
           crd_i_reserve(posteriors->context, &posteriors->answers, &posteriors->answers_capacity, rows,
                         sizeof *posteriors->answers);
}

crd_status crd_classifier_classify(const crd_classifier *classifier, const crd_frame *frame, crd_posteriors *posteriors,
                                   crd_error *error) {
    size_t rows = frame->rows, classes = classifier->class_count;
    uint64_t owner = classifier->context == posteriors->context ? classifier->serial : CRD_I_FOREIGN_OWNER;
    if (!crd_i_posteriors_open(posteriors, rows, classes) ||
        !crd_i_binding_bind(&posteriors->binding, owner, frame, classifier->attribute_count, attribute_name,
                            classifier))
        return crd_i_fail_memory(error);
    for (size_t row = 0; row < rows; row++) {
        posteriors->answers[row].unseen = 0;
        for (size_t k = 0; k < classes; k++) posteriors->logs[row * classes + k] = classifier->log_priors[k];
    }
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        crd_status status = add_column(classifier, frame, i, posteriors, error);
        if (status != CRD_OK) return status;
    }
    for (size_t row = 0; row < rows; row++)
        crd_i_classifier_conclude(classifier->log_priors, classes, posteriors->logs + row * classes,
                                  &posteriors->answers[row]);
    posteriors->rows = rows;
    return CRD_OK;
}
