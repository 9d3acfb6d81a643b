/* SPDX-License-Identifier: MIT */
/* classify_arrow.c - the answers to all rows of a reader as a record batch of Arrow. See credence/classifier.h.
 *
 * Rows are answered beside each other and appended in their order by one thread. What is exported has one owner of all
 * buffers, which counts the structs that refer to it, since children may be moved out of their parent and outlive it. */
#include "classify/posteriors.h"

#include "base/error.h"
#include "base/memory.h"
#include "table/arrow/arrow_abi.h"

#include <stdatomic.h>
#include <string.h>

/* The columns before and behind those of the classes. */
enum { PREDICTION, PROBABILITY, BEFORE_CLASSES, BEHIND_CLASSES = 2 };

/* ---- Collecting ---- */

/* Buffers that grow with the rows; those of the classes stand one after the other. */
typedef struct answers {
    crd_context *context;
    size_t classes, rows, capacity;
    int32_t *decisions, *unseen;
    uint8_t *validity; /* of the decisions */
    double **doubles;  /* probability, of each class, log evidence */
    size_t nulls;
} answers;

static size_t doubles_of(size_t classes) {
    return classes + 2;
}

static void free_answers(answers *of) {
    for (size_t i = 0; of->doubles != NULL && i < doubles_of(of->classes); i++) crd_free(of->context, of->doubles[i]);
    crd_free(of->context, of->doubles);
    crd_free(of->context, of->decisions);
    crd_free(of->context, of->unseen);
    crd_free(of->context, of->validity);
}

static bool reserve(answers *of, size_t rows) {
    if (rows <= of->capacity) return true;
    size_t capacity = rows < 2 * of->capacity ? 2 * of->capacity : rows, room = of->capacity;
    bool done = crd_i_reserve(of->context, &of->decisions, &room, capacity, sizeof *of->decisions);
    room = of->capacity;
    done = done && crd_i_reserve(of->context, &of->unseen, &room, capacity, sizeof *of->unseen);
    room = of->validity == NULL ? 0 : of->capacity / 8 + 1;
    done = done && crd_i_reserve(of->context, &of->validity, &room, capacity / 8 + 1, 1);
    for (size_t i = 0; done && i < doubles_of(of->classes); i++) {
        room = of->capacity;
        done = crd_i_reserve(of->context, &of->doubles[i], &room, capacity, sizeof *of->doubles[i]);
    }
    if (done) of->capacity = capacity;
    return done;
}

static void append(answers *to, const crd_posteriors *from, size_t row) {
    const crd_answer *answer = crd_posteriors_answer(from, row);
    const double *probabilities = crd_posteriors_probabilities(from, row);
    size_t at = to->rows++;
    bool is_decided = answer->decision >= 0;
    to->decisions[at] = is_decided ? answer->decision : 0;
    to->unseen[at] = (int32_t)answer->unseen;
    if (at % 8 == 0) to->validity[at / 8] = 0;
    to->validity[at / 8] = (uint8_t)(to->validity[at / 8] | is_decided << at % 8);
    to->nulls += !is_decided;
    to->doubles[0][at] = is_decided ? probabilities[answer->decision] : 0;
    for (size_t k = 0; k < to->classes; k++) to->doubles[1 + k][at] = probabilities[k];
    to->doubles[1 + to->classes][at] = answer->log_evidence;
}

typedef struct passage {
    const crd_classifier *classifier;
    crd_posteriors **slots;
    answers found;
} passage;

static crd_status answer_part(void *user, unsigned slot, const crd_worker *lane, const crd_frame *frame,
                              crd_error *error) {
    (void)lane;
    passage *p = user;
    return crd_classifier_classify(p->classifier, frame, p->slots[slot], error);
}

static crd_status take_part(void *user, unsigned slot, crd_error *error) {
    passage *p = user;
    size_t rows = crd_posteriors_rows(p->slots[slot]);
    if (!reserve(&p->found, p->found.rows + rows)) return crd_i_fail_memory(error);
    for (size_t row = 0; row < rows; row++) append(&p->found, p->slots[slot], row);
    return CRD_OK;
}

static void restart(void *user) {
    passage *p = user;
    p->found.rows = p->found.nulls = 0;
}

static crd_status collect(passage *p, crd_reader *reader, unsigned threads, crd_error *error) {
    crd_context *context = p->classifier->context;
    crd_parallel_map process = CRD_PARALLEL_MAP_INIT;
    process.threads = threads;
    process.user = p;
    process.work = answer_part;
    process.take = take_part;
    process.restart = restart;
    unsigned count = crd_parallel_map_slots(&process, reader);
    p->found.context = context;
    p->found.classes = p->classifier->class_count;
    p->found.doubles = crd_i_alloc_zeroed(context, doubles_of(p->found.classes), sizeof *p->found.doubles);
    p->slots = crd_i_alloc_zeroed(context, count, sizeof *p->slots);
    crd_status status =
        p->slots == NULL || p->found.doubles == NULL || !reserve(&p->found, 1) ? crd_i_fail_memory(error) : CRD_OK;
    for (unsigned i = 0; status == CRD_OK && i < count; i++)
        status = crd_posteriors_create(context, &p->slots[i], error);
    if (status == CRD_OK) status = crd_reader_parallel_map(reader, &process, error);
    for (unsigned i = 0; p->slots != NULL && i < count; i++) crd_posteriors_destroy(p->slots[i]);
    crd_free(context, p->slots);
    return status;
}

/* ---- Exporting ---- */

typedef struct exported_array {
    crd_context *context;
    atomic_size_t users;
    answers data;
    struct ArrowArray *children, **pointers, dictionary;
    const void **buffers; /* three for each child, the dictionary and the struct */
    int32_t *offsets;     /* of the classes' names */
    char *names;
} exported_array;

static void free_array(exported_array *of) {
    crd_context *context = of->context;
    free_answers(&of->data);
    crd_free(context, of->children);
    crd_free(context, of->pointers);
    crd_free(context, (void *)of->buffers);
    crd_free(context, of->offsets);
    crd_free(context, of->names);
    crd_free(context, of);
}

/* Of the struct, a child or the dictionary: what belongs to it first, unless that was moved away. */
static void release_array(struct ArrowArray *array) {
    exported_array *own = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release != NULL) array->children[i]->release(array->children[i]);
    if (array->dictionary != NULL && array->dictionary->release != NULL) array->dictionary->release(array->dictionary);
    array->release = NULL;
    if (atomic_fetch_sub(&own->users, 1) == 1) free_array(own);
}

static void set_array(exported_array *own, struct ArrowArray *to, const void **buffers, int64_t count, size_t rows,
                      const void *values, const void *bytes) {
    memset(to, 0, sizeof *to);
    buffers[0] = NULL;
    buffers[1] = values;
    buffers[2] = bytes;
    to->length = (int64_t)rows;
    to->n_buffers = count;
    to->buffers = buffers;
    to->private_data = own;
    to->release = release_array;
    atomic_fetch_add(&own->users, 1);
}

static bool copy_names(exported_array *to, const crd_classifier *classifier) {
    size_t classes = classifier->class_count, length = 0;
    for (size_t k = 0; k < classes; k++) length += crd_classifier_class(classifier, k).length;
    if (length > INT32_MAX) return false;
    to->offsets = crd_i_alloc(to->context, classes + 1, sizeof *to->offsets);
    to->names = crd_i_alloc(to->context, length + 1, 1);
    if (to->offsets == NULL || to->names == NULL) return false;
    to->offsets[0] = 0;
    for (size_t k = 0; k < classes; k++) {
        crd_text name = crd_classifier_class(classifier, k);
        if (name.length > 0) memcpy(to->names + to->offsets[k], name.bytes, name.length);
        to->offsets[k + 1] = to->offsets[k] + (int32_t)name.length;
    }
    return true;
}

/* Takes over what was found, unless it fails. */
static bool export_array(const crd_classifier *classifier, answers *found, struct ArrowArray *out) {
    size_t classes = found->classes, count = BEFORE_CLASSES + classes + BEHIND_CLASSES, rows = found->rows;
    exported_array *own = crd_i_alloc_zeroed(found->context, 1, sizeof *own);
    if (own == NULL) return false;
    own->context = found->context;
    own->children = crd_i_alloc_zeroed(own->context, count, sizeof *own->children);
    own->pointers = crd_i_alloc(own->context, count, sizeof *own->pointers);
    own->buffers = crd_i_alloc_zeroed(own->context, 3 * (count + 2), sizeof *own->buffers);
    if (own->children == NULL || own->pointers == NULL || own->buffers == NULL || !copy_names(own, classifier)) {
        free_array(own);
        return false;
    }
    own->data = *found;
    memset(found, 0, sizeof *found);
    for (size_t i = 0; i < count; i++) {
        const void *values = i == PREDICTION  ? (const void *)own->data.decisions
                             : i + 1 == count ? (const void *)own->data.unseen
                                              : own->data.doubles[i - 1];
        set_array(own, &own->children[i], own->buffers + 3 * i, 2, rows, values, NULL);
        own->pointers[i] = &own->children[i];
    }
    own->children[PREDICTION].null_count = (int64_t)own->data.nulls;
    own->children[PREDICTION].buffers[0] = own->data.nulls == 0 ? NULL : own->data.validity;
    own->children[PREDICTION].dictionary = &own->dictionary;
    set_array(own, &own->dictionary, own->buffers + 3 * count, 3, classes, own->offsets, own->names);
    set_array(own, out, own->buffers + 3 * (count + 1), 1, rows, NULL, NULL);
    out->n_children = (int64_t)count;
    out->children = own->pointers;
    return true;
}

typedef struct exported_schema {
    crd_context *context;
    atomic_size_t users;
    struct ArrowSchema *children, **pointers, dictionary;
    char *names;
} exported_schema;

static void free_schema(exported_schema *of) {
    crd_free(of->context, of->children);
    crd_free(of->context, of->pointers);
    crd_free(of->context, of->names);
    crd_free(of->context, of);
}

static void release_schema(struct ArrowSchema *schema) {
    exported_schema *own = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children[i]->release != NULL) schema->children[i]->release(schema->children[i]);
    if (schema->dictionary != NULL && schema->dictionary->release != NULL)
        schema->dictionary->release(schema->dictionary);
    schema->release = NULL;
    if (atomic_fetch_sub(&own->users, 1) == 1) free_schema(own);
}

static void set_schema(exported_schema *own, struct ArrowSchema *to, const char *name, const char *format) {
    memset(to, 0, sizeof *to);
    to->name = name;
    to->format = format;
    to->private_data = own;
    to->release = release_schema;
    atomic_fetch_add(&own->users, 1);
}

/* P(NAME) of each class, each ending in NUL, one after the other. */
static bool write_names(exported_schema *to, const crd_classifier *classifier) {
    size_t length = 0, at = 0;
    for (size_t k = 0; k < classifier->class_count; k++)
        length += crd_classifier_class(classifier, k).length + sizeof "P()";
    to->names = crd_i_alloc(to->context, length, 1);
    if (to->names == NULL) return false;
    for (size_t k = 0; k < classifier->class_count; k++) {
        crd_text name = crd_classifier_class(classifier, k);
        to->children[BEFORE_CLASSES + k].name = to->names + at;
        memcpy(to->names + at, "P(", 2);
        if (name.length > 0) memcpy(to->names + at + 2, name.bytes, name.length);
        memcpy(to->names + at + 2 + name.length, ")", 2);
        at += name.length + sizeof "P()";
    }
    return true;
}

static bool export_schema(const crd_classifier *classifier, struct ArrowSchema *out) {
    size_t count = BEFORE_CLASSES + classifier->class_count + BEHIND_CLASSES;
    exported_schema *own = crd_i_alloc_zeroed(classifier->context, 1, sizeof *own);
    if (own == NULL) return false;
    own->context = classifier->context;
    own->children = crd_i_alloc_zeroed(own->context, count, sizeof *own->children);
    own->pointers = crd_i_alloc(own->context, count, sizeof *own->pointers);
    if (own->children == NULL || own->pointers == NULL || !write_names(own, classifier)) {
        free_schema(own);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        set_schema(own, &own->children[i], own->children[i].name, i == PREDICTION || i + 1 == count ? "i" : "g");
        own->pointers[i] = &own->children[i];
    }
    set_schema(own, &own->dictionary, NULL, "u");
    own->children[PREDICTION].name = "prediction";
    own->children[PREDICTION].flags = ARROW_FLAG_NULLABLE;
    own->children[PREDICTION].dictionary = &own->dictionary;
    own->children[PROBABILITY].name = "probability";
    own->children[count - 2].name = "log_evidence";
    own->children[count - 1].name = "unseen";
    set_schema(own, out, "", "+s");
    out->n_children = (int64_t)count;
    out->children = own->pointers;
    return true;
}

crd_status crd_classifier_classify_to_arrow(const crd_classifier *classifier, crd_reader *reader, unsigned threads,
                                            struct ArrowSchema *schema, struct ArrowArray *array, crd_error *error) {
    if (schema == NULL || array == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "no place for the results");
    schema->release = NULL;
    array->release = NULL;
    passage p = {.classifier = classifier};
    crd_status status = collect(&p, reader, threads, error);
    if (status == CRD_OK && !export_schema(classifier, schema)) status = crd_i_fail_memory(error);
    if (status == CRD_OK && !export_array(classifier, &p.found, array)) {
        schema->release(schema);
        status = crd_i_fail_memory(error);
    }
    if (p.found.context != NULL) free_answers(&p.found);
    return status;
}
