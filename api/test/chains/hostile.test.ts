/** @module-tag thorough */
import { openEvm } from './generated-evm.ts';
import { openUtxo } from './generated-utxo.ts';
import { describeHostileSources } from './hostile-sources.ts';
import { openGeneratedTron } from './tron/generated-tron.ts';

describeHostileSources('Bitcoin', () =>
  openUtxo('bitcoin', 'bc', [
    'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g',
  ]),
);
describeHostileSources('ether and USDT on Ethereum', () => openEvm('ethereum', 1));
describeHostileSources('USDT on BSC', () => openEvm('bsc', 56));
describeHostileSources('TRX and USDT on TRON', openGeneratedTron);
