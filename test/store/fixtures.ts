import type { Hash, KeyImage, PublicKey } from '../../src/monero/crypto/types.js';
import { amount } from '../../src/util/amount.js';
import type { OwnedOutput, PageFindings, ReceivedTx } from '../../src/monero/wallet/scan/findings.js';

/** 32 bytes of any role: equal ones for a number below 256, otherwise ones that begin with the number. */
export function bytes<T>(fill: number): T {
  const made = new Uint8Array(32).fill(fill);
  if (fill > 255) new DataView(made.buffer).setUint32(0, fill);
  return made as T;
}

/** A transaction that paid the wallet. */
export const received = (tx: number, height: number): ReceivedTx => ({
  txHash: bytes<Hash>(tx),
  height,
  timestamp: 1000 + height,
  unlockTime: 0n,
  fee: amount(10n),
  coinbase: false,
  txPublicKey: bytes<PublicKey>(tx),
  additionalPublicKeys: [],
});

/** The first output of such a transaction. */
export const output = (
  tx: number,
  height: number,
  value: bigint,
  more: Partial<OwnedOutput> = {},
): OwnedOutput => ({
  txHash: bytes<Hash>(tx),
  outputIndex: 0,
  globalIndex: tx,
  publicKey: bytes<PublicKey>(100 + tx),
  keyImage: bytes<KeyImage>(100 + tx),
  amount: amount(value),
  mask: 1n,
  rct: true,
  subaddress: { major: 0, minor: 0 },
  derivationKey: bytes<PublicKey>(tx),
  height,
  unlockTime: 0n,
  coinbase: false,
  change: false,
  burnt: false,
  frozen: false,
  ...more,
});

/** An output without a key image, as a wallet without the spend key finds it. */
export function unnamed(found: OwnedOutput): OwnedOutput {
  const { keyImage, ...rest } = found;
  return keyImage === undefined ? found : rest;
}

/** Consecutive blocks. */
export const page = (
  startHeight: number,
  blocks: number,
  more: Partial<PageFindings> = {},
): PageFindings => ({
  startHeight,
  hashes: Array.from({ length: blocks }, (_, i) => bytes<Hash>((startHeight + i) % 251)),
  received: [],
  outputs: [],
  spends: [],
  outgoing: [],
  subaddresses: [],
  lastBlockReward: amount(0n),
  ...more,
});
