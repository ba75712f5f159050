import { checkSignature } from '../../crypto/signature.js';
import { checkSharedSecret } from '../../crypto/tx-proof.js';
import type { Hash } from '../../crypto/types.js';
import { isPrimary } from '../../cryptonote/subaddress-keys.js';
import type { SubaddressIndex, Transaction } from '../../cryptonote/types.js';
import { equalBytes, toHex, utf8 } from '../../../util/bytes.js';
import { U64_MAX } from '../../../util/amount.js';
import { ProtocolError } from '../protocol-error.js';
import { ProofError } from './proof-text.js';
import { provableTx } from './provable-tx.js';
import {
  bundleStatement,
  MAX_BUNDLE_MESSAGE_BYTES,
  MAX_BUNDLE_OUTPUTS,
  MAX_BUNDLE_TX_BYTES,
  type BundleAccount,
  type BundleAddress,
  type BundleOutput,
  type BundleTx,
  type ReserveBundle,
  type ReserveSums,
} from './reserve-bundle.js';
import { reserveSums } from './reserve-bundle-proof.js';
import { openEntry, proofMessage, type EntryContext } from './reserve-proof.js';
import { formatReserveProof, readReserveProof, type ReserveProof } from './reserve-proof-text.js';
import { publishedKeys } from './tx-key.js';

/** Largest transaction [bytes]. Source: cryptonote_config.h `CRYPTONOTE_MAX_TX_SIZE`. */
const MAX_TX_BYTES = 1_000_000;

/** Largest number of characters of a reserve proof for each output: an entry has 313, and a spend key 132. */
const PROOF_CHARS = 512;

const wrong = (reason: string, cause?: unknown): ProofError =>
  new ProofError({ kind: 'bad_proof', reason }, { cause });

/** Throws the error of a bundle in which something is wrong, unless a condition holds. */
function assertThat(condition: boolean, reason: string): void {
  if (!condition) throw wrong(reason);
}

const nameOf = ({ txHash, outputIndex }: Pick<BundleOutput, 'txHash' | 'outputIndex'>): string =>
  `output ${outputIndex} of ${toHex(txHash)}`;

const textOf = ({ major, minor }: SubaddressIndex): string => `${major}/${minor}`;

function assertDistinct(names: readonly string[], what: string): void {
  assertThat(new Set(names).size === names.length, `${what} is listed twice`);
}

/** Checks sizes before anything is computed, so that no bundle takes long. */
function assertSize({ accounts, transactions, message, reserveProof = '' }: ReserveBundle): void {
  const outputs = accounts.reduce((count, one) => count + one.outputs.length, 0);
  const addresses = accounts.reduce((count, one) => count + one.addresses.length, 0);
  const bytes = transactions.reduce((size, { blob }) => size + blob.length, 0);
  assertThat(accounts.length <= MAX_BUNDLE_OUTPUTS, `more than ${MAX_BUNDLE_OUTPUTS} accounts`);
  assertThat(outputs <= MAX_BUNDLE_OUTPUTS, `more than ${MAX_BUNDLE_OUTPUTS} outputs`);
  assertThat(outputs > 0, 'no outputs');
  assertThat(addresses <= outputs + accounts.length, 'more addresses than outputs');
  assertThat(bytes <= MAX_BUNDLE_TX_BYTES, `transactions with more than ${MAX_BUNDLE_TX_BYTES} bytes`);
  assertThat(reserveProof.length <= PROOF_CHARS * (outputs + 1), 'a reserve proof that is too long');
  assertThat(
    utf8(message).length <= MAX_BUNDLE_MESSAGE_BYTES,
    `a message of more than ${MAX_BUNDLE_MESSAGE_BYTES} bytes`,
  );
}

/** Checks which addresses an account lists: the primary address, then those of its outputs. */
function assertAddresses({ account, outputs, addresses }: BundleAccount, bundle: ReserveBundle): void {
  const [primary] = addresses;
  const { network, spendPublicKey, viewPublicKey } = bundle.address;
  assertThat(
    primary !== undefined &&
      isPrimary(primary.index) &&
      equalBytes(primary.address.spendPublicKey, spendPublicKey) &&
      equalBytes(primary.address.viewPublicKey, viewPublicKey),
    `account ${account} does not begin with the primary address`,
  );
  const used = new Set(['0/0', ...outputs.map(({ subaddress }) => textOf(subaddress))]);
  for (const { index, address, viewSignature } of addresses) {
    const name = `address ${textOf(index)}`;
    assertThat(isPrimary(index) || index.major === account, `${name} is not of account ${account}`);
    assertThat(used.has(textOf(index)), `${name} received no output of account ${account}`);
    const kind = isPrimary(index) ? 'standard' : 'subaddress';
    assertThat(address.kind === kind && address.network === network, `${name} is of another kind`);
    assertThat(
      (viewSignature === undefined) === isPrimary(index),
      `${name} has no signature of its view key`,
    );
  }
  assertDistinct(
    addresses.map(({ index }) => textOf(index)),
    `an address of account ${account}`,
  );
  assertDistinct(
    addresses.map(({ address }) => toHex(address.spendPublicKey)),
    `a spend key of account ${account}`,
  );
  for (const output of outputs)
    assertThat(output.subaddress.major === account, `${nameOf(output)} is not of account ${account}`);
}

/** Checks that all parts belong together, and that no output counts twice. */
function assertStructure(bundle: ReserveBundle): void {
  const { accounts, transactions, address } = bundle;
  assertThat(address.kind === 'standard', 'the address is not the primary address of a wallet');
  accounts.forEach(({ account }, i) => {
    const before = accounts[i - 1];
    assertThat(before === undefined || before.account < account, 'the accounts are not in ascending order');
  });
  const outputs = accounts.flatMap((one) => one.outputs);
  assertDistinct(outputs.map(nameOf), 'an output');
  assertDistinct(
    outputs.map(({ keyImage }) => toHex(keyImage)),
    'a key image',
  );
  assertDistinct(
    transactions.map(({ hash }) => toHex(hash)),
    'a transaction',
  );
  const named = new Set(outputs.map(({ txHash }) => toHex(txHash)));
  const heights = new Map(transactions.map(({ hash, height }) => [toHex(hash), height]));
  for (const { hash, height } of transactions) {
    assertThat(named.has(toHex(hash)), `transaction ${toHex(hash)} contains none of the outputs`);
    assertThat(height <= bundle.height, `transaction ${toHex(hash)} is in a block above ${bundle.height}`);
  }
  for (const { txHash } of outputs)
    assertThat(heights.has(toHex(txHash)), `transaction ${toHex(txHash)} is missing`);
  for (const one of accounts) assertAddresses(one, bundle);
}

/** Checks the signatures of an address. @param signed message that the proof of the account signs. */
function assertSigned(
  { index, address, ...signatures }: BundleAddress,
  signed: Hash,
  of: ReserveBundle,
): void {
  const name = `address ${textOf(index)}`;
  const { spendPublicKey: A, viewPublicKey: D } = address;
  assertThat(
    checkSignature(signed, A, signatures.spendSignature),
    `the signature by the spend key of ${name} is wrong`,
  );
  if (signatures.viewSignature === undefined) return;
  const claim = { message: signed, R: of.address.viewPublicKey, A, D };
  assertThat(
    checkSharedSecret(claim, signatures.viewSignature, 2),
    `the signature of the view key of ${name} is wrong`,
  );
}

/** Reads the reserve proof that signs the message, and checks that it has the outputs of the bundle. */
function readOwnProof(text: string, { accounts }: ReserveBundle): ReserveProof {
  const [account, ...others] = accounts;
  assertThat(others.length === 0, 'a reserve proof beside those of several accounts');
  const proof = readReserveProof(text);
  assertThat(proof.version === 2 && formatReserveProof(proof) === text, 'the reserve proof has another form');
  const placesOf = (list: readonly Pick<BundleOutput, 'txHash' | 'outputIndex' | 'keyImage'>[]): string[] =>
    list.map((one) => `${nameOf(one)} ${toHex(one.keyImage)}`);
  const keysOf = (keys: readonly Uint8Array[]): string[] => keys.map(toHex);
  const same = (a: readonly string[], b: readonly string[]): boolean => a.join() === b.join();
  assertThat(
    same(placesOf(proof.entries), placesOf(account?.outputs ?? [])) &&
      same(
        keysOf(proof.spendKeys.map(({ publicKey }) => publicKey)),
        keysOf((account?.addresses ?? []).map(({ address }) => address.spendPublicKey)),
      ),
    'the reserve proof has other outputs or addresses',
  );
  return proof;
}

/** An output with the contexts in which its signatures are checked. */
interface ToOpen {
  readonly output: BundleOutput;
  readonly proofs: readonly {
    readonly entry: BundleOutput | ReserveProof['entries'][number];
    readonly context: EntryContext;
  }[];
}

/** Returns a function that tells which public keys of a transaction may open an output. */
function keyLookup(tx: Transaction): (output: BundleOutput) => boolean {
  const { main, additional } = publishedKeys(tx);
  const known = new Set(main.map(toHex));
  return ({ outputIndex, txPublicKey }) => {
    const own = additional[outputIndex];
    return known.has(toHex(txPublicKey)) || (own !== undefined && equalBytes(own, txPublicKey));
  };
}

/** Checks the signatures of an output, and that its transaction pays its amount to its address. */
function assertOutput({ output, proofs }: ToOpen, tx: Transaction, hasKey: boolean): void {
  const name = `output ${output.outputIndex}`;
  assertThat(hasKey, `the public key of ${name} is missing`);
  for (const { entry, context } of proofs) {
    const amount = openEntry(entry, tx, [output.txPublicKey], context);
    assertThat(amount !== undefined, `a signature of ${name} is wrong`);
    assertThat(amount === output.amount && output.amount > 0n, `${name} has another amount`);
  }
}

/** Checks a transaction with its outputs. @returns its unlock time. */
function openTx(fetched: BundleTx, outputs: readonly ToOpen[]): bigint {
  try {
    assertThat(fetched.blob.length <= MAX_TX_BYTES, `more than ${MAX_TX_BYTES} bytes`);
    const tx = provableTx(fetched);
    const hasRemovedPart = tx.rct !== undefined && tx.rct.base.type !== 0;
    assertThat(
      hasRemovedPart || fetched.prunableHash === undefined,
      'the hash of a part that it does not have',
    );
    const hasKeyOf = keyLookup(tx);
    for (const one of outputs) assertOutput(one, tx, hasKeyOf(one.output));
    return tx.prefix.unlockTime;
  } catch (cause) {
    if (!(cause instanceof ProtocolError)) throw cause;
    throw wrong(`transaction ${toHex(fetched.hash)}: ${cause.message}`, cause);
  }
}

function assertSums(name: string, listed: ReserveSums, computed: ReserveSums): void {
  assertThat(
    listed.total === computed.total &&
      listed.unlocked === computed.unlocked &&
      listed.locked === computed.locked,
    `the sums of ${name} are wrong`,
  );
}

/** Pairs each output with the proofs that it is part of. Checks the signatures of the addresses. */
function outputsToOpen(bundle: ReserveBundle): ToOpen[] {
  const { address, message, reserveProof } = bundle;
  const statement = utf8(bundleStatement(bundle));
  const own = reserveProof === undefined ? undefined : readOwnProof(reserveProof, bundle);
  const ownContext = own && {
    signed: proofMessage(utf8(message), address, own.entries),
    address,
    version: own.version,
  };
  for (const { publicKey, signature } of own?.spendKeys ?? [])
    assertThat(
      ownContext !== undefined && checkSignature(ownContext.signed, publicKey, signature),
      'a signature of the reserve proof is wrong',
    );
  return bundle.accounts.flatMap(({ outputs, addresses }) => {
    const signed = proofMessage(statement, address, outputs);
    for (const one of addresses) assertSigned(one, signed, bundle);
    const receivers = new Map(
      addresses.map((one) => [textOf(one.index), new Set([toHex(one.address.spendPublicKey)])]),
    );
    return outputs.map((output, i): ToOpen => {
      const receiver = receivers.get(textOf(output.subaddress));
      if (receiver === undefined) throw wrong(`the address of ${nameOf(output)} is missing`);
      const context = { signed, address, version: 2 as const, receivers: receiver };
      const entry = own?.entries[i];
      const second =
        entry === undefined || ownContext === undefined
          ? []
          : [{ entry, context: { ...ownContext, receivers: receiver } }];
      return { output, proofs: [{ entry: output, context }, ...second] };
    });
  });
}

/**
 * Verifies a bundle without the chain: the bytes and the hashes of its transactions, that they pay the listed amounts to the
 * listed addresses, all signatures and sums, and that nothing counts twice. The time is bounded, about a millisecond for each
 * output. That the transactions are in the chain, and that the outputs are unspent, only a daemon knows.
 * @throws ProofError `bad_proof` with the first fact that is wrong.
 */
export function checkBundle(bundle: ReserveBundle): void {
  assertSize(bundle);
  assertStructure(bundle);
  const listed = bundle.accounts.flatMap(({ outputs }) => outputs);
  assertThat(
    listed.reduce((total, { amount }) => total + amount, 0n) <= U64_MAX,
    'the outputs exceed the largest amount',
  );
  const byTx = Map.groupBy(outputsToOpen(bundle), ({ output }) => toHex(output.txHash));
  const locks = new Map(
    bundle.transactions.map((tx) => {
      const hash = toHex(tx.hash);
      return [hash, { height: tx.height, unlockTime: openTx(tx, byTx.get(hash) ?? []) }];
    }),
  );
  const sumsOf = (outputs: readonly BundleOutput[]): ReserveSums =>
    reserveSums(
      outputs.map(({ txHash, amount }) => ({
        amount,
        ...(locks.get(toHex(txHash)) ?? { height: 0, unlockTime: 0n }),
      })),
      bundle,
    );
  for (const account of bundle.accounts)
    assertSums(`account ${account.account}`, account, sumsOf(account.outputs));
  assertSums('all accounts', bundle, sumsOf(listed));
}
