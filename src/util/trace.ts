import { AsyncLocalStorage } from 'node:async_hooks';
import { toHex } from './bytes.js';
import { systemRng, type Rng } from './random.js';

/** Trace that a request belongs to. Source: W3C Trace Context, level 1, 3.2 and 3.4. */
export interface Trace {
  /** Id of the trace [hex]. */
  readonly traceId: string;
  /** True if the caller may have recorded its part of the trace. */
  readonly sampled: boolean;
}

/** Trace of a request, with the header that named it. */
export interface RequestTrace extends Trace {
  /** Value of the header: digits and hyphens in the form of version 00. */
  readonly traceparent: string;
}

const VERSION_00 = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

const SAMPLED = 1;

/**
 * Reads the header `traceparent`. @returns undefined without the header, and for a header that is malformed, given
 * twice or of another version than 00: the request then belongs to no trace.
 */
export function readTraceparent(header: string | undefined): RequestTrace | undefined {
  const [traceparent, traceId, flags] = VERSION_00.exec(header ?? '') ?? [];
  if (traceparent === undefined || traceId === undefined || flags === undefined) return undefined;
  return { traceparent, traceId, sampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

const SPAN_ID_LENGTH = 8;

/** Draws the id of a part of a trace, which is not zero [hex]. */
function newSpanId(rng: Rng): string {
  for (;;) {
    const id = rng(SPAN_ID_LENGTH);
    if (id.some((byte) => byte !== 0)) return toHex(id);
  }
}

/** Writes the header of a request that belongs to a trace, with a new id for this part of the trace. */
export const writeTraceparent = ({ traceId, sampled }: Trace, rng = systemRng): string =>
  `00-${traceId}-${newSpanId(rng)}-${sampled ? '01' : '00'}`;

/** A call that runs, or has ended, with its trace. */
interface TracedCall {
  readonly trace: RequestTrace;
  hasEnded: boolean;
}

const calls = new AsyncLocalStorage<TracedCall | undefined>();

/**
 * Runs a call. Until the call ends, {@link currentTrace} returns its trace to all functions that it starts. Functions
 * that run afterwards, such as a timer, are not part of the trace.
 */
export async function inTrace<T>(trace: RequestTrace | undefined, call: () => Promise<T>): Promise<T> {
  if (trace === undefined) return call();
  const traced: TracedCall = { trace, hasEnded: false };
  try {
    return await calls.run(traced, call);
  } finally {
    traced.hasEnded = true;
  }
}

/** Returns the trace of the running call; undefined outside of a call, and for a call without a trace. */
export function currentTrace(): RequestTrace | undefined {
  const call = calls.getStore();
  return call === undefined || call.hasEnded ? undefined : call.trace;
}

/** Runs a task that is not part of the running call, so that the call does not count as the cause of its findings. */
export const outsideTrace = <T>(task: () => T): T =>
  calls.getStore() === undefined ? task() : calls.run(undefined, task);
