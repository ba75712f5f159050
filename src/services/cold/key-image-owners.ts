import type { PublicKey } from '../../monero/crypto/types.js';
import { toHex } from '../../util/bytes.js';
import { WalletError } from '../../model/wallet-error.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { KeyImageClaim } from '../workers/key-image-thread.js';
import { outputPages } from '../context/paged-reader.js';

type Context = Pick<WalletContext, 'assertOpen' | 'keystore' | 'store' | 'workers'>;

/** A signed key image with the output at its place in the list of the importing wallet. */
export interface PlacedClaim extends KeyImageClaim {
  /** Position among the outputs, in the order of the exporting wallet. */
  readonly place: number;
}

/** A signed key image with the output whose key fits the signature. */
export interface OwnedClaim extends PlacedClaim {
  /** Position of the owning output in the list of the importing wallet. */
  readonly ownPlace: number;
}

interface Candidate extends Omit<KeyImageClaim, 'signed'> {
  readonly place: number;
}

/**
 * Largest number of outputs that a signature is tried with, nearest places first: a reorganisation moves only the
 * outputs of a few blocks.
 */
const MOST_CANDIDATES = 256;

/** Largest number of signatures that one import verifies in search of moved outputs: some seconds on two threads. */
const MOST_TRIES = 1 << 16;

/** Finds the output of each signed key image. The signature decides: the place may differ in the exporting wallet. */
export class KeyImageOwners {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Verifies signed key images, and searches for the outputs of key images whose signature does not fit their place.
   * @param imported number of imported key images, for error messages.
   * @returns the claims in their order, each with the output key that its signature fits.
   * @throws WalletError `invalid` for a point outside the group, `wrong_signature` if a signature fits no output.
   * Source: wallet2.cpp `import_key_images`.
   */
  async find(claims: readonly PlacedClaim[], imported: number): Promise<OwnedClaim[]> {
    const verdicts = await this.#context.workers.keyImages.verify(
      claims.map(({ publicKey, signed, isCarrot }) => ({ publicKey, signed, isCarrot })),
    );
    claims.forEach((claim, i) => {
      if (verdicts[i] === 'outside')
        throw new WalletError({
          kind: 'invalid',
          reason: 'a key image is not in the prime-order subgroup',
          text: `Key image out of validity domain: input ${nameOf(claim, imported)}`,
        });
    });
    const moved = new Map<PlacedClaim, OwnedClaim>();
    const strays = claims.filter((_, i) => verdicts[i] === 'unproven');
    if (strays.length > 0) {
      const proven = new Set(
        claims.filter((_, i) => verdicts[i] === 'proven').map(({ publicKey }) => toHex(publicKey)),
      );
      const candidates = await this.#candidates(proven);
      let tries = 0;
      for (const stray of strays) {
        const known = this.#knownOwner(stray);
        const near = nearest(candidates, stray.place);
        tries += near.length;
        const owner = known ?? (tries > MOST_TRIES ? undefined : await this.#ownerAmong(near, stray));
        if (owner === undefined)
          throw new WalletError({
            kind: 'wrong_signature',
            reason: 'the signature of a key image is not valid for any output near its place',
            text: `Signature check failed ${nameOf(stray, imported)}, signature ${toHex(stray.signed.signature)}, pubkey ${toHex(stray.publicKey)}`,
          });
        const { publicKey, place: ownPlace } = owner;
        moved.set(stray, { ...stray, publicKey, ownPlace });
        if (known === undefined) candidates.splice(candidates.indexOf(owner), 1);
      }
    }
    return claims.map((claim) => moved.get(claim) ?? { ...claim, ownPlace: claim.place });
  }

  /**
   * Lists the outputs whose key image is not certain yet, in their order. @param proven output keys to leave out [hex].
   */
  async #candidates(proven: ReadonlySet<string>): Promise<Candidate[]> {
    const { isViewOnly } = this.#context.keystore;
    if (!isViewOnly) return [];
    const candidates: Candidate[] = [];
    let place = 0;
    const pages = outputPages(this.#context, {}, (r, range, most) => r.outputs.importFacts(range, most));
    for await (const page of pages)
      for (const { publicKey, isProven, isCarrot } of page) {
        // The key is copied, because the facts share the memory of their row.
        if (!isProven && !proven.has(toHex(publicKey)))
          candidates.push({ publicKey: Uint8Array.from(publicKey) as PublicKey, place, isCarrot });
        place++;
      }
    return candidates;
  }

  /**
   * Returns the output for which the wallet already knows this key image for certain; undefined if there is no such
   * output.
   */
  #knownOwner({ signed: { keyImage } }: PlacedClaim): Candidate | undefined {
    const { isViewOnly } = this.#context.keystore;
    return this.#context.store.read((r) => {
      const output = r.outputs.byKeyImage(keyImage);
      if (output === undefined || (isViewOnly && !r.importedKeyImages.isProven(output.publicKey)))
        return undefined;
      const { publicKey, carrot } = output;
      return { publicKey, place: r.outputs.placeOf(output), isCarrot: carrot !== undefined };
    });
  }

  async #ownerAmong(
    candidates: readonly Candidate[],
    { signed }: PlacedClaim,
  ): Promise<Candidate | undefined> {
    const verdicts = await this.#context.workers.keyImages.verify(
      candidates.map(({ publicKey, isCarrot }) => ({ publicKey, signed, isCarrot })),
    );
    return candidates[verdicts.indexOf('proven')];
  }
}

/** Returns the candidates nearest to a place. @param candidates in ascending order of their places. */
function nearest(candidates: readonly Candidate[], place: number): readonly Candidate[] {
  if (candidates.length <= MOST_CANDIDATES) return candidates;
  const at = candidates.findIndex((candidate) => candidate.place >= place);
  const middle = at < 0 ? candidates.length : at;
  const start = Math.min(Math.max(0, middle - MOST_CANDIDATES / 2), candidates.length - MOST_CANDIDATES);
  return candidates.slice(start, start + MOST_CANDIDATES);
}

/**
 * Names a key image in an error text of the reference: position among the outputs, number of imported key images, key
 * image.
 */
const nameOf = ({ place, signed: { keyImage } }: PlacedClaim, imported: number): string =>
  `${place}/${imported}, key image ${toHex(keyImage)}`;
