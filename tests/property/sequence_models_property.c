/* SPDX-License-Identifier: MIT */
/* A model of labeled sequences is a function of its columns and the multiset of sequences: over many random ones, in any order,
 * in batches cut anywhere, merged, learned and forgotten again, it has the same bytes, and gives rows of probabilities. Seeds are
 * printed where sequences fail. */
#include "hmm_support.h"

#include "math/random.h"

enum { TABLES = 60, MOST_SEQUENCES = 12, ROOM = 1 << 14 };

static crd_i_random source;

static size_t below(size_t limit) {
    return (size_t)crd_i_random_below(&source, limit);
}

static const char *const labels[] = {"A", "10", "2", "\"a,b\"", "\"q\"\"\"", "\xc3\xa4", ""};
static const char *const words[] = {"red", "blue", "7th", "", "\"x y\""};

/* Rows of one sequence, without its id. */
typedef struct models_item {
    char rows[16][48];
    size_t count;
} models_item;

static void draw(models_item *models, size_t states) {
    models->count = 1 + below(below(4) == 0 ? 16 : 6);
    for (size_t i = 0; i < models->count; i++) {
        char number[24] = "";
        if (below(5) > 0) snprintf(number, sizeof number, "%g", (double)below(1000) / 8 - 20);
        snprintf(models->rows[i], sizeof models->rows[i], "%s,%s,%s", number, words[below(5)],
                 labels[below(8) == 0 ? 6 : below(states)]);
    }
}

/* The sequences of these numbers, with ids by their place. */
static void write_table(char *destination, const models_item *all, const size_t *numbers, size_t count) {
    destination += sprintf(destination, "id,x,w,s\n");
    for (size_t i = 0; i < count; i++)
        for (size_t row = 0; row < all[numbers[i]].count; row++)
            destination += sprintf(destination, "%zu,%s\n", i, all[numbers[i]].rows[row]);
}

static void change(crd_context *context, crd_model *model, const char *text, int sign) {
    crd_reader *reader;
    crd_error error;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    assert_done(open_text(context, text, strlen(text), NULL, &reader, &error), error);
    assert_done(sign > 0 ? crd_model_update_all(model, reader, &facts, &error)
                         : crd_model_forget_all(model, reader, &facts, &error),
                error);
    crd_reader_close(reader);
}

static void expect_bytes(crd_context *context, const crd_model *model, model_bytes wanted) {
    model_bytes got = bytes_of(model, context);
    assert_same_bytes(got, wanted);
    free_bytes(got);
}

/* One that was counted in another order, by small batches, is the same. */
static void expect_same_shuffled(crd_context *context, const models_item *all, size_t *numbers, size_t count,
                                 const crd_settings *settings, model_bytes wanted) {
    static char text[ROOM];
    crd_reader *reader;
    crd_model *model;
    crd_error error;
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    options.sequence = crd_text_of("id");
    options.batch_rows = 1 + below(9);
    for (size_t i = count; i > 1; i--) {
        size_t j = below(i), kept = numbers[i - 1];
        numbers[i - 1] = numbers[j];
        numbers[j] = kept;
    }
    write_table(text, all, numbers, count);
    assert_done(open_text(context, text, strlen(text), "s", &reader, &error), error);
    assert_done(crd_sequence_train(context, reader, &options, settings, &model, NULL, &error), error);
    crd_reader_close(reader);
    expect_bytes(context, model, wanted);
    crd_model_destroy(model);
}

static void expect_rows_of_probabilities(const crd_model *model) {
    static const char *const estimates[] = {"auto", "none", "m:2", "interpolated"};
    static const char *const topologies[] = {"ergodic", "left-to-right", "left-to-right:1"};
    crd_hmm *hmm = hmm_with(model, WITH("transitions", estimates[below(4)], "topology", topologies[below(3)],
                                        "end-probabilities", below(2) == 0 ? "no" : "yes"));
    size_t states = crd_hmm_state_count(hmm), context[3];
    double row[8], end, sum;
    crd_error error;
    for (size_t length = 0; length <= crd_hmm_facts_of(hmm)->order; length++) {
        for (size_t i = 0; i < length; i++) context[i] = below(states);
        assert_done(crd_hmm_next(hmm, context, length, row, &end, &error), error);
        sum = end;
        for (size_t k = 0; k < states; k++) {
            assert_true(row[k] >= 0);
            sum += row[k];
        }
        assert_near(sum, 1, 1e-14);
    }
    crd_hmm_destroy(hmm);
}

/* The first `part` sequences, and the others, learned apart. */
static void expect_sums(crd_context *context, const models_item *all, const size_t *numbers, size_t count,
                        const crd_settings *settings, model_bytes wanted) {
    static char first[ROOM], remainder[ROOM];
    size_t part = 1 + below(count);
    crd_model *left, *right;
    crd_error error;
    write_table(first, all, numbers, part);
    write_table(remainder, all, numbers + part, count - part);
    if (train_sequences(context, first, settings, &left, &error) != CRD_OK) return; /* no labels there */
    model_bytes before = bytes_of(left, context);
    if (train_sequences(context, remainder, settings, &right, &error) == CRD_OK) {
        crd_model *copy;
        assert_done(crd_model_decode(context, before.bytes, before.length, &copy, &error), error);
        assert_done(crd_model_merge(right, copy, &error), error);
        expect_bytes(context, right, wanted);
        crd_model_destroy(copy);
        crd_model_destroy(right);
    }
    change(context, left, remainder, 1);
    expect_bytes(context, left, wanted);
    change(context, left, remainder, -1);
    expect_bytes(context, left, before);
    free_bytes(before);
    crd_model_destroy(left);
}

static void expect_not_learned(crd_context *context, crd_model *model, model_bytes wanted) {
    static const char other[] = "id,x,w,s\n1,1,red,A\n1,2,red,Z\n";
    crd_reader *reader;
    crd_error error;
    assert_done(open_text(context, other, strlen(other), NULL, &reader, &error), error);
    assert_int_equal(crd_model_forget_all(model, reader, NULL, &error), CRD_ERROR_NOT_LEARNED);
    crd_reader_close(reader);
    expect_bytes(context, model, wanted);
}

static void run(uint64_t seed) {
    static char text[ROOM];
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    static const char *const orders[] = {"1", "2", "3"};
    models_item all[MOST_SEQUENCES];
    size_t numbers[MOST_SEQUENCES];
    source = crd_i_random_at(seed, 0);
    size_t states = 1 + below(6);
    size_t count = 1 + below(MOST_SEQUENCES);
    for (size_t i = 0; i < count; i++) draw(&all[numbers[i] = i], states);
    write_table(text, all, numbers, count);
    crd_settings *settings = settings_of(context, WITH("order", orders[below(3)]));
    crd_model *model, *again;
    crd_error error;
    if (train_sequences(context, text, settings, &model, &error) == CRD_OK) {
        model_bytes bytes = bytes_of(model, context);
        assert_done(crd_model_decode(context, bytes.bytes, bytes.length, &again, &error), error);
        expect_bytes(context, again, bytes);
        expect_rows_of_probabilities(again);
        expect_sums(context, all, numbers, count, settings, bytes);
        expect_not_learned(context, again, bytes);
        expect_same_shuffled(context, all, numbers, count, settings, bytes);
        crd_model_destroy(again);
        free_bytes(bytes);
        crd_model_destroy(model);
    } else {
        assert_int_equal(error.status, CRD_ERROR_EMPTY);
    }
    crd_settings_destroy(settings);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void sums_of_sequences(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        print_message("seed %d\n", (int)seed);
        run(seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_of_sequences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
