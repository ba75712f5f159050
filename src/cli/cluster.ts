import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { openCluster } from '../cluster/cluster-database.js';
import { ClusterSecret } from '../cluster/cluster-secret.js';
import { ClusterRefused, ClusterUnreachable, NotReplicated } from '../cluster/errors.js';
import { RpcError } from '../http/calls/errors.js';
import { ForwardedLogin, keepsBodyBack, type KnownLogins } from '../http/forward/forwarded-login.js';
import { Forwarder, HolderChanging, type ForwardingRecords } from '../http/forward/forwarder.js';
import { memberActions, MemberCalls } from '../http/forward/member-calls.js';
import { MemberConnections } from '../http/forward/member-connections.js';
import type { Forwarding } from '../http/http-app.js';
import { WalletError } from '../model/wallet-error.js';
import { Credential } from '../rpc/access/credential.js';
import { toRpcError } from '../rpc/faults/client-error.js';
import { FAULTS } from '../rpc/faults/fault-table.js';
import { isRepeatable } from '../rpc/calls/admission.js';
import { isPlainName } from '../services/context/wallet-directory.js';
import { ClusterNode } from '../services/cluster/cluster-node.js';
import { systemClock } from '../util/clock.js';
import type { Json } from '../util/json.js';
import type { Config } from './config/config.js';
import { ConfigError } from './config/config-values.js';
import { RefusalLog, type RefusalTexts } from './output/refusal-log.js';

/* This file is loaded for a cluster only, since it loads the client of PostgreSQL and the passing on of requests. */

const REFUSED_REQUESTS: RefusalTexts = {
  first: 'a request of another process of the cluster was refused',
  further: 'further requests of another process of the cluster were refused',
  others: 'requests of processes of the cluster from further addresses were refused',
  number: 'requests',
};

const FALSE_ANSWERS: RefusalTexts = {
  first: 'an answer to a request was not that of a process of the cluster, and was dropped',
  further: 'further answers were not those of a process of the cluster',
  others: 'answers from further addresses were not those of a process of the cluster',
  number: 'answers',
};

/** Connection of this process to the others of its cluster. */
export interface ClusterMembership {
  readonly node: ClusterNode;
  /**
   * Returns the handlers of requests for wallets that other processes hold, and of requests that other processes pass
   * on.
   */
  forwarding(parts: ForwardingParts): Forwarding;
  /** True for a request whose handler asks for its body. */
  readonly continuesItself: (req: IncomingMessage) => boolean;
  /** Closes the connections to the other processes. */
  close(): void;
}

/** Parts of the server that {@link ClusterMembership.forwarding} uses. */
export interface ForwardingParts {
  readonly logins: KnownLogins;
  /** Is called with each connection of another process. */
  readonly onMember: (socket: Socket) => void;
  readonly onBug: (error: unknown) => void;
  /** Records of the audit log; absent: the server has no audit log. */
  readonly records?: ForwardingRecords;
}

/** Joins a cluster. @throws ConfigError if the cluster refuses this process */
export async function joinCluster(
  cluster: NonNullable<Config['cluster']>,
  wallet: Config['wallet'],
  log: Logger,
): Promise<ClusterMembership> {
  const { database, secretFile, url, tls, capacity, timeoutMs, leaseMs, isSingle } = cluster;
  const { secret, opened } = await refusingConfig(async () => {
    const read = ClusterSecret.read(secretFile);
    const settings = { secret: read, timeoutMs, leaseMs, isSingle, log, member: { url, capacity } };
    const urls = Buffer.from(database.expose()).toString('utf8');
    return { secret: read, opened: await openCluster({ urls, ...settings }) };
  });
  const connections = new MemberConnections(tls);
  const refused = new RefusalLog(log, systemClock, REFUSED_REQUESTS);
  const falseAnswers = new RefusalLog(log, systemClock, FALSE_ANSWERS);
  const signing = { connections, signer: secret, clock: opened.clock };
  const calls = new MemberCalls(signing);
  const node = new ClusterNode({
    ...{ cluster: opened, url, log, clock: systemClock, timeoutMs },
    hasPassword: (name) => knowsPassword(wallet, name),
    ask: (member, action, body) => calls.post(member, action, body),
  });
  const action =
    (name: string) =>
    async (body: Json): Promise<Json> =>
      asRpcError(async () => node.answer(name, body));
  return {
    node,
    forwarding({ logins, onMember, onBug, records }) {
      const login = new ForwardedLogin({
        ...{ signer: secret, url, logins, onMember, clock: opened.clock },
        onRefused: ({ address, refusal: reason, ...more }) => refused.note(address, { reason, ...more }),
      });
      const forwarder = new Forwarder({
        ...{ ...signing, isRepeatable, onBug },
        ...(records === undefined ? {} : { records }),
        isForwarded: login.isForwarded,
        place: async (target) => {
          if (!isPlainName(target)) return 'here';
          const place = await asRpcError(() => node.place(target));
          if (place !== 'changing') return place;
          if (node.hasDrained) throw notReached(target, 'this process is stopping');
          throw new HolderChanging('no process holds the wallet at this moment');
        },
        mayKnow: ({ login: known }, target) => !(known instanceof Credential) || known.allowsWallet(target),
        errors: {
          notReached,
          unknownOutcome: (reason) => rpcError({ kind: 'not_replicated', reason }),
        },
        onFailed: ({ isFalse, ...failed }) => {
          if (isFalse) falseAnswers.note(failed.url, { reason: failed.reason });
          else log.debug(failed, 'a request was not passed on; it is tried again');
        },
      });
      return {
        login: login.handler,
        isForwarded: login.isForwarded,
        actions: memberActions({
          ...{ isOfMember: login.isOfMember, onBug },
          actions: { accepts: action('accepts'), give: action('give') },
        }),
        calls: forwarder.calls,
        streams: forwarder.streams,
      };
    },
    continuesItself: keepsBodyBack,
    close() {
      connections.close();
      refused.close();
      falseAnswers.close();
    },
  };
}

/** Runs a task. @throws ConfigError in place of an error with which the cluster refuses this process */
export async function refusingConfig<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (cause) {
    const isKnown = [ClusterRefused, ClusterUnreachable, NotReplicated].some((kind) => cause instanceof kind);
    if (!isKnown) throw cause;
    // Messages about an option begin with its name.
    const { message } = cause as Error;
    throw new ConfigError(message.startsWith('--cluster') ? message : `--cluster: ${message}`, { cause });
  }
}

/** Creates the error for a call that has not run, because the holder of its wallet cannot be reached. */
const notReached = (target: string, reason: string): RpcError =>
  new RpcError(
    FAULTS.wallet_elsewhere.code,
    `the wallet '${target}' cannot be reached, and nothing has run: ${reason}`,
    { status: 503, retryAfter: 1 },
  );

const rpcError = (fault: WalletError['fault']): RpcError =>
  toRpcError(new WalletError(fault), {}, { daemonAddress: '' }) ??
  new RpcError(FAULTS[fault.kind].code, fault.kind);

/** Runs a task. @throws RpcError in place of a WalletError */
async function asRpcError<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw toRpcError(error, {}, { daemonAddress: '' }) ?? error;
  }
}

/** True if this process has the password of a wallet: a file of its name, or `--open` for an empty password. */
const knowsPassword = ({ open, passwordDir }: Config['wallet'], name: string): boolean =>
  open.includes(name) ||
  (passwordDir !== undefined && isPlainName(name) && existsSync(join(passwordDir, name)));
