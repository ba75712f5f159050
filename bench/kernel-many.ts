import { loadCurve } from '../src/monero/crypto/curve/load-curve.js';
import { publicKeyOf } from '../src/monero/crypto/derivation.js';
import { randomScalar, scalarBytes } from '../src/monero/crypto/scalar.js';
import type { SecretKey } from '../src/monero/crypto/types.js';
import { SUBADDRESS_MESSAGE_BYTES } from '../src/monero/cryptonote/subaddress-keys.js';
import { INPUT_CONTEXT_BYTES } from '../src/monero/fork-rules.js';
import { NO_VIEW_TAG, type ScanBatch } from '../src/monero/kernel/kernel.js';
import { WasmKernel } from '../src/monero/kernel/wasm-kernel.js';
import { BUILDS } from '../src/monero/crypto/curve/wasm-module.js';
import { concatBytes } from '../src/util/bytes.js';
import { systemRng } from '../src/util/random.js';
import { median, printTable } from './table.js';

/*
 * CPU time that scanning one transaction key costs with 1 to 100 view secrets at once, and that the public spend key of
 * a subaddress costs, in every build of the kernel. One thread; transactions have two outputs, with view tags and
 * without, or of the form of the fork. Rounds of all counts and forms take turns, so that a change of the machine's speed
 * meets all of them.
 */

const ROUNDS = Number(process.argv[2] ?? 9);
const COUNTS = [1, 2, 5, 10, 100];
const KEYS = 256;
const OUTPUTS = 2;
const ADDRESSES = 10_000;

const someSecret = (): SecretKey => scalarBytes(randomScalar(systemRng));
const somePoint = (): Uint8Array => publicKeyOf(someSecret());
const someU = (): Uint8Array => loadCurve().x25519(Uint8Array.of(9, ...new Uint8Array(31)), someSecret());

/** Forms of outputs: of the old form with view tags or without, and of the form of the fork. */
const FORMS = ['tags', 'no tags', 'fork'] as const;
type Form = (typeof FORMS)[number];

function someBatch(form: Form): ScanBatch {
  // Half of all numbers lie on the twist, but no honest sender has such an ephemeral key.
  const keys = Array.from({ length: KEYS }, () => (form === 'fork' ? someU() : somePoint()));
  const rows = Array.from({ length: KEYS * OUTPUTS }, (_, row) => row);
  return {
    keys: concatBytes(...keys),
    outputKey: Uint32Array.from(rows, (row) => Math.floor(row / OUTPUTS)),
    outputIndex: Uint32Array.from(rows, (row) => row % OUTPUTS),
    viewTags: Uint32Array.from(rows, (row) => (form === 'no tags' ? NO_VIEW_TAG : row % 256)),
    outputs: concatBytes(...rows.map((row) => keys[row % KEYS] ?? new Uint8Array(32))),
    ...(form === 'fork' && {
      contexts: {
        ofKeys: Uint32Array.from(keys, (_, key) => key),
        bytes: systemRng(INPUT_CONTEXT_BYTES * KEYS),
      },
    }),
  };
}

/** CPU time of a task, which other work on the machine does not lengthen, in microseconds. */
function cpuMicroseconds(task: () => void): number {
  const before = process.cpuUsage();
  task();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Medians of the rounds, in microseconds a key: for each of {@link FORMS}, one for each of {@link COUNTS}. */
function measured(kernel: WasmKernel): number[][] {
  const batches = FORMS.map(someBatch);
  const wallets = Array.from({ length: Math.max(...COUNTS) }, () => ({
    viewSecret: someSecret(),
    balanceSecret: systemRng(32),
  }));
  const cost = (batch: ScanBatch, count: number): number => {
    // Short tasks are repeated: the clock counts in steps.
    const repeats = Math.ceil(20 / count);
    const took = cpuMicroseconds(() => {
      for (let n = 0; n < repeats; n++) kernel.scanMany(batch, wallets.slice(0, count));
    });
    return took / repeats / KEYS;
  };
  const round = (): number[][] => COUNTS.map((count) => batches.map((batch) => cost(batch, count)));
  round();
  const rounds = Array.from({ length: ROUNDS }, round);
  return batches.map((_batch, form) =>
    COUNTS.map((_count, i) => median(rounds.map((costs) => costs[i]?.[form] ?? Number.NaN))),
  );
}

/** CPU time of the spend key of a subaddress, median of the rounds, in microseconds. */
function addressCost(kernel: WasmKernel): number {
  const point = somePoint();
  const messages = systemRng(ADDRESSES * SUBADDRESS_MESSAGE_BYTES);
  const round = (): number =>
    cpuMicroseconds(() => kernel.addHashes(point, messages, SUBADDRESS_MESSAGE_BYTES)) / ADDRESSES;
  round();
  return median(Array.from({ length: ROUNDS }, round));
}

const rows = BUILDS.flatMap((build) => {
  const costsOfForms = measured(new WasmKernel(build));
  return FORMS.flatMap((form, n) => {
    const costs = costsOfForms[n] ?? [];
    const [alone = Number.NaN] = costs;
    return COUNTS.map((count, i) => {
      const cost = costs[i] ?? Number.NaN;
      const further = (cost - alone) / (count - 1);
      return [
        build,
        form,
        String(count),
        cost.toFixed(1),
        (cost / count).toFixed(1),
        ...(count === 1 ? ['', ''] : [further.toFixed(1), (further / alone).toFixed(2)]),
      ];
    });
  });
});
process.stdout.write(
  `CPU time per transaction key of ${OUTPUTS} outputs (µs), median of ${ROUNDS} rounds; a further secret is ` +
    'compared with one alone\n',
);
const addressRows = BUILDS.map((build) => [build, addressCost(new WasmKernel(build)).toFixed(2)]);
printTable(['build', 'form', 'secrets', 'all', 'each', 'further', 'ratio'], rows);
process.stdout.write(
  `\nCPU time per public spend key of ${ADDRESSES} subaddresses (µs), median of ${ROUNDS} rounds\n`,
);
printTable(['build', 'each'], addressRows);
