import { beforeAll, describe, expect, it } from '@jest/globals';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import { sealMultisig, spentKeys } from '../../../src/services/multisig/multisig-signing.js';
import { toHex } from '../../../src/util/bytes.js';
import { decode } from '../../../src/util/codec.js';
import { keyImagesOf, type PendingTx } from '../../../src/monero/wallet/exchange/pending-tx.js';
import { multisigTxSet } from '../../../src/monero/wallet/multisig/tx-set.js';
import { CHAIN_HEIGHT } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault, groupKeys, ownKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { bytes } from '../../store/fixtures.js';
import { COIN, holder, payeeOf } from '../../monero/wallet/fixtures.js';
import { groupOf, randomSigners } from '../../monero/wallet/multisig/groups.js';
import {
  memberOf,
  proposalOf,
  sharedOutput,
  withKeyImages,
} from '../../monero/wallet/multisig/shared-outputs.js';

const rng = seededRng('multisig proposal');
const accounts = groupOf(randomSigners(2, rng), 2, rng);
const [own] = accounts;
if (own === undefined) throw new Error('a group');
const OWN = groupKeys(own);
const shared = [1, 2, 3].map((place) => sharedOutput(own, 2n * COIN, place, rng));
const stranger = holder(rng);

/** A transaction that spends the first two of three outputs. */
let pending: PendingTx;
/** Key of the output of each key image, in hex. */
let keyOf: ReadonlyMap<string, string>;

beforeAll(() => {
  const spent = shared.slice(0, 2);
  const members = accounts.map((account) => memberOf(account, spent, rng));
  const known = withKeyImages(members, spent);
  keyOf = new Map(
    known.map(({ output: { keyImage, publicKey } }) => [toHex(keyImage ?? bytes(0)), toHex(publicKey)]),
  );
  pending = proposalOf(members, known, [payeeOf(stranger.address(), COIN)], rng);
});

function wallet(): ServiceWallet {
  const made = new ServiceWallet(OWN);
  const outputs = shared.map(({ output }, i) => ({ ...output, height: i + 1 }));
  made.receive(outputs, CHAIN_HEIGHT);
  made.store.write((w) =>
    w.multisig.replaceNonces(outputs.map(({ publicKey }) => ({ publicKey, nonces: [bytes<SecretKey>(1)] }))),
  );
  return made;
}

describe('the keys that a proposed transaction spends', () => {
  it('belong to its outputs, in the order of its inputs', () => {
    expect(spentKeys(pending).map(toHex)).toEqual(
      keyImagesOf(pending.tx).map((one) => keyOf.get(toHex(one))),
    );
  });
});

describe('a sealed proposal', () => {
  it('is read by the members of the group, and names its proposer as the only signer', async () => {
    const { exports, keystore, store } = wallet();
    const sealed = await sealMultisig({ exports, keystore, store }, [pending]);
    const set = decode(multisigTxSet, await exports.open('multisigTxs', sealed));
    expect(set.signers).toEqual([publicKeyOf(own.signerSecret)]);
    expect(set.txs).toHaveLength(1);
    expect(set.txs[0]?.construction).toEqual(pending.construction);
  });

  it('has taken the nonces of its inputs, and of no other output', async () => {
    const { exports, keystore, store } = wallet();
    await sealMultisig({ exports, keystore, store }, [pending]);
    const left = store.read((r) =>
      r.outputs.inOrder().map(({ publicKey }) => r.multisig.nonces(publicKey).length),
    );
    expect(left).toEqual([0, 0, 1]);
  });

  it('is not made in a wallet of one owner', async () => {
    const { exports, keystore, store } = new ServiceWallet(ownKeys(stranger));
    await expect(sealMultisig({ exports, keystore, store }, [])).rejects.toMatchObject(
      fault({ kind: 'not_multisig' }),
    );
  });

  it('is not given out by a wallet that was closed meanwhile', async () => {
    const { exports, keystore, store } = wallet();
    store.close();
    await expect(sealMultisig({ exports, keystore, store }, [pending])).rejects.toMatchObject(
      fault({ kind: 'no_wallet' }),
    );
  });
});
