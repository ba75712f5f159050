import { MergedOutputs, type MergedScope } from './merged-outputs.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import type { Payment } from '../../store/tables/payments.js';
import type { PagedReader, Part } from '../context/paged-reader.js';

/** Addresses of an account, and the heights of the listed outputs. */
type AddressScope = Omit<MergedScope, 'kind'>;

const mergedOf = (scope: AddressScope, kind: MergedScope['kind']): MergedOutputs =>
  new MergedOutputs({ ...scope, kind, minors: [...new Set(scope.minors)] });

/** Begins the lists of addresses. @returns true when those of all are begun; of a list in one page, at once. */
function areBegun(outputs: MergedOutputs, r: WalletReader, rows: number): boolean {
  let isBegun = outputs.begin(r);
  while (!isBegun && rows === Infinity) isBegun = outputs.begin(r);
  return isBegun;
}

/**
 * Reads the outputs of addresses in pages, in the order of the chain.
 * @param read reads the outputs with the given row numbers, in their order.
 */
export function outputPages<Page>(
  reading: PagedReader,
  scope: AddressScope,
  pageRows: number,
  read: (r: WalletReader, numbers: readonly number[]) => Page,
): AsyncIterable<Page> {
  const next = (r: WalletReader, outputs: MergedOutputs, rows: number): Part<Page, MergedOutputs> => {
    const numbers: number[] = [];
    if (!areBegun(outputs, r, rows)) return { page: read(r, numbers), rest: outputs };
    while (outputs.next !== undefined && numbers.length < rows) numbers.push(outputs.take(r));
    return { page: read(r, numbers), rest: outputs.next && outputs };
  };
  return reading.parts(mergedOf(scope, 'outputs'), next, pageRows);
}

/** Outputs of payments that are still to be listed. */
interface Waiting {
  readonly outputs: MergedOutputs;
  /** Row numbers of the outputs of the last blocks that were read, divided between transactions. */
  readonly divided: readonly (readonly number[])[];
}

/** Takes the outputs of whole blocks. @param least number after which no further block is begun. */
function takeBlocks(outputs: MergedOutputs, r: WalletReader, least: number): number[] {
  const numbers: number[] = [];
  for (;;) {
    const height = outputs.next?.height;
    if (height === undefined || numbers.length >= least) return numbers;
    while (outputs.next?.height === height) numbers.push(outputs.take(r));
  }
}

/** Reads the payments to addresses in pages, in the order of all payments: by height, then by transaction hash. */
export function paymentPages(
  reading: PagedReader,
  scope: AddressScope,
  pageRows?: number,
): AsyncIterable<Payment[]> {
  const next = (r: WalletReader, { outputs, divided }: Waiting, rows: number): Part<Payment[], Waiting> => {
    let waiting = divided;
    if (waiting.length === 0) {
      if (!areBegun(outputs, r, rows)) return { page: [], rest: { outputs, divided } };
      const numbers = takeBlocks(outputs, r, rows);
      // A block may have many more outputs than a page.
      waiting = numbers.length < 2 * rows ? [numbers] : r.payments.divideOutputs(numbers, rows);
    }
    const [first = [], ...rest] = waiting;
    const isEnd = rest.length === 0 && outputs.next === undefined;
    return { page: r.payments.ofOutputs(first), rest: isEnd ? undefined : { outputs, divided: rest } };
  };
  return reading.parts({ outputs: mergedOf(scope, 'payments'), divided: [] }, next, pageRows);
}
