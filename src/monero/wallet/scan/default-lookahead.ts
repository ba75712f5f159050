/**
 * Default number of accounts and addresses that are recognised after the last used one. Source: wallet2.h
 * `SUBADDRESS_LOOKAHEAD_MAJOR`, `SUBADDRESS_LOOKAHEAD_MINOR`. In a file of its own, since the bundle of servers under test
 * has a shorter one in its place (`bin/bundle.js`).
 */
export const DEFAULT_LOOKAHEAD = { major: 50, minor: 200 } as const;
