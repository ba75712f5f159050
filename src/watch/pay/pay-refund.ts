import { html, type Html } from '../html.js';
import { toHex } from '../../util/bytes.js';
import type { PayTexts, TextKey } from './pay-texts.js';
import type { PayView } from './pay-view.js';

/** Address for refunds that the form of a page has received, and that was refused. */
export interface GivenAddress {
  readonly text: string;
  readonly fault: Extract<TextKey, 'wrongAddress' | 'ownAddress'>;
}

/** Writes the refunds of a request, with the transactions that pay them. */
export const refundsOf = ({ refunds }: PayView, texts: PayTexts): Html[] =>
  refunds.map(({ amount, txHash }) => {
    const values = { amount: texts.coins(amount) };
    if (txHash === undefined) return html`<p>${texts.text('refundComing', values)}</p>`;
    return html`<p>${texts.text('refundSent', values)}</p>
      <code dir="ltr">${toHex(txHash)}</code>`;
  });

/** Name of the field of the form. */
export const ADDRESS_FIELD = 'refund_address';

/** Writes the form for the address of refunds; undefined if the page asks for none. */
export function refundForm(
  { refundAddress }: PayView,
  texts: PayTexts,
  given: GivenAddress | undefined,
): Html | undefined {
  if (refundAddress === undefined) return undefined;
  const { address, network } = refundAddress;
  const isOpen = given !== undefined || address !== undefined;
  const note =
    given === undefined
      ? address === undefined
        ? undefined
        : html`<p class="hint">${texts.text('saved')}</p>`
      : html`<p id="refund-fault" role="alert">${texts.text(given.fault, { network })}</p>`;
  return html`<details id="refund" ${isOpen ? html`open` : undefined}>
    <summary>${texts.text('refundAddress')}</summary>
    <form method="post" autocomplete="off">
      <label for="refund-address">${texts.text('refundAsk')}</label>
      <textarea
        id="refund-address"
        name="${ADDRESS_FIELD}"
        dir="ltr"
        rows="4"
        maxlength="200"
        required
        spellcheck="false"
        ${given === undefined ? undefined : html`aria-invalid="true" aria-describedby="refund-fault"`}
      >
${given?.text ?? address ?? ''}</textarea>
      ${note}
      <button id="save-refund" class="button">${texts.text('save')}</button>
    </form>
  </details>`;
}
