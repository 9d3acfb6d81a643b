/* SPDX-License-Identifier: MIT */
/* shortage_support.h - a group of processes of which one runs out of memory: all have to end in the same way. */
#ifndef CREDENCE_TESTS_SHORTAGE_SUPPORT_H
#define CREDENCE_TESTS_SHORTAGE_SUPPORT_H

#include "collective_support.h"
#include "model_support.h"

#include "processes/group.h"

#include <stdio.h>

enum { SHORT_PROCESSES = 3, SHORT_SECONDS = 60 };

/* Work of a group. It states whether it is within a collective call: a process that fails elsewhere does so by itself. */
typedef crd_status short_work(crd_context *context, const void *rows, crd_error *error);
static bool is_together;
static bool is_rich; /* for now nothing is refused, nor counted: what is made is no part of the test */

typedef struct shortage {
    short_work *work;
    const void *rows;
    unsigned poor;        /* the process that runs out of memory */
    size_t refused;       /* the number of its allocation that fails */
    bool is_lasting;      /* and so do all after it */
    size_t created_count; /* so far */
    FILE *ends;           /* of the processes, by rank */
} shortage;

/* How the work of a process has ended. */
typedef struct short_end {
    bool was_together, has_refused;
    bool is_in_step; /* the next message of the others is the one that it waits for */
    crd_status status;
    crd_error error;
} short_end;

static void *resize_or_refuse(void *user, void *block, size_t bytes) {
    shortage *own_shortage = user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    if (is_rich) return realloc(block, bytes);
    own_shortage->created_count++;
    return own_shortage->created_count == own_shortage->refused ||
                   (own_shortage->is_lasting && own_shortage->created_count > own_shortage->refused)
               ? NULL
               : realloc(block, bytes);
}

static bool run_short(crd_context *context, void *state) {
    shortage own_shortage = *(const shortage *)state;
    const unsigned rank = context->processes.communicator.rank;
    short_end end = {.was_together = false};
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    crd_context *poor = NULL;
    is_together = is_rich = false;
    alarm(SHORT_SECONDS); /* one that waits for ever is killed */
    if (rank != own_shortage.poor) own_shortage.refused = SIZE_MAX;
    options.communicator = &context->processes.communicator;
    options.resize = resize_or_refuse;
    options.resize_user = &own_shortage;
    end.status = crd_context_create(&options, &poor);
    if (end.status == CRD_OK) end.status = own_shortage.work(poor, own_shortage.rows, &end.error);
    end.was_together = is_together;
    end.has_refused = own_shortage.created_count >= own_shortage.refused;
    end.is_in_step = is_together && crd_i_group_agree(context->group, CRD_OK, NULL) == CRD_OK;
    crd_context_destroy(poor);
    crd_context_destroy(context);
    return pwrite(fileno(own_shortage.ends), &end, sizeof end, (off_t)(rank * sizeof end)) == sizeof end;
}

/* Whether an allocation was refused. The process has failed then, and the others with it, by its error; where that was outside a collective
 * call, it cannot be reached. What is refused while rows are read that turn out to begin elsewhere does not count. */
static bool fails_together(shortage *trial) {
    short_end ends[SHORT_PROCESSES];
    const short_end *poor = &ends[trial->poor];
    bool is_right = run_group(SHORT_PROCESSES, run_short, trial);
    assert_int_equal(pread(fileno(trial->ends), ends, sizeof ends, 0), sizeof ends);
    is_right = is_right && (poor->status == CRD_OK || (poor->status == CRD_ERROR_MEMORY && poor->has_refused));
    for (unsigned i = 0; i < SHORT_PROCESSES; i++)
        is_right = is_right &&
                   (i == trial->poor || ends[i].status == (poor->was_together ? poor->status : CRD_ERROR_SYSTEM)) &&
                   (!poor->was_together || ends[i].is_in_step) &&
                   (!poor->was_together || strcmp(ends[i].error.message, poor->error.message) == 0);
    for (unsigned i = 0; !is_right && i < SHORT_PROCESSES; i++)
        print_message("allocation %zu%s of process %u: process %u%s: %d %s\n", trial->refused,
                      trial->is_lasting ? " and all behind it" : "", trial->poor, i,
                      ends[i].was_together ? "" : " by itself", (int)ends[i].status, ends[i].error.message);
    assert_true(is_right);
    return poor->has_refused;
}

/* Lets an allocation in `step` fail in each process in turn, so that the processes do not fail at the same ones. */
static inline void fail_in_each_process(short_work *work, const void *rows, size_t step) {
    shortage trial = {.work = work, .rows = rows, .ends = tmpfile()};
    assert_non_null(trial.ends);
    for (trial.poor = 0; trial.poor < SHORT_PROCESSES; trial.poor++)
        for (trial.refused = trial.poor + 1; fails_together(&trial);) trial.refused += step;
    fclose(trial.ends);
}

#endif
