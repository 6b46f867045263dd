import type { Token } from '@relay-hub/contract';
import { ChevronDown, Code, Copy, ExternalLink } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { openChat, type ChatLink } from '#api/chat-links.ts';
import { useServerAddress } from '#api/site.ts';
import { useChatLinks } from '#api/use-chat-links.ts';
import { copyText } from '#ui/format/clipboard.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { useTokenKey } from './use-token-key.ts';

interface Props {
  token: Token;
  /** Opens the dialog with example calls. */
  onExample: (token: Token) => void;
}

/** Menu of a token: copy its key, see an example call, open a chat client. */
export function TokenUseMenu({ token, onExample }: Props) {
  const { t } = useTranslation('token');
  const links = useChatLinks();
  const loadKey = useTokenKey(token.id);
  const open = useOpenChat(loadKey);
  // The request shows its own error.
  const copy = () => void copyText(loadKey(), t('keyOf', { name: token.name })).catch(() => undefined);
  return (
    <MenuButton
      label={t('use')}
      icon={ChevronDown}
      iconOnly={false}
      variant="ghost"
      size="sm"
      entries={() => [
        { label: t('copyKey'), icon: Copy, onSelect: copy },
        { label: t('showExample'), icon: Code, onSelect: () => onExample(token) },
        links.length > 0 && 'line',
        links.length > 0 && { heading: t('openIn') },
        ...links.map((link) => ({ label: link.name, icon: ExternalLink, onSelect: () => open(link) })),
      ]}
      className="flex-row-reverse hover:border-line2 aria-expanded:border-line2 aria-expanded:text-text max-sm:border-line2"
    >
      <span className="sr-only">{token.name}</span>
    </MenuButton>
  );
}

/** Opens a chat client with the key that `loadKey` fetches. */
export function useOpenChat(loadKey: () => Promise<string>): (link: ChatLink) => void {
  const { t } = useTranslation('token');
  const server = useServerAddress();
  const open = async (link: ChatLink) => {
    try {
      if (!(await openChat(link, loadKey, server))) toast.warning(t('tabRefused'));
    } catch {
      // The request for the key shows its own error.
    }
  };
  return (link) => void open(link);
}
