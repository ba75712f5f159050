import { keccak } from '../src/monero/crypto/keccak.js';
import type { Hash, KeyImage, PublicKey } from '../src/monero/crypto/types.js';
import { accountKeysOf, spendSecretFromSeed } from '../src/monero/cryptonote/account-keys.js';
import { decodeMnemonic } from '../src/monero/cryptonote/mnemonic.js';
import { storeKey } from '../src/store/file/store-cipher.js';
import { WalletStore } from '../src/store/wallet-store.js';
import { amount } from '../src/util/amount.js';
import { utf8 } from '../src/util/bytes.js';
import type {
  FoundOutgoing,
  FoundSpend,
  OwnedOutput,
  ReceivedTx,
} from '../src/monero/wallet/scan/findings.js';
import { PAYEE_SEED } from './paid-chain.js';

export const PAYMENTS_A_BLOCK = 10;
const OUTPUTS_A_PAYMENT = 2;
/** Blocks per page, as in a refresh. */
const PAGE_BLOCKS = 100;
/** Age at which the outputs of a block are spent by one transaction [blocks]. One block in ten is not spent. */
const SPENT_AFTER = 20;

/** Bytes that a name determines. */
const named = <T>(kind: string, n: number): T => keccak(utf8(`${kind} ${n}`)) as Uint8Array as T;

export const paymentHash = (n: number): Hash => named('payment', n);
const heightOf = (payment: number): number => Math.floor(payment / PAYMENTS_A_BLOCK);

/** The transaction of a payment, and its outputs. */
function paymentOf(n: number, addresses: number): { tx: ReceivedTx; outputs: OwnedOutput[] } {
  const txHash = paymentHash(n);
  const height = heightOf(n);
  const subaddress = { major: 0, minor: n % addresses };
  const outputs = Array.from({ length: OUTPUTS_A_PAYMENT }, (_, outputIndex): OwnedOutput => {
    const globalIndex = OUTPUTS_A_PAYMENT * n + outputIndex;
    return {
      ...{ txHash, outputIndex, globalIndex, subaddress, height },
      publicKey: named<PublicKey>('key', globalIndex),
      keyImage: named<KeyImage>('image', globalIndex),
      derivationKey: txHash as Uint8Array as PublicKey,
      ...{ amount: amount(1_000_000n + BigInt(n)), mask: 5n, rct: true, unlockTime: 0n },
      ...{ coinbase: false, change: false, burnt: false, frozen: false },
    };
  });
  const tx = {
    ...{ txHash, height, timestamp: 1_700_000_000 + 120 * height, unlockTime: 0n, fee: amount(30_000n) },
    ...{
      coinbase: false,
      txPublicKey: txHash as Uint8Array as PublicKey,
      additionalPublicKeys: [],
      size: 2000,
    },
  };
  return { tx, outputs };
}

/** Spends of all outputs of a block by one transaction. */
function spendingOf(
  spent: number,
  height: number,
  addresses: number,
): { spends: FoundSpend[]; outgoing: FoundOutgoing } {
  const txHash = named<Hash>('spending', height);
  const outputs = Array.from({ length: PAYMENTS_A_BLOCK }, (_, i) =>
    paymentOf(PAYMENTS_A_BLOCK * spent + i, addresses),
  ).flatMap((payment) => payment.outputs);
  const total = outputs.reduce((sum, output) => sum + output.amount, 0n);
  return {
    spends: outputs.flatMap(({ keyImage }) => (keyImage === undefined ? [] : [{ keyImage, txHash, height }])),
    outgoing: {
      ...{ txHash, height, timestamp: 1_700_000_000 + 120 * height, account: 0, unlockTime: 0n },
      fromIndices: [...new Set(outputs.map(({ subaddress }) => subaddress.minor))].sort((a, b) => a - b),
      ...{ amountIn: amount(total), change: amount(0n), fee: amount(30_000n) },
    },
  };
}

/** Writes payments to the store of a closed wallet of {@link PAYEE_SEED}, to its first addresses in turn. */
export async function fillStore(path: string, payments: number, addresses: number): Promise<void> {
  const spendSecret = spendSecretFromSeed(decodeMnemonic(PAYEE_SEED).seed);
  const { viewSecret } = accountKeysOf(spendSecret);
  const store = WalletStore.open(path, storeKey(viewSecret, spendSecret));
  const blocks = payments / PAYMENTS_A_BLOCK;
  for (let start = 0; start < blocks; start += PAGE_BLOCKS) {
    const heights = Array.from({ length: Math.min(PAGE_BLOCKS, blocks - start) }, (_, i) => start + i);
    const paid = heights.flatMap((height) =>
      Array.from({ length: PAYMENTS_A_BLOCK }, (_, i) => paymentOf(PAYMENTS_A_BLOCK * height + i, addresses)),
    );
    const spent = heights
      .filter((height) => height >= SPENT_AFTER && (height - SPENT_AFTER) % 10 !== 0)
      .map((height) => spendingOf(height - SPENT_AFTER, height, addresses));
    store.addPage({
      startHeight: start,
      hashes: heights.map((height) => named<Hash>('block', height)),
      received: paid.map(({ tx }) => tx),
      outputs: paid.flatMap(({ outputs }) => outputs),
      spends: spent.flatMap(({ spends }) => spends),
      outgoing: spent.map(({ outgoing }) => outgoing),
      subaddresses: [],
      lastBlockReward: amount(600_000_000_000n),
    });
    if ((start / PAGE_BLOCKS) % 20 === 0) await store.checkpoint();
  }
  await store.checkpoint();
  store.close();
}
