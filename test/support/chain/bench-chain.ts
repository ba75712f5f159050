import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Wallet of the bench chain. */
export interface BenchWallet {
  readonly name: string;
  readonly address: string;
  readonly seed: string;
}

/** Metadata of the chain. */
export interface BenchMeta {
  readonly wallets: readonly BenchWallet[];
  /** Number of blocks. */
  readonly height: number;
  /** Atomic units. */
  readonly merchant_balance: number;
}

/** Path of the archive: `BENCH_CHAIN`, or a file beside the project. */
export const BENCH_ARCHIVE =
  process.env['BENCH_CHAIN'] ??
  fileURLToPath(new URL('../../../../../shared/bench/chain-3000.tar.zst', import.meta.url));

export const hasBenchChain = existsSync(BENCH_ARCHIVE);

/** A copy of a regtest chain of 4,483 blocks and 3,000 transactions, with its wallets' seeds. */
export interface BenchChain {
  readonly dataDir: string;
  readonly meta: BenchMeta;
  wallet(name: string): BenchWallet;
  remove(): void;
}

/**
 * Unpacks the bench chain into a directory of its own.
 * @throws Error when the archive or one of its files is missing.
 */
export function unpackBenchChain(): BenchChain {
  if (!hasBenchChain) throw new Error('the bench chain is missing: name its archive in BENCH_CHAIN');
  const directory = mkdtempSync(join(tmpdir(), 'bench-chain-'));
  execFileSync('tar', ['--zstd', '-xf', BENCH_ARCHIVE, '-C', directory]);
  const meta = JSON.parse(readFileSync(join(directory, 'meta.json'), 'utf8')) as BenchMeta;
  return {
    dataDir: join(directory, 'chain'),
    meta,
    wallet(name) {
      const found = meta.wallets.find((wallet) => wallet.name === name);
      if (found === undefined) throw new Error(`the bench chain has no wallet ${name}`);
      return found;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
