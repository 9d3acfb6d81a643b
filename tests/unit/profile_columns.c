/* SPDX-License-Identifier: MIT */
/* Profiles of columns: moments and quantiles against those of Python's statistics module, many distinct values, row order
 * and threads, what columns look like, failing allocations. */
#include "model_support.h"
#include "profile/profile_internal.h"

#include "counted_fixture.h"

static crd_status profile_text(const char *text, unsigned threads, uint64_t most_rows, crd_profile **out,
                               crd_error *error) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_reader *reader = NULL;
    options.threads = threads;
    options.block_bytes = 4096;
    *out = NULL;
    crd_status status = crd_reader_open_memory(context, text, strlen(text), NULL, &options, &reader, error);
    if (status == CRD_OK) status = crd_profile_create(context, reader, most_rows, out, error);
    crd_reader_close(reader);
    return status;
}

static crd_profile *profile_of(const char *text, unsigned threads) {
    crd_profile *profile;
    crd_error error;
    assert_done(profile_text(text, threads, 0, &profile, &error), error);
    return profile;
}

static crd_column_profile column_of(const crd_profile *profile, size_t column) {
    crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
    crd_profile_column(profile, column, &facts);
    return facts;
}

static const char small[] = "x,k,v\n3,b,\n1,a,?\n4,b,\n1,c,\n5,,\n9,a,\n2.5,b,\n6,a,\n5,b,\n3,?,\n5,d,\n";

static void test_reference(void **state) {
    (void)state;
    static const double levels[] = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};
    static const double quantiles[] = {1, 1, 2.75, 4, 5, 7.5, 9};
    crd_profile *profile = profile_of(small, 1);
    crd_column_profile x = column_of(profile, 0), k = column_of(profile, 1), v = column_of(profile, 2);
    assert_int_equal(crd_profile_rows(profile), 11);
    assert_int_equal(x.type, CRD_TYPE_NUMERIC);
    assert_int_equal(x.distinct, 7);
    assert_true(x.is_exact && x.least == 1 && x.greatest == 9);
    assert_near(x.mean, 4.045454545454546, 1e-15);
    assert_near(x.deviation, 2.328675003672104, 1e-14);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        assert_near(crd_profile_quantile(profile, 0, levels[i]), quantiles[i], 1e-14);
    assert_true(isnan(crd_profile_quantile(profile, 1, 0.5)) && isnan(crd_profile_quantile(profile, 0, 1.5)));
    assert_int_equal(k.missing, 2);
    assert_int_equal(k.distinct, 4);
    crd_value value;
    uint64_t cells;
    static const char *const order[] = {"b", "a", "c", "d"};
    static const uint64_t counts[] = {4, 3, 1, 1};
    for (size_t i = 0; i < 4; i++) {
        assert_true(crd_profile_frequent(profile, 1, i, &value, &cells));
        assert_true(crd_text_equal(value.text, crd_text_of(order[i])));
        assert_int_equal(cells, counts[i]);
    }
    assert_false(crd_profile_frequent(profile, 1, 4, &value, &cells));
    assert_true(crd_profile_frequent(profile, 0, 0, &value, &cells) && value.number == 5 && cells == 3);
    /* numpy 2: histogram(x, 4) */
    static const double histogram[] = {3, 3, 4, 1};
    double bins[4];
    assert_true(crd_i_profile_histogram(profile, 0, 4, bins));
    for (size_t i = 0; i < 4; i++) assert_true(bins[i] == histogram[i]);
    assert_false(crd_i_profile_histogram(profile, 1, 4, bins) || crd_i_profile_histogram(profile, 2, 4, bins));
    assert_int_equal(v.type, CRD_TYPE_NONE);
    assert_int_equal(v.missing, 11);
    crd_profile_destroy(profile);
}

/* Columns: a permutation of 7 .. 7 + rows - 1, their square roots, the last digit. */
static char *many_rows(size_t rows, size_t step) {
    char *text = malloc(rows * 64 + 64), *end = text;
    assert_non_null(text);
    end += sprintf(end, "index,root,digit\n");
    for (size_t i = 0, index = 0; i < rows; i++, index = (index + step) % rows)
        end += sprintf(end, "%zu,%.17g,%zu\n", index + 7, sqrt((double)index), index % 10);
    return text;
}

static void test_many_values(void **state) {
    (void)state;
    enum { ROWS = 10007 };
    char *straight = many_rows(ROWS, 1), *mixed = many_rows(ROWS, 5003);
    crd_profile *one = profile_of(straight, 1), *other = profile_of(mixed, 3);
    crd_column_profile root = column_of(one, 1), index = column_of(one, 0), digit = column_of(one, 2);
    assert_false(root.is_exact);
    assert_int_equal(root.distinct, 4097);
    assert_true(root.resolution > 0 && root.resolution < 0.1);
    assert_int_equal(index.appearance, CRD_APPEARANCE_ROW_NUMBER);
    assert_int_equal(digit.appearance, CRD_APPEARANCE_PLAIN);
    for (size_t i = 0; i <= 20; i++) {
        double p = (double)i / 20, exact = sqrt(floor(p * (ROWS - 1)));
        assert_near(crd_profile_quantile(one, 1, p), exact, root.resolution + 0.01);
        for (size_t c = 0; c < 3; c++)
            assert_true(crd_profile_quantile(one, c, p) == crd_profile_quantile(other, c, p));
    }
    for (size_t c = 0; c < 3; c++) {
        crd_column_profile a = column_of(one, c), b = column_of(other, c);
        assert_true(a.mean == b.mean && a.deviation == b.deviation && a.distinct == b.distinct);
        assert_true(a.least == b.least && a.greatest == b.greatest && a.appearance == b.appearance);
    }
    crd_profile_destroy(one);
    crd_profile_destroy(other);
    crd_error error;
    assert_done(profile_text(straight, 1, 50, &one, &error), error);
    assert_true(crd_profile_rows(one) >= 50 && crd_profile_rows(one) < ROWS);
    crd_profile_destroy(one);
    free(straight);
    free(mixed);
}

static crd_appearance appearance(size_t rows, const char *const *cells, size_t count) {
    char *text = malloc(rows * 32 + 8), *end = text;
    assert_non_null(text);
    end += sprintf(end, "x,y\n");
    for (size_t i = 0; i < rows; i++) end += sprintf(end, "%s,1\n", cells[i % count]);
    crd_profile *profile = profile_of(text, 1);
    crd_appearance found_appearance = column_of(profile, 0).appearance;
    crd_profile_destroy(profile);
    free(text);
    return found_appearance;
}

static void test_appearances(void **state) {
    (void)state;
    assert_int_equal(appearance(60, (const char *[]){"1", "2", "3"}, 3), CRD_APPEARANCE_CODES);
    assert_int_equal(appearance(60, (const char *[]){"0", "1"}, 2), CRD_APPEARANCE_CODES);
    assert_int_equal(appearance(60, (const char *[]){"0", "1", "2"}, 3), CRD_APPEARANCE_PLAIN);
    assert_int_equal(appearance(60, (const char *[]){"1", "2.5"}, 2), CRD_APPEARANCE_PLAIN);
    assert_int_equal(appearance(20, (const char *[]){"1", "2", "3"}, 3), CRD_APPEARANCE_PLAIN);
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k",
                                        "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v"};
    assert_int_equal(appearance(22, names, 22), CRD_APPEARANCE_IDENTIFIER);
    assert_int_equal(appearance(44, names, 22), CRD_APPEARANCE_PLAIN);
}

static void test_failing_memory(void **state) {
    (void)state;
    crd_profile *profile;
    crd_error error;
    crd_status status = CRD_ERROR_MEMORY;
    for (size_t fail_at = 1; status != CRD_OK; fail_at++) {
        counted.calls = 0;
        counted.fail_at = fail_at;
        status = profile_text(small, 1, 0, &profile, &error);
        counted.fail_at = 0;
        assert_true(status == CRD_OK || (status == CRD_ERROR_MEMORY && profile == NULL));
    }
    crd_profile_destroy(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_appearances),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
