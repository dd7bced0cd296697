import 'i18next';
import type auth from './locales/en/auth.json';
import type common from './locales/en/common.json';
import type faq from './locales/en/faq.json';
import type landing from './locales/en/landing.json';
import type legal from './locales/en/legal.json';
import type notification from './locales/en/notification.json';
import type payment from './locales/en/payment.json';
import type proxy from './locales/en/proxy.json';
import type proxyConnection from './locales/en/proxyConnection.json';
import type receipt from './locales/en/receipt.json';
import type receiptCheck from './locales/en/receiptCheck.json';
import type referralSystem from './locales/en/referralSystem.json';
import type staff from './locales/en/staff.json';
import type staffUsers from './locales/en/staffUsers.json';
import type staffSupport from './locales/en/staffSupport.json';
import type staffContent from './locales/en/staffContent.json';
import type staffConnections from './locales/en/staffConnections.json';
import type staffDashboard from './locales/en/staffDashboard.json';
import type staffInventory from './locales/en/staffInventory.json';
import type staffMoney from './locales/en/staffMoney.json';
import type staffSystem from './locales/en/staffSystem.json';
import type support from './locales/en/support.json';
import type transaction from './locales/en/transaction.json';
import type usage from './locales/en/usage.json';
import type user from './locales/en/user.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
      auth: typeof auth;
      common: typeof common;
      faq: typeof faq;
      landing: typeof landing;
      legal: typeof legal;
      notification: typeof notification;
      payment: typeof payment;
      proxy: typeof proxy;
      proxyConnection: typeof proxyConnection;
      receipt: typeof receipt;
      receiptCheck: typeof receiptCheck;
      referralSystem: typeof referralSystem;
      staff: typeof staff;
      staffUsers: typeof staffUsers;
      staffSupport: typeof staffSupport;
      staffContent: typeof staffContent;
      staffConnections: typeof staffConnections;
      staffDashboard: typeof staffDashboard;
      staffInventory: typeof staffInventory;
      staffMoney: typeof staffMoney;
      staffSystem: typeof staffSystem;
      support: typeof support;
      transaction: typeof transaction;
      usage: typeof usage;
      user: typeof user;
    };
  }
}
