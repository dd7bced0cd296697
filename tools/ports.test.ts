import net from 'node:net';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { urlHost, freePort, isPortFree, parsePort, requireFreePort } from './ports.mjs';

const setting = { setting: 'PORT', hostSetting: 'HOST' };

async function takePort(host: string): Promise<number> {
  const server = net.createServer().listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as net.AddressInfo).port;
}

describe('ports', () => {
  it('names the port in use and the setting that changes it', async () => {
    const port = await takePort('127.0.0.1');
    await expect(requireFreePort({ port, host: '127.0.0.1', ...setting })).rejects.toThrow(
      `Port ${port} is taken by another program: stop it, or choose another port with PORT.`,
    );
  });

  it('detects a program that listens on all addresses', async () => {
    const port = await takePort('0.0.0.0');
    expect(await isPortFree(port)).toBe(false);
  });

  it('releases the port after the check', async () => {
    const port = await freePort();
    await requireFreePort({ port, host: '127.0.0.1', ...setting });
    expect(await isPortFree(port)).toBe(true);
    // Else an outgoing connection might take it.
    expect(port).toBeLessThan(10_240);
  });

  it('chooses no port twice', async () => {
    const ports = await Promise.all(Array.from({ length: 300 }, () => freePort()));
    expect(new Set(ports).size).toBe(ports.length);
  });

  it('distinguishes an address of another machine from a port in use', async () => {
    await expect(requireFreePort({ port: 3000, host: '192.0.2.1', ...setting })).rejects.toThrow(
      'HOST=192.0.2.1 cannot be listened on',
    );
  });

  it.each(['0', '65536', '-1', '80a', '', '3e3'])('refuses %j as a port', (value) => {
    expect(() => parsePort('PORT', value)).toThrow(`PORT=${value} is not a port`);
  });

  it.each([
    ['0.0.0.0', '127.0.0.1'],
    ['::', '[::1]'],
    ['::1', '[::1]'],
    ['10.0.0.7', '10.0.0.7'],
  ])('connects to %s through %s', (host, expected) => {
    expect(urlHost(host)).toBe(expected);
  });
});
