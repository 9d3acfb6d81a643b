/* export.c - the whole model in JSON: what was counted, not what is derived from it; or a table in another format. */
#include "export_rows.h"
#include "json.h"
#include "model_or_table.h"
#include "output.h"
#include "report.h"
#include "verb.h"
#include "working.h"

static void write_counts(json *j, const crd_summary *summary, size_t attribute) {
    json_key(j, "values");
    json_array(j);
    for (size_t i = 0; i < crd_summary_value_count(summary, attribute); i++) {
        json_object(j);
        json_member_text(j, "value", crd_summary_value(summary, attribute, i));
        json_key(j, "counts");
        json_object(j);
        for (size_t c = 0; c < crd_summary_class_count(summary); c++) {
            json_key_text(j, crd_summary_class(summary, c));
            json_number(j, crd_summary_count(summary, attribute, i, c));
        }
        json_end_object(j);
        json_end_object(j);
    }
    json_end_array(j);
}

static int write_exact(const invocation *call, json *j, const char *key, const crd_summary *summary, size_t attribute,
                       size_t class_index, int power) {
    crd_error error;
    char *text = NULL;
    if (crd_summary_exact(summary, attribute, class_index, power, &text, &error) != CRD_OK) return report_error(&error);
    json_member_text(j, key, crd_text_of(text));
    crd_free(call->context, text);
    return ENDED_WELL;
}

static int write_moments(const invocation *call, json *j, const crd_summary *summary, size_t attribute) {
    int ended = ENDED_WELL;
    json_key(j, "moments");
    json_array(j);
    for (size_t c = 0; c < crd_summary_class_count(summary) && ended == ENDED_WELL; c++) {
        crd_moments moments = crd_summary_moments(summary, attribute, c);
        json_object(j);
        json_member_text(j, "class", crd_summary_class(summary, c));
        json_member_number(j, "n", moments.rows);
        json_member_number(j, "sum", moments.sum);
        json_member_number(j, "sum_of_squares", moments.sum_of_squares);
        ended = write_exact(call, j, "exact_sum", summary, attribute, c, 1);
        if (ended == ENDED_WELL) ended = write_exact(call, j, "exact_sum_of_squares", summary, attribute, c, 2);
        json_member_number(j, "mean", moments.mean);
        json_member_number(j, "variance", moments.variance);
        json_member_number(j, "sample_variance", moments.sample_variance);
        json_end_object(j);
    }
    json_end_array(j);
    return ended;
}

static int write_attribute(const invocation *call, json *j, const crd_summary *summary, size_t attribute) {
    static const char *const kinds[] = {"none", "number", "category"};
    crd_kind kind = crd_summary_kind(summary, attribute);
    int ended = ENDED_WELL;
    json_object(j);
    json_member_text(j, "attribute", crd_summary_attribute(summary, attribute));
    json_member_text(j, "kind", crd_text_of(kinds[kind]));
    json_member_text(j, "family", crd_text_of(crd_summary_family(summary, attribute)));
    if (kind == CRD_KIND_CATEGORY) write_counts(j, summary, attribute);
    if (kind == CRD_KIND_NUMBER) ended = write_moments(call, j, summary, attribute);
    json_end_object(j);
    return ended;
}

static int write_model(const invocation *call, output *out, const crd_model *model, const crd_summary *summary) {
    json j = json_begin(out->stream, true);
    int ended = ENDED_WELL;
    json_object(&j);
    json_member_text(&j, "credence", crd_text_of(crd_version()));
    json_member_text(&j, "target", crd_summary_target(summary));
    if (crd_summary_weight(summary).bytes != NULL) json_member_text(&j, "weight", crd_summary_weight(summary));
    json_member_number(&j, "rows", crd_summary_rows(summary));
    json_key(&j, "settings");
    working_settings_json(&j, crd_model_settings(model));
    json_key(&j, "classes");
    json_array(&j);
    for (size_t c = 0; c < crd_summary_class_count(summary); c++) {
        json_object(&j);
        json_member_text(&j, "class", crd_summary_class(summary, c));
        json_member_number(&j, "rows", crd_summary_class_rows(summary, c));
        json_end_object(&j);
    }
    json_end_array(&j);
    json_key(&j, "attributes");
    json_array(&j);
    for (size_t a = 0; a < crd_summary_attribute_count(summary) && ended == ENDED_WELL; a++) {
        ended = write_attribute(call, &j, summary, a);
    }
    json_end_array(&j);
    json_end_object(&j);
    json_end_line(&j);
    return ended;
}

static int export_model(const invocation *call) {
    const arguments *words = &call->arguments;
    crd_model *model = NULL;
    crd_summary *summary = NULL;
    crd_error error;
    output out;
    int ended = model_or_table_open(call, words->operands[0], &model);
    if (ended == ENDED_WELL && crd_model_member_count(model) > 0) {
        ended = report_failed("%s is made of other models, and has counted nothing itself: export each of those",
                              words->operands[0]);
    }
    if (ended == ENDED_WELL && crd_summary_create(model, &summary, &error) != CRD_OK) ended = report_error(&error);
    if (ended == ENDED_WELL) ended = output_open(call, &out);
    if (ended == ENDED_WELL) ended = output_close(&out, write_model(call, &out, model, summary));
    crd_summary_destroy(summary);
    crd_model_destroy(model);
    return ended;
}

static int run(invocation *call) {
    static const row_format *const formats[] = {NULL, &row_format_arff, &row_format_csv};
    const arguments *words = &call->arguments;
    size_t as = 0;
    if (words->operand_count != 1) return report_usage("export needs one MODEL, or one table");
    if (!arguments_have(words, "as")) return report_usage("export needs --as json|arff|csv");
    int ended = arguments_choice(words, "as", "json|arff|csv", &as);
    if (ended == ENDED_WELL) ended = output_check_inputs(call, words->operands, 1);
    if (ended != ENDED_WELL) return ended;
    if (formats[as] == NULL) return export_model(call);
    if (arguments_have_settings(words))
        return report_usage("settings are for models; --as %s writes a table", arguments_value(words, "as"));
    return export_rows(call, words->operands[0], formats[as]);
}

static const option options[] = {
    {"as", 0, "json|arff|csv", "the format to write: a model in JSON, a table in one of the others"},
    OPTION_OUTPUT,
    OPTIONS_OF_TABLE,
    OPTIONS_OF_READING,
    OPTIONS_END};

const verb verb_export = {
    .name = "export",
    .usage = "export MODEL|DATA --as json|arff|csv",
    .summary = "Writes a whole model, or a table, for other programs",
    .about =
        "Counts of values by class for categories; for numbers the count, sum and sum of squares by class, exactly in\n"
        "hexadecimal beside the nearest decimal, with the mean and both variances.\n"
        "A table can be written as ARFF, with the kinds and values of its columns declared, or as CSV.\n",
    .example = "  credence example tennis > days.csv\n"
               "  credence export days.csv --target Play --as json\n"
               "  credence export days.csv --as arff\n",
    .options = options,
    .takes_settings = true,
    .run = run};
