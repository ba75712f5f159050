import { beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { decode, encode } from '../../../src/util/codec.js';
import { unsignedTxSet, type UnsignedTxSet } from '../../../src/monero/wallet/exchange/cold-tx-sets.js';
import { coldPair, ColdWallet, layOutPayment, type ColdPair } from '../../support/wallets/cold-pair.js';
import { paidOutput } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { ownKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { COIN, holder, payeeOf } from '../../monero/wallet/fixtures.js';

const rng = seededRng('cold signing');
const owner = holder(rng);
const stranger = holder(rng);
const TO = formatAddress(stranger.address());
const OUTPUTS = [2n, 3n].map((coins, i) => paidOutput(owner, coins * COIN, i + 1, rng));

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

const imported = () => pair.signer.wallet.store.read((r) => r.imported.list());

/** The unsigned set with changes, sealed by the view-only wallet. */
async function changed(change: (set: UnsignedTxSet) => Partial<UnsignedTxSet>): Promise<string> {
  const { exports } = pair.watch.wallet;
  const set = decode(unsignedTxSet('current'), await exports.open('unsignedTxs', fromHex(unsigned)));
  return toHex(
    await exports.seal('unsignedTxs', encode(unsignedTxSet('current'), { ...set, ...change(set) })),
  );
}

const signed = async (): Promise<string> =>
  toHex((await pair.signer.coldSigning.sign(unsigned, undefined)).blob);

describe('a set of unsigned transactions', () => {
  it('is described with its receivers, change and fee', async () => {
    const { descriptions, summary } = await pair.signer.coldSigning.describe(unsigned);
    expect(descriptions).toHaveLength(1);
    expect(summary).toMatchObject({ amountIn: 5n * COIN, recipients: [{ address: TO, amount: 4n * COIN }] });
  });

  it('is described with a change to another wallet as a payment to it', async () => {
    const elsewhere = holder(rng).address();
    const hex = await changed(({ txs }) => ({
      txs: txs.map((tx) => ({
        ...tx,
        change: { ...tx.change, address: elsewhere },
        outputs: tx.outputs.map((one) =>
          one.amount === tx.change.amount ? { ...one, address: elsewhere } : one,
        ),
      })),
    }));
    const { summary } = await pair.signer.coldSigning.describe(hex);
    expect(summary.changeAmount).toBe(0n);
    expect(summary.recipients.map(({ address }) => address).sort()).toEqual(
      [TO, formatAddress(elsewhere)].sort(),
    );
  });

  it('is signed with the outputs that it holds; the transaction keys are on disk before it is given out', async () => {
    const { txs } = await pair.signer.coldSigning.sign(unsigned, undefined);
    expect(txs).toHaveLength(1);
    const [tx] = txs;
    if (tx === undefined) throw new Error('a transaction');
    expect(pair.signer.wallet.store.read((r) => r.txKeys.get(tx.txHash))).toEqual(tx.txSecretKeys);
    expect(imported().map(({ keyImage }) => keyImage)).toEqual(OUTPUTS.map(({ keyImage }) => keyImage));
  });

  test.each<[string, () => string | Promise<string>, object]>([
    ['text that is not hexadecimal', () => 'xyz', { kind: 'bad_hex', what: 'unsigned_txset' }],
    ['nothing', () => '', { kind: 'bad_unsigned_set' }],
    ['a set that was cut', () => unsigned.slice(0, -2), { kind: 'bad_unsigned_set' }],
    ['a set of signed transactions', signed, { kind: 'bad_unsigned_set' }],
  ])('is not read from %s', async (_, text, expected) => {
    const hex = await text();
    await expect(pair.signer.coldSigning.sign(hex, undefined)).rejects.toMatchObject({ fault: expected });
    await expect(pair.signer.coldSigning.describe(hex)).rejects.toMatchObject({ fault: expected });
  });

  it('of another wallet cannot be read', async () => {
    const other = new ColdWallet(new ServiceWallet(ownKeys(stranger)));
    await expect(other.coldSigning.sign(unsigned, undefined)).rejects.toMatchObject({
      fault: { kind: 'bad_unsigned_set' },
    });
  });
});

/** Key derivations that the threads have found for the signing wallet so far. */
function foundDerivations(): Uint8Array[] {
  const found: Uint8Array[] = [];
  const { keyImages } = pair.signer.wallet.workers;
  const locate = keyImages.locate.bind(keyImages);
  keyImages.locate = async (hints, keys) => {
    const candidates = await locate(hints, keys);
    found.push(...candidates.flat().map(({ derivation }) => derivation));
    return candidates;
  };
  return found;
}

describe('the key derivations of outputs are wiped', () => {
  const wiped = new Uint8Array(32);

  it('when the set is signed', async () => {
    const found = foundDerivations();
    await pair.signer.coldSigning.sign(unsigned, undefined);
    expect(found.length).toBeGreaterThanOrEqual(2 * OUTPUTS.length);
    expect(found.every((derivation) => Buffer.compare(derivation, wiped) === 0)).toBe(true);
  });

  it('when an output belongs to another wallet', async () => {
    const found = foundDerivations();
    const hex = await changed(({ outputs }) => ({
      outputs: {
        ...outputs,
        outputs: outputs.outputs.map((one, i) =>
          i === 0 ? one : { ...one, publicKey: stranger.spendPublicKey },
        ),
      },
    }));
    await expect(pair.signer.coldSigning.sign(hex, undefined)).rejects.toThrow();
    expect(found).toHaveLength(OUTPUTS.length);
    expect(found.every((derivation) => Buffer.compare(derivation, wiped) === 0)).toBe(true);
  });

  it('when their key images cannot be computed', async () => {
    const found = foundDerivations();
    pair.signer.wallet.workers.keyImages.derive = () => Promise.reject(new Error('the thread has ended'));
    await expect(pair.signer.coldSigning.sign(unsigned, undefined)).rejects.toThrow('the thread has ended');
    expect(found).toHaveLength(OUTPUTS.length);
    expect(found.every((derivation) => Buffer.compare(derivation, wiped) === 0)).toBe(true);
  });
});

describe('signing fails, and nothing is stored', () => {
  const refused = async (
    hex: string | Promise<string>,
    expected: object,
    by = pair.signer,
  ): Promise<void> => {
    await expect(by.coldSigning.sign(await hex, undefined)).rejects.toMatchObject({
      fault: { kind: 'signing_failed', ...expected },
    });
    expect(by.wallet.store.read((r) => r.imported.list())).toEqual([]);
  };

  it('in a view-only wallet', async () => {
    await refused(unsigned, {}, new ColdWallet(new ServiceWallet(ownKeys(owner, true))));
  });

  it('where the amounts do not add up', async () => {
    await refused(
      changed(({ txs }) => ({
        txs: txs.map((tx) => ({
          ...tx,
          sources: tx.sources.map((one) => ({ ...one, amount: one.amount - 1n })),
        })),
      })),
      {},
    );
  });

  it('where change goes to another wallet', async () => {
    await refused(
      changed(({ txs }) => ({
        txs: txs.map((tx) => ({
          ...tx,
          change: { ...tx.change, address: { ...stranger.address() } },
          outputs: tx.outputs.map((one) =>
            one.amount === tx.change.amount ? { ...one, address: { ...stranger.address() } } : one,
          ),
        })),
      })),
      {},
    );
  });

  it('above a fee of one coin', async () => {
    const less = 2n * COIN;
    await refused(
      changed(({ txs }) => ({
        txs: txs.map((tx) => ({
          ...tx,
          outputs: tx.outputs.map((one) => (one.amount === 4n * COIN ? { ...one, amount: less } : one)),
          destinations: tx.destinations.map((one) => ({ ...one, amount: less })),
        })),
      })),
      { reason: 'fee too high' },
    );
  });

  it('for a set with an output of another wallet', async () => {
    await refused(
      changed(({ outputs }) => ({
        outputs: {
          ...outputs,
          outputs: outputs.outputs.map((one) => ({ ...one, publicKey: stranger.spendPublicKey })),
        },
      })),
      { reason: 'an output does not belong to this wallet' },
    );
  });

  it('in a wallet that reads the chain itself and knows other outputs', async () => {
    pair.signer.wallet.receive(OUTPUTS.slice(1), 120);
    await refused(unsigned, {
      reason: 'this wallet reads the chain itself, and its outputs differ from those in the set',
    });
  });
});

describe('a wallet with the spend key that reads the chain itself', () => {
  it('signs the set of the view-only wallet, and imports nothing', async () => {
    pair.signer.wallet.receive(OUTPUTS, 120);
    expect((await pair.signer.coldSigning.sign(unsigned, undefined)).txs).toHaveLength(1);
    expect(imported()).toEqual([]);
  });
});
