import { Registry } from '../http/methods/method.js';
import type { WalletMethod } from './method.js';
import { accountTagMethods } from './methods/account-tags.js';
import { accountMethods } from './methods/accounts.js';
import { addressBookMethods } from './methods/address-book.js';
import { addressMethods } from './methods/addresses.js';
import { annotationMethods } from './methods/annotations.js';
import { coldSigningMethods } from './methods/cold-signing.js';
import { backgroundSyncMethods } from './methods/background-sync.js';
import { discoveryMethods, loggingMethods, serviceMethods } from './methods/service.js';
import { eventMethods } from './methods/events.js';
import { fileMethods } from './methods/files.js';
import { historyMethods } from './methods/history.js';
import { miningMethods } from './methods/mining.js';
import { multisigMethods } from './methods/multisig.js';
import { orderMethods } from './methods/orders.js';
import { payoutMethods } from './methods/payouts.js';
import { proofMethods } from './methods/proofs.js';
import { outputMethods } from './methods/outputs.js';
import { paymentExportMethods } from './methods/payment-export.js';
import { paymentRequestMethods } from './methods/payment-requests.js';
import { reserveBundleMethods } from './methods/reserve-bundles.js';
import { sweepMethods } from './methods/sweeps.js';
import { transferMethods } from './methods/transfers.js';
import { uriMethods } from './methods/uris.js';
import { webhookMethods } from './methods/webhooks.js';

/** Registry of all wallet methods. */
export const registry = new Registry<WalletMethod>([
  ...discoveryMethods,
  ...fileMethods,
  ...serviceMethods,
  ...backgroundSyncMethods,
  ...miningMethods,
  ...loggingMethods,
  ...accountMethods,
  ...accountTagMethods,
  ...addressMethods,
  ...transferMethods,
  ...sweepMethods,
  ...orderMethods,
  ...paymentRequestMethods,
  ...payoutMethods,
  ...eventMethods,
  ...coldSigningMethods,
  ...outputMethods,
  ...historyMethods,
  ...paymentExportMethods,
  ...multisigMethods,
  ...proofMethods,
  ...reserveBundleMethods,
  ...annotationMethods,
  ...addressBookMethods,
  ...uriMethods,
  ...webhookMethods,
]);
