# SPDX-License-Identifier: MIT
# structure_peers.R TABLE.csv ACTION [ARGUMENT...] - bnlearn on a table of categories; prints a line of JSON.
#
#   hc                          hill climbing on BIC: seconds of the processor, arcs
#   pc                          PC-stable with G-squared at 0.05: seconds
#   bootstrap N                 strength of arcs by hill climbing in N samples of the rows: seconds
#   score FILE...               BIC of the DAGs whose arcs are in these files, "from to" a line
suppressMessages(library(bnlearn))
given <- commandArgs(trailingOnly = TRUE)
rows <- read.csv(given[1], colClasses = "factor", check.names = FALSE)
# bnlearn refuses columns of one value, which add nothing to any score.
rows <- rows[sapply(rows, nlevels) > 1]
# Reading and starting are no part of it.
timed <- function(action) {
  spent <- system.time(result <- action())
  list(seconds = sum(spent[c("user.self", "sys.self")]), result = result)
}
pairs <- function(arcs) paste0("[", paste(sprintf("[\"%s\", \"%s\"]", arcs[, 1], arcs[, 2]), collapse = ", "), "]")
switch(given[2],
  hc = {
    found <- timed(function() hc(rows, score = "bic"))
    cat(sprintf("{\"seconds\": %.6f, \"arcs\": %s}\n", found$seconds, pairs(arcs(found$result))))
  },
  pc = {
    found <- timed(function() pc.stable(rows, test = "mi", alpha = 0.05))
    cat(sprintf("{\"seconds\": %.6f, \"arcs\": %s}\n", found$seconds, pairs(arcs(found$result))))
  },
  bootstrap = {
    set.seed(1)
    found <- timed(function() boot.strength(rows, R = as.integer(given[3]), algorithm = "hc", algorithm.args = list(score = "bic")))
    cat(sprintf("{\"seconds\": %.6f}\n", found$seconds))
  },
  score = {
    scores <- sapply(given[-(1:2)], function(file) {
      net <- empty.graph(names(rows))
      found <- if (file.info(file)$size > 0) as.matrix(read.table(file, colClasses = "character", col.names = c("from", "to")))
      found <- found[found[, 1] %in% names(rows) & found[, 2] %in% names(rows), , drop = FALSE]
      if (length(found) > 0) arcs(net) <- found
      score(net, rows, type = "bic")
    })
    cat(sprintf("{\"scores\": [%s]}\n", paste(sprintf("%.9f", scores), collapse = ", ")))
  },
  version = cat(sprintf("{\"version\": \"%s\"}\n", packageVersion("bnlearn"))))
