import {
  deriveSubaddressPublicKeys,
  keyDerivations,
  keyImages,
  publicKeysOf,
} from '../../crypto/derivation.js';
import { isInMainSubgroup } from '../../crypto/curve/points.js';
import { checkRing, signAlone } from '../../crypto/ring-signature.js';
import type { Hash, KeyDerivation, KeyImage, PublicKey, SecretKey, Signature } from '../../crypto/types.js';
import type { SubaddressIndex } from '../../cryptonote/types.js';
import { chunks, equalBytes, concatBytes } from '../../../util/bytes.js';
import type { Rng } from '../../../util/random.js';
import { zip } from '../../../util/zip.js';
import { outputSecretKey } from '../../cryptonote/own-outputs.js';
import { proveImage, verifiesImage } from '../../carrot/image-proof.js';
import { carrotKeyImages } from '../../carrot/key-image.js';
import { extensionKey } from '../../carrot/opening.js';
import { outputSecrets, type OutputSecrets } from '../../carrot/output-secrets.js';
import { toScalar } from '../../crypto/scalar.js';
import { extensionsIn } from './carrot-claims.js';
import type { OutputExtensions } from './found-output.js';
import type { ScanKernel } from '../../kernel/kernel.js';

/** A key image that was imported into a wallet without the spend key. */
export interface ImportedKeyImage {
  /** Key of the output to which the key image belongs. */
  readonly publicKey: PublicKey;
  readonly keyImage: KeyImage;
  /** True if a signature with the output key was verified; otherwise the key image is only claimed. */
  readonly proven: boolean;
  /**
   * True if an earlier version may have assigned the key image by the position of its output: the key image may belong
   * to another output.
   */
  readonly placed?: true;
}

/** Facts of an output from which a wallet without access to the chain recognises whether the output is its own. */
export interface OutputHint {
  readonly publicKey: PublicKey;
  /** Index of the output in its transaction. */
  readonly outputIndex: number;
  readonly txPublicKey: PublicKey;
  readonly additionalKeys: readonly PublicKey[];
}

/** Spend key of the address that an output pays if `derivationKey` is the right public key of its transaction. */
export interface OutputCandidate {
  readonly derivationKey: PublicKey;
  /** Key derivation of `derivationKey`. Secret. */
  readonly derivation: KeyDerivation;
  readonly spendPublicKey: PublicKey;
}

/**
 * Public data of an output from which, together with the wallet's secret keys, the output's secret key is computed.
 * @example
 * const output: LocatedOutput = found[0].outputs[0];
 * output.outputIndex >= 0; // => true
 */
export interface LocatedOutput {
  readonly publicKey: PublicKey;
  /** Index of the output in its transaction. */
  readonly outputIndex: number;
  /** Public key of the transaction whose derivation opens the output. */
  readonly derivationKey: PublicKey;
  /** Index of the paid address. */
  readonly subaddress: SubaddressIndex;
  /** Key derivation of `derivationKey`, if it is known already; absent: it is computed. Secret. */
  readonly derivation?: KeyDerivation;
  /** Scalars that the sender of an output in the form of the fork added; absent in the old form. */
  readonly carrot?: OutputExtensions;
}

/** Outputs, or candidates for their addresses, that may carry their derivations. */
type Derived = Pick<LocatedOutput, 'derivation'>;

/** Returns the derivations that outputs carry, for their owner to wipe. */
export const knownDerivations = (outputs: readonly Derived[]): KeyDerivation[] =>
  outputs.flatMap(({ derivation }) => derivation ?? []);

/** Wipes the derivations that outputs carry. */
export const wipeDerivations = (outputs: readonly Derived[]): void =>
  knownDerivations(outputs).forEach((derivation) => derivation.fill(0));

/**
 * A key image with a signature by the output key: of 64 bytes, or a proof of 96 bytes for an output in the form of the fork.
 * @example
 * const signed: SignedKeyImage = signKeyImage(found[0].outputs[0], account, systemRng);
 * signed.signature.length; // => 64
 */
export interface SignedKeyImage {
  readonly keyImage: KeyImage;
  readonly signature: Signature;
}

/**
 * Secret keys with which key images are computed.
 * @example
 * const keys: SpendingKeys = { viewSecret: account.viewSecret, spendSecret: account.spendSecret };
 * keyImageOf(found[0].outputs[0], keys).length; // => 32
 */
export interface SpendingKeys {
  readonly viewSecret: SecretKey;
  readonly spendSecret: SecretKey;
}

/**
 * Returns the candidates for the receiver of each output, one for each public key that may be the key of the output.
 * Invalid points are left out. Source: cryptonote_format_utils.cpp `is_out_to_acc_precomp`.
 */
export function candidatesOfEach(hints: readonly OutputHint[], viewSecret: SecretKey): OutputCandidate[][] {
  const candidates = candidatesUnlessInvalid(hints, viewSecret);
  if (candidates !== undefined) return candidates;
  return hints.map((hint) =>
    txKeysOf(hint).flatMap((key) => {
      const alone = { ...hint, txPublicKey: key, additionalKeys: [] };
      return candidatesUnlessInvalid([alone], viewSecret)?.flat() ?? [];
    }),
  );
}

/** Returns the transaction public keys that may belong to an output. */
const txKeysOf = ({ outputIndex, txPublicKey, additionalKeys }: OutputHint): readonly PublicKey[] => {
  const own = additionalKeys[outputIndex];
  return own === undefined ? [txPublicKey] : [txPublicKey, own];
};

/** Computes the candidates of all outputs as a batch; returns undefined if any key is not a point. */
function candidatesUnlessInvalid(
  hints: readonly OutputHint[],
  viewSecret: SecretKey,
): OutputCandidate[][] | undefined {
  const tried = hints.flatMap((hint) => txKeysOf(hint).map((derivationKey) => ({ hint, derivationKey })));
  try {
    const derivations = keyDerivations(tried.map(({ derivationKey }) => [derivationKey, viewSecret]));
    const outputs = zip(tried, derivations).map(([{ hint }, derivation]) => ({
      ...{ outputKey: hint.publicKey, derivation, outputIndex: hint.outputIndex },
    }));
    const candidates = zip(outputs, tried, deriveSubaddressPublicKeys(outputs))
      .map(([{ derivation }, { derivationKey }, spendPublicKey]) => ({
        derivationKey,
        derivation,
        spendPublicKey,
      }))
      .values();
    return hints.map((hint) => txKeysOf(hint).map(() => candidates.next().value as OutputCandidate));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the derivations of outputs, as copies; computes unknown derivations as a batch. */
function derivationsOf(outputs: readonly LocatedOutput[], viewSecret: SecretKey): KeyDerivation[] {
  const unknown = outputs.filter(({ derivation }) => derivation === undefined);
  const computed = keyDerivations(unknown.map(({ derivationKey }) => [derivationKey, viewSecret])).values();
  return outputs.map(({ derivation }) =>
    derivation === undefined
      ? (computed.next().value as KeyDerivation)
      : (Uint8Array.from(derivation) as KeyDerivation),
  );
}

/** Secret scalars of an output key `x·G + y·T`; y is absent in the old form, where it is zero. */
type KeyScalars = Pick<OutputSecrets, 'x'> & { readonly y?: SecretKey };

/** Computes the secret scalars of outputs of both forms. @throws RangeError as {@link spendSecretsOf}. */
function scalarsOfEach(outputs: readonly LocatedOutput[], keys: SpendingKeys): KeyScalars[] {
  const legacy = spendSecretsOf(
    outputs.filter(({ carrot }) => carrot === undefined),
    keys,
  ).values();
  return outputs.map((output) =>
    output.carrot === undefined
      ? { x: legacy.next().value as SecretKey }
      : carrotScalars(output, output.carrot, keys),
  );
}

/** Computes the secret scalars of an output in the form of the fork. @throws RangeError as {@link spendSecretsOf}. */
function carrotScalars(
  { publicKey, subaddress }: LocatedOutput,
  extensions: OutputExtensions,
  keys: SpendingKeys,
): Required<KeyScalars> {
  const { x, y } = outputSecrets({ hierarchy: 'legacy', ...keys }, extensionsIn(extensions), subaddress);
  if (y === undefined || !equalBytes(extensionKey({ g: toScalar(x), t: toScalar(y) }), publicKey))
    throw new RangeError('the output does not belong to this wallet');
  return { x, y };
}

const wipeScalars = (scalars: readonly KeyScalars[]): void =>
  scalars.forEach(({ x, y }) => {
    x.fill(0);
    y?.fill(0);
  });

/**
 * Computes the key images of outputs of both forms.
 * @param scalars one for each output. @param ofLegacy computes those of the old form, as a batch.
 */
function imagesOf(
  outputs: readonly Pick<LocatedOutput, 'publicKey' | 'carrot'>[],
  scalars: readonly KeyScalars[],
  ofLegacy: (items: readonly (readonly [PublicKey, SecretKey])[]) => KeyImage[] = keyImages,
): KeyImage[] {
  const pairs = zip(outputs, scalars);
  const isCarrot = ([{ carrot }]: (typeof pairs)[number]): boolean => carrot !== undefined;
  const carrot = pairs.filter(isCarrot);
  const ofCarrot = carrotKeyImages(
    carrot.map(([{ publicKey }]) => publicKey),
    carrot.map(([, { x }]) => x),
  ).values();
  const legacy = ofLegacy(
    pairs.filter((pair) => !isCarrot(pair)).map(([{ publicKey }, { x }]) => [publicKey, x] as const),
  ).values();
  return pairs.map((pair) => (isCarrot(pair) ? ofCarrot : legacy).next().value as KeyImage);
}

/**
 * Computes the secret keys of outputs of the old form as a batch, which takes half the time of computing them one by one.
 * @throws RangeError if an output does not belong to the wallet.
 */
function spendSecretsOf(outputs: readonly LocatedOutput[], keys: SpendingKeys): SecretKey[] {
  const derivations = derivationsOf(outputs, keys.viewSecret);
  const secrets = zip(outputs, derivations).map(([{ outputIndex, subaddress }, derivation]) =>
    outputSecretKey(keys, derivation, outputIndex, subaddress),
  );
  derivations.forEach((derivation) => derivation.fill(0));
  if (!zip(outputs, publicKeysOf(secrets)).every(([{ publicKey }, own]) => equalBytes(own, publicKey))) {
    secrets.forEach((secret) => secret.fill(0));
    throw new RangeError('the output does not belong to this wallet');
  }
  return secrets;
}

/** Computes the secret key of an output of the old form. @throws RangeError if the output does not belong to the wallet. */
export const spendSecretOf = (output: LocatedOutput, keys: SpendingKeys): SecretKey =>
  spendSecretsOf([output], keys)[0] as SecretKey;

/** Runs a task with the secret scalars of outputs and their key images. @throws RangeError as {@link spendSecretsOf}. */
function withSecrets<T>(
  outputs: readonly LocatedOutput[],
  keys: SpendingKeys,
  task: (images: KeyImage[], scalars: readonly KeyScalars[]) => T,
): T {
  const scalars = scalarsOfEach(outputs, keys);
  try {
    return task(imagesOf(outputs, scalars), scalars);
  } finally {
    wipeScalars(scalars);
  }
}

/** Computes the key images of outputs. @throws RangeError if an output does not belong to the wallet. */
export const keyImagesOf = (outputs: readonly LocatedOutput[], keys: SpendingKeys): KeyImage[] =>
  withSecrets(outputs, keys, (images) => images);

/**
 * Computes the key image of an output. @throws RangeError if the output does not belong to the wallet.
 * @example
 * const [output] = found[1].outputs;
 * equalBytes(keyImageOf(output, account), output.keyImage); // => true
 */
export const keyImageOf = (output: LocatedOutput, keys: SpendingKeys): KeyImage =>
  keyImagesOf([output], keys)[0] as KeyImage;

/** Size of a signature of an output of the old form [bytes]. */
const SIGNATURE_BYTES = 64;

/** Returns the message that is signed, which is the key image itself. */
const messageOf = (image: KeyImage): Hash => image as Uint8Array as Hash;

/**
 * Computes and signs the key images of outputs.
 * @throws RangeError if an output does not belong to the wallet. Source: wallet2.cpp `export_key_images`.
 */
export const signKeyImages = (
  outputs: readonly LocatedOutput[],
  keys: SpendingKeys,
  rng: Rng,
): SignedKeyImage[] =>
  withSecrets(outputs, keys, (images, scalars) => {
    const all = zip(outputs, images, scalars);
    const alone = all.flatMap(([{ publicKey, carrot }, image, { x }]) =>
      carrot === undefined ? [{ hash: messageOf(image), publicKey, secret: x }] : [],
    );
    const signatures = signAlone(alone, rng).values();
    return all.map(([{ publicKey, carrot }, keyImage, scalar]) => ({
      keyImage,
      signature:
        carrot === undefined
          ? (signatures.next().value as Signature)
          : (proveImage(publicKey, keyImage, scalar as Required<KeyScalars>, rng) as Signature),
    }));
  });

/**
 * Computes and signs the key image of an output. @throws RangeError if the output does not belong to the wallet.
 * @example
 * const [output] = found[1].outputs;
 * verifyKeyImage(output.publicKey, signKeyImage(output, account, systemRng)); // => 'proven'
 */
export const signKeyImage = (output: LocatedOutput, keys: SpendingKeys, rng: Rng): SignedKeyImage =>
  signKeyImages([output], keys, rng)[0] as SignedKeyImage;

/**
 * Result of verifying a key image. `outside`: the key image does not lie in the prime-order subgroup. `unproven`: the
 * signature is not by the key of this output.
 * @example
 * const [output] = found[1].outputs;
 * const verdict: KeyImageVerdict = verifyKeyImage(output.publicKey, signKeyImage(output, account, systemRng));
 * verdict; // => 'proven'
 */
export type KeyImageVerdict = 'proven' | 'outside' | 'unproven';

/**
 * Verifies a key image and its signature against the output key. Source: wallet2.cpp `import_key_images`.
 * @example
 * const [output] = found[1].outputs;
 * const signed = signKeyImage(output, account, systemRng);
 * verifyKeyImage(found[0].outputs[0].publicKey, signed); // => 'unproven'
 */
export function verifyKeyImage(
  publicKey: PublicKey,
  { keyImage: image, signature }: SignedKeyImage,
): KeyImageVerdict {
  if (!isInMainSubgroup(image)) return 'outside';
  if (signature.length !== SIGNATURE_BYTES) return 'unproven';
  return checkRing(messageOf(image), image, [publicKey], [signature]) ? 'proven' : 'unproven';
}

/**
 * Verifies a key image of an output in the form of the fork and its proof against the output key. A proof of the one form does
 * not prove a key image of the other.
 */
export function verifyCarrotKeyImage(
  publicKey: PublicKey,
  { keyImage: image, signature }: SignedKeyImage,
): KeyImageVerdict {
  if (!isInMainSubgroup(image)) return 'outside';
  return verifiesImage(publicKey, image, signature) ? 'proven' : 'unproven';
}

/** Number of outputs in a kernel call. */
const BATCH = 256;

/**
 * Computes the key images of outputs, 32 bytes each.
 * @throws RangeError for an output that does not belong to the wallet.
 */
export function locatedKeyImages(
  outputs: readonly LocatedOutput[],
  keys: SpendingKeys,
  kernel: Pick<ScanKernel, 'keyImages'>,
): Uint8Array {
  const images: Uint8Array[] = [];
  for (let start = 0; start < outputs.length; start += BATCH) {
    const batch = outputs.slice(start, start + BATCH);
    const scalars = scalarsOfEach(batch, keys);
    images.push(...imagesOf(batch, scalars, (items) => keyImagesBy(kernel, items)));
    wipeScalars(scalars);
  }
  return concatBytes(...images);
}

/** Computes key images of the old form in a kernel. */
function keyImagesBy(
  kernel: Pick<ScanKernel, 'keyImages'>,
  items: readonly (readonly [PublicKey, SecretKey])[],
): KeyImage[] {
  const secrets = concatBytes(...items.map(([, secret]) => secret));
  const images = kernel.keyImages(concatBytes(...items.map(([publicKey]) => publicKey)), secrets);
  secrets.fill(0);
  return chunks(images, 32) as KeyImage[];
}
