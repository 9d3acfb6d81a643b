/* SPDX-License-Identifier: MIT */
/* Networks made call by call: the same as those read from files, through every format and back; what is refused; and
 * copies that are changed. */
#include "network_files_support.h"

#include "counted_fixture.h"

static const crd_text YES_NO[] = {{"yes", 3}, {"no", 2}};
enum { RAIN, SPRINKLER, GRASS };

static size_t add(crd_network_builder *builder, const char *name, crd_node_kind kind) {
    crd_error error;
    size_t node;
    assert_done(crd_network_builder_add_node(builder, crd_text_of(name), kind, YES_NO, 2, &node, &error), error);
    return node;
}

/* Rain, a sprinkler and wet grass (Pearl 1988), without the grass's table. */
static crd_network_builder *lawn(void) {
    crd_network_builder *builder;
    crd_error error;
    const double rain[] = {.2, .8}, sprinkler[] = {.01, .99, .4, .6};
    assert_done(crd_network_builder_create(context, crd_text_of("lawn"), &builder, &error), error);
    assert_int_equal(add(builder, "rain", CRD_NODE_CHANCE), RAIN);
    assert_int_equal(add(builder, "sprinkler", CRD_NODE_CHANCE), SPRINKLER);
    assert_int_equal(add(builder, "grass", CRD_NODE_CHANCE), GRASS);
    assert_done(crd_network_builder_add_arc(builder, RAIN, SPRINKLER, &error), error);
    assert_done(crd_network_builder_add_arc(builder, RAIN, GRASS, &error), error);
    assert_done(crd_network_builder_add_arc(builder, SPRINKLER, GRASS, &error), error);
    assert_done(crd_network_builder_set_cpt(builder, RAIN, rain, 2, &error), error);
    assert_done(crd_network_builder_set_cpt(builder, SPRINKLER, sprinkler, 4, &error), error);
    return builder;
}

static const double WET[] = {.99, .01, .8, .2, .9, .1, 0, 1};

static void set_rows(crd_network_builder *builder, size_t rows) {
    crd_error error;
    for (size_t row = 0; row < rows; row++) {
        const size_t states[] = {row / 2, row % 2};
        assert_done(crd_network_builder_set_cpt_row(builder, GRASS, states, WET + 2 * row, &error), error);
    }
}

static crd_network *finished(const crd_network_builder *builder) {
    crd_network *network;
    crd_error error;
    assert_done(crd_network_builder_finish(builder, &network, &error), error);
    return network;
}

static void test_same_as_read(void **state) {
    (void)state;
    static const char text[] =
        "network lawn { } variable rain { type discrete [ 2 ] { yes, no }; }"
        "variable sprinkler { type discrete [ 2 ] { yes, no }; } variable grass { type discrete [ 2 ] { yes, no }; }"
        "probability (rain) { table .2 .8; } probability (sprinkler | rain) { (yes) .01 .99; (no) .4 .6; }"
        "probability (grass | rain, sprinkler) { (yes, yes) .99 .01; (yes, no) .8 .2; (no, yes) .9 .1; (no, no) 0 1; }";
    crd_network_builder *builder = lawn();
    set_rows(builder, 4);
    crd_network *built = finished(builder), *read = read_network(context, text);
    crd_network_builder_destroy(builder);
    assert_same_network(built, read, true);
    const crd_network_format formats[] = {CRD_NETWORK_FORMAT_BIF, CRD_NETWORK_FORMAT_XMLBIF, CRD_NETWORK_FORMAT_NET,
                                          CRD_NETWORK_FORMAT_UAI};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        crd_network *again = through(context, built, formats[i]);
        assert_same_network(built, again, formats[i] != CRD_NETWORK_FORMAT_UAI);
        crd_network_destroy(again);
    }
    crd_network_destroy(built);
    crd_network_destroy(read);
}

static void test_decisions(void **state) {
    (void)state;
    crd_network_builder *builder = lawn();
    crd_error error;
    const double worth[] = {-10, 0, 2, 5};
    set_rows(builder, 4);
    size_t umbrella = add(builder, "umbrella", CRD_NODE_DECISION), comfort = add(builder, "comfort", CRD_NODE_UTILITY);
    assert_done(crd_network_builder_add_arc(builder, RAIN, comfort, &error), error);
    assert_done(crd_network_builder_add_arc(builder, umbrella, comfort, &error), error);
    assert_done(crd_network_builder_set_cpt(builder, comfort, worth, 4, &error), error);
    assert_int_equal(crd_network_builder_set_cpt(builder, umbrella, worth, 2, &error), CRD_ERROR_ARGUMENT);
    crd_network *network = finished(builder);
    assert_int_equal(crd_network_state_count(network, comfort), 1);
    crd_network *again = through(context, network, CRD_NETWORK_FORMAT_NET);
    assert_same_network(network, again, true);
    crd_network_destroy(again);
    crd_network_destroy(network);
    assert_done(crd_network_builder_add_arc(builder, comfort, GRASS, &error), error);
    assert_done(crd_network_builder_set_cpt(builder, GRASS, WET, 8, &error), error);
    assert_int_equal(crd_network_builder_finish(builder, &network, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_null(network);
    crd_network_builder_destroy(builder);
}

/* A continuous node with parents of both kinds: the shape of its table, what is refused, and that copies are the same. */
static void test_gaussian(void **state) {
    (void)state;
    crd_network_builder *builder = lawn();
    crd_error error;
    const double heat[] = {20, 9}, growth[] = {1, .5, 4, -2, .25, 0}, negative[] = {1, .5, -4}, endless[] = {1, NAN, 4};
    const size_t dry[] = {99, 1};
    size_t rows;
    set_rows(builder, 4);
    size_t warm = add(builder, "heat", CRD_NODE_GAUSSIAN), grown = add(builder, "growth", CRD_NODE_GAUSSIAN);
    assert_done(crd_network_builder_set_cpt(builder, warm, heat, 2, &error), error);
    assert_done(crd_network_builder_add_arc(builder, warm, grown, &error), error);
    assert_done(crd_network_builder_add_arc(builder, RAIN, grown, &error), error);
    assert_int_equal(crd_network_builder_set_cpt(builder, grown, growth, 4, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_network_builder_set_cpt_row(builder, grown, dry, negative, &error), CRD_ERROR_PROBABILITY);
    assert_string_equal(error.message, "-4 is not a valid variance in the table of growth given rain=no");
    assert_int_equal(crd_network_builder_set_cpt_row(builder, grown, dry, endless, &error), CRD_ERROR_PROBABILITY);
    assert_done(crd_network_builder_set_cpt(builder, grown, growth, 6, &error), error);
    assert_int_equal(crd_network_builder_add_arc(builder, warm, SPRINKLER, &error), CRD_ERROR_TYPE);
    assert_string_equal(error.message, "the continuous node heat cannot be a parent of sprinkler, which has states: "
                                       "only continuous nodes have continuous parents");
    crd_network *network = finished(builder);
    crd_network_builder_destroy(builder);
    assert_int_equal(crd_network_state_count(network, grown), 0);
    assert_int_equal(crd_network_cpt_width(network, grown), 3);
    assert_memory_equal(crd_network_cpt(network, grown, &rows), growth, sizeof growth);
    assert_int_equal(rows, 2);
    assert_done(crd_network_builder_from(network, &builder, &error), error);
    crd_network *copy = finished(builder);
    crd_network_builder_destroy(builder);
    assert_same_network(network, copy, true);
    crd_text bytes;
    assert_int_equal(crd_network_write(network, CRD_NETWORK_FORMAT_BIF, &bytes, &error), CRD_ERROR_TYPE);
    assert_string_equal(error.subject, "heat");
    crd_network_destroy(copy);
    crd_network_destroy(network);
}

/* What is refused leaves the builder as it was. */
static void test_refused(void **state) {
    (void)state;
    crd_network_builder *builder = lawn();
    crd_network *network;
    crd_error error;
    size_t node = 7;
    const size_t states[] = {0, 1}, no_states[] = {0, 2};
    const double off[] = {.5, .6}, negative[] = {-.1, 1.1};
    assert_int_equal(
        crd_network_builder_add_node(builder, crd_text_of("rain"), CRD_NODE_CHANCE, YES_NO, 2, &node, &error),
        CRD_ERROR_COLUMN);
    assert_string_equal(error.subject, "rain");
    assert_true(node == CRD_NONE);
    assert_int_equal(crd_network_builder_add_node(builder, crd_text_of("x"), CRD_NODE_CHANCE, NULL, 0, NULL, &error),
                     CRD_ERROR_EMPTY);
    assert_int_equal(crd_network_builder_add_node(builder, crd_text_of("x"), (crd_node_kind)9, YES_NO, 2, NULL, &error),
                     CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_network_builder_add_arc(builder, RAIN, 3, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_network_builder_add_arc(builder, RAIN, RAIN, &error), CRD_ERROR_CYCLE);
    assert_int_equal(crd_network_builder_add_arc(builder, RAIN, GRASS, &error), CRD_ERROR_COLUMN);
    assert_int_equal(crd_network_builder_remove_arc(builder, GRASS, RAIN, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_network_builder_set_cpt(builder, RAIN, WET, 4, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_network_builder_set_cpt(builder, RAIN, off, 2, &error), CRD_ERROR_PROBABILITY);
    assert_string_equal(error.subject, "rain");
    assert_int_equal(crd_network_builder_set_cpt_row(builder, GRASS, states, negative, &error), CRD_ERROR_PROBABILITY);
    assert_int_equal(crd_network_builder_set_cpt_row(builder, GRASS, no_states, WET, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_network_builder_finish(builder, &network, &error), CRD_ERROR_EMPTY);
    assert_non_null(strstr(error.message, "the probabilities are missing for grass"));
    set_rows(builder, 3);
    assert_int_equal(crd_network_builder_finish(builder, &network, &error), CRD_ERROR_EMPTY);
    assert_string_equal(error.message, "the row of grass given rain=no, sprinkler=no is missing");
    set_rows(builder, 4);
    crd_network_destroy(finished(builder));
    /* An arc back closes a cycle, once the tables are there again. */
    assert_done(crd_network_builder_add_arc(builder, GRASS, RAIN, &error), error);
    assert_done(crd_network_builder_set_cpt(builder, RAIN, WET, 4, &error), error);
    assert_int_equal(crd_network_builder_finish(builder, &network, &error), CRD_ERROR_CYCLE);
    assert_null(network);
    crd_network_builder_destroy(builder);
}

static void test_changed_copy(void **state) {
    (void)state;
    crd_network_builder *builder = lawn(), *other;
    crd_error error;
    const double alone[] = {.3, .7};
    set_rows(builder, 4);
    crd_network *network = finished(builder);
    crd_network_builder_destroy(builder);
    assert_done(crd_network_builder_from(network, &other, &error), error);
    crd_network *same = finished(other);
    assert_same_network(network, same, true);
    crd_network_destroy(network);
    assert_done(crd_network_builder_remove_arc(other, RAIN, SPRINKLER, &error), error);
    assert_done(crd_network_builder_set_cpt(other, SPRINKLER, alone, 2, &error), error);
    crd_network *changed = finished(other);
    assert_int_equal(crd_network_parent_count(changed, SPRINKLER), 0);
    assert_int_equal(crd_network_parent_count(same, SPRINKLER), 1);
    crd_network_builder_destroy(other);
    crd_network_destroy(changed);
    crd_network_destroy(same);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_read), cmocka_unit_test(test_decisions),    cmocka_unit_test(test_gaussian),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_changed_copy),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
