/**
 * A minimal UDP ASSOCIATE: relays datagrams between one client and one destination by two sockets of `node:dgram`, without authentication,
 * checks, metering and limits.
 */
import { createSocket, type SocketOptions } from 'node:dgram';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const HEADER_BYTES = 10;
const BUFFER_BYTES = 4 << 20;
const options: SocketOptions = {
  type: 'udp4',
  recvBufferSize: BUFFER_BYTES,
  sendBufferSize: BUFFER_BYTES,
  lookup: (address, _options, done) => done(null, address, 4),
};

const server = createServer((control) => {
  control.on('error', () => control.destroy());
  control.once('data', () => {
    control.write(Buffer.from([5, 0]));
    control.once('data', () => associate(control));
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

function associate(control: Socket): void {
  const [client, exit] = [createSocket(options), createSocket(options)];
  let header: Buffer = Buffer.alloc(0);
  const [from, to] = [
    { address: '', port: 0 },
    { address: '', port: 0 },
  ];
  client.on('message', (datagram, { address, port }) => {
    from.address = address;
    from.port = port;
    if (header.length === 0) {
      header = Buffer.from(datagram.subarray(0, HEADER_BYTES));
      to.address = header.subarray(4, 8).join('.');
      to.port = header.readUInt16BE(8);
    }
    exit.send(datagram.subarray(HEADER_BYTES), to.port, to.address);
  });
  exit.on('message', (payload) => client.send([header, payload], from.port, from.address));
  exit.bind(0, '127.0.0.1');
  client.bind(0, '127.0.0.1', () => {
    const { port } = client.address();
    control.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, port >> 8, port & 255]));
  });
  control.once('close', () => {
    client.close();
    exit.close();
  });
}
