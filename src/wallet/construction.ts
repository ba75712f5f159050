import {
  derivationToScalar,
  derivePublicKey,
  keyDerivation,
  randomSecretKey,
  toPublicKey,
  viewTag,
} from '../crypto/derivation.js';
import { decompress, G, multiply } from '../crypto/point.js';
import { randomScalar, reduce, scalarBytes, toScalar } from '../crypto/scalar.js';
import type { KeyDerivation, KeyImage, PublicKey, SecretKey } from '../crypto/types.js';
import { paymentIdField, writeExtra, type ExtraField } from '../cryptonote/extra.js';
import { cryptPaymentId } from '../cryptonote/payment-id.js';
import type { Address, PaymentId, TxOutput, TxPrefix } from '../cryptonote/types.js';
import { commitmentMask, encryptAmount } from '../ringct/ecdh.js';
import { ZERO, type Amount } from '../util/amount.js';
import { compareBytes, equalBytes } from '../util/bytes.js';
import { shuffled, type Rng } from '../util/random.js';
import type { Ring } from './decoys.js';

/** An input with everything that spends it. Secret; plain data, so that it crosses to a thread. */
export interface SpendableInput {
  readonly ring: Ring;
  /** Of the real output. */
  readonly secretKey: SecretKey;
  readonly keyImage: KeyImage;
  readonly amount: Amount;
  readonly mask: bigint;
}

export interface OutputTarget {
  readonly address: Address;
  readonly amount: Amount;
}

/** All that one transaction is made of. Plain data. */
export interface TransactionPlan {
  readonly inputs: readonly SpendableInput[];
  readonly payees: readonly OutputTarget[];
  /** Where change returns: the account's own address. */
  readonly changeAddress: Address;
  readonly fee: Amount;
  readonly unlockTime: bigint;
  /** The payer's view key opens its own change. */
  readonly viewSecret: SecretKey;
}

/** An output's share of the signature. */
export interface OutputSecrets {
  readonly amount: Amount;
  readonly mask: bigint;
  readonly encryptedAmount: Uint8Array;
}

/** A transaction without proofs and signatures. */
export interface UnsignedTx {
  readonly prefix: TxPrefix;
  /** In the order of the prefix. */
  readonly inputs: readonly SpendableInput[];
  readonly outputs: readonly OutputSecrets[];
  readonly fee: Amount;
  readonly change: Amount;
  readonly txSecretKey: SecretKey;
  /** One an output where destinations mix subaddresses with others. */
  readonly additionalSecretKeys: readonly SecretKey[];
}

const sameAddress = (a: Address, b: Address): boolean =>
  equalBytes(a.spendPublicKey, b.spendPublicKey) && equalBytes(a.viewPublicKey, b.viewPublicKey);

/** An address that nobody holds, for the second output that every transaction has. */
function randomAddress({ network }: Address, rng: Rng): Address {
  const key = (): PublicKey => toPublicKey(multiply(G, randomScalar(rng)));
  return { network, kind: 'standard', spendPublicKey: key(), viewPublicKey: key() };
}

function unique(addresses: readonly Address[]): Address[] {
  return addresses.filter((address, i) => addresses.findIndex((other) => sameAddress(address, other)) === i);
}

/** `s·P` as a key. */
const times = (secret: SecretKey, key: PublicKey): PublicKey =>
  toPublicKey(multiply(decompress(key), toScalar(secret)));

/**
 * Lays out a transaction: inputs by descending key image, outputs in random order, keys, amounts and extra.
 * @throws RangeError when the inputs do not cover payees and fee.
 * Source: cryptonote_tx_utils.cpp `construct_tx_with_tx_key`, device_default.cpp `generate_output_ephemeral_keys`.
 */
export function constructTransaction(plan: TransactionPlan, rng: Rng): UnsignedTx {
  const total = plan.inputs.reduce((held, input) => held + input.amount, 0n);
  const change = total - plan.payees.reduce((paid, payee) => paid + payee.amount, 0n) - plan.fee;
  if (change < 0n) throw new RangeError('the inputs do not cover payees and fee');
  const targets: OutputTarget[] = [...plan.payees];
  if (change > 0n) targets.push({ address: plan.changeAddress, amount: change as Amount });
  if (targets.length < 2) targets.push({ address: randomAddress(plan.changeAddress, rng), amount: ZERO });
  const outputs = shuffled(targets, rng);

  const txSecretKey = randomSecretKey(rng);
  const others = unique(
    plan.payees.map(({ address }) => address).filter((address) => !sameAddress(address, plan.changeAddress)),
  );
  const subaddresses = others.filter(({ kind }) => kind === 'subaddress');
  const dummies = outputs.filter(({ amount }) => amount === 0n).length;
  const standard = others.length - subaddresses.length + dummies;
  const needsAdditional = subaddresses.length > 0 && (standard > 0 || subaddresses.length > 1);
  const onlySubaddress = subaddresses.length === 1 && standard === 0 ? subaddresses[0] : undefined;
  const txPublicKey =
    onlySubaddress === undefined
      ? toPublicKey(multiply(G, toScalar(txSecretKey)))
      : times(txSecretKey, onlySubaddress.spendPublicKey);

  const additionalSecretKeys: SecretKey[] = [];
  const additionalKeys: PublicKey[] = [];
  const secrets: OutputSecrets[] = [];
  const txOutputs = outputs.map(({ address, amount }, i): TxOutput => {
    const isChange = sameAddress(address, plan.changeAddress);
    let secret = txSecretKey;
    if (needsAdditional) {
      const own = randomSecretKey(rng);
      additionalSecretKeys.push(own);
      additionalKeys.push(
        address.kind === 'subaddress'
          ? times(own, address.spendPublicKey)
          : toPublicKey(multiply(G, toScalar(own))),
      );
      if (address.kind === 'subaddress') secret = own;
    }
    const derivation: KeyDerivation = isChange
      ? keyDerivation(txPublicKey, plan.viewSecret)
      : keyDerivation(address.viewPublicKey, secret);
    const shared = scalarBytes(derivationToScalar(derivation, i));
    secrets.push({ amount, mask: commitmentMask(shared), encryptedAmount: encryptAmount(amount, shared) });
    return {
      amount: ZERO,
      publicKey: derivePublicKey(derivation, i, address.spendPublicKey),
      viewTag: viewTag(derivation, i),
    };
  });

  const fields: ExtraField[] = [{ type: 'publicKey', key: txPublicKey }];
  if (additionalKeys.length > 0) fields.push({ type: 'additionalKeys', keys: additionalKeys });
  const paymentId = encryptedPaymentId(plan, outputs, others, txSecretKey);
  if (paymentId !== undefined) fields.push(paymentIdField({ kind: 'short', id: paymentId }));

  const inputs = [...plan.inputs].sort((a, b) => compareBytes(b.keyImage, a.keyImage));
  return {
    prefix: {
      version: 2,
      unlockTime: plan.unlockTime,
      inputs: inputs.map(({ ring, keyImage }) => ({
        type: 'key',
        amount: ZERO,
        keyOffsets: relativeOffsets(ring),
        keyImage,
      })),
      outputs: txOutputs,
      extra: writeExtra(fields),
    },
    inputs,
    outputs: secrets,
    fee: plan.fee,
    change: change as Amount,
    txSecretKey,
    additionalSecretKeys,
  };
}

const relativeOffsets = ({ members }: Ring): bigint[] =>
  members.map(({ globalIndex }, i) => BigInt(globalIndex - (members[i - 1]?.globalIndex ?? 0)));

/** The integrated address's id, or zeros, so that payments with and without one look alike. */
function encryptedPaymentId(
  plan: TransactionPlan,
  outputs: readonly OutputTarget[],
  others: readonly Address[],
  txSecretKey: SecretKey,
): PaymentId | undefined {
  const integrated = plan.payees.find(({ address }) => address.paymentId !== undefined)?.address;
  // With several payees nobody could tell whose id it is; upstream leaves it out then.
  if (integrated === undefined && (outputs.length > 2 || others.length > 1)) return undefined;
  const payee = integrated ?? others[0] ?? plan.changeAddress;
  const id = integrated?.paymentId ?? (new Uint8Array(8) as PaymentId);
  return cryptPaymentId(id, keyDerivation(payee.viewPublicKey, txSecretKey));
}

/** Blinding scalars of the pseudo outputs: random, their sum that of the outputs. */
export function pseudoOutMasks(inputs: number, outputMasks: readonly bigint[], rng: Rng): bigint[] {
  const free = Array.from({ length: inputs - 1 }, () => randomScalar(rng));
  const last =
    outputMasks.reduce((total, mask) => total + mask, 0n) - free.reduce((total, mask) => total + mask, 0n);
  return [...free, reduce(last)];
}
