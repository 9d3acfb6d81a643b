/* SPDX-License-Identifier: MIT */
/* Sequences decoded: arrays, pieces and filters agree with each other, with any number of threads; empty, long and impossible
 * sequences; sinks that fail, calls that are cancelled. */
#include "hmm_support.h"
#include "math_random.h"

#include <credence/hmm_decode.h>

#include <math.h>

#include "counted_fixture.h"

/* Of three states, A B C; w is never blue in C. */
static const char TABLE[] =
    "id,x,w,s\n1,1.5,red,A\n1,2.5,blue,A\n1,9,red,B\n1,8,red,B\n1,4.5,red,C\n1,5,red,C\n1,1,blue,A\n"
    "2,8,,B\n2,,red,A\n2,7,blue,B\n2,5.5,red,C\n2,2,red,A\n3,4,red,C\n3,9,blue,B\n";

enum { STATES = 3 };

/* Rows of x and w, and sequences of them. */
typedef struct table {
    size_t rows, count;
    double *x;
    int32_t *w;
    size_t *lengths;
    crd_frame *frame;
    crd_sequences *sequences;
} table;

static table make_table(size_t count, size_t longest) {
    table new_table = {.count = count};
    static const crd_text colors[] = {{"red", 3}, {"blue", 4}};
    crd_error error;
    new_table.lengths = calloc(count, sizeof *new_table.lengths);
    for (size_t i = 0; i < count; i++)
        new_table.rows += new_table.lengths[i] = count == 1 ? longest : i % 7 == 3 ? 0 : random_below(longest);
    new_table.x = calloc(new_table.rows + 1, sizeof *new_table.x);
    new_table.w = calloc(new_table.rows + 1, sizeof *new_table.w);
    for (size_t i = 0; i < new_table.rows; i++) {
        new_table.x[i] = random_below(10) == 0 ? NAN : (double)random_below(100) / 10;
        new_table.w[i] = (int32_t)random_below(3) - 1;
    }
    assert_done(crd_frame_create(context, new_table.rows, &new_table.frame, &error), error);
    assert_done(crd_frame_add_numbers(new_table.frame, crd_text_of("x"), new_table.x, NULL, &error), error);
    assert_done(crd_frame_add_codes(new_table.frame, crd_text_of("w"), new_table.w, NULL, colors, 2, &error), error);
    assert_done(crd_sequences_from_frame(context, new_table.frame, (crd_text){NULL, 0}, new_table.lengths, count,
                                         &new_table.sequences, &error),
                error);
    return new_table;
}

static void drop_table(table *new_table) {
    crd_sequences_destroy(new_table->sequences);
    crd_frame_destroy(new_table->frame);
    free(new_table->x);
    free(new_table->w);
    free(new_table->lengths);
}

/* ---- Pieces ---- */

typedef struct decode_collection {
    const table *source_table;
    size_t next_sequence; /* that a piece may be of */
    uint64_t next_step, row;
    int32_t *states;
    double *posteriors, *paths, *likelihoods;
    size_t pieces, fail_at;
} decode_collection;

static decode_collection collect_into(const table *source_table) {
    return (decode_collection){
        .source_table = source_table,
        .states = calloc(source_table->rows + 1, sizeof(int32_t)),
        .posteriors = calloc(source_table->rows * STATES + 1, sizeof(double)),
        .paths = calloc(source_table->count, sizeof(double)),
        .likelihoods = calloc(source_table->count, sizeof(double)),
        .fail_at = SIZE_MAX,
    };
}

static void drop_collected(decode_collection *collection) {
    free(collection->states);
    free(collection->posteriors);
    free(collection->paths);
    free(collection->likelihoods);
}

static crd_status collect(void *user, const crd_decoded *piece, crd_error *error) {
    decode_collection *collection = user;
    if (collection->pieces++ == collection->fail_at) return crd_i_fail(error, CRD_ERROR_LIMIT, "enough");
    assert_int_equal(piece->sequence, collection->next_sequence);
    assert_int_equal(piece->from, collection->next_step);
    assert_int_equal(piece->length, collection->source_table->lengths[piece->sequence]);
    memcpy(collection->states + collection->row, piece->states, piece->steps * sizeof *piece->states);
    if (piece->posteriors != NULL)
        memcpy(collection->posteriors + collection->row * STATES, piece->posteriors,
               piece->steps * STATES * sizeof(double));
    collection->row += piece->steps;
    collection->next_step += piece->steps;
    collection->paths[piece->sequence] = piece->log_probabilities[0];
    collection->likelihoods[piece->sequence] = piece->log_likelihood;
    if (collection->next_step == piece->length) {
        collection->next_sequence++;
        collection->next_step = 0;
    } else assert_true(isnan(piece->log_likelihood) && isnan(piece->log_probabilities[0]));
    return CRD_OK;
}

static decode_collection decoded(const crd_hmm *hmm, const table *source_table, crd_decoding decoding,
                                 bool with_probabilities, unsigned threads) {
    decode_collection collection = collect_into(source_table);
    crd_decode_options options = CRD_DECODE_OPTIONS_INIT;
    crd_error error;
    options.decoding = decoding;
    options.with_probabilities = with_probabilities;
    options.threads = threads;
    assert_done(crd_hmm_decode(hmm, source_table->sequences, &options, collect, &collection, &error), error);
    assert_int_equal(collection.next_sequence, source_table->count);
    assert_int_equal(collection.row, source_table->rows);
    return collection;
}

static void check_decoded(const crd_hmm *hmm, const table *source_table, const decode_collection *arrays,
                          unsigned threads) {
    decode_collection path = decoded(hmm, source_table, CRD_DECODING_VITERBI, false, threads);
    assert_memory_equal(path.states, arrays->states, source_table->rows * sizeof *path.states);
    assert_memory_equal(path.paths, arrays->paths, source_table->count * sizeof *path.paths);
    drop_collected(&path);
    decode_collection both = decoded(hmm, source_table, CRD_DECODING_VITERBI, true, threads);
    assert_memory_equal(both.states, arrays->states, source_table->rows * sizeof *both.states);
    assert_memory_equal(both.posteriors, arrays->posteriors, source_table->rows * STATES * sizeof(double));
    assert_memory_equal(both.paths, arrays->paths, source_table->count * sizeof *both.paths);
    assert_memory_equal(both.likelihoods, arrays->likelihoods, source_table->count * sizeof *both.likelihoods);
    drop_collected(&both);
    decode_collection best = decoded(hmm, source_table, CRD_DECODING_POSTERIOR, threads == 1, threads);
    for (size_t row = 0; row < source_table->rows; row++)
        for (size_t k = 0; k < STATES; k++)
            assert_false(arrays->posteriors[row * STATES + k] >
                         arrays->posteriors[row * STATES + (size_t)best.states[row]]);
    assert_memory_equal(best.likelihoods, arrays->likelihoods, source_table->count * sizeof *best.likelihoods);
    drop_collected(&best);
}

static decode_collection arrays_of(const crd_hmm *hmm, const table *source_table, unsigned threads) {
    decode_collection collection = collect_into(source_table);
    crd_error error;
    double *alone = calloc(source_table->count, sizeof *alone);
    assert_done(crd_hmm_posteriors(hmm, source_table->sequences, threads, collection.posteriors, collection.likelihoods,
                                   &error),
                error);
    assert_done(crd_hmm_paths(hmm, source_table->sequences, threads, collection.states, collection.paths, &error),
                error);
    assert_done(crd_hmm_log_likelihoods(hmm, source_table->sequences, threads, alone, &error), error);
    assert_memory_equal(alone, collection.likelihoods, source_table->count * sizeof *alone);
    free(alone);
    return collection;
}

static void check_table(const crd_hmm *hmm, const table *source_table) {
    decode_collection alone = arrays_of(hmm, source_table, 1), together = arrays_of(hmm, source_table, 3);
    assert_memory_equal(alone.states, together.states, source_table->rows * sizeof *alone.states);
    assert_memory_equal(alone.posteriors, together.posteriors, source_table->rows * STATES * sizeof(double));
    assert_memory_equal(alone.paths, together.paths, source_table->count * sizeof *alone.paths);
    check_decoded(hmm, source_table, &alone, 1);
    check_decoded(hmm, source_table, &alone, 3);
    drop_collected(&alone);
    drop_collected(&together);
}

static void pieces_and_arrays(void **state) {
    (void)state;
    crd_model *model = trained_sequences(context, TABLE, WITH("order", "2"));
    static const char *const orders[] = {"1", "2"};
    table many = make_table(70, 300), one = make_table(1, 70000), none = make_table(0, 1);
    for (size_t i = 0; i < 2; i++) {
        crd_hmm *hmm = hmm_with(model, WITH("order", orders[i]));
        check_table(hmm, &many);
        if (i == 0) check_table(hmm, &one);
        check_table(hmm, &none);
        crd_hmm_destroy(hmm);
    }
    drop_table(&many);
    drop_table(&one);
    drop_table(&none);
    crd_model_destroy(model);
}

static crd_status check_best(void *user, const crd_decoded *piece, crd_error *error) {
    const table *source_table = user;
    (void)error;
    assert_int_equal(piece->steps, source_table->lengths[piece->sequence]);
    for (size_t n = 1; n < piece->path_count; n++) {
        assert_true(piece->log_probabilities[n] <= piece->log_probabilities[n - 1]);
        assert_true(memcmp(piece->states, piece->states + n * piece->steps, piece->steps * sizeof *piece->states) != 0);
    }
    if (piece->steps >= 2) assert_int_equal(piece->path_count, 5);
    return CRD_OK;
}

static void several_paths(void **state) {
    (void)state;
    crd_model *model = trained_sequences(context, TABLE, NULL);
    crd_hmm *hmm = hmm_with(model, NULL);
    table many = make_table(10, 40);
    crd_decode_options options = CRD_DECODE_OPTIONS_INIT;
    crd_error error;
    options.best = 5;
    options.with_probabilities = 1;
    assert_done(crd_hmm_decode(hmm, many.sequences, &options, check_best, &many, &error), error);
    options.decoding = CRD_DECODING_POSTERIOR;
    assert_int_equal(crd_hmm_decode(hmm, many.sequences, &options, check_best, &many, &error), CRD_ERROR_ARGUMENT);
    drop_table(&many);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
}

/* ---- What cannot be, and what is stopped ---- */

static void impossible_sequences(void **state) {
    (void)state;
    crd_model *model = trained_sequences(context, "id,w,s\n1,red,A\n1,red,A\n1,blue,B\n", NULL);
    crd_hmm *hmm = hmm_with(model, WITH("smoothing", "none", "forbidden-transitions", "B->A"));
    crd_sequences *sequences = read_sequences(context, "id,w\n1,red\n1,blue\n1,red\n2,red\n", NULL);
    double logs[2], paths[2], posteriors[4 * 2];
    int32_t states[4];
    crd_error error;
    assert_done(crd_hmm_paths(hmm, sequences, 1, states, paths, &error), error);
    assert_done(crd_hmm_posteriors(hmm, sequences, 1, posteriors, logs, &error), error);
    assert_true(logs[0] == -INFINITY && paths[0] == -INFINITY && logs[1] > -INFINITY);
    for (size_t t = 0; t < 3; t++) assert_true(states[t] == -1 && isnan(posteriors[t * 2]));
    assert_true(states[3] == 0 && posteriors[3 * 2] == 1);
    crd_sequences_destroy(sequences);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
}

static void stopped(void **state) {
    (void)state;
    crd_model *model = trained_sequences(context, TABLE, NULL);
    crd_hmm *hmm = hmm_with(model, NULL);
    table many = make_table(70, 300);
    crd_error error;
    for (unsigned threads = 1; threads < 4; threads += 2) {
        decode_collection collection = collect_into(&many);
        crd_decode_options options = CRD_DECODE_OPTIONS_INIT;
        options.threads = threads;
        collection.fail_at = 30;
        assert_int_equal(crd_hmm_decode(hmm, many.sequences, &options, collect, &collection, &error), CRD_ERROR_LIMIT);
        assert_int_equal(collection.pieces, 31);
        drop_collected(&collection);
    }
    decode_collection collection = collect_into(&many);
    crd_context_cancel(context);
    assert_int_equal(crd_hmm_decode(hmm, many.sequences, NULL, collect, &collection, &error), CRD_ERROR_CANCELLED);
    assert_int_equal(crd_hmm_paths(hmm, many.sequences, 2, collection.states, NULL, &error), CRD_ERROR_CANCELLED);
    crd_context_resume(context);
    drop_collected(&collection);
    drop_table(&many);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
}

/* ---- Filters ---- */

static void filtered_steps(void **state) {
    (void)state;
    crd_model *model = trained_sequences(context, TABLE, NULL);
    crd_hmm *hmm = hmm_with(model, WITH("end-probabilities", "yes"));
    table many = make_table(8, 30);
    decode_collection arrays = arrays_of(hmm, &many, 1);
    crd_hmm_filter *filter;
    crd_error error;
    enum { LAG = 40 };
    assert_done(crd_hmm_filter_create(hmm, LAG, &filter, &error), error);
    for (size_t i = 0, row = 0; i < many.count; row += many.lengths[i++]) {
        double total = 0, one, got[STATES], ahead[STATES], sum = 0;
        crd_hmm_filter_begin(filter);
        for (size_t t = 0; t < many.lengths[i]; t++) {
            assert_done(crd_hmm_filter_push(filter, many.sequences, i, t, &one, &error), error);
            total += one;
        }
        for (size_t back = 0; back < many.lengths[i]; back++) {
            assert_done(crd_hmm_filter_posterior(filter, back, 1, got, &error), error);
            for (size_t k = 0; k < STATES; k++)
                assert_near(got[k], arrays.posteriors[(row + many.lengths[i] - 1 - back) * STATES + k], 1e-12);
        }
        if (many.lengths[i] == 0) continue;
        /* P(x) has the end too: its probability given what was filtered. */
        double end = 0;
        assert_done(crd_hmm_filter_posterior(filter, 0, 0, got, &error), error);
        for (size_t k = 0; k < STATES; k++) end += got[k] * crd_hmm_end(hmm, &k, 1);
        assert_near(total + log(end), arrays.likelihoods[i], 1e-11);
        assert_done(crd_hmm_filter_forecast(filter, 1, ahead, &error), error);
        for (size_t k = 0; k < STATES; k++) sum += ahead[k];
        assert_near(sum, 1 - end, 1e-12);
    }
    crd_hmm_filter_destroy(filter);
    drop_collected(&arrays);
    drop_table(&many);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_and_arrays), cmocka_unit_test(several_paths),  cmocka_unit_test(impossible_sequences),
        cmocka_unit_test(stopped),           cmocka_unit_test(filtered_steps),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
