import type { Daemon, OutputDistribution, RingCandidate } from '../../daemon/daemon.js';
import { DaemonError } from '../../daemon/errors.js';
import { COINBASE_UNLOCK_BLOCKS, SPENDABLE_AGE_BLOCKS } from '../../monero/cryptonote/constants.js';
import { BLOCKS_A_YEAR } from '../../monero/wallet/select/decoys.js';
import { toHex } from '../../util/bytes.js';
import type { Clock } from '../../util/clock.js';
import { shuffled, uniformDouble, type Rng } from '../../util/random.js';
import { zip } from '../../util/zip.js';
import type { DaemonClient, DaemonList, NamedDaemon } from '../context/daemon-list.js';
import { callTime } from './daemon-failover.js';
import type { NodeIdentities } from './node-identities.js';

interface WitnessParts {
  /** Returns the listed daemons, and the one that serves. */
  readonly connection: () => { readonly list: DaemonList; readonly current: NamedDaemon | undefined };
  readonly clock: Clock;
  readonly rng: Rng;
  /** Nodes behind the listed daemons: two addresses of one node have one vote. */
  readonly identities: Pick<NodeIdentities, 'count'>;
  /**
   * Called for each daemon whose answer a majority confirms or contradicts, the serving one included.
   * @param problem answer by which the daemon contradicts the others; undefined if it gives the same answer as they.
   */
  readonly onVote: (daemon: NamedDaemon, problem: string | undefined) => void;
  /** Called for each answer of the serving daemon that is not used although no majority contradicts it. */
  readonly onUndecided: (reason: string) => void;
}

/** Answer of a daemon as a text that is equal for equal answers, or the reason for which there is none. */
type Vote = { readonly daemon: NamedDaemon } & ({ readonly answer: string } | { readonly none: string });

/** Question to which the serving daemon and another one must give the same answer. */
interface Question {
  /** Name of the data in messages. */
  readonly subject: string;
  readonly serving: NamedDaemon | undefined;
  /** Answer of the serving daemon. */
  readonly own: Promise<string>;
  /** Asks another daemon. */
  readonly ask: (client: Daemon) => Promise<string>;
}

/** Smallest number of outputs that a witness is asked for. */
const LEAST_SAMPLE = 8;
/** Share of the requested outputs that a witness is asked for. */
const SAMPLE_SHARE = 1 / 4;
/** Number of newest blocks, of spendable age, whose output counts are all compared: most decoys come from them. */
const RECENT_BLOCKS = 2000;
/** Number of older blocks whose output counts are compared. */
const OLDER_SAMPLES = 4;
/** Number of newest blocks that are not compared, since no decoy comes from them: daemons may differ in them. */
const NEWEST_BLOCKS = SPENDABLE_AGE_BLOCKS - 1;
/**
 * Largest difference between the output counts of two chains, of which only the newest blocks differ. So many outputs change
 * the average of a year on the main network by less than one percent.
 */
const MOST_NEWEST_OUTPUTS = 100_000;

/**
 * Compares the data from which the serving daemon lets rings be chosen with the word of another listed daemon, by sample: a
 * daemon that chooses the decoys learns the real output. A difference is decided by the other daemons, if they answer.
 */
export class RingWitness {
  readonly #parts: WitnessParts;
  /** Names of the daemons that did not answer last time, which are asked last. */
  readonly #silent = new Set<string>();
  /** Number of outputs that are too old for a change of their lock, by the last confirmed distribution. */
  #settledOutputs = 0;

  constructor(parts: WitnessParts) {
    this.#parts = parts;
  }

  /**
   * Reads the output distribution. The witness is asked afterwards, for heights that follow from the answer; no output is
   * requested before both agree, since a false distribution lets a request for outputs show the real one.
   * @throws DaemonError; `unverified` if no other daemon confirms the answer.
   */
  async outputDistribution(client: Daemon): Promise<OutputDistribution> {
    const { current: serving } = this.#parts.connection();
    const distribution = await client.getOutputDistribution();
    const last = lastHeight(distribution) - NEWEST_BLOCKS;
    const recent = Math.max(distribution.startHeight, last + 1 - RECENT_BLOCKS);
    const older = this.#olderHeights(distribution, recent);
    const { startHeight } = distribution;
    await this.#compare({
      ...{ subject: 'output distribution', serving },
      own: Promise.resolve(
        answerOf(
          startHeight,
          [...older, ...range(recent, last)].map((height) => countAt(distribution, height)),
          true,
        ),
      ),
      ask: async (witness) => {
        const [newest, start, ...parts] = await Promise.all([
          witness.getOutputCounts(recent, 0),
          startHeight === 0 ? 0 : witness.getOutputCounts(0, startHeight).then((part) => part.startHeight),
          ...older.map((height) => witness.getOutputCounts(height, height)),
        ]);
        if (lastHeight(newest) < last) throw new DaemonError('rejected', 'the newest blocks are missing');
        const counts = [
          ...zip(older, parts).map(([height, part]) => countAt(part, height)),
          ...range(recent, last).map((height) => countAt(newest, height)),
        ];
        return answerOf(start, counts, isNear(newest, distribution));
      },
    });
    this.#settledOutputs = countAt(distribution, last - COINBASE_UNLOCK_BLOCKS) ?? 0;
    return distribution;
  }

  /**
   * Fetches candidates for rings. The witness is asked for some of them at the same time. Each candidate is among these with the
   * same probability, so that the witness learns nothing about the real output; the wallet compares that one with its own record.
   * @throws DaemonError; `unverified` if no other daemon confirms the answer.
   */
  async outputs(client: Daemon, indices: readonly number[]): Promise<readonly RingCandidate[]> {
    const { current: serving } = this.#parts.connection();
    const sample = sampleOf(indices, this.#parts.rng);
    const fetched = client.getOutputs(indices);
    const settled = this.#settledOutputs;
    await this.#compare({
      ...{ subject: 'outputs', serving },
      own: fetched.then((outputs) => {
        const texts = new Map<number, Set<string>>();
        for (const [index, output] of zip(indices, outputs))
          texts.set(index, (texts.get(index) ?? new Set()).add(textOf(index, output, settled)));
        // An output of several rings has several texts if the daemon contradicts itself.
        return sample.flatMap((index) => [...(texts.get(index) ?? [])]).join('\n');
      }),
      ask: async (witness) =>
        zip(sample, await witness.getOutputs(sample))
          .map(([index, output]) => textOf(index, output, settled))
          .join('\n'),
    });
    return fetched;
  }

  /** Resolves if a majority confirms the answer of the serving daemon. @throws DaemonError `unverified` */
  async #compare({ own, ask, serving, subject }: Question): Promise<void> {
    const { connection, rng, identities } = this.#parts;
    const { list } = connection();
    const others = shuffled(
      list.entries.filter((daemon) => daemon !== serving),
      rng,
    ).sort((a, b) => Number(this.#silent.has(a.name)) - Number(this.#silent.has(b.name)));
    const [witness, ...rest] = others;
    const [answer, first] = await Promise.all([
      own,
      witness === undefined ? undefined : this.#vote(list, witness, ask),
    ]);
    const votes = first === undefined ? [] : [first];
    const agreeing = (): NamedDaemon[] => [
      ...(serving === undefined ? [] : [serving]),
      ...daemonsOf(votes, answer),
    ];
    if (identities.count(agreeing()) < 2)
      votes.push(...(await Promise.all(rest.map((daemon) => this.#vote(list, daemon, ask)))));
    const groups = [agreeing(), ...opposition(votes, answer)].map((daemons) => ({
      daemons,
      nodes: identities.count(daemons),
    }));
    const most = Math.max(...groups.map(({ nodes }) => nodes));
    const [larger, tied] = groups.filter(({ nodes }) => nodes === most);
    const majority = larger === undefined || tied !== undefined || most < 2 ? [] : larger.daemons;
    const names = majority.map(({ name }) => name);
    if (majority.length > 0) {
      const isOutvoted = majority !== groups[0]?.daemons;
      const problem = `its ${subject} for decoys differ from those of ${names.join(' and ')}`;
      for (const vote of votes)
        if ('answer' in vote)
          this.#parts.onVote(vote.daemon, majority.includes(vote.daemon) ? undefined : problem);
      if (serving !== undefined) this.#parts.onVote(serving, isOutvoted ? problem : undefined);
      if (!isOutvoted) return;
    }
    const name = serving?.name ?? 'none';
    const reason = refusalOf({ name, subject, votes, answer, majority: names });
    if (names.length === 0) this.#parts.onUndecided(reason);
    throw new DaemonError('unverified', reason);
  }

  async #vote(list: DaemonList, daemon: NamedDaemon, ask: Question['ask']): Promise<Vote> {
    try {
      const answer = await this.#inTime(list.client(daemon), callTime(daemon), ask);
      this.#silent.delete(daemon.name);
      return { daemon, answer };
    } catch (error) {
      if (!(error instanceof DaemonError)) throw error;
      this.#silent.add(daemon.name);
      return { daemon, none: error.kind === 'rejected' ? 'lacks blocks' : `does not answer (${error.kind})` };
    }
  }

  async #inTime(client: DaemonClient, ms: number, ask: Question['ask']): Promise<string> {
    const end = new AbortController();
    const cancel = this.#parts.clock.after(ms, () =>
      end.abort(new DaemonError('timeout', 'no answer in time')),
    );
    try {
      return await ask(client.until(end.signal));
    } finally {
      cancel();
    }
  }

  /**
   * Picks heights below the recent ones: the one that determines the average of a year, and some random ones, whose depths are
   * spread like the ages of decoys, by their logarithm.
   */
  #olderHeights({ startHeight, cumulative }: OutputDistribution, recent: number): number[] {
    const end = startHeight + cumulative.length;
    const beforeYear = end - BLOCKS_A_YEAR - 1;
    const [least, most] = [end - recent, cumulative.length];
    const heights = Array.from(
      { length: OLDER_SAMPLES },
      () => end - Math.floor(least * (most / least) ** uniformDouble(this.#parts.rng)) - 1,
    );
    return [...new Set([beforeYear, ...heights])]
      .filter((height) => height >= startHeight && height < recent)
      .sort((a, b) => a - b);
  }
}

/** Chooses the outputs that a witness is asked for, in ascending order. */
function sampleOf(indices: readonly number[], rng: Rng): number[] {
  const all = [...new Set(indices)];
  const size = Math.max(LEAST_SAMPLE, Math.ceil(all.length * SAMPLE_SHARE));
  return shuffled(all, rng)
    .slice(0, size)
    .sort((a, b) => a - b);
}

/**
 * Describes an output. The lock of an output near the tip is left out, since it differs between daemons that have not received
 * the same blocks yet. @param settled number of outputs that are old enough.
 */
const textOf = (index: number, { publicKey, commitment, unlocked }: RingCandidate, settled: number): string =>
  `${toHex(publicKey)} ${toHex(commitment)} ${index < settled ? unlocked : ''}`;

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to + 1 - from) }, (_, i) => from + i);

const lastHeight = ({ startHeight, cumulative }: OutputDistribution): number =>
  startHeight + cumulative.length - 1;

/** Returns the number of outputs up to a block; undefined if the distribution lacks the block. */
const countAt = ({ startHeight, cumulative }: OutputDistribution, height: number): number | undefined =>
  cumulative[height - startHeight];

/**
 * Describes a distribution. @param start height of its first block: over fewer blocks than a year, the average would be another.
 */
const answerOf = (start: number, counts: readonly (number | undefined)[], isNearTip: boolean): string =>
  `from ${start}: ${counts.join(' ')}${isNearTip ? '' : ' and another tip'}`;

/** True if the chain of another daemon has about as many blocks and outputs as that of the serving one. */
function isNear(other: OutputDistribution, own: OutputDistribution): boolean {
  const outputs = (other.cumulative.at(-1) ?? other.base) - (own.cumulative.at(-1) ?? own.base);
  return Math.abs(outputs) <= MOST_NEWEST_OUTPUTS && lastHeight(other) - lastHeight(own) <= NEWEST_BLOCKS;
}

const isSame = (vote: Vote, answer: string): boolean => 'answer' in vote && vote.answer === answer;

const daemonsOf = (votes: readonly Vote[], answer: string): NamedDaemon[] =>
  votes.filter((vote) => isSame(vote, answer)).map(({ daemon }) => daemon);

/** Returns the groups of daemons that agree on another answer. */
function opposition(votes: readonly Vote[], answer: string): NamedDaemon[][] {
  const answers = votes.flatMap((vote) => ('answer' in vote && vote.answer !== answer ? [vote.answer] : []));
  return [...new Set(answers)].map((other) => daemonsOf(votes, other));
}

/** Says why the answer of the serving daemon is not used. */
function refusalOf({
  name,
  subject,
  votes,
  answer,
  majority,
}: {
  readonly name: string;
  readonly subject: string;
  readonly votes: readonly Vote[];
  readonly answer: string;
  readonly majority: readonly string[];
}): string {
  const silent = votes.flatMap((vote) => ('none' in vote ? [`${vote.daemon.name} ${vote.none}`] : []));
  if (majority.length > 0)
    return `the ${subject} for decoys of ${name} differ from those of ${majority.join(' and ')}: it is left out`;
  const opposing = votes.filter((vote) => 'answer' in vote && !isSame(vote, answer));
  if (opposing.length === 0)
    return `no other node could confirm the ${subject} for decoys of ${name}: ${silent.join('; ') || 'no other node is listed'}`;
  const names = opposing.map(({ daemon }) => daemon.name).join(' and ');
  const rest = silent.length === 0 ? '' : ` (${silent.join('; ')})`;
  return `the ${subject} for decoys of ${name} differ from those of ${names}: a further node is needed to tell which one lies${rest}`;
}
