import { utf8 } from '../../src/util/bytes.js';

/** A class of errors. */
export type ErrorClass = abstract new (...args: never[]) => Error;

/** A parser with valid inputs, ready to run. */
export interface Parser {
  /** Valid and invalid inputs from which mutations start. */
  readonly seeds: readonly Uint8Array[];
  /** Parses an input by the entry point that the server calls with foreign bytes. */
  readonly run: (input: Uint8Array) => unknown;
}

/** A parser of foreign bytes to be fuzzed. */
export interface Target {
  readonly name: string;
  /** Errors with which the parser refuses an input; any other error is a finding. */
  readonly errors: readonly ErrorClass[];
  /** Paths of the modules whose branches count, from `src/` on and without extension. */
  readonly modules: readonly string[];
  /** Words of the format, which mutations insert. */
  readonly words?: readonly string[];
  /**
   * Length of the longest mutated input, beyond the limit of the parser [bytes]. Default: twice the longest seed, at
   * least 4 KiB. Few inputs are longer than four times the seed of median length.
   */
  readonly maxBytes?: number;
  /** Processor time of a case that delays other requests too much [ms]. Default: that of all targets. */
  readonly limitMs?: number;
  readonly prepare: () => Parser | Promise<Parser>;
}

/** Length of all headers of a message, above which Node.js refuses it [bytes]. */
export const HEADER_BYTES = 16 * 1024;
/** Processor time of a header that delays other requests too much [ms]. */
export const HEADER_MS = 50;

/** Number of bytes that determine a place. */
const PLACE_BYTES = 64;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes an input as a text. Invalid UTF-8 becomes lone surrogates, which a JSON string may contain, too. */
export const textOf = (input: Uint8Array): string => decoder.decode(input).replaceAll('\ufffd', '\ud83d');

/** Returns a number below a limit that the input itself determines, in a time that does not depend on its length. */
export function placeBy(input: Uint8Array, limit: number): number {
  let sum = input.length;
  for (let at = 0; at < Math.min(input.length, PLACE_BYTES); at++) sum += input[at] ?? 0;
  return sum % limit;
}

/** Returns a parser of texts. */
export const textParser = (seeds: readonly string[], run: (text: string) => unknown): Parser => ({
  seeds: seeds.map(utf8),
  run: (input) => run(textOf(input)),
});
