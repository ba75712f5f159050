import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage } from '../../src/monero/crypto/types.js';
import { importWallet } from '../../src/store/import-wallet.js';
import { WalletStore } from '../../src/store/wallet-store.js';
import { amount } from '../../src/util/amount.js';
import type { FoundOutgoing } from '../../src/monero/wallet/scan/findings.js';
import type { OutgoingTx } from '../../src/monero/wallet/build/outgoing-tx.js';
import type { ImportedWallet } from '../../src/monero/wallet/reference-cache/imported-wallet.js';
import { bytes, output, page, received } from './fixtures.js';
import { clearChain } from '../support/chain/cleared-chain.js';

const NOTHING: ImportedWallet = {
  accounts: [{ labels: ['Primary account'], tag: '' }],
  tagDescriptions: [],
  subaddresses: [],
  addressBook: [],
  attributes: [],
  notes: [],
  txKeys: [],
  paid: [],
  unmined: [],
  frozen: [],
  keyImages: [],
};

const paymentId = new Uint8Array(8).fill(7);
const destinations = [{ address: 'payee', amount: amount(40n) }];

/** As found in a block: the change is the sum of all outputs to the account. */
const found: FoundOutgoing = {
  txHash: bytes<Hash>(50),
  height: 3,
  timestamp: 1003,
  account: 0,
  fromIndices: [0],
  amountIn: amount(50n),
  change: amount(18n),
  fee: amount(2n),
  unlockTime: 0n,
};
const known = { txHash: found.txHash, change: amount(8n), paymentId, destinations };
const whole = { ...found, change: amount(8n), paymentId, destinations, state: 'confirmed' };

let file: WalletStore;

beforeEach(() => {
  file = WalletStore.create(':memory:', new Uint8Array(32));
});

afterEach(() => file.close());

const stored = (): OutgoingTx | undefined => file.read((r) => r.outgoing.byHash(found.txHash));

describe('imported data of a payment', () => {
  it('is kept until its block is found, which has the other data', () => {
    file.write((w) => importWallet(w, { ...NOTHING, paid: [known] }));
    expect(stored()).toBeUndefined();
    file.write((w) => w.applyPage(page(0, 4, { outgoing: [found] })));
    expect(stored()).toEqual(whole);
  });

  it('is kept when its block is undone, and when the chain is read again', () => {
    file.write((w) => importWallet(w, { ...NOTHING, paid: [known] }));
    file.write((w) => w.applyPage(page(0, 4, { outgoing: [found] })));
    file.write((w) => clearChain(w, { hard: false }));
    expect(stored()).toBeUndefined();
    file.write((w) => w.applyPage(page(0, 4, { outgoing: [found] })));
    expect(stored()).toEqual(whole);
  });

  it('is deleted by a hard rescan', () => {
    file.write((w) => importWallet(w, { ...NOTHING, paid: [known] }));
    file.write((w) => clearChain(w, { hard: true }));
    file.write((w) => w.applyPage(page(0, 4, { outgoing: [found] })));
    expect(stored()).toEqual({ ...found, state: 'confirmed', destinations: [] });
  });

  it('keeps its note after a hard rescan', () => {
    file.write((w) => w.notes.set(found.txHash, 'invoice 7'));
    file.write((w) => clearChain(w, { hard: true }));
    expect(file.read((r) => r.notes.get(found.txHash))).toBe('invoice 7');
  });

  it("leaves the change to the block if it was not recorded, or all outputs are the account's own", () => {
    const vague = { txHash: known.txHash, paymentId, destinations };
    file.write((w) => importWallet(w, { ...NOTHING, paid: [vague] }));
    file.write((w) => w.applyPage(page(0, 4, { outgoing: [found] })));
    expect(stored()?.change).toBe(18n);
    const back = { ...found, txHash: bytes<Hash>(51), change: amount(48n) };
    file.write((w) => w.outgoing.storeFacts({ ...known, txHash: back.txHash }));
    file.write((w) => w.applyPage(page(4, 1, { outgoing: [{ ...back, height: 4 }] })));
    expect(file.read((r) => r.outgoing.byHash(back.txHash))?.change).toBe(48n);
  });
});

describe('a payment to the paying account itself', () => {
  const { height, ...unmined } = found;
  const paid: OutgoingTx = { ...known, ...unmined, change: amount(8n), state: 'pending', blob: bytes(1) };
  const mined: FoundOutgoing = { ...found, change: amount(48n) };
  const block = page(0, 4, { outgoing: [mined] });
  const changes = (): unknown => {
    const { amountIn = 0n, change = 0n, fee = 0n, changeAtPayment, state } = stored() ?? {};
    return { state, paid: amountIn - change - fee, changeAtPayment };
  };
  const CONFIRMED = { state: 'confirmed', paid: 0n, changeAtPayment: 8n };

  beforeEach(() => {
    file.write((w) => w.outgoing.insert(paid));
    file.write((w) => w.applyPage(block));
  });

  it('keeps the change that was recorded when it was made, once mined and when found again', () => {
    expect(changes()).toEqual(CONFIRMED);
    file.write((w) => w.addFound(block));
    expect(changes()).toEqual(CONFIRMED);
  });

  it('counts the change as pending again while a reorganisation has undone its block', () => {
    file.write((w) => w.detach(height));
    expect(stored()).toMatchObject({ state: 'pending', change: 8n });
    file.write((w) => w.applyPage(block));
    expect(changes()).toEqual(CONFIRMED);
  });

  it.each([
    ['with its bytes', 4],
    ['deep in the chain, without its bytes', 100],
  ])('keeps it through either rescan, %s', (_, blocks) => {
    for (const hard of [false, true]) {
      file.write((w) => w.applyPage(page(4, blocks)));
      file.write((w) => clearChain(w, { hard }));
      file.write((w) => w.applyPage(block));
      expect(changes()).toEqual(CONFIRMED);
    }
    expect(stored()).toEqual({ ...mined, state: 'confirmed', changeAtPayment: 8n, destinations: [] });
  });
});

describe('a frozen output', () => {
  const image = bytes<KeyImage>(101);
  const place = { txHash: bytes<Hash>(1), outputIndex: 0 };
  const block = page(0, 3, { received: [received(1, 2)], outputs: [output(1, 2, 50n)] });

  it('is frozen whenever it is found', () => {
    file.write((w) => importWallet(w, { ...NOTHING, frozen: [place] }));
    for (let time = 0; time < 2; time++) {
      file.write((w) => w.applyPage(block));
      expect(file.read((r) => r.outputs.byKeyImage(image))?.frozen).toBe(true);
    }
    expect(file.read((r) => r.balances.ofAddresses({ strict: false }))).toEqual([]);
  });

  it('is counted as an output of its address, but not in the balance', () => {
    file.write((w) => w.outputs.freezeUnseen([place]));
    file.write((w) =>
      w.applyPage(
        page(0, 3, {
          received: [received(1, 2), received(2, 2)],
          outputs: [output(1, 2, 50n), output(2, 2, 7n)],
        }),
      ),
    );
    expect(file.read((r) => r.balances.ofAddresses({ strict: false }))).toEqual([
      { subaddress: { major: 0, minor: 0 }, total: 7n, unspentCount: 2 },
    ]);
  });
});

it('a store that cannot be filled is not made', () => {
  const tooMuch = { ...known, change: amount(1n << 63n) };
  expect(() =>
    WalletStore.create(':memory:', new Uint8Array(32), (w) =>
      importWallet(w, { ...NOTHING, paid: [tooMuch] }),
    ),
  ).toThrow(RangeError);
});
