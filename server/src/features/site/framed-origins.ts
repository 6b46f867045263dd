import type { Settings } from '#settings.ts';
import { chatLinksAt } from './chat-links.ts';

type Framing = Pick<Settings, 'About' | 'HomePageContent' | 'ChatLink' | 'ChatLinks'>;

/**
 * Origins of the pages that the operator put into frames: an address as the about or home page, and the chat links that
 * are marked for it.
 */
export function framedOrigins({ About, HomePageContent, ChatLink, ChatLinks }: Framing): string[] {
  const pages = [About, HomePageContent].map((text) => text.trim()).filter((text) => /^https?:\/\/\S+$/.test(text));
  const chats = chatLinksAt(ChatLinks ?? [], ChatLink).filter(({ embed, show }) => embed === true && show);
  const origins = [...pages, ...chats.map(({ url }) => url)]
    .filter((address) => URL.canParse(address))
    .map((address) => new URL(address).origin);
  return [...new Set(origins)];
}
