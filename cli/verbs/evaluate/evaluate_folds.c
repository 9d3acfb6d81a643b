/* evaluate_folds.c - which fold each row is in: dealt out by a seed, held out, or as a column says. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column with more values is no column of folds. */
enum { MOST_GIVEN_FOLDS = 10000, MOST_DEALT_FOLDS = 1000000 };

enum { USUAL_SEED = 1 };

/* Shares are taken in steps of a thousandth. */
enum { FINEST_SHARE = 1000 };

/* ---- What is asked for ---- */

static int read_whole_number(const invocation *call, const char *name, double least, double most, double *value) {
    const char *text = arguments_value(&call->arguments, name);
    if (text == NULL) return ENDED_WELL;
    crd_number_class class = crd_number_parse(crd_text_of(text), value);
    if (class == CRD_NUMBER_FINITE && *value >= least && *value <= most && *value == floor(*value)) return ENDED_WELL;
    return message_usage("--%s takes a whole number from %.0f to %.0f, not '%s'", name, least, most, text);
}

/* "30%" or "0.3" as `held` of `runs`, in lowest terms. */
static int read_share(const char *text, uint32_t *held, uint32_t *runs) {
    size_t length = strlen(text);
    bool percent = length > 0 && text[length - 1] == '%';
    double share = 0;
    crd_number_class class = crd_number_parse((crd_text){text, percent ? length - 1 : length}, &share);
    if (percent) share /= 100;
    bool fine = class == CRD_NUMBER_FINITE && share > 0 && share < 1;
    for (uint32_t run = 2; fine && run <= FINEST_SHARE; run++) {
        double part = share * run;
        if (fabs(part - floor(part + 0.5)) > 1e-9) continue;
        *held = (uint32_t)(part + 0.5);
        *runs = run;
        return ENDED_WELL;
    }
    return message_usage("--holdout takes a share such as 30%%, between 0 and 100%% in steps of 0.1%%, not '%s'", text);
}

int fold_list_open(const invocation *call, fold_list *f) {
    double folds = 0, seed = USUAL_SEED;
    const char *share = arguments_value(&call->arguments, "holdout");
    *f = (fold_list){0};
    int ended = read_whole_number(call, "cross-validate", 2, MOST_DEALT_FOLDS, &folds);
    if (ended == ENDED_WELL) ended = read_whole_number(call, "seed", 0, 9007199254740992.0, &seed);
    if (ended != ENDED_WELL) return ended;
    f->seed = (uint64_t)seed;
    f->runs = (uint32_t)folds;
    return share == NULL ? ENDED_WELL : read_share(share, &f->held_out, &f->runs);
}

static void forget_names(fold_list *f) {
    for (size_t i = 0; i < f->name_count; i++) string_free(&f->names[i]);
    f->name_count = f->latest = 0;
}

void fold_list_close(fold_list *f) {
    forget_names(f);
    free(f->names);
    free(f->folds);
    crd_folds_destroy(f->dealing);
}

int fold_list_start(const invocation *call, fold_list *f) {
    crd_error error;
    crd_folds_destroy(f->dealing);
    f->dealing = NULL;
    f->count = 0;
    forget_names(f);
    if (f->runs == 0) return ENDED_WELL;
    return crd_folds_create(call->context, f->runs, f->seed, &f->dealing, &error) == CRD_OK ? ENDED_WELL
                                                                                            : message_error(&error);
}

/* ---- Row by row ---- */

static bool is_named(const fold_list *f, size_t i, crd_text name) {
    return crd_text_equal((crd_text){string_text(&f->names[i]), f->names[i].length}, name);
}

/* Whether a cell of the column of folds means that there is none: an empty one always does. */
static bool is_missing(const row_source *r, crd_text cell) {
    static const char *const usual[] = {"?", "NA", "NaN", "null"};
    const list *said = &r->d.missing;
    bool is_said = arguments_have(&r->call->arguments, "missing");
    if (cell.length == 0) return true;
    for (size_t i = 0; is_said && i < said->count; i++) {
        if (crd_text_equal(cell, said->items[i])) return true;
    }
    for (size_t i = 0; !is_said && i < sizeof usual / sizeof usual[0]; i++) {
        if (crd_text_equal(cell, crd_text_of(usual[i]))) return true;
    }
    return false;
}

/* The fold that the row's cell names. Neighbouring rows often name the same, or the next. */
static int find_given(fold_list *f, const row_source *r, size_t row, uint32_t *fold) {
    crd_text name = crd_reader_cell(r->d.reader, row, r->fold_column);
    if (is_missing(r, name)) {
        string shown = {0};
        string_add_shown(&shown, name);
        message_failed("%s:%llu: the row is in no fold: the cell is %s%s", crd_reader_place(r->d.reader),
                       (unsigned long long)crd_reader_line(r->d.reader, row), name.length == 0 ? "empty" : "missing, ",
                       string_text(&shown));
        string_free(&shown);
        return ENDED_FAILED;
    }
    for (size_t tried = 0; tried < f->name_count; tried++) {
        size_t i = (f->latest + tried) % f->name_count;
        if (!is_named(f, i, name)) continue;
        f->latest = i;
        *fold = (uint32_t)i;
        return ENDED_WELL;
    }
    if (f->name_count == MOST_GIVEN_FOLDS) {
        return message_failed("--folds %s has more than %d values: is it a column of folds?",
                              arguments_value(&r->call->arguments, "folds"), (int)MOST_GIVEN_FOLDS);
    }
    f->names = memory_resize(f->names, f->name_count + 1, sizeof *f->names);
    f->names[f->name_count] = (string){0};
    string_add(&f->names[f->name_count], name.bytes, name.length);
    *fold = (uint32_t)f->name_count++;
    return ENDED_WELL;
}

int fold_list_add(fold_list *f, const row_source *r, const crd_frame *frame, size_t target) {
    crd_error error;
    size_t more = crd_frame_rows(frame), weights = frame_column(frame, rows_weight(r));
    if (f->count + more > f->room) {
        f->room = (f->count + more) * 2;
        f->folds = memory_resize(f->folds, f->room, sizeof *f->folds);
    }
    for (size_t row = 0; row < more; row++) {
        uint32_t *fold = &f->folds[f->count + row];
        crd_value truth = crd_frame_value(frame, row, target);
        *fold = CRD_NO_FOLD;
        if (truth.kind == CRD_KIND_NONE || frame_weight(frame, row, weights) == 0) continue;
        if (f->dealing == NULL) {
            int ended = find_given(f, r, row, fold);
            if (ended != ENDED_WELL) return ended;
        } else if (crd_folds_next(f->dealing, truth.text, fold, &error) != CRD_OK) {
            return message_error(&error);
        }
        if (f->held_out > 0) *fold = *fold < f->held_out;
    }
    f->count += more;
    return ENDED_WELL;
}

size_t fold_list_parts(const fold_list *f) {
    if (f->held_out > 0) return 2;
    return f->runs > 0 ? f->runs : f->name_count;
}

size_t fold_list_empty(const fold_list *f) {
    size_t parts = fold_list_parts(f), empty = parts;
    bool *has_rows = memory_resize(NULL, parts + 1, sizeof *has_rows);
    for (size_t i = 0; i < parts; i++) has_rows[i] = false;
    for (size_t row = 0; row < f->count; row++) {
        uint32_t fold = f->folds[row];
        if (fold == CRD_NO_FOLD || has_rows[fold]) continue;
        has_rows[fold] = true;
        empty--;
    }
    free(has_rows);
    return empty;
}

/* ---- All rows ---- */

int fold_list_hold_out(fold_list *f) {
    size_t held_out = 0, learned = 0;
    for (size_t i = 0; i < f->count; i++) {
        if (f->folds[i] == CRD_NO_FOLD) continue;
        if (f->folds[i] == 1) held_out++;
        else learned++;
        if (f->folds[i] == 0) f->folds[i] = CRD_NO_FOLD;
    }
    if (held_out == 0) return message_failed("no row was held out of %zu: hold out a larger share", learned);
    if (learned == 0) return message_failed("every row was held out: hold out a smaller share");
    return ENDED_WELL;
}

void fold_list_describe(string *how, const fold_list *f) {
    uint64_t seed = f->seed;
    if (f->held_out > 0) {
        string_format(how, "Rows held out of training (%lu of %lu, seed %llu)", (unsigned long)f->held_out,
                      (unsigned long)f->runs, (unsigned long long)seed);
    } else if (f->runs > 0) {
        string_format(how, "Cross-validation in %zu folds (seed %llu)", fold_list_parts(f), (unsigned long long)seed);
    } else {
        string_format(how, "Cross-validation in the %zu folds given", fold_list_parts(f));
    }
}

int fold_list_check(const fold_list *f) {
    if (fold_list_parts(f) >= 2) return ENDED_WELL;
    return message_failed("all rows are in one fold: two are needed, one to learn from and one to test");
}

void fold_list_say_if_empty(const fold_list *f) {
    size_t empty = f->held_out > 0 ? 0 : fold_list_empty(f);
    if (empty == 0) return;
    message_note("%zu of %zu folds %s no row", empty, fold_list_parts(f), empty == 1 ? "has" : "have");
}

/* ---- The file ---- */

int fold_list_write(const invocation *call, const fold_list *f) {
    const char *path = arguments_value(&call->arguments, "write-folds");
    output out;
    if (path == NULL) return ENDED_WELL;
    int ended = output_open_path(path, &out);
    if (ended != ENDED_WELL) return ended;
    fputs("row,fold\n", out.stream);
    for (size_t row = 0; row < f->count; row++) {
        uint32_t fold = f->folds[row];
        fprintf(out.stream, "%zu,", row + 1);
        if (fold == CRD_NO_FOLD) {
            /* Rows without a truth are in none. */
        } else if (f->held_out > 0) {
            fputs(fold == 1 ? "test" : "train", out.stream);
        } else if (f->runs == 0) {
            output_csv_text(&out, (crd_text){f->names[fold].bytes, f->names[fold].length});
        } else {
            fprintf(out.stream, "%lu", (unsigned long)fold + 1);
        }
        fputc('\n', out.stream);
    }
    return output_close(&out, ENDED_WELL);
}
