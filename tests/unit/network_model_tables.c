/* SPDX-License-Identifier: MIT */
/* Networks that a model's counts make: tables against numbers counted by hand, naive Bayes as the network that it is,
 * and what is refused. */
#include "network/network_internal.h"
#include "network_support.h"

#include "model/model_internal.h"

#include "counted_fixture.h"

static crd_settings *settings_with(const char *const *pairs) {
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    for (; *pairs != NULL; pairs += 2)
        assert_done(crd_settings_set(settings, pairs[0], crd_text_of(pairs[1]), &error), error);
    return settings;
}

static crd_status train_with(const char *text, const char *target, const char *const *pairs, crd_model **out,
                             crd_error *error) {
    crd_settings *settings = settings_with(pairs);
    crd_reader *reader;
    crd_error opened;
    assert_done(open_text(context, text, strlen(text), target, &reader, &opened), opened);
    crd_status status = crd_model_train(context, reader, settings, out, NULL, error);
    crd_reader_close(reader);
    crd_settings_destroy(settings);
    return status;
}

static crd_model *trained_with(const char *text, const char *target, const char *const *pairs) {
    crd_model *model = NULL;
    crd_error error;
    assert_done(train_with(text, target, pairs, &model, &error), error);
    return model;
}

/* Under other settings than its own. */
static crd_status asked_with(const crd_model *model, const char *const *pairs, crd_network **out, crd_error *error) {
    crd_settings *settings = settings_with(pairs);
    crd_status status = crd_network_from_model(model, settings, out, error);
    crd_settings_destroy(settings);
    return status;
}

static void assert_table(const crd_network *network, const char *name, size_t rows, size_t states,
                         const double *wanted) {
    size_t row_count = 0, node = crd_network_find(network, crd_text_of(name));
    assert_true(node < crd_network_node_count(network));
    const double *table = crd_network_cpt(network, node, &row_count);
    assert_int_equal(row_count, rows);
    assert_int_equal(crd_network_state_count(network, node), states);
    for (size_t i = 0; i < rows * states; i++)
        if (!(fabs(table[i] - wanted[i]) <= 1e-15))
            fail_msg("cell %zu of %s is %.17g and should be %.17g", i, name, table[i], wanted[i]);
}

/* ---- Numbers ---- */

#define TENNIS CREDENCE_EXAMPLES "/tennis.csv"
#define STRUCTURE "Wind->Play->Outlook->Humidity,Play->Humidity,Temperature"

/* Of each table, counts: the states ascend, and rows go by Outlook, then Play. */
static const double humidity_counts[][2] = {{0, 0}, {2, 2}, {1, 1}, {1, 2}, {3, 0}, {0, 2}};

static void tables_are_counted(void **state) {
    (void)state;
    char *text = file_text(TENNIS);
    crd_model *model = trained_with(text, "Play", WITH("method", "network", "arcs", STRUCTURE));
    assert_true(crd_model_is_network(model));
    crd_network *network;
    crd_error error;
    assert_done(asked_with(model, WITH("method", "network", "arcs", STRUCTURE, "smoothing", "none"), &network, &error),
                error);
    assert_int_equal(crd_network_node_count(network), 5);
    /* Nodes and parents are in the order of the columns. */
    assert_true(crd_text_equal(crd_network_node_name(network, 2), crd_text_of("Humidity")));
    assert_int_equal(crd_network_parent_count(network, 2), 2);
    assert_int_equal(crd_network_parent(network, 2, 0), 0);
    assert_int_equal(crd_network_parent(network, 2, 1), 4);
    assert_true(crd_text_equal(crd_network_state(network, 0, 0), crd_text_of("Overcast")));
    assert_table(network, "Wind", 1, 2, (double[]){6.0 / 14, 8.0 / 14});
    assert_table(network, "Play", 2, 2, (double[]){3.0 / 6, 3.0 / 6, 2.0 / 8, 6.0 / 8});
    assert_table(network, "Outlook", 2, 3, (double[]){0, 2.0 / 5, 3.0 / 5, 4.0 / 9, 3.0 / 9, 2.0 / 9});
    assert_table(network, "Temperature", 1, 3, (double[]){4.0 / 14, 4.0 / 14, 6.0 / 14});
    /* Nothing was counted in the first row, which is even. */
    assert_table(network, "Humidity", 6, 2, (double[]){0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0 / 3, 2.0 / 3, 1, 0, 0, 1});
    crd_network_destroy(network);
    crd_model_destroy(model);
    free(text);
}

/* Smoothing is chosen at the question. */
static void tables_are_smoothed(void **state) {
    (void)state;
    static const struct {
        const char *smoothing;
        double added[2], mass; /* of each cell and row of Humidity */
    } cases[] = {{"m:2", {1, 1}, 2},
                 {"laplace:3", {3, 3}, 6},
                 {"k2", {1, 1}, 2},
                 {"bdeu:6", {0.5, 0.5}, 1},
                 {"m:4:marginal", {2, 2}, 4}};
    char *text = file_text(TENNIS);
    crd_model *model = trained_with(text, "Play", WITH("method", "network", "arcs", STRUCTURE));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        crd_network *network;
        crd_error error;
        double wanted[12];
        assert_done(asked_with(model, WITH("method", "network", "arcs", STRUCTURE, "smoothing", cases[c].smoothing),
                               &network, &error),
                    error);
        for (size_t i = 0; i < 12; i++)
            wanted[i] = (humidity_counts[i / 2][i % 2] + cases[c].added[i % 2]) /
                        (humidity_counts[i / 2][0] + humidity_counts[i / 2][1] + cases[c].mass);
        assert_table(network, "Humidity", 6, 2, wanted);
        /* A target with parents is smoothed as any node is; its shares are 5 and 9 of 14. */
        if (strcmp(cases[c].smoothing, "m:4:marginal") == 0)
            assert_table(
                network, "Play", 2, 2,
                (double[]){(3 + 20.0 / 14) / 10, (3 + 36.0 / 14) / 10, (2 + 20.0 / 14) / 12, (6 + 36.0 / 14) / 12});
        if (strcmp(cases[c].smoothing, "bdeu:6") == 0)
            assert_table(network, "Wind", 1, 2, (double[]){(6 + 3.0) / 20, (8 + 3.0) / 20});
        crd_network_destroy(network);
    }
    crd_model_destroy(model);
    free(text);
}

/* A row counts where the node and all its parents are present, whatever else is missing. */
static void missing_cells(void **state) {
    (void)state;
    static const char text[] = "a,b,c,t\nx,u,p,1\nx,?,p,1\n?,u,p,0\nx,v,?,0\ny,v,q,0\ny,v,q,?\n?,?,q,1\n";
    crd_model *model =
        trained_with(text, "t", WITH("method", "network", "arcs", "a->b,a->c,b->c,t", "smoothing", "none"));
    crd_network *network;
    crd_error error;
    assert_done(crd_network_from_model(model, NULL, &network, &error), error);
    assert_table(network, "a", 1, 2, (double[]){3.0 / 4, 1.0 / 4});
    assert_table(network, "b", 2, 2, (double[]){1.0 / 2, 1.0 / 2, 0, 1});
    assert_table(network, "c", 4, 2, (double[]){1, 0, 0.5, 0.5, 0.5, 0.5, 0, 1});
    assert_table(network, "t", 1, 2, (double[]){3.0 / 6, 3.0 / 6});
    crd_network_destroy(network);
    crd_model_destroy(model);
}

/* The class's own table is smoothed as others are, here by half a row a class, unless a prior is stated. */
static void priors(void **state) {
    (void)state;
    static const struct {
        const char *prior;
        double wanted[2];
    } cases[] = {{"frequency", {5.5 / 15, 9.5 / 15}},
                 {"laplace:1", {6.0 / 16, 10.0 / 16}},
                 {"uniform", {0.5, 0.5}},
                 {"Yes=0.9,No=0.1", {0.1, 0.9}}};
    char *text = file_text(TENNIS);
    crd_model *model = trained_with(text, "Play", WITH("method", "network", "arcs", "Play->Wind->Outlook"));
    crd_network *network;
    crd_error error;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        assert_done(asked_with(model, WITH("method", "network", "arcs", "Play->Wind->Outlook", "prior", cases[c].prior),
                               &network, &error),
                    error);
        assert_table(network, "Play", 1, 2, cases[c].wanted);
        crd_network_destroy(network);
    }
    assert_int_equal(
        asked_with(model, WITH("method", "network", "arcs", "Wind->Play", "prior", "uniform"), &network, &error),
        CRD_ERROR_SETTING);
    assert_string_equal(error.subject, "prior");
    crd_model_destroy(model);
    free(text);
}

/* ---- Naive Bayes ---- */

/* Asks the network and the classifier about every row, and about rows with one cell left out. */
static void compare_with_classifier(const crd_model *model, const crd_classifier *classifier,
                                    const crd_network *network, const char *const (*rows)[4], size_t count) {
    (void)model;
    size_t target = crd_network_find(network, crd_text_of("Play"));
    for (size_t i = 0; i < count * 5; i++) {
        const char *const *row = rows[i / 5];
        crd_value values[4];
        crd_finding findings[4];
        size_t finding_count = 0;
        for (size_t a = 0; a < 4; a++) {
            values[a] = a == i % 5 ? missing_value() : text_value(row[a]);
            if (a == i % 5) continue;
            size_t node = crd_network_find(network, crd_classifier_attribute(classifier, a));
            const crd_finding one = {node, crd_network_find_state(network, node, crd_text_of(row[a])), NULL, 0};
            findings[finding_count++] = one;
        }
        double logs[2], probabilities[2], posterior[2];
        crd_answer answer;
        crd_error error;
        crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
        assert_done(crd_classifier_posterior(classifier, values, logs, probabilities, &answer, &error), error);
        assert_done(crd_network_posteriors(network, NETWORK_QUERY(findings, finding_count, &target, 1, NULL), posterior,
                                           NULL, &result, &error),
                    error);
        assert_near(posterior[0], probabilities[0], 1e-14);
        assert_near(posterior[1], probabilities[1], 1e-14);
        assert_near(result.log_evidence, answer.log_evidence, 1e-13);
    }
}

static void naive_models_are_networks(void **state) {
    (void)state;
    static const char *const rows[][4] = {
        {"Sunny", "Cool", "High", "Strong"}, {"Overcast", "Mild", "Normal", "Weak"}, {"Rain", "Hot", "High", "Weak"}};
    static const char *const smoothings[] = {"m:1", "m:2:marginal", "laplace:0.5", "bdeu:3", "none"};
    char *text = file_text(TENNIS);
    crd_model *model = trained(context, text, "Play");
    assert_false(crd_model_is_network(model));
    for (size_t i = 0; i < sizeof smoothings / sizeof *smoothings; i++)
        for (int is_method = 0; is_method < 2; is_method++) {
            const char *const *naive = WITH("smoothing", smoothings[i], "prior", "laplace:2");
            const char *const *method = WITH("smoothing", smoothings[i], "prior", "laplace:2", "method", "network");
            crd_classifier *classifier = classifier_with(model, context, naive);
            crd_network *network;
            crd_error error;
            assert_done(asked_with(model, is_method ? method : naive, &network, &error), error);
            assert_int_equal(crd_i_network_child_count(network, crd_network_find(network, crd_text_of("Play"))), 4);
            compare_with_classifier(model, classifier, network, rows, 3);
            crd_network_destroy(network);
            crd_classifier_destroy(classifier);
        }
    crd_model_destroy(model);
    free(text);
}

/* The day of Mitchell's book (1997, section 6.9.1): 0.0053 for yes against 0.0206 for no, so no with 0.795. */
static void the_day_of_the_lecture(void **state) {
    (void)state;
    static const char *const day[][2] = {
        {"Outlook", "Sunny"}, {"Temperature", "Cool"}, {"Humidity", "High"}, {"Wind", "Strong"}};
    char *text = file_text(TENNIS);
    crd_model *model = trained(context, text, "Play");
    crd_network *network;
    crd_finding findings[4];
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    crd_error error;
    double posterior[2], yes = 9.0 / 14 * 2 / 9 * 3 / 9 * 3 / 9 * 3 / 9, no = 5.0 / 14 * 3 / 5 * 1 / 5 * 4 / 5 * 3 / 5;
    assert_done(asked_with(model, WITH("smoothing", "none"), &network, &error), error);
    size_t target = crd_network_find(network, crd_text_of("Play"));
    for (size_t i = 0; i < 4; i++) {
        size_t node = crd_network_find(network, crd_text_of(day[i][0]));
        const crd_finding one = {node, crd_network_find_state(network, node, crd_text_of(day[i][1])), NULL, 0};
        findings[i] = one;
    }
    assert_done(
        crd_network_posteriors(network, NETWORK_QUERY(findings, 4, &target, 1, NULL), posterior, NULL, &result, &error),
        error);
    assert_near(posterior[0], no / (yes + no), 1e-15);
    assert_near(posterior[0], 0.795, 5e-4);
    assert_near(result.log_evidence, log(yes + no), 1e-14);
    crd_network_destroy(network);
    crd_model_destroy(model);
    free(text);
}

/* A class that never showed a column, without smoothing: naive Bayes has its overall shares there, a network has none.
 */
static void classes_without_cells(void **state) {
    (void)state;
    crd_model *model = trained(context, "a,t\nx,1\nx,1\ny,1\n?,0\n", "t");
    crd_network *network;
    crd_error error;
    assert_done(asked_with(model, WITH("smoothing", "none"), &network, &error), error);
    assert_table(network, "a", 2, 2, (double[]){2.0 / 3, 1.0 / 3, 2.0 / 3, 1.0 / 3});
    crd_network_destroy(network);
    assert_done(asked_with(model, WITH("smoothing", "none", "method", "network"), &network, &error), error);
    assert_table(network, "a", 2, 2, (double[]){0.5, 0.5, 2.0 / 3, 1.0 / 3});
    crd_network_destroy(network);
    crd_model_destroy(model);
}

/* Outside networks, S rows over a whole table are S / classes rows in each class, for numbers too. */
static void bdeu_of_densities(void **state) {
    (void)state;
    static const char text[] = "n,c,t\n1.5,x,p\n2.5,y,q\n4,x,q\n3,x,p\n1,y,q\n";
    crd_model *model = trained(context, text, "t");
    crd_classifier *bdeu = classifier_with(model, context, WITH("smoothing", "bdeu:3"));
    crd_classifier *m = classifier_with(model, context, WITH("smoothing", "m:1.5"));
    const crd_value row[] = {number_value(2), text_value("x")};
    double logs[2][2];
    crd_answer answer;
    crd_error error;
    assert_done(crd_classifier_posterior(bdeu, row, logs[0], NULL, &answer, &error), error);
    assert_done(crd_classifier_posterior(m, row, logs[1], NULL, &answer, &error), error);
    assert_memory_equal(logs[0], logs[1], sizeof logs[0]);
    assert_string_equal(crd_settings_get(crd_classifier_settings(bdeu), "smoothing"), "bdeu:3");
    crd_classifier_destroy(bdeu);
    crd_classifier_destroy(m);
    crd_model_destroy(model);
}

/* ---- What is kept ---- */

/* Whatever has the columns together will do: all of them, if no smaller set. */
static void other_joint_tallies(void **state) {
    (void)state;
    char *text = file_text(TENNIS);
    crd_model *whole = trained_keeping(context, text, "Play", "joint-counts");
    crd_model *model = trained_with(text, "Play", WITH("method", "network", "arcs", STRUCTURE));
    crd_network *a, *b;
    crd_error error;
    const char *const *options = WITH("method", "network", "arcs", STRUCTURE);
    assert_done(asked_with(whole, options, &a, &error), error);
    assert_done(asked_with(model, options, &b, &error), error);
    for (size_t i = 0; i < crd_network_node_count(a); i++) {
        size_t rows, others;
        const double *mine = crd_network_cpt(a, i, &rows), *theirs = crd_network_cpt(b, i, &others);
        assert_int_equal(rows, others);
        assert_memory_equal(mine, theirs, rows * crd_network_state_count(a, i) * sizeof *mine);
    }
    crd_network_destroy(a);
    crd_network_destroy(b);
    assert_int_equal(asked_with(model, WITH("method", "network", "arcs", "Outlook->Wind->Play"), &a, &error),
                     CRD_ERROR_SETTING);
    assert_string_equal(error.subject, "arcs");
    assert_non_null(strstr(error.message, "Outlook, Wind"));
    crd_model_destroy(whole);
    crd_model_destroy(model);
    free(text);
}

static void refused(void **state) {
    (void)state;
    char *text = file_text(TENNIS);
    crd_model *model;
    crd_network *network;
    crd_error error;
    assert_int_equal(train_with(text, "Play", WITH("method", "network", "arcs", "Play->Winds"), &model, &error),
                     CRD_ERROR_COLUMN);
    assert_string_equal(error.subject, "Winds");
    assert_int_equal(train_with(text, "Play", WITH("method", "network", "arcs", "Wind->Outlook"), &model, &error),
                     CRD_ERROR_SETTING);
    assert_non_null(strstr(error.message, "must contain the target 'Play'"));
    free(text);

    model = trained(context, "n,a,t\n1.5,x,p\n2.5,y,q\n", "t");
    assert_int_equal(crd_network_from_model(model, NULL, &network, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.subject, "n");
    assert_int_equal(asked_with(model, WITH("method", "network", "arcs", "n->a,t"), &network, &error), CRD_ERROR_TYPE);
    assert_string_equal(error.subject, "n");
    assert_null(strstr(error.message, "--"));
    assert_int_equal(asked_with(model, WITH("method", "network", "arcs", "t->n<-a"), &network, &error),
                     CRD_ERROR_SETTING);
    assert_non_null(strstr(error.message, "sums of products that the model did not store"));
    assert_int_equal(asked_with(model, WITH("attribute-weights", "fitted"), &network, &error), CRD_ERROR_SETTING);
    /* Without a structure numbers are nodes too. */
    assert_done(asked_with(model, WITH("method", "network"), &network, &error), error);
    assert_int_equal(crd_network_node_count(network), 3);
    assert_int_equal(crd_network_node_kind(network, crd_network_find(network, crd_text_of("n"))), CRD_NODE_GAUSSIAN);
    crd_network_destroy(network);
    crd_model_destroy(model);
}

/* Combinations that became too many are refused where they are needed, and nowhere else. */
static void too_many_combinations(void **state) {
    (void)state;
    char *text = file_text(TENNIS);
    crd_model *model = trained_with(text, "Play", WITH("method", "network", "arcs", STRUCTURE));
    crd_network *network;
    crd_error error;
    assert_true(model->joint_tallies[0].joint_tally->type == &crd_i_joint_counts);
    model->joint_tallies[0].joint_tally->is_dropped = true;
    assert_int_equal(crd_network_from_model(model, NULL, &network, &error), CRD_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "fewer parents"));
    assert_done(asked_with(model, WITH("method", "network", "arcs", "Play->Outlook"), &network, &error), error);
    crd_network_destroy(network);
    model->joint_tallies[0].joint_tally->is_dropped = false;
    crd_model_destroy(model);
    free(text);
}

/* A column of the structure without any cell has no states, and is left out, as no row counts for it. */
static void columns_without_cells(void **state) {
    (void)state;
    crd_model *model = trained_with("e,a,t\n?,x,1\n?,y,0\n", "t", WITH("method", "network", "arcs", "t->a<-e"));
    crd_network *network;
    crd_error error;
    assert_done(crd_network_from_model(model, NULL, &network, &error), error);
    assert_int_equal(crd_network_node_count(network), 2);
    assert_table(network, "a", 2, 2, (double[]){0.25, 0.75, 0.75, 0.25});
    crd_network_destroy(network);
    crd_model_destroy(model);
}

/* Every allocation failed in turn. */
static void out_of_memory(void **state) {
    (void)state;
    char *text = file_text(TENNIS);
    crd_model *model = trained_with(text, "Play", WITH("method", "network", "arcs", STRUCTURE));
    crd_error error;
    size_t failed = 0;
    for (;; failed++) {
        crd_network *network = NULL;
        counted.calls = 0;
        counted.fail_at = failed + 1;
        crd_status status = crd_network_from_model(model, NULL, &network, &error);
        counted.fail_at = 0;
        crd_network_destroy(network);
        if (status == CRD_OK) break;
        assert_int_equal(status, CRD_ERROR_MEMORY);
        assert_null(network);
    }
    assert_true(failed > 20);
    crd_model_destroy(model);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tables_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_are_smoothed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(missing_cells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(priors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(naive_models_are_networks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_day_of_the_lecture, set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_many_combinations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(classes_without_cells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bdeu_of_densities, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_joint_tallies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(columns_without_cells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(out_of_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
