import sequencer from '@jest/test-sequencer';

/** The package declares the types of its CommonJS form, and exports the class itself to ES modules. */
const Sequencer = sequencer as unknown as typeof sequencer.default;

/**
 * Test files of more than 10 s, with their approximate durations [s] in a full run on two processors. A clean clone has no record
 * of earlier runs, and would start some of them last, on one processor while the other one idles.
 */
export const LONG_FILES: Readonly<Record<string, number>> = {
  'integration/multisig-setup': 40,
  'integration/multisig-safety': 38,
  'integration/multisig-mixed-small': 32,
  'crash/order-campaign': 30,
  'integration/failover': 32,
  'integration/differential-refusals': 30,
  'integration/sends': 29,
  'crash/campaign': 27,
  'integration/multisig-ours-small': 27,
  'integration/differential-outputs': 25,
  'integration/change-outputs': 24,
  'integration/differential-payments': 24,
  'integration/status-page': 24,
  'integration/proofs': 23,
  'cli/main': 22,
  'integration/background-sync': 22,
  'store/keys/keys-file.interop': 22,
  'integration/multisig-sets': 21,
  'integration/health': 20,
  'integration/wallet-paths': 20,
  'integration/cold-signing': 18,
  'integration/npm-package': 19,
  'integration/creation-crash': 18,
  'integration/differential-records': 17,
  'integration/reused-keys': 17,
  'integration/scan-tx': 17,
  'integration/wallet-trouble-kill': 17,
  'ringct/bulletproofs-plus': 17,
  'integration/credential-limits': 16,
  'integration/limited-processors': 16,
  'integration/multisig-mixed-large': 16,
  'integration/multisig-ours-large': 16,
  'integration/reused-keys-cold': 16,
  'integration/credentials': 15,
  'integration/restoring': 15,
  'integration/wallet-trouble-daemon': 15,
  'integration/backup': 14,
  'cli/process': 14,
  'integration/cache-crash': 14,
  'integration/cache-import': 14,
  'integration/heavy-coinbase': 13,
  'integration/hostile-blobs': 12,
  'integration/hostile-files': 11,
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
