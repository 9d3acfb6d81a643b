/* SPDX-License-Identifier: MIT */
/* Rows that stand for several: what weights may be, what they do to counts, sums and posteriors, and what becomes of
 * models of which one has weights. */
#include "model_support.h"

#include "model/model_internal.h"

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

static crd_reader *open_weighed(crd_context *context, const char *text, const char *target, size_t weight) {
    crd_reader *reader;
    crd_error error;
    assert_done(open_text(context, text, strlen(text), target, &reader, &error), error);
    assert_done(crd_reader_set_weight(reader, weight, &error), error);
    return reader;
}

static crd_model *weighed(crd_context *context, const char *text, const char *target, size_t weight,
                          crd_read_facts *facts) {
    crd_reader *reader = open_weighed(context, text, target, weight);
    crd_model *model;
    crd_error error;
    assert_done(crd_model_train(context, reader, NULL, &model, facts, &error), error);
    crd_reader_close(reader);
    return model;
}

/* The table of tests/acceptance/reference.py, which gives these values with exact fractions and 50 digits. */
static const char fruit[] = "size,color,times,kind\n1.5,red,3,apple\n2.25,green,0.3333333333333333,apple\n"
                            "?,red,2.5,apple\n7,green,1e-3,pear\n6.5,?,4,pear\n8.125,yellow,0.1,pear\n"
                            "3,violet,0,plum\n";

static void posteriors_are_those_of_the_reference(void **state) {
    static const struct {
        double size;
        const char *color;
        double log_evidence, apple;
    } rows[] = {{2, "red", -1.8602866367485555, 0.99992136936899799},
                {5, "yellow", -3.7860847496272316, 0.0074876259350299048},
                {NAN, "green", -1.7002259348003037, 0.31365552499323577}};
    crd_context *context = *state;
    crd_model *model = weighed(context, fruit, "kind", 2, NULL);
    crd_classifier *classifier;
    crd_error error;
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    assert_int_equal(crd_classifier_class_count(classifier), 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crd_value row[] = {isnan(rows[i].size) ? missing_value() : number_value(rows[i].size),
                           text_value(rows[i].color)};
        double logs[2];
        crd_answer answer;
        assert_done(crd_classifier_posterior(classifier, row, logs, NULL, &answer, &error), error);
        assert_near(answer.log_evidence, rows[i].log_evidence, 1e-14);
        assert_near(crd_exp(logs[0]), rows[i].apple, 1e-14);
    }
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

static void facts_and_summary_add_weights_up(void **state) {
    crd_context *context = *state;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_model *model = weighed(context, "x,w,y\n1,2,a\n4,0.5,a\n9,0,c\n1,7,\n3,0.25,b\n", "y", 1, &facts);
    crd_summary *summary;
    crd_error error;
    assert_int_equal(facts.rows, 3);
    assert_int_equal(facts.skipped, 1);
    assert_int_equal(facts.weightless, 1);
    assert_true(facts.weight == 2.75);
    assert_done(crd_summary_create(model, &summary, &error), error);
    assert_true(crd_text_equal(summary->weight, crd_text_of("w")));
    assert_int_equal(summary->attribute_count, 1);
    assert_int_equal(summary->class_count, 2);
    assert_true(summary->rows == 2.75 && summary->classes[0].rows == 2.5);
    crd_moments a = crd_summary_moments(summary, 0, 0), b = crd_summary_moments(summary, 0, 1);
    assert_true(a.rows == 2.5 && a.sum == 4 && a.sum_of_squares == 10 && a.mean == 1.6);
    assert_near(a.variance, 1.44, 1e-15);       /* (2.5 * 10 - 4^2) / 2.5^2 */
    assert_near(a.sample_variance, 2.4, 1e-15); /* 1.44 * 2.5 / 1.5 */
    /* Weights of no more than one row show no sample variance. */
    assert_true(b.variance == 0 && isnan(b.sample_variance));
    crd_summary_destroy(summary);
    crd_model_destroy(model);
}

/* Where only some cells of weight above one tell of the spread, those of less do not make it wider. */
static void light_classes_do_not_widen_shared_variances(void **state) {
    crd_context *context = *state;
    crd_model *model = weighed(context, "x,w,y\n1,2,a\n3,2,a\n0,0.5,b\n100,0.5,b\n", "y", 1, NULL);
    crd_classifier *classifier =
        classifier_with(model, context, WITH("variance", "sample", "pool-variance", "classes", "smoothing", "none"));
    crd_value x = number_value(2);
    crd_term term = CRD_TERM_INIT;
    crd_error error;
    assert_done(crd_classifier_term(classifier, 0, 0, &x, &term, &error), error);
    assert_near(term.deviation, sqrt(4.0 / 3), 1e-15);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

static void bad_weights_are_told_with_their_place(void **state) {
    static const struct {
        const char *cell, *message;
    } cases[] = {{"-1", "'-1' is negative: a weight is the number of rows that a row counts as"},
                 {"?", "the weight of a row is missing: use 0 to ignore the row, or 1 to count it once"},
                 {"", "the weight of a row is missing: use 0 to ignore the row, or 1 to count it once"},
                 {"two", "'two' is not a number"},
                 {"inf", "'inf' is infinite: numbers must be finite"}};
    crd_context *context = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[100];
        snprintf(text, sizeof text, "x,w,y\n1,2,a\n2,%s,b\n", cases[i].cell);
        crd_reader *reader = open_weighed(context, text, "y", 1);
        crd_model *model;
        crd_error error;
        assert_int_equal(crd_model_train(context, reader, NULL, &model, NULL, &error), CRD_ERROR_WEIGHT);
        assert_null(model);
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(error.line, 3);
        assert_int_equal(error.field, 2);
        assert_string_equal(error.place, "table");
        assert_string_equal(error.subject, "w");
        crd_reader_close(reader);
    }
}

static void a_weight_is_neither_target_nor_category_nor_ignored(void **state) {
    static const char text[] = "x,w,y\n1,2,a\n";
    crd_context *context = *state;
    crd_error error;
    crd_reader *reader = open_weighed(context, text, "y", 1);
    assert_int_equal(crd_reader_ignore(reader, 1, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "the weight 'w' cannot be ignored");
    assert_int_equal(crd_reader_set_column_type(reader, 1, CRD_TYPE_CATEGORICAL, &error), CRD_ERROR_COLUMN);
    assert_int_equal(crd_reader_set_column_type(reader, 1, CRD_TYPE_NUMERIC, &error), CRD_OK);
    assert_int_equal(crd_reader_set_target(reader, 1, &error), CRD_ERROR_COLUMN);
    assert_int_equal(crd_reader_set_weight(reader, 2, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "the weight 'y' cannot be both the target and the weight");
    /* Another weight: the first is a column again. */
    assert_int_equal(crd_reader_set_weight(reader, 0, &error), CRD_OK);
    assert_int_equal(crd_reader_set_column_type(reader, 1, CRD_TYPE_CATEGORICAL, &error), CRD_OK);
    crd_reader_close(reader);
    assert_done(open_text(context, text, strlen(text), "y", &reader, &error), error);
    assert_int_equal(crd_reader_set_column_type(reader, 1, CRD_TYPE_CATEGORICAL, &error), CRD_OK);
    assert_int_equal(crd_reader_set_weight(reader, 1, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "the weight 'w' must be a number, not a category");
    assert_int_equal(crd_reader_ignore(reader, 0, &error), CRD_OK);
    assert_int_equal(crd_reader_set_weight(reader, 0, &error), CRD_ERROR_COLUMN);
    crd_reader_close(reader);
}

/* Reads a text into the model, or takes it out again; what was said is in *error. */
static crd_status change_by(crd_context *context, crd_model *model, const char *text, bool forgets, crd_error *error) {
    crd_reader *reader;
    assert_done(open_text(context, text, strlen(text), NULL, &reader, error), *error);
    crd_status status =
        forgets ? crd_model_forget_all(model, reader, NULL, error) : crd_model_update_all(model, reader, NULL, error);
    crd_reader_close(reader);
    return status;
}

static void more_rows_need_the_weight_too(void **state) {
    crd_context *context = *state;
    crd_error error;
    crd_model *model = weighed(context, "x,w,y\n1,2,a\n5,0.1,b\n", "y", 1, NULL);
    model_bytes before = bytes_of(model, context);
    assert_int_equal(change_by(context, model, "x,y\n1,a\n", false, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message,
                        "the weight 'w' is not among the columns: add it, with weight 1 for rows that count once");
    assert_int_equal(error.line, 1);
    assert_done(change_by(context, model, "y,w,x\na,1e-320,7\nc,0.3,8\n", false, &error), error);
    /* Half of a row can be forgotten, but no more than all of it. */
    assert_done(change_by(context, model, "y,w,x\nc,0.2,8\n", true, &error), error);
    assert_int_equal(change_by(context, model, "y,w,x\nc,0.2,8\n", true, &error), CRD_ERROR_NOT_LEARNED);
    assert_done(change_by(context, model, "y,w,x\nc,0.2,8\n", false, &error), error);
    assert_done(change_by(context, model, "w,x,y\n0.3,8,c\n1e-320,7,a\n", true, &error), error);
    model_bytes after = bytes_of(model, context);
    assert_same_bytes(before, after);
    free_bytes(before);
    free_bytes(after);
    crd_model_destroy(model);
}

static void more_rows_than_can_be_counted_are_refused(void **state) {
    crd_context *context = *state;
    crd_error error;
    crd_model *model = weighed(context, "x,w,y\n1,4e18,a\n2,4e18,b\n", "y", 1, NULL), *again;
    model_bytes before = bytes_of(model, context);
    assert_done(crd_model_decode(context, before.bytes, before.length, &again, &error), error);
    assert_int_equal(change_by(context, model, "x,w,y\n1,1e300,a\n", false, &error), CRD_ERROR_LIMIT);
    assert_int_equal(change_by(context, model, "x,w,y\n1,4e18,a\n", false, &error), CRD_ERROR_LIMIT);
    assert_string_equal(error.message, "the weights of the rows sum to more than 2^63");
    assert_int_equal(crd_model_merge(model, again, &error), CRD_ERROR_LIMIT);
    model_bytes after = bytes_of(model, context);
    assert_same_bytes(before, after);
    free_bytes(before);
    free_bytes(after);
    crd_model_destroy(model);
    crd_model_destroy(again);
}

static void weighed_and_plain_models_do_not_merge(void **state) {
    static const char text[] = "x,w,v,y\n1,2,3,a\n5,0.1,4,b\n";
    crd_context *context = *state;
    crd_error error;
    crd_model *by_w = weighed(context, text, "y", 1, NULL), *by_v = weighed(context, text, "y", 2, NULL),
              *plain = trained(context, "x,v,y\n1,2,a\n", "y");
    assert_int_equal(crd_model_merge(by_w, plain, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_string_equal(error.message, "column 'w' is the weight of one model only: the other counts each row once");
    assert_int_equal(crd_model_merge(plain, by_w, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_int_equal(crd_model_merge(by_w, by_v, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_string_equal(error.message, "column 'v' is the weight of one model only");
    crd_model_destroy(by_w);
    crd_model_destroy(by_v);
    crd_model_destroy(plain);
}

static unsigned char *find_bytes(unsigned char *bytes, size_t length, const char *wanted) {
    size_t size = strlen(wanted);
    for (size_t index = 0; index + size <= length; index++)
        if (memcmp(bytes + index, wanted, size) == 0) return bytes + index;
    return NULL;
}

/* Files written before there were weights have no section of them, and neither have models without one. */
static void only_weighed_models_have_the_section(void **state) {
    crd_context *context = *state;
    crd_error error;
    crd_model *model = weighed(context, "x,w,y\n1,1,a\n5,1,b\n", "y", 1, NULL), *copy;
    crd_model *plain = trained(context, "x,w,y\n1,1,a\n5,1,b\n", "y");
    model_bytes weighted_bytes = bytes_of(model, context), without = bytes_of(plain, context);
    assert_null(find_bytes(without.bytes, without.length, "WGHT"));
    assert_non_null(find_bytes(weighted_bytes.bytes, weighted_bytes.length, "WGHT"));
    assert_done(crd_model_decode(context, weighted_bytes.bytes, weighted_bytes.length, &copy, &error), error);
    assert_true(crd_text_equal(crd_model_weight(copy), crd_text_of("w")));
    model_bytes back = bytes_of(copy, context);
    assert_same_bytes(weighted_bytes, back);
    free_bytes(weighted_bytes);
    free_bytes(without);
    free_bytes(back);
    crd_model_destroy(copy);
    crd_model_destroy(plain);
    crd_model_destroy(model);
}

/* A weight that is a column as well, or beyond the row, is none that a writer writes. */
static void damaged_weights_are_refused(void **state) {
    static const struct {
        const char *name;
        size_t position;
    } cases[] = {{"x", 1}, {"w", 0}, {"w", 3}};
    crd_context *context = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_error error;
        crd_model *model = weighed(context, "x,w,y\n1,1,a\n5,1,b\n", "y", 1, NULL), *copy;
        assert_true(crd_i_schema_set_weight(model->schema, crd_text_of(cases[i].name), cases[i].position));
        model_bytes bytes = bytes_of(model, context);
        assert_int_equal(crd_model_decode(context, bytes.bytes, bytes.length, &copy, &error), CRD_ERROR_DAMAGED);
        free_bytes(bytes);
        crd_model_destroy(model);
    }
}

static void frames_bring_their_weights_by_name(void **state) {
    static const double x[] = {1, 4, 2}, negative[] = {1, -0.5, 2}, w[] = {2, 0.5, 0};
    static const uint8_t first_only[] = {1};
    crd_context *context = *state;
    crd_error error;
    crd_text labels[] = {crd_text_of("a"), crd_text_of("b"), crd_text_of("c")};
    crd_frame *frame, *bad, *absent, *none;
    crd_model *model, *read = weighed(context, "x,w,y\n1,2,a\n4,0.5,b\n", "y", 1, NULL);
    assert_done(crd_frame_create(context, 3, &frame, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("y"), labels, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("w"), w, NULL, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("x"), x, NULL, &error), error);
    crd_text y = crd_text_of("y");
    assert_done(crd_model_create_weighted(context, frame, y, crd_text_of("w"), NULL, &model, &error), error);
    assert_done(crd_model_update(model, frame, &error), error);
    int same;
    assert_done(crd_model_same_tally(model, read, &same, &error), error);
    assert_true(same);

    assert_done(crd_frame_create(context, 3, &bad, &error), error);
    assert_done(crd_frame_add_texts(bad, y, labels, &error), error);
    assert_done(crd_frame_add_numbers(bad, crd_text_of("w"), negative, NULL, &error), error);
    assert_int_equal(crd_model_update(model, bad, &error), CRD_ERROR_WEIGHT);
    assert_string_equal(error.message,
                        "row 2 of the weight 'w' is negative: a weight is the number of rows that a row counts as");
    assert_done(crd_frame_create(context, 3, &absent, &error), error);
    assert_done(crd_frame_add_texts(absent, y, labels, &error), error);
    assert_int_equal(crd_model_update(model, absent, &error), CRD_ERROR_COLUMN);
    assert_done(crd_frame_add_numbers(absent, crd_text_of("w"), w, first_only, &error), error);
    assert_int_equal(crd_model_forget(model, absent, &error), CRD_ERROR_WEIGHT);
    assert_done(crd_frame_create(context, 3, &none, &error), error);
    assert_done(crd_frame_add_texts(none, y, labels, &error), error);
    assert_done(crd_frame_add_texts(none, crd_text_of("w"), labels, &error), error);
    assert_int_equal(crd_model_update(model, none, &error), CRD_ERROR_COLUMN);
    assert_done(crd_model_same_tally(model, read, &same, &error), error);
    assert_true(same);

    crd_model *new_model = NULL;
    assert_int_equal(crd_model_create_weighted(context, none, y, crd_text_of("w"), NULL, &new_model, &error),
                     CRD_ERROR_COLUMN);
    assert_int_equal(crd_model_create_weighted(context, frame, y, crd_text_of("v"), NULL, &new_model, &error),
                     CRD_ERROR_COLUMN);
    crd_frame_destroy(frame);
    crd_frame_destroy(bad);
    crd_frame_destroy(absent);
    crd_frame_destroy(none);
    crd_model_destroy(model);
    crd_model_destroy(read);
}

/* Rows to be answered need no weight, and one that makes no sense is not looked at. */
static void answers_ignore_the_weight(void **state) {
    crd_context *context = *state;
    crd_error error;
    crd_model *model = weighed(context, fruit, "kind", 2, NULL);
    static const char *const texts[] = {"size,color\n2,red\n", "times,color,size\nnonsense,red,2\n"};
    for (size_t i = 0; i < 2; i++) {
        crd_reader *reader;
        const crd_frame *frame;
        assert_done(open_text(context, texts[i], strlen(texts[i]), NULL, &reader, &error), error);
        assert_done(crd_model_bind(model, reader, &error), error);
        assert_done(crd_reader_next(reader, &frame, &error), error);
        assert_int_equal(crd_frame_column_count(frame), 3);
        crd_reader_close(reader);
    }
    crd_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posteriors_are_those_of_the_reference),
        cmocka_unit_test(facts_and_summary_add_weights_up),
        cmocka_unit_test(light_classes_do_not_widen_shared_variances),
        cmocka_unit_test(bad_weights_are_told_with_their_place),
        cmocka_unit_test(a_weight_is_neither_target_nor_category_nor_ignored),
        cmocka_unit_test(more_rows_need_the_weight_too),
        cmocka_unit_test(more_rows_than_can_be_counted_are_refused),
        cmocka_unit_test(weighed_and_plain_models_do_not_merge),
        cmocka_unit_test(only_weighed_models_have_the_section),
        cmocka_unit_test(damaged_weights_are_refused),
        cmocka_unit_test(frames_bring_their_weights_by_name),
        cmocka_unit_test(answers_ignore_the_weight),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
