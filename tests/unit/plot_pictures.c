/* SPDX-License-Identifier: MIT */
/* Pictures: well-formed XML without markup of names, whatever names and numbers are; the same bytes for the same series; numbers as people read
 * them; axes with round ticks; layouts of graphs that keep their promises. */
#include "plot_support.h"

#include "base/text.h"
#include "plot/svg.h"

#include "counted_fixture.h"

/* ---- Well-formed ---- */

enum { DEEPEST = 16, LONGEST_NAME = 16 };

static bool is_known(const char *name, size_t length) {
    static const char *const known[] = {"svg",    "title", "desc", "style", "rect", "line",
                                        "circle", "path",  "text", "tspan", "g"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == length && memcmp(known[i], name, length) == 0) return true;
    return false;
}

/* Attributes of one element up to its '>': names, '=', values in double quotes without '<' or handlers of events. */
static const char *check_attributes(const char *cursor) {
    while (*cursor == ' ') {
        cursor++;
        size_t name = strspn(cursor, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
        assert_true(name > 0 && memcmp(cursor, "on", 2) != 0 && memcmp(cursor, "href", 4) != 0);
        cursor += name;
        assert_memory_equal(cursor, "=\"", 2);
        cursor += 2;
        size_t length = strcspn(cursor, "\"<");
        assert_true(cursor[length] == '"');
        cursor += length + 1;
    }
    return cursor;
}

static const char *check_entity(const char *cursor) {
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (strncmp(cursor, entities[i], strlen(entities[i])) == 0) return cursor + strlen(entities[i]);
    fail_msg("a bare ampersand: %.20s", cursor);
    return NULL;
}

/* Elements that are known, nested and closed; text that is UTF-8 without controls. */
static void check_picture(const char *svg) {
    const char *open[DEEPEST];
    size_t lengths[DEEPEST], depth = 0;
    assert_true(crd_i_utf8_is_valid(crd_text_of(svg)));
    assert_memory_equal(svg, "<svg ", 5);
    for (const char *cursor = svg; *cursor != '\0';) {
        assert_true((unsigned char)*cursor >= 0x20);
        if (*cursor == '&') {
            cursor = check_entity(cursor);
            continue;
        }
        if (*cursor != '<') {
            assert_true(depth > 0 && *cursor != '>' ? true : strncmp(open[depth - 1], "style", 5) == 0);
            cursor++;
            continue;
        }
        bool is_end = *++cursor == '/';
        cursor += is_end;
        size_t length = strspn(cursor, "abcdefghijklmnopqrstuvwxyz");
        assert_true(is_known(cursor, length));
        if (is_end) {
            assert_true(depth > 0 && lengths[--depth] == length && memcmp(open[depth], cursor, length) == 0);
            cursor += length;
        } else {
            assert_true(depth < DEEPEST);
            open[depth] = cursor;
            lengths[depth++] = length;
            cursor = check_attributes(cursor + length);
            if (*cursor == '/') depth--, cursor++;
        }
        assert_true(*cursor++ == '>');
        if (depth == 0) assert_true(*cursor == '\0');
    }
    assert_int_equal(depth, 0);
}

static void draw_and_check(const crd_text *names, const double *numbers) {
    for (int kind = 0; kind < PLOT_KINDS; kind++) {
        char *svg = NULL, *again = NULL;
        crd_error error;
        assert_done(draw_kind(context, kind, names, numbers, &svg, &error), error);
        assert_done(draw_kind(context, kind, names, numbers, &again, &error), error);
        check_picture(svg);
        assert_string_equal(svg, again);
        assert_non_null(strstr(svg, "role=\"img\""));
        assert_null(strstr(strstr(svg, "</style>"), "nan"));
        crd_free(context, svg);
        crd_free(context, again);
    }
}

static const double plain_numbers[PLOT_ITEMS] = {0.1, 0.2, 0.3, 0.35, 0.05};

static void hostile_names_are_text(void **state) {
    (void)state;
    static const char *const hostile[] = {
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "]]></style><svg onload=x>",
        "&amp;&#x3c;&",
        "--><!-- '",
        "\x01\x1f\x7f\t\n\r",
        "\xff\xfe\xc0\xaf\xed\xa0\x80",
        "\xe2\x80\xae\xe2\x81\xa6\xef\xbf\xbf\xc2\x85",
        "",
        "cut in the middle \xe6\x97",
        "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac"};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        crd_text names[PLOT_ITEMS];
        for (size_t k = 0; k < PLOT_ITEMS; k++)
            names[k] = crd_text_of(hostile[(i + k) % (sizeof hostile / sizeof *hostile)]);
        draw_and_check(names, plain_numbers);
    }
}

/* Bytes of all kinds, and a name of a megabyte, of which a picture has some hundred characters. */
static void random_bytes_are_text(void **state) {
    (void)state;
    enum { LENGTH = 1 << 20 };
    char *bytes = malloc(LENGTH);
    assert_non_null(bytes);
    uint32_t random = 1;
    for (size_t i = 0; i < LENGTH; i++) {
        random = random * 1664525U + 1013904223U;
        bytes[i] = (char)(random >> 24);
    }
    for (size_t index = 0; index < 2000; index += 100) {
        crd_text names[PLOT_ITEMS];
        for (size_t k = 0; k < PLOT_ITEMS; k++) names[k] = (crd_text){bytes + index + 7 * k, 5 * k + index % 13};
        draw_and_check(names, plain_numbers);
    }
    char *svg = NULL;
    crd_error error;
    crd_text names[PLOT_ITEMS] = {{"a", 1}, {"b", 1}, {bytes, LENGTH}, {"d", 1}, {bytes, LENGTH}};
    assert_done(draw_kind(context, 8, names, plain_numbers, &svg, &error), error);
    check_picture(svg);
    assert_true(strlen(svg) < 40000);
    crd_free(context, svg);
    free(bytes);
}

static void any_numbers_are_drawn(void **state) {
    (void)state;
    static const double odd[] = {0, -0.0, 1, -1, NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324, 1e-7, 123456789, 0.5};
    enum { ODD = sizeof odd / sizeof *odd };
    const crd_text names[PLOT_ITEMS] = {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}};
    for (size_t i = 0; i < ODD * ODD; i++) {
        double numbers[PLOT_ITEMS];
        for (size_t k = 0; k < PLOT_ITEMS; k++) numbers[k] = odd[(i + k * (1 + i / ODD)) % ODD];
        draw_and_check(names, numbers);
    }
}

/* ---- What is refused ---- */

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    crd_error error;
    char *svg = (char *)"";
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    crd_plot_bars bars = CRD_PLOT_BARS_INIT;
    options.width = 100;
    assert_int_equal(crd_plot_draw_bars(context, &bars, &options, &svg, &error), CRD_ERROR_ARGUMENT);
    assert_null(svg);
    bars.size = 0;
    assert_int_equal(crd_plot_draw_bars(context, &bars, NULL, &svg, &error), CRD_ERROR_ARGUMENT);
    crd_plot_path path = CRD_PLOT_PATH_INIT;
    const crd_text name = {"a", 1};
    path.states = &name;
    path.state_count = path.step_count = 1;
    path.path = &(int32_t){1};
    assert_int_equal(crd_plot_draw_path(context, &path, NULL, &svg, &error), CRD_ERROR_ARGUMENT);
    crd_plot_confusion confusion = CRD_PLOT_CONFUSION_INIT;
    confusion.count = 100000;
    assert_int_equal(crd_plot_draw_confusion(context, &confusion, NULL, &svg, &error), CRD_ERROR_LIMIT);
    crd_plot_node nodes[2] = {CRD_PLOT_NODE_INIT, CRD_PLOT_NODE_INIT};
    crd_plot_arc arcs[2] = {{0, 1, 0, NAN}, {1, 0, 0, NAN}};
    crd_plot_graph graph = {sizeof graph, nodes, 2, arcs, 2, 0};
    assert_int_equal(crd_plot_draw_graph(context, &graph, NULL, &svg, &error), CRD_ERROR_CYCLE);
    arcs[1].to = 2;
    assert_int_equal(crd_plot_draw_graph(context, &graph, NULL, &svg, &error), CRD_ERROR_ARGUMENT);
    assert_null(svg);
}

/* ---- Numbers ---- */

static void numbers_are_rounded_for_people(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *plain, *with_sign, *percent;
    } cases[] = {{0, "0", "0", "0%"},
                 {0.12345, "0.123", "+0.123", "12.3%"},
                 {1, "1", "+1", "100%"},
                 {0.99999, "1", "+1", ">99.9%"},
                 {1e-9,
                  "1e\xE2\x88\x92"
                  "9",
                  "+1e\xE2\x88\x92"
                  "9",
                  "<0.1%"},
                 {-2.5,
                  "\xE2\x88\x92"
                  "2.5",
                  "\xE2\x88\x92"
                  "2.5",
                  "\xE2\x88\x92"
                  "2.5"},
                 {9.996, "10", "+10", "10"},
                 {1234.5678, "1235", "+1235", "1235"},
                 {123456, "123456", "+123456", "123456"},
                 {12345678, "1.23e7", "+1.23e7", "1.23e7"},
                 {9.999e20, "1e21", "+1e21", "1e21"},
                 {INFINITY, "\xE2\x88\x9E", "+\xE2\x88\x9E", "\xE2\x88\x9E"},
                 {-INFINITY, "\xE2\x88\x92\xE2\x88\x9E", "\xE2\x88\x92\xE2\x88\x9E", "\xE2\x88\x92\xE2\x88\x9E"},
                 {NAN, "?", "?", "?"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[CRD_I_PLOT_NUMBER_ROOM];
        assert_string_equal(crd_i_plot_number(cases[i].value, text), cases[i].plain);
        assert_string_equal(crd_i_plot_signed(cases[i].value, text), cases[i].with_sign);
        assert_string_equal(crd_i_plot_percent(cases[i].value, text), cases[i].percent);
    }
}

static void ticks_are_round_and_inside(void **state) {
    (void)state;
    static const double ranges[][2] = {{0, 1},          {-3, 7}, {0.2, 0.21}, {1e9, 1e9 + 1},
                                       {-1e300, 1e300}, {5, 5},  {0, 0},      {1e-20, 3e-20}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        crd_i_plot_axis axis;
        crd_i_plot_axis_begin(&axis);
        crd_i_plot_axis_cover(&axis, ranges[i], 2);
        crd_i_plot_axis_place(&axis, 100, 500, 5);
        char text[CRD_I_PLOT_NUMBER_ROOM];
        double value, last = -INFINITY;
        size_t count = 0;
        for (; crd_i_plot_axis_tick(&axis, count, &value, text); count++) {
            double position = crd_i_plot_axis_at(&axis, value);
            assert_true(value > last && position >= 100 && position <= 500);
            last = value;
        }
        assert_in_range(count, 2, 11);
    }
}

/* ---- Layouts ---- */

/* Random graphs: arcs go down, links join neighboring layers, nodes keep their distance, and each arc ends once. */
static void layouts_keep_their_promises(void **state) {
    (void)state;
    enum { NODES = 40, ARCS = 90, GAP = 5 };
    uint32_t random = 7;
    for (int round = 0; round < 20; round++) {
        crd_plot_arc arcs[ARCS];
        crd_plot_extent extents[NODES];
        for (size_t i = 0; i < NODES; i++) extents[i] = (crd_plot_extent){i % 7, i % 5};
        for (size_t i = 0; i < ARCS; i++) {
            random = random * 1664525U + 1013904223U;
            size_t limit = 1 + (random >> 16) % (NODES - 1);
            arcs[i] = (crd_plot_arc){(random >> 8) % limit, limit, i % 5 == 0, NAN};
        }
        crd_plot_layout_options options = CRD_PLOT_LAYOUT_OPTIONS_INIT;
        options.node_gap = GAP;
        options.layer_width = round % 2 == 0 ? 0 : 60;
        crd_plot_layout *layout;
        crd_error error;
        assert_done(crd_plot_layout_create(context, extents, NODES, arcs, ARCS, &options, &layout, &error), error);
        size_t ended = 0, placed = 0;
        const crd_plot_point *point = layout->points;
        const crd_plot_link *link = layout->links;
        for (size_t i = 0; i < NODES; i++) assert_true(point[i].node == i && !point[i].is_passing);
        for (size_t i = 0; i < ARCS; i++)
            if (!arcs[i].is_undirected) assert_true(point[arcs[i].from].layer < point[arcs[i].to].layer);
        for (size_t i = 0; i < layout->link_count; i++) {
            assert_int_equal(point[link[i].from].layer + 1, point[link[i].to].layer);
            ended += link[i].arc != CRD_NONE;
        }
        assert_int_equal(ended, ARCS);
        for (size_t i = 0; i < layout->layer_count; i++) {
            const size_t *entries = layout->layers[i].points, count = layout->layers[i].count;
            placed += count;
            for (size_t k = 1; k < count; k++) {
                const crd_plot_point *left = &point[entries[k - 1]], *right = &point[entries[k]];
                assert_true(left->at < right->at);
                if (!left->is_passing && !right->is_passing)
                    assert_true(left->at + extents[left->node].right + GAP + extents[right->node].left <= right->at);
            }
        }
        assert_int_equal(placed, layout->point_count);
        crd_plot_layout_destroy(layout);
    }
}

/* A thousand children of one node are no line of a hundred thousand pixels. */
static void wide_graphs_are_folded(void **state) {
    (void)state;
    enum { NODES = 1000 };
    static crd_plot_node nodes[NODES];
    static crd_plot_arc arcs[NODES - 1];
    for (size_t i = 0; i < NODES; i++) nodes[i] = (crd_plot_node)CRD_PLOT_NODE_INIT;
    for (size_t i = 0; i < NODES - 1; i++) arcs[i] = (crd_plot_arc){0, i + 1, 0, NAN};
    crd_plot_graph graph = {sizeof graph, nodes, NODES, arcs, NODES - 1, 0};
    char *svg = NULL;
    crd_error error;
    assert_done(crd_plot_draw_graph(context, &graph, NULL, &svg, &error), error);
    const char *width = strstr(svg, " width=\"");
    assert_non_null(width);
    assert_true(atof(width + 8) < 6000);
    crd_free(context, svg);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_names_are_text),         cmocka_unit_test(random_bytes_are_text),
        cmocka_unit_test(any_numbers_are_drawn),          cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(numbers_are_rounded_for_people), cmocka_unit_test(ticks_are_round_and_inside),
        cmocka_unit_test(layouts_keep_their_promises),    cmocka_unit_test(wide_graphs_are_folded),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
