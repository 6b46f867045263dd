import { builtInChatLinks } from '#settings/long-defaults.ts';

const [nextChat] = builtInChatLinks;
const itsHome = nextChat ? new URL(nextChat.url).origin : '';

/** Links with an id each, without which old consoles show no table. */
export function withIds<Link extends object>(links: readonly (Link & { id?: unknown })[]): Link[] {
  const taken = new Set(links.map(({ id }) => id));
  let next = 1;
  return links.map((link) => {
    if (link.id !== undefined) return link;
    while (taken.has(next)) next++;
    return { id: next++, ...link };
  });
}

/** The offered chat clients. `home` is the operator's own instance of the built-in client; empty for its public one. */
export function chatLinksAt<Link extends { url: string }>(links: readonly Link[], home: string): Link[] {
  const base = home.replace(/\/+$/, '');
  return withIds(links).map((link) =>
    base !== '' && itsHome !== '' && link.url.startsWith(`${itsHome}/`)
      ? { ...link, url: base + link.url.slice(itsHome.length) }
      : link,
  );
}
