/* SPDX-License-Identifier: MIT */
/* collective.c - see collective.h.
 *
 * A message consists of a head with the sender's status, and a body with the data or the error. A long body is sent
 * only after its receiver has allocated room for it (a rendezvous). A receiver without memory therefore fails together
 * with the others, and no message remains that it cannot receive.
 *
 * In the binomial tree of a reduction, the subtree of rank r contains the ranks after it, r + 1 up to r + the lowest
 * set bit of r. The combined values therefore always belong to consecutive ranks.
 *
 * Every call begins with messages up that tree and back. If one of them is a failure, the call ends after these
 * messages, whatever its kind. A process that has failed therefore rejoins the others at the next call that they
 * make. */
#include "base/collective.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* Bodies up to this length are sent immediately, because a receiver always has room for them. */
enum { MOST_AT_ONCE = 4096 };

typedef struct message_head {
    uint32_t build; /* library build; bodies contain its structs */
    uint16_t status;
    uint16_t is_agreed; /* the failure is known to all processes */
    uint64_t length;    /* length of the body */
} message_head;

bool crd_i_is_collective(const crd_context *context) {
    return context->communicator.count > 1;
}

unsigned crd_i_process_rank(const crd_context *context) {
    return context->communicator.rank;
}

unsigned crd_i_process_count(const crd_context *context) {
    return context->communicator.count;
}

crd_communicator crd_i_leave_group(crd_context *context) {
    const crd_communicator group = context->communicator;
    context->communicator.rank = 0;
    context->communicator.count = 1;
    return group;
}

void crd_i_join_group(crd_context *context, const crd_communicator *group) {
    context->communicator = *group;
}

void crd_context_leave_group(crd_context *context) {
    (void)crd_i_leave_group(context);
}

/* ---- Messages ---- */

static crd_status collective_fail_to_reach(const crd_context *context, unsigned rank, crd_error *error) {
    if (crd_i_context_cancelled(context)) return crd_i_fail_cancelled(error);
    return crd_i_fail(error, CRD_ERROR_SYSTEM, "process %u of the group cannot be reached", rank);
}

/* Returns a checksum of the library build, which must be the same in every process of a group. */
static uint32_t build_of_library(void) {
    uint32_t build = (uint32_t)(sizeof(crd_error) + sizeof(size_t));
    for (const char *next = crd_version(); *next != '\0'; next++) build = build * 31 + (unsigned char)*next;
    return build;
}

static bool is_sent(const crd_communicator *group, unsigned limit, const void *bytes, size_t length) {
    return length == 0 || group->send(group->user, limit, bytes, length) == 0;
}

static bool is_received(const crd_communicator *group, unsigned first, void *bytes, size_t length) {
    return length == 0 || group->receive(group->user, first, bytes, length) == 0;
}

/* Sends the bytes, or the error if `status` is a failure. If a receiver has no room for the bytes, only the receiver
 * fails. */
static crd_status send_message(const crd_context *context, unsigned limit, crd_status status, bool is_agreed,
                               const crd_i_buffer *bytes, const crd_error *failure, crd_error *error) {
    const crd_communicator *group = &context->communicator;
    const bool is_failure = status != CRD_OK;
    const message_head head = {.build = build_of_library(),
                               .status = (uint16_t)status,
                               .is_agreed = is_agreed,
                               .length = is_failure ? sizeof *failure : bytes->length};
    const void *body = is_failure ? (const void *)failure : bytes->bytes;
    uint32_t has_room = 1;
    bool is_done = is_sent(group, limit, &head, sizeof head);
    if (is_done && !is_failure && head.length > MOST_AT_ONCE)
        is_done = is_received(group, limit, &has_room, sizeof has_room);
    if (is_done && has_room != 0) is_done = is_sent(group, limit, body, (size_t)head.length);
    return is_done ? CRD_OK : collective_fail_to_reach(context, limit, error);
}

static crd_status receive_failure(const crd_context *context, unsigned first, const message_head *head,
                                  crd_error *error) {
    crd_error theirs;
    if (head->length != sizeof theirs || !is_received(&context->communicator, first, &theirs, sizeof theirs))
        return collective_fail_to_reach(context, first, error);
    if (error != NULL) *error = theirs;
    return (crd_status)head->status;
}

static crd_status collective_receive_bytes(const crd_context *context, unsigned first, uint64_t length,
                                           crd_i_buffer *bytes, crd_error *error) {
    const crd_communicator *group = &context->communicator;
    unsigned char unwanted[MOST_AT_ONCE], *buffer = NULL;
    if (length <= SIZE_MAX) buffer = crd_i_buffer_room(bytes, (size_t)length);
    const uint32_t has_room = buffer != NULL;
    bool is_done = true;
    if (length > MOST_AT_ONCE) is_done = is_sent(group, first, &has_room, sizeof has_room);
    else if (buffer == NULL) is_done = is_received(group, first, unwanted, (size_t)length);
    if (is_done && buffer != NULL) is_done = is_received(group, first, buffer, (size_t)length);
    if (!is_done) return collective_fail_to_reach(context, first, error);
    if (buffer == NULL) return crd_i_fail_memory(error);
    bytes->length = (size_t)length;
    return CRD_OK;
}

/* Receives a message: replaces the bytes, or fails with the sender's status and error. */
static crd_status receive_message(const crd_context *context, unsigned first, crd_i_buffer *bytes, bool *is_agreed,
                                  crd_error *error) {
    message_head head;
    bytes->length = 0;
    *is_agreed = false;
    if (!is_received(&context->communicator, first, &head, sizeof head))
        return collective_fail_to_reach(context, first, error);
    if (head.build != build_of_library())
        return crd_i_fail(error, CRD_ERROR_SYSTEM,
                          "process %u of the group has another build of Credence: use the same build on all machines",
                          first);
    if (head.status == CRD_OK)
        return head.length == 0 ? CRD_OK : collective_receive_bytes(context, first, head.length, bytes, error);
    const crd_status status = receive_failure(context, first, &head, error);
    *is_agreed = head.is_agreed != 0 && status == (crd_status)head.status;
    return status;
}

/* Keeps the first failure, which belongs to the lowest rank. */
static void keep_failure(crd_status *status, crd_error *failure, crd_status other, const crd_error *theirs) {
    if (*status != CRD_OK || other == CRD_OK) return;
    *status = other;
    *failure = *theirs;
}

static crd_error blank_error(crd_status status, const crd_error *error) {
    crd_error failure;
    memset(&failure, 0, sizeof failure);
    failure.status = status;
    if (status != CRD_OK && error != NULL) failure = *error;
    return failure;
}

/* ---- Trees ---- */

/* Sends bytes from process 0 to all processes. Sets *is_agreed if process 0, and therefore every process, has
 * failed. */
static crd_status collective_spread(crd_context *context, crd_status status, crd_i_buffer *bytes, bool *is_agreed,
                                    crd_error *failure) {
    const unsigned rank = context->communicator.rank, count = context->communicator.count;
    unsigned below = 1;
    crd_error fault;
    while (below < count && (rank & below) == 0) below <<= 1;
    *is_agreed = status != CRD_OK;
    if (rank > 0) {
        *failure = blank_error(CRD_OK, NULL);
        status = receive_message(context, rank - below, bytes, is_agreed, failure);
    }
    for (unsigned step = below >> 1; step > 0; step >>= 1) {
        if (count - rank <= step) continue;
        const crd_status sent = send_message(context, rank + step, status, *is_agreed, bytes, failure, &fault);
        keep_failure(&status, failure, sent, &fault);
    }
    context->agreed_failure = *is_agreed ? status : CRD_OK;
    return status;
}

crd_status crd_i_broadcast(crd_context *context, crd_status status, crd_i_buffer *bytes, crd_error *error) {
    if (!crd_i_is_collective(context)) return status;
    bool is_agreed;
    status = crd_i_agree(context, status, error);
    if (status != CRD_OK) return status;
    crd_error failure = blank_error(status, error);
    status = collective_spread(context, status, bytes, &is_agreed, &failure);
    if (status != CRD_OK && error != NULL) *error = failure;
    /* If a process failed while the others receive, they would wait for it; so all agree on the status first. */
    return crd_i_agree(context, status, error);
}

static crd_status append_nothing(void *object, crd_i_buffer *bytes, crd_error *error) {
    (void)object;
    (void)bytes;
    (void)error;
    return CRD_OK;
}

static crd_status combine_nothing(void *object, const unsigned char *bytes, size_t length, crd_error *error) {
    (void)object;
    (void)bytes;
    (void)length;
    (void)error;
    return CRD_OK;
}

/* Collects values along the tree in process 0. */
static crd_status collective_collect(crd_context *context, crd_status status, const crd_i_reduction *operation,
                                     void *object, crd_i_buffer *bytes, crd_error *failure) {
    const unsigned rank = context->communicator.rank, count = context->communicator.count;
    crd_error fault;
    bool is_agreed;
    for (unsigned step = 1; step < count; step <<= 1) {
        if ((rank & step) != 0) {
            bytes->length = 0;
            if (status == CRD_OK) status = operation->encode(object, bytes, failure);
            const crd_status sent = send_message(context, rank - step, status, false, bytes, failure, &fault);
            keep_failure(&status, failure, sent, &fault);
            return status;
        }
        if (count - rank <= step) continue;
        crd_status received = receive_message(context, rank + step, bytes, &is_agreed, &fault);
        if (received == CRD_OK && status == CRD_OK)
            received = operation->combine(object, bytes->bytes, bytes->length, &fault);
        keep_failure(&status, failure, received, &fault);
    }
    bytes->length = 0;
    return status == CRD_OK ? operation->encode(object, bytes, failure) : status;
}

crd_status crd_i_agree(crd_context *context, crd_status status, crd_error *error) {
    static const crd_i_reduction nothing = {append_nothing, combine_nothing};
    if (!crd_i_is_collective(context)) return status;
    crd_i_buffer none = {.context = context};
    crd_error failure = blank_error(status, error);
    bool is_agreed;
    status = collective_collect(context, status, &nothing, NULL, &none, &failure);
    status = collective_spread(context, status, &none, &is_agreed, &failure);
    crd_i_buffer_clear(&none);
    if (status != CRD_OK && error != NULL) *error = failure;
    return status;
}

bool crd_i_has_failed_together(const crd_context *context, crd_status status) {
    return status != CRD_OK && status == context->agreed_failure;
}

crd_status crd_i_conclude(crd_context *context, crd_status status, crd_error *error) {
    if (!crd_i_has_failed_together(context, status)) status = crd_i_agree(context, status, error);
    context->agreed_failure = CRD_OK; /* later failures belong to one process again */
    return status;
}

crd_status crd_i_reduce(crd_context *context, crd_status status, const crd_i_reduction *operation, void *object,
                        crd_i_buffer *bytes, crd_error *error) {
    if (!crd_i_is_collective(context)) return status == CRD_OK ? operation->encode(object, bytes, error) : status;
    crd_error failure = blank_error(status, error);
    bool is_agreed;
    status = collective_collect(context, status, operation, object, bytes, &failure);
    status = collective_spread(context, status, bytes, &is_agreed, &failure);
    if (status != CRD_OK && error != NULL) *error = failure;
    return is_agreed ? status : crd_i_agree(context, status, error);
}

/* ---- Gathering: a reduction that appends ---- */

typedef struct collective_collector {
    crd_i_buffer items;   /* for each process: the length in 8 bytes, then the bytes */
    bool is_at_its_place; /* this is process 0, and only process 0 receives the items */
} collective_collector;

static crd_status append_items(void *object, crd_i_buffer *bytes, crd_error *error) {
    const collective_collector *all = object;
    if (all->is_at_its_place) return CRD_OK;
    return crd_i_buffer_append(bytes, all->items.bytes, all->items.length) ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status combine_items(void *object, const unsigned char *bytes, size_t length, crd_error *error) {
    collective_collector *all = object;
    return crd_i_buffer_append(&all->items, bytes, length) ? CRD_OK : crd_i_fail_memory(error);
}

crd_status crd_i_fail_received(crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_SYSTEM, "the processes of the group computed different results");
}

const unsigned char *crd_i_received_pass(crd_i_received *message, uint64_t length) {
    static const unsigned char none[1];
    const unsigned char *match = message->bytes == NULL ? none : message->bytes;
    if (length > message->length) return NULL;
    if (length > 0) message->bytes += length;
    message->length -= (size_t)length;
    return match;
}

bool crd_i_received_take(crd_i_received *message, void *destination, size_t size) {
    const unsigned char *match = crd_i_received_pass(message, size);
    if (match != NULL) memcpy(destination, match, size);
    return match != NULL;
}

static crd_status index_items(crd_context *context, crd_i_gathered *out, crd_error *error) {
    const unsigned count = context->communicator.count;
    out->bytes = crd_i_alloc(context, count, sizeof *out->bytes);
    out->lengths = crd_i_alloc(context, count, sizeof *out->lengths);
    if (out->bytes == NULL || out->lengths == NULL) return crd_i_fail_memory(error);
    crd_i_received all = {out->buffer.bytes, out->buffer.length};
    for (unsigned i = 0; i < count; i++) {
        uint64_t length;
        if (!crd_i_received_take(&all, &length, sizeof length)) return crd_i_fail_received(error);
        out->bytes[i] = crd_i_received_pass(&all, length);
        if (out->bytes[i] == NULL) return crd_i_fail_received(error);
        out->lengths[i] = (size_t)length;
    }
    return all.length == 0 ? CRD_OK : crd_i_fail_received(error);
}

static crd_status collective_gather(crd_context *context, crd_status status, const void *bytes, size_t length,
                                    bool is_for_first, crd_i_gathered *out, crd_error *error) {
    static const crd_i_reduction appending = {append_items, combine_items};
    const bool is_first = context->communicator.rank == 0;
    collective_collector all = {{.context = context}, is_for_first && is_first};
    const uint64_t own = length;
    *out = (crd_i_gathered){.buffer = {.context = context}};
    if (status == CRD_OK &&
        (!crd_i_buffer_append(&all.items, &own, sizeof own) || !crd_i_buffer_append(&all.items, bytes, length)))
        status = crd_i_fail_memory(error);
    status = crd_i_reduce(context, status, &appending, &all, &out->buffer, error);
    if (status == CRD_OK && all.is_at_its_place) {
        out->buffer = all.items;
        all.items = (crd_i_buffer){.context = context};
    }
    crd_i_buffer_clear(&all.items);
    if (status == CRD_OK) {
        if (is_first || !is_for_first) status = index_items(context, out, error);
        status = crd_i_agree(context, status, error);
    }
    if (status != CRD_OK) crd_i_gathered_clear(out);
    return status;
}

crd_status crd_i_gather(crd_context *context, crd_status status, const void *bytes, size_t length, crd_i_gathered *out,
                        crd_error *error) {
    return collective_gather(context, status, bytes, length, false, out, error);
}

crd_status crd_i_gather_first(crd_context *context, crd_status status, const void *bytes, size_t length,
                              crd_i_gathered *out, crd_error *error) {
    return collective_gather(context, status, bytes, length, true, out, error);
}

void crd_i_gathered_clear(crd_i_gathered *gathered) {
    crd_context *context = gathered->buffer.context;
    crd_free(context, gathered->bytes);
    crd_free(context, gathered->lengths);
    crd_i_buffer_clear(&gathered->buffer);
    *gathered = (crd_i_gathered){.buffer = {.context = context}};
}

crd_status crd_i_share_items(crd_context *context, crd_status status, void *items, size_t item_bytes, size_t count,
                             crd_error *error) {
    const unsigned processes = context->communicator.count;
    unsigned char *all = items;
    if (processes == 1) return status;
    crd_i_buffer buffer = {.context = context};
    for (size_t i = context->communicator.rank; status == CRD_OK && i < count; i += processes)
        if (!crd_i_buffer_append(&buffer, all + i * item_bytes, item_bytes)) status = crd_i_fail_memory(error);
    crd_i_gathered gathered;
    status = crd_i_gather(context, status, buffer.bytes, buffer.length, &gathered, error);
    crd_i_buffer_clear(&buffer);
    if (status != CRD_OK) return status;
    /* All processes compute the same counts, so the length that each must send is known. */
    for (unsigned i = 0; i < processes; i++)
        if (gathered.lengths[i] != (count + processes - 1 - i) / processes * item_bytes) status = CRD_ERROR_SYSTEM;
    if (status != CRD_OK) {
        crd_i_gathered_clear(&gathered);
        return crd_i_fail_received(error);
    }
    for (size_t i = 0; i < count; i++)
        memcpy(all + i * item_bytes, gathered.bytes[i % processes] + i / processes * item_bytes, item_bytes);
    crd_i_gathered_clear(&gathered);
    return CRD_OK;
}
