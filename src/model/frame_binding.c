/* SPDX-License-Identifier: MIT */
/* frame_binding.c - see model_internal.h. */
#include "model/model_internal.h"

#include "base/memory.h"

/* A code that was not looked up yet. */
enum { NOT_ASKED = INT32_MIN };

void crd_i_binding_clear(crd_i_binding *binding) {
    for (size_t i = 0; i < binding->count; i++) crd_free(binding->context, binding->columns[i].map);
    crd_free(binding->context, binding->columns);
    crd_free(binding->context, binding->codes);
    crd_i_binding empty = {.context = binding->context};
    *binding = empty;
}

bool crd_i_binding_bind(crd_i_binding *binding, uint64_t owner, const crd_frame *frame, size_t count,
                        crd_text (*name)(const void *names, size_t i), const void *names) {
    /* Serials identify frames, dictionaries and owners within one context only. */
    bool comparable = frame->context == binding->context && owner != CRD_I_FOREIGN_OWNER;
    if (binding->is_bound && comparable && binding->owner == owner && binding->layout == frame->layout) return true;
    if (!binding->is_bound || !comparable || binding->owner != owner) {
        crd_i_binding_clear(binding);
        binding->columns = crd_i_alloc_zeroed(binding->context, count, sizeof *binding->columns);
        if (binding->columns == NULL) return false;
        binding->count = count;
    }
    for (size_t i = 0; i < count; i++) {
        int32_t column = crd_i_dictionary_find(frame->names, name(names, i));
        binding->columns[i].column = column < 0 ? SIZE_MAX : (size_t)column;
    }
    binding->owner = owner;
    binding->layout = frame->layout;
    binding->is_bound = comparable;
    return true;
}

const crd_i_column *crd_i_binding_column(const crd_i_binding *binding, const crd_frame *frame, size_t i) {
    size_t column = binding->columns[i].column;
    return column == SIZE_MAX ? NULL : &frame->columns[column];
}

/* Allocates a map with an element for every code of the dictionary, after an element for missing cells. */
static bool open_map(crd_i_bound_column *bound, crd_context *context, const crd_i_dictionary *dictionary) {
    uint64_t serial = crd_i_dictionary_serial(dictionary);
    size_t size = crd_i_dictionary_size(dictionary);
    if (bound->map == NULL || bound->serial != serial) bound->known = 0;
    bound->serial = serial;
    if (!crd_i_reserve(context, &bound->map, &bound->capacity, size + 1, sizeof *bound->map)) return false;
    bound->map[0] = CRD_I_CODE_MISSING;
    while (bound->known < size) bound->map[++bound->known] = NOT_ASKED;
    return true;
}

/* Translates rows until a block contains a code that was not looked up yet. Returns how many rows were translated. The
 * loop has no branches that depend on the data, because missing cells and skipped rows are unpredictable. */
static size_t translate_known(const int32_t *map, const int32_t *codes, const int32_t *conditions, size_t rows,
                              int32_t *destination) {
    enum { BLOCK = 256 };
    size_t done = 0;
    while (done < rows) {
        size_t end = rows - done < BLOCK ? rows : done + BLOCK;
        bool all_known = true;
        for (size_t row = done; row < end; row++) {
            int32_t code = map[codes[row] < 0 ? 0 : codes[row] + 1];
            if (conditions != NULL) code = conditions[row] < 0 ? CRD_I_CODE_MISSING : code;
            destination[row] = code;
            all_known &= code != NOT_ASKED;
        }
        if (!all_known) break;
        done = end;
    }
    return done;
}

/* Looks up a code of the frame among the values, once per code. */
static bool translate_new(int32_t *code, crd_text text, crd_i_dictionary *growing, const crd_i_dictionary *values) {
    int32_t found = growing != NULL ? crd_i_dictionary_add(growing, text) : crd_i_dictionary_find(values, text);
    if (found < 0 && growing != NULL) return false;
    *code = found < 0 ? CRD_I_CODE_UNSEEN : found;
    return true;
}

/* Translates rows starting at row `first`. conditions[0] belongs to row `first`. */
static const int32_t *frame_binding_translate(crd_i_binding *binding, const crd_frame *frame, size_t i, size_t first,
                                              size_t rows, crd_i_dictionary *growing, const crd_i_dictionary *values,
                                              const int32_t *conditions) {
    crd_i_bound_column *bound = &binding->columns[i];
    const crd_i_column *column = &frame->columns[bound->column];
    if (!open_map(bound, binding->context, column->dictionary)) return NULL;
    if (!crd_i_reserve(binding->context, &binding->codes, &binding->codes_capacity, rows + 1, sizeof *binding->codes))
        return NULL;
    const int32_t *codes = column->codes + first;
    size_t row = 0;
    if (column->validity == NULL) row = translate_known(bound->map, codes, conditions, rows, binding->codes);
    for (; row < rows; row++) {
        binding->codes[row] = CRD_I_CODE_MISSING;
        if (!crd_i_column_present(column, first + row) || (conditions != NULL && conditions[row] < 0)) continue;
        int32_t *code = &bound->map[codes[row] + 1];
        crd_text text = crd_i_dictionary_text(column->dictionary, (size_t)codes[row]);
        if (*code == NOT_ASKED && !translate_new(code, text, growing, values)) return NULL;
        binding->codes[row] = *code;
    }
    return binding->codes;
}

const int32_t *crd_i_binding_translate(crd_i_binding *binding, const crd_frame *frame, size_t i,
                                       crd_i_dictionary *growing, const crd_i_dictionary *values,
                                       const int32_t *conditions) {
    return frame_binding_translate(binding, frame, i, 0, frame->rows, growing, values, conditions);
}

const int32_t *crd_i_binding_translate_rows(crd_i_binding *binding, const crd_frame *frame, size_t i, size_t first,
                                            size_t rows, const crd_i_dictionary *values) {
    return frame_binding_translate(binding, frame, i, first, rows, NULL, values, NULL);
}
