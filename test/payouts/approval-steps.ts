import { killMoment } from '../support/processes/kill-moment.js';
import type { Random } from '../support/fakes/seeded-random.js';
import type { Loose } from '../support/network/json-rpc.js';
import { APPROVERS, CANCELLER, CREATOR, drawRules, type Access } from './access.js';
import type { ApprovalModel } from './approval-model.js';
import { approveBy } from './approvers.js';
import type { ApprovalStep } from './plan.js';
import type { QueueSteps } from './queue-steps.js';
import type { Round } from './round.js';

const LONGEST_RACE_MS = 150;
const MOST = 12;
const OTHER_HASH = '11'.repeat(32);
const PAGE = 1000;

/** Steps of a round with rules of approval. */
export class ApprovalSteps {
  readonly #round: Round;
  readonly #queue: QueueSteps;
  readonly #random: Random;
  readonly #access: Access;
  readonly #model: ApprovalModel;

  constructor(
    round: Round,
    queue: QueueSteps,
    { access, model }: { readonly access: Access; readonly model: ApprovalModel },
  ) {
    this.#round = round;
    this.#queue = queue;
    this.#random = round.parts.random;
    this.#access = access;
    this.#model = model;
  }

  /** Takes a step. */
  async take(step: ApprovalStep): Promise<void> {
    const random = this.#random;
    const { payer } = this.#round.parts;
    switch (step) {
      case 'approve':
        return this.approveAll(await this.#some());
      case 'approve by one':
        return approveBy(this.#round, random.pick(APPROVERS), await this.#some());
      case 'approve by the creator':
        return approveBy(this.#round, CREATOR, await this.#some());
      case 'approve with a wrong hash':
        return this.#approveWrongly(await this.#some());
      case 'approve twice': {
        const [some, by] = [await this.#some(), random.pick(APPROVERS)];
        await approveBy(this.#round, by, some);
        return approveBy(this.#round, by, some);
      }
      case 'approve while cancelling':
        return this.#approveWhile(async (some) => {
          await this.#round.end(this.#requestsOf(some), 'cancelled', CANCELLER);
        });
      case 'approve while rejecting':
        return this.#approveWhile(async (some) => {
          await this.#round.end(this.#requestsOf(some), 'rejected', random.pick(APPROVERS));
        });
      case 'approve and kill': {
        await this.#queue.create();
        const approving = this.approveAll(await this.#some());
        await killMoment(random.below(LONGEST_RACE_MS));
        await payer.kill();
        await approving;
        return this.#round.restart();
      }
      case 'reject':
        await this.#round.end(this.#requestsOf(await this.#some(4)), 'rejected', random.pick(APPROVERS));
        return;
      case 'change the rules':
        return this.#change(() => payer.reload());
      case 'change the rules while sending': {
        const sending = this.#queue.send();
        const approving = this.approveAll(await this.#some());
        await this.#change(() => payer.reload());
        await approving;
        return sending;
      }
      case 'change the rules and kill':
        return this.#change(async () => {
          await payer.kill();
          await this.#round.restart();
        });
    }
  }

  /** Approves payouts by everybody who may. */
  async approveAll(payouts: readonly Loose[]): Promise<void> {
    for (const by of APPROVERS) await approveBy(this.#round, by, payouts);
  }

  /** Lists payouts of which some wait for approvals. */
  async #some(most = MOST): Promise<Loose[]> {
    const states = this.#random.chance(0.85) ? { states: ['awaiting_approval'] } : {};
    const reply = await this.#round.parts.payer.ask('list_payouts', { ...states, limit: PAGE });
    const left = (reply?.result?.['payouts'] ?? []) as Loose[];
    const count = Math.min(left.length, 1 + this.#random.below(most));
    return Array.from({ length: count }, () => left.splice(this.#random.below(left.length), 1)).flat();
  }

  #requestsOf(payouts: readonly Loose[]) {
    const { requests } = this.#round.parts;
    return payouts.flatMap(({ payout_id }) => requests.all.get(String(payout_id)) ?? []);
  }

  /** Approves with hashes of other terms, which must be refused. */
  async #approveWrongly(payouts: readonly Loose[]): Promise<void> {
    const items = payouts.map(({ payout_id }) => ({ payout_id, approval_hash: OTHER_HASH }));
    const by = this.#random.pick(APPROVERS);
    const reply = await this.#round.parts.payer.ask('approve_payouts', { payouts: items }, by);
    for (const { payout_id: id, error } of (reply?.result?.['results'] ?? []) as Loose[])
      if (error === undefined) this.#round.violate(`${id}: other terms are approved`);
  }

  async #approveWhile(act: (payouts: readonly Loose[]) => Promise<void>): Promise<void> {
    await this.#queue.create();
    const some = await this.#some();
    const approving = this.approveAll(some);
    await killMoment(this.#random.below(LONGEST_RACE_MS));
    await act(some);
    await approving;
  }

  /** Changes the rules in the file. @param read has the server read them. */
  async #change(read: () => Promise<void>): Promise<void> {
    const rules = drawRules(this.#random);
    this.#model.mayBecome(rules);
    this.#access.write(rules);
    this.#round.note(JSON.stringify(rules));
    await read();
    if (await this.#round.readEvents()) this.#model.became();
  }
}
