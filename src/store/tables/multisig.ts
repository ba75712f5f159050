import type { Statement } from 'better-sqlite3';
import type { Hash, PublicKey, SecretKey } from '../../crypto/types.js';
import { chunks, concatBytes } from '../../util/bytes.js';
import { decode, encode } from '../../util/codec.js';
import { multisigInfo, type MultisigInfo } from '../../wallet/exchange/transfer-details.js';
import { toBytes } from '../sql/columns.js';
import type { Db } from '../file/database.js';

/** What one signing gave. */
export interface SignedAnswer {
  /** Sealed. */
  readonly set: Uint8Array;
  /** None while more must sign. */
  readonly txHashes: readonly Hash[];
}

interface AnswerRow {
  readonly answer: Uint8Array;
  readonly tx_hashes: Uint8Array;
}

/** What signing together with others takes: own nonces, and what the others told. */
export class MultisigReader {
  protected readonly db: Db;
  readonly #nonces: Statement<[Uint8Array], { nonce: Uint8Array }>;
  readonly #told: Statement<[Uint8Array], { info: Uint8Array }>;
  readonly #answer: Statement<[Uint8Array], AnswerRow>;
  readonly #word: Statement<[Uint8Array], { current: number }>;

  constructor(db: Db) {
    this.db = db;
    this.#nonces = db.prepare('SELECT nonce FROM multisig_nonce WHERE public_key = ? ORDER BY position');
    this.#told = db.prepare('SELECT info FROM multisig_info WHERE public_key = ? ORDER BY signer');
    this.#answer = db.prepare('SELECT answer, tx_hashes FROM multisig_answer WHERE request = ?');
    this.#word = db.prepare('SELECT current FROM multisig_word WHERE digest = ?');
  }

  /** Unused nonces of an output. Secret. */
  nonces(publicKey: PublicKey): SecretKey[] {
    return this.#nonces.all(publicKey).map(({ nonce }) => toBytes<'SecretKey'>(nonce));
  }

  /** What other signers told of an output, one each. */
  told(publicKey: PublicKey): MultisigInfo[] {
    return this.#told.all(publicKey).map(({ info }) => decode(multisigInfo, info));
  }

  answerTo(request: Hash): SignedAnswer | undefined {
    const row = this.#answer.get(request);
    return (
      row && {
        set: Uint8Array.from(row.answer),
        txHashes: chunks(row.tx_hashes, 32).map((hash) => toBytes<'Hash'>(hash)),
      }
    );
  }

  /** A later word of its signer replaced it. */
  isReplaced(word: Hash): boolean {
    return this.#word.get(word)?.current === 0;
  }
}

export class MultisigWriter extends MultisigReader {
  /** These are the only nonces from now on; nothing that was signed with others is given out again. */
  replaceNonces(
    fresh: readonly { readonly publicKey: PublicKey; readonly nonces: readonly SecretKey[] }[],
  ): void {
    this.db.prepare('DELETE FROM multisig_nonce').run();
    this.db.prepare('DELETE FROM multisig_answer').run();
    const insert = this.db.prepare(
      'INSERT INTO multisig_nonce (public_key, position, nonce) VALUES (?, ?, ?)',
    );
    for (const { publicKey, nonces } of fresh)
      nonces.forEach((nonce, position) => insert.run(publicKey, position, nonce));
  }

  /** @returns how many there were. */
  eraseNonces(publicKeys: readonly PublicKey[]): number {
    const erase = this.db.prepare('DELETE FROM multisig_nonce WHERE public_key = ?');
    return publicKeys.reduce((count, publicKey) => count + erase.run(publicKey).changes, 0);
  }

  /** What was told of any output before is forgotten. */
  replaceTold(
    told: readonly { readonly publicKey: PublicKey; readonly infos: readonly MultisigInfo[] }[],
  ): void {
    this.db.prepare('DELETE FROM multisig_info').run();
    const insert = this.db.prepare('INSERT INTO multisig_info (public_key, signer, info) VALUES (?, ?, ?)');
    for (const { publicKey, infos } of told)
      for (const info of infos) insert.run(publicKey, info.signer, encode(multisigInfo, info));
  }

  /** The last word of a signer. */
  setWord(signer: PublicKey, word: Hash): void {
    this.db.prepare('UPDATE multisig_word SET current = 0 WHERE signer = ?').run(signer);
    this.db
      .prepare(
        `INSERT INTO multisig_word (digest, signer, current) VALUES (?, ?, 1)
         ON CONFLICT (digest) DO UPDATE SET current = 1`,
      )
      .run(word, signer);
  }

  recordAnswer(request: Hash, { set, txHashes }: SignedAnswer): void {
    this.db
      .prepare('INSERT INTO multisig_answer (request, answer, tx_hashes) VALUES (?, ?, ?)')
      .run(request, set, concatBytes(...txHashes));
  }
}
