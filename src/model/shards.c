/* SPDX-License-Identifier: MIT */
/* shards.c - see model_internal.h. */
#include "model/model_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum { MOST_SHARDS = 1000000, MOST_CURRENCY = 1000, BITS = 64 };

struct crd_i_shards {
    crd_context *context;
    unsigned count; /* number of shards of the table */
    /* Bit i % 64 of word i / 64 is set if the model contains shard i, from 0. At least one bit is set, and not all. */
    uint64_t *present;
    crd_i_part_evidence *columns;
};

/* ---- Sets ---- */

static size_t word_count(unsigned count) {
    return count / BITS + 1;
}

static bool shards_has(const crd_i_shards *shards, unsigned shard) {
    return (shards->present[shard / BITS] >> shard % BITS & 1) != 0;
}

static void add_shard(crd_i_shards *shards, unsigned shard) {
    shards->present[shard / BITS] |= UINT64_C(1) << shard % BITS;
}

bool crd_i_shards_are_all(const crd_i_shards *shards) {
    size_t word = 0;
    while (word < shards->count / BITS && shards->present[word] == UINT64_MAX) word++;
    return word == shards->count / BITS && shards->present[word] == (UINT64_C(1) << shards->count % BITS) - 1;
}

static crd_i_shards *shards_create(crd_context *context, unsigned count) {
    crd_i_shards *shards = crd_i_alloc_zeroed(context, 1, sizeof *shards);
    if (shards == NULL) return NULL;
    shards->context = context;
    shards->count = count;
    shards->present = crd_i_alloc_zeroed(context, word_count(count), sizeof *shards->present);
    if (shards->present != NULL) return shards;
    crd_free(context, shards);
    return NULL;
}

void crd_i_shards_destroy(crd_i_shards *shards) {
    if (shards == NULL) return;
    crd_i_part_evidence_destroy(shards->columns);
    crd_free(shards->context, shards->present);
    crd_free(shards->context, shards);
}

crd_status crd_i_shards_create(crd_context *context, unsigned shard, unsigned count, crd_i_part_evidence *columns,
                               crd_i_shards **out, crd_error *error) {
    bool is_any_open = false;
    *out = NULL;
    for (size_t i = 0; i < columns->count; i++) is_any_open = is_any_open || columns->fields[i].is_open;
    if (is_any_open && count > 1) *out = shards_create(context, count);
    if (*out == NULL) {
        crd_i_part_evidence_destroy(columns);
        return is_any_open && count > 1 ? crd_i_fail_memory(error) : CRD_OK;
    }
    (*out)->columns = columns;
    add_shard(*out, shard - 1);
    return CRD_OK;
}

const crd_i_part_evidence *crd_i_shards_columns(const crd_i_shards *shards) {
    return shards->columns;
}

/* Adds the shards of another set with the same `count`. false: out of memory. */
static bool add_shards(crd_i_shards *shards, const crd_i_shards *other) {
    bool done = true;
    for (size_t i = 0; i < word_count(shards->count); i++) shards->present[i] |= other->present[i];
    for (size_t i = 0; done && i < shards->columns->count; i++)
        done = crd_i_field_evidence_combine(shards->context, &shards->columns->fields[i], &other->columns->fields[i],
                                            CRD_I_MOST_TEXTS_OF_PARTS);
    return done;
}

crd_status crd_i_shards_clone(const crd_i_shards *shards, crd_i_shards **out, crd_error *error) {
    *out = NULL;
    if (shards == NULL) return CRD_OK;
    crd_i_shards *copy = shards_create(shards->context, shards->count);
    if (copy != NULL) copy->columns = crd_i_part_evidence_create_like(shards->columns, shards->columns->count);
    if (copy == NULL || copy->columns == NULL || !add_shards(copy, shards)) {
        crd_i_shards_destroy(copy);
        return crd_i_fail_memory(error);
    }
    *out = copy;
    return CRD_OK;
}

/* ---- Merging ---- */

void crd_i_shards_hint(crd_error *error) {
    crd_i_error_hint(error, "train every shard with schema=FILE, the schema of all rows");
}

static crd_status shards_refuse(crd_error *error, const char *description) {
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "%s", description);
    crd_i_shards_hint(error);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

crd_status crd_i_shards_check_apart(const crd_i_shards *mine, const crd_i_shards *theirs, crd_error *error) {
    if (mine == NULL || theirs == NULL)
        return shards_refuse(error, "one model contains only some shards of a table, and the column types depend on "
                                    "all of them: merge the other shards first, without models of other rows");
    const char *difference = crd_i_part_evidence_difference(mine->columns, theirs->columns);
    if (mine->count != theirs->count) difference = "the models are shards of tables with different numbers of shards";
    if (difference != NULL) return shards_refuse(error, difference);
    bool is_apart = true, is_within = true;
    for (size_t i = 0; i < word_count(mine->count); i++) {
        is_apart = is_apart && (mine->present[i] & theirs->present[i]) == 0;
        is_within = is_within && (theirs->present[i] & ~mine->present[i]) == 0;
    }
    if (is_apart) return CRD_OK;
    unsigned first = 0;
    while (!shards_has(mine, first) || !shards_has(theirs, first)) first++;
    return crd_i_fail(error, is_within ? CRD_ERROR_DUPLICATE : CRD_ERROR_OVERLAP,
                      "the model contains shard %u of %u already", first + 1, mine->count);
}

crd_status crd_i_shards_unite(const crd_i_shards *mine, const crd_i_shards *theirs, crd_i_shards **out,
                              crd_error *error) {
    crd_status status = crd_i_shards_clone(mine, out, error);
    if (status != CRD_OK || add_shards(*out, theirs)) return status;
    crd_i_shards_destroy(*out);
    *out = NULL;
    return crd_i_fail_memory(error);
}

/* ---- Files ---- */

/* Flags of a part, and flags of a column. */
enum {
    DETECTS_FORMATS = 1,
    SPLITS_DATES = 2,
    IS_FILE = 4,
    BY_NAME = 8,
    HAS_POINT = 16,
    STATES_COMMA = 32,
    ALL_OF_PART = 63
};
enum {
    IS_OPEN = 1,
    HAS_WORDS = 2,
    HAS_UNREAD_MARKS = 4,
    HAS_CELLS = 8,
    MARK = 16,
    TIME = 32,
    DECIMALS = 64,
    DAYS = 128,
    CURRENCIES = 256,
    ALL_OF_COLUMN = 511
};

static uint8_t flags_of_part(const crd_i_part_evidence *part) {
    return (uint8_t)((part->finds_formats ? DETECTS_FORMATS : 0) | (part->splits_dates ? SPLITS_DATES : 0) |
                     (part->is_file ? IS_FILE : 0) | (part->by_name ? BY_NAME : 0) |
                     (part->point != '\0' ? HAS_POINT : 0) | (part->states_comma ? STATES_COMMA : 0));
}

static unsigned flags_of_column(const crd_i_field_evidence *field) {
    const crd_i_column_format_evidence *formats = &field->formats;
    return (IS_OPEN | (formats->cells > 0 ? HAS_CELLS : 0) | (field->has_words ? HAS_WORDS : 0) |
            (field->has_unread_marks ? HAS_UNREAD_MARKS : 0) | (formats->has_mark ? MARK : 0) |
            (formats->has_time ? TIME : 0) | (formats->decimals_differ ? DECIMALS : 0) |
            (formats->days_differ ? DAYS : 0) | (formats->has_currencies ? CURRENCIES : 0));
}

void crd_i_shards_write(const crd_i_shards *shards, crd_i_encoder *encoder) {
    const crd_i_part_evidence *part = shards->columns;
    crd_i_encode_u32(encoder, shards->count);
    for (unsigned i = 0, limit = 0; i < shards->count; i++) {
        if (!shards_has(shards, i)) continue;
        crd_i_encode_varint(encoder, i + 1 - limit);
        limit = i + 1;
    }
    crd_i_encode_varint(encoder, 0);
    crd_i_encode_u8(encoder, flags_of_part(part));
    crd_i_encode_u32(encoder, (uint32_t)part->count);
    for (size_t i = 0; i < part->count; i++) {
        const crd_i_field_evidence *field = &part->fields[i];
        crd_i_encode_varint(encoder, field->is_open ? flags_of_column(field) : 0);
        if (!field->is_open) continue;
        crd_i_encode_u8(encoder, (uint8_t)field->type);
        crd_i_encode_varint(encoder, field->formats.fits);
        crd_i_encode_varint(encoder, (uint64_t)field->formats.currency);
        crd_i_encode_bytes(encoder, field->formats.spellings, sizeof field->formats.spellings);
    }
}

static bool shards_read_column(crd_i_cursor *cursor, uint64_t flags, crd_i_field_evidence *field) {
    crd_i_column_format_evidence *formats = &field->formats;
    const uint8_t type = crd_i_decode_u8(cursor);
    const uint64_t fits = crd_i_decode_varint(cursor), currency = crd_i_decode_varint(cursor);
    field->is_open = true;
    field->type = (crd_column_type)type;
    field->has_words = (flags & HAS_WORDS) != 0;
    field->has_unread_marks = (flags & HAS_UNREAD_MARKS) != 0;
    formats->cells = (flags & HAS_CELLS) != 0;
    formats->has_mark = (flags & MARK) != 0;
    formats->has_time = (flags & TIME) != 0;
    formats->decimals_differ = (flags & DECIMALS) != 0;
    formats->days_differ = (flags & DAYS) != 0;
    formats->has_currencies = (flags & CURRENCIES) != 0;
    if (type > CRD_TYPE_CATEGORICAL || fits >> CRD_I_READING_COUNT != 0 || currency > MOST_CURRENCY) return false;
    formats->fits = (unsigned)fits;
    formats->currency = (int)currency;
    unsigned spellings = 0;
    for (size_t i = 0; i < CRD_I_BOOLEAN_WORDS; i++) {
        formats->spellings[i] = crd_i_decode_u8(cursor);
        spellings |= formats->spellings[i];
    }
    /* A field without cells has no other evidence. */
    const bool is_empty =
        fits == 0 && currency == 0 && spellings == 0 && (flags & ~(uint64_t)(IS_OPEN | HAS_WORDS)) == 0;
    return formats->cells > 0 ? spellings < 16 : is_empty;
}

/* Returns whether evidence is in the form in which it is stored, without anything that no format depends on. So equal
 * models have equal bytes. */
static bool is_reduced(crd_context *context, const crd_i_field_evidence *field) {
    crd_i_field_evidence kept = {.type = CRD_TYPE_NONE};
    return crd_i_field_evidence_combine(context, &kept, field, 0) && flags_of_column(&kept) == flags_of_column(field) &&
           kept.formats.fits == field->formats.fits && kept.formats.currency == field->formats.currency &&
           memcmp(kept.formats.spellings, field->formats.spellings, sizeof kept.formats.spellings) == 0;
}

static bool shards_read_part(crd_i_cursor *cursor, crd_i_shards *shards) {
    const uint8_t flags = crd_i_decode_u8(cursor);
    const uint32_t count = crd_i_decode_u32(cursor);
    bool is_any_open = false;
    if (flags > ALL_OF_PART || !crd_i_cursor_holds(cursor, count, 1)) return false;
    crd_i_part_evidence *part = crd_i_part_evidence_create(shards->context, count);
    shards->columns = part;
    if (part == NULL) return true;
    part->finds_formats = (flags & DETECTS_FORMATS) != 0;
    part->splits_dates = (flags & SPLITS_DATES) != 0;
    part->is_file = (flags & IS_FILE) != 0;
    part->by_name = (flags & BY_NAME) != 0;
    part->point = (flags & HAS_POINT) != 0 ? ',' : '\0';
    part->states_comma = (flags & STATES_COMMA) != 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t of_column = crd_i_decode_varint(cursor);
        is_any_open = is_any_open || of_column != 0;
        if (of_column != 0 && (of_column > ALL_OF_COLUMN || (of_column & IS_OPEN) == 0 ||
                               !shards_read_column(cursor, of_column, &part->fields[i]) ||
                               !is_reduced(shards->context, &part->fields[i])))
            return false;
    }
    return is_any_open && !cursor->failed;
}

static bool read_present(crd_i_cursor *cursor, crd_i_shards *shards) {
    uint64_t index = 0, step;
    while ((step = crd_i_decode_varint(cursor)) != 0) {
        if (step > shards->count - index) return false;
        index += step;
        add_shard(shards, (unsigned)index - 1);
    }
    return index > 0 && !cursor->failed && !crd_i_shards_are_all(shards);
}

crd_status crd_i_shards_read(crd_context *context, crd_i_cursor *cursor, crd_i_shards **out, crd_error *error) {
    const uint32_t count = crd_i_decode_u32(cursor);
    *out = NULL;
    const bool is_count = count > 1 && count <= MOST_SHARDS;
    crd_i_shards *shards = is_count ? shards_create(context, count) : NULL;
    if (is_count && shards == NULL) return crd_i_fail_memory(error);
    const bool is_well = is_count && read_present(cursor, shards) && shards_read_part(cursor, shards);
    if (is_well && shards->columns != NULL) {
        *out = shards;
        return CRD_OK;
    }
    crd_i_shards_destroy(shards);
    if (is_well) return crd_i_fail_memory(error);
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "the model file is damaged: its list of shards is invalid");
}
