import { findPostgres } from '../support/processes/postgres-template.js';
import { beginRound } from './begin-round.js';
import { ClusterPayer } from './cluster-payer.js';
import { Comparison } from './comparison.js';
import { FULL, planRound, type Kind, type RoundPlan, type RoundSize } from './plan.js';
import { Settlement } from './settlement.js';
import { Steps } from './steps.js';
import { World, type Planting } from './world.js';

export interface PayoutCampaignOptions {
  readonly seed: string;
  /** Number of the first round, and number of rounds at most. */
  readonly first: number;
  readonly rounds: number;
  /** Number of kills, and time, after which no round begins [ms]. */
  readonly kills: number;
  readonly ms: number;
  /** Absent: rounds of the long campaign. */
  readonly size?: RoundSize;
  /** Kind of all rounds; absent: drawn for each. */
  readonly kind?: Kind | undefined;
  readonly log: (line: string) => void;
  /** Returns the command that repeats a round. */
  readonly repeat: (round: number) => string;
  /** Keeps the log of the server of a round with violations. */
  readonly keepLog?: (round: number, log: string) => void;
  /** Plants a defect, to test the campaign itself. */
  readonly plant?: Planting;
  /** True once no further round is to begin. */
  readonly isInterrupted?: () => boolean;
}

/** Numbers of what has happened in a round. */
const COUNTS = ['kills', 'takeovers', 'approvals', 'signedSets', 'lies'] as const;
export type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

const NOTHING: Counts = { kills: 0, takeovers: 0, approvals: 0, signedSets: 0, lies: 0 };

/** Facts of a round. */
export interface RoundReport extends Pick<RoundPlan, 'round' | 'kind' | 'outputs'>, Counts {
  readonly ms: number;
  /** Number of payouts in each state at the end. */
  readonly ended: Readonly<Record<string, number>>;
  /** Number of transactions that were to pay payouts. */
  readonly transactions: number;
  readonly steps: readonly string[];
  readonly violations: readonly string[];
}

export interface PayoutCampaignReport {
  readonly seed: string;
  readonly ms: number;
  readonly counts: Counts;
  readonly payouts: number;
  readonly ended: Readonly<Record<string, number>>;
  readonly rounds: readonly RoundReport[];
  readonly violations: readonly { readonly round: number; readonly text: string; readonly command: string }[];
}

/** Number of the last steps that a violation is printed with. */
const LAST_STEPS = 12;
/** Number of violations of a round that are printed; the report has all. */
const MOST_PRINTED = 6;

/** Runs a round. */
async function runRound(
  world: World,
  seed: string,
  plan: RoundPlan,
  keepLog: PayoutCampaignOptions['keepLog'],
): Promise<RoundReport> {
  const started = performance.now();
  const round = await beginRound(world, seed, plan);
  const { payer, states, approval, signer } = round.parts;
  try {
    await new Steps(round).run();
    const ended = round.violations.length === 0 ? await new Settlement(round).settle() : undefined;
    if (ended !== undefined) await new Comparison(round).compare(ended);
  } catch (error) {
    const { cause } = error as Error;
    round.violate(
      `the round ended early: ${String((error as Error).stack)} ${cause === undefined ? '' : String(cause)}`,
    );
  }
  if (round.violations.length > 0) keepLog?.(plan.round, payer.log);
  await payer.stop().catch((error: unknown) => round.violate(String(error)));
  const ended: Record<string, number> = {};
  approval?.access.remove();
  for (const id of states.ids) {
    const state = states.stateOf(id) ?? 'none';
    ended[state] = (ended[state] ?? 0) + 1;
  }
  return {
    ...{ round: plan.round, kind: plan.kind, outputs: plan.outputs },
    ...{ ms: Math.round(performance.now() - started), ended, transactions: states.hashes.size },
    kills: payer.kills,
    takeovers: payer instanceof ClusterPayer ? payer.takeovers : 0,
    approvals: approval?.model.approved ?? 0,
    signedSets: signer?.signed ?? 0,
    ...{ lies: round.lies.length, steps: round.steps, violations: round.violations },
  };
}

/** Pays payouts in rounds of random trouble, and compares everybody's books after each. */
export async function runPayouts(options: PayoutCampaignOptions): Promise<PayoutCampaignReport> {
  const { seed, first, size = FULL, log, repeat, keepLog, plant, isInterrupted = () => false } = options;
  const started = performance.now();
  const rounds: RoundReport[] = [];
  const total = (count: keyof Counts): number => rounds.reduce((sum, round) => sum + round[count], 0);
  const isOver = (): boolean =>
    isInterrupted() ||
    rounds.length >= options.rounds ||
    total('kills') >= options.kills ||
    performance.now() - started >= options.ms;
  let world = await World.start(plant);
  if (!world.isReference) log('the payees are wallets of ours: monero-wallet-rpc is not installed');
  try {
    do {
      const plan = planRound(seed, first + rounds.length, size, options.kind);
      const empty = {
        ...{ round: plan.round, kind: plan.kind, outputs: plan.outputs, ...NOTHING },
        ...{ ms: 0, ended: {}, transactions: 0, steps: [] },
      };
      if (plan.kind === 'cluster' && isWithoutPostgres()) {
        log(`round ${plan.round} is left out: PostgreSQL is not installed`);
        rounds.push({ ...empty, violations: [] });
        continue;
      }
      const report = await runRound(world, seed, plan, keepLog).catch((error: unknown): RoundReport => ({
        ...empty,
        violations: [`the round did not begin: ${String((error as Error).stack)}`],
      }));
      rounds.push(report);
      const states = Object.entries(report.ended).map(([state, count]) => `${count} ${state}`);
      log(
        `round ${report.round}, ${report.kind}: ${describeCounts(report)}, ${report.transactions} transactions, ` +
          `${states.join(', ')}, ${report.violations.length} violations (${(report.ms / 1000).toFixed(1)} s)`,
      );
      if (report.violations.length === 0) continue;
      for (const text of report.violations.slice(0, MOST_PRINTED)) log(`  VIOLATION ${text}`);
      log(`  last steps: ${report.steps.slice(-LAST_STEPS).join('; ')}`);
      log(`  repeat: ${repeat(report.round)}`);
      // What one round has broken would be found in each later one.
      await world.stop();
      world = await World.start(plant);
    } while (!isOver());
  } finally {
    await world.stop();
  }
  const ended: Record<string, number> = {};
  for (const round of rounds)
    for (const [state, count] of Object.entries(round.ended)) ended[state] = (ended[state] ?? 0) + count;
  return {
    ...{ seed, ms: Math.round(performance.now() - started), ended, rounds },
    counts: Object.fromEntries(COUNTS.map((count) => [count, total(count)])) as Record<keyof Counts, number>,
    payouts: Object.values(ended).reduce((sum, count) => sum + count, 0),
    violations: rounds.flatMap(({ round, violations }) =>
      violations.map((text) => ({ round, text, command: repeat(round) })),
    ),
  };
}

/** Describes what has happened; leaves out what has not. */
export function describeCounts(counts: Counts): string {
  const names = { kills: 'kills', takeovers: 'takeovers', approvals: 'approvals', lies: 'lies' };
  return Object.entries({ ...names, signedSets: 'signed sets' })
    .flatMap(([count, name]) =>
      counts[count as keyof Counts] === 0 ? [] : [`${counts[count as keyof Counts]} ${name}`],
    )
    .join(', ');
}

/** True without PostgreSQL. @throws Error where it must be installed. */
function isWithoutPostgres(): boolean {
  try {
    findPostgres();
    return false;
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error;
    return true;
  }
}
