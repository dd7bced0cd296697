/** Chromium against Caddy: HTTP/3 through a UDP association, and HTTP/2 through the HTTP proxy. */
import { chromium, type Browser, type LaunchOptions } from '@playwright/test';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilGauge } from '../gateway-harness.ts';
import { startNameServer } from '../name-server.ts';
import { freePort } from '../../../tools/ports.mjs';
import { sha256, until } from '../sockets.ts';
import { startNode } from '../udp-harness.ts';
import { startShim } from './quic-shim.ts';

const NAME = 'origin.test';
const BODY_BYTES = 5_000_000;
const PAGE_MS = 20_000;
const [CADDY, CHROMIUM, OPENSSL] = ['CADDY', 'CHROMIUM', 'OPENSSL'].map(
  (name) => process.env[name] ?? name.toLowerCase(),
);

const body = randomBytes(BODY_BYTES);
let directory: string;
let caddy: ChildProcess;
let originPort: number;
/** The hash of the certificate's key, in the form of Chromium's option. */
let keyHash: string;
let names: Awaited<ReturnType<typeof startNameServer>>;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cellhop-browser-'));
  originPort = await freePort();
  const certificate = createCertificate();
  keyHash = createHash('sha256')
    .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
  caddy = await startCaddy();
  names = await startNameServer({ [NAME]: ['127.0.0.1'] });
});
afterAll(async () => {
  names.stop();
  caddy.kill();
  rmSync(directory, { recursive: true, force: true });
});

function createCertificate(): X509Certificate {
  const [key, file] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`, '-days', '1'];
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', file];
  execFileSync(OPENSSL!, ['req', '-x509', ...newKey, ...subject], { stdio: 'ignore' });
  return new X509Certificate(readFileSync(file));
}

/** Serves the body, and for any other path the protocol of the request, over TCP and QUIC. */
async function startCaddy(): Promise<ChildProcess> {
  writeFileSync(join(directory, 'body'), body);
  writeFileSync(
    join(directory, 'Caddyfile'),
    `{
      admin off
      auto_https off
    }
    https://${NAME}:${originPort} {
      bind 127.0.0.1
      tls ${directory}/certificate.pem ${directory}/key.pem
      root * ${directory}
      file_server /body
      respond / "{http.request.proto}"
    }`,
  );
  const env = { HOME: directory, PATH: process.env['PATH'] };
  const child = spawn(CADDY!, ['run', '--config', join(directory, 'Caddyfile')], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until(() => {
    if (child.exitCode !== null) throw new Error(`Caddy has exited: ${output}`);
    return output.includes('serving initial configuration');
  });
  return child;
}

/** A separate node, because a listed address needs no password for any request. */
const openNode = () => startNode({ nameServers: [names.address] });

/** Opens the page of the origin in a new browser, and downloads the body in it. */
async function visit(options: LaunchOptions) {
  const args = [`--ignore-certificate-errors-spki-list=${keyHash}`, ...(options.args ?? [])];
  const browser: Browser = await chromium.launch({ executablePath: CHROMIUM!, ...options, args, timeout: PAGE_MS });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(PAGE_MS);
    await page.goto(`https://${NAME}:${originPort}/`);
    const shown = await page.textContent('body');
    return await page.evaluate(async (shown) => {
      const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
      const downloaded = await (await fetch('/body')).arrayBuffer();
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', downloaded));
      const hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
      return { shown, nextHop: entry?.nextHopProtocol, hash };
    }, shown);
  } finally {
    await browser.close();
  }
}

test('Chromium loads a page and a file of Caddy over HTTP/3, and all of it is charged', async () => {
  const harness = await openNode();
  const connection = harness.control.sell();
  const shim = await startShim(harness.gateway, connection, originPort);
  const args = [
    `--origin-to-force-quic-on=${NAME}:${originPort}`,
    `--host-resolver-rules=MAP ${NAME}:${originPort} 127.0.0.1:${shim.port}`,
  ];
  expect(await visit({ args })).toEqual({ shown: 'HTTP/3.0', nextHop: 'h3', hash: sha256(body) });
  const { sent, received } = shim.bytes;
  shim.stop();
  await untilGauge(harness.gateway, 'gateway_udp_associations', 0);
  expect(received).toBeGreaterThan(BODY_BYTES);
  await until(() => connection.usedBytes >= received);
  expect(connection.uploadedBytes).toBeGreaterThan(0);
  expect(connection.uploadedBytes).toBeLessThanOrEqual(sent);
});

test('Chromium uses HTTP/2 through SOCKS5, for which it has no password, from a listed address', async () => {
  const harness = await openNode();
  const access = { revision: 1, passwordRevision: 1, allowList: ['127.0.0.1/32'] };
  const connection = harness.control.sell({ access });
  const proxy = { server: `socks5://127.0.0.1:${harness.gateway.port}` };
  expect(await visit({ proxy })).toEqual({ shown: 'HTTP/2.0', nextHop: 'h2', hash: sha256(body) });
  await until(() => connection.usedBytes > BODY_BYTES);
});

test('Chromium uses HTTP/2 through the HTTP proxy, with the password of the connection', async () => {
  const harness = await openNode();
  const connection = harness.control.sell();
  const { username, password } = connection;
  const proxy = { server: `http://127.0.0.1:${harness.gateway.port}`, username, password };
  expect(await visit({ proxy })).toEqual({ shown: 'HTTP/2.0', nextHop: 'h2', hash: sha256(body) });
  await until(() => connection.usedBytes > BODY_BYTES);
});
