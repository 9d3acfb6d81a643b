/* SPDX-License-Identifier: MIT */
/* unseen_values.c - see unseen_values.h. */
#include "verbs/predict/unseen_values.h"

#include <stdlib.h>

typedef enum value_state { UNKNOWN, SEEN, UNSEEN } value_state;

/* A column of the sequences. */
typedef struct value_column {
    size_t attribute;      /* SIZE_MAX: the model has no such categorical attribute */
    unsigned char *states; /* the value_state of each code */
    size_t count;
} value_column;

struct unseen_values {
    const crd_classifier *observations;
    value_column *columns;
    size_t column_count;
    crd_value *row;    /* all missing */
    double *workspace; /* room for two numbers per class */
};

static size_t unseen_values_attribute(const crd_classifier *observations, crd_text name) {
    for (size_t i = 0; i < crd_classifier_attribute_count(observations); i++)
        if (crd_classifier_attribute_type(observations, i) == CRD_TYPE_CATEGORICAL &&
            crd_text_equal(crd_classifier_attribute(observations, i), name))
            return i;
    return SIZE_MAX;
}

unseen_values *unseen_values_create(const crd_classifier *observations, const crd_sequences *sequences) {
    const size_t attributes = crd_classifier_attribute_count(observations);
    unseen_values *values = memory_resize(NULL, 1, sizeof *values);
    *values = (unseen_values){.observations = observations, .column_count = crd_sequences_column_count(sequences)};
    values->columns = memory_resize(NULL, values->column_count, sizeof *values->columns);
    values->row = memory_resize(NULL, attributes, sizeof *values->row);
    values->workspace = memory_resize(NULL, 2 * crd_classifier_class_count(observations), sizeof *values->workspace);
    for (size_t i = 0; i < attributes; i++) values->row[i] = (crd_value){.type = CRD_TYPE_NONE};
    for (size_t i = 0; i < values->column_count; i++)
        values->columns[i] =
            (value_column){.attribute = unseen_values_attribute(observations, crd_sequences_column_name(sequences, i))};
    return values;
}

void unseen_values_destroy(unseen_values *values) {
    if (values == NULL) return;
    for (size_t i = 0; i < values->column_count; i++) free(values->columns[i].states);
    free(values->columns);
    free(values->row);
    free(values->workspace);
    free(values);
}

/* Finds out whether a value was seen in training, by classifying a row with only that cell. */
static value_state look_up(unseen_values *values, size_t attribute, crd_text text) {
    const size_t classes = crd_classifier_class_count(values->observations);
    crd_answer answer;
    values->row[attribute] = (crd_value){.type = CRD_TYPE_CATEGORICAL, .text = text};
    const crd_status status = crd_classifier_posterior(values->observations, values->row, values->workspace,
                                                       values->workspace + classes, &answer, NULL);
    values->row[attribute] = (crd_value){.type = CRD_TYPE_NONE};
    return status == CRD_OK && answer.unseen > 0 ? UNSEEN : SEEN;
}

uint32_t unseen_values_count(unseen_values *values, const crd_sequences *batch, const crd_sequence_cursor *cursor) {
    uint32_t count = 0;
    for (size_t i = 0; i < values->column_count; i++) {
        value_column *column = &values->columns[i];
        const int32_t code = column->attribute == SIZE_MAX ? -1 : crd_sequence_cursor_code(cursor, i);
        if (code < 0) continue;
        if ((size_t)code >= column->count) {
            const size_t known = crd_sequences_value_count(batch, i);
            column->states = memory_resize(column->states, known, sizeof *column->states);
            for (; column->count < known; column->count++) column->states[column->count] = UNKNOWN;
        }
        if (column->states[code] == UNKNOWN)
            column->states[code] =
                (unsigned char)look_up(values, column->attribute, crd_sequences_value(batch, i, (size_t)code));
        count += column->states[code] == UNSEEN;
    }
    return count;
}
