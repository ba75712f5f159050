import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

/** Chromium without windows, of Debian: it opens a page in half the time that Chromium itself takes. */
const PROGRAM = '/usr/bin/chromium-headless-shell';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Starts a headless Chromium. @param args further arguments. @throws Error with an install hint when it is missing. */
export async function startBrowser(args: readonly string[] = []): Promise<Browser> {
  if (!existsSync(PROGRAM))
    throw new Error('Chromium is not installed: sudo apt-get install chromium-headless-shell');
  // The sandbox of Chromium does not start for root, nor in most containers.
  return chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', ...args] });
}

/** Rules of axe that depend on colours, of those that it applies by default (the tag `cat.color` has one more). */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Pages of a test file, whose errors and foreign requests are recorded. */
export class WatchedPages {
  /** Errors of the console, and requests to other servers than that of the address, of all pages since the last test. */
  faults: string[] = [];
  readonly #browser: Browser;
  readonly #options: BrowserContextOptions;
  /** Page without options of its own; one after the other uses it, since a new window takes half a second of a processor. */
  #ordinary: Page | undefined;
  #origin = '';

  /** @param options of a page that sets no others */
  constructor(browser: Browser, options: BrowserContextOptions = {}) {
    this.#browser = browser;
    this.#options = options;
  }

  /** Opens an address for a task. A page with options of its own has a new context. */
  async open(
    url: string,
    task: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<void> {
    const isOrdinary = Object.keys(options).length === 0;
    const page = (isOrdinary ? this.#ordinary : undefined) ?? (await this.#create(options));
    this.#ordinary = isOrdinary ? undefined : this.#ordinary;
    let isReusable = false;
    try {
      this.#origin = new URL(url).origin;
      const { viewport } = this.#options;
      if (isOrdinary && viewport) await page.setViewportSize(viewport);
      if (isOrdinary) await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(url);
      await task(page);
      if (isOrdinary) {
        // Ends the streams of the page.
        await page.goto('about:blank');
        await page.context().clearCookies();
        isReusable = true;
      }
    } finally {
      if (isReusable) this.#ordinary = page;
      else await page.context().close();
    }
  }

  async #create(options: BrowserContextOptions): Promise<Page> {
    const context = await this.#browser.newContext({ ...this.#options, ...options });
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') this.faults.push(message.text());
    });
    page.on('pageerror', (error) => this.faults.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith(this.#origin) && !request.url().startsWith('data:'))
        this.faults.push(`request to ${request.url()}`);
    });
    return page;
  }
}

/**
 * Checks the accessibility of a page.
 * @param rules names the rules: those that depend on colours, where the others have passed in another colour scheme.
 * @returns violated rules with the elements that violate them.
 */
export async function accessibilityFaults(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  // The page keeps it until it is loaded anew.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  const options = rules === 'all' ? {} : { runOnly: { type: 'rule', values: COLOUR_RULES } };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
