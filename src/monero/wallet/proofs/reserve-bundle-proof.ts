import { proveSharedSecrets } from '../../crypto/tx-proof.js';
import type { KeyImage, SecretKey } from '../../crypto/types.js';
import { sum, type Amount } from '../../../util/amount.js';
import { utf8 } from '../../../util/bytes.js';
import type { Rng } from '../../../util/random.js';
import { zip } from '../../../util/zip.js';
import { isPrimary, subaddressKeys } from '../../cryptonote/subaddress-keys.js';
import { isUnlocked } from '../../cryptonote/unlock-time.js';
import { readFetchedTx } from '../scan/fetched-tx.js';
import type { OwnedOutput } from '../scan/findings.js';
import {
  bundleStatement,
  type BundleAccount,
  type BundleAddress,
  type BundleFacts,
  type BundleTx,
  type ReserveBundle,
  type ReserveSums,
} from './reserve-bundle.js';
import { proofMessage, proveReserve, receiversOf, signReserve } from './reserve-proof.js';

/** An output that becomes part of a bundle. */
export type HeldOutput = Pick<
  OwnedOutput,
  | 'txHash'
  | 'outputIndex'
  | 'publicKey'
  | 'derivationKey'
  | 'subaddress'
  | 'amount'
  | 'height'
  | 'unlockTime'
  | 'carrot'
> & { readonly keyImage: KeyImage };

/** Data from which a bundle is made. A plain value. */
export interface BundleToProve {
  readonly facts: BundleFacts;
  readonly accounts: readonly { readonly account: number; readonly outputs: readonly HeldOutput[] }[];
  /** Transactions of the outputs, each once, whole or pruned. */
  readonly transactions: readonly BundleTx[];
  /** True: the bundle also has a reserve proof of the message alone. */
  readonly withReserveProof: boolean;
  readonly keys: { readonly viewSecret: SecretKey; readonly spendSecret: SecretKey };
}

/** Sums outputs that are unlocked or locked after the block at a height. @param time Unix seconds. */
export function reserveSums(
  outputs: readonly Pick<HeldOutput, 'amount' | 'height' | 'unlockTime'>[],
  { height, time }: Pick<BundleFacts, 'height' | 'time'>,
): ReserveSums {
  const total = sum(outputs.map(({ amount }) => amount));
  const unlocked = sum(
    outputs.filter((output) => isUnlocked(output, height + 1, time)).map(({ amount }) => amount),
  );
  return { total, unlocked, locked: (total - unlocked) as Amount };
}

/** Removes the hash of a part that a transaction does not have. @throws ScanError if its bytes have another hash. */
function withoutVoidHash(fetched: BundleTx): BundleTx {
  const { hash, blob, height } = fetched;
  const tx = readFetchedTx(fetched);
  return tx.rct === undefined || tx.rct.base.type === 0 ? { hash, blob, height } : fetched;
}

/** Signs the statement of a bundle for one account. */
function signAccount(
  { account, outputs }: BundleToProve['accounts'][number],
  sums: ReserveSums,
  message: Uint8Array,
  { facts: { address }, keys }: BundleToProve,
  rng: Rng,
): BundleAccount {
  const { entries, spendKeys } = signReserve({ message, address, outputs, keys }, rng);
  const received = zip(receiversOf(outputs), spendKeys).map(([index, { signature }]) => ({
    index,
    address: isPrimary(index)
      ? address
      : {
          network: address.network,
          kind: 'subaddress' as const,
          ...subaddressKeys(address.spendPublicKey, keys.viewSecret, index),
        },
    spendSignature: signature,
  }));
  const [primary, ...subaddresses] = received;
  const signed = proofMessage(message, address, outputs);
  const viewSignatures = proveSharedSecrets(
    subaddresses.map(({ address: { spendPublicKey: A, viewPublicKey: D } }) => ({
      message: signed,
      R: address.viewPublicKey,
      A,
      D,
    })),
    keys.viewSecret,
    rng,
  );
  const proven = zip(subaddresses, viewSignatures).map(([one, viewSignature]) => ({ ...one, viewSignature }));
  const addresses: BundleAddress[] = primary === undefined ? proven : [primary, ...proven];
  return {
    ...{ account, ...sums, addresses },
    outputs: zip(outputs, entries).map(([{ derivationKey, amount, subaddress }, entry]) => ({
      ...entry,
      txPublicKey: derivationKey,
      amount,
      subaddress,
    })),
  };
}

/** Makes a bundle. @throws ProofError `fork_proof`. @throws ScanError if the bytes of a transaction have another hash than the transaction. */
export function proveBundle(given: BundleToProve, rng: Rng): ReserveBundle {
  const { facts, accounts, withReserveProof, keys } = given;
  const { address, message } = facts;
  const transactions = given.transactions.map(withoutVoidHash);
  const outputs = accounts.flatMap((one) => one.outputs);
  const reserveProof = withReserveProof
    ? { reserveProof: proveReserve({ message: utf8(message), address, outputs, keys }, rng) }
    : {};
  const listed = accounts.map((one) => ({ ...one, ...reserveSums(one.outputs, facts) }));
  const all = { ...facts, ...reserveSums(outputs, facts), transactions, ...reserveProof };
  const statement = utf8(bundleStatement({ ...all, accounts: listed }));
  return {
    ...all,
    accounts: listed.map(({ total, unlocked, locked, ...one }) =>
      signAccount(one, { total, unlocked, locked }, statement, given, rng),
    ),
  };
}
