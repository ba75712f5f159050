import { FULL, planRound, type RoundPlan, type RoundSize } from './plan.js';
import { Round } from './round.js';
import { Settlement } from './settlement.js';
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

/** Facts of a round. */
export interface RoundReport extends Pick<RoundPlan, 'round' | 'outputs'> {
  readonly ms: number;
  readonly kills: number;
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
  readonly kills: number;
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
  const round = await Round.begin(world, seed, plan);
  try {
    await round.run();
    if (round.violations.length === 0) await new Settlement(round).settle();
  } catch (error) {
    const { cause } = error as Error;
    round.violate(
      `the round ended early: ${String((error as Error).stack)} ${cause === undefined ? '' : String(cause)}`,
    );
  }
  if (round.violations.length > 0) keepLog?.(plan.round, round.payer.log);
  await round.payer.stop().catch((error: unknown) => round.violate(String(error)));
  const ended: Record<string, number> = {};
  for (const id of round.states.ids) {
    const state = round.states.stateOf(id) ?? 'none';
    ended[state] = (ended[state] ?? 0) + 1;
  }
  return {
    ...{ round: plan.round, outputs: plan.outputs, ms: Math.round(performance.now() - started) },
    ...{ kills: round.payer.kills, ended, transactions: round.states.hashes.size },
    ...{ steps: round.steps, violations: round.violations },
  };
}

/** Pays payouts in rounds of random trouble, and compares everybody's books after each. */
export async function runPayouts(options: PayoutCampaignOptions): Promise<PayoutCampaignReport> {
  const { seed, first, size = FULL, log, repeat, keepLog, plant, isInterrupted = () => false } = options;
  const started = performance.now();
  const rounds: RoundReport[] = [];
  const kills = (): number => rounds.reduce((sum, round) => sum + round.kills, 0);
  const isOver = (): boolean =>
    isInterrupted() ||
    rounds.length >= options.rounds ||
    kills() >= options.kills ||
    performance.now() - started >= options.ms;
  let world = await World.start(plant);
  if (!world.isReference) log('the payees are wallets of ours: monero-wallet-rpc is not installed');
  try {
    do {
      const plan = planRound(seed, first + rounds.length, size);
      const report = await runRound(world, seed, plan, keepLog).catch((error: unknown): RoundReport => ({
        ...{
          round: plan.round,
          outputs: plan.outputs,
          ms: 0,
          kills: 0,
          ended: {},
          transactions: 0,
          steps: [],
        },
        violations: [`the round did not begin: ${String((error as Error).stack)}`],
      }));
      rounds.push(report);
      const states = Object.entries(report.ended).map(([state, count]) => `${count} ${state}`);
      log(
        `round ${report.round}: ${report.kills} kills, ${report.transactions} transactions, ${states.join(', ')}, ` +
          `${report.violations.length} violations (${(report.ms / 1000).toFixed(1)} s)`,
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
    ...{ seed, ms: Math.round(performance.now() - started), kills: kills(), ended, rounds },
    payouts: Object.values(ended).reduce((sum, count) => sum + count, 0),
    violations: rounds.flatMap(({ round, violations }) =>
      violations.map((text) => ({ round, text, command: repeat(round) })),
    ),
  };
}
