/* SPDX-License-Identifier: MIT */
/* credence/plot.h - plots of results as SVG: bars, curves, tables, nomograms and graphs, drawn from plain arrays.
 *
 * A plot is one <svg> element. You can insert it into an HTML page, or write it to a file unchanged. It contains no
 * script and loads nothing. Text remains text, colors follow the page (light or dark), and color is never the only
 * distinction. Names are escaped. Long names are shortened, with the full name as a tooltip. Data that cannot be drawn
 * (NaN, an empty series) is skipped. Infinite values are drawn at the edge and labeled. Equal input gives
 * byte-identical plots on every platform.
 *
 * Every call copies its input; arrays and names remain the caller's. *svg ends with NUL; free it with crd_free.
 * Initialize structs with their *_INIT macros. Some structs have no member `size` and never change: crd_plot_bar,
 * crd_plot_series, crd_plot_bin, crd_plot_group, crd_plot_region, crd_plot_interval, crd_plot_scale and crd_plot_arc.
 *
 * All calls that draw return CRD_ERROR_ARGUMENT if a struct has no size or an index is out of range, and
 * CRD_ERROR_MEMORY if memory runs out. They return CRD_ERROR_LIMIT if a plot would have too many items to read: 10,000
 * nodes, 1,000 classes or series, a million bars. */
#ifndef CREDENCE_PLOT_H
#define CREDENCE_PLOT_H

#ifndef CRD_EXPERIMENTAL
#error "credence/plot.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/credence.h>

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of all plots; NULL instead of a pointer to them means the defaults. Initialize it with
 * CRD_PLOT_OPTIONS_INIT. */
typedef struct crd_plot_options {
    size_t size;
    crd_text title;       /* above the plot; empty: a name of the kind of plot, for screen readers only */
    crd_text description; /* for screen readers; empty: a summary of the plot in numbers */
    double width;         /* in pixels, from 240 to 2,000; 0: a width that suits the plot */
} crd_plot_options;

#define CRD_PLOT_OPTIONS_INIT                                                                                          \
    { sizeof(crd_plot_options), {0, 0}, {0, 0}, 0 }

/* A bar. The struct is an element of arrays. */
typedef struct crd_plot_bar {
    crd_text name;
    crd_text note; /* shown after the name, such as the value of an attribute; may be empty */
    double value;
} crd_plot_bar;

/* A bar chart of weights of evidence, which are log likelihood ratios. Positive weights extend to the right. Initialize
 * it with CRD_PLOT_EVIDENCE_INIT. */
typedef struct crd_plot_evidence {
    size_t size;
    const crd_plot_bar *bars;
    size_t count;
    double prior;                /* the log prior odds, as the first bar; NaN: none */
    double total;                /* the log posterior odds, as the last bar; NaN: none */
    crd_text unit;               /* unit of the weights: "bits", "nats", "dB"; may be empty */
    crd_text positive, negative; /* the classes that positive and negative weights favor; may be empty */
    size_t most;                 /* maximum number of bars: the largest. The others are summed in one bar. 0: 30 */
} crd_plot_evidence;

#define CRD_PLOT_EVIDENCE_INIT                                                                                         \
    { sizeof(crd_plot_evidence), 0, 0, NAN, NAN, {0, 0}, {0, 0}, {0, 0}, 0 }

/* Draws weights of evidence as *svg. `options` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_plot_draw_evidence(crd_context *context, const crd_plot_evidence *of,
                                                       const crd_plot_options *options, char **svg, crd_error *error);

/* A bar chart, for example of posteriors or importances. Initialize it with CRD_PLOT_BARS_INIT. */
typedef struct crd_plot_bars {
    size_t size;
    const crd_plot_bar *bars;
    size_t count;
    int are_probabilities; /* nonzero: use a scale from 0 to 1, and print values in percent */
    crd_text unit;         /* unit of the values; may be empty */
    size_t most;           /* maximum number of bars: the largest, in the given order; 0: 30 */
} crd_plot_bars;

#define CRD_PLOT_BARS_INIT                                                                                             \
    { sizeof(crd_plot_bars), 0, 0, 0, {0, 0}, 0 }

/* Draws a bar chart as *svg. `options` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_plot_draw_bars(crd_context *context, const crd_plot_bars *of,
                                                   const crd_plot_options *options, char **svg, crd_error *error);

/* A group of bars with a heading. The struct is an element of arrays. */
typedef struct crd_plot_group {
    crd_text name;
    const crd_plot_bar *bars;
    size_t count;
} crd_plot_group;

/* Several groups of bars on one scale, each in its own column: for example the most informative terms of each class.
 * Initialize it with CRD_PLOT_GROUPS_INIT. */
typedef struct crd_plot_groups {
    size_t size;
    const crd_plot_group *groups;
    size_t count;
    crd_text unit; /* unit of the values; may be empty */
    size_t most;   /* maximum number of bars per group: the first ones; 0: 20 */
} crd_plot_groups;

#define CRD_PLOT_GROUPS_INIT                                                                                           \
    { sizeof(crd_plot_groups), 0, 0, {0, 0}, 0 }

/* Draws groups of bars as *svg. `options` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_plot_draw_groups(crd_context *context, const crd_plot_groups *of,
                                                     const crd_plot_options *options, char **svg, crd_error *error);

/* A series of points (x, y), in the order in which they are joined. The struct is an element of arrays. */
typedef struct crd_plot_series {
    crd_text name;
    const double *x, *y;
    size_t count;
} crd_plot_series;

/* A reference line of a plot of curves. */
typedef enum crd_plot_reference {
    CRD_PLOT_NO_REFERENCE = 0,
    CRD_PLOT_DIAGONAL = 1,  /* from the lower left to the upper right: a random ranking in an ROC or gain curve */
    CRD_PLOT_HORIZONTAL = 2 /* at `level`: the proportion of the positive class in a precision-recall plot */
} crd_plot_reference;

/* Curves on common axes: ROC, precision-recall, gain, time series. Initialize it with CRD_PLOT_CURVES_INIT. */
typedef struct crd_plot_curves {
    size_t size;
    const crd_plot_series *series;
    size_t count;
    crd_text x_name, y_name;
    double x_least, x_greatest, y_least, y_greatest; /* range of the axes; NaN: the range of the series */
    crd_plot_reference reference;
    double level;
    int are_steps; /* nonzero: step functions, with each value valid up to the next x */
} crd_plot_curves;

#define CRD_PLOT_CURVES_INIT                                                                                           \
    { sizeof(crd_plot_curves), 0, 0, {0, 0}, {0, 0}, NAN, NAN, NAN, NAN, CRD_PLOT_NO_REFERENCE, 0, 0 }

/* Draws curves as *svg. `options` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_plot_draw_curves(crd_context *context, const crd_plot_curves *of,
                                                     const crd_plot_options *options, char **svg, crd_error *error);

/* A decision region: the interval in which the class of a series is predicted. */
typedef struct crd_plot_region {
    double from, to;
    size_t series;
} crd_plot_region;

/* A shaded interval with a label, such as P(X > 3) = 12%. */
typedef struct crd_plot_interval {
    double from, to; /* the bounds may be infinite */
    crd_text label;
} crd_plot_interval;

/* Densities of a column under each class, drawn as areas. Cut points of the column's intervals are marked, and decision
 * regions appear as a strip below. Initialize it with CRD_PLOT_DENSITIES_INIT. */
typedef struct crd_plot_densities {
    size_t size;
    const crd_plot_series *series; /* one for each class: x, and the density at x */
    size_t count;
    crd_text x_name;
    const double *cut_points;
    size_t cut_point_count;
    const crd_plot_region *regions;
    size_t region_count;
    const crd_plot_interval *shades; /* areas below the first series */
    size_t shade_count;
    int is_discrete; /* nonzero: probabilities of integers */
} crd_plot_densities;

#define CRD_PLOT_DENSITIES_INIT                                                                                        \
    { sizeof(crd_plot_densities), 0, 0, {0, 0}, 0, 0, 0, 0, 0, 0, 0 }

/* Draws densities as *svg. `options` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_plot_draw_densities(crd_context *context, const crd_plot_densities *of,
                                                        const crd_plot_options *options, char **svg, crd_error *error);

/* A bin of a calibration curve (reliability diagram): the mean predicted probability of its rows, the observed relative
 * frequency, its confidence interval (NaN: none), and the number of rows. */
typedef struct crd_plot_bin {
    double predicted, observed, low, high, rows;
} crd_plot_bin;

/* A calibration curve (reliability diagram). Initialize it with CRD_PLOT_CALIBRATION_INIT. */
typedef struct crd_plot_calibration {
    size_t size;
    const crd_plot_bin *bins;
    size_t count;
    crd_text of; /* the class whose probability is predicted; may be empty */
} crd_plot_calibration;

#define CRD_PLOT_CALIBRATION_INIT                                                                                      \
    {                                                                                                                  \
        sizeof(crd_plot_calibration), 0, 0, {                                                                          \
            0, 0                                                                                                       \
        }                                                                                                              \
    }

/* Draws a calibration curve as *svg. `options` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_plot_draw_calibration(crd_context *context, const crd_plot_calibration *of,
                                                          const crd_plot_options *options, char **svg,
                                                          crd_error *error);

/* A confusion matrix: counts[i * count + k] is the total weight of rows of class i that were predicted as class k.
 * Initialize it with CRD_PLOT_CONFUSION_INIT. */
typedef struct crd_plot_confusion {
    size_t size;
    const crd_text *classes;
    size_t count;
    const double *counts;
} crd_plot_confusion;

#define CRD_PLOT_CONFUSION_INIT                                                                                        \
    { sizeof(crd_plot_confusion), 0, 0, 0 }

/* Draws a confusion matrix as *svg. `options` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_plot_draw_confusion(crd_context *context, const crd_plot_confusion *of,
                                                        const crd_plot_options *options, char **svg, crd_error *error);

/* A heat map of pairs of items. values[i * count + k] belongs to the pair of i and k; only entries with k < i are
 * drawn. Larger values are darker; NaN means unknown. Initialize it with CRD_PLOT_HEAT_MAP_INIT. */
typedef struct crd_plot_heat_map {
    size_t size;
    const crd_text *names;
    size_t count;
    const double *values; /* must not be negative */
    crd_text unit;        /* unit of the values; may be empty */
    size_t most;          /* maximum number of items: the first ones; 0: 40 */
} crd_plot_heat_map;

#define CRD_PLOT_HEAT_MAP_INIT                                                                                         \
    { sizeof(crd_plot_heat_map), 0, 0, 0, {0, 0}, 0 }

/* Draws a heat map as *svg. `options` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_plot_draw_heat_map(crd_context *context, const crd_plot_heat_map *of,
                                                       const crd_plot_options *options, char **svg, crd_error *error);

/* The scale of one attribute in a nomogram. The struct is an element of arrays. */
typedef struct crd_plot_scale {
    crd_text name;
    /* labels of the values; NULL: the values are the numbers `values`, ascending, and points are interpolated between
     * them */
    const crd_text *labels;
    const double *values;
    const double *points; /* points of each value; infinite ones are drawn at the ends */
    size_t count;
    double mark; /* points of a row, marked on the scale; NaN: no mark */
} crd_plot_scale;

/* A nomogram: a scale of points for each attribute, and a scale of total points with the probability of each total.
 * Initialize it with CRD_PLOT_NOMOGRAM_INIT. */
typedef struct crd_plot_nomogram {
    size_t size;
    const crd_plot_scale *scales;
    size_t count;
    const double *totals, *probabilities; /* totals of points, ascending, and the probability at each */
    size_t probability_count;
    double greatest_total; /* upper end of the scale of totals */
    double total;          /* total of a row; NaN: no mark */
    crd_text of;           /* the event whose probability is shown */
    size_t most;           /* maximum number of scales: the first ones; 0: 20 */
} crd_plot_nomogram;

#define CRD_PLOT_NOMOGRAM_INIT                                                                                         \
    { sizeof(crd_plot_nomogram), 0, 0, 0, 0, 0, 100, NAN, {0, 0}, 0 }

/* Draws a nomogram as *svg. `options` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_plot_draw_nomogram(crd_context *context, const crd_plot_nomogram *of,
                                                       const crd_plot_options *options, char **svg, crd_error *error);

/* A conditional probability table: one row per combination of the parents' states, one column per state. Initialize it
 * with CRD_PLOT_TABLE_INIT. */
typedef struct crd_plot_table {
    size_t size;
    crd_text row_name;    /* heading of the rows, such as the parents' names; may be empty */
    const crd_text *rows; /* NULL: the table has one row without a name */
    size_t row_count;
    const crd_text *states;
    size_t state_count;
    const double *probabilities; /* [row * state_count + state] */
    size_t most;                 /* maximum number of rows; 0: 40 */
} crd_plot_table;

#define CRD_PLOT_TABLE_INIT                                                                                            \
    { sizeof(crd_plot_table), {0, 0}, 0, 0, 0, 0, 0, 0 }

/* Draws a conditional probability table as *svg. `options` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_plot_draw_table(crd_context *context, const crd_plot_table *of,
                                                    const crd_plot_options *options, char **svg, crd_error *error);

/* The kind of a node. A different shape is drawn for each. */
typedef enum crd_plot_node_kind { CRD_PLOT_CHANCE = 0, CRD_PLOT_DECISION = 1, CRD_PLOT_UTILITY = 2 } crd_plot_node_kind;

/* A node of a graph. Initialize it with CRD_PLOT_NODE_INIT. */
typedef struct crd_plot_node {
    size_t size;
    crd_text name;
    crd_plot_node_kind kind;
    const crd_text *states;
    const double *beliefs; /* probability of each state, drawn as bars; NULL: only the name is drawn */
    size_t state_count;
    size_t evidence;  /* the observed state; CRD_NONE: none */
    int has_evidence; /* nonzero: other evidence, such as virtual evidence or an observed number */
    int is_target;    /* nonzero: drawn with a thicker frame */
    crd_text note;    /* shown below the name, such as mean and standard deviation; may be empty */
} crd_plot_node;

#define CRD_PLOT_NODE_INIT                                                                                             \
    {                                                                                                                  \
        sizeof(crd_plot_node), {0, 0}, CRD_PLOT_CHANCE, 0, 0, 0, CRD_NONE, 0, 0, {                                     \
            0, 0                                                                                                       \
        }                                                                                                              \
    }

/* An arc of a graph. The struct is an element of arrays. */
typedef struct crd_plot_arc {
    size_t from, to;   /* indices of nodes */
    int is_undirected; /* nonzero: an edge of a CPDAG, drawn without an arrowhead */
    /* width of the line, from 0 to 1: for example the proportion of bootstrap samples with the arc; NaN: normal */
    double strength;
} crd_plot_arc;

/* A graph in layers, with arcs that point down. Drawing returns CRD_ERROR_CYCLE if directed arcs form a cycle.
 * Initialize it with CRD_PLOT_GRAPH_INIT. */
typedef struct crd_plot_graph {
    size_t size;
    const crd_plot_node *nodes; /* all nodes must have the same `size` as the first */
    size_t node_count;
    const crd_plot_arc *arcs;
    size_t arc_count;
    size_t max_states; /* maximum number of bars per node: the most probable states; 0: 6 */
} crd_plot_graph;

#define CRD_PLOT_GRAPH_INIT                                                                                            \
    { sizeof(crd_plot_graph), 0, 0, 0, 0, 0 }

/* Draws a graph as *svg. `options` may be NULL. Returns CRD_ERROR_CYCLE if directed arcs form a cycle. */
CRD_API CRD_MUST_USE crd_status crd_plot_draw_graph(crd_context *context, const crd_plot_graph *of,
                                                    const crd_plot_options *options, char **svg, crd_error *error);

/* States over time: one line per state, and the path through them. Initialize it with CRD_PLOT_PATH_INIT. */
typedef struct crd_plot_path {
    size_t size;
    const crd_text *states;
    size_t state_count;
    size_t step_count;
    const int32_t *path;      /* state of each step, -1: none; NULL: no path */
    const double *posteriors; /* [step * state_count + state], drawn as shades; NULL: none */
    const double *times;      /* times of the steps, ascending; NULL: steps are numbered from 1 */
    crd_text time_name;       /* may be empty */
} crd_plot_path;

#define CRD_PLOT_PATH_INIT                                                                                             \
    {                                                                                                                  \
        sizeof(crd_plot_path), 0, 0, 0, 0, 0, 0, {                                                                     \
            0, 0                                                                                                       \
        }                                                                                                              \
    }

/* Draws states over time as *svg. `options` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_plot_draw_path(crd_context *context, const crd_plot_path *of,
                                                   const crd_plot_options *options, char **svg, crd_error *error);

/* Joins several plots in one *svg: side by side if they are narrow, otherwise below each other, each with its title.
 * `pictures` must be results of the functions above; otherwise the call returns CRD_ERROR_ARGUMENT. The width in
 * `options` is the width of the whole. A plot that is wider than that makes the result wider. */
CRD_API CRD_MUST_USE crd_status crd_plot_join(crd_context *context, const char *const *pictures, size_t count,
                                              const crd_plot_options *options, char **svg, crd_error *error);

/* ---- Layouts: positions of a graph's nodes, for any kind of picture ----
 *
 * Nodes are in layers, and arcs point down (Sugiyama, Tagawa and Toda 1981). Layers are found by longest paths, the
 * order within layers by barycenters, and positions by least squares. Units are the caller's: characters or pixels. */
/* The space that a node needs to the left and to the right of its middle. */
typedef struct crd_plot_extent {
    size_t left, right;
} crd_plot_extent;

/* Options of a layout. Initialize it with CRD_PLOT_LAYOUT_OPTIONS_INIT. */
typedef struct crd_plot_layout_options {
    size_t size;
    size_t node_gap; /* minimum gap between two nodes of a layer */
    size_t line_gap; /* minimum gap between a line that passes through a layer and a node or another such line */
    size_t width;    /* maximum width of a layer; 0: unlimited */
    /* in layers wider than this, nodes without children are moved to lower layers; 0: they are not moved */
    size_t layer_width;
} crd_plot_layout_options;

#define CRD_PLOT_LAYOUT_OPTIONS_INIT                                                                                   \
    { sizeof(crd_plot_layout_options), 3, 2, 0, 0 }

/* A node, or a point where a line passes through a layer. The arcs that leave a node share one such point in each
 * layer; they separate in the layer of a child. */
typedef struct crd_plot_point {
    size_t node; /* index of the node, or of the node whose arcs pass */
    int is_passing;
    size_t layer; /* 0 is the top layer */
    size_t at;    /* horizontal position of its middle, from the left */
} crd_plot_point;

/* A line from a point to a point of the next layer. */
typedef struct crd_plot_link {
    size_t from, to;
    int is_undirected; /* nonzero: without an arrowhead at this end */
    size_t arc;        /* index of the arc that ends here; CRD_NONE: the line ends at a point where lines pass */
} crd_plot_link;

/* A layer of a layout. */
typedef struct crd_plot_layer {
    size_t *points; /* indices, from left to right */
    size_t count;
} crd_plot_layer;

/* A layout of a graph. Read-only. */
typedef struct crd_plot_layout {
    void *arena; /* for the library */
    crd_context *context;
    crd_plot_point *points; /* the nodes in their order, then points where lines pass through layers */
    size_t point_count;
    crd_plot_link *links; /* lines between points */
    size_t link_count;
    crd_plot_layer *layers;
    size_t layer_count;
    size_t point_room, link_room; /* for the library */
} crd_plot_layout;

/* Computes a layout in *out from the extents of the nodes and the arcs. Undirected edges point from the node that is
 * earlier in a topological order of the directed arcs. Destroy the layout with crd_plot_layout_destroy. Returns
 * CRD_ERROR_CYCLE if directed arcs form a cycle. Returns CRD_ERROR_LIMIT if a layer is wider than `options` allow, or
 * if lines pass through layers at more than a million points. */
CRD_API CRD_MUST_USE crd_status crd_plot_layout_create(crd_context *context, const crd_plot_extent *nodes,
                                                       size_t node_count, const crd_plot_arc *arcs, size_t arc_count,
                                                       const crd_plot_layout_options *options, crd_plot_layout **out,
                                                       crd_error *error);
/* Frees the layout. `layout` may be NULL. */
CRD_API void crd_plot_layout_destroy(crd_plot_layout *layout);

#ifdef __cplusplus
}
#endif
#endif
