export interface DemoCountry {
  code: string;
  /** For 100 MB. */
  priceCents: number;
  isps: readonly string[];
  cities: readonly (readonly [city: string, region: string, firstZip: string])[];
}

/** Real places and mobile operators, so that the demo's filters feel like the real thing. */
export const demoCountries: readonly DemoCountry[] = [
  {
    code: 'US',
    priceCents: 90,
    isps: ['Verizon Wireless', 'T-Mobile US', 'AT&T Mobility'],
    cities: [
      ['New York', 'New York', '10001'],
      ['Los Angeles', 'California', '90012'],
      ['Chicago', 'Illinois', '60601'],
      ['Houston', 'Texas', '77002'],
      ['Miami', 'Florida', '33130'],
    ],
  },
  {
    code: 'GB',
    priceCents: 80,
    isps: ['EE', 'Vodafone UK', 'O2 UK', 'Three UK'],
    cities: [
      ['London', 'England', 'EC1A 1'],
      ['Manchester', 'England', 'M1 1'],
      ['Edinburgh', 'Scotland', 'EH1 1'],
      ['Cardiff', 'Wales', 'CF10 1'],
    ],
  },
  {
    code: 'DE',
    priceCents: 80,
    isps: ['Telekom', 'Vodafone DE', 'O2 Germany'],
    cities: [
      ['Berlin', 'Berlin', '10115'],
      ['Munich', 'Bavaria', '80331'],
      ['Hamburg', 'Hamburg', '20095'],
      ['Cologne', 'North Rhine-Westphalia', '50667'],
    ],
  },
  {
    code: 'FR',
    priceCents: 80,
    isps: ['Orange', 'SFR', 'Bouygues Telecom', 'Free Mobile'],
    cities: [
      ['Paris', 'Ile-de-France', '75001'],
      ['Lyon', 'Auvergne-Rhone-Alpes', '69001'],
      ['Marseille', "Provence-Alpes-Cote d'Azur", '13001'],
    ],
  },
  {
    code: 'ES',
    priceCents: 70,
    isps: ['Movistar', 'Orange Spain', 'Vodafone Spain'],
    cities: [
      ['Madrid', 'Madrid', '28001'],
      ['Barcelona', 'Catalonia', '08001'],
      ['Valencia', 'Valencia', '46001'],
    ],
  },
  {
    code: 'IT',
    priceCents: 70,
    isps: ['TIM', 'Vodafone Italy', 'WindTre'],
    cities: [
      ['Rome', 'Lazio', '00184'],
      ['Milan', 'Lombardy', '20121'],
      ['Naples', 'Campania', '80131'],
    ],
  },
  {
    code: 'NL',
    priceCents: 80,
    isps: ['KPN', 'VodafoneZiggo', 'Odido'],
    cities: [
      ['Amsterdam', 'North Holland', '1011'],
      ['Rotterdam', 'South Holland', '3011'],
      ['Utrecht', 'Utrecht', '3511'],
    ],
  },
  {
    code: 'BE',
    priceCents: 80,
    isps: ['Proximus', 'Orange Belgium', 'Telenet'],
    cities: [
      ['Brussels', 'Brussels', '1000'],
      ['Antwerp', 'Flanders', '2000'],
    ],
  },
  {
    code: 'PL',
    priceCents: 60,
    isps: ['Orange Polska', 'Play', 'Plus', 'T-Mobile Polska'],
    cities: [
      ['Warsaw', 'Masovia', '00-001'],
      ['Krakow', 'Lesser Poland', '30-001'],
      ['Gdansk', 'Pomerania', '80-001'],
    ],
  },
  {
    code: 'CZ',
    priceCents: 60,
    isps: ['O2 Czech', 'T-Mobile CZ', 'Vodafone CZ'],
    cities: [
      ['Prague', 'Prague', '110 00'],
      ['Brno', 'South Moravia', '602 00'],
    ],
  },
  {
    code: 'AT',
    priceCents: 70,
    isps: ['A1', 'Magenta', 'Drei'],
    cities: [
      ['Vienna', 'Vienna', '1010'],
      ['Graz', 'Styria', '8010'],
    ],
  },
  {
    code: 'CH',
    priceCents: 100,
    isps: ['Swisscom', 'Sunrise', 'Salt'],
    cities: [
      ['Zurich', 'Zurich', '8001'],
      ['Geneva', 'Geneva', '1201'],
    ],
  },
  {
    code: 'SE',
    priceCents: 80,
    isps: ['Telia', 'Tele2', 'Telenor Sweden'],
    cities: [
      ['Stockholm', 'Stockholm', '111 20'],
      ['Gothenburg', 'Vastra Gotaland', '411 03'],
    ],
  },
  {
    code: 'NO',
    priceCents: 90,
    isps: ['Telenor Norway', 'Telia Norway'],
    cities: [
      ['Oslo', 'Oslo', '0150'],
      ['Bergen', 'Vestland', '5003'],
    ],
  },
  {
    code: 'FI',
    priceCents: 70,
    isps: ['Elisa', 'DNA', 'Telia Finland'],
    cities: [
      ['Helsinki', 'Uusimaa', '00100'],
      ['Tampere', 'Pirkanmaa', '33100'],
    ],
  },
  {
    code: 'PT',
    priceCents: 60,
    isps: ['MEO', 'NOS', 'Vodafone Portugal'],
    cities: [
      ['Lisbon', 'Lisbon', '1100'],
      ['Porto', 'Porto', '4000'],
    ],
  },
  {
    code: 'RO',
    priceCents: 50,
    isps: ['Orange Romania', 'Digi', 'Vodafone Romania'],
    cities: [
      ['Bucharest', 'Bucharest', '010011'],
      ['Cluj-Napoca', 'Cluj', '400001'],
    ],
  },
  {
    code: 'GR',
    priceCents: 60,
    isps: ['Cosmote', 'Nova', 'Vodafone Greece'],
    cities: [
      ['Athens', 'Attica', '105 51'],
      ['Thessaloniki', 'Central Macedonia', '546 22'],
    ],
  },
  {
    code: 'TR',
    priceCents: 50,
    isps: ['Turkcell', 'Turk Telekom', 'Vodafone Turkey'],
    cities: [
      ['Istanbul', 'Istanbul', '34110'],
      ['Ankara', 'Ankara', '06420'],
    ],
  },
  {
    code: 'UA',
    priceCents: 50,
    isps: ['Kyivstar', 'Vodafone Ukraine', 'lifecell'],
    cities: [
      ['Kyiv', 'Kyiv', '01001'],
      ['Lviv', 'Lviv', '79000'],
      ['Odesa', 'Odesa', '65000'],
    ],
  },
  {
    code: 'KZ',
    priceCents: 50,
    isps: ['Beeline KZ', 'Kcell', 'Tele2 KZ'],
    cities: [
      ['Almaty', 'Almaty', '050000'],
      ['Astana', 'Astana', '010000'],
    ],
  },
  {
    code: 'BR',
    priceCents: 60,
    isps: ['Vivo', 'Claro', 'TIM Brasil'],
    cities: [
      ['Sao Paulo', 'Sao Paulo', '01001'],
      ['Rio de Janeiro', 'Rio de Janeiro', '20010'],
    ],
  },
  {
    code: 'MX',
    priceCents: 60,
    isps: ['Telcel', 'AT&T Mexico', 'Movistar Mexico'],
    cities: [
      ['Mexico City', 'Mexico City', '06000'],
      ['Guadalajara', 'Jalisco', '44100'],
    ],
  },
  {
    code: 'CA',
    priceCents: 90,
    isps: ['Rogers', 'Bell Mobility', 'Telus'],
    cities: [
      ['Toronto', 'Ontario', 'M5H 2'],
      ['Vancouver', 'British Columbia', 'V6B 1'],
      ['Montreal', 'Quebec', 'H2Y 1'],
    ],
  },
  {
    code: 'AU',
    priceCents: 100,
    isps: ['Telstra', 'Optus', 'Vodafone Australia'],
    cities: [
      ['Sydney', 'New South Wales', '2000'],
      ['Melbourne', 'Victoria', '3000'],
    ],
  },
  {
    code: 'JP',
    priceCents: 110,
    isps: ['NTT Docomo', 'au KDDI', 'SoftBank'],
    cities: [
      ['Tokyo', 'Tokyo', '100-0001'],
      ['Osaka', 'Osaka', '530-0001'],
    ],
  },
  {
    code: 'IN',
    priceCents: 40,
    isps: ['Jio', 'Airtel', 'Vi'],
    cities: [
      ['Mumbai', 'Maharashtra', '400001'],
      ['Delhi', 'Delhi', '110001'],
      ['Bengaluru', 'Karnataka', '560001'],
    ],
  },
  {
    code: 'ID',
    priceCents: 40,
    isps: ['Telkomsel', 'Indosat', 'XL Axiata'],
    cities: [
      ['Jakarta', 'Jakarta', '10110'],
      ['Surabaya', 'East Java', '60119'],
    ],
  },
];
