/* SPDX-License-Identifier: MIT */
/* What processes of a group find in rows of which each has a part, and what one process finds in all of them: latent classes,
 * classes of unlabeled rows, structures, tables of networks by EM, states of sequences; and how they fail together. */
#include "shortage_support.h"

#include "math/random.h"

#include <credence/hmm_train.h>
#include <credence/latent.h>
#include <credence/sequence.h>
#include <credence/structure.h>

#include <signal.h>

enum { ROWS = 4000, STEPS = 40 };
enum { LATENT, UNLABELED, STRUCTURE, TABLES, HIDDEN_STATES, LABELED_STATES, WAYS };

/* Sequences of rows. Three classes; a label that half of the rows lack, a number, two categories of which cells are missing. */
static char *draw_rows(void) {
    char *rows = malloc(50 * ROWS + 64), *destination = rows + sprintf(rows, "label,x,c,d,id\n");
    for (size_t i = 0; i < ROWS; i++) {
        crd_i_random random = crd_i_random_at(11, i);
        const int k = (int)crd_i_random_below(&random, 3);
        const double x = 2.0 * k + crd_i_random_normal(&random);
        const int c = crd_i_random_uniform(&random) < 0.8 ? k : (int)crd_i_random_below(&random, 3);
        const bool has_label = crd_i_random_uniform(&random) < 0.5, has_c = crd_i_random_uniform(&random) < 0.9;
        const char *d = i % 7 == 0 ? "" : c == k ? "yes" : "no";
        destination +=
            sprintf(destination, "%s,%.1f,%s,%s,%zu\n", has_label ? (const char *[]){"one", "two", "three"}[k] : "", x,
                    has_c ? (const char *[]){"a", "b", "e"}[c] : "", d, i / STEPS);
    }
    return rows;
}

typedef struct collective_learner {
    const char *rows;
    unsigned way;
    bool is_cancelled;    /* in process 1 */
    unsigned char *bytes; /* of the model of one process */
    size_t length;
} collective_learner;

static crd_status open_part(crd_context *context, const collective_learner *learner, crd_reader **out,
                            crd_error *error) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.threads = 1;
    options.shard = context->processes.communicator.rank + 1;
    options.shard_count = context->processes.communicator.count;
    if (options.shard_count == 1) options.shard = options.shard_count = 0;
    return crd_reader_open_memory(context, learner->rows, strlen(learner->rows), "rows", &options, out, error);
}

static crd_status learn_structure(crd_reader *reader, crd_settings *settings, crd_model **out, crd_error *error) {
    crd_row_source *source = NULL;
    crd_structure *found_structure = NULL;
    const crd_text none = {NULL, 0};
    crd_status status = crd_reader_select_ignored(reader, crd_text_of("x"), error);
    if (status == CRD_OK) status = crd_settings_set(settings, "method", crd_text_of("network"), error);
    if (status == CRD_OK) status = crd_settings_set(settings, "search", crd_text_of("hill-climb"), error);
    if (status == CRD_OK) status = crd_row_source_create_unlabeled(reader, &source, error);
    is_together = status == CRD_OK;
    if (status == CRD_OK) status = crd_structure_learn(source, settings, NULL, &found_structure, error);
    is_together = is_together && status != CRD_OK;
    if (status == CRD_OK)
        status = crd_settings_set(settings, "arcs", crd_text_of(crd_structure_arcs(found_structure)), error);
    is_together = is_together || status == CRD_OK;
    if (status == CRD_OK) status = crd_row_source_train(source, settings, none, out, NULL, error);
    crd_structure_destroy(found_structure);
    crd_row_source_destroy(source);
    return status;
}

static crd_status fit_tables(crd_context *context, crd_reader *reader, crd_settings *settings, crd_model **out,
                             crd_error *error) {
    crd_status status = crd_reader_select_ignored(reader, crd_text_of("x"), error);
    if (status == CRD_OK) status = crd_settings_set(settings, "method", crd_text_of("network"), error);
    if (status == CRD_OK)
        status = crd_settings_set(settings, "arcs", crd_text_of("h->label,h->c,h->d,label->d"), error);
    if (status == CRD_OK) status = crd_settings_set(settings, "latent-nodes", crd_text_of("h:2"), error);
    if (status == CRD_OK) status = crd_settings_set(settings, "iterations", crd_text_of("5"), error);
    is_together = status == CRD_OK;
    if (status == CRD_OK) status = crd_model_train(context, reader, settings, out, NULL, error);
    if (status == CRD_OK) status = crd_model_fit(*out, error);
    if (status == CRD_OK) return CRD_OK;
    crd_model_destroy(*out);
    *out = NULL;
    return status;
}

static crd_status learn_sequences(crd_context *context, crd_reader *reader, bool is_hidden, crd_settings *settings,
                                  crd_model **out, crd_error *error) {
    crd_sequence_options where = CRD_SEQUENCE_OPTIONS_INIT;
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_sequences *sequences = NULL;
    where.sequence = crd_text_of("id");
    options.states = 2;
    options.restarts = 2;
    options.most_steps = 3;
    options.threads = 1;
    crd_status status = crd_settings_set(settings, "method", crd_text_of("sequence"), error);
    if (status == CRD_OK && !is_hidden) {
        status = crd_reader_set_target(reader, 0, error);
        is_together = status == CRD_OK;
        return status == CRD_OK ? crd_sequence_train(context, reader, &where, settings, out, NULL, error) : status;
    }
    if (status == CRD_OK) status = crd_reader_select_ignored(reader, crd_text_of("label"), error);
    is_together = status == CRD_OK;
    if (status == CRD_OK) status = crd_sequences_read(reader, &where, &sequences, error);
    if (status == CRD_OK) status = crd_hmm_train(sequences, crd_text_of("state"), settings, &options, out, NULL, error);
    crd_sequences_destroy(sequences);
    return status;
}

static crd_status learn(crd_context *context, const collective_learner *learner, crd_model **out, crd_error *error) {
    crd_reader *reader = NULL;
    crd_settings *settings = NULL;
    crd_latent_options classes = CRD_LATENT_OPTIONS_INIT;
    classes.classes = 2;
    classes.restarts = 2;
    classes.most_steps = 5;
    *out = NULL;
    crd_status status = open_part(context, learner, &reader, error);
    if (learner->is_cancelled && context->processes.communicator.rank == 1) crd_context_cancel(context);
    if (status == CRD_OK) status = crd_settings_create(context, &settings, error);
    if (status == CRD_OK && learner->way < HIDDEN_STATES)
        status = crd_reader_select_ignored(reader, crd_text_of("id"), error);
    if (status == CRD_OK && learner->way == LATENT) {
        status = crd_reader_select_ignored(reader, crd_text_of("label"), error);
        is_together = status == CRD_OK;
        if (status == CRD_OK) status = crd_latent_train(reader, crd_text_of("k"), settings, &classes, out, NULL, error);
    } else if (status == CRD_OK && learner->way == UNLABELED) {
        crd_unlabeled_options all = CRD_UNLABELED_OPTIONS_INIT;
        all.weight = 0.5;
        status = crd_reader_set_target(reader, 0, error);
        is_together = status == CRD_OK;
        if (status == CRD_OK) status = crd_unlabeled_train(reader, settings, &all, out, NULL, error);
    } else if (status == CRD_OK && learner->way == STRUCTURE) {
        status = learn_structure(reader, settings, out, error);
    } else if (status == CRD_OK && learner->way >= HIDDEN_STATES) {
        status = learn_sequences(context, reader, learner->way == HIDDEN_STATES, settings, out, error);
    } else if (status == CRD_OK) {
        status = fit_tables(context, reader, settings, out, error);
    }
    crd_settings_destroy(settings);
    crd_reader_close(reader);
    return status;
}

static bool learn_same(crd_context *context, void *state) {
    const collective_learner *learner = state;
    crd_model *model;
    crd_error error;
    unsigned char *bytes = NULL;
    size_t length = 0;
    bool is_same = learn(context, learner, &model, &error) == CRD_OK &&
                   crd_model_encode(model, &bytes, &length, &error) == CRD_OK && length == learner->length &&
                   memcmp(bytes, learner->bytes, length) == 0;
    if (!is_same) print_message("way %u: %s\n", learner->way, error.message);
    crd_free(context, bytes);
    crd_model_destroy(model);
    crd_context_destroy(context);
    return is_same;
}

static void test_finds_what_one_process_does(void **state) {
    (void)state;
    crd_context *context;
    char *rows = draw_rows();
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (unsigned way = 0; way < WAYS; way++) {
        collective_learner learner = {.rows = rows, .way = way};
        crd_model *model;
        crd_error error;
        assert_done(learn(context, &learner, &model, &error), error);
        assert_done(crd_model_encode(model, &learner.bytes, &learner.length, &error), error);
        crd_model_destroy(model);
        assert_true(run_group(2, learn_same, &learner));
        assert_true(run_group(5, learn_same, &learner));
        crd_free(context, learner.bytes);
    }
    crd_context_destroy(context);
    free(rows);
}

/* ---- Failures ---- */

static bool be_cancelled(crd_context *context, void *state) {
    crd_model *model;
    crd_error error;
    const crd_status status = learn(context, state, &model, &error);
    const bool is_cancelled = status == CRD_ERROR_CANCELLED && model == NULL;
    if (!is_cancelled) print_message("process %u: %s\n", context->processes.communicator.rank, error.message);
    crd_context_destroy(context);
    return is_cancelled;
}

static void test_is_cancelled_together(void **state) {
    (void)state;
    char *rows = draw_rows();
    for (unsigned way = 0; way < WAYS; way++) {
        collective_learner learner = {.rows = rows, .way = way, .is_cancelled = true};
        assert_true(run_group(3, be_cancelled, &learner));
    }
    free(rows);
}

/* The memory of one process is over at some point. */
static crd_status learn_short(crd_context *context, const void *rows, crd_error *error) {
    crd_model *model;
    const crd_status status = learn(context, rows, &model, error);
    assert_true((status == CRD_OK) == (model != NULL));
    crd_model_destroy(model);
    return status;
}

static void test_runs_short_of_memory_together(void **state) {
    (void)state;
    char *rows = draw_rows();
    *strchr(rows + 8000, '\n') = '\0';
    for (unsigned way = 0; way < WAYS; way++) {
        const collective_learner learner = {.rows = rows, .way = way};
        shortage memory_shortage = {.work = learn_short,
                                    .rows = &learner,
                                    .poor = (way + 1) % SHORT_PROCESSES,
                                    .refused = 100,
                                    .is_lasting = way % 2 != 0,
                                    .ends = tmpfile()};
        assert_non_null(memory_shortage.ends);
        while (fails_together(&memory_shortage))
            memory_shortage.refused +=
                memory_shortage.refused < 160 ? 1 : 29; /* the first ones are before the first message */
        fclose(memory_shortage.ends);
    }
    free(rows);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_what_one_process_does),
        cmocka_unit_test(test_is_cancelled_together),
        cmocka_unit_test(test_runs_short_of_memory_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
