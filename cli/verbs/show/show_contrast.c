/* SPDX-License-Identifier: MIT */
/* show_contrast.c - see show_contrast.h. */
#include "verbs/show/show_contrast.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <math.h>
#include <stdlib.h>

/* The number of columns per class in the report for people. */
enum { SHOWN = 5 };

typedef struct contrast_line {
    crd_class_contrast contrast;
    size_t attribute;
} contrast_line;

static int by_divergence(const void *a, const void *b) {
    const contrast_line *x = a, *y = b;
    if (x->contrast.divergence != y->contrast.divergence)
        return x->contrast.divergence > y->contrast.divergence ? -1 : 1;
    return x->attribute < y->attribute ? -1 : x->attribute > y->attribute;
}

/* Adds the means of a numeric column, such as "mean 1.464, others 4.906 (-1.95 SD)". */
static void show_contrast_add_numbers(crd_result *r, crd_result_table *t, const crd_class_contrast *c) {
    char copy[CRD_NUMBER_ROOM], others[CRD_NUMBER_ROOM];
    crd_number_round(c->mean, copy);
    crd_number_round(c->others_mean, others);
    if (isnan(c->mean) || isnan(c->others_mean)) crd_cell_null(t);
    else if (isnan(c->standardized_difference))
        crd_cell_words(t, crd_result_format(r, "mean %s, others %s", copy, others));
    else
        crd_cell_words(t,
                       crd_result_format(r, "mean %s, others %s (%+.2f SD)", copy, others, c->standardized_difference));
    crd_cell_number(t, c->standardized_difference);
    crd_cell_null(t);
}

/* Adds the frequencies of a value, such as "n: 0.97, others 0.11". */
static void show_contrast_add_categories(crd_result *r, crd_result_table *t, const crd_class_contrast *c,
                                         crd_text value) {
    char copy[CRD_NUMBER_ROOM], others[CRD_NUMBER_ROOM];
    crd_cell_words(t, crd_result_format(r, "%s: %s, others %s", crd_result_show(r, value),
                                        crd_number_round(c->frequency, copy),
                                        crd_number_round(c->others_frequency, others)));
    crd_cell_null(t);
    crd_cell_name(t, value);
}

/* Adds the line of a column. Adds nothing if the class or the rest has no values to compare. */
static void show_contrast_add_line(crd_result *r, crd_result_table *t, const crd_summary *summary, size_t k,
                                   const contrast_line *line) {
    const crd_class_contrast *c = &line->contrast;
    crd_cell_name(t, summary->classes[k].name);
    crd_cell_name(t, summary->attributes[line->attribute].name);
    crd_cell_number(t, c->divergence);
    if (summary->attributes[line->attribute].type == CRD_TYPE_NUMERIC) {
        show_contrast_add_numbers(r, t, c);
    } else if (c->value == SIZE_MAX) {
        crd_cell_null(t);
        crd_cell_null(t);
        crd_cell_null(t);
    } else {
        show_contrast_add_categories(r, t, c, crd_summary_value(summary, line->attribute, c->value));
    }
}

/* Reports for each class the columns by descending divergence. */
int show_contrast(crd_result *r, const crd_summary *summary, const size_t *classes, size_t class_count, bool all) {
    const size_t attributes = summary->attribute_count;
    if (summary->class_count < 2) return ENDED_WELL; /* one class has no rest to compare with */
    contrast_line *lines = memory_resize(NULL, attributes, sizeof *lines);
    crd_error error;
    crd_status status = CRD_OK;
    crd_result_heading(r, 2, "Classes against the rest", ", the columns that differ most (divergence in nats)");
    crd_result_table *t = crd_result_add_table(r, "contrasts");
    t->is_wrapped = true;
    crd_result_add_column(t, "class", "class");
    crd_result_add_column(t, "attribute", "column")->is_left = true;
    crd_result_add_column(t, "divergence", "divergence");
    crd_result_add_column(t, "description", "in the class")->is_left = true;
    crd_result_add_column(t, "standardized_difference", NULL);
    crd_result_add_column(t, "value", NULL);
    for (size_t i = 0; status == CRD_OK && i < class_count; i++) {
        const size_t k = classes[i];
        for (size_t a = 0; status == CRD_OK && a < attributes; a++) {
            const crd_class_contrast none = CRD_CLASS_CONTRAST_INIT;
            lines[a] = (contrast_line){none, a};
            status = crd_summary_contrast(summary, a, k, &lines[a].contrast, &error);
        }
        if (attributes > 0) qsort(lines, attributes, sizeof *lines, by_divergence);
        for (size_t a = 0; status == CRD_OK && a < attributes; a++) {
            if (!all && a >= SHOWN) t->audience = CRD_FOR_JSON | CRD_FOR_CSV;
            show_contrast_add_line(r, t, summary, k, &lines[a]);
        }
    }
    free(lines);
    return status == CRD_OK ? ENDED_WELL : message_error(&error);
}
