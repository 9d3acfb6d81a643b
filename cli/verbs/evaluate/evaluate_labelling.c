/* SPDX-License-Identifier: MIT */
/* evaluate_labelling.c - --against COL: compares assigned classes with known labels, whose names may differ from the
 * classes' names. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "source/model_or_table.h"

#include <stdlib.h>
#include <string.h>

/* ---- Rows ---- */

int labelling_find_column(labelling_report *c, const crd_reader *reader) {
    const char *selector = arguments_value(&c->call->arguments, "against");
    size_t *columns = memory_resize(NULL, crd_reader_column_count(reader), sizeof *columns), count = 0;
    crd_error error;
    int ended = ENDED_WELL;
    if (crd_reader_select(reader, crd_text_of(selector), columns, &count, &error) != CRD_OK)
        ended = message_error(&error);
    else if (count != 1) ended = message_usage("--against %s matches %zu columns; one is needed", selector, count);
    else c->column = columns[0];
    free(columns);
    if (ended == ENDED_WELL) c->name = crd_reader_column_name(reader, c->column);
    return ended;
}

crd_status labelling_begin(labelling_report *c, crd_error *error) {
    crd_labelling_destroy(c->labelling);
    c->labelling = NULL;
    c->unlabelled = 0;
    return crd_labelling_create(c->call->context, &c->labelling, error);
}

/* ---- The report ---- */

typedef struct labelling_label {
    crd_text text;
    size_t index;
} labelling_label;

static int labeling_by_text(const void *a, const void *b) {
    const crd_text x = ((const labelling_label *)a)->text, y = ((const labelling_label *)b)->text;
    const int order = memcmp(x.bytes, y.bytes, x.length < y.length ? x.length : y.length);
    return order != 0 ? order : (x.length > y.length) - (x.length < y.length);
}

/* Adds the contingency table: one line per label, one column per class that occurs, in the model's order. */
static void add_contingency(const labelling_report *c, report *r) {
    const crd_labelling *source_labelling = c->labelling;
    const size_t labels = crd_labelling_known_count(source_labelling),
                 met = crd_labelling_assigned_count(source_labelling);
    labelling_label *order = memory_resize(NULL, labels, sizeof *order);
    size_t *classes = memory_resize(NULL, met, sizeof *classes), count = 0;
    for (size_t j = 0; j < labels; j++) order[j] = (labelling_label){crd_labelling_known(source_labelling, j), j};
    qsort(order, labels, sizeof *order, labeling_by_text);
    for (size_t k = 0; k < c->class_count; k++)
        for (size_t i = 0; i < met; i++)
            if (crd_text_equal(c->classes[k], crd_labelling_assigned(source_labelling, i))) classes[count++] = i;
    report_heading(r, 1, "Rows by label and class", "");
    report_table *t = report_add_table(r, "contingency");
    t->is_wrapped = true;
    column_add(t, "label", report_shown(r, c->name));
    for (size_t i = 0; i < count; i++) column_add_named(t, crd_labelling_assigned(source_labelling, classes[i]));
    for (size_t j = 0; j < labels; j++) {
        cell_name(t, order[j].text);
        for (size_t i = 0; i < count; i++)
            cell_count(t, crd_labelling_rows(source_labelling, classes[i], order[j].index));
    }
    free(order);
    free(classes);
}

static void labeling_add_score(report *r, report_table *t, const char *key, const char *title, double value) {
    report_number(r, key, value);
    cell_words(t, title);
    cell_number(t, value);
}

/* Writes the scores of the labelling and the contingency table. */
int labelling_write(const labelling_report *c) {
    crd_labelling_scores scores = CRD_LABELLING_SCORES_INIT;
    crd_error error;
    output out;
    const ran source_ran = {.call = c->call, .target = c->target, .settings = c->settings};
    if (crd_labelling_score(c->labelling, &scores, &error) != CRD_OK) return message_error(&error);
    int ended = output_open(c->call, &out);
    if (ended != ENDED_WELL) return ended;
    ended = output_choose_format(c->call, &out, FORMATS, FORMAT_TABLE);
    if (ended != ENDED_WELL) return output_close(&out, ended);
    report *r = report_create();
    char buffer[ROWS_ROOM];
    report_object(r, NULL);
    evaluate_report_run(r, &source_ran, (uint64_t)scores.rows);
    report_top_heading(r,
                       report_format(r, "Classes of %s compared with the labels of %s: %s", report_shown(r, c->target),
                                     report_shown(r, c->name), output_rows((uint64_t)scores.rows, buffer)));
    report_table *t = report_add_table(r, NULL);
    t->is_headed = false;
    column_add(t, NULL, "score");
    column_add(t, NULL, "value");
    labeling_add_score(r, t, "adjusted_rand", "adjusted Rand index", scores.adjusted_rand);
    labeling_add_score(r, t, "normalized_mutual_information", "normalized mutual information",
                       scores.normalized_mutual_information);
    labeling_add_score(r, t, "homogeneity", "homogeneity", scores.homogeneity);
    labeling_add_score(r, t, "completeness", "completeness", scores.completeness);
    report_number(r, "rows", scores.rows);
    report_number(r, "unlabelled", (double)c->unlabelled);
    add_contingency(c, r);
    report_end(r);
    report_write(r, &out);
    report_destroy(r);
    ended = output_close(&out, ENDED_WELL);
    if (ended == ENDED_WELL && c->unlabelled > 0)
        message_note("skipped %s without a label", output_rows(c->unlabelled, buffer));
    return ended;
}

/* Runs --against: predicts the class of each row of DATA, and compares it with the row's label. */
int evaluate_labelling(const invocation *call) {
    const arguments *words = &call->arguments;
    labelling_report c = {.call = call};
    crd_model *model = NULL;
    crd_classifier *classifier = NULL;
    crd_error error;
    data d = {0};
    int ended = model_or_table_open_to_answer(call, words->operands[0], NULL, 0, &model);
    if (ended == ENDED_WELL && crd_model_is_sequence(model)) {
        ended = evaluate_sequence_labelling(call, model);
        crd_model_destroy(model);
        return ended;
    }
    if (ended == ENDED_WELL) ended = model_or_table_classifier(call, model, &classifier);
    if (ended == ENDED_WELL) {
        c.model = model;
        c.target = crd_model_target(model);
        c.settings = crd_classifier_settings(classifier);
        c.class_count = crd_classifier_class_count(classifier);
        c.classes = memory_resize(NULL, c.class_count, sizeof *c.classes);
        for (size_t k = 0; k < c.class_count; k++) c.classes[k] = crd_classifier_class(classifier, k);
        ended = data_open_for(call, model, words->operands + 1, words->operand_count - 1, true, &d);
        if (ended == ENDED_WELL) ended = labelling_find_column(&c, d.reader);
        if (ended == ENDED_WELL && crd_labelling_of_model(model, classifier, d.reader, c.column, &c.labelling,
                                                          &c.unlabelled, &error) != CRD_OK)
            ended = message_error_in(&error, words->operands[1]);
        ended = bad_row_list_share(d.bad, ended);
        if (ended == ENDED_WELL) ended = labelling_write(&c);
        data_close(&d);
    }
    crd_labelling_destroy(c.labelling);
    free(c.classes);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    return ended;
}
