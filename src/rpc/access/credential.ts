import { CallRate, type RateRule } from './call-rate.js';
import type { ClientList } from './client-list.js';
import { isFamily, type Family } from './family.js';
import { matchesGlob } from './glob.js';
import type { TokenHash } from './login-secret.js';

/** Most that a credential may spend [atomic units]; absent: any amount. */
export interface SpendLimits {
  readonly transaction?: bigint;
  /** Within any hour, per wallet. */
  readonly hour?: bigint;
  /** Within any 24 hours, per wallet. */
  readonly day?: bigint;
}

/** Login and rules of one credential. Everything that it does not list is denied. */
export interface CredentialRules {
  readonly name: string;
  /** Either a token or a digest login. */
  readonly token?: TokenHash;
  /** HA1 in hex. */
  readonly digest?: string;
  /** Patterns of wallet names. */
  readonly wallets: readonly string[];
  /** Families and names of methods. */
  readonly methods: readonly string[];
  /** Time from which it is refused [Unix ms]. */
  readonly expires?: number;
  /** Addresses that payments may go to, beside those of the wallet; absent: any. */
  readonly addresses?: ReadonlySet<string>;
  /** Clients that may use it; absent: any. */
  readonly from?: ClientList;
  readonly spend?: SpendLimits;
  /** It may lock money of its wallets: set an unlock time, freeze outputs. One that may read keys may anyway. */
  readonly lock?: true;
  readonly rate?: RateRule;
}

/** Refusal of a request whose secret is right. */
export interface LoginRefusal {
  /** HTTP status. */
  readonly status: 401 | 403;
  readonly reason: string;
}

/** Access of one client: a login, and the rules for its calls. */
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

  /** Ends its use by requests and streams under way: its file has it no longer, or differently. */
  revoke(): void {
    this.#end.abort();
  }

  /** Is aborted when it is revoked. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** Time until it expires [ms], 0 afterwards; infinite if it never does. @param now Unix ms. */
  timeLeft(now: number): number {
    return Math.max(0, (this.rules.expires ?? Infinity) - now);
  }

  /** @param now Unix ms. @returns undefined if it may be used. */
  refusal(now: number): LoginRefusal | undefined {
    const { name, expires } = this.rules;
    if (this.#end.signal.aborted) return { status: 401, reason: `credential ${name}: changed or removed` };
    if (expires === undefined || now < expires) return undefined;
    return { status: 401, reason: `credential ${name}: expired at ${new Date(expires).toISOString()}` };
  }

  /** {@link refusal} for a client. @param ip address of its connection. */
  refusalFrom(ip: string, now = Date.now()): LoginRefusal | undefined {
    const { name, from } = this.rules;
    if (from?.includes(ip) === false)
      return { status: 403, reason: `credential ${name}: its rule 'from' does not allow ${ip}` };
    return this.refusal(now);
  }

  /** Whether it can read the keys of its wallets, so that its limits and addresses do not bind it. */
  get isUnbound(): boolean {
    const { spend, addresses } = this.rules;
    return (spend !== undefined || addresses !== undefined) && this.#mayReadKeys;
  }

  /** Whether it may lock money of its wallets. */
  get mayLock(): boolean {
    return this.rules.lock === true || this.#mayReadKeys;
  }

  get #mayReadKeys(): boolean {
    return this.allowsMethod('query_key', 'admin');
  }

  allowsWallet(name: string): boolean {
    return this.rules.wallets.some((pattern) => matchesGlob(pattern, name));
  }

  allowsMethod(name: string, family: Family): boolean {
    return this.rules.methods.some((rule) => (isFamily(rule) ? rule === family : rule === name));
  }
}
