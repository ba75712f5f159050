import type { Hash, KeyImage, PublicKey } from '../../monero/crypto/types.js';
import type { KeyImageCorrection, KeyImageOwner } from '../../store/correct-key-images.js';
import type { ImportedKeyImageReader } from '../../store/tables/imported-key-images.js';
import { equalBytes, fromHex, toHex } from '../../util/bytes.js';
import { narrowOwners } from '../../monero/wallet/scan/ambiguous-spends.js';

/** Input of a mined transaction: its key image, and the places of its ring members in the chain. */
export interface InputRing {
  readonly keyImage: KeyImage;
  readonly places: readonly string[];
}

/** A mined transaction that spends an output of the wallet; all its other inputs then belong to the wallet, too. */
export interface SpendingRings {
  readonly txHash: Hash;
  readonly inputs: readonly InputRing[];
}

/** An input with a key image that may belong to several outputs, or is stored for the wrong output. */
interface Claim {
  readonly txHash: Hash;
  readonly keyImage: KeyImage;
  /** Output keys that have this key image in the store. */
  readonly owners: readonly PublicKey[];
  /** Output keys of the wallet in the ring [hex], except outputs for which another key image is certain. */
  readonly candidates: ReadonlySet<string>;
  /**
   * True if every ring of the transaction contains a known output of the wallet, so that the transaction spends no
   * unknown output.
   */
  readonly isCovered: boolean;
}

type Known = Pick<ImportedKeyImageReader, 'of' | 'ownersOf'>;

/**
 * Decides, from the rings of mined transactions, to which outputs key images that were stored by place belong. The ring
 * of an input contains the output that the input spends. If one output is possible, the key image is moved to this
 * output. If several outputs are possible, and the output that has the key image is one of them, this output keeps it;
 * otherwise the key image is deleted.
 * @param keysAt output keys of the wallet by their places in the chain.
 */
export function correctionBy(
  txs: readonly SpendingRings[],
  keysAt: ReadonlyMap<string, PublicKey>,
  known: Known,
): KeyImageCorrection {
  const claims = txs.flatMap((tx) => claimsOf(tx, keysAt, known));
  const remaining = narrowOwners(claims.map(({ candidates }) => candidates));
  const correction = {
    confirmed: [] as KeyImageOwner[],
    moved: [] as KeyImageOwner[],
    forgotten: [] as KeyImageOwner[],
  };
  const decidedIn = new Set<string>();
  const unknown: (Claim & KeyImageOwner)[] = [];
  claims.forEach((claim, i) => {
    const { keyImage, owners, candidates, isCovered } = claim;
    const left = remaining[i] ?? candidates;
    const [name] = left;
    const decided =
      left.size === 1 && name !== undefined ? { publicKey: fromHex(name) as PublicKey, keyImage } : undefined;
    if (owners.length === 0) {
      if (decided !== undefined && isCovered) unknown.push({ ...claim, ...decided });
      return;
    }
    // Rings that contradict each other decide nothing.
    if (left.size === 0 && candidates.size > 0) return;
    if (decided !== undefined) decidedIn.add(toHex(claim.txHash));
    const isOwner = decided !== undefined && owners.some((owner) => equalBytes(owner, decided.publicKey));
    if (isOwner && owners.length === 1) correction.confirmed.push(decided);
    else if (decided !== undefined && (isOwner || isCovered)) {
      correction.moved.push(decided);
    } else
      correction.forgotten.push(
        ...owners
          .filter((owner) => !left.has(toHex(owner)))
          .map((publicKey): KeyImageOwner => ({ publicKey, keyImage })),
      );
  });
  return { ...correction, found: unknown.filter(({ txHash }) => decidedIn.has(toHex(txHash))) };
}

/** Returns the inputs of a transaction whose key images are not certain. */
function claimsOf(
  { txHash, inputs }: SpendingRings,
  keysAt: ReadonlyMap<string, PublicKey>,
  known: Known,
): Claim[] {
  const members = inputs.map(({ places }) => places.flatMap((place) => keysAt.get(place) ?? []));
  const isCovered = members.every((keys) => keys.length > 0);
  return inputs.flatMap(({ keyImage }, i): Claim[] => {
    const owners = known.ownersOf(keyImage);
    if (owners.some(({ placed }) => placed !== true)) return [];
    const candidates = (members[i] ?? []).filter((publicKey) => {
      const own = known.of(publicKey);
      return own === undefined || own.placed === true || equalBytes(own.keyImage, keyImage);
    });
    return [
      {
        ...{ txHash, keyImage, isCovered, candidates: new Set(candidates.map(toHex)) },
        owners: owners.map(({ publicKey }) => publicKey),
      },
    ];
  });
}
