/* sample.c - new rows, drawn from a model. */
#include "given.h"
#include "json.h"
#include "model_or_table.h"
#include "output.h"
#include "report.h"
#include "table.h"
#include "verb.h"

#include <stdlib.h>

enum { USUAL_ROWS = 10, USUAL_SEED = 1 };
/* A table is laid out by this many rows at a time. */
enum { ROWS_LAID_OUT = 1000 };

/* Where rows go. */
typedef struct writing {
    const crd_sampler *sampler;
    output out;
    json json;
    table *table;
} writing;

static void write_csv(writing *w, const crd_value *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0) fputc(',', w->out.stream);
        if (values[i].kind == CRD_KIND_NUMBER) output_csv_number(&w->out, values[i].number);
        else if (values[i].kind == CRD_KIND_CATEGORY) output_csv_text(&w->out, values[i].text);
    }
    fputc('\n', w->out.stream);
}

static void write_json(writing *w, const crd_value *values, size_t count) {
    json_object(&w->json);
    for (size_t i = 0; i < count; i++) {
        json_key_text(&w->json, crd_sampler_column_name(w->sampler, i));
        switch (values[i].kind) {
        case CRD_KIND_NUMBER: json_number(&w->json, values[i].number); break;
        case CRD_KIND_CATEGORY: json_text(&w->json, values[i].text); break;
        case CRD_KIND_NONE: json_null(&w->json); break;
        }
    }
    json_end_object(&w->json);
    json_end_line(&w->json);
}

static void add_to_table(writing *w, const crd_value *values, size_t count, uint64_t row) {
    char room[ROUNDED_ROOM];
    for (size_t i = 0; i < count; i++) {
        if (values[i].kind == CRD_KIND_NUMBER) table_add(w->table, output_round(values[i].number, room));
        else table_add_name(w->table, values[i].kind == CRD_KIND_NONE ? crd_text_of("") : values[i].text);
    }
    if (row % ROWS_LAID_OUT == ROWS_LAID_OUT - 1) table_flush(w->table, w->out.stream);
}

static void write_opening(writing *w, size_t count) {
    if (w->out.format == FORMAT_CSV) {
        for (size_t i = 0; i < count; i++) {
            if (i > 0) fputc(',', w->out.stream);
            output_csv_text(&w->out, crd_sampler_column_name(w->sampler, i));
        }
        fputc('\n', w->out.stream);
    } else if (w->out.format == FORMAT_JSON) {
        w->json = json_begin(w->out.stream, false);
    } else {
        w->table = table_create_for(&w->out, count);
        for (size_t i = 0; i < count; i++) {
            if (crd_sampler_column_kind(w->sampler, i) != CRD_KIND_NUMBER) table_align_left(w->table, i);
            table_add_name(w->table, crd_sampler_column_name(w->sampler, i));
        }
    }
}

static int write_rows(const invocation *call, const crd_sampler *sampler, uint64_t rows) {
    writing w = {.sampler = sampler};
    size_t count = crd_sampler_column_count(sampler);
    int ended = output_open(call, &w.out);
    if (ended != ENDED_WELL) return ended;
    ended = output_choose_format(call, &w.out, FORMATS_OF_ROWS, w.out.to_terminal ? FORMAT_TABLE : FORMAT_CSV);
    if (ended != ENDED_WELL) return output_close(&w.out, ended);
    crd_value *values = memory_resize(NULL, count, sizeof *values);
    write_opening(&w, count);
    for (uint64_t row = 0; row < rows && !output_broken(&w.out) && ended == ENDED_WELL; row++) {
        if (invocation_interrupted()) {
            report_failed("interrupted");
            ended = invocation_interrupted_exit();
            break;
        }
        crd_sampler_draw(sampler, row, values);
        switch (w.out.format) {
        case FORMAT_CSV: write_csv(&w, values, count); break;
        case FORMAT_JSON: write_json(&w, values, count); break;
        case FORMAT_TABLE:
        case FORMAT_MARKDOWN: add_to_table(&w, values, count, row); break;
        }
    }
    if (w.table != NULL && ended == ENDED_WELL) table_flush(w.table, w.out.stream);
    table_destroy(w.table);
    free(values);
    return output_close(&w.out, ended);
}

static int draw(const invocation *call, const crd_model *model, const crd_settings *settings) {
    crd_error error;
    crd_query *query = NULL;
    crd_sampler *sampler = NULL;
    given k = {0};
    uint64_t rows = USUAL_ROWS, seed = USUAL_SEED;
    int ended = arguments_whole(&call->arguments, "rows", &rows);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "seed", &seed);
    if (ended != ENDED_WELL) return ended;
    if (crd_query_create(model, settings, &query, &error) != CRD_OK) {
        return report_error_in(&error, call->arguments.operands[0]);
    }
    ended = given_read_columns(call, model, query, &k);
    if (ended == ENDED_WELL && crd_sampler_create(model, settings, k.values, seed, &sampler, &error) != CRD_OK) {
        ended = report_error_in(&error, call->arguments.operands[0]);
        given_hint_at_class(&k, query);
    }
    if (ended == ENDED_WELL) ended = write_rows(call, sampler, rows);
    crd_sampler_destroy(sampler);
    given_free(&k);
    crd_query_destroy(query);
    return ended;
}

static int run(invocation *call) {
    const arguments *words_given = &call->arguments;
    crd_model *model = NULL;
    crd_settings *settings = NULL;
    crd_error error;
    if (words_given->operand_count != 1) return report_usage("sample needs one MODEL");
    int ended = output_check_inputs(call, words_given->operands, 1);
    if (ended == ENDED_WELL) ended = model_or_table_open(call, words_given->operands[0], &model);
    if (ended == ENDED_WELL && crd_settings_clone(crd_model_settings(model), &settings, &error) != CRD_OK) {
        ended = report_error(&error);
    }
    if (ended == ENDED_WELL) ended = arguments_apply_settings(words_given, settings);
    if (ended == ENDED_WELL) ended = draw(call, model, settings);
    crd_settings_destroy(settings);
    crd_model_destroy(model);
    return ended;
}

static const option options[] = {{"rows", 0, "N", "how many to draw (10)"},
                                 {"seed", 0, "S", "a whole number: the same seed draws the same rows (1)"},
                                 {"given", 0, "COL=VALUE,...", "columns that are fixed: the class, or any attributes"},
                                 OPTION_FORMAT,
                                 OPTION_OUTPUT,
                                 OPTIONS_OF_TABLE,
                                 OPTIONS_OF_READING,
                                 OPTIONS_END};

const verb verb_sample = {
    .name = "sample",
    .usage = "sample MODEL [--rows N] [--given COL=VALUE,...]",
    .summary = "Draws new rows from a model",
    .about =
        "A class by its probability, then each attribute by its table or density under that class, all under the\n"
        "settings in force. Where attributes are given, the class is drawn from its probability given them. Row 7 of\n"
        "a seed is the same however many rows are drawn. A table on a terminal, csv elsewhere; json is an object a\n"
        "line. No cell is missing, but in columns of which the model has seen none.\n",
    .example = "  credence example tennis > days.csv\n"
               "  credence sample days.csv --target Play --given Play=Yes --rows 5\n",
    .options = options,
    .takes_settings = true,
    .run = run};
