import { formatUri, parseUri, UriError } from '../../monero/cryptonote/uri.js';
import { atomic, params, text } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { ZERO } from '../../util/amount.js';
import { WalletError } from '../../model/wallet-error.js';
import { defineMethod, type WalletMethod } from '../method.js';
import * as sample from '../wire/samples.js';

/**
 * Runs a task of the URI codec. @param prefix beginning of the reference's message.
 * @throws WalletError `bad_uri` in place of a UriError.
 */
function orBadUri<T>(prefix: string, task: () => T): T {
  try {
    return task();
  } catch (cause) {
    if (cause instanceof UriError)
      throw new WalletError({ kind: 'bad_uri', reason: cause.message, text: prefix + cause.text }, { cause });
    throw cause;
  }
}

const NOT_MADE = 'Cannot make URI from supplied parameters: ';

export const uriMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'make_uri',
    summary: 'Creates a payment URI.',
    meta: { family: 'receive', needs: 'wallet', account: 'any', restricted: false },
    faults: ['bad_uri'],
    params: () =>
      params({
        address: text.default('').describe('Address to pay'),
        amount: atomic.default(ZERO).describe('Amount to pay [atomic units]; 0: not set'),
        payment_id: text
          .default('')
          .describe('Payment id as 16 hex digits, under interface 1.3 only; empty: none'),
        tx_description: text.default('').describe('Description of the payment; empty: none'),
        recipient_name: text.default('').describe('Name of the recipient; empty: none'),
      }),
    result: () => wire.object({ uri: wire.text('The URI') }),
    source: 'COMMAND_RPC_MAKE_URI, on_make_uri',
    handle({ wallet }, args) {
      const request = {
        address: args.address,
        amount: args.amount,
        paymentId: args.payment_id,
        recipientName: args.recipient_name,
        description: args.tx_description,
      };
      return { uri: orBadUri(NOT_MADE, () => formatUri(request, wallet.keys.network)) };
    },
  }),

  defineMethod({
    name: 'parse_uri',
    summary: 'Parses a payment URI.',
    meta: { family: 'view', needs: 'wallet', account: 'any', restricted: false },
    faults: ['bad_uri'],
    params: () => params({ uri: text.default('').describe('Payment URI, beginning with monero:') }),
    result: () =>
      wire.object({
        uri: wire.object(
          {
            address: wire.text('Address to pay'),
            amount: wire.amount('Amount to pay; 0 if none is set'),
            payment_id: wire.hex('Payment id; empty if there is none'),
            recipient_name: wire.text('Name of the recipient; empty if there is none'),
            tx_description: wire.text('Description; empty if there is none'),
          },
          'Fields of the URI',
        ),
        unknown_parameters: wire.list(wire.text('Parameter as written'), 'Unknown parameters'),
      }),
    examples: () => [
      {
        name: 'payment link',
        params: { uri: `monero:${sample.address}?tx_amount=1.000000000000` },
        result: {
          uri: {
            address: sample.address,
            amount: sample.oneXmr,
            payment_id: '',
            recipient_name: '',
            tx_description: '',
          },
        },
      },
    ],
    source: 'COMMAND_RPC_PARSE_URI, on_parse_uri',
    handle({ wallet }, { uri }) {
      const found = orBadUri('Error parsing URI: ', () => parseUri(uri, wallet.keys.network));
      return {
        uri: {
          address: found.address,
          amount: found.amount,
          payment_id: found.paymentId,
          recipient_name: found.recipientName,
          tx_description: found.description,
        },
        unknown_parameters: found.unknown,
      };
    },
  }),
];
