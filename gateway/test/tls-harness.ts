import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { GatewaySettings } from '../src/gateway.ts';
import { proxyCertificate } from './certificates.ts';
import { type Credentials, basic, type Harness, startHarness } from './gateway-harness.ts';
import { connectLocally, Reader } from './sockets.ts';

export interface TlsHarness extends Harness {
  /** Replaces the files of the certificate. Undefined: removes the file. */
  write(files: { cert?: string | undefined; key?: string | undefined }): void;
}

/** A gateway with a certificate, which it reads again every 20 ms. */
export async function startTlsHarness(
  { tls, ...settings }: Partial<GatewaySettings> = {},
  files: { cert?: string | undefined; key?: string | undefined } = proxyCertificate,
): Promise<TlsHarness> {
  const directory = mkdtempSync(path.join(tmpdir(), 'cellhop-tls-'));
  const [certificate, key] = [path.join(directory, 'proxy.crt'), path.join(directory, 'proxy.key')];
  const write: TlsHarness['write'] = (texts) => {
    for (const [file, text] of [[certificate, texts.cert] as const, [key, texts.key] as const])
      if (text === undefined) rmSync(file, { force: true });
      else writeFileSync(file, text);
  };
  write(files);
  const harness = await startHarness({
    ...settings,
    tls: { certificate, key, host: undefined, ...tls },
    limits: { certificateCheckMs: 20, ...settings.limits },
  });
  const stop = async () => {
    await harness.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { ...harness, stop, write };
}

/** A client after its TLS handshake. */
export async function openSecureClient(
  { port }: { readonly port: number },
  options: ConnectionOptions = {},
  localAddress?: string,
): Promise<TLSSocket> {
  const socket = await connectLocally(port, localAddress);
  const secure = connect({ socket, rejectUnauthorized: false, ...options });
  await once(secure, 'secureConnect');
  secure.on('error', () => secure.destroy());
  return secure;
}

export const connectRequest = (login: Credentials, port: number, host = '127.0.0.1') =>
  `CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\nProxy-Authorization: ${basic(login)}\r\n\r\n`;

/** @returns the client of an open tunnel */
export async function openSecureTunnel(harness: TlsHarness, login: Credentials, port: number): Promise<Reader> {
  const client = new Reader(await openSecureClient(harness.gateway));
  client.socket.write(connectRequest(login, port));
  const head = await client.takeUntil('\r\n\r\n');
  if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(head);
  return client;
}
