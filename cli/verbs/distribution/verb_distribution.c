/* SPDX-License-Identifier: MIT */
/* verb_distribution.c - the verb distribution: lists the distributions, and creates random variables from their
 * parameters. */
#include "verbs/distribution/distribution_questions.h"

#include "core/fraction.h"
#include "core/lists.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "core/verb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The parameters ---- */

/* Appends the parameters of a distribution with their default values, such as "n, p=0.5". */
static void add_parameters(string *out, const crd_distribution_kind *kind) {
    char buffer[CRD_NUMBER_ROOM];
    for (size_t i = 0; i < kind->parameter_count; i++) {
        string_format(out, "%s%s", i == 0 ? "" : ", ", kind->parameters[i].name);
        if (isnan(kind->parameters[i].standard)) continue;
        crd_number_format(kind->parameters[i].standard, buffer);
        string_format(out, "=%s", buffer);
    }
}

/* Prints an error for an unknown distribution, with a similar name or the list of names. */
static int unknown_distribution(const char *name) {
    const crd_distribution_kind *kind;
    message_usage("unknown distribution '%s'", name);
    for (size_t i = 0; (kind = crd_distribution_kind_at(i)) != NULL; i++) {
        if (!list_near(crd_text_of(name), crd_text_of(kind->name))) continue;
        message_hint("did you mean %s?", kind->name);
        return ENDED_USAGE;
    }
    string names = {0};
    for (size_t i = 0; (kind = crd_distribution_kind_at(i)) != NULL; i++) {
        string_format(&names, "%s%s", i == 0 ? "" : ", ", kind->name);
    }
    message_hint("the distributions are %s", string_text(&names));
    string_free(&names);
    return ENDED_USAGE;
}

/* Reads name=value, or only a value for the parameter at this position. */
static int read_parameter(const crd_distribution_kind *kind, const char *word, size_t place, crd_parameter_value *out) {
    const char *equals = strchr(word, '='), *value = equals == NULL ? word : equals + 1;
    if (equals == NULL && place >= kind->parameter_count) {
        string names = {0};
        add_parameters(&names, kind);
        message_usage("%s: unexpected value '%s'", kind->name, word);
        message_hint("its parameters are %s", string_text(&names));
        string_free(&names);
        return ENDED_USAGE;
    }
    out->name = equals == NULL ? crd_text_of(kind->parameters[place].name) : (crd_text){word, (size_t)(equals - word)};
    out->values = fraction_parse_list(value, &out->count, false);
    if (out->values == NULL) return message_usage("'%s' is not a number: %s", value, word);
    return ENDED_WELL;
}

/* Creates a distribution from its name and the parameters after it. */
static int make_distribution(const invocation *call, const char *name, const char *const *words, size_t count,
                             crd_distribution **out) {
    const crd_distribution_kind *kind = crd_distribution_kind_named(crd_text_of(name));
    if (kind == NULL) return unknown_distribution(name);
    crd_parameter_value *values = memory_resize(NULL, count, sizeof *values);
    memset(values, 0, (count == 0 ? 1 : count) * sizeof *values);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < count && ended == ENDED_WELL; i++) ended = read_parameter(kind, words[i], i, &values[i]);
    crd_error error;
    if (ended == ENDED_WELL &&
        crd_distribution_create(call->context, crd_text_of(kind->name), values, count, out, &error) != CRD_OK) {
        string names = {0};
        add_parameters(&names, kind);
        ended = message_usage("%s", error.message);
        message_hint("the parameters of %s are %s", kind->name, string_text(&names));
        string_free(&names);
    }
    for (size_t i = 0; i < count; i++) free((void *)(uintptr_t)values[i].values);
    free(values);
    return ended;
}

/* ---- Random variables ---- */

/* Returns whether a word is VARIABLE=DISTRIBUTION. Sets *name to the part after the sign. */
static bool begins_variable(const char *word, const char **name) {
    const char *equals = strchr(word, '=');
    if (equals == NULL || equals == word || crd_distribution_kind_named(crd_text_of(equals + 1)) == NULL) return false;
    *name = equals + 1;
    return true;
}

/* Adds a variable from the words at *cursor, and moves *cursor after them. */
static int distribution_add_variable(const invocation *call, size_t *cursor, random_variables *v) {
    const arguments *given = &call->arguments;
    const char *word = given->operands[*cursor], *name = word, *next;
    const bool is_named = begins_variable(word, &name);
    size_t end = *cursor + 1;
    while (end < given->operand_count && !begins_variable(given->operands[end], &next)) end++;
    v->names = memory_resize(v->names, v->count + 1, sizeof *v->names);
    v->distributions = memory_resize(v->distributions, v->count + 1, sizeof *v->distributions);
    v->names[v->count] = is_named ? (crd_text){word, (size_t)(name - 1 - word)} : crd_text_of("X");
    v->is_unnamed = v->is_unnamed || !is_named;
    for (size_t i = 0; i < v->count; i++)
        if (crd_text_equal(v->names[i], v->names[v->count]))
            return message_usage("two variables are called '%.*s'", (int)v->names[i].length, v->names[i].bytes);
    v->distributions[v->count++] = NULL;
    int ended = make_distribution(call, name, given->operands + *cursor + 1, end - *cursor - 1,
                                  &v->distributions[v->count - 1]);
    *cursor = end;
    return ended;
}

static int read_variables(const invocation *call, random_variables *v) {
    int ended = ENDED_WELL;
    for (size_t index = 0; ended == ENDED_WELL && index < call->arguments.operand_count;)
        ended = distribution_add_variable(call, &index, v);
    return ended;
}

/* Rejects options other than --of and --given if there are several variables. */
static int check_several(const invocation *call, const random_variables *v) {
    static const char *const of_one[] = {"at",      "below",    "at-most",  "above", "at-least",
                                         "between", "quantile", "interval", "draws", "plot"};
    for (size_t i = 0; v->count > 1 && i < sizeof of_one / sizeof *of_one; i++) {
        if (!arguments_have(&call->arguments, of_one[i])) continue;
        message_usage("--%s needs one distribution, got %zu", of_one[i], v->count);
        message_hint("use --of EVENT for several, as in --of '%.*s>=2'", (int)v->names[0].length, v->names[0].bytes);
        return ENDED_USAGE;
    }
    return ENDED_WELL;
}

/* ---- The verb ---- */

/* Lists all distributions with their parameters. */
static int list_distributions(const invocation *call) {
    const crd_distribution_kind *kind;
    crd_result *r = report_create(call->context);
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_main = true;
    t->indent = 0;
    crd_result_add_column(t, "name", "name");
    crd_result_add_column(t, "parameters", "parameters")->is_left = true;
    crd_result_add_column(t, "summary", "summary")->is_left = true;
    crd_result_begin(r, CRD_ARRAY, NULL);
    for (size_t i = 0; (kind = crd_distribution_kind_at(i)) != NULL; i++) {
        string parameters = {0};
        add_parameters(&parameters, kind);
        crd_cell_words(t, kind->name);
        crd_cell_words(t, report_take(r, &parameters));
        crd_cell_words(t, kind->summary);
        crd_result_begin(r, CRD_OBJECT, NULL);
        crd_result_words(r, "name", kind->name);
        crd_result_begin(r, CRD_ARRAY, "parameters");
        for (size_t k = 0; k < kind->parameter_count; k++) {
            crd_result_begin(r, CRD_OBJECT, NULL);
            crd_result_words(r, "name", kind->parameters[k].name);
            crd_result_number(r, "default", kind->parameters[k].standard);
            crd_result_end(r);
        }
        crd_result_end(r);
        crd_result_words(r, "summary", kind->summary);
        crd_result_end(r);
    }
    crd_result_end(r);
    return report_finish(r, call, FORMATS, ENDED_WELL);
}

static int distribution_run(invocation *call) {
    random_variables v = {0};
    uint64_t seed;
    if (call->arguments.operand_count == 0) return list_distributions(call);
    int ended = arguments_whole(&call->arguments, "seed", &seed); /* checked even if nothing is drawn */
    if (ended == ENDED_WELL) ended = read_variables(call, &v);
    if (ended == ENDED_WELL) ended = check_several(call, &v);
    if (ended == ENDED_WELL)
        ended = arguments_have(&call->arguments, "draws") ? distribution_draw(call, v.distributions[0])
                                                          : distribution_answer(call, &v);
    for (size_t i = 0; i < v.count; i++) crd_distribution_destroy(v.distributions[i]);
    free(v.distributions);
    free(v.names);
    return ended;
}

static const char *name_at(size_t index) {
    const crd_distribution_kind *kind = crd_distribution_kind_at(index);
    return kind == NULL ? NULL : kind->name;
}

static const option options[] = {
    {"at", 0, "X", .help = "probability or density at X, and its logarithm"},
    {"below", 0, "X", .help = "P(X < x)"},
    {"at-most", 0, "X", .help = "P(X <= x)"},
    {"above", 0, "X", .help = "P(X > x)"},
    {"at-least", 0, "X", .help = "P(X >= x)"},
    {"between", 0, "A,B", .help = "P(A <= X <= B)"},
    {"quantile", 0, "P", .help = "quantile: the smallest x with P(X <= x) >= P"},
    {"interval", 0, "P", .help = "central interval of probability P"},
    {"of", 0, "EVENT", .help = "probability of an event such as 'X even', 'X in {2,3}' or 'A=5 and B>=7'"},
    {"given", 0, "EVENT", .help = "condition of --of", .needs = "of", .is_once = true},
    {"draws", 0, "N", .help = "draw N values instead of computing the above",
     .conflicts = "at below at-most above at-least between quantile interval of", .is_once = true},
    {"seed", 0, "S", .help = "seed of the draws (1)", .is_once = true},
    OPTION_FORMAT,
    {"plot", 0, "FILE.svg|FILE.html", .help = "draw the density, and shade the requested probabilities",
     .conflicts = "draws", .file = OPTION_WRITES, .is_once = true},
    OPTION_OUTPUT,
    OPTIONS_END};

const verb verb_distribution = {
    .name = "distribution",
    .usage = "distribution [NAME PARAMETER=VALUE... [--at X] [--between A,B] [--quantile P] ...] | distribution "
             "VARIABLE=NAME PARAMETER=VALUE... [VARIABLE=NAME ...] --of EVENT [--given EVENT]",
    .summary = "Compute densities, probabilities, quantiles of distributions",
    .about = "Prints mean and variance, and the results that the options request; on a terminal also a plot. Without a "
             "name, lists the distributions. Give parameters by name or by position: binomial 10 0.5 is binomial n=10 "
             "p=0.5. Numbers may be fractions: p=1/6. --of computes the probability of an event of X, or of several "
             "independent variables that you name.\n\n"
             "In several dimensions (multivariate-normal), separate numbers by commas: mean=0,0 covariance=1,.5,.5,2 "
             "--at 1,1.",
    .example = "  credence distribution normal mean=100 sd=15 --between 85,115\n"
               "  credence distribution binomial n=10 p=.5 --at 5 --at-least 8\n"
               "  credence distribution student degrees=9 --interval 0.95\n"
               "  credence distribution binomial 10 1/2 --of 'X even' --of 'X in {3,4}'\n"
               "  credence distribution you=binomial 10 1/2 friend=binomial 10 1/2 --of 'you=5 and friend=7'\n"
               "  credence distribution poisson mean=3 --draws 5 --seed 7\n",
    .essentials = "at|below|above|between|quantile|interval|of|given|draws|plot|format",
    .options = options,
    .operand = name_at,
    .least = 0,
    .most = SIZE_MAX,
    .operands = "",
    .run = distribution_run};
