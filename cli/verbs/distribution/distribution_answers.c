/* SPDX-License-Identifier: MIT */
/* distribution_answers.c - computes and writes densities, probabilities, quantiles and moments of a distribution. */
#include "core/fraction.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "verbs/distribution/distribution_questions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Questions and answers ---- */

/* Adds a row to the table of results. */
CLI_PRINTF(4, 5)
static void distribution_add_answer(crd_result_table *t, const double *values, size_t count, const char *format, ...) {
    string question = {0};
    va_list words;
    va_start(words, format);
    string_format_list(&question, format, words);
    va_end(words);
    crd_cell_words(t, report_take(t->result, &question));
    crd_cell_list(t, values, count);
}

static void distribution_answer_at(const crd_distribution *d, const double *x, const char *shown, crd_result_table *t) {
    const crd_distribution_kind *kind = crd_distribution_kind_of(d);
    double density = crd_distribution_density(d, x), logarithm = crd_distribution_log_density(d, x);
    distribution_add_answer(t, &density, 1, kind->is_discrete ? "P(X = %s)" : "density at %s", shown);
    distribution_add_answer(t, &logarithm, 1, kind->is_discrete ? "ln P(X = %s)" : "ln density at %s", shown);
}

/* Computes one result, such as a density or a quantile, and adds it to the table. */
static int answer_one(const crd_distribution *d, const char *requested, const double *x, const char *shown,
                      crd_result_table *t) {
    double result[2];
    if (strcmp(requested, "below") == 0) {
        result[0] = crd_distribution_less(d, x[0]);
        distribution_add_answer(t, result, 1, "P(X < %s)", shown);
    } else if (strcmp(requested, "at-most") == 0) {
        result[0] = crd_distribution_below(d, x[0]);
        distribution_add_answer(t, result, 1, "P(X <= %s)", shown);
    } else if (strcmp(requested, "above") == 0) {
        result[0] = crd_distribution_above(d, x[0]);
        distribution_add_answer(t, result, 1, "P(X > %s)", shown);
    } else if (strcmp(requested, "at-least") == 0) {
        result[0] = crd_distribution_at_least(d, x[0]);
        distribution_add_answer(t, result, 1, "P(X >= %s)", shown);
    } else if (!(x[0] >= 0 && x[0] <= 1)) {
        return message_usage("--%s: expected a probability from 0 to 1, got '%s'", requested, shown);
    } else if (strcmp(requested, "quantile") == 0) {
        result[0] = crd_distribution_quantile(d, x[0]);
        distribution_add_answer(t, result, 1, "quantile %s", shown);
    } else {
        crd_distribution_interval(d, x[0], &result[0], &result[1]);
        distribution_add_answer(t, result, 2, "central interval %s", shown);
    }
    return ENDED_WELL;
}

static int answer_between(const crd_distribution *d, const double *ends, crd_result_table *t) {
    char low[CRD_NUMBER_ROOM], high[CRD_NUMBER_ROOM];
    crd_number_format(ends[0], low);
    crd_number_format(ends[1], high);
    if (ends[0] > ends[1])
        return message_usage("--between: the first number must be smaller: %s is not below %s", low, high);
    double between = crd_distribution_between(d, ends[0], ends[1]);
    distribution_add_answer(t, &between, 1, "P(%s <= X <= %s)", low, high);
    return ENDED_WELL;
}

static const char *const asking[] = {"at", "below", "at-most", "above", "at-least", "between", "quantile", "interval"};
enum { ASKING = sizeof asking / sizeof asking[0] };

/* Computes the results of an option, and checks the number of its values. */
static int answer_option(const crd_distribution *d, const given_option *o, crd_result_table *t) {
    size_t count = 0, dimension = crd_distribution_dimension(d);
    bool is_at = strcmp(o->name, "at") == 0, is_between = strcmp(o->name, "between") == 0;
    const char *name = crd_distribution_kind_of(d)->name;
    if (!is_at && dimension > 1) return message_usage("%s supports only --at: its values have no order", name);
    double *numbers = fraction_parse_list(o->value, &count, true);
    size_t wanted = is_at ? dimension : is_between ? 2 : 1;
    int ended = ENDED_WELL;
    if (numbers == NULL || count != wanted) {
        ended = message_usage("--%s: expected %zu number%s, got '%s'", o->name, wanted,
                              wanted == 1 ? "" : "s separated by commas", o->value);
    } else if (is_at) {
        distribution_answer_at(d, numbers, o->value, t);
    } else {
        ended = is_between ? answer_between(d, numbers, t) : answer_one(d, o->name, numbers, o->value, t);
    }
    free(numbers);
    return ended;
}

static int distribution_answer_all(const invocation *call, const crd_distribution *d, crd_result_table *t) {
    int ended = ENDED_WELL;
    for (size_t i = 0; i < call->arguments.option_count && ended == ENDED_WELL; i++) {
        const given_option *o = &call->arguments.options[i];
        for (size_t j = 0; j < ASKING && ended == ENDED_WELL; j++) {
            if (strcmp(o->name, asking[j]) == 0) ended = answer_option(d, o, t);
        }
    }
    return ended;
}

/* ---- The report ---- */

static double distribution_height(void *user, size_t line, double x) {
    (void)line;
    return crd_distribution_density(user, &x);
}

/* Reports the density between its extreme quantiles. */
static void report_curve(crd_result *r, crd_distribution *d) {
    crd_result_curves curves = {.lower = crd_distribution_quantile(d, 0.001),
                                .upper = crd_distribution_quantile_above(d, 0.001),
                                .count = 1,
                                .is_discrete = crd_distribution_kind_of(d)->is_discrete != 0,
                                .user = d,
                                .height = distribution_height};
    crd_result_add_curves(r, &curves);
}

/* Adds a number, or a list of numbers if `count` is not 1. */
static void report_numbers(crd_result *r, const char *key, const double *values, size_t count) {
    if (count != 1) crd_result_begin(r, CRD_ARRAY, key);
    for (size_t i = 0; i < count; i++) crd_result_number(r, count == 1 ? key : NULL, values[i]);
    if (count != 1) crd_result_end(r);
}

/* Reports mean and variance. In JSON they are separate members; elsewhere they are the first rows of the table of
 * results, which is returned. */
static crd_result_table *distribution_report_moments(crd_result *r, const crd_distribution *d) {
    size_t n = crd_distribution_dimension(d);
    const char *name = n == 1 ? "variance" : "covariance";
    double *moments = memory_resize(NULL, n + n * n, sizeof *moments), *variance = moments + n;
    crd_distribution_mean(d, moments);
    crd_distribution_variance(d, variance);
    report_numbers(r, "mean", moments, n);
    report_numbers(r, name, variance, n * n);
    crd_result_table *t = crd_result_add_table(r, "results");
    t->shape = CRD_TABLE_MAP;
    t->is_headed = false;
    t->is_main = true;
    t->indent = 0;
    crd_result_add_column(t, "query", "");
    crd_result_add_column(t, "value", "")->is_left = true;
    t->audience = CRD_FOR_PEOPLE | CRD_FOR_CSV;
    distribution_add_answer(t, moments, n, "mean");
    double deviation = crd_distribution_deviation(d);
    for (size_t i = 0; i < n; i++) {
        t->audience = CRD_FOR_PEOPLE | CRD_FOR_CSV;
        crd_cell_words(t, name);
        if (i > 0) crd_cell_show_as(t, "", NULL);
        crd_cell_list(t, variance + i * n, n);
        if (isfinite(deviation) && isinf(variance[0])) crd_cell_show_as(t, "too large for a number", NULL);
        else if (deviation > 0 && variance[0] == 0) crd_cell_show_as(t, "too small for a number", NULL);
    }
    if (n == 1) {
        t->audience = CRD_FOR_PEOPLE;
        distribution_add_answer(t, &deviation, 1, "sd");
    }
    free(moments);
    return t;
}

/* ---- The picture ---- */

enum { CURVE_POINTS = 241, MOST_SHADES = 16 };

/* The areas and points that the options request. */
typedef struct asked_areas {
    crd_plot_interval shades[MOST_SHADES];
    double points[MOST_SHADES];
    size_t shade_count, point_count;
} asked_areas;

static void add_area(crd_result *r, asked_areas *areas, double start, double end, double probability,
                     const char *description) {
    char buffer[CRD_NUMBER_ROOM];
    if (areas->shade_count == MOST_SHADES) return;
    const char *label = crd_result_format(r, "%s = %s", description, crd_number_round(probability, buffer));
    areas->shades[areas->shade_count++] = (crd_plot_interval){start, end, crd_text_of(label)};
}

/* Adds the area or point of an option. For integers, the values strictly below x end at the next smaller one. */
static void add_asked(crd_result *r, const crd_distribution *d, const given_option *o, asked_areas *areas) {
    const bool is_discrete = crd_distribution_kind_of(d)->is_discrete != 0;
    size_t count = 0;
    double *x = fraction_parse_list(o->value, &count, true), low = 0, high = 0;
    const char *name = o->name;
    if (x == NULL || count == 0) {
        free(x);
        return;
    }
    if (strcmp(name, "below") == 0)
        add_area(r, areas, -INFINITY, is_discrete ? ceil(x[0]) - 1 : x[0], crd_distribution_less(d, x[0]),
                 crd_result_format(r, "P(X < %s)", o->value));
    else if (strcmp(name, "at-most") == 0)
        add_area(r, areas, -INFINITY, x[0], crd_distribution_below(d, x[0]),
                 crd_result_format(r, "P(X \xE2\x89\xA4 %s)", o->value));
    else if (strcmp(name, "above") == 0)
        add_area(r, areas, is_discrete ? floor(x[0]) + 1 : x[0], INFINITY, crd_distribution_above(d, x[0]),
                 crd_result_format(r, "P(X > %s)", o->value));
    else if (strcmp(name, "at-least") == 0)
        add_area(r, areas, x[0], INFINITY, crd_distribution_at_least(d, x[0]),
                 crd_result_format(r, "P(X \xE2\x89\xA5 %s)", o->value));
    else if (strcmp(name, "between") == 0 && count == 2)
        add_area(r, areas, x[0], x[1], crd_distribution_between(d, x[0], x[1]),
                 crd_result_format(r, "P(%g \xE2\x89\xA4 X \xE2\x89\xA4 %g)", x[0], x[1]));
    else if (strcmp(name, "interval") == 0) {
        char ends[2][CRD_NUMBER_ROOM];
        crd_distribution_interval(d, x[0], &low, &high);
        add_area(r, areas, low, high, crd_distribution_between(d, low, high),
                 crd_result_format(r, "P(%s \xE2\x89\xA4 X \xE2\x89\xA4 %s)", crd_number_round(low, ends[0]),
                                   crd_number_round(high, ends[1])));
    } else if ((strcmp(name, "at") == 0 || strcmp(name, "quantile") == 0) && areas->point_count < MOST_SHADES)
        areas->points[areas->point_count++] = name[0] == 'a' ? x[0] : crd_distribution_quantile(d, x[0]);
    free(x);
}

/* Returns a title such as "normal mean=100 sd=15". */
static const char *distribution_title(crd_result *r, const invocation *call) {
    string title = {0};
    for (size_t i = 0; i < call->arguments.operand_count; i++) {
        string_format(&title, "%s", i == 0 ? "" : " ");
        string_add_shown(&title, crd_text_of(call->arguments.operands[i]));
    }
    return report_take(r, &title);
}

/* Draws the density between its extreme quantiles, or as far as the options need. */
static int distribution_draw_picture(crd_result *r, const invocation *call, const crd_distribution *d) {
    const bool is_discrete = crd_distribution_kind_of(d)->is_discrete != 0;
    const double left_out = is_discrete ? 0.0001 : 0.001;
    double lower = crd_distribution_quantile(d, left_out), upper = crd_distribution_quantile_above(d, left_out);
    double x[CURVE_POINTS], y[CURVE_POINTS];
    asked_areas areas = {.shade_count = 0};
    size_t count = CURVE_POINTS;
    for (size_t i = 0; i < call->arguments.option_count; i++)
        for (size_t j = 0; j < ASKING; j++)
            if (strcmp(call->arguments.options[i].name, asking[j]) == 0)
                add_asked(r, d, &call->arguments.options[i], &areas);
    /* The requested areas are visible, unless they are far away. */
    const double reach = upper - lower;
    for (size_t i = 0; i < areas.point_count; i++) {
        if (areas.points[i] < lower && areas.points[i] > lower - reach) lower = areas.points[i];
        if (areas.points[i] > upper && areas.points[i] < upper + reach) upper = areas.points[i];
    }
    if (is_discrete && upper - lower + 1 < CURVE_POINTS) count = (size_t)(upper - lower) + 1;
    if (!isfinite(upper - lower) || (count > 1 && !(upper > lower))) return ENDED_WELL;
    for (size_t i = 0; i < count; i++) {
        x[i] = count == 1 ? lower : lower + (upper - lower) * ((double)i / (double)(count - 1));
        if (is_discrete) x[i] = floor(x[i] + 0.5);
        y[i] = crd_distribution_density(d, &x[i]);
    }
    const crd_plot_series series = {crd_text_of(crd_distribution_kind_of(d)->name), x, y, count};
    crd_plot_densities densities = CRD_PLOT_DENSITIES_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    crd_error error;
    densities.series = &series;
    densities.count = 1;
    densities.x_name = crd_text_of("x");
    densities.cut_points = areas.points;
    densities.cut_point_count = areas.point_count;
    densities.shades = areas.shades;
    densities.shade_count = areas.shade_count;
    densities.is_discrete = is_discrete;
    options.title = crd_text_of(distribution_title(r, call));
    options.width = 640;
    crd_status status = crd_plot_draw_densities(crd_result_context(r), &densities, &options, &svg, &error);
    return report_add_picture(r, status, &svg, &error);
}

/* ---- Several variables ---- */

/* Reports the moments of several variables. */
static void report_variables(crd_result *r, const random_variables *v) {
    crd_result_table *t = crd_result_add_table(r, "variables");
    t->indent = 0;
    crd_result_add_column(t, "variable", "variable");
    crd_result_add_column(t, "distribution", "distribution")->is_left = true;
    crd_result_add_column(t, "mean", "mean");
    crd_result_add_column(t, "variance", "variance");
    for (size_t i = 0; i < v->count; i++) {
        double mean = NAN, variance = NAN;
        const bool is_plain = crd_distribution_dimension(v->distributions[i]) == 1;
        if (is_plain) crd_distribution_mean(v->distributions[i], &mean);
        if (is_plain) crd_distribution_variance(v->distributions[i], &variance);
        crd_cell_name(t, v->names[i]);
        crd_cell_words(t, crd_distribution_kind_of(v->distributions[i])->name);
        crd_cell_number(t, mean);
        crd_cell_number(t, variance);
    }
}

/* Computes the events of several variables and writes the report. */
static int answer_several(const invocation *call, const random_variables *v) {
    crd_result *r = report_create(call->context);
    crd_result_begin(r, CRD_OBJECT, NULL);
    report_variables(r, v);
    const bool is_asked = arguments_have(&call->arguments, "of");
    if (is_asked) crd_result_prose(r, CRD_EMPTY_LINE, 0, "", "", "");
    crd_result_table *t = crd_result_add_table(r, "results");
    t->shape = CRD_TABLE_MAP;
    t->is_headed = false;
    t->is_main = is_asked;
    t->indent = 0;
    crd_result_add_column(t, "query", "");
    crd_result_add_column(t, "value", "")->is_left = true;
    int ended = distribution_answer_events(call, v, t);
    crd_result_end(r);
    return report_finish(r, call, FORMATS, ended);
}

int distribution_answer(const invocation *call, const random_variables *variables) {
    if (variables->count > 1) return answer_several(call, variables);
    crd_distribution *d = variables->distributions[0];
    crd_result *r = report_create_drawn(call);
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_words(r, "distribution", crd_distribution_kind_of(d)->name);
    crd_result_table *t = distribution_report_moments(r, d);
    int ended = distribution_answer_all(call, d, t);
    if (ended == ENDED_WELL) ended = distribution_answer_events(call, variables, t);
    crd_result_end(r);
    if (crd_distribution_dimension(d) == 1) report_curve(r, d);
    if (ended == ENDED_WELL && crd_distribution_dimension(d) == 1 && crd_result_is_for(r, CRD_FOR_PICTURES))
        ended = distribution_draw_picture(r, call, d);
    return report_finish(r, call, FORMATS, ended);
}
