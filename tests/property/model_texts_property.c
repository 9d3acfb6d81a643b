/* SPDX-License-Identifier: MIT */
/* A model of texts is a function of the multiset of its rows: over many random sets of documents, in any order, batches and
 * trees of merges, with others learned and forgotten in between, through files and back, its bytes are the same; and its
 * store has the counts of a plain count, word by word. Seeds are printed where one fails. */
#include "model_support.h"

#include "model/model_internal.h"
#include "model/schema_view.h"
#include "stats/term_store.h"

enum { SETS = 60, MOST_ROWS = 60, CLASSES = 4, WORDS = 40, MOST_TIMES = 5, ROOM = 400 };

static uint64_t random_state;

static size_t below(size_t bound) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(random_state >> 33) % bound;
}

typedef struct texts_documents {
    size_t rows;
    int32_t classes[MOST_ROWS];
    size_t times[MOST_ROWS][WORDS];
    bool is_missing[MOST_ROWS];
    char texts[MOST_ROWS][ROOM];
    double weights[MOST_ROWS];
} texts_documents;

/* Some words begin alike, so that pages share their beginnings. */
static void name_word(size_t word, char buffer[24]) {
    static const char *const stems[] = {"a",     "credence", "credences", "z",
                                        "inter", "internet", "um",        "\xc3\xa9t\xc3\xa9"};
    snprintf(buffer, 24, "%s%zu", stems[word % 8], word / 8);
}

static void make_documents(texts_documents *documents, uint64_t seed, bool has_fractions) {
    memset(documents, 0, sizeof *documents);
    random_state = seed;
    documents->rows = below(MOST_ROWS) + 1;
    for (size_t row = 0; row < documents->rows; row++) {
        char *text = documents->texts[row];
        documents->classes[row] = below(12) == 0 ? -1 : (int32_t)below(CLASSES);
        documents->is_missing[row] = below(10) == 0;
        documents->weights[row] =
            has_fractions ? (double)below(7) / 3 + (below(5) == 0 ? 0x1p-50 : 0) : (double)below(3);
        size_t count = below(9), length = 0;
        for (size_t i = 0; i < count; i++) {
            char word[24];
            size_t which = below(below(WORDS) + 1), times = below(MOST_TIMES) + 1;
            name_word(which, word);
            if (length + times * (strlen(word) + 1) >= ROOM) break;
            documents->times[row][which] += times;
            for (; times > 0; times--) length += (size_t)sprintf(text + length, "%s ", word);
        }
        /* A text without a word is a document too; an empty one is missing. */
        if (length == 0) strcpy(text, ".");
    }
}

static const crd_text class_names[CLASSES] = {{"ham", 3}, {"spam", 4}, {"10", 2}, {"9", 1}};

typedef struct rows_in {
    crd_frame *frame;
    int32_t classes[MOST_ROWS];
    crd_text texts[MOST_ROWS];
    double weights[MOST_ROWS];
} rows_in;

static void create_frame(crd_context *context, size_t count, rows_in *out) {
    crd_error error;
    assert_done(crd_frame_create(context, count, &out->frame, &error), error);
    assert_done(crd_frame_add_codes(out->frame, crd_text_of("class"), out->classes, NULL, class_names, CLASSES, &error),
                error);
    assert_done(crd_frame_add_documents(out->frame, crd_text_of("body"), out->texts, &error), error);
    assert_done(crd_frame_add_numbers(out->frame, crd_text_of("w"), out->weights, NULL, &error), error);
}

static void fill_frame(crd_context *context, const texts_documents *documents, const size_t *rows, size_t count,
                       rows_in *out) {
    for (size_t i = 0; i < count; i++) {
        const crd_text missing = {NULL, 0};
        out->classes[i] = documents->classes[rows[i]];
        out->texts[i] = documents->is_missing[rows[i]] ? missing : crd_text_of(documents->texts[rows[i]]);
        out->weights[i] = documents->weights[rows[i]];
    }
    create_frame(context, count, out);
}

static crd_model *empty_model(crd_context *context, bool is_weighted) {
    texts_documents none = {0};
    rows_in like;
    crd_model *model;
    crd_error error;
    fill_frame(context, &none, NULL, 0, &like);
    if (is_weighted)
        assert_done(crd_model_create_weighted(context, like.frame, crd_text_of("class"), crd_text_of("w"), NULL, &model,
                                              &error),
                    error);
    else assert_done(crd_model_create(context, like.frame, crd_text_of("class"), NULL, &model, &error), error);
    crd_frame_destroy(like.frame);
    return model;
}

static void change(crd_context *context, crd_model *model, const texts_documents *documents, const size_t *rows,
                   size_t count, bool forgets) {
    rows_in in;
    crd_error error;
    fill_frame(context, documents, rows, count, &in);
    assert_done(forgets ? crd_model_forget(model, in.frame, &error) : crd_model_update(model, in.frame, &error), error);
    crd_frame_destroy(in.frame);
}

static void assert_same(const crd_model *a, const crd_model *b, crd_context *context, uint64_t seed,
                        const char *description) {
    model_bytes one = bytes_of(a, context), other = bytes_of(b, context);
    if (one.length != other.length || memcmp(one.bytes, other.bytes, one.length) != 0)
        fail_msg("seed %d: %s: other bytes", (int)seed, description);
    free_bytes(one);
    free_bytes(other);
}

static void shuffle(size_t *rows, size_t count) {
    for (size_t i = count; i > 1; i--) {
        size_t j = below(i), held = rows[i - 1];
        rows[i - 1] = rows[j];
        rows[j] = held;
    }
}

/* Through its bytes and back. */
static crd_model *reread(crd_context *context, crd_model *model) {
    model_bytes bytes = bytes_of(model, context);
    crd_model *again;
    crd_error error;
    assert_done(crd_model_decode(context, bytes.bytes, bytes.length, &again, &error), error);
    free_bytes(bytes);
    crd_model_destroy(model);
    return again;
}

/* Rows in batches, into models that are merged in any tree, some of them through files. */
static crd_model *in_pieces(crd_context *context, const texts_documents *documents, const size_t *rows, size_t count,
                            bool is_weighted) {
    crd_model *model = empty_model(context, is_weighted);
    crd_error error;
    if (count <= 3 || below(4) == 0) {
        for (size_t i = 0; i < count;) {
            size_t batch = below(count - i) + 1;
            change(context, model, documents, rows + i, batch, false);
            i += batch;
        }
        return below(3) == 0 ? reread(context, model) : model;
    }
    size_t middle = below(count);
    crd_model *left = in_pieces(context, documents, rows, middle, is_weighted);
    crd_model *right = in_pieces(context, documents, rows + middle, count - middle, is_weighted);
    assert_done(crd_model_merge(model, right, &error), error);
    assert_done(crd_model_merge(model, left, &error), error);
    crd_model_destroy(left);
    crd_model_destroy(right);
    return model;
}

static void any_way_of_learning_gives_the_same_bytes(void **state) {
    crd_context *context = *state;
    static texts_documents set, others;
    for (uint64_t seed = 1; seed <= SETS; seed++) {
        bool is_weighted = seed % 3 != 0;
        size_t rows[MOST_ROWS], all[MOST_ROWS];
        for (size_t i = 0; i < MOST_ROWS; i++) rows[i] = all[i] = i;
        make_documents(&others, seed + 1000, seed % 3 == 1);
        make_documents(&set, seed, seed % 3 == 1);
        crd_model *at_once = empty_model(context, is_weighted);
        change(context, at_once, &set, rows, set.rows, false);
        shuffle(rows, set.rows);
        crd_model *pieces = in_pieces(context, &set, rows, set.rows, is_weighted);
        assert_same(at_once, pieces, context, seed, "in pieces");
        change(context, pieces, &others, all, others.rows, false);
        if (seed % 2 == 0) pieces = reread(context, pieces);
        change(context, pieces, &others, all, others.rows, true);
        assert_same(at_once, pieces, context, seed, "learned and forgotten");
        change(context, pieces, &set, rows, set.rows, true);
        crd_model *blank = empty_model(context, is_weighted);
        assert_same(blank, pieces, context, seed, "all forgotten");
        crd_model_destroy(blank);
        crd_model_destroy(at_once);
        crd_model_destroy(pieces);
    }
}

/* ---- Many pages ---- */

enum { MANY_SETS = 24, MANY_WORDS = 3000, WORD_ROOM = 64 };

/* A row of each class. Of many words it has about half; of few those that begin a page, and which are seldom in the others,
 * so that most pages stay as they are, and some of them begin to end elsewhere. In every other set words are as long as they
 * can be, so that pages end by their length too. */
static void learn_words(crd_context *context, crd_model *model, uint64_t seed, bool are_few, bool forgets) {
    static char texts[CLASSES][MANY_WORDS * WORD_ROOM];
    rows_in in;
    crd_error error;
    random_state = seed;
    for (size_t row = 0; row < CLASSES; row++) {
        size_t length = 0;
        for (size_t word = 0; word < MANY_WORDS; word++) {
            char *name = texts[row] + length;
            size_t added = (size_t)sprintf(name, "w%04x%0*zu", (unsigned)(word * 40503u & 0xFFFF),
                                           seed % 2 == 0 ? WORD_ROOM - 7 : 1, word);
            const crd_text term = {name, added};
            bool begins = crd_i_term_begins_page(term);
            size_t odds = are_few ? (begins ? 2 : 1000) : begins ? 8 : 2;
            if (below(odds) > 0) continue;
            name[added] = ' ';
            length += added + 1;
        }
        texts[row][length] = '\0';
        in.classes[row] = (int32_t)row;
        in.weights[row] = 1;
        in.texts[row] = crd_text_of(texts[row]);
    }
    create_frame(context, CLASSES, &in);
    assert_done(forgets ? crd_model_forget(model, in.frame, &error) : crd_model_update(model, in.frame, &error), error);
    crd_frame_destroy(in.frame);
}

/* Pages begin at terms, and those are learned and forgotten as others are. */
static void pages_are_those_of_the_terms_that_are_left(void **state) {
    crd_context *context = *state;
    for (uint64_t seed = 1; seed <= MANY_SETS; seed++) {
        crd_model *once = empty_model(context, true), *changed = empty_model(context, true);
        learn_words(context, once, seed, false, false);
        learn_words(context, changed, seed + 1000, seed % 5 > 0, false);
        if (seed % 3 == 0) changed = reread(context, changed);
        learn_words(context, changed, seed, false, false);
        if (seed % 3 != 1) changed = reread(context, changed);
        learn_words(context, changed, seed + 1000, seed % 5 > 0, true);
        assert_same(once, changed, context, seed, "many words learned and forgotten");
        crd_model_destroy(once);
        crd_model_destroy(changed);
    }
}

/* Parts of documents, merged as they are read and retracted, also where stores are still in their files' bytes. */
static void parts_of_texts_are_retracted(void **state) {
    crd_context *context = *state;
    crd_error error;
    for (uint64_t seed = 1; seed <= MANY_SETS; seed++) {
        crd_model *once = empty_model(context, true), *store = empty_model(context, true),
                  *part = empty_model(context, true);
        learn_words(context, once, seed, false, false);
        assert_done(crd_model_set_part(once, crd_text_of("first"), &error), error);
        learn_words(context, store, seed, false, false);
        assert_done(crd_model_set_part(store, crd_text_of("first"), &error), error);
        learn_words(context, part, seed + 1000, seed % 5 > 0, false);
        assert_done(crd_model_set_part(part, crd_text_of("second"), &error), error);
        if (seed % 3 == 0) store = reread(context, store);
        if (seed % 2 == 0) part = reread(context, part);
        assert_done(crd_model_merge(store, part, &error), error);
        assert_int_equal(crd_model_merge(store, part, &error), CRD_ERROR_DUPLICATE);
        if (seed % 3 != 1) store = reread(context, store);
        assert_int_equal(crd_model_part_count(store), 2);
        assert_done(crd_model_retract(store, part, &error), error);
        assert_same(once, store, context, seed, "a part retracted");
        crd_model_destroy(once);
        crd_model_destroy(store);
        crd_model_destroy(part);
    }
}

/* ---- Counts ---- */

static double counted(const texts_documents *documents, size_t word, int32_t class_code, uint32_t times) {
    double sum = 0;
    for (size_t row = 0; row < documents->rows; row++)
        if (!documents->is_missing[row] && documents->classes[row] == class_code &&
            documents->times[row][word] == times)
            sum += documents->weights[row];
    return sum;
}

static void check_word(const crd_i_term_store *store, const crd_i_view *view, const texts_documents *texts, size_t word,
                       crd_i_term_counts *counts) {
    char name[24];
    bool is_found;
    crd_error error;
    name_word(word, name);
    assert_done(crd_i_term_store_find(store, crd_text_of(name), counts, &is_found, &error), error);
    size_t next = 0;
    for (size_t k = 0; k < view->condition_count; k++)
        for (uint32_t times = 1; times <= MOST_TIMES * 9; times++) {
            double documents_with = counted(texts, word, view->conditions[k], times);
            if (documents_with == 0) continue;
            assert_true(is_found && next < counts->count);
            assert_int_equal(counts->entries[next].condition, k);
            assert_int_equal(counts->entries[next].times, times);
            assert_near(counts->entries[next].documents, documents_with, 1e-12);
            next++;
        }
    assert_int_equal(next, counts->count);
}

static void a_store_has_the_counts_of_a_plain_count(void **state) {
    crd_context *context = *state;
    static texts_documents set;
    crd_i_term_counts counts = {.context = context};
    for (uint64_t seed = 1; seed <= SETS; seed++) {
        size_t rows[MOST_ROWS];
        crd_error error;
        for (size_t i = 0; i < MOST_ROWS; i++) rows[i] = i;
        make_documents(&set, seed, seed % 3 == 1);
        crd_model *model = in_pieces(context, &set, rows, set.rows, true);
        crd_i_schema_view *order;
        assert_done(crd_i_schema_view_create(model, &order, &error), error);
        const crd_i_variable *variable = &model->variables[1];
        if (variable->tally != NULL && !crd_i_tally_is_empty(variable->tally)) {
            crd_i_view by_code = order->views[1];
            int32_t codes[CLASSES];
            crd_i_term_store *store;
            assert_done(crd_i_terms_store(variable->tally, &order->views[1], &store, &error), error);
            for (size_t k = 0; k < by_code.condition_count; k++) {
                crd_text name = crd_i_dictionary_text(model->variables[0].values, (size_t)by_code.conditions[k]);
                for (int32_t code = 0; code < CLASSES; code++)
                    if (crd_text_equal(name, class_names[code])) codes[k] = code;
            }
            by_code.conditions = codes;
            for (size_t word = 0; word < WORDS; word++) check_word(store, &by_code, &set, word, &counts);
            crd_i_term_store_release(store);
        }
        crd_i_schema_view_destroy(order);
        crd_model_destroy(model);
    }
    crd_i_term_counts_clear(&counts);
}

static int open_context(void **state) {
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    crd_context *context = NULL;
    if (crd_context_create(&options, &context) != CRD_OK) return -1;
    *state = context;
    return 0;
}

static int close_context(void **state) {
    crd_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_way_of_learning_gives_the_same_bytes),
        cmocka_unit_test(pages_are_those_of_the_terms_that_are_left),
        cmocka_unit_test(parts_of_texts_are_retracted),
        cmocka_unit_test(a_store_has_the_counts_of_a_plain_count),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
