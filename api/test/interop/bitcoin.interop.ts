import { startBitcoin } from '../chains/bcoin.ts';
import { describeWatcher } from '../chains/watcher-contract.ts';

describeWatcher('the watcher of Bitcoin', startBitcoin);
