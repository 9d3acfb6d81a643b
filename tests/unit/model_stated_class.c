/* SPDX-License-Identifier: MIT */
/* model_stated_class.c - rows whose class is stated beside them: learned, forgotten and moved to another class. */
#include "model_support.h"

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

static const char DAYS[] = "Outlook,Heat,Play\nSunny,1,Yes\nRain,2,No\nSunny,5,No\nRain,4,Yes\n";
static const char BARE[] = "Outlook,Heat\nFog,7\nSunny,8\n";
static const char AS_NO[] = "Outlook,Heat,Play\nFog,7,No\nSunny,8,No\n";
static const char AS_YES[] = "Outlook,Heat,Play\nFog,7,Yes\nSunny,8,Yes\n";

/* What is done with rows: classes are NULL where rows have their own. */
typedef enum class_action { LEARN, FORGET, MOVE } class_action;

static crd_status treat(crd_model *model, crd_context *context, const char *text, class_action action,
                        const char *start, const char *target, crd_error *error) {
    crd_reader *reader = NULL;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_status status = open_text(context, text, strlen(text), NULL, &reader, error);
    if (status == CRD_OK && action != MOVE && target != NULL)
        status = crd_reader_set_class(reader, crd_text_of(target), error);
    if (status == CRD_OK)
        status = action == LEARN ? crd_model_update_all(model, reader, &facts, error)
                 : action == FORGET
                     ? crd_model_forget_all(model, reader, &facts, error)
                     : crd_model_move_all(model, reader, crd_text_of(start), crd_text_of(target), &facts, error);
    if (status == CRD_OK) assert_int_equal(facts.rows, 2);
    crd_reader_close(reader);
    return status;
}

static void must(crd_model *model, crd_context *context, const char *text, class_action action, const char *start,
                 const char *target) {
    crd_error error;
    assert_done(treat(model, context, text, action, start, target, &error), error);
}

static void assert_same(const crd_model *a, const crd_model *b, crd_context *context) {
    model_bytes one = bytes_of(a, context), other = bytes_of(b, context);
    assert_same_bytes(one, other);
    free_bytes(one);
    free_bytes(other);
}

static void is_the_same_as_a_column(void **state) {
    const joint_tally_names every = every_joint_tally();
    const char *const kept[] = {NULL, every.text};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        crd_model *model = trained_keeping(*state, DAYS, "Play", kept[i]);
        crd_model *other = trained_keeping(*state, DAYS, "Play", kept[i]);
        must(model, *state, BARE, LEARN, NULL, "No");
        must(other, *state, AS_NO, LEARN, NULL, NULL);
        assert_same(model, other, *state);
        must(model, *state, BARE, MOVE, "No", "Yes");
        must(other, *state, AS_NO, FORGET, NULL, NULL);
        must(other, *state, AS_YES, LEARN, NULL, NULL);
        assert_same(model, other, *state);
        must(model, *state, BARE, MOVE, "Yes", "Perhaps"); /* a new class */
        must(model, *state, BARE, FORGET, NULL, "Perhaps");
        must(other, *state, AS_YES, FORGET, NULL, NULL);
        assert_same(model, other, *state);
        crd_model_destroy(model);
        crd_model_destroy(other);
    }
}

static void what_is_refused_changes_nothing(void **state) {
    crd_model *model = trained(*state, DAYS, "Play"), *before = trained(*state, DAYS, "Play");
    crd_error error;
    assert_int_equal(treat(model, *state, AS_NO, LEARN, NULL, "No", &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message,
                        "the rows are assigned to class 'No', but have their own classes in column 'Play'");
    assert_string_equal(error.subject, "Play");
    assert_int_equal(treat(model, *state, BARE, LEARN, NULL, NULL, &error), CRD_ERROR_COLUMN);
    assert_int_equal(treat(model, *state, BARE, FORGET, NULL, "Yes", &error), CRD_ERROR_NOT_LEARNED);
    assert_int_equal(treat(model, *state, BARE, MOVE, "No", "Yes", &error), CRD_ERROR_NOT_LEARNED);
    assert_int_equal(treat(model, *state, BARE, LEARN, NULL, "", &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(treat(model, *state, BARE, MOVE, "\xFF", "Yes", &error), CRD_ERROR_ARGUMENT);
    assert_same(model, before, *state);
    /* Cells of the target that are missing are no class. */
    must(model, *state, "Outlook,Heat,Play\nFog,7,\nSunny,8,?\n", LEARN, NULL, "No");
    must(before, *state, AS_NO, LEARN, NULL, NULL);
    assert_same(model, before, *state);
    crd_model_destroy(model);
    crd_model_destroy(before);
}

static void memory_runs_out(void **state) {
    (void)state;
    allocations allocator = {0};
    crd_context *context = counted_context(&allocator);
    crd_model *model = trained_keeping(context, DAYS, "Play", "rows"),
              *before = trained_keeping(context, DAYS, "Play", "rows");
    must(model, context, BARE, LEARN, NULL, "No");
    must(before, context, BARE, LEARN, NULL, "No");
    crd_status status = CRD_ERROR_MEMORY;
    for (size_t fails = 1; status != CRD_OK; fails++) {
        crd_error error;
        allocator.fail_at = allocator.calls + fails;
        status = treat(model, context, BARE, MOVE, "No", "Yes", &error);
        allocator.fail_at = 0;
        assert_true(status == CRD_OK || status == CRD_ERROR_MEMORY);
        if (status != CRD_OK) assert_same(model, before, context);
    }
    crd_model_destroy(model);
    crd_model_destroy(before);
    crd_context_destroy(context);
    assert_int_equal(allocator.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(is_the_same_as_a_column, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_refused_changes_nothing, set_up, tear_down),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
