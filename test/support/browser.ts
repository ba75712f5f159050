import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';

/** Paths of Chromium on Debian and its relatives. */
const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Starts a headless Chromium. @param args further arguments. @throws Error with an install hint when it is missing. */
export async function startBrowser(args: readonly string[] = []): Promise<Browser> {
  const executablePath = PATHS.find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new Error('Chromium is not installed: sudo apt-get install chromium');
  // The sandbox of Chromium does not start for root, nor in most containers.
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
}

/** Checks the accessibility of a page. @returns violated rules with the elements that violate them. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // The page keeps it until it is loaded anew.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
