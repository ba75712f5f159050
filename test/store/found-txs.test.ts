import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage, PublicKey } from '../../src/monero/crypto/types.js';
import { resolveKeyImages } from '../../src/store/resolve-key-images.js';
import { WalletStore } from '../../src/store/wallet-store.js';
import { amount } from '../../src/util/amount.js';
import type { FoundOutgoing, OwnedOutput, TxFindings } from '../../src/monero/wallet/scan/findings.js';
import { bytes, output, page, received } from './fixtures.js';

let file: WalletStore;

beforeEach(() => {
  file = WalletStore.create(':memory:', new Uint8Array(32));
});

afterEach(() => file.close());

const found = (more: Partial<TxFindings>): TxFindings => ({
  received: [],
  outputs: [],
  spends: [],
  outgoing: [],
  subaddresses: [],
  ...more,
});

const paidOut = (tx: number, height: number, amountIn: bigint, change: bigint): FoundOutgoing => ({
  txHash: bytes<Hash>(tx),
  height,
  timestamp: 1000 + height,
  account: 0,
  fromIndices: [0],
  amountIn: amount(amountIn),
  change: amount(change),
  fee: amount(3n),
  unlockTime: 0n,
});

const add = (more: Partial<TxFindings>): void => file.write((w) => w.addFound(found(more)));
const mine = (...given: Parameters<typeof page>): void => file.write((w) => w.applyPage(page(...given)));

const balance = (): bigint =>
  file.read((r) => r.balances.ofAddresses({ strict: false })).reduce((sum, { total }) => sum + total, 0n);
const incoming = (): (readonly [number, bigint])[] =>
  file
    .read((r) => r.payments.list({ min: -1, max: 999 }))
    .map(({ tx, amount: paid }) => [tx.height, paid] as const);
const outgoing = () => file.read((r) => r.outgoing.list({ states: ['confirmed'] }));

const receipt = { received: [received(1, 2)], outputs: [output(1, 2, 50n)] };
const spend = {
  received: [received(3, 4)],
  outputs: [output(3, 4, 8n, { change: true })],
  spends: [{ keyImage: bytes<KeyImage>(101), txHash: bytes<Hash>(3), height: 4 }],
  outgoing: [paidOut(3, 4, 50n, 8n)],
};

describe('transactions scanned out of order', () => {
  beforeEach(() => mine(0, 6));

  it('are stored once, however often they are scanned', () => {
    for (let time = 0; time < 3; time++) {
      add(receipt);
      expect(balance()).toBe(50n);
      expect(incoming()).toEqual([[2, 50n]]);
    }
    for (let time = 0; time < 3; time++) {
      add(spend);
      expect(balance()).toBe(8n);
      expect(outgoing()).toMatchObject([{ amountIn: 50n, change: 8n, height: 4 }]);
      expect(incoming()).toEqual([[2, 50n]]);
    }
  });

  it('stay spent when they are scanned again', () => {
    add(receipt);
    add(spend);
    add(receipt);
    expect(balance()).toBe(8n);
  });

  it('turn income of a transaction into change when its inputs are found later', () => {
    add({ received: [received(3, 4)], outputs: [output(3, 4, 8n)] });
    expect(incoming()).toEqual([[4, 8n]]);
    // The scanner reports both together.
    add({
      received: [...receipt.received, ...spend.received],
      outputs: [...receipt.outputs, ...spend.outputs],
      spends: spend.spends,
      outgoing: spend.outgoing,
    });
    expect(balance()).toBe(8n);
    expect(incoming()).toEqual([[2, 50n]]);
  });

  it('raise the change of a payment that another wallet made when more outputs return to its account', () => {
    add({
      ...spend,
      received: [...receipt.received, ...spend.received],
      outputs: [...receipt.outputs, ...spend.outputs],
    });
    const other = { publicKey: bytes<PublicKey>(7), keyImage: bytes<KeyImage>(7), outputIndex: 1 };
    const more = [output(3, 4, 8n, { change: true }), output(3, 4, 30n, { change: true, ...other })];
    add({ ...spend, outputs: more, outgoing: [paidOut(3, 4, 50n, 38n)] });
    expect(balance()).toBe(38n);
    expect(outgoing()).toMatchObject([{ amountIn: 50n, change: 38n }]);
    expect(incoming()).toEqual([[2, 50n]]);
  });

  it('are deleted with their block', () => {
    add(receipt);
    add(spend);
    mine(4, 3);
    expect(balance()).toBe(50n);
    expect(outgoing()).toEqual([]);
    expect(incoming()).toEqual([[2, 50n]]);
    mine(1, 9);
    expect(balance()).toBe(0n);
    expect(incoming()).toEqual([]);
  });

  it('are kept above the tip until the chain reaches them, and then follow its blocks', () => {
    const ahead = { received: [received(1, 20)], outputs: [output(1, 20, 50n)] };
    add(ahead);
    mine(6, 5);
    expect(balance()).toBe(50n);
    mine(11, 10, ahead);
    expect(balance()).toBe(50n);
    expect(incoming()).toEqual([[20, 50n]]);
  });

  it('are deleted when the chain reaches their height without them', () => {
    add({ received: [received(1, 20)], outputs: [output(1, 20, 50n)] });
    mine(6, 20);
    expect(balance()).toBe(0n);
  });

  it('move to their block after a reorganisation, and frozen ones stay frozen', () => {
    add({ received: [received(1, 20)], outputs: [output(1, 20, 50n)] });
    file.write((w) => w.outputs.setFrozen({ txHash: bytes<Hash>(1), outputIndex: 0 }, true));
    mine(6, 5, { received: [received(1, 8)], outputs: [output(1, 8, 50n)] });
    expect(incoming()).toEqual([[8, 50n]]);
    expect(file.read((r) => r.outputs.ofTx(bytes<Hash>(1)))).toMatchObject([{ frozen: true, height: 8 }]);
    mine(11, 15);
    expect(incoming()).toEqual([[8, 50n]]);
  });

  it('are payments if the key image of an input is imported between scan and commit', () => {
    const blind: Record<string, unknown> = { ...output(1, 2, 50n) };
    delete blind['keyImage'];
    add({ received: receipt.received, outputs: [blind as unknown as OwnedOutput] });
    // Scanned before the key image was imported, committed after.
    file.write((w) =>
      resolveKeyImages(w, [
        { publicKey: bytes<PublicKey>(101), keyImage: bytes<KeyImage>(101), proven: true },
      ]),
    );
    add({
      received: [{ ...received(3, 4), spentKeyImages: [bytes<KeyImage>(101)] }],
      outputs: [output(3, 4, 8n)],
    });
    expect(balance()).toBe(8n);
    expect(outgoing()).toMatchObject([{ amountIn: 50n, change: 8n, fee: 10n, height: 4 }]);
    expect(incoming()).toEqual([[2, 50n]]);
  });
});
