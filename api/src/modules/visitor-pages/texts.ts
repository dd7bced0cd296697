/** The texts of the pages for visitors. They say what docs/billing.md says. */
import type { LegalDocument } from '@cellhop/contract/legal-documents';
import type { LanguageCode } from '@cellhop/contract/schemas';
import { englishHomeTexts } from './english-home-texts.ts';
import type { HomeTexts } from './home-texts.ts';
import { russianHomeTexts } from './russian-home-texts.ts';

export interface VisitorTexts {
  /** The language's name for itself. */
  languageName: string;
  otherLanguages: string;
  theme: string;
  themes: Record<'LIGHT' | 'DARK' | 'AUTO', string>;
  navigation: string;
  pages: { pricing: string; locations: string };
  signIn: string;
  signUp: string;
  signUpWithCredit: (credit: string) => string;
  openApp: string;
  legal: Record<LegalDocument, string>;
  links: string;
  contact: string;
  abuse: string;
  figures: { countries: string; operators: string; cities: string; free: string; megabyte: string; gigabyte: string };
  from: (price: string) => string;
  /** @param time in UTC */
  counted: (time: string) => string;
  none: string;
  unavailable: string;
  closing: string;
  home: HomeTexts;
  pricing: PricingTexts;
  locations: LocationTexts;
  country: CountryTexts;
}

interface PricingTexts {
  title: (brandName: string) => string;
  description: (price: string | undefined) => string;
  heading: string;
  lead: string;
  charged: string;
  steps: {
    title: string;
    text: (values: { megabytes: string; prepaid: string | undefined; refundTime: string }) => string;
  }[];
  table: string;
  columns: { country: string; megabyte: string; gigabyte: string; free: string };
  tableNote: string;
  counting: string;
  countingTexts: string[];
  paying: string;
  minimum: (amount: string) => string;
  currencies: (list: string) => string;
  late: string;
  receipts: string;
  checkReceipt: string;
}

interface LocationTexts {
  title: (brandName: string) => string;
  description: (values: { countries: string; operators: string } | undefined) => string;
  heading: string;
  lead: string;
  free: (count: string) => string;
  more: (count: string) => string;
}

interface CountryTexts {
  title: (country: string, brandName: string) => string;
  description: (country: string, values: { operators: string; free: string; price: string | undefined }) => string;
  heading: (country: string) => string;
  lead: string;
  path: string;
  all: string;
  operators: string;
  cities: string;
  connectionTypes: string;
  /** Beside the names of the largest ones. */
  more: (count: string) => string;
  none: (country: string) => string;
}

const en: VisitorTexts = {
  languageName: 'English',
  otherLanguages: 'Language',
  theme: 'Theme',
  themes: { LIGHT: 'Light', DARK: 'Dark', AUTO: 'Automatic' },
  navigation: 'Pages',
  pages: { pricing: 'Pricing', locations: 'Locations' },
  signIn: 'Sign in',
  signUp: 'Sign up',
  signUpWithCredit: (credit) => `Start with ${credit} free`,
  openApp: 'Open the app',
  legal: {
    terms: 'Terms of service',
    'acceptable-use': 'Acceptable use',
    privacy: 'Privacy',
    refunds: 'Refunds',
    imprint: 'Imprint',
  },
  links: 'Terms and contact',
  contact: 'Contact',
  abuse: 'Report abuse',
  figures: {
    countries: 'Countries',
    operators: 'Operators',
    cities: 'Cities',
    free: 'Free proxies',
    megabyte: '1 MB from',
    gigabyte: '1 GB from',
  },
  from: (price) => `from ${price} per MB`,
  counted: (time) => `As of ${time} UTC. Only proxies whose last check succeeded are for sale.`,
  none: 'No proxy is free at the moment. They come back when other customers disconnect.',
  unavailable: 'Prices and stock could not be loaded. Please try again in a minute.',
  closing: 'Your first connection is a minute away',
  home: englishHomeTexts,
  pricing: {
    title: (brandName) => `Mobile proxy pricing by country – ${brandName}`,
    description: (price) =>
      `Mobile proxies${price === undefined ? '' : ` from ${price} per megabyte`}: pay for traffic only, no subscription. Prices by country, what is counted, refunds and payment.`,
    heading: 'Pay for traffic, not for time',
    lead: 'No subscription and no fee for time. You top up a balance and pay for the megabytes that pass through your proxies.',
    charged: 'How you are charged',
    steps: [
      {
        title: 'You buy',
        text: ({ megabytes, prepaid }) =>
          `The first ${megabytes} MB are charged at once${prepaid === undefined ? '' : `, from ${prepaid}`}. The price is shown before you buy, and stays the same for the connection.`,
      },
      {
        title: 'You use it',
        text: () =>
          'Each further megabyte is charged when it begins. When the balance has run out the connection ends: you never owe anything.',
      },
      {
        title: 'You disconnect',
        text: ({ megabytes, refundTime }) =>
          `Within ${refundTime} of the purchase, the unused part of the first ${megabytes} MB goes back to your balance. If the proxy goes offline, this applies at any time.`,
      },
    ],
    table: 'Prices by country',
    columns: { country: 'Country', megabyte: '1 MB from', gigabyte: '1 GB from', free: 'Free' },
    tableNote: 'The lowest price of a free proxy in each country. One gigabyte is 1,024 MB.',
    counting: 'What counts as traffic',
    countingTexts: [
      'The bytes that you send and receive through the proxy, upload and download together, and messages on the DNS port of the connection. One megabyte is 1,048,576 bytes.',
      'The handshake of the proxy protocol is not counted, and neither are our own checks of the proxy.',
    ],
    paying: 'Payment',
    minimum: (amount) => `Top up from ${amount}. The balance pays for proxies in all countries.`,
    currencies: (list) => `Accepted: ${list}.`,
    late: 'Whatever arrives is credited, also if it is late or a different amount.',
    receipts: 'Every connection has a signed receipt that anyone can check.',
    checkReceipt: 'Check a receipt',
  },
  locations: {
    title: (brandName) => `Mobile proxies by country and operator – ${brandName}`,
    description: (values) =>
      values === undefined
        ? 'Mobile proxies by country and operator, with the number of free ones and prices.'
        : `Mobile proxies of ${values.operators} operators in ${values.countries} countries, with the number of free ones and prices by the megabyte.`,
    heading: 'Mobile proxies by country',
    lead: 'Addresses of mobile operators, the same ones that phones use. Choose by country, region, city, ZIP code or operator.',
    free: (count) => `${count} free`,
    more: (count) => `and ${count} more`,
  },
  country: {
    title: (country, brandName) => `Mobile proxies: ${country} – ${brandName}`,
    description: (country, { operators, free, price }) =>
      `Mobile proxies in ${country}: ${free} free, ${operators}.${price === undefined ? '' : ` From ${price} per megabyte, no subscription.`}`,
    heading: (country) => `Mobile proxies: ${country}`,
    lead: 'SOCKS5 and HTTP, paid by the megabyte. Choose an operator or a city in the app, and connect in one click.',
    path: 'You are here',
    all: 'All locations',
    operators: 'Operators',
    cities: 'Cities',
    connectionTypes: 'Connection types',
    more: (count) => `and ${count} more in the app`,
    none: (country) =>
      `No proxy is free in this place at the moment: ${country}. They come back when other customers disconnect.`,
  },
};

const ru: VisitorTexts = {
  languageName: 'Русский',
  otherLanguages: 'Язык',
  theme: 'Тема',
  themes: { LIGHT: 'Светлая', DARK: 'Тёмная', AUTO: 'По времени суток' },
  navigation: 'Страницы',
  pages: { pricing: 'Цены', locations: 'Страны' },
  signIn: 'Войти',
  signUp: 'Зарегистрироваться',
  signUpWithCredit: (credit) => `Начать с ${credit} в подарок`,
  openApp: 'В приложение',
  legal: {
    terms: 'Условия использования',
    'acceptable-use': 'Правила использования',
    privacy: 'Конфиденциальность',
    refunds: 'Возвраты',
    imprint: 'Данные продавца',
  },
  links: 'Условия и контакты',
  contact: 'Связаться',
  abuse: 'Сообщить о злоупотреблении',
  figures: {
    countries: 'Страны',
    operators: 'Операторы',
    cities: 'Города',
    free: 'Свободные прокси',
    megabyte: '1 МБ от',
    gigabyte: '1 ГБ от',
  },
  from: (price) => `от ${price} за МБ`,
  counted: (time) => `Данные на ${time} UTC. Продаются только прокси, последняя проверка которых прошла успешно.`,
  none: 'Сейчас свободных прокси нет. Они появятся, когда другие клиенты отключатся.',
  unavailable: 'Не удалось загрузить цены и наличие. Попробуйте ещё раз через минуту.',
  closing: 'До первого подключения\u00A0— одна минута',
  home: russianHomeTexts,
  pricing: {
    title: (brandName) => `Цены на мобильные прокси по странам – ${brandName}`,
    description: (price) =>
      `Мобильные прокси${price === undefined ? '' : ` от ${price} за мегабайт`}: оплата только за трафик, без подписки. Цены по странам, что учитывается, возвраты и способы оплаты.`,
    heading: 'Платите за трафик, а не за время',
    lead: 'Ни подписки, ни платы за время. Вы пополняете баланс и платите за мегабайты, которые прошли через ваши прокси.',
    charged: 'Как списывается оплата',
    steps: [
      {
        title: 'Вы покупаете',
        text: ({ megabytes, prepaid }) =>
          `Первые ${megabytes} МБ оплачиваются сразу${prepaid === undefined ? '' : ` — от ${prepaid}`}. Цена видна до покупки и для этого подключения не меняется.`,
      },
      {
        title: 'Вы пользуетесь',
        text: () =>
          'Каждый следующий мегабайт оплачивается, когда он начинается. Если средства на балансе закончились, подключение завершается: в долг ничего не списывается.',
      },
      {
        title: 'Вы отключаетесь',
        text: ({ megabytes, refundTime }) =>
          `Если подключение завершается раньше чем через ${refundTime} после покупки, неиспользованная часть первых ${megabytes} МБ возвращается на баланс. Если отключился сам прокси, она возвращается в любое время.`,
      },
    ],
    table: 'Цены по странам',
    columns: { country: 'Страна', megabyte: '1 МБ от', gigabyte: '1 ГБ от', free: 'Свободно' },
    tableNote: 'Самая низкая цена свободного прокси в каждой стране. Один гигабайт — 1\u00A0024\u00A0МБ.',
    counting: 'Что считается трафиком',
    countingTexts: [
      'Байты, которые вы отправляете и получаете через прокси, в обе стороны вместе, и сообщения на DNS-порту подключения. Один мегабайт — 1\u00A0048\u00A0576 байт.',
      'Служебный обмен протокола прокси и наши собственные проверки прокси не учитываются.',
    ],
    paying: 'Оплата',
    minimum: (amount) => `Пополнение — от ${amount}. С одного баланса оплачиваются прокси во всех странах.`,
    currencies: (list) => `Принимаем: ${list}.`,
    late: 'Зачисляется всё, что пришло, — даже позже срока или в другой сумме.',
    receipts: 'На каждое подключение есть подписанный чек, который может проверить каждый.',
    checkReceipt: 'Проверить чек',
  },
  locations: {
    title: (brandName) => `Мобильные прокси по странам и операторам – ${brandName}`,
    description: (values) =>
      values === undefined
        ? 'Мобильные прокси по странам и операторам: сколько свободно и по какой цене.'
        : `Мобильные прокси: страны — ${values.countries}, операторы — ${values.operators}. Сколько свободно и сколько стоит мегабайт.`,
    heading: 'Мобильные прокси по странам',
    lead: 'Адреса мобильных операторов — те же, с которых выходят в сеть телефоны. Выбирайте страну, регион, город, индекс или оператора.',
    free: (count) => `свободно: ${count}`,
    more: (count) => `и ещё ${count}`,
  },
  country: {
    title: (country, brandName) => `Мобильные прокси: ${country} – ${brandName}`,
    description: (country, { operators, free, price }) =>
      `Мобильные прокси, ${country}: свободно ${free}, ${operators}.${price === undefined ? '' : ` От ${price} за мегабайт, без подписки.`}`,
    heading: (country) => `Мобильные прокси: ${country}`,
    lead: 'SOCKS5 и HTTP с оплатой за мегабайты. Выберите в приложении оператора или город и подключитесь в один клик.',
    path: 'Вы здесь',
    all: 'Все страны',
    operators: 'Операторы',
    cities: 'Города',
    connectionTypes: 'Типы подключения',
    more: (count) => `и ещё ${count} в приложении`,
    none: (country) => `Сейчас здесь нет свободных прокси: ${country}. Они появятся, когда другие клиенты отключатся.`,
  },
};

export const visitorTexts: Record<LanguageCode, VisitorTexts> = { en, ru };
