/* SPDX-License-Identifier: MIT */
/* query_network_numbers.c - see query_network_numbers.h. */
#include "verbs/query/query_network_numbers.h"

#include "core/messages.h"

#include <math.h>
#include <stdlib.h>

/* The bounds of the interval in the text report, which contains 95 % of the probability. */
static const double LOW = 0.025, HIGH = 0.975;

numbers_table numbers_table_begin(network_question *q) {
    network_question_heading(q, "Each continuous node");
    numbers_table t = {crd_result_add_table(q->report, NULL)};
    crd_result_add_column(t.table, NULL, "node");
    crd_result_add_column(t.table, NULL, "mean");
    crd_result_add_column(t.table, NULL, "sd");
    crd_result_add_column(t.table, NULL, "2.5 %");
    crd_result_add_column(t.table, NULL, "97.5 %");
    return t;
}

void numbers_table_add(numbers_table *t, crd_text name, const crd_normal_mixture *mixture) {
    crd_cell_name(t->table, name);
    crd_cell_number(t->table, mixture->mean);
    crd_cell_number(t->table, sqrt(mixture->variance));
    crd_cell_number(t->table, crd_normal_mixture_quantile(mixture, LOW));
    crd_cell_number(t->table, crd_normal_mixture_quantile(mixture, HIGH));
}

/* Reports the median and the bounds of the 95 % interval. */
static void report_quantiles(crd_result *r, const crd_normal_mixture *mixture, bool is_hidden) {
    static const struct {
        const char *key, *title;
        double p;
    } shown[] = {{"0.025", "2.5 %", 0.025}, {"0.5", "median", 0.5}, {"0.975", "97.5 %", 0.975}};
    crd_result_table *t = crd_result_add_table(r, "quantiles");
    t->shape = CRD_TABLE_MAP;
    t->is_headed = false;
    t->is_hidden = is_hidden;
    crd_result_add_column(t, "p", "");
    crd_result_add_column(t, "quantile", "");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        crd_cell_words(t, shown[i].key);
        crd_cell_show_as(t, shown[i].title, NULL);
        crd_cell_number(t, crd_normal_mixture_quantile(mixture, shown[i].p));
    }
}

/* Reports the components of the mixture, unless there is only one. */
static void numeric_query_report_components(crd_result *r, const crd_normal_mixture *mixture, bool shows_all,
                                            bool is_hidden) {
    size_t count = mixture->count;
    if (count > 1 && !is_hidden) crd_result_line(r, CRD_LINE, "a mixture of %zu normal distributions:", count);
    crd_result_table *t = crd_result_add_table(r, "components");
    t->is_hidden = is_hidden || count == 1;
    if (!shows_all) t->rows_shown = QUERY_VALUES_SHOWN;
    crd_result_add_column(t, "weight", "weight");
    crd_result_add_column(t, "mean", "mean");
    crd_result_add_column(t, "variance", NULL);
    crd_result_add_column(t, NULL, "sd");
    for (size_t i = 0; i < count; i++) {
        const crd_normal_component *component = &mixture->components[i];
        crd_cell_number(t, component->weight);
        crd_cell_number(t, component->mean);
        crd_cell_number(t, component->variance);
        crd_cell_number(t, sqrt(component->variance));
    }
    if (!t->is_hidden && count > t->rows_shown)
        crd_result_line(r, CRD_REMARK, "and %zu more (--all)", count - t->rows_shown);
}

/* Plots the density between its quantiles 0.001 and 0.999. */
static int numeric_query_draw_density(network_question *q, size_t node, const crd_normal_mixture *mixture) {
    enum { POINTS = 161 };
    static const double LEFT_OUT = 0.001;
    crd_result *r = q->report;
    double x[POINTS], y[POINTS];
    if (!crd_result_is_for(r, CRD_FOR_PICTURES)) return ENDED_WELL;
    const double lower = crd_normal_mixture_quantile(mixture, LEFT_OUT),
                 upper = crd_normal_mixture_quantile(mixture, 1 - LEFT_OUT);
    if (!(upper > lower) || !isfinite(upper - lower)) return ENDED_WELL;
    for (size_t i = 0; i < POINTS; i++) {
        x[i] = lower + (upper - lower) * ((double)i / (POINTS - 1));
        y[i] = crd_normal_mixture_density(mixture, x[i]);
    }
    const crd_plot_series series = {q->known.names[node], x, y, POINTS};
    crd_plot_densities densities = CRD_PLOT_DENSITIES_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    crd_error error;
    options.title = crd_text_of(crd_result_format(r, "p(%s%s%s)", crd_result_show(r, q->known.names[node]),
                                                  q->known.text.length > 0 ? " | " : "", string_text(&q->known.text)));
    densities.series = &series;
    densities.count = 1;
    densities.x_name = q->known.names[node];
    crd_status status = crd_plot_draw_densities(crd_result_context(r), &densities, &options, &svg, &error);
    return report_add_picture(r, status, &svg, &error);
}

int numbers_report(network_question *q, size_t node, const crd_normal_mixture *mixture, bool is_hidden) {
    crd_result *r = q->report;
    char buffer[2][CRD_NUMBER_ROOM];
    double mean = mixture->mean, variance = mixture->variance;
    if (!is_hidden) network_question_heading(q, crd_result_show(r, q->known.names[node]));
    report_object_named(r, q->known.names[node]);
    if (!is_hidden)
        crd_result_line(r, CRD_LINE, "mean %s, standard deviation %s", crd_number_round(mean, buffer[0]),
                        crd_number_round(sqrt(variance), buffer[1]));
    crd_result_number(r, "mean", mean);
    crd_result_number(r, "variance", variance);
    crd_result_number(r, "sd", sqrt(variance));
    report_quantiles(r, mixture, is_hidden);
    numeric_query_report_components(r, mixture, q->all, is_hidden);
    crd_result_end(r);
    return numeric_query_draw_density(q, node, mixture);
}

/* ---- Joint moments ---- */

static double correlation_of(const double *covariance, size_t count, size_t i, size_t j) {
    double scale = sqrt(covariance[i * count + i] * covariance[j * count + j]);
    return i == j ? 1 : scale > 0 ? covariance[i * count + j] / scale : 0;
}

/* Reports mean, standard deviation and correlations of several nodes as a text table. */
static void report_correlations(network_question *q, const size_t *nodes, size_t count, const double *means,
                                const double *covariance) {
    crd_result_table *t = crd_result_add_table(q->report, NULL);
    crd_result_add_column(t, NULL, "node");
    crd_result_add_column(t, NULL, "mean");
    crd_result_add_column(t, NULL, "sd");
    for (size_t i = 0; i < count; i++)
        crd_result_add_column(
            t, NULL, crd_result_format(q->report, "r(%s)", crd_result_show(q->report, q->known.names[nodes[i]])));
    for (size_t i = 0; i < count; i++) {
        crd_cell_name(t, q->known.names[nodes[i]]);
        crd_cell_number(t, means[i]);
        crd_cell_number(t, sqrt(covariance[i * count + i]));
        for (size_t j = 0; j < count; j++) crd_cell_number(t, correlation_of(covariance, count, i, j));
    }
}

void numbers_report_together(network_question *q, const size_t *nodes, size_t count, const double *means,
                             const double *covariance) {
    crd_result *r = q->report;
    string key = {0}, given_string = {0};
    joint_add_key(&key, q->known.names, nodes, count);
    words_add_names(&given_string, q->known.names, nodes, count);
    network_question_heading(q, string_text(&given_string));
    report_correlations(q, nodes, count, means, covariance);
    report_object_named(r, (crd_text){string_text(&key), key.length});
    crd_result_begin(r, CRD_OBJECT, "mean");
    for (size_t i = 0; i < count; i++) report_number_named(r, q->known.names[nodes[i]], means[i]);
    crd_result_end(r);
    crd_result_begin(r, CRD_OBJECT, "covariance");
    for (size_t i = 0; i < count; i++) {
        report_object_named(r, q->known.names[nodes[i]]);
        for (size_t j = 0; j < count; j++) report_number_named(r, q->known.names[nodes[j]], covariance[i * count + j]);
        crd_result_end(r);
    }
    crd_result_end(r);
    crd_result_end(r);
    string_free(&key);
    string_free(&given_string);
}
