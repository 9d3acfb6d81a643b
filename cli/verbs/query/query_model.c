/* SPDX-License-Identifier: MIT */
/* query_model.c - queries a classifier model: the distribution of any column given other columns. The class may be
 * given
 * or summed out. */
#include "verbs/query/query_model.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/pictures.h"
#include "core/report_write.h"
#include "describe/term_text.h"
#include "source/given.h"
#include "source/model_operand.h"
#include "source/network_model.h"
#include "verbs/query/query_joint.h"
#include "verbs/query/query_syntax.h"
#include "verbs/query/query_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double QUANTILES[] = {0.05, 0.25, 0.5, 0.75, 0.95};
enum { QUANTILE_COUNT = sizeof QUANTILES / sizeof QUANTILES[0] };

/* A plotted density extends this many standard deviations to either side of the mean. */
static const double DEVIATIONS_DRAWN = 3;

/* The state of one run: the model, the evidence, and the posterior of the classes. */
typedef struct model_belief {
    const crd_query *query;
    crd_result *report;
    given known;
    double *log_classes;
    crd_answer answer;
    size_t *columns; /* the queried columns */
    size_t count;
    const crd_classifier *classifier; /* only for models with text columns, whose words can be queried; else NULL */
    asked_word *words;
    size_t word_count;
    double *points; /* the values of --at */
    size_t point_count;
    bool all, plots, together;
    struct column_curve *curves; /* the density curves of the queried columns */
    const char *path;
} model_belief;

static int query_model_fail(const model_belief *b, const crd_error *error) {
    return message_error_in(error, b->path);
}

/* ---- The command line ---- */

static size_t query_model_find_column(const model_belief *b, crd_text name) {
    size_t column = 0;
    while (column < b->known.count && !crd_text_equal(b->known.names[column], name)) column++;
    return column;
}

static int query_model_add_column(model_belief *b, crd_text name) {
    size_t column = query_model_find_column(b, name);
    b->columns = memory_resize(b->columns, b->count + 1, sizeof *b->columns);
    b->columns[b->count++] = column;
    if (b->known.values[column].type == CRD_TYPE_NONE) return ENDED_WELL;
    string shown = {0};
    string_add_shown(&shown, name);
    int ended = message_usage("--of: '%s' is given already", string_text(&shown));
    string_free(&shown);
    return ended;
}

/* Rejects an event, because models support only columns. The hint names the column that the event compares. */
static int refuse_event(const model_belief *b, crd_text item) {
    size_t length = 0;
    while (length < item.length && strchr("=!<> |", item.bytes[length]) == NULL) length++;
    size_t column = query_model_find_column(b, (crd_text){item.bytes, length});
    message_usage("--of: events are for tables; for a model, name columns");
    if (memchr(item.bytes, '|', item.length) != NULL) {
        message_hint("move the evidence to --given: --of Play --given Outlook=Sunny");
    } else if (column < b->known.count) {
        string typed = {0};
        list_add_typed(&typed, b->known.names[column]);
        message_hint("--of %s gives the probability of each of its values", string_text(&typed));
        string_free(&typed);
    }
    return ENDED_USAGE;
}

/* Adds the columns that an item of --of names: a column name, a word of a text column (COLUMN:WORD), or a selection
 * by
 * number, range or glob. */
static int query_model_add_columns(model_belief *b, const crd_summary *summary, crd_text item) {
    list unquoted;
    crd_error error;
    crd_text selector = words_unquoted(item, &unquoted), inside;
    if (query_model_find_column(b, selector) == b->known.count && words_probability(selector, &inside))
        selector = inside;
    int ended = ENDED_WELL;
    size_t count = 0, *picked = memory_resize(NULL, summary->attribute_count, sizeof *picked);
    asked_word word;
    if (query_model_find_column(b, selector) < b->known.count) {
        ended = query_model_add_column(b, selector);
    } else if (b->classifier != NULL && query_word_is(selector, b->classifier, &word)) {
        b->words = memory_resize(b->words, b->word_count + 1, sizeof *b->words);
        b->words[b->word_count++] = word;
    } else if (words_compare(selector)) {
        ended = refuse_event(b, selector);
    } else if (crd_summary_select(summary, selector, picked, &count, &error) != CRD_OK) {
        ended = message_no_such("of", "column", selector, b->known.names, b->known.count);
    }
    for (size_t i = 0; i < count && ended == ENDED_WELL; i++) {
        ended = query_model_add_column(b, summary->attributes[picked[i]].name);
    }
    free(picked);
    list_free(&unquoted);
    return ended;
}

/* Reads the queried columns and words from --of. */
static int query_model_read_columns(const invocation *call, const crd_model *model, model_belief *b) {
    words source_words;
    crd_summary *summary = NULL;
    crd_error error;
    int ended = ENDED_WELL;
    if (crd_summary_create(model, &summary, &error) != CRD_OK) return query_model_fail(b, &error);
    words_split(call, "of", &source_words);
    for (size_t i = 0; i < source_words.count && ended == ENDED_WELL; i++)
        ended = query_model_add_columns(b, summary, source_words.items[i]);
    if (ended == ENDED_WELL && b->count + b->word_count == 0) ended = message_usage("--of names no column");
    words_free(&source_words);
    crd_summary_destroy(summary);
    return ended;
}

/* Reads the values of --at. */
static int read_points(const invocation *call, model_belief *b) {
    words current_words;
    int ended = ENDED_WELL;
    words_split(call, "at", &current_words);
    b->points = memory_resize(NULL, current_words.count, sizeof *b->points);
    for (size_t i = 0; i < current_words.count && ended == ENDED_WELL; i++) {
        if (crd_number_parse(current_words.items[i], &b->points[b->point_count++]) == CRD_NUMBER_FINITE) continue;
        ended = message_usage("--at expects numbers, got '%.*s'", (int)current_words.items[i].length,
                              current_words.items[i].bytes);
    }
    words_free(&current_words);
    return ended;
}

/* Computes the posterior of the classes given the evidence. Fails if every class has probability zero. */
static int query_model_believe(model_belief *b) {
    crd_error error;
    size_t classes = crd_query_value_count(b->query, crd_query_target(b->query));
    b->log_classes = memory_resize(NULL, classes, sizeof *b->log_classes);
    if (crd_query_posterior(b->query, b->known.values, b->log_classes, &b->answer, &error) != CRD_OK) {
        int ended = query_model_fail(b, &error);
        given_hint_at_class(&b->known, b->query);
        return ended;
    }
    if (b->answer.unseen > 0) {
        message_note("ignored %lu %s never seen in training", (unsigned long)b->answer.unseen,
                     network_model_unseen_items(b->classifier, b->answer.unseen == 1));
    }
    if (b->answer.decision >= 0) return ENDED_WELL;
    return message_failed("%s: the evidence has probability zero under every class (%s)", b->path,
                          term_text_zero_reason(crd_query_settings(b->query)));
}

/* ---- Computation ---- */

/* Computes the log probability that each of the columns has the given value. */
static int query_model_ask(const model_belief *b, const size_t *columns, const size_t *values, size_t count,
                           double *log_probability) {
    crd_error error;
    crd_value *row = memory_resize(NULL, b->known.count, sizeof *row);
    for (size_t i = 0; i < b->known.count; i++) row[i] = (crd_value){CRD_TYPE_NONE, 0, {NULL, 0}};
    for (size_t i = 0; i < count; i++) {
        row[columns[i]] = (crd_value){CRD_TYPE_CATEGORICAL, 0, crd_query_value(b->query, columns[i], values[i])};
    }
    crd_status status = crd_query_log_probability(b->query, b->log_classes, row, log_probability, &error);
    free(row);
    return status == CRD_OK ? ENDED_WELL : query_model_fail(b, &error);
}

/* Computes the log density of a numeric column at x. */
static crd_status ask_density(const model_belief *b, size_t column, double x, double *log_density, crd_error *error) {
    crd_value *row = memory_resize(NULL, b->known.count, sizeof *row);
    for (size_t i = 0; i < b->known.count; i++) row[i] = (crd_value){CRD_TYPE_NONE, 0, {NULL, 0}};
    row[column] = (crd_value){CRD_TYPE_NUMERIC, x, {NULL, 0}};
    crd_status status = crd_query_log_probability(b->query, b->log_classes, row, log_density, error);
    free(row);
    return status;
}

static int query_model_density(const model_belief *b, size_t column, double x, double *log_density) {
    crd_error error;
    return ask_density(b, column, x, log_density, &error) == CRD_OK ? ENDED_WELL : query_model_fail(b, &error);
}

/* Returns whether a numeric column has a discrete family. Then P(x) is a probability, otherwise a density. */
static bool has_probabilities(const model_belief *b, size_t column) {
    crd_family family = CRD_FAMILY_INIT;
    return crd_query_column_family(b->query, column, &family) && family.is_discrete;
}

/* A column whose density is plotted. */
typedef struct column_curve {
    const model_belief *b;
    size_t column;
} column_curve;

/* Returns the density at x for a plot, or 0 if the family has no density there. Discrete families are evaluated at
 * the
 * nearest integer, so the curve is a step function. */
static double query_model_height(void *user, size_t line, double x) {
    const column_curve *c = user;
    double log_height = 0;
    (void)line;
    x = has_probabilities(c->b, c->column) ? rint(x) : x;
    return ask_density(c->b, c->column, x, &log_height, NULL) == CRD_OK ? crd_exp(log_height) : 0;
}

typedef struct number_facts {
    double mean, deviation, quantiles[QUANTILE_COUNT];
} number_facts;

/* Computes mean, standard deviation and quantiles of a numeric column. */
static int query_model_ask_number(const model_belief *b, size_t column, number_facts *out) {
    crd_error error;
    crd_status status = crd_query_moments(b->query, b->log_classes, column, &out->mean, &out->deviation, &error);
    for (size_t i = 0; i < QUANTILE_COUNT && status == CRD_OK; i++) {
        status = crd_query_quantile(b->query, b->log_classes, column, QUANTILES[i], &out->quantiles[i], &error);
    }
    return status == CRD_OK ? ENDED_WELL : query_model_fail(b, &error);
}

/* Checks that --joint-distribution has only categorical columns, each once, and that the joint table is not too large. */
static int query_model_check_together(const model_belief *b) {
    double cells = 1;
    if (b->word_count > 0)
        return message_usage("--joint-distribution needs categorical columns; query words of text columns one by one");
    for (size_t i = 0; i < b->count; i++) {
        if (crd_query_column_type(b->query, b->columns[i]) != CRD_TYPE_CATEGORICAL) {
            string name = {0};
            string_add_shown(&name, b->known.names[b->columns[i]]);
            message_failed("--joint-distribution: '%s' is not categorical; query it separately", string_text(&name));
            string_free(&name);
            return ENDED_FAILED;
        }
        for (size_t j = 0; j < i; j++) {
            if (b->columns[i] == b->columns[j]) return message_usage("--joint-distribution: a column is listed twice");
        }
        cells *= (double)crd_query_value_count(b->query, b->columns[i]);
    }
    if (cells <= CRD_TABLE_MOST_CELLS) return ENDED_WELL;
    return message_failed("--joint-distribution: the joint table would have more than %d entries; name fewer columns",
                          CRD_TABLE_MOST_CELLS);
}

/* Rejects a text column. Texts have no table of probabilities, but their words can be queried. */
static int refuse_text(const model_belief *b, size_t column) {
    string name = {0};
    string_add_shown(&name, b->known.names[column]);
    message_failed("--of: '%s' is a text column, which has no table of probabilities", string_text(&name));
    message_hint("--of '%s:WORD' prints P(word | class); show lists the most informative words", string_text(&name));
    string_free(&name);
    return ENDED_FAILED;
}

/* Checks that each queried column has a distribution, before any output is written. */
static int query_model_check_columns(const model_belief *b) {
    for (size_t i = 0; i < b->count; i++) {
        crd_error error;
        double mean = 0, deviation = 0;
        if (crd_query_value_count(b->query, b->columns[i]) > 0) continue;
        if (crd_query_column_type(b->query, b->columns[i]) == CRD_TYPE_TEXT) return refuse_text(b, b->columns[i]);
        if (crd_query_moments(b->query, b->log_classes, b->columns[i], &mean, &deviation, &error) != CRD_OK) {
            return query_model_fail(b, &error);
        }
    }
    return ENDED_WELL;
}

/* ---- The report ---- */

/* Adds the heading of a result: the columns and the evidence. */
static void report_title(const model_belief *b, const size_t *columns, size_t count) {
    crd_result *r = b->report;
    string given_string = {0};
    words_add_names(&given_string, b->known.names, columns, count);
    crd_result_heading(r, 2, report_take(r, &given_string),
                       b->known.text.length > 0 ? crd_result_format(r, " given %s", string_text(&b->known.text)) : "");
}

/* Categorical columns as a joint distribution. */
typedef struct model_cells {
    const model_belief *b;
    const size_t *columns;
    double *logs;
} model_cells;

static crd_text query_model_value_name(const void *object, size_t variable, size_t value,
                                       char buffer[CRD_NUMBER_ROOM]) {
    const model_cells *c = object;
    (void)buffer;
    return crd_query_value(c->b->query, c->columns[variable], value);
}

static void query_model_add_cell(crd_result_table *t, const void *object, size_t cell) {
    const model_cells *c = object;
    cell_exponential(t, c->logs[cell]);
}

/* Computes and reports the joint distribution of categorical columns. */
static int query_model_report_values(const model_belief *b, crd_text key, const size_t *columns, size_t count) {
    size_t *sizes = memory_resize(NULL, count, sizeof *sizes), *values = memory_resize(NULL, count, sizeof *values);
    crd_text *names = memory_resize(NULL, count, sizeof *names);
    model_cells c = {.b = b, .columns = columns};
    joint_distribution j = {.count = count,
                            .names = names,
                            .sizes = sizes,
                            .data = &c,
                            .value = query_model_value_name,
                            .add = query_model_add_cell};
    int ended = ENDED_WELL;
    j.all = b->all;
    j.is_drawn = true;
    j.given = string_text(&b->known.text);
    for (size_t i = 0; i < count; i++) {
        names[i] = b->known.names[columns[i]];
        sizes[i] = crd_query_value_count(b->query, columns[i]);
    }
    c.logs = memory_resize(NULL, joint_cells(&j), sizeof *c.logs);
    for (size_t cell = 0; cell < joint_cells(&j) && ended == ENDED_WELL; cell++) {
        for (size_t i = 0; i < count; i++) values[i] = joint_value(&j, cell, i);
        ended = query_model_ask(b, columns, values, count, &c.logs[cell]);
    }
    if (ended == ENDED_WELL) ended = joint_report(b->report, key, &j);
    free(c.logs);
    free(names);
    free(values);
    free(sizes);
    return ended;
}

/* Reports density and distribution function of a numeric column at the values of --at. */
static int query_model_report_points(const model_belief *b, size_t column) {
    bool discrete = has_probabilities(b, column);
    int ended = ENDED_WELL;
    if (b->point_count == 0) return ENDED_WELL;
    crd_result_prose(b->report, CRD_EMPTY_LINE, 0, "", "", "");
    crd_result_table *t = crd_result_add_table(b->report, "at");
    crd_result_add_column(t, "x", "at");
    crd_result_add_column(t, discrete ? "probability" : "density", discrete ? "probability" : "density");
    crd_result_add_column(t, discrete ? "log_probability" : "log_density", NULL);
    crd_result_add_column(t, "at_most", "at most");
    for (size_t i = 0; i < b->point_count && ended == ENDED_WELL; i++) {
        crd_error error;
        double log_density = 0, below = 0;
        ended = query_model_density(b, column, b->points[i], &log_density);
        if (ended == ENDED_WELL &&
            crd_query_below(b->query, b->log_classes, column, b->points[i], &below, &error) != CRD_OK) {
            ended = query_model_fail(b, &error);
        }
        crd_cell_number(t, b->points[i]);
        cell_exponential(t, log_density);
        crd_cell_number(t, log_density);
        crd_cell_number(t, below);
    }
    return ended;
}

static void add_moment(crd_result_table *t, const char *name, double value) {
    t->audience = CRD_FOR_PEOPLE;
    crd_cell_words(t, name);
    crd_cell_number(t, value);
}

/* Plots the density with the values of --at. Plots nothing if the standard deviation is 0 or not finite. */
static int query_model_draw_density(const model_belief *b, column_curve *curve, const number_facts *facts) {
    enum { POINTS = 121 };
    crd_result *r = b->report;
    double x[POINTS], y[POINTS], lower = facts->mean - DEVIATIONS_DRAWN * facts->deviation,
                                 upper = facts->mean + DEVIATIONS_DRAWN * facts->deviation;
    size_t count = POINTS;
    bool is_discrete = has_probabilities(b, curve->column);
    if (!crd_result_is_for(r, CRD_FOR_PICTURES) || !isfinite(upper - lower) || !(upper > lower)) return ENDED_WELL;
    if (is_discrete) {
        lower = floor(lower);
        upper = ceil(upper);
        if (upper - lower + 1 < POINTS) count = (size_t)(upper - lower) + 1;
    }
    for (size_t i = 0; i < count; i++) {
        x[i] = lower + (upper - lower) * ((double)i / (double)(count - 1));
        if (is_discrete) x[i] = rint(x[i]);
        y[i] = query_model_height(curve, 0, x[i]);
    }
    crd_plot_series series = {b->known.names[curve->column], x, y, count};
    crd_plot_densities densities = CRD_PLOT_DENSITIES_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    crd_error error;
    bool has_given = b->known.text.length > 0;
    options.title = crd_text_of(crd_result_format(r, "%s(%s%s%s)", is_discrete ? "P" : "p",
                                                  crd_result_show(r, b->known.names[curve->column]),
                                                  has_given ? " | " : "", string_text(&b->known.text)));
    densities.series = &series;
    densities.count = 1;
    densities.x_name = b->known.names[curve->column];
    densities.cut_points = b->points;
    densities.cut_point_count = b->point_count;
    densities.is_discrete = is_discrete;
    crd_status status = crd_plot_draw_densities(crd_result_context(r), &densities, &options, &svg, &error);
    return report_add_picture(r, status, &svg, &error);
}

/* Reports mean, standard deviation, quantiles and density of a numeric column. */
static int report_number_column(const model_belief *b, crd_text key, column_curve *curve) {
    char buffer[CRD_NUMBER_ROOM];
    crd_result *r = b->report;
    number_facts facts;
    int ended = query_model_ask_number(b, curve->column, &facts);
    if (ended != ENDED_WELL) return ended;
    report_object_named(r, key);
    crd_result_number(r, "mean", facts.mean);
    crd_result_number(r, "sd", facts.deviation);
    crd_result_table *t = crd_result_add_table(r, "quantiles");
    t->shape = CRD_TABLE_MAP;
    t->is_headed = false;
    crd_result_add_column(t, "p", "");
    crd_result_add_column(t, "quantile", "");
    add_moment(t, "mean", facts.mean);
    add_moment(t, "sd", facts.deviation);
    for (size_t i = 0; i < QUANTILE_COUNT; i++) {
        crd_cell_name(t, (crd_text){buffer, crd_number_format(QUANTILES[i], buffer)});
        crd_cell_show_as(t, crd_result_format(r, "quantile %s", buffer), NULL);
        crd_cell_number(t, facts.quantiles[i]);
    }
    ended = query_model_report_points(b, curve->column);
    crd_result_end(r);
    crd_result_curves curves = {.lower = facts.mean - DEVIATIONS_DRAWN * facts.deviation,
                                .upper = facts.mean + DEVIATIONS_DRAWN * facts.deviation,
                                .count = 1,
                                .is_always = b->plots,
                                .user = curve,
                                .height = query_model_height};
    crd_result_add_curves(r, &curves);
    return ended == ENDED_WELL ? query_model_draw_density(b, curve, &facts) : ended;
}

/* Reports the results of all queried columns and words. */
static int query_model_report_answers(model_belief *b) {
    crd_result *r = b->report;
    char buffer[CRD_NUMBER_ROOM];
    string settings = {0};
    size_t groups = b->together && b->count > 0 ? 1 : b->count, count = b->together ? b->count : 1;
    int ended = ENDED_WELL;
    if (b->classifier != NULL) term_text_add_settings_of(&settings, b->classifier);
    else term_text_add_settings(&settings, crd_query_settings(b->query));
    crd_result_line(r, CRD_LIST_LINE, "Settings: %s", report_take(r, &settings));
    if (b->known.text.length > 0)
        crd_result_line(r, CRD_LINE, "Log evidence of %s: %s", string_text(&b->known.text),
                        crd_number_round(b->answer.log_evidence, buffer));
    b->curves = memory_resize(NULL, groups, sizeof *b->curves);
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_begin(r, CRD_OBJECT, "posterior");
    for (size_t i = 0; i < groups && ended == ENDED_WELL; i++) {
        const size_t *columns = b->columns + i;
        string name = {0};
        joint_add_key(&name, b->known.names, columns, count);
        crd_text key = {string_text(&name), name.length};
        b->curves[i] = (column_curve){b, columns[0]};
        report_title(b, columns, count);
        bool number = count == 1 && crd_query_column_type(b->query, columns[0]) == CRD_TYPE_NUMERIC;
        ended =
            number ? report_number_column(b, key, &b->curves[i]) : query_model_report_values(b, key, columns, count);
        string_free(&name);
    }
    for (size_t i = 0; i < b->word_count && ended == ENDED_WELL; i++)
        ended = query_word_report(r, b->classifier, &b->words[i], b->log_classes, string_text(&b->known.text));
    crd_result_end(r);
    crd_result_number(r, "log_evidence", b->answer.log_evidence);
    crd_result_end(r);
    return ended;
}

/* ---- The run ---- */

/* Reads the options, computes the posterior and prints the report. */
static int query_model_answer(const invocation *call, const crd_model *model, const crd_query *query,
                              const crd_classifier *classifier) {
    model_belief b = {.query = query,
                      .classifier = classifier,
                      .report = report_create_drawn(call),
                      .plots = pictures_path(call) == NULL && arguments_have(&call->arguments, "plot"),
                      .path = call->arguments.operands[0],
                      .all = arguments_have(&call->arguments, "all"),
                      .together = arguments_have(&call->arguments, "joint-distribution")};
    int ended = given_read_columns(call, model, query, &b.known);
    if (ended == ENDED_WELL) ended = query_model_read_columns(call, model, &b);
    if (ended == ENDED_WELL) ended = read_points(call, &b);
    if (ended == ENDED_WELL && b.together) ended = query_model_check_together(&b);
    if (ended == ENDED_WELL) ended = query_model_believe(&b);
    if (ended == ENDED_WELL) ended = query_model_check_columns(&b);
    if (ended == ENDED_WELL) ended = query_model_report_answers(&b);
    ended = report_finish(b.report, call, FORMATS, ended);
    free(b.curves);
    free(b.words);
    free(b.columns);
    free(b.points);
    free(b.log_classes);
    given_free(&b.known);
    return ended;
}

static bool query_model_has_texts(const crd_query *query) {
    bool has = false;
    for (size_t i = 0; i < crd_query_column_count(query) && !has; i++)
        has = i != crd_query_target(query) && crd_query_column_type(query, i) == CRD_TYPE_TEXT;
    return has;
}

int query_model(invocation *call) {
    const arguments *words_given = &call->arguments;
    crd_model *model = NULL;
    crd_query *query = NULL;
    crd_settings *settings = NULL;
    crd_classifier *classifier = NULL;
    crd_error error;
    int ended = model_operand_open(call, words_given->operands[0], &model);
    if (ended == ENDED_WELL && crd_settings_clone(crd_model_settings(model), &settings, &error) != CRD_OK) {
        ended = message_error(&error);
    }
    if (ended == ENDED_WELL) ended = arguments_apply_settings(words_given, settings);
    if (ended == ENDED_WELL && crd_query_create(model, settings, &query, &error) != CRD_OK) {
        ended = message_error_in(&error, words_given->operands[0]);
    }
    if (ended == ENDED_WELL && query_model_has_texts(query) &&
        crd_classifier_create(model, settings, &classifier, &error) != CRD_OK)
        ended = message_error_in(&error, words_given->operands[0]);
    if (ended == ENDED_WELL) ended = query_model_answer(call, model, query, classifier);
    crd_classifier_destroy(classifier);
    crd_query_destroy(query);
    crd_settings_destroy(settings);
    crd_model_destroy(model);
    return ended;
}
