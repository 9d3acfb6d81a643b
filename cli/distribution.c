/* distribution.c - asks named distributions: densities, areas, quantiles, moments, draws. */
#include "fraction.h"
#include "json.h"
#include "lists.h"
#include "output.h"
#include "plot.h"
#include "report.h"
#include "table.h"
#include "verb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The parameters ---- */

/* Numbers of a list; the caller frees them. NULL where one is none. */
static double *read_numbers(const char *text, size_t *count, bool infinite_too) {
    list items;
    double *numbers = NULL;
    if (!list_split(text, &items)) return NULL;
    numbers = memory_resize(NULL, items.count, sizeof *numbers);
    *count = items.count;
    for (size_t i = 0; i < items.count; i++) {
        bool is_infinite = crd_number_parse(items.items[i], &numbers[i]) == CRD_NUMBER_INFINITE;
        if ((is_infinite && infinite_too) || fraction_parse(items.items[i], &numbers[i])) continue;
        free(numbers);
        numbers = NULL;
        break;
    }
    list_free(&items);
    return numbers;
}

/* "n, p=0.5": with what those are that need not be given. */
static void add_parameters(string *out, const crd_distribution_kind *kind) {
    char room[CRD_NUMBER_ROOM];
    for (size_t i = 0; i < kind->parameter_count; i++) {
        string_format(out, "%s%s", i == 0 ? "" : ", ", kind->parameters[i].name);
        if (isnan(kind->parameters[i].standard)) continue;
        crd_number_format(kind->parameters[i].standard, room);
        string_format(out, "=%s", room);
    }
}

static int unknown_distribution(const char *name) {
    const crd_distribution_kind *kind;
    report_usage("there is no distribution '%s'", name);
    for (size_t i = 0; (kind = crd_distribution_kind_at(i)) != NULL; i++) {
        if (!list_near(crd_text_of(name), crd_text_of(kind->name))) continue;
        report_hint("did you mean %s?", kind->name);
        return ENDED_USAGE;
    }
    string names = {0};
    for (size_t i = 0; (kind = crd_distribution_kind_at(i)) != NULL; i++) {
        string_format(&names, "%s%s", i == 0 ? "" : ", ", kind->name);
    }
    report_hint("there are %s", string_text(&names));
    string_free(&names);
    return ENDED_USAGE;
}

/* name=value, or a value alone, which goes to the parameter at its place. */
static int read_parameter(const crd_distribution_kind *kind, const char *word, size_t place, crd_parameter_value *out) {
    const char *equals = strchr(word, '='), *value = equals == NULL ? word : equals + 1;
    if (equals == NULL && place >= kind->parameter_count) {
        string names = {0};
        add_parameters(&names, kind);
        report_usage("%s takes no further value '%s'", kind->name, word);
        report_hint("its parameters are %s", string_text(&names));
        string_free(&names);
        return ENDED_USAGE;
    }
    out->name = equals == NULL ? crd_text_of(kind->parameters[place].name) : (crd_text){word, (size_t)(equals - word)};
    out->values = read_numbers(value, &out->count, false);
    if (out->values == NULL) return report_usage("'%s' is no number: %s", value, word);
    return ENDED_WELL;
}

static int make_distribution(const invocation *call, crd_distribution **out) {
    const arguments *given = &call->arguments;
    const crd_distribution_kind *kind = crd_distribution_kind_named(crd_text_of(given->operands[0]));
    if (kind == NULL) return unknown_distribution(given->operands[0]);
    size_t count = given->operand_count - 1;
    crd_parameter_value *values = memory_resize(NULL, count, sizeof *values);
    memset(values, 0, (count == 0 ? 1 : count) * sizeof *values);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < count && ended == ENDED_WELL; i++) {
        ended = read_parameter(kind, given->operands[i + 1], i, &values[i]);
    }
    crd_error error;
    if (ended == ENDED_WELL &&
        crd_distribution_create(call->context, crd_text_of(kind->name), values, count, out, &error) != CRD_OK) {
        string names = {0};
        add_parameters(&names, kind);
        ended = report_usage("%s", error.message);
        report_hint("the parameters of %s are %s", kind->name, string_text(&names));
        string_free(&names);
    }
    for (size_t i = 0; i < count; i++) free((void *)(uintptr_t)values[i].values);
    free(values);
    return ended;
}

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
        return report_usage("--%s takes a probability from 0 to 1, not '%s'", asked, shown);
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
    if (ends[0] > ends[1]) return report_usage("--between takes the lesser first: %s is not below %s", low, high);
    add_answer(all, 1, crd_distribution_between(d, ends[0], ends[1]), 0, "P(%s <= X <= %s)", low, high);
    return ENDED_WELL;
}

static const char *const asking[] = {"at", "below", "at-most", "above", "at-least", "between", "quantile", "interval"};
enum { ASKING = sizeof asking / sizeof asking[0] };

static int answer_option(const crd_distribution *d, const given_option *o, answers *all) {
    size_t count = 0, dimension = crd_distribution_dimension(d);
    bool is_at = strcmp(o->name, "at") == 0, is_between = strcmp(o->name, "between") == 0;
    const char *name = crd_distribution_kind_of(d)->name;
    if (!is_at && dimension > 1) return report_usage("%s answers --at alone: it has no order", name);
    double *numbers = read_numbers(o->value, &count, true);
    size_t wanted = is_at ? dimension : is_between ? 2 : 1;
    int ended = ENDED_WELL;
    if (numbers == NULL || count != wanted) {
        ended = report_usage("--%s takes %zu number%s, not '%s'", o->name, wanted,
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
    for (size_t i = 0; i < n; i++) {
        table_add(t, i > 0 ? "" : n == 1 ? "variance" : "covariance");
        add_rounded(t, variance + i * n, n);
    }
    if (n == 1) {
        double deviation = sqrt(variance[0]);
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

static int write_answers(const invocation *call, const crd_distribution *d) {
    answers all = {0};
    output out;
    size_t n = crd_distribution_dimension(d);
    double *moments = memory_resize(NULL, n + n * n, sizeof *moments);
    crd_distribution_mean(d, moments);
    crd_distribution_variance(d, moments + n);
    int ended = answer_all(call, d, &all);
    if (ended == ENDED_WELL) ended = output_open(call, &out);
    if (ended == ENDED_WELL) {
        ended = output_choose_format(call, &out, FORMATS_OF_ROWS, FORMAT_TABLE);
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

/* ---- Draws ---- */

/* Where draws go: a line each. */
typedef struct drawing {
    output out;
    json json;
    table *table;
} drawing;

/* A table is laid out by this many draws at a time. */
enum { DRAWS_LAID_OUT = 1000 };

static void write_names(drawing *w, size_t count) {
    w->json = json_begin(w->out.stream, false);
    if (w->out.format == FORMAT_JSON) return;
    if (w->out.format != FORMAT_CSV) w->table = table_create_for(&w->out, count);
    for (size_t i = 0; i < count; i++) {
        char name[32] = "x";
        if (count > 1) snprintf(name, sizeof name, "x%zu", i + 1);
        if (w->table != NULL) table_add(w->table, name);
        else fprintf(w->out.stream, "%s%s", i == 0 ? "" : ",", name);
    }
    if (w->table == NULL) fputc('\n', w->out.stream);
}

static void write_draw(drawing *w, const double *x, size_t count) {
    char room[ROUNDED_ROOM];
    if (w->out.format == FORMAT_JSON && count > 1) json_array(&w->json);
    for (size_t i = 0; i < count; i++) {
        switch (w->out.format) {
        case FORMAT_JSON: json_number(&w->json, x[i]); break;
        case FORMAT_CSV:
            if (i > 0) fputc(',', w->out.stream);
            output_csv_number(&w->out, x[i]);
            break;
        case FORMAT_TABLE:
        case FORMAT_MARKDOWN: table_add(w->table, output_round(x[i], room)); break;
        }
    }
    if (w->out.format == FORMAT_JSON && count > 1) json_end_array(&w->json);
    if (w->out.format == FORMAT_JSON) json_end_line(&w->json);
    if (w->out.format == FORMAT_CSV) fputc('\n', w->out.stream);
}

static int write_draws(const invocation *call, const crd_distribution *d) {
    uint64_t count = 0, seed = 1;
    size_t n = crd_distribution_dimension(d);
    drawing w = {0};
    for (size_t i = 0; i < ASKING; i++) {
        if (arguments_have(&call->arguments, asking[i])) return report_usage("--sample and --%s go apart", asking[i]);
    }
    int ended = arguments_whole(&call->arguments, "sample", &count);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "seed", &seed);
    if (ended == ENDED_WELL) ended = output_open(call, &w.out);
    if (ended != ENDED_WELL) return ended;
    ended = output_choose_format(call, &w.out, FORMATS_OF_ROWS, w.out.to_terminal ? FORMAT_TABLE : FORMAT_CSV);
    if (ended != ENDED_WELL) return output_close(&w.out, ended);
    double *x = memory_resize(NULL, n, sizeof *x);
    write_names(&w, n);
    for (uint64_t i = 0; i < count && !output_broken(&w.out) && !invocation_interrupted(); i++) {
        crd_distribution_sample(d, seed, i, 1, x);
        write_draw(&w, x, n);
        if (w.table != NULL && i % DRAWS_LAID_OUT == DRAWS_LAID_OUT - 1) table_flush(w.table, w.out.stream);
    }
    if (invocation_interrupted()) {
        report_failed("interrupted");
        ended = invocation_interrupted_exit();
    } else if (w.table != NULL) {
        table_flush(w.table, w.out.stream);
    }
    table_destroy(w.table);
    free(x);
    return output_close(&w.out, ended);
}

/* ---- The verb ---- */

static void list_as_json(json *j) {
    const crd_distribution_kind *kind;
    json_array(j);
    for (size_t i = 0; (kind = crd_distribution_kind_at(i)) != NULL; i++) {
        json_object(j);
        json_member_text(j, "name", crd_text_of(kind->name));
        json_key(j, "parameters");
        json_array(j);
        for (size_t k = 0; k < kind->parameter_count; k++) {
            json_object(j);
            json_member_text(j, "name", crd_text_of(kind->parameters[k].name));
            json_member_number(j, "default", kind->parameters[k].standard);
            json_end_object(j);
        }
        json_end_array(j);
        json_member_text(j, "summary", crd_text_of(kind->summary));
        json_end_object(j);
    }
    json_end_array(j);
    json_end_line(j);
}

static void list_as_rows(output *out) {
    static const char *const heading[] = {"name", "parameters", "summary"};
    const crd_distribution_kind *kind;
    table *t = out->format == FORMAT_CSV ? NULL : table_create_for(out, 3);
    if (t == NULL) {
        fprintf(out->stream, "%s,%s,%s\n", heading[0], heading[1], heading[2]);
    } else {
        table_align_left(t, 1);
        table_align_left(t, 2);
        for (size_t i = 0; i < 3 && out->format == FORMAT_MARKDOWN; i++) table_add(t, heading[i]);
    }
    for (size_t i = 0; (kind = crd_distribution_kind_at(i)) != NULL; i++) {
        string parameters = {0};
        add_parameters(&parameters, kind);
        const char *const cells[] = {kind->name, string_text(&parameters), kind->summary};
        for (size_t k = 0; k < 3; k++) {
            if (t != NULL) {
                table_add(t, cells[k]);
                continue;
            }
            output_csv_text(out, crd_text_of(cells[k]));
            fputc(k < 2 ? ',' : '\n', out->stream);
        }
        string_free(&parameters);
    }
    if (t != NULL) table_print(t, out->stream, 0, 0);
    table_destroy(t);
}

static int list_distributions(const invocation *call) {
    output out;
    int ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    ended = output_choose_format(call, &out, FORMATS_OF_ROWS, FORMAT_TABLE);
    if (ended == ENDED_WELL && out.format == FORMAT_JSON) {
        json j = json_begin(out.stream, true);
        list_as_json(&j);
    } else if (ended == ENDED_WELL) {
        list_as_rows(&out);
    }
    return output_close(&out, ended);
}

static int run(invocation *call) {
    crd_distribution *d = NULL;
    if (call->arguments.operand_count == 0) return list_distributions(call);
    int ended = make_distribution(call, &d);
    if (ended == ENDED_WELL) {
        ended = arguments_have(&call->arguments, "sample") ? write_draws(call, d) : write_answers(call, d);
    }
    crd_distribution_destroy(d);
    return ended;
}

static const char *name_at(size_t index) {
    const crd_distribution_kind *kind = crd_distribution_kind_at(index);
    return kind == NULL ? NULL : kind->name;
}

static const option options[] = {{"at", 0, "X", "the probability of X, or the density there, and its logarithm"},
                                 {"below", 0, "X", "the probability of less than X"},
                                 {"at-most", 0, "X", "the probability of X or less"},
                                 {"above", 0, "X", "the probability of more than X"},
                                 {"at-least", 0, "X", "the probability of X or more"},
                                 {"between", 0, "A,B", "the probability of A to B, both included"},
                                 {"quantile", 0, "P", "the least x that has at least P at or below it"},
                                 {"interval", 0, "P", "the central interval of probability P"},
                                 {"sample", 0, "N", "N draws, instead of the above"},
                                 {"seed", 0, "S", "what the draws depend on (1)"},
                                 OPTION_FORMAT,
                                 OPTION_OUTPUT,
                                 OPTIONS_END};

const verb verb_distribution = {
    .name = "distribution",
    .usage = "distribution [NAME PARAMETER=VALUE... [--at X] [--between A,B] [--quantile P] ...]",
    .summary = "Asks a named distribution, or lists them",
    .about =
        "Prints mean and variance, and whatever is asked for; on a terminal also how the distribution looks.\n"
        "Parameters go by name, or by place: binomial 10 0.5 is binomial n=10 p=0.5. Numbers may be fractions: p=1/6.\n"
        "Of several dimensions (multivariate-normal), lists have commas: mean=0,0 covariance=1,.5,.5,2 --at 1,1.\n",
    .example = "  credence distribution normal mean=100 deviation=15 --between 85,115\n"
               "  credence distribution binomial n=10 p=.5 --at 5 --at-least 8\n"
               "  credence distribution student degrees=9 --interval 0.95\n"
               "  credence distribution poisson mean=3 --sample 5 --seed 7\n",
    .options = options,
    .operand = name_at,
    .run = run};
