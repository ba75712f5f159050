import type { Hash, PublicKey, SecretKey } from '../../monero/crypto/types.js';
import { chunks, concatBytes } from '../../util/bytes.js';
import { decode, encode } from '../../util/codec.js';
import { multisigInfo, type MultisigInfo } from '../../monero/wallet/exchange/transfer-details.js';
import { toBytes } from './columns.js';
import type { SqlDatabase } from '../../util/sql-database.js';

/** Stored result of signing a multisig transaction set. */
export interface SignedAnswer {
  /** The encrypted transaction set with the new signatures. */
  readonly set: Uint8Array;
  /** Hashes of the signed transactions; empty while more signers are needed. */
  readonly txHashes: readonly Hash[];
}

interface AnswerRow {
  readonly answer: Uint8Array;
  readonly tx_hashes: Uint8Array;
}

/** Reads the state of multisig signing: own nonces, multisig info of the other signers, and results. */
export class MultisigReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns the unused secret nonces of an output. */
  nonces(publicKey: PublicKey): SecretKey[] {
    return this.db
      .values<Uint8Array>(
        'SELECT nonce FROM multisig_nonce WHERE public_key = ? ORDER BY position',
        publicKey,
      )
      .map((nonce) => toBytes<'SecretKey'>(nonce));
  }

  /** Returns the multisig info of an output, one for each other signer. */
  infos(publicKey: PublicKey): MultisigInfo[] {
    return this.db
      .values<Uint8Array>('SELECT info FROM multisig_info WHERE public_key = ? ORDER BY signer', publicKey)
      .map((info) => decode(multisigInfo, info));
  }

  answerTo(request: Hash): SignedAnswer | undefined {
    const row = this.db.row<AnswerRow>(
      'SELECT answer, tx_hashes FROM multisig_answer WHERE request = ?',
      request,
    );
    return (
      row && {
        set: Uint8Array.from(row.answer),
        txHashes: chunks(row.tx_hashes, 32).map((hash) => toBytes<'Hash'>(hash)),
      }
    );
  }

  /**
   * Returns true if a later signer info of the same signer has replaced a signer info.
   * @param digest hash of a signer info.
   */
  isSuperseded(digest: Hash): boolean {
    return this.db.value<number>('SELECT current FROM multisig_word WHERE digest = ?', digest) === 0;
  }
}

export class MultisigWriter extends MultisigReader {
  /** Replaces all nonces, and deletes the results that were signed with the former nonces. */
  replaceNonces(
    fresh: readonly { readonly publicKey: PublicKey; readonly nonces: readonly SecretKey[] }[],
  ): void {
    this.db.run('DELETE FROM multisig_nonce');
    this.db.run('DELETE FROM multisig_answer');
    for (const { publicKey, nonces } of fresh)
      nonces.forEach((nonce, position) =>
        this.db.run(
          'INSERT INTO multisig_nonce (public_key, position, nonce) VALUES (?, ?, ?)',
          publicKey,
          position,
          nonce,
        ),
      );
  }

  /** Deletes the nonces of outputs. @returns the number of deleted nonces. */
  eraseNonces(publicKeys: readonly PublicKey[]): number {
    return publicKeys.reduce(
      (count, publicKey) =>
        count + this.db.run('DELETE FROM multisig_nonce WHERE public_key = ?', publicKey).changes,
      0,
    );
  }

  /** Replaces the multisig info of all outputs. */
  replaceInfos(
    outputs: readonly { readonly publicKey: PublicKey; readonly infos: readonly MultisigInfo[] }[],
  ): void {
    this.db.run('DELETE FROM multisig_info');
    for (const { publicKey, infos } of outputs)
      for (const info of infos)
        this.db.run(
          'INSERT INTO multisig_info (public_key, signer, info) VALUES (?, ?, ?)',
          publicKey,
          info.signer,
          encode(multisigInfo, info),
        );
  }

  /** Deletes the multisig info of all outputs. */
  clearInfos(): void {
    this.db.run('DELETE FROM multisig_info');
  }

  /** Records a signer info as the latest signer info of its signer. @param digest hash of the signer info. */
  setLatestInfo(signer: PublicKey, digest: Hash): void {
    this.db.run('UPDATE multisig_word SET current = 0 WHERE signer = ?', signer);
    this.db.run(
      `INSERT INTO multisig_word (digest, signer, current) VALUES (?, ?, 1)
         ON CONFLICT (digest) DO UPDATE SET current = 1`,
      digest,
      signer,
    );
  }

  recordAnswer(request: Hash, { set, txHashes }: SignedAnswer): void {
    this.db.run(
      'INSERT INTO multisig_answer (request, answer, tx_hashes) VALUES (?, ?, ?)',
      request,
      set,
      concatBytes(...txHashes),
    );
  }
}
