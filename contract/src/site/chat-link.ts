/** Schemes that run scripts, open local content or hand over to something else than an app of that name. */
const refusedSchemes = new Set(
  'about blob chrome chrome-extension content data file filesystem ftp intent javascript jar mailto moz-extension resource sms tel vbscript view-source ws wss'.split(
    ' ',
  ),
);

/** Placeholders of the product family; `{address}` is another name of `{server}`. */
export const chatPlaceholders = [
  'key',
  'server',
  'address',
  'model',
  'cherryConfig',
  'aionuiConfig',
  'deepchatConfig',
  'aqbotConfig',
] as const;

export type ChatLinkProblem = 'address' | 'scheme' | 'host' | 'placeholder' | 'embed';

/**
 * Fault of the template of a chat link: no URL; a scheme that no app has; a web address with a private,
 * templated or named-account host; an unknown placeholder; or a frame for something that is no web page.
 */
export function chatLinkProblem({ url, embed }: { url: string; embed?: boolean }): ChatLinkProblem | undefined {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):\S+$/i.exec(url) ?? [];
  if (scheme === '') return 'address';
  if (refusedSchemes.has(scheme.toLowerCase())) return 'scheme';
  const isWeb = /^https?$/i.test(scheme);
  if (isWeb && !isPublicPage(url)) return 'host';
  const names = [...url.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const unknown = names.some((name) => !chatPlaceholders.some((known) => known === name));
  if (unknown) return 'placeholder';
  return embed && !isWeb ? 'embed' : undefined;
}

/** Whether a URL is http(s), has a fixed public host, and contains no user name or password. */
function isPublicPage(url: string): boolean {
  if (!/^https?:\/\/[^/?#{}@\\]+([/?#]|$)/i.test(url) || !URL.canParse(url)) return false;
  return !isPrivateHost(new URL(url).hostname);
}

const privateIpv4 =
  /^(0|10|127|22[4-9]|2[3-5]\d)\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\.|^192\.(0\.0|168)\.|^198\.1[89]\./;

/** For the host of a parsed URL, which has IP addresses in their normal form. Names are not looked up. */
function isPrivateHost(host: string): boolean {
  const name = host.replace(/\.$/, '').toLowerCase();
  // Global IPv6 addresses are in 2000::/3; an embedded IPv4 address is not.
  if (name.startsWith('[')) return !/^\[[23]/.test(name) || name.startsWith('[2002:');
  if (/^[\d.]+$/.test(name)) return privateIpv4.test(name);
  return name === 'localhost' || /\.(localhost|local|internal)$/.test(name);
}
