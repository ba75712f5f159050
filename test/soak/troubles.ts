import type { Random } from '../support/fakes/seeded-random.js';
import { killMoment } from '../support/processes/kill-moment.js';
import { drawSome } from './chances.js';
import { BEHAVIOURS } from './hostile-behaviours.js';
import { CLIENTS } from './hostile-clients.js';
import { missingDisk, missingLibrary, missingMemory } from './machine.js';
import type { World } from './world.js';

/** Matter of a trouble. */
export interface TroubleContext {
  readonly world: World;
  readonly random: Random;
  /** True once the trouble is to end. */
  readonly isOver: () => boolean;
  /** Writes a decision into the log. */
  readonly say: (text: string) => void;
}

/** Trouble that a soak run brings about. */
export interface Trouble {
  readonly name: string;
  readonly title: string;
  /** Finds out why it cannot be brought about on this machine; undefined if it can. */
  readonly missing?: () => string | undefined;
  /** True: payments may be excluded from the chain. */
  readonly excludesPayments?: boolean;
  /** Runs until {@link TroubleContext.isOver}, and then ends everything that it has begun. */
  readonly run: (context: TroubleContext) => Promise<void>;
}

const LONGEST_LIFE_MS = 2500;
const LONGEST_PAUSE_MS = 3000;
const LONGEST_OPENING_MS = 800;
const DEEPEST = 25;
/** Time of one behaviour of a hostile daemon [ms]. */
const BEHAVIOUR_MS = 2500;
/** Time of one hostile client [ms]. */
const CLIENT_MS = 4000;
const LONGEST_DISK_MS = 3000;
/** Steps of a clock [s]. */
const HOUR = 3600;
const YEAR = 365 * 24 * HOUR;
/** Longest time until a trouble notices its end [ms]. */
const STEP_MS = 100;

/** Waits for some time, or for the end of the trouble. */
async function pause(ms: number, isOver: () => boolean): Promise<void> {
  const end = performance.now() + ms;
  while (!isOver() && performance.now() < end) await killMoment(Math.min(STEP_MS, end - performance.now()));
}

const one = <T>(random: Random, values: readonly T[]): T => random.pick(values as [T, ...T[]]);

/** Troubles, in the order of the report. */
export const TROUBLES: readonly Trouble[] = [
  {
    name: 'kill',
    title: 'kill -9 of wallet servers, while they work and while they start',
    async run({ world, random, isOver, say }) {
      while (!isOver()) {
        await pause(random.below(LONGEST_LIFE_MS), isOver);
        const process = one(random, world.processes);
        const opening = random.chance(0.2) ? random.below(LONGEST_OPENING_MS) : undefined;
        say(
          `kill -9 of ${process.name}${opening === undefined ? '' : `, and ${opening} ms after its start`}`,
        );
        await world.restart(process);
        if (opening === undefined) continue;
        await killMoment(opening);
        await world.restart(process);
      }
    },
  },
  {
    name: 'pause',
    title: 'SIGSTOP and SIGCONT of wallet servers',
    async run({ world, random, isOver, say }) {
      while (!isOver()) {
        await pause(random.below(LONGEST_LIFE_MS), isOver);
        const process = one(random, world.processes);
        const ms = random.below(LONGEST_PAUSE_MS);
        say(`SIGSTOP of ${process.name} for ${ms} ms`);
        await world.paused(process, () => pause(ms, isOver));
      }
    },
  },
  {
    name: 'kill-node',
    title: 'kill -9 of nodes',
    async run({ world, random, isOver, say }) {
      while (!isOver()) {
        await pause(random.below(2 * LONGEST_LIFE_MS), isOver);
        const node = one(random, world.network.nodes);
        const ms = random.below(LONGEST_PAUSE_MS);
        say(`kill -9 of the node ${node.name}, and its start after ${ms} ms`);
        await world.network.disturb(node, async () => {
          await world.network.alone(() => node.kill());
          await pause(ms, isOver);
          await world.network.alone(() => node.restart());
          await world.network.agree();
        });
      }
    },
  },
  {
    name: 'pause-node',
    title: 'SIGSTOP and SIGCONT of nodes',
    async run({ world, random, isOver, say }) {
      while (!isOver()) {
        await pause(random.below(LONGEST_LIFE_MS), isOver);
        const node = one(random, world.network.nodes);
        const ms = random.below(2 * LONGEST_PAUSE_MS);
        say(`SIGSTOP of the node ${node.name} for ${ms} ms`);
        await world.network.disturb(node, async () => {
          await world.network.alone(() => Promise.resolve(node.pause()));
          await pause(ms, isOver);
          await world.network.alone(() => Promise.resolve(node.continue()));
          await world.network.agree();
        });
      }
    },
  },
  {
    name: 'reorganise',
    title: 'reorganisations of 1 to 25 blocks',
    excludesPayments: true,
    async run({ world, random, isOver, say }) {
      while (!isOver()) {
        await pause(random.below(2 * LONGEST_LIFE_MS), isOver);
        const depth = 1 + random.below(DEEPEST);
        say(`reorganisation of ${depth} blocks`);
        await world.network.reorganise(world.minerAddress(), depth);
      }
    },
  },
  {
    name: 'lag-node',
    title: 'nodes without their newest 1 to 25 blocks',
    excludesPayments: true,
    async run({ world, random, isOver, say }) {
      while (!isOver()) {
        await pause(random.below(LONGEST_LIFE_MS), isOver);
        const node = one(random, world.network.nodes);
        const blocks = 1 + random.below(DEEPEST);
        const ms = random.below(2 * LONGEST_PAUSE_MS);
        say(`${node.name} lacks ${blocks} blocks for ${ms} ms`);
        await world.network.disturb(node, async () => {
          await world.network.alone(() => node.fallBehind(blocks));
          await pause(ms, isOver);
          await world.network.alone(() => Promise.resolve(node.rejoin()));
          await world.network.agree();
        });
      }
    },
  },
  {
    name: 'hostile-daemon',
    title: `a daemon with ${BEHAVIOURS.length} hostile behaviours`,
    excludesPayments: true,
    async run({ world, random, isOver, say }) {
      try {
        while (!isOver()) {
          const behaviour = one(random, BEHAVIOURS);
          const share = random.pick([1, 0.5, 0.2]);
          const able = world.daemons.filter(
            ({ liar }) => behaviour.faults === undefined || liar !== undefined,
          );
          const liars = drawSome(random, able, 1 + random.below(able.length));
          const names = liars.map((liar) => world.network.nodes[world.daemons.indexOf(liar)]?.name);
          say(
            `${behaviour.name}: ${names.join(' and ')} ${behaviour.title}, in ${100 * share} % of the answers`,
          );
          // A node that was killed tells no lie.
          for (const liar of liars) await liar.begin({ behaviour, share }).catch(() => undefined);
          await pause(BEHAVIOUR_MS, isOver);
          for (const liar of liars) liar.end();
        }
      } finally {
        for (const daemon of world.daemons) daemon.end();
      }
    },
  },
  {
    name: 'hostile-clients',
    title: `${CLIENTS.length} kinds of hostile clients`,
    async run({ world, random, isOver, say }) {
      while (!isOver()) {
        const client = one(random, CLIENTS);
        const process = one(random, world.processes);
        say(`${client.name} at ${process.name}: ${client.title}`);
        const end = performance.now() + CLIENT_MS;
        await client.run({
          ...{ port: process.port, token: process.token, random },
          wallet: world.nameIn(process),
          isOver: () => isOver() || performance.now() > end,
          count: () => world.clients.set(client.name, (world.clients.get(client.name) ?? 0) + 1),
        });
      }
    },
  },
  {
    name: 'full-disk',
    title: 'disks without space',
    missing: missingDisk,
    async run({ world, random, isOver, say }) {
      while (!isOver()) {
        const process = one(random, world.processes);
        const ms = random.below(LONGEST_DISK_MS);
        await process.disturbDisk(async () => {
          say(`no space for ${process.name}, for ${ms} ms`);
          const { disk } = process.machine;
          const end = performance.now() + ms;
          do {
            disk?.fill();
            await killMoment(STEP_MS);
          } while (!isOver() && performance.now() < end);
          disk?.free();
          await world.revive(process);
        });
        await pause(random.below(LONGEST_LIFE_MS), isOver);
      }
    },
  },
  {
    name: 'read-only-disk',
    title: 'disks that are read-only when a server starts',
    missing: missingDisk,
    async run({ world, random, isOver, say }) {
      while (!isOver()) {
        const process = one(random, world.processes);
        const ms = random.below(LONGEST_DISK_MS);
        await process.disturbDisk(async () => {
          say(`the disk of ${process.name} is read-only from its start, for ${ms} ms`);
          await world.restart(process, () => process.machine.disk?.setReadOnly(true), false);
          await pause(ms, isOver);
          await world.restart(process, () => process.machine.disk?.setReadOnly(false));
        });
        await pause(random.below(LONGEST_LIFE_MS), isOver);
      }
    },
  },
  {
    name: 'slow-disk',
    title: 'disks that take up to 500 ms for a flush',
    missing: missingLibrary,
    async run({ world, random, isOver, say }) {
      try {
        while (!isOver()) {
          const process = one(random, world.processes);
          const ms = random.pick([20, 100, 500]);
          say(`each flush of ${process.name} takes ${ms} ms more`);
          process.machine.slow(ms);
          await pause(LONGEST_LIFE_MS, isOver);
          process.machine.slow(0);
        }
      } finally {
        for (const { machine } of world.processes) machine.slow(0);
      }
    },
  },
  {
    name: 'clock',
    title: 'steps of the clock by an hour and a year, to and fro',
    missing: missingLibrary,
    excludesPayments: true,
    async run({ world, random, isOver, say }) {
      try {
        while (!isOver()) {
          const process = one(random, world.processes);
          const step = random.pick([HOUR, -HOUR, YEAR, -YEAR]);
          say(`the clock of ${process.name} is stepped by ${step / HOUR} hours`);
          process.machine.step(step);
          await pause(LONGEST_LIFE_MS, isOver);
          process.machine.step(0);
          await pause(random.below(LONGEST_LIFE_MS), isOver);
        }
      } finally {
        for (const { machine } of world.processes) machine.step(0);
      }
    },
  },
  {
    name: 'memory',
    title: 'lack of memory',
    missing: missingMemory,
    async run({ world, random, isOver, say }) {
      while (!isOver()) {
        const process = one(random, world.processes);
        const spare = random.pick([4, 16, 64]);
        await process.whileItMayEnd(async () => {
          const { pid, machine } = process;
          say(`${process.name} gets ${spare} MiB of memory more at most`);
          if (pid !== 0) machine.memory?.limit(pid, spare << 20);
          await pause(LONGEST_LIFE_MS, isOver);
          if (pid !== 0) machine.memory?.release(pid);
          await world.revive(process);
        });
      }
    },
  },
];
