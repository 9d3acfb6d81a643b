/* SPDX-License-Identifier: MIT */
/* Classifiers whose densities are a network: against the sum over all that is not known, whichever way rows come in,
 * with any cells missing; and what contradicts itself. */
#include "network_support.h"

#include "base/thread_pool.h"
#include "classify/classifier_internal.h"
#include "math/functions/elementary.h"
#include "unit/math_random.h"

static allocations counted;
static crd_context *context;

static int set_up(void **state) {
    (void)state;
    memset(&counted, 0, sizeof counted);
    context = counted_context(&counted);
    random_state = 11;
    return context == NULL;
}

static int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    return counted.live != 0;
}

/* ---- Tables ---- */

enum { COLUMNS = 6, ROWS = 80, ROOM = 64 };
static const char heading[] = "a,b,c,d,e,t\n";
static const char *const names[COLUMNS] = {"a", "b", "c", "d", "e", "t"};
static const int values[COLUMNS] = {2, 3, 2, 3, 2, 3};

/* Columns that depend on each other, one cell in eight missing, but never the target. */
static void draw_cells(int *cells) {
    for (int i = COLUMNS; i-- > 0;) {
        cells[i] = (int)(random_bits() % (uint64_t)values[i]);
        if (i < COLUMNS - 1 && random_bits() % 3 > 0) cells[i] = cells[i + 1] % values[i];
    }
    for (int i = 0; i < COLUMNS - 1; i++)
        if (random_bits() % 8 == 0) cells[i] = -1;
}

static void write_cells(char *destination, const int *cells) {
    for (int i = 0; i < COLUMNS; i++) {
        if (cells[i] < 0) snprintf(destination, ROOM, "?%s", i + 1 < COLUMNS ? "," : "\n");
        else snprintf(destination, ROOM, "%s%d%s", names[i], cells[i], i + 1 < COLUMNS ? "," : "\n");
        destination += strlen(destination);
    }
}

static char *draw_table(void) {
    char *text = calloc(1, (ROWS + 1) * ROOM);
    assert_non_null(text);
    strcpy(text, heading);
    for (int i = 0; i < ROWS; i++) {
        int cells[COLUMNS];
        draw_cells(cells);
        write_cells(text + strlen(text), cells);
    }
    return text;
}

static crd_model *trained_with(const char *text, const char *structure, const char *smoothing) {
    crd_settings *settings;
    crd_reader *reader;
    crd_model *model;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "method", crd_text_of("network"), &error), error);
    assert_done(crd_settings_set(settings, "arcs", crd_text_of(structure), &error), error);
    assert_done(crd_settings_set(settings, "smoothing", crd_text_of(smoothing), &error), error);
    assert_done(open_text(context, text, strlen(text), "t", &reader, &error), error);
    assert_done(crd_model_train(context, reader, settings, &model, NULL, &error), error);
    crd_reader_close(reader);
    crd_settings_destroy(settings);
    return model;
}

static crd_value value_of(int column, int cell) {
    static char texts[8][16];
    static int next = 0;
    if (cell < 0) return missing_value();
    char *text = texts[next++ % 8];
    snprintf(text, sizeof texts[0], "%s%d", names[column], cell);
    return text_value(text);
}

static const char *const structures[] = {
    "t->a,t->b,t->c,t->d,t->e",
    "t->b->a<-t,t->c,c->d<-t,d->e",
    "a->t->b,c->t,d->t,t->e,b->e",
    "a->b->c->d->e->t",
    "e->t,d->e,c->d,b->d,a->b,a->c",
    "a->b,c->d,e->t",
    "t",
};
enum { STRUCTURES = sizeof structures / sizeof *structures };

/* ---- Answers ---- */

/* By going through all combinations of the network's nodes. */
static void rows_with_any_cells_missing(void **state) {
    (void)state;
    static const char *const smoothings[] = {"m:1", "none", "bdeu:5"};
    for (size_t s = 0; s < STRUCTURES * 3; s++) {
        char *text = draw_table();
        crd_model *model = trained_with(text, structures[s / 3], smoothings[s % 3]);
        crd_classifier *classifier;
        crd_network *network;
        crd_error error;
        assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
        assert_done(crd_network_from_model(model, NULL, &network, &error), error);
        for (int i = 0; i < 60; i++) {
            int cells[COLUMNS];
            draw_cells(cells);
            for (int c = 0; c < COLUMNS - 1; c++)
                if ((size_t)i % 4 > random_bits() % 8) cells[c] = -1;
            if (i == 0) memset(cells, -1, sizeof cells);
            crd_value row[COLUMNS - 1];
            int32_t known[COLUMNS];
            double logs[3], probabilities[3], enumerated[32], most;
            crd_answer answer;
            for (size_t n = 0; n < network->count; n++) known[n] = -1;
            size_t target = crd_network_find(network, crd_text_of("t")), offset = 0;
            for (int c = 0; c < COLUMNS - 1; c++) {
                row[c] = value_of(c, cells[c]);
                size_t node = crd_network_find(network, crd_text_of(names[c]));
                if (node != SIZE_MAX && cells[c] >= 0)
                    known[node] = (int32_t)crd_network_find_state(network, node, row[c].text);
            }
            for (size_t n = 0; n < target; n++) offset += crd_network_state_count(network, n);
            const crd_i_evidence findings = {.states = known};
            double evidence = enumerate(network, &findings, enumerated, &most);
            assert_done(crd_classifier_posterior(classifier, row, logs, probabilities, &answer, &error), error);
            if (evidence == 0) {
                assert_int_equal(answer.decision, -1);
                continue;
            }
            assert_near(answer.log_evidence, crd_log(evidence), 1e-12);
            for (size_t k = 0; k < 3; k++) assert_near(probabilities[k], enumerated[offset + k], 1e-13);
        }
        crd_network_destroy(network);
        crd_classifier_destroy(classifier);
        crd_model_destroy(model);
        free(text);
    }
}

/* A frame, with one thread's workspace or another's, gives the bits of single rows. */
static void frames_are_rows(void **state) {
    (void)state;
    for (size_t s = 0; s < STRUCTURES; s++) {
        char *text = draw_table();
        crd_model *model = trained_with(text, structures[s], "m:1");
        crd_classifier *classifier;
        crd_posteriors *posteriors;
        crd_reader *reader;
        const crd_frame *frame;
        crd_error error;
        assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
        assert_done(crd_posteriors_create(context, &posteriors, &error), error);
        assert_done(open_text(context, text, strlen(text), NULL, &reader, &error), error);
        assert_done(crd_reader_next(reader, &frame, &error), error);
        assert_done(crd_classifier_classify(classifier, frame, posteriors, &error), error);
        assert_int_equal(crd_posteriors_rows(posteriors), ROWS);
        const char *line = text + strlen(heading);
        for (size_t i = 0; i < ROWS; i++, line = strchr(line, '\n') + 1) {
            crd_value row[COLUMNS - 1];
            const char *cell = line;
            for (int c = 0; c < COLUMNS - 1; c++, cell += strcspn(cell, ",") + 1)
                row[c] = value_of(c, *cell == '?' ? -1 : cell[1] - '0');
            double logs[3], probabilities[3];
            crd_answer answer;
            assert_done(crd_classifier_posterior(classifier, row, logs, probabilities, &answer, &error), error);
            assert_memory_equal(logs, crd_posteriors_log(posteriors, i), sizeof logs);
            assert_memory_equal(probabilities, crd_posteriors_probabilities(posteriors, i), sizeof probabilities);
            assert_true(answer.log_evidence == crd_posteriors_answer(posteriors, i)->log_evidence);
        }
        crd_reader_close(reader);
        crd_posteriors_destroy(posteriors);
        crd_classifier_destroy(classifier);
        crd_model_destroy(model);
        free(text);
    }
}

typedef struct classifier_sharing {
    const crd_classifier *classifier;
    const crd_frame *frame;
    crd_posteriors *posteriors[4];
    crd_status statuses[4];
} classifier_sharing;

static void classify_beside_others(void *state, unsigned member) {
    classifier_sharing *sharing = state;
    crd_error error;
    for (int i = 0; i < 5; i++)
        sharing->statuses[member] =
            crd_classifier_classify(sharing->classifier, sharing->frame, sharing->posteriors[member], &error);
}

/* The tree is compiled by whoever comes first, and everybody has a workspace. */
static void threads_share_a_classifier(void **state) {
    (void)state;
    char *text = draw_table();
    crd_model *model = trained_with(text, structures[2], "m:1");
    crd_classifier *classifier;
    crd_reader *reader;
    crd_error error;
    classifier_sharing sharing = {0};
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    assert_done(open_text(context, text, strlen(text), NULL, &reader, &error), error);
    assert_done(crd_reader_next(reader, &sharing.frame, &error), error);
    sharing.classifier = classifier;
    for (int i = 0; i < 4; i++) assert_done(crd_posteriors_create(context, &sharing.posteriors[i], &error), error);
    crd_i_thread_pool_run(context, 4, classify_beside_others, &sharing);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(sharing.statuses[i], CRD_OK);
        assert_memory_equal(crd_posteriors_log(sharing.posteriors[i], 0), crd_posteriors_log(sharing.posteriors[0], 0),
                            ROWS * 3 * sizeof(double));
    }
    for (int i = 0; i < 4; i++) crd_posteriors_destroy(sharing.posteriors[i]);
    crd_reader_close(reader);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    free(text);
}

/* What was never seen is no evidence, and is counted, but not in a column that is no node. */
static void unseen_values(void **state) {
    (void)state;
    char *text = draw_table();
    crd_model *model = trained_with(text, "t->a,t->b", "m:1");
    crd_classifier *classifier;
    crd_error error;
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    const crd_value cells[] = {text_value("a1"), text_value("never"), text_value("never"), missing_value(),
                               missing_value()};
    const crd_value without[] = {text_value("a1"), missing_value(), missing_value(), missing_value(), missing_value()};
    double logs[2][3];
    crd_answer answers[2];
    assert_done(crd_classifier_posterior(classifier, cells, logs[0], NULL, &answers[0], &error), error);
    assert_done(crd_classifier_posterior(classifier, without, logs[1], NULL, &answers[1], &error), error);
    assert_int_equal(answers[0].unseen, 1);
    assert_memory_equal(logs[0], logs[1], sizeof logs[0]);
    crd_term term = CRD_TERM_INIT;
    assert_done(crd_classifier_term(classifier, 0, 0, &cells[0], &term, &error), error);
    assert_int_equal(term.form, CRD_TERM_JOINT);
    const crd_value seen = text_value("c1");
    assert_done(crd_classifier_term(classifier, 2, 0, &seen, &term, &error), error);
    assert_int_equal(term.form, CRD_TERM_SILENT);
    crd_joint joint = CRD_JOINT_INIT;
    size_t attributes[5];
    assert_int_equal(crd_classifier_joint_count(classifier), 1);
    assert_done(crd_classifier_joint(classifier, 0, &joint, &error), error);
    assert_string_equal(joint.name, "network");
    assert_int_equal(joint.attribute_count, 2);
    assert_done(crd_classifier_joint_attributes(classifier, 0, attributes, &error), error);
    assert_true(attributes[0] == 0 && attributes[1] == 1);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    free(text);
}

/* Classes that no cells allow, by tables or by the sum over what is not known. */
static void contradictions(void **state) {
    (void)state;
    static const char text[] = "a,b,c,t\nx,u,p,1\nx,u,p,1\ny,v,q,0\ny,v,q,0\n";
    crd_model *model = trained_with(text, "t->a,t->b->c", "none");
    crd_classifier *classifier;
    crd_error error;
    double logs[2], probabilities[2];
    crd_answer answer;
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    const crd_value closed[] = {text_value("x"), text_value("v"), text_value("q")};
    const crd_value open[] = {text_value("x"), missing_value(), text_value("q")};
    assert_done(crd_classifier_posterior(classifier, closed, logs, probabilities, &answer, &error), error);
    assert_int_equal(answer.decision, -1);
    assert_true(answer.log_evidence == -INFINITY);
    assert_done(crd_classifier_posterior(classifier, open, logs, probabilities, &answer, &error), error);
    assert_int_equal(answer.decision, -1);
    assert_true(answer.log_evidence == -INFINITY);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

/* Naive Bayes by its own way and as a network, on tennis and on cars, complete and with cells missing. */
static void compare_with_naive(const char *path, const char *target) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return;
    char *text = calloc(1, 1 << 18);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 18) - 1, file) > 0);
    fclose(file);
    crd_model *model = trained(context, text, target);
    crd_classifier *naive = classifier_with(model, context, WITH("smoothing", "laplace:1"));
    crd_classifier *network = classifier_with(model, context, WITH("smoothing", "laplace:1", "method", "network"));
    crd_posteriors *posteriors[2];
    crd_reader *reader;
    const crd_frame *frame;
    crd_error error;
    size_t rows = 0;
    for (int i = 0; i < 2; i++) assert_done(crd_posteriors_create(context, &posteriors[i], &error), error);
    assert_done(open_text(context, text, strlen(text), NULL, &reader, &error), error);
    for (;;) {
        assert_done(crd_reader_next(reader, &frame, &error), error);
        if (frame == NULL) break;
        assert_done(crd_classifier_classify(naive, frame, posteriors[0], &error), error);
        assert_done(crd_classifier_classify(network, frame, posteriors[1], &error), error);
        for (size_t i = 0; i < crd_posteriors_rows(posteriors[0]); i++, rows++) {
            assert_near(crd_posteriors_answer(posteriors[1], i)->log_evidence,
                        crd_posteriors_answer(posteriors[0], i)->log_evidence, 1e-12);
            for (size_t k = 0; k < crd_classifier_class_count(naive); k++)
                assert_near(crd_posteriors_probabilities(posteriors[1], i)[k],
                            crd_posteriors_probabilities(posteriors[0], i)[k], 1e-12);
        }
    }
    assert_true(rows >= 14);
    crd_reader_close(reader);
    for (int i = 0; i < 2; i++) crd_posteriors_destroy(posteriors[i]);
    crd_classifier_destroy(naive);
    crd_classifier_destroy(network);
    crd_model_destroy(model);
    free(text);
}

static void naive_bayes_is_a_network(void **state) {
    (void)state;
    compare_with_naive(CREDENCE_EXAMPLES "/tennis.csv", "Play");
    compare_with_naive(CREDENCE_DATA "/tabular/car.csv", "class");
}

/* Settings that would do nothing are refused. */
static void settings_that_do_not_go(void **state) {
    (void)state;
    char *text = draw_table();
    crd_model *model = trained(context, text, "t");
    static const char *const cases[][2] = {{"joint", "categories"}, {"attribute-weights", "fitted"}};
    for (size_t i = 0; i < 2; i++) {
        crd_settings *settings;
        crd_classifier *classifier;
        crd_error error;
        assert_done(crd_settings_create(context, &settings, &error), error);
        assert_done(crd_settings_set(settings, "method", crd_text_of("network"), &error), error);
        assert_done(crd_settings_set(settings, cases[i][0], crd_text_of(cases[i][1]), &error), error);
        assert_int_equal(crd_classifier_create(model, settings, &classifier, &error), CRD_ERROR_SETTING);
        assert_string_equal(error.subject, cases[i][0]);
        crd_settings_destroy(settings);
    }
    crd_model_destroy(model);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_with_any_cells_missing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(frames_are_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_share_a_classifier, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unseen_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(contradictions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(naive_bayes_is_a_network, set_up, tear_down),
        cmocka_unit_test_setup_teardown(settings_that_do_not_go, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
