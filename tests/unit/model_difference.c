/* SPDX-License-Identifier: MIT */
/* Two models compared, the first difference named; and models merged as bytes. */
#include "model_support.h"

#include "counted_fixture.h"

static const char BASE[] = "x,c,y\n1,u,k\n2,v,l\n3,u,k\n4,v,l\n";

static crd_model_difference compared(const crd_model *a, const crd_model *b) {
    crd_model_difference difference = CRD_MODEL_DIFFERENCE_INIT;
    crd_error error;
    assert_done(crd_model_compare(a, b, &difference, &error), error);
    return difference;
}

static void test_first_difference(void **state) {
    (void)state;
    static const struct {
        const char *text, *target, *kept;
        crd_model_aspect aspect;
        const char *subject;
    } cases[] = {
        {"x,c,y\n4,v,l\n3,u,k\n2,v,l\n1,u,k\n", "y", NULL, CRD_MODEL_EQUAL, ""},
        {BASE, "c", NULL, CRD_MODEL_SCHEMA, "y"},
        {"x,d,y\n1,u,k\n2,v,l\n3,u,k\n4,v,l\n", "y", NULL, CRD_MODEL_SCHEMA, "c"},
        {"x,c,y\n1,5,k\n2,6,l\n3,5,k\n4,6,l\n", "y", NULL, CRD_MODEL_SCHEMA, "c"},
        {"x,c,d,y\n1,u,1,k\n2,v,1,l\n3,u,1,k\n4,v,1,l\n", "y", NULL, CRD_MODEL_SCHEMA, "d"},
        {BASE, "y", "histogram", CRD_MODEL_TALLIES, ""},
        {"x,c,y\n1,u,k\n2,v,l\n3,u,k\n4,v,m\n", "y", NULL, CRD_MODEL_CLASS_ROWS, "l"},
        {"x,c,y\n1,u,k\n2,v,l\n3,u,k\n4,v,l\n4,v,l\n", "y", NULL, CRD_MODEL_CLASS_ROWS, "l"},
        {"x,c,y\n1,u,k\n2,v,l\n3,u,k\n,v,l\n", "y", NULL, CRD_MODEL_COUNTS, "x"},
        {"x,c,y\n1,u,k\n2,v,l\n3,u,k\n5,v,l\n", "y", NULL, CRD_MODEL_COUNTS, "x"},
        {"x,c,y\n1,u,k\n2,v,l\n3,u,k\n4,w,l\n", "y", NULL, CRD_MODEL_COUNTS, "c"},
        {"x,c,y\n1,u,k\n2,v,l\n3,v,k\n4,v,l\n", "y", NULL, CRD_MODEL_COUNTS, "c"},
    };
    crd_model *base = trained(context, BASE, "y");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_model *other = trained_keeping(context, cases[i].text, cases[i].target, cases[i].kept);
        crd_model_difference difference = compared(base, other);
        if (difference.aspect != cases[i].aspect)
            fail_msg("case %zu: %d, %s", i, (int)difference.aspect, difference.message);
        assert_string_equal(difference.subject, cases[i].subject);
        assert_int_equal(difference.message[0] == '\0', difference.aspect == CRD_MODEL_EQUAL);
        crd_model_destroy(other);
    }
    crd_model_destroy(base);
}

static void test_settings_and_kinds(void **state) {
    (void)state;
    crd_error error;
    crd_settings *settings;
    crd_hypotheses *hypotheses;
    crd_model *base = trained(context, BASE, "y"), *other = trained(context, BASE, "y"), *combined;
    assert_done(crd_settings_clone(crd_model_settings(other), &settings, &error), error);
    assert_done(crd_settings_set(settings, "smoothing", crd_text_of("none"), &error), error);
    assert_done(crd_model_set_settings(other, settings, &error), error);
    crd_model_difference difference = compared(base, other);
    assert_int_equal(difference.aspect, CRD_MODEL_SETTINGS);
    assert_string_equal(difference.subject, "smoothing");
    assert_done(crd_hypotheses_create(context, &hypotheses, &error), error);
    assert_done(crd_hypotheses_add(hypotheses, crd_text_of("a"), base, 1, &error), error);
    assert_done(crd_hypotheses_combine(hypotheses, CRD_COMBINE_OPTIMAL, 0, &combined, &error), error);
    assert_int_equal(compared(base, combined).aspect, CRD_MODEL_KIND);
    assert_int_equal(compared(combined, combined).aspect, CRD_MODEL_EQUAL);
    crd_hypotheses_destroy(hypotheses);
    crd_settings_destroy(settings);
    crd_model_destroy(combined);
    crd_model_destroy(other);
    crd_model_destroy(base);
}

static void test_merged_as_bytes(void **state) {
    (void)state;
    crd_error error;
    crd_model *one = trained(context, BASE, "y"), *two = trained(context, BASE, "y"),
              *same = trained(context, BASE, "y");
    model_bytes bytes = bytes_of(two, context);
    assert_done(crd_model_merge_bytes(one, bytes.bytes, bytes.length, &error), error);
    assert_done(crd_model_merge(same, two, &error), error);
    assert_int_equal(compared(one, same).aspect, CRD_MODEL_EQUAL);
    /* What cannot be read changes nothing. */
    assert_int_equal(crd_model_merge_bytes(one, bytes.bytes, bytes.length - 1, &error), CRD_ERROR_DAMAGED);
    assert_int_equal(compared(one, same).aspect, CRD_MODEL_EQUAL);
    free_bytes(bytes);
    crd_model_destroy(one);
    crd_model_destroy(two);
    crd_model_destroy(same);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_difference),
        cmocka_unit_test(test_settings_and_kinds),
        cmocka_unit_test(test_merged_as_bytes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
