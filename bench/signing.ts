import type { Curve } from '../src/monero/crypto/curve/curve.js';
import { publicKeyOf } from '../src/monero/crypto/derivation.js';
import { plainCurve } from '../src/monero/crypto/curve/plain-curve.js';
import { randomScalar, scalarBytes } from '../src/monero/crypto/scalar.js';
import type { Hash } from '../src/monero/crypto/types.js';
import { WasmCurve } from '../src/monero/crypto/curve/wasm-curve.js';
import { BUILDS } from '../src/monero/crypto/curve/wasm-module.js';
import { proveRange, verifyRange } from '../src/monero/ringct/bulletproofs-plus.js';
import { signClsag, verifyClsag } from '../src/monero/ringct/clsag.js';
import { commit } from '../src/monero/ringct/commitment.js';
import { amount } from '../src/util/amount.js';
import { systemRng } from '../src/util/random.js';
import { median, printTable } from './table.js';

/* Proofs and signatures of a payment in every build of the kernel and in its plain twin, on one thread. */

const ROUNDS = Number(process.argv[2] ?? 5);
const RING = 16;

const scalar = (): bigint => randomScalar(systemRng);

/** CPU time of this process, independent of other load [ms]. */
function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Times of the first run, which fills tables, and of the median later run. */
function timed<T>(work: () => T): { readonly result: T; readonly first: number; readonly later: number } {
  const once = (): { readonly result: T; readonly took: number } => {
    const started = cpuMilliseconds();
    const result = work();
    return { result, took: cpuMilliseconds() - started };
  };
  const { result, took: first } = once();
  return { result, first, later: median(Array.from({ length: ROUNDS }, () => once().took)) };
}

function mustHold(holds: boolean): void {
  if (!holds) throw new Error('a proof does not verify');
}

const figure = ({ first, later }: { readonly first: number; readonly later: number }): string =>
  `${later.toFixed(1)} ms (first ${first.toFixed(1)})`;

function ranges(curve: Curve, outputs: number): string[] {
  const amounts = Array.from({ length: outputs }, (_, i) => amount(1_000_000_007n * BigInt(i + 1)));
  const masks = amounts.map(scalar);
  const proving = timed(() => proveRange(amounts, masks, systemRng, curve));
  const verifying = timed(() => {
    mustHold(verifyRange([proving.result], systemRng, curve));
  });
  return [figure(proving), figure(verifying)];
}

function rings(curve: Curve): string[] {
  const keys = Array.from({ length: RING }, scalar);
  const masks = keys.map(scalar);
  const ring = keys.map((key, i) => ({
    publicKey: publicKeyOf(scalarBytes(key)),
    commitment: commit(amount(5n), masks[i] ?? 0n),
  }));
  const pseudoOutMask = scalar();
  const claim = {
    message: new Uint8Array(32).fill(1) as Hash,
    ring,
    pseudoOut: commit(amount(5n), pseudoOutMask),
  };
  const realIndex = 7;
  const own = { realIndex, secretKey: keys[realIndex] ?? 0n, realMask: masks[realIndex] ?? 0n };
  const signing = timed(() => signClsag({ ...claim, ...own, pseudoOutMask, rng: systemRng }, curve));
  const verifying = timed(() => {
    mustHold(verifyClsag({ ...claim, ...signing.result }, curve));
  });
  return [figure(signing), figure(verifying)];
}

const curves = [...BUILDS.map((build) => new WasmCurve(build)), plainCurve];
const columns = curves.map((curve) => [...ranges(curve, 2), ...ranges(curve, 16), ...rings(curve)]);
process.stdout.write(`CPU time, median of ${ROUNDS}; the first run fills tables\n`);
printTable(
  ['', ...curves.map(({ name }) => name)],
  [
    'range proof of 2 outputs',
    'checking it',
    'range proof of 16 outputs',
    'checking it',
    `signature in a ring of ${RING}`,
    'checking it',
  ].map((what, i) => [what, ...columns.map((column) => column[i] ?? '')]),
);
