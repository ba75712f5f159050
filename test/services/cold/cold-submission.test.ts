import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { amount, sum } from '../../../src/util/amount.js';
import { equalBytes, fromHex, toHex } from '../../../src/util/bytes.js';
import { decode, encode } from '../../../src/util/codec.js';
import { signedTxSet, type SignedTxSet } from '../../../src/monero/wallet/exchange/cold-tx-sets.js';
import type { PendingTx } from '../../../src/monero/wallet/exchange/pending-tx.js';
import type { OutgoingState } from '../../../src/monero/wallet/build/outgoing-tx.js';
import { coldPair, layOutPayment, type ColdPair, type ColdWallet } from '../../support/wallets/cold-pair.js';
import { CHAIN_HEIGHT, paidOutput } from '../../support/wallets/paid-outputs.js';
import { REFUSED } from '../../support/wallets/payment-home.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault } from '../../support/wallets/service-wallet.js';
import { bytes, page, received, unnamed } from '../../store/fixtures.js';
import { COIN, holder, payeeOf } from '../../monero/wallet/fixtures.js';

const rng = seededRng('cold signing');
const owner = holder(rng);
const stranger = holder(rng);
const TO = formatAddress(stranger.address());
const OUTPUTS = [2n, 3n, 3n].map((coins, i) => paidOutput(owner, coins * COIN, i + 1, rng));

let pair: ColdPair;
/** Sealed set of the view-only wallet in hex, not signed. */
let unsigned: string;

beforeAll(async () => {
  unsigned = await layOutPayment(coldPair(owner, OUTPUTS), {
    ...payeeOf(stranger.address(), 4n * COIN),
    text: TO,
  });
});

beforeEach(() => {
  pair = coldPair(owner, OUTPUTS);
});

const STATES: OutgoingState[] = ['prepared', 'pending', 'failed', 'confirmed'];
const outgoing = () => pair.watch.wallet.store.read((r) => r.outgoing.list({ states: STATES }));
const images = (of: ColdWallet) =>
  of.wallet.store.read((r) => r.outputs.inOrder().map(({ keyImage }) => keyImage));

const signed = async (): Promise<string> =>
  toHex((await pair.signer.coldSigning.sign(unsigned, undefined)).blob);

async function changedSigned(change: (set: SignedTxSet) => Partial<SignedTxSet>): Promise<string> {
  const { exports } = pair.signer.wallet;
  const set = decode(signedTxSet, await exports.open('signedTxs', fromHex(await signed())));
  return toHex(await exports.seal('signedTxs', encode(signedTxSet, { ...set, ...change(set) })));
}

describe('submitting a set of signed transactions', () => {
  it('relays them as payments of the view-only wallet, which keeps no key of them', async () => {
    const { blob, txs } = await pair.signer.coldSigning.sign(unsigned, undefined);
    const { payments } = await pair.watch.coldSigning.submit(toHex(blob), undefined);
    const hashes = payments.map((payment) => payment.signed?.txHash);
    expect([hashes, pair.sent]).toEqual([txs.map(({ txHash }) => txHash), txs.map((tx) => tx.blob)]);
    expect(outgoing()).toMatchObject([
      { state: 'pending', destinations: [{ address: TO, amount: 4n * COIN }] },
    ]);
    // The signer keeps the keys of the transactions.
    const [hash] = hashes;
    expect(hash && pair.watch.wallet.store.read((r) => r.txKeys.get(hash))).toEqual([]);
  });

  it('records no destination of the wallet itself that it does not find, nor change that does not return', async () => {
    const own = owner.address();
    const forgeries: ((tx: PendingTx) => Partial<PendingTx>)[] = [
      ({ destinations }) => ({
        destinations: destinations.map((one) => ({ ...one, original: formatAddress(own), address: own })),
      }),
      ({ change, destinations }) => ({
        destinations: [],
        change: { ...change, amount: change.amount + sum(destinations.map((one) => amount(one.amount))) },
      }),
    ];
    for (const forged of forgeries) {
      pair = coldPair(owner, OUTPUTS);
      const hex = await changedSigned(({ txs }) => ({ txs: txs.map((tx) => ({ ...tx, ...forged(tx) })) }));
      const spender = (day: bigint) => ({ name: 'shop', limits: { day }, addresses: undefined });
      await expect(pair.watch.coldSigning.submit(hex, spender(4n * COIN))).rejects.toMatchObject(
        fault({ kind: 'spend_limit' }),
      );
      await pair.watch.coldSigning.submit(hex, spender(5n * COIN));
      const [payment] = outgoing();
      expect(payment?.destinations).toEqual([]);
      expect(payment && payment.amountIn - payment.change - payment.fee).toBe(4n * COIN);
    }
  });

  test.each<[string, () => string | Promise<string>, object]>([
    ['text that is not hexadecimal', () => '0', { kind: 'bad_hex', what: 'tx_data_hex' }],
    ['a set of unsigned transactions', () => unsigned, { kind: 'bad_signed_set' }],
    [
      'a transaction whose record pays another amount',
      () =>
        changedSigned(({ txs }) => ({
          txs: txs.map((tx) => ({
            ...tx,
            destinations: tx.destinations.map((one) => ({ ...one, amount: amount(one.amount + 1n) })),
          })),
        })),
      { kind: 'submission_failed', reason: expect.stringContaining('does not fit this wallet') },
    ],
  ])('is refused for %s', async (_, text, expected) => {
    await expect(pair.watch.coldSigning.submit(await text(), undefined)).rejects.toMatchObject(
      fault(expected),
    );
    expect([outgoing(), pair.sent]).toEqual([[], []]);
  });

  test.each<[string, () => Promise<typeof REFUSED>, object]>([
    [
      'refuses them',
      () => Promise.resolve(REFUSED),
      { reason: 'double spend', text: 'transaction was rejected by daemon' },
    ],
    [
      'cannot be reached',
      () => Promise.reject(new DaemonError('unreachable', 'no way', { notTaken: true })),
      { reason: 'no way', text: 'no connection to daemon' },
    ],
  ])('fails where the daemon %s, and leaves no payment behind', async (_, answer, expected) => {
    const hex = await signed();
    pair.watch.wallet.answers = { ...pair.watch.wallet.answers, sendRawTransaction: answer };
    await expect(pair.watch.coldSigning.submit(hex, undefined)).rejects.toMatchObject(
      fault({ kind: 'submission_failed', ...expected }),
    );
    expect(outgoing()).toEqual([]);
  });

  it('takes the key images of exported outputs by their output keys', async () => {
    await pair.watch.coldSigning.submit(await signed(), undefined);
    expect(images(pair.watch)).toEqual(OUTPUTS.map(({ keyImage }) => keyImage));
  });

  test.each<[string, (keyImages: readonly KeyImage[]) => KeyImage[]]>([
    ['in order', (keyImages) => [...keyImages]],
    ['in another order', (all) => [...all].reverse()],
    ['that are blank', (all) => all.map(() => bytes<KeyImage>(0))],
    ['of more outputs than there are', (all) => [...all, ...all]],
  ])('takes no key image by its place in a list %s, as the reference sends it', async (_, change) => {
    const hex = await changedSigned(({ keyImages, ownKeyImages }) => ({
      keyImages: change(keyImages),
      ownKeyImages: ownKeyImages.filter(
        ([key]) => !OUTPUTS.some(({ publicKey }) => equalBytes(publicKey, key)),
      ),
    }));
    await pair.watch.coldSigning.submit(hex, undefined);
    const spent = pair.watch.wallet.store.read((r) => r.outputs.inOrder().map(({ spentBy }) => spentBy));
    expect(spent.filter((by) => by === undefined)).toHaveLength(1);
    expect(images(pair.watch)).toEqual(
      OUTPUTS.map(({ keyImage }, i) => (spent[i] === undefined ? undefined : keyImage)),
    );
  });

  it.each([
    ['spends', true],
    ['keeps', false],
  ])(
    'attaches every key image to its output where two that the payment %s changed places after the signature',
    async (_, isSpent) => {
      const five = [2n, 3n, 3n, 3n, 3n].map((coins, i) => paidOutput(owner, coins * COIN, i + 1, rng));
      const { watch, signer, ...others } = coldPair(owner, five);
      const payee = { ...payeeOf(stranger.address(), 4n * COIN), text: TO };
      const set = await layOutPayment({ watch, signer, ...others }, payee);
      const { blob } = await signer.coldSigning.sign(set, undefined);
      const { txs } = decode(signedTxSet, await signer.wallet.exports.open('signedTxs', blob));
      const spent = txs.flatMap(({ selectedTransfers }) => selectedTransfers);
      const [a = 0, b = 0] = [...five.keys()].filter((place) => spent.includes(place) === isSpent);
      // The blocks from that of the first one on are replaced, and hold the two in the other order.
      const order = five.map((one, place) => five[place === a ? b : place === b ? a : place] ?? one);
      const replaced = order.slice(a).map((one, i) => ({ ...unnamed(one), height: a + 1 + i }));
      watch.wallet.store.write((w) => {
        w.applyPage(
          page(a + 1, CHAIN_HEIGHT, {
            hashes: Array.from({ length: CHAIN_HEIGHT }, (_, i) => bytes<Hash>(1000 + i)),
            received: replaced.map(({ txHash, height }) => ({ ...received(1, height), txHash })),
            outputs: replaced,
          }),
        );
      });
      await watch.coldSigning.submit(toHex(blob), undefined);
      const known = watch.wallet.store.read((r) => r.outputs.inOrder());
      expect(known.map(({ publicKey, keyImage }) => [publicKey, keyImage])).toEqual(
        order.map(({ publicKey, keyImage }) => [publicKey, keyImage]),
      );
    },
  );

  it('takes those of more outputs than are read at once, and each once', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'cold-submission-'));
    const many = Array.from({ length: 100 }, (_, i) => paidOutput(owner, COIN, i + 1, rng));
    const { watch, signer } = coldPair(owner, many, 'current', join(directory, 'watch'));
    const payee = { ...payeeOf(stranger.address(), COIN / 2n), text: TO };
    for (let payment = 0; payment < 2; payment++) {
      const set = await layOutPayment({ watch, signer, outputs: many, sent: [] }, payee);
      const { blob } = await signer.coldSigning.sign(set, undefined);
      await watch.coldSigning.submit(toHex(blob), undefined);
      expect(images(watch)).toEqual(many.map(({ keyImage }) => keyImage));
    }
    expect(watch.wallet.fakeSync.learned).toHaveLength(many.length + 2);
    watch.wallet.store.close();
    rmSync(directory, { recursive: true, force: true });
  });
});
