import { systemClock, unixSeconds } from '../../util/clock.js';
import type { ScanKernel } from '../../monero/kernel/kernel.js';
import type { TxFindings } from '../../monero/wallet/model/records.js';
import { outlineLoose, outlineUnmined, type LooseBlock } from './chain-block.js';
import type { BatchScanner } from './match-group.js';
import type { ScannerState } from './scanner-state.js';
import { WalletScanner, type PoolFinding, type UnminedTx } from './wallet-scanner.js';

/** Transactions to be scanned outside of a refresh, mined and unmined ones. */
export interface TxBatch {
  /** Mined transactions by block, by ascending height; each height occurs once. */
  readonly mined: readonly LooseBlock[];
  readonly unmined: readonly UnminedTx[];
}

/** Receipts and spends of a wallet in a {@link TxBatch}. */
export interface BatchFindings {
  readonly mined: TxFindings;
  readonly unmined: readonly PoolFinding[];
}

/** Scans single transactions with a scanner made for this call. @throws DaemonError `malformed` */
export async function scanTransactions(
  state: ScannerState,
  batch: TxBatch,
  kernels: {
    readonly pool: BatchScanner;
    readonly own: ScanKernel;
  },
): Promise<BatchFindings> {
  const scanner = new WalletScanner(state, kernels.own);
  try {
    const loose = outlineLoose(batch.mined);
    const mined = await scanner.find(loose, scanner.matchesIn(loose.txs, kernels.pool));
    const unmined = { sent: batch.unmined, txs: outlineUnmined(batch.unmined) };
    const seenAt = unixSeconds(systemClock);
    return {
      mined,
      unmined: await scanner.scanPool(unmined, scanner.matchesIn(unmined.txs, kernels.pool), seenAt),
    };
  } finally {
    scanner.wipe();
  }
}
