/* SPDX-License-Identifier: MIT */
/* Cross-validation by forgetting equals training again, over many random tables: the model without a fold has the bytes
 * of one that learned the other rows, also where values, classes or whole columns are in that fold only, and rows get
 * the answers of that model to the bit, however the rows were cut into frames. Of a file's rows it is the model that
 * training on a file of the others gives. Folds are balanced in every class. */
#include "evaluate/cross_validation.h"
#include "evaluate/split.h"
#include "random_table.h"
#include "sanitizer_support.h"

enum { TABLES = FEWER_IF_SANITIZED(600), MOST_FOLDS = 6 };

static uint64_t table_seed;

typedef struct folds_partition {
    random_table table;
    uint32_t folds[TABLE_ROWS];
    size_t fold_count;
    some_rows all;
} folds_partition;

/* Every row in a fold at random, some in none. */
static void part_rows(crd_context *context, folds_partition *partition, uint64_t seed) {
    size_t rows[TABLE_ROWS];
    make_table(&partition->table, seed);
    partition->fold_count = 1 + table_below(MOST_FOLDS);
    for (size_t row = 0; row < partition->table.rows; row++) {
        rows[row] = row;
        partition->folds[row] = table_below(10) == 0 ? CRD_NO_FOLD : (uint32_t)table_below(partition->fold_count);
    }
    partition->all = rows_of(context, &partition->table, rows, partition->table.rows);
}

/* All rows in frames cut at random; the first has none, but all columns with their kinds. */
static void learn_in_batches(crd_context *context, const folds_partition *partition,
                             crd_i_cross_validation *validation) {
    crd_error error;
    some_rows none = rows_of(context, &partition->table, NULL, 0);
    assert_done(crd_i_cross_validation_learn(validation, none.frame, partition->folds, &error), error);
    for (size_t offset = 0; offset < partition->table.rows;) {
        size_t rows[TABLE_ROWS], count = 1 + table_below(partition->table.rows - offset);
        for (size_t i = 0; i < count; i++) rows[i] = offset + i;
        some_rows batch = rows_of(context, &partition->table, rows, count);
        assert_done(crd_i_cross_validation_learn(validation, batch.frame, partition->folds + offset, &error), error);
        free_rows(batch);
        offset += count;
    }
    free_rows(none);
}

static crd_model *train_without(crd_context *context, const folds_partition *partition, uint32_t fold) {
    size_t rows[TABLE_ROWS], count = 0;
    for (size_t row = 0; row < partition->table.rows; row++)
        if (partition->folds[row] != fold && partition->folds[row] != CRD_NO_FOLD) rows[count++] = row;
    return model_of(context, &partition->table, partition->all.frame, rows, count);
}

static double posterior_of(const crd_classifier *classifier, const double *posteriors, crd_text name, double none) {
    for (size_t k = 0; k < crd_classifier_class_count(classifier); k++)
        if (crd_text_equal(crd_classifier_class(classifier, k), name)) return posteriors[k];
    return none;
}

/* Answers of the rows of one fold, which `model` has not learned. */
static void check_answers(crd_context *context, const folds_partition *partition, uint32_t fold, const crd_model *model,
                          const crd_settings *settings, crd_i_cross_validation *validation, const crd_posteriors *got) {
    crd_error error;
    crd_classifier *classifier;
    crd_posteriors *wanted;
    assert_done(crd_classifier_create(model, settings, &classifier, &error), error);
    assert_done(crd_posteriors_create(context, &wanted, &error), error);
    assert_done(crd_classifier_classify(classifier, partition->all.frame, wanted, &error), error);
    for (size_t row = 0; row < partition->table.rows; row++) {
        if (partition->folds[row] != fold) continue;
        assert_int_equal(crd_posteriors_answer(got, row)->unseen, crd_posteriors_answer(wanted, row)->unseen);
        assert_int_equal(crd_posteriors_answer(got, row)->tied, crd_posteriors_answer(wanted, row)->tied);
        for (size_t k = 0; k < crd_i_cross_validation_class_count(validation); k++) {
            crd_text name = crd_i_cross_validation_class(validation, k);
            double right = posterior_of(classifier, crd_posteriors_log(wanted, row), name, -INFINITY);
            assert_true(crd_posteriors_probabilities(got, row)[k] ==
                        posterior_of(classifier, crd_posteriors_probabilities(wanted, row), name, 0));
            if (crd_posteriors_log(got, row)[k] != right)
                fail_msg("seed %llu, fold %lu, row %zu: %.17g where training gives %.17g",
                         (unsigned long long)table_seed, (unsigned long)fold, row, crd_posteriors_log(got, row)[k],
                         right);
        }
    }
    crd_posteriors_destroy(wanted);
    crd_classifier_destroy(classifier);
}

static bool has_rows(const folds_partition *partition, uint32_t fold, bool of_fold) {
    for (size_t row = 0; row < partition->table.rows; row++) {
        if (partition->table.texts[partition->table.columns - 1][row] == NULL || partition->folds[row] == CRD_NO_FOLD)
            continue;
        if ((partition->folds[row] == fold) == of_fold) return true;
    }
    return false;
}

static void check_table(uint64_t seed) {
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_error error;
    folds_partition partition;
    part_rows(context, &partition, seed);
    crd_settings *settings = random_settings(context);
    crd_i_cross_validation *validation;
    crd_posteriors *posteriors;
    crd_text target = crd_text_of(partition.table.target);
    assert_done(crd_posteriors_create(context, &posteriors, &error), error);
    assert_done(crd_i_cross_validation_create(context, target, settings, &validation, &error), error);
    learn_in_batches(context, &partition, validation);
    crd_status status = crd_i_cross_validation_finish(validation, &error);
    bool answerable = status == CRD_OK;
    for (uint32_t fold = 0; answerable && fold < validation->fold_count; fold++)
        if (has_rows(&partition, fold, true) && !has_rows(&partition, fold, false)) answerable = false;
    if (answerable) {
        status = crd_i_cross_validation_classify(validation, partition.all.frame, partition.folds, posteriors, &error);
        if (status != CRD_OK && status != CRD_ERROR_EMPTY)
            fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
        answerable = status == CRD_OK;
    }
    for (uint32_t fold = 0; crd_i_cross_validation_class_count(validation) > 0 && fold < validation->fold_count;
         fold++) {
        crd_model *got, *wanted = train_without(context, &partition, fold);
        assert_done(crd_i_cross_validation_model(validation, fold, &got, &error), error);
        assert_done(crd_model_set_settings(wanted, settings, &error), error);
        model_bytes a = bytes_of(got, context), b = bytes_of(wanted, context);
        assert_same_bytes(a, b);
        if (answerable && has_rows(&partition, fold, true))
            check_answers(context, &partition, fold, wanted, settings, validation, posteriors);
        free_bytes(a);
        free_bytes(b);
        crd_model_destroy(got);
        crd_model_destroy(wanted);
    }
    crd_i_cross_validation_destroy(validation);
    crd_posteriors_destroy(posteriors);
    crd_settings_destroy(settings);
    free_rows(partition.all);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void forgetting_a_fold_equals_training_without_it(void **state) {
    (void)state;
    for (table_seed = 1; table_seed <= TABLES; table_seed++) check_table(table_seed);
}

/* ---- Rows of a file ---- */

enum { FILE_ROWS = 30, FILE_COLUMNS = 5, FILE_FOLDS = 3 };

/* Lines of a file whose last field is the class, and which cells of a column may all be missing but a few. The second
 * field is to be ignored. */
static void make_lines(char lines[FILE_ROWS][128]) {
    static const char *const words[] = {"red", "\"a,b\"", "?", "x y"};
    size_t natures[FILE_COLUMNS], shares[FILE_COLUMNS];
    for (size_t column = 0; column < FILE_COLUMNS; column++) {
        natures[column] = table_below(2);
        shares[column] = table_below(4) == 0 ? 1 : 1 + table_below(30);
    }
    for (size_t row = 0; row < FILE_ROWS; row++) {
        int length = 0;
        for (size_t column = 0; column < FILE_COLUMNS; column++) {
            bool is_present = table_below(30) < shares[column];
            char cell[32] = "none";
            if (is_present && natures[column] == 0) snprintf(cell, sizeof cell, "%d.5", (int)table_below(90));
            else if (is_present) snprintf(cell, sizeof cell, "%s", words[table_below(4)]);
            length += snprintf(lines[row] + length, 128 - (size_t)length, "%s,", cell);
        }
        snprintf(lines[row] + length, 128 - (size_t)length, "%c", "pqr"[table_below(3)]);
    }
}

static crd_reader *open_lines(crd_context *context, bool has_header, char lines[FILE_ROWS][128], const uint32_t *folds,
                              uint32_t without) {
    static char text[FILE_ROWS * 128 + 64]; /* the reader borrows it, one at a time */
    crd_text missing[] = {{"none", 4}};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_i_source *source;
    crd_reader *reader;
    crd_error error;
    options.missing = missing;
    options.missing_count = 1;
    options.header = has_header ? CRD_CHOICE_YES : CRD_CHOICE_NO;
    strcpy(text, has_header ? "c1,c2,c3,c4,c5,c6\n" : "");
    for (size_t row = 0; row < FILE_ROWS; row++)
        if (folds[row] != without) strcat(strcat(text, lines[row]), "\n");
    assert_done(crd_i_source_memory(context, text, strlen(text), true, &source, &error), error);
    assert_done(crd_i_reader_open_source(context, source, "table", &options, &reader, &error), error);
    assert_done(crd_reader_ignore(reader, 1, &error), error);
    assert_done(crd_reader_set_target(reader, FILE_COLUMNS, &error), error);
    if (table_below(2) == 0) assert_done(crd_reader_set_column_type(reader, 0, CRD_TYPE_CATEGORICAL, &error), error);
    return reader;
}

static void learn_reader(crd_i_cross_validation *validation, crd_reader *reader, const uint32_t *folds) {
    size_t offset = 0;
    crd_error error;
    for (;;) {
        const crd_frame *frame;
        crd_status status = crd_reader_next(reader, &frame, &error);
        assert_done(status, error);
        if (frame == NULL) return;
        assert_done(crd_i_cross_validation_learn(validation, frame, folds + offset, &error), error);
        offset += crd_frame_rows(frame);
    }
}

/* Under which a model keeps nothing more, or several attributes together. */
static crd_settings *settings_that_keep(crd_context *context, uint64_t seed) {
    static const char *const joints[] = {"none", "all", "c3,c1", "c1,c4;c3,c5"};
    static const char *const methods[] = {"naive", "aode", "bagging:2"};
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "joint", crd_text_of(joints[seed % 4]), &error), error);
    assert_done(crd_settings_set(settings, "method", crd_text_of(methods[seed % 3]), &error), error);
    return settings;
}

/* A fold may hold all the cells of a column: then the others do not show its kind, nor must the model know it. Where
 * the file's columns stood, and which texts it takes for missing, are part of a model too. */
static void models_without_a_fold_are_those_that_training_gives(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        allocations counted = {0};
        crd_context *context = counted_context(&counted);
        crd_error error;
        char lines[FILE_ROWS][128];
        uint32_t folds[FILE_ROWS];
        table_random_state = seed;
        bool has_header = table_below(2) == 0;
        make_lines(lines);
        for (size_t row = 0; row < FILE_ROWS; row++)
            folds[row] = row < FILE_FOLDS ? (uint32_t)row : (uint32_t)table_below(FILE_FOLDS);
        crd_i_cross_validation *validation;
        crd_settings *settings = settings_that_keep(context, seed);
        assert_done(crd_i_cross_validation_create(context, crd_text_of("c6"), settings, &validation, &error), error);
        uint64_t drawn = table_random_state;
        crd_reader *reader = open_lines(context, has_header, lines, folds, CRD_NO_FOLD);
        learn_reader(validation, reader, folds);
        crd_reader_close(reader);
        assert_done(crd_i_cross_validation_finish(validation, &error), error);
        for (uint32_t fold = 0; fold < FILE_FOLDS; fold++) {
            crd_model *got, *wanted;
            table_random_state = drawn;
            reader = open_lines(context, has_header, lines, folds, fold);
            assert_done(crd_model_train(context, reader, settings, &wanted, NULL, &error), error);
            crd_reader_close(reader);
            assert_done(crd_i_cross_validation_model(validation, fold, &got, &error), error);
            model_bytes a = bytes_of(got, context), b = bytes_of(wanted, context);
            if (a.length != b.length || memcmp(a.bytes, b.bytes, a.length) != 0)
                fail_msg("seed %d, fold %d: other bytes", (int)seed, (int)fold);
            free_bytes(a);
            free_bytes(b);
            crd_model_destroy(got);
            crd_model_destroy(wanted);
        }
        crd_settings_destroy(settings);
        crd_i_cross_validation_destroy(validation);
        crd_context_destroy(context);
        assert_int_equal(counted.live, 0);
    }
}

/* ---- Folds ---- */

enum { CLASSES = 4, ROWS = 500 };
static const char *const class_names[CLASSES] = {"a", "b", "rare", "\xc3\xa4"};

static void deal(crd_context *context, uint32_t folds, uint64_t seed, const size_t *classes, uint32_t *out) {
    crd_i_folds *dealing;
    crd_error error;
    assert_done(crd_i_folds_create(context, folds, seed, &dealing, &error), error);
    for (size_t row = 0; row < ROWS; row++)
        assert_done(crd_i_folds_next(dealing, crd_text_of(class_names[classes[row]]), &out[row], &error), error);
    crd_i_folds_destroy(dealing);
}

static void draw_classes(size_t *classes) {
    for (size_t row = 0; row < ROWS; row++)
        classes[row] = table_below(40) == 0 ? 2 : table_below(3) == 2 ? 3 : table_below(2);
}

static void folds_of_a_class_differ_by_one_row_at_most(void **state) {
    (void)state;
    crd_context *context;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        size_t classes[ROWS];
        uint32_t folds[ROWS], count = 1 + (uint32_t)(seed % 12);
        table_random_state = seed;
        draw_classes(classes);
        deal(context, count, seed, classes, folds);
        for (size_t class = 0; class < CLASSES; class ++) {
            size_t rows[12] = {0}, least = SIZE_MAX, most = 0;
            for (size_t row = 0; row < ROWS; row++) {
                assert_true(folds[row] < count);
                if (classes[row] == class) rows[folds[row]]++;
            }
            for (size_t fold = 0; fold < count; fold++) {
                if (rows[fold] < least) least = rows[fold];
                if (rows[fold] > most) most = rows[fold];
            }
            assert_true(most - least <= 1);
        }
    }
    crd_context_destroy(context);
}

/* The most rows of a fold less the fewest. */
static size_t spread(const uint32_t *folds, size_t rows, uint32_t count) {
    size_t in[12] = {0}, least = SIZE_MAX, most = 0;
    for (size_t row = 0; row < rows; row++) in[folds[row]]++;
    for (size_t fold = 0; fold < count; fold++) {
        if (in[fold] < least) least = in[fold];
        if (in[fold] > most) most = in[fold];
    }
    return most - least;
}

/* Many small classes, none of which reaches every fold, fill them evenly: within one row where the rows of a class are
 * together, and nearly so where they are mixed. */
static void folds_of_many_small_classes_are_as_large(void **state) {
    (void)state;
    enum { SMALL = 60 };
    crd_context *context;
    crd_error error;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint32_t folds[SMALL * 4], count = 2 + (uint32_t)(seed % 11);
        size_t each = 1 + seed % 4, rows = SMALL * each;
        bool mixed = seed > 30;
        crd_i_folds *dealing;
        table_random_state = seed;
        assert_done(crd_i_folds_create(context, count, seed, &dealing, &error), error);
        for (size_t row = 0; row < rows; row++) {
            char name[2] = {(char)('!' + (mixed ? table_below(SMALL) : row / each)), '\0'};
            assert_done(crd_i_folds_next(dealing, crd_text_of(name), &folds[row], &error), error);
        }
        crd_i_folds_destroy(dealing);
        if (spread(folds, rows, count) > (mixed ? 3 : 1))
            fail_msg("seed %d: folds differ by %zu rows", (int)seed, spread(folds, rows, count));
    }
    crd_context_destroy(context);
}

/* A row's fold depends on the seed and on the rows up to it, not on those that follow. */
static void folds_depend_on_seed_and_rows_so_far_alone(void **state) {
    (void)state;
    crd_context *context;
    size_t classes[ROWS], differing = 0;
    uint32_t folds[ROWS], again[ROWS];
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    table_random_state = 7;
    draw_classes(classes);
    deal(context, 5, 99, classes, folds);
    for (size_t row = ROWS / 2; row < ROWS; row++) classes[row] = 1;
    deal(context, 5, 99, classes, again);
    assert_memory_equal(folds, again, ROWS / 2 * sizeof *folds);
    deal(context, 5, 100, classes, folds);
    for (size_t row = 0; row < ROWS; row++) differing += folds[row] != again[row];
    assert_true(differing > ROWS / 2);
    crd_context_destroy(context);
}

/* Every place of a run is as likely in every fold: chi-squared with 9 x 9 degrees of freedom is 81 on average, and
 * above 149 once in 100,000 seeds. */
static void runs_are_dealt_at_random(void **state) {
    (void)state;
    enum { FOLDS = 10, RUNS = 2000 };
    static size_t counts[FOLDS][FOLDS];
    crd_context *context;
    crd_i_folds *dealing;
    crd_error error;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_done(crd_i_folds_create(context, FOLDS, 1, &dealing, &error), error);
    for (size_t row = 0; row < FOLDS * RUNS; row++) {
        uint32_t fold;
        assert_done(crd_i_folds_next(dealing, crd_text_of("x"), &fold, &error), error);
        counts[row % FOLDS][fold]++;
    }
    double statistic = 0;
    for (size_t i = 0; i < FOLDS * FOLDS; i++) {
        double off = (double)counts[i / FOLDS][i % FOLDS] - (double)RUNS / FOLDS;
        statistic += off * off / ((double)RUNS / FOLDS);
    }
    assert_true(statistic < 149);
    assert_true(statistic > 35); /* too even is not random either */
    crd_i_folds_destroy(dealing);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forgetting_a_fold_equals_training_without_it),
                                       cmocka_unit_test(models_without_a_fold_are_those_that_training_gives),
                                       cmocka_unit_test(folds_of_a_class_differ_by_one_row_at_most),
                                       cmocka_unit_test(folds_of_many_small_classes_are_as_large),
                                       cmocka_unit_test(folds_depend_on_seed_and_rows_so_far_alone),
                                       cmocka_unit_test(runs_are_dealt_at_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
