import { height, keptText, listOf, params, u32 } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { MAX_BUNDLE_MESSAGE_BYTES } from '../../monero/wallet/proofs/reserve-bundle.js';
import { DAEMON } from '../faults/fault-entry.js';
import { ADDITION, defineMethod, type WalletMethod } from '../method.js';
import { reserveBundleSchema, reserveBundleShape } from '../wire/reserve-bundle.js';
import * as sample from '../wire/samples.js';

const SIGNATURE = '0b'.repeat(64);

/** Sums of the example. */
const sums = { total: '1000000000000', unlocked: '1000000000000', locked: '0' };

/** Method that proves the reserves of several accounts; the reference does not have it. */
export const reserveBundleMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'get_reserve_bundle',
    summary:
      'Proves the reserves of accounts at a height: a document that wallet-rpc verify-reserve checks without the wallet.',
    meta: { family: 'view', needs: 'wallet', account: 'legacy', restricted: false, foreground: true },
    faults: [...DAEMON, 'account_out_of_range', 'fork_proof', 'view_only', 'multisig_refused', 'invalid'],
    codes: { view_only: -1, account_out_of_range: -1, daemon_unreachable: -1, daemon_misbehaves: -1 },
    params: () =>
      params({
        accounts: listOf(u32).describe('Indices of the accounts; absent: all accounts with outputs'),
        message: keptText(MAX_BUNDLE_MESSAGE_BYTES).describe('Text that the proof is bound to'),
        height: height
          .optional()
          .describe(
            'Height of the newest block that counts: outputs received and not spent up to this block; absent: the newest block of the wallet, which is get_height less one',
          ),
      }),
    result: () =>
      wire.object({ bundle: reserveBundleSchema().describe('Document, to be written to a file') }),
    examples: () => [
      {
        name: 'reserve of one account',
        params: { accounts: [0n], message: 'audit of January 2026', height: 3_570_000n },
        result: {
          bundle: {
            format: 'reserve-bundle-1' as const,
            network: 'mainnet' as const,
            address: sample.primaryAddress,
            message: 'audit of January 2026',
            height: 3_570_000n,
            block_hash: '0c'.repeat(32),
            timestamp: 1_767_400_000n,
            ...sums,
            accounts: [
              {
                account_index: 0n,
                ...sums,
                addresses: [
                  {
                    subaddr_index: { major: 0n, minor: 0n },
                    address: sample.primaryAddress,
                    spend_key_sig: SIGNATURE,
                  },
                ],
                outputs: [
                  {
                    tx_hash: sample.txHash,
                    index_in_tx: 0n,
                    amount: '1000000000000',
                    subaddr_index: { major: 0n, minor: 0n },
                    key_image: sample.keyImage,
                    tx_public_key: '0d'.repeat(32),
                    shared_secret: '0e'.repeat(32),
                    shared_secret_sig: SIGNATURE,
                    key_image_sig: SIGNATURE,
                  },
                ],
              },
            ],
            transactions: [
              {
                tx_hash: sample.txHash,
                height: 3_400_000n,
                tx_blob: '020001',
                prunable_hash: '0f'.repeat(32),
              },
            ],
          },
        },
      },
    ],
    source: ADDITION,
    async handle({ wallet }, { accounts, message, height }) {
      const bundle = await wallet.reserveBundles.prove({
        message,
        ...(accounts.length === 0 ? {} : { accounts }),
        ...(height === undefined ? {} : { height }),
      });
      return { bundle: reserveBundleShape(bundle) };
    },
  }),
];
