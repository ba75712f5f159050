import {
  SpendableOutputs,
  type SpendableOutput,
  type SpendableOutputSource,
  type SpendableTerms,
} from '../../../src/monero/wallet/select/spendable-outputs.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';

const byAge = (a: SpendableOutput, b: SpendableOutput): number =>
  a.height - b.height ||
  a.globalIndex - b.globalIndex ||
  Buffer.compare(a.txHash, b.txHash) ||
  a.outputIndex - b.outputIndex;

const bySize = (a: SpendableOutput, b: SpendableOutput): number =>
  a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : byAge(a, b);

/** Plain twin of the store's indexed queries for spendable outputs. @param outputs of one account. */
export function listCoins(outputs: readonly OwnedOutput[]): SpendableOutputSource<OwnedOutput> {
  const free = outputs
    .filter(({ spentBy, frozen, burnt }) => spentBy === undefined && !frozen && !burnt)
    .sort(byAge);
  const minors = [...new Set(free.map(({ subaddress }) => subaddress.minor))].sort((a, b) => a - b);
  const at = (minor: number, least = 0n): OwnedOutput[] =>
    free.filter((output) => output.subaddress.minor === minor && output.amount >= least);
  const total = (own: readonly OwnedOutput[]): bigint => own.reduce((sum, { amount }) => sum + amount, 0n);
  return {
    sums: () => minors.map((minor) => ({ minor, count: at(minor).length, total: total(at(minor)) })),
    exceptions: () => free,
    byAge: (least) => free.filter(({ amount }) => amount >= least),
    bySize: (minor, least) => at(minor, least).sort(bySize),
    bySizeDown: (minor, least, most) => at(minor, least).sort(bySize).reverse().slice(0, most),
    largest: (minor) => at(minor).reduce((most, { amount }) => (amount > most ? amount : most), 0n),
    at,
    each: at,
    nth: (minor, place) => at(minor).sort(bySize)[place],
  };
}

/** Terms on which every output of {@link listCoins} is unlocked. */
export const ANY_TIME: SpendableTerms = { chainHeight: 1e9, now: 1e9, blind: true };

/** Makes the spendable outputs of an account whose outputs are all unlocked. @param outputs of one account. */
export const purseOf = (
  outputs: readonly OwnedOutput[],
  terms: Partial<SpendableTerms> = {},
): SpendableOutputs<OwnedOutput> => new SpendableOutputs(listCoins(outputs), { ...ANY_TIME, ...terms });
