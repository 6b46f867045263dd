import type { Token } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { AppWindow, Cable, ChevronDown, Code, Copy, ExternalLink } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useChatLinks } from '#api/use-chat-links.ts';
import { useOpenChat } from '#domain/chat/use-open-chat.ts';
import { copyText } from '#ui/format/clipboard.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { useTokenKey } from '#domain/token/use-token-key.ts';

interface Props {
  token: Token;
  /** Opens the dialog with example calls. */
  onExample: (token: Token) => void;
}

/** Menu of a token: copy its key, see an example call, connect a tool, open a chat client. */
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
        {
          label: t('useIn'),
          icon: Cable,
          render: (
            <Link
              from="/panel/token"
              search={(now) => ({ ...now, connect: 'any', token: token.id })}
              resetScroll={false}
            />
          ),
        },
        links.length > 0 && 'line',
        links.length > 0 && { heading: t('openIn') },
        ...links.map((link) =>
          link.embed
            ? {
                label: link.name,
                icon: AppWindow,
                render: <Link to="/panel/chat" search={{ client: link.name, token: token.id }} />,
              }
            : { label: link.name, icon: ExternalLink, onSelect: () => open(link) },
        ),
      ]}
      className="flex-row-reverse hover:border-line2 aria-expanded:border-line2 aria-expanded:text-text max-sm:border-line2"
    >
      <span className="sr-only">{token.name}</span>
    </MenuButton>
  );
}
