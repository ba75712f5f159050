import { Dispatcher } from '../../../src/http/calls/dispatcher.js';
import { RpcError } from '../../../src/http/calls/errors.js';
import { readParams } from '../../../src/http/methods/params.js';
import { RequestTooLarge } from '../../../src/http/message/request-body.js';
import type { PublicKey } from '../../../src/monero/crypto/types.js';
import { faultOf, WalletError } from '../../../src/model/wallet-error.js';
import { verifyKeyImage, type SignedKeyImage } from '../../../src/monero/wallet/scan/key-images.js';
import { orderTerms, withHeaderKey } from '../../../src/rpc/wire/order-params.js';
import { pageStart } from '../../../src/rpc/wire/limits.js';
import { paymentOptions } from '../../../src/rpc/wire/payments.js';
import { registry } from '../../../src/rpc/registry.js';
import { ZERO } from '../../../src/util/amount.js';
import { fromHex, utf8 } from '../../../src/util/bytes.js';
import { JsonError, parseJson, type Json } from '../../../src/util/json.js';
import { vectors } from '../../monero/wallet/cold-vectors.js';
import { inChunks, JSON_WORDS, recordedRequests } from '../json-requests.js';
import { textParser, type Parser, type Target } from '../target.js';

/* Parsers of the parameters of all methods. */

/** Key in the header of each request. */
const KEY = 'order 1';

const TO = { amount: 5, address: '8' };

/** Requests with a key, with lists that are read in parts, and with parameters of a wrong kind. */
const ORDERS = [
  {
    method: 'transfer',
    params: { destinations: [TO], idempotency_key: KEY, metadata: { b: [1, {}], a: null } },
  },
  { method: 'transfer', params: { destinations: [TO, { ...TO, amount: 'x' }], idempotency_key: 'other' } },
  { method: 'transfer', params: { destinations: [TO], retry_failed: true, payment_id: 'aa', priority: 1 } },
  { method: 'sweep_all', params: { address: '8', subaddr_indices: [], ring_size: 16, unlock_time: '7' } },
  {
    method: 'get_address',
    params: { account_index: 0, address_index: Array.from({ length: 300 }, (_, i) => i) },
  },
  { method: 'get_address', params: { account_index: 0, address_index: [0, -1, 'a'] } },
  {
    method: 'create_payment_request',
    params: { amount: 5, metadata: { a: [], b: {} }, expires_at: '2030-01-31' },
  },
  { method: 'list_orders', params: { cursor: '7', limit: 1001 } },
  {
    method: 'get_transfers',
    params: { in: true, filter_by_height: true, max_height: '18446744073709551615' },
  },
  { method: 'get_height', params: 5 },
  { method: 'get_height', params: [1] },
];

/** Parser of bodies, up to the parameters of each method. */
function bodyParser(): Parser {
  const bugs: unknown[] = [];
  const dispatcher = new Dispatcher({
    async call(name, params) {
      const method = registry.find(name);
      if (method === undefined) throw new RpcError(-32601, 'Method not found');
      const { params: schema } = method;
      const given = withHeaderKey(schema, params, { idempotencyKey: KEY });
      const args = (await readParams(schema, given as Json)) as object;
      try {
        if ('idempotency_key' in args) orderTerms(name, schema, args as never);
        if ('payment_id' in args && 'priority' in args) paymentOptions(args as never, undefined);
        if ('cursor' in args) pageStart(String(args.cursor));
      } catch (error) {
        if (faultOf(error) === undefined) throw error;
      }
      return {};
    },
    onBug: (_method, error) => void bugs.push(error),
    sizeOf: (name) => registry.find(name)?.requestSize ?? 'ordinary',
  });
  return {
    seeds: [...recordedRequests(), ...ORDERS.map((one) => utf8(JSON.stringify({ id: 0, ...one })))],
    async run(input) {
      const answer = await dispatcher.answer(inChunks(input));
      for await (const _ of answer?.body ?? []) continue;
      const [bug] = bugs.splice(0);
      if (bug !== undefined) throw bug;
    },
  };
}

/** Parser of the parameters of `import_key_images`, whose images are verified for the outputs of a wallet. */
function keyImageParser(): Parser {
  const method = registry.find('import_key_images');
  if (method === undefined) throw new Error('no such method');
  const keys = vectors.known.map(({ publicKey }) => fromHex(publicKey) as PublicKey);
  const wallet = {
    context: { daemon: { trusted: true } },
    assertOpen: () => undefined,
    keyImageTransfer: {
      import(images: readonly SignedKeyImage[]) {
        for (const [i, image] of images.entries())
          verifyKeyImage(keys[i % keys.length] ?? (new Uint8Array(32) as PublicKey), image);
        return Promise.resolve({ height: 0, spent: ZERO, unspent: ZERO });
      },
    },
  };
  const images = vectors.signedKeyImages.map(({ keyImage, signature }) => ({
    key_image: keyImage,
    signature,
  }));
  return textParser(
    [images, images.slice(0, 1)].map((one) => JSON.stringify({ offset: 0, signed_key_images: one })),
    async (text) =>
      method.handle({ wallet } as never, (await readParams(method.params, parseJson(text))) as never),
  );
}

export const targets: readonly Target[] = [
  {
    name: 'rpc-params',
    errors: [RequestTooLarge],
    modules: ['http/methods/params', 'rpc/wire/order-params', 'rpc/wire/payments', 'rpc/wire/limits'],
    words: JSON_WORDS,
    prepare: bodyParser,
  },
  {
    name: 'key-images',
    errors: [JsonError, RpcError, WalletError],
    modules: ['monero/wallet/scan/key-images', 'monero/crypto/ring-signature'],
    words: ['"key_image":"', '"signature":"', '"signed_key_images":', '00', 'ff'],
    prepare: keyImageParser,
  },
];
