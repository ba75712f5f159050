import type { Json } from '../../util/json.js';
import type { ItemKind } from './items.js';

/** Fields of an action, beside its name and the wallet. Each is a text that the confirmation shows or binds. */
export type ActionFields = Readonly<Record<string, string>>;

/** An action on a thing, which a method of the server performs. */
export interface Action {
  /** Method that is called, whose rights, limits and records apply. */
  readonly method: string;
  /** Text of its button. */
  readonly label: string;
  /** True for an action that cannot be taken back. */
  readonly isFinal: boolean;
  /** Names of its fields; the first one is the id of the thing. */
  readonly fields: readonly string[];
  /** Kind of the thing that it acts on. */
  readonly kind: ItemKind;
  /** Writes the question that must be confirmed. */
  question(fields: ActionFields): string;
  /** Writes that it was done. */
  done(fields: ActionFields): string;
  params(fields: ActionFields): Json;
}

const of = (fields: ActionFields, name: string): string => fields[name] ?? '';

/** Writes a time that a field has in Unix seconds. */
export const fieldTime = (seconds: string): string =>
  `${new Date(Number(seconds) * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const onPayout = (
  method: string,
  label: string,
  texts: { readonly question: string; readonly done: string; readonly isFinal?: boolean },
): Action => ({
  ...{ method, label, isFinal: texts.isFinal ?? true, fields: ['id'], kind: 'payout' },
  question: (fields) => texts.question.replace('%', () => of(fields, 'id')),
  done: (fields) => texts.done.replace('%', () => of(fields, 'id')),
  params: (fields) => ({ payout_ids: [of(fields, 'id')] }),
});

/** Actions by their names in addresses. */
export const ACTIONS = {
  cancel_request: {
    ...{ method: 'cancel_payment_request', label: 'Cancel', isFinal: true, fields: ['id'], kind: 'request' },
    question: (fields) =>
      `Cancel the payment request ${of(fields, 'id')}? Money that arrives later is late, and the request stays cancelled.`,
    done: (fields) => `The payment request ${of(fields, 'id')} is cancelled.`,
    params: (fields) => ({ request_id: of(fields, 'id') }),
  },
  extend_request: {
    ...{
      method: 'extend_payment_request',
      label: 'Extend',
      isFinal: false,
      fields: ['id', 'until'],
      kind: 'request',
    },
    question: (fields) =>
      `Let the payment request ${of(fields, 'id')} expire at ${fieldTime(of(fields, 'until'))}? Late payments that arrived before then count again.`,
    done: (fields) => `The payment request ${of(fields, 'id')} expires at ${fieldTime(of(fields, 'until'))}.`,
    params: (fields) => ({ request_id: of(fields, 'id'), expires_at: BigInt(of(fields, 'until')) }),
  },
  approve_payout: {
    ...{
      method: 'approve_payouts',
      label: 'Approve',
      isFinal: true,
      fields: ['id', 'terms'],
      kind: 'payout',
    },
    question: (fields) => `Approve the payout ${of(fields, 'id')} with the terms below?`,
    done: (fields) => `The payout ${of(fields, 'id')} has your approval.`,
    params: (fields) => ({
      payouts: [{ payout_id: of(fields, 'id'), approval_hash: of(fields, 'terms') }],
    }),
  },
  reject_payout: onPayout('reject_payouts', 'Reject', {
    question: 'Reject the payout %? It ends, and is not paid.',
    done: 'The payout % is rejected.',
  }),
  cancel_payout: onPayout('cancel_payouts', 'Cancel', {
    question: 'Cancel the payout %? It ends, and is not paid.',
    done: 'The payout % is cancelled.',
  }),
  send_payouts: {
    ...{
      method: 'send_payouts',
      label: 'Try to send now',
      isFinal: true,
      fields: ['id', 'account'],
      kind: 'payout',
    },
    question: (fields) =>
      `Try now to send the payouts that account ${of(fields, 'account')} has in its queue, ${of(fields, 'id')} among them, without waiting for others?`,
    done: (fields) => `The queue of account ${of(fields, 'account')} was sent, as far as it can be paid.`,
    params: (fields) => ({ account_index: BigInt(of(fields, 'account')) }),
  },
  resume_payouts: {
    ...{ method: 'resume_payouts', label: 'Resume', isFinal: false, fields: ['account'], kind: 'wallet' },
    question: (fields) =>
      of(fields, 'account') === ''
        ? 'End the pause of the whole wallet, so that its payouts are sent again?'
        : `End the pause of account ${of(fields, 'account')}, so that its payouts are sent again?`,
    done: () => 'The pause has ended.',
    params: (fields) =>
      of(fields, 'account') === '' ? {} : { account_index: BigInt(of(fields, 'account')) },
  },
  redeliver: {
    ...{
      method: 'redeliver_webhook',
      label: 'Send again',
      isFinal: false,
      fields: ['webhook', 'event'],
      kind: 'wallet',
    },
    question: (fields) =>
      `Send event ${of(fields, 'event')} to the webhook ${of(fields, 'webhook')} again, with all of its attempts?`,
    done: (fields) => `Event ${of(fields, 'event')} is being sent again.`,
    params: (fields) => ({ id: of(fields, 'webhook'), event_id: BigInt(of(fields, 'event')) }),
  },
  enable_webhook: {
    ...{ method: 'enable_webhook', label: 'Enable', isFinal: false, fields: ['webhook'], kind: 'wallet' },
    question: (fields) => `Enable the webhook ${of(fields, 'webhook')}, and send it what it has missed?`,
    done: (fields) => `The webhook ${of(fields, 'webhook')} is enabled.`,
    params: (fields) => ({ id: of(fields, 'webhook') }),
  },
} as const satisfies Readonly<Record<string, Action>>;

export type ActionName = keyof typeof ACTIONS;

/** Returns an action by its name; undefined for any other text. */
export const actionOf = (name: string | undefined): Action | undefined =>
  name !== undefined && Object.hasOwn(ACTIONS, name) ? ACTIONS[name as ActionName] : undefined;

/** An action on a thing of a wallet, with its fields. */
export interface OfferedAction {
  readonly name: ActionName;
  readonly wallet: string;
  readonly fields: ActionFields;
}

/** Fields with digits alone, and the largest number that they may have. */
const NUMBERS: Readonly<Record<string, number>> = {
  account: 2 ** 32 - 1,
  until: 2 ** 36,
  event: Number.MAX_SAFE_INTEGER,
};

/** Longest text of a field [characters]. */
const MAX_FIELD = 255;

/** Reads the fields of an action; undefined if one is missing or has another form. */
export function fieldsOf(
  { fields: names }: Action,
  given: Readonly<Record<string, string | undefined>>,
): ActionFields | undefined {
  const fields: Record<string, string> = {};
  for (const name of names) {
    const value = given[name];
    if (value === undefined || value.length > MAX_FIELD) return undefined;
    const most = NUMBERS[name];
    const isWholeWallet = name === 'account' && value === '';
    if (most !== undefined && !isWholeWallet && !(/^\d{1,16}$/.test(value) && Number(value) <= most))
      return undefined;
    fields[name] = value;
  }
  return fields;
}
