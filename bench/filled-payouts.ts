import { keccak } from '../src/monero/crypto/keccak.js';
import type { KeyImage, PublicKey } from '../src/monero/crypto/types.js';
import { accountKeysOf, spendSecretFromSeed } from '../src/monero/cryptonote/account-keys.js';
import { decodeMnemonic } from '../src/monero/cryptonote/mnemonic.js';
import { storeKey } from '../src/store/file/store-cipher.js';
import { WalletStore } from '../src/store/wallet-store.js';
import type { WalletWriter } from '../src/store/wallet-writer.js';
import { amount } from '../src/util/amount.js';
import { unixSeconds, systemClock } from '../src/util/clock.js';
import { utf8 } from '../src/util/bytes.js';
import { PAYEE_SEED } from './paid-chain.js';
import { payeeAddress } from './payout-rates.js';

/** Payouts of each batch. */
const BATCH = 15;
/** Batches that one transaction adds. */
const BATCHES_AT_ONCE = 100;
/** Age of the first payout [s]. */
const AGE = 30 * 86_400;
/** Number of payees, who are paid in turn. */
const PAYEES = 1000;

/** Returns the id of a finished payout. */
export const finishedId = (n: number): string => `finished-${n}`;

/**
 * Adds confirmed payouts with their actions, events, batches and orders to the store of a closed wallet of
 * {@link PAYEE_SEED}. Each has the first and the last of its events; its transaction is named by the order alone.
 */
export function fillPayouts(path: string, payouts: number): void {
  const spendSecret = spendSecretFromSeed(decodeMnemonic(PAYEE_SEED).seed);
  const { viewSecret } = accountKeysOf(spendSecret);
  const store = WalletStore.open(path, storeKey(viewSecret, spendSecret));
  const addresses = Array.from({ length: Math.min(PAYEES, payouts) }, (_, i) =>
    payeeAddress(`finished ${i}`),
  );
  const created = unixSeconds(systemClock) - AGE;
  try {
    for (let start = 0; start < payouts; start += BATCH * BATCHES_AT_ONCE)
      store.write((w) => {
        const end = Math.min(payouts, start + BATCH * BATCHES_AT_ONCE);
        for (let first = start; first < end; first += BATCH) {
          const numbers = Array.from({ length: Math.min(BATCH, end - first) }, (_, i) => first + i);
          addBatch(w, numbers, { created, addresses });
        }
      });
  } finally {
    store.close();
  }
}

function addBatch(
  w: WalletWriter,
  numbers: readonly number[],
  { created, addresses }: { readonly created: number; readonly addresses: readonly string[] },
): void {
  const value = amount(10_000_000_000n);
  const share = amount(3_000_000n);
  const name = String(numbers[0]);
  const addressOf = (n: number): string => addresses[n % addresses.length] ?? '';
  const sequences = numbers.map((n) => {
    const sequence = w.payouts.add({
      ...{ payoutId: finishedId(n), account: 0, address: addressOf(n), amount: value },
      ...{ feePayer: 'wallet', priority: 0, allowOwn: false, reference: `order ${n}` },
      ...{ metadata: `{"customer":${n}}`, created, state: 'queued' },
    });
    w.payouts.act(sequence, 'created', { credential: undefined, address: '127.0.0.1' }, { time: created });
    w.events.payouts.begin(w.payouts.at(sequence));
    w.events.payouts.move(w.payouts.at(sequence), 'confirmed');
    return sequence;
  });
  const batch = w.orders.add({
    ...{ key: `payouts-${name}`, method: 'payouts', requestHash: keccak(utf8(name)), created, sent: true },
    made: {
      payments: [
        {
          destinations: numbers.map((n) => ({ address: addressOf(n), amount: value })),
          fee: amount(share * BigInt(numbers.length)),
          weight: 3000,
          keyImages: [keccak(utf8(`image ${name}`)) as Uint8Array as KeyImage],
          inputKeys: [keccak(utf8(`key ${name}`)) as Uint8Array as PublicKey],
          txSecretKeys: [keccak(utf8(`secret ${name}`))],
          signed: { txHash: keccak(utf8(`tx ${name}`)), blob: new Uint8Array() },
        },
      ],
    },
  });
  w.payouts.addBatch(
    { sequence: batch, account: 0, created },
    sequences.map((payout) => ({ payout, amount: value, fee: share })),
  );
  for (const payout of sequences) w.payouts.follow(payout, batch);
  w.payouts.settleBatch(batch, { height: 1, dueHeight: undefined });
}
