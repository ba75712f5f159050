import { readdirSync, readFileSync } from 'node:fs';
import { fromHex } from '../../src/util/bytes.js';

const FOLDER = new URL('../../../test/vectors/', import.meta.url);

/** Reads a file of `test/vectors` as JSON. */
export const readVectors = <T>(path: string): T =>
  JSON.parse(readFileSync(new URL(path, FOLDER), 'utf8')) as T;

/** Reads all files of a folder of `test/vectors`. */
export const readFolder = (path: string): string[] =>
  readdirSync(new URL(path, FOLDER)).map((name) => readFileSync(new URL(`${path}/${name}`, FOLDER), 'utf8'));

export const fromBase64 = (text: string | undefined): Uint8Array =>
  Uint8Array.from(Buffer.from(text ?? '', 'base64'));

interface Blob {
  readonly blob: string;
}

/** Encoded blocks and transactions of mainnet and of a regtest chain. */
export function chainVectors(): { readonly blocks: Uint8Array[]; readonly transactions: Uint8Array[] } {
  const regtest = readVectors<{ readonly blocks: Blob[]; readonly transactions: Blob[] }>(
    'ringct/regtest.json',
  );
  const mainnet = readVectors<{ readonly transactions: Blob[] }>('ringct/mainnet.json');
  return {
    blocks: regtest.blocks.map(({ blob }) => fromHex(blob)),
    transactions: [...regtest.transactions, ...mainnet.transactions].map(({ blob }) => fromHex(blob)),
  };
}
