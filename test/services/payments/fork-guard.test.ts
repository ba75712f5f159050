import { beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { HardForkInfo } from '../../../src/daemon/daemon.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { ForkGuard } from '../../../src/services/payments/fork-guard.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import { coldPair, layOutPayment, type ColdPair } from '../../support/wallets/cold-pair.js';
import { exchangeInfo, GroupMember, groupWallets } from '../../support/wallets/group-wallets.js';
import { OrderHome, paymentRequest } from '../../support/wallets/order-home.js';
import { OrderNetwork } from '../../support/wallets/order-network.js';
import { paidOutput, payingWallet } from '../../support/wallets/paid-outputs.js';
import { TAKEN } from '../../support/wallets/payment-home.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import type { ServiceWallet } from '../../support/wallets/service-wallet.js';
import { COIN, holder, payeeOf } from '../../monero/wallet/fixtures.js';

const rng = seededRng('fork guard');
const owner = holder(rng);
const stranger = holder(rng);
const TO = formatAddress(stranger.address());
const payee = { ...payeeOf(stranger.address(), COIN), text: TO };

/** Answer of a daemon whose next block belongs to the fork. */
const ACTIVE: HardForkInfo = { version: 17, enabled: true, earliestHeight: 71 };
const ENDED = { fault: { kind: 'payments_ended', height: 71, version: 17 } };

/** Makes the next block of the daemon of a wallet belong to the fork. */
const fork = (wallet: ServiceWallet): void => {
  wallet.answers = { ...wallet.answers, hardForkInfo: () => Promise.resolve(ACTIVE) };
};

describe('the fork after which no payments are made', () => {
  const guard = (info: () => Promise<HardForkInfo>, changes: object = {}): ForkGuard =>
    new ForkGuard({
      daemon: {
        ...{
          acceptsAnyVersion: false,
          newerBlock: undefined,
          client: () => ({ hardForkInfo: info }),
          ...changes,
        },
      } as unknown as ServiceWallet['daemon'],
    });
  const active = () => Promise.resolve(ACTIVE);

  it('is active where the next block belongs to it, with the height of its first block', async () => {
    expect(await guard(active).active()).toEqual({ height: 71, version: 17 });
    await expect(guard(active).assertPayable()).rejects.toMatchObject(ENDED);
  });

  test.each<[string, () => Promise<HardForkInfo>]>([
    ['ahead', () => Promise.resolve({ ...ACTIVE, enabled: false, earliestHeight: 900 })],
    ['not known to the daemon', () => Promise.resolve({ version: 16, enabled: false })],
    ['not told by the daemon', () => Promise.reject(new DaemonError('malformed', 'no number'))],
  ])('is not active while it is %s', async (_, info) => {
    expect(await guard(info).active()).toBeUndefined();
    await guard(info).assertPayable();
  });

  it('is not asked for where blocks of any version are accepted', async () => {
    expect(await guard(active, { acceptsAnyVersion: true }).active()).toBeUndefined();
  });

  it('is that of the block at which the wallet has stopped, whatever the daemon says', async () => {
    const behind = (version: number) =>
      guard(() => Promise.resolve({ version: 16, enabled: false }), { newerBlock: { height: 60, version } });
    await expect(behind(18).assertPayable()).rejects.toMatchObject({
      fault: { kind: 'payments_ended', height: 60, version: 18 },
    });
    await expect(behind(19).assertPayable()).rejects.toMatchObject({
      fault: { kind: 'fork_unsupported', height: 60, version: 19 },
    });
  });
});

describe('after the fork', () => {
  const request = paymentRequest(TO, COIN);
  const terms = {
    ...{ key: 'order-1', method: 'transfer', requestHash: new Uint8Array(32) as Hash },
    ...{ retryFailed: false, withBlobs: false },
  };
  let home: OrderHome;
  let wallet: ServiceWallet;
  let sent: number;

  beforeEach(() => {
    ({ wallet } = payingWallet(owner, [2n * COIN, 2n * COIN]));
    sent = 0;
    wallet.answers = {
      ...wallet.answers,
      sendRawTransaction: () => {
        sent += 1;
        return Promise.resolve(TAKEN);
      },
    };
    home = new OrderHome(wallet, new OrderNetwork([], 1));
  });

  it('a payment under a key is refused, and the key stays free', async () => {
    fork(wallet);
    const { version } = wallet.store;
    const place = () =>
      home.orders.place(terms, {
        pay: (order) => home.transfers.pay({ ...request, ...(order && { order }) }),
      });
    await expect(place()).rejects.toMatchObject(ENDED);
    expect([home.orders.find(terms.key), wallet.store.version, sent]).toEqual([undefined, version, 0]);
    wallet.answers = {
      ...wallet.answers,
      hardForkInfo: () => Promise.resolve({ ...ACTIVE, enabled: false }),
    };
    expect((await place()).payments).toHaveLength(1);
    expect(sent).toBe(1);
    // The result of a key that is taken is still returned.
    fork(wallet);
    expect((await place()).payments).toHaveLength(1);
  });

  it('sweeps are refused', async () => {
    fork(wallet);
    const { version } = wallet.store;
    const sweep = { ...request, address: TO, outputs: 1, minors: [], allAddresses: true, below: amount(0n) };
    await expect(home.sweeps.all(sweep)).rejects.toMatchObject(ENDED);
    expect(wallet.store.version).toBe(version);
  });

  it('a transaction that was made before is not relayed for the first time', async () => {
    const { payments } = await home.transfers.pay({ ...request, doNotRelay: true, withMetadata: true });
    const metadata = toHex(payments[0]?.signed?.metadata ?? new Uint8Array());
    fork(wallet);
    const { version } = wallet.store;
    await expect(home.payments.relay(metadata, undefined)).rejects.toMatchObject(ENDED);
    expect([wallet.store.version, sent]).toEqual([version, 0]);
  });
});

describe('after the fork, of a wallet without its spend key,', () => {
  const outputs = [2n, 3n].map((coins, i) => paidOutput(owner, coins * COIN, i + 1, rng));
  let pair: ColdPair;
  let unsigned: string;

  beforeAll(async () => {
    pair = coldPair(owner, outputs);
    unsigned = await layOutPayment(pair, payee);
  });

  it('a set is signed offline still, and its submission changes nothing', async () => {
    const { blob } = await pair.signer.coldSigning.sign(unsigned, undefined);
    const { wallet, coldSigning } = pair.watch;
    fork(wallet);
    const { version } = wallet.store;
    await expect(coldSigning.submit(toHex(blob), undefined)).rejects.toMatchObject(ENDED);
    await expect(layOutPayment(pair, payee)).rejects.toMatchObject(ENDED);
    expect([wallet.store.version, pair.sent]).toEqual([version, []]);
  });

  it('a set is not signed with a daemon past the fork', async () => {
    const { wallet, coldSigning } = pair.signer;
    fork(wallet);
    const { version } = wallet.store;
    await expect(coldSigning.sign(unsigned, undefined)).rejects.toMatchObject(ENDED);
    expect(wallet.store.version).toBe(version);
  });
});

describe('after the fork, of a group,', () => {
  it('no member proposes, signs or submits, and no nonce is used', async () => {
    const members = groupWallets(2, 2, [3n * COIN], rng).wallets.map((wallet) => new GroupMember(wallet));
    await exchangeInfo(members);
    const [a, b] = members as [GroupMember, GroupMember];
    const proposed = await a.propose(payee);
    for (const { wallet } of members) fork(wallet);
    const nonces = b.nonces();
    await expect(b.propose(payee)).rejects.toMatchObject(ENDED);
    await expect(b.signing.sign(proposed, undefined)).rejects.toMatchObject(ENDED);
    await expect(b.signing.submit(proposed, undefined)).rejects.toMatchObject(ENDED);
    expect(b.nonces()).toEqual(nonces);
  });
});
