import { publicKeyOf, randomSecretKey } from '../../../src/monero/crypto/derivation.js';
import { decodeBase58, encodeBase58 } from '../../../src/monero/cryptonote/base58.js';
import {
  firstKexMessage,
  laterKexMessage,
  readKexMessage,
} from '../../../src/monero/wallet/multisig/kex-message.js';
import { multisigSeed, readMultisigSeed } from '../../../src/monero/wallet/multisig/seed.js';
import { concatBytes, toHex, utf8 } from '../../../src/util/bytes.js';
import { CodecError } from '../../../src/util/codec.js';
import { groupOf, randomSigners } from '../../monero/wallet/multisig/groups.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { textParser, type Target } from '../target.js';

const MAGIC_CHARS = 'MultisigxV2R1'.length;

const rng = seededRng('key exchange');

function messages(): string[] {
  const [signer, common] = [randomSecretKey(rng), randomSecretKey(rng)];
  const keys = [0, 1, 2].map(() => publicKeyOf(randomSecretKey(rng)));
  return [
    firstKexMessage(signer, common, rng),
    laterKexMessage(2, keys, signer, rng),
    laterKexMessage(3, [], signer, rng),
    'MultisigV1',
  ];
}

export const targets: readonly Target[] = [
  {
    name: 'kex-message',
    errors: [CodecError],
    modules: ['monero/wallet/multisig/kex-message'],
    words: ['MultisigxV2R1', 'MultisigxV2Rn', 'MultisigV1', 'MultisigxV1'],
    maxBytes: 2048,
    prepare: () => textParser(messages(), (text) => readKexMessage(text)),
  },
  {
    name: 'kex-body',
    errors: [CodecError],
    modules: ['monero/wallet/multisig/kex-message'],
    maxBytes: 1024,
    // The bytes inside of base58, behind the text at the beginning.
    prepare: () => ({
      seeds: messages().flatMap((text) =>
        text.length <= MAGIC_CHARS
          ? []
          : [concatBytes(utf8(text.slice(0, MAGIC_CHARS)), decodeBase58(text.slice(MAGIC_CHARS)))],
      ),
      run: (input) =>
        readKexMessage(
          Buffer.from(input.subarray(0, MAGIC_CHARS)).toString('latin1') +
            encodeBase58(input.slice(MAGIC_CHARS)),
        ),
    }),
  },
  {
    name: 'multisig-seed',
    errors: [CodecError],
    modules: ['monero/wallet/multisig/seed'],
    prepare: () => {
      const accounts = [
        ...groupOf(randomSigners(2, rng), 2, rng).slice(0, 1),
        ...groupOf(randomSigners(3, rng), 2, rng).slice(0, 1),
      ];
      return {
        seeds: accounts.map((account) => Uint8Array.from(Buffer.from(multisigSeed(account), 'hex'))),
        run: (input) => readMultisigSeed(toHex(input)),
      };
    },
  },
];
