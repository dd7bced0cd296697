import { expect, onTestFinished, test } from 'vitest';
import { startFaultProxy } from './fault-proxy.ts';
import { startFakeNode } from './test-node.ts';

async function openProxy(path: string) {
  const node = await startFakeNode({});
  node.respond = (request, response) => void response.end(`${request.method} ${request.url}`);
  const proxy = await startFaultProxy(node.url + path);
  onTestFinished(proxy.close);
  return proxy;
}

test('a proxy with faults forwards method, path and query to what is below the path of its target', async () => {
  const { url } = await openProxy('/base');
  const response = await fetch(`${url}/wallet/block?detail=false`);
  expect(await response.text()).toBe('GET /base/wallet/block?detail=false');
});

test('an exhausted node responds with status 200', async () => {
  const proxy = await openProxy('');
  proxy.fault = 'EXHAUSTED';
  const response = await fetch(proxy.url, { method: 'POST', body: '{}' });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('lack of computing resources');
});
