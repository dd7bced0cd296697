/** What hostile sockets do to a gateway's public port, all kinds at once. A process of its own, started by sockets.ts. */
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type Counts } from '../attacks/client.ts';

export interface Order {
  readonly port: number;
  readonly addresses: readonly string[];
  /** Of a customer who has paid and attacks with what they bought. */
  readonly login: { readonly username: string; readonly password: string };
  readonly originPort: number;
  readonly sockets: number;
}

/** Opened in a step; with the pause this bounds how much of the machine the attack takes. */
const BATCH = 40;
const STEP_MS = 20;
const PIPELINED = 100;

type Kind = (client: Client, order: Order) => void;

const kinds: readonly Kind[] = [
  function silent(client) {
    client.open('');
  },
  function halfGreeting(client) {
    client.open('\x05\x02\x00');
  },
  function halfHead(client) {
    client.open(`CONNECT a.test:1 HTTP/1.1\r\nX: ${'x'.repeat(8_000)}`);
  },
  function unknownProtocol(client) {
    client.open('\x16\x03\x01');
  },
  function noCredentials(client, { originPort }) {
    client.open(absolute(originPort, ''));
  },
  function wrongPassword(client, { originPort, login }) {
    client.open(absolute(originPort, basic({ ...login, password: `wrong-${Math.random()}` })));
  },
  function keptRequest(client, { originPort, login }) {
    client.open(absolute(originPort, basic(login)));
  },
  function pipelinedRequests(client, { originPort, login }) {
    client.open(absolute(originPort, basic(login)).repeat(PIPELINED), true);
  },
  function idleTunnel(client, { originPort, login }) {
    client.open(connect(originPort, login));
  },
  function endedTunnel(client, { originPort, login }) {
    const socket = client.open(connect(originPort, login));
    socket.on('connect', () => socket.end());
  },
  function unreadDownload(client, { originPort, login }) {
    client.open(`${connect(originPort, login)}s`, true);
  },
  function vanished(client, { originPort, login }) {
    client.openAndLeave(connect(originPort, login));
  },
];

const basic = ({ username, password }: Order['login']) =>
  `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}\r\n`;
const absolute = (port: number, login: string) =>
  `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${login}\r\n`;
const connect = (port: number, login: Order['login']) =>
  `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n${basic(login)}\r\n`;

/** Keeps as many sockets as it can get; those that the gateway closes are opened again. */
async function attack(client: Client, order: Order): Promise<void> {
  for (let next = 0; client.isOn(); await pause(STEP_MS))
    for (let count = 0; count < BATCH && client.openCount < order.sockets; count += 1) {
      kinds[next % kinds.length]!(client, order);
      next += 1;
    }
}

process.once('message', (order: Order) => {
  const client = new Client({ ...order, host: '', accessToken: '' });
  const running = attack(client, order);
  process.once('message', () => {
    const report: Counts & { held: number } = { ...client.counts, held: client.openCount };
    client.stop();
    void running.then(() => process.send!(report, () => process.exit(0)));
  });
});
process.send!('ready');
