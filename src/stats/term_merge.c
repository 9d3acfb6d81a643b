/* SPDX-License-Identifier: MIT */
/* term_merge.c - see term_merge.h. */
#include "stats/term_merge.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/checksum.h"

#include <string.h>

/* ---- Writing pages ---- */

typedef struct page_writer {
    crd_i_term_store *store;
    crd_i_encoder pages;
    crd_i_buffer firsts, last; /* firsts: the first terms of all pages; last: the last term written */
    size_t ends_capacity, first_ends_capacity;
    size_t begin; /* offset of the open page */
    bool is_open;
} page_writer;

static void writer_clear(page_writer *writer) {
    crd_i_buffer_clear(&writer->pages.buffer);
    crd_i_buffer_clear(&writer->firsts);
    crd_i_buffer_clear(&writer->last);
}

static bool close_page(page_writer *writer) {
    crd_i_term_store *store = writer->store;
    crd_i_encoder *pages = &writer->pages;
    if (!writer->is_open) return true;
    if (!pages->failed)
        crd_i_encode_u32(pages,
                         crd_i_checksum(pages->buffer.bytes + writer->begin, pages->buffer.length - writer->begin));
    writer->is_open = false;
    if (pages->failed) return false;
    store->page_ends[store->page_count++] = pages->buffer.length;
    return true;
}

/* Registers a new page that begins with the term. */
static bool note_page(page_writer *writer, crd_text first) {
    crd_i_term_store *store = writer->store;
    size_t count = store->page_count + 1;
    if (!crd_i_reserve(store->context, &store->page_ends, &writer->ends_capacity, count, sizeof *store->page_ends) ||
        !crd_i_reserve(store->context, &store->first_ends, &writer->first_ends_capacity, count,
                       sizeof *store->first_ends) ||
        !crd_i_buffer_append(&writer->firsts, first.bytes, first.length))
        return false;
    store->first_ends[store->page_count] = writer->firsts.length;
    writer->begin = writer->pages.buffer.length;
    return true;
}

/* Writes a term with its counts, and starts a new page before it if the rules of term_pages.h say so. */
static bool write_term(page_writer *writer, crd_text term, const crd_i_term_entries *entries) {
    bool is_long = writer->pages.buffer.length - writer->begin >= CRD_I_LONG_PAGE;
    if (writer->is_open && (is_long || crd_i_term_begins_page(term)) && !close_page(writer)) return false;
    if (!writer->is_open) {
        if (!note_page(writer, term)) return false;
        writer->is_open = true;
        writer->last.length = 0;
    }
    const crd_text before = {(const char *)writer->last.bytes, writer->last.length};
    crd_i_term_encode(&writer->pages, before, term, entries);
    writer->last.length = 0;
    return !writer->pages.failed && crd_i_buffer_append(&writer->last, term.bytes, term.length);
}

/* Copies a page of another store without decoding it. */
static bool term_merge_write_page(page_writer *writer, crd_text first, const crd_i_cursor *page) {
    if (!close_page(writer) || !note_page(writer, first)) return false;
    crd_i_encode_bytes(&writer->pages, page->at, (size_t)(page->end - page->at));
    if (writer->pages.failed) return false;
    writer->store->page_ends[writer->store->page_count++] = writer->pages.buffer.length;
    return true;
}

static bool writer_end(page_writer *writer) {
    crd_i_term_store *store = writer->store;
    if (!close_page(writer)) return false;
    store->source = crd_i_page_source_take(&writer->pages.buffer);
    store->pages = crd_i_alloc_zeroed(store->context, store->page_count, sizeof *store->pages);
    if (store->source == NULL || store->pages == NULL) return false;
    /* The pages were just written, so their checksums need no check. */
    const unsigned char *bytes = crd_i_page_source_bytes(store->source);
    for (size_t i = 0; i < store->page_count; i++)
        atomic_init(&store->pages[i], bytes + (i == 0 ? 0 : store->page_ends[i - 1]));
    store->firsts = writer->firsts.bytes;
    writer->firsts.bytes = NULL;
    return true;
}

/* ---- Reading inputs ---- */

typedef struct input_state {
    crd_i_term_input input;
    bool can_copy;   /* its pages can be copied to the result if no other input has a term in them */
    bool was_copied; /* the previous page was copied */
    bool is_at_end;
    crd_text term;              /* the next term to merge */
    size_t page;                /* for a store: index of the next page to open */
    crd_i_cursor cursor, whole; /* cursor: the remainder of the open page; whole: all of it */
    bool is_at_page;            /* the term is the first of its page */
    crd_i_buffer text;
    crd_i_term_key *sorted; /* for a table: its terms, sorted */
    size_t next;
} input_state;

static crd_status damaged_page(const input_state *state, crd_error *error) {
    return crd_i_term_store_damaged(state->input.store, "a page of terms is invalid", error);
}

static crd_status open_page(input_state *state, crd_error *error) {
    const crd_i_term_store *store = state->input.store;
    crd_status status = crd_i_term_store_page(store, state->page, &state->whole, error);
    if (status != CRD_OK) return status;
    state->cursor = state->whole;
    state->cursor.end -= CRD_I_PAGE_CHECKSUM;
    state->page++;
    state->text.length = 0;
    state->is_at_page = true;
    return CRD_OK;
}

/* Moves to the next term of an input. CRD_ERROR_DAMAGED: a page is not a canonical encoding. */
static crd_status term_merge_advance(input_state *state, crd_error *error) {
    const crd_i_term_store *store = state->input.store;
    if (store == NULL) {
        state->is_at_end = state->next == crd_i_term_table_terms(state->input.table);
        if (!state->is_at_end)
            state->term = crd_i_term_table_text(state->input.table, state->sorted[state->next++].code);
        return CRD_OK;
    }
    state->is_at_page = false;
    bool is_first = state->page == 0;
    if (state->cursor.at == state->cursor.end) {
        state->is_at_end = state->page == store->page_count;
        if (state->is_at_end) return CRD_OK;
        crd_status status = open_page(state, error);
        if (status != CRD_OK) return status;
    }
    if (!crd_i_term_decode(&state->cursor, &state->text)) return crd_i_fail_memory(error);
    const crd_text term = {(const char *)state->text.bytes, state->text.length};
    if (state->cursor.failed || (term.length == 0) != is_first) return damaged_page(state, error);
    if (state->is_at_page && !crd_text_equal(term, crd_i_term_store_first(store, state->page - 1)))
        return damaged_page(state, error);
    state->term = term;
    return CRD_OK;
}

/* Appends the counts of the input's current term, and advances. */
static crd_status term_merge_take(input_state *state, page_writer *writer, crd_i_term_entries *entries,
                                  crd_error *error) {
    const crd_i_term_input *input = &state->input;
    if (input->store == NULL) {
        uint32_t code = state->sorted[state->next - 1].code;
        if (!crd_i_term_table_read(input->table, code, input->conditions, input->sign, entries))
            return crd_i_fail_memory(error);
        return term_merge_advance(state, error);
    }
    size_t first = entries->count;
    if (!crd_i_term_decode_counts(&state->cursor, state->term.length == 0, input->store->conditions, input->conditions,
                                  input->sign, entries))
        return crd_i_fail_memory(error);
    if (state->cursor.failed) return damaged_page(state, error);
    /* The result counts this term again, although begin_input counted it with the whole store. */
    if (state->can_copy && state->term.length > 0) {
        writer->store->terms--;
        for (size_t i = first; i < entries->count; i++)
            if (i == first || entries->entry[i].condition != entries->entry[i - 1].condition)
                writer->store->distinct[entries->entry[i].condition]--;
    }
    state->was_copied = false;
    return term_merge_advance(state, error);
}

/* ---- Merging ---- */

typedef struct merge_merging {
    crd_context *context;
    input_state *inputs;
    size_t count;
    bool is_checked; /* an input is subtracted */
    page_writer writer;
    crd_i_term_entries entries;
    crd_i_term_fault *fault;
    uint64_t steps;
} merge_merging;

static void begin_fault(const merge_merging *work, crd_text term, size_t i, double left) {
    crd_i_term_fault fault = {.is_found = true, .is_length = term.length == 0, .left = left};
    fault.times = work->entries.entry[i].times;
    fault.condition = work->entries.entry[i].condition;
    _Static_assert(sizeof fault.term == CRD_I_QUOTED_ROOM, "a quoted term has another size");
    crd_i_quote(term, fault.term);
    *work->fault = fault;
}

/* Records a fault if a count of the term is negative, or if it is in more documents than exist. */
static void check_term(const merge_merging *work, crd_text term) {
    const crd_i_term_entries *entries = &work->entries;
    double documents = 0;
    for (size_t i = 0; i < entries->count && !work->fault->is_found; i++) {
        size_t condition = entries->entry[i].condition;
        double value = crd_i_term_entries_value(entries, i);
        documents = value + (i > 0 && condition == entries->entry[i - 1].condition ? documents : 0);
        if (crd_i_term_entries_sign(entries, i) < 0) begin_fault(work, term, i, value);
        else if (term.length > 0 && documents > work->writer.store->most[condition]) {
            begin_fault(work, term, i, documents);
            work->fault->is_excess = true;
        }
    }
}

/* Computes the number of documents of each condition, and of term occurrences in them, from the document lengths. */
static bool count_lengths(crd_i_term_store *store, const crd_i_term_entries *entries) {
    bool done = true;
    for (size_t i = 0; done && i < entries->count; i++) {
        const crd_i_term_entry *entry = &entries->entry[i];
        double times = entry->times;
        if (entry->cell != SIZE_MAX) {
            done = crd_i_sums_combine(&store->documents, entry->condition, &entries->sums, entry->cell, 1) &&
                   crd_i_sums_add_scaled(&store->occurrences, entry->condition, &entries->sums, entry->cell, times);
        } else {
            int64_t high = entry->whole / INT64_C(0x100000000), low = entry->whole % INT64_C(0x100000000);
            done = crd_i_sums_add_integer(&store->documents, entry->condition, entry->whole) &&
                   crd_i_sums_add_product(&store->occurrences, entry->condition, (double)low, times) &&
                   (high == 0 ||
                    crd_i_sums_add_product(&store->occurrences, entry->condition, (double)high * 0x1p32, times));
        }
    }
    return done;
}

static void term_merge_count(crd_i_term_store *store, const crd_i_term_entries *entries) {
    store->terms++;
    for (size_t i = 0; i < entries->count; i++)
        if (i == 0 || entries->entry[i].condition != entries->entry[i - 1].condition)
            store->distinct[entries->entry[i].condition]++;
}

/* Returns the input with the first term in byte order; NULL: all inputs are at their end. *second becomes the input
 * with the next term among the others; NULL: none. */
static input_state *term_merge_find_first(const merge_merging *work, const input_state **second) {
    input_state *first = NULL;
    *second = NULL;
    for (size_t i = 0; i < work->count; i++) {
        input_state *state = &work->inputs[i];
        if (state->is_at_end) continue;
        if (first == NULL || crd_i_text_compare(state->term, first->term) < 0) {
            *second = first;
            first = state;
        } else if (*second == NULL || crd_i_text_compare(state->term, (*second)->term) < 0) {
            *second = state;
        }
    }
    return first;
}

/* Returns whether the current page of an input can be copied to the result: see CRD_I_LONG_PAGE. It cannot if another
 * input has a term in it. Nor can it if another input may remove the first term of the next page, which ends this
 * page. */
static bool is_copied(const merge_merging *work, const input_state *state, const input_state *second) {
    const crd_i_term_store *store = state->input.store;
    if (!state->can_copy || !state->is_at_page || state->page == 1) return false;
    if (!state->was_copied && !crd_i_term_begins_page(state->term)) return false;
    if (second != NULL) {
        if (state->page == store->page_count) return false;
        int order = crd_i_text_compare(second->term, crd_i_term_store_first(store, state->page));
        if (order < 0 || (order == 0 && work->is_checked)) return false;
    }
    crd_i_cursor terms = state->whole;
    terms.end -= CRD_I_PAGE_CHECKSUM;
    return !work->is_checked || crd_i_term_page_is_within(terms, work->writer.store->most, store->conditions);
}

/* Merges the counts of one term from all inputs and writes it. `first` is an input that has the term. */
static crd_status merge_next(merge_merging *work, input_state *first, crd_text term, crd_error *error) {
    crd_i_term_entries *entries = &work->entries;
    crd_i_term_entries_empty(entries);
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < work->count; i++) {
        input_state *state = &work->inputs[i];
        if (state != first && !state->is_at_end && crd_text_equal(state->term, term))
            status = term_merge_take(state, &work->writer, entries, error);
    }
    if (status == CRD_OK) status = term_merge_take(first, &work->writer, entries, error);
    if (status != CRD_OK) return status;
    if (!crd_i_term_entries_sort(entries)) return crd_i_fail_memory(error);
    bool done = term.length > 0 || count_lengths(work->writer.store, entries);
    if (term.length == 0) crd_i_term_store_round(work->writer.store);
    if (done && work->is_checked) check_term(work, term);
    if (!done || work->fault->is_found || entries->count == 0) return done ? CRD_OK : crd_i_fail_memory(error);
    if (term.length > 0) term_merge_count(work->writer.store, entries);
    return write_term(&work->writer, term, entries) ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status merge_all(merge_merging *work, crd_error *error) {
    crd_i_buffer term = {.context = work->context};
    crd_status status = CRD_OK;
    const input_state *second;
    for (input_state *first = term_merge_find_first(work, &second);
         status == CRD_OK && first != NULL && !work->fault->is_found; first = term_merge_find_first(work, &second)) {
        if ((++work->steps & 4095) == 0 && crd_i_context_cancelled(work->context)) {
            status = crd_i_fail_cancelled(error);
        } else if (is_copied(work, first, second)) {
            if (!term_merge_write_page(&work->writer, first->term, &first->whole)) status = crd_i_fail_memory(error);
            first->was_copied = true;
            first->cursor.at = first->cursor.end;
            if (status == CRD_OK) status = term_merge_advance(first, error);
        } else {
            /* Copy the term, because it is invalid after its input has advanced. */
            term.length = 0;
            if (!crd_i_buffer_append(&term, first->term.bytes, first->term.length)) status = crd_i_fail_memory(error);
            const crd_text copy = {(const char *)term.bytes, term.length};
            if (status == CRD_OK) status = merge_next(work, first, copy, error);
        }
    }
    crd_i_buffer_clear(&term);
    return status;
}

static bool term_merge_is_identity(const crd_i_term_input *input) {
    bool is = true;
    for (size_t i = 0; is && i < input->store->conditions; i++) is = input->conditions[i] == i;
    return is;
}

static crd_status begin_input(merge_merging *work, input_state *state, const crd_i_term_input *input,
                              crd_error *error) {
    crd_i_term_store *store = work->writer.store;
    state->input = *input;
    state->text.context = work->context;
    if (input->store == NULL) {
        state->sorted = crd_i_term_table_sort(input->table);
        if (state->sorted == NULL) return crd_i_fail_memory(error);
        return term_merge_advance(state, error);
    }
    state->can_copy = input->sign > 0 && !input->is_read && term_merge_is_identity(input);
    if (state->can_copy) {
        store->terms += input->store->terms;
        for (size_t i = 0; i < input->store->conditions; i++) store->distinct[i] += input->store->distinct[i];
    }
    return term_merge_advance(state, error);
}

static void merging_clear(merge_merging *work) {
    for (size_t i = 0; work->inputs != NULL && i < work->count; i++) {
        crd_free(work->context, work->inputs[i].sorted);
        crd_i_buffer_clear(&work->inputs[i].text);
    }
    crd_free(work->context, work->inputs);
    crd_i_term_entries_clear(&work->entries);
    writer_clear(&work->writer);
}

crd_status crd_i_term_merge(crd_context *context, const crd_i_term_input *inputs, size_t count, size_t conditions,
                            crd_i_term_store **out, crd_i_term_fault *fault, crd_error *error) {
    merge_merging work = {.context = context, .count = count, .fault = fault};
    crd_status status = CRD_OK;
    *out = NULL;
    fault->is_found = false;
    for (size_t i = 0; i < count; i++) work.is_checked = work.is_checked || inputs[i].sign < 0;
    work.writer.pages.buffer.context = work.writer.firsts.context = work.writer.last.context = context;
    crd_i_term_entries_init(&work.entries, context);
    crd_i_term_store *store = work.writer.store = crd_i_term_store_create(context, conditions);
    work.inputs = crd_i_alloc_zeroed(context, count, sizeof *work.inputs);
    if (store == NULL || work.inputs == NULL) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = begin_input(&work, &work.inputs[i], &inputs[i], error);
    if (status == CRD_OK) status = merge_all(&work, error);
    if (status == CRD_OK && !fault->is_found && !writer_end(&work.writer)) status = crd_i_fail_memory(error);
    merging_clear(&work);
    if (status == CRD_OK && !fault->is_found) *out = store;
    else crd_i_term_store_release(store);
    return status;
}
