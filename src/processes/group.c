/* SPDX-License-Identifier: MIT */
/* group.c - see group.h.
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
 * make.
 *
 * Contents:
 *   1. Members
 *   2. Messages
 *   3. Trees
 *   4. Agreement
 *   5. Merged results
 *   6. Shared work */
#include "processes/group.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* ======== 1. Members ======== */

unsigned crd_i_group_rank(const crd_i_group *group) {
    return group == NULL ? 0 : group->communicator.rank;
}

unsigned crd_i_group_count(const crd_i_group *group) {
    return group == NULL ? 1 : group->communicator.count;
}

crd_i_group *crd_i_group_leave(crd_context *context) {
    crd_i_group *group = context->group;
    if (group != NULL) context->group = NULL; /* other threads may use a context without a group */
    return group;
}

void crd_i_group_join(crd_context *context, crd_i_group *group) {
    if (group != NULL) context->group = group;
}

void crd_context_leave_group(crd_context *context) {
    context->group = NULL;
}

/* ======== 2. Messages ======== */

/* Bodies up to this length are sent immediately, because a receiver always has room for them. */
enum { MOST_AT_ONCE = 4096 };

typedef struct message_head {
    uint32_t build; /* library build; bodies contain its structs */
    uint16_t status;
    uint16_t is_agreed; /* the failure is known to all processes */
    uint64_t length;    /* length of the body */
} message_head;

static crd_status group_fail_to_reach(const crd_i_group *group, unsigned rank, crd_error *error) {
    if (crd_i_context_cancelled(group->context)) return crd_i_fail_cancelled(error);
    return crd_i_fail(error, CRD_ERROR_SYSTEM, "process %u of the group cannot be reached", rank);
}

/* Returns a checksum of the library build, which must be the same in every process of a group. */
static uint32_t build_of_library(void) {
    uint32_t build = (uint32_t)(sizeof(crd_error) + sizeof(size_t));
    for (const char *next = crd_version(); *next != '\0'; next++) build = build * 31 + (unsigned char)*next;
    return build;
}

static bool is_sent(const crd_i_group *group, unsigned limit, const void *bytes, size_t length) {
    return length == 0 || group->communicator.send(group->communicator.user, limit, bytes, length) == 0;
}

static bool is_received(const crd_i_group *group, unsigned first, void *bytes, size_t length) {
    return length == 0 || group->communicator.receive(group->communicator.user, first, bytes, length) == 0;
}

/* Sends the bytes, or the error if `status` is a failure. If a receiver has no room for the bytes, only the receiver
 * fails. */
static crd_status send_message(const crd_i_group *group, unsigned limit, crd_status status, bool is_agreed,
                               const crd_i_buffer *bytes, const crd_error *failure, crd_error *error) {
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
    return is_done ? CRD_OK : group_fail_to_reach(group, limit, error);
}

static crd_status receive_failure(const crd_i_group *group, unsigned first, const message_head *head,
                                  crd_error *error) {
    crd_error theirs;
    if (head->length != sizeof theirs || !is_received(group, first, &theirs, sizeof theirs))
        return group_fail_to_reach(group, first, error);
    if (error != NULL) *error = theirs;
    return (crd_status)head->status;
}

static crd_status group_receive_bytes(const crd_i_group *group, unsigned first, uint64_t length, crd_i_buffer *bytes,
                                      crd_error *error) {
    unsigned char unwanted[MOST_AT_ONCE], *buffer = NULL;
    if (length <= SIZE_MAX) buffer = crd_i_buffer_room(bytes, (size_t)length);
    const uint32_t has_room = buffer != NULL;
    bool is_done = true;
    if (length > MOST_AT_ONCE) is_done = is_sent(group, first, &has_room, sizeof has_room);
    else if (buffer == NULL) is_done = is_received(group, first, unwanted, (size_t)length);
    if (is_done && buffer != NULL) is_done = is_received(group, first, buffer, (size_t)length);
    if (!is_done) return group_fail_to_reach(group, first, error);
    if (buffer == NULL) return crd_i_fail_memory(error);
    bytes->length = (size_t)length;
    return CRD_OK;
}

/* Receives a message: replaces the bytes, or fails with the sender's status and error. */
static crd_status receive_message(const crd_i_group *group, unsigned first, crd_i_buffer *bytes, bool *is_agreed,
                                  crd_error *error) {
    message_head head;
    bytes->length = 0;
    *is_agreed = false;
    if (!is_received(group, first, &head, sizeof head)) return group_fail_to_reach(group, first, error);
    if (head.build != build_of_library())
        return crd_i_fail(error, CRD_ERROR_SYSTEM,
                          "process %u of the group has another build of Credence: use the same build on all machines",
                          first);
    if (head.status == CRD_OK)
        return head.length == 0 ? CRD_OK : group_receive_bytes(group, first, head.length, bytes, error);
    const crd_status status = receive_failure(group, first, &head, error);
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

/* ======== 3. Trees ======== */

/* Sends bytes from process 0 to all processes. Sets *is_agreed if process 0, and therefore every process, has
 * failed. */
static crd_status group_spread(crd_i_group *group, crd_status status, crd_i_buffer *bytes, bool *is_agreed,
                               crd_error *failure) {
    const unsigned rank = group->communicator.rank, count = group->communicator.count;
    unsigned below = 1;
    crd_error fault;
    while (below < count && (rank & below) == 0) below <<= 1;
    *is_agreed = status != CRD_OK;
    if (rank > 0) {
        *failure = blank_error(CRD_OK, NULL);
        status = receive_message(group, rank - below, bytes, is_agreed, failure);
    }
    for (unsigned step = below >> 1; step > 0; step >>= 1) {
        if (count - rank <= step) continue;
        const crd_status sent = send_message(group, rank + step, status, *is_agreed, bytes, failure, &fault);
        keep_failure(&status, failure, sent, &fault);
    }
    group->agreed_failure = *is_agreed ? status : CRD_OK;
    return status;
}

/* Replaces `bytes` by the encoded object. */
static crd_status group_encode(const crd_i_merging *merging, void *object, crd_i_buffer *bytes, crd_error *error) {
    crd_i_encoder encoder = {.buffer = *bytes};
    encoder.buffer.length = 0;
    const crd_status status = merging->encode(object, &encoder, error);
    *bytes = encoder.buffer;
    return status == CRD_OK && encoder.failed ? crd_i_fail_memory(error) : status;
}

static crd_status group_add(const crd_i_merging *merging, void *object, unsigned rank, crd_i_cursor part,
                            crd_error *error) {
    const crd_status status = merging->add(object, rank, &part, error);
    return status == CRD_OK ? crd_i_part_end(&part, error) : status;
}

/* Merges the objects along the tree in process 0. */
static crd_status group_collect(crd_i_group *group, crd_status status, const crd_i_merging *merging, void *object,
                                crd_i_buffer *bytes, crd_error *failure) {
    const unsigned rank = group->communicator.rank, count = group->communicator.count;
    crd_error fault;
    bool is_agreed;
    for (unsigned step = 1; step < count; step <<= 1) {
        if ((rank & step) != 0) {
            if (status == CRD_OK) status = group_encode(merging, object, bytes, failure);
            const crd_status sent = send_message(group, rank - step, status, false, bytes, failure, &fault);
            keep_failure(&status, failure, sent, &fault);
            return status;
        }
        if (count - rank <= step) continue;
        crd_status received = receive_message(group, rank + step, bytes, &is_agreed, &fault);
        if (received == CRD_OK && status == CRD_OK)
            received = group_add(merging, object, rank + step, crd_i_cursor_of(bytes), &fault);
        keep_failure(&status, failure, received, &fault);
    }
    return status == CRD_OK ? group_encode(merging, object, bytes, failure) : status;
}

/* ======== 4. Agreement ======== */

static crd_status encode_nothing(void *object, crd_i_encoder *encoder, crd_error *error) {
    (void)object;
    (void)encoder;
    (void)error;
    return CRD_OK;
}

static crd_status add_nothing(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    (void)object;
    (void)rank;
    (void)part;
    (void)error;
    return CRD_OK;
}

crd_status crd_i_group_agree(crd_i_group *group, crd_status status, crd_error *error) {
    static const crd_i_merging nothing = {encode_nothing, add_nothing};
    if (group == NULL) return status;
    crd_i_buffer none = {.context = group->context};
    crd_error failure = blank_error(status, error);
    bool is_agreed;
    status = group_collect(group, status, &nothing, NULL, &none, &failure);
    status = group_spread(group, status, &none, &is_agreed, &failure);
    crd_i_buffer_clear(&none);
    if (status != CRD_OK && error != NULL) *error = failure;
    return status;
}

crd_status crd_i_group_fail(crd_i_group *group, crd_status failure, crd_error *error) {
    return crd_i_group_agree(group, failure, error);
}

crd_status crd_i_group_end(crd_i_group *group, crd_status status, crd_error *error) {
    if (group == NULL) return status;
    const bool is_agreed = status != CRD_OK && status == group->agreed_failure;
    if (!is_agreed) status = crd_i_group_agree(group, status, error);
    group->agreed_failure = CRD_OK; /* later failures belong to one process again */
    return status;
}

/* ======== 5. Merged results ======== */

/* Reduces the objects of all processes, unless the work of this one has failed. All processes get the same status. */
static crd_status group_reduce(crd_i_group *group, crd_status status, const crd_i_merging *merging, void *object,
                               crd_i_buffer *bytes, crd_error *error) {
    crd_error failure = blank_error(status, error);
    bool is_agreed;
    status = group_collect(group, status, merging, object, bytes, &failure);
    status = group_spread(group, status, bytes, &is_agreed, &failure);
    if (status != CRD_OK && error != NULL) *error = failure;
    return is_agreed ? status : crd_i_group_agree(group, status, error);
}

crd_status crd_i_group_reduce(crd_i_group *group, const crd_i_merging *merging, void *object, crd_i_buffer *bytes,
                              crd_error *error) {
    return group == NULL ? group_encode(merging, object, bytes, error)
                         : group_reduce(group, CRD_OK, merging, object, bytes, error);
}

crd_status crd_i_group_broadcast(crd_i_group *group, crd_i_buffer *bytes, crd_error *error) {
    if (group == NULL) return CRD_OK;
    bool is_agreed;
    crd_status status = crd_i_group_agree(group, CRD_OK, error);
    if (status != CRD_OK) return status;
    crd_error failure = blank_error(status, error);
    status = group_spread(group, status, bytes, &is_agreed, &failure);
    if (status != CRD_OK && error != NULL) *error = failure;
    /* If a process failed while the others receive, they would wait for it; so all agree on the status first. */
    return crd_i_group_agree(group, status, error);
}

crd_status crd_i_fail_received(crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_SYSTEM, "the processes of the group computed different results");
}

crd_status crd_i_part_end(const crd_i_cursor *part, crd_error *error) {
    return part->failed || part->at != part->end ? crd_i_fail_received(error) : CRD_OK;
}

/* ---- Gathering: a reduction that appends ---- */

typedef struct group_parts {
    crd_i_buffer items;   /* for each process: the length in 8 bytes, then the bytes */
    bool is_at_its_place; /* this is process 0, and only process 0 receives the items */
} group_parts;

static crd_status encode_items(void *object, crd_i_encoder *encoder, crd_error *error) {
    const group_parts *all = object;
    (void)error;
    if (!all->is_at_its_place) crd_i_encode_bytes(encoder, all->items.bytes, all->items.length);
    return CRD_OK;
}

static crd_status add_items(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    group_parts *all = object;
    const size_t length = crd_i_cursor_left(part);
    (void)rank;
    if (!crd_i_buffer_append(&all->items, part->at, length)) return crd_i_fail_memory(error);
    part->at = part->end;
    return CRD_OK;
}

static crd_status index_items(const crd_i_group *group, crd_i_gathered *out, crd_error *error) {
    const unsigned count = group->communicator.count;
    crd_i_cursor all = crd_i_cursor_of(&out->buffer);
    out->parts = crd_i_alloc(group->context, count, sizeof *out->parts);
    if (out->parts == NULL) return crd_i_fail_memory(error);
    for (unsigned i = 0; i < count; i++) out->parts[i] = crd_i_decode_part(&all, crd_i_decode_u64(&all));
    return crd_i_part_end(&all, error);
}

/* Gathers the bytes of all processes in all of them, or in process 0 only, unless the work of this process has failed. All processes get
 * the same status. */
static crd_status group_gather(crd_i_group *group, crd_status status, const void *bytes, size_t length,
                               bool is_for_first, crd_i_gathered *out, crd_error *error) {
    static const crd_i_merging appending = {encode_items, add_items};
    const bool is_first = group->communicator.rank == 0;
    group_parts all = {{.context = group->context}, is_for_first && is_first};
    crd_i_encoder encoder = {.buffer = {.context = group->context}};
    *out = (crd_i_gathered){.buffer = {.context = group->context}};
    if (status == CRD_OK) {
        crd_i_encode_u64(&encoder, length);
        crd_i_encode_bytes(&encoder, bytes, length);
        if (encoder.failed) status = crd_i_fail_memory(error);
    }
    all.items = encoder.buffer;
    status = group_reduce(group, status, &appending, &all, &out->buffer, error);
    if (status == CRD_OK && all.is_at_its_place) {
        crd_i_buffer_clear(&out->buffer);
        out->buffer = all.items;
        all.items = (crd_i_buffer){.context = group->context};
    }
    crd_i_buffer_clear(&all.items);
    return status;
}

crd_status crd_i_group_gather(crd_i_group *group, const void *bytes, size_t length, crd_i_gathered *out,
                              crd_error *error) {
    crd_status status = group_gather(group, CRD_OK, bytes, length, false, out, error);
    if (status == CRD_OK) status = crd_i_group_agree(group, index_items(group, out, error), error);
    if (status != CRD_OK) crd_i_gathered_clear(out);
    return status;
}

void crd_i_gathered_clear(crd_i_gathered *gathered) {
    crd_free(gathered->buffer.context, gathered->parts);
    crd_i_buffer_clear(&gathered->buffer);
    gathered->parts = NULL;
}

/* ---- Merging in rank order ---- */

static crd_status add_parts(const crd_i_group *group, const crd_i_merging *merging, void *object,
                            crd_i_gathered *gathered, crd_error *error) {
    crd_status status = index_items(group, gathered, error);
    for (unsigned rank = 0; status == CRD_OK && rank < group->communicator.count; rank++)
        status = group_add(merging, object, rank, gathered->parts[rank], error);
    return status;
}

static crd_status group_merge(crd_i_group *group, const crd_i_merging *merging, void *object, bool is_for_first,
                              crd_error *error) {
    if (group == NULL) return CRD_OK;
    crd_i_buffer bytes = {.context = group->context};
    crd_i_gathered gathered;
    crd_status status = group_encode(merging, object, &bytes, error);
    status = group_gather(group, status, bytes.bytes, bytes.length, is_for_first, &gathered, error);
    crd_i_buffer_clear(&bytes);
    if (status == CRD_OK) {
        if (!is_for_first || group->communicator.rank == 0)
            status = add_parts(group, merging, object, &gathered, error);
        status = crd_i_group_agree(group, status, error);
    }
    crd_i_gathered_clear(&gathered);
    return status;
}

crd_status crd_i_group_merge(crd_i_group *group, const crd_i_merging *merging, void *object, crd_error *error) {
    return group_merge(group, merging, object, false, error);
}

crd_status crd_i_group_merge_first(crd_i_group *group, const crd_i_merging *merging, void *object, crd_error *error) {
    return group_merge(group, merging, object, true, error);
}

/* ======== 6. Shared work ======== */

bool crd_i_group_has_item(const crd_i_group *group, size_t item) {
    return group == NULL || item % group->communicator.count == group->communicator.rank;
}

typedef struct shared_items {
    const crd_i_group *group;
    unsigned char *items;
    size_t item_size, count;
} shared_items;

static crd_status encode_own_items(void *object, crd_i_encoder *encoder, crd_error *error) {
    const shared_items *shared = object;
    (void)error;
    for (size_t i = shared->group->communicator.rank; i < shared->count; i += shared->group->communicator.count)
        crd_i_encode_bytes(encoder, shared->items + i * shared->item_size, shared->item_size);
    return CRD_OK;
}

static crd_status add_own_items(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    const shared_items *shared = object;
    (void)error;
    for (size_t i = rank; !part->failed && i < shared->count; i += shared->group->communicator.count)
        crd_i_decode_bytes(part, shared->items + i * shared->item_size, shared->item_size);
    return CRD_OK;
}

crd_status crd_i_group_share(crd_i_group *group, void *items, size_t item_size, size_t count, crd_error *error) {
    static const crd_i_merging sharing = {encode_own_items, add_own_items};
    shared_items shared = {group, items, item_size, count};
    return crd_i_group_merge(group, &sharing, &shared, error);
}

typedef struct own_loop {
    const crd_i_group *group;
    const crd_i_parallel_loop *loop; /* over the items of all processes */
} own_loop;

static crd_status work_on_own_item(void *state, void *workspace, size_t index, crd_error *error) {
    const own_loop *own = state;
    const size_t item = index * own->group->communicator.count + own->group->communicator.rank;
    return own->loop->work(own->loop->state, workspace, item, error);
}

static void clear_own_workspace(void *state, void *workspace) {
    const own_loop *own = state;
    if (own->loop->clear != NULL) own->loop->clear(own->loop->state, workspace);
}

crd_status crd_i_group_for(crd_context *context, crd_i_group *group, crd_i_parallel_loop *loop, void *results,
                           size_t result_size, crd_error *error) {
    if (group == NULL) return crd_i_parallel_for(context, loop, error);
    const unsigned rank = group->communicator.rank, count = group->communicator.count;
    own_loop own = {group, loop};
    crd_i_parallel_loop part = *loop;
    part.state = &own;
    part.work = work_on_own_item;
    part.clear = clear_own_workspace;
    part.items = loop->items > rank ? (loop->items - rank - 1) / count + 1 : 0;
    const crd_status status = crd_i_parallel_for(context, &part, error);
    return status == CRD_OK && results != NULL ? crd_i_group_share(group, results, result_size, loop->items, error)
                                               : crd_i_group_agree(group, status, error);
}

typedef struct summed_numbers {
    uint64_t *numbers;
    size_t count;
} summed_numbers;

static crd_status encode_numbers(void *object, crd_i_encoder *encoder, crd_error *error) {
    const summed_numbers *summed = object;
    (void)error;
    crd_i_encode_u64s(encoder, summed->numbers, summed->count);
    return CRD_OK;
}

static crd_status add_numbers(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    const summed_numbers *summed = object;
    (void)rank;
    (void)error;
    for (size_t i = 0; i < summed->count; i++) summed->numbers[i] += crd_i_decode_u64(part);
    return CRD_OK;
}

crd_status crd_i_group_sum(crd_i_group *group, uint64_t *numbers, size_t count, crd_error *error) {
    static const crd_i_merging summing = {encode_numbers, add_numbers};
    summed_numbers summed = {numbers, count};
    if (group == NULL) return CRD_OK;
    crd_i_buffer bytes = {.context = group->context};
    const crd_status status = crd_i_group_reduce(group, &summing, &summed, &bytes, error);
    crd_i_cursor sums = crd_i_cursor_of(&bytes);
    for (size_t i = 0; status == CRD_OK && i < count; i++) numbers[i] = crd_i_decode_u64(&sums);
    crd_i_buffer_clear(&bytes);
    return status;
}
