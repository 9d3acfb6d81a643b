/* SPDX-License-Identifier: MIT */
/* Learning, forgetting and merging at their edges: what is refused and how it is said, kinds that come and go, rows
 * without a class, values never seen. */
#include "model/model_parts.h"
#include "model_support.h"

#include "model/accumulate.h"
#include "model/model_internal.h"

static allocations counted;

static int set_up(void **state) {
    memset(&counted, 0, sizeof counted);
    *state = counted_context(&counted);
    return *state == NULL;
}

static int tear_down(void **state) {
    crd_context_destroy(*state);
    return counted.live != 0;
}

static crd_status change(crd_model *model, crd_context *context, const char *text, bool forget, crd_read_facts *facts,
                         crd_error *error) {
    crd_reader *reader;
    assert_done(open_text(context, text, strlen(text), NULL, &reader, error), *error);
    crd_status status =
        forget ? crd_model_forget_all(model, reader, facts, error) : crd_model_update_all(model, reader, facts, error);
    crd_reader_close(reader);
    return status;
}

/* Forgetting is refused with this message, and changes nothing. */
static void refuses_to_forget(crd_context *context, const char *learned, const char *forgotten, const char *message) {
    crd_model *model = trained(context, learned, "Play");
    model_bytes before = bytes_of(model, context);
    crd_error error;
    assert_int_equal(change(model, context, forgotten, true, NULL, &error), CRD_ERROR_NOT_LEARNED);
    assert_string_equal(error.message, message);
    model_bytes after = bytes_of(model, context);
    assert_same_bytes(before, after);
    free_bytes(before);
    free_bytes(after);
    crd_model_destroy(model);
}

static void forgetting_what_was_not_learned(void **state) {
    static const char days[] = "Outlook,Heat,Play\nSunny,1,Yes\nRain,2,No\nSunny,5,No\n";
    refuses_to_forget(*state, days, "Outlook,Heat,Play\nFoggy,?,Yes\n",
                      "these rows were not all learned: attribute 'Outlook', value 'Foggy', class 'Yes' would be left "
                      "with -1 rows");
    refuses_to_forget(*state, days, "Outlook,Heat,Play\nRain,?,Yes\n",
                      "these rows were not all learned: attribute 'Outlook', value 'Rain', class 'Yes' would be left "
                      "with -1 rows");
    refuses_to_forget(*state, days, "Outlook,Heat,Play\nSunny,?,Maybe\n",
                      "these rows were not all learned: attribute 'Outlook', value 'Sunny', class 'Maybe' would be "
                      "left with -1 rows");
    refuses_to_forget(*state, days, "Outlook,Heat,Play\n?,?,Perhaps\n",
                      "these rows were not all learned: class 'Perhaps' would be left with -1 rows");
    refuses_to_forget(*state, days, "Outlook,Heat,Play\n?,3,Yes\n",
                      "these rows were not all learned: attribute 'Heat', class 'Yes' would be left with 0 rows, and "
                      "an impossible sum or sum of squares");
    refuses_to_forget(*state, days, "Outlook,Heat,Play\nSunny,?,Yes\n",
                      "these rows were not all learned: attribute 'Heat', class 'Yes' would be left with 1 value in "
                      "0 rows");
}

static void kinds_settle_and_unsettle(void **state) {
    crd_context *context = *state;
    crd_error error;
    crd_model *model = trained(context, "a,b,class\n?,1,x\n?,2,y\n", "class");
    model_bytes before = bytes_of(model, context);
    /* a has no kind yet, so it takes numbers; then it is a number. */
    assert_done(change(model, context, "a,b,class\n5,3,x\n6,4,z\n", false, NULL, &error), error);
    assert_int_not_equal(change(model, context, "a,b,class\nred,3,x\n", false, NULL, &error), CRD_OK);
    assert_done(change(model, context, "a,b,class\n6,4,z\n5,3,x\n", true, NULL, &error), error);
    model_bytes after = bytes_of(model, context);
    assert_same_bytes(before, after);
    free_bytes(after);
    /* With all numbers gone it may become a category. */
    assert_done(change(model, context, "a,b,class\nred,3,x\n", false, NULL, &error), error);
    crd_summary *summary;
    assert_done(crd_summary_create(model, &summary, &error), error);
    assert_int_equal(summary->attributes[0].type, CRD_TYPE_CATEGORICAL);
    assert_string_equal(summary->attributes[0].family, "categorical");
    crd_summary_destroy(summary);
    free_bytes(before);
    crd_model_destroy(model);
}

static void training_at_once_or_in_parts(void **state) {
    crd_context *context = *state;
    crd_error error;
    crd_model *whole = trained(context, "a,b,class\n?,1,x\n7,2,y\nNA,3,10\n", "class");
    crd_model *parts = trained(context, "a,b,class\n?,1,x\n", "class");
    assert_done(change(parts, context, "b,class,a,extra\n2,y,7,q\n3,10,,r\n", false, NULL, &error), error);
    model_bytes one = bytes_of(whole, context), two = bytes_of(parts, context);
    assert_same_bytes(one, two);
    free_bytes(one);
    free_bytes(two);
    crd_model_destroy(whole);
    crd_model_destroy(parts);
}

static void rows_without_a_class_are_skipped(void **state) {
    crd_context *context = *state;
    crd_error error;
    crd_model *model = trained(context, "a,class\n1,x\n2,y\n", "class");
    model_bytes before = bytes_of(model, context);
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    assert_done(change(model, context, "a,class\n9,?\n8,\n", false, &facts, &error), error);
    assert_int_equal(facts.rows, 0);
    assert_int_equal(facts.skipped, 2);
    model_bytes after = bytes_of(model, context);
    assert_same_bytes(before, after);
    free_bytes(before);
    free_bytes(after);
    crd_model_destroy(model);
    assert_int_equal(train_text(context, "a,class\n1,?\n", "class", &model, &error), CRD_ERROR_EMPTY);
    assert_int_equal(train_text(context, "a,class\n", "class", &model, &error), CRD_ERROR_EMPTY);
    assert_null(model);
}

static void merging(void **state) {
    crd_context *context = *state;
    crd_error error;
    crd_model *model = trained(context, "a,b,class\n1,u,x\n", "class");
    static const struct {
        const char *rows, *target;
        crd_status status;
        const char *subject;
    } others[] = {
        {"a,b,class\nred,u,x\n", "class", CRD_ERROR_SCHEMA_DIFFERS, "a"},
        {"a,class\n1,x\n", "class", CRD_ERROR_SCHEMA_DIFFERS, "b"},
        {"a,b,c,class\n1,u,2,x\n", "class", CRD_ERROR_SCHEMA_DIFFERS, "c"},
        {"a,b,class\n1,u,x\n", "b", CRD_ERROR_SCHEMA_DIFFERS, "b"},
        {"class,b,a\nx,u,2\n", "class", CRD_OK, ""},
        {"a,b,class\n?,?,y\n", "class", CRD_OK, ""},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        crd_model *other = trained(context, others[i].rows, others[i].target);
        model_bytes before = bytes_of(model, context);
        crd_status status = crd_model_merge(model, other, &error);
        if (status != others[i].status) fail_msg("%zu: %s %s", i, crd_status_name(status), error.message);
        model_bytes after = bytes_of(model, context);
        if (status != CRD_OK) {
            assert_string_equal(error.subject, others[i].subject);
            assert_same_bytes(before, after);
        }
        free_bytes(before);
        free_bytes(after);
        crd_model_destroy(other);
    }
    crd_model *other = trained(context, "a,b,class\n1,u,x\n", "class");
    crd_settings *settings;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "smoothing", crd_text_of("none"), &error), error);
    assert_done(crd_model_set_settings(other, settings, &error), error);
    assert_int_equal(crd_model_merge(model, other, &error), CRD_ERROR_SETTINGS_DIFFER);
    assert_string_equal(error.subject, "smoothing");
    assert_done(crd_model_set_settings(model, settings, &error), error);
    assert_done(crd_model_merge(model, other, &error), error);
    crd_settings_destroy(settings);
    crd_model_destroy(other);
    crd_model_destroy(model);
}

/* The target stands in the middle, and is not counted; a real name wins over what it looks like. */
static void selecting_attributes(void **state) {
    crd_context *context = *state;
    crd_error error;
    crd_model *model = trained(context, "a,class,2,ab\n1,x,2,3\n4,y,5,6\n", "class");
    crd_summary *summary;
    assert_done(crd_summary_create(model, &summary, &error), error);
    static const struct {
        const char *selector;
        size_t count, first;
    } cases[] = {{"a", 1, 0}, {"2", 1, 1}, {"3", 1, 2}, {"last", 1, 2}, {"first", 1, 0}, {"a*", 2, 0}, {"2-3", 2, 1}};
    size_t columns[3], count;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_done(crd_summary_select(summary, crd_text_of(cases[i].selector), columns, &count, &error), error);
        assert_int_equal(count, cases[i].count);
        assert_int_equal(columns[0], cases[i].first);
    }
    assert_int_equal(crd_summary_select(summary, crd_text_of("class"), columns, &count, &error), CRD_ERROR_COLUMN);
    assert_int_equal(count, 0);
    assert_string_equal(error.message, "unknown attribute 'class'; there are 3: a, 2, ab");
    crd_summary_destroy(summary);
    crd_model_destroy(model);

    model = trained(context, "class\nx\ny\n", "class");
    assert_done(crd_summary_create(model, &summary, &error), error);
    assert_int_equal(crd_summary_select(summary, crd_text_of("last"), columns, &count, &error), CRD_ERROR_COLUMN);
    crd_summary_destroy(summary);
    crd_model_destroy(model);
}

static void summary_in_order(void **state) {
    crd_context *context = *state;
    crd_error error;
    crd_model *model = trained(context, "n,color,class\n1,b,10\n2,a,9\n4,b,10\n,c,9\n", "class");
    crd_summary *summary;
    assert_done(crd_summary_create(model, &summary, &error), error);
    /* The summary stays as it is when the model goes on. */
    assert_done(change(model, context, "n,color,class\n9,z,11\n", false, NULL, &error), error);
    assert_int_equal(summary->class_count, 2);
    assert_true(crd_text_equal(summary->classes[0].name, crd_text_of("9")));
    assert_true(crd_text_equal(summary->classes[1].name, crd_text_of("10")));
    assert_true(crd_text_equal(summary->target, crd_text_of("class")));
    assert_true(summary->rows == 4);
    assert_true(summary->classes[1].rows == 2);
    assert_int_equal(summary->attributes[1].value_count, 3);
    assert_true(crd_text_equal(crd_summary_value(summary, 1, 2), crd_text_of("c")));
    assert_true(crd_summary_count(summary, 1, 1, 1) == 2);
    assert_true(crd_summary_present(summary, 0, 0) == 1);
    crd_moments moments = crd_summary_moments(summary, 0, 1);
    assert_true(moments.rows == 2 && moments.sum == 5 && moments.sum_of_squares == 17 && moments.mean == 2.5);
    assert_true(moments.variance == 2.25 && moments.sample_variance == 4.5);
    moments = crd_summary_moments(summary, 0, 0);
    assert_true(moments.rows == 1 && moments.variance == 0 && moments.sample_variance != moments.sample_variance);
    /* Of all classes: one cell and those two, 1 and 4. */
    double first = moments.mean;
    moments = crd_summary_column_moments(summary, 0);
    assert_true(moments.rows == 3 && moments.sum == first + 5 && fabs(moments.mean - (first + 5) / 3) < 1e-15);
    assert_true(fabs(moments.variance - ((first * first + 17) / 3 - moments.mean * moments.mean)) < 1e-14);
    assert_true(fabs(moments.sample_variance - 1.5 * moments.variance) < 1e-14);
    char *exact;
    assert_done(crd_i_summary_exact(summary, 0, 1, 2, &exact, &error), error);
    assert_string_equal(exact, "0x11p+0");
    crd_free(context, exact);
    assert_int_equal(crd_i_summary_exact(summary, 1, 1, 2, &exact, &error), CRD_ERROR_ARGUMENT);
    crd_summary_destroy(summary);
    crd_model_destroy(model);
}

static void a_frame_that_does_not_fit(void **state) {
    crd_context *context = *state;
    crd_error error;
    crd_model *model = trained(context, "n,color,class\n1,b,x\n2,a,y\n", "class");
    static const double numbers[] = {1};
    const crd_text texts[] = {{"b", 1}};
    crd_frame *frame;
    assert_done(crd_frame_create(context, 1, &frame, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("color"), numbers, NULL, &error), error);
    assert_int_equal(crd_model_update(model, frame, &error), CRD_ERROR_COLUMN); /* no target */
    crd_classifier *classifier;
    crd_posteriors *posteriors;
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    assert_done(crd_posteriors_create(context, &posteriors, &error), error);
    assert_int_equal(crd_classifier_classify(classifier, frame, posteriors, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_string_equal(error.subject, "color");
    assert_int_equal(crd_posteriors_rows(posteriors), 0);
    assert_done(crd_frame_add_texts(frame, crd_text_of("class"), texts, &error), error);
    assert_int_equal(crd_model_update(model, frame, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_string_equal(error.subject, "color");
    crd_frame_destroy(frame);
    assert_done(crd_frame_create(context, 1, &frame, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("class"), numbers, NULL, &error), error);
    assert_int_equal(crd_model_update(model, frame, &error), CRD_ERROR_COLUMN); /* a target of numbers */
    crd_frame_destroy(frame);
    crd_posteriors_destroy(posteriors);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

/* A column that turns from number to category late: the reader begins again, and so does the model. */
static void a_reader_that_begins_again(void **state) {
    crd_context *context = *state;
    crd_error error;
    char text[4096] = "a,class\n";
    size_t used = strlen(text);
    for (int i = 0; i < 300; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d,%s\n", i % 7, i % 2 ? "x" : "y");
    crd_model *numbers = trained(context, text, "class");
    model_bytes before = bytes_of(numbers, context);
    snprintf(text + used, sizeof text - used, "more,x\n");
    crd_model *whole = trained(context, text, "class");
    for (int update = 0; update < 2; update++) {
        crd_i_source *source;
        crd_reader *reader;
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.block_bytes = 64;
        assert_done(crd_i_source_memory(context, text, strlen(text), true, &source, &error), error);
        assert_done(crd_i_reader_open_source(context, source, "table", &options, &reader, &error), error);
        crd_read_facts facts = CRD_READ_FACTS_INIT;
        if (update) {
            /* The model's column is a number, so there the late cell is refused, and nothing has changed. */
            assert_int_equal(crd_model_update_all(numbers, reader, &facts, &error), CRD_ERROR_NUMBER);
            model_bytes after = bytes_of(numbers, context);
            assert_same_bytes(before, after);
            free_bytes(after);
        } else {
            crd_model *model;
            assert_done(crd_reader_set_target(reader, 1, &error), error);
            assert_done(crd_model_train(context, reader, NULL, &model, &facts, &error), error);
            assert_int_equal(facts.rows, 301);
            model_bytes one = bytes_of(whole, context), two = bytes_of(model, context);
            assert_same_bytes(one, two);
            free_bytes(one);
            free_bytes(two);
            crd_model_destroy(model);
        }
        crd_reader_close(reader);
    }
    free_bytes(before);
    crd_model_destroy(numbers);
    crd_model_destroy(whole);
}

static void cancelled(void **state) {
    crd_context *context = *state;
    crd_error error;
    crd_reader *reader;
    crd_model *model = trained(context, "a,class\n1,x\n", "class"), *other;
    model_bytes before = bytes_of(model, context);
    assert_done(open_text(context, "a,class\n2,x\n", 12, "class", &reader, &error), error);
    crd_context_cancel(context);
    assert_int_equal(crd_model_train(context, reader, NULL, &other, NULL, &error), CRD_ERROR_CANCELLED);
    assert_null(other);
    assert_int_equal(crd_model_update_all(model, reader, NULL, &error), CRD_ERROR_CANCELLED);
    crd_context_resume(context);
    model_bytes after = bytes_of(model, context);
    assert_same_bytes(before, after);
    free_bytes(before);
    free_bytes(after);
    crd_reader_close(reader);
    crd_model_destroy(model);
}

static void made_by_hand(void **state) {
    crd_context *context = *state;
    crd_error error;
    crd_frame *frame;
    crd_model *model;
    static const double numbers[] = {1, 2, NAN};
    const crd_text labels[] = {{"x", 1}, {"y", 1}, {"x", 1}};
    assert_done(crd_frame_create(context, 3, &frame, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("a"), numbers, NULL, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("class"), labels, &error), error);
    assert_int_equal(crd_model_create(context, frame, crd_text_of("klass"), NULL, &model, &error), CRD_ERROR_COLUMN);
    assert_null(model);
    assert_string_equal(error.subject, "klass");
    assert_done(crd_model_create(context, frame, crd_text_of("class"), NULL, &model, &error), error);
    /* Here the kind was declared by the frame, so it stays when nothing is left. */
    model_bytes before = bytes_of(model, context);
    assert_done(crd_model_update(model, frame, &error), error);
    assert_done(crd_model_forget(model, frame, &error), error);
    model_bytes after = bytes_of(model, context);
    assert_same_bytes(before, after);
    crd_summary *summary;
    assert_done(crd_summary_create(model, &summary, &error), error);
    assert_int_equal(summary->attributes[0].type, CRD_TYPE_NUMERIC);
    assert_true(summary->rows == 0);
    crd_summary_destroy(summary);

    /* A frame of another context is learned too, though nothing about it can be remembered. */
    crd_context *elsewhere;
    assert_int_equal(crd_context_create(NULL, &elsewhere), CRD_OK);
    crd_frame *foreign;
    assert_done(crd_frame_create(elsewhere, 3, &foreign, &error), error);
    assert_done(crd_frame_add_texts(foreign, crd_text_of("class"), labels, &error), error);
    assert_done(crd_frame_add_numbers(foreign, crd_text_of("a"), numbers, NULL, &error), error);
    assert_done(crd_model_update(model, foreign, &error), error);
    assert_done(crd_model_forget(model, frame, &error), error);
    model_bytes last = bytes_of(model, context);
    assert_same_bytes(before, last);
    crd_frame_destroy(foreign);
    crd_context_destroy(elsewhere);
    free_bytes(before);
    free_bytes(after);
    free_bytes(last);
    crd_frame_destroy(frame);
    crd_model_destroy(model);
}

/* Declared on one side only, and with no cell to show it: what one was told holds for both, whichever comes first. */
static void merging_declared_kinds(void **state) {
    crd_context *context = *state;
    crd_error error;
    model_bytes merged[2];
    for (int way = 0; way < 2; way++) {
        crd_model *models[2];
        for (int i = 0; i < 2; i++) {
            static const char text[] = "a,class\n?,x\n";
            crd_reader *reader;
            assert_done(open_text(context, text, strlen(text), "class", &reader, &error), error);
            if (i == way) assert_done(crd_reader_set_column_type(reader, 0, CRD_TYPE_CATEGORICAL, &error), error);
            assert_done(crd_model_train(context, reader, NULL, &models[i], NULL, &error), error);
            crd_reader_close(reader);
        }
        /* Left over from numbers that were forgotten. */
        int undeclared = 1 - way;
        assert_done(change(models[undeclared], context, "a,class\n3,x\n", false, NULL, &error), error);
        assert_done(change(models[undeclared], context, "a,class\n3,x\n", true, NULL, &error), error);
        assert_done(crd_model_merge(models[0], models[1], &error), error);
        merged[way] = bytes_of(models[0], context);
        crd_classifier *classifier;
        assert_done(crd_classifier_create(models[0], NULL, &classifier, &error), error);
        assert_int_equal(crd_classifier_attribute_type(classifier, 0), CRD_TYPE_CATEGORICAL);
        crd_value value = text_value("red");
        double logs[1];
        crd_answer answer;
        assert_done(crd_classifier_posterior(classifier, &value, logs, NULL, &answer, &error), error);
        assert_int_equal(answer.unseen, 1);
        crd_classifier_destroy(classifier);
        assert_int_not_equal(change(models[0], context, "a,class\n3,x\n?,y\n", true, NULL, &error), CRD_OK);
        crd_model_destroy(models[0]);
        crd_model_destroy(models[1]);
    }
    assert_same_bytes(merged[0], merged[1]);
    free_bytes(merged[0]);
    free_bytes(merged[1]);
}

static void merging_other_missing_texts(void **state) {
    crd_context *context = *state;
    crd_error error;
    crd_model *models[2];
    for (int i = 0; i < 2; i++) {
        static const char text[] = "a,class\n-,x\nb,y\n";
        const crd_text missing[] = {{"-", 1}};
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        if (i == 1) {
            options.missing = missing;
            options.missing_count = 1;
        }
        crd_i_source *source;
        crd_reader *reader;
        assert_done(crd_i_source_memory(context, text, strlen(text), true, &source, &error), error);
        assert_done(crd_i_reader_open_source(context, source, "table", &options, &reader, &error), error);
        assert_done(crd_reader_set_target(reader, 1, &error), error);
        assert_done(crd_model_train(context, reader, NULL, &models[i], NULL, &error), error);
        crd_reader_close(reader);
    }
    assert_int_equal(crd_model_merge(models[0], models[1], &error), CRD_ERROR_SCHEMA_DIFFERS);
    crd_model_destroy(models[0]);
    crd_model_destroy(models[1]);
}

static void a_reader_of_another_context(void **state) {
    crd_error error;
    crd_context *elsewhere;
    crd_reader *reader;
    crd_model *model;
    assert_int_equal(crd_context_create(NULL, &elsewhere), CRD_OK);
    assert_done(open_text(elsewhere, "a,class\n2,x\n", 12, "class", &reader, &error), error);
    assert_int_equal(crd_model_train(*state, reader, NULL, &model, NULL, &error), CRD_ERROR_ARGUMENT);
    crd_reader_close(reader);
    assert_done(open_text(elsewhere, "a,class\n2,x\n", 12, NULL, &reader, &error), error);
    assert_int_equal(crd_model_train(elsewhere, reader, NULL, &model, NULL, &error), CRD_ERROR_ARGUMENT);
    crd_reader_close(reader);
    crd_context_destroy(elsewhere);
}

/* Sums of all columns together are bounded, not only those of each. Without cells they take no memory. */
static void columns_are_bounded_together(void **state) {
    static const double numbers[] = {1};
    const crd_text label = crd_text_of("k");
    crd_frame *frame;
    crd_model *model;
    crd_error error;
    crd_read_facts facts = {0};
    assert_done(crd_frame_create(*state, 1, &frame, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("a"), numbers, NULL, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("b"), numbers, NULL, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("y"), &label, &error), error);
    assert_done(crd_model_create(*state, frame, crd_text_of("y"), NULL, &model, &error), error);
    for (size_t column = 0; column < 2; column++) {
        assert_done(crd_i_accumulate_check_sizes(model, &error), error);
        assert_done(crd_i_model_settle(model, column, CRD_TYPE_NUMERIC, &error), error);
        crd_i_tally *tally = model->variables[column].tally;
        assert_true(tally->type->extend(tally, ((size_t)1 << 26) - column, 0));
    }
    assert_int_equal(crd_i_accumulate_check_sizes(model, &error), CRD_ERROR_LIMIT);
    assert_int_equal(crd_i_accumulate_frame(model, frame, &facts, &error), CRD_ERROR_LIMIT);
    assert_string_equal(error.message, "the columns need more than 2^28 counts and sums, most of them for column 'a', "
                                       "because the target has 1 class: is one an identifier?");
    crd_model_destroy(model);
    crd_frame_destroy(frame);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(forgetting_what_was_not_learned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kinds_settle_and_unsettle, set_up, tear_down),
        cmocka_unit_test_setup_teardown(training_at_once_or_in_parts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_without_a_class_are_skipped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(merging, set_up, tear_down),
        cmocka_unit_test_setup_teardown(summary_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_frame_that_does_not_fit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reader_that_begins_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cancelled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(columns_are_bounded_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(made_by_hand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(merging_declared_kinds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(selecting_attributes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(merging_other_missing_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reader_of_another_context, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
