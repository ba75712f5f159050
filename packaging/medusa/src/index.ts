import { ModuleProvider, Modules } from '@medusajs/framework/utils';
import { WalletRpcPaymentProvider } from './provider.js';

export type { ProviderOptions, RateQuote } from './options.js';
export { WalletRpcPaymentProvider } from './provider.js';
export default ModuleProvider(Modules.PAYMENT, { services: [WalletRpcPaymentProvider] });
