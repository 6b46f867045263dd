/** Chat clients that take a key and a server's address by a link of their own. */
const apps = [
  { scheme: 'opencat:', name: 'OpenCat' },
  { scheme: 'ama:', name: 'AMA' },
];

export interface AppAddress {
  href: string;
  /** The client's. */
  name: string;
}

/**
 * The address of a chat client's app, as the browser reads it; undefined for every other one, so that no link of this
 * site leads to another's page or runs a script.
 */
export function appAddress(target: string | undefined): AppAddress | undefined {
  if (target === undefined || !URL.canParse(target)) return undefined;
  const { href, protocol } = new URL(target);
  const app = apps.find(({ scheme }) => scheme === protocol);
  return app && href.startsWith(`${protocol}//`) ? { href, name: app.name } : undefined;
}
