/* SPDX-License-Identifier: MIT */
/* explain_sequence.c - see explain_sequence.h. */
#include "verbs/explain/explain_sequence.h"

#include "core/error_messages.h"
#include "core/lists.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "describe/term_text.h"
#include "source/model_operand.h"
#include "source/option_scope.h"
#include "source/sequence_input.h"
#include "verbs/explain/explain_row.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many states and terms the text report lists without --all. */
enum { STATES_LISTED = 10, TERMS_LISTED = 20 };

typedef struct item_explanation {
    const invocation *call;
    crd_hmm *hmm;
    size_t states, attributes;
    bool all;
    row_choice rows;
    bool between; /* --between determined the pair */
    size_t pair[2];
    output out;
    crd_sequence_query *query; /* for the current batch */
    crd_sequence_cursor *cursor;
    uint64_t before; /* rows in earlier batches */
    double *workspace, *past, *observation, *future, *log_posterior;
    double *terms; /* (attributes + 1) x states; the last line holds joint densities */
    size_t *order; /* states, most probable first */
} item_explanation;

/* ---- The states ---- */

static void rank_states(item_explanation *e) {
    for (size_t k = 0; k < e->states; k++) {
        size_t index = k;
        for (; index > 0 && e->log_posterior[e->order[index - 1]] < e->log_posterior[k]; index--)
            e->order[index] = e->order[index - 1];
        e->order[index] = k;
    }
}

/* Reports for each state the log contributions of past, observation and future, and the posterior. */
static void explain_sequence_report_states(crd_result *r, const item_explanation *e) {
    size_t shown = e->all || e->states <= STATES_LISTED ? e->states : STATES_LISTED;
    crd_result_heading(r, 3, "States",
                       ": log P(state | past) + log P(observation | state) + contribution of the future, normalized");
    crd_result_table *t = crd_result_add_table(r, "states");
    t->is_short = true;
    t->rows_shown = shown;
    crd_result_add_column(t, "state", "state");
    crd_result_add_column(t, "past", "past");
    crd_result_add_column(t, "observation", "observation");
    crd_result_add_column(t, "future", "future");
    crd_result_add_column(t, "log_posterior", NULL);
    crd_result_add_column(t, "posterior", "posterior");
    for (size_t i = 0; i < e->states; i++) {
        size_t k = e->order[i];
        crd_cell_name(t, crd_hmm_state(e->hmm, k));
        crd_cell_number(t, e->past[k]);
        crd_cell_number(t, e->observation[k]);
        crd_cell_number(t, e->future[k]);
        crd_cell_number(t, e->log_posterior[k]);
        crd_cell_number(t, crd_exp(e->log_posterior[k]));
    }
    if (shown < e->states) crd_result_line(r, CRD_REMARK, "and %zu less probable states (--all)", e->states - shown);
}

/* ---- One state compared with another ---- */

typedef struct evidence_term {
    const char *description;
    const char *key; /* "past", "column", "joint" or "future" */
    crd_text column;
    double nats;
} evidence_term;

/* Returns a - b. Returns NaN if both are -INFINITY, and 0 if the difference is within rounding errors. */
static double explain_sequence_difference(double a, double b) {
    static const double UNITS = 8;
    if (a == -INFINITY && b == -INFINITY) return NAN;
    return fabs(a - b) <= UNITS * DBL_EPSILON * fmax(1, fmax(fabs(a), fabs(b))) ? 0 : a - b;
}

static int explain_sequence_by_size(const void *a, const void *b) {
    const evidence_term *x = a, *y = b;
    double first = isfinite(x->nats) ? fabs(x->nats) : INFINITY, second = isfinite(y->nats) ? fabs(y->nats) : INFINITY;
    if (first != second) return first > second ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Returns the name and value of an attribute, such as "rain=3". The report owns the text. */
static const char *name_cell(crd_result *r, const item_explanation *e, const crd_sequences *batch, size_t attribute,
                             bool *is_missing) {
    crd_text name = crd_classifier_attribute(crd_hmm_facts_of(e->hmm)->emissions, attribute);
    string text = {0};
    *is_missing = true;
    string_add_shown(&text, name);
    for (size_t i = 0; i < crd_sequences_column_count(batch); i++) {
        if (!crd_text_equal(crd_sequences_column_name(batch, i), name)) continue;
        crd_value value = crd_sequence_cursor_value(e->cursor, i);
        *is_missing = value.type == CRD_TYPE_NONE;
        string_add_char(&text, '=');
        explain_add_value(&text, &value);
        break;
    }
    return report_take(r, &text);
}

/* Lists the weights of evidence for state a against state b: past, future, columns, joint densities. */
static size_t explain_sequence_list_terms(crd_result *r, const item_explanation *e, const crd_sequences *batch,
                                          size_t a, size_t b, evidence_term *out) {
    size_t count = 0;
    out[count++] = (evidence_term){"past", "past", {NULL, 0}, explain_sequence_difference(e->past[a], e->past[b])};
    out[count++] =
        (evidence_term){"future", "future", {NULL, 0}, explain_sequence_difference(e->future[a], e->future[b])};
    for (size_t i = 0; i <= e->attributes; i++) {
        const double *term = e->terms + i * e->states;
        bool is_rest = i == e->attributes, is_missing = false;
        const char *description = is_rest ? "columns jointly" : name_cell(r, e, batch, i, &is_missing);
        double nats = explain_sequence_difference(term[a], term[b]);
        bool is_elsewhere = !is_rest && crd_classifier_is_joint(crd_hmm_facts_of(e->hmm)->emissions, i);
        if (is_missing || is_elsewhere || (is_rest && fabs(nats) <= 1e-9 * fmax(1, fabs(e->observation[a])))) continue;
        crd_text column =
            is_rest ? (crd_text){NULL, 0} : crd_classifier_attribute(crd_hmm_facts_of(e->hmm)->emissions, i);
        out[count++] = (evidence_term){description, is_rest ? "joint" : "column", column, nats};
    }
    return count;
}

/* Adds a line for a weight: nats, bar and factor. */
static void explain_sequence_add_term(crd_result_table *t, const char *description, double nats, double largest,
                                      bool has_bar) {
    char buffer[CRD_NUMBER_ROOM];
    string factor = {0};
    crd_cell_words(t, description);
    if (isinf(nats)) crd_cell_words(t, nats > 0 ? "+∞" : "-∞");
    else crd_cell_format(t, "%s%s", nats > 0 ? "+" : "", crd_number_round(nats, buffer));
    if (has_bar) crd_cell_bar(t, nats == 0 || !isfinite(nats) ? nats : nats / largest);
    else crd_cell_null(t);
    if (isfinite(nats)) {
        string_format(&factor, "×");
        output_add_exponential(&factor, nats);
        crd_cell_words(t, report_take(t->result, &factor));
    } else {
        crd_cell_words(t, isnan(nats) ? "both at zero" : "a zero decides");
    }
}

/* Reports the weights of evidence for state a against state b. */
static void explain_sequence_report_pair(crd_result *r, const item_explanation *e, const crd_sequences *batch, size_t a,
                                         size_t b) {
    evidence_term *terms = memory_resize(NULL, e->attributes + 3, sizeof *terms);
    size_t count = explain_sequence_list_terms(r, e, batch, a, b, terms), shown = e->all ? count : TERMS_LISTED;
    double largest = 0, remainder = 0, total = explain_sequence_difference(e->log_posterior[a], e->log_posterior[b]);
    for (size_t i = 0; i < count; i++)
        if (isfinite(terms[i].nats)) largest = fmax(largest, fabs(terms[i].nats));
    qsort(terms, count, sizeof *terms, explain_sequence_by_size);
    crd_result_heading(r, 3,
                       crd_result_format(r, "Weight of evidence for %s against %s",
                                         crd_result_show(r, crd_hmm_state(e->hmm, a)),
                                         crd_result_show(r, crd_hmm_state(e->hmm, b))),
                       ", in nats and as a factor");
    crd_result_begin(r, CRD_OBJECT, "weights");
    crd_result_text(r, "for", crd_hmm_state(e->hmm, a));
    crd_result_text(r, "against", crd_hmm_state(e->hmm, b));
    crd_result_begin(r, CRD_ARRAY, "terms");
    for (size_t i = 0; i < count; i++) {
        crd_result_begin(r, CRD_SHORT_OBJECT, NULL);
        crd_result_words(r, "part", terms[i].key);
        if (terms[i].column.bytes != NULL) crd_result_text(r, "column", terms[i].column);
        crd_result_number(r, "nats", terms[i].nats);
        crd_result_end(r);
    }
    crd_result_end(r);
    crd_result_number(r, "log_odds", total);
    crd_result_end(r);
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_headed = false;
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "");
    column_add_bar(t);
    crd_result_add_column(t, NULL, "")->is_left = true;
    for (size_t i = 0; i < count && i < shown; i++)
        explain_sequence_add_term(t, terms[i].description, terms[i].nats, largest, true);
    for (size_t i = shown; i < count; i++) remainder += terms[i].nats;
    if (count > shown)
        explain_sequence_add_term(t, crd_result_format(r, "%zu others", count - shown), remainder, largest, false);
    explain_sequence_add_term(t, "total: log posterior odds", total, largest, false);
    free(terms);
}

/* ---- The path ---- */

/* Reports the state on the most probable path. If it differs from the most probable state, reports by which factor
 * the best
 * path through the most probable state is less probable. */
static crd_status explain_sequence_report_path(crd_result *r, const item_explanation *e, size_t sequence, uint64_t step,
                                               const crd_step_explanation *explanation, crd_error *error) {
    char buffer[CRD_NUMBER_ROOM];
    const crd_state_at other = {step, (size_t)explanation->posterior};
    double log_other = explanation->log_path;
    crd_status status = CRD_OK;
    if (explanation->path != explanation->posterior)
        status = crd_sequence_query_best_path(e->query, sequence, &other, 1, &log_other, NULL, error);
    if (status != CRD_OK) return status;
    crd_result_text(r, "path", crd_hmm_state(e->hmm, (size_t)explanation->path));
    crd_result_number(r, "log_path", explanation->log_path);
    crd_result_number(r, "log_path_with_posterior", log_other);
    crd_result_prose(r, CRD_PARAGRAPH, 0,
                     "Most probable state: ", crd_result_show(r, crd_hmm_state(e->hmm, (size_t)explanation->posterior)),
                     "");
    if (explanation->path == explanation->posterior) {
        crd_result_line(r, CRD_LINE, "The most probable path is in this state, too.");
        return CRD_OK;
    }
    crd_result_line(r, CRD_LINE, "The most probable path is in %s: the best path in %s is %s times less probable.",
                    crd_result_show(r, crd_hmm_state(e->hmm, (size_t)explanation->path)),
                    crd_result_show(r, crd_hmm_state(e->hmm, (size_t)explanation->posterior)),
                    crd_number_round(crd_exp(explanation->log_path - log_other), buffer));
    return CRD_OK;
}

/* ---- Items ---- */

/* Reports the explanation of one item of a sequence. */
static crd_status explain_sequence_report_item(item_explanation *e, crd_result *r, const crd_sequences *batch,
                                               size_t sequence, uint64_t step, crd_error *error) {
    crd_step_explanation explanation = CRD_STEP_EXPLANATION_INIT;
    crd_text id = crd_sequences_id(batch, sequence);
    crd_status status = crd_sequence_query_explain(e->query, sequence, step, e->past, e->observation, e->future,
                                                   e->log_posterior, &explanation, error);
    if (status == CRD_OK) status = crd_sequence_query_terms(e->query, sequence, step, e->terms, error);
    if (status != CRD_OK) return status;
    rank_states(e);
    if (id.length > 0) crd_result_text(r, "sequence", id);
    crd_result_number(r, "step", (double)step + 1);
    crd_result_number(r, "steps", (double)crd_sequences_length(batch, sequence));
    crd_result_number(r, "log_likelihood", explanation.log_likelihood);
    if (explanation.posterior < 0) {
        crd_result_number(r, "prediction", NAN);
        crd_result_line(r, CRD_PARAGRAPH,
                        "Prediction: none, because the observations are impossible on every path of states");
        return CRD_OK;
    }
    crd_result_text(r, "prediction", crd_hmm_state(e->hmm, (size_t)explanation.posterior));
    explain_sequence_report_states(r, e);
    if (e->between) explain_sequence_report_pair(r, e, batch, e->pair[0], e->pair[1]);
    else if (e->states > 1) explain_sequence_report_pair(r, e, batch, e->order[0], e->order[1]);
    return explain_sequence_report_path(r, e, sequence, step, &explanation, error);
}

/* Writes the opening line of the text report: the settings of the model. */
static void explain_sequence_report_opening(item_explanation *e) {
    crd_result *r = report_create(NULL);
    string settings = {0};
    term_text_add_settings(&settings, crd_hmm_facts_of(e->hmm)->settings);
    crd_result_line(r, CRD_LIST_LINE, "Settings: %s", string_text(&settings));
    report_write_line(r, &e->out);
    crd_result_destroy(r);
    string_free(&settings);
}

static void report_place(crd_result *r, const item_explanation *e, const crd_sequences *batch, size_t sequence,
                         uint64_t step, uint64_t row) {
    crd_text id = crd_sequences_id(batch, sequence);
    const char *suffix = id.length > 0 ? crd_result_format(r, " of %s", crd_result_show(r, id)) : "";
    crd_result_prose(r, CRD_HEADING_ABOVE, 2, "", crd_result_format(r, "Row %llu", (unsigned long long)row),
                     crd_result_format(r, " (%s:%llu): step %llu of %llu%s", crd_sequence_cursor_place(e->cursor),
                                       (unsigned long long)crd_sequence_cursor_line(e->cursor),
                                       (unsigned long long)step + 1,
                                       (unsigned long long)crd_sequences_length(batch, sequence), suffix));
}

/* Returns whether to explain an item. */
static bool explain_sequence_is_asked(item_explanation *e, uint64_t row) {
    if (e->rows.only > 0 && row != e->rows.only) return false;
    e->rows.written = row;
    return true;
}

/* Explains the chosen items of a batch. */
static crd_status explain_sequences(item_explanation *e, const crd_sequences *batch, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; i < crd_sequences_count(batch); i++) {
        for (uint64_t step = 0; step < crd_sequences_length(batch, i); step++) {
            status = crd_sequence_cursor_move(e->cursor, i, step, error);
            if (status != CRD_OK) return status;
            if (crd_sequence_cursor_is_inserted(e->cursor)) continue;
            uint64_t row = e->before + crd_sequence_cursor_row(e->cursor) + 1;
            if (row > e->rows.seen) e->rows.seen = row;
            if (!explain_sequence_is_asked(e, row) || output_broken(&e->out)) continue;
            /* With --row, the opening is written only when the row is found, because the row may not exist. */
            if (e->rows.only > 0) explain_sequence_report_opening(e);
            crd_result *r = report_create(NULL);
            report_place(r, e, batch, i, step, row);
            crd_result_begin(r, CRD_OBJECT, NULL);
            status = explain_sequence_report_item(e, r, batch, i, step, error);
            crd_result_end(r);
            if (status == CRD_OK) report_write_line(r, &e->out);
            crd_result_destroy(r);
            if (status != CRD_OK) return status;
        }
    }
    return CRD_OK;
}

static crd_status explain_batch(void *user, const crd_sequences *batch, crd_error *error) {
    item_explanation *e = user;
    if (row_choice_is_done(&e->rows)) return CRD_OK;
    crd_status status = crd_sequence_query_create(e->hmm, batch, &e->query, error);
    if (status == CRD_OK) status = crd_sequence_cursor_create(batch, &e->cursor, error);
    if (status == CRD_OK) status = explain_sequences(e, batch, error);
    e->before = e->rows.seen;
    crd_sequence_cursor_destroy(e->cursor);
    crd_sequence_query_destroy(e->query);
    e->cursor = NULL;
    e->query = NULL;
    return status;
}

/* ---- The verb ---- */

/* Finds a state by its name. Reports an error with the list of states if the name is unknown. */
static int explain_sequence_find_state(const item_explanation *e, crd_text name, size_t *out) {
    string shown = {0};
    for (size_t k = 0; k < e->states; k++)
        if (crd_text_equal(crd_hmm_state(e->hmm, k), name)) {
            *out = k;
            return ENDED_WELL;
        }
    string_add_shown(&shown, name);
    message_failed("--between: unknown state '%s'", string_text(&shown));
    string_clear(&shown);
    for (size_t k = 0; k < e->states; k++) string_add_listed(&shown, k, crd_hmm_state(e->hmm, k));
    message_hint("the states are %s", string_text(&shown));
    string_free(&shown);
    return ENDED_FAILED;
}

static int explain_sequence_read_pair(item_explanation *e) {
    const char *text = arguments_value(&e->call->arguments, "between");
    list names;
    if (text == NULL) return ENDED_WELL;
    bool are_two = list_split(text, &names) && names.count == 2;
    int ended = are_two ? explain_sequence_find_state(e, names.items[0], &e->pair[0])
                        : message_usage("--between needs two states: --between A,B");
    if (are_two && ended == ENDED_WELL) ended = explain_sequence_find_state(e, names.items[1], &e->pair[1]);
    list_free(&names);
    if (ended == ENDED_WELL && e->pair[0] == e->pair[1])
        return message_usage("--between needs two different states, got %s", text);
    e->between = ended == ENDED_WELL;
    return ended;
}

/* Reads the sequences of DATA and explains the chosen items. */
static int explain_sequence_files(item_explanation *e, const crd_model *model) {
    const arguments *words = &e->call->arguments;
    sequence_input input;
    int ended = sequence_input_open(e->call, model, words->operands + 1, words->operand_count - 1, false, &input);
    if (ended != ENDED_WELL) return ended;
    ended = output_open(e->call, &e->out);
    if (ended == ENDED_WELL) {
        ended = output_choose_format(e->call, &e->out, e->rows.only > 0 ? FORMATS : FORMATS_OF_EACH_ROW, FORMAT_TABLE);
        if (ended == ENDED_WELL && e->rows.only == 0) explain_sequence_report_opening(e);
        if (ended == ENDED_WELL) ended = sequence_input_take(&input, explain_batch, e);
        if (ended == ENDED_WELL) ended = row_choice_finish(&e->rows, e->call);
        ended = output_close(&e->out, ended);
    }
    sequence_input_close(&input);
    return ended;
}

/* Rejects options that only explain rows, and a missing DATA operand. */
static int refuse_options(const invocation *call) {
    static const char *const of_rows[] = {"given", "data", "typicality", "cost", "reject", "threshold"};
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++)
        if (arguments_have(&call->arguments, of_rows[i]))
            return message_usage("%s is a sequence model: --%s is for models of rows", call->arguments.operands[0],
                                 of_rows[i]);
    if (call->arguments.operand_count < 2)
        return message_usage("a sequence model needs DATA: the sequences whose items are explained");
    return option_scope_check_others(call);
}

int explain_sequence(const invocation *call, const crd_model *model) {
    item_explanation e = {.call = call, .all = arguments_have(&call->arguments, "all")};
    crd_settings *settings = NULL;
    crd_error error;
    int ended = refuse_options(call);
    if (ended == ENDED_WELL) ended = model_operand_settings(call, model, &settings);
    if (ended == ENDED_WELL && crd_hmm_create(model, settings, &e.hmm, &error) != CRD_OK)
        ended = message_error_in(&error, call->arguments.operands[0]);
    if (ended == ENDED_WELL) {
        e.states = crd_hmm_state_count(e.hmm);
        e.attributes = crd_classifier_attribute_count(crd_hmm_facts_of(e.hmm)->emissions);
        e.workspace = memory_resize(NULL, 4 * e.states, sizeof *e.workspace);
        e.terms = memory_resize(NULL, (e.attributes + 1) * e.states, sizeof *e.terms);
        e.order = memory_resize(NULL, e.states, sizeof *e.order);
        e.past = e.workspace;
        e.observation = e.workspace + e.states;
        e.future = e.workspace + 2 * e.states;
        e.log_posterior = e.workspace + 3 * e.states;
        ended = explain_sequence_read_pair(&e);
    }
    if (ended == ENDED_WELL) ended = row_choice_read(call, &e.rows);
    if (ended == ENDED_WELL) ended = explain_sequence_files(&e, model);
    free(e.workspace);
    free(e.terms);
    free(e.order);
    crd_hmm_destroy(e.hmm);
    crd_settings_destroy(settings);
    return ended;
}
