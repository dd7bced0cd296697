export interface DemoCountry {
  code: string;
  /** For 100 MB. */
  priceCents: number;
  /** With the numbers of their autonomous systems; null: unknown. */
  isps: Readonly<Record<string, number | null>>;
  cities: readonly (readonly [city: string, region: string, firstZip: string])[];
}

/** Real places and mobile operators, so that the demo's filters feel like the real thing. */
export const demoCountries: readonly DemoCountry[] = [
  {
    code: 'US',
    priceCents: 90,
    isps: { 'Verizon Wireless': 6167, 'T-Mobile US': 21_928, 'AT&T Mobility': 20_057 },
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
    isps: { EE: 12_576, 'Vodafone UK': 25_135, 'O2 UK': 35_228, 'Three UK': 60_339 },
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
    isps: { Telekom: 3320, 'Vodafone DE': 3209, 'O2 Germany': 6805 },
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
    isps: { Orange: 3215, SFR: 15_557, 'Bouygues Telecom': 5410, 'Free Mobile': 51_207 },
    cities: [
      ['Paris', 'Ile-de-France', '75001'],
      ['Lyon', 'Auvergne-Rhone-Alpes', '69001'],
      ['Marseille', "Provence-Alpes-Cote d'Azur", '13001'],
    ],
  },
  {
    code: 'ES',
    priceCents: 70,
    isps: { Movistar: 3352, 'Orange Spain': 12_479, 'Vodafone Spain': 12_430 },
    cities: [
      ['Madrid', 'Madrid', '28001'],
      ['Barcelona', 'Catalonia', '08001'],
      ['Valencia', 'Valencia', '46001'],
    ],
  },
  {
    code: 'IT',
    priceCents: 70,
    isps: { TIM: 3269, 'Vodafone Italy': 30_722, WindTre: 1267 },
    cities: [
      ['Rome', 'Lazio', '00184'],
      ['Milan', 'Lombardy', '20121'],
      ['Naples', 'Campania', '80131'],
    ],
  },
  {
    code: 'NL',
    priceCents: 80,
    isps: { KPN: 1136, VodafoneZiggo: 33_915, Odido: 31_615 },
    cities: [
      ['Amsterdam', 'North Holland', '1011'],
      ['Rotterdam', 'South Holland', '3011'],
      ['Utrecht', 'Utrecht', '3511'],
    ],
  },
  {
    code: 'BE',
    priceCents: 80,
    isps: { Proximus: 5432, 'Orange Belgium': 47_377, Telenet: 6848 },
    cities: [
      ['Brussels', 'Brussels', '1000'],
      ['Antwerp', 'Flanders', '2000'],
    ],
  },
  {
    code: 'PL',
    priceCents: 60,
    isps: { 'Orange Polska': 5617, Play: 39_603, Plus: 8374, 'T-Mobile Polska': 12_912 },
    cities: [
      ['Warsaw', 'Masovia', '00-001'],
      ['Krakow', 'Lesser Poland', '30-001'],
      ['Gdansk', 'Pomerania', '80-001'],
    ],
  },
  {
    code: 'CZ',
    priceCents: 60,
    isps: { 'O2 Czech': 5610, 'T-Mobile CZ': 13_036, 'Vodafone CZ': 16_019 },
    cities: [
      ['Prague', 'Prague', '110 00'],
      ['Brno', 'South Moravia', '602 00'],
    ],
  },
  {
    code: 'AT',
    priceCents: 70,
    isps: { A1: 8447, Magenta: 8412, Drei: 25_255 },
    cities: [
      ['Vienna', 'Vienna', '1010'],
      ['Graz', 'Styria', '8010'],
    ],
  },
  {
    code: 'CH',
    priceCents: 100,
    isps: { Swisscom: 3303, Sunrise: 6730, Salt: 15_796 },
    cities: [
      ['Zurich', 'Zurich', '8001'],
      ['Geneva', 'Geneva', '1201'],
    ],
  },
  {
    code: 'SE',
    priceCents: 80,
    isps: { Telia: 3301, Tele2: 1257, 'Telenor Sweden': 8434 },
    cities: [
      ['Stockholm', 'Stockholm', '111 20'],
      ['Gothenburg', 'Vastra Gotaland', '411 03'],
    ],
  },
  {
    code: 'NO',
    priceCents: 90,
    isps: { 'Telenor Norway': 2119, 'Telia Norway': 25_400 },
    cities: [
      ['Oslo', 'Oslo', '0150'],
      ['Bergen', 'Vestland', '5003'],
    ],
  },
  {
    code: 'FI',
    priceCents: 70,
    isps: { Elisa: 719, DNA: 16_086, 'Telia Finland': 1759 },
    cities: [
      ['Helsinki', 'Uusimaa', '00100'],
      ['Tampere', 'Pirkanmaa', '33100'],
    ],
  },
  {
    code: 'PT',
    priceCents: 60,
    isps: { MEO: 3243, NOS: 2860, 'Vodafone Portugal': 12_353 },
    cities: [
      ['Lisbon', 'Lisbon', '1100'],
      ['Porto', 'Porto', '4000'],
    ],
  },
  {
    code: 'RO',
    priceCents: 50,
    isps: { 'Orange Romania': 8953, Digi: 8708, 'Vodafone Romania': 12_302 },
    cities: [
      ['Bucharest', 'Bucharest', '010011'],
      ['Cluj-Napoca', 'Cluj', '400001'],
    ],
  },
  {
    code: 'GR',
    priceCents: 60,
    isps: { Cosmote: 29_247, Nova: 25_472, 'Vodafone Greece': 12_361 },
    cities: [
      ['Athens', 'Attica', '105 51'],
      ['Thessaloniki', 'Central Macedonia', '546 22'],
    ],
  },
  {
    code: 'TR',
    priceCents: 50,
    isps: { Turkcell: 16_135, 'Turk Telekom': 9121, 'Vodafone Turkey': 15_897 },
    cities: [
      ['Istanbul', 'Istanbul', '34110'],
      ['Ankara', 'Ankara', '06420'],
    ],
  },
  {
    code: 'UA',
    priceCents: 50,
    isps: { Kyivstar: 15_895, 'Vodafone Ukraine': 21_497, lifecell: 34_058 },
    cities: [
      ['Kyiv', 'Kyiv', '01001'],
      ['Lviv', 'Lviv', '79000'],
      ['Odesa', 'Odesa', '65000'],
    ],
  },
  {
    code: 'KZ',
    priceCents: 50,
    isps: { 'Beeline KZ': 21_299, Kcell: 29_355, 'Tele2 KZ': 48_503 },
    cities: [
      ['Almaty', 'Almaty', '050000'],
      ['Astana', 'Astana', '010000'],
    ],
  },
  {
    code: 'BR',
    priceCents: 60,
    isps: { Vivo: 26_599, Claro: 28_573, 'TIM Brasil': 26_615 },
    cities: [
      ['Sao Paulo', 'Sao Paulo', '01001'],
      ['Rio de Janeiro', 'Rio de Janeiro', '20010'],
    ],
  },
  {
    code: 'MX',
    priceCents: 60,
    isps: { Telcel: 28_403, 'AT&T Mexico': 28_469, 'Movistar Mexico': null },
    cities: [
      ['Mexico City', 'Mexico City', '06000'],
      ['Guadalajara', 'Jalisco', '44100'],
    ],
  },
  {
    code: 'CA',
    priceCents: 90,
    isps: { Rogers: 812, 'Bell Mobility': 36_522, Telus: 852 },
    cities: [
      ['Toronto', 'Ontario', 'M5H 2'],
      ['Vancouver', 'British Columbia', 'V6B 1'],
      ['Montreal', 'Quebec', 'H2Y 1'],
    ],
  },
  {
    code: 'AU',
    priceCents: 100,
    isps: { Telstra: 1221, Optus: 4804, 'Vodafone Australia': 133_612 },
    cities: [
      ['Sydney', 'New South Wales', '2000'],
      ['Melbourne', 'Victoria', '3000'],
    ],
  },
  {
    code: 'JP',
    priceCents: 110,
    isps: { 'NTT Docomo': 9605, 'au KDDI': 2516, SoftBank: 17_676 },
    cities: [
      ['Tokyo', 'Tokyo', '100-0001'],
      ['Osaka', 'Osaka', '530-0001'],
    ],
  },
  {
    code: 'IN',
    priceCents: 40,
    isps: { Jio: 55_836, Airtel: 45_609, Vi: 38_266 },
    cities: [
      ['Mumbai', 'Maharashtra', '400001'],
      ['Delhi', 'Delhi', '110001'],
      ['Bengaluru', 'Karnataka', '560001'],
    ],
  },
  {
    code: 'ID',
    priceCents: 40,
    isps: { Telkomsel: 23_693, Indosat: 4761, 'XL Axiata': 24_203 },
    cities: [
      ['Jakarta', 'Jakarta', '10110'],
      ['Surabaya', 'East Java', '60119'],
    ],
  },
];
