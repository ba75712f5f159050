import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { KeyDerivation, PublicKey } from '../../src/monero/crypto/types.js';
import { writeExtra } from '../../src/monero/cryptonote/extra.js';
import { concatBytes, fromHex, toHex } from '../../src/util/bytes.js';
import { mineWith, outputTo, pointsFrom, strayOutputs } from '../support/chain/coinbase.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* Consensus does not validate the extra field: payments must be credited exactly as by the reference. */

const OUTPUT = 2;
const others = pointsFrom(91n, OUTPUT);
const NO_POINT = new Uint8Array(32).fill(0xff) as PublicKey;
const IDENTITY = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 1 : 0)) as KeyDerivation;

const main = (publicKey: PublicKey): Uint8Array => writeExtra([{ type: 'publicKey', key: publicKey }]);
const additional = (...keys: readonly PublicKey[]): Uint8Array =>
  writeExtra([{ type: 'additionalKeys', keys }]);
const root = '11'.repeat(32);

describe('a payment in a block with an unusual extra field', () => {
  let daemon: Monerod;
  let ours: WalletRpc;
  let theirs: WalletRpc;
  let address: string;
  /** Transaction secret key of the last payment. */
  let secret = 33n;

  beforeAll(async () => {
    daemon = await startMonerod();
    [ours, theirs] = await Promise.all([
      startWalletRpc({ daemon: daemon.address }),
      startReference({ daemon: daemon.address }),
    ]);
    await createWallet(ours, 'odd');
    ({ address } = await ours.rpc('get_address'));
    const { key: seed } = await ours.rpc('query_key', { key_type: 'mnemonic' });
    await theirs.rpc('restore_deterministic_wallet', { filename: 'odd', password: '', seed });
  });

  afterAll(async () => {
    await Promise.all([ours?.stop(), theirs?.stop()]);
    await daemon?.stop();
  });

  const balances = async (): Promise<number[]> => {
    await Promise.all([ours.rpc('refresh'), theirs.rpc('refresh')]);
    return Promise.all(
      [ours, theirs].map(async (wallet) => (await wallet.rpc('get_balance')).balance as number),
    );
  };

  test.each<[string, (key: PublicKey) => Uint8Array, boolean]>([
    ['the second of two transaction keys', (key) => concatBytes(main(NO_POINT), main(key)), true],
    ['an additional key', (key) => concatBytes(main(NO_POINT), additional(...others, key)), true],
    [
      'an additional key at the place of another output',
      (key) => concatBytes(main(NO_POINT), additional(key)),
      false,
    ],
    ['an additional key without a transaction key', (key) => additional(...others, key), false],
    [
      'an additional key in a second list',
      (key) => concatBytes(main(NO_POINT), additional(...others), additional(...others, key)),
      false,
    ],
    ['a transaction key that is no point', () => main(NO_POINT), false],
    [
      'a key behind a merge-mining tag whose depth has 64 bits',
      (key) => concatBytes(fromHex(`032affffffffffffffffff01${root}`), main(key)),
      true,
    ],
    [
      'a key behind a merge-mining tag with a byte too many',
      (key) => concatBytes(fromHex(`032200${root}07`), main(key)),
      false,
    ],
    [
      'a key behind a length of more than 64 bits',
      (key) => concatBytes(fromHex(`02${'80'.repeat(148)}01`), main(key)),
      false,
    ],
    [
      'a key before a field that is unknown',
      (key) => concatBytes(main(key), Uint8Array.of(0x99, 1, 2)),
      true,
    ],
  ])('by %s counts as the reference says', async (_what, extraOf, counts) => {
    const [before = NaN] = await balances();
    secret += 1n;
    const [key = NO_POINT] = pointsFrom(secret, 1);
    const extra = extraOf(key);
    // For a key that is not a point the derivation would be the identity.
    const derivation = toHex(extra) === toHex(main(NO_POINT)) ? IDENTITY : undefined;
    const outputs = [...strayOutputs(7n, OUTPUT), outputTo(address, OUTPUT, secret, derivation)];
    const { reply, rest } = await mineWith(daemon, address, outputs, extra);
    expect(reply).toMatchObject({ result: { status: 'OK' } });
    const after = before + (counts ? Number(rest) : 0);
    expect(await balances()).toEqual([after, after]);
  });
});
