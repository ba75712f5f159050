import {
  derivePublicKey,
  keyDerivation,
  publicKeyOf,
  publicKeysOf,
  randomSecretKey,
} from '../../../../src/monero/crypto/derivation.js';
import { randomScalar } from '../../../../src/monero/crypto/scalar.js';
import type { PublicKey, SecretKey } from '../../../../src/monero/crypto/types.js';
import { subaddressKeys } from '../../../../src/monero/cryptonote/subaddress-keys.js';
import type { Address, SubaddressIndex } from '../../../../src/monero/cryptonote/types.js';
import { loadCurve } from '../../../../src/monero/crypto/curve/load-curve.js';
import { commit } from '../../../../src/monero/ringct/commitment.js';
import { amount } from '../../../../src/util/amount.js';
import type { Rng } from '../../../../src/util/random.js';
import type { ChangeSplit } from '../../../../src/monero/wallet/select/change-split.js';
import type { Ring } from '../../../../src/monero/wallet/select/decoys.js';
import type { MultisigAccount } from '../../../../src/monero/wallet/multisig/account.js';
import { planAttempts } from '../../../../src/monero/wallet/multisig/attempts.js';
import {
  freshInfo,
  nonceCount,
  shareCounts,
  type FreshInfo,
} from '../../../../src/monero/wallet/multisig/info.js';
import { compositeKeyImage, ownPartOf } from '../../../../src/monero/wallet/multisig/key-image.js';
import { propose } from '../../../../src/monero/wallet/multisig/proposal.js';
import { pendingTxOf, type PendingTx } from '../../../../src/monero/wallet/exchange/pending-tx.js';
import type { OwnedOutput } from '../../../../src/monero/wallet/scan/findings.js';
import type { Payee } from '../../../../src/monero/wallet/select/transfer-request.js';
import { ownedOutput } from '../fixtures.js';

const curve = loadCurve();

export const PRIMARY: SubaddressIndex = { major: 0, minor: 0 };

export function addressOfGroup(account: MultisigAccount, index = PRIMARY): Address {
  const keys = subaddressKeys(account.spendPublicKey, account.commonSecret, index);
  const kind = index.major === 0 && index.minor === 0 ? 'standard' : 'subaddress';
  return { network: 'mainnet', kind, ...keys };
}

/** An output of the group, made by a payer to one of its addresses. */
export function sharedOutput(
  account: MultisigAccount,
  value: bigint,
  place: number,
  rng: Rng,
  index = PRIMARY,
): { readonly output: OwnedOutput; readonly ring: Ring } {
  const address = addressOfGroup(account, index);
  const derivationKey = publicKeyOf(randomSecretKey(rng));
  const derivation = keyDerivation(derivationKey, account.commonSecret);
  const mask = randomScalar(rng);
  const publicKey = derivePublicKey(derivation, place, address.spendPublicKey);
  const real = { publicKey, commitment: commit(amount(value), mask) };
  const ringAt = place % 16;
  const members = Array.from({ length: 16 }, (_, i) => ({
    globalIndex: 1000 * place + 10 * i,
    unlocked: true,
    ...(i === ringAt
      ? real
      : { publicKey: publicKeyOf(randomSecretKey(rng)), commitment: commit(amount(3n), randomScalar(rng)) }),
  }));
  const output = ownedOutput(value, {
    outputIndex: place,
    globalIndex: 1000 * place + 10 * ringAt,
    publicKey,
    derivationKey,
    mask,
    subaddress: index,
  });
  return { output, ring: { members, realIndex: ringAt } };
}

/** A member wallet with its exported info about the outputs. */
export interface Member {
  readonly account: MultisigAccount;
  readonly signer: PublicKey;
  /** One per output. */
  readonly fresh: readonly FreshInfo[];
}

export type Shared = ReturnType<typeof sharedOutput>;

export const memberOf = (account: MultisigAccount, outputs: readonly Shared[], rng: Rng): Member => {
  const signer = publicKeyOf(account.signerSecret);
  return {
    account,
    signer,
    fresh: outputs.map(({ output }) =>
      freshInfo(output.publicKey, signer, account.shares, nonceCount(account), rng, loadCurve()),
    ),
  };
};

export const keysOf = ({ account }: Member) => ({ viewSecret: account.commonSecret, shares: account.shares });

/** The outputs with key images from the partial key images of all members. */
export function withKeyImages(members: readonly Member[], outputs: readonly Shared[]): Shared[] {
  const [first] = members;
  if (first === undefined) throw new Error('a member');
  return outputs.map(({ output, ring }, i) => {
    const partials = members.flatMap(({ fresh }) => fresh[i]?.info.partialKeyImages ?? []);
    const keyImage = compositeKeyImage(
      output,
      keysOf(first),
      partials,
      shareCounts(first.account).all,
      loadCurve(),
    );
    return { output: { ...output, keyImage }, ring };
  });
}

/** Proposal of the first member, made with the info of the others. */
export function proposalOf(
  members: readonly Member[],
  outputs: readonly Shared[],
  payees: readonly Payee[],
  rng: Rng,
  changeSplit: ChangeSplit = { outputs: 1, least: 0n },
): PendingTx {
  const [proposer, ...others] = members;
  if (proposer === undefined) throw new Error('a proposer');
  const { account, signer } = proposer;
  const changeAddress = addressOfGroup(account);
  const attempts = planAttempts(
    account,
    signer,
    outputs.map((_, i) => others.flatMap(({ fresh }) => fresh[i]?.info ?? [])),
  );
  const { signed, sigs, entropy } = propose(
    {
      plan: {
        inputs: outputs.map(({ output, ring }) => {
          if (output.keyImage === undefined) throw new Error('no key image');
          return {
            ring,
            secretKey: ownPartOf(output, keysOf(proposer)),
            keyImage: output.keyImage,
            amount: output.amount,
            mask: output.mask,
          };
        }),
        payees: payees.map(({ address, amount: value }) => ({ address, amount: value })),
        changeAddress,
        changeSplit,
        fee: amount(0n),
        unlockTime: 0n,
        viewSecret: Uint8Array.from(account.commonSecret) as SecretKey,
      },
      rate: 20_000n,
      rates: { perByte: [20_000n, 80_000n, 320_000n, 4_000_000n], quantizationMask: 10_000n },
      attempts,
      signingKeys: publicKeysOf(account.shares),
      threshold: account.threshold,
    },
    rng,
    curve,
  );
  return pendingTxOf({
    signed,
    inputs: outputs.map(({ output, ring }, place) => ({ output, ring, place })),
    payees,
    changeAddress,
    account: 0,
    multisig: { sigs, entropy },
  });
}
