/* SPDX-License-Identifier: MIT */
/* A table says the same whichever way its rows are read: as it is, and with an empty line behind every row, which means
 * nothing but keeps rows from being taken many at a time. */
#include "sanitizer_support.h"
#include "unit/math_random.h"
#include "unit/table_support.h"

/* Everything that was read in frames of at most so many rows, as one text: cells by row, then the kinds; or the error,
 * without its line. */
static char *read_all(const char *bytes, size_t length, const crd_reader_options *options, size_t most) {
    transcript target_transcript = {NULL, 0, 0};
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader = NULL;
    crd_error error;
    crd_status status = open_bytes(context, bytes, length, true, options, &reader, &error);
    transcript kinds = {NULL, 0, 0};
    if (status == CRD_OK) crd_reader_set_frame_rows(reader, most);
    while (status == CRD_OK) {
        const crd_frame *frame;
        status = crd_reader_next(reader, &frame, &error);
        if (status != CRD_OK || frame == NULL) break;
        assert_true(most == 0 || crd_frame_rows(frame) <= most);
        for (size_t row = 0; row < crd_frame_rows(frame); row++) {
            for (size_t column = 0; column < crd_frame_column_count(frame); column++) {
                crd_value value = crd_frame_value(frame, row, column);
                if (value.type == CRD_TYPE_NONE) say(&target_transcript, " _");
                if (value.type == CRD_TYPE_CATEGORICAL)
                    say(&target_transcript, " '%.*s'", (int)value.text.length, value.text.bytes);
                if (value.type == CRD_TYPE_NUMERIC) say(&target_transcript, " %a", value.number);
            }
            say(&target_transcript, "\n");
        }
        kinds.length = 0;
        say_kinds(&kinds, frame);
    }
    /* What was read before an error depends on where frames end. */
    if (status != CRD_OK) {
        target_transcript.length = 0;
        say(&target_transcript, "%s [%s] %s", crd_status_name(error.status), error.subject, error.message);
    }
    say(&target_transcript, "\n%.*s", (int)kinds.length, kinds.text == NULL ? "" : kinds.text);
    if (status != CRD_OK) target_transcript.text[strcspn(target_transcript.text, "\n")] = '\0';
    free(kinds.text);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
    return target_transcript.text;
}

#define PICK(list) (list)[random_below(sizeof(list) / sizeof *(list))]

static bool chance(size_t one_in) {
    return random_below(one_in) == 0;
}

static const char *const NUMBERS[] = {"0",        "-0",
                                      "1",        "-1.5",
                                      "+2",       ".5",
                                      "5.",       "1e30",
                                      "4.9e-324", "1E-5",
                                      "007",      "3.25",
                                      "-1e-9",    "12345678901234567890",
                                      "0.1",      "1e22",
                                      "12.4",     "-.5",
                                      "2e2",      "9007199254740993"};
static const char *const WORDS[] = {
    "a",         "b",     "no",       "N",        "nul",     "na",   "yes",
    "\xC3\xA9",  "x y",   "12345678", "1.0",      "??",      "x\ry", "-",
    "abcdefghi", "a.b.c", "nulls",    "abcdefgh", "abcdefg", "1e",   "a text that is longer than most"};
/* None opens a quote without closing it, which would make the empty lines part of a cell. */
static const char *const RARE[] = {
    "1e309", "-inf", "0x1p3", "\"\"", "\"q\"\"q\"", "\"two\nlines\"", "5\" pipe", " \"blank before\"", "\"x\" "};
static const char *const MISSING[] = {"", "?", "NA", "NaN", "null"};

typedef struct readers_shape {
    char separator, quote; /* quote 0: none */
    size_t width, rows;
    bool is_number[8];
    size_t missing, blanks, quotes, rare, fields; /* one in so many */
    bool has_returns;
} readers_shape;

static readers_shape draw_shape(void) {
    readers_shape drawn = {.separator = ",;\t|~\x02\xfe"[random_below(7)],
                           .quote = chance(3) ? "'\0"[random_below(2)] : '"',
                           .width = 2 + random_below(6),
                           .rows = 1 + random_below(150)};
    for (size_t i = 0; i < drawn.width; i++) drawn.is_number[i] = chance(2);
    drawn.missing = 2 + random_below(30);
    drawn.blanks = chance(2) ? 1 + random_below(20) : SIZE_MAX;
    drawn.quotes = chance(2) ? 1 + random_below(10) : SIZE_MAX;
    drawn.rare = chance(3) ? 200 : SIZE_MAX;
    drawn.fields = chance(10) ? 200 : SIZE_MAX;
    drawn.has_returns = chance(3);
    return drawn;
}

static void draw_cell(const readers_shape *shape, size_t field, transcript *target_transcript) {
    const char *text = shape->is_number[field] ? PICK(NUMBERS) : PICK(WORDS);
    if (chance(shape->missing)) text = PICK(MISSING);
    if (chance(shape->rare)) {
        say(target_transcript, "%s", PICK(RARE));
        return;
    }
    bool quoted = shape->quote != '\0' && chance(shape->quotes);
    if (quoted) say(target_transcript, "%c", shape->quote);
    if (chance(shape->blanks)) say(target_transcript, " ");
    if (quoted && chance(4)) say(target_transcript, "%c", shape->separator);
    say(target_transcript, "%s", text);
    if (quoted && chance(4)) say(target_transcript, "%c%c", shape->quote, shape->quote);
    if (chance(shape->blanks)) say(target_transcript, " ");
    if (quoted) say(target_transcript, "%c", shape->quote);
}

static void test_ways(void **state) {
    (void)state;
    for (int i = 0; i < FEWER_IF_SANITIZED(5000); i++) {
        readers_shape shape = draw_shape();
        transcript plain = {NULL, 0, 0}, spread = {NULL, 0, 0};
        for (size_t field = 0; field < shape.width; field++)
            say(&plain, "%sname%zu", field == 0 ? "" : (char[]){shape.separator, '\0'}, field);
        say(&plain, "\n");
        say(&spread, "%s", plain.text);
        for (size_t row = 0; row < shape.rows; row++) {
            size_t start = plain.length, width = shape.width + chance(shape.fields);
            for (size_t field = 0; field < width; field++) {
                if (field > 0) say(&plain, "%c", shape.separator);
                draw_cell(&shape, field % shape.width, &plain);
            }
            if (shape.has_returns) say(&plain, "\r");
            if (row + 1 < shape.rows || shape.has_returns || chance(2)) say(&plain, "\n");
            say(&spread, "%s", plain.text + start);
            if (row + 1 < shape.rows) say(&spread, "%s", chance(2) ? "\n" : shape.separator == '\t' ? " \n" : "\t \n");
        }
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.separator = CRD_SEPARATOR_OTHER;
        options.separator_byte = shape.separator;
        options.quote = shape.quote;
        options.no_quotes = shape.quote == '\0';
        options.block_bytes = chance(2) ? 0 : 1 + random_below(2000);
        char *a = read_all(plain.text, plain.length, &options, chance(2) ? 0 : 1 + random_below(40));
        options.block_bytes = chance(2) ? 0 : 1 + random_below(2000);
        char *b = read_all(spread.text, spread.length, &options, chance(2) ? 0 : 1 + random_below(40));
        if (strcmp(a, b) != 0) print_message("table %d:\n%s\n", i, plain.text);
        assert_string_equal(a, b);
        free(a);
        free(b);
        free(plain.text);
        free(spread.text);
    }
}

/* ---- Rows that leave most cells out ---- */

enum { MOST_WIDTH = 160, MOST_SPARSE_ROWS = 120 };

/* What a column of an ARFF file is: left out, its cells are zero, the first value, or missing. */
static const char *const TYPES[] = {"numeric", "{zero,one,two}", "string"};
static const char *const LEFT_OUT[] = {"0", "zero", "?"};
static const char *const CELLS[][4] = {
    {"1.5", "-0", "?", "1e300"}, {"one", "two", "?", "zero"}, {"word", "'two words'", "?", "7"}};
static const char *const WRONG[] = {"many", "three", "'never closed"};

/* The same rows whole and sparse, which may begin with a comment, so that a chunk is not known to be sparse. */
static void draw_arff(transcript *whole, transcript *sparse) {
    size_t width = 1 + random_below(MOST_WIDTH), rows = 1 + random_below(MOST_SPARSE_ROWS);
    size_t kinds[MOST_WIDTH], one_in = 1 + random_below(60), faults = chance(4) ? 300 : SIZE_MAX;
    say(whole, "@relation r\n");
    for (size_t i = 0; i < width; i++) {
        kinds[i] = random_below(3);
        say(whole, "@attribute a%zu %s\n", i, TYPES[kinds[i]]);
    }
    say(whole, "@data\n");
    say(sparse, "%s", whole->text);
    if (chance(4)) say(sparse, "%% sparse\n");
    for (size_t row = 0; row < rows; row++) {
        bool is_first = true;
        say(sparse, "{");
        for (size_t i = 0; i < width; i++) {
            const char *cell = !chance(one_in)                        ? LEFT_OUT[kinds[i]]
                               : faults != SIZE_MAX && chance(faults) ? WRONG[kinds[i]]
                                                                      : PICK(CELLS[kinds[i]]);
            say(whole, "%s%s", i == 0 ? "" : ",", cell);
            if (cell == LEFT_OUT[kinds[i]] && !chance(50)) continue;
            say(sparse, "%s%zu %s", is_first ? "" : ", ", i, cell);
            is_first = false;
        }
        say(whole, "\n");
        say(sparse, "}\n");
    }
}

/* The same rows as lines of JSON and with commas between them. Some numbers stand in columns of words. */
static void draw_json(transcript *whole, transcript *sparse) {
    static const char *const words[] = {"u", "v w", "x", "z"}, *const numbers[] = {"0", "-0", "-1.5", "1e300", "12"};
    size_t width = 1 + random_below(MOST_WIDTH), rows = 1 + random_below(MOST_SPARSE_ROWS);
    size_t one_in = 1 + random_below(60), turns = chance(2) ? 20 : SIZE_MAX;
    bool is_number[MOST_WIDTH];
    for (size_t i = 0; i < width; i++) {
        is_number[i] = chance(2);
        say(whole, "%sk%03zu", i == 0 ? "" : ",", i);
    }
    say(whole, "\n");
    for (size_t row = 0; row <= rows; row++) {
        transcript cells = {NULL, 0, 0};
        bool is_first = true, is_empty = true;
        for (size_t i = 0; i < width; i++) {
            bool is_there = row > 0 && chance(one_in);
            bool is_word = turns == SIZE_MAX || !chance(turns) ? !is_number[i] : is_number[i];
            const char *word = PICK(words), *number = PICK(numbers);
            if (i > 0) say(whole, ",");
            /* The first row names all keys. */
            if (row > 0 && !is_there) continue;
            say(&cells, "%s\"k%03zu\": ", is_first ? "" : ", ", i);
            if (!is_there) say(&cells, "null");
            else if (is_word) say(&cells, "\"%s\"", word);
            else say(&cells, "%s", number);
            if (is_there) say(whole, "%s", is_word ? word : number);
            is_first = false;
            is_empty = is_empty && !is_there;
        }
        say(sparse, "{%s}\n", cells.text == NULL ? "" : cells.text);
        /* A line of one empty field would be no row. */
        if (width == 1 && is_empty) say(whole, "?");
        say(whole, "\n");
        free(cells.text);
    }
}

static void test_sparse(void **state) {
    (void)state;
    for (int i = 0; i < FEWER_IF_SANITIZED(1500); i++) {
        transcript whole = {NULL, 0, 0}, sparse = {NULL, 0, 0};
        bool is_json = chance(2);
        (is_json ? draw_json : draw_arff)(&whole, &sparse);
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.block_bytes = chance(2) ? 0 : 1 + random_below(5000);
        if (is_json) options.separator = CRD_SEPARATOR_COMMA;
        char *a = read_all(whole.text, whole.length, &options, chance(2) ? 0 : 1 + random_below(40));
        options.block_bytes = chance(2) ? 0 : 1 + random_below(5000);
        options.separator = CRD_SEPARATOR_AUTO;
        options.keep_text = chance(2);
        char *b = read_all(sparse.text, sparse.length, &options, chance(2) ? 0 : 1 + random_below(40));
        if (strcmp(a, b) != 0) print_message("table %d:\n%s\n%s\n", i, whole.text, sparse.text);
        assert_string_equal(a, b);
        free(a);
        free(b);
        free(whole.text);
        free(sparse.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ways), cmocka_unit_test(test_sparse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
