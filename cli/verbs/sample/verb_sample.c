/* SPDX-License-Identifier: MIT */
/* verb_sample.c - the verb sample: draws new rows from a model. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/verb.h"
#include "describe/network_text.h"
#include "source/given.h"
#include "source/input_file.h"
#include "source/model_operand.h"
#include "source/option_scope.h"
#include "verbs/sample/sample_network.h"
#include "verbs/sample/sample_rows.h"
#include "verbs/sample/sample_sequence.h"

#include <stdlib.h>

/* The source of rows, and the texts of the last row. */
typedef struct sample_draw {
    crd_context *context;
    const crd_model *model;
    const crd_sampler *sampler;
    char **texts; /* the text of each column; NULL: the column is not a text */
    size_t count;
} sample_draw;

static void sample_free_texts(sample_draw *d) {
    for (size_t i = 0; i < d->count; i++) {
        crd_free(d->context, d->texts[i]);
        d->texts[i] = NULL;
    }
}

static int sample_draw_row(void *user, uint64_t row, crd_value *values) {
    sample_draw *d = user;
    crd_error error;
    sample_free_texts(d);
    crd_sampler_draw(d->sampler, row, values);
    for (size_t i = 0; i < d->count; i++) {
        if (values[i].type != CRD_TYPE_TEXT || values[i].text.bytes != NULL) continue;
        if (crd_sampler_text(d->sampler, row, i, &d->texts[i], &values[i].text.length, &error) != CRD_OK)
            return message_error(&error);
        values[i].text.bytes = d->texts[i];
    }
    return ENDED_WELL;
}

static size_t sample_format_number(void *user, size_t column, double number, char buffer[CRD_CELL_ROOM]) {
    const sample_draw *d = user;
    return crd_model_format_number(d->model, crd_sampler_column_name(d->sampler, column), number, buffer);
}

/* Draws the rows of the sampler and writes them. */
static int sample_write_rows(const invocation *call, const crd_model *model, const crd_sampler *sampler,
                             uint64_t rows) {
    size_t count = crd_sampler_column_count(sampler);
    sample_draw d = {.context = call->context, .model = model, .sampler = sampler, .count = count};
    row_drawer drawer = {.count = count, .source = &d, .draw = sample_draw_row, .format = sample_format_number};
    d.texts = memory_resize(NULL, count, sizeof *d.texts);
    drawer.names = memory_resize(NULL, count, sizeof *drawer.names);
    drawer.is_category = memory_resize(NULL, count, sizeof *drawer.is_category);
    for (size_t i = 0; i < count; i++) {
        d.texts[i] = NULL;
        drawer.names[i] = crd_sampler_column_name(sampler, i);
        drawer.is_category[i] = crd_sampler_column_type(sampler, i) != CRD_TYPE_NUMERIC;
    }
    int ended = sample_rows(call, &drawer, rows);
    sample_free_texts(&d);
    free(d.texts);
    free(drawer.names);
    free(drawer.is_category);
    return ended;
}

/* Creates the sampler with the evidence of --given, and writes the rows. */
static int sample_draw_rows(const invocation *call, const crd_model *model, const crd_settings *settings) {
    crd_error error;
    crd_query *query = NULL;
    crd_sampler *sampler = NULL;
    given k = {0};
    uint64_t rows = USUAL_ROWS, seed = USUAL_SEED;
    int ended = arguments_whole(&call->arguments, "rows", &rows);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "seed", &seed);
    if (ended != ENDED_WELL) return ended;
    if (crd_query_create(model, settings, &query, &error) != CRD_OK) {
        return message_error_in(&error, call->arguments.operands[0]);
    }
    ended = given_read_columns(call, model, query, &k);
    if (ended == ENDED_WELL && crd_sampler_create(model, settings, k.values, seed, &sampler, &error) != CRD_OK) {
        ended = message_error_in(&error, call->arguments.operands[0]);
        given_hint_at_class(&k, query);
    }
    if (ended == ENDED_WELL) ended = sample_write_rows(call, model, sampler, rows);
    crd_sampler_destroy(sampler);
    given_free(&k);
    crd_query_destroy(query);
    return ended;
}

/* Draws from a model: rows, sequences, or the rows of its network. */
static int sample_model(const invocation *call) {
    const arguments *words_given = &call->arguments;
    crd_model *model = NULL;
    crd_settings *settings = NULL;
    crd_error error;
    invocation counting = *call;
    counting.counts_whole_numbers = true;
    int ended = option_scope_check_others(call);
    if (ended == ENDED_WELL) ended = model_operand_open(&counting, words_given->operands[0], &model);
    if (ended == ENDED_WELL && crd_settings_clone(crd_model_settings(model), &settings, &error) != CRD_OK) {
        ended = message_error(&error);
    }
    if (ended == ENDED_WELL) ended = arguments_apply_settings(words_given, settings);
    if (ended == ENDED_WELL)
        ended = crd_model_is_sequence(model) ? sample_sequence(call, model, settings)
                                             : sample_draw_rows(call, model, settings);
    crd_settings_destroy(settings);
    crd_model_destroy(model);
    return ended;
}

static int sample_run(invocation *call) {
    crd_network *network = NULL;
    crd_file_kind kind = CRD_FILE_ROWS;
    int ended = input_file_detect(call, call->arguments.operands[0], &kind);
    if (ended == ENDED_WELL && kind == CRD_FILE_NETWORK) ended = option_scope_check_network(call, true);
    if (ended == ENDED_WELL) ended = model_operand_open_network(call, call->arguments.operands[0], &network, NULL);
    if (ended == ENDED_WELL) ended = network != NULL ? sample_network(call, network) : sample_model(call);
    crd_network_destroy(network);
    return ended;
}

static const option options[] = {
    {"rows", 0, "N", .help = "number of rows (10); for sequences, rows per sequence", .is_once = true},
    {"sequences", 0, "N", .help = "number of sequences (1; 10 if the model has end probabilities)",
     .scope = SCOPE_SEQUENCES, .is_once = true},
    {"seed", 0, "S", .help = "random seed; equal seeds draw equal rows (1)", .is_once = true},
    {"given", 0, "COL=VALUE,...", .help = "evidence: the class, or any attributes", .scope = SCOPE_NOT_SEQUENCES},
    OPTION_DO,
    OPTION_LIKELIHOOD,
    OPTION_MEMORY,
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTIONS_OF_SEQUENCES,
    OPTION_TABLE_TARGET,
    OPTIONS_OF_COLUMNS,
    OPTIONS_OF_READING,
    OPTIONS_END};

const verb verb_sample = {
    .name = "sample",
    .usage = "sample MODEL [--rows N] [--given COL=VALUE,...]",
    .summary = "Sample new rows from a model",
    .about =
        "The class is drawn from its prior, then each attribute from its table or density given the class, under the "
        "current settings. If attributes are given, the class is drawn from its posterior. Row 7 of a seed does not "
        "depend on the number of rows. In a table, columns with at most 20 distinct integers are drawn from the values "
        "that occur, unless --numeric or --family names a density.\n\n"
        "The output is a table on a terminal and csv in a pipe; json is one object per line. Values are missing only "
        "in columns for which the model has seen no values. In a network each node is drawn given its parents. With "
        "evidence, its ancestors are drawn jointly from their exact posterior, so no draw is rejected.\n\n"
        "For a hidden Markov model, --sequences gives the number of sequences. The states are drawn in order, and an "
        "observation for each. A sequence has --rows steps. If the model has end probabilities (--end-probabilities "
        "yes) and "
        "you omit --rows, the model determines the end. The table has an id for each sequence, and times if the model "
        "uses times.",
    .example = "  credence example tennis > days.csv\n"
               "  credence sample days.csv --target Play --given Play=Yes --rows 5\n"
               "  credence example burglary > burglary.bif\n"
               "  credence sample burglary.bif --given Alarm=True --rows 5\n",
    .essentials = "rows|seed|given|format|output|target",
    .options = options,
    .setting_groups = SETTING_GROUPS,
    .takes_sequences = true,
    .least = 1,
    .most = 1,
    .operands = "one MODEL",
    .reads_operands = true,
    .run = sample_run};
