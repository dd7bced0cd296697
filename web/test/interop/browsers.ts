/** Firefox by WebDriver BiDi and WebKit by classic WebDriver, behind one interface: no library drives both from Debian's packages. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../../tools/ports.mjs';

const START_MS = 60_000;
const COMMAND_MS = 60_000;
const HEIGHT = 900;

export interface Browser {
  /** Waits until the page has loaded. */
  open: (url: string) => Promise<void>;
  /** Of the page, in CSS pixels. */
  resize: (width: number) => Promise<void>;
  /** @param expression JavaScript; @returns its value, which must be JSON */
  evaluate: (expression: string) => Promise<unknown>;
  /** The errors in the console until now. */
  errors: () => Promise<readonly string[]>;
  /** @returns PNG */
  takePicture: () => Promise<Buffer>;
  close: () => Promise<void>;
}

/** Errors when it has not written the text in time. @returns the match */
function untilWritten(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => reject(new Error(`No ${pattern} within ${START_MS} ms:\n${output}`)), START_MS);
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const match = pattern.exec(output);
      if (match === null) return;
      clearTimeout(timer);
      resolve(match);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`It ended with code ${code}:\n${output}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  message?: string;
}

async function openFirefox(): Promise<Browser> {
  const profile = mkdtempSync(path.join(tmpdir(), 'cellhop-firefox-'));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0'];
  const child = spawn(process.env['FIREFOX'] ?? 'firefox-esr', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [, address] = await untilWritten(child, /BiDi listening on (ws:\/\/\S+)/);
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error('no connection to Firefox')), { once: true });
  });
  const errors: string[] = [];
  const waiting = new Map<number, (message: Message) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    else if (message.params?.['level'] === 'error') errors.push(String(message.params['text']));
  });
  let lastId = 0;
  const send = (method: string, params: object) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const id = ++lastId;
      const timer = setTimeout(() => reject(new Error(`${method}: no answer`)), COMMAND_MS);
      waiting.set(id, ({ result, message }) => {
        clearTimeout(timer);
        waiting.delete(id);
        if (result === undefined) reject(new Error(`${method}: ${message}`));
        else resolve(result);
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  const { contexts } = (await send('browsingContext.getTree', {})) as { contexts: { context: string }[] };
  const context = contexts[0]!.context;
  return {
    open: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    resize: async (width) =>
      void (await send('browsingContext.setViewport', { context, viewport: { width, height: HEIGHT } })),
    evaluate: async (expression) => {
      const answer = await send('script.evaluate', {
        expression: `JSON.stringify(${expression})`,
        target: { context },
        awaitPromise: true,
      });
      const { result, exceptionDetails } = answer as {
        result?: { value?: string };
        exceptionDetails?: { text: string };
      };
      if (exceptionDetails !== undefined) throw new Error(`${expression}: ${exceptionDetails.text}`);
      return result?.value === undefined ? undefined : (JSON.parse(result.value) as unknown);
    },
    errors: async () => errors,
    takePicture: async () => {
      const { data } = (await send('browsingContext.captureScreenshot', { context })) as { data: string };
      return Buffer.from(data, 'base64');
    },
    close: async () => {
      socket.close();
      await end(child);
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** The window of the browser is never narrower than its toolbar. */
const NARROW_TOOLBAR =
  '* { min-width: 0; padding: 0; margin: 0; border: 0; font-size: 1px; -gtk-icon-transform: scale(0); }';

/** This driver gives no access to the console: the page itself records what is written after it has loaded. */
const RECORD_ERRORS = `(() => {
  const recorded = (window.recordedErrors = []);
  const write = console.error;
  console.error = (...values) => {
    recorded.push(values.map(String).join(' '));
    write(...values);
  };
  addEventListener('error', ({ message }) => recorded.push(String(message)));
  addEventListener('unhandledrejection', ({ reason }) => recorded.push(String(reason)));
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    recorded.push('policy: ' + violatedDirective + ' ' + blockedURI));
  return true;
})()`;

/** Draws on a screen of its own, because WebKit has no mode without one. */
async function openWebKit(): Promise<Browser> {
  const screen = spawn(process.env['XVFB'] ?? 'Xvfb', ['-displayfd', '1', '-screen', '0', '1600x1200x24'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [, display] = await untilWritten(screen, /^(\d+)$/m);
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), 'cellhop-webkit-'));
  mkdirSync(path.join(folder, 'gtk-3.0'));
  writeFileSync(path.join(folder, 'gtk-3.0/gtk.css'), NARROW_TOOLBAR);
  const child = spawn(process.env['WEBKIT_DRIVER'] ?? 'WebKitWebDriver', [`--port=${port}`], {
    env: {
      ...process.env,
      DISPLAY: `:${display}`,
      XDG_CONFIG_HOME: folder,
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const send = async (method: string, route: string, body?: object): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}${route}`, {
      method,
      signal: AbortSignal.timeout(COMMAND_MS),
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: unknown };
    if (!response.ok) throw new Error(`${route}: ${JSON.stringify(value)}`);
    return value;
  };
  const isReady = () =>
    send('GET', '/status').then(
      () => true,
      () => false,
    );
  for (const deadline = Date.now() + START_MS; !(await isReady());) {
    if (Date.now() > deadline) throw new Error('WebKitWebDriver does not answer');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const session = (await send('POST', '/session', { capabilities: {} })) as { sessionId: string };
  const base = `/session/${session.sessionId}`;
  const evaluate = (expression: string) =>
    send('POST', `${base}/execute/sync`, { script: `return ${expression}`, args: [] });
  const errors: string[] = [];
  const collectErrors = async () =>
    void errors.push(...((await evaluate('(window.recordedErrors ?? []).splice(0)')) as string[]));
  return {
    open: async (url) => {
      await collectErrors();
      await send('POST', `${base}/url`, { url });
      await evaluate(RECORD_ERRORS);
    },
    resize: async (width) => {
      await send('POST', `${base}/window/rect`, { width, height: HEIGHT });
      // The window may have borders.
      const inner = Number(await evaluate('window.innerWidth'));
      if (inner !== width) await send('POST', `${base}/window/rect`, { width: 2 * width - inner, height: HEIGHT });
    },
    evaluate,
    errors: async () => {
      await collectErrors();
      return errors;
    },
    takePicture: async () => Buffer.from((await send('GET', `${base}/screenshot`)) as string, 'base64'),
    close: async () => {
      await send('DELETE', base).catch(() => {}); // The processes end anyway.
      await end(child);
      await end(screen);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Those that the end-to-end tests do not use, by name. */
export const engines = [
  ['firefox', openFirefox],
  ['webkit', openWebKit],
] as const;
