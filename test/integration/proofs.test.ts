import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import type { Loose } from '../support/json-rpc.js';
import { startMonerod, type Monerod } from '../support/monerod.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/wallet-rpc.js';

/*
 * Proofs and signatures between our wallet and the reference's, each made by one and read by the other. The
 * chain and the payments are made once; no test changes them.
 */

const XMR = 1_000_000_000_000;
const MESSAGE = 'order 17, ünïcode';
const UNKNOWN_TX = '5'.repeat(64);

type Name = 'ours' | 'theirs';
/** Who makes a proof, and who looks at it. */
const DIRECTIONS: readonly (readonly [Name, Name])[] = [
  ['ours', 'theirs'],
  ['theirs', 'ours'],
  ['ours', 'ours'],
];

interface Payment {
  readonly txid: string;
  readonly txKey: string;
  readonly address: string;
  readonly amount: number;
}

const PAYMENTS = ['subaddress', 'integrated', 'mixed: primary', 'mixed: subaddress'] as const;
type PaymentKind = (typeof PAYMENTS)[number];

let daemon: Monerod;
const wallets = {} as Record<Name, WalletRpc>;
/** Address 0/0 and 0/1 of each. */
const addresses = {} as Record<Name, readonly [string, string]>;
const payments = {} as Record<Name, Record<PaymentKind, Payment>>;

const other = (name: Name): Name => (name === 'ours' ? 'theirs' : 'ours');

async function paymentsOf(payer: Name): Promise<Record<PaymentKind, Payment>> {
  const wallet = wallets[payer];
  const [primary, subaddress] = addresses[other(payer)];
  const { integrated_address: integrated } = await wallets[other(payer)].rpc('make_integrated_address');
  const pay = async (...destinations: { address: string; amount: number }[]): Promise<Payment[]> => {
    const made = await wallet.rpc('transfer', { destinations, get_tx_key: true });
    return destinations.map((to) => ({ ...to, txid: made.tx_hash as string, txKey: made.tx_key as string }));
  };
  const alone = async (address: string, amount: number): Promise<Payment> =>
    (await pay({ address, amount }))[0] as Payment;
  const [first, second] = await pay(
    { address: primary, amount: XMR / 4 },
    { address: subaddress, amount: XMR / 5 },
  );
  return {
    subaddress: await alone(subaddress, XMR / 2),
    integrated: await alone(integrated as string, XMR),
    'mixed: primary': first as Payment,
    'mixed: subaddress': second as Payment,
  };
}

beforeAll(async () => {
  daemon = await startMonerod();
  [wallets.ours, wallets.theirs] = await Promise.all([
    startWalletRpc({ daemon: daemon.address, args: ['--api-version=1.32'] }),
    startReference({ daemon: daemon.address }),
  ]);
  for (const name of ['ours', 'theirs'] as const) {
    await wallets[name].rpc('create_wallet', { filename: name, password: '', language: 'English' });
    const { address } = await wallets[name].rpc('get_address');
    const { address: second } = await wallets[name].rpc('create_address', { account_index: 0 });
    addresses[name] = [address, second];
    await daemon.generate(address, 6);
  }
  await daemon.generate(addresses.ours[0], 70);
  await Promise.all([wallets.ours.rpc('refresh'), wallets.theirs.rpc('refresh')]);
  [payments.ours, payments.theirs] = await Promise.all([paymentsOf('ours'), paymentsOf('theirs')]);
  await daemon.generate(addresses.ours[0], 3);
  await Promise.all([wallets.ours.rpc('refresh'), wallets.theirs.rpc('refresh')]);
}, 60_000);

afterAll(async () => {
  await Promise.all([wallets.ours?.stop(), wallets.theirs?.stop()]);
  await daemon?.stop();
});

/** The same text with one character of base58 exchanged, at a place counted from the end if negative. */
const tampered = (text: string, at: number): string => {
  const place = at < 0 ? text.length + at : at;
  return text.slice(0, place) + (text[place] === '2' ? '3' : '2') + text.slice(place + 1);
};

const errorOf = async (wallet: WalletRpc, method: string, params: unknown): Promise<number | undefined> =>
  (await wallet.call(method, params)).error?.code;

/** Bad in so many words, or refused as a text that cannot be read. */
async function refused(wallet: WalletRpc, method: string, params: unknown): Promise<boolean> {
  const { result, error } = await wallet.call(method, params);
  return error === undefined ? result?.['good'] === false : error.code === -1;
}

describe.each(DIRECTIONS)('signatures by %s, read by %s', (signer, reader) => {
  describe.each([
    ['spend', 0],
    ['view', 0],
    ['spend', 1],
    ['view', 1],
  ])('with the %s key of address %i', (type, minor) => {
    it('hold for this text and address alone', async () => {
      const { signature } = await wallets[signer].rpc('sign', {
        data: MESSAGE,
        address_index: minor,
        signature_type: type,
      });
      const address = addresses[signer][minor === 0 ? 0 : 1];
      const verify = async (changes = {}): Promise<Loose> =>
        wallets[reader].rpc('verify', { data: MESSAGE, address, signature, ...changes });
      expect(await verify()).toEqual({ good: true, old: false, signature_type: type, version: 2 });
      const bad = { good: false, old: false, signature_type: 'spend', version: 0 };
      expect(await verify({ data: `${MESSAGE} ` })).toEqual(bad);
      expect(await verify({ address: addresses[signer][minor === 0 ? 1 : 0] })).toEqual(bad);
      expect(await verify({ address: addresses[other(signer)][0] })).toEqual(bad);
      expect(await verify({ signature: tampered(signature as string, -3) })).toEqual(bad);
    });
  });
});

describe.each(DIRECTIONS)('transaction keys of %s, used by %s', (payer, reader) => {
  test.each(PAYMENTS)('show the payment: %s', async (kind) => {
    const { txid, txKey, address, amount } = payments[payer][kind];
    expect(await wallets[payer].rpc('get_tx_key', { txid })).toEqual({ tx_key: txKey });
    expect(txKey.length).toBe(kind.startsWith('mixed') ? 4 * 64 : 64);
    const check = (changes = {}): Promise<Loose> =>
      wallets[reader].rpc('check_tx_key', { txid, tx_key: txKey, address, ...changes });
    expect(await check()).toEqual({ confirmations: 3, in_pool: false, received: amount });
    const nothing = { confirmations: 3, in_pool: false, received: 0 };
    expect(await check({ tx_key: '0'.repeat(txKey.length) })).toEqual(nothing);
    expect(await check({ address: addresses[payer][1] })).toEqual(nothing);
  });
});

describe.each(DIRECTIONS)('proofs of payment by %s, read by %s', (prover, reader) => {
  const cases = PAYMENTS.flatMap((kind) => [
    { kind, direction: 'Out', payer: prover },
    { kind, direction: 'In', payer: other(prover) },
  ]);
  test.each(cases)('$direction: $kind', async ({ kind, direction, payer }) => {
    const { txid, address, amount } = payments[payer][kind];
    const subject = { txid, address, message: MESSAGE };
    const { signature } = await wallets[prover].rpc('get_tx_proof', subject);
    expect(signature).toMatch(new RegExp(`^${direction}ProofV2`));
    const checked = { ...subject, signature };
    const check = (changes: Loose): Promise<Loose> =>
      wallets[reader].rpc('check_tx_proof', { ...checked, ...changes });
    const good = { good: true, confirmations: 3, in_pool: false, received: amount };
    const bad = { good: false, confirmations: 0, in_pool: false, received: 0 };
    expect(await check({})).toEqual(good);
    expect(await check({ message: '' })).toEqual(bad);
    const elsewhere = addresses[payer][address === addresses[other(payer)][1] ? 1 : 0];
    expect(await check({ address: elsewhere })).toEqual(bad);
    const turned = direction === 'Out' ? 'InProofV2' : 'OutProofV2';
    const body = (signature as string).replace(/^[A-Za-z]+V2/, '');
    expect(await check({ signature: turned + body })).toEqual(bad);
    expect(await check({ signature: (signature as string).replace('V2', 'V1') })).toEqual(bad);
    if (!kind.startsWith('mixed'))
      for (const at of [-1, -60, -100])
        expect(
          await refused(wallets[reader], 'check_tx_proof', {
            ...checked,
            signature: tampered(signature as string, at),
          }),
        ).toBe(true);
  });
});

describe('what is wrong with a request', () => {
  const cases: readonly (readonly [string, string, (paid: Payment) => unknown, number])[] = [
    ['get_tx_key', 'a txid that is none', () => ({ txid: 'xyz' }), -8],
    ['get_tx_key', 'a transaction of others', () => ({ txid: UNKNOWN_TX }), -24],
    ['check_tx_key', 'a txid that is none', () => ({ txid: '' }), -8],
    ['check_tx_key', 'a short key', (paid) => ({ ...paid, tx_key: 'ab' }), -25],
    ['check_tx_key', 'a key that is not hex', (paid) => ({ ...paid, tx_key: 'g'.repeat(64) }), -25],
    ['check_tx_key', 'a bad address', (paid) => ({ ...paid, tx_key: paid.txKey, address: 'abc' }), -2],
    [
      'check_tx_key',
      'an unknown transaction',
      (paid) => ({ ...paid, tx_key: paid.txKey, txid: UNKNOWN_TX }),
      -1,
    ],
    ['check_tx_key', 'another number of keys', (paid) => ({ ...paid, tx_key: paid.txKey + paid.txKey }), -1],
    ['get_tx_proof', 'a txid that is none', (paid) => ({ ...paid, txid: '00' }), -8],
    ['get_tx_proof', 'a bad address', (paid) => ({ ...paid, address: '' }), -2],
    ['get_tx_proof', 'an unknown transaction', (paid) => ({ ...paid, txid: UNKNOWN_TX }), -1],
    ['check_tx_proof', 'a txid that is none', (paid) => ({ ...paid, txid: 'z' }), -8],
    ['check_tx_proof', 'a bad address', (paid) => ({ ...paid, address: 'x' }), -2],
    ['check_tx_proof', 'an unknown transaction', (paid) => ({ ...paid, txid: UNKNOWN_TX }), -1],
    ['check_tx_proof', 'a text that is no proof', (paid) => ({ ...paid, signature: 'InProofV2abc' }), -1],
    ['sign', 'an unknown kind of key', () => ({ data: 'x', signature_type: 'both' }), -47],
    ['verify', 'a bad address', () => ({ data: 'x', address: 'x', signature: '' }), -2],
  ];
  test.each(cases)('%s: %s', async (method, _, paramsOf, code) => {
    const params = paramsOf(payments.theirs.integrated);
    expect(await errorOf(wallets.ours, method, params)).toBe(code);
    expect(await errorOf(wallets.theirs, method, params)).toBe(code);
  });

  it('is proving a payment that was not made', async () => {
    const { txid } = payments.ours.integrated;
    for (const wallet of [wallets.ours, wallets.theirs])
      expect(await errorOf(wallet, 'get_tx_proof', { txid, address: addresses.ours[1], message: '' })).toBe(
        -1,
      );
  });
});
