/* method_settings.c - the settings of methods as texts: how attributes make a posterior, which of them are taken together,
 * and what is fitted beside their densities.
 *
 * Blocks of columns are lists with commas, and semicolons between blocks; a name with either stands in quotes. Their
 * canonical text has the columns of a block, and then the blocks, by their bytes. */
#include "settings/list_items.h"
#include "settings/settings_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <credence/number.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(crd_text text, const char *word) {
    return crd_text_equal(text, crd_text_of(word));
}

/* What follows `prefix`; false: it is no prefix. */
static bool behind(crd_text text, const char *prefix, crd_text *rest) {
    size_t length = strlen(prefix);
    if (text.length < length || memcmp(text.bytes, prefix, length) != 0) return false;
    rest->bytes = text.bytes + length;
    rest->length = text.length - length;
    return true;
}

static bool parse_whole(crd_text text, size_t most, size_t *out) {
    double value;
    if (crd_number_parse(text, &value) != CRD_NUMBER_FINITE || !(value >= 1 && value <= (double)most)) return false;
    *out = (size_t)value;
    return (double)*out == value;
}

static char *copy(const crd_settings *of, const char *text) {
    return (char *)crd_i_text_copy(of->context, crd_text_of(text)).bytes;
}

/* ---- Method ---- */

bool crd_i_method_parse(crd_settings *to, crd_text text) {
    crd_text rest;
    to->method_members = 0;
    if (behind(text, "bagging:", &rest)) {
        to->method = CRD_I_METHOD_BAGGING;
        return parse_whole(rest, CRD_I_MOST_MEMBERS, &to->method_members);
    }
    if (behind(text, "boosting:", &rest)) {
        to->method = CRD_I_METHOD_BOOSTING;
        return parse_whole(rest, CRD_I_MOST_MEMBERS, &to->method_members);
    }
    if (is(text, "naive")) to->method = CRD_I_METHOD_NAIVE;
    else if (is(text, "joint")) to->method = CRD_I_METHOD_JOINT;
    else if (is(text, "a1de")) to->method = CRD_I_METHOD_A1DE;
    else if (is(text, "pairs")) to->method = CRD_I_METHOD_PAIRS;
    else if (is(text, "committee")) to->method = CRD_I_METHOD_COMMITTEE;
    else if (is(text, "network")) to->method = CRD_I_METHOD_NETWORK;
    else return false;
    return true;
}

char *crd_i_method_text(const crd_settings *of) {
    static const char *const words[] = {"naive",    "joint",     "a1de",      "pairs",
                                        "bagging:", "boosting:", "committee", "network"};
    char room[32];
    if (of->method_members == 0) return copy(of, words[of->method]);
    snprintf(room, sizeof room, "%s%zu", words[of->method], of->method_members);
    return copy(of, room);
}

/* ---- Normal ---- */

static bool parse_shrinkage(crd_text text, double *out) {
    double value;
    if (crd_number_parse(text, &value) != CRD_NUMBER_FINITE || !(value >= 0 && value <= 1)) return false;
    *out = value + 0.0; /* -0 becomes 0 */
    return true;
}

bool crd_i_normal_parse(crd_settings *to, crd_text text) {
    crd_text rest;
    to->normal_shrinkage = NAN;
    to->normal_curves = 0;
    if (behind(text, "full:", &rest)) {
        to->normal = CRD_I_NORMAL_FULL;
        return parse_shrinkage(rest, &to->normal_shrinkage);
    }
    if (behind(text, "shared:", &rest)) {
        to->normal = CRD_I_NORMAL_SHARED;
        return parse_shrinkage(rest, &to->normal_shrinkage);
    }
    if (behind(text, "mixture:", &rest)) {
        to->normal = CRD_I_NORMAL_MIXTURE;
        return parse_whole(rest, CRD_I_MOST_CURVES, &to->normal_curves);
    }
    if (is(text, "auto")) to->normal = CRD_I_NORMAL_AUTO;
    else if (is(text, "full")) to->normal = CRD_I_NORMAL_FULL;
    else if (is(text, "shared")) to->normal = CRD_I_NORMAL_SHARED;
    else if (is(text, "diagonal")) to->normal = CRD_I_NORMAL_DIAGONAL;
    else if (is(text, "mixture")) to->normal = CRD_I_NORMAL_MIXTURE;
    else return false;
    return true;
}

char *crd_i_normal_text(const crd_settings *of) {
    static const char *const words[] = {"auto", "full", "shared", "diagonal", "mixture"};
    char number[CRD_NUMBER_ROOM], room[CRD_NUMBER_ROOM + 16];
    snprintf(room, sizeof room, "%s", words[of->normal]);
    if (!isnan(of->normal_shrinkage)) {
        crd_number_format(of->normal_shrinkage, number);
        snprintf(room, sizeof room, "%s:%s", words[of->normal], number);
    } else if (of->normal_curves > 0) {
        snprintf(room, sizeof room, "%s:%zu", words[of->normal], of->normal_curves);
    }
    return copy(of, room);
}

/* ---- What is fitted ---- */

bool crd_i_attribute_weights_parse(crd_settings *to, crd_text text) {
    to->exponents_fitted = is(text, "fitted");
    return to->exponents_fitted || is(text, "none");
}

char *crd_i_attribute_weights_text(const crd_settings *of) {
    return copy(of, of->exponents_fitted ? "fitted" : "none");
}

bool crd_i_calibration_parse(crd_settings *to, crd_text text) {
    if (is(text, "none")) to->calibration = CRD_I_CALIBRATION_NONE;
    else if (is(text, "isotonic")) to->calibration = CRD_I_CALIBRATION_ISOTONIC;
    else if (is(text, "scaling")) to->calibration = CRD_I_CALIBRATION_SCALING;
    else return false;
    return true;
}

char *crd_i_calibration_text(const crd_settings *of) {
    static const char *const words[] = {"none", "isotonic", "scaling"};
    return copy(of, words[of->calibration]);
}

/* ---- Blocks ---- */

static const char *const together_words[] = {"none", "all", "numbers", "categories"};

crd_i_together crd_i_settings_together(const crd_settings *settings) {
    bool is_all = settings->method == CRD_I_METHOD_JOINT && settings->joint == CRD_I_TOGETHER_NONE;
    return is_all ? CRD_I_TOGETHER_ALL : settings->joint;
}

typedef struct block {
    crd_text *columns; /* each owned */
    size_t count, capacity;
} block;

typedef struct blocks {
    crd_context *context;
    block *items;
    size_t count, capacity;
    crd_i_dictionary *met; /* the columns of all of them */
} blocks;

static void clear(blocks *of) {
    for (size_t i = 0; i < of->count; i++) {
        for (size_t j = 0; j < of->items[i].count; j++) crd_free(of->context, (void *)of->items[i].columns[j].bytes);
        crd_free(of->context, of->items[i].columns);
    }
    crd_free(of->context, of->items);
    crd_i_dictionary_destroy(of->met);
}

static crd_status add_column(blocks *to, crd_text column, crd_error *error) {
    block *last = &to->items[to->count - 1];
    char quoted[CRD_I_QUOTED_ROOM];
    if (column.length == 0) return crd_i_fail(error, CRD_ERROR_SETTING, "joint names a column without a name");
    if (crd_i_dictionary_find(to->met, column) >= 0)
        return crd_i_fail(error, CRD_ERROR_SETTING, "joint names column '%s' twice", crd_i_quote(column, quoted));
    if (crd_i_dictionary_add(to->met, column) < 0 ||
        !crd_i_reserve(to->context, &last->columns, &last->capacity, last->count + 1, sizeof *last->columns))
        return crd_i_fail_memory(error);
    last->columns[last->count] = crd_i_text_copy(to->context, column);
    if (last->columns[last->count].bytes == NULL) return crd_i_fail_memory(error);
    last->count++;
    return CRD_OK;
}

/* Up to the semicolon that is in no quotes. */
static crd_text take_block(crd_text *rest, bool *more) {
    bool in_quotes = false;
    crd_text taken = {rest->bytes, 0};
    while (taken.length < rest->length && (in_quotes || taken.bytes[taken.length] != ';'))
        if (taken.bytes[taken.length++] == '"') in_quotes = !in_quotes;
    *more = taken.length < rest->length;
    size_t used = taken.length + *more;
    rest->bytes += used;
    rest->length -= used;
    return taken;
}

static crd_status add_block(blocks *to, crd_text text, crd_error *error) {
    if (!crd_i_reserve(to->context, &to->items, &to->capacity, to->count + 1, sizeof *to->items))
        return crd_i_fail_memory(error);
    const block none = {NULL, 0, 0};
    to->items[to->count++] = none;
    crd_i_buffer item = {to->context, NULL, 0, 0};
    crd_text rest = text;
    crd_status status = CRD_OK;
    for (bool more = true; status == CRD_OK && more;) {
        status = crd_i_item_next(&rest, &item, &more, error);
        crd_text column = {item.bytes == NULL ? "" : (const char *)item.bytes, item.length};
        if (status == CRD_OK) status = add_column(to, column, error);
    }
    crd_i_buffer_clear(&item);
    if (status != CRD_OK || to->items[to->count - 1].count >= 2) return status;
    char quoted[CRD_I_QUOTED_ROOM];
    return crd_i_fail(error, CRD_ERROR_SETTING,
                      "joint does not take '%s': it takes none, all, numbers, categories, or two columns or more with "
                      "commas between them",
                      crd_i_quote(crd_i_text_trim(text), quoted));
}

static int compare_columns(const void *a, const void *b) {
    return crd_i_text_compare(*(const crd_text *)a, *(const crd_text *)b);
}

static int compare_blocks(const void *a, const void *b) {
    return compare_columns(((const block *)a)->columns, ((const block *)b)->columns);
}

/* From the blocks in order to the fields of the settings. */
static crd_status keep_blocks(crd_settings *to, blocks *from, crd_error *error) {
    for (size_t i = 0; i < from->count; i++)
        qsort(from->items[i].columns, from->items[i].count, sizeof *from->items[i].columns, compare_columns);
    qsort(from->items, from->count, sizeof *from->items, compare_blocks);
    crd_i_dictionary *columns = crd_i_dictionary_create(to->context);
    size_t *ends = crd_i_alloc(to->context, from->count, sizeof *ends);
    bool done = columns != NULL && ends != NULL;
    for (size_t i = 0; done && i < from->count; i++) {
        for (size_t j = 0; done && j < from->items[i].count; j++)
            done = crd_i_dictionary_add(columns, from->items[i].columns[j]) >= 0;
        ends[i] = crd_i_dictionary_size(columns);
    }
    if (!done) {
        crd_i_dictionary_destroy(columns);
        crd_free(to->context, ends);
        return crd_i_fail_memory(error);
    }
    to->joint = CRD_I_TOGETHER_BLOCKS;
    to->joint_columns = columns;
    to->joint_ends = ends;
    to->joint_count = from->count;
    return CRD_OK;
}

crd_status crd_i_joint_parse(crd_settings *to, crd_text text, crd_error *error) {
    to->joint_columns = NULL;
    to->joint_ends = NULL;
    to->joint_count = 0;
    for (size_t i = 0; i < sizeof together_words / sizeof *together_words; i++)
        if (is(text, together_words[i])) {
            to->joint = (crd_i_together)i;
            return CRD_OK;
        }
    blocks found = {.context = to->context, .met = crd_i_dictionary_create(to->context)};
    crd_status status = found.met == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (bool more = true; status == CRD_OK && more;) status = add_block(&found, take_block(&text, &more), error);
    if (status == CRD_OK) status = keep_blocks(to, &found, error);
    clear(&found);
    return status;
}

char *crd_i_joint_text(const crd_settings *of) {
    if (of->joint != CRD_I_TOGETHER_BLOCKS) return copy(of, together_words[of->joint]);
    crd_i_buffer out = {of->context, NULL, 0, 0};
    bool done = true;
    for (size_t i = 0, at = 0; done && i < of->joint_count; i++) {
        if (i > 0) done = crd_i_buffer_append(&out, ";", 1);
        for (bool is_first = true; done && at < of->joint_ends[i]; at++, is_first = false)
            done = crd_i_item_append_name(&out, is_first, crd_i_dictionary_text(of->joint_columns, at));
    }
    if (!done || !crd_i_buffer_append(&out, "", 1)) {
        crd_i_buffer_clear(&out);
        return NULL;
    }
    return (char *)out.bytes;
}
