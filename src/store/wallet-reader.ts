import type { Db } from './database.js';
import { AccountTagReader } from './account-tags.js';
import { AccountReader, SubaddressReader } from './accounts.js';
import { AddressBookReader } from './address-book.js';
import { AttributeReader } from './attributes.js';
import { ChainReader } from './chain.js';
import { CoinReader } from './coins.js';
import { IncomingReader } from './incoming.js';
import { ImportedOutputReader } from './imported-outputs.js';
import { MetaReader } from './meta.js';
import { MultisigReader } from './multisig.js';
import { NoteReader, OutgoingReader, TxKeyReader } from './outgoing.js';
import { HoldingReader } from './holdings.js';
import { OutputReader } from './outputs.js';
import { PaymentReader } from './payments.js';
import { PossibleSpendReader } from './possible-spends.js';
import { PoolReader } from './pool.js';
import { TransferPageReader } from './transfer-pages.js';
import { ToldKeyImageReader } from './told-key-images.js';
import { WatchReader } from './watched-outputs.js';

/** Reads a wallet's store. */
export class WalletReader {
  readonly meta: MetaReader;
  readonly chain: ChainReader;
  readonly outputs: OutputReader;
  readonly coins: CoinReader;
  readonly holdings: HoldingReader;
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
  readonly possibleSpends: PossibleSpendReader;
  readonly addressBook: AddressBookReader;
  readonly attributes: AttributeReader;
  readonly imported: ImportedOutputReader;
  readonly toldKeyImages: ToldKeyImageReader;
  readonly multisig: MultisigReader;

  constructor(db: Db) {
    this.meta = new MetaReader(db);
    this.chain = new ChainReader(db);
    this.outputs = new OutputReader(db);
    this.coins = new CoinReader(db);
    this.holdings = new HoldingReader(db);
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
    this.possibleSpends = new PossibleSpendReader(db);
    this.addressBook = new AddressBookReader(db);
    this.attributes = new AttributeReader(db);
    this.imported = new ImportedOutputReader(db);
    this.toldKeyImages = new ToldKeyImageReader(db);
    this.multisig = new MultisigReader(db);
  }
}
