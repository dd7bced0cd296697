/** The process of the generated chains. */
import { createFakeEvmChain, serveEvm } from '../../api/test/chains/fake-evm.ts';
import { listenAsNode, type Methods } from '../../api/test/chains/fake-node.ts';
import { createFakeUtxoChain, genesisHash, serveUtxo } from '../../api/test/chains/fake-utxo.ts';
import { toHexAddress } from '../../api/src/payments/chains/tron/network.ts';
import { witnessScript } from '../../api/src/payments/chains/utxo-node.ts';
import { listenAsTron } from './tron-blocks.ts';

export interface NodeSettings {
  kind: 'evm' | 'utxo' | 'tron';
  chainId: number;
  foreignTransactions: number;
  blocks: number;
  blocksPerPayment: number;
  /** One payment to each. */
  paid: string[];
}

export interface NodeMessage {
  urls: string[];
  token: string;
  genesisHash: string;
}

const START_HEIGHT = 1000;

function createChain(settings: NodeSettings): { methods: Methods; advance: () => void; token: string } {
  const { blocks, blocksPerPayment, paid, foreignTransactions } = settings;
  const headHeight = START_HEIGHT + blocks;
  if (settings.kind === 'evm') {
    const transfers = paid.map((to, index) => ({ height: START_HEIGHT + 1 + index * blocksPerPayment, to, units: 1n }));
    const chain = createFakeEvmChain({
      chainId: settings.chainId,
      headHeight: START_HEIGHT,
      finalizedHeight: START_HEIGHT - 64,
      transfers,
      foreignTransactions,
    });
    const advance = () => Object.assign(chain, { headHeight, finalizedHeight: headHeight - 64, headAt: new Date() });
    return { methods: serveEvm(chain), advance, token: chain.token };
  }
  const scripts = paid.map((address) => witnessScript(address, address.split('1')[0]!));
  const outputsAt = (height: number) => {
    const index = (height - START_HEIGHT - 1) / blocksPerPayment;
    const script = scripts[index];
    return script === undefined ? [] : [[{ script, value: 0.5 }]];
  };
  const chain = createFakeUtxoChain({ headHeight: START_HEIGHT, foreignTransactions, outputsAt });
  return {
    methods: serveUtxo(chain),
    advance: () => Object.assign(chain, { headHeight, headAt: new Date() }),
    token: '',
  };
}

/** As many distinct blocks: each has 320 KB. */
const PREPARED_BLOCKS = 50;

function openTron({ blocks, blocksPerPayment, paid, foreignTransactions }: NodeSettings) {
  return listenAsTron({
    prepared: PREPARED_BLOCKS,
    transactionsPerBlock: foreignTransactions,
    startHeight: START_HEIGHT,
    blocks,
    paid: paid.map(toHexAddress),
    blocksPerPayment,
  });
}

let advance: () => void;
process.on('message', (message: NodeSettings | 'ADVANCE') => {
  void (async () => {
    if (message === 'ADVANCE') {
      advance();
      process.send!({});
      return;
    }
    if (message.kind === 'tron') {
      const tron = await openTron(message);
      ({ advance } = tron);
      process.send!({ urls: tron.urls, token: '', genesisHash: '' } satisfies NodeMessage);
      return;
    }
    const chain = createChain(message);
    ({ advance } = chain);
    const nodes = [await listenAsNode(chain.methods), await listenAsNode(chain.methods)];
    const response: NodeMessage = { urls: nodes.map(({ node }) => node.url), token: chain.token, genesisHash };
    process.send!(response);
  })();
});
