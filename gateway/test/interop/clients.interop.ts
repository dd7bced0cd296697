/** Third-party clients: curl over TCP, PySocks (Python) and the npm package socks over UDP. */
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { promisify } from 'node:util';
import { SocksClient, type SocksRemoteHost } from 'socks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeConnection } from '../control-plane.ts';
import { type Harness, startHarness, untilGauge } from '../gateway-harness.ts';
import { until } from '../sockets.ts';
import { openEcho, type UdpPeer } from '../udp.ts';

const run = promisify(execFile);
const CLIENT_MS = 20_000;
const CURL = process.env['CURL'] ?? 'curl';
/** Debian's own Python, which finds Debian's packages. */
const PYTHON = '/usr/bin/python3';
const PYTHON_CLIENT = `
import socks, sys
port, user, password, target = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
client = socks.socksocket(type=socks.socket.SOCK_DGRAM)
client.settimeout(10)
client.set_proxy(socks.SOCKS5, "127.0.0.1", port, True, user, password)
for number in range(20):
    client.sendto(b"datagram %d" % number, (sys.argv[5], target))
    payload, sender = client.recvfrom(2048)
    assert payload == b"datagram %d" % number, payload
    assert sender == ("127.0.0.1", target), sender
print("done")
`;

let harness: Harness;
let echo: UdpPeer;
beforeAll(async () => {
  harness = await startHarness();
  echo = await openEcho();
});
afterAll(async () => {
  echo.socket.close();
  await harness.stop();
});

describe('third-party clients', () => {
  it.each(['127.0.0.1', 'localhost'])('PySocks relays datagrams to %s', async (host) => {
    const connection = harness.control.sell();
    const { username, password } = connection;
    const ports = [harness.gateway.port, echo.port].map(String);
    const parameters = [ports[0]!, username, password, ports[1]!, host];
    const { stdout } = await run(PYTHON, ['-c', PYTHON_CLIENT, ...parameters], { timeout: CLIENT_MS });
    expect(stdout.trim()).toBe('done');
    await untilGauge(harness.gateway, 'gateway_udp_associations', 0);
    await until(() => connection.usedBytes > 0 && connection.usedBytes === 2 * connection.uploadedBytes);
  });

  it('the npm package socks relays datagrams', async () => {
    const connection = harness.control.sell();
    const { control, bound } = await associateWithSocks(connection);
    const udp = createSocket('udp4');
    const frame = SocksClient.createUDPFrame({
      remoteHost: { host: '127.0.0.1', port: echo.port },
      data: Buffer.from('from Node'),
    });
    udp.send(frame, bound.port, bound.host);
    const [reply] = (await once(udp, 'message')) as [Buffer];
    const { remoteHost, data } = SocksClient.parseUDPFrame(reply);
    expect(data.toString()).toBe('from Node');
    expect(remoteHost).toEqual({ host: '127.0.0.1', port: echo.port });
    udp.close();
    control.destroy();
  });

  it.each(['socks5h', 'http'])('curl downloads over %s', async (protocol) => {
    const server = createServer((_request, response) => response.end('over TCP')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { username, password } = harness.control.sell();
    const proxy = `${protocol}://${username}:${password}@127.0.0.1:${harness.gateway.port}`;
    const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
    const { stdout } = await run(CURL, ['-sS', '--noproxy', '', '-x', proxy, url], { timeout: CLIENT_MS });
    expect(stdout).toBe('over TCP');
    server.close();
  });
});

/** The package has only events for this command: `established` announces the tunnel. */
async function associateWithSocks({ username, password }: FakeConnection) {
  const client = new SocksClient({
    proxy: { host: '127.0.0.1', port: harness.gateway.port, type: 5, userId: username, password },
    command: 'associate',
    destination: { host: '0.0.0.0', port: 0 },
  });
  const established = once(client, 'established');
  client.connect();
  const [{ socket, remoteHost }] = (await established) as [{ socket: Socket; remoteHost: SocksRemoteHost }];
  return { control: socket, bound: remoteHost };
}
