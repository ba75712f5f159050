import { LIES, NOT_YET, OF_CONNECTION, WORK, type Lie, type LieCall } from '../support/values/lies.js';
import { drawSome } from '../soak/chances.js';
import { seededRandom } from '../support/fakes/seeded-random.js';

/** Deeds of a round while the daemons lie. */
const ACTIONS = [
  'receive',
  'request',
  'pay',
  'mine',
  'reward',
  'reorganise',
  'kill',
  'scan',
  'refresh',
] as const;
export type Action = (typeof ACTIONS)[number];

/** Lie of a round: once as fast as the truth, once slow. */
export interface ToldLie extends Lie {
  /** Call that takes the lie. */
  readonly call: LieCall;
}

/** Round of the campaign. */
export interface RoundPlan {
  readonly round: number;
  readonly lie: ToldLie;
  /** Number of the listed daemons, from the first one on, that tell the lie. */
  readonly liars: number;
  /** True if the wallet server trusts its daemons. */
  readonly trusted: boolean;
  readonly actions: readonly Action[];
}

/** Selection of the lies of a campaign. */
export interface DeckOptions {
  /** True: also the lies that only the work of the blocks tells from the truth. */
  readonly work: boolean;
  /** Parts of the names of the lies to tell; empty: all. */
  readonly only: readonly string[];
}

/** Number of daemons that can lie. */
export const LIARS = 2;
const LATENCIES_MS = [20, 80, 200] as const;
/** Faults of the connection on their own, which hide the truth. */
const CONNECTION: readonly Lie[] = ['drop=3', 'truncate=2', 'oversize=5'].map((what) => ({ what }));

/** Calls to a daemon that sends payments: what it keeps to itself waits for an untrusted daemon for minutes. */
const TRUSTED_ONLY = /^(?:latency=\d+,)?(?:forgotten-payment|drop)/;

/** Lists all lies to tell, each also in a slow variant. */
export function deckOf({ work, only }: DeckOptions): readonly ToldLie[] {
  const calls = Object.entries(LIES) as [LieCall, readonly Lie[]][];
  const known = calls.flatMap(([call, lies]) =>
    lies.map((lie) => ({ ...lie, call, reason: NOT_YET[call]?.[lie.what] })),
  );
  const fast = [
    ...known.filter(
      ({ what, reason }) =>
        !what.startsWith('latency') && (reason === undefined || (work && reason === WORK)),
    ),
    ...CONNECTION.map((lie) => ({ ...lie, call: 'refresh' as const })),
  ].map(({ what, call, about }): ToldLie => ({ what, call, ...(about === undefined ? {} : { about }) }));
  const slow = fast.map((lie, i): ToldLie => ({
    ...lie,
    what: `latency=${LATENCIES_MS[i % LATENCIES_MS.length]},${lie.what}`,
  }));
  return [...fast, ...slow].filter(
    ({ what }) => only.length === 0 || only.some((part) => what.includes(part)),
  );
}

/** Returns a list of faults without the delay of a slow variant. */
export const withoutDelay = (what: string): string => what.replace(/^latency=\d+,/, '');

/** Returns the names of the lies of a list, without their numbers and the faults of the connection. */
export const namesIn = (what: string): string[] =>
  what
    .split(',')
    .map((one) => one.split('=')[0] ?? '')
    .filter((name) => !OF_CONNECTION.includes(name));

/**
 * Plans a round from the seed and its number alone, so that it can be repeated without the rounds before it. Each lie has a
 * round before any lie has a second one.
 */
export function planRound(seed: string, round: number, deck: readonly ToldLie[]): RoundPlan {
  const turn = Math.floor((round - 1) / deck.length);
  const order = drawSome(seededRandom(`${seed}/deck ${turn}`), deck, deck.length);
  const lie = order[(round - 1) % deck.length];
  if (lie === undefined) throw new Error('there is no lie to tell');
  const random = seededRandom(`${seed}/round ${round}`);
  return {
    ...{ round, lie, liars: 1 + random.below(LIARS) },
    trusted: TRUSTED_ONLY.test(lie.what) || random.chance(0.6),
    actions: [
      ...(lie.call === 'transfer' ? (['pay'] as const) : []),
      ...(lie.call === 'scan_tx' ? (['scan'] as const) : []),
      ...Array.from({ length: 2 + random.below(4) }, () => random.pick(ACTIONS)),
    ],
  };
}
