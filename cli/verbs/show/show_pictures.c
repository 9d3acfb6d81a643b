/* SPDX-License-Identifier: MIT */
/* show_pictures.c - see show_pictures.h. */
#include "verbs/show/show_pictures.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "verbs/show/show_curves.h"

#include <math.h>
#include <stdlib.h>

/* Maximum numbers of series in a picture and columns in a table that a reader can distinguish. */
enum { MOST_SERIES = 26, MOST_COLUMNS = 8, MOST_VALUES = 40, MOST_NOMOGRAMS = 4 };

static crd_plot_options show_pictures_options(const char *title) {
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    options.title = crd_text_of(title);
    return options;
}

/* Returns a title such as "P(Outlook | Play)". symbol: the text before the bracket. */
static const char *given_class(crd_result *r, const attribute_view *v, const char *symbol) {
    string title = {0};
    string_format(&title, "%s(", symbol);
    string_add_shown(&title, v->summary->attributes[v->attribute].name);
    string_format(&title, " | ");
    if (v->ranks_values) string_format(&title, "state)");
    else {
        string_add_shown(&title, v->summary->target);
        string_format(&title, ")");
    }
    return report_take(r, &title);
}

/* Draws the prior probabilities of the classes as bars. */
int picture_prior(crd_result *r, const crd_classifier *classifier, const size_t *classes, size_t count) {
    if (!crd_result_is_for(r, CRD_FOR_PICTURES) || count < 2) return ENDED_WELL;
    crd_plot_bar *bars = memory_resize(NULL, count, sizeof *bars);
    for (size_t i = 0; i < count; i++) {
        crd_term term = CRD_TERM_INIT;
        bars[i] = (crd_plot_bar){.name = crd_classifier_class(classifier, classes[i])};
        if (crd_classifier_prior(classifier, classes[i], &term, NULL) == CRD_OK)
            bars[i].value = crd_exp(term.log_value);
    }
    crd_plot_bars plot = CRD_PLOT_BARS_INIT;
    crd_plot_options options = show_pictures_options("Prior");
    char *svg = NULL;
    crd_error error;
    plot.bars = bars;
    plot.count = count;
    plot.are_probabilities = 1;
    crd_status status = crd_plot_draw_bars(crd_result_context(r), &plot, &options, &svg, &error);
    free(bars);
    return report_add_picture(r, status, &svg, &error);
}

/* ---- Numbers ---- */

/* Returns the index of a class among the drawn classes; CRD_NONE: it is not drawn. */
static size_t show_pictures_place(const attribute_view *v, size_t count, size_t class_index) {
    for (size_t i = 0; i < count; i++)
        if (v->classes[i] == class_index) return i;
    return CRD_NONE;
}

/* Draws the densities of the classes and the decision regions. */
static int show_pictures_draw_densities(crd_result *r, const attribute_view *v, const crd_density_curves *curves) {
    size_t count = v->class_count < MOST_SERIES ? v->class_count : MOST_SERIES, kept = 0,
           regions = v->ranks_values ? 0 : curves->region_count; /* states are not predicted by one column only */
    const crd_decision_region *decided = curves->regions;
    crd_plot_series *series = memory_resize(NULL, count, sizeof *series);
    crd_plot_region *strip = memory_resize(NULL, regions, sizeof *strip);
    double *cuts = memory_resize(NULL, regions, sizeof *cuts);
    for (size_t i = 0; i < count; i++)
        series[i] = (crd_plot_series){crd_classifier_class(v->classifier, v->classes[i]), curves->x,
                                      curves->densities + v->classes[i] * curves->count, curves->count};
    for (size_t i = 0; i < regions; i++) {
        size_t index = show_pictures_place(v, count, decided[i].class_index);
        if (index != CRD_NONE) strip[kept++] = (crd_plot_region){decided[i].from, decided[i].to, index};
        if (i > 0) cuts[i - 1] = decided[i].from;
    }
    crd_plot_densities densities = CRD_PLOT_DENSITIES_INIT;
    densities.series = series;
    densities.count = count;
    densities.x_name = v->summary->attributes[v->attribute].name;
    densities.regions = strip;
    densities.region_count = kept;
    densities.cut_points = cuts;
    densities.cut_point_count = regions > 0 ? regions - 1 : 0;
    densities.is_discrete = curves->is_discrete;
    crd_plot_options options = show_pictures_options(given_class(r, v, densities.is_discrete ? "P" : "p"));
    char *svg = NULL;
    crd_error error;
    crd_status status = crd_plot_draw_densities(crd_result_context(r), &densities, &options, &svg, &error);
    free(series);
    free(strip);
    free(cuts);
    return report_add_picture(r, status, &svg, &error);
}

static int picture_numbers(crd_result *r, const attribute_view *v) {
    crd_density_curves *curves = NULL;
    crd_error error;
    crd_status status = crd_density_curves_create(v->classifier, v->attribute, CURVE_POINTS, &curves, &error);
    if (status == CRD_ERROR_EMPTY) return ENDED_WELL;
    if (status != CRD_OK) return message_error(&error);
    int ended = show_pictures_draw_densities(r, v, curves);
    crd_density_curves_destroy(curves);
    return ended;
}

/* ---- Categories ---- */

typedef struct value_rank {
    size_t value;
    double rows;
} value_rank;

static int show_pictures_by_rows(const void *a, const void *b) {
    const value_rank *x = a, *y = b;
    if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static int show_pictures_by_value(const void *a, const void *b) {
    const value_rank *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* Returns the most frequent values, at most `most`, in the attribute's order. The caller frees them. */
static value_rank *choose_values(const attribute_view *v, size_t most, size_t *count) {
    size_t all = v->summary->attributes[v->attribute].value_count;
    value_rank *ranks = memory_resize(NULL, all, sizeof *ranks);
    for (size_t i = 0; i < all; i++) ranks[i] = (value_rank){i, crd_summary_value_rows(v->summary, v->attribute, i)};
    *count = all < most ? all : most;
    if (*count < all) {
        qsort(ranks, all, sizeof *ranks, show_pictures_by_rows);
        qsort(ranks, *count, sizeof *ranks, show_pictures_by_value);
    }
    return ranks;
}

static double show_pictures_probability(const attribute_view *v, size_t class_index, crd_text text) {
    const crd_value value = {CRD_TYPE_CATEGORICAL, 0, text};
    crd_term term = CRD_TERM_INIT;
    if (crd_classifier_term(v->classifier, v->attribute, class_index, &value, &term, NULL) != CRD_OK) return NAN;
    /* The attribute's weight is not part of the probability, so it is divided out. */
    return crd_exp(term.exponent != 0 ? term.log_value / term.exponent : term.log_value);
}

/* Draws the conditional table of a category. If there are few classes, they are columns as in the table; else each
 * class is a row. */
static int picture_categories(crd_result *r, const attribute_view *v) {
    const bool are_columns = v->class_count <= MOST_COLUMNS;
    size_t values = 0, classes = v->class_count < MOST_VALUES ? v->class_count : MOST_VALUES;
    value_rank *ranks = choose_values(v, are_columns ? MOST_VALUES : MOST_COLUMNS, &values);
    size_t rows = are_columns ? values : classes, columns = are_columns ? classes : values;
    crd_text *value_names = memory_resize(NULL, values, sizeof *value_names);
    crd_text *class_names = memory_resize(NULL, classes, sizeof *class_names);
    double *cells = memory_resize(NULL, rows * columns, sizeof *cells);
    for (size_t i = 0; i < values; i++) value_names[i] = crd_summary_value(v->summary, v->attribute, ranks[i].value);
    for (size_t k = 0; k < classes; k++) {
        class_names[k] = v->summary->classes[v->classes[k]].name;
        for (size_t i = 0; i < values; i++)
            cells[are_columns ? i * columns + k : k * columns + i] =
                show_pictures_probability(v, v->classes[k], value_names[i]);
    }
    crd_plot_table plot = CRD_PLOT_TABLE_INIT;
    plot.rows = are_columns ? value_names : class_names;
    plot.row_count = rows;
    plot.states = are_columns ? class_names : value_names;
    plot.state_count = columns;
    plot.probabilities = cells;
    crd_plot_options options = show_pictures_options(given_class(r, v, "P"));
    char *svg = NULL;
    crd_error error;
    options.width = fmin(980, fmax(420, 180 + 130 * (double)columns));
    crd_status status = crd_plot_draw_table(crd_result_context(r), &plot, &options, &svg, &error);
    free(ranks);
    free(value_names);
    free(class_names);
    free(cells);
    return report_add_picture(r, status, &svg, &error);
}

int picture_attribute(crd_result *r, const attribute_view *v) {
    if (!crd_result_is_for(r, CRD_FOR_PICTURES)) return ENDED_WELL;
    switch (v->summary->attributes[v->attribute].type) {
    case CRD_TYPE_NUMERIC: return picture_numbers(r, v);
    case CRD_TYPE_CATEGORICAL: return picture_categories(r, v);
    case CRD_TYPE_TEXT:
    case CRD_TYPE_NONE: break;
    }
    return ENDED_WELL;
}

/* ---- Texts ---- */

/* Draws the most informative words of each class as bars of their weight of evidence. */
int picture_words(crd_result *r, const attribute_view *v, const crd_informative_words *words) {
    if (!crd_result_is_for(r, CRD_FOR_PICTURES)) return ENDED_WELL;
    size_t count = 0, total = 0;
    for (size_t i = 0; i < v->class_count; i++) total += words->classes[v->classes[i]].count;
    crd_plot_bar *bars = memory_resize(NULL, total, sizeof *bars);
    crd_plot_group *groups = memory_resize(NULL, v->class_count, sizeof *groups);
    for (size_t i = 0; i < v->class_count; i++) {
        size_t class_index = v->classes[i], word_count = words->classes[class_index].count;
        groups[i] = (crd_plot_group){v->summary->classes[class_index].name, bars + count, word_count};
        for (size_t j = 0; j < word_count; j++) {
            const crd_informative_word word = words->classes[class_index].words[j];
            bars[count++] = (crd_plot_bar){.name = word.term, .value = word.weight};
        }
    }
    crd_plot_groups plot = CRD_PLOT_GROUPS_INIT;
    plot.groups = groups;
    plot.count = v->class_count;
    plot.unit = crd_text_of("weight of evidence for the class, in nats");
    string title = {0};
    string_format(&title, "Most informative words of ");
    string_add_shown(&title, v->summary->attributes[v->attribute].name);
    crd_plot_options options = show_pictures_options(report_take(r, &title));
    char *svg = NULL;
    crd_error error;
    options.width = v->class_count < 3 ? 640 : 980;
    crd_status status = crd_plot_draw_groups(crd_result_context(r), &plot, &options, &svg, &error);
    free(bars);
    free(groups);
    return report_add_picture(r, status, &svg, &error);
}

/* ---- Nomograms ---- */

/* Draws the nomogram of one class against the reference class. */
static int show_pictures_draw_nomogram(crd_result *r, const crd_classifier *classifier, const crd_nomogram *nomogram,
                                       size_t class_index, size_t against, crd_text target) {
    static const double PROBABILITIES[] = {0.001, 0.01, 0.05, 0.1, 0.2,  0.3,  0.4,  0.5,
                                           0.6,   0.7,  0.8,  0.9, 0.95, 0.99, 0.999};
    enum { COUNT = sizeof PROBABILITIES / sizeof *PROBABILITIES };
    size_t count = nomogram->count;
    double totals[COUNT];
    crd_plot_scale *scales = memory_resize(NULL, count, sizeof *scales);
    for (size_t i = 0; i < COUNT; i++) totals[i] = crd_nomogram_points(nomogram, PROBABILITIES[i]);
    for (size_t i = 0; i < count; i++) {
        const crd_nomogram_scale *scale = &nomogram->scales[i];
        scales[i] = (crd_plot_scale){crd_classifier_attribute(classifier, scale->attribute),
                                     scale->names,
                                     scale->x,
                                     scale->points,
                                     scale->count,
                                     NAN};
    }
    crd_plot_nomogram plot = CRD_PLOT_NOMOGRAM_INIT;
    plot.scales = scales;
    plot.count = count;
    plot.totals = totals;
    plot.probabilities = PROBABILITIES;
    plot.probability_count = COUNT;
    plot.greatest_total = nomogram->most;
    const char *a = crd_result_show(r, crd_classifier_class(classifier, class_index)),
               *b = crd_result_show(r, crd_classifier_class(classifier, against));
    plot.of = crd_text_of(crd_result_format(r, "P(%s)", a));
    crd_plot_options options =
        show_pictures_options(crd_result_format(r, "Nomogram of %s: %s against %s", crd_result_show(r, target), a, b));
    char *svg = NULL;
    crd_error error;
    crd_status status = crd_plot_draw_nomogram(crd_result_context(r), &plot, &options, &svg, &error);
    free(scales);
    return report_add_picture(r, status, &svg, &error);
}

/* Draws the nomograms of at most MOST_NOMOGRAMS classes. */
int picture_nomograms(crd_result *r, const crd_classifier *classifier, crd_text target) {
    size_t against = nomogram_reference(classifier), drawn = 0;
    int ended = ENDED_WELL;
    if (!crd_result_is_for(r, CRD_FOR_PICTURES)) return ENDED_WELL;
    for (size_t c = 0; ended == ENDED_WELL && drawn < MOST_NOMOGRAMS && c < crd_classifier_class_count(classifier);
         c++) {
        crd_nomogram *nomogram = NULL;
        crd_error error;
        if (c == against) continue;
        crd_status status = crd_nomogram_create(classifier, c, against, CURVE_POINTS, &nomogram, &error);
        if (status == CRD_ERROR_COLUMN) continue;
        if (status != CRD_OK) return message_error(&error);
        ended = show_pictures_draw_nomogram(r, classifier, nomogram, c, against, target);
        crd_nomogram_destroy(nomogram);
        drawn++;
    }
    return ended;
}
