import type { KeyImage } from '../../monero/crypto/types.js';
import { tryParseAddress } from '../../monero/cryptonote/address.js';
import type { Address } from '../../monero/cryptonote/types.js';
import { atomic, height, listOf, params, text } from '../../http/methods/params.js';
import { DEFAULT_AMOUNT, parseFaults, type FaultInjector } from '../fault-injection.js';
import type { Target } from '../lies/lie-context.js';
import { refuse, defineMethod, type DaemonMethod } from './method.js';
import { replied, toHash } from './shapes.js';
import type { RequestListener } from 'node:http';

/** Path that sets the injected faults. It exists in this daemon only, not in `monerod`. */
const MISBEHAVE_PATH = '/misbehave';

/** Reads the address that fabricated payments pay. @throws RangeError */
function payee(text: string): Address {
  const address = tryParseAddress(text, 'mainnet');
  if (address === undefined) throw new RangeError('address: not an address of this network');
  return address;
}

function keyImageOf(text: string): KeyImage {
  const image = toHash(text);
  if (image === undefined) throw new RangeError('key_images: 64 hex digits are expected');
  return image as Uint8Array as KeyImage;
}

export const misbehavePaths: readonly DaemonMethod[] = [
  defineMethod({
    name: MISBEHAVE_PATH,
    summary: 'Sets the faults that the daemon injects; needs --misbehave.',
    meta: { unrestricted: true },
    params: params({
      what: text.default(''),
      address: text.optional(),
      amount: atomic.default(DEFAULT_AMOUNT),
      at_height: height.optional(),
      key_images: listOf(text),
    }),
    source: 'ours: fault-injection.ts',
    handle({ daemon: { faults } }, { what, address, amount, at_height, key_images }) {
      if (!faults.isAllowed) throw refuse('wrongParam', 'the daemon was started without --misbehave');
      try {
        const target: Target = {
          ...(address === undefined ? {} : { address: payee(address) }),
          amount,
          ...(at_height === undefined ? {} : { height: at_height }),
          keyImages: key_images.map(keyImageOf),
        };
        faults.set({ faults: parseFaults(what), target });
      } catch (error) {
        if (error instanceof RangeError) return replied({}, error.message);
        throw error;
      }
      return replied({});
    },
  }),
];

/**
 * Wraps a request handler so that it delays and drops requests as configured. Requests to `/misbehave`, which change
 * the configuration, are never affected.
 */
export function withFaults(handler: RequestListener, faults: FaultInjector): RequestListener {
  return (req, res) => {
    if (req.url === MISBEHAVE_PATH) return void handler(req, res);
    if (faults.dropsRequest()) return void req.socket.destroy();
    const { latencyMs } = faults;
    if (latencyMs === 0) return void handler(req, res);
    setTimeout(() => void handler(req, res), latencyMs);
  };
}
