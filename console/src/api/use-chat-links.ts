import { useMemo } from 'react';
import { shownLinks, type ChatLink } from './chat-links.ts';
import { useSite } from './site.ts';

/** The chat clients that this site offers. */
export function useChatLinks(): ChatLink[] {
  const json = useSite()?.chat_links ?? '';
  return useMemo(() => shownLinks(json), [json]);
}
