/* SPDX-License-Identifier: MIT */
/* format_detection.c - detects the format that all cells of a column have. See reader_internal.h and column_format.h.
 *
 * The first rows decide nearly every column: it contains plain numbers, or texts without a format. If a column may
 * have a format, or has no cell in the first rows, all rows are scanned before the first frame. The reader must then
 * know into how many columns a date is split. If a column of plain numbers contains another cell later, the reader
 * begins again and scans the column. The same happens to truth values that are spelled differently later
 * (section 3). If some column may prove that the file has decimal commas, all cells of plain numbers such as
 * 1.234 and 999 are scanned too. Therefore a format depends only on the multiset of rows.
 *
 * Contents:
 *   1. Format detection
 *   2. Derived columns
 *   3. Truth values */
#include "base/memory.h"
#include "base/text.h"
#include "processes/group.h"
#include "table/read/reader_internal.h"
#include "table/values/column_format.h"

#include <string.h>

/* ======== 1. Format detection ======== */

enum { LOOK_BYTES = 128 * 1024 };

static const char OTHER_COLUMNS[] = "the processes read files with different columns";

/* Evidence for the decimal mark of a file, from the cells of a column with decimal commas. */
typedef struct mark_evidence {
    double scale;
    uint64_t points, commas, doubtful; /* cells that are numbers only with a point, only with a comma, or with either */
    double by_point, by_comma;         /* distances of doubtful cells from the scale */
} mark_evidence;

/* Evidence for each column, and whether the column is to be inspected. */
typedef struct detection {
    crd_i_column_format_evidence *evidence;
    bool *is_wanted;
    bool *is_grouping; /* inspect only while the column may contain plain numbers with digit groups */
    char point;        /* decimal mark given by the caller, or '\0' */
    bool takes_all;    /* inspect also cells that cannot change the format */
    /* For one column: the evidence without cells that fit none of the formats of earlier cells; NULL: not needed. */
    crd_i_column_format_evidence *likely;
    mark_evidence *marks; /* one per column if only decimal marks are wanted, otherwise NULL */
    bool first_only;      /* inspect the first row only */
} detection;

static void format_detection_clear(crd_context *context, detection *d) {
    crd_free(context, d->evidence);
    crd_free(context, d->is_wanted);
    crd_free(context, d->is_grouping);
}

static bool format_detection_create(const crd_reader *reader, detection *d) {
    d->evidence = crd_i_alloc_zeroed(reader->context, reader->column_count, sizeof *d->evidence);
    d->is_wanted = crd_i_alloc_zeroed(reader->context, reader->column_count, sizeof *d->is_wanted);
    d->is_grouping = crd_i_alloc_zeroed(reader->context, reader->column_count, sizeof *d->is_grouping);
    d->point = reader->options.decimal == ',' ? ',' : '\0';
    d->takes_all = false;
    d->likely = NULL;
    d->marks = NULL;
    d->first_only = false;
    return d->evidence != NULL && d->is_wanted != NULL && d->is_grouping != NULL;
}

static bool is_any_wanted(const crd_reader *reader, const detection *d) {
    size_t i = 0;
    while (i < reader->column_count && !d->is_wanted[i]) i++;
    return i < reader->column_count;
}

/* ---- Cells ---- */

static size_t format_detection_field(const crd_worker *worker, size_t column) {
    return worker->entry->fields != NULL ? worker->entry->fields[column] : worker->reader->columns[column].field;
}

static void add_mark(mark_evidence *evidence, crd_text text) {
    const crd_i_amount by_point = crd_i_amount_parse(text, '.'), by_comma = crd_i_amount_parse(text, ',');
    const bool is_point = by_point.class == CRD_NUMBER_FINITE, is_comma = by_comma.class == CRD_NUMBER_FINITE;
    if (is_point != is_comma) {
        evidence->points += is_point;
        evidence->commas += is_comma;
        return;
    }
    if (!is_point || by_point.number == by_comma.number) return;
    const double unit = by_point.is_percent ? 0.01 : 1;
    evidence->doubtful++;
    if (!(evidence->scale > 0)) return;
    evidence->by_point += crd_i_column_format_distance(by_point.number * unit, evidence->scale);
    evidence->by_comma += crd_i_column_format_distance(by_comma.number * unit, evidence->scale);
}

static void format_detection_add_text(const detection *d, size_t column, crd_text text, bool is_text) {
    if (d->marks != NULL) {
        add_mark(&d->marks[column], text);
        return;
    }
    crd_i_column_format_evidence_add(&d->evidence[column], text, d->point, is_text);
    if (d->likely == NULL) return;
    crd_i_column_format_evidence format = *d->likely;
    crd_i_column_format_evidence_add(&format, text, d->point, is_text);
    if (format.fits != 0) *d->likely = format;
}

static void format_detection_add_cell(const crd_worker *worker, crd_i_cell cell, const detection *d, size_t column) {
    if (crd_i_worker_is_missing(worker, cell)) return;
    format_detection_add_text(d, column, crd_i_worker_cell_text(worker, cell), cell.form == CRD_I_CELL_TEXT);
}

/* Adds the cells of one column of the current rows to the evidence. */
static void format_detection_add_column(const crd_worker *worker, const detection *d, size_t column) {
    size_t field = format_detection_field(worker, column);
    if (field == SIZE_MAX) return;
    for (size_t row = 0; row < (d->first_only && worker->rows > 0 ? 1 : worker->rows); row++) {
        if (!d->takes_all && !crd_i_column_format_evidence_is_open(&d->evidence[column])) return;
        if (!worker->is_fast) {
            format_detection_add_cell(worker, crd_i_worker_cell(worker, row, field), d, column);
            continue;
        }
        bool quoted;
        if (crd_i_worker_leaves_row(worker, row)) continue;
        crd_text text = crd_i_fast_parse_cell(&worker->fast, row, field, &quoted);
        if (!crd_i_missing_has(&worker->reader->missing, text, quoted))
            format_detection_add_text(d, column, text, false);
    }
}

/* Adds the cells of sparse rows to the evidence. Each cell is read once. */
static crd_status format_detection_add_sparse(const crd_worker *worker, const detection *d, crd_error *error) {
    size_t width = worker->entry->header.width;
    size_t *columns = crd_i_alloc(worker->reader->context, width, sizeof *columns);
    if (columns == NULL) return crd_i_fail_memory(error);
    for (size_t field = 0; field < width; field++) columns[field] = SIZE_MAX;
    for (size_t i = 0; i < worker->reader->column_count; i++)
        if (d->is_wanted[i] && format_detection_field(worker, i) != SIZE_MAX)
            columns[format_detection_field(worker, i)] = i;
    for (size_t i = 0; i < worker->sparse.count; i++) {
        size_t column = columns[worker->sparse.cells[i].field];
        if (column != SIZE_MAX) format_detection_add_cell(worker, worker->sparse.cells[i].cell, d, column);
    }
    crd_free(worker->reader->context, columns);
    return CRD_OK;
}

/* Adds the worker's chunk up to its first fault, which is reported when its rows are read. */
static crd_status add_chunk(crd_worker *worker, const detection *d, crd_error *error) {
    crd_status status = CRD_OK;
    crd_i_worker_begin_look(worker);
    while (status == CRD_OK && crd_i_worker_look(worker)) {
        if (!crd_i_worker_mark_unlabeled(worker)) return crd_i_fail_memory(error);
        if (worker->is_sparse) status = format_detection_add_sparse(worker, d, error);
        for (size_t i = 0; !worker->is_sparse && i < worker->reader->column_count; i++)
            if (d->is_wanted[i]) format_detection_add_column(worker, d, i);
        if (d->first_only && worker->rows > 0) break;
    }
    if (worker->fault.status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
    return status;
}

/* ---- Rows ---- */

static bool has_whole_row(const crd_i_slow_parse *slow) {
    return crd_i_cut(slow, (const char *)slow->bytes + slow->next, slow->end - slow->next) > 0;
}

/* Reads the bytes of the first rows: at least one row, unless it is too long. If the caller cannot wait, reads only
 * one. */
static crd_status peek_rows(crd_reader *reader, crd_error *error) {
    crd_i_slow_parse *slow = &reader->position.records;
    const bool is_prompt = reader->options.prompt != 0;
    const size_t most = is_prompt ? LOOK_BYTES : slow->max_record;
    crd_status status = CRD_OK;
    if (!is_prompt) status = crd_i_slow_parse_peek(slow, slow->next - slow->kept + LOOK_BYTES, error);
    while (status == CRD_OK && !slow->at_end && slow->end - slow->next < most && !has_whole_row(slow)) {
        const size_t held = slow->end - slow->kept;
        status = crd_i_slow_parse_peek(slow, is_prompt ? held + 1 : 2 * held, error);
    }
    return status;
}

/* Inspects the first rows, which stay to be read; *is_all: there are no other rows. */
static crd_status format_detection_look(crd_reader *reader, const detection *d, bool *is_all, crd_error *error) {
    crd_i_slow_parse *slow = &reader->position.records;
    crd_status status = peek_rows(reader, error);
    if (status != CRD_OK) return status;
    size_t held = slow->end - slow->next;
    size_t length = slow->at_end ? held : crd_i_cut(slow, (const char *)slow->bytes + slow->next, held);
    *is_all = slow->at_end && reader->input_count == 1;
    crd_worker *worker = crd_i_worker_create_bare(reader);
    if (worker == NULL || !crd_i_reserve(reader->context, &worker->records.bytes, &worker->records.capacity,
                                         length + CRD_I_FAST_PARSE_PADDING, 1)) {
        crd_i_worker_destroy(worker);
        return crd_i_fail_memory(error);
    }
    if (length > 0) memcpy(worker->records.bytes, slow->bytes + slow->next, length);
    memset(worker->records.bytes + length, 0, CRD_I_FAST_PARSE_PADDING);
    worker->entry = reader->position.entry;
    worker->entry->users++;
    crd_i_slow_parse_begin_held(&worker->records, length, slow);
    status = add_chunk(worker, d, error);
    crd_i_worker_destroy(worker);
    return status;
}

/* Stops inspecting columns that further cells cannot change. */
static void drop_settled(const crd_reader *reader, const detection *d) {
    for (size_t i = 0; i < reader->column_count; i++) {
        const crd_i_column_format_evidence *evidence = &d->evidence[i];
        bool is_decided = d->is_grouping[i] && crd_i_column_format_evidence_is_plain(evidence) &&
                          !crd_i_column_format_evidence_may_be_grouped(evidence);
        d->is_wanted[i] = d->is_wanted[i] && crd_i_column_format_evidence_is_open(evidence) && !is_decided;
    }
}

/* The evidence of this process, which is combined with that of the others. Each has scanned its own rows. */
typedef struct shared_evidence {
    crd_i_column_format_evidence *columns;
    size_t count;
} shared_evidence;

static crd_status shared_evidence_encode(void *object, crd_i_encoder *encoder, crd_error *error) {
    const shared_evidence *evidence = object;
    (void)error;
    crd_i_encode_bytes(encoder, evidence->columns, evidence->count * sizeof *evidence->columns);
    return CRD_OK;
}

static crd_status shared_evidence_add(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    const shared_evidence *evidence = object;
    if (crd_i_cursor_left(part) != evidence->count * sizeof *evidence->columns)
        return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "%s", OTHER_COLUMNS);
    for (size_t i = 0; i < evidence->count; i++) {
        crd_i_column_format_evidence other;
        crd_i_decode_bytes(part, &other, sizeof other);
        if (rank == 0) evidence->columns[i] = other;
        else crd_i_column_format_evidence_combine(&evidence->columns[i], &other);
    }
    return CRD_OK;
}

/* Scans the rows of this process. The current file must have been entered and its entry completed. Errors are reported when the rows
 * are read. */
static crd_status format_detection_scan_own(crd_reader *reader, const detection *d, crd_error *error) {
    crd_worker *worker = crd_i_worker_create_bare(reader);
    if (worker == NULL) return crd_i_fail_memory(error);
    crd_i_sequencer_begin(&reader->sequencer);
    crd_error fault = {.status = CRD_OK};
    crd_status status = CRD_OK;
    for (bool is_found = true; status == CRD_OK && is_any_wanted(reader, d);) {
        status = crd_i_chunk_take(worker, &is_found, &fault);
        if (status != CRD_OK || !is_found) break;
        status = add_chunk(worker, d, &fault);
        crd_i_sequencer_settle(&reader->sequencer, &worker->place, 0);
        crd_i_sequencer_leave(&reader->sequencer, &worker->place);
        worker->has_chunk = false;
        drop_settled(reader, d);
    }
    crd_i_worker_destroy(worker);
    if (status != CRD_ERROR_MEMORY && !crd_i_is_cancelled(status)) return CRD_OK;
    if (error != NULL) *error = fault;
    return status;
}

/* Scans all rows, those of other processes too. */
static crd_status format_detection_scan(crd_reader *reader, const detection *d, crd_error *error) {
    static const crd_i_merging combining = {shared_evidence_encode, shared_evidence_add};
    shared_evidence evidence = {d->evidence, reader->column_count};
    crd_i_group *group = crd_i_reader_group(reader);
    const crd_status status = format_detection_scan_own(reader, d, error);
    return status == CRD_OK ? crd_i_group_merge(group, &combining, &evidence, error)
                            : crd_i_group_fail(group, status, error);
}

/* ---- Formats ---- */

/* Returns the decimal mark of the file; *is_by_fraction: only plain numbers show it. */
static char find_convention(const crd_reader *reader, const detection *d, bool *is_by_fraction) {
    crd_i_column_format_marks marks = {false, false, false};
    for (size_t i = 0; i < reader->column_count; i++) crd_i_column_format_marks_add(&marks, &d->evidence[i]);
    *is_by_fraction = marks.has_fraction && !marks.has_point;
    return crd_i_column_format_marks_convention(&marks);
}

/* Returns whether a column that still consists of plain numbers has a fraction. */
static bool has_fraction(const crd_reader *reader) {
    crd_i_column_format_marks marks = {false, false, false};
    for (size_t i = 0; i < reader->column_count; i++)
        if (reader->columns[i].type == CRD_TYPE_NUMERIC && crd_i_column_format_is_plain(reader->columns[i].format))
            crd_i_column_format_marks_add(&marks, &reader->columns[i].shown);
    return marks.has_fraction;
}

static void warn_of_doubt(const crd_reader *reader, size_t column, crd_i_column_format_doubt doubt) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_text name = reader->columns[column].name;
    crd_i_quote(name, shown);
    if (doubt == CRD_I_DOUBT_DECIMAL)
        crd_i_context_log(reader->context, CRD_LOG_WARNING, CRD_LOG_DECIMAL_DOUBTFUL, name,
                          "the numbers of '%s' can have a decimal point or a decimal comma (1,234 is 1234 or 1.234): "
                          "the column is treated as a category",
                          shown);
    else
        crd_i_context_log(
            reader->context, CRD_LOG_WARNING, CRD_LOG_DAY_DOUBTFUL, name,
            "the dates of '%s' can have the day or the month first (01/02/2024): the column is treated as a category",
            shown);
}

/* Returns whether a file looks as if it came from a country with decimal commas: it has semicolons, or dates that
 * start with the day. */
static bool may_have_commas(const crd_reader *reader, const detection *d) {
    if (crd_reader_separator(reader) == CRD_SEPARATOR_SEMICOLON) return true;
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_column_format_doubt doubt;
        if (crd_i_column_format_evidence_find(&d->evidence[i], &doubt).reading == CRD_I_READING_DMY) return true;
    }
    return false;
}

/* Warns about plain numbers such as 1.062 and 999, which may be thousands: every point has three digits after it. */
static void warn_of_groups(const crd_reader *reader, const detection *d) {
    enum { LEAST_CELLS = 3 };
    const bool is_likely = may_have_commas(reader, d);
    for (size_t i = 0; i < reader->column_count; i++) {
        const crd_i_column_format_evidence *evidence = &d->evidence[i];
        char shown[CRD_I_QUOTED_ROOM];
        if (!d->is_wanted[i] || i == reader->target || evidence->cells < LEAST_CELLS) continue;
        if (!crd_i_column_format_evidence_may_be_grouped(evidence) || !evidence->decimals_differ) continue;
        if (!is_likely && !evidence->has_hundreds) continue;
        crd_i_context_log(reader->context, CRD_LOG_WARNING, CRD_LOG_DECIMAL_DOUBTFUL, reader->columns[i].name,
                          "the numbers of '%s' are read with a decimal point, but may be thousands: every point is "
                          "followed by three digits (1.234 is 1.234 or 1234)",
                          crd_i_quote(reader->columns[i].name, shown));
    }
}

/* Fails because the model has no value of a column yet, and the new rows do not determine the column's format. */
static crd_status fail_new(const crd_reader *reader, size_t column, const char *values, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    const crd_text name = reader->columns[column].name;
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "column '%s' had no values when the model was trained, and now has %s",
               crd_i_quote(name, shown), values);
    crd_i_error_hint(error, "train a model on all rows at once");
    crd_i_reader_place_error(reader, error);
    crd_i_error_subject(error, name);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

/* Returns whether a column has decimal commas, by its format or by the inspected values. */
static bool has_comma(const crd_i_reader_column *column, const crd_i_column_format_evidence *evidence) {
    crd_i_column_format_doubt doubt;
    const unsigned found = crd_i_column_format_evidence_find(evidence, &doubt).reading, known = column->format.reading;
    return known == CRD_I_READING_COMMA || known == CRD_I_READING_PERCENT_COMMA || found == CRD_I_READING_COMMA ||
           found == CRD_I_READING_PERCENT_COMMA;
}

/* Checks the format of a column that is new to the model. Rows learned earlier may have shown a decimal mark, which
 * the model does not store. */
static crd_status check_new(const crd_reader *reader, const detection *d, size_t i, crd_i_column_format format,
                            crd_error *error) {
    const crd_i_column_format_evidence *evidence = &d->evidence[i];
    crd_i_column_format_doubt doubt;
    bool may_be_comma = false;
    (void)crd_i_column_format_evidence_find(evidence, &doubt);
    for (size_t j = 0; j < reader->column_count; j++)
        may_be_comma = may_be_comma || has_comma(&reader->columns[j], &d->evidence[j]);
    const bool is_grouped = crd_i_column_format_evidence_may_be_grouped(evidence) && evidence->decimals_differ;
    if (doubt == CRD_I_DOUBT_DAY)
        return fail_new(reader, i, "dates that can have the day or the month first (01/02/2024)", error);
    if (d->point == '\0' && (doubt == CRD_I_DOUBT_DECIMAL || (may_be_comma && is_grouped)))
        return fail_new(reader, i, "numbers that can have a decimal point or a decimal comma (1,234)", error);
    if (format.part >= CRD_I_PART_COUNT)
        return fail_new(reader, i, "dates, which become several columns: year, month and so on", error);
    return CRD_OK;
}

static crd_status settle_column(crd_reader *reader, const detection *d, size_t i, char convention, bool with_parts,
                                crd_error *error) {
    crd_i_reader_column *column = &reader->columns[i];
    crd_i_column_format_doubt doubt;
    crd_i_column_format format = crd_i_column_format_evidence_decide(&d->evidence[i], convention, &doubt);
    if (column->is_new) {
        const crd_status status = check_new(reader, d, i, format, error);
        if (status != CRD_OK) return status;
    }
    if (doubt != CRD_I_DOUBT_NONE && !column->is_fixed) warn_of_doubt(reader, i, doubt);
    column->is_settled = true;
    if (crd_i_column_format_is_plain(format) || (format.part >= CRD_I_PART_COUNT && !with_parts)) return CRD_OK;
    if (column->is_fixed && crd_i_column_format_type(format) != column->type) return CRD_OK;
    column->format = format;
    column->type = crd_i_column_format_type(format);
    column->is_fixed = true;
    return CRD_OK;
}

static void format_detection_want_columns(const crd_reader *reader, const detection *d) {
    for (size_t i = 0; i < reader->column_count; i++) {
        const crd_i_reader_column *column = &reader->columns[i];
        bool is_open =
            reader->binding.is_bound ? column->is_new && !column->is_fixed : !column->is_fixed || i == reader->target;
        /* A later file may have a column of the model that the first file lacks. */
        bool is_there = column->field != SIZE_MAX || (reader->binding.is_bound && reader->input_count > 1);
        d->is_wanted[i] = is_open && !column->is_ignored && i != reader->weight && is_there &&
                          crd_i_column_format_is_plain(column->format) && column->declared == NULL;
    }
}

/* Returns whether all rows must be inspected for some columns, and marks these as wanted. Called after the first
 * rows. */
static bool want_all_rows(const crd_reader *reader, const detection *d) {
    bool may_prove_comma = false;
    for (size_t i = 0; i < reader->column_count; i++) {
        const crd_i_column_format_evidence *evidence = &d->evidence[i];
        crd_i_column_format_doubt doubt;
        bool has_format = !crd_i_column_format_is_plain(crd_i_column_format_evidence_find(evidence, &doubt)) ||
                          doubt != CRD_I_DOUBT_NONE;
        d->is_grouping[i] = d->is_wanted[i] && crd_i_column_format_evidence_may_be_grouped(evidence);
        d->is_wanted[i] = d->is_wanted[i] && (evidence->cells == 0 || has_format);
        may_prove_comma =
            may_prove_comma || (d->is_wanted[i] && crd_i_column_format_evidence_may_prove_comma(evidence));
    }
    for (size_t i = 0; i < reader->column_count; i++) {
        d->is_wanted[i] = d->is_wanted[i] || (may_prove_comma && d->is_grouping[i]);
        /* A part may lack the first rows of the table, so keep the evidence they gave. */
        if (d->is_wanted[i] && !crd_i_reader_is_part(reader)) memset(&d->evidence[i], 0, sizeof d->evidence[i]);
    }
    return is_any_wanted(reader, d);
}

/* Scans all rows and returns to the first. */
static crd_status scan_all(crd_reader *reader, const detection *d, crd_error *error) {
    crd_status status = crd_i_entry_settle(reader, error);
    status = status == CRD_OK ? format_detection_scan(reader, d, error)
                              : crd_i_group_fail(crd_i_reader_group(reader), status, error);
    if (status != CRD_OK) return status;
    reader->position.is_drained = false;
    reader->position.bytes_before = reader->position.bytes_passed = 0;
    status = crd_i_reader_enter(reader, 0, error);
    return status == CRD_OK ? crd_i_reader_meet(reader, error) : status;
}

/* Scans all rows if only plain numbers of other columns show the decimal mark of doubtful cells such as 1,234. All
 * cells of these columns must be numbers. */
static crd_status check_fractions(crd_reader *reader, const detection *d, crd_error *error) {
    bool is_by_fraction, is_any_in_doubt = false;
    if (d->point != '\0' || find_convention(reader, d, &is_by_fraction) == '\0' || !is_by_fraction) return CRD_OK;
    for (size_t i = 0; i < reader->column_count; i++) {
        const crd_i_column_format_evidence *evidence = &d->evidence[i];
        crd_i_column_format_doubt doubt;
        (void)crd_i_column_format_evidence_find(evidence, &doubt);
        is_any_in_doubt = is_any_in_doubt || doubt == CRD_I_DOUBT_DECIMAL;
        d->is_wanted[i] = crd_i_column_format_evidence_is_plain(evidence) && evidence->has_mark;
        d->is_grouping[i] = false;
    }
    return is_any_in_doubt ? scan_all(reader, d, error) : CRD_OK;
}

static crd_status detect_formats(crd_reader *reader, const detection *d, bool with_parts, crd_error *error) {
    bool is_all = false, can_reread = crd_i_reader_can_reread(reader);
    format_detection_want_columns(reader, d);
    for (size_t i = 0; i < reader->column_count; i++) reader->columns[i].is_open = d->is_wanted[i];
    crd_status status = format_detection_look(reader, d, &is_all, error);
    if (status == CRD_OK && !is_all && can_reread && want_all_rows(reader, d)) status = scan_all(reader, d, error);
    if (status != CRD_OK) return status;
    if (!is_all && can_reread) status = check_fractions(reader, d, error);
    if (status != CRD_OK) return status;
    char convention = d->point;
    if (convention == '\0') convention = find_convention(reader, d, &reader->inspection.is_mark_by_fraction);
    reader->inspection.decimal_mark = convention;
    format_detection_want_columns(reader, d);
    if (convention == '\0') warn_of_groups(reader, d);
    for (size_t i = 0; status == CRD_OK && i < reader->column_count; i++) {
        reader->columns[i].shown = d->evidence[i];
        bool is_number =
            crd_i_column_format_evidence_is_plain(&d->evidence[i]) &&
            crd_i_column_format_is_plain(crd_i_column_format_evidence_resolve(&d->evidence[i], convention));
        if (!d->is_wanted[i]) reader->columns[i].is_settled = true;
        else if (!is_number || is_all || !can_reread)
            status = settle_column(reader, d, i, convention, with_parts, error);
        else reader->columns[i].is_settled = false;
    }
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < reader->column_count; i++)
        if (d->is_wanted[i] && crd_i_column_format_evidence_may_prove_comma(&d->evidence[i]))
            reader->inspection.may_prove_comma = true;
    reader->inspection.finds_formats = true;
    return CRD_OK;
}

/* Sets the format of dates and times in memory from their type. false: the column has another content. */
static bool take_typed_format(crd_reader *reader, size_t i, bool with_parts) {
    crd_i_reader_column *column = &reader->columns[i];
    crd_i_column_format format = {CRD_I_READING_ISO, CRD_I_PARTS_DATE};
    switch (crd_i_batches_content(reader, column->field)) {
    case CRD_I_CELLS_DATES: break;
    case CRD_I_CELLS_MOMENTS: format.part = CRD_I_PARTS_DATETIME; break;
    case CRD_I_CELLS_TIMES: format = (crd_i_column_format){CRD_I_READING_TIME, CRD_I_PART_WHOLE}; break;
    default: return false;
    }
    if (i == reader->target || (format.part >= CRD_I_PART_COUNT && !with_parts)) return true;
    column->format = format;
    column->type = crd_i_column_format_type(format);
    column->is_fixed = column->is_settled = true;
    return true;
}

/* Finds the formats of rows in columns, from their texts if they can be read again, and from date types. */
static crd_status detect_formats_of_columns(crd_reader *reader, const detection *d, bool with_parts, crd_error *error) {
    format_detection_want_columns(reader, d);
    for (size_t i = 0; i < reader->column_count; i++) {
        if (i == reader->target) d->is_wanted[i] = false; /* labels keep their spelling */
        if (!d->is_wanted[i]) continue;
        d->is_wanted[i] = !take_typed_format(reader, i, with_parts) &&
                          crd_i_batches_content(reader, reader->columns[i].field) == CRD_I_CELLS_TEXTS;
    }
    if (!is_any_wanted(reader, d) || !crd_i_reader_can_reread(reader)) return CRD_OK;
    for (size_t i = 0; i < reader->column_count; i++) reader->columns[i].is_open = d->is_wanted[i];
    crd_status status = crd_i_batches_look(reader, d->is_wanted, d->evidence, error);
    for (size_t i = 0; i < reader->column_count; i++) reader->columns[i].shown = d->evidence[i];
    for (size_t i = 0; status == CRD_OK && i < reader->column_count; i++)
        if (d->is_wanted[i]) status = settle_column(reader, d, i, '\0', with_parts, error);
    return status;
}

bool crd_i_reader_detects_formats(const crd_reader *reader) {
    return reader->batches.source != NULL ? reader->options.like_file != 0
                                          : reader->position.entry->header.declared == NULL;
}

bool crd_i_reader_is_typed(const crd_reader *reader) {
    return reader->batches.source != NULL;
}

static crd_status detect_all_formats(crd_reader *reader, bool with_parts, crd_error *error) {
    detection d;
    crd_status status = format_detection_create(reader, &d) ? CRD_OK : crd_i_fail_memory(error);
    if (status == CRD_OK)
        status = reader->batches.source != NULL ? detect_formats_of_columns(reader, &d, with_parts, error)
                                                : detect_formats(reader, &d, with_parts, error);
    format_detection_clear(reader->context, &d);
    return status;
}

crd_status crd_reader_detect_column_formats(crd_reader *reader, int with_parts, crd_error *error) {
    if (reader->has_begun) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the reader has already started");
    if (reader->binding.has_schema || !crd_i_reader_detects_formats(reader)) return CRD_OK;
    reader->inspection.is_explicit = true;
    reader->inspection.splits_dates = with_parts != 0;
    return detect_all_formats(reader, with_parts != 0, error);
}

/* ---- Files for a model with decimal commas ---- */

static void warn_of_mark(crd_reader *reader, const detection *d, bool is_point) {
    crd_i_input *input = &reader->inputs[reader->position.current];
    char shown[CRD_I_QUOTED_ROOM];
    size_t i = 0;
    while (d->marks[i].doubtful == 0) i++;
    if (input->warned_of_mark) return;
    input->warned_of_mark = true;
    crd_i_context_log(
        reader->context, CRD_LOG_WARNING, CRD_LOG_DECIMAL_CHOSEN, reader->columns[i].name,
        "%s: the numbers of '%s' can have a decimal point or a decimal comma (1.601 is 1.601 or 1601): they are "
        "read with a decimal %s",
        input->place, crd_i_quote(reader->columns[i].name, shown),
        is_point ? "point, which is nearer to the rows that the model learned" : "comma, as in the model");
}

/* Returns whether the file has decimal points. Cells with only one reading decide; otherwise the distance from the
 * model's scale does. */
static bool has_points(crd_reader *reader, const detection *d) {
    mark_evidence all = {.scale = 0};
    for (size_t i = 0; i < reader->column_count; i++) {
        const mark_evidence *evidence = &d->marks[i];
        all.points += evidence->points;
        all.commas += evidence->commas;
        all.doubtful += evidence->doubtful;
        all.by_point += evidence->by_point;
        all.by_comma += evidence->by_comma;
    }
    if (all.points > 0 || all.commas > 0) return all.commas == 0;
    const bool is_point = all.by_point < all.by_comma;
    /* A model that has learned no rows has no scale. */
    if (all.doubtful > 0 && (is_point || all.by_point == all.by_comma)) warn_of_mark(reader, d, is_point);
    return is_point;
}

static bool may_have_points(const crd_reader *reader, size_t i) {
    const crd_i_reader_column *column = &reader->columns[i];
    return crd_i_column_format_has_comma(column->format) && column->field < reader->position.entry->header.width;
}

crd_status crd_i_reader_find_decimal_mark(crd_reader *reader, crd_error *error) {
    detection d;
    bool is_all, is_any = false;
    if (!reader->binding.is_bound || reader->dialect.has_decimal_mark || reader->batches.source != NULL) return CRD_OK;
    if (reader->position.entry->header.format->code != CRD_FORMAT_DELIMITED) return CRD_OK;
    for (size_t i = 0; i < reader->column_count; i++) is_any = is_any || may_have_points(reader, i);
    if (!is_any) return CRD_OK;
    crd_status status = format_detection_create(reader, &d) ? CRD_OK : crd_i_fail_memory(error);
    d.marks = crd_i_alloc_zeroed(reader->context, reader->column_count, sizeof *d.marks);
    if (d.marks == NULL && status == CRD_OK) status = crd_i_fail_memory(error);
    d.takes_all = true;
    d.first_only = reader->options.prompt != 0;
    for (size_t i = 0; status == CRD_OK && i < reader->column_count; i++) {
        d.is_wanted[i] = may_have_points(reader, i);
        d.marks[i].scale = reader->columns[i].scale;
    }
    if (status == CRD_OK) status = format_detection_look(reader, &d, &is_all, error);
    if (status == CRD_OK && has_points(reader, &d))
        for (size_t i = 0; i < reader->column_count; i++)
            if (d.is_wanted[i]) reader->columns[i].reading = CRD_I_READ_BY_POINT;
    crd_free(reader->context, d.marks);
    format_detection_clear(reader->context, &d);
    return status;
}

/* Returns whether the column is the first of a date for which the model has no hour. */
static bool is_date_alone(const crd_reader *reader, size_t index) {
    const crd_i_reader_column *column = &reader->columns[index];
    if (!crd_i_reading_is_date(column->format.reading) || column->format.part != CRD_I_PART_YEAR) return false;
    for (size_t i = index; i < reader->column_count && reader->columns[i].position == column->position; i++)
        if (reader->columns[i].format.part == CRD_I_PART_HOUR) return false;
    return true;
}

/* Warns if dates of the first rows have times but the model was trained on dates without times. Training on all rows
 * would add the hour, unless the caller chose the format. */
static crd_status warn_of_times(crd_reader *reader, crd_error *error) {
    detection d;
    bool is_all;
    crd_status status = format_detection_create(reader, &d) ? CRD_OK : crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < reader->column_count; i++) d.is_wanted[i] = is_date_alone(reader, i);
    if (status == CRD_OK && is_any_wanted(reader, &d)) status = format_detection_look(reader, &d, &is_all, error);
    for (size_t i = 0; status == CRD_OK && i < reader->column_count; i++) {
        char shown[CRD_I_QUOTED_ROOM];
        const crd_text name = reader->columns[i].source;
        if (!d.is_wanted[i] || !d.evidence[i].has_time) continue;
        crd_i_context_log(
            reader->context, CRD_LOG_WARNING, CRD_LOG_COLUMNS_IGNORED, name,
            "%s: the dates of '%s' have times, which are ignored, because the model was trained on dates only",
            reader->inputs[reader->position.current].place, crd_i_quote(name, shown));
    }
    format_detection_clear(reader->context, &d);
    return status;
}

crd_status crd_i_reader_detect_new_formats(crd_reader *reader, crd_error *error) {
    const int is_prompt = reader->options.prompt;
    bool is_any_new = false;
    if (reader->has_begun || !crd_i_reader_detects_formats(reader)) return CRD_OK;
    for (size_t i = 0; i < reader->column_count; i++) is_any_new = is_any_new || reader->columns[i].is_new;
    /* Wait for as many rows as in training, because the format of a column depends on them. */
    reader->options.prompt = 0;
    crd_status status = reader->batches.source == NULL ? warn_of_times(reader, error) : CRD_OK;
    if (status == CRD_OK && is_any_new) status = detect_all_formats(reader, true, error);
    reader->options.prompt = is_prompt;
    return status;
}

/* Finds the format of one column from the first rows or, if they do not decide, from all rows. Dates whose order is
 * known need only the first rows. */
static crd_status look_at_column(crd_reader *reader, const detection *d, size_t column, bool knows_order,
                                 crd_i_column_format *format, crd_i_column_format_doubt *doubt, crd_error *error) {
    bool is_all = reader->batches.source != NULL;
    d->is_wanted[column] = true;
    crd_status status = is_all ? crd_i_batches_look(reader, d->is_wanted, d->evidence, error)
                               : format_detection_look(reader, d, &is_all, error);
    if (status != CRD_OK) return status;
    crd_i_column_format_evidence *evidence = &d->evidence[column];
    *format = crd_i_column_format_evidence_find(evidence, doubt);
    bool is_open = evidence->cells == 0 || (*doubt == CRD_I_DOUBT_DAY && !knows_order);
    if (!is_open || is_all || !crd_i_reader_can_reread(reader)) return CRD_OK;
    memset(evidence, 0, sizeof *evidence);
    status = scan_all(reader, d, error);
    *format = crd_i_column_format_evidence_find(evidence, doubt);
    return status;
}

static bool has_day_order(crd_i_column_format format) {
    return format.reading == CRD_I_READING_DMY || format.reading == CRD_I_READING_MDY;
}

static char decimal_mark(crd_i_column_format format) {
    switch (format.reading) {
    case CRD_I_READING_POINT:
    case CRD_I_READING_PERCENT: return '.';
    case CRD_I_READING_COMMA:
    case CRD_I_READING_PERCENT_COMMA: return ',';
    default: return '\0';
    }
}

static crd_status fail_time(const crd_reader *reader, size_t column, crd_error *error) {
    crd_i_reader_place_error(reader, error);
    crd_i_error_subject(error, reader->columns[column].name);
    return CRD_ERROR_TYPE;
}

static crd_status fail_doubtful_time(const crd_reader *reader, size_t column, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_quote(reader->columns[column].name, shown);
    crd_i_fail(error, CRD_ERROR_TYPE,
               "the dates of '%s' can have the day or the month first (01/02/2024): the column needs a format", shown);
    if (reader->binding.is_bound)
        crd_i_error_hint(error,
                         "write the dates as 2024-02-01, or train the model with column-format=%s=seconds-dmy or "
                         "column-format=%s=seconds-mdy",
                         shown, shown);
    else crd_i_error_hint(error, "use column-format=%s=seconds-dmy or column-format=%s=seconds-mdy", shown, shown);
    return fail_time(reader, column, error);
}

static crd_status fail_other_order(const crd_reader *reader, size_t column, crd_i_column_format expected,
                                   crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    const bool is_day_first = expected.reading == CRD_I_READING_DMY;
    crd_i_fail(error, CRD_ERROR_TYPE,
               "the dates of '%s' have the %s first, but the times of the model have the %s first",
               crd_i_quote(reader->columns[column].name, shown), is_day_first ? "month" : "day",
               is_day_first ? "day" : "month");
    crd_i_error_hint(error, "write the dates as 2024-02-01, which is unambiguous");
    return fail_time(reader, column, error);
}

static crd_status fail_other_mark(const crd_reader *reader, size_t column, crd_i_column_format expected,
                                  crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    const bool is_point = decimal_mark(expected) == '.';
    crd_i_fail(error, CRD_ERROR_TYPE, "the times '%s' have a decimal %s, but the times of the model have a decimal %s",
               crd_i_quote(reader->columns[column].name, shown), is_point ? "comma" : "point",
               is_point ? "point" : "comma");
    crd_i_error_hint(error, "write the times with a decimal %s", is_point ? "point" : "comma");
    return fail_time(reader, column, error);
}

/* Chooses between the readings that the cells allow, using the likely format. */
static crd_status decide_time(const crd_reader *reader, size_t column, const crd_i_column_format_evidence *evidence,
                              crd_i_column_format likely, crd_i_column_format_doubt doubt, crd_i_column_format *format,
                              crd_error *error) {
    const char mark = decimal_mark(likely);
    if (has_day_order(likely)) {
        if (doubt == CRD_I_DOUBT_DAY) *format = likely;
        else if (has_day_order(*format) && format->reading != likely.reading)
            return fail_other_order(reader, column, likely, error);
    } else if (doubt == CRD_I_DOUBT_DAY) return fail_doubtful_time(reader, column, error);
    if (mark == '\0') return CRD_OK;
    if (decimal_mark(*format) != '\0' && decimal_mark(*format) != mark)
        return fail_other_mark(reader, column, likely, error);
    const bool is_grouped = mark == ',' && crd_i_column_format_evidence_may_be_grouped(evidence);
    if (doubt == CRD_I_DOUBT_DECIMAL || is_grouped) *format = crd_i_column_format_evidence_resolve(evidence, mark);
    return CRD_OK;
}

crd_status crd_i_reader_find_time_format(crd_reader *reader, size_t column, crd_i_column_format likely,
                                         crd_error *error) {
    crd_i_column_format format = reader->columns[column].format;
    const bool has_texts = reader->batches.source == NULL ||
                           crd_i_batches_content(reader, reader->columns[column].field) == CRD_I_CELLS_TEXTS;
    const bool can_look = reader->batches.source == NULL || crd_i_reader_can_reread(reader);
    if (crd_i_column_format_is_plain(format) && has_texts && !can_look) format = likely;
    else if (crd_i_column_format_is_plain(format) && has_texts) {
        detection d;
        crd_i_column_format_doubt doubt = CRD_I_DOUBT_NONE;
        crd_i_column_format_evidence majority = {.cells = 0};
        crd_status status = format_detection_create(reader, &d) ? CRD_OK : crd_i_fail_memory(error);
        d.takes_all = true;
        d.likely = &majority;
        if (status == CRD_OK)
            status = look_at_column(reader, &d, column, has_day_order(likely), &format, &doubt, error);
        /* If some cells are not times, the error should name these cells, not all others. */
        if (status == CRD_OK && reader->batches.source == NULL && crd_i_column_format_is_plain(format) &&
            doubt == CRD_I_DOUBT_NONE && !crd_i_column_format_evidence_is_plain(&d.evidence[column]))
            format = crd_i_column_format_evidence_find(&majority, &doubt);
        if (status == CRD_OK) status = decide_time(reader, column, &d.evidence[column], likely, doubt, &format, error);
        format_detection_clear(reader->context, &d);
        if (status != CRD_OK) return status;
    }
    if (crd_i_reading_is_date(format.reading)) format.part = CRD_I_PART_WHOLE;
    if (crd_i_column_format_type(format) != CRD_TYPE_NUMERIC)
        format = (crd_i_column_format){CRD_I_READING_PLAIN, CRD_I_PART_WHOLE};
    reader->columns[column].format = format;
    return CRD_OK;
}

static crd_status settle_late(crd_reader *reader, const detection *d, crd_error *error) {
    crd_status status = CRD_OK;
    bool is_by_fraction;
    char mark =
        reader->inspection.is_mark_by_fraction && !has_fraction(reader) ? '\0' : reader->inspection.decimal_mark;
    char found = d->point != '\0' ? d->point : find_convention(reader, d, &is_by_fraction);
    char convention = mark == '\0' || mark == found ? found : found == '\0' ? mark : '\0';
    for (size_t i = 0; status == CRD_OK && i < reader->column_count; i++) {
        const crd_i_reader_column *column = &reader->columns[i];
        if (column->is_settled || column->is_fixed) continue;
        bool is_grouped =
            d->is_grouping[i] && crd_i_column_format_evidence_is_plain(&d->evidence[i]) &&
            !crd_i_column_format_is_plain(crd_i_column_format_evidence_resolve(&d->evidence[i], convention));
        if (column->type == CRD_TYPE_CATEGORICAL || is_grouped)
            status = settle_column(reader, d, i, convention, false, error);
    }
    return status;
}

/* Returns the type that the file declares, or the type of the first rows, if they are available without waiting. */
static crd_column_type format_detection_type(const crd_reader *reader, const detection *d, size_t column) {
    const crd_i_column_format_evidence *evidence = &d->evidence[column];
    size_t field = reader->columns[column].field;
    if (!d->is_wanted[column]) return CRD_TYPE_NONE;
    if (reader->position.entry->header.declared != NULL) return reader->position.entry->header.declared[field].type;
    if (crd_i_column_format_evidence_is_plain(evidence)) return CRD_TYPE_NUMERIC;
    return evidence->cells > 0 && evidence->decimals == 0 ? CRD_TYPE_CATEGORICAL : CRD_TYPE_NONE;
}

crd_status crd_i_reader_look_for_types(crd_reader *reader, crd_column_type *types, crd_error *error) {
    detection d;
    bool is_declared = reader->position.entry->header.declared != NULL, is_all;
    bool can_look = reader->batches.source == NULL && reader->options.shard_count == 0 &&
                    (!reader->options.prompt || reader->position.records.at_end);
    crd_status status = format_detection_create(reader, &d) ? CRD_OK : crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < reader->column_count; i++) {
        const crd_i_reader_column *column = &reader->columns[i];
        d.is_wanted[i] =
            column->field < reader->position.entry->header.width && crd_i_column_format_is_plain(column->format);
    }
    d.takes_all = true;
    if (status == CRD_OK && can_look && !is_declared) status = format_detection_look(reader, &d, &is_all, error);
    for (size_t i = 0; status == CRD_OK && i < reader->column_count; i++)
        types[i] = format_detection_type(reader, &d, i);
    format_detection_clear(reader->context, &d);
    return status;
}

crd_status crd_i_reader_detect_late_formats(crd_reader *reader, crd_error *error) {
    detection d;
    if (!reader->inspection.finds_formats) return CRD_OK;
    if (!format_detection_create(reader, &d)) {
        format_detection_clear(reader->context, &d);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < reader->column_count; i++) {
        const crd_i_reader_column *column = &reader->columns[i];
        bool is_open = !column->is_settled && !column->is_fixed;
        d.is_wanted[i] = is_open && column->type == CRD_TYPE_CATEGORICAL;
        d.is_grouping[i] = is_open && column->type == CRD_TYPE_NUMERIC;
    }
    crd_status status = CRD_OK;
    if (is_any_wanted(reader, &d)) {
        for (size_t i = 0; i < reader->column_count; i++) d.is_wanted[i] = d.is_wanted[i] || d.is_grouping[i];
        status = crd_i_chunks_enter(reader, 0, error);
        status = status == CRD_OK ? format_detection_scan(reader, &d, error)
                                  : crd_i_group_fail(crd_i_reader_group(reader), status, error);
        if (status == CRD_OK) status = settle_late(reader, &d, error);
    }
    format_detection_clear(reader->context, &d);
    return status;
}

/* ======== 2. Derived columns ========
 *
 * A field with several parts becomes several columns. */

void crd_i_reader_column_clear(crd_context *context, crd_i_reader_column *column) {
    crd_free(context, (void *)column->name.bytes);
    crd_free(context, (void *)column->source.bytes);
    crd_i_dictionary_destroy(column->declared);
    crd_i_intervals_clear(context, &column->intervals);
}

static bool field_formats_is_taken(const crd_reader *reader, crd_text name) {
    size_t i = 0;
    while (i < reader->column_count && !crd_text_equal(reader->columns[i].name, name)) i++;
    return i < reader->column_count;
}

/* Appends underscores if another column already has the name. */
crd_text crd_i_reader_part_name(const crd_reader *reader, const crd_i_reader_column *field, unsigned part) {
    const char *suffix = crd_i_part_suffix(part);
    size_t length = field->name.length + strlen(suffix), more = 0;
    char *bytes = crd_i_alloc(reader->context, length + reader->column_count + 1, 1);
    crd_text name = {bytes, length};
    if (bytes == NULL) return name;
    memcpy(bytes, field->name.bytes, field->name.length);
    memcpy(bytes + field->name.length, suffix, strlen(suffix));
    while (more < reader->column_count && field_formats_is_taken(reader, name)) {
        bytes[length + more++] = '_';
        name.length++;
    }
    bytes[name.length] = '\0';
    return name;
}

static size_t count_columns(const crd_reader *reader) {
    crd_i_column_format formats[CRD_I_MOST_PARTS];
    size_t count = 0;
    for (size_t i = 0; i < reader->column_count; i++)
        count += crd_i_column_format_split(reader->columns[i].format, formats);
    return count;
}

/* Fills in the column of a part. */
static bool field_formats_fill_part(const crd_reader *reader, const crd_i_reader_column *field,
                                    crd_i_column_format format, crd_i_reader_column *column) {
    *column = (crd_i_reader_column){.position = field->position, .field = field->field, .format = format};
    column->type = crd_i_column_format_type(format);
    column->is_fixed = column->is_settled = true;
    column->is_open = field->is_open;
    column->shown = field->shown;
    column->name = crd_i_reader_part_name(reader, field, format.part);
    column->source = crd_i_text_copy(reader->context, field->name);
    return column->name.bytes != NULL && column->source.bytes != NULL;
}

crd_status crd_i_reader_split_formats(crd_reader *reader, crd_error *error) {
    size_t count = count_columns(reader), used = 0, target = SIZE_MAX, weight = SIZE_MAX;
    if (count == reader->column_count) return CRD_OK;
    crd_i_reader_column *columns = crd_i_alloc_zeroed(reader->context, count, sizeof *columns);
    bool *is_moved = crd_i_alloc_zeroed(reader->context, count, sizeof *is_moved);
    bool done = columns != NULL && is_moved != NULL;
    for (size_t i = 0; done && i < reader->column_count; i++) {
        crd_i_column_format formats[CRD_I_MOST_PARTS];
        size_t parts = crd_i_column_format_split(reader->columns[i].format, formats);
        if (i == reader->target) target = used;
        if (i == reader->weight) weight = used;
        if (parts == 1) {
            is_moved[used] = true;
            columns[used++] = reader->columns[i];
            continue;
        }
        for (size_t part = 0; done && part < parts; part++)
            done = field_formats_fill_part(reader, &reader->columns[i], formats[part], &columns[used++]);
    }
    if (!done) {
        for (size_t i = 0; i < used; i++)
            if (!is_moved[i]) crd_i_reader_column_clear(reader->context, &columns[i]);
        crd_free(reader->context, columns);
        crd_free(reader->context, is_moved);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < reader->column_count; i++)
        if (reader->columns[i].format.part >= CRD_I_PART_COUNT)
            crd_i_reader_column_clear(reader->context, &reader->columns[i]);
    crd_free(reader->context, is_moved);
    crd_free(reader->context, reader->columns);
    reader->columns = columns;
    reader->column_count = count;
    reader->target = target;
    reader->weight = weight;
    return CRD_OK;
}

/* ======== 3. Truth values ========
 *
 * A column of yes and no is read as a plain category. If YES occurs too, it is a column of truth values, and letter
 * case is ignored. At the end of a pass, the workers' dictionaries show whether that is so. */

bool crd_i_reader_may_have_late_truth(const crd_reader *reader, size_t index) {
    const crd_i_reader_column *column = &reader->columns[index];
    return reader->inspection.finds_formats && reader->batches.source == NULL && column->type == CRD_TYPE_CATEGORICAL &&
           column->declared == NULL && crd_i_column_format_is_plain(column->format) &&
           (!reader->binding.is_bound || column->is_new);
}

crd_i_column_format_evidence crd_i_reader_late_truth(const crd_reader *reader, size_t index) {
    const crd_i_reader_column *column = &reader->columns[index];
    crd_i_column_format_evidence evidence = {.cells = 0};
    if (!crd_i_reader_may_have_late_truth(reader, index)) return evidence;
    evidence = column->shown;
    for (unsigned i = 0; i < reader->lane_count; i++) {
        const crd_i_dictionary *values = reader->lanes[i]->columns[index].dictionary;
        for (size_t code = 0; values != NULL && code < crd_i_dictionary_size(values); code++) {
            if (!crd_i_column_format_evidence_is_truth(&evidence)) return evidence;
            const crd_text text = crd_i_dictionary_text(values, code);
            if (!crd_i_missing_has(&reader->missing, text, false))
                crd_i_column_format_evidence_add(&evidence, text, '\0', false);
        }
    }
    return evidence;
}

static bool late_truth_is_mixed(const crd_reader *reader, size_t index) {
    crd_i_column_format_doubt doubt;
    const crd_i_column_format_evidence evidence = crd_i_reader_late_truth(reader, index);
    return crd_i_column_format_evidence_find(&evidence, &doubt).reading == CRD_I_READING_BOOLEAN;
}

bool crd_i_reader_has_late_truth(const crd_reader *reader) {
    if (crd_i_reader_group(reader) != NULL || !reader->inspection.finds_formats || !crd_i_reader_can_reread(reader))
        return false;
    size_t i = 0;
    while (i < reader->column_count && !late_truth_is_mixed(reader, i)) i++;
    return i < reader->column_count;
}

void crd_i_reader_column_take_truth(crd_i_reader_column *column) {
    column->format = (crd_i_column_format){CRD_I_READING_BOOLEAN, CRD_I_PART_WHOLE};
    column->is_fixed = column->is_settled = true;
}

void crd_i_reader_take_late_truth(crd_reader *reader) {
    if (!crd_i_reader_has_late_truth(reader)) return;
    for (size_t i = 0; i < reader->column_count; i++)
        if (late_truth_is_mixed(reader, i)) crd_i_reader_column_take_truth(&reader->columns[i]);
}
