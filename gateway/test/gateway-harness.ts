import { pino } from 'pino';
import { type Gateway, type GatewaySettings, startGateway } from '../src/gateway.ts';
import { acceleratorFile } from './accelerator.ts';
import { ControlPlane, type FakeConnection } from './control-plane.ts';
import { connectLocally, Reader } from './sockets.ts';

export interface Harness {
  readonly control: ControlPlane;
  readonly gateway: Gateway;
  /** Closes the gateway and the control plane. */
  stop(): Promise<void>;
}

/** What ends only what would hang: on a slow machine, everything takes long. */
const PATIENT = {
  portWaitMs: 60_000,
  handshakeMs: 60_000,
  controlRequestMs: 60_000,
  addressRequestMs: 60_000,
  dialMs: 60_000,
  dialAttemptMs: 60_000,
  dnsAnswerMs: 60_000,
};

/** Starts a gateway with a fake control plane. Loopback destinations are allowed by default. */
export async function startHarness(settings: Partial<GatewaySettings> = {}, control?: ControlPlane): Promise<Harness> {
  control ??= await new ControlPlane().start();
  const gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    controlUrl: control.url,
    token: control.token,
    allowPrivate: true,
    // Prevents that the descriptor limit of this machine lowers the limits of a test.
    descriptors: 1_000_000,
    accelerator: acceleratorFile,
    log: pino({ level: 'silent' }),
    ...settings,
    limits: { ...PATIENT, lingerMs: 200, lastReportMs: 1_000, ...settings.limits },
  });
  const stop = async () => {
    await gateway.close();
    control.stop();
  };
  return { control, gateway, stop };
}

/** The parts of a connection that a client needs. */
export type Credentials = Pick<FakeConnection, 'username' | 'password'>;

export const socks5Login = ({ username, password }: Credentials) =>
  Buffer.concat([
    Buffer.from([1, username.length]),
    Buffer.from(username),
    Buffer.from([password.length]),
    Buffer.from(password),
  ]);

export function socks5Request(host: string, port: number, command = 1): Buffer {
  const isIpv4 = /^\d+\.\d+\.\d+\.\d+$/.test(host);
  const address = isIpv4
    ? Buffer.from([1, ...host.split('.').map(Number)])
    : Buffer.from([3, host.length, ...Buffer.from(host)]);
  return Buffer.concat([Buffer.from([5, command, 0]), address, Buffer.from([port >> 8, port & 255])]);
}

/** A host that is not an IPv4 address is sent as a name, as in SOCKS4a. */
export function socks4Request(host: string, port: number, userId: string, command = 1): Buffer {
  const isIpv4 = /^\d+\.\d+\.\d+\.\d+$/.test(host);
  const address = isIpv4 ? host.split('.').map(Number) : [0, 0, 0, 1];
  const name = isIpv4 ? '' : `${host}\0`;
  return Buffer.concat([
    Buffer.from([4, command, port >> 8, port & 255, ...address]),
    Buffer.from(`${userId}\0${name}`),
  ]);
}

export const socks5Greeting = Buffer.from([5, 1, 2]);

export const basic = ({ username, password }: Credentials) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/**
 * The values of a metric with these labels, summed. Of one metric alone: to collect all of them takes milliseconds, and tests ask again and again.
 */
export async function readMetric({ metrics }: Gateway, name: string, labels: object = {}): Promise<number> {
  const metric = metrics.registry.getSingleMetric(name);
  if (!metric) throw new Error(`There is no metric ${name}`);
  const isWanted = (given: object) =>
    Object.entries(labels).every(([key, value]) => Object.entries(given).some(([k, v]) => k === key && v === value));
  const { values } = await metric.get();
  return values.filter((value) => isWanted(value.labels)).reduce((sum, { value }) => sum + value, 0);
}

/** Waits until a gauge has a value; the timeout of the test is the limit. */
export async function untilGauge(gateway: Gateway, name: string, value: number): Promise<number> {
  while ((await readMetric(gateway, name)) !== value) await new Promise((fulfil) => setTimeout(fulfil, 5));
  return value;
}

/** Connects to a port as a client of the gateway. */
export async function openClient(port: number, localAddress?: string): Promise<Reader> {
  return new Reader(await connectLocally(port, localAddress));
}

/** Connects a SOCKS5 client. @returns the client after the reply to its CONNECT, and the reply code */
export async function socks5Connect(
  gateway: Pick<Gateway, 'port'>,
  connection: Credentials,
  host: string,
  port: number,
) {
  const client = await openClient(gateway.port);
  client.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection), socks5Request(host, port)]));
  await client.take(4);
  const reply = await client.take(10);
  return { client, reply: reply[1] };
}

/** The same, but the client waits for each reply, as most programs do: three round trips. @returns the client and the reply code */
export async function socks5ConnectInSteps(
  { port }: Pick<Gateway, 'port'>,
  connection: Credentials,
  destination: { readonly host: string; readonly port: number },
  localAddress?: string,
) {
  const client = await openClient(port, localAddress);
  client.socket.write(socks5Greeting);
  await client.take(2);
  client.socket.write(socks5Login(connection));
  await client.take(2);
  client.socket.write(socks5Request(destination.host, destination.port));
  return { client, reply: (await client.take(10))[1] };
}
