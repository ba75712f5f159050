import type { Curve } from '../../src/crypto/curve.js';
import { plainCurve } from '../../src/crypto/plain-curve.js';
import { WasmCurve } from '../../src/kernel/wasm-curve.js';
import type { Rng } from '../../src/util/random.js';

/** Every implementation there is but the plain one. */
export const fastCurves: readonly Curve[] = [new WasmCurve('relaxed'), new WasmCurve('simd')];

/** A random source, and others that give the same bytes again from the beginning. */
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
        if (bytes?.length !== length) throw new Error('asked for other randomness than before');
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

/** What came of a run, as text. A refusal counts by its kind: texts may differ. */
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

/**
 * Runs on every implementation with the same randomness.
 * @returns or throws what the plain one does. @throws Error where another one differs.
 */
export function onEveryCurve<T>(run: (curve: Curve, rng: Rng) => T, rng: Rng = () => new Uint8Array()): T {
  const source = recorded(rng);
  const plain = outcome(() => run(plainCurve, source.rng));
  for (const curve of fastCurves) {
    const { text } = outcome(() => run(curve, source.again()));
    if (text !== plain.text) throw new Error(`${curve.name}: ${text}, plain: ${plain.text}`);
  }
  return plain.value();
}
