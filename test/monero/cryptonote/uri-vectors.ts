import { readFileSync } from 'node:fs';

interface UriVector {
  readonly note: string;
  readonly uri: string;
}

interface UriVectors {
  readonly addresses: { readonly ADDRESS: string; readonly INTEGRATED: string; readonly SUBADDRESS: string };
  readonly valid: readonly UriVector[];
  readonly invalid: readonly UriVector[];
}

export const uriVectors = JSON.parse(
  readFileSync(new URL('../../../../test/vectors/cryptonote/uris.json', import.meta.url), 'utf8'),
) as UriVectors;

/** Substitutes the addresses for their names. */
export const fillIn = (uri: string): string =>
  uri.replace(/INTEGRATED|SUBADDRESS|ADDRESS/g, (name) => uriVectors.addresses[name as 'ADDRESS']);
