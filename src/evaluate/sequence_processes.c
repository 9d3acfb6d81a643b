/* SPDX-License-Identifier: MIT */
/* sequence_processes.c - divides folds among processes. See sequence_processes.h. */
#include "evaluate/sequence_processes.h"

#include "base/error.h"
#include "base/memory.h"

static crd_status test_together(const crd_i_fold_tests *tests, crd_error *error) {
    crd_status status = CRD_OK;
    for (uint32_t fold = tests->first; status == CRD_OK && fold < tests->end; fold++)
        status = tests->test(tests->user, fold, error);
    return status;
}

/* Tests the folds of this process. Appends to `all` the length and the bytes of each evaluation. */
static crd_status test_own(crd_context *context, const crd_i_fold_tests *tests, crd_i_buffer *all, crd_error *error) {
    crd_status status = CRD_OK;
    for (uint32_t fold = tests->first; status == CRD_OK && fold < tests->end; fold++) {
        if (!crd_i_is_own_item(context, fold)) continue;
        unsigned char *bytes = NULL;
        size_t length = 0;
        const crd_communicator group = crd_i_leave_group(context);
        status = tests->test_apart(tests->user, fold, &bytes, &length, error);
        crd_i_join_group(context, &group);
        if (status == CRD_OK &&
            (!crd_i_buffer_append(all, &length, sizeof length) || !crd_i_buffer_append(all, bytes, length)))
            status = crd_i_fail_memory(error);
        crd_free(context, bytes);
    }
    return status;
}

/* Merges the evaluations of all folds in ascending order of folds. */
static crd_status merge_folds(const crd_context *context, const crd_i_fold_tests *tests, crd_i_gathered *parts,
                              crd_error *error) {
    crd_status status = CRD_OK;
    for (uint32_t fold = tests->first; status == CRD_OK && fold < tests->end; fold++) {
        const unsigned process = fold % crd_i_process_count(context);
        crd_i_received message = {parts->bytes[process], parts->lengths[process]};
        size_t length;
        const bool is_there = crd_i_received_take(&message, &length, sizeof length);
        const unsigned char *bytes = is_there ? crd_i_received_pass(&message, length) : NULL;
        status = bytes != NULL ? tests->merge(tests->user, bytes, length, error) : crd_i_fail_received(error);
        parts->bytes[process] = message.bytes;
        parts->lengths[process] = message.length;
    }
    return status;
}

/* Tests the folds of this process, exchanges the results and merges them. */
static crd_status test_divided(crd_context *context, const crd_i_fold_tests *tests, crd_error *error) {
    crd_i_buffer buffer = {.context = context};
    crd_i_gathered parts;
    crd_status status = test_own(context, tests, &buffer, error);
    status = crd_i_gather(context, status, buffer.bytes, buffer.length, &parts, error);
    crd_i_buffer_clear(&buffer);
    if (status != CRD_OK) return status;
    status = merge_folds(context, tests, &parts, error);
    crd_i_gathered_clear(&parts);
    return status;
}

crd_status crd_i_test_folds(crd_context *context, bool is_shared, const crd_i_fold_tests *tests, crd_error *error) {
    if (!is_shared || !crd_i_is_collective(context)) return test_together(tests, error);
    /* If there are fewer folds than processes, the processes test each fold together: they train its model and
     * decode its sequences in parallel. */
    const bool is_divided = tests->end - tests->first >= crd_i_process_count(context);
    const crd_status status = is_divided ? test_divided(context, tests, error) : test_together(tests, error);
    return crd_i_conclude(context, status, error);
}
