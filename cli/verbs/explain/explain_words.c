/* SPDX-License-Identifier: MIT */
/* explain_words.c - see explain_words.h. */
#include "verbs/explain/explain_words.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits without --all: unknown words that are named; bytes of a text that is shown in full; for a longer text, the
 * bytes
 * shown around a marked word, the number of such parts, and their bytes in total. */
enum { UNKNOWN_NAMED = 10, SHOWN_WHOLE = 800, AROUND = 48, MOST_PARTS = 12, MOST_SHOWN = 8192 };

typedef struct ranked_word {
    size_t word;
    double nats;
} ranked_word;

/* The words of one text. */
typedef struct text_reasons {
    const reasons *r;
    size_t attribute;
    crd_text text;
    crd_text_words *words;
    ranked_word *order; /* words with a weight, by absolute weight */
    size_t count, listed;
    size_t unknown, left_out;       /* words not seen in training, and words that the settings ignore */
    const crd_text_place **sources; /* for hashed terms: the first place in the text for each term; else NULL */
} text_reasons;

static int explain_words_by_weight(const void *a, const void *b) {
    const ranked_word *x = a, *y = b;
    double first = fabs(x->nats), second = fabs(y->nats);
    if (first != second) return first < second ? 1 : -1;
    return (x->word > y->word) - (x->word < y->word);
}

static bool begins_character(crd_text text, size_t index) {
    return index >= text.length || ((unsigned char)text.bytes[index] & 0xC0) != 0x80;
}

static double explain_words_weight(const reasons *r, const double *values) {
    if (!r->paired) return 0;
    return crd_weight_of_evidence(values[r->pair[0]], values[r->pair[1]]);
}

static bool is_hashed(const reasons *r) {
    const char *hash = crd_settings_get(crd_classifier_settings(r->classifier), "hash");
    return hash != NULL && strcmp(hash, "none") != 0;
}

static const crd_text_place **find_sources(const text_reasons *t) {
    const crd_text_place *places = t->words->places;
    size_t count = t->words->place_count, words = t->words->count;
    const crd_text_place **sources = memory_resize(NULL, words, sizeof *sources);
    for (size_t i = 0; i < words; i++) sources[i] = NULL;
    for (size_t i = count; i-- > 0;) sources[places[i].word] = &places[i];
    return sources;
}

/* Opens the words of a text. If no training text had a value, out->words is NULL and the report has no member
 * "words". */
static int explain_words_open_text(const reasons *r, size_t attribute, text_reasons *out) {
    crd_error error;
    *out = (text_reasons){.r = r, .attribute = attribute, .text = r->values[attribute].text};
    crd_status status = crd_text_words_create(r->classifier, attribute, out->text, &out->words, &error);
    if (status == CRD_ERROR_EMPTY) return ENDED_WELL;
    if (status != CRD_OK) return message_error(&error);
    size_t count = out->words->count;
    out->order = memory_resize(NULL, count, sizeof *out->order);
    for (size_t i = 0; i < count; i++) {
        const crd_text_word word = out->words->words[i];
        if (word.counts) out->order[out->count++] = (ranked_word){i, explain_words_weight(r, word.values)};
        else if (word.is_known) out->left_out++;
        else out->unknown++;
    }
    if (out->count > 0) qsort(out->order, out->count, sizeof *out->order, explain_words_by_weight);
    out->listed = r->top < out->count ? r->top : out->count;
    if (is_hashed(r)) out->sources = find_sources(out);
    return ENDED_WELL;
}

static void close_text(text_reasons *t) {
    crd_text_words_destroy(t->words);
    free(t->order);
    free(t->sources);
}

/* ---- Tables ---- */

static void explain_words_add_nats(crd_result_table *t, double nats) {
    char buffer[CRD_NUMBER_ROOM];
    if (isinf(nats)) crd_cell_shown(t, nats, "%s", nats > 0 ? "+∞" : "-∞");
    else crd_cell_shown(t, nats, "%s%s", nats > 0 ? "+" : "", crd_number_round(nats, buffer));
}

static void explain_words_add_factor(crd_result_table *t, double nats) {
    string factor = {0};
    string_format(&factor, "×");
    output_add_exponential(&factor, nats);
    crd_cell_words(t, report_take(t->result, &factor));
}

/* Adds a line with a sum to the text table. */
static void explain_words_add_sum(crd_result_table *t, const char *description, double nats) {
    t->audience = CRD_FOR_PEOPLE;
    crd_cell_words(t, description);
    crd_cell_null(t);
    explain_words_add_nats(t, nats);
    crd_cell_null(t);
    explain_words_add_factor(t, nats);
}

/* Shows a hashed term with the first word of the text in its bucket, such as "cheap (#3ff)". */
static void show_source(crd_result_table *t, const text_reasons *source_reasons, size_t word) {
    const crd_text_place *place = source_reasons->sources[word];
    if (place == NULL) return;
    const crd_text_word bucket = source_reasons->words->words[word];
    const crd_text source = {source_reasons->text.bytes + place->from, place->to - place->from};
    crd_cell_show_as(t,
                     crd_result_format(t->result, "%s (%s)", crd_result_show(t->result, source),
                                       crd_result_show(t->result, bucket.term)),
                     NULL);
}

/* Reports the words with their counts and weights. */
static void report_table_of(crd_result *out, const text_reasons *source_reasons) {
    const reasons *r = source_reasons->r;
    double largest = source_reasons->count == 0 ? 0 : fabs(source_reasons->order[0].nats), others = 0, total = 0;
    crd_result_table *t = crd_result_add_table(out, "words");
    t->is_short = true;
    crd_result_add_column(t, "word", "word");
    crd_result_add_column(t, "times", "times");
    crd_result_add_column(t, "weight", "nats");
    column_add_bar(t);
    crd_result_add_column(t, NULL, "factor")->is_left = true;
    for (size_t i = 0; i < source_reasons->count; i++) {
        const crd_text_word word = source_reasons->words->words[source_reasons->order[i].word];
        double nats = source_reasons->order[i].nats;
        total += nats;
        if (i >= source_reasons->listed) others += nats;
        if (i >= source_reasons->listed && (r->only_top || !crd_result_is_for(out, CRD_FOR_MACHINES))) continue;
        t->audience = i < source_reasons->listed ? CRD_FOR_ALL : CRD_FOR_MACHINES;
        crd_cell_name(t, word.term);
        if (i < source_reasons->listed && source_reasons->sources != NULL)
            show_source(t, source_reasons, source_reasons->order[i].word);
        crd_cell_count(t, (double)word.times);
        explain_words_add_nats(t, nats);
        crd_cell_bar(t, nats == 0 || isinf(nats) ? nats : nats / largest);
        explain_words_add_factor(t, nats);
    }
    size_t more = source_reasons->count - source_reasons->listed;
    double whole = explain_words_weight(r, source_reasons->words->whole);
    if (more > 0) explain_words_add_sum(t, crd_result_format(out, "%zu other%s", more, more == 1 ? "" : "s"), others);
    if (whole != 0) explain_words_add_sum(t, "words not in the text", whole);
    explain_words_add_sum(t, "total", total + whole);
    crd_result_number(out, "whole", whole);
    crd_result_number(out, "total", total + whole);
}

/* Reports in JSON the log likelihood of each listed word for each class. */
static void explain_words_report_classes(crd_result *out, const text_reasons *source_reasons) {
    const reasons *r = source_reasons->r;
    size_t classes = crd_classifier_class_count(r->classifier);
    /* The terms of log P(text | class), for JSON. */
    crd_result_table *t = crd_result_add_table(out, "log_values");
    t->is_hidden = true;
    t->shape = CRD_TABLE_NESTED;
    crd_result_add_column(t, "word", NULL);
    crd_result_add_column(t, "class", NULL);
    crd_result_add_column(t, "log_value", NULL);
    for (size_t i = 0; i < source_reasons->listed && crd_result_is_for(out, CRD_FOR_MACHINES); i++) {
        const crd_text_word word = source_reasons->words->words[source_reasons->order[i].word];
        for (size_t k = 0; k < classes; k++) {
            crd_cell_name(t, word.term);
            crd_cell_name(t, crd_classifier_class(r->classifier, k));
            crd_cell_number(t, word.values[k]);
        }
    }
}

/* Reports the words that have no weight. */
static void report_unknown(crd_result *out, const text_reasons *source_reasons) {
    string names = {0};
    size_t named = 0;
    crd_result_begin(out, CRD_ARRAY, "unknown_words");
    for (size_t i = 0; i < source_reasons->words->count; i++) {
        const crd_text_word word = source_reasons->words->words[i];
        if (word.is_known) continue;
        crd_result_text(out, NULL, word.term);
        if (named++ < UNKNOWN_NAMED)
            string_format(&names, "%s%s", named == 1 ? "" : ", ", crd_result_show(out, word.term));
    }
    crd_result_end(out);
    if (source_reasons->unknown > 0)
        crd_result_line(out, CRD_REMARK, "%zu word%s not seen in training, ignored: %s%s", source_reasons->unknown,
                        source_reasons->unknown == 1 ? "" : "s", string_text(&names),
                        source_reasons->unknown > UNKNOWN_NAMED ? ", ..." : "");
    if (source_reasons->left_out > 0)
        crd_result_line(out, CRD_REMARK, "%zu word%s ignored by the settings", source_reasons->left_out,
                        source_reasons->left_out == 1 ? "" : "s");
    string_free(&names);
}

/* ---- The text ---- */

/* A marked place in the text. */
typedef struct words_mark {
    size_t first, end;
    crd_text_mark kind;
    double weight; /* absolute weight */
} words_mark;

static int by_absolute_weight(const void *a, const void *b) {
    const words_mark *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static int by_place(const void *a, const void *b) {
    const words_mark *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Removes each mark that overlaps a mark of larger weight. Returns the number of remaining marks, sorted by their
 * place in
 * the text. */
static size_t part_marks(words_mark *marks, size_t count, size_t length) {
    size_t kept = 0;
    if (count == 0) return 0;
    bool *is_taken = memory_resize(NULL, length, sizeof *is_taken);
    memset(is_taken, 0, length * sizeof *is_taken);
    qsort(marks, count, sizeof *marks, by_absolute_weight);
    for (size_t i = 0; i < count; i++) {
        bool is_free = true;
        for (size_t index = marks[i].first; index < marks[i].end; index++) is_free = is_free && !is_taken[index];
        for (size_t index = marks[i].first; is_free && index < marks[i].end; index++) is_taken[index] = true;
        if (is_free) marks[kept++] = marks[i];
    }
    free(is_taken);
    qsort(marks, kept, sizeof *marks, by_place);
    return kept;
}

/* Reports the places of the listed words in JSON. Returns the marks; the caller frees them. */
static words_mark *find_marks(crd_result *out, const text_reasons *source_reasons, size_t *count) {
    const crd_text_place *places = source_reasons->words->places;
    size_t total = source_reasons->words->place_count, words = source_reasons->words->count;
    double *nats = memory_resize(NULL, words, sizeof *nats);
    words_mark *marks = memory_resize(NULL, total, sizeof *marks);
    for (size_t i = 0; i < words; i++) nats[i] = 0;
    for (size_t i = 0; i < source_reasons->listed; i++)
        nats[source_reasons->order[i].word] = source_reasons->order[i].nats;
    *count = 0;
    crd_result_begin(out, CRD_ARRAY, "places");
    for (size_t i = 0; i < total; i++) {
        double weight = nats[places[i].word];
        if (weight == 0) continue;
        const crd_text_word word = source_reasons->words->words[places[i].word];
        marks[(*count)++] =
            (words_mark){places[i].from, places[i].to, weight > 0 ? CRD_MARK_FOR : CRD_MARK_AGAINST, fabs(weight)};
        if (!crd_result_is_for(out, CRD_FOR_MACHINES)) continue;
        crd_result_begin(out, CRD_SHORT_OBJECT, NULL);
        crd_result_text(out, "word", word.term);
        crd_result_number(out, "from", (double)places[i].from);
        crd_result_number(out, "to", (double)places[i].to);
        crd_result_end(out);
    }
    crd_result_end(out);
    *count = part_marks(marks, *count, source_reasons->text.length);
    free(nats);
    return marks;
}

/* Returns a part of the text for the text report, with each run of whitespace as a single space. */
static const char *shown_part(crd_result *out, crd_text text, size_t first, size_t limit) {
    string part = {0};
    for (size_t i = first; i < limit; i++) {
        char byte = text.bytes[i];
        bool is_blank = byte == ' ' || (byte >= '\t' && byte <= '\r');
        if (is_blank && part.length > 0 && part.bytes[part.length - 1] == ' ') continue;
        string_add_char(&part, is_blank ? ' ' : byte);
    }
    const char *shown = crd_result_show(out, (crd_text){string_text(&part), part.length});
    string_free(&part);
    return shown;
}

static bool begins_word(crd_text text, size_t index) {
    return index == 0 || text.bytes[index - 1] == ' ' || text.bytes[index - 1] == '\n';
}

/* Returns the end of the word at an index, or the end of a character if the word is long. */
static size_t end_of_word(crd_text text, size_t index) {
    size_t most = text.length - index < AROUND / 2 ? text.length : index + AROUND / 2;
    while (index < most && !begins_word(text, index + 1)) index++;
    while (!begins_character(text, index)) index++;
    return index;
}

/* Returns the text of a marked word. Only the beginning of a long word is shown. */
static const char *shown_mark(crd_result *out, crd_text text, const words_mark *mark, bool is_whole) {
    size_t until = mark->first + SHOWN_WHOLE / 2;
    if (is_whole || mark->end <= until) return shown_part(out, text, mark->first, mark->end);
    while (!begins_character(text, until)) until++;
    return crd_result_format(out, "%s...", shown_part(out, text, mark->first, until));
}

/* Shows the text with its marked words: all of a short text, and the surroundings of the first marks of a long one. */
static void report_text_of(crd_result *out, const text_reasons *source_reasons, const words_mark *marks, size_t count) {
    crd_text text = source_reasons->text;
    bool is_whole = source_reasons->r->all || text.length <= SHOWN_WHOLE;
    crd_marked_piece *pieces = memory_resize(NULL, 4 * count + 3, sizeof *pieces);
    size_t used = 0, index = 0, parts = 1, shown = 0;
    if (!is_whole && count == 0) {
        for (index = SHOWN_WHOLE; !begins_character(text, index); index++) {
        }
        pieces[used++] = (crd_marked_piece){shown_part(out, text, 0, index), CRD_MARK_NONE};
    }
    for (size_t i = 0; i < count; i++) {
        size_t first = index;
        if (!is_whole && shown > MOST_SHOWN) {
            parts = MOST_PARTS + 1;
            break;
        }
        if (!is_whole && marks[i].first - index > 2 * AROUND) {
            size_t until = index == 0 ? 0 : end_of_word(text, index + AROUND);
            pieces[used++] = (crd_marked_piece){shown_part(out, text, index, until), CRD_MARK_NONE};
            index = until;
            if (parts++ >= MOST_PARTS) break;
            first = marks[i].first - AROUND;
            while (first < marks[i].first - AROUND / 2 && !begins_word(text, first)) first++;
            while (!begins_character(text, first)) first++;
            pieces[used++] = (crd_marked_piece){" ... ", CRD_MARK_NONE};
        }
        pieces[used++] = (crd_marked_piece){shown_part(out, text, first, marks[i].first), CRD_MARK_NONE};
        pieces[used++] = (crd_marked_piece){shown_mark(out, text, &marks[i], is_whole), marks[i].kind};
        index = marks[i].end;
        shown += index - first;
    }
    size_t end = text.length;
    if (!is_whole && count > 0 && end - index > AROUND && parts <= MOST_PARTS) {
        for (end = index + AROUND; !begins_character(text, end); end++) {
        }
        pieces[used++] = (crd_marked_piece){shown_part(out, text, index, end), CRD_MARK_NONE};
    } else if (is_whole || (count > 0 && parts <= MOST_PARTS)) {
        pieces[used++] = (crd_marked_piece){shown_part(out, text, index, end), CRD_MARK_NONE};
    }
    if (end < text.length || index < end) {
        if (!is_whole) pieces[used++] = (crd_marked_piece){" ...", CRD_MARK_NONE};
    }
    crd_result_add_marked(out, pieces, used);
    free(pieces);
}

/* ---- All texts ---- */

/* Reports the words of one text attribute. */
static int report_one(crd_result *out, const reasons *r, size_t attribute) {
    text_reasons source_reasons;
    crd_text name = crd_classifier_attribute(r->classifier, attribute);
    int ended = explain_words_open_text(r, attribute, &source_reasons);
    if (ended == ENDED_WELL && source_reasons.words != NULL) {
        const char *against =
            !r->paired ? ""
                       : crd_result_format(out, ", for %s against %s",
                                           crd_result_show(out, crd_classifier_class(r->classifier, r->pair[0])),
                                           crd_result_show(out, crd_classifier_class(r->classifier, r->pair[1])));
        crd_result_begin(out, CRD_OBJECT, NULL);
        crd_result_text(out, "attribute", name);
        if (r->paired) crd_result_text(out, "for", crd_classifier_class(r->classifier, r->pair[0]));
        if (r->paired) crd_result_text(out, "against", crd_classifier_class(r->classifier, r->pair[1]));
        crd_result_heading(out, 3, crd_result_format(out, "Words of %s", crd_result_show(out, name)),
                           crd_result_format(out, "%s: the most informative ones", against));
        report_table_of(out, &source_reasons);
        explain_words_report_classes(out, &source_reasons);
        report_unknown(out, &source_reasons);
        size_t count = 0;
        words_mark *marks = find_marks(out, &source_reasons, &count);
        report_text_of(out, &source_reasons, marks, count);
        free(marks);
        crd_result_end(out);
    }
    close_text(&source_reasons);
    return ended;
}

static bool explain_words_is_text(const reasons *r, size_t attribute) {
    return crd_classifier_attribute_type(r->classifier, attribute) == CRD_TYPE_TEXT &&
           r->values[attribute].text.bytes != NULL &&
           (r->values[attribute].type == CRD_TYPE_TEXT || r->values[attribute].type == CRD_TYPE_CATEGORICAL);
}

int words_report(crd_result *out, const reasons *r) {
    size_t count = 0;
    int ended = ENDED_WELL;
    for (size_t a = 0; a < crd_classifier_attribute_count(r->classifier) && ended == ENDED_WELL; a++) {
        if (!explain_words_is_text(r, a)) continue;
        if (count++ == 0) crd_result_begin(out, CRD_ARRAY, "texts");
        ended = report_one(out, r, a);
    }
    if (count > 0) crd_result_end(out);
    return ended;
}

void words_report_term(crd_result_table *t, const reasons *r, size_t attribute, size_t class_index,
                       const crd_term *term) {
    crd_result *out = t->result;
    string beginning = {0}, value = {0};
    char buffer[CRD_NUMBER_ROOM];
    crd_result_begin(out, CRD_OBJECT, NULL);
    crd_result_text(out, "attribute", crd_classifier_attribute(r->classifier, attribute));
    crd_result_text(out, "value", r->values[attribute].text);
    crd_result_words(out, "form", "text");
    bool is_score = crd_classifier_text_is_score(r->classifier, attribute) != 0;
    crd_result_boolean(out, "is_score", is_score);
    crd_result_number(out, "log_value", term->log_value);
    crd_result_words(out, "family", term->family);
    if (term->exponent != 1) crd_result_number(out, "attribute_weight", term->exponent);
    crd_result_end(out);
    explain_add_value(&beginning, &(crd_value){CRD_TYPE_TEXT, 0, r->values[attribute].text});
    output_add_exponential(&value, term->log_value);
    crd_cell_format(t, "%s(%s=%s | %s)", is_score ? "score" : "P",
                    crd_result_show(out, crd_classifier_attribute(r->classifier, attribute)),
                    report_take(out, &beginning),
                    crd_result_show(out, crd_classifier_class(r->classifier, class_index)));
    if (term->exponent == 1) crd_cell_format(t, "its words, %s", term->family);
    else crd_cell_format(t, "its words, %s, weight %s", term->family, crd_number_round(term->exponent, buffer));
    crd_cell_format(t, "%s (log %s)", report_take(out, &value), crd_number_round(term->log_value, buffer));
}
