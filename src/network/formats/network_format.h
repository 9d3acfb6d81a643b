/* SPDX-License-Identifier: MIT */
/* network_format.h - the network file formats. Each has its own file and one line in the table of network_format.c. */
#ifndef CRD_NETWORK_FORMATS_NETWORK_FORMAT_H
#define CRD_NETWORK_FORMATS_NETWORK_FORMAT_H

#include "base/buffer.h"
#include "input/source.h"
#include "network/network_internal.h"

typedef struct crd_i_network_format {
    crd_network_format format;
    /* Returns whether the first bytes, at most CRD_I_NETWORK_PEEK, have this format. NULL if the format cannot be
     * read. */
    bool (*recognize)(crd_text beginning);
    crd_status (*read)(crd_context *context, crd_text bytes, const char *place, crd_network **out, crd_error *error);
    /* Appends the network. Returns CRD_ERROR_SYNTAX if the format cannot represent it. */
    crd_status (*write)(const crd_network *network, crd_i_buffer *out, crd_error *error);
    bool writes_gaussian; /* the format can represent continuous nodes */
} crd_i_network_format;

enum { CRD_I_NETWORK_PEEK = 1 << 16 };

/* Sets *is_network to whether the bytes of a source, which may be compressed, begin like a network file. Damaged bytes
 * do not. Closes the source. */
crd_status crd_i_network_detect(crd_i_source *inner, bool *is_network, crd_error *error);

/* ======== BIF ========
 *
 * The Bayesian network interchange format (BIF 0.15):
 *
 *   network NAME { property TEXT; }
 *   variable NAME { type discrete [ N ] { STATE, STATE, ... }; property TEXT; }
 *   probability ( NAME | PARENT, PARENT, ... ) {
 *     (STATE, STATE, ...) NUMBER, NUMBER, ...;     a row: one state of each parent, then the node's probabilities
 *     default NUMBER, ...;                         for every row that is not given
 *     table NUMBER, ...;                           the whole table: the node's states vary slowest, and the states
 *                                                  of the last parent fastest
 *   }
 *
 * Blocks come in any order. Commas and bars count as whitespace, because older writers omit them. A word is a sequence
 * of bytes other than whitespace and ( ) { } [ ] , ; | " so states may contain + . / < = >. In double quotes a word may
 * contain anything. Comments run from // to the end of the line, or between slash-star and star-slash. Properties are
 * skipped, whatever they contain, up to a semicolon outside quotes.
 *
 * The format has neither decisions nor utilities. Credence marks them by a property. Other programs can still read the
 * file; to them, a decision is a chance node with equal probabilities:
 *
 *   variable D { type discrete [ 2 ] { act, wait }; property credence decision; }
 *   probability ( D | A ) { default 0.5, 0.5; }          its parents; the numbers have no meaning
 *   variable U { type discrete [ 1 ] { utility }; property credence utility; }
 *   probability ( U | D ) { (act) -3; (wait) 20; }       one utility per row
 *
 * Both words of the property may be in one pair of quotes, which some readers of the format do not accept.
 *
 * Names that are not words, as bnlearn writes them, are accepted if commas separate them (bif.c). */

/* The property CRD_I_BIF_OWN, followed by one of these words, marks a decision or a utility. */
#define CRD_I_BIF_OWN "credence"
#define CRD_I_BIF_DECISION "decision"
#define CRD_I_BIF_UTILITY "utility"
/* Properties with the original name, or the original states, if the file has identifiers instead. */
#define CRD_I_BIF_NAME "credence_name"
#define CRD_I_BIF_STATES "credence_states"

/* Returns whether the text begins like a BIF file: after comments, a keyword, a name or list, and the content of its
 * block. */
bool crd_i_bif_recognize(crd_text beginning);

/* Reads a network. Errors contain the line, the column as `field`, and `place`. */
CRD_MUST_USE crd_status crd_i_bif_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                       crd_error *error);

/* Appends the network. Reading it back restores every name and number exactly. Names that are not identifiers are
 * written as identifiers, because other readers need them, with the original name in a property. */
CRD_MUST_USE crd_status crd_i_bif_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

/* ======== DNE ========
 *
 * The format of Netica (DNET-1):
 *
 *   // ~->[DNET-1]->~
 *   bnet NAME {
 *     node NODE {
 *       kind = NATURE;                         or DECISION, UTILITY
 *       discrete = TRUE;
 *       states = (STATE, STATE, ...);
 *       parents = (NODE, ...);
 *       probs = ((NUMBER, ...), ...);          the node's states vary fastest, then the states of the last parent
 *       title = "any text";
 *     };
 *   };
 *
 * Instead of probs, functable may contain for each row the state of a deterministic node, by name or as #NUMBER, or the
 * number of a utility. States without names are called by their levels (values of a discrete node, interval limits of a
 * continuous node), or are numbered up to numstates. Nodes come in any order, so a file is read twice: for the nodes,
 * and for arcs and tables. A table that is given only by an equation is an error.
 *
 * Netica accepts identifiers of up to 30 bytes as names. Other names are written as identifiers, and as titles,
 * which are ignored when reading. */

/* Returns whether the first word outside comments is bnet, followed by the beginning of its block. */
bool crd_i_dne_recognize(crd_text beginning);
/* Reads a network. Errors contain the line, the column as `field`, and `place`. */
CRD_MUST_USE crd_status crd_i_dne_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                       crd_error *error);
/* Appends the network. Reading it back restores every number exactly. */
CRD_MUST_USE crd_status crd_i_dne_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

/* ======== DOT ========
 *
 * Drawings for Graphviz. Chance nodes are ellipses, decisions boxes, utilities diamonds. */

/* Writes the drawing. Returns CRD_ERROR_SYNTAX for a name that contains a NUL character. */
CRD_MUST_USE crd_status crd_i_dot_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

/* ======== NET ========
 *
 * Hugin's NET language:
 *
 *   net { name = "..."; }
 *   node A { states = ("yes" "no"); label = "..."; }           also discrete node, decision; utility, without states
 *   potential ( A | B C ) { data = (((0.1 0.9) ...) ...); }    rows of A's states; the last parent varies fastest
 *   continuous node X { label = "..."; }                       normal, and linear in its continuous parents:
 *   potential ( X | A Y ) { data = (normal (1 + 0.5 * Y, 2) ...); }   see hugin_net.c
 *
 * A class { ... } around everything is accepted. Comments run from % to the end of the line. Fields that are not listed
 * here are skipped, and so are the data of decisions. The nesting of brackets in data has no meaning, only the order of
 * the numbers. In quotes, \n and \r are line breaks, and a backslash before any other byte means that byte.
 *
 * Data are weights in NET: a row that does not sum to 1 is divided by its sum.
 *
 * Node names are identifiers in NET. A name that is not an identifier is written as an unused identifier. The original
 * name is written as label, for people, and as CREDENCE_name, which is read back. A label in files of other programs is
 * a remark, not a name, because it need not be unique.
 *
 * Returns CRD_ERROR_SYNTAX for function nodes, instances of other classes, tables of several nodes jointly, and
 * tables that are given only by a formula (model_data). Returns CRD_ERROR_EMPTY for a potential without data. */

#define CRD_I_NET_NAME "CREDENCE_name"

/* Returns whether the first word outside comments opens a NET block. */
bool crd_i_net_recognize(crd_text beginning);
CRD_MUST_USE crd_status crd_i_net_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                       crd_error *error);
/* Writes a network. Returns CRD_ERROR_SYNTAX for a name that contains a NUL character. */
CRD_MUST_USE crd_status crd_i_net_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

/* ======== UAI ========
 *
 * The format of the UAI competitions:
 *
 *   BAYES                 node count, state count of each node, then as many tables as nodes
 *   N  K K ...  N
 *   n  NODE ... NODE      for each table: number of nodes, the parents, and last the table's own node
 *   n  NUMBER ...         for each table: number of values, then the rows; the last parent varies fastest
 *
 * Tokens are separated by whitespace, and # starts a comment. There are no names: nodes are called 0, 1, 2, ..., and
 * so are the states of each node. The format cannot represent decisions and utilities. MARKOV files, whose tables
 * have no direction, are rejected. */

/* Returns whether the text starts with the network type and a number. */
bool crd_i_uai_recognize(crd_text beginning);
CRD_MUST_USE crd_status crd_i_uai_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                       crd_error *error);
/* Writes a network without its names. Returns CRD_ERROR_SYNTAX for decisions and utilities. */
CRD_MUST_USE crd_status crd_i_uai_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

/* ======== XDSL ========
 *
 * The format of GeNIe and SMILE:
 *
 *   <smile version="1.0" id="NAME">
 *     <nodes>
 *       <cpt id="NODE">                                    or deterministic, decision, utility
 *         <state id="STATE" /> ...
 *         <parents>NODE NODE ...</parents>
 *         <probabilities>NUMBER ...</probabilities>        the node's states vary fastest, then the last parent's
 *       </cpt>
 *     </nodes>
 *   </smile>
 *
 * A deterministic node has <resultingstates>STATE ... instead of probabilities, and a utility has <utilities>NUMBER ...
 * . Nodes come in any order, so a file is read twice: for the nodes, and for arcs and tables. The names under
 * <extensions>, which contain the layout on the screen, are skipped. Nodes without a table (noisymax, equations,
 * submodels and so on) are an error that names the node.
 *
 * SMILE accepts identifiers as names. Other names are written as identifiers, with the original names in user
 * properties:
 *
 *   <property id="credence_name">...</property> <property id="credence_states">...</property> */

#define CRD_I_XDSL_NAME "credence_name"
#define CRD_I_XDSL_STATES "credence_states"

/* Returns whether the first tag opens a SMILE network. */
bool crd_i_xdsl_recognize(crd_text beginning);
/* Reads a network. Errors contain the line, the column as `field`, and `place`. */
CRD_MUST_USE crd_status crd_i_xdsl_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                        crd_error *error);
/* Appends the network. Reading it back restores every name and number exactly. */
CRD_MUST_USE crd_status crd_i_xdsl_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

/* ======== XMLBIF ========
 *
 * XMLBIF 0.3:
 *
 *   <BIF VERSION="0.3"><NETWORK><NAME>...</NAME>
 *   <VARIABLE TYPE="nature"><NAME>A</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
 *   <DEFINITION><FOR>A</FOR><GIVEN>B</GIVEN><GIVEN>C</GIVEN><TABLE>0.1 0.9 ...</TABLE></DEFINITION>
 *   </NETWORK></BIF>
 *
 * TYPE is nature (or chance), decision or utility. Table rows have one number per state of FOR; the states of the last
 * GIVEN vary fastest. A utility has one number per row, and a decision's table is ignored. Tags are case-insensitive.
 * VALUE means OUTCOME and PROBABILITY means DEFINITION, as in older versions. Other elements are skipped. Whitespace
 * around names and numbers is layout.
 *
 * Names are written with references such as &#32; for spaces at their ends, tabs and line breaks, so every name is
 * read back unchanged. Names with other control characters or invalid UTF-8 cannot be written, because XML cannot
 * contain them. */

/* Returns whether the text begins like XML, or with the tag or document type of the format. */
bool crd_i_xmlbif_recognize(crd_text beginning);
CRD_MUST_USE crd_status crd_i_xmlbif_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                          crd_error *error);
/* Writes a network. Returns CRD_ERROR_SYNTAX for a name with a character that XML cannot contain. */
CRD_MUST_USE crd_status crd_i_xmlbif_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

#endif
