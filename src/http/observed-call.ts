import type { Json } from '../util/json.js';
import type { Writable } from '../util/json-writer.js';
import type { Call, CallOrigin } from './dispatcher.js';
import type { StreamedJson } from './json-rows.js';

/** Outcome of a call: its result, or what it threw. */
export type CallOutcome = { readonly result: Writable | StreamedJson } | { readonly error: unknown };

/** Notes that a call begins. @returns a function that notes its outcome. */
export type CallObserver = (
  method: string,
  params: Json | undefined,
  origin: CallOrigin,
) => (outcome: CallOutcome) => void;

/**
 * Wraps a call function with an observer. An outcome that cannot be noted is reported as a bug and answered all the
 * same: the call has run, and its client must get the result.
 */
export const observed =
  (call: Call, observe: CallObserver, onBug: (error: unknown, method: string) => void): Call =>
  async (method, params, origin) => {
    const note = observe(method, params, origin);
    const settle = (outcome: CallOutcome): void => {
      try {
        note(outcome);
      } catch (error) {
        onBug(error, method);
      }
    };
    try {
      const result = await call(method, params, origin);
      settle({ result });
      return result;
    } catch (error) {
      settle({ error });
      throw error;
    }
  };
