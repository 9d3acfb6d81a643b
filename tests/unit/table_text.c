/* SPDX-License-Identifier: MIT */
/* The rules of text tables: quotes, separators, headers, missing cells, and what is refused, for any cut into blocks.
 */
#include "table_support.h"

#include "table/parse/slow_parse.h"

static void test_plain(void **state) {
    (void)state;
    expect("a,b\n1,x\n2,y\n", ", header\n#a @b\n2: 1 'x'\n3: 2 'y'\n");
    expect("a,b\n1,x\n2,y", ", header\n#a @b\n2: 1 'x'\n3: 2 'y'\n");
    expect("a,b\r\n1,x\r\n2,y\r\n", ", header\n#a @b\n2: 1 'x'\n3: 2 'y'\n");
    expect("\xEF\xBB\xBF"
           "a,b\n1,x\n",
           ", header\n#a @b\n2: 1 'x'\n");
    expect("\xEF\xBB\xBF\"a\",b\n1,x\n", ", header\n#a @b\n2: 1 'x'\n");
}

static void test_only_a_cr_before_lf_ends_a_line(void **state) {
    (void)state;
    expect("a,b\nx\ry,z\n", ", header\n@a @b\n2: 'x\ry' 'z'\n");
    expect("a,b\nx,z\r", ", header\n@a @b\n2: 'x' 'z\r'\n");
    expect("a,b\nx,\"z\"\r\nu,v\n", ", header\n@a @b\n2: 'x' 'z'\n3: 'u' 'v'\n");
}

static void test_quotes(void **state) {
    (void)state;
    expect("a,b\n\"x,y\",\"he said \"\"no\"\"\"\n", ", header\n@a @b\n2: 'x,y' 'he said \"no\"'\n");
    expect("a,b\n \"x\" ,\t\"y\"\t\n", ", header\n@a @b\n2: 'x' 'y'\n");
    expect("a,b\n\" x \",\"\"\"\"\n", ", header\n@a @b\n2: ' x ' '\"'\n");
    expect("a,b\n5\" disk,it\"\"s\n", ", header\n@a @b\n2: '5\" disk' 'it\"\"s'\n");
    expect("a,b\n\"1\",\"2e1\"\n", ", header\n#a #b\n2: 1 20\n");
}

static void test_line_ends_inside_quotes_count_as_lines(void **state) {
    (void)state;
    expect("a,b\n\"one\ntwo\r\nthree\",x\ny,z\n", ", header\n@a @b\n2: 'one\ntwo\r\nthree' 'x'\n5: 'y' 'z'\n");
    expect("\"a\nb\",c\n1,2\n", ", header\n#a\nb #c\n3: 1 2\n");
}

static void test_bad_quotes(void **state) {
    (void)state;
    expect("a,b\nx,\"y\" z\n",
           ", header\nsyntax t:2:2 [] text after a closing quote: expected a separator or the end of the line\n");
    expect("a,b\nx,\"y\n\nz\" z\n",
           ", header\nsyntax t:4:2 [] text after a closing quote: expected a separator or the end of the line\n");
    expect("a,b\nu,v\n\"x\ny\",\"z\nw\n",
           ", header\n@a @b\n2: 'u' 'v'\nsyntax t:4:2 [] a quote opens here and is never closed\n");
    expect("\"a,b\n", "syntax t:1:1 [] a quote opens here and is never closed\n");
}

static void test_blanks_and_empty_lines(void **state) {
    (void)state;
    expect("\n  \n\t\na , b\n\n 1 ,\tx\t\n   \n2,y z\n\n", ", header\n#a @b\n6: 1 'x'\n8: 2 'y z'\n");
    expect("\r\na,b\r\n\r\n1,2\r\n\r\n", ", header\n#a #b\n4: 1 2\n");
    /* Between tabs nothing is a missing cell, and blanks are trimmed. */
    expect("a\tb\n x \t\n\t\n", "t header\n@a ?b\n2: 'x' _\n3: _ _\n");
}

static void test_nothing_there(void **state) {
    (void)state;
    expect("", "empty t:0:0 [] the file is empty\n");
    expect("\n \n\r\n", "empty t:0:0 [] the file is empty\n");
    expect("\xEF\xBB\xBF", "empty t:0:0 [] the file is empty\n");
    expect("a,b\n", ", header\n");
    expect("a,b", ", header\n");
}

static void test_missing(void **state) {
    (void)state;
    expect("a,b\n?,NA\nNaN,null\n,\"\"\n 1 ,x\n", ", header\n#a @b\n2: _ _\n3: _ _\n4: _ _\n5: 1 'x'\n");
    /* A word between quotes is a word; words are met whole. */
    expect("a,b\n\"?\",\"NA\"\nnan,NA.\n", ", header\n@a @b\n2: '?' 'NA'\n3: _ 'NA.'\n");
    crd_text markers[] = {crd_text_of("-"), crd_text_of("n/a")};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.missing = markers;
    options.missing_count = 2;
    expect_with("a,b\n-,n/a\nNA,\n", &options, ", header\n@a @b\n2: _ _\n3: 'NA' ''\n");
    options.missing_count = 0;
    expect_with("a,b\n?,\"\"\n", &options, ", header\n@a @b\n2: '?' ''\n");
}

/* The usual texts mean missing in any case of letters, those that a caller lists as they stand. */
static void test_missing_texts(void **state) {
    (void)state;
    expect("a,b\n1,x\nN/a,None\n-1.#ind,<na>\n#N/A n/a,\"None\"\nnull,nulls\n",
           ", header\n#a @b\n2: 1 'x'\n3: _ _\n4: _ _\n5: _ 'None'\n6: _ 'nulls'\n");
    /* Among numbers none is missing; among categories it is one. */
    expect("a,b\n1,x\nnone,none\nNONE,NONE\n", ", header\n#a @b\n2: 1 'x'\n3: _ 'none'\n4: _ 'NONE'\n");
    const crd_text texts[] = {crd_text_of("-"), crd_text_of("na")};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.missing = texts;
    options.missing_count = 2;
    expect_with("a,b\n-,na\n1,NA\n", &options, ", header\n#a @b\n2: _ _\n3: 1 'NA'\n");
    options.missing_rule = CRD_MISSING_ADDED;
    expect_with("a,b\n-,x\n1,Na\n", &options, ", header\n#a @b\n2: _ 'x'\n3: 1 _\n");
    options.missing_rule = CRD_MISSING_ANY_CASE;
    expect_with("a,b\n-,x\n1,Na\n3,none\n", &options, ", header\n#a @b\n2: _ 'x'\n3: 1 _\n4: 3 'none'\n");
}

static void test_separators(void **state) {
    (void)state;
    expect("a;b\n1,5;x\n", "; header\n@a @b\n2: '1,5' 'x'\n");
    expect("a;b,c\n1;2,3\n", ", header\n@a;b #c\n2: '1;2' 3\n");
    expect("a;b;c,d\n1;2;3\n", "; header\n#a #b #c,d\n2: 1 2 3\n");
    expect("a,b;c\td\n1\t2\n", "t header\n#a,b;c #d\n2: 1 2\n");
    expect("\"a;b\tc\",d\n1,2\n", ", header\n#a;b\tc #d\n2: 1 2\n");
    expect("\"a\"\"\tb\",d\n1,2\n", ", header\n#a\"\tb #d\n2: 1 2\n");
    expect("name\nx\n", ", header\n@name\n2: 'x'\n");
    expect("two words\nx\n", ", header\n@two words\n2: 'x'\n");
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.separator = CRD_SEPARATOR_SEMICOLON;
    expect_with("a,b\n1,2\n", &options, "; header\n@a,b\n2: '1,2'\n");
    options.separator = CRD_SEPARATOR_TAB;
    expect_with("a,b\n\n  \n1,2\n", &options, "t header\n@a,b\n4: '1,2'\n");
    options.separator = CRD_SEPARATOR_COMMA;
    expect_with("1 2 x\n3 4 y\n", &options, ", header\n@1 2 x\n2: '3 4 y'\n");
}

static void test_any_separator_and_quote(void **state) {
    (void)state;
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.separator = CRD_SEPARATOR_OTHER;
    options.separator_byte = '~';
    expect_with("a~b\n1~\"x~\"\"y\"\n", &options, "o header\n#a @b\n2: 1 'x~\"y'\n");
    options.quote = '\'';
    expect_with("a~b\n1~'x~''\ny'\n2~\"\n", &options, "o header\n#a @b\n2: 1 'x~'\ny'\n4: 2 '\"'\n");
    options.no_quotes = 1;
    expect_with("a~b\n1~\"x\n2~'x\"y'\n", &options, "o header\n#a @b\n2: 1 '\"x'\n3: 2 ''x\"y''\n");
    options.separator = CRD_SEPARATOR_BLANK;
    expect_with("a b\n1 \"x\n", &options, "b header\n#a @b\n2: 1 '\"x'\n");
    /* The separator is no quote, line end or decimal mark. */
    static const char WRONG[] = {'"', '\n', '\r', '\0', '.'};
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    for (size_t i = 0; i < sizeof WRONG; i++) {
        crd_reader *reader;
        crd_reader_options wrong = CRD_READER_OPTIONS_INIT;
        wrong.separator = CRD_SEPARATOR_OTHER;
        wrong.separator_byte = WRONG[i];
        assert_int_equal(crd_reader_open(context, (const char *const[]){"-"}, 1, &wrong, &reader, NULL),
                         CRD_ERROR_ARGUMENT);
        assert_null(reader);
    }
    crd_context_destroy(context);
}

static void test_dialect_of_first_rows(void **state) {
    (void)state;
    expect("a|b\n1|2\n", "p header\n#a #b\n2: 1 2\n");
    /* Of several separators, the one that all rows have as many of. */
    expect("a|b, c|d\n1|2|3\n", "p header\n#a #b, c #d\n2: 1 2 3\n");
    expect("a,b|c\n1,2|3\n", ", header\n#a @b|c\n2: 1 '2|3'\n");
    expect("1,5;x\n2;y\n", "; header\n#1,5 @x\n2: 2 'y'\n");
    /* A line that states the separator. */
    expect("sep=;\na,b;c\n1;2\n", "; header\n#a,b #c\n3: 1 2\n");
    expect("\nSEP=~\r\na~b\r\n1~2\r\n", "o header\n#a #b\n4: 1 2\n");
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.separator = CRD_SEPARATOR_COMMA;
    expect_with("sep=;\na,b\n1,2\n", &options, ", header\n#a #b\n3: 1 2\n");
}

/* Between blanks, the rows show whether the first line is a header. */
static void test_blanks_with_header(void **state) {
    (void)state;
    expect("x  y z\n1  2 a\n3  4 b\n", "b header\n#x #y @z\n2: 1 2 'a'\n3: 3 4 'b'\n");
    expect("A11 6 x\nA12 48 y\n", "b no header assumed\n@c1 #c2 @c3\n1: 'A11' 6 'x'\n2: 'A12' 48 'y'\n");
    expect("sky wind play\nred low no\n", "b header\n@sky @wind @play\n2: 'red' 'low' 'no'\n");
    expect("\"x y\" z\n1 \"a b\"\n", "b header\n#x y @z\n2: 1 'a b'\n");
    /* Texts, rather than fields. */
    expect("full name\nAda Byron\n", ", header\n@full name\n2: 'Ada Byron'\n");
    expect("some words here\na b c\none two\n", ", header\n@some words here\n2: 'a b c'\n3: 'one two'\n");
}

/* Rows that R writes begin with a name that the header has none for. */
static void test_row_names(void **state) {
    (void)state;
    expect("x y\n\"1\" 5 a\n\"2\" 6 b\n", "b header\n#x @y\n2: 5 'a'\n3: 6 'b'\n");
    expect("x,c1\n1,5,a\n2,6,b\n", ", header\n#x @c1\n2: 5 'a'\n3: 6 'b'\n");
    /* One row is too few to be sure, and a separator at the end of all rows names none. */
    expect("x,y\n1,5,a\n", ", header\nsyntax t:2:0 [] 3 fields instead of 2 as in the header\n");
    expect("x,y\n1,5,\n2,6,\n", ", header\n#x #y\n2: 1 5\n3: 2 6\n");
    expect("x,y\n1,5,\n2,6\n", ", header\nsyntax t:2:0 [] 3 fields instead of 2 as in the header\n");
    /* Fields that are not like the names that R writes are not taken for names. */
    expect("x,y\n40,5,a\n50,6,b\n", ", header\nsyntax t:2:0 [] 3 fields instead of 2 as in the header\n");
    expect("x,y\nu,5,a\nv,6,b\n", ", header\nsyntax t:2:0 [] 3 fields instead of 2 as in the header\n");
    expect("x,y\n\"u\",5,a\n\"u\",6,b\n", ", header\nsyntax t:2:0 [] 3 fields instead of 2 as in the header\n");
    expect("x,y\n\"u\",5,a\n\"v\",6,b\n", ", header\n#x @y\n2: 5 'a'\n3: 6 'b'\n");
    expect("x\ty\nu\t5\ta\nv\t6\tb\n", "t header\n#x @y\n2: 5 'a'\n3: 6 'b'\n");
    /* Numbers with a separator of thousands, and a column that numbers the rows. */
    expect("a,x,y\n1,3,000,p\n2,4,500,q\n", ", header\nsyntax t:2:0 [] 4 fields instead of 3 as in the header\n");
    expect("Id,y\n1,5,a\n2,6,b\n", ", header\nsyntax t:2:0 [] 3 fields instead of 2 as in the header\n");
    expect("x,y\n1,5,a\n2,6\n", ", header\nsyntax t:2:0 [] 3 fields instead of 2 as in the header\n");
}

/* Once the separator is known a quote behind another separator no longer opens a cell. */
static void test_a_quote_is_judged_by_the_separator_found(void **state) {
    (void)state;
    expect("a,b;\"c\n1,2\n", ", header\n#a #b;\"c\n2: 1 2\n");
}

static void test_blank_separated(void **state) {
    (void)state;
    expect("  1   2.5  x  \r\n\r\n3 4 y\"\r\n", "b no header assumed\n#c1 #c2 @c3\n1: 1 2.5 'x'\n3: 3 4 'y\"'\n");
    expect("1 ? 3\n4 NA 6", "b no header assumed\n#c1 ?c2 #c3\n1: 1 _ 3\n2: 4 _ 6\n");
    /* A field before the last that is no number, or one field alone, is not blank-separated. */
    expect("1 x 3\n", ", header\n");
    expect("17\n18\n", ", no header assumed\n#c1\n1: 17\n2: 18\n");
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.separator = CRD_SEPARATOR_BLANK;
    options.header = CRD_CHOICE_YES;
    expect_with("a \t b\n1\t\t2\n", &options, "b header\n#a #b\n2: 1 2\n");
    options.header = CRD_CHOICE_AUTO;
    expect_with("a b\n1 2\n", &options, "b header\n#a #b\n2: 1 2\n");
}

static void test_headers(void **state) {
    (void)state;
    expect("1,2\n3,4\n", ", no header assumed\n#c1 #c2\n1: 1 2\n2: 3 4\n");
    expect("1,?\n3,4\n", ", no header assumed\n#c1 #c2\n1: 1 _\n2: 3 4\n");
    expect("a,,b\n1,2,3\n", ", header\n#a #c2 #b\n2: 1 2 3\n");
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.header = CRD_CHOICE_YES;
    expect_with("1,2\n3,4\n", &options, ", header\n#1 #2\n2: 3 4\n");
    options.header = CRD_CHOICE_NO;
    expect_with("\"a\"\"b\",2\n3,4\n", &options, ",\n@c1 #c2\n1: 'a\"b' 2\n2: '3' 4\n");
    /* A name that stands twice or not at all becomes one that no other column has, wherever that one stands. */
    expect("a,b,\"a\"\n1,2,3\n", ", header\n#a #b #a_2\n2: 1 2 3\n");
    expect("a,a,a_2,a,a_2\n1,2,3,4,5\n", ", header\n#a #a_3 #a_2 #a_4 #a_2_2\n2: 1 2 3 4 5\n");
    expect("\n,b,c1\n1,2,3\n", ", header\n#c1_2 #b #c1\n3: 1 2 3\n");
    expect("x,x,y\nz,x,y\n", ", no header assumed\n@c1 @c2 @c3\n1: 'x' 'x' 'y'\n2: 'z' 'x' 'y'\n");
    expect("x,2,2\nz,4,5\n", ", no header assumed\n@c1 #c2 #c3\n1: 'x' 2 2\n2: 'z' 4 5\n");
    options.header = CRD_CHOICE_YES;
    expect_with("x,x,y\nz,x,y\n", &options, ", header\n@x @x_2 @y\n2: 'z' 'x' 'y'\n");
}

static void test_rows_of_another_length(void **state) {
    (void)state;
    expect("a,b,c\n1,2,3\n1,2\n4,5,6\n",
           ", header\n#a #b #c\n2: 1 2 3\nsyntax t:3:0 [] 2 fields instead of 3 as in the header\n");
    expect("a,b\n1,2,3,\n", ", header\nsyntax t:2:0 [] 4 fields instead of 2 as in the header\n");
    expect("1,2\n3\n",
           ", no header assumed\n#c1 #c2\n1: 1 2\nsyntax t:2:0 [] 1 field instead of 2 as in the first row\n");
    expect("1 2\n3 4 5\n",
           "b no header assumed\n#c1 #c2\n1: 1 2\nsyntax t:2:0 [] 3 fields instead of 2 as in the first row\n");
}

static void test_the_first_fault_is_told(void **state) {
    (void)state;
    /* The row that is too short is found while cells are still unread, but stands later in the file. */
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    static const char TABLE[] = "a,b\n1,2\nx,3\n4\n";
    crd_reader *reader;
    crd_error error;
    assert_int_equal(open_bytes(context, TABLE, strlen(TABLE), true, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_reader_set_column_type(reader, 0, CRD_TYPE_NUMERIC, &error), CRD_OK);
    const crd_frame *frame;
    assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_ERROR_NUMBER);
    assert_null(frame);
    assert_int_equal(error.line, 3);
    assert_string_equal(error.message, "'x' is not a number");
    /* What failed stays so. */
    crd_error again;
    assert_int_equal(crd_reader_next(reader, &frame, &again), CRD_ERROR_NUMBER);
    assert_memory_equal(&again, &error, sizeof error);
    crd_reader_close(reader);
    crd_context_destroy(context);
}

static void test_not_text(void **state) {
    (void)state;
    /* Rows before a NUL byte are read, unless it is in the first line. */
    enum { BLANKS = 600 };
    static const char NUL_INSIDE[] = "\n1,2\n\"x\ny\0\",3\n";
    char bytes[BLANKS + 64] = "a,b";
    memset(bytes + 3, ' ', BLANKS);
    memcpy(bytes + 3 + BLANKS, NUL_INSIDE, sizeof NUL_INSIDE);
    expect_bytes(bytes, 3 + BLANKS + sizeof NUL_INSIDE - 1, NULL,
                 ", header\n#a #b\n2: 1 2\nsyntax t:4:0 [] a NUL byte: this is not a text file\n");
    expect_bytes("a,b\n1,2\n\"x\ny\0\",3\n", 18, NULL,
                 ", header\n#a #b\n2: 1 2\nsyntax t:4:0 [] a NUL byte: this is not a text file\n");
    static const struct {
        const char *bytes;
        size_t length;
        const char *says;
    } CASES[] = {
        {"PK\3\4....", 8, "syntax t:0:0 [ZIP] this is a ZIP archive: unpack it\n"},
        {"%PDF-1.7\n", 9, "syntax t:0:0 [] this is a PDF document, not a text table\n"},
        {"\x89PNG\r\n", 6, "syntax t:0:0 [] this is a PNG image, not a text table\n"},
        {"PAR1....", 8, "syntax t:0:0 [Parquet] this is a Parquet file: convert it to CSV\n"},
        {"\x89HDF\r\n", 6, "syntax t:0:0 [] this is an HDF5 file: convert it to CSV\n"},
        {"SQLite format 3\0..", 18, "syntax t:0:0 [] this is an SQLite database: export the table as CSV\n"},
        {"\x7F"
         "ELF\2",
         5, "syntax t:0:0 [] this is a program (ELF), not a text table\n"},
        {"a\0b", 3, "syntax t:1:0 [] a NUL byte: this is not a text file\n"},
        {"XXXX\r\n\x1a\n\1\0\0\0\7\0\0\0cccc....", 24, "syntax t:3:0 [] a NUL byte: this is not a text file\n"},
        {"XXXX\r\n\x1a\n\1\0\0\0\7\0\0\0ccccSCHM", 24,
         "syntax t:0:0 [] this is a Credence model whose first bytes are damaged\n"},
        {"PK", 2, ", header\n"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        expect_bytes(CASES[i].bytes, CASES[i].length, NULL, CASES[i].says);
    }
}

static void test_bytes_are_kept(void **state) {
    (void)state;
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.encoding = "bytes";
    expect_with("a\n\xFFx\n\xC3\xA9\n", &options, ", header\n@a\n2: '\xFFx'\n3: '\xC3\xA9'\n");
}

/* Records longer than is allowed, and empty lines without end, in little memory. */
static void test_limits_of_memory(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    static char blanks[400000];
    memset(blanks, '\n', sizeof blanks);
    blanks[0] = 'a';
    blanks[sizeof blanks - 2] = 'b';
    crd_i_source *source;
    crd_error error;
    assert_int_equal(crd_i_source_memory(context, blanks, sizeof blanks, true, &source, &error), CRD_OK);
    crd_i_slow_parse records = {0};
    crd_i_slow_parse_begin(&records, context, source, 1000);
    records.separator = ',';
    bool has_record;
    assert_int_equal(crd_i_slow_parse_next(&records, &has_record, &error), CRD_OK);
    assert_true(has_record);
    assert_int_equal(crd_i_slow_parse_next(&records, &has_record, &error), CRD_OK);
    assert_true(has_record);
    assert_int_equal(records.line, sizeof blanks - 2);
    assert_true(records.capacity < 5000);
    assert_int_equal(crd_i_slow_parse_bytes(&records)[0], 'a');
    assert_int_equal(records.bytes[records.start], 'b');
    crd_i_source_close(source);

    memset(blanks, 'x', sizeof blanks);
    blanks[3] = '\n';
    blanks[4] = '"';
    assert_int_equal(crd_i_source_memory(context, blanks, sizeof blanks, true, &source, &error), CRD_OK);
    crd_i_slow_parse_begin(&records, context, source, 1000);
    records.separator = ',';
    records.max_record = 100000;
    assert_int_equal(crd_i_slow_parse_next(&records, &has_record, &error), CRD_OK);
    assert_int_equal(crd_i_slow_parse_next(&records, &has_record, &error), CRD_ERROR_LIMIT);
    assert_string_equal(error.message,
                        "a row longer than 100000 bytes: check for a quote that opens here and is never closed");
    assert_int_equal(error.line, 2);
    assert_true(records.capacity < 300000);
    crd_i_source_close(source);

    blanks[4] = 'x';
    assert_int_equal(crd_i_source_memory(context, blanks, sizeof blanks, true, &source, &error), CRD_OK);
    crd_i_slow_parse_begin(&records, context, source, 1000);
    records.separator = ' ';
    records.max_record = 100000;
    assert_int_equal(crd_i_slow_parse_next(&records, &has_record, &error), CRD_OK);
    assert_int_equal(crd_i_slow_parse_next(&records, &has_record, &error), CRD_ERROR_LIMIT);
    assert_string_equal(error.message, "a row longer than 100000 bytes");
    crd_i_source_close(source);
    crd_i_slow_parse_clear(&records);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

/* Every failure may be asked for by its status alone. */
static void test_nobody_asks_for_the_error(void **state) {
    (void)state;
    static const struct {
        const char *input;
        crd_status status;
    } CASES[] = {
        {"", CRD_ERROR_EMPTY},
        {"\xFF\xFE", CRD_ERROR_EMPTY},
        {"\xFF,\xFE\n", CRD_ERROR_SYNTAX},
        {"a,b\n1\n", CRD_ERROR_SYNTAX},
        {"a\n\"x\n", CRD_ERROR_SYNTAX},
        {"a\n1e999\n", CRD_ERROR_NUMBER},
        {"a\n\"x\"y\n", CRD_ERROR_SYNTAX},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        allocations plan = {0};
        crd_context *context = logged_context(&plan);
        crd_reader *reader = NULL;
        const crd_frame *frame = NULL;
        crd_status status = open_bytes(context, CASES[i].input, strlen(CASES[i].input), true, NULL, &reader, NULL);
        if (status == CRD_OK) status = crd_reader_next(reader, &frame, NULL);
        assert_int_equal(status, CASES[i].status);
        assert_null(frame);
        crd_reader_close(reader);
        crd_context_destroy(context);
        assert_int_equal(plan.live, 0);
    }
}

static char *repeat(const char *description, size_t count, const char *after) {
    size_t length = strlen(description);
    char *text = malloc(count * length + strlen(after) + 1);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++) memcpy(text + i * length, description, length);
    strcpy(text + count * length, after);
    return text;
}

static void expect_once(char *input, const char *expected) {
    char *output = transcribe(input, strlen(input), true, NULL);
    assert_string_equal(output, expected);
    free(output);
    free(input);
}

/* Lines of many megabytes: no frame that is full from the start, no memory without end. */
static void test_very_long_lines(void **state) {
    (void)state;
    expect_once(repeat(",", 1 << 20, "\n"), "limit t:1:0 [] more than 1048576 columns\n");
    /* Fields count, not bytes. */
    expect_once(repeat(" ", 7000000, "1 2\n3 4\n"), "b no header assumed\n#c1 #c2\n1: 1 2\n2: 3 4\n");
    expect_once(repeat("1\t ", (1 << 20) + 1, "\n"), "limit t:1:0 [] more than 1048576 columns\n");
    expect_once(repeat("a", (64 << 20) + 1, "\n"), "limit t:1:0 [] a row longer than 67108864 bytes\n");
    crd_reader_options narrow = CRD_READER_OPTIONS_INIT;
    narrow.max_record = 5;
    expect_with("a,b\n1,234\n1,2345\n", &narrow,
                ", header\n#a #b\n2: 1 234\nlimit t:3:0 [] a row longer than 5 bytes\n");
    char *input = repeat("a", 9000000, ",b\n1,2\n3,4\n");
    char *output = transcribe(input, strlen(input), true, NULL);
    assert_non_null(strstr(output, " #b\n2: 1 2\n3: 3 4\n"));
    free(output);
    free(input);
    /* Rows that fill a frame by their bytes, the empty lines between them included. */
    transcript table = {NULL, 0, 0};
    say(&table, "a,b\n");
    for (int i = 0; i < 3; i++) {
        input = repeat("\n", 5000000, "");
        say(&table, "%s%d,2\n", input, i);
        free(input);
    }
    expect_once(table.text, ", header\n#a #b\n5000002: 0 2\n#a #b\n10000003: 1 2\n#a #b\n15000004: 2 2\n");
}

/* Any bytes at all, in any blocks: the same transcript. */
static void test_random_tables_in_all_blocks(void **state) {
    (void)state;
    static const char ALPHABET[] = ",,,\n\n\"\" ;\t\r1ax";
    uint64_t seed = 20250611;
    for (int round = 0; round < 400; round++) {
        char input[48];
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        size_t length = (size_t)(seed >> 33) % sizeof input;
        for (size_t i = 0; i < length; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            input[i] = ALPHABET[(seed >> 33) % (sizeof ALPHABET - 1)];
        }
        char *whole = essence(input, length, true, NULL);
        for (size_t block = 1; block <= 9; block += 2) {
            crd_reader_options options = CRD_READER_OPTIONS_INIT;
            options.block_bytes = block;
            char *cut = essence(input, length, true, &options);
            assert_string_equal(cut, whole);
            free(cut);
        }
        free(whole);
    }
}

/* Texts between tabs have quotes that enclose nothing; where quotes enclose tabs or lines, these are not as even. */
static void test_quotes_between_tabs(void **state) {
    (void)state;
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.header = CRD_CHOICE_NO;
    expect_with("a\t\"x\" y\nb\t\"z\nc\tw\"\n\nd\t \"q\"\n", &options,
                "t\n@c1 @c2\n1: 'a' '\"x\" y'\n2: 'b' '\"z'\n3: 'c' 'w\"'\n5: 'd' '\"q\"'\n");
    /* All are closed, or a line is enclosed. */
    expect_with("a\t\"x \"\"y\"\nb\t\"z\"\r\n", &options, "t\n@c1 @c2\n1: 'a' 'x \"y'\n2: 'b' 'z'\n");
    expect_with("a\t\"x\ny\"\nb\tz\n", &options, "t\n@c1 @c2\n1: 'a' 'x\ny'\n3: 'b' 'z'\n");
    options.quote = '"';
    expect_with("a\tx\nb\t\"z\" y\n", &options,
                "t\n@c1 @c2\n1: 'a' 'x'\nsyntax t:2:2 [] text after a closing quote: expected a separator or the end "
                "of the line\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_quotes_between_tabs),
        cmocka_unit_test(test_only_a_cr_before_lf_ends_a_line),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_line_ends_inside_quotes_count_as_lines),
        cmocka_unit_test(test_bad_quotes),
        cmocka_unit_test(test_blanks_and_empty_lines),
        cmocka_unit_test(test_nothing_there),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_missing_texts),
        cmocka_unit_test(test_separators),
        cmocka_unit_test(test_any_separator_and_quote),
        cmocka_unit_test(test_dialect_of_first_rows),
        cmocka_unit_test(test_blanks_with_header),
        cmocka_unit_test(test_row_names),
        cmocka_unit_test(test_a_quote_is_judged_by_the_separator_found),
        cmocka_unit_test(test_blank_separated),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_rows_of_another_length),
        cmocka_unit_test(test_the_first_fault_is_told),
        cmocka_unit_test(test_not_text),
        cmocka_unit_test(test_bytes_are_kept),
        cmocka_unit_test(test_limits_of_memory),
        cmocka_unit_test(test_nobody_asks_for_the_error),
        cmocka_unit_test(test_very_long_lines),
        cmocka_unit_test(test_random_tables_in_all_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
