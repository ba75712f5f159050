import { plainAddress } from '../../util/address.js';
import { systemClock } from '../../util/clock.js';
import type { ApprovalRule } from '../../model/payout-rule.js';
import { CallRate, type RateRule } from '../../http/server/connection-limits.js';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Largest amounts that a credential may spend [atomic units]; absent: any amount. */
export interface SpendLimits {
  readonly transaction?: bigint;
  /** Limit for any period of one hour, per wallet. */
  readonly hour?: bigint;
  /** Limit for any period of 24 hours, per wallet. */
  readonly day?: bigint;
}

/** Login and rules of one credential. Calls that the rules do not allow are denied. */
export interface CredentialRules {
  readonly name: string;
  /** Hash of a bearer token; absent if the credential has a digest login. */
  readonly token?: TokenHash;
  /** HA1 of a digest login [hex]; absent if the credential has a token. */
  readonly digest?: string;
  /** Patterns of the names of wallets that the credential may use. */
  readonly wallets: readonly string[];
  /** Families and names of methods that the credential may call. */
  readonly methods: readonly string[];
  /** Time from which the credential is refused [Unix ms]; absent: never. */
  readonly expires?: number;
  /** Addresses that payments may go to, besides the addresses of the wallet; absent: any address. */
  readonly addresses?: ReadonlySet<string>;
  /** Clients that may use the credential; absent: any client. */
  readonly from?: ClientList;
  readonly spend?: SpendLimits;
  /**
   * True: the credential may lock money of its wallets (set an unlock time, freeze outputs). A credential that may read
   * keys may always lock money.
   */
  readonly lock?: true;
  /** True: the page `/status` shows the credential balances and sums. A credential that may read keys always sees them. */
  readonly balances?: true;
  readonly rate?: RateRule;
  readonly payouts?: PayoutRights;
}

/** Rules of a credential for payouts. */
export interface PayoutRights {
  /** Accounts whose payouts the credential may create, approve, send and cancel; absent: all accounts. */
  readonly accounts?: readonly number[];
  /** Approvals that the payouts of the credential need; absent: none besides the rules of the wallet. */
  readonly approval?: ApprovalRule;
}

/** Reason why a request is refused although its secret is right. */
export interface LoginRefusal {
  /** HTTP status of the refusal. */
  readonly status: 401 | 403;
  readonly reason: string;
}

/** Access of one client: a login with the rules for its calls. */
export class Credential {
  readonly rules: CredentialRules;
  readonly rate: CallRate | undefined;
  readonly #end = new AbortController();

  constructor(rules: CredentialRules) {
    this.rules = rules;
    this.rate = rules.rate && new CallRate(rules.rate);
  }

  get name(): string {
    return this.rules.name;
  }

  /** Ends the running requests and streams of the credential, because its entry in the file was changed or removed. */
  revoke(): void {
    this.#end.abort();
  }

  /** Signal that aborts when the credential is revoked. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** Time until the credential expires [ms]; 0 afterwards; infinite if it never expires. */
  get timeLeft(): number {
    return Math.max(0, (this.rules.expires ?? Infinity) - systemClock.now());
  }

  /** Returns the reason why the credential is refused; undefined if it may be used. @param now Unix time [ms]. */
  refusal(now = systemClock.now()): LoginRefusal | undefined {
    const { name, expires } = this.rules;
    if (this.#end.signal.aborted) return { status: 401, reason: `credential ${name}: changed or removed` };
    if (expires === undefined || now < expires) return undefined;
    return { status: 401, reason: `credential ${name}: expired at ${new Date(expires).toISOString()}` };
  }

  /**
   * Returns the reason why a request is refused, as {@link refusal}, also by the address of the client.
   * @param ip address of the connection.
   */
  refusalFrom(ip: string): LoginRefusal | undefined {
    const { name, from } = this.rules;
    if (from?.includes(ip) === false)
      return { status: 403, reason: `credential ${name}: its rule 'from' does not allow ${ip}` };
    return this.refusal();
  }

  /** True if the credential may read the keys of its wallets, so that its limits and addresses have no effect. */
  get isUnbound(): boolean {
    const { spend, addresses } = this.rules;
    return (spend !== undefined || addresses !== undefined) && this.#mayReadKeys;
  }

  /** True if the credential may lock money of its wallets. */
  get mayLock(): boolean {
    return this.rules.lock === true || this.#mayReadKeys;
  }

  /** True if the status page shows the credential balances and sums. */
  get seesBalances(): boolean {
    return this.rules.balances === true || this.#mayReadKeys;
  }

  get #mayReadKeys(): boolean {
    return this.allowsMethod('query_key', 'admin');
  }

  /** True if a pattern of the credential matches the name of a wallet. */
  allowsWallet(name: string): boolean {
    return this.rules.wallets.some((pattern) => matchesGlob(pattern, name));
  }

  /** True if the credential allows a method, by its name or its family. */
  allowsMethod(name: string, family: Family): boolean {
    return this.rules.methods.some((rule) => (isFamily(rule) ? rule === family : rule === name));
  }
}

/**
 * Groups of methods that a credential allows or denies together.
 *
 * - view: methods that read, without changing money or secrets.
 * - receive: methods that create and label accounts, addresses and payment links.
 * - spend: methods that make, sign, relay or submit transactions, freeze outputs (with the right to lock), sign
 *   messages, edit the payees of the address book, and exchange the outputs and key images that are needed to sign
 *   elsewhere.
 * - payout_create, payout_approve, payout_send, payout_cancel: methods that create payouts, approve or reject them, send
 *   or pause them, and cancel them.
 * - admin: methods for secrets, files and passwords of wallets, scanning, webhooks, the daemon, the log, the process.
 */
export const FAMILIES = [
  'view',
  'receive',
  'spend',
  'payout_create',
  'payout_approve',
  'payout_send',
  'payout_cancel',
  'admin',
] as const;

export type Family = (typeof FAMILIES)[number];

/** True if a text is the name of a family. */
export const isFamily = (text: string): text is Family => (FAMILIES as readonly string[]).includes(text);

/**
 * True if a name matches a pattern, in which `*` stands for any number of characters and `?` for one. Case matters.
 * Takes time proportional to the product of both lengths at most.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  let [p, n] = [0, 0];
  /** Index after the last `*` in the pattern, and index in the name up to which this `*` matches. */
  let [star, matched] = [-1, 0];
  while (n < name.length) {
    const wanted = pattern[p];
    if (wanted === '*') [star, matched, p] = [p + 1, n, p + 1];
    else if (wanted === '?' || wanted === name[n]) [p, n] = [p + 1, n + 1];
    else if (star >= 0) {
      matched += 1;
      [p, n] = [star, matched];
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}

/** List of client addresses: IP addresses, and networks as `address/bits`. */
export class ClientList {
  readonly #list = new BlockList();

  /** @param entries IP addresses, and networks as `address/bits`. @throws RangeError for any other entry. */
  constructor(entries: readonly string[]) {
    for (const entry of entries) this.#add(entry);
  }

  #add(entry: string): void {
    const [address = '', bits, ...rest] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const most = family === 'ipv4' ? 32 : 128;
    const isNetwork = bits !== undefined;
    if (
      isIP(address) === 0 ||
      rest.length > 0 ||
      (isNetwork && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most))
    )
      throw new RangeError(`'${entry}' is neither an IP address nor a network such as 10.0.0.0/8`);
    if (isNetwork) this.#list.addSubnet(address, Number(bits), family);
    else this.#list.addAddress(address, family);
  }

  /** True if an address, or a network that contains it, is in the list. */
  includes(ip: string): boolean {
    const address = plainAddress(ip);
    return isIP(address) !== 0 && this.#list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  }
}

const SECRET_BYTES = 32;
const SALT_BYTES = 16;

/** Prefix of every token, by which scanners for leaked secrets recognise tokens. */
const PREFIX = 'wrpc_';

/** Salted hash of a bearer token, as the file of credentials has it; both fields in hex. */
interface TokenHash {
  readonly salt: string;
  readonly sha256: string;
}

/** Parts of a bearer token that a client sends: the name of its credential, and a secret. */
export interface Token {
  readonly name: string;
  readonly secret: Buffer;
}

const hashOf = (salt: string, secret: Uint8Array): Buffer =>
  createHash('sha256').update(Buffer.from(salt, 'hex')).update(secret).digest();

/** Creates a token for a credential. @returns text of the token, to be shown once, and its hash, to be stored. */
export function createToken(name: string): { readonly text: string; readonly hash: TokenHash } {
  const secret = randomBytes(SECRET_BYTES);
  const salt = randomBytes(SALT_BYTES).toString('hex');
  return {
    text: `${PREFIX}${name}.${secret.toString('base64url')}`,
    hash: { salt, sha256: hashOf(salt, secret).toString('hex') },
  };
}

/** Parses the text of a token; undefined if the text has another form. */
export function readToken(text: string): Token | undefined {
  const [, name, encoded] = /^wrpc_([^.]+)\.([\w-]{43})$/.exec(text) ?? [];
  if (name === undefined || encoded === undefined) return undefined;
  return { name, secret: Buffer.from(encoded, 'base64url') };
}

/** Compares a secret with a hash in constant time. @param hash undefined: the result is false, after the same time. */
export function isTokenOf(hash: TokenHash | undefined, secret: Uint8Array): boolean {
  const { salt, sha256 } = hash ?? NOBODY;
  return timingSafeEqual(hashOf(salt, secret), Buffer.from(sha256, 'hex')) && hash !== undefined;
}

/** Hash of a random value that is not kept, so that no secret matches it. */
const NOBODY: TokenHash = { salt: '00'.repeat(SALT_BYTES), sha256: randomBytes(32).toString('hex') };

/** Creates a password for a digest login. */
export const createPassword = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** Returns the HA1 of a digest login [hex]. Source: RFC 7616, 3.4.2. */
export const digestHash = (user: string, realm: string, password: string): string =>
  createHash('md5').update(`${user}:${realm}:${password}`).digest('hex');
