/* SPDX-License-Identifier: MIT */
/* Tables whose values and classes are many and seldom meet, so that counts are kept one by one: the same rows give
 * the same bytes in any order, batches and tree of merges, and when others were learned and forgotten; answers are
 * those of the formulas on a plain array of counts; and training, writing, reading, looking inside and answering
 * take room in proportion to the rows. Seeds are printed where a table fails. */
#include "model_support.h"

#include <stdatomic.h>

enum { MOST_ROWS = 4500, LEAST_NAMES = 1200, MOST_NAMES = 1400, ATTRIBUTES = 2, TABLES = 6 };

static uint64_t random_state;

static size_t below(size_t limit) {
    uint64_t x = random_state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (size_t)((x ^ x >> 31) % limit);
}

/* Names by number, zero-filled so that their order is that of their numbers. */
typedef char name[8];
static name names[MOST_NAMES];

static int number_of(crd_text text) {
    int number = 0;
    for (size_t i = 1; i < text.length; i++) number = 10 * number + (text.bytes[i] - '0');
    return number;
}

static const char *const headings[] = {"a", "b", "y"};

/* Numbers of names; -1: missing. The last column is the target. */
typedef struct table {
    size_t rows;
    bool is_weighted;
    int cells[MOST_ROWS][ATTRIBUTES + 1];
    double weights[MOST_ROWS];
} table;

static table *random_table(void) {
    table *new_table = calloc(1, sizeof *new_table);
    assert_non_null(new_table);
    new_table->rows = 2 * MOST_ROWS / 3 + below(MOST_ROWS / 3);
    new_table->is_weighted = below(2) == 1;
    size_t most[ATTRIBUTES + 1], skew = below(2);
    for (size_t column = 0; column <= ATTRIBUTES; column++)
        most[column] = LEAST_NAMES + below(MOST_NAMES - LEAST_NAMES);
    for (size_t row = 0; row < new_table->rows; row++) {
        for (size_t column = 0; column <= ATTRIBUTES; column++) {
            size_t number = below(most[column]);
            /* Some names are common, so that some counts are larger, and some values are of most classes. */
            if (skew == 1 && column < ATTRIBUTES && below(3) == 0) number = below(3);
            new_table->cells[row][column] = below(30) == 0 ? -1 : (int)number;
        }
        /* Eighths, of which sums are exact in plain doubles too. */
        new_table->weights[row] = new_table->is_weighted ? (double)(1 + below(100)) / 8 : 1;
    }
    return new_table;
}

typedef struct batch {
    crd_frame *frame;
    double *weights; /* that the frame borrows */
} batch;

static batch batch_of(crd_context *context, const table *source_table, const size_t *rows, size_t count) {
    batch new_batch = {NULL, malloc((count + 1) * sizeof(double))};
    crd_error error;
    crd_text *texts = malloc((count + 1) * sizeof *texts);
    assert_true(new_batch.weights != NULL && texts != NULL);
    assert_done(crd_frame_create(context, count, &new_batch.frame, &error), error);
    for (size_t column = 0; column <= ATTRIBUTES; column++) {
        for (size_t i = 0; i < count; i++) {
            int cell = source_table->cells[rows[i]][column];
            const crd_text none = {NULL, 0};
            texts[i] = cell < 0 ? none : crd_text_of(names[cell]);
        }
        assert_done(crd_frame_add_texts(new_batch.frame, crd_text_of(headings[column]), texts, &error), error);
    }
    free(texts);
    for (size_t i = 0; i < count; i++) new_batch.weights[i] = source_table->weights[rows[i]];
    assert_done(crd_frame_add_numbers(new_batch.frame, crd_text_of("w"), new_batch.weights, NULL, &error), error);
    return new_batch;
}

static void free_batch(batch *done) {
    crd_frame_destroy(done->frame);
    free(done->weights);
}

/* The weights are a column of the model, or are left out. */
static crd_model *empty_model(crd_context *context, const table *source_table) {
    crd_model *model;
    crd_error error;
    batch like = batch_of(context, source_table, NULL, 0);
    crd_text target = crd_text_of(headings[ATTRIBUTES]);
    if (source_table->is_weighted) {
        assert_done(crd_model_create_weighted(context, like.frame, target, crd_text_of("w"), NULL, &model, &error),
                    error);
    } else {
        crd_frame *columns;
        const crd_text none = {NULL, 0};
        assert_done(crd_frame_create(context, 0, &columns, &error), error);
        for (size_t column = 0; column <= ATTRIBUTES; column++)
            assert_done(crd_frame_add_texts(columns, crd_text_of(headings[column]), &none, &error), error);
        assert_done(crd_model_create(context, columns, target, NULL, &model, &error), error);
        crd_frame_destroy(columns);
    }
    free_batch(&like);
    return model;
}

static void learn(crd_model *model, crd_context *context, const table *source_table, const size_t *rows, size_t count) {
    crd_error error;
    batch new_batch = batch_of(context, source_table, rows, count);
    assert_done(crd_model_update(model, new_batch.frame, &error), error);
    free_batch(&new_batch);
}

/* In batches cut anywhere. */
static crd_model *learn_cut(crd_context *context, const table *source_table, const size_t *rows, size_t count) {
    crd_model *model = empty_model(context, source_table);
    for (size_t begin = 0; begin < count;) {
        size_t size = 1 + below(count - begin);
        learn(model, context, source_table, rows + begin, size);
        begin += size;
    }
    return model;
}

/* Parts merged in any tree. */
static crd_model *learn_merged(crd_context *context, const table *source_table, const size_t *rows, size_t count) {
    if (count < 2 || below(6) == 0) return learn_cut(context, source_table, rows, count);
    size_t first = 1 + below(count - 1);
    crd_model *left = learn_merged(context, source_table, rows, first);
    crd_model *right = learn_merged(context, source_table, rows + first, count - first);
    crd_error error;
    bool is_swapped = below(2) == 1;
    assert_done(crd_model_merge(is_swapped ? right : left, is_swapped ? left : right, &error), error);
    crd_model_destroy(is_swapped ? left : right);
    return is_swapped ? right : left;
}

static void shuffle(size_t *rows, size_t count) {
    for (size_t i = count; i > 1; i--) {
        size_t j = below(i), kept = rows[j];
        rows[j] = rows[i - 1];
        rows[i - 1] = kept;
    }
}

static size_t *all_rows(const table *source_table) {
    size_t *rows = malloc(source_table->rows * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < source_table->rows; i++) rows[i] = i;
    return rows;
}

static void same_rows_same_bytes(void **state) {
    crd_context *context = *state;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        random_state = seed;
        table *source_table = random_table();
        size_t *rows = all_rows(source_table);
        crd_model *once = empty_model(context, source_table);
        learn(once, context, source_table, rows, source_table->rows);
        model_bytes wanted = bytes_of(once, context);
        /* As arrays the counts would take more than 16 MB. */
        assert_true(wanted.length < 500000);
        for (int i = 0; i < 4; i++) {
            shuffle(rows, source_table->rows);
            crd_model *other = (i < 2 ? learn_cut : learn_merged)(context, source_table, rows, source_table->rows);
            model_bytes got = bytes_of(other, context);
            if (got.length != wanted.length || memcmp(got.bytes, wanted.bytes, got.length) != 0)
                fail_msg("seed %d: other bytes", (int)seed);
            free_bytes(got);
            crd_model_destroy(other);
        }
        crd_model *read;
        crd_error error;
        assert_done(crd_model_decode(context, wanted.bytes, wanted.length, &read, &error), error);
        model_bytes again = bytes_of(read, context);
        assert_same_bytes(wanted, again);
        free_bytes(again);
        free_bytes(wanted);
        crd_model_destroy(read);
        crd_model_destroy(once);
        free(rows);
        free(source_table);
    }
}

static void learned_and_forgotten(void **state) {
    crd_context *context = *state;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        random_state = seed + 1000;
        table *source_table = random_table();
        size_t *rows = all_rows(source_table), kept = below(source_table->rows);
        crd_error error;
        shuffle(rows, source_table->rows);
        crd_model *model = learn_cut(context, source_table, rows, kept);
        model_bytes before = bytes_of(model, context);
        learn(model, context, source_table, rows + kept, source_table->rows - kept);
        batch new_batch = batch_of(context, source_table, rows + kept, source_table->rows - kept);
        assert_done(crd_model_forget(model, new_batch.frame, &error), error);
        model_bytes after = bytes_of(model, context);
        if (after.length != before.length || memcmp(after.bytes, before.bytes, after.length) != 0)
            fail_msg("seed %d: other bytes", (int)seed);
        /* Rows that are not there are refused, and leave everything as it was. */
        learn(model, context, source_table, rows + kept, source_table->rows - kept);
        assert_done(crd_model_forget(model, new_batch.frame, &error), error);
        assert_int_equal(crd_model_forget(model, new_batch.frame, &error), CRD_ERROR_NOT_LEARNED);
        model_bytes still = bytes_of(model, context);
        assert_same_bytes(before, still);
        free_bytes(still);
        free_bytes(after);
        free_bytes(before);
        free_batch(&new_batch);
        crd_model_destroy(model);
        free(rows);
        free(source_table);
    }
}

/* ---- Answers ---- */

/* An attribute's counts as an array, by the numbers of names. */
typedef struct counts_count {
    double counts[MOST_NAMES][MOST_NAMES]; /* by value and class */
    double totals[MOST_NAMES], values[MOST_NAMES], all;
    size_t known;
} counts_count;

static void count(const table *source_table, size_t attribute, counts_count *counted) {
    memset(counted, 0, sizeof *counted);
    for (size_t row = 0; row < source_table->rows; row++) {
        int value = source_table->cells[row][attribute], class = source_table->cells[row][ATTRIBUTES];
        if (value < 0 || class < 0) continue;
        counted->known += counted->values[value] == 0;
        counted->counts[value][class] += source_table->weights[row];
        counted->totals[class] += source_table->weights[row];
        counted->values[value] += source_table->weights[row];
        counted->all += source_table->weights[row];
    }
}

static double log_of(const counts_count *counted, size_t value, size_t class, int smoothing) {
    double n_v = counted->counts[value][class], n = counted->totals[class],
           share = counted->values[value] / counted->all;
    switch (smoothing) {
    case 0: return n > 0 ? crd_log(n_v / n) : crd_log(share);
    case 1: return crd_log((n_v + 1.0 / (double)counted->known) / (n + 1));
    case 2: return crd_log((n_v + 2.5 * share) / (n + 2.5));
    default: return crd_log((n_v + 0.5) / (n + 0.5 * (double)counted->known));
    }
}

static const char *const smoothings[] = {"none", "m:1", "m:2.5:marginal", "laplace:0.5"};

static void check_terms(const crd_classifier *classifier, const table *source_table, const counts_count *counts,
                        int smoothing) {
    crd_error error;
    for (int i = 0; i < 300; i++) {
        size_t row = below(source_table->rows), attribute = below(ATTRIBUTES);
        size_t class_index = below(crd_classifier_class_count(classifier));
        int class = number_of(crd_classifier_class(classifier, class_index));
        int value = source_table->cells[row][attribute];
        if (value < 0 || counts[attribute].values[value] == 0) continue;
        crd_value cell = text_value(names[value]);
        crd_term term = CRD_TERM_INIT;
        assert_done(crd_classifier_term(classifier, attribute, class_index, &cell, &term, &error), error);
        double wanted = log_of(&counts[attribute], (size_t)value, (size_t) class, smoothing);
        if (memcmp(&term.log_value, &wanted, sizeof wanted) != 0)
            fail_msg("%s: %.17g should be %.17g", smoothings[smoothing], term.log_value, wanted);
    }
}

static void check_rows(crd_context *context, const crd_classifier *classifier, const table *source_table) {
    enum { ASKED = 40 };
    crd_error error;
    size_t rows[ASKED], classes = crd_classifier_class_count(classifier);
    double *logs = malloc(classes * sizeof *logs), *probabilities = malloc(classes * sizeof *probabilities);
    crd_posteriors *posteriors;
    for (size_t i = 0; i < ASKED; i++) rows[i] = below(source_table->rows);
    batch new_batch = batch_of(context, source_table, rows, ASKED);
    assert_done(crd_posteriors_create(context, &posteriors, &error), error);
    assert_done(crd_classifier_classify(classifier, new_batch.frame, posteriors, &error), error);
    for (size_t i = 0; i < ASKED; i++) {
        crd_value values[ATTRIBUTES];
        crd_answer answer;
        for (size_t column = 0; column < ATTRIBUTES; column++)
            values[column] = crd_frame_value(new_batch.frame, i, column);
        assert_done(crd_classifier_posterior(classifier, values, logs, probabilities, &answer, &error), error);
        assert_memory_equal(logs, crd_posteriors_log(posteriors, i), classes * sizeof *logs);
        assert_memory_equal(probabilities, crd_posteriors_probabilities(posteriors, i),
                            classes * sizeof *probabilities);
        assert_int_equal(answer.decision, crd_posteriors_answer(posteriors, i)->decision);
    }
    crd_posteriors_destroy(posteriors);
    free_batch(&new_batch);
    free(logs);
    free(probabilities);
}

static void check_summary(const crd_model *model, const counts_count *counts) {
    crd_summary *summary;
    crd_error error;
    assert_done(crd_summary_create(model, &summary, &error), error);
    for (size_t attribute = 0; attribute < ATTRIBUTES; attribute++) {
        assert_int_equal(summary->attributes[attribute].value_count, counts[attribute].known);
        for (size_t v = 0; v < summary->attributes[attribute].value_count; v++) {
            int value = number_of(crd_summary_value(summary, attribute, v));
            const uint32_t *met;
            size_t met_count = crd_summary_value_classes(summary, attribute, v, &met), class_count = 0;
            for (size_t k = 0; k < summary->class_count; k++) {
                double wanted = counts[attribute].counts[value][number_of(summary->classes[k].name)];
                assert_true(crd_summary_count(summary, attribute, v, k) == wanted);
                if (wanted > 0) assert_true(class_count < met_count && met[class_count++] == k);
            }
            assert_int_equal(class_count, met_count);
            assert_true(crd_summary_value_rows(summary, attribute, v) == counts[attribute].values[value]);
        }
    }
    crd_summary_destroy(summary);
}

static void answers_follow_from_plain_counts(void **state) {
    crd_context *context = *state;
    counts_count *counts = malloc(ATTRIBUTES * sizeof *counts);
    assert_non_null(counts);
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        random_state = seed + 2000;
        table *source_table = random_table();
        size_t *rows = all_rows(source_table);
        crd_model *model = learn_cut(context, source_table, rows, source_table->rows);
        for (size_t attribute = 0; attribute < ATTRIBUTES; attribute++)
            count(source_table, attribute, &counts[attribute]);
        check_summary(model, counts);
        for (int smoothing = 0; smoothing < 4; smoothing++) {
            crd_classifier *classifier = classifier_with(model, context, WITH("smoothing", smoothings[smoothing]));
            check_terms(classifier, source_table, counts, smoothing);
            check_rows(context, classifier, source_table);
            crd_classifier_destroy(classifier);
        }
        crd_model_destroy(model);
        free(rows);
        free(source_table);
    }
    free(counts);
}

/* ---- Room ---- */

/* Bytes in use, and the most that ever were. Threads that learn side by side allocate at the same time. */
typedef struct counts_room {
    atomic_size_t used, most;
} counts_room;

static void *measured_resize(void *user, void *block, size_t bytes) {
    enum { HEAD = 16 };
    counts_room *in = user;
    char *start = block == NULL ? NULL : (char *)block - HEAD;
    size_t before = 0;
    if (start != NULL) memcpy(&before, start, sizeof before);
    if (bytes == 0) {
        atomic_fetch_sub(&in->used, before);
        free(start);
        return NULL;
    }
    char *copy = realloc(start, bytes + HEAD);
    if (copy == NULL) return NULL;
    memcpy(copy, &bytes, sizeof bytes);
    /* What is added wraps where a block shrinks, and so does the sum. */
    size_t used = atomic_fetch_add(&in->used, bytes - before) + (bytes - before);
    size_t most = atomic_load(&in->most);
    while (used > most && !atomic_compare_exchange_weak(&in->most, &most, used)) {
    }
    return copy + HEAD;
}

/* Learns a table, writes and reads the model, looks inside, answers rows, draws one; returns the most bytes in use. */
static size_t measure(const char *text) {
    counts_room in;
    atomic_init(&in.used, 0);
    atomic_init(&in.most, 0);
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.resize = measured_resize;
    options.resize_user = &in;
    crd_context *context;
    crd_error error;
    assert_int_equal(crd_context_create(&options, &context), CRD_OK);
    crd_model *model = trained(context, text, "y"), *read;
    model_bytes file = bytes_of(model, context);
    assert_true(file.length < 2 * strlen(text) + (1 << 20));
    assert_done(crd_model_decode(context, file.bytes, file.length, &read, &error), error);
    crd_summary *summary;
    assert_done(crd_summary_create(read, &summary, &error), error);
    crd_summary_destroy(summary);
    for (int smoothing = 0; smoothing < 4; smoothing++) {
        crd_classifier *classifier = classifier_with(read, context, WITH("smoothing", smoothings[smoothing]));
        crd_value values[ATTRIBUTES] = {text_value("v00007"), text_value("v00008")};
        crd_answer answer;
        double *logs = malloc(crd_classifier_class_count(classifier) * sizeof *logs);
        assert_done(crd_classifier_posterior(classifier, values, logs, NULL, &answer, &error), error);
        free(logs);
        crd_classifier_destroy(classifier);
    }
    crd_sampler *sampler;
    crd_value drawn[ATTRIBUTES + 1];
    assert_done(crd_sampler_create(read, NULL, NULL, 1, &sampler, &error), error);
    crd_sampler_draw(sampler, 0, drawn);
    crd_sampler_destroy(sampler);
    assert_done(crd_model_merge(model, read, &error), error);
    free_bytes(file);
    crd_model_destroy(model);
    crd_model_destroy(read);
    crd_context_destroy(context);
    assert_int_equal(atomic_load(&in.used), 0);
    return atomic_load(&in.most);
}

static void room_is_that_of_the_rows(void **state) {
    (void)state;
    enum { ROWS = 16000, DECLARED = 10000, BYTES = 64 << 20 };
    char *text = malloc((size_t)1 << 20), *destination = text;
    assert_non_null(text);
    destination += sprintf(destination, "a,b,y\n");
    for (int row = 0; row < ROWS; row++) destination += sprintf(destination, "v%05d,v%05d,k%05d\n", row, row / 2, row);
    assert_true(measure(text) < BYTES);
    destination = text + sprintf(text, "@relation r\n");
    for (int column = 0; column <= ATTRIBUTES; column++) {
        destination += sprintf(destination, "@attribute %s {", headings[column]);
        for (int value = 0; value < DECLARED; value++)
            destination += sprintf(destination, "%sv%05d", value == 0 ? "" : ",", value);
        destination += sprintf(destination, "}\n");
    }
    sprintf(destination, "@data\nv00007,v00008,v00009\nv00008,v00009,v00010\n");
    assert_true(measure(text) < BYTES);
    free(text);
}

static allocations counted_blocks;

static int set_up(void **state) {
    for (size_t i = 0; i < MOST_NAMES; i++) snprintf(names[i], sizeof names[i], "v%04u", (unsigned)i % 10000);
    memset(&counted_blocks, 0, sizeof counted_blocks);
    *state = counted_context(&counted_blocks);
    return *state == NULL;
}

static int tear_down(void **state) {
    crd_context_destroy(*state);
    return counted_blocks.live != 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_rows_same_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(learned_and_forgotten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(answers_follow_from_plain_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(room_is_that_of_the_rows, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
