import { isObject } from '../util/json.js';
import { parseExactly } from './answer.js';
import { RESULT_SHAPES } from './method-table.js';
import { toClientValue } from './results.js';

/** Members of a JSON object in the types of the client. */
export type EventMembers = Readonly<Record<string, unknown>>;

/**
 * Parses the JSON text of an event, with every digit of its amounts.
 * @throws JsonError for a text that is not JSON, or that is nested too deeply.
 * @returns undefined for JSON that is no object.
 */
export function parseEvent(text: string): EventMembers | undefined {
  const event = toClientValue(parseExactly(text), RESULT_SHAPES.get_events.events[0]);
  return isObject(event) ? event : undefined;
}
