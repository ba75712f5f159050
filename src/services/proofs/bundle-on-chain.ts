import { SPENT_IN_CHAIN, UNSPENT, type Daemon } from '../../daemon/daemon.js';
import type { ReserveBundle } from '../../monero/wallet/proofs/reserve-bundle.js';
import { equalBytes, toHex } from '../../util/bytes.js';

/** Calls to a daemon that the check of a bundle needs. */
export type BundleSource = Pick<Daemon, 'getInfo' | 'getBlockHeader' | 'getTransactions' | 'isKeyImageSpent'>;

/** State of a bundle in the chain of a daemon. */
export interface BundleOnChain {
  /** Number of blocks of the chain. */
  readonly blocks: number;
  /** Facts of the bundle that the chain contradicts, one sentence each; empty if it contradicts none. */
  readonly problems: readonly string[];
  /** Number and sum of outputs whose key image a block spends now; when it was spent is not known. */
  readonly spent: OutputCount;
  /** The same of outputs that a transaction in the mempool spends. */
  readonly spentInPool: OutputCount;
}

/** Number of outputs and their sum [atomic units]. */
export interface OutputCount {
  readonly outputs: number;
  readonly amount: bigint;
}

/** Name that a daemon has for the network of an address; regtest has the addresses of the main network. */
const namesOf = (network: string): readonly string[] =>
  network === 'mainnet' ? [network, 'fakechain'] : [network];

const countOf = (amounts: readonly bigint[]): OutputCount => ({
  outputs: amounts.length,
  amount: amounts.reduce((sum, one) => sum + one, 0n),
});

/** Finds the transactions of a bundle that are not in the block that the bundle names. */
async function misplaced(source: BundleSource, { transactions }: ReserveBundle): Promise<string[]> {
  const hashes = transactions.map(({ hash }) => hash);
  const { transactions: found } = await source.getTransactions(hashes, { prune: true });
  const heights = new Map(
    found.map(({ hash, inPool, blockHeight }) => [toHex(hash), inPool ? undefined : blockHeight]),
  );
  return transactions.flatMap(({ hash, height }) => {
    const name = toHex(hash);
    const at = heights.get(name);
    if (at === height) return [];
    return at === undefined
      ? [`transaction ${name} is in no block`]
      : [`transaction ${name} is in block ${at}, and not in block ${height}`];
  });
}

/**
 * Compares a bundle with the chain of a daemon, whose word is believed: whether its block and its transactions are in the chain,
 * and which of its outputs are spent now. Call `checkBundle` before. @throws DaemonError
 */
export async function bundleOnChain(source: BundleSource, bundle: ReserveBundle): Promise<BundleOnChain> {
  const { height: blocks, network } = await source.getInfo();
  const nothing = { blocks, spent: countOf([]), spentInPool: countOf([]) };
  const names = namesOf(bundle.address.network);
  if (!names.includes(network))
    return { ...nothing, problems: [`the daemon is of ${network}, and the bundle of ${names[0]}`] };
  if (blocks <= bundle.height)
    return { ...nothing, problems: [`the daemon has ${blocks} blocks, and lacks block ${bundle.height}`] };
  const { hash } = await source.getBlockHeader(bundle.height);
  const problems = equalBytes(hash, bundle.blockHash)
    ? []
    : [`block ${bundle.height} of the chain is ${toHex(hash)}, and not ${toHex(bundle.blockHash)}`];
  problems.push(...(await misplaced(source, bundle)));
  const outputs = bundle.accounts.flatMap((one) => one.outputs);
  const states = await source.isKeyImageSpent(outputs.map(({ keyImage }) => keyImage));
  const amountsOf = (wanted: (state: number) => boolean): bigint[] =>
    outputs.flatMap(({ amount }, i) => (wanted(states[i] ?? UNSPENT) ? [amount] : []));
  return {
    ...{ blocks, problems },
    spent: countOf(amountsOf((state) => state === SPENT_IN_CHAIN)),
    spentInPool: countOf(amountsOf((state) => state !== SPENT_IN_CHAIN && state !== UNSPENT)),
  };
}
