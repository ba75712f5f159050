import type { WalletMethod } from '../src/rpc/method.js';
import { clientMethods, HEAD } from './client-methods.js';
import type { ClientType, Member } from './client-schema.js';
import { commentLines, interfaceLines, nameOf, signatureLines, unionLines } from './typescript-lines.js';

/** Names for objects that occur in several results, by the first member that contains the object. */
const NAMES: Readonly<Record<string, string>> = {
  DescribeTransferDesc: 'TransferDescription',
  DescribeTransferDescRecipients: 'TransferRecipient',
  DescribeTransferDescSources: 'TransferSource',
  DescribeTransferSummary: 'TransferSummary',
  ExportKeyImagesSignedKeyImages: 'SignedKeyImage',
  ExportPaymentsPayments: 'ExportedPayment',
  ExportPaymentsPaymentsDestinations: 'PaidDestination',
  GetAccountTagsAccountTags: 'AccountTag',
  GetAccountsSubaddressAccounts: 'Account',
  GetAddressAddresses: 'SubaddressEntry',
  GetAddressBookEntries: 'AddressBookEntry',
  GetAddressIndexIndex: 'SubaddressIndex',
  GetBalancePerSubaddress: 'AddressBalance',
  GetBulkPaymentsPayments: 'Payment',
  GetEventsEvents: 'WalletEvent',
  GetEventsTypes: 'EventType',
  OrderTransactions: 'OrderTransaction',
  GetTransferByTxidTransfer: 'TransferEntry',
  ImportKeyImagesSignedKeyImages: 'ImportedKeyImage',
  IncomingTransfersTransfers: 'IncomingTransfer',
  LabelAddressIndex: 'IndexParams',
  ListDeliveriesDeliveries: 'WebhookDelivery',
  ListWalletsWallets: 'ListedWallet',
  ListWebhooksWebhooks: 'Webhook',
  ParseUriUri: 'PaymentUri',
  PaymentRequestPayments: 'RequestPayment',
  PaymentRequestSubaddrIndex: 'AddressIndex',
  SweepAllAmountsByDestList: 'DestinationAmounts',
  SweepAllSpentKeyImagesList: 'SpentKeyImages',
  TransferDestinations: 'Destination',
};

/** Names of equal results of several methods, by the type of each result. */
const RESULTS: Readonly<Record<string, string>> = {
  CancelPaymentRequestResult: 'PaymentRequest',
  ExtendPaymentRequestResult: 'PaymentRequest',
  GetPaymentRequestResult: 'PaymentRequest',
  RefundPaymentRequestResult: 'PaymentRequest',
  GetBulkPaymentsResult: 'Payments',
  GetPaymentsResult: 'Payments',
  GetOrderResult: 'Order',
  SubmitMultisigResult: 'SubmittedTransactions',
  SubmitTransferResult: 'SubmittedTransactions',
  SweepAllResult: 'MadeTransactions',
  SweepDustResult: 'MadeTransactions',
  TransferSplitResult: 'MadeTransactions',
  SweepSingleResult: 'MadeTransaction',
  TransferResult: 'MadeTransaction',
};

/** Longest union of literals that is written in place instead of declared [characters]. */
const SHORT_UNION = 80;

/** Part of the file that declares one type. */
interface Declaration {
  readonly name: string;
  readonly lines: readonly string[];
}

/** Collects the types of all methods; equal objects become one interface. */
class TypeCollector {
  readonly declarations: Declaration[] = [];
  readonly #named = new Map<string, string>();

  /** Declares the interface of an object. @param wish name, used unless an equal object has one already. */
  object(wish: string, members: readonly Member[], summary = ''): string {
    const lines = members.flatMap((member) => this.#memberLines(wish, member));
    const text = lines.join('\n');
    const known = this.#named.get(text);
    if (known !== undefined && summary === '') return known;
    const name = this.#free(NAMES[wish] ?? wish);
    if (summary === '') this.#named.set(text, name);
    this.declarations.push({ name, lines: interfaceLines(name, lines, summary) });
    return name;
  }

  /** Declares the type of a result. @param name of the type, which is an alias if results of other methods are equal. */
  result(name: string, members: readonly Member[], summary: string): string {
    const shared = RESULTS[name];
    if (shared === undefined) return this.object(name, members, summary);
    const found = this.object(shared, members);
    if (found !== shared) throw new Error(`${name} does not equal ${shared}, but ${found}`);
    this.declarations.push({ name, lines: [...commentLines(summary), `export type ${name} = ${shared};`] });
    return name;
  }

  #free(name: string): string {
    if (this.declarations.some((declared) => declared.name === name))
      throw new Error(`two types are called ${name}`);
    return name;
  }

  #memberLines(owner: string, member: Member): string[] {
    const { name, isOptional, description, default: fallback } = member;
    const notes = [
      ...(description === '' ? [] : [description]),
      ...(fallback === undefined ? [] : [`Default: \`${fallback}\``]),
    ];
    const text = this.#typeText(`${owner.replace(/(?:Params|Result)$/, '')}${nameOf(name)}`, member.type);
    // Callers may pass undefined for an absent parameter.
    const type = member.takesUndefined ? `${text} | undefined` : text;
    return [
      ...commentLines(notes.map((note) => `${note}.`).join(' '), '  '),
      ...propertyLines(`  readonly ${name}${isOptional ? '?' : ''}:`, type),
    ];
  }

  #typeText(wish: string, type: ClientType): string {
    switch (type.kind) {
      case 'plain':
        return type.text;
      case 'choice':
        return this.#choice(wish, type.options);
      case 'list': {
        const item = this.#typeText(wish, type.item);
        return /^\w+$/.test(item) ? `readonly ${item}[]` : `readonly (${item})[]`;
      }
      case 'object':
        return this.object(wish, type.members);
      case 'union':
        return this.#union(wish, type.variants);
      case 'either':
        return type.variants.map((variant) => this.#typeText(wish, variant)).join(' | ');
    }
  }

  #choice(wish: string, options: readonly string[]): string {
    const text = options.map((option) => `'${option}'`).join(' | ');
    const known = this.#named.get(text);
    if (known !== undefined || text.length <= SHORT_UNION) return known ?? text;
    const name = this.#free(NAMES[wish] ?? wish);
    this.#named.set(text, name);
    this.declarations.push({ name, lines: unionLines(name, options) });
    return name;
  }

  /** Declares a union of objects, each named by the value of its member `type`. */
  #union(wish: string, variants: readonly ClientType[]): string {
    const names = variants.map((variant) => {
      if (variant.kind !== 'object') throw new Error(`${wish}: a union of other types than objects`);
      const tag = variant.members.find(({ name }) => name === 'type')?.type;
      if (tag?.kind !== 'choice' || tag.options[0] === undefined)
        throw new Error(`${wish}: a variant without a literal type`);
      return this.object(`${nameOf(tag.options[0])}Event`, variant.members);
    });
    const name = this.#free(NAMES[wish] ?? wish);
    this.declarations.push({
      name,
      lines: [`export type ${name} =`, ...names.map((one) => `  | ${one}`)].map((line, i) =>
        i === names.length ? `${line};` : line,
      ),
    });
    return name;
  }
}

/** Longest line that the format check leaves on one line [characters]. */
const LINE = 110;

/** Writes a property; a union that is too long for one line is written with one line for each variant. */
function propertyLines(head: string, type: string): string[] {
  const line = `${head} ${type};`;
  if (line.length <= LINE || !type.includes(' | ')) return [line];
  // A union inside parentheses is an item of a list.
  const variants = type.split(/ \| (?![^(]*\))/).map((variant) => `    | ${variant}`);
  return [head, ...variants.slice(0, -1), `${variants.at(-1) ?? ''};`];
}

/** Writes the types of all methods: their parameters and results, and an interface with the methods. */
export function clientTypes(methods: readonly WalletMethod[]): string {
  const types = new TypeCollector();
  const signatures = clientMethods(methods).flatMap(({ name, summary, kind, params, result }) => {
    const type = nameOf(name);
    const isRequired = params.some(({ isOptional }) => !isOptional);
    const given =
      params.length === 0 ? 'NoMembers' : types.object(`${type}Params`, params, `Parameters of ${name}.`);
    const returned =
      result.length === 0 ? 'NoMembers' : types.result(`${type}Result`, result, `Result of ${name}.`);
    const options = kind === 'order' ? 'OrderOptions' : 'CallOptions';
    return [
      ...commentLines(summary, '  '),
      ...signatureLines(
        name,
        [`params${isRequired ? '' : '?'}: ${given}`, `options?: ${options}`],
        `Promise<${returned}>`,
      ),
    ];
  });
  return [
    HEAD,
    "import type { CallOptions, OrderOptions } from './call-options.js';",
    '',
    '/** Object without members. */',
    'export type NoMembers = Readonly<Record<string, never>>;',
    '',
    '/** Object whose members the types do not name. Integers beyond the safe ones are bigint. */',
    'export type JsonObject = Readonly<Record<string, unknown>>;',
    '',
    ...types.declarations.flatMap(({ lines }) => [...lines, '']),
    '/** Methods of the server. */',
    'export interface WalletMethods {',
    ...signatures,
    '}',
    '',
  ].join('\n');
}
