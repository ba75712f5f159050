import { DaemonError, type DaemonErrorKind } from './errors.js';
import type { NodeIdentity, ObserveNode } from './node-identity.js';

/** Name, duration and result of a finished call to a daemon. A plain value, so that a thread can post it. */
export interface DaemonCallReport {
  /** Path of the request, or method of the JSON-RPC call. */
  readonly call: string;
  /** Duration of the call, retries included [s]. */
  readonly seconds: number;
  /** Kind of the error; absent if the whole answer was read. */
  readonly failure?: DaemonErrorKind;
  /** HTTP status of the answer, if it is not 200. */
  readonly status?: number;
  /** Message of an error of the kind `forged`. */
  readonly disproof?: string;
  /** Identity of the node that answered; absent without an answer, and unless `DaemonConfig.reportsIdentity` asks for it. */
  readonly node?: NodeIdentity;
}

/** Returns the part of a report that says how a call failed. */
export const failureOf = ({
  kind,
  status,
  message,
}: DaemonError): Pick<DaemonCallReport, 'failure' | 'status' | 'disproof'> => ({
  failure: kind,
  ...(status === undefined ? {} : { status }),
  ...(kind === 'forged' ? { disproof: message } : {}),
});

/** Callback that receives a report of each finished call; must not throw. */
export type ObserveDaemonCall = (report: DaemonCallReport) => void;

/**
 * Callback that receives a report of each finished call to any of several daemons.
 * @param daemon address as configured.
 */
export type ObserveDaemons = (report: DaemonCallReport, daemon: string) => void;

/**
 * Runs a call and reports its end to the listener. A call that the caller aborted is not reported.
 * @param task makes the call; reports the node that answers.
 * @param flawOf returns the error in an answer of which a part can be used; absent: no answer has such an error.
 */
export async function observed<T>(
  call: string,
  observe: ObserveDaemonCall | undefined,
  task: (onNode: ObserveNode) => Promise<T>,
  flawOf: (answer: T) => DaemonError | undefined = () => undefined,
): Promise<T> {
  let node: NodeIdentity | undefined;
  const onNode = (answering: NodeIdentity): void => void (node = answering);
  if (observe === undefined) return task(onNode);
  const start = performance.now();
  const report = (failure: Partial<DaemonCallReport>): void =>
    observe({
      ...{ call, seconds: (performance.now() - start) / 1000, ...failure },
      ...(node === undefined ? {} : { node }),
    });
  try {
    const answer = await task(onNode);
    const flaw = flawOf(answer);
    report(flaw === undefined ? {} : failureOf(flaw));
    return answer;
  } catch (error) {
    if (error instanceof DaemonError) report(failureOf(error));
    throw error;
  }
}
