import { beforeAll, describe, expect, it } from '@jest/globals';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { decode, encode } from '../../../src/util/codec.js';
import { unsignedTxSet } from '../../../src/monero/wallet/exchange/cold-tx-sets.js';
import type { Spender } from '../../../src/model/spender.js';
import { coldPair, layOutPayment, type ColdPair } from '../../support/wallets/cold-pair.js';
import { paidOutput } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault } from '../../support/wallets/service-wallet.js';
import { COIN, holder, payeeOf } from '../../monero/wallet/fixtures.js';

const rng = seededRng('cold limits');
const owner = holder(rng);
const stranger = holder(rng);
const TO = formatAddress(stranger.address());
const OUTPUTS = [2n, 3n].map((coins, i) => paidOutput(owner, coins * COIN, i + 1, rng));
const payee = { ...payeeOf(stranger.address(), COIN), text: TO };

const spender = (day: bigint, addresses?: ReadonlySet<string>): Spender => ({
  ...{ name: 'shop', limits: { day } },
  addresses,
});
const once = spender(COIN + COIN / 2n);

let pair: ColdPair;
let unsigned: string;

const spentIn = ({ wallet }: ColdPair['signer']): bigint =>
  wallet.store.read((r) => r.credentialSpends.sumAfter('shop', 0));

beforeAll(() => {
  pair = coldPair(owner, OUTPUTS);
});

describe('limits of a credential on cold signing', () => {
  it('refuse an unsigned set beyond them, and count none', async () => {
    await expect(layOutPayment(pair, payee, spender(COIN))).rejects.toMatchObject(
      fault({ kind: 'spend_limit' }),
    );
    await expect(layOutPayment(pair, payee, spender(9n * COIN, new Set()))).rejects.toMatchObject(
      fault({ kind: 'credential_denied' }),
    );
    unsigned = await layOutPayment(pair, payee, once);
    expect(spentIn(pair.watch)).toBe(0n);
  });

  it('refuse to sign a set beyond them, and keep nothing of it', async () => {
    const { coldSigning, wallet } = pair.signer;
    await expect(coldSigning.sign(unsigned, spender(COIN))).rejects.toMatchObject(
      fault({ kind: 'spend_limit', reason: expect.stringContaining('spend.day') }),
    );
    await expect(coldSigning.sign(unsigned, spender(9n * COIN, new Set()))).rejects.toMatchObject(
      fault({ kind: 'credential_denied' }),
    );
    expect([spentIn(pair.signer), wallet.store.read((r) => r.imported.list())]).toEqual([0n, []]);
  });

  it('count what the outputs of a set pay, whatever destinations it claims', async () => {
    const { exports } = pair.watch.wallet;
    const format = unsignedTxSet('current');
    const set = decode(format, await exports.open('unsignedTxs', fromHex(unsigned)));
    const lying = {
      ...set,
      txs: set.txs.map((tx) => ({ ...tx, destinations: [] })),
    };
    const hex = toHex(await exports.seal('unsignedTxs', encode(format, lying)));
    await expect(pair.signer.coldSigning.sign(hex, spender(COIN))).rejects.toMatchObject(
      fault({ kind: 'spend_limit' }),
    );
    await expect(pair.signer.coldSigning.sign(hex, spender(9n * COIN, new Set()))).rejects.toMatchObject(
      fault({ kind: 'credential_denied' }),
    );
  });

  it('count a set when it is signed, and in the wallet that submits it', async () => {
    const { blob } = await pair.signer.coldSigning.sign(unsigned, once);
    expect(spentIn(pair.signer)).toBeGreaterThan(COIN);
    // A second signature makes another transaction.
    await expect(pair.signer.coldSigning.sign(unsigned, once)).rejects.toMatchObject(
      fault({ kind: 'spend_limit' }),
    );
    const hex = toHex(blob);
    await expect(pair.watch.coldSigning.submit(hex, spender(COIN))).rejects.toMatchObject(
      fault({ kind: 'spend_limit' }),
    );
    expect((await pair.watch.coldSigning.submit(hex, once)).payments).toHaveLength(1);
    expect(spentIn(pair.watch)).toBe(spentIn(pair.signer));
  });
});
