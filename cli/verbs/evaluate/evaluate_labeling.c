/* SPDX-License-Identifier: MIT */
/* evaluate_labeling.c - --true-labels COL: compares assigned classes with known labels, whose names may differ from the
 * classes' names. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "source/model_operand.h"

#include <stdlib.h>
#include <string.h>

/* ---- Rows ---- */

int labeling_find_column(labeling_report *c, const crd_reader *reader) {
    const char *selector = arguments_value(&c->call->arguments, "true-labels");
    size_t *columns = memory_resize(NULL, crd_reader_column_count(reader), sizeof *columns), count = 0;
    crd_error error;
    int ended = ENDED_WELL;
    if (crd_reader_select(reader, crd_text_of(selector), columns, &count, &error) != CRD_OK)
        ended = message_error(&error);
    else if (count != 1) ended = message_usage("--true-labels %s matches %zu columns; one is needed", selector, count);
    else c->column = columns[0];
    free(columns);
    if (ended == ENDED_WELL) c->name = crd_reader_column_name(reader, c->column);
    return ended;
}

crd_status labeling_begin(labeling_report *c, crd_error *error) {
    crd_labeling_destroy(c->labeling);
    c->labeling = NULL;
    c->unlabeled = 0;
    return crd_labeling_create(c->call->context, &c->labeling, error);
}

/* ---- The report ---- */

typedef struct labeling_label {
    crd_text text;
    size_t index;
} labeling_label;

static int labeling_by_text(const void *a, const void *b) {
    const crd_text x = ((const labeling_label *)a)->text, y = ((const labeling_label *)b)->text;
    const int order = memcmp(x.bytes, y.bytes, x.length < y.length ? x.length : y.length);
    return order != 0 ? order : (x.length > y.length) - (x.length < y.length);
}

/* Adds the contingency table: one line per label, one column per class that occurs, in the model's order. */
static void add_contingency(const labeling_report *c, crd_result *r) {
    const crd_labeling *source_labeling = c->labeling;
    const size_t labels = crd_labeling_known_count(source_labeling), met = crd_labeling_assigned_count(source_labeling);
    labeling_label *order = memory_resize(NULL, labels, sizeof *order);
    size_t *classes = memory_resize(NULL, met, sizeof *classes), count = 0;
    for (size_t j = 0; j < labels; j++) order[j] = (labeling_label){crd_labeling_known(source_labeling, j), j};
    qsort(order, labels, sizeof *order, labeling_by_text);
    for (size_t k = 0; k < c->class_count; k++)
        for (size_t i = 0; i < met; i++)
            if (crd_text_equal(c->classes[k], crd_labeling_assigned(source_labeling, i))) classes[count++] = i;
    crd_result_heading(r, 1, "Rows by label and class", "");
    crd_result_table *t = crd_result_add_table(r, "contingency");
    t->is_wrapped = true;
    crd_result_add_column(t, "label", crd_result_show(r, c->name));
    for (size_t i = 0; i < count; i++) column_add_named(t, crd_labeling_assigned(source_labeling, classes[i]));
    for (size_t j = 0; j < labels; j++) {
        crd_cell_name(t, order[j].text);
        for (size_t i = 0; i < count; i++)
            crd_cell_count(t, crd_labeling_rows(source_labeling, classes[i], order[j].index));
    }
    free(order);
    free(classes);
}

static void labeling_add_score(crd_result *r, crd_result_table *t, const char *key, const char *title, double value) {
    crd_result_number(r, key, value);
    crd_cell_words(t, title);
    crd_cell_number(t, value);
}

/* Writes the scores of the labeling and the contingency table. */
int labeling_write(const labeling_report *c) {
    crd_labeling_scores scores = CRD_LABELING_SCORES_INIT;
    crd_error error;
    output out;
    const ran source_ran = {.call = c->call, .target = c->target, .settings = c->settings};
    if (crd_labeling_score(c->labeling, &scores, &error) != CRD_OK) return message_error(&error);
    int ended = output_open(c->call, &out);
    if (ended != ENDED_WELL) return ended;
    ended = output_choose_format(c->call, &out, FORMATS, FORMAT_TABLE);
    if (ended != ENDED_WELL) return output_close(&out, ended);
    crd_result *r = report_create(c->call->context);
    char buffer[ROWS_ROOM];
    crd_result_begin(r, CRD_OBJECT, NULL);
    evaluate_report_run(r, &source_ran, (uint64_t)scores.rows);
    crd_result_prose(r, CRD_TOP_HEADING, 1, "", "",
                     crd_result_format(r, "Classes of %s compared with the labels of %s: %s",
                                       crd_result_show(r, c->target), crd_result_show(r, c->name),
                                       output_rows((uint64_t)scores.rows, buffer)));
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_headed = false;
    crd_result_add_column(t, NULL, "score");
    crd_result_add_column(t, NULL, "value");
    labeling_add_score(r, t, "adjusted_rand", "adjusted Rand index", scores.adjusted_rand);
    labeling_add_score(r, t, "normalized_mutual_information", "normalized mutual information",
                       scores.normalized_mutual_information);
    labeling_add_score(r, t, "homogeneity", "homogeneity", scores.homogeneity);
    labeling_add_score(r, t, "completeness", "completeness", scores.completeness);
    crd_result_number(r, "rows", scores.rows);
    crd_result_number(r, "unlabeled", (double)c->unlabeled);
    add_contingency(c, r);
    crd_result_end(r);
    report_write(r, &out);
    crd_result_destroy(r);
    ended = output_close(&out, ENDED_WELL);
    if (ended == ENDED_WELL && c->unlabeled > 0)
        message_note("skipped %s without a label", output_rows(c->unlabeled, buffer));
    return ended;
}

/* Runs --true-labels: predicts the class of each row of DATA, and compares it with the row's label. */
int evaluate_labeling(const invocation *call) {
    const arguments *words = &call->arguments;
    labeling_report c = {.call = call};
    crd_model *model = NULL;
    crd_classifier *classifier = NULL;
    crd_error error;
    data d = {0};
    int ended = model_operand_open_to_answer(call, words->operands[0], NULL, 0, &model);
    if (ended == ENDED_WELL && crd_model_is_sequence(model)) {
        ended = evaluate_sequence_labeling(call, model);
        crd_model_destroy(model);
        return ended;
    }
    if (ended == ENDED_WELL) ended = model_operand_classifier(call, model, &classifier);
    if (ended == ENDED_WELL) {
        c.model = model;
        c.target = crd_model_target(model);
        c.settings = crd_classifier_settings(classifier);
        c.class_count = crd_classifier_class_count(classifier);
        c.classes = memory_resize(NULL, c.class_count, sizeof *c.classes);
        for (size_t k = 0; k < c.class_count; k++) c.classes[k] = crd_classifier_class(classifier, k);
        ended = data_open_for(call, model, words->operands + 1, words->operand_count - 1, true, &d);
        if (ended == ENDED_WELL) ended = labeling_find_column(&c, d.reader);
        if (ended == ENDED_WELL &&
            crd_labeling_of_model(model, classifier, d.reader, c.column, &c.labeling, &c.unlabeled, &error) != CRD_OK)
            ended = message_error_in(&error, words->operands[1]);
        ended = bad_row_list_share(d.bad, ended);
        if (ended == ENDED_WELL) ended = labeling_write(&c);
        data_close(&d);
    }
    crd_labeling_destroy(c.labeling);
    free(c.classes);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    return ended;
}
