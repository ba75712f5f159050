import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, SecretKey } from '../../../src/monero/crypto/types.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import type { Daemon } from '../../../src/daemon/daemon.js';
import { amount } from '../../../src/util/amount.js';
import { equalBytes } from '../../../src/util/bytes.js';
import { bytes, page } from '../../store/fixtures.js';
import { blockWith } from '../../support/chain/work-chain.js';
import { openProofs } from '../../support/wallets/proof-wallet.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { faultOf } from '../../support/wallets/test-wallet.js';
import { holder } from '../../monero/wallet/fixtures.js';
import { payment } from '../../monero/wallet/payment-fixture.js';

const rng = seededRng('proofs of a wallet');
const PRIMARY = { major: 0, minor: 0 };
/** Number of blocks of the daemon, all of which the wallet has read. */
const CHAIN_HEIGHT = 20;

/** Answers as a daemon that holds one transaction. @param height undefined: in the pool. */
const chainWith = (
  tx: { readonly hash: Hash; readonly blob: Uint8Array; readonly prunableHash?: Hash },
  height?: number,
): Partial<Daemon> => ({
  getTransactions: (hashes) =>
    Promise.resolve({
      transactions: hashes.some((hash) => equalBytes(hash, tx.hash))
        ? [
            {
              ...tx,
              inPool: height === undefined,
              doubleSpendSeen: false,
              ...(height === undefined ? {} : { blockHeight: height }),
            },
          ]
        : [],
    }),
  getInfo: () => Promise.resolve({ height: CHAIN_HEIGHT } as Awaited<ReturnType<Daemon['getInfo']>>),
  getBlock: (at) => Promise.resolve(blockWith(at, at === height ? [tx.hash] : [])),
});

const { wallet, workers, proofs } = openProofs();
const viewOnly = openProofs({ viewOnly: true });
for (const { store } of [wallet, viewOnly.wallet]) {
  store.addPage(page(0, CHAIN_HEIGHT));
  // The hashes of its blocks are not those of the daemon's.
  store.blockAt = () => undefined;
}
afterAll(() => [wallet, viewOnly.wallet].forEach((one) => one.close()));
beforeEach(() => void workers.jobs.splice(0));
afterEach(() => {
  // The keys of the wallet are no part of any task.
  expect(wallet.keystore.keys.spendSecret?.expose()).toEqual(wallet.keys.spend);
  expect(wallet.keystore.keys.viewSecret.expose().some((byte) => byte !== 0)).toBe(true);
});

describe('a signed message', () => {
  it.each([
    ['the spend key of the primary address', PRIMARY, 'spend' as const],
    ['the view key of the primary address', PRIMARY, 'view' as const],
    ['the spend key of a subaddress', { major: 1, minor: 2 }, 'spend' as const],
    ['the view key of a subaddress', { major: 1, minor: 2 }, 'view' as const],
  ])('with %s is good for that message and address', async (_, index, key) => {
    const address = wallet.accounts.address(index);
    const signature = await proofs.sign('tea at five', index, key);
    expect(await proofs.verify('tea at five', address, signature)).toEqual({ good: true, version: 2, key });
    expect(await proofs.verify('tea at six', address, signature)).toEqual({ good: false });
    const other = wallet.accounts.address({ major: 0, minor: 1 });
    expect(await proofs.verify('tea at five', other, signature)).toEqual({ good: false });
  });

  it('is verified for the address that a name stands for', async () => {
    const texts = [`oa1:xmr recipient_address=${wallet.accounts.address(PRIMARY)};`];
    wallet.records.set('shop.example.org', { texts, authenticated: true });
    const signature = await proofs.sign('tea', PRIMARY, 'view');
    expect(await proofs.verify('tea', 'shop@example.org', signature)).toMatchObject({ good: true });
    expect(await faultOf(() => proofs.verify('tea', 'nonsense', signature))).toMatchObject({
      kind: 'wrong_address',
    });
  });

  it('of a view-only wallet is signed with its view key alone', async () => {
    const signature = await viewOnly.proofs.sign('tea', PRIMARY, 'view');
    expect(await proofs.verify('tea', wallet.accounts.address(PRIMARY), signature)).toMatchObject({
      key: 'view',
    });
    expect(await faultOf(() => viewOnly.proofs.sign('tea', PRIMARY, 'spend'))).toEqual({ kind: 'view_only' });
  });
});

describe('the keys of a transaction', () => {
  it('are those that were kept', async () => {
    const [kept, offline, zeros, partly] = [1, 2, 3, 4].map((n) => bytes<Hash>(n)) as [
      Hash,
      Hash,
      Hash,
      Hash,
    ];
    // A key may hold bytes of zero.
    const someZeros = Uint8Array.from({ length: 32 }, (_, i) => i % 2) as SecretKey;
    wallet.store.write((w) => {
      w.txKeys.set(kept, [bytes<SecretKey>(7), bytes<SecretKey>(0)]);
      w.txKeys.set(offline, []);
      w.txKeys.set(partly, [someZeros]);
      w.txKeys.set(zeros, [bytes<SecretKey>(0), bytes<SecretKey>(7)]);
    });
    expect(proofs.txKeys(kept)).toEqual([bytes(7), bytes(0)]);
    expect(proofs.txKeys(partly)).toEqual([someZeros]);
    expect(await faultOf(() => proofs.txKeys(offline))).toEqual({ kind: 'no_tx_key', withSigner: true });
    expect(await faultOf(() => proofs.txKeys(zeros))).toEqual({ kind: 'no_tx_key' });
    expect(await faultOf(() => proofs.txKeys(bytes<Hash>(9)))).toEqual({ kind: 'no_tx_key' });
  });
});

const [payer, payee] = [holder(rng), holder(rng)];
const own = wallet.accounts.decoded({ major: 0, minor: 1 });
/** Pays 5 to the wallet and 7 to the payee. */
const made = payment(
  payer,
  [
    { address: own, amount: amount(5n) },
    { address: payee.address(), amount: amount(7n) },
  ],
  rng,
);
const { tx, keys } = made;
const ownText = formatAddress(own);
const payeeText = formatAddress(payee.address());

describe('a payment that is checked with the keys of its transaction', () => {
  const copies = (): SecretKey[] => keys.map((key) => Uint8Array.from(key) as SecretKey);

  it('has what it paid to the address, and its place', async () => {
    wallet.answers = chainWith(tx, 15);
    expect(await proofs.checkTxKey(tx.hash, copies(), payeeText)).toEqual({
      received: 7n,
      inPool: false,
      confirmations: 5,
    });
    wallet.answers = chainWith(tx);
    expect(await proofs.checkTxKey(tx.hash, copies(), ownText)).toEqual({
      received: 5n,
      inPool: true,
      confirmations: 0,
    });
    expect(await proofs.checkTxKey(tx.hash, copies(), wallet.accounts.address(PRIMARY))).toMatchObject({
      received: 0n,
    });
  });

  it('is refused for a bad address, and for a transaction that the daemon does not know or has replaced', async () => {
    wallet.answers = chainWith(tx);
    const check = (hash: Hash, address = payeeText) =>
      faultOf(() => proofs.checkTxKey(hash, copies(), address));
    expect(await check(tx.hash, 'nonsense')).toMatchObject({ kind: 'wrong_address' });
    expect(await check(bytes<Hash>(1))).toMatchObject({
      kind: 'invalid',
      text: 'Failed to get transaction from daemon',
    });
    wallet.answers = chainWith({ ...tx, blob: tx.blob.map((byte, i) => (i === 3 ? byte ^ 1 : byte)) });
    expect(await check(tx.hash)).toMatchObject({ kind: 'daemon_misbehaves' });
  });
});

describe('a proof of payment', () => {
  beforeEach(() => {
    wallet.answers = chainWith(tx, 15);
  });
  const BAD = { good: false, received: 0n, inPool: false, confirmations: 0 };

  it('to an own address is one of receiving, also in a view-only wallet', async () => {
    for (const prover of [proofs, viewOnly.proofs]) {
      viewOnly.wallet.answers = wallet.answers;
      const proof = await prover.proveTx(tx.hash, ownText, 'tea');
      expect(proof).toMatch(/^InProofV2/);
      expect(await proofs.checkTxProof(tx.hash, ownText, 'tea', proof)).toEqual({
        good: true,
        received: 5n,
        inPool: false,
        confirmations: 5,
      });
      expect(await proofs.checkTxProof(tx.hash, ownText, 'coffee', proof)).toEqual(BAD);
    }
  });

  it('to another address is one of sending, made with the keys of the transaction, which stay in the store', async () => {
    wallet.store.write((w) => w.txKeys.set(tx.hash, keys));
    const proof = await proofs.proveTx(tx.hash, payeeText, 'tea');
    expect(proof).toMatch(/^OutProofV2/);
    expect(await proofs.checkTxProof(tx.hash, payeeText, 'tea', proof)).toMatchObject({
      good: true,
      received: 7n,
    });
    expect(proofs.txKeys(tx.hash)).toEqual(keys);
    expect(workers.jobs).toEqual(['proveSent', 'checkTxProof']);
  });

  it.each<[string, Hash, string, object]>([
    ['a bad address', tx.hash, 'nonsense', { kind: 'wrong_address' }],
    ['a transaction that the daemon does not know', bytes<Hash>(1), ownText, { kind: 'invalid' }],
    [
      'an address with a spend key of ours and a view key of another wallet',
      tx.hash,
      formatAddress({ ...own, viewPublicKey: payee.address().viewPublicKey }),
      { kind: 'invalid', reason: 'the address has a spend key of this wallet, but is not an address of it' },
    ],
  ])('is refused for %s', async (_, hash, address, fault) => {
    expect(await faultOf(() => proofs.proveTx(hash, address, ''))).toMatchObject(fault);
  });

  it('is refused to a wallet that neither received nor sent it, and as none of a known kind', async () => {
    viewOnly.wallet.answers = wallet.answers;
    expect(await faultOf(() => viewOnly.proofs.proveTx(tx.hash, payeeText, ''))).toEqual({
      kind: 'no_tx_key',
    });
    expect(await faultOf(() => proofs.checkTxProof(tx.hash, ownText, '', 'nonsense'))).toMatchObject({
      kind: 'bad_proof',
    });
  });
});
