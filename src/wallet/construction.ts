import {
  derivationToScalar,
  derivePublicKey,
  keyDerivation,
  publicKeyOf,
  randomSecretKey,
  toPublicKey,
  viewTag,
} from '../crypto/derivation.js';
import { decompress, multiply } from '../crypto/point.js';
import { scalarBytes, toScalar } from '../crypto/scalar.js';
import type { KeyImage, PublicKey, SecretKey } from '../crypto/types.js';
import { MAX_OUTPUTS } from '../cryptonote/constants.js';
import { paymentIdField, writeExtra, type ExtraField } from '../cryptonote/extra.js';
import { cryptPaymentId } from '../cryptonote/payment-id.js';
import type { Address, PaymentId, TxOutput, TxPrefix } from '../cryptonote/types.js';
import { commitmentMask, encryptAmount } from '../ringct/ecdh.js';
import { ZERO, type Amount } from '../util/amount.js';
import { compareBytes } from '../util/bytes.js';
import { shuffled, type Rng } from '../util/random.js';
import type { Ring } from './decoys.js';
import { sameAddress } from './transfer-request.js';

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
  /** Whom each output pays, change and the dummy among them. */
  readonly targets: readonly OutputTarget[];
  /** In the order of the plan, with what each receives. */
  readonly payees: readonly OutputTarget[];
  readonly fee: Amount;
  readonly change: Amount;
  readonly txSecretKey: SecretKey;
  /** One an output where destinations mix subaddresses with others. */
  readonly additionalSecretKeys: readonly SecretKey[];
}

/** An address that nobody holds, for the second output that every transaction has. */
const randomAddress = ({ network }: Address, rng: Rng): Address => ({
  network,
  kind: 'standard',
  spendPublicKey: publicKeyOf(randomSecretKey(rng)),
  viewPublicKey: publicKeyOf(randomSecretKey(rng)),
});

const unique = (addresses: readonly Address[]): Address[] =>
  addresses.filter((address, i) => addresses.findIndex((other) => sameAddress(address, other)) === i);

/** `s·D`, the public key that only the holder of subaddress D finds. */
const keyFor = (secret: SecretKey, { spendPublicKey }: Address): PublicKey =>
  toPublicKey(multiply(decompress(spendPublicKey), toScalar(secret)));

/**
 * How a transaction tells its receivers apart. One subaddress alone makes the transaction key its own; beside
 * others every output gets a key. Source: cryptonote_tx_utils.cpp `classify_addresses`.
 */
interface Addressing {
  /** Payees other than the payer's change address, each once. */
  readonly others: readonly Address[];
  readonly onlySubaddress: Address | undefined;
  readonly needsAdditionalKeys: boolean;
}

function addressingOf({ payees, changeAddress }: TransactionPlan): Addressing {
  const others = unique(
    payees.map(({ address }) => address).filter((address) => !sameAddress(address, changeAddress)),
  );
  const subaddresses = others.filter(({ kind }) => kind === 'subaddress');
  const alone = others.length === 1;
  return {
    others,
    onlySubaddress: alone ? subaddresses[0] : undefined,
    needsAdditionalKeys: subaddresses.length > 0 && !alone,
  };
}

/** Payees, and change or a dummy where nothing is left over, in random order. */
function targetsOf(
  plan: TransactionPlan,
  rng: Rng,
): { readonly targets: OutputTarget[]; readonly change: Amount } {
  const held = plan.inputs.reduce((total, { amount }) => total + amount, 0n);
  const change = held - plan.payees.reduce((total, { amount }) => total + amount, 0n) - plan.fee;
  if (change < 0n) throw new RangeError('the inputs do not cover payees and fee');
  if (plan.payees.length === 0 || plan.payees.some(({ amount }) => amount <= 0n))
    throw new RangeError('every payee is paid something');
  const targets: OutputTarget[] = [...plan.payees];
  if (change > 0n) targets.push({ address: plan.changeAddress, amount: change as Amount });
  if (targets.length < 2) targets.push({ address: randomAddress(plan.changeAddress, rng), amount: ZERO });
  if (targets.length > MAX_OUTPUTS) throw new RangeError(`a transaction has at most ${MAX_OUTPUTS} outputs`);
  return { targets: shuffled(targets, rng), change: change as Amount };
}

/**
 * Lays out a transaction: inputs by descending key image, outputs in random order, keys, amounts and extra.
 * @throws RangeError when the inputs do not cover payees and fee, or the plan contradicts itself.
 * Source: cryptonote_tx_utils.cpp `construct_tx_with_tx_key`, device_default.cpp `generate_output_ephemeral_keys`.
 */
export function constructTransaction(plan: TransactionPlan, rng: Rng): UnsignedTx {
  if (plan.inputs.length === 0) throw new RangeError('a transaction spends something');
  const { targets, change } = targetsOf(plan, rng);
  const addressing = addressingOf(plan);
  const txSecretKey = randomSecretKey(rng);
  const txPublicKey =
    addressing.onlySubaddress === undefined
      ? publicKeyOf(txSecretKey)
      : keyFor(txSecretKey, addressing.onlySubaddress);

  const additionalSecretKeys: SecretKey[] = [];
  const additionalKeys: PublicKey[] = [];
  const outputs: OutputSecrets[] = [];
  const txOutputs = targets.map(({ address, amount }, i): TxOutput => {
    let secret = txSecretKey;
    if (addressing.needsAdditionalKeys) {
      const own = randomSecretKey(rng);
      additionalSecretKeys.push(own);
      additionalKeys.push(address.kind === 'subaddress' ? keyFor(own, address) : publicKeyOf(own));
      if (address.kind === 'subaddress') secret = own;
    }
    // a·R finds our own output whatever R is made of; for a payee it is s·A, or s·C of a subaddress.
    const derivation = sameAddress(address, plan.changeAddress)
      ? keyDerivation(txPublicKey, plan.viewSecret)
      : keyDerivation(address.viewPublicKey, secret);
    const shared = scalarBytes(derivationToScalar(derivation, i));
    outputs.push({ amount, mask: commitmentMask(shared), encryptedAmount: encryptAmount(amount, shared) });
    return {
      amount: ZERO,
      publicKey: derivePublicKey(derivation, i, address.spendPublicKey),
      viewTag: viewTag(derivation, i),
    };
  });

  const fields: ExtraField[] = [{ type: 'publicKey', key: txPublicKey }];
  if (additionalKeys.length > 0) fields.push({ type: 'additionalKeys', keys: additionalKeys });
  const paymentId = encryptedPaymentId(plan, targets.length, addressing.others, txSecretKey);
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
    outputs,
    targets,
    payees: plan.payees,
    fee: plan.fee,
    change,
    txSecretKey,
    additionalSecretKeys,
  };
}

const relativeOffsets = ({ members }: Ring): bigint[] =>
  members.map(({ globalIndex }, i) => BigInt(globalIndex - (members[i - 1]?.globalIndex ?? 0)));

/**
 * The integrated address's id; or zeros, so that payments with and without one look alike, unless there are
 * more than two outputs. @throws RangeError for an id beside other payees, who could not tell whose it is.
 */
function encryptedPaymentId(
  { payees, changeAddress }: TransactionPlan,
  outputs: number,
  others: readonly Address[],
  txSecretKey: SecretKey,
): PaymentId | undefined {
  const id = payees.find(({ address }) => address.paymentId !== undefined)?.address.paymentId;
  if (id !== undefined && others.length > 1) throw new RangeError('a payment id is sent to one payee');
  if (id === undefined && (outputs > 2 || others.length > 1)) return undefined;
  const { viewPublicKey } = others[0] ?? changeAddress;
  return cryptPaymentId(id ?? (new Uint8Array(8) as PaymentId), keyDerivation(viewPublicKey, txSecretKey));
}
