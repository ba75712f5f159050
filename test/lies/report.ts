import { Campaign, type RoundReport } from './campaign.js';
import { planRound, type ToldLie } from './plan.js';

export interface LiesOptions {
  readonly seed: string;
  readonly deck: readonly ToldLie[];
  /** Number of the first round, and number of rounds at most. */
  readonly first: number;
  readonly rounds: number;
  /** Time after which no round begins [ms]. */
  readonly ms: number;
  /** Arguments for the wallet server that is lied to. */
  readonly args: readonly string[];
  readonly log: (line: string) => void;
  /** Returns the command that repeats a round. */
  readonly repeat: (round: number) => string;
  /** True once no further round is to begin. */
  readonly isInterrupted?: () => boolean;
}

/** Violation of a rule: money was credited, freed or lost, no honest daemon took over, or no log or page named the liar. */
export interface Violation {
  readonly round: number;
  readonly lie: string;
  readonly text: string;
  /** Command that repeats the round. */
  readonly command: string;
}

/** Rounds of one lie. */
export interface LieReport {
  readonly lie: string;
  readonly rounds: number;
  /** Number of rounds after which a daemon was known to have sent forged data. */
  readonly disproved: number;
  /** Number of rounds in which another daemon took over. */
  readonly replaced: number;
  /** Number of calls that ended with an error. */
  readonly refused: number;
  /** Longest round [ms]. */
  readonly longestMs: number;
}

export interface LiesReport {
  readonly seed: string;
  readonly begun: string;
  readonly ms: number;
  readonly lies: readonly LieReport[];
  readonly rounds: readonly RoundReport[];
  readonly violations: readonly Violation[];
}

const count = <T>(rows: readonly T[], isCounted: (row: T) => boolean): number =>
  rows.filter(isCounted).length;

/** Sums the rounds up by lie, in alphabetical order. */
function byLie(rounds: readonly RoundReport[]): LieReport[] {
  const names = [...new Set(rounds.map(({ lie }) => lie.what))].sort();
  return names.map((name) => {
    const own = rounds.filter(({ lie }) => lie.what === name);
    return {
      ...{ lie: name, rounds: own.length },
      disproved: count(own, ({ isDisproved }) => isDisproved),
      replaced: count(own, ({ isReplaced }) => isReplaced),
      refused: own.reduce((sum, { refused }) => sum + refused, 0),
      longestMs: Math.max(...own.map(({ ms }) => ms)),
    };
  });
}

/** Tells lies to a wallet server in rounds, each beside payments, kills and reorganisations, and compares its wallet each time. */
export async function runLies(options: LiesOptions): Promise<LiesReport> {
  const { seed, deck, first, args, log, repeat, isInterrupted = () => false } = options;
  const started = performance.now();
  const begun = new Date().toISOString();
  const rounds: RoundReport[] = [];
  const violations: Violation[] = [];
  const isOver = (): boolean =>
    isInterrupted() || rounds.length >= options.rounds || performance.now() - started >= options.ms;
  let campaign = await Campaign.start({ seed, args });
  try {
    do {
      const plan = planRound(seed, first + rounds.length, deck);
      const { round, lie } = plan;
      const report = await campaign.round(plan).catch((error: unknown): RoundReport => ({
        ...{ ...plan, ms: 0, isDisproved: false, isReplaced: false, refused: 0 },
        violations: [`the round ended early: ${String(error)} ${String((error as Error).cause ?? '')}`],
      }));
      rounds.push(report);
      const { ms, isDisproved, isReplaced, refused } = report;
      log(
        `round ${round}: ${lie.what} by ${plan.liars}${plan.trusted ? '' : ', untrusted'}: ${plan.actions.join(', ')}: ` +
          `${isDisproved ? 'disproved, ' : ''}${isReplaced ? 'replaced, ' : ''}${refused} calls refused, ` +
          `${report.violations.length} violations (${(ms / 1000).toFixed(1)} s)`,
      );
      for (const text of report.violations) {
        violations.push({ round, lie: lie.what, text, command: repeat(round) });
        log(`  VIOLATION ${text}`);
      }
      if (report.violations.length === 0) continue;
      log(`  repeat: ${repeat(round)}`);
      // What one round has broken would be found in each later one.
      await campaign.stop();
      campaign = await Campaign.start({ seed, args });
    } while (!isOver());
  } finally {
    await campaign.stop();
  }
  return {
    ...{ seed, begun, ms: Math.round(performance.now() - started) },
    ...{ lies: byLie(rounds), rounds, violations },
  };
}
