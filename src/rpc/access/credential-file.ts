import type { Stats } from 'node:fs';
import * as z from 'zod';
import { formatAddress, tryParseAddress } from '../../monero/cryptonote/address.js';
import { fileErrorCode, readOperatorFile } from '../../util/files.js';
import { atomicUnits, whole, strictObject } from './file-values.js';
import { accountList, approvalMembers, approvalOf, policyOf, policySchema } from './payout-policy.js';
import type { PayoutPolicy } from '../../model/payout-rule.js';
import { didYouMean } from '../../util/nearest-name.js';
import {
  ClientList,
  Credential,
  FAMILIES,
  type CredentialRules,
  type SpendLimits,
  isFamily,
} from './credential.js';

/** Error of a file of credentials that cannot be used. The message names the file, or the credential and the field. */
export class CredentialFileError extends Error {
  override readonly name = 'CredentialFileError';
}

/** Names that stand for clients without a credential in the audit log. */
const RESERVED = new Set(['login', 'none']);

/** Longest period of a rate limit [s], and largest number of requests in it. */
const MAX_RATE = { seconds: 86_400, requests: 100_000 };

const hex = (bytes: number): z.ZodString =>
  z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`), `${2 * bytes} lower-case hex digits are expected`);

const nameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, 'a name is 1 to 63 letters, digits, - and _')
  .refine((name) => !RESERVED.has(name), 'this name is reserved');

const schema = strictObject({
  name: nameSchema,
  token: strictObject({ salt: hex(16), sha256: hex(32) }).optional(),
  digest: strictObject({ ha1: hex(16) }).optional(),
  wallets: z.array(z.string().min(1).max(200)).default([]),
  methods: z.array(z.string()).default([]),
  expires: z.iso
    .datetime({ offset: true, error: 'a time such as 2027-01-31T00:00:00Z is expected' })
    .optional(),
  addresses: z
    .array(z.string().refine((text) => tryParseAddress(text) !== undefined, 'this is no address'))
    .optional(),
  from: z.array(z.string()).optional(),
  spend: strictObject({
    transaction: atomicUnits.optional(),
    hour: atomicUnits.optional(),
    day: atomicUnits.optional(),
  })
    .refine(
      (limits) => Object.keys(limits).length > 0,
      'at least one of transaction, hour and day is expected',
    )
    .optional(),
  lock: z.boolean('true or false is expected').optional(),
  balances: z.boolean('true or false is expected').optional(),
  payouts: strictObject({ accounts: accountList.optional(), ...approvalMembers }).optional(),
  rate: strictObject({
    requests: whole({ most: MAX_RATE.requests }),
    seconds: whole({ most: MAX_RATE.seconds }),
  }).optional(),
}).refine(
  ({ token, digest }) => (token === undefined) !== (digest === undefined),
  'exactly one of token and digest is expected',
);

/** One entry in the form of the file. */
export type CredentialEntry = z.input<typeof schema>;

/** An entry of the file with the credential that it defines. */
export interface ReadCredential {
  readonly entry: CredentialEntry;
  readonly credential: Credential;
}

const fileSchema = strictObject({
  credentials: z.array(z.unknown()),
  payouts: z.array(policySchema).optional(),
});

/** Contents of a file of credentials. */
export interface CredentialFile {
  readonly credentials: readonly ReadCredential[];
  /** Rules for payouts, which concern all credentials. */
  readonly policies: readonly PayoutPolicy[];
  /** Rules for payouts in the form of the file; absent: the file has none. */
  readonly payouts?: z.input<typeof fileSchema>['payouts'];
}

/** Writes the path of a mistake in an entry, such as `spend.hour` or `wallets[0]`. */
const placeOf = (path: readonly PropertyKey[]): string =>
  path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${String(part)}`))
    .join('');

function problemsOf(title: string, { issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) => [title, placeOf(path), message].filter((part) => part !== '').join(': '))
    .join('; ');
}

/** Returns the title of an entry for messages: its name or place, even if the entry is invalid. */
function titleOf(raw: unknown, place: number): string {
  const name = typeof raw === 'object' && raw !== null && 'name' in raw ? raw.name : undefined;
  return typeof name === 'string' && nameSchema.safeParse(name).success
    ? `credential ${name}`
    : `credential ${place + 1}`;
}

function limitsOf(spend: NonNullable<z.output<typeof schema>['spend']>): SpendLimits {
  const { transaction, hour, day } = spend;
  return {
    ...(transaction === undefined ? {} : { transaction: BigInt(transaction) }),
    ...(hour === undefined ? {} : { hour: BigInt(hour) }),
    ...(day === undefined ? {} : { day: BigInt(day) }),
  };
}

/** Writes an address in its normal form. @returns an empty list for an invalid address. */
const normalised = (text: string): string[] => {
  const address = tryParseAddress(text);
  return address === undefined ? [] : [formatAddress(address)];
};

/**
 * Reads one entry. @param methods names of all methods. @param place index among the entries.
 * @throws CredentialFileError with the name of the credential and the field of the mistake.
 */
export function readEntry(raw: unknown, methods: ReadonlySet<string>, place = 0): ReadCredential {
  const title = titleOf(raw, place);
  const parsed = schema.safeParse(raw);
  if (!parsed.success) throw new CredentialFileError(problemsOf(title, parsed.error));
  const {
    name,
    token,
    digest,
    wallets,
    methods: allowed,
    expires,
    addresses,
    from,
    spend,
    lock,
    balances,
    rate,
    payouts,
  } = parsed.data;
  const stranger = allowed.find((method) => !isFamily(method) && !methods.has(method));
  if (stranger !== undefined)
    throw new CredentialFileError(
      `${title}: methods: '${stranger}' is neither a family nor a method${didYouMean(stranger, [...FAMILIES, ...methods])}`,
    );
  let clients: ClientList | undefined;
  try {
    clients = from && new ClientList(from);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new CredentialFileError(`${title}: from: ${cause.message}`, { cause });
  }
  const rules: CredentialRules = {
    ...{ name, wallets, methods: allowed },
    ...(token === undefined ? {} : { token }),
    ...(digest === undefined ? {} : { digest: digest.ha1 }),
    ...(expires === undefined ? {} : { expires: Date.parse(expires) }),
    ...(addresses === undefined ? {} : { addresses: new Set(addresses.flatMap(normalised)) }),
    ...(clients === undefined ? {} : { from: clients }),
    ...(spend === undefined ? {} : { spend: limitsOf(spend) }),
    ...(lock === true ? { lock } : {}),
    ...(balances === true ? { balances } : {}),
    ...(rate === undefined ? {} : { rate }),
    ...(payouts === undefined
      ? {}
      : {
          payouts: {
            ...(payouts.accounts === undefined ? {} : { accounts: payouts.accounts }),
            ...approvalOf(payouts),
          },
        }),
  };
  return { entry: raw as CredentialEntry, credential: new Credential(rules) };
}

/** Reads the text of a file of credentials. @throws CredentialFileError */
export function readCredentials(text: string, methods: ReadonlySet<string>): CredentialFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    // The error of JSON.parse is not part of the message, since it may quote a hash.
    throw new CredentialFileError('the file is not JSON', { cause });
  }
  const parsed = fileSchema.safeParse(json);
  if (!parsed.success) throw new CredentialFileError(problemsOf('', parsed.error));
  const { payouts } = parsed.data;
  const credentials = parsed.data.credentials.map((raw, place) => readEntry(raw, methods, place));
  const names = credentials.map(({ credential: { name } }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new CredentialFileError(`credential ${twice}: its name is given twice`);
  return {
    credentials,
    policies: (payouts ?? []).map(policyOf),
    ...(payouts === undefined ? {} : { payouts }),
  };
}

/** Reads the text of a file that only its owner may read. @throws CredentialFileError if other users may read it. */
export function readOwnFile(path: string): string {
  const check = ({ mode }: Stats): void => {
    if ((mode & 0o077) !== 0)
      throw new CredentialFileError(
        `${path} can be used by other users (mode ${(mode & 0o777).toString(8)}): chmod 600 it`,
      );
  };
  try {
    return readOperatorFile(path, { check }).toString();
  } catch (cause) {
    if (cause instanceof CredentialFileError) throw cause;
    throw new CredentialFileError(`${path} cannot be read (${fileErrorCode(cause)})`, { cause });
  }
}
