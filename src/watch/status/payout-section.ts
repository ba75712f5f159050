import { PAYOUT_STATES, WHOLE_WALLET, type PayoutState } from '../../model/payout.js';
import { html, type Html } from '../html.js';
import { badge, clientText, fact, itemLink, liveSection, nameOf, timeAt } from './page-parts.js';
import type { PayoutsView, ShownPayout } from './payout-view.js';
import { blockText, PAYOUT_NAMES, payoutReasonText, waitingText } from './payout-words.js';
import { coinsText, grouped } from './words.js';

/** Sign of an amount that leaves a wallet. */
const MINUS = '\u2212';

const BAD: ReadonlySet<PayoutState> = new Set(['failed', 'rejected', 'expired']);

const stateBadge = (state: PayoutState): Html =>
  badge(state === 'confirmed' ? 'good' : BAD.has(state) ? 'bad' : 'plain', PAYOUT_NAMES[state]);

/** Writes the reason of a payout's state, and what it waits for. */
function reasonOf(
  { payout: { reason }, waitingFor, unlocking }: ShownPayout['view'],
  withSums: boolean,
): string | undefined {
  const texts = [
    ...(reason === undefined ? [] : [payoutReasonText(reason)]),
    ...(waitingFor === undefined ? [] : [`waits: ${waitingText(waitingFor, unlocking, withSums)}`]),
  ];
  return texts.length === 0 ? undefined : texts.join('; ');
}

function payoutItem(shown: ShownPayout, withSums: boolean): Html {
  const { wallet, view } = shown;
  const { payout } = view;
  const reason = reasonOf(view, withSums);
  const block = blockText(view);
  return html`<li>
    <p class="row">
      ${itemLink({ kind: 'payout', wallet, id: payout.payoutId }, payout.payoutId)}
      ${withSums ? html`<strong>${MINUS}${coinsText(payout.amount)}</strong>` : undefined}
      ${stateBadge(payout.state)} ${nameOf(wallet)}, account ${grouped(payout.account)}
    </p>
    ${reason === undefined ? undefined : html`<p class="row">${clientText(reason)}</p>`}
    <p class="small">${timeAt(payout.created)}${block === '' ? '' : `, ${block}`}</p>
  </li>`;
}

const listOf = (title: string, payouts: readonly ShownPayout[], withSums: boolean): Html | undefined =>
  payouts.length === 0
    ? undefined
    : html`<h3>${title}</h3>
        <ul>
          ${payouts.map((shown) => payoutItem(shown, withSums))}
        </ul>`;

/** Writes the pauses, with the reasons that clients gave. */
const pauses = (listed: PayoutsView['pauses']): Html | undefined =>
  listed.length === 0
    ? undefined
    : html`<h3>Pauses</h3>
        <ul>
          ${listed.map(
            ({ wallet, account, reason, time: since }) =>
              html`<li>
                <p class="row">
                  ${badge('bad', 'Paused')}
                  ${itemLink({ kind: 'wallet', wallet, id: '' }, nameOf(wallet))}${account === WHOLE_WALLET ? '' : `, account ${grouped(account)}`}
                </p>
                <p class="row">${clientText(reason)}</p>
                <p class="small">since ${timeAt(since)}</p>
              </li>`,
          )}
        </ul>`;

/**
 * Writes the section with the number of payouts in each state that some have. Without payouts it is hidden, and the script
 * of the page shows it once there are some.
 */
export const payoutCounts = (view: PayoutsView | undefined): Html =>
  view === undefined
    ? html`<section id="payouts" data-live hidden></section>`
    : liveSection(
        'payouts',
        'Payouts',
        html`<dl>
          ${PAYOUT_STATES.filter((state) => view.counts.has(state)).map((state) =>
            fact(PAYOUT_NAMES[state], grouped(view.counts.get(state) ?? 0)),
          )}
        </dl>`,
      );

/** Writes the section of the payouts that wait, hidden if none does. @param withSums false: without amounts. */
export function waitingPayouts(view: PayoutsView | undefined, withSums: boolean): Html {
  const { oldest, awaiting = [], pauses: paused = [] } = view ?? {};
  if (oldest === undefined && awaiting.length === 0 && paused.length === 0)
    return html`<section id="waiting-payouts" data-live hidden></section>`;
  return liveSection(
    'waiting-payouts',
    'Payouts that wait',
    html`${pauses(paused)} ${listOf('Oldest in the queue', oldest === undefined ? [] : [oldest], withSums)}
    ${listOf('To approve', awaiting, withSums)}`,
  );
}
