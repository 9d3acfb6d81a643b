/* SPDX-License-Identifier: MIT */
/* Models that count a network without a target: every row is learned, nothing is classified, and files that say
 * otherwise are refused. */
#include "network_support.h"

#include "io/section.h"
#include "model/model_internal.h"

#include <credence/combine.h>
#include <credence/explain.h>
#include <credence/rows.h>

#include "counted_fixture.h"

/* Of a five rows are known, of a and b four, of b and c two. The third row has nothing but a number. */
static const char rows[] = "a,b,c,n\nx,u,p,1\nx,u,,2\n,,,3\ny,v,q,4\ny,u,,5\nx,,p,6\n";
static const char structure[] = "a->b,b->c";

static crd_settings *settings_with(const char *const *pairs) {
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    for (; *pairs != NULL; pairs += 2)
        assert_done(crd_settings_set(settings, pairs[0], crd_text_of(pairs[1]), &error), error);
    return settings;
}

static crd_status train(const char *text, const char *target, const char *const *pairs, crd_model **out,
                        crd_read_facts *facts, crd_error *error) {
    crd_settings *settings = settings_with(pairs);
    crd_reader *reader = NULL;
    crd_status status = open_text(context, text, strlen(text), target, &reader, error);
    *out = NULL;
    if (status == CRD_OK) status = crd_model_train(context, reader, settings, out, facts, error);
    crd_reader_close(reader);
    crd_settings_destroy(settings);
    return status;
}

static crd_model *counted_model(void) {
    crd_model *model;
    crd_error error;
    assert_done(
        train(rows, NULL, WITH("method", "network", "arcs", structure, "smoothing", "none"), &model, NULL, &error),
        error);
    return model;
}

static void assert_table(const crd_network *network, const char *name, const double *wanted, size_t cells) {
    size_t row_count = 0, node = crd_network_find(network, crd_text_of(name));
    assert_true(node < crd_network_node_count(network));
    const double *table = crd_network_cpt(network, node, &row_count);
    assert_int_equal(row_count * crd_network_state_count(network, node), cells);
    for (size_t i = 0; i < cells; i++)
        if (table[i] != wanted[i]) fail_msg("cell %zu of %s is %.17g, not %.17g", i, name, table[i], wanted[i]);
}

static void no_row_is_skipped(void **state) {
    (void)state;
    crd_model *model;
    crd_network *network;
    crd_summary *summary;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_error error;
    assert_done(
        train(rows, NULL, WITH("method", "network", "arcs", structure, "smoothing", "none"), &model, &facts, &error),
        error);
    assert_int_equal(facts.rows, 6);
    assert_int_equal(facts.skipped, 0);
    assert_null(crd_model_target(model).bytes);
    assert_done(crd_network_from_model(model, NULL, &network, &error), error);
    assert_int_equal(crd_network_node_count(network), 3);
    assert_table(network, "a", (const double[]){3 / 5., 2 / 5.}, 2);
    assert_table(network, "b", (const double[]){1, 0, 1 / 2., 1 / 2.}, 4);
    assert_table(network, "c", (const double[]){1, 0, 0, 1}, 4);
    assert_done(crd_summary_create(model, &summary, &error), error);
    assert_null(summary->target.bytes);
    assert_int_equal(summary->attribute_count, 4);
    assert_true(summary->rows == 6);
    assert_true(crd_summary_present(summary, 0, 0) == 5);
    crd_summary_destroy(summary);
    crd_network_destroy(network);
    crd_model_destroy(model);
}

static void assert_no_target(crd_status status, const crd_error *error) {
    assert_int_equal(status, CRD_ERROR_SETTING);
    assert_non_null(strstr(error->message, "no target"));
}

static void nothing_is_classified(void **state) {
    (void)state;
    crd_model *model = counted_model();
    crd_classifier *classifier;
    crd_dependence *dependence;
    crd_network *network;
    crd_error error;
    assert_no_target(crd_classifier_create(model, NULL, &classifier, &error), &error);
    assert_null(classifier);
    assert_no_target(crd_dependence_create(model, &dependence, &error), &error);
    const double numbers[4] = {1, 2, 3, 4};
    const int32_t class = 0;
    const crd_text name = crd_text_of("");
    crd_rows added = CRD_ROWS_INIT;
    added.values = numbers;
    added.rows = 1;
    added.columns = 4;
    added.classes = &class;
    added.names = &name;
    added.class_count = 1;
    assert_no_target(crd_model_update_rows(model, &added, &error), &error);
    /* Naive Bayes has a class, and so have the arcs of a network without a structure. */
    crd_settings *naive = settings_with(WITH("method", "naive")), *bare = settings_with(WITH("method", "network"));
    assert_no_target(crd_network_from_model(model, naive, &network, &error), &error);
    assert_no_target(crd_network_from_model(model, bare, &network, &error), &error);
    crd_settings_destroy(naive);
    crd_settings_destroy(bare);
    crd_settings *prior = settings_with(WITH("method", "network", "arcs", structure, "prior", "uniform"));
    assert_no_target(crd_network_from_model(model, prior, &network, &error), &error);
    crd_settings_destroy(prior);
    crd_model_destroy(model);
}

/* Only what counts a stated network does without a target. */
static void others_need_a_target(void **state) {
    (void)state;
    crd_model *model;
    crd_error error;
    assert_int_equal(train(rows, NULL, WITH("method", "naive"), &model, NULL, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(train(rows, NULL, WITH("method", "network"), &model, NULL, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(train(rows, NULL, WITH("arcs", structure), &model, NULL, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(train(rows, NULL, WITH("method", "network", "arcs", "a->nobody"), &model, NULL, &error),
                     CRD_ERROR_COLUMN);
    assert_int_equal(train("a,b,c\n", NULL, WITH("method", "network", "arcs", structure), &model, NULL, &error),
                     CRD_ERROR_EMPTY);
    assert_string_equal(error.message, "no rows to learn from");
}

static void models_with_and_without_do_not_meet(void **state) {
    (void)state;
    crd_model *without = counted_model(), *target_model;
    crd_error error;
    assert_done(train(rows, "c", WITH("method", "network", "arcs", structure, "smoothing", "none"), &target_model, NULL,
                      &error),
                error);
    assert_int_equal(crd_model_merge(without, target_model, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_string_equal(error.message, "column 'c' is the target of one model, but the other has no target");
    assert_int_equal(crd_model_merge(target_model, without, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_string_equal(error.message, "column 'c' is the target of one model, but the other has no target");
    crd_model_destroy(target_model);
    crd_model_destroy(without);
}

static void what_was_not_learned_is_named_without_a_class(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } wanted[] = {
        {"a,b,c,n\nx,v,,\nx,v,,\n", "attribute 'b', value 'v' would be left with -1 rows"},
        {"a,b,c,n\n,,,\n,,,\n,,,\n,,,\n,,,\n,,,\n,,,\n", "the model would be left with -1 rows"},
        {"a,b,c,n\n,,,\n,,,\n", "attribute 'a' would be left with 5 values in 4 rows"},
    };
    crd_model *model = counted_model();
    model_bytes before = bytes_of(model, context);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        crd_reader *reader;
        crd_error error;
        assert_done(open_text(context, wanted[i].text, strlen(wanted[i].text), NULL, &reader, &error), error);
        assert_int_equal(crd_model_forget_all(model, reader, NULL, &error), CRD_ERROR_NOT_LEARNED);
        if (strstr(error.message, wanted[i].message) == NULL) fail_msg("%s", error.message);
        crd_reader_close(reader);
    }
    model_bytes after = bytes_of(model, context);
    assert_same_bytes(before, after);
    free_bytes(before);
    free_bytes(after);
    crd_model_destroy(model);
}

/* ---- Files ---- */

/* The sections with the name of the only class changed, or with the version that schemas with a target have. */
static model_bytes forge(model_bytes source, bool has_class, uint32_t version, crd_i_encoder *forged) {
    crd_i_section_file file;
    crd_i_section section;
    crd_error error;
    bool more;
    memset(forged, 0, sizeof *forged);
    forged->buffer.context = context;
    assert_done(crd_i_section_file_open(source.bytes, source.length, &file, &error), error);
    crd_i_section_file_begin(forged);
    for (;;) {
        assert_done(crd_i_section_next(&file, &section, &more, &error), error);
        if (!more) break;
        bool is_schema = memcmp(section.tag, "SCHM", 4) == 0, is_classes = memcmp(section.tag, "CLAS", 4) == 0;
        if (is_schema) assert_int_equal(section.version, 2);
        else assert_int_equal(section.version, 1);
        size_t begun = crd_i_section_begin(forged, section.tag, is_schema ? version : section.version, true);
        size_t length = crd_i_cursor_left(&section.content), head = 0;
        if (is_classes && has_class) {
            /* Behind the tally's name and the number of classes. */
            head = 4 + strlen("counts") + 4;
            crd_i_encode_bytes(forged, section.content.at, head);
            crd_i_encode_text(forged, crd_text_of("x"));
            head += 4;
        }
        crd_i_encode_bytes(forged, section.content.at + head, length - head);
        crd_i_section_end(forged, begun);
    }
    crd_i_section_file_end(forged);
    assert_false(forged->failed);
    const model_bytes model = {context, forged->buffer.bytes, forged->buffer.length};
    return model;
}

static void files(void **state) {
    (void)state;
    static const struct {
        bool has_class;
        uint32_t version;
        crd_status status;
        const char *message;
    } forgeries[] = {{false, 2, CRD_OK, ""},
                     {true, 2, CRD_ERROR_DAMAGED, "a class has a name, but the model has no target"},
                     {false, 1, CRD_ERROR_DAMAGED, ""},
                     {false, 5, CRD_ERROR_TOO_NEW, "this version does not support"}};
    crd_model *model = counted_model();
    model_bytes bytes = bytes_of(model, context);
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        crd_i_encoder forged;
        crd_model *read;
        crd_error error;
        model_bytes new_bytes = forge(bytes, forgeries[i].has_class, forgeries[i].version, &forged);
        crd_status status = crd_model_decode(context, new_bytes.bytes, new_bytes.length, &read, &error);
        assert_int_equal(status, forgeries[i].status);
        if (status != CRD_OK) {
            assert_non_null(strstr(error.message, forgeries[i].message));
        } else {
            model_bytes again = bytes_of(read, context);
            assert_same_bytes(bytes, again);
            assert_null(crd_model_target(read).bytes);
            free_bytes(again);
        }
        crd_model_destroy(read);
        crd_i_buffer_clear(&forged.buffer);
    }
    free_bytes(bytes);
    crd_model_destroy(model);
}

static void out_of_memory(void **state) {
    (void)state;
    size_t failed = 0;
    for (;; failed++) {
        crd_model *model = NULL, *read = NULL;
        unsigned char *bytes = NULL;
        size_t length = 0;
        crd_error error;
        crd_settings *settings = settings_with(WITH("method", "network", "arcs", structure));
        crd_reader *reader;
        assert_done(open_text(context, rows, strlen(rows), NULL, &reader, &error), error);
        counted.calls = 0;
        counted.fail_at = failed + 1;
        crd_status status = crd_model_train(context, reader, settings, &model, NULL, &error);
        if (status == CRD_OK) status = crd_model_encode(model, &bytes, &length, &error);
        if (status == CRD_OK) status = crd_model_decode(context, bytes, length, &read, &error);
        if (status == CRD_OK) status = crd_model_merge(read, model, &error);
        counted.fail_at = 0;
        crd_free(context, bytes);
        crd_model_destroy(read);
        crd_model_destroy(model);
        crd_reader_close(reader);
        crd_settings_destroy(settings);
        if (status == CRD_OK) break;
        assert_int_equal(status, CRD_ERROR_MEMORY);
    }
    assert_true(failed > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_row_is_skipped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_classified, set_up, tear_down),
        cmocka_unit_test_setup_teardown(others_need_a_target, set_up, tear_down),
        cmocka_unit_test_setup_teardown(models_with_and_without_do_not_meet, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_not_learned_is_named_without_a_class, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(out_of_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
