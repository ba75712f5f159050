import { closeSync, fsyncSync, openSync, writeSync, type Stats } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, toHex, tryFromHex, utf8 } from '../util/bytes.js';
import { fileErrorCode, readOperatorFile } from '../util/files.js';
import { Secret } from '../util/secret.js';
import { ClusterRefused } from './errors.js';

const SECRET_BYTES = 32;
const NONCE_BYTES = 24;

/** Longest content of a secret file: 64 hex digits, and some white space. */
const MOST_FILE_BYTES = 128;

/** Encodes a length in four bytes, so that joined parts cannot be divided in another way. */
function lengthOf({ length }: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, length);
  return bytes;
}

/**
 * The secret that all processes of a cluster share: the contents of the database are encrypted under keys made from it.
 */
export class ClusterSecret {
  readonly #secret: Secret;
  /** Keys by purpose: each costs two rounds of HMAC. */
  readonly #keys = new Map<string, Secret>();

  /** @param bytes 32 random bytes; owned by this object. */
  constructor(bytes: Uint8Array) {
    if (bytes.length !== SECRET_BYTES) throw new RangeError(`a cluster secret has ${SECRET_BYTES} bytes`);
    this.#secret = new Secret(bytes);
  }

  /**
   * Reads a secret file: 64 hex digits, which only its owner may use.
   * @throws ClusterRefused `secret_missing`, `secret_open`, `secret_length`
   */
  static read(path: string): ClusterSecret {
    const check = ({ mode }: Stats): void => {
      if ((mode & 0o077) !== 0)
        throw new ClusterRefused(
          'secret_open',
          `the secret file ${path} can be used by other users (mode ${(mode & 0o777).toString(8)}): chmod 600 it`,
        );
    };
    let content: Buffer;
    try {
      content = readOperatorFile(path, { check });
    } catch (cause) {
      if (cause instanceof ClusterRefused) throw cause;
      throw new ClusterRefused(
        'secret_missing',
        `the secret file ${path} cannot be read (${fileErrorCode(cause)}): wallet-rpc cluster init makes it, then copy it to every machine`,
        { cause },
      );
    }
    const bytes =
      content.length > MOST_FILE_BYTES ? undefined : tryFromHex(content.toString('latin1').trim());
    content.fill(0);
    if (bytes?.length !== SECRET_BYTES)
      throw new ClusterRefused(
        'secret_length',
        `the secret file ${path} must contain ${2 * SECRET_BYTES} hex digits and nothing else`,
      );
    return new ClusterSecret(bytes);
  }

  /**
   * Writes a new random secret to a file that only its owner may use. Never replaces a file.
   * @throws ClusterRefused `secret_exists`; an error of the operating system.
   */
  static create(path: string): void {
    let file: number;
    try {
      file = openSync(path, 'wx', 0o600);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
      throw new ClusterRefused('secret_exists', `the secret file ${path} exists already`, { cause });
    }
    try {
      writeSync(file, `${toHex(randomBytes(SECRET_BYTES))}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  /** Returns the key of the rows of a wallet: 32 bytes that do not show its name. */
  idOf(name: string): Uint8Array {
    return this.tag('wallet id', utf8(name));
  }

  /**
   * Encrypts bytes with XChaCha20-Poly1305 under a key of their own purpose.
   * @returns a random nonce of 24 bytes, the ciphertext, and the tag of 16 bytes.
   */
  seal(purpose: string, plain: Uint8Array): Uint8Array {
    const nonce = new Uint8Array(randomBytes(NONCE_BYTES));
    return concatBytes(
      nonce,
      xchacha20poly1305(this.#keyOf(`seal ${purpose}`), nonce, utf8(purpose)).encrypt(plain),
    );
  }

  /** Decrypts the bytes that `seal` returned. @throws Error for another secret, another purpose, or changed bytes. */
  open(purpose: string, sealed: Uint8Array): Uint8Array {
    return xchacha20poly1305(
      this.#keyOf(`seal ${purpose}`),
      sealed.subarray(0, NONCE_BYTES),
      utf8(purpose),
    ).decrypt(sealed.subarray(NONCE_BYTES));
  }

  /** Returns the HMAC-SHA-256 of parts, with their lengths, under a key of their own purpose: 32 bytes. */
  tag(purpose: string, ...parts: readonly Uint8Array[]): Uint8Array {
    const mac = hmac.create(sha256, this.#keyOf(`tag ${purpose}`));
    for (const part of parts) mac.update(lengthOf(part)).update(part);
    return mac.digest();
  }

  /** Returns the key of a purpose, by HKDF-SHA-256. */
  #keyOf(purpose: string): Uint8Array {
    let key = this.#keys.get(purpose);
    if (key === undefined) {
      key = new Secret(hkdf(sha256, this.#secret.expose(), utf8('wallet-rpc cluster'), utf8(purpose), 32));
      this.#keys.set(purpose, key);
    }
    return key.expose();
  }
}
