import { inspect } from 'node:util';
import { SHARES, dealTroubles, drawTroubles } from './plan.js';
import { killMoment } from '../support/processes/kill-moment.js';
import { Chances } from './chances.js';
import { compareResources } from './comparisons.js';
import { Decisions } from './decisions.js';
import { BEHAVIOURS } from './hostile-behaviours.js';
import { CLIENTS } from './hostile-clients.js';
import type { RoundReport, SoakReport } from './report.js';
import type { NodeKind } from './soak-node.js';
import type { Resources } from './soak-process.js';
import { TROUBLES, type Trouble } from './troubles.js';
import { World } from './world.js';
import { until } from '../support/fakes/until.js';

export interface SoakOptions {
  readonly seed: string;
  /** Time after which no round begins [ms], but for {@link dealt} ones. */
  readonly ms: number;
  /** Largest number of rounds. */
  readonly rounds: number;
  /** Names of the troubles to choose from; empty: all. */
  readonly only: readonly string[];
  /** Number of first rounds that have all troubles, each once; absent: all rounds draw theirs. */
  readonly dealt?: number;
  readonly wallets: number;
  /** Time of trouble in a round [ms]. */
  readonly roundMs: number;
  readonly pauseMs: number;
  readonly blockMs: number;
  /** Kinds of the second node to choose from. */
  readonly kinds: readonly [NodeKind, ...NodeKind[]];
  readonly log: (line: string) => void;
  /** Gets each decision as a line of JSON. */
  readonly onDecision?: (line: string) => void;
  /** Called before the last comparison. */
  readonly beforeLast?: (world: World) => void;
  /** True once no further round is to begin. */
  readonly isInterrupted?: () => boolean;
}

/** Time in which a process gives back what it took [ms]. */
const REST_MS = 120_000;

/** Runs one round: trouble under load, rest, and all comparisons. */
async function runRound(
  world: World,
  troubles: readonly Trouble[],
  { chances, decisions, roundMs }: { chances: Chances; decisions: Decisions; roundMs: number },
): Promise<void> {
  let isOver = false;
  world.passing.isTroubled = true;
  world.begin();
  const running = troubles.map(({ name, run }) =>
    run({
      ...{ world, random: chances.of(`trouble ${name}`), isOver: () => isOver },
      say: (text) => decisions.add(name, text),
    }).catch((error: unknown) => world.fault(`the trouble ${name} failed: ${String(error)}`)),
  );
  await killMoment(roundMs);
  isOver = true;
  await Promise.all(running);
  decisions.add('phase', 'the troubles have ended');
  await world.end();
  decisions.add('phase', 'the clients have ended');
  if (troubles.some(({ excludesPayments }) => excludesPayments === true)) world.excusePayments();
  // Calls that a trouble still disturbs end before faults count.
  await world.recover();
  decisions.add('phase', 'all wallets are open, and read blocks');
  world.passing.isTroubled = false;
  await world.settle();
  decisions.add('phase', 'all payments that can be mined are mined');
}

/** Waits until the resources of a process are near those at the start. @returns the last ones. */
async function restOf(read: () => Resources, before: Resources): Promise<Resources> {
  let now = read();
  await until(
    'the process at rest',
    () => {
      now = read();
      return compareResources(before, now).length === 0;
    },
    REST_MS,
  ).catch(() => undefined);
  return now;
}

/** Runs the world in rounds of trouble, and compares everything after each of them. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const { seed, ms, rounds: most, only, wallets, roundMs, pauseMs, blockMs, log } = options;
  const chances = new Chances(seed);
  const decisions = new Decisions(options.onDecision);
  const started = performance.now();
  const begun = new Date().toISOString();
  const chosen = TROUBLES.filter(({ name }) => only.length === 0 || only.includes(name));
  const unavailable = chosen.flatMap(({ name, missing }) => {
    const reason = missing?.();
    return reason === undefined ? [] : [{ trouble: name, reason }];
  });
  for (const { trouble, reason } of unavailable) decisions.add(trouble, `cannot be brought about: ${reason}`);
  const possible = chosen.filter(({ name }) => !unavailable.some(({ trouble }) => trouble === name));
  const second = chances.of('nodes').pick(options.kinds);
  decisions.add('world', `${wallets} wallets in two processes; nodes: regtest and ${second}`);
  const world = await World.start({ chances, decisions, wallets, second, pauseMs, blockMs });
  const reports: RoundReport[] = [];
  try {
    await world.settle();
    const before = new Map(world.processes.map((process) => [process, process.resources()]));
    const files = new Map(world.processes.map((process) => [process, process.openFiles()]));
    const plan = chances.of('plan');
    const dealt = options.dealt === undefined ? [] : dealTroubles(plan, possible, options.dealt);
    const isDone = (): boolean =>
      reports.length >= most ||
      options.isInterrupted?.() === true ||
      (reports.length >= dealt.length && performance.now() - started >= ms);
    do {
      const round = reports.length + 1;
      decisions.round = round;
      const troubles = dealt[round - 1] ?? drawTroubles(plan, possible, SHARES);
      decisions.add('round', troubles.map(({ name }) => name).join(', '));
      const began = performance.now();
      const faultsBefore = world.faults.length;
      let atRest = performance.now();
      try {
        await runRound(world, troubles, { chances, decisions, roundMs });
        atRest = performance.now();
        const isLast = isDone() || round >= most;
        if (isLast) options.beforeLast?.(world);
        await world.check(isLast);
      } catch (error) {
        // The report names it, and the run ends.
        world.fault(`the round ended early: ${inspect(error)}`);
      }
      const resources = [];
      for (const process of world.processes.filter(({ isRunning }) => isRunning)) {
        const start = before.get(process) as Resources;
        const now = await restOf(() => process.resources(), start);
        for (const fault of compareResources(start, now))
          world.fault(
            `the process ${process.name} ${fault}; it has ${process.openFiles()}, after ${files.get(process)}`,
          );
        resources.push({ process: process.name, ...now });
      }
      const report: RoundReport = {
        ...{ round, troubles: troubles.map(({ name }) => name), resources },
        troubleMs: Math.round(atRest - began),
        checkMs: Math.round(performance.now() - atRest),
        ...world.figures(),
        faults: world.faults.slice(faultsBefore),
      };
      reports.push(report);
      log(
        `round ${round}: ${report.troubles.join(', ')}: ${report.answered} calls answered, ${report.refused} refused, ${report.broken} broken; ` +
          `${report.facts} facts, ${report.paid} of ${report.orders} orders paid, ${report.requests} requests, ${report.events} events, ` +
          `${report.faults.length} faults (${Math.round((report.troubleMs + report.checkMs) / 1000)} s)`,
      );
      for (const fault of report.faults) log(`  FAULT ${fault}`);
    } while (!isDone() && world.faults.length === 0);
    if (world.faults.length > 0)
      for (const process of world.processes) log(`${process.name}:\n${process.output().slice(-4000)}`);
    return {
      ...{ seed, begun, wallets, nodes: ['regtest', second] },
      ms: Math.round(performance.now() - started),
      troubles: chosen.map(({ name, title }) => ({ name, title })),
      behaviours: BEHAVIOURS.map(({ name, title }) => ({
        ...{ name, title },
        answers: world.daemons.reduce((sum, { changed }) => sum + (changed.get(name) ?? 0), 0),
      })),
      clients: CLIENTS.map(({ name, title }) => ({
        ...{ name, title },
        answers: world.clients.get(name) ?? 0,
      })),
      ...{ unavailable, rounds: reports, decisions: decisions.all },
      faults: world.faults,
    };
  } finally {
    await world.stop();
  }
}
