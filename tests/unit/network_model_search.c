/* SPDX-License-Identifier: MIT */
/* Models whose structure is searched for: they answer as the model of the arcs found, whatever the order of rows and columns,
 * before and after files; and structures of rows and of models are the same. */
#include "network_support.h"

#include "unit/math_random.h"

#include <math.h>

static allocations counted;
static crd_context *context;

static int set_up(void **state) {
    (void)state;
    memset(&counted, 0, sizeof counted);
    context = counted_context(&counted);
    random_state = 5;
    return context == NULL;
}

static int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    return counted.live != 0;
}

/* ---- Tables: a -> b -> d <- c, t -> c, a constant, and numbers, which are no nodes ---- */

enum { ROWS = 400, ROOM = 48 };

static const char *const searches[] = {"hill-climb", "tabu", "pc", "exact", "chow-liu", "tan", "kdb:1"};
enum { SEARCHES = sizeof searches / sizeof *searches };

/* Forwards, or with rows and columns the other way round. */
static char *draw_table(bool is_reversed) {
    char *text = calloc(1, (ROWS + 1) * ROOM);
    assert_non_null(text);
    strcpy(text, is_reversed ? "t,same,d,c,b,a\n" : "a,b,c,d,same,t\n");
    random_state = 5;
    char(*lines)[ROOM] = calloc(ROWS, sizeof *lines);
    assert_non_null(lines);
    for (size_t i = 0; i < ROWS; i++) {
        int a = (int)(random_bits() % 2), t = (int)(random_bits() % 3);
        int b = random_bits() % 8 == 0 ? 1 - a : a, c = random_bits() % 5 == 0 ? (int)(random_bits() % 3) : t;
        int d = random_bits() % 10 == 0 ? (int)(random_bits() % 2) : b == (c > 0);
        if (is_reversed) snprintf(lines[i], ROOM, "t%d,s,d%d,c%d,b%d,a%d\n", t, d, c, b, a);
        else snprintf(lines[i], ROOM, "a%d,b%d,c%d,d%d,s,t%d\n", a, b, c, d, t);
    }
    for (size_t i = 0; i < ROWS; i++) strcat(text, lines[is_reversed ? ROWS - 1 - i : i]);
    free(lines);
    return text;
}

static crd_settings *settings_of(const char *search) {
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "method", crd_text_of("network"), &error), error);
    assert_done(
        crd_settings_set(settings, strstr(search, "->") == NULL ? "search" : "arcs", crd_text_of(search), &error),
        error);
    return settings;
}

static crd_reader *reader_of(const char *text, const char *target) {
    crd_reader *reader;
    crd_error error;
    assert_done(open_text(context, text, strlen(text), target, &reader, &error), error);
    return reader;
}

static crd_model *model_of(const char *text, const char *structure) {
    crd_settings *settings = settings_of(structure);
    crd_reader *reader = reader_of(text, "t");
    crd_model *model;
    crd_error error;
    assert_done(crd_model_train(context, reader, settings, &model, NULL, &error), error);
    crd_reader_close(reader);
    crd_settings_destroy(settings);
    return model;
}

/* The arcs that are found in rows; freed by the caller. */
static char *arcs_of(const char *text, const char *structure, unsigned threads) {
    crd_settings *settings = settings_of(structure);
    crd_reader *reader = reader_of(text, "t");
    crd_row_source *source;
    crd_structure *result;
    crd_structure_options options = CRD_STRUCTURE_OPTIONS_INIT;
    crd_error error;
    options.threads = threads;
    assert_done(crd_row_source_create_unlabeled(reader, &source, &error), error);
    assert_done(crd_structure_learn(source, settings, &options, &result, &error), error);
    char *arcs = strdup(crd_structure_arcs(result));
    crd_structure_destroy(result);
    crd_row_source_destroy(source);
    crd_reader_close(reader);
    crd_settings_destroy(settings);
    return arcs;
}

static void assert_answers_alike(const crd_model *one, const crd_model *other) {
    static const char *const cells[][4] = {
        {"a0", "b1", "c2", "d0"}, {"a1", "b1", "c0", "d1"}, {"a0", NULL, "c1", NULL}};
    static const char *const names[] = {"a", "b", "c", "d"};
    crd_classifier *first, *second;
    crd_error error;
    assert_done(crd_classifier_create(one, NULL, &first, &error), error);
    assert_done(crd_classifier_create(other, NULL, &second, &error), error);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        double a[3], b[3];
        const crd_classifier *const both[] = {first, second};
        for (size_t k = 0; k < 2; k++) {
            crd_value values[5];
            crd_answer answer;
            for (size_t index = 0; index < crd_classifier_attribute_count(both[k]); index++) {
                values[index] = missing_value();
                for (size_t j = 0; j < 4; j++)
                    if (crd_text_equal(crd_classifier_attribute(both[k], index), crd_text_of(names[j])) &&
                        cells[i][j] != NULL)
                        values[index] = text_value(cells[i][j]);
            }
            assert_done(crd_classifier_posterior(both[k], values, k == 0 ? a : b, NULL, &answer, &error), error);
        }
        /* Sums over other orders of columns are rounded otherwise. */
        for (size_t k = 0; k < 3; k++) assert_true(fabs(a[k] - b[k]) <= 1e-12);
    }
    crd_classifier_destroy(first);
    crd_classifier_destroy(second);
}

/* A model that states a search answers as one that states the arcs, which its own rows have too. */
static void test_searched_is_stated(void **state) {
    (void)state;
    char *text = draw_table(false), *reversed = draw_table(true);
    for (size_t i = 0; i < SEARCHES; i++) {
        char *arcs = arcs_of(text, searches[i], 1), *again = arcs_of(reversed, searches[i], 2);
        assert_string_equal(arcs, again);
        crd_model *searched = model_of(text, searches[i]), *stated = model_of(text, arcs);
        crd_model *backwards = model_of(reversed, searches[i]);
        crd_structure *structure;
        crd_error error;
        assert_done(crd_structure_learn_from_model(searched, NULL, NULL, &structure, &error), error);
        assert_string_equal(crd_structure_arcs(structure), arcs);
        crd_structure_destroy(structure);
        assert_answers_alike(searched, stated);
        assert_answers_alike(backwards, stated);
        crd_model_destroy(searched);
        crd_model_destroy(stated);
        crd_model_destroy(backwards);
        free(arcs);
        free(again);
    }
    free(text);
    free(reversed);
}

/* What was found is kept in the file, and answers are the same with it and without. */
static void test_files(void **state) {
    (void)state;
    char *text = draw_table(false);
    crd_model *model = model_of(text, "hill-climb"), *copy;
    unsigned char *plain, *fitted;
    size_t plain_length, fitted_length;
    crd_error error;
    assert_done(crd_model_encode(model, &plain, &plain_length, &error), error);
    assert_done(crd_model_fit(model, &error), error);
    assert_done(crd_model_encode(model, &fitted, &fitted_length, &error), error);
    assert_true(fitted_length > plain_length);
    assert_done(crd_model_decode(context, fitted, fitted_length, &copy, &error), error);
    assert_answers_alike(model, copy);
    crd_model_destroy(model);
    assert_done(crd_model_decode(context, plain, plain_length, &model, &error), error);
    assert_answers_alike(model, copy);
    crd_free(context, plain);
    crd_free(context, fitted);
    crd_model_destroy(model);
    crd_model_destroy(copy);
    free(text);
}

/* Pairs of a bootstrap: strongest first, of which those above the threshold are joined in the averaged network; the same with
 * any threads. */
static void test_bootstrap(void **state) {
    (void)state;
    char *text = draw_table(false);
    crd_model *model = model_of(text, "hill-climb");
    crd_structure *structures[2];
    crd_structure_options options = CRD_STRUCTURE_OPTIONS_INIT;
    crd_structure_facts facts = CRD_STRUCTURE_FACTS_INIT, again = CRD_STRUCTURE_FACTS_INIT;
    crd_error error;
    options.resamples = 20;
    for (unsigned i = 0; i < 2; i++) {
        options.threads = i + 1;
        assert_done(crd_structure_learn_from_model(model, NULL, &options, &structures[i], &error), error);
    }
    crd_structure_describe(structures[0], &facts);
    crd_structure_describe(structures[1], &again);
    assert_int_equal(facts.resamples, 20);
    assert_int_equal(facts.pairs, again.pairs);
    assert_string_equal(crd_structure_arcs(structures[0]), crd_structure_arcs(structures[1]));
    double before = 1;
    for (size_t i = 0; i < facts.pairs; i++) {
        crd_structure_pair one = CRD_STRUCTURE_PAIR_INIT, other = CRD_STRUCTURE_PAIR_INIT;
        crd_structure_pair_at(structures[0], i, &one);
        crd_structure_pair_at(structures[1], i, &other);
        assert_true(one.strength <= before && one.strength > 0 && one.direction >= 0.5);
        assert_true(one.strength == other.strength && one.direction == other.direction);
        if (one.is_averaged) assert_true(one.strength > facts.threshold || one.strength == 1);
        before = one.strength;
    }
    crd_structure_destroy(structures[0]);
    crd_structure_destroy(structures[1]);
    crd_model_destroy(model);
    free(text);
}

static crd_status learn_under(const char *text, const char *target, const char *const *options, crd_error *error) {
    crd_settings *settings = settings_of("hill-climb");
    crd_reader *reader = reader_of(text, target);
    crd_row_source *source;
    crd_structure *structure;
    for (; *options != NULL; options += 2)
        assert_done(crd_settings_set(settings, options[0], crd_text_of(options[1]), error), *error);
    assert_done(crd_row_source_create_unlabeled(reader, &source, error), *error);
    crd_status status = crd_structure_learn(source, settings, NULL, &structure, error);
    assert_int_equal(status == CRD_OK, structure != NULL);
    crd_structure_destroy(structure);
    crd_row_source_destroy(source);
    crd_reader_close(reader);
    crd_settings_destroy(settings);
    return status;
}

static void test_refused(void **state) {
    (void)state;
    char *text = draw_table(false);
    crd_error error;
    assert_int_equal(learn_under(text, "t", WITH("required-arcs", "a->nobody"), &error), CRD_ERROR_COLUMN);
    assert_int_equal(learn_under(text, "t", WITH("required-arcs", "a->b", "forbidden-arcs", "a->b"), &error),
                     CRD_ERROR_SETTING);
    assert_int_equal(learn_under(text, "t", WITH("required-arcs", "a->b", "tiers", "b;a"), &error), CRD_ERROR_SETTING);
    assert_int_equal(learn_under(text, "t", WITH("search", "chow-liu", "forbidden-arcs", "a->b"), &error),
                     CRD_ERROR_SETTING);
    assert_int_equal(learn_under(text, "t", WITH("search", "none"), &error), CRD_ERROR_SETTING);
    assert_int_equal(learn_under(text, "t", WITH("arcs", "a->b"), &error), CRD_ERROR_SETTING);
    assert_int_equal(learn_under("a,b\n", NULL, WITH("search", "pc"), &error), CRD_ERROR_EMPTY);
    assert_int_equal(learn_under("n,m\nx,y\nx,z\n", NULL, WITH("search", "tan"), &error), CRD_ERROR_SETTING);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_searched_is_stated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bootstrap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
