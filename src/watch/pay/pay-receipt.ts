import { html, type Html } from '../html.js';
import { toHex } from '../../util/bytes.js';
import type { PayTexts } from './pay-texts.js';
import type { PayView } from './pay-view.js';

const row = (name: string, value: Html | string): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;

function rateRow(price: NonNullable<PayView['price']>, texts: PayTexts): Html {
  const values = { rate: texts.money(price.currency, price.rate), date: texts.date(price.rateTime) };
  const { source } = price;
  return row(
    texts.text('rate'),
    source === undefined ? texts.text('rateOf', values) : texts.text('rateSource', { ...values, source }),
  );
}

/** Writes the receipt of a payment; undefined unless its request is paid. */
export function receiptOf({ receipt, price }: PayView, texts: PayTexts): Html | undefined {
  if (receipt === undefined) return undefined;
  const { time, amount, reference, transactions, further } = receipt;
  return html`<h2>${texts.text('receipt')}</h2>
    <dl>
      ${row(texts.text('date'), texts.date(time))} ${row(texts.text('amount'), texts.coins(amount))}
      ${price && [row(texts.text('price'), texts.money(price.currency, price.amount)), rateRow(price, texts)]}
      ${reference === undefined ? undefined : row(texts.text('reference'), html`<bdi>${reference}</bdi>`)}
      ${row(
        texts.text('transaction'),
        html`${transactions.map((hash) => html`<code dir="ltr">${toHex(hash)}</code>`)}
        ${
          further === 0
            ? undefined
            : html`<small
                >${texts.counted('furtherTransactions', further, { count: texts.number(further) })}</small
              >`
        }`,
      )}
    </dl>
    <button type="button" id="print" class="button">${texts.text('print')}</button>`;
}
