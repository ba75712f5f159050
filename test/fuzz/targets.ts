import type { Target } from './target.js';

/** Names of the targets by the file that contains them. A file is imported when one of its targets runs. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  chain: ['block-page', 'transaction', 'block', 'extra', 'portable-storage'],
  carrot: ['carrot-page', 'carrot-transaction', 'carrot-block'],
  daemon: ['daemon-json', 'daemon-binary'],
  files: ['keys-file', 'keys-account', 'sealed-file', 'cache', 'cache-boost'],
  sets: ['export', 'outputs', 'unsigned-set', 'signed-set', 'pending-tx', 'multisig-set', 'multisig-info'],
  multisig: ['kex-message', 'kex-body', 'multisig-seed'],
  proofs: ['tx-proof', 'spend-proof', 'reserve-proof', 'reserve-text', 'reserve-bundle', 'message-signature'],
  texts: [
    'address',
    'uri',
    'mnemonic',
    'polyseed',
    'polyseed-storage',
    'account-keys',
    'open-alias',
    'config-file',
    'credential-file',
  ],
  values: ['instant', 'fingerprint'],
  http: [
    'json',
    'request-body',
    'digest-login',
    'digest-challenge',
    'cluster-request',
    'idempotency-key',
    'event-stream',
  ],
  rpc: ['rpc-params', 'key-images'],
  net: [
    'dns-answer',
    'dns-name',
    'zmtp-publisher',
    'zmtp-subscriber',
    'webhook-answer',
    'webhook-url',
    'retry-after',
  ],
  server: ['http-request', 'http-login', 'pay-site', 'languages'],
  pages: ['page-query'],
  peers: ['daemon-answer', 'member-answer', 'client-answer'],
  loopback: ['socks-proxy', 'dns-tcp', 'dns-udp'],
  replication: ['frame', 'base', 'rebuild'],
};

/** Names of all targets. */
export const TARGET_NAMES: readonly string[] = Object.values(FILES).flat();

/** Beginning of the names of targets with a defect, for tests of the fuzzer. */
const PLANTED = 'planted';

/** Imports the target with a name. @throws Error for an unknown name. */
export async function targetNamed(name: string): Promise<Target> {
  const [file] = name.startsWith(`${PLANTED}-`)
    ? [PLANTED]
    : (Object.entries(FILES).find(([, names]) => names.includes(name)) ?? []);
  if (file === undefined) throw new Error(`no target ${name}; there are ${TARGET_NAMES.join(', ')}`);
  const { targets } = (await import(`./targets/${file}.js`)) as { readonly targets: readonly Target[] };
  const found = targets.find((target) => target.name === name);
  if (found === undefined) throw new Error(`${file} has no target ${name}`);
  return found;
}

/** Returns the names, all of them if none is given. @throws Error for an unknown name. */
export function chosenNames(names: readonly string[]): readonly string[] {
  const unknown = names.find((name) => !TARGET_NAMES.includes(name));
  if (unknown !== undefined) throw new Error(`no target ${unknown}; there are ${TARGET_NAMES.join(', ')}`);
  return names.length === 0 ? TARGET_NAMES : names;
}
