import { keptDirectory } from './kept-directory.js';
import { makePaidChain, PAYEE, PAYMENTS_A_BLOCK } from './paid-chain.js';
import { makeShopChain, makeStrangersChain } from './shop-chain.js';

/**
 * Source of payments: `rewards` are parts of mining rewards, which are locked for 60 blocks; `transactions` have a
 * transaction each, without unlock time.
 */
export type PaymentKind = 'rewards' | 'transactions';

/** Payments of a chain, and the place where it is kept. */
export interface PaidChainSetting {
  readonly payments: number;
  /** Number of addresses that receive payments. */
  readonly addresses: number;
  /** Source of the payments; absent: `rewards`. */
  readonly kind?: PaymentKind;
  /** Directory that keeps chains for later runs; absent: a new chain is made and removed. */
  readonly keep?: string | undefined;
}

/** Makes a directory with a paid chain, or finds it. */
export async function keptPaidChain({
  payments,
  addresses,
  kind = 'rewards',
  keep,
}: PaidChainSetting): Promise<{ readonly dataDir: string; remove(): void }> {
  const of = kind === 'rewards' ? '' : `-${kind}`;
  const name = `chain-${payments}-payments-${addresses}-addresses${of}`;
  const { directory, remove } = await keptDirectory(keep, name, async (dataDir) => {
    const started = performance.now();
    if (kind === 'rewards') await makePaidChain(dataDir, PAYEE, payments, addresses);
    else makeShopChain(dataDir, PAYEE, payments, addresses);
    const seconds = (performance.now() - started) / 1000;
    process.stderr.write(`chain of ${payments / PAYMENTS_A_BLOCK} blocks made in ${seconds.toFixed(0)} s\n`);
  });
  return { dataDir: directory, remove };
}

/** A chain of transactions that pay no wallet of the bench. */
export interface StrangersChainSetting {
  readonly transactions: number;
  /** Number of outputs of each transaction, which has a key for each. */
  readonly outputs: number;
  readonly keep?: string | undefined;
}

/** Makes a directory with a chain without own payments, or finds it. */
export async function keptStrangersChain({
  transactions,
  outputs,
  keep,
}: StrangersChainSetting): Promise<{ readonly dataDir: string; remove(): void }> {
  const name = `chain-${transactions}-transactions-${outputs}-keys`;
  const { directory, remove } = await keptDirectory(keep, name, (dataDir) => {
    makeStrangersChain(dataDir, transactions, outputs);
    return Promise.resolve();
  });
  return { dataDir: directory, remove };
}
