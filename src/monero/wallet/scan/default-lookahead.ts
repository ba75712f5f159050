/**
 * Default numbers of accounts and addresses that are recognised after the last used account or address. Source:
 * wallet2.h `SUBADDRESS_LOOKAHEAD_MAJOR`, `SUBADDRESS_LOOKAHEAD_MINOR`. The value has a file of its own, which the
 * bundle of servers under test replaces by a shorter lookahead (`bin/bundle.js`).
 */
export const DEFAULT_LOOKAHEAD = { major: 50, minor: 200 } as const;
