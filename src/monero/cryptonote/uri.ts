import { ZERO, type Amount } from '../../util/amount.js';
import { fromHex, isHex, utf8 } from '../../util/bytes.js';
import { CodecError } from '../../util/codec.js';
import { parseAddress } from './address.js';
import { formatCoins, parseCoins } from './coins.js';
import type { Address, NetworkType } from './types.js';

/**
 * Payment request in a `monero:` URI.
 * @example
 * const text = `monero:${address}?recipient_name=A%20shop`;
 * const { recipientName, amount }: PaymentUri = parseUri(text, 'mainnet');
 * recipientName; // => 'A shop'
 * amount; // => 0n
 */
export interface PaymentUri {
  readonly address: string;
  /** Amount [atomic units]; zero if the URI has no amount. */
  readonly amount: Amount;
  /** Payment id of 16 or 64 hex digits; empty for no payment id. Obsolete: integrated addresses replace it. */
  readonly paymentId: string;
  readonly recipientName: string;
  readonly description: string;
}

/**
 * Thrown for an invalid URI or payment request.
 * @example
 * try {
 *   parseUri('bitcoin:1', 'mainnet');
 * } catch (error) {
 *   error instanceof UriError; // => true
 * }
 */
export class UriError extends CodecError {
  /** Message of the reference for the same cause. */
  readonly text: string;

  constructor(message: string, text: string, options?: ErrorOptions) {
    super(message, options);
    this.text = text;
  }
}

/** Runs `read` and converts a CodecError. @throws UriError with `text` in place of a CodecError. */
function orUriError<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof CodecError) throw new UriError(cause.message, text, { cause });
    throw cause;
  }
}

const SCHEME = 'monero:';
/** Largest number of parameters of a URI, which a caller chooses. The reference has no limit. */
const MAX_PARAMETERS = 1000;
/**
 * Matches runs of characters that are escaped: space, control characters, all characters after `z`, and some other
 * characters. `=` is escaped because it separates names from values.
 */
const TO_ESCAPE = /[^!-z]+|["<>%\\^[\]`+$,@:;!#&=]+/g;

/** Escaped form of each byte value. */
const ESCAPES = Array.from(
  { length: 256 },
  (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
);

const INVALID_ID = 'Invalid payment id: ';

/**
 * Escapes the UTF-8 bytes of characters. A single ASCII character, such as the space between two words, is its own
 * byte.
 */
const escaped = (run: string): string =>
  (run.length === 1 && run < '\x80' ? ESCAPES[run.charCodeAt(0)] : undefined) ??
  Array.from(utf8(run), (byte) => ESCAPES[byte]).join('');

/** Escapes the UTF-8 bytes of a text. Source: abstract_http_client.cpp `conver_to_url_format`. */
const escape = (text: string): string => text.replace(TO_ESCAPE, escaped);

/** Decoder that replaces wrong bytes, and keeps a byte order mark. */
const fromUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes the escapes in a text. Other characters are unchanged; bytes that are not UTF-8 become U+FFFD. */
const unescape = (text: string): string =>
  text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => fromUtf8.decode(fromHex(run.replaceAll('%', ''))));

/**
 * Formats a payment request as URI.
 * @throws UriError for an address of another network, or a payment id that does not fit the address. Source:
 * wallet2.cpp `make_uri`, which no longer writes payment ids.
 * @example
 * const rest = { paymentId: '', recipientName: '', description: '' };
 * const uri = formatUri({ address, amount: parseCoins('0.25'), ...rest }, 'mainnet');
 * uri === `monero:${address}?tx_amount=0.250000000000`; // => true
 */
export function formatUri(request: PaymentUri, network: NetworkType): string {
  const { kind } = orUriError(`wrong address: ${request.address}`, () =>
    parseAddress(request.address, network),
  );
  assertPaymentId(request.paymentId, kind, {
    second: 'A single payment id is allowed',
    malformed: 'Standalone payment id deprecated, use integrated address instead',
  });
  return writeUri(request);
}

/** Writes a payment request with a valid address as URI: see {@link formatUri}, which checks the address. */
export function writeUri(request: PaymentUri): string {
  const parameters = [
    ...(request.paymentId === '' ? [] : [`tx_payment_id=${request.paymentId}`]),
    ...(request.amount === 0n ? [] : [`tx_amount=${formatCoins(request.amount)}`]),
    ...(request.recipientName === '' ? [] : [`recipient_name=${escape(request.recipientName)}`]),
    ...(request.description === '' ? [] : [`tx_description=${escape(request.description)}`]),
  ];
  return `${SCHEME}${request.address}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`;
}

/**
 * Parses a payment URI.
 * @returns the payment request, and the unknown parameters as they are written in the URI.
 * @throws UriError. Source: wallet2.cpp `parse_uri`.
 * @example
 * parseUri(`monero:${address}?tx_amount=0.25`, 'mainnet').amount; // => 250_000_000_000n
 */
export function parseUri(
  text: string,
  network: NetworkType,
): PaymentUri & { readonly unknown: readonly string[] } {
  if (!text.startsWith(SCHEME))
    throw new UriError(
      `a payment URI begins with ${SCHEME}`,
      `URI has wrong scheme (expected "${SCHEME}"): ${text}`,
    );
  const [, address = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(text.slice(SCHEME.length)) ?? [];
  const { kind } = orUriError(`URI has wrong address: ${address}`, () => parseAddress(address, network));
  const known = new Map<string, string>();
  const unknown: string[] = [];
  const names = new Set<string>();
  const parameters = query === '' ? [] : query.split('&', MAX_PARAMETERS + 1);
  if (parameters.length > MAX_PARAMETERS)
    throw new UriError(
      `a payment URI has at most ${MAX_PARAMETERS} parameters`,
      'URI has too many parameters',
    );
  for (const parameter of parameters) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(parameter) ?? [];
    // The reference does not escape `=` in a text and then cannot parse its own URI. Such texts are accepted here.
    const isText = name === 'recipient_name' || name === 'tx_description';
    if (!parameter.includes('=') || (value.includes('=') && !isText))
      throw new UriError(
        'a parameter of the URI is not of the form name=value',
        `URI has wrong parameter: ${parameter}`,
      );
    if (names.has(name))
      throw new UriError(
        'a parameter of the URI is given twice',
        `URI has more than one instance of ${name}`,
      );
    names.add(name);
    if (isText || name === 'tx_amount' || name === 'tx_payment_id') known.set(name, value);
    else unknown.push(parameter);
  }
  const amountText = known.get('tx_amount');
  const paymentId = known.get('tx_payment_id');
  if (paymentId === '') throw new UriError('the payment id is empty', INVALID_ID);
  assertPaymentId(paymentId ?? '', kind, {
    second: 'Separate payment id given with an integrated address',
    malformed: INVALID_ID + (paymentId ?? ''),
  });
  return {
    address,
    amount:
      amountText === undefined
        ? ZERO
        : orUriError(`URI has invalid amount: ${amountText}`, () => parseCoins(amountText)),
    paymentId: paymentId ?? '',
    recipientName: unescape(known.get('recipient_name') ?? ''),
    description: unescape(known.get('tx_description') ?? ''),
    unknown,
  };
}

/**
 * Checks that a payment id is valid and fits the address.
 * @param texts error messages of the reference.
 * @throws UriError
 */
function assertPaymentId(
  paymentId: string,
  kind: Address['kind'],
  texts: { readonly second: string; readonly malformed: string },
): void {
  if (paymentId === '') return;
  if (kind === 'integrated')
    throw new UriError(
      'an integrated address has its own payment id: a separate one is not allowed',
      texts.second,
    );
  if (!isHex(paymentId) || (paymentId.length !== 16 && paymentId.length !== 64))
    throw new UriError('a payment id has 16 or 64 hex digits', texts.malformed);
}
