/** dig (BIND) and kdig (Knot) ask a DNS port; the tests provide the name server behind the gateway. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freeDnsPort } from '../dns-client.ts';
import { address, answerTo, text } from '../dns-messages.ts';
import { type Asked, startResolver, type TestResolver } from '../dns-resolver.ts';
import { type Harness, socks5Connect, startHarness, untilGauge } from '../gateway-harness.ts';
import { freePort } from '../../../tools/ports.mjs';

const run = promisify(execFile);
const CLIENT_MS = 20_000;
const LARGE_BYTES = 3_000;
const CLIENTS = [
  ['dig', process.env['DIG'] ?? 'dig'],
  ['kdig', process.env['KDIG'] ?? 'kdig'],
] as const;

function answer({ message, name, respond }: Asked): void {
  if (name === 'missing.test') respond(answerTo(message, [], 0x8183));
  else respond(answerTo(message, [name === 'large.test' ? text(LARGE_BYTES) : address('192.0.2.7')]));
}

let resolver: TestResolver;
let harness: Harness;
let dnsPort: number;
beforeAll(async () => {
  resolver = await startResolver(answer);
  harness = await startHarness({ nameServers: [resolver.address] });
  dnsPort = await freeDnsPort();
  await socks5Connect(harness.gateway, harness.control.sell({ dnsPort }), '127.0.0.1', await freePort());
  await untilGauge(harness.gateway, 'gateway_dns_ports', 1);
});
afterAll(async () => {
  await harness.stop();
  resolver.stop();
});

describe.each(CLIENTS)('%s', (_, program) => {
  /** Ignores the user's configuration of the program. */
  async function ask(...options: readonly string[]): Promise<string> {
    const parameters = ['@127.0.0.1', '-p', String(dnsPort), ...options];
    const { stdout } = await run(program, parameters, { timeout: CLIENT_MS, env: { HOME: '/nonexistent' } });
    expect(stdout).not.toMatch(/;; WARNING|malformed|mismatch/i);
    return stdout;
  }

  it.each([
    ['UDP', []],
    ['TCP', ['+tcp']],
  ])('gets an answer over %s', async (transport, options) => {
    const output = await ask('Example.Test', 'A', ...options);
    expect(output).toMatch(/status: NOERROR/);
    expect(output).toMatch(/example\.test\.\s+\d+\s+IN\s+A\s+192\.0\.2\.7/i);
    expect(output).toContain(`(${transport})`);
  });

  it('gets a truncated answer, and repeats the question over TCP by itself', async () => {
    const truncated = await ask('large.test', 'TXT', '+ignore', '+bufsize=512');
    expect(truncated).toMatch(/(?:flags|Flags): qr tc rd ra/);
    const whole = await ask('large.test', 'TXT');
    expect(whole).not.toMatch(/(?:flags|Flags): qr tc/);
    expect(
      whole
        .split('"')
        .join('')
        .match(/x{255}/g),
    ).toHaveLength(Math.floor(LARGE_BYTES / 256));
  });

  it('reads an error of the name server, and a refusal of the node', async () => {
    expect(await ask('missing.test', 'A')).toMatch(/status: NXDOMAIN/);
    expect(await ask('example.test', 'AXFR', '+tcp').catch(String)).toMatch(/failed|REFUSED/i);
  });

  it('sends EDNS options, which do not leave the node', async () => {
    const output = await ask('options.test', 'A', '+subnet=198.51.100.0/24', '+nsid', '+dnssec');
    expect(output).toMatch(/status: NOERROR/);
    const [last] = resolver.asked.filter(({ name }) => name === 'options.test').slice(-1);
    expect(last?.message.includes(Buffer.from([198, 51, 100]))).toBe(false);
  });
});
