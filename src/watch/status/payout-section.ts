import { PAYOUT_STATES, WHOLE_WALLET, type PayoutState } from '../../model/payout.js';
import { toHex } from '../../util/bytes.js';
import { html, type Html } from '../html.js';
import { badge, fact, liveSection, nameOf, time } from './page-parts.js';
import type { PayoutSearch, PayoutsView, ShownPayout } from './payout-view.js';
import { blockText, PAYOUT_NAMES, payoutReasonText, waitingText } from './payout-words.js';
import { coinsText, counted, grouped } from './words.js';

/** Sign of an amount that leaves a wallet. */
const MINUS = '\u2212';

const BAD: ReadonlySet<PayoutState> = new Set(['failed', 'rejected', 'expired']);

const stateBadge = (state: PayoutState): Html =>
  badge(state === 'confirmed' ? 'good' : BAD.has(state) ? 'bad' : 'plain', PAYOUT_NAMES[state]);

const timeAt = (seconds: number): Html => time(new Date(seconds * 1000).toISOString());

/** Writes a text of a client, whose direction must not change that of the text around it. */
const clientText = (text: string): Html => html`<bdi>${text}</bdi>`;

/** Writes the reason of a payout's state, and what it waits for. */
function reasonOf({ payout: { reason }, waitingFor, unlocking }: ShownPayout['view']): string | undefined {
  const texts = [
    ...(reason === undefined ? [] : [payoutReasonText(reason)]),
    ...(waitingFor === undefined ? [] : [`waits: ${waitingText(waitingFor, unlocking)}`]),
  ];
  return texts.length === 0 ? undefined : texts.join('; ');
}

const place = ({ wallet, view }: ShownPayout): string =>
  `${nameOf(wallet)}, account ${grouped(view.payout.account)}`;

function payoutItem(shown: ShownPayout): Html {
  const { payout } = shown.view;
  const reason = reasonOf(shown.view);
  const block = blockText(shown.view);
  return html`<li>
    <p class="row">
      <strong>${MINUS}${coinsText(payout.amount)}</strong> ${stateBadge(payout.state)} ${place(shown)}
    </p>
    <p class="row">${clientText(payout.payoutId)}</p>
    ${reason === undefined ? undefined : html`<p class="row">${clientText(reason)}</p>`}
    <p class="small">${timeAt(payout.created)}${block === '' ? '' : `, ${block}`}</p>
  </li>`;
}

const oldest = (shown: ShownPayout): Html =>
  html`<h3>Oldest queued payout</h3>
    <ul>
      ${payoutItem(shown)}
    </ul>`;

/** Writes the pauses, with the reasons that clients gave. */
const pauses = (listed: PayoutsView['pauses']): Html =>
  html`<h3>Pauses</h3>
    <ul>
      ${listed.map(
        ({ wallet, account, reason, time: since }) =>
          html`<li>
            <p class="row">
              ${badge('bad', 'Paused')}
              ${nameOf(wallet)}${account === WHOLE_WALLET ? '' : `, account ${grouped(account)}`}
            </p>
            <p class="row">${clientText(reason)}</p>
            <p class="small">since ${timeAt(since)}</p>
          </li>`,
      )}
    </ul>`;

/**
 * Writes the section of payouts. Without payouts it is hidden, and the script of the page shows it once there are some.
 */
export const payoutSection = (view: PayoutsView | undefined): Html =>
  view === undefined
    ? html`<section id="payouts" data-live hidden></section>`
    : liveSection(
        'payouts',
        'Payouts',
        html`<dl>
            ${PAYOUT_STATES.map((state) => fact(PAYOUT_NAMES[state], grouped(view.counts.get(state) ?? 0)))}
          </dl>
          ${view.pauses.length === 0 ? undefined : pauses(view.pauses)}
          ${view.oldest === undefined ? undefined : oldest(view.oldest)}
          <h3>Latest payouts</h3>
          <ul>
            ${view.latest.map(payoutItem)}
          </ul>`,
      );

function foundItem(shown: ShownPayout): Html {
  const { payout, payment, confirmations } = shown.view;
  const reason = reasonOf(shown.view);
  const optional = (name: string, value: string | Html | undefined): Html | undefined =>
    value === undefined ? undefined : fact(name, value);
  return html`<li>
    <p class="row">
      <strong>${MINUS}${coinsText(payout.amount)}</strong> ${stateBadge(payout.state)} ${place(shown)}
    </p>
    ${reason === undefined ? undefined : html`<p class="row">${clientText(reason)}</p>`}
    <dl>
      ${fact('Id', clientText(payout.payoutId))}
      ${optional('Reference', payout.reference === undefined ? undefined : clientText(payout.reference))}
      ${fact('Address', payout.address)}
      ${optional('Received by the payee', payment && coinsText(payment.amount))}
      ${optional('Share of the fee', payment && coinsText(payment.fee))}
      ${optional('Transaction', payment?.txHash && toHex(payment.txHash))}
      ${optional('Block', payment?.height === undefined ? undefined : grouped(payment.height))}
      ${payment === undefined ? undefined : fact('Confirmations', grouped(confirmations))}
      ${fact('Created', timeAt(payout.created))}
      ${optional('Created by', payout.creator === undefined ? undefined : clientText(payout.creator))}
      ${fact('In this state since', timeAt(payout.changed))}
      ${optional('Not sent before', payout.notBefore === undefined ? undefined : timeAt(payout.notBefore))}
      ${optional('Not sent from', payout.expires === undefined ? undefined : timeAt(payout.expires))}
    </dl>
  </li>`;
}

function results({ found, hasMore }: PayoutSearch): Html {
  if (found.length === 0)
    return html`<p role="status">No payout has this text in its id, address or reference.</p>`;
  return html`<p class="small" role="status">
      ${hasMore ? `The first ${counted(found.length, 'payout')} of more: search for a longer text.` : counted(found.length, 'payout')}
    </p>
    <ul>
      ${found.map(foundItem)}
    </ul>`;
}

/** Writes the section that finds payouts, with the results of a search. */
export const payoutSearchSection = (search: PayoutSearch | undefined): Html =>
  html`<section id="find-payout" aria-labelledby="find-payout-title">
    <h2 id="find-payout-title">Find a payout</h2>
    <form method="get" action="/status#find-payout" role="search">
      <label for="payout">Id, address or reference, or a part of it</label>
      <input
        id="payout"
        name="payout"
        type="search"
        maxlength="255"
        autocomplete="off"
        spellcheck="false"
        value="${search?.text ?? ''}"
      />
      <button>Find</button>
    </form>
    ${search === undefined ? undefined : results(search)}
  </section>`;
