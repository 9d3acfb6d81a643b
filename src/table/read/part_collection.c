/* SPDX-License-Identifier: MIT */
/* part_collection.c - what the rows of a part show of its fields, collected by workers as they read them. See
 * part_evidence.h and reader_internal.h.
 *
 * A plain category needs nothing beyond its values, and a column that no form fits is looked at no more. So what is collected costs
 * time in columns of numbers, dates and the like only. Beside learning it costs less: in delimited text the values of categories are looked
 * at once all rows are read, and how numbers have their fractions is left open where no column of the first rows may have decimal commas. */
#include "table/read/reader_internal.h"

#include "base/collective.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

bool crd_i_reader_is_part(const crd_reader *reader) {
    return crd_i_reader_is_shard(reader) && !crd_i_is_collective(reader->context);
}

void crd_i_reader_collect(crd_reader *reader, crd_i_collection what) {
    reader->collects = !reader->has_begun;
    reader->collects_texts = what == CRD_I_COLLECT_TEXTS;
    reader->collects_beside = what == CRD_I_COLLECT_BESIDE;
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

/* Whether texts of the column's cells are to be kept: those of a plain category are its values. */
static bool needs_texts(const crd_worker *lane, size_t index) {
    const bool is_category =
        lane->columns[index].kind == CRD_KIND_CATEGORY && crd_i_form_is_plain(lane->reader->columns[index].form);
    return lane->reader->collects_texts && !is_category;
}

/* A cell that is missing as a number may be a value of a category. */
static bool add_text(const crd_worker *lane, crd_i_field_evidence *field, crd_text text, bool is_quoted, bool is_text,
                     bool with_texts) {
    const crd_reader *reader = lane->reader;
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

static bool add_cell(const crd_worker *lane, crd_i_field_evidence *field, crd_i_cell cell, bool with_texts) {
    if (cell.form == CRD_I_CELL_MISSING) return true;
    return add_text(lane, field, crd_i_worker_cell_text(lane, cell),
                    cell.form != CRD_I_CELL_PLAIN && cell.form < CRD_I_CELL_MISSING, cell.form == CRD_I_CELL_TEXT,
                    with_texts);
}

/* The cells of one column of the rows at hand. */
static bool add_column(const crd_worker *lane, size_t index, size_t file_field, crd_i_field_evidence *field) {
    bool done = true;
    const bool with_texts = needs_texts(lane, index);
    for (size_t row = 0; done && row < lane->rows; row++) {
        if (!crd_i_form_evidence_is_open(&field->forms) && (!with_texts || field->has_more_texts)) break;
        if (crd_i_worker_leaves_row(lane, row)) continue;
        if (lane->is_swift) {
            bool quoted;
            crd_text text = crd_i_fast_parse_cell(&lane->swift, lane->first_row + row, file_field, &quoted);
            done = add_text(lane, field, text, quoted, false, with_texts);
        } else {
            done = add_cell(lane, field, crd_i_worker_cell(lane, row, file_field), with_texts);
        }
    }
    return done;
}

/* Of sparse rows the cells that are there; one that is left out is missing, or has the default of its file. */
static bool add_sparse_column(const crd_worker *lane, size_t index, size_t file_field, crd_i_field_evidence *field) {
    const crd_i_cell left_out = crd_i_file_header_left_out(&lane->entry->heading, file_field);
    const bool with_texts = needs_texts(lane, index);
    size_t count = 0;
    bool done = true;
    for (size_t at = lane->sparse.latest[file_field]; done && at != 0; count++) {
        done = add_cell(lane, field, lane->sparse.cells[at - 1].cell, with_texts);
        at = lane->sparse.cells[at - 1].before;
    }
    if (done && count < lane->rows) done = add_cell(lane, field, left_out, with_texts);
    return done;
}

/* Whether rows are learned as well, and the cells of the column are texts that stand for themselves. */
static bool is_plain_beside(const crd_reader *reader, size_t index) {
    return reader->collects_beside && reader->batches == NULL && crd_i_form_is_plain(reader->columns[index].form) &&
           reader->first.format->code == CRD_FORMAT_DELIMITED;
}

/* Whether it is left open how a number of the column has its fraction. */
static bool leaves_marks(const crd_reader *reader, size_t index) {
    return is_plain_beside(reader, index) && reader->finds_forms && !reader->may_prove_comma;
}

/* Of numbers: a cell that is missing as one, and no less a word. */
static void look_for_words(const crd_worker *lane, size_t index, size_t file_field, crd_i_field_evidence *field) {
    const crd_i_missing *missing = &lane->reader->missing;
    const double *numbers = crd_i_worker_numbers(lane, index);
    for (size_t row = 0; row < lane->rows && !field->has_words; row++) {
        if (!isnan(numbers[row]) || crd_i_worker_leaves_row(lane, row)) continue;
        bool is_quoted = false;
        crd_text text;
        if (lane->is_swift) {
            text = crd_i_fast_parse_cell(&lane->swift, lane->first_row + row, file_field, &is_quoted);
        } else {
            const crd_i_cell cell = crd_i_worker_cell(lane, row, file_field);
            if (cell.form >= CRD_I_CELL_MISSING) continue;
            text = crd_i_worker_cell_text(lane, cell);
            is_quoted = cell.form != CRD_I_CELL_PLAIN;
        }
        field->has_words = !crd_i_missing_has_category(missing, text, is_quoted);
    }
}

/* Of a column of numbers: whether further ones show nothing new of their fractions. */
static bool are_marks_settled(const crd_i_form_evidence *forms) {
    return crd_i_form_evidence_is_plain(forms) && !crd_i_form_evidence_may_be_grouped(forms) && forms->has_mark;
}

/* What is worth looking at beside learning; true: that is all. */
static bool collect_beside(const crd_worker *lane, size_t index, size_t file_field, crd_i_field_evidence *field) {
    const crd_reader *reader = lane->reader;
    if (!is_plain_beside(reader, index)) return false;
    const crd_kind kind = lane->columns[index].kind;
    if (kind == CRD_KIND_NUMBER) look_for_words(lane, index, file_field, field);
    return kind != CRD_KIND_NUMBER || leaves_marks(reader, index) || !reader->finds_forms ||
           are_marks_settled(&field->forms);
}

/* The columns of one field follow each other: the first of them collects. */
static bool is_first_of_field(const crd_reader *reader, size_t index) {
    return index == 0 || reader->columns[index].position != reader->columns[index - 1].position;
}

bool crd_i_worker_collect(crd_worker *lane) {
    const crd_reader *reader = lane->reader;
    if (reader->batches != NULL) return true;
    if (lane->evidence == NULL)
        lane->evidence = crd_i_alloc_zeroed(reader->context, reader->column_count, sizeof *lane->evidence);
    bool done = lane->evidence != NULL && crd_i_worker_mark_unlabeled(lane);
    for (size_t i = 0; done && i < reader->column_count; i++) {
        const size_t field = lane->entry->fields[i];
        if (!reader->columns[i].is_open || field == SIZE_MAX || !is_first_of_field(reader, i)) continue;
        if (collect_beside(lane, i, field, &lane->evidence[i])) continue;
        done = lane->is_sparse ? add_sparse_column(lane, i, field, &lane->evidence[i])
                               : add_column(lane, i, field, &lane->evidence[i]);
    }
    return done;
}

void crd_i_worker_clear_evidence(crd_worker *lane) {
    for (size_t i = 0; lane->evidence != NULL && i < lane->reader->column_count; i++)
        crd_i_dictionary_destroy(lane->evidence[i].texts);
    crd_free(lane->reader->context, lane->evidence);
}

/* What the values of a category show that all workers have met. None is no cell of a form, as that is missing. */
static void add_values(const crd_reader *reader, size_t index, crd_i_form_evidence *forms) {
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

/* Where rows were learned as well. */
static bool fill_beside(const crd_reader *reader, size_t index, crd_i_field_evidence *to) {
    const crd_kind kind = reader->columns[index].kind;
    crd_i_field_evidence found = {.kind = CRD_KIND_NONE};
    if (!is_plain_beside(reader, index) || !reader->finds_forms) return true;
    if (kind == CRD_KIND_CATEGORY) {
        add_values(reader, index, &found.forms);
    } else if (kind == CRD_KIND_NUMBER && leaves_marks(reader, index)) {
        found.forms.cells = 1;
        found.forms.fits = 1U << CRD_I_READING_PLAIN;
        found.has_unread_marks = true;
    } else {
        return true;
    }
    to->forms = (crd_i_form_evidence){.cells = 0};
    return crd_i_field_evidence_combine(reader->context, to, &found, CRD_I_MOST_PART_TEXTS);
}

/* Whether a column in memory, whose kind is that of its type, or the target, has no cell that is present. */
static bool is_unshown(const crd_reader *reader, size_t index) {
    const crd_i_reader_column *column = &reader->columns[index];
    bool is_shown = reader->batches == NULL || !(column->is_found || index == reader->target) ||
                    column->declared != NULL || !crd_i_form_is_plain(column->form);
    for (unsigned i = 0; !is_shown && i < reader->lane_count; i++)
        is_shown = reader->lanes[i]->columns[index].has_cells;
    return !is_shown;
}

/* What cells show of a column, all workers together. */
static bool fill_field(const crd_reader *reader, size_t index, crd_i_field_evidence *to) {
    const crd_i_reader_column *column = &reader->columns[index];
    const crd_i_field_evidence looked = {.forms = column->shown};
    bool done =
        reader->batches == NULL || crd_i_field_evidence_combine(reader->context, to, &looked, CRD_I_MOST_PART_TEXTS);
    for (unsigned i = 0; done && i < reader->lane_count; i++)
        if (reader->lanes[i]->evidence != NULL)
            done = crd_i_field_evidence_combine(reader->context, to, &reader->lanes[i]->evidence[index],
                                                CRD_I_MOST_PART_TEXTS);
    done = done && fill_beside(reader, index, to);
    /* What else they fit depends on how many cells were looked at until then, and changes no decision beside learning. */
    if (done && is_plain_beside(reader, index) && are_marks_settled(&to->forms))
        to->forms.fits = 1U << CRD_I_READING_PLAIN;
    for (unsigned i = 0; i < reader->lane_count; i++)
        to->has_infinite = to->has_infinite || reader->lanes[i]->columns[index].has_infinite;
    to->is_open = true;
    const bool is_plain = crd_i_form_is_plain(column->form);
    to->kind = is_plain ? column->kind : crd_i_form_evidence_is_plain(&to->forms) ? CRD_KIND_NUMBER : CRD_KIND_CATEGORY;
    if (is_unshown(reader, index)) to->kind = CRD_KIND_NONE;
    /* The texts of columns in memory are kept by those alone that are categories. */
    const bool is_category = column->kind == CRD_KIND_CATEGORY && is_plain;
    /* Rows that were left out, since a number of theirs is infinite, have a word there if the column is a category after all. */
    to->has_words = (to->has_words || (reader->collects_beside && column->refuses_infinite)) && !is_category;
    to->has_more_texts = to->has_more_texts ||
                         (reader->batches != NULL && reader->collects_texts && !is_category && to->forms.cells > 0);
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
        done = fill_field(reader, i, &part->fields[column->position]);
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
