import { amount } from '../util/amount.js';
import type { CachedBalance, CachedBalances } from '../monero/wallet/reference-cache/imported-wallet.js';

/** An address with its balances, as JSON; amounts are decimal texts. */
type Row = readonly [
  major: number,
  minor: number,
  total: string,
  locked: string,
  unconfirmed: string,
  unspentCount: number,
  blocksToUnlock: number,
];

interface Stored {
  readonly height: number;
  readonly all: readonly Row[];
  readonly strict: readonly Row[];
}

const toRow = ({ subaddress, total, locked, unconfirmed, ...rest }: CachedBalance): Row => [
  ...([subaddress.major, subaddress.minor, `${total}`, `${locked}`, `${unconfirmed}`] as const),
  ...([rest.unspentCount, rest.blocksToUnlock] as const),
];

const fromRow = ([major, minor, total, locked, unconfirmed, unspentCount, wait]: Row): CachedBalance => ({
  ...{ subaddress: { major, minor }, total: amount(BigInt(total)), locked: amount(BigInt(locked)) },
  ...{ unconfirmed: amount(BigInt(unconfirmed)), unspentCount, blocksToUnlock: wait },
});

/** Writes the value of the meta key `imported_balances`. */
export const writeCachedBalances = ({ height, all, strict }: CachedBalances): string =>
  JSON.stringify({ height, all: all.map(toRow), strict: strict.map(toRow) } satisfies Stored);

/** Reads the value of the meta key `imported_balances`. */
export function readCachedBalances(text: string): CachedBalances {
  const { height, all, strict } = JSON.parse(text) as Stored;
  return { height, all: all.map(fromRow), strict: strict.map(fromRow) };
}
