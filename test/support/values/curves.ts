import type { Curve } from '../../../src/monero/crypto/curve/curve.js';
import { plainCurve } from '../../../src/monero/crypto/curve/plain-curve.js';
import { WasmCurve } from '../../../src/monero/crypto/curve/wasm-curve.js';
import type { Rng } from '../../../src/util/random.js';
import { isNight } from '../jest/lanes.js';

/** All implementations except the plain one. */
export const fastCurves: readonly Curve[] = [new WasmCurve('relaxed'), new WasmCurve('simd')];

/** Records the bytes of a random source. `again` returns a source that replays them. */
function recorded(rng: Rng): { readonly rng: Rng; readonly again: () => Rng } {
  const given: Uint8Array[] = [];
  return {
    rng(length) {
      const bytes = rng(length);
      given.push(Uint8Array.from(bytes));
      return bytes;
    },
    again() {
      let next = 0;
      return (length) => {
        const bytes = given[next++];
        if (bytes?.length !== length) throw new Error('the replayed requests for random bytes differ');
        return Uint8Array.from(bytes);
      };
    },
  };
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'bigint'
      ? `${part}n`
      : part instanceof Uint8Array
        ? Buffer.from(part).toString('hex')
        : part,
  );

/** Result of a run as text. Errors are compared by kind: their messages may differ. */
function outcome<T>(run: () => T): { readonly text: string; readonly value: () => T } {
  try {
    const value = run();
    return { text: textOf(value) ?? 'undefined', value: () => value };
  } catch (error) {
    const kind = error instanceof Error ? error.name : 'unknown';
    return {
      text: `throws ${kind}`,
      value() {
        throw error;
      },
    };
  }
}

/** Number of runs of which one is compared in the lane of each commit, since the plain implementation takes long. */
const COMPARED = isNight ? 1 : 4;
let runs = 0;

/**
 * Runs on every implementation with the same random bytes; in the lane of each commit one run of {@link COMPARED}, and the
 * others on the fastest one alone.
 * @returns the result of the plain implementation, or throws its error. @throws Error when another one differs.
 */
export function onEveryCurve<T>(run: (curve: Curve, rng: Rng) => T, rng: Rng = () => new Uint8Array()): T {
  if (runs++ % COMPARED !== 0) return run(fastCurves.at(-1) ?? plainCurve, rng);
  const source = recorded(rng);
  const plain = outcome(() => run(plainCurve, source.rng));
  for (const curve of fastCurves) {
    const { text } = outcome(() => run(curve, source.again()));
    if (text !== plain.text) throw new Error(`${curve.name}: ${text}, plain: ${plain.text}`);
  }
  return plain.value();
}
