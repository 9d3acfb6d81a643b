/* SPDX-License-Identifier: MIT */
/* report_json.c - writes reports in JSON: all values. Numbers have the fewest digits that read back to
 * the same bits. */
#include "core/report_renderer.h"

static void report_json_begin(rendering *state, bool on_one_line) {
    state->json = output_json(state->out);
    state->json.lines = on_one_line;
}

/* Ends the line. If the report consists of prose only, nothing was written. */
static void report_json_end(rendering *state) {
    if (state->has_values) crd_json_writer_break_line(&state->json);
}

static void write_key(crd_json_writer *j, crd_text key) {
    if (key.bytes != NULL) crd_json_writer_key(j, key);
}

static void report_json_open(rendering *state, const report_node *container) {
    state->has_values = true;
    write_key(&state->json, container->key);
    crd_json_writer_begin(&state->json, container->kind == NODE_OBJECT ? '{' : '[');
    state->json.lines += container->is_short;
}

static void report_json_close(rendering *state, const report_node *container) {
    crd_json_writer_end(&state->json, container->kind == NODE_OBJECT ? '}' : ']');
    state->json.lines -= container->is_short;
}

static void report_json_write_value(rendering *state, const report_node *value) {
    crd_json_writer *j = &state->json;
    write_key(j, value->key);
    switch (value->kind) {
    case NODE_NUMBER: crd_json_writer_number(j, value->number); break;
    case NODE_TEXT: crd_json_writer_text(j, value->text); break;
    case NODE_BOOLEAN: crd_json_writer_word(j, crd_text_of(value->boolean ? "true" : "false")); break;
    default: crd_json_writer_word(j, crd_text_of("null")); break;
    }
}

const report_renderer renderer_json = {.begin = report_json_begin,
                                       .open = report_json_open,
                                       .close = report_json_close,
                                       .value = report_json_write_value,
                                       .has_tables_as_values = true,
                                       .end = report_json_end};
