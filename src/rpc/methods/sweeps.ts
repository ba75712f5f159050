import { atomic, flag, listOf, params, text, u32, u64 } from '../../jsonrpc/params.js';
import type { Amount } from '../../util/amount.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import { defineMethod, type WalletMethod } from '../method.js';
import { answerParams, makingOptions, paymentParams, wantedOf } from '../payment-params.js';
import { paymentShape, paymentsShape } from '../payment-shapes.js';
import { readKeyImage, WRONG_ADDRESS } from '../shapes.js';

const sweepParams = {
  ...paymentParams,
  address: text.default(''),
  outputs: u64.default(1n),
};

const NOTHING = 0n as Amount;

/** @throws WalletError `tx_not_possible` */
function outputsOf(outputs: bigint): number {
  if (outputs < 1n)
    throw new WalletError({
      kind: 'tx_not_possible',
      reason: 'outputs is at least 1',
      text: 'Amount of outputs should be greater than 0.',
    });
  return Number(outputs);
}

export const sweepMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'sweep_all',
    summary: 'Sends all that an account, or some of its addresses, can spend to one address.',
    meta: {
      needs: 'wallet',
      restricted: true,
      foreground: true,
      multisigEnabled: true,
      texts: WRONG_ADDRESS,
    },
    params: params({
      ...sweepParams,
      account_index: u32.default(0),
      subaddr_indices: listOf(u32),
      subaddr_indices_all: flag.default(false),
      below_amount: atomic.default(NOTHING),
    }),
    source: 'COMMAND_RPC_SWEEP_ALL, on_sweep_all',
    async handle({ wallet }, asked) {
      const made = await wallet.sweeps.all({
        ...makingOptions(asked),
        address: asked.address,
        outputs: outputsOf(asked.outputs),
        account: asked.account_index,
        minors: asked.subaddr_indices_all ? [] : asked.subaddr_indices,
        allAddresses: asked.subaddr_indices_all,
        below: asked.below_amount,
      });
      return paymentsShape(made, wantedOf(asked));
    },
  }),

  defineMethod({
    name: 'sweep_single',
    summary: 'Sends all of one output to an address.',
    meta: {
      needs: 'wallet',
      restricted: true,
      foreground: true,
      multisigEnabled: true,
      texts: { ...WRONG_ADDRESS, key_image_unknown: 'No outputs found' },
    },
    params: params({ ...sweepParams, key_image: text.default('') }),
    source: 'COMMAND_RPC_SWEEP_SINGLE, on_sweep_single',
    async handle({ wallet }, asked) {
      const outputs = outputsOf(asked.outputs);
      const terms = { ...makingOptions(asked), address: asked.address, outputs };
      const made = await wallet.sweeps.single(terms, () => readKeyImage(asked.key_image));
      return paymentShape(made, wantedOf(asked));
    },
  }),

  defineMethod({
    name: 'sweep_dust',
    aliases: ['sweep_unmixable'],
    summary: 'Sends outputs that no ring can be made for to the wallet itself.',
    meta: { needs: 'wallet', restricted: true, foreground: true, multisigEnabled: true },
    params: params(answerParams),
    source: 'COMMAND_RPC_SWEEP_DUST, on_sweep_dust',
    handle: async ({ wallet }, asked) => paymentsShape(await wallet.sweeps.unmixable(), wantedOf(asked)),
  }),
];
