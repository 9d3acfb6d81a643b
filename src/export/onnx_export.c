/* SPDX-License-Identifier: MIT */
/* onnx_export.c - exports naive Bayes with categorical and normal densities, and trees, as an ONNX graph that computes in
 * doubles.
 *
 * Each attribute is an input of its own name and of shape N x 1: doubles, NaN if missing, or strings, empty if missing.
 * The graph concatenates the numeric inputs to X. In its tensors, classes are the last dimension. It computes:
 *
 *   numeric      sum over columns of weight (log_peak - ((x - mean - mean_rest) slope)^2), 0 if x is NaN
 *   categorical  a row of a table of log probabilities; its last row is 0, for missing and unseen values
 *
 * For trees, the graph moves parts of rows from level to level. A part is a row, a node and a weight. A missing value
 * can divide a part among both children of its node. The predictions of the leaves are summed with these weights.
 *
 * All terms are added to the log priors. Subtracting the maximum, taking exponentials and dividing by their sum gives the
 * posteriors.
 *
 * Contents:
 *   1. Protocol Buffers
 *   2. The graph
 *   3. Trees
 *   4. The exported file */
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parameter_list.h"
#include "export/export_internal.h"

#include <float.h>
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
    TRUTHS = 9,
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
    bool has_trees; /* its attributes are those without densities of their own */
    char sums[48];  /* name of the node output that contains the sums so far */
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

/* Adds a constant tensor of integers, with one dimension unless `count` is 0: then it is a scalar. */
static void add_longs(onnx_graph *graph, const char *name, const int64_t *numbers, size_t count) {
    size_t tensor = protobuf_open(&graph->out, GRAPH_INITIALIZER);
    if (count > 0) protobuf_integer(&graph->out, TENSOR_SHAPE, (int64_t)count);
    protobuf_integer(&graph->out, TENSOR_TYPE, LONGS);
    protobuf_text(&graph->out, TENSOR_NAME, name);
    protobuf_longs(&graph->out, TENSOR_BYTES, numbers, count > 0 ? count : 1);
    protobuf_close(&graph->out, tensor);
}

/* Adds a constant integer: a tensor with one element, or a scalar. */
static void add_long(onnx_graph *graph, const char *name, int64_t number, bool is_list) {
    add_longs(graph, name, &number, is_list ? 1 : 0);
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

/* Adds a text attribute to the open node. */
static void onnx_export_add_text(onnx_graph *graph, const char *name, const char *text) {
    size_t attribute = protobuf_open(&graph->out, NODE_ATTRIBUTE);
    protobuf_text(&graph->out, ATTRIBUTE_NAME, name);
    protobuf_text(&graph->out, ATTRIBUTE_TEXT, text);
    protobuf_integer(&graph->out, ATTRIBUTE_TYPE, TYPE_TEXT);
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

/* Returns whether attribute i is an input of this type. */
static bool onnx_export_is_input(const onnx_graph *graph, size_t i, crd_column_type type) {
    const crd_i_attribute *attribute = &graph->classifier->attributes[i];
    return (graph->has_trees && attribute->is_joint && attribute->type == type) ||
           onnx_export_is_counted(graph->classifier, i, type);
}

/* Adds the node that converts an attribute's texts to codes. Other texts have the number of values as their code. */
static void onnx_export_add_encoder(onnx_graph *graph, const crd_i_attribute *attribute, const char *codes) {
    const size_t count = crd_i_dictionary_size(attribute->values);
    size_t node = protobuf_open(&graph->out, GRAPH_NODE);
    protobuf_bytes(&graph->out, NODE_INPUT, attribute->name.bytes, attribute->name.length);
    protobuf_text(&graph->out, NODE_OUTPUT, codes);
    protobuf_text(&graph->out, NODE_OPERATOR, "LabelEncoder");
    onnx_export_add_texts(graph, "keys_strings", attribute->values);
    onnx_export_add_codes(graph, "values_int64s", count);
    onnx_export_add_attribute(graph, "default_int64", (int64_t)count);
    protobuf_text(&graph->out, NODE_DOMAIN, ML);
    protobuf_close(&graph->out, node);
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
        onnx_export_add_encoder(graph, attribute, codes);
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
    onnx_export_add_text(graph, "default_string", "");
    protobuf_text(&graph->out, NODE_DOMAIN, ML);
    protobuf_close(&graph->out, node);
}

/* ======== 3. Trees ======== */

/* The most numbers of trees. Files of Protocol Buffers have less than 2 GB. */
enum { MOST_NUMBERS = 1 << 25 };

/* Adds a node of a level. Each name that ends with '_' is completed by the number of the level. */
static void level_add_node(onnx_graph *graph, size_t level, const char *operator, const char * const names[4],
                           const char *attribute, int64_t value) {
    char full[4][48];
    for (size_t i = 0; i < 4 && names[i] != NULL; i++) {
        const bool is_of_level = names[i][strlen(names[i]) - 1] == '_';
        if (is_of_level) snprintf(full[i], sizeof full[i], "credence/%s%zu", names[i], level);
        else snprintf(full[i], sizeof full[i], "credence/%s", names[i]);
    }
    size_t node = protobuf_open(&graph->out, GRAPH_NODE);
    for (size_t i = 1; i < 4 && names[i] != NULL; i++) protobuf_text(&graph->out, NODE_INPUT, full[i]);
    protobuf_text(&graph->out, NODE_OUTPUT, full[0]);
    protobuf_text(&graph->out, NODE_OPERATOR, operator);
    if (attribute != NULL) onnx_export_add_attribute(graph, attribute, value);
    protobuf_close(&graph->out, node);
}

typedef struct level_step {
    const char *operator, * names[4]; /* the output and up to three inputs */
    const char *attribute;
    int64_t value;
} level_step;

/* The first parts: each row at each root, with weight 1. */
static const level_step first_steps[] = {
    {"Shape", {"tree_shape", "tree_x"}, NULL, 0},
    {"Gather", {"tree_n", "tree_shape", "long_zero"}, NULL, 0},
    {"Range", {"tree_range", "long_zero", "tree_n", "long_one"}, NULL, 0},
    {"Unsqueeze", {"tree_rows", "tree_range", "one"}, NULL, 0},
    {"Mul", {"tree_zeros", "tree_rows", "long_zero"}, NULL, 0},
    {"Mul", {"tree_no_roots", "tree_root", "long_zero"}, NULL, 0},
    {"Add", {"tree_all_rows", "tree_rows", "tree_no_roots"}, NULL, 0},
    {"Add", {"tree_all_nodes", "tree_zeros", "tree_root"}, NULL, 0},
    {"Reshape", {"rows_", "tree_all_rows", "tree_flat"}, NULL, 0},
    {"Reshape", {"nodes_", "tree_all_nodes", "tree_flat"}, NULL, 0},
    {"Mul", {"tree_no_nodes", "nodes_", "long_zero"}, NULL, 0},
    {"Add", {"tree_ones", "tree_no_nodes", "long_one"}, NULL, 0},
    {"Cast", {"weights_", "tree_ones"}, "to", DOUBLES},
};

/* From a level to the next: the share of each part that goes left, and both children. */
static const level_step level_steps[] = {
    {"Gather", {"column_", "tree_column", "nodes_"}, NULL, 0},
    {"Unsqueeze", {"row_index_", "rows_", "one"}, NULL, 0},
    {"Unsqueeze", {"column_index_", "column_", "one"}, NULL, 0},
    {"Concat", {"index_", "row_index_", "column_index_"}, "axis", 1},
    {"GatherND", {"x_", "tree_x", "index_"}, NULL, 0},
    {"IsNaN", {"is_missing_", "x_"}, NULL, 0},
    {"Gather", {"test_", "tree_test", "nodes_"}, NULL, 0},
    {"LessOrEqual", {"is_below_", "x_", "test_"}, NULL, 0},
    {"Where", {"bin_", "is_missing_", "zero", "x_"}, NULL, 0},
    {"Max", {"bin_least_", "bin_", "zero"}, NULL, 0},
    {"Min", {"bin_most_", "bin_least_", "tree_last_bin"}, NULL, 0},
    {"Gather", {"set_", "tree_set", "nodes_"}, NULL, 0},
    {"Add", {"place_", "set_", "bin_most_"}, NULL, 0},
    {"Cast", {"place_long_", "place_"}, "to", LONGS},
    {"Gather", {"is_member_", "tree_members", "place_long_"}, NULL, 0},
    {"Or", {"is_left_", "is_below_", "is_member_"}, NULL, 0},
    {"Cast", {"left_", "is_left_"}, "to", DOUBLES},
    {"Gather", {"missing_share_", "tree_share", "nodes_"}, NULL, 0},
    {"Where", {"share_", "is_missing_", "missing_share_", "left_"}, NULL, 0},
    {"Sub", {"rest_", "double_one", "share_"}, NULL, 0},
    {"Greater", {"has_left_", "share_", "zero"}, NULL, 0},
    {"Greater", {"has_right_", "rest_", "zero"}, NULL, 0},
    {"Mul", {"left_weights_", "weights_", "share_"}, NULL, 0},
    {"Mul", {"right_weights_", "weights_", "rest_"}, NULL, 0},
    {"Gather", {"left_nodes_", "tree_left", "nodes_"}, NULL, 0},
    {"Gather", {"right_nodes_", "tree_right", "nodes_"}, NULL, 0},
    {"Compress", {"rows_a_", "rows_", "has_left_"}, NULL, 0},
    {"Compress", {"rows_b_", "rows_", "has_right_"}, NULL, 0},
    {"Compress", {"nodes_a_", "left_nodes_", "has_left_"}, NULL, 0},
    {"Compress", {"nodes_b_", "right_nodes_", "has_right_"}, NULL, 0},
    {"Compress", {"weights_a_", "left_weights_", "has_left_"}, NULL, 0},
    {"Compress", {"weights_b_", "right_weights_", "has_right_"}, NULL, 0},
};

/* From the parts at the leaves to the term of each class. */
static const level_step last_steps[] = {
    {"Gather", {"tree_leaves", "tree_leaf", "nodes_"}, NULL, 0},
    {"Gather", {"tree_predictions", "tree_value", "tree_leaves"}, NULL, 0},
    {"Unsqueeze", {"tree_weights", "weights_", "one"}, NULL, 0},
    {"Mul", {"tree_weighted", "tree_predictions", "tree_weights"}, NULL, 0},
    {"Unsqueeze", {"tree_part_rows", "rows_", "one"}, NULL, 0},
    {"Shape", {"tree_part_shape", "tree_weighted"}, NULL, 0},
    {"Expand", {"tree_places", "tree_part_rows", "tree_part_shape"}, NULL, 0},
    {"Mul", {"tree_no_row", "tree_known", "zero"}, NULL, 0},
    {"Mul", {"tree_no_share", "tree_log_share", "zero"}, NULL, 0},
    {"Add", {"tree_no_mean", "tree_no_row", "tree_no_share"}, NULL, 0},
    {"Mul", {"tree_squares", "tree_weights", "tree_weights"}, NULL, 0},
};

static const level_step term_steps[] = {
    {"Mul", {"tree_wholeness", "tree_whole", "tree_scale"}, NULL, 0},
    {"Add", {"tree_row_scale", "tree_wholeness", "double_one"}, NULL, 0},
    {"Div", {"tree_means", "tree_sums", "tree_count"}, NULL, 0},
    {"Log", {"tree_logs", "tree_means"}, NULL, 0},
    {"Mul", {"tree_scaled", "tree_logs", "tree_row_scale"}, NULL, 0},
    {"Sub", {"tree_terms", "tree_scaled", "tree_log_share"}, NULL, 0},
    {"Greater", {"tree_is_known", "tree_known", "zero"}, NULL, 0},
    {"Where", {"tree_known_terms", "tree_is_known", "tree_terms", "zero"}, NULL, 0},
};

static void level_add_steps(onnx_graph *graph, size_t level, const level_step *steps, size_t count) {
    for (size_t i = 0; i < count; i++)
        level_add_node(graph, level, steps[i].operator, steps[i].names, steps[i].attribute, steps[i].value);
}

/* Adds the node that joins the left and the right parts of a level as the parts of the next level. */
static void level_join(onnx_graph *graph, size_t level, const char *what) {
    char name[4][48];
    snprintf(name[0], sizeof name[0], "credence/%s_%zu", what, level + 1);
    snprintf(name[1], sizeof name[1], "credence/%s_a_%zu", what, level);
    snprintf(name[2], sizeof name[2], "credence/%s_b_%zu", what, level);
    size_t node = open_node(graph, "Concat", name[0], name[1], name[2], NULL);
    onnx_export_add_attribute(graph, "axis", 0);
    protobuf_close(&graph->out, node);
}

/* Adds up the updates of each row. */
static void add_scatter(onnx_graph *graph, const char *output, const char *start, const char *places,
                        const char *updates) {
    size_t node = open_node(graph, "ScatterElements", output, start, places, updates);
    onnx_export_add_attribute(graph, "axis", 0);
    onnx_export_add_text(graph, "reduction", "add");
    protobuf_close(&graph->out, node);
}

/* Adds the members of all sets, one truth for each bin. The first set has no members; numeric splits use it. */
static void tree_add_members(onnx_graph *graph, const crd_i_parameter_array *members) {
    const size_t width = members->columns * 32;
    size_t tensor = protobuf_open(&graph->out, GRAPH_INITIALIZER);
    protobuf_integer(&graph->out, TENSOR_SHAPE, (int64_t)((members->rows + 1) * width));
    protobuf_integer(&graph->out, TENSOR_TYPE, TRUTHS);
    protobuf_text(&graph->out, TENSOR_NAME, "credence/tree_members");
    put_integer(&graph->out, (uint64_t)TENSOR_BYTES << 3 | WIRE_BYTES);
    put_integer(&graph->out, (members->rows + 1) * width);
    for (size_t i = 0; i < (members->rows + 1) * width; i++) {
        const uint32_t word = i < width ? 0 : (uint32_t)members->numbers[(i - width) / 32];
        const char truth = word >> i % 32 & 1;
        protobuf_append(&graph->out, &truth, 1);
    }
    protobuf_close(&graph->out, tensor);
}

/* Adds the tables of nodes. Both children of a leaf are the leaf itself. */
static bool tree_add_nodes(onnx_graph *graph, const crd_i_parameter_list *list) {
    const crd_i_parameter_array *column = crd_i_parameter_list_find(list, "column");
    const crd_i_parameter_array *value = crd_i_parameter_list_find(list, "value");
    const double *right = crd_i_parameter_list_find(list, "right")->numbers;
    const double *values = crd_i_parameter_list_find(list, "values")->numbers;
    const double width = 32 * (double)crd_i_parameter_list_find(list, "members")->columns;
    const size_t nodes = column->rows, shape[] = {nodes}, value_shape[] = {value->rows, value->columns};
    crd_i_parameter_list own = {.context = list->context};
    double *tests = crd_i_parameter_list_vector(&own, "test", nodes);
    double *sets = crd_i_parameter_list_vector(&own, "set", nodes);
    double *shares = crd_i_parameter_list_vector(&own, "share", nodes);
    int64_t *longs = crd_i_alloc(list->context, 4 * nodes, sizeof *longs);
    const bool done = tests != NULL && sets != NULL && shares != NULL && longs != NULL;
    for (size_t v = 0; done && v < nodes; v++) {
        const double test = crd_i_parameter_list_find(list, "test")->numbers[v];
        const bool is_leaf = column->numbers[v] < 0;
        const bool is_category = !is_leaf && values[(size_t)column->numbers[v]] > 0;
        tests[v] = is_leaf ? DBL_MAX : is_category ? -DBL_MAX : test;
        sets[v] = is_category ? (test + 1) * width : 0;
        shares[v] = is_leaf ? 1 : crd_i_parameter_list_find(list, "left_share")->numbers[v];
        longs[v] = is_leaf ? 0 : (int64_t)column->numbers[v];
        longs[nodes + v] = (int64_t)v + !is_leaf;
        longs[2 * nodes + v] = is_leaf ? (int64_t)v : (int64_t)right[v];
        longs[3 * nodes + v] = is_leaf ? (int64_t)test : 0;
    }
    if (done) {
        add_tensor(graph, "credence/tree_test", shape, 1, tests);
        add_tensor(graph, "credence/tree_set", shape, 1, sets);
        add_tensor(graph, "credence/tree_share", shape, 1, shares);
        add_tensor(graph, "credence/tree_value", value_shape, 2, value->numbers);
        add_longs(graph, "credence/tree_column", longs, nodes);
        add_longs(graph, "credence/tree_left", longs + nodes, nodes);
        add_longs(graph, "credence/tree_right", longs + 2 * nodes, nodes);
        add_longs(graph, "credence/tree_leaf", longs + 3 * nodes, nodes);
    }
    crd_free(list->context, longs);
    crd_i_parameter_list_clear(&own);
    return done;
}

/* Adds the constants of the trees other than their nodes. */
static bool tree_add_constants(onnx_graph *graph, const crd_i_parameter_list *list) {
    const crd_i_parameter_array *root = crd_i_parameter_list_find(list, "root");
    const double count = (double)root->rows, scale = crd_i_parameter_list_find(list, "scale")->numbers[0];
    const size_t shape[] = {1, graph->classifier->class_count};
    int64_t *roots = crd_i_alloc(list->context, root->rows, sizeof *roots);
    if (roots == NULL) return false;
    for (size_t t = 0; t < root->rows; t++) roots[t] = (int64_t)root->numbers[t];
    add_longs(graph, "credence/tree_root", roots, root->rows);
    crd_free(list->context, roots);
    add_tensor(graph, "credence/tree_log_share", shape, 2, crd_i_parameter_list_find(list, "log_share")->numbers);
    tree_add_members(graph, crd_i_parameter_list_find(list, "members"));
    add_constant(graph, "credence/tree_last_bin", 32 * (double)crd_i_parameter_list_find(list, "members")->columns - 1);
    add_constant(graph, "credence/tree_count", count);
    add_constant(graph, "credence/tree_scale", (scale - 1) / count);
    add_constant(graph, "credence/double_one", 1);
    add_long(graph, "credence/long_zero", 0, false);
    add_long(graph, "credence/long_one", 1, false);
    add_long(graph, "credence/tree_flat", -1, true);
    return true;
}

/* Adds the values of a column, with NaN for missing values and rare categories, and 1 for values that are known. */
static bool tree_add_column(onnx_graph *graph, const crd_i_attribute *attribute, size_t i, const double *bins) {
    char x[48], known[48], codes[48], table[48], truths[48];
    snprintf(x, sizeof x, "credence/tree_x_%zu", i);
    snprintf(known, sizeof known, "credence/tree_known_%zu", i);
    snprintf(codes, sizeof codes, "credence/tree_codes_%zu", i);
    snprintf(table, sizeof table, "credence/tree_bins_%zu", i);
    snprintf(truths, sizeof truths, "credence/tree_truths_%zu", i);
    if (attribute->type != CRD_TYPE_CATEGORICAL) {
        size_t node = protobuf_open(&graph->out, GRAPH_NODE);
        protobuf_bytes(&graph->out, NODE_INPUT, attribute->name.bytes, attribute->name.length);
        protobuf_text(&graph->out, NODE_OUTPUT, x);
        protobuf_text(&graph->out, NODE_OPERATOR, "Identity");
        protobuf_close(&graph->out, node);
        onnx_export_add_node(graph, "IsNaN", codes, x, NULL, NULL);
        onnx_export_add_node(graph, "Not", truths, codes, NULL, NULL);
        node = open_node(graph, "Cast", known, truths, NULL, NULL);
        onnx_export_add_attribute(graph, "to", DOUBLES);
        protobuf_close(&graph->out, node);
        return true;
    }
    const size_t count = crd_i_dictionary_size(attribute->values), shape[] = {count + 1};
    crd_i_parameter_list own = {.context = graph->classifier->context};
    double *numbers = crd_i_parameter_list_vector(&own, "bins", count + 1);
    double *ones = crd_i_parameter_list_vector(&own, "known", count + 1);
    const bool done = numbers != NULL && ones != NULL;
    for (size_t v = 0; done && v <= count; v++) {
        numbers[v] = v < count && bins[v] > 0 ? bins[v] : NAN;
        ones[v] = v < count;
    }
    if (done) {
        add_tensor(graph, table, shape, 1, numbers);
        add_tensor(graph, truths, shape, 1, ones);
        onnx_export_add_encoder(graph, attribute, codes);
        onnx_export_add_node(graph, "Gather", x, table, codes, NULL);
        onnx_export_add_node(graph, "Gather", known, truths, codes, NULL);
    }
    crd_i_parameter_list_clear(&own);
    return done;
}

/* Adds the columns of the trees as two matrices with a line for each row: values, and whether they are known. */
static bool tree_add_columns(onnx_graph *graph, const crd_i_parameter_list *list, const size_t *attributes) {
    const crd_i_parameter_array *values = crd_i_parameter_list_find(list, "values");
    const double *bins = crd_i_parameter_list_find(list, "bin")->numbers;
    static const char *const matrices[] = {"tree_x", "tree_known"};
    for (size_t i = 0; i < values->rows; i++) {
        if (!tree_add_column(graph, &graph->classifier->attributes[attributes[i]], i, bins)) return false;
        bins += (size_t)values->numbers[i];
    }
    for (size_t m = 0; m < 2; m++) {
        char name[48];
        size_t node = protobuf_open(&graph->out, GRAPH_NODE);
        for (size_t i = 0; i < values->rows; i++) {
            snprintf(name, sizeof name, "credence/%s_%zu", matrices[m], i);
            protobuf_text(&graph->out, NODE_INPUT, name);
        }
        protobuf_text(&graph->out, NODE_OUTPUT, m == 0 ? "credence/tree_x" : "credence/tree_knowns");
        protobuf_text(&graph->out, NODE_OPERATOR, "Concat");
        onnx_export_add_attribute(graph, "axis", 1);
        protobuf_close(&graph->out, node);
    }
    reduce_rows(graph, "ReduceMax", "credence/tree_known", "credence/tree_knowns");
    return true;
}

#define STEPS(steps) steps, sizeof(steps) / sizeof *(steps)

/* Adds the trees, if the classifier has any. */
static crd_status onnx_export_add_trees(onnx_graph *graph, crd_error *error) {
    const crd_classifier *classifier = graph->classifier;
    const crd_i_scorer_joints *joints = classifier->scorer->type->joints;
    crd_i_parameter_list list = {.context = classifier->context};
    if (!graph->has_trees) return CRD_OK;
    size_t *attributes = crd_i_alloc(classifier->context, classifier->attribute_count, sizeof *attributes);
    bool done = attributes != NULL && joints->tree_parameters(classifier->scorer, &list);
    crd_status status = done ? joints->attributes(classifier->scorer, classifier, 0, attributes, error) : CRD_OK;
    if (done && status == CRD_OK)
        done = tree_add_nodes(graph, &list) && tree_add_constants(graph, &list) &&
               tree_add_columns(graph, &list, attributes);
    if (done && status == CRD_OK) {
        const size_t levels = (size_t)crd_i_parameter_list_find(&list, "levels")->numbers[0];
        level_add_steps(graph, 0, STEPS(first_steps));
        for (size_t level = 0; level + 1 < levels; level++) {
            level_add_steps(graph, level, STEPS(level_steps));
            level_join(graph, level, "rows");
            level_join(graph, level, "nodes");
            level_join(graph, level, "weights");
        }
        level_add_steps(graph, levels - 1, STEPS(last_steps));
        add_scatter(graph, "credence/tree_sums", "credence/tree_no_mean", "credence/tree_places",
                    "credence/tree_weighted");
        add_scatter(graph, "credence/tree_whole", "credence/tree_no_row", "credence/tree_part_rows",
                    "credence/tree_squares");
        level_add_steps(graph, 0, STEPS(term_steps));
        add_to_sums(graph, "credence/tree_known_terms", classifier->attribute_count + 1);
    }
    crd_free(classifier->context, attributes);
    crd_i_parameter_list_clear(&list);
    return done ? status : crd_i_fail_memory(error);
}

/* ======== 4. The exported file ======== */

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
    if (status == CRD_OK) status = onnx_export_add_trees(graph, error);
    onnx_export_add_answers(graph);
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        if (onnx_export_is_input(graph, i, CRD_TYPE_CATEGORICAL))
            onnx_export_add_value(graph, GRAPH_INPUT, classifier->attributes[i].name, TEXTS, 1);
        if (onnx_export_is_input(graph, i, CRD_TYPE_NUMERIC))
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

/* Checks that the classifier is naive Bayes or trees, without calibration, and that an attribute counts. */
static crd_status onnx_export_check(const crd_classifier *classifier, crd_error *error) {
    const crd_i_scorer *scorer = crd_i_scorer_uncorrected(classifier->scorer);
    size_t counted = 0;
    crd_status status = CRD_OK;
    const bool has_trees = scorer->type->joints != NULL && scorer->type->joints->tree_parameters != NULL;
    if ((scorer->type->joints != NULL || scorer->type->pairs != NULL) && !has_trees)
        return crd_i_export_refuse(error, "ONNX", "attributes with a joint density", "method");
    if (scorer->type->members != NULL) return crd_i_export_refuse(error, "ONNX", "an ensemble", "method");
    if (scorer != classifier->scorer) return crd_i_export_refuse(error, "ONNX", "calibration", "calibration");
    for (size_t i = 0; i < classifier->attribute_count && status == CRD_OK; i++) {
        if (!onnx_export_is_counted(classifier, i, classifier->attributes[i].type)) continue;
        counted++;
        status = onnx_export_check_attribute(&classifier->attributes[i], error);
    }
    if (status == CRD_OK && counted == 0 && !has_trees)
        status = crd_i_export_refuse(error, "ONNX", "a model that uses no attributes", "family");
    return status == CRD_OK ? crd_i_export_check_trees(scorer, "ONNX", MOST_NUMBERS, error) : status;
}

crd_status crd_i_export_onnx(const crd_i_exported *exported, crd_i_export_writer *writer, crd_error *error) {
    onnx_graph graph = {.out = {.buffer = {.context = exported->classifier->context}},
                        .classifier = exported->classifier,
                        .numbers = {.context = exported->classifier->context}};
    crd_status status = onnx_export_check(exported->classifier, error);
    if (status != CRD_OK) return status;
    graph.has_trees = exported->classifier->scorer->type->joints != NULL;
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
