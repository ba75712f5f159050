import type { Logger } from 'pino';
import { AuditLog } from '../rpc/access/audit-log.js';
import { CredentialFileError } from '../rpc/access/credential-file.js';
import { CredentialPayoutRules, Credentials as CredentialSet } from '../rpc/access/credentials.js';
import { authentication, FULL_LOGIN, singleLogin } from '../http/login/authentication.js';
import type { Logins } from '../http/message/caller.js';
import type { Handler } from '../http/message/handler.js';
import type { KnownLogins } from '../http/forward/forwarded-login.js';
import { NonceStore } from '../http/login/nonce-store.js';
import { registry } from '../rpc/registry.js';
import type { Config } from './config/config.js';
import { systemClock } from '../util/clock.js';
import { fileErrorCode } from '../util/files.js';
import { ConfigError } from './config/config-values.js';
import type { Credentials } from './config/prepare.js';
import { RefusalLog, type RefusalTexts } from './output/refusal-log.js';

/** Messages about refused logins. User names are not logged, because some clients send the password as the user name. */
export const REFUSED_LOGINS: RefusalTexts = {
  first: 'login refused',
  further: 'further logins refused',
  others: 'logins from further addresses refused',
  number: 'logins',
};

/** Login of clients, and audit log of their calls. */
export interface Clients {
  /** Handler that requires a login; absent: no login is required. */
  readonly auth?: Handler;
  readonly audit?: AuditLog;
  /** Logins of requests that another process of a cluster passes on. */
  readonly known: KnownLogins;
  /** Reads the credentials again, and opens the audit log again. Logs a failure, after which nothing is changed. */
  reload(): void;
  close(): void;
}

/** Returns the names that a credential may list as methods. */
export const methodNames = (): ReadonlySet<string> => new Set(registry.methods.map(({ name }) => name));

/**
 * Reads the file of credentials and opens the audit log.
 * @param payoutRules receives the rules for payouts of the file.
 * @throws ConfigError
 */
export function createClients(
  rpc: Config['rpc'],
  login: Credentials | undefined,
  log: Logger,
  payoutRules = new CredentialPayoutRules(),
): Clients {
  const credentials = rpc.credentials === undefined ? undefined : readCredentials(rpc.credentials);
  payoutRules.use(credentials);
  const audit = rpc.auditLog === undefined ? undefined : openAuditLog(rpc.auditLog, log);
  if (login !== undefined && credentials?.byUser(login.user) !== undefined)
    throw new ConfigError(`--credentials: ${login.user} is the user of --rpc-login: choose another name`);
  const reload = (): void => {
    audit?.reopen();
    if (credentials === undefined) return;
    try {
      credentials.reload();
      announce(credentials, 'Credentials were read again', log);
    } catch (error) {
      if (!(error instanceof CredentialFileError)) throw error;
      log.error(`Credentials stay as they were: ${error.message}`);
    }
  };
  if (credentials !== undefined) announce(credentials, 'Credentials were read', log);
  const logins = loginsOf(login, credentials);
  const refused = new RefusalLog(log, systemClock, REFUSED_LOGINS);
  return {
    ...(logins === undefined
      ? {}
      : { auth: authentication(logins, new NonceStore(), (client) => refused.note(client)) }),
    ...(audit === undefined ? {} : { audit }),
    known: {
      isOpen: logins === undefined,
      ...(login === undefined ? {} : { full: FULL_LOGIN }),
      credential: (name) => credentials?.byName(name),
    },
    reload,
    close() {
      refused.close();
      audit?.close();
    },
  };
}

function announce(credentials: CredentialSet, text: string, log: Logger): void {
  log.info({ credentials: credentials.size }, text);
  for (const name of credentials.unbound)
    log.warn(
      { credential: name },
      'its spend limits and addresses do not bind a credential that may read keys',
    );
}

function loginsOf(
  login: Credentials | undefined,
  credentials: CredentialSet | undefined,
): Logins | undefined {
  const single = login && singleLogin(login.user, login.password);
  if (credentials === undefined) return single;
  return {
    byUser: (user) => single?.byUser(user) ?? credentials.byUser(user),
    byToken: (token) => credentials.byToken(token),
  };
}

function readCredentials(path: string): CredentialSet {
  try {
    return new CredentialSet(path, methodNames());
  } catch (cause) {
    if (!(cause instanceof CredentialFileError)) throw cause;
    throw new ConfigError(`--credentials: ${cause.message}`, { cause });
  }
}

function openAuditLog(path: string, log: Logger): AuditLog {
  const onProblem = (error: unknown): void =>
    log.error({ err: error }, 'the audit log cannot be written: methods of spend and admin are refused');
  try {
    return new AuditLog(path, onProblem, systemClock);
  } catch (cause) {
    throw new ConfigError(`--audit-log: ${path} cannot be written (${fileErrorCode(cause)})`, { cause });
  }
}
