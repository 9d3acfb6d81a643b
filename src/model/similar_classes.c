/* SPDX-License-Identifier: MIT */
/* similar_classes.c - class names that probably denote one class in two spellings, and weighted rows of classes. See
 * similar_classes.h and credence/model.h.
 *
 * Contents:
 *   1. Similar class names
 *   2. Class rows */
#include "model/similar_classes.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "text/tokens.h"

#include <credence/number.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Similar class names ======== */

enum {
    MOST_DIGITS = 15,    /* longest number that is compared as a number */
    MOST_BYTES = 256,    /* memory for a folded name; longer names are compared unchanged */
    MOST_COMPARED = 2000 /* maximum number of classes that are compared with each other */
};

static crd_text similar_classes_trim(crd_text text) {
    while (text.length > 0 && strchr(" \t\r\n", text.bytes[0]) != NULL && text.bytes[0] != '\0')
        text.bytes++, text.length--;
    while (text.length > 0 && strchr(" \t\r\n", text.bytes[text.length - 1]) != NULL &&
           text.bytes[text.length - 1] != '\0')
        text.length--;
    return text;
}

/* Writes the text in lower case to `destination`. Returns its length, or 0 if the text is too long. */
static size_t similar_classes_fold(crd_text text, char *destination) {
    size_t length = MOST_BYTES;
    bool is_ascii = text.length < MOST_BYTES / 4;
    for (size_t i = 0; is_ascii && i < text.length; i++) {
        const char byte = text.bytes[i];
        destination[i] = (char)(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
        is_ascii = (unsigned char)byte < 0x80;
    }
    if (is_ascii) return text.length;
    if (text.length >= MOST_BYTES / 4) return 0;
    return crd_i_unicode_normalize(text, true, destination, &length, NULL) == CRD_OK ? length : 0;
}

bool crd_i_names_are_similar(crd_text a, crd_text b) {
    char folded[2][MOST_BYTES];
    double numbers[2];
    if (crd_text_equal(a, b)) return false;
    /* Doubles do not distinguish longer numbers, such as identifiers. */
    const bool are_short = a.length <= MOST_DIGITS && b.length <= MOST_DIGITS;
    if (are_short && crd_number_parse(a, &numbers[0]) == CRD_NUMBER_FINITE &&
        crd_number_parse(b, &numbers[1]) == CRD_NUMBER_FINITE)
        return numbers[0] == numbers[1];
    a = similar_classes_trim(a);
    b = similar_classes_trim(b);
    const size_t lengths[] = {similar_classes_fold(a, folded[0]), similar_classes_fold(b, folded[1])};
    if (lengths[0] == 0 || lengths[1] == 0) return crd_text_equal(a, b);
    return lengths[0] == lengths[1] && memcmp(folded[0], folded[1], lengths[0]) == 0;
}

size_t crd_summary_similar_class(const crd_summary *summary, crd_text name) {
    size_t found = CRD_NONE;
    for (size_t i = summary->class_count; i-- > 0;) {
        const crd_text known = summary->classes[i].name;
        if (crd_text_equal(known, name)) return CRD_NONE;
        if (crd_i_names_are_similar(known, name)) found = i;
    }
    return found;
}

typedef struct class_key {
    uint64_t key;
    size_t index;
} class_key;

static int similar_classes_compare_keys(const void *left, const void *right) {
    const class_key *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Returns a hash that similar names share (FNV-1a). It covers the value of a short number, otherwise the text in lower
 * case. */
static uint64_t similarity_key(crd_text name) {
    char folded[MOST_BYTES];
    double number;
    name = similar_classes_trim(name);
    if (name.length <= MOST_DIGITS && crd_number_parse(name, &number) == CRD_NUMBER_FINITE) {
        number += 0.0; /* -0 becomes 0 */
        name = (crd_text){memcpy(folded, &number, sizeof number), sizeof number};
    } else {
        const size_t length = similar_classes_fold(name, folded);
        if (length > 0) name = (crd_text){folded, length};
    }
    uint64_t key = 0xcbf29ce484222325;
    for (size_t i = 0; i < name.length; i++) key = (key ^ (unsigned char)name.bytes[i]) * 0x100000001b3;
    return key;
}

int crd_summary_similar_classes(const crd_summary *summary, size_t *first, size_t *second) {
    class_key keys[MOST_COMPARED];
    const size_t count = summary->class_count;
    int pairs = 0;
    if (count > MOST_COMPARED) return 0;
    for (size_t i = 0; i < count; i++) keys[i] = (class_key){similarity_key(summary->classes[i].name), i};
    qsort(keys, count, sizeof *keys, similar_classes_compare_keys);
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && keys[k].key == keys[i].key; k++) {
            const size_t a = keys[i].index, b = keys[k].index;
            if (!crd_i_names_are_similar(summary->classes[a].name, summary->classes[b].name)) continue;
            if (pairs++ > 0 && (a > *first || (a == *first && b > *second))) continue;
            *first = a;
            *second = b;
        }
    return pairs;
}

/* Returns whether a model has rows of a class, or declares the class. */
static bool similar_classes_has_class(const crd_model *model, size_t code, crd_text name) {
    const crd_i_dictionary *declared = model->schema->columns[model->schema->target].values;
    return crd_i_model_class_rows(model, code) > 0 || (declared != NULL && crd_i_dictionary_find(declared, name) >= 0);
}

/* Returns the class of the model that is similar to a name; CRD_NONE: there is none, or the name itself is a class. */
static size_t similar_classes_find(const crd_model *model, const crd_i_dictionary *classes, crd_text name) {
    size_t found = CRD_NONE;
    for (size_t code = crd_i_dictionary_size(classes); code-- > 0;) {
        const crd_text known = crd_i_dictionary_text(classes, code);
        if (!similar_classes_has_class(model, code, known)) continue;
        if (crd_text_equal(known, name)) return CRD_NONE;
        if (crd_i_names_are_similar(known, name)) found = code;
    }
    return found;
}

crd_status crd_i_model_check_new_classes(const crd_model *model, const crd_model *batch, crd_error *error) {
    if (model->schema->lacks_target || crd_i_tally_is_empty(crd_i_model_target(model)->tally)) return CRD_OK;
    const crd_i_dictionary *known = crd_i_model_target(model)->values, *added = crd_i_model_target(batch)->values;
    for (size_t code = 0; added != NULL && known != NULL && code < crd_i_dictionary_size(added); code++) {
        const crd_text name = crd_i_dictionary_text(added, code);
        if (crd_i_model_class_rows(batch, code) <= 0) continue;
        const size_t similar = similar_classes_find(model, known, name);
        char quoted[2][CRD_I_QUOTED_ROOM];
        if (similar == CRD_NONE) continue;
        crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "the class '%s' is new, and differs only in spelling from '%s'",
                   crd_i_quote(name, quoted[0]), crd_i_quote(crd_i_dictionary_text(known, similar), quoted[1]));
        crd_i_error_hint(error, "use the known spelling, or add the class with new-classes=yes");
        return CRD_ERROR_SCHEMA_DIFFERS;
    }
    return CRD_OK;
}

/* ======== 2. Class rows ======== */

void crd_i_class_rows_init(crd_i_class_rows *rows, crd_context *context) {
    memset(rows, 0, sizeof *rows);
    rows->context = rows->groups.context = context;
}

void crd_i_class_rows_clear(crd_i_class_rows *rows) {
    crd_free(rows->context, rows->conditions);
    crd_free(rows->context, rows->weights);
    crd_free(rows->context, rows->numbers);
    crd_free(rows->context, rows->codes);
    crd_i_groups_clear(&rows->groups);
}

bool crd_i_class_rows_make(crd_i_class_rows *rows, const int32_t *conditions, size_t row_count, size_t classes) {
    if (rows->is_made) return true;
    rows->conditions = crd_i_alloc(rows->context, classes, sizeof *rows->conditions);
    rows->weights = crd_i_alloc_zeroed(rows->context, classes, sizeof *rows->weights);
    rows->numbers = crd_i_alloc(rows->context, classes, sizeof *rows->numbers);
    rows->codes = crd_i_alloc(rows->context, classes, sizeof *rows->codes);
    if (rows->conditions == NULL || rows->weights == NULL || rows->numbers == NULL || rows->codes == NULL) return false;
    for (size_t row = 0; row < row_count; row++)
        if (conditions[row] >= 0) rows->weights[conditions[row]]++;
    for (size_t k = 0; k < classes; k++) {
        if (rows->weights[k] == 0) continue;
        rows->conditions[rows->count] = (int32_t)k;
        rows->weights[rows->count++] = rows->weights[k];
    }
    rows->is_made = crd_i_groups_init(&rows->groups, rows->context, rows->conditions, rows->weights, rows->count);
    return rows->is_made;
}

bool crd_i_class_rows_add(const crd_i_class_rows *rows, crd_i_variable *variable, const crd_i_column *column,
                          size_t classes) {
    bool is_number = column->type == CRD_TYPE_NUMERIC;
    int32_t code = 0;
    if (!is_number) {
        crd_text value = crd_i_dictionary_text(column->dictionary, (size_t)column->codes[0]);
        code = crd_i_dictionary_add(variable->values, value);
        if (code < 0) return false;
    }
    for (size_t k = 0; k < rows->count; k++) {
        rows->numbers[k] = is_number ? column->numbers[0] : 0;
        rows->codes[k] = code;
    }
    crd_i_cells cells = {.rows = rows->count};
    cells.numbers = is_number ? rows->numbers : NULL;
    cells.codes = is_number ? NULL : rows->codes;
    crd_i_tally *tally = variable->tally;
    size_t values = is_number ? 0 : crd_i_dictionary_size(variable->values);
    if (!tally->type->extend(tally, classes, values) || !tally->type->add(tally, &cells, &rows->groups)) return false;
    for (size_t i = 0; i < CRD_I_MOST_EXTRAS; i++) {
        crd_i_tally *extra = variable->extra[i];
        if (extra != NULL &&
            (!extra->type->extend(extra, classes, 0) || !extra->type->add(extra, &cells, &rows->groups)))
            return false;
    }
    return true;
}
