/* SPDX-License-Identifier: MIT */
/* Models that state a network: the same network to the bit after a file, answers of the network itself, and what such a
 * model cannot do. */
#include "network_support.h"

#include "math/functions/elementary.h"
#include "network_model/model_network.h"

#include "counted_fixture.h"

static void assert_same_network(const crd_network *a, const crd_network *b) {
    assert_true(crd_text_equal(crd_network_name(a), crd_network_name(b)));
    assert_int_equal(crd_network_node_count(a), crd_network_node_count(b));
    for (size_t i = 0; i < crd_network_node_count(a); i++) {
        size_t rows = 0, others = 0;
        assert_true(crd_text_equal(crd_network_node_name(a, i), crd_network_node_name(b, i)));
        assert_int_equal(crd_network_node_kind(a, i), crd_network_node_kind(b, i));
        assert_int_equal(crd_network_state_count(a, i), crd_network_state_count(b, i));
        for (size_t s = 0; s < crd_network_state_count(a, i); s++)
            assert_true(crd_text_equal(crd_network_state(a, i, s), crd_network_state(b, i, s)));
        assert_int_equal(crd_network_parent_count(a, i), crd_network_parent_count(b, i));
        for (size_t p = 0; p < crd_network_parent_count(a, i); p++)
            assert_int_equal(crd_network_parent(a, i, p), crd_network_parent(b, i, p));
        const double *mine = crd_network_cpt(a, i, &rows), *theirs = crd_network_cpt(b, i, &others);
        assert_int_equal(rows, others);
        assert_memory_equal(mine, theirs, rows * crd_network_state_count(a, i) * sizeof *mine);
    }
}

static crd_model *stated(const crd_network *network, const char *target) {
    crd_model *model = NULL;
    crd_error error;
    assert_done(crd_model_from_network(network, crd_text_of(target), &model, &error), error);
    return model;
}

/* Through the model's bytes and back. */
static void networks_come_back(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        crd_network *network = random_network(context, seed, 1 + (size_t)seed % 9, 4, 3), *back;
        crd_model *model = stated(network, "n0"), *read;
        crd_error error;
        model_bytes bytes = bytes_of(model, context);
        assert_true(crd_model_is_network(model));
        assert_done(crd_model_decode(context, bytes.bytes, bytes.length, &read, &error), error);
        assert_true(crd_model_is_network(read));
        assert_done(crd_network_from_model(read, NULL, &back, &error), error);
        assert_same_network(network, back);
        model_bytes again = bytes_of(read, context);
        assert_same_bytes(bytes, again);
        free_bytes(bytes);
        free_bytes(again);
        crd_network_destroy(back);
        crd_network_destroy(network);
        crd_model_destroy(read);
        crd_model_destroy(model);
    }
}

/* Whatever is missing, and in whatever order the network has its states. */
static void answers_are_the_networks(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        crd_i_random random = crd_i_random_at(seed, 1);
        size_t count = 2 + (size_t)seed % 7, target = (size_t)seed % count;
        crd_network *network = random_network(context, seed, count, 4, 3);
        crd_model *model = stated(network, ((const char *[]){"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"})[target]);
        crd_classifier *classifier;
        crd_error error;
        assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
        size_t classes = crd_classifier_class_count(classifier);
        assert_int_equal(classes, crd_network_state_count(network, target));
        for (int i = 0; i < 25; i++) {
            int32_t known[8];
            crd_value row[8];
            double enumerated[64], most, logs[4], probabilities[4];
            crd_answer answer;
            size_t offset = 0;
            for (size_t n = 0, a = 0; n < count; n++) {
                size_t states = crd_network_state_count(network, n);
                bool is_known = n != target && crd_i_random_below(&random, 4) > 0;
                known[n] = is_known ? (int32_t)crd_i_random_below(&random, states) : -1;
                if (n < target) offset += states;
                const crd_value seen = {CRD_TYPE_CATEGORICAL, 0,
                                        is_known ? crd_network_state(network, n, (size_t)known[n]) : crd_text_of("")};
                if (n != target) row[a++] = is_known ? seen : missing_value();
            }
            const crd_i_evidence findings = {.states = known};
            double evidence = enumerate(network, &findings, enumerated, &most);
            assert_done(crd_classifier_posterior(classifier, row, logs, probabilities, &answer, &error), error);
            assert_int_equal(answer.decision < 0, evidence == 0);
            if (evidence == 0) continue;
            assert_near(answer.log_evidence, crd_log(evidence), 1e-12);
            for (size_t k = 0; k < classes; k++) {
                size_t class_state = crd_network_find_state(network, target, crd_classifier_class(classifier, k));
                assert_near(probabilities[k], enumerated[offset + class_state], 1e-13);
            }
        }
        crd_classifier_destroy(classifier);
        crd_model_destroy(model);
        crd_network_destroy(network);
    }
}

/* Values are shown in the model's order, states keep the network's; and a state may be called what else means missing.
 */
static const char weather[] = "network w { }\n"
                              "variable wet { type discrete [ 3 ] { yes, NA, 10 }; }\n"
                              "variable rain { type discrete [ 2 ] { yes, no }; }\n"
                              "probability ( rain ) { table 0.25, 0.75; }\n"
                              "probability ( wet | rain ) { (yes) 0.5, 0.25, 0.25; (no) 0, 0.5, 0.5; }\n";

static void values_and_states(void **state) {
    (void)state;
    crd_network *network = read_network(context, weather);
    crd_model *model = stated(network, "rain");
    crd_classifier *classifier;
    crd_error error;
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    assert_true(crd_text_equal(crd_classifier_class(classifier, 0), crd_text_of("no")));
    double logs[2], probabilities[2];
    crd_answer answer;
    const crd_value wet = text_value("NA");
    assert_done(crd_classifier_posterior(classifier, &wet, logs, probabilities, &answer, &error), error);
    /* 0.25 0.25 against 0.75 0.5 */
    assert_near(probabilities[0], 6.0 / 7, 1e-15);
    assert_near(answer.log_evidence, crd_log(0.4375), 1e-15);
    crd_term prior = CRD_TERM_INIT;
    assert_done(crd_classifier_prior(classifier, 1, &prior, &error), error);
    assert_near(prior.log_value, crd_log(0.25), 1e-15);
    assert_int_equal(crd_classifier_estimates(classifier, NULL, 0), 0);
    /* The reader of its rows does not take NA to be missing. */
    static const char rows[] = "wet\nNA\n?\n";
    crd_reader *reader;
    const crd_frame *frame;
    crd_posteriors *posteriors;
    assert_done(open_text(context, rows, strlen(rows), NULL, &reader, &error), error);
    assert_done(crd_model_bind(model, reader, &error), error);
    assert_done(crd_reader_next(reader, &frame, &error), error);
    assert_done(crd_posteriors_create(context, &posteriors, &error), error);
    assert_done(crd_classifier_classify(classifier, frame, posteriors, &error), error);
    assert_near(crd_posteriors_probabilities(posteriors, 0)[0], 6.0 / 7, 1e-15);
    assert_near(crd_posteriors_probabilities(posteriors, 1)[0], 0.75, 1e-15);
    crd_posteriors_destroy(posteriors);
    crd_reader_close(reader);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    crd_network_destroy(network);
}

/* A grid of so many nodes on each side, of which the tree of all is too large for any machine: a row that leaves few
 * nodes open is answered by a tree of its own, as the network itself answers, and others are refused. */
static void trees_that_are_too_large(void **state) {
    (void)state;
    enum { SIDE = 30, NODES = SIDE * SIDE };
    crd_network *network;
    crd_error error;
    assert_done(crd_i_network_create(context, crd_text_of("grid"), &network, &error), error);
    crd_i_random random = crd_i_random_at(4, 0);
    const crd_text states[] = {crd_text_of("off"), crd_text_of("on")};
    for (size_t i = 0; i < NODES; i++) {
        char name[16];
        size_t node, parents = 0;
        uint32_t parent_nodes[2];
        snprintf(name, sizeof name, "n%zu", i);
        assert_done(crd_i_network_add(network, crd_text_of(name), states, 2, &node, &error), error);
        if (i % SIDE > 0) parent_nodes[parents++] = (uint32_t)i - 1;
        if (i >= SIDE) parent_nodes[parents++] = (uint32_t)i - SIDE;
        assert_done(crd_i_network_set_parents(network, node, parent_nodes, parents, &error), error);
        double *table = crd_i_alloc(context, network->nodes[node].rows * 2, sizeof *table);
        assert_non_null(table);
        for (size_t row = 0; row < network->nodes[node].rows; row++) {
            table[row * 2] = crd_i_random_open(&random);
            table[row * 2 + 1] = 1 - table[row * 2];
        }
        assert_done(crd_i_network_take_table(network, node, table, &error), error);
    }
    assert_done(crd_i_network_finish(network, &error), error);
    crd_model *model = stated(network, "n465");
    crd_classifier *classifier;
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    static crd_value row[NODES];
    static crd_finding findings[NODES];
    size_t count = 0, target = 465;
    for (size_t i = 0; i < NODES; i++) {
        const crd_finding finding = {i, crd_i_random_below(&random, 2), NULL, 0};
        bool is_open = i == target || i == target - 1 || i == target + 1 || i == target + SIDE || i % 97 == 5;
        if (!is_open) findings[count++] = finding;
        const crd_value seen = {CRD_TYPE_CATEGORICAL, 0, states[finding.state]};
        if (i != target) row[i < target ? i : i - 1] = is_open ? missing_value() : seen;
    }
    double logs[2], probabilities[2], posterior[2];
    crd_answer answer;
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    assert_done(crd_classifier_posterior(classifier, row, logs, probabilities, &answer, &error), error);
    assert_done(crd_network_posteriors(network, NETWORK_QUERY(findings, count, &target, 1, NULL), posterior, NULL,
                                       &result, &error),
                error);
    assert_near(probabilities[0], posterior[0], 1e-13);
    assert_near(answer.log_evidence, result.log_evidence, 1e-9);
    /* The last corner alone has all others for ancestors. */
    for (size_t i = 0; i + 2 < NODES; i++) row[i] = missing_value();
    assert_int_equal(crd_classifier_posterior(classifier, row, logs, probabilities, &answer, &error), CRD_ERROR_LIMIT);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    crd_network_destroy(network);
}

/* d decides what x is likely to be, of which y tells; what that is worth is no column. */
static const char choice[] = "network c { }\n"
                             "variable d { type discrete [ 2 ] { a, b }; property \"credence decision\"; }\n"
                             "variable x { type discrete [ 2 ] { u, v }; }\n"
                             "variable y { type discrete [ 2 ] { s, t }; }\n"
                             "variable gain { type discrete [ 1 ] { g }; property \"credence utility\"; }\n"
                             "probability ( x | d ) { (a) 0.25, 0.75; (b) 0.75, 0.25; }\n"
                             "probability ( y | x ) { (u) 0.5, 0.5; (v) 1, 0; }\n"
                             "probability ( gain | x, d ) { (u, a) 1; (u, b) 2; (v, a) 3; (v, b) 4; }\n";

static void decisions(void **state) {
    (void)state;
    crd_network *network = read_network(context, choice), *back;
    crd_model *model = stated(network, "x"), *read, *other;
    crd_classifier *classifier;
    crd_error error;
    model_bytes bytes = bytes_of(model, context);
    assert_done(crd_model_decode(context, bytes.bytes, bytes.length, &read, &error), error);
    crd_free(context, bytes.bytes);
    assert_done(crd_network_from_model(read, NULL, &back, &error), error);
    assert_int_equal(crd_network_node_kind(back, 0), CRD_NODE_DECISION);
    assert_int_equal(crd_network_node_kind(back, 3), CRD_NODE_UTILITY);
    assert_done(crd_classifier_create(read, NULL, &classifier, &error), error);
    assert_int_equal(crd_classifier_attribute_count(classifier), 2);
    const crd_value a = {CRD_TYPE_CATEGORICAL, 0, {"a", 1}}, s = {CRD_TYPE_CATEGORICAL, 0, {"s", 1}};
    /* What was decided is given: it has no probability of its own. Where it is not known, both are as likely. */
    const struct {
        crd_value row[2];
        double u, evidence;
    } cases[] = {{{a, s}, 0.125 / 0.875, 0.875},
                 {{missing_value(), s}, 0.25 / 0.75, 0.75},
                 {{a, missing_value()}, 0.25, 1},
                 {{missing_value(), missing_value()}, 0.5, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double logs[2], probabilities[2];
        crd_answer answer;
        assert_done(crd_classifier_posterior(classifier, cases[i].row, logs, probabilities, &answer, &error), error);
        assert_near(probabilities[0], cases[i].u, 1e-15);
        assert_near(answer.log_evidence, crd_log(cases[i].evidence), 1e-15);
    }
    assert_int_equal(crd_model_from_network(network, crd_text_of("d"), &other, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "the target 'd' must be a chance node, but is a decision node of the network");
    assert_int_equal(crd_model_from_network(network, crd_text_of("gain"), &other, &error), CRD_ERROR_COLUMN);
    crd_classifier_destroy(classifier);
    crd_network_destroy(back);
    crd_model_destroy(read);
    crd_model_destroy(model);
    crd_network_destroy(network);
}

static void refused(void **state) {
    (void)state;
    crd_network *network = read_network(context, weather);
    crd_model *model = stated(network, "rain"), *other;
    crd_error error;
    crd_frame *frame;
    assert_int_equal(crd_model_from_network(network, crd_text_of("snow"), &other, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.subject, "snow");
    assert_done(crd_frame_create(context, 0, &frame, &error), error);
    assert_int_equal(crd_model_update(model, frame, &error), CRD_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "contains a specified network"));
    assert_int_equal(crd_model_forget(model, frame, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_model_merge(model, model, &error), CRD_ERROR_ARGUMENT);
    crd_frame_destroy(frame);
    crd_settings *settings;
    crd_classifier *classifier;
    crd_network *derived_network;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "method", crd_text_of("network"), &error), error);
    assert_done(crd_classifier_create(model, settings, &classifier, &error), error);
    crd_classifier_destroy(classifier);
    assert_done(crd_settings_set(settings, "smoothing", crd_text_of("none"), &error), error);
    assert_int_equal(crd_classifier_create(model, settings, &classifier, &error), CRD_ERROR_SETTING);
    assert_string_equal(error.subject, "smoothing");
    assert_int_equal(crd_network_from_model(model, settings, &derived_network, &error), CRD_ERROR_SETTING);
    crd_settings_destroy(settings);
    crd_query *query;
    assert_int_equal(crd_query_create(model, NULL, &query, &error), CRD_ERROR_ARGUMENT);
    crd_model_destroy(model);
    crd_network_destroy(network);
}

/* What is no network, whatever its checksum says, is told from one, and nothing is read beyond its end. */
static void damaged_sections(void **state) {
    (void)state;
    enum { HEAD = 20, SUM = 4 };
    crd_network *network = read_network(context, weather);
    crd_model *model = stated(network, "rain"), *read;
    crd_i_encoder encoder = {.buffer = {.context = context}};
    crd_error error;
    size_t taken = 0, refusals = 0;
    crd_i_network_kind.write(model, &encoder);
    assert_false(encoder.failed);
    size_t length = encoder.buffer.length - HEAD - SUM;
    for (size_t cut = 0; cut < length; cut++) {
        unsigned char *copy = malloc(cut + 1);
        assert_non_null(copy);
        memcpy(copy, encoder.buffer.bytes + HEAD, cut);
        crd_i_cursor cursor = {copy, copy + cut, false};
        assert_int_equal(crd_i_network_kind.read(context, &cursor, 1, &read, &error), CRD_ERROR_DAMAGED);
        free(copy);
    }
    for (size_t index = 0; index < length * 8; index++) {
        unsigned char *content = encoder.buffer.bytes + HEAD;
        content[index / 8] = (unsigned char)(content[index / 8] ^ 1 << index % 8);
        crd_i_cursor cursor = {content, content + length, false};
        crd_status status = crd_i_network_kind.read(context, &cursor, 1, &read, &error);
        content[index / 8] = (unsigned char)(content[index / 8] ^ 1 << index % 8);
        if (status == CRD_OK) crd_model_destroy(read);
        else assert_int_equal(status, CRD_ERROR_DAMAGED);
        if (status == CRD_OK) taken++;
        else refusals++;
    }
    /* Names and the last digits of numbers may be others. */
    assert_true(taken > 100 && refusals > 100);
    crd_i_buffer_clear(&encoder.buffer);
    crd_model_destroy(model);
    crd_network_destroy(network);
}

static crd_status all_of_it(const crd_network *network, const char *target, const crd_value *row, crd_error *error) {
    crd_model *model = NULL, *read = NULL;
    crd_classifier *classifier = NULL;
    crd_network *back = NULL;
    unsigned char *bytes = NULL;
    size_t length = 0;
    double logs[4];
    crd_answer answer;
    crd_status status = crd_model_from_network(network, crd_text_of(target), &model, error);
    if (status == CRD_OK) status = crd_model_encode(model, &bytes, &length, error);
    if (status == CRD_OK) status = crd_model_decode(context, bytes, length, &read, error);
    if (status == CRD_OK) status = crd_network_from_model(read, NULL, &back, error);
    if (status == CRD_OK) status = crd_classifier_create(read, NULL, &classifier, error);
    if (status == CRD_OK) status = crd_classifier_posterior(classifier, row, logs, NULL, &answer, error);
    if (status == CRD_OK) status = crd_classifier_joint_terms(classifier, 0, row, logs, error);
    crd_free(context, bytes);
    crd_network_destroy(back);
    crd_classifier_destroy(classifier);
    crd_model_destroy(read);
    crd_model_destroy(model);
    return status;
}

/* Every allocation failed in turn. */
static void fail_each(crd_network *network, const char *target, const crd_value *row) {
    crd_error error;
    size_t failed = 0;
    for (;; failed++) {
        counted.calls = 0;
        counted.fail_at = failed + 1;
        crd_status status = all_of_it(network, target, row, &error);
        counted.fail_at = 0;
        if (status == CRD_OK) break;
        assert_int_equal(status, CRD_ERROR_MEMORY);
    }
    assert_true(failed > 100);
    crd_network_destroy(network);
}

static void out_of_memory(void **state) {
    (void)state;
    const crd_value row[] = {missing_value(), text_value("s0"), missing_value(), missing_value(), text_value("s0")};
    fail_each(random_network(context, 3, 6, 3, 3), "n2", row);
    const crd_value decided[] = {text_value("a"), missing_value()};
    fail_each(read_network(context, choice), "y", decided);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(networks_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(answers_are_the_networks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_and_states, set_up, tear_down),
        cmocka_unit_test_setup_teardown(trees_that_are_too_large, set_up, tear_down),
        cmocka_unit_test_setup_teardown(decisions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_sections, set_up, tear_down),
        cmocka_unit_test_setup_teardown(out_of_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
