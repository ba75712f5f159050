import type { RelayOutcome } from '../../../src/daemon/daemon.js';
import { ColdSigning, sealUnsigned } from '../../../src/services/cold/cold-signing.js';
import { KeyImageTransfer } from '../../../src/services/cold/key-image-transfer.js';
import { OutputTransfer, type ExportRange } from '../../../src/services/cold/output-transfer.js';
import { FeeEstimator } from '../../../src/services/payments/fee-estimator.js';
import { PaymentMaker } from '../../../src/services/payments/payment-maker.js';
import { MempoolTracker } from '../../../src/services/sync/mempool-tracker.js';
import { PaymentRelay } from '../../../src/services/sync/payment-relay.js';
import { toHex } from '../../../src/util/bytes.js';
import { decode } from '../../../src/util/codec.js';
import { outputExport, type OutputExport } from '../../../src/monero/wallet/exchange/exported-outputs.js';
import { systemRng } from '../../../src/util/random.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import { planTransfers } from '../../../src/monero/wallet/select/transfer-plan.js';
import type { Spender } from '../../../src/model/spender.js';
import type { Payee } from '../../../src/monero/wallet/select/transfer-request.js';
import { unnamed } from '../../store/fixtures.js';
import type { Holder } from '../../monero/wallet/fixtures.js';
import { CHAIN_HEIGHT, ringAnswers } from './paid-outputs.js';
import { TAKEN } from './payment-home.js';
import { ownKeys, ServiceWallet } from './service-wallet.js';

/** One wallet with its services for offline signing. */
export class ColdWallet {
  readonly outputTransfer: OutputTransfer;
  readonly keyImageTransfer: KeyImageTransfer;
  readonly payments: PaymentMaker;
  readonly coldSigning: ColdSigning;
  readonly wallet: ServiceWallet;

  constructor(wallet: ServiceWallet) {
    this.wallet = wallet;
    const { accounts, sync } = wallet;
    this.outputTransfer = new OutputTransfer(wallet, { accounts, sync });
    this.keyImageTransfer = new KeyImageTransfer(wallet, { sync });
    this.payments = new PaymentMaker(wallet, {
      accounts,
      feeEstimator: new FeeEstimator(wallet),
      mempool: new MempoolTracker(wallet),
      relay: new PaymentRelay(wallet),
      sealMultisig: () => Promise.reject(new Error('nothing is proposed')),
      sealUnsigned: (txs) => sealUnsigned(wallet, this.outputTransfer, txs),
    });
    this.coldSigning = new ColdSigning(wallet, {
      ...{ accounts, payments: this.payments },
      ...{ outputTransfer: this.outputTransfer, keyImageTransfer: this.keyImageTransfer },
    });
  }
}

/** Outputs of a range, as a wallet exports them. */
export async function exportedOutputs(
  { wallet, outputTransfer }: ColdWallet,
  range: ExportRange,
): Promise<OutputExport> {
  const body = await wallet.exports.open('outputs', await outputTransfer.export(range));
  // Public spend and view key come first.
  return decode(outputExport[wallet.exportFormat], body.subarray(64));
}

/** A view-only wallet that reads the chain, and the wallet with its spend key that is offline. */
export interface ColdPair {
  readonly watch: ColdWallet;
  readonly signer: ColdWallet;
  /** With their key images, which only the signer can derive. */
  readonly outputs: readonly OwnedOutput[];
  /** Transactions that the daemon was sent. */
  readonly sent: Uint8Array[];
}

/**
 * Makes a view-only wallet with a chain, and its offline signer.
 * @param outputs that both wallets own, by age. @param path of the store of the view-only wallet; absent: in memory.
 */
export function coldPair(
  owner: Holder,
  outputs: readonly OwnedOutput[],
  format: 'current' | '0.18.0' = 'current',
  path?: string,
): ColdPair {
  const watch = new ServiceWallet(ownKeys(owner, true), format, path);
  watch.receive(outputs.map(unnamed), CHAIN_HEIGHT);
  const sent: Uint8Array[] = [];
  watch.answers = {
    ...ringAnswers(outputs, CHAIN_HEIGHT),
    isKeyImageSpent: (images) => Promise.resolve(images.map(() => 0)),
    sendRawTransaction: (blob): Promise<RelayOutcome> => {
      sent.push(blob);
      return Promise.resolve(TAKEN);
    },
  };
  const signer = new ServiceWallet(ownKeys(owner), format);
  return { watch: new ColdWallet(watch), signer: new ColdWallet(signer), outputs, sent };
}

/** Lays a payment out in the view-only wallet. @returns the sealed set in hex, for the signer. */
export async function layOutPayment(
  { watch: { payments } }: ColdPair,
  payee: Payee,
  spender?: Spender,
): Promise<string> {
  const { unsignedSet = new Uint8Array() } = await payments.make(
    { account: 0, unlockTime: 0n, priority: 1, doNotRelay: false, withMetadata: false, spender },
    ({ rates, priority }) =>
      planTransfers(
        { payees: [payee], account: 0, priority, unlockTime: 0n },
        payments.planner.spendableOutputs(0, []),
        rates,
        systemRng,
      ),
  );
  return toHex(unsignedSet);
}
