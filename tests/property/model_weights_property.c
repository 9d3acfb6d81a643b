/* SPDX-License-Identifier: MIT */
/* A model is a function of the multiset of its weighted rows: over many random tables, a row of weight k is k rows, to
 * the byte; and with weights of any size and fraction, rows shuffled, batches cut anywhere, merged in any tree, learned
 * and forgotten again give the same bytes. Seeds are printed where a table fails. */
#include "evaluate/cross_validation.h"
#include "evaluate/leave_one_out.h"
#include "random_table.h"
#include "sanitizer_support.h"

#include "model/model_internal.h"

enum { TABLES = FEWER_IF_SANITIZED(300), MOST_COPIES = 4 };

static int open_context(void **state) {
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    crd_context *context = NULL;
    if (crd_context_create(&options, &context) != CRD_OK) return -1;
    *state = context;
    return 0;
}

static int close_context(void **state) {
    crd_context_destroy(*state);
    return 0;
}

/* Rows with their weights. */
typedef struct weighed_rows {
    some_rows rows;
    double weights[TABLE_ROWS];
} weighed_rows;

static weighed_rows *weigh(crd_context *context, const random_table *table, const size_t *rows, size_t count,
                           const double *weights) {
    weighed_rows *batch = calloc(1, sizeof *batch);
    crd_error error;
    assert_non_null(batch);
    batch->rows = rows_of(context, table, rows, count);
    for (size_t i = 0; i < count; i++) batch->weights[i] = weights[rows[i]];
    assert_done(crd_frame_add_numbers(batch->rows.frame, crd_text_of("w"), batch->weights, NULL, &error), error);
    return batch;
}

static void let_go(weighed_rows *weighed) {
    free_rows(weighed->rows);
    free(weighed);
}

static crd_model *empty_model(crd_context *context, const random_table *table) {
    size_t first = 0;
    double weight = 1;
    weighed_rows *like = weigh(context, table, &first, 1, &weight);
    crd_model *model;
    crd_error error;
    for (size_t i = 0; i < table->columns; i++) like->rows.frame->columns[i].type = CRD_TYPE_NONE;
    assert_done(crd_model_create_weighted(context, like->rows.frame, crd_text_of(table->target), crd_text_of("w"), NULL,
                                          &model, &error),
                error);
    let_go(like);
    return model;
}

static void change(crd_context *context, crd_model *model, const random_table *table, const size_t *rows, size_t count,
                   const double *weights, bool forgets) {
    weighed_rows *batch = weigh(context, table, rows, count, weights);
    crd_error error;
    assert_done(forgets ? crd_model_forget(model, batch->rows.frame, &error)
                        : crd_model_update(model, batch->rows.frame, &error),
                error);
    let_go(batch);
}

static void assert_same(const crd_model *a, const crd_model *b, crd_context *context, uint64_t seed,
                        const char *description) {
    model_bytes one = bytes_of(a, context), other = bytes_of(b, context);
    if (one.length != other.length || memcmp(one.bytes, other.bytes, one.length) != 0)
        fail_msg("seed %d: %s: other bytes", (int)seed, description);
    free_bytes(one);
    free_bytes(other);
}

static void shuffle(size_t *rows, size_t count) {
    for (size_t i = count; i > 1; i--) {
        size_t j = table_below(i), held = rows[i - 1];
        rows[i - 1] = rows[j];
        rows[j] = held;
    }
}

static void a_row_of_weight_k_is_k_rows(void **state) {
    crd_context *context = *state;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        random_table table;
        double copies[TABLE_ROWS], once[TABLE_ROWS];
        size_t rows[TABLE_ROWS];
        crd_error error;
        make_table(&table, seed);
        crd_model *at_once = empty_model(context, &table), *one_by_one = empty_model(context, &table);
        for (size_t i = 0; i < table.rows; i++) {
            rows[i] = i;
            once[i] = 1;
            copies[i] = (double)table_below(MOST_COPIES + 1);
        }
        change(context, at_once, &table, rows, table.rows, copies, false);
        /* The same without weights, but for the name of the weight. */
        some_rows like = rows_of(context, &table, rows, 1);
        crd_model *plain;
        for (size_t i = 0; i < table.columns; i++) like.frame->columns[i].type = CRD_TYPE_NONE;
        assert_done(crd_model_create(context, like.frame, crd_text_of(table.target), NULL, &plain, &error), error);
        free_rows(like);
        for (int pass = 0; pass < MOST_COPIES; pass++) {
            size_t count = 0;
            for (size_t i = 0; i < table.rows; i++)
                if (copies[i] > pass) rows[count++] = i;
            change(context, one_by_one, &table, rows, count, once, false);
            some_rows these = rows_of(context, &table, rows, count);
            assert_done(crd_model_update(plain, these.frame, &error), error);
            free_rows(these);
        }
        assert_same(at_once, one_by_one, context, seed, "k times");
        at_once->schema->width = plain->schema->width;
        crd_free(context, (void *)at_once->schema->weight.name.bytes);
        at_once->schema->weight = (crd_i_schema_weight){{NULL, 0}, 0};
        assert_same(at_once, plain, context, seed, "without weights");
        crd_model_destroy(at_once);
        crd_model_destroy(one_by_one);
        crd_model_destroy(plain);
    }
}

/* Of every size that sums of less than 2^63 can have, and nothing at all. */
static double wild_weight(void) {
    switch (table_below(6)) {
    case 0: return 0;
    case 1: return (double)(1 + table_below(5));
    case 2: return 1.0 / (double)(1 + table_below(9));
    case 3: return ldexp((double)(table_random() >> 11), (int)table_below(1000) - 1074);
    case 4: return 5e-324;
    default: return ldexp(1 + (double)table_below(1000) / 1000, (int)table_below(50));
    }
}

/* Parts learned by themselves and merged, two at a time, in a random tree. */
static crd_model *learn_tree(crd_context *context, const random_table *table, const size_t *rows, size_t count,
                             const double *weights) {
    crd_error error;
    if (count < 2 || table_below(4) == 0) {
        crd_model *model = empty_model(context, table);
        change(context, model, table, rows, count, weights, false);
        return model;
    }
    size_t cut = table_below(count + 1);
    crd_model *left = learn_tree(context, table, rows, cut, weights);
    crd_model *right = learn_tree(context, table, rows + cut, count - cut, weights);
    assert_done(crd_model_merge(left, right, &error), error);
    crd_model_destroy(right);
    return left;
}

static void weights_do_not_depend_on_order(void **state) {
    crd_context *context = *state;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        random_table table;
        double weights[TABLE_ROWS];
        size_t rows[TABLE_ROWS];
        make_table(&table, seed * 7919);
        for (size_t i = 0; i < table.rows; i++) {
            rows[i] = i;
            weights[i] = wild_weight();
        }
        crd_model *whole = empty_model(context, &table), *changing = empty_model(context, &table);
        change(context, whole, &table, rows, table.rows, weights, false);
        for (int way = 0; way < 3; way++) {
            shuffle(rows, table.rows);
            crd_model *model = learn_tree(context, &table, rows, table.rows, weights);
            assert_same(model, whole, context, seed, "in a tree");
            crd_model_destroy(model);
        }
        /* Some rows twice, then out again; then all out. */
        size_t some = table_below(table.rows + 1);
        change(context, changing, &table, rows, some, weights, false);
        change(context, changing, &table, rows, table.rows, weights, false);
        shuffle(rows, some);
        change(context, changing, &table, rows, some, weights, true);
        assert_same(changing, whole, context, seed, "learned and forgotten");
        change(context, changing, &table, rows, table.rows, weights, true);
        crd_model *empty = empty_model(context, &table);
        assert_same(changing, empty, context, seed, "forgotten");
        crd_model_destroy(empty);
        crd_model_destroy(changing);
        /* What is written can be read. */
        model_bytes bytes = bytes_of(whole, context);
        crd_model *read;
        crd_error error;
        assert_done(crd_model_decode(context, bytes.bytes, bytes.length, &read, &error), error);
        assert_same(read, whole, context, seed, "read");
        free_bytes(bytes);
        crd_model_destroy(read);
        crd_model_destroy(whole);
    }
}

static void assert_same_number(double a, double b, const char *description, uint64_t seed) {
    bool same = a == b || (isnan(a) && isnan(b));
    if (!same) fail_msg("seed %d: %s is %.17g and %.17g", (int)seed, description, a, b);
}

static void assert_same_scores(const crd_evaluation *a, const crd_evaluation *b, double unit, uint64_t seed) {
    crd_scores *one, *other;
    crd_totals all = CRD_TOTALS_INIT, totals = CRD_TOTALS_INIT;
    crd_error error;
    assert_done(crd_scores_create(a, &one, &error), error);
    assert_done(crd_scores_create(b, &other, &error), error);
    crd_scores_totals(one, &all);
    crd_scores_totals(other, &totals);
    assert_same_number(all.weight * unit, totals.weight, "weight", seed);
    assert_same_number(all.accuracy, totals.accuracy, "accuracy", seed);
    assert_same_number(all.baseline, totals.baseline, "baseline", seed);
    assert_same_number(all.log_loss, totals.log_loss, "log loss", seed);
    assert_same_number(all.brier, totals.brier, "Brier", seed);
    assert_same_number(all.auc, totals.auc, "AUC", seed);
    assert_same_number(all.ece, totals.ece, "ECE", seed);
    assert_int_equal(one->class_count, other->class_count);
    for (size_t k = 0; k < one->class_count; k++) {
        const crd_class_scores x = one->classes[k], y = other->classes[k];
        assert_same_number(x.precision, y.precision, "precision", seed);
        assert_same_number(x.recall, y.recall, "recall", seed);
        assert_same_number(x.f1, y.f1, "F1", seed);
        assert_same_number(x.auc, y.auc, "area", seed);
        assert_same_number(x.support_weight * unit, y.support_weight, "support", seed);
        for (size_t named = 0; named < one->class_count; named++)
            assert_same_number(crd_scores_confusion_weight(one, k, named) * unit,
                               crd_scores_confusion_weight(other, k, named), "confusion", seed);
    }
    crd_scores_destroy(one);
    crd_scores_destroy(other);
}

/* Scores of weighted rows are those of the rows so many times, and do not depend on the unit of weights. */
static void a_row_of_weight_k_is_scored_as_k_rows(void **state) {
    enum { CLASSES = 3, ROWS = 40 };
    static const char *const names[] = {"a", "b", "c", "unknown"};
    crd_context *context = *state;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        crd_text classes[CLASSES];
        crd_evaluation *weighed, *copied, *tiny;
        crd_error error;
        table_random_state = seed;
        for (size_t k = 0; k < CLASSES; k++) classes[k] = crd_text_of(names[k]);
        assert_done(crd_evaluation_create(context, classes, CLASSES, &weighed, &error), error);
        assert_done(crd_evaluation_create(context, classes, CLASSES, &copied, &error), error);
        assert_done(crd_evaluation_create(context, classes, CLASSES, &tiny, &error), error);
        for (size_t row = 0; row < ROWS; row++) {
            double chances[CLASSES], sum = 0, logs[CLASSES];
            for (size_t k = 0; k < CLASSES; k++) sum += chances[k] = (double)table_below(5);
            for (size_t k = 0; k < CLASSES; k++)
                logs[k] = sum == 0 || chances[k] == 0 ? -INFINITY : crd_log(chances[k] / sum);
            crd_text truth = crd_text_of(names[table_below(seed % 3 == 0 ? 4 : CLASSES)]);
            size_t weight = table_below(MOST_COPIES + 1);
            crd_row_score credit = CRD_ROW_SCORE_INIT;
            assert_done(crd_evaluation_add(weighed, logs, truth, (double)weight, &credit, &error), error);
            assert_done(crd_evaluation_add(tiny, logs, truth, ldexp((double)weight, -900), NULL, &error), error);
            for (size_t i = 0; i < weight; i++)
                assert_done(crd_evaluation_add(copied, logs, truth, 1, NULL, &error), error);
        }
        assert_same_scores(weighed, copied, 1, seed);
        assert_same_scores(weighed, tiny, ldexp(1, -900), seed);
        double sure[CLASSES] = {0, -INFINITY, -INFINITY};
        const double none[] = {-1, NAN, INFINITY};
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(crd_evaluation_add(weighed, sure, classes[0], none[i], NULL, &error), CRD_ERROR_WEIGHT);
        assert_same_scores(weighed, copied, 1, seed);
        crd_evaluation_destroy(weighed);
        crd_evaluation_destroy(copied);
        crd_evaluation_destroy(tiny);
    }
}

/* A fold taken out of the whole leaves what learning the others with their weights gives. */
static void folds_are_taken_out_with_their_weights(void **state) {
    crd_context *context = *state;
    static const char text[] = "w,x,y\n2,1,a\n0.1,5,b\n1e-300,2,a\n3,4,b\n0.7,9,a\n0,8,c\n";
    static const uint32_t folds[] = {0, 0, 1, 1, 0, CRD_NO_FOLD};
    crd_reader *reader;
    crd_i_cross_validation *validation;
    crd_model *fold_model, *wanted;
    const crd_frame *frame;
    crd_error error;
    int same;
    assert_done(open_text(context, text, strlen(text), "y", &reader, &error), error);
    assert_done(crd_reader_set_weight(reader, 0, &error), error);
    assert_true(crd_text_equal(crd_reader_weight(reader), crd_text_of("w")));
    assert_done(crd_reader_next(reader, &frame, &error), error);
    assert_done(crd_i_cross_validation_create(context, crd_text_of("y"), NULL, &validation, &error), error);
    assert_done(crd_i_cross_validation_learn(validation, frame, folds, &error), error);
    assert_done(crd_i_cross_validation_finish(validation, &error), error);
    assert_done(crd_i_cross_validation_model(validation, 0, &fold_model, &error), error);
    crd_reader_close(reader);
    static const char other[] = "w,x,y\n3,4,b\n1e-300,2,a\n";
    assert_done(open_text(context, other, strlen(other), "y", &reader, &error), error);
    assert_done(crd_reader_set_weight(reader, 0, &error), error);
    assert_done(crd_model_train(context, reader, NULL, &wanted, NULL, &error), error);
    crd_reader_close(reader);
    assert_done(crd_model_same_tally(fold_model, wanted, &same, &error), error);
    assert_true(same);
    crd_i_leave_one_out *leaving;
    assert_int_equal(crd_i_leave_one_out_create(fold_model, NULL, &leaving, &error), CRD_ERROR_ARGUMENT);
    assert_null(leaving);
    crd_model_destroy(fold_model);
    crd_model_destroy(wanted);
    crd_i_cross_validation_destroy(validation);
}

/* Whatever the weights and settings: posteriors are probabilities. */
static void posteriors_are_probabilities(void **state) {
    crd_context *context = *state;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        random_table table;
        double weights[TABLE_ROWS];
        size_t rows[TABLE_ROWS];
        crd_error error;
        make_table(&table, seed * 104729);
        for (size_t i = 0; i < table.rows; i++) {
            rows[i] = i;
            weights[i] = wild_weight();
        }
        crd_model *model = empty_model(context, &table);
        change(context, model, &table, rows, table.rows, weights, false);
        crd_settings *settings = random_settings(context);
        crd_classifier *classifier = NULL;
        crd_posteriors *posteriors;
        crd_status status = crd_classifier_create(model, settings, &classifier, &error);
        if (status != CRD_ERROR_EMPTY) {
            assert_done(status, error);
            some_rows queries = rows_of(context, &table, rows, table.rows);
            assert_done(crd_posteriors_create(context, &posteriors, &error), error);
            assert_done(crd_classifier_classify(classifier, queries.frame, posteriors, &error), error);
            for (size_t row = 0; row < table.rows; row++) {
                double sum = 0;
                const double *logs = crd_posteriors_log(posteriors, row);
                for (size_t k = 0; k < crd_classifier_class_count(classifier); k++) sum += crd_exp(logs[k]);
                bool is_answered = crd_posteriors_answer(posteriors, row)->decision >= 0;
                if (!(fabs(sum - (is_answered ? 1 : 0)) < 1e-9)) fail_msg("seed %d: sum %g", (int)seed, sum);
            }
            free_rows(queries);
            crd_posteriors_destroy(posteriors);
        }
        crd_classifier_destroy(classifier);
        crd_settings_destroy(settings);
        crd_model_destroy(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_of_weight_k_is_k_rows),
        cmocka_unit_test(weights_do_not_depend_on_order),
        cmocka_unit_test(a_row_of_weight_k_is_scored_as_k_rows),
        cmocka_unit_test(folds_are_taken_out_with_their_weights),
        cmocka_unit_test(posteriors_are_probabilities),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
