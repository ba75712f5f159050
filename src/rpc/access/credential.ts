import { systemClock } from '../../util/clock.js';
import { CallRate, type RateRule } from '../../http/server/connection-limits.js';
import type { ClientList } from './client-list.js';
import { isFamily, type Family } from './family.js';
import { matchesGlob } from './glob.js';
import type { TokenHash } from './login-secret.js';

/** Largest amounts that a credential may spend [atomic units]; absent: any amount. */
export interface SpendLimits {
  readonly transaction?: bigint;
  /** Limit for any period of one hour, per wallet. */
  readonly hour?: bigint;
  /** Limit for any period of 24 hours, per wallet. */
  readonly day?: bigint;
}

/** Login and rules of one credential. Everything that it does not allow is denied. */
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
  /** Addresses that payments may go to, besides those of the wallet; absent: any address. */
  readonly addresses?: ReadonlySet<string>;
  /** Clients that may use the credential; absent: any client. */
  readonly from?: ClientList;
  readonly spend?: SpendLimits;
  /**
   * True: the credential may lock money of its wallets (set an unlock time, freeze outputs). A credential that may read
   * keys may always do so.
   */
  readonly lock?: true;
  readonly rate?: RateRule;
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
