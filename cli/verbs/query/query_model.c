/* query_model.c - questions to a model: any column once others are known, the class included or summed out. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/plot.h"
#include "describe/term_text.h"
#include "source/given.h"
#include "source/model_or_table.h"
#include "verbs/query/query_syntax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double QUANTILES[] = {0.05, 0.25, 0.5, 0.75, 0.95};
enum { QUANTILE_COUNT = sizeof QUANTILES / sizeof QUANTILES[0] };

/* A plot goes so many deviations to either side of the mean. */
static const double DEVIATIONS_DRAWN = 3;
enum { POINTS_DRAWN = 60 };

/* One run: the model, what is known, and what follows of the classes. */
typedef struct belief {
    const crd_query *query;
    output out;
    json json;
    given known;
    double *log_classes;
    crd_answer answer;
    size_t *columns; /* asked about */
    size_t count;
    double *points; /* of --at */
    size_t point_count;
    bool all, plots, together;
    const char *path;
} belief;

static int fail(const belief *b, const crd_error *error) {
    return message_error_in(error, b->path);
}

/* ---- The command line ---- */

static size_t find_column(const belief *b, crd_text name) {
    size_t column = 0;
    while (column < b->known.count && !crd_text_equal(b->known.names[column], name)) column++;
    return column;
}

static int add_column(belief *b, crd_text name) {
    size_t column = find_column(b, name);
    b->columns = memory_resize(b->columns, b->count + 1, sizeof *b->columns);
    b->columns[b->count++] = column;
    if (b->known.values[column].kind == CRD_KIND_NONE) return ENDED_WELL;
    string shown = {0};
    string_add_shown(&shown, name);
    int ended = message_usage("--of: '%s' is given already", string_text(&shown));
    string_free(&shown);
    return ended;
}

/* Events are not asked of models; the column whose value was compared can be. */
static int refuse_event(const belief *b, crd_text item) {
    size_t length = 0;
    while (length < item.length && strchr("=!<> |", item.bytes[length]) == NULL) length++;
    size_t column = find_column(b, (crd_text){item.bytes, length});
    message_usage("--of: events are asked of the rows of a table; a model is asked about columns");
    if (memchr(item.bytes, '|', item.length) != NULL) {
        message_hint("what is known goes by itself: --of Play --given Outlook=Sunny");
    } else if (column < b->known.count) {
        string typed = {0};
        list_add_typed(&typed, b->known.names[column]);
        message_hint("--of %s gives the probability of each of its values", string_text(&typed));
        string_free(&typed);
    }
    return ENDED_USAGE;
}

/* A column by its name, or attributes as columns of a table are picked. */
static int add_columns(belief *b, const crd_summary *summary, crd_text item) {
    list unquoted;
    crd_error error;
    crd_text selector = words_unquoted(item, &unquoted), inside;
    if (find_column(b, selector) == b->known.count && words_probability(selector, &inside)) selector = inside;
    int ended = ENDED_WELL;
    size_t count = 0, *picked = memory_resize(NULL, crd_summary_attribute_count(summary), sizeof *picked);
    if (find_column(b, selector) < b->known.count) {
        ended = add_column(b, selector);
    } else if (words_compare(selector)) {
        ended = refuse_event(b, selector);
    } else if (crd_summary_select(summary, selector, picked, &count, &error) != CRD_OK) {
        ended = message_no_such("of", "column", selector, b->known.names, b->known.count);
    }
    for (size_t i = 0; i < count && ended == ENDED_WELL; i++) {
        ended = add_column(b, crd_summary_attribute(summary, picked[i]));
    }
    free(picked);
    list_free(&unquoted);
    return ended;
}

static int read_columns(const invocation *call, const crd_model *model, belief *b) {
    words of;
    crd_summary *summary = NULL;
    crd_error error;
    int ended = ENDED_WELL;
    if (crd_summary_create(model, &summary, &error) != CRD_OK) return fail(b, &error);
    words_split(call, "of", &of);
    for (size_t i = 0; i < of.count && ended == ENDED_WELL; i++) ended = add_columns(b, summary, of.items[i]);
    if (ended == ENDED_WELL && b->count == 0) ended = message_usage("--of names no column");
    words_free(&of);
    crd_summary_destroy(summary);
    return ended;
}

static int read_points(const invocation *call, belief *b) {
    words at;
    int ended = ENDED_WELL;
    words_split(call, "at", &at);
    b->points = memory_resize(NULL, at.count, sizeof *b->points);
    for (size_t i = 0; i < at.count && ended == ENDED_WELL; i++) {
        if (crd_number_parse(at.items[i], &b->points[b->point_count++]) == CRD_NUMBER_FINITE) continue;
        ended = message_usage("--at takes numbers, not '%.*s'", (int)at.items[i].length, at.items[i].bytes);
    }
    words_free(&at);
    return ended;
}

static int believe(belief *b) {
    crd_error error;
    size_t classes = crd_query_value_count(b->query, crd_query_target(b->query));
    b->log_classes = memory_resize(NULL, classes, sizeof *b->log_classes);
    if (crd_query_posterior(b->query, b->known.values, b->log_classes, &b->answer, &error) != CRD_OK) {
        int ended = fail(b, &error);
        given_hint_at_class(&b->known, b->query);
        return ended;
    }
    if (b->answer.unseen > 0) {
        message_note("left out %lu cell%s never seen in training", (unsigned long)b->answer.unseen,
                     b->answer.unseen == 1 ? "" : "s");
    }
    if (b->answer.decision >= 0) return ENDED_WELL;
    return message_failed("%s: what is given has probability zero under every class (%s)", b->path,
                          term_text_zero_reason(crd_query_settings(b->query)));
}

/* ---- Asking ---- */

/* The log probability of one value of each of some columns. */
static int ask(const belief *b, const size_t *columns, const size_t *values, size_t count, double *log_probability) {
    crd_error error;
    crd_value *row = memory_resize(NULL, b->known.count, sizeof *row);
    for (size_t i = 0; i < b->known.count; i++) row[i] = (crd_value){CRD_KIND_NONE, 0, {NULL, 0}};
    for (size_t i = 0; i < count; i++) {
        row[columns[i]] = (crd_value){CRD_KIND_CATEGORY, 0, crd_query_value(b->query, columns[i], values[i])};
    }
    crd_status status = crd_query_log_probability(b->query, b->log_classes, row, log_probability, &error);
    free(row);
    return status == CRD_OK ? ENDED_WELL : fail(b, &error);
}

static crd_status ask_density(const belief *b, size_t column, double x, double *log_density, crd_error *error) {
    crd_value *row = memory_resize(NULL, b->known.count, sizeof *row);
    for (size_t i = 0; i < b->known.count; i++) row[i] = (crd_value){CRD_KIND_NONE, 0, {NULL, 0}};
    row[column] = (crd_value){CRD_KIND_NUMBER, x, {NULL, 0}};
    crd_status status = crd_query_log_probability(b->query, b->log_classes, row, log_density, error);
    free(row);
    return status;
}

static int density_at(const belief *b, size_t column, double x, double *log_density) {
    crd_error error;
    return ask_density(b, column, x, log_density, &error) == CRD_OK ? ENDED_WELL : fail(b, &error);
}

/* Of whole numbers there are probabilities, of others densities. */
static bool has_probabilities(const belief *b, size_t column) {
    return crd_query_column_family(b->query, column).is_discrete != 0;
}

/* A curve has no height where its family has no number, and steps where that is one of whole numbers. */
static int height_at(const belief *b, size_t column, double x, double *log_height) {
    crd_error error;
    crd_status status = ask_density(b, column, has_probabilities(b, column) ? rint(x) : x, log_height, &error);
    if (status == CRD_ERROR_COLUMN) *log_height = -INFINITY;
    return status == CRD_OK || status == CRD_ERROR_COLUMN ? ENDED_WELL : fail(b, &error);
}

typedef struct number_facts {
    double mean, deviation, quantiles[QUANTILE_COUNT];
} number_facts;

static int ask_number(const belief *b, size_t column, number_facts *out) {
    crd_error error;
    crd_status status = crd_query_moments(b->query, b->log_classes, column, &out->mean, &out->deviation, &error);
    for (size_t i = 0; i < QUANTILE_COUNT && status == CRD_OK; i++) {
        status = crd_query_quantile(b->query, b->log_classes, column, QUANTILES[i], &out->quantiles[i], &error);
    }
    return status == CRD_OK ? ENDED_WELL : fail(b, &error);
}

/* Joint tables are of categories, and no larger than those of counts. */
static int check_together(const belief *b) {
    double cells = 1;
    for (size_t i = 0; i < b->count; i++) {
        if (crd_query_column_kind(b->query, b->columns[i]) != CRD_KIND_CATEGORY) {
            string name = {0};
            string_add_shown(&name, b->known.names[b->columns[i]]);
            message_failed("--together: '%s' is no category; ask about it alone", string_text(&name));
            string_free(&name);
            return ENDED_FAILED;
        }
        for (size_t j = 0; j < i; j++) {
            if (b->columns[i] == b->columns[j]) return message_usage("--together: a column stands there twice");
        }
        cells *= (double)crd_query_value_count(b->query, b->columns[i]);
    }
    if (cells <= CRD_TABLE_MOST_CELLS) return ENDED_WELL;
    return message_failed("--together: the table would have more than %d cells; ask about fewer columns",
                          CRD_TABLE_MOST_CELLS);
}

/* Whether each column has a distribution to ask for, before anything is written. */
static int check_columns(const belief *b) {
    for (size_t i = 0; i < b->count; i++) {
        crd_error error;
        double mean = 0, deviation = 0;
        if (crd_query_value_count(b->query, b->columns[i]) > 0) continue;
        if (crd_query_moments(b->query, b->log_classes, b->columns[i], &mean, &deviation, &error) != CRD_OK) {
            return fail(b, &error);
        }
    }
    return ENDED_WELL;
}

/* ---- For people ---- */

static void print_heading(belief *b, const size_t *columns, size_t count) {
    string what = {0}, rest = {0};
    words_add_names(&what, b->known.names, columns, count);
    if (b->known.text.length > 0) string_format(&rest, " given %s", string_text(&b->known.text));
    output_heading(&b->out, 2, string_text(&what), string_text(&rest));
    string_free(&what);
    string_free(&rest);
}

static int print_values(belief *b, const size_t *columns, size_t count) {
    size_t cells = 1, shown = 0, *values = memory_resize(NULL, count, sizeof *values);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < count; i++) cells *= crd_query_value_count(b->query, columns[i]);
    table *t = table_create_for(&b->out, count + 1);
    if (count == 1) table_omit_heading(t);
    for (size_t i = 0; i < count; i++) {
        table_align_left(t, i);
        if (count > 1) table_add_name(t, b->known.names[columns[i]]);
    }
    if (count > 1) table_add(t, "");
    for (; shown < cells && (b->all || shown < QUERY_VALUES_SHOWN) && ended == ENDED_WELL; shown++) {
        size_t below = cells;
        double log_probability = 0;
        string share = {0};
        for (size_t i = 0; i < count; i++) {
            below /= crd_query_value_count(b->query, columns[i]);
            values[i] = shown / below % crd_query_value_count(b->query, columns[i]);
            table_add_name(t, crd_query_value(b->query, columns[i], values[i]));
        }
        ended = ask(b, columns, values, count, &log_probability);
        output_add_exponential(&share, log_probability);
        table_add(t, string_text(&share));
        string_free(&share);
    }
    if (ended == ENDED_WELL) {
        table_print(t, b->out.stream, 2, 0);
        if (shown < cells) output_remark(&b->out, "and %zu more (--all)", cells - shown);
    }
    table_destroy(t);
    free(values);
    return ended;
}

static int print_plot(belief *b, size_t column, const number_facts *facts) {
    double heights[POINTS_DRAWN], highest = -INFINITY;
    double from = facts->mean - DEVIATIONS_DRAWN * facts->deviation, step = 2 * DEVIATIONS_DRAWN * facts->deviation;
    char left[ROUNDED_ROOM], right[ROUNDED_ROOM];
    for (size_t i = 0; i < POINTS_DRAWN; i++) {
        int ended = height_at(b, column, from + step * (double)i / (POINTS_DRAWN - 1), &heights[i]);
        if (ended != ENDED_WELL) return ended;
        if (heights[i] > highest) highest = heights[i];
    }
    for (size_t i = 0; i < POINTS_DRAWN; i++) heights[i] = highest == -INFINITY ? 0 : crd_exp(heights[i] - highest);
    string line = {0};
    plot_curve(&line, heights, POINTS_DRAWN);
    while (line.length > 0 && line.bytes[line.length - 1] == ' ') line.bytes[--line.length] = '\0';
    fprintf(b->out.stream, "\n  %s\n", string_text(&line));
    output_round(from, left);
    output_round(from + step, right);
    int gap = POINTS_DRAWN - (int)strlen(left);
    fprintf(b->out.stream, "  %s%*s\n", left, gap, right);
    string_free(&line);
    return ENDED_WELL;
}

static int print_points(belief *b, size_t column) {
    if (b->point_count == 0) return ENDED_WELL;
    char room[ROUNDED_ROOM];
    int ended = ENDED_WELL;
    table *t = table_create_for(&b->out, 3);
    table_add(t, "at");
    table_add(t, has_probabilities(b, column) ? "probability" : "density");
    table_add(t, "at most");
    for (size_t i = 0; i < b->point_count && ended == ENDED_WELL; i++) {
        crd_error error;
        double log_density = 0, below = 0;
        string density = {0};
        ended = density_at(b, column, b->points[i], &log_density);
        if (ended == ENDED_WELL &&
            crd_query_below(b->query, b->log_classes, column, b->points[i], &below, &error) != CRD_OK) {
            ended = fail(b, &error);
        }
        output_add_exponential(&density, log_density);
        table_add(t, output_round(b->points[i], room));
        table_add(t, string_text(&density));
        table_add(t, output_round(below, room));
        string_free(&density);
    }
    if (ended == ENDED_WELL) {
        fputc('\n', b->out.stream);
        table_print(t, b->out.stream, 2, 0);
    }
    table_destroy(t);
    return ended;
}

static int print_number(belief *b, size_t column) {
    char room[ROUNDED_ROOM];
    number_facts facts;
    int ended = ask_number(b, column, &facts);
    if (ended != ENDED_WELL) return ended;
    table *t = table_create_for(&b->out, 2);
    table_omit_heading(t);
    table_add(t, "mean");
    table_add(t, output_round(facts.mean, room));
    table_add(t, "deviation");
    table_add(t, output_round(facts.deviation, room));
    for (size_t i = 0; i < QUANTILE_COUNT; i++) {
        table_format(t, "quantile %s", output_round(QUANTILES[i], room));
        table_add(t, output_round(facts.quantiles[i], room));
    }
    table_print(t, b->out.stream, 2, 0);
    table_destroy(t);
    ended = print_points(b, column);
    if (ended == ENDED_WELL && b->plots) ended = print_plot(b, column, &facts);
    return ended;
}

static int print_answers(belief *b) {
    char room[ROUNDED_ROOM];
    string settings = {0};
    term_text_add_settings(&settings, crd_query_settings(b->query));
    output_list_line(&b->out, "Settings: %s", string_text(&settings));
    string_free(&settings);
    if (b->known.text.length > 0) {
        output_line(&b->out, "Log evidence of %s: %s", string_text(&b->known.text),
                    output_round(b->answer.log_evidence, room));
    }
    int ended = ENDED_WELL;
    if (b->together) {
        print_heading(b, b->columns, b->count);
        return print_values(b, b->columns, b->count);
    }
    for (size_t i = 0; i < b->count && ended == ENDED_WELL; i++) {
        bool number = crd_query_column_kind(b->query, b->columns[i]) == CRD_KIND_NUMBER;
        print_heading(b, &b->columns[i], 1);
        ended = number ? print_number(b, b->columns[i]) : print_values(b, &b->columns[i], 1);
    }
    return ended;
}

/* ---- JSON ---- */

/* Objects inside objects, the first column outermost. `values` are those chosen so far. */
static int write_level(belief *b, const size_t *columns, size_t count, size_t level, size_t *values) {
    int ended = ENDED_WELL;
    json_object(&b->json);
    for (size_t v = 0; v < crd_query_value_count(b->query, columns[level]) && ended == ENDED_WELL; v++) {
        double log_probability = 0;
        values[level] = v;
        json_key_text(&b->json, crd_query_value(b->query, columns[level], v));
        if (level + 1 < count) {
            ended = write_level(b, columns, count, level + 1, values);
        } else {
            ended = ask(b, columns, values, count, &log_probability);
            json_number(&b->json, crd_exp(log_probability));
        }
    }
    json_end_object(&b->json);
    return ended;
}

static int write_number(belief *b, size_t column) {
    char room[CRD_NUMBER_ROOM];
    json *j = &b->json;
    bool discrete = has_probabilities(b, column);
    number_facts facts;
    int ended = ask_number(b, column, &facts);
    if (ended != ENDED_WELL) return ended;
    json_object(j);
    json_member_number(j, "mean", facts.mean);
    json_member_number(j, "deviation", facts.deviation);
    json_key(j, "quantiles");
    json_object(j);
    for (size_t i = 0; i < QUANTILE_COUNT; i++) {
        size_t length = crd_number_format(QUANTILES[i], room);
        json_key_text(j, (crd_text){room, length});
        json_number(j, facts.quantiles[i]);
    }
    json_end_object(j);
    if (b->point_count > 0) {
        json_key(j, "at");
        json_array(j);
    }
    for (size_t i = 0; i < b->point_count && ended == ENDED_WELL; i++) {
        crd_error error;
        double log_density = 0, below = 0;
        ended = density_at(b, column, b->points[i], &log_density);
        if (ended == ENDED_WELL &&
            crd_query_below(b->query, b->log_classes, column, b->points[i], &below, &error) != CRD_OK) {
            ended = fail(b, &error);
        }
        json_object(j);
        json_member_number(j, "x", b->points[i]);
        json_member_number(j, discrete ? "probability" : "density", crd_exp(log_density));
        json_member_number(j, discrete ? "log_probability" : "log_density", log_density);
        json_member_number(j, "at_most", below);
        json_end_object(j);
    }
    if (b->point_count > 0) json_end_array(j);
    json_end_object(j);
    return ended;
}

static int write_answers(belief *b) {
    json *j = &b->json;
    size_t groups = b->together ? 1 : b->count, *values = memory_resize(NULL, b->count, sizeof *values);
    int ended = ENDED_WELL;
    json_object(j);
    json_key(j, "posterior");
    json_object(j);
    for (size_t i = 0; i < groups && ended == ENDED_WELL; i++) {
        size_t count = b->together ? b->count : 1;
        string key = {0};
        for (size_t k = 0; k < count; k++) {
            crd_text name = b->known.names[b->columns[i + k]];
            if (k > 0) string_add_char(&key, ',');
            string_add(&key, name.bytes, name.length);
        }
        json_key_text(j, (crd_text){key.bytes, key.length});
        string_free(&key);
        bool number = count == 1 && crd_query_column_kind(b->query, b->columns[i]) == CRD_KIND_NUMBER;
        ended = number ? write_number(b, b->columns[i]) : write_level(b, b->columns + i, count, 0, values);
    }
    json_end_object(j);
    json_member_number(j, "log_evidence", b->answer.log_evidence);
    json_end_object(j);
    json_end_line(j);
    free(values);
    return ended;
}

/* ---- The run ---- */

static int answer(const invocation *call, const crd_model *model, const crd_query *query) {
    belief b = {.query = query,
                .path = call->arguments.operands[0],
                .all = arguments_have(&call->arguments, "all"),
                .together = arguments_have(&call->arguments, "together")};
    int ended = given_read_columns(call, model, query, &b.known);
    if (ended != ENDED_WELL) return ended;
    ended = read_columns(call, model, &b);
    if (ended == ENDED_WELL) ended = read_points(call, &b);
    if (ended == ENDED_WELL && b.together) ended = check_together(&b);
    if (ended == ENDED_WELL) ended = believe(&b);
    if (ended == ENDED_WELL) ended = check_columns(&b);
    if (ended == ENDED_WELL) ended = output_open(call, &b.out);
    if (ended == ENDED_WELL) {
        b.json = json_begin(b.out.stream, true);
        ended = output_choose_format(call, &b.out, FORMATS_OF_REPORTS, FORMAT_TABLE);
        bool seen = b.out.to_terminal && b.out.format == FORMAT_TABLE;
        b.plots = seen || arguments_have(&call->arguments, "plot");
        if (ended == ENDED_WELL) ended = b.out.format == FORMAT_JSON ? write_answers(&b) : print_answers(&b);
        ended = output_close(&b.out, ended);
    }
    free(b.columns);
    free(b.points);
    free(b.log_classes);
    given_free(&b.known);
    return ended;
}

int query_model(invocation *call) {
    const arguments *words_given = &call->arguments;
    crd_model *model = NULL;
    crd_query *query = NULL;
    crd_settings *settings = NULL;
    crd_error error;
    int ended = model_or_table_open(call, words_given->operands[0], &model);
    if (ended == ENDED_WELL && crd_settings_clone(crd_model_settings(model), &settings, &error) != CRD_OK) {
        ended = message_error(&error);
    }
    if (ended == ENDED_WELL) ended = arguments_apply_settings(words_given, settings);
    if (ended == ENDED_WELL && crd_query_create(model, settings, &query, &error) != CRD_OK) {
        ended = message_error_in(&error, words_given->operands[0]);
    }
    if (ended == ENDED_WELL) ended = answer(call, model, query);
    crd_query_destroy(query);
    crd_settings_destroy(settings);
    crd_model_destroy(model);
    return ended;
}
