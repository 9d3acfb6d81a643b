/* SPDX-License-Identifier: MIT */
/* verb_schema.c - what the columns of tables are: looked at, or written down for --schema. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "core/verb.h"
#include "source/data_input.h"

#include <math.h>
#include <stdlib.h>

/* What the cells of a column come to. */
typedef struct column_facts {
    uint64_t missing;
    double least, greatest; /* of numbers; NaN: none yet */
} column_facts;

typedef struct table_facts {
    column_facts *columns; /* of each column of the frames */
    uint64_t rows;
} table_facts;

static void forget_facts(table_facts *facts, size_t columns) {
    facts->rows = 0;
    for (size_t i = 0; i < columns; i++) facts->columns[i] = (column_facts){0, NAN, NAN};
}

static void add_frame(table_facts *facts, const crd_frame *frame) {
    size_t rows = crd_frame_rows(frame);
    facts->rows += rows;
    for (size_t i = 0; i < crd_frame_column_count(frame); i++) {
        column_facts *column = &facts->columns[i];
        for (size_t row = 0; row < rows; row++) {
            crd_value value = crd_frame_value(frame, row, i);
            column->missing += value.kind == CRD_KIND_NONE;
            if (value.kind != CRD_KIND_NUMBER) continue;
            double number = value.number + 0.0; /* -0 becomes 0, so that the order of rows does not show */
            if (!(column->least <= number)) column->least = number;
            if (!(column->greatest >= number)) column->greatest = number;
        }
    }
}

/* Every row, so that kinds and values are those of the whole input. */
static int read_rows(const invocation *call, data *d, table_facts *facts) {
    size_t room = crd_reader_column_count(d->reader);
    crd_error error;
    facts->columns = memory_resize(NULL, room, sizeof *facts->columns);
    forget_facts(facts, room);
    for (;;) {
        const crd_frame *frame = NULL;
        crd_status status = crd_reader_next(d->reader, &frame, &error);
        if (status == CRD_RESTART) {
            forget_facts(facts, room);
            continue;
        }
        if (status != CRD_OK) return message_error_in(&error, call->arguments.operands[0]);
        if (frame == NULL) return ENDED_WELL;
        add_frame(facts, frame);
    }
}

static void add_range(report_table *t, const column_facts *facts) {
    const double ends[] = {facts->least, facts->greatest};
    for (size_t i = 0; i < 2; i++) {
        if (isnan(ends[i])) cell_null(t);
        else cell_number(t, ends[i]);
    }
}

static void report_columns(report *r, const crd_schema *schema, const table_facts *facts) {
    static const char *const kinds[] = {"none yet", "number", "category"};
    static const char *const names[] = {"column", "kind", "values", "missing", "least", "greatest"};
    enum { COLUMNS = sizeof names / sizeof names[0] };
    char rows[ROWS_ROOM];
    report_line(r, "%s", output_rows(facts->rows, rows));
    report_table *t = report_add_table(r, NULL);
    t->is_main = t->is_wrapped = true;
    for (size_t i = 0; i < COLUMNS; i++) column_add(t, names[i], names[i]);
    t->columns[1].is_left = true;
    size_t at = 0; /* ignored columns are not among those of the frames */
    for (size_t i = 0; i < crd_schema_column_count(schema); i++) {
        crd_kind kind = crd_schema_column_kind(schema, i);
        cell_name(t, crd_schema_column_name(schema, i));
        if (crd_schema_is_ignored(schema, i)) {
            cell_words(t, "ignored");
            for (size_t k = 2; k < COLUMNS; k++) cell_null(t);
            continue;
        }
        const column_facts *column = &facts->columns[at++];
        cell_words(t, i == crd_schema_target(schema)   ? "target"
                      : i == crd_schema_weight(schema) ? "weight"
                                                       : kinds[kind]);
        if (kind == CRD_KIND_CATEGORY) cell_count(t, (double)crd_schema_value_count(schema, i));
        else cell_null(t);
        cell_count(t, (double)column->missing);
        add_range(t, column);
    }
}

static int write_schema(const invocation *call, output *out, const crd_schema *schema) {
    char *text = NULL;
    size_t length = 0;
    crd_error error;
    if (crd_schema_encode(schema, &text, &length, &error) != CRD_OK) return message_error(&error);
    output_write(out, text, length);
    crd_free(call->context, text);
    return ENDED_WELL;
}

static int answer(const invocation *call, data *d) {
    table_facts facts = {0};
    crd_schema *schema = NULL;
    crd_error error;
    output out = {0};
    bool to_file = arguments_have(&call->arguments, "output");
    int ended = read_rows(call, d, &facts);
    if (ended == ENDED_WELL) ended = output_open(call, &out);
    if (ended == ENDED_WELL) {
        ended = output_choose_format(call, &out, FORMATS, to_file ? FORMAT_JSON : FORMAT_TABLE);
        bool is_file = out.format == FORMAT_JSON;
        /* The table tells how many values there are, without listing them. */
        bool with_values = !is_file || arguments_have(&call->arguments, "values");
        if (ended == ENDED_WELL && crd_schema_from_reader(d->reader, with_values, &schema, &error) != CRD_OK) {
            ended = message_error(&error);
        }
        if (ended == ENDED_WELL && is_file) ended = write_schema(call, &out, schema);
        else if (ended == ENDED_WELL) {
            report *r = report_create();
            report_columns(r, schema, &facts);
            report_write(r, &out);
            report_destroy(r);
        }
        ended = output_close(&out, ended);
    }
    crd_schema_destroy(schema);
    free(facts.columns);
    return ended;
}

static int run(invocation *call) {
    const arguments *given = &call->arguments;
    data d;
    int ended = data_open(call, given->operands, given->operand_count, false, &d);
    if (ended != ENDED_WELL) return ended;
    ended = data_treat_columns(call, &d);
    if (ended == ENDED_WELL) ended = answer(call, &d);
    data_close(&d);
    return ended;
}

static const option options[] = {{"values", 0, NULL, .help = "write the values of categorical columns too"},
                                 OPTION_OUTPUT,
                                 OPTION_FORMAT,
                                 OPTION_TARGET,
                                 OPTION_WEIGHT,
                                 OPTION_NUMBER,
                                 OPTION_CATEGORY,
                                 OPTION_IGNORE,
                                 OPTIONS_OF_READING,
                                 OPTIONS_END};

const verb verb_schema = {
    .name = "schema",
    .usage = "schema DATA... [--values] [-o SCHEMA]",
    .summary = "Report the kinds of columns, or write them to a schema file",
    .about = "Reads every row, since kinds are determined by the whole input. With -o it writes a small JSON "
             "file: names, kinds, target, weight and texts that mean missing; with --values also the values. "
             "--schema uses it wherever a table is read.\n\n"
             "Columns meet by name, and declared values are known though no row has them. Parts of a table that "
             "are learned with one schema merge into the model of the whole.",
    .example = "  credence example tennis > days.csv\n"
               "  credence schema days.csv --target Play --values -o days.schema\n"
               "  credence train days.csv --schema days.schema -o days.model\n",
    .essentials = "output|values|target|number|category|ignore|format",
    .options = options,
    .least = 1,
    .most = SIZE_MAX,
    .operands = "DATA: a file, several, or -",
    .reads_operands = true,
    .run = run};
