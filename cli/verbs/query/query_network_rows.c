/* SPDX-License-Identifier: MIT */
/* query_network_rows.c - posteriors for the rows of tables as cases of a network, one output line per row, in bounded
 * memory.
 *
 * Rows are read in parts. Several threads compute the posteriors of a part, and the lines are written in order. Nodes
 * that --of names are unknown: their cells are not evidence, so predictions can be compared with them. With --of all,
 * every cell is evidence. */
#include "verbs/query/query_network.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/progress.h"
#include "core/text_table.h"
#include "source/data_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A part has at most MOST_ROWS rows, and fewer if its posteriors would need more than MOST_BYTES bytes. */
enum { MOST_ROWS = 4096, MOST_BYTES = 1 << 25 };

typedef struct row_answers {
    network_question *q;
    output out;
    size_t *nodes; /* the queried nodes */
    size_t count;
    size_t numbers; /* how many numbers a row has: probabilities, means and deviations */
    size_t *known;  /* nodes whose cells are evidence */
    size_t known_count;
    crd_network_engine *engine;
    /* Buffers for one part. */
    size_t capacity;
    int32_t *states;
    double *cells; /* the values of continuous nodes */
    uint32_t *unknown;
    double *posteriors, *log_evidence;
    string lines;
    table *table;
    bool shows_each_state; /* false: the table would be too wide, so it lists the most probable state of each node */
    uint64_t rows, impossible, unknown_cells, rows_with_unknown;
} row_answers;

/* The result of one row. */
typedef struct row_answer {
    const double *posteriors;
    double log_evidence;
    bool is_possible;
} row_answer;

static bool rows_query_is_continuous(const row_answers *r, size_t node) {
    return crd_network_node_kind(r->q->network, node) == CRD_NODE_GAUSSIAN;
}

/* Returns how many numbers a row has for a node: one per state, or mean and standard deviation. */
static size_t rows_query_places(const row_answers *r, size_t node) {
    return rows_query_is_continuous(r, node) ? 2 : crd_network_state_count(r->q->network, node);
}

/* Returns the name of a number: a state, "mean" or "sd". */
static crd_text place_name(const row_answers *r, size_t node, size_t place) {
    if (!rows_query_is_continuous(r, node)) return crd_network_state(r->q->network, node, place);
    return crd_text_of(place == 0 ? "mean" : "sd");
}

/* ---- The queried nodes ---- */

/* Appends the continuous nodes, for --of all. */
static void add_continuous(row_answers *r) {
    for (size_t i = 0; i < r->q->known.node_count; i++) {
        if (!rows_query_is_continuous(r, i)) continue;
        r->nodes = memory_resize(r->nodes, r->count + 1, sizeof *r->nodes);
        r->nodes[r->count++] = i;
    }
}

/* Reads the queried nodes from --of, and determines the nodes whose cells are evidence. */
static int read_asked(row_answers *r) {
    const network_question *q = r->q;
    const network_evidence *known = &q->known;
    int ended = network_find_nodes(known, q->call, "of", &r->nodes, &r->count);
    if (ended != ENDED_WELL) return ended;
    if (r->count == 0 && arguments_have(&q->call->arguments, "of")) return message_usage("--of names no node");
    bool *left_out = memory_resize(NULL, known->node_count, sizeof *left_out);
    for (size_t i = 0; i < known->node_count; i++) {
        left_out[i] = crd_network_node_kind(q->network, i) == CRD_NODE_UTILITY || network_evidence_of(known, i) != NULL;
    }
    bool asks_all = network_names_all(known, q->call, "of");
    if (asks_all) add_continuous(r);
    for (size_t i = 0; i < r->count; i++) {
        r->numbers += rows_query_places(r, r->nodes[i]);
        if (!asks_all) left_out[r->nodes[i]] = true;
    }
    r->known = memory_resize(NULL, known->node_count, sizeof *r->known);
    for (size_t i = 0; i < known->node_count; i++) {
        if (!left_out[i]) r->known[r->known_count++] = i;
    }
    free(left_out);
    return ENDED_WELL;
}

/* Removes the evidence nodes for which the input has no column, so the inference engine need not handle them. Does
 * nothing
 * if further files, or further JSON objects, may still add columns. */
static void leave_out_absent(row_answers *r, const crd_reader *reader, size_t files) {
    size_t kept = 0;
    bool is_settled = files == 1 && crd_reader_has_header(reader) && crd_reader_format(reader) != CRD_FORMAT_JSON_LINES;
    for (size_t i = 0; is_settled && i < r->known_count; i++) {
        bool is_there = false;
        const crd_text name = r->q->known.names[r->known[i]],
                       field = crd_network_node_field(r->q->network, r->known[i]);
        for (size_t c = 0; !is_there && c < crd_reader_column_count(reader); c++) {
            const crd_text column = crd_reader_column_name(reader, c);
            is_there = crd_text_equal(column, name) || (field.length > 0 && crd_text_equal(column, field));
        }
        if (is_there) r->known[kept++] = r->known[i];
    }
    if (is_settled) r->known_count = kept;
}

/* ---- Tables ---- */

/* Adds a column name, such as "burn=stable" or "mean(dust)". */
static void add_place_name(string *target_string, const row_answers *r, size_t node, size_t place) {
    crd_text name = r->q->known.names[node], value = place_name(r, node, place);
    if (rows_query_is_continuous(r, node)) {
        string_add(target_string, value.bytes, value.length);
        string_add_char(target_string, '(');
        string_add(target_string, name.bytes, name.length);
        string_add_char(target_string, ')');
        return;
    }
    string_add(target_string, name.bytes, name.length);
    string_add_char(target_string, '=');
    string_add(target_string, value.bytes, value.length);
}

/* Begins the table. Lists only the most probable states if all numbers would not fit the terminal. */
static void rows_query_open_table(row_answers *r) {
    const output *out = &r->out;
    string all = {0}, name = {0};
    string_format(&all, "row  log_evidence");
    for (size_t i = 0; i < r->count; i++) {
        for (size_t s = 0; s < rows_query_places(r, r->nodes[i]); s++) {
            string_clear(&name);
            add_place_name(&name, r, r->nodes[i], s);
            string_format(&all, "  ");
            string_add_shown(&all, (crd_text){name.bytes, name.length});
        }
    }
    size_t width = text_width(string_text(&all), all.length);
    string_free(&all);
    r->shows_each_state = out->width == 0 || width < out->width;
    if (!r->shows_each_state) {
        message_note("only the most probable state of each node is shown: all need %zu columns, and the terminal has "
                     "%zu (--format csv lists all)",
                     width + 1, out->width);
    }
    r->table = table_create_for(out, 2 + (r->shows_each_state ? r->numbers : r->count));
    table_add(r->table, "row");
    for (size_t i = 0; i < r->count; i++) {
        if (!r->shows_each_state) table_add_name(r->table, r->q->known.names[r->nodes[i]]);
        for (size_t s = 0; r->shows_each_state && s < rows_query_places(r, r->nodes[i]); s++) {
            string_clear(&name);
            add_place_name(&name, r, r->nodes[i], s);
            table_add_name(r->table, (crd_text){name.bytes, name.length});
        }
    }
    table_add(r->table, "log_evidence");
    string_free(&name);
}

/* Adds the most probable state with its probability, such as "yes 0.98", or mean and standard deviation, such as
 * "3.1 (0.2)". Among equally probable states the first one is listed. */
static void add_most_probable(row_answers *r, size_t node, const double *posterior) {
    char buffer[CRD_NUMBER_ROOM], deviation[CRD_NUMBER_ROOM];
    size_t most = 0;
    string shown = {0};
    if (rows_query_is_continuous(r, node)) {
        table_format(r->table, "%s (%s)", crd_number_round(posterior[0], buffer),
                     crd_number_round(posterior[1], deviation));
        return;
    }
    for (size_t s = 1; s < crd_network_state_count(r->q->network, node); s++) {
        if (posterior[s] > posterior[most]) most = s;
    }
    string_add_shown(&shown, crd_network_state(r->q->network, node, most));
    table_format(r->table, "%s %s", string_text(&shown), crd_number_round(posterior[most], buffer));
    string_free(&shown);
}

/* Adds the table line of one row. */
static void add_to_table(row_answers *r, const row_answer *a) {
    enum { ROWS_LAID_OUT = 1000 }; /* after this many rows the table is laid out and written */
    char buffer[CRD_NUMBER_ROOM];
    const double *posterior = a->posteriors;
    table_format(r->table, "%llu", (unsigned long long)r->rows);
    for (size_t i = 0; i < r->count; i++) {
        size_t states = rows_query_places(r, r->nodes[i]);
        if (!r->shows_each_state && a->is_possible) add_most_probable(r, r->nodes[i], posterior);
        else if (!r->shows_each_state) table_add(r->table, "");
        for (size_t s = 0; r->shows_each_state && s < states; s++) {
            table_add(r->table, a->is_possible ? crd_number_round(posterior[s], buffer) : "");
        }
        posterior += states;
    }
    table_add(r->table, a->is_possible ? crd_number_round(a->log_evidence, buffer) : "(impossible)");
    if (r->rows % ROWS_LAID_OUT == 0) table_flush(r->table, r->out.stream);
}

/* ---- CSV and JSON ---- */

static void rows_query_open_csv(row_answers *r) {
    string name = {0};
    for (size_t i = 0; i < r->count; i++) {
        for (size_t s = 0; s < rows_query_places(r, r->nodes[i]); s++) {
            string_clear(&name);
            add_place_name(&name, r, r->nodes[i], s);
            csv_add_text(&r->lines, (crd_text){name.bytes, name.length});
            string_add_char(&r->lines, ',');
        }
    }
    string_format(&r->lines, "log_evidence\n");
    string_free(&name);
}

static void rows_query_add_csv(row_answers *r, const row_answer *a) {
    char *destination = string_reserve(&r->lines, (r->numbers + 1) * (1 + CRD_NUMBER_ROOM));
    for (size_t i = 0; i < r->numbers; i++) {
        if (a->is_possible) destination += crd_number_format(a->posteriors[i], destination);
        *destination++ = ',';
    }
    if (a->is_possible) destination += crd_number_format(a->log_evidence, destination);
    string_end_at(&r->lines, destination);
    /* Readers would skip an empty line. */
    if (!a->is_possible && r->numbers == 0) string_format(&r->lines, "\"\"");
    string_add_char(&r->lines, '\n');
}

/* Adds the JSON object of one row. */
static void rows_query_add_json(row_answers *r, const row_answer *a) {
    crd_json_writer line = string_json(&r->lines), *j = &line;
    const double *posterior = a->posteriors;
    crd_json_writer_begin(j, '{');
    crd_json_writer_member_begin(j, "posterior", '{');
    for (size_t i = 0; i < r->count; i++) {
        size_t states = rows_query_places(r, r->nodes[i]);
        crd_json_writer_key(j, r->q->known.names[r->nodes[i]]);
        crd_json_writer_begin(j, '{');
        for (size_t s = 0; s < states; s++) {
            crd_json_writer_key(j, place_name(r, r->nodes[i], s));
            crd_json_writer_number(j, a->is_possible ? posterior[s] : NAN);
        }
        crd_json_writer_end(j, '}');
        posterior += states;
    }
    crd_json_writer_end(j, '}');
    crd_json_writer_member_number(j, "log_evidence", a->log_evidence);
    crd_json_writer_end(j, '}');
    crd_json_writer_break_line(j);
}

static void write_lines(row_answers *r) {
    output_write(&r->out, r->lines.bytes, r->lines.length);
    string_clear(&r->lines);
}

/* ---- Computation ---- */

/* Allocates the buffers for a part. */
static void rows_query_make_room(row_answers *r) {
    size_t nodes = r->q->known.node_count;
    size_t bytes =
        (r->numbers + 1) * sizeof *r->posteriors + nodes * (sizeof *r->states + sizeof *r->cells) + sizeof *r->unknown;
    r->capacity = MOST_BYTES / bytes < MOST_ROWS ? MOST_BYTES / bytes : MOST_ROWS;
    if (r->capacity == 0) r->capacity = 1;
    r->states = memory_resize(NULL, r->capacity * nodes, sizeof *r->states);
    r->cells = memory_resize(NULL, r->capacity * nodes, sizeof *r->cells);
    r->unknown = memory_resize(NULL, r->capacity, sizeof *r->unknown);
    r->posteriors = memory_resize(NULL, r->capacity * r->numbers, sizeof *r->posteriors);
    r->log_evidence = memory_resize(NULL, r->capacity, sizeof *r->log_evidence);
}

/* Counts the result of a row and adds it to the output. */
static void take_answer(row_answers *r, size_t row) {
    row_answer a = {.posteriors = r->posteriors + row * r->numbers, .log_evidence = r->log_evidence[row]};
    a.is_possible = isfinite(a.log_evidence) != 0;
    r->rows++;
    r->impossible += !a.is_possible;
    r->unknown_cells += r->unknown[row];
    r->rows_with_unknown += r->unknown[row] > 0;
    if (r->table != NULL) add_to_table(r, &a);
    else if (r->out.format == FORMAT_CSV) rows_query_add_csv(r, &a);
    else rows_query_add_json(r, &a);
}

/* Adds a place to an error about a missing decision: the first row of the part that has no state of that node. */
static void rows_query_place_error(const row_answers *r, const crd_reader *reader, size_t begin, size_t rows,
                                   crd_error *error) {
    size_t node = crd_network_find(r->q->network, crd_text_of(error->subject));
    if (error->status != CRD_ERROR_COLUMN || node == SIZE_MAX) return;
    for (size_t row = 0; row < rows; row++) {
        if (r->states[row * r->q->known.node_count + node] >= 0) continue;
        error->line = crd_reader_line(reader, begin + row);
        snprintf(error->place, sizeof error->place, "%s", crd_reader_place(reader));
        return;
    }
}

/* Replaces variances by standard deviations. */
static void take_deviations(const row_answers *r, double *numbers) {
    for (size_t i = 0; i < r->count; i++) {
        if (rows_query_is_continuous(r, r->nodes[i])) numbers[1] = sqrt(numbers[1]);
        numbers += rows_query_places(r, r->nodes[i]);
    }
}

/* Computes the posteriors of a part of the rows and writes its lines. */
static int rows_query_answer_part(row_answers *r, const crd_reader *reader, const crd_frame *frame, size_t begin,
                                  size_t rows) {
    crd_error error;
    crd_network_states(r->q->network, frame, begin, rows, r->states, r->unknown);
    crd_network_numbers(r->q->network, frame, begin, rows, r->cells);
    if (crd_network_engine_posteriors(r->engine, r->states, r->cells, rows, r->posteriors, r->log_evidence, &error) !=
        CRD_OK) {
        rows_query_place_error(r, reader, begin, rows, &error);
        return inference_failed(r->q->call, &error, NULL);
    }
    for (size_t row = 0; row < rows; row++) {
        take_deviations(r, r->posteriors + row * r->numbers);
        take_answer(r, row);
    }
    write_lines(r);
    return ENDED_WELL;
}

/* Reads all rows and writes their lines. */
static int answer_rows(row_answers *r, crd_reader *reader) {
    crd_error error;
    int ended = ENDED_WELL;
    rows_query_make_room(r);
    while (ended == ENDED_WELL && !output_broken(&r->out)) {
        const crd_frame *frame = NULL;
        if (crd_reader_next(reader, &frame, &error) != CRD_OK) return message_error(&error);
        if (frame == NULL) break;
        size_t rows = crd_frame_rows(frame);
        for (size_t begin = 0; begin < rows && ended == ENDED_WELL && !output_broken(&r->out); begin += r->capacity) {
            ended = rows_query_answer_part(r, reader, frame, begin,
                                           rows - begin < r->capacity ? rows - begin : r->capacity);
        }
    }
    return ended;
}

/* ---- The run ---- */

/* Opens the output, and writes the header of a table or CSV file. */
static int open_answers(row_answers *r) {
    network_question *q = r->q;
    int ended = output_open(q->call, &r->out);
    if (ended != ENDED_WELL) return ended;
    if (r->out.to_terminal) progress_forbid();
    ended = output_choose_format(q->call, &r->out, FORMATS, r->out.to_terminal ? FORMAT_TABLE : FORMAT_CSV);
    if (ended != ENDED_WELL) return ended;
    switch (r->out.format) {
    case FORMAT_TABLE:
    case FORMAT_HTML:
    case FORMAT_MARKDOWN: rows_query_open_table(r); break;
    case FORMAT_CSV: rows_query_open_csv(r); break;
    case FORMAT_JSON: break;
    }
    return ENDED_WELL;
}

/* Writes the remaining lines, and notes about unknown values and impossible rows. */
static void close_answers(row_answers *r, int ended) {
    char buffer[ROWS_ROOM];
    if (r->out.stream != NULL) write_lines(r); /* the header line, if there were no rows */
    if (r->table != NULL && ended == ENDED_WELL) table_flush(r->table, r->out.stream);
    if (ended != ENDED_WELL) return;
    if (r->unknown_cells > 0) {
        message_note("ignored %llu value%s not among the states of the network, in %s",
                     (unsigned long long)r->unknown_cells, r->unknown_cells == 1 ? "" : "s",
                     output_rows(r->rows_with_unknown, buffer));
    }
    if (r->impossible > 0) {
        message_warning("%s without a result: the evidence has probability zero in the network",
                        output_rows(r->impossible, buffer));
    }
}

static void row_answers_free(row_answers *r) {
    crd_network_engine_destroy(r->engine);
    table_destroy(r->table);
    string_free(&r->lines);
    free(r->nodes);
    free(r->known);
    free(r->states);
    free(r->cells);
    free(r->unknown);
    free(r->posteriors);
    free(r->log_evidence);
}

/* Binds the columns of the input to the nodes, and creates the inference engine. */
static int make_asker(row_answers *r, crd_reader *reader, size_t files) {
    const network_question *q = r->q;
    const crd_network_query query = network_question_query(q, r->nodes, r->count);
    crd_error error;
    size_t *columns = memory_resize(NULL, r->known_count, sizeof *columns), count = r->known_count;
    if (count > 0) memcpy(columns, r->known, count * sizeof *columns);
    leave_out_absent(r, reader, files);
    int ended =
        crd_network_bind(q->network, columns, count, reader, &error) == CRD_OK ? ENDED_WELL : message_error(&error);
    free(columns);
    if (ended == ENDED_WELL &&
        crd_network_engine_create(q->network, &query, r->known, r->known_count, &r->engine, &error) != CRD_OK)
        ended = inference_failed(q->call, &error, NULL);
    return ended;
}

int network_rows_answer(network_question *q) {
    const char *const *files = q->call->arguments.operands + 1;
    size_t count = q->call->arguments.operand_count - 1;
    row_answers r = {.q = q};
    data d = {0};
    int ended = read_asked(&r);
    if (ended == ENDED_WELL) ended = data_open(q->call, files, count, false, &d);
    if (ended == ENDED_WELL) ended = make_asker(&r, d.reader, count);
    if (ended == ENDED_WELL) ended = open_answers(&r);
    if (ended == ENDED_WELL) ended = answer_rows(&r, d.reader);
    close_answers(&r, ended);
    ended = output_close(&r.out, ended);
    data_close(&d);
    row_answers_free(&r);
    return ended;
}
