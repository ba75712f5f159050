import { NO_PAYMENT_ID, type Extensions } from '../../carrot/derivations.js';
import { enoteIn, type Enote } from '../../carrot/enote.js';
import { carrotKeyImages } from '../../carrot/key-image.js';
import { nominalAddress, openEnotes, type Nominal, type OpenedEnote } from '../../carrot/opening.js';
import { outputSecrets, type CarrotSecrets, type LegacySecrets } from '../../carrot/output-secrets.js';
import { scalarBytes, toScalar } from '../../crypto/scalar.js';
import type { KeyImage, PublicKey } from '../../crypto/types.js';
import type { SubaddressIndex, Transaction } from '../../cryptonote/types.js';
import { equalBytes } from '../../../util/bytes.js';
import type { OutputMatch } from './output-matches.js';
import type { CarrotFacts, FoundOutput, OutputExtensions, ReceivingKeys } from './found-output.js';
import type { KnownAddresses } from './subaddress-table.js';

/** An output in the form of the fork to an address of the wallet, whose contents are not verified yet. */
export interface CarrotClaim {
  readonly kind: 'carrot';
  /** Index of the transaction among the scanned transactions. */
  readonly tx: number;
  readonly outputIndex: number;
  readonly subaddress: SubaddressIndex;
  readonly enote: Enote;
  readonly nominal: Nominal;
  /** Spend public key of the main address. */
  readonly spendPublicKey: PublicKey;
}

/** Returns the claim of an output that pays an address of the table; undefined when it pays no such address. */
export function claimEnote(
  addresses: KnownAddresses,
  tx: Transaction,
  { tx: at, outputIndex, key, derivation, internal }: OutputMatch,
): CarrotClaim | undefined {
  const { spendPublicKey } = addresses;
  // Copies: views would keep the keys of the whole batch.
  const enote = enoteIn(tx, outputIndex, key.slice());
  const nominal = enote && nominalAddress(enote, { secret: derivation, internal }, { spendPublicKey });
  const subaddress = nominal && addresses.find(nominal.spendKey);
  if (enote === undefined || nominal === undefined || subaddress === undefined) return undefined;
  return { kind: 'carrot', tx: at, outputIndex, subaddress, enote, nominal, spendPublicKey };
}

/**
 * Verifies claims, decrypts their outputs, and computes their key images if the secret keys allow it.
 * @returns one entry per claim; undefined for a void output. An output of the wallet to itself may have an amount of zero: it
 * only marks the transaction as one that may spend outputs of the wallet.
 */
export function openCarrotClaims(
  keys: ReceivingKeys,
  claims: readonly CarrotClaim[],
): (FoundOutput | undefined)[] {
  const [first] = claims;
  if (first === undefined) return [];
  const { spendPublicKey } = first;
  const enotes = openEnotes(claims, { viewSecret: keys.viewSecret, spendPublicKey });
  const opened = claims.map((claim, i) => foundIn(claim, enotes[i]));
  const own = opened.filter((output) => output !== undefined);
  const secrets = imageSecretsOf(keys);
  if (secrets === undefined || own.length === 0) return opened;
  const scalars = own.map(
    ({ carrot, subaddress }) => outputSecrets(secrets, extensionsIn(carrot), subaddress).x,
  );
  const images = carrotKeyImages(
    own.map(({ publicKey }) => publicKey),
    scalars,
  ).values();
  for (const scalar of scalars) scalar.fill(0);
  return opened.map((output) => output && { ...output, keyImage: images.next().value as KeyImage });
}

/** A found output in the form of the fork. */
type FoundCarrot = FoundOutput & { readonly carrot: CarrotFacts };

function foundIn(
  { enote, nominal, outputIndex, subaddress }: CarrotClaim,
  opened: OpenedEnote | undefined,
): FoundCarrot | undefined {
  if (opened === undefined) return undefined;
  const { amount, mask, paymentId, path } = opened;
  return {
    ...{ outputIndex, subaddress, amount, mask },
    publicKey: enote.outputKey,
    derivationKey: enote.ephemeralKey as PublicKey,
    carrot: {
      extensionG: scalarBytes(nominal.extensions.g),
      extensionT: scalarBytes(nominal.extensions.t),
      context: enote.context,
      isChange: path !== 'normal' && opened.type === 'change',
      ...(equalBytes(paymentId, NO_PAYMENT_ID) ? {} : { paymentId }),
    },
  };
}

/** Returns the scalars that the sender of an output added to the address. */
export const extensionsIn = ({ extensionG, extensionT }: OutputExtensions): Extensions => ({
  g: toScalar(extensionG),
  t: toScalar(extensionT),
});

/** Returns the keys with which key images are computed; undefined if the wallet lacks them. */
function imageSecretsOf({
  viewSecret,
  spendSecret,
  balance,
}: ReceivingKeys): LegacySecrets | CarrotSecrets | undefined {
  if (balance !== undefined) return { hierarchy: 'carrot', keys: balance };
  return spendSecret && { hierarchy: 'legacy', viewSecret, spendSecret };
}
