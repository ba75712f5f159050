import { HttpServer } from '../http/server/http-server.js';
import type { Listener } from '../http/server/listener.js';
import { serveSite } from '../http/pages/public-site.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import { systemClock } from '../util/clock.js';
import { Listeners } from '../util/listeners.js';
import { systemRng } from '../util/random.js';
import { MerchantFileError, readMerchant, type Merchant } from '../watch/pay/merchant.js';
import { PaySite } from '../watch/pay/pay-site.js';
import { PayStreams } from '../watch/pay/pay-streams.js';
import { TokenLookup } from '../watch/pay/token-lookup.js';
import type { Logger } from 'pino';
import type { Config } from './config/config.js';
import { ConfigError } from './config/config-values.js';

/**
 * News of a `WalletManager` for the pay pages. The listeners are created before the manager, and the pages after it.
 */
export class PayListeners {
  readonly events = new Listeners<[name: string]>();
  readonly blocks = new Listeners<[name: string]>();
  readonly requests = new Listeners<[name: string, token: Uint8Array]>();
}

/** Pages on which customers pay payment requests. */
export interface Pay {
  /** Serves the pages, and nothing else. */
  serve(listener: Listener): void;
  /** Reads the file of the merchant again. Logs a failure, after which nothing is changed. */
  reload(): void;
  close(): Promise<void>;
}

export interface PayParts {
  readonly config: Pick<Config, 'network' | 'pay'>;
  readonly server: Pick<WalletManager, 'openWallets' | 'openings' | 'settings'>;
  readonly listeners: PayListeners;
  readonly log: Logger;
  readonly onBug: (error: unknown) => void;
}

const MAX_CONNECTIONS = 4096;
const MAX_PER_PUBLIC_IP = 32;
/** Time that pending answers have when the server stops [ms]. */
const GRACE_MS = 1000;

/** Returns the public address of the pay pages without the token. */
export const payUrlOf = ({ ip, url }: Pick<NonNullable<Config['pay']>, 'ip' | 'url'>, port: number): string =>
  `${url ?? `http://${ip.includes(':') ? `[${ip}]` : ip}:${port}/`}pay/`;

/** Reads the file of the merchant. @throws ConfigError */
function merchantOf(path: string): Merchant {
  try {
    return readMerchant(path);
  } catch (cause) {
    if (!(cause instanceof MerchantFileError)) throw cause;
    throw new ConfigError(`--pay-merchant-file: ${cause.message}`, { cause });
  }
}

/** Creates the pay pages of a server. @throws ConfigError */
export function createPay({ config, server, listeners, log, onBug }: PayParts): Pay {
  const { merchantFile, embedOrigins = [] } = config.pay ?? {};
  let merchant = merchantFile === undefined ? undefined : merchantOf(merchantFile);
  const wallets = () => server.openWallets();
  const { network } = config;
  const lookup = new TokenLookup(wallets, systemRng);
  const quorum = server.settings.cluster?.quorum;
  const isCutOff = (): boolean => quorum?.isLost === true;
  const streams = new PayStreams({ wallets, network, clock: systemClock, isCutOff, onBug });
  quorum?.onChange(() => streams.onCutOff());
  listeners.events.add((name) => streams.onEvents(name));
  listeners.blocks.add((name) => streams.onBlocks(name));
  listeners.requests.add((name, token) => {
    lookup.keep(token, name);
    streams.onRequest(name, token);
  });
  const site = new PaySite({
    ...{ lookup, streams, network, clock: systemClock, isCutOff },
    isOpening: () => server.openings.isAny,
    ...{ merchant: () => merchant, embedOrigins },
  });
  const http = new HttpServer({
    handler: serveSite(site, onBug),
    ...{ maxConnections: MAX_CONNECTIONS, maxPerPrivateIp: MAX_CONNECTIONS },
    maxPerPublicIp: MAX_PER_PUBLIC_IP,
    errorHeaders: site.headers,
  });
  return {
    serve: (listener) => http.serve(listener),
    reload() {
      if (merchantFile === undefined) return;
      try {
        merchant = merchantOf(merchantFile);
        log.info('The file of the merchant was read again');
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        log.error(`The merchant stays as it was: ${error.message}`);
      }
    },
    async close() {
      streams.close();
      await http.close(GRACE_MS);
    },
  };
}
