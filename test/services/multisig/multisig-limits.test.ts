import { beforeAll, describe, expect, it } from '@jest/globals';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import type { Spender } from '../../../src/model/spender.js';
import { exchangeInfo, GroupMember, groupWallets } from '../../support/wallets/group-wallets.js';
import { CHAIN_HEIGHT, ringAnswers } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault, groupKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { COIN, holder, payeeOf } from '../../monero/wallet/fixtures.js';
import { groupOf, randomSigners } from '../../monero/wallet/multisig/groups.js';

const rng = seededRng('multisig limits');
const accounts = groupOf(randomSigners(2, rng), 2, rng);
const { outputs } = groupWallets(2, 2, [3n * COIN, 3n * COIN, 3n * COIN], rng, accounts);
const stranger = holder(rng);
const TO = formatAddress(stranger.address());
const payee = { ...payeeOf(stranger.address(), COIN), text: TO };

const spender = (day: bigint, addresses?: ReadonlySet<string>): Spender => ({
  ...{ name: 'shop', limits: { day } },
  addresses,
});
/** Enough for one payment with its fee, not for two. */
const once = spender(COIN + COIN / 2n);
const spentBy = ({ wallet }: GroupMember): bigint =>
  wallet.store.read((r) => r.credentialSpends.sumAfter('shop', 0));

let a: GroupMember;
let b: GroupMember;
let proposed: string;

beforeAll(async () => {
  const members = accounts.map((account) => {
    const wallet = new ServiceWallet(groupKeys(account));
    wallet.receive(outputs, CHAIN_HEIGHT);
    wallet.answers = ringAnswers(outputs, CHAIN_HEIGHT);
    return new GroupMember(wallet);
  });
  [a, b] = members as [GroupMember, GroupMember];
  await exchangeInfo(members);
});

describe('limits of a credential on a multisig wallet', () => {
  it('refuse a proposal beyond them, and no nonce is lost', async () => {
    const before = a.nonces();
    await expect(a.propose(payee, spender(COIN))).rejects.toMatchObject(fault({ kind: 'spend_limit' }));
    await expect(a.propose(payee, spender(9n * COIN, new Set()))).rejects.toMatchObject(
      fault({ kind: 'credential_denied' }),
    );
    expect(a.nonces()).toEqual(before);
    expect(spentBy(a)).toBe(0n);
  });

  it('count a proposal, which has the signatures of its proposer', async () => {
    proposed = await a.propose(payee, once);
    expect(spentBy(a)).toBeGreaterThan(COIN);
    await expect(a.propose(payee, once)).rejects.toMatchObject(fault({ kind: 'spend_limit' }));
  });

  it('refuse a signature beyond them, after which it can still be signed', async () => {
    const before = b.nonces();
    await expect(b.signing.sign(proposed, spender(COIN))).rejects.toMatchObject(
      fault({ kind: 'spend_limit', reason: expect.stringContaining('credential shop: spend.day') }),
    );
    await expect(b.signing.sign(proposed, spender(9n * COIN, new Set()))).rejects.toMatchObject(
      fault({ kind: 'credential_denied' }),
    );
    expect([b.nonces(), spentBy(b)]).toEqual([before, 0n]);
    expect((await b.signing.sign(proposed, once)).txHashes).toHaveLength(1);
    expect(spentBy(b)).toBe(spentBy(a));
  });

  it('count a transaction once when it is proposed, signed and submitted', async () => {
    const set = b.wallet.store.read((r) => r.credentialSpends.latest('shop'));
    expect(set).toBeDefined();
    const signed = await new GroupMember(b.wallet).signing.sign(proposed, once);
    const hex = Buffer.from(signed.set).toString('hex');
    a.wallet.answers = {
      ...ringAnswers(outputs, CHAIN_HEIGHT),
      sendRawTransaction: () => Promise.resolve({ accepted: true, notRelayed: false, reason: '' }),
    };
    const before = spentBy(a);
    await expect(
      a.signing.submit(hex, { ...once, name: 'till', limits: { day: COIN } }),
    ).rejects.toMatchObject(fault({ kind: 'spend_limit' }));
    expect((await a.signing.submit(hex, once)).payments).toHaveLength(1);
    expect(spentBy(a)).toBe(before);
  });

  it('refuse to propose, sign and submit a payment with an unlock time without the right to lock money', async () => {
    const members = accounts.map((account) => {
      const wallet = new ServiceWallet(groupKeys(account));
      wallet.receive(outputs, CHAIN_HEIGHT);
      wallet.answers = ringAnswers(outputs, CHAIN_HEIGHT);
      return new GroupMember(wallet);
    });
    const [first, second] = members as [GroupMember, GroupMember];
    await exchangeInfo(members);
    const own = payeeOf(first.wallet.accounts.decoded({ major: 0, minor: 0 }), COIN);
    const toItself = { ...own, text: formatAddress(own.address) };
    const denied = fault({ kind: 'credential_denied', reason: expect.stringContaining('shop: lock') });
    await expect(first.propose(toItself, once, 1000n)).rejects.toMatchObject(denied);
    const locked = await first.propose(toItself, undefined, 1000n);
    await expect(second.signing.sign(locked, once)).rejects.toMatchObject(denied);
    // All that it spends is locked.
    await expect(second.signing.sign(locked, { ...once, mayLock: true })).rejects.toMatchObject(
      fault({ kind: 'spend_limit' }),
    );
    const { set } = await second.signing.sign(locked, undefined);
    await expect(first.signing.submit(Buffer.from(set).toString('hex'), once)).rejects.toMatchObject(denied);
  });
});
