/* SPDX-License-Identifier: MIT */
/* verb_combine.c - the verb combine: weighs models as hypotheses by data, and combines them into one model by a
 * rule. */
#include "base/os.h"
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "core/verb.h"
#include "describe/ensemble_members.h"
#include "source/data_input.h"
#include "source/given.h"
#include "source/input_file.h"
#include "source/model_operand.h"
#include "source/network_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct combine_combination {
    const invocation *call;
    crd_hypotheses *hypotheses;
    crd_combine_rule rule;
    uint64_t seed;
    crd_likelihood likelihood;
    bool *has_learned; /* for each model, whether the rows of --data are its training rows; NULL: not checked */
    crd_model *model;
    crd_classifier *classifier;
} combine_combination;

/* ---- Reading ---- */

/* Reads one number per model, such as .5,.3,.2. Sets *out to NULL if the option is not given; the caller frees it. */
static int read_shares(const invocation *call, const char *name, double **out) {
    const char *text = arguments_value(&call->arguments, name);
    size_t models = call->arguments.operand_count;
    list items;
    *out = NULL;
    if (text == NULL) return ENDED_WELL;
    if (!list_split(text, &items)) return message_usage("--%s: a quote is not closed", name);
    int ended = ENDED_WELL;
    if (items.count != models) {
        ended = message_usage("--%s has %zu number%s for %zu model%s", name, items.count, items.count == 1 ? "" : "s",
                              models, models == 1 ? "" : "s");
    }
    *out = memory_resize(NULL, models, sizeof **out);
    double sum = 0;
    for (size_t i = 0; ended == ENDED_WELL && i < models; i++) {
        bool is_share = crd_number_parse(items.items[i], &(*out)[i]) == CRD_NUMBER_FINITE && (*out)[i] >= 0;
        if (!is_share) ended = message_usage("--%s: '%s' is not a probability", name, items.items[i].bytes);
        else sum += (*out)[i];
    }
    if (ended == ENDED_WELL && !(fabs(sum - 1) < 1e-3)) {
        char buffer[CRD_NUMBER_ROOM];
        ended = message_usage("--%s: the numbers sum to %s, not to 1", name, crd_number_round(sum, buffer));
    }
    list_free(&items);
    return ended;
}

/* Returns the options without --prior. Here --prior is the prior of the hypotheses, so it must not become the class
 * prior of tables that are trained. */
static arguments without_prior(const arguments *words) {
    arguments own_arguments = *words;
    own_arguments.options = memory_resize(NULL, words->option_count, sizeof *own_arguments.options);
    own_arguments.option_count = 0;
    for (size_t i = 0; i < words->option_count; i++) {
        if (strcmp(words->options[i].name, "prior") != 0)
            own_arguments.options[own_arguments.option_count++] = words->options[i];
    }
    return own_arguments;
}

/* Returns the file name without folders. */
static crd_text combine_name(const char *path) {
    const char *name = crd_i_os_file_name(path);
    return crd_text_of(name[0] == '\0' ? path : name);
}

/* Opens the models and adds them to the combination with their priors. */
static int add_models(combine_combination *c, const double *priors) {
    const arguments *words = &c->call->arguments;
    invocation own_invocation = *c->call;
    crd_error error;
    own_invocation.arguments = without_prior(words);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < words->operand_count && ended == ENDED_WELL; i++) {
        crd_model *model = NULL;
        ended = network_model_refuse(&own_invocation, words->operands[i], "weigh it by");
        if (ended == ENDED_WELL) ended = model_operand_open(&own_invocation, words->operands[i], &model);
        if (ended == ENDED_WELL && crd_hypotheses_add(c->hypotheses, combine_name(words->operands[i]), model,
                                                      priors == NULL ? 1 : priors[i], &error) != CRD_OK) {
            ended = message_error_in(&error, words->operands[i]);
        }
        crd_model_destroy(model);
    }
    free(own_invocation.arguments.options);
    return ended;
}

/* ---- Whether the rows of --data are those learned ---- */

/* Returns whether the rows have all columns of the model. If not, they are not its training rows. */
static bool has_columns(const crd_summary *summary, const crd_reader *reader) {
    for (size_t a = 0; a < summary->attribute_count; a++) {
        bool is_found = false;
        for (size_t i = 0; i < crd_reader_column_count(reader) && !is_found; i++)
            is_found = crd_text_equal(crd_reader_column_name(reader, i), summary->attributes[a].name);
        if (!is_found) return false;
    }
    return true;
}

/* Trains a new model *out on all rows of the reader. *out stays NULL if the reader has no rows. */
static crd_status learn_rows(const combine_combination *c, crd_reader *reader, crd_text target, crd_model **out,
                             crd_error *error) {
    for (;;) {
        const crd_frame *frame = NULL;
        crd_status status = crd_reader_next(reader, &frame, error);
        if (status != CRD_OK || frame == NULL) return status;
        if (*out == NULL) status = crd_model_create(c->call->context, frame, target, NULL, out, error);
        if (status == CRD_OK) status = crd_model_update(*out, frame, error);
        if (status != CRD_OK) return status;
    }
}

/* Sets *is_same to whether the rows at `path` have the same sufficient statistics as the model. The order of the
 * rows does not matter. */
static int compare_with_learned(const combine_combination *c, const crd_model *model, const char *path, bool *is_same) {
    crd_summary *summary = NULL;
    crd_model *seen = NULL;
    crd_error error;
    data d;
    int same = 0, ended = data_open_for(c->call, model, &path, 1, false, &d);
    *is_same = false;
    if (ended != ENDED_WELL) return ended;
    crd_status status = crd_summary_create(model, &summary, &error);
    if (status == CRD_OK && has_columns(summary, d.reader)) {
        status = crd_model_bind_to_learn(model, d.reader, &error);
        if (status == CRD_OK) status = learn_rows(c, d.reader, summary->target, &seen, &error);
        if (status == CRD_OK && seen != NULL) status = crd_model_same_tally(model, seen, &same, &error);
    }
    if (status != CRD_OK) ended = message_error_in(&error, path);
    *is_same = same != 0;
    crd_model_destroy(seen);
    crd_summary_destroy(summary);
    data_close(&d);
    return ended;
}

/* Warns if a model was trained on the rows of --data. Reads the rows again, if the file can be read twice. */
static int warn_if_learned(combine_combination *c, const char *path) {
    size_t count = crd_hypotheses_count(c->hypotheses), learned = 0;
    string names = {0};
    int ended = ENDED_WELL;
    if (input_file_reads_once(path)) return ENDED_WELL;
    c->has_learned = memory_resize(NULL, count, sizeof *c->has_learned);
    for (size_t i = 0; i < count; i++) c->has_learned[i] = false;
    for (size_t i = 0; i < count && ended == ENDED_WELL; i++) {
        crd_hypothesis h = CRD_HYPOTHESIS_INIT;
        crd_error error;
        if (crd_hypotheses_at(c->hypotheses, i, &h, &error) != CRD_OK) ended = message_error(&error);
        else ended = compare_with_learned(c, h.model, path, &c->has_learned[i]);
        if (c->has_learned[i]) string_add_listed(&names, learned++, h.name);
    }
    if (ended == ENDED_WELL && learned > 0) {
        message_warning("these are the rows that %s learned from: a model that overfits them looks better than it is "
                        "(use other rows with --data)",
                        learned == count ? "the models" : string_text(&names));
    }
    string_free(&names);
    return ended;
}

/* Sets the posteriors of the models: the ones of --posterior, or the ones computed from the rows of --data. Without
 * both, the models are weighed by their training rows, in closed form. */
static int combine_weigh(combine_combination *c, const double *posteriors) {
    const char *path = arguments_value(&c->call->arguments, "data");
    crd_error error;
    if (posteriors != NULL) {
        return crd_hypotheses_set_posterior(c->hypotheses, posteriors, &error) == CRD_OK ? ENDED_WELL
                                                                                         : message_error(&error);
    }
    if (path == NULL) {
        if (crd_hypotheses_weigh(c->hypotheses, NULL, CRD_LIKELIHOOD_CLOSED, &error) == CRD_OK) return ENDED_WELL;
        message_error(&error);
        message_hint("use --data FILE to weigh the models by the rows of a file, or --posterior to give their weights");
        return ENDED_FAILED;
    }
    data d;
    int ended = data_open(c->call, &path, 1, false, &d);
    if (ended != ENDED_WELL) return ended;
    if (crd_hypotheses_weigh(c->hypotheses, d.reader, c->likelihood, &error) != CRD_OK) {
        ended = message_error_in(&error, path);
    }
    data_close(&d);
    return ended == ENDED_WELL ? warn_if_learned(c, path) : ended;
}

/* ---- Writing ---- */

static const char *likelihood_in_words(crd_likelihood likelihood, bool has_learned) {
    switch (likelihood) {
    case CRD_LIKELIHOOD_NONE: return "specified";
    case CRD_LIKELIHOOD_CLOSED: return "rows, closed form";
    case CRD_LIKELIHOOD_ROWS: return has_learned ? "rows learned" : "rows, held out";
    case CRD_LIKELIHOOD_CLASSES: return has_learned ? "classes learned" : "classes, held out";
    }
    return "";
}

/* Returns how many other models tie with the chosen one. */
static size_t count_tied(const combine_combination *c) {
    size_t chosen = 0, tied = 0, count = crd_hypotheses_count(c->hypotheses);
    crd_hypothesis best = CRD_HYPOTHESIS_INIT, h = CRD_HYPOTHESIS_INIT;
    crd_member member = CRD_MEMBER_INIT;
    for (size_t i = 0; i < count; i++) {
        if (crd_model_member(c->model, i, &member, NULL) == CRD_OK && member.weight == 1) chosen = i;
    }
    if (crd_hypotheses_at(c->hypotheses, chosen, &best, NULL) != CRD_OK) return 0;
    for (size_t i = 0; i < count; i++) {
        if (i == chosen || crd_hypotheses_at(c->hypotheses, i, &h, NULL) != CRD_OK) continue;
        bool by_likelihood = c->rule == CRD_COMBINE_ML && h.likelihood != CRD_LIKELIHOOD_NONE;
        tied += by_likelihood ? h.log_likelihood == best.log_likelihood : h.posterior == best.posterior;
    }
    return tied;
}

/* Adds remarks about impossible rows and about ties. */
static void report_remarks(crd_result *r, const combine_combination *c) {
    crd_hypothesis h = CRD_HYPOTHESIS_INIT;
    char buffer[CRD_NUMBER_ROOM];
    for (size_t i = 0; i < crd_hypotheses_count(c->hypotheses); i++) {
        if (crd_hypotheses_at(c->hypotheses, i, &h, NULL) != CRD_OK || h.impossible == 0) continue;
        crd_result_line(r, CRD_REMARK, "%s: %s row%s impossible", crd_result_show(r, h.name),
                        crd_number_count(h.impossible, buffer), h.impossible == 1 ? " is" : "s are");
    }
    bool is_one = c->rule == CRD_COMBINE_MAP || c->rule == CRD_COMBINE_ML;
    size_t tied = is_one ? count_tied(c) : 0;
    for (size_t i = 0; is_one && i < crd_model_member_count(c->model); i++) {
        crd_member member = CRD_MEMBER_INIT;
        if (crd_model_member(c->model, i, &member, NULL) != CRD_OK || member.weight != 1) continue;
        crd_result_line(r, CRD_REMARK, "%s chooses %s%s", crd_combine_rule_name(c->rule),
                        crd_result_show(r, member.name),
                        tied == 0 ? "" : crd_result_format(r, ", the first of %zu that are equal", tied + 1));
    }
}

/* Adds the row of a model: its prior, likelihood and posterior. */
static void add_hypothesis(crd_result_table *t, const combine_combination *c, size_t index) {
    static const char *const result[] = {"specified", "closed form", "held out", "held out"};
    static const char *const learned_result[] = {"specified", "closed form", "learned", "learned"};
    crd_hypothesis h = CRD_HYPOTHESIS_INIT;
    crd_member member = CRD_MEMBER_INIT;
    if (crd_hypotheses_at(c->hypotheses, index, &h, NULL) != CRD_OK ||
        crd_model_member(c->model, index, &member, NULL) != CRD_OK)
        return;
    bool has_data = h.likelihood != CRD_LIKELIHOOD_NONE;
    bool has_learned = c->has_learned != NULL && c->has_learned[index];
    crd_cell_name(t, h.name);
    if (has_data) {
        crd_cell_number(t, h.prior);
        crd_cell_number(t, h.log_likelihood);
        if (h.log_likelihood == -INFINITY) crd_cell_show_as(t, "-inf", NULL);
        crd_cell_words(t, h.likelihood == CRD_LIKELIHOOD_CLASSES ? "classes" : "rows");
        crd_cell_number(t, h.impossible);
    } else {
        for (size_t i = 0; i < 4; i++) crd_cell_absent(t, "-");
    }
    crd_cell_words(t, (has_learned ? learned_result : result)[h.likelihood]);
    crd_cell_show_as(t, likelihood_in_words(h.likelihood, has_learned), NULL);
    crd_cell_number(t, h.posterior);
    crd_cell_number(t, member.weight);
}

/* Reports the table of hypotheses. */
static void report_hypotheses(crd_result *r, const combine_combination *c) {
    crd_result_line(r, CRD_LINE, "Hypotheses: %zu, combined by %s", crd_hypotheses_count(c->hypotheses),
                    crd_combine_rule_name(c->rule));
    crd_result_prose(r, CRD_EMPTY_LINE, 0, "", "", "");
    crd_result_words(r, "rule", crd_combine_rule_name(c->rule));
    if (c->rule == CRD_COMBINE_GIBBS) crd_result_number(r, "seed", (double)c->seed);
    crd_result_table *t = crd_result_add_table(r, "hypotheses");
    t->is_wrapped = true;
    crd_result_add_column(t, "model", "hypothesis");
    crd_result_add_column(t, "prior", "prior");
    crd_result_add_column(t, "log_likelihood", "log P(D|h)");
    crd_result_add_column(t, "of", NULL);
    crd_result_add_column(t, "impossible", NULL);
    crd_result_add_column(t, "weighed_by", "weighed by")->is_left = true;
    crd_result_add_column(t, "posterior", "posterior");
    crd_result_add_column(t, "weight", NULL);
    for (size_t i = 0; i < crd_hypotheses_count(c->hypotheses); i++) add_hypothesis(t, c, i);
    report_remarks(r, c);
}

/* Reports the prediction of each model, and of the combination, for the row of --given. */
static int report_given(crd_result *r, const combine_combination *c) {
    size_t classes = crd_classifier_class_count(c->classifier);
    double *logs = memory_resize(NULL, classes, sizeof *logs);
    double *probabilities = memory_resize(NULL, classes, sizeof *probabilities);
    crd_answer answer;
    crd_error error;
    given g;
    ensemble m = {.count = 0};
    int ended = given_read_attributes(c->call, c->model, &g);
    if (ended == ENDED_WELL) {
        given_warn_of_unseen(&g);
        ended = ensemble_open(c->model, c->classifier, &m);
    }
    if (ended == ENDED_WELL &&
        crd_classifier_posterior(c->classifier, g.values, logs, probabilities, &answer, &error) != CRD_OK) {
        ended = message_error(&error);
    }
    crd_result_begin(r, CRD_OBJECT, "answer");
    if (ended == ENDED_WELL) ended = ensemble_report_row(r, &m, g.values, probabilities, &answer);
    crd_result_end(r);
    ensemble_close(&m);
    given_free(&g);
    free(logs);
    free(probabilities);
    return ended;
}

/* Writes the report to standard output, because --output names the model. */
static int combine_write_report(const combine_combination *c) {
    output out = {0};
    crd_result *r = report_create(c->call->context);
    crd_result_begin(r, CRD_OBJECT, NULL);
    report_hypotheses(r, c);
    int ended = arguments_have(&c->call->arguments, "given") ? report_given(r, c) : ENDED_WELL;
    crd_result_end(r);
    if (ended == ENDED_WELL) ended = output_open_path(NULL, NULL, &out);
    if (ended == ENDED_WELL) ended = output_choose_format(c->call, &out, FORMATS, FORMAT_TABLE);
    if (ended == ENDED_WELL) report_write(r, &out);
    crd_result_destroy(r);
    return output_close(&out, ended);
}

/* ---- The verb ---- */

/* Weighs and combines the models, writes the combined model if -o is given, and writes the report. */
static int combine_inputs(combine_combination *c, const double *priors, const double *posteriors) {
    const char *target = arguments_value(&c->call->arguments, "output");
    crd_error error;
    if (crd_hypotheses_create(c->call->context, &c->hypotheses, &error) != CRD_OK) return message_error(&error);
    int ended = add_models(c, priors);
    if (ended == ENDED_WELL) ended = combine_weigh(c, posteriors);
    if (ended != ENDED_WELL) return ended;
    if (crd_hypotheses_combine(c->hypotheses, c->rule, c->seed, &c->model, &error) != CRD_OK ||
        crd_classifier_create(c->model, NULL, &c->classifier, &error) != CRD_OK) {
        return message_error(&error);
    }
    if (target != NULL && crd_model_save(c->model, target, &error) != CRD_OK) return message_error(&error);
    ended = combine_write_report(c);
    if (ended == ENDED_WELL && target != NULL) {
        message_note("combined %zu models into %s", crd_hypotheses_count(c->hypotheses), target);
    }
    return ended;
}

static int combine_read_options(const invocation *call, combine_combination *c) {
    const arguments *words = &call->arguments;
    size_t rule = CRD_COMBINE_OPTIMAL, likelihood = CRD_LIKELIHOOD_NONE;
    int ended = arguments_choice(words, "rule", "optimal|gibbs|map|ml", &rule);
    if (ended == ENDED_WELL) ended = arguments_choice(words, "weigh-by", "auto|closed|rows|classes", &likelihood);
    if (ended == ENDED_WELL) ended = arguments_whole(words, "seed", &c->seed);
    c->rule = (crd_combine_rule)rule;
    c->likelihood = (crd_likelihood)likelihood;
    return ended;
}

static int combine_run(invocation *call) {
    combine_combination c = {.call = call, .seed = 1};
    double *priors = NULL, *posteriors = NULL;
    int ended = combine_read_options(call, &c);
    if (ended == ENDED_WELL) ended = read_shares(call, "prior", &priors);
    if (ended == ENDED_WELL) ended = read_shares(call, "posterior", &posteriors);
    if (ended == ENDED_WELL) ended = combine_inputs(&c, priors, posteriors);
    crd_classifier_destroy(c.classifier);
    crd_model_destroy(c.model);
    crd_hypotheses_destroy(c.hypotheses);
    free(c.has_learned);
    free(priors);
    free(posteriors);
    return ended;
}

static const option options[] = {
    {"rule", 0, "optimal|gibbs|map|ml", .help = "Bayes-optimal average, Gibbs, MAP or maximum likelihood (optimal)"},
    {"prior", 0, "P,...", .help = "prior of each model (uniform)"},
    {"posterior", 0, "P,...", .help = "posterior of each model, instead of --prior and --data",
     .conflicts = "prior data"},
    {"data", 0, "FILE", .help = "labeled rows that determine the weights of the models", .file = OPTION_READS},
    {"weigh-by", 0, "auto|closed|rows|classes",
     .help = "likelihood of the rows: marginal (closed), of whole rows, or of classes (auto)", .needs = "data"},
    {"seed", 0, "N", .help = "seed of --rule gibbs (1)", .needs = "rule=gibbs", .is_once = true},
    {"given", 0, "COL=VALUE,...", .help = "one row, which each model predicts"},
    OPTION_FORMAT,
    OPTION_MODEL_OUTPUT,
    OPTIONS_OF_TABLE,
    OPTIONS_OF_READING,
    OPTIONS_END};

const verb verb_combine = {
    .name = "combine",
    .usage = "combine MODEL... [--data FILE | --posterior P,...] [-o MODEL]",
    .summary = "Weigh models as hypotheses and combine them",
    .about = "Each model is a hypothesis h with a prior P(h). The rows D of --data determine its posterior P(h|D), "
             "which is proportional to P(D|h) P(h). The rule optimal (Bayes-optimal classifier) averages the "
             "predictions with weights P(h|D). gibbs draws one model for each row from P(h|D). map uses the most "
             "probable model, and ml the model with the maximum likelihood.\n\n"
             "No other rule has a lower expected error than optimal. If models tie, the first is used. -o writes the "
             "combined model. You can use it like any model, except that you cannot update or query it; update or "
             "query its members before you combine them.\n\n"
             "--weigh-by: closed is the marginal likelihood P(D|h) in closed form, with the parameters integrated "
             "out. It exists if columns are smoothed categories or numbers with the family student. rows is closed if "
             "all models have it, else the probability of each whole row under the trained model. Both compare only "
             "models with the same columns. classes is the conditional likelihood of the rows' classes given their "
             "values, and compares any models. auto is closed if all models have it, else classes. Without --data the "
             "rows are the training rows, if all models have the same.",
    .example = "  credence example tennis > days.csv\n"
               "  credence train days.csv --target Play -o naive.model\n"
               "  credence train days.csv --target Play --ignore Wind -o calm.model\n"
               "  credence combine naive.model calm.model --data days.csv -o both.model\n"
               "  credence predict both.model days.csv\n",
    .essentials = "data|rule|prior|posterior|weigh-by|output|given",
    .options = options,
    .least = 2,
    .most = SIZE_MAX,
    .operands = "two models or more: MODEL MODEL...",
    .reads_operands = true,
    .run = combine_run};
