import { html, Html, type HtmlValue } from '../html.js';
import type { Amount } from '../../util/amount.js';
import { framed, type PageSetting } from './pay-frame.js';
import { receiptOf } from './pay-receipt.js';
import { refundForm, refundsOf, type GivenAddress } from './pay-refund.js';
import { digitsOf, type PayTexts } from './pay-texts.js';
import type { Demand, PayState, PayView } from './pay-view.js';
import { qrCode } from './qr-code.js';

/** Part of a pay page that changes while it is open, in one language. */
export interface LivePart {
  readonly state: PayState;
  readonly title: string;
  /** HTML of the state. */
  readonly status: string;
  /** HTML of the receipt; empty unless the request is paid. */
  readonly receipt: string;
  /** URI of the payment that is to be made; the page reads its section of the payment anew when it changes. */
  readonly uri: string | undefined;
}

/**
 * Interval at which a page reloads itself in a browser without JavaScript [s]; a longer interval once the request is
 * paid, and while the page has a form, whose text a reload takes away.
 */
const RELOAD_SECONDS = { open: 15, slow: 60 };
/** Mean time between two blocks [s]. Source: cryptonote_config.h `DIFFICULTY_TARGET_V2`. */
const BLOCK_SECONDS = 120;

/**
 * Time after the payment at which the page leads back to the shop [s]. A visitor needs 20 seconds to stop it. Source: WCAG
 * 2.2, success criterion 2.2.1.
 */
const BACK_SECONDS = 20;

/** Outlines of the icons, 24 units wide. */
const PATHS = {
  wait: 'M12 7v5l3.5 2',
  done: 'M7.5 12.5l3 3 6-6.5',
  stop: 'M12 7.5v5.5M12 16.4v.1',
};

const ICONS: Readonly<Record<PayState, keyof typeof PATHS>> = {
  ...{ waiting: 'wait', partial: 'stop', received: 'done', seen: 'wait', confirming: 'wait' },
  ...{ paid: 'done', overpaid: 'done', expired: 'stop', cancelled: 'stop' },
};

const icon = (state: PayState): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="9.5" />
    <path d="${PATHS[ICONS[state]]}" />
  </svg>`;

const ENDED: ReadonlySet<PayState> = new Set(['paid', 'overpaid', 'expired', 'cancelled']);

/** Writes the time that the missing confirmations usually take. */
const confirmationTime = ({ confirmations, needed }: PayView, texts: PayTexts): string =>
  texts.duration(BLOCK_SECONDS * Math.max(1, needed - confirmations));

function detail(view: PayView, texts: PayTexts): string {
  const { state, missing, excess } = view;
  switch (state) {
    case 'partial':
      return texts.text('sendMissing', { amount: texts.coins(missing) });
    case 'overpaid':
      return texts.text('tooMuch', { amount: texts.coins(excess) });
    case 'seen':
    case 'confirming':
      return texts.text(`${state}Detail`, { time: confirmationTime(view, texts) });
    case 'waiting':
      return texts.text(view.amount === undefined ? 'openDetail' : 'waitingDetail');
    default:
      return texts.text(`${state}Detail`);
  }
}

function hints({ state, received, late, locked, isSynced }: PayView, texts: PayTexts): string[] {
  const kept = { expired: 'tooLittle', cancelled: 'beforeCancel' } as const;
  return [
    ...((state === 'expired' || state === 'cancelled') && received > 0n
      ? [texts.text(kept[state], { amount: texts.coins(received) })]
      : []),
    ...(late > 0n ? [texts.text('tooLate', { amount: texts.coins(late) })] : []),
    ...(locked > 0n ? [texts.text('locked', { amount: texts.coins(locked) })] : []),
    ...(isSynced || ENDED.has(state) ? [] : [texts.text('notSynced')]),
  ];
}

function progress({ state, confirmations, needed }: PayView, texts: PayTexts): Html | undefined {
  if ((state !== 'seen' && state !== 'confirming' && state !== 'received') || needed === 0) return undefined;
  const values = { count: texts.number(confirmations), needed: texts.number(needed) };
  return html`<p class="count">${texts.counted('confirmations', needed, values)}</p>
    <progress
      max="${needed}"
      value="${confirmations}"
      aria-label="${texts.text('confirmationsName')}"
    ></progress>`;
}

/** Writes what has arrived. The part that is in no block stands below the sum, since it is a part of it. */
function sums({ state, amount, received, unmined, missing }: PayView, texts: PayTexts): Html | undefined {
  if (received === 0n) return undefined;
  const isOpen = state === 'partial' || state === 'expired';
  const unminedText =
    unmined === received
      ? texts.text('unminedAll')
      : texts.text('unminedPart', { amount: texts.coins(unmined) });
  return html`<dl>
    <div>
      <dt>${texts.text('receivedSum')}</dt>
      <dd>${texts.coins(received)} ${unmined > 0n ? html`<small>${unminedText}</small>` : undefined}</dd>
    </div>
    ${
      isOpen && amount !== undefined && missing > 0n
        ? html`<div>
            <dt>${texts.text('missing')}</dt>
            <dd>${texts.coins(missing)}</dd>
          </div>`
        : undefined
    }
  </dl>`;
}

const status = (view: PayView, texts: PayTexts): Html =>
  html`<p class="state">${icon(view.state)}<strong>${texts.text(view.state)}</strong></p>
    <p>${detail(view, texts)}</p>
    ${progress(view, texts)} ${sums(view, texts)}
    ${hints(view, texts).map((hint) => html`<p class="hint">${hint}</p>`)} ${refundsOf(view, texts)}`;

const heading = ({ amount }: PayView, texts: PayTexts): string =>
  amount === undefined ? texts.text('anyAmount') : texts.coins(amount);

/** Writes the part of a pay page that changes while it is open. */
export const livePart = (view: PayView, texts: PayTexts): LivePart => ({
  state: view.state,
  title: `${texts.text(view.state)} – ${heading(view, texts)}`,
  status: status(view, texts).text,
  receipt: receiptOf(view, texts)?.text ?? '',
  uri: view.demand?.uri,
});

/** Names of a value that the page copies. */
interface CopyNames {
  readonly id: string;
  readonly name: string;
  /** Accessible name of the button of the field. */
  readonly action: string;
}

/** Writes a value with its button, which only the script of the page shows. */
const copyField = ({ id, name, action }: CopyNames, value: string, shown: HtmlValue, texts: PayTexts): Html =>
  html`<div class="field">
    <p class="name">${name}</p>
    <p class="value">${shown}</p>
    <button type="button" id="${id}" class="copy" data-copy="${value}" aria-label="${action}">
      <span>${texts.text('copy')}</span><span hidden>${texts.text('copied')}</span>
    </button>
  </div>`;

/** Writes the first and last characters of an address more clearly: payers compare these characters. */
const addressText = (address: string): Html =>
  html`<code dir="ltr"
    ><b>${address.slice(0, 6)}</b>${address.slice(6, -6)}<b>${address.slice(-6)}</b></code
  >`;

/** Writes the amount to pay; undefined where the payer chooses it. */
function amountField(value: Amount | undefined, state: PayState, texts: PayTexts): Html | undefined {
  if (value === undefined) return undefined;
  const name = texts.text(state === 'partial' ? 'missingAmount' : 'amount');
  const names = { id: 'copy-amount', name, action: texts.text('copyAmount') };
  return copyField(names, digitsOf(value), texts.coins(value), texts);
}

const payment = ({ address, amount, uri, codeUri }: Demand, { state }: PayView, texts: PayTexts): Html =>
  html`<div class="code" role="img" aria-label="${texts.text('code')}">${qrCode(codeUri)}</div>
    <p><a id="open" class="button" href="${uri}">${texts.text('openWallet')}</a></p>
    ${amountField(amount, state, texts)}
    ${copyField(
      { id: 'copy-address', name: texts.text('address'), action: texts.text('copyAddress') },
      address,
      addressText(address),
      texts,
    )}`;

/** Writes the time left, which the script of the page counts down. */
const timeLeft = ({ expires, demand }: PayView, now: number, texts: PayTexts): Html => {
  const left = expires === undefined || demand === undefined ? undefined : Math.max(0, expires - now);
  return html`<p id="time" ${left === undefined ? html`hidden` : undefined}>
    ${texts.text('timeLeft')}
    <span role="timer" data-left="${left}">${left === undefined ? undefined : texts.duration(left)}</span>
  </p>`;
};

/** Writes the link back to the shop. The script of the page shows the notice when it is about to follow the link itself. */
function wayBack({ returnUrl, returnsAuto }: PayView, texts: PayTexts): Html | undefined {
  if (returnUrl === undefined) return undefined;
  const text = texts.text('autoBack', { time: texts.seconds(BACK_SECONDS) });
  return html`<div id="way-back">
    ${
      returnsAuto
        ? html`<div id="auto" data-seconds="${BACK_SECONDS}" hidden>
            <p id="auto-text" role="status" data-text="${text}"></p>
            <button type="button" id="stay" class="button">${texts.text('stay')}</button>
          </div>`
        : undefined
    }
    <a id="back" class="button" href="${returnUrl}" target="_top" rel="noreferrer">${texts.text('back')}</a>
  </div>`;
}

/** Settings of a page, and what its form has received. */
export interface PayPageSetting extends PageSetting {
  readonly given?: GivenAddress | undefined;
}

/**
 * Writes the pay page of a request. The page works without its script, by reloading itself.
 * @param now time [Unix s].
 */
export function payPage(view: PayView, texts: PayTexts, now: number, setting: PayPageSetting = {}): string {
  const live = livePart(view, texts);
  const { state, title } = live;
  const { label, price, demand } = view;
  const isSlow = ENDED.has(state) || view.refundAddress !== undefined;
  return framed(
    {
      ...{ title, state, hasScript: true, texts, setting },
      reload: isSlow ? RELOAD_SECONDS.slow : RELOAD_SECONDS.open,
    },
    html`<header>
        ${label === '' ? undefined : html`<p class="label"><bdi>${label}</bdi></p>`}
        <h1>${heading(view, texts)}</h1>
        ${price && html`<p class="price">${texts.money(price.currency, price.amount)}</p>`}
        ${timeLeft(view, now, texts)}
      </header>
      <div id="status" role="status">${Html.trusted(live.status)}</div>
      <section id="receipt">${Html.trusted(live.receipt)}</section>
      <p id="offline" class="hint" role="alert" hidden>${texts.text('offline')}</p>
      <div id="pay" data-uri="${live.uri}">
        ${demand === undefined ? undefined : payment(demand, view, texts)}
      </div>
      ${refundForm(view, texts, setting.given)} ${wayBack(view, texts)}
      <p id="said" role="status"></p>
      <noscript><p class="hint">${texts.text('reloads')}</p></noscript>`,
  );
}
