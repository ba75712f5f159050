import { POLICY, type ApprovalRule, type PayoutPolicy, type PayoutRules } from '../../model/payout-rule.js';
import { type Credential, isTokenOf, matchesGlob, readToken } from './credential.js';
import {
  CredentialFileError,
  readCredentials,
  readOwnFile,
  type CredentialFile,
  type ReadCredential,
} from './credential-file.js';

/** Credentials of a file, found by name. */
export class Credentials {
  readonly #path: string;
  readonly #methods: ReadonlySet<string>;
  #byName: ReadonlyMap<string, ReadCredential> = new Map();
  #policies: readonly PayoutPolicy[] = [];
  #version = 0;

  /** @param path path of the file. @param methods names of all methods. @throws CredentialFileError */
  constructor(path: string, methods: ReadonlySet<string>) {
    this.#path = path;
    this.#methods = methods;
    this.#byName = this.#take(this.#read());
  }

  /** Names of the credentials that may read keys, so that their limits have no effect. */
  get unbound(): readonly string[] {
    return [...this.#byName.values()].flatMap(({ credential }) =>
      credential.isUnbound ? [credential.name] : [],
    );
  }

  /** Number of times that the file was read again. */
  get version(): number {
    return this.#version;
  }

  /** Lists the rules for payouts of a wallet. */
  policiesOf(wallet: string): readonly PayoutPolicy[] {
    return this.#policies.filter(({ wallets }) => wallets.some((pattern) => matchesGlob(pattern, wallet)));
  }

  get size(): number {
    return this.#byName.size;
  }

  /**
   * Reads the file again. Keeps each credential whose entry is unchanged, with its counted calls; revokes all other
   * credentials.
   * @throws CredentialFileError: nothing is changed then.
   */
  reload(): void {
    const before = this.#byName;
    const after = this.#take(this.#read());
    this.#version += 1;
    this.#byName = new Map(
      [...after].map(([name, read]) => {
        const known = before.get(name);
        const isSame = known !== undefined && JSON.stringify(known.entry) === JSON.stringify(read.entry);
        return [name, isSame ? known : read];
      }),
    );
    for (const [name, { credential }] of before)
      if (this.#byName.get(name)?.credential !== credential) credential.revoke();
  }

  /** Finds the credential of a bearer token; undefined for a wrong or unknown token. */
  byToken(text: string): Credential | undefined {
    const token = readToken(text);
    const found = token && this.#byName.get(token.name)?.credential;
    const isRight = isTokenOf(found?.rules.token, token?.secret ?? new Uint8Array());
    return isRight ? found : undefined;
  }

  /** Finds a credential by its name, for a login that another process has checked. */
  byName(name: string): Credential | undefined {
    return this.#byName.get(name)?.credential;
  }

  /** Finds the credential of a digest login by its user name, with the HA1 of the login [hex]. */
  byUser(name: string): { readonly ha1: string; readonly login: Credential } | undefined {
    const login = this.#byName.get(name)?.credential;
    const ha1 = login?.rules.digest;
    return login === undefined || ha1 === undefined ? undefined : { ha1, login };
  }

  /** Takes over the rules for payouts of a file. @returns its credentials by name. */
  #take({ credentials, policies }: CredentialFile): ReadonlyMap<string, ReadCredential> {
    this.#policies = policies;
    return new Map(credentials.map((one) => [one.credential.name, one]));
  }

  #read(): CredentialFile {
    try {
      return readCredentials(readOwnFile(this.#path), this.#methods);
    } catch (cause) {
      if (!(cause instanceof CredentialFileError) || cause.message.startsWith(this.#path)) throw cause;
      throw new CredentialFileError(`${this.#path}: ${cause.message}`, { cause });
    }
  }
}

/** Rule for payouts of a credential that was removed from the file: another person must approve them. */
const OF_REMOVED: ApprovalRule = { approveAbove: 0n, approvals: 1, delay: 0, own: false };

/** Rules for payouts of the file of credentials. Without a file, payouts of former credentials need an approval. */
export class CredentialPayoutRules implements PayoutRules {
  #credentials: Credentials | undefined;

  /** Sets the credentials, once they were read. */
  use(credentials: Credentials | undefined): void {
    this.#credentials = credentials;
  }

  get version(): number {
    return this.#credentials?.version ?? 0;
  }

  of(wallet: string, account: number, creator: string | undefined): readonly ApprovalRule[] {
    const own = creator === undefined ? undefined : this.#credentials?.byName(creator);
    const approval = own?.rules.payouts?.approval;
    const isRemoved = creator !== undefined && creator !== POLICY && own === undefined;
    return [
      ...(isRemoved ? [OF_REMOVED] : []),
      ...(approval === undefined ? [] : [approval]),
      ...this.policiesOf(wallet).flatMap(({ accounts, approval: rule }) =>
        accounts?.includes(account) === false ? [] : (rule ?? []),
      ),
    ];
  }

  policiesOf(wallet: string): readonly PayoutPolicy[] {
    return this.#credentials?.policiesOf(wallet) ?? [];
  }
}
