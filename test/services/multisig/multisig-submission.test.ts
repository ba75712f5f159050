import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import type { RelayOutcome } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { decode, encode } from '../../../src/util/codec.js';
import { multisigTxSet } from '../../../src/monero/wallet/multisig/tx-set.js';
import { exchangeInfo, GroupMember, groupWallets } from '../../support/wallets/group-wallets.js';
import { CHAIN_HEIGHT } from '../../support/wallets/paid-outputs.js';
import { REFUSED, TAKEN } from '../../support/wallets/payment-home.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault, groupKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { bytes } from '../../store/fixtures.js';
import { COIN, holder, payeeOf } from '../../monero/wallet/fixtures.js';
import { groupOf, randomSigners } from '../../monero/wallet/multisig/groups.js';

const rng = seededRng('multisig submission');
const accounts = groupOf(randomSigners(2, rng), 2, rng);
const { wallets, outputs } = groupWallets(2, 2, [3n * COIN], rng, accounts);
const stranger = holder(rng);
const TO = formatAddress(stranger.address());
const [account] = accounts;
if (account === undefined) throw new Error('an account');

/** Sealed set in hex that both members have signed. */
let signed: string;
/** A wallet of the group with nonces, that has signed nothing. */
let member: GroupMember;
let sent: Uint8Array[];

beforeAll(async () => {
  const [a, b] = wallets.map((wallet) => new GroupMember(wallet));
  if (a === undefined || b === undefined) throw new Error('members');
  await exchangeInfo([a, b]);
  const proposed = await a.propose({ ...payeeOf(stranger.address(), COIN), text: TO });
  signed = toHex((await b.signing.sign(proposed, undefined)).set);
});

beforeEach(() => {
  sent = [];
  const wallet = new ServiceWallet(groupKeys(account));
  wallet.receive(outputs, CHAIN_HEIGHT);
  wallet.store.write((w) =>
    w.multisig.replaceNonces(outputs.map(({ publicKey }) => ({ publicKey, nonces: [bytes<SecretKey>(1)] }))),
  );
  answering(wallet, () => Promise.resolve(TAKEN));
  member = new GroupMember(wallet);
});

const answering = (wallet: ServiceWallet, answer: () => Promise<RelayOutcome>): void => {
  wallet.answers = {
    sendRawTransaction: (blob) => {
      sent.push(blob);
      return answer();
    },
  };
};

const outgoing = () =>
  member.wallet.store.read((r) =>
    r.outgoing.list({ states: ['prepared', 'pending', 'failed', 'confirmed'] }),
  );

describe('submitting a set with enough signers', () => {
  it('relays a payment of the wallet, and erases nonces of its inputs', async () => {
    const { payments } = await member.signing.submit(signed, undefined);
    const [hash] = payments.map((payment) => payment.signed?.txHash);
    expect(outgoing()).toMatchObject([
      { state: 'pending', amountIn: 3n * COIN, destinations: [{ address: TO, amount: COIN }] },
    ]);
    expect(outgoing().map(({ txHash }) => txHash)).toEqual([hash]);
    expect([sent.length, member.nonces()]).toEqual([1, [0]]);
  });

  it.each<[string, () => Promise<RelayOutcome>, object]>([
    ['refuses it', () => Promise.resolve(REFUSED), { reason: 'double spend' }],
    ['is busy', () => Promise.reject(new DaemonError('busy', 'it syncs')), { text: 'daemon is busy' }],
  ])(
    'fails where the daemon %s; no payment is recorded, and the nonces stay',
    async (_, answer, expected) => {
      answering(member.wallet, answer);
      await expect(member.signing.submit(signed, undefined)).rejects.toMatchObject(
        fault({ kind: 'multisig_submission_failed', ...expected }),
      );
      expect([outgoing(), member.nonces()]).toEqual([[], [1]]);
    },
  );

  it('succeeds where the nonces cannot be erased: the payment is relayed', async () => {
    const { store } = member.wallet;
    const write = store.write.bind(store);
    store.write = (task) =>
      write((w) => {
        w.multisig.eraseNonces = () => {
          throw new Error('disk full');
        };
        return task(w);
      });
    expect((await member.signing.submit(signed, undefined)).payments).toHaveLength(1);
    expect(outgoing()).toMatchObject([{ state: 'pending' }]);
    expect(member.wallet.lines).toContainEqual(expect.objectContaining({ level: 50 }));
  });

  it('is refused for a record that does not fit the transaction', async () => {
    const { exports } = member.wallet;
    const set = decode(multisigTxSet, await exports.open('multisigTxs', fromHex(signed)));
    const txs = set.txs.map((tx) => ({ ...tx, change: { ...tx.change, amount: 0n } }));
    const other = await exports.seal('multisigTxs', encode(multisigTxSet, { ...set, txs }));
    await expect(member.signing.submit(toHex(other), undefined)).rejects.toMatchObject({
      fault: { kind: 'multisig_submission_failed', reason: expect.stringMatching(/do not fit this wallet/) },
    });
    expect(sent).toEqual([]);
  });

  it('is refused in a wallet that lacks an input', async () => {
    const wallet = new ServiceWallet(groupKeys(account));
    await expect(new GroupMember(wallet).signing.submit(signed, undefined)).rejects.toMatchObject({
      fault: { kind: 'bad_multisig_set' },
    });
  });
});
