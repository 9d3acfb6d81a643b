/* SPDX-License-Identifier: MIT */
/* part_ids.c - the set of ids of a model's parts: see model_internal.h.
 *
 * Contents:
 *   1. Runs
 *   2. Sets
 *   3. Changes
 *   4. Lists and files */
#include "model/model_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

/* A sorted run of distinct ids. Id i consists of the bytes from starts[i] to starts[i + 1]. The bytes follow the starts
 * in the same block, which was allocated for `capacity` ids. Removed ids are marked in their starts, and are dropped
 * when they are more than half of the ids. */
typedef struct id_run {
    size_t capacity, count, gone;
    size_t *starts;
} id_run;

/* Each run has more than twice the capacity of the next, so there are never more runs. */
enum { MOST_RUNS = 64 };

static const size_t GONE = ~(SIZE_MAX >> 1);

struct crd_i_part_ids {
    crd_context *context;
    size_t run_count;
    id_run runs[MOST_RUNS];
};

bool crd_i_part_id_is_valid(crd_text id) {
    return id.length > 0 && id.length <= CRD_I_MOST_ID && memchr(id.bytes, '\0', id.length) == NULL &&
           crd_i_utf8_is_valid(id);
}

/* ======== 1. Runs ======== */

static char *bytes_of(const id_run *run) {
    return (char *)(run->starts + run->capacity + 1);
}

static size_t start_of(const id_run *run, size_t i) {
    return run->starts[i] & ~GONE;
}

static crd_text id_at(const id_run *run, size_t i) {
    const crd_text id = {bytes_of(run) + start_of(run, i), start_of(run, i + 1) - start_of(run, i)};
    return id;
}

static bool is_gone(const id_run *run, size_t i) {
    return (run->starts[i] & GONE) != 0;
}

/* Returns the first index, starting at i, of an id that is not removed. */
static size_t there_from(const id_run *run, size_t i) {
    while (i < run->count && is_gone(run, i)) i++;
    return i;
}

static size_t part_ids_count(const id_run *run) {
    return run->count - run->gone;
}

/* Allocates a run for `count` ids with `bytes` bytes in total. The ids are not filled in. */
static bool run_create(crd_context *context, size_t count, size_t bytes, id_run *out) {
    const size_t most = SIZE_MAX / sizeof *out->starts - 2;
    out->capacity = out->count = count;
    out->gone = 0;
    out->starts = NULL;
    if (count > most || bytes / sizeof *out->starts > most - count) return false;
    out->starts = crd_i_alloc(context, count + 2 + bytes / sizeof *out->starts, sizeof *out->starts);
    if (out->starts == NULL) return false;
    out->starts[0] = 0;
    return true;
}

/* Appends an id to a run that is being filled. *cursor is the number of ids so far. */
static void part_ids_put(id_run *target_run, size_t *cursor, crd_text id) {
    memcpy(bytes_of(target_run) + target_run->starts[*cursor], id.bytes, id.length);
    target_run->starts[*cursor + 1] = target_run->starts[*cursor] + id.length;
    ++*cursor;
}

/* Merges two runs that have no id in common. */
static bool run_unite(crd_context *context, const id_run *a, const id_run *b, id_run *out) {
    if (!run_create(context, part_ids_count(a) + part_ids_count(b), a->starts[a->count] + b->starts[b->count], out))
        return false;
    size_t i = there_from(a, 0), j = there_from(b, 0), index = 0;
    while (i < a->count || j < b->count) {
        const bool is_first = j == b->count || (i < a->count && crd_i_text_compare(id_at(a, i), id_at(b, j)) < 0);
        part_ids_put(out, &index, is_first ? id_at(a, i) : id_at(b, j));
        if (is_first) i = there_from(a, i + 1);
        else j = there_from(b, j + 1);
    }
    return true;
}

/* Returns the index of an id; run->count if the run does not contain it. */
static size_t run_find(const id_run *run, crd_text id) {
    size_t low = 0, high = run->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = crd_i_text_compare(id_at(run, middle), id);
        if (order == 0) return is_gone(run, middle) ? run->count : middle;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return run->count;
}

/* Drops the removed ids in place, so this cannot fail. */
static void run_compact(id_run *run) {
    size_t index = 0, end = 0;
    for (size_t i = 0; i < run->count; i++) {
        const crd_text id = id_at(run, i);
        if (is_gone(run, i)) continue;
        memmove(bytes_of(run) + end, id.bytes, id.length);
        run->starts[index++] = end;
        end += id.length;
    }
    run->starts[index] = end;
    run->count = index;
    run->gone = 0;
}

static void run_remove(id_run *run, size_t index) {
    run->starts[index] |= GONE;
    if (++run->gone > run->count / 2) run_compact(run);
}

/* Merges the runs of a set, starting at `first`, into *run. Takes over the old *run, even on failure. */
static bool run_join(const crd_i_part_ids *ids, size_t first, id_run *run) {
    for (size_t i = ids->run_count; i-- > first;) {
        id_run both;
        const bool done = run_unite(ids->context, &ids->runs[i], run, &both);
        crd_free(ids->context, run->starts);
        *run = both;
        if (!done) return false;
    }
    return true;
}

/* Returns all ids of a nonempty set as one run. *is_own: the caller must free it; otherwise it is the set's only
 * run. */
static bool part_ids_run(const crd_i_part_ids *ids, id_run *out, bool *is_own) {
    *is_own = ids->run_count > 1 || ids->runs[0].gone > 0;
    *out = ids->runs[0];
    if (!*is_own) return true;
    return run_create(ids->context, 0, 0, out) && run_join(ids, 0, out);
}

/* ======== 2. Sets ======== */

static crd_i_part_ids *part_ids_create(crd_context *context) {
    crd_i_part_ids *ids = crd_i_alloc(context, 1, sizeof *ids);
    if (ids == NULL) return NULL;
    ids->context = context;
    ids->run_count = 0;
    return ids;
}

void crd_i_part_ids_destroy(crd_i_part_ids *ids) {
    if (ids == NULL) return;
    for (size_t i = 0; i < ids->run_count; i++) crd_free(ids->context, ids->runs[i].starts);
    crd_free(ids->context, ids);
}

/* Creates a set of one run, which is taken over even on failure. *out is NULL if the run is empty. */
static crd_status part_ids_create_from(crd_context *context, id_run run, crd_i_part_ids **out, crd_error *error) {
    *out = run.count == 0 ? NULL : part_ids_create(context);
    if (*out == NULL) {
        crd_free(context, run.starts);
        return run.count == 0 ? CRD_OK : crd_i_fail_memory(error);
    }
    (*out)->runs[(*out)->run_count++] = run;
    return CRD_OK;
}

crd_status crd_i_part_ids_create(crd_context *context, crd_text id, crd_i_part_ids **out, crd_error *error) {
    id_run run;
    size_t index = 0;
    *out = NULL;
    if (!run_create(context, 1, id.length, &run)) return crd_i_fail_memory(error);
    part_ids_put(&run, &index, id);
    return part_ids_create_from(context, run, out, error);
}

crd_status crd_i_part_ids_clone(const crd_i_part_ids *ids, crd_i_part_ids **out, crd_error *error) {
    id_run run;
    *out = NULL;
    if (ids == NULL) return CRD_OK;
    if (!run_create(ids->context, 0, 0, &run) || !run_join(ids, 0, &run)) return crd_i_fail_memory(error);
    return part_ids_create_from(ids->context, run, out, error);
}

size_t crd_i_part_ids_count(const crd_i_part_ids *ids) {
    size_t count = 0;
    for (size_t i = 0; ids != NULL && i < ids->run_count; i++) count += part_ids_count(&ids->runs[i]);
    return count;
}

static bool part_ids_has(const crd_i_part_ids *ids, crd_text id) {
    bool is_there = false;
    for (size_t i = 0; ids != NULL && !is_there && i < ids->run_count; i++)
        is_there = run_find(&ids->runs[i], id) < ids->runs[i].count;
    return is_there;
}

static void keep_lesser(crd_text *least, crd_text id) {
    if (least->bytes == NULL || crd_i_text_compare(id, *least) < 0) *least = id;
}

void crd_i_part_ids_overlap(const crd_i_part_ids *ids, const crd_i_part_ids *other, crd_i_ids_overlap *out) {
    const crd_i_ids_overlap none = {0, {NULL, 0}, {NULL, 0}};
    *out = none;
    for (size_t r = 0; other != NULL && r < other->run_count; r++) {
        const id_run *run = &other->runs[r];
        for (size_t i = there_from(run, 0); i < run->count; i = there_from(run, i + 1)) {
            const crd_text id = id_at(run, i);
            const bool is_shared = part_ids_has(ids, id);
            out->shared += is_shared;
            keep_lesser(is_shared ? &out->first_shared : &out->first_apart, id);
        }
    }
}

/* ======== 3. Changes ======== */

/* Prepares a set with an additional run. The smallest runs are merged with it until the runs before it have more than
 * twice its capacity. */
static bool part_ids_add(crd_context *context, const crd_i_part_ids *ids, const id_run *more,
                         crd_i_ids_change *change) {
    size_t kept = ids == NULL ? 0 : ids->run_count;
    id_run run;
    if (!run_create(context, 0, 0, &run)) return false;
    for (const id_run *next = more; next != NULL;) {
        id_run both;
        const bool done = run_unite(context, next, &run, &both);
        crd_free(context, run.starts);
        if (!done) return false;
        run = both;
        next = kept > 0 && ids->runs[kept - 1].capacity <= 2 * run.capacity ? &ids->runs[--kept] : NULL;
    }
    for (size_t i = 0; i < kept; i++) change->next->runs[i] = ids->runs[i];
    change->next->runs[kept] = run;
    change->next->run_count = kept + 1;
    change->kept = kept;
    return true;
}

/* Removes ids, all of which the set contains. */
static void part_ids_subtract(crd_i_part_ids **ids, const crd_i_part_ids *less) {
    for (size_t l = 0; *ids != less && l < less->run_count; l++) {
        const id_run *run = &less->runs[l];
        for (size_t i = there_from(run, 0); i < run->count; i = there_from(run, i + 1)) {
            size_t r = 0, index;
            while ((index = run_find(&(*ids)->runs[r], id_at(run, i))) == (*ids)->runs[r].count) r++;
            run_remove(&(*ids)->runs[r], index);
        }
    }
    if (*ids != less && crd_i_part_ids_count(*ids) > 0) return;
    crd_i_part_ids_destroy(*ids);
    *ids = NULL;
}

crd_status crd_i_part_ids_prepare(crd_context *context, const crd_i_part_ids *ids, const crd_i_part_ids *other,
                                  int sign, crd_i_ids_change *out, crd_error *error) {
    id_run run = {0, 0, 0, NULL};
    bool is_own = false;
    out->kept = 0;
    out->next = NULL;
    out->less = sign > 0 ? NULL : other;
    if (other == NULL || sign < 0) return CRD_OK;
    out->next = part_ids_create(context);
    bool done = out->next != NULL && part_ids_run(other, &run, &is_own) && part_ids_add(context, ids, &run, out);
    if (is_own) crd_free(other->context, run.starts);
    if (done) return CRD_OK;
    crd_free(context, out->next);
    out->next = NULL;
    return crd_i_fail_memory(error);
}

void crd_i_part_ids_take(crd_i_part_ids **ids, crd_i_ids_change *change) {
    if (change->less != NULL) part_ids_subtract(ids, change->less);
    change->less = NULL;
    if (change->next == NULL) return;
    if (*ids != NULL) {
        for (size_t i = change->kept; i < (*ids)->run_count; i++) crd_free((*ids)->context, (*ids)->runs[i].starts);
        crd_free((*ids)->context, *ids);
    }
    *ids = change->next;
    change->next = NULL;
}

void crd_i_part_ids_drop(crd_i_ids_change *change) {
    change->less = NULL;
    if (change->next == NULL) return;
    for (size_t i = change->kept; i < change->next->run_count; i++)
        crd_free(change->next->context, change->next->runs[i].starts);
    crd_free(change->next->context, change->next);
    change->next = NULL;
}

/* ======== 4. Lists and files ======== */

/* Returns the next id in order. places[r] is the next index in run r. */
static crd_text next_id(const crd_i_part_ids *ids, size_t places[MOST_RUNS]) {
    size_t least = ids->run_count;
    crd_text view = {NULL, 0};
    for (size_t r = 0; r < ids->run_count; r++) {
        places[r] = there_from(&ids->runs[r], places[r]);
        if (places[r] == ids->runs[r].count) continue;
        const crd_text id = id_at(&ids->runs[r], places[r]);
        if (least < ids->run_count && crd_i_text_compare(view, id) < 0) continue;
        least = r;
        view = id;
    }
    if (least < ids->run_count) places[least]++;
    return view;
}

crd_status crd_i_part_ids_list(const crd_i_part_ids *ids, crd_context *context, crd_text **out, crd_error *error) {
    const size_t count = crd_i_part_ids_count(ids);
    size_t places[MOST_RUNS] = {0};
    *out = crd_i_alloc(context, count, sizeof **out);
    if (*out == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) (*out)[i] = next_id(ids, places);
    return CRD_OK;
}

static size_t shared_prefix(crd_text a, crd_text b) {
    size_t i = 0;
    while (i < a.length && i < b.length && a.bytes[i] == b.bytes[i]) i++;
    return i;
}

void crd_i_part_ids_write(const crd_i_part_ids *ids, crd_i_encoder *encoder) {
    const size_t count = crd_i_part_ids_count(ids);
    size_t places[MOST_RUNS] = {0};
    crd_text before = {"", 0};
    crd_i_encode_u64(encoder, count);
    for (size_t i = 0; i < count; i++) {
        const crd_text id = next_id(ids, places);
        const size_t shared = shared_prefix(before, id);
        crd_i_encode_varint(encoder, shared);
        crd_i_encode_varint(encoder, id.length - shared);
        crd_i_encode_bytes(encoder, id.bytes + shared, id.length - shared);
        before = id;
    }
}

/* An id as it is stored in the file: the first `shared` bytes of the previous id, then `text`. */
typedef struct coded_id {
    size_t shared;
    crd_text text;
} coded_id;

static bool read_coded(crd_i_cursor *cursor, size_t length_before, coded_id *out) {
    const uint64_t shared = crd_i_decode_varint(cursor), remainder = crd_i_decode_varint(cursor);
    if (shared > length_before || remainder == 0 || remainder > CRD_I_MOST_ID - shared ||
        !crd_i_cursor_holds(cursor, remainder, 1))
        return false;
    out->shared = (size_t)shared;
    out->text.bytes = (const char *)cursor->at;
    out->text.length = (size_t)remainder;
    cursor->at += remainder;
    return true;
}

/* Returns the total length of all ids in bytes; SIZE_MAX: the encoding is invalid. */
static size_t part_ids_measure(crd_i_cursor cursor, uint64_t count) {
    size_t bytes = 0, length = 0;
    for (uint64_t i = 0; i < count; i++) {
        coded_id coded;
        if (!read_coded(&cursor, length, &coded)) return SIZE_MAX;
        length = coded.shared + coded.text.length;
        if (length > SIZE_MAX - 1 - bytes) return SIZE_MAX;
        bytes += length;
    }
    return bytes;
}

crd_status crd_i_part_ids_read(crd_context *context, crd_i_cursor *cursor, crd_i_part_ids **out, crd_error *error) {
    enum { LEAST_CODED = 3 };
    const uint64_t count = crd_i_decode_u64(cursor);
    const size_t bytes = crd_i_cursor_holds(cursor, count, LEAST_CODED) ? part_ids_measure(*cursor, count) : SIZE_MAX;
    id_run run;
    *out = NULL;
    if (count == 0 || bytes == SIZE_MAX)
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "the model file is damaged: the list of part ids is invalid");
    if (!run_create(context, (size_t)count, bytes, &run)) return crd_i_fail_memory(error);
    crd_text before = {"", 0};
    for (size_t i = 0; i < run.count; i++) {
        coded_id coded;
        const bool is_there = read_coded(cursor, before.length, &coded);
        char *destination = bytes_of(&run) + run.starts[i];
        memcpy(destination, before.bytes, coded.shared);
        memcpy(destination + coded.shared, coded.text.bytes, coded.text.length);
        run.starts[i + 1] = run.starts[i] + coded.shared + coded.text.length;
        const crd_text id = id_at(&run, i);
        /* The id must come after the previous id, and share no more bytes with it than stated. */
        const bool ascends = coded.shared == before.length ||
                             (unsigned char)before.bytes[coded.shared] < (unsigned char)coded.text.bytes[0];
        if (!is_there || !ascends || !crd_i_part_id_is_valid(id)) {
            crd_free(context, run.starts);
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "the model file is damaged: the part ids are not in order");
        }
        before = id;
    }
    return part_ids_create_from(context, run, out, error);
}
