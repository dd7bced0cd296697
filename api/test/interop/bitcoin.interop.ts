import { startBitcoin } from '../chains/bcoin.ts';
import { describeWatcher } from '../chains/watcher-contract.ts';

describeWatcher('Bitcoin', startBitcoin);
