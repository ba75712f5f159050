import { ApprovalSteps } from './approval-steps.js';
import { ClusterSteps } from './cluster-steps.js';
import { isApprovalStep, isClusterStep, isSigningStep, type Step } from './plan.js';
import { QueueSteps } from './queue-steps.js';
import type { Round } from './round.js';
import { SigningSteps } from './signing-steps.js';

/** Takes the steps of a round. */
export class Steps {
  readonly #round: Round;
  readonly #queue: QueueSteps;
  readonly #approvals: ApprovalSteps | undefined;
  readonly #signing: SigningSteps | undefined;
  readonly #cluster: ClusterSteps;

  constructor(round: Round) {
    const { approval, signer } = round.parts;
    const queue = new QueueSteps(round);
    this.#round = round;
    this.#queue = queue;
    this.#approvals = approval && new ApprovalSteps(round, queue, approval);
    this.#signing = signer && new SigningSteps(round, queue, signer);
    this.#cluster = new ClusterSteps(round, queue);
  }

  /** Takes the steps of the plan, up to the first violation. */
  async run(): Promise<void> {
    for (const step of this.#round.parts.plan.steps) {
      this.#round.note(step);
      await this.#take(step);
      await this.#round.observe();
      if (this.#round.violations.length > 0) return;
    }
  }

  async #take(step: Step): Promise<void> {
    if (isApprovalStep(step)) return this.#approvals?.take(step);
    if (isSigningStep(step)) return this.#signing?.take(step);
    return isClusterStep(step) ? this.#cluster.take(step) : this.#queue.take(step);
  }
}
