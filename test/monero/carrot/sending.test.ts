import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  addressKeysAt,
  addressTier,
  masterTier,
  type MasterTier,
} from '../../../src/monero/carrot/account.js';
import { viewTagOf } from '../../../src/monero/carrot/derivations.js';
import { coinbaseContext, spendContext, type Enote } from '../../../src/monero/carrot/enote.js';
import { proveImage, verifiesImage } from '../../../src/monero/carrot/image-proof.js';
import { carrotKeyImage } from '../../../src/monero/carrot/key-image.js';
import { extensionKey, nominalAddress, openEnote } from '../../../src/monero/carrot/opening.js';
import { outputSecrets } from '../../../src/monero/carrot/output-secrets.js';
import {
  payAddress,
  payInternally,
  payOwnAddress,
  paymentEphemeralKey,
  type Payment,
} from '../../../src/monero/carrot/sending.js';
import { loadCurve } from '../../../src/monero/crypto/curve/load-curve.js';
import { reduceBytes, scalarBytes, toScalar } from '../../../src/monero/crypto/scalar.js';
import type { KeyImage, SecretKey } from '../../../src/monero/crypto/types.js';
import { accountKeysOf, type AccountKeys } from '../../../src/monero/cryptonote/account-keys.js';
import { isPrimary, ownAddress } from '../../../src/monero/cryptonote/subaddress-keys.js';
import type { Address, PaymentId, SubaddressIndex } from '../../../src/monero/cryptonote/types.js';
import { amount, U64_MAX } from '../../../src/util/amount.js';
import { equalBytes } from '../../../src/util/bytes.js';
import { systemRng } from '../../../src/util/random.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

const curve = loadCurve();
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const secret = bytes(64).map((wide) => scalarBytes(reduceBytes(wide)));
const u32 = fc.nat(2 ** 32 - 1);
const index: fc.Arbitrary<SubaddressIndex> = fc.oneof(
  fc.constant({ major: 0, minor: 0 }),
  fc.record({ major: fc.nat(3), minor: fc.nat(3) }),
  fc.record({ major: u32, minor: u32 }),
);
const value = fc.bigInt({ min: 0n, max: U64_MAX }).map(amount);
const legacy = secret.map(accountKeysOf);
const carrot = bytes(32).map((master) => masterTier(master));
const context = bytes(32).map((image) => spendContext(image as KeyImage));

/** Keys of an account of either kind. */
type Account = AccountKeys | MasterTier;

const isCarrot = (account: Account): account is MasterTier => 'masterSecret' in account;

const addressOf = (account: Account, at: SubaddressIndex): Address =>
  isCarrot(account)
    ? {
        network: 'mainnet',
        kind: isPrimary(at) ? 'standard' : 'subaddress',
        ...addressKeysAt(addressTier(account), at),
      }
    : ownAddress(account, 'mainnet', at);

/** Opens an output with a shared secret as the holder of an account does; undefined if it is not found. */
function receive(account: Account, enote: Enote, shared: Uint8Array, internal = false) {
  if (!equalBytes(viewTagOf(shared, enote), enote.viewTag)) return undefined;
  const nominal = nominalAddress(enote, { secret: shared, internal }, account);
  const opened = nominal && openEnote(enote, nominal, account);
  return nominal && opened && { nominal, opened };
}

const sharedOf = ({ viewSecret }: Account, { ephemeralKey }: Enote): Uint8Array =>
  curve.x25519(ephemeralKey, viewSecret);

const secretsOf = (account: Account): Parameters<typeof outputSecrets>[0] =>
  isCarrot(account)
    ? { hierarchy: 'carrot', keys: account }
    : { hierarchy: 'legacy', viewSecret: account.viewSecret, spendSecret: account.spendSecret as SecretKey };

describe('an output in the form of the fork', () => {
  const account = fc.oneof<fc.Arbitrary<Account>[]>(legacy, carrot);

  it('is opened by the holder of its address with its amount and payment id, and spent by its secret scalars', () => {
    fc.assert(
      fc.property(
        account,
        index,
        value,
        bytes(16),
        context,
        fc.option(bytes(8)),
        (keys, at, paid, anchor, bound, id) => {
          const to = addressOf(keys, at);
          const address =
            id === null || to.kind !== 'standard'
              ? to
              : { ...to, kind: 'integrated' as const, paymentId: id as PaymentId };
          const payment: Payment = { address, amount: paid, anchor };
          const { enote, mask } = payAddress(payment, bound);
          expect(enote.ephemeralKey).toEqual(paymentEphemeralKey(payment, bound));
          const found = receive(keys, enote, sharedOf(keys, enote));
          expect(found?.nominal.spendKey).toEqual(to.spendPublicKey);
          expect(found?.opened).toMatchObject({ amount: paid, mask, type: 'payment', anchor });
          expect(found?.opened.paymentId).toEqual(address.paymentId ?? new Uint8Array(8));
          if (found === undefined) return;
          const { x, y } = outputSecrets(secretsOf(keys), found.nominal.extensions, at);
          expect(extensionKey({ g: toScalar(x), t: toScalar(y as SecretKey) })).toEqual(enote.outputKey);
        },
      ),
      { numRuns: randomRuns(40) },
    );
  });

  it('of a miner transaction is opened by the holder of the main address at its height alone', () => {
    fc.assert(
      fc.property(account, value, bytes(16), fc.nat(5_000_000), (keys, paid, anchor, height) => {
        const address = addressOf(keys, { major: 0, minor: 0 });
        const { enote } = payAddress({ address, amount: paid, anchor }, coinbaseContext(height), {
          coinbase: true,
        });
        const shared = sharedOf(keys, enote);
        expect(receive(keys, enote, shared)?.opened.amount).toBe(paid);
        expect(receive(keys, { ...enote, context: coinbaseContext(height + 1) }, shared)).toBeUndefined();
        const other = amount(paid === 0n ? 1n : paid - 1n);
        expect(receive(keys, { ...enote, amount: { kind: 'plain', amount: other } }, shared)).toBeUndefined();
        const subaddress = addressOf(keys, { major: 0, minor: 1 });
        expect(() =>
          payAddress({ address: subaddress, amount: paid, anchor }, coinbaseContext(height), {
            coinbase: true,
          }),
        ).toThrow(RangeError);
      }),
      { numRuns: randomRuns(20) },
    );
  });

  it('to its own maker shares the ephemeral key of the payment, and is recognised by its view keys', () => {
    fc.assert(
      fc.property(
        account,
        index,
        account,
        index,
        value,
        bytes(16),
        context,
        (payer, own, payee, at, paid, anchor, bound) => {
          const payment = { address: addressOf(payee, at), amount: paid, anchor };
          const ephemeralKey = paymentEphemeralKey(payment, bound);
          const change = {
            ...{ spendPublicKey: addressOf(payer, own).spendPublicKey, amount: paid, ephemeralKey },
            type: 'change' as const,
          };
          const sharedSecret = curve.x25519(ephemeralKey, payer.viewSecret);
          const special = payOwnAddress(change, { viewSecret: payer.viewSecret, sharedSecret }, bound);
          expect(receive(payer, special.enote, sharedSecret)?.opened).toMatchObject({
            ...{ amount: paid, type: 'change', path: 'special' },
          });
          if (!isCarrot(payer)) return;
          const internal = payInternally(change, payer.balanceSecret, bound);
          expect(receive(payer, internal.enote, payer.balanceSecret, true)?.opened).toMatchObject({
            ...{ amount: paid, type: 'change', path: 'internal' },
          });
          expect(receive(payer, internal.enote, sharedSecret)).toBeUndefined();
        },
      ),
      { numRuns: randomRuns(20) },
    );
  });

  it('that is altered, or copied to another transaction, is not found', () => {
    fc.assert(
      fc.property(
        account,
        index,
        value,
        bytes(16),
        context,
        context,
        fc.nat(7),
        fc.constantFrom('outputKey', 'encryptedAnchor', 'commitment', 'bytes', 'ephemeralKey', 'context'),
        (keys, at, paid, anchor, bound, other, bit, field) => {
          fc.pre(!equalBytes(bound, other));
          const { enote } = payAddress({ address: addressOf(keys, at), amount: paid, anchor }, bound);
          const flip = <T extends Uint8Array>(raw: T): T =>
            raw.map((byte, i) => (i === 3 ? byte ^ (1 << bit) : byte)) as T;
          const sent = enote.amount;
          if (sent.kind === 'plain') throw new Error('an encrypted amount');
          const altered: Enote =
            field === 'context'
              ? { ...enote, context: other }
              : field === 'commitment' || field === 'bytes'
                ? { ...enote, amount: { ...sent, [field]: flip(sent[field]) } }
                : { ...enote, [field]: flip(enote[field]) };
          expect(receive(keys, altered, sharedOf(keys, altered))).toBeUndefined();
          // Neither is it found if its view tag is made to fit.
          const shared = sharedOf(keys, altered);
          expect(receive(keys, { ...altered, viewTag: viewTagOf(shared, altered) }, shared)).toBeUndefined();
        },
      ),
      { numRuns: randomRuns(40) },
    );
  });

  it('of the keys of two addresses of one wallet is refused', () => {
    fc.assert(
      fc.property(
        account,
        index,
        index,
        value,
        bytes(16),
        context,
        (keys, spendOf, viewOf, paid, anchor, bound) => {
          fc.pre(spendOf.major !== viewOf.major || spendOf.minor !== viewOf.minor);
          const { viewPublicKey, kind } = addressOf(keys, viewOf);
          const mixed = { ...addressOf(keys, spendOf), viewPublicKey };
          for (const address of [mixed, { ...mixed, kind }]) {
            const { enote } = payAddress({ address, amount: paid, anchor }, bound);
            expect(receive(keys, enote, sharedOf(keys, enote))).toBeUndefined();
          }
        },
      ),
      { numRuns: randomRuns(30) },
    );
  });

  it('has a key image that its proof alone binds to it', () => {
    fc.assert(
      fc.property(
        account,
        index,
        index,
        bytes(16),
        context,
        bytes(96),
        (keys, at, another, anchor, bound, wrong) => {
          const paid = { amount: amount(5n), anchor };
          const { enote } = payAddress({ address: addressOf(keys, at), ...paid }, bound);
          const found = receive(keys, enote, sharedOf(keys, enote));
          if (found === undefined) throw new Error('an output of the account');
          const { x, y } = outputSecrets(secretsOf(keys), found.nominal.extensions, at);
          const image = carrotKeyImage(enote.outputKey, x);
          const proof = proveImage(enote.outputKey, image, { x, y: y as SecretKey }, systemRng);
          expect(verifiesImage(enote.outputKey, image, proof)).toBe(true);
          const other = payAddress({ address: addressOf(keys, another), ...paid, amount: amount(6n) }, bound);
          expect(verifiesImage(other.enote.outputKey, image, proof)).toBe(false);
          const otherImage = carrotKeyImage(enote.outputKey, y as SecretKey);
          expect(verifiesImage(enote.outputKey, otherImage, proof)).toBe(false);
          expect(verifiesImage(enote.outputKey, image, wrong)).toBe(false);
          expect(verifiesImage(enote.outputKey, image, proof.subarray(1))).toBe(false);
        },
      ),
      { numRuns: randomRuns(20) },
    );
  });
});
