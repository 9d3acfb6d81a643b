/* SPDX-License-Identifier: MIT */
/* Each allocation of training, changing, asking, writing and reading fails in turn: an error every time, nothing that
 * existed before has changed, and nothing is leaked. */
#include "model/model_parts.h"
#include "model_support.h"

static const char rows[] = "size,color,weight,kind\n"
                           "1.5,red,3,apple\n"
                           "?,green,1e300,pear\n"
                           "2,red,-4e-300,apple\n"
                           "7,\"a,b\",2,fig\n"
                           "3,blue,?,\n";
static const char more[] = "size,color,weight,kind\n"
                           "1e200,violet,5,plum\n"
                           "-3,red,8,apple\n";

static const char weighed[] = "size,times,color,kind\n1.5,2,red,apple\n2,0.1,?,pear\n7,1e-300,red,pear\n4,0,blue,fig\n";
static const char more_weighed[] = "size,times,color,kind\n3,1e-9,violet,plum\n";

typedef struct model_objects {
    crd_reader *reader;
    crd_model *model, *other, *decoded;
    crd_classifier *classifier;
    crd_posteriors *posteriors;
    crd_summary *summary;
    crd_settings *settings;
    unsigned char *bytes;
    char *exact;
} model_objects;

static void destroy(model_objects *objects, crd_context *context) {
    crd_reader_close(objects->reader);
    crd_model_destroy(objects->model);
    crd_model_destroy(objects->other);
    crd_model_destroy(objects->decoded);
    crd_classifier_destroy(objects->classifier);
    crd_posteriors_destroy(objects->posteriors);
    crd_summary_destroy(objects->summary);
    crd_settings_destroy(objects->settings);
    crd_free(context, objects->bytes);
    crd_free(context, objects->exact);
}

static crd_status look_inside(model_objects *objects, crd_error *error) {
    crd_status status = crd_summary_create(objects->model, &objects->summary, error);
    if (status == CRD_OK) status = crd_i_summary_exact(objects->summary, 0, 0, 2, &objects->exact, error);
    return status;
}

static crd_status ask(model_objects *objects, crd_context *context, crd_error *error) {
    static const char *const settings[][2] = {{"smoothing", "m:2:marginal"},
                                              {"pool-variance", "all"},
                                              {"variance", "sample"},
                                              {"prior", "apple=0.5,fig=0.25,\"pear=0.125\",plum=0.125"}};
    crd_status status = crd_settings_create(context, &objects->settings, error);
    for (size_t i = 0; status == CRD_OK && i < sizeof settings / sizeof *settings; i++)
        status = crd_settings_set(objects->settings, settings[i][0], crd_text_of(settings[i][1]), error);
    if (status == CRD_OK)
        status = crd_classifier_create(objects->model, objects->settings, &objects->classifier, error);
    if (status == CRD_OK) status = crd_posteriors_create(context, &objects->posteriors, error);
    if (status == CRD_OK) status = open_text(context, more, strlen(more), NULL, &objects->reader, error);
    if (status == CRD_OK) status = crd_model_bind(objects->model, objects->reader, error);
    const crd_frame *frame = NULL;
    if (status == CRD_OK) status = crd_reader_next(objects->reader, &frame, error);
    if (status == CRD_OK) status = crd_classifier_classify(objects->classifier, frame, objects->posteriors, error);
    crd_cut_point cuts[16];
    size_t count;
    if (status == CRD_OK) status = crd_classifier_cut_points(objects->classifier, 0, cuts, 16, &count, error);
    return status;
}

static crd_status whole_life(model_objects *objects, crd_context *context, crd_error *error) {
    size_t length;
    crd_status status = train_text(context, rows, "kind", &objects->model, error);
    if (status == CRD_OK) status = train_text(context, more, "kind", &objects->other, error);
    if (status == CRD_OK) status = crd_model_merge(objects->model, objects->other, error);
    if (status == CRD_OK) status = crd_model_encode(objects->model, &objects->bytes, &length, error);
    if (status == CRD_OK) status = crd_model_decode(context, objects->bytes, length, &objects->decoded, error);
    if (status == CRD_OK) status = look_inside(objects, error);
    if (status == CRD_OK) status = ask(objects, context, error);
    return status;
}

static crd_status train_weighed(crd_context *context, crd_model **out, crd_error *error) {
    crd_reader *reader = NULL;
    *out = NULL;
    crd_status status = open_text(context, weighed, strlen(weighed), "kind", &reader, error);
    if (status == CRD_OK) status = crd_reader_set_weight(reader, 1, error);
    if (status == CRD_OK) status = crd_model_train(context, reader, NULL, out, NULL, error);
    crd_reader_close(reader);
    return status;
}

static crd_status weighed_life(model_objects *objects, crd_context *context, crd_error *error) {
    size_t length;
    crd_status status = train_weighed(context, &objects->model, error);
    if (status == CRD_OK) status = crd_model_encode(objects->model, &objects->bytes, &length, error);
    if (status == CRD_OK) status = crd_model_decode(context, objects->bytes, length, &objects->decoded, error);
    if (status == CRD_OK)
        status = open_text(context, more_weighed, strlen(more_weighed), NULL, &objects->reader, error);
    if (status == CRD_OK) status = crd_model_update_all(objects->model, objects->reader, NULL, error);
    if (status == CRD_OK) status = crd_model_merge(objects->decoded, objects->model, error);
    if (status == CRD_OK) status = crd_classifier_create(objects->decoded, NULL, &objects->classifier, error);
    return status;
}

/* Something of everything: numbers and categories with gaps, classes and values that come later. */
static crd_status joint_tally_life(model_objects *objects, crd_context *context, crd_error *error) {
    joint_tally_names kept = every_joint_tally();
    size_t length;
    crd_status status = train_keeping(context, rows, "kind", kept.text, &objects->model, error);
    if (status == CRD_OK) status = train_keeping(context, more, "kind", kept.text, &objects->other, error);
    if (status == CRD_OK) status = crd_model_merge(objects->model, objects->other, error);
    if (status == CRD_OK) status = crd_model_encode(objects->model, &objects->bytes, &length, error);
    if (status == CRD_OK) status = crd_model_decode(context, objects->bytes, length, &objects->decoded, error);
    if (status == CRD_OK) status = crd_summary_create(objects->decoded, &objects->summary, error);
    return status;
}

/* A row for each of so many values and classes, so that counts are kept, written and derived one by one. */
static crd_status sparse_life(model_objects *objects, crd_context *context, crd_error *error) {
    enum { ROWS = 1450, ROOM = 16 * ROWS };
    char text[ROOM], *destination = text + sprintf(text, "a,kind\n");
    size_t length;
    for (int row = 0; row < ROWS; row++) destination += sprintf(destination, "v%d,k%d\n", row, row);
    crd_status status = train_text(context, text, "kind", &objects->model, error);
    if (status == CRD_OK) status = train_text(context, "a,kind\nv1,k2\nw,k\n", "kind", &objects->other, error);
    if (status == CRD_OK) status = crd_model_merge(objects->model, objects->other, error);
    if (status == CRD_OK) status = crd_model_encode(objects->model, &objects->bytes, &length, error);
    if (status == CRD_OK) status = crd_model_decode(context, objects->bytes, length, &objects->decoded, error);
    if (status == CRD_OK) status = crd_summary_create(objects->decoded, &objects->summary, error);
    if (status == CRD_OK) status = crd_classifier_create(objects->decoded, NULL, &objects->classifier, error);
    return status;
}

static crd_status train_texts(crd_context *context, const char *text, crd_model **out, crd_error *error) {
    crd_reader *reader = NULL;
    *out = NULL;
    crd_status status = open_text(context, text, strlen(text), "kind", &reader, error);
    if (status == CRD_OK) status = crd_reader_set_column_type(reader, 1, CRD_TYPE_TEXT, error);
    if (status == CRD_OK) status = crd_reader_set_weight(reader, 2, error);
    if (status == CRD_OK) status = crd_model_train(context, reader, NULL, out, NULL, error);
    crd_reader_close(reader);
    return status;
}

/* Stores of terms that are merged, subtracted and read again, with weights that are no whole numbers. */
static crd_status text_life(model_objects *objects, crd_context *context, crd_error *error) {
    size_t length;
    crd_status status = train_texts(context, "kind,body,w\na,one two two,1\nb,three,0.1\n", &objects->model, error);
    if (status == CRD_OK) status = train_texts(context, "kind,body,w\nc,two four,0.1\nb,,1\n", &objects->other, error);
    if (status == CRD_OK) status = crd_model_merge(objects->model, objects->other, error);
    if (status == CRD_OK) status = crd_model_encode(objects->model, &objects->bytes, &length, error);
    if (status == CRD_OK) status = crd_model_decode(context, objects->bytes, length, &objects->decoded, error);
    const char gone[] = "kind,body,w\nc,four two,0.1\n";
    if (status == CRD_OK) status = open_text(context, gone, strlen(gone), NULL, &objects->reader, error);
    if (status == CRD_OK) status = crd_model_forget_all(objects->decoded, objects->reader, NULL, error);
    if (status == CRD_OK) status = crd_summary_create(objects->decoded, &objects->summary, error);
    return status;
}

/* Parts that have ids, merged as bytes and retracted. */
static crd_status part_life(model_objects *objects, crd_context *context, crd_error *error) {
    size_t length, count;
    crd_text *ids = NULL;
    crd_status status = train_text(context, rows, "kind", &objects->model, error);
    if (status == CRD_OK) status = train_text(context, more, "kind", &objects->other, error);
    if (status == CRD_OK) status = crd_model_set_part(objects->model, crd_text_of("one"), error);
    if (status == CRD_OK) status = crd_model_set_part(objects->other, crd_text_of("two"), error);
    if (status == CRD_OK) status = crd_model_encode(objects->other, &objects->bytes, &length, error);
    if (status == CRD_OK) status = crd_model_merge_bytes(objects->model, objects->bytes, length, error);
    if (status == CRD_OK) status = crd_model_list_parts(objects->model, &ids, &count, error);
    crd_free(context, ids);
    if (status == CRD_OK) status = crd_model_retract(objects->model, objects->other, error);
    return status;
}

typedef crd_status model_living(model_objects *objects, crd_context *context, crd_error *error);

static void fail_each_allocation(model_living *life) {
    for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
        model_objects objects = {0};
        crd_error error;
        assert_allocation_fails(&trial, life(&objects, trial.context, &error), CRD_OK, error);
        destroy(&objects, trial.context);
    }
}

static void every_allocation_of_a_life(void **state) {
    (void)state;
    fail_each_allocation(whole_life);
    fail_each_allocation(weighed_life);
    fail_each_allocation(joint_tally_life);
    fail_each_allocation(sparse_life);
    fail_each_allocation(text_life);
    fail_each_allocation(part_life);
}

/* Learning, forgetting, merging: what they would have changed is as it was. */
typedef crd_status (*model_changing)(crd_model *model, crd_context *context, crd_error *error);

static crd_status change_by_file(crd_model *model, crd_context *context, bool forget, const char *text,
                                 crd_error *error) {
    crd_reader *reader;
    crd_status status = open_text(context, text, strlen(text), NULL, &reader, error);
    if (status != CRD_OK) return status;
    status =
        forget ? crd_model_forget_all(model, reader, NULL, error) : crd_model_update_all(model, reader, NULL, error);
    crd_reader_close(reader);
    return status;
}

static crd_status updating(crd_model *model, crd_context *context, crd_error *error) {
    return change_by_file(model, context, false, more, error);
}

static crd_status forgetting(crd_model *model, crd_context *context, crd_error *error) {
    return change_by_file(model, context, true, "size,color,weight,kind\n2,red,-4e-300,apple\n7,\"a,b\",2,fig\n",
                          error);
}

static crd_status merging_itself(crd_model *model, crd_context *context, crd_error *error) {
    (void)context;
    return crd_model_merge(model, model, error);
}

static crd_status copied(const crd_model *model, crd_context *context, crd_model **out, crd_error *error) {
    unsigned char *bytes;
    size_t length;
    crd_status status = crd_model_encode(model, &bytes, &length, error);
    if (status == CRD_OK) status = crd_model_decode(context, bytes, length, out, error);
    crd_free(context, bytes);
    return status;
}

/* With an id, so that what fails leaves the manifest too. */
static crd_status merging_a_part(crd_model *model, crd_context *context, crd_error *error) {
    crd_model *part = NULL;
    crd_status status = copied(model, context, &part, error);
    if (status == CRD_OK) status = crd_model_set_part(part, crd_text_of("part"), error);
    if (status == CRD_OK) status = crd_model_merge(model, part, error);
    crd_model_destroy(part);
    return status;
}

static crd_status retracting_itself(crd_model *model, crd_context *context, crd_error *error) {
    (void)context;
    return crd_model_retract(model, model, error);
}

static void failing_changes(const char *kept) {
    static const model_changing ways[] = {updating, forgetting, merging_itself, merging_a_part, retracting_itself};
    const size_t count = kept == NULL ? sizeof ways / sizeof *ways : 3; /* manifests need no further tallies */
    for (size_t way = 0; way < count; way++)
        for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
            crd_model *model = trained_keeping(trial.context, rows, "kind", kept);
            model_bytes before = bytes_of(model, trial.context);
            crd_error error;
            assert_allocation_fails(&trial, ways[way](model, trial.context, &error), CRD_OK, error);
            model_bytes after = bytes_of(model, trial.context);
            if (trial.has_failed) assert_same_bytes(before, after);
            free_bytes(before);
            free_bytes(after);
            crd_model_destroy(model);
        }
}

static void failed_changes_change_nothing(void **state) {
    (void)state;
    joint_tally_names every = every_joint_tally();
    failing_changes(NULL);
    failing_changes("signs,logs,histogram");
    failing_changes(every.text);
}

/* A model that could not learn some rows learns others as if nothing had been: room that was made half must not show.
 * New classes and new values by turns make tables of counts grow both ways. */
static void learning_after_a_failure(const char *kept) {
    static const char *const first = "x,y\na,k1\nb,k2\nc,k3\nd,k4\na,k5\nb,k6\nc,k7\nd,k8\n";
    static const char *const second = "x,y\nnew,k9\n";
    static const char *const third = "x,y\na,l1\nb,l2\nc,l3\nd,l4\na,l5\nb,l6\nc,l7\nd,l8\na,l9\n";
    for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
        crd_model *model = trained_keeping(trial.context, first, "y", kept);
        crd_model *untroubled = trained_keeping(trial.context, first, "y", kept);
        crd_error error;
        assert_allocation_fails(&trial, change_by_file(model, trial.context, false, second, &error), CRD_OK, error);
        if (!trial.has_failed) assert_done(change_by_file(untroubled, trial.context, false, second, &error), error);
        assert_done(change_by_file(model, trial.context, false, third, &error), error);
        assert_done(change_by_file(untroubled, trial.context, false, third, &error), error);
        model_bytes got = bytes_of(model, trial.context), wanted = bytes_of(untroubled, trial.context);
        assert_same_bytes(got, wanted);
        free_bytes(got);
        free_bytes(wanted);
        crd_model_destroy(model);
        crd_model_destroy(untroubled);
    }
}

static void a_failed_change_leaves_a_model_that_learns(void **state) {
    (void)state;
    joint_tally_names every = every_joint_tally();
    learning_after_a_failure(NULL);
    learning_after_a_failure(every.text);
}

static void a_row_allocates_nothing(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_model *model = trained(context, rows, "kind");
    crd_classifier *classifier;
    crd_error error;
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    crd_value values[] = {number_value(2), text_value("red"), text_value("12")};
    double logs[8];
    crd_answer answer;
    size_t calls = counted.calls;
    assert_done(crd_classifier_posterior(classifier, values, logs, NULL, &answer, &error), error);
    assert_int_equal(counted.calls, calls);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_a_life),
        cmocka_unit_test(failed_changes_change_nothing),
        cmocka_unit_test(a_failed_change_leaves_a_model_that_learns),
        cmocka_unit_test(a_row_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
