import type { HomeTexts } from './home-texts.ts';

export const englishHomeTexts: HomeTexts = {
  title: (brandName) => `Mobile proxies, paid by the megabyte – ${brandName}`,
  description:
    'Real mobile IPs in many countries, searched by city, ZIP code and operator. No subscription: you pay for the traffic that you use.',
  heading: 'Mobile proxies, paid by the megabyte',
  lead: 'Pick an address by city, ZIP or operator, connect in one click and pay only for the traffic you use.',
  seePricing: 'See pricing',
  hops: {
    picture: 'How a connection hops through a mobile cell',
    you: 'You',
    cell: 'Mobile cell',
    web: 'Website',
  },
  price: (price) => `from ${price}`,
  perMegabyte: 'per megabyte',
  megabytes: (count) => `${count} MB`,
  forOneDollar: (pages) => `for $1, some ${pages} web pages`,
  countries: { one: 'country', other: 'countries' },
  free: { one: 'proxy free now', other: 'proxies free now' },
  rule: 'Every proxy is tested about once a minute. Only those that pass are for sale.',
  steps: 'A proxy in three steps',
  step: {
    find: {
      title: 'Find',
      text: 'Choose a country, city, ZIP code or operator.',
      picture: 'The catalogue on a phone, with a country chosen',
    },
    buy: {
      title: 'Buy',
      text: 'One click. The price is fixed before it.',
      picture: 'The purchase of a proxy on a phone, with its price',
    },
    use: {
      title: 'Use',
      text: 'Copy one string into a browser or program, and watch each megabyte.',
      picture: 'A connection on a phone, with its address and its traffic',
    },
  },
  proof: "Don't take our word for it",
  proofs: {
    checks: { name: 'Checks passed', text: 'Proxy checks in the last 30 days:' },
    firstChecks: { name: 'Proxy checks', text: 'In the last 30 days.' },
    latency: { name: 'Median latency', text: 'Until the first byte of a response, with the time to connect.' },
    refunds: {
      name: 'Refunds paid by rule',
      text: 'In the last 30 days, without a request to support.',
      link: 'Refund rules',
    },
    receipts: {
      name: 'Signed receipts',
      text: 'For the connections that ended in the last 30 days. Anyone can check one.',
      link: 'Check a receipt',
    },
  },
  milliseconds: (count) => `${count} ms`,
  code: 'One line in your program',
  codeText:
    'SOCKS5 and HTTP on the same port. Copy host, port, username and password from your connection; this prints the address that websites see.',
  codeFor: 'Example for',
  copy: 'Copy',
  copied: 'Copied',
  uses: 'What it is used for',
  useCases: [
    {
      title: 'Ad verification',
      text: 'See which ads run in a city and where their links lead, as people with a phone there do.',
    },
    {
      title: 'Prices by city',
      text: 'Compare what shops and marketplaces show in other cities, and to customers of other operators.',
    },
    { title: 'Search results', text: 'Check your positions in search and on maps where your customers live.' },
    {
      title: 'Testing of sites and apps',
      text: 'Try sign-up, payment and content in a mobile network of another country before your users do.',
    },
    {
      title: 'Public data',
      text: 'Collect public pages whenever you need them, and pay for pages instead of months.',
    },
  ],
  benefits: 'What you get',
  benefit: [
    {
      title: 'Real mobile IPs',
      text: 'Websites see a customer of a mobile operator, because the address is one of theirs.',
    },
    {
      title: 'Search by ZIP and operator',
      text: 'Narrow the catalogue down to a neighbourhood or to a single operator.',
    },
    { title: 'Pay only for used traffic', text: 'A connection that waits for work costs nothing more.' },
    { title: 'Refunds are automatic', text: 'A proxy did not suit you? You get back what you did not use.' },
    { title: 'Free trial for a limited time', text: 'Sign up with a promo code and try the service on us.' },
    {
      title: '25% affiliate programme',
      text: 'Invite others and earn up to 25% of their top-ups, month after month.',
    },
    { title: 'Many countries', text: 'Change the country in a minute, without another contract.' },
  ],
  summary: (brandName) => `${brandName} supports SOCKS5, HTTP and QUIC and gives you ready-made connection strings.`,
  currencies: (list) => `You can pay in ${list}.`,
  questions: 'Questions',
  answers: [
    {
      question: 'What is a mobile proxy?',
      answer:
        'A device in a mobile network that passes your traffic on. Websites see the address of its operator, as if someone there were using a phone.',
    },
    {
      question: 'Who else uses my proxy?',
      answer:
        'Nobody. While your connection is open, nobody else can buy its proxy. Several of your own programs can use it at once.',
    },
    {
      question: 'Is there a volume discount?',
      answer:
        'No: the first megabyte costs as much as the last one, so you get the lowest price without a plan, a commitment or a large payment in advance.',
    },
    {
      question: 'How long does a connection last?',
      answer:
        'Until you end it. It also ends if your balance runs out or its traffic limit is reached, if there has been no traffic for a while, or if the proxy goes offline. You always see the reason and the refund.',
    },
    {
      question: 'Which programs can use it?',
      answer:
        'All that support SOCKS5 or HTTP proxies: browsers, Telegram, curl, Playwright, Puppeteer and others. UDP and QUIC work over SOCKS5.',
    },
    {
      question: 'What do you store about my traffic?',
      answer:
        'How much traffic you use, when, and from which addresses. We store neither its content nor the names of the sites that you visit.',
    },
    {
      question: 'What is not allowed?',
      answer: 'Fraud, attacks, spam and anything else that is illegal where you or the proxy are.',
      link: { href: '/legal/acceptable-use', text: 'Acceptable use' },
    },
  ],
  seller: 'Who runs it',
};
