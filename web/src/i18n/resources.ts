import 'i18next';

/** The texts of each namespace, which is a file in each language. */
export interface Resources {
  auth: typeof import('./locales/en/auth.json');
  common: typeof import('./locales/en/common.json');
  country: typeof import('./locales/en/country.json');
  faq: typeof import('./locales/en/faq.json');
  legal: typeof import('./locales/en/legal.json');
  legalTexts: typeof import('./locales/en/legalTexts.json');
  notification: typeof import('./locales/en/notification.json');
  payment: typeof import('./locales/en/payment.json');
  proxy: typeof import('./locales/en/proxy.json');
  proxyConnection: typeof import('./locales/en/proxyConnection.json');
  receipt: typeof import('./locales/en/receipt.json');
  receiptCheck: typeof import('./locales/en/receiptCheck.json');
  referralSystem: typeof import('./locales/en/referralSystem.json');
  staff: typeof import('./locales/en/staff.json');
  staffConnections: typeof import('./locales/en/staffConnections.json');
  staffContent: typeof import('./locales/en/staffContent.json');
  staffDashboard: typeof import('./locales/en/staffDashboard.json');
  staffDestinations: typeof import('./locales/en/staffDestinations.json');
  staffInventory: typeof import('./locales/en/staffInventory.json');
  staffMargins: typeof import('./locales/en/staffMargins.json');
  staffMoney: typeof import('./locales/en/staffMoney.json');
  staffSupport: typeof import('./locales/en/staffSupport.json');
  staffSystem: typeof import('./locales/en/staffSystem.json');
  staffUsers: typeof import('./locales/en/staffUsers.json');
  support: typeof import('./locales/en/support.json');
  transaction: typeof import('./locales/en/transaction.json');
  usage: typeof import('./locales/en/usage.json');
  user: typeof import('./locales/en/user.json');
}

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: Resources;
  }
}
