import { beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { toHex } from '../../../src/util/bytes.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { GroupMember, groupWallets } from '../../support/wallets/group-wallets.js';
import { CHAIN_HEIGHT } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault, groupKeys, ownKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { bytes, page, received } from '../../store/fixtures.js';
import { holder, type Holder } from '../../monero/wallet/fixtures.js';
import { addressOfGroup } from '../../monero/wallet/multisig/shared-outputs.js';
import { forkOutput } from '../../support/wallets/fork-outputs.js';
import { compositeKeyImage, ownPartOf } from '../../../src/monero/wallet/multisig/key-image.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { isMultisigImportNeeded } from '../../../src/services/context/keystore.js';
import { groupOf, randomSigners } from '../../monero/wallet/multisig/groups.js';

const rng = seededRng('multisig info');
const accounts = groupOf(randomSigners(3, rng), 2, rng);
const [account] = accounts;
if (account === undefined) throw new Error('a group');
const { outputs } = groupWallets(2, 3, [1n, 2n], rng, accounts);
/** A member of another group. */
const [STRANGER] = groupWallets(2, 2, [1n], rng).wallets;
if (STRANGER === undefined) throw new Error('a stranger');

/** The wallet of a member that has received the outputs, by its place in the group. */
function memberAt(place: number): GroupMember {
  const account = accounts[place];
  if (account === undefined) throw new Error('a member');
  const wallet = new ServiceWallet(groupKeys(account));
  wallet.receive(outputs, CHAIN_HEIGHT);
  return new GroupMember(wallet);
}

/** Info that each member exported, in the order of the group. */
let infos: readonly [string, string, string];
/** Info that the second member exported later. */
let newer: string;
let a: GroupMember;

beforeAll(async () => {
  const b = memberAt(1);
  infos = [await exported(memberAt(0)), await exported(b), await exported(memberAt(2))];
  newer = await exported(b);
});

beforeEach(() => {
  a = memberAt(0);
});

const exported = async (member: GroupMember): Promise<string> => toHex(await member.info.export());
const refused = (text?: string) =>
  expect.objectContaining({
    fault: expect.objectContaining({ kind: 'multisig_refused', ...(text === undefined ? {} : { text }) }),
  });

describe('an export of multisig info', () => {
  it('replaces the nonces of all outputs that are not spent', async () => {
    expect(a.nonces()).toEqual([0, 0]);
    await exported(a);
    const before = a.nonces();
    expect(before[0]).toBeGreaterThan(0);
    const first = outputs[0]?.publicKey;
    const read = () => a.wallet.store.read((r) => (first === undefined ? [] : r.multisig.nonces(first)));
    const old = read().map(toHex);
    await exported(a);
    expect(a.nonces()).toEqual(before);
    expect(read().map(toHex)).not.toEqual(old);
  });

  it('has no nonces for an output that the chain spends', async () => {
    await a.info.import([infos[1]], false);
    const [image] = a.keyImages();
    if (image === undefined) throw new Error('a key image');
    const spend = { keyImage: image, txHash: bytes<Hash>(9), height: CHAIN_HEIGHT };
    a.wallet.store.write((w) => w.applyPage(page(CHAIN_HEIGHT, 1, { spends: [spend] })));
    await exported(a);
    expect(a.nonces()[0]).toBe(0);
    expect(a.nonces()[1]).toBeGreaterThan(0);
  });

  it('is refused in a wallet of one owner', async () => {
    const wallet = new ServiceWallet(ownKeys(holder(rng)));
    await expect(new GroupMember(wallet).info.export()).rejects.toMatchObject(
      fault({ kind: 'not_multisig' }),
    );
  });
});

describe('an import of multisig info', () => {
  it('of enough others gives the key images, the same in every wallet', async () => {
    const [b, c] = [memberAt(1), memberAt(2)];
    expect(await a.info.import([infos[1]], false)).toBe(2);
    expect(await b.info.import([infos[2], infos[0]], false)).toBe(2);
    expect(await c.info.import(infos, false)).toBe(2);
    expect(a.keyImages().every((image) => image?.length === 32)).toBe(true);
    expect([b.keyImages(), c.keyImages()]).toEqual([a.keyImages(), a.keyImages()]);
    expect(a.wallet.fakeSync.calls).toEqual(['restartScan']);
  });

  it('counts the outputs that all of them tell of, and leaves the others as they are', async () => {
    a.wallet.receive(
      groupWallets(2, 3, [9n], rng, accounts).outputs.map((one) => ({ ...one, height: 121 })),
      122,
    );
    expect(await a.info.import([infos[1]], false)).toBe(2);
    expect(a.keyImages().map((image) => image !== undefined)).toEqual([true, true, false]);
  });

  it('knows nothing of outputs that a reorganisation has taken here', async () => {
    a.wallet.store.write((w) => w.applyPage(page(2, 1)));
    expect(await a.info.import([infos[1]], false)).toBe(1);
    expect(a.keyImages()).toHaveLength(1);
    a.wallet.store.write((w) => w.applyPage(page(1, 1)));
    expect(await a.info.import([infos[1]], false)).toBe(0);
  });

  it('once more gives the same key images', async () => {
    await a.info.import(infos, false);
    const before = a.keyImages();
    expect(await a.info.import(infos, false)).toBe(2);
    expect(a.keyImages()).toEqual(before);
  });

  it('refreshes the wallet where that is asked for; a daemon that fails is no error', async () => {
    a.wallet.fakeSync.refreshing = () => Promise.reject(new DaemonError('timeout', 'no answer'));
    expect(await a.info.import([infos[1]], true)).toBe(2);
    expect(a.wallet.fakeSync.calls).toEqual(['restartScan', 'refresh']);
    expect(a.wallet.lines).toContainEqual(expect.objectContaining({ level: 40, kind: 'timeout' }));
    a.wallet.fakeSync.refreshing = () => Promise.reject(new Error('a bug'));
    await expect(a.info.import([infos[1]], true)).rejects.toThrow('a bug');
  });
});

describe('an output in the form of the fork', () => {
  /** Members that have received the outputs, and one in the form of the fork between them. */
  const withFork = (place: number): GroupMember => {
    const member = memberAt(place);
    const { spendPublicKey, commonSecret } = account;
    const group = { ...holder(rng), spendPublicKey, viewSecret: commonSecret };
    const address: Holder['address'] = () => addressOfGroup(account);
    const made = forkOutput({ ...group, address }, 3n, 1, seededRng('to a group'), { named: false });
    member.wallet.store.write((w) => {
      w.payments.add({ ...received(0, 1), txHash: made.txHash });
      w.outputs.add(made);
    });
    return member;
  };

  it('is left out of exports and imports: it never has a key image of the old form, and the others have theirs', async () => {
    const [first, second] = [withFork(0), withFork(1)];
    const shared = first.keyImages().length - 1;
    const text = await exported(second);
    const warnings = second.wallet.lines.map(({ msg }) => String(msg)).join();
    expect(warnings).toContain('multisig info lacks outputs in the form of the fork');
    expect(await first.info.import([text], false)).toBe(shared);
    const known = first.wallet.store.read((r) => r.outputs.inOrder());
    expect(known.map(({ keyImage, carrot }) => [keyImage === undefined, carrot === undefined])).toEqual(
      known.map(({ carrot }) => [carrot !== undefined, carrot === undefined]),
    );
    expect(isMultisigImportNeeded(first.wallet)).toBe(false);
    expect(await first.info.import([infos[1]], false)).toBe(shared);
  });

  it('has no part of a signer, whoever asks for it', () => {
    const output = {
      ...withFork(0)
        .wallet.store.read((r) => r.outputs.inOrder())
        .find(({ carrot }) => carrot),
    };
    const keys = { viewSecret: account.commonSecret, shares: account.shares };
    const message = 'an output in the form of the fork has no partial key images';
    expect(() => ownPartOf(output as OwnedOutput, keys)).toThrow(message);
    expect(() => compositeKeyImage(output as OwnedOutput, keys, [], 1)).toThrow(message);
  });
});

describe('an import of multisig info is refused, and nothing is changed', () => {
  const none = () => expect([a.keyImages(), a.wallet.fakeSync.calls]).toEqual([[undefined, undefined], []]);

  it('of fewer others than the threshold needs', async () => {
    await expect(a.info.import([], false)).rejects.toMatchObject(
      fault({ kind: 'too_few_signers', needed: 1, given: 0 }),
    );
  });

  it('of the wallet itself alone, however often', async () => {
    await expect(a.info.import([infos[0], infos[0]], false)).rejects.toEqual(
      refused('Wrong number of multisig sources'),
    );
    none();
  });

  it('that was imported before, and replaced by a later export of the same signer', async () => {
    await a.info.import([infos[1]], false);
    await a.info.import([newer], false);
    const before = a.keyImages();
    await expect(a.info.import([infos[1]], false)).rejects.toMatchObject({
      fault: { kind: 'multisig_refused', reason: expect.stringMatching(/is stale/) },
    });
    expect(a.keyImages()).toEqual(before);
    expect(await a.info.import([newer], false)).toBe(2);
  });

  test.each<[string, () => Promise<string> | string, string | undefined]>([
    ['of no export', () => 'ab', 'Bad multisig info file magic in '],
    ['of another group', () => exported(new GroupMember(STRANGER)), 'Failed to authenticate ciphertext'],
    [
      'that was changed',
      () => infos[1].replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
      'Failed to authenticate ciphertext',
    ],
    ['that was cut', () => infos[1].slice(0, 80), 'Unexpected ciphertext size'],
  ])('%s', async (_, text, expected) => {
    await expect(a.info.import([await text()], false)).rejects.toEqual(refused(expected));
    none();
  });

  it('that is not hexadecimal', async () => {
    await expect(a.info.import(['xyz'], false)).rejects.toMatchObject(
      fault({ kind: 'bad_hex', what: 'info' }),
    );
  });

  it('once the wallet is closed while it waits for a payment', async () => {
    let end: () => void = () => undefined;
    const paying = a.wallet.locks.payment.run(() => new Promise<void>((resolve) => (end = resolve)));
    const importing = a.info.import([infos[1]], false);
    await turns();
    a.wallet.isOpen = false;
    end();
    await paying;
    await expect(importing).rejects.toMatchObject(fault({ kind: 'no_wallet' }));
    none();
  });
});
