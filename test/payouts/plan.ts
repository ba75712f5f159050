import { seededRandom, type Random } from '../support/fakes/seeded-random.js';

/** Steps of a round with their weights. */
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
  'node down': 1,
  'raise fees': 1,
  'tell the truth': 3,
  reorganise: 4,
  mine: 5,
  'spend elsewhere': 3,
  rescan: 1,
  'step the clock': 2,
} as const;

export type Step = keyof typeof WEIGHTS;

export const STEPS = Object.keys(WEIGHTS) as Step[];

/** Round of the campaign. */
export interface RoundPlan {
  readonly round: number;
  /** Number of outputs of the paying wallet. */
  readonly outputs: number;
  /** Flags of the server. */
  readonly confirmations: number;
  readonly interval: number;
  readonly divides: boolean;
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
}

/** Rounds of the long campaign. */
export const FULL: RoundSize = { steps: 18, further: 15, outputs: 20, furtherOutputs: 41 };

function drawStep(random: Random): Step {
  const all = Object.entries(WEIGHTS) as [Step, number][];
  let left = random.below(all.reduce((sum, [, weight]) => sum + weight, 0));
  for (const [step, weight] of all) {
    if (left < weight) return step;
    left -= weight;
  }
  return 'mine';
}

/** Plans a round from the seed and its number alone, so that it can be repeated without the rounds before it. */
export function planRound(seed: string, round: number, size: RoundSize = FULL): RoundPlan {
  const random = seededRandom(`${seed}/round ${round}`);
  return {
    round,
    outputs: size.outputs + random.below(size.furtherOutputs),
    confirmations: 1 + random.below(10),
    interval: random.chance(0.7) ? 0 : 2,
    divides: random.chance(0.6),
    steps: [
      'create',
      ...Array.from({ length: size.steps - 1 + random.below(size.further) }, () => drawStep(random)),
    ],
  };
}
