import { beforeAll, describe, expect, it, test } from '@jest/globals';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { parseExtra, paymentIdField } from '../../../src/monero/cryptonote/extra.js';
import { parseTransaction } from '../../../src/monero/cryptonote/transaction.js';
import type { PaymentId } from '../../../src/monero/cryptonote/types.js';
import { PaymentBuilder, type RingedPlan } from '../../../src/services/payments/payment-builder.js';
import {
  readMetadata as readClaims,
  unsignedConstruction,
  writeMetadata,
} from '../../../src/services/payments/payment-metadata.js';
import { TxFacts } from '../../../src/services/payments/tx-facts.js';
import { amount } from '../../../src/util/amount.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { decode, encode } from '../../../src/util/codec.js';
import { signedPayment, ringsDigest } from '../../../src/monero/wallet/build/signed-payment.js';
import { PLACEHOLDER_KEY_IMAGE } from '../../../src/monero/wallet/build/placeholder-tx.js';
import type { SignedTx } from '../../../src/monero/wallet/build/signing.js';
import { pendingTx, type PendingTx } from '../../../src/monero/wallet/exchange/pending-tx.js';
import { FEES, payingWallet, type PayingWallet } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault, ownKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { page } from '../../store/fixtures.js';
import { COIN, holder, payeeOf } from '../../monero/wallet/fixtures.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import type { Payee } from '../../../src/monero/wallet/select/transfer-request.js';

const rng = seededRng('payment metadata');
const owner = holder(rng);
const stranger = holder(rng);
const id = rng(8) as PaymentId;
const terms = { account: 0, unlockTime: 0n };

const namedPayee = (value: bigint): Payee => {
  const address = stranger.address(undefined, id);
  return { ...payeeOf(address, value), text: formatAddress(address) };
};

let paying: PayingWallet;
let draft: RingedPlan;
let signed: SignedTx;
let hex: string;

beforeAll(async () => {
  paying = payingWallet(owner, [2n * COIN, COIN, 3n * COIN]);
  const { wallet, outputs } = paying;
  const builder = new PaymentBuilder(wallet, wallet);
  // The second and third of the outputs that the wallet ever received.
  const inputs = outputs.slice(1);
  const share = { payees: [namedPayee(3n * COIN)], inputs, fee: amount(100_000_000n), feeFrom: [] };
  const [made] = await builder.draft([{ ...share, ...terms, prices: { rates: FEES, priority: 1 } }]);
  if (made === undefined) throw new Error('a draft');
  draft = made;
  ({ tx: signed } = await builder.sign(draft));
  hex = toHex(writeMetadata(wallet, draft, signed, draft.payees));
});

const readMetadata = (wallet: ServiceWallet, text: string) =>
  readClaims(wallet, new TxFacts(wallet, wallet), text);

const pending = (): PendingTx => decode(pendingTx, fromHex(hex));
const changed = (changes: Partial<PendingTx>): string =>
  toHex(encode(pendingTx, { ...pending(), ...changes }));

const refusal = (reason: string) => fault({ kind: 'bad_tx_metadata', reason });
const NO_METADATA = 'this is not the metadata of a transaction';
const NO_FIT = 'the transaction does not fit this wallet';

describe('the metadata of a transaction', () => {
  it('bring back the payment that was signed, with destinations, payment id and keys', () => {
    const expected = signedPayment(signed, terms, draft.inputs, draft.payees);
    const { inputs, rings, ...payment } = readMetadata(paying.wallet, hex);
    const { inputs: given, ...rest } = expected;
    expect(payment).toEqual(rest);
    expect(rings).toEqual(ringsDigest(draft.rings, signed.fee));
    expect(payment.paymentId).toEqual(id);
    const names = (outputs: typeof inputs) => outputs.map(({ publicKey }) => toHex(publicKey)).sort();
    expect(names(inputs)).toEqual(names(given));
  });

  it('bring back the sum of several change outputs as the change', async () => {
    const { wallet } = paying;
    const share = { ...draft, changeSplit: { outputs: 4, least: 1n } };
    const { tx: several } = await new PaymentBuilder(wallet, wallet).sign({ ...draft, ...share });
    expect(several.targets).toHaveLength(5);
    const written = writeMetadata(wallet, { ...draft, ...share }, several, draft.payees);
    const { change, destinations, fee } = readMetadata(wallet, toHex(written));
    expect(fee).toBe(several.fee);
    expect(change).toBe(4n * COIN - 3n * COIN - fee);
    expect(destinations.map((one) => one.amount)).toEqual([3n * COIN]);
  });

  it('name the places of its inputs among all outputs ever received', () => {
    const { selectedTransfers, construction } = pending();
    expect([...selectedTransfers].sort()).toEqual([1, 2]);
    expect(construction.selectedTransfers).toEqual(selectedTransfers);
  });

  it('are read by another wallet with the same keys', () => {
    const other = new ServiceWallet(ownKeys(owner));
    other.receive(paying.outputs, 120);
    expect(readMetadata(other, hex).txHash).toEqual(signed.hash);
  });

  test.each(['z', 'abc', '0x00'])('are hexadecimal, unlike %s', (text) => {
    const expected = fault({ kind: 'bad_hex', what: 'the tx metadata' });
    expect(() => readMetadata(paying.wallet, text)).toThrow(expected);
  });

  test.each<[string, () => string]>([
    ['empty', () => ''],
    ['cut', () => hex.slice(0, -2)],
    ['followed by more', () => `${hex}00`],
    ['of a later version', () => `02${hex.slice(2)}`],
    ['only a transaction', () => toHex(signed.blob)],
  ])('are refused where they are %s', (_, text) => {
    expect(() => readMetadata(paying.wallet, text())).toThrow(refusal(NO_METADATA));
  });

  test.each<[string, () => string]>([
    ['a fee that its amounts contradict', () => changed({ change: { ...pending().change, amount: 0n } })],
    [
      'a destination of another amount',
      () =>
        changed({ destinations: pending().destinations.map((one) => ({ ...one, amount: one.amount + 1n })) }),
    ],
    ['no destination', () => changed({ destinations: [] })],
    [
      'a secret key that is none',
      () => changed({ txSecretKey: new Uint8Array(32).fill(0xff) as PendingTx['txSecretKey'] }),
    ],
  ])('are refused for %s', (_, text) => {
    expect(() => readMetadata(paying.wallet, text())).toThrow(refusal(NO_FIT));
  });

  it('are refused where the transaction lacks the signature of one of its inputs', () => {
    const { tx } = pending();
    const [first, ...others] = tx.prefix.inputs;
    if (first?.type !== 'key') throw new Error('an input');
    const inputs = [{ ...first, keyImage: PLACEHOLDER_KEY_IMAGE }, ...others];
    for (const some of [inputs, [...inputs].reverse()])
      expect(() =>
        readMetadata(paying.wallet, changed({ tx: { ...tx, prefix: { ...tx.prefix, inputs: some } } })),
      ).toThrow(fault({ kind: 'tx_rejected', reason: 'the transaction is not signed' }));
  });

  it('are refused by a wallet that does not hold the inputs, and by one that has lost one', () => {
    const other = payingWallet(stranger, [COIN]);
    expect(() => readMetadata(other.wallet, hex)).toThrow(refusal(NO_FIT));
    const behind = new ServiceWallet(ownKeys(owner));
    behind.receive(paying.outputs, 120);
    behind.store.write((w) => w.applyPage(page(3, 1)));
    expect(() => readMetadata(behind, hex)).toThrow(refusal(NO_FIT));
  });

  it('are not read once the wallet is closed', () => {
    const closed = new ServiceWallet(ownKeys(owner));
    closed.store.close();
    expect(() => readMetadata(closed, hex)).toThrow(fault({ kind: 'no_wallet' }));
  });
});

describe('an unsigned construction', () => {
  const laidOut = async (payees: readonly Payee[], unlockTime: bigint) => {
    const share = { ...draft, payees };
    const builder = new PaymentBuilder(paying.wallet, paying.wallet);
    const { tx } = await builder.buildUnsigned({ ...draft, ...share, ...{ account: 0, unlockTime } });
    return { tx, data: unsignedConstruction(paying.wallet, draft, tx, payees) };
  };
  const fieldsOf = (extra: Uint8Array) => parseExtra(extra).fields;

  it('has the extra field of its transaction with the payment id in the clear', async () => {
    const { tx, data } = await laidOut(draft.payees, 0n);
    const [key] = fieldsOf(parseTransaction(tx.blob).prefix.extra);
    expect(key).toMatchObject({ type: 'publicKey', key: publicKeyOf(tx.txSecretKey) });
    expect(fieldsOf(data.extra)).toEqual([key, paymentIdField({ kind: 'short', id })]);
  });

  it('has a payment id of zeros where the payee has none', async () => {
    const { data } = await laidOut([payeeOf(stranger.address(), 3n * COIN)], 0n);
    const zeros = paymentIdField({ kind: 'short', id: new Uint8Array(8) as PaymentId });
    expect(fieldsOf(data.extra)[1]).toEqual(zeros);
  });

  it('has the unlock time, the destinations and the places of the inputs', async () => {
    const { tx, data } = await laidOut(draft.payees, 900n);
    expect(data).toMatchObject({ unlockTime: 900n, selectedTransfers: [1, 2], account: 0, minors: [0] });
    expect(data.destinations.map((one) => one.amount)).toEqual([3n * COIN]);
    expect(data.change.amount).toBe(tx.change);
  });

  it('lists the sources in the order of the inputs of its transaction', async () => {
    const { tx, data } = await laidOut(draft.payees, 0n);
    const offsets = parseTransaction(tx.blob).prefix.inputs.flatMap((input) =>
      input.type === 'key' ? [input.keyOffsets[0]] : [],
    );
    expect(data.sources.map(({ ring: [first] }) => BigInt(first?.globalIndex ?? 0))).toEqual(offsets);
    expect(data.sources).toHaveLength(2);
  });

  it('is refused for relaying, as its transaction is not signed', async () => {
    const { tx } = await laidOut(draft.payees, 0n);
    const metadata = toHex(writeMetadata(paying.wallet, draft, tx, draft.payees));
    expect(() => readMetadata(paying.wallet, metadata)).toThrow(
      fault({ kind: 'tx_rejected', reason: 'the transaction is not signed' }),
    );
  });
});
