import { utf8 } from '../../src/util/bytes.js';
import { placeBy } from './target.js';
import { readFolder } from './vectors.js';

/** Request and answer of a method, as the reference gave it. */
interface Recorded {
  readonly method: string;
  readonly request?: unknown;
  readonly params?: unknown;
}

/** Requests of all methods whose answers the reference has given. */
export const recordedRequests = (): Uint8Array[] =>
  readFolder('rpc/recorded').map((text) => {
    const { method, request, params } = JSON.parse(text) as Recorded;
    return utf8(JSON.stringify(request ?? { jsonrpc: '2.0', id: '0', method, params }));
  });

export const JSON_WORDS = [
  '{"',
  '":',
  '[[[[',
  '{"a":[',
  '"jsonrpc":"2.0"',
  '"method":"',
  '"params":{',
  '"id":',
  '18446744073709551616',
  '-0',
  '1e400',
  '0.1',
  'true',
  'null',
  '\\ud800',
  '\\u0000',
  '"__proto__":',
  '"constructor":',
];

/** Number of chunks of a body at most: chunks take more time than their bytes. */
const MOST_CHUNKS = 32;

/** Gives a body in chunks of a length that the body itself determines. */
export async function* inChunks(input: Uint8Array): AsyncGenerator<Uint8Array> {
  const size = Math.max(1 + placeBy(input, 97), Math.ceil(input.length / MOST_CHUNKS));
  for (let at = 0; at < input.length; at += size) yield input.subarray(at, at + size);
}
