import { readFileSync } from 'node:fs';
import { bytes32, concatBytes, fixedBytes, fromHex } from '../../../src/util/bytes.js';
import type { Rng } from '../../../src/util/random.js';
import { intToBytes } from '../../../src/monero/crypto/scalar.js';
import type {
  Hash,
  KeyDerivation,
  KeyImage,
  PublicKey,
  SecretKey,
} from '../../../src/monero/crypto/types.js';

const read = (name: string): string =>
  readFileSync(new URL(`../../../../test/vectors/crypto/${name}`, import.meta.url), 'utf8');

/** Words of each line of a text file of vectors, without its header. */
const lines = (name: string): string[][] =>
  read(name)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' '));

const commands = lines('tests.txt');

/** Arguments and results of every vector of one command, each with a short title. */
export const vectorsOf = (command: string): { title: string; words: string[] }[] =>
  commands
    .filter(([name]) => name === command)
    .map(([, ...words], i) => ({ title: `${i + 1}: ${words[0]?.slice(0, 16) ?? ''}`, words }));

/** {@link vectorsOf} a command with a verdict, partitioned by it. */
export function verdictsOf(
  command: string,
): Record<'valid' | 'invalid', { title: string; words: string[] }[]> {
  const all = vectorsOf(command);
  return {
    valid: all.filter(({ words }) => !words.includes('false')),
    invalid: all.filter(({ words }) => words.includes('false')),
  };
}

/** Digest and data of each vector of one hash function. */
export const digests = (name: string): { title: string; digest: string; data: Uint8Array }[] =>
  lines(`hash-${name}.txt`).map(([digest = '', data = ''], i) => {
    const bytes = data === 'x' ? new Uint8Array() : fromHex(data);
    return { title: `${i + 1}: ${bytes.length} bytes`, digest, data: bytes };
  });

export const readJson = <T>(name: string): T => JSON.parse(read(name)) as T;

export const hash = (hex = ''): Hash => bytes32(fromHex(hex), 'Hash');
export const publicKey = (hex = ''): PublicKey => bytes32(fromHex(hex), 'PublicKey');
export const secretKey = (hex = ''): SecretKey => bytes32(fromHex(hex), 'SecretKey');
export const derivation = (hex = ''): KeyDerivation => bytes32(fromHex(hex), 'KeyDerivation');
export const image = (hex = ''): KeyImage => bytes32(fromHex(hex), 'KeyImage');

/** 64-byte signatures in concatenated hex. */
export const signatures = (hex = ''): Uint8Array[] =>
  (hex.match(/.{128}/g) ?? []).map((one) => fixedBytes(fromHex(one), 64, 'Signature'));

/** Random source from which `randomScalar` draws exactly these scalars; it throws after them. */
export function scalarsRng(scalars: readonly bigint[]): Rng {
  const left = [...scalars];
  return (length) => {
    const scalar = left.shift();
    if (scalar === undefined || length !== 64) throw new Error('more randomness asked for than expected');
    return concatBytes(intToBytes(scalar), new Uint8Array(32));
  };
}

/** The eight points of small order, the identity first. */
export const SMALL_ORDER: readonly string[] = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
];

/** Encodings that a lenient parser accepts as points: y ≥ p, and points with x = 0 and the sign bit set. */
export const NOT_CANONICAL: readonly { note: string; hex: string }[] = [
  { note: 'y = p', hex: 'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f' },
  { note: 'y = p + 1', hex: 'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f' },
  { note: 'y = 2^255 - 1', hex: 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f' },
  {
    note: 'y = p with the sign set',
    hex: 'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  },
  { note: 'x = -0, y = 1', hex: '0100000000000000000000000000000000000000000000000000000000000080' },
  { note: 'x = -0, y = -1', hex: 'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff' },
];
