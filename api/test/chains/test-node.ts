import { onTestFinished } from 'vitest';
import { type FakeNode, listenAsNode, type Methods } from './fake-node.ts';

/** A generated node that ends with the test. */
export async function startFakeNode(methods: Methods): Promise<FakeNode> {
  const { node, close } = await listenAsNode(methods);
  onTestFinished(close);
  return node;
}
