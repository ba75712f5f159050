import { keptDirectory } from './kept-directory.js';
import { makePaidChain, PAYEE, PAYMENTS_A_BLOCK } from './paid-chain.js';

/** Payments of a chain, and the place where it is kept. */
export interface PaidChainSetting {
  readonly payments: number;
  /** Number of addresses that receive payments. */
  readonly addresses: number;
  /** Directory that keeps chains for later runs; absent: a new chain is made and removed. */
  readonly keep?: string | undefined;
}

/** Makes a directory with a paid chain, or finds it. */
export async function keptPaidChain({
  payments,
  addresses,
  keep,
}: PaidChainSetting): Promise<{ readonly dataDir: string; remove(): void }> {
  const name = `chain-${payments}-payments-${addresses}-addresses`;
  const { directory, remove } = await keptDirectory(keep, name, async (dataDir) => {
    const started = performance.now();
    await makePaidChain(dataDir, PAYEE, payments, addresses);
    const seconds = (performance.now() - started) / 1000;
    process.stderr.write(`chain of ${payments / PAYMENTS_A_BLOCK} blocks made in ${seconds.toFixed(0)} s\n`);
  });
  return { dataDir: directory, remove };
}
