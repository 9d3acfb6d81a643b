/* evaluate_rows.c - rows that are read twice: from files again, from a pipe out of memory.
 *
 * The second reading is told the kinds that the first one found, so that it gives the same frames at once. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/input_file.h"

#include <math.h>
#include <stdlib.h>

struct kept_frame {
    crd_frame *frame;
    double **numbers; /* that it borrows, one a column; NULL for categories */
};

/* ---- Keeping frames ---- */

/* The rows of a frame from `first` on, as many as the copy has. */
static crd_status keep_column(const crd_frame *from, size_t first, size_t column, kept_frame *to, crd_error *error) {
    size_t count = crd_frame_rows(to->frame);
    crd_text name = crd_frame_column_name(from, column);
    if (crd_frame_column_kind(from, column) == CRD_KIND_NUMBER) {
        double *numbers = to->numbers[column] = memory_resize(NULL, count, sizeof *numbers);
        for (size_t i = 0; i < count; i++) {
            crd_value value = crd_frame_value(from, first + i, column);
            numbers[i] = value.kind == CRD_KIND_NUMBER ? value.number : NAN;
        }
        return crd_frame_add_numbers(to->frame, name, numbers, NULL, error);
    }
    crd_text *texts = memory_resize(NULL, count, sizeof *texts);
    for (size_t i = 0; i < count; i++) texts[i] = crd_frame_value(from, first + i, column).text;
    crd_status status = crd_frame_add_texts(to->frame, name, texts, error);
    free(texts);
    return status;
}

static int keep(row_source *r, const crd_frame *frame, size_t first, size_t count) {
    size_t columns = crd_frame_column_count(frame);
    crd_error error;
    r->kept = memory_resize(r->kept, r->kept_count + 1, sizeof *r->kept);
    kept_frame *to = &r->kept[r->kept_count++];
    to->frame = NULL;
    to->numbers = memory_resize(NULL, columns + 1, sizeof *to->numbers);
    for (size_t i = 0; i <= columns; i++) to->numbers[i] = NULL;
    crd_status status = crd_frame_create(r->call->context, count, &to->frame, &error);
    for (size_t i = 0; status == CRD_OK && i < columns; i++) status = keep_column(frame, first, i, to, &error);
    return status == CRD_OK ? ENDED_WELL : message_error(&error);
}

static void free_kept(kept_frame *of) {
    size_t columns = of->frame == NULL ? 0 : crd_frame_column_count(of->frame);
    crd_frame_destroy(of->frame);
    for (size_t column = 0; column < columns; column++) free(of->numbers[column]);
    free(of->numbers);
}

static void let_go(row_source *r) {
    for (size_t i = 0; i < r->kept_count; i++) free_kept(&r->kept[i]);
    r->kept_count = 0;
}

/* In frames of at most so many rows, where some have more. */
static int keep_in_pieces(row_source *r, size_t most) {
    kept_frame *whole = r->kept;
    size_t count = r->kept_count;
    int ended = ENDED_WELL;
    bool are_small = true;
    for (size_t i = 0; i < count; i++) are_small = are_small && crd_frame_rows(whole[i].frame) <= most;
    if (are_small) return ENDED_WELL;
    r->kept = NULL;
    r->kept_count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t rows = crd_frame_rows(whole[i].frame), piece;
        for (size_t first = 0; ended == ENDED_WELL && first < rows; first += piece) {
            piece = rows - first < most ? rows - first : most;
            ended = keep(r, whole[i].frame, first, piece);
        }
        free_kept(&whole[i]);
    }
    free(whole);
    return ended;
}

/* ---- Opening ---- */

static int choose_fold_column(row_source *r, const char *selector) {
    crd_error error;
    size_t *columns = memory_resize(NULL, crd_reader_column_count(r->d.reader), sizeof *columns), count = 0;
    int ended = ENDED_WELL;
    if (crd_reader_select(r->d.reader, crd_text_of(selector), columns, &count, &error) != CRD_OK) {
        ended = message_failed("--folds: %s", error.message);
    } else if (count != 1) {
        ended = message_failed("--folds %s matches %zu columns; one is needed", selector, count);
    } else if (crd_reader_ignore(r->d.reader, columns[0], &error) != CRD_OK) {
        ended = message_failed("--folds %s: the target cannot name the folds", selector);
    } else {
        r->fold_column = columns[0];
    }
    free(columns);
    return ended;
}

static void remember_names(row_source *r) {
    crd_text weight = crd_reader_weight(r->d.reader);
    string_clear(&r->target);
    string_add(&r->target, string_text(&r->d.target), r->d.target.length);
    string_clear(&r->weight);
    if (weight.bytes != NULL) string_add(&r->weight, weight.bytes, weight.length);
}

static int open_reader(row_source *r) {
    const arguments *words = &r->call->arguments;
    const char *folds = arguments_value(words, "folds");
    int ended = data_open(r->call, words->operands, words->operand_count, folds != NULL, &r->d);
    if (ended == ENDED_WELL) ended = data_choose_columns(r->call, &r->d, words->operands[0], false);
    if (ended == ENDED_WELL && folds != NULL) ended = choose_fold_column(r, folds);
    if (ended == ENDED_WELL) remember_names(r);
    return ended;
}

int rows_open(const invocation *call, row_source *r) {
    const arguments *words = &call->arguments;
    *r = (row_source){.call = call, .fold_column = SIZE_MAX};
    for (size_t i = 0; i < words->operand_count; i++) {
        if (input_file_reads_once(words->operands[i])) r->keeps = true;
    }
    int ended = open_reader(r);
    if (ended == ENDED_WELL) {
        r->kind_count = crd_reader_column_count(r->d.reader);
        r->kinds = memory_resize(NULL, r->kind_count, sizeof *r->kinds);
        for (size_t i = 0; i < r->kind_count; i++) r->kinds[i] = CRD_KIND_NONE;
    }
    return ended;
}

void rows_close(row_source *r) {
    let_go(r);
    free(r->kept);
    free(r->kinds);
    data_close(&r->d);
    string_free(&r->target);
    string_free(&r->weight);
}

/* ---- Reading ---- */

size_t frame_column(const crd_frame *frame, crd_text name) {
    for (size_t i = 0; name.bytes != NULL && i < crd_frame_column_count(frame); i++) {
        if (crd_text_equal(crd_frame_column_name(frame, i), name)) return i;
    }
    return SIZE_MAX;
}

size_t rows_target(const row_source *r, const crd_frame *frame) {
    return frame_column(frame, (crd_text){r->target.bytes, r->target.length});
}

crd_text rows_weight(const row_source *r) {
    return (crd_text){r->weight.length == 0 ? NULL : r->weight.bytes, r->weight.length};
}

double frame_weight(const crd_frame *frame, size_t row, size_t column) {
    return column == SIZE_MAX ? 1 : crd_frame_value(frame, row, column).number;
}

/* A schema says what the kinds are. */
static bool kinds_are_settled(const row_source *r) {
    return arguments_have(&r->call->arguments, "schema");
}

/* Frames have the columns of the file in its order, without those ignored. */
static void remember_kinds(row_source *r, const crd_frame *frame) {
    if (kinds_are_settled(r)) return;
    size_t column = 0;
    for (size_t i = 0; i < crd_frame_column_count(frame); i++, column++) {
        while (!crd_text_equal(crd_reader_column_name(r->d.reader, column), crd_frame_column_name(frame, i))) column++;
        crd_kind kind = crd_frame_column_kind(frame, i);
        if (kind != CRD_KIND_NONE) r->kinds[column] = kind;
    }
}

static int changed_meanwhile(const row_source *r) {
    return message_failed("%s changed while it was read", crd_reader_place(r->d.reader));
}

int rows_next(row_source *r, const crd_frame **frame, bool *restarted) {
    crd_error error;
    *restarted = false;
    *frame = NULL;
    if (r->again && r->keeps) {
        if (r->kept_at < r->kept_count) *frame = r->kept[r->kept_at++].frame;
        return ENDED_WELL;
    }
    crd_status status = crd_reader_next(r->d.reader, frame, &error);
    if (status == CRD_RESTART) {
        if (r->again) return changed_meanwhile(r);
        *restarted = true;
        let_go(r);
        for (size_t i = 0; i < r->kind_count; i++) r->kinds[i] = CRD_KIND_NONE;
        return ENDED_WELL;
    }
    if (status != CRD_OK) return message_error(&error);
    if (*frame == NULL || r->again) return ENDED_WELL;
    remember_kinds(r, *frame);
    return r->keeps ? keep(r, *frame, 0, crd_frame_rows(*frame)) : ENDED_WELL;
}

int rows_again(row_source *r, size_t classes) {
    crd_error error;
    size_t most = crd_posteriors_frame_rows(classes);
    r->again = true;
    r->kept_at = 0;
    if (r->keeps) return keep_in_pieces(r, most);
    data_close(&r->d);
    int ended = open_reader(r);
    if (ended != ENDED_WELL) return ended;
    crd_reader_set_frame_rows(r->d.reader, most);
    size_t columns = kinds_are_settled(r) ? 0 : crd_reader_column_count(r->d.reader);
    if (columns > r->kind_count) return changed_meanwhile(r);
    for (size_t i = 0; ended == ENDED_WELL && i < columns; i++) {
        crd_text name = crd_reader_column_name(r->d.reader, i);
        bool is_target = crd_text_equal(name, (crd_text){r->target.bytes, r->target.length});
        if (is_target || r->kinds[i] == CRD_KIND_NONE) continue;
        if (crd_reader_set_kind(r->d.reader, i, r->kinds[i], &error) != CRD_OK) ended = message_error(&error);
    }
    return ended;
}
