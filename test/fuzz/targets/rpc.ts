import { Dispatcher } from '../../../src/http/dispatcher.js';
import { RpcError } from '../../../src/http/errors.js';
import { readParams } from '../../../src/http/params.js';
import { RequestTooLarge } from '../../../src/http/request-body.js';
import type { PublicKey } from '../../../src/monero/crypto/types.js';
import { WalletError } from '../../../src/monero/wallet/model/wallet-error.js';
import { verifyKeyImage, type SignedKeyImage } from '../../../src/monero/wallet/scan/key-images.js';
import { registry } from '../../../src/rpc/registry.js';
import { ZERO } from '../../../src/util/amount.js';
import { fromHex } from '../../../src/util/bytes.js';
import { JsonError, parseJson } from '../../../src/util/json.js';
import { vectors } from '../../monero/wallet/cold-vectors.js';
import { inChunks, JSON_WORDS, recordedRequests } from '../json-requests.js';
import { textParser, type Parser, type Target } from '../target.js';

/* Parsers of the parameters of all methods. */

/** Parser of bodies, up to the parameters of each method. */
function bodyParser(): Parser {
  const bugs: unknown[] = [];
  const dispatcher = new Dispatcher({
    async call(name, params) {
      const method = registry.find(name);
      if (method === undefined) throw new RpcError(-32601, 'Method not found');
      await readParams(method.params, params);
      return {};
    },
    onBug: (_method, error) => void bugs.push(error),
    sizeOf: (name) => registry.find(name)?.requestSize ?? 'ordinary',
  });
  return {
    seeds: recordedRequests(),
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
    modules: [
      'http/dispatcher',
      'http/params',
      'http/request-body',
      'rpc/order-params',
      'rpc/payment-params',
      'rpc/page-params',
    ],
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
