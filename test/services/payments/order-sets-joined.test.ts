import { describe, expect, it } from '@jest/globals';
import type { Hash, PublicKey } from '../../../src/monero/crypto/types.js';
import type { ExportCipher } from '../../../src/services/context/export-cipher.js';
import { setToSign } from '../../../src/services/payments/orders.js';
import { signedTxSet, unsignedTxSet } from '../../../src/monero/wallet/exchange/cold-tx-sets.js';
import { openExport } from '../../../src/monero/wallet/exchange/export-blob.js';
import type { Order, OrderState, TrackedOrder, TrackedTx } from '../../../src/model/order.js';
import { multisigTxSet } from '../../../src/monero/wallet/multisig/tx-set.js';
import { fromHex } from '../../../src/util/bytes.js';
import { decode, encode } from '../../../src/util/codec.js';
import { unsignedPayment } from '../../support/wallets/made-payment.js';
import { exportKeys, vectors } from '../../monero/wallet/cold-vectors.js';
import { bytes } from '../../store/fixtures.js';

const unsignedBody = openExport('unsignedTxs', fromHex(vectors.unsignedTxs), exportKeys);
const unsigned = decode(unsignedTxSet('current'), unsignedBody);
const signed = decode(signedTxSet, openExport('signedTxs', fromHex(vectors.signedTxs), exportKeys));

/** Sets with transactions that have these unlock times. @param total of the outputs that the set exports. */
const unsignedSet = (unlockTimes: readonly bigint[], total = 3): Uint8Array =>
  encode(unsignedTxSet('current'), {
    outputs: { ...unsigned.outputs, total },
    txs: unlockTimes.flatMap((unlockTime) => unsigned.txs.map((tx) => ({ ...tx, unlockTime }))),
  });

const multisigSet = (dusts: readonly bigint[], signers: readonly number[] = []): Uint8Array =>
  encode(multisigTxSet, {
    txs: dusts.flatMap((dust) => signed.txs.map((tx) => ({ ...tx, dust }))),
    signers: signers.map((n) => bytes<PublicKey>(n)),
  });

/** Kinds of the sets that were opened and sealed. */
let kinds: string[] = [];
const exports = {
  open: (kind: string, set: Uint8Array) => {
    kinds.push(`open ${kind}`);
    return Promise.resolve(set);
  },
  seal: (kind: string, set: Uint8Array) => {
    kinds.push(`seal ${kind}`);
    return Promise.resolve(set);
  },
} as unknown as ExportCipher;

/** Attempt in effect. @param set its own set; absent: it is in the set of the call. */
interface Current {
  readonly state?: OrderState;
  readonly set?: Uint8Array;
}

function orderOf(
  sets: Pick<Order, 'unsignedSet' | 'multisigSet'>,
  currents: readonly Current[],
): TrackedOrder {
  const positions = currents.map(({ state = 'prepared', set }, position) => {
    const current: TrackedTx = {
      ...{ sequence: 1, position, attempt: set === undefined ? 1 : 2, sent: false, isRecorded: false, state },
      ...{ made: unsignedPayment([1], 9), ...(set && { signingSet: set }) },
    };
    return { attempts: [current], current };
  });
  const request = { key: 'a', method: 'transfer', requestHash: bytes<Hash>(7) };
  return {
    order: { sequence: 1, ...request, created: 1, ...sets, transactions: [] },
    ...{ state: 'prepared', positions },
  };
}

const joined = (sets: Pick<Order, 'unsignedSet' | 'multisigSet'>, ...currents: readonly Current[]) => {
  kinds = [];
  return setToSign({ exports, exportFormat: 'current' }, orderOf(sets, currents));
};

/** Unlock times, and number of exported outputs, of an unsigned set. */
const timesOf = ({ unsignedSet: set }: { readonly unsignedSet?: Uint8Array }): unknown => {
  const { txs, outputs } = decode(unsignedTxSet('current'), set ?? new Uint8Array());
  return [txs.map(({ unlockTime }) => unlockTime), outputs.total];
};

describe('the set of an order', () => {
  it('is that of its call while no transaction was made again', async () => {
    const [set, other] = [unsignedSet([1n, 2n]), multisigSet([1n])];
    expect(await joined({ unsignedSet: set }, {}, {})).toStrictEqual({ unsignedSet: set });
    expect(await joined({ multisigSet: other }, {})).toStrictEqual({ multisigSet: other });
    expect(await joined({}, {})).toStrictEqual({});
    expect(kinds).toEqual([]);
  });

  it('is that of the new attempt where the order has one transaction', async () => {
    const [first, again] = [unsignedSet([1n]), unsignedSet([2n])];
    expect(await joined({ unsignedSet: first }, { set: again })).toStrictEqual({ unsignedSet: again });
    const [proposed, anew] = [multisigSet([1n]), multisigSet([2n])];
    expect(await joined({ multisigSet: proposed }, { set: anew })).toStrictEqual({ multisigSet: anew });
    expect(kinds).toEqual([]);
  });

  it('has the latest attempt of each transaction, in their order, and the outputs of the last set', async () => {
    const first = unsignedSet([1n, 2n, 3n], 3);
    const made = await joined({ unsignedSet: first }, {}, { set: unsignedSet([20n], 8) }, {});
    expect(timesOf(made)).toEqual([[1n, 20n, 3n], 3]);
    expect(kinds).toEqual(['open unsignedTxs', 'open unsignedTxs', 'open unsignedTxs', 'seal unsignedTxs']);
    const last = await joined({ unsignedSet: first }, {}, {}, { set: unsignedSet([30n], 8) });
    expect(timesOf(last)).toEqual([[1n, 2n, 30n], 8]);
  });

  it('has those transactions only that nobody has signed, or all once everything is signed', async () => {
    const first = unsignedSet([1n, 2n, 3n], 3);
    const again = { set: unsignedSet([30n], 8) };
    const some = [{ state: 'relayed' }, {}, { ...again, state: 'mined' }] as const;
    expect(timesOf(await joined({ unsignedSet: first }, ...some))).toEqual([[2n], 3]);
    const two = [{}, { ...again, state: 'mined' }] as const;
    expect(timesOf(await joined({ unsignedSet: unsignedSet([1n, 2n]) }, ...two))).toEqual([[1n], 3]);
    const one = [{ state: 'mined' }, { state: 'mined' }, again] as const;
    expect(await joined({ unsignedSet: first }, ...one)).toStrictEqual({ unsignedSet: again.set });
    const all = [{ state: 'mined' }, { state: 'relayed' }, { ...again, state: 'mined' }] as const;
    expect(timesOf(await joined({ unsignedSet: first }, ...all))).toEqual([[1n, 2n, 30n], 8]);
  });

  it('of a group has the signers of the last set', async () => {
    const first = multisigSet([1n, 2n], [5]);
    const made = await joined({ multisigSet: first }, {}, { set: multisigSet([20n], [6]) });
    const { txs, signers } = decode(multisigTxSet, made.multisigSet ?? new Uint8Array());
    expect(made).not.toHaveProperty('unsignedSet');
    expect([txs.map(({ dust }) => dust), signers]).toEqual([[1n, 20n], [bytes(6)]]);
    expect(kinds).toEqual(['open multisigTxs', 'open multisigTxs', 'seal multisigTxs']);
  });
});
