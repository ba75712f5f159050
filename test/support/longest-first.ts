import sequencer from '@jest/test-sequencer';

/** The package declares the types of its CommonJS form, and exports the class itself to ES modules. */
const Sequencer = sequencer as unknown as typeof sequencer.default;

/**
 * Test files of more than 15 s, with their approximate durations [s] in a full run on two processors. A clean clone has no record
 * of earlier runs, and would start some of them last, on one processor while the other one idles.
 */
export const LONG_FILES: Readonly<Record<string, number>> = {
  'integration/multisig-setup': 45,
  'integration/limited-processors': 40,
  'store/keys/keys-file.interop': 40,
  'integration/differential-refusals': 35,
  'integration/multisig-mixed-small': 35,
  'integration/multisig-safety': 30,
  'integration/restoring': 30,
  'crash/campaign': 27,
  'integration/heavy-coinbase': 25,
  'integration/hostile-files': 25,
  'integration/reused-keys-cold': 25,
  'ringct/bulletproofs-plus': 25,
  'integration/multisig-ours-large': 22,
  'integration/multisig-ours-small': 22,
  'integration/wallet-trouble-kill': 22,
  'integration/background-sync': 20,
  'integration/creation-crash': 20,
  'integration/multisig-mixed-large': 20,
  'integration/proofs': 20,
  'integration/receive-and-pay': 20,
  'integration/reused-keys': 20,
  'integration/cold-signing': 18,
  'integration/differential-outputs': 18,
  'integration/differential-payments': 18,
  'integration/interchange': 18,
  'integration/npm-package': 18,
  'integration/multisig-sets': 18,
  'integration/sends': 18,
  'integration/scan-tx': 17,
  'cli/main': 17,
  'integration/regtest-bench-chain': 17,
  'integration/regtest-chain': 17,
};

/** Sorts files by their recorded durations, the longest first; the order of all others is kept. */
export const longestFirst = <T extends { readonly path: string }>(
  tests: readonly T[],
  durations: Readonly<Record<string, number>> = LONG_FILES,
): T[] => {
  const duration = ({ path }: T): number =>
    durations[/\/build\/test\/(.*)\.test\.js$/.exec(path)?.[1] ?? ''] ?? 0;
  return [...tests].sort((a, b) => duration(b) - duration(a));
};

type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/** Starts long test files first, so that no processor waits for the other one at the end of a run. */
export default class LongestFirst extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    return longestFirst(await super.sort(tests));
  }
}
