/* SPDX-License-Identifier: MIT */
/* A model is a function of its schema and the multiset of its rows: over many random tables, rows shuffled, batches cut
 * anywhere, merged in any tree, learned and forgotten again, give the same bytes; and asking many rows at once gives
 * the bits of asking each. Seeds are printed where a table fails. */
#include "model_support.h"
#include "sanitizer_support.h"

#include "model/model_internal.h"

#include <float.h>

enum { FEW_ROWS = 60, MOST_ROWS = 300, MOST_COLUMNS = 6, TABLES = FEWER_IF_SANITIZED(150) };

static uint64_t random_state;

static uint64_t random_bits(void) {
    uint64_t x = random_state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static size_t below(size_t limit) {
    return (size_t)(random_bits() % limit);
}

/* Doubles of every size, sign and exponent, or spread over all up to the greatest. */
static double wild_number(bool far) {
    switch (far ? 6 : below(6)) {
    case 0: return (double)(int)below(20) - 10;
    case 1: return 1e12 + (double)below(1000) / 7;
    case 2: return ldexp((double)(random_bits() >> 11), (int)below(1900) - 1000);
    case 3: return -ldexp((double)(random_bits() >> 11), (int)below(1900) - 1000);
    case 4: return below(2) ? 5e-324 : -0.0;
    case 5: return below(2) ? DBL_MAX : -DBL_MAX;
    default: return below(2) ? ((double)below(2001) / 1000 - 1) * DBL_MAX : (double)((int)below(401) - 200) * 0x1p1016;
    }
}

/* The last column is the target. Categories are texts v0, v1, ...; missing is a NULL text, or NaN. */
typedef struct table {
    size_t rows, columns;
    char kept[160];    /* further tallies; empty: none */
    const char *joint; /* the setting */
    bool is_number[MOST_COLUMNS];
    double numbers[MOST_ROWS][MOST_COLUMNS];
    const char *texts[MOST_ROWS][MOST_COLUMNS];
} table;

static const char *const words[] = {"1", "10", "2", "a", "Zebra", "\xc3\xa4", "a,b", "\"", "line\nbreak", "x y"};

static table *random_table(void) {
    table *new_table = calloc(1, sizeof *new_table);
    assert_non_null(new_table);
    new_table->rows = 1 + below(below(8) == 0 ? MOST_ROWS : FEW_ROWS);
    new_table->columns = 2 + below(MOST_COLUMNS - 1);
    /* Blocks of columns that exist: the last one is the target. */
    static const char *const blocks[] = {"none", "c1,c0", "c0,c2,c1", "c3,c0;c2,c1"};
    new_table->joint =
        new_table->columns < 5 ? blocks[new_table->columns > 2 ? below(new_table->columns - 1) : 0] : blocks[below(4)];
    joint_tally_names joint_tallies = every_joint_tally();
    static const char *const extras[] = {"", "signs,logs"};
    bool is_together = below(2) == 1;
    snprintf(new_table->kept, sizeof new_table->kept, "%s", extras[below(2)]);
    if (is_together && new_table->kept[0] != '\0') strcat(new_table->kept, ",");
    if (is_together) strcat(new_table->kept, joint_tallies.text);
    bool wild = below(2) == 1, far = wild && below(3) == 0;
    for (size_t column = 0; column < new_table->columns; column++) {
        bool is_target = column + 1 == new_table->columns;
        new_table->is_number[column] = !is_target && below(2) == 1;
        size_t missing = below(4), values = 1 + below(10);
        for (size_t row = 0; row < new_table->rows; row++) {
            bool is_missing = missing > 0 && below(is_target ? 8 : 4) < missing;
            new_table->numbers[row][column] = is_missing ? NAN : wild ? wild_number(far) : (double)below(100) / 10;
            new_table->texts[row][column] = is_missing ? NULL : words[below(values)];
        }
    }
    return new_table;
}

/* A frame of some rows of the table, its columns rotated: they meet by name. */
typedef struct batch {
    crd_frame *frame;
    double *numbers[MOST_COLUMNS];
} batch;

static batch batch_of(crd_context *context, const table *source_table, const size_t *rows, size_t count,
                      size_t rotation) {
    batch new_batch = {0};
    crd_error error;
    assert_done(crd_frame_create(context, count, &new_batch.frame, &error), error);
    for (size_t i = 0; i < source_table->columns; i++) {
        size_t column = (i + rotation) % source_table->columns;
        char name[32];
        snprintf(name, sizeof name, "c%zu", column);
        if (source_table->is_number[column]) {
            new_batch.numbers[column] = malloc((count + 1) * sizeof(double));
            assert_non_null(new_batch.numbers[column]);
            for (size_t row = 0; row < count; row++)
                new_batch.numbers[column][row] = source_table->numbers[rows[row]][column];
            assert_done(
                crd_frame_add_numbers(new_batch.frame, crd_text_of(name), new_batch.numbers[column], NULL, &error),
                error);
        } else {
            crd_text texts[MOST_ROWS];
            for (size_t row = 0; row < count; row++) {
                const char *text = source_table->texts[rows[row]][column];
                crd_text none = {NULL, 0};
                texts[row] = text == NULL ? none : crd_text_of(text);
            }
            assert_done(crd_frame_add_texts(new_batch.frame, crd_text_of(name), texts, &error), error);
        }
    }
    return new_batch;
}

static void free_batch(batch *done) {
    crd_frame_destroy(done->frame);
    for (size_t i = 0; i < MOST_COLUMNS; i++) free(done->numbers[i]);
}

static crd_settings *settings_of(crd_context *context, const table *source_table) {
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "joint", crd_text_of(source_table->joint), &error), error);
    return settings;
}

static crd_model *empty_model(crd_context *context, const table *source_table) {
    crd_frame *like;
    crd_model *model;
    crd_error error;
    char name[32];
    assert_done(crd_frame_create(context, 0, &like, &error), error);
    for (size_t column = 0; column < source_table->columns; column++) {
        crd_text none = {NULL, 0};
        snprintf(name, sizeof name, "c%zu", column);
        assert_done(crd_frame_add_texts(like, crd_text_of(name), &none, &error), error);
        /* No kind is declared: the cells must settle it. */
        like->columns[column].type = CRD_TYPE_NONE;
    }
    crd_settings *settings = settings_of(context, source_table);
    assert_done(crd_model_create(context, like, crd_text_of(name), settings, &model, &error), error);
    crd_settings_destroy(settings);
    if (source_table->kept[0] != '\0')
        assert_done(crd_model_keep(model, crd_text_of(source_table->kept), &error), error);
    crd_frame_destroy(like);
    return model;
}

static crd_status try_change(crd_context *context, crd_model *model, const table *source_table, const size_t *rows,
                             size_t count, bool forget, crd_error *error) {
    batch new_batch = batch_of(context, source_table, rows, count, below(source_table->columns));
    crd_status status =
        forget ? crd_model_forget(model, new_batch.frame, error) : crd_model_update(model, new_batch.frame, error);
    free_batch(&new_batch);
    return status;
}

static void change(crd_context *context, crd_model *model, const table *source_table, const size_t *rows, size_t count,
                   bool forget) {
    crd_error error;
    assert_done(try_change(context, model, source_table, rows, count, forget, &error), error);
}

static void shuffle(size_t *rows, size_t count) {
    for (size_t i = count; i > 1; i--) {
        size_t j = below(i), held = rows[i - 1];
        rows[i - 1] = rows[j];
        rows[j] = held;
    }
}

/* Learns in batches cut anywhere. */
static crd_model *learn_cut(crd_context *context, const table *source_table, const size_t *rows, size_t count) {
    crd_model *model = empty_model(context, source_table);
    for (size_t index = 0; index < count;) {
        size_t take = 1 + below(count - index);
        change(context, model, source_table, rows + index, take, false);
        index += take;
    }
    return model;
}

/* Learns by parts that are merged, two at a time, in a random tree. */
static crd_model *learn_tree(crd_context *context, const table *source_table, const size_t *rows, size_t count) {
    if (count < 2 || below(4) == 0) return learn_cut(context, source_table, rows, count);
    size_t cut = below(count + 1);
    crd_model *left = learn_tree(context, source_table, rows, cut),
              *right = learn_tree(context, source_table, rows + cut, count - cut);
    crd_error error;
    assert_done(crd_model_merge(left, right, &error), error);
    crd_model_destroy(right);
    return left;
}

static void same_rows_same_bytes(void **state) {
    crd_context *context = *state;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        random_state = seed;
        table *source_table = random_table();
        size_t rows[MOST_ROWS];
        for (size_t i = 0; i < source_table->rows; i++) rows[i] = i;
        crd_model *whole = empty_model(context, source_table);
        change(context, whole, source_table, rows, source_table->rows, false);
        model_bytes wanted = bytes_of(whole, context);
        for (int way = 0; way < 4; way++) {
            shuffle(rows, source_table->rows);
            crd_model *model = way % 2 ? learn_tree(context, source_table, rows, source_table->rows)
                                       : learn_cut(context, source_table, rows, source_table->rows);
            model_bytes got = bytes_of(model, context);
            if (got.length != wanted.length || memcmp(got.bytes, wanted.bytes, got.length) != 0)
                fail_msg("seed %d, way %d: other bytes", (int)seed, way);
            free_bytes(got);
            crd_model_destroy(model);
        }
        free_bytes(wanted);
        crd_model_destroy(whole);
        free(source_table);
    }
}

/* A model of some rows whose columns stand in an order, and at places, of their own. */
static crd_model *learn_elsewhere(crd_context *context, const table *source_table, const size_t *rows, size_t count) {
    crd_frame *like;
    crd_model *model;
    crd_error error;
    char name[32];
    size_t columns[MOST_COLUMNS];
    for (size_t i = 0; i < source_table->columns; i++) columns[i] = i;
    if (below(3) > 0) shuffle(columns, source_table->columns);
    assert_done(crd_frame_create(context, 0, &like, &error), error);
    for (size_t i = 0; i < source_table->columns; i++) {
        crd_text none = {NULL, 0};
        snprintf(name, sizeof name, "c%zu", columns[i]);
        assert_done(crd_frame_add_texts(like, crd_text_of(name), &none, &error), error);
        like->columns[i].type = CRD_TYPE_NONE;
    }
    snprintf(name, sizeof name, "c%zu", source_table->columns - 1);
    crd_settings *settings = settings_of(context, source_table);
    assert_done(crd_model_create(context, like, crd_text_of(name), settings, &model, &error), error);
    crd_settings_destroy(settings);
    if (source_table->kept[0] != '\0')
        assert_done(crd_model_keep(model, crd_text_of(source_table->kept), &error), error);
    crd_frame_destroy(like);
    size_t shift = 0;
    for (size_t i = 0; i < source_table->columns; i++) model->schema->columns[i].position += shift += below(2);
    model->schema->width += shift + below(2);
    model->schema->has_header = below(2) == 1;
    if (count > 0) change(context, model, source_table, rows, count, false);
    return model;
}

/* Merges models until one is left, any two at a time, either into the other. */
static crd_model *merge_all(crd_model **models, size_t count) {
    while (count > 1) {
        crd_error error;
        size_t into = below(count), other = below(count - 1);
        if (other >= into) other++;
        assert_done(crd_model_merge(models[into], models[other], &error), error);
        crd_model_destroy(models[other]);
        models[other] = models[--count];
    }
    return models[0];
}

static void layouts_merge_in_any_tree(void **state) {
    enum { PARTS = 5 };
    crd_context *context = *state;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        random_state = seed * 31;
        table *source_table = random_table();
        size_t rows[MOST_ROWS], starts[PARTS + 1] = {0};
        model_bytes parts[PARTS], wanted = {0};
        crd_error error;
        for (size_t i = 0; i < source_table->rows; i++) rows[i] = i;
        for (size_t i = 0; i < PARTS; i++) {
            starts[i + 1] = i + 1 == PARTS ? source_table->rows : starts[i] + below(source_table->rows - starts[i] + 1);
            crd_model *part = learn_elsewhere(context, source_table, rows + starts[i], starts[i + 1] - starts[i]);
            parts[i] = bytes_of(part, context);
            crd_model_destroy(part);
        }
        for (int way = 0; way < 4; way++) {
            crd_model *models[PARTS];
            for (size_t i = 0; i < PARTS; i++)
                assert_done(crd_model_decode(context, parts[i].bytes, parts[i].length, &models[i], &error), error);
            crd_model *merged = merge_all(models, PARTS);
            model_bytes got = bytes_of(merged, context);
            if (way == 0) wanted = got;
            else if (got.length != wanted.length || memcmp(got.bytes, wanted.bytes, got.length) != 0)
                fail_msg("seed %d, way %d: other bytes", (int)seed, way);
            /* Its columns still meet rows by name. */
            change(context, merged, source_table, rows, source_table->rows, true);
            change(context, merged, source_table, rows, source_table->rows, false);
            model_bytes again = bytes_of(merged, context);
            assert_same_bytes(got, again);
            free_bytes(again);
            if (way > 0) free_bytes(got);
            crd_model_destroy(merged);
        }
        free_bytes(wanted);
        for (size_t i = 0; i < PARTS; i++) free_bytes(parts[i]);
        free(source_table);
    }
}

/* Forgets in batches cut anywhere. false: it was refused on the way, and that changed nothing. Only sums of complete
 * rows may refuse: they cannot tell what they were before a column had its first cell. */
static bool forget_cut(crd_context *context, crd_model *model, const table *source_table, const size_t *rows,
                       size_t count) {
    for (size_t index = 0; index < count;) {
        size_t take = 1 + below(count - index);
        crd_error error;
        model_bytes before = bytes_of(model, context);
        crd_status status = try_change(context, model, source_table, rows + index, take, true, &error);
        bool is_refused = status == CRD_ERROR_CANNOT_FORGET && strstr(error.message, "'cross-products'") != NULL;
        if (is_refused) {
            model_bytes after = bytes_of(model, context);
            assert_same_bytes(before, after);
            free_bytes(after);
        }
        free_bytes(before);
        if (is_refused) return false;
        assert_done(status, error);
        index += take;
    }
    return true;
}

static void learned_and_forgotten(void **state) {
    crd_context *context = *state;
    size_t refused = 0;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        random_state = seed * 1000;
        table *source_table = random_table();
        /* Cells of numbers that more values made wide would stay so. */
        if (source_table->rows > FEW_ROWS) source_table->rows = FEW_ROWS;
        bool forgotten = true;
        size_t rows[MOST_ROWS];
        for (size_t i = 0; i < source_table->rows; i++) rows[i] = i;
        shuffle(rows, source_table->rows);
        size_t keep = below(source_table->rows + 1);
        crd_model *model = learn_cut(context, source_table, rows, keep);
        model_bytes before = bytes_of(model, context);
        if (keep < source_table->rows) {
            change(context, model, source_table, rows + keep, source_table->rows - keep, false);
            shuffle(rows + keep, source_table->rows - keep);
            forgotten = forget_cut(context, model, source_table, rows + keep, source_table->rows - keep);
        }
        refused += !forgotten;
        model_bytes after = bytes_of(model, context);
        if (forgotten && (after.length != before.length || memcmp(after.bytes, before.bytes, after.length) != 0))
            fail_msg("seed %d: other bytes", (int)seed);

        /* And back from the file. */
        crd_model *decoded;
        crd_error error;
        assert_done(crd_model_decode(context, after.bytes, after.length, &decoded, &error), error);
        model_bytes again = bytes_of(decoded, context);
        assert_same_bytes(after, again);
        free_bytes(again);
        free_bytes(after);
        free_bytes(before);
        crd_model_destroy(decoded);
        crd_model_destroy(model);
        free(source_table);
    }
    assert_true(refused < TABLES / 4);
}

/* The parts of these numbers, with their ids, in a random tree of merges. */
static model_bytes merge_parts(crd_context *context, const model_bytes *parts, const size_t *chosen, size_t count) {
    crd_model *models[MOST_COLUMNS];
    crd_error error;
    for (size_t i = 0; i < count; i++)
        assert_done(crd_model_decode(context, parts[chosen[i]].bytes, parts[chosen[i]].length, &models[i], &error),
                    error);
    crd_model *merged = merge_all(models, count);
    model_bytes bytes = bytes_of(merged, context);
    crd_model_destroy(merged);
    return bytes;
}

/* Parts that were merged are retracted, down to the first: each time the bytes of those that are left, and none is counted twice. */
static void parts_are_retracted(void **state) {
    enum { PARTS = MOST_COLUMNS };
    crd_context *context = *state;
    size_t refused = 0;
    for (uint64_t seed = 1; seed <= TABLES / 2; seed++) {
        random_state = seed * 77;
        table *source_table = random_table();
        if (source_table->rows > FEW_ROWS) source_table->rows = FEW_ROWS;
        size_t rows[MOST_ROWS], order[PARTS], index = 0, left = PARTS;
        model_bytes parts[PARTS];
        crd_error error;
        for (size_t i = 0; i < source_table->rows; i++) rows[i] = i;
        for (size_t i = 0; i < PARTS; i++) {
            size_t count = i + 1 == PARTS ? source_table->rows - index : below(source_table->rows - index + 1);
            crd_model *part = learn_cut(context, source_table, rows + index, count);
            assert_done(crd_model_set_part(part, crd_text_of(words[i]), &error), error);
            parts[i] = bytes_of(part, context);
            crd_model_destroy(part);
            order[i] = i;
            index += count;
        }
        shuffle(order, PARTS);
        crd_model *sum, *part;
        model_bytes all = merge_parts(context, parts, order, PARTS);
        assert_done(crd_model_decode(context, all.bytes, all.length, &sum, &error), error);
        while (left > 1) {
            const model_bytes next = parts[order[--left]];
            assert_int_equal(crd_model_merge_bytes(sum, next.bytes, next.length, &error), CRD_ERROR_DUPLICATE);
            assert_done(crd_model_decode(context, next.bytes, next.length, &part, &error), error);
            crd_status status = crd_model_retract(sum, part, &error);
            crd_model_destroy(part);
            if (status == CRD_ERROR_CANNOT_FORGET && strstr(error.message, "'cross-products'") != NULL) break;
            assert_done(status, error);
            model_bytes got = bytes_of(sum, context), wanted = merge_parts(context, parts, order, left);
            if (got.length != wanted.length || memcmp(got.bytes, wanted.bytes, got.length) != 0)
                fail_msg("seed %d, %zu parts: other bytes", (int)seed, left);
            free_bytes(got);
            free_bytes(wanted);
        }
        refused += left > 1;
        crd_model_destroy(sum);
        free_bytes(all);
        for (size_t i = 0; i < PARTS; i++) free_bytes(parts[i]);
        free(source_table);
    }
    assert_true(refused < TABLES / 8);
}

static const char *const smoothings[] = {"none", "m:1", "m:2.5:marginal", "laplace:1"};
static const char *const shares[] = {"none", "classes", "attributes", "all"};

static void check_row(const crd_classifier *classifier, const crd_frame *frame, size_t row,
                      const crd_posteriors *posteriors, crd_context *context) {
    crd_value values[MOST_COLUMNS];
    double logs[16], probabilities[16], sum = 0;
    crd_answer answer;
    crd_error error;
    (void)context;
    size_t classes = crd_classifier_class_count(classifier);
    for (size_t i = 0; i < crd_classifier_attribute_count(classifier); i++) {
        size_t column = 0;
        while (!crd_text_equal(crd_frame_column_name(frame, column), crd_classifier_attribute(classifier, i))) column++;
        values[i] = crd_frame_value(frame, row, column);
    }
    assert_done(crd_classifier_posterior(classifier, values, logs, probabilities, &answer, &error), error);
    assert_memory_equal(logs, crd_posteriors_log(posteriors, row), classes * sizeof *logs);
    assert_memory_equal(probabilities, crd_posteriors_probabilities(posteriors, row), classes * sizeof *probabilities);
    const crd_answer *batched = crd_posteriors_answer(posteriors, row);
    assert_int_equal(answer.decision, batched->decision);
    assert_int_equal(answer.tied, batched->tied);
    assert_int_equal(answer.unseen, batched->unseen);
    assert_memory_equal(&answer.log_evidence, &batched->log_evidence, sizeof answer.log_evidence);
    for (size_t k = 0; k < classes; k++) {
        assert_true(logs[k] <= 0);
        sum += probabilities[k];
    }
    if (answer.decision < 0) {
        assert_true(sum == 0);
        return;
    }
    assert_near(sum, 1, 2e-15);
    /* The terms add up, in the order of the schema. */
    for (size_t k = 0; k < classes; k++) {
        crd_term term = CRD_TERM_INIT;
        assert_done(crd_classifier_prior(classifier, k, &term, &error), error);
        double total = term.log_value;
        for (size_t i = 0; i < crd_classifier_attribute_count(classifier); i++) {
            assert_done(crd_classifier_term(classifier, i, k, &values[i], &term, &error), error);
            total += term.log_value;
        }
        /* The only class is certain, however little it makes of a row. */
        if (total == -INFINITY) assert_true(logs[k] == (classes == 1 ? 0 : -INFINITY));
        else assert_near(total - answer.log_evidence, logs[k], 1e-14 * (1 + fabs(total) + fabs(answer.log_evidence)));
    }
}

static void batch_equals_rows(void **state) {
    crd_context *context = *state;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        random_state = seed * 7777;
        table *source_table = random_table();
        source_table->joint = "none"; /* terms are those of single attributes */
        size_t rows[MOST_ROWS];
        for (size_t i = 0; i < source_table->rows; i++) rows[i] = i;
        /* Some of the rows are new to the model, and may have values that it never saw. */
        crd_model *model = learn_cut(context, source_table, rows, 1 + below(source_table->rows));
        batch new_batch = batch_of(context, source_table, rows, source_table->rows, below(source_table->columns));
        crd_posteriors *posteriors;
        crd_error error;
        assert_done(crd_posteriors_create(context, &posteriors, &error), error);
        crd_classifier *probe;
        bool has_classes = crd_classifier_create(model, NULL, &probe, &error) == CRD_OK;
        crd_classifier_destroy(probe);
        for (int i = 0; has_classes && i < 6; i++) {
            crd_classifier *classifier =
                classifier_with(model, context,
                                WITH("smoothing", smoothings[below(4)], "pool-variance", shares[below(4)], "variance",
                                     below(2) ? "mle" : "sample", "prior", below(2) ? "uniform" : "frequency", "min-sd",
                                     below(2) ? "0" : "0.01"));
            assert_done(crd_classifier_classify(classifier, new_batch.frame, posteriors, &error), error);
            assert_int_equal(crd_posteriors_rows(posteriors), source_table->rows);
            for (size_t row = 0; row < source_table->rows; row++)
                check_row(classifier, new_batch.frame, row, posteriors, context);
            crd_classifier_destroy(classifier);
        }
        crd_posteriors_destroy(posteriors);
        free_batch(&new_batch);
        crd_model_destroy(model);
        free(source_table);
    }
}

static void many_columns_do_not_underflow(void **state) {
    enum { COLUMNS = 30000, ROWS = 6 };
    crd_context *context = *state;
    crd_frame *frame;
    crd_error error;
    random_state = 3;
    double *numbers = malloc(COLUMNS * ROWS * sizeof *numbers);
    assert_non_null(numbers);
    assert_done(crd_frame_create(context, ROWS, &frame, &error), error);
    for (size_t i = 0; i < COLUMNS; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%zu", i);
        for (size_t row = 0; row < ROWS; row++) numbers[i * ROWS + row] = (double)below(256) + (row % 2 ? 0.5 : 0);
        assert_done(crd_frame_add_numbers(frame, crd_text_of(name), numbers + i * ROWS, NULL, &error), error);
    }
    const crd_text labels[] = {{"a", 1}, {"b", 1}, {"a", 1}, {"b", 1}, {"a", 1}, {"b", 1}};
    assert_done(crd_frame_add_texts(frame, crd_text_of("class"), labels, &error), error);
    crd_model *model;
    assert_done(crd_model_create(context, frame, crd_text_of("class"), NULL, &model, &error), error);
    assert_done(crd_model_update(model, frame, &error), error);
    crd_classifier *classifier;
    crd_posteriors *posteriors;
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    assert_done(crd_posteriors_create(context, &posteriors, &error), error);
    assert_done(crd_classifier_classify(classifier, frame, posteriors, &error), error);
    for (size_t row = 0; row < ROWS; row++) {
        const double *logs = crd_posteriors_log(posteriors, row);
        assert_near(crd_exp(logs[0]) + crd_exp(logs[1]), 1, 1e-12);
        assert_true(isfinite(crd_posteriors_answer(posteriors, row)->log_evidence));
        assert_int_equal(crd_posteriors_answer(posteriors, row)->decision, row % 2);
    }
    crd_posteriors_destroy(posteriors);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    crd_frame_destroy(frame);
    free(numbers);
}

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_rows_same_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(layouts_merge_in_any_tree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(learned_and_forgotten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parts_are_retracted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(batch_equals_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_columns_do_not_underflow, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
