import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const NXDOMAIN = 3;
const TYPE_A = 1;

type LookUp = (name: string) => string[] | undefined;

/** Resolves A queries from a table. `silent.test` gets no response, `held.test` only after `release`, and each time, since its TTL is 0; other names do not exist. */
export async function startNameServer(table: Record<string, string[]> | LookUp) {
  const lookUp: LookUp = typeof table === 'function' ? table : (name) => table[name];
  const queries: string[] = [];
  const held: (() => void)[] = [];
  const socket = createSocket('udp4', (message, from) => {
    const { name, type, end } = parseQuestion(message);
    queries.push(name);
    if (name === 'silent.test') return;
    const known = lookUp(name);
    const addresses = type === TYPE_A ? (known ?? []) : [];
    const header = Buffer.alloc(12);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (known ? 0 : NXDOMAIN), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    const ttlSeconds = name === 'held.test' ? 0 : 60;
    const answers = addresses.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, ttlSeconds, 0, 4, ...address.split('.').map(Number)]),
    );
    const bytes = Buffer.concat([header, message.subarray(12, end), ...answers]);
    const respond = () => socket.send(bytes, from.port, from.address);
    if (name === 'held.test') held.push(respond);
    else respond();
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    release: () => held.splice(0).forEach((respond) => respond()),
    stop: () => socket.close(),
  };
}

function parseQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  // The case of letters is random ("0x20").
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}
