export interface AppAddress {
  href: string;
  /** Of the chat client. */
  name: string;
  /** The address for reading: keys are masked, long values cut. */
  shown: string;
}

/**
 * Deep link to one of `apps` (scheme → name); undefined for any other address, so that no link of this site opens
 * another site or runs a script.
 */
export function appAddress(target: string | undefined, apps: ReadonlyMap<string, string>): AppAddress | undefined {
  if (target === undefined || !URL.canParse(target)) return undefined;
  const { href, protocol } = new URL(target);
  const name = apps.get(protocol);
  return name !== undefined && href.startsWith(`${protocol}//`) ? { href, name, shown: shownAddress(href) } : undefined;
}

const mostShown = 160;

/** Without keys, whatever they are called: words of more than 20 letters and digits. */
function shownAddress(href: string): string {
  const [place = '', query] = href.split('?', 2);
  const values = [...new URLSearchParams(query)].map(([name, value]) => `${name}=${masked(value)}`);
  const text = [masked(place), values.join('&')].filter((part) => part !== '').join('?');
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
}

const masked = (text: string): string => text.replaceAll(/\bsk-\w+|[\w+/=-]{21,}/g, '••••');
