/* SPDX-License-Identifier: MIT */
/* onnx_export.c - exports naive Bayes with categorical and normal densities as an ONNX graph that computes in doubles.
 *
 * Each attribute is an input of its own name and of shape N x 1: doubles, NaN if missing, or strings, empty if missing.
 * The graph concatenates the numeric inputs to X. In its tensors, classes are the last dimension. It computes:
 *
 *   numeric      sum over columns of weight (log_peak - ((x - mean - mean_rest) slope)^2), 0 if x is NaN
 *   categorical  a row of a table of log probabilities; its last row is 0, for missing and unseen values
 *
 * Both are added to the log priors. Subtracting the maximum, taking exponentials and dividing by their sum gives the
 * posteriors.
 *
 * Contents:
 *   1. Protocol Buffers
 *   2. The graph */
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parameter_list.h"
#include "export/export_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct protobuf_writer {
    crd_i_buffer buffer;
    bool is_failed;
} protobuf_writer;

/* ======== 1. Protocol Buffers ========
 *
 * Messages are written field by field. Initialize a protobuf_writer to zero, set the buffer's context, and free it with
 * crd_i_buffer_clear. After a failed allocation, `is_failed` is set and nothing more is written. */

enum { WIRE_INTEGER = 0, WIRE_BYTES = 2, LONGEST_INTEGER = 10 };

static void protobuf_append(protobuf_writer *protobuf, const void *bytes, size_t length) {
    if (!protobuf->is_failed && length > 0)
        protobuf->is_failed = !crd_i_buffer_append(&protobuf->buffer, bytes, length);
}

/* Encodes an integer as a varint and returns its length in bytes. */
static size_t protobuf_encode(uint64_t value, unsigned char out[LONGEST_INTEGER]) {
    size_t length = 0;
    do {
        out[length++] = (unsigned char)((value & 0x7F) | (value > 0x7F ? 0x80 : 0));
        value >>= 7;
    } while (value > 0);
    return length;
}

static void put_integer(protobuf_writer *protobuf, uint64_t value) {
    unsigned char bytes[LONGEST_INTEGER];
    protobuf_append(protobuf, bytes, protobuf_encode(value, bytes));
}

static void protobuf_integer(protobuf_writer *protobuf, unsigned field, int64_t value) {
    put_integer(protobuf, (uint64_t)field << 3 | WIRE_INTEGER);
    put_integer(protobuf, (uint64_t)value);
}

static void protobuf_bytes(protobuf_writer *protobuf, unsigned field, const void *bytes, size_t length) {
    put_integer(protobuf, (uint64_t)field << 3 | WIRE_BYTES);
    put_integer(protobuf, length);
    protobuf_append(protobuf, bytes, length);
}

static void protobuf_text(protobuf_writer *protobuf, unsigned field, const char *text) {
    protobuf_bytes(protobuf, field, text, strlen(text));
}

/* Opens and closes a nested message. Its content is everything written in between. `opened` is the result of the
 * opening. */
static size_t protobuf_open(protobuf_writer *protobuf, unsigned field) {
    put_integer(protobuf, (uint64_t)field << 3 | WIRE_BYTES);
    return protobuf->buffer.length;
}

/* Inserts the length of the message before its content, which moves towards the end. */
static void protobuf_close(protobuf_writer *protobuf, size_t opened) {
    unsigned char bytes[LONGEST_INTEGER];
    if (protobuf->is_failed) return;
    size_t length = protobuf->buffer.length - opened, capacity = protobuf_encode(length, bytes);
    protobuf_append(protobuf, bytes, capacity);
    if (protobuf->is_failed) return;
    memmove(protobuf->buffer.bytes + opened + capacity, protobuf->buffer.bytes + opened, length);
    memcpy(protobuf->buffer.bytes + opened, bytes, capacity);
}

/* Appends 8 bytes, least significant first. */
static void protobuf_put_word(protobuf_writer *protobuf, uint64_t word) {
    unsigned char bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(word >> (8 * i));
    protobuf_append(protobuf, bytes, sizeof bytes);
}

/* Write doubles or integers as little-endian bytes in one field. */
static void protobuf_doubles(protobuf_writer *protobuf, unsigned field, const double *numbers, size_t count) {
    put_integer(protobuf, (uint64_t)field << 3 | WIRE_BYTES);
    put_integer(protobuf, count * sizeof(uint64_t));
    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, &numbers[i], sizeof word);
        protobuf_put_word(protobuf, word);
    }
}

static void protobuf_longs(protobuf_writer *protobuf, unsigned field, const int64_t *numbers, size_t count) {
    put_integer(protobuf, (uint64_t)field << 3 | WIRE_BYTES);
    put_integer(protobuf, count * sizeof(uint64_t));
    for (size_t i = 0; i < count; i++) protobuf_put_word(protobuf, (uint64_t)numbers[i]);
}

/* ======== 2. The graph ======== */

/* Field numbers of the ONNX messages, values of its enums, and the versions that are written. */
enum {
    MODEL_IR_VERSION = 1,
    MODEL_PRODUCER = 2,
    MODEL_PRODUCER_VERSION = 3,
    MODEL_GRAPH = 7,
    MODEL_OPSET = 8,
    MODEL_METADATA = 14,
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_OPERATOR = 4,
    NODE_ATTRIBUTE = 5,
    NODE_DOMAIN = 7,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_INTEGER = 3,
    ATTRIBUTE_TEXT = 4,
    ATTRIBUTE_INTEGERS = 8,
    ATTRIBUTE_TEXTS = 9,
    ATTRIBUTE_TYPE = 20,
    TYPE_INTEGER = 2,
    TYPE_TEXT = 3,
    TYPE_INTEGERS = 7,
    TYPE_TEXTS = 8,
    TENSOR_SHAPE = 1,
    TENSOR_TYPE = 2,
    TENSOR_NAME = 8,
    TENSOR_BYTES = 9,
    LONGS = 7,
    TEXTS = 8,
    DOUBLES = 11,
    IR_VERSION = 8,
    OPSET = 17,
    OPSET_ML = 3
};

static const char ML[] = "ai.onnx.ml";

typedef struct onnx_graph {
    protobuf_writer out;
    const crd_classifier *classifier;
    crd_i_parameter_list numbers; /* parameters of the numeric columns, classes x columns */
    size_t number_count;
    char sums[48]; /* name of the node output that contains the sums so far */
} onnx_graph;

/* ---- ONNX messages ---- */

/* Adds a constant tensor of doubles. Without dimensions it is a scalar. */
static void add_tensor(onnx_graph *graph, const char *name, const size_t *shape, size_t dimensions,
                       const double *numbers) {
    size_t tensor = protobuf_open(&graph->out, GRAPH_INITIALIZER), count = 1;
    for (size_t i = 0; i < dimensions; i++) {
        protobuf_integer(&graph->out, TENSOR_SHAPE, (int64_t)shape[i]);
        count *= shape[i];
    }
    protobuf_integer(&graph->out, TENSOR_TYPE, DOUBLES);
    protobuf_text(&graph->out, TENSOR_NAME, name);
    protobuf_doubles(&graph->out, TENSOR_BYTES, numbers, count);
    protobuf_close(&graph->out, tensor);
}

static void add_constant(onnx_graph *graph, const char *name, double number) {
    add_tensor(graph, name, NULL, 0, &number);
}

/* Adds a constant integer: a tensor with one element, or a scalar. */
static void add_long(onnx_graph *graph, const char *name, int64_t number, bool is_list) {
    size_t tensor = protobuf_open(&graph->out, GRAPH_INITIALIZER);
    if (is_list) protobuf_integer(&graph->out, TENSOR_SHAPE, 1);
    protobuf_integer(&graph->out, TENSOR_TYPE, LONGS);
    protobuf_text(&graph->out, TENSOR_NAME, name);
    protobuf_longs(&graph->out, TENSOR_BYTES, &number, 1);
    protobuf_close(&graph->out, tensor);
}

/* Opens a node with up to three inputs; the last ones may be NULL. Close it with protobuf_close. */
static size_t open_node(onnx_graph *graph, const char *operator, const char * output, const char *first,
                        const char *second, const char *third) {
    const char *inputs[] = {first, second, third};
    size_t node = protobuf_open(&graph->out, GRAPH_NODE);
    for (size_t i = 0; i < 3 && inputs[i] != NULL; i++) protobuf_text(&graph->out, NODE_INPUT, inputs[i]);
    protobuf_text(&graph->out, NODE_OUTPUT, output);
    protobuf_text(&graph->out, NODE_OPERATOR, operator);
    return node;
}

static void onnx_export_add_node(onnx_graph *graph, const char *operator, const char * output, const char *first,
                                 const char *second, const char *third) {
    protobuf_close(&graph->out, open_node(graph, operator, output, first, second, third));
}

/* Adds an integer attribute to the open node. */
static void onnx_export_add_attribute(onnx_graph *graph, const char *name, int64_t value) {
    size_t attribute = protobuf_open(&graph->out, NODE_ATTRIBUTE);
    protobuf_text(&graph->out, ATTRIBUTE_NAME, name);
    protobuf_integer(&graph->out, ATTRIBUTE_INTEGER, value);
    protobuf_integer(&graph->out, ATTRIBUTE_TYPE, TYPE_INTEGER);
    protobuf_close(&graph->out, attribute);
}

/* Adds an attribute to the open node: a list of texts. */
static void onnx_export_add_texts(onnx_graph *graph, const char *name, const crd_i_dictionary *texts) {
    size_t attribute = protobuf_open(&graph->out, NODE_ATTRIBUTE);
    protobuf_text(&graph->out, ATTRIBUTE_NAME, name);
    for (size_t i = 0; i < crd_i_dictionary_size(texts); i++) {
        crd_text text = crd_i_dictionary_text(texts, i);
        protobuf_bytes(&graph->out, ATTRIBUTE_TEXTS, text.bytes, text.length);
    }
    protobuf_integer(&graph->out, ATTRIBUTE_TYPE, TYPE_TEXTS);
    protobuf_close(&graph->out, attribute);
}

/* Adds an attribute to the open node: the integers 0 to count - 1. */
static void onnx_export_add_codes(onnx_graph *graph, const char *name, size_t count) {
    size_t attribute = protobuf_open(&graph->out, NODE_ATTRIBUTE);
    protobuf_text(&graph->out, ATTRIBUTE_NAME, name);
    for (size_t i = 0; i < count; i++) protobuf_integer(&graph->out, ATTRIBUTE_INTEGERS, (int64_t)i);
    protobuf_integer(&graph->out, ATTRIBUTE_TYPE, TYPE_INTEGERS);
    protobuf_close(&graph->out, attribute);
}

/* Adds an input or output of the graph, with N rows. */
static void onnx_export_add_value(onnx_graph *graph, unsigned field, crd_text name, int type, size_t columns) {
    size_t value = protobuf_open(&graph->out, field);
    protobuf_bytes(&graph->out, 1, name.bytes, name.length);
    size_t of_type = protobuf_open(&graph->out, 2), tensor = protobuf_open(&graph->out, 1);
    protobuf_integer(&graph->out, 1, type);
    size_t shape = protobuf_open(&graph->out, 2), rows = protobuf_open(&graph->out, 1);
    protobuf_text(&graph->out, 2, "N");
    protobuf_close(&graph->out, rows);
    size_t width = protobuf_open(&graph->out, 1);
    protobuf_integer(&graph->out, 1, (int64_t)columns);
    protobuf_close(&graph->out, width);
    protobuf_close(&graph->out, shape);
    protobuf_close(&graph->out, tensor);
    protobuf_close(&graph->out, of_type);
    protobuf_close(&graph->out, value);
}

/* ---- Terms ---- */

/* Adds the output of a node to the sums. */
static void add_to_sums(onnx_graph *graph, const char *terms, size_t number) {
    char next[sizeof graph->sums];
    snprintf(next, sizeof next, "credence/sums_%zu", number);
    onnx_export_add_node(graph, "Add", next, graph->sums, terms, NULL);
    memcpy(graph->sums, next, sizeof next);
}

/* Returns whether attribute i has the given type and takes part in predictions. */
static bool onnx_export_is_counted(const crd_classifier *classifier, size_t i, crd_column_type type) {
    return classifier->attributes[i].type == type && crd_i_attribute_counts(&classifier->attributes[i]) &&
           crd_i_scorer_weight(classifier->scorer, i) != 0;
}

/* Adds a categorical attribute: the table of its log probabilities, and the nodes that look up its rows. */
static crd_status onnx_export_add_category(onnx_graph *graph, size_t i, crd_error *error) {
    const crd_classifier *classifier = graph->classifier;
    const crd_i_attribute *attribute = &classifier->attributes[i];
    crd_i_parameter_list list = {.context = classifier->context};
    char table[48], codes[48], rows[48], terms[48];
    size_t classes = classifier->class_count;
    double *padded = NULL, weight = crd_i_scorer_weight(classifier->scorer, i);
    bool done = attribute->family->list_parameters(attribute->density, &list);
    if (done) {
        const crd_i_parameter_array *logs = crd_i_parameter_list_find(&list, "log_probability");
        padded = crd_i_parameter_list_matrix(&list, "padded", logs->rows + 1, classes);
        done = padded != NULL;
    }
    if (done) {
        const crd_i_parameter_array *logs = crd_i_parameter_list_find(&list, "log_probability");
        const size_t shape[] = {logs->rows + 1, classes};
        for (size_t j = 0; j < logs->rows * classes; j++) padded[j] = weight * logs->numbers[j];
        snprintf(table, sizeof table, "credence/table_%zu", i);
        snprintf(codes, sizeof codes, "credence/codes_%zu", i);
        snprintf(rows, sizeof rows, "credence/rows_%zu", i);
        snprintf(terms, sizeof terms, "credence/terms_%zu", i);
        add_tensor(graph, table, shape, 2, padded);
        size_t node = protobuf_open(&graph->out, GRAPH_NODE);
        protobuf_bytes(&graph->out, NODE_INPUT, attribute->name.bytes, attribute->name.length);
        protobuf_text(&graph->out, NODE_OUTPUT, codes);
        protobuf_text(&graph->out, NODE_OPERATOR, "LabelEncoder");
        onnx_export_add_texts(graph, "keys_strings", attribute->values);
        onnx_export_add_codes(graph, "values_int64s", logs->rows);
        onnx_export_add_attribute(graph, "default_int64", (int64_t)logs->rows);
        protobuf_text(&graph->out, NODE_DOMAIN, ML);
        protobuf_close(&graph->out, node);
        onnx_export_add_node(graph, "Gather", rows, table, codes, NULL);
        onnx_export_add_node(graph, "Squeeze", terms, rows, "credence/one", NULL);
        add_to_sums(graph, terms, i);
    }
    crd_i_parameter_list_clear(&list);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Collects the parameters of all numeric columns, classes x columns. */
static crd_status gather_numbers(onnx_graph *graph, crd_error *error) {
    static const char *const names[] = {"mean", "mean_rest", "slope", "log_peak"};
    enum { PARAMETERS = sizeof names / sizeof *names };
    const crd_classifier *classifier = graph->classifier;
    size_t classes = classifier->class_count, column = 0;
    double *arrays[PARAMETERS], *weights = crd_i_parameter_list_vector(&graph->numbers, "weight", graph->number_count);
    if (weights == NULL) return crd_i_fail_memory(error);
    for (size_t p = 0; p < PARAMETERS; p++) {
        arrays[p] = crd_i_parameter_list_matrix(&graph->numbers, names[p], classes, graph->number_count);
        if (arrays[p] == NULL) return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        if (!onnx_export_is_counted(classifier, i, CRD_TYPE_NUMERIC)) continue;
        const crd_i_attribute *attribute = &classifier->attributes[i];
        crd_i_parameter_list list = {.context = classifier->context};
        bool done = attribute->family->list_parameters(attribute->density, &list);
        for (size_t p = 0; done && p < PARAMETERS; p++)
            for (size_t k = 0; k < classes; k++)
                arrays[p][k * graph->number_count + column] = crd_i_parameter_list_find(&list, names[p])->numbers[k];
        crd_i_parameter_list_clear(&list);
        if (!done) return crd_i_fail_memory(error);
        weights[column++] = crd_i_scorer_weight(classifier->scorer, i);
    }
    return CRD_OK;
}

/* Adds the nodes that compute the terms of all numeric columns. */
static crd_status onnx_export_add_numbers(onnx_graph *graph, crd_error *error) {
    const crd_classifier *classifier = graph->classifier;
    crd_status status = gather_numbers(graph, error);
    if (status != CRD_OK) return status;
    for (size_t a = 0; a < graph->numbers.count; a++) {
        const crd_i_parameter_array *array = &graph->numbers.arrays[a];
        const size_t shape[] = {1, array->dimensions == 1 ? 1 : array->rows,
                                array->dimensions == 1 ? array->rows : array->columns};
        char name[48];
        snprintf(name, sizeof name, "credence/%s", array->name);
        add_tensor(graph, name, shape, 3, array->numbers);
    }
    size_t node = protobuf_open(&graph->out, GRAPH_NODE);
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (onnx_export_is_counted(classifier, i, CRD_TYPE_NUMERIC))
            protobuf_bytes(&graph->out, NODE_INPUT, classifier->attributes[i].name.bytes,
                           classifier->attributes[i].name.length);
    protobuf_text(&graph->out, NODE_OUTPUT, "credence/numbers");
    protobuf_text(&graph->out, NODE_OPERATOR, "Concat");
    onnx_export_add_attribute(graph, "axis", 1);
    protobuf_close(&graph->out, node);
    add_long(graph, "credence/two", 2, true);
    onnx_export_add_node(graph, "Unsqueeze", "credence/x", "credence/numbers", "credence/one", NULL);
    onnx_export_add_node(graph, "Sub", "credence/away", "credence/x", "credence/mean", NULL);
    onnx_export_add_node(graph, "Sub", "credence/away_rest", "credence/away", "credence/mean_rest", NULL);
    onnx_export_add_node(graph, "Mul", "credence/z", "credence/away_rest", "credence/slope", NULL);
    onnx_export_add_node(graph, "Mul", "credence/squares", "credence/z", "credence/z", NULL);
    onnx_export_add_node(graph, "Sub", "credence/densities", "credence/log_peak", "credence/squares", NULL);
    onnx_export_add_node(graph, "Mul", "credence/weighted", "credence/densities", "credence/weight", NULL);
    onnx_export_add_node(graph, "IsNaN", "credence/is_missing", "credence/x", NULL, NULL);
    onnx_export_add_node(graph, "Where", "credence/present", "credence/is_missing", "credence/zero",
                         "credence/weighted");
    node = open_node(graph, "ReduceSum", "credence/number_terms", "credence/present", "credence/two", NULL);
    onnx_export_add_attribute(graph, "keepdims", 0);
    protobuf_close(&graph->out, node);
    add_to_sums(graph, "credence/number_terms", classifier->attribute_count);
    return CRD_OK;
}

/* ---- Results ---- */

/* Adds a node that reduces the classes of each row to one number. */
static void reduce_rows(onnx_graph *graph, const char *operator, const char * output, const char *input) {
    size_t node = open_node(graph, operator, output, input, NULL, NULL);
    size_t attribute = protobuf_open(&graph->out, NODE_ATTRIBUTE);
    protobuf_text(&graph->out, ATTRIBUTE_NAME, "axes");
    protobuf_integer(&graph->out, ATTRIBUTE_INTEGERS, 1);
    protobuf_integer(&graph->out, ATTRIBUTE_TYPE, TYPE_INTEGERS);
    protobuf_close(&graph->out, attribute);
    protobuf_close(&graph->out, node);
}

/* Adds the outputs. If all classes are impossible, all probabilities are 0 and the label is empty. A single class has
 * probability 1. */
static void onnx_export_add_answers(onnx_graph *graph) {
    const crd_classifier *classifier = graph->classifier;
    const char *sums = graph->sums;
    if (classifier->class_count == 1) {
        onnx_export_add_node(graph, "Max", "credence/certain", sums, "credence/least", NULL);
        sums = "credence/certain";
    }
    reduce_rows(graph, "ReduceMax", "credence/greatest", sums);
    onnx_export_add_node(graph, "Max", "credence/most", "credence/greatest", "credence/least", NULL);
    onnx_export_add_node(graph, "Sub", "credence/below", sums, "credence/most", NULL);
    onnx_export_add_node(graph, "Exp", "credence/shares", "credence/below", NULL, NULL);
    onnx_export_add_node(graph, "ReduceSum", "credence/share_sum", "credence/shares", "credence/one", NULL);
    onnx_export_add_node(graph, "Max", "credence/total", "credence/share_sum", "credence/tiny", NULL);
    onnx_export_add_node(graph, "Div", "probabilities", "credence/shares", "credence/total", NULL);
    onnx_export_add_node(graph, "GreaterOrEqual", "credence/is_tied", "credence/below", "credence/tie", NULL);
    size_t node = open_node(graph, "Cast", "credence/tied", "credence/is_tied", NULL, NULL);
    onnx_export_add_attribute(graph, "to", DOUBLES);
    protobuf_close(&graph->out, node);
    node = open_node(graph, "ArgMax", "credence/first", "credence/tied", NULL, NULL);
    onnx_export_add_attribute(graph, "axis", 1);
    protobuf_close(&graph->out, node);
    reduce_rows(graph, "ReduceMax", "credence/any", "credence/tied");
    onnx_export_add_node(graph, "Greater", "credence/is_possible", "credence/any", "credence/zero", NULL);
    onnx_export_add_node(graph, "Where", "credence/decision", "credence/is_possible", "credence/first",
                         "credence/none");
    node = open_node(graph, "LabelEncoder", "label", "credence/decision", NULL, NULL);
    onnx_export_add_codes(graph, "keys_int64s", classifier->class_count);
    onnx_export_add_texts(graph, "values_strings", classifier->classes);
    size_t attribute = protobuf_open(&graph->out, NODE_ATTRIBUTE);
    protobuf_text(&graph->out, ATTRIBUTE_NAME, "default_string");
    protobuf_text(&graph->out, ATTRIBUTE_TEXT, "");
    protobuf_integer(&graph->out, ATTRIBUTE_TYPE, TYPE_TEXT);
    protobuf_close(&graph->out, attribute);
    protobuf_text(&graph->out, NODE_DOMAIN, ML);
    protobuf_close(&graph->out, node);
}

/* Adds the constants of the graph, and starts the sums with the log priors. */
static void add_constants(onnx_graph *graph) {
    const crd_classifier *classifier = graph->classifier;
    const size_t shape[] = {1, classifier->class_count};
    add_tensor(graph, "credence/log_priors", shape, 2, classifier->log_priors);
    add_constant(graph, "credence/zero", 0);
    add_constant(graph, "credence/least", -0x1.fffffffffffffp+1023);
    add_constant(graph, "credence/tiny", 0x1p-1022);
    add_constant(graph, "credence/tie", -CRD_TIE_MARGIN);
    add_long(graph, "credence/one", 1, true);
    add_long(graph, "credence/none", -1, false);
    memcpy(graph->sums, "credence/log_priors", sizeof "credence/log_priors");
}

/* Adds the graph: constants, terms, results, inputs and outputs. */
static crd_status add_graph(onnx_graph *graph, crd_error *error) {
    const crd_classifier *classifier = graph->classifier;
    crd_status status = CRD_OK;
    size_t opened = protobuf_open(&graph->out, MODEL_GRAPH);
    protobuf_text(&graph->out, GRAPH_NAME, "credence");
    add_constants(graph);
    for (size_t i = 0; i < classifier->attribute_count && status == CRD_OK; i++) {
        if (onnx_export_is_counted(classifier, i, CRD_TYPE_CATEGORICAL))
            status = onnx_export_add_category(graph, i, error);
        graph->number_count += onnx_export_is_counted(classifier, i, CRD_TYPE_NUMERIC);
    }
    if (status == CRD_OK && graph->number_count > 0) status = onnx_export_add_numbers(graph, error);
    onnx_export_add_answers(graph);
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        if (onnx_export_is_counted(classifier, i, CRD_TYPE_CATEGORICAL))
            onnx_export_add_value(graph, GRAPH_INPUT, classifier->attributes[i].name, TEXTS, 1);
        if (onnx_export_is_counted(classifier, i, CRD_TYPE_NUMERIC))
            onnx_export_add_value(graph, GRAPH_INPUT, classifier->attributes[i].name, DOUBLES, 1);
    }
    onnx_export_add_value(graph, GRAPH_OUTPUT, crd_text_of("label"), TEXTS, 1);
    onnx_export_add_value(graph, GRAPH_OUTPUT, crd_text_of("probabilities"), DOUBLES, classifier->class_count);
    protobuf_close(&graph->out, opened);
    return status;
}

static void add_opset(onnx_graph *graph, const char *domain, int version) {
    size_t opset = protobuf_open(&graph->out, MODEL_OPSET);
    protobuf_text(&graph->out, 1, domain);
    protobuf_integer(&graph->out, 2, version);
    protobuf_close(&graph->out, opset);
}

/* Adds the class names as metadata class_0, class_1, ..., in the order of the probabilities. */
static void add_metadata(onnx_graph *graph) {
    for (size_t k = 0; k < graph->classifier->class_count; k++) {
        char key[32];
        crd_text name = crd_i_dictionary_text(graph->classifier->classes, k);
        size_t entry = protobuf_open(&graph->out, MODEL_METADATA);
        snprintf(key, sizeof key, "class_%zu", k);
        protobuf_text(&graph->out, 1, key);
        protobuf_bytes(&graph->out, 2, name.bytes, name.length);
        protobuf_close(&graph->out, entry);
    }
}

/* ---- Checks ---- */

/* Checks that an attribute is categorical, or normal with parameters well within the range of a double. */
static crd_status onnx_export_check_attribute(const crd_i_attribute *attribute, crd_error *error) {
    crd_i_parameter_list list = {.context = attribute->density->context};
    char what[80];
    if (attribute->type == CRD_TYPE_CATEGORICAL) return CRD_OK;
    if (strcmp(attribute->family->name, "gaussian") != 0) {
        snprintf(what, sizeof what, "a density of the family %s", attribute->family->name);
        return crd_i_export_refuse(error, "ONNX", what, "family");
    }
    bool done = attribute->family->list_parameters(attribute->density, &list), is_far = false;
    for (size_t k = 0; done && k < attribute->density->conditions; k++)
        is_far = is_far || crd_i_parameter_list_find(&list, "slope")->numbers[k] == 0;
    crd_i_parameter_list_clear(&list);
    if (!done) return crd_i_fail_memory(error);
    return is_far ? crd_i_export_refuse(error, "ONNX", "numbers near the limits of a double", "family") : CRD_OK;
}

/* Checks that the classifier is naive Bayes, without calibration, and that an attribute counts. */
static crd_status onnx_export_check(const crd_classifier *classifier, crd_error *error) {
    const crd_i_scorer *scorer = crd_i_scorer_uncorrected(classifier->scorer);
    size_t counted = 0;
    crd_status status = CRD_OK;
    if (scorer->type->joints != NULL || scorer->type->pairs != NULL)
        return crd_i_export_refuse(error, "ONNX", "attributes with a joint density", "method");
    if (scorer->type->members != NULL) return crd_i_export_refuse(error, "ONNX", "an ensemble", "method");
    if (scorer != classifier->scorer) return crd_i_export_refuse(error, "ONNX", "calibration", "calibration");
    for (size_t i = 0; i < classifier->attribute_count && status == CRD_OK; i++) {
        if (!onnx_export_is_counted(classifier, i, classifier->attributes[i].type)) continue;
        counted++;
        status = onnx_export_check_attribute(&classifier->attributes[i], error);
    }
    if (status == CRD_OK && counted == 0)
        status = crd_i_export_refuse(error, "ONNX", "a model that uses no attributes", "family");
    return status;
}

crd_status crd_i_export_onnx(const crd_i_exported *exported, crd_i_export_writer *writer, crd_error *error) {
    onnx_graph graph = {.out = {.buffer = {.context = exported->classifier->context}},
                        .classifier = exported->classifier,
                        .numbers = {.context = exported->classifier->context}};
    crd_status status = onnx_export_check(exported->classifier, error);
    if (status != CRD_OK) return status;
    protobuf_integer(&graph.out, MODEL_IR_VERSION, IR_VERSION);
    protobuf_text(&graph.out, MODEL_PRODUCER, "credence");
    protobuf_text(&graph.out, MODEL_PRODUCER_VERSION, crd_version());
    status = add_graph(&graph, error);
    add_opset(&graph, "", OPSET);
    add_opset(&graph, ML, OPSET_ML);
    add_metadata(&graph);
    if (status == CRD_OK && graph.out.is_failed) status = crd_i_fail_memory(error);
    if (status == CRD_OK) crd_i_export_bytes(writer, (const char *)graph.out.buffer.bytes, graph.out.buffer.length);
    crd_i_buffer_clear(&graph.out.buffer);
    crd_i_parameter_list_clear(&graph.numbers);
    return status;
}
