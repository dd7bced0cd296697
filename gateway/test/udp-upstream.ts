/**
 * A SOCKS5 server with UDP ASSOCIATE for tests, on loopback. It shares no code with the gateway's parsers and encoders: it reads
 * and writes hex.
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { listenLocally, Reader } from './sockets.ts';

export interface UdpUpstreamSettings {
  readonly credentials?: { readonly username: string; readonly password: string };
  /** The reply to UDP ASSOCIATE in hex, with PPPP for the port of the relay. */
  readonly reply?: string;
  readonly leavesAfterReply?: boolean;
  /** The server stops responding when it receives this message. */
  readonly isSilentFrom?: 'greeting' | 'login' | 'request';
}

/** One association at the server. */
interface UpstreamAssociation {
  readonly control: Socket;
  /** Receives from the gateway. */
  readonly relay: UdpSocket;
  /** Where the gateway sends from; known after its first datagram. */
  gatewayPort: number;
  /** Datagrams of the gateway in hex, with their headers. Those to IPv4 addresses and to ::1 are forwarded. */
  readonly received: string[];
  /** Sends a datagram, in hex, to the gateway. */
  reply(datagram: string): void;
}

const BOUND_TO_LOOPBACK = '050000017f000001PPPP';

export async function startUdpUpstream(settings: UdpUpstreamSettings = {}) {
  const requests: string[] = [];
  const logins: string[] = [];
  const associations: UpstreamAssociation[] = [];
  const controls = new Set<Socket>();
  const { server, port } = await listenLocally((socket) => {
    controls.add(socket);
    socket.once('close', () => controls.delete(socket)).once('end', () => socket.end());
    // A client that leaves early.
    serve(new Reader(socket)).catch(() => socket.destroy());
  });

  async function serve(reader: Reader): Promise<void> {
    const { socket } = reader;
    const write = (hex: string) => socket.write(Buffer.from(hex, 'hex'));
    const greeting = (await reader.take(3)).toString('hex');
    if (settings.isSilentFrom === 'greeting') return;
    if (greeting !== (settings.credentials ? '050102' : '050100')) return void write('05ff');
    write(settings.credentials ? '0502' : '0500');
    if (settings.credentials) {
      const username = (await reader.take((await reader.take(2))[1]!)).toString();
      logins.push(`${username}:${(await reader.take((await reader.take(1))[0]!)).toString()}`);
      if (settings.isSilentFrom === 'login') return;
      write('0100');
    }
    requests.push((await reader.take(10)).toString('hex'));
    if (settings.isSilentFrom === 'request') return;
    const association = await openAssociation(socket);
    write((settings.reply ?? BOUND_TO_LOOPBACK).replace('PPPP', hexOfPort(association.relay.address().port)));
    if (settings.leavesAfterReply) socket.destroy();
  }

  async function openAssociation(control: Socket): Promise<UpstreamAssociation> {
    const [relay, ...outgoing] = [createSocket('udp4'), createSocket('udp4'), createSocket('udp6')] as const;
    relay.bind(0, '127.0.0.1');
    await once(relay, 'listening');
    const association: UpstreamAssociation = {
      control,
      relay,
      gatewayPort: 0,
      received: [],
      reply: (datagram) => relay.send(Buffer.from(datagram, 'hex'), association.gatewayPort, '127.0.0.1'),
    };
    relay.on('message', (message, from) => {
      association.gatewayPort = from.port;
      const hex = message.toString('hex');
      association.received.push(hex);
      const [, ipv4 = '', port4 = '', payload4 = ''] = /^00000001(.{8})(.{4})(.*)$/.exec(hex) ?? [];
      const [, port6 = '', payload6 = ''] = /^000000040{31}1(.{4})(.*)$/.exec(hex) ?? [];
      if (port4)
        outgoing[0].send(Buffer.from(payload4, 'hex'), Number(`0x${port4}`), Buffer.from(ipv4, 'hex').join('.'));
      if (port6) outgoing[1].send(Buffer.from(payload6, 'hex'), Number(`0x${port6}`), '::1');
    });
    for (const sender of outgoing)
      sender.on('message', (message, from) => {
        const address = from.family === 'IPv4' ? `01${hexOfIpv4(from.address)}` : `04${'0'.repeat(31)}1`;
        association.reply(`000000${address}${hexOfPort(from.port)}${message.toString('hex')}`);
      });
    outgoing[1].on('error', () => {}); // On a machine without IPv6.
    control.once('close', () => [relay, ...outgoing].forEach((socket) => socket.close()));
    associations.push(association);
    return association;
  }

  const stop = () => {
    server.close();
    for (const control of controls) control.destroy();
  };
  return { port, requests, logins, associations, controls, stop };
}

export const hexOfPort = (port: number) => port.toString(16).padStart(4, '0');

export const hexOfIpv4 = (address: string) =>
  address
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('');
