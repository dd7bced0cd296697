/** curl and Chromium through the gateway as an https proxy. */
import { chromium } from '@playwright/test';
import { execFile } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createWebServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { proxyCertificate } from '../certificates.ts';
import type { FakeConnection } from '../control-plane.ts';
import { readMetric } from '../gateway-harness.ts';
import { until } from '../sockets.ts';
import { startTlsHarness, type TlsHarness } from '../tls-harness.ts';

const run = promisify(execFile);
const CLIENT_MS = 20_000;
const [CURL, CHROMIUM] = [process.env['CURL'] ?? 'curl', process.env['CHROMIUM'] ?? 'chromium'];
const PAGE = '<!doctype html><title>page</title><p>through the proxy</p>';

let harness: TlsHarness;
let connection: FakeConnection;
let plain: string;
let secure: string;
let directory: string;
const servers: Server[] = [];

async function serve(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  harness = await startTlsHarness();
  connection = harness.control.sell();
  plain = `http://127.0.0.1:${await serve(createWebServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(PAGE)))}/`;
  const page = createSecureServer(proxyCertificate, (_request, response) =>
    response.setHeader('Content-Type', 'text/html').end(PAGE),
  );
  secure = `https://localhost:${await serve(page)}/`;
  directory = mkdtempSync(path.join(tmpdir(), 'cellhop-tls-interop-'));
  writeFileSync(path.join(directory, 'ca.pem'), proxyCertificate.cert);
});
afterAll(async () => {
  for (const server of servers) server.close();
  await harness.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** The proxy by a name of its certificate, which curl checks. */
function curl(
  url: string,
  { username, password }: Pick<FakeConnection, 'username' | 'password'>,
  ...options: string[]
) {
  const proxy = `https://${username}:${password}@localhost:${harness.gateway.port}`;
  const checks = ['--proxy-cacert', path.join(directory, 'ca.pem'), '--insecure'];
  return run(CURL, ['-sS', '--noproxy', '', '-x', proxy, ...checks, ...options, url], { timeout: CLIENT_MS });
}

test('curl opens http and https pages, and checks the certificate of the proxy', async () => {
  for (const url of [plain, secure]) expect((await curl(url, connection)).stdout).toBe(PAGE);
  await until(() => connection.usedBytes > 0);
  const wrong = curl(secure, { ...connection, password: 'wrong' });
  await expect(wrong).rejects.toThrow(/407/);
});

test('curl opens pages over HTTP/2 where it knows --proxy-http2', async (context) => {
  const { stdout } = await run(CURL, ['--help', 'all']);
  if (!stdout.includes('--proxy-http2')) return context.skip();
  for (const url of [plain, secure]) expect((await curl(url, connection, '--proxy-http2')).stdout).toBe(PAGE);
});

test('Chromium opens http and https pages over HTTP/2', async () => {
  const { publicKey } = new X509Certificate(proxyCertificate.cert);
  const keyHash = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
  const { username, password } = connection;
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [`--ignore-certificate-errors-spki-list=${keyHash}`, '--proxy-bypass-list=<-loopback>'],
    proxy: { server: `https://localhost:${harness.gateway.port}`, username, password },
    timeout: CLIENT_MS,
  });
  try {
    const page = await browser.newPage({ ignoreHTTPSErrors: true });
    for (const url of [plain, secure]) {
      await page.goto(url, { timeout: CLIENT_MS });
      expect(await page.textContent('p')).toBe('through the proxy');
    }
    // It may open several connections before it knows that the first one speaks HTTP/2.
    expect(await readMetric(harness.gateway, 'gateway_http2_clients')).toBeGreaterThan(0);
  } finally {
    await browser.close();
  }
});
