import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { until } from '../support/fakes/until.js';
import { Payer, type PayerOptions } from './payer.js';

/** Paying wallet of one server, in a process of its own. */
export class SinglePayer extends Payer {
  #server: WalletRpc;

  private constructor(options: PayerOptions, server: WalletRpc) {
    super(options);
    this.#server = server;
  }

  static async start(options: PayerOptions): Promise<SinglePayer> {
    return new SinglePayer(options, await startServer(options));
  }

  protected override get port(): number {
    return this.#server.port;
  }

  override get password(): string {
    return '';
  }

  override get log(): string {
    return this.#server.process.output();
  }

  protected override strike(): void {
    this.#server.process.child.kill('SIGKILL');
  }

  override async kill(): Promise<void> {
    this.lookForBugs();
    this.kills += 1;
    await this.#server.stop({ signal: 'SIGKILL', keep: true });
  }

  override async restart(): Promise<void> {
    this.#server = await startServer(this.options, this.#server.walletDir);
    await until(
      'the wallet to open',
      async () => (await this.calls.rpc('open_wallet', { password: this.password })) && true,
    );
  }

  override async reload(): Promise<void> {
    const { process } = this.#server;
    const before = process.output().length;
    process.child.kill('SIGHUP');
    await until('the reload', () =>
      /Credentials (were read again|stay)/.test(process.output().slice(before)),
    );
  }

  override async stop(): Promise<void> {
    this.lookForBugs();
    await this.#server.stop({ signal: 'SIGKILL', keep: false });
  }
}

const startServer = (
  { world: { proxy, clock }, args }: PayerOptions,
  walletDir?: string,
): Promise<WalletRpc> =>
  startWalletProcess({
    daemon: proxy.address,
    env: clock.env,
    checked: true,
    ...(walletDir === undefined ? {} : { walletDir }),
    args: ['--trusted-daemon', '--refresh-period=1', ...args],
  });
