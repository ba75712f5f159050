import * as z from 'zod';
import * as wire from '../../http/methods/wire.js';
import type { Hash, KeyImage, PublicKey, Signature } from '../../monero/crypto/types.js';
import { formatAddress, tryParseAddress } from '../../monero/cryptonote/address.js';
import type { Address, SubaddressIndex } from '../../monero/cryptonote/types.js';
import { ProofError } from '../../monero/wallet/proofs/proof-text.js';
import {
  MAX_BUNDLE_OUTPUTS,
  type BundleAccount,
  type BundleAddress,
  type BundleOutput,
  type BundleTx,
  type ReserveBundle,
  type ReserveSums,
} from '../../monero/wallet/proofs/reserve-bundle.js';
import { U64_MAX, type Amount } from '../../util/amount.js';
import { fromHex, toHex, type Bytes } from '../../util/bytes.js';
import { once } from '../../util/concurrency.js';
import { JsonError, parseJson, type Json } from '../../util/json.js';

/*
 * JSON document of a reserve bundle: a client writes it to a file, and `wallet-rpc verify-reserve` reads it. Amounts are texts,
 * since the file passes through programs that round large integers.
 */

/** Limits of a text that is read; the largest document has some 310,000 values. */
const TEXT_LIMITS = { maxDepth: 8, maxValues: 500_000, maxDigits: 20, uniqueKeys: true };

/** Name and version of the document. */
const FORMAT = 'reserve-bundle-1';

const place = () =>
  wire.object({
    major: wire.u32('Index of the account'),
    minor: wire.u32('Index of the address in the account'),
  });

const sums = () => ({
  total: wire.digits('Sum of the outputs'),
  unlocked: wire.digits('Part that could be spent in the block after the height'),
  locked: wire.digits('Part that was still locked'),
});

const outputSchema = () =>
  wire.object({
    tx_hash: wire.hash('Transaction that contains the output'),
    index_in_tx: wire.u32('Index of the output in the transaction'),
    amount: wire.digits('Amount'),
    subaddr_index: place().describe('Index of the address that was paid'),
    key_image: wire.hash('Key image'),
    tx_public_key: wire.hash('Public key of the transaction that opens the output'),
    shared_secret: wire.hash('Secret view key times this key'),
    shared_secret_sig: wire.signature('Proof of the shared secret'),
    key_image_sig: wire.signature('Proof of the key image'),
  });

const addressSchema = () =>
  wire.object({
    subaddr_index: place().describe('Index of the address'),
    address: wire.text('The address'),
    spend_key_sig: wire.signature('Signature by the spend key of the address'),
    view_key_sig: wire
      .signature('Proof of the view key of a subaddress; absent for the primary address')
      .optional(),
  });

const accountSchema = () =>
  wire.object({
    account_index: wire.u32('Index of the account'),
    ...sums(),
    addresses: wire.list(
      addressSchema(),
      'Primary address of the wallet, then the other addresses of the outputs',
    ),
    outputs: wire.list(outputSchema(), 'Outputs in the order of the chain'),
  });

const txSchema = () =>
  wire.object({
    tx_hash: wire.hash('Transaction hash'),
    height: wire.uint('Height of its block'),
    tx_blob: wire.hex(
      'Encoded transaction, without its signatures and range proofs if prunable_hash is given',
    ),
    prunable_hash: wire.hash('Hash of the removed part').optional(),
  });

/** Returns the schema of the document. */
export const reserveBundleSchema = () =>
  wire.object({
    format: wire.oneOf([FORMAT], 'Form of this document'),
    network: wire.oneOf(['mainnet', 'testnet', 'stagenet'], 'Network of the addresses'),
    address: wire.text('Primary address of the wallet'),
    message: wire.text('Text that the proof is bound to'),
    height: wire.uint('Height of the newest block that counts'),
    block_hash: wire.hash('Hash of this block'),
    timestamp: wire.uint('Time at which the bundle was made [Unix s]'),
    ...sums(),
    accounts: wire.list(accountSchema(), 'Accounts in ascending order'),
    transactions: wire.list(txSchema(), 'Transactions of the outputs'),
    reserve_proof: wire
      .text(
        'Reserve proof over the message alone, as of get_reserve_proof; with one account and without height alone',
      )
      .optional(),
  });

type BundleJson = z.output<ReturnType<typeof reserveBundleSchema>>;

const indexShape = ({ major, minor }: SubaddressIndex) => ({ major, minor });

const sumsShape = ({ total, unlocked, locked }: ReserveSums) => ({
  ...{ total: String(total), unlocked: String(unlocked), locked: String(locked) },
});

const outputShape = (output: BundleOutput) => ({
  tx_hash: toHex(output.txHash),
  index_in_tx: output.outputIndex,
  amount: String(output.amount),
  subaddr_index: indexShape(output.subaddress),
  key_image: toHex(output.keyImage),
  tx_public_key: toHex(output.txPublicKey),
  shared_secret: toHex(output.sharedSecret),
  shared_secret_sig: toHex(output.sharedSecretSignature),
  key_image_sig: toHex(output.keyImageSignature),
});

const addressShape = ({ index, address, spendSignature, viewSignature }: BundleAddress) => ({
  subaddr_index: indexShape(index),
  address: formatAddress(address),
  spend_key_sig: toHex(spendSignature),
  ...(viewSignature === undefined ? {} : { view_key_sig: toHex(viewSignature) }),
});

const txShape = ({ hash, height, blob, prunableHash }: BundleTx) => ({
  tx_hash: toHex(hash),
  height,
  tx_blob: toHex(blob),
  ...(prunableHash === undefined ? {} : { prunable_hash: toHex(prunableHash) }),
});

/** Converts a bundle to its document. */
export const reserveBundleShape = (bundle: ReserveBundle) =>
  ({
    format: FORMAT,
    network: bundle.address.network,
    address: formatAddress(bundle.address),
    message: bundle.message,
    height: bundle.height,
    block_hash: toHex(bundle.blockHash),
    timestamp: bundle.time,
    ...sumsShape(bundle),
    accounts: bundle.accounts.map((one) => ({
      account_index: one.account,
      ...sumsShape(one),
      addresses: one.addresses.map(addressShape),
      outputs: one.outputs.map(outputShape),
    })),
    transactions: bundle.transactions.map(txShape),
    ...(bundle.reserveProof === undefined ? {} : { reserve_proof: bundle.reserveProof }),
  }) satisfies BundleJson;

const malformed = (reason: string, cause?: unknown): ProofError =>
  new ProofError({ kind: 'bad_proof', reason }, { cause });

/** Decodes hex digits whose number the schema has checked. */
const bytes = <K extends string>(hex: string): Bytes<K> => fromHex(hex) as Bytes<never>;

function readAmount(text: string): Amount {
  const value = BigInt(text);
  if (value > U64_MAX) throw malformed('an amount exceeds 64 bits');
  return value as Amount;
}

function readAddress(text: string, network: Address['network']): Address {
  const address = tryParseAddress(text, network);
  if (address === undefined || formatAddress(address) !== text)
    throw malformed('an address is malformed, or of another network');
  return address;
}

const readSums = ({ total, unlocked, locked }: Readonly<Record<keyof ReserveSums, string>>): ReserveSums => ({
  total: readAmount(total),
  unlocked: readAmount(unlocked),
  locked: readAmount(locked),
});

/**
 * Reads a value by a schema. Lists are read item by item, so that many wrong items take no more time than one.
 * @param path place of the value in the document. @throws ProofError `bad_proof`
 */
function readAs<S extends z.ZodType>(schema: S, value: unknown, path: string): z.output<S> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const place = [path, ...(issue?.path.map(String) ?? [])].filter((part) => part !== '').join('.');
  throw malformed(`${place || 'the document'}: ${issue?.message ?? 'malformed'}`);
}

const items = () => z.array(z.unknown()).default([]);

/** Schemas of a document whose lists are not read yet. */
const outline = once(() => ({
  document: reserveBundleSchema().extend({ accounts: items(), transactions: items() }),
  account: accountSchema().extend({ addresses: items(), outputs: items() }),
  ...{ output: outputSchema(), address: addressSchema(), tx: txSchema() },
}));

type AccountOutline = z.output<ReturnType<typeof outline>['account']>;

/** Checks the lengths of the lists before their items are read. */
function assertCounts(accounts: readonly AccountOutline[], transactions: readonly unknown[]): void {
  const outputs = accounts.reduce((count, one) => count + one.outputs.length, 0);
  const addresses = accounts.reduce((count, one) => count + one.addresses.length, 0);
  if (outputs > MAX_BUNDLE_OUTPUTS) throw malformed(`more than ${MAX_BUNDLE_OUTPUTS} outputs`);
  if (addresses > outputs + accounts.length) throw malformed('more addresses than outputs');
  if (transactions.length > outputs) throw malformed('more transactions than outputs');
}

function readOutput(value: unknown, path: string): BundleOutput {
  const json = readAs(outline().output, value, path);
  return {
    txHash: bytes<'Hash'>(json.tx_hash) satisfies Hash,
    outputIndex: json.index_in_tx,
    amount: readAmount(json.amount),
    subaddress: json.subaddr_index,
    keyImage: bytes<'KeyImage'>(json.key_image) satisfies KeyImage,
    txPublicKey: bytes<'PublicKey'>(json.tx_public_key) satisfies PublicKey,
    sharedSecret: bytes<'PublicKey'>(json.shared_secret),
    sharedSecretSignature: bytes<'Signature'>(json.shared_secret_sig) satisfies Signature,
    keyImageSignature: bytes<'Signature'>(json.key_image_sig),
  };
}

function readReceiver(value: unknown, path: string, network: Address['network']): BundleAddress {
  const json = readAs(outline().address, value, path);
  return {
    index: json.subaddr_index,
    address: readAddress(json.address, network),
    spendSignature: bytes<'Signature'>(json.spend_key_sig),
    ...(json.view_key_sig === undefined ? {} : { viewSignature: bytes<'Signature'>(json.view_key_sig) }),
  };
}

function readTx(value: unknown, path: string): BundleTx {
  const json = readAs(outline().tx, value, path);
  return {
    hash: bytes<'Hash'>(json.tx_hash),
    height: json.height,
    blob: fromHex(json.tx_blob),
    ...(json.prunable_hash === undefined ? {} : { prunableHash: bytes<'Hash'>(json.prunable_hash) }),
  };
}

const readAccount = (json: AccountOutline, path: string, network: Address['network']): BundleAccount => ({
  account: json.account_index,
  ...readSums(json),
  outputs: json.outputs.map((one, i) => readOutput(one, `${path}.outputs.${i}`)),
  addresses: json.addresses.map((one, i) => readReceiver(one, `${path}.addresses.${i}`, network)),
});

function parseDocument(text: string): Json {
  try {
    return parseJson(text, TEXT_LIMITS);
  } catch (cause) {
    if (cause instanceof JsonError) throw malformed(cause.message, cause);
    throw cause;
  }
}

/**
 * Reads a bundle from the text of its document, which may come from anyone. Nothing of it is verified.
 * @throws ProofError `bad_proof` for another form, also for unknown members, and for two members of one name
 */
export function readReserveBundle(text: string): ReserveBundle {
  const schemas = outline();
  const data = readAs(schemas.document, parseDocument(text), '');
  const accounts = data.accounts.map((one, i) => readAs(schemas.account, one, `accounts.${i}`));
  assertCounts(accounts, data.transactions);
  return {
    address: readAddress(data.address, data.network),
    message: data.message,
    height: data.height,
    blockHash: bytes<'Hash'>(data.block_hash),
    time: data.timestamp,
    ...readSums(data),
    accounts: accounts.map((one, i) => readAccount(one, `accounts.${i}`, data.network)),
    transactions: data.transactions.map((one, i) => readTx(one, `transactions.${i}`)),
    ...(data.reserve_proof === undefined ? {} : { reserveProof: data.reserve_proof }),
  };
}
