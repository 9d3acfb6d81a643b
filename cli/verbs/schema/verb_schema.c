/* SPDX-License-Identifier: MIT */
/* verb_schema.c - what the columns of tables, or of a model, are: a profile of their cells, or a schema file for --schema. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "core/verb.h"
#include "source/data_input.h"
#include "source/input_file.h"
#include "verbs/schema/schema_model.h"
#include "verbs/schema/schema_profile.h"

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
    crd_profile *profile = NULL;
    crd_schema *schema = NULL;
    crd_error error;
    output out = {0};
    bool to_file = arguments_have(&call->arguments, "output");
    /* Every row, so that kinds and values are those of the whole input. */
    if (crd_profile_create(call->context, d->reader, 0, &profile, &error) != CRD_OK)
        return message_error_in(&error, call->arguments.operands[0]);
    int ended = output_open(call, &out);
    if (ended == ENDED_WELL) ended = output_choose_format(call, &out, FORMATS, to_file ? FORMAT_JSON : FORMAT_TABLE);
    if (ended == ENDED_WELL) {
        bool is_file = to_file && out.format == FORMAT_JSON;
        bool with_values = is_file && arguments_have(&call->arguments, "values");
        if (crd_schema_from_reader(d->reader, with_values, &schema, &error) != CRD_OK) ended = message_error(&error);
        else if (is_file) ended = write_schema(call, &out, schema);
        else {
            report *r = report_create();
            schema_profile_report(r, schema, profile);
            report_write(r, &out);
            report_destroy(r);
        }
    }
    ended = output_close(&out, ended);
    crd_schema_destroy(schema);
    crd_profile_destroy(profile);
    return ended;
}

/* The columns that a model has, with no row at hand. */
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
        ended = write_schema(call, &out, schema);
    } else if (ended == ENDED_WELL) {
        report *r = report_create();
        ended = schema_model_report(r, schema, model);
        if (ended == ENDED_WELL) report_write(r, &out);
        report_destroy(r);
    }
    ended = output_close(&out, ended);
    crd_schema_destroy(schema);
    crd_model_destroy(model);
    return ended;
}

static int run(invocation *call) {
    const arguments *given = &call->arguments;
    bool is_model = false;
    data d;
    int ended = given->operand_count == 1 ? input_file_is_model(call, given->operands[0], &is_model) : ENDED_WELL;
    if (ended == ENDED_WELL && is_model) return answer_of_model(call, given->operands[0]);
    if (ended == ENDED_WELL) ended = data_open(call, given->operands, given->operand_count, false, &d);
    if (ended != ENDED_WELL) return ended;
    ended = data_treat_columns(call, &d);
    if (ended == ENDED_WELL) ended = data_find_forms(&d, true);
    if (ended == ENDED_WELL) ended = answer(call, &d);
    data_close(&d);
    return ended;
}

static const option options[] = {{"values", 0, NULL, .help = "with -o: write the values of categorical columns too"},
                                 OPTION_OUTPUT,
                                 OPTION_FORMAT,
                                 OPTION_TARGET,
                                 OPTION_WEIGHT,
                                 OPTION_NUMBER,
                                 OPTION_CATEGORY,
                                 OPTION_TEXT,
                                 OPTION_FORM,
                                 OPTION_IGNORE,
                                 OPTION_ONLY,
                                 OPTION_DISCRETIZE,
                                 OPTIONS_OF_READING,
                                 OPTIONS_END};

const verb verb_schema = {
    .name = "schema",
    .usage = "schema DATA... [--values] [-o SCHEMA] | schema MODEL [--values] [-o SCHEMA]",
    .summary = "Profile the columns of tables, or write a schema file",
    .about = "Reads every row, since kinds are determined by the whole input, and reports of each column its kind, "
             "missing cells, distinct values and the most frequent ones, of numbers also minimum, maximum, mean, "
             "standard deviation and quantiles (5, 25, 50, 75 and 95 %). These are exact up to 4,096 distinct "
             "values of a number column, and marked where they are approximate.\n\n"
             "With -o it writes a small JSON "
             "file: names, kinds, target, weight and texts that mean missing; with --values also the values. "
             "--schema uses it wherever a table is read.\n\n"
             "Columns meet by name, and declared values are known though no row has them. Parts of a table that "
             "are learned with one schema merge into the model of the whole.\n\n"
             "Of a MODEL it reports the columns that were learned: kinds, missing cells, the values of categories and "
             "mean and standard deviation of numbers.",
    .example = "  credence example tennis > days.csv\n"
               "  credence schema days.csv --target Play --values -o days.schema\n"
               "  credence train days.csv --schema days.schema -o days.model\n",
    .essentials = "output|values|target|number|category|ignore|format",
    .options = options,
    .least = 1,
    .most = SIZE_MAX,
    .operands = "DATA: a file, several, or -; or a MODEL",
    .reads_operands = true,
    .data_at = 1,
    .run = run};
