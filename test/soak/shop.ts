import { EXPECTED_REFUSALS, SMALLEST_PAYMENT } from '../crash/random-calls.js';
import type { Random } from '../support/fakes/seeded-random.js';
import type { WalletLoad } from '../crash/wallet-load.js';
import { ask, Refusal } from '../crash/wallet-client.js';
import { killMoment } from '../support/processes/kill-moment.js';
import type { Loose } from '../support/network/json-rpc.js';

/** Addresses of an account: a restored wallet watches 200 of each. */
const ADDRESSES = 100;
const ACCOUNTS = 30;
const PAGE = 1000;

/** Payment request as the shop knows it. */
interface ShopRequest {
  readonly id: string;
  readonly address: string;
  readonly account: number;
  readonly minor: number;
}

export interface ShopParts {
  readonly load: WalletLoad;
  readonly random: Random;
  /** Called with the address of each request. */
  readonly onAddress: (address: string) => void;
  readonly pauseMs: number;
  readonly isPassing: (code: number) => boolean;
  readonly onFault: (fault: string) => void;
}

/** Shop that asks for payments by requests, in accounts of its wallet, and compares their states with the payments. */
export class Shop {
  readonly requests = new Map<string, ShopRequest>();
  readonly #parts: ShopParts;
  #account: number | undefined;
  #inAccount = 0;
  #accounts = 0;
  #asked = 0;
  #isRunning = false;
  #work: Promise<void> = Promise.resolve();

  constructor(parts: ShopParts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#isRunning = true;
    this.#work = this.#sell();
  }

  async end(): Promise<void> {
    this.#isRunning = false;
    await this.#work;
  }

  async #sell(): Promise<void> {
    const { pauseMs, isPassing, onFault } = this.#parts;
    while (this.#isRunning) {
      try {
        await this.#request();
      } catch (error) {
        if (error instanceof Refusal && !EXPECTED_REFUSALS.has(error.code) && !isPassing(error.code))
          onFault(error.message);
      }
      await killMoment(pauseMs);
    }
  }

  /** Creates one payment request, with a key, so that a lost answer is no second request. */
  async #request(): Promise<void> {
    const { load, random, onAddress } = this.#parts;
    if (this.#account === undefined || this.#inAccount >= ADDRESSES) {
      if (this.#accounts >= ACCOUNTS) return;
      const label = `shop ${this.#accounts}`;
      const { account_index } = await ask(load.any, 'create_account', { label });
      load.facts.acknowledge(`account/${String(account_index)}`, label);
      this.#account = Number(account_index);
      this.#accounts += 1;
      this.#inAccount = 0;
    }
    const account_index = this.#account;
    const idempotency_key = `request ${this.#asked++}`;
    const params = {
      ...{ account_index, idempotency_key, label: idempotency_key, metadata: { item: random.text() } },
      ...(random.chance(0.2) ? {} : { amount: SMALLEST_PAYMENT * (1 + random.below(1500)) }),
      ...(random.chance(0.3) ? { expires_in: 60 + random.below(600) } : {}),
    };
    this.#inAccount += 1;
    while (this.#isRunning)
      try {
        const { request_id, address, subaddr_index } = await ask(load.any, 'create_payment_request', params);
        const [id, minor] = [String(request_id), Number(subaddr_index.minor)];
        const known = this.requests.get(idempotency_key);
        if (known !== undefined && known.id !== id)
          this.#parts.onFault(`${idempotency_key} has two requests`);
        this.requests.set(idempotency_key, {
          ...{ id, minor, address: String(address), account: Number(subaddr_index.major) },
        });
        load.facts.acknowledge(`request/${id}`, String(minor));
        onAddress(String(address));
        return;
      } catch (error) {
        if (error instanceof Refusal && !this.#parts.isPassing(error.code)) throw error;
        await killMoment(this.#parts.pauseMs);
      }
  }

  /** Compares the sums of all requests with the payments to their addresses. */
  async check(): Promise<void> {
    const { load, onFault } = this.#parts;
    const listed = new Map<string, Loose>();
    for (let cursor: string | undefined; ;) {
      const page = await ask(load.patient, 'list_payment_requests', {
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      const rows = (page.requests ?? []) as Loose[];
      for (const row of rows) listed.set(String(row.request_id), row);
      if (page.cursor === undefined) break;
      cursor = String(page.cursor);
    }
    const { in: incoming = [] } = await ask(load.patient, 'get_transfers', { in: true, all_accounts: true });
    const paid = new Map<string, bigint>();
    for (const { subaddr_index, amount } of incoming as Loose[]) {
      const place = `${subaddr_index.major}/${subaddr_index.minor}`;
      paid.set(place, (paid.get(place) ?? 0n) + BigInt(amount));
    }
    for (const [key, { id, address, account, minor }] of this.requests) {
      const row = listed.get(id);
      if (row === undefined) {
        onFault(`${load.wallet}: ${key} is lost`);
        continue;
      }
      if (row.address !== address) onFault(`${load.wallet}: ${key} has another address`);
      const sum = BigInt(row.received) + BigInt(row.received_locked) + BigInt(row.late);
      const mined = paid.get(`${account}/${minor}`) ?? 0n;
      if (sum !== mined)
        onFault(
          `${load.wallet}: ${key} has received ${sum}, its address ${mined}: ${JSON.stringify(row).slice(0, 300)}`,
        );
    }
  }
}
