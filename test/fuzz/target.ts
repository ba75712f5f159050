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
  /** Length of the longest mutated input [bytes]. Default: twice the longest seed, at least 4 KiB. */
  readonly maxBytes?: number;
  readonly prepare: () => Parser | Promise<Parser>;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes an input as a text. Invalid UTF-8 becomes lone surrogates, which a JSON string may contain, too. */
export const textOf = (input: Uint8Array): string => decoder.decode(input).replaceAll('\ufffd', '\ud83d');

/** Returns a parser of texts. */
export const textParser = (seeds: readonly string[], run: (text: string) => unknown): Parser => ({
  seeds: seeds.map(utf8),
  run: (input) => run(textOf(input)),
});
