/** HTTP/3 through a UDP association: client and server of ngtcp2. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, startHarness, untilGauge } from '../gateway-harness.ts';
import { sha256, until } from '../sockets.ts';
import { openUdp } from '../udp.ts';
import { startShim } from './quic-shim.ts';

const NAME = 'origin.test';
const BODY_BYTES = 20_000_000;
const CLIENT_MS = 40_000;
const [CLIENT, SERVER, OPENSSL] = ['GTLSCLIENT', 'GTLSSERVER', 'OPENSSL'].map((name) => process.env[name] ?? name);

let directory: string;
let server: ChildProcess;
let serverPort: number;
let harness: Harness;
const body = randomBytes(BODY_BYTES);

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cellhop-quic-'));
  const [key, certificate, files] = ['key.pem', 'certificate.pem', 'files'].map((name) => join(directory, name));
  const subject = ['-subj', `/CN=${NAME}`, '-days', '1', '-keyout', key!, '-out', certificate!];
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync(OPENSSL!, ['req', '-x509', ...newKey, ...subject], { stdio: 'ignore' });
  mkdirSync(files!);
  writeFileSync(join(files!, 'body'), body);
  const free = await openUdp();
  serverPort = free.port;
  free.socket.close();
  server = spawn(SERVER!, ['-q', '-d', files!, '127.0.0.1', String(serverPort), key!, certificate!], {
    stdio: 'ignore',
  });
  harness = await startHarness({ limits: { datagramsPerSecond: 1e6 } });
});
afterAll(async () => {
  server.kill();
  rmSync(directory, { recursive: true, force: true });
  await harness.stop();
});

/** Downloads a file through the gateway. */
async function download(options: readonly string[]) {
  const connection = harness.control.sell();
  const shim = await startShim(harness.gateway, connection, serverPort);
  const target = mkdtempSync(join(directory, 'download-'));
  const end = ['--exit-on-all-streams-close', `--download=${target}`, '--timeout=20s', `--sni=${NAME}`];
  const address = ['127.0.0.1', String(shim.port), `https://${NAME}:${shim.port}/body`];
  await promisify(execFile)(CLIENT!, ['-q', ...end, ...options, ...address], { timeout: CLIENT_MS });
  const received = readFileSync(join(target, 'body'));
  shim.stop();
  await untilGauge(harness.gateway, 'gateway_udp_associations', 0);
  return { connection, received, bytes: shim.bytes };
}

describe('HTTP/3 through a UDP association', () => {
  it('arrives intact, and all of it is charged', async () => {
    const { connection, received, bytes } = await download([]);
    expect(sha256(received)).toBe(sha256(body));
    await until(() => connection.usedBytes >= bytes.received);
    expect(connection.usedBytes).toBeGreaterThan(BODY_BYTES);
    expect(connection.uploadedBytes).toBeLessThanOrEqual(bytes.sent);
  });

  it('arrives intact with 1 % loss in both directions', async () => {
    const { received } = await download(['--tx-loss=0.01', '--rx-loss=0.01']);
    expect(sha256(received)).toBe(sha256(body));
  });

  it('is refused with a wrong password', async () => {
    const connection = { ...harness.control.sell(), password: 'wrong' };
    await expect(startShim(harness.gateway, connection, serverPort)).rejects.toThrow('The socket');
  });
});
