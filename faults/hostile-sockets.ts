/** Opens all kinds of hostile sockets to a gateway's public port. Runs in a separate process, started by sockets.ts. */
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type Counts } from '../attacks/client.ts';

export interface AttackJob {
  readonly port: number;
  readonly addresses: readonly string[];
  /** Valid credentials: this customer attacks with their purchase. */
  readonly login: { readonly username: string; readonly password: string };
  readonly originPort: number;
  readonly sockets: number;
}

/** Sockets per step; together with the pause this bounds the CPU time of the attack. */
const BATCH = 40;
const STEP_MS = 20;
const PIPELINED = 100;

type Kind = (client: Client, job: AttackJob) => void;

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
  function persistentConnection(client, { originPort, login }) {
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
  function disconnected(client, { originPort, login }) {
    client.openAndReset(connect(originPort, login));
  },
];

const basic = ({ username, password }: AttackJob['login']) =>
  `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}\r\n`;
const absolute = (port: number, login: string) =>
  `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${login}\r\n`;
const connect = (port: number, login: AttackJob['login']) =>
  `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n${basic(login)}\r\n`;

/** Keeps as many sockets open as possible; opens a new one for each that the gateway closes. */
async function attack(client: Client, job: AttackJob): Promise<void> {
  for (let next = 0; client.isRunning(); await pause(STEP_MS))
    for (let count = 0; count < BATCH && client.openCount < job.sockets; count += 1) {
      kinds[next % kinds.length]!(client, job);
      next += 1;
    }
}

process.once('message', (job: AttackJob) => {
  const client = new Client({ ...job, host: '', accessToken: '', staffToken: '' });
  const attacking = attack(client, job);
  process.once('message', () => {
    const report: Counts & { held: number } = { ...client.counts, held: client.openCount };
    client.stop();
    void attacking.then(() => process.send!(report, () => process.exit(0)));
  });
});
process.send!('ready');
