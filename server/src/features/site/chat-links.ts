import { builtInChatLinks } from '#settings/long-defaults.ts';

const [nextChat] = builtInChatLinks;
const itsHome = nextChat ? new URL(nextChat.url).origin : '';

/** The offered chat clients. `home` is the operator's own instance of the built-in client; empty for its public one. */
export function chatLinksAt<Link extends { url: string }>(links: readonly Link[], home: string): Link[] {
  const base = home.replace(/\/+$/, '');
  return links.map((link) =>
    base !== '' && itsHome !== '' && link.url.startsWith(`${itsHome}/`)
      ? { ...link, url: base + link.url.slice(itsHome.length) }
      : link,
  );
}
