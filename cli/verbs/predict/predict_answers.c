/* SPDX-License-Identifier: MIT */
/* predict_answers.c - see predict.h. */
#include "verbs/predict/predict.h"

#include "core/messages.h"
#include "core/progress.h"
#include "describe/term_text.h"
#include "source/network_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_LAID_OUT = 1000 }; /* a table is laid out in blocks of this many rows */

/* Returns the number of columns before the prediction: the input columns, then the columns that identify an item. */
static size_t front_count(const prediction *p) {
    return p->kept + p->place_count;
}

static crd_text front_name(const prediction *p, size_t column) {
    if (column >= p->kept) return crd_text_of(p->places[column - p->kept]);
    return p->reader != NULL ? crd_reader_column_name(p->reader, column)
                             : crd_classifier_attribute(p->classifier, column);
}

static crd_text kept_cell(const prediction *p, const answered *a, size_t column) {
    if (a->cells != NULL) return a->cells[column];
    return a->worker != NULL ? crd_worker_cell(a->worker, a->row, column) : p->given->texts[column];
}

static crd_text front_cell(const prediction *p, const answered *a, size_t column) {
    return column >= p->kept ? a->place[column - p->kept] : kept_cell(p, a, column);
}

static bool has_costs(const prediction *p) {
    return p->rule != NULL && p->rule->kind == CRD_RULE_COSTS;
}

/* Adds the header line, and prepares the class names as CSV fields. */
static void predict_answers_open_csv(prediction *p) {
    size_t classes = p->class_count;
    p->class_cells = memory_resize(NULL, classes, sizeof *p->class_cells);
    for (size_t i = 0; i < front_count(p); i++) {
        csv_add_text(&p->lines, front_name(p, i));
        string_add_char(&p->lines, ',');
    }
    string_add(&p->lines, "prediction,probability", strlen("prediction,probability"));
    for (size_t c = 0; c < classes; c++) {
        crd_text name = p->classes[c];
        p->class_cells[c] = (string){0};
        csv_add_text(&p->class_cells[c], name);
        string heading = {0};
        string_add(&heading, "P(", 2);
        string_add(&heading, name.bytes, name.length);
        string_add(&heading, ")", 1);
        string_add_char(&p->lines, ',');
        csv_add_text(&p->lines, (crd_text){heading.bytes, heading.length});
        string_free(&heading);
    }
    string_add(&p->lines, ",log_evidence,unseen", strlen(",log_evidence,unseen"));
    if (p->fit != NULL) string_format(&p->lines, ",fit");
    if (p->rule != NULL) string_format(&p->lines, ",decision");
    if (has_costs(p)) string_format(&p->lines, ",expected_cost");
    for (size_t i = 0; has_costs(p) && i < p->rule->action_count; i++) {
        crd_text action = p->rule->actions[i];
        string heading = {0};
        string_add(&heading, "cost(", strlen("cost("));
        string_add(&heading, action.bytes, action.length);
        string_add_char(&heading, ')');
        string_add_char(&p->lines, ',');
        csv_add_text(&p->lines, (crd_text){heading.bytes, heading.length});
        string_free(&heading);
    }
    string_add_char(&p->lines, '\n');
}

/* Returns the column names of the table, except P(...) of the classes and cost(...) of the actions. */
static const char *other_headings(const prediction *p) {
    if (p->rule == NULL)
        return p->fit == NULL ? "prediction  probability  unseen" : "prediction  probability  unseen  fit";
    if (!has_costs(p)) return "prediction  probability  unseen  fit  decision";
    return "prediction  probability  unseen  fit  decision  expected cost";
}

/* Begins the table. Omits the columns of classes and actions if they would not fit the terminal. */
static void predict_answers_open_table(prediction *p) {
    size_t classes = p->class_count, width = 0;
    size_t actions = has_costs(p) ? p->rule->action_count : 0;
    string name = {0};
    for (size_t c = 0; c < classes; c++) {
        string_add_shown(&name, p->classes[c]);
        string_format(&name, "P()  ");
    }
    for (size_t i = 0; i < actions; i++) {
        string_add_shown(&name, p->rule->actions[i]);
        string_format(&name, "cost()  ");
    }
    width = text_width(string_text(&name), name.length) + strlen(other_headings(p)) +
            (p->is_of_items ? strlen("  log_evidence") : 0);
    string_free(&name);
    p->shows_each_class = p->out.width == 0 || width < p->out.width;
    if (!p->shows_each_class) {
        message_note("P(...) of each class%s not shown: they need %zu columns, but the terminal has %zu (--format csv "
                     "lists all)",
                     actions > 0 ? " and cost(...) of each action are" : " is", width + 1, p->out.width);
    }
    size_t front = front_count(p), wide = p->shows_each_class ? classes + actions : 0;
    size_t narrow =
        3 + (size_t)p->is_of_items + (size_t)(p->fit != NULL) + (size_t)(p->rule != NULL) + (size_t)has_costs(p);
    p->table = table_create_for(&p->out, front + narrow + wide);
    for (size_t i = 0; i < front; i++) {
        if (i < p->kept || !p->place_is_number[i - p->kept]) table_align_left(p->table, i);
        table_add_name(p->table, front_name(p, i));
    }
    table_align_left(p->table, front);
    table_add(p->table, "prediction");
    table_add(p->table, "probability");
    for (size_t c = 0; p->shows_each_class && c < classes; c++) {
        string heading = {0};
        string_format(&heading, "P(");
        string_add_shown(&heading, p->classes[c]);
        table_format(p->table, "%s)", string_text(&heading));
        string_free(&heading);
    }
    if (p->is_of_items) table_add(p->table, "log_evidence");
    table_add(p->table, "unseen");
    if (p->fit != NULL) table_add(p->table, "typicality");
    if (p->rule == NULL) return;
    table_align_left(p->table, front + 3 + (size_t)p->is_of_items + (size_t)(p->fit != NULL) +
                                   (p->shows_each_class ? classes : 0));
    table_add(p->table, "decision");
    if (has_costs(p)) table_add(p->table, "expected cost");
    for (size_t i = 0; p->shows_each_class && i < actions; i++) {
        string heading = {0};
        string_add_shown(&heading, p->rule->actions[i]);
        table_format(p->table, "cost(%s)", string_text(&heading));
        string_free(&heading);
    }
}

/* Determines the input columns whose cells stay text in JSON: the target and the categorical attributes. */
static void predict_answers_find_texts(prediction *p) {
    p->is_text = memory_resize(NULL, p->kept + 1, sizeof *p->is_text);
    for (size_t i = 0; i < p->kept; i++) {
        const crd_text name = front_name(p, i);
        p->is_text[i] = crd_text_equal(name, p->target);
        for (size_t j = 0; j < crd_classifier_attribute_count(p->classifier); j++)
            if (crd_classifier_attribute_type(p->classifier, j) == CRD_TYPE_CATEGORICAL &&
                crd_text_equal(name, crd_classifier_attribute(p->classifier, j)))
                p->is_text[i] = true;
    }
}

/* Warns if an input column has the same name as an output column, because readers would find the name twice. */
static void warn_of_names_kept(const prediction *p) {
    static const char *const ours[] = {"prediction", "probability",   "log_evidence", "unseen", "typicality",
                                       "decision",   "expected_cost", "sequence",     "step"};
    const bool has_place = p->place_count > 0;
    const bool is_there[] = {true,         true,      true,     true, p->fit != NULL, p->rule != NULL,
                             has_costs(p), has_place, has_place};
    for (size_t i = 0; i < p->kept && p->out.format != FORMAT_JSON; i++) {
        for (size_t j = 0; j < sizeof ours / sizeof ours[0]; j++) {
            if (!is_there[j] || !crd_text_equal(front_name(p, i), crd_text_of(ours[j]))) continue;
            message_warning(
                "--with-input: the input also has a column '%s', so the output has two; predict computes the last one",
                ours[j]);
        }
    }
}

int answers_open(prediction *p, const invocation *call) {
    p->call = call;
    int ended = p->is_shared ? processes_open(p, call) : output_open(call, &p->out);
    if (ended != ENDED_WELL) return ended;
    if (p->out.to_terminal) progress_forbid();
    ended = output_choose_format(call, &p->out, FORMATS, p->out.to_terminal ? FORMAT_TABLE : FORMAT_CSV);
    if (ended != ENDED_WELL) return ended;
    warn_of_names_kept(p);
    if (p->out.format == FORMAT_JSON) predict_answers_find_texts(p);
    switch (p->out.format) {
    case FORMAT_TABLE:
    case FORMAT_HTML:
    case FORMAT_MARKDOWN: predict_answers_open_table(p); break;
    case FORMAT_CSV: predict_answers_open_csv(p); break;
    case FORMAT_JSON: break;
    }
    if (!p->is_kept) return ENDED_WELL;
    string_clear(&p->lines);
    if (p->table != NULL) table_forget(p->table);
    return ENDED_WELL;
}

/* Adds the typicality, and the decision of the rule with its costs. */
static void add_consequences_csv(const prediction *p, string *lines, const answered *a) {
    if (p->fit != NULL) {
        string_add_char(lines, ',');
        csv_add_number(lines, a->fit);
    }
    if (p->rule == NULL) return;
    crd_decision decision = CRD_DECISION_INIT;
    crd_rule_decide_probabilities(p->rule, a->log_posterior, a->probabilities, a->expected, &decision);
    string_add_char(lines, ',');
    if (decision.action >= 0) csv_add_text(lines, p->rule->actions[(size_t)decision.action]);
    if (!has_costs(p)) return;
    string_add_char(lines, ',');
    csv_add_number(lines, decision.expected_cost);
    for (size_t i = 0; i < p->rule->action_count; i++) {
        string_add_char(lines, ',');
        csv_add_number(lines, a->expected[i]);
    }
}

/* Writes a comma and a number, or only the comma if the number is not finite. Returns the end. */
static char *predict_answers_put_number(char *destination, double value) {
    *destination++ = ',';
    return isfinite(value) ? destination + crd_number_format(value, destination) : destination;
}

/* Writes the decision and the probabilities, which are most of the output. For speed, the room is reserved in
 * advance and
 * the probability of the decision, which occurs twice, is formatted once. */
static char *put_decision(const prediction *p, char *destination, const answered *a) {
    size_t classes = p->class_count, decision = (size_t)a->answer->decision;
    const string *cell = &p->class_cells[decision];
    char probability[CRD_NUMBER_ROOM] = "";
    size_t length = crd_number_format(a->probabilities[decision], probability);
    if (cell->length > 0) memcpy(destination, cell->bytes, cell->length);
    destination += cell->length;
    *destination++ = ',';
    memcpy(destination, probability, sizeof probability);
    destination += length;
    for (size_t c = 0; c < classes; c++) {
        if (c != decision) {
            destination = predict_answers_put_number(destination, a->probabilities[c]);
            continue;
        }
        *destination++ = ',';
        memcpy(destination, probability, sizeof probability);
        destination += length;
    }
    return destination;
}

/* Adds the prediction for one row as a CSV line. */
static void predict_answers_add_csv(const prediction *p, string *lines, const answered *a) {
    for (size_t i = 0; i < front_count(p); i++) {
        csv_add_cell(lines, front_cell(p, a, i));
        string_add_char(lines, ',');
    }
    enum { OTHER_NUMBERS = 3 }; /* the probability of the decision, the log evidence, and the count of unseen values */
    size_t classes = p->class_count;
    bool decided = a->answer->decision >= 0;
    size_t name = decided ? p->class_cells[a->answer->decision].length : 0;
    char *destination = string_reserve(lines, name + (classes + OTHER_NUMBERS) * (1 + CRD_NUMBER_ROOM));
    if (decided) destination = put_decision(p, destination, a);
    else destination = (char *)memset(destination, ',', classes + 1) + classes + 1;
    destination = predict_answers_put_number(destination, a->answer->log_evidence);
    destination = predict_answers_put_number(destination, a->answer->unseen);
    string_end_at(lines, destination);
    add_consequences_csv(p, lines, a);
    string_add_char(lines, '\n');
}

/* Adds the members "decision" and, for costs, "expected_cost" and "costs". `expected` is a buffer with room for
 * each action. */
static void write_decision(crd_json_writer *j, const crd_rule *rule, const double *log_posterior,
                           const double *probabilities, double *expected) {
    crd_decision decision = CRD_DECISION_INIT;
    crd_rule_decide_probabilities(rule, log_posterior, probabilities, expected, &decision);
    crd_json_writer_key(j, crd_text_of("decision"));
    if (decision.action < 0) crd_json_writer_word(j, crd_text_of("null"));
    else crd_json_writer_text(j, rule->actions[(size_t)decision.action]);
    if (rule->kind != CRD_RULE_COSTS) return;
    crd_json_writer_member_number(j, "expected_cost", decision.expected_cost);
    crd_json_writer_member_begin(j, "costs", '{');
    for (size_t a = 0; a < rule->action_count; a++) {
        crd_json_writer_key(j, rule->actions[a]);
        crd_json_writer_number(j, expected[a]);
    }
    crd_json_writer_end(j, '}');
}

/* Returns the number of digits from `index` on. */
static size_t digits_at(crd_text text, size_t index) {
    size_t count = 0;
    while (index + count < text.length && text.bytes[index + count] >= '0' && text.bytes[index + count] <= '9') count++;
    return count;
}

/* Returns whether a text is a valid JSON number. */
static bool is_json_number(crd_text text) {
    size_t index = text.length > 0 && text.bytes[0] == '-' ? 1 : 0, whole = digits_at(text, index);
    if (whole == 0 || (whole > 1 && text.bytes[index] == '0')) return false;
    index += whole;
    if (index < text.length && text.bytes[index] == '.') {
        const size_t fraction = digits_at(text, index + 1);
        if (fraction == 0) return false;
        index += 1 + fraction;
    }
    if (index < text.length && (text.bytes[index] == 'e' || text.bytes[index] == 'E')) {
        index++;
        if (index < text.length && (text.bytes[index] == '+' || text.bytes[index] == '-')) index++;
        const size_t exponent = digits_at(text, index);
        if (exponent == 0) return false;
        index += exponent;
    }
    return index == text.length;
}

/* Adds the prediction for one row as a JSON line. */
static void predict_answers_add_json(const prediction *p, string *lines, const answered *a) {
    crd_json_writer line = string_json(lines), *j = &line;
    bool decided = a->answer->decision >= 0;
    crd_json_writer_begin(j, '{');
    if (p->kept > 0) {
        crd_json_writer_member_begin(j, "row", '{');
        for (size_t i = 0; i < p->kept; i++) {
            crd_json_writer_key(j, front_name(p, i));
            const crd_text cell = kept_cell(p, a, i);
            if (!p->is_text[i] && is_json_number(cell)) crd_json_writer_word(j, cell);
            else crd_json_writer_text(j, cell);
        }
        crd_json_writer_end(j, '}');
    }
    for (size_t i = 0; i < p->place_count; i++) {
        crd_json_writer_key(j, crd_text_of(p->places[i]));
        if (p->place_is_number[i]) crd_json_writer_word(j, a->place[i]);
        else crd_json_writer_text(j, a->place[i]);
    }
    crd_json_writer_key(j, crd_text_of("prediction"));
    if (decided) {
        crd_json_writer_text(j, p->classes[a->answer->decision]);
    } else {
        crd_json_writer_word(j, crd_text_of("null"));
    }
    crd_json_writer_member_number(j, "probability", decided ? a->probabilities[a->answer->decision] : NAN);
    crd_json_writer_member_begin(j, "posterior", '{');
    for (size_t c = 0; c < p->class_count; c++) {
        crd_json_writer_key(j, p->classes[c]);
        crd_json_writer_number(j, decided ? a->probabilities[c] : NAN);
    }
    crd_json_writer_end(j, '}');
    crd_json_writer_member_number(j, "log_evidence", a->answer->log_evidence);
    crd_json_writer_member_number(j, "unseen", a->answer->unseen);
    if (p->fit != NULL) crd_json_writer_member_number(j, "typicality", a->fit);
    if (p->rule != NULL) write_decision(j, p->rule, a->log_posterior, a->probabilities, a->expected);
    crd_json_writer_end(j, '}');
    crd_json_writer_break_line(j);
}

void answers_add_line(const prediction *p, string *lines, const answered *a) {
    if (p->out.format == FORMAT_CSV) predict_answers_add_csv(p, lines, a);
    else predict_answers_add_json(p, lines, a);
}

static void write_consequences(prediction *p, const answered *a) {
    char buffer[CRD_NUMBER_ROOM];
    if (p->fit != NULL) table_add(p->table, crd_number_round(a->fit, buffer));
    if (p->rule == NULL) return;
    crd_decision decision = CRD_DECISION_INIT;
    crd_rule_decide_probabilities(p->rule, a->log_posterior, a->probabilities, a->expected, &decision);
    bool decided = decision.action >= 0;
    table_add_name(p->table, decided ? p->rule->actions[(size_t)decision.action] : crd_text_of("(none)"));
    if (has_costs(p)) table_add(p->table, decided ? crd_number_round(decision.expected_cost, buffer) : "");
    for (size_t i = 0; p->shows_each_class && has_costs(p) && i < p->rule->action_count; i++) {
        table_add(p->table, decided ? crd_number_round(a->expected[i], buffer) : "");
    }
}

void answers_add_to_table(prediction *p, const answered *a) {
    char buffer[CRD_NUMBER_ROOM];
    bool decided = a->answer->decision >= 0;
    for (size_t i = 0; i < front_count(p); i++) table_add_name(p->table, front_cell(p, a, i));
    table_add_name(p->table, decided ? p->classes[a->answer->decision] : crd_text_of("(all 0)"));
    table_add(p->table, decided ? crd_number_round(a->probabilities[a->answer->decision], buffer) : "");
    for (size_t c = 0; p->shows_each_class && c < p->class_count; c++) {
        table_add(p->table, decided ? crd_number_round(a->probabilities[c], buffer) : "");
    }
    if (p->is_of_items)
        table_add(p->table, isfinite(a->answer->log_evidence) ? crd_number_round(a->answer->log_evidence, buffer) : "");
    table_format(p->table, "%lu", (unsigned long)a->answer->unseen);
    write_consequences(p, a);
    answers_flush_table(p, p->rows);
}

void answers_flush_table(prediction *p, uint64_t row) {
    if (row % ROWS_LAID_OUT != 0) return;
    if (p->is_kept) table_write_cells(p->table, p->out.stream);
    else table_flush(p->table, p->out.stream);
}

void answers_write(prediction *p) {
    output_write(p->numbered != NULL ? p->numbered : &p->out, p->lines.bytes, p->lines.length);
    string_clear(&p->lines);
}

bool answers_are_broken(const prediction *p) {
    return output_broken(&p->out) || (p->numbered != NULL && output_broken(p->numbered));
}

void answers_count(prediction *p, const answered *a) {
    const crd_answer *answer = a->answer;
    p->rows++;
    p->poor_fits += a->fit < RULE_POOR_FIT;
    p->unseen_cells += answer->unseen;
    p->rows_with_unseen += answer->unseen > 0;
    p->undecided += answer->decision < 0;
}

int answers_close(prediction *p, int ended) {
    char buffer[ROWS_ROOM];
    if (p->is_kept && p->table != NULL && ended == ENDED_WELL) table_write_cells(p->table, p->out.stream);
    /* Predictions made before a failure are still written. */
    if (p->out.stream != NULL) answers_write(p);
    if (p->group != NULL) ended = processes_collect(p, ended);
    if (p->table != NULL) {
        if (ended == ENDED_WELL && !p->is_kept) table_flush(p->table, p->out.stream);
        table_destroy(p->table);
    }
    string_free(&p->lines);
    for (size_t c = 0; p->class_cells != NULL && c < p->class_count; c++) {
        string_free(&p->class_cells[c]);
    }
    free(p->class_cells);
    ended = output_close(&p->out, ended);
    string_free(&p->own_path); /* the output refers to this name until it is closed */
    if (ended != ENDED_WELL) return ended;
    if (p->unseen_cells > 0) {
        /* In a sequence model, unseen words still have a probability. */
        message_note("%s %llu %s %s, in %s", p->place_count > 0 || p->is_of_items ? "found" : "ignored",
                     (unsigned long long)p->unseen_cells,
                     network_model_unseen_items(p->classifier, p->unseen_cells == 1), p->unseen_words,
                     output_rows(p->rows_with_unseen, buffer));
    }
    if (p->undecided > 0 && !p->is_of_items) {
        message_note("%s without a prediction: every class has probability 0 (%s)", output_rows(p->undecided, buffer),
                     term_text_zero_reason(crd_classifier_settings(p->classifier)));
    }
    if (p->poor_fits > 0) {
        message_note("%llu of %s %s a typicality below %g, expected for 1 in 100 rows drawn from the model",
                     (unsigned long long)p->poor_fits, output_rows(p->rows, buffer), p->poor_fits == 1 ? "has" : "have",
                     RULE_POOR_FIT);
    }
    return ENDED_WELL;
}
