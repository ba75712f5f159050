import type { Hash, KeyImage } from '../../monero/crypto/types.js';
import type { PoolFinding } from '../scan/wallet-scanner.js';

/** Findings in unmined transactions whose spends are proven. */
export interface ProvenSpends {
  readonly proven: readonly PoolFinding[];
  /** Hashes of the transactions that the daemon does not have any more. */
  readonly gone: readonly Hash[];
}

/**
 * Proves the spends of unmined transactions that the wallet has not made.
 * @param isOwn true for a payment of the wallet. @param prove proves the spends of a transaction: `Daemon.proveSpends`.
 * @throws the errors of `prove`.
 */
export async function provenSpends(
  findings: readonly PoolFinding[],
  isOwn: (txHash: Hash) => boolean,
  prove: (txHash: Hash, keyImages: readonly KeyImage[]) => Promise<boolean>,
): Promise<ProvenSpends> {
  const proven: PoolFinding[] = [];
  const gone: Hash[] = [];
  for (const finding of findings) {
    const { txHash, keyImages } = finding.outgoing ?? {};
    if (txHash === undefined || keyImages === undefined || isOwn(txHash) || (await prove(txHash, keyImages)))
      proven.push(finding);
    else gone.push(txHash);
  }
  return { proven, gone };
}
