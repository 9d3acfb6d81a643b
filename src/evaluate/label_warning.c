/* SPDX-License-Identifier: MIT */
/* label_warning.c - a warning about labels that a model cannot predict. See credence/evaluate.h. */
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/similar_classes.h"

#include <credence/evaluate.h>

#include <stdio.h>
#include <string.h>

/* Maximum number of labels, and of classes, that a warning names. */
enum { MOST_NAMED = 5 };

typedef struct unknown_labels {
    size_t count;
    uint64_t rows;
    bool has_similar;
} unknown_labels;

/* Returns whether the model can predict a class, and sets *rows to the number of its rows. */
static bool can_be_predicted(const crd_scores *scores, size_t index, uint64_t *rows) {
    crd_class_scores class = CRD_CLASS_SCORES_INIT;
    crd_scores_class(scores, index, &class);
    *rows = class.support;
    return class.can_be_predicted != 0;
}

/* Returns the first predictable class that differs from the label only in spelling; CRD_NONE if there is none. */
static size_t label_warning_find_similar(const crd_scores *scores, size_t label) {
    uint64_t rows;
    for (size_t k = 0; k < crd_scores_class_count(scores) && can_be_predicted(scores, k, &rows); k++)
        if (crd_i_names_are_similar(crd_scores_class_name(scores, k), crd_scores_class_name(scores, label))) return k;
    return CRD_NONE;
}

static bool label_warning_add_text(crd_i_buffer *buffer, const char *text) {
    return crd_i_buffer_append(buffer, text, strlen(text));
}

/* Appends ", 'name'", or ", ..." after MOST_NAMED names. Returns false if memory runs out. */
static bool label_warning_add_name(crd_i_buffer *buffer, size_t place, crd_text name) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (place > MOST_NAMED) return true;
    if (place == MOST_NAMED) return label_warning_add_text(buffer, ", ...");
    return label_warning_add_text(buffer, place == 0 ? "'" : ", '") &&
           label_warning_add_text(buffer, crd_i_quote(name, quoted)) && label_warning_add_text(buffer, "'");
}

/* Adds "'NO' (the model has 'no'), 'YES' (the model has 'yes')". */
static bool add_labels(crd_i_buffer *buffer, const crd_scores *scores, unknown_labels *labels) {
    bool done = true;
    uint64_t rows;
    for (size_t k = 0, place = 0; done && k < crd_scores_class_count(scores); k++) {
        if (can_be_predicted(scores, k, &rows)) continue;
        const size_t similar = place < MOST_NAMED ? label_warning_find_similar(scores, k) : CRD_NONE;
        done = label_warning_add_name(buffer, place++, crd_scores_class_name(scores, k));
        if (similar == CRD_NONE) continue;
        labels->has_similar = true;
        done = done && label_warning_add_text(buffer, " (the model has ") &&
               label_warning_add_name(buffer, 0, crd_scores_class_name(scores, similar)) &&
               label_warning_add_text(buffer, ")");
    }
    return done;
}

static bool label_warning_add_classes(crd_i_buffer *buffer, const crd_scores *scores) {
    bool done = label_warning_add_text(buffer, "; the model has ");
    uint64_t rows;
    for (size_t k = 0; done && k < crd_scores_class_count(scores) && can_be_predicted(scores, k, &rows); k++)
        done = label_warning_add_name(buffer, k, crd_scores_class_name(scores, k));
    return done;
}

crd_status crd_scores_label_warning(crd_context *context, const crd_scores *scores, char **out, crd_error *error) {
    crd_i_buffer buffer = {.context = context};
    unknown_labels labels = {0, 0, false};
    char begin[128];
    uint64_t rows;
    *out = NULL;
    for (size_t k = 0; k < crd_scores_class_count(scores); k++) {
        if (can_be_predicted(scores, k, &rows)) continue;
        labels.count++;
        labels.rows += rows;
    }
    if (labels.count == 0) return CRD_OK;
    snprintf(begin, sizeof begin, "%zu label%s not %s of the model, and %s %llu row%s as wrong: ", labels.count,
             labels.count == 1 ? " is" : "s are", labels.count == 1 ? "a class" : "classes",
             labels.count == 1 ? "its" : "their", (unsigned long long)labels.rows,
             labels.rows == 1 ? " counts" : "s count");
    bool done = label_warning_add_text(&buffer, begin) && add_labels(&buffer, scores, &labels);
    if (done && !labels.has_similar) done = label_warning_add_classes(&buffer, scores);
    if (done && crd_i_buffer_append(&buffer, "", 1)) {
        *out = (char *)buffer.bytes;
        return CRD_OK;
    }
    crd_i_buffer_clear(&buffer);
    return crd_i_fail_memory(error);
}
