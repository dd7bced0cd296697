/** The npm package proxy-chain in a separate process, with the same credentials. */
import { Server } from 'proxy-chain';

const server = new Server({
  port: 0,
  host: '127.0.0.1',
  prepareRequestFunction: ({ username, password }) => ({
    requestAuthentication: username !== process.env['BENCH_USERNAME'] || password !== process.env['BENCH_PASSWORD'],
  }),
});
await server.listen();
process.send?.({ port: server.port });
