import { ConfigError } from '../../../src/cli/config/config-error.js';
import { parseConfigFile } from '../../../src/cli/config/config-file.js';
import { parseAddress, tryParseAddress } from '../../../src/monero/cryptonote/address.js';
import { encodeMnemonic, decodeMnemonic } from '../../../src/monero/cryptonote/mnemonic.js';
import { addressInRecord, hostOfAlias } from '../../../src/monero/cryptonote/open-alias.js';
import { loadPolyseed, storePolyseed } from '../../../src/monero/cryptonote/polyseed-storage.js';
import { decodePolyseed, hasPolyseedLength } from '../../../src/monero/cryptonote/polyseed-words.js';
import { formatUri, parseUri } from '../../../src/monero/cryptonote/uri.js';
import { parseAccountKeys } from '../../../src/monero/wallet/key-import.js';
import { KeyError } from '../../../src/monero/wallet/keys.js';
import { CredentialFileError, readCredentials } from '../../../src/rpc/access/credential-file.js';
import { equalBytes } from '../../../src/util/bytes.js';
import { CodecError } from '../../../src/util/codec.js';
import { fillIn, uriVectors } from '../../monero/cryptonote/uri-vectors.js';
import { textParser, type Target } from '../target.js';
import { readVectors } from '../vectors.js';

interface AddressVectors {
  readonly wallets: readonly { readonly addresses: readonly { readonly address: string }[] }[];
}

const addresses = (): string[] =>
  readVectors<AddressVectors>('cryptonote/addresses.json').wallets.flatMap((wallet) =>
    wallet.addresses.map(({ address }) => address),
  );

const mnemonics = (): string[] =>
  readVectors<{ readonly created: readonly { readonly mnemonic: string }[] }>(
    'cryptonote/mnemonics.json',
  ).created.map(({ mnemonic }) => mnemonic);

const polyseeds = (): string[] =>
  readVectors<{ readonly languages: readonly { readonly words: string }[] }>(
    'cryptonote/polyseed.json',
  ).languages.map(({ words }) => words);

const CREDENTIALS = JSON.stringify({
  credentials: [
    {
      name: 'shop',
      token: { salt: '00'.repeat(16), sha256: '11'.repeat(32) },
      wallets: ['shop*'],
      methods: ['view', 'transfer'],
      expires: '2027-01-31T00:00:00Z',
      addresses: [],
      from: ['10.0.0.0/8', '::1'],
      spend: { transaction: '1000', hour: '2000', day: '18446744073709551615' },
      lock: true,
    },
    { name: 'desk', digest: { ha1: '22'.repeat(16) }, rate: 10 },
  ],
});

export const targets: readonly Target[] = [
  {
    name: 'address',
    errors: [CodecError],
    modules: ['monero/cryptonote/address', 'monero/cryptonote/base58'],
    maxBytes: 512,
    prepare: () =>
      textParser(addresses(), (text) => {
        tryParseAddress(text, 'mainnet');
        parseAddress(text);
      }),
  },
  {
    name: 'uri',
    errors: [CodecError],
    modules: ['monero/cryptonote/uri'],
    words: [
      'monero:',
      'tx_amount=',
      'recipient_name=',
      'tx_description=',
      'tx_payment_id=',
      '%F0%9F',
      '0.000000000001',
    ],
    prepare: () =>
      textParser(
        [...uriVectors.valid, ...uriVectors.invalid].map(({ uri }) => fillIn(uri)),
        (text) => {
          const { unknown, ...request } = parseUri(text, 'mainnet');
          // What was read can be written and read again.
          if (unknown.length === 0) parseUri(formatUri(request, 'mainnet'), 'mainnet');
        },
      ),
  },
  {
    name: 'mnemonic',
    errors: [CodecError],
    modules: ['monero/cryptonote/mnemonic', 'monero/cryptonote/languages'],
    words: [' ', 'abbey', 'zoo'],
    prepare: () =>
      textParser(mnemonics(), (text) => {
        const { seed, language } = decodeMnemonic(text);
        if (!equalBytes(decodeMnemonic(encodeMnemonic(seed, language)).seed, seed))
          throw new Error('the seed is read otherwise when it is written again');
      }),
  },
  {
    name: 'polyseed',
    errors: [CodecError],
    modules: [
      'monero/cryptonote/polyseed-words',
      'monero/cryptonote/polyseed-polynomial',
      'monero/cryptonote/polyseed-languages',
    ],
    words: [' ', '\u3000', 'abandon', '\u0301'],
    prepare: () =>
      textParser(polyseeds(), (text) => {
        hasPolyseedLength(text);
        const { seed } = decodePolyseed(text);
        loadPolyseed(storePolyseed(seed));
      }),
  },
  {
    name: 'polyseed-storage',
    errors: [CodecError],
    modules: [
      'monero/cryptonote/polyseed-storage',
      'monero/cryptonote/polyseed-polynomial',
      'monero/cryptonote/polyseed',
    ],
    maxBytes: 64,
    prepare: () => ({
      seeds: polyseeds().map((words) => storePolyseed(decodePolyseed(words).seed)),
      run(input) {
        const seed = loadPolyseed(input);
        if (!equalBytes(storePolyseed(seed), input)) throw new Error('a seed is stored otherwise');
      },
    }),
  },
  {
    name: 'account-keys',
    errors: [KeyError],
    modules: ['monero/wallet/key-import'],
    prepare: () => {
      const { wallets } = readVectors<{
        readonly wallets: readonly {
          readonly spendKey: string;
          readonly viewKey: string;
          readonly addresses: readonly { readonly address: string }[];
        }[];
      }>('cryptonote/addresses.json');
      const seeds = wallets.flatMap(({ spendKey, viewKey, addresses: [first] }) => [
        `${first?.address}\n${viewKey}\n${spendKey}`,
        `${first?.address}\n${viewKey}\n`,
        `\n\n${spendKey}`,
      ]);
      return textParser(seeds, (text) => {
        const [address = '', viewKey = '', spendKey = ''] = text.split('\n');
        parseAccountKeys({ address, viewKey, spendKey }, 'mainnet');
      });
    },
  },
  {
    name: 'open-alias',
    errors: [],
    modules: ['monero/cryptonote/open-alias'],
    words: ['oa1:xmr', 'recipient_address=', ';', '@'],
    prepare: () =>
      textParser(
        [`oa1:xmr recipient_address=${addresses()[0] ?? ''}; recipient_name=a;`, 'donate@example.org'],
        (text) => {
          hostOfAlias(text);
          addressInRecord(text);
        },
      ),
  },
  {
    name: 'config-file',
    errors: [ConfigError],
    modules: ['cli/config/config-file'],
    words: ['=', '#', '\n', 'rpc-bind-port', 'log-level'],
    prepare: () =>
      textParser(
        [
          '# comment\nrpc-bind-port = 18083\ntrusted-daemon=1\n\nwallet-dir=/wallets\n',
          'rpc-login=a:b\r\ndaemon-address=x:1\n',
        ],
        parseConfigFile,
      ),
  },
  {
    name: 'credential-file',
    errors: [CredentialFileError],
    modules: ['rpc/access/credential-file', 'rpc/access/credential'],
    prepare: () =>
      textParser([CREDENTIALS, '{"credentials":[]}'], (text) =>
        readCredentials(text, new Set(['get_balance', 'transfer'])),
      ),
  },
];
