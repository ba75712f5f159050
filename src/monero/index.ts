/*
 * The Monero protocol as pure values: no input, no output and no clock. docs/protocol-library.md describes the shapes, the
 * units, the errors and the threads. Other modules of this folder are internal and change without notice.
 */

// Bytes with roles, and hex. Every key and hash is a Uint8Array of its own type.
export { bytes32, equalBytes, fixedBytes, fromHex, toHex, type Bytes } from '../util/bytes.js';
export type {
  Commitment,
  Hash,
  KeyDerivation,
  KeyImage,
  PublicKey,
  SecretKey,
  Signature,
} from './crypto/types.js';

// Errors of texts and encodings, of data that does not belong to the chain, of keys and of proofs.
export { CodecError } from '../util/codec.js';
export { ScanError, type ScanFault } from './wallet/scan/fetched-tx.js';
export { KeyError, type KeyFault } from './wallet/keys.js';
export { ProofError, type ProofFault } from './wallet/proofs/proof-text.js';

// Random bytes: an argument of every function that signs, so that a seeded source fixes the result.
export { systemRng, type Rng } from '../util/random.js';

// Amounts in atomic units, and as decimal coins.
export { amount, sum, type Amount } from '../util/amount.js';
export { formatCoins, parseCoins } from './cryptonote/coins.js';

// Addresses: of other accounts, of the own account by index, and with a payment id.
export { formatAddress, integrate, parseAddress, standardOf, tryParseAddress } from './cryptonote/address.js';
export { ownAddress } from './cryptonote/subaddress-keys.js';
export type { AddressKeys } from './cryptonote/subaddress-keys.js';
export type { Address, AddressKind, NetworkType, PaymentId, SubaddressIndex } from './cryptonote/types.js';

// Payment requests as monero: URIs.
export { formatUri, parseUri, UriError, type PaymentUri } from './cryptonote/uri.js';

// Keys of an account: of a new account, from a seed, or from texts that are checked against an address.
export {
  accountKeysOf,
  spendSecretFromSeed,
  viewSecretFromSpend,
  type AccountKeys,
} from './cryptonote/account-keys.js';
export { publicKeyOf, randomSecretKey } from './crypto/derivation.js';
export { parseAccountKeys, type KeyTexts } from './wallet/key-import.js';

// Mnemonics of 25 words, and their offset by a passphrase.
export {
  addSeedOffset,
  decodeMnemonic,
  encodeMnemonic,
  removeSeedOffset,
  type DecodedMnemonic,
} from './cryptonote/mnemonic.js';
export { findLanguage, LANGUAGES, type Language } from './cryptonote/languages.js';

// Polyseed: seeds of 16 words with a birthday, their encryption by a passphrase, their key and their stored form.
export {
  birthdayOf,
  birthdayTime,
  decryptPolyseed,
  encryptPolyseed,
  isEncrypted,
  PolyseedError,
  polyseedKey,
  type Polyseed,
  type PolyseedErrorKind,
} from './cryptonote/polyseed.js';
export {
  findPolyseedLanguage,
  POLYSEED_LANGUAGES,
  type PolyseedLanguage,
} from './cryptonote/polyseed-languages.js';
export { loadPolyseed, storePolyseed } from './cryptonote/polyseed-storage.js';
export {
  decodePolyseed,
  encodePolyseed,
  randomPolyseed,
  type DecodedPolyseed,
} from './cryptonote/polyseed-words.js';

// Blocks: from their encoding, and their hashes.
export { blockHash, blockHashingBlob, parseBlock } from './cryptonote/block.js';
export type { Block, BlockHeader, OutputTree } from './cryptonote/types.js';

// The chain of blocks: difficulties, proof of work, and the branch with the most work above a checkpoint.
export {
  blockTarget,
  earliestTimestamp,
  meetsDifficulty,
  nextDifficulty,
  type WorkPoint,
} from './cryptonote/difficulty.js';
export {
  nextSeedHeight,
  seedHeight,
  seedHeightsAbove,
  workAlgorithm,
  WorkError,
  workInput,
  type WorkAlgorithm,
} from './cryptonote/proof-of-work.js';
export { chainHeader, HeaderError, type ChainHeader, type HeaderRefusal } from './cryptonote/header-rules.js';
export { HeaderChain, type ChainBlock, type Checkpoint } from './cryptonote/header-chain.js';

// Transactions: from their encoding, their hashes, weight and locks.
export {
  isCoinbase,
  parsePrunedTransaction,
  parseTransaction,
  prefixHash,
  prunableHash,
  transactionHash,
  transactionHashWith,
  transactionWeight,
} from './cryptonote/transaction.js';
export { ringIndices } from './cryptonote/transaction.js';
export { isLockOpen } from './cryptonote/unlock-time.js';
export type {
  CarrotFields,
  GenInput,
  KeyInput,
  Transaction,
  TxInput,
  TxOutput,
  TxPrefix,
} from './cryptonote/types.js';
export type {
  BorromeanRangeSig,
  Bulletproof,
  BulletproofPlus,
  Clsag,
  EcdhInfo,
  FcmpProofs,
  Mlsag,
  ProofPoint,
  ProofScalar,
  RctBase,
  RctPrunable,
  RctType,
} from './ringct/types.js';

// The extra field of a transaction: public keys and payment ids.
export {
  additionalPublicKeys,
  parseExtra,
  paymentIdOf,
  txPublicKeys,
  type ExtraField,
  type ExtraPaymentId,
} from './cryptonote/extra.js';

// Scanning with the view key: a block, or single transactions such as transactions of the mempool.
export { scanBlock, type ReceivingTx } from './wallet/scan/block-scan.js';
export type { FetchedTx } from './wallet/scan/fetched-tx.js';
export { ownOutputsIn, receivedPaymentId } from './wallet/scan/block-scan.js';
export type { FoundOutput, ReceivingKeys } from './wallet/scan/found-output.js';
export { SubaddressTable, type KnownAddresses, type Lookahead } from './wallet/scan/subaddress-table.js';
export { blocksToUnlock, isUnlocked, secondsToUnlock, type Lockable } from './cryptonote/unlock-time.js';

// Key images of own outputs, and signatures that prove them.
export {
  keyImageOf,
  signKeyImage,
  verifyKeyImage,
  type KeyImageVerdict,
  type LocatedOutput,
  type SignedKeyImage,
  type SpendingKeys,
} from './wallet/scan/key-images.js';

// Proofs of a payment: by the keys of the transaction, and as texts by payer or payee.
export { checkTxKey, type TxKeyClaim } from './wallet/proofs/tx-key.js';
export {
  checkTxProof,
  proveReceived,
  proveSent,
  type TxProofSubject,
  type TxVerdict,
} from './wallet/proofs/tx-proof.js';

// Proofs of a reserve: the outputs that an account holds, and the spent outputs among them.
export {
  checkReserve,
  proveReserve,
  type ReserveToCheck,
  type ReserveToProve,
  type ReserveVerdict,
} from './wallet/proofs/reserve-proof.js';
export {
  readReserveProof,
  type ReserveEntry,
  type ReserveProof,
  type SignedSpendKey,
} from './wallet/proofs/reserve-proof-text.js';

// Messages that are signed by a key of an address.
export {
  signMessage,
  verifyMessage,
  type MessageSignatureVersion,
  type MessageToSign,
  type MessageVerdict,
  type SignedMessage,
  type SigningKey,
} from './wallet/proofs/message-signature.js';
