/* SPDX-License-Identifier: MIT */
/* query_sequence.c - see query_sequence.h.
 *
 * The options select the query, which is answered for each sequence:
 *
 *   (none)                         one line: number of items, log probability, log probability per item
 *   --of LABEL --at N,...          posterior of all states at these steps; steps count from 1, or last
 *   --of LABEL=STATE --at N,...    posterior of one state
 *   --path A,?,B [--at N]          posterior of consecutive states from a step on; ? matches any state
 *   --forecast H                   states and observations 1 .. H steps after the end */
#include "verbs/query/query_sequence.h"

#include "core/error_messages.h"
#include "core/lists.h"
#include "core/messages.h"
#include "core/row_stream.h"
#include "source/model_operand.h"
#include "source/option_scope.h"
#include "source/sequence_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The probability outside a forecast interval, on either side. */
static const double TAIL = 0.025;

typedef enum question { ASK_SEQUENCE, ASK_STATES, ASK_PATH, ASK_FORECAST } question;

typedef struct sequence_questions {
    const invocation *call;
    const crd_model *model;
    crd_hmm *hmm;
    question question;
    uint64_t *steps; /* from --at, counted from 1; 0: the last step */
    size_t step_count;
    size_t state; /* from --of LABEL=STATE; SIZE_MAX: all states */
    size_t *path; /* from --path; SIZE_MAX: any state */
    size_t path_length;
    uint64_t horizon;
    crd_sequence_options where; /* how the files are split into sequences */
    crd_query *observations;    /* the emission distributions, for forecasts */
    row_stream out;
    crd_text *names; /* of the output columns */
    size_t name_count;
    string *string; /* owns column names that are not in the data */
    size_t made_count;
    unsigned threads;
    crd_sequence_query *query; /* for the current batch */
    uint64_t number;           /* of the current sequence, from 1 */
    uint64_t skipped;          /* sequences that lack the queried step */
    string first_skipped;      /* description of the first skipped sequence */
} sequence_questions;

/* ---- The command line ---- */

/* Finds a state by its name. Reports an error with the list of states if the name is unknown. */
static int query_sequence_find_state(const sequence_questions *q, const char *asked_by, crd_text name, size_t *out) {
    string shown = {0};
    for (size_t k = 0; k < crd_hmm_state_count(q->hmm); k++)
        if (crd_text_equal(crd_hmm_state(q->hmm, k), name)) {
            *out = k;
            return ENDED_WELL;
        }
    string_add_shown(&shown, name);
    message_failed("--%s: unknown state '%s'", asked_by, string_text(&shown));
    string_clear(&shown);
    for (size_t k = 0; k < crd_hmm_state_count(q->hmm); k++) string_add_listed(&shown, k, crd_hmm_state(q->hmm, k));
    message_hint("the states are %s", string_text(&shown));
    string_free(&shown);
    return ENDED_FAILED;
}

/* Reads --at N,last. */
static int read_steps(sequence_questions *q) {
    const char *text = arguments_value(&q->call->arguments, "at");
    list items;
    if (text == NULL) return ENDED_WELL;
    if (!list_split(text, &items)) return message_usage("--at: a quote is not closed");
    int ended = ENDED_WELL;
    q->steps = memory_resize(NULL, items.count, sizeof *q->steps);
    for (size_t i = 0; i < items.count && ended == ENDED_WELL; i++) {
        double number = 0;
        bool is_last = crd_text_equal(items.items[i], crd_text_of("last"));
        bool is_step = crd_number_parse(items.items[i], &number) == CRD_NUMBER_FINITE && number >= 1 &&
                       number == floor(number) && number <= 0x1p53;
        if (!is_last && !is_step)
            ended = message_usage("--at expects steps of a sequence, from 1, or last, not '%.*s'",
                                  (int)items.items[i].length, items.items[i].bytes);
        else q->steps[q->step_count++] = is_last ? 0 : (uint64_t)number;
    }
    list_free(&items);
    return ended;
}

/* Reads --of LABEL or LABEL=STATE. Models with hidden states call the column state. */
static int query_sequence_read(sequence_questions *q) {
    const char *text = arguments_value(&q->call->arguments, "of"), *equals = strchr(text, '=');
    crd_text target = crd_hmm_facts_of(q->hmm)->is_hidden ? crd_text_of("state") : crd_model_target(q->model);
    crd_text column = {text, equals == NULL ? strlen(text) : (size_t)(equals - text)};
    q->question = ASK_STATES;
    q->state = SIZE_MAX;
    if (!crd_text_equal(column, target)) {
        string shown = {0};
        string_add_shown(&shown, target);
        message_usage("--of: a sequence model supports only queries about %s", string_text(&shown));
        message_hint("--of %s prints all states, --of %s=STATE one of them", string_text(&shown), string_text(&shown));
        string_free(&shown);
        return ENDED_USAGE;
    }
    if (q->step_count == 0) return message_usage("--of needs --at: the queried step");
    return equals == NULL ? ENDED_WELL : query_sequence_find_state(q, "of", crd_text_of(equals + 1), &q->state);
}

/* Reads --path A,?,B. A state with the name ? must be quoted. */
static int read_path(sequence_questions *q) {
    list items;
    q->question = ASK_PATH;
    if (!list_split(arguments_value(&q->call->arguments, "path"), &items) || items.count == 0) {
        list_free(&items);
        return message_usage("--path expects consecutive states: --path A,B,?");
    }
    int ended = q->step_count > 1 ? message_usage("--path begins at one step") : ENDED_WELL;
    q->path = memory_resize(NULL, items.count, sizeof *q->path);
    q->path_length = items.count;
    for (size_t i = 0; i < items.count && ended == ENDED_WELL; i++) {
        q->path[i] = SIZE_MAX;
        if (items.is_quoted[i] || !crd_text_equal(items.items[i], crd_text_of("?")))
            ended = query_sequence_find_state(q, "path", items.items[i], &q->path[i]);
    }
    list_free(&items);
    return ended;
}

/* Chooses the kind of query by the options, and reads its values. */
static int read_question(sequence_questions *q) {
    const arguments *words = &q->call->arguments;
    crd_error error;
    int ended = read_steps(q);
    if (ended != ENDED_WELL) return ended;
    if (arguments_have(words, "of")) return query_sequence_read(q);
    if (arguments_have(words, "path")) return read_path(q);
    if (arguments_have(words, "at")) return message_usage("--at needs --of or --path");
    if (!arguments_have(words, "forecast")) return ENDED_WELL;
    q->question = ASK_FORECAST;
    ended = arguments_whole(words, "forecast", &q->horizon);
    if (ended == ENDED_WELL && (q->horizon == 0 || q->horizon > 1000000))
        return message_usage("--forecast expects a number of steps, from 1 to a million");
    if (ended == ENDED_WELL &&
        crd_hmm_observation_query(q->model, crd_hmm_facts_of(q->hmm)->settings, &q->observations, &error) != CRD_OK)
        return message_error(&error);
    return ended;
}

/* ---- Columns ---- */

static void query_sequence_add_name(sequence_questions *q, crd_text name) {
    q->names = memory_resize(q->names, q->name_count + 1, sizeof *q->names);
    q->names[q->name_count++] = name;
}

/* Adds a column name with a prefix or suffix, such as "P(rain)" or "temperature_low". */
static void add_made_name(sequence_questions *q, const char *before, crd_text name, const char *after) {
    string text = {0};
    string_format(&text, "%s", before);
    string_add(&text, name.bytes, name.length);
    string_format(&text, "%s", after);
    q->string = memory_resize(q->string, q->made_count + 1, sizeof *q->string);
    q->string[q->made_count++] = text;
    query_sequence_add_name(q, (crd_text){text.bytes, text.length});
}

static void add_state_names(sequence_questions *q) {
    for (size_t k = 0; k < crd_hmm_state_count(q->hmm); k++) add_made_name(q, "P(", crd_hmm_state(q->hmm, k), ")");
}

/* Adds the columns of a forecast: for each observed column the prediction, and its interval or probability. */
static void add_forecast_names(sequence_questions *q) {
    for (size_t i = 0; i < crd_query_column_count(q->observations); i++) {
        crd_text name = crd_query_column_name(q->observations, i);
        crd_column_type type = crd_query_column_type(q->observations, i);
        if (i == crd_query_target(q->observations) || type == CRD_TYPE_NONE) continue;
        query_sequence_add_name(q, name);
        add_made_name(q, "", name, type == CRD_TYPE_NUMERIC ? "_sd" : "_probability");
        if (type != CRD_TYPE_NUMERIC) continue;
        add_made_name(q, "", name, "_low");
        add_made_name(q, "", name, "_high");
    }
}

/* Opens the output with the columns of the query. */
static int open_output(sequence_questions *q) {
    int ended = row_stream_open(q->call, &q->out);
    if (ended != ENDED_WELL) return ended;
    query_sequence_add_name(q, crd_text_of("sequence"));
    switch (q->question) {
    case ASK_SEQUENCE:
        query_sequence_add_name(q, crd_text_of("items"));
        query_sequence_add_name(q, crd_text_of("log_probability"));
        query_sequence_add_name(q, crd_text_of("per_item"));
        break;
    case ASK_STATES:
        query_sequence_add_name(q, crd_text_of("step"));
        if (q->state == SIZE_MAX) add_state_names(q);
        else query_sequence_add_name(q, crd_text_of("probability"));
        break;
    case ASK_PATH:
        query_sequence_add_name(q, crd_text_of("step"));
        query_sequence_add_name(q, crd_text_of("probability"));
        query_sequence_add_name(q, crd_text_of("log_joint"));
        break;
    case ASK_FORECAST:
        query_sequence_add_name(q, crd_text_of("ahead"));
        if (q->where.step > 0) query_sequence_add_name(q, q->where.time);
        add_state_names(q);
        add_forecast_names(q);
        break;
    }
    bool *left = memory_resize(NULL, q->name_count, sizeof *left);
    for (size_t i = 0; i < q->name_count; i++) left[i] = i == 0;
    row_stream_begin(&q->out, q->names, left, q->name_count);
    free(left);
    return ENDED_WELL;
}

static void write_id(sequence_questions *q, const crd_sequences *batch, size_t sequence) {
    crd_text id = crd_sequences_id(batch, sequence);
    if (id.length > 0) row_stream_text(&q->out, id);
    else row_stream_count(&q->out, (double)q->number);
}

static void write_probability(sequence_questions *q, double probability) {
    if (isnan(probability)) row_stream_missing(&q->out);
    else row_stream_number(&q->out, probability);
}

/* ---- Answers ---- */

static crd_status answer_sequence(sequence_questions *q, const crd_sequences *batch, size_t sequence,
                                  double log_likelihood, crd_error *error) {
    uint64_t items = 0;
    const crd_status status = crd_sequences_rows_of(batch, sequence, &items, error);
    if (status != CRD_OK) return status;
    write_id(q, batch, sequence);
    row_stream_count(&q->out, (double)items);
    row_stream_number(&q->out, log_likelihood);
    write_probability(q, items == 0 ? NAN : log_likelihood / (double)items);
    return CRD_OK;
}

/* Computes the posterior probability of states at steps, given the observations. Sets *probability to NaN if the
 * observations are impossible. */
static crd_status query_sequence_probability(sequence_questions *q, size_t sequence, const crd_state_at *states,
                                             size_t count, double *probability, double *log_joint, crd_error *error) {
    double log_likelihood = 0;
    crd_status status = crd_sequence_query_joint(q->query, sequence, states, count, &log_likelihood, log_joint, error);
    if (status != CRD_OK) return status;
    *probability = isinf(log_likelihood) ? NAN : crd_exp(fmin(*log_joint - log_likelihood, 0));
    return CRD_OK;
}

/* Counts a sequence that lacks the queried step. The first one is described in a note. */
static void query_sequence_skip(sequence_questions *q, const crd_sequences *batch, size_t sequence, uint64_t step) {
    const unsigned long long length = crd_sequences_length(batch, sequence);
    crd_text id = crd_sequences_id(batch, sequence);
    if (q->skipped++ > 0) return;
    string_format(&q->first_skipped, "sequence ");
    if (id.length > 0) string_add_shown(&q->first_skipped, id);
    else string_format(&q->first_skipped, "%llu", (unsigned long long)q->number);
    string_format(&q->first_skipped, " has %llu step%s, and no step %llu", length, length == 1 ? "" : "s",
                  (unsigned long long)step);
}

/* Writes the posteriors of the states at each queried step of a sequence. */
static crd_status answer_states(sequence_questions *q, const crd_sequences *batch, size_t sequence, crd_error *error) {
    uint64_t length = crd_sequences_length(batch, sequence);
    crd_status status = CRD_OK;
    for (size_t i = 0; i < q->step_count && status == CRD_OK; i++) {
        uint64_t step = q->steps[i] == 0 ? length : q->steps[i];
        size_t first = q->state == SIZE_MAX ? 0 : q->state;
        size_t limit = q->state == SIZE_MAX ? crd_hmm_state_count(q->hmm) : q->state + 1;
        if (step == 0 || step > length) {
            query_sequence_skip(q, batch, sequence, step == 0 ? 1 : step);
            continue;
        }
        write_id(q, batch, sequence);
        row_stream_count(&q->out, (double)step);
        for (size_t k = first; k < limit && status == CRD_OK; k++) {
            double probability = NAN, log_joint;
            const crd_state_at current_state = {step - 1, k};
            status = query_sequence_probability(q, sequence, &current_state, 1, &probability, &log_joint, error);
            if (status == CRD_OK) write_probability(q, probability);
        }
    }
    return status;
}

/* Writes the posterior probability of the states of --path in a sequence. */
static crd_status answer_path(sequence_questions *q, const crd_sequences *batch, size_t sequence, crd_error *error) {
    uint64_t length = crd_sequences_length(batch, sequence);
    uint64_t first = q->step_count == 0 ? 1 : q->steps[0] == 0 ? length : q->steps[0];
    double probability = NAN, log_joint = NAN;
    size_t count = 0;
    if (first == 0 || first > length || q->path_length > length - first + 1) {
        query_sequence_skip(q, batch, sequence, first == 0 ? q->path_length : first + q->path_length - 1);
        return CRD_OK;
    }
    crd_state_at *states = memory_resize(NULL, q->path_length, sizeof *states);
    for (size_t i = 0; i < q->path_length; i++)
        if (q->path[i] != SIZE_MAX) states[count++] = (crd_state_at){first - 1 + i, q->path[i]};
    crd_status status = query_sequence_probability(q, sequence, states, count, &probability, &log_joint, error);
    free(states);
    if (status != CRD_OK) return status;
    write_id(q, batch, sequence);
    row_stream_count(&q->out, (double)first);
    write_probability(q, probability);
    row_stream_number(&q->out, log_joint);
    return CRD_OK;
}

/* ---- Forecasts ---- */

/* Writes the forecast of a numeric column: mean, standard deviation and 95 % interval. */
static crd_status forecast_number(sequence_questions *q, const double *log_classes, size_t column, crd_error *error) {
    double mean = NAN, deviation = NAN, low = NAN, high = NAN;
    crd_status status = crd_query_moments(q->observations, log_classes, column, &mean, &deviation, error);
    if (status == CRD_OK) status = crd_query_quantile(q->observations, log_classes, column, TAIL, &low, error);
    if (status == CRD_OK) status = crd_query_quantile(q->observations, log_classes, column, 1 - TAIL, &high, error);
    bool has_none = status == CRD_ERROR_EMPTY;
    const double values[] = {mean, deviation, low, high};
    for (size_t i = 0; i < 4 && (has_none || status == CRD_OK); i++) write_probability(q, has_none ? NAN : values[i]);
    return has_none ? CRD_OK : status;
}

/* Writes the forecast of a categorical column: its most probable value with the probability. */
static crd_status forecast_category(sequence_questions *q, const double *log_classes, size_t column, crd_error *error) {
    size_t columns = crd_query_column_count(q->observations), best = SIZE_MAX;
    size_t values = crd_query_value_count(q->observations, column);
    double greatest = -INFINITY;
    crd_value *row = memory_resize(NULL, columns, sizeof *row);
    crd_status status = CRD_OK;
    for (size_t i = 0; i < columns; i++) row[i] = (crd_value){CRD_TYPE_NONE, 0, {NULL, 0}};
    for (size_t i = 0; i < values && status == CRD_OK; i++) {
        double log_probability = -INFINITY;
        row[column] = (crd_value){CRD_TYPE_CATEGORICAL, 0, crd_query_value(q->observations, column, i)};
        status = crd_query_log_probability(q->observations, log_classes, row, &log_probability, error);
        if (log_probability > greatest) best = i, greatest = log_probability;
    }
    free(row);
    if (status != CRD_OK) return status;
    if (best == SIZE_MAX) row_stream_missing(&q->out);
    else row_stream_text(&q->out, crd_query_value(q->observations, column, best));
    write_probability(q, best == SIZE_MAX ? NAN : crd_exp(greatest));
    return CRD_OK;
}

/* Writes the forecast of one step: the state probabilities, then every observed column. */
static crd_status forecast_step(sequence_questions *q, const double *states, double *log_classes, crd_error *error) {
    crd_status status = CRD_OK;
    bool is_possible = !isnan(states[0]);
    for (size_t k = 0; k < crd_hmm_state_count(q->hmm); k++) write_probability(q, states[k]);
    if (is_possible) crd_hmm_log_classes(q->hmm, states, log_classes);
    for (size_t i = 0; i < crd_query_column_count(q->observations) && status == CRD_OK; i++) {
        crd_column_type type = crd_query_column_type(q->observations, i);
        if (i == crd_query_target(q->observations) || type == CRD_TYPE_NONE) continue;
        for (int cell = 0; !is_possible && cell < (type == CRD_TYPE_NUMERIC ? 4 : 2); cell++)
            row_stream_missing(&q->out);
        if (is_possible)
            status = (type == CRD_TYPE_NUMERIC ? forecast_number : forecast_category)(q, log_classes, i, error);
    }
    return status;
}

/* Writes the time `ahead` steps after the last item of the sequence. */
static void query_sequence_write_time(sequence_questions *q, const crd_sequences *batch, size_t sequence,
                                      size_t ahead) {
    enum { DAY = 86400 };
    char buffer[CRD_DATE_ROOM];
    double latest;
    int is_date = 0;
    if (!crd_sequences_latest(batch, sequence, &latest, &is_date)) {
        row_stream_missing(&q->out);
        return;
    }
    const double time = latest + (double)ahead * q->where.step;
    const bool has_hours = fmod(latest, DAY) != 0 || fmod(q->where.step, DAY) != 0;
    if (!is_date) row_stream_number(&q->out, time);
    else if (crd_date_format(time, has_hours, buffer) > 0) row_stream_text(&q->out, crd_text_of(buffer));
    else row_stream_missing(&q->out);
}

/* Writes one line per forecast step of a sequence. */
static crd_status answer_forecast(sequence_questions *q, const crd_sequences *batch, size_t sequence,
                                  crd_error *error) {
    size_t states = crd_hmm_state_count(q->hmm), horizon = (size_t)q->horizon;
    double *probabilities = memory_resize(NULL, horizon * states, sizeof *probabilities);
    double *log_classes =
        memory_resize(NULL, crd_classifier_class_count(crd_hmm_facts_of(q->hmm)->emissions), sizeof *log_classes);
    crd_status status = crd_sequence_query_forecast(q->query, sequence, horizon, probabilities, error);
    for (size_t h = 0; h < horizon && status == CRD_OK && row_stream_goes_on(&q->out); h++) {
        write_id(q, batch, sequence);
        row_stream_count(&q->out, (double)h + 1);
        if (q->where.step > 0) query_sequence_write_time(q, batch, sequence, h + 1);
        status = forecast_step(q, probabilities + h * states, log_classes, error);
    }
    free(log_classes);
    free(probabilities);
    return status;
}

/* ---- Sequences ---- */

/* Answers the query for a batch of sequences. */
static crd_status query_sequence_answer_batch(void *user, const crd_sequences *batch, crd_error *error) {
    sequence_questions *q = user;
    size_t count = crd_sequences_count(batch);
    double *logs = memory_resize(NULL, count, sizeof *logs);
    crd_status status = q->question == ASK_SEQUENCE ? crd_hmm_log_likelihoods(q->hmm, batch, q->threads, logs, error)
                                                    : crd_sequence_query_create(q->hmm, batch, &q->query, error);
    for (size_t i = 0; i < count && status == CRD_OK && row_stream_goes_on(&q->out); i++) {
        q->number++;
        switch (q->question) {
        case ASK_SEQUENCE: status = answer_sequence(q, batch, i, logs[i], error); break;
        case ASK_STATES: status = answer_states(q, batch, i, error); break;
        case ASK_PATH: status = answer_path(q, batch, i, error); break;
        case ASK_FORECAST: status = answer_forecast(q, batch, i, error); break;
        }
    }
    crd_sequence_query_destroy(q->query);
    q->query = NULL;
    free(logs);
    return status;
}

static void free_questions(sequence_questions *q) {
    for (size_t i = 0; i < q->made_count; i++) string_free(&q->string[i]);
    free(q->string);
    free(q->names);
    free(q->steps);
    free(q->path);
    string_free(&q->first_skipped);
    crd_query_destroy(q->observations);
    crd_hmm_destroy(q->hmm);
}

/* Reads the sequences of DATA and answers the query for each. */
static int query_sequence_answer_files(sequence_questions *q) {
    const arguments *words = &q->call->arguments;
    sequence_input input;
    int ended = sequence_input_open(q->call, q->model, words->operands + 1, words->operand_count - 1, false, &input);
    if (ended != ENDED_WELL) return ended;
    crd_sequence_reader_source(input.reader, &q->where);
    ended = open_output(q);
    if (ended == ENDED_WELL) ended = sequence_input_take(&input, query_sequence_answer_batch, q);
    ended = row_stream_close(&q->out, ended);
    sequence_input_close(&input);
    if (ended == ENDED_WELL && q->skipped > 0)
        message_note("%s (%llu such in all)", string_text(&q->first_skipped), (unsigned long long)q->skipped);
    return ended;
}

int query_sequence(const invocation *call, const crd_model *model) {
    sequence_questions q = {.call = call, .model = model, .where = CRD_SEQUENCE_OPTIONS_INIT};
    crd_settings *settings = NULL;
    crd_error error;
    if (call->arguments.operand_count < 2) {
        message_usage("a sequence model needs DATA: the sequences to query");
        message_hint("credence query MODEL DATA [--of LABEL --at N | --path A,B | --forecast H]");
        return ENDED_USAGE;
    }
    int ended = option_scope_check_others(call);
    if (ended == ENDED_WELL) ended = model_operand_settings(call, model, &settings);
    if (ended == ENDED_WELL && crd_hmm_create(model, settings, &q.hmm, &error) != CRD_OK)
        ended = message_error_in(&error, call->arguments.operands[0]);
    if (ended == ENDED_WELL) ended = sequence_input_threads(call, &q.threads);
    if (ended == ENDED_WELL) ended = read_question(&q);
    if (ended == ENDED_WELL) ended = query_sequence_answer_files(&q);
    crd_settings_destroy(settings);
    free_questions(&q);
    return ended;
}
