/* SPDX-License-Identifier: MIT */
/* credence/plot.h - pictures of results as SVG: bars, curves, tables, nomograms and graphs, drawn from plain series.
 *
 * A picture is one <svg> element, which can be put into an HTML page or written to a file as it is. It has no script and
 * loads nothing. Text is text, colours follow the page (light or dark), and nothing is shown by colour alone. Names are escaped, long ones are
 * shortened, with the whole name as a tooltip. What cannot be drawn (NaN, an empty series) is left out; infinite values are drawn to the edge
 * and labelled. The same series have the same bytes everywhere.
 *
 * Every call copies what it needs: series and names are the caller's. *svg ends in NUL and is freed with crd_free. Structs are
 * initialised by their *_INIT macros; crd_plot_bar, crd_plot_series, crd_plot_bin, crd_plot_group, crd_plot_region, crd_plot_interval, crd_plot_scale and crd_plot_arc have no size and never change.
 *
 * All calls fail with CRD_ERROR_ARGUMENT where a struct has no size or an index is out of range, with CRD_ERROR_LIMIT where a
 * picture would have so many items that nobody could look at them (10,000 nodes, 1,000 classes or series, a million bars), and with
 * CRD_ERROR_MEMORY. */
#ifndef CREDENCE_PLOT_H
#define CREDENCE_PLOT_H

#include <credence/base.h>

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What all pictures have. NULL in its place means the defaults. */
typedef struct crd_plot_options {
    size_t size;
    crd_text title;       /* above the picture; none: a name of the kind of picture, for screen readers alone */
    crd_text description; /* for screen readers; none: what the picture shows, in numbers */
    double width;         /* in pixels, from 240 to 2,000; 0: what suits the picture */
} crd_plot_options;

#define CRD_PLOT_OPTIONS_INIT                                                                                          \
    { sizeof(crd_plot_options), {0, 0}, {0, 0}, 0 }

typedef struct crd_plot_bar {
    crd_text name;
    crd_text note; /* behind the name, such as the value that an attribute has; or none */
    double value;
} crd_plot_bar;

/* Weights of evidence: log likelihood ratios, to the right where they are positive. */
typedef struct crd_plot_evidence {
    size_t size;
    const crd_plot_bar *bars;
    size_t count;
    double prior;                /* the log prior odds, as the first bar; NaN: none */
    double total;                /* the log posterior odds, as the last bar; NaN: none */
    crd_text unit;               /* of the weights: "bits", "nats", "dB"; or none */
    crd_text positive, negative; /* the classes that positive and negative weights favour; or none */
    size_t most;                 /* bars, the largest; what is left out is summed up in one; 0: 30 */
} crd_plot_evidence;

#define CRD_PLOT_EVIDENCE_INIT                                                                                         \
    { sizeof(crd_plot_evidence), 0, 0, NAN, NAN, {0, 0}, {0, 0}, {0, 0}, 0 }

CRD_API CRD_MUST_USE crd_status crd_plot_draw_evidence(crd_context *context, const crd_plot_evidence *of,
                                                       const crd_plot_options *options, char **svg, crd_error *error);

/* Bars beside each other: posteriors, importances. */
typedef struct crd_plot_bars {
    size_t size;
    const crd_plot_bar *bars;
    size_t count;
    int are_probabilities; /* a scale from 0 to 1, and values in percent */
    crd_text unit;         /* of the values; or none */
    size_t most;           /* bars, the largest, in the order given; 0: 30 */
} crd_plot_bars;

#define CRD_PLOT_BARS_INIT                                                                                             \
    { sizeof(crd_plot_bars), 0, 0, 0, {0, 0}, 0 }

CRD_API CRD_MUST_USE crd_status crd_plot_draw_bars(crd_context *context, const crd_plot_bars *of,
                                                   const crd_plot_options *options, char **svg, crd_error *error);

/* Groups of bars, each with a heading and in a column of its own, on one scale: the most telling words of each class. */
typedef struct crd_plot_group {
    crd_text name;
    const crd_plot_bar *bars;
    size_t count;
} crd_plot_group;

typedef struct crd_plot_groups {
    size_t size;
    const crd_plot_group *groups;
    size_t count;
    crd_text unit; /* of the values; or none */
    size_t most;   /* bars of each group, the first ones; 0: 20 */
} crd_plot_groups;

#define CRD_PLOT_GROUPS_INIT                                                                                           \
    { sizeof(crd_plot_groups), 0, 0, {0, 0}, 0 }

CRD_API CRD_MUST_USE crd_status crd_plot_draw_groups(crd_context *context, const crd_plot_groups *of,
                                                     const crd_plot_options *options, char **svg, crd_error *error);

/* Points (x, y) in the order in which they are joined. */
typedef struct crd_plot_series {
    crd_text name;
    const double *x, *y;
    size_t count;
} crd_plot_series;

typedef enum crd_plot_reference {
    CRD_PLOT_NO_REFERENCE = 0,
    CRD_PLOT_DIAGONAL = 1,  /* from the lower left to the upper right: chance of an ROC or gain curve */
    CRD_PLOT_HORIZONTAL = 2 /* at `level`: the share of the positive class under a precision-recall curve */
} crd_plot_reference;

/* Curves over common axes: ROC, precision and recall, gain, anything over time. */
typedef struct crd_plot_curves {
    size_t size;
    const crd_plot_series *series;
    size_t count;
    crd_text x_name, y_name;
    double x_least, x_greatest, y_least, y_greatest; /* of the axes; NaN: those of the series */
    crd_plot_reference reference;
    double level;
    int are_steps; /* a value holds up to the next x: step functions */
} crd_plot_curves;

#define CRD_PLOT_CURVES_INIT                                                                                           \
    { sizeof(crd_plot_curves), 0, 0, {0, 0}, {0, 0}, NAN, NAN, NAN, NAN, CRD_PLOT_NO_REFERENCE, 0, 0 }

CRD_API CRD_MUST_USE crd_status crd_plot_draw_curves(crd_context *context, const crd_plot_curves *of,
                                                     const crd_plot_options *options, char **svg, crd_error *error);

/* Where a series is decided for; and an interval with what it is, such as P(X > 3) = 12%. */
typedef struct crd_plot_region {
    double from, to;
    size_t series;
} crd_plot_region;

typedef struct crd_plot_interval {
    double from, to; /* may be infinite */
    crd_text label;
} crd_plot_interval;

/* Densities of a column under each class, as areas, with the cut points of its intervals and a strip of decision regions below. */
typedef struct crd_plot_densities {
    size_t size;
    const crd_plot_series *series; /* one for each class: x, and the density at x */
    size_t count;
    crd_text x_name;
    const double *cut_points;
    size_t cut_point_count;
    const crd_plot_region *regions;
    size_t region_count;
    const crd_plot_interval *shades; /* under the first series */
    size_t shade_count;
    int is_discrete; /* probabilities of whole numbers */
} crd_plot_densities;

#define CRD_PLOT_DENSITIES_INIT                                                                                        \
    { sizeof(crd_plot_densities), 0, 0, {0, 0}, 0, 0, 0, 0, 0, 0, 0 }

CRD_API CRD_MUST_USE crd_status crd_plot_draw_densities(crd_context *context, const crd_plot_densities *of,
                                                        const crd_plot_options *options, char **svg, crd_error *error);

/* A bin of a calibration curve (reliability diagram): the mean predicted probability of its rows, the observed relative frequency, an
 * interval of it (NaN: none), and the number of rows. */
typedef struct crd_plot_bin {
    double predicted, observed, low, high, rows;
} crd_plot_bin;

typedef struct crd_plot_calibration {
    size_t size;
    const crd_plot_bin *bins;
    size_t count;
    crd_text of; /* the class whose probability it is; or none */
} crd_plot_calibration;

#define CRD_PLOT_CALIBRATION_INIT                                                                                      \
    {                                                                                                                  \
        sizeof(crd_plot_calibration), 0, 0, {                                                                          \
            0, 0                                                                                                       \
        }                                                                                                              \
    }

CRD_API CRD_MUST_USE crd_status crd_plot_draw_calibration(crd_context *context, const crd_plot_calibration *of,
                                                          const crd_plot_options *options, char **svg,
                                                          crd_error *error);

/* A confusion matrix: counts[i * count + k] is the weight of rows of class i that were predicted as class k. */
typedef struct crd_plot_confusion {
    size_t size;
    const crd_text *classes;
    size_t count;
    const double *counts;
} crd_plot_confusion;

#define CRD_PLOT_CONFUSION_INIT                                                                                        \
    { sizeof(crd_plot_confusion), 0, 0, 0 }

CRD_API CRD_MUST_USE crd_status crd_plot_draw_confusion(crd_context *context, const crd_plot_confusion *of,
                                                        const crd_plot_options *options, char **svg, crd_error *error);

/* A heat map of pairs of items: values[i * count + k], of which those with k < i are drawn, darker where they are greater; NaN: not known. */
typedef struct crd_plot_heat_map {
    size_t size;
    const crd_text *names;
    size_t count;
    const double *values; /* not negative */
    crd_text unit;        /* of the values; or none */
    size_t most;          /* items, the first; 0: 40 */
} crd_plot_heat_map;

#define CRD_PLOT_HEAT_MAP_INIT                                                                                         \
    { sizeof(crd_plot_heat_map), 0, 0, 0, {0, 0}, 0 }

CRD_API CRD_MUST_USE crd_status crd_plot_draw_heat_map(crd_context *context, const crd_plot_heat_map *of,
                                                       const crd_plot_options *options, char **svg, crd_error *error);

/* A nomogram: a scale of points for each attribute, the sum of points, and the probability at it. */
typedef struct crd_plot_scale {
    crd_text name;
    const crd_text
        *labels; /* of the values; NULL: they are numbers, `values`, ascending, between which points are interpolated */
    const double *values;
    const double *points; /* infinite ones are drawn at the ends */
    size_t count;
    double mark; /* the points of a row, marked on the scale; NaN: none */
} crd_plot_scale;

typedef struct crd_plot_nomogram {
    size_t size;
    const crd_plot_scale *scales;
    size_t count;
    const double *totals, *probabilities; /* sums of points, ascending, and the probability at each */
    size_t probability_count;
    double greatest_total; /* of the scale of sums */
    double total;          /* of a row; NaN: none */
    crd_text of;           /* what the probability is that of */
    size_t most;           /* scales, the first; 0: 20 */
} crd_plot_nomogram;

#define CRD_PLOT_NOMOGRAM_INIT                                                                                         \
    { sizeof(crd_plot_nomogram), 0, 0, 0, 0, 0, 100, NAN, {0, 0}, 0 }

CRD_API CRD_MUST_USE crd_status crd_plot_draw_nomogram(crd_context *context, const crd_plot_nomogram *of,
                                                       const crd_plot_options *options, char **svg, crd_error *error);

/* A conditional probability table: a row for each combination of the parents' states, a column for each state. */
typedef struct crd_plot_table {
    size_t size;
    crd_text row_name;    /* what the rows are, such as the parents' names; or none */
    const crd_text *rows; /* NULL: the table has one row without a name */
    size_t row_count;
    const crd_text *states;
    size_t state_count;
    const double *probabilities; /* [row * state_count + state] */
    size_t most;                 /* rows; 0: 40 */
} crd_plot_table;

#define CRD_PLOT_TABLE_INIT                                                                                            \
    { sizeof(crd_plot_table), {0, 0}, 0, 0, 0, 0, 0, 0 }

CRD_API CRD_MUST_USE crd_status crd_plot_draw_table(crd_context *context, const crd_plot_table *of,
                                                    const crd_plot_options *options, char **svg, crd_error *error);

typedef enum crd_plot_node_kind { CRD_PLOT_CHANCE = 0, CRD_PLOT_DECISION = 1, CRD_PLOT_UTILITY = 2 } crd_plot_node_kind;

/* A node of a graph. */
typedef struct crd_plot_node {
    size_t size;
    crd_text name;
    crd_plot_node_kind kind;
    const crd_text *states;
    const double *beliefs; /* the probability of each state, as bars; NULL: the name alone */
    size_t state_count;
    size_t evidence;  /* the state that was observed; CRD_NONE: none */
    int has_evidence; /* other evidence about it: virtual evidence, an observed number */
    int is_target;    /* drawn with a stronger frame */
    crd_text note;    /* below the name, such as mean and standard deviation of a number; or none */
} crd_plot_node;

#define CRD_PLOT_NODE_INIT                                                                                             \
    {                                                                                                                  \
        sizeof(crd_plot_node), {0, 0}, CRD_PLOT_CHANCE, 0, 0, 0, CRD_NONE, 0, 0, {                                     \
            0, 0                                                                                                       \
        }                                                                                                              \
    }

typedef struct crd_plot_arc {
    size_t from, to;   /* numbers of nodes */
    int is_undirected; /* an edge of a CPDAG, without an arrowhead */
    double
        strength; /* from 0 to 1: how thick the line is, such as the share of bootstrap samples that have the arc; NaN: plain */
} crd_plot_arc;

/* A graph in layers, with arcs going down. Directed arcs may not form a cycle: CRD_ERROR_CYCLE. */
typedef struct crd_plot_graph {
    size_t size;
    const crd_plot_node *nodes; /* the size of the first is that of all */
    size_t node_count;
    const crd_plot_arc *arcs;
    size_t arc_count;
    size_t most_states; /* bars of a node, the most probable; 0: 6 */
} crd_plot_graph;

#define CRD_PLOT_GRAPH_INIT                                                                                            \
    { sizeof(crd_plot_graph), 0, 0, 0, 0, 0 }

CRD_API CRD_MUST_USE crd_status crd_plot_draw_graph(crd_context *context, const crd_plot_graph *of,
                                                    const crd_plot_options *options, char **svg, crd_error *error);

/* States along time: a line for each state, and the path through them. */
typedef struct crd_plot_path {
    size_t size;
    const crd_text *states;
    size_t state_count;
    size_t step_count;
    const int32_t *path;      /* the state of each step, -1: none; NULL: no path */
    const double *posteriors; /* [step * state_count + state], as shades; NULL: none */
    const double *times;      /* of the steps, rising; NULL: they are numbered from 1 */
    crd_text time_name;       /* or none */
} crd_plot_path;

#define CRD_PLOT_PATH_INIT                                                                                             \
    {                                                                                                                  \
        sizeof(crd_plot_path), 0, 0, 0, 0, 0, 0, {                                                                     \
            0, 0                                                                                                       \
        }                                                                                                              \
    }

CRD_API CRD_MUST_USE crd_status crd_plot_draw_path(crd_context *context, const crd_plot_path *of,
                                                   const crd_plot_options *options, char **svg, crd_error *error);

/* ---- Several pictures in one ----
 *
 * Side by side where they are narrow, else below each other, each with its title. `pictures` are what the calls above made: CRD_ERROR_ARGUMENT for
 * anything else. The options' width is that of the whole, of which wider pictures stand out. */
CRD_API CRD_MUST_USE crd_status crd_plot_join(crd_context *context, const char *const *pictures, size_t count,
                                              const crd_plot_options *options, char **svg, crd_error *error);

/* ---- Layouts: where the nodes of a graph stand in a picture of any kind ----
 *
 * In layers, arcs going down (after Sugiyama, Tagawa and Toda 1981): layers by longest paths, the order within layers by barycentres, and
 * places by least squares. Units are the caller's: characters, pixels. */
typedef struct crd_plot_layout crd_plot_layout;

/* What a node takes on either side of its middle. */
typedef struct crd_plot_extent {
    size_t left, right;
} crd_plot_extent;

typedef struct crd_plot_layout_options {
    size_t size;
    size_t node_gap;    /* between two nodes of a layer */
    size_t line_gap;    /* between a node or a line that passes and another such line */
    size_t width;       /* of all layers at most; 0: as wide as it takes */
    size_t layer_width; /* of layers wider than this, nodes without children go to layers below; 0: they stay */
} crd_plot_layout_options;

#define CRD_PLOT_LAYOUT_OPTIONS_INIT                                                                                   \
    { sizeof(crd_plot_layout_options), 3, 2, 0, 0 }

/* A node, or a point at which a line passes through a layer. Of the arcs that leave a node and go on there is one such point in
 * each layer: they part where they reach a child's layer. */
typedef struct crd_plot_point {
    size_t node; /* which it is, or whose arcs pass */
    int is_passing;
    size_t layer; /* from 0, the uppermost */
    size_t at;    /* its middle, from the left */
} crd_plot_point;

/* From a point to one of the next layer. */
typedef struct crd_plot_link {
    size_t from, to;
    int is_undirected; /* it has no arrowhead here */
    size_t arc;        /* the arc that ends with it; CRD_NONE: it ends at a point at which lines pass */
} crd_plot_link;

/* CRD_ERROR_CYCLE: directed arcs form a cycle. CRD_ERROR_LIMIT: a layer is wider than the options allow, or lines pass through layers at more than
 * a million points. Edges without a direction go from what comes first in an order of the others. */
CRD_API CRD_MUST_USE crd_status crd_plot_layout_create(crd_context *context, const crd_plot_extent *nodes,
                                                       size_t node_count, const crd_plot_arc *arcs, size_t arc_count,
                                                       const crd_plot_layout_options *options, crd_plot_layout **out,
                                                       crd_error *error);
CRD_API void crd_plot_layout_destroy(crd_plot_layout *layout);
/* Points: the first are the nodes, in their order. */
CRD_API const crd_plot_point *crd_plot_layout_points(const crd_plot_layout *layout, size_t *count);
CRD_API const crd_plot_link *crd_plot_layout_links(const crd_plot_layout *layout, size_t *count);
CRD_API size_t crd_plot_layout_layer_count(const crd_plot_layout *layout);
/* The points of a layer, from left to right. */
CRD_API const size_t *crd_plot_layout_layer(const crd_plot_layout *layout, size_t layer, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
