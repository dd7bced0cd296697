import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { connect } from 'node:tls';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { expiredCertificate, proxyCertificate } from '../../test/certificates.ts';
import { cert as localhostCertificate, key as localhostKey } from '../../test/echo-certificate.ts';
import { openClient, readMetric, untilGauge } from '../../test/gateway-harness.ts';
import { listenLocally } from '../../test/sockets.ts';
import { connectRequest, openSecureClient, openSecureTunnel, startTlsHarness } from '../../test/tls-harness.ts';
import { CertificateFiles, type TlsSettings } from './certificate-files.ts';

const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

describe('the files of a certificate', () => {
  let directory: string;
  let logged: string[];
  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'cellhop-certificate-'));
    logged = [];
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const file = (name: string) => path.join(directory, name);
  const log = pino(
    { level: 'warn' },
    { write: (line: string) => void logged.push((JSON.parse(line) as { msg: string }).msg) },
  );

  async function read(cert: string | undefined, key: string | undefined, settings: Partial<TlsSettings> = {}) {
    if (cert !== undefined) writeFileSync(file('a.crt'), cert);
    if (key !== undefined) writeFileSync(file('a.key'), key);
    const files = new CertificateFiles(
      { certificate: file('a.crt'), key: file('a.key'), host: undefined, ...settings },
      log,
    );
    await files.refresh();
    return files;
  }

  it('say for which names and until when', async () => {
    const files = await read(proxyCertificate.cert, proxyCertificate.key);
    expect(files.description).toEqual({
      names: ['proxy.test', '*.nodes.test', 'localhost'],
      startsAt: expect.stringMatching(/^20.*Z$/) as string,
      endsAt: '2120-01-01T00:00:00.000Z',
    });
    expect(logged).toEqual([]);
  });

  it.each([
    ['no key', proxyCertificate.cert, undefined, /GATEWAY_TLS_KEY cannot be read \(ENOENT\)/],
    ['no certificate', undefined, proxyCertificate.key, /GATEWAY_TLS_CERTIFICATE cannot be read \(ENOENT\)/],
    ['the key of another', proxyCertificate.cert, otherKey, /belongs to another certificate/],
    ['garbage as certificate', 'garbage', proxyCertificate.key, /contains no certificate in PEM/],
    ['garbage as key', proxyCertificate.cert, 'garbage', /contains no private key in PEM/],
    ['an empty file', '', proxyCertificate.key, /contains no certificate in PEM/],
    ['them exchanged', proxyCertificate.key, proxyCertificate.cert, /contains no certificate in PEM/],
  ])('are not used with %s, which is one sentence', async (_name, cert, key, sentence) => {
    const files = await read(cert, key);
    await files.refresh();
    expect(files.current).toBeUndefined();
    expect(files.hasProblem).toBe(true);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(sentence);
  });

  it('need both settings', async () => {
    await read(proxyCertificate.cert, undefined, { key: undefined });
    expect(logged).toEqual([
      'TLS to the proxy: GATEWAY_TLS_CERTIFICATE is set and GATEWAY_TLS_KEY is not; both are needed.',
    ]);
  });

  it('are used after their end and for another name, which clients may not check, and each is said once', async () => {
    const expired = await read(expiredCertificate.cert, expiredCertificate.key);
    await expired.refresh();
    expect(expired.current).toBeDefined();
    await read(proxyCertificate.cert, proxyCertificate.key, { host: 'elsewhere.test' });
    await read(proxyCertificate.cert, proxyCertificate.key, { host: 'a.nodes.test' });
    await read(proxyCertificate.cert, proxyCertificate.key, { host: '192.0.2.1' });
    expect(logged).toEqual([
      expect.stringContaining('expired at 2020-02-01'),
      expect.stringContaining('customers connect to elsewhere.test'),
    ]);
  });
});

const issuedName = async (port: number) => (await openSecureClient({ port })).getPeerCertificate().subject.CN;

describe('a gateway whose certificate', () => {
  const problem = 'gateway_tls_certificate_problem';

  it('is renewed serves the new one at once, and open tunnels go on', async () => {
    const harness = await startTlsHarness();
    onTestFinished(() => harness.stop());
    const echo = await listenLocally((socket) => socket.pipe(socket));
    const tunnel = await openSecureTunnel(harness, harness.control.sell(), echo.port);
    expect(await issuedName(harness.gateway.port)).toBe('proxy.test');
    // Whoever renews them writes one file after the other.
    harness.write({ cert: localhostCertificate, key: proxyCertificate.key });
    await untilGauge(harness.gateway, problem, 1);
    expect(await issuedName(harness.gateway.port)).toBe('proxy.test');
    harness.write({ cert: localhostCertificate, key: localhostKey });
    await untilGauge(harness.gateway, problem, 0);
    expect(await issuedName(harness.gateway.port)).toBe('localhost');
    tunnel.socket.write('still there');
    expect((await tunnel.take(11)).toString()).toBe('still there');
    tunnel.socket.destroy();
  });

  it('becomes garbage or disappears serves the old one', async () => {
    const harness = await startTlsHarness();
    onTestFinished(() => harness.stop());
    for (const files of [
      { cert: 'garbage', key: 'garbage' },
      { cert: undefined, key: undefined },
    ]) {
      harness.write(files);
      await untilGauge(harness.gateway, problem, 1);
      expect(await issuedName(harness.gateway.port)).toBe('proxy.test');
      harness.write(proxyCertificate);
      await untilGauge(harness.gateway, problem, 0);
    }
    expect(await readMetric(harness.gateway, 'gateway_tls_certificate_ends_seconds')).toBe(Date.UTC(2120, 0, 1) / 1000);
  });

  it('cannot be used at its start serves plain clients, and TLS once the files are there', async () => {
    const harness = await startTlsHarness({}, { cert: proxyCertificate.cert, key: otherKey });
    onTestFinished(() => harness.stop());
    const echo = await listenLocally((socket) => socket.pipe(socket));
    const refused = connect({ host: '127.0.0.1', port: harness.gateway.port, rejectUnauthorized: false });
    const [error] = (await once(refused, 'error')) as [Error];
    expect(error.message).toContain('alert protocol version');
    const client = await openClient(harness.gateway.port);
    client.socket.write(connectRequest(harness.control.sell(), echo.port));
    expect(await client.takeUntil('\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
    client.socket.destroy();
    expect(await readMetric(harness.gateway, 'gateway_tls_certificate_ends_seconds')).toBe(0);
    harness.write(proxyCertificate);
    await untilGauge(harness.gateway, problem, 0);
    expect(await issuedName(harness.gateway.port)).toBe('proxy.test');
  });

  it('has expired serves those who do not check it', async () => {
    const harness = await startTlsHarness({}, expiredCertificate);
    onTestFinished(() => harness.stop());
    expect(await issuedName(harness.gateway.port)).toBe('proxy.test');
    const strict = openSecureClient(harness.gateway, { rejectUnauthorized: true, ca: expiredCertificate.cert });
    await expect(strict).rejects.toThrow(/certificate has expired/);
  });
});
