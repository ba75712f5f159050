import { pbkdf2Sync, randomFillSync } from 'node:crypto';

/** Random bytes of the operating system. */
export const randomBytes = (length: number): Uint8Array => randomFillSync(new Uint8Array(length));

/** Derives 32 bytes from a password by PBKDF2 with HMAC-SHA256. */
export const pbkdf2Sha256 = (password: Uint8Array, salt: Uint8Array, iterations: number): Uint8Array =>
  new Uint8Array(pbkdf2Sync(password, salt, iterations, 32, 'sha256'));
