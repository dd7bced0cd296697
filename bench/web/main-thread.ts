/**
 * The CPU time of the browser's main thread while a page loads on a screen of a phone, from Chromium's trace: in all, what exceeds
 * 50 ms in single tasks on a CPU four times slower, and its causes. Unlike Lighthouse's blocking time, which is elapsed time, it
 * varies little with other load. Several versions are loaded in turn.
 *
 * Usage: npm run build && npm run bench:main-thread -- [loads] [page] [folder of another checkout, installed and built]...
 */
import { type Browser, chromium } from '@playwright/test';
import { ensureChromium } from '../../tools/chromium.mjs';
import { type Demo, issueTokens, startDemo } from './demo.ts';

/** As Lighthouse simulates a phone. */
const PHONE = { viewport: { width: 412, height: 823 }, deviceScaleFactor: 1.75, isMobile: true, hasTouch: true };
const SLOWDOWN = 4;
/** A longer task makes an input wait noticeably (web.dev/articles/tbt). */
const TASK_LIMIT_MS = 50;
/** Enough for everything that loads when the browser is idle. */
const LOAD_MS = 4000;
const CATEGORIES = [
  'blink.user_timing',
  'devtools.timeline',
  'v8',
  'v8.execute',
  'toplevel',
  'loading',
  'disabled-by-default-devtools.timeline',
];
/** Of a single cause; less is noise. */
const SHOWN_MS = 5;

/** Times in microseconds. `dur` is elapsed time, `tdur` CPU time of the thread. */
interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  tdur?: number;
  args?: { fileName?: string; data?: { url?: string; documentLoaderURL?: string } };
}
interface Slice extends TraceEvent {
  dur: number;
}

/** Milliseconds by name. */
type Figures = Record<string, number>;

const [loads = 9, page = '/proxies', ...others] = process.argv.slice(2);
const executablePath = ensureChromium();
const checkouts = ['.', ...others];
const demos: Demo[] = [];
try {
  for (const checkout of checkouts) demos.push(await startDemo(checkout, '.data/bench-main-thread.log'));
  const tokens = await Promise.all(demos.map(({ url }) => issueTokens(url)));
  const figures: Figures[][] = demos.map(() => []);
  // Load 0 is a warm-up.
  for (let load = 0; load <= Number(loads); load++)
    for (const [index, { url }] of demos.entries()) {
      const measured = evaluate(await trace(url, tokens[index]!), url + page);
      if (load > 0) figures[index]!.push(measured);
    }
  print(figures);
} finally {
  for (const demo of demos) await demo.stop();
}
process.exit(0);

/** Loads the page in a new browser. */
async function trace(url: string, tokens: string): Promise<TraceEvent[]> {
  const browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: ['--no-sandbox'],
  });
  try {
    const context = await browser.newContext(PHONE);
    const tab = await context.newPage();
    await tab.goto(`${url}/robots.txt`);
    await tab.evaluate((text) => localStorage.setItem('tokens', text), tokens);
    const stopTracing = await startTracing(browser);
    await tab.goto(url + page);
    await tab.waitForTimeout(LOAD_MS);
    return await stopTracing();
  } finally {
    await browser.close();
  }
}

async function startTracing(browser: Browser): Promise<() => Promise<TraceEvent[]>> {
  const session = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const completed = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES },
  });
  return async () => {
    await session.send('Tracing.end');
    await completed;
    return events;
  };
}

function evaluate(events: readonly TraceEvent[], address: string): Figures {
  const start = events.findLast(
    ({ name, args }) => name === 'navigationStart' && args?.data?.documentLoaderURL === address,
  )!;
  const inPage = events.filter(({ pid, ts }) => pid === start.pid && ts >= start.ts);
  const firstPaint = inPage.find(({ name }) => name === 'firstContentfulPaint')!.ts;
  const largestPaint = inPage.findLast(({ name }) => name === 'largestContentfulPaint::Candidate')!.ts;
  const slices = inPage
    .filter((event): event is Slice => event.tid === start.tid && event.ph === 'X' && event.dur !== undefined)
    .toSorted((one, other) => one.ts - other.ts || other.dur - one.dur);
  const tasks = outermost(slices.filter(({ name }) => name.endsWith('RunTask')));

  const figures: Figures = { 'CPU time': 0, blocking: 0, 'blocking after the largest paint': 0 };
  for (const task of tasks) {
    const cpu = (task.tdur ?? task.dur) / 1000;
    figures['CPU time']! += cpu;
    const blocking = cpu * SLOWDOWN - TASK_LIMIT_MS;
    if (blocking <= 0 || endOf(task) < firstPaint) continue;
    figures['blocking']! += blocking;
    if (task.ts > largestPaint) figures['blocking after the largest paint']! += blocking;
    const inside = slices.filter((slice) => slice.ts >= task.ts && endOf(slice) <= endOf(task));
    for (const [slice, own] of ownTimes(inside)) {
      const cause = `  ${slice.name}${fileOf(slice)}`;
      figures[cause] = (figures[cause] ?? 0) + (blocking * own) / task.dur;
    }
  }
  return figures;
}

function endOf({ ts, dur }: Slice): number {
  return ts + dur;
}

/** Of slices sorted by start, those that are inside no other one. */
function outermost(slices: readonly Slice[]): Slice[] {
  const found: Slice[] = [];
  for (const slice of slices) if (found.length === 0 || slice.ts >= endOf(found.at(-1)!)) found.push(slice);
  return found;
}

/** The time of each slice without that of the slices inside it. Sorted by start, the outer one first. */
function ownTimes(slices: readonly Slice[]): Map<Slice, number> {
  const own = new Map(slices.map((slice) => [slice, slice.dur]));
  const open: Slice[] = [];
  for (const slice of slices) {
    while (open.length > 0 && endOf(open.at(-1)!) <= slice.ts) open.pop();
    const outer = open.at(-1);
    if (outer !== undefined) own.set(outer, own.get(outer)! - slice.dur);
    open.push(slice);
  }
  return own;
}

/** Without the hash, so that the same file of different versions has the same name. */
function fileOf({ name, args }: Slice): string {
  const file = args?.fileName ?? args?.data?.url ?? '';
  if (file === '' || !/FunctionCall|evaluate/i.test(name)) return '';
  return ` ${file
    .split('/')
    .at(-1)!
    .replace(/-[\w-]{8}(?=\.\w+$)/, '')}`;
}

/** Means: blocking time is a sum over a few tasks near the limit, whose median jumps. */
function print(figures: readonly Figures[][]): void {
  const names = [...new Set(figures.flat().flatMap(Object.keys))];
  const rows = names.map((name) => ({ name, means: figures.map((list) => mean(list.map((each) => each[name] ?? 0))) }));
  console.log(`${page}, ms, means of ${loads} loads`.padEnd(60), ...checkouts.map((checkout) => checkout.padStart(16)));
  for (const { name, means } of rows.filter(
    ({ name, means }) => !name.startsWith(' ') || Math.max(...means) > SHOWN_MS,
  ))
    console.log(name.padEnd(60), ...means.map((value) => value.toFixed(0).padStart(16)));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
