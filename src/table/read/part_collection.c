/* SPDX-License-Identifier: MIT */
/* part_collection.c - collects evidence about the fields from the rows of a part, while workers read them. See
 * part_evidence.h and reader_internal.h.
 *
 * A plain category needs only its values, and a column that fits no form is not inspected further. So collecting
 * takes time only for numbers, dates and other formatted values. It is cheaper while rows are learned too: in
 * delimited text, the values of categories are inspected once, after all rows are read. The decimal mark of numbers
 * stays undecided if no column of the first rows may have decimal commas. */
#include "table/read/reader_internal.h"

#include "base/collective.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

bool crd_i_reader_is_part(const crd_reader *reader) {
    return crd_i_reader_is_shard(reader) && !crd_i_is_collective(reader->context);
}

void crd_i_reader_collect(crd_reader *reader, crd_i_collection collection) {
    reader->collects = !reader->has_begun;
    reader->collects_texts = collection == CRD_I_COLLECT_TEXTS;
    reader->collects_beside = collection == CRD_I_COLLECT_BESIDE;
}

bool crd_i_reader_collects(const crd_reader *reader) {
    return reader->collects;
}

void crd_i_reader_mark_open(crd_reader *reader) {
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_reader_column *column = &reader->columns[i];
        bool is_shown = !column->is_fixed && column->declared == NULL && reader->batches == NULL;
        column->is_open = (column->is_open || is_shown) && !column->is_ignored && column->key == CRD_I_KEY_NONE;
    }
}

/* Returns whether the texts of the column's cells must be stored. A plain category stores them as its values anyway. */
static bool needs_texts(const crd_worker *worker, size_t index) {
    const bool is_category =
        worker->columns[index].kind == CRD_KIND_CATEGORY && crd_i_form_is_plain(worker->reader->columns[index].form);
    return worker->reader->collects_texts && !is_category;
}

/* Adds the text of a cell. A cell that is missing as a number may be a value of a category. */
static bool part_collection_add_text(const crd_worker *worker, crd_i_field_evidence *field, crd_text text,
                                     bool is_quoted, bool is_text, bool with_texts) {
    const crd_reader *reader = worker->reader;
    const char point = reader->options.decimal == ',' ? ',' : '\0';
    if (crd_i_missing_has(&reader->missing, text, is_quoted)) {
        if (crd_i_missing_has_category(&reader->missing, text, is_quoted)) return true;
        field->has_words = true;
    } else if (is_text || !crd_i_form_evidence_has_settled(&field->forms, text, point)) {
        crd_i_form_evidence_add(&field->forms, text, point, is_text);
    }
    if (!with_texts || field->has_more_texts) return true;
    return crd_i_field_evidence_add_text(reader->context, field, text, CRD_I_MOST_PART_TEXTS);
}

static bool part_collection_add_cell(const crd_worker *worker, crd_i_field_evidence *field, crd_i_cell cell,
                                     bool with_texts) {
    if (cell.form == CRD_I_CELL_MISSING) return true;
    return part_collection_add_text(worker, field, crd_i_worker_cell_text(worker, cell),
                                    cell.form != CRD_I_CELL_PLAIN && cell.form < CRD_I_CELL_MISSING,
                                    cell.form == CRD_I_CELL_TEXT, with_texts);
}

/* Adds the cells of one column of the current rows. */
static bool part_collection_add_column(const crd_worker *worker, size_t index, size_t file_field,
                                       crd_i_field_evidence *field) {
    bool done = true;
    const bool with_texts = needs_texts(worker, index);
    for (size_t row = 0; done && row < worker->rows; row++) {
        if (!crd_i_form_evidence_is_open(&field->forms) && (!with_texts || field->has_more_texts)) break;
        if (crd_i_worker_leaves_row(worker, row)) continue;
        if (worker->is_swift) {
            bool quoted;
            crd_text text = crd_i_fast_parse_cell(&worker->fast, worker->first_row + row, file_field, &quoted);
            done = part_collection_add_text(worker, field, text, quoted, false, with_texts);
        } else {
            done = part_collection_add_cell(worker, field, crd_i_worker_cell(worker, row, file_field), with_texts);
        }
    }
    return done;
}

/* Adds the present cells of sparse rows. An omitted cell is missing, or has the default of its file. */
static bool add_sparse_column(const crd_worker *worker, size_t index, size_t file_field, crd_i_field_evidence *field) {
    const crd_i_cell left_out = crd_i_file_header_left_out(&worker->entry->header, file_field);
    const bool with_texts = needs_texts(worker, index);
    size_t count = 0;
    bool done = true;
    for (size_t position = worker->sparse.latest[file_field]; done && position != 0; count++) {
        done = part_collection_add_cell(worker, field, worker->sparse.cells[position - 1].cell, with_texts);
        position = worker->sparse.cells[position - 1].before;
    }
    if (done && count < worker->rows) done = part_collection_add_cell(worker, field, left_out, with_texts);
    return done;
}

/* Returns whether rows are learned too, and the texts of the column have no form. */
static bool is_plain_beside(const crd_reader *reader, size_t index) {
    return reader->collects_beside && reader->batches == NULL && crd_i_form_is_plain(reader->columns[index].form) &&
           reader->first.format->code == CRD_FORMAT_DELIMITED;
}

/* Returns whether the decimal mark of the column's numbers stays undecided. */
static bool leaves_marks(const crd_reader *reader, size_t index) {
    return is_plain_beside(reader, index) && reader->finds_forms && !reader->may_prove_comma;
}

/* Looks in a numeric column for a cell that is missing as a number but is a category value. */
static void look_for_words(const crd_worker *worker, size_t index, size_t file_field, crd_i_field_evidence *field) {
    const crd_i_missing *missing = &worker->reader->missing;
    const double *numbers = crd_i_worker_numbers(worker, index);
    for (size_t row = 0; row < worker->rows && !field->has_words; row++) {
        if (!isnan(numbers[row]) || crd_i_worker_leaves_row(worker, row)) continue;
        bool is_quoted = false;
        crd_text text;
        if (worker->is_swift) {
            text = crd_i_fast_parse_cell(&worker->fast, worker->first_row + row, file_field, &is_quoted);
        } else {
            const crd_i_cell cell = crd_i_worker_cell(worker, row, file_field);
            if (cell.form >= CRD_I_CELL_MISSING) continue;
            text = crd_i_worker_cell_text(worker, cell);
            is_quoted = cell.form != CRD_I_CELL_PLAIN;
        }
        field->has_words = !crd_i_missing_has_category(missing, text, is_quoted);
    }
}

/* Returns whether further numbers of a column give no new evidence about the decimal mark. */
static bool are_marks_settled(const crd_i_form_evidence *forms) {
    return crd_i_form_evidence_is_plain(forms) && !crd_i_form_evidence_may_be_grouped(forms) && forms->has_mark;
}

/* Collects the evidence that is needed while rows are learned too; true: nothing else is needed. */
static bool collect_beside(const crd_worker *worker, size_t index, size_t file_field, crd_i_field_evidence *field) {
    const crd_reader *reader = worker->reader;
    if (!is_plain_beside(reader, index)) return false;
    const crd_kind kind = worker->columns[index].kind;
    if (kind == CRD_KIND_NUMBER) look_for_words(worker, index, file_field, field);
    return kind != CRD_KIND_NUMBER || leaves_marks(reader, index) || !reader->finds_forms ||
           are_marks_settled(&field->forms);
}

/* Returns whether the column is the first of its field. Columns of one field are adjacent, and the first one
 * collects. */
static bool is_first_of_field(const crd_reader *reader, size_t index) {
    return index == 0 || reader->columns[index].position != reader->columns[index - 1].position;
}

bool crd_i_worker_collect(crd_worker *worker) {
    const crd_reader *reader = worker->reader;
    if (reader->batches != NULL) return true;
    if (worker->evidence == NULL)
        worker->evidence = crd_i_alloc_zeroed(reader->context, reader->column_count, sizeof *worker->evidence);
    bool done = worker->evidence != NULL && crd_i_worker_mark_unlabeled(worker);
    for (size_t i = 0; done && i < reader->column_count; i++) {
        const size_t field = worker->entry->fields[i];
        if (!reader->columns[i].is_open || field == SIZE_MAX || !is_first_of_field(reader, i)) continue;
        if (collect_beside(worker, i, field, &worker->evidence[i])) continue;
        done = worker->is_sparse ? add_sparse_column(worker, i, field, &worker->evidence[i])
                                 : part_collection_add_column(worker, i, field, &worker->evidence[i]);
    }
    return done;
}

void crd_i_worker_clear_evidence(crd_worker *worker) {
    for (size_t i = 0; worker->evidence != NULL && i < worker->reader->column_count; i++)
        crd_i_dictionary_destroy(worker->evidence[i].texts);
    crd_free(worker->reader->context, worker->evidence);
}

/* Adds the category values found by all workers to the evidence. None is not a formatted value, because it means
 * missing there. */
static void part_collection_add_values(const crd_reader *reader, size_t index, crd_i_form_evidence *forms) {
    const char point = reader->options.decimal == ',' ? ',' : '\0';
    for (unsigned i = 0; i < reader->lane_count; i++) {
        const crd_i_dictionary *values = reader->lanes[i]->columns[index].dictionary;
        for (size_t code = 0; values != NULL && code < crd_i_dictionary_size(values); code++) {
            const crd_text text = crd_i_dictionary_text(values, code);
            if (!crd_i_form_evidence_is_open(forms)) return;
            if (!crd_i_missing_is_category(text)) crd_i_form_evidence_add(forms, text, point, false);
        }
    }
}

/* Fills in the evidence of a column if rows were learned too. */
static bool fill_beside(const crd_reader *reader, size_t index, crd_i_field_evidence *evidence) {
    const crd_kind kind = reader->columns[index].kind;
    crd_i_field_evidence field = {.kind = CRD_KIND_NONE};
    if (!is_plain_beside(reader, index) || !reader->finds_forms) return true;
    if (kind == CRD_KIND_CATEGORY) {
        part_collection_add_values(reader, index, &field.forms);
    } else if (kind == CRD_KIND_NUMBER && leaves_marks(reader, index)) {
        field.forms.cells = 1;
        field.forms.fits = 1U << CRD_I_READING_PLAIN;
        field.has_unread_marks = true;
    } else {
        return true;
    }
    evidence->forms = (crd_i_form_evidence){.cells = 0};
    return crd_i_field_evidence_combine(reader->context, evidence, &field, CRD_I_MOST_PART_TEXTS);
}

/* Returns whether no cell is present in a column in memory that got its kind from its type, or in the target. */
static bool is_unshown(const crd_reader *reader, size_t index) {
    const crd_i_reader_column *column = &reader->columns[index];
    bool is_shown = reader->batches == NULL || !(column->is_found || index == reader->target) ||
                    column->declared != NULL || !crd_i_form_is_plain(column->form);
    for (unsigned i = 0; !is_shown && i < reader->lane_count; i++)
        is_shown = reader->lanes[i]->columns[index].has_cells;
    return !is_shown;
}

/* Combines the evidence of all workers about a column. */
static bool part_collection_fill_field(const crd_reader *reader, size_t index, crd_i_field_evidence *field) {
    const crd_i_reader_column *column = &reader->columns[index];
    const crd_i_field_evidence looked = {.forms = column->shown};
    bool done =
        reader->batches == NULL || crd_i_field_evidence_combine(reader->context, field, &looked, CRD_I_MOST_PART_TEXTS);
    for (unsigned i = 0; done && i < reader->lane_count; i++)
        if (reader->lanes[i]->evidence != NULL)
            done = crd_i_field_evidence_combine(reader->context, field, &reader->lanes[i]->evidence[index],
                                                CRD_I_MOST_PART_TEXTS);
    done = done && fill_beside(reader, index, field);
    /* Other forms that fit depend on how many cells were inspected, and do not change any decision while learning. */
    if (done && is_plain_beside(reader, index) && are_marks_settled(&field->forms))
        field->forms.fits = 1U << CRD_I_READING_PLAIN;
    for (unsigned i = 0; i < reader->lane_count; i++)
        field->has_infinite = field->has_infinite || reader->lanes[i]->columns[index].has_infinite;
    field->is_open = true;
    const bool is_plain = crd_i_form_is_plain(column->form);
    field->kind = is_plain                                      ? column->kind
                  : crd_i_form_evidence_is_plain(&field->forms) ? CRD_KIND_NUMBER
                                                                : CRD_KIND_CATEGORY;
    if (is_unshown(reader, index)) field->kind = CRD_KIND_NONE;
    /* For columns in memory, only categories store their texts. */
    const bool is_category = column->kind == CRD_KIND_CATEGORY && is_plain;
    /* Rows skipped because of an infinite number have a word there if the column is categorical after all. */
    field->has_words = (field->has_words || (reader->collects_beside && column->refuses_infinite)) && !is_category;
    field->has_more_texts = field->has_more_texts || (reader->batches != NULL && reader->collects_texts &&
                                                      !is_category && field->forms.cells > 0);
    return done;
}

void crd_i_reader_drop_unshown_kinds(crd_reader *reader) {
    for (size_t i = 0; i < reader->column_count; i++) {
        if (!is_unshown(reader, i)) continue;
        if (i == reader->target) reader->columns[i].is_open = true;
        else reader->columns[i].kind = CRD_KIND_NONE;
    }
}

crd_status crd_i_reader_part(const crd_reader *reader, crd_i_part_evidence **out, crd_error *error) {
    crd_i_part_evidence *part = crd_i_part_evidence_create(reader->context, reader->width);
    bool done = part != NULL;
    for (size_t i = 0; done && i < reader->column_count; i++) {
        const crd_i_reader_column *column = &reader->columns[i];
        if (!column->is_open || !is_first_of_field(reader, i) || column->position >= reader->width) continue;
        done = part_collection_fill_field(reader, i, &part->fields[column->position]);
    }
    *out = part;
    if (!done) {
        crd_i_part_evidence_destroy(part);
        *out = NULL;
        return crd_i_fail_memory(error);
    }
    part->finds_forms = reader->looked_for_forms;
    part->splits_dates = reader->splits_dates;
    part->has_values = reader->collects_texts;
    part->is_file = reader->batches == NULL;
    part->by_name =
        reader->first.format->code == CRD_FORMAT_JSON_LINES || reader->first.format->code == CRD_FORMAT_JSON;
    part->point = reader->options.decimal == ',' ? ',' : '\0';
    part->states_comma = part->point == ',' && reader->decimal_given && !reader->has_schema &&
                         reader->first.format->code == CRD_FORMAT_DELIMITED;
    return CRD_OK;
}
