// SPDX-License-Identifier: MIT

/** A new network: two nodes and an arc. */
export const NEW_NETWORK = `network new {
}
variable A {
  type discrete [ 2 ] { yes, no };
}
variable B {
  type discrete [ 2 ] { yes, no };
}
probability ( A ) {
  table 0.5, 0.5;
}
probability ( B | A ) {
  (yes) 0.5, 0.5;
  (no) 0.5, 0.5;
}
`;
