import type { Json } from '../../util/json.js';
import type { Writable } from '../../util/json-writer.js';
import type { Call, CallOrigin } from './dispatcher.js';
import type { StreamedJson } from './json-rows.js';

/** Outcome of a call: its result, or the error that it threw. */
export type CallOutcome = { readonly result: Writable | StreamedJson } | { readonly error: unknown };

/** Records that a call begins. @returns a function that records its outcome. */
export type CallObserver = (
  method: string,
  params: Json | undefined,
  origin: CallOrigin,
) => (outcome: CallOutcome) => void;

/**
 * Wraps a call function with an observer. An error of the observer is reported as a bug, and the call is answered
 * nevertheless: it has run, and its client must receive the result.
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
