/* SPDX-License-Identifier: MIT */
/* Models of networks, over many random structures and tables: rows in any order, in batches, merged from parts,
 * weighed, learned and forgotten again, leave the same bytes and so the same tables; folds leave what training on the
 * others leaves; and the tables are those that a plain count gives: with a target, of rows that have it, and without
 * one of all rows. Seeds are printed where one fails. */
#include "evaluate/cross_validation.h"
#include "network_support.h"

#include "model/model_internal.h"

enum { MOST_ROWS = 50, COLUMNS = 6, SEEDS = 120, MOST_VALUES = 3 };

static crd_i_random randoms;

static size_t below(size_t limit) {
    return (size_t)crd_i_random_below(&randoms, limit);
}

/* ---- Structures and tables ---- */

typedef struct table {
    size_t rows;
    size_t target;                    /* SIZE_MAX: none */
    bool is_parent[COLUMNS][COLUMNS]; /* of the first, the second */
    bool is_node[COLUMNS];
    bool is_number[COLUMNS];        /* none but where numbers are drawn, too */
    int values[MOST_ROWS][COLUMNS]; /* -1: missing */
    double weights[MOST_ROWS];
    char structure[512];
} table;

static const char *const words[] = {"x", "10", "2"};

/* Arcs go along a random order, so that there is no directed cycle. */
static void draw_structure(table *target_table, bool has_target, bool has_numbers) {
    size_t order[COLUMNS], used = 0;
    for (size_t i = 0; i < COLUMNS; i++) {
        size_t index = below(i + 1);
        order[i] = order[index];
        order[index] = i;
    }
    size_t always = below(COLUMNS);
    target_table->target = has_target ? always : SIZE_MAX;
    for (size_t i = 0; i < COLUMNS; i++) target_table->is_node[i] = i == always || below(5) > 0;
    for (size_t i = 0; has_numbers && i < COLUMNS; i++)
        target_table->is_number[i] = i != target_table->target && below(2) == 0;
    for (size_t i = 0; i < COLUMNS; i++)
        for (size_t j = 0; j < i; j++) {
            size_t a = order[j], b = order[i];
            target_table->is_parent[b][a] = target_table->is_node[a] && target_table->is_node[b] && below(5) < 2;
            if (target_table->is_number[a] && !target_table->is_number[b]) target_table->is_parent[b][a] = false;
            if (target_table->is_parent[b][a])
                used += (size_t)snprintf(target_table->structure + used, sizeof target_table->structure - used,
                                         "%sc%zu->c%zu", used == 0 ? "" : ",", a, b);
        }
    for (size_t i = 0; i < COLUMNS; i++)
        if (target_table->is_node[i])
            used += (size_t)snprintf(target_table->structure + used, sizeof target_table->structure - used, "%sc%zu",
                                     used == 0 ? "" : ",", i);
}

/* Where there is no target, a fifth of the cells is missing. */
static table *random_table(uint64_t seed, bool has_target, bool has_numbers) {
    table *new_table = calloc(1, sizeof *new_table);
    assert_non_null(new_table);
    randoms = crd_i_random_at(seed, 0);
    draw_structure(new_table, has_target, has_numbers);
    new_table->rows = 1 + below(MOST_ROWS);
    size_t missing = below(4);
    for (size_t row = 0; row < new_table->rows; row++) {
        new_table->weights[row] = (double)(1 + below(9)) / 8;
        for (size_t i = 0; i < COLUMNS; i++) {
            bool is_missing = has_target ? below(8) < missing : below(5) == 0;
            new_table->values[row][i] = is_missing ? -1 : (int)below(MOST_VALUES);
            if (has_target && i == new_table->target && row == 0) new_table->values[row][i] = 0;
        }
    }
    return new_table;
}

static crd_frame *frame_of(crd_context *context, const table *source_table, const size_t *rows, size_t count,
                           size_t rotation, double *weights) {
    crd_frame *frame;
    crd_error error;
    assert_done(crd_frame_create(context, count, &frame, &error), error);
    for (size_t i = 0; i < COLUMNS; i++) {
        size_t column = (i + rotation) % COLUMNS;
        crd_text texts[MOST_ROWS];
        /* Frames borrow numbers, and no two frames live at once. */
        static double all_numbers[COLUMNS][MOST_ROWS];
        double *numbers = all_numbers[i];
        char name[32];
        snprintf(name, sizeof name, "c%zu", column);
        for (size_t row = 0; row < count; row++) {
            int value = source_table->values[rows[row]][column];
            const crd_text none = {NULL, 0};
            texts[row] = value < 0 ? none : crd_text_of(words[value]);
            numbers[row] = value < 0 ? (double)NAN : 1e6 + value * 0.1 * (double)(1 + rows[row] % 7);
        }
        if (source_table->is_number[column])
            assert_done(crd_frame_add_numbers(frame, crd_text_of(name), numbers, NULL, &error), error);
        else assert_done(crd_frame_add_texts(frame, crd_text_of(name), texts, &error), error);
    }
    for (size_t row = 0; weights != NULL && row < count; row++) weights[row] = source_table->weights[rows[row]];
    if (weights != NULL) assert_done(crd_frame_add_numbers(frame, crd_text_of("w"), weights, NULL, &error), error);
    return frame;
}

static crd_settings *settings_of(crd_context *context, const table *source_table) {
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "method", crd_text_of("network"), &error), error);
    assert_done(crd_settings_set(settings, "arcs", crd_text_of(source_table->structure), &error), error);
    assert_done(crd_settings_set(settings, "smoothing", crd_text_of("none"), &error), error);
    return settings;
}

static crd_text target_of(const table *source_table, char name[32]) {
    const crd_text none = {NULL, 0};
    snprintf(name, 32, "c%zu", source_table->target);
    return source_table->target == SIZE_MAX ? none : crd_text_of(name);
}

static crd_model *empty_model(crd_context *context, const table *source_table, bool is_weighted) {
    crd_model *model;
    crd_error error;
    char name[32];
    double none[1];
    crd_frame *like = frame_of(context, source_table, NULL, 0, 0, is_weighted ? none : NULL);
    crd_settings *settings = settings_of(context, source_table);
    crd_text target = target_of(source_table, name);
    assert_done(is_weighted
                    ? crd_model_create_weighted(context, like, target, crd_text_of("w"), settings, &model, &error)
                    : crd_model_create(context, like, target, settings, &model, &error),
                error);
    crd_settings_destroy(settings);
    crd_frame_destroy(like);
    return model;
}

static void learn(crd_context *context, crd_model *model, const table *source_table, const size_t *rows, size_t count,
                  bool is_weighted, bool forgets) {
    double weights[MOST_ROWS];
    crd_error error;
    crd_frame *frame = frame_of(context, source_table, rows, count, below(COLUMNS), is_weighted ? weights : NULL);
    assert_done(forgets ? crd_model_forget(model, frame, &error) : crd_model_update(model, frame, &error), error);
    crd_frame_destroy(frame);
}

static void shuffle(size_t *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t index = below(i + 1);
        rows[i] = rows[index];
        rows[index] = i;
    }
}

static void assert_same_models(const crd_model *a, const crd_model *b, crd_context *context, uint64_t seed,
                               const char *description) {
    model_bytes mine = bytes_of(a, context), theirs = bytes_of(b, context);
    if (mine.length != theirs.length || memcmp(mine.bytes, theirs.bytes, mine.length) != 0)
        fail_msg("seed %d: other bytes where %s", (int)seed, description);
    free_bytes(mine);
    free_bytes(theirs);
}

/* ---- What is the same ---- */

static void bytes_are_a_function_of_the_rows(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        allocations counted = {0};
        crd_context *context = counted_context(&counted);
        table *source_table = random_table(seed, seed % 4 < 2, seed % 8 < 4);
        bool is_weighted = seed % 2 == 0;
        size_t rows[MOST_ROWS];
        crd_error error;
        for (size_t i = 0; i < source_table->rows; i++) rows[i] = i;
        crd_model *whole = empty_model(context, source_table, is_weighted);
        learn(context, whole, source_table, rows, source_table->rows, is_weighted, false);

        crd_model *batches = empty_model(context, source_table, is_weighted),
                  *part = empty_model(context, source_table, is_weighted);
        shuffle(rows, source_table->rows);
        for (size_t index = 0, count; index < source_table->rows; index += count) {
            count = 1 + below(source_table->rows - index);
            learn(context, below(2) == 0 ? batches : part, source_table, rows + index, count, is_weighted, false);
        }
        assert_done(crd_model_merge(batches, part, &error), error);
        assert_same_models(whole, batches, context, seed, "parts were merged");

        size_t others = 1 + below(source_table->rows);
        learn(context, batches, source_table, rows, others, is_weighted, false);
        learn(context, batches, source_table, rows, others, is_weighted, true);
        assert_same_models(whole, batches, context, seed, "rows were learned and forgotten");

        model_bytes bytes = bytes_of(whole, context);
        crd_model *read;
        assert_done(crd_model_decode(context, bytes.bytes, bytes.length, &read, &error), error);
        assert_same_models(whole, read, context, seed, "it was read from a file");
        free_bytes(bytes);
        crd_model_destroy(read);
        crd_model_destroy(part);
        crd_model_destroy(batches);
        crd_model_destroy(whole);
        free(source_table);
        crd_context_destroy(context);
        assert_int_equal(counted.live, 0);
    }
}

static void folds_leave_what_training_leaves(void **state) {
    (void)state;
    enum { FOLDS = 3 };
    for (uint64_t seed = 1; seed <= SEEDS / 2; seed++) {
        allocations counted = {0};
        crd_context *context = counted_context(&counted);
        table *source_table = random_table(seed, true, false);
        size_t rows[MOST_ROWS];
        uint32_t folds[MOST_ROWS];
        char name[32];
        crd_error error;
        for (size_t i = 0; i < source_table->rows; i++) {
            rows[i] = i;
            folds[i] = (uint32_t)(i < FOLDS ? i : below(FOLDS));
        }
        crd_settings *settings = settings_of(context, source_table);
        crd_i_cross_validation *validation;
        assert_done(
            crd_i_cross_validation_create(context, target_of(source_table, name), settings, &validation, &error),
            error);
        crd_frame *frame = frame_of(context, source_table, rows, source_table->rows, 0, NULL);
        assert_done(crd_i_cross_validation_learn(validation, frame, folds, &error), error);
        assert_done(crd_i_cross_validation_finish(validation, &error), error);
        for (uint32_t fold = 0; fold < FOLDS && fold < source_table->rows; fold++) {
            size_t left[MOST_ROWS], count = 0;
            crd_model *got, *wanted = empty_model(context, source_table, false);
            for (size_t i = 0; i < source_table->rows; i++)
                if (folds[i] != fold) left[count++] = i;
            learn(context, wanted, source_table, left, count, false, false);
            assert_done(crd_i_cross_validation_model(validation, fold, &got, &error), error);
            assert_same_models(got, wanted, context, seed, "a fold was left out");
            crd_model_destroy(got);
            crd_model_destroy(wanted);
        }
        crd_frame_destroy(frame);
        crd_i_cross_validation_destroy(validation);
        crd_settings_destroy(settings);
        free(source_table);
        crd_context_destroy(context);
        assert_int_equal(counted.live, 0);
    }
}

/* ---- Tables ---- */

/* The value of a node that has this state; the columns have names of the model's order. */
static int value_of(const crd_network *network, size_t node, size_t state) {
    crd_text text = crd_network_state(network, node, state);
    for (int i = 0; i < MOST_VALUES; i++)
        if (crd_text_equal(text, crd_text_of(words[i]))) return i;
    return -1;
}

static void check_row(const table *source_table, const crd_network *network, size_t node, size_t row, uint64_t seed) {
    size_t columns[COLUMNS], states[COLUMNS], rows, left = row, parents = crd_network_parent_count(network, node);
    double counts[MOST_VALUES] = {0}, total = 0;
    for (size_t p = parents; p-- > 0;) {
        size_t parent = crd_network_parent(network, node, p), count = crd_network_state_count(network, parent);
        columns[p] = (size_t)(crd_network_node_name(network, parent).bytes[1] - '0');
        states[p] = left % count;
        left /= count;
    }
    size_t node_column = (size_t)(crd_network_node_name(network, node).bytes[1] - '0');
    for (size_t r = 0; r < source_table->rows; r++) {
        bool is_learned = source_table->target == SIZE_MAX || source_table->values[r][source_table->target] >= 0;
        bool fits = is_learned && source_table->values[r][node_column] >= 0;
        for (size_t p = 0; fits && p < parents; p++)
            fits = source_table->values[r][columns[p]] ==
                   value_of(network, crd_network_parent(network, node, p), states[p]);
        if (!fits) continue;
        counts[source_table->values[r][node_column]]++;
        total++;
    }
    size_t count = crd_network_state_count(network, node);
    const double *probabilities = crd_network_cpt(network, node, &rows) + row * count;
    for (size_t s = 0; s < count; s++) {
        double wanted = total == 0 ? 1 / (double)count : counts[value_of(network, node, s)] / total;
        if (probabilities[s] != wanted)
            fail_msg("seed %d: %s, row %zu, state %zu: %.17g instead of %.17g", (int)seed,
                     crd_network_node_name(network, node).bytes, row, s, probabilities[s], wanted);
    }
}

static void tables_are_plain_counts(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        allocations counted = {0};
        crd_context *context = counted_context(&counted);
        table *source_table = random_table(seed, seed % 2 == 0, false);
        size_t rows[MOST_ROWS];
        crd_network *network;
        crd_error error;
        for (size_t i = 0; i < source_table->rows; i++) rows[i] = i;
        crd_model *model = empty_model(context, source_table, false);
        learn(context, model, source_table, rows, source_table->rows, false, false);
        assert_true((crd_model_target(model).bytes == NULL) == (source_table->target == SIZE_MAX));
        assert_done(crd_network_from_model(model, NULL, &network, &error), error);
        for (size_t node = 0; node < crd_network_node_count(network); node++) {
            size_t table_rows;
            crd_network_cpt(network, node, &table_rows);
            for (size_t row = 0; row < table_rows; row++) check_row(source_table, network, node, row, seed);
        }
        crd_network_destroy(network);
        crd_model_destroy(model);
        free(source_table);
        crd_context_destroy(context);
        assert_int_equal(counted.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_a_function_of_the_rows),
        cmocka_unit_test(folds_leave_what_training_leaves),
        cmocka_unit_test(tables_are_plain_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
