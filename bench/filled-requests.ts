import { accountKeysOf, spendSecretFromSeed } from '../src/monero/cryptonote/account-keys.js';
import { decodeMnemonic } from '../src/monero/cryptonote/mnemonic.js';
import { storeKey } from '../src/store/file/store-cipher.js';
import { WalletStore } from '../src/store/wallet-store.js';
import { amount } from '../src/util/amount.js';
import { toHex } from '../src/util/bytes.js';
import { seededRng } from '../test/support/fakes/seeded-rng.js';
import { PAYEE_SEED } from './paid-chain.js';

/** Requests that one transaction adds. */
const REQUESTS_AT_ONCE = 10_000;

/** Time of creation of all requests, in 2024 [Unix s]. */
const CREATED = 1_718_452_800;

/** Terms of requests; see `PaymentRequest`. */
export interface Terms {
  readonly amount: bigint;
  readonly tolerance: bigint;
  readonly confirmations: number;
}

/** Returns the reference of the request to an address. */
export const referenceOf = (minor: number): string => `order ${minor}`;

/** Adds a request to each of the first addresses of a closed wallet of {@link PAYEE_SEED}, as its service does. */
export function fillRequests(path: string, requests: number, terms: Terms): void {
  const spendSecret = spendSecretFromSeed(decodeMnemonic(PAYEE_SEED).seed);
  const { viewSecret } = accountKeysOf(spendSecret);
  const store = WalletStore.open(path, storeKey(viewSecret, spendSecret));
  const rng = seededRng('payment requests');
  try {
    for (let start = 0; start < requests; start += REQUESTS_AT_ONCE)
      store.write((w) => {
        for (let minor = start; minor < Math.min(requests, start + REQUESTS_AT_ONCE); minor++) {
          w.subaddresses.setLabel({ major: 0, minor }, referenceOf(minor));
          w.requests.add({
            requestId: toHex(rng(16)),
            token: rng(16),
            subaddress: { major: 0, minor },
            amount: amount(terms.amount),
            tolerance: amount(terms.tolerance),
            confirmations: terms.confirmations,
            created: CREATED,
            firstHeight: 0,
            reference: referenceOf(minor),
            metadata: `{"order":${minor}}`,
          });
        }
      });
  } finally {
    store.close();
  }
}
