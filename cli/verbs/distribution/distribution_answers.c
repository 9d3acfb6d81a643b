/* distribution_answers.c - densities, areas, quantiles and moments of a distribution: asked, then written. */
#include "core/fraction.h"
#include "core/json_writer.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/plot.h"
#include "core/text_table.h"
#include "verbs/distribution/distribution_questions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Questions and answers ---- */

typedef struct answer {
    char *question;
    double values[2];
    size_t count;
} answer;

typedef struct answers {
    answer *items;
    size_t count;
} answers;

static void answers_free(answers *all) {
    for (size_t i = 0; i < all->count; i++) free(all->items[i].question);
    free(all->items);
}

CLI_PRINTF(5, 6)
static void add_answer(answers *all, size_t count, double first, double second, const char *format, ...) {
    string question = {0};
    va_list values;
    va_start(values, format);
    string_format_list(&question, format, values);
    va_end(values);
    all->items = memory_resize(all->items, all->count + 1, sizeof *all->items);
    all->items[all->count++] = (answer){question.bytes, {first, second}, count};
}

static void answer_at(const crd_distribution *d, const double *x, const char *shown, answers *all) {
    const crd_distribution_kind *kind = crd_distribution_kind_of(d);
    double density = crd_distribution_density(d, x), logarithm = crd_distribution_log_density(d, x);
    add_answer(all, 1, density, 0, kind->is_discrete ? "P(X = %s)" : "density at %s", shown);
    add_answer(all, 1, logarithm, 0, kind->is_discrete ? "ln P(X = %s)" : "ln density at %s", shown);
}

/* The greatest value under x: of whole numbers the one before it, else as good as x. */
static double just_under(const crd_distribution *d, double x) {
    return crd_distribution_kind_of(d)->is_discrete ? ceil(x) - 1 : x;
}

static int answer_one(const crd_distribution *d, const char *asked, const double *x, const char *shown, answers *all) {
    if (strcmp(asked, "below") == 0) {
        add_answer(all, 1, crd_distribution_below(d, just_under(d, x[0])), 0, "P(X < %s)", shown);
    } else if (strcmp(asked, "at-most") == 0) {
        add_answer(all, 1, crd_distribution_below(d, x[0]), 0, "P(X <= %s)", shown);
    } else if (strcmp(asked, "above") == 0) {
        add_answer(all, 1, crd_distribution_above(d, x[0]), 0, "P(X > %s)", shown);
    } else if (strcmp(asked, "at-least") == 0) {
        add_answer(all, 1, crd_distribution_above(d, just_under(d, x[0])), 0, "P(X >= %s)", shown);
    } else if (!(x[0] >= 0 && x[0] <= 1)) {
        return message_usage("--%s takes a probability from 0 to 1, not '%s'", asked, shown);
    } else if (strcmp(asked, "quantile") == 0) {
        add_answer(all, 1, crd_distribution_quantile(d, x[0]), 0, "quantile %s", shown);
    } else {
        double low, high;
        crd_distribution_interval(d, x[0], &low, &high);
        add_answer(all, 2, low, high, "central interval %s", shown);
    }
    return ENDED_WELL;
}

static int answer_between(const crd_distribution *d, const double *ends, answers *all) {
    char low[CRD_NUMBER_ROOM], high[CRD_NUMBER_ROOM];
    crd_number_format(ends[0], low);
    crd_number_format(ends[1], high);
    if (ends[0] > ends[1]) return message_usage("--between takes the lesser first: %s is not below %s", low, high);
    add_answer(all, 1, crd_distribution_between(d, ends[0], ends[1]), 0, "P(%s <= X <= %s)", low, high);
    return ENDED_WELL;
}

static const char *const asking[] = {"at", "below", "at-most", "above", "at-least", "between", "quantile", "interval"};
enum { ASKING = sizeof asking / sizeof asking[0] };

const char *distribution_question(const invocation *call) {
    for (size_t i = 0; i < ASKING; i++) {
        if (arguments_have(&call->arguments, asking[i])) return asking[i];
    }
    return NULL;
}

static int answer_option(const crd_distribution *d, const given_option *o, answers *all) {
    size_t count = 0, dimension = crd_distribution_dimension(d);
    bool is_at = strcmp(o->name, "at") == 0, is_between = strcmp(o->name, "between") == 0;
    const char *name = crd_distribution_kind_of(d)->name;
    if (!is_at && dimension > 1) return message_usage("%s answers --at alone: it has no order", name);
    double *numbers = fraction_parse_list(o->value, &count, true);
    size_t wanted = is_at ? dimension : is_between ? 2 : 1;
    int ended = ENDED_WELL;
    if (numbers == NULL || count != wanted) {
        ended = message_usage("--%s takes %zu number%s, not '%s'", o->name, wanted,
                              wanted == 1 ? "" : "s with commas between", o->value);
    } else if (is_at) {
        answer_at(d, numbers, o->value, all);
    } else {
        ended = is_between ? answer_between(d, numbers, all) : answer_one(d, o->name, numbers, o->value, all);
    }
    free(numbers);
    return ended;
}

static int answer_all(const invocation *call, const crd_distribution *d, answers *all) {
    int ended = ENDED_WELL;
    for (size_t i = 0; i < call->arguments.option_count && ended == ENDED_WELL; i++) {
        const given_option *o = &call->arguments.options[i];
        for (size_t j = 0; j < ASKING && ended == ENDED_WELL; j++) {
            if (strcmp(o->name, asking[j]) == 0) ended = answer_option(d, o, all);
        }
    }
    return ended;
}

/* ---- Writing answers ---- */

/* The density between its far quantiles, in one line of blocks with the ends under it. */
static void print_plot(output *out, const crd_distribution *d) {
    enum { POINTS = 60 };
    double heights[POINTS], highest = 0;
    double low = crd_distribution_quantile(d, 0.001), high = crd_distribution_quantile_above(d, 0.001);
    bool is_discrete = crd_distribution_kind_of(d)->is_discrete != 0;
    if (!isfinite(low) || !isfinite(high) || !(high > low)) return;
    size_t points = out->width > 4 && out->width < POINTS + 4 ? out->width - 4 : POINTS;
    if (is_discrete && high - low < (double)points) points = (size_t)(high - low) + 1;
    for (size_t i = 0; i < points; i++) {
        double x = low + (high - low) * (double)i / (double)(points - 1);
        if (is_discrete) x = floor(x + 0.5);
        heights[i] = crd_distribution_density(d, &x);
        if (isfinite(heights[i]) && heights[i] > highest) highest = heights[i];
    }
    for (size_t i = 0; i < points; i++) heights[i] = highest > 0 ? heights[i] / highest : 0;
    string line = {0};
    char left[ROUNDED_ROOM], right[ROUNDED_ROOM];
    plot_curve(&line, heights, points);
    output_round(low, left);
    output_round(high, right);
    size_t taken = strlen(left) + strlen(right), gap = points > taken ? points - taken : 1;
    fprintf(out->stream, "\n  %s\n  %s%*s%s\n", string_text(&line), left, (int)gap, "", right);
    string_free(&line);
}

static void add_rounded(table *t, const double *values, size_t count) {
    string cell = {0};
    char room[ROUNDED_ROOM];
    for (size_t i = 0; i < count; i++) string_format(&cell, "%s%s", i == 0 ? "" : ", ", output_round(values[i], room));
    table_add(t, string_text(&cell));
    string_free(&cell);
}

static void write_table(output *out, const crd_distribution *d, const double *moments, const answers *all) {
    size_t n = crd_distribution_dimension(d);
    const double *variance = moments + n;
    table *t = table_create_for(out, 2);
    table_omit_heading(t);
    table_align_left(t, 1);
    table_add(t, "mean");
    add_rounded(t, moments, n);
    double deviation = crd_distribution_deviation(d);
    for (size_t i = 0; i < n; i++) {
        table_add(t, i > 0 ? "" : n == 1 ? "variance" : "covariance");
        if (isfinite(deviation) && isinf(variance[0])) table_add(t, "too large for a number");
        else if (deviation > 0 && variance[0] == 0) table_add(t, "too small for a number");
        else add_rounded(t, variance + i * n, n);
    }
    if (n == 1) {
        table_add(t, "deviation");
        add_rounded(t, &deviation, 1);
    }
    for (size_t i = 0; i < all->count; i++) {
        table_add(t, all->items[i].question);
        add_rounded(t, all->items[i].values, all->items[i].count);
    }
    table_print(t, out->stream, 0, 0);
    table_destroy(t);
    if (n == 1 && out->to_terminal && out->format == FORMAT_TABLE) print_plot(out, d);
}

static void write_csv_row(output *out, const char *question, double value) {
    output_csv_text(out, crd_text_of(question));
    fputc(',', out->stream);
    output_csv_number(out, value);
    fputc('\n', out->stream);
}

static void write_csv(output *out, const crd_distribution *d, const double *moments, const answers *all) {
    size_t n = crd_distribution_dimension(d);
    fputs("question,value\n", out->stream);
    for (size_t i = 0; i < n; i++) write_csv_row(out, "mean", moments[i]);
    for (size_t i = 0; i < n * n; i++) write_csv_row(out, n == 1 ? "variance" : "covariance", moments[n + i]);
    for (size_t i = 0; i < all->count; i++) {
        for (size_t j = 0; j < all->items[i].count; j++)
            write_csv_row(out, all->items[i].question, all->items[i].values[j]);
    }
}

static void write_numbers(json *j, const char *key, const double *values, size_t count) {
    json_key(j, key);
    if (count > 1) json_array(j);
    for (size_t i = 0; i < count; i++) json_number(j, values[i]);
    if (count > 1) json_end_array(j);
}

static void write_json(output *out, const crd_distribution *d, const double *moments, const answers *all) {
    size_t n = crd_distribution_dimension(d);
    json j = json_begin(out->stream, true);
    json_object(&j);
    json_member_text(&j, "distribution", crd_text_of(crd_distribution_kind_of(d)->name));
    write_numbers(&j, "mean", moments, n);
    write_numbers(&j, n == 1 ? "variance" : "covariance", moments + n, n * n);
    json_key(&j, "answers");
    json_object(&j);
    for (size_t i = 0; i < all->count; i++) {
        write_numbers(&j, all->items[i].question, all->items[i].values, all->items[i].count);
    }
    json_end_object(&j);
    json_end_object(&j);
    json_end_line(&j);
}

int distribution_answer(const invocation *call, const crd_distribution *d) {
    answers all = {0};
    output out;
    size_t n = crd_distribution_dimension(d);
    double *moments = memory_resize(NULL, n + n * n, sizeof *moments);
    crd_distribution_mean(d, moments);
    crd_distribution_variance(d, moments + n);
    int ended = answer_all(call, d, &all);
    if (ended == ENDED_WELL) ended = output_open(call, &out);
    if (ended == ENDED_WELL) {
        ended = output_choose_format(call, &out, FORMATS, FORMAT_TABLE);
        if (ended == ENDED_WELL) {
            switch (out.format) {
            case FORMAT_CSV: write_csv(&out, d, moments, &all); break;
            case FORMAT_JSON: write_json(&out, d, moments, &all); break;
            case FORMAT_TABLE:
            case FORMAT_MARKDOWN: write_table(&out, d, moments, &all); break;
            }
        }
        ended = output_close(&out, ended);
    }
    free(moments);
    answers_free(&all);
    return ended;
}
