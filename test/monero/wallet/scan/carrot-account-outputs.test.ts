import { describe, expect, it, test } from '@jest/globals';
import { addressKeysAt, masterTier, subaddressScalar } from '../../../../src/monero/carrot/account.js';
import { tierKeysOf } from '../../../../src/monero/carrot/account-secrets.js';
import { extensionKey } from '../../../../src/monero/carrot/opening.js';
import {
  derivationToScalar,
  derivePublicKey,
  keyDerivation,
  keyImage,
  publicKeyOf,
  viewTag,
} from '../../../../src/monero/crypto/derivation.js';
import { reduce, scalarBytes, toScalar } from '../../../../src/monero/crypto/scalar.js';
import { sharedSecret } from '../../../../src/monero/crypto/tx-proof.js';
import { writeExtra } from '../../../../src/monero/cryptonote/extra.js';
import { isPrimary } from '../../../../src/monero/cryptonote/subaddress-keys.js';
import type { SubaddressIndex, Transaction } from '../../../../src/monero/cryptonote/types.js';
import { spendKeysOfTier } from '../../../../src/monero/wallet/carrot-keys.js';
import { ownOutputsIn } from '../../../../src/monero/wallet/scan/block-scan.js';
import type { ReceivingKeys } from '../../../../src/monero/wallet/scan/found-output.js';
import { SubaddressTable } from '../../../../src/monero/wallet/scan/subaddress-table.js';
import { amount } from '../../../../src/util/amount.js';
import { SECRETS } from '../../../support/wallets/carrot-accounts.js';

/* Outputs of the old form, in a reward, to addresses of an account of the fork. */

const master = masterTier(SECRETS.master.masterSecret);
const tier = tierKeysOf(SECRETS.master);
const { spendPublicKey, viewSecret } = master;
const table = new SubaddressTable(spendPublicKey, viewSecret, { major: 2, minor: 3 }, spendKeysOfTier(tier));
table.expandTo({ major: 0, minor: 0 });

/** A reward of 5 to an address. @param to its index. */
function rewardTo(to: SubaddressIndex): Transaction {
  const { spendPublicKey: spendKey, viewPublicKey } = addressKeysAt(tier, to);
  const secret = scalarBytes(77n);
  const derivation = keyDerivation(viewPublicKey, secret);
  const key = isPrimary(to) ? publicKeyOf(secret) : sharedSecret(spendKey, secret);
  return {
    prefix: {
      ...{ version: 2, unlockTime: 0n, inputs: [{ type: 'gen', height: 9 }] },
      outputs: [
        {
          amount: amount(5n),
          publicKey: derivePublicKey(derivation, 0, spendKey),
          viewTag: viewTag(derivation, 0),
        },
      ],
      extra: writeExtra([{ type: 'publicKey', key }]),
    },
    rct: { base: { type: 0, fee: amount(0n), pseudoOuts: [], ecdhInfo: [], outPk: [] } },
  };
}

const places: readonly SubaddressIndex[] = [
  { major: 0, minor: 0 },
  { major: 0, minor: 2 },
  { major: 1, minor: 0 },
];

describe('an output of the old form to an address of an account of the fork', () => {
  test.each(places)('%j has the key image of its scalar of G, with the old hash to a point', (to) => {
    const tx = rewardTo(to);
    const [found, ...others] = ownOutputsIn(tx, { viewSecret, balance: master }, table);
    if (found === undefined) throw new Error('it was not found');
    expect(others).toEqual([]);
    expect([found.subaddress, found.amount]).toEqual([to, 5n]);
    const factor = subaddressScalar(tier, to);
    const derivation = keyDerivation(found.derivationKey, viewSecret);
    const g = reduce(toScalar(master.imageSecret) * factor + derivationToScalar(derivation, 0));
    const t = reduce(toScalar(master.proveSecret) * factor);
    // Both scalars together are the secrets of the output key.
    expect(extensionKey({ g, t })).toEqual(found.publicKey);
    expect(found.keyImage).toEqual(keyImage(found.publicKey, scalarBytes(g)));
  });

  it.each(places)('%j has no key image without the balance secret', (to) => {
    const keys: ReceivingKeys = { viewSecret };
    const [found] = ownOutputsIn(rewardTo(to), keys, table);
    expect(found?.amount).toBe(5n);
    expect(found?.keyImage).toBeUndefined();
  });
});
