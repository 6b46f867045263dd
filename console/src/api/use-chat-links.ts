import { useMemo } from 'react';
import { shownLinks, type ChatLink } from './chat-links.ts';
import { useSite } from './site.ts';

export function useChatLinks(): ChatLink[] {
  const json = useSite()?.chat_links ?? '';
  return useMemo(() => shownLinks(json), [json]);
}
