import { DaemonError, type DaemonErrorKind } from './errors.js';

/** A finished call to a daemon. Cloneable, so that a thread can send it. */
export interface DaemonCallReport {
  /** Path, or method of JSON-RPC. */
  readonly call: string;
  /** Duration, retries included [s]. */
  readonly seconds: number;
  /** Absent: the answer was read. */
  readonly failure?: DaemonErrorKind;
}

/** Listener for finished calls; it must not throw. */
export type ObserveDaemonCall = (report: DaemonCallReport) => void;

/** Listener for finished calls to several daemons. @param daemon address as configured. */
export type ObserveDaemons = (report: DaemonCallReport, daemon: string) => void;

/** Runs a call and reports its end. A call that was aborted is not reported. */
export async function observed<T>(
  call: string,
  observe: ObserveDaemonCall | undefined,
  task: () => Promise<T>,
): Promise<T> {
  if (observe === undefined) return task();
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1000;
  try {
    const answer = await task();
    observe({ call, seconds: seconds() });
    return answer;
  } catch (error) {
    if (error instanceof DaemonError) observe({ call, seconds: seconds(), failure: error.kind });
    throw error;
  }
}
