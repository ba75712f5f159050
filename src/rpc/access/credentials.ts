import { type Credential, isTokenOf, readToken } from './credential.js';
import { CredentialFileError, readCredentials, readOwnFile, type ReadCredential } from './credential-file.js';

/** Credentials of a file, found by name. */
export class Credentials {
  readonly #path: string;
  readonly #methods: ReadonlySet<string>;
  #byName: ReadonlyMap<string, ReadCredential>;

  /** @param path path of the file. @param methods names of all methods. @throws CredentialFileError */
  constructor(path: string, methods: ReadonlySet<string>) {
    this.#path = path;
    this.#methods = methods;
    this.#byName = this.#read();
  }

  /** Names of the credentials that may read keys, so that their limits have no effect. */
  get unbound(): readonly string[] {
    return [...this.#byName.values()].flatMap(({ credential }) =>
      credential.isUnbound ? [credential.name] : [],
    );
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
    const after = this.#read();
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

  #read(): ReadonlyMap<string, ReadCredential> {
    try {
      const read = readCredentials(readOwnFile(this.#path), this.#methods);
      return new Map(read.map((one) => [one.credential.name, one]));
    } catch (cause) {
      if (!(cause instanceof CredentialFileError) || cause.message.startsWith(this.#path)) throw cause;
      throw new CredentialFileError(`${this.#path}: ${cause.message}`, { cause });
    }
  }
}
