/* SPDX-License-Identifier: MIT */
/* verb_schema.c - the verb schema: describes the columns of a table or a model, by a profile of their values or as a
 * schema file for --schema. */
#include "core/error_messages.h"
#include "core/lists.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "core/verb.h"
#include "source/data_input.h"
#include "source/input_file.h"
#include "source/option_scope.h"
#include "verbs/schema/schema_model.h"
#include "verbs/schema/schema_profile.h"

static int schema_write(const invocation *call, output *out, const crd_schema *schema) {
    char *text = NULL;
    size_t length = 0;
    crd_error error;
    if (crd_schema_encode(schema, &text, &length, &error) != CRD_OK) return message_error(&error);
    output_write(out, text, length);
    crd_free(call->context, text);
    return ENDED_WELL;
}

/* Reads every row, so column types and values are determined by the whole input. A report contains a profile of the
 * values too. */
static int schema_answer(const invocation *call, data *d) {
    const char *path = call->arguments.operands[0];
    crd_profile *profile = NULL;
    crd_schema *schema = NULL;
    crd_error error;
    output out = {0};
    bool to_file = arguments_have(&call->arguments, "output");
    int ended = output_open(call, &out);
    if (ended == ENDED_WELL) ended = output_choose_format(call, &out, FORMATS, to_file ? FORMAT_JSON : FORMAT_TABLE);
    bool is_file = to_file && out.format == FORMAT_JSON;
    if (ended == ENDED_WELL && !is_file && crd_profile_create(call->context, d->reader, 0, &profile, &error) != CRD_OK)
        ended = message_error_in(&error, path);
    if (ended == ENDED_WELL && is_file) {
        bool with_values = arguments_have(&call->arguments, "values");
        crd_status status = crd_schema_from_rows(d->reader, with_values, &schema, &error);
        ended = status == CRD_OK ? schema_write(call, &out, schema) : message_error_in(&error, path);
    } else if (ended == ENDED_WELL) {
        crd_status status = crd_schema_from_reader(d->reader, 0, &schema, &error);
        crd_result *r = report_create(call->context);
        if (status == CRD_OK) schema_profile_report(r, schema, profile);
        if (status == CRD_OK) report_write(r, &out);
        else ended = message_error(&error);
        crd_result_destroy(r);
    }
    ended = output_close(&out, ended);
    crd_schema_destroy(schema);
    crd_profile_destroy(profile);
    return ended;
}

/* Reports the columns of a model, or writes them as a schema, without reading rows. */
static int answer_of_model(const invocation *call, const char *path) {
    crd_model *model = NULL;
    crd_schema *schema = NULL;
    crd_error error;
    output out = {0};
    bool to_file = arguments_have(&call->arguments, "output");
    bool with_values = arguments_have(&call->arguments, "values");
    if (crd_model_load(call->context, path, &model, &error) != CRD_OK) return message_error(&error);
    if (crd_schema_from_model(model, with_values, &schema, &error) != CRD_OK) {
        crd_model_destroy(model);
        return message_error_in(&error, path);
    }
    int ended = output_open(call, &out);
    if (ended == ENDED_WELL) ended = output_choose_format(call, &out, FORMATS, to_file ? FORMAT_JSON : FORMAT_TABLE);
    if (ended == ENDED_WELL && to_file && out.format == FORMAT_JSON) {
        ended = schema_write(call, &out, schema);
    } else if (ended == ENDED_WELL) {
        crd_result *r = report_create(call->context);
        ended = schema_model_report(r, schema, model);
        if (ended == ENDED_WELL) report_write(r, &out);
        crd_result_destroy(r);
    }
    ended = output_close(&out, ended);
    crd_schema_destroy(schema);
    crd_model_destroy(model);
    return ended;
}

/* Reports why a merge failed: the schema at `path` differs from the schemas before it. */
static int report_differing(const crd_error *error, const char *path) {
    const bool is_limit = error->status == CRD_ERROR_LIMIT || error->status == CRD_ERROR_NUMBER;
    int ended = is_limit ? message_failed("%s: %s", path, error->message) : message_error_in(error, path);
    string typed = {0};
    if (is_limit) {
        list_add_typed(&typed, crd_text_of(error->subject));
        message_hint("create the schema of every part again with --categorical %s", string_text(&typed));
    } else if (error->status == CRD_ERROR_SCHEMA_DIFFERS) {
        message_hint("create all parts from the same files, with the same options");
    }
    string_free(&typed);
    return ended;
}

static int load_schema(const invocation *call, const char *path, crd_schema **out) {
    crd_error error;
    if (crd_schema_load(call->context, path, out, &error) == CRD_OK) return ENDED_WELL;
    int ended = message_error(&error);
    if (error.status == CRD_ERROR_SYNTAX)
        message_hint("--merge takes schemas, as credence schema DATA... --shard I/N -o PART.schema writes them");
    return ended;
}

/* Merges the schemas of all shards into the schema of the whole table. */
static int merge_schemas(const invocation *call) {
    const arguments *given = &call->arguments;
    crd_schema *sum = NULL, *next = NULL;
    crd_error error;
    output out = {0};
    int ended = load_schema(call, given->operands[0], &sum);
    for (size_t i = 1; ended == ENDED_WELL && i < given->operand_count; i++) {
        ended = load_schema(call, given->operands[i], &next);
        if (ended == ENDED_WELL && crd_schema_merge(sum, next, &error) != CRD_OK)
            ended = report_differing(&error, given->operands[i]);
        crd_schema_destroy(next);
        next = NULL;
    }
    if (ended == ENDED_WELL && crd_schema_complete(sum, &error) != CRD_OK)
        ended = report_differing(&error, given->operands[0]);
    if (ended == ENDED_WELL) ended = output_open(call, &out);
    if (ended == ENDED_WELL) ended = output_close(&out, schema_write(call, &out, sum));
    crd_schema_destroy(sum);
    return ended;
}

/* Runs the verb: merges schemas, or describes a model or a table. */
static int schema_run(invocation *call) {
    const arguments *given = &call->arguments;
    if (arguments_have(given, "merge")) return merge_schemas(call);
    crd_file_kind kind = CRD_FILE_ROWS;
    data d;
    int ended = given->operand_count == 1 ? input_file_detect(call, given->operands[0], &kind) : ENDED_WELL;
    const bool is_model = kind == CRD_FILE_MODEL;
    if (ended == ENDED_WELL && is_model) ended = option_scope_check_model(call, given->operands[0], false);
    if (ended == ENDED_WELL && is_model) return answer_of_model(call, given->operands[0]);
    if (ended == ENDED_WELL) ended = data_open(call, given->operands, given->operand_count, false, &d);
    if (ended != ENDED_WELL) return ended;
    d.skips_unlabeled = true; /* rows without a target are skipped, as in training */
    ended = data_treat_columns(call, &d);
    if (ended == ENDED_WELL) ended = data_detect_formats(&d, true);
    if (ended == ENDED_WELL) ended = schema_answer(call, &d);
    data_close(&d);
    return ended;
}

static const option options[] = {
    {"values", 0, NULL, .help = "with -o: write the values of categorical columns too"},
    {"shard", 0, "I/N", .help = "with -o: write the schema of the I-th of N parts of the rows, for --merge",
     .scope = SCOPE_NOT_MODELS, .conflicts = "discretize",
     .hint = "cut points depend on all rows: merge the schemas of the shards, and pass the cut points to train as "
             "--discretize COL=A:B",
     .is_once = true},
    {"merge", 0, NULL, .help = "merge the schemas of all parts into the schema of the whole", .needs = "output",
     .conflicts = "shard values format target weight numeric categorical text column-format ignore "
                  "only discretize header skip-lines missing input separator quote encoding "
                  "decimal max-categories no-multiline-fields"},
    {"no-multiline-fields", 0, NULL,
     .help = "promise that every row is one line, so a shard need not scan the rows before it"},
    OPTION_OUTPUT,
    OPTION_FORMAT,
    OPTION_TARGET,
    OPTION_WEIGHT,
    OPTION_NUMBER,
    OPTION_CATEGORY,
    OPTION_TEXT,
    OPTION_COLUMN_FORMAT,
    OPTION_IGNORE,
    OPTION_ONLY,
    OPTION_DISCRETIZE,
    OPTIONS_OF_READING,
    OPTIONS_END};

const verb verb_schema = {
    .name = "schema",
    .usage = "schema DATA... [--values] [-o SCHEMA] | schema DATA... --shard I/N -o PART.schema | schema --merge "
             "PART.schema... -o SCHEMA | schema MODEL [--values] [-o SCHEMA]",
    .summary = "Profile the columns of tables, or write a schema file",
    .about = "Reads every row, because column types depend on the whole input. Reports for each column its type, "
             "missing values, distinct values and the most frequent values. For numeric columns it also reports "
             "minimum, maximum, mean, standard deviation and quantiles (5, 25, 50, 75 and 95 %). They are exact up to "
             "4,096 distinct values, and otherwise marked as approximate.\n\n"
             "With -o it writes a small JSON file: names, types, target, weight and texts that mean missing. With "
             "--values the file also contains the values. Use it with --schema wherever a table is read.\n\n"
             "Columns are matched by name. Declared values are part of the model even if no row has them. Models "
             "trained on parts of a table with the same schema can be merged into the model of the whole.\n\n"
             "With --shard I/N only one of N parts of the rows is read, as in train --shard. The file contains the "
             "information needed to decide on the whole: the formats that all values of a column fit. With --values it "
             "also contains up to 4,096 distinct texts of columns that are not categorical. --merge combines all "
             "parts, in any order, into a schema that is byte-identical to the schema of the whole. A column is "
             "numeric if it is numeric in every part. If a file is a part, use --shard 1/1.\n\n"
             "For a MODEL it reports the training columns: types, missing values, the values of categories, and the "
             "mean and standard deviation of numbers.",
    .example = "  credence example tennis > days.csv\n"
               "  credence schema days.csv --target Play --values -o days.schema\n"
               "  credence train days.csv --schema days.schema -o days.model\n"
               "  credence schema days.csv --target Play --shard 1/2 -o one.schema\n"
               "  credence schema days.csv --target Play --shard 2/2 -o two.schema\n"
               "  credence schema --merge one.schema two.schema -o days.schema\n",
    .essentials = "output|values|target|numeric|categorical|ignore|format",
    .options = options,
    .least = 1,
    .most = SIZE_MAX,
    .operands = "DATA: a file, several, or -; or a MODEL; with --merge schema files",
    .reads_operands = true,
    .is_collective = true,
    .data_at = 1,
    .run = schema_run};
