import { killMoment } from '../support/processes/kill-moment.js';
import type { Random } from '../support/fakes/seeded-random.js';
import type { SigningStep } from './plan.js';
import type { QueueSteps } from './queue-steps.js';
import type { Round } from './round.js';
import type { SignedSet, Signer } from './signer.js';

const MOST_SIGNED = 6;
const LONGEST_RACE_MS = 400;
const VERDICTS = ['drop', 'forward-and-drop-the-answer', 'forward'] as const;

/** Steps of a round whose payer is view-only. */
export class SigningSteps {
  readonly #round: Round;
  readonly #queue: QueueSteps;
  readonly #random: Random;
  readonly #signer: Signer;

  constructor(round: Round, queue: QueueSteps, signer: Signer) {
    this.#round = round;
    this.#queue = queue;
    this.#random = round.parts.random;
    this.#signer = signer;
  }

  /** Takes a step. */
  async take(step: SigningStep): Promise<void> {
    const signer = this.#signer;
    const random = this.#random;
    switch (step) {
      case 'exchange':
        return signer.exchange();
      case 'sign and submit':
        await this.#layOut();
        await signer.signSome(MOST_SIGNED);
        for (let i = random.below(MOST_SIGNED); i >= 0; i--) await this.#submit(signer.kept.at(-1));
        return;
      case 'sign and keep':
        await this.#layOut();
        return signer.signSome(1 + random.below(MOST_SIGNED));
      case 'submit kept':
        return this.#submit(signer.draw(random));
      case 'sign twice': {
        await this.#layOut();
        const [set] = await signer.exported();
        if (set === undefined) return;
        await signer.sign(set);
        return signer.sign(set);
      }
      case 'relay elsewhere':
        return this.#relay(signer.draw(random));
      case 'kill while signing':
        return this.#kill();
      case 'let sets expire':
        await this.#round.parts.world.step(this.#round.parts.plan.signingTime + 1);
        return this.#queue.send();
    }
  }

  /** Has the payer lay out sets. */
  async #layOut(): Promise<void> {
    if (this.#random.chance(0.6)) await this.#signer.exchange();
    await this.#queue.send();
  }

  async #submit(set: SignedSet | undefined): Promise<void> {
    if (set === undefined) return this.#round.note('no set is kept');
    const error = await this.#signer.submit(set);
    this.#round.note(error ?? 'submitted');
  }

  /** Relays the transaction of a kept set by the honest node, without the payer. */
  async #relay(set: SignedSet | undefined): Promise<void> {
    if (set === undefined) return this.#round.note('no set is kept');
    const { world } = this.#round.parts;
    const { status, reason } = await world.node.plain('/send_raw_transaction', { tx_as_hex: set.blob });
    this.#round.note(`relayed ${set.payoutIds.length}: ${status} ${reason}`);
    if (this.#random.chance(0.5)) await world.mine(1 + this.#random.below(4));
  }

  /** Kills the payer between the export of a set, its signature and its submission, or while it submits. */
  async #kill(): Promise<void> {
    const { payer } = this.#round.parts;
    const random = this.#random;
    const at = random.pick(['export', 'signature', 'submission', 'payment', 'payment'] as const);
    this.#round.note(at);
    await this.#queue.create();
    const sending = this.#layOut();
    await (at === 'export' ? killMoment(random.below(LONGEST_RACE_MS)) : sending);
    if (at === 'export') await payer.kill();
    await sending;
    if (at !== 'export') await this.#signer.signSome(2);
    const set = this.#signer.kept.at(-1);
    if (at === 'signature') await payer.kill();
    if (at === 'submission' || at === 'payment') {
      const submitting = (): Promise<void> => this.#submit(set);
      if (at === 'payment') await payer.killAtSending(random.pick(VERDICTS), submitting);
      else {
        const done = submitting();
        await killMoment(random.below(LONGEST_RACE_MS));
        await payer.kill();
        await done;
      }
    }
    await this.#round.restart();
    if (set !== undefined && random.chance(0.5)) {
      // The client got no answer, and submits the same set again.
      await this.#submit(set);
    }
  }
}
