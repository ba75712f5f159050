import type { KeyImage } from '../../crypto/types.js';
import type { KeyImageStatus } from '../../daemon/daemon.js';
import { toHex } from '../../util/bytes.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type { OwnedOutput } from '../../wallet/model/records.js';
import type { LostPayments } from './lost-payments.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletSync } from './wallet-sync.js';

type Context = Pick<WalletContext, 'daemon' | 'log' | 'store'>;

/** Sibling services. */
interface Services {
  readonly lostPayments: LostPayments;
  readonly sync: WalletSync;
}

/** Key images asked about at once. */
const IMAGES_AT_ONCE = 1000;

const UNSPENT: KeyImageStatus = 0;
const SPENT_IN_CHAIN: KeyImageStatus = 1;

/** Single outputs: which are set aside, and which are spent. */
export class OutputFreezing {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** A frozen output is never spent. @throws WalletError `key_image_unknown` */
  setFrozen(keyImage: KeyImage, frozen: boolean): void {
    const output = this.find(keyImage);
    this.#context.store.write((w) => w.outputs.setFrozen(output, frozen));
  }

  /** @throws WalletError `key_image_unknown` */
  find(keyImage: KeyImage): OwnedOutput {
    const output = this.#context.store.read((r) => r.outputs.byKeyImage(keyImage));
    if (output === undefined) throw new WalletError({ kind: 'key_image_unknown' });
    return output;
  }

  /**
   * Asks the daemon which outputs are spent, and believes it. Payments of ours that it holds in neither pool nor
   * chain have failed, and their inputs are free; what the others have reserved stays reserved.
   * Source: wallet2.cpp `rescan_spent`.
   */
  async rescanSpent(): Promise<void> {
    await this.#services.sync.undisturbed(async () => {
      const { store, daemon, log } = this.#context;
      await this.#services.lostPayments.failUnheld();
      const outputs = store.read((r) => r.outputs.withKeyImage());
      for (let start = 0; start < outputs.length; start += IMAGES_AT_ONCE) {
        const asked = outputs.slice(start, start + IMAGES_AT_ONCE);
        const statuses = await daemon.client().isKeyImageSpent(asked.map(({ keyImage }) => keyImage));
        store.write((w) => {
          for (const [i, output] of asked.entries()) {
            const status = statuses[i];
            if (status === undefined || (status !== UNSPENT) === (output.spentBy !== undefined)) continue;
            if (status !== UNSPENT) w.outputs.markSpentByUnknown(output, status === SPENT_IN_CHAIN);
            else if (this.#mayStillBeSpent(output)) continue;
            else w.outputs.markUnspent(output);
            log.info(
              { keyImage: toHex(output.keyImage), spent: status !== UNSPENT },
              'the daemon corrected whether an output is spent',
            );
          }
        });
      }
    });
  }

  #mayStillBeSpent({ spentBy, spentHeight }: OwnedOutput): boolean {
    if (spentBy === undefined || spentHeight !== undefined) return false;
    const payment = this.#context.store.read((r) => r.outgoing.byHash(spentBy));
    return payment?.blob !== undefined && (payment.state === 'prepared' || payment.state === 'pending');
  }
}
