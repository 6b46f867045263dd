import { priceApi } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { chatAddress, isWeb, openAddress, type ChatLink } from '#api/chat-links.ts';
import { useServerAddress, useSiteName } from '#api/site.ts';
import { storage } from '#api/storage.ts';
import { firstModel } from '#domain/model/chat-models.ts';
import { toast } from '#ui/feedback/toast.ts';

/** Fills in a chat link with the key that `loadKey` fetches, and with a model only where the link has a place for it. */
export function useChatAddress(loadKey: () => Promise<string>): (link: ChatLink) => Promise<string> {
  const client = useQueryClient();
  const server = useServerAddress();
  const site = useSiteName();
  const modelFor = async (link: ChatLink): Promise<string> => {
    if (!link.url.includes('{model}')) return '';
    const available = await client.fetchQuery({ ...apiQuery(priceApi.available), staleTime: 60_000 });
    const names = Object.keys(available).filter((name) => !name.includes('*'));
    const chosen = storage.get('example_model');
    return names.find((name) => name === chosen) ?? firstModel(available, names) ?? '';
  };
  return async (link) => {
    const [key, model] = await Promise.all([loadKey(), modelFor(link)]);
    return chatAddress(link, { server, site, key, model });
  };
}

/** Opens a chat client with the key that `loadKey` fetches. */
export function useOpenChat(loadKey: () => Promise<string>): (link: ChatLink) => void {
  const { t } = useTranslation('shared');
  const addressOf = useChatAddress(loadKey);
  const open = async (link: ChatLink) => {
    try {
      if (!(await openAddress(() => addressOf(link), isWeb(link.url)))) toast.warning(t('tabBlocked'));
    } catch {
      // The request for the key shows its own error.
    }
  };
  return (link) => void open(link);
}
