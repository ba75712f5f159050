import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { publicKeyOf } from '../../src/monero/crypto/derivation.js';
import { keccak } from '../../src/monero/crypto/keccak.js';
import { signHash } from '../../src/monero/crypto/signature.js';
import { sharedSecret } from '../../src/monero/crypto/tx-proof.js';
import type { PublicKey, SecretKey } from '../../src/monero/crypto/types.js';
import { parseAddress } from '../../src/monero/cryptonote/address.js';
import { encodeBase58 } from '../../src/monero/cryptonote/base58.js';
import { additionalPublicKeys, parseExtra, txPublicKeys } from '../../src/monero/cryptonote/extra.js';
import { parsePrunedTransaction } from '../../src/monero/cryptonote/transaction.js';
import { equalBytes, fromHex, toHex, utf8 } from '../../src/util/bytes.js';
import { formatReserveProof, readReserveProof } from '../../src/monero/wallet/proofs/reserve-proof-text.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { proveSharedSecretV1 } from '../monero/wallet/payment-fixture.js';
import { someRows } from '../support/jest/lanes.js';

/*
 * Proofs and signatures between our wallet and the reference's, each created by one and checked by the other. The
 * chain and the payments are created once; no test changes them.
 */

const rng = seededRng('proofs');
const XMR = 1_000_000_000_000;
const MESSAGE = 'order 17, ünïcode';
/** Time limit of the set-up, which takes about 20 s on an idle machine. */
const SETUP_MS = 300_000;
const CONFIRMATIONS = 3;
const UNKNOWN_TX = '5'.repeat(64);

type Name = 'ours' | 'theirs';
/** Pairs of prover and verifier. */
const DIRECTIONS: readonly (readonly [Name, Name])[] = [
  ['ours', 'theirs'],
  ['theirs', 'ours'],
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
/** Addresses 0/0 and 0/1 of each wallet. */
const addresses = {} as Record<Name, readonly [string, string]>;
const payments = {} as Record<Name, Record<PaymentKind, Payment>>;

/** Reserve proofs from before the payments. */
const holdings = {} as Record<Name, string>;

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
  daemon = await startRegtestDaemon();
  [wallets.ours, wallets.theirs] = await Promise.all([
    startWalletRpc({ daemon: daemon.address, args: ['--api-version=1.32'] }),
    startReference({ daemon: daemon.address }),
  ]);
  for (const name of ['ours', 'theirs'] as const) {
    await createWallet(wallets[name], name);
    const { address } = await wallets[name].rpc('get_address');
    const { address: second } = await wallets[name].rpc('create_address', { account_index: 0 });
    addresses[name] = [address, second];
    await daemon.generate(address, 6);
  }
  // Of 22 usable outputs the reference takes all. From 26 on it draws at random, which never ends on such a short chain.
  await daemon.generate(addresses.ours[0], 70);
  await Promise.all([wallets.ours.rpc('refresh'), wallets.theirs.rpc('refresh')]);
  for (const name of ['ours', 'theirs'] as const)
    holdings[name] = (await wallets[name].rpc('get_reserve_proof', { all: true, message: '' })).signature;
  [payments.ours, payments.theirs] = await Promise.all([paymentsOf('ours'), paymentsOf('theirs')]);
}, SETUP_MS);

afterAll(async () => {
  await Promise.all([wallets.ours?.stop(), wallets.theirs?.stop()]);
  await daemon?.stop();
});

/** Replaces one base58 character; a negative position counts from the end. */
const tampered = (text: string, at: number): string => {
  const place = at < 0 ? text.length + at : at;
  return text.slice(0, place) + (text[place] === '2' ? '3' : '2') + text.slice(place + 1);
};

const errorOf = async (wallet: WalletRpc, method: string, params: unknown): Promise<number | undefined> =>
  (await wallet.call(method, params)).error?.code;

/** True when a check answers that a proof is bad, or refuses it as malformed. */
async function refused(wallet: WalletRpc, method: string, params: unknown): Promise<boolean> {
  const { result, error } = await wallet.call(method, params);
  return error === undefined ? result?.['good'] === false : error.code === -1;
}

describe('while the payments are in the pool', () => {
  test.each<Name>(['ours', 'theirs'])('proofs and keys of %s find them there', async (payer) => {
    const { txid, txKey, address, amount } = payments[payer].integrated;
    const subject = { txid, address, message: '' };
    const { signature } = await wallets[payer].rpc('get_tx_proof', subject);
    const seen = { confirmations: 0, in_pool: true, received: amount };
    for (const reader of [wallets.ours, wallets.theirs]) {
      expect(await reader.rpc('check_tx_proof', { ...subject, signature })).toEqual({ good: true, ...seen });
      expect(await reader.rpc('check_tx_key', { ...subject, tx_key: txKey })).toEqual(seen);
    }
  });

  test.each<Name>(['ours', 'theirs'])('a reserve proof of %s shows spent outputs', async (holder) => {
    const { txid } = payments[holder].integrated;
    const { transfer } = await wallets[holder].rpc('get_transfer_by_txid', { txid });
    const check = { address: addresses[holder][0], message: '', signature: holdings[holder] };
    const [ours, theirs] = await Promise.all(
      [wallets.ours, wallets.theirs].map((reader) => reader.rpc('check_reserve_proof', check)),
    );
    expect(ours).toEqual(theirs);
    expect(ours.good).toBe(true);
    expect(ours.spent).toBeGreaterThanOrEqual(transfer.amount + transfer.fee);
    // Outputs spent only in the pool still count as reserves.
    const again = await wallets[holder].rpc('get_reserve_proof', { all: true, message: '' });
    for (const reader of [wallets.ours, wallets.theirs])
      expect(await reader.rpc('check_reserve_proof', { ...check, signature: again.signature })).toEqual(ours);
  });
});

describe('once the payments are mined', () => {
  beforeAll(async () => {
    await daemon.generate(addresses.ours[0], CONFIRMATIONS);
    await Promise.all([wallets.ours.rpc('refresh'), wallets.theirs.rpc('refresh')]);
  });

  describe.each(DIRECTIONS)('signatures by %s, checked by %s', (signer, reader) => {
    describe.each([
      ['spend', 0],
      ['view', 0],
      ['spend', 1],
      ['view', 1],
    ])('with the %s key of address %i', (type, minor) => {
      it('are valid for this message and address only', async () => {
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
    test.each(someRows(PAYMENTS, 2))('prove the payment: %s', async (kind) => {
      const { txid, txKey, address, amount } = payments[payer][kind];
      expect(await wallets[payer].rpc('get_tx_key', { txid })).toEqual({ tx_key: txKey });
      expect(txKey.length).toBe(kind.startsWith('mixed') ? 4 * 64 : 64);
      const check = (changes = {}): Promise<Loose> =>
        wallets[reader].rpc('check_tx_key', { txid, tx_key: txKey, address, ...changes });
      expect(await check()).toEqual({ confirmations: CONFIRMATIONS, in_pool: false, received: amount });
      const nothing = { confirmations: CONFIRMATIONS, in_pool: false, received: 0 };
      expect(await check({ tx_key: '0'.repeat(txKey.length) })).toEqual(nothing);
      expect(await check({ address: addresses[payer][1] })).toEqual(nothing);
    });
  });

  describe.each(DIRECTIONS)('payment proofs by %s, checked by %s', (prover, reader) => {
    const cases = PAYMENTS.flatMap((kind) => [
      { kind, direction: 'Out', payer: prover },
      { kind, direction: 'In', payer: other(prover) },
    ]);
    test.each(someRows(cases, 2))('$direction: $kind', async ({ kind, direction, payer }) => {
      const { txid, address, amount } = payments[payer][kind];
      const subject = { txid, address, message: MESSAGE };
      const { signature } = await wallets[prover].rpc('get_tx_proof', subject);
      expect(signature).toMatch(new RegExp(`^${direction}ProofV2`));
      const checked = { ...subject, signature };
      const check = (changes: Loose): Promise<Loose> =>
        wallets[reader].rpc('check_tx_proof', { ...checked, ...changes });
      const good = { good: true, confirmations: CONFIRMATIONS, in_pool: false, received: amount };
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

  describe.each(DIRECTIONS)('spend proofs by %s, checked by %s', (payer, reader) => {
    test.each(someRows(PAYMENTS.slice(0, 3)))(
      'are valid for this transaction and message only: %s',
      async (kind) => {
        const { txid } = payments[payer][kind];
        const { signature } = await wallets[payer].rpc('get_spend_proof', { txid, message: MESSAGE });
        expect(signature).toMatch(/^SpendProofV1/);
        const checked = { txid, message: MESSAGE, signature };
        const check = (changes: Loose): Promise<Loose> =>
          wallets[reader].rpc('check_spend_proof', { ...checked, ...changes });
        expect(await check({})).toEqual({ good: true });
        expect(await check({ message: '' })).toEqual({ good: false });
        expect(await check({ txid: payments[other(payer)][kind].txid })).toEqual({ good: false });
        expect(await check({ signature: (signature as string).slice(0, -88) })).toEqual({ good: false });
        for (const at of [-1, -50, -500])
          expect(
            await refused(wallets[reader], 'check_spend_proof', {
              ...checked,
              signature: tampered(signature as string, at),
            }),
          ).toBe(true);
      },
    );

    it('cannot be created by the payee', async () => {
      const { txid } = payments[payer].subaddress;
      expect(await errorOf(wallets[other(payer)], 'get_spend_proof', { txid, message: '' })).toBe(-1);
    });
  });

  describe.each(DIRECTIONS)('reserve proofs by %s, checked by %s', (holder, reader) => {
    const bad = { good: false, total: 0, spent: 0 };

    it('of everything cover the whole balance, for this message and address only', async () => {
      const { balance } = await wallets[holder].rpc('get_balance', { all_accounts: true });
      const { signature } = await wallets[holder].rpc('get_reserve_proof', { all: true, message: MESSAGE });
      expect(signature).toMatch(/^ReserveProofV2/);
      const [address, subaddress] = addresses[holder];
      const check = (changes: Loose): Promise<Loose> =>
        wallets[reader].rpc('check_reserve_proof', { address, message: MESSAGE, signature, ...changes });
      expect(await check({})).toEqual({ good: true, total: balance, spent: 0 });
      expect(await check({ message: '' })).toEqual(bad);
      expect(await check({ signature: (signature as string).replace('V2', 'V1') })).toEqual(bad);
      const asked = { address, message: MESSAGE, signature };
      const refusals = [
        { address: addresses[other(holder)][0] },
        { address: subaddress },
        { signature: 'ReserveProofV2' },
        { signature: tampered(signature as string, -2) },
        { signature: tampered(signature as string, 60) },
      ];
      for (const changes of refusals)
        expect(await refused(wallets[reader], 'check_reserve_proof', { ...asked, ...changes })).toBe(true);
    });

    it.each([1, 40 * XMR])('of at least %i of an account use no more outputs than needed', async (amount) => {
      const asked = { all: false, account_index: 0, amount, message: MESSAGE };
      const { signature } = await wallets[holder].rpc('get_reserve_proof', asked);
      const check = { address: addresses[holder][0], message: MESSAGE, signature };
      const { good, total, spent } = await wallets[reader].rpc('check_reserve_proof', check);
      expect({ good, spent }).toEqual({ good: true, spent: 0 });
      expect(total).toBeGreaterThanOrEqual(amount);
      const { signature: theirs } = await wallets[holder].rpc('get_reserve_proof', asked);
      expect((theirs as string).length).toBe((signature as string).length);
    });
  });

  describe('the obsolete version 1 is checked alike', () => {
    const readers = (): readonly WalletRpc[] => [wallets.ours, wallets.theirs];
    const secretOf = async (type: string): Promise<SecretKey> =>
      fromHex((await wallets.ours.rpc('query_key', { key_type: type })).key as string) as SecretKey;
    const text = utf8(MESSAGE);

    it('in signatures', async () => {
      const spendSecret = await secretOf('spend_key');
      const made = signHash(keccak(text), { publicKey: publicKeyOf(spendSecret), secret: spendSecret }, rng);
      const [address] = addresses.ours;
      const signature = `SigV1${encodeBase58(made)}`;
      for (const reader of readers())
        expect(await reader.rpc('verify', { data: MESSAGE, address, signature })).toEqual({
          good: true,
          old: true,
          signature_type: 'spend',
          version: 1,
        });
    });

    it.each<[string, Name]>([
      ['OutProofV1', 'ours'],
      ['InProofV1', 'theirs'],
    ])('in proofs of payment: %s', async (header, payer) => {
      const { txid, txKey, address, amount } = payments[payer].integrated;
      const key = fromHex(txKey) as SecretKey;
      const { viewPublicKey } = parseAddress(address);
      const secret = payer === 'ours' ? key : await secretOf('view_key');
      const claim = {
        message: keccak(fromHex(txid), text),
        R: payer === 'ours' ? publicKeyOf(key) : viewPublicKey,
        A: payer === 'ours' ? viewPublicKey : publicKeyOf(key),
        D: sharedSecret(viewPublicKey, key),
      };
      const body = encodeBase58(claim.D) + encodeBase58(proveSharedSecretV1(claim, secret, rng));
      const asked = { txid, address, message: MESSAGE };
      for (const reader of readers()) {
        expect(await reader.rpc('check_tx_proof', { ...asked, signature: header + body })).toMatchObject({
          good: true,
          received: amount,
        });
        const newer = header.replace('V1', 'V2') + body;
        expect(await reader.rpc('check_tx_proof', { ...asked, signature: newer })).toMatchObject({
          good: false,
        });
      }
    });

    it('in reserve proofs', async () => {
      const [address] = addresses.ours;
      const asked = { amount: 1, message: MESSAGE };
      const { signature } = await wallets.ours.rpc('get_reserve_proof', asked);
      const proof = readReserveProof(signature as string);
      const { txs } = await daemon.plain('/get_transactions', {
        txs_hashes: proof.entries.map(({ txHash }) => toHex(txHash)),
        prune: true,
      });
      const viewSecret = await secretOf('view_key');
      const { spendPublicKey, viewPublicKey } = parseAddress(address);
      const images = proof.entries.map(({ keyImage }) => keyImage);
      const signed = keccak(text, spendPublicKey, viewPublicKey, ...images);
      const entries = proof.entries.map((entry, i) => {
        const { extra } = parsePrunedTransaction(fromHex(txs[i].pruned_as_hex as string)).prefix;
        const { fields } = parseExtra(extra);
        const keys = [...txPublicKeys(fields), ...additionalPublicKeys(fields)];
        const opens = (key: PublicKey): boolean =>
          equalBytes(sharedSecret(key, viewSecret), entry.sharedSecret);
        const A = keys.find(opens) ?? viewPublicKey;
        const claim = { message: signed, R: viewPublicKey, A, D: entry.sharedSecret };
        return { ...entry, sharedSecretSignature: proveSharedSecretV1(claim, viewSecret, rng) };
      });
      const older = formatReserveProof({ ...proof, entries }).replace('V2', 'V1');
      const [ours, theirs] = await Promise.all(
        readers().map((reader) =>
          reader.rpc('check_reserve_proof', { address, message: MESSAGE, signature: older }),
        ),
      );
      expect(ours).toEqual(theirs);
      expect(ours.good).toBe(true);
    });
  });

  describe('an invalid request is refused alike', () => {
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
      [
        'check_tx_key',
        'another number of keys',
        (paid) => ({ ...paid, tx_key: paid.txKey + paid.txKey }),
        -1,
      ],
      ['get_tx_proof', 'a txid that is none', (paid) => ({ ...paid, txid: '00' }), -8],
      ['get_tx_proof', 'a bad address', (paid) => ({ ...paid, address: '' }), -2],
      ['get_tx_proof', 'an unknown transaction', (paid) => ({ ...paid, txid: UNKNOWN_TX }), -1],
      ['check_tx_proof', 'a txid that is none', (paid) => ({ ...paid, txid: 'z' }), -8],
      ['check_tx_proof', 'a bad address', (paid) => ({ ...paid, address: 'x' }), -2],
      ['check_tx_proof', 'an unknown transaction', (paid) => ({ ...paid, txid: UNKNOWN_TX }), -1],
      ['check_tx_proof', 'a text that is no proof', (paid) => ({ ...paid, signature: 'InProofV2abc' }), -1],
      ['get_spend_proof', 'a txid that is none', () => ({ txid: '' }), -8],
      ['get_spend_proof', 'an unknown transaction', () => ({ txid: UNKNOWN_TX }), -1],
      ['check_spend_proof', 'a txid that is none', () => ({ txid: '', signature: 'SpendProofV1' }), -8],
      [
        'check_spend_proof',
        'an unknown transaction',
        () => ({ txid: UNKNOWN_TX, signature: 'SpendProofV1' }),
        -1,
      ],
      [
        'check_spend_proof',
        'a text that is no proof',
        (paid) => ({ ...paid, signature: 'SpendProofV2' }),
        -1,
      ],
      ['get_reserve_proof', 'an unknown account', () => ({ account_index: 7, amount: 1 }), -1],
      ['get_reserve_proof', 'no amount', () => ({ account_index: 0 }), -1],
      ['get_reserve_proof', 'more than is there', () => ({ account_index: 0, amount: 9e15 }), -1],
      ['check_reserve_proof', 'a bad address', () => ({ address: '', signature: 'ReserveProofV2' }), -2],
      ['check_reserve_proof', 'a subaddress', () => ({ address: addresses.ours[1], signature: '' }), -1],
      [
        'check_reserve_proof',
        'a text that is no proof',
        () => ({ address: addresses.ours[0], signature: 'x' }),
        -1,
      ],
      ['sign', 'an unknown kind of key', () => ({ data: 'x', signature_type: 'both' }), -47],
      ['verify', 'a bad address', () => ({ data: 'x', address: 'x', signature: '' }), -2],
    ];
    test.each(cases)('%s: %s', async (method, _, paramsOf, code) => {
      const params = paramsOf(payments.theirs.integrated);
      expect(await errorOf(wallets.ours, method, params)).toBe(code);
      expect(await errorOf(wallets.theirs, method, params)).toBe(code);
    });

    it('for a payment that does not exist', async () => {
      const { txid } = payments.ours.integrated;
      for (const wallet of [wallets.ours, wallets.theirs])
        expect(await errorOf(wallet, 'get_tx_proof', { txid, address: addresses.ours[1], message: '' })).toBe(
          -1,
        );
    });
  });

  describe('a view-only wallet', () => {
    let holding: Loose;
    beforeAll(async () => {
      const [address] = addresses.ours;
      const message = 'held';
      const proof = await wallets.ours.rpc('get_reserve_proof', { all: true, message });
      holding = { address, message, signature: proof.signature };
      const { key: viewkey } = await wallets.ours.rpc('query_key', { key_type: 'view_key' });
      // The reference creates its keys file.
      await wallets.theirs.rpc('generate_from_keys', {
        filename: 'watching',
        password: '',
        address,
        viewkey,
      });
      await wallets.theirs.rpc('open_wallet', { filename: 'theirs', password: '' });
      copyFileSync(
        join(wallets.theirs.walletDir, 'watching.keys'),
        join(wallets.ours.walletDir, 'watching.keys'),
      );
      await wallets.ours.rpc('open_wallet', { filename: 'watching', password: '' });
      await wallets.ours.rpc('refresh');
    });

    it('proves received payments, and signs with its view key', async () => {
      const { txid, address } = payments.theirs.subaddress;
      const subject = { txid, address, message: MESSAGE };
      const { signature } = await wallets.ours.rpc('get_tx_proof', subject);
      const { good } = await wallets.theirs.rpc('check_tx_proof', { ...subject, signature });
      expect(good).toBe(true);
      const signed = await wallets.ours.rpc('sign', { data: MESSAGE, signature_type: 'view' });
      const verdict = await wallets.theirs.rpc('verify', {
        data: MESSAGE,
        address: addresses.ours[0],
        signature: signed.signature,
      });
      expect(verdict).toMatchObject({ good: true, signature_type: 'view' });
    });

    it('checks proofs of other wallets', async () => {
      expect((await wallets.ours.rpc('check_reserve_proof', holding)).good).toBe(true);
      const { txid } = payments.theirs.subaddress;
      const { signature } = await wallets.theirs.rpc('get_spend_proof', { txid, message: '' });
      expect(await wallets.ours.rpc('check_spend_proof', { txid, message: '', signature })).toEqual({
        good: true,
      });
    });

    it.each([
      ['get_spend_proof', { txid: UNKNOWN_TX }, -1],
      ['get_reserve_proof', { all: true }, -1],
      ['get_tx_key', { txid: UNKNOWN_TX }, -24],
      ['sign', { data: 'x' }, -29],
      ['sign', { data: 'x', address_index: 1, signature_type: 'view' }, -29],
    ])('cannot %s of %j', async (method, params, code) => {
      expect(await errorOf(wallets.ours, method, params)).toBe(code);
    });
  });
});
