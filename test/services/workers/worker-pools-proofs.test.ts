import { afterAll, describe, expect, it } from '@jest/globals';
import { publicKeyOf, randomSecretKey } from '../../../src/monero/crypto/derivation.js';
import type { PublicKey } from '../../../src/monero/crypto/types.js';
import { checkBundle } from '../../../src/monero/wallet/proofs/reserve-bundle-check.js';
import { utf8 } from '../../../src/util/bytes.js';
import { systemRng } from '../../../src/util/random.js';
import { createProofPool } from '../../../src/services/workers/worker-pools.js';
import { bundleOf } from '../../monero/wallet/bundle-fixture.js';

const pool = createProofPool();
afterAll(() => pool.close());

const viewSecret = randomSecretKey(systemRng);
const spendSecret = randomSecretKey(systemRng);
const spendPublicKey = publicKeyOf(spendSecret);
const viewPublicKey = publicKeyOf(viewSecret);
const message = utf8('a text');
const index = { major: 0, minor: 0 };

describe('a job of the proof threads', () => {
  it('gives its result, and takes the secrets with it', async () => {
    const keys = { viewSecret: viewSecret.slice() as typeof viewSecret };
    const task = { message, keys, spendPublicKey, index, key: 'view' as const };
    const signature = await pool.run('signMessage', task, [keys.viewSecret]);
    expect(keys.viewSecret).toHaveLength(0);
    const address = { spendPublicKey, viewPublicKey };
    expect(await pool.run('verifyMessage', { message, address, signature })).toEqual({
      good: true,
      version: 2,
      key: 'view',
    });
  });

  it('makes a bundle that this thread verifies, and takes the secrets with it', async () => {
    const given = bundleOf([0, 1]);
    const keys = {
      viewSecret: given.keys.viewSecret.slice() as typeof viewSecret,
      spendSecret: given.keys.spendSecret.slice() as typeof viewSecret,
    };
    const bundle = await pool.run('proveBundle', { ...given, keys }, Object.values(keys));
    expect(Object.values(keys).map(({ length }) => length)).toEqual([0, 0]);
    expect(() => checkBundle(bundle)).not.toThrow();
    const [first, ...others] = given.transactions;
    if (first === undefined) throw new Error('no transaction');
    const forged = { ...given, transactions: [{ ...first, blob: new Uint8Array(9) }, ...others] };
    await expect(pool.run('proveBundle', forged)).rejects.toMatchObject({
      name: 'WalletError',
      fault: { kind: 'daemon_misbehaves' },
    });
  });

  it('fails with the same fault as on this thread', async () => {
    const task = { message, keys: { viewSecret }, spendPublicKey, index, key: 'spend' as const };
    await expect(pool.run('signMessage', task)).rejects.toMatchObject({
      name: 'WalletError',
      fault: { kind: 'view_only' },
    });
    await expect(pool.run('readReserveProof', 'x')).rejects.toMatchObject({
      fault: { kind: 'bad_proof' },
    });
  });

  it('that breaks is a bug, and the next one runs', async () => {
    const noPoint = new Uint8Array(32).fill(0xff) as PublicKey;
    const outputs = [
      { txHash: message, outputIndex: 0, publicKey: noPoint, derivationKey: noPoint, subaddress: index },
    ].map((output) => ({ ...output, keyImage: noPoint }));
    const broken = {
      message,
      address: { spendPublicKey, viewPublicKey },
      outputs: outputs as never,
      keys: { viewSecret, spendSecret },
    };
    const error: unknown = await pool.run('proveReserve', broken).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'Error' });
    expect(await pool.run('readReserveProof', 'ReserveProofV2111')).toMatchObject({ entries: [] });
  });
});
