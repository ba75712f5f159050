import type { Db } from './file/database.js';
import { AccountTagReader } from './tables/account-tags.js';
import { AccountReader, SubaddressReader } from './tables/accounts.js';
import { AddressBookReader } from './tables/address-book.js';
import { AttributeReader } from './tables/attributes.js';
import { ChainReader } from './tables/chain.js';
import { SpendableOutputReader } from './queries/spendable-outputs.js';
import { IncomingReader } from './queries/incoming.js';
import { ImportedOutputReader } from './tables/imported-outputs.js';
import { MetaReader } from './tables/meta.js';
import { MultisigReader } from './tables/multisig.js';
import { NoteReader, OutgoingReader, TxKeyReader } from './tables/outgoing.js';
import { BalanceReader } from './queries/balances.js';
import { OutputReader } from './tables/outputs.js';
import { PaymentReader } from './tables/payments.js';
import { AmbiguousSpendReader } from './tables/ambiguous-spends.js';
import { PoolReader } from './tables/pool.js';
import { TransferPageReader } from './queries/transfer-pages.js';
import { ImportedKeyImageReader } from './tables/imported-key-images.js';
import { WatchReader } from './queries/watched-outputs.js';
import { WebhookDeliveryReader } from './tables/webhook-deliveries.js';
import { WebhookReader } from './tables/webhooks.js';

/** Reads a wallet's store. */
export class WalletReader {
  readonly meta: MetaReader;
  readonly chain: ChainReader;
  readonly outputs: OutputReader;
  readonly spendableOutputs: SpendableOutputReader;
  readonly balances: BalanceReader;
  readonly watch: WatchReader;
  readonly incoming: IncomingReader;
  readonly transferPages: TransferPageReader;
  readonly payments: PaymentReader;
  readonly outgoing: OutgoingReader;
  readonly txKeys: TxKeyReader;
  readonly notes: NoteReader;
  readonly pool: PoolReader;
  readonly accounts: AccountReader;
  readonly subaddresses: SubaddressReader;
  readonly accountTags: AccountTagReader;
  readonly ambiguousSpends: AmbiguousSpendReader;
  readonly addressBook: AddressBookReader;
  readonly attributes: AttributeReader;
  readonly imported: ImportedOutputReader;
  readonly importedKeyImages: ImportedKeyImageReader;
  readonly multisig: MultisigReader;
  readonly webhooks: WebhookReader;
  readonly webhookDeliveries: WebhookDeliveryReader;

  constructor(db: Db) {
    this.meta = new MetaReader(db);
    this.chain = new ChainReader(db);
    this.outputs = new OutputReader(db);
    this.spendableOutputs = new SpendableOutputReader(db);
    this.balances = new BalanceReader(db);
    this.watch = new WatchReader(db);
    this.incoming = new IncomingReader(db);
    this.transferPages = new TransferPageReader(db);
    this.payments = new PaymentReader(db);
    this.outgoing = new OutgoingReader(db);
    this.txKeys = new TxKeyReader(db);
    this.notes = new NoteReader(db);
    this.pool = new PoolReader(db);
    this.accounts = new AccountReader(db);
    this.subaddresses = new SubaddressReader(db);
    this.accountTags = new AccountTagReader(db);
    this.ambiguousSpends = new AmbiguousSpendReader(db);
    this.addressBook = new AddressBookReader(db);
    this.attributes = new AttributeReader(db);
    this.imported = new ImportedOutputReader(db);
    this.importedKeyImages = new ImportedKeyImageReader(db);
    this.multisig = new MultisigReader(db);
    this.webhooks = new WebhookReader(db);
    this.webhookDeliveries = new WebhookDeliveryReader(db);
  }
}
