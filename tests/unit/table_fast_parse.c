/* SPDX-License-Identifier: MIT */
/* The fast path from plain rows to columns: what it gives and when it gives up, against rows parsed byte by byte.
 */
#include "table_support.h"

#include "math/decimal/decimal.h"
#include "math_random.h"
#include "table/parse/fast_parse.h"

#include <math.h>
#include <strings.h>

enum { MOST_COLUMNS = 5, MOST_ROWS = 300, MOST_VALUES = 1024 };

static allocations plan;
static crd_context *context;

static int begin_context(void **state) {
    (void)state;
    memset(&plan, 0, sizeof plan);
    context = logged_context(&plan);
    return context == NULL ? -1 : 0;
}

static int end_context(void **state) {
    (void)state;
    crd_context_destroy(context);
    return plan.live == 0 ? 0 : -1;
}

/* ---- Rules ---- */

typedef struct table {
    const char *bytes;
    size_t length;
    char separator, quote, decimal; /* quote 0: none */
    size_t width, longest, most_categories;
    const crd_text *missing;
    size_t missing_count;
    bool any_case;
    size_t column_count;
    size_t fields[MOST_COLUMNS];
    crd_column_type types[MOST_COLUMNS];
} table;

static const crd_text USUAL_MISSING[] = {{"", 0}, {"?", 1}, {"NA", 2}, {"NaN", 3}, {"null", 4}};

static table plain_table(const char *text, size_t width, crd_column_type type) {
    table new_table = {.bytes = text,
                       .length = strlen(text),
                       .separator = ',',
                       .quote = '"',
                       .decimal = '.',
                       .width = width,
                       .longest = 1000,
                       .most_categories = 1000,
                       .missing = USUAL_MISSING,
                       .missing_count = 5,
                       .column_count = width};
    for (size_t i = 0; i < width; i++) new_table.fields[i] = i, new_table.types[i] = type;
    return new_table;
}

/* ---- What is expected, as simply as it can be said ---- */

typedef struct parse_expectation {
    size_t rows;
    size_t begins[MOST_ROWS + 1]; /* where each row does, and the end */
    char texts[65536];            /* of cells between quotes */
    size_t texts_length;
    crd_text cells[MOST_ROWS][MOST_COLUMNS]; /* of the columns wanted */
    bool quoted[MOST_ROWS][MOST_COLUMNS], missing[MOST_ROWS][MOST_COLUMNS];
    double numbers[MOST_ROWS][MOST_COLUMNS];
    int32_t codes[MOST_ROWS][MOST_COLUMNS];
    crd_text values[MOST_COLUMNS][MOST_VALUES];
    size_t value_count[MOST_COLUMNS];
} parse_expectation;

static bool is_blank(const table *source_table, char byte) {
    return byte == ' ' || (byte == '\t' && source_table->separator != '\t');
}

static crd_text trim(const table *source_table, crd_text text) {
    while (text.length > 0 && is_blank(source_table, text.bytes[0])) text.bytes++, text.length--;
    while (text.length > 0 && is_blank(source_table, text.bytes[text.length - 1])) text.length--;
    return text;
}

static bool is_missing(const table *source_table, crd_text text, bool quoted) {
    for (size_t i = 0; i < source_table->missing_count; i++)
        if (source_table->missing[i].length == text.length &&
            (source_table->any_case ? strncasecmp(source_table->missing[i].bytes, text.bytes, text.length)
                                    : memcmp(source_table->missing[i].bytes, text.bytes, text.length)) == 0)
            return !quoted || text.length == 0 || !crd_i_is_usual_missing(text);
    return false;
}

/* The field at *at, up to what ends it; false where it is irregular. */
static bool expect_field(const table *source_table, size_t *cursor, parse_expectation *expectation, crd_text *text,
                         bool *quoted) {
    const char *bytes = source_table->bytes;
    size_t end = *cursor;
    *quoted = source_table->quote != '\0' && end < source_table->length && bytes[end] == source_table->quote;
    if (*quoted) {
        text->bytes = expectation->texts + expectation->texts_length;
        for (end++;; end++) {
            if (end == source_table->length) return false;
            if (bytes[end] == source_table->quote &&
                (++end == source_table->length || bytes[end] != source_table->quote))
                break;
            expectation->texts[expectation->texts_length++] = bytes[end];
        }
        text->length = (size_t)(expectation->texts + expectation->texts_length - text->bytes);
        if (end + 1 < source_table->length && bytes[end] == '\r' && bytes[end + 1] == '\n') end++;
        *cursor = end;
        return end == source_table->length || bytes[end] == source_table->separator || bytes[end] == '\n';
    }
    for (; end < source_table->length && bytes[end] != source_table->separator && bytes[end] != '\n'; end++)
        if (source_table->quote != '\0' && bytes[end] == source_table->quote) return false;
    crd_text whole = {bytes + *cursor, end - *cursor};
    if (end < source_table->length && bytes[end] == '\n' && whole.length > 0 && bytes[end - 1] == '\r') whole.length--;
    *text = trim(source_table, whole);
    *cursor = end;
    return true;
}

/* The row at *at; false where it is irregular. */
static bool expect_row(const table *source_table, size_t *cursor, parse_expectation *expectation) {
    crd_text fields[64];
    bool quoted[64];
    size_t count = 0, begin = *cursor;
    for (bool is_last = false; !is_last; ++*cursor) {
        assert_true(count < 64);
        if (!expect_field(source_table, cursor, expectation, &fields[count], &quoted[count])) return false;
        count++;
        is_last = *cursor == source_table->length || source_table->bytes[*cursor] == '\n';
    }
    if (*cursor - 1 - begin > source_table->longest) return false;
    if (count != source_table->width || (count == 1 && fields[0].length == 0)) return false;
    for (size_t i = 0; i < source_table->column_count; i++) {
        expectation->cells[expectation->rows][i] = fields[source_table->fields[i]];
        expectation->quoted[expectation->rows][i] = quoted[source_table->fields[i]];
    }
    expectation->begins[expectation->rows++] = begin;
    return true;
}

static bool expect_cut(const table *source_table, parse_expectation *expectation) {
    expectation->rows = expectation->texts_length = 0;
    memset(expectation->value_count, 0, sizeof expectation->value_count);
    for (size_t i = 0; i < source_table->length; i++)
        if (source_table->bytes[i] == '\0') return false;
    assert_true(source_table->length <= sizeof expectation->texts);
    for (size_t index = 0; index < source_table->length;)
        if (!expect_row(source_table, &index, expectation)) return false;
    expectation->begins[expectation->rows] = source_table->length;
    return true;
}

static bool expect_code(const table *source_table, crd_text text, size_t column, parse_expectation *expectation,
                        int32_t *code) {
    size_t *count = &expectation->value_count[column];
    size_t i = 0;
    while (i < *count && !crd_text_equal(expectation->values[column][i], text)) i++;
    if (i == *count) {
        if (*count >= source_table->most_categories) return false;
        assert_true(*count < MOST_VALUES);
        expectation->values[column][(*count)++] = text;
    }
    *code = (int32_t)i;
    return true;
}

static bool expect_cells(const table *source_table, parse_expectation *expectation) {
    for (size_t row = 0; row < expectation->rows; row++)
        for (size_t i = 0; i < source_table->column_count; i++) {
            crd_text text = expectation->cells[row][i];
            expectation->numbers[row][i] = NAN;
            expectation->codes[row][i] = -1;
            expectation->missing[row][i] = is_missing(source_table, text, expectation->quoted[row][i]);
            if (expectation->missing[row][i]) continue;
            if (source_table->types[i] == CRD_TYPE_NONE) return false;
            if (source_table->types[i] == CRD_TYPE_CATEGORICAL &&
                !expect_code(source_table, text, i, expectation, &expectation->codes[row][i]))
                return false;
            if (source_table->types[i] == CRD_TYPE_NUMERIC &&
                crd_i_decimal_parse(text, source_table->decimal, &expectation->numbers[row][i]) != CRD_NUMBER_FINITE)
                return false;
        }
    return true;
}

/* ---- What is found ---- */

typedef struct found {
    crd_i_fast_parse parser;
    crd_i_missing missing;
    crd_i_fast_parse_rules rules;
    crd_i_fast_parse_column columns[MOST_COLUMNS];
    double numbers[MOST_COLUMNS][MOST_ROWS];
    int32_t codes[MOST_COLUMNS][MOST_ROWS];
    char *bytes;
} found;

/* The bytes in a block of their own, with no more behind them than was promised, and that the worst. */
static bool begin(const table *source_table, found *result) {
    static const char WORST[] = "\n\"9,\r.e \t0";
    memset(result, 0, sizeof *result);
    result->parser.context = context;
    result->bytes = malloc(source_table->length + CRD_I_FAST_PARSE_PADDING);
    assert_non_null(result->bytes);
    memcpy(result->bytes, source_table->bytes, source_table->length);
    size_t offset = random_below(sizeof WORST - 1);
    for (size_t i = 0; i < CRD_I_FAST_PARSE_PADDING; i++)
        result->bytes[source_table->length + i] = WORST[(i + offset) % (sizeof WORST - 1)];
    if (!crd_i_missing_set(&result->missing, context, source_table->missing, source_table->missing_count,
                           source_table->any_case))
        return false;
    result->rules = (crd_i_fast_parse_rules){&result->missing, source_table->decimal, source_table->most_categories,
                                             true, SIZE_MAX};
    for (size_t i = 0; i < source_table->column_count; i++) {
        result->columns[i].field = source_table->fields[i];
        result->columns[i].type = source_table->types[i];
        result->columns[i].takes_codes = true;
        result->columns[i].numbers = result->numbers[i];
        result->columns[i].codes = result->codes[i];
        if (source_table->types[i] != CRD_TYPE_CATEGORICAL) continue;
        result->columns[i].dictionary = crd_i_dictionary_create(context);
        if (result->columns[i].dictionary == NULL) return false;
    }
    return true;
}

static void end(found *source_found) {
    for (size_t i = 0; i < MOST_COLUMNS; i++) crd_i_dictionary_destroy(source_found->columns[i].dictionary);
    crd_i_missing_clear(&source_found->missing);
    crd_i_fast_parse_clear(&source_found->parser);
    free(source_found->bytes);
}

static bool cut(const table *source_table, found *target_found) {
    return crd_i_fast_parse_cut(&target_found->parser, target_found->bytes, source_table->length,
                                (crd_i_delimiters){source_table->separator, source_table->quote}, source_table->width,
                                source_table->longest);
}

static void assert_lines(const table *source_table, const parse_expectation *want, const found *have) {
    size_t lines = 0, index = 0;
    for (size_t row = 0; row <= want->rows; row++) {
        for (; index < want->begins[row]; index++)
            lines += source_table->bytes[index] == '\n' || index + 1 == source_table->length;
        assert_int_equal(crd_i_fast_parse_lines_before(&have->parser, row), lines);
    }
}

/* From any row on, and then all of it. */
static void assert_restored(const table *source_table, const parse_expectation *want, found *have) {
    size_t row = random_below(want->rows + 1), begin = want->begins[row];
    crd_i_fast_parse_restore(&have->parser, row);
    assert_memory_equal(have->bytes + begin, source_table->bytes + begin, source_table->length - begin);
    crd_i_fast_parse_restore(&have->parser, 0);
    assert_memory_equal(have->bytes, source_table->bytes, source_table->length);
}

static void assert_cells(const table *source_table, const parse_expectation *want, const found *have, size_t first,
                         size_t count) {
    for (size_t i = 0; i < source_table->column_count; i++) {
        size_t missing = 0;
        for (size_t k = 0; k < count; k++) {
            size_t row = first + k;
            missing += want->missing[row][i];
            if (source_table->types[i] == CRD_TYPE_CATEGORICAL)
                assert_int_equal(have->codes[i][k], want->codes[row][i]);
            if (source_table->types[i] != CRD_TYPE_NUMERIC) continue;
            if (want->missing[row][i]) assert_true(isnan(have->numbers[i][k]));
            else assert_memory_equal(&have->numbers[i][k], &want->numbers[row][i], sizeof(double));
        }
        assert_int_equal(have->columns[i].missing, missing);
    }
}

/* Everything agrees, whether it is plain or not; the rows are filled in all at once or, from `parts` 2 on, by parts. */
static void check_parts(const table *source_table, size_t parts) {
    static parse_expectation want;
    static found have;
    assert_true(begin(source_table, &have));
    bool is_plain = expect_cut(source_table, &want);
    assert_int_equal(cut(source_table, &have), is_plain);
    assert_int_equal(have.parser.rows, is_plain ? want.rows : 0);
    for (size_t row = 0; row < have.parser.rows; row++)
        for (size_t i = 0; i < source_table->column_count; i++)
            assert_true(
                crd_text_equal(crd_i_fast_parse_text(&have.parser, row, source_table->fields[i]), want.cells[row][i]));
    if (is_plain) assert_lines(source_table, &want, &have);
    bool is_filled = is_plain && expect_cells(source_table, &want), was_filled = is_plain;
    for (size_t part = 0; was_filled && part < parts; part++) {
        size_t first = want.rows * part / parts, next = want.rows * (part + 1) / parts;
        was_filled = crd_i_fast_parse_fill(&have.parser, &have.rules, first, next - first, have.columns,
                                           source_table->column_count);
        if (is_filled) assert_true(was_filled);
        if (is_filled) assert_cells(source_table, &want, &have, first, next - first);
    }
    assert_int_equal(was_filled, is_filled);
    for (size_t i = 0; is_plain && i < source_table->column_count; i++) {
        if (source_table->types[i] != CRD_TYPE_CATEGORICAL) continue;
        /* Given up or not, values have the codes of the order of rows. */
        size_t count = crd_i_dictionary_size(have.columns[i].dictionary);
        if (is_filled) assert_int_equal(count, want.value_count[i]);
        for (size_t code = 0; code < count && code < want.value_count[i]; code++)
            assert_true(crd_text_equal(crd_i_dictionary_text(have.columns[i].dictionary, code), want.values[i][code]));
    }
    if (is_plain) assert_restored(source_table, &want, &have);
    else assert_memory_equal(have.bytes, source_table->bytes, source_table->length);
    end(&have);
}

static void check(const table *source_table) {
    for (size_t parts = 1; parts <= 3; parts++) check_parts(source_table, parts);
}

/* ---- Tests ---- */

static bool is_cut(const char *text, size_t width, size_t longest) {
    table source_table = plain_table(text, width, CRD_TYPE_CATEGORICAL);
    source_table.longest = longest;
    check(&source_table);
    static found have;
    assert_true(begin(&source_table, &have));
    bool is_plain = cut(&source_table, &have);
    end(&have);
    return is_plain;
}

static void test_rows(void **state) {
    (void)state;
    assert_true(is_cut("", 2, 9));
    assert_true(is_cut("a,b\nc,d\n", 2, 9));
    assert_true(is_cut("a,b\nc,d", 2, 9));
    assert_true(is_cut("a,b\r\nc,d\r", 2, 9));
    assert_true(is_cut(",\n,\n", 2, 9));
    assert_true(is_cut("a\nb\n", 1, 9));
    assert_false(is_cut("a\n\nb\n", 1, 9));
    assert_false(is_cut("a\n \t\nb\n", 1, 9));
    assert_false(is_cut("a\n\r\nb\n", 1, 9));
    assert_false(is_cut("a\n ", 1, 9));
    /* As many separators and line ends as two rows have, but not where rows have them. */
    assert_false(is_cut("a,b,c\nd\n", 2, 9));
    assert_false(is_cut("a\nb,c,d\n", 2, 9));
    assert_false(is_cut("a\nb\nc,d,e,f\n", 2, 9));
    assert_false(is_cut("\na,b\n", 2, 9));
    assert_false(is_cut("a,b\n\n", 2, 9));
    assert_false(is_cut("a,b\nc", 2, 9));
    /* Quotes around fields, doubled between those and nowhere else; what is between them ends no field and no row. */
    assert_true(is_cut("a,b\nc,\"d\"\n", 2, 9));
    assert_true(is_cut("\"a,a\",b\r\nc,\"\"\r\n\"\",\"d,d,\"", 2, 9));
    assert_true(is_cut("a,b\nc,\"d\ne\"\n", 2, 9));
    assert_true(is_cut("\"\n\",\"\r\n\"\r\n\"\",\"\n\n\"", 2, 9));
    assert_false(is_cut("a,b\nc,\"d\ne\"\n", 2, 6));
    assert_false(is_cut("a,b\nc, \"d\"\n", 2, 9));
    assert_false(is_cut("a,b\nc,\"d\" \n", 2, 9));
    assert_false(is_cut("a,b\nc,d\"\n", 2, 9));
    assert_true(is_cut("a,b\nc,\"d\"\"e\"\n", 2, 99));
    assert_true(is_cut("\"\"\"\",\"\"\"\"\"\"\n\"\"\"a\",\"a\"\"\"\r\n\"a\"\"b\"\"c\",\"\"\"\"", 2, 99));
    assert_false(is_cut("a,b\nc,\"\"d\"\"\n", 2, 99));
    assert_false(is_cut("a,b\nc,\"\"\"\n", 2, 99));
    assert_false(is_cut("a,b\nc,d\"\"\n", 2, 99));
    assert_false(is_cut("a,b\nc,\"d\n", 2, 9));
    assert_false(is_cut("a,b\nc,\"d\"\r", 2, 9));
    /* Line ends do not count towards the length, carriage returns do. */
    assert_true(is_cut("a,bcd\na,bc\r\na,b\n", 2, 5));
    assert_false(is_cut("a,b\na,bcde\na,b\n", 2, 5));
    assert_false(is_cut("a,bcd\r\n", 2, 5));
    table with_nul = plain_table("a,b\nc,d\n", 2, CRD_TYPE_CATEGORICAL);
    with_nul.bytes = "a,b\nc,\0\n";
    check(&with_nul);
}

/* What is filled in, as a text; NULL if it was abandoned. */
static const char *filled(const char *text, size_t width, crd_column_type type, const crd_text *missing,
                          size_t missing_count) {
    static char said[1024];
    static found have;
    table source_table = plain_table(text, width, type);
    if (missing != NULL) source_table.missing = missing, source_table.missing_count = missing_count;
    check(&source_table);
    assert_true(begin(&source_table, &have));
    assert_true(cut(&source_table, &have));
    bool is_filled =
        crd_i_fast_parse_fill(&have.parser, &have.rules, 0, have.parser.rows, have.columns, source_table.column_count);
    said[0] = '\0';
    for (size_t row = 0; is_filled && row < have.parser.rows; row++)
        for (size_t i = 0; i < width; i++) {
            size_t used = strlen(said);
            if (type == CRD_TYPE_NUMERIC) snprintf(said + used, sizeof said - used, "%.17g ", have.numbers[i][row]);
            else snprintf(said + used, sizeof said - used, "%d ", (int)have.codes[i][row]);
        }
    end(&have);
    return is_filled ? said : NULL;
}

static void test_numbers(void **state) {
    (void)state;
    assert_string_equal(filled("1,-2.5\r\n+3e2,.5\n 4 ,\t5. \n", 2, CRD_TYPE_NUMERIC, NULL, 0), "1 -2.5 300 0.5 4 5 ");
    assert_string_equal(filled("-0,1e308\n0.1,4.9e-324\n", 2, CRD_TYPE_NUMERIC, NULL, 0),
                        "-0 1e+308 0.10000000000000001 4.9406564584124654e-324 ");
    assert_string_equal(filled("NA, ?\n,null \nNaN,1\n", 2, CRD_TYPE_NUMERIC, NULL, 0), "nan nan nan nan nan 1 ");
    assert_string_equal(filled("\"1.5\",\"\"\n2,\"-3\"\r\n", 2, CRD_TYPE_NUMERIC, NULL, 0), "1.5 nan 2 -3 ");
    assert_null(filled("\"NA\"\n1\n", 1, CRD_TYPE_NUMERIC, NULL, 0));
    assert_null(filled("\" 1\"\n1\n", 1, CRD_TYPE_NUMERIC, NULL, 0));
    assert_null(filled("1\n1e309\n", 1, CRD_TYPE_NUMERIC, NULL, 0));
    assert_null(filled("1\n-inf\n", 1, CRD_TYPE_NUMERIC, NULL, 0));
    assert_null(filled("1\n0x10\n", 1, CRD_TYPE_NUMERIC, NULL, 0));
    assert_null(filled("1\nnan\n", 1, CRD_TYPE_NUMERIC, NULL, 0));
    assert_null(filled("1,2\n1,2\r", 2, CRD_TYPE_NUMERIC, NULL, 0));
    /* Numbers that mean missing are; and what does not mean missing is not. */
    static const crd_text CODES[] = {{"-999", 4}, {"inf", 3}};
    assert_string_equal(filled("-999,-99\n-9999, -999\ninf,-1\n", 2, CRD_TYPE_NUMERIC, CODES, 2),
                        "nan -99 -9999 nan nan -1 ");
    assert_null(filled("1,\n", 2, CRD_TYPE_NUMERIC, CODES, 2));
}

static void test_codes(void **state) {
    (void)state;
    assert_string_equal(filled("a,b\n b,b\t\na ,\n", 2, CRD_TYPE_CATEGORICAL, NULL, 0), "0 0 1 0 0 -1 ");
    assert_string_equal(filled("NA,x\nN,NAN\nnull,nul\n", 2, CRD_TYPE_CATEGORICAL, NULL, 0), "-1 0 0 1 -1 2 ");
    assert_string_equal(filled("fifteen letters\nsixteen letters.\nfifteen lettersX\nfifteen letters\nfifteen letterz\n"
                               "sixteen letters.\n",
                               1, CRD_TYPE_CATEGORICAL, NULL, 0),
                        "0 1 2 0 3 1 ");
    assert_string_equal(filled("\xC3\xA9\n\xC3\xA8\n\xC3\xA9\n\xC2\xA0\n", 1, CRD_TYPE_CATEGORICAL, NULL, 0),
                        "0 1 0 2 ");
    /* Between quotes nothing is trimmed, and only nothing is missing. */
    assert_string_equal(filled("\"a\",\"b,b\"\r\na,\" b\"\r\n\"NA\",\"\"\r\nNA,\"b,b\"\n\"NA\",b\r\n", 2,
                               CRD_TYPE_CATEGORICAL, NULL, 0),
                        "0 0 0 1 1 -1 -1 0 1 2 ");
    /* Two quotes are one, in short texts and long ones, and none of them makes two texts alike. */
    assert_string_equal(filled("\"a\"\"b\"\n\"a\"\"\"\"b\"\n\"a\"\"b\"\n\"a \"\"longer\"\" text than that\"\n\"a\nb\"\n"
                               "\"a \"\"longer\"\" text than that\"\n\"a\"\"\"\"b\"",
                               1, CRD_TYPE_CATEGORICAL, NULL, 0),
                        "0 1 0 2 3 2 1 ");
    /* An empty text is a value like any other where it does not mean missing. */
    static const crd_text ONLY_X[] = {{"x", 1}};
    assert_string_equal(filled("a,\n,x\n", 2, CRD_TYPE_CATEGORICAL, ONLY_X, 1), "0 0 1 -1 ");
}

static void test_none(void **state) {
    (void)state;
    assert_non_null(filled("NA,\n?, \n", 2, CRD_TYPE_NONE, NULL, 0));
    assert_null(filled("NA,\n?,0\n", 2, CRD_TYPE_NONE, NULL, 0));
}

/* A value that means missing got into the dictionary between quotes, by the slow path: without them it is missing. */
static void test_known_but_missing(void **state) {
    (void)state;
    static found have;
    table source_table = plain_table("NA\na\nNA\n", 1, CRD_TYPE_CATEGORICAL);
    assert_true(begin(&source_table, &have));
    assert_int_equal(crd_i_dictionary_add(have.columns[0].dictionary, crd_text_of("NA")), 0);
    assert_true(cut(&source_table, &have));
    assert_true(crd_i_fast_parse_fill(&have.parser, &have.rules, 0, 3, have.columns, 1));
    assert_int_equal(have.codes[0][0], -1);
    assert_int_equal(have.codes[0][1], 1);
    assert_int_equal(have.codes[0][2], -1);
    end(&have);
}

static void test_limit(void **state) {
    (void)state;
    table source_table = plain_table("a\nb\na\nc\n", 1, CRD_TYPE_CATEGORICAL);
    for (source_table.most_categories = 1; source_table.most_categories < 5; source_table.most_categories++)
        check(&source_table);
    /* A dictionary that is over the limit already. */
    static found have;
    source_table.most_categories = 2;
    assert_true(begin(&source_table, &have));
    assert_int_equal(crd_i_dictionary_add(have.columns[0].dictionary, crd_text_of("x")), 0);
    assert_int_equal(crd_i_dictionary_add(have.columns[0].dictionary, crd_text_of("y")), 1);
    assert_int_equal(crd_i_dictionary_add(have.columns[0].dictionary, crd_text_of("a")), 2);
    assert_true(cut(&source_table, &have));
    assert_false(crd_i_fast_parse_fill(&have.parser, &have.rules, 0, 1, have.columns, 1));
    end(&have);
}

/* ---- Random tables ---- */

static const char *const NUMBERS[] = {"0",
                                      "-0",
                                      "1",
                                      "-1.5",
                                      "+2",
                                      ".5",
                                      "5.",
                                      "1e308",
                                      "4.9e-324",
                                      "1E-5",
                                      "007",
                                      "3,25",
                                      "-,5",
                                      "12345678901234567890",
                                      "0.1",
                                      "1e22",
                                      "123.4",
                                      "-1e-9",
                                      "9007199254740993"};
static const char *const WORDS[] = {"a",  "b",   "aa",       "no",      "N",         "nul",         "NAN",
                                    "na", "yes", "\xC3\xA9", "x y",     "12345678",  "123456789",   "fifteen bytes..",
                                    "1",  "1.0", "??",       "a\rb",    "\x01",      "\xC2\xA0",    "sixteen bytes...",
                                    "\r", "-",   "abcdefgh", "abcdefg", "abcdefghi", "a.b.c.d.e.f", "nulls"};
static const char *const ODD[] = {"inf", "-Infinity", "1e309", "0x1p3", "nan", "1e",
                                  "--1", "1.2.3",     "1 2",   "\"",    "5\r"};
static const char *const MISSING[] = {"", "?", "NA", "NaN", "null", "NULL", "n/a", "None", "-1.#IND"};

#define PICK(list) (list)[random_below(sizeof(list) / sizeof *(list))]

typedef struct parse_odds {
    size_t odd, missing, blanks, quotes, fields, line; /* one in so many */
} parse_odds;

static bool chance(size_t one_in) {
    return random_below(one_in) == 0;
}

static void draw_cell(const table *source_table, crd_column_type type, const parse_odds *chances,
                      transcript *target_transcript) {
    const char *text = type == CRD_TYPE_NUMERIC ? PICK(NUMBERS) : PICK(WORDS);
    if (type == CRD_TYPE_NONE || chance(chances->missing)) text = PICK(MISSING);
    if (chance(chances->odd)) text = PICK(ODD);
    bool quoted = source_table->quote != '\0' && chance(chances->quotes),
         blanks_outside = !quoted || chance(20 * chances->blanks);
    if (quoted && !blanks_outside) say(target_transcript, "%c", source_table->quote);
    if (chance(chances->blanks))
        say(target_transcript, "%s", chance(2) ? " " : source_table->separator == '\t' ? "  " : "\t ");
    if (quoted && blanks_outside) say(target_transcript, "%c", source_table->quote);
    if (quoted && chance(3)) say(target_transcript, "%c", source_table->separator);
    if (quoted && chance(5)) {
        char q = source_table->quote;
        if (chance(3)) say(target_transcript, "\n");
        else if (chance(2)) say(target_transcript, "%c%c", q, q);
        else say(target_transcript, "say %c%chi%c%c ", q, q, q, q);
    }
    for (; *text != '\0'; text++) {
        /* The list has commas as decimal signs. */
        char byte = *text == ',' || (*text == '.' && type == CRD_TYPE_NUMERIC) ? source_table->decimal : *text;
        say(target_transcript, "%c", byte == source_table->separator ? '_' : byte);
    }
    if (quoted && blanks_outside) say(target_transcript, "%c", source_table->quote);
    if (chance(chances->blanks))
        say(target_transcript, "%s", chance(2) ? " " : source_table->separator == '\t' ? "  " : " \t");
    if (quoted && !blanks_outside) say(target_transcript, "%c", source_table->quote);
}

static void draw_table(table *source_table, transcript *target_transcript, crd_column_type *types) {
    /* Some tables are plain, others have one odd thing here and there: otherwise all would be abandoned. */
    size_t rare = chance(2) ? SIZE_MAX : 300;
    parse_odds chances = {chance(3) ? rare : SIZE_MAX, 1 + random_below(20),
                          1 + random_below(20),        chance(2) ? 1 + random_below(10) : SIZE_MAX,
                          chance(3) ? rare : SIZE_MAX, chance(3) ? rare : SIZE_MAX};
    size_t rows = random_below(MOST_ROWS - 50);
    bool has_returns = chance(3);
    for (size_t row = 0; row < rows; row++) {
        if (chance(chances.line)) say(target_transcript, "%s\n", chance(2) ? "" : "  ");
        size_t width = source_table->width;
        if (chance(chances.fields)) width += chance(2) && width > 1 ? SIZE_MAX : 1;
        for (size_t field = 0; field < width; field++) {
            if (field > 0) say(target_transcript, "%c", source_table->separator);
            draw_cell(source_table, types[field < source_table->width ? field : 0], &chances, target_transcript);
        }
        if (has_returns && !chance(10)) say(target_transcript, "\r");
        if (row + 1 < rows || chance(2)) say(target_transcript, "\n");
    }
}

static void test_random_tables(void **state) {
    (void)state;
    size_t plain = 0, tables = 3000;
    for (size_t i = 0; i < tables; i++) {
        transcript text = {NULL, 0, 0};
        say(&text, "%s", "");
        table source_table = plain_table("", 1, CRD_TYPE_CATEGORICAL);
        crd_column_type types[16];
        source_table.separator = ",;\t|~\x01\xfe"[random_below(7)];
        source_table.quote = chance(3) ? "'\0^"[random_below(3)] : '"';
        source_table.decimal = source_table.separator != ',' && chance(2) ? ',' : '.';
        source_table.width = 1 + random_below(8);
        if (chance(5)) source_table.longest = 40;
        source_table.column_count = 0;
        for (size_t field = 0; field < source_table.width; field++) {
            types[field] = chance(12) ? CRD_TYPE_NONE : chance(2) ? CRD_TYPE_NUMERIC : CRD_TYPE_CATEGORICAL;
            if (source_table.column_count == MOST_COLUMNS || chance(4)) continue;
            source_table.fields[source_table.column_count] = field;
            source_table.types[source_table.column_count++] = types[field];
        }
        draw_table(&source_table, &text, types);
        source_table.bytes = text.text;
        source_table.length = text.length;
        static const crd_text OTHER_MISSING[] = {{"0", 1},  {"", 0},    {"?", 1},   {"a", 1},
                                                 {"NA", 2}, {"NaN", 3}, {"null", 4}};
        source_table.any_case = chance(2);
        if (source_table.any_case) source_table.missing = crd_i_usual_missing(&source_table.missing_count);
        else if (chance(4)) source_table.missing = OTHER_MISSING, source_table.missing_count = 7;
        check(&source_table);
        static parse_expectation want;
        plain += expect_cut(&source_table, &want) && expect_cells(&source_table, &want);
        free(text.text);
    }
    /* Neither way is left untried. */
    assert_true(plain > tables / 5 && plain < 4 * tables / 5);
}

/* Longer than the pieces that marks are found in, so that what is added up over pieces is right. */
static void test_many_pieces(void **state) {
    (void)state;
    enum { ROWS = 20000 };
    const crd_i_delimiters delimiters = {',', '"'};
    crd_i_fast_parse parser = {.context = context};
    char *bytes = malloc(ROWS * 8 + CRD_I_FAST_PARSE_PADDING);
    assert_non_null(bytes);
    for (size_t row = 0; row < ROWS; row++) {
        char line[16];
        snprintf(line, sizeof line, "%05zu,%c\n", row, 'a' + (int)(row % 26));
        memcpy(bytes + 8 * row, line, 8);
    }
    memset(bytes + 8 * ROWS, '\n', CRD_I_FAST_PARSE_PADDING);
    assert_true(crd_i_fast_parse_cut(&parser, bytes, 8 * ROWS, delimiters, 2, 8 * ROWS));
    assert_int_equal(parser.rows, ROWS);
    for (size_t row = 0; row < ROWS; row++) {
        double number;
        assert_int_equal(crd_i_decimal_parse(crd_i_fast_parse_text(&parser, row, 0), '.', &number), CRD_NUMBER_FINITE);
        assert_true(number == (double)row);
        assert_int_equal(crd_i_fast_parse_text(&parser, row, 1).bytes[0], 'a' + (int)(row % 26));
    }
    bytes[8 * (ROWS / 2) + 6] = '"';
    assert_false(crd_i_fast_parse_cut(&parser, bytes, 8 * ROWS, delimiters, 2, 8 * ROWS));
    assert_int_equal(parser.rows, 0);
    crd_i_fast_parse_clear(&parser);
    free(bytes);
}

/* Whatever allocation fails, it gives up and goes on from there. */
static void test_failing_memory(void **state) {
    (void)state;
    table source_table = plain_table("a,b\nc,d\ne,f\ng,h\ni,j\nlonger than fifteen bytes,k\n", 2, CRD_TYPE_CATEGORICAL);
    for (size_t call_index = 1;; call_index++) {
        static found have;
        plan.calls = 0;
        plan.fail_at = call_index;
        bool is_made = begin(&source_table, &have);
        bool done = is_made && cut(&source_table, &have) &&
                    crd_i_fast_parse_fill(&have.parser, &have.rules, 0, have.parser.rows, have.columns, 2);
        assert_int_equal(done, plan.calls < call_index);
        plan.fail_at = 0;
        if (is_made && !done) {
            assert_true(cut(&source_table, &have));
            assert_true(crd_i_fast_parse_fill(&have.parser, &have.rules, 0, have.parser.rows, have.columns, 2));
            assert_int_equal(have.codes[0][5], 5);
        }
        end(&have);
        if (done) break;
    }
}

int main(void) {
#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, begin_context, end_context)
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(test_rows),          IN_CONTEXT(test_numbers),           IN_CONTEXT(test_codes),
        IN_CONTEXT(test_none),          IN_CONTEXT(test_known_but_missing), IN_CONTEXT(test_limit),
        IN_CONTEXT(test_random_tables), IN_CONTEXT(test_many_pieces),       IN_CONTEXT(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
