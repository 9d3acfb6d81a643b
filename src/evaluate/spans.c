/* SPDX-License-Identifier: MIT */
/* spans.c - true and predicted spans in sequences of labels. See credence/evaluate.h.
 *
 * A label consists of a tag and a type. A span continues from one item to the next if both have the same type and
 * neither tag is a boundary. See Tjong Kim Sang and Buchholz (2000). It ends after E and S, before B, S and O, and when
 * the type changes. The next item then begins a span unless it is O. So the schemes IOB1, IOB2, BIOES and BILOU need
 * not be distinguished; BILOU writes L for E and U for S.
 *
 * Without tags, runs of equal labels are spans: all tags are I, and the type is the whole label. */
#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "evaluate/evaluation.h"

#include <credence/evaluate.h>

#include <math.h>
#include <string.h>

enum { TRUE_SIDE, NAMED_SIDE, SIDES };

/* A label and the span that contains it. */
typedef struct place {
    char tag;     /* 'O': outside of any span */
    int32_t type; /* -1 for O */
    uint64_t start;
} place;

typedef struct type_counts {
    uint64_t truths, named, correct;
} type_counts;

/* The spans of one interpretation of the labels: with tags or as runs. */
typedef struct spans_tracker {
    crd_i_dictionary *types;
    type_counts *counts;
    size_t capacity;
    place last[SIDES];
} spans_tracker;

struct crd_spans {
    crd_context *context;
    crd_span_scheme scheme;
    spans_tracker runs, tags;
    uint64_t item;
    /* Properties of the labels so far, which determine the scheme if it is CRD_SPANS_AUTO. */
    bool has_other, has_typed, has_begin, has_outside;
};

static const place outside = {'O', -1, 0};

static void spans_clear_places(crd_spans *spans) {
    for (size_t side = 0; side < SIDES; side++) spans->runs.last[side] = spans->tags.last[side] = outside;
}

crd_status crd_i_spans_create(crd_context *context, crd_span_scheme scheme, crd_spans **out, crd_error *error) {
    *out = NULL;
    crd_spans *spans = crd_i_alloc_zeroed(context, 1, sizeof *spans);
    if (spans == NULL) return crd_i_fail_memory(error);
    spans->context = context;
    spans->scheme = scheme;
    spans->runs.types = crd_i_dictionary_create(context);
    spans->tags.types = crd_i_dictionary_create(context);
    spans_clear_places(spans);
    if (spans->runs.types == NULL || spans->tags.types == NULL) {
        crd_i_spans_destroy(spans);
        return crd_i_fail_memory(error);
    }
    *out = spans;
    return CRD_OK;
}

void crd_i_spans_destroy(crd_spans *spans) {
    if (spans == NULL) return;
    crd_i_dictionary_destroy(spans->runs.types);
    crd_i_dictionary_destroy(spans->tags.types);
    crd_free(spans->context, spans->runs.counts);
    crd_free(spans->context, spans->tags.counts);
    crd_free(spans->context, spans);
}

/* ---- Labels ---- */

/* Returns the tag of a label, and sets *type to the text after "-". A label without a tag returns I, and its type is
 * the whole label. */
static char spans_parse_label(crd_text label, crd_text *type, bool *is_tagged) {
    *type = label;
    *is_tagged = label.length > 0 && (label.length == 1 || label.bytes[1] == '-') &&
                 strchr("BIESLUO", label.bytes[0]) != NULL && !(label.bytes[0] == 'O' && label.length > 1);
    if (!*is_tagged) return 'I';
    *type = label.length > 2 ? (crd_text){label.bytes + 2, label.length - 2} : (crd_text){"", 0};
    return label.bytes[0] == 'L' ? 'E' : label.bytes[0] == 'U' ? 'S' : label.bytes[0];
}

/* Records the properties of a label. */
static void spans_look(crd_spans *spans, crd_text label, char tag, bool is_tagged) {
    spans->has_other = spans->has_other || !is_tagged;
    spans->has_typed = spans->has_typed || (is_tagged && label.length > 2);
    spans->has_begin = spans->has_begin || (is_tagged && tag == 'B');
    spans->has_outside = spans->has_outside || (is_tagged && tag == 'O');
}

/* Labels are tags if all of them have tags, and either some have types, or both B and O occur. */
crd_span_scheme crd_spans_scheme(const crd_spans *spans) {
    if (spans->scheme != CRD_SPANS_AUTO) return spans->scheme;
    const bool are_tags = !spans->has_other && (spans->has_typed || (spans->has_begin && spans->has_outside));
    return are_tags ? CRD_SPANS_TAGS : CRD_SPANS_RUNS;
}

/* ---- Spans ---- */

/* Finds the code of a type, which is added if it is new. */
static crd_status spans_find_type(crd_spans *spans, spans_tracker *tracker, crd_text type, int32_t *code,
                                  crd_error *error) {
    const size_t known = crd_i_dictionary_size(tracker->types);
    *code = crd_i_dictionary_find(tracker->types, type);
    if (*code >= 0) return CRD_OK;
    if (!crd_i_reserve(spans->context, &tracker->counts, &tracker->capacity, known + 1, sizeof *tracker->counts))
        return crd_i_fail_memory(error);
    *code = crd_i_dictionary_add(tracker->types, type);
    if (*code < 0) return crd_i_fail_memory(error);
    tracker->counts[known] = (type_counts){0, 0, 0};
    return CRD_OK;
}

/* Returns whether the last span ends before an item with this tag and type. */
static bool ends_before(const place *last, char tag, int32_t type) {
    return last->tag != 'O' &&
           (tag == 'O' || tag == 'B' || tag == 'S' || last->tag == 'E' || last->tag == 'S' || last->type != type);
}

/* Moves to the next item, given its tag and type on both sides: counts the spans that end or begin there. A
 * predicted span is correct if start, end and type are equal to a true span. */
static void spans_go_on(spans_tracker *tracker, const place next[SIDES], uint64_t item) {
    bool ends[SIDES];
    for (size_t side = 0; side < SIDES; side++)
        ends[side] = ends_before(&tracker->last[side], next[side].tag, next[side].type);
    const place *truth = &tracker->last[TRUE_SIDE], *named = &tracker->last[NAMED_SIDE];
    if (ends[TRUE_SIDE] && ends[NAMED_SIDE] && truth->type == named->type && truth->start == named->start)
        tracker->counts[truth->type].correct++;
    for (size_t side = 0; side < SIDES; side++) {
        const bool begins = next[side].tag != 'O' && (tracker->last[side].tag == 'O' || ends[side]);
        const uint64_t start = begins ? item : tracker->last[side].start;
        if (begins && side == TRUE_SIDE) tracker->counts[next[side].type].truths++;
        if (begins && side == NAMED_SIDE) tracker->counts[next[side].type].named++;
        tracker->last[side] = next[side];
        tracker->last[side].start = start;
    }
}

/* A missing true label ends the sequence, so a span cannot continue across it. */
crd_status crd_i_spans_add(crd_spans *spans, crd_text truth, crd_text named, crd_error *error) {
    const crd_text labels[SIDES] = {truth, named};
    place runs[SIDES] = {outside, outside}, tags[SIDES] = {outside, outside};
    if (truth.bytes == NULL) {
        crd_i_spans_end_sequence(spans);
        return CRD_OK;
    }
    for (size_t side = 0; side < SIDES; side++) {
        crd_text type;
        bool is_tagged;
        if (labels[side].bytes == NULL) continue;
        const char tag = spans_parse_label(labels[side], &type, &is_tagged);
        runs[side].tag = 'I';
        tags[side].tag = tag;
        crd_status status = spans_find_type(spans, &spans->runs, labels[side], &runs[side].type, error);
        if (status == CRD_OK && tag != 'O')
            status = spans_find_type(spans, &spans->tags, type, &tags[side].type, error);
        if (status != CRD_OK) return status;
        spans_look(spans, labels[side], tag, is_tagged);
    }
    spans_go_on(&spans->runs, runs, spans->item);
    spans_go_on(&spans->tags, tags, spans->item);
    spans->item++;
    return CRD_OK;
}

void crd_i_spans_end_sequence(crd_spans *spans) {
    const place none[SIDES] = {outside, outside};
    spans_go_on(&spans->runs, none, spans->item);
    spans_go_on(&spans->tags, none, spans->item);
}

/* ---- Parts ---- */

/* Adds the types of another tracker. */
static crd_status add_types(crd_spans *spans, spans_tracker *tracker, const spans_tracker *other, crd_error *error) {
    crd_status status = CRD_OK;
    int32_t code;
    for (size_t i = 0; status == CRD_OK && i < crd_i_dictionary_size(other->types); i++)
        status = spans_find_type(spans, tracker, crd_i_dictionary_text(other->types, i), &code, error);
    return status;
}

crd_status crd_i_spans_add_types(crd_spans *spans, const crd_spans *other, crd_error *error) {
    crd_status status = add_types(spans, &spans->runs, &other->runs, error);
    return status == CRD_OK ? add_types(spans, &spans->tags, &other->tags, error) : status;
}

/* Adds the counts of another tracker, whose types are present. */
static void spans_add_counts(spans_tracker *tracker, const spans_tracker *other) {
    for (size_t i = 0; i < crd_i_dictionary_size(other->types); i++) {
        type_counts *type =
            &tracker->counts[crd_i_dictionary_find(tracker->types, crd_i_dictionary_text(other->types, i))];
        const type_counts source_counts = other->counts[i];
        type->truths += source_counts.truths;
        type->named += source_counts.named;
        type->correct += source_counts.correct;
    }
}

crd_status crd_i_spans_merge(crd_spans *spans, const crd_spans *other, crd_error *error) {
    if (spans->scheme != other->scheme)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "spans of different schemes cannot be merged");
    crd_status status = crd_i_spans_add_types(spans, other, error);
    if (status != CRD_OK) return status;
    crd_i_spans_end_sequence(spans);
    spans_add_counts(&spans->runs, &other->runs);
    spans_add_counts(&spans->tags, &other->tags);
    spans->item += other->item;
    spans->has_other = spans->has_other || other->has_other;
    spans->has_typed = spans->has_typed || other->has_typed;
    spans->has_begin = spans->has_begin || other->has_begin;
    spans->has_outside = spans->has_outside || other->has_outside;
    return CRD_OK;
}

static void write_types(const spans_tracker *tracker, crd_i_encoder *encoder) {
    crd_i_encode_names(encoder, tracker->types);
    for (size_t i = 0; i < crd_i_dictionary_size(tracker->types); i++) {
        crd_i_encode_u64(encoder, tracker->counts[i].truths);
        crd_i_encode_u64(encoder, tracker->counts[i].named);
        crd_i_encode_u64(encoder, tracker->counts[i].correct);
    }
}

void crd_i_spans_write(const crd_spans *spans, crd_i_encoder *encoder) {
    const bool flags[] = {spans->has_other, spans->has_typed, spans->has_begin, spans->has_outside};
    crd_i_encode_u32(encoder, (uint32_t)spans->scheme);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) crd_i_encode_u8(encoder, flags[i]);
    crd_i_encode_u64(encoder, spans->item);
    write_types(&spans->runs, encoder);
    write_types(&spans->tags, encoder);
}

/* Decodes types and their counts into a tracker. */
static crd_status read_types(crd_spans *spans, spans_tracker *tracker, crd_i_cursor *cursor, crd_error *error) {
    enum { COUNTS_LENGTH = 3 * 8 };
    crd_i_dictionary *types = NULL;
    crd_status status = crd_i_decode_names(spans->context, cursor, &types, error);
    if (status != CRD_OK) return status;
    crd_i_dictionary_destroy(tracker->types);
    tracker->types = types;
    const size_t count = crd_i_dictionary_size(types);
    if (!crd_i_cursor_holds(cursor, count, COUNTS_LENGTH)) return crd_i_evaluation_bytes_damaged(error);
    if (!crd_i_reserve(spans->context, &tracker->counts, &tracker->capacity, count, sizeof *tracker->counts))
        return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        tracker->counts[i].truths = crd_i_decode_u64(cursor);
        tracker->counts[i].named = crd_i_decode_u64(cursor);
        tracker->counts[i].correct = crd_i_decode_u64(cursor);
    }
    return CRD_OK;
}

/* See evaluation.h. Content: scheme, label properties, number of items, and both trackers. */
crd_status crd_i_spans_read(crd_context *context, crd_i_cursor *cursor, crd_spans **out, crd_span_scheme *scheme,
                            crd_error *error) {
    crd_spans *spans = NULL;
    *out = NULL;
    const uint32_t stated = crd_i_decode_u32(cursor);
    if (stated > CRD_SPANS_TAGS) return crd_i_evaluation_bytes_damaged(error);
    *scheme = (crd_span_scheme)stated;
    crd_status status = crd_i_spans_create(context, *scheme, &spans, error);
    if (status != CRD_OK) return status;
    spans->has_other = crd_i_decode_flag(cursor);
    spans->has_typed = crd_i_decode_flag(cursor);
    spans->has_begin = crd_i_decode_flag(cursor);
    spans->has_outside = crd_i_decode_flag(cursor);
    spans->item = crd_i_decode_u64(cursor);
    status = read_types(spans, &spans->runs, cursor, error);
    if (status == CRD_OK) status = read_types(spans, &spans->tags, cursor, error);
    if (status == CRD_OK) *out = spans;
    else crd_i_spans_destroy(spans);
    return status;
}

/* ---- Scores ---- */

static const spans_tracker *tracker_of(const crd_spans *spans) {
    return crd_spans_scheme(spans) == CRD_SPANS_TAGS ? &spans->tags : &spans->runs;
}

static double spans_share(uint64_t part, uint64_t whole) {
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static crd_span_scores spans_scores(const type_counts *counts) {
    crd_span_scores scores = CRD_SPAN_SCORES_INIT;
    scores.truths = counts->truths;
    scores.named = counts->named;
    scores.correct = counts->correct;
    scores.precision = spans_share(counts->correct, counts->named);
    scores.recall = spans_share(counts->correct, counts->truths);
    scores.f1 = spans_share(2 * counts->correct, counts->truths + counts->named);
    return scores;
}

void crd_spans_totals(const crd_spans *spans, crd_span_scores *out) {
    const spans_tracker *tracker = tracker_of(spans);
    type_counts all = {0, 0, 0};
    for (size_t i = 0; i < crd_i_dictionary_size(tracker->types); i++) {
        all.truths += tracker->counts[i].truths;
        all.named += tracker->counts[i].named;
        all.correct += tracker->counts[i].correct;
    }
    const crd_span_scores scores = spans_scores(&all);
    crd_i_copy_out(&scores, sizeof scores, out);
}

size_t crd_spans_type_count(const crd_spans *spans) {
    return crd_i_dictionary_size(tracker_of(spans)->types);
}

void crd_spans_type(const crd_spans *spans, size_t type, crd_span_scores *out) {
    const spans_tracker *tracker = tracker_of(spans);
    crd_span_scores scores = spans_scores(&tracker->counts[type]);
    scores.type = crd_i_dictionary_text(tracker->types, type);
    crd_i_copy_out(&scores, sizeof scores, out);
}
