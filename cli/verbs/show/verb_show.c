/* verb_show.c - what a model knows: priors, conditional tables, means and deviations, densities, cut points. */
#include "core/error_messages.h"
#include "core/json_writer.h"
#include "core/lists.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/text_table.h"
#include "core/verb.h"
#include "describe/ensemble_members.h"
#include "describe/network_text.h"
#include "describe/term_text.h"
#include "source/input_file.h"
#include "source/model_or_table.h"
#include "source/network_model.h"
#include "source/network_or_model.h"
#include "verbs/show/show_components.h"
#include "verbs/show/show_densities.h"
#include "verbs/show/show_family_choice.h"
#include "verbs/show/show_network.h"

#include <stdlib.h>
#include <string.h>

/* More than these are shown with --all only. */
enum { VALUES_SHOWN = 20, ATTRIBUTES_SHOWN = 50, ESTIMATES = 32 };

typedef struct view {
    const crd_classifier *classifier;
    const crd_summary *summary;
    output out;
    bool all, plots;
    bool *chosen; /* attributes to show */
    size_t chosen_count;
} view;

static void add_class_names(const view *v, table *t) {
    table_add(t, "");
    for (size_t c = 0; c < crd_summary_class_count(v->summary); c++)
        table_add_name(t, crd_summary_class(v->summary, c));
}

/* A probability as its fraction and as a number; "" where there is none. */
static void add_term(table *t, const crd_term *term, bool fraction) {
    string cell = {0};
    if (fraction || !term_text_counts(term)) term_text_add(&cell, term);
    if (fraction && term_text_counts(term)) string_format(&cell, " = ");
    if (term_text_counts(term)) output_add_exponential(&cell, term->log_value);
    table_add(t, string_text(&cell));
    string_free(&cell);
}

static int add_priors(const view *v, table *t, bool fraction) {
    crd_error error;
    table_add(t, "prior");
    for (size_t c = 0; c < crd_summary_class_count(v->summary); c++) {
        crd_term term = CRD_TERM_INIT;
        if (crd_classifier_prior(v->classifier, c, &term, &error) != CRD_OK) return message_error(&error);
        add_term(t, &term, fraction);
    }
    return ENDED_WELL;
}

/* Fractions where they fit, else numbers alone; wider tables are cut into parts. `fill` adds the rows. */
static int print_by_class(view *v, size_t attribute,
                          int (*fill)(const view *v, table *t, size_t attribute, bool fraction)) {
    int ended = ENDED_WELL;
    for (int fraction = 1; fraction >= 0; fraction--) {
        table *t = table_create_for(&v->out, crd_summary_class_count(v->summary) + 1);
        add_class_names(v, t);
        ended = fill(v, t, attribute, fraction != 0);
        bool fits = v->out.width == 0 || table_width(t) + 2 <= v->out.width || fraction == 0;
        if (ended == ENDED_WELL && fits) table_print(t, v->out.stream, 2, v->out.width);
        table_destroy(t);
        if (ended != ENDED_WELL || fits) break;
    }
    return ended;
}

static int fill_classes(const view *v, table *t, size_t attribute, bool fraction) {
    char room[ROUNDED_ROOM];
    (void)attribute;
    table_add(t, "rows");
    for (size_t c = 0; c < crd_summary_class_count(v->summary); c++) {
        table_add(t, output_count(crd_summary_class_rows(v->summary, c), room));
    }
    return add_priors(v, t, fraction);
}

static size_t values_shown(const view *v, size_t attribute) {
    size_t count = crd_summary_value_count(v->summary, attribute);
    return v->all || count <= VALUES_SHOWN ? count : VALUES_SHOWN;
}

static int fill_values(const view *v, table *t, size_t attribute, bool fraction) {
    crd_error error;
    for (size_t i = 0; i < values_shown(v, attribute); i++) {
        crd_value value = {CRD_KIND_CATEGORY, 0, crd_summary_value(v->summary, attribute, i)};
        table_add_name(t, value.text);
        for (size_t c = 0; c < crd_summary_class_count(v->summary); c++) {
            crd_term term = CRD_TERM_INIT;
            if (crd_classifier_term(v->classifier, attribute, c, &value, &term, &error) != CRD_OK) {
                return message_error(&error);
            }
            add_term(t, &term, fraction);
        }
    }
    return ENDED_WELL;
}

/* What a density is given by, but for what is its mean or deviation anyway. */
static int fill_parameters(const view *v, table *t, size_t attribute) {
    char room[ROUNDED_ROOM];
    crd_term_parameter own[CRD_TERM_PARAMETERS];
    size_t count = 0;
    if (crd_classifier_parameters(v->classifier, attribute, 0, own, &count, NULL) != CRD_OK) return ENDED_WELL;
    for (size_t i = 0; i < count; i++) {
        crd_error error;
        if (strcmp(own[i].name, "mean") == 0 || strcmp(own[i].name, "deviation") == 0) continue;
        table_add(t, own[i].name);
        for (size_t c = 0; c < crd_summary_class_count(v->summary); c++) {
            if (crd_classifier_parameters(v->classifier, attribute, c, own, &count, &error) != CRD_OK) {
                return message_error(&error);
            }
            table_add(t, output_round(own[i].value, room));
        }
    }
    return ENDED_WELL;
}

static int fill_moments(const view *v, table *t, size_t attribute, bool fraction) {
    char room[ROUNDED_ROOM];
    static const char *const lines[] = {"rows", "mean", "deviation"};
    (void)fraction;
    for (size_t line = 0; line < 3; line++) {
        table_add(t, lines[line]);
        for (size_t c = 0; c < crd_summary_class_count(v->summary); c++) {
            double mean = 0, deviation = 0;
            if (line == 0) {
                table_add(t, output_count(crd_summary_present(v->summary, attribute, c), room));
            } else if (crd_classifier_moments(v->classifier, attribute, c, &mean, &deviation, NULL) == CRD_OK) {
                table_add(t, output_round(line == 1 ? mean : deviation, room));
            } else {
                /* No spread, so no density; where the cells are is known all the same. */
                table_add(t, line == 1 ? output_round(crd_summary_moments(v->summary, attribute, c).mean, room) : "-");
            }
        }
    }
    return fill_parameters(v, t, attribute);
}

/* Under the settings in force, not the model's own. */
static const char *family_of(const view *v, size_t attribute) {
    crd_family family = CRD_FAMILY_INIT;
    return crd_classifier_family(v->classifier, attribute, &family) ? family.name : "";
}

static int print_attribute(view *v, size_t attribute) {
    crd_kind kind = crd_summary_kind(v->summary, attribute);
    string heading = {0}, family = {0};
    string_add_shown(&heading, crd_summary_attribute(v->summary, attribute));
    bool is_alone = crd_classifier_is_joint(v->classifier, attribute) == 0;
    string_format(&family, " (%s", family_of(v, attribute));
    show_parts_add_exponent(&family, v->classifier, attribute);
    string_format(&family, is_alone ? ")" : " if alone): taken together with others");
    output_heading(&v->out, 2, string_text(&heading),
                   kind == CRD_KIND_NONE ? ": no cell was ever present" : string_text(&family));
    string_free(&heading);
    string_free(&family);
    if (kind == CRD_KIND_NONE) return ENDED_WELL;
    if (kind == CRD_KIND_NUMBER) {
        int ended = print_by_class(v, attribute, fill_moments);
        if (ended == ENDED_WELL) candidates_print(&v->out, v->classifier, attribute);
        if (ended == ENDED_WELL && v->plots) {
            fputc('\n', v->out.stream);
            curves_print(&v->out, v->classifier, attribute);
        }
        return ended;
    }
    if (!is_alone) return ENDED_WELL; /* the terms of its values alone are none of the classifier's */
    int ended = print_by_class(v, attribute, fill_values);
    size_t count = crd_summary_value_count(v->summary, attribute), shown = values_shown(v, attribute);
    if (shown < count) {
        output_remark(&v->out, "and %zu value%s more (--all)", count - shown, count - shown == 1 ? "" : "s");
    }
    return ended;
}

/* "12 means", "1 class probability": one of what is named in the plural ends in y for -ies, else in nothing for -s. */
static void add_estimate(string *out, const crd_estimate *estimate) {
    size_t length = strlen(estimate->what);
    bool ies = length > 3 && strcmp(estimate->what + length - 3, "ies") == 0;
    string_format(out, "%llu ", (unsigned long long)estimate->count);
    if (estimate->count == 1) length -= ies ? 3 : 1;
    string_add(out, estimate->what, length);
    if (estimate->count == 1 && ies) string_add_char(out, 'y');
}

/* Such as "cross, cells of size and weight". */
static void add_bundle(string *to, const crd_summary *summary, size_t bundle) {
    size_t size = crd_summary_bundle_size(summary, bundle);
    string_format(to, "%s%s%s", bundle == 0 ? "" : ", ", crd_summary_bundle(summary, bundle), size == 0 ? "" : " of ");
    for (size_t i = 0; i < size; i++) {
        if (i > 0) string_format(to, "%s", i + 1 < size ? ", " : " and ");
        string_add_shown(to, crd_summary_attribute(summary, crd_summary_bundle_attribute(summary, bundle, i)));
    }
}

static void print_opening(view *v) {
    char rows[ROUNDED_ROOM];
    size_t classes = crd_summary_class_count(v->summary), attributes = crd_summary_attribute_count(v->summary);
    string text = {0};
    crd_estimate estimates[ESTIMATES];
    size_t kinds = crd_classifier_estimates(v->classifier, estimates, ESTIMATES);
    string_add_shown(&text, crd_summary_target(v->summary));
    output_line(&v->out, "Target %s: %zu class%s, %zu attribute%s, %s row%s", string_text(&text), classes,
                classes == 1 ? "" : "es", attributes, attributes == 1 ? "" : "s",
                output_count(crd_summary_rows(v->summary), rows), crd_summary_rows(v->summary) == 1 ? "" : "s");
    string_clear(&text);
    if (crd_summary_weight(v->summary).bytes != NULL) {
        string_add_shown(&text, crd_summary_weight(v->summary));
        output_list_line(&v->out, "Weight %s: a row counts as often as it says", string_text(&text));
        string_clear(&text);
    }
    for (size_t i = 0; i < crd_summary_tally_count(v->summary); i++) {
        string_format(&text, "%s%s", i == 0 ? "" : ", ", crd_summary_tally(v->summary, i));
    }
    if (text.length > 0) output_list_line(&v->out, "Kept of numbers: %s", string_text(&text));
    string_clear(&text);
    for (size_t i = 0; i < crd_summary_bundle_count(v->summary); i++) add_bundle(&text, v->summary, i);
    if (text.length > 0) output_list_line(&v->out, "Kept of attributes together: %s", string_text(&text));
    string_clear(&text);
    term_text_add_settings(&text, crd_classifier_settings(v->classifier));
    output_list_line(&v->out, "Settings: %s", string_text(&text));
    string_clear(&text);
    for (size_t i = 0; i < kinds && i < ESTIMATES; i++) {
        string_format(&text, "%s", i == 0 ? "" : ", ");
        add_estimate(&text, &estimates[i]);
    }
    output_list_line(&v->out, "Estimated: %s", string_text(&text));
    string_free(&text);
}

static int print_view(view *v) {
    size_t attributes = crd_summary_attribute_count(v->summary), shown = 0, last = 0;
    print_opening(v);
    output_heading(&v->out, 2, "Classes", "");
    int ended = print_by_class(v, 0, fill_classes);
    if (ended == ENDED_WELL) ended = show_parts_print(&v->out, v->classifier, v->all);
    for (size_t a = 0; a < attributes && ended == ENDED_WELL; a++) {
        if (!v->chosen[a]) continue;
        last = a;
        if (!v->all && shown == ATTRIBUTES_SHOWN) {
            size_t more = v->chosen_count - shown;
            output_paragraph(&v->out, "and %zu attribute%s more (--all, or --of COLS)", more, more == 1 ? "" : "s");
            break;
        }
        ended = print_attribute(v, a);
        shown++;
    }
    if (ended == ENDED_WELL && v->chosen_count == 1 && crd_summary_kind(v->summary, last) == CRD_KIND_NUMBER) {
        ended = curves_print_cuts(&v->out, v->classifier, last);
    }
    return ended;
}

/* ---- JSON ---- */

static int write_probabilities(json *j, const view *v, size_t attribute) {
    crd_error error;
    json_key(j, "values");
    json_array(j);
    for (size_t i = 0; i < crd_summary_value_count(v->summary, attribute); i++) {
        crd_value value = {CRD_KIND_CATEGORY, 0, crd_summary_value(v->summary, attribute, i)};
        json_object(j);
        json_member_text(j, "value", value.text);
        json_key(j, "probability");
        json_object(j);
        for (size_t c = 0; c < crd_summary_class_count(v->summary); c++) {
            crd_term term = CRD_TERM_INIT;
            if (crd_classifier_term(v->classifier, attribute, c, &value, &term, &error) != CRD_OK) {
                return message_error(&error);
            }
            json_key_text(j, crd_summary_class(v->summary, c));
            if (term_text_counts(&term)) {
                json_number(j, crd_exp(term.log_value));
            } else {
                json_null(j);
            }
        }
        json_end_object(j);
        json_end_object(j);
    }
    json_end_array(j);
    return ENDED_WELL;
}

static int write_densities(json *j, const view *v, size_t attribute) {
    json_key(j, "densities");
    json_array(j);
    for (size_t c = 0; c < crd_summary_class_count(v->summary); c++) {
        double mean = 0, deviation = 0;
        json_object(j);
        json_member_text(j, "class", crd_summary_class(v->summary, c));
        json_member_number(j, "rows", crd_summary_present(v->summary, attribute, c));
        crd_term_parameter parameters[CRD_TERM_PARAMETERS];
        size_t count = 0;
        if (crd_classifier_moments(v->classifier, attribute, c, &mean, &deviation, NULL) == CRD_OK &&
            crd_classifier_parameters(v->classifier, attribute, c, parameters, &count, NULL) == CRD_OK) {
            json_member_number(j, "mean", mean);
            json_member_number(j, "deviation", deviation);
        }
        term_text_parameters_json(j, parameters, count);
        json_end_object(j);
    }
    json_end_array(j);
    return curves_cuts_json(j, v->classifier, attribute);
}

static int write_attributes(json *j, const view *v) {
    int ended = ENDED_WELL;
    json_key(j, "attributes");
    json_array(j);
    for (size_t a = 0; a < crd_summary_attribute_count(v->summary) && ended == ENDED_WELL; a++) {
        if (!v->chosen[a]) continue;
        crd_kind kind = crd_summary_kind(v->summary, a);
        json_object(j);
        json_member_text(j, "attribute", crd_summary_attribute(v->summary, a));
        json_member_text(j, "family", crd_text_of(family_of(v, a)));
        show_parts_write_attribute(j, v->classifier, a);
        if (kind == CRD_KIND_CATEGORY && crd_classifier_is_joint(v->classifier, a) == 0)
            ended = write_probabilities(j, v, a);
        if (kind == CRD_KIND_NUMBER) candidates_json(j, v->classifier, a);
        if (kind == CRD_KIND_NUMBER) ended = write_densities(j, v, a);
        json_end_object(j);
    }
    json_end_array(j);
    return ended;
}

static int write_view(const view *v) {
    json j = json_begin(v->out.stream, true);
    crd_estimate estimates[ESTIMATES];
    crd_error error;
    size_t kinds = crd_classifier_estimates(v->classifier, estimates, ESTIMATES);
    json_object(&j);
    json_member_text(&j, "target", crd_summary_target(v->summary));
    if (crd_summary_weight(v->summary).bytes != NULL) {
        json_member_text(&j, "weight", crd_summary_weight(v->summary));
    }
    json_member_number(&j, "rows", crd_summary_rows(v->summary));
    json_key(&j, "settings");
    term_text_settings_json(&j, crd_classifier_settings(v->classifier));
    json_key(&j, "estimated");
    json_object(&j);
    for (size_t i = 0; i < kinds && i < ESTIMATES; i++) {
        json_member_number(&j, estimates[i].what, (double)estimates[i].count);
    }
    json_end_object(&j);
    json_key(&j, "classes");
    json_array(&j);
    for (size_t c = 0; c < crd_summary_class_count(v->summary); c++) {
        crd_term term = CRD_TERM_INIT;
        if (crd_classifier_prior(v->classifier, c, &term, &error) != CRD_OK) return message_error(&error);
        json_object(&j);
        json_member_text(&j, "class", crd_summary_class(v->summary, c));
        json_member_number(&j, "rows", crd_summary_class_rows(v->summary, c));
        json_member_number(&j, "prior", crd_exp(term.log_value));
        json_end_object(&j);
    }
    json_end_array(&j);
    show_parts_write_kept(&j, v->summary);
    int ended = show_parts_write(&j, v->classifier);
    if (ended == ENDED_WELL) ended = write_attributes(&j, v);
    json_end_object(&j);
    json_end_line(&j);
    return ended;
}

/* ---- The verb ---- */

static int choose_some(view *v, crd_text selector, size_t *attributes) {
    size_t count = 0;
    crd_error error;
    if (crd_summary_select(v->summary, selector, attributes, &count, &error) != CRD_OK) {
        string near = {0};
        size_t near_count = 0;
        for (size_t a = 0; a < crd_summary_attribute_count(v->summary); a++) {
            list_add_near(&near, &near_count, crd_text_of(error.subject), crd_summary_attribute(v->summary, a));
        }
        message_failed("--of: %s", error.message);
        if (near.length > 0) message_hint("did you mean %s?", string_text(&near));
        string_free(&near);
        return ENDED_FAILED;
    }
    for (size_t i = 0; i < count; i++) {
        if (!v->chosen[attributes[i]]) v->chosen_count++;
        v->chosen[attributes[i]] = true;
    }
    return ENDED_WELL;
}

static int choose_attributes(const invocation *call, view *v) {
    size_t attributes = crd_summary_attribute_count(v->summary), at = 0;
    bool everything = !arguments_have(&call->arguments, "of");
    v->chosen = memory_resize(NULL, attributes, sizeof *v->chosen);
    v->chosen_count = everything ? attributes : 0;
    for (size_t a = 0; a < attributes; a++) v->chosen[a] = everything;
    int ended = ENDED_WELL;
    size_t *found = memory_resize(NULL, attributes, sizeof *found);
    for (const char *value; ended == ENDED_WELL && (value = arguments_next(&call->arguments, "of", &at)) != NULL;) {
        list selectors;
        if (!list_split(value, &selectors)) {
            ended = message_usage("--of: a quote is not closed");
            break;
        }
        for (size_t i = 0; i < selectors.count && ended == ENDED_WELL; i++) {
            ended = choose_some(v, selectors.items[i], found);
        }
        list_free(&selectors);
    }
    free(found);
    return ended;
}

/* A model that is made of others has no tables of its own. */
static int show_members(const invocation *call, const crd_model *model, const crd_classifier *classifier) {
    output out;
    if (arguments_have(&call->arguments, "of") || arguments_have(&call->arguments, "plot")) {
        return message_usage("the model is made of others: --of and --plot are for each of those");
    }
    int ended = output_open(call, &out);
    if (ended == ENDED_WELL) ended = output_choose_format(call, &out, FORMATS_OF_REPORTS, FORMAT_TABLE);
    if (ended == ENDED_WELL) ended = ensemble_show(&out, model, classifier);
    return output_close(&out, ended);
}

static int show(const invocation *call, const crd_model *model, const crd_classifier *classifier) {
    if (crd_model_member_count(model) > 0) return show_members(call, model, classifier);
    crd_summary *summary = NULL;
    crd_error error;
    if (crd_summary_create(model, &summary, &error) != CRD_OK) return message_error(&error);
    view v = {.classifier = classifier, .summary = summary, .all = arguments_have(&call->arguments, "all")};
    int ended = choose_attributes(call, &v);
    if (ended == ENDED_WELL) ended = output_open(call, &v.out);
    if (ended == ENDED_WELL) {
        ended = output_choose_format(call, &v.out, FORMATS_OF_REPORTS, FORMAT_TABLE);
        bool seen = v.out.to_terminal && v.out.format == FORMAT_TABLE;
        v.plots = seen || arguments_have(&call->arguments, "plot");
        if (ended == ENDED_WELL) ended = v.out.format == FORMAT_JSON ? write_view(&v) : print_view(&v);
        ended = output_close(&v.out, ended);
    }
    free(v.chosen);
    crd_summary_destroy(summary);
    return ended;
}

/* Under the settings in force, the model may be a network: then it is shown as such. */
static int show_model(const invocation *call) {
    static const char *const of_networks[] = {"memory", NULL};
    const char *path = call->arguments.operands[0];
    crd_model *model = NULL;
    crd_classifier *classifier = NULL;
    crd_network *network = NULL;
    int ended = model_or_table_open(call, path, &model);
    if (ended == ENDED_WELL && crd_model_target(model).bytes == NULL) {
        ended = show_network_of(call, path, model);
        crd_model_destroy(model);
        return ended;
    }
    if (ended == ENDED_WELL) ended = model_or_table_classifier(call, model, &classifier);
    if (ended == ENDED_WELL && crd_model_member_count(model) == 0 &&
        strcmp(crd_settings_get(crd_classifier_settings(classifier), "method"), "network") == 0) {
        ended = network_model_network(call, path, model, &network);
        if (ended == ENDED_WELL) ended = show_network(call, network, model, crd_classifier_settings(classifier));
    } else if (ended == ENDED_WELL) {
        ended = network_refuse_own_options(call, of_networks);
        if (ended == ENDED_WELL) ended = show(call, model, classifier);
    }
    crd_network_destroy(network);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    return ended;
}

static int run(invocation *call) {
    crd_network *network = NULL;
    bool is_file = false;
    if (call->arguments.operand_count != 1) return message_usage("show needs one MODEL");
    const char *path = call->arguments.operands[0];
    int ended = output_check_inputs(call, call->arguments.operands, 1);
    if (ended == ENDED_WELL) ended = input_file_is_network(call, path, &is_file);
    if (ended == ENDED_WELL && !is_file) return show_model(call);
    if (ended == ENDED_WELL) ended = network_or_model_open(call, path, &network, NULL);
    if (ended == ENDED_WELL) ended = show_network(call, network, NULL, NULL);
    crd_network_destroy(network);
    return ended;
}

static const option options[] = {
    {"of", 0, "COLS", "show these attributes only, numbered as shown; of a single number, where it decides"},
    {"all", 0, NULL, "show long tables in full"},
    {"plot", 0, NULL, "draw densities even where there is no terminal"},
    OPTION_MEMORY,
    OPTION_REPORT_FORMAT,
    OPTION_OUTPUT,
    OPTIONS_OF_TABLE,
    OPTIONS_OF_READING,
    OPTIONS_END};

const verb verb_show = {
    .name = "show",
    .usage = "show MODEL",
    .summary = "Shows priors, conditional tables, densities and cut points",
    .about =
        "Everything under the settings in force. For a single number attribute (the only one, or that of --of) the\n"
        "points are listed where the decision by it alone changes. With --family auto, what it chose from is listed.\n"
        "Of a network: its size, and each node's parents, states and table; json has all that a network is.\n",
    .example = "  credence example iris > iris.csv\n"
               "  credence show iris.csv --target species --of petal_length --plot\n"
               "  credence example burglary > burglary.bif\n"
               "  credence show burglary.bif --of Alarm\n",
    .options = options,
    .takes_settings = true,
    .run = run};
