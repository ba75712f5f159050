import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatAddress, integrate } from '../../src/monero/cryptonote/address.js';
import type { PaymentId } from '../../src/monero/cryptonote/types.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { decode, encode } from '../../src/util/codec.js';
import { pendingTx } from '../../src/monero/wallet/exchange/pending-tx.js';
import { ChainWallet } from '../support/wallets/chain-wallet.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startTwins, type Twins } from '../support/wallets/twins.js';
import type { WalletRpc } from '../support/processes/wallet-rpc.js';
import { someRows } from '../support/jest/lanes.js';

/* Payments made by one of two wallets with the same keys, and relayed by the other from their metadata. */

const PAYMENT_ID = '1122334455667788';
const XMR = 1_000_000_000_000;

let twins: Twins;
/** Another account of the same wallet: a payment to it is not change. */
let shop: string;
let integrated: string;

beforeAll(async () => {
  twins = await startTwins(75);
  const { ours, theirs } = twins;
  shop = (await ours.rpc('create_account', { label: 'shop' })).address;
  expect((await theirs.rpc('create_account', { label: 'shop' })).address).toBe(shop);
  const stranger = new ChainWallet(seededRng('stranger')).address();
  integrated = formatAddress(integrate(stranger, fromHex(PAYMENT_ID) as PaymentId));
});

afterAll(() => twins?.stop());

const make = (wallet: WalletRpc, destinations: Loose[]): Promise<Loose> =>
  wallet.rpc('transfer', { destinations, do_not_relay: true, get_tx_metadata: true, get_tx_key: true });

const pendingOf = async (wallet: WalletRpc, txid: string): Promise<Loose> => {
  const { pending } = await wallet.rpc('get_transfers', { pending: true });
  return (pending as Loose[]).find((entry) => entry.txid === txid);
};

describe.each([
  ['ours', 'the reference', () => [twins.ours, twins.theirs] as const],
  ['the reference', 'ours', () => [twins.theirs, twins.ours] as const],
])('a payment made by %s and relayed by %s', (_, __, pair) => {
  it.each(
    someRows([
      [
        'several addresses',
        () => [
          { amount: 5, address: shop },
          { amount: 6, address: twins.address },
        ],
        '0000000000000000',
      ],
      ['one address', () => [{ amount: XMR, address: shop }], '0000000000000000'],
      ['an integrated address', () => [{ amount: XMR, address: integrated }], PAYMENT_ID],
    ]),
  )('to %s keeps destinations, fee and keys', async (__, to, paymentId) => {
    const [maker, relayer] = pair();
    const made = await make(maker, to());
    expect(await relayer.rpc('relay_tx', { hex: made.tx_metadata })).toEqual({ tx_hash: made.tx_hash });
    const entry = await pendingOf(relayer, made.tx_hash);
    expect(entry).toMatchObject({ amount: made.amount, fee: made.fee, payment_id: paymentId });
    const named = (list: Loose[]): string[] => list.map((one) => `${one.amount} ${one.address}`).sort();
    expect(named(entry.destinations)).toEqual(named(to()));
    // Both count change at once.
    await twins.mine(1);
    const [own, other] = await Promise.all([
      maker.rpc('get_balance', { all_accounts: true }),
      relayer.rpc('get_balance', { all_accounts: true }),
    ]);
    expect(own.balance).toBe(other.balance);
    const { transfer } = await relayer.rpc('get_transfer_by_txid', { txid: made.tx_hash });
    expect(transfer).toMatchObject({ type: 'out', amount: made.amount, fee: made.fee });
  });
});

describe('relay_tx', () => {
  it('refuses the metadata of a payment from another wallet', async () => {
    const { ours, theirs, daemon, address } = twins;
    const { tx_metadata } = await make(theirs, [{ amount: XMR, address: shop }]);
    await createWallet(ours, 'other');
    const { error } = await ours.call('relay_tx', { hex: tx_metadata });
    expect(error).toMatchObject({
      ...{ code: -27, message: 'Failed to parse tx metadata.' },
      data: { explanation: 'the transaction does not fit this wallet' },
    });
    await ours.rpc('open_wallet', { filename: 'twin', password: '' });
    expect((await daemon.plain('/get_transaction_pool_hashes')).tx_hashes).toBeUndefined();
    expect((await ours.rpc('get_address')).address).toBe(address);
  });

  it('refuses one whose inputs another payment has spent, and records nothing of it', async () => {
    const { ours } = twins;
    const first = await make(ours, [{ amount: XMR, address: shop }]);
    const images = new Set(first.spent_key_images.key_images as string[]);
    let second: Loose;
    // Inputs are chosen at random: repeat until the same one is chosen.
    do second = await make(ours, [{ amount: XMR, address: shop }]);
    while (!(second.spent_key_images.key_images as string[]).some((image) => images.has(image)));
    await ours.rpc('relay_tx', { hex: first.tx_metadata });
    const { error } = await ours.call('relay_tx', { hex: second.tx_metadata });
    expect(error?.code).toBe(-4);
    expect(await pendingOf(ours, second.tx_hash)).toBeUndefined();
    expect(await pendingOf(ours, first.tx_hash)).toMatchObject({ amount: XMR });
    await twins.mine(1);
  });

  it('refuses amounts that do not add up, and a second address for a destination', async () => {
    const { ours, address } = twins;
    const { tx_metadata } = await make(ours, [{ amount: XMR, address: shop }]);
    const pending = decode(pendingTx, fromHex(tx_metadata));
    const [destination] = pending.destinations;
    if (destination === undefined) throw new Error('the payment has no destination');
    const forged = [
      { ...pending, destinations: [{ ...destination, amount: destination.amount + 1n }] },
      { ...pending, destinations: [{ ...destination, original: address }] },
      { ...pending, destinations: [] },
      { ...pending, change: { ...pending.change, amount: (1n << 64n) - 1n } },
    ];
    for (const lie of forged) {
      const { error } = await ours.call('relay_tx', { hex: toHex(encode(pendingTx, lie)) });
      expect(error?.code).toBe(-27);
    }
    expect((await ours.call('relay_tx', { hex: `${tx_metadata}00` })).error?.code).toBe(-27);
    expect((await ours.call('relay_tx', { hex: (tx_metadata as string).slice(0, -2) })).error?.code).toBe(
      -27,
    );
    expect((await ours.call('relay_tx', { hex: 'no hex' })).error?.code).toBe(-26);
  });
});
