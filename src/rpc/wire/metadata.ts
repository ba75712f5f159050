import type { Json } from '../../util/json.js';
import { writeWholeJson } from '../../util/json-writer.js';

/** Largest size of the metadata that a client keeps with a record, as JSON [bytes]. */
const MAX_METADATA_BYTES = 4096;

/**
 * Writes the metadata of a record as JSON. @param refuse creates the error for a reason.
 * @throws the error of `refuse` if the metadata is too large.
 */
export function metadataText(
  value: Readonly<Record<string, unknown>>,
  refuse: (reason: string) => Error,
): string {
  // The values come from the JSON of the call.
  const json = writeWholeJson(value as { readonly [key: string]: Json });
  const size = Buffer.byteLength(json);
  if (size > MAX_METADATA_BYTES)
    throw refuse(`the metadata has ${size} bytes of JSON, more than ${MAX_METADATA_BYTES}`);
  return json;
}
