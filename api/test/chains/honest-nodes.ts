import { listenAsNode, type Methods } from './fake-node.ts';

const HONEST = 3;

/** Three nodes of one chain and one of another. */
export async function listenHonestly(methods: Methods, elsewhere: Methods) {
  const all = [...Array.from({ length: HONEST }, () => methods), elsewhere];
  const nodes = await Promise.all(all.map(listenAsNode));
  const urls = nodes.map(({ node }) => node.url);
  return {
    urls: urls.slice(0, HONEST),
    elsewhere: urls.at(-1)!,
    end: () => nodes.forEach(({ close }) => close()),
  };
}
