/* SPDX-License-Identifier: MIT */
/* joint_setting.c - parses and formats blocks of columns. The blocks of the setting `joint` have a joint density given
 * the class. The blocks of the setting `tiers` are ordered: no arc leads from a later tier to an earlier one.
 *
 * Columns are separated by commas and blocks by semicolons. A name that contains either is in quotes. The canonical
 * text sorts the columns of a block by bytes; it also sorts the blocks if their order has no meaning, as in `joint`. */
#include "settings/settings_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>

typedef struct block {
    crd_text *columns; /* each text is owned */
    size_t count, capacity;
} block;

typedef struct setting_blocks {
    crd_context *context;
    const char *setting; /* name of the setting */
    size_t least;        /* minimum number of columns in a block */
    block *items;
    size_t count, capacity;
    crd_i_dictionary *met; /* the columns of all blocks */
} setting_blocks;

static void joint_setting_clear(setting_blocks *blocks) {
    for (size_t i = 0; i < blocks->count; i++) {
        for (size_t j = 0; j < blocks->items[i].count; j++)
            crd_free(blocks->context, (void *)blocks->items[i].columns[j].bytes);
        crd_free(blocks->context, blocks->items[i].columns);
    }
    crd_free(blocks->context, blocks->items);
    crd_i_dictionary_destroy(blocks->met);
}

static crd_status joint_setting_add_column(setting_blocks *blocks, crd_text column, crd_error *error) {
    block *last = &blocks->items[blocks->count - 1];
    char quoted[CRD_I_QUOTED_ROOM];
    if (column.length == 0)
        return crd_i_fail(error, CRD_ERROR_SETTING, "%s has a column without a name", blocks->setting);
    if (crd_i_dictionary_find(blocks->met, column) >= 0)
        return crd_i_fail(error, CRD_ERROR_SETTING, "%s names column '%s' twice", blocks->setting,
                          crd_i_quote(column, quoted));
    if (crd_i_dictionary_add(blocks->met, column) < 0 ||
        !crd_i_reserve(blocks->context, &last->columns, &last->capacity, last->count + 1, sizeof *last->columns))
        return crd_i_fail_memory(error);
    last->columns[last->count] = crd_i_text_copy(blocks->context, column);
    if (last->columns[last->count].bytes == NULL) return crd_i_fail_memory(error);
    last->count++;
    return CRD_OK;
}

/* Removes the text up to the first semicolon outside of quotes, and returns it. *more: a semicolon was found. */
static crd_text joint_setting_take_block(crd_text *view, bool *more) {
    bool in_quotes = false;
    crd_text taken = {view->bytes, 0};
    while (taken.length < view->length && (in_quotes || taken.bytes[taken.length] != ';'))
        if (taken.bytes[taken.length++] == '"') in_quotes = !in_quotes;
    *more = taken.length < view->length;
    size_t used = taken.length + *more;
    view->bytes += used;
    view->length -= used;
    return taken;
}

static crd_status joint_setting_add_block(setting_blocks *blocks, crd_text text, crd_error *error) {
    if (!crd_i_reserve(blocks->context, &blocks->items, &blocks->capacity, blocks->count + 1, sizeof *blocks->items))
        return crd_i_fail_memory(error);
    const block none = {NULL, 0, 0};
    blocks->items[blocks->count++] = none;
    crd_i_buffer item = {blocks->context, NULL, 0, 0};
    crd_text view = text;
    crd_status status = CRD_OK;
    for (bool more = true; status == CRD_OK && more;) {
        status = crd_i_item_next(&view, &item, &more, error);
        crd_text column = {item.bytes == NULL ? "" : (const char *)item.bytes, item.length};
        if (status == CRD_OK) status = joint_setting_add_column(blocks, column, error);
    }
    crd_i_buffer_clear(&item);
    if (status != CRD_OK || blocks->items[blocks->count - 1].count >= blocks->least) return status;
    char quoted[CRD_I_QUOTED_ROOM];
    return crd_i_fail(error, CRD_ERROR_SETTING,
                      "joint does not accept '%s': it accepts none, all, numbers, categories, or two columns or more "
                      "with commas between them",
                      crd_i_quote(crd_i_text_trim(text), quoted));
}

static int joint_setting_compare_columns(const void *a, const void *b) {
    return crd_i_text_compare(*(const crd_text *)a, *(const crd_text *)b);
}

static int joint_setting_compare_blocks(const void *a, const void *b) {
    return joint_setting_compare_columns(((const block *)a)->columns, ((const block *)b)->columns);
}

/* Converts the blocks to the fields of the settings: all columns one after the other, and the end of each block. */
static crd_status keep_blocks(setting_blocks *blocks, crd_i_dictionary **out_columns, size_t **out_ends,
                              crd_error *error) {
    crd_i_dictionary *columns = crd_i_dictionary_create(blocks->context);
    size_t *ends = crd_i_alloc(blocks->context, blocks->count, sizeof *ends);
    bool done = columns != NULL && ends != NULL;
    for (size_t i = 0; done && i < blocks->count; i++) {
        qsort(blocks->items[i].columns, blocks->items[i].count, sizeof *blocks->items[i].columns,
              joint_setting_compare_columns);
        for (size_t j = 0; done && j < blocks->items[i].count; j++)
            done = crd_i_dictionary_add(columns, blocks->items[i].columns[j]) >= 0;
        ends[i] = crd_i_dictionary_size(columns);
    }
    if (!done) {
        crd_i_dictionary_destroy(columns);
        crd_free(blocks->context, ends);
        return crd_i_fail_memory(error);
    }
    *out_columns = columns;
    *out_ends = ends;
    return CRD_OK;
}

static crd_status joint_setting_read_blocks(setting_blocks *blocks, crd_text text, crd_error *error) {
    blocks->met = crd_i_dictionary_create(blocks->context);
    crd_status status = blocks->met == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (bool more = true; status == CRD_OK && more;)
        status = joint_setting_add_block(blocks, joint_setting_take_block(&text, &more), error);
    return status;
}

crd_status crd_i_joint_parse(crd_settings *settings, crd_text text, crd_error *error) {
    setting_blocks blocks = {.context = settings->context, .setting = "joint", .least = 2};
    crd_status status = joint_setting_read_blocks(&blocks, text, error);
    for (size_t i = 0; status == CRD_OK && i < blocks.count; i++)
        qsort(blocks.items[i].columns, blocks.items[i].count, sizeof *blocks.items[i].columns,
              joint_setting_compare_columns);
    if (status == CRD_OK) {
        qsort(blocks.items, blocks.count, sizeof *blocks.items, joint_setting_compare_blocks);
        status = keep_blocks(&blocks, &settings->joint_columns, &settings->joint_ends, error);
    }
    if (status == CRD_OK) {
        settings->joint = CRD_I_TOGETHER_BLOCKS;
        settings->joint_count = blocks.count;
    }
    joint_setting_clear(&blocks);
    return status;
}

crd_status crd_i_tiers_parse(crd_settings *settings, crd_text text, crd_error *error) {
    setting_blocks blocks = {.context = settings->context, .setting = "tiers", .least = 1};
    crd_status status = joint_setting_read_blocks(&blocks, text, error);
    if (status == CRD_OK && blocks.count < 2)
        status = crd_i_fail(error, CRD_ERROR_SETTING,
                            "tiers has one tier: it accepts none, or two or more with semicolons between them");
    if (status == CRD_OK) status = keep_blocks(&blocks, &settings->tier_columns, &settings->tier_ends, error);
    if (status == CRD_OK) settings->tier_count = blocks.count;
    joint_setting_clear(&blocks);
    return status;
}

static char *blocks_text(crd_context *context, const crd_i_dictionary *columns, const size_t *ends, size_t count) {
    crd_i_buffer out = {context, NULL, 0, 0};
    bool done = true;
    for (size_t i = 0, index = 0; done && i < count; i++) {
        if (i > 0) done = crd_i_buffer_append(&out, ";", 1);
        for (bool is_first = true; done && index < ends[i]; index++, is_first = false)
            done = crd_i_item_append_name(&out, is_first, crd_i_dictionary_text(columns, index));
    }
    if (!done || !crd_i_buffer_append(&out, "", 1)) {
        crd_i_buffer_clear(&out);
        return NULL;
    }
    return (char *)out.bytes;
}

char *crd_i_joint_text(const crd_settings *settings) {
    return blocks_text(settings->context, settings->joint_columns, settings->joint_ends, settings->joint_count);
}

char *crd_i_tiers_text(const crd_settings *settings) {
    return blocks_text(settings->context, settings->tier_columns, settings->tier_ends, settings->tier_count);
}
