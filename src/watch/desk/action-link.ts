import { systemClock, unixSeconds } from '../../util/clock.js';
import { html, type Html } from '../html.js';
import { ACTIONS, type OfferedAction } from './actions.js';

/** Path of the page that asks for the confirmation of an action. */
export const ACTION_PATH = '/status/action';
/** Path that receives a confirmed action. */
export const CONFIRMED_PATH = '/status/act';

/** Steps by which a request can be extended: their names, and their lengths [s]. */
const EXTENSIONS = [
  ['1 hour', 3600],
  ['1 day', 86_400],
  ['1 week', 604_800],
] as const;

/** Writes the button that leads to the confirmation of an action. */
export function actionLink({ name, wallet, fields }: OfferedAction): Html {
  if (name === 'extend_request') return extendForm(wallet, fields['id'] ?? '', Number(fields['from'] ?? '0'));
  const query = new URLSearchParams({ do: name, wallet, ...fields }).toString();
  return html`<a class="button" href="${ACTION_PATH}?${query}">${ACTIONS[name].label}&hellip;</a>`;
}

/** Writes the form that chooses a later expiry. @param from present expiry [Unix s]. */
function extendForm(wallet: string, id: string, from: number): Html {
  const start = Math.max(from, unixSeconds(systemClock));
  return html`<form class="inline" method="get" action="${ACTION_PATH}">
    <input type="hidden" name="do" value="extend_request" />
    <input type="hidden" name="wallet" value="${wallet}" />
    <input type="hidden" name="id" value="${id}" />
    <label for="until">Longer by</label>
    <select id="until" name="until">
      ${EXTENSIONS.map(([text, seconds]) => html`<option value="${start + seconds}">${text}</option>`)}
    </select>
    <button>${ACTIONS.extend_request.label}&hellip;</button>
  </form>`;
}
