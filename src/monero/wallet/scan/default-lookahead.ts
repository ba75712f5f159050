/**
 * Default number of accounts and addresses that are recognised after the last used one. Source: wallet2.h
 * `SUBADDRESS_LOOKAHEAD_MAJOR`, `SUBADDRESS_LOOKAHEAD_MINOR`.
 */
export const DEFAULT_LOOKAHEAD = { major: 50, minor: 200 } as const;
