import { DEFAULT_LOOKAHEAD as USUAL } from '../../../src/monero/wallet/scan/default-lookahead.js';
import type { Lookahead } from '../../../src/monero/wallet/scan/subaddress-table.js';

/**
 * Takes the place of `wallet/scan/default-lookahead` in servers under test: new wallets watch 100 subaddresses rather than
 * 10,000, as those of the reference do (`reference-preload.c`), unless the environment asks for the usual number.
 */
export const DEFAULT_LOOKAHEAD: Lookahead =
  process.env['DEFAULT_LOOKAHEAD'] === undefined ? { major: 5, minor: 20 } : USUAL;
