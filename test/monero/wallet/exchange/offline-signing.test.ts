import { describe, expect, it, test } from '@jest/globals';
import { parseTransaction, transactionHash } from '../../../../src/monero/cryptonote/transaction.js';
import type { Address, PaymentId } from '../../../../src/monero/cryptonote/types.js';
import { publicKeyOf } from '../../../../src/monero/crypto/derivation.js';
import { subaddressKeys } from '../../../../src/monero/cryptonote/subaddress-keys.js';
import { writeExtra, paymentIdField } from '../../../../src/monero/cryptonote/extra.js';
import { fromHex, toHex } from '../../../../src/util/bytes.js';
import { CodecError, decode } from '../../../../src/util/codec.js';
import { unsignedTxSet } from '../../../../src/monero/wallet/exchange/cold-tx-sets.js';
import type { ConstructionData } from '../../../../src/monero/wallet/exchange/construction-data.js';
import { openExport } from '../../../../src/monero/wallet/exchange/export-blob.js';
import { keyImageOf, type LocatedOutput } from '../../../../src/monero/wallet/scan/key-images.js';
import {
  isWithheldKey,
  signOffline,
  type OfflineSigningRequest,
} from '../../../../src/monero/wallet/exchange/offline-signing.js';
import { ownOutputsIn } from '../../../../src/monero/wallet/scan/block-scan.js';
import { SubaddressTable } from '../../../../src/monero/wallet/scan/subaddress-table.js';
import { describeTransfer, summarize } from '../../../../src/monero/wallet/exchange/transfer-description.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { exportKeys, spendPublicKey, spendSecret, vectors, viewSecret } from '../cold-vectors.js';
import { candidatesOf } from '../../../support/chain/candidates-of.js';

const rng = seededRng('offline signing');
const keys = { viewSecret, spendSecret };
const index = { major: 0, minor: 0 };
const primary: Address = {
  network: 'mainnet',
  kind: 'standard',
  spendPublicKey,
  viewPublicKey: publicKeyOf(viewSecret),
};

const [data] = decode(
  unsignedTxSet('current'),
  openExport('unsignedTxs', fromHex(vectors.unsignedTxs), exportKeys),
).txs;
if (data === undefined) throw new Error('no transaction');

const locate = ({ sources }: ConstructionData): LocatedOutput[] =>
  sources.flatMap(({ ring, realIndex, txPublicKey, additionalTxPublicKeys, outputIndex }) => {
    const publicKey = ring[realIndex]?.publicKey ?? spendPublicKey;
    const [found] = candidatesOf(
      { publicKey, outputIndex, txPublicKey, additionalKeys: additionalTxPublicKeys },
      viewSecret,
    );
    return found === undefined
      ? []
      : [{ publicKey, outputIndex, derivationKey: found.derivationKey, subaddress: index }];
  });

const orderOf = (given: ConstructionData): OfflineSigningRequest => ({
  data: given,
  located: locate(data),
  own: [{ address: primary, index }],
  primary,
  keys,
});

describe("the reference's unsigned transaction", () => {
  const { pending, signed, ownKeyImages } = signOffline(orderOf(data), rng);
  const tx = parseTransaction(signed.blob);

  it('is signed with its fee, inputs and receivers', () => {
    expect(signed.fee).toBe(BigInt(vectors.fee));
    expect(toHex(transactionHash(pending.tx))).toBe(toHex(signed.hash));
    expect(tx.prefix.inputs).toHaveLength(1);
    expect(signed.keyImages.map(toHex)).toEqual(locate(data).map((one) => toHex(keyImageOf(one, keys))));
    const paid = (
      entries: readonly {
        readonly amount: bigint;
        readonly address: { readonly spendPublicKey: Uint8Array };
      }[],
    ): string[] => entries.map(({ amount, address }) => `${amount} ${toHex(address.spendPublicKey)}`).sort();
    expect(paid(signed.targets)).toEqual(paid(data.outputs));
    expect(paid(pending.construction.outputs)).toEqual(paid(data.outputs));
    expect(tx.rct?.base.outPk).toHaveLength(3);
  });

  it('withholds the tx secret key', () => {
    expect(isWithheldKey(pending.txSecretKey)).toBe(true);
    expect(pending.additionalSecretKeys).toEqual([]);
    expect(isWithheldKey(signed.txSecretKey)).toBe(false);
  });

  it('pays change that its wallet finds, with the exported key image', () => {
    const table = new SubaddressTable(spendPublicKey, viewSecret, { major: 1, minor: 2 });
    table.expandTo(index);
    const found = ownOutputsIn(tx, keys, table);
    expect(found.map(({ amount }) => amount)).toEqual([data.change.amount]);
    expect(found.map(({ publicKey, keyImage }) => [publicKey, keyImage])).toEqual(ownKeyImages);
  });
});

describe('an unsigned transaction with several change outputs', () => {
  /** The change of the reference's transaction, as these outputs. */
  const withParts = (...parts: readonly bigint[]): ConstructionData => ({
    ...data,
    outputs: data.outputs.flatMap((one) =>
      one.amount === data.change.amount ? parts.map((part) => ({ ...one, amount: part })) : [one],
    ),
  });
  const { amount: change } = data.change;
  const paid = data.outputs.map((one) => one.amount).filter((value) => value !== change);

  it('is signed with each of their amounts, and the same fee', () => {
    const parts = [change / 3n, change / 2n, change - change / 3n - change / 2n];
    const { signed, pending, ownKeyImages } = signOffline(orderOf(withParts(...parts)), rng);
    const sorted = (values: readonly bigint[]): string[] => values.map(String).sort();
    expect(sorted(signed.targets.map((target) => target.amount))).toEqual(sorted([...paid, ...parts]));
    expect(signed.fee).toBe(BigInt(vectors.fee));
    expect(ownKeyImages).toHaveLength(3);
    expect(pending.change).toEqual(data.change);
    const [given, made] = [data, pending.construction].map((one) => describeTransfer(one, 'mainnet'));
    expect(made?.changeAmount).toBe(change);
    expect(new Set(made?.recipients)).toEqual(new Set(given?.recipients));
  });

  test.each<[string, ConstructionData]>([
    ['that add up to less than the change', withParts(change / 2n, change / 2n - 1n)],
    ['of which none add up to the change', withParts(change - 1n, change - 2n)],
    ['of more than sixteen', withParts(...Array<bigint>(17).fill(change / 17n))],
  ])('is refused with outputs %s', (_, given) => {
    expect(() => signOffline(orderOf(given), rng)).toThrow('the change is not among the outputs');
  });
});

describe('signing is refused', () => {
  const [source] = data.sources;
  if (source === undefined) throw new Error('no source');
  const stranger = subaddressKeys(spendPublicKey, spendSecret, { major: 1, minor: 1 });
  const withSource = (facts: Partial<typeof source>): ConstructionData => ({
    ...data,
    sources: [{ ...source, ...facts }],
  });

  test.each<[string, ConstructionData]>([
    ['without sources', { ...data, sources: [] }],
    ['of one source twice', { ...data, sources: [source, source] }],
    ['of another amount than that committed to', withSource({ amount: source.amount + 1n })],
    ['of a source with another mask', withSource({ mask: new Uint8Array(32) })],
    ["of a ring member that is not the wallet's", withSource({ realIndex: (source.realIndex + 1) % 16 })],
    [
      'of a ring out of order',
      withSource({ ring: [...source.ring].reverse(), realIndex: 15 - source.realIndex }),
    ],
    [
      'of more than the sources hold',
      { ...data, outputs: data.outputs.map((one) => ({ ...one, amount: one.amount * 2n })) },
    ],
    ['with change to a stranger', { ...data, change: { ...data.change, address: stranger } }],
    ['with change that is no output', { ...data, change: { ...data.change, amount: 7n } }],
    ['without RingCT', { ...data, flags: { rct: false, viewTags: true } }],
    ['without view tags', { ...data, flags: { rct: true, viewTags: false } }],
    ['with old range proofs', { ...data, rctConfig: { rangeProofType: 3, bpVersion: 3 } }],
    ['with an extra field of unknown content', { ...data, extra: Uint8Array.of(0xde, 1, 1) }],
    [
      'with a payment id that two receivers could claim',
      {
        ...data,
        extra: writeExtra([paymentIdField({ kind: 'short', id: new Uint8Array(8).fill(1) as PaymentId })]),
      },
    ],
    [
      'to a key that is no point',
      {
        ...data,
        outputs: data.outputs.map((one) =>
          one.amount === data.change.amount
            ? one
            : {
                ...one,
                address: {
                  ...one.address,
                  viewPublicKey: new Uint8Array(32).fill(0xff) as typeof one.address.viewPublicKey,
                },
              },
        ),
      },
    ],
  ])('%s', (_, given) => {
    const order = { ...orderOf(given), located: given.sources.flatMap(() => locate(data)) };
    expect(() => signOffline(order, rng)).toThrow(RangeError);
  });

  it('of outputs that are not located', () => {
    expect(() => signOffline({ ...orderOf(data), located: [] }, rng)).toThrow(RangeError);
  });
});

describe('a description', () => {
  const [theirs] = vectors.description.desc;
  const ours = describeTransfer(data, 'mainnet');
  const plain = ({
    recipients,
    ...rest
  }: {
    readonly recipients: readonly { readonly address: string; readonly amount: bigint }[];
  }): unknown => ({
    ...rest,
    recipients: recipients.map(({ address, amount }) => `${amount} ${address}`).sort(),
  });

  it("equals the reference's", () => {
    const named = (list: unknown): string[] =>
      (list as { address: string; amount: number }[])
        .map(({ address, amount }) => `${amount} ${address}`)
        .sort();
    expect(plain(ours)).toMatchObject({
      amountIn: BigInt(theirs?.['amount_in'] as number),
      amountOut: BigInt(theirs?.['amount_out'] as number),
      fee: BigInt(theirs?.['fee'] as number),
      changeAmount: BigInt(theirs?.['change_amount'] as number),
      changeAddress: theirs?.['change_address'],
      dummyOutputs: theirs?.['dummy_outputs'],
      ringSize: theirs?.['ring_size'],
      unlockTime: 0n,
      recipients: named(theirs?.['recipients']),
    });
    expect(toHex(ours.extra)).toBe(theirs?.['extra']);
    expect(ours.paymentId).toBeUndefined();
    const { summary } = vectors.description;
    expect(plain(summarize([ours, ours]))).toMatchObject({
      amountIn: 2n * BigInt(summary['amount_in'] as number),
      fee: 2n * BigInt(summary['fee'] as number),
      changeAddress: summary['change_address'],
    });
  });

  it('shows a payment id inside the address', () => {
    const id = new Uint8Array(8).fill(3) as PaymentId;
    const extra = writeExtra([paymentIdField({ kind: 'short', id })]);
    const { paymentId, recipients } = describeTransfer({ ...data, extra }, 'mainnet');
    expect(paymentId).toEqual(id);
    expect(recipients.filter(({ address }) => address.length === 106)).toHaveLength(1);
  });

  test.each<[string, ConstructionData]>([
    [
      'with change that pays no listed address',
      {
        ...data,
        change: {
          ...data.change,
          address: subaddressKeys(spendPublicKey, viewSecret, { major: 3, minor: 3 }),
        },
      },
    ],
    [
      'with more change than is paid',
      { ...data, change: { ...data.change, amount: data.change.amount + 1n } },
    ],
    ['of more than the sources hold', { ...data, sources: [] }],
    ['of too many outputs', { ...data, outputs: Array.from({ length: 17 }, () => data.change) }],
    [
      'of amounts that overflow',
      { ...data, outputs: [...data.outputs, { ...data.change, amount: (1n << 64n) - 1n }] },
    ],
  ])('%s is refused', (_, given) => {
    expect(() => describeTransfer(given, 'mainnet')).toThrow(CodecError);
  });

  it('of a set whose change goes to several addresses is refused', () => {
    expect(() => summarize([ours, { ...ours, changeAddress: 'another' }])).toThrow(CodecError);
  });
});
