// @ts-check
import { randomInt } from 'node:crypto';
import net from 'node:net';
import { Problem } from './problem.mjs';

/** @param {number} port @param {string} host @returns {Promise<number>} the port that was bound, already closed again */
function bindOnce(port, host) {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = /** @type {net.AddressInfo} */ (server.address());
      server.close(() => resolve(address.port));
    });
  });
}

/**
 * Below the ports that Linux and other systems give to outgoing connections, and below those that a gateway uses as source ports: a port
 * from there may be taken again before its program listens.
 */
const [FREE_PORT_MIN, FREE_PORT_MAX] = [2048, 10_239];
/** Ports of the range that browsers and `fetch` refuse to call: "port blocking" of the Fetch standard. */
const BLOCKED_PORTS = [
  2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
];
const ATTEMPTS_MAX = 100;
/** A chosen port may still be unused when the next one is chosen. */
const chosenPorts = new Set(BLOCKED_PORTS);

/** A port that was free a moment ago and was not chosen before. Only another program can take it. */
export async function freePort(host = '127.0.0.1') {
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
    const port = randomInt(FREE_PORT_MIN, FREE_PORT_MAX + 1);
    if (chosenPorts.has(port)) continue;
    chosenPorts.add(port);
    if (await isPortFree(port, host)) return port;
  }
  throw new Problem(`No free port was found on ${host}.`);
}

/** @param {string} setting @param {string} value @returns {number} */
export function parsePort(setting, value) {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port < 1 || port > 65_535) {
    throw new Problem(`${setting}=${value} is not a port: give a number from 1 to 65535.`);
  }
  return port;
}

/** @param {number} port @param {string} host @returns {Promise<boolean>} */
export function isPortFree(port, host = '127.0.0.1') {
  return bindOnce(port, host).then(
    () => true,
    () => false,
  );
}

/**
 * Throws before anything runs if a server could not listen there.
 * @param {{ port: number, host: string, setting: string, hostSetting: string }} place
 */
export async function requireFreePort({ port, host, setting, hostSetting }) {
  try {
    await bindOnce(port, host);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'EADDRINUSE') {
      throw new Problem(`Port ${port} is taken by another program: stop it, or choose another port with ${setting}.`);
    }
    if (code === 'EACCES') {
      throw new Problem(`Port ${port} needs more rights than this user has: choose one above 1023 with ${setting}.`);
    }
    throw new Problem(`${hostSetting}=${host} cannot be listened on (${code}): choose an address of this machine.`);
  }
}

/** The address to connect to, for an address to listen on. @param {string} host */
export function reachableHost(host) {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** The host part of a URL. @param {string} host */
export function urlHost(host) {
  const reachable = reachableHost(host);
  return reachable.includes(':') ? `[${reachable}]` : reachable;
}
