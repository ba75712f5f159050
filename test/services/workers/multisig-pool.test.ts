import { afterAll, describe, expect, it, test } from '@jest/globals';
import type { PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { createMultisigPool, MultisigProblem } from '../../../src/services/workers/worker-pools.js';
import {
  isReady,
  openingMessage,
  type MultisigAccount,
} from '../../../src/monero/wallet/multisig/account.js';
import { shareCounts } from '../../../src/monero/wallet/multisig/info.js';
import { transactionHash } from '../../../src/monero/cryptonote/transaction.js';
import { fault } from '../../support/wallets/service-wallet.js';
import { COIN, holder, payeeOf } from '../../monero/wallet/fixtures.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { groupOf, randomSigners } from '../../monero/wallet/multisig/groups.js';
import {
  addressOfGroup,
  memberOf,
  proposalOf,
  sharedOutput,
  withKeyImages,
} from '../../monero/wallet/multisig/shared-outputs.js';

const rng = seededRng('multisig pool');
const pool = createMultisigPool();
afterAll(() => pool.close());

const signers = randomSigners(2, rng);
const opening = signers.map((signer) => openingMessage(signer, rng));
const accounts = groupOf(randomSigners(2, rng), 2, rng);
const [own, other] = accounts;
if (own === undefined || other === undefined) throw new Error('a group');
const shared = sharedOutput(own, 5n * COIN, 1, rng);
const members = accounts.map((account) => memberOf(account, [shared], rng));

describe('the key exchange on the multisig threads', () => {
  it('completes a group in rounds, and all agree on its address', async () => {
    let rounds = await Promise.all(
      signers.map((signer) => pool.run('start', { signer, threshold: 2, messages: opening })),
    );
    while (!rounds.every(({ account }) => isReady(account))) {
      const messages = rounds.map(({ message }) => message);
      rounds = await Promise.all(
        rounds.map(({ account }) => pool.run('advance', { account, messages, incomplete: false })),
      );
    }
    const [first, second] = rounds.map(({ account }) => account);
    expect(first?.spendPublicKey).toEqual(second?.spendPublicKey);
    expect(first?.commonSecret).toEqual(second?.commonSecret);
    // The secrets of the caller are copies that stay.
    expect(signers.every(({ signerSecret }) => signerSecret.some((byte) => byte !== 0))).toBe(true);
  });

  test.each([
    ['no message', ['nonsense']],
    ['messages of too few', opening.slice(0, 1)],
    ['one message twice', [opening[0] ?? '', opening[0] ?? '']],
  ])('is refused for %s', async (_, messages) => {
    const [signer] = signers;
    if (signer === undefined) throw new Error('a signer');
    await expect(pool.run('start', { signer, threshold: 2, messages })).rejects.toMatchObject({
      name: 'WalletError',
      fault: { kind: 'multisig_refused' },
    });
  });

  it('has no booster for a round that is the last', async () => {
    await expect(pool.run('boost', { booster: own, messages: [] })).rejects.toMatchObject({
      fault: { kind: 'multisig_refused' },
    });
  });
});

describe('key images on the multisig threads', () => {
  const infoOf = async ({ shares, signerSecret }: MultisigAccount) => {
    const [info] = await pool.run('createInfo', {
      outputs: [{ publicKey: shared.output.publicKey, nonces: 2 }],
      ...{ signer: publicKeyOf(signerSecret), shares },
    });
    if (info === undefined) throw new Error('info');
    return info;
  };

  it('are composed of own shares and the parts of the others', async () => {
    const { info, secrets } = await infoOf(other);
    expect([info.nonces.length, secrets.length]).toEqual([2, 2]);
    const { publicKey, outputIndex, derivationKey, subaddress } = shared.output;
    const images = await pool.run('combineKeyImages', {
      outputs: [
        { output: { publicKey, outputIndex, derivationKey, subaddress }, imported: info.partialKeyImages },
      ],
      keys: { viewSecret: own.commonSecret, shares: own.shares },
      count: shareCounts(own).all,
    });
    expect(images).toEqual(withKeyImages(members, [shared]).map(({ output }) => output.keyImage));
  });

  it('need info of members of the group, with this address and points', async () => {
    const { info } = await infoOf(other);
    const { spendPublicKey, viewPublicKey } = addressOfGroup(own);
    const told = { spendPublicKey, viewPublicKey, signer: publicKeyOf(other.signerSecret), outputs: [info] };
    const check = (changes: Partial<typeof told>) =>
      pool.run('verifyInfo', { info: { ...told, ...changes }, account: own, viewPublicKey });
    expect(await check({})).toBe(true);
    await expect(check({ signer: viewPublicKey })).rejects.toThrow();
    await expect(check({ spendPublicKey: viewPublicKey })).rejects.toThrow();
    const noPoint = new Uint8Array(32).fill(0xff) as PublicKey;
    const spoiled = { ...info, partialKeyImages: [noPoint as never] };
    await expect(check({ outputs: [spoiled] })).rejects.toBeInstanceOf(MultisigProblem);
  });
});

describe('a transaction on the multisig threads', () => {
  const stranger = holder(rng);
  const pending = proposalOf(
    members,
    withKeyImages(members, [shared]),
    [payeeOf(stranger.address(), 1n)],
    rng,
  );
  const cosigning = (nonces: SecretKey[]) =>
    pool.run('cosign', {
      pending,
      signers: [publicKeyOf(own.signerSecret)],
      threshold: 2,
      signer: publicKeyOf(other.signerSecret),
      shares: other.shares,
      keys: { network: 'mainnet', viewSecret: other.commonSecret, changeAddress: addressOfGroup(other) },
      nonces: [nonces],
    });

  it("needs the nonces of the signer's own export", async () => {
    await expect(cosigning([])).rejects.toMatchObject(fault({ kind: 'multisig_export_needed' }));
    const foreign = members[0]?.fresh[0]?.secrets ?? [];
    await expect(cosigning([...foreign])).rejects.toMatchObject(fault({ kind: 'multisig_export_needed' }));
  });

  it('is whole once the last signer needed has signed it', async () => {
    const { txHash, pending: signed } = await cosigning([...(members[1]?.fresh[0]?.secrets ?? [])]);
    expect(txHash).toEqual(transactionHash(signed.tx));
  });
});
