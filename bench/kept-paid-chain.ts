import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  const dataDir =
    keep === undefined
      ? mkdtempSync(join(tmpdir(), 'paid-chain-'))
      : join(keep, `chain-${payments}-payments-${addresses}-addresses`);
  const remove = (): void => {
    if (keep === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  const whole = join(dataDir, 'whole');
  if (existsSync(whole)) return { dataDir, remove };
  try {
    rmSync(dataDir, { recursive: true, force: true });
    mkdirSync(dataDir, { recursive: true });
    const started = performance.now();
    await makePaidChain(dataDir, PAYEE, payments, addresses);
    const seconds = (performance.now() - started) / 1000;
    process.stderr.write(`chain of ${payments / PAYMENTS_A_BLOCK} blocks made in ${seconds.toFixed(0)} s\n`);
    writeFileSync(whole, '');
    return { dataDir, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
