import { renderSVG } from 'uqr';
import { html, Html } from '../html.js';
import { badge, nameOf } from './page-parts.js';
import type { ReceivingAddress } from './receiving.js';
import type { StatusView } from './status-content.js';
import { grouped } from './words.js';

/** Content of the section that depends on the request. */
export interface ReceiveExtras {
  /** True if the client may create addresses. */
  readonly mayReceive: boolean;
  /** Token of the form. */
  readonly token: string;
  /** Name of the wallet that is selected in the form. */
  readonly wallet?: string | undefined;
  readonly address?: ReceivingAddress | undefined;
  /** Reason why no address was created. */
  readonly error?: string | undefined;
}

/** Width of the quiet zone around a QR code [modules]. Source: ISO/IEC 18004, 4 modules. */
const QUIET_ZONE = 4;
/** Number of wallets up to which the form has a list of them, and above which their name is entered. */
const MAX_LISTED = 50;

function addressFigure({ wallet, index, address, used }: ReceivingAddress): Html {
  const code = renderSVG(`monero:${address}`, { border: QUIET_ZONE, pixelSize: 4 });
  return html`<figure>
    <div class="code" role="img" aria-label="QR code of the address">${Html.trusted(code)}</div>
    <figcaption>
      <p>
        Address ${grouped(index)} of ${nameOf(wallet)}
        ${used ? badge('bad', 'Used') : badge('good', 'Unused')}
      </p>
      <p class="hash">${address}</p>
    </figcaption>
  </figure>`;
}

const walletField = ({ names }: StatusView, selected: string | undefined): Html =>
  names.length > MAX_LISTED
    ? html`<input
        id="wallet"
        name="wallet"
        required
        maxlength="200"
        autocomplete="off"
        value="${selected ?? ''}"
      />`
    : html`<select id="wallet" name="wallet">
        ${names.map(
          (name) =>
            html`<option value="${name}" ${name === selected ? html`selected` : undefined}>
              ${nameOf(name)}
            </option>`,
        )}
      </select>`;

/** Writes the section that creates a receiving address; none for a client that may not. */
export const receiveSection = (
  view: StatusView,
  { mayReceive, token, wallet, address, error }: ReceiveExtras,
): Html | undefined =>
  mayReceive
    ? html`<section id="receive" aria-labelledby="receive-title">
        <h2 id="receive-title">Receive</h2>
        ${error === undefined ? undefined : html`<p role="alert">No address was created: ${error}</p>`}
        ${address === undefined ? undefined : addressFigure(address)}
        ${
          view.names.length === 0
            ? html`<p>Open a wallet to create an address.</p>`
            : html`<form class="inline" method="post" action="/status/address">
                <input type="hidden" name="token" value="${token}" />
                <label for="wallet">Wallet</label>
                ${walletField(view, wallet)}
                <button>Create a receiving address</button>
              </form>`
        }
      </section>`
    : undefined;
