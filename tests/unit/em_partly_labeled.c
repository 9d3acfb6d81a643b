/* SPDX-License-Identifier: MIT */
/* Rows without a label: with weight 0 they change nothing, otherwise they count by their weight, help where classes are
 * what the mixture finds, and do not where they are not. */
#include "model_support.h"

#include "math/random.h"

typedef struct text {
    char *bytes;
    size_t length;
} text;

static void put(text *target_text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    target_text->length += (size_t)vsprintf(target_text->bytes + target_text->length, format, arguments);
    va_end(arguments);
}

/* Two classes, three numbers three deviations apart, and a category; the first `labeled` rows of each class have a label.
 * is_bare: the others have none, and are left out. */
static text drawn(size_t rows, size_t labeled, bool is_reversed, bool is_bare) {
    text target_text = {malloc(80 * rows + 64), 0};
    put(&target_text, "x,y,z,c,k\n");
    for (size_t i = 0; i < rows; i++) {
        const size_t row = is_reversed ? rows - 1 - i : i;
        crd_i_random random = crd_i_random_at(3, row);
        const int k = (int)(row % 2);
        const double x = 2.0 * k + crd_i_random_normal(&random), y = 2.0 * k + crd_i_random_normal(&random);
        const double z = crd_i_random_normal(&random) - k;
        const int c = crd_i_random_uniform(&random) < 0.7 ? k : 2;
        if (row >= 2 * labeled && is_bare) continue;
        put(&target_text, "%.3f,%.3f,%.3f,%c,%s\n", x, y, z, 'a' + c, row >= 2 * labeled ? "" : k == 0 ? "no" : "yes");
    }
    return target_text;
}

static crd_model *learn(crd_context *context, text rows, double weight, double inverse_temperature, unsigned threads,
                        crd_unlabeled_facts *facts) {
    crd_unlabeled_options options = CRD_UNLABELED_OPTIONS_INIT;
    crd_reader *reader;
    crd_model *model;
    crd_error error;
    options.weight = weight;
    options.inverse_temperature = inverse_temperature;
    options.threads = threads;
    assert_done(open_text(context, rows.bytes, rows.length, "k", &reader, &error), error);
    assert_done(crd_unlabeled_train(reader, NULL, &options, &model, facts, &error), error);
    crd_reader_close(reader);
    return model;
}

static void weight_zero_is_learning_from_labels_alone(void **state) {
    crd_context *context = *state;
    text all = drawn(300, 10, false, false), bare = drawn(300, 10, false, true);
    crd_unlabeled_facts facts = CRD_UNLABELED_FACTS_INIT;
    crd_model *model = learn(context, all, 0, 1, 1, &facts), *plain = trained(context, bare.bytes, "k");
    crd_model_difference difference = CRD_MODEL_DIFFERENCE_INIT;
    int same = 0;
    crd_error error;
    assert_near(facts.labeled, 20, 0);
    assert_near(facts.unlabeled, 280, 0);
    assert_done(crd_model_same_tally(model, plain, &same, &error), error);
    assert_done(crd_model_compare(model, plain, &difference, &error), error);
    if (same == 0) fail_msg("%s", difference.message);
    crd_model_destroy(model);
    crd_model_destroy(plain);
    free(all.bytes);
    free(bare.bytes);
}

static void rows_count_by_their_weight(void **state) {
    crd_context *context = *state;
    text all = drawn(300, 10, false, false);
    crd_model *model = learn(context, all, 0.25, 0.5, 1, NULL);
    crd_summary *summary;
    crd_error error;
    assert_done(crd_summary_create(model, &summary, &error), error);
    assert_near(summary->rows, 20 + 280 * 0.25, 1e-9);
    assert_int_equal(summary->weight.length, 0);
    crd_summary_destroy(summary);
    crd_model_destroy(model);
    free(all.bytes);
}

static void results_do_not_depend_on_order_or_threads(void **state) {
    crd_context *context = *state;
    model_bytes first = {0};
    for (unsigned i = 0; i < 3; i++) {
        text rows = drawn(6000, 10, i == 1, false);
        crd_model *model = learn(context, rows, -1, 1, i == 2 ? 3 : 1, NULL);
        model_bytes bytes = bytes_of(model, context);
        if (i == 0) {
            first = bytes;
        } else {
            assert_same_bytes(first, bytes);
            free_bytes(bytes);
        }
        crd_model_destroy(model);
        free(rows.bytes);
    }
    free_bytes(first);
}

/* -log P(true class) a row. */
static double log_loss(crd_context *context, const crd_model *model, text rows) {
    crd_reader *reader;
    crd_classifier *classifier;
    crd_posteriors *posteriors;
    const crd_frame *frame;
    crd_error error;
    double sum = 0;
    size_t count = 0;
    assert_done(open_text(context, rows.bytes, rows.length, "k", &reader, &error), error);
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    assert_done(crd_posteriors_create(context, &posteriors, &error), error);
    for (;;) {
        assert_done(crd_reader_next(reader, &frame, &error), error);
        if (frame == NULL) break;
        assert_done(crd_classifier_classify(classifier, frame, posteriors, &error), error);
        for (size_t row = 0; row < crd_frame_rows(frame); row++, count++) {
            const bool is_yes = crd_frame_value(frame, row, 4).text.length == 3;
            sum -= crd_posteriors_log(posteriors, row)[is_yes];
        }
    }
    crd_posteriors_destroy(posteriors);
    crd_classifier_destroy(classifier);
    crd_reader_close(reader);
    return sum / (double)count;
}

static void rows_without_a_label_help(void **state) {
    crd_context *context = *state;
    text rows = drawn(1000, 5, false, false), truth = drawn(1000, 500, false, false);
    crd_unlabeled_facts facts = CRD_UNLABELED_FACTS_INIT;
    crd_model *alone = learn(context, rows, 0, 1, 1, NULL), *both = learn(context, rows, -1, 1, 1, &facts);
    assert_true(facts.weight > 0);
    assert_true(facts.gain > 0);
    assert_near(facts.held_out, 10, 0);
    assert_true(log_loss(context, both, truth) < 0.9 * log_loss(context, alone, truth));
    crd_model_destroy(alone);
    crd_model_destroy(both);
    free(rows.bytes);
    free(truth.bytes);
}

static crd_status try(crd_context *context, const char *rows, const char *method, crd_unlabeled_facts *facts) {
    crd_reader *reader;
    crd_settings *settings;
    crd_model *model;
    crd_error error;
    assert_done(open_text(context, rows, strlen(rows), "k", &reader, &error), error);
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "method", crd_text_of(method), &error), error);
    crd_status status = crd_unlabeled_train(reader, settings, NULL, &model, facts, &error);
    crd_model_destroy(model);
    crd_settings_destroy(settings);
    crd_reader_close(reader);
    return status;
}

/* Tables with too little to choose by, and what is refused. */
static void odd_tables(void **state) {
    static const char *const tables[] = {
        "x,k\n1,a\n2,b\n,\n",
        "x,k\n1,a\n1,a\n",
        "x,k\n1,a\n2,\n3,\n",
        "x,c,k\n1,u,a\n2,v,b\n3,w,a\n4,u,b\n,z,\n9,z,\n",
        "x,k\n1,a\n2,b\n3,a\n4,b\n5,\n",
    };
    crd_context *context = *state;
    crd_unlabeled_facts facts = CRD_UNLABELED_FACTS_INIT;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        assert_int_equal(try(context, tables[i], "naive", &facts), CRD_OK);
    assert_int_equal(try(context, "x,k\n1,\n2,\n", "naive", &facts), CRD_ERROR_EMPTY);
    assert_int_equal(try(context, tables[0], "aode", &facts), CRD_ERROR_SETTING);
}

static int set_up(void **state) {
    static allocations counted;
    *state = counted_context(&counted);
    return *state == NULL;
}

static int tear_down(void **state) {
    crd_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weight_zero_is_learning_from_labels_alone),
        cmocka_unit_test(rows_count_by_their_weight),
        cmocka_unit_test(results_do_not_depend_on_order_or_threads),
        cmocka_unit_test(rows_without_a_label_help),
        cmocka_unit_test(odd_tables),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
