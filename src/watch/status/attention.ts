import type { PayoutWait } from '../../services/payouts/payout-figures.js';
import type { WalletFacts } from '../wallet-facts.js';
import type { Concern, StatusView } from './status-content.js';
import { counted, durationText, grouped, reasonText } from './words.js';

/** Facts from which the concerns follow. */
export type ConcernParts = Omit<StatusView, 'concerns'> & {
  readonly facts: readonly WalletFacts[];
  /** Time [Unix s]. */
  readonly now: number;
};

/** Time from which a payment in no block, a queued payout or the lack of a new block is a concern [s]. */
const LONG = 1800;
/** Number of blocks that a node may lack beside its peers. */
const FEW_BLOCKS = 3;
/** Share of the disk below which free space is a concern. */
const FREE_SHARE = 0.1;
/** Average time between two blocks [s]. */
const BLOCK_SECONDS = 120;
/** Largest number of concerns of one kind. */
const EACH = 5;

const urgent = (text: string, further: Partial<Concern> = {}): Concern => ({
  isUrgent: true,
  text,
  ...further,
});
const notable = (text: string, further: Partial<Concern> = {}): Concern => ({
  isUrgent: false,
  text,
  ...further,
});

/** Lists what somebody should look at, the urgent things first. */
export function concernsOf(parts: ConcernParts): Concern[] {
  const all = [
    ...parts.reasons.map((reason) => urgent(reasonText(reason))),
    ...nodeConcerns(parts),
    ...parts.unopened.slice(0, EACH).map(({ name, reason }) => urgent(`${name} is not open: ${reason}`)),
    ...clusterConcerns(parts),
    ...(parts.work?.problem === undefined
      ? []
      : [urgent(`proof of work is not verified: ${parts.work.problem}`)]),
    ...diskConcerns(parts),
    ...walletConcerns(parts),
    ...paymentConcerns(parts),
    ...payoutConcerns(parts),
  ];
  return all.sort((a, b) => Number(b.isUrgent) - Number(a.isUrgent));
}

function nodeConcerns({ daemon }: ConcernParts): Concern[] {
  const {
    address,
    outage,
    network,
    peers,
    lag = 0,
    sinceNewBlock,
    nextFork,
    height = 0,
    listed,
    forks,
  } = daemon;
  if (address === undefined || outage > 0) return [];
  const concerns: Concern[] = [];
  // The node of a private chain has no peers.
  if (peers?.outgoing === 0 && network !== 'fakechain')
    concerns.push(urgent('the node has no peers that it connected to'));
  if (lag > FEW_BLOCKS) concerns.push(urgent(`the node lacks ${counted(lag, 'block')} of its peers`));
  if (sinceNewBlock >= LONG && network !== 'fakechain')
    concerns.push(urgent(`the node has had no new block for ${durationText(sinceNewBlock)}`));
  concerns.push(...forks.map(({ isUrgent, text }) => ({ isUrgent, text })));
  if (nextFork !== undefined && !forks.some(({ version }) => version === nextFork.version)) {
    const isUnknown = nextFork.version > daemon.newestFork;
    const when = durationText((nextFork.height - height) * BLOCK_SECONDS);
    const text = `hard fork to version ${nextFork.version} at block ${grouped(nextFork.height)}, in about ${when}`;
    concerns.push(isUnknown ? urgent(`${text}: update this server before`) : notable(text));
  }
  return [
    ...concerns,
    ...listed
      .filter(({ serves, problem }) => !serves && problem !== undefined)
      .slice(0, EACH)
      .map(({ name, problem = '' }) => notable(`the listed node ${name} cannot serve: ${problem}`)),
  ];
}

function clusterConcerns({ cluster }: ConcernParts): Concern[] {
  if (cluster === undefined) return [];
  const { isReachable, orphans, members } = cluster;
  const silent = members.filter(({ isAlive }) => !isAlive);
  return [
    ...(isReachable ? [] : [urgent('the database of the cluster does not answer')]),
    ...(orphans.length === 0
      ? []
      : [urgent(`${counted(orphans.length, 'wallet')} of the cluster without a holder`)]),
    ...silent.slice(0, EACH).map(({ url }) => notable(`the process ${url} of the cluster does not answer`)),
  ];
}

function diskConcerns({ disk, reasons }: ConcernParts): Concern[] {
  const isNamed = reasons.some(({ reason }) => reason === 'disk_nearly_full');
  if (disk === undefined || isNamed || disk.free >= FREE_SHARE * disk.total) return [];
  return [notable(`${Math.floor((100 * disk.free) / disk.total)} % of the disk is free`)];
}

/** Lists concerns that several wallets share, which the table shows. */
function walletConcerns({ facts }: ConcernParts): Concern[] {
  const having = (
    concern: typeof urgent,
    count: (wallet: WalletFacts) => number,
    text: (sum: number, wallets: number) => string,
  ): Concern[] => {
    const sums = facts.map(count).filter((value) => value > 0);
    return sums.length === 0
      ? []
      : [
          concern(
            text(
              sums.reduce((total, value) => total + value, 0),
              sums.length,
            ),
            { isInTable: true },
          ),
        ];
  };
  return [
    ...having(
      urgent,
      ({ heldPayments }) => heldPayments,
      (sum) => `${counted(sum, 'payment')} held for a node that does not serve`,
    ),
    ...having(
      urgent,
      ({ disabledWebhooks }) => disabledWebhooks,
      (sum) => `${counted(sum, 'webhook')} disabled, since the endpoint answered 410`,
    ),
    ...having(
      urgent,
      ({ webhookRetries }) => webhookRetries,
      (sum) => `${counted(sum, 'webhook delivery', 'webhook deliveries')} failed, to be tried again`,
    ),
    ...having(
      notable,
      ({ lowAccounts }) => lowAccounts,
      (sum) => `${counted(sum, 'account')} with a balance below its limit`,
    ),
  ];
}

function paymentConcerns({ waiting, now }: ConcernParts): Concern[] {
  return waiting
    .filter(({ made }) => now - made >= LONG)
    .slice(0, EACH)
    .map(({ wallet, txHash, made }) =>
      urgent(`a payment has been in no block for ${durationText(now - made)}`, {
        item: { kind: 'transaction', wallet, id: txHash },
      }),
    );
}

const WAIT_TEXTS: Readonly<Record<PayoutWait, string>> = {
  queue: 'a payout has waited in the queue for',
  pause: 'payouts are paused, and the oldest has waited for',
  approval: 'a payout has waited for approval for',
};

function payoutConcerns({ facts }: ConcernParts): Concern[] {
  return facts
    .flatMap(({ name: wallet, payoutAges }) => [...payoutAges].map(([wait, age]) => ({ wallet, wait, age })))
    .filter(({ wait, age }) => age >= LONG || wait !== 'queue')
    .sort((a, b) => b.age - a.age)
    .slice(0, EACH)
    .map(({ wallet, wait, age }): Concern => ({
      isUrgent: age >= LONG,
      text: `${WAIT_TEXTS[wait]} ${durationText(age)}`,
      item: { kind: 'wallet', wallet, id: '' },
    }));
}
