import { killMoment } from '../support/processes/kill-moment.js';
import { ClusterPayer } from './cluster-payer.js';
import type { ClusterStep } from './plan.js';
import type { QueueSteps } from './queue-steps.js';
import type { Round } from './round.js';

const LARGE = 12;
const LONGEST_RACE_MS = 700;

/** Steps of a round whose payer is a cluster. */
export class ClusterSteps {
  readonly #round: Round;
  readonly #queue: QueueSteps;

  constructor(round: Round, queue: QueueSteps) {
    this.#round = round;
    this.#queue = queue;
  }

  /** Takes a step. */
  async take(step: ClusterStep): Promise<void> {
    const { payer, random } = this.#round.parts;
    if (!(payer instanceof ClusterPayer)) throw new Error('this payer is no cluster');
    await this.#queue.create(LARGE);
    const sending = this.#queue.send();
    await killMoment(random.below(LONGEST_RACE_MS));
    const act = async (): Promise<void> => {
      if (random.chance(0.5)) await this.#queue.create();
      await this.#queue.send();
      if (random.chance(0.5)) await this.#queue.cancel();
    };
    switch (step) {
      case 'pause the holder':
        await payer.pauseHolder(act);
        break;
      case 'give the wallet away':
        await payer.giveAway(act);
        break;
    }
    await sending;
  }
}
