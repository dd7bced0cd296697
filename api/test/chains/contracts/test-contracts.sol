// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// A token like USDT: `transfer` returns nothing, and the issuer may take a fee. Any decimals.
contract TestToken {
  event Transfer(address indexed from, address indexed to, uint256 value);
  string public constant symbol = "USDT";
  uint8 public immutable decimals;
  uint256 public feePerMille;
  mapping(address => uint256) public balanceOf;

  constructor(uint8 decimals_) {
    decimals = decimals_;
  }

  function mint(address to, uint256 value) external {
    balanceOf[to] += value;
    emit Transfer(address(0), to, value);
  }

  function setFee(uint256 perMille) external {
    feePerMille = perMille;
  }

  function transfer(address to, uint256 value) external {
    uint256 fee = (value * feePerMille) / 1000;
    balanceOf[msg.sender] -= value;
    balanceOf[to] += value - fee;
    balanceOf[address(this)] += fee;
    emit Transfer(msg.sender, to, value - fee);
    if (fee > 0) emit Transfer(msg.sender, address(this), fee);
  }
}

/// Claims to be USDT and emits `Transfer` without moving anything.
contract ForgedToken {
  event Transfer(address indexed from, address indexed to, uint256 value);
  string public constant symbol = "USDT";

  function transfer(address to, uint256 value) external {
    emit Transfer(msg.sender, to, value);
  }
}

/// Pays from inside a contract, as smart wallets and exchanges do.
contract Payer {
  receive() external payable {}

  function pay(address[] calldata to, uint256[] calldata values) public payable {
    for (uint256 i = 0; i < to.length; i++) {
      (bool isSent, ) = to[i].call{value: values[i]}('');
      require(isSent, 'not sent');
    }
  }

  function payAndRevert(address[] calldata to, uint256[] calldata values) external payable {
    pay(to, values);
    revert('reverted after the payment');
  }

  function payTokens(TestToken token, address[] calldata to, uint256[] calldata values) external {
    for (uint256 i = 0; i < to.length; i++) token.transfer(to[i], values[i]);
  }
}

/// The two functions of Multicall3 that the watcher calls, for chains that start without it.
contract TestMulticall {
  struct Call {
    address target;
    bool allowFailure;
    bytes callData;
  }
  struct Result {
    bool success;
    bytes returnData;
  }

  function aggregate3(Call[] calldata calls) external payable returns (Result[] memory results) {
    results = new Result[](calls.length);
    for (uint256 i = 0; i < calls.length; i++) {
      (results[i].success, results[i].returnData) = calls[i].target.call(calls[i].callData);
      require(results[i].success || calls[i].allowFailure, 'Multicall3: call failed');
    }
  }

  function getEthBalance(address owner) external view returns (uint256) {
    return owner.balance;
  }
}
