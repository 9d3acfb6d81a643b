/* SPDX-License-Identifier: MIT */
/* classify_arrow.c - the predictions for all rows of a reader, as an Arrow record batch. See credence/classifier.h.
 *
 * Several threads classify the rows, and one thread appends the results in row order. All buffers of an exported array
 * belong to one object. It counts the Arrow structs that refer to it, because a consumer may move children out of their
 * parent, and they may outlive it. */
#include "classify/posteriors.h"

#include "base/error.h"
#include "base/memory.h"
#include "table/arrow/arrow_abi.h"

#include <stdatomic.h>
#include <string.h>

/* Columns: the prediction and its probability, one column per class, the log evidence and the number of unseen
 * values. */
enum { PREDICTION, PROBABILITY, BEFORE_CLASSES, BEHIND_CLASSES = 2 };

/* ---- Collecting ---- */

/* Result buffers, which grow with the number of rows. `doubles` contains one buffer per column of doubles. */
typedef struct answers {
    crd_context *context;
    size_t classes, rows, capacity;
    int32_t *decisions, *unseen;
    uint8_t *validity; /* validity bitmap of the decisions */
    double **doubles;  /* probability, P(class) of each class, log evidence */
    size_t nulls;
} answers;

static size_t doubles_of(size_t classes) {
    return classes + 2;
}

static void free_answers(answers *source_answers) {
    for (size_t i = 0; source_answers->doubles != NULL && i < doubles_of(source_answers->classes); i++)
        crd_free(source_answers->context, source_answers->doubles[i]);
    crd_free(source_answers->context, source_answers->doubles);
    crd_free(source_answers->context, source_answers->decisions);
    crd_free(source_answers->context, source_answers->unseen);
    crd_free(source_answers->context, source_answers->validity);
}

/* Reserves space for `rows` rows in all buffers. Capacity at least doubles when it grows. Returns false if memory runs
 * out. */
static bool classify_arrow_reserve(answers *source_answers, size_t rows) {
    if (rows <= source_answers->capacity) return true;
    size_t capacity = rows < 2 * source_answers->capacity ? 2 * source_answers->capacity : rows,
           space = source_answers->capacity;
    bool done = crd_i_reserve(source_answers->context, &source_answers->decisions, &space, capacity,
                              sizeof *source_answers->decisions);
    space = source_answers->capacity;
    done = done && crd_i_reserve(source_answers->context, &source_answers->unseen, &space, capacity,
                                 sizeof *source_answers->unseen);
    space = source_answers->validity == NULL ? 0 : source_answers->capacity / 8 + 1;
    done = done && crd_i_reserve(source_answers->context, &source_answers->validity, &space, capacity / 8 + 1, 1);
    for (size_t i = 0; done && i < doubles_of(source_answers->classes); i++) {
        space = source_answers->capacity;
        done = crd_i_reserve(source_answers->context, &source_answers->doubles[i], &space, capacity,
                             sizeof *source_answers->doubles[i]);
    }
    if (done) source_answers->capacity = capacity;
    return done;
}

/* Appends the result of one row. If all classes have probability 0, the decision is null. */
static void classify_arrow_append(answers *target_answers, const crd_posteriors *source_posteriors, size_t row) {
    const crd_answer *answer = crd_posteriors_answer(source_posteriors, row);
    const double *probabilities = crd_posteriors_probabilities(source_posteriors, row);
    size_t index = target_answers->rows++;
    bool is_decided = answer->decision >= 0;
    target_answers->decisions[index] = is_decided ? answer->decision : 0;
    target_answers->unseen[index] = (int32_t)answer->unseen;
    if (index % 8 == 0) target_answers->validity[index / 8] = 0;
    target_answers->validity[index / 8] = (uint8_t)(target_answers->validity[index / 8] | is_decided << index % 8);
    target_answers->nulls += !is_decided;
    target_answers->doubles[0][index] = is_decided ? probabilities[answer->decision] : 0;
    for (size_t k = 0; k < target_answers->classes; k++) target_answers->doubles[1 + k][index] = probabilities[k];
    target_answers->doubles[1 + target_answers->classes][index] = answer->log_evidence;
}

typedef struct arrow_passage {
    const crd_classifier *classifier;
    crd_posteriors **slots;
    answers answers;
} arrow_passage;

static crd_status classify_arrow_answer_part(void *user, unsigned slot, const crd_worker *worker,
                                             const crd_frame *frame, crd_error *error) {
    (void)worker;
    arrow_passage *p = user;
    return crd_classifier_classify(p->classifier, frame, p->slots[slot], error);
}

static crd_status classify_arrow_take_part(void *user, unsigned slot, crd_error *error) {
    arrow_passage *p = user;
    size_t rows = crd_posteriors_rows(p->slots[slot]);
    if (!classify_arrow_reserve(&p->answers, p->answers.rows + rows)) return crd_i_fail_memory(error);
    for (size_t row = 0; row < rows; row++) classify_arrow_append(&p->answers, p->slots[slot], row);
    return CRD_OK;
}

static void classify_arrow_restart(void *user) {
    arrow_passage *p = user;
    p->answers.rows = p->answers.nulls = 0;
}

/* Classifies all rows of the reader with several threads and collects the results in p->answers. */
static crd_status classify_arrow_collect(arrow_passage *p, crd_reader *reader, unsigned threads, crd_error *error) {
    crd_context *context = p->classifier->context;
    crd_parallel_map map = CRD_PARALLEL_MAP_INIT;
    map.threads = threads;
    map.user = p;
    map.work = classify_arrow_answer_part;
    map.take = classify_arrow_take_part;
    map.restart = classify_arrow_restart;
    unsigned count = crd_parallel_map_slots(&map, reader);
    p->answers.context = context;
    p->answers.classes = p->classifier->class_count;
    p->answers.doubles = crd_i_alloc_zeroed(context, doubles_of(p->answers.classes), sizeof *p->answers.doubles);
    p->slots = crd_i_alloc_zeroed(context, count, sizeof *p->slots);
    crd_status status = p->slots == NULL || p->answers.doubles == NULL || !classify_arrow_reserve(&p->answers, 1)
                            ? crd_i_fail_memory(error)
                            : CRD_OK;
    for (unsigned i = 0; status == CRD_OK && i < count; i++)
        status = crd_posteriors_create(context, &p->slots[i], error);
    if (status == CRD_OK) status = crd_reader_parallel_map(reader, &map, error);
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
    const void **buffers; /* three buffers for each child, the dictionary and the struct */
    int32_t *offsets;     /* offsets of the class names */
    char *names;
} exported_array;

static void free_array(exported_array *array) {
    crd_context *context = array->context;
    free_answers(&array->data);
    crd_free(context, array->children);
    crd_free(context, array->pointers);
    crd_free(context, (void *)array->buffers);
    crd_free(context, array->offsets);
    crd_free(context, array->names);
    crd_free(context, array);
}

/* Releases the struct, a child or the dictionary. First releases its own children and dictionary, unless they were
 * moved away. The last release frees the buffers. */
static void release_array(struct ArrowArray *array) {
    exported_array *own = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release != NULL) array->children[i]->release(array->children[i]);
    if (array->dictionary != NULL && array->dictionary->release != NULL) array->dictionary->release(array->dictionary);
    array->release = NULL;
    if (atomic_fetch_sub(&own->users, 1) == 1) free_array(own);
}

/* Fills in an ArrowArray with up to three buffers (validity, values, bytes) and adds a reference to the owner. */
static void set_array(exported_array *own, struct ArrowArray *target_ArrowArray, const void **buffers, int64_t count,
                      size_t rows, const void *values, const void *bytes) {
    memset(target_ArrowArray, 0, sizeof *target_ArrowArray);
    buffers[0] = NULL;
    buffers[1] = values;
    buffers[2] = bytes;
    target_ArrowArray->length = (int64_t)rows;
    target_ArrowArray->n_buffers = count;
    target_ArrowArray->buffers = buffers;
    target_ArrowArray->private_data = own;
    target_ArrowArray->release = release_array;
    atomic_fetch_add(&own->users, 1);
}

/* Copies the class names into the buffers of the dictionary. Returns false if memory runs out, or if the names need
 * more than INT32_MAX bytes. */
static bool classify_arrow_copy_names(exported_array *array, const crd_classifier *classifier) {
    size_t classes = classifier->class_count, length = 0;
    for (size_t k = 0; k < classes; k++) length += crd_classifier_class(classifier, k).length;
    if (length > INT32_MAX) return false;
    array->offsets = crd_i_alloc(array->context, classes + 1, sizeof *array->offsets);
    array->names = crd_i_alloc(array->context, length + 1, 1);
    if (array->offsets == NULL || array->names == NULL) return false;
    array->offsets[0] = 0;
    for (size_t k = 0; k < classes; k++) {
        crd_text name = crd_classifier_class(classifier, k);
        if (name.length > 0) memcpy(array->names + array->offsets[k], name.bytes, name.length);
        array->offsets[k + 1] = array->offsets[k] + (int32_t)name.length;
    }
    return true;
}

/* Exports the results as an ArrowArray and takes ownership of their buffers. Returns false if memory runs out; then
 * ownership does not change. */
static bool export_array(const crd_classifier *classifier, answers *found_answers, struct ArrowArray *out) {
    size_t classes = found_answers->classes, count = BEFORE_CLASSES + classes + BEHIND_CLASSES,
           rows = found_answers->rows;
    exported_array *array = crd_i_alloc_zeroed(found_answers->context, 1, sizeof *array);
    if (array == NULL) return false;
    array->context = found_answers->context;
    array->children = crd_i_alloc_zeroed(array->context, count, sizeof *array->children);
    array->pointers = crd_i_alloc(array->context, count, sizeof *array->pointers);
    array->buffers = crd_i_alloc_zeroed(array->context, 3 * (count + 2), sizeof *array->buffers);
    if (array->children == NULL || array->pointers == NULL || array->buffers == NULL ||
        !classify_arrow_copy_names(array, classifier)) {
        free_array(array);
        return false;
    }
    array->data = *found_answers;
    memset(found_answers, 0, sizeof *found_answers);
    for (size_t i = 0; i < count; i++) {
        const void *values = i == PREDICTION  ? (const void *)array->data.decisions
                             : i + 1 == count ? (const void *)array->data.unseen
                                              : array->data.doubles[i - 1];
        set_array(array, &array->children[i], array->buffers + 3 * i, 2, rows, values, NULL);
        array->pointers[i] = &array->children[i];
    }
    array->children[PREDICTION].null_count = (int64_t)array->data.nulls;
    array->children[PREDICTION].buffers[0] = array->data.nulls == 0 ? NULL : array->data.validity;
    array->children[PREDICTION].dictionary = &array->dictionary;
    set_array(array, &array->dictionary, array->buffers + 3 * count, 3, classes, array->offsets, array->names);
    set_array(array, out, array->buffers + 3 * (count + 1), 1, rows, NULL, NULL);
    out->n_children = (int64_t)count;
    out->children = array->pointers;
    return true;
}

typedef struct exported_schema {
    crd_context *context;
    atomic_size_t users;
    struct ArrowSchema *children, **pointers, dictionary;
    char *names;
} exported_schema;

static void free_schema(exported_schema *schema) {
    crd_free(schema->context, schema->children);
    crd_free(schema->context, schema->pointers);
    crd_free(schema->context, schema->names);
    crd_free(schema->context, schema);
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

static void set_schema(exported_schema *own, struct ArrowSchema *target_ArrowSchema, const char *name,
                       const char *format) {
    memset(target_ArrowSchema, 0, sizeof *target_ArrowSchema);
    target_ArrowSchema->name = name;
    target_ArrowSchema->format = format;
    target_ArrowSchema->private_data = own;
    target_ArrowSchema->release = release_schema;
    atomic_fetch_add(&own->users, 1);
}

/* Writes the column names P(NAME) of the classes, each terminated by NUL, one after the other. */
static bool classify_arrow_write_names(exported_schema *schema, const crd_classifier *classifier) {
    size_t length = 0, index = 0;
    for (size_t k = 0; k < classifier->class_count; k++)
        length += crd_classifier_class(classifier, k).length + sizeof "P()";
    schema->names = crd_i_alloc(schema->context, length, 1);
    if (schema->names == NULL) return false;
    for (size_t k = 0; k < classifier->class_count; k++) {
        crd_text name = crd_classifier_class(classifier, k);
        schema->children[BEFORE_CLASSES + k].name = schema->names + index;
        memcpy(schema->names + index, "P(", 2);
        if (name.length > 0) memcpy(schema->names + index + 2, name.bytes, name.length);
        memcpy(schema->names + index + 2 + name.length, ")", 2);
        index += name.length + sizeof "P()";
    }
    return true;
}

/* Exports the ArrowSchema that matches export_array. Returns false if memory runs out. */
static bool export_schema(const crd_classifier *classifier, struct ArrowSchema *out) {
    size_t count = BEFORE_CLASSES + classifier->class_count + BEHIND_CLASSES;
    exported_schema *schema = crd_i_alloc_zeroed(classifier->context, 1, sizeof *schema);
    if (schema == NULL) return false;
    schema->context = classifier->context;
    schema->children = crd_i_alloc_zeroed(schema->context, count, sizeof *schema->children);
    schema->pointers = crd_i_alloc(schema->context, count, sizeof *schema->pointers);
    if (schema->children == NULL || schema->pointers == NULL || !classify_arrow_write_names(schema, classifier)) {
        free_schema(schema);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        set_schema(schema, &schema->children[i], schema->children[i].name,
                   i == PREDICTION || i + 1 == count ? "i" : "g");
        schema->pointers[i] = &schema->children[i];
    }
    set_schema(schema, &schema->dictionary, NULL, "u");
    schema->children[PREDICTION].name = "prediction";
    schema->children[PREDICTION].flags = ARROW_FLAG_NULLABLE;
    schema->children[PREDICTION].dictionary = &schema->dictionary;
    schema->children[PROBABILITY].name = "probability";
    schema->children[count - 2].name = "log_evidence";
    schema->children[count - 1].name = "unseen";
    set_schema(schema, out, "", "+s");
    out->n_children = (int64_t)count;
    out->children = schema->pointers;
    return true;
}

crd_status crd_classifier_classify_to_arrow(const crd_classifier *classifier, crd_reader *reader, unsigned threads,
                                            struct ArrowSchema *schema, struct ArrowArray *array, crd_error *error) {
    if (schema == NULL || array == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "schema and array must not be NULL");
    schema->release = NULL;
    array->release = NULL;
    arrow_passage p = {.classifier = classifier};
    crd_status status = classify_arrow_collect(&p, reader, threads, error);
    if (status == CRD_OK && !export_schema(classifier, schema)) status = crd_i_fail_memory(error);
    if (status == CRD_OK && !export_array(classifier, &p.answers, array)) {
        schema->release(schema);
        status = crd_i_fail_memory(error);
    }
    if (p.answers.context != NULL) free_answers(&p.answers);
    return status;
}
