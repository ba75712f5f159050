import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { ExportedOutput } from '../../monero/wallet/exchange/exported-outputs.js';
import {
  knownDerivations,
  type LocatedOutput,
  type OutputCandidate,
  type OutputHint,
} from '../../monero/wallet/scan/key-images.js';
import type { KeptExtensions } from '../../monero/wallet/scan/found-output.js';
import { WalletError } from '../../model/wallet-error.js';
import { amount } from '../../util/amount.js';
import { equalBytes } from '../../util/bytes.js';
import { zip } from '../../util/zip.js';
import type { Accounts } from '../accounts/accounts.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletSync } from '../sync/wallet-sync.js';

type Context = Pick<WalletContext, 'keystore' | 'store' | 'workers'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
  readonly sync: WalletSync;
}

/** Output to locate, and the address that its exporter claims for it. */
export type ClaimedOutput = OutputHint & { readonly subaddress?: ExportedOutput['subaddress'] };

/** An output of an export with its address, and with the secret facts of the form of the fork if it has that form. */
export type LocatedExport = LocatedOutput & { readonly carrot?: KeptExtensions };

/** An output of the old form with its address. */
type LocatedLegacy = Omit<LocatedOutput, 'carrot'>;

/** Largest index of an output in its transaction that an import accepts. Source: wallet2.cpp `import_outputs`. */
const MAX_OUTPUT_INDEX = 65_535;

const notOwn = (): WalletError =>
  new WalletError({ kind: 'invalid', reason: 'an output does not belong to this wallet' });

function assertIndices(outputs: readonly Pick<OutputHint, 'outputIndex'>[]): void {
  if (outputs.every(({ outputIndex }) => outputIndex <= MAX_OUTPUT_INDEX)) return;
  throw new WalletError({
    kind: 'invalid',
    reason: 'the index of an output within its transaction is too high',
    text: 'internal output index seems outrageously high, rejecting',
  });
}

/** Recognises outputs of this wallet that another wallet with the same keys exported, without access to the chain. */
export class OutputLocator {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** True if this wallet reads the chain itself. */
  isHot(): boolean {
    return this.#context.store.read((r) => r.chain.tip()) !== undefined;
  }

  /**
   * Finds the own address that each exported output of either form pays, and what its key image is computed from: the derivation,
   * which the caller must wipe, or the extensions, computed anew from the keys of this wallet.
   * @throws WalletError `invalid` for an output that does not belong to this wallet.
   */
  async locateExported(outputs: readonly ExportedOutput[]): Promise<LocatedExport[]> {
    const ofFork = outputs.filter(({ context }) => context !== undefined);
    assertIndices(ofFork);
    const reopened = (await this.#reopen(ofFork)).values();
    const located = (await this.locate(outputs.filter(({ context }) => context === undefined))).values();
    return outputs.map(
      ({ context }) => (context === undefined ? located : reopened).next().value as LocatedExport,
    );
  }

  /** Computes the extensions of outputs in the form of the fork. @throws WalletError `invalid` as {@link locateExported} */
  async #reopen(outputs: readonly ExportedOutput[]): Promise<LocatedExport[]> {
    const { keystore, workers } = this.#context;
    const { viewSecret, spendPublicKey } = keystore.keys;
    const claimed = outputs.map(({ context, subaddress, ...output }) => {
      if (context === undefined || subaddress === undefined) throw notOwn();
      return {
        ...{ publicKey: output.publicKey, outputIndex: output.outputIndex, subaddress },
        ...{ derivationKey: output.txPublicKey, amount: amount(output.amount), context },
        spendPublicKey: this.#services.accounts.decoded(subaddress).spendPublicKey,
      };
    });
    const keys = { viewSecret: viewSecret.expose(), spendPublicKey };
    const found = await workers.keyImages.reopen(claimed, keys);
    return zip(claimed, found).map(([{ publicKey, outputIndex, derivationKey, subaddress }, carrot]) => {
      if (carrot === undefined) throw notOwn();
      return { publicKey, outputIndex, derivationKey, subaddress, carrot };
    });
  }

  /**
   * Finds the own address that each output of the old form pays, and its derivation, which the caller must wipe.
   * @throws WalletError `invalid` for an output that does not belong to this wallet.
   */
  async locate(outputs: readonly ClaimedOutput[]): Promise<LocatedLegacy[]> {
    assertIndices(outputs);
    const { keys } = this.#context.keystore;
    // A wallet that is always offline never refreshes; a refresh would derive the lookahead.
    if (!this.isHot()) await this.#services.sync.watched.derive();
    const found = await this.#context.workers.keyImages.locate(outputs, {
      viewSecret: keys.viewSecret.expose(),
    });
    let located: LocatedLegacy[] = [];
    try {
      located = zip(outputs, found).map(([output, candidates]) => this.#chosen(output, candidates));
      return located;
    } finally {
      const kept = new Set(knownDerivations(located));
      for (const derivation of knownDerivations(found.flat())) if (!kept.has(derivation)) derivation.fill(0);
    }
  }

  /**
   * Chooses the candidate that has an address of this wallet.
   * @throws WalletError `invalid` if no candidate has such an address.
   */
  #chosen(
    { publicKey, outputIndex, subaddress: claimed }: ClaimedOutput,
    candidates: readonly OutputCandidate[],
  ): LocatedLegacy {
    const { store } = this.#context;
    const { accounts } = this.#services;
    for (const { derivationKey, derivation, spendPublicKey } of candidates) {
      const isOf = (index: SubaddressIndex | undefined): index is SubaddressIndex =>
        index !== undefined && equalBytes(accounts.decoded(index).spendPublicKey, spendPublicKey);
      const subaddress =
        store.read((r) => r.subaddresses.find(spendPublicKey)) ??
        [claimed, store.read((r) => r.imported.addressOf(publicKey))].find(isOf);
      if (subaddress !== undefined) return { publicKey, outputIndex, derivationKey, derivation, subaddress };
    }
    throw notOwn();
  }

  /**
   * Lets this wallet know the addresses of outputs: an export can contain addresses beyond its lookahead, and payments
   * from these addresses are signed later, too.
   */
  async watch(subaddresses: readonly SubaddressIndex[]): Promise<void> {
    const { store } = this.#context;
    const { accounts, sync } = this.#services;
    const unknown = store.read((r) =>
      subaddresses.filter(
        (index) => r.subaddresses.find(accounts.decoded(index).spendPublicKey) === undefined,
      ),
    );
    if (unknown.length > 0) await sync.watched.add(unknown);
  }
}
