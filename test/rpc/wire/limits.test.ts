import { describe, expect, it } from '@jest/globals';
import { INVALID_PARAMS } from '../../../src/http/calls/errors.js';
import { jsonSchemaOf, type JsonSchema } from '../../../src/rpc/discovery/json-schema.js';
import { assertRepeatable } from '../../../src/rpc/wire/limits.js';
import { registry } from '../../../src/rpc/registry.js';

/** Texts of parameters that are not kept, or whose reader has a limit of its own, by the name of the parameter. */
const PASSING: Readonly<Record<string, string>> = {
  address: 'parsed as an address or an OpenAlias name; kept as the canonical text',
  standard_address: 'parsed',
  integrated_address: 'parsed',
  payment_id: 'parsed as hex',
  'payment_ids[]': 'parsed as hex',
  key_image: 'parsed as hex',
  approval_hash: 'parsed as hex',
  'signed_txsets[]': 'parsed as hex',
  txid: 'parsed as hex',
  'txids[]': 'parsed as hex',
  tx_key: 'parsed as hex',
  request_id: 'compared',
  id: 'compared',
  wallet: 'compared',
  tag: 'compared; get_accounts',
  key: 'compared; get_attribute',
  key_type: 'compared',
  transfer_type: 'compared',
  signature_type: 'compared',
  background_sync_type: 'compared',
  to: 'compared with the members of the cluster',
  filename: 'a wallet name, which has a limit of its own',
  restore_date: 'parsed as a date',
  language: 'compared',
  seed: 'parsed as words',
  seed_offset: 'hashed',
  viewkey: 'parsed as hex',
  spendkey: 'parsed as hex',
  master_secret: 'parsed as hex',
  balance_secret: 'parsed as hex',
  partial_spend_key: 'parsed as hex',
  address_secret: 'parsed as hex',
  account_view_key: 'parsed as hex',
  password: 'hashed',
  old_password: 'hashed',
  new_password: 'hashed',
  wallet_password: 'hashed',
  background_cache_password: 'hashed',
  data: 'hashed',
  message: 'hashed',
  signature: 'parsed',
  tx_description: 'answered; make_uri',
  recipient_name: 'answered; make_uri',
  cursor: 'parsed as the cursor of an earlier answer',
  uri: 'parsed; a URI has a limit for its parameters',
  hex: 'parsed',
  tx_data_hex: 'parsed',
  outputs_data_hex: 'parsed',
  unsigned_txset: 'parsed',
  multisig_txset: 'parsed',
  'multisig_info[]': 'parsed',
  'info[]': 'parsed',
};

/** Methods that keep a text whose name is among the passing ones elsewhere. */
const KEPT = [
  'set_attribute key',
  'tag_accounts tag',
  'set_account_tag_description tag',
  'set_daemon address',
];

/** Lists the texts in a schema that no pattern and no list of values limits, by path. */
function textsIn(schema: JsonSchema, path = ''): readonly { path: string; isLimited: boolean }[] {
  if (schema['type'] === 'array') return textsIn(schema['items'] as JsonSchema, `${path}[]`);
  const { properties, oneOf } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly oneOf?: readonly JsonSchema[];
  };
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, member]) => textsIn(member, name));
  // A time in one of several forms is parsed.
  if (oneOf !== undefined || schema['type'] !== 'string') return [];
  if (schema['enum'] !== undefined || schema['pattern'] !== undefined) return [];
  return [{ path, isLimited: schema['maxLength'] !== undefined }];
}

const texts = registry.methods.flatMap(({ name, params }) =>
  textsIn(jsonSchemaOf(params)).map((found) => ({ method: name, ...found })),
);

describe('a text in the parameters of a method', () => {
  it('is kept with a limit, or is known not to be kept', () => {
    const unknown = texts.filter(({ path, isLimited }) => !isLimited && !(path in PASSING));
    expect(unknown).toEqual([]);
  });

  it.each(KEPT)('has a limit in %s, although others of its name are not kept', (place) => {
    expect(texts.find(({ method, path }) => `${method} ${path}` === place)).toMatchObject({
      isLimited: true,
    });
  });

  it('has a reason for each name without a limit, and no name is listed in vain', () => {
    const names = new Set(texts.filter(({ isLimited }) => !isLimited).map(({ path }) => path));
    expect(Object.keys(PASSING).filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('a text that one call stores in many places', () => {
  it('is limited by its sum', () => {
    assertRepeatable('label', 'x'.repeat(128), 65_536);
    try {
      assertRepeatable('label', 'x'.repeat(129), 65_536);
    } catch (error) {
      expect(error).toMatchObject({ code: INVALID_PARAMS });
      return;
    }
    throw new Error('it was accepted');
  });
});
