/* evaluate_judge.c - answers meet truths, row by row: added up, and listed where --each asks for it. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/progress.h"
#include "core/report_write.h"
#include "source/network_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A table is laid out by this many rows at a time. */
enum { ROWS_LAID_OUT = 1000, COLUMNS_LISTED = 6 };

static const char *const headings[COLUMNS_LISTED] = {"id", "prediction", "probability", "truth", "credit", "decision"};

/* The decision is listed where there is a rule to decide by. It is read once the classes are known, but asked for
 * before. */
static size_t columns_listed(const judge *j) {
    const arguments *words = &j->call->arguments;
    bool decides =
        arguments_have(words, "cost") || arguments_have(words, "reject") || arguments_have(words, "threshold");
    return decides ? COLUMNS_LISTED : COLUMNS_LISTED - 1;
}

static void open_list(judge *j) {
    size_t columns = columns_listed(j);
    switch (j->out.format) {
    case FORMAT_TABLE:
    case FORMAT_MARKDOWN:
        j->table = table_create_for(&j->out, columns);
        table_align_left(j->table, 1);
        table_align_left(j->table, 3);
        if (columns == COLUMNS_LISTED) table_align_left(j->table, COLUMNS_LISTED - 1);
        for (size_t i = 0; i < columns; i++) table_add(j->table, headings[i]);
        break;
    case FORMAT_CSV:
        for (size_t i = 0; i < columns; i++) {
            fprintf(j->out.stream, "%s%s", headings[i], i + 1 < columns ? "," : "\n");
        }
        break;
    case FORMAT_JSON: j->json = json_begin(j->out.stream, false); break;
    }
}

int judge_begin(const invocation *call, judge *j) {
    crd_error error;
    *j = (judge){.call = call, .lists_rows = arguments_have(&call->arguments, "each")};
    int ended = output_open(call, &j->out);
    if (ended != ENDED_WELL) return ended;
    if (j->lists_rows && j->out.to_terminal) progress_forbid();
    bool rows_in_pipe = j->lists_rows && !j->out.to_terminal;
    ended = output_choose_format(call, &j->out, FORMATS, rows_in_pipe ? FORMAT_CSV : FORMAT_TABLE);
    if (ended == ENDED_WELL && crd_posteriors_create(call->context, &j->posteriors, &error) != CRD_OK) {
        ended = message_error(&error);
    }
    if (ended == ENDED_WELL && j->lists_rows) open_list(j);
    return ended;
}

void judge_add_class(judge *j, crd_text name) {
    char *bytes = memory_resize(NULL, name.length + 1, 1);
    if (name.length > 0) memcpy(bytes, name.bytes, name.length);
    j->classes = memory_resize(j->classes, j->class_count + 1, sizeof *j->classes);
    j->classes[j->class_count++] = (crd_text){bytes, name.length};
}

int judge_start(judge *j) {
    crd_error error;
    crd_evaluation_destroy(j->evaluation);
    crd_evaluation_destroy(j->before);
    crd_outcomes_destroy(j->outcomes);
    j->evaluation = j->before = NULL;
    j->outcomes = NULL;
    j->row = j->skipped = j->weightless = j->unseen_cells = j->rows_with_unseen = 0;
    if (crd_evaluation_create(j->call->context, j->classes, j->class_count, &j->evaluation, &error) != CRD_OK) {
        return message_error(&error);
    }
    int ended = j->rule != NULL ? ENDED_WELL : rule_read(j->call, j->classes, j->class_count, &j->rule);
    if (ended != ENDED_WELL || j->rule == NULL) return ended;
    if (crd_outcomes_create(j->call->context, j->rule, &j->outcomes, &error) == CRD_OK) return ENDED_WELL;
    return message_error(&error);
}

/* ---- One row ---- */

static void list_json(judge *j, crd_text truth, const crd_row_score *credit, const crd_decision *decision) {
    json_object(&j->json);
    json_member_number(&j->json, "id", (double)j->row);
    json_key(&j->json, "prediction");
    if (credit->decision < 0) json_null(&j->json);
    else json_text(&j->json, j->classes[credit->decision]);
    json_member_number(&j->json, "probability", credit->probability);
    json_member_text(&j->json, "truth", truth);
    json_member_number(&j->json, "credit", credit->credit);
    if (j->rule != NULL) {
        json_key(&j->json, "decision");
        if (decision->action < 0) json_null(&j->json);
        else json_text(&j->json, crd_rule_action(j->rule, (size_t)decision->action));
    }
    json_end_object(&j->json);
    json_end_line(&j->json);
}

static void list_csv(judge *j, crd_text truth, const crd_row_score *credit, const crd_decision *decision) {
    FILE *stream = j->out.stream;
    fprintf(stream, "%llu,", (unsigned long long)j->row);
    if (credit->decision >= 0) output_csv_text(&j->out, j->classes[credit->decision]);
    fputc(',', stream);
    output_csv_number(&j->out, credit->probability);
    fputc(',', stream);
    output_csv_text(&j->out, truth);
    fputc(',', stream);
    output_csv_number(&j->out, credit->credit);
    if (j->rule != NULL) fputc(',', stream);
    if (j->rule != NULL && decision->action >= 0) {
        output_csv_text(&j->out, crd_rule_action(j->rule, (size_t)decision->action));
    }
    fputc('\n', stream);
}

static void list_in_table(judge *j, crd_text truth, const crd_row_score *credit, const crd_decision *decision) {
    char room[ROUNDED_ROOM];
    table_format(j->table, "%llu", (unsigned long long)j->row);
    table_add_name(j->table, credit->decision >= 0 ? j->classes[credit->decision] : crd_text_of("(all at zero)"));
    table_add(j->table, credit->decision >= 0 ? output_round(credit->probability, room) : "");
    table_add_name(j->table, truth);
    table_add(j->table, output_round(credit->credit, room));
    if (j->rule != NULL) {
        table_add_name(j->table, decision->action < 0 ? crd_text_of("(none)")
                                                      : crd_rule_action(j->rule, (size_t)decision->action));
    }
    if (j->listed % ROWS_LAID_OUT == 0) table_flush(j->table, j->out.stream);
}

/* Rows that were listed before a reader began again are not listed twice. */
static void list_row(judge *j, crd_text truth, const crd_row_score *credit, const crd_decision *decision) {
    if (j->row <= j->listed) return;
    j->listed = j->row;
    switch (j->out.format) {
    case FORMAT_TABLE:
    case FORMAT_MARKDOWN: list_in_table(j, truth, credit, decision); break;
    case FORMAT_CSV: list_csv(j, truth, credit, decision); break;
    case FORMAT_JSON: list_json(j, truth, credit, decision); break;
    }
}

/* What the row would have scored without calibration. */
static int add_before(judge *j, const crd_posteriors *posteriors, size_t row, crd_text truth, double weight) {
    const double *logs = crd_posteriors_uncalibrated_log(posteriors, row),
                 *found = crd_posteriors_uncalibrated(posteriors, row);
    crd_row_score credit = CRD_ROW_SCORE_INIT;
    crd_error error;
    if (logs == NULL) return ENDED_WELL;
    if (j->before == NULL &&
        crd_evaluation_create(j->call->context, j->classes, j->class_count, &j->before, &error) != CRD_OK) {
        return message_error(&error);
    }
    if (crd_evaluation_add_probabilities(j->before, logs, found, truth, weight, &credit, &error) == CRD_OK)
        return ENDED_WELL;
    return message_error(&error);
}

int judge_frame(judge *j, const crd_frame *frame, const crd_posteriors *posteriors, size_t target,
                const uint32_t *folds) {
    crd_error error;
    size_t weights = frame_column(frame, j->weight);
    for (size_t row = 0; row < crd_frame_rows(frame); row++) {
        crd_value truth = crd_frame_value(frame, row, target);
        crd_row_score credit = CRD_ROW_SCORE_INIT;
        crd_decision decision = CRD_DECISION_INIT;
        j->row++;
        if (truth.kind == CRD_KIND_NONE) {
            j->skipped++;
            continue;
        }
        double weight = frame_weight(frame, row, weights);
        j->weightless += weight == 0;
        if (weight == 0 || (folds != NULL && folds[row] == CRD_NO_FOLD)) continue;
        const double *log_posterior = crd_posteriors_log(posteriors, row);
        uint32_t unseen = crd_posteriors_answer(posteriors, row)->unseen;
        const double *probabilities = crd_posteriors_probabilities(posteriors, row);
        if (crd_evaluation_add_probabilities(j->evaluation, log_posterior, probabilities, truth.text, weight, &credit,
                                             &error) != CRD_OK) {
            return message_error(&error);
        }
        int ended = add_before(j, posteriors, row, truth.text, weight);
        if (ended != ENDED_WELL) return ended;
        if (j->rule != NULL &&
            crd_outcomes_add(j->outcomes, log_posterior, truth.text, weight, &decision, &error) != CRD_OK) {
            return message_error_in(&error, rule_file(j->call));
        }
        j->unseen_cells += unseen;
        j->rows_with_unseen += unseen > 0;
        if (j->lists_rows) list_row(j, truth.text, &credit, &decision);
    }
    return ENDED_WELL;
}

/* ---- The end ---- */

static void say_what_happened(const judge *j, const crd_totals *totals) {
    char room[ROWS_ROOM], accuracy[ROUNDED_ROOM];
    if (j->lists_rows && (j->out.format == FORMAT_CSV || j->out.format == FORMAT_JSON)) {
        message_note("accuracy %s on %s", output_round(totals->accuracy, accuracy), output_rows(totals->rows, room));
    }
    if (j->skipped > 0) message_note("skipped %s without a true class", output_rows(j->skipped, room));
    if (j->weightless > 0) message_note("left out %s of weight 0", output_rows(j->weightless, room));
    if (j->unseen_cells > 0) {
        message_note("left out %llu cell%s %s, in %s", (unsigned long long)j->unseen_cells,
                     j->unseen_cells == 1 ? "" : "s", network_model_unseen_words(j->model),
                     output_rows(j->rows_with_unseen, room));
    }
    if (totals->undecided > 0) {
        message_note("%s without an answer: every class is at zero (by a category that is not smoothed, or a "
                     "number too far from everything learned)",
                     output_rows(totals->undecided, room));
    }
}

static int write_scores(judge *j, const char *how, crd_totals *totals) {
    crd_scores *scores = NULL, *before = NULL;
    crd_error error;
    if (crd_scores_create(j->evaluation, &scores, &error) != CRD_OK) return message_error(&error);
    if (j->before != NULL && crd_scores_create(j->before, &before, &error) != CRD_OK) {
        crd_scores_destroy(scores);
        return message_error(&error);
    }
    crd_scores_totals(scores, totals);
    int ended = ENDED_WELL;
    bool only_rows = j->lists_rows && (j->out.format == FORMAT_CSV || j->out.format == FORMAT_JSON);
    if (totals->rows == 0) ended = message_failed("no row to evaluate has a true class");
    else if (!only_rows) {
        report *r = report_create();
        evaluate_report(r, &(evaluated){.how = how,
                                        .scores = scores,
                                        .before = before,
                                        .with_weights = j->weight.bytes != NULL,
                                        .rule = j->rule,
                                        .outcomes = j->outcomes});
        report_write(r, &j->out);
        report_destroy(r);
    }
    crd_scores_destroy(scores);
    crd_scores_destroy(before);
    return ended;
}

int judge_end(judge *j, int ended, const char *how) {
    crd_totals totals = CRD_TOTALS_INIT;
    if (j->table != NULL && ended == ENDED_WELL) {
        table_flush(j->table, j->out.stream);
        fputc('\n', j->out.stream);
    }
    if (ended == ENDED_WELL) ended = write_scores(j, how, &totals);
    output_format format = j->out.format;
    ended = output_close(&j->out, ended);
    j->out.format = format;
    if (ended == ENDED_WELL) say_what_happened(j, &totals);
    table_destroy(j->table);
    for (size_t i = 0; i < j->class_count; i++) free((char *)j->classes[i].bytes);
    free(j->classes);
    crd_evaluation_destroy(j->evaluation);
    crd_evaluation_destroy(j->before);
    crd_outcomes_destroy(j->outcomes);
    crd_rule_destroy(j->rule);
    crd_posteriors_destroy(j->posteriors);
    return ended;
}
