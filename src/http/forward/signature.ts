import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { utf8 } from '../../util/bytes.js';
import { decodePercent } from '../../util/address.js';
import { inBlocks, systemRng } from '../../util/random.js';

/*
 * A request between two processes of a cluster is signed: a tag under the secret of the cluster covers all parts that
 * decide the effect of the request, and the receiving process. The header has eight fields between spaces: version,
 * login, address of the client, time, nonce, hash of the body, address of the receiver's process, tag. No field
 * contains a space.
 */

/** Makes tags under the secret of the cluster. */
export interface Signer {
  /** Returns HMAC-SHA256 under the secret, or a key derived from it. @param purpose separates the uses of the secret. */
  tag(purpose: string, part: Uint8Array): Uint8Array;
}

/** Header of a signed request, in lower case. */
export const SIGNATURE = 'cluster-request';

/**
 * Header of the answer to a signed request: its value says that the content is in records, or gives the reason why no
 * part of the request ran. In the records, its value is `served` or such a reason.
 */
export const OUTCOME = 'Cluster-Answer';

/** Outcome of a request that the handlers of the receiver have answered. */
export const SERVED = 'served';

/** Reasons for which the receiver of a signed request refuses it before any part of it runs. */
export type Refusal =
  /** The signature is of another version of this program, whose answers are not sealed. */
  | 'version'
  /** The tag, the body or the receiver differs from the signed one. */
  | 'signature'
  /** The request was signed at another time, by the clocks that the two processes use. */
  | 'time'
  /** The request was seen before, or may have been. */
  | 'seen'
  /** The receiver has no such login. */
  | 'login'
  /** Another process holds the target. */
  | 'not-holder'
  /** The holder of the target changes at this moment. */
  | 'not-yet';

const VERSION = '2';
const PURPOSE = 'request';

/**
 * Headers of clients that have an effect on the answer, or on the lines that are logged about it. The tag covers these
 * headers.
 */
export const PASSED_HEADERS = [
  'content-type',
  'idempotency-key',
  'error-details',
  'last-event-id',
  'traceparent',
  'tracestate',
] as const;

/** A request to be signed, or whose tag is to be checked. */
export interface Signed {
  readonly method: string;
  /** Path with query, as in the first line of the request. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly envelope: Envelope;
}

/** Facts that travel in the header of a signed request. */
export interface Envelope {
  /** Login that the first process has checked, as {@link loginText} writes it. */
  readonly login: string;
  /** IP address of the client; empty for a call of the process itself. */
  readonly client: string;
  /** Time of the signature [Unix ms]. */
  readonly time: number;
  /** Random text that occurs once. */
  readonly nonce: string;
  /** SHA-256 of the body [hex]. */
  readonly bodyHash: string;
  /** Origin of the receiver: scheme, host and port. */
  readonly to: string;
}

const NONCE_BYTES = 18;
const rng = inBlocks(systemRng);

/** Returns a random text that occurs once. */
export const newNonce = (): string => Buffer.from(rng(NONCE_BYTES)).toString('base64url');

/** Returns the SHA-256 of a body [hex]. */
export function hashOf(chunks: Iterable<Uint8Array>): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

/** Computes the tag of a request. */
function tagOf(signer: Signer, { method, url, headers, envelope }: Signed): Uint8Array {
  const { login, client, time, nonce, bodyHash, to } = envelope;
  const passed = PASSED_HEADERS.map((name) => headers[name] ?? null);
  return signer.tag(
    PURPOSE,
    utf8(JSON.stringify([VERSION, method, url, login, client, time, nonce, bodyHash, to, passed])),
  );
}

/** Returns the value of the header {@link SIGNATURE}. */
export function sign(signer: Signer, signed: Signed): string {
  const { login, client, time, nonce, bodyHash, to } = signed.envelope;
  const tag = Buffer.from(tagOf(signer, signed)).toString('hex');
  return [VERSION, login, encodeURIComponent(client) || '-', time, nonce, bodyHash, to, tag].join(' ');
}

const FIELDS =
  /^(?<login>\S{1,4096}) (?<client>\S{1,200}) (?<time>\d{1,15}) (?<nonce>[\w-]{24}) (?<bodyHash>[0-9a-f]{64}) (?<to>\S{1,1000}) (?<tag>[0-9a-f]{64})$/;

/** Checks the tag of a request, in a time that depends only on its length. @returns its envelope, or the refusal. */
export function verify(signer: Signer, req: IncomingMessage): Envelope | Refusal {
  const [, version, rest = ''] = /^(\d+) (.*)$/.exec(String(req.headers[SIGNATURE])) ?? [];
  if (version !== undefined && version !== VERSION) return 'version';
  const {
    login = '',
    client = '',
    time,
    nonce = '',
    bodyHash = '',
    to = '',
    tag,
  } = FIELDS.exec(rest)?.groups ?? {};
  if (tag === undefined) return 'signature';
  const envelope = { login, client: decoded(client), time: Number(time), nonce, bodyHash, to };
  const { method = '', url = '', headers } = req;
  const expected = tagOf(signer, { method, url, headers, envelope });
  return timingSafeEqual(Buffer.from(tag, 'hex'), expected) ? envelope : 'signature';
}

// A text that cannot be decoded differs from the signed text, so that the tag is wrong.
const decoded = (client: string): string => (client === '-' ? '' : (decodePercent(client) ?? client));

/** Login of a request of a client, or of the process itself. */
export type SignedLogin =
  /** No login is required. */
  | { readonly kind: 'open' }
  /** Login of `--rpc-login`. */
  | { readonly kind: 'full' }
  | { readonly kind: 'credential'; readonly name: string }
  /** Call of the process itself. */
  | { readonly kind: 'member' };

const CREDENTIAL = 'credential:';

/** Writes a login for an {@link Envelope}. */
export const loginText = (login: SignedLogin): string =>
  login.kind === 'credential' ? `${CREDENTIAL}${encodeURIComponent(login.name)}` : login.kind;

/** Reads the login of a checked {@link Envelope}. @returns undefined for a text that a later version may write. */
export function readLogin(text: string): SignedLogin | undefined {
  if (text.startsWith(CREDENTIAL)) {
    const name = decodePercent(text.slice(CREDENTIAL.length));
    return name === undefined ? undefined : { kind: 'credential', name };
  }
  return text === 'open' || text === 'full' || text === 'member' ? { kind: text } : undefined;
}

/** Returns scheme, host and port of the address of a process. @throws TypeError for a malformed address. */
export const originOf = (url: string): string => new URL(url).origin;
