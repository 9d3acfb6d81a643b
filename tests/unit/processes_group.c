/* SPDX-License-Identifier: MIT */
/* What processes of a group compute together: reductions in the order of ranks, gathering, sharing of items; and that a failure
 * of one of them is that of all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/memory.h"
#include "collective_support.h"
#include "evaluate/evaluation.h"
#include "processes/group.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const unsigned counts[] = {1, 2, 3, 4, 5, 7, 8, 9};
enum { COUNTS = sizeof counts / sizeof *counts, LARGE = 300000 };

/* ---- A reduction that does not commute: texts behind each other ---- */

static crd_status append_text(void *object, crd_i_encoder *encoder, crd_error *error) {
    const crd_i_buffer *text = object;
    (void)error;
    crd_i_encode_bytes(encoder, text->bytes, text->length);
    return CRD_OK;
}

static crd_status combine_texts(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    (void)rank;
    const crd_i_cursor text = crd_i_decode_rest(part);
    return crd_i_buffer_append(object, text.at, crd_i_cursor_left(&text)) ? CRD_OK : crd_i_fail_memory(error);
}

static const crd_i_merging joining = {append_text, combine_texts};

static bool reduce_texts(crd_context *context, void *state) {
    (void)state;
    crd_i_buffer buffer = {.context = context}, all = {.context = context};
    const unsigned char letter = (unsigned char)('a' + crd_i_group_rank(context->group));
    crd_error error;
    bool is_right = crd_i_buffer_append(&buffer, &letter, 1) &&
                    crd_i_group_reduce(context->group, &joining, &buffer, &all, &error) == CRD_OK &&
                    all.length == crd_i_group_count(context->group) && memcmp(all.bytes, "abcdefghi", all.length) == 0;
    crd_i_buffer_clear(&buffer);
    crd_i_buffer_clear(&all);
    crd_context_destroy(context);
    return is_right;
}

static void test_reduces_in_the_order_of_ranks(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTS; i++) assert_true(run_group(counts[i], reduce_texts, NULL));
}

/* ---- Gathering and sharing ---- */

static bool gather(crd_context *context) {
    const unsigned rank = crd_i_group_rank(context->group), count = crd_i_group_count(context->group);
    const size_t length = rank == 1 ? LARGE : rank; /* none of process 0, much of process 1 */
    unsigned char *bytes = crd_i_alloc(context, length, 1);
    crd_i_gathered gathered;
    crd_error error;
    memset(bytes, (int)rank, length);
    bool is_right = count == 1 || crd_i_group_gather(context->group, bytes, length, &gathered, &error) == CRD_OK;
    for (unsigned i = 0; is_right && count > 1 && i < count; i++) {
        const crd_i_cursor *part = &gathered.parts[i];
        is_right = crd_i_cursor_left(part) == (i == 1 ? LARGE : i);
        for (const unsigned char *byte = part->at; is_right && byte < part->end; byte++) is_right = *byte == i;
    }
    if (count > 1) crd_i_gathered_clear(&gathered);
    crd_free(context, bytes);
    return is_right;
}

static crd_status set_item(void *state, void *workspace, size_t item, crd_error *error) {
    double(*items)[2] = state;
    (void)workspace;
    (void)error;
    items[item][0] = (double)item;
    items[item][1] = (double)item / 3;
    return CRD_OK;
}

static bool share(crd_context *context) {
    enum { ITEMS = 23 };
    double items[ITEMS][2], shared[ITEMS][2];
    uint64_t sums[2] = {1, crd_i_group_rank(context->group)};
    const uint64_t count = crd_i_group_count(context->group);
    crd_i_parallel_loop loop = {.state = items, .items = ITEMS, .threads = 2, .work = set_item};
    crd_error error;
    for (size_t i = 0; i < ITEMS; i++) {
        items[i][0] = items[i][1] = -1;
        shared[i][0] = crd_i_group_has_item(context->group, i) ? (double)i : -1;
        shared[i][1] = shared[i][0] / 3;
    }
    bool is_right = crd_i_group_share(context->group, shared, sizeof *shared, ITEMS, &error) == CRD_OK &&
                    crd_i_group_for(context, context->group, &loop, items, sizeof *items, &error) == CRD_OK &&
                    memcmp(items, shared, sizeof items) == 0 &&
                    crd_i_group_sum(context->group, sums, 2, &error) == CRD_OK;
    for (size_t i = 0; i < ITEMS; i++) is_right = is_right && items[i][0] == (double)i && items[i][1] == (double)i / 3;
    return is_right && sums[0] == count && sums[1] == count * (count - 1) / 2;
}

static bool gather_and_share(crd_context *context, void *state) {
    crd_i_buffer word = {.context = context};
    crd_error error;
    (void)state;
    bool is_right = gather(context) && (crd_i_group_rank(context->group) > 0 || crd_i_buffer_append(&word, "word", 4));
    is_right = is_right && crd_i_group_broadcast(context->group, &word, &error) == CRD_OK && word.length == 4 &&
               memcmp(word.bytes, "word", 4) == 0;
    crd_i_buffer_clear(&word);
    is_right = is_right && share(context);
    crd_context_destroy(context);
    return is_right;
}

static void test_gathers_and_shares(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTS; i++) assert_true(run_group(counts[i], gather_and_share, NULL));
}

/* ---- Failures ---- */

typedef struct collective_failing {
    unsigned first; /* processes of this rank and those behind it fail */
} collective_failing;

static bool fail_together(crd_context *context, void *state) {
    const collective_failing *failing = state;
    const unsigned rank = crd_i_group_rank(context->group);
    crd_error error = {.status = CRD_OK};
    crd_i_gathered gathered;
    crd_status status = CRD_OK;
    if (rank >= failing->first) status = crd_i_fail(&error, CRD_ERROR_NUMBER, "a cell of process %u", rank);
    status = status == CRD_OK ? crd_i_group_gather(context->group, "x", 1, &gathered, &error)
                              : crd_i_group_fail(context->group, status, &error);
    char expected[40];
    snprintf(expected, sizeof expected, "a cell of process %u", failing->first);
    bool is_right =
        status == CRD_ERROR_NUMBER && error.status == CRD_ERROR_NUMBER && strcmp(error.message, expected) == 0;
    /* The next step begins anew. */
    is_right = is_right && crd_i_group_agree(context->group, CRD_OK, &error) == CRD_OK;
    is_right = is_right && crd_i_group_agree(context->group, rank == 0 ? CRD_OK : CRD_ERROR_MEMORY, NULL) != CRD_OK;
    crd_context_destroy(context);
    return is_right;
}

static void test_fails_together(void **state) {
    (void)state;
    for (unsigned first = 0; first < 5; first++) {
        collective_failing failure = {first};
        assert_true(run_group(5, fail_together, &failure));
    }
}

/* One process leaves the common work between two steps; the others are at the next, of whichever kind. */
static crd_status work_together(crd_context *context, unsigned step, crd_error *error) {
    crd_i_gathered gathered = {.buffer = {.context = context}};
    crd_i_buffer bytes = {.context = context};
    double items[7] = {0};
    if (crd_i_group_rank(context->group) == 3) return crd_i_fail(error, CRD_ERROR_NUMBER, "a cell of process 3");
    crd_status status = step == 0   ? crd_i_group_agree(context->group, CRD_OK, error)
                        : step == 1 ? crd_i_group_gather(context->group, "x", 1, &gathered, error)
                        : step == 2 ? crd_i_group_share(context->group, items, sizeof *items, 7, error)
                                    : crd_i_group_broadcast(context->group, &bytes, error);
    crd_i_gathered_clear(&gathered);
    crd_i_buffer_clear(&bytes);
    return status;
}

static bool leave_and_conclude(crd_context *context, void *state) {
    (void)state;
    bool is_right = true;
    for (unsigned step = 0; is_right && step < 4; step++) {
        crd_error error = {.status = CRD_OK};
        crd_status status = work_together(context, step, &error);
        status = crd_i_group_end(context->group, status, &error);
        is_right = status == CRD_ERROR_NUMBER && strcmp(error.message, "a cell of process 3") == 0;
        /* The others have ended their work. */
        status = crd_i_group_rank(context->group) == 2 ? crd_i_fail(&error, CRD_ERROR_EMPTY, "no rows") : CRD_OK;
        is_right = is_right && crd_i_group_end(context->group, status, &error) == CRD_ERROR_EMPTY;
        is_right = is_right && crd_i_group_end(context->group, CRD_OK, &error) == CRD_OK;
    }
    crd_context_destroy(context);
    return is_right;
}

static void test_meets_a_process_that_leaves(void **state) {
    (void)state;
    assert_true(run_group(5, leave_and_conclude, NULL));
}

/* ---- Memory ---- */

/* Refuses large blocks in process 2. */
static void *resize_small(void *user, void *block, size_t bytes) {
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return *(const unsigned *)user == 2 && bytes >= LARGE ? NULL : realloc(block, bytes);
}

/* Process 2, which passes messages on to process 3, has no memory for what comes: it is no failure to reach it, and the calls behind find
 * their own messages. */
static bool run_out_of_memory(crd_context *context, void *state) {
    (void)state;
    unsigned rank = crd_i_group_rank(context->group);
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    crd_context *poor;
    crd_error error = {.status = CRD_OK};
    options.communicator = &context->processes.communicator;
    options.resize = resize_small;
    options.resize_user = &rank;
    if (crd_context_create(&options, &poor) != CRD_OK) return false;
    crd_i_buffer bytes = {.context = poor}, buffer = {.context = poor}, all = {.context = poor};
    unsigned char *block = calloc(LARGE, 1);
    bool is_right = block != NULL && (rank > 0 || crd_i_buffer_append(&bytes, block, LARGE));
    is_right = is_right && crd_i_group_broadcast(poor->group, &bytes, &error) == CRD_ERROR_MEMORY;
    is_right = is_right && error.status == CRD_ERROR_MEMORY && crd_i_group_agree(poor->group, CRD_OK, &error) == CRD_OK;
    /* What process 3 has is combined by process 2. */
    is_right = is_right && (rank != 3 || crd_i_buffer_append(&buffer, block, LARGE));
    is_right = is_right && crd_i_group_reduce(poor->group, &joining, &buffer, &all, &error) == CRD_ERROR_MEMORY;
    is_right = is_right && crd_i_group_agree(poor->group, CRD_OK, &error) == CRD_OK;
    crd_i_buffer_clear(&bytes);
    crd_i_buffer_clear(&buffer);
    crd_i_buffer_clear(&all);
    free(block);
    crd_context_destroy(poor);
    crd_context_destroy(context);
    return is_right;
}

static void test_runs_out_of_memory_together(void **state) {
    (void)state;
    assert_true(run_group(4, run_out_of_memory, NULL));
}

/* ---- Another build ---- */

static int send_of_another_build(void *user, unsigned limit, const void *bytes, size_t length) {
    unsigned char changed[64];
    if (length == 0 || length > sizeof changed) return socket_send(user, limit, bytes, length);
    memcpy(changed, bytes, length);
    changed[0] ^= 1; /* of the head, which is the first message */
    return socket_send(user, limit, changed, length);
}

static bool meet_another_build(crd_context *context, void *state) {
    (void)state;
    crd_error error = {.status = CRD_OK};
    if (crd_i_group_rank(context->group) == 1) context->processes.communicator.send = send_of_another_build;
    const crd_status status = crd_i_group_agree(context->group, CRD_OK, &error);
    crd_context_destroy(context);
    return status == CRD_ERROR_SYSTEM && strstr(error.message, "has another build of Credence") != NULL;
}

static void test_refuses_another_build(void **state) {
    (void)state;
    assert_true(run_group(2, meet_another_build, NULL));
}

/* A process that ends early is noticed by the others, which fail rather than wait. */
static bool lose_one(crd_context *context, void *state) {
    (void)state;
    crd_error error;
    if (crd_i_group_rank(context->group) == 2) return true;
    crd_status status = crd_i_group_agree(context->group, CRD_OK, &error);
    crd_context_destroy(context);
    return status == CRD_ERROR_SYSTEM;
}

static void test_loses_a_process(void **state) {
    (void)state;
    assert_true(run_group(4, lose_one, NULL));
}

static void test_refuses_a_rank_that_is_none(void **state) {
    (void)state;
    crd_communicator communicator = CRD_COMMUNICATOR_INIT;
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    crd_context *context;
    communicator.rank = 3;
    communicator.count = 3;
    options.communicator = &communicator;
    assert_int_equal(crd_context_create(&options, &context), CRD_ERROR_ARGUMENT);
}

/* ---- Lengths that another process has sent ---- */

static void test_takes_no_more_than_was_sent(void **state) {
    static const unsigned char bytes[] = {1, 2, 3, 4};
    const crd_i_cursor all = {.at = bytes, .end = bytes + sizeof bytes};
    crd_i_cursor cursor = all, none = {.at = NULL};
    unsigned char taken[8];
    (void)state;
    crd_i_decode_bytes(&cursor, taken, 5);
    assert_true(cursor.failed);
    assert_int_equal(taken[0], 0);
    cursor = all;
    crd_i_decode_bytes(&cursor, taken, 3);
    assert_false(cursor.failed);
    assert_int_equal(taken[2], 3);
    crd_i_cursor part = crd_i_decode_part(&cursor, 1);
    assert_ptr_equal(part.at, bytes + 3);
    assert_int_equal(crd_i_part_end(&cursor, NULL), CRD_OK);
    assert_int_equal(crd_i_part_end(&part, NULL), CRD_ERROR_SYSTEM);
    assert_int_equal(crd_i_cursor_left(&part), 1);
    assert_false(crd_i_decode_part(&cursor, 0).failed);
    assert_false(crd_i_decode_part(&none, 0).failed);
    cursor = all;
    assert_true(crd_i_decode_part(&cursor, UINT64_MAX).failed);
    assert_true(cursor.failed);
}

/* A length in what process 0 receives is another one: the payload is PAYLOAD bytes, in the bytes of a process behind their length. */
enum { PAYLOAD = 1000 };
typedef struct collective_falsified {
    size_t index;    /* where the length stands in front of which nothing else has its value */
    uint64_t length; /* the true one */
    uint64_t other;
} collective_falsified;
static collective_falsified falsify;
static int (*receive_truly)(void *user, unsigned first, void *bytes, size_t length);

static int receive_falsely(void *user, unsigned first, void *bytes, size_t length) {
    const int result = receive_truly(user, first, bytes, length);
    uint64_t candidate = 0;
    for (size_t index = falsify.index;
         result == 0 && length > PAYLOAD && index + sizeof candidate <= length && index < 64; index++) {
        memcpy(&candidate, (const char *)bytes + index, sizeof candidate);
        if (candidate != falsify.length) continue;
        memcpy((char *)bytes + index, &falsify.other, sizeof candidate);
        break;
    }
    return result;
}

static bool gather_falsified(crd_context *context, void *state) {
    unsigned char bytes[PAYLOAD] = {0};
    crd_i_gathered all;
    crd_error error;
    (void)state;
    receive_truly = context->processes.communicator.receive;
    if (crd_i_group_rank(context->group) == 0) context->processes.communicator.receive = receive_falsely;
    const crd_status status = crd_i_group_gather(context->group, bytes, sizeof bytes, &all, &error);
    if (status == CRD_OK) crd_i_gathered_clear(&all);
    return status == CRD_ERROR_SYSTEM;
}

static crd_status test_nothing(void *user, uint32_t fold, crd_error *error) {
    (void)user;
    (void)fold;
    (void)error;
    return CRD_OK;
}

static crd_status test_apart(void *user, uint32_t fold, unsigned char **bytes, size_t *length, crd_error *error) {
    (void)fold;
    (void)error;
    *length = PAYLOAD;
    *bytes = crd_i_alloc_zeroed(user, PAYLOAD, 1);
    return *bytes != NULL ? CRD_OK : CRD_ERROR_MEMORY;
}

static crd_status merge_nothing(void *user, const unsigned char *bytes, size_t length, crd_error *error) {
    (void)user;
    (void)error;
    return length == PAYLOAD && bytes[length - 1] == 0 ? CRD_OK : CRD_ERROR_SYSTEM;
}

static bool test_falsified_folds(crd_context *context, void *state) {
    const crd_i_fold_tests tests = {context, 0, 4, test_nothing, test_apart, merge_nothing};
    crd_error error;
    (void)state;
    receive_truly = context->processes.communicator.receive;
    if (crd_i_group_rank(context->group) == 0) context->processes.communicator.receive = receive_falsely;
    const crd_status status = crd_i_test_folds(context, context->group, &tests, &error);
    /* Only process 0 has got the false bytes, from which it makes what the others have. */
    return status == CRD_ERROR_SYSTEM;
}

static void test_rejects_false_lengths(void **state) {
    static const uint64_t others[] = {0, 1, PAYLOAD - 1, PAYLOAD + 1, UINT32_MAX, UINT64_MAX, UINT64_MAX - 7};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        falsify = (collective_falsified){0, PAYLOAD, others[i]};
        assert_true(run_group(2, gather_falsified, NULL));
        assert_true(run_group(2, test_falsified_folds, NULL));
    }
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduces_in_the_order_of_ranks),
        cmocka_unit_test(test_gathers_and_shares),
        cmocka_unit_test(test_fails_together),
        cmocka_unit_test(test_meets_a_process_that_leaves),
        cmocka_unit_test(test_runs_out_of_memory_together),
        cmocka_unit_test(test_refuses_another_build),
        cmocka_unit_test(test_loses_a_process),
        cmocka_unit_test(test_refuses_a_rank_that_is_none),
        cmocka_unit_test(test_takes_no_more_than_was_sent),
        cmocka_unit_test(test_rejects_false_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
