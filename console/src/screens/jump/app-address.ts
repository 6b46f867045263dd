/** Chat clients that accept a key and a server address in a deep link. */
const apps = [
  { scheme: 'opencat:', name: 'OpenCat' },
  { scheme: 'ama:', name: 'AMA' },
];

export interface AppAddress {
  href: string;
  name: string;
}

/**
 * Deep link of a known chat client; undefined for any other address, so that no link of this site opens another site
 * or runs a script.
 */
export function appAddress(target: string | undefined): AppAddress | undefined {
  if (target === undefined || !URL.canParse(target)) return undefined;
  const { href, protocol } = new URL(target);
  const app = apps.find(({ scheme }) => scheme === protocol);
  return app && href.startsWith(`${protocol}//`) ? { href, name: app.name } : undefined;
}
