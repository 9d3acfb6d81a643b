/* SPDX-License-Identifier: MIT */
/* What a model keeps of several attributes together: which follows from settings and names, what merging and forgetting
 * do with it, how it is seen, and which files of it are refused. */
#include "evaluate/leave_one_out.h"
#include "model_support.h"

#include "io/section.h"
#include "model/joint_tallies.h"
#include "model/model_parts.h"

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

static const char rows[] = "b,a,d,c,kind\n1,x,2,u,p\n2,y,4,v,q\n3,x,7,u,p\n,y,1,,q\n";

static crd_settings *settings_with(crd_context *context, const char *const *pairs) {
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    for (; *pairs != NULL; pairs += 2)
        assert_done(crd_settings_set(settings, pairs[0], crd_text_of(pairs[1]), &error), error);
    return settings;
}

static crd_status train_with(crd_context *context, const crd_settings *settings, crd_model **out, crd_error *error) {
    crd_reader *reader;
    assert_done(open_text(context, rows, strlen(rows), "kind", &reader, error), *error);
    crd_status status = crd_model_train(context, reader, settings, out, NULL, error);
    crd_reader_close(reader);
    return status;
}

/* Such as "joint-counts, cross-products(a b)". */
static void list_kept(const crd_model *model, char *destination, size_t size) {
    destination[0] = '\0';
    for (size_t i = 0; i < model->joint_tally_count; i++) {
        const crd_i_model_joint_tally *kept = &model->joint_tallies[i];
        size_t length = strlen(destination);
        snprintf(destination + length, size - length, "%s%s", i == 0 ? "" : ", ", kept->joint_tally->type->name);
        assert_int_equal(kept->covers_all, kept->joint_tally->column_count == model->schema->count - 1);
        for (size_t c = 0; !kept->covers_all && c < kept->joint_tally->column_count; c++) {
            crd_text name = model->schema->columns[kept->columns[c]].name;
            length = strlen(destination);
            snprintf(destination + length, size - length, "%c%.*s%s", c == 0 ? '(' : ' ', (int)name.length, name.bytes,
                     c + 1 == kept->joint_tally->column_count ? ")" : "");
        }
    }
}

/* What each setting reads is kept, and no more. */
static void settings_say_what_is_kept(void **state) {
    static const struct {
        const char *name, *value, *kept;
    } cases[] = {
        {"method", "naive", ""},
        {"method", "joint", "joint-counts, cross-products, rows"},
        {"method", "aode", "pair-counts"},
        {"method", "bagging:3", "rows"},
        {"method", "boosting:3", "rows"},
        {"method", "stacking", "cross-products, pair-counts, rows"},
        {"joint", "all", "joint-counts, cross-products, rows"},
        {"joint", "numbers", "cross-products, rows"},
        {"joint", "categories", "joint-counts"},
        {"joint", "d,b", "joint-counts(b d), cross-products(b d), rows"},
        {"joint", "d,b;a,c", "joint-counts(a c), joint-counts(b d), cross-products(a c), cross-products(b d), rows"},
        {"joint", "d,c,b,a", "joint-counts, cross-products, rows"},
        {"joint-mixture", "2", "rows"},
        {"attribute-weights", "fitted", "rows"},
        {"calibration", "platt", "rows"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_settings *settings = settings_with(*state, WITH(cases[i].name, cases[i].value));
        crd_model *model;
        crd_error error;
        char kept[256];
        assert_done(train_with(*state, settings, &model, &error), error);
        list_kept(model, kept, sizeof kept);
        assert_string_equal(kept, cases[i].kept);
        bool is_idle = crd_i_joint_tallies_are_idle(settings);
        assert_int_equal(is_idle, cases[i].kept[0] == '\0' || strcmp(cases[i].name, "joint-mixture") == 0);
        crd_i_leave_one_out *leaving;
        crd_status status = crd_i_leave_one_out_create(model, NULL, &leaving, &error);
        if (!is_idle) assert_int_equal(status, CRD_ERROR_ARGUMENT);
        else assert_done(status, error);
        crd_i_leave_one_out_destroy(leaving);
        crd_model_destroy(model);
        crd_settings_destroy(settings);
    }
}

static void blocks_must_be_of_attributes(void **state) {
    static const char *const joints[] = {"a,e", "b,kind"};
    for (size_t i = 0; i < 2; i++) {
        crd_settings *settings = settings_with(*state, WITH("joint", joints[i]));
        crd_model *model;
        crd_error error;
        assert_int_equal(train_with(*state, settings, &model, &error), CRD_ERROR_COLUMN);
        assert_null(model);
        assert_string_equal(error.subject, i == 0 ? "e" : "kind");
        crd_settings_destroy(settings);
    }
}

/* Names add to what settings keep, each once; and only before the first row. */
static void kept_by_name(void **state) {
    crd_settings *settings = settings_with(*state, WITH("joint", "a,c", "covariance", "diag"));
    crd_model *model, *copy;
    crd_error error;
    crd_reader *reader;
    char kept[256];
    assert_done(open_text(*state, rows, strlen(rows), "kind", &reader, &error), error);
    assert_done(crd_model_train_keeping(*state, reader, settings, crd_text_of("rows, joint-counts,rows,joint-counts"),
                                        &model, NULL, &error),
                error);
    crd_reader_close(reader);
    list_kept(model, kept, sizeof kept);
    assert_string_equal(kept, "joint-counts, joint-counts(a c), cross-products(a c), rows");
    assert_int_equal(crd_model_keep(model, crd_text_of("pair-counts"), &error), CRD_ERROR_ARGUMENT);
    /* What is like it keeps what it keeps, whatever settings it has by now. */
    crd_settings *others = settings_with(*state, WITH("joint", "a,gone", "method", "aode"));
    assert_done(crd_model_set_settings(model, others, &error), error);
    assert_done(crd_i_model_clone(model, &copy, &error), error);
    list_kept(copy, kept, sizeof kept);
    assert_string_equal(kept, "joint-counts, joint-counts(a c), cross-products(a c), rows");
    model_bytes a = bytes_of(model, *state), b = bytes_of(copy, *state);
    assert_same_bytes(a, b);
    free_bytes(a);
    free_bytes(b);
    crd_model_destroy(copy);
    crd_model_destroy(model);
    crd_settings_destroy(others);
    crd_settings_destroy(settings);
}

static void merging_wants_the_same(void **state) {
    static const char *const kept[][2] = {{NULL, "rows"},
                                          {"rows", NULL},
                                          {"joint-counts", "rows"},
                                          {"cross-products,rows", "cross-products,pair-counts,rows"}};
    static const char *const missed[] = {"rows", "rows", "joint-counts", "pair-counts"};
    for (size_t i = 0; i < 4; i++) {
        crd_model *one = trained_keeping(*state, rows, "kind", kept[i][0]);
        crd_model *other = trained_keeping(*state, rows, "kind", kept[i][1]);
        model_bytes before = bytes_of(one, *state);
        crd_error error;
        assert_int_equal(crd_model_merge(one, other, &error), CRD_ERROR_SCHEMA_DIFFERS);
        assert_string_equal(error.subject, missed[i]);
        assert_non_null(strstr(error.message, "train the other again"));
        model_bytes after = bytes_of(one, *state);
        assert_same_bytes(before, after);
        free_bytes(before);
        free_bytes(after);
        crd_model_destroy(one);
        crd_model_destroy(other);
    }
}

static crd_status change(crd_model *model, crd_context *context, const char *text, bool forget, crd_error *error) {
    crd_reader *reader;
    assert_done(open_text(context, text, strlen(text), NULL, &reader, error), *error);
    crd_status status =
        forget ? crd_model_forget_all(model, reader, NULL, error) : crd_model_update_all(model, reader, NULL, error);
    crd_reader_close(reader);
    return status;
}

/* When a column loses its last cell, sums of complete rows cannot go back, and say so; others can. Without rows all are
 * as new. */
static void columns_lose_their_last_cell(void **state) {
    static const char few[] = "x,y,k,kind\n1,,u,p\n2,,v,q\n";
    static const char first[] = "x,y,k,kind\n3,5,u,p\n4,6,v,q\n";
    for (size_t i = 0; i < crd_i_joint_tally_type_count(); i++) {
        const char *name = crd_i_joint_tally_type_at(i)->name;
        crd_model *model = trained_keeping(*state, few, "kind", name);
        model_bytes before = bytes_of(model, *state);
        crd_error error;
        assert_done(change(model, *state, first, false, &error), error);
        model_bytes bytes = bytes_of(model, *state);
        crd_status status = change(model, *state, first, true, &error);
        model_bytes after = bytes_of(model, *state);
        if (strcmp(name, "cross-products") == 0) {
            assert_int_equal(status, CRD_ERROR_CANNOT_FORGET);
            assert_string_equal(error.subject, "y");
            assert_same_bytes(after, bytes);
            assert_done(change(model, *state, few, true, &error), error);
            assert_done(change(model, *state, first, true, &error), error);
            assert_done(change(model, *state, few, false, &error), error);
            free_bytes(after);
            after = bytes_of(model, *state);
        } else {
            assert_done(status, error);
        }
        assert_same_bytes(after, before);
        free_bytes(before);
        free_bytes(bytes);
        free_bytes(after);
        crd_model_destroy(model);
    }
}

/* Columns by name, classes and values in their order, and the rows of each class. */
static void seen_in_order(void **state) {
    crd_model *model = trained_keeping(*state, "z,b,kind\nv2,1,q\nv1,2,p\nv2,3,p\n", "kind", "rows");
    crd_i_schema_view *order;
    crd_i_joint_source seen;
    crd_error error;
    assert_done(crd_i_schema_view_create(model, &order, &error), error);
    assert_done(crd_i_joint_tallies_open(model, &model->joint_tallies[0], order, &seen, &error), error);
    assert_ptr_equal(seen.joint_tally, model->joint_tallies[0].joint_tally);
    assert_true(crd_text_equal(seen.names[0], crd_text_of("b")) && crd_text_equal(seen.names[1], crd_text_of("z")));
    assert_int_equal(seen.view.condition_count, 2);
    assert_int_equal(seen.view.conditions[0], 1); /* p was met second */
    assert_true(seen.class_counts[0] == 2 && seen.class_counts[1] == 1);
    assert_int_equal(seen.view.columns[0].value_count, 0);
    assert_int_equal(seen.view.columns[1].value_count, 2);
    assert_int_equal(seen.view.columns[1].values[0], 1); /* and so was v1 */
    crd_i_joint_tallies_close(&seen);
    crd_i_joint_tallies_close(&seen);
    crd_i_schema_view_destroy(order);
    crd_model_destroy(model);
}

/* ---- Files ---- */

/* Which sections of the file come in which order, a BNDL's text replaced and its columns given anew; see below. */
typedef struct tallies_forgery {
    const char *name;      /* of the first joint tally; NULL: its own */
    int covers_all;        /* -1: as it is */
    uint32_t columns[4];   /* where covers_all is not -1 */
    uint32_t column_count; /* as stated */
    bool twice;            /* the first joint tally is there twice */
    crd_status status;
} tallies_forgery;

static void write_forged(crd_i_section *section, const tallies_forgery *forgery, crd_i_encoder *encoder) {
    crd_i_cursor cursor = section->content;
    crd_text name = crd_i_decode_text(&cursor);
    crd_i_encode_text(encoder, forgery->name == NULL ? name : crd_text_of(forgery->name));
    uint8_t covers_all = crd_i_decode_u8(&cursor);
    uint32_t count = crd_i_decode_u32(&cursor);
    uint32_t columns[4] = {0};
    for (uint32_t i = 0; i < count; i++) columns[i] = crd_i_decode_u32(&cursor);
    if (forgery->covers_all >= 0) {
        covers_all = (uint8_t)forgery->covers_all;
        count = forgery->column_count;
        memcpy(columns, forgery->columns, sizeof columns);
    }
    crd_i_encode_u8(encoder, covers_all);
    crd_i_encode_u32(encoder, count);
    for (uint32_t i = 0; i < count && i < 4; i++) crd_i_encode_u32(encoder, columns[i]);
    crd_i_encode_bytes(encoder, cursor.at, crd_i_cursor_left(&cursor));
}

static crd_status decode_forged(crd_context *context, model_bytes bytes, const tallies_forgery *forgery,
                                crd_error *error) {
    crd_i_section_file file;
    crd_i_section section;
    bool more;
    crd_i_encoder forged = {.buffer = {.context = context}};
    assert_done(crd_i_section_file_open(bytes.bytes, bytes.length, &file, error), *error);
    crd_i_section_file_begin(&forged);
    for (;;) {
        assert_done(crd_i_section_next(&file, &section, &more, error), *error);
        if (!more) break;
        bool is_joint_tally = memcmp(section.tag, "BNDL", 4) == 0;
        for (int times = is_joint_tally && forgery->twice ? 2 : 1; times > 0; times--) {
            size_t begun = crd_i_section_begin(&forged, section.tag, section.version, section.critical);
            if (is_joint_tally) write_forged(&section, forgery, &forged);
            else crd_i_encode_bytes(&forged, section.content.at, crd_i_cursor_left(&section.content));
            crd_i_section_end(&forged, begun);
        }
    }
    crd_i_section_file_end(&forged);
    assert_false(forged.failed);
    crd_model *model;
    crd_status status = crd_model_decode(context, forged.buffer.bytes, forged.buffer.length, &model, error);
    crd_model_destroy(model);
    crd_i_buffer_clear(&forged.buffer);
    return status;
}

/* The columns of the file are b, a, d, c, kind: 0 to 4. */
static void forged_columns_are_refused(void **state) {
    static const tallies_forgery forgeries[] = {
        {.covers_all = -1, .status = CRD_OK},
        {.covers_all = 0, .columns = {1, 0}, .column_count = 2, .status = CRD_OK},
        {.covers_all = 0, .columns = {0, 1}, .column_count = 2, .status = CRD_ERROR_DAMAGED}, /* not by name */
        {.covers_all = 0, .columns = {1, 1}, .column_count = 2, .status = CRD_ERROR_DAMAGED},
        {.covers_all = 0, .columns = {1, 4}, .column_count = 2, .status = CRD_ERROR_DAMAGED}, /* the target */
        {.covers_all = 0, .columns = {1, 5}, .column_count = 2, .status = CRD_ERROR_DAMAGED},
        {.covers_all = 0, .columns = {1}, .column_count = 1, .status = CRD_ERROR_DAMAGED},
        {.covers_all = 0, .column_count = 0, .status = CRD_ERROR_DAMAGED},
        {.covers_all = 0, .columns = {1, 0, 3, 2}, .column_count = 4, .status = CRD_ERROR_DAMAGED}, /* all of them */
        {.covers_all = 0, .columns = {1, 0}, .column_count = UINT32_MAX, .status = CRD_ERROR_DAMAGED},
        {.covers_all = 1, .columns = {1, 0}, .column_count = 2, .status = CRD_ERROR_DAMAGED},
        {.covers_all = 2, .status = CRD_ERROR_DAMAGED},
        {.covers_all = -1, .twice = true, .status = CRD_ERROR_DAMAGED},
        {.covers_all = -1, .name = "sheaves", .status = CRD_ERROR_TOO_NEW},
        {.covers_all = -1, .name = "signs", .status = CRD_ERROR_TOO_NEW},
    };
    crd_settings *settings = settings_with(*state, WITH("joint", "b,a"));
    crd_model *model;
    crd_error error;
    assert_done(train_with(*state, settings, &model, &error), error);
    /* One joint tally alone is left, whose content fits any two columns: there are no rows. */
    assert_done(change(model, *state, rows, true, &error), error);
    for (size_t i = 1; i < model->joint_tally_count; i++) crd_i_joint_tallies_destroy(*state, &model->joint_tallies[i]);
    model->joint_tally_count = 1;
    model_bytes bytes = bytes_of(model, *state);
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        crd_status status = decode_forged(*state, bytes, &forgeries[i], &error);
        if (status != forgeries[i].status) fail_msg("forgery %zu: %s", i, crd_status_name(status));
    }
    free_bytes(bytes);
    crd_model_destroy(model);
    crd_settings_destroy(settings);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(settings_say_what_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blocks_must_be_of_attributes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kept_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(merging_wants_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(columns_lose_their_last_cell, set_up, tear_down),
        cmocka_unit_test_setup_teardown(seen_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forged_columns_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
