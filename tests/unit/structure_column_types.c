/* SPDX-License-Identifier: MIT */
/* What columns are as nodes of a structure: codes are categories, measurements are numbers, a parent of a category is none. */
#include "model_support.h"

enum { COLUMNS = 5 };

/* w: whole numbers that hardly come again; code: few that do; m: measurements; s: words; none: no cells. */
static const char TABLE[] = "w,code,m,s,none\n1,1,0.5,a,\n2,2,1.5,b,\n3,1,2.25,a,\n7,2,3,b,\n5,1,4.5,a,\n";

/* Sets a search, or else arcs. */
static void set_structure(crd_settings *settings, const char *structure) {
    crd_error error;
    const bool is_search = strcmp(structure, "hill-climb") == 0 || strcmp(structure, "tan") == 0;
    assert_done(crd_settings_set(settings, is_search ? "search" : "arcs", crd_text_of(structure), &error), error);
}

static void expect(crd_profile *profile, crd_context *context, const char *structure, const char *target,
                   const int *wanted) {
    crd_settings *settings;
    crd_column_type types[COLUMNS];
    crd_error error;
    const crd_text none = {NULL, 0};
    assert_done(crd_settings_create(context, &settings, &error), error);
    set_structure(settings, structure);
    assert_done(
        crd_structure_column_types(settings, profile, target == NULL ? none : crd_text_of(target), types, &error),
        error);
    for (size_t i = 0; i < COLUMNS; i++) assert_int_equal((int)types[i], wanted[i]);
    crd_settings_destroy(settings);
}

static crd_profile *make_profile(crd_context *context) {
    crd_reader *reader;
    crd_profile *profile;
    crd_error error;
    assert_done(open_text(context, TABLE, sizeof TABLE - 1, NULL, &reader, &error), error);
    assert_done(crd_profile_create(context, reader, 0, &profile, &error), error);
    crd_reader_close(reader);
    assert_int_equal(crd_profile_column_count(profile), COLUMNS);
    return profile;
}

static void kinds_of_columns(void **state) {
    (void)state;
    enum { N = CRD_TYPE_NUMERIC, C = CRD_TYPE_CATEGORICAL, O = CRD_TYPE_NONE };
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_profile *profile = make_profile(context);
    expect(profile, context, "w->m,code", NULL, (int[]){N, C, N, O, O});
    expect(profile, context, "w->s", NULL, (int[]){C, O, O, C, O});
    expect(profile, context, "m->w,w", "w", (int[]){C, O, N, O, O});
    expect(profile, context, "hill-climb", NULL, (int[]){O, C, O, O, O});
    expect(profile, context, "tan", "s", (int[]){O, O, O, O, O});
    expect(profile, context, "none", NULL, (int[]){O, O, O, O, O});
    crd_profile_destroy(profile);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void stated_nodes(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_null(crd_structure_stated_node(settings, 0).bytes);
    assert_done(crd_settings_set(settings, "arcs", crd_text_of("b->a,c"), &error), error);
    assert_true(crd_text_equal(crd_structure_stated_node(settings, 0), crd_text_of("a")));
    assert_true(crd_text_equal(crd_structure_stated_node(settings, 2), crd_text_of("c")));
    assert_null(crd_structure_stated_node(settings, 3).bytes);
    /* An allocation that fails leaves nothing behind. */
    crd_profile *profile = make_profile(context);
    crd_column_type types[COLUMNS];
    counted.calls = 0;
    counted.fail_at = 1;
    assert_int_equal(crd_structure_column_types(settings, profile, (crd_text){NULL, 0}, types, &error),
                     CRD_ERROR_MEMORY);
    counted.fail_at = 0;
    crd_profile_destroy(profile);
    crd_settings_destroy(settings);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Codes are those of all rows: of one of several shards they cannot be told, unless the structure takes columns as they are. */
static void shards_do_not_show_codes(void **state) {
    static const struct {
        const char *structure;
        unsigned count;
        crd_status wanted;
    } cases[] = {{"hill-climb", 2, CRD_ERROR_SETTING},
                 {"code->s", 2, CRD_ERROR_SETTING},
                 {"tan", 2, CRD_OK},
                 {"none", 2, CRD_OK},
                 {"hill-climb", 1, CRD_OK},
                 {"hill-climb", 0, CRD_OK}};
    (void)state;
    crd_context *context;
    crd_error error;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        crd_settings *settings;
        crd_reader *reader;
        options.shard = cases[i].count > 0 ? 1 : 0;
        options.shard_count = cases[i].count;
        assert_done(crd_reader_open_memory(context, TABLE, sizeof TABLE - 1, "table", &options, &reader, &error),
                    error);
        assert_done(crd_settings_create(context, &settings, &error), error);
        set_structure(settings, cases[i].structure);
        assert_int_equal(crd_structure_check_shard(settings, reader, &error), cases[i].wanted);
        crd_settings_destroy(settings);
        crd_reader_close(reader);
    }
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kinds_of_columns), cmocka_unit_test(stated_nodes),
                                       cmocka_unit_test(shards_do_not_show_codes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
