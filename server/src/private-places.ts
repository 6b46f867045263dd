import { isIPv4, isIPv6 } from 'node:net';
import { throughFolding } from '#secrets.ts';

/** Replaces a private address. */
const ADDRESS = '[address removed]';
const ID = '••••';
/** Replaces the path of a file. */
const FILE = '[path removed]';

/**
 * Public documentation of vendors. An entry with a path allows only links below it: other pages of such a host can name
 * the operator's account.
 */
const documentation = new Map<string, string>(
  [
    'openai.com',
    'help.openai.com',
    'community.openai.com',
    'developers.openai.com',
    'platform.openai.com',
    'docs.anthropic.com',
    'docs.claude.com',
    'platform.claude.com/docs',
    'support.anthropic.com',
    'ai.google.dev',
    'cloud.google.com',
    'learn.microsoft.com',
    'aka.ms',
    'docs.aws.amazon.com',
    'docs.mistral.ai',
    'docs.cohere.com',
    'docs.x.ai',
    'console.groq.com/docs',
    'openrouter.ai/docs',
    'api-docs.deepseek.com',
    'help.aliyun.com',
    'www.alibabacloud.com/help',
    'cloud.tencent.com/document',
    'cloud.baidu.com/doc',
    'www.volcengine.com/docs',
    'docs.siliconflow.cn',
    'docs.bigmodel.cn',
    'platform.moonshot.cn/docs',
    'docs.perplexity.ai',
    'docs.together.ai',
    'docs.vllm.ai',
    'developers.cloudflare.com',
    'errors.pydantic.dev',
    'developer.mozilla.org',
  ].map((place) => {
    const slash = place.indexOf('/');
    return slash < 0 ? [place, '/'] : [place.slice(0, slash), place.slice(slash)];
  }),
);

/** Some JSON encoders write `https:\/\/`. */
const URL_SHAPE = /\b[a-z][a-z0-9+.-]{0,20}:(?:\\?\/){2}(?:[^\s"'<>`|{}\\^，。；：！？）】》、]|\\\/)+/gi;
const PATH = String.raw`(?::\d{1,5})?(?:\/[^\s"'<>，。；）]*)?`;
const IPV4_SHAPE = new RegExp(String.raw`(?<![\w.])(\d{1,3}(?:\.\d{1,3}){3})(?![\w]|\.\d)` + PATH, 'g');
/** Spellings that C's resolver reads as well: one number, or parts in hexadecimal or octal. */
const NUMBER = String.raw`(?:0x[0-9a-f]{1,8}|\d{1,11})`;
const NUMBER_SHAPE = new RegExp(
  String.raw`(?<![\w.])(?:0x[0-9a-f]{7,8}|\d{8,10}(?=:\d{2,5}(?!\d))|` +
    String.raw`(?=[\w.]{0,40}0x)${NUMBER}(?:\.${NUMBER}){1,3}|(?=[\d.]{0,40}\b0\d)\d{1,11}(?:\.\d{1,11}){3})(?!\w|\.\w)${PATH}`,
  'gi',
);
/** Below usual folders of servers, and files by their ending. */
const FILE_SHAPE =
  /(?<![\w./\\:~-])(?:~?\/(?:srv|home|root|etc|var|opt|usr|app|mnt|tmp|proc|run|lib|workspaces?|Users|private)(?:\/[^\s"'`<>,;:()[\]，。；：]+)+|~?(?:\/[\w.@-]+)+\.(?:ya?ml|json|toml|ini|conf|cfg|env|log|py|[jt]sx?|mjs|go|rs|rb|php|java|sh|so|db|sqlite3?|pem|key|crt|sock)(?![\w/])|[a-z]:\\[^\s"'`<>,;:()]+)/gi;
const IPV6_SHAPE = /(?<![\w:.])\[?([0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?:[\d.]+)?)(?:%\w+)?\]?(?![\w])(?::\d{1,5})?/gi;
const LABELS = String.raw`(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+`;
/** Suffixes that field names in error texts do not have: `messages.content` is not a host. */
const ENDINGS =
  'com|net|org|io|ai|dev|app|xyz|top|cc|cloud|tech|site|online|info|biz|vip|club|icu|gg|tv|pw|systems|network|services' +
  '|cn|jp|hk|tw|kr|sg|uk|de|eu|fr|ru|au|ca|us|co|ch|se|nl|pl|br|vn|th|my|nz' +
  '|local|internal|intranet|lan|corp|localdomain|svc|arpa|(?:com|co|net|org|edu|gov|ac)\\.[a-z]{2}';
const HOST_SHAPE = new RegExp(String.raw`(?<![\w.-])(${LABELS}(?:${ENDINGS}))(?![\w-]|\.\w)` + PATH, 'gi');
const LOCAL_SHAPE = new RegExp(String.raw`(?<![\w.-])localhost(?![\w-])` + PATH, 'gi');
const HOST_WITH_PORT = new RegExp(String.raw`(?<![\w.-])${LABELS}[a-z][a-z-]*:\d{2,5}(?!\w)`, 'gi');
/** Prefixes of hosts in errors of resolvers and connectors of several languages. */
const AFTER_WORDS =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ETIMEDOUT|dial (?:tcp|udp)|could not resolve(?: host)?:?|connect(?:ing)? to (?:host|server)|lookup(?=\s\S+(?:\son\s|:))|host(?:name)?\s?=)\s*(["'(]?)(?!\[address)([\w.-]+(?::\d+)?)/gi;
const NAME_AND_PORT = /(?<![\w.:/@#-])([a-z][a-z0-9-]*[a-z0-9]):(\d{2,5})(?![\w.:-])/gi;
/** Words before a colon and a number that are not hosts. */
const COUNTED =
  /^(?:line|row|column|col|char|position|pos|index|offset|code|status|error|errno|http|https|limit|length|size|count|max|min|total|tokens?|budget|seconds?|ms|time|timestamp|year|id|pid|port|version|got|expected|value|used|requested|received|remaining|required|available|current|maximum|minimum|width|height|number|at|is|was|to|of|than)$/i;

const ACCOUNT_SHAPES: readonly [RegExp, string][] = [
  [
    /\b(?:org|proj)[-_](?!(?:ids?|names?|levels?|wide|owners?|admins?|members?|mode|unit|specific|scoped|based|files?)\b)[a-z0-9](?:[\w-]*\w)?/gi,
    ID,
  ],
  [/\b(?:acct|wrkspc|team|user)[-_](?=[a-z]*\d)[a-z0-9]{6,}\b/gi, ID],
  [/\b(projects|subscriptions|resourceGroups|accounts|workspaces|organizations)\/(?!•)[\w.:-]+/gi, `$1/${ID}`],
  [
    /\b(project|account|organi[sz]ation|workspace|team|tenant|subscription)((?: (?:number|id))?[\s:=#'"]{1,3})(?:\d{6,}|[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12})\b/gi,
    `$1$2${ID}`,
  ],
  [/\b(arn:aws[\w-]*:[\w-]*:[\w-]*:)\d{6,}/gi, `$1${ID}`],
];

/**
 * Removes addresses, host names, paths of files and account ids from a text for callers, because they reveal the operator's upstreams.
 * Links to documentation of known vendors stay. `own`: hosts that are always replaced.
 */
export const withoutPlaces = (text: string, own: readonly string[] = []): string =>
  throughFolding(text, (plain) => withoutPlacesAsTheyAre(plain, own));

function withoutPlacesAsTheyAre(text: string, own: readonly string[]): string {
  const isOwn = new Set(own);
  const links: string[] = [];
  let clean = text.replaceAll(URL_SHAPE, (found) => {
    const address = /^.*?(?=[).,;:!?\]]*$)/s.exec(found)?.[0] ?? found;
    const link = keptLink(address.replaceAll('\\/', '/'), isOwn);
    // Private-use characters mark the places of links while the rest is replaced.
    return (link === undefined ? ADDRESS : `\uE000${links.push(link) - 1}\uE001`) + found.slice(address.length);
  });
  for (const host of own) clean = clean.replaceAll(ownShape(host), ADDRESS);
  clean = clean
    .replaceAll(NUMBER_SHAPE, ADDRESS)
    .replaceAll(FILE_SHAPE, FILE)
    .replaceAll(IPV4_SHAPE, (found, ip: string) => (isIPv4(ip) ? ADDRESS : found))
    .replaceAll(IPV6_SHAPE, (found, ip: string) => (isIPv6(ip) && /[0-9a-f]/i.test(ip) ? ADDRESS : found))
    .replaceAll(HOST_SHAPE, (found, host: string) => (isDocumentation(host, '/', isOwn) ? found : ADDRESS))
    .replaceAll(LOCAL_SHAPE, ADDRESS)
    .replaceAll(HOST_WITH_PORT, ADDRESS)
    .replaceAll(AFTER_WORDS, (_, words: string, quote: string) => `${words} ${quote}${ADDRESS}`)
    .replaceAll(NAME_AND_PORT, (found, name: string, port: string) => (isPort(name, Number(port)) ? ADDRESS : found));
  for (const [shape, put] of ACCOUNT_SHAPES) clean = clean.replaceAll(shape, put);
  return links.length === 0
    ? clean
    : clean.replaceAll(/\uE000(\d+)\uE001/g, (_, at: string) => links[Number(at)] ?? '');
}

/** A documentation link without query and credentials; undefined if it is not one. */
function keptLink(address: string, own: ReadonlySet<string>): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, port, pathname, hash, username, password } = new URL(address);
  if (protocol !== 'https:' || port !== '' || username + password !== '') return undefined;
  if (!isDocumentation(hostname, pathname, own)) return undefined;
  const rest = pathname + hash;
  const clean = withoutAccounts(rest);
  return clean === rest && !/\d+\.\d+\.\d+\.\d+|%|[^\x21-\x7e]/.test(rest) ? `https://${hostname}${rest}` : undefined;
}

const withoutAccounts = (text: string): string =>
  ACCOUNT_SHAPES.reduce((clean, [shape, put]) => clean.replaceAll(shape, put), text);

function isDocumentation(host: string, path: string, own: ReadonlySet<string>): boolean {
  const name = host.toLowerCase();
  const below = documentation.get(name);
  return below !== undefined && path.startsWith(below) && !own.has(name);
}

const isPort = (name: string, port: number): boolean =>
  (port === 80 || port === 443 || (port >= 1024 && port <= 65_535)) && !COUNTED.test(name);

const ownShape = (host: string): RegExp =>
  new RegExp(String.raw`(?<![\w-])${host.replaceAll(/[^\w]/g, String.raw`\$&`)}(?!\w|\.\w)${PATH}`, 'gi');

/** The host in an operator's address; undefined if there is none. */
export function hostIn(address: string): string | undefined {
  const full = address.includes('://') ? address : `http://${address}`;
  if (address === '' || !URL.canParse(full)) return undefined;
  const { hostname } = new URL(full);
  return hostname === '' ? undefined : hostname.toLowerCase();
}
