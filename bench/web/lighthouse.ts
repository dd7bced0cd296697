/**
 * Lighthouse scores of the landing page and of the catalogue of a signed-in user, on a phone and on a desktop: medians of
 * several runs, each in a new browser profile.
 *
 * Usage: npm run build && npm run bench:lighthouse -- [runs] [url]
 * Without a URL the product is started with its demo data; an installation at a URL must have the demo user.
 */
import { signIn } from '@cellhop/contract/auth';
import { createClient } from '@cellhop/contract/client';
import { chromium } from '@playwright/test';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureChromium } from '../../tools/chromium.mjs';
import { startPostgres } from '../../tools/pg.mjs';
import { startProduct } from '../../tools/product.mjs';
import { cloneDatabase } from '../../tools/test-database.mjs';

/** Fetched by npx on demand, because nothing else needs its 100 packages. */
const LIGHTHOUSE = 'lighthouse@13.5.0';
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
const TIMES = {
  FCP: 'first-contentful-paint',
  LCP: 'largest-contentful-paint',
  TBT: 'total-blocking-time',
  CLS: 'cumulative-layout-shift',
} as const;

const DEMO_USER = { email: 'user@example.com', password: 'demo-password' };

interface Page {
  path: string;
  isSignedIn: boolean;
}

interface Report {
  categories: Record<(typeof CATEGORIES)[number], { score: number | null }>;
  audits: Record<string, { numericValue?: number; details?: { items?: unknown[] } }>;
  /** The speed of the machine: compare only runs with similar values. */
  environment: { benchmarkIndex: number };
  runtimeError?: { message: string };
}

const pages: Page[] = [
  { path: '/', isSignedIn: false },
  { path: '/proxies', isSignedIn: true },
];
const runs = Number(process.argv[2] ?? 3);
const givenUrl = process.argv[3];
const run = promisify(execFile);
const executablePath = ensureChromium();

const { url, stop } = givenUrl === undefined ? await startDemo() : { url: givenUrl, stop: () => Promise.resolve() };
const tokens = await issueTokens();
try {
  console.log(
    row(['Page', 'Device', ...CATEGORIES, ...Object.keys(TIMES), 'Transferred', 'Requests', 'benchmarkIndex']),
  );
  for (const device of ['mobile', 'desktop'] as const)
    for (const page of pages) {
      const reports: Report[] = [];
      for (let count = 0; count < runs; count++) reports.push(await measureWithRetries(page, device));
      console.log(line(page, device, reports));
    }
} finally {
  await stop();
}

async function startDemo() {
  const postgres = await startPostgres({ dataDir: '.data/pg-bench' });
  const database = await cloneDatabase(postgres.url, 'template1');
  const product = await startProduct({ databaseUrl: database.url, logFile: '.data/bench-lighthouse.log' });
  const stop = async () => {
    await product.stop();
    await database.drop();
    await postgres.stop();
  };
  return { url: product.url, stop };
}

/** What the web app stores after sign-in. An access token is valid for longer than all runs take. */
async function issueTokens(): Promise<string> {
  const { data } = await createClient({ baseUrl: url })(signIn, { body: DEMO_USER });
  const { accessToken, refreshToken, expiredAccessTokenAt } = data;
  return JSON.stringify({ accessToken, refreshToken, accessTokenExpiredAt: expiredAccessTokenAt });
}

/** Retries when Lighthouse has lost the start of its trace (NO_NAVSTART), which happens often on a busy machine. */
async function measureWithRetries(page: Page, device: 'mobile' | 'desktop', attempts = 10): Promise<Report> {
  try {
    return await measure(page, device);
  } catch (error) {
    if (attempts === 1 || !String(error).includes('NO_NAVSTART')) throw error;
    return measureWithRetries(page, device, attempts - 1);
  }
}

async function measure({ path: address, isSignedIn }: Page, device: 'mobile' | 'desktop'): Promise<Report> {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'lighthouse-'));
  const output = path.join(profile, 'report.json');
  try {
    if (isSignedIn) await storeTokens(profile);
    await run(
      'npx',
      [
        '--yes',
        LIGHTHOUSE,
        url + address,
        `--chrome-flags=--headless=new --no-sandbox --user-data-dir=${profile}`,
        // Keeps the tokens in the storage; otherwise the profile is new.
        '--disable-storage-reset',
        // The event stream never ends, so the page never becomes idle; everything else has finished by then.
        '--max-wait-for-load=15000',
        `--only-categories=${CATEGORIES.join(',')}`,
        '--output=json',
        `--output-path=${output}`,
        '--quiet',
        ...(device === 'desktop' ? ['--preset=desktop'] : []),
      ],
      { env: { ...process.env, CHROME_PATH: executablePath } },
    );
    const report = JSON.parse(readFileSync(output, 'utf8')) as Report;
    if (report.runtimeError !== undefined) throw new Error(report.runtimeError.message);
    return report;
  } finally {
    rmSync(profile, { recursive: true, force: true });
  }
}

/** Stores the tokens like the sign-in page of the web app. */
async function storeTokens(profile: string): Promise<void> {
  const browser = await chromium.launchPersistentContext(profile, {
    ...(executablePath === undefined ? {} : { executablePath }),
    args: ['--no-sandbox'],
  });
  const tab = await browser.newPage();
  await tab.goto(`${url}/robots.txt`);
  await tab.evaluate((text) => localStorage.setItem('tokens', text), tokens);
  await browser.close();
}

function line({ path: address }: Page, device: string, reports: readonly Report[]): string {
  const scores = CATEGORIES.map((category) =>
    Math.round(100 * median(reports.map(({ categories }) => categories[category].score ?? 0))),
  );
  const [fcp, lcp, tbt, cls] = Object.values(TIMES).map((audit) =>
    median(reports.map(({ audits }) => audits[audit]?.numericValue ?? Number.NaN)),
  ) as [number, number, number, number];
  const times = [seconds(fcp), seconds(lcp), `${Math.round(tbt)} ms`, cls.toFixed(3)];
  const transferred = median(reports.map(({ audits }) => audits['total-byte-weight']?.numericValue ?? Number.NaN));
  const requests = median(
    reports.map(({ audits }) => audits['network-requests']?.details?.items?.length ?? Number.NaN),
  );
  const speed = median(reports.map(({ environment }) => environment.benchmarkIndex));
  const sizes = [`${Math.round(transferred / 1024)} KB`, String(requests), String(Math.round(speed))];
  return row([`\`${address}\``, device, ...scores.map(String), ...times, ...sizes]);
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.padEnd(14)).join(' | ')} |`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
}
