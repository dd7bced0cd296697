import { startEther, startUsdt } from '../chains/anvil.ts';
import { describeWatcher } from '../chains/watcher-contract.ts';

describeWatcher('the watcher of ether', startEther);
describeWatcher('the watcher of USDT on Ethereum, with 6 decimals', () => startUsdt('ethereum'));
describeWatcher('the watcher of USDT on BSC, with 18 decimals', () => startUsdt('bsc'));
