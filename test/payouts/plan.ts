import { seededRandom, type Random } from '../support/fakes/seeded-random.js';

/**
 * Kinds of rounds by their payer. `hot`: one server with the keys. `approved`: rules of approval and limits, which a file of
 * credentials gives. `view-only`: a cold wallet signs. `cluster`: two servers over PostgreSQL.
 */
export const KINDS = ['hot', 'approved', 'view-only', 'cluster'] as const;
export type Kind = (typeof KINDS)[number];

const KIND_WEIGHTS: Readonly<Record<Kind, number>> = { hot: 6, approved: 4, 'view-only': 3, cluster: 2 };

/** Steps of all rounds with their weights. */
const WEIGHTS = {
  create: 9,
  'create again': 2,
  'create otherwise': 1,
  send: 5,
  pause: 1,
  resume: 2,
  cancel: 2,
  'cancel while sending': 2,
  'pause while sending': 2,
  kill: 7,
  'lose answers': 2,
  'refuse payments': 2,
  'refuse often': 1,
  'refuse and relay': 2,
  'forget payments': 2,
  'lie otherwise': 4,
  'node down': 1,
  'raise fees': 1,
  'tell the truth': 4,
  reorganise: 4,
  mine: 5,
  'spend elsewhere': 3,
  rescan: 1,
  'step the clock': 2,
} as const;

/** Further steps of a kind with their weights. */
const FURTHER = {
  hot: {},
  approved: {
    approve: 9,
    'approve by one': 3,
    'approve by the creator': 2,
    'approve with a wrong hash': 2,
    'approve twice': 2,
    'approve while cancelling': 3,
    'approve while rejecting': 2,
    'approve and kill': 4,
    reject: 2,
    'change the rules': 5,
    'change the rules while sending': 3,
    'change the rules and kill': 2,
  },
  'view-only': {
    exchange: 5,
    'sign and submit': 10,
    'sign and keep': 4,
    'submit kept': 4,
    'sign twice': 2,
    'relay elsewhere': 4,
    'kill while signing': 5,
    'let sets expire': 3,
  },
  cluster: { 'pause the holder': 7, 'give the wallet away': 3 },
} as const satisfies Readonly<Record<Kind, Readonly<Record<string, number>>>>;

type KeysOf<T> = T extends unknown ? keyof T : never;

export type CommonStep = keyof typeof WEIGHTS;
export type ApprovalStep = keyof (typeof FURTHER)['approved'];
export type SigningStep = keyof (typeof FURTHER)['view-only'];
export type ClusterStep = keyof (typeof FURTHER)['cluster'];
export type Step = CommonStep | KeysOf<(typeof FURTHER)[Kind]>;

export const isApprovalStep = (step: Step): step is ApprovalStep => step in FURTHER.approved;
export const isSigningStep = (step: Step): step is SigningStep => step in FURTHER['view-only'];
export const isClusterStep = (step: Step): step is ClusterStep => step in FURTHER.cluster;

const weightsOf = (kind: Kind): [Step, number][] =>
  Object.entries({ ...WEIGHTS, ...FURTHER[kind] }) as [Step, number][];

export const stepsOf = (kind: Kind): Step[] => weightsOf(kind).map(([step]) => step);

/** Round of the campaign. */
export interface RoundPlan {
  readonly round: number;
  readonly kind: Kind;
  /** Number of outputs of the paying wallet. */
  readonly outputs: number;
  /** Flags of the server. */
  readonly confirmations: number;
  readonly interval: number;
  readonly divides: boolean;
  /** Time until which sets of a view-only payer may be signed [s]. */
  readonly signingTime: number;
  readonly steps: readonly Step[];
}

/** Size of a round. */
export interface RoundSize {
  /** Smallest number of steps, and the number of possible further ones. */
  readonly steps: number;
  readonly further: number;
  /** Smallest number of outputs, and the number of possible further ones. */
  readonly outputs: number;
  readonly furtherOutputs: number;
  /** Steps to take; absent: drawn ones. */
  readonly fixed?: readonly Step[];
}

/** Rounds of the long campaign. */
export const FULL: RoundSize = { steps: 18, further: 15, outputs: 20, furtherOutputs: 41 };

function draw<T>(random: Random, all: readonly (readonly [T, number])[]): T {
  let left = random.below(all.reduce((sum, [, weight]) => sum + weight, 0));
  const found = all.find(([, weight]) => (left -= weight) < 0);
  if (found === undefined) throw new Error('there is nothing to draw');
  return found[0];
}

/**
 * Plans a round from the seed and its number alone, so that it can be repeated without the rounds before it.
 * @param wanted kind of the round; absent: drawn.
 */
export function planRound(seed: string, round: number, size: RoundSize = FULL, wanted?: Kind): RoundPlan {
  const random = seededRandom(`${seed}/round ${round}`);
  const drawn = draw(random, Object.entries(KIND_WEIGHTS) as [Kind, number][]);
  const kind = wanted ?? drawn;
  const weights = weightsOf(kind);
  return {
    ...{ round, kind },
    outputs: size.outputs + random.below(size.furtherOutputs),
    confirmations: 1 + random.below(10),
    interval: random.chance(0.7) ? 0 : 2,
    divides: random.chance(0.6),
    signingTime: random.pick([60, 600, 86_400]),
    steps: size.fixed ?? [
      'create',
      ...Array.from({ length: size.steps - 1 + random.below(size.further) }, () => draw(random, weights)),
    ],
  };
}
