import { afterAll, describe, expect, it } from '@jest/globals';
import type { PublicKey } from '../../../src/monero/crypto/types.js';
import { KeyImagePool } from '../../../src/services/workers/key-image-pool.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { keyImageOf } from '../../../src/monero/wallet/scan/key-images.js';
import { candidatesOf } from '../../support/chain/candidates-of.js';
import { paidOutput } from '../../support/wallets/paid-outputs.js';
import { forkOutput } from '../../support/wallets/fork-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { holder } from '../../monero/wallet/fixtures.js';

const rng = seededRng('key image pool');
const owner = holder(rng);
const keys = { viewSecret: owner.viewSecret, spendSecret: owner.spendSecret };
const pool = new KeyImagePool();
afterAll(() => pool.close());

/** More than one message to a thread takes. */
const outputs: OwnedOutput[] = Array.from({ length: 40 }, (_, i) =>
  paidOutput(owner, 1n, i, rng, { outputIndex: i % 3, subaddress: { major: i % 2, minor: i % 4 } }),
);
const hints = outputs.map(({ publicKey, outputIndex, derivationKey }) => ({
  ...{ publicKey, outputIndex, txPublicKey: derivationKey, additionalKeys: [] },
}));
const strangers = holder(rng);

describe('the key image threads', () => {
  it('find the address that each output pays, in the order of the outputs', async () => {
    const found = await pool.locate(hints, keys);
    expect(found).toEqual(hints.map((hint) => candidatesOf(hint, owner.viewSecret)));
    expect(found.map(([first]) => first?.spendPublicKey)).toEqual(
      outputs.map(({ subaddress }) => owner.address(subaddress).spendPublicKey),
    );
  });

  it('derive the key images that this thread derives', async () => {
    expect(await pool.derive(outputs, keys)).toEqual(outputs.map((output) => keyImageOf(output, keys)));
  });

  it('compute the secret facts of outputs in the form of the fork, of this wallet alone', async () => {
    const own = Array.from({ length: 35 }, (_, i) =>
      forkOutput(owner, 5n, i, rng, { subaddress: { major: 0, minor: i % 3 } }),
    );
    const asked = own.map(({ carrot, ...one }) => ({
      ...{ publicKey: one.publicKey, derivationKey: one.derivationKey, amount: one.amount },
      context: carrot?.context ?? new Uint8Array(),
      spendPublicKey: owner.address(one.subaddress).spendPublicKey,
    }));
    const { viewSecret, spendPublicKey } = owner;
    expect(await pool.reopen(asked, { viewSecret, spendPublicKey })).toEqual(own.map(({ carrot }) => carrot));
    const { viewSecret: other } = strangers;
    expect(await pool.reopen(asked.slice(0, 2), { viewSecret: other, spendPublicKey })).toEqual([
      undefined,
      undefined,
    ]);
    const signed = await pool.sign(own.slice(0, 2), keys);
    const claims = signed.map((one, i) => ({
      publicKey: own[i]?.publicKey as PublicKey,
      signed: one,
      isCarrot: true,
    }));
    expect(await pool.verify(claims)).toEqual(['proven', 'proven']);
    expect(await pool.verify(claims.map((claim) => ({ ...claim, isCarrot: false })))).toEqual([
      'unproven',
      'unproven',
    ]);
  });

  it('sign key images, and verify each signature against its own output alone', async () => {
    const signed = await pool.sign(outputs.slice(0, 3), keys);
    const claims = signed.map((one, i) => ({
      publicKey: hints[i]?.publicKey as PublicKey,
      signed: one,
      isCarrot: false,
    }));
    expect(await pool.verify(claims)).toEqual(['proven', 'proven', 'proven']);
    const swapped = claims.map((claim, i) => ({
      ...claim,
      signed: claims[(i + 1) % 3]?.signed ?? claim.signed,
    }));
    expect(await pool.verify(swapped)).toEqual(['unproven', 'unproven', 'unproven']);
    const [first] = claims;
    if (first === undefined) throw new Error('a claim');
    const outside = {
      ...first.signed,
      keyImage: new Uint8Array(32).fill(0xff) as typeof first.signed.keyImage,
    };
    expect(await pool.verify([{ ...first, signed: outside }])).toEqual(['outside']);
  });

  it('answer an empty list with an empty list', async () => {
    expect(
      await Promise.all([pool.locate([], keys), pool.derive([], keys), pool.sign([], keys), pool.verify([])]),
    ).toEqual([[], [], [], []]);
  });

  it('refuse an output of another wallet, and go on', async () => {
    const foreign = { ...paidOutput(strangers, 1n, 1, rng), outputIndex: 0 };
    const reason = 'the output does not belong to this wallet';
    for (const failed of [pool.derive([foreign], keys), pool.sign([foreign], keys)])
      await expect(failed).rejects.toMatchObject({ name: 'WalletError', fault: { kind: 'invalid', reason } });
    expect(await pool.derive(outputs.slice(0, 1), keys)).toHaveLength(1);
  });

  it('leave the keys of the caller as they are', () => {
    expect([keys.viewSecret.some((byte) => byte !== 0), keys.spendSecret.some((byte) => byte !== 0)]).toEqual(
      [true, true],
    );
  });
});
