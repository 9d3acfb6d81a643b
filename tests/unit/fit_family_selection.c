/* SPDX-License-Identifier: MIT */
/* The family auto: which family is chosen for which numbers, that no order of rows shows in it, what is left out and
 * why, and that splitting rows into folds loses none. */
#include "model_support.h"

#include "fit/fit_internal.h"
#include "fit/held_out.h"
#include "math/random.h"
#include "model/column_family.h"
#include "stats/grid.h"

static const char *family_name(const crd_classifier *classifier, size_t attribute) {
    crd_family family = CRD_FAMILY_INIT;
    assert_true(crd_classifier_family(classifier, attribute, &family));
    return family.name;
}

static int open_context(void **state) {
    crd_context *context = NULL;
    if (crd_context_create(NULL, &context) != CRD_OK) return -1;
    *state = context;
    return 0;
}

static int close_context(void **state) {
    crd_context_destroy(*state);
    return 0;
}

/* ---- Tables ---- */

typedef struct selection_lines {
    size_t count, width;
    char *bytes; /* lines of `width` each, with NUL behind */
} selection_lines;

static char *line_at(const selection_lines *lines, size_t i) {
    return lines->bytes + i * lines->width;
}

static selection_lines make_lines(size_t count, size_t width) {
    selection_lines lines = {count, width, calloc(count, width)};
    assert_non_null(lines.bytes);
    return lines;
}

static void shuffle(selection_lines *lines, uint64_t seed) {
    crd_i_random random = crd_i_random_at(seed, 1);
    char buffer[256];
    for (size_t i = lines->count; i > 1; i--) {
        size_t other = (size_t)crd_i_random_below(&random, i);
        memcpy(buffer, line_at(lines, other), lines->width);
        memcpy(line_at(lines, other), line_at(lines, i - 1), lines->width);
        memcpy(line_at(lines, i - 1), buffer, lines->width);
    }
}

/* A model of some lines behind a heading, under --family auto. */
static crd_model *learn(crd_context *context, const char *heading, const selection_lines *lines, size_t first,
                        size_t limit, unsigned threads, size_t block_bytes) {
    size_t length = strlen(heading);
    char *text = calloc(1, length + (limit - first) * lines->width + 1);
    assert_non_null(text);
    memcpy(text, heading, length);
    for (size_t i = first; i < limit; i++) {
        size_t more = strlen(line_at(lines, i));
        memcpy(text + length, line_at(lines, i), more);
        length += more;
    }
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.threads = threads;
    options.block_bytes = block_bytes;
    crd_i_source *source;
    crd_reader *reader;
    crd_settings *settings;
    crd_model *model;
    crd_error error;
    assert_done(crd_i_source_memory(context, text, length, true, &source, &error), error);
    assert_done(crd_i_reader_open_source(context, source, "table", &options, &reader, &error), error);
    assert_done(crd_reader_set_target(reader, crd_reader_column_count(reader) - 1, &error), error);
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "family", crd_text_of("auto"), &error), error);
    assert_done(crd_model_train(context, reader, settings, &model, NULL, &error), error);
    crd_settings_destroy(settings);
    crd_reader_close(reader);
    free(text);
    return model;
}

/* ---- Orders ---- */

enum { MOST_COMPARED = 64 };

typedef struct selection_comparison {
    size_t count;
    crd_candidate each[MOST_COMPARED];
} selection_comparison;

static selection_comparison compare(const crd_model *model) {
    crd_classifier *classifier;
    crd_error error;
    selection_comparison comparison = {0};
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    for (size_t a = 0; a < crd_classifier_attribute_count(classifier); a++) {
        crd_candidate candidate = CRD_CANDIDATE_INIT;
        for (size_t i = 0; crd_classifier_candidate(classifier, a, i, &candidate); i++) {
            assert_true(comparison.count < MOST_COMPARED);
            if (candidate.is_chosen) assert_string_equal(candidate.family, family_name(classifier, a));
            candidate.left_out = NULL; /* does not outlive the classifier */
            comparison.each[comparison.count++] = candidate;
        }
    }
    crd_classifier_destroy(classifier);
    return comparison;
}

static void assert_same_comparison(const selection_comparison *a, const selection_comparison *b) {
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_string_equal(a->each[i].family, b->each[i].family);
        assert_int_equal(a->each[i].is_chosen, b->each[i].is_chosen);
        assert_memory_equal(&a->each[i].score, &b->each[i].score, sizeof(double));
        assert_memory_equal(&a->each[i].standard_error, &b->each[i].standard_error, sizeof(double));
    }
}

/* Classes are met in other orders, and 5,000 different numbers make the grid of `many` one of intervals. */
static void no_order_of_rows_shows(void **state) {
    enum { ROWS = 5000 };
    static const char heading[] = "few,many,count,y\n";
    static const char *const classes[] = {"spring", "summer", "autumn"};
    crd_context *context = *state;
    selection_lines rows = make_lines(ROWS, 80);
    for (size_t i = 0; i < ROWS; i++) {
        crd_i_random random = crd_i_random_at(7, i);
        size_t class = (size_t)crd_i_random_below(&random, 3);
        snprintf(line_at(&rows, i), rows.width, "%zu,%.12g,%zu,%s\n", (size_t)crd_i_random_below(&random, 9 + class),
                 crd_i_random_normal(&random) + (double)class, (size_t)crd_i_random_below(&random, 40) * class,
                 classes[class]);
    }
    crd_model *model = learn(context, heading, &rows, 0, ROWS, 1, 0);
    const selection_comparison wanted = compare(model);
    assert_int_equal(wanted.count, 30);
    crd_model_destroy(model);
    for (unsigned seed = 1; seed <= 4; seed++) {
        shuffle(&rows, seed);
        model = learn(context, heading, &rows, 0, ROWS, seed, 256 * seed);
        selection_comparison got = compare(model);
        assert_same_comparison(&got, &wanted);
        crd_model_destroy(model);
    }
    crd_error error;
    crd_model *other = learn(context, heading, &rows, 0, 1234, 1, 0);
    model = learn(context, heading, &rows, 1234, ROWS, 1, 0);
    assert_done(crd_model_merge(model, other, &error), error);
    selection_comparison got = compare(model);
    assert_same_comparison(&got, &wanted);
    crd_model_destroy(model);
    crd_model_destroy(other);
    free(rows.bytes);
}

/* ---- Which family ---- */

static double draw_gaussian(crd_i_random *random, size_t class) {
    return 3 + (double)class + (class == 0 ? 1 : 1.6) * crd_i_random_normal(random);
}

static double draw_lognormal(crd_i_random *random, size_t class) {
    return exp((double)class + crd_i_random_normal(random));
}

static double draw_exponential(crd_i_random *random, size_t class) {
    return -log(crd_i_random_open(random)) * (class == 0 ? 1 : 4);
}

/* How many exponential waits end before 1. */
static double draw_poisson(crd_i_random *random, size_t class) {
    double count = 0;
    for (double passed = 0; (passed += draw_exponential(random, 0) / (class == 0 ? 0.5 : 2)) < 1;) count++;
    return count;
}

static double draw_bernoulli(crd_i_random *random, size_t class) {
    return crd_i_random_uniform(random) < (class == 0 ? 0.05 : 0.6) ? 1 : 0;
}

/* Two heaps about the one of the other class. */
static double draw_two_heaps(crd_i_random *random, size_t class) {
    double side = crd_i_random_uniform(random) < 0.5 ? -3 : 3;
    return (class == 0 ? 0 : side) + 0.7 * crd_i_random_normal(random);
}

static const crd_i_family *chosen_for(crd_context *context, double (*draw)(crd_i_random *, size_t), uint64_t seed) {
    enum { ROWS = 3000 };
    selection_lines rows = make_lines(ROWS, 48);
    for (size_t i = 0; i < ROWS; i++) {
        crd_i_random random = crd_i_random_at(seed, i);
        snprintf(line_at(&rows, i), rows.width, "%.9g,%s\n", draw(&random, i % 2), i % 2 == 0 ? "a" : "b");
    }
    crd_model *model = learn(context, "x,y\n", &rows, 0, ROWS, 1, 0);
    crd_classifier *classifier;
    crd_error error;
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    const crd_i_family *family = crd_i_family_named(crd_text_of(family_name(classifier, 0)));
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    free(rows.bytes);
    return family;
}

/* Most of the time: evidence counts twice, so that a family that is more careful may win where it is next to true. */
static void numbers_get_the_family_that_they_were_drawn_from(void **state) {
    static const struct {
        double (*draw)(crd_i_random *, size_t);
        const crd_i_family *wanted[3];
    } samples[] = {{draw_gaussian, {&crd_i_family_gaussian}},
                   {draw_lognormal, {&crd_i_family_lognormal}},
                   {draw_exponential, {&crd_i_family_exponential}},
                   {draw_poisson, {&crd_i_family_poisson}},
                   {draw_bernoulli, {&crd_i_family_bernoulli}},
                   {draw_two_heaps, {&crd_i_family_mixture, &crd_i_family_kernel, &crd_i_family_histogram}}};
    enum { DRAWS = 20 };
    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
        size_t right = 0;
        for (uint64_t seed = 1; seed <= DRAWS; seed++) {
            const crd_i_family *family = chosen_for(*state, samples[s].draw, seed);
            for (size_t w = 0; w < 3; w++) right += family == samples[s].wanted[w];
        }
        if (right < DRAWS * 3 / 5) fail_msg("sample %zu: only %zu of %d are right", s, right, DRAWS);
    }
}

/* A class all of whose rows but one agree: its normal kernel is so narrow that the one row, held out, is all but
 * impossible. */
static void a_row_that_is_all_but_ruled_out_is_not_excused(void **state) {
    enum { ROWS = 400 };
    selection_lines rows = make_lines(ROWS, 48);
    for (size_t i = 0; i < ROWS; i++) {
        crd_i_random random = crd_i_random_at(3, i);
        double x = i % 2 == 0 ? (i == 10 ? 0.9 : 0.5) : crd_i_random_uniform(&random);
        snprintf(line_at(&rows, i), rows.width, "%.2f,%s\n", x, i % 2 == 0 ? "a" : "b");
    }
    crd_model *model = learn(*state, "x,y\n", &rows, 0, ROWS, 1, 0);
    const selection_comparison got = compare(model);
    for (size_t i = 0; i < got.count; i++)
        if (got.each[i].is_chosen) assert_string_not_equal(got.each[i].family, "gaussian");
    assert_true(got.each[0].score < -1);
    crd_model_destroy(model);
    free(rows.bytes);
}

/* ---- What is left out ---- */

static const char six[] = "x,y\n-1,a\n0,a\n2,a\n3,b\n4,b\n5.5,b\n";

static void what_is_left_out_says_why(void **state) {
    crd_context *context = *state;
    static const struct {
        const char *kept, *family, *why;
    } wanted[] = {{"all", "gaussian", NULL},
                  {"all", "lognormal", "2 of its values are zero or below"},
                  {"all", "exponential", "1 of its values is below zero"},
                  {"all", "uniform", "a row outside the range of the other rows would be impossible"},
                  {"all", "mixture", NULL},
                  {"histogram", "lognormal", "the model does not store the statistic 'logs'"},
                  {"histogram", "poisson", "the model does not store the statistic 'signs'"},
                  {"histogram", "kernel", NULL}};
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        crd_model *model = trained_keeping(context, six, "y", wanted[w].kept);
        crd_classifier *classifier = classifier_with(model, context, WITH("family", "x=auto"));
        assert_string_equal(crd_settings_get(crd_classifier_settings(classifier), "family"), "x=auto");
        crd_candidate candidate = CRD_CANDIDATE_INIT;
        size_t i = 0;
        while (crd_classifier_candidate(classifier, 0, i, &candidate) &&
               strcmp(candidate.family, wanted[w].family) != 0)
            i++;
        assert_non_null(candidate.family);
        if (wanted[w].why == NULL) assert_null(candidate.left_out);
        else assert_string_equal(candidate.left_out, wanted[w].why);
        crd_classifier_destroy(classifier);
        crd_model_destroy(model);
    }
}

static void a_model_without_a_grid_is_refused(void **state) {
    crd_context *context = *state;
    crd_model *model = trained_keeping(context, six, "y", "signs,logs");
    crd_settings *settings;
    crd_classifier *classifier;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "family", crd_text_of("auto"), &error), error);
    assert_int_equal(crd_classifier_create(model, settings, &classifier, &error), CRD_ERROR_SETTING);
    assert_string_equal(error.subject, "keep-statistics");
    assert_non_null(strstr(error.message, "'histogram'"));
    assert_done(crd_settings_set(settings, "family", crd_text_of("student"), &error), error);
    assert_done(crd_classifier_create(model, settings, &classifier, &error), error);
    crd_candidate candidate = CRD_CANDIDATE_INIT;
    assert_int_equal(crd_classifier_candidate(classifier, 0, 0, &candidate), 0);
    crd_classifier_destroy(classifier);
    crd_settings_destroy(settings);
    crd_model_destroy(model);
}

/* One class, one row, one number, no cells: nothing to choose by, and gaussian. */
static void little_is_enough(void **state) {
    static const char *const tables[] = {"x,y\n1,a\n2,a\n3.5,a\n", "x,y\n1,a\n", "x,y\n4,a\n4,b\n4,b\n",
                                         "x,y\n1,a\n?,b\n"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        crd_model *model = trained_keeping(*state, tables[i], "y", "all");
        crd_classifier *classifier = classifier_with(model, *state, WITH("family", "auto"));
        assert_string_equal(family_name(classifier, 0), "gaussian");
        crd_classifier_destroy(classifier);
        crd_model_destroy(model);
    }
}

/* ---- Dealing ---- */

/* Every weight is in the folds, whole or not, few or many; and many are about a fifth in each. */
static void dealing_loses_nothing(void **state) {
    crd_context *context = *state;
    static const double numbers[] = {-2, 0.25, 3, 3, 7}, weights[] = {1, 2.75, 4096, 5e6, 0.5};
    static const int32_t under[] = {0, 1, 0, 1, 1}, order[] = {0, 1};
    const crd_i_cells cells = {.rows = 5, .numbers = numbers};
    const crd_i_view view = {.conditions = order, .condition_count = 2};
    crd_i_tally *grid = crd_i_grid.create(context);
    crd_i_dictionary *names = crd_i_dictionary_create(context);
    crd_i_groups groups;
    crd_i_grid_folds dealt;
    double sums[5] = {0};
    assert_true(crd_i_groups_init(&groups, context, under, weights, 5) && crd_i_grid.extend(grid, 2, 0));
    assert_true(crd_i_grid.add(grid, &cells, &groups));
    assert_true(crd_i_dictionary_add(names, crd_text_of("a")) == 0 &&
                crd_i_dictionary_add(names, crd_text_of("b")) == 1);
    assert_true(crd_i_grid_folds_init(&dealt, context, grid, &view, names));
    for (size_t f = 0; f < CRD_I_GRID_FOLDS; f++)
        for (size_t i = 0; i < dealt.folds[f].count; i++)
            for (size_t w = 0; w < 5; w++) {
                if (dealt.folds[f].numbers[i] != numbers[w] || dealt.folds[f].conditions[i] != under[w]) continue;
                sums[w] += dealt.folds[f].weights[i];
                /* A fifth, give or take five deviations. */
                double spread = 5 * sqrt(weights[w] * 0.16);
                if (weights[w] > 1000) assert_near(dealt.folds[f].weights[i], weights[w] / 5, spread);
            }
    for (size_t w = 0; w < 5; w++) assert_near(sums[w], weights[w], 0);
    /* What is left without a fold, and the fold, are the whole. */
    for (size_t f = 0; f < CRD_I_GRID_FOLDS; f++) {
        crd_i_tally *complements[CRD_I_MOST_READS];
        assert_true(crd_i_grid_folds_rest(&dealt, f, complements));
        for (size_t k = 0; k < 2; k++)
            assert_near(crd_i_tally_total(complements[0], k) + dealt.rows[f * 2 + k],
                        crd_i_tally_total(dealt.whole[0], k), 0);
        for (size_t t = 0; t < CRD_I_MOST_READS; t++) crd_i_tally_destroy(complements[t]);
    }
    crd_i_grid_folds_clear(&dealt);
    crd_i_groups_clear(&groups);
    crd_i_dictionary_destroy(names);
    crd_i_tally_destroy(grid);
}

/* 4,096 cells, some of them far away, are seen through 512 numbers at most, and most of their own. */
static void many_cells_are_joined(void **state) {
    enum { ROWS = 4000 };
    crd_context *context = *state;
    double *numbers = calloc(ROWS, sizeof *numbers);
    static const int32_t order[] = {0};
    const crd_i_cells cells = {.rows = ROWS, .numbers = numbers};
    const crd_i_view view = {.conditions = order, .condition_count = 1};
    for (size_t i = 0; i < ROWS; i++) numbers[i] = i == 0 ? -1e300 : i == 1 ? 1e300 : (double)(i * i % 3571) * 0.001;
    crd_i_tally *grid = crd_i_grid.create(context);
    crd_i_dictionary *names = crd_i_dictionary_create(context);
    crd_i_groups groups;
    crd_i_grid_folds dealt;
    assert_true(crd_i_groups_init(&groups, context, NULL, NULL, ROWS) && crd_i_grid.extend(grid, 1, 0));
    assert_true(crd_i_grid.add(grid, &cells, &groups) && crd_i_dictionary_add(names, crd_text_of("a")) == 0);
    assert_true(crd_i_grid_folds_init(&dealt, context, grid, &view, names));
    double rows = 0;
    for (size_t f = 0; f < CRD_I_GRID_FOLDS; f++) rows += dealt.rows[f];
    assert_near(rows, ROWS, 0);
    size_t count = crd_i_grid_count(dealt.whole[3]);
    assert_true(count > 256 && count <= 512);
    crd_i_grid_folds_clear(&dealt);
    crd_i_groups_clear(&groups);
    crd_i_dictionary_destroy(names);
    crd_i_tally_destroy(grid);
    free(numbers);
}

/* ---- Memory ---- */

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_model *model = trained_keeping(context, six, "y", "all");
    crd_settings *settings;
    crd_classifier *classifier;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "family", crd_text_of("auto"), &error), error);
    long live = counted.live;
    crd_status status = CRD_ERROR_MEMORY;
    for (size_t step = 1; status == CRD_ERROR_MEMORY; step++) {
        counted.fail_at = counted.calls + step;
        status = crd_classifier_create(model, settings, &classifier, &error);
        if (status != CRD_ERROR_MEMORY) break;
        assert_null(classifier);
        assert_int_equal(counted.live, live);
    }
    counted.fail_at = 0;
    assert_int_equal(status, CRD_OK);
    crd_classifier_destroy(classifier);
    crd_settings_destroy(settings);
    crd_model_destroy(model);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_order_of_rows_shows),
        cmocka_unit_test(numbers_get_the_family_that_they_were_drawn_from),
        cmocka_unit_test(a_row_that_is_all_but_ruled_out_is_not_excused),
        cmocka_unit_test(what_is_left_out_says_why),
        cmocka_unit_test(a_model_without_a_grid_is_refused),
        cmocka_unit_test(little_is_enough),
        cmocka_unit_test(dealing_loses_nothing),
        cmocka_unit_test(many_cells_are_joined),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
