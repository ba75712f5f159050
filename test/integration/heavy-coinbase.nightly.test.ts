import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PublicKey } from '../../src/monero/crypto/types.js';
import { writeExtra } from '../../src/monero/cryptonote/extra.js';
import { concatBytes } from '../../src/util/bytes.js';
import { mineWith, outputTo, pointsFrom, strayOutputs } from '../support/chain/coinbase.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* A miner may fill a block with outputs and transaction keys at no cost: every key must be tried with every output. */

const OUTPUTS = 2100;
const KEYS = 2001;
/** First secret of the transaction keys; the others are consecutive. */
const FIRST_KEY = 1n << 100n;
const FIRST_OUTPUT = 1n << 101n;

const mainKey = (key: PublicKey): Uint8Array => writeExtra([{ type: 'publicKey', key }]);

/** Mines a block whose last output pays an address by the last transaction key. @returns its amount. */
async function mineHeavy(daemon: Monerod, address: string): Promise<number> {
  const keys = pointsFrom(FIRST_KEY, KEYS);
  const outputs = [
    ...strayOutputs(FIRST_OUTPUT, OUTPUTS - 1),
    outputTo(address, OUTPUTS - 1, FIRST_KEY + BigInt(KEYS - 1)),
  ];
  const { reply, rest, bytes } = await mineWith(daemon, address, outputs, concatBytes(...keys.map(mainKey)));
  expect(reply).toMatchObject({ result: { status: 'OK' } });
  expect(bytes).toBeGreaterThan(139_000);
  return Number(rest);
}

const balanceOf = async (wallet: WalletRpc): Promise<number> =>
  (await wallet.rpc('get_balance')).balance as number;

describe.each<[string, () => Promise<Monerod>, typeof startReference?]>([
  ['monerod', startMonerod, startReference],
  ['the regtest daemon', startRegtestDaemon],
])('a block of %s with 2,100 outputs and 2,001 transaction keys', (_name, startDaemon, startOther) => {
  let daemon: Monerod;
  let ours: WalletRpc;
  let theirs: WalletRpc | undefined;
  let address: string;

  beforeAll(async () => {
    daemon = await startDaemon();
    [ours, theirs] = await Promise.all([
      startWalletRpc({ daemon: daemon.address }),
      startOther?.({ daemon: daemon.address }),
    ]);
    await createWallet(ours, 'miner');
    ({ address } = await ours.rpc('get_address'));
    const { key: seed } = await ours.rpc('query_key', { key_type: 'mnemonic' });
    await theirs?.rpc('restore_deterministic_wallet', { filename: 'miner', password: '', seed });
  });

  afterAll(async () => {
    await Promise.all([ours?.stop(), theirs?.stop()]);
    await daemon?.stop();
  });

  it('is scanned, credits outputs of any transaction key, and does not block later refreshes', async () => {
    const paid = await mineHeavy(daemon, address);
    await ours.rpc('refresh');
    expect(await balanceOf(ours)).toBe(paid);
    await daemon.generate(address, 1);
    await ours.rpc('refresh');
    const balance = await balanceOf(ours);
    expect(balance).toBeGreaterThan(paid);
    await theirs?.rpc('refresh');
    expect(await balanceOf(theirs ?? ours)).toBe(balance);
  });
});
