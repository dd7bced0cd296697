import { durationText } from '@cellhop/contract/number-texts';
import type { Ctx } from '../ctx.ts';
import { insertEntry } from '../modules/faq/faq.service.ts';

type Entry = readonly [question: string, response: string];

/** Common questions of customers. The rules are those of docs/billing.md. Both languages have the same order. */
const faq: { readonly en: readonly Entry[]; readonly ru: readonly Entry[] } = {
  en: [
    [
      'Which traffic is counted?',
      'The bytes that you send and receive through the proxy, both directions together, and the messages on the DNS port of the connection. The handshake of the proxy protocol itself is not counted. In plain HTTP (addresses with http://), the heads of requests and responses count as well. One megabyte is 1,048,576 bytes.',
    ],
    [
      'What do I pay for?',
      'For traffic only. Buying a proxy takes the price of the first 50 MB from your balance at once. After that each further megabyte is charged when it begins. There is no subscription and no fee for time.',
    ],
    [
      'When do I get money back?',
      'If a connection ends within {{refundTime}} of the purchase, you pay only for the megabytes that have begun; the rest of the first 50 MB goes back to your balance. If the proxy itself is lost, the unused part of the first 50 MB goes back at any time.',
    ],
    [
      'Why was my proxy disconnected?',
      'A connection with less than 1 KB of traffic in {{idleTime}} ends automatically, so that it does not block an address that nobody uses. The connection history shows why each connection ended.',
    ],
    [
      'What happens when my balance runs out?',
      'You never owe us anything: the connection works up to the last byte that is paid for and then ends with the status "Out of funds". Your balance never goes below zero. To continue, top up and buy a proxy again.',
    ],
    [
      'Which protocols are supported?',
      'SOCKS5, HTTP (also for HTTPS sites, by the CONNECT method) and QUIC (HTTP/3), which travels over SOCKS5 UDP: programs that support UDP ASSOCIATE use it by themselves. Programs that speak only SOCKS4 or SOCKS4a work too, with username:password as their user id. All of them use the same host and port, with the username and password of the connection; addresses on its allow-list need no password.',
    ],
    [
      'How do I use a proxy that I bought?',
      'Copy host, port, username and password from the purchase dialog or from the details in the connection history, and enter them in your browser or program. The line username:password@host:port fits most programs, for example: curl -x socks5h://username:password@host:port https://example.com',
    ],
    [
      'What is the DNS port?',
      'Each connection has a DNS port of its own, over UDP and TCP. Names you look up there are resolved through the proxy, so they match its location. It answers only addresses that signed in to this connection in the last 10 minutes, or are on its allow-list. For example: dig @host -p DNS-port example.com',
    ],
    [
      'Does anyone else use my proxy at the same time?',
      'No. A proxy is sold to one customer at a time and returns to the catalogue when the connection ends. You may use it from several programs and devices at once.',
    ],
    [
      'How do I top up my balance?',
      'Open Payments, choose an amount of at least 5 USD and one of the currencies shown there. Send the shown amount to the shown address, over the network that the invoice names. Your balance is topped up when the network has confirmed the payment.',
    ],
    [
      'What if I pay late or send a different amount?',
      "Whatever arrives is credited, whether it is more or less than the invoice. A payment that is first seen after the invoice has expired is credited at the invoice's rate or the rate on arrival, whichever is lower; stablecoins one to one, as soon as they are worth one dollar.",
    ],
    [
      'How does the referral programme work?',
      'Invite others with your link. The number of their top-ups in a calendar month decides your level for the next month: none Basic 0%, 1 to 5 Silver 10%, 6 to 10 Gold 15%, 11 to 21 Platinum 20%, 22 or more Partner 25%. That share of each of their top-ups is credited to your balance.',
    ],
  ],
  ru: [
    [
      'Какой трафик учитывается?',
      'Байты, которые вы отправляете и получаете через прокси, в обе стороны вместе, и сообщения на DNS-порту подключения. Служебный обмен самого протокола прокси не учитывается. В обычном HTTP (адреса с http://) учитываются и заголовки запросов и ответов. Один мегабайт — 1\u00A0048\u00A0576 байт.',
    ],
    [
      'За что я плачу?',
      'Только за трафик. При покупке прокси с баланса сразу списывается цена первых 50 МБ. Дальше каждый следующий мегабайт оплачивается, когда он начинается. Подписки и платы за время нет.',
    ],
    [
      'Когда деньги возвращаются?',
      'Если подключение завершено раньше чем через {{refundTime}} после покупки, вы платите только за начатые мегабайты, а остаток от первых 50 МБ возвращается на баланс. Если пропал сам прокси, неиспользованная часть первых 50 МБ возвращается в любое время.',
    ],
    [
      'Почему прокси отключился?',
      'Подключение, в котором за {{idleTime}} прошло меньше 1 КБ трафика, завершается автоматически, чтобы не занимать адрес, которым никто не пользуется. Причина каждого завершения видна в истории подключений.',
    ],
    [
      'Что будет, когда закончатся средства на балансе?',
      'В долг ничего не списывается: подключение работает до последнего оплаченного байта и завершается со статусом «Закончились средства». Баланс никогда не становится отрицательным. Пополните его и купите прокси снова, чтобы продолжить.',
    ],
    [
      'Какие протоколы поддерживаются?',
      'SOCKS5, HTTP (в том числе для сайтов HTTPS, методом CONNECT) и QUIC (HTTP/3), который идёт через SOCKS5 UDP: программы, которые поддерживают UDP ASSOCIATE, используют его сами. Программы, которые знают только SOCKS4 или SOCKS4a, тоже работают: идентификатор пользователя (user id) для них — username:password. Для всех один и тот же хост и порт, логин и пароль подключения; адресам из списка разрешённых пароль не нужен.',
    ],
    [
      'Как пользоваться купленным прокси?',
      'Скопируйте хост, порт, логин и пароль из окна покупки или из подробностей в истории подключений и укажите их в браузере или программе. Большинству программ подходит строка username:password@host:port, например: curl -x socks5h://username:password@host:port https://example.com',
    ],
    [
      'Что такое DNS-порт?',
      'У каждого подключения есть собственный DNS-порт, по UDP и TCP. DNS-запросы на этот порт выполняются через прокси, поэтому ответы соответствуют его местоположению. Он отвечает только адресам, которые входили в это подключение за последние 10 минут или есть в его списке разрешённых. Например: dig @host -p DNS-порт example.com',
    ],
    [
      'Пользуется ли моим прокси кто-нибудь ещё?',
      'Нет. Прокси продаётся одному клиенту и возвращается в каталог, когда подключение завершено. Вы можете пользоваться им из нескольких программ и устройств одновременно.',
    ],
    [
      'Как пополнить баланс?',
      'Откройте раздел «Платежи», выберите сумму от 5 USD и одну из показанных там валют. Отправьте указанную сумму на указанный адрес через сеть, названную в счёте. Баланс пополнится, когда сеть подтвердит платёж.',
    ],
    [
      'Что если я заплачу позже или другую сумму?',
      'Всегда зачисляется столько, сколько пришло, больше это или меньше счёта. Платёж, впервые замеченный после окончания срока счёта, зачисляется по меньшему из двух курсов: счёта и момента поступления; стейблкоины один к одному, как только они стоят один доллар.',
    ],
    [
      'Как работает реферальная программа?',
      'Приглашайте других по своей ссылке. Число их пополнений за календарный месяц определяет ваш уровень на следующий месяц: ни одного — Basic 0%, от 1 до 5 — Silver 10%, от 6 до 10 — Gold 15%, от 11 до 21 — Platinum 20%, от 22 — Partner 25%. Эта доля каждого их пополнения зачисляется на ваш баланс.',
    ],
  ],
};

export async function seedFaq(ctx: Ctx): Promise<void> {
  for (const [index, [question, response]] of faq.en.entries()) {
    const [ruQuestion, ruResponse] = faq.ru[index]!;
    const texts = {
      en: { question, response: fill(ctx, 'en', response) },
      ru: { question: ruQuestion, response: fill(ctx, 'ru', ruResponse) },
    };
    await insertEntry(ctx, texts, null);
  }
}

function fill({ config }: Ctx, language: keyof typeof faq, response: string): string {
  return response
    .replace('{{refundTime}}', durationText(language, config.refundWindowMs / 1000))
    .replace('{{idleTime}}', durationText(language, config.idleTimeoutMs / 1000));
}
