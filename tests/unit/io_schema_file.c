/* SPDX-License-Identifier: MIT */
/* io_schema_file.c - schemas: there and back, what they do to a reader, and every way of being malformed. */
#include "io/public_schema.h"
#include "table_support.h"

#include <credence/schema.h>

static crd_schema *schema_of(crd_context *context, const char *text, int with_values) {
    crd_reader *reader = NULL;
    crd_schema *schema = NULL;
    crd_error error;
    const crd_frame *frame;
    assert_int_equal(open_bytes(context, text, strlen(text), true, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_reader_ignore(reader, 0, &error), CRD_OK);
    assert_int_equal(crd_reader_set_target(reader, crd_reader_column_count(reader) - 1, &error), CRD_OK);
    do assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_OK);
    while (frame != NULL);
    assert_int_equal(crd_schema_from_reader(reader, with_values, &schema, &error), CRD_OK);
    crd_reader_close(reader);
    return schema;
}

static void expect_text(crd_context *context, const crd_schema *schema, const char *expected) {
    char *text;
    size_t length;
    crd_error error;
    assert_int_equal(crd_schema_encode(schema, &text, &length, &error), CRD_OK);
    transcript output = {NULL, 0, 0};
    say(&output, "%.*s", (int)length, text);
    assert_string_equal(output.text, expected);
    free(output.text);
    /* And back. */
    crd_schema *copy;
    assert_int_equal(crd_schema_decode(context, text, length, &copy, &error), CRD_OK);
    char *again;
    size_t again_length;
    assert_int_equal(crd_schema_encode(copy, &again, &again_length, &error), CRD_OK);
    assert_int_equal(again_length, length);
    assert_memory_equal(again, text, length);
    crd_free(context, again);
    crd_free(context, text);
    crd_schema_destroy(copy);
}

static void test_there_and_back(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    static const char TEXT[] = "id,\"say \"\"hi\"\"\",n,v,y\n1,b\\c,10,?,10\n2,\"a\nb\",2.5,,9\n";
    crd_schema *schema = schema_of(context, TEXT, 1);
    expect_text(context, schema,
                "{\n  \"credence_schema\": 1,\n  \"target\": \"y\",\n  \"header\": true,\n"
                "  \"missing\": [\"\", \"?\", \"NA\", \"NaN\", \"null\"],\n  \"columns\": [\n"
                "    {\"name\": \"id\", \"type\": \"ignored\"},\n"
                "    {\"name\": \"say \\\"hi\\\"\", \"type\": \"categorical\", \"values\": [\"a\\nb\", \"b\\\\c\"]},\n"
                "    {\"name\": \"n\", \"type\": \"numeric\"},\n    {\"name\": \"v\", \"type\": \"none\"},\n"
                "    {\"name\": \"y\", \"type\": \"categorical\", \"values\": [\"9\", \"10\"]}\n  ]\n}\n");
    assert_int_equal(crd_schema_column_count(schema), 5);
    assert_true(crd_schema_is_ignored(schema, 0));
    assert_int_equal(crd_schema_column_type(schema, 2), CRD_TYPE_NUMERIC);
    assert_int_equal(crd_schema_value_count(schema, 4), 2);
    assert_int_equal(crd_schema_target(schema), 4);
    crd_error error;
    assert_int_equal(crd_schema_set_target(schema, crd_text_of("n"), &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "the target 'n' is a number in the schema: a target must be a category");
    assert_int_equal(crd_schema_set_target(schema, crd_text_of("id"), &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "the target 'id' is missing or ignored in the schema");
    assert_int_equal(crd_schema_set_target(schema, crd_text_of("v"), &error), CRD_OK);
    assert_int_equal(crd_schema_column_type(schema, 3), CRD_TYPE_CATEGORICAL);
    crd_schema_destroy(schema);
    schema = schema_of(context, "1 2 x\n3 4 y\n", 0);
    expect_text(context, schema,
                "{\n  \"credence_schema\": 1,\n  \"target\": \"c3\",\n  \"header\": false,\n"
                "  \"missing\": [\"\", \"?\", \"NA\", \"NaN\", \"null\"],\n  \"columns\": [\n"
                "    {\"name\": \"c1\", \"type\": \"ignored\"},\n    {\"name\": \"c2\", \"type\": \"numeric\"},\n"
                "    {\"name\": \"c3\", \"type\": \"categorical\"}\n  ]\n}\n");
    crd_schema_destroy(schema);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

static const char SCHEMA[] =
    "{\"columns\": [{\"type\": \"categorical\", \"values\": [\"u\", \"v\"], \"name\": \"k\"}, {\"type\": "
    "\"ignored\"},\n"
    " {\"name\": \"n\", \"type\": \"categorical\"}, {\"name\": \"y\", \"type\": \"categorical\"}],\n"
    " \"missing\": [\"-\"], \"target\": \"y\", \"credence_schema\": 1}";

/* What a reader says once the schema is applied to it. */
static void expect_applied(const char *table, const char *expected) {
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader = NULL;
    crd_schema *schema = NULL;
    crd_error error;
    transcript output = {NULL, 0, 0};
    assert_int_equal(crd_schema_decode(context, SCHEMA, strlen(SCHEMA), &schema, &error), CRD_OK);
    assert_int_equal(open_bytes(context, table, strlen(table), true, NULL, &reader, &error), CRD_OK);
    if (crd_schema_apply(schema, reader, &error) == CRD_OK) (void)say_rest(&output, reader, true);
    else say_error(&output, &error);
    assert_string_equal(output.text, expected);
    free(output.text);
    crd_schema_destroy(schema);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

static void test_applying(void **state) {
    (void)state;
    /* By name, in the schema's order, with its kinds and its missing texts; other columns are left out. */
    expect_applied("x,y,n,k\n1,p,2,u\n1,q,-,w\n", "@k @n @y\n2: 'u' '2' 'p'\n3: 'w' _ 'q'\n");
    expect_applied("y,k\np,?\n", "@k @n @y\n2: '?' _ 'p'\n");
    expect_applied("k,n\nu,1\n", "column t:1:0 [y] the target 'y' is not among the columns\n");
    expect_applied("1 2 3 4\n", "@k @n @y\n1: '1' '3' '4'\n");
    expect_applied("1 2 3\n",
                   "column t:1:0 [] 3 fields instead of 4: without a header, columns are matched by position\n");
}

static void test_choosing_after_applying(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    static const char TABLE[] = "x,y,n,k\n1,p,2,u\n";
    crd_reader *reader = NULL;
    crd_schema *schema = NULL;
    crd_error error;
    transcript output = {NULL, 0, 0};
    assert_int_equal(crd_schema_decode(context, SCHEMA, strlen(SCHEMA), &schema, &error), CRD_OK);
    assert_int_equal(open_bytes(context, TABLE, strlen(TABLE), true, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_schema_apply(schema, reader, &error), CRD_OK);
    /* Columns go by their number in the file. */
    assert_int_equal(crd_reader_ignore(reader, 0, &error), CRD_OK);
    assert_int_equal(crd_reader_set_column_type(reader, 0, CRD_TYPE_NUMERIC, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "'x' is missing or ignored in the schema");
    assert_int_equal(crd_reader_set_column_type(reader, 2, CRD_TYPE_NUMERIC, &error), CRD_OK);
    assert_int_equal(crd_reader_ignore(reader, 3, &error), CRD_OK);
    assert_int_equal(crd_reader_ignore(reader, 4, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(say_rest(&output, reader, true), CRD_OK);
    assert_string_equal(output.text, "#n @y\n2: 2 'p'\n");
    free(output.text);
    crd_schema_destroy(schema);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

/* The weight stands among the columns that people see, but is none to learn from. */
static void test_weight(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    static const char
        TABLE[] = "w,a,y\n2,u,p\n0.5,v,q\n",
        EXPECTED[] =
            "{\n  \"credence_schema\": 1,\n  \"target\": \"y\",\n  \"weight\": \"w\",\n  \"header\": true,\n"
            "  \"missing\": [\"\", \"?\", \"NA\", \"NaN\", \"null\"],\n  \"columns\": [\n"
            "    {\"name\": \"w\", \"type\": \"numeric\"},\n    {\"name\": \"a\", \"type\": \"categorical\"},\n"
            "    {\"name\": \"y\", \"type\": \"categorical\"}\n  ]\n}\n";
    crd_reader *reader = NULL;
    crd_schema *schema = NULL;
    const crd_frame *frame;
    crd_error error;
    assert_int_equal(open_bytes(context, TABLE, strlen(TABLE), true, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_reader_set_target(reader, 2, &error), CRD_OK);
    assert_int_equal(crd_reader_set_weight(reader, 0, &error), CRD_OK);
    do assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_OK);
    while (frame != NULL);
    assert_int_equal(crd_schema_from_reader(reader, 0, &schema, &error), CRD_OK);
    crd_reader_close(reader);
    expect_text(context, schema, EXPECTED);
    assert_int_equal(crd_schema_weight(schema), 0);
    assert_int_equal(crd_schema_target(schema), 2);
    assert_false(crd_schema_is_ignored(schema, 0));
    assert_int_equal(crd_schema_column_type(schema, 0), CRD_TYPE_NUMERIC);
    assert_int_equal(crd_schema_set_target(schema, crd_text_of("w"), &error), CRD_ERROR_COLUMN);
    /* Files meet it by name, at its place among the columns; and all have to have it. */
    static const char *const TABLES[][2] = {
        {"y,a,w\np,u,3\n", "#w @a @y\n2: 3 'u' 'p'\n"},
        {"y,a\np,u\n",
         "column t:1:0 [w] the weight 'w' is not among the columns: add it, with weight 1 for rows that count once\n"}};
    for (size_t i = 0; i < 2; i++) {
        transcript output = {NULL, 0, 0};
        assert_int_equal(open_bytes(context, TABLES[i][0], strlen(TABLES[i][0]), true, NULL, &reader, &error), CRD_OK);
        if (crd_schema_apply(schema, reader, &error) == CRD_OK) (void)say_rest(&output, reader, true);
        else say_error(&output, &error);
        assert_string_equal(output.text, TABLES[i][1]);
        free(output.text);
        crd_reader_close(reader);
    }
    crd_schema_destroy(schema);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

#define DATE "{\"name\": \"d\", \"type\": \"none\", \"format\": \"date\", "
#define COLUMNS "\"columns\": [{\"name\": \"a\", \"type\": \"categorical\"}]"

static const char YEARS[] =
    "{\n  \"credence_schema\": 1,\n  \"target\": \"y\",\n  \"header\": true,\n"
    "  \"missing\": [\"\", \"?\", \"NA\", \"NaN\", \"null\"],\n  \"columns\": [\n"
    "    {\"name\": \"d\", \"type\": \"none\", \"format\": \"datetime\", \"cuts\": {\"d.year\": [2000, 2015.5]}},\n"
    "    {\"name\": \"y\", \"type\": \"categorical\"}\n  ]\n}\n";

/* Cut points of a date's year, which is a part of its column: written, read, compared and merged. */
static void test_cuts_of_parts(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_schema *schema, *other, *plain;
    crd_error error;
    size_t count;
    assert_int_equal(crd_schema_decode(context, YEARS, strlen(YEARS), &schema, &error), CRD_OK);
    expect_text(context, schema, YEARS);
    assert_null(crd_i_schema_cuts(schema, 0, &count));
    assert_non_null(crd_i_schema_part_cuts(schema, 0, 0, &count));
    assert_int_equal(count, 2);
    assert_null(crd_i_schema_part_cuts(schema, 0, 1, &count));
    assert_int_equal(crd_schema_value_count(schema, 0), 0);
    assert_int_equal(crd_schema_decode(context, YEARS, strlen(YEARS), &other, &error), CRD_OK);
    assert_true(crd_i_schema_equal(schema, other));
    assert_int_equal(crd_schema_merge(schema, other, &error), CRD_OK);
    expect_text(context, schema, YEARS);
    static const char PLAIN[] = "{\"credence_schema\": 1, \"columns\": [" DATE "\"cuts\": {}}]}";
    assert_int_equal(crd_schema_decode(context, PLAIN, strlen(PLAIN), &plain, &error), CRD_OK);
    assert_false(crd_i_schema_equal(schema, plain));
    assert_int_equal(crd_schema_merge(schema, plain, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_string_equal(error.message, "column 'd' has different intervals in the schemas");
    crd_schema_destroy(plain);
    crd_schema_destroy(other);
    crd_schema_destroy(schema);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

/* Schema files of earlier versions call the type of a column its kind, and the format its form. */
static void test_former_names(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    static const char FORMER[] =
        "{\"credence_schema\": 1, \"target\": \"y\", \"header\": true, \"columns\": [\n"
        "{\"name\": \"d\", \"kind\": \"none\", \"form\": \"datetime\", \"cuts\": {\"d.year\": [2000, 2015.5]}},\n"
        "{\"name\": \"y\", \"kind\": \"category\"}],\n"
        "\"missing\": [\"\", \"?\", \"NA\", \"NaN\", \"null\"]}";
    crd_schema *schema;
    crd_error error;
    assert_int_equal(crd_schema_decode(context, FORMER, strlen(FORMER), &schema, &error), CRD_OK);
    expect_text(context, schema, YEARS);
    crd_schema_destroy(schema);
    static const char TWICE[] = "{\"columns\": [{\"name\": \"a\", \"type\": \"text\", \"kind\": \"text\"}]}";
    assert_int_equal(crd_schema_decode(context, TWICE, strlen(TWICE), &schema, &error), CRD_ERROR_SYNTAX);
    assert_string_equal(error.message, "'kind' occurs twice in one column");
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

static void test_malformed(void **state) {
    (void)state;
    static const char *const TEXTS[][2] = {
        {"", "syntax :1:0 [] found the end, expected a schema, in braces, at byte 1"},
        {"[]", "syntax :1:0 [] found [, expected a schema, in braces, at byte 1"},
        {"a,b\n1,2\n", "syntax :1:0 [] an unknown word: expected true, false or null, at byte 1"},
        {"{}", "syntax :0:0 [] not a schema: it has no \"credence_schema\": 1"},
        {"{" COLUMNS "}", "syntax :0:0 [] not a schema: it has no \"credence_schema\": 1"},
        {"{\"credence_schema\": 2, " COLUMNS "}", "too new :1:0 [] unsupported schema version: expected 1"},
        {"{\"credence_schema\": \"1\"}", "syntax :1:0 [] found a text, expected a version, at byte 21"},
        {"{\"credence_schema\": 1}", "syntax :0:0 [] the schema has no column that is not ignored"},
        {"{\"credence_schema\": 1, \"columns\": []}", "syntax :0:0 [] the schema has no column that is not ignored"},
        {"{\"credence_schema\": 1, \"columns\": [{\"type\": \"ignored\"}]}",
         "syntax :0:0 [] the schema has no column that is not ignored"},
        {"{\"credence_schema\": 1,\n " COLUMNS ",\n \"tagret\": \"a\"}",
         "syntax :3:0 [] unknown member 'tagret' of the schema: expected credence_schema, target, weight, header, "
         "missing, columns or part"},
        {"{\"credence_schema\": 1,\n \"credence_schema\": 1}",
         "syntax :2:0 [] 'credence_schema' occurs twice in the schema"},
        {"{\"target\": \"a\",\n \"target\": \"a\"}", "syntax :2:0 [] 'target' occurs twice in the schema"},
        {"{\"target\": null}", "syntax :1:0 [] found null, expected a name in quotes, at byte 12"},
        {"{\"header\": 1}", "syntax :1:0 [] found a number, expected true or false, at byte 12"},
        {"{\"missing\": \"?\"}", "syntax :1:0 [] found a text, expected [ and a list of texts, at byte 13"},
        {"{\"missing\": [1]}", "syntax :1:0 [] found a number, expected a text or an object, at byte 14"},
        {"{\"missing\": [{}]}", "syntax :1:0 [] found {, expected a text, at byte 14"},
        {"{\"missing\": [\"a\",]}", "syntax :1:0 [] found ], expected a text or an object, at byte 18"},
        {"{\"missing\": [\"a\" \"b\"]}", "syntax :1:0 [] found a text, expected a comma or the end, at byte 18"},
        {"{\"columns\": {}}", "syntax :1:0 [] found {, expected [ and a list of columns, at byte 13"},
        {"{\"columns\": [\"a\"]}", "syntax :1:0 [] found a text, expected a column, in braces, at byte 14"},
        {"{\"columns\": [{\"name\": \"a\"}]}", "syntax :1:0 [] missing type of a column"},
        {"{\"columns\": [{\"type\": \"numeric\"}]}", "syntax :1:0 [] missing name of a column"},
        {"{\"columns\": [{\"name\": \"\"}]}", "syntax :1:0 [] a column's name is empty"},
        {"{\"columns\": [{\"name\": 1}]}", "syntax :1:0 [] found a number, expected a name in quotes, at byte 23"},
        {"{\"columns\": [{\"name\": \"a\", \"name\": \"b\"}]}", "syntax :1:0 [] 'name' occurs twice in one column"},
        {"{\"columns\": [{\"type\": \"numbr\"}]}",
         "syntax :1:0 [] unknown type 'numbr': expected numeric, categorical, text, none or ignored"},
        {"{\"columns\": [{\"typ\": \"numeric\"}]}",
         "syntax :1:0 [] unknown member 'typ' of a column: expected name, type, format, values or cuts"},
        {"{\"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"values\": [\"x\"]}]}",
         "syntax :1:0 [] 'a' has values, but is not a category"},
        {"{\"columns\": [{\"name\": \"a\", \"type\": \"categorical\", \"values\": \"x\"}]}",
         "syntax :1:0 [] found a text, expected [ and a list of values, at byte 61"},
        {"{\"columns\": [{\"name\": \"a\", \"type\": \"categorical\",\n \"values\": [\"x\",\n \"x\"]}]}",
         "syntax :2:0 [] the value 'x' occurs twice in one column"},
        {"{\"columns\": [" DATE "\"cuts\": [1]}]}",
         "syntax :1:0 [] 'd' has cut points, but is not a category without values"},
        {"{\"columns\": [" DATE "\"cuts\": {\"d.day\": [1]}}]}",
         "syntax :1:0 [] 'd.day' has cut points, but is not a numeric part of this column"},
        {"{\"columns\": [" DATE "\"cuts\": {\n\"d.month\": [1]}}]}",
         "syntax :2:0 [] 'd.month' has cut points, but is not a numeric part of this column"},
        {"{\"columns\": [" DATE "\"cuts\": {\"d.year\": [1], \"d.year\": [2]}}]}",
         "syntax :1:0 [] cut points of 'd.year' occur twice"},
        {"{\"columns\": [" DATE "\"cuts\": {\"d.year\": [2, 1]}}]}",
         "syntax :1:0 [] the cut point '1' is not above the one before it"},
        {"{\"columns\": [" DATE "\"cuts\": {\"d.year\": 1}}]}",
         "syntax :1:0 [] found a number, expected [ and a list of cut points, at byte 81"},
        {"{\"columns\": [" DATE "\"cuts\": 1}]}",
         "syntax :1:0 [] found a number, expected [ and a list of cut points, at byte 70"},
        {"{\"columns\": [{\"name\": \"a\", \"type\": \"categorical\", \"cuts\": {\"a\": [1]}}]}",
         "syntax :1:0 [] 'a' has cut points of parts, but has no parts"},
        {"{\"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"format\": \"percent\", \"cuts\": {\"a\": [1]}}]}",
         "syntax :1:0 [] 'a' has cut points of parts, but has no parts"},
        {"{\"columns\": [{\"name\": \"a\", \"type\": \"numeric\"},\n {\"name\": \"a\", \"type\": \"ignored\"}]}",
         "syntax :2:0 [] two columns are called 'a'"},
        {"{\"credence_schema\": 1, " COLUMNS ",\n \"target\": \"b\"}",
         "column :2:0 [b] the target 'b' is missing or ignored in the schema"},
        {"{\"credence_schema\": 1, " COLUMNS ",\n \"weight\": \"b\"}",
         "syntax :2:0 [] the weight 'b' is missing or ignored in the schema"},
        {"{\"credence_schema\": 1, " COLUMNS ",\n \"weight\": \"a\"}",
         "syntax :2:0 [] the weight 'a' is a category in the schema: a weight must be a number"},
        {"{\"weight\": \"a\",\n \"weight\": \"a\"}", "syntax :2:0 [] 'weight' occurs twice in the schema"},
        {"{\"credence_schema\": 1, \"weight\": \"a\", \"target\": \"a\", \"columns\": [{\"name\": \"a\", \"type\": "
         "\"none\"}]}",
         "syntax :1:0 [] 'a' cannot be both the target and the weight"},
        {"{\"credence_schema\": 1, \"weight\": \"a\", \"columns\": [{\"name\": \"a\", \"type\": \"none\"}]}",
         "syntax :0:0 [] the schema has no column except its weight"},
        {"{\"credence_schema\": 1, " COLUMNS "} x",
         "syntax :1:0 [] an unknown word: expected true, false or null, at byte 75"},
        {"{\"credence_schema\": 1, " COLUMNS "} {", "syntax :1:0 [] found {, expected the end of the file, at byte 75"},
        {"{\"credence_schema\": 1, " COLUMNS ",\n \"part\": {\"version\": 1, \"columns\": []}}",
         "syntax :2:0 [] the part must have the members version, rows and columns"},
        {"{\"credence_schema\": 1, " COLUMNS ",\n \"part\": {\"rows\": \"text\", \"columns\": []}}",
         "syntax :2:0 [] the part must have the members version, rows and columns"},
        {"{" COLUMNS ",\n \"part\": {\"version\": 1, \"rows\": \"text\", \"rows\": \"text\"}}",
         "syntax :2:0 [] a member occurs twice in the part, or in a column of it"},
        {"{" COLUMNS ",\n \"part\": {\"columns\": [{\"name\": \"a\", \"type\": \"none\", \"type\": \"none\"}]}}",
         "syntax :2:0 [] a member occurs twice in the part, or in a column of it"},
        {"{" COLUMNS ",\n \"part\": {\"decimal\": \".\"}}", "syntax :2:0 [] unknown decimal mark of the part"},
        {"{" COLUMNS ",\n \"part\": {\"numbers\": \"rhubarb\"}}", "syntax :2:0 [] unknown decimal mark of the part"},
        {"{\"credence_schema\": 1,\n \"missing\": [\"a\nb\"]}",
         "syntax :2:0 [] a text is not closed at the end of the line, at byte 16"},
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        allocations plan = {0};
        crd_context *context = logged_context(&plan);
        crd_schema *schema = NULL;
        crd_error error;
        transcript output = {NULL, 0, 0};
        crd_status status = crd_schema_decode(context, TEXTS[i][0], strlen(TEXTS[i][0]), &schema, &error);
        assert_int_not_equal(status, CRD_OK);
        assert_null(schema);
        say_error(&output, &error);
        output.text[output.length - 1] = '\0';
        assert_string_equal(output.text, TEXTS[i][1]);
        free(output.text);
        crd_context_destroy(context);
        assert_int_equal(plan.live, 0);
    }
}

static void test_files(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_schema *schema = NULL, *copy = NULL;
    crd_error error;
    char path[64];
    write_temporary(path, "{\n{", 3);
    assert_int_equal(crd_schema_load(context, path, &schema, &error), CRD_ERROR_SYNTAX);
    assert_string_equal(error.place, path);
    assert_int_equal(error.line, 2);
    assert_int_equal(crd_schema_decode(context, SCHEMA, strlen(SCHEMA), &schema, &error), CRD_OK);
    unlink(path);
    write_temporary(path, SCHEMA, strlen(SCHEMA));
    assert_int_equal(crd_schema_load(context, path, &copy, &error), CRD_OK);
    assert_int_equal(crd_schema_column_count(copy), 4);
    crd_schema_destroy(copy);
    crd_schema_destroy(schema);
    unlink(path);
    assert_int_equal(crd_schema_load(context, path, &schema, &error), CRD_ERROR_SYSTEM);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

static void test_memory(void **state) {
    (void)state;
    static const char TABLE[] = "x,y,n,k\n1,p,2,u\n";
    for (size_t index = 1;; index++) {
        allocations plan = {.fail_at = index};
        crd_context *context = logged_context(&plan);
        crd_reader *reader = NULL;
        crd_schema *schema = NULL, *new_schema = NULL, *years = NULL;
        crd_error error = {0};
        const crd_frame *frame;
        char *text = NULL;
        size_t length;
        crd_status status = CRD_ERROR_MEMORY;
        if (context != NULL) status = crd_schema_decode(context, SCHEMA, strlen(SCHEMA), &schema, &error);
        if (status == CRD_OK) status = open_bytes(context, TABLE, strlen(TABLE), true, NULL, &reader, &error);
        if (status == CRD_OK) status = crd_schema_apply(schema, reader, &error);
        if (status == CRD_OK) status = crd_reader_next(reader, &frame, &error);
        if (status == CRD_OK) status = crd_schema_from_reader(reader, 1, &new_schema, &error);
        if (status == CRD_OK) status = crd_schema_encode(new_schema, &text, &length, &error);
        if (status == CRD_OK) status = crd_schema_decode(context, YEARS, strlen(YEARS), &years, &error);
        if (status == CRD_OK) status = crd_schema_merge(years, years, &error);
        if (context != NULL) crd_free(context, text);
        crd_schema_destroy(years);
        crd_schema_destroy(new_schema);
        crd_schema_destroy(schema);
        crd_reader_close(reader);
        if (context != NULL) crd_context_destroy(context);
        assert_int_equal(plan.live, 0);
        if (plan.calls < index) break;
        assert_int_equal(status, CRD_ERROR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_applying),
        cmocka_unit_test(test_choosing_after_applying),
        cmocka_unit_test(test_weight),
        cmocka_unit_test(test_cuts_of_parts),
        cmocka_unit_test(test_former_names),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
