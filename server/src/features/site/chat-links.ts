import { builtInChatLinks } from '#settings/long-defaults.ts';

const [nextChat] = builtInChatLinks;
const itsHome = new URL(nextChat!.url).origin;

/** The chat clients on offer; `home` is where the operator runs the first of the built-in ones, empty for its own place. */
export function chatLinksAt<Link extends { url: string }>(links: readonly Link[], home: string): Link[] {
  const base = home.replace(/\/+$/, '');
  return links.map((link) =>
    base !== '' && link.url.startsWith(`${itsHome}/`) ? { ...link, url: base + link.url.slice(itsHome.length) } : link,
  );
}
